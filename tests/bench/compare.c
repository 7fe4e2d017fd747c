/* How far a comparison can be trusted: the rate of false alarms and of slowdowns found, in 2,000
 * comparisons of runs that are drawn from recorded ones (tests/compare_sim.h says what that can
 * show). The runs are those of the fixture, or of the results named by UM_BENCH_RESULTS, with
 * commas between; the measure is "typing", or UM_BENCH_RESULTS_MEASURE. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/driver.h"
#include "tests/bench/measures.h"
#include "tests/bench/table.h"
#include "tests/compare_sim.h"

#define FIXTURE UM_SOURCE_DIR "/tests/golden/runs_notepad.json"
#define COMPARISONS 2000
#define SLOWDOWN 1.10
#define FALSE_ALARMS_MOST 6.5 /* 5 %, and three standard deviations of 2,000 tries */

static void load(struct um_results *results, const char *files)
{
    char error[512];
    while (*files) {
        char path[1024];
        size_t len = strcspn(files, ",");
        snprintf(path, sizeof path, "%.*s", (int)len, files);
        if (um_results_read_file(results, false, path, error, sizeof error) != UM_OK)
            driver_fail("%s", error);
        files += files[len] == ',' ? len + 1 : len;
    }
}

static void add_row(const struct compare_sim_pool *pool, uint32_t runs)
{
    char id[40];
    char what[80];
    double alarms = 100.0 * compare_sim_false_alarms(pool, runs, COMPARISONS);
    double found = 100.0 * compare_sim_power(pool, runs, COMPARISONS);
    snprintf(id, sizeof id, "compare_false_alarms_%u", runs);
    snprintf(what, sizeof what, "compare, %u runs a side: same build called different", runs);
    struct row row = row_of_number(id, what, "%", alarms, COMPARISONS);
    row_budget(&row, ROW_AT_MOST, FALSE_ALARMS_MOST, NAN, "<= 6.5 %");
    driver_row(&row);
    snprintf(id, sizeof id, "compare_found_%u", runs);
    snprintf(what, sizeof what, "compare, %u runs a side: typing 10 %% slower found", runs);
    row = row_of_number(id, what, "%", found, COMPARISONS);
    row_note(&row, "drawn from %u runs", pool->runs);
    driver_row(&row);
}

void measure_compare(void)
{
    static const uint32_t runs[] = {5, 8, 10, 12, 15, 20};
    const char *files = getenv("UM_BENCH_RESULTS");
    const char *measure = getenv("UM_BENCH_RESULTS_MEASURE");
    struct um_results results = {0};
    struct compare_sim_pool pool;

    load(&results, files ? files : FIXTURE);
    if (!compare_sim_open(&results, measure ? measure : "typing", SLOWDOWN, &pool))
        driver_fail("the results have no such measure");
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++)
        add_row(&pool, runs[i]);
    compare_sim_close(&pool);
    um_results_deinit(&results);
}
