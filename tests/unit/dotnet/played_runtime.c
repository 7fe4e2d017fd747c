#include "tests/unit/dotnet/played_runtime.h"

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#define WAIT_MS 60000
#define PROVIDER "System.Diagnostics.Metrics"

static void put(struct played *played, const void *bytes, size_t len)
{
    cr_assert_leq(played->len + len, sizeof played->bytes);
    memcpy(played->bytes + played->len, bytes, len);
    played->len += len;
}

static void put_number(struct played *played, uint64_t number, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        uint8_t byte = (uint8_t)(number >> 8 * i);
        put(played, &byte, 1);
    }
}

/* UTF-16 with a NUL; of ASCII, and of it alone. */
static void put_text(struct played *played, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        put_number(played, (uint8_t)text[i], 2);
    put_number(played, 0, 2);
}

void played_advertise(struct played *played, uint64_t pid)
{
    put(played, "ADVR_V1", 8);
    put(played, "0123456789abcdef", 16);
    put_number(played, pid, 8);
    put_number(played, 0, 2);
}

void played_answer(struct played *played)
{
    put(played, "DOTNET_IPC_V1", 14);
    put_number(played, 28, 2);
    put(played, "\xff\0\0\0", 4);
    put_number(played, PLAYED_SESSION, 8);
}

/* Where the stream begins: blocks lie at multiples of 4 from there. */
static size_t begun_at;

static void begin_object(struct played *played, const char *name)
{
    put(played, "\5\5\1", 3);
    put_number(played, 1, 4);
    put_number(played, 1, 4);
    put_number(played, strlen(name), 4);
    put(played, name, strlen(name));
    put(played, "\6", 1);
}

void played_begin(struct played *played)
{
    static const uint8_t rest[16];
    begun_at = played->len;
    put(played, "Nettrace", 8);
    put_number(played, 20, 4);
    put(played, "!FastSerialization.1", 20);
    begin_object(played, "Trace");
    put(played, rest, 16);             /* the date */
    put_number(played, 0, 8);          /* the same instant in ticks */
    put_number(played, 1000000000, 8); /* ticks a second */
    put(played, rest, 16);
    put(played, "\6", 1);
}

/* A block with one event in it. */
static void put_block(struct played *played, const char *name, uint32_t definition,
                      const struct played *payload)
{
    struct played block = {.len = 0};
    put_number(&block, 20, 2); /* the header, and that events are compressed */
    put_number(&block, 1, 2);
    put_number(&block, 0, 8);
    put_number(&block, 0, 8);
    put(&block, definition ? "\xc1" : "\xc0", 1); /* definition, sorted, length */
    if (definition)
        put_number(&block, definition, 1);
    put_number(&block, 100, 1); /* its time */
    put_number(&block, payload->len % 128 | 0x80, 1);
    put_number(&block, payload->len / 128, 1);
    put(&block, payload->bytes, payload->len);
    begin_object(played, name);
    put_number(played, block.len, 4);
    while ((played->len - begun_at) % 4 != 0)
        put(played, "", 1);
    put(played, block.bytes, block.len);
    put(played, "\6", 1);
}

/* The next word of a list; NULL: there are no more. */
static const char *next(const char **list, char mark, size_t *len)
{
    const char *at = *list;
    if (!at)
        return NULL;
    const char *end = strchr(at, mark);
    *len = end ? (size_t)(end - at) : strlen(at);
    *list = end ? end + 1 : NULL;
    return at;
}

void played_define(struct played *played, uint32_t definition, const char *name, const char *fields)
{
    struct played payload = {.len = 0};
    const char *list = fields, *field;
    size_t len, count = 0;
    while (next(&list, ' ', &len))
        count++;
    put_number(&payload, definition, 4);
    put_text(&payload, PROVIDER, strlen(PROVIDER));
    put_number(&payload, definition, 4);
    put_text(&payload, name, strlen(name));
    put_number(&payload, 2, 8); /* keywords, version, level */
    put_number(&payload, 1, 4);
    put_number(&payload, 4, 4);
    put_number(&payload, count, 4);
    list = fields;
    while ((field = next(&list, ' ', &len))) {
        put_number(&payload, field[0] == 's' ? 18 : field[0] == 'i' ? 9 : 14, 4);
        put_text(&payload, field + 2, len - 2);
    }
    put_block(played, "MetadataBlock", 0, &payload);
}

void played_values(struct played *played, const char *fields, const char *values)
{
    const char *field, *value;
    size_t len, value_len;
    while ((field = next(&fields, ' ', &len))) {
        value = next(&values, '|', &value_len);
        cr_assert(value);
        double number = strtod(value, NULL);
        if (field[0] == 's')
            put_text(played, value, value_len);
        else if (field[0] == 'i')
            put_number(played, (uint64_t)(int64_t)number, 4);
        else
            put(played, &number, sizeof number);
    }
}

void played_event(struct played *played, uint32_t definition, const char *fields,
                  const char *values)
{
    struct played payload = {.len = 0};
    played_values(&payload, fields, values);
    put_block(played, "EventBlock", definition, &payload);
}

struct um_conn *played_connect(const char *name, const struct played *played)
{
    const struct um_transport *transport = um_transport_system();
    struct um_conn *conn = NULL;
    cr_assert_eq(transport->connect(name, WAIT_MS, &conn), UM_OK);
    if (played)
        cr_assert_eq(transport->write(conn, played->bytes, played->len, WAIT_MS), UM_OK);
    return conn;
}

void played_read(struct um_conn *conn, uint8_t *bytes, size_t len_bytes)
{
    for (size_t have = 0, got; have < len_bytes; have += got)
        cr_assert_eq(
            um_transport_system()->read(conn, bytes + have, len_bytes - have, WAIT_MS, &got),
            UM_OK);
}
