/* The hotkeys of a watch, and what the user has chosen with them. A zeroed struct has none, and can
 * be closed. The hotkeys' thread writes the choices, and the watching thread reads them.
 */
#ifndef UM_MONITOR_WATCH_KEYS_H
#define UM_MONITOR_WATCH_KEYS_H

#include <stdatomic.h>

#include "base/hotkeys.h"
#include "monitor/options/options.h"

struct um_watch;
struct um_watch_layout;
struct um_watch_said;

struct um_watch_keys {
    _Atomic int trace;              /* messages are to be traced */
    _Atomic int hide;               /* the overlay is to be hidden */
    _Atomic int move;               /* it is to be at the other edge */
    _Atomic int panel;              /* what it is to show, enum um_wire_panel */
    unsigned marks;                 /* how many the user has set. Thread: the hotkeys' */
    struct um_watch_layout *layout; /* gets what the keys say of it */
    struct um_watch_said *said;
    struct um_watch *watch;     /* gets the marks, as notes */
    struct um_hotkeys *hotkeys; /* NULL: none were registered */
};

/* Registers the keys for which there is something to do, and says which of them other programs
 * have. Owner: um_watch_keys_close; the three others must outlive it. */
void um_watch_keys_open(struct um_watch_keys *keys, const struct um_options *options,
                        struct um_watch_layout *layout, struct um_watch_said *said,
                        struct um_watch *watch);

void um_watch_keys_close(struct um_watch_keys *keys);

#endif
