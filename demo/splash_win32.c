#include "demo/paint_win32.h"
#include "demo/window_win32.h"

struct splash {
    struct um_demo_ui ui; /* of this thread */
    struct um_demo_paint_fonts fonts;
    const char *title;
    uint32_t ms;
};

static void draw(HWND hwnd, HDC dc, const RECT *client, void *arg)
{
    const struct splash *splash = arg;
    wchar_t title[256];
    RECT text = *client;
    um_demo_paint_fill(dc, client, UM_DEMO_PAINT_BLUE);
    GetWindowTextW(hwnd, title, ARRAYSIZE(title));
    text.bottom -= text.bottom / 5;
    um_demo_paint_text(dc, &text, splash->fonts.title, RGB(255, 255, 255), DT_CENTER, title);
    text.top = text.bottom / 2;
    um_demo_paint_text(dc, &text, splash->fonts.body, RGB(214, 226, 250), DT_CENTER,
                       L"is starting");
}

static LRESULT CALLBACK splash_proc(HWND hwnd, UINT message, WPARAM wparam, LPARAM lparam)
{
    struct splash *splash = (struct splash *)GetWindowLongPtrW(hwnd, GWLP_USERDATA);
    switch (message) {
    case WM_CREATE:
        SetWindowLongPtrW(hwnd, GWLP_USERDATA,
                          (LONG_PTR)((const CREATESTRUCTW *)lparam)->lpCreateParams);
        return 0;
    case WM_PAINT:
        um_demo_paint_window(hwnd, draw, splash);
        return 0;
    case WM_TIMER:
        DestroyWindow(hwnd);
        return 0;
    case WM_DESTROY:
        um_demo_ui_log_window(&splash->ui, UM_DEMO_LOG_GONE, hwnd, "splash");
        PostQuitMessage(0);
        return 0;
    default:
        return DefWindowProcW(hwnd, message, wparam, lparam);
    }
}

static DWORD WINAPI run_splash(void *arg)
{
    struct splash *splash = arg;
    WNDCLASSEXW window_class = {.cbSize = sizeof window_class,
                                .lpfnWndProc = splash_proc,
                                .hInstance = GetModuleHandleW(NULL),
                                .hCursor = LoadCursorW(NULL, (LPCWSTR)IDC_APPSTARTING),
                                .lpszClassName = L"UimonDemoSplash"};
    UINT dpi = GetDpiForSystem();
    int width = um_demo_paint_scale(420, dpi);
    int height = um_demo_paint_scale(220, dpi);
    wchar_t title[256];
    um_demo_window_text(splash->title, title, ARRAYSIZE(title));
    um_demo_paint_fonts_init(&splash->fonts, dpi);
    RegisterClassExW(&window_class);
    HWND hwnd = CreateWindowExW(WS_EX_APPWINDOW, L"UimonDemoSplash", title, WS_POPUP,
                                (GetSystemMetrics(SM_CXSCREEN) - width) / 2,
                                (GetSystemMetrics(SM_CYSCREEN) - height) / 2, width, height, NULL,
                                NULL, GetModuleHandleW(NULL), splash);
    if (hwnd) {
        ShowWindow(hwnd, SW_SHOW);
        um_demo_ui_log_window(&splash->ui, UM_DEMO_LOG_WINDOW, hwnd, "splash");
        SetTimer(hwnd, 1, splash->ms, NULL);
        um_demo_ui_run(&splash->ui, NULL);
    }
    um_demo_paint_fonts_deinit(&splash->fonts);
    return 0;
}

void um_demo_splash_show(struct um_demo_ui *ui, const char *title, uint32_t ms)
{
    struct splash splash = {.ui = {.journal = ui->journal}, .title = title, .ms = ms};
    HANDLE thread = CreateThread(NULL, 0, run_splash, &splash, 0, NULL);
    if (!thread)
        return;
    WaitForSingleObject(thread, INFINITE);
    CloseHandle(thread);
}
