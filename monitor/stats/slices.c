#include "monitor/stats/slices.h"

#include <string.h>

#include "base/ns.h"

void um_slices_init(struct um_slices *slices, uint64_t start_ns)
{
    memset(slices, 0, sizeof *slices);
    slices->start_ns = start_ns;
}

void um_slices_set_rest(struct um_slices *slices, uint64_t rest_ns)
{
    slices->rest_ns = rest_ns;
}

static void add_to_slice(struct um_slices *slices, int64_t number, uint64_t worst_ns)
{
    struct um_slices_slice *slice = &slices->kept[number % UM_SLICES_KEPT];
    if (slice->measured && slice->number > number)
        return; /* it is too old: a later slice has its place */
    if (!slice->measured || slice->number < number)
        *slice = (struct um_slices_slice){.number = number, .measured = true};
    if (worst_ns > slice->worst_ns)
        slice->worst_ns = worst_ns;
}

/* Whether the last beat stands for those that were left out in a slice that begins then. */
static bool stands_for(const struct um_slices *slices, uint64_t slice_start_ns)
{
    return slices->rest_ns && slice_start_ns >= slices->last_seen_ns &&
           slice_start_ns - slices->last_seen_ns < slices->rest_ns;
}

static bool is_measured(const struct um_slices *slices, int64_t number)
{
    const struct um_slices_slice *slice = &slices->kept[number % UM_SLICES_KEPT];
    return slice->measured && slice->number == number;
}

/* The next beat was seen then. Keeps what the last one stood for, because it is the last one no
 * longer when the slice before is asked for. */
static void settle_rest(struct um_slices *slices, uint64_t seen_ns)
{
    int64_t number = um_slice_until(slices->start_ns, slices->last_seen_ns);
    int64_t end = um_slice_until(slices->start_ns, seen_ns);
    for (int kept = 0; number < end && kept < UM_SLICES_KEPT; number++, kept++)
        if (!is_measured(slices, number) &&
            stands_for(slices, um_slice_start(slices->start_ns, number)))
            add_to_slice(slices, number, slices->last_latency_ns);
}

void um_slices_beat(struct um_slices *slices, uint64_t sent_ns, uint64_t latency_ns)
{
    uint64_t seen_ns = um_ns_sum(sent_ns, latency_ns);
    int64_t last = um_slice_until(slices->start_ns, seen_ns);
    /* A beat that is sent on a boundary has age 0 there. Its first slice is the next one. */
    int64_t first = sent_ns < seen_ns ? um_slice_until(slices->start_ns, sent_ns + 1) : last;
    settle_rest(slices, seen_ns);
    slices->last_seen_ns = seen_ns;
    slices->last_latency_ns = latency_ns;
    if (last - first >= UM_SLICES_KEPT)
        first = last - UM_SLICES_KEPT + 1;
    for (int64_t number = first; number <= last; number++) {
        uint64_t end_ns = um_slice_start(slices->start_ns, number + 1);
        add_to_slice(slices, number, um_ns_elapsed(sent_ns, um_ns_min(seen_ns, end_ns)));
    }
}

bool um_slices_query(const struct um_slices *slices, uint64_t time_ns, uint64_t waited_ns,
                     uint64_t *slice_start_ns, uint64_t *worst_ns)
{
    int64_t number = um_slice_until(slices->start_ns, time_ns);
    bool measured = is_measured(slices, number);
    uint64_t worst = measured ? slices->kept[number % UM_SLICES_KEPT].worst_ns : 0;

    *slice_start_ns = um_slice_start(slices->start_ns, number);
    if (!measured && stands_for(slices, *slice_start_ns)) {
        measured = true;
        worst = slices->last_latency_ns;
    }
    *worst_ns = waited_ns > worst ? waited_ns : worst;
    return measured || waited_ns != 0;
}

uint64_t um_slices_end(const struct um_slices *slices, uint64_t time_ns)
{
    return um_slice_start(slices->start_ns, um_slice_until(slices->start_ns, time_ns) + 1);
}
