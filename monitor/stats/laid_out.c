#include "monitor/stats/laid_out.h"

#include <stdlib.h>

#include "base/list.h"
#include "base/utf8.h"

struct um_laid_out {
    struct um_handlers *handlers;       /* not its own */
    struct um_laid_out_component *list; /* by id */
    size_t count;                       /* one more than the greatest id so far */
    size_t room;
    struct um_laid_out_sum sum;
};

enum um_status um_laid_out_open(struct um_handlers *handlers, struct um_laid_out **out)
{
    struct um_laid_out *laid_out = calloc(1, sizeof *laid_out);
    if (!laid_out)
        return UM_ERR_MEMORY;
    laid_out->handlers = handlers;
    *out = laid_out;
    return UM_OK;
}

void um_laid_out_close(struct um_laid_out *laid_out)
{
    if (!laid_out)
        return;
    free(laid_out->list);
    free(laid_out);
}

/* NULL without memory. */
static struct um_laid_out_component *add(struct um_laid_out *laid_out, uint32_t id)
{
    if (!um_list_reserve(&laid_out->list, &laid_out->room, id + (size_t)1,
                         UM_WIRE_LAYOUT_COMPONENTS, sizeof laid_out->list[0]))
        return NULL;
    for (; laid_out->count <= id; laid_out->count++)
        laid_out->list[laid_out->count].handler = UM_HANDLERS_NONE;
    return &laid_out->list[id];
}

static void take_component(struct um_laid_out *laid_out,
                           const struct um_wire_layout_component *told)
{
    struct um_laid_out_component *component = add(laid_out, told->id);
    if (!component)
        return;
    component->parent = told->parent;
    if (told->rendered >= component->rendered) {
        component->rendered = told->rendered;
        component->authored = told->authored;
    }
    (void)um_utf8_fit(told->window_class, sizeof component->window_class - 1,
                      component->window_class, sizeof component->window_class);
    (void)um_utf8_fit(told->text, sizeof component->text - 1, component->text,
                      sizeof component->text);
}

static void take_place(struct um_laid_out *laid_out, const struct um_wire_layout_place *told)
{
    struct um_laid_out_component *component = add(laid_out, told->id);
    if (!component)
        return;
    component->draws_parts = told->draws_parts != 0;
    if (told->width > 0 && told->height > 0)
        component->place = *told;
}

static void take_times(struct um_laid_out *laid_out, const struct um_wire_layout_times *times)
{
    laid_out->sum = (struct um_laid_out_sum){.frames = times->frames,
                                             .lost = times->lost,
                                             .without_end = times->without_end,
                                             .without_begin = times->without_begin,
                                             .any = true};
    for (size_t i = 0; i < times->count; i++) {
        struct um_laid_out_component *component = add(laid_out, times->list[i].id);
        if (!component)
            continue;
        if (component->cost.key != times->list[i].key)
            component->handler = um_handlers_add(laid_out->handlers, times->list[i].key);
        component->cost = times->list[i];
    }
}

void um_laid_out_take(struct um_laid_out *laid_out, const struct um_wire_frame *frame)
{
    if (frame->type == UM_WIRE_LAYOUT_COMPONENT)
        take_component(laid_out, &frame->as.layout_component);
    else if (frame->type == UM_WIRE_LAYOUT_PLACE)
        take_place(laid_out, &frame->as.layout_place);
    else if (frame->type == UM_WIRE_LAYOUT_TIMES)
        take_times(laid_out, &frame->as.layout_times);
}

const struct um_laid_out_sum *um_laid_out_sum(const struct um_laid_out *laid_out)
{
    return &laid_out->sum;
}

/* For qsort: those that painted longer come first where layout is the same. */
static int compare(const void *a, const void *b)
{
    const struct um_wire_layout_cost *left =
        &(*(const struct um_laid_out_component *const *)a)->cost;
    const struct um_wire_layout_cost *right =
        &(*(const struct um_laid_out_component *const *)b)->cost;
    if (left->layout_ns != right->layout_ns)
        return left->layout_ns > right->layout_ns ? -1 : 1;
    if (left->paint_ns != right->paint_ns)
        return left->paint_ns > right->paint_ns ? -1 : 1;
    return left->id < right->id ? -1 : left->id > right->id;
}

size_t um_laid_out_list(const struct um_laid_out *laid_out,
                        const struct um_laid_out_component **list, size_t cap)
{
    const struct um_laid_out_component *all[UM_WIRE_LAYOUT_COMPONENTS];
    size_t count = 0;
    for (size_t i = 0; i < laid_out->count; i++)
        if (laid_out->list[i].cost.id != 0)
            all[count++] = &laid_out->list[i];
    qsort(all, count, sizeof all[0], compare);
    for (size_t i = 0; i < count && i < cap; i++)
        list[i] = all[i];
    return count;
}

uint32_t um_laid_out_end(const struct um_laid_out *laid_out)
{
    return (uint32_t)laid_out->count;
}

const struct um_laid_out_component *um_laid_out_get(const struct um_laid_out *laid_out, uint32_t id)
{
    return id > 0 && id < laid_out->count ? &laid_out->list[id] : NULL;
}

/* A damaged recording may have a ring of components. */
uint32_t um_laid_out_root(const struct um_laid_out *laid_out, uint32_t id)
{
    for (size_t i = 0; i < laid_out->count && id > 0 && id < laid_out->count; i++) {
        if (laid_out->list[id].parent == 0)
            return id;
        id = laid_out->list[id].parent;
    }
    return 0;
}

void um_laid_out_handler(const struct um_laid_out *laid_out,
                         const struct um_laid_out_component *component, char *buf, size_t cap_bytes)
{
    um_handlers_text(laid_out->handlers, component->handler, buf, cap_bytes);
}
