/* How often the target paints and how many messages it retrieves, as listeners with different
 * intervals hear it at the same time, and as the file for Prometheus has it: against the demo's own
 * log. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/e2e/harness.h"

#define LISTENERS 3
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

/* How much a listener has heard of in all of its intervals. */
static double heard_of(const struct listening *listening, const char *rate)
{
    char *text = read_text(listening->jsonl);
    double sum = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        cJSON *json = cJSON_Parse(line);
        const cJSON *value = cJSON_GetObjectItem(cJSON_GetObjectItem(json, "values"), rate);
        if (value)
            sum += value->valuedouble * number(json, "interval_s");
        cJSON_Delete(json);
    }
    free(text);
    return sum;
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
    cr_expect_gt(metric(file, "uimon_threadpool_queue_delay_seconds_count"), 0);
    free(flood);
}

/* The threshold is such that a busy machine makes no freeze, and the freeze such that it is one
 * where the machine holds up the DLL's thread. */
Test(rates, of_paintings_are_those_of_the_log_at_any_interval)
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
    wait_front(&target); /* so that what is painted for that is over */
    snprintf(file, sizeof file, "%s", test_file("demo.prom"));
    start_monitor(&monitor, &target, "--prometheus", windows_path(file), "--threshold", "1000",
                  NULL);
    for (size_t i = 0; i < LISTENERS; i++)
        listen_to(&listening[i], &target);
    snprintf(jsonl, sizeof jsonl, "%s", test_file("events.jsonl"));
    start(&events, "uimon", "listen", decimal(target.pid), "--counters", "none", "--json",
          windows_path(jsonl), NULL);
    wait_line(jsonl, "\"counters\":[]");
    for (size_t i = 0; i < LISTENERS; i++)
        wait_line(listening[i].jsonl, "message-rate\":");
    trigger(&target, "paint:60x1500,wait:1700,flood:300");
    wait_line(target.log, "flood ");
    trigger(&target, "3000");
    wait_line(file, "state=\"frozen\"} 1");
    size_t count = log_events(target.log, UM_DEMO_LOG_PAINT, &paints);
    cr_assert_gt(count, 0, "nothing was painted");
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
    for (size_t i = 0; i < LISTENERS; i++) {
        double heard = heard_of(&listening[i], "frame-rate");
        cr_log_info("each %s s: %.3f paintings of %zu\n", listening[i].interval, heard, count);
        cr_expect_gt(heard, 0, "each %s s: none of %zu paintings", listening[i].interval, count);
    }
    free(paints);
}
