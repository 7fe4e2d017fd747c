#include "monitor/stats/counted_write.h"

#include <inttypes.h>

#include <cjson/cJSON.h>

#include "base/ns.h"
#include "base/utf8.h"
#include "monitor/stats/ms_text.h"
#include "monitor/stats/summary_parts.h"

#define TEXT_COUNTERS 12
#define NAME_COLUMNS 38
#define UNIT_COLUMNS 8

/* One that lasts is as long as it is known to have lasted. */
static uint64_t length_ns(const struct um_counted_pool *pool,
                          const struct um_counted_starvation *starvation)
{
    uint64_t end_ns = starvation->end_ns != 0 ? starvation->end_ns : pool->last_ns;
    return um_ns_elapsed(starvation->start_ns, end_ns);
}

static uint64_t total_ns(const struct um_counted_pool *pool, uint64_t *longest_ns)
{
    uint64_t total = 0;
    *longest_ns = 0;
    for (size_t i = 0; i < pool->len; i++) {
        uint64_t length = length_ns(pool, &pool->list[i]);
        total = um_ns_sum(total, length);
        *longest_ns = um_ns_max(*longest_ns, length);
    }
    return total;
}

static double per_second(uint64_t count, uint64_t ns)
{
    return (double)count * 1e9 / (double)ns;
}

/* Text ----------------------------------------------------------------------------------------- */

static void write_pool(FILE *file, const struct um_counted_pool *pool)
{
    uint64_t count = um_histogram_count(&pool->delays), longest_ns;
    (void)fputs("  Pool       ", file);
    if (count > 0)
        (void)fprintf(file, "p50 %s   p99 %s   max %s ms for %" PRIu64 " work items",
                      um_ms_text(um_summary_value_at(&pool->delays, 50)).chars,
                      um_ms_text(um_summary_value_at(&pool->delays, 99)).chars,
                      um_ms_text(um_histogram_max(&pool->delays)).chars, count);
    else
        (void)fputs("no work item has run", file);
    if (pool->starvations > 0)
        (void)fprintf(file, "\n             starved %" PRIu32 " %s, %s ms in all",
                      pool->starvations, pool->starvations == 1 ? "time" : "times",
                      um_ms_text(total_ns(pool, &longest_ns)).chars);
    (void)fputc('\n', file);
}

static void write_activity(FILE *file, const struct um_counted_activity *activity)
{
    (void)fprintf(file, "  Rates      %.3g messages a second",
                  per_second(activity->messages, activity->messages_ns));
    if (activity->paints_ns > 0)
        (void)fprintf(file, ", %.3g frames a second by WM_PAINT",
                      per_second(activity->paints, activity->paints_ns));
    (void)fputc('\n', file);
}

static void write_counter(FILE *file, const struct um_counted_counter *counter, bool first)
{
    bool adds = counter->is.kind == UM_WIRE_COUNTER_INCREMENT;
    struct um_utf8_shown name = um_utf8_show(um_own_counters_label(&counter->is), NAME_COLUMNS);
    struct um_utf8_shown unit = um_utf8_show(counter->is.unit, UNIT_COLUMNS);
    (void)fprintf(file, "%s%s", first ? "  Counters   " : "             ", name.text);
    for (size_t at = um_utf8_columns(name.text); at < NAME_COLUMNS; at++)
        (void)fputc(' ', file);
    (void)fprintf(file, " %.4g%s%s%s, max %.4g\n", um_counted_mean(counter),
                  unit.text[0] != '\0' ? " " : "", unit.text, adds ? "/s" : "", counter->greatest);
}

static void write_counters(FILE *file, const struct um_counted *counted)
{
    size_t count = 0;
    for (size_t i = 0; i < UM_WIRE_COUNTERS; i++) {
        const struct um_counted_counter *counter = um_counted_counter(counted, i);
        if (counter && ++count <= TEXT_COUNTERS)
            write_counter(file, counter, count == 1);
    }
    if (count > TEXT_COUNTERS)
        (void)fprintf(file, "             and %zu more in the JSON\n", count - TEXT_COUNTERS);
}

void um_counted_write_text(FILE *file, const struct um_counted *counted)
{
    if (!counted)
        return;
    if (um_counted_pool(counted))
        write_pool(file, um_counted_pool(counted));
    if (um_counted_activity(counted))
        write_activity(file, um_counted_activity(counted));
    write_counters(file, counted);
}

/* JSON ----------------------------------------------------------------------------------------- */

static void put_starvation(struct um_json *json, cJSON *object, const struct um_counted_pool *pool,
                           const struct um_counted_starvation *starvation, uint64_t start_ns)
{
    um_json_decimals(json, object, "start_ms",
                     ((double)starvation->start_ns - (double)start_ns) / 1e6, 3);
    um_json_ms(json, object, "duration_ms", length_ns(pool, starvation));
    um_json_ms(json, object, "peak_ms", starvation->peak_ns);
    if (starvation->end_ns == 0)
        um_json_bool(json, object, "open", true);
}

static void put_pool(struct um_json *json, cJSON *root, const struct um_counted_pool *pool,
                     uint64_t start_ns)
{
    uint64_t longest_ns;
    cJSON *object = um_json_object(json, root, "threadpool");
    cJSON *delays = um_json_object(json, object, "delay_ms");
    um_json_u64(json, delays, "count", um_histogram_count(&pool->delays));
    if (um_histogram_count(&pool->delays) > 0) {
        um_json_ms(json, delays, "mean", (uint64_t)um_histogram_mean(&pool->delays));
        um_json_ms(json, delays, "p50", um_summary_value_at(&pool->delays, 50));
        um_json_ms(json, delays, "p90", um_summary_value_at(&pool->delays, 90));
        um_json_ms(json, delays, "p99", um_summary_value_at(&pool->delays, 99));
        um_json_ms(json, delays, "max", um_histogram_max(&pool->delays));
    }
    cJSON *starvations = um_json_object(json, object, "starvations");
    um_json_u64(json, starvations, "count", pool->starvations);
    um_json_ms(json, starvations, "total_ms", total_ns(pool, &longest_ns));
    um_json_ms(json, starvations, "longest_ms", longest_ns);
    cJSON *list = um_json_array(json, object, "starvation_list");
    for (size_t i = 0; i < pool->len && !json->failed; i++)
        put_starvation(json, um_json_append_object(json, list), pool, &pool->list[i], start_ns);
}

static void put_activity(struct um_json *json, cJSON *root,
                         const struct um_counted_activity *activity)
{
    cJSON *object = um_json_object(json, root, "rates");
    um_json_ms(json, object, "counted_ms", activity->messages_ns);
    um_json_decimals(json, object, "messages_per_s",
                     per_second(activity->messages, activity->messages_ns), 3);
    if (activity->paints_ns > 0)
        um_json_decimals(json, object, "frames_per_s",
                         per_second(activity->paints, activity->paints_ns), 3);
}

static void put_counter(struct um_json *json, cJSON *object,
                        const struct um_counted_counter *counter)
{
    bool adds = counter->is.kind == UM_WIRE_COUNTER_INCREMENT;
    um_json_text(json, object, "provider", counter->is.provider);
    um_json_any_text(json, object, "name", counter->is.name);
    um_json_text(json, object, "display", counter->is.display);
    um_json_text(json, object, "unit", counter->is.unit);
    um_json_text(json, object, "kind", adds ? "increment" : "mean");
    um_json_u64(json, object, "intervals", counter->intervals);
    if (adds)
        um_json_number(json, object, "sum", counter->sum);
    if (counter->weight > 0)
        um_json_number(json, object, adds ? "per_s" : "mean", um_counted_mean(counter));
    um_json_number(json, object, "min", counter->least);
    um_json_number(json, object, "max", counter->greatest);
    um_json_number(json, object, "last", counter->last);
}

void um_counted_write_json(struct um_json *json, cJSON *root, const struct um_counted *counted,
                           uint64_t start_ns)
{
    cJSON *list = NULL;
    if (!counted)
        return;
    if (um_counted_pool(counted))
        put_pool(json, root, um_counted_pool(counted), start_ns);
    if (um_counted_activity(counted))
        put_activity(json, root, um_counted_activity(counted));
    for (size_t i = 0; i < UM_WIRE_COUNTERS && !json->failed; i++) {
        const struct um_counted_counter *counter = um_counted_counter(counted, i);
        if (!counter)
            continue;
        list = list ? list : um_json_array(json, root, "counters");
        put_counter(json, um_json_append_object(json, list), counter);
    }
}
