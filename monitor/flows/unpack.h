/* Reads a file that may be packed as gzip does it. Source: zlib; RFC 1952. Not on the hot path.
 * Thread: waits for the disk.
 */
#ifndef UM_MONITOR_UNPACK_H
#define UM_MONITOR_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <zlib.h>

#include "base/plain/status.h"

#define UM_UNPACK_BYTES 65536

/* Private to unpack.c. */
struct um_unpack {
    FILE *file;
    z_stream stream;
    uint64_t left_bytes; /* that may still come out */
    bool is_packed;
    bool is_over;  /* the packed data have ended */
    bool is_next;  /* what is unpacked follows other packed data */
    bool has_rest; /* behind them something else follows, which is not read */
    unsigned char in[UM_UNPACK_BYTES];
};

/* Begins at the file's present place, which is its begin. At most `most_bytes` may come out. Owner:
 * um_unpack_deinit; the file stays the caller's. Errors: UM_ERR_MEMORY. */
enum um_status um_unpack_init(struct um_unpack *unpack, FILE *file, uint64_t most_bytes);

/* Reads on. `len_bytes` is 0 at the end. What follows packed data is read if it is packed, too, and
 * zero bytes are left out, as gzip does; other bytes are the end, and set `has_rest`. Errors:
 * UM_ERR_FORMAT the packing is damaged; UM_ERR_PARTIAL cut off; UM_ERR_TOO_LARGE there is more than
 * that; UM_ERR_IO; UM_ERR_MEMORY. */
enum um_status um_unpack_read(struct um_unpack *unpack, unsigned char *bytes, size_t cap_bytes,
                              size_t *len_bytes);

void um_unpack_deinit(struct um_unpack *unpack);

#endif
