/* Checks a file before its symbols are read: is it a Windows program or DLL, is it whole, and which
 * build is it? dbghelp says neither why it fails nor whether a file is the right one. Trusts
 * nothing in the file. Not on the hot path.
 *
 * Source: "PE Format", Microsoft Learn.
 */
#ifndef UM_NAMES_IMAGE_H
#define UM_NAMES_IMAGE_H

#include <stddef.h>
#include <stdint.h>

#include "ipc/names.h"

/* How much of a file um_image_read needs. Headers are hardly ever longer than 4 KiB. */
#define UM_IMAGE_HEAD_BYTES 65536

struct um_image {
    uint32_t timestamp;   /* of its header */
    uint32_t image_bytes; /* its size in memory */
};

/* Reads the headers. Units: `head` is the file's first UM_IMAGE_HEAD_BYTES, or all of a shorter
 * one; `file_bytes` is the whole file's length. Returns UM_NAMES_FOUND, and fills in `image`;
 * UM_NAMES_NO_MODULE it is no program or DLL; UM_NAMES_CUT_OFF its end is missing. */
enum um_names_why um_image_read(const uint8_t *head, size_t head_bytes, uint64_t file_bytes,
                                struct um_image *image);

/* Whether the file is of the build that the monitor saw in memory: UM_NAMES_FOUND or
 * UM_NAMES_OTHER_BUILD. A field that the monitor left 0 matches anything. */
enum um_names_why um_image_compare(const struct um_image *image,
                                   const struct um_names_module *module);

#endif
