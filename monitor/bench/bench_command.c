#include "monitor/options/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "ipc/clock.h"
#include "monitor/base/crc32.h"
#include "monitor/base/output.h"
#include "monitor/base/platform.h"
#include "monitor/base/utf8.h"
#include "monitor/bench/bench_host.h"
#include "monitor/bench/bench_report.h"
#include "monitor/bench/bench_results.h"
#include "monitor/bench/bench_run.h"
#include "monitor/bench/scenario.h"
#include "monitor/bench/scenario_describe.h"
#include "monitor/compare/floor.h"
#include "monitor/compare/results.h"
#include "monitor/target/target.h"

#define NAME_BYTES 128

/* A benchmark, from reading its scenario to writing its results. */
struct bench {
    const struct um_options *options;
    struct um_scenario scenario;
    uint32_t crc32;
    char name[NAME_BYTES]; /* the file's name without its folder and ".uimon" */
    struct um_bench_results *results;
    struct um_bench_host *host;
    int64_t utc_ms;
    struct um_bench_run_outcome outcome;
};

static void name_scenario(struct bench *bench)
{
    const char *file = bench->options->files[0];
    for (const char *at = file; *at; at++)
        if (*at == '/' || *at == '\\')
            file = at + 1;
    um_utf8_fit(file, NAME_BYTES / 4, bench->name, sizeof bench->name);
    char *ending = strstr(bench->name, ".uimon");
    if (ending && ending != bench->name && ending[strlen(".uimon")] == 0)
        *ending = 0;
}

static enum um_status read_scenario(struct bench *bench, char *error, size_t cap)
{
    const struct um_options *options = bench->options;
    char *text = NULL;
    size_t len = 0;

    enum um_status status = um_scenario_load(options->files[0], &text, &len, error, cap);
    if (status != UM_OK)
        return status;
    bench->crc32 = um_crc32(0, (const uint8_t *)text, len);
    name_scenario(bench);
    status = um_scenario_parse(text, len, um_utf8_show(options->files[0], 60).text,
                               options->defines.items, options->defines.count, &bench->scenario,
                               error, cap);
    free(text);
    return status;
}

/* Calls `take` for each program that the scenario starts, with its whole path.
 * Errors: UM_ERR_NOT_FOUND there is no such program; `error` says so. */
static enum um_status find_programs(const struct bench *bench,
                                    void (*take)(const struct um_scenario_step *step,
                                                 const char *path),
                                    char *error, size_t cap)
{
    char path[UM_PLATFORM_PATH_BYTES];

    for (uint32_t i = 0; i < bench->scenario.step_count; i++) {
        const struct um_scenario_step *step = &bench->scenario.steps[i];
        if (step->op != UM_SCENARIO_LAUNCH && step->op != UM_SCENARIO_EXEC)
            continue;
        if (um_target_find_program(step->argv[0], path, sizeof path) == UM_OK) {
            take(step, path);
            continue;
        }
        snprintf(error, cap, "uimon: %s:%lu: there is no program '%s'; give its whole path",
                 um_utf8_show(bench->options->files[0], 60).text, (unsigned long)step->line,
                 um_utf8_show(step->argv[0], 60).text);
        return UM_ERR_NOT_FOUND;
    }
    return UM_OK;
}

static void name_nothing(const struct um_scenario_step *step, const char *path)
{
    (void)step, (void)path;
}

static void name_on_stdout(const struct um_scenario_step *step, const char *path)
{
    printf("line %lu starts ", (unsigned long)step->line);
    um_output_text(stdout, path);
    putchar('\n');
}

static void name_on_stderr(const struct um_scenario_step *step, const char *path)
{
    char line[UM_PLATFORM_PATH_BYTES + 32];
    snprintf(line, sizeof line, "line %lu starts %s", (unsigned long)step->line, path);
    um_output_note(line);
}

static enum um_status check_output(const struct um_options *options, char *error, size_t cap)
{
    if (!options->json || um_output_is_stdout(options->json) ||
        !um_platform_same_file(options->json, options->files[0]))
        return UM_OK;
    snprintf(error, cap,
             "uimon: --json %s: the results would overwrite the scenario; give them another "
             "file",
             um_utf8_show(options->json, 60).text);
    return UM_ERR_ARG;
}

static int dry_run(const struct bench *bench)
{
    const struct um_options *options = bench->options;
    const struct um_scenario *scenario = &bench->scenario;
    char error[UM_OPTIONS_ERROR_BYTES];

    um_scenario_describe_all(scenario, stdout);
    find_programs(bench, name_on_stdout, error, sizeof error);
    printf(
        "This was a dry run: nothing was started. A run has %llu steps, repetitions included, and\n"
        "sends %llu inputs. There would be %lu runs, %lu of them rehearsals.\n",
        (unsigned long long)scenario->expanded, (unsigned long long)scenario->inputs,
        (unsigned long)options->runs + options->rehearsals, (unsigned long)options->rehearsals);
    return fflush(stdout) == 0 ? UM_EXIT_DONE : UM_EXIT_FAILED;
}

/* Does all runs, or stops at the first that fails. */
static enum um_status do_runs(struct bench *bench)
{
    const struct um_options *options = bench->options;
    struct um_bench_run_host contract = um_bench_host_contract(bench->host);
    uint32_t total = options->rehearsals + options->runs;
    char name[64];

    for (uint32_t i = 0; i < total; i++) {
        bool counted = i >= options->rehearsals;
        if (counted)
            snprintf(name, sizeof name, "run %lu of %lu",
                     (unsigned long)(i - options->rehearsals) + 1, (unsigned long)options->runs);
        else
            snprintf(name, sizeof name, "rehearsal %lu of %lu", (unsigned long)i + 1,
                     (unsigned long)options->rehearsals);
        um_bench_host_name_run(bench->host, name);
        um_bench_run(&bench->scenario, &contract, bench->results, um_clock_utc_ms(),
                     &bench->outcome);
        /* What a failed run has measured so far is kept. */
        enum um_status status = um_bench_results_end(bench->results, counted);
        if (bench->outcome.status != UM_OK || status != UM_OK)
            return bench->outcome.status != UM_OK ? bench->outcome.status : status;
    }
    return UM_OK;
}

/* Reads the floor of this machine. Owner: cJSON_Delete. NULL if there is none. */
static cJSON *load_floor(const struct bench *bench, const char *machine)
{
    char path[UM_PLATFORM_PATH_BYTES];
    char why[UM_OPTIONS_ERROR_BYTES];
    struct um_floor floor;

    if (um_platform_data_path(UM_FLOOR_FILE, path, sizeof path) != UM_OK)
        return NULL;
    if (um_floor_load(path, machine, &floor, why, sizeof why) == UM_OK)
        return um_floor_to_json(&floor);
    if (bench->options->verbose)
        um_output_note(why);
    return NULL;
}

/* Makes the JSON of the results. Owner: cJSON_free. NULL without memory. */
static char *results_text(const struct bench *bench)
{
    const struct um_options *options = bench->options;
    struct um_utf8_shown file = um_utf8_show(options->files[0], 200);
    struct um_platform_machine machine;
    char *text = NULL;

    um_platform_machine(&machine);
    cJSON *floor = load_floor(bench, machine.name);
    const struct um_bench_results_header header = {
        .scenario_file = file.text,
        .scenario_name = bench->name,
        .scenario_crc32 = bench->crc32,
        .utc_ms = bench->utc_ms,
        .target = um_bench_host_target_name(bench->host),
        .toolkit = um_bench_host_toolkit(bench->host),
        .heartbeat_ms = options->heartbeat_ms,
        .rest_heartbeat_ms = options->rest_heartbeat_ms,
        .threshold_ms = options->threshold_ms,
        .slow_ms = options->slow_ms,
        .probe = um_bench_host_probe(bench->host),
        .beat = um_bench_host_beat(bench->host),
        .machine = machine.name,
        .cpus = machine.cpus,
        .system = machine.system,
        .floor = floor,
        .rehearsals = options->rehearsals,
        .aborted = bench->outcome.status == UM_OK ? NULL : bench->outcome.why,
    };
    um_bench_results_json(bench->results, &header, &text);
    cJSON_Delete(floor);
    return text;
}

/* Prints the results as a table, and what to do with the file. */
static void print_results(const struct bench *bench, const char *text)
{
    const struct um_options *options = bench->options;
    FILE *out = um_output_is_stdout(options->json) ? stderr : stdout;
    struct um_results read = {0};
    char error[UM_OPTIONS_ERROR_BYTES] = "";

    if (options->quiet || bench->outcome.status != UM_OK)
        return;
    if (um_results_add(&read, text, strlen(text), bench->name, error, sizeof error) == UM_OK)
        um_bench_report_write(out, &read);
    else
        um_output_error(error);
    um_results_deinit(&read);
    if (!options->json)
        fprintf(out,
                "\n  To compare with another build, write the results of both with --json FILE\n");
    else if (!um_output_is_stdout(options->json))
        fprintf(out, "\n  After the next change, compare: uimon compare %s AFTER.json\n",
                options->json);
    fflush(out);
}

static int finish(const struct bench *bench, enum um_status status)
{
    const struct um_options *options = bench->options;
    const struct um_bench_run_outcome *outcome = &bench->outcome;
    int code = outcome->interrupted ? UM_EXIT_FAILED : (int)um_output_exit_code(status);
    char *text = results_text(bench);

    if (outcome->status != UM_OK)
        fprintf(stderr, "uimon: %s: aborted: %s\n", um_utf8_show(options->files[0], 60).text,
                um_utf8_show(outcome->why, 200).text);
    else if (status != UM_OK || !text)
        fprintf(stderr, "uimon: the results cannot be kept: %s\n", um_status_text(UM_ERR_MEMORY));
    if (text && options->json && !um_output_write(options->json, "--json", text))
        code = code == UM_EXIT_DONE ? UM_EXIT_FAILED : code;
    if (text)
        print_results(bench, text);
    cJSON_free(text);
    return text || code != UM_EXIT_DONE ? code : (int)UM_EXIT_FAILED;
}

static int run(struct bench *bench)
{
    char error[UM_OPTIONS_ERROR_BYTES];

    bench->utc_ms = um_clock_utc_ms();
    um_bench_host_say_limit(bench->options, bench->options->rehearsals + bench->options->runs,
                            um_bench_run_most_ns(&bench->scenario));
    if (!bench->options->quiet)
        find_programs(bench, name_on_stderr, error, sizeof error);
    enum um_status status = um_bench_results_open(&bench->results);
    if (status == UM_OK)
        status = um_bench_host_open(bench->options, bench->results, &bench->host);
    if (status != UM_OK)
        return um_output_fail("uimon: out of memory", UM_EXIT_FAILED);
    status = do_runs(bench);
    um_bench_host_hide_progress(bench->host);
    return finish(bench, status);
}

int um_bench_command_run(struct um_options *options)
{
    struct bench bench = {.options = options};
    char error[UM_OPTIONS_ERROR_BYTES] = "";
    int code;

    enum um_status status = read_scenario(&bench, error, sizeof error);
    if (status != UM_OK)
        code = um_output_fail(error, status == UM_ERR_MEMORY ? UM_EXIT_FAILED : UM_EXIT_USAGE);
    else if (check_output(options, error, sizeof error) != UM_OK)
        code = um_output_fail(error, UM_EXIT_USAGE);
    else if (find_programs(&bench, name_nothing, error, sizeof error) != UM_OK)
        code = um_output_fail(error, UM_EXIT_NO_TARGET);
    else if (!um_output_can_write(options->json, "--json", error, sizeof error))
        code = um_output_fail(error, UM_EXIT_FAILED);
    else if (options->dry_run)
        code = dry_run(&bench);
    else
        code = run(&bench);
    um_bench_host_close(bench.host);
    um_bench_results_close(bench.results);
    um_scenario_deinit(&bench.scenario);
    return code;
}
