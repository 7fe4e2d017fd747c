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
#include "tests/e2e/harness_backend.h"
#include "tests/waits_posix.h"

#define LEAST_NS 300000
#define MAX_THREADS 64
#define TICKS_A_LIST 100 /* from one look for new threads to the next */

/* Quiet: so many looks in a row together see less than this. */
#define QUIET_LOOK_MS 10
#define QUIET_LOOKS 5
#define QUIET_RAN_NS 10000000
#define QUIET_LOOKS_MAX 200

/* A thread, by what the kernel counts of it. */
struct thread {
    pid_t tid;
    int schedstat;
    uint64_t ran_ns;
    uint64_t waited_ns;
};

struct threads {
    struct thread each[MAX_THREADS];
    size_t count;
};

/* The first two numbers: ns on a processor, and ns spent waiting on a run queue.
 * Source: https://docs.kernel.org/scheduler/sched-stats.html */
static bool read_thread(struct thread *thread)
{
    char text[128];
    unsigned long long ran, waited;
    ssize_t len = pread(thread->schedstat, text, sizeof text - 1, 0);
    text[len > 0 ? len : 0] = 0;
    bool read = sscanf(text, "%llu %llu", &ran, &waited) == 2;
    if (read) {
        thread->ran_ns = ran;
        thread->waited_ns = waited;
    }
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
    read_thread(added);
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

static void write_stall(FILE *file, uint64_t length_ns)
{
    uint64_t end_ns = machine_now_ns();
    if (length_ns < LEAST_NS)
        return;
    fprintf(file, "stall %llu %llu\n",
            (unsigned long long)(end_ns - length_ns - UM_DEMO_LOG_TICK_NS),
            (unsigned long long)end_ns);
    fflush(file);
}

/* A wait is counted once it is over, so it ended within the tick before it is seen. False: the
 * thread has ended. */
static bool take_wait(struct thread *thread, uint64_t *waited_ns)
{
    uint64_t before_ns = thread->waited_ns;
    bool read = read_thread(thread);
    *waited_ns = thread->waited_ns - before_ns;
    return read;
}

/* Sleeps for a tick. What it is late beyond its own wait for a processor, the machine stood
 * still. */
static void sleep_tick(struct thread *self, FILE *file)
{
    const struct timespec tick = {.tv_nsec = UM_DEMO_LOG_TICK_NS};
    uint64_t before_ns = machine_now_ns();
    uint64_t waited_ns;

    nanosleep(&tick, NULL);
    uint64_t late_ns = machine_now_ns() - before_ns;
    take_wait(self, &waited_ns);
    waited_ns += UM_DEMO_LOG_TICK_NS;
    write_stall(file, late_ns > waited_ns ? late_ns - waited_ns : 0);
}

static void look(struct threads *threads, FILE *file)
{
    for (size_t i = 0; i < threads->count;) {
        uint64_t waited_ns;
        if (take_wait(&threads->each[i], &waited_ns)) {
            write_stall(file, waited_ns);
            i++;
        } else {
            close(threads->each[i].schedstat);
            threads->each[i] = threads->each[--threads->count];
        }
    }
}

/* Wine's server while it waits for the disk, in which time every program waits for it. */
struct server {
    int stat;          /* -1: it cannot be looked at */
    uint64_t since_ns; /* when it was first seen to wait; 0: it does not */
};

static bool waits_for_disk(const struct server *server)
{
    char text[256];
    ssize_t len = server->stat < 0 ? -1 : pread(server->stat, text, sizeof text - 1, 0);
    if (len <= 0)
        return false;
    text[len] = 0;
    const char *name_end = strrchr(text, ')');
    return name_end && name_end[1] == ' ' && name_end[2] == 'D';
}

/* A wait is told when it is over. */
static void look_at_server(struct server *server, FILE *file)
{
    uint64_t now_ns = machine_now_ns();
    if (waits_for_disk(server)) {
        server->since_ns = server->since_ns ? server->since_ns : now_ns;
    } else if (server->since_ns) {
        write_stall(file, now_ns - server->since_ns);
        server->since_ns = 0;
    }
}

static void watch(pid_t pid, enum held_threads which, pid_t parent, FILE *file)
{
    struct threads threads = {.count = 0};
    struct threads self = {.count = 0};
    pid_t server = server_pid();
    struct server disk = {.stat = -1};
    char path[64];

    add_thread(&self, getpid(), getpid());
    add_thread(&threads, pid, pid);
    if (server) {
        add_thread(&threads, server, server);
        snprintf(path, sizeof path, "/proc/%d/stat", (int)server);
        disk.stat = open(path, O_RDONLY);
    }
    for (unsigned tick = 0; getppid() == parent && kill(pid, 0) == 0; tick++) {
        if (which == HELD_EACH && tick % TICKS_A_LIST == 0)
            add_threads(&threads, pid);
        look(&threads, file);
        look_at_server(&disk, file);
        sleep_tick(&self.each[0], file);
    }
}

void held_watch(intptr_t process, enum held_threads which, const char *path)
{
    pid_t pid = (pid_t)process;
    pid_t parent = getpid();

    if (fork() != 0)
        return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    close_range(3, ~0U, 0); /* the test runner's */
    FILE *file = fopen(path, "w");
    if (file)
        watch(pid, which, parent, file);
    _exit(0);
}

const char *held_file(const char *log)
{
    char *path = harness_backend_text();
    snprintf(path, PATH_BYTES, "%.*s.held", PATH_BYTES - 8, log);
    return path;
}

const char *const *held_options(void)
{
    static const char *const none[] = {NULL};
    return none;
}

static uint64_t ran_since_ns(struct threads *threads)
{
    uint64_t total_ns = 0;
    for (size_t i = 0; i < threads->count; i++) {
        uint64_t before_ns = threads->each[i].ran_ns;
        read_thread(&threads->each[i]);
        total_ns += threads->each[i].ran_ns - before_ns;
    }
    return total_ns;
}

void held_wait_quiet(intptr_t process)
{
    pid_t pid = (pid_t)process;
    struct threads threads = {.count = 0};
    uint64_t ran_ns[QUIET_LOOKS] = {0};
    uint64_t sum_ns = 0;
    pid_t server = server_pid();

    if (server)
        add_thread(&threads, server, server);
    for (unsigned i = 0; i < QUIET_LOOKS_MAX; i++) {
        add_threads(&threads, pid);
        sleep_ms(QUIET_LOOK_MS);
        sum_ns -= ran_ns[i % QUIET_LOOKS];
        ran_ns[i % QUIET_LOOKS] = ran_since_ns(&threads);
        sum_ns += ran_ns[i % QUIET_LOOKS];
        if (i + 1 >= QUIET_LOOKS && sum_ns < QUIET_RAN_NS)
            break;
    }
    for (size_t i = 0; i < threads.count; i++)
        close(threads.each[i].schedstat);
}

/* Whether a file of /proc/PROCESS, a list of strings, has the text in it. */
static bool has_text(const char *process, const char *file, const char *text)
{
    static char list[65536];
    char name[64];
    size_t len = 0;

    snprintf(name, sizeof name, "/proc/%.16s/%s", process, file);
    FILE *strings = fopen(name, "rb");
    if (strings) {
        len = fread(list, 1, sizeof list - 1, strings);
        fclose(strings);
    }
    return len && memmem(list, len, text, strlen(text));
}

uint64_t held_waits(const char *word)
{
    const char *prefix = getenv("WINEPREFIX");
    uint64_t total = 0;
    DIR *processes = opendir("/proc");
    for (struct dirent *entry; processes && prefix && (entry = readdir(processes));)
        if (atoi(entry->d_name) > 0 && has_text(entry->d_name, "cmdline", word) &&
            has_text(entry->d_name, "environ", prefix))
            total += waits_of((pid_t)atoi(entry->d_name));
    if (processes)
        closedir(processes);
    return total;
}

/* Time in which something waited for a processor, and in which the machine's host had it. */
struct account {
    uint64_t now_ns;
    unsigned long long pressure_us;
    unsigned long long stolen_ticks;
};

static struct account begun;

static struct account read_account(void)
{
    struct account account = {.now_ns = machine_now_ns()};
    FILE *pressure = fopen("/proc/pressure/cpu", "r");
    FILE *stat = fopen("/proc/stat", "r");

    if (pressure) {
        (void)!fscanf(pressure, "some %*s %*s %*s total=%llu", &account.pressure_us);
        fclose(pressure);
    }
    if (stat) {
        (void)!fscanf(stat, "cpu %*u %*u %*u %*u %*u %*u %*u %llu", &account.stolen_ticks);
        fclose(stat);
    }
    return account;
}

void held_begin(void)
{
    begun = read_account();
}

void held_account(char *text, size_t cap_bytes)
{
    struct account now = read_account();
    double seconds = (double)(now.now_ns - begun.now_ns) / 1e9;
    double pressure_s = (double)(now.pressure_us - begun.pressure_us) / 1e6;
    double stolen_s =
        (double)(now.stolen_ticks - begun.stolen_ticks) / (double)sysconf(_SC_CLK_TCK);

    snprintf(text, cap_bytes,
             "in %.1f s something waited for a processor for %.1f s; %.2f s stolen", seconds,
             pressure_s, stolen_s);
}
