/* The stretch around an outstanding beat: from it an episode gets its start, its length and its
 * suspect. A pure function of the retrievals before and after the beat was sent.
 *
 * S is when the beat was sent. The origin is the last retrieval before S, r1 the first one after S.
 * The retrievals cut the stretch into gaps. The first rule that applies says when the thread went
 * away:
 *   1. r1 came within 2 ms of S. The thread was ready at S, whatever it did before. It went away at
 *      r1.
 *   2. The origin is a message and not stale. The thread went away at the origin. An origin is
 *      stale if it lies over 2 periods and over 50 ms before S: beats were paused or came late.
 *   3. The origin is a beat of ours, the start of measuring, or stale. The thread was idle, and a
 *      sent message or an idle-time handler took it away between the origin and S. The middle of
 *      that time is the start, and its whole width is the uncertainty: the actual length of one
 *      period. The width reaches beyond S by the recent delivery time of beats, because a beat that
 *      is on its way does not show that the thread is away.
 *      If the thread rested before S, beats were left out on purpose (`rested`), and the width may
 *      be a whole rest period. The start may then be too early by more than one period. The excess
 *      is `doubt`. Length and peak are the likely ones, but doubt is subtracted where they are
 *      compared with a threshold. So no freeze is shown that is not certain to within a period.
 *      The same is done if the origin is stale, and if beats were left out although the thread was
 *      at work (`left_out`) and the origin lies more than a period before S: the thread may have
 *      finished with it since. In the latter case a message stays the suspect.
 *      The DLL takes a thread that uses no processor cycles to rest. A thread that waits in a
 *      handler uses none, either. So where the origin is such a rest, the uncertainty reaches back
 *      to the last retrieval. The source on X11 knows more than cycles: its rests are certain.
 *   4. This rule corrects the others: if the largest gap opens within 5 ms of S, the thread went
 *      away there. What lies before is a few quick messages, or a loop that peeks often before it
 *      retrieves, which needs 3 ms under Wine.
 * The suspect is the message that opened the largest gap, even if the stretch starts earlier (a
 * flood, a row of janks). A beat is never a suspect.
 *
 * What cannot be known:
 *   - A message was handled at once, the thread was idle, and a sent message took it away before
 *     the next beat. The message is blamed, and the start is early: by up to one period, or by up
 *     to 50 ms where that beat came late. The hook reports when a message was retrieved, not when
 *     it was done.
 *   - Two janks came in a row, the second within 5 ms after S. Rules 1 and 4 leave the first one
 *     out, which is a period and 5 ms at most.
 *   - Records were lost, so gaps have holes in them. The start is S, the peak 0, and there is no
 *     suspect.
 *
 * Portable, no allocation; um_stretch_retrieved is on the hot path.
 */
#ifndef UM_MONITOR_STRETCH_H
#define UM_MONITOR_STRETCH_H

#include <stdbool.h>
#include <stdint.h>

#define UM_STRETCH_READY_NS UINT64_C(2000000) /* a ready thread takes what waits in this time */
#define UM_STRETCH_LEAD_NS UINT64_C(5000000)  /* of rule 4 */

/* The UI thread took something from its queue. */
struct um_stretch_point {
    uint64_t time_ns;
    uint64_t awake_ns; /* lengths are differences of this one, see clock_gaps.h */
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
    uint64_t proven_awake_ns; /* the thread certainly took input then: the origin's, or earlier */
    bool has_first;
    bool lossy;    /* records were lost meanwhile */
    bool rested;   /* the origin is where the thread rested, and beats were left out since */
    bool left_out; /* beats were left out before S although the thread was at work */
};

/* How fast beats come and arrive at the moment. */
struct um_stretch_pace {
    uint64_t period_ns;
    uint64_t rest_ns;     /* the period while the thread rests */
    uint64_t delivery_ns; /* the longest recent time of a beat to a ready thread */
};

struct um_stretch_verdict {
    uint64_t start_ns;
    uint64_t start_awake_ns;
    uint64_t length_ns; /* awake */
    uint64_t peak_ns;   /* the largest gap, awake */
    uint64_t uncertainty_ns;
    uint64_t doubt_ns; /* the part of length and peak that is not certain, see rule 3 */
    uint64_t hwnd;
    uint32_t message;
    bool has_message;
};

/* Starts the stretch of a beat, which reaches back to `origin` for certain. `origin` may be later
 * than the send if the SENT came late. */
void um_stretch_init(struct um_stretch *stretch, const struct um_stretch_point *origin,
                     uint64_t sent_ns, uint64_t sent_awake_ns);

/* Takes a retrieval. One from before the send, which comes late, is the new origin. */
void um_stretch_retrieved(struct um_stretch *stretch, const struct um_stretch_point *point);

/* The gap that a retrieval at this time would close: its start, its length (also as the peak) and
 * the message that opened it. The length is 0 if records were lost. */
struct um_stretch_verdict um_stretch_gap(const struct um_stretch *stretch,
                                         struct um_stretch_pace pace, uint64_t end_ns,
                                         uint64_t end_awake_ns);

/* Judges the stretch as if the beat were dequeued at this time. */
struct um_stretch_verdict um_stretch_conclude(const struct um_stretch *stretch,
                                              struct um_stretch_pace pace, uint64_t end_ns,
                                              uint64_t end_awake_ns);

#endif
