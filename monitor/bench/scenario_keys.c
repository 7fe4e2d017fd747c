#include "monitor/bench/scenario_keys.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/hotkey.h"
#include "base/nearest.h"
#include "base/utf8.h"

#define SHOWN_COLUMNS 40

/* Keys that have the same virtual-key code in every keyboard layout. If a key has several names,
 * the first one is shown. Source: winuser.h, VK_*. */
static const struct {
    const char *name;
    uint8_t virtual_key;
} named[] = {
    {"enter", 0x0d}, {"return", 0x0d}, {"tab", 0x09},    {"esc", 0x1b},      {"escape", 0x1b},
    {"space", 0x20}, {"home", 0x24},   {"end", 0x23},    {"backspace", 8},   {"delete", 0x2e},
    {"del", 0x2e},   {"insert", 0x2d}, {"pageup", 0x21}, {"pagedown", 0x22}, {"left", 0x25},
    {"up", 0x26},    {"right", 0x27},  {"down", 0x28},   {"menu", 0x5d},     {"f1", 0x70},
    {"f2", 0x71},    {"f3", 0x72},     {"f4", 0x73},     {"f5", 0x74},       {"f6", 0x75},
    {"f7", 0x76},    {"f8", 0x77},     {"f9", 0x78},     {"f10", 0x79},      {"f11", 0x7a},
    {"f12", 0x7b},   {"f13", 0x7c},    {"f14", 0x7d},    {"f15", 0x7e},      {"f16", 0x7f},
    {"f17", 0x80},   {"f18", 0x81},    {"f19", 0x82},    {"f20", 0x83},      {"f21", 0x84},
    {"f22", 0x85},   {"f23", 0x86},    {"f24", 0x87},
};
#define NAMED (sizeof named / sizeof named[0])

/* Whether a text begins with `len` bytes of a name, in upper or lower case. */
static bool begins_with(const char *text, const char *name, size_t len)
{
    size_t i = 0;
    while (i < len && um_utf8_fold((unsigned char)text[i]) == (unsigned char)name[i])
        i++;
    return i == len;
}

/* The index of the modifier with which a text begins, or UM_HOTKEY_MODIFIERS. */
static size_t find_modifier(const char *text)
{
    size_t i = 0;
    for (; i < UM_HOTKEY_MODIFIERS; i++) {
        size_t len = strlen(um_hotkey_modifiers[i].name);
        if (begins_with(text, um_hotkey_modifiers[i].name, len) && text[len] == '+')
            break;
    }
    return i;
}

/* Takes "ctrl+", "shift+" and so on, in any order, off the front of *text. */
static uint8_t take_modifiers(const char **text)
{
    uint8_t bits = 0;
    for (size_t i; (i = find_modifier(*text)) < UM_HOTKEY_MODIFIERS;) {
        bits |= um_hotkey_modifiers[i].bit;
        *text += strlen(um_hotkey_modifiers[i].name) + 1;
    }
    return bits;
}

static enum um_status refuse_key(const char *text, char *error, size_t error_cap)
{
    const char *names[NAMED + UM_HOTKEY_MODIFIERS + 1] = {NULL};
    for (size_t i = 0; i < NAMED; i++)
        names[i] = named[i].name;
    for (size_t i = 0; i < UM_HOTKEY_MODIFIERS; i++)
        names[NAMED + i] = um_hotkey_modifiers[i].name;
    const char *meant = um_nearest_find(text, names);
    snprintf(
        error, error_cap,
        "'%s' is not a key%s%s%s: write ctrl+, alt+, shift+ or win+ and then one character or a "
        "name such as enter, tab, left or f5",
        um_utf8_show(text, SHOWN_COLUMNS).text, meant ? "; did you mean '" : "", meant ? meant : "",
        meant ? "'?" : "");
    return UM_ERR_FORMAT;
}

enum um_status um_scenario_keys_parse(const char *text, struct um_scenario_key *key, char *error,
                                      size_t error_cap)
{
    struct um_scenario_key read = {0};
    const char *rest = text;

    read.modifiers = take_modifiers(&rest);
    for (size_t i = 0; i < NAMED && !read.virtual_key; i++)
        if (begins_with(rest, named[i].name, strlen(named[i].name) + 1))
            read.virtual_key = named[i].virtual_key;
    if (!read.virtual_key) {
        const char *after = rest;
        read.character = um_utf8_next(&after);
        if (read.character <= ' ' || read.character == 0x7f || *after)
            return refuse_key(rest, error, error_cap);
        /* A person writes Ctrl+S and presses Ctrl and s, without Shift. Programs know a shortcut by
         * its virtual key, which a Greek or Russian layout has, too, but not as a character. */
        if (read.modifiers)
            read.character = um_utf8_fold(read.character);
        if (read.modifiers & ~UM_HOTKEY_SHIFT)
            read.virtual_key = um_hotkey_key_of(read.character);
    }
    *key = read;
    return UM_OK;
}

void um_scenario_keys_name(const struct um_scenario_key *key, char *buf, size_t cap_bytes)
{
    char character[5] = "";
    const char *name = character;
    const char *held[UM_HOTKEY_MODIFIERS];

    for (size_t i = 0; i < UM_HOTKEY_MODIFIERS; i++)
        held[i] = key->modifiers & um_hotkey_modifiers[i].bit ? um_hotkey_modifiers[i].name : "";
    if (key->character)
        character[um_utf8_encode(key->character, character)] = 0;
    for (size_t i = NAMED; i > 0; i--)
        if (!key->character && named[i - 1].virtual_key == key->virtual_key)
            name = named[i - 1].name;
    snprintf(buf, cap_bytes, "%s%s%s%s%s%s%s%s%s", held[0], *held[0] ? "+" : "", held[1],
             *held[1] ? "+" : "", held[2], *held[2] ? "+" : "", held[3], *held[3] ? "+" : "", name);
}
