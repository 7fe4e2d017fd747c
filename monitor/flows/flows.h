/* Flows: which markers belong together, by the ids that they mention. Ids are used again, so a flow
 * is an id and a time.
 *
 * All mentions are taken in the order of their time. One of an id that has no active flow begins a
 * flow; one of an id that has, joins it; a terminating one joins, too, and then the flow is not
 * active any more. A mention counts from its own time, which most often is the marker's start. At
 * the same time decides the `order` that the file's reader gave them, and otherwise that in which
 * um_markers_finish left the markers; within a marker those that end a flow come last then. Where
 * a marker ends a flow in several fields at one time, one after the other, all are of that flow.
 *
 * Two flows are *connected* if a marker is part of both. The *context* of a marker that is part of
 * a flow and lies on the stack of its thread is the closest interval around it of which the same is
 * true: what ran while the marker was made. An interval whose end was not seen (open) is nobody's
 * context, because nobody knows whether it ran still; its own one is what ran when it began. The
 * flows of contexts of a flow's markers are *incoming*; the flows of markers whose context one of
 * the flow's markers is are *outgoing*.
 *
 * A reader starts at um_flows_init. Everything is linear in markers and mentions, besides sorting,
 * which takes log2(threads) passes. Pure; not on the hot path.
 * Source: the model of github.com/firefox-devtools/profiler/issues/5178.
 */
#ifndef UM_MONITOR_FLOWS_H
#define UM_MONITOR_FLOWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "monitor/flows/markers.h"

#define UM_FLOWS_NONE UINT32_MAX

struct um_flow {
    int64_t start_ns; /* its first mention */
    int64_t end_ns;   /* of its last marker, or the last mention if that is later */
    int64_t last_ns;  /* its last mention */
    uint32_t count;   /* of its markers... */
    uint32_t first;   /* ...in `members`, by the time of their first mention */
    uint32_t id;      /* one of the markers' `flow_ids` */
    uint32_t joined;  /* private to flows.c: the last marker that was found to be in it, and 1 */
};

/* Readers may read the first four. */
struct um_flows {
    struct um_flow *list; /* in the order in which they begin */
    size_t count;
    uint32_t *members; /* markers */

    const struct um_markers *markers;

    /* Private to flows.c. */
    size_t room;
    uint32_t *of_field;    /* the flow of each field that mentions one */
    uint32_t *by_id;       /* flows, those of an id together, in the order of their time */
    uint32_t *by_id_first; /* in that list, for each id and one more */
    uint32_t *context;     /* for each marker; UM_MARKERS_NONE: it has none */
    uint32_t *within;      /* markers, those of a context together */
    uint32_t *within_first;
};

/* Finds the flows of markers, which are finished, and outlive this. Owner: um_flows_deinit, also
 * after a failure. Errors: UM_ERR_MEMORY. */
enum um_status um_flows_init(struct um_flows *flows, const struct um_markers *markers);
void um_flows_deinit(struct um_flows *flows);

/* The flow of a field; UM_FLOWS_NONE if it mentions none. */
uint32_t um_flows_of_field(const struct um_flows *flows, size_t field);

/* Whether the end of a flow was not seen: `end_ns` is that of an open marker then, which is no
 * measurement. */
bool um_flows_is_open(const struct um_flows *flows, uint32_t flow);

/* The context of a marker; UM_MARKERS_NONE if it has none. And the markers whose context it is. */
uint32_t um_flows_context(const struct um_flows *flows, uint32_t marker);
const uint32_t *um_flows_within(const struct um_flows *flows, uint32_t marker, size_t *count);

/* The flows of an id, by time. */
const uint32_t *um_flows_of_id(const struct um_flows *flows, uint32_t id, size_t *count);

/* The flow of an id that lasts at some time from `from_ns` to `until_ns`, which is until its
 * `end_ns`: of several the one that begins last, as a flow that begins where another one ends is
 * the next thing to look at. UM_FLOWS_NONE if none does. */
uint32_t um_flows_at(const struct um_flows *flows, uint32_t id, int64_t from_ns, int64_t until_ns);

/* All flows, the longest first, and those of the same length by start. Owner: free(*list). Errors:
 * UM_ERR_MEMORY. */
enum um_status um_flows_longest(const struct um_flows *flows, uint32_t **list);

/* The flows of a marker, each once, by start. Owner: free(*list). Errors: UM_ERR_MEMORY. */
enum um_status um_flows_of_marker(const struct um_flows *flows, uint32_t marker, uint32_t **list,
                                  size_t *count);

enum um_flows_kin { UM_FLOWS_INCOMING, UM_FLOWS_CONNECTED, UM_FLOWS_OUTGOING };

/* The flows that are this to a flow, each once, by start, without itself. Owner: free(*list).
 * Errors: UM_ERR_MEMORY. */
enum um_status um_flows_kin(const struct um_flows *flows, uint32_t flow, enum um_flows_kin kin,
                            uint32_t **list, size_t *count);

/* The same, but at most `*steps` markers and fields around the flow are looked at. Those that were
 * are taken off. `*is_whole`: there are no others. For many flows: where a few markers have very
 * many of them, each of these is connected to all. */
enum um_status um_flows_some_kin(const struct um_flows *flows, uint32_t flow, enum um_flows_kin kin,
                                 size_t *steps, uint32_t **list, size_t *count, bool *is_whole);

/* The same as um_flows_kin for many flows one after the other, without what earlier calls with the
 * same `seen` listed: each marker is looked at once, and not for each of its flows. `seen` has a
 * byte for each marker, at first 0, and is filled in. */
enum um_status um_flows_new_kin(const struct um_flows *flows, uint32_t flow, enum um_flows_kin kin,
                                uint8_t *seen, uint32_t **list, size_t *count);

#endif
