/* The samples of a session: which stack, of which thread, when, and in which freeze.
 *
 * Stacks are nodes of a call tree of addresses, so that a stack that comes again takes no more
 * memory. The samples themselves are kept, too, because counts of functions and of freezes cannot
 * be computed from a tree of addresses. view.h makes from them everything that is shown. A sample
 * takes 64 bytes. A sample for which there is no room is counted in `stacks.lost`. Not on the hot
 * path. Thread: one at a time.
 *
 * Samples are not equally dense: at the begin of a freeze there are more of them, until the sampler
 * has spent its budget. So a sample counts by its weight, the time that it stands for, which is
 * `cost.wall_ns`:
 *
 *   its gap, the time since the sample before of the same thread in the same absence. The gap has
 *     no pause in it, in which the machine slept or uimon itself did not run, since nobody knows
 *     what the thread did meanwhile: the sampler leaves that out, so that what remains is its own
 *     interval at that time (sampler.h). A gap is long, too, where the budget wants it to be;
 *   where a freeze began or ended in the gap, only the time after that (profile.h does so);
 *   the first sample of an absence has no gap. It has the weight of the sample that comes next, and
 *     until then UM_SAMPLES_FIRST_NS.
 *
 * A share of samples is the sum of their weights w over that of all. It is known as well as that of
 * (Σw)² / Σw² samples of equal weights: um_samples_effective.
 * Source: L. Kish, "Weighting for Unequal Pi", Journal of Official Statistics 8, 1992.
 */
#ifndef UM_MONITOR_SAMPLES_H
#define UM_MONITOR_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/plain/clock.h"
#include "base/plain/status.h"
#include "monitor/profile/calltree.h"

#define UM_SAMPLES_MOST 65536                         /* 4 MB */
#define UM_SAMPLES_NO_FREEZE 0                        /* the sample was taken outside of freezes */
#define UM_SAMPLES_FIRST_NS (10 * UM_CLOCK_NS_PER_MS) /* the default of --sample-every */

struct um_samples_entry {
    uint64_t at_ns; /* when it was taken, counted from the session's start */
    uint32_t node;  /* of `stacks` */
    uint32_t thread;
    uint32_t freeze;              /* UM_SAMPLES_NO_FREEZE: none */
    bool has_times;               /* the cost has user and kernel time */
    bool is_other;                /* the thread is not the UI thread */
    uint8_t stopped;              /* why the walk ended, enum um_unwind_stop; 0: it is whole */
    uint64_t guessed;             /* as in a SAMPLE */
    uint64_t gap_ns;              /* see above; 0: the sample is the first of an absence */
    struct um_calltree_cost cost; /* wall_ns is the weight */
};

/* Private to samples.c, but for reading. */
struct um_samples {
    struct um_calltree stacks; /* its costs have no wall_ns, because weights change */
    struct um_samples_entry *entries;
    size_t count;
    size_t cap;
    size_t most;
};

/* Begins without samples. There is room for `most`; 0 stands for UM_SAMPLES_MOST.
 * Owner: um_samples_deinit. Errors: as um_calltree_init. */
enum um_status um_samples_init(struct um_samples *samples, size_t most);

/* Accepts a zeroed struct. */
void um_samples_deinit(struct um_samples *samples);

/* Adds a sample with its stack of addresses, innermost first; see um_samples_key. `entry` has
 * all but the node and the weight; its freeze is not below that of the sample
 * before.
 * Errors: UM_ERR_TOO_LARGE there is no room; UM_ERR_MEMORY. In both cases the sample is lost. */
enum um_status um_samples_add(struct um_samples *samples, const struct um_samples_entry *entry,
                              const uint64_t *keys, size_t count, bool cut);

/* How many samples of equal weights know a share as well as samples whose weights have this sum and
 * this sum of squares. 0 if there are none. */
double um_samples_effective(double sum, double squares);

/* So many of `count` samples as `part` is of the sum `whole` of their weights, rounded: for people,
 * who are told "52 of 85". 0 if `whole` is 0. */
uint64_t um_samples_share(uint64_t count, uint64_t part, uint64_t whole);

/* An address as a key: a module by its index and the offset in it, so that the key stays the same
 * when a module is loaded elsewhere; for code of no module (an index below 0) the address itself,
 * which has at most 48 bits. */
uint64_t um_samples_key(int32_t module, uint64_t offset);

/* The module and the offset that um_samples_key was made of. */
int32_t um_samples_module(uint64_t key);
uint64_t um_samples_offset(uint64_t key);

#endif
