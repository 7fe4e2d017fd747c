#include "monitor/replay/player.h"

#include <math.h>

#define NS_PER_S 1e9

void um_player_init(struct um_player *player, uint64_t length_ns, double speed,
                    const struct um_player_freeze *freezes, size_t freeze_count, uint64_t now_ns)
{
    *player = (struct um_player){.length_ns = length_ns,
                                 .at_ns = now_ns,
                                 .speed = speed,
                                 .freezes = freezes,
                                 .freeze_count = freeze_count};
}

uint64_t um_player_advance(struct um_player *player, uint64_t now_ns)
{
    if (!player->paused && now_ns > player->at_ns) {
        double on_ns = (double)(now_ns - player->at_ns) * player->speed;
        uint64_t left_ns = player->length_ns - player->base_ns;
        if (on_ns < (double)left_ns)
            return player->base_ns + (uint64_t)on_ns;
        player->base_ns = player->length_ns;
        player->paused = true;
    }
    return player->base_ns;
}

uint64_t um_player_due(const struct um_player *player, uint64_t position_ns, uint64_t now_ns)
{
    if (position_ns <= player->base_ns)
        return now_ns;
    if (player->paused)
        return UM_PLAYER_NEVER;
    /* Rounded up, so that the position is reached at that time and not just after. */
    double on_ns = ceil((double)(position_ns - player->base_ns) / player->speed);
    uint64_t due_ns = player->at_ns + (uint64_t)on_ns;
    return due_ns > now_ns ? due_ns : now_ns;
}

bool um_player_at_end(const struct um_player *player)
{
    return player->base_ns == player->length_ns;
}

/* Makes the present position the one from which time is counted. */
static void rebase(struct um_player *player, uint64_t now_ns)
{
    player->base_ns = um_player_advance(player, now_ns);
    player->at_ns = now_ns;
}

static void set_speed(struct um_player *player, double speed)
{
    player->speed = fmax(UM_PLAYER_MIN_SPEED, fmin(UM_PLAYER_MAX_SPEED, speed));
}

static bool jump(struct um_player *player, double position_ns)
{
    if (!(position_ns > 0))
        player->base_ns = 0;
    else if (position_ns >= (double)player->length_ns)
        player->base_ns = player->length_ns;
    else
        player->base_ns = (uint64_t)position_ns;
    if (um_player_at_end(player))
        player->paused = true;
    return true;
}

static bool toggle_pause(struct um_player *player)
{
    if (um_player_at_end(player)) {
        player->paused = false;
        return jump(player, 0);
    }
    player->paused = !player->paused;
    return false;
}

static bool step(struct um_player *player, double slices)
{
    uint64_t slice = player->base_ns / UM_SLICE_NS;
    bool within = player->base_ns % UM_SLICE_NS != 0;

    player->paused = true;
    if (slices < 0)
        return jump(player, (double)(slice + within) * (double)UM_SLICE_NS - (double)UM_SLICE_NS);
    jump(player, (double)(slice + 1) * (double)UM_SLICE_NS);
    return false;
}

/* The position to go to in order to see a freeze. */
static uint64_t position_for(const struct um_player *player, const struct um_player_freeze *freeze)
{
    if (player->paused)
        return freeze->end_ns;
    return freeze->start_ns > UM_PLAYER_LEAD_NS ? freeze->start_ns - UM_PLAYER_LEAD_NS : 0;
}

/* Goes to the next or the previous freeze. While it plays, a freeze counts as the previous one only
 * if it is UM_PLAYER_LEAD_NS back: otherwise the key would go to the same freeze again. */
static bool go_to_freeze(struct um_player *player, bool next)
{
    uint64_t lead_ns = player->paused ? 0 : UM_PLAYER_LEAD_NS;
    const struct um_player_freeze *found = NULL;

    for (size_t i = 0; i < player->freeze_count; i++) {
        const struct um_player_freeze *freeze = &player->freezes[i];
        uint64_t position_ns = position_for(player, freeze);
        if (next && position_ns > player->base_ns) {
            found = freeze;
            break;
        }
        if (!next && position_ns + lead_ns < player->base_ns)
            found = freeze;
    }
    return found && jump(player, (double)position_for(player, found));
}

bool um_player_take(struct um_player *player, const struct um_player_command *command,
                    uint64_t now_ns)
{
    rebase(player, now_ns);
    switch (command->action) {
    case UM_PLAYER_PAUSE:
        return toggle_pause(player);
    case UM_PLAYER_STEP:
        return step(player, command->value);
    case UM_PLAYER_MOVE:
        return jump(player, (double)player->base_ns + command->value * NS_PER_S);
    case UM_PLAYER_SEEK:
        return jump(player, command->value * NS_PER_S);
    case UM_PLAYER_SPEED:
        set_speed(player, command->value);
        return false;
    case UM_PLAYER_FASTER:
        set_speed(player, player->speed * command->value);
        return false;
    case UM_PLAYER_FREEZE:
        return go_to_freeze(player, command->value > 0);
    case UM_PLAYER_QUIT:
        player->quit = true;
        return false;
    case UM_PLAYER_UNKNOWN:
        break;
    }
    return false;
}
