/* The feed: how many frames a second 1, 10 and 50 consumers get, what 50 of them cost the monitor,
 * and how long after the end of a freeze `uimon listen` has written its line. */
#include "tests/bench/measures.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/bench/driver.h"

#define SECONDS "3"
#define CROWD 50
#define ROUNDS 20
#define FREEZE "freeze 200 0"
#define LOAD_S 5

static const char *number_text(char text[16], unsigned number)
{
    snprintf(text, 16, "%u", number);
    return text;
}

static void measure_rate(unsigned consumers)
{
    struct program server, readers;
    char name[128], count[16], id[40], what[80];
    uint64_t frames, beats, lost;
    double seconds;

    number_text(count, consumers);
    driver_start(&server, true, "feed_win32", "serve", count, SECONDS, NULL);
    if (sscanf(driver_hear(&server), "feed %127s", name) != 1)
        driver_fail("there is no feed");
    driver_start(&readers, true, "feed_win32", "read", name, count, NULL);
    if (strcmp(driver_hear(&readers), "connected") != 0 ||
        sscanf(driver_hear(&server), "%" SCNu64 " %lf", &frames, &seconds) != 2 ||
        sscanf(driver_hear(&readers), "%" SCNu64 " %" SCNu64, &beats, &lost) != 2)
        driver_fail("the feed was not read to its end");
    driver_wait_end(&server, DRIVER_LIMIT_MS);
    driver_wait_end(&readers, DRIVER_LIMIT_MS);
    snprintf(id, sizeof id, "feed_frames_%u", consumers);
    snprintf(what, sizeof what, "feed: frames a second to each of %u consumer%s", consumers,
             consumers == 1 ? "" : "s");
    struct row row = row_of_number(id, what, "1/s", (double)frames / seconds, consumers);
    row_note(&row,
             "a session with a beat each 10 ms has about 120; %" PRIu64 " beats came, %" PRIu64
             " frames were lost",
             beats, lost);
    driver_row(&row);
}

/* How long after the thaw the line of the freeze's end was there to be read. */
static double delay_ms(struct program *target, struct program *listener)
{
    uint64_t awake_ns, line_ns;

    driver_say(target, FREEZE);
    while (!strstr(driver_hear(listener), "UiHangEnded"))
        continue;
    line_ns = driver_now_ns();
    if (sscanf(driver_hear(target), "%*u %" SCNu64, &awake_ns) != 1)
        driver_fail("the target did not say when it thawed");
    driver_sleep_ms(300);
    return ((double)line_ns - (double)awake_ns) / 1e6;
}

static void measure_delay(struct program *target, struct program *listener, const char *id,
                          const char *what)
{
    static struct series delays;
    delays.len = 0;
    for (int i = 0; i < ROUNDS; i++)
        series_add(&delays, delay_ms(target, listener));
    struct row row = row_of_series(id, what, "ms", &delays);
    driver_row(&row);
}

/* Units: percent of a core. */
static double load(pid_t pid)
{
    double before_s = driver_cpu_s(pid);
    driver_sleep_ms(LOAD_S * 1000);
    return (driver_cpu_s(pid) - before_s) / LOAD_S * 100;
}

static void report_crowd(double alone_mib, double crowd_mib, double alone, double crowd)
{
    char what[80];
    snprintf(what, sizeof what, "feed: memory of the monitor for %d consumers that stall", CROWD);
    struct row row = row_of_number("feed_memory_stalled", what, "MiB", crowd_mib - alone_mib, 1);
    row_note(&row,
             "of %.1f MiB in all; Wine gives each thread 1 MiB of its own, uimon 16 KiB; without "
             "what the system holds in their pipes",
             crowd_mib);
    driver_row(&row);
    snprintf(what, sizeof what, "feed: CPU of the monitor for %d consumers that read", CROWD);
    row = row_of_number("feed_cpu_readers", what, "% of core", crowd - alone, 1);
    row_note(&row, "%.1f %% of a core with one, %.1f %% with %d more", alone, crowd, CROWD);
    driver_row(&row);
}

static void start_crowd(struct program *crowd, const char *what, const char *feed)
{
    char count[16];
    driver_start(crowd, true, "feed_win32", what, feed, number_text(count, CROWD), NULL);
    driver_hear(crowd);
    driver_sleep_ms(1000);
}

static void measure_session(struct program *target, const char *pid, struct monitor *monitor)
{
    struct program listener, crowd;
    char feed[DRIVER_FEED_BYTES];
    pid_t uimon = monitor->program.pid;

    driver_feed(&monitor->program, feed);
    driver_start(&listener, true, "uimon", "listen", pid, "--interval", "60", "--json", "-", NULL);
    driver_hear(&listener); /* its session */
    driver_sleep_ms(1000);
    double alone_mib = driver_private_mib(uimon), alone = load(uimon);
    measure_delay(target, &listener, "feed_delay",
                  "feed: from a freeze's end to a consumer's line");
    start_crowd(&crowd, "stall", feed);
    double crowd_mib = driver_private_mib(uimon);
    driver_say(&crowd, "leave");
    driver_wait_end(&crowd, DRIVER_LIMIT_MS);
    start_crowd(&crowd, "read", feed);
    report_crowd(alone_mib, crowd_mib, alone, load(uimon));
    measure_delay(target, &listener, "feed_delay_crowd", "  the same with 50 more consumers");
    cJSON_Delete(driver_finish(monitor, true));
    driver_wait_end(&listener, DRIVER_LIMIT_MS);
    driver_wait_end(&crowd, DRIVER_LIMIT_MS);
}

void measure_feed(void)
{
    struct program target;
    struct monitor monitor;
    char text[16];

    measure_rate(1);
    measure_rate(10);
    measure_rate(CROWD);
    unsigned pid = driver_start_target(&target);
    driver_sleep_ms(1000);
    driver_watch(&monitor, pid, "--headless", "--idle-pause", "0", NULL);
    measure_session(&target, number_text(text, pid), &monitor);
    driver_say(&target, "quit");
    driver_wait_end(&target, DRIVER_LIMIT_MS);
}
