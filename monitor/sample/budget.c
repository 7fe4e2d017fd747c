#include "monitor/sample/budget.h"

#define DEBT_MAX_NS (INT64_C(60) * 1000 * 1000 * 1000) /* a minute; keeps the sums small */

uint32_t um_budget_permille(double percent)
{
    return (uint32_t)(percent * 25 / 3);
}

/* Credit for the time since the last call. */
static void earn(struct um_budget *budget, uint64_t now_ns)
{
    uint64_t passed_ns = now_ns > budget->now_ns ? now_ns - budget->now_ns : 0;
    uint64_t enough_ns = (uint64_t)(budget->most_ns + DEBT_MAX_NS) * 1000 / budget->permille;
    if (passed_ns > enough_ns)
        passed_ns = enough_ns;
    budget->credit_ns += (int64_t)passed_ns * budget->permille / 1000;
    if (budget->credit_ns > budget->most_ns)
        budget->credit_ns = budget->most_ns;
    budget->now_ns = now_ns;
}

void um_budget_spend(struct um_budget *budget, uint64_t cost_ns, uint64_t now_ns)
{
    earn(budget, now_ns);
    budget->credit_ns -= cost_ns < (uint64_t)DEBT_MAX_NS ? (int64_t)cost_ns : DEBT_MAX_NS;
    if (budget->credit_ns < -DEBT_MAX_NS)
        budget->credit_ns = -DEBT_MAX_NS;
}

uint64_t um_budget_next_ns(struct um_budget *budget, uint64_t now_ns)
{
    earn(budget, now_ns);
    if (budget->credit_ns >= 0)
        return now_ns;
    uint64_t debt_ns = (uint64_t)-budget->credit_ns;
    return now_ns + (debt_ns * 1000 + budget->permille - 1) / budget->permille;
}
