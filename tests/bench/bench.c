/* `./run bench`: measures the design's budgets and prints what it found beside them.
 *
 * One run compares everything that is compared (watched with not watched, uimon's rule with its
 * ancestor's), because absolute times vary from machine to machine and from hour to hour. Under
 * Wine, where a message costs ten times what it costs on Windows, the figures are an upper bound.
 * A reader starts at `measures` and goes to the measure's own file; driver.h is what they share.
 *
 *   bench_native [MEASURE...]     only those whose name contains one of the words (the file then
 *                                 holds these alone)
 *
 * "OVER" in the table is a budget that was not kept. It does not change the exit code, which is 1
 * only if something could not be measured ("FAILED"): a noisy machine is no reason to fail.
 *
 * The figures also go to the file named by UM_BENCH_JSON:
 *   uimon    version            schema   1; rises when a field changes meaning
 *   ended    calendar time, UTC          seconds  how long the run took
 *   rows     in the order of the table, each
 *     id, what       the row's stable name, and its text for people
 *     unit           of all its numbers
 *     limit          "at most", "at least" or "between"; absent where nothing is promised
 *     limit_least    what "between" begins at; limit_median is its end
 *     limit_median   what is promised of the median (or of the one number there is)
 *     limit_worst    what is promised of the worst; absent if nothing is
 *     median, worst  what was measured; absent if it was not
 *     n              how many measurements are behind them
 *     verdict        "ok", "over", "reported" (nothing is promised), "failed" (not measured)
 *     note           what a reader of the numbers should know; absent if nothing
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain/clock.h"
#include "tests/bench/driver.h"
#include "tests/bench/measures.h"
#include "tests/bench/table.h"

static const struct {
    const char *name;
    void (*run)(void);
} measures[] = {
    {"accuracy", measure_accuracy},
    {"thresholds", measure_thresholds},
    {"quiet", measure_quiet},
    {"wordpad", measure_wordpad},
    {"typing", measure_typing},
    {"beats", measure_beats},
    {"interactions", measure_interactions},
    {"gone", measure_gone},
    {"ends", measure_ends},
    {"follow", measure_follow},
    {"replay", measure_replay},
    {"benched", measure_benched},
    {"shown", measure_shown},
    {"thaw", measure_thaw},
    {"thaw_stands", measure_thaw_stands},
    {"hook_cost", measure_hook_cost},
    {"marks", measure_marks},
    {"trace_cost", measure_trace_cost},
    {"pipeline", measure_pipeline},
    {"cost", measure_cost},
    {"cost_layout", measure_cost_layout},
    {"frame", measure_picture},
    {"compare", measure_compare},
    {"until", measure_until},
    {"unwind", measure_unwind},
    {"feed", measure_feed},
    {"profile", measure_profile},
    {"profile_managed", measure_profile_managed},
    {"growth", measure_growth},
    {"growth32", measure_growth32},
    {"flows", measure_flows},
    {"flows_read", measure_flows_read},
    {"layout", measure_layout},
    {"layout_xaml", measure_layout_xaml},
    {"layout_watched", measure_layout_watched},
};

static bool is_wanted(const char *name, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strstr(name, argv[i]))
            return true;
    return argc < 2;
}

int main(int argc, char **argv)
{
    static struct table table;
    const char *json = getenv("UM_BENCH_JSON");
    uint64_t begin_ns = um_clock_now_ns();
    bool good = true;

    table_print_head();
    for (size_t i = 0; i < sizeof measures / sizeof measures[0]; i++)
        if (is_wanted(measures[i].name, argc, argv))
            good = driver_measure(&table, measures[i].name, measures[i].run) && good;
    double seconds = (double)(um_clock_now_ns() - begin_ns) / 1e9;
    printf("%zu rows in %.0f s\n", table.len, seconds);
    if (json && !table_write_json(&table, json, seconds)) {
        fprintf(stderr, "bench: %s cannot be written\n", json);
        good = false;
    }
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
