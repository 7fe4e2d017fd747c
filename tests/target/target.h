/* A program for tests to watch: its window, and the log of the demo that says what really happened.
 * Windows alone. Thread: the one that opens the window.
 */
#ifndef UM_TESTS_TARGET_H
#define UM_TESTS_TARGET_H

#include <windows.h>

#include "demo/ui_win32.h"

struct target_window {
    const wchar_t *window_class;
    const wchar_t *title;
    int width_px, height_px; /* the whole window */
    WNDPROC proc;
};

extern struct um_demo_ui target_ui;

/* Reads the options of the demo, of which `argv[0]` is none, begins the log, and shows the window.
 * The log has "start" and "ready" then. Ends the process with an exit code if that cannot be done;
 * options that are wrong get one line. */
HWND target_open(int argc, char **argv, const struct target_window *window);

/* Takes messages until the window is closed, and ends the log. Returns the exit code. */
int target_run(void);

/* A window procedure: closing the window ends the program. */
LRESULT CALLBACK target_proc(HWND hwnd, UINT message, WPARAM wparam, LPARAM lparam);

#endif
