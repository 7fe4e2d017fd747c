/* What the system knows of those for whom a thread may wait: its calls that wait, threads, windows,
 * and where Windows has them the chains of its own (Wait Chain Traversal).
 *
 * Backend: waits_win32.c. It sends no message and enters no lock of the target's. A reader starts
 * at um_waits_call; blocker.h makes use of it. Thread: one at a time, never while it has a thread
 * stopped.
 */
#ifndef UM_MONITOR_WAITS_H
#define UM_MONITOR_WAITS_H

#include <stdbool.h>
#include <stdint.h>

#include "ipc/status.h"
#include "monitor/sample/blocker.h"

struct um_waits;

/* For a thread of a process. Owner: um_waits_close. Errors: UM_ERR_MEMORY. */
enum um_status um_waits_open(uint32_t pid, uint32_t tid, struct um_waits **waits);

/* Accepts NULL. */
void um_waits_close(struct um_waits *waits);

/* Whether a module, by its file's name, is one that waits for others on behalf of programs. */
bool um_waits_is_system(const char *module);

/* Which call a function of such a module is, by where it begins in it. The module has to be the
 * same file that this process has: `timestamp` is that of its header. */
enum um_blocker_call um_waits_call(const struct um_waits *waits, const char *module,
                                   uint32_t timestamp, uint64_t begin_rva);

/* The next three: as in um_blocker_source. Thread: um_waits_chain blocks for some ms where Windows
 * has chains, and asks anew only after 100 ms. */
bool um_waits_is_thread(const struct um_waits *waits, uint32_t tid);
bool um_waits_window(const struct um_waits *waits, uint32_t window, struct um_blocker *blocker);
bool um_waits_chain(struct um_waits *waits, struct um_blocker *blocker);

/* The thread waits anew: what um_waits_chain has been told does not hold any more. */
void um_waits_forget(struct um_waits *waits);

#endif
