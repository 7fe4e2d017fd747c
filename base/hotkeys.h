/* Keys that work whichever program is in front, on a thread of their own. No program gets their
 * presses meanwhile, so the target does not either. (It may get the modifiers, and the release of
 * the last key.) One backend for each system. Not on the hot path.
 */
#ifndef UM_BASE_HOTKEYS_H
#define UM_BASE_HOTKEYS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/plain/status.h"
#include "base/hotkey.h"

#define UM_HOTKEYS_MAX 8 /* keys beyond these are not registered */

struct um_hotkeys;

struct um_hotkeys_backend {
    /* Registers `count` keys, of which some may be zeroed. `taken[i]` says whether another program
     * has key i already; the others work all the same. `pressed` gets the index of a key, on the
     * hotkeys' thread. Owner: close; `context` must outlive it. Errors: UM_ERR_MEMORY;
     * UM_ERR_UNSUPPORTED the system has none. */
    enum um_status (*open)(const struct um_hotkey *keys, size_t count,
                           void (*pressed)(void *context, size_t which), void *context, bool *taken,
                           struct um_hotkeys **hotkeys);

    /* Gives the keys back. `pressed` is not called any more when this returns. Accepts NULL. */
    void (*close)(struct um_hotkeys *hotkeys);
};

extern const struct um_hotkeys_backend *um_hotkeys; /* the system's, or a test's own */

#endif
