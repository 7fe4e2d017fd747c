/* What summary.c (the JSON) and summary_text.c share. */
#ifndef UM_MONITOR_SUMMARY_PARTS_H
#define UM_MONITOR_SUMMARY_PARTS_H

#include "monitor/stats/summary.h"

/* The states in the order in which people and scripts read them. */
static const enum um_state um_summary_reading_order[UM_STATE_COUNT] = {
    UM_STATE_RESPONSIVE, UM_STATE_SLOW,  UM_STATE_FROZEN, UM_STATE_STARVED, UM_STATE_OWN_BEAT,
    UM_STATE_SUSPENDED,  UM_STATE_BLIND, UM_STATE_IDLE,   UM_STATE_UNKNOWN,
};

static const char *const um_summary_cpu_names[UM_SUMMARY_CPUS] = {"heartbeat", "sender", "monitor",
                                                                  "overlay"};

static inline const struct um_stats_freezes *um_summary_freezes(const struct um_summary *summary)
{
    static const struct um_stats_freezes none;
    return summary->freezes ? summary->freezes : &none;
}

static inline bool um_summary_is_window_only(const struct um_summary *summary)
{
    return summary->toolkit && summary->toolkit[0] != '\0';
}

static inline uint64_t um_summary_latency_count(const struct um_summary *summary)
{
    return summary->latency ? um_histogram_count(summary->latency) : 0;
}

/* A percentile. The histogram rounds up within its precision, but not beyond the greatest value
 * here. */
static inline uint64_t um_summary_value_at(const struct um_histogram *histogram, double percentile)
{
    uint64_t value = um_histogram_value_at_percentile(histogram, percentile);
    uint64_t max = um_histogram_max(histogram);
    return value < max ? value : max;
}

#endif
