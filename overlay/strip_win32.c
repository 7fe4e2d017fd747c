#include "overlay/strip.h"

#include <assert.h>
#include <dwmapi.h>
#include <math.h>
#include <stdlib.h>
#include <wchar.h>
#include <windows.h>

#include "ipc/clock.h"

#define MOVING_POLL_NS (16 * UM_CLOCK_NS_PER_MS)
#define REST_POLL_NS (66 * UM_CLOCK_NS_PER_MS)
#define MOVING_FOR_NS (400 * UM_CLOCK_NS_PER_MS)
#define REFRESH_NS UM_CLOCK_NS_PER_S /* monitor and scale are looked up at least this often */
#define DEFAULT_DPI 96
#define MIN_WIDTH 32
#define MIN_HEIGHT 12
#define MIN_OVERLAP 4 /* px: an auto-hidden taskbar leaves a sliver of 2 on the screen */
#define MAX_WALK 512  /* the z-order may change, and so go round, while it is walked */
#define CLASS_NAME L"uimon-overlay"

typedef HRESULT(WINAPI *get_dpi_for_monitor)(HMONITOR, int, UINT *, UINT *);

struct um_strip {
    struct um_strip_options options;
    HWND window;
    HWND target;
    HANDLE wake;
    HMODULE shcore;
    get_dpi_for_monitor monitor_dpi; /* NULL: not on this system */
    HDC dc;
    HBITMAP bitmap;
    HGDIOBJ old_bitmap;
    struct um_canvas screen; /* the DIB: what the screen shows */
    struct um_canvas picture;
    RECT bounds;   /* the target's, when the strip's place was worked out */
    RECT rect;     /* the strip's */
    RECT placed;   /* where the window was last put */
    double scale;  /* of the strip's monitor, or the one asked for */
    bool alone;    /* there is nobody to follow: the bounds are those of the primary display */
    bool has_rect; /* there was a target to take it from */
    bool wanted;   /* it is to be seen */
    bool shown;    /* it is */
    bool whole;    /* the window has not had this picture's size yet */
    uint64_t refresh_ns;
    uint64_t changed_ns;
    uint64_t poll_ns;
};

static LRESULT CALLBACK window_proc(HWND window, UINT message, WPARAM wparam, LPARAM lparam)
{
    switch (message) {
    case WM_NCHITTEST:
        return HTTRANSPARENT;
    case WM_MOUSEACTIVATE:
        return MA_NOACTIVATE;
    case WM_CLOSE: /* a task manager's; the monitor ends the overlay by ending the feed */
        PostQuitMessage(0);
        return 0;
    default:
        return DefWindowProcW(window, message, wparam, lparam);
    }
}

static HWND make_window(void)
{
    /* Class style 0: a layered window must not have CS_OWNDC or CS_CLASSDC. */
    WNDCLASSEXW class_info = {.cbSize = sizeof class_info,
                              .lpfnWndProc = window_proc,
                              .hInstance = GetModuleHandleW(NULL),
                              .lpszClassName = CLASS_NAME};

    if (RegisterClassExW(&class_info) == 0 && GetLastError() != ERROR_CLASS_ALREADY_EXISTS)
        return NULL;
    /* Without an owner: an owner in another process would tie our input queue to the target's,
     * and the overlay would freeze with it. */
    return CreateWindowExW(
        WS_EX_LAYERED | WS_EX_TRANSPARENT | WS_EX_NOACTIVATE | WS_EX_TOOLWINDOW | WS_EX_TOPMOST,
        CLASS_NAME, L"uimon overlay", WS_POPUP, 0, 0, 1, 1, NULL, NULL, class_info.hInstance, NULL);
}

enum um_status um_strip_open(const struct um_strip_options *options, struct um_strip **strip)
{
    struct um_strip *made = calloc(1, sizeof *made);

    if (!made)
        return UM_ERR_MEMORY;
    made->options = *options;
    made->scale = options->scale > 0 ? options->scale : 1;
    made->wake = CreateEventW(NULL, FALSE, FALSE, NULL);
    made->dc = CreateCompatibleDC(NULL);
    made->window = make_window();
    if (!made->wake || !made->dc || !made->window) {
        um_strip_close(made);
        return UM_ERR_IO;
    }
    made->shcore = LoadLibraryExW(L"shcore.dll", NULL, LOAD_LIBRARY_SEARCH_SYSTEM32);
    if (made->shcore)
        made->monitor_dpi = (get_dpi_for_monitor)GetProcAddress(made->shcore, "GetDpiForMonitor");
    *strip = made;
    return UM_OK;
}

static void free_picture(struct um_strip *strip)
{
    if (strip->bitmap) {
        SelectObject(strip->dc, strip->old_bitmap);
        DeleteObject(strip->bitmap);
    }
    free(strip->picture.pixels);
    strip->bitmap = NULL;
    strip->screen = strip->picture = (struct um_canvas){0};
}

void um_strip_close(struct um_strip *strip)
{
    if (!strip)
        return;
    if (strip->window)
        DestroyWindow(strip->window);
    free_picture(strip);
    if (strip->dc)
        DeleteDC(strip->dc);
    if (strip->wake)
        CloseHandle(strip->wake);
    if (strip->shcore)
        FreeLibrary(strip->shcore);
    free(strip);
}

void um_strip_follow(struct um_strip *strip, uint64_t target)
{
    strip->target = (HWND)(uintptr_t)target;
    strip->alone = target == 0;
    strip->has_rect = false;
    strip->poll_ns = 0;
}

/* Where the target is. None of these calls sends a message: they read what the system knows.
 * ---- */

static bool is_cloaked(HWND window)
{
    DWORD cloaked = 0;

    return SUCCEEDED(DwmGetWindowAttribute(window, DWMWA_CLOAKED, &cloaked, sizeof cloaked)) &&
           cloaked != 0;
}

/* The bounds one sees: without the invisible borders that GetWindowRect counts in. Wine does not
 * have the attribute, and its window manager draws other borders: there the client area's sides
 * and bottom serve. */
static bool visible_bounds(HWND window, RECT *bounds)
{
    RECT client;
    POINT origin = {0, 0};

    if (SUCCEEDED(
            DwmGetWindowAttribute(window, DWMWA_EXTENDED_FRAME_BOUNDS, bounds, sizeof *bounds)))
        return true;
    if (!GetWindowRect(window, bounds))
        return false;
    if (GetClientRect(window, &client) && !IsRectEmpty(&client) &&
        ClientToScreen(window, &origin)) {
        bounds->left = origin.x;
        bounds->right = origin.x + client.right;
        bounds->bottom = origin.y + client.bottom;
    }
    return true;
}

/* Whether the target can be seen, and where. */
static bool find_target(const struct um_strip *strip, RECT *bounds)
{
    HWND target = strip->target;

    if (strip->alone)
        return SystemParametersInfoW(SPI_GETWORKAREA, 0, bounds, 0) != 0;
    if (!target || !IsWindow(target) || IsIconic(target))
        return false;
    if (!IsWindowVisible(target) || is_cloaked(target)) {
        /* After 5 s Windows puts a ghost in a hung window's place and hides the window itself. */
        *bounds = strip->bounds;
        return strip->has_rect && IsHungAppWindow(target);
    }
    return visible_bounds(target, bounds);
}

/* Programs that draw over everything and let clicks through, as we do, cover nothing. */
static bool lets_through(HWND window)
{
    LONG_PTR style = GetWindowLongPtrW(window, GWL_EXSTYLE);
    return (style & WS_EX_LAYERED) != 0 && (style & WS_EX_TRANSPARENT) != 0;
}

static bool is_ghost(HWND window)
{
    wchar_t name[8];
    return GetClassNameW(window, name, 8) > 0 && wcscmp(name, L"Ghost") == 0;
}

static bool covers(HWND window, const RECT *rect, DWORD target_pid)
{
    RECT bounds, common;
    DWORD pid = 0;

    if (!IsWindowVisible(window) || IsIconic(window) || !GetWindowRect(window, &bounds) ||
        !IntersectRect(&common, &bounds, rect))
        return false;
    if (common.right - common.left < MIN_OVERLAP || common.bottom - common.top < MIN_OVERLAP)
        return false;
    GetWindowThreadProcessId(window, &pid);
    return pid != target_pid && pid != GetCurrentProcessId() && !lets_through(window) &&
           !is_cloaked(window) && !is_ghost(window);
}

/* Whether a window that is above the target in the z-order is above it on the screen. Under Wine
 * the X11 window manager raises a window that is activated and the z-order does not hear of it; so
 * the active window counts as the topmost of those that are not always on top, as on Windows. */
static bool is_above(HWND window, bool target_is_active)
{
    return !target_is_active || (GetWindowLongPtrW(window, GWL_EXSTYLE) & WS_EX_TOPMOST) != 0;
}

static bool is_covered(const struct um_strip *strip)
{
    HWND above = strip->target, active = GetForegroundWindow();
    DWORD target_pid = 0, active_pid = 0;

    GetWindowThreadProcessId(strip->target, &target_pid);
    GetWindowThreadProcessId(active, &active_pid);
    if (active && covers(active, &strip->rect, target_pid))
        return true;
    for (int i = 0; i < MAX_WALK; i++) {
        above = GetWindow(above, GW_HWNDPREV);
        if (!above)
            return false;
        if (covers(above, &strip->rect, target_pid) && is_above(above, active_pid == target_pid))
            return true;
    }
    return false;
}

static double monitor_scale(const struct um_strip *strip, HMONITOR monitor)
{
    UINT x = DEFAULT_DPI, y = DEFAULT_DPI;

    if (strip->options.scale > 0)
        return strip->options.scale;
    /* Not GetDpiForWindow: it says 96 for a target that does not know about scaling. */
    if (!strip->monitor_dpi || FAILED(strip->monitor_dpi(monitor, 0, &x, &y)))
        return 1;
    return (double)y / DEFAULT_DPI;
}

/* The part of the target that is on the desk and not under the taskbar, so that the strip of a
 * window that was pushed down is still seen. A full-screen window covers the taskbar. */
static RECT usable_bounds(const RECT *bounds, const MONITORINFO *monitor)
{
    RECT usable = *bounds;
    LONG left = GetSystemMetrics(SM_XVIRTUALSCREEN);
    LONG right = left + GetSystemMetrics(SM_CXVIRTUALSCREEN);
    RECT covered;

    if (IntersectRect(&covered, bounds, &monitor->rcMonitor) &&
        EqualRect(&covered, &monitor->rcMonitor))
        return monitor->rcMonitor;
    usable.left = usable.left > left ? usable.left : left;
    usable.right = usable.right < right ? usable.right : right;
    if (usable.top < monitor->rcWork.top)
        usable.top = monitor->rcWork.top;
    if (usable.bottom > monitor->rcWork.bottom)
        usable.bottom = monitor->rcWork.bottom;
    return usable;
}

/* Without a target the strip does not take the whole width of a display. */
static void narrow(RECT *usable, double scale)
{
    LONG width = (LONG)lround(UM_STRIP_ALONE_WIDTH * scale);

    if (usable->right - usable->left <= width)
        return;
    usable->left += (usable->right - usable->left - width) / 2;
    usable->right = usable->left + width;
}

/* Works out the strip's rectangle from the target's bounds. */
static void lay_out(struct um_strip *strip)
{
    HMONITOR monitor = MonitorFromRect(&strip->bounds, MONITOR_DEFAULTTONEAREST);
    MONITORINFO info = {.cbSize = sizeof info};
    RECT usable = strip->bounds;

    strip->scale = monitor_scale(strip, monitor);
    if (GetMonitorInfoW(monitor, &info))
        usable = usable_bounds(&strip->bounds, &info);
    if (strip->alone)
        narrow(&usable, strip->scale);
    LONG height = (LONG)lround(strip->options.height * strip->scale);
    if (height > (usable.bottom - usable.top) / 2)
        height = (usable.bottom - usable.top) / 2;
    strip->rect = usable;
    if (strip->options.position == UM_STRIP_TOP) {
        POINT client = {0, 0};
        /* Below the title bar, if that is where the client area begins. */
        if (!strip->alone && ClientToScreen(strip->target, &client) && client.y > usable.top &&
            client.y + height < usable.bottom)
            strip->rect.top = client.y;
        strip->rect.bottom = strip->rect.top + height;
    } else
        strip->rect.top = usable.bottom - height;
}

/* Looks at the target; true if the strip has a place on the screen. */
static bool look(struct um_strip *strip, uint64_t now_ns)
{
    RECT bounds;

    if (!find_target(strip, &bounds))
        return false;
    if (!strip->has_rect || !EqualRect(&bounds, &strip->bounds)) {
        strip->changed_ns = now_ns;
        strip->refresh_ns = now_ns;
    }
    if (now_ns >= strip->refresh_ns) {
        strip->bounds = bounds;
        lay_out(strip);
        strip->has_rect = true;
        strip->refresh_ns = now_ns + REFRESH_NS;
    }
    return strip->rect.right - strip->rect.left >= MIN_WIDTH &&
           strip->rect.bottom - strip->rect.top >= MIN_HEIGHT &&
           (strip->alone || !is_covered(strip));
}

static bool same_size(const RECT *a, const RECT *b)
{
    return a->right - a->left == b->right - b->left && a->bottom - a->top == b->bottom - b->top;
}

/* A move alone needs no new picture; another size comes with the next one. */
static void move_window(struct um_strip *strip)
{
    if (EqualRect(&strip->rect, &strip->placed) || !same_size(&strip->rect, &strip->placed))
        return;
    SetWindowPos(strip->window, HWND_TOPMOST, strip->rect.left, strip->rect.top, 0, 0,
                 SWP_NOSIZE | SWP_NOACTIVATE | SWP_NOREDRAW | SWP_NOOWNERZORDER);
    strip->placed = strip->rect;
}

void um_strip_poll(struct um_strip *strip, uint64_t now_ns, struct um_strip_place *place)
{
    bool was_wanted = strip->wanted;

    strip->wanted = look(strip, now_ns);
    if (strip->wanted != was_wanted)
        strip->changed_ns = now_ns;
    if (!strip->wanted && strip->shown) {
        ShowWindow(strip->window, SW_HIDE);
        strip->shown = false;
    }
    if (strip->wanted)
        move_window(strip);
    bool moving = now_ns - strip->changed_ns < MOVING_FOR_NS;
    strip->poll_ns = now_ns + (moving ? MOVING_POLL_NS : REST_POLL_NS);
    place->visible = strip->wanted;
    place->width = strip->rect.right - strip->rect.left;
    place->height = strip->rect.bottom - strip->rect.top;
    place->scale = strip->scale;
}

uint64_t um_strip_deadline(const struct um_strip *strip)
{
    return strip->poll_ns;
}

/* Showing it ----------------------------------------------------------------------------------- */

static enum um_status make_picture(struct um_strip *strip, int width, int height)
{
    BITMAPINFO info = {.bmiHeader = {.biSize = sizeof info.bmiHeader,
                                     .biWidth = width,
                                     .biHeight = -height, /* top row first */
                                     .biPlanes = 1,
                                     .biBitCount = 32,
                                     .biCompression = BI_RGB}};
    void *pixels = NULL;

    free_picture(strip);
    strip->bitmap = CreateDIBSection(NULL, &info, DIB_RGB_COLORS, &pixels, NULL, 0);
    if (!strip->bitmap)
        return UM_ERR_MEMORY;
    strip->old_bitmap = SelectObject(strip->dc, strip->bitmap);
    strip->screen = (struct um_canvas){pixels, width, height, width};
    strip->picture = strip->screen;
    strip->picture.pixels = calloc((size_t)width * (size_t)height, sizeof(uint32_t));
    if (!strip->picture.pixels) {
        free_picture(strip);
        return UM_ERR_MEMORY;
    }
    strip->whole = true;
    return UM_OK;
}

enum um_status um_strip_canvas(struct um_strip *strip, struct um_canvas *canvas)
{
    int width = strip->rect.right - strip->rect.left;
    int height = strip->rect.bottom - strip->rect.top;
    enum um_status status = UM_OK;

    assert(strip->has_rect);
    if (strip->picture.width != width || strip->picture.height != height)
        status = make_picture(strip, width, height);
    if (status == UM_OK)
        *canvas = strip->picture;
    return status;
}

static bool update_window(struct um_strip *strip, const struct um_canvas_rect *changed)
{
    POINT source = {0, 0}, at = {strip->rect.left, strip->rect.top};
    SIZE size = {strip->screen.width, strip->screen.height};
    BLENDFUNCTION blend = {AC_SRC_OVER, 0, 255, AC_SRC_ALPHA};
    RECT dirty = {changed->x, changed->y, changed->x + changed->width,
                  changed->y + changed->height};
    UPDATELAYEREDWINDOWINFO info = {.cbSize = sizeof info,
                                    .hdcSrc = strip->dc,
                                    .pptSrc = &source,
                                    .pblend = &blend,
                                    .dwFlags = ULW_ALPHA};

    if (strip->whole) {
        info.pptDst = &at;
        info.psize = &size;
    } else
        info.prcDirty = &dirty;
    GdiFlush();
    return UpdateLayeredWindowIndirect(strip->window, &info) != 0;
}

enum um_status um_strip_present(struct um_strip *strip)
{
    struct um_canvas_rect changed = {0};
    bool differs = um_canvas_update(&strip->screen, &strip->picture, &changed);

    if ((differs || strip->whole) && !update_window(strip, &changed)) {
        strip->whole = true; /* the screen is locked, say: send everything the next time */
        return UM_ERR_IO;
    }
    if (strip->whole)
        strip->placed = strip->rect;
    strip->whole = false;
    if (strip->wanted && !strip->shown) {
        SetWindowPos(strip->window, HWND_TOPMOST, 0, 0, 0, 0,
                     SWP_NOMOVE | SWP_NOSIZE | SWP_NOACTIVATE | SWP_NOOWNERZORDER | SWP_SHOWWINDOW);
        strip->shown = true;
    }
    return UM_OK;
}

/* Waiting -------------------------------------------------------------------------------------- */

enum um_status um_strip_wait(struct um_strip *strip, uint64_t deadline_ns)
{
    uint64_t now_ns = um_clock_now_ns();
    uint64_t wait_ms = 0;
    MSG message;

    if (deadline_ns > now_ns)
        wait_ms = (deadline_ns - now_ns + UM_CLOCK_NS_PER_MS - 1) / UM_CLOCK_NS_PER_MS;
    MsgWaitForMultipleObjectsEx(1, &strip->wake, wait_ms < 60000 ? (DWORD)wait_ms : 60000,
                                QS_ALLINPUT, MWMO_INPUTAVAILABLE);
    while (PeekMessageW(&message, NULL, 0, 0, PM_REMOVE)) {
        if (message.message == WM_QUIT)
            return UM_ERR_CLOSED;
        DispatchMessageW(&message);
    }
    return UM_OK;
}

void um_strip_wake(struct um_strip *strip)
{
    SetEvent(strip->wake);
}
