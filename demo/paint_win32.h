/* How the demo's windows look: colours, fonts, cards and buttons. Plain GDI. */
#ifndef UM_DEMO_PAINT_WIN32_H
#define UM_DEMO_PAINT_WIN32_H

#include <stdbool.h>
#include <windows.h>

#define UM_DEMO_PAINT_BACK RGB(243, 245, 248)
#define UM_DEMO_PAINT_CARD RGB(255, 255, 255)
#define UM_DEMO_PAINT_LINE RGB(220, 225, 232)
#define UM_DEMO_PAINT_TEXT RGB(28, 33, 40)
#define UM_DEMO_PAINT_HINT RGB(101, 112, 125)
#define UM_DEMO_PAINT_BLUE RGB(37, 99, 235)
#define UM_DEMO_PAINT_AMBER RGB(194, 95, 10)
#define UM_DEMO_PAINT_VIOLET RGB(124, 58, 237)
#define UM_DEMO_PAINT_TEAL RGB(15, 118, 110)
#define UM_DEMO_PAINT_SLATE RGB(71, 85, 105)
#define UM_DEMO_PAINT_ROSE RGB(190, 24, 93)

/* The system's message font in the sizes needed. A zeroed struct has none. */
struct um_demo_paint_fonts {
    HFONT body;
    HFONT bold;
    HFONT hint;
    HFONT title;
};

/* Makes the fonts for a DPI, after releasing the ones that are there. Owner: _deinit. */
void um_demo_paint_fonts_init(struct um_demo_paint_fonts *fonts, UINT dpi);
void um_demo_paint_fonts_deinit(struct um_demo_paint_fonts *fonts);

/* Fills a rectangle. */
void um_demo_paint_fill(HDC dc, const RECT *rect, COLORREF color);

/* A rounded rectangle. Units: pixels. */
void um_demo_paint_box(HDC dc, const RECT *rect, int radius, COLORREF fill, COLORREF line);

/* One line of text. `format`: DT_LEFT, DT_CENTER or DT_RIGHT. */
void um_demo_paint_text(HDC dc, const RECT *rect, HFONT font, COLORREF color, UINT format,
                        const wchar_t *text);

/* A push button for WM_DRAWITEM on `back`; `active` draws it as pressed. */
void um_demo_paint_button(const DRAWITEMSTRUCT *item, COLORREF accent, COLORREF back, HFONT font,
                          UINT dpi, bool active);

/* Paints a window at once: draws into a bitmap by `draw` and copies it. Answers WM_PAINT. */
void um_demo_paint_window(HWND hwnd, void (*draw)(HWND hwnd, HDC dc, const RECT *client, void *arg),
                          void *arg);

/* Units: pixels for so many 1/96 inches. */
int um_demo_paint_scale(int units, UINT dpi);

#endif
