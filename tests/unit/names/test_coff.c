/* The symbol table of a program (tests/golden/symbols.txt says which), against what nm and objdump
 * say about the same file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/plain/bytes.h"
#include "names/coff.h"

#define BASE UINT64_C(0x140000000)
#define ROWS 64

/* Behind the offset of the signature. */
#define MACHINE_AT 4
#define TABLE_AT 12
#define COUNT_AT 16
#define EXCEPTIONS_AT (24 + 112 + 3 * 8)

static uint8_t file[16384];
static size_t file_bytes;
static struct um_symbol_table functions;

/* What binutils say. */
static struct {
    uint32_t rva;
    char name[64];
} names[ROWS];
static struct {
    uint32_t begin, end;
} unwound[ROWS];
static size_t name_count, unwound_count;

static FILE *open_golden(const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, UM_SOURCE_DIR "/tests/golden/%s", name);
    FILE *golden = fopen(path, "rb");
    cr_assert(golden, "%s", path);
    return golden;
}

static void read_truth(void)
{
    char line[256], name[64], kind;
    unsigned long long at, begin, end;
    FILE *golden = open_golden("symbols.txt");
    while (fgets(line, sizeof line, golden)) {
        cr_assert(name_count < ROWS && unwound_count < ROWS);
        if (sscanf(line, "%llx: %llx %llx", &at, &begin, &end) == 3) {
            unwound[unwound_count].begin = (uint32_t)(begin - BASE);
            unwound[unwound_count++].end = (uint32_t)(end - BASE);
        } else if (sscanf(line, "%llx %c %63s", &at, &kind, name) == 3 && at > BASE) {
            names[name_count].rva = (uint32_t)(at - BASE);
            strcpy(names[name_count++].name, name);
        }
    }
    fclose(golden);
    cr_assert_eq(name_count, 24);
    cr_assert_eq(unwound_count, 3);
}

static void setup(void)
{
    FILE *golden = open_golden("symbols.bin");
    file_bytes = fread(file, 1, sizeof file, golden);
    fclose(golden);
    cr_assert(file_bytes > 4096 && file_bytes < sizeof file);
    read_truth();
}

static void teardown(void)
{
    um_symbol_table_free(&functions);
}

TestSuite(coff, .init = setup, .fini = teardown);

static void read_again(void)
{
    um_symbol_table_free(&functions);
    cr_assert_eq(um_coff_read(file, file_bytes, &functions), UM_OK);
}

static const char *name_at(uint32_t rva)
{
    const struct um_symbol_table_entry *entry = um_symbol_table_find(&functions, rva);
    return entry ? entry->name : "none";
}

static bool has_name(uint32_t rva, const char *name)
{
    for (size_t i = 0; i < name_count; i++)
        if (names[i].rva == rva && strcmp(names[i].name, name) == 0)
            return true;
    return false;
}

static uint8_t *header(size_t at)
{
    return file + um_bytes_get32(file + 60) + at;
}

/* Where a long name is in the file. */
static char *long_name(const char *name)
{
    size_t bytes = strlen(name) + 1;
    for (size_t i = 0; i + bytes <= file_bytes; i++)
        if (memcmp(file + i, name, bytes) == 0)
            return (char *)file + i;
    cr_assert_fail("%s is not there", name);
    return NULL;
}

Test(coff, names_functions_from_their_begin_to_their_end)
{
    read_again();
    for (size_t i = 0; i < unwound_count; i++) {
        const struct um_symbol_table_entry *entry =
            um_symbol_table_find(&functions, unwound[i].begin);
        cr_assert(entry);
        cr_expect(has_name(unwound[i].begin, entry->name), "%x: %s", unwound[i].begin, entry->name);
        cr_expect(entry->is_whole);
        cr_expect_eq(entry->end_rva, unwound[i].end);
        cr_expect_eq(um_symbol_table_find(&functions, unwound[i].end - 1), entry);
        cr_expect_neq(um_symbol_table_find(&functions, unwound[i].end), entry);
    }
}

Test(coff, prefers_functions_to_labels_in_the_same_place)
{
    read_again();
    cr_expect_str_eq(name_at(0x1000), "_ZL6hiddeni");
    cr_expect_str_eq(name_at(0x101a), "_ZL6hiddeni");
    cr_expect_str_eq(name_at(0x101b), "entry");
    cr_expect_str_eq(name_at(0x1041), "none");
    cr_expect_str_eq(name_at(0x1060), "_ZNK6Shapes6Circle4areaEi");
    cr_expect_str_eq(name_at(0x1067), "none");
    *long_name("_ZL6hiddeni") = 'z'; /* no longer the first by its letters either */
    read_again();
    cr_expect_str_eq(name_at(0x1000), "zZL6hiddeni");
}

/* Where there is no unwind data, the name may be that of another function. */
Test(coff, names_labels_as_far_as_the_next_one)
{
    read_again();
    cr_expect_str_eq(name_at(0x1052), "fast_copy");
    cr_expect_str_eq(name_at(0x1053), "fast_fill_with_long_name");
    cr_expect_str_eq(name_at(0x105f), "fast_fill_with_long_name");
    const struct um_symbol_table_entry *entry = um_symbol_table_find(&functions, 0x1053);
    cr_expect_eq(entry->end_rva, 0x1060);
    cr_expect_not(entry->is_whole);
    cr_expect_eq(um_symbol_table_find(&functions, 0x1052)->end_rva, 0x1053);
}

Test(coff, names_functions_without_unwind_data_as_far_as_the_next_one)
{
    um_bytes_put32(header(EXCEPTIONS_AT), 0);
    um_bytes_put32(header(EXCEPTIONS_AT) + 4, 0);
    read_again();
    cr_expect_str_eq(name_at(0x1041), "entry");
    cr_expect_str_eq(name_at(0x104f), "entry");
    cr_expect_str_eq(name_at(0x1050), "fast_copy");
    for (size_t i = 0; i < functions.count; i++)
        cr_expect_not(functions.entries[i].is_whole);
}

/* There each name of C has one more underscore, and unwind data has another form. */
Test(coff, names_functions_of_32_bit_programs_as_in_the_source)
{
    um_bytes_put16(header(MACHINE_AT), 0x14c);
    read_again();
    cr_expect_str_eq(name_at(0x1000), "ZL6hiddeni");
    cr_expect_str_eq(name_at(0x101b), "entry");
    cr_expect_str_eq(name_at(0x104f), "entry");
}

static void expect_without_clone(const char *name, const char *shown)
{
    char *place = long_name("fast_fill_with_long_name"), kept[32];
    memcpy(kept, place, sizeof kept);
    cr_assert_lt(strlen(name), strlen(place));
    strcpy(place, name);
    read_again();
    cr_expect_str_eq(name_at(0x1053), shown);
    memcpy(place, kept, sizeof kept);
}

Test(coff, leaves_out_what_calling_conventions_add_to_names)
{
    um_bytes_put16(header(MACHINE_AT), 0x14c);
    expect_without_clone("_answer@16", "answer");
    expect_without_clone("@quick@8", "quick");
    expect_without_clone("_plain", "plain");
    expect_without_clone("__start", "_start");
    expect_without_clone("_mail@home", "mail@home");
    expect_without_clone("@odd", "@odd");
    expect_without_clone("_run@4.part.0", "run@4");
    um_bytes_put16(header(MACHINE_AT), 0x8664);
    expect_without_clone("_answer@16", "_answer@16");
}

Test(coff, names_clones_as_their_function)
{
    expect_without_clone("fill.constprop.0", "fill");
    expect_without_clone("_Z4fillv.isra.0.cold", "_Z4fillv");
    expect_without_clone("main.fill", "main.fill"); /* a function of Go */
    expect_without_clone(".cold", ".cold");
}

Test(coff, leaves_out_names_that_the_file_does_not_have)
{
    uint32_t table = um_bytes_get32(header(TABLE_AT)), count = um_bytes_get32(header(COUNT_AT));
    uint8_t *strings = file + table + (size_t)count * 18; /* their length */
    um_bytes_put32(strings, 8);
    read_again();
    cr_expect_str_eq(name_at(0x101b), "entry");
    cr_expect_str_eq(name_at(0x1053), "none");
    um_bytes_put32(strings, UINT32_MAX);
    read_again();
    cr_expect_str_eq(name_at(0x101b), "entry");
    cr_expect_str_eq(name_at(0x1053), "none");
}

static void expect_none(size_t at, uint32_t value)
{
    uint32_t kept = um_bytes_get32(header(at));
    um_bytes_put32(header(at), value);
    read_again();
    cr_expect_eq(functions.count, 0, "%zx", at);
    um_bytes_put32(header(at), kept);
}

Test(coff, is_empty_where_the_file_has_no_table)
{
    expect_none(TABLE_AT, 0);
    expect_none(TABLE_AT, UINT32_MAX);
    expect_none(COUNT_AT, 0);
    expect_none(COUNT_AT, UINT32_MAX);
    expect_none(MACHINE_AT, 0xffff8664); /* more sections than the file can have */
}

Test(coff, is_empty_in_a_file_that_is_cut)
{
    size_t end = um_bytes_get32(header(TABLE_AT)) + (size_t)um_bytes_get32(header(COUNT_AT)) * 18;
    for (size_t len = 0; len < end; len += 7) {
        /* A copy of exactly its size, so that a sanitizer sees what is read behind it. */
        uint8_t *cut = malloc(len + 1);
        cr_assert(cut);
        memcpy(cut, file, len);
        cr_assert_eq(um_coff_read(cut, len, &functions), UM_OK);
        cr_expect_eq(functions.count, 0, "%zu", len);
        um_symbol_table_free(&functions);
        free(cut);
    }
}
