/* The measures that a scenario will make, and which quantities each can have: what limits may name,
 * known before the first run. Whether painting will be observed, for one, is not known. Pure; not
 * on the hot path.
 */
#ifndef UM_MONITOR_SCENARIO_MEASURES_H
#define UM_MONITOR_SCENARIO_MEASURES_H

#include <stdbool.h>
#include <stddef.h>

#include "monitor/bench/scenario.h"
#include "monitor/compare/limits.h"

/* Fills `out`, which has room for UM_LIMITS_NAMES_MOST: more than results may have. `layout`: the
 * benchmark has --layout. Owner: the names are the scenario's. Returns how many there are. */
size_t um_scenario_measures_list(const struct um_scenario *scenario, bool layout,
                                 struct um_limits_measure *out);

#endif
