/* Intervals of a change between two sittings: the bootstrap of whole runs. Pure; not on the hot
 * path. */
#ifndef UM_MONITOR_BOOTSTRAP_H
#define UM_MONITOR_BOOTSTRAP_H

#include "base/plain/status.h"
#include "monitor/compare/compare.h"

/* Fills the intervals of the changes of median (0) and p90 (1), as compare.h says; none with fewer
 * than UM_MANN_WHITNEY_LEAST runs on a side. Units: both groups are sorted. Errors:
 * UM_ERR_MEMORY. */
enum um_status um_bootstrap_intervals(const struct um_compare_group *before,
                                      const struct um_compare_group *after,
                                      struct um_compare_change *const changes[2]);

#endif
