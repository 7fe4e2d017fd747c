/* A connection to the X server, and what it knows of windows. Each user has a connection of its
 * own; the server's death is an error of it and ends nobody. Not on the hot path.
 *
 * Sources: the Inter-Client Communication Conventions Manual (WM_STATE, WM_CLASS,
 * WM_TRANSIENT_FOR), Extended Window Manager Hints 1.5 (_NET_*), the X Resource Extension 1.2
 * (client ids).
 */
#ifndef UM_MONITOR_DISPLAY_X11_H
#define UM_MONITOR_DISPLAY_X11_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <xcb/xcb.h>

#include "base/plain/status.h"
#include "monitor/target/target_spec.h"

enum um_display_atom {
    UM_DISPLAY_WM_PROTOCOLS,
    UM_DISPLAY_WM_STATE,
    UM_DISPLAY_NET_WM_PING,
    UM_DISPLAY_NET_WM_PID,
    UM_DISPLAY_NET_WM_NAME,
    UM_DISPLAY_NET_WM_WINDOW_TYPE,
    UM_DISPLAY_NET_WM_WINDOW_TYPE_NORMAL,
    UM_DISPLAY_NET_WM_WINDOW_TYPE_DIALOG,
    UM_DISPLAY_NET_CLIENT_LIST,
    UM_DISPLAY_NET_CLIENT_LIST_STACKING,
    UM_DISPLAY_NET_ACTIVE_WINDOW,
    UM_DISPLAY_UTF8_STRING,
    UM_DISPLAY_ATOM_COUNT
};

struct um_display {
    xcb_connection_t *xcb;
    xcb_window_t root; /* of the screen that DISPLAY names */
    xcb_atom_t atoms[UM_DISPLAY_ATOM_COUNT];
    bool has_clients; /* the server says which process a client is */
};

/* Connects to the server that DISPLAY names. Owner: um_display_close, if it succeeds.
 * Errors: UM_ERR_NOT_FOUND no server answers there. Thread: blocks. */
enum um_status um_display_open(struct um_display *display);
void um_display_close(struct um_display *display);

/* Ends the connection, so that nobody waits for an answer any more; what is asked from now on has
 * none. Thread: any. */
void um_display_give_up(struct um_display *display);

/* Takes the events that came although nobody asked for them. Thread: never blocks. */
void um_display_drain(struct um_display *display);

/* Whether the connection still lives. */
bool um_display_lives(const struct um_display *display);

/* Lists the windows of programs, topmost first: those that the window manager manages, also
 * iconified ones, or without a manager those on the screen. Owner: free(*list).
 * Errors: UM_ERR_MEMORY; UM_ERR_IO. Thread: blocks on the server, as all below. */
enum um_status um_display_windows(struct um_display *display, xcb_window_t **list, size_t *count);

/* Whose window it is. */
struct um_display_client {
    uint32_t pid;       /* as the server knows it, or else as the client says; 0: not known */
    bool is_remote;     /* it is on another machine, and that is its number there */
    uint32_t forwarder; /* the process of this machine that a remote one comes through; 0: none */
    char machine[64];   /* as the client calls it; empty: it does not */
};

void um_display_client(struct um_display *display, xcb_window_t window,
                       struct um_display_client *client);

/* The process of this machine that a window belongs to; 0: not known, or there is none. */
uint32_t um_display_pid(struct um_display *display, xcb_window_t window);

/* What decides whether a window is its process's main one. False: it is gone. */
bool um_display_describe(struct um_display *display, xcb_window_t window,
                         struct um_target_window *out);

/* Title and class, UTF-8; "" if there is none. Owner: the caller's buffers. */
void um_display_title(struct um_display *display, xcb_window_t window, char *buf, size_t cap_bytes);
void um_display_class(struct um_display *display, xcb_window_t window, char *buf, size_t cap_bytes);

/* Whether the window exists; whether it is on the screen or iconified, and not withdrawn. */
bool um_display_exists(struct um_display *display, xcb_window_t window);
bool um_display_is_shown(struct um_display *display, xcb_window_t window);

/* Whether the window's client says that it answers _NET_WM_PING. Some programs end at the first
 * message of a protocol that they have not declared (xterm does), so no other window may be asked.
 */
bool um_display_answers_ping(struct um_display *display, xcb_window_t window);

/* The active window; 0: there is none, or no manager says so. */
xcb_window_t um_display_active(struct um_display *display);

#endif
