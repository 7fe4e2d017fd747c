/* The ladder of beats: what the beats of the raw probe are, if the user leaves that open.
 *
 * Whether a movement by zero pixels reaches raw input is not documented for every Windows. So the
 * ladder begins with such beats and climbs by evidence. A beat is missed if neither the control nor
 * the target has seen it when the next one is sent.
 *
 *   - After UM_LADDER_MISSED zero beats in a row that were missed, one pair is tried.
 *   - If it is missed too, nothing is delivered at present, and the ladder stays where it is. The
 *     next try comes after as many missed beats again.
 *   - If it is seen, the next zero beat decides. If that one is missed, the ladder climbs to pairs.
 *     If it is seen, beats are delivered again, because a lock screen is gone, say.
 *
 * The ladder never climbs down. The idle time of the system (GetLastInputInfo) is no evidence: the
 * beats themselves end it. A pure state machine; a reader starts at um_ladder_sent.
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

/* Private to ladder.c, but for `rung`. Owner: the caller; nothing to release. */
struct um_ladder {
    enum um_rung rung; /* in use: ZERO or PAIR */
    uint32_t missed;   /* zero beats in a row */
    bool asked;        /* a pair is to be tried, or is on its way */
    bool pair_seen;    /* the next zero beat decides */
    bool in_vain;      /* the last pair that was tried was missed, and every zero beat since */
    bool out;          /* the last beat that was sent is to be judged: */
    bool out_seen;
    uint32_t out_seq;
    enum um_rung out_rung;
    uint32_t sightings[UM_LADDER_SIGHTINGS]; /* seq + 1; a ring */
    unsigned sighting_count;
};

/* Begins with zero beats. */
void um_ladder_init(struct um_ladder *ladder);

/* A beat was sent, so the one before it is judged. Beats with the rung AUTO count as none. Returns
 * what is to be done. */
enum um_ladder_step um_ladder_sent(struct um_ladder *ladder, uint32_t seq, enum um_rung rung);

/* The control or the target saw a beat. May be called before the beat's um_ladder_sent, and more
 * than once for a beat. */
void um_ladder_seen(struct um_ladder *ladder, uint32_t seq);

/* The present evidence is void: the DLL has forgotten its beat, is not there any more, or something
 * keeps all beats away. A rung that was climbed stays. */
void um_ladder_forget(struct um_ladder *ladder);

/* Whether beats are missed now and a pair has yet to be tried. */
bool um_ladder_is_climbing(const struct um_ladder *ladder);

#endif
