#include "monitor/layout/layout_etw.h"

#include <stddef.h>

static enum um_status refuse(uint32_t pid, uint32_t tid, struct um_ring *ring,
                             struct um_layout_etw **etw)
{
    (void)pid, (void)tid, (void)ring, (void)etw;
    return UM_ERR_UNSUPPORTED;
}

static bool has_ended(const struct um_layout_etw *etw)
{
    (void)etw;
    return true;
}

static const char *unknown(const struct um_layout_etw *etw)
{
    (void)etw;
    return NULL;
}

static void close_none(struct um_layout_etw *etw)
{
    (void)etw;
}

static const struct um_layout_etw_backend none = {
    .open = refuse, .has_ended = has_ended, .unknown = unknown, .close = close_none};

const struct um_layout_etw_backend *um_layout_etw = &none;
