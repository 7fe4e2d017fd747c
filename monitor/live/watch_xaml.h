/* The second source of layout costs of a watch: for a program whose windows are XAML's, a session
 * of ETW tells which of its elements measure and arrange themselves (monitor/layout/layout_etw.h).
 * For other programs there is no session, no thread and no ring.
 *
 * A zeroed struct with `host` has none. A reader starts at um_watch_xaml_turn. Thread: the watching
 * one.
 */
#ifndef UM_MONITOR_WATCH_XAML_H
#define UM_MONITOR_WATCH_XAML_H

#include <stdbool.h>
#include <stdint.h>

#include "base/plain/ring.h"
#include "monitor/layout/layout.h"
#include "monitor/target/target_spec.h"

struct um_layout_etw;
struct um_layout_events;

struct um_watch_xaml_host {
    void *context;
    void (*say)(void *context, const char *line); /* for the person at the console */
    void (*say_detail)(void *context, const char *line);
};

struct um_watch_xaml {
    struct um_watch_xaml_host host; /* the caller fills this in */
    struct um_layout *layout;       /* that its frames go to, while there is a session */
    struct um_layout_etw *etw;      /* NULL: there is no session */
    struct um_layout_events *events;
    struct um_ring_slot *slots;
    struct um_ring ring;
    uint32_t pid, tid; /* that the session is of, or that was looked at last */
    uint64_t look_ns;  /* when to look next whether the program has loaded XAML */
    uint64_t wait_ns;  /* between that look and the one after it */
    uint64_t areas_ns; /* when the components' places were last asked for */
    uint64_t held_ns;  /* since when events wait in the ring; 0: none does */
    uint64_t begun_ns; /* the session */
    uint64_t frames;   /* layout frames of the windows when it was begun */
    bool said_silent;  /* that it brings nothing */
    bool failed;       /* there will be no session in this run any more; that was said */
};

/* Begins a session if the target has loaded XAML, and ends it for another target; publishes
 * nothing. `layout` NULL: no costs are wanted now. `is_idle`: nobody uses the target. Also hands
 * over what the session has brought. It says so if somebody has ended the session, and if nothing
 * comes though windows of the target are laid out. Call it often. Thread: waits for the system
 * while a session begins or ends. */
void um_watch_xaml_turn(struct um_watch_xaml *xaml, struct um_layout *layout,
                        const struct um_target_info *target, bool is_idle, uint64_t now_ns);

/* Ends the session, if there is one, hands over what it has brought, and says how much that was. */
void um_watch_xaml_end(struct um_watch_xaml *xaml);

#endif
