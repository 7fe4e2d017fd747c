#include "monitor/options/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/plain/clock.h"
#include "base/exit_code.h"
#include "base/output.h"
#include "base/platform.h"
#include "monitor/bench/bench_duration.h"
#include "monitor/bench/bench_host.h"
#include "monitor/bench/bench_results.h"
#include "monitor/bench/bench_run.h"
#include "monitor/bench/scenario.h"
#include "monitor/compare/floor.h"
#include "monitor/compare/results.h"

#define KEY_COUNT 200
#define CLICK_COUNT 30

/* Keys, clicks and wheel steps in the demo's typing area, which just shows each key. */
static const char scenario_text[] = "launch ${PROGRAM} --still\n"
                                    "wait-idle 500\n"
                                    "click class:Edit\n"
                                    "wait-idle 300\n"
                                    "measure idle {\n"
                                    "    sleep 5s\n"
                                    "}\n"
                                    "measure key {\n"
                                    "    repeat 20 {\n"
                                    "        type \"responsive\" rate 20/s\n"
                                    "    }\n"
                                    "}\n"
                                    "measure click {\n"
                                    "    repeat 30 {\n"
                                    "        click class:Edit\n"
                                    "        sleep 100\n"
                                    "    }\n"
                                    "}\n"
                                    "measure wheel {\n"
                                    "    wheel 20 at class:Edit rate 10/s\n"
                                    "}\n"
                                    "close discard\n";

static enum um_status read_scenario(struct um_scenario *scenario, char *error, size_t cap)
{
    char program[UM_PLATFORM_PATH_BYTES];
    char define[UM_PLATFORM_PATH_BYTES + 16];
    const char *const defines[] = {define};
    enum um_status status = um_platform_program("uimon-demo", program, sizeof program);
    if (status != UM_OK) {
        snprintf(error, cap,
                 "uimon: uimon-demo.exe is missing: unpack the whole package into one folder");
        return status;
    }
    snprintf(define, sizeof define, "PROGRAM=%s", program);
    return um_scenario_parse(scenario_text, strlen(scenario_text), "calibrate", defines, 1,
                             scenario, error, cap);
}

static struct um_floor_figure figure_of(const struct um_compare_group *group,
                                        enum um_compare_statistic high)
{
    return (struct um_floor_figure){
        .p50 = um_compare_statistic_of(group, UM_COMPARE_P50),
        .p98 = um_compare_statistic_of(group, high),
        .count = (uint32_t)group->len,
    };
}

/* Takes the figures of one kind of input from the measure with its name. */
static void take_kind(const struct um_results *results, enum um_floor_kind kind,
                      struct um_floor *floor)
{
    static const enum um_results_series series[UM_FLOOR_PARTS] = {
        [UM_FLOOR_DELAY] = UM_RESULTS_DELAY,
        [UM_FLOOR_PROCESSING] = UM_RESULTS_PROCESSING,
        [UM_FLOOR_PRESENTATION] = UM_RESULTS_PRESENTATION,
        [UM_FLOOR_TOTAL] = UM_RESULTS_PAINTED,
    };
    const struct um_results_measure *found = um_results_find(results, um_floor_kind_names[kind]);
    for (size_t part = 0; found && part < UM_FLOOR_PARTS; part++)
        floor->inputs[kind][part] = figure_of(&found->groups[series[part]], UM_COMPARE_P98);
}

/* Makes a floor of the results. False if too many inputs are missing. */
static bool make_floor(const struct um_results *results, struct um_floor *floor)
{
    const struct um_results_measure *idle = um_results_find(results, "idle");
    um_floor_init(floor);
    snprintf(floor->uimon, sizeof floor->uimon, "%s", UM_VERSION);
    snprintf(floor->machine, sizeof floor->machine, "%s", results->conditions.machine);
    snprintf(floor->date, sizeof floor->date, "%s", results->conditions.started);
    if (idle)
        floor->beats = figure_of(&idle->groups[UM_RESULTS_BEATS], UM_COMPARE_P99);
    for (int kind = 0; kind < UM_FLOOR_KINDS; kind++)
        take_kind(results, (enum um_floor_kind)kind, floor);
    return floor->beats.count > 0 &&
           floor->inputs[UM_FLOOR_KEY][UM_FLOOR_DELAY].count >= KEY_COUNT / 2 &&
           floor->inputs[UM_FLOOR_CLICK][UM_FLOOR_DELAY].count >= CLICK_COUNT / 2;
}

static void print_floor(FILE *out, const struct um_floor *floor)
{
    static const char *const names[UM_FLOOR_PARTS] = {"input delay", "processing", "presentation",
                                                      "total"};
    fprintf(out, "What uimon sees of a window that answers at once, in ms:\n");
    fprintf(out, "  %-21s%6s %8s\n", "", "p50", "p98");
    for (size_t kind = 0; kind < UM_FLOOR_KINDS; kind++) {
        for (size_t part = 0; part < UM_FLOOR_PARTS; part++) {
            const struct um_floor_figure *figure = &floor->inputs[kind][part];
            if (figure->count > 0)
                fprintf(out, "  %-7s%-14s%6.2f %8.2f   of %lu\n",
                        part == 0 ? um_floor_kind_names[kind] : "", names[part], figure->p50,
                        figure->p98, (unsigned long)figure->count);
        }
    }
    fprintf(out, "  %-21s%6.2f %8.2f   of %lu (p99)\n", "beat", floor->beats.p50, floor->beats.p98,
            (unsigned long)floor->beats.count);
}

static int keep(const struct um_options *options, const struct um_floor *floor)
{
    char path[UM_PLATFORM_PATH_BYTES];
    FILE *out = um_output_is_stdout(options->json) ? stderr : stdout;
    int code = UM_EXIT_DONE;
    enum um_status status;
    if (um_platform_data_path(UM_FLOOR_FILE, path, sizeof path) != UM_OK)
        code = um_output_fail(
            "uimon: calibrate: the result cannot be written to %LOCALAPPDATA%\\uimon: make that "
            "folder writable",
            UM_EXIT_FAILED);
    else if ((status = um_floor_save(path, floor)) != UM_OK)
        code = status == UM_ERR_MEMORY ? um_output_fail("uimon: out of memory", UM_EXIT_FAILED)
                                       : (int)UM_EXIT_FAILED;
    if (options->json) {
        cJSON *object = um_floor_to_json(floor);
        char *text = object ? cJSON_Print(object) : NULL;
        if (!text || !um_output_write(options->json, "--json", text))
            code = UM_EXIT_FAILED;
        cJSON_free(text);
        cJSON_Delete(object);
    }
    if (!options->quiet) {
        print_floor(out, floor);
        if (code == UM_EXIT_DONE)
            fprintf(out,
                    "From now on benchmarks on this machine show it beside their results (%s).\n",
                    path);
        fflush(out);
    }
    return code;
}

/* Makes the floor from the results, which are read as `uimon compare` reads them, so that the
 * numbers mean the same. */
static int evaluate(const struct um_options *options, const struct um_bench_results *measured,
                    int64_t utc_ms)
{
    struct um_platform_machine machine;
    struct um_results results = {0};
    struct um_floor floor;
    char error[UM_OPTIONS_ERROR_BYTES];
    char *text = NULL;
    int code;
    um_platform_machine(&machine);
    const struct um_bench_results_header header = {
        .utc_ms = utc_ms, .options = options, .machine = machine};
    if (um_bench_results_json(measured, &header, &text) != UM_OK)
        return um_output_fail("uimon: out of memory", UM_EXIT_FAILED);
    if (um_results_add(&results, text, strlen(text), "calibrate", error, sizeof error) != UM_OK)
        code = um_output_fail(error, UM_EXIT_FAILED);
    else if (!make_floor(&results, &floor))
        code = um_output_fail(
            "uimon: calibrate: most of the keys or clicks were not seen: try again, and do not "
            "touch mouse and keyboard meanwhile",
            UM_EXIT_FAILED);
    else
        code = keep(options, &floor);
    um_results_deinit(&results);
    cJSON_free(text);
    return code;
}

static void say_duration(const struct um_options *options, const struct um_scenario *scenario)
{
    const struct um_bench_duration one = {.sides = 1, .runs = 1};
    char line[UM_BENCH_DURATION_BYTES];
    um_bench_duration_plan(&one, scenario->own_ns, um_bench_run_most_ns(scenario), line);
    um_bench_host_say_plan(options, line);
}

static int run(const struct um_options *options, const struct um_scenario *scenario)
{
    struct um_bench_results *results = NULL;
    struct um_bench_host *host = NULL;
    struct um_bench_run_outcome outcome = {.status = UM_ERR_MEMORY};
    int64_t utc_ms = um_clock_utc_ms();
    int code;

    if (um_bench_results_open(false, &results) == UM_OK &&
        um_bench_host_open(options, results, &host) == UM_OK) {
        struct um_bench_run_host contract = um_bench_host_contract(host);
        snprintf(outcome.why, sizeof outcome.why, "%s", um_status_text(UM_ERR_MEMORY));
        say_duration(options, scenario);
        um_bench_host_name_run(host, "calibrating");
        um_bench_run(scenario, &contract, results, utc_ms, &outcome);
        um_bench_host_hide_progress(host);
        enum um_status status = um_bench_results_end(results, true);
        outcome.status = outcome.status == UM_OK ? status : outcome.status;
    }
    if (outcome.status == UM_OK) {
        code = evaluate(options, results, utc_ms);
    } else {
        fprintf(stderr, "uimon: calibrate: aborted: %s\n", outcome.why);
        code = outcome.interrupted ? UM_EXIT_FAILED : (int)um_output_exit_code(outcome.status);
    }
    um_bench_host_close(host);
    um_bench_results_close(results);
    return code;
}

int um_calibrate_command_run(struct um_options *options)
{
    struct um_scenario scenario = {0};
    char error[UM_OPTIONS_ERROR_BYTES];
    int code;
    if (!um_output_can_write(options->json, "--json", error, sizeof error))
        return um_output_fail(error, UM_EXIT_FAILED);
    if (read_scenario(&scenario, error, sizeof error) != UM_OK)
        code = um_output_fail(error, UM_EXIT_FAILED);
    else
        code = run(options, &scenario);
    um_scenario_deinit(&scenario);
    return code;
}
