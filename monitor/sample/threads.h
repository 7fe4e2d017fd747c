/* The threads of the target that are sampled besides its UI thread: which they are, and whose turn
 * it is.
 *
 * The hook DLL must know a thread before it is stopped for the first time, so that it can resume it
 * if the monitor dies in that moment. So each thread that is added or dropped makes a change. The
 * watch thread takes it (um_threads_change) and sends it to the DLL, and the thread's turn does not
 * come before. uimon's own threads in the target are left out. A reader starts at um_threads_next.
 *
 * Thread: the sampling thread, but for um_threads_change.
 */
#ifndef UM_MONITOR_THREADS_H
#define UM_MONITOR_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/thread.h"
#include "monitor/sample/stopper.h"

#define UM_THREADS_MOST 250
#define UM_THREADS_CHANGES 512

/* What is known of a thread from its last sample. Zeroed: there was none. */
struct um_threads_clock {
    uint64_t last_ns;   /* when it was taken */
    uint64_t paused_ns; /* the sampler's pauses until then, in all */
    uint64_t user_ns, kernel_ns;
    uint32_t absence;
    bool has_times; /* user_ns and kernel_ns are known */
};

struct um_threads_entry {
    uint32_t tid;
    struct um_stopper_thread *thread;
    struct um_threads_clock clock;
    bool is_named;    /* a sample had its name */
    uint64_t changes; /* how many changes must be sent before its turn */
};

/* Whether code is uimon's own. */
typedef bool um_threads_is_ours(void *context, uint64_t address);

/* Private to threads.c. */
struct um_threads {
    struct um_stopper *stopper;
    um_threads_is_ours *is_ours;
    void *context;
    uint32_t ui_tid;
    struct um_threads_entry list[UM_THREADS_MOST];
    size_t count;
    size_t turn;

    struct um_thread_mutex mutex; /* guards what follows */
    struct {
        uint32_t tid;
        bool comes;
    } changes[UM_THREADS_CHANGES]; /* a ring */
    uint64_t made, taken, sent;    /* how many in all */
};

/* Owner: um_threads_deinit, before the stopper is closed. */
void um_threads_init(struct um_threads *threads, struct um_stopper *stopper, uint32_t ui_tid,
                     um_threads_is_ours *is_ours, void *context);

/* Accepts zeroed ones. */
void um_threads_deinit(struct um_threads *threads);

/* Drops all threads but these, and adds those that are new. More than UM_THREADS_MOST are left
 * out. */
void um_threads_keep(struct um_threads *threads, const uint32_t *tids, size_t count);

/* Adds a thread, unless it is there, or is the UI thread or uimon's own. */
void um_threads_add(struct um_threads *threads, uint32_t tid);

void um_threads_drop(struct um_threads *threads, struct um_threads_entry *entry);

/* The thread whose turn it is; NULL: there is none that may be stopped.
 * Owner: the list, until it changes. */
struct um_threads_entry *um_threads_next(struct um_threads *threads);

/* Takes the next change, to send it to the DLL: whether a thread may be stopped from now on. The
 * next call means that it was sent. False: there is none. Thread: any one. */
bool um_threads_change(struct um_threads *threads, uint32_t *tid, bool *comes);

#endif
