/* What 1,000 mouse moves a second through a freeze of 2 s cost the target when it thaws: how long a
 * key that was pressed at the end of the freeze waits. The same target, watched and not, with the
 * storm and without; what uimon adds is the difference of the differences. And how many raw reports
 * wait in the target's queue after a freeze of 10 s: a full queue would drop the user's keys. */
#include "tests/bench/measures.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "tests/bench/driver.h"

#define ROUNDS 3
#define LEAST_MOVES 1800 /* of 1970: with fewer there was no storm */
#define STORM "freeze 2000 1000"
#define CALM "freeze 300 0"
#define PILE "pile 10000 1000"
#define LEAST_PILED 9000 /* moves, of 9970 */

struct lags {
    struct series storm;
    struct series calm;
};

static uint32_t start_target(struct program *target)
{
    uint32_t pid = driver_start_target(target);
    driver_sleep_ms(1000); /* its first paint, and the focus */
    return pid;
}

static double lag_ms(struct program *target, const char *command, unsigned least_moves)
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
    return (double)(key_ns - awake_ns) / 1e6;
}

static void rounds(struct program *target, struct lags *lags)
{
    for (int i = 0; i < ROUNDS; i++) {
        series_add(&lags->calm, lag_ms(target, CALM, 0));
        series_add(&lags->storm, lag_ms(target, STORM, LEAST_MOVES));
    }
}

static double added(const struct lags *lags)
{
    return series_median(&lags->storm) - series_median(&lags->calm);
}

static void watched(struct program *target, uint32_t pid, const char *probe, struct lags *lags)
{
    struct monitor monitor;

    driver_watch(&monitor, pid, "--headless", "--probe", probe, "--idle-pause", "0", NULL);
    driver_sleep_ms(500);
    rounds(target, lags);
    cJSON_Delete(driver_finish(&monitor, true));
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
    struct program target;
    uint32_t pid = start_target(&target);

    rounds(&target, &alone);
    watched(&target, pid, "raw", &raw);
    watched(&target, pid, "mouse", &mouse);
    pile_up(&target, pid);
    driver_say(&target, "quit");
    driver_wait_end(&target, DRIVER_LIMIT_MS);
    report("raw", &raw, &alone);
    report("mouse", &mouse, &alone);
}
