/* Threads, mutexes and condition variables: only what uimon needs of them.
 *
 * Backends: thread_posix.c (pthreads) and thread_win32.c (SRW locks and condition variables). A
 * zeroed mutex or condition variable is ready and has nothing to release, so that either can be a
 * static variable. Not on the hot path, and not for the hook DLL.
 */
#ifndef UM_BASE_THREAD_H
#define UM_BASE_THREAD_H

#include <stdint.h>

#include "base/plain/status.h"

#define UM_THREAD_FOREVER_NS UINT64_MAX

/* Not to be copied or moved once it was used. */
struct um_thread_mutex {
    uint64_t words[8];
};

/* Not to be copied or moved once it was used. */
struct um_thread_cond {
    uint64_t words[8];
};

/* A zeroed struct is no thread. One that was started must not be moved before um_thread_join. */
struct um_thread {
    void (*run)(void *context);
    void *context;
    uintptr_t handle;
    int started;
};

/* Starts a thread that runs `run(context)`.
 * Owner: um_thread_join. Errors: UM_ERR_MEMORY the system has no thread to give. */
enum um_status um_thread_start(void (*run)(void *context), void *context, struct um_thread *thread);

/* Waits until the thread is over and releases it; does nothing for a zeroed struct.
 * Thread: not the thread itself; blocks. */
void um_thread_join(struct um_thread *thread);

/* Raises the calling thread's priority, and makes it run at full speed on a battery: for threads
 * that stamp times, or suspend another one. Does nothing if the system does not allow it. */
void um_thread_set_high_priority(void);

/* Locks; not recursive. Thread: any; blocks. */
void um_thread_lock(struct um_thread_mutex *mutex);
void um_thread_unlock(struct um_thread_mutex *mutex);

/* Unlocks the mutex, waits until the condition is signalled, and locks the mutex again. It may also
 * return without a signal, so it must be called in a loop that checks what is waited for.
 * Units: `timeout_ns` from now, or UM_THREAD_FOREVER_NS; Windows rounds it up to ms.
 * Thread: holds the mutex; blocks. Errors: UM_ERR_TIMEOUT. */
enum um_status um_thread_wait(struct um_thread_cond *cond, struct um_thread_mutex *mutex,
                              uint64_t timeout_ns);

/* Wakes all waiting threads. Thread: any; never blocks. */
void um_thread_broadcast(struct um_thread_cond *cond);

#endif
