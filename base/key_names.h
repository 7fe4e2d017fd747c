/* Names of Windows' virtual keys, as the page of a report shows them. Pure. Not on the hot path.
 * Source: winuser.h, VK_*. */
#ifndef UM_BASE_KEY_NAMES_H
#define UM_BASE_KEY_NAMES_H

#include <stdint.h>

#define UM_KEY_NAMES_BYTES 16

/* "A", "7", "F5", "Enter", "Page Up", "Num 3": what is on the key in every keyboard layout. Any
 * other key has its number, "0xBA". Returns `text`, which has UM_KEY_NAMES_BYTES, or a text that
 * lasts forever. */
const char *um_key_names_get(uint32_t virtual_key, char *text);

#endif
