/* Makes intervals of events of .NET that begin and end something, and instants of all others.
 *
 * A Stop belongs to the last Start before it that has none yet, of the same provider, task and
 * activity; where they have no activity, of the same thread instead, and only if no event was lost
 * between them (um_event, `lost`). The task is the event's name without "Start" or "Stop". Where an
 * opcode says what an event is and its name does not, events of the same activity are a pair
 * whatever they are called. A Stop without a Start is an instant. A Start without a Stop is an open
 * interval, which is given at the end, or when UM_EVENT_PAIRS_OPEN others have begun after it.
 *
 * Pure; one thread; not on the hot path. A reader starts at um_event_pairs_take.
 * Source: "EventSource activity IDs", learn.microsoft.com; ExtractImpliedOpcode in
 * EventPipeMetadata.cs of microsoft/perfview.
 */
#ifndef UM_MONITOR_EVENT_PAIRS_H
#define UM_MONITOR_EVENT_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "monitor/dotnet/event_order.h"

#define UM_EVENT_PAIRS_OPEN 1024

struct um_event_pair {
    struct um_event *first; /* the Start, or the event */
    struct um_event *stop;  /* NULL: it is an instant, or open */
    bool open;              /* a Start without a Stop */
    uint64_t end_ns;        /* of an open one: the time up to which none has come */
};

struct um_event_pairs;

/* Releases the events of a pair. */
void um_event_pairs_release(struct um_event_pair *pair);

/* `give` gets the pairs, when they are over, and owns them. Owner: um_event_pairs_close.
 * Errors: UM_ERR_MEMORY. */
enum um_status um_event_pairs_open(void (*give)(void *context, const struct um_event_pair *pair),
                                   void *context, struct um_event_pairs **pairs);

/* Takes the next event, and owns it. */
void um_event_pairs_take(struct um_event_pairs *pairs, struct um_event *event);

/* Gives what is open: no event comes any more, and none had come until `end_ns`. */
void um_event_pairs_end(struct um_event_pairs *pairs, uint64_t end_ns);

/* Drops what is open. Accepts NULL. */
void um_event_pairs_close(struct um_event_pairs *pairs);

/* How long an event's name is without what `suffixed` means: of its task. */
size_t um_event_pairs_task(const struct um_event_kind *kind);

/* Whether an event has such an id: it is not all 0. */
bool um_event_pairs_has_id(const uint8_t *id);

#endif
