/* `uimon bench SCENARIO`: reads a scenario, runs it as often as asked, and writes what came of it.
 * Not on the hot path; runs on the main thread. */
#ifndef UM_MONITOR_BENCH_COMMAND_H
#define UM_MONITOR_BENCH_COMMAND_H

#include "monitor/options.h"

/* Runs options->files[0]. Returns an exit code: UM_EXIT_USAGE the scenario is wrong;
 * UM_EXIT_NO_TARGET, UM_EXIT_DENIED as everywhere; UM_EXIT_FAILED it was aborted, and the results say
 * so too. */
int um_bench_command_run(struct um_options *options);

#endif
