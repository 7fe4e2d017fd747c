/* The steps of a scenario as --dry-run and the progress line show them. Not on the hot path. */
#ifndef UM_MONITOR_SCENARIO_DESCRIBE_H
#define UM_MONITOR_SCENARIO_DESCRIBE_H

#include <stddef.h>
#include <stdio.h>

#include "base/plain/status.h"
#include "monitor/bench/scenario.h"

#define UM_SCENARIO_DESCRIBE_BYTES 256

/* One step, as in `type "hello" (5 keys, 12 a second)`. It has no control characters.
 * Always NUL-terminated, cut where it is longer. */
void um_scenario_describe_step(const struct um_scenario_step *step, char *buf, size_t cap_bytes);

/* Prints all steps: one a line, numbered and indented, with their line in the file. A repeat is
 * printed once. Errors: UM_ERR_IO. */
enum um_status um_scenario_describe_all(const struct um_scenario *scenario, FILE *out);

#endif
