/* Episodes: the times of a session that are not responsive. Each goes to the feed and the timeline,
 * with exactly one begin and one end, in this order. Their ids rise from 1. Episodes may overlap (a
 * suspension within a freeze, a freeze while idle); the timeline decides which state counts.
 * Portable, no allocation. Not on the hot path.
 */
#ifndef UM_MONITOR_EPISODES_H
#define UM_MONITOR_EPISODES_H

#include <stdint.h>

#include "ipc/wire.h"
#include "monitor/measure/stretch.h"
#include "monitor/measure/timeline.h"

struct um_episodes {
    void *context;
    void (*publish)(void *context, const struct um_wire_frame *frame);
    struct um_timeline timeline;
    uint64_t clear_ns; /* the latest end that was painted, or the session's start */
    uint32_t last_id;
};

/* A condition that lasts: suspended, blind, idle. Zeroed, it is not open. */
struct um_episodes_open {
    uint64_t start_ns;
    uint32_t id; /* 0: not open */
};

/* Starts the timeline of a session. Ids are not reset. */
void um_episodes_start(struct um_episodes *episodes, uint64_t start_ns);

/* Feeds a begin and returns its id. The episode is known to last until `end_ns`. */
uint32_t um_episodes_begin(struct um_episodes *episodes, enum um_state state,
                           const struct um_stretch_verdict *verdict, uint64_t end_ns);

/* Feeds an end with these further UM_WIRE_EPISODE_* flags, and paints the episode unless VOID is
 * among them. With `id` 0 the episode had no begin yet. Then `slow` is published as one frame, and
 * other states as two. */
void um_episodes_end(struct um_episodes *episodes, uint32_t id, enum um_state state,
                     const struct um_stretch_verdict *verdict, uint64_t end_ns, uint8_t flags);

/* Gives this time a state, of which the feed is not told. */
void um_episodes_paint(struct um_episodes *episodes, enum um_state state, uint64_t start_ns,
                       uint64_t end_ns);

/* Opens a condition. `id` is an episode that has begun already and is this condition from now on;
 * 0: begins a new one. */
void um_episodes_open(struct um_episodes *episodes, struct um_episodes_open *open,
                      enum um_state state, uint64_t start_ns, uint64_t now_ns, uint32_t id);

/* Ends a condition, with the state that is known by now. Does nothing if it is not open. */
void um_episodes_close(struct um_episodes *episodes, struct um_episodes_open *open,
                       enum um_state state, uint64_t end_ns, uint8_t flags);

#endif
