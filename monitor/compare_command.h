/* `uimon compare BEFORE AFTER`: reads results, compares them, tells, and checks limits.
 *
 * Each side is a file, a folder of them (every .json in it), or several of either with commas
 * between. Not on the hot path; no thread.
 */
#ifndef UM_MONITOR_COMPARE_COMMAND_H
#define UM_MONITOR_COMPARE_COMMAND_H

#include "monitor/options.h"

/* Compares options->files[0] and [1]. Returns an exit code: UM_EXIT_LIMIT a limit was exceeded;
 * UM_EXIT_USAGE a limit names what does not exist; UM_EXIT_FAILED a side cannot be read, nothing can
 * be compared, or a limit cannot be checked. */
int um_compare_command_run(struct um_options *options);

#endif
