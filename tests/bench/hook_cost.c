/* What a message costs that the target posts to itself and retrieves: not watched and watched, turn
 * by turn, and of that what the DLL's own code takes as the DLL itself has timed it. The difference
 * holds the system's way to a hook too, which under Wine is a message to its server. */
#include "tests/bench/measures.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "tests/bench/driver.h"

#define TURNS 3
#define FLOODS 5
#define FLOOD 10000
#define READS 100000

struct costs {
    struct series read_ns; /* of the performance counter; a hook call reads it once or twice */
    struct series alone_us;
    struct series watched_us;
    struct series own_ns;
};

static void run_floods(struct program *target, struct series *series)
{
    for (int i = 0; i < FLOODS; i++) {
        uint64_t took_ns;
        driver_say(target, "flood %d", FLOOD);
        if (sscanf(driver_hear(target), "%" SCNu64, &took_ns) != 1)
            driver_fail("the target did not say how long its flood took");
        series_add(series, (double)took_ns / 1e3 / FLOOD);
        driver_sleep_ms(20);
    }
}

/* What a hook call costs depends on the machine as the reading of its counter does. */
static void read_counter(struct program *target, struct series *series)
{
    uint64_t took_ns;
    driver_say(target, "counter %d", READS);
    if (sscanf(driver_hear(target), "%" SCNu64, &took_ns) != 1)
        driver_fail("the target did not say how long reading took");
    series_add(series, (double)took_ns / READS);
}

static void run_turn(struct program *target, uint32_t pid, struct costs *costs)
{
    struct monitor monitor;

    run_floods(target, &costs->alone_us);
    /* With few beats: the hook has the system hand out the raw input of each, which is 200 times
     * as much as it takes for a message, and its share depends on how long the turn lasts. */
    driver_watch(&monitor, pid, "--headless", "--idle-pause", "0", "--heartbeat", "1000", NULL);
    run_floods(target, &costs->watched_us);
    read_counter(target, &costs->read_ns);
    driver_sleep_ms(600); /* the DLL tells its cost each 250 ms */
    cJSON *summary = driver_finish(&monitor, true);
    series_add(&costs->own_ns, driver_number(summary, "cost.hook_call_ns"));
    cJSON_Delete(summary);
    driver_sleep_ms(500);
}

void measure_hook_cost(void)
{
    static struct costs costs;
    struct program target;
    uint32_t pid = driver_start_target(&target);
    driver_sleep_ms(1000);
    for (int i = 0; i < TURNS; i++)
        run_turn(&target, pid, &costs);
    driver_say(&target, "quit");
    driver_wait_end(&target, DRIVER_LIMIT_MS);

    struct row row = row_of_series("hook_own", "hook cost per retrieved message, DLL's own code",
                                   "ns", &costs.own_ns);
    driver_row(&row);
    double read_ns = series_median(&costs.read_ns);
    row = row_of_number("hook_reads", "the same in reads of the performance counter", "",
                        series_median(&costs.own_ns) / read_ns, TURNS);
    row_budget(&row, ROW_AT_MOST, 3, NAN, "<= 3");
    row_note(&row, "a read takes %.1f ns here", read_ns);
    driver_row(&row);
    double alone_us = series_median(&costs.alone_us);
    double watched_us = series_median(&costs.watched_us);
    row = row_of_number("hook_message", "a posted message, from post to post: watched", "us",
                        watched_us, (unsigned)costs.watched_us.len);
    row.worst = series_max(&costs.watched_us);
    row_note(&row, "not watched %.2f us (ratio %.2f): the rest is the system's way to a hook",
             alone_us, watched_us / alone_us);
    driver_row(&row);
}
