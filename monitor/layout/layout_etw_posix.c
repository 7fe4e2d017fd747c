#include "monitor/layout/layout_etw.h"

static enum um_status refuse(uint32_t pid, uint32_t tid, struct um_ring *ring,
                             struct um_layout_etw **etw)
{
    (void)pid, (void)tid, (void)ring, (void)etw;
    return UM_ERR_UNSUPPORTED;
}

static void close_none(struct um_layout_etw *etw)
{
    (void)etw;
}

static const struct um_layout_etw_backend none = {.open = refuse, .close = close_none};

const struct um_layout_etw_backend *um_layout_etw = &none;
