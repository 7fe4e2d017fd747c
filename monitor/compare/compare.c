#include "monitor/compare/compare.h"

#include <math.h>
#include <stdlib.h>

#include "monitor/compare/bootstrap.h"
#include "monitor/compare/normal.h"
#include "monitor/compare/until.h"

#define Z_POWER 1.64485362695147 /* exceeded in 5 %, so 95 of 100 tries find a change */
#define TINY 1e-9 /* tolerance when places are compared: as doubles 0.9 * 10 is not exactly 9 */
#define ALL_RUNS UINT32_MAX

static const struct {
    const char *name;
    double fraction; /* the share of values at or below it; unused for the mean */
} statistics[UM_COMPARE_STATISTICS] = {
    [UM_COMPARE_P50] = {"p50", 0.50}, [UM_COMPARE_P75] = {"p75", 0.75},
    [UM_COMPARE_P90] = {"p90", 0.90}, [UM_COMPARE_P95] = {"p95", 0.95},
    [UM_COMPARE_P98] = {"p98", 0.98}, [UM_COMPARE_P99] = {"p99", 0.99},
    [UM_COMPARE_MAX] = {"max", 1.00}, [UM_COMPARE_MEAN] = {"mean", 0},
};

const char *um_compare_statistic_name(enum um_compare_statistic statistic)
{
    return statistics[statistic].name;
}

const char *um_compare_verdict_name(enum um_compare_verdict verdict)
{
    static const char *const names[UM_COMPARE_VERDICTS] = {
        [UM_COMPARE_NO_DIFFERENCE] = "no difference",
        [UM_COMPARE_FASTER] = "faster",
        [UM_COMPARE_SLOWER] = "slower",
        [UM_COMPARE_SAME] = "the same",
        [UM_COMPARE_TOO_FEW] = "too few runs",
        [UM_COMPARE_MISSING] = "inputs missing",
    };
    return names[verdict];
}

static int by_value(const void *a, const void *b)
{
    const struct um_compare_value *x = a;
    const struct um_compare_value *y = b;
    if (x->value > y->value || x->value < y->value)
        return x->value > y->value ? 1 : -1;
    return (x->run > y->run) - (x->run < y->run);
}

void um_compare_sort(struct um_compare_group *group)
{
    if (group->len > 1)
        qsort(group->values, group->len, sizeof *group->values, by_value);
}

/* The value at a place, counted from 1, among the sorted values of one run, or of ALL_RUNS. */
static double value_at(const struct um_compare_group *group, uint32_t run, size_t place)
{
    size_t i = 0;
    for (;; i++)
        if ((run == ALL_RUNS || group->values[i].run == run) && --place == 0)
            return group->values[i].value;
}

/* A statistic of one run, or of ALL_RUNS; NAN if there are no values. */
static double statistic_of(const struct um_compare_group *group, uint32_t run,
                           enum um_compare_statistic statistic)
{
    size_t len = 0;
    double sum = 0;
    for (size_t i = 0; i < group->len; i++) {
        if (run == ALL_RUNS || group->values[i].run == run) {
            sum += group->values[i].value;
            len++;
        }
    }
    if (len == 0)
        return NAN;
    if (statistic == UM_COMPARE_MEAN)
        return sum / (double)len;
    double place = statistics[statistic].fraction * (double)len;
    size_t whole = (size_t)(place + TINY);
    if (whole == 0 || place > (double)whole + TINY)
        return value_at(group, run, whole + 1);
    double value = value_at(group, run, whole);
    return whole == len ? value : (value + value_at(group, run, whole + 1)) / 2.0;
}

double um_compare_statistic_of(const struct um_compare_group *group,
                               enum um_compare_statistic statistic)
{
    return statistic_of(group, ALL_RUNS, statistic);
}

size_t um_compare_of_runs(const struct um_compare_group *group, enum um_compare_statistic statistic,
                          double *out)
{
    size_t len = 0;
    for (uint32_t run = 0; run < group->runs; run++) {
        double value = statistic_of(group, run, statistic);
        if (value <= INFINITY)
            out[len++] = value;
    }
    return len;
}

/* Tests ---------------------------------------------------------------------------------------- */

const struct um_compare_design um_compare_two_sittings = {.level = UM_MANN_WHITNEY_ALPHA};

/* Writes a statistic of the runs of each pair in which both have values, at the same index of both
 * lists. Returns how many pairs. */
static size_t take_pairs(const struct um_compare_group *before,
                         const struct um_compare_group *after, enum um_compare_statistic statistic,
                         double *old, double *new)
{
    size_t len = 0;
    for (uint32_t run = 0; run < before->runs && run < after->runs; run++) {
        old[len] = statistic_of(before, run, statistic);
        new[len] = statistic_of(after, run, statistic);
        len += old[len] <= INFINITY && new[len] <= INFINITY;
    }
    return len;
}

enum um_status um_compare_take_runs(const struct um_compare_design *design,
                                    const struct um_compare_group *before,
                                    const struct um_compare_group *after,
                                    enum um_compare_statistic statistic,
                                    struct um_compare_runs *out)
{
    double *old = calloc((size_t)before->runs + after->runs + 1, sizeof *old);
    if (!old)
        return UM_ERR_MEMORY;
    double *new = old + before->runs;
    *out = (struct um_compare_runs){.before = old, .after = new, .room = old};
    if (design->paired) {
        out->before_len = take_pairs(before, after, statistic, old, new);
        out->after_len = out->before_len;
    } else {
        out->before_len = um_compare_of_runs(before, statistic, old);
        out->after_len = um_compare_of_runs(after, statistic, new);
    }
    return UM_OK;
}

void um_compare_free_runs(struct um_compare_runs *runs)
{
    free(runs->room);
    *runs = (struct um_compare_runs){0};
}

size_t um_compare_least_runs(const struct um_compare_design *design)
{
    return design->paired ? UM_PAIRED_LEAST : UM_MANN_WHITNEY_LEAST;
}

static bool are_enough(const struct um_compare_design *design, const struct um_compare_runs *runs)
{
    size_t least = um_compare_least_runs(design);
    return runs->before_len >= least && runs->after_len >= least;
}

/* For two sittings: takes the change out of AFTER's numbers, and tests if a difference is left. */
static enum um_status against_unpaired(const struct um_compare_runs *runs,
                                       enum um_paired_scale scale, double change, double *p,
                                       int *sign)
{
    struct um_mann_whitney test = {.p = 1};
    double *moved = calloc(runs->after_len + 1, sizeof *moved);
    if (!moved)
        return UM_ERR_MEMORY;
    for (size_t i = 0; i < runs->after_len; i++)
        moved[i] = um_paired_take_back(runs->after[i], scale, change);
    enum um_status status =
        um_mann_whitney_test(runs->before, runs->before_len, moved, runs->after_len, &test);
    free(moved);
    *p = test.p;
    *sign = (test.delta > 0) - (test.delta < 0);
    return status;
}

enum um_status um_compare_against(const struct um_compare_design *design,
                                  const struct um_compare_runs *runs, enum um_paired_scale scale,
                                  double change, double *p, int *sign)
{
    if (!design->paired)
        return against_unpaired(runs, scale, change, p, sign);
    return um_paired_test(runs->before, runs->after, runs->before_len, scale, change, p, sign);
}

uint32_t um_compare_runs_for(size_t runs, double p, double level)
{
    double reached = um_normal_exceeded_with(p / 2);
    double wanted = um_normal_exceeded_with(level / 2) + Z_POWER;
    double needed = ceil((double)runs * (wanted / reached) * (wanted / reached));
    return needed <= UM_COMPARE_MOST_RUNS ? (uint32_t)needed : UM_COMPARE_MOST_RUNS + 1;
}

enum um_status um_compare_decide(const struct um_compare_design *design,
                                 const struct um_compare_runs *runs, struct um_mann_whitney *test,
                                 enum um_compare_verdict *verdict)
{
    static const enum um_compare_verdict verdicts[] = {
        [UM_UNTIL_FASTER] = UM_COMPARE_FASTER,
        [UM_UNTIL_SLOWER] = UM_COMPARE_SLOWER,
        [UM_UNTIL_SAME] = UM_COMPARE_SAME,
        [UM_UNTIL_CANNOT_TELL] = UM_COMPARE_NO_DIFFERENCE,
    };
    enum um_until_answer answer = UM_UNTIL_CANNOT_TELL;
    enum um_status status =
        um_mann_whitney_test(runs->before, runs->before_len, runs->after, runs->after_len, test);

    if (status == UM_OK && design->paired) {
        status = um_until_decide(runs->before, runs->after, runs->before_len, design->level,
                                 design->within, &answer, &test->p);
        test->exact = true;
    } else if (status == UM_OK && test->p <= design->level) {
        answer = test->delta > 0 ? UM_UNTIL_SLOWER : UM_UNTIL_FASTER;
    }
    if (status != UM_OK)
        return status;
    *verdict = are_enough(design, runs) ? verdicts[answer] : UM_COMPARE_TOO_FEW;
    return UM_OK;
}

/* Subtracts each run's median from its p90. Both lists have the same runs. */
static void subtract_medians(struct um_compare_runs *tail, const struct um_compare_runs *medians)
{
    double *old = tail->room, *new = tail->room + (tail->after - tail->before);
    for (size_t i = 0; i < tail->before_len; i++)
        old[i] -= medians->before[i];
    for (size_t i = 0; i < tail->after_len; i++)
        new[i] -= medians->after[i];
}

enum um_status um_compare_tail(const struct um_compare_design *design,
                               const struct um_compare_group *before,
                               const struct um_compare_group *after, bool *slower, double *p)
{
    struct um_compare_runs tail = {0}, medians = {0};
    int sign = 0;
    *slower = false;
    *p = 1;
    enum um_status status = um_compare_take_runs(design, before, after, UM_COMPARE_P90, &tail);
    if (status == UM_OK)
        status = um_compare_take_runs(design, before, after, UM_COMPARE_P50, &medians);
    if (status == UM_OK && are_enough(design, &tail)) {
        subtract_medians(&tail, &medians);
        status = um_compare_against(design, &tail, UM_PAIRED_AMOUNT, 0, p, &sign);
        *slower = status == UM_OK && sign > 0 && *p <= design->level;
    }
    um_compare_free_runs(&tail);
    um_compare_free_runs(&medians);
    return status;
}

/* The comparison ------------------------------------------------------------------------------- */

static struct um_compare_change change_of(const struct um_compare_group *before,
                                          const struct um_compare_group *after,
                                          enum um_compare_statistic statistic)
{
    struct um_compare_change change = {.before = um_compare_statistic_of(before, statistic),
                                       .after = um_compare_statistic_of(after, statistic)};
    change.difference = change.after - change.before;
    change.has_share = change.before > 0;
    if (change.has_share)
        change.share = change.after / change.before - 1.0;
    return change;
}

static bool are_positive(const struct um_compare_runs *runs)
{
    double least = INFINITY;
    for (size_t i = 0; i < runs->before_len; i++)
        least = fmin(least, fmin(runs->before[i], runs->after[i]));
    return least > 0;
}

/* Fills in change and interval of pairs. */
static enum um_status find_paired_change(const struct um_compare_design *design,
                                         const struct um_compare_runs *runs,
                                         struct um_compare_change *change)
{
    struct um_paired_interval amount, share = {0};
    enum um_status status = um_paired_find_interval(runs->before, runs->after, runs->before_len,
                                                    UM_PAIRED_AMOUNT, design->level, &amount);
    change->has_share = are_positive(runs);
    if (status == UM_OK && change->has_share)
        status = um_paired_find_interval(runs->before, runs->after, runs->before_len,
                                         UM_PAIRED_SHARE, design->level, &share);
    if (status != UM_OK)
        return status;
    change->difference = amount.estimate;
    change->low = amount.low;
    change->high = amount.high;
    change->share = share.estimate;
    change->share_low = share.low;
    change->share_high = share.high;
    change->has_interval = fabs(amount.low) < INFINITY && fabs(amount.high) < INFINITY &&
                           fabs(share.low) < INFINITY && fabs(share.high) < INFINITY;
    return UM_OK;
}

enum um_status um_compare_find_change(const struct um_compare_design *design,
                                      const struct um_compare_group *before,
                                      const struct um_compare_group *after,
                                      enum um_compare_statistic statistic,
                                      const struct um_compare_runs *runs,
                                      struct um_compare_change *out)
{
    struct um_compare_change change = change_of(before, after, statistic);
    enum um_status status = UM_OK;
    if (design->paired)
        status = find_paired_change(design, runs, &change);
    if (status == UM_OK)
        *out = change;
    return status;
}

/* How many pairs would show a change of UM_COMPARE_SHOWN_CHANGE: tests a change that lies as far
 * from the measured one, and computes how many pairs would reject it. */
static enum um_status find_pairs_needed(const struct um_compare_design *design,
                                        const struct um_compare_runs *runs,
                                        struct um_compare_result *out)
{
    double p = 1;
    int sign;
    const struct um_compare_change *median = &out->median;
    if (!median->has_share)
        return UM_OK;
    enum um_status status =
        um_compare_against(design, runs, UM_PAIRED_SHARE,
                           (1 + median->share) * (1 + UM_COMPARE_SHOWN_CHANGE) - 1, &p, &sign);
    out->runs_needed = um_compare_runs_for(runs->before_len, p, design->level);
    if (out->runs_needed < UM_PAIRED_LEAST)
        out->runs_needed = UM_PAIRED_LEAST;
    return status;
}

static bool wants_runs(const struct um_compare_result *result)
{
    return result->verdict == UM_COMPARE_NO_DIFFERENCE || result->verdict == UM_COMPARE_TOO_FEW;
}

static enum um_status compare_pairs(const struct um_compare_design *design,
                                    const struct um_compare_group *before,
                                    const struct um_compare_group *after,
                                    const struct um_compare_runs *runs,
                                    struct um_compare_result *out)
{
    struct um_compare_runs slow = {0};
    enum um_status status = um_compare_take_runs(design, before, after, UM_COMPARE_P90, &slow);
    out->most_runs = UM_COMPARE_MOST_RUNS;
    if (status == UM_OK)
        status = find_paired_change(design, runs, &out->median);
    if (status == UM_OK)
        status = find_paired_change(design, &slow, &out->p90);
    if (status == UM_OK && wants_runs(out))
        status = find_pairs_needed(design, runs, out);
    um_compare_free_runs(&slow);
    return status;
}

static enum um_status compare_sittings(const struct um_compare_group *before,
                                       const struct um_compare_group *after,
                                       const struct um_compare_runs *runs,
                                       struct um_compare_result *out)
{
    struct um_compare_change *const changes[2] = {&out->median, &out->p90};
    out->most_runs = UM_MANN_WHITNEY_MOST_RUNS;
    if (wants_runs(out))
        out->runs_needed = um_mann_whitney_runs_needed(runs->before, runs->before_len, runs->after,
                                                       runs->after_len, UM_COMPARE_SHOWN_CHANGE);
    return um_bootstrap_intervals(before, after, changes);
}

enum um_status um_compare_groups(const struct um_compare_design *design,
                                 const struct um_compare_group *before,
                                 const struct um_compare_group *after,
                                 struct um_compare_result *out)
{
    struct um_compare_result made = {.verdict = UM_COMPARE_TOO_FEW};
    struct um_compare_runs runs = {0};
    if (before->len == 0 || after->len == 0)
        return UM_ERR_ARG;
    made.median = change_of(before, after, UM_COMPARE_P50);
    made.p90 = change_of(before, after, UM_COMPARE_P90);
    enum um_status status = um_compare_take_runs(design, before, after, UM_COMPARE_P50, &runs);
    made.before_runs = (uint32_t)runs.before_len;
    made.after_runs = (uint32_t)runs.after_len;
    /* There may be no pair of which both runs have values. */
    if (status == UM_OK && runs.before_len > 0 && runs.after_len > 0)
        status = um_compare_decide(design, &runs, &made.test, &made.verdict);
    if (status == UM_OK && !design->paired)
        status = compare_sittings(before, after, &runs, &made);
    else if (status == UM_OK && runs.before_len > 0)
        status = compare_pairs(design, before, after, &runs, &made);
    um_compare_free_runs(&runs);
    if (status == UM_OK)
        *out = made;
    return status;
}
