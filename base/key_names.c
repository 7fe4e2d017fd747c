#include "base/key_names.h"

#include <inttypes.h>
#include <stdio.h>

#define NUMPAD_0 0x60
#define F1 0x70

static const char *named(uint32_t virtual_key)
{
    switch (virtual_key) {
    case 0x08:
        return "Backspace";
    case 0x09:
        return "Tab";
    case 0x0d:
        return "Enter";
    case 0x1b:
        return "Esc";
    case 0x20:
        return "Space";
    case 0x21:
        return "Page Up";
    case 0x22:
        return "Page Down";
    case 0x23:
        return "End";
    case 0x24:
        return "Home";
    case 0x25:
        return "Left";
    case 0x26:
        return "Up";
    case 0x27:
        return "Right";
    case 0x28:
        return "Down";
    case 0x2d:
        return "Insert";
    case 0x2e:
        return "Delete";
    default:
        return NULL;
    }
}

const char *um_key_names_get(uint32_t virtual_key, char *text)
{
    const char *name = named(virtual_key);
    if (name)
        return name;
    if ((virtual_key >= '0' && virtual_key <= '9') || (virtual_key >= 'A' && virtual_key <= 'Z'))
        snprintf(text, UM_KEY_NAMES_BYTES, "%c", (char)virtual_key);
    else if (virtual_key >= NUMPAD_0 && virtual_key < NUMPAD_0 + 10)
        snprintf(text, UM_KEY_NAMES_BYTES, "Num %" PRIu32, virtual_key - NUMPAD_0);
    else if (virtual_key >= F1 && virtual_key < F1 + 24)
        snprintf(text, UM_KEY_NAMES_BYTES, "F%" PRIu32, virtual_key - F1 + 1);
    else
        snprintf(text, UM_KEY_NAMES_BYTES, "0x%02" PRIX32, virtual_key);
    return text;
}
