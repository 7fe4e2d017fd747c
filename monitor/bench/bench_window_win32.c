#include "monitor/bench/bench_window.h"

#include <stdio.h>
#include <stdlib.h>
#include <windows.h>

#include "base/utf8.h"
#include "base/wide_win32.h"

#define MAX_ITEMS 128
#define MAX_ASKED 256
#define TEXT_UNITS 512
#define TEXT_BYTES 1024
#define TITLE_COLUMNS 40

struct search {
    DWORD pid;
    const struct um_scenario_step *step; /* NULL: any window */
    const char *class_name;              /* of a control */
    HWND found;
};

static bool has_class(HWND hwnd, const char *name)
{
    wchar_t wide[256];
    char text[TEXT_BYTES];
    if (!GetClassNameW(hwnd, wide, 256))
        return false;
    um_wide_to_utf8(wide, text, sizeof text);
    return um_utf8_equal(text, name);
}

/* InternalGetWindowText reads the title that the system keeps; GetWindowText would send a message
 * to a window of our own process. */
static bool has_title(HWND hwnd, const char *part)
{
    wchar_t wide[TEXT_UNITS] = L"";
    char text[TEXT_BYTES];
    InternalGetWindowText(hwnd, wide, TEXT_UNITS);
    um_wide_to_utf8(wide, text, sizeof text);
    return um_utf8_contains(text, part);
}

static bool is_seen(HWND hwnd)
{
    RECT rect;
    return IsWindowVisible(hwnd) && GetWindowRect(hwnd, &rect) && rect.right > rect.left &&
           rect.bottom > rect.top;
}

static bool fits(HWND hwnd, const struct um_scenario_step *step)
{
    if (!step || step->window == UM_SCENARIO_WINDOW_MAIN)
        return true;
    return step->window == UM_SCENARIO_WINDOW_CLASS ? has_class(hwnd, step->text)
                                                    : has_title(hwnd, step->text);
}

static BOOL CALLBACK look_at_window(HWND hwnd, LPARAM context)
{
    struct search *search = (struct search *)context;
    DWORD pid = 0;
    GetWindowThreadProcessId(hwnd, &pid);
    if (pid == search->pid && is_seen(hwnd) && fits(hwnd, search->step))
        search->found = hwnd;
    return !search->found;
}

static uint64_t find_window(uint32_t pid, const struct um_scenario_step *step)
{
    struct search search = {.pid = pid, .step = step};
    EnumWindows(look_at_window, (LPARAM)&search);
    return (uint64_t)(uintptr_t)search.found;
}

/* Painting ------------------------------------------------------------------------------------- */

struct painting {
    HWND pending;
    int asked;
};

/* Whether something is left to paint. The system keeps that region, so another process may ask, and
 * asking does not change it. */
static bool has_update(HWND hwnd)
{
    return IsWindowVisible(hwnd) && GetUpdateRect(hwnd, NULL, FALSE);
}

static BOOL CALLBACK look_for_update(HWND hwnd, LPARAM context)
{
    struct painting *painting = (struct painting *)context;
    if (has_update(hwnd))
        painting->pending = hwnd;
    return !painting->pending && ++painting->asked < MAX_ASKED;
}

static enum um_bench_run_paint ask_paint(uint64_t hwnd, uint64_t *pending)
{
    HWND window = (HWND)(uintptr_t)hwnd;
    HWND last = (HWND)(uintptr_t)*pending;
    struct painting painting = {0};

    if (!IsWindow(window))
        return UM_BENCH_RUN_PAINT_GONE;
    /* The handle may belong to another window by now, which is then not inside this one. */
    if (last && (last == window || IsChild(window, last)) && has_update(last))
        return UM_BENCH_RUN_PAINT_PENDING;
    if (has_update(window))
        painting.pending = window;
    else
        EnumChildWindows(window, look_for_update, (LPARAM)&painting);
    *pending = (uint64_t)(uintptr_t)painting.pending;
    return painting.pending ? UM_BENCH_RUN_PAINT_PENDING : UM_BENCH_RUN_PAINT_NONE;
}

/* The window in front -------------------------------------------------------------------------- */

static bool is_shown(HWND hwnd)
{
    return IsWindow(hwnd) && IsWindowVisible(hwnd);
}

static bool is_dialog(HWND window, HWND main, bool launched)
{
    return window != main && is_shown(main) &&
           (!IsWindowEnabled(main) || (launched && has_class(window, "#32770")));
}

static void describe(const struct um_bench_window_front *front, struct um_bench_run_front *out)
{
    HWND window = (HWND)(uintptr_t)front->window;
    HWND main = (HWND)(uintptr_t)front->main;
    HWND earlier = (HWND)(uintptr_t)front->earlier;
    wchar_t wide[TEXT_UNITS] = L"";
    char text[TEXT_BYTES];

    InternalGetWindowText(window, wide, TEXT_UNITS);
    um_wide_to_utf8(wide, text, sizeof text);
    snprintf(out->title, sizeof out->title, "%s", um_utf8_show(text, TITLE_COLUMNS).text);
    out->window = front->window;
    out->is_dialog = is_dialog(window, main, front->launched);
    out->is_awaited = front->awaited && fits(window, front->awaited);
    out->is_earlier_gone = !is_shown(earlier);
}

/* Places --------------------------------------------------------------------------------------- */

static BOOL CALLBACK look_at_control(HWND hwnd, LPARAM context)
{
    struct search *search = (struct search *)context;
    if (is_seen(hwnd) && has_class(hwnd, search->class_name))
        search->found = hwnd;
    return !search->found;
}

static HWND find_control(uint32_t pid, HWND main, const char *class_name)
{
    struct search search = {.class_name = class_name};
    HWND front = GetForegroundWindow();
    DWORD owner = 0;

    GetWindowThreadProcessId(front, &owner);
    if (front && owner == pid)
        EnumChildWindows(front, look_at_control, (LPARAM)&search);
    if (!search.found)
        EnumChildWindows(main, look_at_control, (LPARAM)&search);
    return search.found;
}

static bool find_place(uint32_t pid, uint64_t main, const struct um_scenario_step *step, int32_t *x,
                       int32_t *y, char *why, size_t why_cap)
{
    HWND window = (HWND)(uintptr_t)main;
    RECT client;
    POINT point = {step->x, step->y};

    if (step->text)
        window = find_control(pid, window, step->text);
    if (!window || !GetClientRect(window, &client)) {
        snprintf(why, why_cap, "the program has no visible control of class '%s'",
                 um_utf8_show(step->text ? step->text : "", 40).text);
        return false;
    }
    if (step->place == UM_SCENARIO_PLACE_MIDDLE || step->place == UM_SCENARIO_PLACE_CLASS)
        point = (POINT){client.right / 2, client.bottom / 2};
    if (point.x >= client.right || point.y >= client.bottom) {
        snprintf(why, why_cap, "%ld,%ld lies outside: the area is %ld x %ld pixels", point.x,
                 point.y, client.right, client.bottom);
        return false;
    }
    ClientToScreen(window, &point);
    *x = point.x;
    *y = point.y;
    return true;
}

/* Menus ---------------------------------------------------------------------------------------- */

/* Reads one menu. 0 if it cannot be read. */
static size_t read_items(HMENU menu, struct um_bench_menu_item *items)
{
    int count = GetMenuItemCount(menu);
    wchar_t wide[TEXT_UNITS];

    if (count < 0)
        return 0;
    for (int i = 0; i < count && i < MAX_ITEMS; i++) {
        UINT state = GetMenuState(menu, (UINT)i, MF_BYPOSITION);
        wide[0] = 0;
        GetMenuStringW(menu, (UINT)i, wide, TEXT_UNITS, MF_BYPOSITION);
        um_wide_to_utf8(wide, items[i].label, sizeof items[i].label);
        items[i].separator = state != (UINT)-1 && (state & MF_SEPARATOR) != 0;
        items[i].submenu = GetSubMenu(menu, i) != NULL;
    }
    return count < MAX_ITEMS ? (size_t)count : MAX_ITEMS;
}

static bool find_menu(uint64_t main, const struct um_scenario_step *step,
                      struct um_bench_menu_keys *keys, char *why, size_t why_cap)
{
    HMENU menu = GetMenu((HWND)(uintptr_t)main);
    bool good = true;

    if (um_bench_menu_spelled(step->argv, step->argc, keys))
        return true;
    keys->count = 0;
    struct um_bench_menu_item *items = calloc(MAX_ITEMS, sizeof *items);
    for (int i = 0; items && good && i < step->argc; i++) {
        size_t count = menu ? read_items(menu, items) : 0;
        /* A ribbon is not a menu, some programs draw their own, and Wine hides menus from other
         * processes. */
        if (count == 0) {
            snprintf(why, why_cap,
                     "the program's menu cannot be read: mark the letters that open it, as in menu "
                     "\"&File\" \"&Open\"");
            good = false;
            break;
        }
        int index = um_bench_menu_step(items, count, step->argv[i], i == 0, keys, why, why_cap);
        good = index >= 0;
        menu = good ? GetSubMenu(menu, index) : NULL;
    }
    free(items);
    return items && good;
}

/* The end -------------------------------------------------------------------------------------- */

static BOOL CALLBACK ask_to_close(HWND hwnd, LPARAM pid)
{
    DWORD owner = 0;
    GetWindowThreadProcessId(hwnd, &owner);
    if (owner == (DWORD)pid && IsWindowVisible(hwnd) && !GetWindow(hwnd, GW_OWNER))
        PostMessageW(hwnd, WM_CLOSE, 0, 0);
    return TRUE;
}

static void close_windows(uint32_t pid)
{
    EnumWindows(ask_to_close, (LPARAM)pid);
}

static const struct um_bench_window_backend win32 = {
    .find = find_window,
    .paint = ask_paint,
    .describe = describe,
    .place = find_place,
    .menu = find_menu,
    .close = close_windows,
};

const struct um_bench_window_backend *um_bench_window = &win32;
