/* How often the threads of a process have gone to wait, by the kernel's account. */
#ifndef UM_TESTS_WAITS_POSIX_H
#define UM_TESTS_WAITS_POSIX_H

#include <dirent.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>

/* Of the threads that live now, since they were started; 0 if the process is gone. Under Wine, each
 * call of its server is a wait. */
static inline uint64_t waits_of(pid_t pid)
{
    char path[PATH_MAX];
    char line[256];
    unsigned long long waits;
    uint64_t total = 0;

    snprintf(path, sizeof path, "/proc/%ld/task", (long)pid);
    DIR *threads = opendir(path);
    for (struct dirent *entry; threads && (entry = readdir(threads));) {
        if (atoi(entry->d_name) == 0)
            continue;
        snprintf(path, sizeof path, "/proc/%ld/task/%s/status", (long)pid, entry->d_name);
        FILE *status = fopen(path, "r");
        while (status && fgets(line, sizeof line, status))
            if (sscanf(line, "voluntary_ctxt_switches: %llu", &waits) == 1)
                total += waits;
        if (status)
            fclose(status);
    }
    if (threads)
        closedir(threads);
    return total;
}

#endif
