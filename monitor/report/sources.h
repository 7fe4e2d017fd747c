/* Finds the files of a program's source on this machine, by the paths that a recording has of them.
 *
 * A recording comes from anywhere, and a page is passed on. So its paths are never opened as they
 * are: a file is looked for only inside the folders that the user names, under its path's last
 * parts. If several fit, the one that has most of these parts is taken. A file with fewer lines
 * than the recording names is another one. Whoever made the recording chose the names, and in such
 * a folder there may be keys and passwords: so the file's name must be that of a source. Not on the
 * hot path.
 * Thread: blocks on the disk.
 */
#ifndef UM_MONITOR_SOURCES_H
#define UM_MONITOR_SOURCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UM_SOURCES_FILE_BYTES (512 << 10) /* of a file, at most */
#define UM_SOURCES_PATH_BYTES 1024

struct um_sources_file {
    char path[UM_SOURCES_PATH_BYTES]; /* where it was found, with slashes */
    char *text; /* UTF-8 without a NUL inside; bytes that are not are replaced */
};

/* Looks for a file. `folders` has semicolons between them, as symbol paths do; NULL or "" for none.
 * `least_lines` is the greatest number of a line that was seen in it.
 * Owner: free(file->text). False if it was not found, or is too large or no text. */
bool um_sources_find(const char *folders, const char *recorded_path, uint32_t least_lines,
                     struct um_sources_file *file);

/* Whether a path, with slashes, is that of a program's source by its name: by its extension, or
 * without one if it is below a folder called `include`, as `vector` of Visual C++ is. */
bool um_sources_is_source(const char *path);

/* How many such extensions there are. */
size_t um_sources_extensions(void);

#endif
