/* Keys, clicks and wheel steps, sent into the system as if a person had made them; and the windows
 * in front.
 *
 * The one place that sends input other than beats. Nothing is sent unless the window in front, and
 * for the mouse the one under the pointer, belongs to process `pid`: looked at directly before
 * sending, as near as the system allows. All events of one input, its modifiers' releases included,
 * are handed to the system in one call, so that no way of ending the program leaves a key down. The
 * events carry no tag: to the measuring they are a user's. One backend a system. On failure `why`
 * says why, as the end of a line. Not on the hot path.
 */
#ifndef UM_MONITOR_INJECT_H
#define UM_MONITOR_INJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "monitor/bench/scenario.h"

/* Puts a window in front. Thread: waits up to a second for the system to do so. */
bool um_inject_to_front(uint64_t hwnd, uint32_t pid, char *why, size_t why_cap);

/* Presses and releases a key with its modifiers. A character is made with the keyboard layout of
 * the thread in front; one that has no key there is sent as it is, as an input method would. */
bool um_inject_key(uint32_t pid, const struct um_scenario_key *key, char *why, size_t why_cap);

/* Clicks at a point of the screen; the pointer stays there. */
bool um_inject_click(uint32_t pid, int32_t x, int32_t y, enum um_scenario_button button, char *why,
                     size_t why_cap);

/* Turns the wheel by one notch over a point of the screen. */
bool um_inject_wheel(uint32_t pid, int32_t x, int32_t y, bool away, char *why, size_t why_cap);

#endif
