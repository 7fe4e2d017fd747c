/* Windows that a program creates, and those that the system's controls create for themselves, for
 * target_odd_win32. Header-only.
 *
 * A list view, "old list", is there from the begin. Later there are "combo", a drop-down combo box,
 * "list", a list view with a header, "buttons", a pane of 50 buttons, and "dialog", a dialog from a
 * template with three controls. A message-only window, "helper", is made without a line. For each
 * of the others a line on standard output says "made NAME AUTHORED
 * RENDERED": how many windows this program has created for it, and how many were created in all. A
 * hook of its own (WH_CBT) counts the latter; tooltips do not count. */
#ifndef UM_TESTS_WIN_MADE_WIN32_H
#define UM_TESTS_WIN_MADE_WIN32_H

#include <stdio.h>
#include <string.h>
#include <windows.h>

#include <commctrl.h>

#define MADE_BUTTONS 50
#define MADE_CONTROLS 3 /* of the dialog */

static unsigned made_authored;
static unsigned made_rendered;

static LRESULT CALLBACK on_made(int code, WPARAM window, LPARAM info)
{
    wchar_t name[64];
    if (code == HCBT_CREATEWND && GetClassNameW((HWND)window, name, ARRAYSIZE(name)))
        made_rendered += wcscmp(name, TOOLTIPS_CLASSW) != 0;
    return CallNextHookEx(NULL, code, window, info);
}

static HWND make(const wchar_t *class_name, const wchar_t *text, DWORD style, HWND parent, int at)
{
    HWND window =
        CreateWindowExW(0, class_name, text, style | WS_CHILD | WS_VISIBLE, 10 + at % 10 * 30,
                        10 + at / 10 * 30, 100, 100, parent, NULL, GetModuleHandleW(NULL), NULL);
    made_authored += window != NULL;
    return window;
}

static HWND make_buttons(HWND parent)
{
    WNDCLASSW pane_class = {.lpfnWndProc = DefWindowProcW,
                            .hInstance = GetModuleHandleW(NULL),
                            .lpszClassName = L"UimonMade"};
    RegisterClassW(&pane_class);
    HWND pane = make(L"UimonMade", L"buttons", 0, parent, 20);
    for (int i = 0; i < MADE_BUTTONS; i++)
        make(L"Button", L"b", 0, pane, i);
    return pane;
}

static INT_PTR CALLBACK made_dialog_proc(HWND window, UINT message, WPARAM wparam, LPARAM lparam)
{
    (void)window, (void)wparam, (void)lparam;
    return message == WM_INITDIALOG;
}

/* A template without menu, class and font, with controls of the classes with these atoms. */
static HWND make_dialog(HWND owner)
{
    static const WORD atoms[MADE_CONTROLS] = {0x0080, 0x0081, 0x0082}; /* button, edit, static */
    static const wchar_t title[] = L"dialog";
    static DWORD bytes[128];
    DLGTEMPLATE *dialog = (DLGTEMPLATE *)bytes;
    *dialog = (DLGTEMPLATE){
        .style = WS_POPUP | WS_CAPTION | WS_VISIBLE, .cdit = MADE_CONTROLS, .cx = 100, .cy = 60};
    WORD *at = (WORD *)(dialog + 1) + 2;
    memcpy(at, title, sizeof title);
    at += ARRAYSIZE(title);
    for (int i = 0; i < MADE_CONTROLS; i++) {
        at = (WORD *)(((uintptr_t)at + 3) & ~(uintptr_t)3);
        *(DLGITEMTEMPLATE *)at = (DLGITEMTEMPLATE){
            .style = WS_CHILD | WS_VISIBLE, .x = 5, .y = (short)(5 + 15 * i), .cx = 50, .cy = 12};
        at += sizeof(DLGITEMTEMPLATE) / sizeof *at;
        *at++ = 0xffff;
        *at++ = atoms[i];
        at += 2; /* neither text nor data */
    }
    made_authored += 1 + MADE_CONTROLS;
    return CreateDialogIndirectParamW(GetModuleHandleW(NULL), dialog, owner, made_dialog_proc, 0);
}

/* Says how many windows there are in it, and resizes it. */
static void say_made(const char *name, HWND window)
{
    printf("made %s %u %u\n", name, made_authored, made_rendered);
    fflush(stdout);
    made_authored = made_rendered = 0;
    SetWindowPos(window, NULL, 0, 0, 150, 120, SWP_NOMOVE | SWP_NOZORDER | SWP_NOACTIVATE);
}

static HWND made_old;

static void make_old(HWND parent)
{
    INITCOMMONCONTROLSEX all = {sizeof all, ICC_LISTVIEW_CLASSES};
    BOOL(WINAPI * init)(const INITCOMMONCONTROLSEX *);
    init = (BOOL(WINAPI *)(const INITCOMMONCONTROLSEX *))GetProcAddress(
        LoadLibraryW(L"comctl32.dll"), "InitCommonControlsEx");
    init(&all);
    SetWindowsHookExW(WH_CBT, on_made, NULL, GetCurrentThreadId());
    made_old = make(WC_LISTVIEWW, L"old list", LVS_REPORT, parent, 0);
    say_made("old list", made_old);
}

static void make_all(HWND parent)
{
    CreateWindowExW(0, L"Static", L"helper", 0, 0, 0, 0, 0, HWND_MESSAGE, NULL,
                    GetModuleHandleW(NULL), NULL);
    say_made("nothing", made_old);
    say_made("combo", make(WC_COMBOBOXW, L"combo", CBS_DROPDOWN, parent, 4));
    say_made("list", make(WC_LISTVIEWW, L"list", LVS_REPORT, parent, 8));
    say_made("buttons", make_buttons(parent));
    say_made("dialog", make_dialog(parent));
    printf("made all\n");
    fflush(stdout);
}

#endif
