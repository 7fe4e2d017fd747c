/* Which keys start an interaction, for the hook DLL, which sees keys retrieved, and for the
 * monitor, which sees them arrive. On the hot path; freestanding.
 */
#ifndef UM_BASE_KEY_H
#define UM_BASE_KEY_H

#include <stdint.h>

/* Whether a virtual key is a modifier, which starts nothing by itself: Shift, Ctrl, Alt and their
 * left and right ones, the two Windows keys, Caps, Num and Scroll Lock. Source: "Virtual-Key
 * Codes", Windows API reference. */
static inline int um_key_is_modifier(uint32_t key)
{
    switch (key) {
    case 0x10: /* VK_SHIFT, VK_CONTROL, VK_MENU */
    case 0x11:
    case 0x12:
    case 0x14: /* VK_CAPITAL */
    case 0x5b: /* VK_LWIN, VK_RWIN */
    case 0x5c:
    case 0x90: /* VK_NUMLOCK, VK_SCROLL */
    case 0x91:
        return 1;
    default:
        return key >= 0xa0 && key <= 0xa5; /* VK_LSHIFT to VK_RMENU */
    }
}

/* Whether a key press starts an interaction: no modifier alone, no repeat of a held key. `lparam`
 * is that of WM_KEYDOWN. Its bit 30 says that the key was down before; but with VK_PACKET, a
 * character sent without a key, the bit is a part of that character. */
static inline int um_key_starts(uint32_t key, int64_t lparam)
{
    int repeats = key != 0xe7 /* VK_PACKET */ && (lparam >> 30 & 1);
    return !repeats && !um_key_is_modifier(key);
}

#endif
