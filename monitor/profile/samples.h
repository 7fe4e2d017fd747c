/* The samples of a session: which stack, of which thread, when, and in which freeze.
 *
 * Stacks are kept as nodes of a call tree of addresses, so that a stack that is seen again costs
 * nothing. Everything that is shown is made from here (view.h), because counts of functions and of
 * freezes cannot be had from a tree of addresses. A sample takes 64 bytes. A sample for which there
 * is no room is counted in `stacks.lost`. Not on the hot path. Thread: one at a time.
 */
#ifndef UM_MONITOR_SAMPLES_H
#define UM_MONITOR_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/status.h"
#include "monitor/profile/calltree.h"

#define UM_SAMPLES_MOST 65536 /* 4 MB */

struct um_samples_entry {
    uint64_t at_ns; /* when it was taken, from the session's start on */
    uint32_t node;  /* of `stacks` */
    uint32_t thread;
    uint32_t freeze; /* UM_CALLTREE_NO_FREEZE: none */
    bool has_times;  /* the cost has user and kernel time */
    bool is_other;   /* the thread is not the UI thread */
    uint8_t stopped; /* why the walk ended, enum um_unwind_stop; 0: it is whole */
    struct um_calltree_cost cost;
};

/* Private to samples.c, but for reading. */
struct um_samples {
    struct um_calltree stacks;
    struct um_samples_entry *entries;
    size_t count;
    size_t cap;
    size_t most;
};

/* No samples yet. The bounds: of samples and of nodes; 0 stands for UM_SAMPLES_MOST and
 * UM_CALLTREE_NODES. Owner: um_samples_deinit. Errors: as um_calltree_init. */
enum um_status um_samples_init(struct um_samples *samples, size_t most, uint32_t most_nodes);

/* Accepts zeroed ones. */
void um_samples_deinit(struct um_samples *samples);

/* Adds a sample with its stack of addresses, innermost first; see um_samples_key. `entry` has all
 * but the node, and the freeze is not below that of the sample before.
 * Errors: UM_ERR_TOO_LARGE there is no room; UM_ERR_MEMORY. Both times the sample is lost. */
enum um_status um_samples_add(struct um_samples *samples, const struct um_samples_entry *entry,
                              const uint64_t *keys, size_t count, bool cut);

/* An address as a key: a module by its index and the offset in it, so that the key stays the same
 * when a module is loaded elsewhere; for code of no module (an index below 0) the address itself,
 * which has at most 48 bits. */
uint64_t um_samples_key(int32_t module, uint64_t offset);

/* What um_samples_key was made of. */
int32_t um_samples_module(uint64_t key);
uint64_t um_samples_offset(uint64_t key);

#endif
