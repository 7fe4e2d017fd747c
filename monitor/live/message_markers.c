#include "monitor/live/message_markers.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/message_names.h"
#include "base/ns.h"

#define FIELDS 5

void um_message_markers_attached(struct um_message_markers *markers, uint32_t thread)
{
    markers->thread = thread;
    markers->count = 0;
    markers->lost = 0;
    markers->came = 0;
}

static void take_call(struct um_message_markers *markers, const struct um_wire_trace_call *call)
{
    char registered[64] = "";
    size_t count = (size_t)call->node + 1;
    if (count > markers->count) {
        if (!um_list_reserve(&markers->nodes, &markers->room, count, UM_WIRE_TRACE_NODES,
                             sizeof *markers->nodes))
            return;
        memset(markers->nodes + markers->count, 0,
               (count - markers->count) * sizeof *markers->nodes);
        markers->count = count;
    }
    if (markers->nodes[call->node].name[0] != '\0')
        return; /* each is told of once */
    uint32_t window_class =
        um_texts_add(&markers->classes, call->window_class, strlen(call->window_class));
    if (window_class == UM_TEXTS_NONE)
        return;
    struct um_message_markers_node *node = &markers->nodes[call->node];
    node->window_class = window_class;
    node->kind = call->kind;
    if (um_message_names_is_registered(call->message))
        (void)markers->message_name(markers->context, call->message, registered, sizeof registered);
    um_message_names_get(call->message, registered, node->name, sizeof node->name);
}

/* The node of UM_CALLTRACE_OTHER is never told of. */
static const struct um_message_markers_node *node_of(const struct um_message_markers *markers,
                                                     uint32_t number)
{
    static const struct um_message_markers_node other = {
        .name = "(others)", .window_class = UM_TEXTS_NONE, .kind = UM_TRACE_OTHER};
    if (number == 1)
        return &other;
    return number < markers->count && markers->nodes[number].name[0] != '\0'
               ? &markers->nodes[number]
               : NULL;
}

static struct um_marker_frames_field text_field(const char *name, const char *text)
{
    return (struct um_marker_frames_field){UM_MARKER_FIELD_TEXT, .name = name, .text = text};
}

static void take_event(struct um_message_markers *markers, const struct um_wire_trace_event *event)
{
    static const char *const how[] = {[UM_TRACE_SENT] = "sent", [UM_TRACE_RETRIEVED] = "retrieved"};
    struct um_marker_frames_field fields[FIELDS];
    size_t count = 0;
    const struct um_message_markers_node *node = node_of(markers, event->node);
    if (!node) {
        um_marker_frames_lost(markers->frames, UM_MARKER_SOURCE_MESSAGE, 1, 0);
        return;
    }
    const char *window_class = um_texts_get(&markers->classes, node->window_class);
    if (window_class[0] != '\0')
        fields[count++] = text_field("window_class", window_class);
    if (event->by_other_thread)
        fields[count++] = text_field("how", "sent by another thread");
    else if (node->kind < sizeof how / sizeof how[0])
        fields[count++] = text_field("how", how[node->kind]);
    if (event->loose)
        fields[count++] = text_field("end", "at the latest");
    if (event->age_ms != UM_WIRE_AGE_UNKNOWN)
        fields[count++] = (struct um_marker_frames_field){
            UM_MARKER_FIELD_NUMBER, .name = "queued_ms", .number = event->age_ms};
    fields[count++] = (struct um_marker_frames_field){UM_MARKER_FIELD_TERMINATING_FLOW,
                                                      .name = "message", .value = ++markers->flow};
    struct um_marker_frames_marker marker = {.source = UM_MARKER_SOURCE_MESSAGE,
                                             .name = node->name,
                                             .category = "message",
                                             .start_ns = event->begin_ns,
                                             .length_ns = event->length_ns,
                                             .thread = markers->thread,
                                             .interval = true,
                                             .stack_based = true,
                                             .fields = fields,
                                             .field_count = count};
    um_marker_frames_take(markers->frames, &marker);
}

void um_message_markers_take(struct um_message_markers *markers, const struct um_wire_frame *frame)
{
    const struct um_wire_trace_events *events = &frame->as.trace_events;
    if (frame->type == UM_WIRE_TRACE_CALL)
        take_call(markers, &frame->as.trace_call);
    if (frame->type != UM_WIRE_TRACE_EVENTS)
        return;
    if (markers->wanted)
        um_marker_frames_lost(markers->frames, UM_MARKER_SOURCE_MESSAGE,
                              um_ns_elapsed(markers->lost, events->lost), 0);
    markers->lost = events->lost;
    for (size_t i = 0; markers->wanted && i < events->count; i++)
        take_event(markers, &events->list[i]);
    if (++markers->came < UM_WIRE_TRACE_EVENTS_AHEAD / 2)
        return;
    markers->came = 0;
    markers->more(markers->context);
}

void um_message_markers_deinit(struct um_message_markers *markers)
{
    free(markers->nodes);
    um_texts_deinit(&markers->classes);
    markers->nodes = NULL;
    markers->count = markers->room = 0;
}
