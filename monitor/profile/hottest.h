/* The hottest functions of a profile as a PROFILE of the feed, which the overlay shows. Samples of
 * the UI thread count, as in a headline: what other threads did meanwhile is no share of a freeze.
 *
 * The system's modules are left out, as in a headline (headline.h): a sample in them counts for the
 * function that called them. If there are no others, they are shown after all. The work is bounded
 * by the profile's own bounds: a pass over the samples, and one over the different stacks. Not on
 * the hot path. Thread: one at a time.
 */
#ifndef UM_MONITOR_HOTTEST_H
#define UM_MONITOR_HOTTEST_H

#include <stdint.h>

#include "ipc/status.h"
#include "ipc/wire.h"
#include "monitor/profile/profile.h"

struct um_hottest_choice {
    enum um_wire_scope scope;
    uint32_t freeze;   /* FREEZE: its id */
    uint64_t since_ns; /* NOW: samples from this time on */
    uint64_t span_ns;  /* FREEZE and NOW: what PROFILE says of it */
    uint64_t before;   /* SESSION: so many of the samples that were told of came before it */
};

/* Makes a PROFILE of the samples that are chosen; there may be none.
 * Errors: UM_ERR_MEMORY, with `made` untouched. */
enum um_status um_hottest_make(struct um_profile *profile, const struct um_hottest_choice *choice,
                               struct um_wire_profile *made);

#endif
