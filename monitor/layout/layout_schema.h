/* Where the fields of one sort of events lie in its bytes. The system says the names and types of
 * the fields in their order; from that the place of each is known, up to the first field of which
 * the length is not known before. So an event is decoded without asking the system about it again.
 *
 * A reader starts at um_layout_schema_add. Pure; um_layout_schema_read is on the hot path.
 */
#ifndef UM_MONITOR_LAYOUT_SCHEMA_H
#define UM_MONITOR_LAYOUT_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "monitor/layout/layout_event.h"

#define UM_LAYOUT_SCHEMA_FIELDS 8 /* that are of interest */

struct um_layout_schema {
    uint8_t kind; /* enum um_layout_event_kind */
    uint8_t count;
    bool ended;            /* the places of further fields are not known */
    uint32_t length_bytes; /* of the fields so far */
    struct {
        uint8_t field; /* enum um_layout_event_field */
        uint8_t length_bytes;
        bool is_real;
        uint32_t at;
    } fields[UM_LAYOUT_SCHEMA_FIELDS];
};

/* Begins with an event of this name and no fields. */
void um_layout_schema_init(struct um_layout_schema *schema, const char *name);

/* Adds the next field. Units: `length_bytes` 0: it is not known before; other lengths than 1, 2, 4
 * and 8 are gone past. `is_real`: of 4 or 8 bytes as IEEE 754 has them; else a whole number without
 * a sign. */
void um_layout_schema_add(struct um_layout_schema *schema, const char *name, uint32_t length_bytes,
                          bool is_real);

/* Fills in kind and fields of an event that has these bytes, as far as they go. */
void um_layout_schema_read(const struct um_layout_schema *schema, const uint8_t *bytes,
                           size_t len_bytes, struct um_layout_event *event);

#endif
