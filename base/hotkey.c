#include "base/hotkey.h"

#include <stddef.h>
#include <string.h>

#include "base/utf8.h"

#define F1 0x70
#define LAST_F 24
#define NAME_BYTES 8

const struct um_hotkey_modifier um_hotkey_modifiers[UM_HOTKEY_MODIFIERS] = {
    {"ctrl", UM_HOTKEY_CTRL},
    {"alt", UM_HOTKEY_ALT},
    {"shift", UM_HOTKEY_SHIFT},
    {"win", UM_HOTKEY_WIN},
};

static uint8_t modifier_of(const char *name)
{
    for (size_t i = 0; i < UM_HOTKEY_MODIFIERS; i++)
        if (um_utf8_equal(name, um_hotkey_modifiers[i].name))
            return um_hotkey_modifiers[i].bit;
    return 0;
}

uint8_t um_hotkey_key_of(uint32_t character)
{
    uint32_t upper = character >= 'a' && character <= 'z' ? character - 'a' + 'A' : character;
    bool known = (upper >= 'A' && upper <= 'Z') || (upper >= '0' && upper <= '9');
    return known ? (uint8_t)upper : 0;
}

/* The virtual key of "a", "7" or "f12"; 0: there is none of this name. */
static uint8_t key_of(const char *name)
{
    unsigned number = 0;

    if (name[0] != '\0' && name[1] == '\0')
        return um_hotkey_key_of((unsigned char)name[0]);
    if ((name[0] != 'f' && name[0] != 'F') || name[1] == '0')
        return 0;
    for (const char *at = name + 1; *at; at++) {
        if (*at < '0' || *at > '9')
            return 0;
        number = number * 10 + (unsigned)(*at - '0');
    }
    return number >= 1 && number <= LAST_F ? (uint8_t)(F1 + number - 1) : 0;
}

bool um_hotkey_parse(const char *text, struct um_hotkey *hotkey)
{
    struct um_hotkey read = {0, 0};

    if (um_utf8_equal(text, "none")) {
        *hotkey = read;
        return true;
    }
    for (;;) {
        char name[NAME_BYTES];
        size_t len = strcspn(text, "+");
        if (len >= sizeof name)
            return false;
        memcpy(name, text, len);
        name[len] = '\0';
        if (text[len] == '\0') {
            read.virtual_key = key_of(name);
            break;
        }
        uint8_t bit = modifier_of(name);
        if (bit == 0)
            return false;
        read.modifiers |= bit;
        text += len + 1;
    }
    if (read.virtual_key == 0 ||
        !(read.modifiers & (UM_HOTKEY_CTRL | UM_HOTKEY_ALT | UM_HOTKEY_WIN)))
        return false;
    *hotkey = read;
    return true;
}

size_t um_hotkey_same(const struct um_hotkey *keys, const bool *taken, size_t which)
{
    size_t at = 0;
    while (at < which && (taken[at] || keys[at].virtual_key == 0 ||
                          keys[at].virtual_key != keys[which].virtual_key ||
                          keys[at].modifiers != keys[which].modifiers))
        at++;
    return at;
}
