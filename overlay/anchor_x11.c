#include "overlay/anchor_x11.h"

#include <stdlib.h>

#include "base/plain/clock.h"

#define REFRESH_NS                                                                                 \
    UM_CLOCK_NS_PER_S /* display, scale and frame are looked up at least this often */
#define MIN_WIDTH 32
#define MIN_HEIGHT 12
#define DEEPEST 32 /* windows around the target: managers have two or three */
#define WINDOWS 64 /* between the target and the overlay, that are looked at */
#define STATES 32
#define EDGES 4
#define ALL_DESKTOPS UINT32_C(0xffffffff)
#define WITHDRAWN 0 /* of WM_STATE (ICCCM 4.1.3.1), beside normal (1) and iconic (3) */
#define ICONIC 3
#define WORK_WORDS 256

/* Following ------------------------------------------------------------------------------------ */

void um_anchor_init(const struct um_screen *screen, const struct um_layer_options *options,
                    struct um_anchor *anchor)
{
    const uint32_t events[] = {XCB_EVENT_MASK_SUBSTRUCTURE_NOTIFY | XCB_EVENT_MASK_PROPERTY_CHANGE};

    *anchor = (struct um_anchor){.screen = screen, .options = *options};
    anchor->place.scale = options->scale > 0 ? options->scale : 1;
    /* Each window of the desktop that is moved, raised, shown or hidden. */
    xcb_change_window_attributes(screen->connection, screen->root, XCB_CW_EVENT_MASK, events);
}

static void listen(const struct um_anchor *anchor, uint32_t events)
{
    if (anchor->target)
        xcb_change_window_attributes(anchor->screen->connection, anchor->target, XCB_CW_EVENT_MASK,
                                     &events);
}

void um_anchor_follow(struct um_anchor *anchor, xcb_window_t target)
{
    listen(anchor, 0);
    anchor->target = target;
    anchor->alone = target == XCB_WINDOW_NONE;
    anchor->frame = XCB_WINDOW_NONE;
    anchor->has_bounds = false;
    listen(anchor, XCB_EVENT_MASK_STRUCTURE_NOTIFY | XCB_EVENT_MASK_PROPERTY_CHANGE);
}

/* The child of the root in which a window lies; XCB_WINDOW_NONE if it is gone. */
static xcb_window_t find_frame(const struct um_screen *screen, xcb_window_t window)
{
    for (int depth = 0; depth < DEEPEST; depth++) {
        xcb_query_tree_reply_t *tree = xcb_query_tree_reply(
            screen->connection, xcb_query_tree(screen->connection, window), NULL);
        xcb_window_t parent = tree ? tree->parent : (xcb_window_t)XCB_WINDOW_NONE;
        free(tree);
        if (parent == screen->root)
            return window;
        if (parent == XCB_WINDOW_NONE)
            break;
        window = parent;
    }
    return XCB_WINDOW_NONE;
}

/* The target --------------------------------------------------------------------------------- */

static bool take_viewable(const struct um_screen *screen, xcb_get_window_attributes_cookie_t cookie)
{
    xcb_get_window_attributes_reply_t *reply =
        xcb_get_window_attributes_reply(screen->connection, cookie, NULL);
    bool viewable = reply && reply->map_state == XCB_MAP_STATE_VIEWABLE;
    free(reply);
    return viewable;
}

static bool has_state(const struct um_anchor *anchor, const uint32_t *states, size_t count,
                      enum um_screen_atom atom)
{
    for (size_t i = 0; i < count; i++)
        if (states[i] == anchor->screen->atoms[atom])
            return true;
    return false;
}

/* Whether the target is on the screen. Most window managers unmap what is iconified or on another
 * workspace. Those that are compositors as well keep it mapped, for previews: Mutter then says that
 * it is iconic, and KWin and Enlightenment take the clicks away from the frame. That the target's
 * workspace is not the current one does not say that it is hidden: with several displays, i3 shows
 * a workspace on each of them, and the current one is that of the display with the focus. */
static bool is_on_screen(struct um_anchor *anchor)
{
    const struct um_screen *screen = anchor->screen;
    const xcb_atom_t *atoms = screen->atoms;
    const xcb_window_t target = anchor->target;
    uint32_t states[STATES], state = 1, on = ALL_DESKTOPS, current = 0;

    xcb_get_window_attributes_cookie_t shown =
        xcb_get_window_attributes(screen->connection, target);
    xcb_get_property_cookie_t state_cookie =
        um_screen_ask(screen, target, atoms[UM_SCREEN_WM_STATE], 1);
    xcb_get_property_cookie_t states_cookie =
        um_screen_ask(screen, target, atoms[UM_SCREEN_NET_WM_STATE], STATES);
    xcb_get_property_cookie_t on_cookie =
        um_screen_ask(screen, target, atoms[UM_SCREEN_NET_WM_DESKTOP], 1);
    xcb_get_property_cookie_t current_cookie =
        um_screen_ask(screen, screen->root, atoms[UM_SCREEN_NET_CURRENT_DESKTOP], 1);
    bool viewable = take_viewable(screen, shown);
    um_screen_words(screen, state_cookie, &state, 1);
    size_t count = um_screen_words(screen, states_cookie, states, STATES);
    um_screen_words(screen, on_cookie, &on, 1);
    if (um_screen_words(screen, current_cookie, &current, 1) == 0)
        on = ALL_DESKTOPS;
    anchor->maximised = has_state(anchor, states, count, UM_SCREEN_FULLSCREEN) ||
                        (has_state(anchor, states, count, UM_SCREEN_MAXIMIZED_VERT) &&
                         has_state(anchor, states, count, UM_SCREEN_MAXIMIZED_HORZ));
    return viewable && state != WITHDRAWN && state != ICONIC &&
           !has_state(anchor, states, count, UM_SCREEN_HIDDEN) &&
           (on == ALL_DESKTOPS || on == current || um_screen_takes_clicks(screen, anchor->frame));
}

static bool take_edges(const struct um_screen *screen, xcb_get_property_cookie_t cookie,
                       struct um_frame_edges *edges)
{
    uint32_t words[EDGES];
    if (um_screen_words(screen, cookie, words, EDGES) != EDGES)
        return false;
    *edges = (struct um_frame_edges){(int)(words[0] & 0xffff), (int)(words[1] & 0xffff),
                                     (int)(words[2] & 0xffff), (int)(words[3] & 0xffff)};
    return true;
}

/* Where the target is for the eye; false if it is gone. */
static bool find_bounds(struct um_anchor *anchor, struct um_anchor_rect *bounds)
{
    const struct um_screen *screen = anchor->screen;
    struct um_frame_view view = {.has_border = false};
    xcb_get_property_cookie_t border =
        um_screen_ask(screen, anchor->target, screen->atoms[UM_SCREEN_NET_FRAME_EXTENTS], EDGES);
    xcb_get_property_cookie_t shadow =
        um_screen_ask(screen, anchor->target, screen->atoms[UM_SCREEN_GTK_FRAME_EXTENTS], EDGES);
    bool found = um_screen_rect(screen, anchor->target, &view.client);

    view.has_border = take_edges(screen, border, &view.border);
    take_edges(screen, shadow, &view.shadow);
    if (!found)
        return false;
    if (!um_screen_rect(screen, anchor->frame, &view.frame))
        view.frame = view.client;
    um_frame_bounds(&view, bounds, &anchor->client_top);
    return true;
}

/* Around it ---------------------------------------------------------------------------------- */

/* The area that no panel covers, of all displays together (_NET_WORKAREA has it for each
 * workspace). */
static struct um_anchor_rect work_area(const struct um_screen *screen,
                                       const struct um_anchor_rect *display)
{
    uint32_t words[WORK_WORDS], current = 0;
    xcb_get_property_cookie_t areas =
        um_screen_ask(screen, screen->root, screen->atoms[UM_SCREEN_NET_WORKAREA], WORK_WORDS);
    xcb_get_property_cookie_t desktop =
        um_screen_ask(screen, screen->root, screen->atoms[UM_SCREEN_NET_CURRENT_DESKTOP], 1);
    size_t count = um_screen_words(screen, areas, words, WORK_WORDS) / EDGES;

    um_screen_words(screen, desktop, &current, 1);
    if (count == 0)
        return *display;
    const uint32_t *area = words + EDGES * (current < count ? current : 0);
    const struct um_canvas_rect work = {(int)area[0], (int)area[1], (int)area[2], (int)area[3]};
    const struct um_canvas_rect whole = {display->left, display->top,
                                         display->right - display->left,
                                         display->bottom - display->top};
    struct um_canvas_rect both = um_canvas_cut(&work, &whole);
    if (both.width == 0 || both.height == 0)
        return *display;
    return (struct um_anchor_rect){both.x, both.y, both.x + both.width, both.y + both.height};
}

static bool is_composited(const struct um_screen *screen)
{
    xcb_get_selection_owner_reply_t *reply = xcb_get_selection_owner_reply(
        screen->connection,
        xcb_get_selection_owner(screen->connection, screen->atoms[UM_SCREEN_COMPOSITOR]), NULL);
    bool owned = reply && reply->owner != XCB_WINDOW_NONE;
    free(reply);
    return owned;
}

/* Looks at what lies around the target, and lays the overlay out on it. */
static void lay_out(struct um_anchor *anchor, const struct um_anchor_rect *bounds)
{
    static char resources[UM_SCREEN_RESOURCES_BYTES];
    const struct um_screen *screen = anchor->screen;
    struct um_frame_display displays[UM_SCREEN_DISPLAYS];
    xcb_get_property_cookie_t text = um_screen_ask(screen, screen->root, XCB_ATOM_RESOURCE_MANAGER,
                                                   sizeof resources / sizeof(uint32_t));
    size_t len = um_screen_text(screen, text, resources, sizeof resources);
    size_t count = um_screen_displays(screen, displays);
    const struct um_frame_display *display =
        &displays[um_frame_display_of(displays, count, anchor->alone ? NULL : bounds)];
    struct um_anchor_view view = {.options = anchor->options,
                                  .more_height = anchor->more_height,
                                  .moved = anchor->moved,
                                  .alone = anchor->alone,
                                  .has_display = true,
                                  .display = display->rect,
                                  .work = work_area(screen, &display->rect),
                                  .display_scale = um_frame_scale(resources, len, display),
                                  .has_client_top = !anchor->alone,
                                  .client_top = anchor->client_top,
                                  .maximised = anchor->maximised};

    struct um_anchor_rect rects[UM_SCREEN_DISPLAYS];

    anchor->opaque = !screen->is_wayland && !is_composited(screen);
    view.opaque = anchor->opaque;
    anchor->bounds = anchor->alone ? view.work : *bounds;
    view.target = anchor->bounds;
    for (size_t i = 0; i < count; i++) {
        rects[i] = displays[i].rect;
        if (displays[i].rect.right > view.desktop_right)
            view.desktop_right = displays[i].rect.right;
    }
    view.displays = rects;
    view.display_count = count;
    um_anchor_lay_out(&view, &anchor->place);
    anchor->has_bounds = true;
}

/* Whether the overlay is to be shown; works out its rectangle if the target has moved. */
static bool locate(struct um_anchor *anchor, uint64_t now_ns)
{
    struct um_anchor_rect bounds = anchor->bounds;
    const struct um_anchor_rect *was = &anchor->bounds;
    bool maximised = anchor->maximised;
    bool due = !anchor->has_bounds || now_ns >= anchor->refresh_ns;

    if (!anchor->alone) {
        if (due || !anchor->frame)
            anchor->frame = find_frame(anchor->screen, anchor->target);
        if (!anchor->frame || !is_on_screen(anchor) || !find_bounds(anchor, &bounds))
            return false;
    }
    if (due || maximised != anchor->maximised || bounds.left != was->left ||
        bounds.top != was->top || bounds.right != was->right || bounds.bottom != was->bottom) {
        lay_out(anchor, &bounds);
        anchor->refresh_ns = now_ns + REFRESH_NS;
    }
    const struct um_anchor_rect *rect = &anchor->place.rect;
    return rect->right - rect->left >= MIN_WIDTH && rect->bottom - rect->top >= MIN_HEIGHT;
}

void um_anchor_update(struct um_anchor *anchor, uint64_t now_ns)
{
    anchor->visible =
        !anchor->hidden && (anchor->target || anchor->alone) && locate(anchor, now_ns);
}

/* Stacking ----------------------------------------------------------------------------------- */

/* Where a window is among the children of the root; `count` if it is none. */
static size_t place_of(const xcb_window_t *windows, size_t count, xcb_window_t window)
{
    size_t i = 0;
    while (i < count && windows[i] != window)
        i++;
    return i;
}

static void look_at(const struct um_screen *screen, xcb_window_t window,
                    struct um_frame_window *look)
{
    *look = (struct um_frame_window){
        .shown = take_viewable(screen, xcb_get_window_attributes(screen->connection, window))};
    if (!look->shown)
        return;
    look->ours = um_screen_is_overlay(screen, window);
    look->shown = um_screen_rect(screen, window, &look->rect);
}

/* Whether a window with nothing in it covers the whole display, as that of a locked screen does. A
 * program's window lies in that of the window manager. */
static bool is_curtain(const struct um_anchor *anchor, xcb_window_t window,
                       const struct um_frame_window *look)
{
    xcb_connection_t *connection = anchor->screen->connection;
    const struct um_anchor_rect *display = &anchor->bounds, *rect = &look->rect;

    if (!look->shown || look->ours || rect->left > display->left || rect->top > display->top ||
        rect->right < display->right || rect->bottom < display->bottom)
        return false;
    xcb_query_tree_reply_t *tree =
        xcb_query_tree_reply(connection, xcb_query_tree(connection, window), NULL);
    bool empty = tree && xcb_query_tree_children_length(tree) == 0;
    free(tree);
    return empty;
}

static bool any_curtain(const struct um_anchor *anchor, const xcb_window_t *windows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct um_frame_window look;
        look_at(anchor->screen, windows[i], &look);
        if (is_curtain(anchor, windows[i], &look))
            return true;
    }
    return false;
}

/* Whether any of these windows of the server, in their order, lies over the overlay's place. */
static bool any_over(const struct um_anchor *anchor, const xcb_window_t *windows, size_t count)
{
    struct um_frame_window looks[WINDOWS];

    if (anchor->alone && any_curtain(anchor, windows, count))
        return false;
    if (count > WINDOWS)
        return true;
    for (size_t i = 0; i < count; i++)
        look_at(anchor->screen, windows[i], &looks[i]);
    return um_frame_any_over(looks, count, &anchor->place.rect);
}

bool um_anchor_may_show(const struct um_anchor *anchor)
{
    xcb_connection_t *connection = anchor->screen->connection;
    if (!anchor->alone)
        return anchor->frame != XCB_WINDOW_NONE;
    xcb_query_tree_reply_t *tree =
        xcb_query_tree_reply(connection, xcb_query_tree(connection, anchor->screen->root), NULL);
    bool may = tree && !any_curtain(anchor, xcb_query_tree_children(tree),
                                    (size_t)xcb_query_tree_children_length(tree));
    free(tree);
    return may;
}

bool um_anchor_is_stacked(const struct um_anchor *anchor, xcb_window_t window)
{
    xcb_connection_t *connection = anchor->screen->connection;
    xcb_query_tree_reply_t *tree =
        xcb_query_tree_reply(connection, xcb_query_tree(connection, anchor->screen->root), NULL);
    if (!tree)
        return true;
    const xcb_window_t *windows = xcb_query_tree_children(tree); /* from the lowest on */
    size_t count = (size_t)xcb_query_tree_children_length(tree);
    size_t own = place_of(windows, count, window), frame = place_of(windows, count, anchor->frame);
    bool stacked = true;

    if (own < count && anchor->alone)
        stacked = !any_over(anchor, windows + own + 1, count - own - 1);
    else if (own < count && frame < count)
        stacked = own > frame && !any_over(anchor, windows + frame + 1, own - frame - 1);
    free(tree);
    return stacked;
}

bool um_anchor_concerns(struct um_anchor *anchor, const xcb_generic_event_t *event,
                        xcb_window_t own)
{
    switch (event->response_type & 0x7f) {
    case XCB_CONFIGURE_NOTIFY:
        return ((const xcb_configure_notify_event_t *)event)->window != own;
    case XCB_REPARENT_NOTIFY:
        if (((const xcb_reparent_notify_event_t *)event)->window == anchor->target)
            anchor->frame = XCB_WINDOW_NONE;
        return true;
    case XCB_MAP_NOTIFY:
        return ((const xcb_map_notify_event_t *)event)->window != own;
    case XCB_UNMAP_NOTIFY:
        return ((const xcb_unmap_notify_event_t *)event)->window != own;
    case XCB_DESTROY_NOTIFY:
    case XCB_PROPERTY_NOTIFY:
        return true;
    default:
        return false;
    }
}
