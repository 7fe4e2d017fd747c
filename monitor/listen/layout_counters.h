/* What the layout of the target's components costs, interval by interval: LAYOUT_COMPONENT and
 * LAYOUT_METERS go in, struct um_counters_target comes out. Only counters.c uses this; a reader
 * starts there.
 *
 * A counter is called "layout/", and the component's text, or its class if it has none. If another
 * one is called so already, its number follows, as in "layout/Pane#7". A feed is not trusted: texts
 * are made safe to print, and numbers of a component that has no LAYOUT_COMPONENT are left out. One
 * thread; never blocks.
 */
#ifndef UM_MONITOR_LAYOUT_COUNTERS_H
#define UM_MONITOR_LAYOUT_COUNTERS_H

#include <stddef.h>

#include "ipc/wire.h"
#include "monitor/listen/counters.h"

/* A zeroed struct has no counters. */
struct um_layout_counters {
    size_t count, room;
    struct um_counters_target *list; /* each at the index of its id; no name: there is none */
};

void um_layout_counters_deinit(struct um_layout_counters *counters);

/* Takes a LAYOUT_COMPONENT. Returns its counter if that is new or is called otherwise now, else
 * NULL; also NULL without memory. Owner: the list. */
const struct um_counters_target *
um_layout_counters_describe(struct um_layout_counters *counters,
                            const struct um_wire_layout_component *component);

void um_layout_counters_take(struct um_layout_counters *counters,
                             const struct um_wire_layout_meters *meters);

/* Ends an interval: copies the counters that have a value, those first whose frames cost most.
 * Returns how many; `targets` has room for UM_WIRE_LAYOUT_COMPONENTS. */
size_t um_layout_counters_settle(struct um_layout_counters *counters,
                                 struct um_counters_target *targets);

/* Forgets the values since the last interval. */
void um_layout_counters_forget(struct um_layout_counters *counters);

#endif
