/* From events of a XAML program's UI thread to what each component has cost in a layout frame: the
 * second source of steps, beside the DLL (layout.h). A step is an element's measure or arrange.
 *
 * Steps are paired as the DLL's are (layout_pairs.h). Where an element is, is composed of the
 * places of the elements around it that are being arranged: (0, 0), (50, 200) and (10, 5) end at
 * (60, 205). layout_areas.h says for which component it counts. What an element measured in a frame
 * before it was arranged for the first time counts when the frame ends; if it never was arranged,
 * or has neither width nor height, it counts for <chrome>.
 *
 * Nothing says that the thread has waited. So a layout frame ends when the outermost step has
 * ended, and the next one begins UM_LAYOUT_EVENTS_GAP_NS later, or none comes for
 * UM_LAYOUT_EVENTS_QUIET_NS. A frame of which an event was lost has no numbers. If the outermost
 * step has not ended and nothing comes for UM_LAYOUT_EVENTS_ENDLESS_NS, its end is taken for lost:
 * an exception can leave a step. While the source loses events, or begins within a step, places are
 * not known and no element is bound.
 *
 * A reader starts at um_layout_events_take. Memory is bounded. Never blocks but for its callback.
 * Thread: one at a time.
 */
#ifndef UM_MONITOR_LAYOUT_EVENTS_H
#define UM_MONITOR_LAYOUT_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/plain/ring.h"
#include "base/plain/status.h"
#include "monitor/layout/layout_areas.h"
#include "monitor/layout/layout_event.h"
#include "monitor/layout/layout_pairs.h"

/* Within a frame XAML measures and arranges in turn, as long as there is something to do; between
 * two frames it draws, and handles messages. */
#define UM_LAYOUT_EVENTS_GAP_NS UINT64_C(2000000)
/* ETW may keep events for a second. */
#define UM_LAYOUT_EVENTS_QUIET_NS UINT64_C(2000000000)
/* A program that is frozen within a step goes on after that, but seldom. */
#define UM_LAYOUT_EVENTS_ENDLESS_NS (5 * UM_LAYOUT_EVENTS_QUIET_NS)

struct um_layout_events_config {
    void *context;
    /* A layout frame is over. Each of `list` says in own_ns what the elements of the component in
     * its tag took for its step. `lost`: events were lost; the list is empty. */
    void (*frame)(void *context, const struct um_layout_pair *list, size_t count, bool lost);
};

struct um_layout_events_sum {
    uint64_t taken;  /* events that are steps */
    uint64_t begins; /* steps without an end */
    uint64_t ends;   /* and without a begin */
};

struct um_layout_events;

/* Owner: um_layout_events_close. Errors: UM_ERR_MEMORY. */
enum um_status um_layout_events_open(const struct um_layout_events_config *config,
                                     struct um_layout_events **out);

/* Accepts NULL. Hands no frame over: see um_layout_events_finish. */
void um_layout_events_close(struct um_layout_events *events);

/* Where a component is now; NULL: it has no place any more. */
void um_layout_events_area(struct um_layout_events *events, uint32_t id,
                           const struct um_layout_area *area);

/* Takes the next event of the thread; ignores UM_LAYOUT_EVENT_OTHER. */
void um_layout_events_take(struct um_layout_events *events, const struct um_layout_event *event);

/* Takes all events out of a ring; those that it has lost lie before the next one. Returns how many.
 * Thread: the ring's consumer. */
size_t um_layout_events_drain(struct um_layout_events *events, struct um_ring *ring);

/* Ends the frame that lasts, if it is long over or will not end. Units: on the monotonic clock. */
void um_layout_events_tick(struct um_layout_events *events, uint64_t now_ns);

/* The source has ended: ends the frame that lasts. */
void um_layout_events_finish(struct um_layout_events *events);

struct um_layout_events_sum um_layout_events_sum(const struct um_layout_events *events);

#endif
