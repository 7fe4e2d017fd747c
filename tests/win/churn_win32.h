/* Windows that come and go, for target_odd_win32. Header-only.
 *
 * Each is a popup with a label in it, so it is a component. It is created, resized once and
 * destroyed, and its handle is used again for one of the next. Every other one is of the class
 * UimonSlow, whose handling of WM_SIZE keeps the processor busy for 2 ms; the rest are of the class
 * UimonQuick, whose handling takes no time. These stay as long as the others before they go, so
 * that uimon has as much time to ask who they are. Each comes in the handling of a posted message
 * of its own. The last one writes "churn done" on standard output. */
#ifndef UM_TESTS_WIN_CHURN_WIN32_H
#define UM_TESTS_WIN_CHURN_WIN32_H

#include <stdio.h>
#include <windows.h>

#include "base/plain/clock.h"

#define CHURN_SLOW_NS (2 * UM_CLOCK_NS_PER_MS)

static void churn_spin(uint64_t begin_ns)
{
    while (um_clock_now_ns() - begin_ns < CHURN_SLOW_NS)
        ;
}

static LRESULT CALLBACK churn_proc(HWND hwnd, UINT message, WPARAM wparam, LPARAM lparam)
{
    wchar_t name[16] = L"";
    uint64_t begin_ns = um_clock_now_ns();
    GetClassNameW(hwnd, name, 16);
    if (message == WM_SIZE && name[5] == L'S')
        churn_spin(begin_ns);
    return DefWindowProcW(hwnd, message, wparam, lparam);
}

static void register_churn(void)
{
    WNDCLASSW churn_class = {.lpfnWndProc = churn_proc,
                             .hInstance = GetModuleHandleW(NULL),
                             .lpszClassName = L"UimonSlow"};
    RegisterClassW(&churn_class);
    churn_class.lpszClassName = L"UimonQuick";
    RegisterClassW(&churn_class);
}

/* Makes one, and posts the message for the next one. */
static void churn(HWND hwnd, UINT message, WPARAM left)
{
    HWND window = CreateWindowExW(WS_EX_NOACTIVATE, left % 2 ? L"UimonQuick" : L"UimonSlow",
                                  L"comes and goes", WS_POPUP, 0, 0, 50, 50, NULL, NULL,
                                  GetModuleHandleW(NULL), NULL);
    CreateWindowExW(0, L"Static", L"label", WS_CHILD | WS_VISIBLE, 0, 0, 40, 20, window, NULL,
                    GetModuleHandleW(NULL), NULL);
    MoveWindow(window, 0, 0, 60, 60, FALSE);
    if (left % 2)
        churn_spin(um_clock_now_ns());
    DestroyWindow(window);
    if (left > 1) {
        PostMessageW(hwnd, message, left - 1, 1);
        return;
    }
    printf("churn done\n");
    fflush(stdout);
}

#endif
