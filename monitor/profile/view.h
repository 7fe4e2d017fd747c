/* What is shown of samples: functions in place of addresses, without those that are not wanted.
 *
 * A frame that is not shown is folded into the nearest caller that is, and the mark of it stays: a
 * function that was called through such frames is another node than the same function called at
 * once, so a tree never claims a direct call that was not one. Tree, headline, shares and exports
 * are all made by a view. Not on the hot path. Thread: one at a time.
 */
#ifndef UM_MONITOR_VIEW_H
#define UM_MONITOR_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/status.h"
#include "monitor/profile/calltree.h"
#include "monitor/profile/functions.h"
#include "monitor/profile/samples.h"

#define UM_VIEW_ALL UINT32_MAX
#define UM_VIEW_UI (UINT32_MAX - 1) /* as a thread: the UI thread, whichever it was at that time */

struct um_profile;

/* A stretch of time, from the session's start on; both ends belong to it. */
struct um_view_span {
    uint64_t from_ns;
    uint64_t to_ns;
};

/* Owner: the caller, of everything. Lists are those of module_list.h. */
struct um_view {
    const struct um_samples *samples;
    struct um_functions *functions;
    const char *only;                 /* if not empty, modules that are not in it are not shown */
    const char *hide;                 /* modules that are not shown */
    uint32_t thread;                  /* its samples only, or UM_VIEW_ALL or UM_VIEW_UI */
    uint32_t freeze;                  /* its samples only, or UM_VIEW_ALL */
    const struct um_profile *profile; /* knows what threads are called; NULL: nobody does */
    const struct um_view_span *spans; /* samples in these only, in order, apart; NULL: all */
    size_t span_count;
};

/* All samples of the UI thread, and their functions, nothing hidden. */
void um_view_init(struct um_view *view, const struct um_samples *samples,
                  struct um_functions *functions);

/* Whether a sample, by its index, is in the view. */
bool um_view_has(const struct um_view *view, size_t index);

/* A sample as the view shows it; the keys are numbers of functions. False if it is not in the view
 * or there are fewer. `frames` has room for UM_CALLTREE_DEPTH. Owner: `frames` must outlive
 * `sample`. */
bool um_view_sample(const struct um_view *view, size_t index, struct um_calltree_frame *frames,
                    struct um_calltree_sample *sample);

/* The addresses of the frames that um_view_sample gives, in the same order. Returns how many;
 * `keys` has room for UM_CALLTREE_DEPTH. */
size_t um_view_addresses(const struct um_view *view, size_t index, uint64_t *keys);

/* Adds the samples of the view to a tree.
 * Errors: as um_calltree_add, whose lost samples are counted in the tree; the others are added. */
enum um_status um_view_tree(const struct um_view *view, struct um_calltree *tree);

struct um_view_function {
    struct um_calltree_cost all; /* of samples with it on the stack; a recursion counts once */
    struct um_calltree_cost top; /* of samples in it */
    uint32_t freezes;
};

/* What each function of the view costs, by its number. Owner: the caller frees `costs`.
 * Errors: UM_ERR_MEMORY. */
enum um_status um_view_functions(const struct um_view *view, struct um_view_function **costs,
                                 size_t *count);

#endif
