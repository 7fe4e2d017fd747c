#include "overlay/frame.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DPI 96.0
#define MM_PER_INCH 25.4
#define LEAST_SCALE 0.5
#define MOST_SCALE 8.0
#define LEAST_MM                                                                                   \
    170 /* smaller displays of a desktop do not exist: what they say is an aspect ratio */

void um_frame_bounds(const struct um_frame_view *view, struct um_anchor_rect *bounds,
                     int *client_top)
{
    struct um_anchor_rect seen = view->client;

    seen.left += view->shadow.left;
    seen.right -= view->shadow.right;
    seen.top += view->shadow.top;
    seen.bottom -= view->shadow.bottom;
    *client_top = seen.top;
    if (view->shadow.top == 0)
        seen.top = view->has_border ? seen.top - view->border.top : view->frame.top;
    *bounds = seen;
}

size_t um_frame_display_of(const struct um_frame_display *displays, size_t count,
                           const struct um_anchor_rect *rect)
{
    size_t best = 0;
    long long most = 0;

    for (size_t i = 0; i < count; i++)
        if (displays[i].primary) {
            best = i;
            break;
        }
    for (size_t i = 0; rect && i < count; i++) {
        long long area = um_anchor_common_area(&displays[i].rect, rect);
        if (area > most) {
            most = area;
            best = i;
        }
    }
    return best;
}

/* The value of Xft.dpi in lines such as "Xft.dpi:\t192"; 0: there is none. */
static double find_dpi(const char *resources, size_t len_bytes)
{
    static const char name[] = "Xft.dpi:";
    const char *at = resources, *end = resources + len_bytes;

    while (at < end) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        size_t len = (size_t)((line_end ? line_end : end) - at);
        char value[32] = "";
        if (len > sizeof name - 1 && memcmp(at, name, sizeof name - 1) == 0 &&
            len - (sizeof name - 1) < sizeof value) {
            memcpy(value, at + sizeof name - 1, len - (sizeof name - 1));
            double dpi = strtod(value, NULL);
            return dpi > 0 && dpi < 10000 ? dpi : 0;
        }
        at += len + 1;
    }
    return 0;
}

/* By the display's own size. Programs that go by it use whole numbers. */
static double physical_scale(const struct um_frame_display *display)
{
    if (display->width_mm < LEAST_MM)
        return 1;
    double dpi = (display->rect.right - display->rect.left) * MM_PER_INCH / display->width_mm;
    return dpi < 2 * DPI ? 1 : floor(dpi / DPI);
}

double um_frame_scale(const char *resources, size_t len_bytes,
                      const struct um_frame_display *display)
{
    double dpi = find_dpi(resources, len_bytes);
    double scale = dpi > 0 ? dpi / DPI : physical_scale(display);
    return scale < LEAST_SCALE ? LEAST_SCALE : scale > MOST_SCALE ? MOST_SCALE : scale;
}

bool um_frame_any_over(const struct um_frame_window *windows, size_t count,
                       const struct um_anchor_rect *rect)
{
    for (size_t i = 0; i < count; i++)
        if (windows[i].shown && !windows[i].ours &&
            um_anchor_common_area(&windows[i].rect, rect) > 0)
            return true;
    return false;
}
