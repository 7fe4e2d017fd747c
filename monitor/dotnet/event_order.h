/* Puts the events of a .NET runtime in the order of their time, and keeps at most
 * UM_EVENT_ORDER_PER_S of each second: the first of them that come. The rest is counted.
 *
 * The runtime sends the events of one thread after those of another. An event is held until it is
 * known that no older one comes (um_nettrace_taker, `settled`), or until UM_EVENT_ORDER_HELD others
 * are held as well. Pure; one thread; not on the hot path. A reader starts at um_event_order_take.
 */
#ifndef UM_MONITOR_EVENT_ORDER_H
#define UM_MONITOR_EVENT_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "monitor/dotnet/nettrace.h"

#define UM_EVENT_ORDER_PER_S 5000
#define UM_EVENT_ORDER_HELD 16384
#define UM_EVENT_ORDER_PAYLOAD_BYTES 4096 /* of an event's payload that are kept */

/* A copy of an event. Owner: free. */
struct um_event {
    const struct um_event_kind *kind;
    uint64_t time_ns;
    uint64_t thread;
    uint64_t lost; /* how many events were left out before this one came, of whichever thread */
    uint8_t activity[UM_NETTRACE_ID_BYTES]; /* all 0: none */
    uint8_t related[UM_NETTRACE_ID_BYTES];
    bool fits;            /* the whole payload is what `kind` says (um_event_kind_fits) */
    size_t payload_bytes; /* of the whole one */
    size_t len_bytes;     /* that are in `payload` */
    uint8_t payload[];
};

struct um_event_order;

/* `give` gets the events in their order, and owns them. Owner: um_event_order_close.
 * Errors: UM_ERR_MEMORY. */
enum um_status um_event_order_open(void (*give)(void *context, struct um_event *event),
                                   void *context, struct um_event_order **order);

/* Takes an event. Without memory, it counts as lost. */
void um_event_order_take(struct um_event_order *order, const struct um_nettrace_event *event);

/* So many events are missing here, because the runtime had no room for them. */
void um_event_order_lose(struct um_event_order *order, uint64_t count);

/* No event comes that is older than this: gives those that are not younger. UINT64_MAX: all. */
void um_event_order_settled(struct um_event_order *order, uint64_t time_ns);

/* How many events were left out, those of um_event_order_lose among them. */
uint64_t um_event_order_lost(const struct um_event_order *order);

/* Drops what is held. Accepts NULL. */
void um_event_order_close(struct um_event_order *order);

#endif
