/* Images made by hand, from "PE Format" (Microsoft Learn). */
#include <string.h>

#include <criterion/criterion.h>

#include "monitor/sample/modules.h"

#define IMAGE_BYTES 0x2000
#define PE 0x80
#define OPTIONAL (PE + 24)
#define TABLE 0x1800

static uint8_t image[IMAGE_BYTES];
static size_t readable; /* bytes from the image's start */

static void put(uint32_t at, uint32_t value, unsigned len)
{
    for (unsigned i = 0; i < len; i++)
        image[at + i] = (uint8_t)(value >> (8 * i));
}

static void put_entry(unsigned index, uint32_t begin, uint32_t end, uint32_t unwind)
{
    put(TABLE + index * 12, begin, 4);
    put(TABLE + index * 12 + 4, end, 4);
    put(TABLE + index * 12 + 8, unwind, 4);
}

/* An image with a table of `count` functions of 16 bytes each, 32 bytes apart, from 0x100 on. */
static void make_image(unsigned count)
{
    memset(image, 0, sizeof image);
    readable = sizeof image;
    put(0, 0x5a4d, 2);
    put(60, PE, 4);
    put(PE, 0x4550, 4);
    put(PE + 4, 0x8664, 2);
    put(PE + 20, 240, 2);
    put(OPTIONAL, 0x20b, 2);
    put(OPTIONAL + 56, IMAGE_BYTES, 4);
    put(OPTIONAL + 108, 16, 4);
    put(OPTIONAL + 136, TABLE, 4);
    put(OPTIONAL + 140, count * 12, 4);
    for (unsigned i = 0; i < count; i++)
        put_entry(i, 0x100 + i * 32, 0x110 + i * 32, 0x1000 + i * 4);
}

static bool read_image(void *context, uint32_t rva, void *bytes, size_t len)
{
    (void)context;
    if (rva > readable || len > readable - rva)
        return false;
    memcpy(bytes, image + rva, len);
    return true;
}

static const struct um_pdata_source source = {NULL, read_image};

static struct um_pdata opened(void)
{
    struct um_pdata pdata;
    cr_assert_eq(um_pdata_open(&pdata, &source), UM_OK);
    return pdata;
}

static enum um_status open_status(void)
{
    struct um_pdata pdata;
    return um_pdata_open(&pdata, &source);
}

Test(pdata, finds_the_function_of_every_byte)
{
    for (unsigned count = 0; count < 40; count++) {
        make_image(count);
        struct um_pdata pdata = opened();
        for (uint32_t rva = 0; rva < 0x700; rva++) {
            struct um_pdata_function function;
            uint32_t index = (rva - 0x100) / 32;
            bool is_in = rva >= 0x100 && index < count && (rva - 0x100) % 32 < 16;
            enum um_status status = um_pdata_find(&pdata, rva, &function);
            cr_assert_eq(status, is_in ? UM_OK : UM_ERR_NOT_FOUND, "%x of %u", rva, count);
            if (is_in) {
                cr_assert_eq(function.begin_rva, 0x100 + index * 32);
                cr_assert_eq(function.end_rva, 0x110 + index * 32);
                cr_assert_eq(function.unwind_rva, 0x1000 + index * 4);
            }
        }
    }
}

Test(pdata, an_entry_may_stand_for_another)
{
    struct um_pdata_function function;
    make_image(3);
    put_entry(2, 0x140, 0x150, TABLE + 1); /* for the first */
    struct um_pdata pdata = opened();
    cr_assert_eq(um_pdata_find(&pdata, 0x148, &function), UM_OK);
    cr_assert_eq(function.begin_rva, 0x100);
    cr_assert_eq(function.unwind_rva, 0x1000);
    put_entry(1, 0x120, 0x130, TABLE + 2 * 12 + 1); /* for one that stands for another */
    cr_assert_eq(um_pdata_find(&pdata, 0x128, &function), UM_ERR_FORMAT);
    put_entry(1, 0x120, 0x130, 0xfffffff1);
    cr_assert_eq(um_pdata_find(&pdata, 0x128, &function), UM_ERR_IO);
}

Test(pdata, says_that_the_table_cannot_be_read)
{
    struct um_pdata_function function;
    make_image(8);
    struct um_pdata pdata = opened();
    readable = TABLE + 20;
    cr_assert_eq(um_pdata_find(&pdata, 0x100, &function), UM_ERR_IO);
}

Test(pdata, an_image_may_have_no_table)
{
    struct um_pdata_function function;
    make_image(4);
    put(OPTIONAL + 108, 3, 4);
    struct um_pdata pdata = opened();
    cr_assert_eq(um_pdata_find(&pdata, 0x100, &function), UM_ERR_NOT_FOUND);
    make_image(4);
    put(PE + 20, 112, 2);
    pdata = opened();
    cr_assert_eq(um_pdata_find(&pdata, 0x100, &function), UM_ERR_NOT_FOUND);
}

Test(pdata, a_table_ends_with_the_image)
{
    make_image(4);
    put(OPTIONAL + 140, IMAGE_BYTES - TABLE, 4);
    cr_assert_eq(open_status(), UM_OK);
    put(OPTIONAL + 140, IMAGE_BYTES - TABLE + 1, 4);
    cr_assert_eq(open_status(), UM_ERR_FORMAT);
    put(OPTIONAL + 136, 0xffffff00, 4);
    cr_assert_eq(open_status(), UM_ERR_FORMAT);
}

Test(pdata, refuses_what_is_no_image)
{
    static const struct {
        uint32_t at, value;
        unsigned len;
        size_t readable_bytes;
        enum um_status expected;
    } images[] = {
        {0, 0x5a4e, 2, IMAGE_BYTES, UM_ERR_FORMAT},
        {PE, 0x4551, 4, IMAGE_BYTES, UM_ERR_FORMAT},
        {OPTIONAL, 0x10b, 2, IMAGE_BYTES, UM_ERR_FORMAT}, /* of 32 bits */
        {60, 0xfffffff0, 4, IMAGE_BYTES, UM_ERR_FORMAT},
        {PE + 4, 0xaa64, 2, IMAGE_BYTES, UM_ERR_UNSUPPORTED},
        {0, 0, 0, 32, UM_ERR_IO},
        {0, 0, 0, PE + 16, UM_ERR_IO},
    };
    for (size_t i = 0; i < sizeof images / sizeof images[0]; i++) {
        make_image(1);
        put(images[i].at, images[i].value, images[i].len);
        readable = images[i].readable_bytes;
        cr_expect_eq(open_status(), images[i].expected, "row %zu", i);
    }
}

/* Modules -------------------------------------------------------------------------------------- */

static struct um_modules_entry entries[4];
static struct um_modules modules;

static int32_t added(uint64_t base)
{
    int32_t index = -2;
    cr_assert_eq(um_modules_add(&modules, base, &source, &index), UM_OK);
    return index;
}

Test(modules, code_is_found_in_its_own_module)
{
    static const uint64_t bases[] = {0x30000, 0x10000, 0x20000};
    make_image(2);
    um_modules_init(&modules, entries, 4, NULL);
    for (int32_t i = 0; i < 3; i++)
        cr_assert_eq(added(bases[i]), i);
    struct um_unwind_code code = um_modules_code(&modules);
    for (int32_t i = 0; i < 3; i++) {
        struct um_unwind_function function;
        uint8_t magic[2] = {0};
        cr_assert_eq(code.find(code.context, bases[i] + 0x124, &function), UM_UNWIND_FOUND);
        cr_assert_eq(function.base, bases[i]);
        cr_assert_eq(function.module, i);
        cr_assert_eq(function.rva.begin_rva, 0x120);
        cr_assert_eq(code.read(code.context, &function, 0, magic, 2), UM_UNWIND_FOUND);
        cr_assert_eq(magic[0], 'M');
        cr_assert_eq(code.read(code.context, &function, IMAGE_BYTES - 1, magic, 2),
                     UM_UNWIND_UNKNOWN);
        /* A leaf: nothing, but of this module. */
        cr_assert_eq(code.find(code.context, bases[i] + 0x118, &function), UM_UNWIND_NONE);
        cr_assert_eq(function.base, bases[i]);
        cr_assert_eq(function.module, i);
        cr_assert_eq(code.find(code.context, bases[i] - 1, &function), UM_UNWIND_NONE);
        cr_assert_eq(function.module, UM_UNWIND_NO_MODULE);
        cr_assert_eq(code.find(code.context, bases[i] + IMAGE_BYTES, &function), UM_UNWIND_NONE);
        cr_assert_eq(function.module, UM_UNWIND_NO_MODULE);
    }
}

Test(modules, says_what_is_wrong_with_a_table)
{
    struct um_unwind_function function;
    make_image(3);
    um_modules_init(&modules, entries, 4, NULL);
    added(0x10000);
    struct um_unwind_code code = um_modules_code(&modules);
    put_entry(1, 0x120, 0x130, 0x1000 + 1);
    put(0x1008, 1, 4);
    cr_assert_eq(code.find(code.context, 0x10124, &function), UM_UNWIND_UNREADABLE);
    readable = TABLE;
    cr_assert_eq(code.find(code.context, 0x10104, &function), UM_UNWIND_UNKNOWN);
}

Test(modules, refuses_overlaps_and_what_has_no_room)
{
    int32_t index;
    make_image(1);
    um_modules_init(&modules, entries, 4, NULL);
    added(0x10000);
    cr_assert_eq(um_modules_add(&modules, 0x10000, &source, &index), UM_ERR_EXISTS);
    cr_assert_eq(um_modules_add(&modules, 0x10000 + IMAGE_BYTES - 1, &source, &index),
                 UM_ERR_EXISTS);
    cr_assert_eq(um_modules_add(&modules, 0x10000 - IMAGE_BYTES + 1, &source, &index),
                 UM_ERR_EXISTS);
    cr_assert_eq(modules.extents.count, 1);
    added(0x10000 + IMAGE_BYTES);
    added(0x10000 - IMAGE_BYTES);
    added(0x20000);
    cr_assert_eq(um_modules_add(&modules, 0x30000, &source, &index), UM_ERR_TOO_LARGE);
    readable = 0;
    um_modules_init(&modules, entries, 4, NULL);
    cr_assert_eq(um_modules_add(&modules, 0x30000, &source, &index), UM_ERR_IO);
    cr_assert_eq(modules.extents.count, 0);
}

static enum um_unwind_answer find_elsewhere(void *context, uint64_t pc,
                                            struct um_unwind_function *function)
{
    *(uint64_t *)context = pc;
    *function = (struct um_unwind_function){
        .base = 0x10000, .module = UM_UNWIND_NO_MODULE, .rva = {1, 2, 3}};
    return UM_UNWIND_FOUND;
}

static enum um_unwind_answer read_elsewhere(void *context,
                                            const struct um_unwind_function *function, uint32_t rva,
                                            void *bytes, size_t len)
{
    (void)context;
    cr_assert_eq(function->rva.begin_rva, 1);
    memset(bytes, (int)rva, len);
    return UM_UNWIND_NOT_YET;
}

Test(modules, other_code_is_asked_for_elsewhere)
{
    uint64_t asked = 0;
    uint8_t byte = 0;
    struct um_unwind_function function;
    const struct um_unwind_code elsewhere = {&asked, find_elsewhere, read_elsewhere};
    make_image(1);
    um_modules_init(&modules, entries, 4, &elsewhere);
    added(0x10000);
    struct um_unwind_code code = um_modules_code(&modules);
    cr_assert_eq(code.find(code.context, 0x10104, &function), UM_UNWIND_FOUND);
    cr_assert_eq(asked, 0);
    cr_assert_eq(code.find(code.context, 0x50000, &function), UM_UNWIND_FOUND);
    cr_assert_eq(asked, 0x50000);
    /* Not from the module, even where its base is the module's. */
    cr_assert_eq(code.read(code.context, &function, 7, &byte, 1), UM_UNWIND_NOT_YET);
    cr_assert_eq(byte, 7);
}
