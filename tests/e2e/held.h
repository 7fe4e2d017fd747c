/* How long the machine let a program's threads, or Wine's server, which most calls of theirs wait
 * for, wait for a processor. A truth beside the demo's own stalls (demo/log.h): its watcher may
 * have found another processor free.
 */
#ifndef UM_TESTS_E2E_HELD_H
#define UM_TESTS_E2E_HELD_H

#include <sys/types.h>

enum held_threads {
    HELD_FIRST, /* the UI thread of a target */
    HELD_EACH
};

/* Writes to `path` a `stall` line of the demo's log for each time that one of them was ready to run
 * and waited for 0.3 ms or more; in a process of its own that ends with the program or the test.
 * Where the kernel does not count that, there are no lines. */
void held_watch(pid_t pid, enum held_threads threads, const char *path);

#endif
