/* The connection to the X server, with what all of the overlay's files for X11 ask it for. Only for
 * these.
 *
 * Errors that the server sends because a window has gone in the meantime are ignored: a request
 * about it then has no answer. Thread: the one that opened it.
 */
#ifndef UM_OVERLAY_SCREEN_X11_H
#define UM_OVERLAY_SCREEN_X11_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <xcb/xcb.h>

#include "base/plain/status.h"
#include "overlay/frame.h"

#define UM_SCREEN_DISPLAYS 16
#define UM_SCREEN_RESOURCES_BYTES 16384

enum um_screen_atom {
    UM_SCREEN_NET_WM_NAME = 0,
    UM_SCREEN_UTF8_STRING,
    UM_SCREEN_NET_WM_PID,
    UM_SCREEN_NET_WM_WINDOW_TYPE,
    UM_SCREEN_NOTIFICATION,
    UM_SCREEN_COMPTON_SHADOW,
    UM_SCREEN_WM_STATE,
    UM_SCREEN_NET_WM_STATE,
    UM_SCREEN_HIDDEN,
    UM_SCREEN_MAXIMIZED_VERT,
    UM_SCREEN_MAXIMIZED_HORZ,
    UM_SCREEN_FULLSCREEN,
    UM_SCREEN_NET_WM_DESKTOP,
    UM_SCREEN_NET_CURRENT_DESKTOP,
    UM_SCREEN_NET_WORKAREA,
    UM_SCREEN_NET_FRAME_EXTENTS,
    UM_SCREEN_GTK_FRAME_EXTENTS,
    UM_SCREEN_COMPOSITOR, /* the selection that a compositor owns */
    UM_SCREEN_ATOMS
};

/* A zeroed struct is closed. */
struct um_screen {
    xcb_connection_t *connection;
    xcb_window_t root;
    int width, height;     /* of the desktop */
    xcb_visualid_t visual; /* with transparency */
    xcb_colormap_t colormap;
    xcb_atom_t atoms[UM_SCREEN_ATOMS];
    bool has_displays; /* RandR 1.5 */
    bool is_wayland;   /* it is XWayland */
};

/* Owner: um_screen_close. Errors: UM_ERR_UNSUPPORTED there is no X server, or it knows no windows
 * with transparency or without clicks. */
enum um_status um_screen_open(struct um_screen *screen);

/* Accepts a zeroed struct. */
void um_screen_close(struct um_screen *screen);

/* Asks for a property; um_screen_words or um_screen_text take the answer. */
xcb_get_property_cookie_t um_screen_ask(const struct um_screen *screen, xcb_window_t window,
                                        xcb_atom_t property, size_t words);

/* The property's numbers; returns how many there are, 0 if it is not set or has others. */
size_t um_screen_words(const struct um_screen *screen, xcb_get_property_cookie_t cookie,
                       uint32_t *words, size_t cap);

/* The property's text, without a NUL; returns its length. */
size_t um_screen_text(const struct um_screen *screen, xcb_get_property_cookie_t cookie, char *text,
                      size_t cap_bytes);

/* A window's place on the desktop, of the size that it has. False if it is gone. */
bool um_screen_rect(const struct um_screen *screen, xcb_window_t window,
                    struct um_anchor_rect *rect);

/* Whether any part of a window takes clicks. True also if it is gone. */
bool um_screen_takes_clicks(const struct um_screen *screen, xcb_window_t window);

/* The displays, of which there is at least one; returns how many. `displays` has room for
 * UM_SCREEN_DISPLAYS. */
size_t um_screen_displays(const struct um_screen *screen, struct um_frame_display *displays);

/* Whether a window is an overlay's, of this process or another one: by its class. */
bool um_screen_is_overlay(const struct um_screen *screen, xcb_window_t window);

#endif
