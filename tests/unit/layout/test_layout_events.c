/* From recorded events of XAML to what each component has cost in a frame. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "monitor/layout/layout_components.h"
#include "monitor/layout/layout_events.h"
#include "monitor/layout/layout_recorded.h"

#define UI 7u
#define CHROME UM_LAYOUT_COMPONENTS_CHROME
#define ROOT 3u
#define PANE 4u
#define INNER 5u
#define FRAMES 16
#define MEASURE UM_LAYOUT_STEP_MEASURE
#define ARRANGE UM_LAYOUT_STEP_ARRANGE

static struct um_layout_events *events;
static struct um_ring_slot slots[256];
static struct um_ring ring;
static struct {
    bool lost;
    uint64_t own_ns[64][UM_LAYOUT_STEP_COUNT]; /* by component */
} frames[FRAMES];
static size_t count;

static void take_frame(void *context, const struct um_layout_pair *list, size_t pairs, bool lost)
{
    (void)context;
    cr_assert_lt(count, FRAMES);
    cr_assert(!lost || pairs == 0);
    frames[count].lost = lost;
    for (size_t i = 0; i < pairs; i++) {
        cr_assert_lt(list[i].tag, 64);
        frames[count].own_ns[list[i].tag][list[i].step] += list[i].own_ns;
    }
    count++;
}

static void area(uint32_t id, float left, float top, float right, float bottom)
{
    const struct um_layout_area at = {left, top, right, bottom};
    um_layout_events_area(events, id, &at);
}

static void setup(void)
{
    const struct um_layout_events_config config = {NULL, take_frame};
    count = 0;
    memset(frames, 0, sizeof frames);
    um_ring_init(&ring, slots, sizeof slots / sizeof slots[0]);
    cr_assert_eq(um_layout_events_open(&config, &events), UM_OK);
    area(ROOT, 0, 0, 800, 600);
    area(PANE, 50, 200, 350, 500);
    area(INNER, 60, 205, 110, 255);
}

static void teardown(void)
{
    um_layout_events_close(events);
}

TestSuite(layout_events, .init = setup, .fini = teardown);

/* Returns how many events went into the ring. */
static size_t put(const char *text)
{
    struct um_layout_recorded recorded = {.text = text, .len_bytes = strlen(text)};
    struct um_layout_event event;
    size_t into = 0;
    enum um_status status;
    while ((status = um_layout_recorded_next(&recorded, &event)) == UM_OK)
        into += um_layout_event_push(&ring, UI, &event);
    cr_assert_eq(status, UM_ERR_CLOSED, "line %u", (unsigned)recorded.line);
    return into;
}

static void feed(const char *text)
{
    put(text);
    um_layout_events_drain(events, &ring);
}

static void finish(size_t expected)
{
    um_layout_events_finish(events);
    cr_assert_eq(count, expected, "%zu frames", count);
}

static uint64_t own_ns(size_t frame, uint32_t id, enum um_layout_step step)
{
    cr_assert_lt(frame, count);
    return frames[frame].own_ns[id][step];
}

/* A root with 0x2 in it, and 0x3 in that. */
#define NESTED                                                                                     \
    "1000 7 ArrangeElement/Start ElementId=0x1 Left=0 Top=0 Width=800 Height=600\n"                \
    "1100 7 ArrangeElement/Start ElementId=0x2 Left=50 Top=200 Width=300 Height=300\n"             \
    "1300 7 ArrangeElement/Start ElementId=0x3 Left=10 Top=5 Width=50 Height=50\n"                 \
    "1700 7 ArrangeElement/Stop ElementId=0x3 VisualOffsetX=10 VisualOffsetY=5 RenderWidth=50 "    \
    "RenderHeight=50\n"                                                                            \
    "1900 7 ArrangeElement/Stop ElementId=0x2 VisualOffsetX=50 VisualOffsetY=200 "                 \
    "RenderWidth=300 RenderHeight=300\n"                                                           \
    "2900 7 ArrangeElement/Stop ElementId=0x1 VisualOffsetX=0 VisualOffsetY=0 RenderWidth=90 "     \
    "RenderHeight=90\n"

Test(layout_events, three_nested_components_have_their_own_times_at_their_own_places)
{
    feed(NESTED);
    finish(1);
    cr_assert_eq(own_ns(0, INNER, ARRANGE), 400); /* it lies at (60, 205) */
    cr_assert_eq(own_ns(0, PANE, ARRANGE), 400);
    cr_assert_eq(own_ns(0, ROOT, ARRANGE), 1100);
    cr_assert_eq(own_ns(0, CHROME, ARRANGE), 0);
}

Test(layout_events, an_offset_alone_would_be_at_another_place)
{
    um_layout_events_area(events, INNER, NULL);
    area(INNER, 60, 205, 61, 206); /* the middle of what begins at (60, 205) and is 1 wide */
    feed("1000 7 ArrangeElement/Begin ElementId=1 Left=0 Top=0\n"
         "1000 7 ArrangeElement/Begin ElementId=2 Left=50 Top=200\n"
         "1000 7 ArrangeElement/Begin ElementId=3 Left=10 Top=5 Width=1 Height=1\n"
         "1500 7 ArrangeElement/End ElementId=3\n"
         "1500 7 ArrangeElement/End ElementId=2\n"
         "1500 7 ArrangeElement/End ElementId=1\n");
    finish(1);
    cr_assert_eq(own_ns(0, INNER, ARRANGE), 500);
}

Test(layout_events, the_end_says_where_an_element_came_to_lie)
{
    feed("1000 7 ArrangeElement/Start ElementId=1 Left=0 Top=0 Width=800 Height=600\n"
         "2000 7 ArrangeElement/Start ElementId=2 Left=0 Top=0 Width=800 Height=600\n"
         "2500 7 ArrangeElement/Stop ElementId=2 FinalRectX=300 FinalRectY=400 FinalRectWidth=20 "
         "FinalRectHeight=20\n"
         "2500 7 ArrangeElement/Stop ElementId=1\n");
    finish(1);
    cr_assert_eq(own_ns(0, PANE, ARRANGE), 500);
}

Test(layout_events, a_measure_before_the_first_arrange_counts_for_where_the_element_came_to_lie)
{
    feed("100 7 MeasureElement/Start ElementId=0x1\n"
         "200 7 MeasureElement/Start ElementId=0x3\n"
         "500 7 MeasureElement/Stop ElementId=0x3\n"
         "900 7 MeasureElement/Stop ElementId=0x1\n" NESTED);
    finish(1);
    cr_assert_eq(own_ns(0, INNER, MEASURE), 300);
    cr_assert_eq(own_ns(0, ROOT, MEASURE), 500);
}

Test(layout_events, a_measure_of_an_element_that_is_known_counts_at_once)
{
    feed(NESTED "9000000 7 MeasureElement/Start ElementId=3\n"
                "9000300 7 MeasureElement/Stop ElementId=3\n");
    finish(2);
    cr_assert_eq(own_ns(1, INNER, MEASURE), 300);
}

Test(layout_events, what_fits_nowhere_is_chrome)
{
    feed("1000 7 ArrangeElement/Start ElementId=1 Left=0 Top=1200 Width=800 Height=20\n"
         "1500 7 ArrangeElement/Stop ElementId=1 VisualOffsetX=0 VisualOffsetY=1200 "
         "RenderWidth=800 RenderHeight=20\n"
         "1500 7 MeasureElement/Start ElementId=2\n"
         "1700 7 MeasureElement/Stop ElementId=2\n"
         "1700 7 ArrangeElement/Start ElementId=3 Left=1 Top=1 Width=0 Height=0\n"
         "1800 7 ArrangeElement/Stop ElementId=3 VisualOffsetX=1 VisualOffsetY=1 RenderWidth=0 "
         "RenderHeight=0\n");
    finish(1);
    cr_assert_eq(own_ns(0, CHROME, ARRANGE), 600);
    cr_assert_eq(own_ns(0, CHROME, MEASURE), 200);
}

Test(layout_events, a_rectangle_of_nothing_binds_no_element)
{
    feed("1000 7 ArrangeElement/Start ElementId=3 Left=0 Top=0 Width=0 Height=0\n"
         "1000 7 ArrangeElement/Stop ElementId=3\n"
         "1000 7 MeasureElement/Start ElementId=3\n"
         "1300 7 MeasureElement/Stop ElementId=3\n" NESTED);
    finish(1);
    cr_assert_eq(own_ns(0, INNER, MEASURE), 300);
}

Test(layout_events, an_id_that_is_used_again_counts_for_its_new_place)
{
    feed(NESTED "9000000 7 ArrangeElement/Start ElementId=3 Left=700 Top=10 Width=20 Height=20\n"
                "9000100 7 ArrangeElement/Stop ElementId=3 VisualOffsetX=700 VisualOffsetY=10 "
                "RenderWidth=20 RenderHeight=20\n"
                "9000100 7 MeasureElement/Start ElementId=3\n"
                "9000300 7 MeasureElement/Stop ElementId=3\n");
    finish(2);
    cr_assert_eq(own_ns(1, ROOT, ARRANGE), 100);
    cr_assert_eq(own_ns(1, ROOT, MEASURE), 200);
    cr_assert_eq(own_ns(1, INNER, ARRANGE), 0);
}

Test(layout_events, an_id_that_is_used_again_binds_nothing_until_it_is_arranged)
{
    feed(NESTED "9000000 7 ElementDestroyed/Info ElementId=3\n"
                "9000100 7 MeasureElement/Start ElementId=3\n"
                "9000300 7 MeasureElement/Stop ElementId=3\n"
                "9000300 7 ArrangeElement/Start ElementId=3 Left=700 Top=10 Width=20 Height=20\n"
                "9000400 7 ArrangeElement/Stop ElementId=3\n");
    feed("19000000 7 ElementDestroyed/Info ElementId=3\n"
         "19000000 7 MeasureElement/Start ElementId=3\n" /* is never arranged */
         "19000500 7 MeasureElement/Stop ElementId=3\n");
    finish(3);
    cr_assert_eq(own_ns(1, INNER, MEASURE), 0);
    cr_assert_eq(own_ns(1, ROOT, MEASURE), 200);
    cr_assert_eq(own_ns(1, ROOT, ARRANGE), 100);
    cr_assert_eq(own_ns(2, CHROME, MEASURE), 500);
    cr_assert_eq(um_layout_events_sum(events).taken, 12);
}

Test(layout_events, an_element_that_goes_is_no_layout_frame)
{
    feed("1000 7 ElementDestroyed/Info ElementId=3\n");
    um_layout_events_tick(events, UINT64_MAX);
    finish(0);
}

Test(layout_events, fifty_components_each_have_their_own)
{
    char text[256];
    for (unsigned i = 0; i < 50; i++)
        area(10 + i, (float)(16 * i), 560, (float)(16 * i + 16), 576);
    for (unsigned i = 0; i < 50; i++) {
        snprintf(text, sizeof text,
                 "%u 7 ArrangeElement/Start ElementId=%u Left=%u Top=560 Width=16 Height=16\n"
                 "%u 7 ArrangeElement/Stop ElementId=%u\n",
                 1000 * i, 100 + i, 16 * i, 1000 * i + i + 1, 100 + i);
        feed(text);
    }
    finish(1);
    for (unsigned i = 0; i < 50; i++)
        cr_assert_eq(own_ns(0, 10 + i, ARRANGE), i + 1, "component %u", 10 + i);
}

Test(layout_events, other_threads_do_no_harm)
{
    cr_assert_eq(put("1000 7 MeasureElement/Start ElementId=1\n"
                     "1100 8 MeasureElement/Start ElementId=1\n"
                     "1200 8 MeasureElement/Stop ElementId=1\n"
                     "1300 7 MeasureElement/Stop ElementId=1\n"
                     "1400 7 Frame/Start\n"),
                 2);
    um_layout_events_drain(events, &ring);
    finish(1);
    cr_assert_eq(own_ns(0, CHROME, MEASURE), 300);
}

Test(layout_events, a_frame_ends_where_nothing_is_laid_out_for_a_while)
{
    feed("10000000 7 MeasureElement/Start ElementId=1\n"
         "15000000 7 MeasureElement/Stop ElementId=1\n"
         "16999999 7 MeasureElement/Start ElementId=1\n"
         "17000000 7 MeasureElement/Stop ElementId=1\n");
    cr_assert_eq(count, 0);
    feed("19000000 7 MeasureElement/Start ElementId=1\n"
         "23000000 7 MeasureElement/Stop ElementId=1\n");
    cr_assert_eq(count, 1);
    cr_assert_eq(own_ns(0, CHROME, MEASURE), 5000001);
    finish(2);
    cr_assert_eq(own_ns(1, CHROME, MEASURE), 4000000);
}

Test(layout_events, a_step_that_takes_long_is_one_frame)
{
    feed("10000000 7 MeasureElement/Start ElementId=1\n"
         "19000000 7 MeasureElement/Start ElementId=2\n"
         "29000000 7 MeasureElement/Stop ElementId=2\n"
         "39000000 7 MeasureElement/Stop ElementId=1\n");
    finish(1);
}

Test(layout_events, a_frame_ends_when_nothing_more_comes)
{
    feed(NESTED);
    um_layout_events_tick(events, 2900 + UM_LAYOUT_EVENTS_QUIET_NS - 1);
    cr_assert_eq(count, 0);
    um_layout_events_tick(events, 2900 + UM_LAYOUT_EVENTS_QUIET_NS);
    cr_assert_eq(count, 1);
    um_layout_events_tick(events, 9 * UM_LAYOUT_EVENTS_QUIET_NS);
    finish(1);
}

Test(layout_events, begins_and_ends_alone_are_counted)
{
    feed("1000 7 MeasureElement/Stop ElementId=9\n"
         "1000 7 MeasureElement/Start ElementId=1\n"
         "1100 7 MeasureElement/Start ElementId=2\n" /* left by an exception */
         "1900 7 MeasureElement/Stop ElementId=1\n");
    struct um_layout_events_sum sum = um_layout_events_sum(events);
    cr_assert_eq(sum.taken, 4);
    cr_assert_eq(sum.begins, 1);
    cr_assert_eq(sum.ends, 1);
    finish(1);
    cr_assert_eq(own_ns(0, CHROME, MEASURE), 900);
}

Test(layout_events, an_outermost_step_that_never_ended_does_not_make_one_endless_frame)
{
    feed("10000000 7 MeasureElement/Start ElementId=1\n"
         "11000000 7 MeasureElement/Start ElementId=2\n"
         "50000000 7 MeasureElement/Start ElementId=1\n"
         "50000700 7 MeasureElement/Stop ElementId=1\n");
    cr_assert_eq(count, 1);
    finish(2);
    cr_assert_eq(own_ns(1, CHROME, MEASURE), 700);
    cr_assert_eq(um_layout_events_sum(events).begins, 2);
}

Test(layout_events, an_outermost_step_that_never_comes_again_ends_after_a_while)
{
    feed("10000000 7 MeasureElement/Start ElementId=1\n" /* left by an exception */
         "11000000 7 MeasureElement/Start ElementId=2\n"
         "12000000 7 MeasureElement/Stop ElementId=2\n");
    um_layout_events_tick(events, 12000000 + UM_LAYOUT_EVENTS_ENDLESS_NS - 1);
    cr_assert_eq(count, 0);
    um_layout_events_tick(events, 12000000 + UM_LAYOUT_EVENTS_ENDLESS_NS);
    cr_assert_eq(count, 1);
    cr_assert(frames[0].lost);
    um_layout_events_tick(events, 9 * UM_LAYOUT_EVENTS_ENDLESS_NS);
    cr_assert_eq(count, 1);
    feed("20000000000 7 MeasureElement/Start ElementId=2\n"
         "20000000700 7 MeasureElement/Stop ElementId=2\n");
    finish(2);
    cr_assert_not(frames[1].lost);
    cr_assert_eq(own_ns(1, CHROME, MEASURE), 700);
    cr_assert_eq(um_layout_events_sum(events).begins, 1);
}

/* Nobody has asked meanwhile. */
Test(layout_events, a_begin_long_after_a_step_that_never_ended_is_a_frame_of_its_own)
{
    feed("10000000 7 MeasureElement/Start ElementId=1\n"
         "10009999999 7 MeasureElement/Start ElementId=2\n" /* soon enough to lie within it */
         "10009999999 7 MeasureElement/Stop ElementId=2\n");
    cr_assert_eq(count, 0);
    feed("20009999999 7 MeasureElement/Start ElementId=2\n"
         "20010000299 7 MeasureElement/Stop ElementId=2\n");
    cr_assert_eq(count, 1);
    cr_assert(frames[0].lost);
    finish(2);
    cr_assert_not(frames[1].lost);
    cr_assert_eq(own_ns(1, CHROME, MEASURE), 300);
    cr_assert_eq(um_layout_events_sum(events).begins, 1);
}

Test(layout_events, a_frame_of_which_an_event_was_lost_has_no_numbers)
{
    feed("10000000 7 MeasureElement/Start ElementId=1\n"
         "10000100 0 Lost\n"
         "10000200 7 ArrangeElement/Start ElementId=3 Left=700 Top=10 Width=9 Height=9\n"
         "10000300 7 ArrangeElement/Stop ElementId=3\n"
         "10000300 7 MeasureElement/Stop ElementId=1\n"
         "20000000 7 MeasureElement/Start ElementId=3\n"
         "20000400 7 MeasureElement/Stop ElementId=3\n");
    finish(2);
    cr_assert(frames[0].lost && !frames[1].lost);
    cr_assert_eq(own_ns(1, CHROME, MEASURE), 400); /* 3 was not bound to the root */
}

Test(layout_events, what_the_ring_dropped_makes_one_lost_frame)
{
    char text[128];
    for (unsigned i = 0; i < 300; i++) { /* 600 events into a ring of 256 */
        snprintf(text, sizeof text,
                 "%u 7 MeasureElement/Start ElementId=1\n%u 7 MeasureElement/Stop ElementId=1\n",
                 10000000 + 1000 * i, 10000100 + 1000 * i);
        put(text);
    }
    cr_assert_eq(um_layout_events_drain(events, &ring), 256);
    feed("20000000 7 MeasureElement/Start ElementId=1\n"
         "20000400 7 MeasureElement/Stop ElementId=1\n");
    finish(2);
    cr_assert(frames[0].lost && !frames[1].lost);
    cr_assert_eq(own_ns(1, CHROME, MEASURE), 400);
}

Test(layout_events, begun_within_a_step_no_place_is_known)
{
    feed("10000000 7 ArrangeElement/Stop ElementId=8\n"
         "10000100 7 ArrangeElement/Start ElementId=3 Left=700 Top=10 Width=9 Height=9\n"
         "10000300 7 ArrangeElement/Stop ElementId=3\n"
         "10000300 7 ArrangeElement/Stop ElementId=1\n");
    finish(1);
    cr_assert_eq(own_ns(0, CHROME, ARRANGE), 200);
    cr_assert_eq(own_ns(0, ROOT, ARRANGE), 0);
}

Test(layout_events, steps_deeper_than_the_stack_do_no_harm)
{
    char text[128];
    area(INNER, 400, 400, 410, 410); /* where the innermost is */
    for (unsigned i = 1; i <= 400; i++) {
        snprintf(text, sizeof text,
                 "1000 7 ArrangeElement/Start ElementId=%u Left=1 Top=1 "
                 "Width=10 Height=10\n",
                 i);
        feed(text);
    }
    for (unsigned i = 400; i >= 1; i--) {
        snprintf(text, sizeof text, "2000 7 ArrangeElement/Stop ElementId=%u\n", i);
        feed(text);
    }
    finish(1);
    cr_assert_eq(own_ns(0, INNER, ARRANGE), 1000);
}

Test(layout_events, nothing_costs_nothing)
{
    um_layout_events_tick(events, UINT64_MAX);
    finish(0);
}
