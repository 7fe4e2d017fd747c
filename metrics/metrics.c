#include "metrics/metrics.h"

#include <string.h>

#include "base/plain/clock.h"

/* Latencies above this, and latencies for shorter periods than that, are not corrected. */
#define CORRECTED_MAX_NS (3600 * UM_CLOCK_NS_PER_S)
#define PERIOD_LEAST_NS UM_CLOCK_NS_PER_MS

static bool take_part(const struct um_wire_frame *frame, enum um_interaction kind,
                      enum um_wire_part part, uint64_t *value)
{
    const struct um_wire_interaction *interaction = &frame->as.interaction;
    return interaction->kind == kind && um_wire_interaction_part_ns(interaction, part, value);
}

#define TAKE_PART(name, kind, part)                                                                \
    static bool take_##name(const struct um_wire_frame *frame, uint64_t *value)                    \
    {                                                                                              \
        return take_part(frame, kind, part, value);                                                \
    }
TAKE_PART(typing_painted, UM_INTERACTION_KEY, UM_WIRE_PART_TOTAL)
TAKE_PART(typing_handled, UM_INTERACTION_KEY, UM_WIRE_PART_TO_HANDLED)
TAKE_PART(click_painted, UM_INTERACTION_CLICK, UM_WIRE_PART_TOTAL)
TAKE_PART(click_handled, UM_INTERACTION_CLICK, UM_WIRE_PART_TO_HANDLED)

/* Metrics that are a field of their frame. */
#define TAKE_FIELD(name, field)                                                                    \
    static bool take_##name(const struct um_wire_frame *frame, uint64_t *value)                    \
    {                                                                                              \
        *value = frame->as.field;                                                                  \
        return true;                                                                               \
    }
TAKE_FIELD(pool_delay, pool.delay_ns)
TAKE_FIELD(starvations, pool.starvation)
TAKE_FIELD(messages, activity.messages)
TAKE_FIELD(beats_sent, totals.beats_sent)
TAKE_FIELD(beats_lost, totals.beats_lost)
TAKE_FIELD(dropped, totals.dropped)
TAKE_FIELD(frames_lost, status.lost)

static bool take_paints(const struct um_wire_frame *frame, uint64_t *value)
{
    *value = frame->as.activity.paints;
    return frame->flags & UM_WIRE_ACTIVITY_PAINTS;
}

static bool take_own_cpu(const struct um_wire_frame *frame, uint64_t *value)
{
    *value = um_metrics_own_cpu_ns(&frame->as.totals);
    return *value != 0;
}

const struct um_metrics_row um_metrics_list[UM_METRICS_COUNT] = {
    [UM_METRICS_LAG] = {"ui-thread-lag-ms", "UI thread lag", "ms", UM_METRICS_LEVEL,
                        "uimon_ui_thread_lag_seconds",
                        "How long input waits for the UI thread now.", 0, NULL},
    [UM_METRICS_LATENCY] = {"input-latency-ms", "Input latency", "ms", UM_METRICS_SPREAD,
                            "uimon_input_latency_seconds",
                            "How long input waited for the UI thread.", 0, NULL},
    [UM_METRICS_HANGS] = {"ui-hang-count", "UI hangs", "", UM_METRICS_SUM,
                          "uimon_ui_hang_duration_seconds",
                          "Length of the freezes of the UI thread that are over.", 0, NULL},
    [UM_METRICS_TYPING_PAINTED] = {"typing-painted-ms", "Typing, until painted", "ms",
                                   UM_METRICS_SPREAD, "uimon_typing_painted_seconds",
                                   "From the arrival of a key press to the end of painting.",
                                   UM_WIRE_INTERACTION, take_typing_painted},
    [UM_METRICS_TYPING_HANDLED] = {"typing-handled-ms", "Typing, until handled", "ms",
                                   UM_METRICS_SPREAD, "uimon_typing_handled_seconds",
                                   "From the arrival of a key press to the end of its handling.",
                                   UM_WIRE_INTERACTION, take_typing_handled},
    [UM_METRICS_CLICK_PAINTED] = {"click-painted-ms", "Clicks, until painted", "ms",
                                  UM_METRICS_SPREAD, "uimon_click_painted_seconds",
                                  "From the arrival of a click to the end of painting.",
                                  UM_WIRE_INTERACTION, take_click_painted},
    [UM_METRICS_CLICK_HANDLED] = {"click-handled-ms", "Clicks, until handled", "ms",
                                  UM_METRICS_SPREAD, "uimon_click_handled_seconds",
                                  "From the arrival of a click to the end of its handling.",
                                  UM_WIRE_INTERACTION, take_click_handled},
    [UM_METRICS_POOL_DELAY] = {"threadpool-queue-delay-ms", "Thread pool, queue", "ms",
                               UM_METRICS_SPREAD, "uimon_threadpool_queue_delay_seconds",
                               "How long work items waited in the queue of the default thread "
                               "pool.",
                               UM_WIRE_POOL, take_pool_delay},
    [UM_METRICS_STARVATIONS] = {NULL, NULL, "", UM_METRICS_SUM,
                                "uimon_threadpool_starvations_total",
                                "How often the default thread pool was starved.", UM_WIRE_POOL,
                                take_starvations},
    [UM_METRICS_FRAME_RATE] = {"frame-rate", "Frames by WM_PAINT", "/s", UM_METRICS_RATE,
                               "uimon_frames_painted_total",
                               "Paint cycles of the UI thread, by WM_PAINT.", UM_WIRE_ACTIVITY,
                               take_paints},
    [UM_METRICS_MESSAGE_RATE] = {"message-rate", "Messages retrieved", "/s", UM_METRICS_RATE,
                                 "uimon_messages_retrieved_total",
                                 "Messages that the UI thread took from its queue.",
                                 UM_WIRE_ACTIVITY, take_messages},
    [UM_METRICS_BEATS_SENT] = {NULL, NULL, "", UM_METRICS_SUM, "uimon_beats_sent_total",
                               "Beats that were sent to the UI thread.", UM_WIRE_TOTALS,
                               take_beats_sent},
    [UM_METRICS_BEATS_LOST] = {"beats-lost", "Beats lost", "", UM_METRICS_SUM,
                               "uimon_beats_lost_total", "Beats that never arrived.",
                               UM_WIRE_TOTALS, take_beats_lost},
    [UM_METRICS_DROPPED] = {NULL, NULL, "", UM_METRICS_SUM, "uimon_dropped_total",
                            "Records and frames of uimon that were dropped.", UM_WIRE_TOTALS,
                            take_dropped},
    [UM_METRICS_FRAMES_LOST] = {"frames-lost", "Frames lost", "", UM_METRICS_SUM, NULL, NULL,
                                UM_WIRE_STATUS, take_frames_lost},
    [UM_METRICS_OWN_CPU] = {"own-cpu-ms", "CPU time of uimon", "ms", UM_METRICS_SUM,
                            "uimon_cpu_seconds_total",
                            "CPU time of uimon and its overlay, and of its threads in the target.",
                            UM_WIRE_TOTALS, take_own_cpu},
};

enum um_metrics_id um_metrics_find(const char *name, size_t len_bytes)
{
    for (int i = 0; i < UM_METRICS_COUNT; i++) {
        const char *known = um_metrics_list[i].name;
        if (known && strlen(known) == len_bytes && memcmp(known, name, len_bytes) == 0)
            return (enum um_metrics_id)i;
    }
    return UM_METRICS_COUNT;
}

bool um_metrics_is_time(const struct um_metrics_row *row)
{
    return row->unit[0] == 'm';
}

bool um_metrics_state_has_lag(enum um_state state)
{
    return state == UM_STATE_FROZEN || state == UM_STATE_STARVED || state == UM_STATE_SLOW ||
           state == UM_STATE_RESPONSIVE;
}

uint64_t um_metrics_own_cpu_ns(const struct um_wire_totals *totals)
{
    return totals->monitor_cpu_ns ? totals->monitor_cpu_ns + totals->overlay_cpu_ns +
                                        totals->heartbeat_cpu_ns + totals->sender_cpu_ns
                                  : 0;
}

double um_metrics_rate(uint64_t before, uint64_t now, uint64_t length_ns)
{
    return now > before ? (double)(now - before) * 1e9 / (double)length_ns : 0;
}

uint64_t um_metrics_hidden(uint64_t value_ns, uint64_t period_ns)
{
    if (period_ns < PERIOD_LEAST_NS || value_ns < period_ns || value_ns > CORRECTED_MAX_NS)
        return 0;
    return value_ns / period_ns - 1;
}
