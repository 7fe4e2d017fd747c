/* Controls that their parent draws and measures for them, for target_odd_win32. Header-only.
 *
 * Four controls lie in the window: 101, a button that is drawn by its owner; 102, a text that asks
 * for its colours; 103, a list view with custom draw; 104, a list box whose items are measured by
 * their owner. In each round the first three are painted and 104 gets an item. The parent keeps the
 * processor busy for OWNER_BUSY_MS each time that one of them asks it, and then says on standard
 * output for how long: "drawn 101 NS", "measured 104 NS". Two more windows get HDM_LAYOUT in
 * each round, and are as busy in it: 105 of a class for which that number may mean anything, and
 * 106 of one that is called after the header's. They say "laid 105 NS". */
#ifndef UM_TESTS_WIN_OWNER_DRAWN_WIN32_H
#define UM_TESTS_WIN_OWNER_DRAWN_WIN32_H

#include <stdio.h>
#include <windows.h>

#include <commctrl.h>

#include "base/plain/clock.h"

#define OWNER_BUTTON 101
#define OWNER_TEXT 102
#define OWNER_LIST 103
#define OWNER_BOX 104
#define OWNER_OTHER 105
#define OWNER_HEADER 106
#define OWNER_BUSY_MS 50

static HWND owner_window;     /* the parent; NULL: there is none */
static unsigned owner_rounds; /* still to come; 0: nothing is said */

static void owner_works(const char *what, int id)
{
    uint64_t begin_ns = um_clock_now_ns();
    if (owner_rounds == 0)
        return;
    while (um_clock_now_ns() - begin_ns < OWNER_BUSY_MS * UM_CLOCK_NS_PER_MS)
        ;
    printf("%s %d %llu\n", what, id, (unsigned long long)(um_clock_now_ns() - begin_ns));
    fflush(stdout);
}

static LRESULT CALLBACK lays_proc(HWND hwnd, UINT message, WPARAM wparam, LPARAM lparam)
{
    if (message == HDM_LAYOUT)
        owner_works("laid", GetDlgCtrlID(hwnd));
    return DefWindowProcW(hwnd, message, wparam, lparam);
}

static void make_owner_drawn(HWND window)
{
    static const struct {
        int id;
        const wchar_t *class_name;
        DWORD style;
    } rows[] = {
        {OWNER_BUTTON, L"Button", BS_OWNERDRAW}, {OWNER_TEXT, L"Static", SS_LEFT},
        {OWNER_LIST, WC_LISTVIEWW, LVS_REPORT},  {OWNER_BOX, L"ListBox", LBS_OWNERDRAWVARIABLE},
        {OWNER_OTHER, L"UimonOther", 0},         {OWNER_HEADER, L"UimonSysHeader32", 0}};
    WNDCLASSW lays_class = {.lpfnWndProc = lays_proc,
                            .hInstance = GetModuleHandleW(NULL),
                            .lpszClassName = L"UimonOther"};
    RegisterClassW(&lays_class);
    lays_class.lpszClassName = L"UimonSysHeader32";
    RegisterClassW(&lays_class);
    LoadLibraryW(L"comctl32.dll");
    owner_window = window;
    for (unsigned i = 0; i < ARRAYSIZE(rows); i++)
        CreateWindowExW(0, rows[i].class_name, L"text", rows[i].style | WS_CHILD | WS_VISIBLE,
                        10 + (int)i * 110, 10, 100, 100, window, (HMENU)(INT_PTR)rows[i].id,
                        GetModuleHandleW(NULL), NULL);
}

/* What the parent does when a control asks it. */
static void answer_owner_drawn(HWND window, UINT message, WPARAM wparam, LPARAM lparam)
{
    if (window != owner_window)
        return;
    if (message == WM_DRAWITEM && wparam == OWNER_BUTTON)
        owner_works("drawn", OWNER_BUTTON);
    else if (message == WM_MEASUREITEM && wparam == OWNER_BOX)
        owner_works("measured", OWNER_BOX);
    else if (message == WM_CTLCOLORSTATIC && lparam == (LPARAM)GetDlgItem(window, OWNER_TEXT))
        owner_works("drawn", OWNER_TEXT);
    else if (message == WM_NOTIFY && wparam == OWNER_LIST &&
             ((const NMHDR *)lparam)->code == NM_CUSTOMDRAW &&
             ((const NMCUSTOMDRAW *)lparam)->dwDrawStage == CDDS_PREPAINT)
        owner_works("drawn", OWNER_LIST);
}

static void draw_owner_drawn(unsigned rounds)
{
    for (owner_rounds = rounds; owner_rounds > 0; owner_rounds--) {
        for (int id = OWNER_BUTTON; id <= OWNER_LIST; id++)
            RedrawWindow(GetDlgItem(owner_window, id), NULL, NULL, RDW_INVALIDATE | RDW_UPDATENOW);
        SendDlgItemMessageW(owner_window, OWNER_BOX, LB_ADDSTRING, 0, (LPARAM)L"item");
        SendDlgItemMessageW(owner_window, OWNER_OTHER, HDM_LAYOUT, 0, 0);
        SendDlgItemMessageW(owner_window, OWNER_HEADER, HDM_LAYOUT, 0, 0);
    }
    printf("owner done\n");
    fflush(stdout);
}

#endif
