#include "tests/bench/driver.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/plain/clock.h"

#define ROTATING 8
#define LINE_BYTES 1024

static struct {
    const char *name;
    int rows; /* where rows go, in a measure's process */
} measure;

/* Measures ------------------------------------------------------------------------------------- */

void driver_row(const struct row *row)
{
    if (write(measure.rows, row, sizeof *row) != (ssize_t)sizeof *row)
        _exit(1);
}

_Noreturn void driver_fail(const char *format, ...)
{
    struct row row = row_of_number(measure.name, measure.name, "", NAN, 0);
    va_list list;

    va_start(list, format);
    vsnprintf(row.note, sizeof row.note, format, list);
    va_end(list);
    driver_row(&row);
    _exit(1);
}

/* Criterion of success: the process said so with exit code 0, and no row failed. */
static bool collect(struct table *table, int rows, pid_t pid)
{
    bool good = true;
    int status = 0;
    struct row row;

    while (read(rows, &row, sizeof row) == (ssize_t)sizeof row) {
        table_add(table, &row);
        table_print_row(&row);
        good = good && !row.failed;
    }
    waitpid(pid, &status, 0);
    if (good && (!WIFEXITED(status) || WEXITSTATUS(status) != 0)) {
        row = row_of_number(measure.name, measure.name, "", NAN, 0);
        row_note(&row, "the measure ended with status %d", status);
        table_add(table, &row);
        table_print_row(&row);
        good = false;
    }
    return good;
}

bool driver_measure(struct table *table, const char *name, void (*run)(void))
{
    int ends[2];

    measure.name = name;
    fflush(stdout);
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        signal(SIGPIPE, SIG_IGN);
        measure.rows = ends[1];
        close(ends[0]);
        run();
        _exit(0);
    }
    close(ends[1]);
    bool good = pid > 0 && collect(table, ends[0], pid);
    close(ends[0]);
    return good;
}

/* Files ---------------------------------------------------------------------------------------- */

void driver_sleep_ms(unsigned ms)
{
    um_clock_sleep_ns(ms * UM_CLOCK_NS_PER_MS);
}

static uint64_t limit_ns(void)
{
    return um_clock_now_ns() + DRIVER_LIMIT_MS * UM_CLOCK_NS_PER_MS;
}

static const char *environment(const char *name)
{
    const char *value = getenv(name);
    if (!value)
        driver_fail("%s is not set: run this with ./run bench", name);
    return value;
}

/* A few strings at a time, so that results can be passed on without being copied. */
static char *rotating(void)
{
    static char texts[ROTATING][DRIVER_PATH_BYTES];
    static unsigned next;
    return texts[next++ % ROTATING];
}

const char *driver_file(const char *name)
{
    char *path = rotating();
    snprintf(path, DRIVER_PATH_BYTES, "%s/bench-%ld", environment("UM_TMP"), (long)getpid());
    mkdir(path, 0700);
    snprintf(path, DRIVER_PATH_BYTES, "%s/bench-%ld/%s", environment("UM_TMP"), (long)getpid(),
             name);
    return path;
}

const char *driver_windows_path(const char *unix_path)
{
    char *path = rotating();
    snprintf(path, DRIVER_PATH_BYTES, "Z:%s", unix_path);
    for (char *at = path; *at; at++)
        *at = (char)(*at == '/' ? '\\' : *at);
    return path;
}

char *driver_read(const char *path)
{
    FILE *file = fopen(path, "rb");
    size_t cap = 1 << 16;
    size_t len = 0;
    char *text = malloc(cap);

    while (file && text) {
        size_t got = fread(text + len, 1, cap - len - 1, file);
        len += got;
        if (got == 0)
            break;
        if (len + 1 == cap)
            text = realloc(text, cap *= 2);
    }
    if (file)
        fclose(file);
    if (!text)
        driver_fail("out of memory");
    text[len] = 0;
    return text;
}

const char *driver_wait_line(const char *path, const char *text)
{
    static char found[LINE_BYTES];
    uint64_t until_ns = limit_ns();

    for (;;) {
        char *all = driver_read(path);
        for (char *line = all, *end; (end = strchr(line, '\n')); line = end + 1) {
            *end = 0;
            if (strstr(line, text)) {
                snprintf(found, sizeof found, "%s", line);
                free(all);
                return found;
            }
        }
        if (um_clock_now_ns() > until_ns)
            driver_fail("no '%s' came; there is: %.120s", text, all);
        free(all);
        driver_sleep_ms(5);
    }
}

/* Programs ------------------------------------------------------------------------------------- */

static const char *find_program(const char *name)
{
    static const char *const places[] = {"UM_DIST", "UM_TEST_BIN", "UM_BENCH_BIN", "UM_TEST_BIN32"};

    if (name[0] == '/')
        return name;
    for (size_t i = 0; i < sizeof places / sizeof places[0] && getenv(places[i]); i++) {
        char *path = rotating();
        snprintf(path, DRIVER_PATH_BYTES, "%s/%s.exe", environment(places[i]), name);
        if (access(path, R_OK) == 0)
            return path;
    }
    driver_fail("there is no %s.exe: it was not built", name);
}

static void redirect(int from, const char *path, int descriptor)
{
    int file = from >= 0 ? from : open(path, O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0600);
    if (file >= 0)
        dup2(file, descriptor);
}

static void open_pipes(bool talking, int to[2], int from[2])
{
    to[0] = to[1] = from[0] = from[1] = -1;
    if (talking && (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0))
        driver_fail("no pipe: %s", strerror(errno));
}

static void name_outputs(struct program *program)
{
    static unsigned count;
    char name[32];

    snprintf(name, sizeof name, "%u.out", ++count);
    snprintf(program->out, sizeof program->out, "%s", driver_file(name));
    snprintf(name, sizeof name, "%u.err", count);
    snprintf(program->err, sizeof program->err, "%s", driver_file(name));
}

void driver_start_list(struct program *program, bool talking, const char *name,
                       const char *const *args)
{
    const char *argv[DRIVER_MAX_ARGS + 3] = {"wine", find_program(name)};
    pid_t parent = getpid();
    int to[2], from[2];

    for (size_t i = 0; args[i] && i < DRIVER_MAX_ARGS; i++)
        argv[i + 2] = args[i];
    name_outputs(program);
    open_pipes(talking, to, from);
    program->pid = fork();
    if (program->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(127);
        setpgid(0, 0);
        redirect(to[0], "/dev/null", STDIN_FILENO);
        redirect(from[1], program->out, STDOUT_FILENO);
        redirect(-1, program->err, STDERR_FILENO);
        execvp("wine", (char *const *)(uintptr_t)argv);
        _exit(127);
    }
    if (program->pid < 0)
        driver_fail("cannot start %s", name);
    if (talking) {
        close(to[0]);
        close(from[1]);
    }
    program->to = to[1];
    program->from = from[0];
}

static void gather(va_list list, const char **args)
{
    size_t count = 0;
    while (count < DRIVER_MAX_ARGS && (args[count] = va_arg(list, const char *)))
        count++;
    args[count] = NULL;
}

void driver_start(struct program *program, bool talking, const char *name, ...)
{
    const char *args[DRIVER_MAX_ARGS + 1];
    va_list list;

    va_start(list, name);
    gather(list, args);
    va_end(list);
    driver_start_list(program, talking, name, args);
}

uint32_t driver_start_target(struct program *program)
{
    uint32_t pid = 0;
    driver_start(program, true, "target_win32", NULL);
    if (sscanf(driver_hear(program), "ready %" SCNu32, &pid) != 1)
        driver_fail("the target has no window");
    return pid;
}

void driver_say(struct program *program, const char *format, ...)
{
    char line[LINE_BYTES];
    va_list list;

    va_start(list, format);
    int len = vsnprintf(line, sizeof line - 1, format, list);
    va_end(list);
    line[len++] = '\n';
    if (write(program->to, line, (size_t)len) != len)
        driver_fail("a helper program ended too early");
}

const char *driver_hear(struct program *program)
{
    static char line[LINE_BYTES];
    size_t len = 0;
    struct pollfd wait = {.fd = program->from, .events = POLLIN};

    while (len + 1 < sizeof line) {
        if (poll(&wait, 1, DRIVER_LIMIT_MS) != 1 || read(program->from, line + len, 1) != 1)
            driver_fail("a helper program has nothing to say any more");
        if (line[len] == '\n')
            break;
        len += line[len] != '\r';
    }
    line[len] = 0;
    return line;
}

int driver_wait_end(struct program *program, unsigned limit_ms)
{
    uint64_t until_ns = um_clock_now_ns() + limit_ms * UM_CLOCK_NS_PER_MS;
    int status = 0;

    while (waitpid(program->pid, &status, WNOHANG) == 0) {
        if (um_clock_now_ns() > until_ns)
            driver_fail("a program did not end within %u s", limit_ms / 1000);
        driver_sleep_ms(5);
    }
    program->pid = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* To the first thread alone: tests/e2e/harness_posix.c says why. */
void driver_interrupt(struct program *program)
{
    if (program->pid > 0)
        syscall(SYS_tgkill, program->pid, program->pid, SIGINT);
}

struct um_demo_log_event driver_wait_ready(const char *log)
{
    struct um_demo_log_event event;

    driver_wait_line(log, "ready ");
    if (um_demo_log_parse(driver_wait_line(log, "start "), &event) != UM_OK)
        driver_fail("%s is damaged", log);
    return event;
}

const char *driver_output(const char *name, ...)
{
    static char *text;
    const char *args[DRIVER_MAX_ARGS + 1];
    struct program program;
    va_list list;

    va_start(list, name);
    gather(list, args);
    va_end(list);
    driver_start_list(&program, false, name, args);
    driver_wait_end(&program, DRIVER_LIMIT_MS);
    free(text);
    text = driver_read(program.out);
    return text;
}

/* Programs with the demo's log ----------------------------------------------------------------- */

void driver_start_logged(struct target *target, const char *name, ...)
{
    static unsigned count;
    const char *args[DRIVER_MAX_ARGS + 3] = {"--log"};
    char log[32];
    va_list list;

    snprintf(log, sizeof log, "target-%u.log", ++count);
    snprintf(target->log, sizeof target->log, "%s", driver_file(log));
    args[1] = driver_windows_path(target->log);
    va_start(list, name);
    gather(list, args + 2);
    va_end(list);
    driver_start_list(&target->program, false, name, args);
    struct um_demo_log_event event = driver_wait_ready(target->log);
    target->pid = event.pid;
    target->tid = event.tid;
    snprintf(target->pid_text, sizeof target->pid_text, "%" PRIu32, event.pid);
    snprintf(target->tid_text, sizeof target->tid_text, "%" PRIu32, event.tid);
    snprintf(target->hwnd, sizeof target->hwnd, "0x%" PRIx64, event.hwnd);
}

void driver_kill(struct program *program)
{
    kill(program->pid, SIGKILL);
    driver_wait_end(program, DRIVER_LIMIT_MS);
}

static size_t read_events(const char *log, enum um_demo_log_kind kind,
                          struct um_demo_log_event **events)
{
    char *all = driver_read(log);
    size_t count = 0;

    *events = NULL;
    for (char *line = all, *end; (end = strchr(line, '\n')); line = end + 1) {
        struct um_demo_log_event event;
        *end = 0;
        if (um_demo_log_parse(line, &event) != UM_OK || event.kind != kind)
            continue;
        *events = realloc(*events, (count + 1) * sizeof **events);
        if (!*events)
            driver_fail("out of memory");
        (*events)[count++] = event;
    }
    free(all);
    return count;
}

size_t driver_events(const char *log, enum um_demo_log_kind kind, size_t least,
                     struct um_demo_log_event **events)
{
    uint64_t until_ns = limit_ns();
    size_t count;

    while ((count = read_events(log, kind, events)) < least) {
        free(*events);
        if (um_clock_now_ns() > until_ns)
            driver_fail("the log has %zu lines of a kind, and not %zu", count, least);
        driver_sleep_ms(10);
    }
    return count;
}

void driver_trigger(const struct target *target, const char *list)
{
    driver_output("probe_win32", "trigger", target->hwnd, list, NULL);
}

void driver_wait_front(const struct target *target)
{
    uint64_t until_ns = limit_ns();
    size_t len = strlen(target->hwnd);
    for (;;) {
        const char *front = driver_output("probe_win32", "foreground", NULL);
        if (strncmp(front, target->hwnd, len) == 0 && front[len] == ' ')
            return;
        if (um_clock_now_ns() > until_ns)
            driver_fail("a target does not come to the front");
        driver_sleep_ms(50);
    }
}

double driver_probe_number(const char *command, ...)
{
    const char *args[DRIVER_MAX_ARGS + 2] = {command};
    struct program program;
    va_list list;

    va_start(list, command);
    gather(list, args + 1);
    va_end(list);
    driver_start_list(&program, false, "probe_win32", args);
    driver_wait_end(&program, DRIVER_LIMIT_MS);
    char *text = driver_read(program.out);
    const char *at = text + strcspn(text, "0123456789-");
    if (!*at)
        driver_fail("probe_win32 %s printed no number", command);
    double number = strtod(at, NULL);
    free(text);
    return number;
}

uint64_t driver_number_after(const char *text, const char *word)
{
    uint64_t number = 0;
    for (const char *at = text; (at = strstr(at, word)); at++)
        number = strtoull(at + strlen(word), NULL, 10);
    return number;
}

/* The monitor ---------------------------------------------------------------------------------- */

void driver_watch(struct monitor *monitor, uint32_t pid, ...)
{
    static unsigned count;
    const char *args[DRIVER_MAX_ARGS + 8];
    char target[16];
    char name[32];
    va_list list;

    snprintf(target, sizeof target, "%u", pid);
    snprintf(name, sizeof name, "summary-%u.json", ++count);
    snprintf(monitor->json, sizeof monitor->json, "%s", driver_file(name));
    const char *fixed[] = {"--config=", "--attach", target,
                           "--verbose", "--json",   driver_windows_path(monitor->json)};
    memcpy(args, fixed, sizeof fixed);
    va_start(list, pid);
    gather(list, args + sizeof fixed / sizeof fixed[0]);
    va_end(list);
    driver_start_list(&monitor->program, false, "uimon", args);
    driver_wait_line(monitor->program.err, "watching ");
    driver_wait_line(monitor->program.err, "probe: ");
}

void driver_feed(const struct program *monitor, char feed[DRIVER_FEED_BYTES])
{
    const char *line = strstr(driver_wait_line(monitor->err, "feed: "), "feed: ");
    if (sscanf(line, "feed: %127s", feed) != 1)
        driver_fail("the monitor names no feed");
}

void driver_listen(struct program *listener, const struct program *monitor, const char *line)
{
    char feed[DRIVER_FEED_BYTES];
    driver_feed(monitor, feed);
    driver_start(listener, false, "probe_win32", "tail-feed", feed, NULL);
    driver_wait_line(listener->out, line);
}

cJSON *driver_finish(struct monitor *monitor, bool interrupt)
{
    if (interrupt)
        driver_interrupt(&monitor->program);
    int code = driver_wait_end(&monitor->program, DRIVER_LIMIT_MS);
    char *text = driver_read(monitor->json);
    cJSON *summary = cJSON_Parse(text);

    if (code != 0 || !summary)
        driver_fail("uimon ended with %d; it said: %.120s", code,
                    driver_read(monitor->program.err));
    free(text);
    return summary;
}

double driver_number(const cJSON *summary, const char *path)
{
    char part[64];
    const cJSON *at = summary;
    const char *rest = path;

    while (at && *rest) {
        size_t len = strcspn(rest, ".");
        snprintf(part, sizeof part, "%.*s", (int)len, rest);
        at = cJSON_GetObjectItemCaseSensitive(at, part);
        rest += len + (rest[len] == '.');
    }
    if (!cJSON_IsNumber(at))
        driver_fail("the summary has no %s", path);
    return at->valuedouble;
}

int driver_laid_out(const cJSON *summary, const char *window_class)
{
    const cJSON *row;
    int count = 0;
    cJSON_ArrayForEach(row, cJSON_GetObjectItem(summary, "layout"))
    {
        const char *name = cJSON_GetStringValue(cJSON_GetObjectItem(row, "class"));
        count += name && strcmp(name, window_class) == 0 && driver_number(row, "frames") > 0;
    }
    return count;
}

/* The kernel's figures ------------------------------------------------------------------------- */

/* Whether the process belongs to this Wine prefix: others may run uimon at the same time. */
static bool in_prefix(const char *pid)
{
    char path[64];
    char wanted[DRIVER_PATH_BYTES];
    char all[1 << 14];

    snprintf(path, sizeof path, "/proc/%.20s/environ", pid);
    snprintf(wanted, sizeof wanted, "WINEPREFIX=%s", environment("WINEPREFIX"));
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    size_t len = fread(all, 1, sizeof all - 1, file);
    fclose(file);
    all[len] = 0;
    for (char *at = all; at < all + len; at += strlen(at) + 1)
        if (strcmp(at, wanted) == 0)
            return true;
    return false;
}

pid_t driver_find(const char *comm)
{
    DIR *dir = opendir("/proc");
    pid_t found = 0;

    for (struct dirent *entry; dir && !found && (entry = readdir(dir));) {
        char path[64];
        char name[64] = "";
        if (entry->d_name[0] < '0' || entry->d_name[0] > '9')
            continue;
        snprintf(path, sizeof path, "/proc/%.20s/comm", entry->d_name);
        FILE *file = fopen(path, "r");
        if (file && fgets(name, sizeof name, file) && strncmp(name, comm, strlen(comm)) == 0 &&
            in_prefix(entry->d_name))
            found = (pid_t)atoi(entry->d_name);
        if (file)
            fclose(file);
    }
    if (dir)
        closedir(dir);
    return found;
}

double driver_cpu_s(pid_t pid)
{
    char path[64];
    unsigned long user, system;

    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    char *text = driver_read(path);
    /* The name is in parentheses and may hold anything. */
    const char *rest = strrchr(text, ')');
    if (!rest || sscanf(rest + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user,
                        &system) != 2)
        driver_fail("process %ld is gone", (long)pid);
    free(text);
    return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

double driver_private_mib(pid_t pid)
{
    char path[64];
    char line[LINE_BYTES];
    unsigned long kib;
    double sum_kib = 0;

    snprintf(path, sizeof path, "/proc/%ld/smaps_rollup", (long)pid);
    FILE *file = fopen(path, "r");
    if (!file)
        driver_fail("process %ld is gone", (long)pid);
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "Private_Clean: %lu", &kib) == 1 ||
            sscanf(line, "Private_Dirty: %lu", &kib) == 1)
            sum_kib += (double)kib;
    fclose(file);
    return sum_kib / 1024;
}

uint64_t driver_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now); /* Wine's QueryPerformanceCounter */
    return (uint64_t)now.tv_sec * UM_CLOCK_NS_PER_S + (uint64_t)now.tv_nsec;
}
