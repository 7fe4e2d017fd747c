/* For whom a thread waits: whoever holds the critical section that it wants to enter, or is to
 * answer the message that it has sent.
 *
 * The innermost functions of its stack say in which call of the system's it waits. The argument of
 * that call is mostly still in a register, in the part of the stack between the wait and its
 * caller, or else in what the caller keeps. So each word there is a candidate. It is looked at
 * after the thread has been resumed, and counts only if the system confirms all that can be asked
 * of it, and if no other candidate does so too.
 * A reader starts at um_blocker_find. Portable, with the backend in blocker_win32.c; not on the hot
 * path. Thread: one at a time.
 */
#ifndef UM_MONITOR_BLOCKER_H
#define UM_MONITOR_BLOCKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/wire.h"
#include "monitor/sample/unwind.h"

#define UM_BLOCKER_CALLS 12      /* the call is among so many innermost frames, or it is none */
#define UM_BLOCKER_BYTES 4096    /* at most so much of the stack is looked at */
#define UM_BLOCKER_LOOKS 192     /* at most so many candidates are looked at, for one wait */
#define UM_BLOCKER_LOCK_BYTES 40 /* of an RTL_CRITICAL_SECTION of 64 bits */

/* Who is waited for. Zeroed: not known. */
struct um_blocker {
    uint8_t kind; /* enum um_wire_wait_kind */
    uint32_t thread;
    uint32_t process;
    char object[128];       /* as in um_wire_wait */
    char process_name[128]; /* likewise */
};

enum um_blocker_call { UM_BLOCKER_NO_CALL = 0, UM_BLOCKER_ENTER = 1, UM_BLOCKER_SEND = 2 };

/* What has to be asked of the system. None is called while the thread is stopped. */
struct um_blocker_source {
    void *context;
    /* Whether the function of a frame, by its place among the frames, is one that waits for others;
     * `is_system` says whether it is the system's at all. */
    enum um_blocker_call (*call)(void *context, size_t frame, bool *is_system);
    bool (*read)(void *context, uint64_t address, void *bytes, size_t len);
    /* Whether there is such a thread in the process. */
    bool (*is_thread)(void *context, uint32_t tid);
    /* Fills in who has the window, unless there is none or it is the thread's own. */
    bool (*window)(void *context, uint32_t window, struct um_blocker *blocker);
    /* Fills in for whom the thread waits, if the system itself can say so. */
    bool (*chain)(void *context, struct um_blocker *blocker);
};

/* The thread that waits. */
struct um_blocker_wait {
    uint32_t process;
    uint32_t thread;
    const struct um_unwind_registers *registers;
    const struct um_unwind_stack *stack;
    const struct um_unwind_frame *frames; /* as walked from these, innermost first */
    size_t frame_count;
};

/* Candidates that were looked at before in the same call, and are none. Zeroed: there are none.
 * Private to blocker.c. */
struct um_blocker_known {
    uint64_t pc, sp; /* of that call's caller */
    uint64_t rejected[UM_BLOCKER_LOOKS];
    size_t count;
};

/* Finds for whom the thread waits. False, and `blocker` untouched, if that cannot be known. */
bool um_blocker_find(const struct um_blocker_source *source, const struct um_blocker_wait *wait,
                     struct um_blocker_known *known, struct um_blocker *blocker);

/* The id of the thread that has entered a critical section for which another one waits, by what is
 * in it; 0: this is none. Known are Wine's, and those of Windows since Vista.
 * Source: "Displaying a critical section", Microsoft Learn, for the bits of LockCount. */
uint32_t um_blocker_owner(const uint8_t bytes[UM_BLOCKER_LOCK_BYTES]);

#endif
