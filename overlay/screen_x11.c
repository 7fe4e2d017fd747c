#include "overlay/screen_x11.h"

#include <stdlib.h>
#include <string.h>
#include <xcb/randr.h>
#include <xcb/shape.h>
#include <xcb/xfixes.h>

#include "base/server_x11.h"
#include "ipc/overlay.h"

#define DEPTH 32

static const char *const atom_names[UM_SCREEN_ATOMS] = {
    [UM_SCREEN_NET_WM_NAME] = "_NET_WM_NAME",
    [UM_SCREEN_UTF8_STRING] = "UTF8_STRING",
    [UM_SCREEN_NET_WM_PID] = "_NET_WM_PID",
    [UM_SCREEN_NET_WM_WINDOW_TYPE] = "_NET_WM_WINDOW_TYPE",
    [UM_SCREEN_NOTIFICATION] = "_NET_WM_WINDOW_TYPE_NOTIFICATION",
    [UM_SCREEN_COMPTON_SHADOW] = "_COMPTON_SHADOW",
    [UM_SCREEN_WM_STATE] = "WM_STATE",
    [UM_SCREEN_NET_WM_STATE] = "_NET_WM_STATE",
    [UM_SCREEN_HIDDEN] = "_NET_WM_STATE_HIDDEN",
    [UM_SCREEN_MAXIMIZED_VERT] = "_NET_WM_STATE_MAXIMIZED_VERT",
    [UM_SCREEN_MAXIMIZED_HORZ] = "_NET_WM_STATE_MAXIMIZED_HORZ",
    [UM_SCREEN_FULLSCREEN] = "_NET_WM_STATE_FULLSCREEN",
    [UM_SCREEN_NET_WM_DESKTOP] = "_NET_WM_DESKTOP",
    [UM_SCREEN_NET_CURRENT_DESKTOP] = "_NET_CURRENT_DESKTOP",
    [UM_SCREEN_NET_WORKAREA] = "_NET_WORKAREA",
    [UM_SCREEN_NET_FRAME_EXTENTS] = "_NET_FRAME_EXTENTS",
    [UM_SCREEN_GTK_FRAME_EXTENTS] = "_GTK_FRAME_EXTENTS",
};

/* Opening -------------------------------------------------------------------------------------- */

static void find_atoms(struct um_screen *screen, int number)
{
    const char *names[UM_SCREEN_ATOMS];
    char compositor[] = "_NET_WM_CM_S0";

    compositor[sizeof compositor - 2] = (char)('0' + number % 10);
    for (int i = 0; i < UM_SCREEN_ATOMS; i++)
        names[i] = atom_names[i] ? atom_names[i] : compositor;
    um_server_atoms(screen->connection, names, UM_SCREEN_ATOMS, screen->atoms);
}

/* The kind of pixels that has transparency: 0xAARRGGBB. */
static bool find_visual(struct um_screen *screen, const xcb_screen_t *info)
{
    xcb_depth_iterator_t depths = xcb_screen_allowed_depths_iterator(info);

    for (; depths.rem; xcb_depth_next(&depths)) {
        xcb_visualtype_iterator_t visuals = xcb_depth_visuals_iterator(depths.data);
        for (; depths.data->depth == DEPTH && visuals.rem; xcb_visualtype_next(&visuals)) {
            const xcb_visualtype_t *visual = visuals.data;
            if (visual->_class == XCB_VISUAL_CLASS_TRUE_COLOR && visual->red_mask == 0xff0000 &&
                visual->green_mask == 0xff00 && visual->blue_mask == 0xff) {
                screen->visual = visual->visual_id;
                return true;
            }
        }
    }
    return false;
}

/* The server's pixels lie in memory as this machine's. */
static bool has_our_order(const xcb_setup_t *setup)
{
    const uint32_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return setup->image_byte_order ==
           (first ? XCB_IMAGE_ORDER_LSB_FIRST : XCB_IMAGE_ORDER_MSB_FIRST);
}

static bool has_extension(const struct um_screen *screen, const char *name)
{
    xcb_query_extension_reply_t *reply = xcb_query_extension_reply(
        screen->connection, xcb_query_extension(screen->connection, (uint16_t)strlen(name), name),
        NULL);
    bool present = reply && reply->present;
    free(reply);
    return present;
}

/* A window's area for clicks can be set from version 2 of XFixes on. */
static bool has_input_shapes(const struct um_screen *screen)
{
    if (!has_extension(screen, "XFIXES") || !has_extension(screen, "SHAPE"))
        return false;
    xcb_xfixes_query_version_reply_t *reply = xcb_xfixes_query_version_reply(
        screen->connection, xcb_xfixes_query_version(screen->connection, 5, 0), NULL);
    bool has = reply && reply->major_version >= 2;
    free(reply);
    return has;
}

static bool has_monitors(const struct um_screen *screen)
{
    if (!has_extension(screen, "RANDR"))
        return false;
    xcb_randr_query_version_reply_t *reply = xcb_randr_query_version_reply(
        screen->connection, xcb_randr_query_version(screen->connection, 1, 5), NULL);
    bool has = reply && (reply->major_version > 1 || reply->minor_version >= 5);
    free(reply);
    return has;
}

/* Newer ones have an extension of that name, older ones call their displays so. */
static bool is_wayland(const struct um_screen *screen)
{
    static const char prefix[] = "XWAYLAND";

    if (has_extension(screen, prefix))
        return true;
    if (!screen->has_displays)
        return false;
    xcb_randr_get_monitors_reply_t *monitors = xcb_randr_get_monitors_reply(
        screen->connection, xcb_randr_get_monitors(screen->connection, screen->root, 1), NULL);
    xcb_get_atom_name_reply_t *name = NULL;
    if (monitors && monitors->nMonitors > 0)
        name = xcb_get_atom_name_reply(
            screen->connection,
            xcb_get_atom_name(screen->connection,
                              xcb_randr_get_monitors_monitors_iterator(monitors).data->name),
            NULL);
    bool is = name && name->name_len >= sizeof prefix - 1 &&
              memcmp(xcb_get_atom_name_name(name), prefix, sizeof prefix - 1) == 0;
    free(name);
    free(monitors);
    return is;
}

enum um_status um_screen_open(struct um_screen *screen)
{
    int number;
    *screen = (struct um_screen){0};
    const xcb_screen_t *info = um_server_open(&screen->connection, &number);

    if (!info)
        return UM_ERR_UNSUPPORTED;
    screen->root = info->root;
    screen->width = info->width_in_pixels;
    screen->height = info->height_in_pixels;
    if (!has_our_order(xcb_get_setup(screen->connection)) || !find_visual(screen, info) ||
        !has_input_shapes(screen)) {
        um_screen_close(screen);
        return UM_ERR_UNSUPPORTED;
    }
    find_atoms(screen, number);
    screen->has_displays = has_monitors(screen);
    screen->is_wayland = is_wayland(screen);
    screen->colormap = xcb_generate_id(screen->connection);
    xcb_create_colormap(screen->connection, XCB_COLORMAP_ALLOC_NONE, screen->colormap, screen->root,
                        screen->visual);
    return UM_OK;
}

void um_screen_close(struct um_screen *screen)
{
    um_server_close(screen->connection); /* the server then frees all that was made */
    *screen = (struct um_screen){0};
}

/* Asking --------------------------------------------------------------------------------------- */

xcb_get_property_cookie_t um_screen_ask(const struct um_screen *screen, xcb_window_t window,
                                        xcb_atom_t property, size_t words)
{
    return xcb_get_property(screen->connection, 0, window, property, XCB_GET_PROPERTY_TYPE_ANY, 0,
                            (uint32_t)words);
}

size_t um_screen_words(const struct um_screen *screen, xcb_get_property_cookie_t cookie,
                       uint32_t *words, size_t cap)
{
    xcb_get_property_reply_t *reply = xcb_get_property_reply(screen->connection, cookie, NULL);
    size_t count = reply && reply->format == 32
                       ? (size_t)xcb_get_property_value_length(reply) / sizeof *words
                       : 0;

    if (count > cap)
        count = cap;
    if (count > 0)
        memcpy(words, xcb_get_property_value(reply), count * sizeof *words);
    free(reply);
    return count;
}

size_t um_screen_text(const struct um_screen *screen, xcb_get_property_cookie_t cookie, char *text,
                      size_t cap_bytes)
{
    xcb_get_property_reply_t *reply = xcb_get_property_reply(screen->connection, cookie, NULL);
    size_t len = reply && reply->format == 8 ? (size_t)xcb_get_property_value_length(reply) : 0;

    if (len > cap_bytes)
        len = cap_bytes;
    if (len > 0)
        memcpy(text, xcb_get_property_value(reply), len);
    free(reply);
    return len;
}

bool um_screen_rect(const struct um_screen *screen, xcb_window_t window,
                    struct um_anchor_rect *rect)
{
    xcb_get_geometry_cookie_t size = xcb_get_geometry(screen->connection, window);
    xcb_translate_coordinates_cookie_t place =
        xcb_translate_coordinates(screen->connection, window, screen->root, 0, 0);
    xcb_get_geometry_reply_t *is = xcb_get_geometry_reply(screen->connection, size, NULL);
    xcb_translate_coordinates_reply_t *at =
        xcb_translate_coordinates_reply(screen->connection, place, NULL);
    bool found = is && at;

    if (found)
        *rect = (struct um_anchor_rect){at->dst_x, at->dst_y, at->dst_x + is->width,
                                        at->dst_y + is->height};
    free(is);
    free(at);
    return found;
}

bool um_screen_takes_clicks(const struct um_screen *screen, xcb_window_t window)
{
    xcb_shape_get_rectangles_reply_t *reply = xcb_shape_get_rectangles_reply(
        screen->connection,
        xcb_shape_get_rectangles(screen->connection, window, XCB_SHAPE_SK_INPUT), NULL);
    if (!reply)
        return true;
    const xcb_rectangle_t *parts = xcb_shape_get_rectangles_rectangles(reply);
    int count = xcb_shape_get_rectangles_rectangles_length(reply);
    bool takes = false;
    for (int i = 0; i < count; i++) /* a part above or left of the window is none */
        takes |= parts[i].x + parts[i].width > 0 && parts[i].y + parts[i].height > 0;
    free(reply);
    return takes;
}

size_t um_screen_displays(const struct um_screen *screen, struct um_frame_display *displays)
{
    size_t count = 0;

    if (screen->has_displays) {
        xcb_randr_get_monitors_reply_t *reply = xcb_randr_get_monitors_reply(
            screen->connection, xcb_randr_get_monitors(screen->connection, screen->root, 1), NULL);
        xcb_randr_monitor_info_iterator_t monitors = {0};
        if (reply)
            monitors = xcb_randr_get_monitors_monitors_iterator(reply);
        for (; monitors.rem && count < UM_SCREEN_DISPLAYS; xcb_randr_monitor_info_next(&monitors)) {
            const xcb_randr_monitor_info_t *info = monitors.data;
            displays[count++] = (struct um_frame_display){
                {info->x, info->y, info->x + info->width, info->y + info->height},
                (int)info->width_in_millimeters,
                info->primary != 0};
        }
        free(reply);
    }
    if (count == 0)
        displays[count++] =
            (struct um_frame_display){{0, 0, screen->width, screen->height}, 0, true};
    return count;
}

bool um_screen_is_overlay(const struct um_screen *screen, xcb_window_t window)
{
    static const char name[] = UM_OVERLAY_CLASS; /* the sheet's begins so, too */
    char text[sizeof name - 1];
    size_t len = um_screen_text(
        screen, um_screen_ask(screen, window, XCB_ATOM_WM_CLASS, sizeof text / 4 + 1), text,
        sizeof text);
    return len == sizeof text && memcmp(text, name, sizeof text) == 0;
}
