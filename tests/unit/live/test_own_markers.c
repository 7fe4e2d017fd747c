/* The program's own markers on their way to the feed. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/double_bits.h"
#include "base/random.h"
#include "monitor/live/own_markers.h"

static struct um_marker_frames *frames;
static struct um_own_markers *markers;
static struct um_wire_frame published[16]; /* MARKERs */
static struct um_wire_marker_kind kinds[16];
static size_t count, kind_count;
static uint32_t allowed;
static size_t commands;

static void publish(void *context, const struct um_wire_frame *frame)
{
    cr_assert_eq(context, &count);
    cr_assert(count < 16 && kind_count < 16);
    if (frame->type == UM_WIRE_MARKER_KIND)
        kinds[kind_count++] = frame->as.marker_kind;
    else
        published[count++] = *frame;
}

static void command(void *context, const struct um_wire_frame *frame)
{
    cr_assert_eq(context, &allowed);
    cr_assert_eq(frame->type, UM_WIRE_MARKS);
    allowed += frame->as.command.value;
    commands++;
}

static void setup(void)
{
    cr_assert_eq(um_marker_frames_open(publish, &count, &frames), UM_OK);
    cr_assert_eq(um_own_markers_open(frames, command, &allowed, &markers), UM_OK);
    um_own_markers_attached(markers);
}

static void teardown(void)
{
    um_own_markers_close(markers);
    um_marker_frames_close(frames);
}

TestSuite(own_markers, .init = setup, .fini = teardown);

static struct um_wire_frame call(enum um_wire_mark_what what, uint64_t number, uint64_t time_ns,
                                 uint32_t thread, const char *name)
{
    struct um_wire_frame frame = {.type = UM_WIRE_MARK};
    frame.as.mark = (struct um_wire_mark){
        .what = (uint8_t)what, .number = number, .time_ns = time_ns, .thread = thread};
    strcpy(frame.as.mark.name, name);
    return frame;
}

static void take(enum um_wire_mark_what what, uint64_t number, uint64_t time_ns, uint32_t thread,
                 const char *name)
{
    struct um_wire_frame frame = call(what, number, time_ns, thread, name);
    um_own_markers_take(markers, &frame, frame.as.mark.time_ns);
}

/* MARKS_LOST */
static void lose(uint64_t lost, uint64_t now_ns)
{
    const struct um_wire_frame frame = {.type = UM_WIRE_MARKS_LOST, .as.marks_lost.lost = lost};
    um_own_markers_take(markers, &frame, now_ns);
}

static void add(struct um_wire_frame *frame, enum um_wire_field_kind kind, const char *name,
                uint64_t value)
{
    struct um_wire_mark_field *field = &frame->as.mark.list[frame->as.mark.count++];
    field->kind = (uint8_t)kind;
    field->value = value;
    strcpy(field->name, name);
}

/* The name of a MARKER that was published. */
static const char *name_of(size_t place)
{
    return kinds[published[place].as.marker.kind - 1].name;
}

static void expect(size_t place, const char *name, uint64_t start_ns, uint64_t length_ns,
                   uint8_t flags)
{
    const struct um_wire_marker *marker = &published[place].as.marker;
    cr_assert_lt(place, count, "%s", name);
    cr_expect_str_eq(name_of(place), name);
    cr_expect(marker->start_ns == start_ns && marker->length_ns == length_ns, "%s", name);
    cr_expect_eq(published[place].flags, flags, "%s has %d", name, published[place].flags);
}

#define STACK UM_WIRE_MARKER_STACK_BASED
#define INTERVAL UM_WIRE_MARKER_INTERVAL

Test(own_markers, an_instant_is_on_its_threads_stack)
{
    struct um_wire_frame frame = call(UM_MARK_INSTANT, 1, 100, 7, "Click");
    add(&frame, UM_MARKER_FIELD_FLOW, "task", 5);
    add(&frame, UM_MARKER_FIELD_NUMBER, "n", um_double_bits_of(2.5));
    add(&frame, UM_MARKER_FIELD_TEXT, "text", 0);
    strcpy(frame.as.mark.list[2].text, "hello");
    strcpy(frame.as.mark.category, "input");
    um_own_markers_take(markers, &frame, frame.as.mark.time_ns);
    cr_assert_eq(count, 1);
    expect(0, "Click", 100, 0, STACK);
    const struct um_wire_marker *marker = &published[0].as.marker;
    cr_expect(marker->thread == 7 && marker->count == 3 && marker->list[0].value == 5);
    cr_expect_eq(marker->list[1].value, um_double_bits_of(2.5));
    cr_expect_str_eq(marker->list[2].text, "hello");
    cr_expect_str_eq(kinds[0].category, "input");
    cr_expect_eq(kinds[0].source, UM_MARKER_SOURCE_PROGRAM);
}

Test(own_markers, an_interval_has_the_fields_of_both_its_ends)
{
    struct um_wire_frame frame = call(UM_MARK_BEGIN, 9, 100, 7, "Load");
    add(&frame, UM_MARKER_FIELD_FLOW, "task", 5);
    um_own_markers_take(markers, &frame, frame.as.mark.time_ns);
    cr_expect_eq(count, 0);
    frame = call(UM_MARK_END, 9, 130, 7, "");
    add(&frame, UM_MARKER_FIELD_TERMINATING_FLOW, "done", 5);
    add(&frame, UM_MARKER_FIELD_TEXT, "result", 0);
    um_own_markers_take(markers, &frame, frame.as.mark.time_ns);
    cr_assert_eq(count, 1);
    expect(0, "Load", 100, 30, STACK | INTERVAL);
    cr_assert_eq(kinds[0].count, 3);
    cr_expect_eq(kinds[0].list[0].at_end, 0);
    cr_expect_eq(kinds[0].list[1].at_end, 1, "it counts from the end");
    cr_expect_eq(kinds[0].list[2].at_end, 0, "only flows have a time");
    cr_expect_eq(published[0].as.marker.list[1].value, 5);
    take(UM_MARK_END, 9, 140, 7, "");
    cr_expect_eq(count, 1, "it has ended");
}

Test(own_markers, fields_of_two_frames_are_of_one_marker)
{
    struct um_wire_frame frame = call(UM_MARK_INSTANT, 1, 100, 7, "Many");
    for (uint64_t i = 0; i < 4; i++)
        add(&frame, UM_MARKER_FIELD_FLOW, "f", i);
    frame.flags = UM_WIRE_MARK_MORE;
    um_own_markers_take(markers, &frame, frame.as.mark.time_ns);
    cr_expect_eq(count, 0);
    frame = call(UM_MARK_INSTANT, 1, 100, 7, "");
    add(&frame, UM_MARKER_FIELD_FLOW, "g", 9);
    um_own_markers_take(markers, &frame, frame.as.mark.time_ns);
    cr_assert_eq(count, 1);
    cr_expect_str_eq(name_of(0), "Many");
    cr_expect_eq(kinds[0].count, 5);
    cr_expect_eq(published[0].as.marker.list[4].value, 9);
}

Test(own_markers, intervals_within_one_another_are_on_the_stack)
{
    take(UM_MARK_BEGIN, 1, 100, 7, "outer");
    take(UM_MARK_BEGIN, 2, 110, 7, "inner");
    take(UM_MARK_BEGIN, 3, 115, 8, "other thread");
    take(UM_MARK_END, 2, 120, 7, "");
    take(UM_MARK_END, 1, 130, 7, "");
    take(UM_MARK_END, 3, 140, 8, "");
    expect(0, "inner", 110, 10, STACK | INTERVAL);
    expect(1, "outer", 100, 30, STACK | INTERVAL);
    expect(2, "other thread", 115, 25, STACK | INTERVAL);
}

Test(own_markers, intervals_that_overlap_are_not)
{
    take(UM_MARK_BEGIN, 1, 100, 7, "first");
    take(UM_MARK_BEGIN, 2, 110, 7, "second");
    take(UM_MARK_END, 1, 120, 7, "");
    take(UM_MARK_END, 2, 130, 7, "");
    expect(0, "first", 100, 20, INTERVAL);
    expect(1, "second", 110, 20, STACK | INTERVAL);
}

Test(own_markers, an_interval_that_ends_on_another_thread_is_not)
{
    take(UM_MARK_BEGIN, 1, 100, 7, "Task");
    take(UM_MARK_END, 1, 120, 8, "");
    expect(0, "Task", 100, 20, INTERVAL);
    cr_expect_eq(published[0].as.marker.thread, 7);
}

Test(own_markers, intervals_that_last_at_the_end_are_open)
{
    take(UM_MARK_BEGIN, 1, 100, 7, "Task");
    take(UM_MARK_BEGIN, 2, 110, 7, "Part");
    um_own_markers_detached(markers, 200);
    cr_assert_eq(count, 2);
    expect(0, "Task", 100, 100, INTERVAL | UM_WIRE_MARKER_OPEN);
    expect(1, "Part", 110, 90, INTERVAL | UM_WIRE_MARKER_OPEN);
    um_own_markers_attached(markers);
    take(UM_MARK_END, 1, 300, 7, "");
    cr_expect_eq(count, 2, "it was told");
}

Test(own_markers, the_oldest_of_too_many_intervals_is_lost)
{
    for (uint64_t i = 0; i <= UM_OWN_MARKERS_OPEN; i++)
        take(UM_MARK_BEGIN, i + 1, 100 + i, 7, "Task");
    take(UM_MARK_END, 1, 9000, 7, "");
    cr_expect_eq(count, 0);
    take(UM_MARK_END, 2, 9000, 7, "");
    cr_expect_eq(count, 1);
    um_marker_frames_turn(frames, 1, true);
    cr_expect_eq(published[1].as.markers_lost.lost, 1);
}

Test(own_markers, what_the_dll_has_lost_or_cut_is_counted_over_attachments)
{
    lose(5, 1);
    lose(8, 1);
    um_own_markers_detached(markers, 1);
    um_own_markers_attached(markers);
    lose(2, 1);
    struct um_wire_frame cut = call(UM_MARK_INSTANT, 1, 100, 7, "long");
    cut.flags = UM_WIRE_MARK_CUT;
    um_own_markers_take(markers, &cut, 1);
    um_marker_frames_turn(frames, 1, true);
    cr_assert_eq(count, 2);
    cr_expect(published[1].as.markers_lost.lost == 10 && published[1].as.markers_lost.cut == 1);
}

/* Its end may be among what was lost. */
Test(own_markers, an_interval_without_an_end_lasts_until_calls_were_lost)
{
    take(UM_MARK_BEGIN, 1, 100, 7, "before both");
    lose(3, 200);
    take(UM_MARK_BEGIN, 2, 300, 7, "before the second");
    lose(3, 350);
    lose(4, 400);
    take(UM_MARK_BEGIN, 3, 500, 7, "after them");
    take(UM_MARK_BEGIN, 4, 520, 7, "ended");
    lose(5, 510); /* late */
    take(UM_MARK_END, 4, 600, 7, "");
    take(UM_MARK_BEGIN, 5, 700, 7, "after all");
    um_own_markers_detached(markers, 1000);
    cr_assert_eq(count, 5);
    expect(0, "ended", 520, 80, STACK | INTERVAL);
    expect(1, "before both", 100, 100, INTERVAL | UM_WIRE_MARKER_OPEN);
    expect(2, "before the second", 300, 100, INTERVAL | UM_WIRE_MARKER_OPEN);
    expect(3, "after them", 500, 10, INTERVAL | UM_WIRE_MARKER_OPEN);
    expect(4, "after all", 700, 300, INTERVAL | UM_WIRE_MARKER_OPEN);
}

/* The call that ended it is counted as lost, so it is not. */
Test(own_markers, the_oldest_of_too_many_is_told_if_calls_were_lost)
{
    take(UM_MARK_BEGIN, 1, 100, 7, "Task");
    lose(1, 200);
    for (uint64_t i = 2; i <= UM_OWN_MARKERS_OPEN + 1; i++)
        take(UM_MARK_BEGIN, i, 300, 7, "Task");
    cr_assert_eq(count, 1);
    expect(0, "Task", 100, 100, INTERVAL | UM_WIRE_MARKER_OPEN);
    take(UM_MARK_BEGIN, UM_OWN_MARKERS_OPEN + 2, 300, 7, "Task");
    cr_assert_eq(count, 1);
    um_marker_frames_turn(frames, 1, true);
    cr_expect_eq(published[1].as.markers_lost.lost, 2);
}

Test(own_markers, of_too_many_fields_the_flows_stay)
{
    struct um_wire_frame frame = call(UM_MARK_BEGIN, 9, 100, 7, "Load");
    for (uint64_t i = 0; i < 4; i++)
        add(&frame, UM_MARKER_FIELD_TEXT, "text", 0);
    frame.flags = UM_WIRE_MARK_MORE;
    um_own_markers_take(markers, &frame, 100);
    frame.flags = 0;
    um_own_markers_take(markers, &frame, 100);
    frame = call(UM_MARK_END, 9, 130, 7, "");
    for (uint64_t i = 0; i < 4; i++)
        add(&frame, UM_MARKER_FIELD_NUMBER, "number", 0);
    frame.flags = UM_WIRE_MARK_MORE;
    um_own_markers_take(markers, &frame, 130);
    frame.flags = 0;
    frame.as.mark.list[3] = (struct um_wire_mark_field){
        .kind = UM_MARKER_FIELD_TERMINATING_FLOW, .value = 5, .name = "done"};
    um_own_markers_take(markers, &frame, 130);
    cr_assert_eq(count, 2, "of two frames");
    cr_assert_eq(kinds[0].count, UM_WIRE_MARKER_FIELDS);
    const struct um_wire_marker *marker = &published[1].as.marker;
    size_t last = UM_WIRE_MARKER_FIELDS - 1;
    cr_expect(kinds[0].list[last].kind == UM_MARKER_FIELD_TERMINATING_FLOW &&
              kinds[0].list[last].at_end && marker->list[marker->count - 1].value == 5);
}

Test(own_markers, what_is_cut_twice_is_one_that_was_cut)
{
    struct um_wire_frame frame = call(UM_MARK_INSTANT, 1, 100, 7, "long");
    add(&frame, UM_MARKER_FIELD_NUMBER, "number", um_double_bits_of(INFINITY));
    frame.flags = UM_WIRE_MARK_CUT;
    um_own_markers_take(markers, &frame, 100);
    um_marker_frames_turn(frames, 1, true);
    cr_assert_eq(count, 2);
    cr_expect_eq(published[1].as.markers_lost.cut, 1);
}

#define MANY 2000

/* Against a list in which everything is searched for. */
Test(own_markers, many_intervals_are_told_apart)
{
    struct {
        uint64_t number;
        uint32_t thread;
    } open[MANY];
    size_t open_count = 0;
    struct um_random random = {.state = 1};
    for (uint64_t number = 1; number <= MANY || open_count > 0; number++) {
        for (int i = 0; i < 3 && number <= MANY; i++) {
            if (open_count == MANY)
                break;
            uint32_t thread = um_random_below(&random, 50);
            open[open_count].number = 3 * number + (uint64_t)i;
            open[open_count++].thread = thread;
            take(UM_MARK_BEGIN, 3 * number + (uint64_t)i, 3 * number + (uint64_t)i, thread, "Task");
        }
        size_t place = um_random_below(&random, (uint32_t)open_count), inner = place + 1;
        while (inner < open_count && open[inner].thread != open[place].thread)
            inner++;
        count = 0;
        take(UM_MARK_END, open[place].number, 1000000, open[place].thread, "");
        expect(0, "Task", open[place].number, 1000000 - open[place].number,
               inner == open_count ? STACK | INTERVAL : INTERVAL);
        open_count--;
        memmove(&open[place], &open[place + 1], (open_count - place) * sizeof open[0]);
    }
    count = 0;
    um_own_markers_detached(markers, 2000000);
    cr_expect_eq(count, 0);
}

Test(own_markers, the_dll_may_send_so_much_and_as_much_again_as_was_taken)
{
    cr_expect_eq(allowed, 0, "it is not asked yet");
    um_own_markers_ask(markers);
    um_own_markers_ask(markers);
    cr_expect_eq(allowed, UM_OWN_MARKERS_BYTES);
    struct um_wire_frame frame = call(UM_MARK_END, 1, 100, 7, "");
    frame.as.mark.bytes = 1000;
    for (uint32_t taken = 0; taken < 10 * UM_OWN_MARKERS_BYTES; taken += 1000) {
        um_own_markers_take(markers, &frame, frame.as.mark.time_ns);
        cr_assert_leq(allowed, UM_OWN_MARKERS_BYTES + taken + 1000);
        cr_assert_geq(allowed, taken + UM_OWN_MARKERS_BYTES / 2, "%u", taken);
    }
    cr_expect_leq(commands, 1 + 10 * 4);
    um_own_markers_attached(markers);
    allowed = 0;
    um_own_markers_ask(markers);
    cr_expect_eq(allowed, UM_OWN_MARKERS_BYTES);
}

Test(own_markers, what_a_later_dll_tells_is_left_out)
{
    struct um_wire_frame frame = call(UM_MARK_INSTANT, 1, 100, 7, "Click");
    add(&frame, UM_WIRE_UNKNOWN, "later", 5);
    add(&frame, UM_MARKER_FIELD_FLOW, "task", 6);
    um_own_markers_take(markers, &frame, frame.as.mark.time_ns);
    take(UM_WIRE_UNKNOWN, 2, 200, 7, "Later");
    cr_assert_eq(count, 1);
    expect(0, "Click", 100, 0, STACK);
    cr_assert_eq(kinds[0].count, 2);
    cr_expect_eq(kinds[0].list[0].kind, UM_WIRE_UNKNOWN, "it is a text or a number to nobody");
    cr_expect_eq(published[0].as.marker.list[1].value, 6);
}

Test(own_markers, other_frames_are_left_alone)
{
    struct um_wire_frame frame = {.type = UM_WIRE_DRAINED};
    um_own_markers_take(markers, &frame, frame.as.mark.time_ns);
    cr_expect(count == 0 && kind_count == 0);
}
