/* A hotkey as the options have it: ctrl+alt+shift+f9, with names in upper or lower case. Pure. */
#ifndef UM_MONITOR_HOTKEY_H
#define UM_MONITOR_HOTKEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UM_HOTKEY_CTRL 1
#define UM_HOTKEY_ALT 2
#define UM_HOTKEY_SHIFT 4
#define UM_HOTKEY_WIN 8

/* What the options are by default. Shift+F12 and its like belong to development environments. */
#define UM_HOTKEY_TRACE "Ctrl+Alt+Shift+F8"
#define UM_HOTKEY_HIDE "Ctrl+Alt+Shift+F9"
#define UM_HOTKEY_MARK "Ctrl+Alt+Shift+F10"
#define UM_HOTKEY_PANEL "Ctrl+Alt+Shift+F11"

/* A zeroed struct is no hotkey. */
struct um_hotkey {
    uint8_t modifiers;
    uint8_t virtual_key; /* of a letter, a digit, or F1 to F24: the same in every layout */
};

/* Reads a hotkey; "none" is none. Ctrl, Alt or Win must be in it, because a key that is typed would
 * never reach a program again. False, with `hotkey` untouched, for anything else. */
bool um_hotkey_parse(const char *text, struct um_hotkey *hotkey);

/* The first of the keys before `which` that is the same and was not `taken` by another program, so
 * that `which` cannot be had because of it; `which` itself if there is none. */
size_t um_hotkey_same(const struct um_hotkey *keys, const bool *taken, size_t which);

#endif
