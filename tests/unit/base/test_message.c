#include <criterion/criterion.h>

#include "base/plain/message.h"

#define LAST 0x0400 /* what follows is registered, or a program's own */

static int count(int (*is)(uint32_t message))
{
    int found = 0;
    for (uint32_t message = 0; message < LAST; message++)
        found += is(message) != 0;
    return found;
}

static int is_press(uint32_t message)
{
    return um_message_button(message) && !um_message_is_button_release(message);
}

Test(message, knows_keys_and_what_they_make)
{
    static const uint32_t keys[] = {0x100, 0x101, 0x104, 0x105};
    static const uint32_t characters[] = {0x102, 0x103, 0x106, 0x107, 0x109};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        cr_expect(um_message_is_key(keys[i]));
    for (size_t i = 0; i < sizeof characters / sizeof characters[0]; i++)
        cr_expect(um_message_is_character(characters[i]));
    cr_expect(um_message_is_key_press(0x100) && um_message_is_key_press(0x104));
    cr_expect(count(um_message_is_key) == 4 && count(um_message_is_key_press) == 2);
    cr_expect_eq(count(um_message_is_character), 5);
}

Test(message, knows_the_mouse)
{
    cr_expect(um_message_is_mouse_move(0x200) && um_message_is_mouse_move(0xa0));
    cr_expect(um_message_is_wheel(0x20a) && um_message_is_wheel(0x20e));
    cr_expect(count(um_message_is_mouse_move) == 2 && count(um_message_is_wheel) == 2);
}

Test(message, knows_touch_and_pen)
{
    static const uint32_t pointers[] = {0x240, 0x241, 0x242, 0x243, 0x245, 0x246, 0x247};
    for (size_t i = 0; i < sizeof pointers / sizeof pointers[0]; i++)
        cr_expect(um_message_is_pointer(pointers[i]) && !um_message_button(pointers[i]));
    cr_expect_eq(count(um_message_is_pointer), 7);
    cr_expect(um_message_is_contact(0x246) && um_message_is_contact(0x247));
    cr_expect_eq(count(um_message_is_contact), 2);
}

Test(message, knows_each_buttons_press_release_and_double_click)
{
    static const uint32_t downs[2][4] = {{0x201, 0x204, 0x207, 0x20b}, {0xa1, 0xa4, 0xa7, 0xab}};
    for (int area = 0; area < 2; area++) {
        for (int i = 0; i < 4; i++) {
            uint32_t down = downs[area][i];
            cr_expect(um_message_button(down) == i + 1 && is_press(down), "%x", down);
            cr_expect_eq(um_message_button(down + 1), i + 1, "%x", down + 1);
            cr_expect(um_message_is_button_release(down + 1), "%x", down + 1);
            cr_expect(um_message_button(down + 2) == i + 1 && is_press(down + 2), "%x", down + 2);
        }
    }
    cr_expect(count(um_message_button) == 24 && count(um_message_is_button_release) == 8);
    cr_expect(!um_message_button(UINT32_MAX) && !um_message_button(0));
}
