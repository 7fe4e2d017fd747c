#include "monitor/bench/bench_sitting.h"

#include <stdio.h>

#include "base/random.h"

#define NAME_BYTES 64

/* Makes a run named "rehearsal 1 of 2", "run 3 of 15"; with two sides "pair 3 of 15, after". */
static enum um_status run_one(const struct um_bench_sitting_plan *plan,
                              const struct um_bench_sitting_host *host,
                              enum um_bench_sitting_side side, bool counted, uint32_t number)
{
    static const char *const side_names[] = {"before", "after"};
    char name[NAME_BYTES];
    const char *what = !counted ? "rehearsal" : plan->sides == 2 ? "pair" : "run";
    uint32_t all = counted ? plan->runs : plan->rehearsals;

    snprintf(name, sizeof name, "%s %lu of %lu%s%s", what, (unsigned long)number + 1,
             (unsigned long)all, plan->sides == 2 ? ", " : "",
             plan->sides == 2 ? side_names[side] : "");
    return host->run(host->context, side, counted, name);
}

static enum um_status rehearse(const struct um_bench_sitting_plan *plan,
                               const struct um_bench_sitting_host *host)
{
    enum um_status status = UM_OK;

    for (uint32_t i = 0; i < plan->rehearsals; i++)
        for (uint32_t side = 0; side < plan->sides && status == UM_OK; side++)
            status = run_one(plan, host, (enum um_bench_sitting_side)side, false, i);
    return status;
}

static enum um_status run_alone(const struct um_bench_sitting_plan *plan,
                                const struct um_bench_sitting_host *host,
                                struct um_bench_sitting *out)
{
    while (out->pairs < plan->runs) {
        enum um_status status = run_one(plan, host, UM_BENCH_SITTING_BEFORE, true, out->pairs);
        if (status != UM_OK)
            return status;
        out->pairs++;
        host->kept(host->context);
    }
    return UM_OK;
}

/* Makes both runs of a pair. If one fails, neither is kept. */
static enum um_status run_pair(const struct um_bench_sitting_plan *plan,
                               const struct um_bench_sitting_host *host, uint32_t number,
                               bool after_first)
{
    enum um_bench_sitting_side first =
        after_first ? UM_BENCH_SITTING_AFTER : UM_BENCH_SITTING_BEFORE;
    enum um_bench_sitting_side second =
        after_first ? UM_BENCH_SITTING_BEFORE : UM_BENCH_SITTING_AFTER;
    enum um_status status = run_one(plan, host, first, true, number);

    if (status != UM_OK)
        return status;
    status = run_one(plan, host, second, true, number);
    if (status != UM_OK)
        host->drop(host->context, first);
    return status;
}

/* The random numbers for the pairs to come: without those drawn for earlier pairs, finished or
 * discarded. */
static struct um_random draw_again(uint64_t seed, const struct um_bench_sitting *before)
{
    struct um_random random = {seed};
    uint64_t draws = (uint64_t)before->pairs + before->discarded;

    while (draws-- > 0)
        um_random_below(&random, 2);
    return random;
}

static enum um_status run_pairs(const struct um_bench_sitting_plan *plan,
                                const struct um_bench_sitting_host *host,
                                struct um_bench_sitting *out)
{
    struct um_random random = draw_again(plan->seed, out);
    uint32_t failures = 0; /* in a row */
    bool enough = false;
    enum um_status status = out->pairs > 0 ? host->look(host->context, out->pairs, &enough) : UM_OK;

    while (out->pairs < plan->runs && !enough && status == UM_OK) {
        bool after_first = um_random_below(&random, 2) == 1;
        char name[NAME_BYTES];
        status = run_pair(plan, host, out->pairs, after_first);
        if (status == UM_OK) {
            failures = 0;
            out->after_first[out->pairs++] = after_first;
            host->kept(host->context);
            status = host->look(host->context, out->pairs, &enough);
        } else if (status != UM_ERR_MEMORY && !host->is_stopped(host->context) &&
                   ++failures < UM_BENCH_SITTING_FAILURES) {
            status = UM_OK;
            out->discarded++;
            snprintf(name, sizeof name, "pair %lu", (unsigned long)out->pairs + 1);
            host->discarded(host->context, name);
        }
    }
    return status;
}

enum um_status um_bench_sitting_run(const struct um_bench_sitting_plan *plan,
                                    const struct um_bench_sitting_host *host,
                                    struct um_bench_sitting *out)
{
    *out = plan->before ? *plan->before : (struct um_bench_sitting){0};
    if (plan->sides == 2 && plan->runs > UM_PAIRED_MOST)
        return UM_ERR_ARG;
    enum um_status status = rehearse(plan, host);
    if (status == UM_OK)
        status = host->rehearsed(host->context);
    if (status != UM_OK)
        return status;
    return plan->sides == 2 ? run_pairs(plan, host, out) : run_alone(plan, host, out);
}
