/* The demo's typing area. By default it is the system's edit control, in which each character may
 * cost some time, as in an editor with a slow plug-in.
 *
 * With --typing plain it is a window that does so little that every part of an interaction with it
 * is known. It appends a character, sleeps for the cost of a message, and does all its drawing in
 * WM_PAINT. Its interactions are logged.
 */
#ifndef UM_DEMO_TYPING_WIN32_H
#define UM_DEMO_TYPING_WIN32_H

#include <stdbool.h>
#include <stdint.h>
#include <windows.h>

#include "demo/options.h"
#include "demo/ui_win32.h"
#include "base/plain/status.h"

#define UM_DEMO_TYPING_MAX_TEXT 128

struct um_demo_typing {
    HWND hwnd;
    struct um_demo_ui *ui;
    WNDPROC edit_proc;
    struct um_demo_options_costs costs[UM_DEMO_OPTIONS_COST_COUNT];
    uint32_t turns[UM_DEMO_OPTIONS_COST_COUNT];
    wchar_t text[UM_DEMO_TYPING_MAX_TEXT]; /* the plain area's last characters */
    int text_len;
    struct um_demo_acts acts;
};

/* Makes the area as a child of `parent`, of no size yet.
 * Owner: `typing` must live as long as the window. Errors: UM_ERR_MEMORY. */
enum um_status um_demo_typing_open(const struct um_demo_options *options, struct um_demo_ui *ui,
                                   HWND parent, struct um_demo_typing *typing);

/* From now on each character costs this much. */
void um_demo_typing_set_key_cost(struct um_demo_typing *typing, uint32_t ms);

#endif
