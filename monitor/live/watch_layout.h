/* The layout costs of a watch: measures them while the user wants that, and knows what the overlay
 * is to show of them.
 *
 * It begins with --layout or with the first press of the keys, and pauses while the mode is off.
 * Then the DLL has no hooks for it. What was measured before stays. A zeroed struct measures
 * nothing. Thread: the watching one, but for the two keys.
 */
#ifndef UM_MONITOR_WATCH_LAYOUT_H
#define UM_MONITOR_WATCH_LAYOUT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "monitor/layout/layout.h"
#include "monitor/live/watch_xaml.h"

#define UM_WATCH_LAYOUT_MODULES 32

struct um_session;
struct um_target_info;

struct um_watch_layout {
    struct um_layout_config config; /* the caller fills this in */
    struct um_watch_xaml xaml;      /* the second source; the caller fills in its host */
    struct um_layout *layout;       /* NULL: it was never asked for */
    _Atomic int mode;               /* enum um_wire_layout_mode, as the user wants it now */
    _Atomic unsigned pins;          /* how often the user has pressed the keys that pin */
    bool wanted;                    /* the session was asked for steps */
    bool failed;                    /* there was no memory */
    bool records;                   /* the DLL does, since it was last asked for steps */
    uint64_t awaited_ns;            /* when that was first waited for; 0: it was not */
    uint32_t pid;                   /* of the present attachment, as is all that follows */
    uint32_t tid;
    uint64_t toolkit_window; /* the main one, if um_target_info names its toolkit; else 0 */
    uint64_t *windows;       /* that are being told to `layout` */
    size_t window_count;
    size_t window_next;
    uint64_t listed_ns;                        /* when they were listed; 0: not yet */
    uint64_t modules[UM_WATCH_LAYOUT_MODULES]; /* that were asked about, the oldest is replaced */
    bool is_system[UM_WATCH_LAYOUT_MODULES];
    size_t module_count; /* so far */
};

/* The keys. Thread: any. The first also wraps from the last mode to off. */
void um_watch_layout_next_mode(struct um_watch_layout *layout);
void um_watch_layout_pin(struct um_watch_layout *layout);

/* Asks the session for steps, or for none, as the mode says. */
void um_watch_layout_turn(struct um_watch_layout *layout, struct um_session *session);

/* Whether the DLL will soon record steps and does not yet, because it measures what its hooks cost.
 * After five seconds that is no longer waited for. */
bool um_watch_layout_awaits(struct um_watch_layout *layout, uint64_t now_ns);

/* Takes what the second source has of the target that is attached to, while costs are wanted.
 * `is_idle`: nobody uses it. */
void um_watch_layout_look(struct um_watch_layout *layout, const struct um_target_info *target,
                          bool is_idle, uint64_t now_ns);

/* `describe` and `is_system` of layout.h, about the target. */
bool um_watch_layout_describe(struct um_watch_layout *layout, uint64_t window,
                              struct um_layout_window *out);
bool um_watch_layout_is_system(struct um_watch_layout *layout, uint64_t module);

/* `locate` of layout.h. */
bool um_watch_layout_locate(uint64_t window, uint64_t root, struct um_wire_layout_place *out);

/* The DLL has attached to a thread of the target. */
void um_watch_layout_attached(struct um_watch_layout *layout, const struct um_target_info *target);

/* As um_layout_tick, and tells of the windows that are there: some at a time, so that the steps
 * that come meanwhile do not wait. */
void um_watch_layout_tick(struct um_watch_layout *layout, uint64_t now_ns);

/* As the functions of layout.h with these names, if there is something to measure. */
void um_watch_layout_take(struct um_watch_layout *layout, const struct um_wire_frame *frame);
void um_watch_layout_finish(struct um_watch_layout *layout, uint64_t now_ns); /* both sources */

/* Whether it was asked for, and has seen nothing. */
bool um_watch_layout_is_empty(const struct um_watch_layout *layout);

/* Accepts a zeroed struct. */
void um_watch_layout_close(struct um_watch_layout *layout);

#endif
