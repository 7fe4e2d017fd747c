/* The part of platform.h that natively built tests need. uimon itself runs on Windows only. */
#include "monitor/base/platform.h"

#include <sys/stat.h>

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
