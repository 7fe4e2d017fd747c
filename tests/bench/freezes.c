#include "tests/bench/freezes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/judge/truth.h"

/* Units: ns on the log's clock. */
struct span {
    double begin, end;
};

static struct span span_of(const cJSON *summary, const cJSON *freeze)
{
    double begin =
        driver_number(summary, "clock_start_ns") + driver_number(freeze, "start_ms") * 1e6;
    return (struct span){begin, begin + driver_number(freeze, "duration_ms") * 1e6};
}

static bool overlaps(struct span span, const struct um_demo_log_event *truth)
{
    return span.begin < (double)truth->end_ns && span.end > (double)truth->begin_ns;
}

static unsigned count_of(const cJSON *summary, const struct um_demo_log_event *truth,
                         const cJSON **first)
{
    const cJSON *freeze;
    unsigned count = 0;
    cJSON_ArrayForEach(freeze, cJSON_GetObjectItem(summary, "freeze_list"))
    {
        if (overlaps(span_of(summary, freeze), truth) && count++ == 0)
            *first = freeze;
    }
    return count;
}

static void add_off(struct freezes *freezes, const cJSON *summary, const cJSON *freeze,
                    const struct um_demo_log_event *truth, const struct um_demo_log_event *back)
{
    bool may_doubt = !truth->retrieved_ns || back->posted_ns < truth->retrieved_ns;
    double doubt = may_doubt ? driver_number(freeze, "start_uncertainty_ms") / 2 : 0;
    double begin = truth_begin_off_ms(truth, back, span_of(summary, freeze).begin);
    double length = truth_length_off_ms(truth, back, driver_number(freeze, "duration_ms"));
    series_add(&freezes->off, fmax(0, fmax(fabs(begin), fabs(length)) - doubt));
    series_add(&freezes->doubt, doubt);
}

void freezes_add(struct freezes *freezes, const cJSON *summary, const struct target *target,
                 bool sent, double near_ms)
{
    struct um_demo_log_event *truths, *backs;
    double threshold_ms = driver_number(summary, "freezes.threshold_ms");
    size_t count = driver_events(target->log, UM_DEMO_LOG_FREEZE, 1, &truths);
    size_t back_count = driver_events(target->log, UM_DEMO_LOG_BACK, 1, &backs);

    for (size_t i = 0; i < count; i++) {
        const cJSON *freeze = NULL;
        const struct um_demo_log_event *back = truth_back(backs, back_count, &truths[i]);
        if ((strcmp(truths[i].name, "sent") == 0) != sent || !back)
            continue;
        double over_ms = (double)(truths[i].end_ns - truths[i].begin_ns) / 1e6 - threshold_ms;
        unsigned found = count_of(summary, &truths[i], &freeze);
        freezes->missing += found == 0 && over_ms >= near_ms;
        freezes->early += found > 0 && over_ms < -near_ms;
        freezes->twice += found > 1;
        if (found > 0)
            add_off(freezes, summary, freeze, &truths[i], back);
    }
    free(truths);
    free(backs);
}

static bool is_in_log(const cJSON *summary, const cJSON *freeze, const struct target *target)
{
    const enum um_demo_log_kind kinds[] = {UM_DEMO_LOG_FREEZE, UM_DEMO_LOG_FLOOD};
    bool found = false;

    for (size_t kind = 0; kind < sizeof kinds / sizeof kinds[0]; kind++) {
        struct um_demo_log_event *truths;
        size_t count = driver_events(target->log, kinds[kind], 0, &truths);
        for (size_t i = 0; i < count; i++)
            found |= truths[i].tid == target->tid && overlaps(span_of(summary, freeze), &truths[i]);
        free(truths);
    }
    return found;
}

unsigned freezes_others(const cJSON *summary, const struct target *target)
{
    const cJSON *freeze;
    unsigned count = 0;
    cJSON_ArrayForEach(freeze, cJSON_GetObjectItem(summary, "freeze_list"))
    {
        count += !is_in_log(summary, freeze, target);
    }
    return count;
}
