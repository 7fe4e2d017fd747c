#include "tests/unit/dotnet/fake_diagnostics.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/plain/clock.h"
#include "monitor/dotnet/diagnostics.h"

#define COUNTERS UM_SOURCE_DIR "/tests/golden/counters.nettrace"
#define EVENTS UM_SOURCE_DIR "/tests/golden/activities.nettrace"

struct um_diagnostics {
    size_t read_bytes;
};

static struct um_diagnostics session;
static uint8_t stream[65536];
static size_t stream_bytes;
static enum um_status refusal;
static bool hangs, ignores_stop;
static size_t breaks_after;
static char asked_providers[512];
static double asked_interval_s;
static _Atomic unsigned opened, reads, stopped;
static _Atomic int closed, is_read;

void fake_diagnostics_refuse(enum um_status status)
{
    refusal = status;
}

void fake_diagnostics_hang(void)
{
    hangs = true;
}

void fake_diagnostics_break_after(size_t len_bytes)
{
    breaks_after = len_bytes;
}

void fake_diagnostics_ignore_stop(void)
{
    ignores_stop = true;
}

unsigned fake_diagnostics_opened(void)
{
    return atomic_load(&opened);
}

const char *fake_diagnostics_providers(void)
{
    return asked_providers;
}

double fake_diagnostics_interval_s(void)
{
    return asked_interval_s;
}

unsigned fake_diagnostics_reads(void)
{
    return atomic_load(&reads);
}

bool fake_diagnostics_is_read(void)
{
    return atomic_load(&is_read) != 0;
}

unsigned fake_diagnostics_stopped(void)
{
    return atomic_load(&stopped);
}

bool fake_diagnostics_closed(void)
{
    return atomic_load(&closed) != 0;
}

static enum um_status diagnostics_open(uint32_t pid, const struct um_eventpipe_provider *providers,
                                       size_t count, double interval_s,
                                       const struct um_diagnostics_host *host,
                                       struct um_diagnostics **diagnostics)
{
    size_t used = 0;
    (void)pid;
    for (size_t i = 0; i < count; i++)
        used += (size_t)snprintf(
            asked_providers + used, sizeof asked_providers - used, "%s:%llx:%u ", providers[i].name,
            (unsigned long long)providers[i].keywords, (unsigned)providers[i].level);
    asked_interval_s = interval_s;
    atomic_fetch_add(&opened, 1);
    while (hangs) {
        if (host->over(host->context))
            return UM_ERR_CLOSED;
        um_clock_sleep_ns(UM_CLOCK_NS_PER_MS);
    }
    if (refusal != UM_OK)
        return refusal;
    session.read_bytes = 0;
    *diagnostics = &session;
    return UM_OK;
}

static enum um_status diagnostics_read(struct um_diagnostics *diagnostics, uint8_t *buf,
                                       size_t cap_bytes, uint32_t timeout_ms, size_t *len_bytes)
{
    size_t end = breaks_after < stream_bytes ? breaks_after : stream_bytes;
    size_t left = end - diagnostics->read_bytes;
    atomic_fetch_add(&reads, 1);
    atomic_store(&is_read, left == 0); /* who reads again has taken what there was */
    if (left == 0 && (breaks_after < SIZE_MAX || (atomic_load(&stopped) && !ignores_stop)))
        return UM_ERR_CLOSED;
    if (left == 0) {
        um_clock_sleep_ns(timeout_ms < 5 ? timeout_ms * UM_CLOCK_NS_PER_MS
                                         : 5 * UM_CLOCK_NS_PER_MS);
        return UM_ERR_TIMEOUT;
    }
    *len_bytes = left < cap_bytes ? left : cap_bytes;
    if (*len_bytes > 1000) /* as a pipe gives it: in pieces */
        *len_bytes = 1000;
    memcpy(buf, stream + diagnostics->read_bytes, *len_bytes);
    diagnostics->read_bytes += *len_bytes;
    return UM_OK;
}

static enum um_status diagnostics_stop(struct um_diagnostics *diagnostics)
{
    (void)diagnostics;
    atomic_fetch_add(&stopped, 1);
    return UM_OK;
}

static void diagnostics_close(struct um_diagnostics *diagnostics)
{
    if (diagnostics)
        atomic_store(&closed, 1);
}

static const struct um_diagnostics_backend backend = {
    .open = diagnostics_open,
    .read = diagnostics_read,
    .stop = diagnostics_stop,
    .close = diagnostics_close,
};

static void load(const char *path)
{
    FILE *file = fopen(path, "rb");
    cr_assert(file != NULL);
    stream_bytes = fread(stream, 1, sizeof stream, file) - 1; /* without the end of the stream */
    fclose(file);
}

void fake_diagnostics_send_events(void)
{
    load(EVENTS);
}

void fake_diagnostics_start(void)
{
    um_diagnostics = &backend;
    load(COUNTERS);
    refusal = UM_OK;
    hangs = ignores_stop = false;
    breaks_after = SIZE_MAX;
    asked_providers[0] = '\0';
    atomic_store(&opened, 0);
    atomic_store(&reads, 0);
    atomic_store(&stopped, 0);
    atomic_store(&closed, 0);
    atomic_store(&is_read, 0);
}
