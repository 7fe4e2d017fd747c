#include "monitor/sample/waits.h"

static enum um_status refuse(uint32_t pid, uint32_t tid, struct um_waits **waits)
{
    (void)pid, (void)tid, (void)waits;
    return UM_ERR_UNSUPPORTED;
}

static void close_none(struct um_waits *waits)
{
    (void)waits;
}

static const struct um_waits_backend none = {.open = refuse, .close = close_none};

const struct um_waits_backend *um_waits = &none;
