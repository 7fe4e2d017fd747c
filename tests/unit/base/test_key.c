#include "base/plain/key.h"

#include <criterion/criterion.h>

/* Of all virtual keys, these alone; the names are those of the Windows headers. */
Test(key, shifts_and_locks_are_modifiers_and_nothing_else_is)
{
    static const uint8_t modifiers[] = {
        0x10, 0x11, 0x12,                   /* SHIFT CONTROL MENU */
        0x14,                               /* CAPITAL */
        0x5b, 0x5c,                         /* LWIN RWIN */
        0x90, 0x91,                         /* NUMLOCK SCROLL */
        0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5, /* LSHIFT RSHIFT LCONTROL RCONTROL LMENU RMENU */
    };
    size_t found = 0;
    for (uint32_t key = 0; key < 0x10000; key++)
        found += um_key_is_modifier(key) ? 1 : 0;
    cr_assert_eq(found, sizeof modifiers);
    for (size_t i = 0; i < sizeof modifiers; i++)
        cr_assert(um_key_is_modifier(modifiers[i]), "0x%02x", modifiers[i]);
}

Test(key, modifiers_and_repeats_start_nothing)
{
    const int64_t pressed = 0x001e0001, repeat = INT64_C(1) << 30;
    cr_expect(um_key_starts('A', pressed));
    cr_expect(!um_key_starts('A', pressed | repeat));
    cr_expect(!um_key_starts(0x10, pressed));
    cr_expect(um_key_starts(0xe7, pressed | repeat),
              "U+4000 and others as VK_PACKET are no repeats");
}
