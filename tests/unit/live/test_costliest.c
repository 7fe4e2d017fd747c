/* The message that explains a freeze best, of those that the DLL reports. */
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/plain/clock.h"
#include "monitor/live/costliest.h"

#define MS UM_CLOCK_NS_PER_MS
#define TIMER 2 /* nodes */
#define MOVED 3
#define DRAWN 4
#define PINGED 5
#define WINDOW 0x51

static struct um_costliest costliest;
static struct um_wire_costliest told[16];
static size_t count;
static uint64_t lost;

static void publish(void *context, const struct um_wire_frame *frame)
{
    (void)context;
    cr_assert_eq(frame->type, UM_WIRE_COSTLIEST);
    cr_assert_lt(count, sizeof told / sizeof told[0]);
    told[count++] = frame->as.costliest;
}

static bool message_name(void *context, uint32_t message, char *buf, size_t cap_bytes)
{
    (void)context;
    return message == 0xc123 && snprintf(buf, cap_bytes, "Ping") > 0;
}

static bool window_class(void *context, uint64_t window, char *buf, size_t cap_bytes)
{
    (void)context;
    return window == WINDOW && snprintf(buf, cap_bytes, "Editor") > 0;
}

static void take_call(uint32_t node, uint32_t message, enum um_trace_kind kind)
{
    struct um_wire_frame frame = {
        .type = UM_WIRE_TRACE_CALL,
        .as.trace_call = {
            .node = node, .message = message, .kind = (uint8_t)kind, .window_class = "Frame"}};
    um_costliest_take(&costliest, &frame);
}

static void setup(void)
{
    memset(&costliest, 0, sizeof costliest);
    costliest.publish = publish;
    costliest.message_name = message_name;
    costliest.window_class = window_class;
    count = 0;
    lost = 0;
    um_costliest_attached(&costliest);
    take_call(TIMER, 0x0113, UM_TRACE_RETRIEVED);
    take_call(MOVED, 0x0047, UM_TRACE_SENT);
    take_call(DRAWN, 0x000f, UM_TRACE_SENT);
    take_call(PINGED, 0xc123, UM_TRACE_SENT);
}

static void teardown(void)
{
    um_costliest_deinit(&costliest);
}

TestSuite(costliest, .init = setup, .fini = teardown);

static void take_event(struct um_wire_trace_event event)
{
    struct um_wire_frame frame = {.type = UM_WIRE_TRACE_EVENTS,
                                  .as.trace_events = {.lost = lost, .count = 1, .list = {event}}};
    um_costliest_take(&costliest, &frame);
}

static void ended(uint32_t node, uint64_t begin_ms, uint64_t end_ms)
{
    take_event((struct um_wire_trace_event){
        .node = node, .begin_ns = begin_ms * MS, .length_ns = (end_ms - begin_ms) * MS});
}

static void froze(uint32_t id, uint64_t begin_ms, uint64_t end_ms)
{
    struct um_wire_frame frame = {
        .type = UM_WIRE_EPISODE,
        .as.episode = {.start_ns = begin_ms * MS, .end_ns = end_ms * MS, .id = id}};
    um_costliest_freeze(&costliest, &frame);
}

static void expect_last(uint32_t id, uint32_t message, uint64_t length_ms)
{
    um_costliest_turn(&costliest);
    cr_assert_gt(count, 0);
    cr_expect_eq(told[count - 1].freeze, id);
    cr_expect_eq(told[count - 1].message, message);
    cr_expect_eq(told[count - 1].length_ns, length_ms * MS);
}

/* A WM_TIMER of 900 ms was retrieved, and a WM_WINDOWPOSCHANGED of 817 ms was sent within it. */
Test(costliest, is_the_innermost_message_that_took_half_of_the_freeze)
{
    ended(DRAWN, 100, 180);
    ended(MOVED, 60, 877);
    ended(TIMER, 50, 950);
    froze(7, 50, 950);
    expect_last(7, 0x0047, 817);
    cr_expect_eq(told[0].kind, UM_TRACE_SENT);
    cr_expect_str_eq(told[0].window_class, "Frame");
    um_costliest_turn(&costliest);
    cr_expect_eq(count, 1, "it is told once");
}

Test(costliest, is_the_one_around_where_none_within_took_half)
{
    ended(MOVED, 100, 400);
    ended(DRAWN, 500, 900);
    ended(TIMER, 50, 1050);
    froze(7, 50, 1050);
    expect_last(7, 0x0113, 1000);
    cr_expect_eq(told[0].kind, UM_TRACE_RETRIEVED);
}

/* A row of messages, as in a starved time. */
Test(costliest, is_the_longest_where_none_took_half)
{
    ended(MOVED, 0, 30);
    ended(DRAWN, 30, 75);
    ended(MOVED, 75, 110);
    froze(7, 0, 110);
    expect_last(7, 0x000f, 45);
}

/* Its end comes after that of the freeze, or the DLL reports it late. */
Test(costliest, of_a_kind_of_a_later_dll_is_of_no_known_kind)
{
    take_call(PINGED + 1, 0x000f, UM_WIRE_UNKNOWN);
    ended(PINGED + 1, 50, 950);
    froze(7, 50, 950);
    expect_last(7, 0x000f, 900);
    cr_expect_eq(told[0].kind, UM_WIRE_UNKNOWN);
}

Test(costliest, may_be_known_after_the_freeze)
{
    froze(7, 50, 950);
    um_costliest_turn(&costliest);
    cr_expect_eq(count, 0);
    ended(MOVED, 60, 300);
    expect_last(7, 0x0047, 240);
    ended(TIMER, 50, 2000);
    expect_last(7, 0x0113, 900);
}

Test(costliest, of_other_times_are_of_no_freeze)
{
    ended(MOVED, 0, 50);
    ended(MOVED, 950, 2000);
    froze(7, 50, 950);
    um_costliest_turn(&costliest);
    cr_expect_eq(count, 0);
    froze(8, 1000, 1400);
    expect_last(8, 0x0047, 400);
}

/* The end of a message that was retrieved is not always known. */
Test(costliest, is_none_whose_end_is_not_known)
{
    take_event((struct um_wire_trace_event){
        .node = TIMER, .begin_ns = 50 * MS, .length_ns = 900 * MS, .loose = 1});
    take_event(
        (struct um_wire_trace_event){.node = 99, .begin_ns = 50 * MS, .length_ns = 900 * MS});
    froze(7, 50, 950);
    um_costliest_turn(&costliest);
    cr_expect_eq(count, 0);
}

/* Another one that was lost may have taken longer; but not if this one took most of the freeze. */
Test(costliest, is_told_only_if_it_is_sure)
{
    ended(MOVED, 100, 150);
    lost = 3;
    ended(DRAWN, 200, 260);
    froze(7, 0, 500);
    um_costliest_turn(&costliest);
    cr_expect_eq(count, 0);
    ended(TIMER, 0, 400);
    expect_last(7, 0x0113, 400);
    froze(8, 300, 400);
    expect_last(8, 0x0113, 100);
}

Test(costliest, is_told_only_if_all_that_ended_in_the_freeze_are_kept)
{
    ended(MOVED, 0, 90);
    for (uint64_t i = 0; i < UM_COSTLIEST_CALLS; i++)
        ended(DRAWN, 100 + 2 * i, 102 + 2 * i);
    froze(7, 0, 5000);
    um_costliest_turn(&costliest);
    cr_expect_eq(count, 0);
    froze(8, 100, 400);
    expect_last(8, 0x000f, 2);
}

/* Such a message is one that --layout knows. Its window may be gone. */
Test(costliest, may_be_a_step_of_the_layout)
{
    struct um_costliest_call step = {.begin_ns = 60 * MS,
                                     .end_ns = 800 * MS,
                                     .window = WINDOW,
                                     .message = 0x0005,
                                     .kind = UM_TRACE_SENT};
    froze(7, 50, 950);
    um_costliest_step(&costliest, &step);
    expect_last(7, 0x0005, 740);
    cr_expect_str_eq(told[0].window_class, "Editor");
    step.window++;
    step.begin_ns += MS;
    um_costliest_step(&costliest, &step);
    expect_last(7, 0x0005, 739);
    cr_expect_str_eq(told[1].window_class, "");
}

Test(costliest, has_the_name_of_a_registered_message)
{
    ended(PINGED, 60, 900);
    froze(7, 50, 950);
    expect_last(7, 0xc123, 840);
    cr_expect_str_eq(told[0].message_name, "Ping");
}

Test(costliest, of_an_earlier_attachment_stands_for_nothing)
{
    um_costliest_attached(&costliest);
    ended(MOVED, 60, 900);
    froze(7, 50, 950);
    um_costliest_turn(&costliest);
    cr_expect_eq(count, 0);
}
