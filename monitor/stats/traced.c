#include "monitor/stats/traced.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ipc/names.h"
#include "monitor/base/list.h"
#include "monitor/base/utf8.h"

struct handler {
    uint64_t key;
    char name[UM_TRACED_TEXT_BYTES]; /* "": not known */
};

/* The tree of the present connection: which node here each of its nodes is, and its times as
 * told. */
struct tree {
    uint32_t map[UM_WIRE_TRACE_NODES];
    struct um_wire_trace_times last[UM_WIRE_TRACE_NODES];
};

struct um_traced {
    struct um_traced_node *nodes;
    uint32_t count;
    size_t cap;
    struct handler *handlers;
    uint32_t handler_count;
    size_t handler_cap;
    char *modules[UM_TRACED_MODULES]; /* names of their files; NULL: not told */
    uint32_t module_end;              /* all of them from here on are NULL */
    uint32_t tree;                    /* the number of the next one */
    struct tree *now;                 /* NULL before the first call: most sessions are not traced */
    struct um_wire_tracing sum;
    uint64_t left_out;
    bool any;
    bool has_cpu;
};

enum um_status um_traced_open(struct um_traced **out)
{
    struct um_traced *traced = calloc(1, sizeof *traced);
    if (!traced ||
        !um_list_reserve(&traced->nodes, &traced->cap, 1, UM_TRACED_NODES, sizeof *traced->nodes)) {
        free(traced);
        return UM_ERR_MEMORY;
    }
    traced->nodes[UM_TRACED_ROOT].first = traced->nodes[UM_TRACED_ROOT].next = UM_TRACED_NONE;
    traced->count = 1;
    *out = traced;
    return UM_OK;
}

void um_traced_close(struct um_traced *traced)
{
    if (!traced)
        return;
    for (uint32_t i = 0; i < traced->module_end; i++)
        free(traced->modules[i]);
    free(traced->now);
    free(traced->handlers);
    free(traced->nodes);
    free(traced);
}

/* Handlers ------------------------------------------------------------------------------------- */

static uint32_t find_handler(const struct um_traced *traced, uint64_t key)
{
    for (uint32_t i = 0; i < traced->handler_count; i++)
        if (traced->handlers[i].key == key)
            return i;
    return UM_TRACED_NONE;
}

static uint32_t handler_of(struct um_traced *traced, uint64_t key)
{
    if (key == 0)
        return UM_TRACED_NONE;
    uint32_t found = find_handler(traced, key);
    if (found != UM_TRACED_NONE)
        return found;
    if (!um_list_reserve(&traced->handlers, &traced->handler_cap, traced->handler_count + 1,
                         UM_TRACED_HANDLERS, sizeof traced->handlers[0]))
        return UM_TRACED_NONE;
    traced->handlers[traced->handler_count] = (struct handler){.key = key};
    return traced->handler_count++;
}

static void take_name(struct um_traced *traced, const struct um_wire_name *name)
{
    uint32_t found = find_handler(traced, name->key);
    if (found == UM_TRACED_NONE || name->kind == UM_NAMES_NOWHERE)
        return;
    struct handler *handler = &traced->handlers[found];
    (void)um_utf8_fit(name->name, sizeof handler->name - 1, handler->name, sizeof handler->name);
}

static void take_module(struct um_traced *traced, const struct um_wire_module *module)
{
    const char *file = module->path;
    if (module->number >= UM_TRACED_MODULES)
        return;
    for (const char *at = module->path; *at; at++)
        if (*at == '\\' || *at == '/')
            file = at + 1;
    char *copy = malloc(UM_TRACED_TEXT_BYTES);
    if (!copy)
        return;
    (void)um_utf8_fit(file, UM_TRACED_TEXT_BYTES - 1, copy, UM_TRACED_TEXT_BYTES);
    free(traced->modules[module->number]);
    traced->modules[module->number] = copy;
    if (traced->module_end <= module->number)
        traced->module_end = module->number + 1;
}

/* Nodes ---------------------------------------------------------------------------------------- */

/* Another tree begins, with times of its own. Returns false if memory was short. */
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
    traced->any = true;
    if (!begin_tree(traced, call->tree)) {
        traced->left_out++;
        return;
    }
    if (call->node == UM_TRACED_ROOT || call->node >= UM_WIRE_TRACE_NODES ||
        call->parent >= call->node)
        return;
    node.parent = traced->now->map[call->parent];
    if (node.parent == UM_TRACED_NONE || traced->now->map[call->node] != UM_TRACED_NONE) {
        traced->left_out++;
        return;
    }
    node.handler = handler_of(traced, call->key);
    (void)um_utf8_fit(call->window_class, sizeof node.window_class - 1, node.window_class,
                      sizeof node.window_class);
    (void)um_utf8_fit(call->message_name, sizeof node.message_name - 1, node.message_name,
                      sizeof node.message_name);
    uint32_t found = find_node(traced, &node);
    if (found == UM_TRACED_NONE)
        found = add_node(traced, &node);
    traced->left_out += found == UM_TRACED_NONE;
    traced->now->map[call->node] = found;
}

/* Several nodes of a tree can be one here, as their times add up. */
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
        bool is_told = traced->now && now->node < UM_WIRE_TRACE_NODES;
        uint32_t node = is_told ? traced->now->map[now->node] : UM_TRACED_NONE;
        if (node == UM_TRACED_NONE || node == UM_TRACED_ROOT)
            traced->left_out++;
        else
            add_times(&traced->nodes[node].times, now, &traced->now->last[now->node]);
    }
}

void um_traced_take(struct um_traced *traced, const struct um_wire_frame *frame)
{
    switch (frame->type) {
    case UM_WIRE_MODULE:
        take_module(traced, &frame->as.module);
        break;
    case UM_WIRE_NAME:
        take_name(traced, &frame->as.name);
        break;
    case UM_WIRE_TRACED_CALL:
        take_call(traced, &frame->as.traced_call);
        break;
    case UM_WIRE_TRACED_TIMES:
        traced->has_cpu = frame->flags & UM_WIRE_TRACE_HAS_CPU;
        take_times(traced, &frame->as.traced_list);
        break;
    case UM_WIRE_TRACING:
        traced->any = true;
        traced->sum = frame->as.tracing;
        break;
    default:
        break;
    }
}

/* Reading -------------------------------------------------------------------------------------- */

bool um_traced_any(const struct um_traced *traced)
{
    return traced && traced->any;
}

const struct um_wire_tracing *um_traced_sum(const struct um_traced *traced)
{
    return &traced->sum;
}

bool um_traced_has_cpu(const struct um_traced *traced)
{
    return traced->has_cpu;
}

uint64_t um_traced_left_out(const struct um_traced *traced)
{
    return traced->left_out;
}

const struct um_traced_node *um_traced_node(const struct um_traced *traced, uint32_t node)
{
    return &traced->nodes[node];
}

/* Whether a node comes before another one. */
static bool is_before(const struct um_traced *traced, uint32_t a, uint32_t b)
{
    const struct um_wire_trace_times *of_a = &traced->nodes[a].times;
    const struct um_wire_trace_times *of_b = &traced->nodes[b].times;
    if (of_a->wall_ns != of_b->wall_ns)
        return of_a->wall_ns > of_b->wall_ns;
    return of_a->count != of_b->count ? of_a->count > of_b->count : a < b;
}

bool um_traced_is_unused(const struct um_traced *traced, uint32_t node)
{
    return traced->nodes[node].kind == UM_TRACE_OTHER && traced->nodes[node].times.count == 0;
}

size_t um_traced_within(const struct um_traced *traced, uint32_t node, uint32_t *list, size_t cap)
{
    size_t count = 0;
    size_t len = 0;
    for (uint32_t at = traced->nodes[node].first; at != UM_TRACED_NONE;
         at = traced->nodes[at].next) {
        if (um_traced_is_unused(traced, at))
            continue;
        count++;
        size_t place = len < cap ? len++ : cap;
        for (; place > 0 && is_before(traced, at, list[place - 1]); place--)
            if (place < cap)
                list[place] = list[place - 1];
        if (place < cap)
            list[place] = at;
    }
    return count;
}

void um_traced_handler(const struct um_traced *traced, uint32_t node, char *buf, size_t cap_bytes)
{
    uint32_t number = traced->nodes[node].handler;
    buf[0] = '\0';
    if (number == UM_TRACED_NONE)
        return;
    const struct handler *handler = &traced->handlers[number];
    uint64_t module = handler->key >> 48;
    uint64_t offset = handler->key & UINT64_C(0xffffffffffff);
    const char *file =
        module > 0 && module <= UM_TRACED_MODULES ? traced->modules[module - 1] : NULL;
    if (handler->name[0] != '\0')
        um_wire_set_text(buf, cap_bytes, handler->name);
    else if (file)
        (void)snprintf(buf, cap_bytes, "%s+0x%" PRIx64, file, offset);
    else if (module > 0)
        (void)snprintf(buf, cap_bytes, "module %" PRIu64 "+0x%" PRIx64, module - 1, offset);
    else
        (void)snprintf(buf, cap_bytes, "0x%" PRIx64, offset);
}
