/* Which component an element counts for, of a source that has no handles of windows: the one with
 * the smallest rectangle, by area, that the middle of the element lies in.
 *
 * That is found when an element is arranged, and kept by its id, so that it is found at once when
 * the element is measured. It is found anew at its next arrange when any rectangle of a component
 * has changed, and when the element has left that of its component. Ids are used again: an element
 * that is gone is forgotten, so that the next one with its id is found anew. An element that was
 * scrolled out of sight, or hangs over the edge, counts for whatever lies under its middle.
 *
 * A reader starts at um_layout_areas_bind. Memory is bounded: of more than 32,768 elements, some
 * are forgotten and found anew. Its table doubles as elements come, four times at most, to 1 MiB.
 * Else it never allocates. Thread: one at a time.
 */
#ifndef UM_MONITOR_LAYOUT_AREAS_H
#define UM_MONITOR_LAYOUT_AREAS_H

#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"

/* Relative to the main window's client area, in units of 1/96 inch. */
struct um_layout_area {
    float left, top, right, bottom;
};

struct um_layout_areas;

/* Owner: um_layout_areas_close. Errors: UM_ERR_MEMORY. */
enum um_status um_layout_areas_open(struct um_layout_areas **out);

/* Accepts NULL. */
void um_layout_areas_close(struct um_layout_areas *areas);

/* Where a component is now; NULL: it has no place any more. `id` is that of layout_components.h. */
void um_layout_areas_set(struct um_layout_areas *areas, uint32_t id,
                         const struct um_layout_area *area);

/* The component that an element counts for, which was arranged so; UM_LAYOUT_COMPONENTS_CHROME: its
 * middle lies in none. `element` is not 0. */
uint32_t um_layout_areas_bind(struct um_layout_areas *areas, uint64_t element,
                              const struct um_layout_area *area);

/* The element is gone. One that is not known is no error. */
void um_layout_areas_forget(struct um_layout_areas *areas, uint64_t element);

/* As um_layout_areas_bind, of an element that was bound before; 0: it was not, or was forgotten. */
uint32_t um_layout_areas_find(const struct um_layout_areas *areas, uint64_t element);

/* For measures: the bytes that all of it takes now. */
size_t um_layout_areas_bytes(const struct um_layout_areas *areas);

#endif
