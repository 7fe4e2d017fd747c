/* The hub: hands the feed to every consumer that has connected to the feed pipe: the overlay,
 * scripts, tests.
 *
 * Publishing never waits. Each consumer has a queue of its own and a thread that empties it; a slow
 * consumer loses its oldest frames, and the loss is counted. BEAT and GAP are sent with the next
 * frame of another type, STATUS at the latest, so that nobody is woken for each of them. A consumer
 * that connects late is first told what still holds: the preamble, the last SESSION, RUNG and
 * VIEW, the episodes that last, and the last STATUS.
 */
#ifndef UM_MONITOR_HUB_H
#define UM_MONITOR_HUB_H

#include <stdbool.h>
#include <stdint.h>

#include "ipc/status.h"
#include "ipc/transport.h"
#include "monitor/feed/feed.h"

#define UM_HUB_MAX_CONSUMERS 16

struct um_hub;

/* Listens under a random name, which is written to `name` (UM_TRANSPORT_NAME_BYTES).
 * Owner: um_hub_close; `transport` must outlive it. Errors: UM_ERR_MEMORY; UM_ERR_IO. */
enum um_status um_hub_open(const struct um_transport *transport, struct um_hub **hub, char *name);

/* The hub as an output of the feed: it locks for a copy and never waits for a consumer. Lost are
 * the frames that slow consumers did not get. Owner: the hub stays the caller's. */
struct um_feed_output um_hub_output(struct um_hub *hub);

/* Whether another process has connected to the feed. The overlay does not count: it inherits a
 * connection of this process's. Thread: any; never waits for a consumer. */
bool um_hub_has_listeners(struct um_hub *hub);

/* Gives the consumers up to half a second to take what is queued, then closes their connections and
 * releases the hub. Accepts NULL. */
void um_hub_close(struct um_hub *hub);

#endif
