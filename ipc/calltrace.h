/* The tree of the window messages that a thread handles: which message was handled within which
 * other one, how often and for how long.
 *
 * The hook DLL keeps it on the UI thread (the writer), and its worker reads it (the reader). A
 * program can handle a hundred thousand messages a second. A record for each would have to be
 * dropped when the pipe is slow, and then no count would be exact. So calls are added up where they
 * happen, in a tree of a fixed number of nodes, and the worker sends at times those nodes that have
 * changed. The tree's memory does not grow with time. When it is full, calls that would need
 * another node are counted in one node for all of them, UM_CALLTRACE_OTHER.
 *
 * Where a call begins is always known. Where it ends is known
 *   - of a sent message: by the hook that is called when it was handled. That hook is never called
 *     if an exception or longjmp leaves the handler;
 *   - of a retrieved message (posted, input, timer, paint): by a marker that is posted when it is
 *     retrieved, or by the next retrieval on the same level of nesting.
 * So each event comes with the address of the stack at which its hook procedure ran. Stacks grow
 * downwards: an open call whose address is not above that of a new event has been left. For two
 * retrievals this holds within UM_CALLTRACE_LEVEL bytes, because the same loop may retrieve by
 * several functions. The loop of a dialog that a handler has opened lies further down than that.
 * Each fiber has a stack of its own, and calls of other stacks are left alone.
 *
 * A call whose end was not seen is counted, and never gets a length. The time of a retrieved
 * message lasts until its loop retrieves again, so it includes what the loop does in between.
 *
 * A reader starts at um_calltrace_entered. On the hot path. Freestanding: no C library.
 */
#ifndef UM_IPC_CALLTRACE_H
#define UM_IPC_CALLTRACE_H

#include <stdatomic.h>
#include <stdint.h>

#include "ipc/wire.h"

#define UM_CALLTRACE_NODES 2048
#define UM_CALLTRACE_DEPTH 128 /* calls within one another */
#define UM_CALLTRACE_LEVEL                                                                         \
    256 /* bytes of stack; from a loop to one in a handler it is 500 or more */
#define UM_CALLTRACE_CLASSES 256
#define UM_CALLTRACE_CLASS_UNITS 64 /* of UTF-16, with the NUL */
#define UM_CALLTRACE_ROOT 0u
#define UM_CALLTRACE_OTHER 1u

/* What calls are told apart by, beside where they happen. */
struct um_calltrace_what {
    uint64_t handler; /* address of the window procedure; 0: not known */
    uint32_t message;
    uint16_t window_class; /* by um_calltrace_class */
    uint8_t kind;          /* enum um_trace_kind; not OTHER */
};

/* When and where a hook procedure was called. */
struct um_calltrace_at {
    uint64_t ticks;  /* of the counter */
    uint64_t cycles; /* that the thread has run; 0: the system does not say */
    uint64_t place;  /* on the stack */
    uint64_t stack;  /* which stack: where it begins */
};

/* What is known of a node's calls. Units: ticks and cycles. */
struct um_calltrace_values {
    uint64_t count;
    uint64_t ended; /* of those, so many; the three below are theirs */
    uint64_t loose; /* of these, so many at a retrieval that the thread may have waited for */
    uint64_t wall;
    uint64_t self; /* of that, without the calls within */
    uint64_t cpu;
};

#define UM_CALLTRACE_VALUES 6

/* All below is private to calltrace.c, but for reading what does not change any more: `parent` and
 * `what` of a node below um_calltrace_count, and a class that such a node has. */
struct um_calltrace_node {
    struct um_calltrace_what what;
    uint32_t parent;
    _Atomic uint32_t sequence; /* odd while the values are written */
    _Atomic uint64_t values[UM_CALLTRACE_VALUES];
};

/* A call that has not ended. */
struct um_calltrace_open {
    struct um_calltrace_at at;
    uint64_t window;
    uint64_t inner_wall; /* of the calls within it that have ended */
    uint32_t message;
    uint32_t node;
    uint32_t serial;       /* of a retrieved one */
    uint8_t kind;          /* enum um_trace_kind */
    uint8_t marker_is_out; /* of a retrieved one: its marker is in the queue */
};

struct um_calltrace_class {
    uint16_t atom; /* 0: the slot is free */
    uint16_t name[UM_CALLTRACE_CLASS_UNITS];
};

struct um_calltrace {
    struct um_calltrace_node nodes[UM_CALLTRACE_NODES];
    _Atomic uint32_t count;  /* of nodes that are whole */
    _Atomic uint64_t deeper; /* calls that were too deep to be told apart */
    uint32_t depth;
    uint32_t skipped; /* open calls below the deepest that is kept */
    uint32_t others;  /* open calls of UM_CALLTRACE_OTHER */
    uint32_t serial;
    uint32_t class_count;
    struct um_calltrace_open open[UM_CALLTRACE_DEPTH];
    struct um_calltrace_class classes[UM_CALLTRACE_CLASSES];
    uint16_t slots[2 * UM_CALLTRACE_NODES]; /* a hash table of nodes; 0: free */
};

/* Empties the tree. Thread: neither writer nor reader may be at it. */
void um_calltrace_init(struct um_calltrace *trace);

/* Forgets the calls that are open: they never get an end. Thread: the writer, as all that follows
 * but for the last two. */
void um_calltrace_forget(struct um_calltrace *trace);

/* The number of a window class. If it is new, `*name` gets where its name is to be written, with
 * its NUL, before a call with it is told; else NULL. 0: there are too many. */
uint16_t um_calltrace_class(struct um_calltrace *trace, uint16_t atom, uint16_t **name);

/* A sent message is about to be handled. One that another thread has sent comes while this thread
 * retrieves messages or waits, so it ends what was retrieved before on the same level. One that the
 * loop itself sends belongs to what was retrieved last: it may be what that is translated to. */
void um_calltrace_entered(struct um_calltrace *trace, const struct um_calltrace_what *what,
                          uint64_t window, int by_other_thread, const struct um_calltrace_at *at);

/* A sent message was handled. One that was not told when it was entered is ignored.
 * The result is as that of um_calltrace_retrieved. */
uint32_t um_calltrace_left(struct um_calltrace *trace, uint32_t message, uint64_t window,
                           const struct um_calltrace_at *at);

/* A message was retrieved. `what` is NULL for one that is not to be counted, but ends those before.
 * Returns the serial number of a call that wants a marker, 0 for none. */
uint32_t um_calltrace_retrieved(struct um_calltrace *trace, const struct um_calltrace_what *what,
                                const struct um_calltrace_at *at);

/* A marker of that serial number was posted. */
void um_calltrace_posted(struct um_calltrace *trace, uint32_t serial);

/* The marker of that serial number was retrieved. */
void um_calltrace_marker(struct um_calltrace *trace, uint32_t serial,
                         const struct um_calltrace_at *at);

/* How many nodes there are, also the first two. Thread: any. */
uint32_t um_calltrace_count(const struct um_calltrace *trace);

/* Copies a node's values, and which version of them that is, which changes with each of them. 0 if
 * they are being written. Thread: the reader; never waits. */
int um_calltrace_read(const struct um_calltrace *trace, uint32_t node,
                      struct um_calltrace_values *values, uint32_t *version);

#endif
