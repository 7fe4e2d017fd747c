/* For whom the UI thread waited in the freezes of a recording, and when that other thread was
 * sampled meanwhile. recorded_markers.h makes markers of it.
 *
 * A reader starts at um_recorded_waits_wait. Not on the hot path. Thread: one at a time.
 */
#ifndef UM_MONITOR_RECORDED_WAITS_H
#define UM_MONITOR_RECORDED_WAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/intern.h"
#include "ipc/wire.h"

/* The wait of a freeze. */
struct um_recorded_wait {
    struct um_wire_wait says;
    uint32_t session;
    uint32_t last_span; /* the latest one of that thread, then; UM_INTERN_NONE: there is none */
};

/* When a thread that is not the UI thread was sampled while that one was away once. */
struct um_recorded_span {
    uint64_t first_ns, last_ns;
    uint32_t session, thread, absence;
    uint32_t earlier; /* the span of the same thread before; UM_INTERN_NONE: there is none */
};

/* Private to recorded_waits.c. Zeroed, it is empty. */
struct um_recorded_waits {
    struct um_recorded_wait *waits;
    size_t wait_count, wait_room;
    struct um_intern by_freeze; /* of `waits` */
    struct um_recorded_span *spans;
    size_t span_count, span_room;
    uint32_t *latest; /* of a thread: its latest span */
    size_t thread_count, thread_room;
    struct um_intern by_thread; /* of `latest` */
};

/* Takes a SAMPLE or a WAIT of a session. False without memory. */
bool um_recorded_waits_sample(struct um_recorded_waits *waits, uint32_t session,
                              const struct um_wire_sample *sample);
bool um_recorded_waits_wait(struct um_recorded_waits *waits, uint32_t session,
                            const struct um_wire_wait *wait);

/* The wait of a freeze; NULL: none is known. Owner: `waits`, until the next WAIT. */
const struct um_recorded_wait *um_recorded_waits_find(const struct um_recorded_waits *waits,
                                                      uint32_t session, uint32_t freeze);

/* The first and the last sample of the thread that was waited for, of those times that the UI
 * thread was away which overlap with what lies between two times. False if there is none, as of a
 * thread of another process. */
bool um_recorded_waits_sampled(const struct um_recorded_waits *waits,
                               const struct um_recorded_wait *wait, uint64_t from_ns,
                               uint64_t to_ns, uint64_t *first_ns, uint64_t *last_ns);

void um_recorded_waits_deinit(struct um_recorded_waits *waits);

#endif
