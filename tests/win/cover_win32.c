/* A window above all others that hides what lies below it, or cannot be seen (covers.h).
 *
 *   cover_win32 X Y WIDTH HEIGHT
 *
 * Writes `control HWND`, the window that takes the messages, and `cover N` when that one is there.
 * It begins without any, and ends when it is killed.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <windows.h>

#include "tests/win/covers.h"

#define INK RGB(200, 60, 20)
#define FRAME 3        /* px */
#define REGION_FRAME 4 /* px */
#define SMALL 20       /* px */
#define ROUND 60       /* px */

static struct {
    UINT message;
    HWND cover; /* NULL: there is none */
    enum cover kind;
    int x, y, width, height;
} test;

static bool is_in_frame(int x, int y)
{
    return x < FRAME || y < FRAME || x >= test.width - FRAME || y >= test.height - FRAME;
}

/* Gives a window its picture: opaque where `whole` or the frame is, and nothing elsewhere. */
static void give_picture(HWND window, bool whole, bool frame, BYTE alpha)
{
    BITMAPINFO info = {.bmiHeader = {.biSize = sizeof info.bmiHeader,
                                     .biWidth = test.width,
                                     .biHeight = -test.height,
                                     .biPlanes = 1,
                                     .biBitCount = 32,
                                     .biCompression = BI_RGB}};
    void *bits = NULL;
    HDC dc = CreateCompatibleDC(NULL);
    HBITMAP bitmap = CreateDIBSection(NULL, &info, DIB_RGB_COLORS, &bits, NULL, 0);
    SIZE size = {test.width, test.height};
    POINT from = {0, 0};
    BLENDFUNCTION blend = {AC_SRC_OVER, 0, alpha, AC_SRC_ALPHA};

    if (!dc || !bitmap)
        exit(EXIT_FAILURE);
    uint32_t *pixels = bits;
    for (int y = 0; y < test.height; y++)
        for (int x = 0; x < test.width; x++)
            if (whole || (frame && is_in_frame(x, y)))
                pixels[y * test.width + x] = 0xffc83c14; /* INK */
    HGDIOBJ old = SelectObject(dc, bitmap);
    UpdateLayeredWindow(window, NULL, NULL, &size, dc, &from, 0, &blend, ULW_ALPHA);
    SelectObject(dc, old);
    DeleteObject(bitmap);
    DeleteDC(dc);
}

static void give_region(HWND window, enum cover kind)
{
    bool frame = kind == COVER_FRAME_REGION;
    HRGN region = kind == COVER_ROUND ? CreateEllipticRgn(0, 0, ROUND, ROUND)
                                      : CreateRectRgn(0, 0, frame ? test.width : SMALL,
                                                      frame ? test.height : SMALL);
    HRGN inner = CreateRectRgn(REGION_FRAME, REGION_FRAME, test.width - REGION_FRAME,
                               test.height - REGION_FRAME);

    if (frame)
        CombineRgn(region, region, inner, RGN_DIFF);
    DeleteObject(inner);
    SetWindowRgn(window, region, TRUE);
}

static void dress(HWND window, enum cover kind)
{
    switch (kind) {
    case COVER_SOLID:
    case COVER_CLEAR:
    case COVER_ALPHA_0:
    case COVER_FRAME:
        give_picture(window, kind == COVER_SOLID || kind == COVER_ALPHA_0, kind == COVER_FRAME,
                     kind == COVER_ALPHA_0 ? 0 : 255);
        break;
    case COVER_ALPHA_1:
        SetLayeredWindowAttributes(window, 0, 1, LWA_ALPHA);
        break;
    case COVER_KEY:
    case COVER_OTHER_KEY:
        SetLayeredWindowAttributes(window, kind == COVER_KEY ? INK : RGB(1, 2, 3), 0, LWA_COLORKEY);
        break;
    case COVER_SMALL:
    case COVER_FRAME_REGION:
    case COVER_ROUND:
        give_region(window, kind);
        break;
    case COVER_PLAIN:
    case COVER_NEVER:
        break;
    }
}

static bool has_picture(enum cover kind)
{
    return kind == COVER_SOLID || kind == COVER_CLEAR || kind == COVER_ALPHA_0 ||
           kind == COVER_FRAME;
}

static void make_cover(enum cover kind)
{
    bool layered = kind != COVER_PLAIN && kind < COVER_SMALL;

    if (test.cover)
        DestroyWindow(test.cover);
    test.cover = CreateWindowExW(WS_EX_TOPMOST | WS_EX_NOACTIVATE | (layered ? WS_EX_LAYERED : 0u),
                                 L"UimonCover", L"cover", WS_POPUP, test.x, test.y, test.width,
                                 test.height, NULL, NULL, NULL, NULL);
    dress(test.cover, kind);
    SetWindowPos(test.cover, HWND_TOPMOST, 0, 0, 0, 0,
                 SWP_NOMOVE | SWP_NOSIZE | SWP_NOACTIVATE | SWP_SHOWWINDOW);
    UpdateWindow(test.cover);
}

/* A window with a picture gets another one, and stays where it is in the z-order. */
static void show_cover(enum cover kind)
{
    if (test.cover && has_picture(kind) && has_picture(test.kind))
        dress(test.cover, kind);
    else
        make_cover(kind);
    test.kind = kind;
    printf("cover %d\n", (int)kind);
    fflush(stdout);
}

static LRESULT CALLBACK window_proc(HWND window, UINT message, WPARAM wparam, LPARAM lparam)
{
    if (message == test.message && lparam == 1)
        show_cover((enum cover)wparam);
    return DefWindowProcW(window, message, wparam, lparam);
}

int main(int argc, char **argv)
{
    WNDCLASSEXW window_class = {.cbSize = sizeof window_class,
                                .lpfnWndProc = window_proc,
                                .hInstance = GetModuleHandleW(NULL),
                                .hbrBackground = CreateSolidBrush(INK),
                                .lpszClassName = L"UimonCover"};
    MSG message;

    if (argc != 5 || RegisterClassExW(&window_class) == 0) {
        fprintf(stderr, "usage: cover_win32 X Y WIDTH HEIGHT\n");
        return 2;
    }
    test.x = atoi(argv[1]);
    test.y = atoi(argv[2]);
    test.width = atoi(argv[3]);
    test.height = atoi(argv[4]);
    test.message = RegisterWindowMessageW(L"UimonTestCover");
    HWND control =
        CreateWindowExW(0, L"UimonCover", L"", WS_POPUP, 0, 0, 0, 0, NULL, NULL, NULL, NULL);
    printf("control 0x%llx\n", (unsigned long long)(uintptr_t)control);
    fflush(stdout);
    while (GetMessageW(&message, NULL, 0, 0) > 0)
        DispatchMessageW(&message);
    return EXIT_SUCCESS;
}
