#include "monitor/compare/until.h"

enum um_status um_until_plan(uint32_t most, double within, double alpha, struct um_until *out)
{
    struct um_until plan = {.within = within};

    if (most < UM_UNTIL_FIRST || most > UM_PAIRED_MOST || !(within > 0 && within < 1))
        return UM_ERR_ARG;
    for (uint32_t pairs = UM_UNTIL_FIRST; pairs < most; pairs += UM_UNTIL_STEP)
        plan.pairs[plan.looks++] = pairs;
    plan.pairs[plan.looks++] = most;
    enum um_status status = um_alpha_spending_levels(plan.pairs, plan.looks, alpha, plan.levels);
    if (status == UM_OK)
        *out = plan;
    return status;
}

/* Whether the test rejects at `level` that AFTER is BEFORE changed by `change`, because AFTER is
 * larger (sign 1) or smaller (-1). */
static enum um_status rejects(const double *before, const double *after, size_t pairs,
                              double change, double level, int *side)
{
    double p = 1;
    int sign = 0;
    enum um_status status =
        um_paired_test(before, after, pairs, UM_PAIRED_SHARE, change, &p, &sign);
    *side = status == UM_OK && p <= level ? sign : 0;
    return status;
}

enum um_status um_until_decide(const double *before, const double *after, size_t pairs,
                               double level, double within, enum um_until_answer *answer, double *p)
{
    int sign, above_least = 0, below_most = 0;
    enum um_status status = um_paired_test(before, after, pairs, UM_PAIRED_AMOUNT, 0, p, &sign);

    if (status == UM_OK && within > 0)
        status = rejects(before, after, pairs, -within, level, &above_least);
    if (status == UM_OK && within > 0)
        status = rejects(before, after, pairs, within, level, &below_most);
    if (status != UM_OK)
        return status;
    *answer = UM_UNTIL_CANNOT_TELL;
    if (*p <= level && sign != 0)
        *answer = sign > 0 ? UM_UNTIL_SLOWER : UM_UNTIL_FASTER;
    else if (above_least > 0 && below_most < 0)
        *answer = UM_UNTIL_SAME;
    return UM_OK;
}

double um_until_level(const struct um_until *until, uint32_t pairs)
{
    for (size_t look = 0; look < until->looks; look++)
        if (until->pairs[look] == pairs)
            return until->levels[look];
    return 0;
}
