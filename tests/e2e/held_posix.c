#include "tests/e2e/held.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "demo/log.h"

#define LEAST_NS 300000

/* A thread, by what the kernel counts of it. */
struct thread {
    int schedstat;
    uint64_t waited_ns;
};

/* The clock of Wine's QueryPerformanceCounter. */
static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* The second number: ns spent waiting on a run queue.
 * Source: https://docs.kernel.org/scheduler/sched-stats.html */
static bool read_waited(struct thread *thread)
{
    char text[128];
    unsigned long long ran, waited;
    ssize_t len = pread(thread->schedstat, text, sizeof text - 1, 0);
    text[len > 0 ? len : 0] = 0;
    bool read = sscanf(text, "%llu %llu", &ran, &waited) == 2;
    if (read)
        thread->waited_ns = waited;
    return read;
}

static struct thread first_thread(pid_t pid)
{
    char name[64];
    snprintf(name, sizeof name, "/proc/%d/task/%d/schedstat", (int)pid, (int)pid);
    struct thread thread = {.schedstat = open(name, O_RDONLY)};
    read_waited(&thread);
    return thread;
}

/* Whether the path of a process's working folder ends with `name`. */
static bool works_in(const char *process, const char *name)
{
    char link[64];
    char folder[512];
    size_t len = strlen(name);

    snprintf(link, sizeof link, "/proc/%.16s/cwd", process);
    ssize_t got = readlink(link, folder, sizeof folder - 1);
    folder[got > 0 ? got : 0] = 0;
    return got > (ssize_t)len && strcmp(folder + (size_t)got - len, name) == 0;
}

/* Wine's server works in a folder that is named after the prefix (wineserver(1)). 0: there is none. */
static pid_t server_pid(void)
{
    char name[64];
    struct stat prefix;
    pid_t found = 0;
    const char *path = getenv("WINEPREFIX");
    DIR *processes = opendir("/proc");

    if (processes && path && stat(path, &prefix) == 0) {
        snprintf(name, sizeof name, "/server-%lx-%lx", (unsigned long)prefix.st_dev,
                 (unsigned long)prefix.st_ino);
        for (struct dirent *entry; !found && (entry = readdir(processes));)
            found = works_in(entry->d_name, name) ? (pid_t)atoi(entry->d_name) : 0;
    }
    if (processes)
        closedir(processes);
    return found;
}

/* A wait is counted once it is over, so it ended within the tick before it is seen. */
static bool write_wait(struct thread *thread, FILE *file)
{
    uint64_t before_ns = thread->waited_ns;
    bool read = read_waited(thread);
    uint64_t waited_ns = thread->waited_ns - before_ns;

    if (read && waited_ns >= LEAST_NS) {
        uint64_t end_ns = now_ns();
        fprintf(file, "stall %llu %llu\n",
                (unsigned long long)(end_ns - waited_ns - UM_DEMO_LOG_TICK_NS),
                (unsigned long long)end_ns);
        fflush(file);
    }
    return read;
}

void held_watch(pid_t pid, const char *path)
{
    const struct timespec tick = {.tv_nsec = UM_DEMO_LOG_TICK_NS};
    pid_t parent = getpid();

    if (fork() != 0)
        return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    close_range(3, ~0U, 0); /* the test runner's */
    struct thread program = first_thread(pid);
    struct thread server = first_thread(server_pid());
    FILE *file = fopen(path, "w");
    while (getppid() == parent && file && write_wait(&program, file)) {
        write_wait(&server, file);
        nanosleep(&tick, NULL);
    }
    _exit(0);
}
