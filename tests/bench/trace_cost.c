/* What a message costs while messages are traced: one that the target sends to itself, and one that
 * it posts to itself, watched with and without tracing, turn by turn. The difference holds the
 * system's way to two hooks, which under Wine is a message to its server each. */
#include <inttypes.h>
#include <stdio.h>

#include "tests/bench/driver.h"
#include "tests/bench/measures.h"

#define TURNS 3
#define RUNS 3
#define COUNT 5000

struct costs {
    struct series sent_us, traced_sent_us;
    struct series posted_us, traced_posted_us;
    struct series own_us;
};

static void run(struct program *target, const char *command, struct series *series)
{
    uint64_t took_ns;
    for (int i = 0; i < RUNS; i++) {
        driver_say(target, "%s %d", command, COUNT);
        if (sscanf(driver_hear(target), "%" SCNu64, &took_ns) != 1)
            driver_fail("the target did not say how long its messages took");
        series_add(series, (double)took_ns / 1e3 / COUNT);
        driver_sleep_ms(20);
    }
}

static void run_turn(struct program *target, uint32_t pid, struct costs *costs)
{
    struct monitor monitor;

    driver_watch(&monitor, pid, "--headless", "--idle-pause", "0", NULL);
    run(target, "send", &costs->sent_us);
    run(target, "flood", &costs->posted_us);
    cJSON_Delete(driver_finish(&monitor, true));
    driver_sleep_ms(500);
    driver_watch(&monitor, pid, "--headless", "--idle-pause", "0", "--trace", "messages", NULL);
    run(target, "send", &costs->traced_sent_us);
    run(target, "flood", &costs->traced_posted_us);
    cJSON *summary = driver_finish(&monitor, true);
    series_add(&costs->own_us, driver_number(summary, "messages.own_us"));
    cJSON_Delete(summary);
    driver_sleep_ms(500);
}

static void add_row(const char *name, const char *label, const struct series *with,
                    const struct series *without)
{
    double with_us = series_median(with);
    double without_us = series_median(without);
    struct row row = row_of_number(name, label, "us", with_us, (unsigned)with->len);
    row.worst = series_max(with);
    row_note(&row, "not traced %.2f us (ratio %.1f)", without_us, with_us / without_us);
    driver_row(&row);
}

void measure_trace_cost(void)
{
    static struct costs costs;
    struct program target;
    uint32_t pid = 0;

    driver_start(&target, true, "target_win32", NULL);
    if (sscanf(driver_hear(&target), "ready %" SCNu32, &pid) != 1)
        driver_fail("the target has no window");
    driver_sleep_ms(1000);
    for (int i = 0; i < TURNS; i++)
        run_turn(&target, pid, &costs);
    driver_say(&target, "quit");
    driver_wait_end(&target, DRIVER_LIMIT_MS);
    add_row("trace_sent", "a sent message, there and back: traced", &costs.traced_sent_us,
            &costs.sent_us);
    add_row("trace_posted", "a posted message, from post to post: traced", &costs.traced_posted_us,
            &costs.posted_us);
    struct row row = row_of_series("trace_own", "tracing cost per hook call, DLL's own code", "us",
                                   &costs.own_us);
    driver_row(&row);
}
