/* Collects the counters and the events of a .NET process on a thread of its own, so that nobody
 * else waits for the runtime. The thread that publishes takes counters as frames of the feed
 * (counter_frames.h), and events in pairs (event_pairs.h).
 *
 * At most UM_COLLECTOR_QUEUE values and UM_COLLECTOR_PAIRS pairs are queued; further ones are lost,
 * and counted. At the end the runtime is asked to stop the session. Not on the hot path. A reader
 * starts at um_collector_open, and in collector.c at run.
 */
#ifndef UM_MONITOR_COLLECTOR_H
#define UM_MONITOR_COLLECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "ipc/wire.h"
#include "monitor/dotnet/event_pairs.h"
#include "monitor/dotnet/eventpipe.h"
#include "monitor/dotnet/instruments.h"
#include "monitor/dotnet/reverse.h"

#define UM_COLLECTOR_QUEUE 2048 /* of a program that starts: those of about a minute */
#define UM_COLLECTOR_PROVIDERS 33
#define UM_COLLECTOR_FRAMES 2
/* What may come at once at the end, behind the events of a second. */
#define UM_COLLECTOR_PAIRS (UM_EVENT_ORDER_HELD + UM_EVENT_PAIRS_OPEN + UM_EVENT_ORDER_PER_S)

struct um_collector;

/* Starts collecting: the counters of all providers, those of the meters that are called as they are
 * (instruments.h), and the events of those that have `events`. `providers`, at most
 * UM_COLLECTOR_PROVIDERS, and their names are copied. `reverse` is the pipe to which the runtime of
 * a program connects that was just started; until um_collector_settle nothing else is tried. NULL:
 * the runtime's own pipe.
 * Owner: um_collector_close; `reverse` must outlive it. Units: `interval_s` is 0.1 or more.
 * Errors: UM_ERR_ARG too many providers, or none; UM_ERR_MEMORY; UM_ERR_TOO_LARGE their names. */
enum um_status um_collector_open(uint32_t pid, const struct um_eventpipe_provider *providers,
                                 size_t count, double interval_s, struct um_reverse *reverse,
                                 struct um_collector **collector);

/* The program has started up: if its runtime has not connected within a second, its own pipe is
 * tried, as one of .NET Core 3 has no other. Thread: any; never blocks. */
void um_collector_settle(struct um_collector *collector);

enum um_collector_state {
    UM_COLLECTOR_ASKS,    /* the runtime has not answered yet */
    UM_COLLECTOR_RUNS,    /* it sends its counters */
    UM_COLLECTOR_REFUSED, /* there is no session: `status` says why, as um_diagnostics->open */
    UM_COLLECTOR_BROKEN,  /* the session has broken off: `status` is UM_ERR_CLOSED if the runtime
                           * ended it, else as um_diagnostics->read and um_nettrace_bytes */
    UM_COLLECTOR_STOPPED  /* after um_collector_stop */
};

struct um_collector_view {
    enum um_collector_state state;
    enum um_status status;
    uint64_t lost;        /* values that were dropped for lack of room */
    uint64_t lost_events; /* events that came too fast, or for which nobody had room */
    bool full;            /* there are more than UM_WIRE_COUNTERS counters */
    unsigned meters;      /* enum um_instruments_news: what was said of the meters so far */
};

struct um_collector_view um_collector_look(struct um_collector *collector);

/* Takes the frames of the next value; 0: there is none. Thread: one at a time; never blocks. */
size_t um_collector_next(struct um_collector *collector, uint64_t now_ns,
                         struct um_wire_frame frames[UM_COLLECTOR_FRAMES]);

/* Takes the next pair; false: there is none. Its events are valid until um_collector_close.
 * Owner: um_event_pairs_release. Thread: one at a time; never blocks. */
bool um_collector_next_pair(struct um_collector *collector, struct um_event_pair *pair);

/* Asks it to end; does not wait. */
void um_collector_stop(struct um_collector *collector);

/* Waits for the end, for 2 s at most. Accepts NULL. */
void um_collector_close(struct um_collector *collector);

#endif
