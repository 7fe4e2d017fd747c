/* A part, in a window around it that is smaller, so that not all of it is seen. Only for
 * target_odd_win32.c: mode scrolled:KIND. */
#ifndef UM_TESTS_WIN_SCROLLED_WIN32_H
#define UM_TESTS_WIN_SCROLLED_WIN32_H

#include <windows.h>

#include "demo/spin_win32.h"
#include "base/plain/clock.h"

#define SCROLLED_INNER_NS (6 * UM_CLOCK_NS_PER_MS) /* what each change of its size costs */

enum scrolled {
    SCROLLED_UP,      /* the part begins far above */
    SCROLLED_BEYOND,  /* the part is larger at all sides */
    SCROLLED_SIBLING, /* another window lies over its upper right corner */
    SCROLLED_RTL      /* SCROLLED_UP in a window that is laid out from the right */
};

static struct {
    HWND inner;
    RECT place; /* in the holder */
    BOOL wider;
} scrolled;

static LRESULT CALLBACK scrolled_proc(HWND hwnd, UINT message, WPARAM wparam, LPARAM lparam)
{
    if (message == WM_SIZE && hwnd == scrolled.inner)
        um_demo_spin_ns(SCROLLED_INNER_NS);
    return DefWindowProcW(hwnd, message, wparam, lparam);
}

static HWND make_scrolled_part(const wchar_t *class_name, HWND parent, COLORREF colour,
                               const RECT *place)
{
    WNDCLASSW part_class = {.lpfnWndProc = scrolled_proc,
                            .hInstance = GetModuleHandleW(NULL),
                            .hbrBackground = CreateSolidBrush(colour),
                            .lpszClassName = class_name};
    RegisterClassW(&part_class);
    return CreateWindowExW(0, class_name, class_name,
                           WS_CHILD | WS_VISIBLE | WS_CLIPCHILDREN | WS_CLIPSIBLINGS, place->left,
                           place->top, place->right - place->left, place->bottom - place->top,
                           parent, NULL, part_class.hInstance, NULL);
}

static void make_scrolled(HWND hwnd, enum scrolled kind)
{
    const RECT places[] = {[SCROLLED_UP] = {0, -450, 300, 550},
                           [SCROLLED_BEYOND] = {-100, -100, 400, 400},
                           [SCROLLED_SIBLING] = {0, 0, 300, 200},
                           [SCROLLED_RTL] = {0, -450, 300, 550}};
    const RECT around = {300, 250, 600, 450}, over = {150, -10, 310, 110};

    if (kind == SCROLLED_RTL)
        SetWindowLongPtrW(hwnd, GWL_EXSTYLE,
                          GetWindowLongPtrW(hwnd, GWL_EXSTYLE) | WS_EX_LAYOUTRTL);
    HWND holder = make_scrolled_part(L"UimonTestHolder", hwnd, RGB(180, 190, 200), &around);
    scrolled.place = places[kind];
    scrolled.inner =
        make_scrolled_part(L"UimonTestInner", holder, RGB(255, 240, 180), &scrolled.place);
    if (kind == SCROLLED_SIBLING) {
        HWND sibling = make_scrolled_part(L"UimonTestSibling", holder, RGB(250, 180, 180), &over);
        SetWindowPos(sibling, HWND_TOP, 0, 0, 0, 0, SWP_NOMOVE | SWP_NOSIZE);
    }
}

/* Gives the part another size, to the right. */
static void resize_scrolled(void)
{
    const RECT *place = &scrolled.place;
    scrolled.wider = !scrolled.wider;
    MoveWindow(scrolled.inner, place->left, place->top,
               place->right - place->left + (scrolled.wider ? 1 : 0), place->bottom - place->top,
               TRUE);
}

#endif
