/* What 1,000 mouse moves a second through a freeze of 2 s cost the target when it thaws: how long a
 * key that was pressed at the end of the freeze waits. The same target, watched and not, with the
 * storm and without; what uimon adds is the difference of the differences. How soon after a storm
 * beats come and how late they are answered then. And how many raw reports
 * wait in the target's queue after a freeze of 10 s: a full queue would drop the user's keys. */
#include "tests/bench/measures.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/driver.h"

#define ROUNDS 3
#define LEAST_MOVES 1800 /* of 1970: with fewer there was no storm */
#define STORM "freeze 2000 1000"
#define CALM "freeze 300 0"
#define PILE "pile 10000 1000"
#define SOON_MS 20   /* after a storm the next beat comes */
#define AFTER_NS 1e8 /* so long after a storm its beats are looked at */
#define LATE_MS 2
#define LEAST_PILED 9000 /* moves, of 9970 */

struct lags {
    struct series storm;
    struct series calm;
    double awake_ns[ROUNDS]; /* when the storms' freezes were over */
};

/* Of beats after storms. Units: ms. */
struct beats {
    struct series soon, latency;
};

static uint32_t start_target(struct program *target)
{
    uint32_t pid = driver_start_target(target);
    driver_sleep_ms(1000); /* its first paint, and the focus */
    return pid;
}

static double lag_ms(struct program *target, const char *command, unsigned least_moves,
                     double *woke_ns)
{
    uint64_t retrieved_ns, awake_ns, key_ns;
    unsigned moves;

    driver_say(target, "%s", command);
    if (sscanf(driver_hear(target), "%" SCNu64 " %" SCNu64 " %" SCNu64 " %u", &retrieved_ns,
               &awake_ns, &key_ns, &moves) != 4)
        driver_fail("the target did not say when it thawed");
    if (moves < least_moves)
        driver_fail("the storm had only %u moves: the machine is too busy", moves);
    driver_sleep_ms(200);
    *woke_ns = (double)awake_ns;
    return (double)(key_ns - awake_ns) / 1e6;
}

static void rounds(struct program *target, struct lags *lags)
{
    for (int i = 0; i < ROUNDS; i++) {
        series_add(&lags->calm, lag_ms(target, CALM, 0, &lags->awake_ns[i]));
        series_add(&lags->storm, lag_ms(target, STORM, LEAST_MOVES, &lags->awake_ns[i]));
    }
}

static double added(const struct lags *lags)
{
    return series_median(&lags->storm) - series_median(&lags->calm);
}

static void read_beats(const char *csv, double start_ns, double awake_ns, struct beats *beats)
{
    char *all = driver_read(csv);
    double first_ns = INFINITY;

    for (char *line = strtok(all, "\n"); line; line = strtok(NULL, "\n")) {
        double sent_s, latency_ms;
        const char *kind = strstr(line, ",beat,");
        if (!kind || sscanf(kind, ",beat,%lf,%lf", &sent_s, &latency_ms) != 2)
            continue;
        double after_ns = start_ns + sent_s * 1e9 - awake_ns;
        if (after_ns < 0)
            continue;
        first_ns = fmin(first_ns, after_ns + latency_ms * 1e6);
        if (after_ns <= AFTER_NS)
            series_add(&beats->latency, latency_ms);
    }
    series_add(&beats->soon, fmin(first_ns, 1e12) / 1e6);
    free(all);
}

static void watched(struct program *target, uint32_t pid, const char *probe, struct lags *lags,
                    struct beats *beats)
{
    struct monitor monitor;
    char csv[DRIVER_PATH_BYTES];

    snprintf(csv, sizeof csv, "%s", driver_file("beats.csv"));
    driver_watch(&monitor, pid, "--headless", "--probe", probe, "--idle-pause", "0", "--csv",
                 driver_windows_path(csv), NULL);
    driver_sleep_ms(500);
    rounds(target, lags);
    cJSON *summary = driver_finish(&monitor, true);
    for (int i = 0; beats && i < ROUNDS; i++)
        read_beats(csv, driver_number(summary, "clock_start_ns"), lags->awake_ns[i], beats);
    cJSON_Delete(summary);
    driver_sleep_ms(500); /* the DLL leaves */
}

static void report(const char *probe, const struct lags *lags, const struct lags *alone)
{
    char id[40];
    char what[80];

    snprintf(id, sizeof id, "thaw_added_%s", probe);
    snprintf(what, sizeof what, "1 kHz mouse through a 2 s freeze: lag added, %s", probe);
    struct row row = row_of_number(id, what, "ms", added(lags) - added(alone), ROUNDS);
    row.worst = series_max(&lags->storm) - series_median(&lags->calm) - added(alone);
    row_budget(&row, ROW_AT_MOST, 2, NAN, "<= 2 ms");
    row_note(&row,
             "a key's wait after the thaw, storm / calm: watched %.2f / %.2f ms, not watched "
             "%.2f / %.2f ms",
             series_median(&lags->storm), series_median(&lags->calm), series_median(&alone->storm),
             series_median(&alone->calm));
    driver_row(&row);
}

static void report_beats(const struct beats *beats)
{
    struct row row =
        row_of_series("thaw_beat_soon", "  the next beat after the storm", "ms", &beats->soon);
    row_budget(&row, ROW_AT_MOST, SOON_MS, SOON_MS, "worst 20 ms");
    driver_row(&row);
    row = row_of_series("thaw_beats", "  beats in the 0.1 s after it", "ms", &beats->latency);
    row_budget(&row, ROW_AT_MOST, LATE_MS, NAN, "median 2 ms");
    driver_row(&row);
}

static void pile_up(struct program *target, uint32_t pid)
{
    unsigned reports, moves;
    struct monitor monitor;

    driver_watch(&monitor, pid, "--headless", "--probe", "raw", "--idle-pause", "0", NULL);
    driver_sleep_ms(500);
    driver_say(target, PILE);
    if (sscanf(driver_hear(target), "%u %u", &reports, &moves) != 2)
        driver_fail("the target did not say how many reports waited");
    if (moves < LEAST_PILED)
        driver_fail("the storm had only %u moves: the machine is too busy", moves);
    cJSON_Delete(driver_finish(&monitor, true));
    struct row row = row_of_number("thaw_reports", "the same through 10 s: raw reports that wait",
                                   "", reports, 1);
    row_budget(&row, ROW_AT_MOST, 700, NAN, "<= 700");
    row_note(&row, "of %u moves", moves);
    driver_row(&row);
}

void measure_thaw(void)
{
    static struct lags alone, raw, mouse;
    static struct beats beats;
    struct program target;
    uint32_t pid = start_target(&target);

    rounds(&target, &alone);
    watched(&target, pid, "raw", &raw, &beats);
    watched(&target, pid, "mouse", &mouse, NULL);
    pile_up(&target, pid);
    driver_say(&target, "quit");
    driver_wait_end(&target, DRIVER_LIMIT_MS);
    report("raw", &raw, &alone);
    report_beats(&beats);
    report("mouse", &mouse, &alone);
}
