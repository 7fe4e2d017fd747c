/* The types of markers, for a format that says once what all markers of a type have: those with the
 * same name and the same fields are of one type. Not on the hot path. Thread: one at a time.
 */
#ifndef UM_MONITOR_MARKER_TYPES_H
#define UM_MONITOR_MARKER_TYPES_H

#include <stdint.h>

#include "base/plain/status.h"
#include "monitor/flows/markers.h"

#define UM_MARKER_TYPES_BYTES 1024 /* of a name or key, which is cut there */

/* Readers may read all of it. */
struct um_marker_types {
    const struct um_markers *markers;
    const uint8_t *kinds; /* of each field, as it is written: enum um_marker_field_kind */
    uint32_t *list;       /* of each type a marker that is of it */
    uint32_t count;
    uint32_t *of_marker;  /* the type of each */
    uint32_t *categories; /* of the markers, each once: some of the texts */
    uint32_t category_count;
    uint32_t *category_of; /* of a text that is one: its place in `categories` */
};

/* `kinds` must outlive this. Owner: um_marker_types_deinit, also after a failure. Errors:
 * UM_ERR_MEMORY. */
enum um_status um_marker_types_init(struct um_marker_types *types, const struct um_markers *markers,
                                    const uint8_t *kinds);
void um_marker_types_deinit(struct um_marker_types *types);

/* What a type is called, which no other is: "Key taken #2". Returns `text`, of
 * UM_MARKER_TYPES_BYTES. */
const char *um_marker_types_name(const struct um_marker_types *types, uint32_t type, char *text);

/* The key of a marker's field: its name, or with a number if the marker has one that is called so
 * before it, or the format needs that key itself. Returns `text`. */
const char *um_marker_types_key(const struct um_markers *markers, uint32_t marker, uint32_t field,
                                char *text);

#endif
