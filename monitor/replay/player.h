/* The position of a replay: how it moves with time, and how commands move it.
 *
 * A reader starts at um_player_advance. Positions are ns from the recording's start. Times are
 * those of the local clock, and every call is given the present one. Pure and portable; it knows no
 * files and no keys (player_keys.h turns those into commands). Not on the hot path.
 */
#ifndef UM_MONITOR_PLAYER_H
#define UM_MONITOR_PLAYER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/plain/slice.h"

#define UM_PLAYER_MIN_SPEED 0.125
#define UM_PLAYER_MAX_SPEED 64.0
#define UM_PLAYER_LEAD_NS UINT64_C(1000000000) /* how long before a freeze it begins to play */
#define UM_PLAYER_NEVER UINT64_MAX

enum um_player_action {
    UM_PLAYER_PAUSE,  /* pause, or go on; at the end begin again */
    UM_PLAYER_STEP,   /* pause, and go to the next (1) or previous (-1) beginning of a slice */
    UM_PLAYER_MOVE,   /* `value` seconds on, or back */
    UM_PLAYER_SEEK,   /* to `value` seconds; INFINITY: to the end */
    UM_PLAYER_SPEED,  /* `value`, clamped */
    UM_PLAYER_FASTER, /* `value` times as fast, clamped */
    UM_PLAYER_FREEZE, /* to the next freeze (1) or the one before (-1): while playing, to a second
                         before it; while paused, to its end, where all of it is seen */
    UM_PLAYER_QUIT,
    UM_PLAYER_UNKNOWN /* a line of input that is not a command */
};

struct um_player_command {
    enum um_player_action action;
    double value;
};

struct um_player_freeze {
    uint64_t start_ns;
    uint64_t end_ns;
};

/* Anybody may read it; only the functions below change it. It owns nothing. */
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

/* The position now. At the end it stays there, paused. */
uint64_t um_player_advance(struct um_player *player, uint64_t now_ns);

/* The time at which it will reach a position if no command comes: `now_ns` if it is there already,
 * UM_PLAYER_NEVER while it is paused. */
uint64_t um_player_due(const struct um_player *player, uint64_t position_ns, uint64_t now_ns);

/* Carries out a command. Returns true if the position has jumped, so that what lies between must
 * not be played. A step forward does not jump. */
bool um_player_take(struct um_player *player, const struct um_player_command *command,
                    uint64_t now_ns);

/* Whether the end of the recording is reached. */
bool um_player_at_end(const struct um_player *player);

#endif
