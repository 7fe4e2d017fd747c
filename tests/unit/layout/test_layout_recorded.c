/* Events of XAML as text. */
#include <math.h>
#include <string.h>

#include <criterion/criterion.h>

#include "monitor/layout/layout_recorded.h"

static struct um_layout_recorded recorded;
static struct um_layout_event event;

static void open_text(const char *text)
{
    recorded = (struct um_layout_recorded){.text = text, .len_bytes = strlen(text)};
}

static enum um_status next(void)
{
    return um_layout_recorded_next(&recorded, &event);
}

Test(layout_recorded, reads_a_line)
{
    open_text("# first\n\n  \t\n1000 7 ArrangeElement/Stop ElementId=0xaB  VisualOffsetX=-50.5 "
              "VisualOffsetY=200 Name=a/b\r\n2000 8 Lost");
    cr_assert_eq(next(), UM_OK);
    cr_assert_eq(event.time_ns, 1000);
    cr_assert_eq(event.thread, 7);
    cr_assert_eq(event.kind, UM_LAYOUT_EVENT_ARRANGE_END);
    cr_assert_eq(event.element, 0xab);
    cr_assert_float_eq(event.left, -50.5f, 0);
    cr_assert_float_eq(event.top, 200.0f, 0);
    cr_assert(isnan(event.width));
    cr_assert_eq(recorded.fields, 1);
    cr_assert_eq(recorded.line, 4);
    cr_assert_eq(next(), UM_OK);
    cr_assert_eq(event.kind, UM_LAYOUT_EVENT_LOST);
    cr_assert_eq(event.thread, 8);
    cr_assert_eq(next(), UM_ERR_CLOSED);
}

Test(layout_recorded, refuses_what_is_no_event_and_goes_on_behind_it)
{
    static const char *const bad[] = {"x 7 A",
                                      "1 y A",
                                      "1 7",
                                      "1",
                                      "-1 7 A",
                                      "1 7 A b",
                                      "1 7 A =1",
                                      "1 7 A Left=x",
                                      "1 7 A Left=1x",
                                      "1 7 A Left=",
                                      "1 7 A Left=-",
                                      "1 7 A ElementId=1.5",
                                      "1 4294967296 A",
                                      "0x 7 A",
                                      "1 7 A ElementId=0x10000000000000000",
                                      "4611686018427387904 7 A"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char text[128];
        snprintf(text, sizeof text, "%s\n3 7 MeasureElement/Stop ElementId=9\n", bad[i]);
        open_text(text);
        cr_assert_eq(next(), UM_ERR_FORMAT, "%s", bad[i]);
        cr_assert_eq(next(), UM_OK, "after %s", bad[i]);
        cr_assert_eq(event.element, 9);
        cr_assert_eq(recorded.line, 2);
    }
}

Test(layout_recorded, refuses_a_line_that_is_too_long)
{
    char text[2 * UM_LAYOUT_RECORDED_LINE_BYTES];
    memset(text, ' ', sizeof text);
    memcpy(text, "1 7 A", 5);
    recorded =
        (struct um_layout_recorded){.text = text, .len_bytes = UM_LAYOUT_RECORDED_LINE_BYTES + 1};
    cr_assert_eq(next(), UM_ERR_TOO_LARGE);
    recorded =
        (struct um_layout_recorded){.text = text, .len_bytes = UM_LAYOUT_RECORDED_LINE_BYTES};
    cr_assert_eq(next(), UM_OK);
}

Test(layout_recorded, refuses_a_zero_byte)
{
    recorded = (struct um_layout_recorded){.text = "1 7 A\0b", .len_bytes = 7};
    cr_assert_eq(next(), UM_ERR_FORMAT);
}
