#include "base/plain/bytes.h"
#include "base/plain/text.h"
#include "ipc/names.h"
#include "ipc/wire.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/written_golden.h"

/* The frames of tests/golden/wire_v1.bin, in its order. */
static const struct um_wire_frame golden[] = {
    {.type = UM_WIRE_HELLO,
     .as.hello = {.nonce = {0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7, 0xa8, 0xa9, 0xaa, 0xab,
                            0xac, 0xad, 0xae, 0xaf},
                  .pid = 4711,
                  .tid = 4712,
                  .hwnd = 0x1122334455667788,
                  .time_ns = 1000000001}},
    {.type = UM_WIRE_DRAINED, .as.drained = {.time_ns = 0x0102030405060708, .lost = 3}},
    {.type = UM_WIRE_SENT,
     .as.sent = {.time_ns = 1000000002,
                 .seq = 0x89abcdef,
                 .rested_ns = 999999999,
                 .skipped = 0x76543210,
                 .beat_kind = UM_BEAT_KIND_PAIR,
                 .left_out = 1}},
    {.type = UM_WIRE_SEEN,
     .flags = UM_WIRE_SEEN_MOUSE | UM_WIRE_SEEN_MERGED,
     .as.seen = {.time_ns = 1000300003, .seq = 0x89abcdef}},
    {.type = UM_WIRE_TAKEN,
     .flags = UM_WIRE_TAKEN_INPUT | UM_WIRE_TAKEN_STARTS,
     .as.taken = {.time_ns = 1000300004,
                  .hwnd = 0x20042,
                  .message = 0x100,
                  .age_ms = UM_WIRE_AGE_UNKNOWN,
                  .key = 231,
                  .own_ms = 0xfedcba98,
                  .promoted = 1}},
    {.type = UM_WIRE_PROBE,
     .as.probe = {.time_ns = 1000300005,
                  .probe = UM_PROBE_MOUSE,
                  .status = UM_PROBE_REFUSED,
                  .reason = UM_PROBE_REASON_BLIND,
                  .error = 5,
                  .held = UM_PROBE_HELD_BUTTON}},
    {.type = UM_WIRE_BYE, .as.bye = {.time_ns = 1000300006}},
    {.type = UM_WIRE_COST,
     .as.cost = {.time_ns = 1000300007,
                 .heartbeat_cpu_ns = 11,
                 .sender_cpu_ns = 22,
                 .hook_calls = 33,
                 .timed_calls = 44,
                 .timed_ns = 55}},
    {.type = UM_WIRE_STOP},
    {.type = UM_WIRE_PERIOD, .as.command = {.value = 10000}},
    {.type = UM_WIRE_USE_PROBE, .as.command = {.value = UM_PROBE_RAW}},
    {.type = UM_WIRE_PAUSE, .as.command = {.value = 1}},
    {.type = UM_WIRE_ABANDON, .as.command = {.value = 0xfffffffe}},
    {.type = UM_WIRE_WATCH_INPUT, .as.command = {.value = UM_WATCH_INPUT_KEYS}},
    {.type = UM_WIRE_USE_BEAT_KIND,
     .flags = UM_WIRE_USE_BEAT_KIND_ONCE,
     .as.command = {.value = UM_BEAT_KIND_ZERO}},
    {.type = UM_WIRE_SESSION,
     .as.session = {.start_ns = 1000000000,
                    .utc_ms = 1795262400123,
                    .hwnd = 0x20040,
                    .pid = 4711,
                    .tid = 4712,
                    .period_us = 10000,
                    .threshold_us = 100000,
                    .slow_us = 50000,
                    .bits = 64,
                    .probe = UM_PROBE_RAW,
                    .probe_status = UM_PROBE_ACTIVE,
                    .probe_reason = UM_PROBE_REASON_DEFAULT,
                    .name = "devenv.exe",
                    .title = "\xc3\x9c"
                             "bung \xe2\x80\x93 Visual Studio",
                    .caption = "",
                    .toolkit = "Java"}},
    {.type = UM_WIRE_BEAT,
     .as.beat = {.sent_ns = 1000000002, .latency_ns = 300001, .seq = 0x89abcdef}},
    {.type = UM_WIRE_GAP,
     .as.gap = {.start_ns = 1000300004, .length_ns = 5000000, .hwnd = 0x20042, .message = 0x113}},
    {.type = UM_WIRE_EPISODE,
     .flags = UM_WIRE_EPISODE_END | UM_WIRE_EPISODE_HAS_MESSAGE,
     .as.episode = {.start_ns = 1200100000,
                    .end_ns = 1500300000,
                    .peak_ns = 300200000,
                    .uncertainty_ns = 10000,
                    .slept_ns = 1000000,
                    .hwnd = 0x20042,
                    .id = 7,
                    .message = 0x202,
                    .state = UM_STATE_FROZEN,
                    .window_class = "Button",
                    .message_name = "Queue"}},
    {.type = UM_WIRE_STATUS,
     .flags = UM_WIRE_STATUS_HAS_LATENCY | UM_WIRE_STATUS_HAS_LAG | UM_WIRE_STATUS_HAS_LAST_FREEZE |
              UM_WIRE_STATUS_HAS_TYPING | UM_WIRE_STATUS_TYPING_PAINTED | UM_WIRE_STATUS_HAS_CLICK |
              UM_WIRE_STATUS_CLICK_PAINTED | UM_WIRE_STATUS_HAS_FELT,
     .as.status = {.time_ns = 1600000000,
                   .slice_start_ns = 1600000001,
                   .lag_ns = 1600000002,
                   .slice_worst_ns = 1600000003,
                   .outstanding_ns = 1600000004,
                   .p50_ns = 1600000005,
                   .p99_ns = 1600000006,
                   .last_freeze_ns = 1600000007,
                   .last_freeze_end_ns = 1600000008,
                   .freeze_total_ns = 1600000009,
                   .lost = 1600000010,
                   .over_100 = 101,
                   .over_250 = 102,
                   .over_1000 = 103,
                   .freezes = 104,
                   .state_since_ns = 1600000011,
                   .state = UM_STATE_RESPONSIVE,
                   .typing_p50_ns = 1600000012,
                   .typing_p99_ns = 1600000013,
                   .click_ns = 1600000014,
                   .felt = 105}},
    {.type = UM_WIRE_END, .as.end = {.time_ns = 1700000000, .reason = UM_END_TARGET_GONE}},
    {.type = UM_WIRE_INTERACTION,
     .flags = UM_WIRE_INTERACTION_RELEASE,
     .as.interaction = {.arrival_ns = 1800005377,
                        .dequeued_ns = 1800005378,
                        .handled_ns = 1800005379,
                        .painted_ns = 1800005380,
                        .id = 9,
                        .freeze = 7,
                        .key = 13,
                        .kind = UM_INTERACTION_CLICK}},
    {.type = UM_WIRE_TOTALS,
     .as.totals = {.time_ns = 1800000000,
                   .duration_ns = 800000000,
                   .beats_sent = 471,
                   .beats_seen = 470,
                   .beats_lost = 1,
                   .state_ns = {4097, 4098, 4099, 4100, 4101, 4102, 4096, 4112, 7},
                   .dropped = 4104,
                   .heartbeat_cpu_ns = 4105,
                   .sender_cpu_ns = 4106,
                   .timed_calls = 4107,
                   .timed_ns = 4108,
                   .monitor_cpu_ns = 4109,
                   .overlay_cpu_ns = 4110,
                   .beats_rested = 4111,
                   .observes = 1,
                   .own_beats_ns = 4113}},
    {.type = UM_WIRE_RECORDING,
     .as.recording = {.utc_ms = 1795262400123,
                      .time_ns = 1000000000,
                      .version = "0.1.0",
                      .options = "heartbeat=10\nslow=50"}},
    {.type = UM_WIRE_NOTE, .as.note = {.time_ns = 1800000256, .text = "\xc3\xa4!."}},
    /* added since 0.1.0 */
    {.type = UM_WIRE_REST_PERIOD, .as.command = {.value = 100001}},
    {.type = UM_WIRE_BACKGROUND, .as.command = {.value = UM_BACKGROUND_PAUSE}},
    {.type = UM_WIRE_FULL_RATE, .as.command = {.value = 1001}},
    {.type = UM_WIRE_PACE,
     .as.pace = {.rest_us = 100002, .background_us = 100003, .spared_us = 100004}},
    {.type = UM_WIRE_REST, .as.rest = {.time_ns = 1800000512, .skipped = 9}},
    {.type = UM_WIRE_BEAT_KIND,
     .as.beat_kind = {.time_ns = 1800000512,
                      .kind = UM_BEAT_KIND_PAIR,
                      .shielded = 1,
                      .held = UM_PROBE_HELD_BUTTON}},
    {.type = UM_WIRE_VIEW,
     .as.view = {.hidden = 1,
                 .panel = UM_WIRE_PANEL_PROFILE,
                 .layout = UM_WIRE_LAYOUT_MODE_HEATMAP,
                 .pins = 7,
                 .moved = 1}},
    {.type = UM_WIRE_MAY_SUSPEND, .as.command = {.value = 1, .thread = 4714}},
    {.type = UM_WIRE_STACK,
     .as.stack = {.freeze = 5,
                  .samples = 94,
                  .alike = 87,
                  .interval_us = 10501,
                  .sampled_us = 976593,
                  .user_us = 31250,
                  .kernel_us = 15625,
                  .yours = 3,
                  .unread = 2,
                  .known = 3,
                  .frames = {"a.dll+0x1", "b.exe+0x23"},
                  .stopped = "why",
                  .call = "Wait",
                  .whose = "yours",
                  .headline = "a",
                  .place = "a.c:1",
                  .guessed = "12"}},
    {.type = UM_WIRE_SAMPLING,
     .as.sampling = {.samples = 95,
                     .over_2ms = 3,
                     .total_ns = 40000001,
                     .p50_ns = 400002,
                     .max_ns = 3000003,
                     .interval_ns = 10500004,
                     .withheld_ns = 300000005}},
    {.type = UM_WIRE_POOL_DELAY,
     .flags = UM_WIRE_POOL_DELAY_WAITS,
     .as.pool_delay = {.time_ns = 1900000001, .delay_ns = 1700000002}},
    {.type = UM_WIRE_PROBE_POOL, .as.command = {.value = 1}},
    {.type = UM_WIRE_CODE,
     .as.code = {.address = 0x7ff812345678,
                 .base = 0x7ff812300000,
                 .begin = 0x45600,
                 .end = 0x45700,
                 .unwind = 0x90004}},
    {.type = UM_WIRE_LOOK_UP, .as.look_up = {.address = 0x7ff812345678}},
    {.type = UM_WIRE_POOL,
     .flags = UM_WIRE_POOL_WAITS | UM_WIRE_POOL_STARVED,
     .as.pool = {.time_ns = 1900000003,
                 .delay_ns = 1700000004,
                 .start_ns = 1900000005,
                 .end_ns = 1900000006,
                 .peak_ns = 1700000007,
                 .starvation = 96}},
    {.type = UM_WIRE_LOST, .as.lost = {.time_ns = 9800000001, .frames = 70002}},
    {.type = UM_WIRE_COUNTED,
     .as.counted = {.time_ns = 1900000008, .messages = 4000000009, .paints = 3000000010}},
    {.type = UM_WIRE_COUNT_MESSAGES, .as.command = {.value = 1}},
    {.type = UM_WIRE_ACTIVITY,
     .flags = UM_WIRE_ACTIVITY_PAINTS,
     .as.activity = {.time_ns = 1900000011,
                     .since_ns = 1900000012,
                     .messages = 5000000013,
                     .paints = 6000000014}},
    {.type = UM_WIRE_MODULE,
     .as.module =
         {.number = 3, .timestamp = 0x12345678, .image_bytes = 81920, .path = "C:\\a.dll"}},
    {.type = UM_WIRE_NODES,
     .as.nodes = {.first = 2,
                  .count = 2,
                  .tree = 9,
                  .list = {{.parent = 1, .key = 0x7ff612345678},
                           {.parent = 2, .key = UINT64_C(0x4000000001234)}}}},
    {.type = UM_WIRE_SAMPLE,
     .flags = UM_WIRE_SAMPLE_HAS_CPU,
     .as.sample = {.time_ns = 1800000513,
                   .thread = 4712,
                   .node = 3,
                   .wall_us = 10001,
                   .user_us = 9002,
                   .kernel_us = 503,
                   .absence = 7,
                   .tree = 9,
                   .stopped = 2,
                   .other = 1,
                   .guessed = UINT64_C(0x8000000000000006),
                   .thread_name = "pool"}},
    {.type = UM_WIRE_NAME,
     .as.name = {.key = UINT64_C(0x4000000001234),
                 .displacement = 20,
                 .line = 61,
                 .kind = 1,
                 .name = "parse",
                 .file = "p.c",
                 .line_mark = "~",
                 .extent = "58-70",
                 .module = "17",
                 .checksum = "md5:900150983cd24fb0d6963f7d28e17f72"}},
    {.type = UM_WIRE_PROFILE,
     .as.profile = {.time_ns = 1800000514,
                    .span_ns = 1240000001,
                    .samples = 190,
                    .unread = 4,
                    .scope = UM_WIRE_SCOPE_FREEZE,
                    .forgotten = 11,
                    .by = UM_WIRE_BY_USER,
                    .part = 1,
                    .rows = {{118, 184, 6000, "parse", "a.dll"}, {61, 62, 0, "load", ""}}}},
    {.type = UM_WIRE_RETRIEVED,
     .flags = UM_WIRE_RETRIEVED_LAST,
     .as.retrieved = {.time_ns = 1800000514,
                      .length_ns = 505000001,
                      .hwnd = 0x20042,
                      .message = 0xc123,
                      .freeze = 5,
                      .window_class = "Button",
                      .message_name = "Queue"}},
    {.type = UM_WIRE_TRACE, .as.command = {.value = 1}},
    {.type = UM_WIRE_TRACE_CALL,
     .as.trace_call = {.node = 4,
                       .parent = 3,
                       .handler = 0x7ff612345678,
                       .message = 0x111,
                       .kind = UM_TRACE_RETRIEVED,
                       .window_class = "Edit"}},
    {.type = UM_WIRE_TRACE_TIMES,
     .flags = UM_WIRE_TRACE_HAS_CPU,
     .as.trace_list = {.sum = {.time_ns = 1900000101,
                               .traced_ns = 5000000002,
                               .timed_calls = 703,
                               .timed_ns = 300004,
                               .deeper = 5,
                               .on = 1},
                       .count = 1,
                       .list = {{.node = 4,
                                 .count = 306,
                                 .ended = 305,
                                 .loose = 7,
                                 .wall_ns = 5000000008,
                                 .self_ns = 4000000009,
                                 .cpu_ns = 3000000010}}}},
    {.type = UM_WIRE_TRACED_CALL,
     .as.traced_call = {.tree = 2,
                        .node = 4,
                        .parent = 3,
                        .key = UINT64_C(0x4000000001234),
                        .message = 0xc123,
                        .kind = UM_TRACE_SENT,
                        .window_class = "Edit",
                        .message_name = "Ping"}},
    {.type = UM_WIRE_TRACED_TIMES,
     .as.traced_list = {.tree = 2,
                        .count = 1,
                        .list = {{.node = 4,
                                  .count = 306,
                                  .ended = 305,
                                  .loose = 7,
                                  .wall_ns = 5000000008,
                                  .self_ns = 4000000009,
                                  .cpu_ns = 3000000010}}}},
    {.type = UM_WIRE_TRACING,
     .as.tracing = {.time_ns = 1900000101,
                    .traced_ns = 5000000002,
                    .timed_calls = 703,
                    .timed_ns = 300004,
                    .deeper = 5,
                    .on = 1}},
    {.type = UM_WIRE_COUNTER,
     .as.counter = {.number = 12,
                    .kind = UM_WIRE_COUNTER_INCREMENT,
                    .provider = "System.Runtime",
                    .name = "gc-heap-sz",
                    .display = "GC Heap \u00fc",
                    .unit = "MB"}},
    {.type = UM_WIRE_COUNTER_VALUE,
     .as.counter_value = {.time_ns = 6194967301,
                          .interval_ns = 1000000001,
                          .value = UINT64_C(0x404e600000000000),
                          .min = UINT64_C(0xbff4000000000000),
                          .max = UINT64_C(0x405ee00000000000),
                          .number = 12,
                          .count = 40}},
    {.type = UM_WIRE_WAIT,
     .as.wait = {.freeze = 5,
                 .thread = 4713,
                 .process = 6000,
                 .samples = 86,
                 .kind = UM_WIRE_WAIT_WINDOW,
                 .object = "Edit",
                 .process_name = "o.exe",
                 .function = "work_for_mee"}},
    {.type = UM_WIRE_LAYOUT, .as.command = {.value = 1}},
    {.type = UM_WIRE_LAYOUT_STEPS,
     .as.layout_steps = {.hook_ns = 100001,
                         .inside_ns = 50001,
                         .lost = 5,
                         .count = 1,
                         .list = {{.time_ns = 1900000102,
                                   .window = 0x20042,
                                   .handler = 0x7ff612345678,
                                   .message = 0x83,
                                   .hooked = 0x76543210,
                                   .step = UM_LAYOUT_STEP_PAINT,
                                   .kind = UM_LAYOUT_KIND_END}}}},
    {.type = UM_WIRE_LAYOUT_COMPONENT,
     .as.layout_component = {.id = 9,
                             .parent = 4,
                             .window = 0x20042,
                             .authored = 5,
                             .rendered = 11,
                             .window_class = "Pane",
                             .text = "Lists"}},
    {.type = UM_WIRE_LAYOUT_PLACE,
     .as.layout_place =
         {.id = 9, .left = -16, .top = -70005, .width = 640, .height = 481, .draws_parts = 1}},
    {.type = UM_WIRE_LAYOUT_TIMES,
     .as.layout_times = {.time_ns = 1900000103,
                         .frames = 300,
                         .lost = 6,
                         .count = 1,
                         .list = {{.id = 9,
                                   .frames = 200,
                                   .layout_ns = 100000001,
                                   .own_layout_ns = 48000002,
                                   .measure_ns = 40000003,
                                   .arrange_ns = 59999998,
                                   .paint_ns = 71094020,
                                   .worst_frame_ns = 16113925,
                                   .key = UINT64_C(0x4000000001234),
                                   .message = 5}},
                         .without_end = 263,
                         .without_begin = 520}},
    {.type = UM_WIRE_LAYOUT_METERS,
     .as.layout_meters = {.time_ns = 1900000104,
                          .count = 1,
                          .list = {{.id = 9,
                                    .frame = 299,
                                    .measure_ns = 66785,
                                    .arrange_ns = 132322,
                                    .paint_ns = 197859,
                                    .mean_ns = 263396,
                                    .worst_ns = 328933}}}},
    {.type = UM_WIRE_MARKER_KIND,
     .as.marker_kind = {.number = 4096,
                        .source = UM_MARKER_SOURCE_DOTNET,
                        .count = 2,
                        .list = {{UM_MARKER_FIELD_TERMINATING_FLOW, 1, "task"},
                                 {UM_MARKER_FIELD_NUMBER, 0, "size"}},
                        .name = "Load",
                        .category = "I/O"}},
    {.type = UM_WIRE_MARKER,
     .flags = UM_WIRE_MARKER_INTERVAL | UM_WIRE_MARKER_STACK_BASED | UM_WIRE_MARKER_MORE,
     .as.marker = {.start_ns = 1900000105,
                   .length_ns = 20000106,
                   .kind = 4095,
                   .thread = 4715,
                   .count = 2,
                   .list = {{.value = 0x1122334455667799}, {.text = "a.txt"}}}},
    {.type = UM_WIRE_MARKERS_LOST,
     .as.markers_lost =
         {.time_ns = 1900000107, .lost = 70001, .cut = 302, .source = UM_MARKER_SOURCE_MESSAGE}},
    {.type = UM_WIRE_TRACE_EVENTS,
     .as.trace_events = {.lost = 70002,
                         .count = 1,
                         .list = {{.node = 4,
                                   .begin_ns = 1900000109,
                                   .length_ns = 20000110,
                                   .age_ms = 31,
                                   .loose = 1}}}},
    {.type = UM_WIRE_TRACE_EVENTS_ON, .as.command = {.value = 1}},
    {.type = UM_WIRE_MARK,
     .flags = UM_WIRE_MARK_MORE | UM_WIRE_MARK_CUT,
     .as.mark = {.time_ns = 1900000108,
                 .number = 0x1122334455667799,
                 .thread = 4716,
                 .bytes = 57,
                 .what = UM_MARK_END,
                 .count = 1,
                 .list = {{UM_MARKER_FIELD_FLOW, 0x1122334455667700, "task", "x"}},
                 .name = "Load",
                 .category = "I/O"}},
    {.type = UM_WIRE_MARKS_LOST, .as.marks_lost.lost = 70003},
    {.type = UM_WIRE_MARKS, .as.command = {.value = 131072}},
    {.type = UM_WIRE_METHOD, .as.method = {.method = 4098, .module = "P.dll", .name = "P.Go"}},
    {.type = UM_WIRE_METHOD_CALLS,
     .as.method_calls = {.count = 1,
                         .list = {{.node = 60001,
                                   .parent = 60000,
                                   .method = 4098,
                                   .thread = 4717,
                                   .count = 2692537,
                                   .ended = 2692536,
                                   .wall_ns = 20000111,
                                   .self_ns = 20000112,
                                   .cpu_ns = 20000113}}}},
    {.type = UM_WIRE_METHODS,
     .as.methods = {.time_ns = 1900000114,
                    .traced_ns = 1900000115,
                    .methods = 4099,
                    .threads = 303,
                    .dynamic = 304,
                    .rest = 70004,
                    .depth = UM_METHODS_DEPTH_TIMES,
                    .on = 1,
                    .has_cpu = 1,
                    .rounds = 305,
                    .missed_ns = 1900000118,
                    .unseen = 500002}},
    {.type = UM_WIRE_METHODS_ON, .as.command = {.value = 1}},
    {.type = UM_WIRE_ASKED,
     .as.asked = {.time_ns = 1900000116, .asked_ns = 1900000115, .seq = 0x89abcdee}},
    {.type = UM_WIRE_SPARE, .as.command = {.value = 500001}},
    {.type = UM_WIRE_COSTLIEST,
     .as.costliest = {.length_ns = 817000117,
                      .freeze = 5,
                      .message = 0xc124,
                      .kind = UM_TRACE_RETRIEVED,
                      .window_class = "Editor",
                      .message_name = "Ping"}},
    {.type = UM_WIRE_METHOD_OTHER, .as.method_other.name = "Plugin.Parser"},
    {.type = UM_WIRE_METHOD_UNSEEN,
     .as.method_unseen = {.entry = 9, .name = "Plugn.Parser", .meant = "Plugin.Parser"}},
};

#define GOLDEN_COUNT (sizeof golden / sizeof golden[0])

/* What frames.def says, as tables. */
enum kind {
    KIND_NUMBER,
    KIND_TIME,
    KIND_LENGTH,
    KIND_ENUM,
    KIND_VALUE,
    KIND_RANGE,
    KIND_FINITE,
    KIND_COUNT,
    KIND_REST = KIND_NUMBER,
    KIND_SUM = KIND_NUMBER,
    KIND_SHARE = KIND_NUMBER,
    KIND_STRING = KIND_COUNT + 1,
    KIND_PART,
    KIND_LIST,
    KIND_ADDED,
    KIND_BEGIN
};

struct field {
    enum kind kind;
    const char *name; /* of a begin: of the form */
    const char *type;
    const char *form; /* of a part or list: its form */
    size_t bytes;     /* in the payload */
    size_t times;
    uint64_t least, most;
    size_t at; /* in a spec: where it is in the payload */
};

#define WIDE(kind, type_t) (KIND_##kind == KIND_VALUE ? 1 : sizeof(type_t))
static const struct field fields[] = {
#define BEGIN(form) {KIND_BEGIN, #form, "", "", 0, 0, 0, 0, 0},
#define FIELD(kind, type, name, suffix, times, least, most, form)                                  \
    {KIND_##kind, #name, #type, #form, WIDE(kind, type), times, least, most, 0},
#define END(form)
#define RULE(function)
#define ADDED {KIND_ADDED, "", "", "", 0, 0, 0, 0, 0},
#define COMMAND(number, name, flags, ...) {KIND_BEGIN, #name, "", "", 0, 0, 0, 0, 0}, __VA_ARGS__
#include "ipc/frames.def"
    {KIND_BEGIN, "", "", "", 0, 0, 0, 0, 0}};

static const struct frame {
    uint8_t type;
    uint8_t flags;
    const char *name;
    const char *form;
    const char *says;
} frames[] = {
#define FRAME(number, name, form, flags, late, sent, reach, says)                                  \
    {number, flags, #name, #form, says},
#define COMMAND(number, name, flags, ...) {number, flags, #name, #name, ""},
#include "ipc/frames.def"
};

#define FRAME_COUNT (sizeof frames / sizeof frames[0])

/* A frame's fields, without parts and lists. */
struct spec {
    struct frame frame;
    struct field list[64];
    size_t count;
    size_t payload_bytes; /* with empty strings and lists */
    size_t first_bytes;   /* of those, what an earlier version writes */
    bool has_list;
};

static const struct field *find_form(const char *name)
{
    const struct field *at = fields;
    while (at->kind != KIND_BEGIN || strcmp(at->name, name) != 0)
        at++;
    return at + 1;
}

/* Adds the numbers of a form, or its strings. */
static void add_fields(struct spec *spec, const char *form, bool strings)
{
    for (const struct field *field = find_form(form); field->kind != KIND_BEGIN; field++) {
        spec->has_list = spec->has_list || field->kind == KIND_LIST;
        if (field->kind == KIND_ADDED)
            spec->first_bytes = spec->payload_bytes;
        for (size_t i = 0; i < field->times; i++) {
            if (field->kind == KIND_PART)
                add_fields(spec, field->form, strings);
            else if (field->kind != KIND_LIST && (field->kind == KIND_STRING) == strings) {
                cr_assert(spec->count < 64);
                struct field *added = &spec->list[spec->count++];
                *added = *field;
                added->at = spec->payload_bytes;
                added->bytes = strings ? 2 : field->bytes;
                spec->payload_bytes += added->bytes;
            }
        }
    }
}

static struct spec make_spec(size_t i)
{
    struct spec spec = {.frame = frames[i], .first_bytes = SIZE_MAX};
    add_fields(&spec, frames[i].form, false);
    size_t first_bytes = spec.first_bytes;
    bool number_was_added = first_bytes < spec.payload_bytes;
    add_fields(&spec, frames[i].form, true);
    if (number_was_added)
        spec.first_bytes = first_bytes;
    if (spec.first_bytes > spec.payload_bytes)
        spec.first_bytes = spec.payload_bytes;
    return spec;
}

static void put_number(uint8_t *at, size_t bytes, uint64_t value)
{
    for (size_t i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

/* A frame with the least, or the greatest, of each number, and with empty strings. The parent of a
 * node is always the root. */
static size_t make_frame(const struct spec *spec, bool greatest, uint8_t *buf)
{
    put_number(buf, 2, spec->payload_bytes);
    buf[2] = spec->frame.type;
    buf[3] = greatest ? spec->frame.flags : 0;
    for (size_t i = 0; i < spec->count; i++) {
        const struct field *field = &spec->list[i];
        bool bounded = field->kind == KIND_ENUM || field->kind == KIND_VALUE ||
                       field->kind == KIND_RANGE || field->kind == KIND_COUNT;
        uint64_t most = bounded                          ? field->most
                        : field->kind == KIND_FINITE     ? UINT64_C(0xffefffffffffffff)
                        : field->kind == KIND_STRING     ? 0
                        : !strcmp(field->name, "parent") ? 0
                                                         : UINT64_MAX;
        put_number(buf + UM_WIRE_HEADER_BYTES + field->at, field->bytes,
                   greatest  ? most
                   : bounded ? field->least
                             : 0);
    }
    return UM_WIRE_HEADER_BYTES + spec->payload_bytes;
}

static enum um_status decode(const uint8_t *buf, size_t len_bytes)
{
    struct um_wire_frame frame;
    size_t consumed = 0;
    return um_wire_decode(buf, len_bytes, &frame, &consumed);
}

static enum um_status encode(const struct um_wire_frame *frame)
{
    uint8_t buf[UM_WIRE_MAX_BYTES];
    size_t len_bytes = 0;
    return um_wire_encode(frame, buf, sizeof buf, &len_bytes);
}

/* Encodes into UM_WIRE_MAX_BYTES, and returns how many. */
static size_t encode_whole(const struct um_wire_frame *frame, uint8_t *buf)
{
    size_t len_bytes = 0;
    cr_assert_eq(um_wire_encode(frame, buf, UM_WIRE_MAX_BYTES, &len_bytes), UM_OK, "type %d",
                 frame->type);
    return len_bytes;
}

/* Decodes the first frame of these bytes, and returns how many it has. */
static size_t decode_first(const uint8_t *buf, size_t len_bytes, struct um_wire_frame *frame)
{
    size_t consumed = 0;
    memset(frame, 0x5a, sizeof *frame);
    cr_assert_eq(um_wire_decode(buf, len_bytes, frame, &consumed), UM_OK, "type %d", buf[2]);
    return consumed;
}

/* Encodes and decodes; returns the length. */
static size_t pass(const struct um_wire_frame *frame, struct um_wire_frame *back)
{
    uint8_t buf[UM_WIRE_MAX_BYTES];
    size_t len_bytes = encode_whole(frame, buf);
    cr_assert_eq(decode_first(buf, len_bytes, back), len_bytes);
    return len_bytes;
}

static void assert_encodes_as(const struct um_wire_frame *frame, const uint8_t *bytes, size_t len)
{
    uint8_t again[UM_WIRE_MAX_BYTES];
    cr_assert_eq(encode_whole(frame, again), len);
    cr_assert_arr_eq(again, bytes, len, "type %d", frame->type);
}

Test(wire, golden_file_is_what_its_description_says)
{
    size_t bin_bytes = 0;
    const uint8_t *bin = (const uint8_t *)written_golden("wire_v1.bin", &bin_bytes);
    size_t described = 0;
    const char *at = written_golden("wire_v1.txt", NULL);
    while (*at) {
        if (*at == '#')
            at += strcspn(at, "\n");
        else if (isspace((unsigned char)*at))
            at++;
        else {
            char *end = NULL;
            unsigned long byte = strtoul(at, &end, 16);
            cr_assert_eq(end, at + 2, "no hex byte: %.20s", at);
            cr_assert_lt(described, bin_bytes, "the description is longer");
            cr_assert_eq(bin[described], byte, "byte %zu", described);
            described++;
            at = end;
        }
    }
    cr_assert_eq(described, bin_bytes);
}

/* That the encoder writes each field where it belongs is shown by encodes_the_golden_file, whose
 * fields all differ; so fields that were decoded wrongly would come out as other bytes here. */
Test(wire, decodes_the_golden_file)
{
    size_t len_bytes = 0;
    const uint8_t *bytes = (const uint8_t *)written_golden("wire_v1.bin", &len_bytes);
    size_t at = UM_WIRE_PREAMBLE_BYTES;
    cr_assert_eq(um_wire_check_preamble(bytes, len_bytes), UM_OK);
    for (size_t i = 0; i < GOLDEN_COUNT; i++) {
        struct um_wire_frame frame;
        size_t consumed = decode_first(bytes + at, len_bytes - at, &frame);
        cr_assert_eq(frame.type, golden[i].type);
        cr_assert_eq(frame.flags, golden[i].flags);
        assert_encodes_as(&frame, bytes + at, consumed);
        at += consumed;
    }
    cr_assert_eq(at, len_bytes);
}

/* Numbers that programs of others have from docs/frames.md. They lie in files, too: none may ever
 * change. Where the fields lie is in the golden file. */
static const struct {
    int number, frozen;
} numbers[] = {
    {UM_WIRE_EPISODE_BEGIN, 1},
    {UM_WIRE_EPISODE_END, 2},
    {UM_WIRE_EPISODE_HAS_MESSAGE, 4},
    {UM_WIRE_EPISODE_OPEN, 8},
    {UM_WIRE_EPISODE_VOID, 16},
    {UM_WIRE_SESSION_ANEW, 1},
    {UM_WIRE_BEAT_AT_LEAST, 1},
    {UM_WIRE_INTERACTION_RELEASE, 1},
    {UM_WIRE_STATUS_HAS_LATENCY, 1},
    {UM_WIRE_STATUS_HAS_LAG, 2},
    {UM_WIRE_STATUS_HAS_LAST_FREEZE, 4},
    {UM_WIRE_STATUS_HAS_TYPING, 8},
    {UM_WIRE_STATUS_TYPING_PAINTED, 16},
    {UM_WIRE_STATUS_HAS_CLICK, 32},
    {UM_WIRE_STATUS_CLICK_PAINTED, 64},
    {UM_WIRE_STATUS_HAS_FELT, 128},
    {UM_WIRE_RETRIEVED_LAST, 1},
    {UM_STATE_SUSPENDED, 0},
    {UM_STATE_BLIND, 1},
    {UM_STATE_IDLE, 2},
    {UM_STATE_FROZEN, 3},
    {UM_STATE_STARVED, 4},
    {UM_STATE_SLOW, 5},
    {UM_STATE_RESPONSIVE, 6},
    {UM_PROBE_AUTO, 0},
    {UM_PROBE_RAW, 1},
    {UM_PROBE_MOUSE, 2},
    {UM_BEAT_KIND_AUTO, 0},
    {UM_BEAT_KIND_ZERO, 1},
    {UM_BEAT_KIND_PAIR, 2},
    {UM_PROBE_ACTIVE, 0},
    {UM_PROBE_PAUSED, 1},
    {UM_PROBE_OFF_TARGET, 2},
    {UM_PROBE_REFUSED, 3},
    {UM_PROBE_HELD_NOT, 0},
    {UM_PROBE_HELD_BUTTON, 1},
    {UM_PROBE_HELD_POINTER, 2},
    {UM_PROBE_HELD_NO_PING, 3},
    {UM_PROBE_HELD_ELSEWHERE, 4},
    {UM_PROBE_HELD_UNDELIVERED, 5},
    {UM_PROBE_HELD_FILTERED, 6},
    {UM_PROBE_HELD_REFUSED, 7},
    {UM_PROBE_HELD_DETACHED, 8},
    {UM_PROBE_HELD_LATE, 9},
    {UM_PROBE_HELD_LOSSY, 10},
    {UM_PROBE_HELD_NO_ANSWER, 11},
    {UM_PROBE_HELD_NO_ANSWER_YET, 12},
    {UM_PROBE_REASON_ASKED, 0},
    {UM_PROBE_REASON_DEFAULT, 1},
    {UM_PROBE_REASON_TARGET_RAW, 2},
    {UM_PROBE_REASON_NO_SINK, 3},
    {UM_PROBE_REASON_BLIND, 4},
    {UM_BACKGROUND_REST, 0},
    {UM_BACKGROUND_FULL, 1},
    {UM_BACKGROUND_PAUSE, 2},
    {UM_INTERACTION_KEY, 0},
    {UM_INTERACTION_CLICK, 1},
    {UM_INTERACTION_WHEEL, 2},
    {UM_END_STOPPED, 0},
    {UM_END_TARGET_GONE, 1},
    {UM_END_FAILED, 2},
    {UM_LAYOUT_STEP_MEASURE, 0},
    {UM_LAYOUT_STEP_ARRANGE, 1},
    {UM_LAYOUT_STEP_PAINT, 2},
    {UM_LAYOUT_KIND_BEGIN, 0},
    {UM_LAYOUT_KIND_END, 1},
    {UM_LAYOUT_KIND_CYCLE, 2},
    {UM_LAYOUT_KIND_CREATED, 3},
    {UM_LAYOUT_KIND_DESTROYED, 4},
    {UM_WIRE_MARKER_INTERVAL, 1},
    {UM_WIRE_MARKER_STACK_BASED, 2},
    {UM_WIRE_MARKER_OPEN, 4},
    {UM_WIRE_MARKER_MORE, 8},
    {UM_MARKER_SOURCE_PROGRAM, 0},
    {UM_MARKER_SOURCE_MESSAGE, 1},
    {UM_MARKER_SOURCE_DOTNET, 2},
    {UM_MARKER_FIELD_TEXT, 0},
    {UM_MARKER_FIELD_NUMBER, 1},
    {UM_MARKER_FIELD_FLOW, 2},
    {UM_MARKER_FIELD_TERMINATING_FLOW, 3},
    {UM_MARKER_FIELD_FLOW_TEXT, 4},
    {UM_MARKER_FIELD_TERMINATING_FLOW_TEXT, 5},
};

Test(wire, flags_and_values_keep_their_numbers)
{
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        cr_expect_eq(numbers[i].number, numbers[i].frozen, "number %zu is %d", i,
                     numbers[i].number);
}

/* Every type that the decoder knows, found by asking it, is in the golden file: so its number and
 * its fields are frozen. STOP has no payload that could be too short. */
Test(wire, golden_file_has_every_type)
{
    for (unsigned type = 0; type < 256; type++) {
        const uint8_t empty[UM_WIRE_HEADER_BYTES] = {0, 0, (uint8_t)type, 0};
        struct um_wire_frame frame;
        size_t consumed, i = 0;
        bool known = um_wire_decode(empty, sizeof empty, &frame, &consumed) != UM_OK;
        while (i < GOLDEN_COUNT && golden[i].type != type)
            i++;
        cr_expect_eq((known || type == UM_WIRE_STOP), (i < GOLDEN_COUNT), "type %u", type);
    }
}

/* Forms that lie in others. */
static const char *const parts[] = {"node",         "trace_times",  "profile_row", "layout_cost",
                                    "layout_meter", "marker_field", "marker_value"};

/* "8 u64 start_ns, …", with the offsets that are fixed. */
static void describe(const char *form, FILE *out)
{
    const char *comma = "";
    size_t at = 0;
    for (const struct field *field = find_form(form); field->kind != KIND_BEGIN; field++) {
        int letters = (int)strcspn(field->type, "0123456789");
        char shape[64];
        if (field->kind == KIND_ADDED)
            continue;
        if (field->kind == KIND_STRING)
            snprintf(shape, sizeof shape, "string");
        else if (field->kind == KIND_PART || field->kind == KIND_LIST)
            snprintf(shape, sizeof shape, "%s", field->form);
        else
            snprintf(shape, sizeof shape, "%c%zu", letters == 3 ? 'i' : 'u', 8 * field->bytes);
        fputs(comma, out);
        if (at != SIZE_MAX)
            fprintf(out, "%zu ", at);
        fprintf(out, "%s `%s`", shape, field->name);
        if (field->kind == KIND_LIST)
            fputs("[]", out);
        else if (field->times > 1)
            fprintf(out, "[%zu]", field->times);
        bool fixed =
            field->kind != KIND_STRING && field->kind != KIND_LIST && field->kind != KIND_PART;
        at = fixed && at != SIZE_MAX ? at + field->bytes * field->times : SIZE_MAX;
        comma = ", ";
    }
}

/* The tables of docs/frames.md: every frame of a feed, and its fields. */
static char *make_page(void)
{
    FILE *out = written_open();
    for (int fields_too = 0; fields_too < 2; fields_too++) {
        fputs(fields_too ? "| frame | its payload |\n| --- | --- |\n"
                         : "| type | frame | what it says |\n| --- | --- | --- |\n",
              out);
        for (int type = 0; type < UM_WIRE_TYPES; type++)
            for (size_t i = 0; i < FRAME_COUNT; i++) {
                if (frames[i].type != type || frames[i].says[0] == '\0')
                    continue;
                if (!fields_too)
                    fprintf(out, "| %d | %s | %s |\n", type, frames[i].name, frames[i].says);
                else {
                    fprintf(out, "| %s | ", frames[i].name);
                    describe(frames[i].form, out);
                    fputs(" |\n", out);
                }
            }
        if (fields_too)
            for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
                fprintf(out, "| %s | ", parts[i]);
                describe(parts[i], out);
                fputs(" |\n", out);
            }
        fputs(fields_too ? "" : "\n", out);
    }
    return written_read(out, NULL);
}

/* When this fails, the tables of the page are to be replaced by what it prints. */
Test(wire, page_about_the_feed_has_the_tables_of_frames_def)
{
    const char *page = written_file(UM_SOURCE_DIR "/docs/frames.md", NULL);
    char *expected = make_page();
    char *second = strstr(expected, "\n\n") + 2;
    second[-1] = '\0';
    if (!strstr(page, expected) || !strstr(page, second))
        printf("%s\n%s", expected, second);
    cr_expect(strstr(page, expected) != NULL, "its frames");
    cr_expect(strstr(page, second) != NULL, "their fields");
}

/* Whether 0.1.0 had this type. */
static int is_first(uint8_t type)
{
    bool added_command = type >= UM_WIRE_USE_BEAT_KIND && type < UM_WIRE_SESSION;
    bool added_report = type >= UM_WIRE_POOL_DELAY && type < UM_WIRE_STOP;
    return !added_command && !added_report && type <= UM_WIRE_NOTE;
}

/* Takes the fields away that 0.1.0 did not have. */
static void forget_added(struct um_wire_frame *frame)
{
    if (frame->type == UM_WIRE_TAKEN) {
        frame->as.taken.own_ms = 0;
        frame->as.taken.promoted = 0;
    }
    if (frame->type == UM_WIRE_SENT) {
        frame->as.sent.rested_ns = 0;
        frame->as.sent.skipped = 0;
        frame->as.sent.beat_kind = UM_BEAT_KIND_AUTO;
        frame->as.sent.left_out = 0;
    }
    if (frame->type == UM_WIRE_SAMPLING)
        frame->as.sampling.withheld_ns = 0;
    if (frame->type == UM_WIRE_PROBE)
        frame->as.probe.held = UM_PROBE_HELD_NOT;
    if (frame->type == UM_WIRE_TOTALS) {
        frame->as.totals.beats_rested = frame->as.totals.observes =
            frame->as.totals.state_ns[UM_STATE_OWN_BEAT] = frame->as.totals.own_beats_ns = 0;
        frame->as.totals.state_ns[UM_STATE_RESPONSIVE] +=
            frame->as.totals.state_ns[UM_STATE_UNKNOWN]; /* the number that stands in old bytes */
        frame->as.totals.state_ns[UM_STATE_UNKNOWN] = 0;
    }
    if (frame->type == UM_WIRE_STATUS) {
        frame->flags &= (uint8_t)~UM_WIRE_STATUS_HAS_FELT;
        frame->as.status.felt = 0;
    }
    if (frame->type == UM_WIRE_SESSION)
        frame->as.session.toolkit[0] = '\0';
    if (frame->type == UM_WIRE_EPISODE)
        frame->as.episode.message_name[0] = '\0';
}

/* The file as 0.1.0 wrote it. */
Test(wire, decodes_what_0_1_0_wrote)
{
    size_t len_bytes = 0;
    const uint8_t *bytes = (const uint8_t *)written_golden("wire_v1_0.1.0.bin", &len_bytes);
    size_t at = UM_WIRE_PREAMBLE_BYTES;
    for (size_t i = 0; i < GOLDEN_COUNT; i++) {
        struct um_wire_frame expected = golden[i];
        struct um_wire_frame frame;
        if (!is_first(expected.type))
            continue;
        uint8_t wanted[UM_WIRE_MAX_BYTES];
        forget_added(&expected);
        at += decode_first(bytes + at, len_bytes - at, &frame);
        assert_encodes_as(&frame, wanted, encode_whole(&expected, wanted));
    }
    cr_assert_eq(at, len_bytes);
}

Test(wire, encodes_the_golden_file)
{
    size_t len_bytes = 0;
    const uint8_t *bytes = (const uint8_t *)written_golden("wire_v1.bin", &len_bytes);
    uint8_t made[4096 + UM_WIRE_MAX_BYTES];
    size_t at = UM_WIRE_PREAMBLE_BYTES;
    um_wire_put_preamble(made);
    for (size_t i = 0; i < GOLDEN_COUNT; i++)
        at += encode_whole(&golden[i], made + at);
    cr_assert_eq(at, len_bytes);
    cr_assert_arr_eq(made, bytes, at);
}

Test(wire, round_trips_every_type_at_its_extremes)
{
    for (size_t i = 0; i < 2 * FRAME_COUNT; i++) {
        uint8_t buf[UM_WIRE_MAX_BYTES];
        struct um_wire_frame frame;
        struct spec spec = make_spec(i / 2);
        size_t len_bytes = make_frame(&spec, i % 2, buf);
        if (spec.has_list)
            continue;
        cr_assert_eq(decode_first(buf, len_bytes, &frame), len_bytes);
        assert_encodes_as(&frame, buf, len_bytes);
    }
}

Test(wire, truncated_frame_is_partial_at_every_byte)
{
    size_t len_bytes = 0;
    const uint8_t *bytes = (const uint8_t *)written_golden("wire_v1.bin", &len_bytes);
    for (size_t at = UM_WIRE_PREAMBLE_BYTES; at < len_bytes;) {
        struct um_wire_frame frame;
        size_t whole = UM_WIRE_HEADER_BYTES + bytes[at];
        for (size_t cut = 0; cut < whole; cut++) {
            size_t consumed = 99;
            /* A copy of its exact size lets the address sanitizer see a read beyond it. */
            uint8_t *copy = malloc(cut ? cut : 1);
            memcpy(copy, bytes + at, cut);
            memset(&frame, 0x5a, sizeof frame);
            cr_assert_eq(um_wire_decode(copy, cut, &frame, &consumed), UM_ERR_PARTIAL);
            cr_assert(consumed == 99 && frame.type == 0x5a, "a failure changed its results");
            free(copy);
        }
        at += whole;
    }
}

Test(wire, skips_an_unknown_type_by_its_length)
{
    static const uint8_t unknown[] = {0, 14, 46, 95, 200, 255};
    for (size_t i = 0; i < sizeof unknown; i++) {
        const uint8_t buf[] = {3, 0, unknown[i], 0xff, 1, 2, 3, 0, 0, UM_WIRE_STOP, 0};
        struct um_wire_frame frame;
        cr_assert_eq(decode_first(buf, sizeof buf, &frame), 7);
        cr_assert_eq(frame.type, unknown[i]);
        cr_assert_eq(frame.flags, 0);
        decode_first(buf + 7, sizeof buf - 7, &frame);
        cr_assert_eq(frame.type, UM_WIRE_STOP);
    }
}

Test(wire, refuses_unknown_flags)
{
    for (size_t i = 0; i < FRAME_COUNT; i++) {
        uint8_t buf[UM_WIRE_MAX_BYTES];
        struct spec spec = make_spec(i);
        size_t len_bytes = make_frame(&spec, false, buf);
        for (int bit = 0; bit < 8; bit++) {
            bool known = spec.frame.flags >> bit & 1;
            buf[3] = (uint8_t)(1 << bit);
            if (!known || !spec.has_list)
                cr_assert_eq(decode(buf, len_bytes), known ? UM_OK : UM_ERR_FORMAT, "%s flag %d",
                             spec.frame.name, 1 << bit);
        }
    }
}

Test(wire, refuses_an_oversized_length)
{
    uint8_t buf[2048] = {0};
    buf[2] = 200;
    buf[0] = UM_WIRE_MAX_PAYLOAD & 0xff;
    buf[1] = UM_WIRE_MAX_PAYLOAD >> 8;
    cr_assert_eq(decode(buf, sizeof buf), UM_OK);
    buf[0]++;
    cr_assert_eq(decode(buf, sizeof buf), UM_ERR_TOO_LARGE);
    /* The length is judged before anybody waits for that many bytes. */
    cr_assert_eq(decode(buf, UM_WIRE_HEADER_BYTES), UM_ERR_TOO_LARGE);
}

Test(wire, refuses_a_payload_shorter_than_that_of_the_first_version)
{
    for (size_t i = 0; i < FRAME_COUNT; i++) {
        uint8_t buf[UM_WIRE_MAX_BYTES];
        struct spec spec = make_spec(i);
        size_t len_bytes = make_frame(&spec, false, buf);
        for (size_t bytes = 0; bytes < spec.first_bytes; bytes++) {
            put_number(buf, 2, bytes);
            cr_assert_eq(decode(buf, len_bytes), UM_ERR_FORMAT, "%s", spec.frame.name);
        }
        put_number(buf, 2, spec.first_bytes);
        if (!spec.has_list)
            cr_assert_eq(decode(buf, len_bytes), UM_OK, "%s", spec.frame.name);
    }
}

Test(wire, accepts_a_longer_payload)
{
    for (size_t i = 0; i < FRAME_COUNT; i++) {
        uint8_t buf[UM_WIRE_MAX_BYTES];
        struct um_wire_frame frame;
        struct spec spec = make_spec(i);
        size_t len_bytes = make_frame(&spec, false, buf);
        put_number(buf, 2, spec.payload_bytes + 5);
        memset(buf + len_bytes, 0xee, 5);
        if (spec.has_list)
            continue;
        cr_assert_eq(decode_first(buf, len_bytes + 5, &frame), len_bytes + 5);
        cr_assert_eq(frame.type, spec.frame.type);
    }
}

/* Puts a number into each bounded field of each frame in turn, and calls `check` with the rest of
 * the frame at its least. A list's count is tested with the lists. */
static void with_each(bool (*wanted)(const struct field *field),
                      void (*check)(const struct spec *spec, const struct field *field,
                                    uint8_t *buf, size_t len_bytes))
{
    uint8_t buf[UM_WIRE_MAX_BYTES];
    for (size_t i = 0; i < FRAME_COUNT; i++) {
        struct spec spec = make_spec(i);
        for (size_t k = 0; k < spec.count && !spec.has_list; k++)
            if (wanted(&spec.list[k]))
                check(&spec, &spec.list[k], buf, make_frame(&spec, false, buf));
    }
}

static bool is_enum(const struct field *field)
{
    return field->kind == KIND_ENUM || field->kind == KIND_VALUE;
}

static bool is_range(const struct field *field)
{
    return field->kind == KIND_RANGE;
}

static bool is_string(const struct field *field)
{
    return field->kind == KIND_STRING;
}

/* Nobody carries out a command that is not known, and all else that a frame says still holds. */
static void check_later(const struct spec *spec, const struct field *field, uint8_t *buf,
                        size_t len_bytes)
{
    const uint64_t values[] = {field->most + 1, 254, 255};
    for (size_t i = 0; i < 3; i++) {
        struct um_wire_frame frame;
        size_t consumed;
        uint8_t *at = buf + UM_WIRE_HEADER_BYTES + field->at;
        put_number(at, field->bytes, values[i]);
        cr_assert_eq(um_wire_decode(buf, len_bytes, &frame, &consumed), UM_OK, "%s.%s is %d",
                     spec->frame.name, field->name, (int)values[i]);
        cr_assert_eq(consumed, len_bytes);
        if (field->kind == KIND_VALUE) {
            cr_assert(frame.type == UM_WIRE_UNKNOWN && frame.flags == 0, "%s", spec->frame.name);
            continue;
        }
        put_number(at, field->bytes, UM_WIRE_UNKNOWN);
        assert_encodes_as(&frame, buf, len_bytes);
    }
}

Test(wire, decodes_a_later_value_of_each_enumeration_as_unknown)
{
    with_each(is_enum, check_later);
}

static void check_range(const struct spec *spec, const struct field *field, uint8_t *buf,
                        size_t len_bytes)
{
    uint8_t *at = buf + UM_WIRE_HEADER_BYTES + field->at;
    uint64_t greatest = field->bytes == 1 ? UINT8_MAX : UINT32_MAX;
    const uint64_t values[] = {0, field->least, field->most, field->most + 1, greatest};
    for (size_t i = 0; i < 5; i++) {
        bool fits = values[i] >= field->least && values[i] <= field->most;
        put_number(at, field->bytes, values[i]);
        cr_assert_eq(decode(buf, len_bytes), fits || values[i] > greatest ? UM_OK : UM_ERR_FORMAT,
                     "%s.%s", spec->frame.name, field->name);
    }
}

Test(wire, refuses_numbers_out_of_their_range)
{
    with_each(is_range, check_range);
}

static void check_string(const struct spec *spec, const struct field *field, uint8_t *buf,
                         size_t len_bytes)
{
    /* One byte more than all that follows, so that the strings after it do not matter. */
    const uint64_t lengths[] = {spec->payload_bytes - field->at - 2 + 1, UINT16_MAX};
    for (size_t i = 0; i < 2; i++) {
        put_number(buf + UM_WIRE_HEADER_BYTES + field->at, 2, lengths[i]);
        cr_assert_eq(decode(buf, len_bytes), UM_ERR_FORMAT, "%s", spec->frame.name);
    }
}

Test(wire, refuses_a_string_that_leaves_its_payload)
{
    with_each(is_string, check_string);
}

/* A NODES of as many nodes as there may be, each the child of the one before. */
static size_t make_nodes(uint8_t *buf, uint32_t first, uint32_t count)
{
    uint8_t *payload = buf + UM_WIRE_HEADER_BYTES;
    size_t payload_bytes = 12 + 12 * (size_t)count;
    put_number(buf, 2, payload_bytes);
    put_number(buf + 2, 2, 53);
    put_number(payload, 4, first);
    put_number(payload + 4, 4, count);
    put_number(payload + 8, 4, 0);
    for (uint32_t i = 0; i < count; i++) {
        put_number(payload + 12 + 12 * i, 4, first + i - 1);
        memset(payload + 16 + 12 * i, (int)i, 8);
    }
    return UM_WIRE_HEADER_BYTES + payload_bytes;
}

Test(wire, nodes_come_behind_their_parents)
{
    uint8_t buf[UM_WIRE_MAX_BYTES + 64];
    struct um_wire_frame frame;
    size_t len_bytes = make_nodes(buf, 2, 80);
    decode_first(buf, len_bytes, &frame);
    cr_assert_eq(frame.as.nodes.list[79].key, UINT64_C(0x4f4f4f4f4f4f4f4f));
    assert_encodes_as(&frame, buf, len_bytes);
    put_number(buf + UM_WIRE_HEADER_BYTES + 12 + 12 * 41, 4, 43);
    cr_expect_eq(decode(buf, len_bytes), UM_ERR_FORMAT, "a node is its own parent");
    len_bytes = make_nodes(buf, 1, 3);
    cr_expect_eq(decode(buf, len_bytes), UM_ERR_FORMAT, "node 1 has no address");
    len_bytes = make_nodes(buf, 2, 0);
    cr_expect_eq(decode(buf, len_bytes), UM_ERR_FORMAT, "there is none");
    len_bytes = make_nodes(buf, 2, 81);
    cr_expect_eq(decode(buf, len_bytes), UM_ERR_FORMAT, "there are too many");
    len_bytes = make_nodes(buf, UINT32_MAX - 2, 3);
    cr_expect_eq(decode(buf, len_bytes), UM_ERR_FORMAT, "the numbers go round");
    len_bytes = make_nodes(buf, 2, 80);
    put_number(buf + UM_WIRE_HEADER_BYTES + 4, 4, 79);
    cr_expect_eq(decode(buf, len_bytes), UM_OK, "later versions may add to it");
    buf[0]--;
    put_number(buf + UM_WIRE_HEADER_BYTES + 4, 4, 80);
    cr_expect_eq(decode(buf, len_bytes), UM_ERR_FORMAT, "the last one is cut");
    frame.as.nodes.count = 81;
    cr_expect_neq(encode(&frame), UM_OK);
}

/* The strings of a list's elements come before those behind the list. */
Test(wire, a_list_of_forms_with_strings_may_be_full_or_empty)
{
    struct um_wire_frame frame = {.type = UM_WIRE_MARKER_KIND, .as.marker_kind.number = 7}, back;
    struct um_wire_marker_kind *kind = &frame.as.marker_kind;
    memset(kind->name, 'n', sizeof kind->name - 1);
    memset(kind->category, 'c', sizeof kind->category - 1);
    cr_assert_eq(pass(&frame, &back), 4 + 6 + 2 * 65);
    cr_expect_str_eq(back.as.marker_kind.name, kind->name);
    kind->count = UM_WIRE_MARKER_FIELDS;
    for (size_t i = 0; i < UM_WIRE_MARKER_FIELDS; i++)
        memset(kind->list[i].name, (int)('a' + i), sizeof kind->list[i].name - 1);
    cr_assert_eq(pass(&frame, &back), 4 + 6 + 13 * 67 + 2 * 65);
    for (size_t i = 0; i < UM_WIRE_MARKER_FIELDS; i++)
        cr_expect_str_eq(back.as.marker_kind.list[i].name, kind->list[i].name);
    cr_expect_str_eq(back.as.marker_kind.name, kind->name);
    cr_expect_str_eq(back.as.marker_kind.category, kind->category);
}

Test(wire, a_list_of_forms_with_strings_does_not_leave_its_payload)
{
    struct um_wire_frame frame = {.type = UM_WIRE_MARKER,
                                  .as.marker = {.kind = 1, .count = UM_WIRE_MARKER_VALUES}};
    uint8_t buf[UM_WIRE_MAX_BYTES];
    for (size_t i = 0; i < UM_WIRE_MARKER_VALUES; i++)
        memset(frame.as.marker.list[i].text, 't', UM_WIRE_MARKER_TEXT_BYTES - 1);
    size_t len_bytes = encode_whole(&frame, buf);
    cr_assert_eq(len_bytes, 4 + 25 + 7 * (8 + 129));
    for (size_t cut = 1; cut < len_bytes - 4; cut++) {
        put_number(buf, 2, len_bytes - 4 - cut);
        cr_assert_eq(decode(buf, len_bytes), UM_ERR_FORMAT, "%zu bytes less", cut);
    }
    put_number(buf, 2, len_bytes - 4);
    put_number(buf + 4 + 24, 1, UM_WIRE_MARKER_VALUES + 1);
    cr_expect_eq(decode(buf, len_bytes), UM_ERR_FORMAT, "there are too many");
}

/* Decodes an EPISODE whose window class is `text`, and returns what arrives. */
static const char *pass_class(const char *text, size_t text_bytes)
{
    static struct um_wire_frame frame;
    uint8_t buf[UM_WIRE_MAX_BYTES] = {0};
    put_number(buf, 2, 59 + text_bytes);
    buf[2] = UM_WIRE_EPISODE;
    put_number(buf + UM_WIRE_HEADER_BYTES + 57, 2, text_bytes);
    memcpy(buf + UM_WIRE_HEADER_BYTES + 59, text, text_bytes);
    decode_first(buf, UM_WIRE_HEADER_BYTES + 59 + text_bytes, &frame);
    return frame.as.episode.window_class;
}

Test(wire, cuts_a_long_string_to_its_field)
{
    char text[500];
    memset(text, 'a', sizeof text);
    cr_assert_eq(strlen(pass_class(text, 127)), 127);
    cr_assert_eq(strlen(pass_class(text, 128)), 127);
    cr_assert_eq(strlen(pass_class(text, sizeof text)), 127);
}

Test(wire, cuts_a_string_at_a_characters_end)
{
    static const char *const characters[] = {"\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80"};
    for (size_t c = 0; c < 3; c++) {
        size_t size = strlen(characters[c]);
        for (size_t before = 120; before < 127; before++) {
            char text[140];
            memset(text, 'a', before);
            memcpy(text + before, characters[c], size);
            memset(text + before + size, 'b', sizeof text - before - size);
            size_t expected = before + size <= 127 ? 127 : before;
            cr_assert_eq(strlen(pass_class(text, sizeof text)), expected, "%zu at %zu", size,
                         before);
        }
    }
}

Test(wire, puts_a_question_mark_for_what_is_not_utf8)
{
    static const struct {
        const char *text;
        const char *expected;
    } cases[] = {
        {"a\x80z", "a?z"},                       /* a continuation alone */
        {"\xc0\xaf", "??"},                      /* overlong */
        {"\xe0\x80\x80", "???"},                 /* overlong */
        {"\xf0\x8f\xbf\xbf", "????"},            /* overlong */
        {"\xed\xa0\x80", "???"},                 /* a surrogate */
        {"\xf4\x90\x80\x80", "????"},            /* beyond U+10FFFF */
        {"\xfe\xff", "??"},                      /* never in UTF-8 */
        {"\xe2\x82", "??"},                      /* cut off by the text's end */
        {"\xe2\x82z", "??z"},                    /* cut off by another character */
        {"\xed\x9f\xbf", "\xed\x9f\xbf"},        /* the last before the surrogates */
        {"\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf"} /* U+10FFFF */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        cr_assert_str_eq(pass_class(cases[i].text, strlen(cases[i].text)), cases[i].expected);
}

Test(wire, ends_a_string_at_a_nul)
{
    cr_assert_str_eq(pass_class("ab\0cd", 5), "ab");
}

Test(wire, round_trips_the_longest_strings)
{
    struct um_wire_frame frame = {.type = UM_WIRE_SESSION};
    struct um_wire_frame back;
    memset(frame.as.session.name, 'n', sizeof frame.as.session.name - 1);
    memset(frame.as.session.title, 't', sizeof frame.as.session.title - 1);
    memset(frame.as.session.caption, 'c', sizeof frame.as.session.caption - 1);
    memset(frame.as.session.toolkit, 'k', sizeof frame.as.session.toolkit - 1);
    cr_assert_eq(pass(&frame, &back), 4 + 56 + 127 + 255 + 255 + 31);
    cr_assert_str_eq(back.as.session.name, frame.as.session.name);
    cr_assert_str_eq(back.as.session.title, frame.as.session.title);
    cr_assert_str_eq(back.as.session.caption, frame.as.session.caption);
    cr_assert_str_eq(back.as.session.toolkit, frame.as.session.toolkit);
}

Test(wire, round_trips_a_recordings_longest_strings_and_earliest_time)
{
    struct um_wire_frame frame = {.type = UM_WIRE_RECORDING, .as.recording.utc_ms = INT64_MIN};
    struct um_wire_frame back;
    memset(frame.as.recording.version, 'v', sizeof frame.as.recording.version);
    memset(frame.as.recording.options, 'o', sizeof frame.as.recording.options);
    cr_assert_eq(pass(&frame, &back), 4 + 20 + 31 + 639);
    cr_assert_eq(back.as.recording.utc_ms, INT64_MIN);
    cr_assert_eq(strlen(back.as.recording.version), 31);
    cr_assert_eq(strspn(back.as.recording.options, "o"), 639);
}

Test(wire, encodes_a_field_without_nul_cut)
{
    struct um_wire_frame frame = {.type = UM_WIRE_EPISODE};
    struct um_wire_frame back;
    memset(frame.as.episode.window_class, 'w', sizeof frame.as.episode.window_class);
    memset(frame.as.episode.message_name, 'm', sizeof frame.as.episode.message_name);
    cr_assert_eq(pass(&frame, &back), 4 + 61 + 127 + 63);
}

Test(wire, encode_needs_exactly_the_frames_bytes)
{
    for (size_t i = 0; i < GOLDEN_COUNT; i++) {
        uint8_t whole[UM_WIRE_MAX_BYTES];
        size_t len_bytes = encode_whole(&golden[i], whole);
        size_t kept = 99;
        uint8_t *exact = malloc(len_bytes);
        cr_assert_eq(um_wire_encode(&golden[i], exact, len_bytes, &kept), UM_OK);
        cr_assert_eq(kept, len_bytes);
        kept = 99;
        for (size_t cap = 0; cap < len_bytes; cap++)
            cr_assert_eq(um_wire_encode(&golden[i], exact, cap, &kept), UM_ERR_TOO_LARGE);
        cr_assert_eq(kept, 99);
        free(exact);
    }
}

Test(wire, encode_refuses_what_a_decoder_would)
{
    const struct um_wire_frame refused[] = {
        {.type = 0},
        {.type = 14},
        {.type = 46},
        {.type = 255},
        {.type = UM_WIRE_SENT, .flags = 1},
        {.type = UM_WIRE_SEEN, .flags = 8},
        {.type = UM_WIRE_SENT, .as.sent.beat_kind = UM_BEAT_KIND_COUNT},
        {.type = UM_WIRE_SENT, .as.sent.left_out = 2},
        {.type = UM_WIRE_BACKGROUND, .as.command.value = UM_BACKGROUND_PAUSE + 1},
        {.type = UM_WIRE_USE_BEAT_KIND, .as.command.value = 256 + UM_BEAT_KIND_PAIR},
        {.type = UM_WIRE_BEAT_KIND, .as.beat_kind.kind = UM_BEAT_KIND_COUNT},
        {.type = UM_WIRE_BEAT_KIND, .as.beat_kind.shielded = 2},
        {.type = UM_WIRE_BEAT_KIND, .as.beat_kind.held = UM_PROBE_HELD_COUNT},
        {.type = UM_WIRE_VIEW, .as.view.hidden = 2},
        {.type = UM_WIRE_VIEW, .as.view.moved = 2},
        {.type = UM_WIRE_PROBE, .as.probe.probe = UM_PROBE_COUNT},
        {.type = UM_WIRE_PROBE, .as.probe.status = 4},
        {.type = UM_WIRE_PROBE, .as.probe.reason = 256},
        {.type = UM_WIRE_PROBE, .as.probe.held = UM_PROBE_HELD_COUNT},
        {.type = UM_WIRE_USE_PROBE, .as.command.value = UM_PROBE_COUNT},
        {.type = UM_WIRE_USE_PROBE, .as.command.value = 256},
        {.type = UM_WIRE_PAUSE, .as.command.value = 0x10001},
        {.type = UM_WIRE_MAY_SUSPEND, .as.command.value = 2},
        {.type = UM_WIRE_PROBE_POOL, .as.command.value = 2},
        {.type = UM_WIRE_POOL_DELAY, .flags = 2},
        {.type = UM_WIRE_TRACE, .as.command.value = 2},
        {.type = UM_WIRE_TRACE_CALL, .as.trace_call = {.node = 0}},
        {.type = UM_WIRE_TRACE_CALL, .as.trace_call = {.node = UM_WIRE_TRACE_NODES}},
        {.type = UM_WIRE_TRACE_CALL, .as.trace_call = {.node = 3, .parent = 3}},
        {.type = UM_WIRE_TRACE_CALL, .as.trace_call = {.node = 3, .kind = 3}},
        {.type = UM_WIRE_TRACE_TIMES, .flags = 2},
        {.type = UM_WIRE_TRACE_TIMES, .as.trace_list.sum.on = 2},
        {.type = UM_WIRE_TRACE_TIMES, .as.trace_list.count = UM_WIRE_TRACE_MOST + 1},
        {.type = UM_WIRE_TRACE_TIMES, .as.trace_list = {.count = 1, .list = {{.node = 0}}}},
        {.type = UM_WIRE_TRACE_EVENTS, .as.trace_events.count = UM_WIRE_TRACE_EVENTS_MOST + 1},
        {.type = UM_WIRE_TRACE_EVENTS, .as.trace_events = {.count = 1, .list = {{.node = 0}}}},
        {.type = UM_WIRE_TRACE_EVENTS,
         .as.trace_events = {.count = 1, .list = {{.node = 1, .loose = 2}}}},
        {.type = UM_WIRE_TRACE_EVENTS_ON, .as.command.value = 3},
        {.type = UM_WIRE_METHOD, .as.method = {.method = 0}},
        {.type = UM_WIRE_METHOD, .as.method = {.method = UM_WIRE_METHOD_NUMBERS}},
        {.type = UM_WIRE_METHOD_CALLS, .as.method_calls.count = 0},
        {.type = UM_WIRE_METHOD_CALLS, .as.method_calls = {.count = 1, .list = {{.node = 0}}}},
        {.type = UM_WIRE_METHOD_CALLS,
         .as.method_calls = {.count = 1, .list = {{.node = 3, .parent = 3}}}},
        {.type = UM_WIRE_METHODS, .as.methods.on = 2},
        {.type = UM_WIRE_METHOD_UNSEEN, .as.method_unseen.entry = UM_WIRE_METHOD_ENTRIES},
        {.type = UM_WIRE_METHODS_ON, .as.command.value = 2},
        {.type = UM_WIRE_TRACED_CALL, .as.traced_call = {.node = 3, .parent = 4}},
        {.type = UM_WIRE_TRACED_CALL, .as.traced_call = {.node = 3, .kind = 3}},
        {.type = UM_WIRE_TRACED_TIMES, .as.traced_list.count = 0},
        {.type = UM_WIRE_TRACED_TIMES, .as.traced_list.count = UM_WIRE_TRACE_MOST + 1},
        {.type = UM_WIRE_TRACING, .as.tracing.on = 2},
        {.type = UM_WIRE_POOL, .flags = 4},
        {.type = UM_WIRE_VIEW, .as.view.panel = UM_WIRE_PANEL_COUNT},
        {.type = UM_WIRE_PROFILE, .as.profile.scope = UM_WIRE_SCOPE_COUNT},
        {.type = UM_WIRE_PROFILE, .as.profile.by = UM_WIRE_BY_COUNT},
        {.type = UM_WIRE_PROFILE, .as.profile.part = UM_WIRE_PROFILE_PARTS},
        {.type = UM_WIRE_COUNT_MESSAGES, .as.command.value = 2},
        {.type = UM_WIRE_COUNTED, .flags = 1},
        {.type = UM_WIRE_ACTIVITY, .flags = 2},
        {.type = UM_WIRE_CODE, .flags = 2},
        {.type = UM_WIRE_TAKEN, .flags = 32},
        {.type = UM_WIRE_TAKEN, .as.taken.promoted = 2},
        {.type = UM_WIRE_WATCH_INPUT, .as.command.value = UM_WATCH_INPUT_KEYS + 1},
        {.type = UM_WIRE_WATCH_INPUT, .as.command.value = 256},
        {.type = UM_WIRE_SESSION, .as.session.probe = UM_PROBE_COUNT},
        {.type = UM_WIRE_EPISODE, .as.episode.state = UM_STATE_UNKNOWN},
        {.type = UM_WIRE_STATUS, .as.status.state = UM_STATE_COUNT},
        {.type = UM_WIRE_END, .as.end.reason = 3},
        {.type = UM_WIRE_TOTALS, .as.totals.observes = 2},
        {.type = UM_WIRE_INTERACTION, .as.interaction.kind = UM_INTERACTION_COUNT},
        {.type = UM_WIRE_INTERACTION, .flags = 2},
        {.type = UM_WIRE_COUNTER, .as.counter.number = UM_WIRE_COUNTERS},
        {.type = UM_WIRE_COUNTER, .as.counter.kind = UM_WIRE_COUNTER_INCREMENT + 1},
        {.type = UM_WIRE_COUNTER_VALUE, .as.counter_value.number = UM_WIRE_COUNTERS},
        {.type = UM_WIRE_COUNTER_VALUE, .as.counter_value.value = UINT64_C(0x7ff0000000000000)},
        {.type = UM_WIRE_COUNTER_VALUE, .as.counter_value.min = UINT64_C(0xfff8000000000000)},
        {.type = UM_WIRE_COUNTER_VALUE, .as.counter_value.max = UINT64_MAX},
        {.type = UM_WIRE_SAMPLE, .as.sample.other = 2},
        {.type = UM_WIRE_WAIT, .as.wait.kind = UM_WIRE_WAIT_KINDS},
        {.type = UM_WIRE_LAYOUT, .as.command.value = 2},
        {.type = UM_WIRE_LAYOUT_STEPS, .as.layout_steps.count = UM_WIRE_LAYOUT_MOST + 1},
        {.type = UM_WIRE_LAYOUT_STEPS,
         .as.layout_steps = {.count = 1, .list = {{.step = UM_LAYOUT_STEP_COUNT}}}},
        {.type = UM_WIRE_LAYOUT_STEPS,
         .as.layout_steps = {.count = 1, .list = {{.kind = UM_LAYOUT_KIND_COUNT}}}},
        {.type = UM_WIRE_LAYOUT_COMPONENT, .as.layout_component.id = 0},
        {.type = UM_WIRE_LAYOUT_COMPONENT, .as.layout_component.id = UM_WIRE_LAYOUT_COMPONENTS},
        {.type = UM_WIRE_LAYOUT_PLACE, .as.layout_place.id = 0},
        {.type = UM_WIRE_LAYOUT_PLACE, .as.layout_place.id = UM_WIRE_LAYOUT_COMPONENTS},
        {.type = UM_WIRE_LAYOUT_PLACE, .as.layout_place = {.id = 1, .draws_parts = 2}},
        {.type = UM_WIRE_LAYOUT_TIMES, .as.layout_times.count = UM_WIRE_LAYOUT_COSTS + 1},
        {.type = UM_WIRE_LAYOUT_TIMES, .as.layout_times = {.count = 1, .list = {{.id = 0}}}},
        {.type = UM_WIRE_LAYOUT_METERS, .as.layout_meters.count = UM_WIRE_LAYOUT_METERS_MOST + 1},
        {.type = UM_WIRE_LAYOUT_METERS, .as.layout_meters = {.count = 1, .list = {{.id = 0}}}},
        {.type = UM_WIRE_VIEW, .as.view.layout = UM_WIRE_LAYOUT_MODE_COUNT},
        {.type = UM_WIRE_MARKER_KIND, .as.marker_kind.number = 0},
        {.type = UM_WIRE_MARKER_KIND, .as.marker_kind.number = UM_WIRE_MARKER_KINDS + 1},
        {.type = UM_WIRE_MARKER_KIND,
         .as.marker_kind = {.number = 1, .source = UM_MARKER_SOURCE_COUNT}},
        {.type = UM_WIRE_MARKER_KIND,
         .as.marker_kind = {.number = 1, .count = UM_WIRE_MARKER_FIELDS + 1}},
        {.type = UM_WIRE_MARKER_KIND,
         .as.marker_kind = {.number = 1, .count = 1, .list = {{UM_MARKER_FIELD_COUNT, 0, ""}}}},
        {.type = UM_WIRE_MARKER_KIND,
         .as.marker_kind = {.number = 1, .count = 1, .list = {{UM_MARKER_FIELD_FLOW, 2, ""}}}},
        {.type = UM_WIRE_MARKER, .as.marker.kind = 0},
        {.type = UM_WIRE_MARKER, .as.marker.kind = UM_WIRE_MARKER_KINDS + 1},
        {.type = UM_WIRE_MARKER, .as.marker = {.kind = 1, .count = UM_WIRE_MARKER_VALUES + 1}},
        {.type = UM_WIRE_MARKER, .flags = 16, .as.marker.kind = 1},
        {.type = UM_WIRE_MARKERS_LOST, .as.markers_lost.source = UM_MARKER_SOURCE_COUNT},
        {.type = UM_WIRE_MARK, .flags = 4},
        {.type = UM_WIRE_MARK, .as.mark.what = UM_MARK_COUNT},
        {.type = UM_WIRE_MARK, .as.mark.count = UM_WIRE_MARK_FIELDS + 1},
        {.type = UM_WIRE_MARK, .as.mark = {.count = 1, .list = {{.kind = UM_MARKER_FIELD_COUNT}}}},
    };
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        cr_assert_eq(encode(&refused[i]), UM_ERR_ARG, "row %zu", i);
}

Test(wire, preamble_is_eight_known_bytes)
{
    static const uint8_t expected[] = {'U', 'I', 'M', 'N', 1, 0, 0, 0};
    uint8_t buf[UM_WIRE_PREAMBLE_BYTES];
    um_wire_put_preamble(buf);
    cr_assert_eq(memcmp(buf, expected, sizeof expected), 0);
    cr_assert_eq(um_wire_check_preamble(buf, sizeof buf), UM_OK);
}

Test(wire, preamble_is_partial_until_it_is_whole)
{
    uint8_t buf[UM_WIRE_PREAMBLE_BYTES];
    um_wire_put_preamble(buf);
    for (size_t cut = 0; cut < sizeof buf; cut++)
        cr_assert_eq(um_wire_check_preamble(buf, cut), UM_ERR_PARTIAL);
}

Test(wire, preamble_of_another_kind_is_refused)
{
    static const struct {
        size_t at;
        uint8_t value;
        enum um_status expected;
    } changes[] = {{0, 'u', UM_ERR_FORMAT}, {3, 0, UM_ERR_FORMAT}, {4, 2, UM_ERR_VERSION},
                   {5, 1, UM_ERR_VERSION},  {4, 0, UM_ERR_FORMAT}, {6, 1, UM_ERR_FORMAT},
                   {7, 0x80, UM_ERR_FORMAT}};
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        uint8_t buf[UM_WIRE_PREAMBLE_BYTES];
        um_wire_put_preamble(buf);
        buf[changes[i].at] = changes[i].value;
        cr_assert_eq(um_wire_check_preamble(buf, sizeof buf), changes[i].expected, "row %zu", i);
    }
}

Test(wire, set_text_cuts_and_always_ends)
{
    static const struct {
        size_t cap;
        const char *text, *expected;
    } cases[] = {
        {6, "short", "short"},
        {6, "longer", "longe"},
        {6, "abc\xe2\x82\xac", "abc"},
        {6, "ab\xe2\x82\xac\x63", "ab\xe2\x82\xac"},
        {6, "a\xff", "a?"},
        {1, "abc", ""},
        {6, NULL, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char field[6] = "?????";
        um_text_set(field, cases[i].cap, cases[i].text);
        cr_expect_str_eq(field, cases[i].expected, "row %zu", i);
    }
}

Test(wire, state_names_are_the_reports_words)
{
    static const char *const names[] = {"suspended", "blind",      "idle",     "frozen", "starved",
                                        "slow",      "responsive", "own_beat", "unknown"};
    for (int i = 0; i < UM_STATE_COUNT; i++)
        cr_assert_str_eq(um_wire_state_name((enum um_state)i), names[i]);
    cr_assert_str_eq(um_wire_state_name(UM_STATE_COUNT), "unknown");
    cr_assert_str_eq(um_wire_state_name((enum um_state)255), "unknown");
}

/* TOTALS of 0.1.0 counted unknown time as responsive. Such a reader still does, and such a frame is
 * read as before. */
Test(wire, earlier_readers_of_totals_count_unknown_time_as_responsive)
{
    struct um_wire_frame frame = {.type = UM_WIRE_TOTALS}, back;
    const size_t responsive_at = UM_WIRE_HEADER_BYTES + 88, first_bytes = 152;
    uint8_t buf[UM_WIRE_MAX_BYTES];
    frame.as.totals.state_ns[UM_STATE_RESPONSIVE] = 1000;
    frame.as.totals.state_ns[UM_STATE_UNKNOWN] = 30;
    size_t len_bytes = encode_whole(&frame, buf);
    cr_expect_eq(buf[responsive_at] + 256 * buf[responsive_at + 1], 1030);
    decode_first(buf, len_bytes, &back);
    cr_expect_eq(back.as.totals.state_ns[UM_STATE_RESPONSIVE], 1000);
    cr_expect_eq(back.as.totals.state_ns[UM_STATE_UNKNOWN], 30);
    put_number(buf, 2, first_bytes);
    decode_first(buf, UM_WIRE_HEADER_BYTES + first_bytes, &back);
    cr_expect_eq(back.as.totals.state_ns[UM_STATE_RESPONSIVE], 1030);
    cr_expect_eq(back.as.totals.state_ns[UM_STATE_UNKNOWN], 0);
}

Test(wire, refuses_more_unknown_time_than_the_sum_has)
{
    struct um_wire_frame frame = {.type = UM_WIRE_TOTALS};
    uint8_t buf[UM_WIRE_MAX_BYTES];
    frame.as.totals.state_ns[UM_STATE_UNKNOWN] = 30;
    size_t len_bytes = encode_whole(&frame, buf);
    cr_expect_eq(decode(buf, len_bytes), UM_OK);
    buf[UM_WIRE_HEADER_BYTES + 88] = 29;
    cr_expect_eq(decode(buf, len_bytes), UM_ERR_FORMAT);
}

Test(wire, state_words_do_not_claim_more_than_the_windows_thread)
{
    cr_expect_str_eq(um_wire_state_words(UM_STATE_RESPONSIVE, true), "window thread");
    cr_expect_str_eq(um_wire_state_words(UM_STATE_RESPONSIVE, false), "responsive");
    cr_expect_str_eq(um_wire_state_words(UM_STATE_FROZEN, true), "frozen");
    cr_expect_str_eq(um_wire_state_words(UM_STATE_COUNT, true), "unknown");
}

/* A SESSION with a title of `title_bytes`, whose payload is cut by `cut_bytes` at its end. */
static enum um_status decode_cut_session(size_t title_bytes, size_t cut_bytes,
                                         struct um_wire_frame *back)
{
    uint8_t buf[UM_WIRE_MAX_BYTES];
    struct um_wire_frame frame = {.type = UM_WIRE_SESSION};
    size_t consumed = 0;
    memset(frame.as.session.title, 't', title_bytes);
    size_t len_bytes = encode_whole(&frame, buf) - cut_bytes;
    put_number(buf, 2, len_bytes - UM_WIRE_HEADER_BYTES);
    memset(buf + len_bytes, 0xee, sizeof buf - len_bytes);
    memset(back, 0x5a, sizeof *back);
    return um_wire_decode(buf, len_bytes, back, &consumed);
}

Test(wire, a_session_of_0_1_0_has_no_toolkit)
{
    static const size_t titles[] = {0, 1, 2, 30, 250};
    for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++) {
        struct um_wire_frame back;
        cr_expect_eq(decode_cut_session(titles[i], 2, &back), UM_OK);
        cr_expect_str_eq(back.as.session.toolkit, "");
        cr_expect_eq(strlen(back.as.session.title), titles[i]);
        cr_expect_eq(decode_cut_session(titles[i], 1, &back), UM_ERR_FORMAT);
        cr_expect_eq(decode_cut_session(titles[i], 3, &back), UM_ERR_FORMAT);
    }
}

/* A frame of the golden file without its last fields, as it was before these were added. */
static void decode_without_last(uint8_t type, size_t fields_bytes, struct um_wire_frame *back)
{
    uint8_t buf[UM_WIRE_MAX_BYTES];
    size_t consumed = 0, i = 0;
    while (golden[i].type != type)
        i++;
    size_t len_bytes = encode_whole(&golden[i], buf) - fields_bytes;
    um_bytes_put16(buf, (uint16_t)(len_bytes - UM_WIRE_HEADER_BYTES));
    cr_assert_eq(um_wire_decode(buf, len_bytes, back, &consumed), UM_OK);
}

Test(wire, names_and_stacks_from_before_places_have_none)
{
    static struct um_wire_frame back;
    decode_without_last(UM_WIRE_NAME, 10 + 4 + 38, &back);
    cr_expect_str_eq(back.as.name.line_mark, "");
    cr_expect_str_eq(back.as.name.extent, "");
    cr_expect_str_eq(back.as.name.module, "");
    cr_expect_str_eq(back.as.name.checksum, "");
    cr_expect_str_eq(back.as.name.file, "p.c");
    cr_expect_eq(back.as.name.line, 61);
    decode_without_last(UM_WIRE_STACK, 11, &back);
    cr_expect_str_eq(back.as.stack.place, "");
    cr_expect_str_eq(back.as.stack.guessed, "");
    cr_expect_str_eq(back.as.stack.headline, "a");
}

Test(wire, names_from_before_checksums_have_none)
{
    static struct um_wire_frame back;
    decode_without_last(UM_WIRE_NAME, 38, &back);
    cr_expect_str_eq(back.as.name.extent, "58-70");
    cr_expect_str_eq(back.as.name.checksum, "");
}

/* Numbers behind a list. */
Test(wire, layout_times_from_before_steps_were_counted_have_none)
{
    static struct um_wire_frame back;
    decode_without_last(UM_WIRE_LAYOUT_TIMES, 16, &back);
    cr_expect_eq(back.as.layout_times.without_end, 0);
    cr_expect_eq(back.as.layout_times.without_begin, 0);
    cr_expect_eq(back.as.layout_times.count, 1);
    cr_expect_eq(back.as.layout_times.list[0].message, 5);
}

Test(wire, measures_each_part_of_an_interaction)
{
    static const uint64_t lengths_ns[UM_WIRE_PART_COUNT] = {
        [UM_WIRE_PART_INPUT_DELAY] = 3,   [UM_WIRE_PART_PROCESSING] = 10,
        [UM_WIRE_PART_PRESENTATION] = 20, [UM_WIRE_PART_TOTAL] = 33,
        [UM_WIRE_PART_TO_HANDLED] = 13,
    };
    struct um_wire_interaction times = {
        .arrival_ns = 100, .dequeued_ns = 103, .handled_ns = 113, .painted_ns = 133};
    uint64_t length_ns;
    for (int i = 0; i < UM_WIRE_PART_COUNT; i++)
        cr_expect(um_wire_interaction_part_ns(&times, (enum um_wire_part)i, &length_ns) &&
                      length_ns == lengths_ns[i],
                  "part %d", i);
    cr_expect_eq(um_wire_interaction_length_ns(&times), 33);
}

Test(wire, does_not_measure_a_part_of_which_an_end_was_not_observed)
{
    struct um_wire_interaction times = {.dequeued_ns = 103, .handled_ns = 113};
    uint64_t length_ns = 7;
    cr_expect(!um_wire_interaction_part_ns(&times, UM_WIRE_PART_INPUT_DELAY, &length_ns));
    cr_expect(!um_wire_interaction_part_ns(&times, UM_WIRE_PART_PRESENTATION, &length_ns));
    cr_expect(!um_wire_interaction_part_ns(&times, UM_WIRE_PART_TOTAL, &length_ns));
    cr_expect(!um_wire_interaction_part_ns(&times, UM_WIRE_PART_TO_HANDLED, &length_ns));
    cr_expect_eq(length_ns, 7);
    cr_expect_eq(um_wire_interaction_length_ns(&times), 10, "what was observed of it");
}
