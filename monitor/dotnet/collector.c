#include "monitor/dotnet/collector.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain/bytes.h"
#include "base/plain/clock.h"
#include "base/plain/text.h"
#include "base/thread.h"
#include "base/provider_spec.h"
#include "monitor/dotnet/counter_frames.h"
#include "monitor/dotnet/diagnostics.h"
#include "monitor/dotnet/event_order.h"
#include "monitor/dotnet/nettrace.h"
#include "ipc/transport.h"

#define READ_MS 50
#define READ_BYTES 16384
#define REST_NS UM_CLOCK_NS_PER_S    /* the longest wait for the rest of a stopped session */
#define CONNECT_NS UM_CLOCK_NS_PER_S /* within which a runtime that has started has connected */

struct um_collector {
    uint32_t pid;
    double interval_s;
    size_t provider_count;
    size_t asked_count; /* with the provider of meters */
    bool has_events;    /* of a provider more than its counters are wanted */
    struct um_eventpipe_provider providers[UM_COLLECTOR_PROVIDERS + 1]; /* and that of meters */
    char names[UM_COLLECTOR_PROVIDERS][UM_PROVIDER_SPEC_NAME_BYTES];
    char client[UM_INSTRUMENTS_CLIENT_BYTES]; /* this session's name among those of meters */
    char arguments[UM_INSTRUMENTS_ARGUMENTS_BYTES];
    struct um_reverse *reverse; /* NULL: the runtime's own pipe is used */
    bool is_reversed;           /* the session is that of `reverse`; only used by the thread */
    struct um_thread thread;
    struct um_nettrace *nettrace;     /* here and below: only used by the thread */
    struct um_event_order *order;     /* of events, as they come */
    struct um_event_pairs *pairs;     /* of events in their order */
    struct um_counter_frames *frames; /* only used in um_collector_next */
    _Atomic int stop, settled;

    struct um_thread_mutex mutex; /* guards what follows */
    struct um_collector_view view;
    size_t first, count; /* of the queue, a ring */
    struct um_nettrace_counter values[UM_COLLECTOR_QUEUE];
    size_t first_pair, pair_count; /* of their queue, a ring, too */
    struct um_event_pair queued[UM_COLLECTOR_PAIRS];
    uint64_t lost_pairs; /* events of pairs that were dropped for lack of room */
};

static bool is_over(void *context)
{
    struct um_collector *collector = context;
    return atomic_load(&collector->stop) != 0;
}

static void set_state(struct um_collector *collector, enum um_collector_state state,
                      enum um_status status)
{
    um_thread_lock(&collector->mutex);
    collector->view.state = state;
    collector->view.status = status;
    um_thread_unlock(&collector->mutex);
}

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

/* Whether somebody wants the events of a provider, and not only its counters. */
static bool shows(const struct um_collector *collector, const char *provider)
{
    for (size_t i = 0; i < collector->provider_count; i++)
        if (collector->providers[i].events && strcmp(collector->names[i], provider) == 0)
            return true;
    return false;
}

static void count_lost(struct um_collector *collector)
{
    um_thread_lock(&collector->mutex);
    collector->view.lost_events = um_event_order_lost(collector->order) + collector->lost_pairs;
    um_thread_unlock(&collector->mutex);
}

static void take_meters(struct um_collector *collector, const struct um_nettrace_event *event)
{
    struct um_nettrace_counter counters[UM_INSTRUMENTS_COUNTERS];
    enum um_instruments_news news;
    size_t count =
        um_instruments_take(event, collector->client, collector->interval_s, counters, &news);
    for (size_t i = 0; i < count; i++)
        take_counter(collector, &counters[i]);
    um_thread_lock(&collector->mutex);
    collector->view.meters |= (unsigned)news;
    um_thread_unlock(&collector->mutex);
}

static void take_event(void *context, const struct um_nettrace_event *event)
{
    struct um_collector *collector = context;
    if (strcmp(event->kind->provider, UM_INSTRUMENTS_PROVIDER) == 0)
        take_meters(collector, event);
    if (!shows(collector, event->kind->provider))
        return;
    um_event_order_take(collector->order, event);
}

static void take_settled(void *context, uint64_t time_ns)
{
    struct um_collector *collector = context;
    um_event_order_settled(collector->order, time_ns);
}

static void take_lost(void *context, uint64_t count)
{
    struct um_collector *collector = context;
    if (collector->has_events)
        um_event_order_lose(collector->order, count);
}

static void take_ordered(void *context, struct um_event *event)
{
    struct um_collector *collector = context;
    um_event_pairs_take(collector->pairs, event);
}

static void take_pair(void *context, const struct um_event_pair *pair)
{
    struct um_collector *collector = context;
    struct um_event_pair dropped = *pair;
    um_thread_lock(&collector->mutex);
    if (collector->pair_count == UM_COLLECTOR_PAIRS) {
        collector->lost_pairs += pair->stop ? 2 : 1;
    } else {
        size_t last = collector->first_pair + collector->pair_count++;
        collector->queued[last % UM_COLLECTOR_PAIRS] = *pair;
        dropped = (struct um_event_pair){0};
    }
    um_thread_unlock(&collector->mutex);
    um_event_pairs_release(&dropped);
}

/* Gives the events that are held: no more come. */
static void finish_events(struct um_collector *collector)
{
    um_event_order_settled(collector->order, UINT64_MAX);
    um_event_pairs_end(collector->pairs, um_clock_now_ns());
    count_lost(collector);
}

static enum um_status read_some(struct um_collector *collector, struct um_diagnostics *diagnostics,
                                uint8_t *bytes, size_t cap_bytes, size_t *got)
{
    return collector->is_reversed
               ? um_reverse_read(collector->reverse, bytes, cap_bytes, READ_MS, got)
               : um_diagnostics->read(diagnostics, bytes, cap_bytes, READ_MS, got);
}

static enum um_status stop_session(struct um_collector *collector,
                                   struct um_diagnostics *diagnostics)
{
    return collector->is_reversed ? um_reverse_stop(collector->reverse)
                                  : um_diagnostics->stop(diagnostics);
}

/* Reads the stream until it ends, or REST_NS after a stop. */
static enum um_status read_stream(struct um_collector *collector,
                                  struct um_diagnostics *diagnostics)
{
    uint8_t bytes[READ_BYTES];
    uint64_t end_ns = 0; /* 0: the runtime was not asked to stop */

    for (;;) {
        size_t got = 0;
        enum um_status status = read_some(collector, diagnostics, bytes, sizeof bytes, &got);
        if (status == UM_OK)
            status = um_nettrace_bytes(collector->nettrace, bytes, got);
        count_lost(collector);
        if (status != UM_OK && status != UM_ERR_TIMEOUT)
            return status;
        if (end_ns && um_clock_now_ns() >= end_ns)
            return UM_ERR_TIMEOUT;
        if (end_ns || !is_over(collector))
            continue;
        end_ns = um_clock_now_ns() + REST_NS;
        if (stop_session(collector, diagnostics) != UM_OK)
            return UM_ERR_TIMEOUT; /* closing the pipe ends the session */
    }
}

/* Waits for the runtime to connect, and begins a session with it. Errors: UM_ERR_TIMEOUT the
 * program has started up, and its runtime has not connected; as um_reverse_start. */
static enum um_status begin_reverse(struct um_collector *collector,
                                    const struct um_diagnostics_host *host)
{
    uint64_t end_ns = UINT64_MAX;
    while (!is_over(collector)) {
        enum um_status status = um_reverse_wait(collector->reverse, collector->pid, READ_MS);
        if (status == UM_OK)
            return um_reverse_start(collector->reverse, collector->providers,
                                    collector->asked_count, collector->interval_s, host);
        if (end_ns == UINT64_MAX && atomic_load(&collector->settled))
            end_ns = um_clock_now_ns() + CONNECT_NS;
        if (status != UM_ERR_TIMEOUT || um_clock_now_ns() >= end_ns)
            return UM_ERR_TIMEOUT;
    }
    return UM_ERR_CLOSED;
}

static enum um_status begin(struct um_collector *collector, struct um_diagnostics **diagnostics)
{
    const struct um_diagnostics_host host = {.context = collector, .over = is_over};
    enum um_status status = collector->reverse ? begin_reverse(collector, &host) : UM_ERR_TIMEOUT;
    collector->is_reversed = status == UM_OK;
    if (collector->is_reversed || (collector->reverse && is_over(collector)))
        return status;
    return um_diagnostics->open(collector->pid, collector->providers, collector->asked_count,
                                collector->interval_s, &host, diagnostics);
}

static void run(void *context)
{
    struct um_collector *collector = context;
    struct um_diagnostics *diagnostics = NULL;

    enum um_status status = begin(collector, &diagnostics);
    if (status != UM_OK) {
        set_state(collector, is_over(collector) ? UM_COLLECTOR_STOPPED : UM_COLLECTOR_REFUSED,
                  status);
        return;
    }
    set_state(collector, UM_COLLECTOR_RUNS, UM_OK);
    status = read_stream(collector, diagnostics);
    finish_events(collector);
    set_state(collector, is_over(collector) ? UM_COLLECTOR_STOPPED : UM_COLLECTOR_BROKEN, status);
    um_diagnostics->close(diagnostics);
}

static void copy_providers(struct um_collector *collector,
                           const struct um_eventpipe_provider *providers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        um_text_set(collector->names[i], sizeof collector->names[i], providers[i].name);
        collector->providers[i] = providers[i];
        collector->providers[i].name = collector->names[i];
        collector->has_events |= providers[i].events;
    }
    collector->provider_count = count;
}

/* Adds the provider of meters behind the others, or to them if it is one of them. */
static enum um_status add_meters(struct um_collector *collector)
{
    uint8_t bits[8];
    enum um_status status = um_transport_random_bits(bits, sizeof bits);
    if (status != UM_OK)
        return status;
    snprintf(collector->client, sizeof collector->client, "uimon-%016" PRIx64,
             um_bytes_get64(bits));
    status = um_instruments_arguments(collector->providers, collector->provider_count,
                                      collector->interval_s, collector->client,
                                      collector->arguments, sizeof collector->arguments);
    if (status != UM_OK)
        return status;
    size_t place = 0;
    while (place < collector->provider_count &&
           strcmp(collector->names[place], UM_INSTRUMENTS_PROVIDER) != 0)
        place++;
    struct um_eventpipe_provider *meters = &collector->providers[place];
    if (place == collector->provider_count)
        *meters = (struct um_eventpipe_provider){.name = UM_INSTRUMENTS_PROVIDER,
                                                 .level = UM_INSTRUMENTS_LEVEL};
    collector->asked_count = collector->provider_count + (place == collector->provider_count);
    meters->keywords |= UM_INSTRUMENTS_KEYWORDS;
    meters->level = meters->level > UM_INSTRUMENTS_LEVEL ? meters->level : UM_INSTRUMENTS_LEVEL;
    meters->arguments = collector->arguments;
    return UM_OK;
}

enum um_status um_collector_open(uint32_t pid, const struct um_eventpipe_provider *providers,
                                 size_t count, double interval_s, struct um_reverse *reverse,
                                 struct um_collector **collector)
{
    if (count == 0 || count > UM_COLLECTOR_PROVIDERS)
        return UM_ERR_ARG;
    struct um_collector *made = calloc(1, sizeof *made);
    if (!made)
        return UM_ERR_MEMORY;
    const struct um_nettrace_taker taker = {.context = made,
                                            .counter = take_counter,
                                            .event = take_event,
                                            .settled = take_settled,
                                            .lost = take_lost};
    made->pid = pid;
    made->interval_s = interval_s;
    made->reverse = reverse;
    copy_providers(made, providers, count);
    enum um_status status = add_meters(made);
    if (status == UM_OK)
        status = um_nettrace_open(&taker, &made->nettrace);
    if (status == UM_OK)
        status = um_event_order_open(take_ordered, made, &made->order);
    if (status == UM_OK)
        status = um_event_pairs_open(take_pair, made, &made->pairs);
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

bool um_collector_next_pair(struct um_collector *collector, struct um_event_pair *pair)
{
    um_thread_lock(&collector->mutex);
    bool has = collector->pair_count > 0;
    if (has) {
        *pair = collector->queued[collector->first_pair];
        collector->first_pair = (collector->first_pair + 1) % UM_COLLECTOR_PAIRS;
        collector->pair_count--;
    }
    um_thread_unlock(&collector->mutex);
    return has;
}

void um_collector_settle(struct um_collector *collector)
{
    atomic_store(&collector->settled, 1);
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
    struct um_event_pair pair;
    while (um_collector_next_pair(collector, &pair))
        um_event_pairs_release(&pair);
    um_event_pairs_close(collector->pairs);
    um_event_order_close(collector->order);
    um_nettrace_close(collector->nettrace);
    um_counter_frames_close(collector->frames);
    free(collector);
}
