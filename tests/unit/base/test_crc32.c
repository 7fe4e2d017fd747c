#include <criterion/criterion.h>

#include "base/crc32.h"

Test(crc32, is_the_one_of_zlib)
{
    const uint8_t digits[] = "123456789";
    cr_expect_eq(um_crc32(0, digits, 9), 0xcbf43926, "its known check value");
    uint32_t half = um_crc32(0, digits, 4);
    cr_expect_eq(um_crc32(half, digits + 4, 5), 0xcbf43926, "continued");
}
