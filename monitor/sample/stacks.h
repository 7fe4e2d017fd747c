/* The stacks of one freeze: which of them the thread was seen in most often.
 *
 * A stack is known by its innermost frames that are not the system's, because the system's own ones
 * (how a thread waits, how a message reaches its window) are the same for most freezes. Two samples
 * are of the same stack if these frames are in the same functions, wherever in them. A reader
 * starts at um_stacks_condense. No allocation; one thread at a time.
 */
#ifndef UM_MONITOR_STACKS_H
#define UM_MONITOR_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/wire.h"
#include "monitor/sample/images.h"
#include "monitor/sample/unwind.h"

#define UM_STACKS_DISTINCT 64 /* further ones are counted as samples, but cannot win */
#define UM_STACKS_LATE 32     /* so many of the last samples can be taken back */

/* A stack as it is shown. */
struct um_stacks_stack {
    size_t count;                             /* of frames, at least 1 */
    uint64_t functions[UM_WIRE_STACK_FRAMES]; /* where they begin; of unknown code the address */
    char texts[UM_WIRE_STACK_FRAMES][UM_WIRE_STACK_FRAME_BYTES]; /* "module.dll+0x1234" */
    enum um_unwind_stop stop;
};

/* Zeroed: nothing was sampled. Private to stacks.c, but for `samples`. */
struct um_stacks {
    uint32_t samples;
    uint64_t first_ns, last_ns;
    size_t count;
    struct um_stacks_stack stacks[UM_STACKS_DISTINCT];
    uint32_t counts[UM_STACKS_DISTINCT];
    struct {
        uint64_t time_ns;
        size_t stack;       /* UM_STACKS_DISTINCT: it found no room */
    } late[UM_STACKS_LATE]; /* a ring, by the number of the sample */
};

/* Whether a module is one of the system's that nearly every stack begins and ends in. */
bool um_stacks_is_system(const char *module);

/* Makes a stack of a walk's frames: the innermost that are not the system's, at most
 * UM_WIRE_STACK_FRAMES; if all are, the innermost one. A leaf of no module is left out, as Wine's
 * Unix code is one. An address lies within the instruction that
 * ran or that called, so a return address is told less one. Code of no module is told by its
 * address, as "0x7ff612345678". `frame_count` is at least 1. */
void um_stacks_condense(const struct um_unwind_frame *frames, size_t frame_count,
                        enum um_unwind_stop stop, struct um_images *images,
                        struct um_stacks_stack *stack);

/* Counts a sample. Units: ns; the times rise. */
void um_stacks_add(struct um_stacks *stacks, uint64_t time_ns, const struct um_stacks_stack *stack);

/* The most common stack of the samples up to `end_ns`, when the thread came back; of equals the one
 * that was seen first. Later ones are left out, as far as they are among the last UM_STACKS_LATE.
 * Leaves `freeze` of `out` alone. False if there is no sample. */
bool um_stacks_sum(const struct um_stacks *stacks, uint64_t end_ns, struct um_wire_stack *out);

#endif
