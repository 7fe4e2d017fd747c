/* Finds the files of a program's source on this machine, by the paths that a recording has of them.
 *
 * A recording comes from anywhere, and a page is passed on. So its paths are never opened as they
 * are: a file is looked for only inside the folders that the user names, under its path's last
 * parts. If several fit, the one that has most of these parts is taken.
 *
 * Where the recording has the checksum of the file that was compiled, a file is taken only if it
 * has that one. It may have other line ends, because version control changes them: then its text
 * with LF alone, or with CRLF alone, has the checksum. Where the recording has none, a file with
 * fewer lines than the recording names is another one.
 *
 * Whoever made the recording chose the names, and in such a folder there may be keys and passwords:
 * so the file's name must be that of a source. Not on the hot path.
 * Thread: blocks on the disk.
 */
#ifndef UM_MONITOR_SOURCES_H
#define UM_MONITOR_SOURCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UM_SOURCES_FILE_BYTES (512 << 10) /* of a file, at most */
#define UM_SOURCES_PATH_BYTES 1024

/* Whether a file is the one that was compiled. */
enum um_sources_state {
    UM_SOURCES_SAME,    /* its checksum says so */
    UM_SOURCES_UNKNOWN, /* no checksum says so: it may have changed since */
    UM_SOURCES_OTHER,   /* it is not: its checksum is another one */
};

struct um_sources_file {
    char path[UM_SOURCES_PATH_BYTES]; /* where it was found, with slashes */
    enum um_sources_state state;
    /* UTF-8 without a NUL inside; bytes that are not are replaced. NULL of an OTHER one. */
    char *text;
};

/* What a recording has of a file. */
struct um_sources_wanted {
    const char *path;
    const char *checksum; /* as base/checksum.h writes it; "": not known */
    uint32_t least_lines; /* the greatest number of a line that was seen in it */
};

/* Looks for a file. `folders` has semicolons between them, as symbol paths do; NULL or "" for none.
 * If only files with another checksum are found, the one of these is given that has most parts of
 * the path.
 * Owner: free(file->text). False if it was not found, or is too large or no text. */
bool um_sources_find(const char *folders, const struct um_sources_wanted *wanted,
                     struct um_sources_file *file);

/* Whether a path, with slashes, is that of a program's source by its name: by its extension, or
 * without one if it is below a folder called `include`, as `vector` of Visual C++ is. */
bool um_sources_is_source(const char *path);

/* How many such extensions there are. */
size_t um_sources_extensions(void);

#endif
