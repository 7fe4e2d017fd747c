#include "monitor/dotnet/eventpipe.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/plain/bytes.h"

/* A message: magic, u16 length of all of it, u8 set, u8 command, u16 reserved, payload. */
#define HEADER_BYTES 20
#define SET_TRACING 2
#define SET_ANSWERS 0xff
#define COMMAND_STOP 1
#define COMMAND_COLLECT 3
#define ANSWER_YES 0
#define ANSWER_NO 0xff
#define BUFFER_MB 16
#define FORMAT_NETTRACE 1

/* A runtime of itself: magic, 16 bytes that tell it from others, u64 process, u16 reserved. */
#define ADVERTISED_PID_AT 24

static const char magic[14] = "DOTNET_IPC_V1";
static const char advertised_magic[8] = "ADVR_V1";

/* Writes bytes into a buffer. What does not fit is left out, but counted in `len`. */
struct writer {
    uint8_t *buf;
    size_t cap;
    size_t len;
};

static void put(struct writer *writer, uint64_t number, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++, writer->len++)
        if (writer->len < writer->cap)
            writer->buf[writer->len] = (uint8_t)(number >> 8 * i);
}

/* A text: u32 count of UTF-16 units with its NUL, and those. */
static void put_text(struct writer *writer, const char *text)
{
    size_t units = strlen(text) + 1;
    put(writer, units, 4);
    for (size_t i = 0; i < units; i++)
        put(writer, (uint8_t)text[i], 2);
}

static void put_header(struct writer *writer, uint8_t set, uint8_t command)
{
    for (size_t i = 0; i < sizeof magic; i++)
        put(writer, (uint8_t)magic[i], 1);
    put(writer, 0, 2); /* the length is filled in later */
    put(writer, set, 1);
    put(writer, command, 1);
    put(writer, 0, 2);
}

static bool is_name(const char *name)
{
    for (const char *at = name; *at; at++)
        if (*at <= ' ' || *at > '~')
            return false;
    return *name != '\0';
}

enum um_status um_eventpipe_start(const struct um_eventpipe_provider *providers, size_t count,
                                  double interval_s, uint8_t *buf, size_t cap_bytes,
                                  size_t *len_bytes)
{
    struct writer writer = {.buf = buf, .cap = cap_bytes};
    char filter[64];
    if (count == 0)
        return UM_ERR_ARG;
    snprintf(filter, sizeof filter, "EventCounterIntervalSec=%.6g", interval_s);
    put_header(&writer, SET_TRACING, COMMAND_COLLECT);
    put(&writer, BUFFER_MB, 4);
    put(&writer, FORMAT_NETTRACE, 4);
    put(&writer, 0, 1); /* no names of methods at the end */
    put(&writer, count, 4);
    for (size_t i = 0; i < count; i++) {
        if (!is_name(providers[i].name))
            return UM_ERR_ARG;
        put(&writer, providers[i].keywords, 8);
        put(&writer, providers[i].level, 4);
        put_text(&writer, providers[i].name);
        put_text(&writer, providers[i].arguments ? providers[i].arguments : filter);
    }
    if (writer.len > cap_bytes || writer.len > UINT16_MAX)
        return UM_ERR_TOO_LARGE;
    um_bytes_put16(buf + sizeof magic, (uint16_t)writer.len);
    *len_bytes = writer.len;
    return UM_OK;
}

enum um_status um_eventpipe_answer(const uint8_t *buf, size_t len_bytes, uint64_t *session)
{
    if (len_bytes < HEADER_BYTES)
        return UM_ERR_PARTIAL;
    if (memcmp(buf, magic, sizeof magic) != 0 || buf[16] != SET_ANSWERS)
        return UM_ERR_FORMAT;
    if (buf[17] == ANSWER_NO)
        return UM_ERR_DENIED;
    if (buf[17] != ANSWER_YES || um_bytes_get16(buf + 14) != UM_EVENTPIPE_ANSWER_BYTES)
        return UM_ERR_FORMAT;
    if (len_bytes < UM_EVENTPIPE_ANSWER_BYTES)
        return UM_ERR_PARTIAL;
    *session = um_bytes_get64(buf + HEADER_BYTES);
    return UM_OK;
}

enum um_status um_eventpipe_advertised(const uint8_t *buf, size_t len_bytes, uint64_t *pid)
{
    size_t common = len_bytes < sizeof advertised_magic ? len_bytes : sizeof advertised_magic;
    if (memcmp(buf, advertised_magic, common) != 0)
        return UM_ERR_FORMAT;
    if (len_bytes < UM_EVENTPIPE_ADVERTISED_BYTES)
        return UM_ERR_PARTIAL;
    *pid = um_bytes_get64(buf + ADVERTISED_PID_AT);
    return UM_OK;
}

void um_eventpipe_stop(uint64_t session, uint8_t *buf)
{
    struct writer writer = {.buf = buf, .cap = UM_EVENTPIPE_STOP_BYTES};
    put_header(&writer, SET_TRACING, COMMAND_STOP);
    put(&writer, session, 8);
    um_bytes_put16(buf + sizeof magic, UM_EVENTPIPE_STOP_BYTES);
}
