/* Reads the steps of a scenario, one function for each kind. Internal to scenario.c, where a reader
 * starts; to add a kind of step, add its function and its row in the table of scenario_steps.c.
 */
#ifndef UM_MONITOR_SCENARIO_STEPS_H
#define UM_MONITOR_SCENARIO_STEPS_H

#include "base/plain/status.h"
#include "monitor/bench/scenario_parser.h"

/* Reads the present line, which has a word at least, and appends its step to the scenario.
 * Errors: UM_ERR_FORMAT; UM_ERR_MEMORY. */
enum um_status um_scenario_steps_read(struct um_scenario_parser *parser);

#endif
