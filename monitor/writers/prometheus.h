/* A session's metrics in Prometheus's text format 0.0.4, for the textfile collector of
 * node_exporter or windows_exporter.
 *
 * Pure: frames of the feed go in (ipc/wire.h), and at any time a text comes out. Each sample has
 * the labels `host`, `pid` and `process`. Times are in seconds; counters and histograms only grow.
 * What was not measured is absent.
 *
 *   uimon_build_info                         gauge, 1; label `version`
 *   uimon_ui_thread_lag_seconds              gauge: how long the oldest unanswered beat has waited;
 *                                            if there is none, the latency of the last one. Absent
 *                                            while the state is blind, idle or suspended
 *   uimon_input_latency_seconds              histogram of all beats, corrected for coordinated
 *                                            omission as in monitor/stats/stats.h
 *   uimon_ui_hang_duration_seconds           histogram of the freezes that are over
 *   uimon_ui_hangs_total                     how many; label `state`: frozen, starved
 *   uimon_typing_painted_seconds, uimon_typing_handled_seconds, uimon_click_painted_seconds,
 *   uimon_click_handled_seconds              histograms, from arrival; absent before the first
 *   uimon_threadpool_queue_delay_seconds     histogram of how long uimon's work items waited in the
 *                                            queue of the default thread pool, four a second; while
 *                                            one waits, its age each 250 ms. Absent at first
 *   uimon_threadpool_starvations_total       how often the pool was starved; absent likewise
 *   uimon_frames_painted_total               paint cycles of the UI thread, by WM_PAINT. Absent
 *                                            where none was ever seen
 *   uimon_messages_retrieved_total           messages that the UI thread took from its queue. This
 *                                            one and the one before count from ACTIVITY
 *   uimon_state_seconds_total                time in each state; label `state`
 *   uimon_beats_sent_total, uimon_beats_lost_total, uimon_dropped_total
 *   uimon_cpu_seconds_total                  CPU time of uimon, with its threads in the target
 *   app_jank_frame_count_total               freezes that ended as frozen: in each of them one
 *                                            frame could not be painted for the threshold or longer
 *   app_jank_period_seconds_total            time in which they were looked for
 *   app_jank_threshold_seconds               gauge
 *   uimon_target_...                         the counters that the target has of itself
 *                                            (prometheus_counters.h)
 *
 * The three of app_jank are the attributes of OpenTelemetry's event `app.jank`; its conventions
 * name nothing else that is measured here. Source: "Exposition formats", Prometheus; "Semantic
 * conventions for app", OpenTelemetry 1.40; "OpenTelemetry and Prometheus" for how names become
 * metrics.
 *
 * A reader starts at um_prometheus_frame. One thread; never blocks but on the stream. Not on the
 * monitor's hot path.
 */
#ifndef UM_MONITOR_PROMETHEUS_H
#define UM_MONITOR_PROMETHEUS_H

#include <stdio.h>

#include "base/plain/status.h"
#include "ipc/wire.h"

struct um_prometheus;

/* Begins with nothing measured. `host` is the name of the machine; it is copied.
 * Owner: um_prometheus_close. Errors: UM_ERR_MEMORY. */
enum um_status um_prometheus_open(const char *host, struct um_prometheus **prometheus);

/* Takes one frame, of any type. A SESSION with UM_WIRE_SESSION_ANEW clears all values. */
void um_prometheus_frame(struct um_prometheus *prometheus, const struct um_wire_frame *frame);

/* Writes all metrics as they are now; nothing before the first SESSION. Errors: UM_ERR_IO. */
enum um_status um_prometheus_write(const struct um_prometheus *prometheus, FILE *out);

/* Accepts NULL. */
void um_prometheus_close(struct um_prometheus *prometheus);

#endif
