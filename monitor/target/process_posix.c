#include "monitor/target/process_posix.h"

#include <ctype.h>
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/plain/clock.h"
#include "base/plain/text.h"
#include "base/list.h"
#include "base/platform.h"

#define KILL_NS UM_CLOCK_NS_PER_S
#define KILL_POLL_NS (5 * UM_CLOCK_NS_PER_MS)
#define NICE 5 /* below normal */

extern char **environ;

/* How a child has ended. It is collected where somebody asks for that. */
struct ending {
    bool is_over;
    uint32_t code;
};

struct um_target_process {
    uint32_t pid;
    int handle;            /* a pidfd: the number may be another process's meanwhile */
    struct ending *ending; /* owner: this struct; NULL: it is no child of this process */
};

/* What /proc says ------------------------------------------------------------------------------ */

static int open_thread(uint32_t pid, uint32_t tid, const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%" PRIu32 "/task/%" PRIu32 "/%s", pid, tid, name);
    return open(path, O_RDONLY | O_CLOEXEC);
}

enum um_status um_process_thread_open(uint32_t pid, uint32_t tid, struct um_process_threads *files)
{
    *files = (struct um_process_threads){.status = open_thread(pid, tid, "status"),
                                         .schedstat = open_thread(pid, tid, "schedstat")};
    return files->status >= 0 ? UM_OK : UM_ERR_NOT_FOUND;
}

void um_process_thread_close(struct um_process_threads *files)
{
    if (files->status >= 0)
        close(files->status);
    if (files->schedstat >= 0)
        close(files->schedstat);
}

/* The number behind a name at the begin of a line; 0 if there is none. */
static uint64_t number_of(const char *status, const char *name)
{
    const char *at = strstr(status, name);
    return at ? strtoull(at + strlen(name), NULL, 10) : 0;
}

static bool read_status(int file, struct um_process_thread *thread)
{
    static const char state[] = "\nState:\t", own[] = "\nvoluntary_ctxt_switches:\t",
                      forced[] = "\nnonvoluntary_ctxt_switches:\t";
    char status[4096];
    ssize_t len = pread(file, status, sizeof status - 1, 0);
    if (len <= 0)
        return false;
    status[len] = '\0';
    const char *at = strstr(status, state);
    thread->state = at ? at[sizeof state - 1] : '?';
    thread->waits = number_of(status, own);
    thread->switches = thread->waits + number_of(status, forced);
    return thread->state != 'Z' && thread->state != 'X';
}

/* The third number of schedstat. 0: the kernel does not count. */
static uint64_t read_runs(int file)
{
    char text[128];
    unsigned long long runs = 0;
    ssize_t len = file >= 0 ? pread(file, text, sizeof text - 1, 0) : 0;
    text[len > 0 ? len : 0] = '\0';
    return sscanf(text, "%*u %*u %llu", &runs) == 1 ? runs : 0;
}

bool um_process_thread_read(struct um_process_threads *files, struct um_process_thread *thread)
{
    uint64_t runs = read_runs(files->schedstat);
    bool same = files->known && runs != 0 && runs == files->runs && files->last.state == 'S';
    files->runs = runs; /* before the status: a run in between shows the next time */
    if (!same)
        files->known = read_status(files->status, &files->last);
    *thread = files->last;
    return files->known;
}

static void set_file_name(const char *path, char *buf, size_t cap_bytes)
{
    const char *slash = strrchr(path, '/');
    um_text_set(buf, cap_bytes, slash ? slash + 1 : path);
}

/* The name of the file that it runs, which only its user may read, or else the name that the kernel
 * has, cut at 15 bytes. */
static void name_process(uint32_t pid, char *buf, size_t cap_bytes)
{
    static const char deleted[] = " (deleted)";
    char path[64], target[PATH_MAX];
    snprintf(path, sizeof path, "/proc/%" PRIu32 "/exe", pid);
    ssize_t len = readlink(path, target, sizeof target - 1);
    if (len > 0) {
        target[len] = '\0';
        char *end = target + len - (sizeof deleted - 1);
        if (end > target && strcmp(end, deleted) == 0)
            *end = '\0'; /* it was replaced by an update while it runs */
        set_file_name(target, buf, cap_bytes);
        return;
    }
    snprintf(path, sizeof path, "/proc/%" PRIu32 "/comm", pid);
    FILE *file = fopen(path, "re");
    if (file && fgets(target, sizeof target, file)) {
        target[strcspn(target, "\n")] = '\0';
        um_text_set(buf, cap_bytes, target);
    }
    if (file)
        fclose(file);
}

/* 64 or 32; 0: not known. */
static uint8_t bits_of(uint32_t pid)
{
    unsigned char ident[EI_NIDENT] = {0};
    char path[64];
    snprintf(path, sizeof path, "/proc/%" PRIu32 "/exe", pid);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t len = file >= 0 ? read(file, ident, sizeof ident) : -1;
    if (file >= 0)
        close(file);
    if (len != sizeof ident || memcmp(ident, ELFMAG, SELFMAG) != 0)
        return 0;
    return ident[EI_CLASS] == ELFCLASS64 ? 64 : ident[EI_CLASS] == ELFCLASS32 ? 32 : 0;
}

bool um_process_describe(struct um_target_info *info)
{
    struct stat about;
    char path[64];
    snprintf(path, sizeof path, "/proc/%" PRIu32, info->pid);
    if (stat(path, &about) != 0)
        return false;
    name_process(info->pid, info->name, sizeof info->name);
    if (um_platform_process_started(info->pid, &info->started) != UM_OK)
        info->started = 0;
    info->bits = bits_of(info->pid);
    if (about.st_uid != geteuid() && geteuid() != 0)
        um_text_set(info->why_not, sizeof info->why_not, "it belongs to another user");
    return true;
}

enum um_status um_process_each(bool (*visit)(void *context, uint32_t pid), void *context)
{
    DIR *folder = opendir("/proc");
    const struct dirent *entry;
    bool goes_on = true;
    if (!folder)
        return UM_ERR_IO;
    while (goes_on && (entry = readdir(folder))) {
        char *end;
        unsigned long pid = strtoul(entry->d_name, &end, 10);
        if (isdigit((unsigned char)entry->d_name[0]) && *end == '\0' && pid <= UINT32_MAX &&
            pid != (unsigned long)getpid())
            goes_on = visit(context, (uint32_t)pid);
    }
    closedir(folder);
    return UM_OK;
}

/* Following ------------------------------------------------------------------------------------ */

static enum um_status follow(uint32_t pid, bool is_child, struct um_target_process **process)
{
    struct um_target_process *made = calloc(1, sizeof *made);
    if (!made)
        return UM_ERR_MEMORY;
    made->pid = pid;
    made->ending = is_child ? calloc(1, sizeof *made->ending) : NULL;
    if (is_child && !made->ending) {
        free(made);
        return UM_ERR_MEMORY;
    }
    made->handle = (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);
    if (made->handle < 0 && !is_child) {
        int error = errno;
        free(made);
        return error == ESRCH || error == EINVAL ? UM_ERR_NOT_FOUND : UM_ERR_DENIED;
    }
    *process = made;
    return UM_OK;
}

enum um_status um_process_open(uint32_t pid, struct um_target_process **process)
{
    return follow(pid, false, process);
}

uint32_t um_process_pid(const struct um_target_process *process)
{
    return process->pid;
}

static bool is_over(const struct um_target_process *process)
{
    struct pollfd ended = {.fd = process->handle, .events = POLLIN};
    struct ending *ending = process->ending;
    int status;
    if (!ending)
        return poll(&ended, 1, 0) > 0;
    if (!ending->is_over && waitpid((pid_t)process->pid, &status, WNOHANG) == (pid_t)process->pid) {
        ending->code = (uint32_t)(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
        ending->is_over = true;
    }
    return ending->is_over;
}

bool um_process_running(const struct um_target_process *process)
{
    return !is_over(process);
}

enum um_status um_process_exit_code(const struct um_target_process *process, uint32_t *code)
{
    if (!is_over(process))
        return UM_ERR_BUSY;
    if (!process->ending)
        return UM_ERR_IO;
    *code = process->ending->code;
    return UM_OK;
}

enum um_status um_process_cpu_ns(const struct um_target_process *process, uint64_t *ns)
{
    struct timespec used;
    clockid_t clock;
    if (clock_getcpuclockid((pid_t)process->pid, &clock) != 0 || clock_gettime(clock, &used) != 0)
        return UM_ERR_IO;
    *ns = (uint64_t)used.tv_sec * UM_CLOCK_NS_PER_S + (uint64_t)used.tv_nsec;
    return UM_OK;
}

void um_process_kill(struct um_target_process *process)
{
    uint64_t until_ns = um_clock_now_ns() + KILL_NS;
    if (is_over(process))
        return;
    if (process->handle < 0 ||
        syscall(SYS_pidfd_send_signal, process->handle, SIGKILL, NULL, 0) != 0)
        kill((pid_t)process->pid, SIGKILL); /* a child that was not collected keeps its number */
    while (!is_over(process) && um_clock_now_ns() < until_ns)
        um_clock_sleep_ns(KILL_POLL_NS);
}

void um_process_close(struct um_target_process *process)
{
    if (!process)
        return;
    if (process->handle >= 0)
        close(process->handle);
    free(process->ending);
    free(process);
}

/* Starting ------------------------------------------------------------------------------------- */

static bool is_program(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode) && access(path, X_OK) == 0;
}

static enum um_status use_path(const char *found, char *path, size_t cap_bytes)
{
    char whole[PATH_MAX];
    if (!realpath(found, whole))
        return UM_ERR_NOT_FOUND;
    if (strlen(whole) >= cap_bytes)
        return UM_ERR_TOO_LARGE;
    um_text_set(path, cap_bytes, whole);
    return UM_OK;
}

/* A relative folder of PATH is left out: a stranger may have put a program there. */
enum um_status um_process_find_program(const char *name, char *path, size_t cap_bytes)
{
    char candidate[PATH_MAX];
    const char *list = getenv("PATH");
    if (strchr(name, '/') && !is_program(name))
        return access(name, F_OK) == 0 ? UM_ERR_FORMAT : UM_ERR_NOT_FOUND;
    if (strchr(name, '/'))
        return use_path(name, path, cap_bytes);
    if (um_platform_beside(name, candidate, sizeof candidate) == UM_OK && is_program(candidate))
        return use_path(candidate, path, cap_bytes);
    for (const char *at = list ? list : "/usr/bin:/bin"; *at; at += *at == ':') {
        size_t len = strcspn(at, ":");
        int wrote = snprintf(candidate, sizeof candidate, "%.*s/%s", (int)len, at, name);
        if (*at == '/' && wrote > 0 && (size_t)wrote < sizeof candidate && is_program(candidate))
            return use_path(candidate, path, cap_bytes);
        at += len;
    }
    return UM_ERR_NOT_FOUND;
}

/* "NAME=VALUE", with what the variable has already if `joins`. Owner: free. NULL: out of memory. */
static char *assignment(const struct um_target_variable *variable)
{
    const char *old = variable->joins ? getenv(variable->name) : NULL;
    char *text = NULL;
    int wrote = old && *old ? asprintf(&text, "%s=%s;%s", variable->name, old, variable->value)
                            : asprintf(&text, "%s=%s", variable->name, variable->value);
    return wrote < 0 ? NULL : text;
}

static bool names(const char *entry, const char *name)
{
    size_t len = strlen(name);
    return strncmp(entry, name, len) == 0 && entry[len] == '=';
}

/* This process's environment with the variables; the first `*own` entries are this list's. */
static char **environment(const struct um_target_variable *variables, size_t *own)
{
    size_t count = 0, kept = 0;
    *own = 0;
    while (environ[count])
        count++;
    while (variables && variables[*own].name)
        (*own)++;
    char **list = calloc(count + *own + 1, sizeof *list);
    for (size_t i = 0; list && i < *own; i++) {
        list[i] = assignment(&variables[i]);
        if (!list[i]) {
            *own = i;
            count = 0;
        }
    }
    for (size_t i = 0; list && i < count; i++) {
        bool replaced = false;
        for (size_t k = 0; k < *own && !replaced; k++)
            replaced = names(environ[i], variables[k].name);
        if (!replaced)
            list[*own + kept++] = environ[i];
    }
    return list;
}

/* What a helper gets to see; everything else could make it load foreign libraries. */
static size_t small_environment(char **list, size_t room)
{
    static const char *const wanted[] = {
        "DISPLAY", "XAUTHORITY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME",
        "HOME",    "LANG",       "LC_ALL",          "LC_CTYPE",        "TMPDIR"};
    size_t count = 0;
    for (size_t i = 0; environ[i] && count + 1 < room; i++)
        for (size_t k = 0; k < sizeof wanted / sizeof wanted[0]; k++)
            if (names(environ[i], wanted[k]))
                list[count++] = environ[i];
    list[count] = NULL;
    return count;
}

static enum um_status spawn_status(int error)
{
    switch (error) {
    case 0:
        return UM_OK;
    case ENOENT:
        return UM_ERR_NOT_FOUND;
    case ENOEXEC:
        return UM_ERR_FORMAT;
    case EACCES:
    case EPERM:
        return UM_ERR_DENIED;
    case E2BIG:
        return UM_ERR_TOO_LARGE;
    case ENOMEM:
        return UM_ERR_MEMORY;
    default:
        return UM_ERR_IO;
    }
}

/* Starts a program of that path. With `apart` it gets a process group of its own, so that Ctrl+C in
 * a shared terminal does not reach it, and nothing to read: a terminal stops programs of another
 * group that read from it. It inherits `handle` (-1: none) besides what all do. */
static enum um_status spawn(const char *path, char *const *argv, char **variables, bool apart,
                            int handle, struct um_target_process **process)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    sigset_t none, pipes;
    pid_t pid;

    if (posix_spawn_file_actions_init(&files) != 0)
        return UM_ERR_MEMORY;
    if (posix_spawnattr_init(&how) != 0) {
        posix_spawn_file_actions_destroy(&files);
        return UM_ERR_MEMORY;
    }
    sigemptyset(&none);
    sigemptyset(&pipes);
    sigaddset(&pipes, SIGPIPE); /* this process ignores it, and a program would inherit that */
    posix_spawnattr_setsigmask(&how, &none);
    posix_spawnattr_setsigdefault(&how, &pipes);
    posix_spawnattr_setflags(&how, (short)(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                           (apart ? POSIX_SPAWN_SETPGROUP : 0)));
    int error = 0;
    if (apart)
        error = posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (error == 0 && handle >= 0) /* the same number twice: it stays open in the program */
        error = posix_spawn_file_actions_adddup2(&files, handle, handle);
    if (error == 0)
        error = posix_spawn(&pid, path, &files, &how, argv, variables);
    posix_spawnattr_destroy(&how);
    posix_spawn_file_actions_destroy(&files);
    if (error != 0)
        return spawn_status(error);
    enum um_status status = follow((uint32_t)pid, true, process);
    if (status != UM_OK) {
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
    }
    return status;
}

static enum um_status start(char *const *argv, const struct um_target_variable *variables,
                            bool apart, struct um_target_process **process)
{
    char path[PATH_MAX];
    size_t own;
    enum um_status status = um_process_find_program(argv[0], path, sizeof path);
    if (status != UM_OK)
        return status;
    char **list = environment(variables, &own);
    if (!list)
        return UM_ERR_MEMORY;
    status = spawn(path, argv, list, apart, -1, process);
    if (status == UM_ERR_NOT_FOUND) /* it is there, but what its first line names is not */
        status = UM_ERR_FORMAT;
    for (size_t i = 0; i < own; i++)
        free(list[i]);
    free(list);
    return status;
}

enum um_status um_process_launch(char *const *argv, int argc,
                                 const struct um_target_variable *variables,
                                 struct um_target_process **process)
{
    (void)argc;
    return start(argv, variables, true, process);
}

/* The process group of a process that runs; 0: it has ended, also if nobody has asked how yet. */
static pid_t group_of(uint32_t pid)
{
    char path[64], text[512], state;
    int group;
    snprintf(path, sizeof path, "/proc/%" PRIu32 "/stat", pid);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t len = file >= 0 ? read(file, text, sizeof text - 1) : -1;
    if (file >= 0)
        close(file);
    text[len > 0 ? len : 0] = '\0';
    const char *name_end = strrchr(text, ')'); /* the name may have brackets and blanks */
    if (!name_end || sscanf(name_end + 1, " %c %*d %d", &state, &group) != 2)
        return 0;
    return state == 'Z' || state == 'X' ? 0 : group;
}

struct members {
    uint32_t group;
    uint32_t *pids;
    size_t count, room;
    bool short_of_memory;
};

static bool add_member(void *context, uint32_t pid)
{
    struct members *members = context;
    if (pid == members->group || group_of(pid) != (pid_t)members->group)
        return true;
    members->short_of_memory = !um_list_reserve(&members->pids, &members->room, members->count + 1,
                                                SIZE_MAX, sizeof members->pids[0]);
    if (!members->short_of_memory)
        members->pids[members->count++] = pid;
    return !members->short_of_memory;
}

/* A launched program has a process group of its own, in which its children are, too, unless they
 * leave it. The system gives its number to nobody else while one of them runs. */
enum um_status um_process_started(const struct um_target_process *launched, uint32_t **pids,
                                  size_t *count)
{
    struct members members = {.group = launched->pid};
    enum um_status status = um_process_each(add_member, &members);
    if (members.short_of_memory)
        status = UM_ERR_MEMORY;
    if (status != UM_OK) {
        free(members.pids);
        return status;
    }
    *pids = members.pids;
    *count = members.count;
    return UM_OK;
}

enum um_status um_process_run(char *const *argv, int argc, struct um_target_process **process)
{
    (void)argc;
    return start(argv, NULL, false, process);
}

enum um_status um_process_start_helper(char *const *argv, int argc, intptr_t handle,
                                       struct um_target_process **process)
{
    char *variables[16];
    (void)argc;
    small_environment(variables, sizeof variables / sizeof variables[0]);
    return spawn(argv[0], argv, variables, true, (int)handle, process);
}

enum um_status um_process_start_aside(char *const *argv, int argc, bool hurries,
                                      struct um_target_process **process)
{
    enum um_status status = um_process_start_helper(argv, argc, -1, process);
    if (status == UM_OK && !hurries)
        setpriority(PRIO_PROCESS, (id_t)um_process_pid(*process), NICE);
    return status;
}
