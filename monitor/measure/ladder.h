/* The ladder chooses the raw probe's kind of beat, unless the user has chosen it.
 *
 * Still beats, which move nothing, cost the target least: the system makes no mouse message of
 * them. But no document says that every Windows passes them on to raw input, nor movements by zero
 * pixels. So the ladder has three rungs: still, zero, pair (one pixel and back). It begins with
 * still beats, and climbs if they are not seen and those of a higher rung are. A beat is missed if
 * neither the control nor the target has seen it when the next one is sent.
 *
 *   - After UM_LADDER_MISSED missed beats in a row, one beat of the next rung is tried. If no beat
 *     was ever seen, or if another rung was tried in vain just now, UM_LADDER_MISSED_SOON are
 *     enough.
 *   - If it is missed too, the rung above is tried. If all are missed, nothing is delivered at
 *     present, and the ladder stays where it is. The next try comes after UM_LADDER_MISSED again.
 *   - If it is seen, the next beat of the kind in use decides. If that one is missed, the ladder
 *     climbs to the kind that was tried. If it is seen, beats are delivered again: a lock screen
 *     may be gone.
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
#define UM_LADDER_MISSED_SOON 4
#define UM_LADDER_SIGHTINGS 64 /* the control sees the beats of other monitors too */

enum um_ladder_step {
    UM_LADDER_STAY = 0,
    UM_LADDER_TRY = 1,  /* one beat should be of the kind `tried` */
    UM_LADDER_CLIMB = 2 /* all beats should be of the kind `beat_kind` from now on */
};

/* Private to ladder.c, but for `beat_kind` and `tried`. Owner: the caller; nothing to release. */
struct um_ladder {
    enum um_beat_kind beat_kind; /* in use; not AUTO */
    enum um_beat_kind tried;     /* the last kind that was tried; AUTO: none since the last climb */
    uint32_t missed;             /* beats of the kind in use, in a row */
    bool seen;                   /* a beat of the kind in use was seen at some time */
    bool asked;                  /* a beat of the kind `tried` is wanted, or is on its way */
    bool trial_seen;             /* it was seen: the next beat of the kind in use decides */
    bool in_vain; /* all higher kinds were tried and missed, and every beat in use since */
    bool soon;    /* the last kind that was tried was missed, and there is one above it */
    bool out;     /* the last beat that was sent is to be judged. Of that beat: */
    bool out_seen;
    uint32_t out_seq;
    enum um_beat_kind out_beat_kind;
    uint32_t sightings[UM_LADDER_SIGHTINGS]; /* seq + 1; a ring */
    unsigned sighting_count;
};

/* Begins with still beats. */
void um_ladder_init(struct um_ladder *ladder);

/* A beat was sent, so the one before it is judged. Beats of the kind AUTO are ignored. Returns
 * what is to be done. */
enum um_ladder_step um_ladder_sent(struct um_ladder *ladder, uint32_t seq,
                                   enum um_beat_kind beat_kind);

/* The control or the target saw a beat. May be called before the beat's um_ladder_sent, and more
 * than once for a beat. */
void um_ladder_seen(struct um_ladder *ladder, uint32_t seq);

/* The system has refused a beat of the kind in use. A still beat that was never seen may be no
 * input for it, so the ladder climbs then. Returns what is to be done. */
enum um_ladder_step um_ladder_refused(struct um_ladder *ladder);

/* Discards the evidence so far: the DLL has forgotten its beat or is gone, or all beats are kept
 * away. The kind in use stays. */
void um_ladder_forget(struct um_ladder *ladder);

/* Whether beats are missed now and a higher kind has yet to be tried. */
bool um_ladder_is_climbing(const struct um_ladder *ladder);

#endif
