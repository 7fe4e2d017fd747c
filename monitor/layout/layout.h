/* What the layout of the target's windows costs: LAYOUT_STEPS of the hook DLL become
 * LAYOUT_COMPONENT, LAYOUT_PLACE, LAYOUT_METERS and LAYOUT_TIMES of the feed.
 *
 * A layout frame is what the UI thread does for layout and painting between two times at which it
 * waits, or retrieves something but a paint. One of which a record was lost has no numbers, and is
 * counted as lost. A step in which the thread waits, as one with a dialog in it, has no time.
 *
 * A reader starts at um_layout_take. layout_pairs.h says how times are found, and
 * layout_components.h to which window they belong. Portable. Thread: one at a time; blocks only in
 * its callbacks.
 */
#ifndef UM_MONITOR_LAYOUT_H
#define UM_MONITOR_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "ipc/wire.h"
#include "monitor/layout/layout_pairs.h"
#include "monitor/layout/layout_rules.h"
#include "monitor/layout/layout_window.h"

struct um_layout_components;

struct um_layout_config {
    void *context;
    /* Puts a frame on the feed. */
    void (*publish)(void *context, const struct um_wire_frame *frame);
    /* Tells of a window of the target; false if it is gone. */
    bool (*describe)(void *context, uint64_t window, struct um_layout_window *out);
    /* The key of a handler's address, as of a node of NODES. */
    uint64_t (*key)(void *context, uint64_t address);
    /* Whether the module at an address of the target is one of the system's. NULL: none is. */
    bool (*is_system)(void *context, uint64_t module);
    /* Which windows are components. NULL: those that have children. Owner: the caller. */
    const struct um_layout_rules *rules;
    /* Where a window is within a root, or the root itself: fills in left, top, width and height.
     * False if it is not on the screen, or that is not known. NULL: it never is. */
    bool (*locate)(void *context, uint64_t window, uint64_t root, struct um_wire_layout_place *out);
    /* Hears of each step with a time, from its begin to this end, that was a sent message. NULL:
     * nobody does. */
    void (*stepped)(void *context, const struct um_layout_pair *step, uint64_t end_ns);
};

struct um_layout_sum {
    uint64_t frames; /* layout frames that count */
    uint64_t lost;   /* layout frames more, of which a record was lost */
    uint64_t begins; /* steps without an end */
    uint64_t ends;   /* and without a begin */
};

struct um_layout;

/* Owner: um_layout_close. Errors: UM_ERR_MEMORY. */
enum um_status um_layout_open(const struct um_layout_config *config, struct um_layout **out);

/* Accepts NULL. Publishes nothing: see um_layout_finish. */
void um_layout_close(struct um_layout *layout);

/* The DLL has attached, or begins to send LAYOUT_STEPS again: windows came and went unseen. */
void um_layout_attached(struct um_layout *layout);
void um_layout_resumed(struct um_layout *layout);

/* Whether all windows that there are should be told with the next three: windows came and went
 * unseen. They may be told one by one, between other calls. */
bool um_layout_wants_windows(const struct um_layout *layout);

/* The list is made now. */
void um_layout_listed(struct um_layout *layout);

/* A window of the list, so that it is a component before it costs anything. Asks for it
 * (`describe`), unless it is known already. */
void um_layout_found(struct um_layout *layout, uint64_t window);

/* The list is over: windows that are gone are forgotten. */
void um_layout_found_all(struct um_layout *layout);

/* Takes a frame of the DLL; ignores other types than LAYOUT_STEPS. Asks for windows (`describe`)
 * that it does not know; publishes nothing. */
void um_layout_take(struct um_layout *layout, const struct um_wire_frame *frame);

/* Publishes what has changed: meters ten times a second, sums twice. After something was arranged,
 * asks where all components are, twice a second, for some at a time (`locate`). Call it more often.
 * Units: on the monotonic clock. */
void um_layout_tick(struct um_layout *layout, uint64_t now_ns);

/* The DLL has left, or is to send no more: ends the layout frame that lasts, and publishes what has
 * changed. It may go on after that with um_layout_attached. */
void um_layout_finish(struct um_layout *layout, uint64_t now_ns);

struct um_layout_sum um_layout_sum(const struct um_layout *layout);

/* For a second source of steps, which has no handles of windows (layout_events.h): the components,
 * whose ids it uses. Owner: `layout`. */
struct um_layout_components *um_layout_components(struct um_layout *layout);

/* Whether a layout frame of the DLL lasts. */
bool um_layout_in_frame(const struct um_layout *layout);

/* A layout frame of the second source. Each of `list` says in own_ns what the component with the id
 * in its tag took for its step. `lost`: it has no numbers. While a frame of the DLL lasts, it
 * becomes part of that one. A component that the second source has steps of counts its windows' own
 * measure and arrange no more, because the second source's steps lie within them. */
void um_layout_count(struct um_layout *layout, const struct um_layout_pair *list, size_t count,
                     bool lost);

/* The second source has ended: from the next step on, each window's measure and arrange count. */
void um_layout_count_ended(struct um_layout *layout);

#endif
