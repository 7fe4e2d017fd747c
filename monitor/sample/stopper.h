/* Stops a thread of another process for a moment, to copy its registers and its stack.
 *
 * Backend: stopper_win32.c. While the thread is stopped, it allocates nothing, takes no lock and
 * prints nothing. A reader starts at `take`. One thread at a time.
 */
#ifndef UM_MONITOR_STOPPER_H
#define UM_MONITOR_STOPPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/plain/clock.h"
#include "base/plain/status.h"
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
    uint64_t time_ns; /* just before the thread was stopped */
    /* From then until it had been resumed. If the hook DLL has resumed it: at most so long, which
     * is UM_SUSPEND_CLAIM_MOST_NS (ipc/suspend_claim.h). */
    uint64_t suspended_ns;
    uint64_t lost_ns;   /* how much time a running thread has lost; not less than suspended_ns */
    bool was_suspended; /* somebody else had stopped it before, and it is still stopped */
    struct um_unwind_registers registers; /* of a 32-bit process: of x86, the first eight */
    struct um_unwind_stack stack;         /* empty if rsp lies outside of the thread's own stack */
    bool has_end;                         /* it goes to the end of the thread's stack */
    const struct um_unwind_registers *callers; /* for um_unwind_callers */
    size_t caller_count;
};

/* How much time a running thread has lost that was suspended for so long.
 *
 * Under Wine it loses about three times as long: it is stopped by signals, its memory is read as by
 * a debugger, and Wine's server runs for all of that on the thread's own processor. `./run bench
 * profile` measures it. What is longer than Wine works for a sample is a time in which uimon did
 * not run: the thread loses that once. */
static inline uint64_t um_stopper_lost_ns(bool is_wine, uint64_t suspended_ns)
{
    const uint64_t wine_loss = 3;
    const uint64_t wine_works_ns = 10 * UM_CLOCK_NS_PER_MS;
    uint64_t work_ns = suspended_ns < wine_works_ns ? suspended_ns : wine_works_ns;
    return suspended_ns + (is_wine ? (wine_loss - 1) * work_ns : 0);
}

struct um_stopper_backend {
    /* Opens a thread of a process for x64 or x86, with the rights to suspend it, to read its
     * registers and to read the process's memory, and no others. Owner: close. Errors:
     * UM_ERR_DENIED the system refuses that; UM_ERR_NOT_FOUND there is no such thread in that
     * process; UM_ERR_UNSUPPORTED the system lacks what is needed; UM_ERR_MEMORY. */
    enum um_status (*open)(uint32_t pid, uint32_t tid, struct um_stopper **stopper);

    /* Whether the process is one of 32 bits. What the system runs for it in 64 bits (WOW64) is in
     * none of its samples and modules. */
    bool (*is_x86)(const struct um_stopper *stopper);

    /* From now on, claims threads while they are stopped (ipc/suspend_claim.h), if the hook DLL
     * with this nonce has memory for that. Call it once. */
    void (*claim)(struct um_stopper *stopper, const uint8_t nonce[16]);

    /* Accepts NULL. */
    void (*close)(struct um_stopper *stopper);

    /* Opens one more thread. Owner: thread_close, before close. Errors: as open. */
    enum um_status (*thread_open)(struct um_stopper *stopper, uint32_t tid,
                                  struct um_stopper_thread **thread);

    /* Accepts NULL. */
    void (*thread_close)(struct um_stopper_thread *thread);

    /* Where the thread began to run; 0: not known. */
    uint64_t (*thread_start)(const struct um_stopper_thread *thread);

    /* The thread's name, UTF-8; false if none is known. */
    bool (*thread_name)(const struct um_stopper_thread *thread, char *name, size_t cap);

    /* Chooses the thread of take and times from now on; NULL: that of open, as at first. */
    void (*choose)(struct um_stopper *stopper, struct um_stopper_thread *thread);

    /* Lists the ids of the process's threads, at most `cap`, and returns how many were written.
     * Thread: blocks for some ms, because the system lists those of all processes. */
    size_t (*threads)(struct um_stopper *stopper, uint32_t *tids, size_t cap);

    /* Takes one sample. Owner: the stopper's, of the stack's bytes and `callers`, until the next
     * call. Thread: blocks until the system has stopped the other one, some 0.1 to 1 ms. Errors:
     * UM_ERR_CLOSED the thread has ended; UM_ERR_DENIED the system refuses to suspend it;
     * UM_ERR_BUSY the same, because it is suspended as many times as Windows allows; UM_ERR_IO the
     * registers cannot be read. After an error the thread is not suspended either, and `sample` has
     * its first four fields. */
    enum um_status (*take)(struct um_stopper *stopper, struct um_stopper_sample *sample);

    /* How long the thread has run in all, in user and in kernel mode. Windows counts in ticks of
     * the clock, so this is not exact for short times. False: not known. */
    bool (*times)(struct um_stopper *stopper, uint64_t *user_ns, uint64_t *kernel_ns);

    /* The path of the file of a module, UTF-8; false if the module is gone or `cap` is too
     * small. */
    bool (*path)(struct um_stopper *stopper, uint64_t base, char *path, size_t cap);

    /* Reads the process's memory, all of it or false. Not while the thread is stopped. */
    bool (*read)(struct um_stopper *stopper, uint64_t address, void *bytes, size_t len);

    /* Whether a module is mapped there, even if `modules` does not list it yet. */
    bool (*is_module)(struct um_stopper *stopper, uint64_t address);

    /* Whether generated code may lie at an address: executable memory of no module. `begin` and
     * `end` get the range around it with the same answer. */
    bool (*is_code)(struct um_stopper *stopper, uint64_t address, uint64_t *begin, uint64_t *end);

    /* Lists the process's modules, at most `cap`, and returns how many were written.
     * Thread: blocks for some ms. */
    size_t (*modules)(struct um_stopper *stopper, struct um_stopper_module *list, size_t cap);
};

extern const struct um_stopper_backend *um_stopper; /* the system's, or a test's own */

#endif
