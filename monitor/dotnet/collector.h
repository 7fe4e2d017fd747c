/* Collects the counters of a .NET process on a thread of its own, which may wait for the runtime as
 * long as that takes: nobody else waits for it. What was collected comes out as frames of the feed
 * (counter_frames.h), on the thread that publishes them.
 *
 * At most UM_COLLECTOR_QUEUE values wait to be fetched; what comes meanwhile is lost, and counted.
 * At the end the runtime is asked to stop the session. Not on the hot path. A reader starts at
 * um_collector_open, and in collector.c at run.
 */
#ifndef UM_MONITOR_COLLECTOR_H
#define UM_MONITOR_COLLECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/status.h"
#include "ipc/wire.h"
#include "monitor/dotnet/eventpipe.h"

#define UM_COLLECTOR_QUEUE 512
#define UM_COLLECTOR_PROVIDERS 32
#define UM_COLLECTOR_FRAMES 2

struct um_collector;

/* Begins to ask a process. `providers`, at most UM_COLLECTOR_PROVIDERS, and their names are copied.
 * Owner: um_collector_close. Units: `interval_s` is 0.1 or more.
 * Errors: UM_ERR_ARG too many providers, or none; UM_ERR_MEMORY. */
enum um_status um_collector_open(uint32_t pid, const struct um_eventpipe_provider *providers,
                                 size_t count, double interval_s, struct um_collector **collector);

enum um_collector_state {
    UM_COLLECTOR_ASKS,    /* the runtime has not answered yet */
    UM_COLLECTOR_RUNS,    /* it sends its counters */
    UM_COLLECTOR_REFUSED, /* there is no session: `status` says why, as um_diagnostics_open */
    UM_COLLECTOR_BROKEN,  /* the session has broken off: `status` is UM_ERR_CLOSED if the runtime
                           * ended it, else as um_diagnostics_read and um_nettrace_bytes */
    UM_COLLECTOR_STOPPED  /* as asked */
};

struct um_collector_view {
    enum um_collector_state state;
    enum um_status status;
    uint64_t lost; /* values that there was no room for */
    bool full;     /* there are more than UM_WIRE_COUNTERS counters */
};

struct um_collector_view um_collector_look(struct um_collector *collector);

/* Takes the frames of the next value; 0: there is none. Thread: one at a time; never blocks. */
size_t um_collector_next(struct um_collector *collector, uint64_t now_ns,
                         struct um_wire_frame frames[UM_COLLECTOR_FRAMES]);

/* Asks it to end; does not wait. */
void um_collector_stop(struct um_collector *collector);

/* Waits for the end: for 2 s at most, and not at all if it was asked to end long before. Accepts
 * NULL. */
void um_collector_close(struct um_collector *collector);

#endif
