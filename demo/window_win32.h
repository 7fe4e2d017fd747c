/* The demo's main window: buttons that freeze it, a bar that shows when it does, and a place to
 * type. window_win32.c is where to start reading the demo; dialog_win32.c and splash_win32.c are
 * the other windows. */
#ifndef UM_DEMO_WINDOW_WIN32_H
#define UM_DEMO_WINDOW_WIN32_H

#include <windows.h>

#include "demo/options.h"
#include "demo/ui_win32.h"

/* Makes and shows the window; closing it ends the thread's loop.
 * Owner: `options` and `ui` must outlive it. Thread: the UI thread. Errors: UM_ERR_MEMORY. */
enum um_status um_demo_window_open(const struct um_demo_options *options, struct um_demo_ui *ui,
                                   HWND *hwnd);

/* UTF-8 to UTF-16, cut to fit, always ended by a NUL. */
void um_demo_window_text(const char *text, wchar_t *wide, int cap);

/* Runs a modal dialog over `owner` until it is closed, by itself after `ms` (0: never).
 * Thread: the UI thread; blocks, while its own loop handles messages. */
void um_demo_dialog_run(struct um_demo_ui *ui, HWND owner, uint32_t ms);

/* Shows a splash window on a thread of its own for `ms` and returns when that thread has ended. */
void um_demo_splash_show(struct um_demo_ui *ui, const char *title, uint32_t ms);

#endif
