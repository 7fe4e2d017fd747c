/* Panes that lie within one another, and whose layout costs a known time.
 *
 * "outer" lies in a window, "middle" in that, and "inner", which has a label, in that. The handling
 * of a pane's WM_SIZE resizes the pane within it, and then keeps the processor busy: for 1 ms, for
 * 5 ms, and in the inner one for as long as is asked. Each time that a pane has got another size is
 * a line `pane` of the log (demo/log.h); the inner one's comes first.
 * Thread: the one UI thread that has panes.
 */
#ifndef UM_DEMO_PANES_WIN32_H
#define UM_DEMO_PANES_WIN32_H

#include <stdint.h>
#include <windows.h>

#include "demo/ui_win32.h"

#define UM_DEMO_PANES_CLASS L"UimonDemoPane"

/* Makes them in `parent`, the outer one at `place`; of no effect if they are there. They keep the
 * processor busy from then on. Owner: `ui` must outlive the window. */
void um_demo_panes_open(struct um_demo_ui *ui, HWND parent, const RECT *place, uint32_t inner_ms);

/* Moves the outer one, and paints all of them anew; of no effect if there are none. */
void um_demo_panes_place(const RECT *place);

/* Gives each pane another size, once: a little narrower, or as wide as before. They are not painted
 * for that, so it is one layout frame. */
void um_demo_panes_resize(void);

/* Does so again and again, and then logs `panes` and calls um_demo_ui_finish. Makes the panes first
 * if there are none. While it goes on, another call has no effect but um_demo_ui_finish. `packed`
 * is um_demo_play_pack: how often, and what the inner pane costs. */
void um_demo_panes_play(struct um_demo_ui *ui, HWND parent, uint32_t packed);

#endif
