/* Markers of a recording: beats, input, freezes, those that have frames, and their flows. */
#include <math.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/double_bits.h"
#include "base/plain/clock.h"
#include "monitor/flows/flows.h"
#include "monitor/flows/recorded_markers.h"
#include "tests/unit/flows/marker_text.h"

#define MS UM_CLOCK_NS_PER_MS
#define BEGIN_NS (1000 * UM_CLOCK_NS_PER_S)

static uint8_t file[UM_RECORDING_HEADER_BYTES + sizeof(struct um_recording_block)];
static struct um_recording_block block;
static struct um_markers markers;
static struct um_flows flows;
static size_t most = UM_MARKERS_MOST;
static char text[32768], error[UM_RECORDING_ERROR_BYTES];

static void put(const struct um_wire_frame *frame)
{
    cr_assert_eq(um_recording_add(&block, frame), UM_OK);
}

static void put_session(uint32_t tid)
{
    struct um_wire_frame frame = {.type = UM_WIRE_SESSION};
    frame.as.session = (struct um_wire_session){
        .start_ns = BEGIN_NS, .pid = 7, .tid = tid, .name = "editor.exe", .bits = 64};
    put(&frame);
}

static void setup(void)
{
    struct um_wire_frame frame = {.type = UM_WIRE_RECORDING};
    put(&frame);
    put_session(5);
}

static void teardown(void)
{
    um_flows_deinit(&flows);
    um_markers_deinit(&markers);
}

TestSuite(recorded_markers, .init = setup, .fini = teardown);

static void put_beat(uint32_t seq, uint64_t sent_ms, uint64_t latency_ms, uint8_t flags)
{
    struct um_wire_frame frame = {.type = UM_WIRE_BEAT, .flags = flags};
    frame.as.beat = (struct um_wire_beat){
        .sent_ns = BEGIN_NS + sent_ms * MS, .latency_ns = latency_ms * MS, .seq = seq};
    put(&frame);
}

static void put_freeze(uint32_t id, uint64_t start_ms, uint64_t end_ms)
{
    struct um_wire_frame frame = {.type = UM_WIRE_EPISODE, .flags = UM_WIRE_EPISODE_BEGIN};
    frame.as.episode = (struct um_wire_episode){.start_ns = BEGIN_NS + start_ms * MS,
                                                .end_ns = BEGIN_NS + start_ms * MS,
                                                .id = id,
                                                .state = UM_STATE_FROZEN};
    put(&frame);
    frame.flags = UM_WIRE_EPISODE_END | UM_WIRE_EPISODE_HAS_MESSAGE;
    frame.as.episode.end_ns = BEGIN_NS + end_ms * MS;
    frame.as.episode.message = 0x100;
    strcpy(frame.as.episode.window_class, "Edit");
    put(&frame);
}

static void put_key(uint32_t id, uint32_t freeze, uint64_t arrival_ms, uint64_t dequeued_ms,
                    uint64_t handled_ms, uint64_t painted_ms)
{
    struct um_wire_frame frame = {.type = UM_WIRE_INTERACTION};
    frame.as.interaction =
        (struct um_wire_interaction){.arrival_ns = arrival_ms ? BEGIN_NS + arrival_ms * MS : 0,
                                     .dequeued_ns = BEGIN_NS + dequeued_ms * MS,
                                     .handled_ns = handled_ms ? BEGIN_NS + handled_ms * MS : 0,
                                     .painted_ns = painted_ms ? BEGIN_NS + painted_ms * MS : 0,
                                     .id = id,
                                     .freeze = freeze,
                                     .kind = UM_INTERACTION_KEY};
    put(&frame);
}

/* A key that the recording names, by its virtual key; 0: it does not. */
static void put_kept_key(uint32_t id, uint64_t arrival_ms, uint32_t virtual_key, uint8_t kind)
{
    struct um_wire_frame frame = {.type = UM_WIRE_INTERACTION};
    frame.as.interaction =
        (struct um_wire_interaction){.arrival_ns = arrival_ms ? BEGIN_NS + arrival_ms * MS : 0,
                                     .dequeued_ns = BEGIN_NS + (10 + id) * MS,
                                     .id = id,
                                     .key = virtual_key,
                                     .kind = kind};
    put(&frame);
}

static void put_end(void)
{
    struct um_wire_frame frame = {.type = UM_WIRE_END};
    put(&frame);
}

static enum um_status read_markers(void)
{
    struct um_recording *recording;
    size_t len = um_recording_finish(&block);
    um_recording_put_header(file);
    memcpy(file + UM_RECORDING_HEADER_BYTES, block.bytes, len);
    cr_assert_eq(um_recording_open_memory(file, UM_RECORDING_HEADER_BYTES + len, "r.uirec",
                                          &recording, error, sizeof error),
                 UM_OK, "%s", error);
    enum um_status status =
        um_recorded_markers_read(recording, most, &markers, error, sizeof error);
    um_recording_close(recording);
    cr_assert_eq(um_markers_finish(&markers), UM_OK);
    cr_assert_eq(um_flows_init(&flows, &markers), UM_OK);
    return status;
}

/* The flow of one of the fields of a marker that are flows; NULL if there are not as many. */
static const struct um_flow *flow_of(const char *marker, size_t field)
{
    uint32_t number = um_markers_find(&markers, marker);
    cr_assert_neq(number, UM_MARKERS_NONE, "%s", marker);
    for (uint32_t k = 0; k < markers.list[number].field_count; k++) {
        uint32_t place = markers.list[number].first_field + k;
        if (um_markers_is_flow(&markers.fields[place]) && field-- == 0)
            return &flows.list[um_flows_of_field(&flows, place)];
    }
    return NULL;
}

/* The names of the markers of that flow. */
static void expect_flow(const char *marker, size_t field, const char *names)
{
    char found[512] = "";
    const struct um_flow *flow = flow_of(marker, field);
    for (uint32_t i = 0; flow && i < flow->count; i++) {
        const struct um_marker *of = &markers.list[flows.members[flow->first + i]];
        strcat(strcat(found, i ? ", " : ""), um_markers_get_text(&markers, of->name));
    }
    cr_expect_str_eq(found, names, "%s", found);
}

/* A beat and a key wait through a freeze from 100 to 400 ms. */
static void put_held_up_key(void)
{
    put_beat(1, 50, 1, 0);
    put_beat(2, 101, 299, 0);
    put_freeze(3, 100, 400);
    put_key(1, 3, 200, 401, 405, 420);
    put_beat(3, 430, 1, 0);
    put_end();
}

Test(recorded_markers, a_key_in_a_freeze_is_one_flow_from_arrival_to_paint)
{
    put_held_up_key();
    cr_assert_eq(read_markers(), UM_OK);
    cr_expect_str_empty(error);
    expect_flow("input:1", 0, "Key arrived, Key taken, Key handled, Key painted");
    const struct um_flow *flow = &flows.list[um_flows_of_field(
        &flows, markers.list[um_markers_find(&markers, "input:1")].first_field)];
    cr_expect_eq(flow->start_ns, 200 * (int64_t)MS);
    cr_expect_eq(flow->end_ns, 420 * (int64_t)MS);
}

Test(recorded_markers, what_a_freeze_held_up_joins_it)
{
    put_held_up_key();
    cr_assert_eq(read_markers(), UM_OK);
    expect_flow("5:2", 0, "Frozen, Beat taken, Key taken");
}

Test(recorded_markers, a_beat_is_sent_taken_and_answered)
{
    put_held_up_key();
    cr_assert_eq(read_markers(), UM_OK);
    expect_flow("heartbeat:1", 0, "Beat sent, Beat taken, Beat answered");
    expect_flow("monitor:3", 0, "Beat sent, Beat taken, Beat answered");
    cr_expect_eq(markers.list[um_markers_find(&markers, "monitor:2")].start_ns, 400 * (int64_t)MS);
}

Test(recorded_markers, markers_of_the_ui_thread_in_their_order)
{
    put_held_up_key();
    cr_assert_eq(read_markers(), UM_OK);
    const struct um_marker_thread *thread = &markers.threads[0];
    static const char *const names[] = {"Beat taken",  "Frozen",      "Beat taken", "Key taken",
                                        "Key handled", "Key painted", "Beat taken"};
    cr_assert_eq(thread->count, 7);
    cr_expect_str_eq(thread->label, "5");
    for (uint32_t i = 0; i < 7; i++)
        cr_expect_str_eq(um_markers_get_text(&markers, markers.list[thread->first + i].name),
                         names[i]);
    cr_expect(strstr(marker_text(&markers, text, sizeof text), "5:2 Frozen 100-400; freeze=>"),
              "%s", text);
    cr_expect(strstr(text, "; message=WM_KEYDOWN; window_class=Edit\n"), "%s", text);
    cr_expect(strstr(text, "5:5 Key handled 401-405 stack; input=>"), "%s", text);
}

Test(recorded_markers, what_was_not_observed_has_no_marker)
{
    put_beat(1, 50, 500, UM_WIRE_BEAT_AT_LEAST);
    put_key(1, 0, 0, 100, 0, 0);
    put_end();
    cr_assert_eq(read_markers(), UM_OK);
    marker_text(&markers, text, sizeof text);
    cr_expect(strstr(text, "Key taken") && !strstr(text, "Key arrived") &&
                  !strstr(text, "Key handled") && !strstr(text, "Key painted") &&
                  !strstr(text, "Beat taken") && strstr(text, "Beat given up"),
              "%s", text);
}

/* The DLL counts anew, and so do the ids. */
Test(recorded_markers, the_first_marker_of_a_key_says_which_key_it_was)
{
    put_kept_key(1, 9, 'A', UM_INTERACTION_KEY);
    put_kept_key(2, 0, 0x0d, UM_INTERACTION_KEY);
    put_end();
    cr_assert_eq(read_markers(), UM_OK);
    marker_text(&markers, text, sizeof text);
    cr_expect(strstr(text, "input:1 Key arrived 9; key=A; input=>"), "%s", text);
    cr_expect(strstr(text, "5:1 Key taken 11; input=>"), "%s", text);
    cr_expect(strstr(text, "5:2 Key taken 12; key=Enter; input=>"), "%s", text);
    cr_expect(markers.has_keys);
}

Test(recorded_markers, a_key_that_was_not_kept_is_not_named)
{
    put_kept_key(1, 9, 0, UM_INTERACTION_KEY);
    put_kept_key(2, 9, 'A', UM_INTERACTION_CLICK);
    put_end();
    cr_assert_eq(read_markers(), UM_OK);
    cr_expect_not(strstr(marker_text(&markers, text, sizeof text), "key="), "%s", text);
    cr_expect_not(markers.has_keys);
}

Test(recorded_markers, beats_of_the_next_session_are_other_flows)
{
    put_beat(1, 50, 1, 0);
    put_session(6);
    put_beat(1, 70, 1, 0);
    put_end();
    cr_assert_eq(read_markers(), UM_OK);
    cr_expect_eq(flows.count, 2);
    cr_expect_eq(markers.flow_ids.count, 2);
}

/* A title that changes is told by another SESSION. */
Test(recorded_markers, another_title_is_the_same_session)
{
    put_beat(1, 50, 1, 0);
    put_session(5);
    put_beat(2, 70, 1, 0);
    put_end();
    cr_assert_eq(read_markers(), UM_OK);
    cr_expect_eq(markers.thread_count, 4);
    cr_expect_eq(markers.threads[0].count, 2);
}

Test(recorded_markers, a_recording_that_breaks_off_is_read_to_there)
{
    put_beat(1, 50, 1, 0);
    cr_assert_eq(read_markers(), UM_OK);
    cr_expect(strstr(error, "breaks off"), "%s", error);
    cr_expect_eq(flows.count, 1);
}

/* It is known to have lasted as long as STATUS says. */
Test(recorded_markers, a_freeze_that_lasts_where_the_recording_breaks_off_is_open)
{
    struct um_wire_frame frame = {.type = UM_WIRE_EPISODE, .flags = UM_WIRE_EPISODE_BEGIN};
    put_beat(1, 50, 1, 0);
    put_freeze(3, 100, 400);
    frame.as.episode = (struct um_wire_episode){.start_ns = BEGIN_NS + 500 * MS,
                                                .end_ns = BEGIN_NS + 500 * MS,
                                                .id = 4,
                                                .state = UM_STATE_FROZEN};
    put(&frame);
    frame = (struct um_wire_frame){.type = UM_WIRE_STATUS};
    frame.as.status =
        (struct um_wire_status){.time_ns = BEGIN_NS + 800 * MS, .state = UM_STATE_FROZEN};
    put(&frame);
    cr_assert_eq(read_markers(), UM_OK);
    marker_text(&markers, text, sizeof text);
    cr_expect(strstr(text, "5:2 Frozen 100-400; freeze="), "%s", text);
    cr_expect(strstr(text, "5:3 Frozen 500-800 open; freeze="), "%s", text);
}

Test(recorded_markers, a_freeze_says_how_much_of_it_is_before_the_recording)
{
    put_freeze(3, (uint64_t)-1300, 50);
    put_freeze(4, 100, 400);
    put_end();
    cr_assert_eq(read_markers(), UM_OK);
    marker_text(&markers, text, sizeof text);
    const char *cut = strstr(text, "Frozen -1300-50"), *whole = strstr(text, "Frozen 100-400");
    cr_assert(cut && whole && cut < whole, "%s", text);
    cr_expect(strstr(cut, "before_recording_ms=1300"), "%s", text);
    cr_expect(!strstr(whole, "before_recording_ms"), "%s", text);
}

Test(recorded_markers, times_of_a_damaged_recording_are_cut)
{
    struct um_wire_frame frame = {.type = UM_WIRE_BEAT};
    frame.as.beat = (struct um_wire_beat){.sent_ns = UINT64_C(1) << 63, .seq = 1};
    put(&frame);
    put_end();
    cr_assert_eq(read_markers(), UM_OK);
    for (size_t i = 0; i < markers.count; i++)
        cr_expect(markers.list[i].start_ns >= -(INT64_MAX / 2) &&
                  markers.list[i].start_ns <= INT64_MAX / 2);
}

/* What is kept of the markers of the freeze, its key and four beats: 1, 4 and 12. */
static void keep(size_t limit)
{
    most = limit;
    put_beat(9, 20, 10, 0);
    put_held_up_key();
    cr_assert_eq(read_markers(), UM_OK);
    cr_expect_leq(markers.count, limit);
    cr_expect_eq(markers.count + markers.left_out, 17);
    marker_text(&markers, text, sizeof text);
}

Test(recorded_markers, a_limit_keeps_freezes_and_input_before_beats)
{
    keep(6);
    cr_expect_eq(markers.count, 5);
    cr_expect(strstr(text, "Frozen") && strstr(text, "Key painted") && !strstr(text, "Beat"), "%s",
              text);
}

Test(recorded_markers, a_limit_keeps_the_beat_of_a_freeze_and_then_the_slowest)
{
    keep(11);
    cr_expect_eq(markers.count, 11);
    cr_expect(strstr(text, "Beat sent 101\n") || strstr(text, "Beat sent 101;"), "%s", text);
    cr_expect(strstr(text, "Beat sent 20;") && !strstr(text, "Beat sent 50;"), "%s", text);
}

Test(recorded_markers, a_limit_that_is_too_small_for_input)
{
    keep(4);
    cr_expect_eq(markers.count, 4);
    cr_expect(strstr(text, "Frozen") && !strstr(text, "Key") && strstr(text, "Beat sent 101;"),
              "%s", text);
}

/* Markers that have frames --------------------------------------------------------------------- */

static struct um_wire_marker_kind *kind_of(struct um_wire_frame *frame, uint32_t number,
                                           enum um_wire_marker_source source, const char *name)
{
    *frame = (struct um_wire_frame){.type = UM_WIRE_MARKER_KIND};
    frame->as.marker_kind = (struct um_wire_marker_kind){.number = number, .source = source};
    strcpy(frame->as.marker_kind.name, name);
    strcpy(frame->as.marker_kind.category, "work");
    return &frame->as.marker_kind;
}

static void put_kind(uint32_t number, enum um_wire_marker_source source, const char *name)
{
    struct um_wire_frame frame;
    kind_of(&frame, number, source, name);
    put(&frame);
}

static void add_field(struct um_wire_marker_kind *kind, enum um_wire_field_kind type,
                      const char *name)
{
    kind->list[kind->count].kind = type;
    strcpy(kind->list[kind->count++].name, name);
}

static struct um_wire_marker *marker_of(struct um_wire_frame *frame, uint32_t kind, uint32_t thread,
                                        uint64_t start_ms, uint64_t length_ms, uint8_t flags)
{
    *frame = (struct um_wire_frame){.type = UM_WIRE_MARKER, .flags = flags};
    frame->as.marker = (struct um_wire_marker){.start_ns = BEGIN_NS + start_ms * MS,
                                               .length_ns = length_ms * MS,
                                               .kind = kind,
                                               .thread = thread};
    return &frame->as.marker;
}

static void put_marker(uint32_t kind, uint32_t thread, uint64_t start_ms, uint64_t length_ms,
                       uint8_t flags)
{
    struct um_wire_frame frame;
    marker_of(&frame, kind, thread, start_ms, length_ms, flags);
    put(&frame);
}

Test(recorded_markers, a_marker_has_its_fields_and_its_thread)
{
    struct um_wire_frame frame;
    struct um_wire_marker_kind *kind = kind_of(&frame, 2, UM_MARKER_SOURCE_PROGRAM, "Load");
    add_field(kind, UM_MARKER_FIELD_TEXT, "file");
    add_field(kind, UM_MARKER_FIELD_NUMBER, "size");
    add_field(kind, UM_MARKER_FIELD_FLOW, "task");
    add_field(kind, UM_MARKER_FIELD_TERMINATING_FLOW_TEXT, "activity");
    add_field(kind, UM_MARKER_FIELD_TERMINATING_FLOW, "done");
    kind->list[4].at_end = 1;
    put(&frame);
    struct um_wire_marker *marker =
        marker_of(&frame, 2, 9, 30, 12, UM_WIRE_MARKER_INTERVAL | UM_WIRE_MARKER_STACK_BASED);
    marker->count = 5;
    strcpy(marker->list[0].text, "a.txt");
    marker->list[1].value = um_double_bits_of(2.5);
    marker->list[2].value = 0x1234;
    strcpy(marker->list[3].text, "{guid}");
    marker->list[4].value = 7;
    put(&frame);
    put_end();
    cr_assert_eq(read_markers(), UM_OK);
    cr_expect_str_eq(marker_text(&markers, text, sizeof text),
                     "9:1 Load 30-42 stack; file=a.txt; size=2.5; task=>0000000000001234; "
                     "activity=|{guid}; done=|0000000000000007@42\n");
    const struct um_marker_thread *thread = &markers.threads[markers.list[0].thread];
    cr_expect_str_eq(um_markers_get_text(&markers, thread->name), "Thread 9");
    cr_expect_str_eq(um_markers_get_text(&markers, thread->process), "editor.exe");
    cr_expect_str_eq(um_markers_get_text(&markers, markers.list[0].category), "work");
    cr_expect_eq(flows.count, 3);
}

Test(recorded_markers, markers_of_the_ui_thread_are_on_its_track)
{
    put_kind(1, UM_MARKER_SOURCE_MESSAGE, "WM_SIZE");
    put_beat(1, 50, 1, 0);
    put_marker(1, 5, 60, 3, UM_WIRE_MARKER_INTERVAL | UM_WIRE_MARKER_OPEN);
    put_marker(1, 8, 60, 0, 0);
    put_marker(1, 8, 70, 0, 0);
    put_end();
    cr_assert_eq(read_markers(), UM_OK);
    marker_text(&markers, text, sizeof text);
    cr_expect(strstr(text, "5:2 WM_SIZE 60-63 open\n"), "%s", text);
    cr_expect(strstr(text, "8:1 WM_SIZE 60\n8:2 WM_SIZE 70\n"), "%s", text);
    cr_expect_eq(markers.thread_count, 5);
}

/* The ends of the first markers were lost: nobody knows whether they ran when the others came. */
Test(recorded_markers, markers_that_never_ended_are_around_nothing)
{
    struct um_wire_frame frame;
    const uint8_t open = UM_WIRE_MARKER_INTERVAL | UM_WIRE_MARKER_STACK_BASED | UM_WIRE_MARKER_OPEN;
    struct um_wire_marker_kind *kind = kind_of(&frame, 1, UM_MARKER_SOURCE_PROGRAM, "Load");
    add_field(kind, UM_MARKER_FIELD_FLOW, "task");
    put(&frame);
    for (uint64_t i = 0; i < 4; i++) {
        struct um_wire_marker *marker = marker_of(&frame, 1, 9, 10 * i, i < 2 ? 90 : 5,
                                                  i < 2 ? open : open & ~UM_WIRE_MARKER_OPEN);
        marker->count = 1;
        marker->list[0].value = i;
        put(&frame);
    }
    put_end();
    cr_assert_eq(read_markers(), UM_OK);
    cr_assert_eq(markers.count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        cr_expect_eq(um_flows_context(&flows, i), UM_MARKERS_NONE, "%u", i);
        cr_expect_eq(um_flows_is_open(&flows, i), i < 2, "%u", i);
    }
}

/* Kind 1, which has twelve fields. */
static void put_long_kind(void)
{
    struct um_wire_frame frame;
    struct um_wire_marker_kind *kind = kind_of(&frame, 1, UM_MARKER_SOURCE_DOTNET, "GC");
    for (char letter = 'a'; letter < 'm'; letter++)
        add_field(kind, UM_MARKER_FIELD_NUMBER, (char[]){letter, '\0'});
    put(&frame);
}

/* The first seven values of such a marker, or the others. */
static void put_half(uint64_t start_ms, bool first)
{
    struct um_wire_frame frame;
    struct um_wire_marker *marker =
        marker_of(&frame, 1, 9, start_ms, 0, first ? UM_WIRE_MARKER_MORE : 0);
    while (marker->count < (first ? 7 : 5)) {
        marker->list[marker->count].value = um_double_bits_of((first ? 1 : 8) + marker->count);
        marker->count++;
    }
    put(&frame);
}

#define FIRST_HALF "a=1; b=2; c=3; d=4; e=5; f=6; g=7"
#define SECOND_HALF "h=8; i=9; j=10; k=11; l=12"

Test(recorded_markers, values_that_do_not_fit_into_a_frame_follow_in_the_next)
{
    put_long_kind();
    put_half(30, true);
    put_half(30, false);
    put_half(30, true); /* looks alike, and is another one */
    put_end();
    cr_assert_eq(read_markers(), UM_OK);
    cr_expect_str_eq(marker_text(&markers, text, sizeof text),
                     "9:1 GC 30; " FIRST_HALF "; " SECOND_HALF "\n9:2 GC 30; " FIRST_HALF "\n");
}

Test(recorded_markers, values_whose_begin_was_lost_are_left_out)
{
    put_long_kind();
    put_half(30, false);
    put_half(31, true);
    put_half(32, false);
    put_half(31, false); /* what it would continue is over */
    put_half(33, true);
    put_half(33, false);
    put_end();
    cr_assert_eq(read_markers(), UM_OK);
    cr_expect_str_eq(marker_text(&markers, text, sizeof text),
                     "9:1 GC 31; " FIRST_HALF "\n9:2 GC 33; " FIRST_HALF "; " SECOND_HALF "\n");
    cr_expect_eq(markers.left_out, 3);
}

Test(recorded_markers, what_follows_after_a_lost_frame_is_a_marker_of_its_own)
{
    put_kind(1, UM_MARKER_SOURCE_DOTNET, "GC");
    put_marker(1, 9, 30, 0, UM_WIRE_MARKER_MORE);
    put_marker(1, 9, 31, 0, 0);
    put_end();
    cr_assert_eq(read_markers(), UM_OK);
    cr_expect_eq(markers.count, 2);
}

/* A kind that is told again holds from there on. A damaged recording may lack one, or have numbers
 * that are none. */
Test(recorded_markers, kinds_of_damaged_recordings)
{
    struct um_wire_frame frame;
    struct um_wire_marker_kind *kind = kind_of(&frame, 1, UM_MARKER_SOURCE_PROGRAM, "before");
    add_field(kind, UM_MARKER_FIELD_NUMBER, "number");
    put_marker(1, 9, 30, 0, 0);
    put(&frame);
    struct um_wire_marker *marker = marker_of(&frame, 1, 9, 40, 0, 0);
    marker->count = 2;
    marker->list[0].value = UINT64_C(0x7ff0000000000000);
    put(&frame);
    put_kind(1, UM_MARKER_SOURCE_PROGRAM, "after");
    put_marker(1, 9, 50, 0, 0);
    put_end();
    cr_assert_eq(read_markers(), UM_OK);
    cr_expect_str_eq(marker_text(&markers, text, sizeof text), "9:1 before 40\n9:2 after 50\n");
    cr_expect_eq(markers.left_out, 1);
}

Test(recorded_markers, a_field_of_a_later_kind_is_left_out)
{
    struct um_wire_frame frame;
    struct um_wire_marker_kind *kind = kind_of(&frame, 1, UM_MARKER_SOURCE_PROGRAM, "Load");
    add_field(kind, UM_WIRE_UNKNOWN, "later");
    add_field(kind, UM_MARKER_FIELD_TEXT, "file");
    put(&frame);
    struct um_wire_marker *marker = marker_of(&frame, 1, 9, 30, 0, 0);
    marker->count = 2;
    strcpy(marker->list[1].text, "a.txt");
    put(&frame);
    put_end();
    cr_assert_eq(read_markers(), UM_OK);
    cr_expect_str_eq(marker_text(&markers, text, sizeof text), "9:1 Load 30; file=a.txt\n");
}

static void put_lost(uint64_t at_ms, uint64_t lost, uint64_t cut)
{
    struct um_wire_frame frame = {.type = UM_WIRE_MARKERS_LOST};
    frame.as.markers_lost = (struct um_wire_markers_lost){.time_ns = BEGIN_NS + at_ms * MS,
                                                          .lost = lost,
                                                          .cut = cut,
                                                          .source = UM_MARKER_SOURCE_PROGRAM};
    put(&frame);
}

Test(recorded_markers, what_was_lost_is_said_where_it_was)
{
    put_lost(1000, 5, 0);
    put_lost(2000, 12, 1);
    put_lost(3000, 12, 1);
    put_end();
    cr_assert_eq(read_markers(), UM_OK);
    cr_expect_str_eq(marker_text(&markers, text, sizeof text),
                     "monitor:1 Markers lost 1000; source=program; lost=5; cut=0\n"
                     "monitor:2 Markers lost 2000; source=program; lost=7; cut=1\n");
}

/* A freeze with its beat, a key, a slow beat, and markers of the program and of .NET. */
Test(recorded_markers, a_limit_keeps_the_programs_own_before_what_was_traced_and_slow_beats)
{
    most = 10;
    put_kind(1, UM_MARKER_SOURCE_PROGRAM, "own");
    put_kind(2, UM_MARKER_SOURCE_DOTNET, "traced");
    put_beat(9, 20, 10, 0);
    for (uint64_t i = 0; i < 3; i++)
        put_marker(2, 9, 60 + i, 500, UM_WIRE_MARKER_INTERVAL);
    put_marker(1, 9, 70, 0, 0);
    put_held_up_key();
    cr_assert_eq(read_markers(), UM_OK);
    cr_expect_eq(markers.count, 10);
    cr_expect_eq(markers.count + markers.left_out, 21);
    marker_text(&markers, text, sizeof text);
    cr_expect(strstr(text, "own 70\n") && strstr(text, "traced 60-560\n"), "%s", text);
    cr_expect(!strstr(text, "traced 61") && !strstr(text, "Beat sent 20"), "%s", text);
    cr_expect(strstr(text, "Beat sent 101;"), "%s", text);
}

#define BEATS 60

/* Which beats there is room for is reckoned by hand: the slowest of those that are left, and the
 * earlier one of equals, as long as there are any, is kept if it fits. */
Test(recorded_markers, any_limit_keeps_the_slowest_beats_that_fit)
{
    for (size_t limit = 0; limit < 3 * BEATS; limit += 1 + limit / 16) {
        bool is_done[BEATS] = {false}, is_kept[BEATS] = {false};
        size_t left = limit;
        um_recording_begin(&block);
        block.number = 0;
        setup();
        for (uint32_t i = 0; i < BEATS; i++)
            put_beat(i + 1, 10 * i + 10, i * 7 % 10 + 1, i % 3 == 0 ? UM_WIRE_BEAT_AT_LEAST : 0);
        put_end();
        for (uint32_t turn = 0; turn < BEATS; turn++) {
            uint32_t slowest = BEATS;
            for (uint32_t i = 0; i < BEATS; i++)
                if (!is_done[i] && (slowest == BEATS || i * 7 % 10 > slowest * 7 % 10))
                    slowest = i;
            size_t count = slowest % 3 == 0 ? 2 : 3;
            is_done[slowest] = true;
            is_kept[slowest] = count <= left;
            left -= is_kept[slowest] ? count : 0;
        }
        most = limit;
        cr_assert_eq(read_markers(), UM_OK);
        cr_expect_eq(markers.count, limit - left, "%zu", limit);
        marker_text(&markers, text, sizeof text);
        for (uint32_t i = 0; i < BEATS; i++) {
            char sent[32];
            snprintf(sent, sizeof sent, "Beat sent %u;", 10 * i + 10);
            cr_expect_eq(strstr(text, sent) != NULL, is_kept[i], "limit %zu: %s", limit, sent);
        }
        teardown();
    }
}

/* Messages that were traced one by one --------------------------------------------------------- */

/* Message `number`, which waited in the queue for so long; below 0: it does not say. */
static void put_message(uint64_t number, uint64_t start_ms, uint64_t length_ms, double queued_ms)
{
    struct um_wire_frame frame;
    struct um_wire_marker_kind *kind =
        kind_of(&frame, queued_ms < 0 ? 1 : 2, UM_MARKER_SOURCE_MESSAGE, "WM_KEYDOWN");
    add_field(kind, UM_MARKER_FIELD_TERMINATING_FLOW, "message");
    if (queued_ms >= 0)
        add_field(kind, UM_MARKER_FIELD_NUMBER, "queued_ms");
    put(&frame);
    struct um_wire_marker *marker = marker_of(&frame, queued_ms < 0 ? 1 : 2, 5, start_ms, length_ms,
                                              UM_WIRE_MARKER_INTERVAL | UM_WIRE_MARKER_STACK_BASED);
    marker->count = queued_ms < 0 ? 1 : 2;
    marker->list[0].value = number;
    marker->list[1].value = um_double_bits_of(queued_ms);
    put(&frame);
}

Test(recorded_markers, a_message_is_one_flow_from_its_posting)
{
    put_message(1, 30, 5, 12);
    put_message(2, 31, 1, -1);
    put_end();
    cr_assert_eq(read_markers(), UM_OK);
    expect_flow("5:1", 0, "Posted, WM_KEYDOWN");
    expect_flow("5:2", 0, "WM_KEYDOWN");
    uint32_t posted = um_markers_find(&markers, "posted:1");
    cr_assert_neq(posted, UM_MARKERS_NONE);
    cr_expect_eq(markers.list[posted].start_ns, 18 * (int64_t)MS - 1);
    cr_expect_eq(um_markers_find(&markers, "posted:2"), UM_MARKERS_NONE);
    cr_expect(markers.list[um_markers_find(&markers, "5:1")].stack_based);
}

Test(recorded_markers, a_message_says_nothing_that_cannot_be)
{
    put_message(1, 30, 5, 1e300);
    put_message(2, 40, 5, INFINITY);
    put_message(3, 50, 5, 0);
    put_end();
    cr_assert_eq(read_markers(), UM_OK);
    uint32_t posted = um_markers_find(&markers, "posted:1");
    cr_assert_neq(posted, UM_MARKERS_NONE);
    cr_expect_eq(markers.list[posted].start_ns, 50 * (int64_t)MS - 1);
    cr_expect_eq(um_markers_find(&markers, "posted:2"), UM_MARKERS_NONE);
    expect_flow("5:3", 0, "Posted, WM_KEYDOWN");
}

/* Threads that the UI thread waited for -------------------------------------------------------- */

static void put_sample(uint32_t thread, uint64_t at_ms)
{
    struct um_wire_frame frame = {.type = UM_WIRE_SAMPLE};
    frame.as.sample = (struct um_wire_sample){
        .time_ns = BEGIN_NS + at_ms * MS, .thread = thread, .absence = 1, .other = thread != 5};
    put(&frame);
}

static void put_wait(uint32_t freeze, uint32_t thread)
{
    struct um_wire_frame frame = {.type = UM_WIRE_WAIT};
    frame.as.wait = (struct um_wire_wait){.freeze = freeze,
                                          .thread = thread,
                                          .process = 1,
                                          .samples = 3,
                                          .kind = UM_WIRE_WAIT_LOCK,
                                          .function = "hold_lock"};
    put(&frame);
}

Test(recorded_markers, a_freeze_leads_to_the_thread_that_held_the_lock)
{
    put_sample(5, 150);
    put_sample(9, 160);
    put_sample(9, 380);
    put_freeze(1, 100, 400);
    put_wait(1, 9);
    put_freeze(2, 600, 900); /* nobody says for whom it waited */
    put_end();
    cr_assert_eq(read_markers(), UM_OK);
    expect_flow("5:1", 0, "Frozen, Held up the UI thread");
    expect_flow("5:1", 1, "Frozen, Held up the UI thread");
    expect_flow("5:2", 0, "Frozen");
    uint32_t holder = um_markers_find(&markers, "9:1");
    cr_assert_neq(holder, UM_MARKERS_NONE);
    cr_expect_eq(markers.list[holder].start_ns, 160 * (int64_t)MS);
    cr_expect_eq(markers.list[holder].end_ns, 380 * (int64_t)MS);
    const struct um_marker_field *field = &markers.fields[markers.list[holder].first_field];
    cr_expect_str_eq(um_markers_get_text(&markers, field->value),
                     "for a lock held by thread 9, in hold_lock");
    const struct um_flow *wait = flow_of("5:1", 1);
    cr_expect_neq(wait, flow_of("5:1", 0));
    cr_expect_eq(wait->start_ns, 100 * (int64_t)MS);
    cr_expect_eq(wait->last_ns, 380 * (int64_t)MS, "the last time that the other thread was seen");
}

Test(recorded_markers, a_thread_of_another_process_is_named_alone)
{
    put_freeze(1, 100, 400);
    put_wait(1, 9);
    put_end();
    cr_assert_eq(read_markers(), UM_OK);
    expect_flow("5:1", 0, "Frozen");
    cr_expect_eq(um_markers_find(&markers, "9:1"), UM_MARKERS_NONE);
    const struct um_marker *freeze = &markers.list[um_markers_find(&markers, "5:1")];
    const struct um_marker_field *last =
        &markers.fields[freeze->first_field + freeze->field_count - 1];
    cr_expect_str_eq(um_markers_get_text(&markers, last->name), "waited");
}
