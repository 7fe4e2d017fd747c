/* How often the threads of a process have gone to wait, by the kernel's account. */
#ifndef UM_TESTS_WAITS_POSIX_H
#define UM_TESTS_WAITS_POSIX_H

#include <dirent.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>

/* Of one thread that lives, since it was started; 0 if it is gone. Under Wine, each call of its
 * server is a wait. */
static inline uint64_t waits_of_thread(pid_t pid, pid_t tid)
{
    char path[PATH_MAX];
    char line[256];
    unsigned long long waits;
    uint64_t total = 0;

    snprintf(path, sizeof path, "/proc/%ld/task/%ld/status", (long)pid, (long)tid);
    FILE *status = fopen(path, "r");
    while (status && fgets(line, sizeof line, status))
        if (sscanf(line, "voluntary_ctxt_switches: %llu", &waits) == 1)
            total = waits;
    if (status)
        fclose(status);
    return total;
}

/* The process's first thread behind this one, by their numbers, which rise; 0: there is none. */
static inline pid_t waits_next_thread(pid_t pid, pid_t tid)
{
    char path[PATH_MAX];
    pid_t next = 0;

    snprintf(path, sizeof path, "/proc/%ld/task", (long)pid);
    DIR *threads = opendir(path);
    for (struct dirent *entry; threads && (entry = readdir(threads));) {
        pid_t found = atoi(entry->d_name);
        if (found > tid && (next == 0 || found < next))
            next = found;
    }
    if (threads)
        closedir(threads);
    return next;
}

/* Of the threads that live now, since they were started; 0 if the process is gone. */
static inline uint64_t waits_of(pid_t pid)
{
    uint64_t total = 0;
    for (pid_t tid = 0; (tid = waits_next_thread(pid, tid)) != 0;)
        total += waits_of_thread(pid, tid);
    return total;
}

#endif
