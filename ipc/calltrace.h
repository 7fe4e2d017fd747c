/* The tree of the window messages that a thread handles: which message was handled within which
 * other one, how often and for how long.
 *
 * The hook DLL updates it on the UI thread (the writer), and its worker reads it (the reader). A
 * program can handle a hundred thousand messages a second, so a record for each could overflow the
 * pipe, and counts would be wrong. Instead, calls are added up in a tree with a fixed number of
 * nodes, and the worker sends the changed nodes from time to time. When the tree is full, calls
 * that would need another node are counted in one node for all of them, UM_CALLTRACE_OTHER.
 *
 * Where a call begins is always known. Where it ends is known
 *   - of a sent message: by the hook that is called when it was handled. That hook is never called
 *     if an exception or longjmp leaves the handler;
 *   - of a retrieved message (posted, input, timer, paint): by a marker that is posted when it is
 *     retrieved, or by the next retrieval on the same level of nesting.
 * To find calls that were left, each event comes with the stack address of its hook procedure.
 * Stacks grow downwards: an open call whose address is not above that of a new event has been left.
 * Two retrievals within UM_CALLTRACE_LEVEL bytes count as the same level, because one loop may
 * retrieve by several functions. The loop of a dialog that a handler has opened lies further down
 * than that. Each fiber has a stack of its own, and calls of other stacks are left alone.
 *
 * A call whose end was not seen is counted, and never gets a length. The time of a retrieved
 * message lasts until its loop retrieves again, so it includes what the loop does in between.
 *
 * Who wants the calls one by one gives the tree a ring. Each call whose end was seen goes into it
 * when it ends, so the calls within it come before it.
 *
 * What uimon's own beats cause does not belong into the tree. Where a beat is a mouse message, the
 * system sends WM_NCHITTEST before it is retrieved, and only then is it known whose move it is. So
 * what is counted from such a message on is held, and taken back when the move is a beat's. So is
 * what the handler of that move sends. This is done in the outermost loop alone, where nothing else
 * can be going on, and only for UM_CALLTRACE_HELD nodes and UM_CALLTRACE_HELD_EVENTS calls: if
 * there are more, or another thread's message comes in between, all of it stays.
 *
 * A reader starts at um_calltrace_entered. On the hot path. Freestanding: no C library.
 */
#ifndef UM_IPC_CALLTRACE_H
#define UM_IPC_CALLTRACE_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/plain/ring.h"
#include "ipc/wire.h"

#define UM_CALLTRACE_NODES 2048
#define UM_CALLTRACE_DEPTH 128 /* calls within one another */
#define UM_CALLTRACE_LEVEL 256 /* bytes of stack; a loop within a handler is 500 or more away */
#define UM_CALLTRACE_CLASSES 256
#define UM_CALLTRACE_CLASS_UNITS 64 /* of UTF-16, with the NUL */
#define UM_CALLTRACE_HELD 16
#define UM_CALLTRACE_HELD_EVENTS 32
#define UM_CALLTRACE_ROOT 0u
#define UM_CALLTRACE_OTHER 1u

/* What distinguishes calls within the same parent. */
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
    uint32_t age_ms; /* how long ago a retrieved message was posted; UM_WIRE_AGE_UNKNOWN */
};

/* What is known of a node's calls. Units: ticks and cycles. */
struct um_calltrace_values {
    uint64_t count;
    uint64_t ended; /* calls whose end was seen; the three times below are theirs */
    uint64_t loose; /* of these, calls that ended at a retrieval which may have waited */
    uint64_t wall;
    uint64_t self; /* `wall` without the calls within */
    uint64_t cpu;
};

#define UM_CALLTRACE_VALUES 6

/* All below is private to calltrace.c. Only what does not change any more may be read: `parent` and
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
    uint32_t serial;         /* of a retrieved one */
    uint32_t age_ms;         /* the same; else UM_WIRE_AGE_UNKNOWN */
    uint8_t by_other_thread; /* of a sent one */
    uint8_t kind;            /* enum um_trace_kind */
    uint8_t marker_is_out;   /* of a retrieved one: its marker is in the queue */
};

/* What was counted since `holds` was set. */
struct um_calltrace_held {
    uint8_t holds; /* 1: until the next retrieval tells whose it is; 2: it is a beat's */
    uint32_t count;
    uint32_t event_count;
    uint32_t nodes[UM_CALLTRACE_HELD];
    uint64_t values[UM_CALLTRACE_HELD][UM_CALLTRACE_VALUES];
    struct um_ring_record events[UM_CALLTRACE_HELD_EVENTS];
};

struct um_calltrace_class {
    uint16_t atom; /* 0: the slot is free */
    uint16_t name[UM_CALLTRACE_CLASS_UNITS];
};

struct um_calltrace {
    struct um_calltrace_node nodes[UM_CALLTRACE_NODES];
    _Atomic uint32_t count;  /* of nodes that are whole */
    _Atomic uint64_t deeper; /* calls that were too deep to be counted in a node */
    uint32_t depth;
    uint32_t skipped; /* open calls below the deepest that is kept */
    uint32_t others;  /* open calls of UM_CALLTRACE_OTHER */
    uint32_t serial;
    uint32_t class_count;
    _Atomic(struct um_ring *) events; /* gets each call that has ended; NULL: none does */
    struct um_calltrace_held held;
    _Atomic uint64_t events_from; /* ticks: those that were shorter are left out */
    struct um_calltrace_open open[UM_CALLTRACE_DEPTH];
    struct um_calltrace_class classes[UM_CALLTRACE_CLASSES];
    uint16_t slots[2 * UM_CALLTRACE_NODES]; /* a hash table of nodes; 0: free */
};

/* A call that has ended. Units: ticks. */
struct um_calltrace_event {
    uint64_t begin, end;
    uint32_t node;
    uint32_t age_ms;
    int is_loose; /* it may have ended long before `end`, at a retrieval which waited */
    int by_other_thread;
};

/* Unpacks a record of the ring. */
static inline struct um_calltrace_event um_calltrace_event(const struct um_ring_record *record)
{
    return (struct um_calltrace_event){.begin = record->word[0],
                                       .end = record->word[1],
                                       .node = (uint32_t)record->word[2],
                                       .age_ms = (uint32_t)(record->word[2] >> 32),
                                       .is_loose = (record->word[3] & 1) != 0,
                                       .by_other_thread = (record->word[3] & 2) != 0};
}

/* Empties the tree. Leaves the two of the events as they are. Thread: neither writer nor reader may
 * be at it. */
void um_calltrace_init(struct um_calltrace *trace);

/* Forgets the calls that are open: they never get an end. Thread: the writer, as all that follows
 * but for the last two. */
void um_calltrace_forget(struct um_calltrace *trace);

/* The number of a window class; 0: there are too many. For a new class `*name` points to where the
 * caller has to write its name with a NUL, before it reports a call with it; else it is NULL. */
uint16_t um_calltrace_class(struct um_calltrace *trace, uint16_t atom, uint16_t **name);

/* A sent message is about to be handled. A message from another thread arrives while this thread
 * retrieves messages or waits, so it ends the calls retrieved before on the same level. A message
 * that the loop itself sends belongs to the last retrieved call, which may have been translated
 * into it. */
void um_calltrace_entered(struct um_calltrace *trace, const struct um_calltrace_what *what,
                          uint64_t window, int by_other_thread, const struct um_calltrace_at *at);

/* A sent message was handled; ignored if um_calltrace_entered was not called for it.
 * The result is as that of um_calltrace_retrieved. */
uint32_t um_calltrace_left(struct um_calltrace *trace, uint32_t message, uint64_t window,
                           const struct um_calltrace_at *at);

/* A message was retrieved. `what` is NULL for a message that ends earlier calls but is not counted.
 * Returns the serial number for a marker that the caller is to post, or 0 for none. */
uint32_t um_calltrace_retrieved(struct um_calltrace *trace, const struct um_calltrace_what *what,
                                const struct um_calltrace_at *at);

/* The move that a beat has become was retrieved: takes back what the system has sent for it. */
void um_calltrace_own_move(struct um_calltrace *trace, const struct um_calltrace_at *at);

/* The marker with that serial number was posted. */
void um_calltrace_posted(struct um_calltrace *trace, uint32_t serial);

/* The marker with that serial number was retrieved. */
void um_calltrace_marker(struct um_calltrace *trace, uint32_t serial,
                         const struct um_calltrace_at *at);

/* How many nodes there are, with the first two. Thread: any. */
uint32_t um_calltrace_count(const struct um_calltrace *trace);

/* Copies a node's values and their version, which changes with each change of a value. Returns 0 if
 * they are being written. Thread: the reader; never waits. */
int um_calltrace_read(const struct um_calltrace *trace, uint32_t node,
                      struct um_calltrace_values *values, uint32_t *version);

#endif
