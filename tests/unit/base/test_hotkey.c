#include "base/hotkey.h"

#include <criterion/criterion.h>

Test(hotkey, reads_what_the_options_have)
{
    static const struct {
        const char *text;
        uint8_t modifiers;
        uint8_t virtual_key;
    } cases[] = {
        {"Ctrl+Alt+Shift+F9", 7, 0x78},
        {"Ctrl+Alt+Shift+F10", 7, 0x79},
        {"none", 0, 0},
        {"CTRL+F1", 1, 0x70},
        {"alt+f24", 2, 0x87},
        {"win+shift+u", 12, 'U'},
        {"Ctrl+Win+7", 9, '7'},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct um_hotkey hotkey = {99, 99};
        cr_expect(um_hotkey_parse(cases[i].text, &hotkey), "%s", cases[i].text);
        cr_expect(hotkey.modifiers == cases[i].modifiers &&
                      hotkey.virtual_key == cases[i].virtual_key,
                  "%s: %u, 0x%x", cases[i].text, hotkey.modifiers, hotkey.virtual_key);
    }
}

Test(hotkey, refuses_what_is_none_or_would_take_a_key_that_is_typed)
{
    static const char *const texts[] = {"",
                                        "ctrl",
                                        "ctrl+",
                                        "f9",
                                        "shift+f9",
                                        "shift+a",
                                        "ctrl+f0",
                                        "ctrl+f25",
                                        "x+f9",
                                        "ctrl+ä",
                                        "+f9",
                                        "ctrl++",
                                        "ctrl+f09",
                                        "a+ctrl",
                                        "ctrl f9",
                                        "ctrl+f9+",
                                        "ctrl+f4294967297",
                                        "ctrl+averylongname"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct um_hotkey hotkey = {99, 99};
        cr_expect_not(um_hotkey_parse(texts[i], &hotkey), "%s", texts[i]);
        cr_expect(hotkey.modifiers == 99 && hotkey.virtual_key == 99, "%s", texts[i]);
    }
}
