#include "overlay/anchor.h"

#include <limits.h>
#include <math.h>

#include "overlay/paint.h"

#define COMPACT_MARGIN 12 /* px at 100 %, from the edges of the target */
#define CORNER_RADIUS 8   /* px at 100 %, of a window of Windows 11 */
#define SHARE_OF_TARGET 4 /* of the target's height, which a strip takes at most by itself */

static int width_of(const struct um_anchor_rect *rect)
{
    return rect->right - rect->left;
}

static int height_of(const struct um_anchor_rect *rect)
{
    return rect->bottom - rect->top;
}

static int common(int a_from, int a_to, int b_from, int b_to)
{
    int from = a_from > b_from ? a_from : b_from, to = a_to < b_to ? a_to : b_to;
    return to > from ? to - from : 0;
}

long long um_anchor_common_area(const struct um_anchor_rect *a, const struct um_anchor_rect *b)
{
    return (long long)common(a->left, a->right, b->left, b->right) *
           common(a->top, a->bottom, b->top, b->bottom);
}

bool um_anchor_hides(const struct um_anchor_rect *overlay, long long common_area)
{
    return common_area * 10 > um_anchor_common_area(overlay, overlay);
}

static bool contains(const struct um_anchor_rect *outer, const struct um_anchor_rect *inner)
{
    return outer->left <= inner->left && outer->top <= inner->top && outer->right >= inner->right &&
           outer->bottom >= inner->bottom;
}

/* The area of the target that is on the desktop and not under the taskbar, so that the overlay of a
 * window that was pushed down is still visible. Of a full-screen window all is usable, because it
 * covers the taskbar. */
static struct um_anchor_rect usable_area(const struct um_anchor_view *view)
{
    struct um_anchor_rect usable = view->target;

    if (!view->has_display)
        return usable;
    if (contains(&view->target, &view->display))
        return view->display;
    if (usable.left < view->desktop_left)
        usable.left = view->desktop_left;
    if (usable.right > view->desktop_right)
        usable.right = view->desktop_right;
    if (usable.top < view->work.top)
        usable.top = view->work.top;
    if (usable.bottom > view->work.bottom)
        usable.bottom = view->work.bottom;
    return usable;
}

/* Narrows the bounds of an overlay that stands alone, which is not as wide as the display. */
static void narrow(struct um_anchor_rect *usable, double scale)
{
    int width = (int)lround(UM_LAYER_ALONE_WIDTH * scale);

    if (width_of(usable) <= width)
        return;
    usable->left += (width_of(usable) - width) / 2;
    usable->right = usable->left + width;
}

static bool is_left(enum um_overlay_position position)
{
    return position == UM_OVERLAY_TOP_LEFT || position == UM_OVERLAY_BOTTOM_LEFT;
}

/* How high the look is by itself. The rows of the compact panel take the place of one of its lines.
 * Units: px at 100 %. */
static int look_height(const struct um_anchor_view *view)
{
    const struct um_layer_options *options = &view->options;

    if (options->look == UM_OVERLAY_BAR)
        return UM_OVERLAY_BAR_HEIGHT;
    if (options->look == UM_OVERLAY_COMPACT)
        return UM_OVERLAY_COMPACT_HEIGHT +
               (options->rows > 1 ? options->rows - 1 : 0) * UM_OVERLAY_ROW_HEIGHT;
    return view->opaque ? UM_OVERLAY_OPAQUE_HEIGHT : UM_OVERLAY_STRIP_HEIGHT;
}

/* How high the overlay is to be. */
static int wanted_height(const struct um_anchor_view *view, double scale)
{
    int height = view->options.height > 0 ? view->options.height : look_height(view);
    return (int)lround((height + view->more_height) * scale);
}

/* Places the compact box into its corner of the usable area. */
static struct um_anchor_rect lay_out_compact(const struct um_anchor_view *view,
                                             struct um_anchor_rect usable, double scale)
{
    int margin = (int)lround(COMPACT_MARGIN * scale);
    int width = (int)lround(UM_OVERLAY_COMPACT_WIDTH * scale);
    int height = wanted_height(view, scale);
    struct um_anchor_rect rect = {usable.left + margin, usable.top + margin, usable.right - margin,
                                  usable.bottom - margin};

    if (width < width_of(&rect) && is_left(view->options.position))
        rect.right = rect.left + width;
    else if (width < width_of(&rect))
        rect.left = rect.right - width;
    if (height < height_of(&rect) && um_overlay_is_top(view->options.position))
        rect.bottom = rect.top + height;
    else if (height < height_of(&rect))
        rect.top = rect.bottom - height;
    return rect;
}

/* Places a strip or bar along the upper or lower edge. */
static struct um_anchor_rect lay_out_across(const struct um_anchor_view *view,
                                            struct um_anchor_rect rect, double scale)
{
    int height = wanted_height(view, scale);

    if (view->alone)
        narrow(&rect, scale);
    if (height > height_of(&rect) / 2)
        height = height_of(&rect) / 2;
    if (um_overlay_is_top(view->options.position))
        rect.bottom = rect.top + height;
    else
        rect.top = rect.bottom - height;
    return rect;
}

/* Finds the corners of the overlay that lie in corners of the target. Windows 11 rounds those of
 * most windows, and the overlay must not stick out of them. A program cannot ask which it rounds,
 * except that it never rounds a maximised or full-screen one. A needlessly rounded corner does no
 * harm. */
static unsigned find_corners(const struct um_anchor_view *view, const struct um_anchor_rect *layer)
{
    const struct um_anchor_rect *target = &view->target;
    bool left = layer->left == target->left, right = layer->right == target->right;
    bool top = layer->top == target->top, bottom = layer->bottom == target->bottom;

    if (view->opaque)
        return 0; /* a corner that is cut off would be black */
    if (view->options.look == UM_OVERLAY_COMPACT)
        return UM_PAINT_ALL_CORNERS; /* because it looks better */
    if (view->alone || view->maximised)
        return 0;
    return (left && top ? UM_PAINT_TOP_LEFT : 0u) | (right && top ? UM_PAINT_TOP_RIGHT : 0u) |
           (left && bottom ? UM_PAINT_BOTTOM_LEFT : 0u) |
           (right && bottom ? UM_PAINT_BOTTOM_RIGHT : 0u);
}

struct um_anchor_rect um_anchor_beside(const struct um_anchor_rect *area,
                                       const struct um_anchor_rect *overlay,
                                       enum um_overlay_position position)
{
    struct um_anchor_rect left = *area;

    if (um_overlay_is_top(position))
        left.top = overlay->bottom;
    else
        left.bottom = overlay->top;
    return left;
}

/* Whether all of a rectangle lies on displays, none of which overlap. */
static bool is_on_displays(const struct um_anchor_view *view, const struct um_anchor_rect *rect)
{
    long long seen = 0;
    for (size_t i = 0; i < view->display_count; i++)
        seen += um_anchor_common_area(&view->displays[i], rect);
    return view->display_count == 0 || seen >= um_anchor_common_area(rect, rect);
}

static void lay_out_within(const struct um_anchor_view *view, struct um_anchor_rect usable,
                           struct um_anchor_place *place)
{
    double scale = place->scale;

    /* Below the title bar: where the client area begins. */
    if (um_overlay_is_top(view->options.position) && view->has_client_top &&
        view->client_top > usable.top &&
        view->client_top + wanted_height(view, scale) < usable.bottom)
        usable.top = view->client_top;
    place->rect = view->options.look == UM_OVERLAY_COMPACT ? lay_out_compact(view, usable, scale)
                                                           : lay_out_across(view, usable, scale);
}

/* Lays out the look of the options, which is not AUTO, at their position. */
static void lay_out(const struct um_anchor_view *view, struct um_anchor_place *place)
{
    struct um_anchor_view alone = *view;

    place->look = view->options.look;
    place->position = view->options.position;
    place->scale = view->options.scale > 0 ? view->options.scale : view->display_scale;
    lay_out_within(view, usable_area(view), place);
    if (view->has_display && !is_on_displays(view, &place->rect)) {
        alone.desktop_left = view->display.left;
        alone.desktop_right = view->display.right;
        lay_out_within(view, usable_area(&alone), place);
    }
    place->corners = find_corners(view, &place->rect);
    place->radius = (int)lround(CORNER_RADIUS * view->display_scale);
}

/* How much of the target's buttons an overlay hides. Units: px². */
static long long hidden_buttons(const struct um_anchor_view *view,
                                const struct um_anchor_rect *overlay)
{
    long long area = 0;
    for (size_t i = 0; i < view->button_count; i++)
        area += um_anchor_common_area(&view->buttons[i], overlay);
    return area;
}

/* Whether a strip is in the way, at the position of the options. The rows of the profile do not
 * count: the user has asked for them. */
static bool is_in_the_way(const struct um_anchor_view *view)
{
    struct um_anchor_view strip = *view;
    struct um_anchor_rect usable = usable_area(view);
    struct um_anchor_place place;

    if (view->alone || view->options.height > 0)
        return false;
    strip.options.look = UM_OVERLAY_STRIP;
    strip.more_height = 0;
    lay_out(&strip, &place);
    return height_of(&place.rect) * SHARE_OF_TARGET > height_of(&usable) ||
           hidden_buttons(view, &place.rect) > 0;
}

/* Whether AUTO may put the compact panel into this corner. */
static bool is_free(const struct um_anchor_view *view, enum um_overlay_position corner)
{
    enum um_overlay_position asked = view->options.position;

    if (asked == UM_OVERLAY_BOTTOM && !view->moved)
        return true;
    if (asked == UM_OVERLAY_BOTTOM || asked == UM_OVERLAY_TOP)
        return um_overlay_is_top(corner) == um_overlay_is_top(asked);
    return corner == asked;
}

/* Lays out the compact panel in the corner in which it hides least of the target's buttons. */
static void lay_out_in_corner(const struct um_anchor_view *view, struct um_anchor_place *place)
{
    static const enum um_overlay_position corners[] = {
        UM_OVERLAY_BOTTOM_RIGHT, UM_OVERLAY_BOTTOM_LEFT, UM_OVERLAY_TOP_RIGHT, UM_OVERLAY_TOP_LEFT};
    struct um_anchor_view panel = *view;
    long long least = LLONG_MAX;

    panel.options.look = UM_OVERLAY_COMPACT;
    for (size_t i = 0; i < sizeof corners / sizeof corners[0]; i++) {
        struct um_anchor_place tried;
        if (!is_free(view, corners[i]))
            continue;
        panel.options.position = corners[i];
        lay_out(&panel, &tried);
        long long hidden = hidden_buttons(view, &tried.rect);
        if (hidden < least) {
            *place = tried;
            least = hidden;
        }
    }
}

/* The position at the other edge, on the same side. */
static enum um_overlay_position opposite(enum um_overlay_position position)
{
    static const enum um_overlay_position opposites[] = {
        [UM_OVERLAY_BOTTOM] = UM_OVERLAY_TOP,
        [UM_OVERLAY_TOP] = UM_OVERLAY_BOTTOM,
        [UM_OVERLAY_BOTTOM_RIGHT] = UM_OVERLAY_TOP_RIGHT,
        [UM_OVERLAY_BOTTOM_LEFT] = UM_OVERLAY_TOP_LEFT,
        [UM_OVERLAY_TOP_RIGHT] = UM_OVERLAY_BOTTOM_RIGHT,
        [UM_OVERLAY_TOP_LEFT] = UM_OVERLAY_BOTTOM_LEFT};
    return opposites[position];
}

void um_anchor_lay_out(const struct um_anchor_view *view, struct um_anchor_place *place)
{
    struct um_anchor_view found = *view;

    if (view->moved) { /* to the other edge than where it would be, which need not be as asked */
        struct um_anchor_view stays = *view;
        stays.moved = false;
        um_anchor_lay_out(&stays, place);
        if (um_overlay_is_top(place->position) == um_overlay_is_top(view->options.position))
            found.options.position = opposite(view->options.position);
    }
    if (view->options.look == UM_OVERLAY_AUTO && is_in_the_way(&found)) {
        lay_out_in_corner(&found, place);
        return;
    }
    if (view->options.look == UM_OVERLAY_AUTO)
        found.options.look = UM_OVERLAY_STRIP;
    lay_out(&found, place);
}
