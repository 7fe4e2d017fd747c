/* A file made by hand: code at 0x1000, data at 0x2000, the export directory at 0x3000. */
#include <string.h>

#include <criterion/criterion.h>

#include "names/exports.h"

#define PE 0x80
#define OPTIONAL (PE + 24)
#define SECTIONS (OPTIONAL + 240)
#define RAW 0x400 /* of the directory's section, which alone is in the file */
#define FILE_BYTES 0x800
#define CODE 0x60000020
#define DATA 0x40000040

static uint8_t file[FILE_BYTES];
static struct um_symbol_table exports;

static void put(size_t at, uint32_t value, unsigned len)
{
    for (unsigned i = 0; i < len; i++)
        file[at + i] = (uint8_t)(value >> (8 * i));
}

static void put_section(unsigned index, uint32_t rva, uint32_t raw_bytes, uint32_t flags)
{
    size_t at = SECTIONS + index * 40;
    put(at + 8, 0x800, 4);
    put(at + 12, rva, 4);
    put(at + 16, raw_bytes, 4);
    put(at + 20, raw_bytes ? RAW : 0, 4);
    put(at + 36, flags, 4);
}

static void put_export(unsigned index, const char *name, uint32_t rva)
{
    put(RAW + 0x40 + index * 4, rva, 4);
    put(RAW + 0x60 + index * 4, 0x3100 + index * 0x20, 4);
    put(RAW + 0x80 + index * 2, index, 2);
    strcpy((char *)file + RAW + 0x100 + index * 0x20, name);
}

static void setup(void)
{
    memcpy(file, "MZ", 2);
    put(60, PE, 4);
    memcpy(file + PE, "PE", 2);
    put(PE + 6, 3, 2);
    put(PE + 20, 240, 2);
    put(OPTIONAL, 0x20b, 2);
    put(OPTIONAL + 112, 0x3000, 4);
    put(OPTIONAL + 116, 0x400, 4);
    put_section(0, 0x1000, 0, CODE);
    put_section(1, 0x2000, 0, DATA);
    put_section(2, 0x3000, 0x400, DATA);
    put(RAW + 20, 5, 4);
    put(RAW + 24, 5, 4);
    put(RAW + 28, 0x3040, 4);
    put(RAW + 32, 0x3060, 4);
    put(RAW + 36, 0x3080, 4);
    put_export(0, "Later", 0x1200);
    put_export(1, "Early", 0x1010);
    put_export(2, "Variable", 0x2000);
    put_export(3, "Forwarded", 0x3100);
    put_export(4, "Earlier", 0x1010);
}

static void teardown(void)
{
    um_symbol_table_free(&exports);
}

TestSuite(exports, .init = setup, .fini = teardown);

static void expect(uint32_t rva, const char *name)
{
    const struct um_symbol_table_entry *entry = um_symbol_table_find(&exports, rva);
    cr_expect_str_eq(entry ? entry->name : "none", name, "%x: %s", rva, entry ? entry->name : "");
}

Test(exports, are_found_by_the_code_behind_them)
{
    cr_assert_eq(um_exports_read(file, FILE_BYTES, &exports), UM_OK);
    cr_expect_eq(exports.count, 3);
    expect(0x100f, "none");
    expect(0x1010, "Earlier");
    expect(0x11ff, "Earlier");
    expect(0x1200, "Later");
    expect(0x17ff, "Later");
    expect(0x1800, "none");
    expect(0x2000, "none");
    expect(0x3100, "none");
}

Test(exports, have_names_of_limited_length)
{
    memset(file + RAW + 0x180, 'n', 0x27f);
    put(RAW + 0x60, 0x3180, 4);
    put_section(2, 0x3000, 0x400, DATA);
    cr_assert_eq(um_exports_read(file, FILE_BYTES, &exports), UM_OK);
    const struct um_symbol_table_entry *entry = um_symbol_table_find(&exports, 0x1200);
    cr_assert(entry);
    cr_expect_eq(strlen(entry->name), UM_EXPORTS_NAME_BYTES - 1);
}

Test(exports, without_an_end_of_their_name_are_left_out)
{
    memset(file + RAW + 0x180, 'n', 0x280);
    put(RAW + 0x60, 0x3180, 4);
    cr_assert_eq(um_exports_read(file, FILE_BYTES, &exports), UM_OK);
    expect(0x1200, "Early"); /* whose other name has no end either */
}

static void expect_none(size_t at, uint32_t value, unsigned len)
{
    uint8_t kept[4];
    memcpy(kept, file + at, len);
    put(at, value, len);
    cr_expect_eq(um_exports_read(file, FILE_BYTES, &exports), UM_OK);
    cr_expect_eq(exports.count, 0, "%zx", at);
    um_symbol_table_free(&exports);
    memcpy(file + at, kept, len);
}

Test(exports, are_none_where_the_file_contradicts_itself)
{
    expect_none(60, 0xfffffff0, 4);
    expect_none(PE + 6, 0xffff, 2);
    expect_none(PE + 20, 100, 2);
    expect_none(OPTIONAL + 112, 0, 4);
    expect_none(OPTIONAL + 112, 0x33f0, 4);
    expect_none(RAW + 20, 0x40000001, 4);
    expect_none(RAW + 24, UM_EXPORTS_MAX + 1, 4);
    expect_none(RAW + 24, 0, 4);
    expect_none(RAW + 28, 0x9000, 4);
    expect_none(RAW + 32, 0xffffffff, 4);
    expect_none(RAW + 36, 0x33ff, 4);
}

Test(exports, are_none_in_a_file_that_is_cut)
{
    for (size_t len = 0; len < RAW + 0x400; len += 7) {
        cr_assert_eq(um_exports_read(file, len, &exports), UM_OK);
        cr_expect_eq(exports.count, 0, "%zu", len);
        um_symbol_table_free(&exports);
    }
}
