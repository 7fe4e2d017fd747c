#include "ipc/wire.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

/* The frames of tests/golden/wire_v1.bin, in its order. */
static const struct um_wire_frame golden[] = {
    {.type = UM_WIRE_HELLO,
     .as.hello = {.nonce = {0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7, 0xa8, 0xa9, 0xaa, 0xab,
                            0xac, 0xad, 0xae, 0xaf},
                  .pid = 4711,
                  .tid = 4712,
                  .hwnd = 0x1122334455667788,
                  .time_ns = 1000000001,
                  .key_delay_us = 312}},
    {.type = UM_WIRE_MARK, .as.mark = {.time_ns = 0x0102030405060708, .lost = 3}},
    {.type = UM_WIRE_SENT,
     .as.sent = {.time_ns = 1000000002,
                 .seq = 0x89abcdef,
                 .rested_ns = 999999999,
                 .skipped = 0x76543210,
                 .rung = UM_RUNG_PAIR,
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
    {.type = UM_WIRE_USE_RUNG,
     .flags = UM_WIRE_USE_RUNG_ONCE,
     .as.command = {.value = UM_RUNG_ZERO}},
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
              UM_WIRE_STATUS_CLICK_PAINTED,
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
                   .click_ns = 1600000014}},
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
                   .state_ns = {4097, 4098, 4099, 4100, 4101, 4102, 4103},
                   .dropped = 4104,
                   .heartbeat_cpu_ns = 4105,
                   .sender_cpu_ns = 4106,
                   .timed_calls = 4107,
                   .timed_ns = 4108,
                   .monitor_cpu_ns = 4109,
                   .overlay_cpu_ns = 4110,
                   .beats_rested = 4111}},
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
    {.type = UM_WIRE_PACE, .as.pace = {.rest_us = 100002, .background_us = 100003}},
    {.type = UM_WIRE_REST, .as.rest = {.time_ns = 1800000512, .skipped = 9}},
    {.type = UM_WIRE_RUNG,
     .as.rung = {.time_ns = 1800000512,
                 .rung = UM_RUNG_PAIR,
                 .shielded = 1,
                 .held = UM_PROBE_HELD_BUTTON}},
    {.type = UM_WIRE_PROVING, .as.proving = {.key_delay_us = 313}},
    {.type = UM_WIRE_VIEW, .as.view = {.hidden = 1, .panel = UM_WIRE_PANEL_PROFILE}},
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
                  .headline = "a"}},
    {.type = UM_WIRE_SAMPLING,
     .as.sampling = {.samples = 95,
                     .over_2ms = 3,
                     .total_ns = 40000001,
                     .p50_ns = 400002,
                     .max_ns = 3000003,
                     .interval_ns = 10500004}},
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
                   .thread_name = "pool"}},
    {.type = UM_WIRE_NAME,
     .as.name = {.key = UINT64_C(0x4000000001234),
                 .displacement = 20,
                 .line = 61,
                 .kind = 1,
                 .name = "parse",
                 .file = "p.c"}},
    {.type = UM_WIRE_PROFILE,
     .as.profile = {.time_ns = 1800000514,
                    .span_ns = 1240000001,
                    .samples = 190,
                    .unread = 4,
                    .scope = UM_WIRE_SCOPE_FREEZE,
                    .forgotten = 11,
                    .rows = {{118, 184, "parse", "a.dll"}, {61, 62, "load", ""}}}},
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
};

#define GOLDEN_COUNT (sizeof golden / sizeof golden[0])

/* What the specification says of each type, said once more. An enum is where its (low) byte lies
 * and its greatest value; a payload of zeroes has only empty strings. */
struct spec {
    uint8_t type;
    uint8_t flags;
    size_t payload_bytes;
    size_t texts_at; /* 0: no strings */
    struct {
        size_t at;
        uint8_t max;
    } enums[4];
    size_t added_bytes; /* since 0.1.0, at the end */
};

/* clang-format off */
static const struct spec specs[] = {
    {1, 0x00, 44, 0, {{0}}, 4},
    {2, 0x00, 16, 0, {{0}}, 0},
    {3, 0x00, 26, 0, {{24, 2}, {25, 1}}, 14},
    {4, 0x07, 12, 0, {{0}}, 0},
    {5, 0x1f, 33, 0, {{32, 1}}, 5},
    {6, 0x00, 17, 0, {{8, 2}, {9, 3}, {10, 4}, {16, 2}}, 1},
    {7, 0x00, 8, 0, {{0}}, 0},
    {8, 0x00, 48, 0, {{0}}, 0},
    {9, 0x01, 16, 0, {{0}}, 0},
    {11, 0x01, 28, 0, {{0}}, 0},
    {12, 0x00, 23, 21, {{20, 2}}, 0},
    {16, 0x00, 0, 0, {{0}}, 0},
    {17, 0x00, 4, 0, {{0}}, 0},
    {18, 0x01, 1, 0, {{0, 2}}, 0},
    {19, 0x00, 1, 0, {{0, 1}}, 0},
    {20, 0x00, 4, 0, {{0}}, 0},
    {21, 0x00, 1, 0, {{0, 2}}, 0},
    {22, 0x01, 1, 0, {{0, 2}}, 0},
    {23, 0x00, 4, 0, {{0}}, 0},
    {24, 0x00, 4, 0, {{0}}, 0},
    {25, 0x00, 5, 0, {{0, 1}}, 4},
    {26, 0x00, 1, 0, {{0, 1}}, 0},
    {28, 0x00, 8, 0, {{0}}, 0},
    {29, 0x00, 1, 0, {{0, 1}}, 0},
    {30, 0x00, 1, 0, {{0, 2}}, 0},
    {32, 0x01, 56, 48, {{45, 2}, {46, 3}, {47, 4}}, 2},
    {33, 0x01, 20, 0, {{0}}, 0},
    {34, 0x00, 28, 0, {{0}}, 0},
    {35, 0x1f, 61, 57, {{56, 6}}, 2},
    {36, 0x7f, 137, 0, {{112, 6}}, 0},
    {37, 0x00, 9, 0, {{8, 2}}, 0},
    {38, 0x01, 45, 0, {{44, 2}}, 0},
    {39, 0x00, 160, 0, {{0}}, 8},
    {40, 0x00, 20, 16, {{0}}, 0},
    {41, 0x00, 10, 8, {{0}}, 0},
    {42, 0x00, 2, 0, {{0, 1}, {1, 1}}, 1},
    {43, 0x00, 11, 0, {{8, 2}, {9, 1}, {10, 2}}, 1},
    {44, 0x00, 8, 0, {{0}}, 4},
    {45, 0x00, 12, 0, {{0}}, 0},
    {46, 0x00, 4, 0, {{0}}, 0},
    {47, 0x00, 54, 40, {{0}}, 0},
    {48, 0x00, 40, 0, {{0}}, 0},
    {49, 0x03, 44, 0, {{0}}, 0},
    {50, 0x00, 16, 0, {{0}}, 0},
    {52, 0x00, 14, 12, {{0}}, 0},
    {54, 0x01, 40, 38, {{36, 8}, {37, 1}}, 3},
    {55, 0x00, 22, 18, {{16, 3}, {17, 16}}, 0},
    {56, 0x00, 13, 5, {{4, 1}}, 0},
    {57, 0x00, 48, 0, {{0}}, 0},
    {58, 0x00, 29, 25, {{24, 2}}, 0},
    {60, 0x00, 41, 0, {{40, 1}}, 0},
    {61, 0x00, 23, 17, {{16, 6}}, 0},
    {62, 0x00, 101, 77, {{24, 3}}, 0},
    {63, 0x01, 36, 32, {{0}}, 0},
};
/* clang-format on */

#define SPEC_COUNT (sizeof specs / sizeof specs[0])

/* The u32 that have a least and a greatest value. */
static const struct {
    uint8_t type;
    size_t at;
    uint32_t least;
    uint32_t most;
} ranges[] = {{1, 40, 0, 20000}, {46, 0, 1, 20000}, {52, 0, 0, 65534},
              {12, 0, 1, 4095},  {12, 4, 0, 4094},  {58, 4, 1, 4095},
              {58, 8, 0, 4094},  {56, 0, 0, 255},   {57, 40, 0, 255}};

#define RANGE_COUNT (sizeof ranges / sizeof ranges[0])

static void put_u32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

/* A frame of the type whose payload is `fill` everywhere, its enums as great as they may be. */
static size_t make_frame(const struct spec *spec, uint8_t fill, uint8_t *buf)
{
    uint8_t *payload = buf + UM_WIRE_HEADER_BYTES;
    buf[0] = (uint8_t)spec->payload_bytes;
    buf[1] = 0;
    buf[2] = spec->type;
    buf[3] = fill ? spec->flags : 0;
    memset(payload, fill, spec->payload_bytes);
    if (spec->texts_at)
        memset(payload + spec->texts_at, 0, spec->payload_bytes - spec->texts_at);
    if (spec->type == UM_WIRE_PROBE)
        payload[11] = 0; /* the high byte of its u16 */
    for (size_t at = 16; spec->type == UM_WIRE_COUNTER_VALUE && fill && at < 40; at += 8)
        payload[at + 6] = 0xef; /* with ff in it, a double is not finite */
    for (size_t i = 0; i < 4 && spec->enums[i].max; i++)
        payload[spec->enums[i].at] = fill ? spec->enums[i].max : 0;
    for (size_t i = 0; i < RANGE_COUNT; i++)
        if (ranges[i].type == spec->type)
            put_u32(payload + ranges[i].at, fill ? ranges[i].most : ranges[i].least);
    return UM_WIRE_HEADER_BYTES + spec->payload_bytes;
}

static enum um_status decode(const uint8_t *buf, size_t len_bytes)
{
    struct um_wire_frame frame;
    size_t consumed = 0;
    return um_wire_decode(buf, len_bytes, &frame, &consumed);
}

/* Reads a whole file of the golden folder. Owner: the caller frees it. */
static uint8_t *read_golden(const char *name, size_t *len_bytes)
{
    char path[512];
    snprintf(path, sizeof path, "%s/tests/golden/%s", UM_SOURCE_DIR, name);
    FILE *file = fopen(path, "rb");
    cr_assert(file, "cannot open %s", path);
    uint8_t *bytes = calloc(1, 65536);
    *len_bytes = fread(bytes, 1, 65535, file);
    fclose(file);
    return bytes;
}

Test(wire, golden_file_is_what_its_description_says)
{
    size_t bin_bytes = 0;
    size_t text_bytes = 0;
    uint8_t *bin = read_golden("wire_v1.bin", &bin_bytes);
    uint8_t *text = read_golden("wire_v1.txt", &text_bytes);
    size_t described = 0;
    const char *at = (const char *)text;
    while (*at) {
        if (*at == '#')
            at += strcspn(at, "\n");
        else if (isspace((unsigned char)*at))
            at++;
        else {
            char *end = NULL;
            unsigned long byte = strtoul(at, &end, 16);
            cr_assert(end == at + 2, "no hex byte: %.20s", at);
            cr_assert(described < bin_bytes, "the description is longer");
            cr_assert_eq(bin[described], byte, "byte %zu", described);
            described++;
            at = end;
        }
    }
    cr_assert_eq(described, bin_bytes);
    free(bin);
    free(text);
}

/* That the encoder writes each field where it belongs is shown by encodes_the_golden_file, whose
 * fields all differ; so fields that were decoded wrongly would come out as other bytes here. */
Test(wire, decodes_the_golden_file)
{
    size_t len_bytes = 0;
    uint8_t *bytes = read_golden("wire_v1.bin", &len_bytes);
    size_t at = UM_WIRE_PREAMBLE_BYTES;
    cr_assert_eq(um_wire_check_preamble(bytes, len_bytes), UM_OK);
    for (size_t i = 0; i < GOLDEN_COUNT; i++) {
        struct um_wire_frame frame;
        uint8_t again[UM_WIRE_MAX_BYTES];
        size_t consumed = 0;
        size_t again_bytes = 0;
        memset(&frame, 0x5a, sizeof frame);
        cr_assert_eq(um_wire_decode(bytes + at, len_bytes - at, &frame, &consumed), UM_OK);
        cr_assert_eq(frame.type, golden[i].type);
        cr_assert_eq(frame.flags, golden[i].flags);
        cr_assert_eq(um_wire_encode(&frame, again, sizeof again, &again_bytes), UM_OK);
        cr_assert_eq(again_bytes, consumed);
        cr_assert_eq(memcmp(again, bytes + at, consumed), 0, "type %d", frame.type);
        at += consumed;
    }
    cr_assert_eq(at, len_bytes);
    free(bytes);
}

/* Numbers that programs of others have from ipc/FEED.md. They lie in files, too: none may ever
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
    {UM_RUNG_AUTO, 0},
    {UM_RUNG_ZERO, 1},
    {UM_RUNG_PAIR, 2},
    {UM_PROBE_ACTIVE, 0},
    {UM_PROBE_PAUSED, 1},
    {UM_PROBE_OFF_TARGET, 2},
    {UM_PROBE_REFUSED, 3},
    {UM_PROBE_HELD_NOT, 0},
    {UM_PROBE_HELD_BUTTON, 1},
    {UM_PROBE_HELD_POINTER, 2},
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
};

Test(wire, flags_and_values_keep_their_numbers)
{
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        cr_expect(numbers[i].number == numbers[i].frozen, "number %zu is %d", i, numbers[i].number);
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
        cr_expect((known || type == UM_WIRE_STOP) == (i < GOLDEN_COUNT), "type %u", type);
    }
}

/* Where the feed's own types begin, and the one of them that only recordings have. */
Test(wire, page_about_the_feed_has_every_type_of_it)
{
    char path[512], row[64];
    char *page = calloc(1, 65536);
    snprintf(path, sizeof path, "%s/ipc/FEED.md", UM_SOURCE_DIR);
    FILE *file = fopen(path, "rb");
    cr_assert(file && page && fread(page, 1, 65535, file) > 0);
    fclose(file);
    for (size_t i = 0; i < GOLDEN_COUNT; i++) {
        bool in_feed = golden[i].type >= UM_WIRE_SESSION && golden[i].type != UM_WIRE_RECORDING;
        snprintf(row, sizeof row, "\n| %d | ", golden[i].type);
        cr_expect((strstr(page, row) != NULL) == in_feed, "type %d", golden[i].type);
    }
    free(page);
}

/* Whether 0.1.0 had this type. */
static int is_first(uint8_t type)
{
    bool added_command = type >= UM_WIRE_USE_RUNG && type < UM_WIRE_SESSION;
    bool added_report = type >= UM_WIRE_POOL_DELAY && type < UM_WIRE_STOP;
    return !added_command && !added_report && type <= UM_WIRE_NOTE;
}

/* Takes the fields away that 0.1.0 did not have. */
static void forget_added(struct um_wire_frame *frame)
{
    if (frame->type == UM_WIRE_HELLO)
        frame->as.hello.key_delay_us = 0;
    if (frame->type == UM_WIRE_TAKEN) {
        frame->as.taken.own_ms = 0;
        frame->as.taken.promoted = 0;
    }
    if (frame->type == UM_WIRE_SENT) {
        frame->as.sent.rested_ns = 0;
        frame->as.sent.skipped = 0;
        frame->as.sent.rung = UM_RUNG_AUTO;
        frame->as.sent.left_out = 0;
    }
    if (frame->type == UM_WIRE_PROBE)
        frame->as.probe.held = UM_PROBE_HELD_NOT;
    if (frame->type == UM_WIRE_TOTALS)
        frame->as.totals.beats_rested = 0;
    if (frame->type == UM_WIRE_SESSION)
        frame->as.session.toolkit[0] = '\0';
    if (frame->type == UM_WIRE_EPISODE)
        frame->as.episode.message_name[0] = '\0';
}

/* The file as 0.1.0 wrote it. */
Test(wire, decodes_what_0_1_0_wrote)
{
    size_t len_bytes = 0;
    uint8_t *bytes = read_golden("wire_v1_0.1.0.bin", &len_bytes);
    size_t at = UM_WIRE_PREAMBLE_BYTES;
    for (size_t i = 0; i < GOLDEN_COUNT; i++) {
        struct um_wire_frame expected = golden[i];
        struct um_wire_frame frame;
        if (!is_first(expected.type))
            continue;
        uint8_t again[2][UM_WIRE_MAX_BYTES];
        size_t again_bytes[2] = {0};
        size_t consumed = 0;
        memset(&frame, 0x5a, sizeof frame);
        forget_added(&expected);
        cr_assert_eq(um_wire_decode(bytes + at, len_bytes - at, &frame, &consumed), UM_OK);
        cr_assert_eq(um_wire_encode(&expected, again[0], UM_WIRE_MAX_BYTES, &again_bytes[0]),
                     UM_OK);
        cr_assert_eq(um_wire_encode(&frame, again[1], UM_WIRE_MAX_BYTES, &again_bytes[1]), UM_OK);
        cr_assert_eq(again_bytes[0], again_bytes[1]);
        cr_assert_arr_eq(again[0], again[1], again_bytes[0], "type %d", frame.type);
        at += consumed;
    }
    cr_assert_eq(at, len_bytes);
    free(bytes);
}

Test(wire, encodes_the_golden_file)
{
    size_t len_bytes = 0;
    uint8_t *bytes = read_golden("wire_v1.bin", &len_bytes);
    uint8_t made[4096];
    size_t at = UM_WIRE_PREAMBLE_BYTES;
    um_wire_put_preamble(made);
    for (size_t i = 0; i < GOLDEN_COUNT; i++) {
        size_t frame_bytes = 0;
        cr_assert_eq(um_wire_encode(&golden[i], made + at, sizeof made - at, &frame_bytes), UM_OK);
        at += frame_bytes;
    }
    cr_assert_eq(at, len_bytes);
    cr_assert_eq(memcmp(made, bytes, at), 0);
    free(bytes);
}

Test(wire, round_trips_every_type_at_its_extremes)
{
    for (size_t i = 0; i < 2 * SPEC_COUNT; i++) {
        uint8_t buf[UM_WIRE_MAX_BYTES];
        uint8_t again[UM_WIRE_MAX_BYTES];
        struct um_wire_frame frame;
        size_t consumed = 0;
        size_t again_bytes = 0;
        size_t len_bytes = make_frame(&specs[i / 2], i % 2 ? 0xff : 0, buf);
        cr_assert_eq(um_wire_decode(buf, len_bytes, &frame, &consumed), UM_OK, "row %zu", i / 2);
        cr_assert_eq(consumed, len_bytes);
        cr_assert_eq(um_wire_encode(&frame, again, sizeof again, &again_bytes), UM_OK);
        cr_assert_eq(again_bytes, len_bytes);
        cr_assert_eq(memcmp(buf, again, len_bytes), 0, "row %zu", i / 2);
    }
}

Test(wire, decodes_signed_calendar_time)
{
    uint8_t buf[UM_WIRE_MAX_BYTES];
    struct um_wire_frame frame = {.type = UM_WIRE_SESSION, .as.session.utc_ms = INT64_MIN};
    struct um_wire_frame back = {0};
    size_t len_bytes = 0;
    size_t consumed = 0;
    cr_assert_eq(um_wire_encode(&frame, buf, sizeof buf, &len_bytes), UM_OK);
    cr_assert_eq(um_wire_decode(buf, len_bytes, &back, &consumed), UM_OK);
    cr_assert_eq(back.as.session.utc_ms, INT64_MIN);
}

Test(wire, truncated_frame_is_partial_at_every_byte)
{
    size_t len_bytes = 0;
    uint8_t *bytes = read_golden("wire_v1.bin", &len_bytes);
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
    free(bytes);
}

Test(wire, skips_an_unknown_type_by_its_length)
{
    static const uint8_t unknown[] = {0, 14, 15, 31, 64, 200, 255};
    for (size_t i = 0; i < sizeof unknown; i++) {
        const uint8_t buf[] = {3, 0, unknown[i], 0xff, 1, 2, 3, 0, 0, UM_WIRE_STOP, 0};
        struct um_wire_frame frame;
        size_t consumed = 0;
        cr_assert_eq(um_wire_decode(buf, sizeof buf, &frame, &consumed), UM_OK);
        cr_assert_eq(consumed, 7);
        cr_assert_eq(frame.type, unknown[i]);
        cr_assert_eq(frame.flags, 0);
        cr_assert_eq(um_wire_decode(buf + 7, sizeof buf - 7, &frame, &consumed), UM_OK);
        cr_assert_eq(frame.type, UM_WIRE_STOP);
    }
}

Test(wire, refuses_unknown_flags)
{
    for (size_t i = 0; i < SPEC_COUNT; i++) {
        uint8_t buf[UM_WIRE_MAX_BYTES];
        size_t len_bytes = make_frame(&specs[i], 0, buf);
        for (int bit = 0; bit < 8; bit++) {
            int known = specs[i].flags >> bit & 1;
            buf[3] = (uint8_t)(1 << bit);
            cr_assert_eq(decode(buf, len_bytes), known ? UM_OK : UM_ERR_FORMAT, "type %d flag %d",
                         specs[i].type, 1 << bit);
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

Test(wire, refuses_a_short_payload)
{
    for (size_t i = 0; i < SPEC_COUNT; i++) {
        uint8_t buf[UM_WIRE_MAX_BYTES];
        size_t len_bytes = make_frame(&specs[i], 0, buf);
        if (specs[i].payload_bytes == 0)
            continue;
        buf[0] = (uint8_t)(specs[i].payload_bytes - specs[i].added_bytes - 1);
        cr_assert_eq(decode(buf, len_bytes), UM_ERR_FORMAT, "type %d", specs[i].type);
    }
}

Test(wire, accepts_a_longer_payload)
{
    for (size_t i = 0; i < SPEC_COUNT; i++) {
        uint8_t buf[UM_WIRE_MAX_BYTES];
        struct um_wire_frame frame;
        size_t consumed = 0;
        size_t len_bytes = make_frame(&specs[i], 0, buf);
        buf[0] = (uint8_t)(buf[0] + 5);
        memset(buf + len_bytes, 0xee, 5);
        cr_assert_eq(um_wire_decode(buf, len_bytes + 5, &frame, &consumed), UM_OK);
        cr_assert_eq(consumed, len_bytes + 5);
        cr_assert_eq(frame.type, specs[i].type);
    }
}

Test(wire, refuses_enums_out_of_range)
{
    for (size_t i = 0; i < SPEC_COUNT; i++) {
        for (size_t e = 0; e < 4 && specs[i].enums[e].max; e++) {
            uint8_t buf[UM_WIRE_MAX_BYTES];
            size_t len_bytes = make_frame(&specs[i], 0, buf);
            uint8_t *value = buf + UM_WIRE_HEADER_BYTES + specs[i].enums[e].at;
            *value = specs[i].enums[e].max;
            cr_assert_eq(decode(buf, len_bytes), UM_OK);
            ++*value;
            cr_assert_eq(decode(buf, len_bytes), UM_ERR_FORMAT, "type %d", specs[i].type);
            *value = 0xff;
            cr_assert_eq(decode(buf, len_bytes), UM_ERR_FORMAT, "type %d", specs[i].type);
        }
    }
}

Test(wire, refuses_numbers_out_of_their_range)
{
    for (size_t i = 0; i < RANGE_COUNT; i++) {
        size_t row = 0;
        while (specs[row].type != ranges[i].type)
            row++;
        uint8_t buf[UM_WIRE_MAX_BYTES];
        size_t len_bytes = make_frame(&specs[row], 0xff, buf);
        uint8_t *value = buf + UM_WIRE_HEADER_BYTES + ranges[i].at;
        cr_assert_eq(decode(buf, len_bytes), UM_OK);
        put_u32(value, ranges[i].most + 1);
        cr_assert_eq(decode(buf, len_bytes), UM_ERR_FORMAT, "type %d", ranges[i].type);
        put_u32(value, UINT32_MAX);
        cr_assert_eq(decode(buf, len_bytes), UM_ERR_FORMAT, "type %d", ranges[i].type);
        put_u32(value, 0);
        cr_assert_eq(decode(buf, len_bytes), ranges[i].least ? UM_ERR_FORMAT : UM_OK, "type %d",
                     ranges[i].type);
    }
}

/* A NODES of as many nodes as there may be, each the child of the one before. */
static size_t make_nodes(uint8_t *buf, uint32_t first, uint32_t count)
{
    uint8_t *payload = buf + UM_WIRE_HEADER_BYTES;
    size_t payload_bytes = 12 + 12 * (size_t)count;
    buf[0] = (uint8_t)payload_bytes;
    buf[1] = (uint8_t)(payload_bytes >> 8);
    buf[2] = 53;
    buf[3] = 0;
    put_u32(payload, first);
    put_u32(payload + 4, count);
    put_u32(payload + 8, 0);
    for (uint32_t i = 0; i < count; i++) {
        put_u32(payload + 12 + 12 * i, first + i - 1);
        memset(payload + 16 + 12 * i, (int)i, 8);
    }
    return UM_WIRE_HEADER_BYTES + payload_bytes;
}

Test(wire, nodes_come_behind_their_parents)
{
    uint8_t buf[UM_WIRE_MAX_BYTES + 64];
    uint8_t again[UM_WIRE_MAX_BYTES];
    struct um_wire_frame frame;
    size_t consumed;
    size_t again_bytes;
    size_t len_bytes = make_nodes(buf, 2, 80);
    cr_assert_eq(um_wire_decode(buf, len_bytes, &frame, &consumed), UM_OK);
    cr_assert_eq(frame.as.nodes.list[79].key, UINT64_C(0x4f4f4f4f4f4f4f4f));
    cr_assert_eq(um_wire_encode(&frame, again, sizeof again, &again_bytes), UM_OK);
    cr_assert(again_bytes == len_bytes && memcmp(buf, again, len_bytes) == 0);
    put_u32(buf + UM_WIRE_HEADER_BYTES + 12 + 12 * 41, 43);
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
    put_u32(buf + UM_WIRE_HEADER_BYTES + 4, 79);
    cr_expect_eq(decode(buf, len_bytes), UM_OK, "later versions may add to it");
    buf[0]--;
    put_u32(buf + UM_WIRE_HEADER_BYTES + 4, 80);
    cr_expect_eq(decode(buf, len_bytes), UM_ERR_FORMAT, "the last one is cut");
    frame.as.nodes.count = 81;
    cr_expect_neq(um_wire_encode(&frame, again, sizeof again, &again_bytes), UM_OK);
}

Test(wire, refuses_a_reason_that_only_its_high_byte_shows)
{
    uint8_t buf[UM_WIRE_MAX_BYTES];
    size_t len_bytes = make_frame(&specs[5], 0, buf);
    buf[UM_WIRE_HEADER_BYTES + 11] = 1;
    cr_assert_eq(decode(buf, len_bytes), UM_ERR_FORMAT);
}

Test(wire, refuses_a_string_that_leaves_its_payload)
{
    for (size_t i = 0; i < SPEC_COUNT; i++) {
        for (size_t at = specs[i].texts_at; at && at < specs[i].payload_bytes; at += 2) {
            uint8_t buf[UM_WIRE_MAX_BYTES];
            size_t len_bytes = make_frame(&specs[i], 0, buf);
            /* One byte more than all that follows, so that the strings after it do not matter. */
            size_t left = specs[i].payload_bytes - at - 2;
            buf[UM_WIRE_HEADER_BYTES + at] = (uint8_t)(left + 1);
            cr_assert_eq(decode(buf, len_bytes), UM_ERR_FORMAT, "type %d", specs[i].type);
            buf[UM_WIRE_HEADER_BYTES + at] = 0xff;
            buf[UM_WIRE_HEADER_BYTES + at + 1] = 0xff;
            cr_assert_eq(decode(buf, len_bytes), UM_ERR_FORMAT, "type %d", specs[i].type);
        }
    }
}

/* Decodes an EPISODE whose window class is `text`, and returns what arrives. */
static const char *pass_class(const char *text, size_t text_bytes)
{
    static struct um_wire_frame frame;
    uint8_t buf[UM_WIRE_MAX_BYTES] = {0};
    size_t consumed = 0;
    size_t payload_bytes = 59 + text_bytes;
    buf[0] = (uint8_t)payload_bytes;
    buf[1] = (uint8_t)(payload_bytes >> 8);
    buf[2] = UM_WIRE_EPISODE;
    buf[UM_WIRE_HEADER_BYTES + 57] = (uint8_t)text_bytes;
    buf[UM_WIRE_HEADER_BYTES + 58] = (uint8_t)(text_bytes >> 8);
    memcpy(buf + UM_WIRE_HEADER_BYTES + 59, text, text_bytes);
    memset(&frame, 0x5a, sizeof frame);
    cr_assert_eq(um_wire_decode(buf, UM_WIRE_HEADER_BYTES + payload_bytes, &frame, &consumed),
                 UM_OK);
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
    uint8_t buf[UM_WIRE_MAX_BYTES];
    struct um_wire_frame frame = {.type = UM_WIRE_SESSION};
    struct um_wire_frame back = {0};
    size_t len_bytes = 0;
    size_t consumed = 0;
    memset(frame.as.session.name, 'n', sizeof frame.as.session.name - 1);
    memset(frame.as.session.title, 't', sizeof frame.as.session.title - 1);
    memset(frame.as.session.caption, 'c', sizeof frame.as.session.caption - 1);
    memset(frame.as.session.toolkit, 'k', sizeof frame.as.session.toolkit - 1);
    cr_assert_eq(um_wire_encode(&frame, buf, sizeof buf, &len_bytes), UM_OK);
    cr_assert_eq(len_bytes, 4 + 56 + 127 + 255 + 255 + 31);
    cr_assert_eq(um_wire_decode(buf, len_bytes, &back, &consumed), UM_OK);
    cr_assert_str_eq(back.as.session.name, frame.as.session.name);
    cr_assert_str_eq(back.as.session.title, frame.as.session.title);
    cr_assert_str_eq(back.as.session.caption, frame.as.session.caption);
    cr_assert_str_eq(back.as.session.toolkit, frame.as.session.toolkit);
}

Test(wire, round_trips_a_recordings_longest_strings_and_earliest_time)
{
    uint8_t buf[UM_WIRE_MAX_BYTES];
    struct um_wire_frame frame = {.type = UM_WIRE_RECORDING, .as.recording.utc_ms = INT64_MIN};
    struct um_wire_frame back = {0};
    size_t len_bytes = 0;
    size_t consumed = 0;
    memset(frame.as.recording.version, 'v', sizeof frame.as.recording.version);
    memset(frame.as.recording.options, 'o', sizeof frame.as.recording.options);
    cr_assert_eq(um_wire_encode(&frame, buf, sizeof buf, &len_bytes), UM_OK);
    cr_assert_eq(len_bytes, 4 + 20 + 31 + 639);
    cr_assert_eq(um_wire_decode(buf, len_bytes, &back, &consumed), UM_OK);
    cr_assert_eq(back.as.recording.utc_ms, INT64_MIN);
    cr_assert_eq(strlen(back.as.recording.version), 31);
    cr_assert_eq(strspn(back.as.recording.options, "o"), 639);
}

Test(wire, encodes_a_field_without_nul_cut)
{
    uint8_t buf[UM_WIRE_MAX_BYTES];
    struct um_wire_frame frame = {.type = UM_WIRE_EPISODE};
    size_t len_bytes = 0;
    memset(frame.as.episode.window_class, 'w', sizeof frame.as.episode.window_class);
    memset(frame.as.episode.message_name, 'm', sizeof frame.as.episode.message_name);
    cr_assert_eq(um_wire_encode(&frame, buf, sizeof buf, &len_bytes), UM_OK);
    cr_assert_eq(len_bytes, 4 + 61 + 127 + 63);
}

Test(wire, encode_needs_exactly_the_frames_bytes)
{
    for (size_t i = 0; i < GOLDEN_COUNT; i++) {
        uint8_t whole[UM_WIRE_MAX_BYTES];
        size_t len_bytes = 0;
        size_t kept = 99;
        cr_assert_eq(um_wire_encode(&golden[i], whole, sizeof whole, &len_bytes), UM_OK);
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

static enum um_status encode(const struct um_wire_frame *frame)
{
    uint8_t buf[UM_WIRE_MAX_BYTES];
    size_t len_bytes = 0;
    return um_wire_encode(frame, buf, sizeof buf, &len_bytes);
}

Test(wire, encode_refuses_what_a_decoder_would)
{
    const struct um_wire_frame refused[] = {
        {.type = 0},
        {.type = 14},
        {.type = 255},
        {.type = UM_WIRE_SENT, .flags = 1},
        {.type = UM_WIRE_SEEN, .flags = 8},
        {.type = UM_WIRE_SENT, .as.sent.rung = UM_RUNG_PAIR + 1},
        {.type = UM_WIRE_SENT, .as.sent.left_out = 2},
        {.type = UM_WIRE_BACKGROUND, .as.command.value = UM_BACKGROUND_PAUSE + 1},
        {.type = UM_WIRE_USE_RUNG, .as.command.value = 256 + UM_RUNG_PAIR},
        {.type = UM_WIRE_RUNG, .as.rung.rung = UM_RUNG_PAIR + 1},
        {.type = UM_WIRE_RUNG, .as.rung.shielded = 2},
        {.type = UM_WIRE_RUNG, .as.rung.held = UM_PROBE_HELD_COUNT},
        {.type = UM_WIRE_VIEW, .as.view.hidden = 2},
        {.type = UM_WIRE_HELLO, .as.hello.key_delay_us = UM_WIRE_KEY_DELAY_MAX_US + 1},
        {.type = UM_WIRE_PROVING, .as.proving.key_delay_us = 0},
        {.type = UM_WIRE_PROVING, .as.proving.key_delay_us = UM_WIRE_KEY_DELAY_MAX_US + 1},
        {.type = UM_WIRE_PROBE, .as.probe.probe = 3},
        {.type = UM_WIRE_PROBE, .as.probe.status = 4},
        {.type = UM_WIRE_PROBE, .as.probe.reason = 256},
        {.type = UM_WIRE_PROBE, .as.probe.held = UM_PROBE_HELD_COUNT},
        {.type = UM_WIRE_USE_PROBE, .as.command.value = 3},
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
        {.type = UM_WIRE_TRACED_CALL, .as.traced_call = {.node = 3, .parent = 4}},
        {.type = UM_WIRE_TRACED_CALL, .as.traced_call = {.node = 3, .kind = 3}},
        {.type = UM_WIRE_TRACED_TIMES, .as.traced_list.count = 0},
        {.type = UM_WIRE_TRACED_TIMES, .as.traced_list.count = UM_WIRE_TRACE_MOST + 1},
        {.type = UM_WIRE_TRACING, .as.tracing.on = 2},
        {.type = UM_WIRE_POOL, .flags = 4},
        {.type = UM_WIRE_VIEW, .as.view.panel = UM_WIRE_PANEL_COUNT},
        {.type = UM_WIRE_PROFILE, .as.profile.scope = UM_WIRE_SCOPE_COUNT},
        {.type = UM_WIRE_COUNT_MESSAGES, .as.command.value = 2},
        {.type = UM_WIRE_COUNTED, .flags = 1},
        {.type = UM_WIRE_ACTIVITY, .flags = 2},
        {.type = UM_WIRE_CODE, .flags = 2},
        {.type = UM_WIRE_TAKEN, .flags = 32},
        {.type = UM_WIRE_TAKEN, .as.taken.promoted = 2},
        {.type = UM_WIRE_WATCH_INPUT, .as.command.value = UM_WATCH_INPUT_KEYS + 1},
        {.type = UM_WIRE_WATCH_INPUT, .as.command.value = 256},
        {.type = UM_WIRE_SESSION, .as.session.probe = 3},
        {.type = UM_WIRE_EPISODE, .as.episode.state = UM_STATE_COUNT},
        {.type = UM_WIRE_STATUS, .as.status.state = UM_STATE_COUNT},
        {.type = UM_WIRE_END, .as.end.reason = 3},
        {.type = UM_WIRE_STATUS, .flags = 128},
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
    char field[6];
    um_wire_set_text(field, sizeof field, "short");
    cr_assert_str_eq(field, "short");
    um_wire_set_text(field, sizeof field, "longer");
    cr_assert_str_eq(field, "longe");
    um_wire_set_text(field, sizeof field, "abc\xe2\x82\xac");
    cr_assert_str_eq(field, "abc");
    um_wire_set_text(field, sizeof field,
                     "ab\xe2\x82\xac"
                     "c");
    cr_assert_str_eq(field, "ab\xe2\x82\xac");
    um_wire_set_text(field, sizeof field, "a\xff");
    cr_assert_str_eq(field, "a?");
    um_wire_set_text(field, 1, "abc");
    cr_assert_str_eq(field, "");
    um_wire_set_text(field, sizeof field, NULL);
    cr_assert_str_eq(field, "");
}

Test(wire, state_names_are_the_reports_words)
{
    static const char *const names[] = {"suspended", "blind", "idle",      "frozen",
                                        "starved",   "slow",  "responsive"};
    for (int i = 0; i < UM_STATE_COUNT; i++)
        cr_assert_str_eq(um_wire_state_name((enum um_state)i), names[i]);
    cr_assert_str_eq(um_wire_state_name(UM_STATE_COUNT), "unknown");
    cr_assert_str_eq(um_wire_state_name((enum um_state)255), "unknown");
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
    size_t len_bytes = 0;
    size_t consumed = 0;
    memset(frame.as.session.title, 't', title_bytes);
    cr_assert_eq(um_wire_encode(&frame, buf, sizeof buf, &len_bytes), UM_OK);
    len_bytes -= cut_bytes;
    buf[0] = (uint8_t)(len_bytes - UM_WIRE_HEADER_BYTES);
    buf[1] = (uint8_t)((len_bytes - UM_WIRE_HEADER_BYTES) >> 8);
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
    cr_expect(um_wire_interaction_length_ns(&times) == 33);
}

Test(wire, does_not_measure_a_part_of_which_an_end_was_not_observed)
{
    struct um_wire_interaction times = {.dequeued_ns = 103, .handled_ns = 113};
    uint64_t length_ns = 7;
    cr_expect(!um_wire_interaction_part_ns(&times, UM_WIRE_PART_INPUT_DELAY, &length_ns));
    cr_expect(!um_wire_interaction_part_ns(&times, UM_WIRE_PART_PRESENTATION, &length_ns));
    cr_expect(!um_wire_interaction_part_ns(&times, UM_WIRE_PART_TOTAL, &length_ns));
    cr_expect(!um_wire_interaction_part_ns(&times, UM_WIRE_PART_TO_HANDLED, &length_ns));
    cr_expect(length_ns == 7);
    cr_expect(um_wire_interaction_length_ns(&times) == 10, "what was observed of it");
}
