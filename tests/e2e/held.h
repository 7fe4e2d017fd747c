/* What the machine did to a scene: how long it let a program's threads, or Wine's server, which
 * most calls of theirs wait for, wait for a processor, how long that server waited for the disk,
 * and how long the machine stood still itself. All of it is seen from outside Wine, by the kernel's
 * own accounts.
 */
#ifndef UM_TESTS_E2E_HELD_H
#define UM_TESTS_E2E_HELD_H

#include <stddef.h>
#include <stdint.h>

enum held_threads {
    HELD_FIRST, /* the UI thread of a target */
    HELD_EACH
};

/* Writes to `path` a `stall` line of the demo's log for each time that one of them was ready to run
 * and waited for 0.3 ms or more, for each time that Wine's server waited for the disk, and for each
 * time that the watcher itself woke up so much too late without having waited for a processor (the
 * machine's host had them, or its timer was late). It is a process of its own that wakes each ms
 * and ends with the program or the test. Where the kernel does not count that, there are no lines.
 */
void held_watch(intptr_t process, enum held_threads threads, const char *path);

/* The file that a watcher writes for a log: the path for held_watch. On Windows it is the log, for
 * the demo's own stalls. Owner: as test_file. */
const char *held_file(const char *log);

/* Options for a target of which the test has a log, up to a NULL. */
const char *const *held_options(void);

/* Waits until the program and Wine's server have hardly run for 50 ms; two seconds at most, because
 * some programs are never quiet. */
void held_wait_quiet(intptr_t process);

/* How often the threads have gone to wait that now run in Wine programs of this prefix which have
 * the word in their command line. */
uint64_t held_waits(const char *word);

/* How wanted the processors were since the first of these two calls: begins the account, and puts
 * it into words. */
void held_begin(void);
void held_account(char *text, size_t cap_bytes);

#endif
