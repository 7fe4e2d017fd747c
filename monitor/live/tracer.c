#include "monitor/live/tracer.h"

#include <string.h>

#include "base/plain/text.h"
#include "base/message_names.h"
#include "base/utf8.h"

void um_tracer_attached(struct um_tracer *tracer)
{
    tracer->before.traced_ns += tracer->now.traced_ns;
    tracer->before.timed_calls += tracer->now.timed_calls;
    tracer->before.timed_ns += tracer->now.timed_ns;
    tracer->before.deeper += tracer->now.deeper;
    memset(&tracer->now, 0, sizeof tracer->now);
    tracer->tree++;
}

static void take_call(struct um_tracer *tracer, const struct um_wire_trace_call *call)
{
    struct um_wire_frame frame = {.type = UM_WIRE_TRACED_CALL};
    struct um_wire_traced_call *traced = &frame.as.traced_call;
    char name[sizeof traced->message_name];
    traced->tree = tracer->tree;
    traced->node = call->node;
    traced->parent = call->parent;
    traced->message = call->message;
    traced->kind = call->kind;
    if (call->handler)
        traced->key = tracer->config.key(tracer->config.context, call->handler);
    um_text_set(traced->window_class, sizeof traced->window_class, call->window_class);
    if (um_message_names_is_registered(call->message) &&
        tracer->config.message_name(tracer->config.context, call->message, name, sizeof name))
        (void)um_utf8_fit(name, sizeof name, traced->message_name, sizeof traced->message_name);
    tracer->config.publish(tracer->config.context, &frame);
}

static void take_times(struct um_tracer *tracer, const struct um_wire_frame *frame)
{
    const struct um_wire_trace_list *list = &frame->as.trace_list;
    struct um_wire_frame traced = {.type = UM_WIRE_TRACED_TIMES, .flags = frame->flags};
    tracer->now = list->sum;
    if (list->count > 0) {
        traced.as.traced_list.tree = tracer->tree;
        traced.as.traced_list.count = list->count;
        memcpy(traced.as.traced_list.list, list->list, list->count * sizeof list->list[0]);
        tracer->config.publish(tracer->config.context, &traced);
    }
    if (list->count == UM_WIRE_TRACE_MOST)
        return; /* more follows */
    traced = (struct um_wire_frame){.type = UM_WIRE_TRACING, .as.tracing = list->sum};
    traced.as.tracing.traced_ns += tracer->before.traced_ns;
    traced.as.tracing.timed_calls += tracer->before.timed_calls;
    traced.as.tracing.timed_ns += tracer->before.timed_ns;
    traced.as.tracing.deeper += tracer->before.deeper;
    tracer->config.publish(tracer->config.context, &traced);
}

void um_tracer_take(struct um_tracer *tracer, const struct um_wire_frame *frame)
{
    if (frame->type == UM_WIRE_TRACE_CALL)
        take_call(tracer, &frame->as.trace_call);
    else if (frame->type == UM_WIRE_TRACE_TIMES)
        take_times(tracer, frame);
}

bool um_tracer_is_on(const struct um_tracer *tracer)
{
    return tracer->now.on != 0;
}
