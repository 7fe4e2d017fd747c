#include "monitor/measure/ladder.h"

#include <string.h>

static const enum um_beat_kind rungs[] = {UM_BEAT_KIND_STILL, UM_BEAT_KIND_ZERO, UM_BEAT_KIND_PAIR};

#define RUNGS (sizeof rungs / sizeof rungs[0])

/* The kind above this one; AUTO: there is none. */
static enum um_beat_kind above(enum um_beat_kind kind)
{
    for (size_t i = 0; i + 1 < RUNGS; i++)
        if (rungs[i] == kind)
            return rungs[i + 1];
    return UM_BEAT_KIND_AUTO;
}

void um_ladder_init(struct um_ladder *ladder)
{
    memset(ladder, 0, sizeof *ladder);
    ladder->beat_kind = rungs[0];
}

static enum um_ladder_step climb(struct um_ladder *ladder)
{
    ladder->beat_kind = ladder->tried;
    ladder->tried = UM_BEAT_KIND_AUTO;
    ladder->missed = 0;
    ladder->soon = false;
    ladder->seen = true; /* as the trial */
    return UM_LADDER_CLIMB;
}

/* Asks for a beat of the kind above the last one that was tried, and after the highest one again
 * for the one above the kind in use. */
static enum um_ladder_step try_next(struct um_ladder *ladder)
{
    enum um_beat_kind next = above(ladder->tried);
    ladder->tried = next != UM_BEAT_KIND_AUTO ? next : above(ladder->beat_kind);
    ladder->asked = true;
    return UM_LADDER_TRY;
}

/* A beat of the kind in use. */
static enum um_ladder_step judge_used(struct um_ladder *ladder)
{
    bool decides = ladder->trial_seen;

    ladder->trial_seen = false;
    if (ladder->out_seen) {
        ladder->missed = 0;
        ladder->in_vain = false;
        ladder->soon = false;
        ladder->seen = true;
        return UM_LADDER_STAY;
    }
    ladder->missed++;
    if (decides)
        return climb(ladder);
    bool soon = ladder->soon || (!ladder->seen && !ladder->in_vain);
    if (ladder->missed < (soon ? UM_LADDER_MISSED_SOON : UM_LADDER_MISSED) || ladder->asked)
        return UM_LADDER_STAY;
    return try_next(ladder);
}

static void judge_trial(struct um_ladder *ladder)
{
    bool highest = above(ladder->tried) == UM_BEAT_KIND_AUTO;

    ladder->asked = false;
    ladder->missed = 0;
    ladder->trial_seen = ladder->out_seen;
    ladder->soon = !ladder->out_seen && !highest;
    ladder->in_vain = !ladder->out_seen && (highest || ladder->in_vain);
}

static bool was_seen(const struct um_ladder *ladder, uint32_t seq)
{
    for (unsigned i = 0; i < UM_LADDER_SIGHTINGS; i++)
        if (ladder->sightings[i] == seq + 1)
            return true;
    return false;
}

enum um_ladder_step um_ladder_sent(struct um_ladder *ladder, uint32_t seq,
                                   enum um_beat_kind beat_kind)
{
    enum um_ladder_step step = UM_LADDER_STAY;

    if (beat_kind == UM_BEAT_KIND_AUTO || above(ladder->beat_kind) == UM_BEAT_KIND_AUTO)
        return UM_LADDER_STAY;
    if (ladder->out && ladder->out_beat_kind == ladder->beat_kind)
        step = judge_used(ladder);
    else if (ladder->out && ladder->asked && ladder->out_beat_kind == ladder->tried)
        judge_trial(ladder);
    ladder->out = true;
    ladder->out_seq = seq;
    ladder->out_beat_kind = beat_kind;
    ladder->out_seen = was_seen(ladder, seq);
    return step;
}

void um_ladder_seen(struct um_ladder *ladder, uint32_t seq)
{
    if (ladder->out && ladder->out_seq == seq)
        ladder->out_seen = true;
    ladder->sightings[ladder->sighting_count++ % UM_LADDER_SIGHTINGS] = seq + 1;
}

enum um_ladder_step um_ladder_refused(struct um_ladder *ladder)
{
    if (ladder->seen || ladder->beat_kind != UM_BEAT_KIND_STILL)
        return UM_LADDER_STAY;
    ladder->beat_kind = above(ladder->beat_kind);
    um_ladder_forget(ladder);
    return UM_LADDER_CLIMB;
}

void um_ladder_forget(struct um_ladder *ladder)
{
    ladder->missed = 0;
    ladder->asked = false;
    ladder->trial_seen = false;
    ladder->soon = false;
    ladder->out = false;
}

bool um_ladder_is_climbing(const struct um_ladder *ladder)
{
    bool misses = ladder->missed > 0 || (ladder->out && !ladder->out_seen);
    return above(ladder->beat_kind) != UM_BEAT_KIND_AUTO && !ladder->in_vain &&
           (misses || ladder->asked || ladder->trial_seen);
}
