/* A .NET runtime that a test plays: it writes a stream of events by the description of nettrace,
 * and connects to a pipe of uimon's as .NET 5 and later do. None of it is uimon's own encoder.
 */
#ifndef UM_TESTS_PLAYED_RUNTIME_H
#define UM_TESTS_PLAYED_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#include "ipc/transport.h"

#define PLAYED_SESSION UINT64_C(0x0807060504030201)

/* Bytes that it sends. A zeroed struct is empty. */
struct played {
    uint8_t bytes[16384];
    size_t len;
};

/* What it says of itself, and its answer to a request for a session. */
void played_advertise(struct played *played, uint64_t pid);
void played_answer(struct played *played);

/* The begin of a stream, with a clock in ns. */
void played_begin(struct played *played);

/* Defines an event of System.Diagnostics.Metrics. `fields` are "s:sessionId s:tags i:count d:sum",
 * with s for a text, i for an int and d for a double. */
void played_define(struct played *played, uint32_t definition, const char *name,
                   const char *fields);

/* An event: its values as texts, in the order of the fields, with '|' between them. */
void played_event(struct played *played, uint32_t definition, const char *fields,
                  const char *values);

/* The fields and the values alone, as they lie in an event. */
void played_values(struct played *played, const char *fields, const char *values);

/* Connects to a pipe and sends. */
struct um_conn *played_connect(const char *name, const struct played *played);

/* Reads exactly so many bytes, or fails the test. */
void played_read(struct um_conn *conn, uint8_t *bytes, size_t len_bytes);

#endif
