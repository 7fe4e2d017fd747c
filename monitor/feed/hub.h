/* The hub: hands the feed to every consumer that has connected to the feed pipe: the overlay,
 * `uimon listen`, scripts, tests.
 *
 * Publishing never waits. Frames lie in one queue for all, and each consumer has a place in it and
 * a thread that writes from there on. A consumer that reads too slowly or not at all is kept. The
 * queue writes over its oldest frames, and whoever had not got them is told how many they were, and
 * what holds after them (LOST in ipc/wire.h); the others notice nothing. BEAT, REST, GAP and
 * ACTIVITY and COUNTER_VALUE are sent with the next frame of another type, STATUS at the latest, so
 * that nobody is woken for each of them. A consumer that connects late is first told what still
 * holds (monitor/feed/known.h).
 *
 * Memory: a queue of 128 KiB for all, as much again where a program has many counters of its own,
 * and 16 KiB and a thread for each consumer, however little it reads: 50 of them need less than 1
 * MiB, and their threads as much as the system gives to threads. `./run bench feed` measures both:
 * 49 MiB under Wine, which adds 1 MiB to each thread. The system holds up to 256 KiB more for a
 * consumer that does not read its pipe.
 */
#ifndef UM_MONITOR_HUB_H
#define UM_MONITOR_HUB_H

#include <stdbool.h>
#include <stdint.h>

#include "ipc/status.h"
#include "ipc/transport.h"
#include "monitor/feed/feed.h"

/* One that comes when there are so many is turned away. */
#define UM_HUB_MAX_CONSUMERS 128

struct um_hub;

/* Listens under a random name, which is written to `name` (UM_TRANSPORT_NAME_BYTES).
 * Owner: um_hub_close; `transport` must outlive it. Errors: UM_ERR_MEMORY; UM_ERR_IO. */
enum um_status um_hub_open(const struct um_transport *transport, struct um_hub **hub, char *name);

/* The hub as an output of the feed: it locks for a copy and never waits for a consumer. What slow
 * consumers lose is told to them alone. Owner: the hub stays the caller's. */
struct um_feed_output um_hub_output(struct um_hub *hub);

/* Whether another process has connected to the feed. The overlay does not count: it inherits a
 * connection of this process's. Thread: any; never waits for a consumer. */
bool um_hub_has_listeners(struct um_hub *hub);

/* Gives the consumers up to half a second to take what is queued, then closes their connections and
 * releases the hub. Accepts NULL. */
void um_hub_close(struct um_hub *hub);

#endif
