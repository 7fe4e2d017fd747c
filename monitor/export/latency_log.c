#include "monitor/export/latency_log.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/ns.h"
#include "monitor/export/hdr_encode.h"

#define COUNTS UM_HISTOGRAM_LATENCY_COUNTS

/* What a latency has that it had not when the interval began, in `counts`. */
static struct um_histogram difference(struct um_latency_log *log, size_t latency,
                                      const struct um_histogram *now)
{
    struct um_histogram since = *now;
    uint64_t *before = log->before[latency];
    since.counts = log->counts;
    since.used_len = 0;
    since.total = now->total - log->total_before[latency];
    for (size_t i = 0; i < now->used_len; i++) {
        log->counts[i] = now->counts[i] - before[i];
        if (log->counts[i] > 0)
            since.used_len = i + 1;
        before[i] = now->counts[i];
    }
    log->total_before[latency] = now->total;
    return since;
}

static void add_entry(struct um_latency_log *log, size_t latency, uint64_t length_ns,
                      const struct um_histogram *histogram)
{
    uint64_t greatest = um_histogram_value_at_index(histogram, histogram->used_len - 1);
    char *encoded = um_hdr_encode(histogram);
    log->failed |= !encoded || !um_list_reserve(&log->entries, &log->room, log->count + 1, SIZE_MAX,
                                                sizeof *log->entries);
    if (log->failed) {
        free(encoded);
        return;
    }
    log->entries[log->count++] = (struct um_latency_log_entry){
        .start_ns = log->number * UM_LATENCY_LOG_INTERVAL_NS,
        .length_ns = length_ns,
        .max_ns = um_histogram_highest_equivalent(histogram, greatest),
        .latency = latency,
        .encoded = encoded,
    };
}

static void end_interval(struct um_latency_log *log, const struct um_stats *stats,
                         uint64_t length_ns)
{
    if (!log->counts)
        log->counts = malloc(COUNTS * sizeof *log->counts);
    log->failed |= !log->counts;
    for (size_t i = 0; i < UM_LATENCIES_COUNT && !log->failed; i++) {
        const struct um_histogram *now = um_latencies_get(stats, i);
        if (!now || now->total == log->total_before[i])
            continue;
        if (!log->before[i])
            log->before[i] = calloc(COUNTS, sizeof *log->before[i]);
        log->failed |= !log->before[i];
        if (log->failed)
            return;
        struct um_histogram since = difference(log, i, now);
        add_entry(log, i, length_ns, &since);
    }
}

void um_latency_log_take(void *context, const struct um_recorded *recorded,
                         const struct um_wire_frame *frame)
{
    struct um_latency_log *log = context;
    uint64_t number = um_ns_elapsed(recorded->session.start_ns, um_wire_time_of(frame)) /
                      UM_LATENCY_LOG_INTERVAL_NS;
    if (number <= log->number)
        return;
    end_interval(log, recorded->stats, UM_LATENCY_LOG_INTERVAL_NS);
    log->number = number;
}

enum um_status um_latency_log_end(struct um_latency_log *log, const struct um_recorded *recorded)
{
    uint64_t start_ns = recorded->session.start_ns + log->number * UM_LATENCY_LOG_INTERVAL_NS;
    uint64_t length_ns = um_ns_elapsed(start_ns, recorded->end_ns);
    if (recorded->stats)
        end_interval(log, recorded->stats, um_ns_min(length_ns, UM_LATENCY_LOG_INTERVAL_NS));
    return log->failed ? UM_ERR_MEMORY : UM_OK;
}

void um_latency_log_deinit(struct um_latency_log *log)
{
    for (size_t i = 0; i < log->count; i++)
        free(log->entries[i].encoded);
    for (size_t i = 0; i < UM_LATENCIES_COUNT; i++)
        free(log->before[i]);
    free(log->entries);
    free(log->counts);
    *log = (struct um_latency_log){0};
}
