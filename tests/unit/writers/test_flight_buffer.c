/* A recording that is cut out of the middle of a feed, read as any other. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "monitor/writers/flight_buffer.h"
#include "monitor/recorded/recorded.h"
#include "tests/recording_file.h"
#include "tests/unit/writers/flown.h"

#define MS FLOWN_MS
#define S UM_CLOCK_NS_PER_S

static struct um_flight_buffer *kept;
static struct flown flown;
static struct recording_file file;
static struct um_recording *recording;
static struct um_recorded recorded;
static struct um_flight_buffer_cut cut;
static size_t told[256]; /* frames of each type */
static uint64_t first_beat_ns;
static struct um_wire_frame first_marker;

static void put(const struct um_wire_frame *frame)
{
    uint8_t bytes[UM_WIRE_MAX_BYTES];
    size_t len;
    cr_assert_eq(um_wire_encode(frame, bytes, sizeof bytes, &len), UM_OK);
    um_flight_buffer_take(kept, frame, bytes, len);
}

static void keep(uint32_t seconds)
{
    cr_assert_eq(um_flight_buffer_open(seconds, 0, &kept), UM_OK);
    flown_begin(&flown, put);
}

static void on_frame(void *context, const struct um_wire_frame *frame)
{
    cr_assert_eq(context, &file);
    if (frame->type == UM_WIRE_BEAT && told[UM_WIRE_BEAT] == 0)
        first_beat_ns = frame->as.beat.sent_ns;
    if (frame->type == UM_WIRE_MARKER && told[UM_WIRE_MARKER] == 0)
        first_marker = *frame;
    told[frame->type]++;
    recording_file_put(&file, frame);
}

static void end_at(uint64_t time_ns)
{
    struct um_wire_frame frame = {.type = UM_WIRE_END, .as.end.time_ns = time_ns};
    recording_file_put(&file, &frame);
    recording_file_cut(&file);
}

/* Reads what a recording would be that begins now and ends at once. */
static void read_now(void)
{
    char error[UM_RECORDING_ERROR_BYTES];
    recording_file_begin(&file);
    um_flight_buffer_cut(kept, &cut);
    um_flight_buffer_emit(kept, &cut, on_frame, &file);
    end_at(flown.now_ns);
    cr_assert_eq(
        um_recording_open_memory(file.bytes, file.len, "kept", &recording, error, sizeof error),
        UM_OK, "%s", error);
    cr_assert_eq(um_recorded_read(recording, &recorded), UM_OK, "%s", recorded.problem);
    cr_expect(recorded.whole, "%s", recorded.problem);
}

static void read_after(uint64_t ms)
{
    flown_for(&flown, ms);
    read_now();
}

static void freeze_for(uint64_t ms)
{
    flown_freeze(&flown);
    flown_for(&flown, ms - 100);
    flown_thaw(&flown);
}

static void release(void)
{
    um_recorded_deinit(&recorded);
    um_recording_close(recording);
    recording_file_free(&file);
    um_flight_buffer_close(kept);
}

TestSuite(flight_buffer, .fini = release);

Test(flight_buffer, recording_cut_out_of_the_middle_has_the_last_seconds_alone)
{
    keep(10);
    read_after(60000);
    cr_expect_eq(recorded.session.start_ns, FLOWN_START_NS + 50 * S);
    cr_expect_eq(recorded.session.utc_ms, FLOWN_UTC_MS + 50000);
    cr_expect_eq(told[UM_WIRE_BEAT], 100);
    cr_expect_eq(first_beat_ns, recorded.session.start_ns);
    cr_expect_eq(recorded.summary.totals.duration_ns, 10 * S);
    cr_expect_eq(recorded.summary.totals.beats_sent, 100);
    cr_expect_eq(recorded.summary.totals.state_ns[UM_STATE_RESPONSIVE], 10 * S);
    cr_expect_eq(recorded.slice_count, 100);
    cr_expect_eq(recorded.summary.beats.rest_us, 100000,
                 "PACE was told at the begin of the session");
    cr_expect_str_eq(recorded.session.name, "app.exe");
}

Test(flight_buffer, session_that_is_younger_is_kept_from_its_begin)
{
    keep(30);
    read_after(700);
    cr_expect_eq(recorded.session.start_ns, FLOWN_START_NS);
    cr_expect_eq(told[UM_WIRE_BEAT], 7);
}

Test(flight_buffer, nothing_is_told_before_there_is_a_session)
{
    cr_assert_eq(um_flight_buffer_open(1, 0, &kept), UM_OK);
    flown.put = put;
    flown_totals(&flown);
    flown_begin(&flown, put);
    read_after(100);
}

Test(flight_buffer, modules_nodes_and_names_are_told_however_old_they_are)
{
    keep(5);
    flown_for(&flown, 40000);
    freeze_for(1000);
    read_now();
    const struct um_profile *profile = recorded.profile;
    const struct um_samples *samples = um_profile_samples(profile);
    cr_assert_eq(samples->count, 9);
    cr_expect_str_eq(um_profile_module(profile, 0), "C:\\work\\app.exe");
    const struct um_profile_name *name = um_profile_name(profile, flown_key());
    cr_assert(name != NULL);
    cr_expect_str_eq(name->name, "parse");
    cr_expect(samples->entries[8].node != 0 && samples->entries[8].freeze == 1);
    cr_expect_eq(told[UM_WIRE_NODES], 1);
}

#define MODULES 1100
#define ADDRESSES 70000
#define TREE_NODES 30000

static uint64_t address_key(uint32_t number)
{
    return um_samples_key((int32_t)(number % MODULES), 0x1000 + number);
}

static void put_module(uint32_t number)
{
    struct um_wire_frame frame = {.type = UM_WIRE_MODULE, .as.module.number = number};
    snprintf(frame.as.module.path, sizeof frame.as.module.path, "C:\\work\\module-%u.dll", number);
    put(&frame);
}

/* As a profiler tells of it: each tree has as many nodes, and its names come with them. */
static void put_address(uint32_t number)
{
    struct um_wire_frame frame = {.type = UM_WIRE_NODES};
    frame.as.nodes = (struct um_wire_nodes){.tree = 1 + number / TREE_NODES,
                                            .first = UM_WIRE_FIRST_NODE + number % TREE_NODES,
                                            .count = 1,
                                            .list = {{0, address_key(number)}}};
    put(&frame);
    frame = (struct um_wire_frame){.type = UM_WIRE_NAME, .as.name.key = address_key(number)};
    frame.as.name.kind = UM_NAMES_DEBUG;
    snprintf(frame.as.name.name, sizeof frame.as.name.name, "Namespace::Class::function_%u",
             number);
    put(&frame);
}

/* An old session has seen more than is kept. Of what a freeze may need nothing is missing, and
 * names crowd out nothing else. */
Test(flight_buffer, stacks_of_a_long_session_have_their_names_and_modules)
{
    struct um_wire_frame counter = {.type = UM_WIRE_COUNTER, .as.counter = {.number = 3}};
    keep(5);
    for (uint32_t i = 1; i < MODULES; i++)
        put_module(i);
    for (uint32_t i = 0; i < ADDRESSES; i++)
        put_address(i);
    strcpy(counter.as.counter.name, "cpu-usage");
    put(&counter);
    read_after(40000);
    size_t nameless = 0, unknown = 0;
    for (uint32_t i = ADDRESSES - ADDRESSES % TREE_NODES - TREE_NODES; i < ADDRESSES; i++)
        nameless += !um_profile_name(recorded.profile, address_key(i));
    for (int32_t i = 0; i < MODULES; i++)
        unknown += um_profile_module(recorded.profile, i)[0] == '\0';
    cr_expect_eq(nameless, 0, "%zu addresses have no name", nameless);
    cr_expect_eq(unknown, 0, "%zu modules are not known", unknown);
    cr_expect_eq(told[UM_WIRE_COUNTER], 1);
    cr_expect_null(um_flight_buffer_full(kept));
}

/* More names than there is room for: the recording is whole, and the oldest are missing. */
Test(flight_buffer, names_beyond_their_room_are_left_out_and_that_is_said)
{
    struct um_wire_frame name = {.type = UM_WIRE_NAME};
    keep(5);
    memset(name.as.name.name, 'n', sizeof name.as.name.name - 1);
    for (uint32_t i = 0; i < ADDRESSES; i++) {
        name.as.name.key = address_key(i);
        put(&name);
    }
    cr_expect_str_eq(um_flight_buffer_full(kept), "names of functions");
    read_now();
    cr_expect(um_profile_name(recorded.profile, address_key(ADDRESSES - 1)) != NULL);
}

Test(flight_buffer, counters_are_told_however_old_they_are)
{
    struct um_wire_frame counter = {.type = UM_WIRE_COUNTER, .as.counter = {.number = 3}};
    keep(5);
    strcpy(counter.as.counter.name, "cpu-usage");
    put(&counter);
    read_after(40000);
    cr_expect_eq(told[UM_WIRE_COUNTER], 1);
}

static void put_markers_lost(uint64_t lost)
{
    const struct um_wire_frame frame = {.type = UM_WIRE_MARKERS_LOST,
                                        .as.markers_lost = {.time_ns = flown.now_ns,
                                                            .lost = lost,
                                                            .cut = 2 * lost,
                                                            .source = UM_MARKER_SOURCE_DOTNET}};
    put(&frame);
}

Test(flight_buffer, kinds_of_markers_are_told_however_old_they_are_and_markers_since_the_cut)
{
    struct um_wire_frame kind = {.type = UM_WIRE_MARKER_KIND, .as.marker_kind = {.number = 3}};
    struct um_wire_frame marker = {.type = UM_WIRE_MARKER, .as.marker = {.kind = 3}};
    keep(5);
    put(&kind);
    for (size_t i = 0; i < 40; i++) {
        marker.as.marker.start_ns = flown.now_ns;
        put(&marker);
        flown_for(&flown, 1000);
    }
    read_now();
    cr_expect_eq(told[UM_WIRE_MARKER_KIND], 1);
    cr_expect_eq(told[UM_WIRE_MARKER], 5);
}

Test(flight_buffer, a_flood_of_markers_leaves_everything_else)
{
    struct um_wire_frame marker = {.type = UM_WIRE_MARKER, .as.marker = {.kind = 3, .count = 7}};
    keep(5);
    for (size_t i = 0; i < UM_WIRE_MARKER_VALUES; i++)
        memset(marker.as.marker.list[i].text, 't', UM_WIRE_MARKER_TEXT_BYTES - 1);
    for (size_t i = 0; i < 100; i++) {
        flown_for(&flown, 100);
        marker.as.marker.start_ns = flown.now_ns;
        for (size_t k = 0; k < 500; k++)
            put(&marker);
    }
    read_now();
    cr_expect_eq(told[UM_WIRE_BEAT], 50);
    cr_expect_gt(told[UM_WIRE_MARKER], 5000);
    cr_expect_lt(told[UM_WIRE_MARKER], 25000, "there is not room for all");
    cr_assert_not_null(um_flight_buffer_full(kept));
    cr_expect_str_eq(um_flight_buffer_full(kept), "markers");
}

/* A marker with eight values, which are in two frames. */
static void put_long_marker(void)
{
    struct um_wire_frame marker = {.type = UM_WIRE_MARKER,
                                   .flags = UM_WIRE_MARKER_MORE,
                                   .as.marker = {.start_ns = flown.now_ns, .kind = 3, .count = 7}};
    for (size_t i = 0; i < UM_WIRE_MARKER_VALUES; i++)
        memset(marker.as.marker.list[i].text, 't', UM_WIRE_MARKER_TEXT_BYTES - 1);
    put(&marker);
    marker.flags = 0;
    marker.as.marker.count = 1;
    put(&marker);
}

/* The frames differ much in their lengths, so dropping one half makes room for another marker. */
Test(flight_buffer, a_marker_in_two_frames_is_dropped_as_a_whole)
{
    keep(5);
    flown_for(&flown, 1000);
    for (size_t i = 0; i < 12000; i++)
        put_long_marker();
    read_now();
    cr_expect_gt(told[UM_WIRE_MARKER], 5000);
    cr_expect_lt(told[UM_WIRE_MARKER], 24000, "there is not room for all");
    cr_expect_eq(first_marker.as.marker.count, 7);
}

Test(flight_buffer, old_markers_make_room_without_a_word)
{
    keep(5);
    for (size_t i = 0; i < 200; i++) {
        for (size_t k = 0; k < 100; k++)
            put_long_marker();
        flown_for(&flown, 1000);
    }
    read_now();
    cr_expect_eq(told[UM_WIRE_MARKER], 5 * 200);
    cr_expect_null(um_flight_buffer_full(kept));
}

Test(flight_buffer, markers_lost_before_the_cut_are_not_counted)
{
    struct um_wire_frame lost = {.type = UM_WIRE_MARKERS_LOST};
    keep(5);
    put_markers_lost(100);
    flown_for(&flown, 20000);
    put_markers_lost(107);
    read_after(500);
    cr_expect_eq(told[UM_WIRE_MARKERS_LOST], 1);
    lost.as.markers_lost =
        (struct um_wire_markers_lost){.lost = 109, .cut = 215, .source = UM_MARKER_SOURCE_DOTNET};
    um_flight_buffer_since(&cut, &lost);
    cr_expect_eq(lost.as.markers_lost.lost, 9);
    cr_expect_eq(lost.as.markers_lost.cut, 15);
}

Test(flight_buffer, freezes_before_the_cut_are_not_counted)
{
    keep(5);
    freeze_for(1000);
    flown_for(&flown, 20000);
    freeze_for(500);
    read_after(500);
    cr_expect_eq(recorded.summary.freezes->count, 1);
    cr_expect_eq(recorded.summary.freezes->total_ns, 500 * MS);
    cr_expect_eq(recorded.summary.totals.state_ns[UM_STATE_FROZEN], 500 * MS);
    struct um_wire_frame status = {.type = UM_WIRE_STATUS, .as.status = flown.status};
    cr_assert_eq(flown.status.freezes, 2);
    um_flight_buffer_since(&cut, &status);
    cr_expect_eq(status.as.status.freezes, 1);
    cr_expect_eq(status.as.status.over_100, 1);
    cr_expect_eq(status.as.status.freeze_total_ns, 500 * MS);
}

Test(flight_buffer, status_of_a_time_without_freezes_has_no_last_one)
{
    keep(5);
    freeze_for(1000);
    read_after(20000);
    struct um_wire_frame status = {
        .type = UM_WIRE_STATUS, .flags = UM_WIRE_STATUS_HAS_LAST_FREEZE, .as.status = flown.status};
    um_flight_buffer_since(&cut, &status);
    cr_expect(status.flags == 0 && status.as.status.last_freeze_ns == 0);
}

/* The freeze begins before the second that would be the first, and is told of after it. */
Test(flight_buffer, recording_does_not_begin_in_a_freeze)
{
    keep(5);
    flown_for(&flown, 9900);
    flown_freeze(&flown); /* from 9.9 s, told at 10 s */
    flown_for(&flown, 2500);
    flown_thaw(&flown); /* at 12.5 s */
    flown_for(&flown, 4500);
    read_now(); /* at 17 s, so that 12 s would be the begin */
    cr_expect_eq(recorded.session.start_ns, FLOWN_START_NS + 9 * S);
    cr_expect_eq(recorded.summary.freezes->count, 1);
    cr_expect_eq(recorded.summary.freezes->total_ns, 2600 * MS);
    cr_expect_eq(recorded.summary.totals.state_ns[UM_STATE_FROZEN], 2600 * MS);
}

/* Such a freeze is saved when it has lasted for 6 s, in which there is much to record. */
Test(flight_buffer, recording_has_the_seconds_before_a_freeze_that_lasts)
{
    struct um_wire_frame note = {.type = UM_WIRE_NOTE};
    memset(note.as.note.text, 'x', sizeof note.as.note.text - 1);
    cr_assert_eq(um_flight_buffer_open(1, 6, &kept), UM_OK);
    flown_begin(&flown, put);
    flown_for(&flown, 9900);
    flown_freeze(&flown); /* from 9.9 s, told at 10 s */
    for (int i = 0; i < 60; i++) {
        for (int n = 0; n < 3; n++) {
            note.as.note.time_ns = flown.now_ns;
            put(&note);
        }
        flown_for(&flown, 100);
    }
    read_now();
    cr_expect_eq(recorded.session.start_ns, FLOWN_START_NS + 8 * S);
    cr_expect_eq(recorded.note_count, 180);
    cr_assert_eq(recorded.episode_count, 1);
    cr_expect_eq(recorded.episodes[0].start_ns, FLOWN_START_NS + 9900 * MS);
}

Test(flight_buffer, episode_that_lasts_since_before_is_told_first)
{
    struct um_wire_frame idle = {.type = UM_WIRE_EPISODE, .flags = UM_WIRE_EPISODE_BEGIN};
    keep(5);
    idle.as.episode =
        (struct um_wire_episode){.id = 77, .state = UM_STATE_IDLE, .start_ns = FLOWN_START_NS + S};
    flown_for(&flown, 2000);
    put(&idle);
    read_after(20000);
    cr_assert_eq(recorded.episode_count, 1);
    cr_expect(recorded.episodes[0].id == 77 && recorded.episodes[0].open);
    cr_expect_eq(recorded.episodes[0].start_ns, FLOWN_START_NS + S);
}

Test(flight_buffer, states_add_up_although_time_was_assigned_anew)
{
    keep(5);
    flown_for(&flown, 20000);
    um_flight_buffer_cut(kept, &cut);
    struct um_wire_frame frame = {.type = UM_WIRE_TOTALS, .as.totals = flown.totals};
    /* 400 ms that were responsive before the cut have turned out to be blind after it. */
    frame.as.totals.state_ns[UM_STATE_RESPONSIVE] = cut.totals.state_ns[UM_STATE_RESPONSIVE] - 1;
    frame.as.totals.state_ns[UM_STATE_BLIND] =
        frame.as.totals.duration_ns - frame.as.totals.state_ns[UM_STATE_RESPONSIVE];
    um_flight_buffer_since(&cut, &frame);
    uint64_t sum_ns = 0;
    for (size_t i = 0; i < UM_STATE_COUNT; i++)
        sum_ns += frame.as.totals.state_ns[i];
    cr_expect_eq(sum_ns, frame.as.totals.duration_ns);
    cr_expect_eq(frame.as.totals.duration_ns, 5 * S);
    read_now();
}

/* A second may have more than its share of memory; then what is kept is shorter. */
Test(flight_buffer, flood_of_frames_shortens_what_is_kept)
{
    struct um_wire_frame note = {.type = UM_WIRE_NOTE};
    memset(note.as.note.text, 'x', sizeof note.as.note.text - 1);
    keep(10);
    for (int i = 0; i < 30; i++) {
        for (int n = 0; n < 200; n++) {
            note.as.note.time_ns = flown.now_ns;
            put(&note);
        }
        flown_for(&flown, 1000);
    }
    read_now();
    uint64_t since_ns = flown.now_ns - recorded.session.start_ns;
    cr_expect(since_ns >= 2 * S && since_ns < 5 * S, "%llu ms",
              (unsigned long long)(since_ns / MS));
    cr_expect_geq(recorded.note_count, 400);
    cr_expect_lt(file.len, 10 * UM_FLIGHT_BUFFER_BYTES_PER_S + 20000);
}

/* A tree that is full is followed by another one, which has its own numbers. */
Test(flight_buffer, nodes_of_the_last_two_trees_are_told)
{
    struct um_wire_frame nodes = {.type = UM_WIRE_NODES};
    keep(5);
    for (uint32_t tree = 1; tree < 4; tree++) {
        nodes.as.nodes = (struct um_wire_nodes){.first = UM_WIRE_FIRST_NODE,
                                                .count = 1,
                                                .tree = tree,
                                                .list = {{0, um_samples_key(0, tree)}}};
        put(&nodes);
    }
    read_after(1000);
    cr_expect_eq(told[UM_WIRE_NODES], 2);
    cr_expect_eq(told[UM_WIRE_MODULE], 1);
}

Test(flight_buffer, frames_that_speak_of_the_feed_or_a_whole_session_are_left_out)
{
    const struct um_wire_frame left_out[] = {
        {.type = UM_WIRE_VIEW},
        {.type = UM_WIRE_LOST},
        {.type = UM_WIRE_PROFILE},
        {.type = UM_WIRE_SAMPLING},
        {.type = UM_WIRE_TRACED_CALL, .as.traced_call = {.node = 2, .parent = 1}},
        {.type = UM_WIRE_TRACED_TIMES, .as.traced_list = {.count = 1, .list = {{.node = 1}}}},
        {.type = UM_WIRE_TRACING},
        {.type = UM_WIRE_METHOD, .as.method.method = 1},
        {.type = UM_WIRE_METHOD_CALLS, .as.method_calls = {.count = 1, .list = {{.node = 1}}}},
        {.type = UM_WIRE_METHODS},
        {.type = UM_WIRE_LAYOUT_COMPONENT, .as.layout_component.id = 1},
        {.type = UM_WIRE_LAYOUT_PLACE, .as.layout_place.id = 1},
        {.type = UM_WIRE_LAYOUT_TIMES},
        {.type = UM_WIRE_LAYOUT_METERS, .as.layout_meters = {.count = 1, .list = {{.id = 1}}}},
    };
    keep(5);
    for (size_t i = 0; i < sizeof left_out / sizeof left_out[0]; i++)
        put(&left_out[i]);
    read_after(1000);
    for (size_t i = 0; i < sizeof left_out / sizeof left_out[0]; i++)
        cr_expect_eq(told[left_out[i].type], 0, "type %u", left_out[i].type);
    cr_expect_neq(um_wire_reach(UM_WIRE_RECORDING), UM_WIRE_REACH_FLIGHT, "it has one of its own");
    cr_expect_eq(told[UM_WIRE_SESSION], 1);
}
