/* The sampler: samples the stack of the target's UI thread while that thread is away.
 *
 * It runs on a thread of its own, so that measuring never waits for it. The watch thread tells it
 * how long the outstanding beat has waited; from `after_ns` on, it takes a sample every `every_ns`,
 * or less often, so that the suspensions keep within the share of budget.h. It walks each sample
 * after the thread runs again, and counts it (stacks.h). A reader starts at um_sampler_waits.
 * Portable, with the backend of stopper.h.
 */
#ifndef UM_MONITOR_SAMPLER_H
#define UM_MONITOR_SAMPLER_H

#include <stdbool.h>
#include <stdint.h>

#include "ipc/status.h"
#include "ipc/wire.h"
#include "monitor/sample/suspensions.h"

struct um_sampler;

struct um_sampler_options {
    uint64_t after_ns; /* the thread has been away for so long when sampling begins */
    uint64_t every_ns; /* between the begins of two samples, at least */
};

/* Starts the sampler of a thread. `suspensions` goes on counting.
 * Owner: um_sampler_close. `suspensions` stays the caller's; hands off it until then.
 * Errors: as um_stopper_open. */
enum um_status um_sampler_open(uint32_t pid, uint32_t tid, const struct um_sampler_options *options,
                               struct um_suspensions *suspensions, struct um_sampler **sampler);

/* Ends it. When it returns the thread is not suspended. Accepts NULL.
 * Thread: blocks for a sample at most. */
void um_sampler_close(struct um_sampler *sampler);

/* How long the outstanding beat has waited; 0: none is outstanding. To be called whenever that has
 * changed. What was sampled in an earlier wait is forgotten when the next one begins.
 * Thread: the watch thread, as all that follows; never waits for a sample. */
void um_sampler_waits(struct um_sampler *sampler, uint64_t waited_ns);

/* The same as waiting for 0 ns; but when it returns, the thread is not suspended.
 * Thread: blocks for a sample at most. */
void um_sampler_rest(struct um_sampler *sampler);

/* The stack of a freeze that has just ended at `end_ns`, and forgets the samples. Leaves `freeze`
 * of `out` alone. False if there is no sample. */
bool um_sampler_freeze(struct um_sampler *sampler, uint64_t end_ns, struct um_wire_stack *out);

/* What sampling has cost the target, in the terms of um_suspensions_sum. */
bool um_sampler_cost(struct um_sampler *sampler, struct um_wire_sampling *out);

#endif
