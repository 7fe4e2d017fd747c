#include "monitor/report/slow_inputs.h"

#include <stdlib.h>
#include <string.h>

#include "base/ns.h"

#define NS_PER_US 1000

static uint64_t began_ns(const struct um_wire_interaction *times)
{
    return times->arrival_ns != 0 ? times->arrival_ns : times->dequeued_ns;
}

static struct um_view_span span_of(const struct um_recorded *recorded,
                                   const struct um_recorded_interaction *input)
{
    uint64_t from_ns = um_ns_elapsed(recorded->session.start_ns, began_ns(&input->times));
    return (struct um_view_span){from_ns, from_ns + um_wire_interaction_length_ns(&input->times)};
}

static bool is_slow(const struct um_recorded *recorded, const struct um_recorded_interaction *input)
{
    uint64_t slow_ns = (uint64_t)recorded->session.slow_us * NS_PER_US;
    return slow_ns > 0 && um_wire_interaction_length_ns(&input->times) >= slow_ns;
}

static int by_start(const void *left, const void *right)
{
    const struct um_view_span *a = left;
    const struct um_view_span *b = right;
    return a->from_ns < b->from_ns ? -1 : a->from_ns > b->from_ns;
}

/* Joins spans that overlap. Returns how many are left. */
static size_t join(struct um_view_span *spans, size_t count)
{
    size_t kept = 0;
    qsort(spans, count, sizeof *spans, by_start);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || spans[i].from_ns > spans[kept - 1].to_ns)
            spans[kept++] = spans[i];
        else if (spans[i].to_ns > spans[kept - 1].to_ns)
            spans[kept - 1].to_ns = spans[i].to_ns;
    return kept;
}

static void find_whose(const struct um_view *base, const struct um_view_span *spans, size_t count,
                       const char *mine, struct um_slow_inputs_whose *whose)
{
    struct um_view view = *base;
    uint64_t sampled_ns = 0;
    view.spans = spans;
    view.span_count = count;
    um_mine_count(&view, mine, &whose->mine);
    whose->length_ns = 0;
    for (size_t i = 0; i < count; i++)
        whose->length_ns += spans[i].to_ns - spans[i].from_ns;
    for (size_t i = 0; i < view.samples->count; i++)
        if (um_view_has(&view, i))
            sampled_ns += view.samples->entries[i].cost.wall_ns;
    whose->unsampled_ns = um_ns_elapsed(sampled_ns, whose->length_ns);
}

static void list(struct um_slow_inputs *inputs, const struct um_recorded_interaction *input,
                 struct um_view_span span)
{
    uint64_t length_ns = span.to_ns - span.from_ns;
    size_t place = inputs->listed;
    while (place > 0 && inputs->list[place - 1].whose.length_ns < length_ns)
        place--;
    if (place == UM_SLOW_INPUTS_LISTED)
        return;
    inputs->listed += inputs->listed < UM_SLOW_INPUTS_LISTED;
    memmove(&inputs->list[place + 1], &inputs->list[place],
            (inputs->listed - 1 - place) * sizeof *inputs->list);
    inputs->list[place] = (struct um_slow_inputs_item){
        .input = input, .start_ns = span.from_ns, .whose = {.length_ns = length_ns}};
}

enum um_status um_slow_inputs_find(const struct um_recorded *recorded, const struct um_view *view,
                                   const char *mine, struct um_slow_inputs *inputs)
{
    *inputs = (struct um_slow_inputs){0};
    if (recorded->interaction_count == 0)
        return UM_OK;
    struct um_view_span *spans = malloc(recorded->interaction_count * sizeof *spans);
    if (!spans)
        return UM_ERR_MEMORY;
    for (uint32_t i = 0; i < recorded->interaction_count; i++) {
        const struct um_recorded_interaction *input = &recorded->interactions[i];
        if (!is_slow(recorded, input))
            continue;
        spans[inputs->count] = span_of(recorded, input);
        list(inputs, input, spans[inputs->count++]);
    }
    find_whose(view, spans, join(spans, inputs->count), mine, &inputs->all);
    for (size_t i = 0; i < inputs->listed; i++) {
        struct um_view_span span = span_of(recorded, inputs->list[i].input);
        find_whose(view, &span, 1, mine, &inputs->list[i].whose);
    }
    free(spans);
    return UM_OK;
}
