/* The components of the target's windows, and what their layout has cost.
 *
 * An element is a window. It counts for its component: itself, if it has children or is a root, and
 * else the nearest window around it that is one. Rules can choose other components. A component's
 * numbers include the components within it, but for those that say `own`. A handle that is used
 * again after its window was destroyed is another element; the numbers of a component stay. Its id
 * is used again only for a window of the same class and text in the same component, as of a dialog
 * that is opened again.
 *
 * Each window is counted in its component: as authored if the program itself has created it, and as
 * rendered in any case. What a control creates, as a list its header, is not authored. It counts
 * for the control's component, even if it is a window of the desktop, as the list of a combo box
 * is. A tooltip or a message-only window is no component and counts nowhere.
 *
 * A reader starts at um_layout_components_of and um_layout_components_end_frame. Steps are added to
 * the present layout frame, and enter the sums when it ends. Finding an element takes a constant
 * time. Memory is bounded. Never blocks but for its callbacks. Thread: one at a time.
 */
#ifndef UM_MONITOR_LAYOUT_COMPONENTS_H
#define UM_MONITOR_LAYOUT_COMPONENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "ipc/wire.h"
#include "monitor/layout/layout_pairs.h"
#include "monitor/layout/layout_rules.h"
#include "monitor/layout/layout_window.h"

#define UM_LAYOUT_COMPONENTS_MOST 1000 /* that get a name of their own */
/* The windows that were gone before they were asked. */
#define UM_LAYOUT_COMPONENTS_CHROME UM_WIRE_LAYOUT_CHROME
#define UM_LAYOUT_COMPONENTS_OTHERS 2u /* all components beyond the most */
#define UM_LAYOUT_COMPONENTS_FIRST 3u  /* id of the first one that is a window */
#define UM_LAYOUT_COMPONENTS_IDS (UM_LAYOUT_COMPONENTS_FIRST + UM_LAYOUT_COMPONENTS_MOST)
#define UM_LAYOUT_COMPONENTS_WINDOWS 65536 /* at a time: no session of Windows has more */
#define UM_LAYOUT_COMPONENTS_ALPHA 0.2     /* weight of the latest frame in `mean_ms` */
#define UM_LAYOUT_COMPONENTS_MESSAGES 16

/* A message of a component's own elements, with its handler. */
struct um_layout_components_message {
    uint64_t handler;
    uint64_t own_ns;
    uint32_t message; /* 0: there is none */
};

struct um_layout_component {
    uint32_t parent; /* the component around it; 0: there is none */
    uint64_t window; /* its handle; 0: it is gone, or it is no window */
    char window_class[UM_WIRE_LAYOUT_TEXT_BYTES];
    char text[UM_WIRE_LAYOUT_TEXT_BYTES];
    uint32_t frames; /* in which it, or a component within, had a step */
    uint64_t step_ns[UM_LAYOUT_STEP_COUNT];
    uint64_t own_layout_ns;
    uint64_t worst_frame_ns;                     /* layout */
    uint64_t last_step_ns[UM_LAYOUT_STEP_COUNT]; /* in the last of its frames */
    double mean_ms;                              /* layout of a frame, as a moving average */
    uint32_t last_frame;                         /* number of the last of its frames */
    uint64_t recent_worst_ns; /* as worst_frame_ns, since the caller has set `recent` to false */
    uint32_t authored;        /* by um_layout_components_count, as is the next one */
    uint32_t rendered;
    /* By the same: none of its parts is seen, because its toolkit draws them, or because it is
     * a root of the program's own that never had another window in it. */
    bool draws_parts;
    /* The caller sets these to false when it has told of them: */
    bool
        is_news; /* what it is has changed: it is new, its window is gone, or it has other counts */
    bool changed; /* it had a frame */
    bool recent;  /* the same, for a caller that asks more often */
    /* Private to layout_components.c: without the components within. */
    uint32_t own_authored;
    uint32_t own_rendered;
    bool is_control;
    bool by_toolkit; /* draws_parts of the window */
    bool had_parts;  /* it had another window in it */
    /* The same: of the present frame. */
    bool in_frame;
    uint64_t frame_own_ns[UM_LAYOUT_STEP_COUNT];
    uint64_t frame_ns[UM_LAYOUT_STEP_COUNT];
    /* When all places are taken, a new message gets the place and the time of the least: so the
     * one that takes most of the time is always there. */
    struct um_layout_components_message messages[UM_LAYOUT_COMPONENTS_MESSAGES];
};

struct um_layout_components_config {
    void *context;
    /* Tells of a window; false if it is gone. May block. */
    bool (*describe)(void *context, uint64_t window, struct um_layout_window *out);
    /* Whether the module at an address of the target is one of the system's. NULL: none is. May
     * block. */
    bool (*is_system)(void *context, uint64_t module);
    /* What is a component, besides roots. NULL: what has children. Owner: the caller. */
    const struct um_layout_rules *rules;
};

struct um_layout_components;

/* Owner: um_layout_components_close. Errors: UM_ERR_MEMORY. */
enum um_status um_layout_components_open(const struct um_layout_components_config *config,
                                         struct um_layout_components **out);

/* Accepts NULL. */
void um_layout_components_close(struct um_layout_components *components);

/* The id of the component that a window counts for. Asks for windows that are not known yet. */
uint32_t um_layout_components_of(struct um_layout_components *components, uint64_t window);

/* A window is there, and was perhaps there before anything was measured. Then it is not known who
 * created it: a control, if it lies in one; else the program. */
void um_layout_components_found(struct um_layout_components *components, uint64_t window);

/* A window was created, for a module and by the procedure of `creator` (each 0: not known): the
 * window that it lies in is a component from now on, unless rules choose. */
void um_layout_components_created(struct um_layout_components *components, uint64_t window,
                                  uint64_t module, uint64_t creator);

/* A window goes. */
void um_layout_components_destroyed(struct um_layout_components *components, uint64_t window);

/* Windows came and went unseen. Each is asked about again, and keeps its component if it is still
 * of the same class and in the same component. */
void um_layout_components_unseen(struct um_layout_components *components);

/* Looks at so many of the components, and the next time at those after them: whether the window of
 * one lies in another component than it did, as when a program docks a pane elsewhere, of which
 * there is no record. Takes a time for each. */
bool um_layout_components_moved(struct um_layout_components *components, uint32_t most);

/* Asks about those that were not asked about since then, and forgets those that are gone. To be
 * called when all that are there were given to um_layout_components_found: it takes a time for each
 * that was not. */
void um_layout_components_forget(struct um_layout_components *components);

/* Sums up the counts of all components. */
void um_layout_components_count(struct um_layout_components *components);

/* Adds a step with times to the present frame, for the component with the id in its tag. */
void um_layout_components_add(struct um_layout_components *components,
                              const struct um_layout_pair *pair);

/* The present frame ends. Without `counts`, what was added to it is thrown away. */
void um_layout_components_end_frame(struct um_layout_components *components, bool counts);

/* One more than the greatest id that is in use. */
uint32_t um_layout_components_end(const struct um_layout_components *components);

/* A component by its id, which is below um_layout_components_end and not 0. Owner: `components`,
 * until a window is asked about. */
struct um_layout_component *um_layout_components_get(struct um_layout_components *components,
                                                     uint32_t id);

/* The message that took most of a component's own time; its `message` is 0 if none did. */
struct um_layout_components_message
um_layout_components_costliest(const struct um_layout_component *component);

/* For tests: how many elements there are, and the bytes that they take. */
size_t um_layout_components_elements(const struct um_layout_components *components, size_t *bytes);

#endif
