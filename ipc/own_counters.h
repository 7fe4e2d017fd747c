/* The counters that a target has of itself, and which of them a number of COUNTER and COUNTER_VALUE
 * stands for. Whoever reads a feed or a recording keeps its values by the places of this list.
 *
 * Two numbers of the same provider and name are one counter, as when the target is attached to
 * again. A feed is not trusted: texts are made safe to print, and numbers are checked. A reader
 * starts at um_own_counters_take. Pure; not in the hook DLL.
 */
#ifndef UM_IPC_OWN_COUNTERS_H
#define UM_IPC_OWN_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/wire.h"

#define UM_OWN_COUNTERS_NONE UM_WIRE_COUNTERS /* in place of a place */
#define UM_OWN_COUNTERS_PATH_BYTES (2 * UM_WIRE_COUNTER_TEXT_BYTES)
#define UM_OWN_COUNTERS_UNIT_BYTES (UM_WIRE_COUNTER_TEXT_BYTES + 2)

struct um_own_counter {
    char provider[UM_WIRE_COUNTER_TEXT_BYTES];
    char name[UM_WIRE_COUNTER_TEXT_BYTES];
    char display[UM_WIRE_COUNTER_TEXT_BYTES]; /* for people; may be empty, like the unit */
    char unit[UM_WIRE_COUNTER_TEXT_BYTES];
    uint8_t kind; /* enum um_wire_counter_kind; any other is of a later version */
};

/* Zeroed, it is empty. Owner: um_own_counters_deinit. */
struct um_own_counters {
    size_t count; /* UM_WIRE_COUNTERS at most */
    struct um_own_counter *list;

    /* Private to own_counters.c. */
    size_t room;
    uint16_t places[UM_WIRE_COUNTERS]; /* of each number: 1 + its place; 0: none */
};

/* Accepts a zeroed struct. */
void um_own_counters_deinit(struct um_own_counters *counters);

/* Takes a COUNTER, and keeps what is told of it last. Returns its place in the list;
 * UM_OWN_COUNTERS_NONE without memory, or if there are UM_WIRE_COUNTERS others. `changed`: it is
 * new, or its kind, display or unit is another one than before. */
size_t um_own_counters_take(struct um_own_counters *counters, const struct um_wire_counter *told,
                            bool *changed);

/* The place of the counter that a number stands for, if what its values mean is known; else
 * UM_OWN_COUNTERS_NONE. */
size_t um_own_counters_place(const struct um_own_counters *counters, uint32_t number);

/* What people call it: its display, or else its name. Owner: the counter. */
const char *um_own_counters_label(const struct um_own_counter *counter);

/* What scripts and other tools call it: "System.Runtime/cpu-usage". */
void um_own_counters_path(const struct um_own_counter *counter,
                          char path[UM_OWN_COUNTERS_PATH_BYTES]);

/* The unit of what it is on average: that of an increment is per second, as "B/s" or "/s". */
void um_own_counters_unit(const struct um_own_counter *counter,
                          char unit[UM_OWN_COUNTERS_UNIT_BYTES]);

#endif
