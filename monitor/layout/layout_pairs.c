#include "monitor/layout/layout_pairs.h"

#include <string.h>

#define HALF (UM_LAYOUT_PAIRS_DEEPEST / 2)

void um_layout_pairs_begin(struct um_layout_pairs *pairs, const struct um_wire_layout_step *step,
                           uint32_t tag)
{
    if (pairs->depth == UM_LAYOUT_PAIRS_DEEPEST) {
        memmove(pairs->stack, pairs->stack + HALF, HALF * sizeof pairs->stack[0]);
        pairs->depth = HALF;
        pairs->begins += HALF;
    }
    pairs->stack[pairs->depth++] =
        (struct um_layout_pairs_open){.pair = {.window = step->window,
                                               .handler = step->handler,
                                               .message = step->message,
                                               .tag = tag,
                                               .step = step->step,
                                               .sent = step->kind == UM_LAYOUT_KIND_BEGIN,
                                               .timed = true,
                                               .begin_ns = step->time_ns},
                                      .hooked = step->hooked};
}

/* The depth at which the step was begun; 0: it is not there. */
static size_t find(const struct um_layout_pairs *pairs, const struct um_wire_layout_step *step)
{
    size_t depth = pairs->depth;
    for (; depth > 0; depth--) {
        const struct um_layout_pair *pair = &pairs->stack[depth - 1].pair;
        if (pair->window == step->window && pair->message == step->message &&
            pair->step == step->step)
            break;
    }
    return depth;
}

/* Removes the innermost step, of which no end has come. What is known of the steps within it
 * belongs to the step around it. */
static void drop_innermost(struct um_layout_pairs *pairs)
{
    const struct um_layout_pairs_open *inner = &pairs->stack[--pairs->depth];
    pairs->begins++;
    if (pairs->depth == 0)
        return;
    struct um_layout_pairs_open *outer = &pairs->stack[pairs->depth - 1];
    outer->within_ns += inner->within_ns;
    outer->hooked_within += inner->hooked_within;
    outer->sent_within += inner->sent_within;
    outer->pair.inclusive_ns += inner->pair.inclusive_ns;
}

/* Fails to 0 instead of wrapping: the times are another process's. */
static uint64_t less(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

static uint64_t times(uint64_t count, uint64_t each_ns)
{
    if ((count | each_ns) <= UINT32_MAX) /* nearly always, and no division then */
        return count * each_ns;
    return each_ns != 0 && count > UINT64_MAX / each_ns ? UINT64_MAX : count * each_ns;
}

/* The pair stays where it is: copying what has just been written would wait for the processor. */
static const struct um_layout_pair *close_step(struct um_layout_pairs *pairs,
                                               const struct um_wire_layout_step *end,
                                               uint64_t hook_ns, uint64_t inside_ns)
{
    struct um_layout_pairs_open *open = &pairs->stack[--pairs->depth];
    struct um_layout_pair *pair = &open->pair;
    uint64_t wall_ns = less(end->time_ns, pair->begin_ns);
    uint32_t hooked = end->hooked - open->hooked;
    uint64_t own_hooked = hooked > open->hooked_within ? hooked - open->hooked_within : 0;
    if (pair->timed) {
        uint64_t hooks_ns = less(times(own_hooked, hook_ns), times(open->sent_within, inside_ns)) +
                            (pair->sent ? inside_ns : 0);
        pair->own_ns = less(less(wall_ns, open->within_ns), hooks_ns);
        pair->inclusive_ns += pair->own_ns;
    }
    if (pairs->depth == 0)
        return pair;
    struct um_layout_pairs_open *outer = &pairs->stack[pairs->depth - 1];
    outer->within_ns += wall_ns;
    outer->hooked_within += hooked;
    outer->sent_within += pair->sent;
    outer->pair.inclusive_ns += pair->inclusive_ns;
    return pair;
}

const struct um_layout_pair *um_layout_pairs_end(struct um_layout_pairs *pairs,
                                                 const struct um_wire_layout_step *step,
                                                 uint64_t hook_ns, uint64_t inside_ns)
{
    size_t depth = find(pairs, step);
    if (depth == 0) {
        pairs->ends++;
        return NULL;
    }
    while (pairs->depth > depth)
        drop_innermost(pairs);
    return close_step(pairs, step, hook_ns, inside_ns);
}

void um_layout_pairs_waited(struct um_layout_pairs *pairs)
{
    for (size_t i = 0; i < pairs->depth; i++)
        pairs->stack[i].pair.timed = false;
}

void um_layout_pairs_lost(struct um_layout_pairs *pairs)
{
    pairs->begins += pairs->depth;
    pairs->depth = 0;
}
