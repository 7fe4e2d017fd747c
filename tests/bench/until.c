/* How far a sitting of pairs can be trusted that stops when it knows, beside one of a fixed number
 * of pairs: the rate of false alarms and of slowdowns found, and after how many pairs, in 2,000
 * seeded sittings on each of five machines that misbehave (tests/until_sim.h). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/bench/driver.h"
#include "tests/bench/measures.h"
#include "tests/bench/table.h"
#include "tests/until_sim.h"

#define SITTINGS 2000
#define WITHIN 0.05
#define SLOWDOWN 1.10
#define FALSE_ALARMS_MOST 6.5 /* 5 %, and three standard deviations of 2,000 tries */
#define FOUND_LEAST 95

static void add_rows(const struct um_until *until, enum until_sim_noise noise, double spread)
{
    const char *how = until->looks > 1 ? "until" : "fixed";
    uint32_t most = until->pairs[until->looks - 1];
    struct until_sim_rates same = until_sim(until, noise, spread, 1, SITTINGS, 1);
    struct until_sim_rates slower = until_sim(until, noise, spread, SLOWDOWN, SITTINGS, 2);
    char id[64], what[96];

    snprintf(id, sizeof id, "%s_false_alarms_%u_%d", how, most, (int)noise);
    snprintf(what, sizeof what, "%s %u pairs, runs vary by %.0f %%, %s: same build different", how,
             most, spread * 100, until_sim_names[noise]);
    struct row row = row_of_number(id, what, "%", 100 * (same.slower + same.faster), SITTINGS);
    row_budget(&row, ROW_AT_MOST, FALSE_ALARMS_MOST, NAN, "<= 6.5 %");
    row_note(&row, "%.1f pairs on average", same.pairs);
    driver_row(&row);
    snprintf(id, sizeof id, "%s_found_%u_%d", how, most, (int)noise);
    snprintf(what, sizeof what, "%s %u pairs, runs vary by %.0f %%, %s: 10 %% slower found", how,
             most, spread * 100, until_sim_names[noise]);
    row = row_of_number(id, what, "%", 100 * slower.slower, SITTINGS);
    row_budget(&row, ROW_AT_LEAST, FOUND_LEAST, NAN, ">= 95 %");
    row_note(&row, "%.1f pairs on average", slower.pairs);
    driver_row(&row);
}

void measure_until(void)
{
    static const struct {
        double spread;
        uint32_t most;
    } machines[] = {{0.04, 20}, {0.07, 40}, {0.10, 60}};
    struct um_until until;

    for (size_t i = 0; i < sizeof machines / sizeof machines[0]; i++)
        for (int once = 0; once < 2; once++) {
            if (once)
                until = until_sim_once(machines[i].most, WITHIN);
            else if (um_until_plan(machines[i].most, WITHIN, UM_UNTIL_ALPHA, &until) != UM_OK)
                driver_fail("no plan");
            for (int noise = 0; noise < UNTIL_SIM_NOISES; noise++)
                add_rows(&until, (enum until_sim_noise)noise, machines[i].spread);
        }
}
