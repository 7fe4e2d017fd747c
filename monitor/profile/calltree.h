/* A call tree: samples of stacks, merged where they begin alike.
 *
 * A node is a function (or an address) together with the chain of those that called it. Each knows
 * how many samples were taken in it or in what it called (`all`), and how many in it itself
 * (`top`). The keys are whatever the caller chooses: addresses at first, functions in what view.h
 * makes of them. A stack whose outer end could not be read has no known place in the tree. It hangs
 * under a node of its own, UM_CALLTREE_CUT, and never under a caller that was guessed.
 *
 * The nodes lie in one array, each behind its parent. It grows up to a bound that um_calltree_init
 * sets. A sample that does not fit any more changes no node; it is counted as lost. To add a sample
 * of 60 frames takes less than 20 µs. Not on the hot path. Thread: one at a time.
 */
#ifndef UM_MONITOR_CALLTREE_H
#define UM_MONITOR_CALLTREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/status.h"
#include "monitor/profile/intern.h"

#define UM_CALLTREE_ROOT 0 /* everything; no function */
#define UM_CALLTREE_CUT 1  /* "(stack not read)", a child of the root; no function either */
#define UM_CALLTREE_FIRST 2
#define UM_CALLTREE_NONE UINT32_MAX
#define UM_CALLTREE_NO_FREEZE 0 /* of a sample that was taken outside of freezes */

/* A node takes about 120 bytes, with its share of the table by which it is found: this bound is
 * about 8 MB. */
#define UM_CALLTREE_NODES 65536

/* Of a deeper stack the innermost frames are kept, and it counts as cut off. */
#define UM_CALLTREE_DEPTH 512

/* What samples stand for. A time that is not known is 0. */
struct um_calltree_cost {
    uint64_t samples;
    uint64_t wall_ns;
    uint64_t user_ns;
    uint64_t kernel_ns;
};

struct um_calltree_frame {
    uint64_t key;
    bool folded; /* between it and its caller here there were frames that are not shown */
};

struct um_calltree_sample {
    const struct um_calltree_frame *frames; /* innermost first, as the unwinder gives them */
    size_t frame_count;
    bool cut;        /* the outer end could not be read */
    bool top_folded; /* it was taken in frames that are not shown, below the innermost one here */
    uint32_t freeze; /* its number; the samples of one freeze come one after another */
    struct um_calltree_cost cost;
};

struct um_calltree_node {
    uint64_t key;
    struct um_calltree_cost all; /* in it or in what it called */
    struct um_calltree_cost top; /* in it itself */
    uint64_t top_folded;         /* samples of `top` that were in frames that are not shown */
    uint32_t freezes;            /* in how many freezes it was seen */
    uint32_t last_freeze;
    uint32_t parent; /* UM_CALLTREE_NONE for the root */
    uint32_t first_child;
    uint32_t next_sibling;
    bool folded;
};

/* Private to calltree.c, but for reading `nodes`, `count` and `lost`. */
struct um_calltree {
    struct um_calltree_node *nodes;
    uint32_t count;
    size_t cap;
    uint32_t most;
    struct um_intern table;
    struct um_calltree_cost lost;
};

/* An empty tree that has at most `most_nodes` nodes; 0 stands for UM_CALLTREE_NODES.
 * Owner: um_calltree_deinit. Errors: UM_ERR_MEMORY; UM_ERR_ARG for a bound below 2. */
enum um_status um_calltree_init(struct um_calltree *tree, uint32_t most_nodes);

/* Accepts a zeroed tree. */
void um_calltree_deinit(struct um_calltree *tree);

/* Adds samples with one stack, and says which node the innermost frame is (`node` may be NULL). If
 * no frame was read at all, the node is UM_CALLTREE_CUT.
 * Errors: UM_ERR_TOO_LARGE the tree is full; UM_ERR_MEMORY. Both times the samples are lost. */
enum um_status um_calltree_add(struct um_calltree *tree, const struct um_calltree_sample *sample,
                               uint32_t *node);

/* Adds all of `from` to `into`. Their freezes must be different ones, because their numbers add up.
 * Errors: as um_calltree_add. Then all samples of `from` are lost to `into`, and no node of it has
 * changed. */
enum um_status um_calltree_merge(struct um_calltree *into, const struct um_calltree *from);

/* The frames of a node, innermost first, without UM_CALLTREE_ROOT and UM_CALLTREE_CUT. Returns how
 * many; `frames` has room for UM_CALLTREE_DEPTH. `cut` says whether the node is below
 * UM_CALLTREE_CUT. */
size_t um_calltree_frames(const struct um_calltree *tree, uint32_t node,
                          struct um_calltree_frame *frames, bool *cut);

/* Adds a cost to a sum. */
void um_calltree_sum(struct um_calltree_cost *sum, const struct um_calltree_cost *cost);

#endif
