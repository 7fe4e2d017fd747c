/* What the system knows of a waiting thread: the calls that wait, threads, windows, and on Windows
 * its wait chains (Wait Chain Traversal).
 *
 * Backend: waits_win32.c. It sends no message and enters no lock of the target's. blocker.h uses
 * it. Thread: one at a time, never while it has a thread stopped.
 */
#ifndef UM_MONITOR_WAITS_H
#define UM_MONITOR_WAITS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "monitor/sample/blocker.h"

struct um_waits;

struct um_waits_backend {
    /* For a thread of a process. Owner: close. Errors: UM_ERR_MEMORY. */
    enum um_status (*open)(uint32_t pid, uint32_t tid, struct um_waits **waits);

    /* Accepts NULL. */
    void (*close)(struct um_waits *waits);

    /* Whether a module, by its file's name, is a system DLL whose functions wait. */
    bool (*is_system)(const char *module);

    /* Which call a function of such a module is, by where it begins in it. The module must be the
     * same file as in this process: `timestamp` is that of its header. */
    enum um_blocker_call (*call)(const struct um_waits *waits, const char *module,
                                 uint32_t timestamp, uint64_t begin_rva);

    /* The next three: as in um_blocker_source. Thread: chain blocks for some ms on Windows, and
     * asks anew only after 100 ms. */
    bool (*is_thread)(const struct um_waits *waits, uint32_t tid);
    bool (*window)(const struct um_waits *waits, uint32_t window, struct um_blocker *blocker);
    bool (*chain)(struct um_waits *waits, struct um_blocker *blocker);

    /* The thread waits anew: forgets the last answer of chain. */
    void (*forget)(struct um_waits *waits);
};

extern const struct um_waits_backend *um_waits; /* the system's, or a test's own */

#endif
