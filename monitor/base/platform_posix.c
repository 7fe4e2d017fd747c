/* The part of platform.h that natively built tests need. uimon itself runs on Windows only. */
#include "monitor/base/platform.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ipc/clock.h"

#define LOCK_LOOK_NS (10 * UM_CLOCK_NS_PER_MS)

void um_platform_end_on_interrupt(void)
{
    /* Nothing here catches the signal. */
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
    bool is_free = flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
    /* A device or a pipe has no length. */
    FILE *opened =
        is_free && (ftruncate(file, 0) == 0 || errno == EINVAL) ? fdopen(file, "wb") : NULL;
    if (!opened)
        close(file);
    return opened;
}

struct um_platform_held {
    int file;    /* or a folder */
    char path[]; /* "" of a folder */
};

/* Whether the file that was locked still has this name: the one who held it before may have removed
 * it in between, and then another one may have made it anew. */
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
        unlink(held->path); /* before the lock goes, so that it is no other one's */
    close(held->file);
    free(held);
}

/* Here an open folder can be renamed all the same. */
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

enum um_status um_platform_private_folder(const char *name, char *path, size_t cap_bytes)
{
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    if (!runtime || runtime[0] != '/')
        return UM_ERR_NOT_FOUND;
    int need = snprintf(path, cap_bytes, "%s/uimon", runtime);
    if (need < 0 || (size_t)need >= cap_bytes)
        return UM_ERR_TOO_LARGE;
    enum um_status status = own_folder(path);
    if (status != UM_OK)
        return status;
    need = snprintf(path, cap_bytes, "%s/uimon/%s", runtime, name);
    return need > 0 && (size_t)need < cap_bytes ? own_folder(path) : UM_ERR_TOO_LARGE;
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

void um_platform_symbol_path(char *path, size_t cap_bytes)
{
    const char *set = getenv("_NT_SYMBOL_PATH");
    int need = snprintf(path, cap_bytes, "%s", set ? set : "");
    if (need < 0 || (size_t)need >= cap_bytes)
        path[0] = '\0';
}
