#include "monitor/stats/methods.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/ns.h"
#include "base/texts.h"
#include "base/utf8.h"

/* Numbers of texts. They are one more than those of `texts`, so that 0 is none. */
struct method {
    uint32_t name;
    uint32_t module;
};

struct um_methods {
    struct um_wire_method_call *nodes; /* by their numbers; `node` is 0 where none has come */
    size_t node_room;
    uint32_t node_end;
    struct method *methods; /* by their numbers */
    size_t method_room;
    struct um_texts texts;
    struct um_wire_method_unseen *unseen; /* UM_WIRE_METHOD_ENTRIES; NULL: none was told */
    struct um_methods_head head;
};

enum um_status um_methods_open(struct um_methods **out)
{
    struct um_methods *methods = calloc(1, sizeof *methods);
    if (!methods)
        return UM_ERR_MEMORY;
    methods->head.latest.depth = UM_WIRE_UNKNOWN;
    *out = methods;
    return UM_OK;
}

void um_methods_close(struct um_methods *methods)
{
    if (!methods)
        return;
    um_texts_deinit(&methods->texts);
    free(methods->unseen);
    free(methods->methods);
    free(methods->nodes);
    free(methods);
}

/* Keeps a text. 0: it is empty, or there was no memory. */
static uint32_t keep(struct um_methods *methods, const char *text)
{
    char fitted[UM_WIRE_METHOD_NAME_BYTES];
    (void)um_utf8_fit(text, SIZE_MAX, fitted, sizeof fitted);
    if (fitted[0] == '\0')
        return 0;
    uint32_t number = um_texts_add(&methods->texts, fitted, strlen(fitted));
    methods->head.left_out += number == UM_TEXTS_NONE;
    return number + 1; /* UM_TEXTS_NONE becomes 0 */
}

/* The first name of a method stays, so that no feed can fill up the memory with others. */
static void take_method(struct um_methods *methods, const struct um_wire_method *method)
{
    if (method->method == 0 || method->method >= UM_WIRE_METHOD_NUMBERS)
        return;
    if (!um_list_reserve(&methods->methods, &methods->method_room, (size_t)method->method + 1,
                         UM_WIRE_METHOD_NUMBERS, sizeof *methods->methods)) {
        methods->head.left_out++;
        return;
    }
    struct method *kept = &methods->methods[method->method];
    if (kept->name == 0)
        kept->name = keep(methods, method->name);
    if (kept->module == 0)
        kept->module = keep(methods, method->module);
}

static void take_call(struct um_methods *methods, const struct um_wire_method_call *call)
{
    if (call->node == 0 || call->node >= UM_WIRE_METHOD_NODES || call->parent >= call->node ||
        call->method >= UM_WIRE_METHOD_NUMBERS)
        return;
    if (!um_list_reserve(&methods->nodes, &methods->node_room, (size_t)call->node + 1,
                         UM_WIRE_METHOD_NODES, sizeof *methods->nodes)) {
        methods->head.left_out++;
        return;
    }
    struct um_wire_method_call *kept = &methods->nodes[call->node];
    if (kept->node == 0) {
        *kept = *call;
        if (methods->node_end <= call->node)
            methods->node_end = call->node + 1;
        return;
    }
    if (call->thread == 0) /* another thread goes on with the nodes of one that has ended */
        kept->thread = 0;
    kept->count = um_ns_max(kept->count, call->count);
    kept->ended = um_ns_max(kept->ended, call->ended);
    kept->wall_ns = um_ns_max(kept->wall_ns, call->wall_ns);
    kept->self_ns = um_ns_max(kept->self_ns, call->self_ns);
    kept->cpu_ns = um_ns_max(kept->cpu_ns, call->cpu_ns);
}

/* A later one takes the place of the one before. */
static void take_unseen(struct um_methods *methods, const struct um_wire_method_unseen *told)
{
    if (!methods->unseen)
        methods->unseen = calloc(UM_WIRE_METHOD_ENTRIES, sizeof *methods->unseen);
    if (!methods->unseen || told->entry >= UM_WIRE_METHOD_ENTRIES) {
        methods->head.left_out += !methods->unseen;
        return;
    }
    struct um_wire_method_unseen *kept = &methods->unseen[told->entry];
    (void)um_utf8_fit(told->name, SIZE_MAX, kept->name, sizeof kept->name);
    (void)um_utf8_fit(told->meant, SIZE_MAX, kept->meant, sizeof kept->meant);
}

void um_methods_take(struct um_methods *methods, const struct um_wire_frame *frame)
{
    switch (frame->type) {
    case UM_WIRE_METHOD:
        take_method(methods, &frame->as.method);
        break;
    case UM_WIRE_METHOD_CALLS:
        methods->head.any = true;
        for (size_t i = 0; i < frame->as.method_calls.count && i < UM_WIRE_METHOD_CALLS_MOST; i++)
            take_call(methods, &frame->as.method_calls.list[i]);
        break;
    case UM_WIRE_METHOD_UNSEEN:
        take_unseen(methods, &frame->as.method_unseen);
        break;
    case UM_WIRE_METHODS:
        methods->head.any = methods->head.told = true;
        methods->head.latest = frame->as.methods;
        break;
    default:
        break;
    }
}

const struct um_methods_head *um_methods_head(const struct um_methods *methods)
{
    return &methods->head;
}

uint32_t um_methods_node_end(const struct um_methods *methods)
{
    return methods->node_end;
}

const struct um_wire_method_call *um_methods_node(const struct um_methods *methods, uint32_t node)
{
    bool has_come = node < methods->node_end && methods->nodes[node].node != 0;
    return has_come ? &methods->nodes[node] : NULL;
}

const struct um_wire_method_unseen *um_methods_entry(const struct um_methods *methods,
                                                     unsigned entry)
{
    if (!methods->unseen || !(methods->head.latest.unseen >> entry & 1) ||
        methods->unseen[entry].name[0] == '\0')
        return NULL;
    return &methods->unseen[entry];
}

static const struct method *method_of(const struct um_methods *methods, uint32_t number)
{
    static const struct method none = {0};
    return number < methods->method_room ? &methods->methods[number] : &none;
}

const char *um_methods_name(const struct um_methods *methods, uint32_t method)
{
    uint32_t text = method_of(methods, method)->name;
    return text ? um_texts_get(&methods->texts, text - 1) : "";
}

const char *um_methods_module(const struct um_methods *methods, uint32_t method)
{
    uint32_t text = method_of(methods, method)->module;
    return text ? um_texts_get(&methods->texts, text - 1) : "";
}
