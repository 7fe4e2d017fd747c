/* How often a thread may be sampled: a share of its time, and no more.
 *
 * Time earns credit, 2.5 % of it, up to UM_BUDGET_MOST_NS; a suspension spends its length. While
 * the credit is overdrawn there is no sample. So over any stretch of time, all suspensions but the
 * last add up to at most 2.5 % of it and UM_BUDGET_MOST_NS: over 0.6 s or more, to at most the 3 %
 * that users are told. A pure function of (suspensions, clock).
 */
#ifndef UM_MONITOR_BUDGET_H
#define UM_MONITOR_BUDGET_H

#include <stdint.h>

#define UM_BUDGET_PERMILLE 25
#define UM_BUDGET_MOST_NS INT64_C(3000000)

/* Zeroed: no credit, as of the time 0. Private to budget.c. */
struct um_budget {
    uint64_t now_ns;
    int64_t credit_ns;
};

/* A suspension of this length has ended at `now_ns`. */
void um_budget_spend(struct um_budget *budget, uint64_t suspended_ns, uint64_t now_ns);

/* When the next sample may be taken: `now_ns` or later. `now_ns` does not run backwards. */
uint64_t um_budget_next_ns(struct um_budget *budget, uint64_t now_ns);

#endif
