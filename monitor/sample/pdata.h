/* The table of functions of a 64-bit Windows program or DLL: which code has which unwind data.
 *
 * A linker puts an entry for every function that is no leaf into the exception directory of the
 * image (its section .pdata), sorted by address. An entry is three numbers of 32 bits, all relative
 * to the image's base (RVA): where the function begins, where it ends, and where its unwind data
 * is, which unwind.h reads. This reads images as they lie in memory, through a callback, and trusts
 * nothing in them. It keeps no copy of the table and allocates nothing; a reader starts at
 * um_pdata_open.
 *
 * Source: "PE Format" and "x64 exception handling", Microsoft Learn.
 */
#ifndef UM_MONITOR_PDATA_H
#define UM_MONITOR_PDATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"

/* How an image's bytes are read: `len` bytes at `rva`, all of them or false. A look-up calls it
 * some 15 times, so it should cache what it reads from another process. */
struct um_pdata_source {
    void *context;
    bool (*read)(void *context, uint32_t rva, void *bytes, size_t len);
};

/* An image's table. Private to pdata.c, but for `image_bytes`. Nothing to release. */
struct um_pdata {
    struct um_pdata_source source;
    uint32_t image_bytes; /* the image's size in memory */
    uint32_t table_rva;
    uint32_t count; /* of entries */
};

/* An entry, in RVAs. */
struct um_pdata_function {
    uint32_t begin_rva;
    uint32_t end_rva; /* of the first byte behind it */
    uint32_t unwind_rva;
};

/* Reads the image's headers. An image without a table has an empty one.
 * Owner: what the source's context points to must outlive `pdata`.
 * Errors: UM_ERR_IO if the headers cannot be read; UM_ERR_FORMAT if it is no image of 64 bits, or
 * its table lies outside of it; UM_ERR_UNSUPPORTED if it is for another processor than x64. */
enum um_status um_pdata_open(struct um_pdata *pdata, const struct um_pdata_source *source);

/* Finds the function that has the byte at `rva`. If its entry points to another one, that one is
 * the answer, and `rva` may lie outside of it.
 * Errors: UM_ERR_NOT_FOUND if no entry has it, as for a leaf function; UM_ERR_IO if the table
 * cannot be read; UM_ERR_FORMAT if the entry contradicts itself. */
enum um_status um_pdata_find(const struct um_pdata *pdata, uint32_t rva,
                             struct um_pdata_function *function);

/* Decodes an entry of the table or of chained unwind data. */
#define UM_PDATA_ENTRY_BYTES 12
void um_pdata_decode(const uint8_t *bytes, struct um_pdata_function *function);

#endif
