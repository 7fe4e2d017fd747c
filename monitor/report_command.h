/* `uimon report FILE`: what a recording adds up to, as text, JSON and a page.
 *
 * The text is the one that the live session printed. Not on the hot path; no thread.
 */
#ifndef UM_MONITOR_REPORT_COMMAND_H
#define UM_MONITOR_REPORT_COMMAND_H

#include "monitor/options.h"

/* Reads options->files[0] and writes what was asked for. Results that are not whole are written all
 * the same, after which a line on stderr says what is missing, and the exit code is UM_EXIT_FAILED:
 * a script that compares them has to know.
 * Returns an exit code (exit_code.h). */
int um_report_command_run(struct um_options *options);

#endif
