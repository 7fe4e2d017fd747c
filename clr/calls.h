/* Counts and times calls of managed methods, each thread for itself: a tree of calls, or a count
 * for each method. The runtime calls um_calls_enter and um_calls_leave from every traced method
 * (stubs_x64.S, stubs_x86.S); the hook DLL reads what they write in place (hooks/methods_win32.c).
 *
 * A thread's open calls lie in an array of frames. Each knows the stack pointer that its caller had
 * at the call. So calls that an exception has ended are found without being told: a call whose
 * caller's stack pointer is not above that of a new call is over. Where a managed method handles
 * the exception, um_calls_catch is told: on x64 it is handled below the calls that are over, and on
 * x86 the stack pointer depends on what is pushed for a call.
 *
 * Memory is fixed, 16 MiB in all. A call for which the tree has no room is counted in `rest`. There
 * is room for UM_CALLS_THREADS threads. When that is used up, a new thread goes on with the tree of
 * one that has ended, which then stands for several threads. If none has ended, the thread's calls
 * are counted in `rest`.
 *
 * What a call without room calls itself is counted in `rest`, too. The time of a call that an
 * exception has ended is taken from its caller's own time up to when the end is found, and is in no
 * other number.
 *
 * Only a thread itself writes to its tree; whoever reads, by um_calls_read, sees numbers that are
 * at most one call apart. Freestanding and portable; the hot path does not allocate, lock or wait.
 * New methods, threads and nodes are made under a lock, for which nobody waits for long: its owner
 * may have been ended. Who does not get it counts the call in `rest`. A reader starts at
 * um_calls_enter.
 */
#ifndef UM_CLR_CALLS_H
#define UM_CLR_CALLS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/wire.h"

#define UM_CALLS_VARIABLE "uimon_calls_1" /* the profiler exports struct um_calls by this name */
#define UM_CALLS_MAGIC UINT64_C(0x31736c6c61636d75)
#define UM_CALLS_THREADS 128
#define UM_CALLS_FRAMES 2048  /* open calls of a thread */
#define UM_CALLS_METHODS 8192 /* numbers of methods are below that */
#define UM_CALLS_NAME_BYTES UM_WIRE_METHOD_NAME_BYTES
#define UM_CALLS_TEXT_BYTES (1536 * 1024)    /* all names together */
#define UM_CALLS_REST (UM_CALLS_METHODS - 1) /* the method that stands for those without room */
#define UM_CALLS_OUTERMOST UINT64_MAX /* the `sp` of a thread's first frame, which is no call */
#define UM_CALLS_CPU_FRESH                                                                         \
    (UINT64_C(1) << 21) /* cycles: a CPU time of a thread is good for so long */
#define UM_CALLS_CPU_LONG (UINT64_C(1) << 27) /* cycles: a shorter call has no CPU time */
#define UM_CALLS_ALONE (UINT64_C(1) << 38)    /* cycles: one or two minutes */
#define UM_CALLS_KNOWN 16384                  /* functions, at most half of them used */
#define UM_CALLS_OTHERS 2048
#define UM_CALLS_OTHER_BYTES (128 * 1024)

/* The calls of a method from one caller, on one thread. The stubs know the layout of this struct
 * and of the next two. */
struct um_calls_node {
    uint64_t count, ended; /* calls, and those of them that have ended */
    uint64_t wall, self;   /* of those that have ended; cycles */
    uint64_t cpu_ns;       /* of outermost calls that took at least UM_CALLS_CPU_LONG */
    struct um_calls_node
        *hot;             /* the node within that was entered last; at first that of number 0 */
    uint32_t first, next; /* nodes within, and with the same parent; 0: no more */
    uint32_t parent;      /* 0: a thread's outermost calls */
    uint32_t method;
    uint32_t thread; /* the index of its thread */
    uint64_t sent;   /* of the reader: `count` + `ended` when it last looked */
};

struct um_calls_frame {
    struct um_calls_node *node; /* of the first frame: the root of its thread */
    uint64_t begin;             /* cycles */
    uint64_t within;            /* cycles in calls within that have ended */
    uint64_t sp;                /* the caller's stack pointer at the call */
};

struct um_calls_thread {
    struct um_calls_frame *top;
    struct um_calls_frame *last; /* of `frames` */
    uint64_t round;              /* of `calls` when its frames were last emptied */
    uint64_t cpu_due;            /* when its CPU time is to be read again; cycles */
    uint64_t deeper;             /* calls without a frame or a node */
    uint64_t cpu_ns;             /* what it was */
    uint32_t id;                 /* of the system; 0: several threads one after another */
    _Atomic uint32_t state;      /* enum um_calls_state */
    struct um_calls_node root;
    union {
        struct um_calls_frame frames[UM_CALLS_FRAMES];
        uint64_t counts[UM_CALLS_METHODS]; /* with UM_METHODS_DEPTH_COUNTS */
    };
};

enum um_calls_state { UM_CALLS_FREE, UM_CALLS_RUNS, UM_CALLS_ENDED };

struct um_calls_method {
    uint32_t module; /* where its texts lie in `text`; 0: it has none */
    uint32_t name;
};

/* A function of the runtime's, which is compiled more than once. */
struct um_calls_known {
    uint64_t function; /* 0: none */
    uint32_t number;
};

struct um_calls_head {
    uint64_t magic; /* UM_CALLS_MAGIC, when everything else is there */
    uint32_t bytes; /* of struct um_calls */
    uint32_t depth; /* enum um_methods_depth */
};

/* All that the profiler shares with the hook DLL. */
struct um_calls {
    _Alignas(64) struct um_calls_head head;
    _Atomic uint64_t
        round;       /* 0: calls are not recorded; else another number each time that they are */
    uint64_t rounds; /* of the reader: the last number */
    uint64_t since_ticks;        /* of the reader: since when `round` is what it is; QPC */
    uint64_t traced_ticks;       /* of the reader: how long it was not 0 before */
    uint64_t begin_cycles;       /* when um_calls_init was called */
    _Atomic uint32_t has_reader; /* a reader has come */
    _Atomic uint32_t is_alone;   /* none came for so long that nothing is recorded any more */
    /* The stubs read what stands before, and what follows changes often. */
    _Alignas(64) _Atomic uint64_t rest; /* calls of threads without room */
    _Atomic uint32_t method_count;      /* one more than the greatest number */
    _Atomic uint32_t node_count;        /* one more than the greatest number */
    _Atomic uint32_t thread_count;      /* of `threads` */
    _Atomic uint32_t threads_seen;      /* threads that have called a method */
    _Atomic uint32_t dynamic_count; /* methods without a name because they were made at run time */
    _Atomic uint32_t left_out;      /* methods for which UM_CALLS_REST stands */
    _Atomic uint32_t ended_count;   /* threads whose trees nobody has taken over */
    _Atomic uint32_t lock;
    _Atomic uint32_t is_stuck; /* somebody waited in vain for the lock; no one else waits */
    _Atomic uint32_t text_used;
    _Atomic uint32_t unseen;      /* bit i: no method so far is in `entries`[i] */
    _Atomic uint32_t other_count; /* of `others` */
    _Atomic uint32_t other_bytes; /* their texts together */
    uint32_t entry_count;         /* of `entries` */
    uint64_t missed_ticks;        /* of the reader: how long `round` was 0 between two rounds */
    void (*yield)(void);
    struct um_calls_known known[UM_CALLS_KNOWN]; /* a hash table */
    uint32_t entries[UM_WIRE_METHOD_ENTRIES];    /* of the list of what is traced; in `text` */
    uint32_t others[UM_CALLS_OTHERS];            /* names that are not traced; in `text` */
    uint16_t other_slots[2 * UM_CALLS_OTHERS]; /* a hash table: one more than the place in these */
    struct um_calls_method methods[UM_CALLS_METHODS];
    struct um_calls_node nodes[UM_WIRE_METHOD_NODES];
    struct um_calls_thread threads[UM_CALLS_THREADS];
    char text[UM_CALLS_TEXT_BYTES];
};

/* Must be called once, before all others; `calls` is zeroed. Calls are recorded from now on.
 * `yield` lets another thread run. */
void um_calls_init(struct um_calls *calls, enum um_methods_depth depth, uint64_t now_ticks,
                   uint64_t now_cycles, void (*yield)(void));

/* Adds a method, or finds it: the same function with the same name. Its texts may be empty. Returns
 * its number; UM_CALLS_REST if there is no room for another one, or for its texts. Thread: any. */
uint32_t um_calls_add(struct um_calls *calls, uint64_t function, const char *module,
                      const char *name);

/* Adds an entry of the list of what is traced, in the order of the list; no method is in it so far.
 * Those beyond UM_WIRE_METHOD_ENTRIES and those without room are left out. Thread: one at a time,
 * before any method is added. */
void um_calls_add_entry(struct um_calls *calls, const char *entry, size_t len_bytes);

/* A method is in these entries. Thread: any. */
void um_calls_found(struct um_calls *calls, uint32_t entries);

/* Notes a name of the program's that is not traced, once, and if there is room: what an entry that
 * no method is in may have meant. Thread: any. */
void um_calls_add_other(struct um_calls *calls, const char *name);

/* The record of a thread that enters a traced method for the first time; NULL if there is no room.
 * Thread: that one, whose number is `id`. */
struct um_calls_thread *um_calls_begin_thread(struct um_calls *calls, uint32_t id);

/* The thread ends. Thread: that one. */
void um_calls_end_thread(struct um_calls *calls, struct um_calls_thread *thread);

typedef uint64_t um_calls_cpu(void); /* the thread's CPU time; ns */

/* A call begins and ends. The stubs do the same by themselves where nothing is new, and call these
 * elsewhere. `sp` is the caller's stack pointer at the call. Thread: that of the record. */
void um_calls_enter(struct um_calls *calls, struct um_calls_thread *thread, uint32_t method,
                    uint64_t sp, uint64_t cycles, um_calls_cpu *cpu);
void um_calls_leave(struct um_calls *calls, struct um_calls_thread *thread, uint64_t sp,
                    uint64_t cycles, um_calls_cpu *cpu);

/* A method handles an exception. That has ended the calls that were within it; `sp` is its own
 * stack pointer, or between that and its caller's at its call. Thread: that of the record. */
void um_calls_catch(struct um_calls_thread *thread, uint64_t sp, uint64_t cycles);

/* A number that its thread writes while another one reads it. On x86 it is two words, which change
 * one after the other unless they are written at once. */
static inline uint64_t um_calls_read(const uint64_t *number)
{
    return atomic_load_explicit((const _Atomic uint64_t *)number, memory_order_relaxed);
}

static inline void um_calls_add_to(uint64_t *number, uint64_t more)
{
    atomic_store_explicit((_Atomic uint64_t *)number, *number + more, memory_order_relaxed);
}

/* Whether calls are to be recorded from now on. Thread: the reader's. */
static inline void um_calls_record(struct um_calls *calls, int wanted, uint64_t now_ticks)
{
    int are = atomic_load(&calls->round) != 0;
    if ((wanted != 0) == are)
        return;
    if (are)
        calls->traced_ticks += now_ticks - calls->since_ticks;
    else if (calls->rounds > 0)
        calls->missed_ticks += now_ticks - calls->since_ticks;
    calls->since_ticks = now_ticks;
    atomic_store(&calls->round, are ? 0 : ++calls->rounds);
}

/* Ends recording if no reader has come within UM_CALLS_ALONE cycles of the begin: the program was
 * started to be traced, but nobody traces it. Thread: any. */
static inline void um_calls_look_for_reader(struct um_calls *calls, uint64_t now_ticks,
                                            uint64_t now_cycles)
{
    if (now_cycles - calls->begin_cycles > UM_CALLS_ALONE && !atomic_load(&calls->has_reader) &&
        !atomic_exchange(&calls->is_alone, 1))
        um_calls_record(calls, 0, now_ticks);
}

#endif
