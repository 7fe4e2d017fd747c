/* uimon replay FILE: a recording in the overlay, driven by keys (player_keys.h). */
#ifndef UM_MONITOR_REPLAY_COMMAND_H
#define UM_MONITOR_REPLAY_COMMAND_H

#include "monitor/options.h"

/* Plays options->files[0] until the user quits; where standard input is no terminal and is at its
 * end, to the recording's end. Begins when the overlay, or somebody else, listens to the feed; if
 * nobody comes, it begins all the same. Returns an enum um_exit_code. Thread: main; blocks. */
int um_replay_command_run(struct um_options *options);

#endif
