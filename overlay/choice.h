/* Which components get a meter: the rules of the three modes, on what is known of each component.
 * Pure. Start at um_choice_make.
 *
 * Components: the meter of a component hides those of the components within it, but for one that
 * has more than half of its layout time, more than half of its windows, or more than twice its
 * ratio of windows. Roots always have one. Heatmap: the ten that exceed their threshold most, at
 * any depth. Inspect: the one under the cursor. The pinned one has a meter in each mode.
 */
#ifndef UM_OVERLAY_CHOICE_H
#define UM_OVERLAY_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/wire.h"
#include "overlay/canvas.h"

#define UM_CHOICE_WINDOWS 256
#define UM_CHOICE_HEATMAP_MOST 10
#define UM_CHOICE_HEATMAP_MS 2.0    /* a component of the heatmap exceeds this */
#define UM_CHOICE_HEATMAP_RATIO 3.0 /* ... or this */

struct um_choice_item {
    /* The caller fills these in. Items are in the order of their ids, so parents come first. */
    uint32_t id;
    uint32_t parent; /* an id; 0: it is a root */
    uint64_t window; /* 0: it has none */
    bool measured;
    double mean_ms; /* layout of a frame */
    uint32_t authored, rendered;
    bool draws_parts; /* none of its parts is seen */
    /* um_parts_look fills these in. */
    bool seen;                  /* it is on the screen */
    struct um_canvas_rect rect; /* where, without what its parents cut off */
    unsigned depth;             /* how many windows may lie over it */
    /* um_choice_make sets this. */
    bool shown;
};

/* Windows of the desktop that hide what lies below them, the topmost first. A component with the
 * `depth` i lies in windows[i], so windows[0] to windows[i - 1] lie over it. */
struct um_choice_windows {
    size_t count;
    struct um_canvas_rect list[UM_CHOICE_WINDOWS];
};

/* Whether one of these windows lies over a rectangle of a component with this depth. */
bool um_choice_is_covered(const struct um_choice_windows *windows, unsigned depth,
                          const struct um_canvas_rect *rect);

/* The item with this id; NULL: there is none. */
const struct um_choice_item *um_choice_find(const struct um_choice_item *items, size_t count,
                                            uint32_t id);

/* Sets `shown` of each item. `hover` and `pin` are ids; 0: none. A component that is not seen is
 * never shown. */
void um_choice_make(enum um_wire_layout_mode mode, uint32_t hover, uint32_t pin,
                    struct um_choice_item *items, size_t count);

/* The id of the component that costs most of those that are shown: from the one with the most
 * layout time inwards, as long as one within it has more than half of that. 0: fewer than two are
 * shown, or none has cost anything. */
uint32_t um_choice_costliest(const struct um_choice_item *items, size_t count);

/* What is pinned after the keys were pressed: what is under the cursor, or nothing if that is
 * pinned already, or if there is nothing. */
uint32_t um_choice_pin(uint32_t pin, uint32_t hover);

#endif
