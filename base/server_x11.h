/* Connections to an X server, which all files for X11 have of their own. Not on the hot path.
 */
#ifndef UM_BASE_SERVER_X11_H
#define UM_BASE_SERVER_X11_H

#include <stddef.h>

#include <xcb/xcb.h>

/* Connects to the server that DISPLAY names. Returns its screen, and that one's number; NULL: no
 * server answers, and there is no connection. Owner: um_server_close. Thread: blocks. */
xcb_screen_t *um_server_open(xcb_connection_t **connection, int *number);

/* Accepts NULL. */
void um_server_close(xcb_connection_t *connection);

/* Ends a connection that stays open, so that nobody waits for an answer any more; what is asked
 * from now on has none. Accepts NULL. Thread: any. */
void um_server_give_up(xcb_connection_t *connection);

/* Asks for atoms by their names, all at once; one that is not given is XCB_ATOM_NONE.
 * Thread: blocks. */
void um_server_atoms(xcb_connection_t *connection, const char *const *names, size_t count,
                     xcb_atom_t *atoms);

#endif
