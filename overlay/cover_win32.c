#include "overlay/cover_win32.h"

#include <dwmapi.h>
#include <stdlib.h>
#include <wchar.h>

#include "base/plain/clock.h"

#define MIN_OVERLAP 4 /* px: an auto-hidden taskbar leaves a sliver of 2 on the screen */
#define FAINT 26      /* of 255: a window that is less opaque hides nothing */
#define BAND 128      /* px: so many rows in the middle stand for all */
#define STEP 4        /* px, between two pixels that are compared */
#define ROUNDING 3    /* of 255: so much may a colour differ */
#define SHINES_MIN 32 /* of 255: what lies above must let so much through */
#define SETTLE_NS                                                                                  \
    (600 * UM_CLOCK_NS_PER_MS)            /* a window that comes is looked at when it is so old */
#define FORGET_NS (5 * UM_CLOCK_NS_PER_S) /* after this without a question it is new again */
#define REGION_BYTES 8192 /* of a larger region only the rectangle around it is known */

bool um_cover_is_cloaked(HWND window)
{
    DWORD cloaked = 0;

    return SUCCEEDED(DwmGetWindowAttribute(window, DWMWA_CLOAKED, &cloaked, sizeof cloaked)) &&
           cloaked != 0;
}

/* GetWindowRect includes invisible borders: 7 px on three sides; of a maximised window 8 px, which
 * reach over the next display. Wine does not have this attribute. */
bool um_cover_bounds(HWND window, RECT *bounds)
{
    return SUCCEEDED(
        DwmGetWindowAttribute(window, DWMWA_EXTENDED_FRAME_BOUNDS, bounds, sizeof *bounds));
}

static bool has_style(HWND window, LONG_PTR styles)
{
    return (GetWindowLongPtrW(window, GWL_EXSTYLE) & styles) == styles;
}

static bool is_ghost(HWND window)
{
    wchar_t name[16];
    return GetClassNameW(window, name, ARRAYSIZE(name)) > 0 && wcscmp(name, L"Ghost") == 0;
}

static bool overlap(const RECT *a, const RECT *b, RECT *common)
{
    return IntersectRect(common, a, b) && common->right - common->left >= MIN_OVERLAP &&
           common->bottom - common->top >= MIN_OVERLAP;
}

static long long area_of(const RECT *rect)
{
    return (long long)(rect->right - rect->left) * (rect->bottom - rect->top);
}

static void add_piece(struct um_cover *cover, const RECT *piece)
{
    cover->area += area_of(piece);
    cover->pieces[cover->count++] = *piece;
}

/* Regions -------------------------------------------------------------------------------------- */

union region {
    RGNDATA data;
    char bytes[REGION_BYTES];
};

/* A rectangle of a window's region, on the screen. Of a window that is laid out from the right,
 * the region is too. */
static RECT place_piece(const RECT *piece, const RECT *outer, bool from_right)
{
    RECT placed = *piece;
    if (from_right) {
        LONG width = outer->right - outer->left;
        placed.left = width - piece->right;
        placed.right = width - piece->left;
    }
    OffsetRect(&placed, outer->left, outer->top);
    return placed;
}

/* Adds the pieces of a window's region that lie in `part`. False: it has no region, or one of too
 * many pieces. */
static bool add_region(HWND window, const RECT *part, struct um_cover *cover)
{
    union region region;
    RECT outer, seen;
    HRGN handle = CreateRectRgn(0, 0, 0, 0);
    DWORD bytes = 0;

    if (handle && GetWindowRgn(window, handle) != ERROR)
        bytes = GetRegionData(handle, sizeof region, &region.data);
    if (handle)
        DeleteObject(handle);
    if (bytes == 0 || bytes > sizeof region || !GetWindowRect(window, &outer))
        return false;
    const RECT *pieces = (const RECT *)region.data.Buffer;
    for (DWORD i = 0; i < region.data.rdh.nCount; i++) {
        RECT piece = place_piece(&pieces[i], &outer, has_style(window, WS_EX_LAYOUTRTL));
        if (!IntersectRect(&seen, &piece, part))
            continue;
        if (cover->count == UM_COVER_PIECES) {
            *cover = (struct um_cover){0};
            return false;
        }
        add_piece(cover, &seen);
    }
    return true;
}

/* Adds the rectangle around a window's region, of which the pieces are too many. */
static void add_box(HWND window, const RECT *box, const RECT *part, struct um_cover *cover)
{
    RECT outer, seen;
    if (!GetWindowRect(window, &outer))
        return;
    const RECT placed = place_piece(box, &outer, has_style(window, WS_EX_LAYOUTRTL));
    if (IntersectRect(&seen, &placed, part))
        add_piece(cover, &seen);
}

/* Pixels --------------------------------------------------------------------------------------- */

/* A picture of a part of the screen or of a window. */
struct shot {
    HDC dc;
    HBITMAP bitmap;
    HGDIOBJ old;
    uint32_t *pixels;
    int width, height;
};

static bool open_shot(int width, int height, struct shot *shot)
{
    BITMAPINFO info = {.bmiHeader = {.biSize = sizeof info.bmiHeader,
                                     .biWidth = width,
                                     .biHeight = -height, /* top row first */
                                     .biPlanes = 1,
                                     .biBitCount = 32,
                                     .biCompression = BI_RGB}};
    void *pixels = NULL;

    *shot = (struct shot){.dc = CreateCompatibleDC(NULL), .width = width, .height = height};
    shot->bitmap = CreateDIBSection(NULL, &info, DIB_RGB_COLORS, &pixels, NULL, 0);
    shot->pixels = pixels;
    if (shot->dc && shot->bitmap)
        shot->old = SelectObject(shot->dc, shot->bitmap);
    return shot->old != NULL;
}

static void close_shot(struct shot *shot)
{
    if (shot->old)
        SelectObject(shot->dc, shot->old);
    if (shot->bitmap)
        DeleteObject(shot->bitmap);
    if (shot->dc)
        DeleteDC(shot->dc);
}

/* Copies what the system keeps of a window, or the screen if `window` is NULL. Under Wine the X
 * server refuses this of a window that is not mapped, and then Wine ends uimon-overlay. So only
 * windows that have been there for a while are asked for (look_of). */
static bool take_shot(HWND window, int x, int y, struct shot *shot)
{
    HDC from = window ? GetWindowDC(window) : GetDC(NULL);
    BOOL taken = from && BitBlt(shot->dc, 0, 0, shot->width, shot->height, from, x, y, SRCCOPY);

    if (from)
        ReleaseDC(window, from);
    GdiFlush();
    return taken != 0;
}

static int channel(uint32_t pixel, int shift)
{
    return (int)(pixel >> shift & 0xff);
}

/* Whether the screen shows a window's pixel below one of what lies above. */
static bool shows_through(uint32_t screen, uint32_t pixel, uint32_t above)
{
    int shines = 255 - channel(above, 24);
    for (int shift = 0; shift < 24; shift += 8) {
        int expected = channel(above, shift) + channel(pixel, shift) * shines / 255;
        if (abs(channel(screen, shift) - expected) > ROUNDING)
            return false;
    }
    return true;
}

/* A black pixel may be one of which there is nothing. */
static bool is_drawn(uint32_t pixel, uint32_t key)
{
    return (pixel & 0xffffff) != 0 && (pixel & 0xffffff) != key;
}

static bool has_drawn(const struct shot *own, uint32_t key)
{
    for (int y = 0; y < own->height; y += STEP)
        for (int x = 0; x < own->width; x += STEP)
            if (is_drawn(own->pixels[y * own->width + x], key))
                return true;
    return false;
}

static uint32_t above_at(const struct um_canvas *above, int x, int y)
{
    return above && x < above->width && y < above->height ? um_canvas_row(above, y)[x] : 0;
}

/* How much of a window's picture is on the screen: 0 to 1. `x` and `y`: where the upper left corner
 * of both pictures is in `above`, which may lie above the window or below it. */
static double share_seen(const struct shot *own, const struct shot *screen, uint32_t key,
                         const struct um_canvas *above, int x, int y)
{
    size_t seen = 0, of = 0;
    for (int row = 0; row < own->height; row += STEP)
        for (int column = 0; column < own->width; column += STEP) {
            size_t at = (size_t)row * (size_t)own->width + (size_t)column;
            uint32_t over = above_at(above, x + column, y + row), pixel = own->pixels[at];
            bool is_bare = shows_through(screen->pixels[at], pixel, 0);
            if (!is_bare && 255 - channel(over, 24) < SHINES_MIN)
                continue;
            of++;
            seen +=
                is_drawn(pixel, key) && (is_bare || shows_through(screen->pixels[at], pixel, over));
        }
    return of > 0 ? (double)seen / (double)of : 0;
}

/* The same of a window, in `part` of the rectangle. The screen is read only if there is something
 * in the window, because that takes longer. */
static double compare_pixels(HWND window, const RECT *rect, const RECT *part, uint32_t key,
                             const struct um_canvas *above)
{
    struct shot own = {0}, screen = {0};
    double share = 0;
    RECT outer;
    int width = part->right - part->left, height = part->bottom - part->top;
    int x = part->left, y = part->top;

    if (height > BAND) {
        y += (height - BAND) / 2;
        height = BAND;
    }
    if (GetWindowRect(window, &outer) && open_shot(width, height, &own) &&
        take_shot(window, x - outer.left, y - outer.top, &own) && has_drawn(&own, key) &&
        open_shot(width, height, &screen) && take_shot(NULL, x, y, &screen))
        share = share_seen(&own, &screen, key, above, x - rect->left, y - rect->top);
    close_shot(&own);
    close_shot(&screen);
    return share;
}

/* Forgets a window that has gone: if it is shown again, it has to settle again. */
static void forget(struct um_cover_looks *looks, HWND window)
{
    for (size_t i = 0; i < UM_COVER_LOOKS; i++)
        if (looks->list[i].window == window)
            looks->list[i] = (struct um_cover_look){0};
}

/* What is known of a window. If that is nothing, the entry that was asked for longest ago becomes
 * its own. */
static struct um_cover_look *look_of(struct um_cover_looks *looks, HWND window, uint64_t now_ns)
{
    struct um_cover_look *look = &looks->list[0];
    for (size_t i = 0; i < UM_COVER_LOOKS && look->window != window; i++)
        if (looks->list[i].window == window || looks->list[i].asked_ns < look->asked_ns)
            look = &looks->list[i];
    /* Under Wine one that has just come may not be mapped yet (take_shot). */
    if (look->window != window || now_ns - look->asked_ns > FORGET_NS)
        *look = (struct um_cover_look){.window = window, .until_ns = now_ns + SETTLE_NS};
    look->asked_ns = now_ns;
    return look;
}

/* Adds what the pixels of a window tell. A window of which less than half is seen is taken for one
 * with holes: it hides no piece as a whole. */
static void add_pixels(struct um_cover_looks *looks, HWND window, const RECT *rect,
                       const RECT *part, uint32_t key, const struct um_canvas *above,
                       struct um_cover *cover)
{
    uint64_t now_ns = um_clock_now_ns();
    struct um_cover_look *look = look_of(looks, window, now_ns);

    if (now_ns >= look->until_ns) {
        look->share = compare_pixels(window, rect, part, key, above);
        look->until_ns = now_ns + UM_CLOCK_NS_PER_S;
    }
    if (look->share >= 0.5)
        cover->pieces[cover->count++] = *part;
    cover->area += (long long)(look->share * (double)area_of(part));
}

/* Finding it ----------------------------------------------------------------------------------- */

#define NO_KEY UINT32_MAX

/* How a window's pixels become transparent. */
struct layering {
    bool by_pixel; /* each by itself */
    BYTE alpha;    /* else all by so much */
    uint32_t key;  /* pixels of this colour are; NO_KEY: none */
};

static struct layering layering_of(HWND window)
{
    struct layering layering = {.alpha = 255, .key = NO_KEY};
    COLORREF key;
    BYTE alpha;
    DWORD flags;

    if (!has_style(window, WS_EX_LAYERED))
        return layering;
    if (!GetLayeredWindowAttributes(window, &key, &alpha, &flags)) {
        layering.by_pixel = true; /* UpdateLayeredWindow, or nothing yet: then it shows nothing */
        return layering;
    }
    if ((flags & LWA_ALPHA) != 0)
        layering.alpha = alpha;
    if ((flags & LWA_COLORKEY) != 0) {
        layering.by_pixel = true;
        layering.key = (uint32_t)(GetRValue(key) << 16 | GetGValue(key) << 8 | GetBValue(key));
    }
    return layering;
}

/* Whether a window lets clicks through, as an overlay does. Such a window hides nothing. */
static bool lets_through(HWND window)
{
    return has_style(window, WS_EX_LAYERED | WS_EX_TRANSPARENT);
}

/* What of the rectangle a window may hide by its bounds. */
static bool find_part(HWND window, const RECT *rect, RECT *part)
{
    RECT bounds;

    if (!IsWindowVisible(window) || IsIconic(window) || !GetWindowRect(window, &bounds) ||
        !overlap(&bounds, rect, part))
        return false;
    /* The frame lies within these bounds. Asking for it costs more, so it comes second. */
    return !um_cover_bounds(window, &bounds) || overlap(&bounds, rect, part);
}

bool um_cover_find(struct um_cover_looks *looks, HWND window, const RECT *rect,
                   const struct um_canvas *above, struct um_cover *cover)
{
    RECT part, box;

    *cover = (struct um_cover){0};
    if (looks && !IsWindowVisible(window))
        forget(looks, window);
    if (!find_part(window, rect, &part) || lets_through(window) || um_cover_is_cloaked(window) ||
        is_ghost(window))
        return false;
    struct layering layering = layering_of(window);
    if (layering.alpha < FAINT)
        return false;
    if (layering.by_pixel && looks)
        add_pixels(looks, window, rect, &part, layering.key, above, cover);
    else if (GetWindowRgnBox(window, &box) == ERROR)
        add_piece(cover, &part);
    else if (!add_region(window, &part, cover))
        add_box(window, &box, &part, cover);
    return cover->area > 0;
}
