#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/platform.h"

static bool copy_path(const char *from, char to[UM_FILE_PATH_BYTES])
{
    return snprintf(to, UM_FILE_PATH_BYTES, "%s", from) < UM_FILE_PATH_BYTES;
}

/* Finds the file that a path leads to. `mode` is its rights, 0 if there is none. */
static enum um_status find_place(const char *path, bool secret, char place[UM_FILE_PATH_BYTES],
                                 mode_t *mode)
{
    struct stat found;

    *mode = 0;
    if (!copy_path(path, place))
        return UM_ERR_UNSUPPORTED;
    if (lstat(path, &found) != 0)
        return errno == ENOENT ? UM_OK : UM_ERR_UNSUPPORTED;
    if (S_ISLNK(found.st_mode)) {
        char *real = realpath(path, NULL);
        bool fits = real && copy_path(real, place);
        free(real);
        if (!fits || lstat(place, &found) != 0)
            return UM_ERR_UNSUPPORTED;
    }
    if (!S_ISREG(found.st_mode) || found.st_nlink > 1 || access(place, W_OK) != 0)
        return UM_ERR_UNSUPPORTED;
    if (found.st_uid != geteuid())
        return secret ? UM_ERR_DENIED : UM_ERR_UNSUPPORTED;
    *mode = found.st_mode & (S_IRWXU | S_IRWXG | S_IRWXO);
    return UM_OK;
}

/* Whoever holds a lock on the draft writes it. */
static enum um_status remove_left(const char *path)
{
    int left = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool busy = left >= 0 && flock(left, LOCK_EX | LOCK_NB) != 0;
    if (left >= 0)
        close(left);
    if (busy)
        return UM_ERR_BUSY;
    return unlink(path) == 0 || errno == ENOENT ? UM_OK : UM_ERR_UNSUPPORTED;
}

enum um_status um_file_draft_open(const char *path, bool secret, struct um_file_draft *draft)
{
    mode_t mode;
    enum um_status status = find_place(path, secret, draft->place, &mode);
    if (status != UM_OK)
        return status;
    snprintf(draft->path, sizeof draft->path, "%s%s", draft->place, UM_FILE_DRAFT_SUFFIX);
    status = remove_left(draft->path);
    if (status != UM_OK)
        return status;
    int file = open(draft->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                    secret || mode ? S_IRUSR | S_IWUSR : 0666);
    if (file < 0)
        return UM_ERR_UNSUPPORTED;
    bool kept = flock(file, LOCK_EX | LOCK_NB) == 0 && (secret || !mode || fchmod(file, mode) == 0);
    draft->file = kept ? fdopen(file, "wb") : NULL;
    draft->folder = NULL;
    draft->secret = secret;
    draft->left = false;
    if (draft->file)
        return UM_OK;
    close(file);
    unlink(draft->path);
    return UM_ERR_UNSUPPORTED;
}

/* Gives a draft the name under which no later one replaces it. */
static void leave(struct um_file_draft *draft)
{
    char path[sizeof draft->path];

    snprintf(path, sizeof path, "%s%s", draft->place, UM_FILE_LEFT_SUFFIX);
    draft->left = link(draft->path, path) == 0; /* which replaces nothing */
    if (!draft->left)
        return;
    unlink(draft->path);
    memcpy(draft->path, path, sizeof path);
}

enum um_status um_file_draft_settle(struct um_file_draft *draft)
{
    bool whole = fflush(draft->file) == 0 && !ferror(draft->file);
    whole = fsync(fileno(draft->file)) == 0 && whole;
    whole = fclose(draft->file) == 0 && whole;
    if (!whole) {
        unlink(draft->path);
        return UM_ERR_IO;
    }
    if (rename(draft->path, draft->place) == 0)
        return UM_OK;
    leave(draft);
    return UM_ERR_BUSY;
}

void um_file_draft_drop(struct um_file_draft *draft)
{
    fclose(draft->file);
    unlink(draft->path);
}

bool um_file_can_be_replaced(const char *path)
{
    char place[UM_FILE_PATH_BYTES];
    mode_t mode;
    return find_place(path, false, place, &mode) == UM_OK;
}

static enum um_status open_secret(const char *path, int *file)
{
    struct stat found;
    *file = open(path, O_WRONLY | O_CREAT | O_NONBLOCK | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (*file < 0)
        return errno == EACCES ? UM_ERR_DENIED : UM_ERR_IO;
    enum um_status status = UM_OK;
    bool on_disk = fstat(*file, &found) == 0 && S_ISREG(found.st_mode);
    if (on_disk && found.st_uid != geteuid())
        status = UM_ERR_DENIED;
    else if (on_disk && flock(*file, LOCK_EX | LOCK_NB) != 0)
        status = UM_ERR_BUSY;
    else if (!on_disk || fchmod(*file, S_IRUSR | S_IWUSR) != 0)
        status = UM_ERR_IO;
    if (status != UM_OK)
        close(*file);
    return status;
}

enum um_status um_file_make_secret(const char *path)
{
    int file;
    enum um_status status = open_secret(path, &file);
    if (status == UM_OK)
        close(file);
    return status;
}

FILE *um_file_open_secret(const char *path)
{
    int file;
    if (open_secret(path, &file) != UM_OK)
        return NULL;
    FILE *opened = ftruncate(file, 0) == 0 ? fdopen(file, "wb") : NULL;
    if (!opened)
        close(file);
    return opened;
}

FILE *um_file_open_guarded(const char *path)
{
    return um_platform_open_alone(path); /* nobody runs uimon as administrator here */
}

char *um_file_collect(enum um_status (*write)(FILE *out, const void *context), const void *context)
{
    char *text = NULL;
    size_t len;
    FILE *file = open_memstream(&text, &len);
    bool whole = file && write(file, context) == UM_OK;
    if (file && fclose(file) == 0 && whole)
        return text;
    free(text);
    return NULL;
}
