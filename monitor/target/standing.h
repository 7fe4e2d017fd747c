/* Resumes threads of the target that a helper left suspended. The helper suspends all of them while
 * it writes a minidump, and may crash or be killed before it resumes them. The hook DLL cannot do
 * this, because its own thread is suspended too.
 *
 * A thread that is suspended is said to stand. Threads that stood before the helper was started are
 * left alone, and so are those that stand for a moment only (base/plain/looks.h). A reader starts
 * at um_standing_open. Portable, with a source for the system (standing_win32.c). Not on the hot
 * path. One thread at a time.
 */
#ifndef UM_MONITOR_STANDING_H
#define UM_MONITOR_STANDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"

#define UM_STANDING_MOST 4096 /* threads */

/* A thread that stands, and how often it was suspended. */
struct um_standing_thread {
    uint32_t tid;
    uint32_t count;
};

/* The system's functions. */
struct um_standing_source {
    void *context;
    /* Lists the threads of the process that stand, at most `cap`, and returns how many. */
    size_t (*list)(void *context, struct um_standing_thread *list, size_t cap);
    /* Undoes one suspension of a thread. */
    void (*resume)(void *context, uint32_t tid);
    void (*pause)(void *context, uint32_t ms);
    /* Releases the context. */
    void (*close)(void *context);
};

struct um_standing;

/* The source for a process. Owner: um_standing_close. Errors: UM_ERR_MEMORY. */
enum um_status um_standing_system(uint32_t pid, struct um_standing_source *source);

/* Notes which threads stand already. Takes the source over, even if it fails.
 * Owner: um_standing_close. Thread: as um_standing_any. Errors: UM_ERR_MEMORY. */
enum um_status um_standing_open(const struct um_standing_source *source,
                                struct um_standing **standing);

/* Whether a thread stands at each of UM_LOOKS looks, and was not suspended before, or less often.
 * Thread: blocks for a quarter of a second if one does. */
bool um_standing_any(struct um_standing *standing);

/* Undoes one suspension of each such thread, and returns how many there are. Thread: as
 * um_standing_any. */
size_t um_standing_resume(struct um_standing *standing);

/* Accepts NULL. */
void um_standing_close(struct um_standing *standing);

#endif
