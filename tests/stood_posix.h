/* Catches uimon in the moment in which it has a thread of Wine's suspended, by the kernel's own
 * word on the thread: one that computes is running, and waits only while it is suspended. */
#ifndef UM_TESTS_STOOD_POSIX_H
#define UM_TESTS_STOOD_POSIX_H

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>

/* Whether the first thread of a process waits for something, which is state S of proc(5). */
static inline bool stood_waits(pid_t pid)
{
    char path[64];
    char line[512];
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    FILE *file = fopen(path, "r");
    bool read = file && fgets(line, sizeof line, file);
    if (file)
        fclose(file);
    const char *name_end = read ? strrchr(line, ')') : NULL;
    return name_end && name_end[1] == ' ' && name_end[2] == 'S';
}

/* Sends `signal` to uimon as soon as the computing thread waits. It may come too late, because
 * uimon has the thread suspended for less than a millisecond. Units: `tries` of some 20 µs each. */
static inline void stood_catch(pid_t target, pid_t uimon, int signal, unsigned tries)
{
    while (tries-- > 0)
        if (stood_waits(target)) {
            kill(uimon, signal);
            return;
        }
}

#endif
