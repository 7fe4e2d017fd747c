/* What csc has made of tests/dotnet/lines.cs, against what System.Reflection.Metadata reads in it
 * (tests/dotnet/points.cs, `./run test dotnet points`); and PDBs made by hand. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/plain/bytes.h"
#include "names/assembly.h"
#include "names/ppdb.h"
#include "tests/written_golden.h"

static uint8_t file[65536], unpacked[65536];
static size_t file_bytes;

static void read_file(const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "managed/%s", name);
    const char *bytes = written_golden(path, &file_bytes);
    cr_assert(file_bytes > 1000 && file_bytes <= sizeof file);
    memcpy(file, bytes, file_bytes);
}

static void open_pdb(const char *name, struct um_ppdb *ppdb)
{
    read_file(name);
    cr_assert_eq(um_ppdb_open(file, file_bytes, ppdb), UM_OK);
}

/* As the independent reader prints it ---------------------------------------------------------- */

static void print_hex(FILE *out, const uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        fprintf(out, "%02x", bytes[i]);
}

static void print_point(FILE *out, uint32_t method, const struct um_ppdb_point *point)
{
    fprintf(out, "point %" PRIu32 " %" PRIu32 " %" PRIu32 " ", method, point->il_offset,
            point->document);
    if (point->is_hidden)
        fprintf(out, "hidden\n");
    else
        fprintf(out, "%" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 "\n", point->line,
                point->column, point->end_line, point->end_column);
}

static void print_pdb(FILE *out, const uint8_t *bytes, size_t len_bytes)
{
    struct um_ppdb ppdb;
    struct um_ppdb_points points;
    struct um_ppdb_point point;
    char path[256], checksum[UM_CHECKSUM_BYTES];
    enum um_status status;

    cr_assert_eq(um_ppdb_open(bytes, len_bytes, &ppdb), UM_OK);
    fprintf(out, "id ");
    print_hex(out, ppdb.id, sizeof ppdb.id);
    fprintf(out, "\n");
    for (uint32_t i = 1; i <= ppdb.documents; i++) {
        cr_assert_eq(um_ppdb_document(&ppdb, i, path, sizeof path), UM_OK);
        cr_assert_eq(um_ppdb_checksum(&ppdb, i, checksum), UM_OK);
        fprintf(out, "document %" PRIu32 " %s%s%s\n", i, path, checksum[0] ? " " : "", checksum);
    }
    for (uint32_t i = 1; i <= ppdb.methods; i++) {
        cr_assert_eq(um_ppdb_points(&ppdb, i, &points), UM_OK);
        while ((status = um_ppdb_next(&points, &point)) == UM_OK)
            print_point(out, i, &point);
        cr_assert_eq(status, UM_ERR_CLOSED);
    }
}

static void print_assembly(FILE *out)
{
    struct um_assembly assembly;
    cr_assert_eq(um_assembly_read(file, file_bytes, &assembly), UM_OK);
    fprintf(out, "codeview ");
    print_hex(out, assembly.id, 16);
    fprintf(out, " %08" PRIx32 " %s %s\n", um_bytes_get32(assembly.id + 16),
            assembly.is_portable ? "portable" : "windows", assembly.pdb_path);
    if (!assembly.embedded)
        return;
    fprintf(out, "embedded\n");
    cr_assert(assembly.unpacked_bytes <= sizeof unpacked);
    cr_assert_eq(um_assembly_unpack(&assembly, unpacked), UM_OK);
    print_pdb(out, unpacked, assembly.unpacked_bytes);
}

Test(ppdb, reads_what_the_independent_reader_reads)
{
    static const char *const names[] = {"lines.dll", "lines.pdb", "lines_optimized.pdb",
                                        "lines_embedded.dll", "lines_windows.dll"};
    FILE *out = written_open();
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        read_file(names[i]);
        fprintf(out, "file %s\n", names[i]);
        if (strstr(names[i], ".pdb"))
            print_pdb(out, file, file_bytes);
        else
            print_assembly(out);
    }
    cr_assert_str_eq(written_read(out, NULL), written_golden("managed/points.txt", NULL));
}

/* A checksum of the PDB is that of the file from which it was made: as our own library computes it,
 * and as sha256sum does. */
Test(ppdb, has_the_checksum_of_the_source)
{
    struct um_ppdb ppdb;
    char checksum[UM_CHECKSUM_BYTES], own[UM_CHECKSUM_BYTES], theirs[UM_CHECKSUM_BYTES] = "sha256:";
    size_t len;
    const char *source = written_file(UM_SOURCE_DIR "/tests/dotnet/lines.cs", &len);
    FILE *sum = popen("sha256sum '" UM_SOURCE_DIR "/tests/dotnet/lines.cs'", "r");
    cr_assert(sum && fread(theirs + 7, 1, 64, sum) == 64);
    pclose(sum);
    cr_assert_eq(um_checksum_of(UM_CHECKSUM_SHA256, source, len, own), UM_OK);
    cr_expect_str_eq(own, theirs);
    open_pdb("lines.pdb", &ppdb);
    cr_assert_eq(um_ppdb_checksum(&ppdb, 1, checksum), UM_OK);
    cr_expect_str_eq(checksum, theirs);
    cr_assert_eq(um_ppdb_checksum(&ppdb, 2, checksum), UM_OK);
    cr_expect_str_eq(checksum, "", "of a file that #line names");
}

/* The point for an offset ---------------------------------------------------------------------- */

static uint32_t line_at(const struct um_ppdb *ppdb, uint32_t method, uint32_t il_offset)
{
    struct um_ppdb_found found = {.point.line = 0};
    enum um_status status = um_ppdb_find(ppdb, method, il_offset, &found);
    cr_assert(status == UM_OK || status == UM_ERR_NOT_FOUND);
    return found.point.line;
}

/* Program.Hidden is method 10: see points.txt. */
Test(ppdb, finds_the_last_point_before_an_offset)
{
    struct um_ppdb ppdb;
    open_pdb("lines.pdb", &ppdb);
    cr_expect_eq(line_at(&ppdb, 10, 0), 60);
    cr_expect_eq(line_at(&ppdb, 10, 1), 61);
    cr_expect_eq(line_at(&ppdb, 10, 5), 61);
    cr_expect_eq(line_at(&ppdb, 10, 11), 65);
    cr_expect_eq(line_at(&ppdb, 10, 20), 4000);
    cr_expect_eq(line_at(&ppdb, 10, 30), 72);
    cr_expect_eq(line_at(&ppdb, 10, UINT32_MAX), 72);
}

Test(ppdb, says_the_line_before_a_hidden_point)
{
    struct um_ppdb ppdb;
    open_pdb("lines.pdb", &ppdb);
    cr_expect_eq(line_at(&ppdb, 10, 6), 61);
    cr_expect_eq(line_at(&ppdb, 10, 10), 61);
}

/* Of Program.Hidden: 0 and 1 are points, 6 a hidden one, 11 the next. */
Test(ppdb, says_whose_an_offset_is_and_which_point_follows)
{
    static const struct {
        uint32_t il_offset;
        bool is_own;
        uint32_t next_offset;
    } rows[] = {{0, true, 1}, {5, true, 6}, {6, false, 11}, {11, true, 16}, {40, true, UINT32_MAX}};
    struct um_ppdb ppdb;
    open_pdb("lines.pdb", &ppdb);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct um_ppdb_found found;
        cr_assert_eq(um_ppdb_find(&ppdb, 10, rows[i].il_offset, &found), UM_OK);
        cr_expect_eq(found.is_own, rows[i].is_own, "%u", rows[i].il_offset);
        cr_expect_eq(found.next_offset, rows[i].next_offset, "%u: %u", rows[i].il_offset,
                     found.next_offset);
    }
}

/* A method that begins hidden, as those that an async method becomes. */
Test(ppdb, says_the_first_line_where_nothing_seen_is_before)
{
    struct um_ppdb ppdb;
    struct um_ppdb_points points;
    struct um_ppdb_point point;
    unsigned count = 0;
    open_pdb("lines.pdb", &ppdb);
    for (uint32_t i = 1; i <= ppdb.methods; i++) {
        um_ppdb_points(&ppdb, i, &points);
        if (um_ppdb_next(&points, &point) != UM_OK || !point.is_hidden)
            continue;
        while (point.is_hidden)
            cr_assert_eq(um_ppdb_next(&points, &point), UM_OK);
        cr_expect_eq(line_at(&ppdb, i, 0), point.line);
        count++;
    }
    cr_expect_geq(count, 2);
}

Test(ppdb, says_which_file_a_point_is_in)
{
    struct um_ppdb ppdb;
    struct um_ppdb_found found;
    char path[256];
    open_pdb("lines.pdb", &ppdb);
    cr_assert_eq(um_ppdb_find(&ppdb, 10, 16, &found), UM_OK);
    cr_assert_eq(um_ppdb_document(&ppdb, found.point.document, path, sizeof path), UM_OK);
    cr_expect_str_eq(path, "C:\\lines\\form.template");
    cr_assert_eq(um_ppdb_document(&ppdb, found.point.document, path, 6), UM_OK);
    cr_expect_str_eq(path, "C:\\li", "a path that is too long is cut");
}

Test(ppdb, has_no_point_where_there_is_none)
{
    struct um_ppdb ppdb;
    struct um_ppdb_found found;
    struct um_ppdb_points points;
    char path[16], checksum[UM_CHECKSUM_BYTES];
    open_pdb("lines.pdb", &ppdb);
    cr_expect_eq(um_ppdb_find(&ppdb, 0, 0, &found), UM_ERR_NOT_FOUND);
    cr_expect_eq(um_ppdb_find(&ppdb, ppdb.methods + 1, 0, &found), UM_ERR_NOT_FOUND);
    cr_expect_eq(um_ppdb_points(&ppdb, UINT32_MAX, &points), UM_ERR_NOT_FOUND);
    cr_expect_eq(um_ppdb_document(&ppdb, 0, path, sizeof path), UM_ERR_NOT_FOUND);
    cr_expect_eq(um_ppdb_document(&ppdb, ppdb.documents + 1, path, sizeof path), UM_ERR_NOT_FOUND);
    cr_expect_eq(um_ppdb_checksum(&ppdb, 0, checksum), UM_ERR_NOT_FOUND);
    cr_expect_eq(um_ppdb_checksum(&ppdb, ppdb.documents + 1, checksum), UM_ERR_NOT_FOUND);
    cr_expect_eq(line_at(&ppdb, 7, 0), 0, "a constructor that the compiler has added");
}

/* Made by hand --------------------------------------------------------------------------------- */

static void put(uint64_t value, size_t len)
{
    um_bytes_put(file + file_bytes, len, value);
    file_bytes += len;
}

static void put_bytes(const void *bytes, size_t len)
{
    memcpy(file + file_bytes, bytes, len);
    file_bytes += len;
}

#define HEADERS 80

static void put_stream(size_t *at, const char *name, size_t name_bytes, size_t len)
{
    put(*at, 4);
    put(len, 4);
    put_bytes(name, name_bytes);
    *at += len;
}

/* A PDB with a document "a/b" and one method with these points. */
static enum um_status make(const void *points, size_t len, struct um_ppdb *ppdb)
{
    static const uint8_t blobs[] = {0, 1, 'a', 1, 'b', 3, '/', 1, 3};
    size_t at = HEADERS;
    file_bytes = 0;
    put(0x424a5342, 4);
    put(0x00010001, 4);
    put(0, 4);
    put(12, 4);
    put_bytes("PDB v1.0\0\0\0\0", 12);
    put(0, 2);
    put(3, 2);
    put_stream(&at, "#Pdb\0\0\0\0", 8, 32);
    put_stream(&at, "#~\0\0", 4, 24 + 8 + 8 + 4);
    put_stream(&at, "#Blob\0\0\0", 8, sizeof blobs + 1 + len);
    memset(file + file_bytes, 0, HEADERS - file_bytes);
    file_bytes = HEADERS;
    for (unsigned i = 0; i < 32; i++)
        put(i, 1);
    put(0, 8);
    put(UINT64_C(3) << 0x30, 8);
    put(0, 8);
    put(1, 4);
    put(1, 4);
    put(5, 2); /* the document: its name, hash and so on */
    put(0, 6);
    put(1, 2); /* the method: document and points */
    put(sizeof blobs, 2);
    put_bytes(blobs, sizeof blobs);
    put(len, 1);
    put_bytes(points, len);
    return um_ppdb_open(file, file_bytes, ppdb);
}

static void expect_points(const uint8_t *bytes, size_t len, const struct um_ppdb_point *expected,
                          size_t count, enum um_status end)
{
    struct um_ppdb ppdb;
    struct um_ppdb_points points;
    struct um_ppdb_point point;
    cr_assert_eq(make(bytes, len, &ppdb), UM_OK);
    cr_assert_eq(um_ppdb_points(&ppdb, 1, &points), UM_OK);
    for (size_t i = 0; i < count; i++) {
        cr_assert_eq(um_ppdb_next(&points, &point), UM_OK);
        cr_expect_eq(point.il_offset, expected[i].il_offset);
        cr_expect_eq(point.line, expected[i].line);
        cr_expect_eq(point.column, expected[i].column);
        cr_expect_eq(point.end_line, expected[i].end_line);
        cr_expect_eq(point.end_column, expected[i].end_column);
        cr_expect_eq(point.is_hidden, expected[i].is_hidden);
    }
    cr_expect_eq(um_ppdb_next(&points, &point), end);
    cr_expect(end == UM_ERR_CLOSED || um_ppdb_next(&points, &point) == UM_ERR_CLOSED);
}

Test(ppdb, joins_the_parts_of_a_path)
{
    struct um_ppdb ppdb;
    char path[16];
    cr_assert_eq(make("", 0, &ppdb), UM_OK);
    cr_assert_eq(um_ppdb_document(&ppdb, 1, path, sizeof path), UM_OK);
    cr_expect_str_eq(path, "a/b");
    for (uint8_t i = 0; i < UM_PPDB_ID_BYTES; i++)
        cr_expect_eq(ppdb.id[i], i);
}

/* The numbers are examples of ECMA-335, II.23.2. */
Test(ppdb, reads_numbers_of_all_lengths)
{
    static const uint8_t bytes[] = {
        0,                      /* no local signature */
        0xae, 0x57, 0,    1,    /* offset 0x2e57, columns 1 */
        0xc0, 0x00, 0x40, 0x00, /* line 0x4000 */
        0xbf, 0xff,             /* column 0x3fff */
        0x7f, 0x03, 0x7b,       /* offset +0x7f, lines 3, columns -3 */
        0xc0, 0x00, 0x40, 0x00, /* line +8192 */
        0x01,                   /* column -64 */
        0x01, 0,    1,          /* offset +1, columns 1 */
        0x80, 0x01,             /* line -8192 */
        0x80, 0x80,             /* column +64 */
    };
    static const struct um_ppdb_point points[] = {
        {.il_offset = 0x2e57,
         .line = 0x4000,
         .column = 0x3fff,
         .end_line = 0x4000,
         .end_column = 0x4000},
        {.il_offset = 0x2ed6,
         .line = 0x6000,
         .column = 0x3fbf,
         .end_line = 0x6003,
         .end_column = 0x3fbc},
        {.il_offset = 0x2ed7,
         .line = 0x4000,
         .column = 0x3fff,
         .end_line = 0x4000,
         .end_column = 0x4000},
    };
    expect_points(bytes, sizeof bytes, points, 3, UM_ERR_CLOSED);
}

Test(ppdb, goes_on_from_the_last_point_that_is_not_hidden)
{
    static const uint8_t bytes[] = {0, 0, 0, 0, 5, 0, 2, 10, 3, 1, 0, 0, 1, 0, 2, 2, 0};
    static const struct um_ppdb_point points[] = {
        {.il_offset = 0, .is_hidden = true},
        {.il_offset = 5, .line = 10, .column = 3, .end_line = 10, .end_column = 5},
        {.il_offset = 6, .is_hidden = true},
        {.il_offset = 7, .line = 11, .column = 3, .end_line = 11, .end_column = 5},
    };
    expect_points(bytes, sizeof bytes, points, 4, UM_ERR_CLOSED);
}

Test(ppdb, stops_where_points_are_damaged)
{
    static const uint8_t cut_off[] = {0, 0, 0, 2, 10};
    static const uint8_t no_such_document[] = {0, 0, 0, 2, 10, 3, 0, 2, 1, 0, 2, 2, 0};
    static const uint8_t before_line_1[] = {0, 0, 0, 2, 1, 3, 1, 0, 2, 0x7b, 0};
    static const uint8_t before_column_0[] = {0, 0, 0, 2, 1, 3, 1, 0, 2, 0, 0x71};
    static const uint8_t no_number[] = {0, 0xe0, 0, 0, 0, 0};
    static const struct um_ppdb_point first[] = {
        {.line = 10, .column = 3, .end_line = 10, .end_column = 5},
        {.line = 1, .column = 3, .end_line = 1, .end_column = 5}};
    expect_points(cut_off, sizeof cut_off, NULL, 0, UM_ERR_FORMAT);
    expect_points(no_such_document, sizeof no_such_document, first, 1, UM_ERR_FORMAT);
    expect_points(before_line_1, sizeof before_line_1, first + 1, 1, UM_ERR_FORMAT);
    expect_points(before_column_0, sizeof before_column_0, first + 1, 1, UM_ERR_FORMAT);
    expect_points(no_number, sizeof no_number, NULL, 0, UM_ERR_FORMAT);
}

/* Damaged files -------------------------------------------------------------------------------- */

Test(ppdb, refuses_what_is_cut_off)
{
    struct um_ppdb ppdb;
    read_file("lines.pdb");
    for (size_t len = 0; len < file_bytes; len++) {
        memcpy(unpacked, file, len);
        cr_assert_eq(um_ppdb_open(unpacked, len, &ppdb), UM_ERR_FORMAT, "%zu", len);
    }
}

Test(ppdb, refuses_tables_of_an_assembly)
{
    struct um_ppdb ppdb;
    cr_assert_eq(make("", 0, &ppdb), UM_OK);
    file[HEADERS + 32 + 8] = 1; /* a row of the table of modules */
    cr_expect_eq(um_ppdb_open(file, file_bytes, &ppdb), UM_ERR_FORMAT);
}

/* The document's row: the indices of its name, of the hash's GUID, of the hash and of a GUID. */
#define DOCUMENT_ROW (HEADERS + 32 + 24 + 8)

Test(ppdb, a_checksum_outside_of_its_heap_is_damaged)
{
    struct um_ppdb ppdb;
    char checksum[UM_CHECKSUM_BYTES];
    cr_assert_eq(make("", 0, &ppdb), UM_OK);
    cr_assert_eq(um_ppdb_checksum(&ppdb, 1, checksum), UM_OK);
    cr_expect_str_eq(checksum, "");
    um_bytes_put16(file + DOCUMENT_ROW + 4, 1);
    cr_assert_eq(um_ppdb_checksum(&ppdb, 1, checksum), UM_OK);
    cr_expect_str_eq(checksum, "", "a hash by no algorithm");
    um_bytes_put16(file + DOCUMENT_ROW + 4, 1000);
    cr_expect_eq(um_ppdb_checksum(&ppdb, 1, checksum), UM_ERR_FORMAT);
    um_bytes_put16(file + DOCUMENT_ROW + 4, 0);
    um_bytes_put16(file + DOCUMENT_ROW + 2, 1);
    cr_expect_eq(um_ppdb_checksum(&ppdb, 1, checksum), UM_ERR_FORMAT, "there are no GUIDs");
    cr_expect_str_eq(checksum, "");
}

Test(ppdb, a_hash_by_another_algorithm_is_no_checksum)
{
    struct um_ppdb ppdb;
    char checksum[UM_CHECKSUM_BYTES];
    open_pdb("lines.pdb", &ppdb);
    cr_assert(ppdb.guids_bytes >= 16 && ppdb.guids > file && ppdb.guids < file + file_bytes);
    ppdb.guids_bytes = 15;
    cr_expect_eq(um_ppdb_checksum(&ppdb, 1, checksum), UM_ERR_FORMAT, "cut off");
    open_pdb("lines.pdb", &ppdb);
    for (size_t at = 15; at < ppdb.guids_bytes; at += 16) /* the last byte of each GUID */
        file[(size_t)(ppdb.guids - file) + at] ^= 0x80;
    cr_assert_eq(um_ppdb_checksum(&ppdb, 1, checksum), UM_OK);
    cr_expect_str_eq(checksum, "");
}

Test(ppdb, tells_a_windows_pdb)
{
    static const uint8_t head[64] = "Microsoft C/C++ MSF 7.00\r\n\x1a"
                                    "DS";
    struct um_ppdb ppdb;
    cr_expect_eq(um_ppdb_open(head, sizeof head, &ppdb), UM_ERR_UNSUPPORTED);
}

/* Assemblies ----------------------------------------------------------------------------------- */

static void open_embedded(struct um_assembly *assembly)
{
    read_file("lines_embedded.dll");
    cr_assert_eq(um_assembly_read(file, file_bytes, assembly), UM_OK);
    cr_assert(assembly->embedded && assembly->unpacked_bytes < sizeof unpacked);
}

Test(assembly, has_the_id_of_its_pdb)
{
    struct um_assembly assembly;
    struct um_ppdb ppdb;
    read_file("lines.dll");
    cr_assert_eq(um_assembly_read(file, file_bytes, &assembly), UM_OK);
    open_pdb("lines.pdb", &ppdb);
    cr_expect_arr_eq(assembly.id, ppdb.id, sizeof ppdb.id);
    open_pdb("lines_optimized.pdb", &ppdb);
    cr_expect(memcmp(assembly.id, ppdb.id, sizeof ppdb.id) != 0);
}

Test(assembly, refuses_a_pdb_of_another_length_than_it_says)
{
    struct um_assembly assembly;
    open_embedded(&assembly);
    assembly.unpacked_bytes++;
    cr_expect_eq(um_assembly_unpack(&assembly, unpacked), UM_ERR_FORMAT);
    assembly.unpacked_bytes -= 2;
    cr_expect_eq(um_assembly_unpack(&assembly, unpacked), UM_ERR_FORMAT);
    assembly.unpacked_bytes = 0;
    cr_expect_eq(um_assembly_unpack(&assembly, unpacked), UM_ERR_FORMAT);
    assembly.unpacked_bytes = UM_ASSEMBLY_MAX_EMBEDDED + 1;
    cr_expect_eq(um_assembly_unpack(&assembly, unpacked), UM_ERR_TOO_LARGE);
}

Test(assembly, refuses_a_damaged_packing)
{
    struct um_assembly assembly;
    open_embedded(&assembly);
    assembly.embedded_bytes--;
    cr_expect_eq(um_assembly_unpack(&assembly, unpacked), UM_ERR_FORMAT);
    assembly.embedded += 4;
    cr_expect_eq(um_assembly_unpack(&assembly, unpacked), UM_ERR_FORMAT);
}

Test(assembly, reads_what_is_cut_off_only_as_far_as_it_goes)
{
    struct um_assembly assembly;
    read_file("lines_embedded.dll");
    for (size_t len = 0; len < file_bytes; len += 7) {
        enum um_status status = um_assembly_read(file, len, &assembly);
        cr_expect(status != UM_OK || !assembly.embedded ||
                  assembly.embedded + assembly.embedded_bytes <= file + len);
    }
}

Test(assembly, names_no_pdb_where_there_is_none)
{
    static uint8_t native[16384];
    struct um_assembly assembly;
    size_t len;
    const char *bytes = written_golden("symbols.bin", &len);
    cr_assert(len < sizeof native);
    memcpy(native, bytes, len);
    cr_expect_eq(um_assembly_read(native, len, &assembly), UM_ERR_NOT_FOUND);
    cr_expect_eq(um_assembly_read(native, 20, &assembly), UM_ERR_FORMAT);
}
