#include "base/server_x11.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

xcb_screen_t *um_server_open(xcb_connection_t **connection, int *number)
{
    *number = 0;
    *connection = xcb_connect(NULL, number);
    if (*connection && xcb_connection_has_error(*connection) == 0) {
        xcb_screen_iterator_t at = xcb_setup_roots_iterator(xcb_get_setup(*connection));
        for (int i = 0; i < *number && at.rem > 1; i++)
            xcb_screen_next(&at);
        if (at.rem > 0)
            return at.data;
    }
    um_server_close(*connection);
    *connection = NULL;
    return NULL;
}

void um_server_close(xcb_connection_t *connection)
{
    if (connection)
        xcb_disconnect(connection);
}

void um_server_give_up(xcb_connection_t *connection)
{
    if (connection)
        shutdown(xcb_get_file_descriptor(connection), SHUT_RDWR);
}

void um_server_atoms(xcb_connection_t *connection, const char *const *names, size_t count,
                     xcb_atom_t *atoms)
{
    xcb_intern_atom_cookie_t *asked = calloc(count + 1, sizeof *asked);
    for (size_t i = 0; asked && i < count; i++)
        asked[i] = xcb_intern_atom(connection, 0, (uint16_t)strlen(names[i]), names[i]);
    for (size_t i = 0; i < count; i++) {
        xcb_intern_atom_reply_t *reply =
            asked ? xcb_intern_atom_reply(connection, asked[i], NULL) : NULL;
        atoms[i] = reply ? reply->atom : (xcb_atom_t)XCB_ATOM_NONE;
        free(reply);
    }
    free(asked);
}
