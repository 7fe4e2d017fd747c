#include "demo/paint_win32.h"

int um_demo_paint_scale(int units, UINT dpi)
{
    return MulDiv(units, (int)dpi, USER_DEFAULT_SCREEN_DPI);
}

static HFONT make_font(const LOGFONTW *base, int height, LONG weight, UINT dpi)
{
    LOGFONTW font = *base;
    font.lfHeight = -um_demo_paint_scale(height, dpi);
    font.lfWidth = 0;
    font.lfWeight = weight;
    return CreateFontIndirectW(&font);
}

void um_demo_paint_fonts_init(struct um_demo_paint_fonts *fonts, UINT dpi)
{
    NONCLIENTMETRICSW metrics = {.cbSize = sizeof metrics};
    um_demo_paint_fonts_deinit(fonts);
    if (!SystemParametersInfoW(SPI_GETNONCLIENTMETRICS, sizeof metrics, &metrics, 0))
        GetObjectW(GetStockObject(DEFAULT_GUI_FONT), sizeof metrics.lfMessageFont,
                   &metrics.lfMessageFont);
    fonts->body = make_font(&metrics.lfMessageFont, 13, FW_NORMAL, dpi);
    fonts->bold = make_font(&metrics.lfMessageFont, 13, FW_BOLD, dpi);
    fonts->hint = make_font(&metrics.lfMessageFont, 12, FW_NORMAL, dpi);
    fonts->title = make_font(&metrics.lfMessageFont, 21, FW_BOLD, dpi);
}

void um_demo_paint_fonts_deinit(struct um_demo_paint_fonts *fonts)
{
    HFONT *all[] = {&fonts->body, &fonts->bold, &fonts->hint, &fonts->title};
    for (size_t i = 0; i < ARRAYSIZE(all); i++) {
        if (*all[i])
            DeleteObject(*all[i]);
        *all[i] = NULL;
    }
}

void um_demo_paint_fill(HDC dc, const RECT *rect, COLORREF color)
{
    HBRUSH brush = CreateSolidBrush(color);
    FillRect(dc, rect, brush);
    DeleteObject(brush);
}

void um_demo_paint_box(HDC dc, const RECT *rect, int radius, COLORREF fill, COLORREF line)
{
    HBRUSH brush = CreateSolidBrush(fill);
    HPEN pen = CreatePen(PS_SOLID, 1, line);
    HGDIOBJ old_brush = SelectObject(dc, brush);
    HGDIOBJ old_pen = SelectObject(dc, pen);
    RoundRect(dc, rect->left, rect->top, rect->right, rect->bottom, radius * 2, radius * 2);
    SelectObject(dc, old_pen);
    SelectObject(dc, old_brush);
    DeleteObject(pen);
    DeleteObject(brush);
}

void um_demo_paint_text(HDC dc, const RECT *rect, HFONT font, COLORREF color, UINT format,
                        const wchar_t *text)
{
    RECT area = *rect;
    HGDIOBJ old = SelectObject(dc, font);
    SetBkMode(dc, TRANSPARENT);
    SetTextColor(dc, color);
    /* Wine draws small letters a little wider than it measures them: what is aligned to the right
     * would lose its last one without DT_NOCLIP. */
    DrawTextW(dc, text, -1, &area,
              format | DT_SINGLELINE | DT_VCENTER | DT_NOPREFIX | DT_END_ELLIPSIS | DT_NOCLIP);
    SelectObject(dc, old);
}

/* `part` of 255 of `a`, the rest of `b`. */
static COLORREF mix(COLORREF a, COLORREF b, int part)
{
    int red = (GetRValue(a) * part + GetRValue(b) * (255 - part)) / 255;
    int green = (GetGValue(a) * part + GetGValue(b) * (255 - part)) / 255;
    int blue = (GetBValue(a) * part + GetBValue(b) * (255 - part)) / 255;
    return RGB(red, green, blue);
}

void um_demo_paint_button(const DRAWITEMSTRUCT *item, COLORREF accent, COLORREF back, HFONT font,
                          UINT dpi, bool active)
{
    wchar_t text[64];
    RECT rect = item->rcItem;
    bool pressed = active || (item->itemState & ODS_SELECTED);
    um_demo_paint_fill(item->hDC, &rect, back);
    um_demo_paint_box(item->hDC, &rect, um_demo_paint_scale(4, dpi),
                      pressed ? accent : mix(accent, back, 22),
                      pressed ? accent : mix(accent, back, 110));
    if ((item->itemState & ODS_FOCUS) && !pressed) {
        InflateRect(&rect, -1, -1);
        um_demo_paint_box(item->hDC, &rect, um_demo_paint_scale(3, dpi), mix(accent, back, 22),
                          accent);
    }
    GetWindowTextW(item->hwndItem, text, ARRAYSIZE(text));
    um_demo_paint_text(item->hDC, &item->rcItem, font, pressed ? back : accent, DT_CENTER, text);
}

void um_demo_paint_window(HWND hwnd, void (*draw)(HWND hwnd, HDC dc, const RECT *client, void *arg),
                          void *arg)
{
    PAINTSTRUCT paint;
    RECT client;
    HDC dc = BeginPaint(hwnd, &paint);
    GetClientRect(hwnd, &client);
    HDC memory = CreateCompatibleDC(dc);
    HBITMAP bitmap = CreateCompatibleBitmap(dc, client.right, client.bottom);
    if (memory && bitmap) {
        HGDIOBJ old = SelectObject(memory, bitmap);
        draw(hwnd, memory, &client, arg);
        BitBlt(dc, paint.rcPaint.left, paint.rcPaint.top, paint.rcPaint.right - paint.rcPaint.left,
               paint.rcPaint.bottom - paint.rcPaint.top, memory, paint.rcPaint.left,
               paint.rcPaint.top, SRCCOPY);
        SelectObject(memory, old);
    }
    if (bitmap)
        DeleteObject(bitmap);
    if (memory)
        DeleteDC(memory);
    EndPaint(hwnd, &paint);
}
