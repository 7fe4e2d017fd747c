/* The pace of a replay: which part of a recording is due now, and what the keys do to that.
 *
 * A reader starts at um_player_advance. Positions are ns from the recording's start, times are of
 * the local clock, which every call is given. Pure and portable; knows no file and no key codes
 * (player_keys.h). Not on the hot path.
 */
#ifndef UM_MONITOR_PLAYER_H
#define UM_MONITOR_PLAYER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/slice.h"

#define UM_PLAYER_MIN_SPEED 0.125
#define UM_PLAYER_MAX_SPEED 64.0
#define UM_PLAYER_LEAD_NS UINT64_C(1000000000) /* what is seen before a freeze that is gone to */
#define UM_PLAYER_NEVER UINT64_MAX

enum um_player_action {
    UM_PLAYER_PAUSE,  /* or go on; at the end: from the start again */
    UM_PLAYER_STEP,   /* pause, and go `value` slices on (1) or back (-1), to where one begins */
    UM_PLAYER_MOVE,   /* `value` seconds on, or back */
    UM_PLAYER_SEEK,   /* to `value` seconds; INFINITY: to the end */
    UM_PLAYER_SPEED,  /* `value`, clamped */
    UM_PLAYER_FASTER, /* `value` times as fast, clamped */
    UM_PLAYER_FREEZE, /* to the next freeze (1) or the one before (-1): to a second before it
                         begins, or while paused to its end, where all of it is seen */
    UM_PLAYER_QUIT,
    UM_PLAYER_UNKNOWN /* a line of input that is no command */
};

struct um_player_command {
    enum um_player_action action;
    double value;
};

struct um_player_freeze {
    uint64_t start_ns;
    uint64_t end_ns;
};

/* Read it freely; only the functions below change it. Nothing is to be released. */
struct um_player {
    uint64_t length_ns;
    uint64_t base_ns; /* the position ... */
    uint64_t at_ns;   /* ... at this local time */
    double speed;
    bool paused;
    bool quit;
    const struct um_player_freeze *freezes; /* by their start */
    size_t freeze_count;
};

/* Starts at position 0, playing. Owner: `freezes` must outlive the player. */
void um_player_init(struct um_player *player, uint64_t length_ns, double speed,
                    const struct um_player_freeze *freezes, size_t freeze_count, uint64_t now_ns);

/* Where it is now. At the end it stays, paused. */
uint64_t um_player_advance(struct um_player *player, uint64_t now_ns);

/* When it comes to a position, if no command comes before: the local clock's time of it; `now_ns`
 * if it is there already, UM_PLAYER_NEVER while it is paused. */
uint64_t um_player_due(const struct um_player *player, uint64_t position_ns, uint64_t now_ns);

/* Does what a command asks for. Returns whether the position has jumped: what lies between is to
 * be skipped and not played. A step forward is played. */
bool um_player_take(struct um_player *player, const struct um_player_command *command,
                    uint64_t now_ns);

/* Whether it has come to the end. */
bool um_player_at_end(const struct um_player *player);

#endif
