/* The target's thread pool: what `uimon listen` says of a flood, against the demo's own log, and
 * what becomes of a work item that never runs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/e2e/listened.h"

TestSuite(pool, .fini = conclude);

#define PERIOD_MS 250.0 /* from item to item */
#define LATE_MS 100.0   /* a busy machine's delay in sleeping for that */
#define ACCURACY_MS 10.0
#define FULL_MS 400 /* more than from item to item */

static void listen_to(struct program *listener, const struct target *target, char *jsonl,
                      const char *name)
{
    snprintf(jsonl, PATH_BYTES, "%s", test_file(name));
    start(listener, "uimon", "listen", decimal(target->pid), "--interval", "0.25", "--json",
          windows_path(jsonl), NULL);
}

static bool is_starvation(const cJSON *line)
{
    return listened_is_event(line, "ThreadPoolStarvationDetected") ||
           listened_is_event(line, "ThreadPoolStarvationRecovered");
}

/* The greatest delay that the counter had in any interval. */
static double greatest_ms(cJSON **lines, size_t count)
{
    double greatest = 0;
    for (size_t i = 0; i < count; i++) {
        const cJSON *values = cJSON_GetObjectItem(lines[i], "values");
        const cJSON *delay = cJSON_GetObjectItem(values, "threadpool-queue-delay-ms");
        if (delay && listened_value(delay, "max") > greatest)
            greatest = listened_value(delay, "max");
    }
    return greatest;
}

static void expect_within(const struct target *target, const char *what, double off_ms,
                          double limit_ms, const struct um_demo_log_event *truth)
{
    double stalled_ms =
        (double)stalled_ns(target->log, truth->begin_ns, truth->end_ns + 400000000) / 1e6;
    cr_expect(is_within(fabs(off_ms), limit_ms, stalled_ms), "%s is %.1f ms off", what, off_ms);
}

/* An item that is submitted when the pool is full runs when the flood ends. The first such item has
 * the peak. One that came before may have waited too, so the starvation can begin earlier. */
static void check_flood(const struct target *target, const cJSON *detected, const cJSON *recovered,
                        const struct um_demo_log_event *truth)
{
    double begin_ms = (double)truth->begin_ns / 1e6, end_ms = (double)truth->end_ns / 1e6;
    double full_ms = (double)truth->handled_ns / 1e6;
    double start_ms = listened_value(detected, "clock_ns") / 1e6;
    double over_ms = listened_value(recovered, "clock_ns") / 1e6;
    double peak_ms = listened_value(recovered, "peak_ms");

    cr_expect(listened_is_event(detected, "ThreadPoolStarvationDetected"));
    cr_expect(listened_is_event(recovered, "ThreadPoolStarvationRecovered"));
    cr_expect_eq(listened_value(detected, "starvation"), listened_value(recovered, "starvation"));
    cr_expect(listened_value(detected, "peak_ms") > 100 &&
              listened_value(detected, "peak_ms") <= peak_ms);
    cr_expect(start_ms > begin_ms && over_ms > end_ms);
    cr_expect_lt(peak_ms, end_ms - begin_ms + ACCURACY_MS, "%.1f ms", peak_ms);
    expect_within(target, "the begin", start_ms - full_ms, PERIOD_MS + LATE_MS, truth);
    expect_within(target, "the peak", end_ms - full_ms - peak_ms, PERIOD_MS + LATE_MS, truth);
    expect_within(target, "the end", over_ms - end_ms, PERIOD_MS + LATE_MS, truth);
}

/* The summary has what the events said. */
static void check_summary(const cJSON *summary, const cJSON *const events[4])
{
    const cJSON *list =
        cJSON_GetObjectItem(cJSON_GetObjectItem(summary, "threadpool"), "starvation_list");
    cr_expect_eq(number(summary, "threadpool.starvations.count"), 2);
    cr_expect_gt(number(summary, "threadpool.delay_ms.count"), 4);
    cr_assert_eq(cJSON_GetArraySize(list), 2);
    for (int i = 0; i < 2; i++) {
        const cJSON *starvation = cJSON_GetArrayItem(list, i);
        cr_expect(!has_number(starvation, "open"));
        cr_expect_lt(
            fabs(number(starvation, "peak_ms") - listened_value(events[2 * i + 1], "peak_ms")),
            0.002);
    }
}

/* Two floods, of which each is one episode. */
Test(pool, flood_is_detected_once_and_recovered_once, .measured = true)
{
    static cJSON *lines[LISTENED_LINES];
    struct target target;
    struct monitor monitor;
    struct program listener;
    struct um_demo_log_event *truth;
    const cJSON *events[8];
    char jsonl[PATH_BYTES];
    const char *out, *err;
    size_t found = 0;

    start_target(&target, NULL, NULL);
    start_monitor(&monitor, &target, NULL);
    listen_to(&listener, &target, jsonl, "floods.jsonl");
    wait_line(jsonl, "threadpool-queue-delay-ms\":{");
    trigger(&target, "pool:600x1500");
    wait_line(jsonl, "ThreadPoolStarvationRecovered");
    wait_line(target.log, "pool ");
    trigger(&target, "pool:600x700");
    wait_line(jsonl, "ThreadPoolStarvationRecovered\",\"starvation\":2");
    cr_expect_eq(run(&out, &err, "uimon", "query", decimal(target.pid),
                     "threadpool-queue-delay-ms.max", "--interval", "0.3", NULL),
                 0, "%s", err);
    cr_expect(atof(out) > 0 && atof(out) < 1000, "%s", out);
    cJSON *summary = stop_monitor(&monitor);
    cr_expect_eq(wait_end(&listener, LIMIT_MS), 0);

    cr_assert_eq(log_events(target.log, UM_DEMO_LOG_POOL, &truth), 2);
    cr_expect_eq(truth[0].count, 600, "the pool took %d items", (int)truth[0].count);
    size_t count = listened_read(jsonl, lines);
    for (size_t i = 0; i < count; i++)
        if (is_starvation(lines[i]) && found++ < 8)
            events[found - 1] = lines[i];
    cr_assert_eq(found, 4, "%zu events", found);
    check_flood(&target, events[0], events[1], &truth[0]);
    check_flood(&target, events[2], events[3], &truth[1]);
    check_summary(summary, events);
    cJSON_Delete(summary);
    /* The pool's threads are still there from the first flood, so the second fills it at once, and
     * whoever waits for long waits until its end. */
    double until_ms =
        listened_value(events[2], "clock_ns") / 1e6 + listened_value(events[3], "peak_ms");
    expect_within(&target, "the second's end", fabs(until_ms - (double)truth[1].end_ns / 1e6),
                  ACCURACY_MS, &truth[1]);
    cr_expect_eq(greatest_ms(lines, count),
                 fmax(listened_value(events[1], "peak_ms"), listened_value(events[3], "peak_ms")));
    for (size_t i = 0; i < count; i++)
        cJSON_Delete(lines[i]);
    free(truth);
}

static unsigned count_threads(const struct target *target)
{
    return (unsigned)probe_number("threads", decimal(target->pid), NULL);
}

/* The DLL has two threads in the target, its worker and the one for the beats. The overlay reads
 * the feed too, but does not count. What is measured shows by the thread that submits and by one of
 * the pool's. */
Test(pool, nothing_is_measured_while_nobody_listens)
{
    struct target target;
    struct monitor monitor;
    struct program listener;
    char jsonl[PATH_BYTES];

    start_target(&target, NULL, NULL);
    unsigned alone = count_threads(&target);
    start_monitor_overlay(&monitor, &target, NULL);
    for (int i = 0; i < 5; i++) {
        sleep_ms(100);
        unsigned watched = count_threads(&target);
        cr_expect_eq(watched, alone + 2, "%u threads, of %u", watched, alone);
    }
    listen_to(&listener, &target, jsonl, "listens.jsonl");
    wait_line(jsonl, "threadpool-queue-delay-ms\":{");
    cr_expect_geq(count_threads(&target), alone + 4);
    kill_hard(&listener);
    uint64_t until = unix_now_ms() + LIMIT_MS;
    while (count_threads(&target) > alone + 3) /* that of the pool stays for some seconds */
        cr_assert_lt(unix_now_ms(), until, "the submitting thread stays");
    cJSON_Delete(stop_monitor(&monitor));
}

/* An item is queued then, and will not run before the flood is over. */
Test(pool, target_exits_in_a_flood)
{
    struct target target;
    struct monitor monitor;
    struct program listener;
    char jsonl[PATH_BYTES];

    start_target(&target, NULL, NULL);
    start_monitor(&monitor, &target, NULL);
    listen_to(&listener, &target, jsonl, "exits.jsonl");
    wait_line(jsonl, "threadpool-queue-delay-ms\":{");
    trigger(&target, "pool:600x60000");
    wait_line(jsonl, "ThreadPoolStarvationDetected");
    probe("close", hwnd_text(target.hwnd), NULL);
    cr_expect_eq(wait_end(&target.program, LIMIT_MS / 3), 0);
    cr_expect(has_line(target.log, "end ") && !has_line(target.log, "pool "));
    cJSON_Delete(finish_monitor(&monitor));
    cr_expect_eq(wait_end(&listener, LIMIT_MS), 0);
    cr_expect(has_line(jsonl, "target_gone"));
    cr_expect(!has_line(jsonl, "ThreadPoolStarvationRecovered"), "it did not");
}

/* The item that the killed monitor's attachment has submitted is still queued when the next monitor
 * comes, which measures on with it. */
Test(pool, target_outlives_a_monitor_that_is_killed_in_a_flood, .measured = true)
{
    struct target target;
    struct monitor killed, next;
    struct program before, after;
    struct um_demo_log_event *truth;
    char first[PATH_BYTES], second[PATH_BYTES];

    start_target(&target, NULL, NULL);
    start_monitor(&killed, &target, NULL);
    listen_to(&before, &target, first, "before.jsonl");
    wait_line(first, "threadpool-queue-delay-ms\":{");
    trigger(&target, "pool:600x4000");
    wait_line(first, "ThreadPoolStarvationDetected");
    sleep_ms(FULL_MS); /* so that the item that waits was submitted when the pool was full */
    kill_hard(&killed.program);
    uint64_t killed_ns = machine_now_ns();
    cr_expect_eq(wait_end(&before, LIMIT_MS), 1, "its feed breaks off");
    start_monitor(&next, &target, NULL);
    listen_to(&after, &target, second, "after.jsonl");
    wait_line(second, "ThreadPoolStarvationRecovered");
    cr_expect(is_running(&target.program));
    cr_assert_eq(log_events(target.log, UM_DEMO_LOG_POOL, &truth), 1);

    static cJSON *lines[LISTENED_LINES];
    const cJSON *events[2] = {NULL, NULL};
    size_t count = listened_read(second, lines), found = 0;
    for (size_t i = 0; i < count; i++)
        if (is_starvation(lines[i]) && found++ < 2)
            events[found - 1] = lines[i];
    cr_assert_eq(found, 2, "%zu events", found);
    check_flood(&target, events[0], events[1], &truth[0]);
    bool was_full = truth[0].handled_ns + FULL_MS * UINT64_C(1000000) < killed_ns;
    weigh("kills", !was_full, 1);
    cr_expect(!was_full || listened_value(events[0], "clock_ns") < (double)killed_ns,
              "another item");
    for (size_t i = 0; i < count; i++)
        cJSON_Delete(lines[i]);
    cJSON_Delete(stop_monitor(&next));
    free(truth);
}
