#include "base/key_names.h"

#include <criterion/criterion.h>

static void expect(uint32_t virtual_key, const char *name)
{
    char text[UM_KEY_NAMES_BYTES];
    cr_expect_str_eq(um_key_names_get(virtual_key, text), name, "0x%x: %s", virtual_key,
                     um_key_names_get(virtual_key, text));
}

/* The numbers are those of the Windows headers. */
Test(key_names, are_what_is_on_the_key)
{
    expect('A', "A");
    expect('Z', "Z");
    expect('0', "0");
    expect('9', "9");
    expect(0x0d, "Enter");
    expect(0x21, "Page Up");
    expect(0x25, "Left");
    expect(0x28, "Down");
    expect(0x60, "Num 0");
    expect(0x69, "Num 9");
    expect(0x70, "F1");
    expect(0x87, "F24");
}

Test(key_names, another_key_has_its_number)
{
    expect(0x01, "0x01");
    expect('@', "0x40");
    expect('[', "0x5B");
    expect(0x6a, "0x6A");
    expect(0x6f, "0x6F");
    expect(0x88, "0x88");
    expect(0xba, "0xBA");
    expect(UINT32_MAX, "0xFFFFFFFF");
}
