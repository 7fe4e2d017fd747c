/* Finds the blocker: the thread for which another one waits. It holds the critical section that
 * the other one wants to enter, or is to answer the message that it has sent.
 *
 * The innermost functions of the stack show in which system call the thread waits. The argument of
 * that call is mostly still in a register, in the part of the stack between the wait and its
 * caller, or else in the caller's own frame. So each word there is a candidate. It is checked after
 * the thread has been resumed, and counts only if the system confirms all that can be asked of it,
 * and no other candidate does so too.
 * A reader starts at um_blocker_find. Portable: it asks the system through
 * struct um_blocker_source. Not on the hot path. Thread: one at a time.
 */
#ifndef UM_MONITOR_BLOCKER_H
#define UM_MONITOR_BLOCKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/wire.h"
#include "monitor/sample/unwind.h"

#define UM_BLOCKER_CALLS 12      /* innermost frames that are searched for the call */
#define UM_BLOCKER_BYTES 4096    /* bytes of the stack that are searched at most */
#define UM_BLOCKER_LOOKS 192     /* candidates of one wait that are checked at most */
#define UM_BLOCKER_LOCK_BYTES 40 /* of an RTL_CRITICAL_SECTION of 64 bits */

/* Who is waited for. Zeroed: not known. */
struct um_blocker {
    uint8_t kind; /* enum um_wire_wait_kind */
    uint32_t thread;
    uint32_t process;
    char object[128];       /* as in um_wire_wait */
    char process_name[128]; /* the same */
};

enum um_blocker_call { UM_BLOCKER_NO_CALL = 0, UM_BLOCKER_ENTER = 1, UM_BLOCKER_SEND = 2 };

/* What has to be asked of the system. None is called while the thread is stopped. */
struct um_blocker_source {
    void *context;
    /* Which waiting call the function of a frame is, by its index; `is_system` says whether it is
     * the system's at all. */
    enum um_blocker_call (*call)(void *context, size_t frame, bool *is_system);
    bool (*read)(void *context, uint64_t address, void *bytes, size_t len);
    /* Whether there is such a thread in the process. */
    bool (*is_thread)(void *context, uint32_t tid);
    /* Fills in the owner of the window; false if there is none, or it is the thread itself. */
    bool (*window)(void *context, uint32_t window, struct um_blocker *blocker);
    /* Fills in for whom the thread waits, if the system itself knows. */
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

/* Candidates that were rejected before in the same call. Zeroed: there are none.
 * Private to blocker.c. */
struct um_blocker_known {
    uint64_t pc, sp; /* of that call's caller */
    uint64_t rejected[UM_BLOCKER_LOOKS];
    size_t count;
};

/* Finds for whom the thread waits. False, and `blocker` untouched, if that cannot be found out. */
bool um_blocker_find(const struct um_blocker_source *source, const struct um_blocker_wait *wait,
                     struct um_blocker_known *known, struct um_blocker *blocker);

/* The id of the thread that has entered a critical section for which another one waits, from the
 * section's bytes; 0: these are none. It knows Wine's, and those of Windows since Vista.
 * Source: "Displaying a critical section", Microsoft Learn, for the bits of LockCount. */
uint32_t um_blocker_owner(const uint8_t bytes[UM_BLOCKER_LOCK_BYTES]);

#endif
