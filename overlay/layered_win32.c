#include "overlay/layered_win32.h"

#include <string.h>

#define STEP 128 /* px, in which a bitmap grows */

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

static HWND make_window(const wchar_t *class_name, const wchar_t *title)
{
    /* Class style 0: a layered window must not have CS_OWNDC or CS_CLASSDC. */
    WNDCLASSEXW class_info = {.cbSize = sizeof class_info,
                              .lpfnWndProc = window_proc,
                              .hInstance = GetModuleHandleW(NULL),
                              .lpszClassName = class_name};

    if (RegisterClassExW(&class_info) == 0 && GetLastError() != ERROR_CLASS_ALREADY_EXISTS)
        return NULL;
    return CreateWindowExW(
        WS_EX_LAYERED | WS_EX_TRANSPARENT | WS_EX_NOACTIVATE | WS_EX_TOOLWINDOW | WS_EX_TOPMOST,
        class_name, title, WS_POPUP, 0, 0, 1, 1, NULL, NULL, class_info.hInstance, NULL);
}

enum um_status um_layered_open(const wchar_t *class_name, const wchar_t *title,
                               struct um_layered *layered)
{
    *layered = (struct um_layered){.dc = CreateCompatibleDC(NULL)};
    layered->window = make_window(class_name, title);
    if (layered->dc && layered->window)
        return UM_OK;
    um_layered_close(layered);
    return UM_ERR_IO;
}

void um_layered_close(struct um_layered *layered)
{
    if (layered->window)
        DestroyWindow(layered->window);
    um_layered_free(layered);
    if (layered->dc)
        DeleteDC(layered->dc);
    *layered = (struct um_layered){0};
}

void um_layered_free(struct um_layered *layered)
{
    if (layered->bitmap) {
        SelectObject(layered->dc, layered->old_bitmap);
        DeleteObject(layered->bitmap);
    }
    layered->bitmap = NULL;
    layered->screen = (struct um_canvas){0};
}

/* The next multiple of STEP. */
static int step_up(int length)
{
    return (length + STEP - 1) / STEP * STEP;
}

/* A bitmap is made anew only when the size goes over a step, so that dragging a border does not
 * make one for each picture. */
static enum um_status make_room(struct um_layered *layered, int width, int height)
{
    BITMAPINFO info = {.bmiHeader = {.biSize = sizeof info.bmiHeader,
                                     .biWidth = width,
                                     .biHeight = -height, /* top row first */
                                     .biPlanes = 1,
                                     .biBitCount = 32,
                                     .biCompression = BI_RGB}};
    void *pixels = NULL;

    um_layered_free(layered);
    layered->bitmap = CreateDIBSection(NULL, &info, DIB_RGB_COLORS, &pixels, NULL, 0);
    if (!layered->bitmap)
        return UM_ERR_MEMORY;
    layered->old_bitmap = SelectObject(layered->dc, layered->bitmap);
    layered->screen = (struct um_canvas){pixels, width, height, width};
    layered->room_width = width;
    layered->room_height = height;
    return UM_OK;
}

enum um_status um_layered_resize(struct um_layered *layered, int width, int height)
{
    enum um_status status = UM_OK;
    if (!layered->bitmap || layered->room_width != step_up(width) ||
        layered->room_height != step_up(height))
        status = make_room(layered, step_up(width), step_up(height));
    if (status != UM_OK)
        return status;
    layered->screen.width = width;
    layered->screen.height = height;
    for (int y = 0; y < height; y++)
        memset(um_canvas_row(&layered->screen, y), 0, (size_t)width * sizeof(uint32_t));
    layered->whole = true;
    return UM_OK;
}

/* Sends the picture, with the size and place of the window or, if `dirty` is given, only what has
 * changed. */
static enum um_status give(struct um_layered *layered, const RECT *at, const RECT *seen,
                           const RECT *dirty)
{
    POINT source = {seen->left - at->left, seen->top - at->top};
    POINT place = {seen->left, seen->top};
    SIZE size = {seen->right - seen->left, seen->bottom - seen->top};
    BLENDFUNCTION blend = {AC_SRC_OVER, 0, 255, AC_SRC_ALPHA};
    UPDATELAYEREDWINDOWINFO info = {.cbSize = sizeof info,
                                    .hdcSrc = layered->dc,
                                    .pptSrc = &source,
                                    .pblend = &blend,
                                    .dwFlags = ULW_ALPHA,
                                    .pptDst = dirty ? NULL : &place,
                                    .psize = dirty ? NULL : &size,
                                    .prcDirty = dirty};

    GdiFlush();
    if (!UpdateLayeredWindowIndirect(layered->window, &info)) {
        layered->whole = true;
        return UM_ERR_IO;
    }
    if (!dirty)
        layered->placed = *seen;
    layered->at = *at;
    return UM_OK;
}

enum um_status um_layered_update(struct um_layered *layered, const RECT *at,
                                 const struct um_canvas_rect *changed)
{
    RECT seen = {at->left, at->top, at->left + layered->screen.width,
                 at->top + layered->screen.height};
    RECT dirty = {changed->x, changed->y, changed->x + changed->width,
                  changed->y + changed->height};
    enum um_status status = give(layered, at, &seen, layered->whole ? NULL : &dirty);

    if (status == UM_OK)
        layered->whole = false;
    return status;
}

enum um_status um_layered_cut(struct um_layered *layered, const RECT *at, const RECT *within)
{
    enum um_status status = UM_ERR_IO;
    RECT picture = {at->left, at->top, at->left + layered->screen.width,
                    at->top + layered->screen.height};
    RECT seen;

    layered->whole = true;
    if (IntersectRect(&seen, &picture, within))
        status = give(layered, at, &seen, NULL);
    if (status != UM_OK)
        um_layered_hide(layered);
    return status;
}

static bool same_size(const RECT *a, const RECT *b)
{
    return a->right - a->left == b->right - b->left && a->bottom - a->top == b->bottom - b->top;
}

static bool lies_within(const RECT *rect, const RECT *around)
{
    RECT common;
    return IntersectRect(&common, rect, around) && EqualRect(&common, rect);
}

void um_layered_move(struct um_layered *layered, const RECT *at, HWND below)
{
    if (EqualRect(at, &layered->placed))
        return;
    if (!same_size(at, &layered->placed)) {
        if (layered->shown && !lies_within(&layered->placed, at))
            (void)um_layered_cut(layered, &layered->at, at);
        return;
    }
    SetWindowPos(layered->window, below, at->left, at->top, 0, 0,
                 SWP_NOSIZE | SWP_NOACTIVATE | SWP_NOREDRAW | SWP_NOOWNERZORDER);
    OffsetRect(&layered->at, at->left - layered->placed.left, at->top - layered->placed.top);
    layered->placed = *at;
}

void um_layered_show(struct um_layered *layered, HWND below)
{
    if (layered->shown)
        return;
    SetWindowPos(layered->window, below, 0, 0, 0, 0,
                 SWP_NOMOVE | SWP_NOSIZE | SWP_NOACTIVATE | SWP_NOOWNERZORDER | SWP_SHOWWINDOW);
    layered->shown = true;
}

void um_layered_raise(struct um_layered *layered)
{
    if (layered->shown)
        SetWindowPos(layered->window, HWND_TOPMOST, 0, 0, 0, 0,
                     SWP_NOMOVE | SWP_NOSIZE | SWP_NOACTIVATE | SWP_NOREDRAW | SWP_NOOWNERZORDER);
}

void um_layered_hide(struct um_layered *layered)
{
    if (layered->shown)
        ShowWindow(layered->window, SW_HIDE);
    layered->shown = false;
}
