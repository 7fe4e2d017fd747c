/* The part of platform.h that natively built tests need. uimon itself runs on Windows only. */
#include "monitor/base/platform.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

void um_platform_end_on_interrupt(void)
{
    /* Nothing here catches the signal. */
}

bool um_platform_same_file(const char *a, const char *b)
{
    struct stat one;
    struct stat other;
    return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

bool um_platform_make_private(const char *path)
{
    return chmod(path, S_IRUSR | S_IWUSR) == 0;
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

enum um_status um_platform_append(const char *path, const char *text, size_t len_bytes)
{
    char last = '\n';
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0)
        return errno == ENOENT                                        ? UM_ERR_NOT_FOUND
               : errno == EACCES || errno == EISDIR || errno == EROFS ? UM_ERR_DENIED
                                                                      : UM_ERR_IO;
    bool done = flock(file, LOCK_EX) == 0;
    off_t end = done ? lseek(file, 0, SEEK_END) : -1;
    done = end >= 0 && (end == 0 || pread(file, &last, 1, end - 1) == 1);
    if (done) {
        size_t skipped = last == '\n';
        done = write_at(file, text + skipped, len_bytes - skipped, end) && fsync(file) == 0;
        if (!done && ftruncate(file, end) != 0)
            done = false; /* the next one to append begins on a new line */
    }
    close(file);
    return done ? UM_OK : UM_ERR_IO;
}
