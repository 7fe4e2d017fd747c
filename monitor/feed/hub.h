/* The hub: sends the feed to every consumer that has connected to the feed pipe: the overlay,
 * `uimon listen`, scripts, tests.
 *
 * Publishing never waits. All consumers share one queue. Each has a place in it, and a thread that
 * writes from there on. A consumer that connects late first gets the frames that still hold
 * (monitor/feed/late_join.h). A consumer that reads too slowly or not at all stays connected. When
 * the queue is full, its oldest frames are removed. A consumer that had not yet got them then gets
 * a LOST with their number, and the frames that still hold (LOST in ipc/wire.h), but not those
 * MARKER_KINDs that it was told so before. Some frames wait for the next of another type
 * (um_wire_waits), so that no thread is woken for each of them.
 *
 * Memory: a queue of 128 KiB for all, as much again if the target has many counters of its own, and
 * 16 KiB and a thread for each consumer. 50 consumers need less than 1 MiB, and what the system
 * gives to their threads. `./run bench feed` measures both: 49 MiB under Wine, which adds 1 MiB to
 * each thread. The system holds up to 256 KiB more for a consumer that does not read its pipe.
 */
#ifndef UM_MONITOR_HUB_H
#define UM_MONITOR_HUB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "ipc/transport.h"
#include "monitor/feed/feed.h"

/* When there are so many, another consumer is turned away. */
#define UM_HUB_MAX_CONSUMERS 128

struct um_hub;

/* Listens under a random name, which is written to `name` (UM_TRANSPORT_NAME_BYTES).
 * Owner: um_hub_close; `transport` must outlive it. Errors: UM_ERR_MEMORY; UM_ERR_IO. */
enum um_status um_hub_open(const struct um_transport *transport, struct um_hub **hub, char *name);

/* The hub as an output of the feed: it locks for a copy and never waits for a consumer. Frames that
 * slow consumers miss do not count as lost. Owner: the hub stays the caller's. */
struct um_feed_output um_hub_output(struct um_hub *hub);

/* Whether another process listens to the feed. The overlay does not count: this process has made
 * its connection. Thread: any; never waits for a consumer. */
bool um_hub_has_listeners(struct um_hub *hub);

/* Waits until the consumers have taken what is queued, for half a second where one does not read.
 * Then closes their connections and releases the hub. Accepts NULL. */
void um_hub_close(struct um_hub *hub);

#endif
