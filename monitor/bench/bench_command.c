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
#include "monitor/bench/bench_sitting.h"
#include "monitor/bench/scenario.h"
#include "monitor/bench/scenario_describe.h"
#include "monitor/compare/compare_report.h"
#include "monitor/compare/comparison.h"
#include "monitor/compare/floor.h"
#include "monitor/compare/results.h"
#include "monitor/compare/until.h"
#include "monitor/target/target.h"

#define NAME_BYTES 128
#define DEFINES_MOST (2 * UM_OPTIONS_MANY)

/* One side of a benchmark: what is run, and what was measured. */
struct side {
    const char *defines[DEFINES_MOST]; /* --define, then those of this side, which go over them */
    int define_count;
    const char *const *shown; /* those that the results name */
    int shown_count;
    struct um_scenario scenario;
    struct um_bench_results *results;
    struct um_bench_host *host;
};

/* A benchmark, from reading its scenario to writing its results. */
struct bench {
    const struct um_options *options;
    uint32_t sides; /* 1, or 2: --before and --after */
    struct side side[2];
    uint32_t crc32;
    char name[NAME_BYTES]; /* the file's name without its folder and ".uimon" */
    int64_t utc_ms;
    struct um_compare_report_gate gate;
    struct um_until until;           /* no looks: a fixed number of pairs */
    struct um_bench_sitting sitting; /* of two sides */
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

static void add_defines(struct side *side, const struct um_options_list *list)
{
    for (int i = 0; i < list->count; i++)
        side->defines[side->define_count++] = list->items[i];
}

/* Finds out how many sides there are, and what is set for each. */
static void settle_sides(struct bench *bench)
{
    const struct um_options *options = bench->options;
    const struct um_options_list *const lists[] = {&options->before, &options->after};

    bench->sides = options->before.count > 0 ? 2 : 1;
    for (uint32_t i = 0; i < bench->sides; i++) {
        const struct um_options_list *list = bench->sides == 2 ? lists[i] : &options->defines;
        add_defines(&bench->side[i], &options->defines);
        if (bench->sides == 2)
            add_defines(&bench->side[i], list);
        bench->side[i].shown = list->items;
        bench->side[i].shown_count = list->count;
    }
}

static enum um_status read_scenario(struct bench *bench, char *error, size_t cap)
{
    const char *file = bench->options->files[0];
    char *text = NULL;
    size_t len = 0;

    enum um_status status = um_scenario_load(file, &text, &len, error, cap);
    if (status != UM_OK)
        return status;
    bench->crc32 = um_crc32(0, (const uint8_t *)text, len);
    name_scenario(bench);
    for (uint32_t i = 0; i < bench->sides && status == UM_OK; i++)
        status =
            um_scenario_parse(text, len, um_utf8_show(file, 60).text, bench->side[i].defines,
                              bench->side[i].define_count, &bench->side[i].scenario, error, cap);
    free(text);
    return status;
}

/* Makes the plan of --until, and checks the number of pairs. */
static enum um_status plan_pairs(struct bench *bench, char *error, size_t cap)
{
    const struct um_options *options = bench->options;
    double within = options->until_percent / 100;

    if (bench->sides == 2 && options->runs > UM_PAIRED_MOST) {
        snprintf(error, cap, "uimon: --runs %lu: of two sides there can be %d pairs at most",
                 (unsigned long)options->runs, UM_PAIRED_MOST);
        return UM_ERR_ARG;
    }
    if (!(within > 0))
        return UM_OK;
    enum um_status status = um_until_plan(options->runs, false, within, &bench->until);
    if (status == UM_ERR_ARG)
        snprintf(error, cap,
                 "uimon: --until with --runs %lu: it looks after %d pairs for the first time; give "
                 "more runs",
                 (unsigned long)options->runs, UM_UNTIL_FIRST);
    else if (status != UM_OK)
        snprintf(error, cap, "uimon: out of memory");
    return status;
}

/* Calls `take` for each program that the scenario starts, with its whole path.
 * Errors: UM_ERR_NOT_FOUND there is no such program; `error` says so. */
static enum um_status find_programs(const struct bench *bench, const struct side *side,
                                    void (*take)(const struct um_scenario_step *step,
                                                 const char *path),
                                    char *error, size_t cap)
{
    char path[UM_PLATFORM_PATH_BYTES];

    for (uint32_t i = 0; i < side->scenario.step_count; i++) {
        const struct um_scenario_step *step = &side->scenario.steps[i];
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

/* The same for all sides. A program that both sides start is named for each. */
static enum um_status find_all_programs(const struct bench *bench,
                                        void (*take)(const struct um_scenario_step *step,
                                                     const char *path),
                                        char *error, size_t cap)
{
    enum um_status status = UM_OK;
    for (uint32_t i = 0; i < bench->sides && status == UM_OK; i++)
        status = find_programs(bench, &bench->side[i], take, error, cap);
    return status;
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
    static const char *const names[] = {"Before:\n", "After:\n"};
    const struct um_options *options = bench->options;
    char error[UM_OPTIONS_ERROR_BYTES];

    for (uint32_t i = 0; i < bench->sides; i++) {
        const struct side *side = &bench->side[i];
        fputs(bench->sides == 2 ? names[i] : "", stdout);
        um_scenario_describe_all(&side->scenario, stdout);
        find_programs(bench, side, name_on_stdout, error, sizeof error);
        printf("This was a dry run: nothing was started. A run has %llu steps, repetitions "
               "included, and\nsends %llu inputs. There would be %s%lu runs, %lu of them "
               "rehearsals.\n",
               (unsigned long long)side->scenario.expanded,
               (unsigned long long)side->scenario.inputs, bench->until.looks > 0 ? "at most " : "",
               (unsigned long)options->runs + options->rehearsals,
               (unsigned long)options->rehearsals);
    }
    return fflush(stdout) == 0 ? UM_EXIT_DONE : UM_EXIT_FAILED;
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

/* Makes the JSON of one side. Owner: cJSON_free. NULL without memory. */
static char *side_text(const struct bench *bench, const struct side *side)
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
        .defines = side->shown,
        .define_count = side->shown_count,
        .utc_ms = bench->utc_ms,
        .target = um_bench_host_target_name(side->host),
        .toolkit = um_bench_host_toolkit(side->host),
        .heartbeat_ms = options->heartbeat_ms,
        .rest_heartbeat_ms = options->rest_heartbeat_ms,
        .threshold_ms = options->threshold_ms,
        .slow_ms = options->slow_ms,
        .probe = um_bench_host_probe(side->host),
        .beat = um_bench_host_beat(side->host),
        .machine = machine.name,
        .cpus = machine.cpus,
        .system = machine.system,
        .floor = floor,
        .rehearsals = options->rehearsals,
        .aborted = bench->outcome.status == UM_OK ? NULL : bench->outcome.why,
    };
    um_bench_results_json(side->results, &header, &text);
    cJSON_Delete(floor);
    return text;
}

/* Makes the JSON of the results. Owner: cJSON_free. NULL without memory. */
static char *results_text(const struct bench *bench)
{
    const struct um_bench_results_sitting sitting = {
        .utc_ms = bench->utc_ms,
        .after_first = bench->sitting.after_first,
        .pairs = bench->sitting.pairs,
        .discarded = bench->sitting.discarded,
        .within = bench->until.within,
        .most = bench->options->runs,
        .aborted = bench->outcome.status == UM_OK ? NULL : bench->outcome.why,
    };
    char *sides[2] = {side_text(bench, &bench->side[0])};
    char *text = NULL;

    if (bench->sides == 1)
        return sides[0];
    sides[1] = side_text(bench, &bench->side[1]);
    if (sides[0] && sides[1])
        um_bench_results_pairs_json(&sitting, (const char *const *)sides, &text);
    cJSON_free(sides[0]);
    cJSON_free(sides[1]);
    return text;
}

/* Runs ----------------------------------------------------------------------------------------- */

static enum um_status run_side(void *context, enum um_bench_sitting_side which, bool counted,
                               const char *name)
{
    struct bench *bench = context;
    struct side *side = &bench->side[which];
    struct um_bench_run_host contract = um_bench_host_contract(side->host);

    um_bench_host_name_run(side->host, name);
    um_bench_run(&side->scenario, &contract, side->results, um_clock_utc_ms(), &bench->outcome);
    um_bench_host_hide_progress(side->host);
    /* What a failed run has measured so far is kept, but not in a pair. */
    bool kept = counted && (bench->sides == 1 || bench->outcome.status == UM_OK);
    enum um_status status = um_bench_results_end(side->results, kept);
    return bench->outcome.status != UM_OK ? bench->outcome.status : status;
}

static void drop_run(void *context, enum um_bench_sitting_side which)
{
    struct bench *bench = context;
    um_bench_results_drop(bench->side[which].results);
}

static bool is_stopped(void *context)
{
    const struct bench *bench = context;
    return bench->outcome.interrupted;
}

static void say_discarded(void *context, const char *name)
{
    struct bench *bench = context;
    char line[UM_BENCH_RUN_WHY_BYTES + 64];

    snprintf(line, sizeof line, "%s did not finish and does not count: %s", name,
             um_utf8_show(bench->outcome.why, 200).text);
    um_output_note(line);
    bench->outcome = (struct um_bench_run_outcome){.status = UM_OK};
}

/* Reads the results of both sides, and compares them. Owner: um_comparison_deinit, and
 * um_results_deinit of both sides. Errors: those of um_results_read_pairs. */
static enum um_status compare_sides(const char *text, struct um_results sides[2],
                                    struct um_comparison *comparison, char *error, size_t cap)
{
    enum um_status status =
        um_results_read_pairs(sides, text, strlen(text), "the results", error, cap);
    if (status != UM_OK)
        return status;
    status = um_comparison_make(&sides[0], &sides[1], comparison);
    if (status != UM_OK)
        snprintf(error, cap, "uimon: out of memory");
    return status;
}

/* A look of --until. A limit that names nothing ends the sitting too: the report says what is
 * wrong with it. */
static enum um_status look(void *context, uint32_t pairs, bool *enough)
{
    struct bench *bench = context;
    struct um_results sides[2] = {{0}, {0}};
    struct um_comparison comparison = {0};
    char error[UM_OPTIONS_ERROR_BYTES];

    if (!(um_until_level(&bench->until, pairs) > 0) || pairs == bench->options->runs)
        return UM_OK;
    char *text = results_text(bench);
    enum um_status status = text ? UM_OK : UM_ERR_MEMORY;
    if (status == UM_OK)
        status = compare_sides(text, sides, &comparison, error, sizeof error);
    if (status == UM_OK)
        status = um_compare_report_settled(&bench->gate, &comparison, enough, error, sizeof error);
    *enough = *enough || status == UM_ERR_NOT_FOUND;
    um_comparison_deinit(&comparison);
    um_results_deinit(&sides[0]);
    um_results_deinit(&sides[1]);
    cJSON_free(text);
    return *enough ? UM_OK : status;
}

static enum um_status do_runs(struct bench *bench)
{
    const struct um_bench_sitting_plan plan = {
        .sides = bench->sides,
        .rehearsals = bench->options->rehearsals,
        .runs = bench->options->runs,
        .seed = um_clock_now_ns() ^ (uint64_t)bench->utc_ms,
    };
    const struct um_bench_sitting_host host = {
        .context = bench,
        .run = run_side,
        .drop = drop_run,
        .is_stopped = is_stopped,
        .discarded = say_discarded,
        .look = look,
    };
    return um_bench_sitting_run(&plan, &host, &bench->sitting);
}

/* The end -------------------------------------------------------------------------------------- */

/* Prints the results of one side as a table, and what to do with the file. */
static int print_results(const struct bench *bench, const char *text, FILE *out)
{
    const struct um_options *options = bench->options;
    struct um_results read = {0};
    char error[UM_OPTIONS_ERROR_BYTES] = "";

    if (options->quiet)
        return UM_EXIT_DONE;
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
    return UM_EXIT_DONE;
}

/* Prints the comparison of both sides. */
static int print_comparison(const struct bench *bench, const char *text, FILE *out)
{
    struct um_results sides[2] = {{0}, {0}};
    struct um_comparison comparison = {0};
    char error[UM_OPTIONS_ERROR_BYTES] = "";
    int code;

    if (compare_sides(text, sides, &comparison, error, sizeof error) == UM_OK)
        code = um_compare_report_write(bench->options, &bench->gate, &comparison, NULL, out);
    else
        code = um_output_fail(error, UM_EXIT_FAILED);
    um_comparison_deinit(&comparison);
    um_results_deinit(&sides[0]);
    um_results_deinit(&sides[1]);
    return code;
}

static int finish(const struct bench *bench, enum um_status status)
{
    const struct um_options *options = bench->options;
    const struct um_bench_run_outcome *outcome = &bench->outcome;
    FILE *out = um_output_is_stdout(options->json) ? stderr : stdout;
    int code = outcome->interrupted ? UM_EXIT_FAILED : (int)um_output_exit_code(status);
    char *text = results_text(bench);

    if (outcome->status != UM_OK)
        fprintf(stderr, "uimon: %s: aborted: %s\n", um_utf8_show(options->files[0], 60).text,
                um_utf8_show(outcome->why, 200).text);
    else if (status != UM_OK || !text)
        fprintf(stderr, "uimon: the results cannot be kept: %s\n", um_status_text(UM_ERR_MEMORY));
    if (text && options->json && !um_output_write(options->json, "--json", text))
        code = code == UM_EXIT_DONE ? UM_EXIT_FAILED : code;
    if (text && status == UM_OK) {
        int printed = bench->sides == 2 ? print_comparison(bench, text, out)
                                        : print_results(bench, text, out);
        code = code == UM_EXIT_DONE ? printed : code;
    }
    cJSON_free(text);
    return text || code != UM_EXIT_DONE ? code : (int)UM_EXIT_FAILED;
}

static enum um_status open_sides(struct bench *bench)
{
    enum um_status status = UM_OK;
    for (uint32_t i = 0; i < bench->sides && status == UM_OK; i++) {
        struct side *side = &bench->side[i];
        status = um_bench_results_open(&side->results);
        if (status == UM_OK)
            status = um_bench_host_open(bench->options, side->results, &side->host);
    }
    return status;
}

static int run(struct bench *bench)
{
    char error[UM_OPTIONS_ERROR_BYTES];
    const struct um_options *options = bench->options;
    uint64_t most_ns = 0;

    bench->utc_ms = um_clock_utc_ms();
    for (uint32_t i = 0; i < bench->sides; i++)
        most_ns += um_bench_run_most_ns(&bench->side[i].scenario);
    um_bench_host_say_limit(options, options->rehearsals + options->runs, bench->sides, most_ns);
    if (!options->quiet)
        find_all_programs(bench, name_on_stderr, error, sizeof error);
    if (open_sides(bench) != UM_OK)
        return um_output_fail("uimon: out of memory", UM_EXIT_FAILED);
    return finish(bench, do_runs(bench));
}

static void close_sides(struct bench *bench)
{
    for (uint32_t i = 0; i < bench->sides; i++) {
        um_bench_host_close(bench->side[i].host);
        um_bench_results_close(bench->side[i].results);
        um_scenario_deinit(&bench->side[i].scenario);
    }
}

static int run_checked(struct bench *bench)
{
    const struct um_options *options = bench->options;
    char error[UM_OPTIONS_ERROR_BYTES] = "";

    enum um_status status = read_scenario(bench, error, sizeof error);
    if (status == UM_OK)
        status = um_compare_report_gate_read(options, &bench->gate, error, sizeof error);
    if (status == UM_OK)
        status = plan_pairs(bench, error, sizeof error);
    if (status == UM_OK)
        status = check_output(options, error, sizeof error);
    if (status != UM_OK)
        return um_output_fail(error, status == UM_ERR_MEMORY ? UM_EXIT_FAILED : UM_EXIT_USAGE);
    if (find_all_programs(bench, name_nothing, error, sizeof error) != UM_OK)
        return um_output_fail(error, UM_EXIT_NO_TARGET);
    if (!um_output_can_write(options->json, "--json", error, sizeof error))
        return um_output_fail(error, UM_EXIT_FAILED);
    return options->dry_run ? dry_run(bench) : run(bench);
}

int um_bench_command_run(struct um_options *options)
{
    struct bench *bench = calloc(1, sizeof *bench);
    if (!bench)
        return um_output_fail("uimon: out of memory", UM_EXIT_FAILED);
    bench->options = options;
    settle_sides(bench);
    int code = run_checked(bench);
    bool interrupted = bench->outcome.interrupted;
    close_sides(bench);
    free(bench);
    return um_compare_report_exit(options, code, interrupted);
}
