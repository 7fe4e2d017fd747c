#include <string.h>

#include <criterion/criterion.h>

#include "names/image.h"

#define PE 0x80
#define OPTIONAL (PE + 24)
#define SECTIONS (OPTIONAL + 240)
#define FILE_BYTES 0x800

static uint8_t file[FILE_BYTES];
static struct um_image image;

static void put(size_t at, uint32_t value, unsigned len)
{
    for (unsigned i = 0; i < len; i++)
        file[at + i] = (uint8_t)(value >> (8 * i));
}

/* A file with two sections, the second of which ends with the file. */
static void setup(void)
{
    memcpy(file, "MZ", 2);
    put(60, PE, 4);
    memcpy(file + PE, "PE", 2);
    put(PE + 6, 2, 2);
    put(PE + 8, 0x5e0be100, 4);
    put(PE + 20, 240, 2);
    put(OPTIONAL + 56, 0x9000, 4);
    put(SECTIONS + 16, 0x200, 4);
    put(SECTIONS + 20, 0x400, 4);
    put(SECTIONS + 40 + 16, 0x200, 4);
    put(SECTIONS + 40 + 20, 0x600, 4);
}

TestSuite(image, .init = setup);

Test(image, has_its_build_in_the_headers)
{
    cr_expect_eq(um_image_read(file, FILE_BYTES, FILE_BYTES, &image), UM_NAMES_FOUND);
    cr_expect_eq(image.timestamp, 0x5e0be100);
    cr_expect_eq(image.image_bytes, 0x9000);
}

Test(image, is_cut_off_wherever_it_ends_early)
{
    for (size_t len = 2; len < FILE_BYTES; len++)
        cr_expect_eq(um_image_read(file, len, len, &image), UM_NAMES_CUT_OFF, "%zu", len);
    cr_expect_eq(image.image_bytes, 0);
}

Test(image, is_no_module_if_it_is_something_else)
{
    static const char text[] =
        "Memorandum: this is a text, and not a short one. It goes on and on.";
    cr_expect_eq(um_image_read((const uint8_t *)text, sizeof text, sizeof text, &image),
                 UM_NAMES_NO_MODULE);
    cr_expect_eq(um_image_read(file, 0, 0, &image), UM_NAMES_NO_MODULE);
    file[PE + 2] = 1;
    cr_expect_eq(um_image_read(file, FILE_BYTES, FILE_BYTES, &image), UM_NAMES_NO_MODULE);
}

Test(image, is_no_module_if_its_headers_are_endless)
{
    cr_expect_eq(um_image_read(file, 0x100, FILE_BYTES, &image), UM_NAMES_NO_MODULE);
    put(60, 0xffffffff, 4);
    cr_expect_eq(um_image_read(file, 0x100, FILE_BYTES, &image), UM_NAMES_NO_MODULE);
    put(60, PE, 4);
    put(PE + 20, 8, 2);
    cr_expect_eq(um_image_read(file, FILE_BYTES, FILE_BYTES, &image), UM_NAMES_NO_MODULE);
}

Test(image, may_have_sections_that_are_not_in_the_file)
{
    put(SECTIONS + 16, 0, 4);
    put(SECTIONS + 20, 0xffffffff, 4);
    cr_expect_eq(um_image_read(file, FILE_BYTES, FILE_BYTES, &image), UM_NAMES_FOUND);
    put(SECTIONS + 16, 0xffffffff, 4);
    cr_expect_eq(um_image_read(file, FILE_BYTES, FILE_BYTES, &image), UM_NAMES_CUT_OFF);
}

Test(image, is_compared_by_what_is_known)
{
    image = (struct um_image){.timestamp = 5, .image_bytes = 6};
    struct um_names_module asked = {0};
    cr_expect_eq(um_image_compare(&image, &asked), UM_NAMES_FOUND);
    asked.timestamp = 5;
    cr_expect_eq(um_image_compare(&image, &asked), UM_NAMES_FOUND);
    asked.image_bytes = 7;
    cr_expect_eq(um_image_compare(&image, &asked), UM_NAMES_OTHER_BUILD);
    asked = (struct um_names_module){.timestamp = 4, .image_bytes = 6};
    cr_expect_eq(um_image_compare(&image, &asked), UM_NAMES_OTHER_BUILD);
}
