/* Any frames of the hook pipe, sightings and arrivals of the control, and times, as a session. What
 * it publishes must be frames that can be sent, its summary must add up, and it must come to its
 * end.
 *
 * An input is one byte of options and then steps. A step is STEP_BYTES; where it brings a frame,
 * that one follows as it is on the pipe. The times in it are moved near the present, because a
 * fuzzer would hardly ever find one. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/plain/text.h"
#include "monitor/layout/layout.h"
#include "monitor/live/marker_frames.h"
#include "monitor/live/own_markers.h"
#include "monitor/live/session.h"
#include "monitor/live/tracer.h"
#include "tests/fuzz/require.h"

#define STEP_BYTES 4
#define WINDOWS 65536 /* that are counted at a time */
#define MS UINT64_C(1000000)
#define START_NS (UINT64_C(1000000) * MS)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct check {
    bool begun; /* a SESSION has come */
    bool ended;
    uint64_t last_id;
    struct um_wire_activity activity; /* the latest one */
};

static void take(void *context, struct um_feed_item *item)
{
    struct check *check = context;
    const struct um_wire_frame *frame = item->frame;
    uint8_t bytes[UM_WIRE_MAX_BYTES];
    struct um_wire_frame again;
    size_t len = 0, used = 0;

    require(!check->ended && um_wire_reach(frame->type) != UM_WIRE_REACH_HOOK);
    require(um_wire_encode(frame, bytes, sizeof bytes, &len) == UM_OK);
    require(um_wire_decode(bytes, len, &again, &used) == UM_OK && used == len);
    check->begun = check->begun || frame->type == UM_WIRE_SESSION;
    check->ended = frame->type == UM_WIRE_END;
    require(check->begun || check->ended); /* there may be nothing to measure */
    if (frame->type == UM_WIRE_POOL) {
        const struct um_wire_pool *pool = &frame->as.pool;
        bool starved = (frame->flags & UM_WIRE_POOL_STARVED) != 0;
        require(pool->time_ns >= pool->start_ns && pool->time_ns >= pool->end_ns);
        require(!starved ||
                (pool->starvation && pool->end_ns == 0 && pool->delay_ns <= pool->peak_ns));
    }
    if (frame->type == UM_WIRE_LAYOUT_COMPONENT) {
        const struct um_wire_layout_component *component = &frame->as.layout_component;
        require(component->authored <= component->rendered && component->rendered <= WINDOWS);
    }
    if (frame->type == UM_WIRE_ACTIVITY) {
        const struct um_wire_activity *now = &frame->as.activity;
        require(now->time_ns > check->activity.time_ns && now->time_ns >= now->since_ns);
        require(now->messages >= check->activity.messages);
        require(now->paints >= check->activity.paints);
        check->activity = *now;
    }
    if (frame->type == UM_WIRE_EPISODE) {
        require(frame->as.episode.start_ns <= frame->as.episode.end_ns);
        require(frame->as.episode.id <= check->last_id + 1);
        if (frame->as.episode.id > check->last_id)
            check->last_id = frame->as.episode.id;
    }
}

static void command(void *context, const struct um_wire_frame *frame)
{
    uint8_t bytes[UM_WIRE_MAX_BYTES];
    size_t len = 0;

    (void)context;
    require(um_wire_encode(frame, bytes, sizeof bytes, &len) == UM_OK);
}

static bool window_class(void *context, uint64_t hwnd, char *buf, size_t cap_bytes)
{
    (void)context;
    um_text_set(buf, cap_bytes, "Edit\x1b[2J\xff");
    return hwnd % 2;
}

static bool message_name(void *context, uint32_t message, char *buf, size_t cap_bytes)
{
    (void)context;
    um_text_set(buf, cap_bytes, "a\nb");
    return message % 2;
}

static void own_cost(void *context, uint64_t *monitor_ns, uint64_t *overlay_ns)
{
    (void)context;
    *monitor_ns = *overlay_ns = MS;
}

/* Where the time of a frame of the hook pipe is: wire.h. */
static void move_near(struct um_wire_frame *frame, uint64_t time_ns)
{
    switch (frame->type) {
    case UM_WIRE_HELLO:
        frame->as.hello.time_ns = time_ns;
        break;
    case UM_WIRE_DRAINED:
        frame->as.drained.time_ns = time_ns;
        break;
    case UM_WIRE_SENT:
        frame->as.sent.time_ns = time_ns;
        frame->as.sent.rested_ns = frame->as.sent.rested_ns ? time_ns - MS : 0;
        break;
    case UM_WIRE_SEEN:
        frame->as.seen.time_ns = time_ns;
        break;
    case UM_WIRE_TAKEN:
        frame->as.taken.time_ns = time_ns;
        break;
    case UM_WIRE_PROBE:
        frame->as.probe.time_ns = time_ns;
        break;
    case UM_WIRE_BYE:
        frame->as.bye.time_ns = time_ns;
        break;
    case UM_WIRE_COST:
        frame->as.cost.time_ns = time_ns;
        break;
    case UM_WIRE_POOL_DELAY:
        frame->as.pool_delay.time_ns = time_ns;
        break;
    case UM_WIRE_COUNTED:
        frame->as.counted.time_ns = time_ns;
        break;
    default:
        break;
    }
}

static struct um_tracer tracer;
static struct um_marker_frames *markers;
static struct um_own_markers *own_markers;
static struct um_layout *layout;

static void publish_added(void *context, const struct um_wire_frame *frame)
{
    um_session_add(context, frame);
}

static uint64_t handler_key(void *context, uint64_t address)
{
    (void)context;
    return address;
}

static bool is_system(void *context, uint64_t module)
{
    (void)context;
    return module & 1;
}

/* The handle says where the window lies; some are gone, and some lie in themselves. */
static bool describe(void *context, uint64_t window, struct um_layout_window *out)
{
    (void)context;
    *out = (struct um_layout_window){.parent = window & 2 ? window : window >> 4,
                                     .has_children = window & 8,
                                     .is_control = window & 1,
                                     .draws_parts = window & 4,
                                     .counts_nowhere = window % 16 == 7};
    um_text_set(out->window_class, sizeof out->window_class, "Pane\x1b[2J\xff");
    um_text_set(out->text, sizeof out->text, "a\nb");
    return window % 16 != 5;
}

/* Anything, also far from any screen. */
static bool locate(void *context, uint64_t window, uint64_t root, struct um_wire_layout_place *out)
{
    (void)context;
    *out = (struct um_wire_layout_place){.left = (int32_t)(window * 0x9e3779b9u),
                                         .top = (int32_t)root,
                                         .width = (uint32_t)(window >> 3),
                                         .height = UINT32_MAX};
    return window & 8;
}

/* The present has moved on; returns how many bytes behind the step were used. */
static size_t step(struct um_session *session, const uint8_t *bytes, size_t size, uint64_t *now_ns)
{
    struct um_target_info target = {.pid = 7, .tid = bytes[2], .hwnd = 9, .bits = 64};
    struct um_arrival arrival = {.time_ns = *now_ns - bytes[1] * MS / 8,
                                 .own_ms = bytes[2] & 15,
                                 .key = bytes[3] & 3,
                                 .kind = bytes[3] % 4,
                                 .release = bytes[2] & 1};
    struct um_wire_frame frame;
    size_t used = 0;

    *now_ns += bytes[2] >= 250 ? (uint64_t)(bytes[2] - 249) * 1000 * MS : bytes[2] * MS / 10;
    switch (bytes[0] % 16) {
    case 0:
        um_session_tick(session, *now_ns);
        um_layout_tick(layout, *now_ns);
        break;
    case 1:
        um_session_control(session, bytes[3], *now_ns - bytes[1] * MS / 8);
        break;
    case 2:
        um_session_arrival(session, &arrival);
        break;
    case 3:
        um_session_arrivals_lost(session, bytes[3]);
        break;
    case 4:
        um_session_shielded(session, bytes[3] & 1);
        break;
    case 5:
        um_session_input(session, *now_ns);
        break;
    case 6:
        um_session_note(session, "mark\x07", *now_ns);
        break;
    case 7:
        if (bytes[3] > 200) {
            um_session_detached(session, *now_ns);
            um_session_target(session, &target);
            um_session_attached(session, *now_ns, *now_ns);
            um_tracer_attached(&tracer);
            um_own_markers_attached(own_markers);
            um_own_markers_ask(own_markers);
            um_layout_attached(layout);
        } else if (um_layout_wants_windows(layout)) {
            um_layout_listed(layout);
        } else {
            um_layout_found(layout, bytes[3]);
            if (bytes[1] & 1)
                um_layout_found_all(layout);
        }
        break;
    default:
        if (um_wire_decode(bytes + STEP_BYTES, size - STEP_BYTES, &frame, &used) != UM_OK)
            return 0;
        if (bytes[1] != 255)
            move_near(&frame, *now_ns - bytes[1] * MS / 8);
        if (frame.type >= UM_WIRE_METHOD && frame.type <= UM_WIRE_METHODS)
            um_session_add(session, &frame);
        um_tracer_take(&tracer, &frame);
        um_own_markers_take(own_markers, &frame, *now_ns);
        um_layout_take(layout, &frame);
        um_session_frame(session, &frame, *now_ns);
        break;
    }
    return used;
}

static void check_summary(const struct um_session *session)
{
    struct um_summary summary;
    uint64_t sum_ns = 0;
    char *json = NULL;

    if (!um_session_summary(session, &summary))
        return;
    for (size_t i = 0; i < UM_STATE_COUNT; i++)
        sum_ns += summary.totals.state_ns[i];
    require(sum_ns == summary.totals.duration_ns);
    require(um_summary_json(&summary, &json) == UM_OK);
    cJSON_free(json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct um_options options = {0};
    struct check check = {0};
    struct um_session *session = NULL;
    uint64_t now_ns = START_NS;
    struct um_target_info target = {.pid = 7, .tid = 8, .hwnd = 9, .bits = 64, .name = "a.exe"};

    if (size < 1)
        return 0;
    options.threshold_ms = 100;
    options.slow_ms = 50;
    options.heartbeat_ms = 10;
    options.rest_heartbeat_ms = data[0] & 1 ? 100 : 10;
    options.interactions = data[0] & 2;
    options.keep_keys = data[0] & 4;
    options.idle_pause_s = data[0] & 8 ? 5 : 0;
    options.threadpool_starved_ms = 100;
    options.probe = data[0] & 16 ? UM_PROBE_AUTO : UM_PROBE_RAW;
    struct um_session_config config = {.options = &options,
                                       .outputs = {{&check, take, NULL}},
                                       .output_count = 1,
                                       .control = data[0] & 32,
                                       .command = command,
                                       .window_class = window_class,
                                       .message_name = message_name,
                                       .own_cost = own_cost};
    require(um_session_open(&config, now_ns, &session) == UM_OK);
    um_session_target(session, &target);
    um_session_attached(session, now_ns, now_ns);
    tracer = (struct um_tracer){.config = {session, publish_added, handler_key, message_name}};
    const struct um_layout_config windows = {session,   publish_added, describe, handler_key,
                                             is_system, NULL,          locate,   NULL};
    require(um_layout_open(&windows, &layout) == UM_OK);
    require(um_marker_frames_open(publish_added, session, &markers) == UM_OK);
    require(um_own_markers_open(markers, command, NULL, &own_markers) == UM_OK);
    um_session_want(session, UM_SESSION_TRACES, data[0] & 32);
    um_session_want(session, UM_SESSION_METHODS, data[0] & 32);
    um_session_want(session, UM_SESSION_POOL, data[0] & 64);
    um_session_want(session, UM_SESSION_COUNTS, data[0] & 128);
    for (size_t at = 1; at + STEP_BYTES <= size;)
        at += STEP_BYTES + step(session, data + at, size - at, &now_ns);
    um_layout_finish(layout, now_ns);
    um_layout_close(layout);
    um_own_markers_detached(own_markers, now_ns);
    um_own_markers_close(own_markers);
    um_marker_frames_turn(markers, now_ns, true);
    um_marker_frames_close(markers);
    um_session_tick(session, now_ns);
    um_session_stop(session, now_ns, UM_END_STOPPED);
    require(check.ended);
    check_summary(session);
    um_session_close(session);
    return 0;
}
