/* Limits the cost of sampling to a share of the time.
 *
 * A share of the time is earned as credit, up to `most_ns`; each sample spends what it costs. While
 * the credit is overdrawn there is no sample. So in any stretch of time, all samples but the last
 * cost at most that share of it plus `most_ns`. The share is five sixths of what the user was
 * promised: 2.5 % of 3 %. If the stretch is 200 times `most_ns` or longer, the promise holds from
 * 3 % on. A pure function of (costs, clock).
 */
#ifndef UM_MONITOR_BUDGET_H
#define UM_MONITOR_BUDGET_H

#include <stdint.h>

/* The share of the time that is earned where the user was promised so many percent, from 1 on. */
uint32_t um_budget_permille(double percent);

/* Zeroed but for the first two. The rest is private to budget.c. */
struct um_budget {
    uint32_t permille; /* of the time is earned; at least 1 */
    int64_t most_ns;   /* more credit is not kept */
    uint64_t now_ns;
    int64_t credit_ns;
};

/* A sample that cost so much has ended at `now_ns`. */
void um_budget_spend(struct um_budget *budget, uint64_t cost_ns, uint64_t now_ns);

/* When the next sample may be taken: `now_ns` or later. `now_ns` does not run backwards. */
uint64_t um_budget_next_ns(struct um_budget *budget, uint64_t now_ns);

#endif
