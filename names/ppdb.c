#include "names/ppdb.h"

#include <string.h>

#include "base/plain/bytes.h"
#include "base/plain/text.h"

#define MAGIC UINT32_C(0x424a5342)                       /* "BSJB" */
#define WINDOWS_MAGIC "Microsoft C/C++ MSF 7.00\r\n\x1a" /* DS */

/* Offsets in the root of the metadata. */
#define VERSION_LEN_AT 12
#define VERSION_AT 16

/* Offsets in the #~ stream. */
#define HEAP_SIZES_AT 6
#define TABLES_AT 8
#define COUNTS_AT 24
#define WIDE_STRINGS 1 /* bits of the heap sizes */
#define WIDE_GUIDS 2
#define WIDE_BLOBS 4

/* The tables that are read. They are the first ones of a PDB. */
#define TABLE_DOCUMENTS 0x30
#define TABLE_METHODS 0x31
#define TABLES 64

#define GUID_BYTES 16

#define MAX_LINE 0x20000000 /* lines and columns are smaller */
#define MAX_COLUMN 0x10000

/* Bytes that are left to read. */
struct rest {
    const uint8_t *at;
    const uint8_t *end;
};

static size_t left(const struct rest *rest)
{
    return (size_t)(rest->end - rest->at);
}

/* Takes so many bytes. NULL: there are fewer. */
static const uint8_t *take(struct rest *rest, uint64_t len_bytes)
{
    const uint8_t *at = rest->at;
    if (len_bytes > left(rest))
        return NULL;
    rest->at += len_bytes;
    return at;
}

/* Numbers -------------------------------------------------------------------------------------- */

/* Takes a compressed number. `bits` gets how many it can have. Source: ECMA-335, II.23.2. */
static bool take_number(struct rest *rest, uint32_t *number, unsigned *bits)
{
    const uint8_t *at = take(rest, 1);
    if (!at)
        return false;
    if ((at[0] & 0x80) == 0) {
        *number = at[0];
        *bits = 7;
        return true;
    }
    bool is_long = (at[0] & 0x40) != 0;
    if ((is_long && (at[0] & 0x20) != 0) || !take(rest, is_long ? 3 : 1))
        return false;
    *bits = is_long ? 29 : 14;
    *number = is_long ? (uint32_t)(at[0] & 0x1f) << 24 | (uint32_t)at[1] << 16 |
                            (uint32_t)at[2] << 8 | at[3]
                      : (uint32_t)(at[0] & 0x3f) << 8 | at[1];
    return true;
}

static bool take_unsigned(struct rest *rest, uint32_t *number)
{
    unsigned bits;
    return take_number(rest, number, &bits);
}

/* The sign is the lowest bit. */
static bool take_signed(struct rest *rest, int64_t *number)
{
    uint32_t rotated = 0;
    unsigned bits = 0;
    if (!take_number(rest, &rotated, &bits))
        return false;
    *number = rotated >> 1;
    if (rotated & 1)
        *number -= INT64_C(1) << (bits - 1);
    return true;
}

static uint32_t get_index(const uint8_t *at, uint8_t bytes)
{
    return (uint32_t)um_bytes_get(at, bytes);
}

/* Streams -------------------------------------------------------------------------------------- */

struct streams {
    struct rest pdb;
    struct rest tables;
    struct rest blobs;
    struct rest guids;
};

/* Takes a stream's header, and notes the stream if it is used. */
static bool take_stream(struct rest *rest, const uint8_t *bytes, size_t len_bytes,
                        struct streams *streams)
{
    const uint8_t *header = take(rest, 8);
    if (!header)
        return false;
    const char *name = (const char *)rest->at;
    const char *nul = memchr(name, '\0', left(rest) < 32 ? left(rest) : 32);
    if (!nul || !take(rest, ((uint64_t)(nul - name) + 4) / 4 * 4))
        return false;
    struct rest all = {bytes, bytes + len_bytes};
    if (!take(&all, um_bytes_get32(header)))
        return false;
    struct rest stream = {all.at, all.at};
    if (!take(&all, um_bytes_get32(header + 4)))
        return false;
    stream.end = all.at;
    if (strcmp(name, "#Pdb") == 0)
        streams->pdb = stream;
    else if (strcmp(name, "#~") == 0)
        streams->tables = stream;
    else if (strcmp(name, "#Blob") == 0)
        streams->blobs = stream;
    else if (strcmp(name, "#GUID") == 0)
        streams->guids = stream;
    return true;
}

static bool find_streams(const uint8_t *bytes, size_t len_bytes, struct streams *streams)
{
    struct rest rest = {bytes, bytes + len_bytes};
    const uint8_t *root = take(&rest, VERSION_AT);
    if (!root || um_bytes_get32(root) != MAGIC ||
        !take(&rest, ((uint64_t)um_bytes_get32(root + VERSION_LEN_AT) + 3) / 4 * 4))
        return false;
    const uint8_t *flags = take(&rest, 4);
    if (!flags)
        return false;
    for (unsigned count = um_bytes_get16(flags + 2); count > 0; count--)
        if (!take_stream(&rest, bytes, len_bytes, streams))
            return false;
    return streams->pdb.at && streams->tables.at && streams->blobs.at;
}

/* Takes the numbers of rows of all tables. */
static bool take_counts(struct rest *rest, uint64_t tables, uint32_t counts[TABLES])
{
    for (unsigned i = 0; i < TABLES; i++) {
        const uint8_t *at = tables >> i & 1 ? take(rest, 4) : NULL;
        if (!at && (tables >> i & 1))
            return false;
        counts[i] = at ? um_bytes_get32(at) : 0;
    }
    return true;
}

/* Finds the rows of the two tables. Tables of an assembly would lie before them, and a PDB has
 * none of those. */
static bool find_tables(struct rest tables, struct um_ppdb *ppdb)
{
    uint32_t counts[TABLES];
    const uint8_t *header = take(&tables, COUNTS_AT);
    if (!header)
        return false;
    uint64_t present = um_bytes_get64(header + TABLES_AT);
    if ((present & ((UINT64_C(1) << TABLE_DOCUMENTS) - 1)) != 0 ||
        !take_counts(&tables, present, counts))
        return false;
    ppdb->documents = counts[TABLE_DOCUMENTS];
    ppdb->methods = counts[TABLE_METHODS];
    ppdb->blob_index_bytes = header[HEAP_SIZES_AT] & WIDE_BLOBS ? 4 : 2;
    ppdb->guid_index_bytes = header[HEAP_SIZES_AT] & WIDE_GUIDS ? 4 : 2;
    ppdb->document_index_bytes = ppdb->documents < 0x10000 ? 2 : 4;
    uint64_t document_bytes = 2u * ppdb->blob_index_bytes + 2u * ppdb->guid_index_bytes;
    uint64_t method_bytes = (uint64_t)ppdb->document_index_bytes + ppdb->blob_index_bytes;
    ppdb->document_rows = take(&tables, ppdb->documents * document_bytes);
    ppdb->method_rows = take(&tables, ppdb->methods * method_bytes);
    return ppdb->document_rows && ppdb->method_rows;
}

enum um_status um_ppdb_open(const uint8_t *bytes, size_t len_bytes, struct um_ppdb *ppdb)
{
    struct streams streams = {.pdb = {NULL, NULL}};
    struct um_ppdb opened = {.blobs = NULL};

    if (len_bytes > UM_PPDB_MAX_BYTES)
        return UM_ERR_TOO_LARGE;
    if (len_bytes >= sizeof WINDOWS_MAGIC &&
        memcmp(bytes, WINDOWS_MAGIC, sizeof WINDOWS_MAGIC - 1) == 0)
        return UM_ERR_UNSUPPORTED;
    if (!find_streams(bytes, len_bytes, &streams))
        return UM_ERR_FORMAT;
    const uint8_t *id = take(&streams.pdb, UM_PPDB_ID_BYTES);
    if (!id || !find_tables(streams.tables, &opened))
        return UM_ERR_FORMAT;
    memcpy(opened.id, id, UM_PPDB_ID_BYTES);
    opened.blobs = streams.blobs.at;
    opened.blobs_bytes = left(&streams.blobs);
    opened.guids = streams.guids.at;
    opened.guids_bytes = streams.guids.at ? left(&streams.guids) : 0;
    *ppdb = opened;
    return UM_OK;
}

static bool find_blob(const struct um_ppdb *ppdb, uint32_t index, struct rest *blob)
{
    struct rest heap = {ppdb->blobs, ppdb->blobs + ppdb->blobs_bytes};
    uint32_t len_bytes;
    if (!take(&heap, index) || !take_unsigned(&heap, &len_bytes))
        return false;
    blob->at = heap.at;
    if (!take(&heap, len_bytes))
        return false;
    blob->end = heap.at;
    return true;
}

/* The GUID of an index, which counts GUIDs from 1; NULL: it is 0. False if there is no such. */
static bool find_guid(const struct um_ppdb *ppdb, uint32_t index, const uint8_t **guid)
{
    *guid = NULL;
    if (index == 0)
        return true;
    if (index > ppdb->guids_bytes / GUID_BYTES)
        return false;
    *guid = ppdb->guids + (size_t)(index - 1) * GUID_BYTES;
    return true;
}

/* Documents ------------------------------------------------------------------------------------ */

/* A row has the indices of the name, the hash's algorithm, the hash and the language. */
static const uint8_t *document_at(const struct um_ppdb *ppdb, uint32_t number)
{
    size_t row_bytes = 2u * ppdb->blob_index_bytes + 2u * ppdb->guid_index_bytes;
    return ppdb->document_rows + (number - 1) * row_bytes;
}

/* Appends bytes to a text as far as there is room for them and a NUL. */
static void append(char *text, size_t cap_bytes, size_t *used, const uint8_t *bytes,
                   size_t len_bytes)
{
    size_t room = cap_bytes - 1 - *used;
    len_bytes = len_bytes < room ? len_bytes : room;
    memcpy(text + *used, bytes, len_bytes);
    *used += len_bytes;
}

/* A path is stored as its parts, because files of a folder share theirs: a separator, and a blob
 * for each part. */
enum um_status um_ppdb_document(const struct um_ppdb *ppdb, uint32_t number, char *path,
                                size_t cap_bytes)
{
    char joined[4096];
    size_t cap = cap_bytes < sizeof joined ? cap_bytes : sizeof joined;
    size_t used = 0;
    struct rest name, part;
    uint32_t index;

    if (number == 0 || number > ppdb->documents)
        return UM_ERR_NOT_FOUND;
    const uint8_t *row = document_at(ppdb, number);
    if (!find_blob(ppdb, get_index(row, ppdb->blob_index_bytes), &name))
        return UM_ERR_FORMAT;
    const uint8_t *separator = take(&name, 1);
    if (!separator)
        return UM_ERR_FORMAT;
    for (bool is_first = true; left(&name) > 0 && used + 1 < cap; is_first = false) {
        if (!take_unsigned(&name, &index))
            return UM_ERR_FORMAT;
        if (!is_first && *separator != 0)
            append(joined, cap, &used, separator, 1);
        if (index == 0)
            continue;
        if (!find_blob(ppdb, index, &part))
            return UM_ERR_FORMAT;
        append(joined, cap, &used, part.at, left(&part));
    }
    joined[used] = '\0';
    um_text_set(path, cap_bytes, joined);
    return UM_OK;
}

/* The algorithm that a GUID stands for. Source: the specification's table of documents; MD5's is
 * CorSym_SourceHash_MD5 of <corsym.h>. */
static unsigned kind_of(const uint8_t *guid)
{
    static const uint8_t guids[UM_CHECKSUM_KINDS][GUID_BYTES] = {
        [UM_CHECKSUM_MD5] = {0x60, 0xa6, 0x6e, 0x40, 0xcf, 0x64, 0x82, 0x4c, 0xb6, 0xf0, 0x42, 0xd4,
                             0x81, 0x72, 0xa7, 0x99},
        [UM_CHECKSUM_SHA1] = {0xec, 0x16, 0x18, 0xff, 0x5e, 0xaa, 0x10, 0x4d, 0x87, 0xf7, 0x6f,
                              0x49, 0x63, 0x83, 0x34, 0x60},
        [UM_CHECKSUM_SHA256] = {0x0f, 0xd0, 0x29, 0x88, 0xb8, 0x11, 0x13, 0x42, 0x87, 0x8b, 0x77,
                                0x0e, 0x85, 0x97, 0xac, 0x16},
    };
    unsigned kind = 0;
    while (kind < UM_CHECKSUM_KINDS && memcmp(guid, guids[kind], GUID_BYTES) != 0)
        kind++;
    return kind;
}

enum um_status um_ppdb_checksum(const struct um_ppdb *ppdb, uint32_t number, char *checksum)
{
    const uint8_t *guid;
    struct rest digest;

    if (number == 0 || number > ppdb->documents)
        return UM_ERR_NOT_FOUND;
    const uint8_t *row = document_at(ppdb, number) + ppdb->blob_index_bytes;
    uint32_t index = get_index(row + ppdb->guid_index_bytes, ppdb->blob_index_bytes);
    if (!find_guid(ppdb, get_index(row, ppdb->guid_index_bytes), &guid) ||
        !find_blob(ppdb, index, &digest))
        return UM_ERR_FORMAT;
    checksum[0] = '\0';
    if (guid)
        (void)um_checksum_put(kind_of(guid), digest.at, left(&digest), checksum);
    return UM_OK;
}

/* Sequence points ------------------------------------------------------------------------------ */

enum um_status um_ppdb_points(const struct um_ppdb *ppdb, uint32_t method,
                              struct um_ppdb_points *points)
{
    struct rest blob;
    uint32_t local_signature;

    if (method == 0 || method > ppdb->methods)
        return UM_ERR_NOT_FOUND;
    size_t row_bytes = (size_t)ppdb->document_index_bytes + ppdb->blob_index_bytes;
    const uint8_t *row = ppdb->method_rows + (method - 1) * row_bytes;
    uint32_t document = get_index(row, ppdb->document_index_bytes);
    uint32_t index = get_index(row + ppdb->document_index_bytes, ppdb->blob_index_bytes);
    if (!find_blob(ppdb, index, &blob))
        return UM_ERR_FORMAT;
    if (index == 0 || left(&blob) == 0) {
        *points = (struct um_ppdb_points){.at = blob.at, .end = blob.at};
        return UM_OK;
    }
    if (!take_unsigned(&blob, &local_signature) ||
        (document == 0 && !take_unsigned(&blob, &document)) || document > ppdb->documents)
        return UM_ERR_FORMAT;
    *points = (struct um_ppdb_points){.at = blob.at,
                                      .end = blob.end,
                                      .documents = ppdb->documents,
                                      .previous = {.document = document}};
    return UM_OK;
}

/* Takes the IL offset, and the records before it that change the document. */
static bool take_offset(struct um_ppdb_points *points, struct rest *rest,
                        struct um_ppdb_point *point)
{
    uint32_t delta;
    if (!take_unsigned(rest, &delta))
        return false;
    while (points->has_begun && delta == 0)
        if (!take_unsigned(rest, &point->document) || point->document > points->documents ||
            !take_unsigned(rest, &delta))
            return false;
    point->il_offset = points->previous.il_offset + delta;
    return point->document != 0 && point->il_offset >= delta;
}

/* Takes where a point begins, the first one in full and others by the distance. */
static bool take_start(struct um_ppdb_points *points, struct rest *rest)
{
    uint32_t first_line, first_column;
    int64_t lines, columns;
    if (points->line == 0) {
        if (!take_unsigned(rest, &first_line) || !take_unsigned(rest, &first_column))
            return false;
        points->line = first_line;
        points->column = first_column;
    } else {
        if (!take_signed(rest, &lines) || !take_signed(rest, &columns))
            return false;
        points->line += lines;
        points->column += columns;
    }
    return points->line > 0 && points->line < MAX_LINE && points->column >= 0 &&
           points->column < MAX_COLUMN;
}

/* Takes the text of a point: its size first, which is nothing for a hidden one. */
static bool take_text(struct um_ppdb_points *points, struct rest *rest, struct um_ppdb_point *point)
{
    uint32_t lines, more_columns = 0;
    int64_t columns;

    if (!take_unsigned(rest, &lines))
        return false;
    if (lines == 0 ? !take_unsigned(rest, &more_columns) : !take_signed(rest, &columns))
        return false;
    if (lines == 0)
        columns = more_columns;
    point->is_hidden = lines == 0 && columns == 0;
    if (point->is_hidden)
        return true;
    if (!take_start(points, rest))
        return false;
    int64_t end_column = points->column + columns;
    if (points->line + lines >= MAX_LINE || end_column < 0 || end_column >= MAX_COLUMN)
        return false;
    point->line = (uint32_t)points->line;
    point->column = (uint32_t)points->column;
    point->end_line = point->line + lines;
    point->end_column = (uint32_t)end_column;
    return true;
}

enum um_status um_ppdb_next(struct um_ppdb_points *points, struct um_ppdb_point *point)
{
    struct rest rest = {points->at, points->end};
    struct um_ppdb_point next = {.document = points->previous.document};

    if (left(&rest) == 0)
        return UM_ERR_CLOSED;
    if (!take_offset(points, &rest, &next) || !take_text(points, &rest, &next)) {
        points->at = points->end; /* what follows has no meaning */
        return UM_ERR_FORMAT;
    }
    points->at = rest.at;
    points->has_begun = true;
    points->previous = next;
    *point = next;
    return UM_OK;
}

enum um_status um_ppdb_find(const struct um_ppdb *ppdb, uint32_t method, uint32_t il_offset,
                            struct um_ppdb_found *found)
{
    struct um_ppdb_points points;
    struct um_ppdb_point next;
    struct um_ppdb_found best = {.point.is_hidden = true, .next_offset = UINT32_MAX};
    enum um_status status = um_ppdb_points(ppdb, method, &points);

    while (status == UM_OK) {
        status = um_ppdb_next(&points, &next);
        if (status != UM_OK)
            break;
        bool is_behind = next.il_offset > il_offset;
        if (is_behind && best.next_offset == UINT32_MAX)
            best.next_offset = next.il_offset;
        if (is_behind && !best.point.is_hidden)
            break;
        if (!is_behind)
            best.is_own = !next.is_hidden;
        if (!next.is_hidden)
            best.point = next;
    }
    if (status != UM_OK && status != UM_ERR_CLOSED)
        return status;
    if (best.point.is_hidden)
        return UM_ERR_NOT_FOUND;
    *found = best;
    return UM_OK;
}
