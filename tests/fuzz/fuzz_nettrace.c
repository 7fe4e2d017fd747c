/* The stream of a .NET runtime. The first byte says in how large pieces the rest comes. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/plain/clock.h"
#include "ipc/wire.h"
#include "monitor/dotnet/counter_frames.h"
#include "monitor/dotnet/event_order.h"
#include "monitor/dotnet/event_pairs.h"
#include "monitor/dotnet/eventpipe.h"
#include "monitor/dotnet/instruments.h"
#include "monitor/dotnet/nettrace.h"
#include "tests/fuzz/require.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct um_counter_frames *frames;
static struct um_event_order *order;
static struct um_event_pairs *pairs;

/* What is made of a counter goes through the encoder. */
static void make_frames(const struct um_nettrace_counter *counter)
{
    static uint64_t now_ns;
    struct um_wire_frame made[2];
    uint8_t bytes[UM_WIRE_MAX_BYTES];
    size_t len;
    now_ns += counter->time_ns % UM_CLOCK_NS_PER_S;
    size_t count = um_counter_frames_take(frames, counter, now_ns, made);
    require(count <= 2 && (count == 0 || counter->measured));
    for (size_t i = 0; i < count; i++)
        require(um_wire_encode(&made[i], bytes, sizeof bytes, &len) == UM_OK);
}

static void take_counter(void *context, const struct um_nettrace_counter *counter)
{
    (void)context;
    make_frames(counter);
    require(counter->name[0] && memchr(counter->name, 0, sizeof counter->name));
    require(memchr(counter->provider, 0, sizeof counter->provider));
    require(memchr(counter->display, 0, sizeof counter->display));
    require(memchr(counter->unit, 0, sizeof counter->unit));
    require(fabs(counter->value) < INFINITY && fabs(counter->interval_s) < INFINITY);
    require(counter->measured || (counter->count == 0 && counter->value == 0));
}

/* Any event may be one of meters. */
static void read_meters(const struct um_nettrace_event *event)
{
    struct um_nettrace_counter counters[UM_INSTRUMENTS_COUNTERS];
    enum um_instruments_news news;
    size_t count = um_instruments_take(event, "uimon-1", 1, counters, &news);
    require(count <= UM_INSTRUMENTS_COUNTERS);
    for (size_t i = 0; i < count; i++)
        take_counter(NULL, &counters[i]);
}

static void take_event(void *context, const struct um_nettrace_event *event)
{
    (void)context;
    read_meters(event);
    um_event_order_take(order, event);
}

static void take_settled(void *context, uint64_t time_ns)
{
    (void)context;
    um_event_order_settled(order, time_ns);
}

static void take_lost(void *context, uint64_t count)
{
    (void)context;
    require(count > 0 && count <= INT32_MAX);
    um_event_order_lose(order, count);
}

static void take_ordered(void *context, struct um_event *event)
{
    (void)context;
    um_event_pairs_take(pairs, event);
}

static void read_values(const struct um_event *event)
{
    static struct um_event_kind_value values[UM_EVENT_KIND_FIELDS];
    struct um_cursor payload = {.at = event->payload, .end = event->payload + event->len_bytes};
    bool cut = event->payload_bytes > event->len_bytes;
    size_t count = um_event_kind_values(event->kind, &payload, cut, values);
    bool is_all =
        count == event->kind->count && (um_cursor_left(&payload) == 0) == event->kind->whole;
    require(count <= event->kind->count);
    require(cut || event->fits == is_all);
    for (size_t i = 0; i < count; i++) {
        require(memchr(values[i].text, 0, sizeof values[i].text) != NULL);
        require(!values[i].is_number || fabs(values[i].number) < INFINITY);
        require(memchr(event->kind->fields[i].name, 0, UM_EVENT_KIND_NAME_BYTES) != NULL);
    }
}

static void take_pair(void *context, const struct um_event_pair *pair)
{
    struct um_event_pair own = *pair;
    (void)context;
    require(pair->first && !(pair->stop && pair->open));
    read_values(pair->first);
    if (pair->stop)
        read_values(pair->stop);
    um_event_pairs_release(&own);
}

static void decode(struct um_nettrace *nettrace, const uint8_t *data, size_t size)
{
    size_t piece = data[0] ? data[0] : size;
    enum um_status status = UM_OK;
    for (size_t at = 1; at < size && status == UM_OK; at += piece)
        status = um_nettrace_bytes(nettrace, data + at, size - at < piece ? size - at : piece);
    require(status != UM_ERR_PARTIAL);
    um_event_order_settled(order, UINT64_MAX);
    um_event_pairs_end(pairs, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct um_nettrace_taker taker = {
        .counter = take_counter, .event = take_event, .settled = take_settled, .lost = take_lost};
    struct um_nettrace *nettrace = NULL;
    uint64_t session;
    if (size == 0)
        return 0;
    if (um_counter_frames_open(1000, &frames) == UM_OK &&
        um_event_order_open(take_ordered, NULL, &order) == UM_OK &&
        um_event_pairs_open(take_pair, NULL, &pairs) == UM_OK &&
        um_nettrace_open(&taker, &nettrace) == UM_OK)
        decode(nettrace, data, size);
    um_event_pairs_close(pairs);
    um_event_order_close(order);
    um_nettrace_close(nettrace);
    um_counter_frames_close(frames);
    frames = NULL, order = NULL, pairs = NULL;
    um_eventpipe_answer(data, size, &session);
    um_eventpipe_advertised(data, size, &session);
    return 0;
}
