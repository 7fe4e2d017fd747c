/* Where fields lie in the bytes of an event. */
#include <math.h>
#include <string.h>

#include <criterion/criterion.h>

#include "monitor/layout/layout_schema.h"

static struct um_layout_schema schema;

static struct um_layout_event read_event(const void *bytes, size_t len)
{
    struct um_layout_event event;
    um_layout_event_init(&event, 1, 2);
    um_layout_schema_read(&schema, bytes, len, &event);
    return event;
}

Test(layout_schema, reads_what_xaml_sends_at_the_end_of_an_arrange)
{
    struct {
        uint64_t element;
        float x, y, width, height;
    } bytes = {0x123456789abc, 50, 200.5f, 40, 20};
    um_layout_schema_init(&schema, "ArrangeElement/Stop");
    um_layout_schema_add(&schema, "ElementId", 8, false);
    um_layout_schema_add(&schema, "VisualOffsetX", 4, true);
    um_layout_schema_add(&schema, "VisualOffsetY", 4, true);
    um_layout_schema_add(&schema, "RenderWidth", 4, true);
    um_layout_schema_add(&schema, "RenderHeight", 4, true);
    struct um_layout_event event = read_event(&bytes, sizeof bytes);
    cr_assert_eq(event.kind, UM_LAYOUT_EVENT_ARRANGE_END);
    cr_assert_eq(event.element, 0x123456789abc);
    cr_assert_float_eq(event.left, 50.0f, 0);
    cr_assert_float_eq(event.top, 200.5f, 0);
    cr_assert_float_eq(event.width, 40.0f, 0);
    cr_assert_float_eq(event.height, 20.0f, 0);
}

Test(layout_schema, goes_past_fields_that_are_of_no_interest)
{
    uint8_t bytes[16 + 4 + 8] = {0};
    double left = -1.5;
    uint32_t element = 77;
    memcpy(bytes + 16, &element, sizeof element);
    memcpy(bytes + 20, &left, sizeof left);
    um_layout_schema_init(&schema, "ArrangeElement/Start");
    um_layout_schema_add(&schema, "Activity", 16, false);
    um_layout_schema_add(&schema, "ElementId", 4, false);
    um_layout_schema_add(&schema, "Left", 8, true);
    struct um_layout_event event = read_event(bytes, sizeof bytes);
    cr_assert_eq(event.element, 77);
    cr_assert_float_eq(event.left, -1.5f, 0);
}

Test(layout_schema, numbers_have_one_byte_or_more_and_real_ones_four)
{
    for (uint32_t len = 1; len <= 2; len++) {
        const uint8_t bytes[8] = {7, 0, 9};
        um_layout_schema_init(&schema, "ArrangeElement/Start");
        um_layout_schema_add(&schema, "ElementId", len, false);
        um_layout_schema_add(&schema, "Left", len, true);
        cr_assert_eq(schema.count, 1);
        cr_assert_eq(read_event(bytes, sizeof bytes).element, 7);
    }
}

Test(layout_schema, knows_no_place_behind_a_text)
{
    uint8_t bytes[64] = {1, 0, 0, 0, 0, 0, 0, 0, 'a', 0, 1, 1, 1, 1};
    um_layout_schema_init(&schema, "ArrangeElement/Start");
    um_layout_schema_add(&schema, "ElementId", 8, false);
    um_layout_schema_add(&schema, "Name", 0, false);
    um_layout_schema_add(&schema, "Left", 4, true);
    struct um_layout_event event = read_event(bytes, sizeof bytes);
    cr_assert_eq(event.element, 1);
    cr_assert(isnan(event.left));
}

Test(layout_schema, reads_no_further_than_the_bytes)
{
    const uint8_t bytes[7] = {1, 2, 3, 4, 5, 6, 7};
    um_layout_schema_init(&schema, "MeasureElement/Start");
    um_layout_schema_add(&schema, "ElementId", 8, false);
    cr_assert_eq(read_event(bytes, sizeof bytes).element, 0);
    cr_assert_eq(read_event(NULL, 0).kind, UM_LAYOUT_EVENT_MEASURE_BEGIN);
}
