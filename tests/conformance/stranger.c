#include "tests/conformance/stranger.h"

#include <stdio.h>
#include <string.h>

#include "ipc/transport.h"

#define HANG_MS 60000
#define CONNECT_MS 5000 /* all of it passes where nobody is to be spoken to */

const char *stranger_says(const char *pipe, const void *bytes, size_t len)
{
    const struct um_transport *transport = um_transport_system();
    struct um_conn *conn;
    uint8_t answer[256];
    size_t got;

    if (transport->connect(pipe, CONNECT_MS, &conn) != UM_OK)
        return "nobody";
    /* It may be refused before all is written; the reading tells. */
    (void)transport->write(conn, bytes, len, HANG_MS);
    enum um_status status = transport->read(conn, answer, sizeof answer, HANG_MS, &got);
    transport->close(conn);
    return status == UM_OK ? "believed" : status == UM_ERR_TIMEOUT ? "silent" : "refused";
}

const char *stranger_sends(const char *pipe, const struct um_wire_frame *frame)
{
    uint8_t bytes[UM_WIRE_PREAMBLE_BYTES + UM_WIRE_MAX_BYTES];
    size_t len = 0;

    um_wire_put_preamble(bytes);
    if (um_wire_encode(frame, bytes + UM_WIRE_PREAMBLE_BYTES, UM_WIRE_MAX_BYTES, &len) != UM_OK)
        return "no frame";
    return stranger_says(pipe, bytes, UM_WIRE_PREAMBLE_BYTES + len);
}

int stranger_nonce(const char *pipe, uint8_t nonce[UM_WIRE_NONCE_BYTES])
{
    const char *digits = strrchr(pipe, '-');

    if (!digits || strlen(digits) != 1 + 2 * UM_WIRE_NONCE_BYTES)
        return 0;
    for (size_t i = 0; i < UM_WIRE_NONCE_BYTES; i++) {
        unsigned byte;
        if (sscanf(digits + 1 + 2 * i, "%2x", &byte) != 1)
            return 0;
        nonce[i] = (uint8_t)byte;
    }
    return 1;
}
