/* Begins and ends of one thread's layout steps, paired by a stack. A step is one message that a
 * window procedure handles; steps lie within one another.
 *
 * What a step took by itself is its time, without the steps directly within it, and without what
 * our hooks took for its own message and for those within it. A begin without an end, or an end
 * without a begin, is counted and does no harm: an exception or a longjmp can leave a window
 * procedure, and records can be lost. A reader starts at um_layout_pairs_end. Pure; never blocks
 * and never allocates.
 */
#ifndef UM_MONITOR_LAYOUT_PAIRS_H
#define UM_MONITOR_LAYOUT_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/wire.h"

/* Steps within one another. With more, the outermost half is forgotten: a thread that leaves its
 * steps by longjmp would fill the stack otherwise. */
#define UM_LAYOUT_PAIRS_DEEPEST 256

/* A step that is over. */
struct um_layout_pair {
    uint64_t window;
    uint64_t handler; /* address of the window procedure; 0: not known */
    uint32_t message;
    uint32_t tag; /* as um_layout_pairs_begin got it */
    uint8_t step; /* enum um_layout_step */
    bool sent;    /* our hooks saw its begin and its end */
    bool timed;   /* the times are known: the thread has not waited within the step */
    uint64_t begin_ns;
    uint64_t own_ns;
    uint64_t inclusive_ns; /* of its own and of the steps within */
};

/* Private to layout_pairs.c. */
struct um_layout_pairs_open {
    struct um_layout_pair pair;
    uint64_t within_ns; /* from begin to end, of the steps directly within */
    uint32_t hooked;    /* at the begin */
    uint32_t hooked_within;
    uint32_t sent_within; /* steps directly within that our hooks saw */
};

/* Zeroed, it is empty; nothing to release. */
struct um_layout_pairs {
    size_t depth;
    uint64_t begins;                                            /* without an end, so far */
    uint64_t ends;                                              /* without a begin */
    struct um_layout_pairs_open stack[UM_LAYOUT_PAIRS_DEEPEST]; /* the innermost one last */
};

/* A step begins. `tag` is the caller's. */
void um_layout_pairs_begin(struct um_layout_pairs *pairs, const struct um_wire_layout_step *step,
                           uint32_t tag);

/* A step ends; NULL if it had no begin. The steps that still lie within it are over, too, without
 * a time. `hook_ns` is what our hooks take for one message, and `inside_ns` so much of that as lies
 * between the begin and the end of its step. Owner: the pair is good until the next call. */
const struct um_layout_pair *um_layout_pairs_end(struct um_layout_pairs *pairs,
                                                 const struct um_wire_layout_step *step,
                                                 uint64_t hook_ns, uint64_t inside_ns);

/* The thread has waited, or has handled something else: the steps that are open get no time. */
void um_layout_pairs_waited(struct um_layout_pairs *pairs);

/* Records were lost: the steps that are open are forgotten. */
void um_layout_pairs_lost(struct um_layout_pairs *pairs);

#endif
