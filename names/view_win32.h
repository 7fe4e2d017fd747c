/* A file of this machine's disks as bytes in memory. Others may read, write and delete it
 * meanwhile, if the system lets them: while the view is open, the file cannot be replaced. */
#ifndef UM_NAMES_VIEW_WIN32_H
#define UM_NAMES_VIEW_WIN32_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

struct um_view {
    const uint8_t *bytes;
    size_t len_bytes;
};

/* False: it cannot be opened, or is empty. Owner: um_view_close. */
bool um_view_open(const wchar_t *path, struct um_view *view);

/* Accepts a zeroed struct. */
void um_view_close(struct um_view *view);

#endif
