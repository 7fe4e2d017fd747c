/* Sends keys, clicks and wheel steps into the system as if a person had made them, and brings
 * windows to the front.
 *
 * This is the only place that sends input other than beats. Nothing is sent unless the foreground
 * window, and for the mouse also the window under the pointer, belongs to process `pid`. That is
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

/* Brings a window to the front. Thread: waits up to a second for the system to do so. */
bool um_inject_to_front(uint64_t hwnd, uint32_t pid, char *why, size_t why_cap);

/* Presses and releases a key with its modifiers. A character is typed with the keyboard layout of
 * the foreground thread. If it has no key there, it is sent as a character, as an input method
 * does. */
bool um_inject_key(uint32_t pid, const struct um_scenario_key *key, char *why, size_t why_cap);

/* Clicks at a point of the screen; the pointer stays there. */
bool um_inject_click(uint32_t pid, int32_t x, int32_t y, enum um_scenario_button button, char *why,
                     size_t why_cap);

/* Turns the wheel by one notch over a point of the screen. */
bool um_inject_wheel(uint32_t pid, int32_t x, int32_t y, bool away, char *why, size_t why_cap);

#endif
