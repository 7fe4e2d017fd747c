/* Finds a variable in the export table of an image that is made here, whole and damaged. */
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/plain/bytes.h"
#include "hooks/export.h"

#define BASE UINT64_C(0x7ff612340000)
#define IMAGE_BYTES 4096
#define PE 128
#define TABLE 1024 /* of the export directory */
#define NAME "uimon_table_1"
#define VARIABLE 3072

static uint8_t image[IMAGE_BYTES];
static uint32_t mapped; /* bytes that can be read */
static size_t reads;

static int read_image(void *context, uint64_t address, void *to, uint32_t bytes)
{
    cr_assert_eq(context, image);
    reads++;
    if (address < BASE || address - BASE > mapped || bytes > mapped - (address - BASE))
        return 0;
    memcpy(to, image + (address - BASE), bytes);
    return 1;
}

static uint64_t find(void)
{
    return um_export_find(read_image, image, BASE, NAME);
}

/* An image whose exports are these names, sorted, each with an ordinal of its own; that of
 * NAME is VARIABLE. */
static void make(const char *const *names, uint32_t count, int bits)
{
    uint32_t text = TABLE + 40 + count * 10, optional = PE + 24;
    memset(image, 0, sizeof image);
    mapped = IMAGE_BYTES;
    um_bytes_put16(image, 0x5a4d);
    um_bytes_put32(image + 60, PE);
    um_bytes_put32(image + PE, 0x4550);
    um_bytes_put16(image + PE + 20, bits == 64 ? 240 : 224);
    um_bytes_put16(image + optional, bits == 64 ? 0x20b : 0x10b);
    um_bytes_put32(image + optional + 56, IMAGE_BYTES);
    um_bytes_put32(image + optional + (bits == 64 ? 108 : 92), 16);
    um_bytes_put32(image + optional + (bits == 64 ? 112 : 96), TABLE);
    um_bytes_put32(image + optional + (bits == 64 ? 116 : 100), 512);
    um_bytes_put32(image + TABLE + 20, count);
    um_bytes_put32(image + TABLE + 24, count);
    um_bytes_put32(image + TABLE + 28, TABLE + 40);
    um_bytes_put32(image + TABLE + 32, TABLE + 40 + 4 * count);
    um_bytes_put32(image + TABLE + 36, TABLE + 40 + 8 * count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t ordinal = count - 1 - i; /* not in the order of the names */
        um_bytes_put32(image + TABLE + 40 + 4 * ordinal,
                       strcmp(names[i], NAME) == 0 ? VARIABLE : 2048 + 8 * i);
        um_bytes_put32(image + TABLE + 40 + 4 * count + 4 * i, text);
        um_bytes_put16(image + TABLE + 40 + 8 * count + 2 * i, (uint16_t)ordinal);
        strcpy((char *)image + text, names[i]);
        text += (uint32_t)strlen(names[i]) + 1;
    }
    reads = 0;
}

static const char *const some[] = {"alpha", "uimon",          "uimon_table_",
                                   NAME,    "uimon_table_10", "uimon_tabls"};

Test(hook_export, is_found_among_others)
{
    make(some, 6, 64);
    cr_expect_eq(find(), BASE + VARIABLE);
    make(some, 6, 32);
    cr_expect_eq(find(), BASE + VARIABLE);
    make(some + 3, 1, 64);
    cr_expect_eq(find(), BASE + VARIABLE);
}

Test(hook_export, is_not_found_where_it_is_not)
{
    static const char *const others[] = {"alpha", "uimon", "uimon_table_", "uimon_table_10"};
    make(others, 4, 64);
    cr_expect_eq(find(), 0);
    make(others, 0, 64);
    cr_expect_eq(find(), 0);
    um_bytes_put32(image + PE + 24 + 112, 0); /* no export directory */
    cr_expect_eq(find(), 0);
    memset(image, 0, sizeof image);
    cr_expect_eq(find(), 0);
}

Test(hook_export, takes_few_reads_for_many_names)
{
    static char texts[64][8];
    const char *names[64];
    for (size_t i = 0; i < 63; i++) {
        snprintf(texts[i], sizeof texts[i], "n%02zu", i);
        names[i] = texts[i];
    }
    names[63] = NAME;
    make(names, 64, 64);
    cr_expect_eq(find(), BASE + VARIABLE);
    cr_expect_leq(reads, 4 + 2 * 7 + 2, "%zu", reads);
}

Test(hook_export, what_is_no_variable_is_refused)
{
    uint32_t entry = TABLE + 40 + 4 * 2; /* of NAME, whose ordinal is 2 */
    make(some, 6, 64);
    cr_assert_eq(um_bytes_get32(image + entry), VARIABLE);
    um_bytes_put32(image + entry, TABLE + 200);
    cr_expect_eq(find(), 0, "it is in another module");
    um_bytes_put32(image + entry, VARIABLE + 4);
    cr_expect_eq(find(), 0, "it is not aligned");
    um_bytes_put32(image + entry, IMAGE_BYTES);
    cr_expect_eq(find(), 0, "it is behind the image");
    um_bytes_put32(image + entry, 0);
    cr_expect_eq(find(), 0, "it is nowhere");
    make(some, 6, 64);
    um_bytes_put16(image + TABLE + 40 + 8 * 6 + 2 * 3, 6);
    cr_expect_eq(find(), 0, "its ordinal is none");
}

Test(hook_export, of_an_image_that_goes_away_nothing_is_found_or_all)
{
    make(some, 6, 64);
    for (mapped = 0; mapped < IMAGE_BYTES; mapped++) {
        uint64_t found = find();
        cr_assert(found == 0 || found == BASE + VARIABLE);
    }
    make(some, 6, 64);
    for (uint32_t size = 0; size < IMAGE_BYTES; size++) { /* as the image says */
        um_bytes_put32(image + PE + 24 + 56, size);
        uint64_t found = find();
        cr_assert(found == 0 || (found == BASE + VARIABLE && size >= VARIABLE + 8));
    }
}

/* Each byte in turn is another one. What is found then is a place within the image. */
Test(hook_export, damaged_images_stay_within_their_bounds)
{
    static const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff};
    for (size_t at = 0; at < TABLE + 512; at++)
        for (size_t i = 0; i < sizeof values; i++) {
            make(some, 6, 64);
            image[at] = values[i];
            uint64_t found = find();
            cr_assert(found == 0 || (found >= BASE && found - BASE <= IMAGE_BYTES - 4), "byte %zu",
                      at);
            cr_assert_lt(reads, 100, "byte %zu", at);
        }
}
