#include "monitor/layout/layout_schema.h"

#include <string.h>

#define LONGEST 65536u /* no event of ETW is longer */

void um_layout_schema_init(struct um_layout_schema *schema, const char *name)
{
    *schema = (struct um_layout_schema){.kind = (uint8_t)um_layout_event_name(name)};
}

void um_layout_schema_add(struct um_layout_schema *schema, const char *name, uint32_t length_bytes,
                          bool is_real)
{
    enum um_layout_event_field field = um_layout_event_field(name);
    bool is_number = length_bytes == 4 || length_bytes == 8 ||
                     (!is_real && (length_bytes == 1 || length_bytes == 2));
    schema->ended = schema->ended || length_bytes == 0 || length_bytes > LONGEST ||
                    schema->length_bytes > LONGEST;
    if (schema->ended)
        return;
    uint32_t at = schema->length_bytes;
    schema->length_bytes += length_bytes;
    if (field == UM_LAYOUT_EVENT_NO_FIELD || !is_number || schema->count == UM_LAYOUT_SCHEMA_FIELDS)
        return;
    schema->fields[schema->count].field = (uint8_t)field;
    schema->fields[schema->count].length_bytes = (uint8_t)length_bytes;
    schema->fields[schema->count].is_real = is_real;
    schema->fields[schema->count++].at = at;
}

/* Events are of this machine: their bytes have its order. */
static uint64_t whole(const uint8_t *bytes, size_t len_bytes)
{
    uint64_t value = 0;
    for (size_t i = 0; i < len_bytes; i++)
        value |= (uint64_t)bytes[i] << (8 * i);
    return value;
}

static double real(const uint8_t *bytes, size_t len_bytes)
{
    float narrow;
    double wide;
    if (len_bytes == sizeof narrow) {
        memcpy(&narrow, bytes, sizeof narrow);
        return (double)narrow;
    }
    memcpy(&wide, bytes, sizeof wide);
    return wide;
}

void um_layout_schema_read(const struct um_layout_schema *schema, const uint8_t *bytes,
                           size_t len_bytes, struct um_layout_event *event)
{
    event->kind = schema->kind;
    for (size_t i = 0; i < schema->count; i++) {
        enum um_layout_event_field field = schema->fields[i].field;
        size_t at = schema->fields[i].at, length = schema->fields[i].length_bytes;
        if (at + length > len_bytes)
            return;
        if (schema->fields[i].is_real)
            um_layout_event_real(event, field, real(bytes + at, length));
        else
            um_layout_event_whole(event, field, whole(bytes + at, length));
    }
}
