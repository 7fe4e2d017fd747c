/* What --dotnet asks for: the counters that a .NET program has of itself, in the feed. Runs one
 * collector (monitor/dotnet/collector.h) for the target and says what there is to say about it.
 * Not on the hot path; a reader starts at um_dotnet_turn.
 */
#ifndef UM_MONITOR_LIVE_DOTNET_H
#define UM_MONITOR_LIVE_DOTNET_H

#include <stdbool.h>
#include <stdint.h>

#include "ipc/wire.h"
#include "monitor/options/options.h"

struct um_dotnet;

struct um_dotnet_host {
    void *context;
    void (*publish)(void *context, const struct um_wire_frame *frame);
    void (*say)(void *context, const char *line); /* for the person at the console */
    void (*say_detail)(void *context, const char *line);
    bool (*is_running)(void *context); /* the target's process */
};

/* Begins to ask the runtime of a process, once; NULL if that cannot be begun, which was said.
 * Owner: um_dotnet_close; what `options` has must outlive it. */
struct um_dotnet *um_dotnet_open(const struct um_options *options, uint32_t pid,
                                 const struct um_dotnet_host *host);

/* Publishes what has come. Thread: that of the session; never waits. */
void um_dotnet_turn(struct um_dotnet *dotnet, uint64_t now_ns);

/* Asks the runtime to stop; does not wait. Accepts NULL. */
void um_dotnet_stop(struct um_dotnet *dotnet);

/* Waits for that, as um_collector_close. Accepts NULL. */
void um_dotnet_close(struct um_dotnet *dotnet);

#endif
