/* Publishes a .NET program's own counters, for --dotnet, and for --provider the events of that
 * provider as markers (dotnet_marker.h). Runs one collector
 * (monitor/dotnet/collector.h) for the target, and says on the console when it is refused or ends.
 * Not on the hot path; a reader starts at um_dotnet_turn.
 */
#ifndef UM_MONITOR_LIVE_DOTNET_H
#define UM_MONITOR_LIVE_DOTNET_H

#include <stdbool.h>
#include <stdint.h>

#include "ipc/wire.h"
#include "monitor/dotnet/reverse.h"
#include "monitor/live/marker_frames.h"
#include "monitor/options/options.h"

struct um_dotnet;

struct um_dotnet_host {
    void *context;
    void (*publish)(void *context, const struct um_wire_frame *frame);
    void (*say)(void *context, const char *line); /* for the person at the console */
    void (*say_detail)(void *context, const char *line);
    bool (*is_running)(void *context); /* the target's process */
    struct um_marker_frames *markers;  /* gets the events; outlives this */
};

/* Begins to ask the runtime of a process; of one that was just started, over `reverse` (NULL: it
 * was not; um_collector_open). Nothing is published before um_dotnet_turn, so this may be called
 * before the session begins. NULL, after a line on the console, if that failed.
 * Owner: um_dotnet_close; `reverse` and what `options` has must outlive it. */
struct um_dotnet *um_dotnet_open(const struct um_options *options, uint32_t pid,
                                 struct um_reverse *reverse, const struct um_dotnet_host *host);

/* The program has started up: um_collector_settle. */
void um_dotnet_settle(struct um_dotnet *dotnet);

/* Publishes what has arrived. Thread: that of the session; never waits. */
void um_dotnet_turn(struct um_dotnet *dotnet, uint64_t now_ns);

/* Asks the runtime to stop; does not wait. Accepts NULL. */
void um_dotnet_stop(struct um_dotnet *dotnet);

/* Asks the runtime to stop, and publishes what it still sends; no more comes after that. Thread:
 * that of the session; waits for the runtime, for 2 s at most. Accepts NULL. */
void um_dotnet_finish(struct um_dotnet *dotnet);

/* Thread: waits as um_collector_close does. Accepts NULL. */
void um_dotnet_close(struct um_dotnet *dotnet);

#endif
