/* Markers as lines of text, so that a test can compare all of them at once. */
#ifndef UM_TESTS_MARKER_TEXT_H
#define UM_TESTS_MARKER_TEXT_H

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/double_bits.h"
#include "monitor/flows/markers.h"

/* A line a marker: "THREAD:N name START-END stack open; key=value; flow=>id; flow=|id@TIME". The
 * time is there where it is not the marker's start. Units: milliseconds. Returns `text`. */
static inline const char *marker_text(const struct um_markers *markers, char *text, size_t cap)
{
    size_t len = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < markers->count && len < cap; i++) {
        const struct um_marker *marker = &markers->list[i];
        char name[UM_MARKERS_NAME_BYTES];
        len += (size_t)snprintf(
            text + len, cap - len, "%s %s %g", um_markers_name(markers, i, name),
            um_markers_get_text(markers, marker->name), (double)marker->start_ns / 1e6);
        if (marker->interval && len < cap)
            len += (size_t)snprintf(text + len, cap - len, "-%g", (double)marker->end_ns / 1e6);
        if (len < cap)
            len +=
                (size_t)snprintf(text + len, cap - len, "%s%s", marker->stack_based ? " stack" : "",
                                 marker->open ? " open" : "");
        for (uint32_t k = 0; k < marker->field_count && len < cap; k++) {
            const struct um_marker_field *field = &markers->fields[marker->first_field + k];
            len += (size_t)snprintf(text + len, cap - len,
                                    "; %s=", um_markers_get_text(markers, field->name));
            if (len >= cap)
                break;
            if (field->kind == UM_MARKER_NUMBER)
                len += (size_t)snprintf(text + len, cap - len, "%g",
                                        um_double_bits_value(field->value));
            else if (field->kind == UM_MARKER_TEXT)
                len += (size_t)snprintf(text + len, cap - len, "%s",
                                        um_markers_get_text(markers, field->value));
            else
                len += (size_t)snprintf(text + len, cap - len, "%c%s",
                                        field->kind == UM_MARKER_FLOW ? '>' : '|',
                                        um_texts_get(&markers->flow_ids, (uint32_t)field->value));
            if (um_markers_is_flow(field) && field->at_ns != marker->start_ns && len < cap)
                len += (size_t)snprintf(text + len, cap - len, "@%g", (double)field->at_ns / 1e6);
        }
        if (len < cap)
            len += (size_t)snprintf(text + len, cap - len, "\n");
    }
    return text;
}

#endif
