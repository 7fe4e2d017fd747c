/* Keys that work whichever program is in front, on a thread of their own. No program gets their
 * presses meanwhile, so the target does not either. (It may get the modifiers, and the release of
 * the last key.) One backend for each system. Not on the hot path.
 */
#ifndef UM_MONITOR_HOTKEYS_H
#define UM_MONITOR_HOTKEYS_H

#include <stdbool.h>
#include <stddef.h>

#include "ipc/status.h"
#include "monitor/base/hotkey.h"

#define UM_HOTKEYS_MAX 4

struct um_hotkeys;

/* Takes `count` keys, of which some may be none. `taken[i]` says whether another program has key i
 * already; the others work all the same. `pressed` gets the place of a key, on the hotkeys' thread.
 * Owner: um_hotkeys_close; `context` must outlive it. Errors: UM_ERR_MEMORY. */
enum um_status um_hotkeys_open(const struct um_hotkey *keys, size_t count,
                               void (*pressed)(void *context, size_t which), void *context,
                               bool *taken, struct um_hotkeys **hotkeys);

/* Gives the keys back. `pressed` is not called any more when this returns. Accepts NULL. */
void um_hotkeys_close(struct um_hotkeys *hotkeys);

#endif
