/* Markers of the target become frames of the feed. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/double_bits.h"
#include "base/plain/clock.h"
#include "monitor/live/marker_frames.h"

#define S UM_CLOCK_NS_PER_S
#define MOST 16

static struct um_marker_frames *frames;
static struct um_wire_frame published[MOST]; /* the first of them */
static size_t count;

static void publish(void *context, const struct um_wire_frame *frame)
{
    uint8_t bytes[UM_WIRE_MAX_BYTES];
    size_t len;
    cr_assert_eq(context, &count);
    cr_assert_eq(um_wire_encode(frame, bytes, sizeof bytes, &len), UM_OK);
    if (count < MOST)
        published[count] = *frame;
    count++;
}

static void setup(void)
{
    cr_assert_eq(um_marker_frames_open(publish, &count, &frames), UM_OK);
}

static void teardown(void)
{
    um_marker_frames_close(frames);
}

TestSuite(marker_frames, .init = setup, .fini = teardown);

static void take(const char *name, const struct um_marker_frames_field *fields, size_t field_count)
{
    const struct um_marker_frames_marker marker = {.source = UM_MARKER_SOURCE_PROGRAM,
                                                   .name = name,
                                                   .category = "work",
                                                   .start_ns = 10,
                                                   .length_ns = 4,
                                                   .thread = 7,
                                                   .interval = true,
                                                   .stack_based = true,
                                                   .fields = fields,
                                                   .field_count = field_count};
    um_marker_frames_take(frames, &marker);
}

Test(marker_frames, a_kind_is_published_before_its_first_marker_and_once)
{
    const struct um_marker_frames_field fields[] = {
        {.kind = UM_MARKER_FIELD_TEXT, .name = "file", .text = "a.txt"},
        {.kind = UM_MARKER_FIELD_NUMBER, .name = "size", .number = 2.5},
        {.kind = UM_MARKER_FIELD_FLOW, .name = "task", .value = UINT64_MAX, .at_end = true}};
    take("Load", fields, 3);
    take("Load", fields, 3);
    cr_assert_eq(count, 3);
    const struct um_wire_marker_kind *kind = &published[0].as.marker_kind;
    cr_assert_eq(published[0].type, UM_WIRE_MARKER_KIND);
    cr_expect(kind->number == 1 && kind->count == 3 && kind->source == UM_MARKER_SOURCE_PROGRAM);
    cr_expect_str_eq(kind->name, "Load");
    cr_expect_str_eq(kind->category, "work");
    cr_expect_str_eq(kind->list[2].name, "task");
    cr_expect(kind->list[2].kind == UM_MARKER_FIELD_FLOW && kind->list[2].at_end == 1);
    const struct um_wire_marker *marker = &published[1].as.marker;
    cr_assert_eq(published[1].type, UM_WIRE_MARKER);
    cr_expect_eq(published[1].flags, UM_WIRE_MARKER_INTERVAL | UM_WIRE_MARKER_STACK_BASED);
    cr_expect(marker->start_ns == 10 && marker->length_ns == 4 && marker->thread == 7);
    cr_expect(marker->kind == 1 && marker->count == 3);
    cr_expect_str_eq(marker->list[0].text, "a.txt");
    cr_expect_eq(marker->list[1].value, um_double_bits_of(2.5));
    cr_expect_eq(marker->list[2].value, UINT64_MAX);
    cr_expect_eq(published[2].type, UM_WIRE_MARKER);
}

Test(marker_frames, whatever_differs_makes_another_kind)
{
    struct um_marker_frames_field field = {.kind = UM_MARKER_FIELD_FLOW, .name = "a"};
    struct um_marker_frames_marker marker = {.source = UM_MARKER_SOURCE_PROGRAM, .name = "a"};
    um_marker_frames_take(frames, &marker);
    marker.source = UM_MARKER_SOURCE_DOTNET;
    um_marker_frames_take(frames, &marker);
    marker.category = "a";
    um_marker_frames_take(frames, &marker);
    marker.fields = &field;
    marker.field_count = 1;
    um_marker_frames_take(frames, &marker);
    field.kind = UM_MARKER_FIELD_TERMINATING_FLOW;
    um_marker_frames_take(frames, &marker);
    field.at_end = true;
    um_marker_frames_take(frames, &marker);
    field.name = "b";
    um_marker_frames_take(frames, &marker);
    cr_assert_eq(count, 14);
    for (uint32_t i = 0; i < 7; i++) {
        cr_expect_eq(published[2 * i].as.marker_kind.number, i + 1);
        cr_expect_eq(published[2 * i + 1].as.marker.kind, i + 1);
    }
}

Test(marker_frames, values_that_do_not_fit_into_a_frame_follow_in_the_next)
{
    struct um_marker_frames_field fields[UM_WIRE_MARKER_FIELDS];
    char names[UM_WIRE_MARKER_FIELDS][4];
    for (size_t i = 0; i < UM_WIRE_MARKER_FIELDS; i++) {
        snprintf(names[i], sizeof names[i], "%zu", i);
        fields[i] = (struct um_marker_frames_field){
            .kind = UM_MARKER_FIELD_FLOW, .name = names[i], .value = i};
    }
    take("GC", fields, UM_WIRE_MARKER_FIELDS);
    cr_assert_eq(count, 3);
    cr_expect(published[1].flags & UM_WIRE_MARKER_MORE);
    cr_expect_not(published[2].flags & UM_WIRE_MARKER_MORE);
    cr_expect(published[1].as.marker.count == 7 && published[2].as.marker.count == 6);
    cr_expect_eq(published[2].as.marker.list[0].value, 7);
    cr_expect_eq(published[2].as.marker.start_ns, 10);
}

Test(marker_frames, what_is_too_long_is_cut_and_counted)
{
    struct um_marker_frames_field fields[UM_WIRE_MARKER_FIELDS + 1] = {{0}};
    char longer[200], text[128];
    memset(longer, 'x', sizeof longer);
    longer[sizeof longer - 1] = '\0';
    memset(text, 't', sizeof text);
    text[127] = '\0';
    fields[0].name = "text";
    fields[0].text = text; /* as long as can be */
    take("whole", fields, 1);
    um_marker_frames_turn(frames, S, true);
    cr_assert_eq(count, 2);
    cr_expect_str_eq(published[1].as.marker.list[0].text, text);
    take(longer, fields, 1);
    fields[0].text = longer;
    take("whole", fields, 1);
    fields[0] = (struct um_marker_frames_field){
        .kind = UM_MARKER_FIELD_NUMBER, .name = "number", .number = NAN};
    take("not a number", fields, 1);
    fields[0] = (struct um_marker_frames_field){.name = "text"};
    take("many", fields, UM_WIRE_MARKER_FIELDS + 1);
    count = 0;
    um_marker_frames_turn(frames, S, true);
    cr_assert_eq(count, 1);
    cr_assert_eq(published[0].type, UM_WIRE_MARKERS_LOST);
    cr_expect_eq(published[0].as.markers_lost.cut, 4);
    cr_expect_eq(published[0].as.markers_lost.lost, 0);
}

static enum um_wire_field_kind kind_of(char sort)
{
    switch (sort) {
    case 'e':
        return UM_MARKER_FIELD_TERMINATING_FLOW;
    case 'g':
        return UM_MARKER_FIELD_TERMINATING_FLOW_TEXT;
    case 'f':
        return UM_MARKER_FIELD_FLOW;
    case 'n':
        return UM_MARKER_FIELD_NUMBER;
    default:
        return UM_MARKER_FIELD_TEXT;
    }
}

/* Publishes a marker with fields of these sorts, which are called a, b, c and so on. */
static void expect_kept(const char *sorts, const char *kept)
{
    struct um_marker_frames_field fields[26];
    char names[26][2] = {{0}}, all[UM_WIRE_MARKER_FIELDS + 1] = "";
    size_t first = count;
    for (size_t i = 0; sorts[i]; i++) {
        names[i][0] = (char)('a' + i);
        fields[i] = (struct um_marker_frames_field){.kind = kind_of(sorts[i]), .name = names[i]};
    }
    take(sorts, fields, strlen(sorts));
    const struct um_wire_marker_kind *kind = &published[first].as.marker_kind;
    for (size_t i = 0; i < kind->count; i++)
        strcat(all, kind->list[i].name);
    cr_expect_str_eq(all, kept, "%s: %s", sorts, all);
}

Test(marker_frames, of_too_many_fields_flows_stay_and_those_that_it_ends_above_all)
{
    expect_kept("ttttttttttttt", "abcdefghijklm");
    expect_kept("tttttttttttttf", "abcdefghijkln");
    expect_kept("ntntntntntnfgntff", "abcdefghilmpq");
    expect_kept("ffffffffffffffe", "abcdefghijklo");
    expect_kept("tffffffffffffffge", "bcdefghijklpq");
}

Test(marker_frames, markers_of_too_many_kinds_are_lost)
{
    char name[16];
    for (int i = 0; i < UM_WIRE_MARKER_KINDS + 3; i++) {
        snprintf(name, sizeof name, "kind %d", i);
        take(name, NULL, 0);
    }
    cr_expect_eq(count, 2 * UM_WIRE_MARKER_KINDS);
    take("kind 7", NULL, 0);
    cr_expect_eq(count, 2 * UM_WIRE_MARKER_KINDS + 1, "a kind that is known goes on");
    count = 0;
    um_marker_frames_turn(frames, S, false);
    cr_expect_eq(published[0].as.markers_lost.lost, 3);
}

Test(marker_frames, losses_are_said_once_a_second_for_each_source)
{
    um_marker_frames_turn(frames, S, false);
    cr_expect_eq(count, 0, "nothing is lost");
    um_marker_frames_lost(frames, UM_MARKER_SOURCE_PROGRAM, 5, 0);
    um_marker_frames_turn(frames, S, false);
    um_marker_frames_lost(frames, UM_MARKER_SOURCE_PROGRAM, 2, 1);
    um_marker_frames_lost(frames, UM_MARKER_SOURCE_DOTNET, 9, 0);
    um_marker_frames_turn(frames, S + S / 2, false);
    cr_assert_eq(count, 2);
    cr_expect_eq(published[0].as.markers_lost.lost, 5);
    cr_expect_eq(published[1].as.markers_lost.source, UM_MARKER_SOURCE_DOTNET);
    um_marker_frames_turn(frames, 2 * S, false);
    cr_assert_eq(count, 3);
    cr_expect(published[2].as.markers_lost.lost == 7 && published[2].as.markers_lost.cut == 1);
    cr_expect_eq(published[2].as.markers_lost.time_ns, 2 * S);
    um_marker_frames_turn(frames, 9 * S, false);
    cr_expect_eq(count, 3, "nothing more is");
    um_marker_frames_lost(frames, UM_MARKER_SOURCE_PROGRAM, 1, 0);
    um_marker_frames_turn(frames, 2 * S + 1, true);
    cr_expect_eq(count, 4, "at the end it does not wait");
}
