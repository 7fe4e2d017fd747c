/* The definition of an event of .NET: who writes it, what it is called, and what its payload has.
 * Objects in a payload are taken apart: a field of theirs is called "object.field". What comes
 * before an array is read, and what comes after it is not. The same goes for a field of an unknown
 * type. Arrays are not read, because a runtime writes their length with two bytes or with four, and
 * a definition does not say with how many.
 *
 * Of a method with an array among its parameters, .NET Core 3.1 describes no field at all: its
 * EventPipeMetadataGenerator writes a definition with a count of 0 then, as it does for a method
 * without parameters.
 *
 * Not on the hot path. Pure; a definition that was read does not change, so any thread may use it.
 * Source: "NetTrace File Format", microsoft/perfview, TraceEvent/EventPipe/NetTraceFormat_v5.md,
 * "Metadata event encoding"; EventSource.cs of dotnet/runtime for dates and truth values, tried
 * with .NET Core 3.1.
 */
#ifndef UM_MONITOR_EVENT_KIND_H
#define UM_MONITOR_EVENT_KIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "monitor/dotnet/cursor.h"

#define UM_EVENT_KIND_FIELDS 32
#define UM_EVENT_KIND_NAME_BYTES 64
#define UM_EVENT_KIND_TEXT_BYTES 128

enum um_event_kind_opcode {
    UM_EVENT_KIND_INFO = 0, /* or any other that says nothing of begin and end */
    UM_EVENT_KIND_START = 1,
    UM_EVENT_KIND_STOP = 2
};

struct um_event_kind_field {
    char name[UM_EVENT_KIND_NAME_BYTES];
    uint8_t type; /* as in System.TypeCode; private to event_kind.c */
};

struct um_event_kind {
    uint32_t definition; /* the number by which events refer to it */
    uint32_t id;         /* of the event in its provider */
    uint8_t opcode;      /* enum um_event_kind_opcode */
    bool suffixed;       /* `name` ends in the opcode's name */
    bool whole;          /* `fields` are all that the definition has */
    uint8_t count;       /* of `fields` */
    char provider[UM_EVENT_KIND_TEXT_BYTES];
    char name[UM_EVENT_KIND_TEXT_BYTES]; /* "RequestStart"; empty if it has none */
    struct um_event_kind_field fields[UM_EVENT_KIND_FIELDS];
};

/* Reads a definition. Where no opcode is given, it is taken from the end of the name, as .NET's own
 * tools do. Errors: UM_ERR_FORMAT it ends before its fields. */
enum um_status um_event_kind_read(struct um_cursor *payload, struct um_event_kind *kind);

/* The value of a field. */
struct um_event_kind_value {
    bool is_number; /* a finite one that `number` has to the last digit; else `text` has it */
    bool cut;       /* of `text`: there was more of it */
    double number;  /* of any number */
    char text[UM_EVENT_KIND_TEXT_BYTES];
};

/* Reads the values of a payload, for as many fields as it has; returns how many these are. The
 * cursor is then at what could not be read. `cut`: the payload goes on behind the cursor's end; a
 * text that ends there is taken as far as it goes. */
size_t um_event_kind_values(const struct um_event_kind *kind, struct um_cursor *payload, bool cut,
                            struct um_event_kind_value values[UM_EVENT_KIND_FIELDS]);

/* Whether a payload, up to the cursor's end, is what the definition says: it has all of `fields`,
 * and something behind them only if the definition goes on. If not, it is not known where a field
 * begins, so none of their values may be shown. */
bool um_event_kind_fits(const struct um_event_kind *kind, struct um_cursor payload);

/* An id of 16 bytes as .NET writes it: "00000011-0000-0000-0000-000052999d59". `text` has
 * UM_EVENT_KIND_GUID_BYTES. */
#define UM_EVENT_KIND_GUID_BYTES 37
void um_event_kind_guid(const uint8_t *bytes, char *text);

#endif
