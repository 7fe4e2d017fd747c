#include "monitor/measure/stretch.h"

#include "base/ns.h"
#include "base/plain/clock.h"

#define STALE_NS (50 * UM_CLOCK_NS_PER_MS) /* on a busy machine beats are this late */

void um_stretch_init(struct um_stretch *stretch, const struct um_stretch_point *origin,
                     uint64_t sent_ns, uint64_t sent_awake_ns)
{
    bool late = origin->time_ns > sent_ns;
    *stretch = (struct um_stretch){.origin = *origin,
                                   .first = *origin,
                                   .last = *origin,
                                   .sent_ns = sent_ns,
                                   .sent_awake_ns = sent_awake_ns,
                                   .proven_awake_ns = origin->awake_ns,
                                   .has_first = late};
}

void um_stretch_retrieved(struct um_stretch *stretch, const struct um_stretch_point *point)
{
    uint64_t gap_ns = um_ns_elapsed(stretch->last.awake_ns, point->awake_ns);
    if (!stretch->has_first && point->time_ns <= stretch->sent_ns) {
        stretch->origin = *point;
        stretch->proven_awake_ns = point->awake_ns;
    } else if (!stretch->has_first) {
        stretch->has_first = true;
        stretch->first = *point;
    } else if (gap_ns > stretch->peak_ns) {
        stretch->peak_ns = gap_ns;
        stretch->opener = stretch->last;
    }
    stretch->last = *point;
}

static void set_suspect(struct um_stretch_verdict *verdict, const struct um_stretch_point *point)
{
    verdict->has_message = point->named;
    verdict->message = point->named ? point->message : 0;
    verdict->hwnd = point->named ? point->hwnd : 0;
}

static struct um_stretch_verdict start_at(const struct um_stretch_point *point)
{
    struct um_stretch_verdict verdict = {.start_ns = point->time_ns,
                                         .start_awake_ns = point->awake_ns};
    set_suspect(&verdict, point);
    return verdict;
}

static uint64_t origin_age_ns(const struct um_stretch *stretch)
{
    return um_ns_elapsed(stretch->origin.awake_ns, stretch->sent_awake_ns);
}

/* The time between two beats before S. */
static uint64_t spacing_ns(const struct um_stretch *stretch, struct um_stretch_pace pace)
{
    return stretch->rested || stretch->left_out ? pace.rest_ns : pace.period_ns;
}

/* Whether the origin is so old that beats were late or paused. */
static bool is_stale(const struct um_stretch *stretch, struct um_stretch_pace pace)
{
    return origin_age_ns(stretch) > um_ns_max(2 * spacing_ns(stretch, pace), STALE_NS);
}

/* Rule 3. The delivery is capped at what a ready thread needs, so that the middle lies before
 * r1. */
static struct um_stretch_verdict start_between(const struct um_stretch *stretch,
                                               struct um_stretch_pace pace)
{
    uint64_t sent_ns = stretch->sent_awake_ns;
    bool stale = is_stale(stretch, pace);
    uint64_t beyond_ns = um_ns_elapsed(pace.period_ns, origin_age_ns(stretch));
    uint64_t after_ns = um_ns_min(pace.delivery_ns, UM_STRETCH_READY_NS);
    uint64_t width_ns = origin_age_ns(stretch) + after_ns;
    struct um_stretch_verdict verdict = {
        .start_ns = um_ns_elapsed(width_ns / 2, stretch->sent_ns + after_ns),
        .start_awake_ns = um_ns_elapsed(width_ns / 2, sent_ns + after_ns),
        .doubt_ns = stale || stretch->rested || stretch->left_out ? beyond_ns / 2 : 0};
    verdict.uncertainty_ns = 2 * um_ns_elapsed(stretch->proven_awake_ns, verdict.start_awake_ns);
    if (!stale)
        set_suspect(&verdict, &stretch->origin);
    return verdict;
}

static struct um_stretch_verdict find_start(const struct um_stretch *stretch,
                                            struct um_stretch_pace pace,
                                            const struct um_stretch_point *first)
{
    if (um_ns_elapsed(stretch->sent_awake_ns, first->awake_ns) <= UM_STRETCH_READY_NS)
        return start_at(first);
    bool was_watched = !stretch->left_out || origin_age_ns(stretch) <= pace.period_ns;
    if (stretch->origin.named && !is_stale(stretch, pace) && was_watched)
        return start_at(&stretch->origin);
    return start_between(stretch, pace);
}

/* Puts the largest gap into the verdict, if it is not the one that r1 closed. */
static void apply_largest_gap(const struct um_stretch *stretch, struct um_stretch_verdict *verdict,
                              uint64_t end_awake_ns)
{
    const struct um_stretch_point *opener = &stretch->opener;
    uint64_t gap_ns = stretch->peak_ns;
    uint64_t open_ns = um_ns_elapsed(stretch->last.awake_ns, end_awake_ns);
    if (open_ns > gap_ns) {
        opener = &stretch->last;
        gap_ns = open_ns;
    }
    if (gap_ns <= verdict->peak_ns)
        return;
    verdict->peak_ns = gap_ns;
    set_suspect(verdict, opener);
    if (um_ns_elapsed(stretch->sent_awake_ns, opener->awake_ns) <= UM_STRETCH_LEAD_NS) {
        verdict->start_ns = opener->time_ns; /* rule 4 */
        verdict->start_awake_ns = opener->awake_ns;
        verdict->uncertainty_ns = 0;
        verdict->doubt_ns = 0;
    }
}

struct um_stretch_verdict um_stretch_gap(const struct um_stretch *stretch,
                                         struct um_stretch_pace pace, uint64_t end_ns,
                                         uint64_t end_awake_ns)
{
    const struct um_stretch_point end = {.time_ns = end_ns, .awake_ns = end_awake_ns};
    if (stretch->lossy)
        return start_at(&end);
    struct um_stretch_verdict gap =
        stretch->has_first ? start_at(&stretch->last) : find_start(stretch, pace, &end);
    gap.length_ns = um_ns_elapsed(gap.start_awake_ns, end_awake_ns);
    gap.peak_ns = gap.length_ns;
    return gap;
}

struct um_stretch_verdict um_stretch_conclude(const struct um_stretch *stretch,
                                              struct um_stretch_pace pace, uint64_t end_ns,
                                              uint64_t end_awake_ns)
{
    struct um_stretch_verdict verdict;
    if (stretch->lossy) {
        verdict = (struct um_stretch_verdict){.start_ns = stretch->sent_ns,
                                              .start_awake_ns = stretch->sent_awake_ns};
    } else if (!stretch->has_first) {
        return um_stretch_gap(stretch, pace, end_ns, end_awake_ns);
    } else {
        verdict = find_start(stretch, pace, &stretch->first);
        verdict.peak_ns = um_ns_elapsed(verdict.start_awake_ns, stretch->first.awake_ns);
        apply_largest_gap(stretch, &verdict, end_awake_ns);
    }
    verdict.length_ns = um_ns_elapsed(verdict.start_awake_ns, end_awake_ns);
    return verdict;
}
