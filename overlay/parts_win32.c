#include "overlay/parts.h"

#include <wchar.h>
#include <windows.h>
#include <commctrl.h>

#include "ipc/overlay.h"
#include "overlay/anchor_win32.h"
#include "overlay/cover_win32.h"

#define DEEPEST 100       /* windows within windows: no session of Windows lets them lie deeper */
#define MOST_SIBLINGS 512 /* that are looked at for a component: the order may change meanwhile */

struct walk {
    const struct um_canvas_rect *bounds;
    RECT sheet;
    struct um_choice_item *items;
    size_t count;
    size_t roots; /* that were not found yet */
    DWORD target_pid;
    bool target_is_active;
    bool had_sheet; /* the overlay's sheet came */
    bool is_behind; /* a root came before that */
    struct um_choice_windows *windows;
    struct um_cover_looks *looks;
    size_t last_root; /* one more than the place of the last root in `windows` */
};

static struct um_canvas_rect relative(const RECT *rect, const struct um_canvas_rect *bounds)
{
    return (struct um_canvas_rect){rect->left - bounds->x, rect->top - bounds->y,
                                   rect->right - rect->left, rect->bottom - rect->top};
}

bool um_parts_bounds(uint64_t target, struct um_canvas_rect *bounds)
{
    HWND main = (HWND)(uintptr_t)target;
    RECT rect;

    if (!um_anchor_is_seen(main) || !um_anchor_bounds(main, &rect) || IsRectEmpty(&rect))
        return false;
    *bounds = (struct um_canvas_rect){rect.left, rect.top, rect.right - rect.left,
                                      rect.bottom - rect.top};
    return true;
}

static HWND window_of(const struct um_choice_item *item)
{
    return (HWND)(uintptr_t)item->window;
}

/* Whether an item is a root that may be on the screen. */
static bool is_root(const struct walk *walk, const struct um_choice_item *item)
{
    HWND window = window_of(item);
    DWORD pid = 0;
    return item->parent == 0 && window && IsWindowVisible(window) && !IsIconic(window) &&
           GetWindowThreadProcessId(window, &pid) && pid == walk->target_pid;
}

/* The root with this window; NULL: it is none. */
static struct um_choice_item *root_at(struct walk *walk, HWND window)
{
    for (size_t i = 0; i < walk->count; i++)
        if (walk->items[i].parent == 0 && window_of(&walk->items[i]) == window)
            return &walk->items[i];
    return NULL;
}

/* A window without its title and frame, whose buttons a meter would hide; false if it is empty. */
static bool inside_of(HWND window, const struct um_canvas_rect *bounds, struct um_canvas_rect *rect)
{
    RECT client;
    if (!GetClientRect(window, &client) || IsRectEmpty(&client))
        return false;
    /* With two points, it exchanges left and right of a window that is laid out from the right. */
    MapWindowPoints(window, NULL, (POINT *)&client, 2);
    *rect = relative(&client, bounds);
    return true;
}

/* The sheet, of the overlay's own windows. */
static bool is_sheet(HWND window)
{
    wchar_t name[64];
    return GetClassNameW(window, name, ARRAYSIZE(name)) > 0 &&
           wcscmp(name, L"" UM_OVERLAY_SHEET_CLASS) == 0;
}

static void take_root(struct walk *walk, HWND window, struct um_choice_item *root)
{
    struct um_choice_windows *windows = walk->windows;
    RECT bounds;

    if (!um_anchor_bounds(window, &bounds))
        return;
    root->depth = (unsigned)windows->count;
    root->seen = inside_of(window, walk->bounds, &root->rect);
    walk->is_behind |= !walk->had_sheet;
    walk->last_root = windows->count + 1;
    walk->roots--;
    windows->list[windows->count++] = relative(&bounds, walk->bounds);
}

static void take_cover(struct walk *walk, const struct um_cover *cover)
{
    struct um_choice_windows *windows = walk->windows;
    for (size_t i = 0; i < cover->count && windows->count < UM_CHOICE_WINDOWS; i++)
        windows->list[windows->count++] = relative(&cover->pieces[i], walk->bounds);
}

/* Windows come from the topmost to the lowest. FALSE ends the walk. */
static BOOL CALLBACK take_window(HWND window, LPARAM context)
{
    struct walk *walk = (struct walk *)context;
    struct um_choice_windows *windows = walk->windows;
    struct um_cover cover;
    DWORD pid = 0;

    GetWindowThreadProcessId(window, &pid);
    if (pid == GetCurrentProcessId()) {
        walk->had_sheet |= is_sheet(window);
        return TRUE;
    }
    bool is_own = pid == walk->target_pid;
    if ((!is_own && !um_anchor_is_above(window, walk->target_is_active)) ||
        !um_cover_find(is_own ? NULL : walk->looks, window, &walk->sheet, NULL, &cover))
        return TRUE;
    struct um_choice_item *root = is_own ? root_at(walk, window) : NULL;
    if (root)
        take_root(walk, window, root);
    else
        take_cover(walk, &cover);
    return windows->count < UM_CHOICE_WINDOWS && walk->roots > 0;
}

/* Cuts a part by the windows around it, up to that of the component in which it lies. One that is
 * scrolled lies beyond them. */
static struct um_canvas_rect cut_by_parents(const struct walk *walk, HWND window, HWND component,
                                            struct um_canvas_rect rect)
{
    HWND around = window;
    struct um_canvas_rect inside;

    for (int depth = 0; depth < DEEPEST && around != component; depth++) {
        around = GetAncestor(around, GA_PARENT);
        if (!around || around == GetDesktopWindow())
            break;
        if (inside_of(around, walk->bounds, &inside))
            rect = um_canvas_cut(&rect, &inside);
        else
            rect.width = rect.height = 0;
    }
    return rect;
}

static void look_within(struct walk *walk, size_t at)
{
    struct um_choice_item *item = &walk->items[at];
    const struct um_choice_item *parent = um_choice_find(walk->items, walk->count, item->parent);
    HWND window = window_of(item);
    DWORD pid = 0;
    RECT bounds;

    if (!parent || !parent->seen || !window || !IsWindowVisible(window) ||
        !GetWindowThreadProcessId(window, &pid) || pid != walk->target_pid ||
        !GetWindowRect(window, &bounds))
        return;
    struct um_canvas_rect rect =
        cut_by_parents(walk, window, window_of(parent), relative(&bounds, walk->bounds));
    item->rect = um_canvas_cut(&rect, &parent->rect);
    item->depth = parent->depth;
    item->seen = item->rect.width > 0 && item->rect.height > 0;
}

bool um_parts_look(uint64_t target, const struct um_canvas_rect *bounds,
                   struct um_choice_item *items, size_t count, struct um_choice_windows *windows)
{
    static struct um_cover_looks looks; /* the overlay's thread alone asks */
    HWND main = (HWND)(uintptr_t)target;
    struct walk walk = {
        .bounds = bounds,
        .sheet = {bounds->x, bounds->y, bounds->x + bounds->width, bounds->y + bounds->height},
        .items = items,
        .count = count,
        .target_is_active = um_anchor_is_active(main),
        .windows = windows,
        .looks = &looks};

    windows->count = 0;
    GetWindowThreadProcessId(main, &walk.target_pid);
    for (size_t i = 0; i < count; i++) {
        items[i].seen = false;
        walk.roots += is_root(&walk, &items[i]);
    }
    if (walk.target_pid == 0 || walk.roots == 0)
        return false;
    EnumWindows(take_window, (LPARAM)&walk);
    windows->count = walk.last_root; /* what lies below the lowest of them hides nothing */
    for (size_t i = 0; i < count; i++)
        if (items[i].parent != 0)
            look_within(&walk, i);
    return walk.is_behind;
}

int um_parts_heads(const struct um_choice_item *item)
{
    HWND window = window_of(item);
    HWND heads = window ? FindWindowExW(window, NULL, WC_HEADERW, NULL) : NULL;
    RECT outer, inner;

    if (!heads || !IsWindowVisible(heads) || !GetWindowRect(window, &outer) ||
        !GetWindowRect(heads, &inner) || inner.top > outer.top + (inner.bottom - inner.top))
        return 0;
    return inner.bottom - outer.top;
}

/* The window within another one at a point of the desktop; the same window if there is none. It
 * asks the system alone, also for the windows of a hung program. */
static HWND child_at(HWND window, POINT at)
{
    MapWindowPoints(NULL, window, &at, 1);
    HWND child = ChildWindowFromPointEx(window, at, CWP_SKIPINVISIBLE);
    return child ? child : window;
}

/* Whether a control of the system is a frame around others: of a group, or of pages with tabs. In a
 * dialog it lies above those, if its template has it before them. */
static bool is_frame(const wchar_t *class_name, LONG_PTR style)
{
    if (_wcsicmp(class_name, WC_BUTTONW) == 0)
        return (style & BS_TYPEMASK) == BS_GROUPBOX;
    if (_wcsicmp(class_name, WC_STATICW) == 0)
        switch (style & SS_TYPEMASK) {
        case SS_BLACKFRAME:
        case SS_GRAYFRAME:
        case SS_WHITEFRAME:
        case SS_ETCHEDHORZ:
        case SS_ETCHEDVERT:
        case SS_ETCHEDFRAME:
            return true;
        default:
            return false;
        }
    return _wcsicmp(class_name, WC_TABCONTROLW) == 0;
}

/* Whether a child window lets what lies below it through: it says so, or it is a frame. */
static bool shines_through(HWND window)
{
    wchar_t name[24];

    return (GetWindowLongPtrW(window, GWL_EXSTYLE) & WS_EX_TRANSPARENT) != 0 ||
           (GetClassNameW(window, name, ARRAYSIZE(name)) > 0 &&
            is_frame(name, GetWindowLongPtrW(window, GWL_STYLE)));
}

void um_parts_siblings(const struct um_canvas_rect *bounds, const struct um_choice_item *item,
                       struct um_siblings *siblings)
{
    HWND window = window_of(item), root = window ? GetAncestor(window, GA_ROOT) : NULL;
    int left = MOST_SIBLINGS;
    RECT rect;

    *siblings = (struct um_siblings){0};
    for (int depth = 0; window && window != root && depth < DEEPEST; depth++) {
        HWND above = window;
        for (; left > 0 && (above = GetWindow(above, GW_HWNDPREV)); left--) {
            if (!IsWindowVisible(above) || !GetWindowRect(above, &rect) || shines_through(above))
                continue;
            struct um_canvas_rect place = relative(&rect, bounds);
            um_siblings_add(siblings, &item->rect, &place);
        }
        window = GetAncestor(window, GA_PARENT);
    }
}

static uint32_t id_of(const struct um_choice_item *items, size_t count, HWND window)
{
    for (size_t i = 0; i < count; i++)
        if (window_of(&items[i]) == window && items[i].seen)
            return items[i].id;
    return 0;
}

/* The root in the topmost window at a point of the sheet; NULL: there is another window. */
static HWND root_under(const struct um_choice_item *items, size_t count,
                       const struct um_choice_windows *windows, POINT at)
{
    const struct um_canvas_rect point = {at.x, at.y, 1, 1};
    unsigned depth = 0;
    while (depth < windows->count && !um_canvas_overlap(&windows->list[depth], &point))
        depth++;
    for (size_t i = 0; i < count && depth < windows->count; i++)
        if (items[i].parent == 0 && items[i].window != 0 && items[i].seen &&
            items[i].depth == depth)
            return window_of(&items[i]);
    return NULL;
}

uint32_t um_parts_hover(const struct um_canvas_rect *bounds, const struct um_choice_item *items,
                        size_t count, const struct um_choice_windows *windows)
{
    POINT at;
    HWND child;

    if (!GetCursorPos(&at))
        return 0;
    HWND window = root_under(items, count, windows, (POINT){at.x - bounds->x, at.y - bounds->y});
    uint32_t id = window ? id_of(items, count, window) : 0;
    for (int depth = 0; window && depth < DEEPEST; depth++, window = child) {
        child = child_at(window, at);
        if (child == window)
            break;
        uint32_t within = id_of(items, count, child);
        id = within != 0 ? within : id;
    }
    return id;
}

bool um_parts_cursor(int *x, int *y)
{
    POINT at;

    if (!GetCursorPos(&at))
        return false;
    *x = at.x;
    *y = at.y;
    return true;
}
