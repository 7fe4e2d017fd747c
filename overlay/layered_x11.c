#include "overlay/layered_x11.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xcb/xfixes.h>

#define DEPTH 32
#define STEP 128               /* px, in which a pixmap grows */
#define SENT_PIXELS (60 << 10) /* one request has so many; each server takes 256 KiB */

/* What window managers and compositors read. */
static void set_properties(const struct um_layered *layered, const char *class_name,
                           const char *title)
{
    const struct um_screen *server = layered->server;
    const xcb_atom_t *atoms = server->atoms;
    const uint32_t pid = (uint32_t)getpid(), no_shadow = 0;
    char classes[128] = "";
    size_t len = strlen(class_name) + 1;

    /* The class twice, as the instance and as the class. */
    if (2 * len <= sizeof classes) {
        memcpy(classes, class_name, len);
        memcpy(classes + len, class_name, len);
        xcb_change_property(server->connection, XCB_PROP_MODE_REPLACE, layered->window,
                            XCB_ATOM_WM_CLASS, XCB_ATOM_STRING, 8, (uint32_t)(2 * len), classes);
    }
    xcb_change_property(server->connection, XCB_PROP_MODE_REPLACE, layered->window,
                        atoms[UM_SCREEN_NET_WM_NAME], atoms[UM_SCREEN_UTF8_STRING], 8,
                        (uint32_t)strlen(title), title);
    xcb_change_property(server->connection, XCB_PROP_MODE_REPLACE, layered->window,
                        XCB_ATOM_WM_NAME, XCB_ATOM_STRING, 8, (uint32_t)strlen(title), title);
    xcb_change_property(server->connection, XCB_PROP_MODE_REPLACE, layered->window,
                        atoms[UM_SCREEN_NET_WM_PID], XCB_ATOM_CARDINAL, 32, 1, &pid);
    xcb_change_property(server->connection, XCB_PROP_MODE_REPLACE, layered->window,
                        atoms[UM_SCREEN_NET_WM_WINDOW_TYPE], XCB_ATOM_ATOM, 32, 1,
                        &atoms[UM_SCREEN_NOTIFICATION]);
    xcb_change_property(server->connection, XCB_PROP_MODE_REPLACE, layered->window,
                        atoms[UM_SCREEN_COMPTON_SHADOW], XCB_ATOM_CARDINAL, 32, 1, &no_shadow);
}

enum um_status um_layered_open(const struct um_screen *server, const char *class_name,
                               const char *title, struct um_layered *layered)
{
    /* A window with another kind of pixels than the root's needs its own border and colours. */
    const uint32_t values[] = {0, 0, 1, server->colormap};
    xcb_connection_t *connection = server->connection;

    *layered = (struct um_layered){.server = server,
                                   .window = xcb_generate_id(connection),
                                   .rows = malloc(SENT_PIXELS * sizeof(uint32_t))};
    if (!layered->rows)
        return UM_ERR_MEMORY;
    xcb_create_window(connection, DEPTH, layered->window, server->root, 0, 0, 1, 1, 0,
                      XCB_WINDOW_CLASS_INPUT_OUTPUT, server->visual,
                      XCB_CW_BACK_PIXEL | XCB_CW_BORDER_PIXEL | XCB_CW_OVERRIDE_REDIRECT |
                          XCB_CW_COLORMAP,
                      values);
    set_properties(layered, class_name, title);
    /* No part of it takes clicks. */
    xcb_xfixes_region_t nothing = xcb_generate_id(connection);
    xcb_xfixes_create_region(connection, nothing, 0, NULL);
    xcb_xfixes_set_window_shape_region(connection, layered->window, XCB_SHAPE_SK_INPUT, 0, 0,
                                       nothing);
    xcb_xfixes_destroy_region(connection, nothing);
    layered->context = xcb_generate_id(connection);
    return UM_OK;
}

void um_layered_close(struct um_layered *layered)
{
    if (layered->window) {
        um_layered_free(layered);
        xcb_destroy_window(layered->server->connection, layered->window);
        xcb_flush(layered->server->connection);
    }
    free(layered->rows);
    *layered = (struct um_layered){0};
}

void um_layered_free(struct um_layered *layered)
{
    if (layered->pixmap) {
        xcb_free_gc(layered->server->connection, layered->context);
        xcb_free_pixmap(layered->server->connection, layered->pixmap);
    }
    layered->pixmap = XCB_NONE;
    um_canvas_free(&layered->screen);
}

/* The next multiple of STEP. */
static int step_up(int length)
{
    return (length + STEP - 1) / STEP * STEP;
}

/* A pixmap is made anew only when the size goes over a step, so that dragging a border does not
 * make one for each picture. */
static enum um_status make_room(struct um_layered *layered, int width, int height)
{
    xcb_connection_t *connection = layered->server->connection;

    um_layered_free(layered);
    enum um_status status = um_canvas_make(width, height, &layered->screen);
    if (status != UM_OK)
        return status;
    layered->room_width = width;
    layered->room_height = height;
    layered->pixmap = xcb_generate_id(connection);
    xcb_create_pixmap(connection, DEPTH, layered->pixmap, layered->window, (uint16_t)width,
                      (uint16_t)height);
    xcb_create_gc(connection, layered->context, layered->pixmap, 0, NULL);
    return UM_OK;
}

enum um_status um_layered_resize(struct um_layered *layered, int width, int height)
{
    enum um_status status = UM_OK;
    if (width > INT16_MAX - STEP || height > INT16_MAX - STEP)
        return UM_ERR_MEMORY;
    if (!layered->pixmap || layered->room_width != step_up(width) ||
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

/* Sends a part of the picture to its pixmap, some rows at a time. */
static void send(struct um_layered *layered, const struct um_canvas_rect *part)
{
    int most = SENT_PIXELS / part->width;

    for (int y = 0; y < part->height; y += most) {
        int rows = part->height - y < most ? part->height - y : most;
        for (int row = 0; row < rows; row++)
            memcpy(layered->rows + (size_t)row * (size_t)part->width,
                   um_canvas_row(&layered->screen, part->y + y + row) + part->x,
                   (size_t)part->width * sizeof(uint32_t));
        xcb_put_image(layered->server->connection, XCB_IMAGE_FORMAT_Z_PIXMAP, layered->pixmap,
                      layered->context, (uint16_t)part->width, (uint16_t)rows, (int16_t)part->x,
                      (int16_t)(part->y + y), 0, DEPTH,
                      (uint32_t)(rows * part->width) * (uint32_t)sizeof(uint32_t),
                      (const uint8_t *)layered->rows);
    }
}

/* Places the window, with the size of its picture. */
static void place(struct um_layered *layered, const struct um_canvas_rect *at)
{
    const uint32_t values[] = {(uint32_t)at->x, (uint32_t)at->y, (uint32_t)at->width,
                               (uint32_t)at->height};

    xcb_configure_window(layered->server->connection, layered->window,
                         XCB_CONFIG_WINDOW_X | XCB_CONFIG_WINDOW_Y | XCB_CONFIG_WINDOW_WIDTH |
                             XCB_CONFIG_WINDOW_HEIGHT,
                         values);
    layered->placed = *at;
}

enum um_status um_layered_update(struct um_layered *layered, const struct um_canvas_rect *at,
                                 const struct um_canvas_rect *changed)
{
    xcb_connection_t *connection = layered->server->connection;
    struct um_canvas_rect part = {0, 0, layered->screen.width, layered->screen.height};

    if (!layered->whole)
        part = *changed;
    if (part.width <= 0 || part.height <= 0)
        return UM_OK;
    send(layered, &part);
    /* A server may copy a pixmap that it is given as a background, so it is given it anew. */
    xcb_change_window_attributes(connection, layered->window, XCB_CW_BACK_PIXMAP, &layered->pixmap);
    if (layered->whole)
        place(layered, at);
    xcb_clear_area(connection, 0, layered->window, (int16_t)part.x, (int16_t)part.y,
                   (uint16_t)part.width, (uint16_t)part.height);
    layered->whole = xcb_flush(connection) <= 0;
    return layered->whole ? UM_ERR_IO : UM_OK;
}

void um_layered_move(struct um_layered *layered, const struct um_canvas_rect *at)
{
    const struct um_canvas_rect *was = &layered->placed;
    if (at->width != was->width || at->height != was->height ||
        (at->x == was->x && at->y == was->y))
        return;
    place(layered, at);
    xcb_flush(layered->server->connection);
}

void um_layered_stack(struct um_layered *layered, xcb_window_t below)
{
    const uint32_t values[] = {below, XCB_STACK_MODE_ABOVE};
    bool beside = below != XCB_WINDOW_NONE;

    xcb_configure_window(layered->server->connection, layered->window,
                         (beside ? XCB_CONFIG_WINDOW_SIBLING : 0) | XCB_CONFIG_WINDOW_STACK_MODE,
                         beside ? values : values + 1);
    xcb_flush(layered->server->connection);
}

void um_layered_show(struct um_layered *layered)
{
    if (layered->shown)
        return;
    xcb_map_window(layered->server->connection, layered->window);
    xcb_flush(layered->server->connection);
    layered->shown = true;
}

void um_layered_hide(struct um_layered *layered)
{
    if (!layered->shown)
        return;
    xcb_unmap_window(layered->server->connection, layered->window);
    xcb_flush(layered->server->connection);
    layered->shown = false;
}
