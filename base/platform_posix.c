#include "base/platform.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "base/exit_code.h"
#include "base/list.h"
#include "base/plain/clock.h"

#define LOCK_LOOK_NS (10 * UM_CLOCK_NS_PER_MS)

static _Atomic int interrupted;
static _Atomic int ends_on_interrupt;
static int interrupt_pipe[2] = {-1, -1}; /* a byte in it: the user asks to stop */
static struct termios terminal_before;
static bool terminal_changed;
static bool missing[STDERR_FILENO + 1]; /* the standard streams that were, at the start */

static void restore_terminal(void)
{
    if (terminal_changed)
        tcsetattr(STDIN_FILENO, TCSANOW, &terminal_before);
}

static void on_signal(int signal)
{
    int before = errno;
    (void)signal;
    if (atomic_load(&ends_on_interrupt))
        um_platform_leave(UM_EXIT_FAILED);
    atomic_store(&interrupted, 1);
    ssize_t written = write(interrupt_pipe[1], "", 1);
    (void)written; /* the pipe is full: whoever waits is awake already */
    errno = before;
}

/* Callers keep parts of both until the process ends. */
static char *argument_text; /* each argument with its NUL */
static char **arguments;    /* into argument_text */

/* The arguments of the process, each with its NUL. Owner: free. NULL: they cannot be read. */
static char *read_arguments(size_t *len)
{
    size_t cap = 0;
    char *text = NULL;
    FILE *file = fopen("/proc/self/cmdline", "rb");
    *len = 0;
    while (file && *len == cap && um_list_reserve(&text, &cap, cap + 1, SIZE_MAX, 1))
        *len += fread(text + *len, 1, cap - *len, file);
    if (file)
        fclose(file);
    if (*len < cap)
        return text;
    free(text);
    return NULL;
}

/* Puts the null device in the place of each standard stream that is closed. A file that is opened
 * next would get its number, and then what is printed, too. */
static void fill_standard_streams(void)
{
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++) {
        if (fcntl(stream, F_GETFD) >= 0)
            continue;
        missing[stream] = open("/dev/null", O_RDWR) == stream; /* the lowest number that is free */
    }
}

enum um_status um_platform_start(int *argc, char ***argv)
{
    struct sigaction stop = {.sa_handler = on_signal};
    size_t len;
    int count = 0;
    fill_standard_streams();
    argument_text = read_arguments(&len);
    if (!argument_text || pipe2(interrupt_pipe, O_CLOEXEC | O_NONBLOCK) != 0)
        return UM_ERR_MEMORY;
    for (size_t i = 0; i < len; i++)
        count += argument_text[i] == '\0';
    arguments = calloc((size_t)count + 1, sizeof *arguments);
    if (!arguments)
        return UM_ERR_MEMORY;
    char *text = argument_text;
    for (int i = 0; i < count; i++, text += strlen(text) + 1)
        arguments[i] = text;
    atexit(restore_terminal);
    sigaction(SIGINT, &stop, NULL);
    sigaction(SIGTERM, &stop, NULL);
    struct sigaction before;
    if (sigaction(SIGHUP, NULL, &before) != 0 || before.sa_handler != SIG_IGN) /* nohup(1) */
        sigaction(SIGHUP, &stop, NULL);
    signal(SIGPIPE, SIG_IGN); /* writing fails instead */
    *argc = count;
    *argv = arguments;
    return UM_OK;
}

bool um_platform_is_missing(FILE *stream)
{
    return (stream == stdout && missing[STDOUT_FILENO]) ||
           (stream == stderr && missing[STDERR_FILENO]);
}

bool um_platform_stdout_left(void)
{
    struct pollfd out = {.fd = STDOUT_FILENO};
    return poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

bool um_platform_interrupted(void)
{
    return atomic_load(&interrupted) != 0;
}

/* The signals that are caught from the start come with the end of the session, too. */
void um_platform_watch_session_end(void)
{
}

void um_platform_unwatch_session_end(void)
{
}

void um_platform_end_on_interrupt(void)
{
    atomic_store(&ends_on_interrupt, 1);
}

void um_platform_wait_interrupt(uint32_t ms)
{
    poll(&(struct pollfd){.fd = interrupt_pipe[0], .events = POLLIN}, 1, (int)ms);
}

void um_platform_leave(int code)
{
    restore_terminal();
    _exit(code);
}

enum um_status um_platform_beside(const char *file, char *path, size_t cap_bytes)
{
    char program[UM_PLATFORM_PATH_BYTES];
    ssize_t len = readlink("/proc/self/exe", program, sizeof program - 1);
    if (len <= 0)
        return UM_ERR_IO;
    program[len] = '\0';
    strrchr(program, '/')[1] = '\0';
    int need = snprintf(path, cap_bytes, "%s%s", program, file);
    return need > 0 && (size_t)need < cap_bytes ? UM_OK : UM_ERR_TOO_LARGE;
}

enum um_status um_platform_program(const char *name, char *path, size_t cap_bytes)
{
    return um_platform_beside(name, path, cap_bytes);
}

/* The path of a file in uimon's own folder, below the one that a variable of the environment names,
 * or that lies in the user's home. */
static enum um_status user_path(const char *variable, const char *in_home, const char *file,
                                char *path, size_t cap_bytes)
{
    const char *folder = getenv(variable);
    const char *home = getenv("HOME");
    bool given = folder && folder[0] == '/';
    if (!given && (!home || home[0] != '/'))
        return UM_ERR_NOT_FOUND;
    int need = given ? snprintf(path, cap_bytes, "%s/uimon/%s", folder, file)
                     : snprintf(path, cap_bytes, "%s/%s/uimon/%s", home, in_home, file);
    return need > 0 && (size_t)need < cap_bytes ? UM_OK : UM_ERR_TOO_LARGE;
}

enum um_status um_platform_config_path(char *path, size_t cap_bytes)
{
    enum um_status status = user_path("XDG_CONFIG_HOME", ".config", "uimon.conf", path, cap_bytes);
    return status == UM_OK ? UM_OK : UM_ERR_NOT_FOUND;
}

enum um_status um_platform_data_path(const char *file, char *path, size_t cap_bytes)
{
    enum um_status status = user_path("XDG_DATA_HOME", ".local/share", "", path, cap_bytes);
    if (status == UM_OK)
        mkdir(path, S_IRWXU);
    return status == UM_OK ? user_path("XDG_DATA_HOME", ".local/share", file, path, cap_bytes)
                           : status;
}

static struct winsize terminal_size(int file)
{
    struct winsize size = {0};
    if (ioctl(file, TIOCGWINSZ, &size) != 0)
        size = (struct winsize){0};
    return size;
}

/* The last column would wrap. */
static size_t columns(int file)
{
    struct winsize size = terminal_size(file);
    return size.ws_col > 1 ? size.ws_col - 1U : 0;
}

size_t um_platform_stderr_columns(void)
{
    return columns(STDERR_FILENO);
}

size_t um_platform_stdout_columns(void)
{
    return columns(STDOUT_FILENO);
}

size_t um_platform_stdout_rows(void)
{
    return terminal_size(STDOUT_FILENO).ws_row;
}

bool um_platform_stdout_takes_sequences(void)
{
    const char *kind = getenv("TERM");
    return isatty(STDOUT_FILENO) && kind && strcmp(kind, "dumb") != 0;
}

bool um_platform_owns_console(void)
{
    return false;
}

void um_platform_wait_key(void)
{
    getchar();
}

bool um_platform_stdin_is_terminal(void)
{
    return isatty(STDIN_FILENO);
}

/* Here no thread is needed: um_platform_keys reads when there is something. A terminal gives keys
 * as they are pressed, and does not show them. */
enum um_status um_platform_keys_start(void)
{
    if (tcgetattr(STDIN_FILENO, &terminal_before) != 0)
        return UM_OK;
    struct termios keys = terminal_before;
    keys.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    terminal_changed = tcsetattr(STDIN_FILENO, TCSANOW, &keys) == 0;
    return UM_OK;
}

size_t um_platform_keys(char *keys, size_t cap_bytes, uint32_t ms, bool *over)
{
    static bool is_over;
    struct pollfd files[] = {{.fd = interrupt_pipe[0], .events = POLLIN},
                             {.fd = STDIN_FILENO, .events = POLLIN}};
    ssize_t len = 0;
    if (!is_over && poll(files, 2, (int)ms) > 0 && files[1].revents) {
        len = read(STDIN_FILENO, keys, cap_bytes);
        is_over = len <= 0 && errno != EINTR;
    }
    *over = is_over;
    return len > 0 ? (size_t)len : 0;
}

uint64_t um_platform_cpu_ns(void)
{
    struct timespec used;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (uint64_t)used.tv_sec * UM_CLOCK_NS_PER_S + (uint64_t)used.tv_nsec;
}

void um_platform_write_bytes(FILE *file)
{
    (void)file;
}

bool um_platform_same_file(const char *a, const char *b)
{
    struct stat one;
    struct stat other;
    return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

bool um_platform_is_regular(const char *path)
{
    struct stat found;
    return stat(path, &found) == 0 && S_ISREG(found.st_mode);
}

bool um_platform_is_guarded(void)
{
    return false;
}

enum um_status um_platform_guarded_folder(const char *name, bool make, char *path, size_t cap_bytes)
{
    (void)name, (void)make, (void)path, (void)cap_bytes;
    return UM_ERR_NOT_FOUND;
}

enum um_status um_platform_replace(const char *from, const char *to)
{
    return rename(from, to) == 0 ? UM_OK : UM_ERR_IO;
}

void um_platform_machine(struct um_platform_machine *machine)
{
    memset(machine, 0, sizeof *machine);
    if (gethostname(machine->name, sizeof machine->name - 1) != 0)
        machine->name[0] = '\0';
}

static bool write_at(int file, const char *text, size_t len, off_t at)
{
    while (len > 0) {
        ssize_t written = pwrite(file, text, len, at);
        if (written < 0)
            return false;
        text += written;
        len -= (size_t)written;
        at += written;
    }
    return true;
}

/* Locks a file, and waits for that as long as the caller has time. (flock itself waits for
 * ever.) */
static enum um_status lock(int file, uint32_t wait_ms)
{
    uint64_t until_ns = um_clock_now_ns() + wait_ms * UM_CLOCK_NS_PER_MS;

    while (flock(file, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return UM_ERR_IO;
        if (um_clock_now_ns() >= until_ns)
            return UM_ERR_BUSY;
        um_clock_sleep_ns(LOCK_LOOK_NS);
    }
    return UM_OK;
}

/* Appends to a file that is locked. */
static bool append(int file, const char *text, size_t len_bytes)
{
    char last = '\n';
    off_t end = lseek(file, 0, SEEK_END);
    if (end < 0 || (end > 0 && pread(file, &last, 1, end - 1) != 1))
        return false;
    size_t skipped = last == '\n';
    if (write_at(file, text + skipped, len_bytes - skipped, end) && fsync(file) == 0)
        return true;
    bool cut = ftruncate(file, end) == 0;
    (void)cut; /* where that fails too, the next one to append begins on a new line */
    return false;
}

enum um_status um_platform_append(const char *path, const char *text, size_t len_bytes,
                                  uint32_t wait_ms)
{
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0)
        return errno == ENOENT                                        ? UM_ERR_NOT_FOUND
               : errno == EACCES || errno == EISDIR || errno == EROFS ? UM_ERR_DENIED
                                                                      : UM_ERR_IO;
    enum um_status status = lock(file, wait_ms);
    if (status == UM_OK && !append(file, text, len_bytes))
        status = UM_ERR_IO;
    close(file);
    return status;
}

enum um_status um_platform_write_private(const char *path, const char *text)
{
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (file < 0)
        return UM_ERR_IO;
    bool whole = write_at(file, text, strlen(text), 0);
    whole = close(file) == 0 && whole;
    return whole ? UM_OK : UM_ERR_IO;
}

enum um_status um_platform_make_folder(const char *path)
{
    if (mkdir(path, S_IRWXU) == 0)
        return UM_OK;
    switch (errno) {
    case EEXIST:
        return UM_ERR_BUSY;
    case ENOENT:
    case ENOTDIR:
        return UM_ERR_NOT_FOUND;
    case EACCES:
    case EPERM:
    case EROFS:
        return UM_ERR_DENIED;
    default:
        return UM_ERR_IO;
    }
}

FILE *um_platform_open_alone(const char *path)
{
    int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0)
        return NULL;
    struct stat found;
    bool is_file = fstat(file, &found) != 0 || S_ISREG(found.st_mode);
    bool is_free = !is_file || flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
    /* A device or a pipe has no length. */
    FILE *opened =
        is_free && (ftruncate(file, 0) == 0 || errno == EINVAL) ? fdopen(file, "wb") : NULL;
    if (!opened)
        close(file);
    return opened;
}

bool um_platform_file_bytes(const char *path, uint64_t *bytes)
{
    struct stat found;
    if (stat(path, &found) != 0 || !S_ISREG(found.st_mode))
        return false;
    *bytes = (uint64_t)found.st_size;
    return true;
}

bool um_platform_seek(FILE *file, uint64_t at_bytes)
{
    return at_bytes <= INT64_MAX && fseeko(file, (off_t)at_bytes, SEEK_SET) == 0;
}

/* The lock is held for a moment, in which nobody could begin to write the file anew. */
bool um_platform_is_written(const char *path)
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return false;
    bool is_written = flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    close(file);
    return is_written;
}

struct um_platform_held {
    int file;    /* or a folder */
    char path[]; /* "" of a folder */
};

/* Whether the file that was locked still has this name. Its last holder may have removed it in
 * between, and another process may then have made it anew. */
static bool is_there(int file, const char *path)
{
    struct stat locked, named;
    return fstat(file, &locked) == 0 && stat(path, &named) == 0 && locked.st_dev == named.st_dev &&
           locked.st_ino == named.st_ino;
}

enum um_status um_platform_hold(const char *path, struct um_platform_held **held)
{
    size_t len = strlen(path) + 1;
    struct um_platform_held *made = malloc(sizeof *made + len);
    if (!made)
        return UM_ERR_MEMORY;
    memcpy(made->path, path, len);
    enum um_status status = UM_ERR_IO;
    do {
        made->file = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
        status = made->file < 0 ? UM_ERR_IO : lock(made->file, 0);
        if (status == UM_OK && is_there(made->file, path)) {
            *held = made;
            return UM_OK;
        }
        if (made->file >= 0)
            close(made->file);
    } while (status == UM_OK);
    free(made);
    return status;
}

void um_platform_let_go(struct um_platform_held *held)
{
    if (!held)
        return;
    if (held->path[0] != '\0')
        unlink(held->path); /* while it is locked, so that it is nobody else's yet */
    close(held->file);
    free(held);
}

/* On this system others can still rename the folder. */
enum um_status um_platform_hold_folder(const char *path, struct um_platform_held **held)
{
    struct um_platform_held *made = malloc(sizeof *made + 1);
    if (!made)
        return UM_ERR_MEMORY;
    made->path[0] = '\0';
    made->file = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (made->file >= 0) {
        *held = made;
        return UM_OK;
    }
    free(made);
    return errno == ENOENT ? UM_ERR_NOT_FOUND : UM_ERR_DENIED;
}

enum um_status um_platform_held_path(const struct um_platform_held *held, char *path,
                                     size_t cap_bytes)
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", held->file);
    ssize_t len = readlink(link, path, cap_bytes);
    if (len < 0)
        return UM_ERR_IO;
    if ((size_t)len >= cap_bytes)
        return UM_ERR_TOO_LARGE;
    path[len] = '\0';
    return UM_OK;
}

enum um_status um_platform_hand_on(const struct um_platform_held *held, uint32_t pid)
{
    (void)held, (void)pid;
    return UM_OK;
}

/* Makes a folder for this user alone, or checks that the one that is there is one. */
static enum um_status own_folder(const char *path)
{
    struct stat found;
    if (mkdir(path, S_IRWXU) != 0 && errno != EEXIST)
        return UM_ERR_IO;
    if (lstat(path, &found) != 0)
        return UM_ERR_IO;
    bool own = S_ISDIR(found.st_mode) && found.st_uid == geteuid() &&
               (found.st_mode & (S_IRWXG | S_IRWXO)) == 0;
    return own ? UM_OK : UM_ERR_DENIED;
}

/* Where a user's own short-lived files belong. Where the session names no place, that is a folder
 * of this user's in /tmp, as for sockets (ipc/transport_posix.c); own_folder refuses a stranger's.
 */
static enum um_status runtime_folder(char *path, size_t cap_bytes)
{
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    int need;
    if (runtime && runtime[0] == '/')
        need = snprintf(path, cap_bytes, "%s/uimon", runtime);
    else
        need = snprintf(path, cap_bytes, "/tmp/uimon-%lu", (unsigned long)geteuid());
    return need > 0 && (size_t)need < cap_bytes ? own_folder(path) : UM_ERR_TOO_LARGE;
}

enum um_status um_platform_private_folder(const char *name, char *path, size_t cap_bytes)
{
    enum um_status status = runtime_folder(path, cap_bytes);
    if (status != UM_OK)
        return status;
    size_t len = strlen(path);
    int need = snprintf(path + len, cap_bytes - len, "/%s", name);
    return need > 0 && (size_t)need < cap_bytes - len ? own_folder(path) : UM_ERR_TOO_LARGE;
}

/* The 22nd field of /proc/PID/stat, in clock ticks since the machine's start. The second one is a
 * name in parentheses, which may hold anything, so the fields are counted from its end. */
enum um_status um_platform_process_started(uint32_t pid, uint64_t *started)
{
    char path[64];
    char text[1024];
    snprintf(path, sizeof path, "/proc/%" PRIu32 "/stat", pid);
    FILE *file = fopen(path, "r");
    if (!file)
        return errno == ENOENT ? UM_ERR_NOT_FOUND : UM_ERR_DENIED;
    size_t len = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[len] = '\0';
    const char *at = strrchr(text, ')');
    for (int field = 2; at && field < 22; field++)
        at = strchr(at + 1, ' ');
    if (!at)
        return len == 0 ? UM_ERR_NOT_FOUND : UM_ERR_DENIED;
    *started = strtoull(at + 1, NULL, 10);
    return UM_OK;
}

enum um_status um_platform_list_files(const char *folder, const char *suffix,
                                      void (*take)(void *context, const char *path), void *context)
{
    struct dirent **names;
    int count = scandir(folder, &names, NULL, alphasort);
    if (count < 0)
        return errno == ENOMEM ? UM_ERR_MEMORY : UM_ERR_NOT_FOUND;
    for (int i = 0; i < count; i++) {
        char path[UM_PLATFORM_PATH_BYTES];
        struct stat found;
        size_t len = strlen(names[i]->d_name);
        bool fits =
            len > strlen(suffix) && strcmp(names[i]->d_name + len - strlen(suffix), suffix) == 0;
        int need = snprintf(path, sizeof path, "%s/%s", folder, names[i]->d_name);
        free(names[i]);
        fits = fits && need > 0 && (size_t)need < sizeof path;
        if (fits && stat(path, &found) == 0 && !S_ISDIR(found.st_mode))
            take(context, path);
    }
    free(names);
    return UM_OK;
}

bool um_platform_variable(const char *name, char *value, size_t cap_bytes)
{
    const char *set = getenv(name);
    bool fits = set && strlen(set) < cap_bytes;
    snprintf(value, cap_bytes, "%s", fits ? set : "");
    return fits;
}

enum um_status um_platform_claim(uint32_t target_pid, uint32_t *owner_pid,
                                 struct um_platform_held **claim)
{
    char folder[UM_PLATFORM_PATH_BYTES];
    char path[UM_PLATFORM_PATH_BYTES + 16];
    enum um_status status = um_platform_private_folder("targets", folder, sizeof folder);
    if (status == UM_OK) {
        snprintf(path, sizeof path, "%s/%" PRIu32, folder, target_pid);
        status = um_platform_hold(path, claim);
    }
    *owner_pid = status == UM_OK ? (uint32_t)getpid() : 0; /* the file does not say who holds it */
    return status == UM_OK || status == UM_ERR_BUSY ? status : UM_ERR_IO;
}
