/* An animation: a window that is to be painted so many times a second, for a while. One at a time.
 */
#ifndef UM_DEMO_ANIMATION_WIN32_H
#define UM_DEMO_ANIMATION_WIN32_H

#include <stdbool.h>
#include <stdint.h>
#include <windows.h>

/* Invalidates `painted` from a thread of its own, and posts UM_DEMO_UI_STILL to `window` when that
 * is over. What is not painted by the next time is painted once. False, and nothing is posted, if
 * an animation lasts already or there is no memory or thread for it. Units: `packed` is
 * um_demo_play_pack of paintings a second and ms. Thread: any; does not block. */
bool um_demo_animation_start(HWND window, HWND painted, uint32_t packed);

#endif
