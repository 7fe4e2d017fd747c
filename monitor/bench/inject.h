/* Sends keys, clicks and wheel steps into the system as if a person had made them, and brings
 * windows to the front.
 *
 * This is the only place that sends input other than beats. Nothing is sent unless the foreground
 * window, and for the mouse also the window under the pointer, is one that the aim allows. That is
 * checked immediately before sending. All events of one input, including the release of its
 * modifiers, are handed to the system in one call, so that no key stays down even if uimon is
 * killed. The events are not marked as uimon's, so they are measured like the user's own. One
 * backend for each system. On failure `why` has the reason, as the end of a line. Not on the hot
 * path.
 */
#ifndef UM_MONITOR_INJECT_H
#define UM_MONITOR_INJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "monitor/bench/scenario.h"

#define UM_INJECT_BARRED 32

/* Which windows may get input: those of a process, except the barred ones. */
struct um_inject_aim {
    uint32_t pid;
    uint64_t front; /* only while this one is in front; 0: any that may get input */
    size_t barred_count;
    uint64_t barred[UM_INJECT_BARRED];
};

struct um_inject_backend {
    /* Aims at the window that is in front now. Other windows of the process that are visible now
     * are barred, up to UM_INJECT_BARRED; windows that open later are not. */
    void (*take_aim)(struct um_inject_aim *aim, uint32_t pid);

    /* Brings a window to the front. Thread: waits up to a second for the system to do so. */
    bool (*to_front)(uint64_t hwnd, uint32_t pid, char *why, size_t why_cap);

    /* The window in front, if it may get input, whatever `front` of the aim is; else 0. */
    uint64_t (*front)(const struct um_inject_aim *aim, char *why, size_t why_cap);

    /* Presses and releases a key with its modifiers. A character is typed with the keyboard
     * layout of the foreground thread. If that has no key for it, it is sent as a character, as
     * an input method does. */
    bool (*key)(const struct um_inject_aim *aim, const struct um_scenario_key *key, char *why,
                size_t why_cap);

    /* Whether the foreground window is still one that the aim allows. If not, the key that was
     * just sent may have gone to another window, which came to the front after the check. */
    bool (*stayed)(const struct um_inject_aim *aim, char *why, size_t why_cap);

    /* Clicks at a point of the screen; the pointer stays there. */
    bool (*click)(const struct um_inject_aim *aim, int32_t x, int32_t y,
                  enum um_scenario_button button, char *why, size_t why_cap);

    /* Turns the wheel by one notch over a point of the screen. */
    bool (*wheel)(const struct um_inject_aim *aim, int32_t x, int32_t y, bool away, char *why,
                  size_t why_cap);
};

extern const struct um_inject_backend *um_inject; /* the system's */

#endif
