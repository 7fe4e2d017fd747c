/* Any bytes as a portable PDB, and as an assembly that may have one: the points of each method
 * come in order and within their limits, and the point for an offset is one of them.
 *
 *   offset 0  u8  0: a PDB; 1: an assembly
 *             1   the bytes
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "names/assembly.h"
#include "names/lines.h"
#include "names/ppdb.h"
#include "tests/fuzz/require.h"

#define METHODS 64     /* so many are read */
#define STEP 50        /* of so many points, one is looked for */
#define UNPACKED 65536 /* longer ones are not unpacked, because that takes long */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_point(const struct um_ppdb *ppdb, const struct um_ppdb_point *point)
{
    require(point->document >= 1 && point->document <= ppdb->documents);
    require(point->is_hidden == (point->line == 0));
    require(point->line <= point->end_line && point->end_line < 0x20000000);
    require(point->column < 0x10000 && point->end_column < 0x10000);
}

static void read_method(const struct um_ppdb *ppdb, uint32_t method)
{
    struct um_ppdb_points points;
    struct um_ppdb_point point, seen = {.is_hidden = true};
    struct um_ppdb_found found;
    uint32_t offset = 0;
    enum um_status status = um_ppdb_points(ppdb, method, &points);

    for (unsigned i = 0; status == UM_OK; i++) {
        status = um_ppdb_next(&points, &point);
        if (status != UM_OK)
            break;
        check_point(ppdb, &point);
        require(i == 0 || point.il_offset > offset);
        offset = point.il_offset;
        if (seen.is_hidden)
            seen = point;
        if (i % STEP == 0 && um_ppdb_find(ppdb, method, offset, &found) == UM_OK &&
            !point.is_hidden)
            require(found.point.il_offset == offset && found.is_own && found.next_offset > offset);
    }
    if (um_ppdb_find(ppdb, method, 0, &found) == UM_OK)
        require(!found.point.is_hidden && found.point.il_offset == seen.il_offset);
}

/* A checksum is whole or empty, and only that of a kind that base/checksum.h knows. */
static void read_checksum(const struct um_ppdb *ppdb, uint32_t document)
{
    char checksum[UM_CHECKSUM_BYTES];
    memset(checksum, 'x', sizeof checksum);
    enum um_status status = um_ppdb_checksum(ppdb, document, checksum);
    require(status != UM_ERR_NOT_FOUND || document == 0);
    require(status == UM_OK || checksum[0] == 'x');
    if (status == UM_OK && checksum[0] != '\0') {
        require(um_checksum_kind_of(checksum) != UM_CHECKSUM_KINDS);
        const char *digest = strchr(checksum, ':') + 1;
        require(strspn(digest, "0123456789abcdef") == strlen(digest));
    }
}

static void read_pdb(const uint8_t *bytes, size_t len)
{
    static struct um_names_name name;
    struct um_ppdb ppdb;
    char path[300];

    if (um_ppdb_open(bytes, len, &ppdb) != UM_OK)
        return;
    for (uint32_t i = 0; i <= ppdb.documents && i < METHODS; i++) {
        if (um_ppdb_document(&ppdb, i, path, 1 + i % sizeof path) == UM_OK)
            require(strlen(path) < 1 + i % sizeof path);
        read_checksum(&ppdb, i);
    }
    require(um_lines_check(bytes, len, ppdb.id) == UM_NAMES_PDB_GOOD);
    for (uint32_t i = 0; i <= ppdb.methods && i < METHODS; i++) {
        read_method(&ppdb, i);
        const struct um_runtime_place place = {
            .token = 0x06000000 | i, .il_offset = i, .known = &i, .known_count = 1};
        um_lines_find(bytes, len, &place, &name);
        require(memchr(name.file, '\0', sizeof name.file));
        require(memchr(name.checksum, '\0', sizeof name.checksum));
    }
}

static void read_assembly(const uint8_t *bytes, size_t len)
{
    struct um_assembly assembly;
    if (um_assembly_read(bytes, len, &assembly) != UM_OK)
        return;
    require(memchr(assembly.pdb_path, '\0', sizeof assembly.pdb_path));
    if (!assembly.embedded || assembly.unpacked_bytes > UNPACKED)
        return;
    uint8_t *unpacked = malloc(assembly.unpacked_bytes);
    require(unpacked);
    if (um_assembly_unpack(&assembly, unpacked) == UM_OK)
        read_pdb(unpacked, assembly.unpacked_bytes);
    free(unpacked);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    /* A copy of exactly its size, so that the sanitizer sees what is read outside. */
    uint8_t *bytes = malloc(size);
    require(bytes);
    memcpy(bytes, data + 1, size - 1);
    if (data[0] % 2 == 0)
        read_pdb(bytes, size - 1);
    else
        read_assembly(bytes, size - 1);
    free(bytes);
    return 0;
}
