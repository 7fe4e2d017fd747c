#include "monitor/measure/clock_gaps.h"

#include "base/ns.h"

uint64_t um_clock_gaps_awake_time(const struct um_clock_gaps *awake, uint64_t time_ns)
{
    uint64_t slept_ns = 0;
    for (unsigned i = 0; i < awake->cuts && i < UM_CLOCK_GAPS_CUTS; i++) {
        /* The newest cut comes first, because nearly all times lie after it. */
        const struct um_clock_gaps_span *cut =
            &awake->cut[(awake->cuts - 1 - i) % UM_CLOCK_GAPS_CUTS];
        if (time_ns >= cut->end_ns)
            return time_ns - cut->total_ns;
        slept_ns = cut->total_ns - (cut->end_ns - cut->start_ns);
        if (time_ns >= cut->start_ns)
            return cut->start_ns - slept_ns;
    }
    return um_ns_elapsed(slept_ns, time_ns);
}

uint64_t um_clock_gaps_time_of(const struct um_clock_gaps *awake, uint64_t awake_ns)
{
    uint64_t slept_ns = 0;
    for (unsigned i = 0; i < awake->cuts && i < UM_CLOCK_GAPS_CUTS; i++) {
        const struct um_clock_gaps_span *cut =
            &awake->cut[(awake->cuts - 1 - i) % UM_CLOCK_GAPS_CUTS];
        if (awake_ns + cut->total_ns > cut->end_ns)
            return awake_ns + cut->total_ns;
        slept_ns = cut->total_ns - (cut->end_ns - cut->start_ns);
    }
    return awake_ns + slept_ns;
}

uint64_t um_clock_gaps_last_end(const struct um_clock_gaps *awake)
{
    return awake->cuts ? awake->cut[(awake->cuts - 1) % UM_CLOCK_GAPS_CUTS].end_ns : 0;
}

void um_clock_gaps_cut(struct um_clock_gaps *awake, uint64_t start_ns, uint64_t end_ns)
{
    uint64_t before_ns =
        awake->cuts ? awake->cut[(awake->cuts - 1) % UM_CLOCK_GAPS_CUTS].total_ns : 0;
    awake->cut[awake->cuts++ % UM_CLOCK_GAPS_CUTS] =
        (struct um_clock_gaps_span){start_ns, end_ns, before_ns + (end_ns - start_ns)};
}

void um_clock_gaps_late(struct um_clock_gaps *awake, uint64_t start_ns, uint64_t end_ns)
{
    struct um_clock_gaps_span *newest = &awake->late[(awake->lates - 1) % UM_CLOCK_GAPS_LATES];
    if (awake->lates && newest->end_ns == start_ns) {
        newest->end_ns = end_ns;
        return;
    }
    awake->late[awake->lates++ % UM_CLOCK_GAPS_LATES] =
        (struct um_clock_gaps_span){start_ns, end_ns, 0};
}

bool um_clock_gaps_mostly_late(const struct um_clock_gaps *awake, uint64_t start_ns,
                               uint64_t end_ns)
{
    uint64_t late_ns = 0;
    for (unsigned i = 0; i < awake->lates && i < UM_CLOCK_GAPS_LATES; i++) {
        const struct um_clock_gaps_span *late = &awake->late[i];
        late_ns +=
            um_ns_elapsed(um_ns_max(late->start_ns, start_ns), um_ns_min(late->end_ns, end_ns));
    }
    return late_ns > um_ns_elapsed(start_ns, end_ns) / 2;
}
