/* Somebody who connects to a hook pipe that was made for somebody else. */
#ifndef UM_TESTS_STRANGER_H
#define UM_TESTS_STRANGER_H

#include <stddef.h>

#include "ipc/wire.h"

/* Connects to the hook pipe, writes some bytes and waits for an answer: "refused" if the other side
 * closes the connection without one, "believed" if it answers, "silent" if it does nothing for ten
 * seconds, "nobody" if nobody listens. Owner: static. Thread: blocks. */
const char *stranger_says(const char *pipe, const void *bytes, size_t len);

/* The same with a preamble and a frame. */
const char *stranger_sends(const char *pipe, const struct um_wire_frame *frame);

/* The nonce that goes with the pipe's name. 0: the name is not one of a hook pipe. */
int stranger_nonce(const char *pipe, uint8_t nonce[UM_WIRE_NONCE_BYTES]);

#endif
