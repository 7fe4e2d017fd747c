#include "monitor/live/costliest.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/message_names.h"
#include "base/ns.h"
#include "base/utf8.h"

void um_costliest_attached(struct um_costliest *costliest)
{
    costliest->node_count = 0;
    costliest->lost = 0;
}

/* Which of two messages explains a freeze better ----------------------------------------------- */

static uint64_t within_ns(const struct um_costliest_freeze *freeze,
                          const struct um_costliest_call *call)
{
    return um_ns_elapsed(um_ns_max(freeze->start_ns, call->begin_ns),
                         um_ns_min(freeze->end_ns, call->end_ns));
}

static bool is_most(const struct um_costliest_freeze *freeze, const struct um_costliest_call *call)
{
    return within_ns(freeze, call) >= (freeze->end_ns - freeze->start_ns) / 2;
}

/* Of the same length it is the one that came first, because a message comes after those in it. */
static bool is_better(const struct um_costliest_freeze *freeze,
                      const struct um_costliest_call *call)
{
    const struct um_costliest_call *best = &freeze->best;
    if (within_ns(freeze, call) == 0)
        return false;
    if (best->end_ns == 0 || is_most(freeze, call) != is_most(freeze, best))
        return best->end_ns == 0 || is_most(freeze, call);
    if (is_most(freeze, call))
        return call->end_ns - call->begin_ns < best->end_ns - best->begin_ns;
    return within_ns(freeze, call) > within_ns(freeze, best);
}

static void compare(struct um_costliest_freeze *freeze, const struct um_costliest_call *call)
{
    if (!is_better(freeze, call))
        return;
    freeze->best = *call;
    freeze->is_new = true;
}

/* What comes in -------------------------------------------------------------------------------- */

static void take_call(struct um_costliest *costliest, const struct um_wire_trace_call *call)
{
    size_t count = (size_t)call->node + 1;
    if (count > costliest->node_count) {
        if (!um_list_reserve(&costliest->nodes, &costliest->node_room, count, UM_WIRE_TRACE_NODES,
                             sizeof *costliest->nodes))
            return;
        memset(costliest->nodes + costliest->node_count, 0,
               (count - costliest->node_count) * sizeof *costliest->nodes);
        costliest->node_count = count;
    }
    costliest->nodes[call->node] = (struct um_costliest_node){
        .message = call->message,
        .window_class =
            um_texts_add(&costliest->classes, call->window_class, strlen(call->window_class)),
        .kind = call->kind,
        .known = call->kind != UM_TRACE_OTHER};
}

static void add_call(struct um_costliest *costliest, const struct um_costliest_call *call)
{
    if (um_ns_elapsed(call->begin_ns, call->end_ns) < UM_WIRE_TRACE_LONG_NS)
        return;
    struct um_costliest_call *slot =
        &costliest->calls[costliest->call_count++ % UM_COSTLIEST_CALLS];
    costliest->lost_ns = um_ns_max(costliest->lost_ns, slot->end_ns);
    *slot = *call;
    for (size_t i = 0; i < UM_COSTLIEST_FREEZES; i++)
        if (costliest->freezes[i].id != 0)
            compare(&costliest->freezes[i], call);
}

/* Messages were lost that ended before this time. */
static void note_loss(struct um_costliest *costliest, uint64_t time_ns)
{
    costliest->lost_ns = um_ns_max(costliest->lost_ns, time_ns);
    for (size_t i = 0; i < UM_COSTLIEST_FREEZES; i++)
        costliest->freezes[i].lossy |= costliest->freezes[i].start_ns < time_ns;
}

static void take_events(struct um_costliest *costliest, const struct um_wire_trace_events *events)
{
    for (size_t i = 0; i < events->count; i++) {
        const struct um_wire_trace_event *event = &events->list[i];
        uint64_t end_ns = um_ns_sum(event->begin_ns, event->length_ns);
        if (i == 0 && events->lost > costliest->lost)
            note_loss(costliest, end_ns);
        if (event->loose || event->node >= costliest->node_count ||
            !costliest->nodes[event->node].known)
            continue;
        const struct um_costliest_node *node = &costliest->nodes[event->node];
        struct um_costliest_call call = {.begin_ns = event->begin_ns,
                                         .end_ns = end_ns,
                                         .message = node->message,
                                         .window_class = node->window_class,
                                         .kind = node->kind};
        add_call(costliest, &call);
    }
    if (events->count > 0)
        costliest->lost = events->lost;
}

void um_costliest_take(struct um_costliest *costliest, const struct um_wire_frame *frame)
{
    if (frame->type == UM_WIRE_TRACE_CALL)
        take_call(costliest, &frame->as.trace_call);
    else if (frame->type == UM_WIRE_TRACE_EVENTS)
        take_events(costliest, &frame->as.trace_events);
}

void um_costliest_step(struct um_costliest *costliest, const struct um_costliest_call *call)
{
    struct um_costliest_call step = *call;
    step.window_class = UM_TEXTS_NONE;
    add_call(costliest, &step);
}

void um_costliest_freeze(struct um_costliest *costliest, const struct um_wire_frame *frame)
{
    const struct um_wire_episode *episode = &frame->as.episode;
    struct um_costliest_freeze *freeze =
        &costliest->freezes[costliest->freeze_count++ % UM_COSTLIEST_FREEZES];
    *freeze = (struct um_costliest_freeze){.start_ns = episode->start_ns,
                                           .end_ns = um_ns_max(episode->start_ns, episode->end_ns),
                                           .id = episode->id,
                                           .lossy = episode->start_ns < costliest->lost_ns};
    size_t kept =
        costliest->call_count < UM_COSTLIEST_CALLS ? costliest->call_count : UM_COSTLIEST_CALLS;
    for (size_t i = costliest->call_count - kept; i < costliest->call_count; i++)
        compare(freeze, &costliest->calls[i % UM_COSTLIEST_CALLS]);
}

/* What comes out ------------------------------------------------------------------------------- */

static void publish(struct um_costliest *costliest, const struct um_costliest_freeze *freeze)
{
    const struct um_costliest_call *best = &freeze->best;
    struct um_wire_frame frame = {.type = UM_WIRE_COSTLIEST};
    struct um_wire_costliest *told = &frame.as.costliest;
    char text[sizeof told->window_class] = "";
    told->freeze = freeze->id;
    told->length_ns = within_ns(freeze, best);
    told->message = best->message;
    told->kind = best->kind;
    const char *window_class = um_texts_get(&costliest->classes, best->window_class);
    if (best->window != 0)
        window_class = costliest->window_class(costliest->context, best->window, text, sizeof text)
                           ? text
                           : "";
    (void)um_utf8_fit(window_class, UM_WIRE_TRACE_CLASS_BYTES, told->window_class,
                      sizeof told->window_class);
    if (um_message_names_is_registered(best->message) &&
        costliest->message_name(costliest->context, best->message, text, sizeof text))
        (void)um_utf8_fit(text, sizeof text, told->message_name, sizeof told->message_name);
    costliest->publish(costliest->context, &frame);
}

void um_costliest_turn(struct um_costliest *costliest)
{
    for (size_t i = 0; i < UM_COSTLIEST_FREEZES; i++) {
        struct um_costliest_freeze *freeze = &costliest->freezes[i];
        if (freeze->is_new && (!freeze->lossy || is_most(freeze, &freeze->best)))
            publish(costliest, freeze);
        freeze->is_new = false;
    }
}

void um_costliest_deinit(struct um_costliest *costliest)
{
    free(costliest->nodes);
    um_texts_deinit(&costliest->classes);
    costliest->nodes = NULL;
    costliest->node_count = costliest->node_room = 0;
}
