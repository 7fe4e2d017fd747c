/* How often the target paints and how many messages it retrieves, as listeners with different
 * intervals hear it at the same time, and as the file for Prometheus has it: against the demo's own
 * log. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/e2e/harness.h"

TestSuite(rates, .fini = conclude);

#define ACCURACY 0.02
#define LISTENERS 3
#define SAMPLE_NS UINT64_C(100000000) /* from sample to sample */
#define OTHERS 20 /* messages of the target that neither paint nor flood nor freeze it */

struct listening {
    struct program program;
    const char *interval;
    char jsonl[PATH_BYTES];
};

static void listen_to(struct listening *listening, const struct target *target)
{
    char name[32];
    snprintf(name, sizeof name, "each_%s.jsonl", listening->interval);
    snprintf(listening->jsonl, sizeof listening->jsonl, "%s", test_file(name));
    start(&listening->program, "uimon", "listen", decimal(target->pid), "--interval",
          listening->interval, "--counters", "frame-rate,message-rate", "--json",
          windows_path(listening->jsonl), NULL);
}

/* How many of the paintings were over in a time. */
static size_t count_over(const struct um_demo_log_event *paints, size_t count, double from_ns,
                         double to_ns)
{
    size_t over = 0;
    for (size_t i = 0; i < count; i++)
        over += (double)paints[i].end_ns > from_ns && (double)paints[i].end_ns <= to_ns;
    return over;
}

/* The mean of the intervals that lie within the animation with all of their samples, against the
 * paintings of the log in the same time. */
static void check_listener(const struct listening *listening, const struct target *target,
                           const struct um_demo_log_event *paints, size_t count)
{
    char *text = read_text(listening->jsonl);
    double first_ns = 0, last_ns = 0, sum = 0, length_s = 0;
    size_t intervals = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        cJSON *json = cJSON_Parse(line);
        const cJSON *values = cJSON_GetObjectItem(json, "values");
        const cJSON *rate = cJSON_GetObjectItem(values, "frame-rate");
        if (rate) {
            double interval_s = number(json, "interval_s");
            double end_ns = number(json, "clock_ns"), start_ns = end_ns - interval_s * 1e9;
            if (start_ns - 2 * (double)SAMPLE_NS > (double)paints[0].end_ns &&
                end_ns < (double)paints[count - 1].end_ns) {
                first_ns = intervals++ ? first_ns : start_ns;
                last_ns = end_ns;
                sum += rate->valuedouble * interval_s;
                length_s += interval_s;
            }
        }
        cJSON_Delete(json);
    }
    free(text);
    cr_assert_geq(intervals, 2, "%s s: %zu intervals", listening->interval, intervals);
    size_t over = count_over(paints, count, first_ns, last_ns);
    double truth = (double)over / (last_ns - first_ns) * 1e9, told = sum / length_s;
    cr_log_info("each %s s: %.3f a second in %zu intervals, of %.3f\n", listening->interval, told,
                intervals, truth);
    double stalled_s = (double)stalled_ns(target->log, (uint64_t)first_ns, (uint64_t)last_ns) / 1e9;
    cr_expect(is_within(fabs(told - truth) / truth, ACCURACY, stalled_s / length_s),
              "each %s s: %.3f a second in place of %.3f", listening->interval, told, truth);
}

/* Whoever asks for events alone hears of the freeze, and of no counter. */
static void check_events(const char *jsonl)
{
    cr_expect(has_line(jsonl, "\"counters\":[]") && !has_line(jsonl, "\"kind\":\"counters\""));
    cr_expect(has_line(jsonl, "\"UiHangDetected\"") && has_line(jsonl, "\"UiHangEnded\""));
}

/* The value of the metric; -1: it is not in the file. */
static double metric(const char *path, const char *name)
{
    double value = -1;
    char *text = read_text(path);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        if (strncmp(line, name, strlen(name)) == 0)
            value = atof(strrchr(line, ' '));
    free(text);
    return value;
}

/* The file for Prometheus has every painting and every message, and none of uimon's own: a hundred
 * beats a second went to the target meanwhile. */
static void check_totals(const struct target *target, const char *file, size_t paintings)
{
    struct um_demo_log_event *flood;
    cr_assert_eq(log_events(target->log, UM_DEMO_LOG_FLOOD, &flood), 1);
    double least = (double)flood->count + (double)paintings;
    double messages = metric(file, "uimon_messages_retrieved_total");
    cr_log_info("%.0f messages, of which the log has %.0f\n", messages, least);
    cr_expect_eq(metric(file, "uimon_frames_painted_total"), (double)paintings, "%.0f of %zu",
                 metric(file, "uimon_frames_painted_total"), paintings);
    cr_expect(messages >= least && messages <= least + OTHERS, "%.0f of %.0f", messages, least);
    cr_expect_geq(metric(file, "uimon_threadpool_queue_delay_seconds_count"), 4);
    free(flood);
}

Test(rates, of_paintings_are_those_of_the_log_at_any_interval, .measured = true)
{
    char file[PATH_BYTES];
    struct target target;
    struct monitor monitor;
    struct listening listening[LISTENERS] = {
        {.interval = "0.3"}, {.interval = "0.7"}, {.interval = "1"}};
    struct um_demo_log_event *paints;
    struct program events;
    char jsonl[PATH_BYTES];

    start_target(&target, NULL, "--still", NULL);
    snprintf(file, sizeof file, "%s", test_file("demo.prom"));
    start_monitor(&monitor, &target, "--prometheus", windows_path(file), NULL);
    for (size_t i = 0; i < LISTENERS; i++)
        listen_to(&listening[i], &target);
    snprintf(jsonl, sizeof jsonl, "%s", test_file("events.jsonl"));
    start(&events, "uimon", "listen", decimal(target.pid), "--counters", "none", "--json",
          windows_path(jsonl), NULL);
    for (size_t i = 0; i < LISTENERS; i++)
        wait_line(listening[i].jsonl, "message-rate\":");
    trigger(&target, "paint:60x3600,wait:3800,flood:300,wait:500,300");
    wait_line(file, "state=\"frozen\"} 1");
    size_t count = log_events(target.log, UM_DEMO_LOG_PAINT, &paints);
    cr_assert_gt(count, 100, "%zu paintings", count);
    check_totals(&target, file, count);
    double messages = metric(file, "uimon_messages_retrieved_total");
    cJSON *summary = stop_monitor(&monitor);
    double summed_up =
        number(summary, "rates.messages_per_s") * number(summary, "rates.counted_ms");
    cr_expect(summed_up / 1000 >= messages - 1 && summed_up / 1000 <= messages + OTHERS,
              "%.1f of %.0f", summed_up / 1000, messages);
    cJSON_Delete(summary);
    for (size_t i = 0; i < LISTENERS; i++)
        cr_expect_eq(wait_end(&listening[i].program, LIMIT_MS), 0);
    cr_expect_eq(wait_end(&events, LIMIT_MS), 0);
    check_events(jsonl);
    for (size_t i = 0; i < LISTENERS; i++)
        check_listener(&listening[i], &target, paints, count);
    free(paints);
}
