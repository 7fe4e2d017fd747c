/* The ladder chooses the raw probe's kind of beat, unless the user has chosen it.
 *
 * It is not documented for every Windows that a movement by zero pixels reaches raw input. So the
 * ladder begins with such zero beats, and climbs to pairs (one pixel and back) if they are not
 * seen. A beat is missed if neither the control nor the target has seen it when the next one is
 * sent.
 *
 *   - After UM_LADDER_MISSED missed zero beats in a row, one pair is tried.
 *   - If it is missed too, nothing is delivered at present, and the ladder stays where it is. The
 *     next try comes after as many missed beats again.
 *   - If it is seen, the next zero beat decides. If that one is missed, the ladder climbs to pairs.
 *     If it is seen, beats are delivered again: a lock screen may be gone.
 *
 * The ladder never climbs down. The system's idle time (GetLastInputInfo) is no evidence, because
 * the beats reset it. A pure state machine; a reader starts at um_ladder_sent.
 */
#ifndef UM_MONITOR_LADDER_H
#define UM_MONITOR_LADDER_H

#include <stdbool.h>
#include <stdint.h>

#include "ipc/wire.h"

#define UM_LADDER_MISSED 20
#define UM_LADDER_SIGHTINGS 64 /* the control sees the beats of other monitors too */

enum um_ladder_step {
    UM_LADDER_STAY = 0,
    UM_LADDER_TRY = 1,  /* one beat should be a pair */
    UM_LADDER_CLIMB = 2 /* all beats should be pairs from now on */
};

/* Private to ladder.c, but for `beat_kind`. Owner: the caller; nothing to release. */
struct um_ladder {
    enum um_beat_kind beat_kind; /* in use: ZERO or PAIR */
    uint32_t missed;             /* zero beats in a row */
    bool asked;                  /* a pair is to be tried, or is on its way */
    bool pair_seen;              /* the next zero beat decides */
    bool in_vain; /* the last pair that was tried was missed, and every zero beat since */
    bool out;     /* the last beat that was sent is to be judged. Of that beat: */
    bool out_seen;
    uint32_t out_seq;
    enum um_beat_kind out_beat_kind;
    uint32_t sightings[UM_LADDER_SIGHTINGS]; /* seq + 1; a ring */
    unsigned sighting_count;
};

/* Begins with zero beats. */
void um_ladder_init(struct um_ladder *ladder);

/* A beat was sent, so the one before it is judged. Beats of the kind AUTO are ignored. Returns
 * what is to be done. */
enum um_ladder_step um_ladder_sent(struct um_ladder *ladder, uint32_t seq,
                                   enum um_beat_kind beat_kind);

/* The control or the target saw a beat. May be called before the beat's um_ladder_sent, and more
 * than once for a beat. */
void um_ladder_seen(struct um_ladder *ladder, uint32_t seq);

/* Discards the evidence so far: the DLL has forgotten its beat or is gone, or all beats are kept
 * away. The kind in use stays. */
void um_ladder_forget(struct um_ladder *ladder);

/* Whether beats are missed now and a pair has yet to be tried. */
bool um_ladder_is_climbing(const struct um_ladder *ladder);

#endif
