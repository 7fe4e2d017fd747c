/* Messages that are sent within one another: a window that, in the handling of each, works a while
 * and sends itself the next. Thread: a UI thread.
 */
#ifndef UM_DEMO_NEST_WIN32_H
#define UM_DEMO_NEST_WIN32_H

#include <stdint.h>
#include <windows.h>

#include "demo/log.h"

#define UM_DEMO_NEST_CLASS L"UimonDemoNest"
#define UM_DEMO_NEST_LEVEL (WM_APP + 20) /* lParam: how many levels are left; wParam: ms of each */
#define UM_DEMO_NEST_MOST 100            /* levels */

/* Makes the window as a child of `parent`, sends it the first message, and destroys it when that
 * was handled. `packed` is um_demo_play_pack. Fills in the line for the log. */
void um_demo_nest_run(HWND parent, uint32_t packed, struct um_demo_log_event *event);

#endif
