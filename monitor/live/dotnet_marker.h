/* Makes a marker of an event of .NET, or of a Start and its Stop: an instant, or an interval on the
 * Start's thread. Its name is that of the event, or of the task that was begun; its category the
 * provider; its fields are
 *
 *   the payload        of the Start, then of the Stop; a name of the Stop's that the Start has too
 *                      is followed by " (stop)". At most UM_DOTNET_MARKER_VALUES of them
 *   not decoded        instead of a payload that is not what its definition says: how many bytes it
 *                      has, and why none of its fields is shown; of a Stop "not decoded (stop)"
 *   not shown          what else the payload has: "3 fields", "12 bytes"
 *   activity           the flow `ActivityID`. A Stop ends it. An interval mentions it at its start,
 *                      and ends it at its end
 *   related activity   the flow `RelatedActivityID`
 *
 * An instant lies within what else its thread does; of an interval that is not known, because the
 * program may wait in it without keeping its thread. Not on the hot path.
 */
#ifndef UM_MONITOR_DOTNET_MARKER_H
#define UM_MONITOR_DOTNET_MARKER_H

#include <stdint.h>

#include "monitor/dotnet/event_pairs.h"
#include "monitor/live/marker_frames.h"

#define UM_DOTNET_MARKER_VALUES 9 /* and at most four others: UM_WIRE_MARKER_FIELDS */

/* Publishes the marker of a pair. Its times are never later than `now_ns`. */
void um_dotnet_marker_take(struct um_marker_frames *frames, const struct um_event_pair *pair,
                           uint64_t now_ns);

#endif
