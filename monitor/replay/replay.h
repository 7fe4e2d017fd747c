/* A recording as a feed again, frame by frame when each was due.
 *
 * A reader starts at um_replay_play. Positions are ns from the session's start. What comes out is
 * what the live feed had, except that
 * - SESSION has no window (hwnd 0), and the caption of um_replay_set_caption;
 * - END comes with um_replay_end;
 * - most STATUS frames are not in a recording (recorder.h). For each slice without one a STATUS is
 *   made from the frames before it (stats.h), in the state of the last recorded STATUS, but not
 *   where nothing was recorded for 3 s, because the machine slept.
 *
 * After a jump the feed begins anew: SESSION with UM_WIRE_SESSION_ANEW, and then the STATUS and
 * EPISODE frames of the UM_REPLAY_PAST_NS before the new position, which fill an overlay's graph.
 * So do those of components, and of what their layout has cost up to there (past_layout.h).
 * Nothing in a recording is trusted: it may be damaged or made up. Portable; one thread. Not on the
 * hot path.
 */
#ifndef UM_MONITOR_REPLAY_H
#define UM_MONITOR_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "ipc/wire.h"
#include "monitor/feed/feed.h"
#include "monitor/profile/hottest.h"
#include "monitor/replay/player.h"

#define UM_REPLAY_PAST_NS UINT64_C(204800000000) /* as much as an overlay can show */

struct um_replay;

struct um_replay_info {
    uint64_t start_ns; /* on the clock of the machine that was recorded */
    uint64_t length_ns;
    char name[128];    /* of the program that was watched */
    char caption[256]; /* that the overlay showed then */
    bool has_layout;   /* it was recorded with --layout */
    /* How the recording ends: UM_OK with END; UM_ERR_CLOSED without; UM_ERR_PARTIAL cut off;
     * UM_ERR_FORMAT damaged; UM_ERR_IO. It plays up to there. */
    enum um_status end;
    const struct um_player_freeze *freezes; /* in the order of their ends */
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

/* Sets the caption in SESSION, and publishes SESSION again if that has changed it. */
void um_replay_set_caption(struct um_replay *replay, const char *caption);

/* Publishes what has not been published yet, up to a position. */
void um_replay_play(struct um_replay *replay, uint64_t position_ns);

/* Goes to a position, forward or back, and publishes what leads up to it.
 * Thread: blocks for as long as reading takes: up to a second for 8 hours. */
void um_replay_seek(struct um_replay *replay, uint64_t position_ns);

/* The position at which there will be something to play; UM_PLAYER_NEVER: nothing is left. */
uint64_t um_replay_next(const struct um_replay *replay);

/* The last STATUS that was published; false if there was none. */
bool um_replay_status(const struct um_replay *replay, struct um_wire_status *status,
                      uint8_t *flags);

/* Makes PROFILE frames of the samples up to the present position: of the freeze that lasts, or else
 * of the last one, and of the session. Returns how many: those of a freeze are missing where there
 * was none, and all where there is no memory. */
size_t um_replay_hottest(struct um_replay *replay, const struct um_hottest_shown *shown,
                         struct um_wire_frame frames[UM_HOTTEST_FRAMES]);

/* Whether beats measured only the window's thread, by the last SESSION that was published; for
 * um_wire_state_words. */
bool um_replay_window_only(const struct um_replay *replay);

/* Publishes END: the recorded one if it was reached, else one with UM_END_STOPPED. */
void um_replay_end(struct um_replay *replay);

/* Releases it. NULL is allowed. */
void um_replay_close(struct um_replay *replay);

#endif
