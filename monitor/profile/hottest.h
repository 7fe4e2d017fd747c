/* The hottest functions of a profile as PROFILE frames of the feed, which the overlay shows. Only
 * samples of the UI thread count, because what other threads did is no share of a freeze. They
 * count by their weights (samples.h): so many of the samples as a function's share of these is.
 *
 * The system's modules are left out, as in a headline (headline.h): a sample in them counts for the
 * function that called them. If there are no others, they are shown after all. With `only` or
 * `hide` these say what is shown, as in a view (view.h). The work is bounded
 * by the profile's own bounds: a pass over the samples, and one over the different stacks. Not on
 * the hot path. Thread: one at a time.
 */
#ifndef UM_MONITOR_HOTTEST_H
#define UM_MONITOR_HOTTEST_H

#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "ipc/wire.h"
#include "monitor/profile/profile.h"

struct um_hottest_choice {
    enum um_wire_scope scope;
    uint32_t freeze;   /* FREEZE: its id */
    uint64_t since_ns; /* NOW: samples from this time on */
    uint64_t span_ns;  /* FREEZE and NOW: the length that PROFILE gives */
    uint64_t before;   /* SESSION: so many of the profile's samples came before it */
};

#define UM_HOTTEST_FRAMES (2 * UM_WIRE_PROFILE_PARTS) /* of a freeze and of the session */

/* What is shown of the chosen samples. Owner: the caller's lists, of module_list.h; NULL: none. */
struct um_hottest_shown {
    enum um_wire_by by;
    const char *only, *hide;
};

/* Makes the parts of a PROFILE of the chosen samples; there may be none.
 * Errors: UM_ERR_MEMORY, with `made` untouched. */
enum um_status um_hottest_make(struct um_profile *profile, const struct um_hottest_choice *choice,
                               const struct um_hottest_shown *shown,
                               struct um_wire_profile made[UM_WIRE_PROFILE_PARTS]);

/* Writes the parts as frames; none if their scope is NONE. Returns how many. */
size_t um_hottest_put(const struct um_wire_profile made[UM_WIRE_PROFILE_PARTS],
                      struct um_wire_frame *frames);

#endif
