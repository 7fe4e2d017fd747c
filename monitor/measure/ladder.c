#include "monitor/measure/ladder.h"

#include <string.h>

void um_ladder_init(struct um_ladder *ladder)
{
    memset(ladder, 0, sizeof *ladder);
    ladder->beat_kind = UM_BEAT_KIND_ZERO;
}

static enum um_ladder_step judge_zero(struct um_ladder *ladder)
{
    bool decides = ladder->pair_seen;

    ladder->pair_seen = false;
    if (ladder->out_seen) {
        ladder->missed = 0;
        ladder->in_vain = false;
        return UM_LADDER_STAY;
    }
    ladder->missed++;
    if (decides) {
        ladder->beat_kind = UM_BEAT_KIND_PAIR;
        return UM_LADDER_CLIMB;
    }
    if (ladder->missed < UM_LADDER_MISSED || ladder->asked)
        return UM_LADDER_STAY;
    ladder->asked = true;
    return UM_LADDER_TRY;
}

static void judge_pair(struct um_ladder *ladder)
{
    ladder->asked = false;
    ladder->missed = 0;
    ladder->pair_seen = ladder->out_seen;
    ladder->in_vain = !ladder->out_seen;
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

    if (beat_kind == UM_BEAT_KIND_AUTO || ladder->beat_kind != UM_BEAT_KIND_ZERO)
        return UM_LADDER_STAY;
    if (ladder->out && ladder->out_beat_kind == UM_BEAT_KIND_ZERO)
        step = judge_zero(ladder);
    else if (ladder->out)
        judge_pair(ladder);
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

void um_ladder_forget(struct um_ladder *ladder)
{
    ladder->missed = 0;
    ladder->asked = false;
    ladder->pair_seen = false;
    ladder->out = false;
}

bool um_ladder_is_climbing(const struct um_ladder *ladder)
{
    bool misses = ladder->missed > 0 || (ladder->out && !ladder->out_seen);
    return ladder->beat_kind == UM_BEAT_KIND_ZERO && !ladder->in_vain &&
           (misses || ladder->asked || ladder->pair_seen);
}
