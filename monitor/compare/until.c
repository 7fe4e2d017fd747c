#include "monitor/compare/until.h"

enum um_status um_until_plan(uint32_t most, bool once, double within, struct um_until *out)
{
    struct um_until plan = {.within = within};

    if (most < UM_UNTIL_FIRST || most > UM_PAIRED_MOST || !(within > 0 && within < 1))
        return UM_ERR_ARG;
    for (uint32_t pairs = UM_UNTIL_FIRST; !once && pairs < most; pairs += UM_UNTIL_STEP)
        plan.pairs[plan.looks++] = pairs;
    plan.pairs[plan.looks++] = most;
    enum um_status status = um_looks_levels(plan.pairs, plan.looks, UM_UNTIL_ALPHA, plan.levels);
    if (status == UM_OK)
        *out = plan;
    return status;
}

/* Whether a change is rejected at a level because AFTER is larger (1) or smaller (-1) than that. */
static enum um_status rejects(const double *before, const double *after, uint32_t pairs,
                              double change, double level, int *side)
{
    double p = 1;
    int sign = 0;
    enum um_status status =
        um_paired_test(before, after, pairs, UM_PAIRED_SHARE, change, &p, &sign);
    *side = status == UM_OK && p <= level ? sign : 0;
    return status;
}

enum um_status um_until_look(const struct um_until *until, const double *before,
                             const double *after, uint32_t pairs, enum um_until_answer *answer)
{
    int differs, above_least = 0, below_most = 0;
    size_t look = 0;

    while (look < until->looks && until->pairs[look] < pairs)
        look++;
    *answer = UM_UNTIL_GO_ON;
    if (look == until->looks || until->pairs[look] != pairs)
        return UM_OK;
    double level = until->levels[look];
    enum um_status status = rejects(before, after, pairs, 0, level, &differs);
    if (status == UM_OK)
        status = rejects(before, after, pairs, -until->within, level, &above_least);
    if (status == UM_OK)
        status = rejects(before, after, pairs, until->within, level, &below_most);
    if (status != UM_OK)
        return status;
    if (differs != 0)
        *answer = differs > 0 ? UM_UNTIL_SLOWER : UM_UNTIL_FASTER;
    else if (above_least > 0 && below_most < 0)
        *answer = UM_UNTIL_SAME;
    else if (look + 1 == until->looks)
        *answer = UM_UNTIL_CANNOT_TELL;
    return UM_OK;
}
