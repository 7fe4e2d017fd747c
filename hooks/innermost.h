/* Which window's procedure runs innermost on the UI thread, as far as the hooks can tell. From that
 * the monitor knows who has created a window.
 *
 * A window is there while a message that was sent to it is handled, and from the retrieval of a
 * message of its queue to the next retrieval. No hook says when DispatchMessage has returned, nor
 * that a procedure was left by longjmp. So each entry has its place on the thread's stack, which
 * grows towards lower addresses: one below the place of a present call is over. Of more windows
 * than UM_INNERMOST_MOST within one another, the outermost are forgotten.
 *
 * On the hot path. Freestanding and portable. Thread: the UI thread. Places are UM_HOOK_PLACE.
 */
#ifndef UM_HOOKS_INNERMOST_H
#define UM_HOOKS_INNERMOST_H

#include <stdint.h>

#define UM_INNERMOST_MOST 64 /* a power of two */
/* A loop within the handling of a message retrieves at least so much further down the stack. Two
 * functions with which one loop retrieves differ by less. Units: bytes. */
#define UM_INNERMOST_LOOP 1024

struct um_innermost_entry {
    uint64_t place;
    uint32_t window; /* 0: none; its handle has 32 significant bits, see hooks/record.h */
    int retrieved;   /* its message was retrieved, else sent */
};

/* Zeroed, nothing runs. */
struct um_innermost {
    uint32_t depth;
    /* By depth, modulo the number of entries. One that a deeper entry has replaced is never taken
     * for the outer one, because the deeper one's place is further down. */
    struct um_innermost_entry entries[UM_INNERMOST_MOST];
};

static inline struct um_innermost_entry *um_innermost_at(struct um_innermost *stack, uint32_t depth)
{
    return &stack->entries[depth % UM_INNERMOST_MOST];
}

/* Forgets what is over, now that something is called from `place`. */
static inline void um_innermost_drop(struct um_innermost *stack, uint64_t place)
{
    while (stack->depth > 0 && um_innermost_at(stack, stack->depth - 1)->place < place)
        stack->depth--;
}

static inline void um_innermost_put(struct um_innermost *stack, uint64_t place, uint32_t window,
                                    int retrieved)
{
    struct um_innermost_entry *entry = um_innermost_at(stack, stack->depth++);
    entry->place = place;
    entry->window = window;
    entry->retrieved = retrieved;
}

/* A sent message is about to be handled. */
static inline void um_innermost_entered(struct um_innermost *stack, uint64_t place, uint32_t window)
{
    um_innermost_drop(stack, place);
    um_innermost_put(stack, place, window, 0);
}

/* A sent message was handled. */
static inline void um_innermost_left(struct um_innermost *stack, uint32_t window)
{
    for (uint32_t i = 1; i <= stack->depth && i <= UM_INNERMOST_MOST; i++) {
        const struct um_innermost_entry *entry = um_innermost_at(stack, stack->depth - i);
        if (!entry->retrieved && entry->window == window) {
            stack->depth -= i;
            return;
        }
    }
}

/* A message is retrieved; `window` 0: it is no window's. The handling of the one before is over,
 * unless this loop runs within that. */
static inline void um_innermost_retrieved(struct um_innermost *stack, uint64_t place,
                                          uint32_t window)
{
    um_innermost_drop(stack, place);
    if (stack->depth > 0) {
        const struct um_innermost_entry *top = um_innermost_at(stack, stack->depth - 1);
        if (top->retrieved && top->place - place < UM_INNERMOST_LOOP)
            stack->depth--;
    }
    um_innermost_put(stack, place, window, 1);
}

/* A window is gone: what it has retrieved is over. So after a dialog's own loop, the one whose
 * procedure has shown the dialog is innermost again. */
static inline void um_innermost_gone(struct um_innermost *stack, uint32_t window)
{
    for (uint32_t i = 1; i <= stack->depth && i <= UM_INNERMOST_MOST; i++) {
        struct um_innermost_entry *entry = um_innermost_at(stack, stack->depth - i);
        if (entry->retrieved && entry->window == window)
            entry->window = 0;
    }
}

/* The innermost window, for what is called from `place`; 0: none is known. */
static inline uint32_t um_innermost_get(struct um_innermost *stack, uint64_t place)
{
    um_innermost_drop(stack, place);
    for (uint32_t i = 1; i <= stack->depth && i <= UM_INNERMOST_MOST; i++) {
        const struct um_innermost_entry *entry = um_innermost_at(stack, stack->depth - i);
        if (!entry->retrieved || entry->window != 0)
            return entry->window;
    }
    return 0;
}

#endif
