/* Makes frames of the feed from the counters of a .NET runtime: COUNTER when a counter is new or
 * has changed, and COUNTER_VALUE (ipc/wire.h). At most UM_WIRE_COUNTERS counters are kept; the rest
 * is left out.
 *
 * The runtime sends every session the values of all sessions, in their intervals. Only those of one
 * interval are taken, so that nothing is counted twice: the interval that was asked for, or another
 * one if none of its values come.
 *
 * Texts come from the target: control characters are removed from them. Pure; one thread; not on
 * the hot path. A reader starts at um_counter_frames_take.
 */
#ifndef UM_MONITOR_COUNTER_FRAMES_H
#define UM_MONITOR_COUNTER_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "ipc/wire.h"
#include "monitor/dotnet/nettrace.h"

struct um_counter_frames;

/* Owner: um_counter_frames_close. Units: `series_ms` is the interval that was asked for; not 0.
 * Errors: UM_ERR_MEMORY. */
enum um_status um_counter_frames_open(uint32_t series_ms, struct um_counter_frames **frames);

/* Makes the frames of a counter's value, and returns how many. 0: nothing was measured, or the
 * value is of another interval, or there is no room for the counter. */
size_t um_counter_frames_take(struct um_counter_frames *frames,
                              const struct um_nettrace_counter *counter, uint64_t now_ns,
                              struct um_wire_frame made[2]);

/* Whether there was no room for a counter. */
bool um_counter_frames_full(const struct um_counter_frames *frames);

/* Accepts NULL. */
void um_counter_frames_close(struct um_counter_frames *frames);

#endif
