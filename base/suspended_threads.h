/* Resumes threads of a program that a writer of its minidump left suspended. The writer suspends
 * all of them, and may hang, crash or be killed before it resumes them. The hook DLL cannot do
 * this, because its own thread is suspended too. So the monitor does it, and the writer itself, if
 * the monitor is gone.
 *
 * Threads that were suspended before the writer began are left alone, and so are those that are
 * suspended for a moment only (base/plain/suspended_polls.h). A reader starts at
 * um_suspended_threads_open. Portable, with a source for the system (suspended_threads_win32.c).
 * Not on the hot path. One thread at a time.
 */
#ifndef UM_BASE_SUSPENDED_THREADS_H
#define UM_BASE_SUSPENDED_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"

#define UM_SUSPENDED_MOST 4096 /* threads */

/* A thread, and how often it is suspended. */
struct um_suspended_thread {
    uint32_t tid;
    uint32_t count;
};

/* The system's functions. */
struct um_suspended_source {
    void *context;
    /* Lists the suspended threads of the process, at most `cap`, and returns how many. */
    size_t (*list)(void *context, struct um_suspended_thread *list, size_t cap);
    /* Undoes one suspension of a thread. */
    void (*resume)(void *context, uint32_t tid);
    void (*pause)(void *context, uint32_t ms);
    /* Releases the context. */
    void (*close)(void *context);
};

struct um_suspended_threads;

/* The source for a process. Owner: um_suspended_threads_close. Errors: UM_ERR_MEMORY. */
enum um_status um_suspended_threads_system(uint32_t pid, struct um_suspended_source *source);

/* Notes which threads are suspended already. Takes the source over, even if it fails.
 * Owner: um_suspended_threads_close. Thread: as um_suspended_threads_any. Errors: UM_ERR_MEMORY. */
enum um_status um_suspended_threads_open(const struct um_suspended_source *source,
                                         struct um_suspended_threads **suspended);

/* Whether a thread is suspended at each of UM_SUSPENDED_POLLS polls, and was not before, or less
 * often. Thread: blocks for a quarter of a second if one is. */
bool um_suspended_threads_any(struct um_suspended_threads *suspended);

/* Undoes one suspension of each such thread, and returns how many there are. Thread: as
 * um_suspended_threads_any. */
size_t um_suspended_threads_resume(struct um_suspended_threads *suspended);

/* Accepts NULL. */
void um_suspended_threads_close(struct um_suspended_threads *suspended);

#endif
