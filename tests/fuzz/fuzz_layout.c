/* Recorded events of XAML, and frames of the hook pipe with the steps of windows, in any order
 * through the layout costs. What is published must be frames that can be sent, each list of a frame
 * names a component at most once for each step, and an end leaves nothing behind.
 *
 * An input is the length of a text, in two bytes, the text, and then steps: a byte each that says
 * what comes next, and what belongs to it. At the end the rest of the text is read. */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/plain/text.h"
#include "monitor/layout/layout.h"
#include "monitor/layout/layout_components.h"
#include "monitor/layout/layout_events.h"
#include "monitor/layout/layout_recorded.h"
#include "monitor/layout/layout_schema.h"
#include "monitor/layout/layout_session.h"
#include "tests/fuzz/require.h"

#define MS UINT64_C(1000000)
#define SLOTS 64
#define THREAD 7

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct um_layout *layout;
static struct um_layout_events *events;
static struct um_ring ring;
static struct um_ring_slot slots[SLOTS];
static struct um_layout_recorded recorded;
static uint64_t now_ns;

static void publish(void *context, const struct um_wire_frame *frame)
{
    uint8_t bytes[UM_WIRE_MAX_BYTES];
    size_t len = 0;
    (void)context;
    require(um_wire_encode(frame, bytes, sizeof bytes, &len) == UM_OK);
}

/* The handle says where the window lies; some are gone, and some lie in themselves. */
static bool describe(void *context, uint64_t window, struct um_layout_window *out)
{
    (void)context;
    *out = (struct um_layout_window){.parent = window & 2 ? window : window >> 4,
                                     .has_children = window & 8};
    um_text_set(out->window_class, sizeof out->window_class, "Pane\x1b[2J\xff");
    return window % 16 != 5;
}

static uint64_t key(void *context, uint64_t address)
{
    (void)context;
    return address;
}

static void take_frame(void *context, const struct um_layout_pair *list, size_t count, bool lost)
{
    static bool seen[UM_LAYOUT_COMPONENTS_IDS][UM_LAYOUT_STEP_COUNT];
    struct um_layout_sum before = um_layout_sum(layout);
    bool within = um_layout_in_frame(layout);
    (void)context;
    require(!lost || count == 0);
    for (size_t i = 0; i < count; i++) {
        require(list[i].tag > 0 && list[i].tag < UM_LAYOUT_COMPONENTS_IDS && list[i].timed);
        require(list[i].step < UM_LAYOUT_STEP_PAINT && !seen[list[i].tag][list[i].step]);
        seen[list[i].tag][list[i].step] = true;
    }
    for (size_t i = 0; i < count; i++)
        seen[list[i].tag][list[i].step] = false;
    um_layout_count(layout, list, count, lost);
    struct um_layout_sum after = um_layout_sum(layout);
    require(within || after.frames + after.lost == before.frames + before.lost + 1);
}

/* Puts up to so many events of the text into the ring. */
static void put_events(size_t count)
{
    struct um_layout_event event, out;
    for (size_t i = 0; i < count; i++) {
        enum um_status status = um_layout_recorded_next(&recorded, &event);
        if (status == UM_ERR_CLOSED)
            return;
        require(status == UM_OK || status == UM_ERR_FORMAT || status == UM_ERR_TOO_LARGE);
        if (status != UM_OK || !um_layout_event_push(&ring, THREAD, &event))
            continue;
        if (i % 16 != 0) /* what goes into an empty ring comes out again */
            continue;
        um_layout_events_drain(events, &ring);
        um_layout_event_push(&ring, THREAD, &event);
        require(um_layout_event_pop(&ring, &out));
        require(out.element == event.element && out.kind == event.kind);
        require(out.time_ns == event.time_ns && isnan(out.left) == isnan(event.left));
        um_layout_events_take(events, &out);
    }
}

static void set_area(const uint8_t bytes[4])
{
    const struct um_layout_area area = {bytes[1], bytes[2], (float)bytes[1] + bytes[3],
                                        (float)bytes[2] + bytes[3]};
    um_layout_events_area(events, bytes[0], bytes[3] ? &area : NULL);
}

/* The sorts of fields are in the first bytes, the event's own bytes are the others. */
static size_t read_schema(const uint8_t *bytes, size_t size)
{
    static const char *const names[] = {"ElementId", "Left", "RenderHeight", "Other"};
    static const char *const sorts[] = {"ArrangeElement/Start", "ArrangeElement/Stop",
                                        "MeasureElement/Begin", "Other/Start"};
    struct um_layout_schema schema;
    struct um_layout_event event;
    size_t fields = bytes[0] % 16 < size ? bytes[0] % 16 : size - 1;
    um_layout_schema_init(&schema, sorts[bytes[0] >> 6]);
    for (size_t i = 1; i <= fields; i++)
        um_layout_schema_add(&schema, names[bytes[i] % 4],
                             bytes[i] == 255 ? UINT32_MAX : (bytes[i] >> 2) % 17, bytes[i] & 128);
    um_layout_event_init(&event, now_ns, THREAD);
    size_t left = size - 1 - fields;
    um_layout_schema_read(&schema, bytes + 1 + fields, left < 64 ? left : 64, &event);
    if (event.element)
        um_layout_events_take(events, &event);
    return 1 + fields;
}

/* Returns how many bytes behind the first were used. */
static size_t step(const uint8_t *bytes, size_t size)
{
    struct um_wire_frame frame;
    size_t used = 0;
    switch (bytes[0] % 8) {
    case 0:
        put_events(bytes[0] / 8);
        break;
    case 1:
        um_layout_events_drain(events, &ring);
        break;
    case 2:
        now_ns += bytes[0] * MS * 16;
        um_layout_tick(layout, now_ns);
        um_layout_events_tick(events, now_ns);
        break;
    case 3:
        if (size < 5)
            return 0;
        set_area(bytes + 1);
        return 4;
    case 4:
        um_layout_finish(layout, now_ns);
        um_layout_attached(layout);
        break;
    case 5:
        return size > 1 ? read_schema(bytes + 1, size - 1) : 0;
    default:
        if (um_wire_decode(bytes + 1, size - 1, &frame, &used) != UM_OK)
            return 0;
        um_layout_take(layout, &frame);
        break;
    }
    return used;
}

static enum um_layout_session_process process(void *context, uint32_t pid)
{
    (void)context;
    return pid % 2 ? UM_LAYOUT_SESSION_DEAD : UM_LAYOUT_SESSION_LIVES;
}

static void end_session(void *context, const char *name)
{
    uint32_t pid = 0;
    (void)context;
    require(um_layout_session_pid(name, &pid) && pid % 2 == 1);
}

static void name_session(const uint8_t *data, size_t size)
{
    static const struct um_layout_session_host host = {NULL, process, end_session};
    char name[UM_LAYOUT_SESSION_BYTES + 8], again[UM_LAYOUT_SESSION_BYTES];
    const char *const names[] = {name};
    uint32_t pid;
    size_t len = size < sizeof name - 1 ? size : sizeof name - 1;
    memcpy(name, data, len);
    name[len] = '\0';
    um_layout_session_end_left(&host, 1, names, 1);
    if (!um_layout_session_pid(name, &pid))
        return;
    um_layout_session_name(pid, again);
    require(strcmp(name, again) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct um_layout_config config = {.publish = publish, .describe = describe, .key = key};
    const struct um_layout_events_config own = {NULL, take_frame};
    if (size < 3)
        return 0;
    size_t len = ((size_t)data[0] | (size_t)data[1] << 8) % (size - 1);
    recorded = (struct um_layout_recorded){.text = (const char *)data + 2, .len_bytes = len};
    name_session(data + 2, len);
    now_ns = 1000 * MS;
    um_ring_init(&ring, slots, SLOTS);
    if (um_layout_open(&config, &layout) != UM_OK || um_layout_events_open(&own, &events) != UM_OK)
        abort();
    um_layout_attached(layout);
    for (uint64_t window = 1; window <= 0x100; window *= 16)
        um_layout_components_of(um_layout_components(layout), window);
    for (size_t at = 2 + len; at < size; at++)
        at += step(data + at, size - at);
    put_events(size);
    um_layout_events_drain(events, &ring);
    um_layout_events_finish(events);
    struct um_layout_sum sum = um_layout_sum(layout);
    um_layout_events_finish(events);
    um_layout_events_tick(events, UINT64_MAX);
    require(sum.frames + sum.lost == um_layout_sum(layout).frames + um_layout_sum(layout).lost);
    um_layout_finish(layout, now_ns);
    um_layout_events_close(events);
    um_layout_close(layout);
    return 0;
}
