/* The slow keys, clicks and wheel steps of a recording, and whose they were.
 *
 * An input is slow if it took as long as the slow threshold, from its arrival (its dequeue, if the
 * arrival was not observed) to the last time that was observed of it. The samples of that time say
 * whose it was. If the thread was away, there are samples; an input that waited behind many short
 * messages may have none. Not on the hot path.
 */
#ifndef UM_MONITOR_SLOW_INPUTS_H
#define UM_MONITOR_SLOW_INPUTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "monitor/recorded/recorded.h"
#include "monitor/profile/mine.h"

#define UM_SLOW_INPUTS_LISTED 10 /* the slowest */

struct um_slow_inputs_whose {
    struct um_mine mine;
    uint64_t length_ns;
    uint64_t unsampled_ns; /* of that, what no sample stands for */
};

struct um_slow_inputs_item {
    const struct um_recorded_interaction *input; /* owner: the recording */
    uint64_t start_ns;                           /* from the session's start on */
    struct um_slow_inputs_whose whose;
};

struct um_slow_inputs {
    size_t count;                    /* of all that were slow */
    struct um_slow_inputs_whose all; /* of the time in which at least one lasted */
    struct um_slow_inputs_item list[UM_SLOW_INPUTS_LISTED]; /* the slowest, slowest first */
    size_t listed;
};

/* Looks at the samples of the view; `mine` is a list of module_list.h. Errors: UM_ERR_MEMORY. */
enum um_status um_slow_inputs_find(const struct um_recorded *recorded, const struct um_view *view,
                                   const char *mine, struct um_slow_inputs *inputs);

#endif
