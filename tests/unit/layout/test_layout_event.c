/* What an event of XAML is, by its names, and its way through the ring. */
#include <math.h>
#include <stdint.h>

#include <criterion/criterion.h>

#include "monitor/layout/layout_event.h"

#define UI 7u

static struct um_ring_slot slots[4];
static struct um_ring ring;

static void setup(void)
{
    um_ring_init(&ring, slots, 4);
}

TestSuite(layout_event, .init = setup);

static struct um_layout_event event_of(const char *name, uint32_t thread, uint64_t element)
{
    struct um_layout_event event;
    um_layout_event_init(&event, 5, thread);
    event.kind = (uint8_t)um_layout_event_name(name);
    um_layout_event_whole(&event, UM_LAYOUT_EVENT_ELEMENT, element);
    return event;
}

Test(layout_event, start_and_begin_are_the_same_and_so_are_stop_and_end)
{
    cr_assert_eq(um_layout_event_name("MeasureElement/Start"), UM_LAYOUT_EVENT_MEASURE_BEGIN);
    cr_assert_eq(um_layout_event_name("MeasureElement/Begin"), UM_LAYOUT_EVENT_MEASURE_BEGIN);
    cr_assert_eq(um_layout_event_name("MeasureElementBegin"), UM_LAYOUT_EVENT_MEASURE_BEGIN);
    cr_assert_eq(um_layout_event_name("MeasureElement/Stop"), UM_LAYOUT_EVENT_MEASURE_END);
    cr_assert_eq(um_layout_event_name("MeasureElement/End"), UM_LAYOUT_EVENT_MEASURE_END);
    cr_assert_eq(um_layout_event_name("ArrangeElement/Start"), UM_LAYOUT_EVENT_ARRANGE_BEGIN);
    cr_assert_eq(um_layout_event_name("ArrangeElement/End"), UM_LAYOUT_EVENT_ARRANGE_END);
    cr_assert_eq(um_layout_event_name("Lost"), UM_LAYOUT_EVENT_LOST);
}

Test(layout_event, an_element_that_is_destroyed_is_gone)
{
    cr_assert_eq(um_layout_event_name("ElementDestroyed"), UM_LAYOUT_EVENT_GONE);
    cr_assert_eq(um_layout_event_name("ElementDestroyed/"), UM_LAYOUT_EVENT_GONE);
    cr_assert_eq(um_layout_event_name("ElementDestroyed/Info"), UM_LAYOUT_EVENT_GONE);
    cr_assert_eq(um_layout_event_name("ElementDestroyed/Start"), UM_LAYOUT_EVENT_OTHER);
    cr_assert_eq(um_layout_event_name("ElementDestroyedNot"), UM_LAYOUT_EVENT_OTHER);
    cr_assert_eq(um_layout_event_name("ElementCreated/Info"), UM_LAYOUT_EVENT_OTHER);
}

Test(layout_event, other_names_are_other_events)
{
    static const char *const others[] = {
        "",       "MeasureElement",     "MeasureElement/",     "MeasureElement/Info",
        "/Start", "MeasureChild/Start", "ArrangeElement/Stop2"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        cr_assert_eq(um_layout_event_name(others[i]), UM_LAYOUT_EVENT_OTHER, "%s", others[i]);
}

Test(layout_event, fields_have_the_names_of_several_versions)
{
    cr_assert_eq(um_layout_event_field("ElementId"), UM_LAYOUT_EVENT_ELEMENT);
    cr_assert_eq(um_layout_event_field("Left"), UM_LAYOUT_EVENT_LEFT);
    cr_assert_eq(um_layout_event_field("VisualOffsetY"), UM_LAYOUT_EVENT_TOP);
    cr_assert_eq(um_layout_event_field("RenderWidth"), UM_LAYOUT_EVENT_WIDTH);
    cr_assert_eq(um_layout_event_field("FinalRectHeight"), UM_LAYOUT_EVENT_HEIGHT);
    cr_assert_eq(um_layout_event_field("AvailableWidth"), UM_LAYOUT_EVENT_NO_FIELD);
}

Test(layout_event, numbers_that_are_none_are_not_said)
{
    struct um_layout_event event = event_of("ArrangeElement/Stop", UI, 1);
    um_layout_event_real(&event, UM_LAYOUT_EVENT_LEFT, (double)INFINITY);
    um_layout_event_real(&event, UM_LAYOUT_EVENT_TOP, 1e300);
    um_layout_event_real(&event, UM_LAYOUT_EVENT_WIDTH, -2.5);
    cr_assert(isnan(event.left) && isnan(event.top) && isnan(event.height));
    cr_assert_float_eq(event.width, -2.5f, 0);
}

Test(layout_event, the_first_id_counts)
{
    struct um_layout_event event = event_of("MeasureElement/Start", UI, 0);
    um_layout_event_whole(&event, UM_LAYOUT_EVENT_ELEMENT, 3);
    um_layout_event_whole(&event, UM_LAYOUT_EVENT_ELEMENT, 4);
    cr_assert_eq(event.element, 3);
}

Test(layout_event, goes_through_the_ring)
{
    struct um_layout_event event = event_of("ArrangeElement/Stop", UI, UINT64_MAX), out;
    event.time_ns = UINT64_MAX >> 3;
    um_layout_event_real(&event, UM_LAYOUT_EVENT_LEFT, 1);
    um_layout_event_real(&event, UM_LAYOUT_EVENT_TOP, 2);
    um_layout_event_real(&event, UM_LAYOUT_EVENT_WIDTH, 3);
    cr_assert(um_layout_event_push(&ring, UI, &event));
    cr_assert(um_layout_event_pop(&ring, &out));
    cr_assert_eq(out.time_ns, UINT64_MAX >> 3);
    cr_assert_eq(out.element, UINT64_MAX);
    cr_assert_eq(out.kind, UM_LAYOUT_EVENT_ARRANGE_END);
    cr_assert_float_eq(out.left, 1.0f, 0);
    cr_assert_float_eq(out.top, 2.0f, 0);
    cr_assert_float_eq(out.width, 3.0f, 0);
    cr_assert(isnan(out.height));
    cr_assert_not(um_layout_event_pop(&ring, &out));
}

Test(layout_event, only_events_of_the_thread_s_elements_and_losses_get_into_the_ring)
{
    struct um_layout_event event = event_of("MeasureElement/Start", UI + 1, 1);
    cr_assert_not(um_layout_event_push(&ring, UI, &event));
    event = event_of("MeasureChild/Start", UI, 1);
    cr_assert_not(um_layout_event_push(&ring, UI, &event));
    event = event_of("MeasureElement/Start", UI, 0);
    cr_assert_not(um_layout_event_push(&ring, UI, &event));
    cr_assert_not(um_layout_event_pop(&ring, &event));
    event = event_of("ElementDestroyed", UI + 1, 1);
    cr_assert_not(um_layout_event_push(&ring, UI, &event));
    event = event_of("ElementDestroyed", UI, 0);
    cr_assert_not(um_layout_event_push(&ring, UI, &event));
    event = event_of("ElementDestroyed", UI, 1);
    cr_assert(um_layout_event_push(&ring, UI, &event));
    cr_assert(um_layout_event_pop(&ring, &event));
    cr_assert_eq(event.kind, UM_LAYOUT_EVENT_GONE);
    event = event_of("Lost", 0, 0);
    cr_assert(um_layout_event_push(&ring, UI, &event));
}

Test(layout_event, a_full_ring_drops_the_oldest)
{
    struct um_layout_event event, out;
    for (uint64_t i = 1; i <= 6; i++) {
        event = event_of("MeasureElement/Start", UI, i);
        cr_assert(um_layout_event_push(&ring, UI, &event));
    }
    cr_assert(um_layout_event_pop(&ring, &out));
    cr_assert_eq(out.element, 3);
    cr_assert_eq(ring.lost, 2);
}
