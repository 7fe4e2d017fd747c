/* `uimon calibrate`: measures uimon itself against a bundled window that answers at once, and keeps
 * the floor (floor.h) for the results of later benchmarks. Not on the hot path. */
#ifndef UM_MONITOR_CALIBRATE_COMMAND_H
#define UM_MONITOR_CALIBRATE_COMMAND_H

#include "monitor/options.h"

/* Runs the benchmark of the tool itself, about half a minute, in which nobody should touch mouse or
 * keyboard. Writes the floor to its place, and to options->json if that is given. Returns an exit
 * code. */
int um_calibrate_command_run(struct um_options *options);

#endif
