#include "monitor/stats/traced.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/utf8.h"

/* The tree of the present attachment. */
struct tree {
    uint32_t map[UM_WIRE_TRACE_NODES];                    /* to nodes of `struct um_traced` */
    struct um_wire_trace_times last[UM_WIRE_TRACE_NODES]; /* of the last TRACED_TIMES */
};

struct um_traced {
    struct um_traced_node *nodes;
    uint32_t count;
    size_t cap;
    struct um_handlers *handlers; /* not its own */
    uint32_t tree;                /* the number of `now` */
    struct tree *now;             /* NULL before the first call: most sessions are not traced */
    struct um_traced_sum sum;
};

enum um_status um_traced_open(struct um_handlers *handlers, struct um_traced **out)
{
    struct um_traced *traced = calloc(1, sizeof *traced);
    if (!traced ||
        !um_list_reserve(&traced->nodes, &traced->cap, 1, UM_TRACED_NODES, sizeof *traced->nodes)) {
        free(traced);
        return UM_ERR_MEMORY;
    }
    traced->nodes[UM_TRACED_ROOT].first = traced->nodes[UM_TRACED_ROOT].next = UM_TRACED_NONE;
    traced->count = 1;
    traced->handlers = handlers;
    *out = traced;
    return UM_OK;
}

void um_traced_close(struct um_traced *traced)
{
    if (!traced)
        return;
    free(traced->now);
    free(traced->nodes);
    free(traced);
}

/* Nodes ---------------------------------------------------------------------------------------- */

/* Begins another tree if this is a new number. False without memory. */
static bool begin_tree(struct um_traced *traced, uint32_t tree)
{
    if (traced->now && traced->tree == tree)
        return true;
    if (!traced->now)
        traced->now = malloc(sizeof *traced->now);
    if (!traced->now)
        return false;
    traced->tree = tree;
    memset(traced->now->last, 0, sizeof traced->now->last);
    for (size_t i = 0; i < UM_WIRE_TRACE_NODES; i++)
        traced->now->map[i] = UM_TRACED_NONE;
    traced->now->map[UM_TRACED_ROOT] = UM_TRACED_ROOT;
    return true;
}

static uint32_t find_node(const struct um_traced *traced, const struct um_traced_node *wanted)
{
    uint32_t at = traced->nodes[wanted->parent].first;
    for (; at != UM_TRACED_NONE; at = traced->nodes[at].next) {
        const struct um_traced_node *node = &traced->nodes[at];
        if (node->message == wanted->message && node->handler == wanted->handler &&
            node->kind == wanted->kind && strcmp(node->window_class, wanted->window_class) == 0 &&
            strcmp(node->message_name, wanted->message_name) == 0)
            return at;
    }
    return UM_TRACED_NONE;
}

static uint32_t add_node(struct um_traced *traced, const struct um_traced_node *node)
{
    if (!um_list_reserve(&traced->nodes, &traced->cap, traced->count + 1, UM_TRACED_NODES,
                         sizeof traced->nodes[0]))
        return UM_TRACED_NONE;
    uint32_t number = traced->count++;
    traced->nodes[number] = *node;
    traced->nodes[number].next = traced->nodes[node->parent].first;
    traced->nodes[node->parent].first = number;
    return number;
}

static void take_call(struct um_traced *traced, const struct um_wire_traced_call *call)
{
    struct um_traced_node node = {
        .first = UM_TRACED_NONE, .message = call->message, .kind = call->kind};
    traced->sum.any = true;
    if (!begin_tree(traced, call->tree)) {
        traced->sum.left_out++;
        return;
    }
    if (call->node == UM_TRACED_ROOT || call->node >= UM_WIRE_TRACE_NODES ||
        call->parent >= call->node)
        return;
    node.parent = traced->now->map[call->parent];
    if (node.parent == UM_TRACED_NONE || traced->now->map[call->node] != UM_TRACED_NONE) {
        traced->sum.left_out++;
        return;
    }
    node.handler = um_handlers_add(traced->handlers, call->key);
    (void)um_utf8_fit(call->window_class, sizeof node.window_class - 1, node.window_class,
                      sizeof node.window_class);
    (void)um_utf8_fit(call->message_name, sizeof node.message_name - 1, node.message_name,
                      sizeof node.message_name);
    uint32_t found = find_node(traced, &node);
    if (found == UM_TRACED_NONE)
        found = add_node(traced, &node);
    traced->sum.left_out += found == UM_TRACED_NONE;
    traced->now->map[call->node] = found;
}

/* Adds what is new since the last TRACED_TIMES. */
static void add_times(struct um_wire_trace_times *sum, const struct um_wire_trace_times *now,
                      struct um_wire_trace_times *last)
{
    sum->count += now->count - last->count;
    sum->ended += now->ended - last->ended;
    sum->loose += now->loose - last->loose;
    sum->wall_ns += now->wall_ns - last->wall_ns;
    sum->self_ns += now->self_ns - last->self_ns;
    sum->cpu_ns += now->cpu_ns - last->cpu_ns;
    *last = *now;
}

static void take_times(struct um_traced *traced, const struct um_wire_traced_list *list)
{
    if (list->tree != traced->tree)
        return;
    for (size_t i = 0; i < list->count; i++) {
        const struct um_wire_trace_times *now = &list->list[i];
        bool is_known = traced->now && now->node < UM_WIRE_TRACE_NODES;
        uint32_t node = is_known ? traced->now->map[now->node] : UM_TRACED_NONE;
        if (node == UM_TRACED_NONE || node == UM_TRACED_ROOT) {
            traced->sum.left_out++;
            continue;
        }
        add_times(&traced->nodes[node].times, now, &traced->now->last[now->node]);
        traced->nodes[node].timed = true;
    }
}

void um_traced_take(struct um_traced *traced, const struct um_wire_frame *frame)
{
    switch (frame->type) {
    case UM_WIRE_TRACED_CALL:
        take_call(traced, &frame->as.traced_call);
        break;
    case UM_WIRE_TRACED_TIMES:
        traced->sum.has_cpu = frame->flags & UM_WIRE_TRACE_HAS_CPU;
        take_times(traced, &frame->as.traced_list);
        break;
    case UM_WIRE_TRACING:
        traced->sum.any = true;
        traced->sum.tracing = frame->as.tracing;
        break;
    default:
        break;
    }
}

/* Reading -------------------------------------------------------------------------------------- */

const struct um_traced_sum *um_traced_sum(const struct um_traced *traced)
{
    return &traced->sum;
}

const struct um_traced_node *um_traced_node(const struct um_traced *traced, uint32_t node)
{
    return &traced->nodes[node];
}

static bool is_before(const void *tree, uint32_t a, uint32_t b)
{
    const struct um_traced *traced = tree;
    const struct um_wire_trace_times *of_a = &traced->nodes[a].times;
    const struct um_wire_trace_times *of_b = &traced->nodes[b].times;
    if (of_a->wall_ns != of_b->wall_ns)
        return of_a->wall_ns > of_b->wall_ns;
    return of_a->count != of_b->count ? of_a->count > of_b->count : a < b;
}

/* A node was reserved for the calls without room, and there were none; or only beats have caused
 * its calls, which were taken back (ipc/calltrace.h). */
static bool is_unused(const struct um_traced *traced, uint32_t node)
{
    const struct um_traced_node *of = &traced->nodes[node];
    return of->times.count == 0 && (of->kind == UM_TRACE_OTHER || of->timed);
}

static uint32_t used_from(const struct um_traced *traced, uint32_t node)
{
    while (node != UM_TRACED_NONE && is_unused(traced, node))
        node = traced->nodes[node].next;
    return node;
}

static uint32_t first_within(const void *tree, uint32_t node)
{
    const struct um_traced *traced = tree;
    return used_from(traced, traced->nodes[node].first);
}

static uint32_t next_beside(const void *tree, uint32_t node)
{
    const struct um_traced *traced = tree;
    return used_from(traced, traced->nodes[node].next);
}

struct um_call_rows um_traced_rows(const struct um_traced *traced)
{
    return (struct um_call_rows){
        .tree = traced, .first = first_within, .next = next_beside, .is_before = is_before};
}

size_t um_traced_count(const struct um_traced *traced)
{
    size_t count = 0;
    for (uint32_t i = UM_TRACED_ROOT + 1; i < traced->count; i++)
        count += !is_unused(traced, i);
    return count;
}

void um_traced_handler(const struct um_traced *traced, uint32_t node, char *buf, size_t cap_bytes)
{
    um_handlers_text(traced->handlers, traced->nodes[node].handler, buf, cap_bytes);
}
