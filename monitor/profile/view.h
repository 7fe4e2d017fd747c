/* A view: which samples are shown, and how: as functions in place of addresses, without the frames
 * of modules that are not wanted.
 *
 * A frame that is not shown is folded into its nearest caller that is shown. That stays visible: a
 * function that was called through such frames is another node than the same function called
 * directly. So a tree never shows a call as direct that was not. If a frame that is not shown is a
 * guess (calltree.h), so is the caller into which it is folded. Tree, headline, shares and exports
 * are all made from a view. Not on the hot path. Thread: one at a time.
 */
#ifndef UM_MONITOR_VIEW_H
#define UM_MONITOR_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "monitor/profile/calltree.h"
#include "monitor/profile/functions.h"
#include "monitor/profile/samples.h"

#define UM_VIEW_ALL UINT32_MAX
/* In place of a thread: the UI thread of that time, which may change. */
#define UM_VIEW_UI (UINT32_MAX - 1)

struct um_profile;

/* A time, counted from the session's start, with both ends included. */
struct um_view_span {
    uint64_t from_ns;
    uint64_t to_ns;
};

/* Owner: the caller, of everything. Lists are those of module_list.h. */
struct um_view {
    const struct um_samples *samples;
    struct um_functions *functions;
    const char *only;                 /* if not empty, only these modules are shown */
    const char *hide;                 /* modules that are not shown */
    uint32_t thread;                  /* only samples of this thread; or UM_VIEW_ALL, UM_VIEW_UI */
    uint32_t freeze;                  /* only samples of this freeze; or UM_VIEW_ALL */
    const struct um_profile *profile; /* has the names of threads; NULL: they have none */
    const struct um_view_span
        *spans; /* only samples in these, sorted, without overlap; NULL: all */
    size_t span_count;
};

/* Begins a view of all samples of the UI thread, with nothing hidden. */
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
    struct um_calltree_cost all; /* of samples with it on the stack; each sample counts once */
    uint64_t guessed;            /* in how many of these it is on the stack only as a guess */
    struct um_calltree_cost top; /* of samples in it itself */
    uint32_t freezes;
};

/* Gives all functions of the view their numbers. Returns the first number that is free. */
uint32_t um_view_number(const struct um_view *view);

/* "thread 7", or "NAME (thread 7)" if it has one. */
struct um_functions_label um_view_thread_label(const struct um_view *view, uint32_t thread);

/* What each function of the view costs, by its number. Owner: the caller frees `costs`.
 * Errors: UM_ERR_MEMORY. */
enum um_status um_view_functions(const struct um_view *view, struct um_view_function **costs,
                                 size_t *count);

#endif
