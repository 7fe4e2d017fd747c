#include "tests/target/target.h"

#include <stdio.h>
#include <stdlib.h>

#include "demo/journal.h"
#include "demo/options.h"

#define EXIT_USAGE 2

struct um_demo_ui target_ui;

LRESULT CALLBACK target_proc(HWND hwnd, UINT message, WPARAM wparam, LPARAM lparam)
{
    if (message == WM_DESTROY)
        PostQuitMessage(0);
    return DefWindowProcW(hwnd, message, wparam, lparam);
}

HWND target_open(int argc, char **argv, const struct target_window *window)
{
    static struct um_demo_options options;
    WNDCLASSW window_class = {.lpfnWndProc = window->proc,
                              .hInstance = GetModuleHandleW(NULL),
                              .lpszClassName = window->window_class};
    char error[320];

    if (um_demo_options_parse(argc - 1, argv + 1, &options, error, sizeof error) != UM_OK) {
        fprintf(stderr, "%s\n", error);
        exit(EXIT_USAGE);
    }
    if (options.log &&
        um_demo_journal_open(options.log, options.stall_ms, &target_ui.journal) != UM_OK)
        exit(EXIT_FAILURE);
    RegisterClassW(&window_class);
    HWND hwnd = CreateWindowExW(0, window->window_class, window->title, WS_OVERLAPPEDWINDOW, 60, 60,
                                window->width_px, window->height_px, NULL, NULL,
                                window_class.hInstance, NULL);
    if (!hwnd)
        exit(EXIT_FAILURE);
    ShowWindow(hwnd, SW_SHOW);
    UpdateWindow(hwnd);
    um_demo_ui_log_window(&target_ui, UM_DEMO_LOG_START, hwnd, "");
    um_demo_ui_log_window(&target_ui, UM_DEMO_LOG_READY, hwnd, "");
    return hwnd;
}

int target_run(void)
{
    um_demo_ui_run(&target_ui, NULL);
    um_demo_journal_close(target_ui.journal);
    return EXIT_SUCCESS;
}
