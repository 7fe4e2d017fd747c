#include "monitor/dotnet/diagnostics.h"

static enum um_status refuse(uint32_t pid, const struct um_eventpipe_provider *providers,
                             size_t count, double interval_s,
                             const struct um_diagnostics_host *host,
                             struct um_diagnostics **diagnostics)
{
    (void)pid, (void)providers, (void)count, (void)interval_s, (void)host, (void)diagnostics;
    return UM_ERR_NOT_FOUND;
}

static void close_none(struct um_diagnostics *diagnostics)
{
    (void)diagnostics;
}

static const struct um_diagnostics_backend none = {.open = refuse, .close = close_none};

const struct um_diagnostics_backend *um_diagnostics = &none;
