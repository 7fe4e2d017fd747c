#include "overlay/anchor_win32.h"

#include <dwmapi.h>
#include <math.h>
#include <wchar.h>

#include "ipc/clock.h"
#include "overlay/paint.h"

#define REFRESH_NS UM_CLOCK_NS_PER_S /* monitor and scale are looked up at least this often */
#define DEFAULT_DPI 96
#define MIN_WIDTH 32
#define MIN_HEIGHT 12
#define COMPACT_MARGIN 12 /* px at 100 %, from the edges of the target */
#define CORNER_RADIUS 8   /* px at 100 %, of a window of Windows 11 */
#define MIN_OVERLAP 4     /* px: an auto-hidden taskbar leaves a sliver of 2 on the screen */
#define MAX_WALK 512 /* windows at most: the z-order may change, and go round, during the walk */

void um_anchor_init(const struct um_strip_options *options, struct um_anchor *anchor)
{
    *anchor = (struct um_anchor){.options = *options};
    anchor->scale = options->scale > 0 ? options->scale : 1;
    anchor->shcore = LoadLibraryExW(L"shcore.dll", NULL, LOAD_LIBRARY_SEARCH_SYSTEM32);
    if (anchor->shcore)
        anchor->monitor_dpi =
            (um_anchor_monitor_dpi)GetProcAddress(anchor->shcore, "GetDpiForMonitor");
}

void um_anchor_deinit(struct um_anchor *anchor)
{
    if (anchor->shcore)
        FreeLibrary(anchor->shcore);
    anchor->shcore = NULL;
}

void um_anchor_follow(struct um_anchor *anchor, HWND target)
{
    anchor->target = target;
    anchor->alone = !target;
    anchor->has_bounds = false;
}

static bool is_cloaked(HWND window)
{
    DWORD cloaked = 0;

    return SUCCEEDED(DwmGetWindowAttribute(window, DWMWA_CLOAKED, &cloaked, sizeof cloaked)) &&
           cloaked != 0;
}

/* The bounds that one sees, without the invisible borders that GetWindowRect counts in: 7 px on
 * three sides, and 8 of a maximised window, which reach over the next display. Wine does not have
 * this attribute. */
static bool frame_bounds(HWND window, RECT *bounds)
{
    return SUCCEEDED(
        DwmGetWindowAttribute(window, DWMWA_EXTENDED_FRAME_BOUNDS, bounds, sizeof *bounds));
}

/* The same for the target. Under Wine the window manager draws other borders, so the sides and
 * bottom of the client area take their place. */
static bool target_bounds(HWND window, RECT *bounds)
{
    RECT client;
    POINT origin = {0, 0};

    if (frame_bounds(window, bounds))
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

/* Whether the target is on the screen, and where. */
static bool find_target(const struct um_anchor *anchor, RECT *bounds)
{
    HWND target = anchor->target;

    if (anchor->alone)
        return SystemParametersInfoW(SPI_GETWORKAREA, 0, bounds, 0) != 0;
    if (!target || !IsWindow(target) || IsIconic(target))
        return false;
    if (!IsWindowVisible(target) || is_cloaked(target)) {
        /* After 5 s Windows puts a ghost in place of a hung window and hides that window. */
        *bounds = anchor->bounds;
        return anchor->has_bounds && IsHungAppWindow(target);
    }
    return target_bounds(target, bounds);
}

/* Whether a window lets clicks through, as an overlay does. Such a window covers nothing. */
static bool lets_through(HWND window)
{
    LONG_PTR style = GetWindowLongPtrW(window, GWL_EXSTYLE);
    return (style & WS_EX_LAYERED) != 0 && (style & WS_EX_TRANSPARENT) != 0;
}

/* Whether nothing of a window is seen, whatever its size: its region is empty, or it is wholly
 * transparent. Programs have such windows over all of the screen. */
static bool is_unseen(HWND window)
{
    RECT box;
    COLORREF key;
    BYTE alpha = 255;
    DWORD flags = 0;

    if (GetWindowRgnBox(window, &box) == NULLREGION)
        return true;
    return (GetWindowLongPtrW(window, GWL_EXSTYLE) & WS_EX_LAYERED) != 0 &&
           GetLayeredWindowAttributes(window, &key, &alpha, &flags) && (flags & LWA_ALPHA) != 0 &&
           alpha == 0;
}

static bool is_ghost(HWND window)
{
    wchar_t name[8];
    return GetClassNameW(window, name, 8) > 0 && wcscmp(name, L"Ghost") == 0;
}

static bool overlap(const RECT *a, const RECT *b)
{
    RECT common;
    return IntersectRect(&common, a, b) && common.right - common.left >= MIN_OVERLAP &&
           common.bottom - common.top >= MIN_OVERLAP;
}

static bool covers(HWND window, const RECT *rect, DWORD target_pid)
{
    RECT bounds;
    DWORD pid = 0;

    if (!IsWindowVisible(window) || IsIconic(window) || !GetWindowRect(window, &bounds) ||
        !overlap(&bounds, rect))
        return false;
    /* The frame lies within; it is only asked for where it matters, because that costs more. */
    if (frame_bounds(window, &bounds) && !overlap(&bounds, rect))
        return false;
    GetWindowThreadProcessId(window, &pid);
    return pid != target_pid && pid != GetCurrentProcessId() && !lets_through(window) &&
           !is_unseen(window) && !is_cloaked(window) && !is_ghost(window);
}

/* Whether a window that is above the target in the z-order is above it on the screen too. Under
 * Wine it may not be: the X11 window manager raises the active window without telling the z-order.
 * So an active target counts as above all windows that are not always on top, as on Windows. */
static bool is_above(HWND window, bool target_is_active)
{
    return !target_is_active || (GetWindowLongPtrW(window, GWL_EXSTYLE) & WS_EX_TOPMOST) != 0;
}

static bool is_covered(const struct um_anchor *anchor)
{
    HWND above = anchor->target, active = GetForegroundWindow();
    DWORD target_pid = 0, active_pid = 0;

    GetWindowThreadProcessId(anchor->target, &target_pid);
    GetWindowThreadProcessId(active, &active_pid);
    if (active && covers(active, &anchor->rect, target_pid))
        return true;
    for (int i = 0; i < MAX_WALK; i++) {
        above = GetWindow(above, GW_HWNDPREV);
        if (!above)
            return false;
        if (covers(above, &anchor->rect, target_pid) && is_above(above, active_pid == target_pid))
            return true;
    }
    return false;
}

static double monitor_scale(const struct um_anchor *anchor, HMONITOR monitor)
{
    UINT x = DEFAULT_DPI, y = DEFAULT_DPI;

    /* Not GetDpiForWindow: it says 96 for a target that does not know about scaling. */
    if (!anchor->monitor_dpi || FAILED(anchor->monitor_dpi(monitor, 0, &x, &y)))
        return 1;
    return (double)y / DEFAULT_DPI;
}

/* The part of the target that is on the desktop and not under the taskbar, so that the strip of a
 * window that was pushed down is still seen. A full-screen window covers the taskbar: of it, all is
 * usable. */
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

/* Narrows the bounds of a strip that stands alone: it does not take a display's whole width. */
static void narrow(RECT *usable, double scale)
{
    LONG width = (LONG)lround(UM_STRIP_ALONE_WIDTH * scale);

    if (usable->right - usable->left <= width)
        return;
    usable->left += (usable->right - usable->left - width) / 2;
    usable->right = usable->left + width;
}

static bool is_left(enum um_overlay_position position)
{
    return position == UM_OVERLAY_TOP_LEFT || position == UM_OVERLAY_BOTTOM_LEFT;
}

/* How high the strip is to be. */
static LONG wanted_height(const struct um_anchor *anchor)
{
    static const int heights[] = {[UM_OVERLAY_STRIP] = UM_OVERLAY_STRIP_HEIGHT,
                                  [UM_OVERLAY_COMPACT] = UM_OVERLAY_COMPACT_HEIGHT,
                                  [UM_OVERLAY_BAR] = UM_OVERLAY_BAR_HEIGHT};
    const struct um_strip_options *options = &anchor->options;

    int height = options->height > 0 ? options->height : heights[options->look];

    return (LONG)lround((height + anchor->more_height) * anchor->scale);
}

/* Places the compact panel into its corner of the usable part of the target. */
static void lay_out_compact(struct um_anchor *anchor, RECT usable)
{
    LONG margin = (LONG)lround(COMPACT_MARGIN * anchor->scale);
    LONG width = (LONG)lround(UM_OVERLAY_COMPACT_WIDTH * anchor->scale);
    LONG height = wanted_height(anchor);

    InflateRect(&usable, -margin, -margin);
    anchor->rect = usable;
    if (width < usable.right - usable.left && is_left(anchor->options.position))
        anchor->rect.right = usable.left + width;
    else if (width < usable.right - usable.left)
        anchor->rect.left = usable.right - width;
    if (height < usable.bottom - usable.top && um_overlay_is_top(anchor->options.position))
        anchor->rect.bottom = usable.top + height;
    else if (height < usable.bottom - usable.top)
        anchor->rect.top = usable.bottom - height;
}

/* Places a strip or bar along the upper or lower edge. */
static void lay_out_across(struct um_anchor *anchor, RECT usable)
{
    LONG height = wanted_height(anchor);

    if (anchor->alone)
        narrow(&usable, anchor->scale);
    if (height > (usable.bottom - usable.top) / 2)
        height = (usable.bottom - usable.top) / 2;
    anchor->rect = usable;
    if (um_overlay_is_top(anchor->options.position))
        anchor->rect.bottom = usable.top + height;
    else
        anchor->rect.top = usable.bottom - height;
}

/* Finds the corners of the strip that lie in corners of the target. Windows 11 rounds those, and
 * the strip must not stick out of them; which windows it rounds cannot be asked, but never a
 * maximised or full-screen one. Where the corner is none, a strip with a round one does no harm. */
static void find_corners(struct um_anchor *anchor, double scale)
{
    const RECT *strip = &anchor->rect, *target = &anchor->bounds;
    bool left = strip->left == target->left, right = strip->right == target->right;
    bool top = strip->top == target->top, bottom = strip->bottom == target->bottom;

    anchor->radius = (int)lround(CORNER_RADIUS * scale);
    anchor->corners = 0;
    if (anchor->options.look == UM_OVERLAY_COMPACT)
        anchor->corners = UM_PAINT_ALL_CORNERS; /* because it looks better */
    if (anchor->corners || anchor->alone || IsZoomed(anchor->target))
        return;
    anchor->corners = (left && top ? UM_PAINT_TOP_LEFT : 0u) |
                      (right && top ? UM_PAINT_TOP_RIGHT : 0u) |
                      (left && bottom ? UM_PAINT_BOTTOM_LEFT : 0u) |
                      (right && bottom ? UM_PAINT_BOTTOM_RIGHT : 0u);
}

/* Works out the strip's rectangle from the target's bounds. */
static void lay_out(struct um_anchor *anchor)
{
    HMONITOR monitor = MonitorFromRect(&anchor->bounds, MONITOR_DEFAULTTONEAREST);
    MONITORINFO info = {.cbSize = sizeof info};
    RECT usable = anchor->bounds;
    POINT client = {0, 0};

    double display = monitor_scale(anchor, monitor);

    anchor->scale = anchor->options.scale > 0 ? anchor->options.scale : display;
    if (GetMonitorInfoW(monitor, &info))
        usable = usable_bounds(&anchor->bounds, &info);
    /* Below the title bar: where the client area begins. */
    if (um_overlay_is_top(anchor->options.position) && !anchor->alone &&
        ClientToScreen(anchor->target, &client) && client.y > usable.top &&
        client.y + wanted_height(anchor) < usable.bottom)
        usable.top = client.y;
    if (anchor->options.look == UM_OVERLAY_COMPACT)
        lay_out_compact(anchor, usable);
    else
        lay_out_across(anchor, usable);
    find_corners(anchor, display);
}

/* Whether the strip is to be seen; works out its rectangle where the target has moved. */
static bool locate(struct um_anchor *anchor, uint64_t now_ns)
{
    RECT bounds;

    if (!find_target(anchor, &bounds))
        return false;
    if (!anchor->has_bounds || !EqualRect(&bounds, &anchor->bounds)) {
        anchor->changed_ns = now_ns;
        anchor->refresh_ns = now_ns;
    }
    if (now_ns >= anchor->refresh_ns) {
        anchor->bounds = bounds;
        lay_out(anchor);
        anchor->has_bounds = true;
        anchor->refresh_ns = now_ns + REFRESH_NS;
    }
    return anchor->rect.right - anchor->rect.left >= MIN_WIDTH &&
           anchor->rect.bottom - anchor->rect.top >= MIN_HEIGHT &&
           (anchor->alone || !is_covered(anchor));
}

void um_anchor_update(struct um_anchor *anchor, uint64_t now_ns)
{
    bool was_visible = anchor->visible;

    anchor->visible = !anchor->hidden && locate(anchor, now_ns);
    if (anchor->visible != was_visible)
        anchor->changed_ns = now_ns;
}
