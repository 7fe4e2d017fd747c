/* The threads of the target that stand because of a program that wrote its minidump: they are
 * resumed if that program has ended, or was ended, before it resumed them itself. On Windows the
 * hook DLL's own thread is among them, so the DLL cannot do it.
 *
 * What stood before that program was started is left alone, and so is what stands for moments only
 * (ipc/looks.h). A reader starts at um_standing_open. Portable, with a source for the system
 * (standing_win32.c). Not on the hot path. One thread at a time.
 */
#ifndef UM_MONITOR_STANDING_H
#define UM_MONITOR_STANDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/status.h"

#define UM_STANDING_MOST 4096 /* threads */

/* A thread that is suspended, and how often. */
struct um_standing_thread {
    uint32_t tid;
    uint32_t count;
};

/* What is asked of the system. */
struct um_standing_source {
    void *context;
    /* Lists the threads of the process that are suspended, at most `cap`; how many there are. */
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

/* Notes what stands now, and at some looks more: it blocks for a quarter of a second if something
 * does. Takes the source over, even if it fails. Owner: um_standing_close. Errors:
 * UM_ERR_MEMORY. */
enum um_status um_standing_open(const struct um_standing_source *source,
                                struct um_standing **standing);

/* Whether a thread that did not stand before, or less often, stands at every look. Thread: blocks
 * for a quarter of a second if one does. */
bool um_standing_any(struct um_standing *standing);

/* Undoes one suspension of each such thread; returns of how many. Thread: as um_standing_any. */
size_t um_standing_resume(struct um_standing *standing);

/* Accepts NULL. */
void um_standing_close(struct um_standing *standing);

#endif
