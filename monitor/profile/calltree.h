/* A call tree: samples of stacks, merged as far as their outer frames are the same. In
 * monitor/profile a frame is one of a stack, except where it is a struct um_wire_frame.
 *
 * A node is a function (or an address) together with the chain of its callers. It knows how many
 * samples were taken in it or in what it called (`all`), and how many in it itself (`top`). The
 * caller of this module chooses the keys: addresses in samples.h, functions in view.h. A stack
 * whose outer end could not be read has no known place in the tree. It hangs under a node of its
 * own, UM_CALLTREE_CUT, and never under a caller that was made up. Whether a frame is a guess is no
 * part of what it is: the node counts in how many of its samples that is so.
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

#include "base/plain/status.h"
#include "base/intern.h"

#define UM_CALLTREE_ROOT 0 /* the outermost node; no function */
#define UM_CALLTREE_CUT 1  /* "(stack not read)", a child of the root; no function either */
#define UM_CALLTREE_FIRST 2
#define UM_CALLTREE_NONE UINT32_MAX

/* A node takes about 120 bytes, with its share of the table by which it is found: this bound is
 * about 8 MB. */
#define UM_CALLTREE_NODES 65536

/* A deeper stack keeps its innermost frames, and counts as cut off. */
#define UM_CALLTREE_DEPTH 512

/* What samples stand for. Unknown times are 0. */
struct um_calltree_cost {
    uint64_t samples;
    uint64_t wall_ns; /* the time that they stand for, which is their weight: see samples.h */
    uint64_t user_ns;
    uint64_t kernel_ns;
};

struct um_calltree_frame {
    uint64_t key;
    bool folded;  /* frames between it and its caller here are not shown */
    bool guessed; /* it is a guess (unwind_x86.h): it may not have called the frame before it */
};

struct um_calltree_sample {
    const struct um_calltree_frame *frames; /* innermost first, as the unwinder gives them */
    size_t frame_count;
    bool cut;        /* the outer end could not be read */
    bool top_folded; /* the sample was taken in a frame that is not shown, which frames[0] called */
    struct um_calltree_cost cost;
};

struct um_calltree_node {
    uint64_t key;
    struct um_calltree_cost all; /* samples in it or in what it called */
    struct um_calltree_cost top; /* samples in it itself */
    uint64_t top_folded;         /* how many of `top` were in frames that are not shown */
    uint64_t guessed;            /* in how many of `all` it is a guess */
    uint32_t parent;             /* UM_CALLTREE_NONE for the root */
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

/* Makes an empty tree of at most `most_nodes` nodes; 0 stands for UM_CALLTREE_NODES.
 * Owner: um_calltree_deinit. Errors: UM_ERR_MEMORY; UM_ERR_ARG for a bound below 2. */
enum um_status um_calltree_init(struct um_calltree *tree, uint32_t most_nodes);

/* Accepts a zeroed tree. */
void um_calltree_deinit(struct um_calltree *tree);

/* Adds samples with one stack. `node` (may be NULL) gets the node of the innermost frame, or
 * UM_CALLTREE_CUT if no frame was read.
 * Errors: UM_ERR_TOO_LARGE the tree is full; UM_ERR_MEMORY. In both cases the samples are lost. */
enum um_status um_calltree_add(struct um_calltree *tree, const struct um_calltree_sample *sample,
                               uint32_t *node);

/* The frames of a node, innermost first, without UM_CALLTREE_ROOT and UM_CALLTREE_CUT. Returns how
 * many; `frames` has room for UM_CALLTREE_DEPTH. A frame is a guess if its node is shown as one.
 * `cut` says whether the node is below UM_CALLTREE_CUT. */
size_t um_calltree_stack(const struct um_calltree *tree, uint32_t node,
                         struct um_calltree_frame *frames, bool *cut);

/* Whether a node is shown as a guess: in at least half of its samples it is one. */
bool um_calltree_is_guess(const struct um_calltree_node *node);

/* Adds a cost to a sum. */
void um_calltree_sum(struct um_calltree_cost *sum, const struct um_calltree_cost *cost);

#endif
