/* The target's thread pool: what `uimon listen` says of a flood, against the demo's own log, and
 * what becomes of a work item that never runs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/e2e/listened.h"

#define PERIOD_MS 250.0 /* from item to item */
#define COUNTERS "\"kind\":\"counters\""
/* After a time in which no item can run, the starvation that lasts was told for so long. */
#define SETTLED_NS UINT64_C(2000000000)
#define FULL_THREADS 500 /* that Wine's and Windows' pools have at most, at least */

static void listen_to(struct program *listener, const struct target *target, char *jsonl,
                      const char *name)
{
    snprintf(jsonl, PATH_BYTES, "%s", test_file(name));
    start(listener, "uimon", "listen", decimal(target->pid), "--interval", "0.25", "--json",
          windows_path(jsonl), NULL);
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

/* What was told of a starvation. */
struct told {
    const cJSON *detected;
    const cJSON *recovered;
};

static bool is_before(const cJSON *line, uint64_t ns)
{
    return listened_value(line, "clock_ns") < (double)ns;
}

/* The one starvation that was told to last until the end of a flood, with one begin and one end. On
 * a busy machine it can have begun before the flood, and there can be others. */
static struct told find_told(cJSON **lines, size_t count, const struct um_demo_log_event *truth)
{
    struct told told = {NULL, NULL};
    for (size_t i = 0; i < count; i++) {
        if (!listened_is_event(lines[i], "ThreadPoolStarvationDetected") ||
            !is_before(lines[i], truth->end_ns))
            continue;
        for (size_t k = i + 1; k < count; k++) {
            if (!listened_is_event(lines[k], "ThreadPoolStarvationRecovered") ||
                listened_value(lines[k], "starvation") != listened_value(lines[i], "starvation"))
                continue;
            if (is_before(lines[k], truth->end_ns))
                continue;
            cr_expect(!told.detected, "it is told more than once");
            told = (struct told){lines[i], lines[k]};
        }
    }
    cr_assert(told.detected, "a flood of %.0f ms is not told",
              (double)(truth->end_ns - truth->begin_ns) / 1e6);
    return told;
}

/* An item that is submitted when the pool is full runs when the flood ends. One that came before
 * may have waited too, so the starvation can begin earlier, and the next one is submitted when that
 * has run. `queued_ns`: by when an item was queued that has waited until the end. */
static void check_flood(const struct told *told, const struct um_demo_log_event *truth,
                        uint64_t queued_ns)
{
    double begin_ms = (double)truth->begin_ns / 1e6, end_ms = (double)truth->end_ns / 1e6;
    double peak_ms = listened_value(told->recovered, "peak_ms");

    cr_expect(listened_value(told->detected, "peak_ms") > 100 &&
              listened_value(told->detected, "peak_ms") <= peak_ms);
    cr_expect_leq(peak_ms, end_ms - begin_ms + PERIOD_MS + COARSE_MS, "%.1f ms", peak_ms);
    cr_assert_lt(queued_ns, truth->end_ns, "the item was not in the full pool");
    cr_expect_geq(peak_ms, end_ms - (double)queued_ns / 1e6, "%.1f ms", peak_ms);
}

/* The summary has what was told. */
static void check_summary(const cJSON *summary, const struct told *told)
{
    const cJSON *starvation;
    size_t found = 0;
    double peak_ms = listened_value(told->recovered, "peak_ms");

    cJSON_ArrayForEach(starvation, cJSON_GetObjectItem(cJSON_GetObjectItem(summary, "threadpool"),
                                                       "starvation_list"))
    {
        bool same = fabs(number(starvation, "peak_ms") - peak_ms) < 0.002;
        cr_expect(!same || !has_number(starvation, "open"));
        found += same;
    }
    cr_expect_eq(found, 1, "a starvation of %.3f ms is in the summary %zu times", peak_ms, found);
}

/* Waits until the n-th flood (from 1) is over and a listener has heard so. */
static struct um_demo_log_event wait_flood(const struct target *target, const char *jsonl, size_t n)
{
    struct um_demo_log_event *floods;
    WAIT_UNTIL(log_events(target->log, UM_DEMO_LOG_POOL, &floods) >= n, "no flood comes");
    struct um_demo_log_event truth = floods[n - 1];
    free(floods);
    WAIT_UNTIL(listened_has_after(jsonl, "ThreadPoolStarvationRecovered", truth.end_ns),
               "its end is not told");
    return truth;
}

static unsigned count_threads(const struct target *target)
{
    return (unsigned)probe_number("threads", decimal(target->pid), NULL);
}

/* Waits until the flood has filled the pool and the starvation that lasts until its end is told: an
 * item is queued that will not run before that. One that was submitted before may have waited, and
 * have run. Returns the time. */
static uint64_t wait_full(const struct target *target, const char *jsonl)
{
    WAIT_UNTIL(count_threads(target) > FULL_THREADS, "the pool is not full");
    uint64_t settled_ns = machine_now_ns() + SETTLED_NS;
    WAIT_UNTIL(listened_has_after(jsonl, COUNTERS, settled_ns), "nothing more is told");
    WAIT_UNTIL(lines_with(jsonl, "ThreadPoolStarvationDetected") >
                   lines_with(jsonl, "ThreadPoolStarvationRecovered"),
               "no starvation is told that lasts");
    return machine_now_ns();
}

/* Two floods, of which each is one episode. */
Test(pool, flood_is_detected_once_and_recovered_once)
{
    static cJSON *lines[LISTENED_LINES];
    struct target target;
    struct monitor monitor;
    struct program listener;
    struct um_demo_log_event truth[2];
    uint64_t queued_ns[2];
    struct told told[2];
    char jsonl[PATH_BYTES];

    start_target(&target, NULL, NULL);
    start_monitor(&monitor, &target, NULL);
    listen_to(&listener, &target, jsonl, "floods.jsonl");
    wait_line(jsonl, "threadpool-queue-delay-ms\":{");
    for (size_t i = 0; i < 2; i++) {
        trigger(&target, "pool:600x6000");
        queued_ns[i] = wait_full(&target, jsonl);
        truth[i] = wait_flood(&target, jsonl, i + 1);
    }
    /* The delay is in the line of its interval, and that comes after the event. */
    wait_lines(jsonl, COUNTERS, lines_with(jsonl, COUNTERS) + 2);
    cJSON *summary = stop_monitor(&monitor);
    cr_expect_eq(wait_end(&listener, LIMIT_MS), 0);

    size_t count = listened_read(jsonl, lines);
    for (size_t i = 0; i < 2; i++) {
        cr_expect_eq(truth[i].count, 600, "the pool took %d items", (int)truth[i].count);
        told[i] = find_told(lines, count, &truth[i]);
        check_flood(&told[i], &truth[i], queued_ns[i]);
        check_summary(summary, &told[i]);
        cr_expect_geq(greatest_ms(lines, count), listened_value(told[i].recovered, "peak_ms"));
    }
    cr_expect_geq(number(summary, "threadpool.starvations.count"), 2);
    cr_expect_geq(number(summary, "threadpool.delay_ms.count"), 2);
    cJSON_Delete(summary);
    for (size_t i = 0; i < count; i++)
        cJSON_Delete(lines[i]);
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
    WAIT_UNTIL(count_threads(&target) == alone + 2, "%u threads, of %u", count_threads(&target),
               alone);
    for (int i = 0; i < 5; i++) {
        sleep_ms(100);
        unsigned watched = count_threads(&target);
        cr_expect_eq(watched, alone + 2, "%u threads, of %u", watched, alone);
    }
    listen_to(&listener, &target, jsonl, "listens.jsonl");
    wait_line(jsonl, "threadpool-queue-delay-ms\":{");
    WAIT_UNTIL(count_threads(&target) >= alone + 4, "no thread submits");
    kill_hard(&listener);
    WAIT_UNTIL(count_threads(&target) <= alone + 3, /* that of the pool stays for some seconds */
               "the submitting thread stays");
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
    wait_full(&target, jsonl);
    probe("close", hwnd_text(target.hwnd), NULL);
    cr_expect_eq(wait_end(&target.program, LIMIT_MS), 0);
    cr_expect(has_line(target.log, "end ") && !has_line(target.log, "pool "));
    cJSON_Delete(finish_monitor(&monitor));
    cr_expect_eq(wait_end(&listener, LIMIT_MS), 0);
    cr_expect(has_line(jsonl, "target_gone"));
    cr_expect_eq(lines_with(jsonl, "ThreadPoolStarvationDetected"),
                 lines_with(jsonl, "ThreadPoolStarvationRecovered") + 1, "it did not recover");
}

/* The item that the killed monitor's attachment has submitted is still queued when the next monitor
 * comes, which measures on with it. */
Test(pool, target_outlives_a_monitor_that_is_killed_in_a_flood)
{
    static cJSON *lines[LISTENED_LINES];
    struct target target;
    struct monitor killed, next;
    struct program before, after;
    char first[PATH_BYTES], second[PATH_BYTES];

    start_target(&target, NULL, NULL);
    start_monitor(&killed, &target, NULL);
    listen_to(&before, &target, first, "before.jsonl");
    wait_line(first, "threadpool-queue-delay-ms\":{");
    trigger(&target, "pool:600x20000");
    wait_full(&target, first);
    kill_hard(&killed.program);
    uint64_t killed_ns = machine_now_ns();
    cr_expect_eq(wait_end(&before, LIMIT_MS), 1, "its feed breaks off");
    start_monitor(&next, &target, NULL);
    listen_to(&after, &target, second, "after.jsonl");
    struct um_demo_log_event truth = wait_flood(&target, second, 1);
    cr_expect(is_running(&target.program));
    cJSON_Delete(stop_monitor(&next));
    cr_expect_eq(wait_end(&after, LIMIT_MS), 0);

    size_t count = listened_read(second, lines);
    struct told told = find_told(lines, count, &truth);
    check_flood(&told, &truth, killed_ns);
    cr_expect_lt(listened_value(told.detected, "clock_ns"), (double)killed_ns, "another item");
    for (size_t i = 0; i < count; i++)
        cJSON_Delete(lines[i]);
}
