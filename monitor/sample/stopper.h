/* Stops a thread of another process for a moment, to copy its registers and its stack.
 *
 * Backend: stopper_win32.c. Between the stop and the resumption it allocates nothing, takes no lock
 * and prints nothing: the thread that is stopped may hold any lock of its process, but none of
 * ours. A reader starts at um_stopper_take. One thread at a time.
 */
#ifndef UM_MONITOR_STOPPER_H
#define UM_MONITOR_STOPPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/claim.h"
#include "ipc/status.h"
#include "monitor/sample/unwind.h"

#define UM_STOPPER_STACK_BYTES (256 * 1024) /* at most so much of a stack is copied */
#define UM_STOPPER_NAME_BYTES 64

struct um_stopper;
struct um_stopper_thread; /* one more thread of the same process */

struct um_stopper_module {
    uint64_t base;
    uint32_t image_bytes;
    char name[UM_STOPPER_NAME_BYTES]; /* "user32.dll", as the system writes it; UTF-8 */
};

struct um_stopper_sample {
    uint64_t time_ns;      /* just before the thread was stopped */
    uint64_t suspended_ns; /* from then until it had been resumed: at least as long as it stood;
                            * where the hook DLL has resumed it, UM_CLAIM_MOST_NS, which is less */
    uint64_t lost_ns;      /* what a thread that ran lost by it: so long too, or longer */
    bool stood;            /* somebody else had stopped it before, and it still stands */
    struct um_unwind_registers registers;
    struct um_unwind_stack stack; /* empty if rsp lies outside of the thread's own stack */
    const struct um_unwind_registers *callers; /* for um_unwind_callers: where Wine called back */
    size_t caller_count;
};

/* Opens a thread of a 64-bit process, with the rights to suspend it, to read its registers and to
 * read the process's memory, and no others.
 * Owner: um_stopper_close. Errors: UM_ERR_DENIED the system refuses that; UM_ERR_NOT_FOUND there is
 * no such thread in that process; UM_ERR_UNSUPPORTED it is no x64 process; UM_ERR_MEMORY. */
enum um_status um_stopper_open(uint32_t pid, uint32_t tid, struct um_stopper **stopper);

/* From now on the threads are claimed while they are stopped (ipc/claim.h), if the hook DLL with
 * this nonce has memory for that. Call it once. */
void um_stopper_claim(struct um_stopper *stopper, const uint8_t nonce[16]);

/* Accepts NULL. */
void um_stopper_close(struct um_stopper *stopper);

/* Opens one more thread. Owner: um_stopper_thread_close, before um_stopper_close. Errors: as
 * um_stopper_open. */
enum um_status um_stopper_thread_open(struct um_stopper *stopper, uint32_t tid,
                                      struct um_stopper_thread **thread);

/* Accepts NULL. */
void um_stopper_thread_close(struct um_stopper_thread *thread);

/* Where the thread began to run; 0: not known. */
uint64_t um_stopper_thread_start(const struct um_stopper_thread *thread);

/* What its program calls the thread, UTF-8; false if it has no name or the system does not say. */
bool um_stopper_thread_name(const struct um_stopper_thread *thread, char *name, size_t cap);

/* Chooses of which thread um_stopper_take and um_stopper_times are from now on. NULL: that of
 * um_stopper_open, which it is at first. */
void um_stopper_choose(struct um_stopper *stopper, struct um_stopper_thread *thread);

/* Lists the ids of the process's threads, at most `cap`, and returns how many were written.
 * Thread: blocks for some ms, because the system lists those of all processes. */
size_t um_stopper_threads(struct um_stopper *stopper, uint32_t *tids, size_t cap);

/* Takes one sample. Owner: the stopper's, of the stack's bytes and `callers`, until the next call.
 * Thread: blocks until the system has stopped the other one, some 0.1 to 1 ms.
 * Errors: UM_ERR_CLOSED the thread has ended; UM_ERR_DENIED the system refuses to suspend it;
 * UM_ERR_BUSY the same, because it is suspended as often as that goes; UM_ERR_IO the system gives
 * no registers. In no case does uimon keep it suspended, and `sample` has the first four fields. */
enum um_status um_stopper_take(struct um_stopper *stopper, struct um_stopper_sample *sample);

/* How long the thread has run in all, in user and in kernel mode, as the system counts it. Windows
 * counts in ticks of the clock, so of a short time it says little. False: it does not say. */
bool um_stopper_times(struct um_stopper *stopper, uint64_t *user_ns, uint64_t *kernel_ns);

/* The path of the file of a module, UTF-8; false if the module is gone or `cap` is too small. */
bool um_stopper_path(struct um_stopper *stopper, uint64_t base, char *path, size_t cap);

/* Reads the process's memory, all of it or false. Not while the thread is stopped. */
bool um_stopper_read(struct um_stopper *stopper, uint64_t address, void *bytes, size_t len);

/* Whether a module was mapped there, which may be one that um_stopper_modules does not list yet. */
bool um_stopper_is_module(struct um_stopper *stopper, uint64_t address);

/* Whether code that belongs to no file may lie at an address: memory that can be executed, and that
 * no module was mapped into. `begin` and `end` get the range around it of which that holds. */
bool um_stopper_is_code(struct um_stopper *stopper, uint64_t address, uint64_t *begin,
                        uint64_t *end);

/* Lists the process's modules, at most `cap`, and returns how many were written.
 * Thread: blocks for some ms. */
size_t um_stopper_modules(struct um_stopper *stopper, struct um_stopper_module *list, size_t cap);

#endif
