/* The calls of managed methods, added up: a row for each method over all threads and callers, and
 * the calls of each thread as a tree.
 *
 * Methods with one name in one module are one row and one node: overloads have no names of their
 * own. A recursion's wall time counts once, for its outermost call. A node is on the thread of the
 * outermost one around it; one whose parent never came lies at the top of its thread. Sums have
 * UINT64_MAX where they are more. A reader starts at um_method_sums_make. Not on the hot path.
 * Thread: one at a time.
 */
#ifndef UM_MONITOR_METHOD_SUMS_H
#define UM_MONITOR_METHOD_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "monitor/stats/call_rows.h"
#include "monitor/stats/methods.h"

struct um_method_sums_costs {
    uint64_t calls;
    uint64_t ended; /* of these; the times are theirs */
    uint64_t wall_ns;
    uint64_t self_ns; /* of that, without the traced calls within */
    uint64_t cpu_ns;  /* of calls that no traced method is around; 0: not known */
};

struct um_method_sums_row {
    const char *name;   /* "": not known. Owner: the um_methods, until its next frame */
    const char *module; /* as `name` */
    bool is_rest;       /* it stands for the methods for which there was no room */
    uint32_t threads;   /* on how many it was called; several without room count as one */
    uint32_t number;    /* its place before the rows were sorted */
    struct um_method_sums_costs costs;
};

#define UM_METHOD_SUMS_ROOT 0u /* the nodes within it are threads */

struct um_method_sums_node {
    uint32_t parent;
    uint32_t first; /* of the nodes within; UM_CALL_ROWS_NONE: there is none */
    uint32_t next;  /* with the same parent; as above */
    uint32_t row;   /* UM_CALL_ROWS_NONE: it is a thread, or the root */
    uint32_t thread;
    /* Its wall time or the sum of those within it, whichever is more; of a thread, how long it ran
     * in these calls, as far as that is known. Without times, calls. */
    uint64_t weight;
    struct um_method_sums_costs costs; /* of a thread: what was called on it */
};

/* Zeroed, it is empty. */
struct um_method_sums {
    const struct um_methods *methods;
    bool has_times; /* calls were timed; without that, all times are 0 */
    bool has_cpu;   /* as `has_times`, of CPU times */
    bool is_exact;  /* there are rows, and as far as was told none of their calls is missing */
    uint64_t calls;
    struct um_method_sums_row *rows; /* the most self time first, or without times the most calls */
    size_t row_count, row_room;
    struct um_method_sums_node *nodes;
    size_t node_count, node_room;
};

/* Adds up what has been taken so far. `methods` must outlive the sums, and takes no frame
 * meanwhile. Owner: um_method_sums_deinit, also after an error. Errors: UM_ERR_MEMORY. */
enum um_status um_method_sums_make(struct um_method_sums *sums, const struct um_methods *methods);

/* Accepts a zeroed one. */
void um_method_sums_deinit(struct um_method_sums *sums);

/* How the trees are gone through, for call_rows.h, without `write` and `put`: threads with the
 * busiest first, and calls with the heaviest first. Owner: `sums`. */
struct um_call_rows um_method_sums_rows(const struct um_method_sums *sums);

#endif
