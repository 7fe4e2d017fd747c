/* Sends keys, clicks and wheel steps into the system as if a person had made them, and brings
 * windows to the front.
 *
 * This is the only place that sends input other than beats. Nothing is sent unless the foreground
 * window, and for the mouse also the window under the pointer, is one that the aim has. That is
 * checked immediately before sending. All events of one input, including the release of its
 * modifiers, are handed to the system in one call, so that no key stays down even if uimon is
 * killed. The events have no tag, so they are measured like the user's own. One backend for each
 * system. On failure `why` has the reason, as the end of a line. Not on the hot path.
 */
#ifndef UM_MONITOR_INJECT_H
#define UM_MONITOR_INJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "monitor/bench/scenario.h"

#define UM_INJECT_BARRED 32

/* Which windows may get input: those of a process, but for some that are barred. Zeroed but for
 * `pid`, all may. */
struct um_inject_aim {
    uint32_t pid;
    size_t barred_count;
    uint64_t barred[UM_INJECT_BARRED];
};

/* Aims at the window that is in front now: other windows of the process that can be seen now are
 * barred, as far as there is room. Windows that open later are not. */
void um_inject_take_aim(struct um_inject_aim *aim, uint32_t pid);

/* Brings a window to the front. Thread: waits up to a second for the system to do so. */
bool um_inject_to_front(uint64_t hwnd, uint32_t pid, char *why, size_t why_cap);

/* Presses and releases a key with its modifiers. A character is typed with the keyboard layout of
 * the foreground thread. If it has no key there, it is sent as a character, as an input method
 * does. */
bool um_inject_key(const struct um_inject_aim *aim, const struct um_scenario_key *key, char *why,
                   size_t why_cap);

/* Looks whether the foreground is still one that the aim has. If it is not, the key that was sent
 * just before may have gone there: between the check and the sending there is a moment. */
bool um_inject_stayed(const struct um_inject_aim *aim, char *why, size_t why_cap);

/* Clicks at a point of the screen; the pointer stays there. */
bool um_inject_click(const struct um_inject_aim *aim, int32_t x, int32_t y,
                     enum um_scenario_button button, char *why, size_t why_cap);

/* Turns the wheel by one notch over a point of the screen. */
bool um_inject_wheel(const struct um_inject_aim *aim, int32_t x, int32_t y, bool away, char *why,
                     size_t why_cap);

#endif
