/* The counters that a target has of itself, as metrics of Prometheus: a part of prometheus.h.
 *
 * The name of a metric is "uimon_target_", the provider and the counter's name, without what such
 * names may not have: System.Runtime/cpu-usage is uimon_target_system_runtime_cpu_usage. Its unit
 * is the label `unit`, as the program writes it. A mean, or a present level, is a gauge: that of
 * the last interval. An increment is a counter whose name ends in _total: the sum since uimon heard
 * the first. A gauge whose name would end so, which is for counters alone, ends in _total_gauge.
 *
 * Names of several may become the same, as those of a-b and a.b. Then they are samples of one
 * metric, which the labels `provider` and `counter` tell apart. Others do not have these labels.
 *
 * Pure. Not on the monitor's hot path.
 */
#ifndef UM_MONITOR_PROMETHEUS_COUNTERS_H
#define UM_MONITOR_PROMETHEUS_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "ipc/own_counters.h"
#include "ipc/wire.h"

#define UM_PROMETHEUS_COUNTERS_NAME_BYTES (2 * UM_WIRE_COUNTER_TEXT_BYTES + 32)

/* Private to prometheus_counters.c. */
struct um_prometheus_counter {
    char name[UM_PROMETHEUS_COUNTERS_NAME_BYTES]; /* of its metric; "": it has none */
    bool adds;
    bool known; /* `value` is */
    double value;
};

/* Zeroed, there are none. Owner: um_prometheus_counters_deinit. */
struct um_prometheus_counters {
    struct um_own_counters own;
    struct um_prometheus_counter list[UM_WIRE_COUNTERS]; /* by the places of `own` */
};

/* Accepts a zeroed struct. */
void um_prometheus_counters_deinit(struct um_prometheus_counters *counters);

/* Takes a COUNTER or a COUNTER_VALUE; others are ignored. */
void um_prometheus_counters_take(struct um_prometheus_counters *counters,
                                 const struct um_wire_frame *frame);

/* Writes those that have a value. `labels` stand before those of each. */
void um_prometheus_counters_write(const struct um_prometheus_counters *counters, const char *labels,
                                  FILE *out);

#endif
