#include "monitor/dotnet/collector.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "ipc/clock.h"
#include "ipc/thread.h"
#include "monitor/base/provider_spec.h"
#include "monitor/dotnet/counter_frames.h"
#include "monitor/dotnet/diagnostics.h"
#include "monitor/dotnet/nettrace.h"

#define READ_MS 50
#define READ_BYTES 16384
#define REST_NS UM_CLOCK_NS_PER_S /* the rest of a session that was stopped has come by then */

struct um_collector {
    uint32_t pid;
    double interval_s;
    size_t provider_count;
    struct um_eventpipe_provider providers[UM_COLLECTOR_PROVIDERS];
    char names[UM_COLLECTOR_PROVIDERS][UM_PROVIDER_SPEC_NAME_BYTES];
    struct um_thread thread;
    struct um_nettrace *nettrace;     /* the thread's */
    struct um_counter_frames *frames; /* of who calls um_collector_next */
    _Atomic int stop;

    struct um_thread_mutex mutex; /* guards what follows */
    struct um_collector_view view;
    size_t first, count; /* of the values that wait */
    struct um_nettrace_counter values[UM_COLLECTOR_QUEUE];
};

static bool is_over(void *context)
{
    struct um_collector *collector = context;
    return atomic_load(&collector->stop) != 0;
}

static void leave(struct um_collector *collector, enum um_collector_state state,
                  enum um_status status)
{
    um_thread_lock(&collector->mutex);
    collector->view.state = state;
    collector->view.status = status;
    um_thread_unlock(&collector->mutex);
}

/* Queues what the stream tells of a counter. */
static void take_counter(void *context, const struct um_nettrace_counter *counter)
{
    struct um_collector *collector = context;
    um_thread_lock(&collector->mutex);
    if (collector->count == UM_COLLECTOR_QUEUE)
        collector->view.lost++;
    else
        collector->values[(collector->first + collector->count++) % UM_COLLECTOR_QUEUE] = *counter;
    um_thread_unlock(&collector->mutex);
}

/* Reads the stream until it ends, or the rest of it does not come after a stop. */
static enum um_status read_stream(struct um_collector *collector,
                                  struct um_diagnostics *diagnostics)
{
    uint8_t bytes[READ_BYTES];
    uint64_t end_ns = 0; /* 0: the runtime was not asked to stop */
    enum um_status status = UM_OK;

    while (status == UM_OK || status == UM_ERR_TIMEOUT) {
        size_t got = 0;
        status = um_diagnostics_read(diagnostics, bytes, sizeof bytes, READ_MS, &got);
        if (status == UM_OK)
            status = um_nettrace_bytes(collector->nettrace, bytes, got);
        if (end_ns && um_clock_now_ns() >= end_ns)
            return UM_ERR_TIMEOUT;
        if (end_ns || !is_over(collector))
            continue;
        end_ns = um_clock_now_ns() + REST_NS;
        if (um_diagnostics_stop(diagnostics) != UM_OK)
            return UM_ERR_TIMEOUT; /* it ends when the pipe is closed */
    }
    return status;
}

static void run(void *context)
{
    struct um_collector *collector = context;
    const struct um_diagnostics_host host = {.context = collector, .over = is_over};
    struct um_diagnostics *diagnostics = NULL;

    enum um_status status =
        um_diagnostics_open(collector->pid, collector->providers, collector->provider_count,
                            collector->interval_s, &host, &diagnostics);
    if (status != UM_OK) {
        leave(collector, is_over(collector) ? UM_COLLECTOR_STOPPED : UM_COLLECTOR_REFUSED, status);
        return;
    }
    leave(collector, UM_COLLECTOR_RUNS, UM_OK);
    status = read_stream(collector, diagnostics);
    leave(collector, is_over(collector) ? UM_COLLECTOR_STOPPED : UM_COLLECTOR_BROKEN, status);
    um_diagnostics_close(diagnostics);
}

static void copy_providers(struct um_collector *collector,
                           const struct um_eventpipe_provider *providers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        um_wire_set_text(collector->names[i], sizeof collector->names[i], providers[i].name);
        collector->providers[i] = providers[i];
        collector->providers[i].name = collector->names[i];
    }
    collector->provider_count = count;
}

enum um_status um_collector_open(uint32_t pid, const struct um_eventpipe_provider *providers,
                                 size_t count, double interval_s, struct um_collector **collector)
{
    if (count == 0 || count > UM_COLLECTOR_PROVIDERS)
        return UM_ERR_ARG;
    struct um_collector *made = calloc(1, sizeof *made);
    if (!made)
        return UM_ERR_MEMORY;
    const struct um_nettrace_taker taker = {.context = made, .counter = take_counter};
    made->pid = pid;
    made->interval_s = interval_s;
    copy_providers(made, providers, count);
    enum um_status status = um_nettrace_open(&taker, &made->nettrace);
    if (status == UM_OK)
        status = um_counter_frames_open((uint32_t)(interval_s * 1e3 + 0.5), &made->frames);
    if (status == UM_OK)
        status = um_thread_start(run, made, &made->thread);
    if (status == UM_OK)
        *collector = made;
    else
        um_collector_close(made);
    return status;
}

struct um_collector_view um_collector_look(struct um_collector *collector)
{
    um_thread_lock(&collector->mutex);
    struct um_collector_view view = collector->view;
    um_thread_unlock(&collector->mutex);
    view.full = um_counter_frames_full(collector->frames);
    return view;
}

/* Takes the value that has waited longest; false if none does. */
static bool pop(struct um_collector *collector, struct um_nettrace_counter *value)
{
    um_thread_lock(&collector->mutex);
    bool has = collector->count > 0;
    if (has) {
        *value = collector->values[collector->first];
        collector->first = (collector->first + 1) % UM_COLLECTOR_QUEUE;
        collector->count--;
    }
    um_thread_unlock(&collector->mutex);
    return has;
}

size_t um_collector_next(struct um_collector *collector, uint64_t now_ns,
                         struct um_wire_frame frames[UM_COLLECTOR_FRAMES])
{
    struct um_nettrace_counter value;
    size_t count = 0;
    while (count == 0 && pop(collector, &value))
        count = um_counter_frames_take(collector->frames, &value, now_ns, frames);
    return count;
}

void um_collector_stop(struct um_collector *collector)
{
    atomic_store(&collector->stop, 1);
}

void um_collector_close(struct um_collector *collector)
{
    if (!collector)
        return;
    um_collector_stop(collector);
    um_thread_join(&collector->thread);
    um_nettrace_close(collector->nettrace);
    um_counter_frames_close(collector->frames);
    free(collector);
}
