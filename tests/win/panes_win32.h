/* Panes within one another whose layout costs a known time, for target_odd_win32. Header-only.
 *
 * Three windows of the class UimonPane lie within one another: "outer", "middle" and "inner". The
 * handling of WM_SIZE resizes the pane within it and then keeps the processor busy: for 1, 5 and
 * 20 ms, or the inner one for as long as make_panes is told. The inner one has a label, so all
 * three are components. Each resize writes a line for each pane on standard output:
 * "pane outer NS", how long it kept the processor busy, and "around outer NS", how long the call
 * that resized it took. */
#ifndef UM_TESTS_WIN_PANES_WIN32_H
#define UM_TESTS_WIN_PANES_WIN32_H

#include <stdio.h>
#include <windows.h>

#include "base/plain/clock.h"

#define PANES 3
#define PANES_TIMER 7
#define PANES_EVERY_MS 60

static struct pane {
    const wchar_t *name;
    unsigned ms;
} panes[PANES] = {{L"outer", 1}, {L"middle", 5}, {L"inner", 20}};

static HWND pane_windows[PANES];
static unsigned pane_resizes; /* still to be made */

static void move_pane(int which, int width, int height)
{
    uint64_t begin_ns = um_clock_now_ns();
    MoveWindow(pane_windows[which], 10, 10, width, height, FALSE);
    printf("around %ls %llu\n", panes[which].name,
           (unsigned long long)(um_clock_now_ns() - begin_ns));
}

static void size_pane(int which, LPARAM size)
{
    if (which + 1 < PANES && pane_windows[which + 1])
        move_pane(which + 1, LOWORD(size) - 20, HIWORD(size) - 20);
    uint64_t begin_ns = um_clock_now_ns();
    while (um_clock_now_ns() - begin_ns < panes[which].ms * UM_CLOCK_NS_PER_MS)
        ;
    printf("pane %ls %llu\n", panes[which].name,
           (unsigned long long)(um_clock_now_ns() - begin_ns));
    fflush(stdout);
}

static LRESULT CALLBACK pane_proc(HWND hwnd, UINT message, WPARAM wparam, LPARAM lparam)
{
    for (int i = 0; i < PANES && message == WM_SIZE; i++)
        if (hwnd == pane_windows[i])
            size_pane(i, lparam);
    return DefWindowProcW(hwnd, message, wparam, lparam);
}

/* `inner_ms`: what the inner pane costs; 0: 20. */
static void make_panes(HWND window, unsigned inner_ms)
{
    WNDCLASSW pane_class = {.lpfnWndProc = pane_proc,
                            .hInstance = GetModuleHandleW(NULL),
                            .hbrBackground = (HBRUSH)(COLOR_BTNFACE + 1),
                            .lpszClassName = L"UimonPane"};
    panes[PANES - 1].ms = inner_ms ? inner_ms : panes[PANES - 1].ms;
    RegisterClassW(&pane_class);
    for (int i = 0; i < PANES; i++)
        pane_windows[i] = CreateWindowExW(
            0, L"UimonPane", panes[i].name, WS_CHILD | WS_VISIBLE, 10, 10, 400 - 20 * i,
            300 - 20 * i, i ? pane_windows[i - 1] : window, NULL, pane_class.hInstance, NULL);
    CreateWindowExW(0, L"Static", L"label", WS_CHILD | WS_VISIBLE, 10, 10, 100, 20,
                    pane_windows[PANES - 1], NULL, pane_class.hInstance, NULL);
}

/* Resizes the outer pane once, `odd` to another width. */
static void resize_pane(unsigned odd)
{
    move_pane(0, 400 + (int)(odd % 2), 300);
}

/* Does so this often, each time in the handling of a timer. */
static void resize_panes(HWND window, unsigned times)
{
    pane_resizes = times;
    SetTimer(window, PANES_TIMER, PANES_EVERY_MS, NULL);
}

static void on_panes_timer(HWND window)
{
    if (pane_resizes == 0)
        return;
    resize_pane(pane_resizes);
    if (--pane_resizes == 0) {
        KillTimer(window, PANES_TIMER);
        printf("panes done\n");
        fflush(stdout);
    }
}

#endif
