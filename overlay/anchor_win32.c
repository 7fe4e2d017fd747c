#include "overlay/anchor_win32.h"

#include <wchar.h>

#include "base/plain/clock.h"
#include "base/wine_win32.h"

#define REFRESH_NS UM_CLOCK_NS_PER_S /* monitor and scale are looked up at least this often */
#define BUTTONS_NS (UM_CLOCK_NS_PER_S / 10) /* between two searches for buttons, at least */
#define DEFAULT_DPI 96
#define MIN_WIDTH 32
#define MIN_HEIGHT 12
#define DISPLAYS 16  /* as many or more count as one desktop without gaps */
#define MAX_WALK 512 /* windows at most: the z-order may change, and go round, during the walk */

void um_anchor_init(const struct um_layer_options *options, struct um_anchor *anchor)
{
    *anchor = (struct um_anchor){.options = *options};
    anchor->place.scale = options->scale > 0 ? options->scale : 1;
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
    anchor->buttons.count = 0;
    anchor->buttons_ns = 0;
    anchor->has_bounds = false;
}

/* Under Wine the window manager draws other borders, so this uses the sides and bottom of the
 * client area. */
bool um_anchor_bounds(HWND window, RECT *bounds)
{
    RECT client;

    if (um_cover_bounds(window, bounds))
        return true;
    if (!GetWindowRect(window, bounds))
        return false;
    if (GetClientRect(window, &client) && !IsRectEmpty(&client)) {
        /* With two points, it exchanges left and right of a window laid out from the right. */
        MapWindowPoints(window, NULL, (POINT *)&client, 2);
        bounds->left = client.left;
        bounds->right = client.right;
        bounds->bottom = client.bottom;
    }
    return true;
}

bool um_anchor_is_seen(HWND window)
{
    return IsWindowVisible(window) && !IsIconic(window) && !um_cover_is_cloaked(window);
}

/* Whether the target is on the screen, and where. */
static bool find_target(const struct um_anchor *anchor, RECT *bounds)
{
    HWND target = anchor->target;

    if (anchor->alone)
        return SystemParametersInfoW(SPI_GETWORKAREA, 0, bounds, 0) != 0;
    if (!target || !IsWindow(target) || IsIconic(target))
        return false;
    if (!um_anchor_is_seen(target)) {
        /* After 5 s Windows puts a ghost in place of a hung window and hides that window. */
        *bounds = anchor->bounds;
        return anchor->has_bounds && IsHungAppWindow(target);
    }
    return um_anchor_bounds(target, bounds);
}

static bool is_topmost(HWND window)
{
    return (GetWindowLongPtrW(window, GWL_EXSTYLE) & WS_EX_TOPMOST) != 0;
}

static bool has_class(HWND window, const wchar_t *wanted)
{
    wchar_t name[16];
    return GetClassNameW(window, name, 16) > 0 && wcscmp(name, wanted) == 0;
}

/* The desktop does not come above other windows when it becomes the active one. */
static bool is_desktop(HWND window)
{
    return window == GetShellWindow() || has_class(window, L"Progman") ||
           has_class(window, L"WorkerW");
}

/* Whether a window that is above the target in the z-order is above it on the screen too. Under
 * Wine it may not be: the X11 window manager raises the active window, and Wine's z-order does not
 * change. So an active target counts as above all windows that are not always on top, as on
 * Windows. */
bool um_anchor_is_above(HWND window, bool target_is_active)
{
    return !target_is_active || is_topmost(window);
}

bool um_anchor_is_active(HWND target)
{
    HWND active = GetForegroundWindow();
    return active && GetAncestor(active, GA_ROOTOWNER) == target;
}

static bool is_owned(HWND window, HWND target)
{
    return window != target && GetAncestor(window, GA_ROOTOWNER) == target;
}

/* Whether a window of the target's program is a dialog of the target: a window with a title that
 * the target owns, or any that can be used while the target cannot, because it waits for one.
 * While the target can be used, tooltips, menus and lists of completions are none. */
static bool is_dialog(HWND window, HWND target)
{
    if (window == target || (GetWindowLongPtrW(window, GWL_EXSTYLE) & WS_EX_NOACTIVATE) != 0)
        return false;
    if (!IsWindowEnabled(target))
        return IsWindowEnabled(window) != 0;
    return (GetWindowLongPtrW(window, GWL_STYLE) & WS_CAPTION) == WS_CAPTION &&
           is_owned(window, target);
}

static DWORD pid_of(HWND window)
{
    DWORD pid = 0;
    GetWindowThreadProcessId(window, &pid);
    return pid;
}

/* The windows above the target that hide what the overlay lies on. Units: px². */
struct above {
    long long area; /* of all */
    long long most; /* of the one that hides most */
    HWND hider;     /* that one */
};

/* Takes in how much of the overlay lies over a window above the target in the z-order, if the user
 * wants to see that window and not the overlay. A window is always above its owner; a dialog may be
 * another process's, as those for files and passwords are. */
static void add_cover(struct um_anchor *anchor, HWND window, DWORD target_pid,
                      bool target_is_active, struct above *found)
{
    DWORD pid = pid_of(window);
    bool is_own = pid == target_pid || is_owned(window, anchor->target);
    struct um_cover cover;

    if (pid == GetCurrentProcessId() ||
        (!is_own && !um_anchor_is_above(window, target_is_active)) ||
        (pid == target_pid && !is_dialog(window, anchor->target)) ||
        !um_cover_find(is_own ? NULL : &anchor->looks, window, &anchor->rect, anchor->picture,
                       &cover))
        return;
    found->area += cover.area;
    if (cover.area > found->most) {
        found->most = cover.area;
        found->hider = window;
    }
}

/* The active window where it lies above the target, whatever the z-order says. Under Wine the
 * z-order may be late (see above); on Windows it is right, and this is NULL. */
static HWND active_above(HWND target, bool target_is_active)
{
    HWND active = GetForegroundWindow();
    bool is_above = um_wine_version() && !target_is_active && active && !is_desktop(active) &&
                    (is_topmost(active) || !is_topmost(target));
    return is_above ? active : NULL;
}

/* Goes through the windows above the target: whether they hide what the overlay lies on, and
 * whether the overlay is among them. */
static void look_above(struct um_anchor *anchor)
{
    HWND above = anchor->target;
    DWORD target_pid = pid_of(anchor->target);
    bool target_is_active = um_anchor_is_active(anchor->target);
    HWND active = active_above(anchor->target, target_is_active);
    struct above found = {0};
    bool is_found = false;

    if (active)
        add_cover(anchor, active, target_pid, target_is_active, &found);
    for (int i = 0; i < MAX_WALK && (above = GetWindow(above, GW_HWNDPREV)); i++)
        if (above == anchor->own)
            is_found = true;
        else if (above != active)
            add_cover(anchor, above, target_pid, target_is_active, &found);
    anchor->is_below = !is_found && !above; /* it is in none of the windows up to the topmost */
    if (found.area != anchor->covered) /* a dialog may have come, gone or moved, with its buttons */
        anchor->refresh_ns = 0;
    anchor->covered = found.area;
    anchor->hider = um_anchor_hides(&anchor->place.rect, found.area) ? found.hider : NULL;
}

/* Finds the push buttons of the target and of its dialogs. Those of a target that a ghost stands
 * for are where they were. */
static void find_buttons(struct um_anchor *anchor)
{
    HWND target = anchor->target, above = target;
    struct um_buttons *buttons = &anchor->buttons;
    DWORD target_pid = pid_of(target);

    if (!IsWindowVisible(target))
        return;
    buttons->count = buttons->windows = 0;
    um_buttons_add(target, buttons);
    for (int i = 0; i < MAX_WALK && (above = GetWindow(above, GW_HWNDPREV)); i++)
        if (IsWindowVisible(above) &&
            (pid_of(above) == target_pid ? is_dialog(above, target) : is_owned(above, target)))
            um_buttons_add(above, buttons);
}

static double monitor_scale(const struct um_anchor *anchor, HMONITOR monitor)
{
    UINT x = DEFAULT_DPI, y = DEFAULT_DPI;

    /* Not GetDpiForWindow: it says 96 for a target that does not know about scaling. */
    if (!anchor->monitor_dpi || FAILED(anchor->monitor_dpi(monitor, 0, &x, &y)))
        return 1;
    return (double)y / DEFAULT_DPI;
}

static struct um_anchor_rect plain(const RECT *rect)
{
    return (struct um_anchor_rect){rect->left, rect->top, rect->right, rect->bottom};
}

struct displays {
    struct um_anchor_rect list[DISPLAYS];
    size_t count;
};

static BOOL CALLBACK add_display(HMONITOR monitor, HDC dc, LPRECT rect, LPARAM context)
{
    struct displays *displays = (struct displays *)context;
    (void)monitor;
    (void)dc;
    displays->list[displays->count++] = plain(rect);
    return displays->count < DISPLAYS;
}

/* Knows the push buttons of the target as it is now. While a window is dragged they are looked for
 * once in BUTTONS_NS, and what was found moves with the target meanwhile. It may be wrong then, so
 * the overlay is laid out again as soon as they may be looked for. */
static void update_buttons(struct um_anchor *anchor, uint64_t now_ns)
{
    struct um_buttons *buttons = &anchor->buttons;
    LONG x = anchor->bounds.left - anchor->buttons_at.x;
    LONG y = anchor->bounds.top - anchor->buttons_at.y;

    anchor->buttons_at = (POINT){anchor->bounds.left, anchor->bounds.top};
    if (now_ns >= anchor->buttons_ns) {
        find_buttons(anchor);
        anchor->buttons_ns = now_ns + BUTTONS_NS;
        return;
    }
    anchor->refresh_ns = anchor->buttons_ns;
    for (size_t i = 0; i < buttons->count; i++) {
        struct um_anchor_rect *rect = &buttons->list[i];
        *rect = (struct um_anchor_rect){rect->left + x, rect->top + y, rect->right + x,
                                        rect->bottom + y};
    }
}

/* Looks at what lies around the target, and lays the overlay out on it. It may bring the next time
 * forward. */
static void lay_out(struct um_anchor *anchor, uint64_t now_ns)
{
    struct displays displays = {.count = 0};
    HMONITOR monitor = MonitorFromRect(&anchor->bounds, MONITOR_DEFAULTTONEAREST);
    MONITORINFO info = {.cbSize = sizeof info};
    POINT client = {0, 0};
    int left = GetSystemMetrics(SM_XVIRTUALSCREEN);
    struct um_anchor_view view = {.options = anchor->options,
                                  .more_height = anchor->more_height,
                                  .moved = anchor->moved,
                                  .alone = anchor->alone,
                                  .target = plain(&anchor->bounds),
                                  .desktop_left = left,
                                  .desktop_right = left + GetSystemMetrics(SM_CXVIRTUALSCREEN),
                                  .display_scale = monitor_scale(anchor, monitor)};

    EnumDisplayMonitors(NULL, NULL, add_display, (LPARAM)&displays);
    if (displays.count < DISPLAYS) { /* else they may not be all */
        view.displays = displays.list;
        view.display_count = displays.count;
    }
    view.has_display = GetMonitorInfoW(monitor, &info) != 0;
    view.display = plain(&info.rcMonitor);
    view.work = plain(&info.rcWork);
    view.has_client_top = !anchor->alone && ClientToScreen(anchor->target, &client);
    view.client_top = client.y;
    view.maximised = IsZoomed(anchor->target) != 0;
    if (anchor->options.look == UM_OVERLAY_AUTO && !anchor->alone)
        update_buttons(anchor, now_ns);
    view.buttons = anchor->buttons.list;
    view.button_count = anchor->buttons.count;
    um_anchor_lay_out(&view, &anchor->place);
    anchor->rect = (RECT){anchor->place.rect.left, anchor->place.rect.top, anchor->place.rect.right,
                          anchor->place.rect.bottom};
}

/* Whether the overlay is to be shown; works out its rectangle if the target has moved. */
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
        anchor->refresh_ns = now_ns + REFRESH_NS;
        lay_out(anchor, now_ns);
        anchor->has_bounds = true;
    }
    anchor->is_below = false;
    if (!anchor->alone)
        look_above(anchor);
    return anchor->rect.right - anchor->rect.left >= MIN_WIDTH &&
           anchor->rect.bottom - anchor->rect.top >= MIN_HEIGHT && !anchor->hider;
}

void um_anchor_update(struct um_anchor *anchor, uint64_t now_ns)
{
    bool was_visible = anchor->visible;

    anchor->hider = NULL;
    anchor->visible = !anchor->hidden && locate(anchor, now_ns);
    if (anchor->visible != was_visible)
        anchor->changed_ns = now_ns;
}
