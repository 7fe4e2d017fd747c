/* The profile of a recording, as the commands show it: its functions, and a view of its samples
 * without the modules that are not wanted. Not on the hot path. Thread: one at a time.
 */
#ifndef UM_MONITOR_PROFILED_H
#define UM_MONITOR_PROFILED_H

#include <stdint.h>

#include "base/plain/status.h"
#include "monitor/options/options.h"
#include "monitor/recorded/recorded.h"
#include "monitor/profile/functions.h"
#include "monitor/profile/view.h"

struct um_profiled {
    struct um_functions functions;
    struct um_view view; /* of the UI thread, in all freezes and outside of them */
};

/* Makes the view of a recording that was read; --only and --hide are its lists.
 * Owner: um_profiled_deinit; `recorded` and `options` must outlive it, and neither moves.
 * Errors: UM_ERR_MEMORY. */
enum um_status um_profiled_init(struct um_profiled *profiled, const struct um_recorded *recorded,
                                const struct um_options *options);

/* Accepts a zeroed one. */
void um_profiled_deinit(struct um_profiled *profiled);

#endif
