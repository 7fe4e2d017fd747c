/* What the DLL traces, on its way to the feed. */
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "monitor/live/tracer.h"

static struct um_tracer tracer;
static struct um_wire_frame published[8];
static size_t count;

static void publish(void *context, const struct um_wire_frame *frame)
{
    (void)context;
    cr_assert_lt(count, sizeof published / sizeof published[0]);
    published[count++] = *frame;
}

static uint64_t key(void *context, uint64_t address)
{
    (void)context;
    return address + 1;
}

static bool message_name(void *context, uint32_t message, char *buf, size_t cap_bytes)
{
    (void)context;
    return message == 0xc123 && snprintf(buf, cap_bytes, "Ping\x1b") > 0;
}

static void setup(void)
{
    memset(&tracer, 0, sizeof tracer);
    tracer.config = (struct um_tracer_config){NULL, publish, key, message_name};
    count = 0;
    um_tracer_attached(&tracer);
}

TestSuite(tracer, .init = setup);

static void take_call(uint32_t node, uint32_t message, uint64_t handler)
{
    struct um_wire_frame frame = {
        .type = UM_WIRE_TRACE_CALL,
        .as.trace_call = {.node = node, .message = message, .handler = handler, .kind = 1}};
    snprintf(frame.as.trace_call.window_class, 8, "Edit");
    um_tracer_take(&tracer, &frame);
}

static void take_times(uint8_t nodes, uint64_t traced_ns)
{
    struct um_wire_frame frame = {
        .type = UM_WIRE_TRACE_TIMES,
        .flags = UM_WIRE_TRACE_HAS_CPU,
        .as.trace_list = {.count = nodes, .sum = {.traced_ns = traced_ns, .deeper = 2, .on = 1}}};
    for (uint8_t i = 0; i < nodes; i++)
        frame.as.trace_list.list[i].node = i + 1u;
    um_tracer_take(&tracer, &frame);
}

Test(tracer, calls_get_keys_and_names)
{
    take_call(5, 0xc123, 0x7000);
    take_call(6, 0xc124, 0);
    cr_assert_eq(count, 2);
    const struct um_wire_traced_call *call = &published[0].as.traced_call;
    cr_expect_eq(published[0].type, UM_WIRE_TRACED_CALL);
    cr_expect(call->tree == 1 && call->node == 5 && call->kind == 1 && call->key == 0x7001);
    cr_expect_str_eq(call->window_class, "Edit");
    cr_expect_str_eq(call->message_name, "Ping\xef\xbf\xbd", "without control characters");
    cr_expect_eq(published[1].as.traced_call.key, 0, "there is no handler");
    cr_expect_str_eq(published[1].as.traced_call.message_name, "");
}

Test(tracer, sums_follow_the_last_times)
{
    take_times(UM_WIRE_TRACE_MOST, 100);
    cr_expect_eq(count, 1, "more is to come");
    take_times(1, 100);
    cr_assert_eq(count, 3);
    cr_expect_eq(published[1].type, UM_WIRE_TRACED_TIMES);
    cr_expect_eq(published[1].flags, UM_WIRE_TRACE_HAS_CPU);
    cr_expect_eq(published[1].as.traced_list.list[0].node, 1);
    cr_expect_eq(published[2].type, UM_WIRE_TRACING);
    take_times(0, 150);
    cr_assert_eq(count, 4);
    cr_expect_eq(published[3].as.tracing.traced_ns, 150);
    cr_expect(um_tracer_is_on(&tracer));
}

Test(tracer, another_attachment_is_another_tree)
{
    take_times(0, 100);
    um_tracer_attached(&tracer);
    cr_expect(!um_tracer_is_on(&tracer));
    take_call(1, 5, 0);
    take_times(1, 30);
    cr_assert_eq(count, 4);
    cr_expect_eq(published[1].as.traced_call.tree, 2);
    cr_expect_eq(published[2].as.traced_list.tree, 2);
    cr_expect_eq(published[3].as.tracing.traced_ns, 130);
    cr_expect_eq(published[3].as.tracing.deeper, 4);
}
