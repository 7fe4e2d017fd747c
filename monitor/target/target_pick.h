/* Finds the running program that the user means: lists programs (target.h) and chooses one
 * (target_spec.h). Not on the hot path. Thread: blocks on the system.
 */
#ifndef UM_MONITOR_TARGET_PICK_H
#define UM_MONITOR_TARGET_PICK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/plain/status.h"
#include "monitor/target/target_spec.h"

/* Finds the program. If several match and `newest` is set, the one that was started last is taken.
 * Errors: as um_target->find and um_target_spec_match; `error` has the line to print. */
enum um_status um_target_pick(const struct um_target_spec *spec, bool newest,
                              struct um_target_info *found, char *error, size_t error_cap);

#endif
