/* What a message costs while messages are traced, with each message kept, or while layout is
 * measured: one that the target sends to itself, and one that it posts to itself, turn by turn with
 * and without. The difference holds the system's way to two hooks, which under Wine is a message to
 * its server each. */
#include <inttypes.h>
#include <stdio.h>

#include "tests/bench/driver.h"
#include "tests/bench/measures.h"

#define TURNS 3
#define RUNS 3
#define COUNT 5000
#define SETTLE_MS 1500 /* until it is known what the hooks of --layout cost */

enum mode { PLAIN, MESSAGES, EVENTS, LAYOUT, MODES };

struct costs {
    struct series sent_us[MODES], posted_us[MODES];
    struct series own_us[MODES]; /* of the DLL's code while it traces, for each call of a hook */
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

static void run_mode(struct program *target, uint32_t pid, enum mode mode, struct costs *costs)
{
    struct monitor monitor;
    static const char *const options[MODES] = {"--trace=off", "--trace=messages", "--trace=events",
                                               "--layout=components"};

    driver_watch(&monitor, pid, "--headless", "--idle-pause", "0", options[mode], NULL);
    driver_sleep_ms(SETTLE_MS);
    run(target, "send", &costs->sent_us[mode]);
    run(target, "flood", &costs->posted_us[mode]);
    cJSON *summary = driver_finish(&monitor, true);
    if (mode == MESSAGES || mode == EVENTS)
        series_add(&costs->own_us[mode], driver_number(summary, "messages.own_us"));
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
    row_note(&row, "without %.2f us (ratio %.1f)", without_us, with_us / without_us);
    driver_row(&row);
}

void measure_trace_cost(void)
{
    static struct costs costs;
    struct program target;
    uint32_t pid = driver_start_target(&target);
    driver_sleep_ms(1000);
    for (int i = 0; i < TURNS; i++)
        for (enum mode mode = PLAIN; mode < MODES; mode++)
            run_mode(&target, pid, mode, &costs);
    driver_say(&target, "quit");
    driver_wait_end(&target, DRIVER_LIMIT_MS);
    add_row("trace_sent", "a sent message, there and back: traced", &costs.sent_us[MESSAGES],
            &costs.sent_us[PLAIN]);
    add_row("trace_sent_events", "the same with each message kept", &costs.sent_us[EVENTS],
            &costs.sent_us[PLAIN]);
    add_row("trace_posted", "a posted message, from post to post: traced",
            &costs.posted_us[MESSAGES], &costs.posted_us[PLAIN]);
    add_row("trace_posted_events", "the same with each message kept", &costs.posted_us[EVENTS],
            &costs.posted_us[PLAIN]);
    add_row("layout_sent", "a sent message, there and back: with --layout", &costs.sent_us[LAYOUT],
            &costs.sent_us[PLAIN]);
    add_row("layout_posted", "a posted message: with --layout", &costs.posted_us[LAYOUT],
            &costs.posted_us[PLAIN]);
    struct row row = row_of_series("trace_own", "tracing cost per hook call, DLL's own code", "us",
                                   &costs.own_us[MESSAGES]);
    driver_row(&row);
    row = row_of_series("trace_own_events", "the same with each message kept", "us",
                        &costs.own_us[EVENTS]);
    driver_row(&row);
}
