/* A hotkey as the options have it: ctrl+alt+shift+f9, with names in upper or lower case. Pure. */
#ifndef UM_BASE_HOTKEY_H
#define UM_BASE_HOTKEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UM_HOTKEY_CTRL 1
#define UM_HOTKEY_ALT 2
#define UM_HOTKEY_SHIFT 4
#define UM_HOTKEY_WIN 8
#define UM_HOTKEY_MODIFIERS 4

/* The modifiers by their names, which scenarios use, too. */
extern const struct um_hotkey_modifier {
    const char *name; /* in lower case */
    uint8_t bit;
} um_hotkey_modifiers[UM_HOTKEY_MODIFIERS];

/* A zeroed struct is no hotkey. */
struct um_hotkey {
    uint8_t modifiers;
    uint8_t virtual_key; /* of a letter, a digit, or F1 to F24: the same in every layout */
};

/* The virtual key of a letter or digit, which is the same in every layout; 0: it is neither. */
uint8_t um_hotkey_key_of(uint32_t character);

/* Reads a hotkey; "none" gives a zeroed one. Ctrl, Alt or Win must be in it, because a hotkey's
 * presses reach no program: a plain key could not be typed any more. False, with `hotkey`
 * untouched, for anything else. */
bool um_hotkey_parse(const char *text, struct um_hotkey *hotkey);

/* The first of the keys before `which` that is the same key, and was not `taken` by another
 * program: it keeps `which` from being registered. `which` itself if there is none. */
size_t um_hotkey_same(const struct um_hotkey *keys, const bool *taken, size_t which);

#endif
