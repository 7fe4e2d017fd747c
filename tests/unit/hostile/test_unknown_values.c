/* A value of an enumeration that a later version has, in each frame and field that can have one,
 * amidst ordinary frames and through everything that takes frames. What the ordinary frames say
 * still comes out, and the value is unknown: it never has the name of a known one. What takes the
 * hook DLL's frames has tests of its own, which `hook_rows` names. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/exit_code.h"
#include "monitor/feed/late_join.h"
#include "monitor/feed/late_join_counters.h"
#include "monitor/feed/late_join_markers.h"
#include "monitor/feed/late_join_stacks.h"
#include "monitor/listen/lines.h"
#include "monitor/options/commands.h"
#include "monitor/options/exports.h"
#include "monitor/recorded/recorded.h"
#include "monitor/replay/replay.h"
#include "monitor/writers/csv.h"
#include "monitor/writers/flight.h"
#include "monitor/writers/prometheus.h"
#include "monitor/writers/recorder.h"
#include "overlay/model.h"
#include "tests/json_read.h"
#include "tests/recording_file.h"
#include "tests/unit/writers/flown.h"
#include "tests/written.h"

#define S UM_CLOCK_NS_PER_S
#define LONG_NS (60 * S)
#define MOST_FRAMES 400
#define SEVEN UINT64_C(0x401c000000000000) /* the bits of 7.0 */

/* The fields ----------------------------------------------------------------------------------- */

struct field {
    const char *name;
    size_t at, bytes;
    uint64_t most;
};

static size_t within; /* such fields in the parts and lists of a frame, which are not tried */

static inline size_t list_none(struct field *list)
{
    (void)list;
    return 0;
}

#define BEGIN(form)                                                                                \
    static inline size_t list_##form(struct field *list)                                           \
    {                                                                                              \
        typedef struct um_wire_##form here;                                                        \
        size_t count = 0;
#define FIELD(kind, type, name, suffix, times, least, most, form)                                  \
    if (strncmp(#kind, "ENUM", 4) == 0)                                                            \
        list[count++] =                                                                            \
            (struct field){#name, offsetof(here, name), sizeof((here *)0)->name, most};            \
    within += list_##form(list + count + within);
#define END(form)                                                                                  \
    return count;                                                                                  \
    }
#include "ipc/frames.def"

static const struct type {
    uint8_t number;
    const char *name;
    size_t (*fields)(struct field *list);
    const char *says; /* empty: it is in no feed */
} types[] = {
#define FRAME(number, name, form, flags, late, sent, reach, says)                                  \
    {number, #name, list_##form, says},
#include "ipc/frames.def"
};

/* Where each field is shown, and what stands there if its value is unknown. */
enum output {
    LISTEN_JSON,
    LISTEN_TEXT,
    LISTEN_CSV,
    SUMMARY_TEXT,
    OVERLAY,
    CSV_LOG,
    PROMETHEUS,
    REPORT_JSON,
    REPORT_PAGE,
    EXPORTED, /* the first of the exports */
    OUTPUTS = EXPORTED + 8
};

static const struct row {
    uint8_t type;
    const char *field;
    const char *names; /* of known values, with commas; "": it is shown by no name */
    enum output output;
    const char *unknown; /* NULL: what is unknown is absent */
} rows[] = {
    {UM_WIRE_SESSION, "probe", "raw,mouse", 0, NULL},
    {UM_WIRE_SESSION, "probe_status", "", 0, NULL},
    {UM_WIRE_SESSION, "probe_reason", "", 0, NULL},
    {UM_WIRE_EPISODE, "state", "frozen,starved,blind,idle,suspended,slow,own_beat", 0, NULL},
    {UM_WIRE_STATUS, "state", "frozen,starved,blind,idle,suspended", LISTEN_JSON,
     "\"before\":\"responsive\",\"state\":\"unknown\""},
    {UM_WIRE_STATUS, "state", "", LISTEN_TEXT, "s  unknown  System.Runtime/cpu-usage 7\n"},
    {UM_WIRE_STATUS, "state", "", OVERLAY, "unknown, 1\n"},
    {UM_WIRE_END, "reason", "stopped,gone,failed", LISTEN_JSON, "\"reason\":\"unknown\""},
    {UM_WIRE_END, "reason", "", LISTEN_TEXT, "SessionEnded unknown"},
    {UM_WIRE_INTERACTION, "kind", "key,click,wheel", REPORT_JSON, "\"kind\":\"unknown\""},
    {UM_WIRE_INTERACTION, "kind", "", EXPORTED + 2, "\"Input handled #"},
    {UM_WIRE_INTERACTION, "kind", "", EXPORTED + 4, "\"Input handled\""},
    {UM_WIRE_INTERACTION, "kind", "", EXPORTED + 5, ",Input handled,"},
    {UM_WIRE_VIEW, "panel", "", 0, NULL},
    {UM_WIRE_VIEW, "layout", "", 0, NULL},
    {UM_WIRE_BEAT_KIND, "kind", "zero,pair,still", 0, NULL},
    {UM_WIRE_BEAT_KIND, "held", "button,pointer", 0, NULL},
    {UM_WIRE_SAMPLE, "stopped", "unwind data", 0, NULL},
    {UM_WIRE_NAME, "kind", "managed", 0, NULL},
    {UM_WIRE_NAME, "why", "managed,module's file,symbols", 0, NULL},
    {UM_WIRE_COUNTER, "kind", "mean,increment", LISTEN_JSON, "\"type\":\"unknown\""},
    {UM_WIRE_COUNTER, "kind", "", LISTEN_CSV, ",unknown,System.Runtime/later,NA,"},
    {UM_WIRE_TRACED_CALL, "kind", "sent,retrieved,other", REPORT_JSON, "\"kind\":\"unknown\""},
    {UM_WIRE_WAIT, "kind", "lock,mutex", REPORT_JSON, "\"what\":\"unknown\""},
    {UM_WIRE_WAIT, "kind", "", SUMMARY_TEXT, "for process 99"},
    {UM_WIRE_WAIT, "kind", "", REPORT_PAGE, "\"waits\":{\"0\":\"for process 99\""},
    {UM_WIRE_COSTLIEST, "kind", "\"how\":,in WM_PAINT", REPORT_JSON,
     "\"costliest\":{\"message\":\"WM_PAINT\",\"ms\":500}"},
    {UM_WIRE_PROFILE, "scope", "", 0, NULL},
    {UM_WIRE_PROFILE, "by", "", 0, NULL},
    {UM_WIRE_MARKER_KIND, "source", "", 0, NULL},
    {UM_WIRE_MARKERS_LOST, "source", "program,messages,.NET", 0, NULL},
    {UM_WIRE_METHODS, "depth", "\"depth\":\"counts\",\"depth\":\"times\"", REPORT_JSON,
     "\"depth\":\"unknown\""},
    {UM_WIRE_METHODS, "depth", "", REPORT_PAGE, "\"depth\":\"unknown\""},
};

/* Who asks what becomes of the hook DLL's; tools/references.py asks that the test exists. */
static const struct hook_row {
    uint8_t type;
    const char *field, *test;
} hook_rows[] = {
    {UM_WIRE_SENT, "beat_kind", "simulation/words_of_a_later_dll_change_no_number"},
    {UM_WIRE_PROBE, "probe", "simulation/words_of_a_later_dll_change_no_number"},
    {UM_WIRE_PROBE, "status", "watchdog/is_blind_while_a_probe_is_in_a_state_of_a_later_version"},
    {UM_WIRE_PROBE, "reason", "simulation/words_of_a_later_dll_change_no_number"},
    {UM_WIRE_PROBE, "held", "simulation/words_of_a_later_dll_change_no_number"},
    {UM_WIRE_TRACE_CALL, "kind", "message_markers/how_a_later_dll_saw_it_is_not_known"},
    {UM_WIRE_LAYOUT_STEPS, "step", "layout/ignores_what_it_does_not_know"},
    {UM_WIRE_LAYOUT_STEPS, "kind", "layout/ignores_what_it_does_not_know"},
    {UM_WIRE_MARK, "what", "own_markers/what_a_later_dll_tells_is_left_out"},
    {UM_WIRE_MARK, "kind", "own_markers/what_a_later_dll_tells_is_left_out"},
};

/* What the ordinary frames say. */
static const struct fact {
    enum output output;
    const char *text;
} facts[] = {
    {LISTEN_JSON, "\"event\":\"UiHangDetected\",\"hang\":1,\"state\":\"frozen\""},
    {LISTEN_JSON, "\"System.Runtime/cpu-usage\":{\"mean\":7"},
    {LISTEN_JSON, "\"event\":\"SessionEnded\""},
    {LISTEN_TEXT, "UiHangEnded"},
    {LISTEN_CSV, ",mean,System.Runtime/cpu-usage,7,%"},
    {REPORT_JSON, "\"key\":{\"count\":1,"},
    {REPORT_JSON, "\"kind\":\"sent\",\"message\":\"WM_PAINT\""},
    {REPORT_JSON, "\"method\":\"App.Main\",\"module\":\"app.exe\",\"calls\":3"},
    {SUMMARY_TEXT, "App.Main, app.exe"},
    {SUMMARY_TEXT, "parse"},
    {OVERLAY, "responsive, 1\n"},
    {CSV_LOG, ",freeze,2.000000,NA,NA,frozen,800.000,"},
    {CSV_LOG, ",input,"},
    {PROMETHEUS, "state=\"frozen\"} 1\n"},
    {PROMETHEUS, "state=\"starved\"} 0\n"},
    {REPORT_JSON, "\"duration_ms\":800,\"state\":\"frozen\""},
    {REPORT_PAGE, "\"interactions_unlisted\":0"},
    {EXPORTED, "parse"},
    {EXPORTED + 1, "app!parse "},
    {EXPORTED + 2, "parse"},
    {EXPORTED + 5, ",Load,"},
    {EXPORTED + 3, "parse"},
    {EXPORTED + 6, "Tag=beats,0.000,"},
    {EXPORTED + 7, "1.000000000000"},
};

/* A feed --------------------------------------------------------------------------------------- */

static char dir[] = "/tmp/uimon-unknown-XXXXXX";
static struct um_wire_frame frames[MOST_FRAMES];
static size_t frame_count;
static const struct type *type; /* of the frame with the unknown value; NULL: there is none */
static const struct field *field;
static uint8_t value;
static struct recording_file file; /* all of them, as a later version would write it */

static void put(const struct um_wire_frame *frame)
{
    cr_assert_lt(frame_count, MOST_FRAMES);
    frames[frame_count++] = *frame;
    recording_file_put(&file, frame);
}

/* Whether it is a frame with the value. */
static bool is_unknown(const struct um_wire_frame *frame)
{
    const uint8_t *at = (const uint8_t *)&frame->as + field->at;
    return frame->type == type->number && *at == UM_WIRE_UNKNOWN;
}

/* Puts a frame like this one whose field has the value, as a later version writes it. */
static void put_unknown(struct um_wire_frame frame)
{
    uint8_t bytes[UM_WIRE_MAX_BYTES], other[UM_WIRE_MAX_BYTES];
    uint8_t *at = (uint8_t *)&frame.as + field->at;
    size_t len, consumed, place = 0;
    memset(at, 0, field->bytes);
    cr_assert_eq(um_wire_encode(&frame, other, sizeof other, &len), UM_OK, "%s", type->name);
    *at = UM_WIRE_UNKNOWN;
    cr_assert_eq(um_wire_encode(&frame, bytes, sizeof bytes, &len), UM_OK);
    while (bytes[place] == other[place])
        place++;
    bytes[place] = value;
    memset(&frames[frame_count], 0, sizeof frame);
    cr_assert_eq(um_wire_decode(bytes, len, &frames[frame_count], &consumed), UM_OK);
    cr_assert(is_unknown(&frames[frame_count++]));
    recording_file_payload(&file, bytes, len);
}

/* A frame for the value: the last of its type, as another one of that. */
static struct um_wire_frame another(uint64_t now_ns)
{
    struct um_wire_frame frame = {.type = type->number};
    for (size_t i = 0; i < frame_count; i++)
        if (frames[i].type == frame.type)
            frame = frames[i];
    if (frame.type == UM_WIRE_EPISODE) {
        frame.flags = UM_WIRE_EPISODE_BEGIN;
        frame.as.episode = (struct um_wire_episode){.start_ns = now_ns, .end_ns = now_ns, .id = 2};
    } else if (frame.type == UM_WIRE_COUNTER) {
        frame.as.counter.number = 1;
        strcpy(frame.as.counter.name, "later");
    } else if (frame.type == UM_WIRE_TRACED_CALL) {
        frame.as.traced_call.node = 2;
    } else if (frame.type == UM_WIRE_TRACE_CALL) {
        frame.as.trace_call.node = 2;
    } else if (frame.type == UM_WIRE_MARKER_KIND) {
        frame.as.marker_kind.number = 2;
    } else if (frame.type == UM_WIRE_MARKERS_LOST) {
        frame.as.markers_lost.lost = 8;
    } else if (frame.type == UM_WIRE_WAIT) {
        frame.as.wait.thread = 0;
    }
    return frame;
}

/* A frame of each type that flown.h does not have. */
static void put_others(uint64_t now_ns)
{
    const struct um_wire_frame others[] = {
        {.type = UM_WIRE_VIEW},
        {.type = UM_WIRE_BEAT_KIND, .as.beat_kind.kind = UM_BEAT_KIND_ZERO},
        {.type = UM_WIRE_PROFILE, .as.profile = {.scope = UM_WIRE_SCOPE_SESSION, .samples = 5}},
        {.type = UM_WIRE_COUNTER, .as.counter = {0, 0, "System.Runtime", "cpu-usage", "", "%"}},
        {.type = UM_WIRE_INTERACTION,
         .as.interaction = {now_ns - 70 * FLOWN_MS, now_ns - 60 * FLOWN_MS, now_ns, 0, 1}},
        {.type = UM_WIRE_TRACED_CALL, .as.traced_call = {.node = 1, .message = 0xf}},
        {.type = UM_WIRE_METHOD, .as.method = {1, "app.exe", "App.Main"}},
        {.type = UM_WIRE_METHODS, .as.methods = {.methods = 1, .threads = 1, .on = 1}},
        {.type = UM_WIRE_MARKER_KIND, .as.marker_kind = {.number = 1, .name = "Load"}},
        {.type = UM_WIRE_MARKER, .as.marker = {.start_ns = now_ns, .kind = 1, .thread = 12}},
        {.type = UM_WIRE_MARKERS_LOST, .as.markers_lost = {.time_ns = now_ns, .lost = 7}},
        {.type = UM_WIRE_WAIT,
         .as.wait = {.freeze = 1, .thread = 12, .process = 99, .kind = UM_WIRE_WAIT_LOCK}},
        {.type = UM_WIRE_COSTLIEST,
         .as.costliest = {
             .length_ns = 500 * FLOWN_MS, .freeze = 1, .message = 0xf, .kind = UM_TRACE_SENT}}};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        put(&others[i]);
}

/* What follows on two traced calls, a method, two kinds of markers and two counters. */
static void put_values(void)
{
    const struct um_wire_frame values[] = {
        {.type = UM_WIRE_TRACED_TIMES,
         .as.traced_list = {.count = 2, .list = {{1, 3, 3, 0, 9, 9, 0}, {2, 3, 3, 0, 9, 9, 0}}}},
        {.type = UM_WIRE_METHOD_CALLS,
         .as.method_calls = {.count = 1, .list = {{1, 0, 1, 11, 3, 3, 9, 9, 9}}}},
        {.type = UM_WIRE_MARKER, .as.marker = {.kind = 2, .thread = 12}},
        {.type = UM_WIRE_COUNTER_VALUE, .as.counter_value = {.value = SEVEN, .number = 0}},
        {.type = UM_WIRE_COUNTER_VALUE, .as.counter_value = {.value = SEVEN, .number = 1}}};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        put(&values[i]);
}

/* Two seconds, a freeze, and four seconds with the value. A state lasts for 600 ms. */
static void make_feed(void)
{
    struct flown flown;
    struct um_wire_frame frame = {0};
    const uint8_t turn = type ? type->number : 0;
    frame_count = 0;
    recording_file_free(&file);
    recording_file_begin(&file);
    flown_begin(&flown, put);
    flown_for(&flown, 2000);
    flown_freeze(&flown);
    flown_for(&flown, 700);
    flown_thaw(&flown);
    flown_stack(&flown);
    put_others(flown.now_ns);
    flown_for(&flown, 1200);
    if (turn != 0 && turn != UM_WIRE_END)
        put_unknown(frame = another(flown.now_ns));
    put_values();
    if (turn == UM_WIRE_STATUS) {
        frame.as.status.time_ns = flown.now_ns += 600 * FLOWN_MS;
        put_unknown(frame);
    } else {
        flown_for(&flown, 600);
    }
    if (turn == UM_WIRE_EPISODE) {
        frame.flags = UM_WIRE_EPISODE_END;
        frame.as.episode.end_ns = flown.now_ns;
        put_unknown(frame);
    }
    flown_for(&flown, 2400);
    frame = (struct um_wire_frame){.type = UM_WIRE_END, .as.end.time_ns = flown.now_ns};
    if (turn == UM_WIRE_END)
        put_unknown(frame);
    else
        put(&frame);
    recording_file_cut(&file);
}

/* Everything that takes frames ----------------------------------------------------------------- */

static FILE *out[OUTPUTS];
static char *texts[OUTPUTS], *ordinary[OUTPUTS]; /* `ordinary`: of the feed without the value */
static struct um_lines_about about = {.wanted = {true}};
static struct um_recorded recorded;
static struct um_options options;
static char path[128];

static const char *path_of(const char *name)
{
    snprintf(path, sizeof path, "%s/%s", dir, name);
    return path;
}

/* The JSON of a text, as one line without spaces. It must be JSON. */
static void put_json(enum output output, const char *text, size_t len)
{
    cJSON *root = cJSON_ParseWithLength(text, len);
    cr_assert(root, "output %d is no JSON: %.200s", (int)output, text);
    char *line = cJSON_PrintUnformatted(root);
    fprintf(out[output], "%s\n", line);
    cJSON_free(line);
    cJSON_Delete(root);
}

/* An export, of a profile without what it says about its own words. */
static void put_export(enum output output, const char *text, size_t len)
{
    cJSON *root = cJSON_ParseWithLength(text, len);
    cJSON_DeleteItemFromObject(cJSON_GetObjectItem(root, "meta"), "markerSchema");
    char *line = cJSON_PrintUnformatted(root);
    cr_assert(line, "output %d is no JSON: %.200s", (int)output, text);
    put_json(output, line, strlen(line));
    cJSON_free(line);
    cJSON_Delete(root);
}

static void put_interval(void *context, const struct um_counters_interval *interval)
{
    (void)context;
    cr_assert_eq(um_lines_json_interval(out[LISTEN_JSON], &about, interval), UM_OK);
    cr_assert_eq(um_lines_csv_interval(out[LISTEN_CSV], &about, interval), UM_OK);
    cr_assert_eq(um_lines_text_interval(out[LISTEN_TEXT], &about, interval), UM_OK);
}

static void put_event(void *context, const struct um_counters_event *event)
{
    char line[UM_LINES_EVENT_BYTES];
    (void)context;
    cr_assert_eq(um_lines_json_event(out[LISTEN_JSON], &about, event), UM_OK);
    cr_assert_eq(um_lines_csv_event(out[LISTEN_CSV], &about, event), UM_OK);
    um_lines_text_event(line, &about, event);
    fprintf(out[LISTEN_TEXT], "%s\n", line);
}

static void put_target(void *context, const struct um_counters_target *target)
{
    (void)context;
    cr_assert_eq(um_lines_json_target(out[LISTEN_JSON], &about, target), UM_OK);
}

/* Whoever comes late is told of the value. */
static void expect_known(const struct um_late_join *known,
                         const struct um_late_join_counters *counters,
                         const struct um_late_join_markers *markers)
{
    static uint8_t bytes[UM_LATE_JOIN_BYTES + 4 * UM_WIRE_MAX_BYTES];
    struct um_wire_frame frame = {0};
    size_t len = um_late_join_encode(known, bytes), next = 0, used;
    bool found = false;
    len += um_late_join_counters_encode(counters, &next, UM_WIRE_COUNTERS, bytes + len,
                                        sizeof bytes - len);
    next = 0;
    len += um_late_join_markers_encode(markers, &next, markers->count, bytes + len,
                                       sizeof bytes - len);
    for (size_t at = 0; at < len; at += used) {
        cr_assert_eq(um_wire_decode(bytes + at, len - at, &frame, &used), UM_OK);
        cr_expect(at > 0 || frame.type == UM_WIRE_SESSION);
        found |= is_unknown(&frame);
    }
    cr_expect(found, "%s.%s", type->name, field->name);
}

static void view(const struct um_wire_frame *frame)
{
    static struct um_model_view seen;
    static struct um_model model;
    if (frame->type == UM_WIRE_SESSION)
        um_model_init(&model);
    um_model_frame(&model, frame, um_wire_time_of(frame));
    um_model_view(&model, um_wire_time_of(frame), &seen);
    fprintf(out[OVERLAY], "%s, %d\n", um_wire_state_words(seen.state, seen.window_only),
            seen.session_profile.known ? seen.session_profile.of.scope : 0);
}

/* What is told of while the feed goes on. */
static void take_live(void)
{
    static struct um_late_join known;
    static struct um_late_join_counters known_counters;
    static struct um_late_join_markers known_markers;
    const struct um_counters_taker taker = {NULL, put_interval, put_event, put_target};
    struct um_prometheus *prometheus;
    struct um_counters *counters;
    struct um_csv *csv;

    memset(&known, 0, sizeof known);
    memset(&known_counters, 0, sizeof known_counters);
    cr_assert_eq(um_counters_open(S / 2, &taker, &counters), UM_OK);
    cr_assert_eq(um_csv_open(out[CSV_LOG], &csv), UM_OK);
    cr_assert_eq(um_prometheus_open("host", &prometheus), UM_OK);
    for (size_t i = 0; i < frame_count; i++) {
        const struct um_wire_frame *frame = &frames[i];
        if (frame->type == UM_WIRE_SESSION)
            about.session = &frame->as.session;
        um_counters_frame(counters, frame);
        um_csv_frame(csv, frame);
        um_prometheus_frame(prometheus, frame);
        um_late_join_take(&known, frame);
        um_late_join_counters_take(&known_counters, frame);
        um_late_join_markers_take(&known_markers, frame);
        if (type && is_unknown(frame) && um_wire_late(frame->type) != UM_WIRE_LATE_NOT &&
            !um_late_join_stacks_wants(frame->type) && /* these are kept as their bytes */
            !(frame->type == UM_WIRE_EPISODE && frame->flags & UM_WIRE_EPISODE_END))
            expect_known(&known, &known_counters, &known_markers);
        view(frame);
    }
    cr_assert_eq(um_prometheus_write(prometheus, out[PROMETHEUS]), UM_OK);
    um_late_join_markers_deinit(&known_markers);
    um_counters_close(counters);
    um_prometheus_close(prometheus);
    um_csv_close(csv);
}

static void hear(void *context, struct um_feed_item *item)
{
    *(bool *)context |= type && is_unknown(item->frame);
}

static void take_replay(void)
{
    bool is_live = type && (type->number == UM_WIRE_VIEW || type->number == UM_WIRE_PROFILE);
    bool heard = !type || !type->says[0] || is_live; /* else it is in recordings */
    const struct um_feed_output output = {.context = &heard, .take = hear};
    struct um_replay *replay;
    char error[UM_RECORDING_ERROR_BYTES];
    cr_assert_eq(um_replay_open(path_of("later.uirec"), &output, &replay, error, sizeof error),
                 UM_OK, "%s", error);
    um_replay_play(replay, um_replay_info(replay)->length_ns);
    um_replay_end(replay);
    cr_expect_eq(um_replay_info(replay)->end, UM_OK);
    cr_expect_eq(um_replay_info(replay)->freeze_count, 1);
    um_replay_seek(replay, S);
    um_replay_close(replay);
    cr_expect(heard, "%s.%s", type ? type->name : "", type ? field->name : "");
}

static void expect_recording(const char *name)
{
    memset(&recorded, 0, sizeof recorded);
    cr_assert_eq(um_recorded_read_file(name, &recorded), UM_OK, "%s", recorded.problem);
    cr_expect(recorded.whole, "%s: %s", name, recorded.problem);
    cr_expect_eq(recorded.summary.freezes->count, 1, "%s", name);
    cr_expect(um_stats_stack_of(recorded.summary.stacks, 1), "%s", name);
    cr_assert_eq(um_summary_text_write(out[SUMMARY_TEXT], &recorded.summary), UM_OK);
    um_recorded_deinit(&recorded);
}

/* What takes the frames on a thread of its own. */
static void take_threads(void)
{
    const struct um_wire_recording header = {.version = "0.1.0"};
    const struct um_flight_config config = {
        .dir = dir, .keep_s = 5, .over_ms = 500, .most = 1, .header = header};
    struct um_recorder *recorder;
    struct um_flight *flight;
    struct um_feed_output outputs[2];
    char error[1024], bundle[UM_PLATFORM_PATH_BYTES + 32];

    remove(path_of("made.uirec"));
    cr_assert_eq(um_recorder_open(path, false, &header, &recorder, error, sizeof error), UM_OK);
    cr_assert_eq(um_flight_open(&config, &flight, error, sizeof error), UM_OK, "%s", error);
    outputs[0] = um_recorder_output(recorder);
    outputs[1] = um_flight_output(flight);
    for (size_t i = 0; i < frame_count; i++)
        um_feed_publish(outputs, 2, &frames[i]);
    cr_expect_eq(um_feed_lost(outputs, 2), 0);
    cr_assert_eq(um_recorder_close(recorder, LONG_NS), UM_OK);
    cr_assert_eq(um_flight_finish(flight, LONG_NS), UM_OK);
    cr_assert_eq(um_flight_count(flight), 1);
    snprintf(bundle, sizeof bundle, "%s/recording.uirec", um_flight_bundle(flight, 0)->folder);
    expect_recording(bundle);
    expect_recording(path_of("made.uirec"));
    snprintf(bundle, sizeof bundle, "rm -r '%s'", um_flight_bundle(flight, 0)->folder);
    cr_assert_eq(system(bundle), 0);
    um_flight_close(flight);
}

/* What reads a recording that a later version has made: the commands themselves. */
static void take_recording(void)
{
    char recording[sizeof path], page[sizeof path], json[sizeof path];
    size_t len;
    FILE *to = fopen(path_of("later.uirec"), "wb");
    cr_assert(to && fwrite(file.bytes, 1, file.len, to) == file.len && fclose(to) == 0);
    strcpy(recording, path);
    strcpy(page, path_of("report.html"));
    strcpy(json, path_of("report.json"));
    options = (struct um_options){.files = {recording},
                                  .file_count = 1,
                                  .quiet = true,
                                  .html = page,
                                  .json = json,
                                  .mine = "app.exe"};
    cr_assert_eq(um_report_command_run(&options), UM_EXIT_DONE);
    const char *text = written_file(json, &len);
    put_json(REPORT_JSON, text, len);
    text = strstr(written_file(page, NULL), "<script id=\"data\" type=\"application/json\">");
    text = strchr(text, '>') + 1;
    put_json(REPORT_PAGE, text, (size_t)(strstr(text, "</script") - text));
    options.mine = NULL;
    for (int i = 0; i < OUTPUTS - EXPORTED; i++) {
        options.format = i;
        options.output = path_of("exported");
        cr_assert_eq(um_export_command_run(&options), UM_EXIT_DONE);
        text = written_file(path, &len);
        if (text[0] == '{')
            put_export(EXPORTED + i, text, len);
        for (size_t at = 0; text[0] != '{' && at < len; at++)
            fputc(text[at] ? text[at] : ' ', out[EXPORTED + i]);
    }
    expect_recording(path_of("later.uirec"));
    take_replay();
}

/* Makes the texts of all outputs. */
static void take_all(void)
{
    size_t lens[OUTPUTS];
    make_feed();
    for (int i = 0; i < OUTPUTS; i++)
        cr_assert(out[i] = open_memstream(&texts[i], &lens[i]));
    take_live();
    take_recording();
    take_threads();
    for (int i = 0; i < OUTPUTS; i++)
        fclose(out[i]);
    for (const char *line = texts[LISTEN_JSON], *end; (end = strchr(line, '\n')); line = end + 1) {
        cJSON *root = cJSON_ParseWithLength(line, (size_t)(end - line));
        cr_assert(root, "%s", line);
        cJSON_Delete(root);
    }
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++)
        cr_expect(strstr(texts[facts[i].output], facts[i].text), "%s.%s: '%s' is not in %s",
                  type ? type->name : "", type ? field->name : "", facts[i].text,
                  texts[facts[i].output]);
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (text = strstr(text, part); text; text = strstr(text + 1, part))
        count++;
    return count;
}

/* No known name is written more often than without the unknown value. */
static void expect_no_name(const char *names)
{
    char list[128];
    snprintf(list, sizeof list, "%s", names);
    for (char *name = strtok(list, ","); name; name = strtok(NULL, ","))
        for (int i = 0; i < OUTPUTS; i++)
            cr_expect_leq(count_of(texts[i], name), count_of(ordinary[i], name),
                          "%s.%s is '%s' in %s", type->name, field->name, name, texts[i]);
}

static void expect_unknown(void)
{
    bool found = false;
    for (const struct row *row = rows; row < rows + sizeof rows / sizeof rows[0]; row++) {
        if (row->type != type->number || strcmp(row->field, field->name) != 0)
            continue;
        found = true;
        expect_no_name(row->names);
        cr_expect(!row->unknown || strstr(texts[row->output], row->unknown),
                  "%s.%s: '%s' is not in %s", type->name, field->name, row->unknown,
                  texts[row->output]);
    }
    cr_expect(found, "%s.%s is in no row", type->name, field->name);
}

static void expect_hook_row(void)
{
    bool found = false;
    for (size_t i = 0; i < sizeof hook_rows / sizeof hook_rows[0]; i++)
        found |= hook_rows[i].type == type->number && strcmp(hook_rows[i].field, field->name) == 0;
    cr_expect(found, "%s.%s is in no row", type->name, field->name);
}

static void make_dir(void)
{
    cr_assert(mkdtemp(dir));
}

static void remove_dir(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", dir);
    cr_assert_eq(system(command), 0);
    recording_file_free(&file);
}

TestSuite(unknown_values, .init = make_dir, .fini = remove_dir, .threads = true);

Test(unknown_values, are_unknown_wherever_they_come_out)
{
    take_all();
    memcpy(ordinary, texts, sizeof texts);
    for (type = types; type < types + sizeof types / sizeof types[0]; type++) {
        struct field list[16];
        within = 0;
        size_t count = type->fields(list);
        if (!type->says[0]) {
            for (field = list; field < list + count + within; field++)
                expect_hook_row();
            continue;
        }
        /* tests/unit/flows/test_recorded_markers.c has fields of markers of a later kind. */
        cr_expect(within == 0 || type->number == UM_WIRE_MARKER_KIND,
                  "%s has such a field in a part", type->name);
        for (field = list; field < list + count; field++)
            for (int i = 0; i < 2; i++) {
                value = i == 0 ? (uint8_t)(field->most + 1) : UM_WIRE_UNKNOWN;
                take_all();
                expect_unknown();
                for (int j = 0; j < OUTPUTS; j++)
                    free(texts[j]);
            }
    }
    for (int i = 0; i < OUTPUTS; i++)
        free(ordinary[i]);
}
