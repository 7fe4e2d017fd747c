/* The stretch around an outstanding beat: where an episode gets its start, its length and its
 * suspect. A pure function of the retrievals before and after the beat was sent.
 *
 * The origin is the last retrieval before the beat was sent at S, r1 the first one after S. The
 * retrievals cut the stretch into gaps. The thread went away
 *   1. at r1, if r1 came within 2 ms of S: the thread was ready at S, whatever it did before;
 *   2. otherwise at the origin, if that is a message;
 *   3. otherwise between the origin and S: the origin is a beat of ours (the thread was idle; a
 *      sent message or an idle-time handler took it away), or the start of measuring. The middle is
 *      reported, and the whole width is the uncertainty: one heartbeat, as long as that one really
 *      was. At the end of it stands S and what beats have lately taken to be delivered, because a
 *      beat that is on its way does not show that the thread is away. An origin over 2 periods and
 *      over 50 ms before S says nothing (beats were paused or came late): then it is S less one
 *      period.
 *   4. If the largest gap opens within 5 ms of S, only a few quick messages lay before it (or a
 *      loop that looks often before it takes, which needs 3 ms under Wine), and the thread went
 *      away there.
 * The suspect is the message that opened the largest gap, also where the stretch starts earlier (a
 * flood, a row of janks). A beat is never one.
 *
 * What cannot be known:
 *   - A message was handled at once, the thread was idle, and a sent message took it away before
 *     the next beat: the message is blamed and the start is up to one period early. The hook says
 *     when a message was taken, not when it was done with.
 *   - Of two janks in a row, the second within 5 ms after S, the first one (a period and 5 ms of it
 *     at most) is left out by rules 1 and 4.
 *   - With records lost, gaps have holes in them: start S, peak 0, no suspect.
 *
 * Portable, no allocation; um_stretch_retrieved is on the hot path.
 */
#ifndef UM_MONITOR_STRETCH_H
#define UM_MONITOR_STRETCH_H

#include <stdbool.h>
#include <stdint.h>

#define UM_STRETCH_READY_NS UINT64_C(2000000) /* a ready thread takes what waits within this */
#define UM_STRETCH_LEAD_NS UINT64_C(5000000)  /* what may lie before the message to blame */

/* The UI thread took something from its queue. */
struct um_stretch_point {
    uint64_t time_ns;
    uint64_t awake_ns; /* lengths are differences of this one, see awake.h */
    uint64_t hwnd;
    uint32_t message;
    bool named; /* a message, not a beat of ours and not the start of measuring */
};

struct um_stretch {
    struct um_stretch_point origin;
    struct um_stretch_point first;  /* r1, if has_first */
    struct um_stretch_point last;   /* latest retrieval, of all */
    struct um_stretch_point opener; /* of the largest closed gap after r1 */
    uint64_t peak_ns;               /* that gap */
    uint64_t sent_ns;
    uint64_t sent_awake_ns;
    bool has_first;
    bool lossy; /* records were lost meanwhile */
};

/* What the length of a beat's period and of its way to the thread are at the moment. */
struct um_stretch_pace {
    uint64_t period_ns;
    uint64_t delivery_ns; /* what a beat has lately taken to a ready thread, at most */
};

struct um_stretch_verdict {
    uint64_t start_ns;
    uint64_t start_awake_ns;
    uint64_t length_ns; /* awake */
    uint64_t peak_ns;   /* the largest gap, awake */
    uint64_t uncertainty_ns;
    uint64_t hwnd;
    uint32_t message;
    bool has_message;
};

/* Starts the stretch of a beat. `origin` may be later than the send if its record came late. */
void um_stretch_init(struct um_stretch *stretch, const struct um_stretch_point *origin,
                     uint64_t sent_ns, uint64_t sent_awake_ns);

/* Takes a retrieval; one from before the send that comes late is the new origin. */
void um_stretch_retrieved(struct um_stretch *stretch, const struct um_stretch_point *point);

/* The gap that a retrieval at this time would close: where it began, its length (also the peak) and
 * the message that opened it. Of no length if records were lost. */
struct um_stretch_verdict um_stretch_gap(const struct um_stretch *stretch,
                                         struct um_stretch_pace pace, uint64_t end_ns,
                                         uint64_t end_awake_ns);

/* Judges the stretch as if the beat were dequeued at this time. */
struct um_stretch_verdict um_stretch_conclude(const struct um_stretch *stretch,
                                              struct um_stretch_pace pace, uint64_t end_ns,
                                              uint64_t end_awake_ns);

#endif
