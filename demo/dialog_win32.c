#include "demo/paint_win32.h"
#include "demo/window_win32.h"
#include "base/plain/clock.h"

#define CLOSE_TIMER 1
#define FREEZE_BUTTON 100
#define FREEZE_MS 300

struct dialog {
    struct um_demo_ui *ui;
    struct um_demo_paint_fonts fonts;
    UINT dpi;
    bool open;
};

static void draw(HWND hwnd, HDC dc, const RECT *client, void *arg)
{
    const struct dialog *dialog = arg;
    RECT text = *client;
    (void)hwnd;
    um_demo_paint_fill(dc, client, UM_DEMO_PAINT_CARD);
    InflateRect(&text, -um_demo_paint_scale(20, dialog->dpi), 0);
    text.top = um_demo_paint_scale(16, dialog->dpi);
    text.bottom = um_demo_paint_scale(40, dialog->dpi);
    um_demo_paint_text(dc, &text, dialog->fonts.bold, UM_DEMO_PAINT_TEXT, DT_LEFT,
                       L"A dialog with its own message loop");
    OffsetRect(&text, 0, um_demo_paint_scale(24, dialog->dpi));
    um_demo_paint_text(dc, &text, dialog->fonts.body, UM_DEMO_PAINT_HINT, DT_LEFT,
                       L"Nothing hangs, so a monitor should stay calm.");
}

static LRESULT CALLBACK dialog_proc(HWND hwnd, UINT message, WPARAM wparam, LPARAM lparam)
{
    struct dialog *dialog = (struct dialog *)GetWindowLongPtrW(hwnd, GWLP_USERDATA);
    switch (message) {
    case WM_PAINT:
        um_demo_paint_window(hwnd, draw, dialog);
        return 0;
    case WM_ERASEBKGND:
        return 1;
    case WM_TIMER:
        DestroyWindow(hwnd);
        return 0;
    case WM_DRAWITEM:
        um_demo_paint_button((const DRAWITEMSTRUCT *)lparam,
                             wparam == IDCANCEL ? UM_DEMO_PAINT_SLATE : UM_DEMO_PAINT_BLUE,
                             UM_DEMO_PAINT_CARD, dialog->fonts.body, dialog->dpi, false);
        return TRUE;
    case WM_COMMAND:
        if (LOWORD(wparam) == IDCANCEL)
            DestroyWindow(hwnd);
        else if (LOWORD(wparam) == FREEZE_BUTTON)
            um_demo_ui_block(dialog->ui, (HWND)lparam, dialog->ui->retrieved_message, "sleep",
                             FREEZE_MS, 0);
        return 0;
    case WM_DESTROY:
        /* Before the window goes, so that the system activates the owner and no other program. */
        EnableWindow(GetWindow(hwnd, GW_OWNER), TRUE);
        dialog->open = false;
        return 0;
    default:
        return DefWindowProcW(hwnd, message, wparam, lparam);
    }
}

static void add_button(const struct dialog *dialog, HWND hwnd, const wchar_t *label, int id,
                       int left)
{
    HWND button = CreateWindowExW(
        0, L"BUTTON", label, WS_CHILD | WS_VISIBLE | WS_TABSTOP | BS_OWNERDRAW,
        um_demo_paint_scale(left, dialog->dpi), um_demo_paint_scale(84, dialog->dpi),
        um_demo_paint_scale(140, dialog->dpi), um_demo_paint_scale(32, dialog->dpi), hwnd,
        (HMENU)(intptr_t)id, GetModuleHandleW(NULL), NULL);
    if (id == IDCANCEL)
        SetFocus(button);
}

static HWND open_dialog(struct dialog *dialog, HWND owner)
{
    WNDCLASSEXW window_class = {.cbSize = sizeof window_class,
                                .lpfnWndProc = DefWindowProcW,
                                .hInstance = GetModuleHandleW(NULL),
                                .hCursor = LoadCursorW(NULL, (LPCWSTR)IDC_ARROW),
                                .lpszClassName = L"UimonDemoDialog"};
    RECT size = {0, 0, um_demo_paint_scale(360, dialog->dpi),
                 um_demo_paint_scale(132, dialog->dpi)};
    RECT over;
    RegisterClassExW(&window_class);
    AdjustWindowRectExForDpi(&size, WS_POPUP | WS_CAPTION | WS_SYSMENU, FALSE, WS_EX_DLGMODALFRAME,
                             dialog->dpi);
    GetWindowRect(owner, &over);
    int width = size.right - size.left;
    int height = size.bottom - size.top;
    HWND hwnd =
        CreateWindowExW(WS_EX_DLGMODALFRAME, L"UimonDemoDialog", L"A modal dialog",
                        WS_POPUP | WS_CAPTION | WS_SYSMENU, (over.left + over.right - width) / 2,
                        (over.top + over.bottom - height) / 2, width, height, owner, NULL,
                        GetModuleHandleW(NULL), NULL);
    if (!hwnd)
        return NULL;
    SetWindowLongPtrW(hwnd, GWLP_USERDATA, (LONG_PTR)dialog);
    SetWindowLongPtrW(hwnd, GWLP_WNDPROC, (LONG_PTR)dialog_proc);
    ShowWindow(hwnd, SW_SHOW);
    add_button(dialog, hwnd, L"Freeze for 300 ms", FREEZE_BUTTON, 20);
    add_button(dialog, hwnd, L"Close", IDCANCEL, 200);
    return hwnd;
}

void um_demo_dialog_run(struct um_demo_ui *ui, HWND owner, uint32_t ms)
{
    struct dialog dialog = {.ui = ui, .dpi = GetDpiForWindow(owner), .open = true};
    struct um_demo_log_event event = {
        .kind = UM_DEMO_LOG_MODAL, .begin_ns = um_clock_now_ns(), .tid = GetCurrentThreadId()};
    MSG msg = {0};
    um_demo_paint_fonts_init(&dialog.fonts, dialog.dpi);
    HWND hwnd = open_dialog(&dialog, owner);
    if (hwnd) {
        EnableWindow(owner, FALSE);
        if (ms)
            SetTimer(hwnd, CLOSE_TIMER, ms, NULL);
        while (dialog.open && GetMessageW(&msg, NULL, 0, 0) > 0) {
            um_demo_ui_note(ui, &msg);
            um_demo_ui_dispatch(ui, hwnd, &msg);
        }
        if (msg.message == WM_QUIT)
            PostQuitMessage((int)msg.wParam);
    }
    um_demo_paint_fonts_deinit(&dialog.fonts);
    event.end_ns = um_clock_now_ns();
    um_demo_journal_write(ui->journal, &event);
    um_demo_ui_finish(ui);
}
