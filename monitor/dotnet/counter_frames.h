/* Counters of a .NET runtime as frames of the feed: COUNTER where a counter is new or has changed,
 * and COUNTER_VALUE (ipc/wire.h). At most UM_WIRE_COUNTERS of them; the rest is left out.
 *
 * Of the intervals in which the runtime tells a counter, one is taken at a time, so that nothing is
 * counted twice: that which was asked for, or, where nothing of it comes, another one. The runtime
 * tells all its sessions in the shortest interval that any of them has asked for.
 *
 * Texts are the target's: what could send commands to a terminal is taken out of them. Pure; one
 * thread; not on the hot path. A reader starts at um_counter_frames_take.
 */
#ifndef UM_MONITOR_COUNTER_FRAMES_H
#define UM_MONITOR_COUNTER_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/status.h"
#include "ipc/wire.h"
#include "monitor/dotnet/nettrace.h"

struct um_counter_frames;

/* Owner: um_counter_frames_close. Units: `series_ms` is the interval that was asked for; not 0.
 * Errors: UM_ERR_MEMORY. */
enum um_status um_counter_frames_open(uint32_t series_ms, struct um_counter_frames **frames);

/* Takes what a counter says of an interval, and makes the frames that say so. Returns how many: 0,
 * if nothing was measured, it is of an interval that is left out, or there is no room. */
size_t um_counter_frames_take(struct um_counter_frames *frames,
                              const struct um_nettrace_counter *counter, uint64_t now_ns,
                              struct um_wire_frame made[2]);

/* Whether there was no room for a counter. */
bool um_counter_frames_full(const struct um_counter_frames *frames);

/* Accepts NULL. */
void um_counter_frames_close(struct um_counter_frames *frames);

#endif
