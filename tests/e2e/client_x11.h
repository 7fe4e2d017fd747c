/* A program of a test's own: a client of the X server that does with its window what it is told. */
#ifndef UM_TESTS_E2E_CLIENT_X11_H
#define UM_TESTS_E2E_CLIENT_X11_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <X11/Xlib.h>

struct client {
    Display *display;
    Window window;
    Atom protocols, ping;
};

/* Runs it in a process of its own, which ends with the test. Returns its process. */
uint32_t client_start(void (*act)(struct client *client));

/* Passes on what one client says to the X server, as ssh does for programs of another machine, in a
 * process of its own that ends with the test. `display` gets what stands for the server then. */
void client_start_forwarder(char display[16]);

/* The rest is for `act`. Shows a window that declares _NET_WM_PING. */
void client_show(struct client *client, const char *title, size_t title_len);

/* Waits for an event at most so long; -1: until one comes. Returns whether it is a ping. */
bool client_take_ping(struct client *client, int wait_ms, XEvent *ping);

/* Answers a ping as the protocol says. */
void client_answer(struct client *client, const XEvent *ping);

#endif
