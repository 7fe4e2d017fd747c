/* A recording as a feed again: what was recorded, when it was due, and the STATUS frames that a
 * recording leaves out.
 *
 * A reader starts at um_replay_play. Positions are ns from the session's start. What comes out is
 * what the live feed said, with these differences: SESSION has no window (hwnd 0) and the caption
 * that it is given; END comes when it is asked for; a STATUS for each slice that has none in the
 * recording is made from the frames before it (stats.h), in the state of the last one that has;
 * and where nothing was recorded for 3 s (the machine slept), no STATUS is made up.
 *
 * A jump is told as SESSION with UM_WIRE_SESSION_ANEW, then STATUS and EPISODE of the time before,
 * UM_REPLAY_PAST_NS of it: what fills a graph. Recordings may be damaged or made up; nothing in
 * them is trusted. Portable; one thread. Not on the hot path.
 */
#ifndef UM_MONITOR_REPLAY_H
#define UM_MONITOR_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/status.h"
#include "ipc/wire.h"
#include "monitor/feed/feed.h"
#include "monitor/playback/player.h"

#define UM_REPLAY_PAST_NS UINT64_C(204800000000) /* what an overlay holds */

struct um_replay;

struct um_replay_info {
    uint64_t start_ns; /* on the clock of the recorded machine */
    uint64_t length_ns;
    char name[128];    /* of the program that was watched */
    char caption[256]; /* that was shown then */
    /* How the recording ends: UM_OK with END; UM_ERR_CLOSED without; UM_ERR_PARTIAL cut off;
     * UM_ERR_FORMAT damaged; UM_ERR_IO. It plays up to there. */
    enum um_status end;
    const struct um_player_freeze *freezes; /* by their ends, as they were heard of */
    size_t freeze_count;
};

/* Opens a recording and reads all of it once. `error` gets the line to print, without a newline.
 * Owner: um_replay_close; what the output points to must outlive it. Thread: blocks for the disk.
 * Errors: those of um_recording_open; UM_ERR_PARTIAL, UM_ERR_FORMAT it ends before a SESSION;
 * UM_ERR_MEMORY. */
enum um_status um_replay_open(const char *path, const struct um_feed_output *output,
                              struct um_replay **out, char *error, size_t cap_bytes);

/* Owner: the replay's. */
const struct um_replay_info *um_replay_info(const struct um_replay *replay);

/* What SESSION says as caption; it is published again if it has changed. */
void um_replay_set_caption(struct um_replay *replay, const char *caption);

/* Publishes what has not been published yet, up to a position; the first time, SESSION. */
void um_replay_play(struct um_replay *replay, uint64_t position_ns);

/* Goes to a position, forward or back, and tells what leads up to it.
 * Thread: blocks for as long as reading takes: up to a second for 8 hours. */
void um_replay_seek(struct um_replay *replay, uint64_t position_ns);

/* The position at which there will be something to play; UM_PLAYER_NEVER: nothing is left. */
uint64_t um_replay_next(const struct um_replay *replay);

/* The last STATUS that was published; false if there was none. */
bool um_replay_status(const struct um_replay *replay, struct um_wire_status *status,
                      uint8_t *flags);

/* Publishes the END: the recorded one if that is where it is, else that it was stopped. */
void um_replay_end(struct um_replay *replay);

/* Releases it. NULL is allowed. */
void um_replay_close(struct um_replay *replay);

#endif
