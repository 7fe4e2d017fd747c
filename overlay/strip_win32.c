#include "overlay/strip.h"

#include <assert.h>
#include <stdlib.h>
#include <windows.h>

#include "ipc/clock.h"
#include "ipc/timer_win32.h"
#include "overlay/anchor_win32.h"

#define MOVING_POLL_NS (16 * UM_CLOCK_NS_PER_MS)
#define REST_POLL_NS (66 * UM_CLOCK_NS_PER_MS)
#define CALM_POLL_NS (250 * UM_CLOCK_NS_PER_MS)
#define MOVING_FOR_NS (400 * UM_CLOCK_NS_PER_MS)
#define LIMIT_MS 60000 /* of one wait */
#define CLASS_NAME L"" UM_OVERLAY_CLASS

struct um_strip {
    struct um_anchor anchor;
    HWND window;
    HANDLE wake;
    HANDLE timer; /* NULL: the system has none */
    HDC dc;
    HBITMAP bitmap;
    HGDIOBJ old_bitmap;
    struct um_canvas screen;  /* the DIB: what the screen shows */
    struct um_canvas picture; /* what the screen is to show */
    RECT placed;              /* where the window was last put */
    bool shown;               /* the window is */
    bool whole;               /* the window needs the whole picture, and its size */
    uint64_t poll_ns;
    bool calm; /* nobody uses the machine */
};

static LRESULT CALLBACK window_proc(HWND window, UINT message, WPARAM wparam, LPARAM lparam)
{
    switch (message) {
    case WM_NCHITTEST:
        return HTTRANSPARENT;
    case WM_MOUSEACTIVATE:
        return MA_NOACTIVATE;
    case WM_CLOSE: /* from a task manager; the monitor ends the overlay by ending the feed */
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
    /* Without an owner: an owner in another process would tie our input queue to the target's, so
     * that the overlay would freeze with it. */
    return CreateWindowExW(
        WS_EX_LAYERED | WS_EX_TRANSPARENT | WS_EX_NOACTIVATE | WS_EX_TOOLWINDOW | WS_EX_TOPMOST,
        CLASS_NAME, L"uimon overlay", WS_POPUP, 0, 0, 1, 1, NULL, NULL, class_info.hInstance, NULL);
}

enum um_status um_strip_open(const struct um_strip_options *options, struct um_strip **strip)
{
    struct um_strip *made = calloc(1, sizeof *made);

    if (!made)
        return UM_ERR_MEMORY;
    um_anchor_init(options, &made->anchor);
    made->wake = CreateEventW(NULL, FALSE, FALSE, NULL);
    made->timer = um_timer_open();
    made->dc = CreateCompatibleDC(NULL);
    made->window = make_window();
    if (!made->wake || !made->dc || !made->window) {
        um_strip_close(made);
        return UM_ERR_IO;
    }
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
    if (strip->timer)
        CloseHandle(strip->timer);
    if (strip->wake)
        CloseHandle(strip->wake);
    um_anchor_deinit(&strip->anchor);
    free(strip);
}

void um_strip_follow(struct um_strip *strip, uint64_t target)
{
    um_anchor_follow(&strip->anchor, (HWND)(uintptr_t)target);
    strip->poll_ns = 0;
}

void um_strip_hide(struct um_strip *strip, bool hide)
{
    strip->anchor.hidden = hide;
    strip->poll_ns = 0;
}

void um_strip_extend(struct um_strip *strip, int height)
{
    if (strip->anchor.more_height == height)
        return;
    strip->anchor.more_height = height;
    strip->anchor.refresh_ns = 0;
    strip->poll_ns = 0;
}

void um_strip_calm(struct um_strip *strip, bool calm)
{
    if (strip->calm && !calm)
        strip->poll_ns = 0;
    strip->calm = calm;
}

static bool same_size(const RECT *a, const RECT *b)
{
    return a->right - a->left == b->right - b->left && a->bottom - a->top == b->bottom - b->top;
}

/* Moves the window. If the size has changed too, the next picture brings both. */
static void move_window(struct um_strip *strip)
{
    if (EqualRect(&strip->anchor.rect, &strip->placed) ||
        !same_size(&strip->anchor.rect, &strip->placed))
        return;
    SetWindowPos(strip->window, HWND_TOPMOST, strip->anchor.rect.left, strip->anchor.rect.top, 0, 0,
                 SWP_NOSIZE | SWP_NOACTIVATE | SWP_NOREDRAW | SWP_NOOWNERZORDER);
    strip->placed = strip->anchor.rect;
}

void um_strip_poll(struct um_strip *strip, uint64_t now_ns, struct um_strip_place *place)
{
    const struct um_anchor *anchor = &strip->anchor;

    um_anchor_update(&strip->anchor, now_ns);
    if (!anchor->visible && strip->shown) {
        ShowWindow(strip->window, SW_HIDE);
        strip->shown = false;
    }
    if (anchor->visible)
        move_window(strip);
    bool moving = now_ns - anchor->changed_ns < MOVING_FOR_NS;
    strip->poll_ns = now_ns + (moving ? MOVING_POLL_NS : strip->calm ? CALM_POLL_NS : REST_POLL_NS);
    place->visible = anchor->visible;
    place->width = anchor->rect.right - anchor->rect.left;
    place->height = anchor->rect.bottom - anchor->rect.top;
    place->scale = anchor->scale;
    place->corners = anchor->corners;
    place->radius = anchor->radius;
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
    int width = strip->anchor.rect.right - strip->anchor.rect.left;
    int height = strip->anchor.rect.bottom - strip->anchor.rect.top;
    enum um_status status = UM_OK;

    assert(strip->anchor.has_bounds);
    if (strip->picture.width != width || strip->picture.height != height)
        status = make_picture(strip, width, height);
    if (status == UM_OK)
        *canvas = strip->picture;
    return status;
}

static bool update_window(struct um_strip *strip, const struct um_canvas_rect *changed)
{
    POINT source = {0, 0}, at = {strip->anchor.rect.left, strip->anchor.rect.top};
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
        strip->whole = true; /* perhaps the screen is locked: next time send everything */
        return UM_ERR_IO;
    }
    if (strip->whole)
        strip->placed = strip->anchor.rect;
    strip->whole = false;
    if (strip->anchor.visible && !strip->shown) {
        SetWindowPos(strip->window, HWND_TOPMOST, 0, 0, 0, 0,
                     SWP_NOMOVE | SWP_NOSIZE | SWP_NOACTIVATE | SWP_NOOWNERZORDER | SWP_SHOWWINDOW);
        strip->shown = true;
    }
    return UM_OK;
}

/* Waiting -------------------------------------------------------------------------------------- */

/* The time limit of a wait counts in the system's ticks of 15.6 ms, and the pictures would come at
 * half of their pace. So a timer ends the wait; the limit is for a system without. */
static void wait_until(struct um_strip *strip, uint64_t deadline_ns)
{
    HANDLE handles[] = {strip->wake, strip->timer};
    uint64_t now_ns = um_clock_now_ns();
    uint64_t left_ns = deadline_ns > now_ns ? deadline_ns - now_ns : 0;
    bool timed = left_ns > 0 && strip->timer && um_timer_set(strip->timer, left_ns);
    uint64_t limit_ms = (left_ns + UM_CLOCK_NS_PER_MS - 1) / UM_CLOCK_NS_PER_MS;

    if (timed || limit_ms > LIMIT_MS)
        limit_ms = LIMIT_MS;
    MsgWaitForMultipleObjectsEx(timed ? 2 : 1, handles, (DWORD)limit_ms, QS_ALLINPUT,
                                MWMO_INPUTAVAILABLE);
}

enum um_status um_strip_wait(struct um_strip *strip, uint64_t deadline_ns)
{
    MSG message;

    wait_until(strip, deadline_ns);
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
