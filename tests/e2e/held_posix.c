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
#include "tests/e2e/harness.h"

#define LEAST_NS 300000
#define MAX_THREADS 64
#define TICKS_A_LIST 100 /* from one look for new threads to the next */

/* A thread, by what the kernel counts of it. */
struct thread {
    pid_t tid;
    int schedstat;
    uint64_t waited_ns;
};

struct threads {
    struct thread each[MAX_THREADS];
    size_t count;
};

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

static void add_thread(struct threads *threads, pid_t pid, pid_t tid)
{
    char name[64];
    struct thread *added = &threads->each[threads->count];

    for (size_t i = 0; i < threads->count; i++)
        if (threads->each[i].tid == tid)
            return;
    if (threads->count == MAX_THREADS)
        return;
    snprintf(name, sizeof name, "/proc/%d/task/%d/schedstat", (int)pid, (int)tid);
    *added = (struct thread){.tid = tid, .schedstat = open(name, O_RDONLY)};
    threads->count += added->schedstat >= 0;
    read_waited(added);
}

static void add_threads(struct threads *threads, pid_t pid)
{
    char name[64];
    snprintf(name, sizeof name, "/proc/%d/task", (int)pid);
    DIR *tasks = opendir(name);
    for (struct dirent *entry; tasks && (entry = readdir(tasks));)
        if (atoi(entry->d_name) > 0)
            add_thread(threads, pid, (pid_t)atoi(entry->d_name));
    if (tasks)
        closedir(tasks);
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

/* Wine's server works in a folder that is named after the prefix (wineserver(1)). 0: there is
 * none. */
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
        uint64_t end_ns = machine_now_ns();
        fprintf(file, "stall %llu %llu\n",
                (unsigned long long)(end_ns - waited_ns - UM_DEMO_LOG_TICK_NS),
                (unsigned long long)end_ns);
        fflush(file);
    }
    return read;
}

/* One tick; a thread that has ended is forgotten. */
static void look(struct threads *threads, FILE *file)
{
    const struct timespec tick = {.tv_nsec = UM_DEMO_LOG_TICK_NS};

    for (size_t i = 0; i < threads->count;) {
        if (write_wait(&threads->each[i], file)) {
            i++;
        } else {
            close(threads->each[i].schedstat);
            threads->each[i] = threads->each[--threads->count];
        }
    }
    nanosleep(&tick, NULL);
}

void held_watch(pid_t pid, enum held_threads which, const char *path)
{
    struct threads threads = {.count = 0};
    pid_t parent = getpid();

    if (fork() != 0)
        return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    close_range(3, ~0U, 0); /* the test runner's */
    FILE *file = fopen(path, "w");
    add_thread(&threads, pid, pid);
    pid_t server = server_pid();
    if (server)
        add_thread(&threads, server, server);
    for (unsigned tick = 0; getppid() == parent && file && kill(pid, 0) == 0; tick++) {
        if (which == HELD_EACH && tick % TICKS_A_LIST == 0)
            add_threads(&threads, pid);
        look(&threads, file);
    }
    _exit(0);
}
