/* Reads a portable PDB: from which lines of source the methods of an assembly were compiled.
 * Trusts nothing in the file. Pure, without allocation; not on the hot path. A reader starts at
 * um_ppdb_find.
 *
 * A method has sequence points: each says which text the instructions from an IL offset on were
 * made of. A hidden one says that the compiler has added them.
 *
 * Source: "Portable PDB v1.0: Format Specification" (dotnet/runtime, docs/design/specs), and
 * ECMA-335, part II, chapter 24.
 */
#ifndef UM_NAMES_PPDB_H
#define UM_NAMES_PPDB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/checksum.h"
#include "base/plain/status.h"

#define UM_PPDB_ID_BYTES 20 /* GUID and stamp, as in the assembly's CodeView entry */
#define UM_PPDB_MAX_BYTES (UINT64_C(256) * 1024 * 1024)

/* A view of the file, which must not change while the view is in use. Private to ppdb.c, except for
 * the first three. */
struct um_ppdb {
    uint8_t id[UM_PPDB_ID_BYTES];
    uint32_t documents; /* numbered from 1 */
    uint32_t methods;   /* numbered from 1: the same as the assembly's MethodDef rows */
    const uint8_t *blobs;
    size_t blobs_bytes;
    const uint8_t *guids; /* NULL: there are none */
    size_t guids_bytes;
    const uint8_t *document_rows;
    const uint8_t *method_rows;
    uint8_t blob_index_bytes; /* 2 or 4, as the next two */
    uint8_t guid_index_bytes;
    uint8_t document_index_bytes;
};

/* Lines and columns count from 1, as editors do. Those of a hidden point are 0. */
struct um_ppdb_point {
    uint32_t il_offset;
    uint32_t document; /* its number */
    uint32_t line;
    uint32_t column;
    uint32_t end_line;
    uint32_t end_column;
    bool is_hidden;
};

/* The sequence points of a method, one after the other. Private to ppdb.c. */
struct um_ppdb_points {
    const uint8_t *at;
    const uint8_t *end;
    uint32_t documents;
    struct um_ppdb_point previous;
    int64_t line; /* of the last point that was not hidden; 0: there was none */
    int64_t column;
    bool has_begun;
};

/* Errors: UM_ERR_UNSUPPORTED it is a Windows PDB; UM_ERR_TOO_LARGE; UM_ERR_FORMAT it is no PDB, or
 * damaged. */
enum um_status um_ppdb_open(const uint8_t *bytes, size_t len_bytes, struct um_ppdb *ppdb);

/* The path of a source file, as the compiler was given it. UTF-8; cut if it is too long.
 * Errors: UM_ERR_NOT_FOUND there is no such document; UM_ERR_FORMAT. */
enum um_status um_ppdb_document(const struct um_ppdb *ppdb, uint32_t number, char *path,
                                size_t cap_bytes);

/* The checksum of a source file as it was when it was compiled, as base/checksum.h writes it; "" if
 * there is none, or one of an unknown kind. Units: `checksum` has UM_CHECKSUM_BYTES.
 * Errors: UM_ERR_NOT_FOUND there is no such document; UM_ERR_FORMAT. */
enum um_status um_ppdb_checksum(const struct um_ppdb *ppdb, uint32_t number, char *checksum);

/* Begins with a method. One without a body has no points. Errors: UM_ERR_NOT_FOUND there is no such
 * method; UM_ERR_FORMAT. */
enum um_status um_ppdb_points(const struct um_ppdb *ppdb, uint32_t method,
                              struct um_ppdb_points *points);

/* The next point, in the order of IL offsets. Errors: UM_ERR_CLOSED there are no more;
 * UM_ERR_FORMAT. */
enum um_status um_ppdb_next(struct um_ppdb_points *points, struct um_ppdb_point *point);

/* The point for an IL offset. */
struct um_ppdb_found {
    struct um_ppdb_point point; /* not hidden */
    bool
        is_own; /* the offset is one of this point's, and not of a hidden one behind or before it */
    uint32_t next_offset; /* where the next point begins, hidden or not; UINT32_MAX: nowhere */
};

/* Finds the last point of a method at or before an IL offset that is not hidden. If all of these
 * are hidden, the method's first one that is not, since what a compiler adds at the start belongs
 * to what follows. Errors: UM_ERR_NOT_FOUND the method has none; UM_ERR_FORMAT. */
enum um_status um_ppdb_find(const struct um_ppdb *ppdb, uint32_t method, uint32_t il_offset,
                            struct um_ppdb_found *found);

#endif
