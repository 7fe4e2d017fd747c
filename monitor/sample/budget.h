/* Limits the cost of sampling to a share of the time.
 *
 * 2.5 % of the time is earned as credit, up to `most_ns`; each sample spends what it costs. While
 * the credit is overdrawn there is no sample. So in any stretch of time, all samples but the last
 * cost at most 2.5 % of it plus `most_ns`. If it is 200 times `most_ns` or longer, that is at most
 * 3 %, which the documentation promises. A pure function of (costs, clock).
 */
#ifndef UM_MONITOR_BUDGET_H
#define UM_MONITOR_BUDGET_H

#include <stdint.h>

#define UM_BUDGET_PERMILLE 25

/* Zeroed but for most_ns. The rest is private to budget.c. */
struct um_budget {
    int64_t most_ns; /* more credit is not kept */
    uint64_t now_ns;
    int64_t credit_ns;
};

/* A sample that cost so much has ended at `now_ns`. */
void um_budget_spend(struct um_budget *budget, uint64_t cost_ns, uint64_t now_ns);

/* When the next sample may be taken: `now_ns` or later. `now_ns` does not run backwards. */
uint64_t um_budget_next_ns(struct um_budget *budget, uint64_t now_ns);

#endif
