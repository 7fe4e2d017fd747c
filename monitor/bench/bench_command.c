#include "monitor/options/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/output.h"
#include "base/platform.h"
#include "base/utf8.h"
#include "monitor/bench/bench_file.h"
#include "monitor/bench/bench_job.h"
#include "monitor/bench/bench_report.h"
#include "monitor/bench/bench_resume.h"
#include "monitor/bench/scenario_describe.h"
#include "monitor/target/target.h"

struct bench {
    struct um_bench_job job;
    struct um_bench_file file;
};

typedef void (*take_program)(struct um_bench_job *job, const struct um_scenario_step *step,
                             const char *path);

/* Calls `take` for each program that the scenario starts, with its whole path.
 * Errors: UM_ERR_NOT_FOUND there is no such program; `error` says so. */
static enum um_status find_programs(struct um_bench_job *job, const struct um_bench_job_side *side,
                                    take_program take, char *error, size_t cap)
{
    char path[UM_PLATFORM_PATH_BYTES];

    for (uint32_t i = 0; i < side->scenario.step_count; i++) {
        const struct um_scenario_step *step = &side->scenario.steps[i];
        if (step->op != UM_SCENARIO_LAUNCH && step->op != UM_SCENARIO_EXEC)
            continue;
        if (um_target->find_program(step->argv[0], path, sizeof path) == UM_OK) {
            take(job, step, path);
            continue;
        }
        snprintf(error, cap, "uimon: %s:%lu: there is no program '%s'; give its whole path",
                 um_utf8_show_path(job->options->files[0]).text, (unsigned long)step->line,
                 um_utf8_show(step->argv[0], 60).text);
        return UM_ERR_NOT_FOUND;
    }
    return UM_OK;
}

/* Adds a program to those that --resume compares. Without memory it is left out. */
static void keep_program(struct um_bench_job *job, const struct um_scenario_step *step,
                         const char *path)
{
    (void)step;
    if (job->options->json)
        um_bench_resume_add_program(job, path);
}

/* The same for all sides; `take` gets a program of both sides twice. */
static enum um_status find_all_programs(struct um_bench_job *job, take_program take, char *error,
                                        size_t cap)
{
    enum um_status status = UM_OK;
    for (uint32_t i = 0; i < job->sides && status == UM_OK; i++)
        status = find_programs(job, &job->side[i], take, error, cap);
    return status;
}

static void name_on_stdout(struct um_bench_job *job, const struct um_scenario_step *step,
                           const char *path)
{
    (void)job;
    printf("line %lu starts ", (unsigned long)step->line);
    um_output_text(stdout, path);
    putchar('\n');
}

static void name_on_stderr(struct um_bench_job *job, const struct um_scenario_step *step,
                           const char *path)
{
    char line[UM_PLATFORM_PATH_BYTES + 32];
    (void)job;
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
             um_utf8_show_path(options->json).text);
    return UM_ERR_ARG;
}

static int dry_run(struct um_bench_job *job)
{
    static const char *const names[] = {"Before:\n", "After:\n"};
    const struct um_options *options = job->options;
    char error[UM_OPTIONS_ERROR_BYTES];
    char plan[UM_BENCH_DURATION_BYTES];

    for (uint32_t i = 0; i < job->sides; i++) {
        const struct um_bench_job_side *side = &job->side[i];
        fputs(job->sides == 2 ? names[i] : "", stdout);
        um_scenario_describe_all(&side->scenario, stdout);
        find_programs(job, side, name_on_stdout, error, sizeof error);
        printf("This was a dry run: nothing was started. A run has %llu steps, repetitions "
               "included, and\nsends %llu inputs. There would be %s%lu runs, %lu of them "
               "rehearsals.\n",
               (unsigned long long)side->scenario.expanded,
               (unsigned long long)side->scenario.inputs, job->until.looks > 0 ? "at most " : "",
               (unsigned long)options->runs + options->rehearsals,
               (unsigned long)options->rehearsals);
    }
    um_bench_job_plan(job, plan);
    printf("In all: %s.\n", plan);
    return UM_EXIT_DONE;
}

/* Prints the results of one side as a table, and what to do with the file. */
static int print_results(const struct um_bench_job *job, const char *text, FILE *out)
{
    const struct um_options *options = job->options;
    struct um_results read = {0};
    char error[UM_OPTIONS_ERROR_BYTES] = "";

    if (options->quiet)
        return UM_EXIT_DONE;
    if (um_results_add(&read, text, strlen(text), job->name, error, sizeof error) == UM_OK)
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
static int print_comparison(const struct um_bench_job *job, const char *text, FILE *out)
{
    struct um_results sides[2] = {{0}, {0}};
    struct um_comparison comparison = {0};
    char error[UM_OPTIONS_ERROR_BYTES] = "";
    int code;

    if (um_bench_job_compare(text, sides, &comparison, error, sizeof error) != UM_OK)
        code = um_output_fail(error, UM_EXIT_FAILED);
    else
        code = um_compare_report_write(job->options, &job->gate, &comparison, NULL, out);
    um_comparison_deinit(&comparison);
    um_results_deinit(&sides[0]);
    um_results_deinit(&sides[1]);
    return code;
}

static void keep_results(void *context)
{
    struct bench *bench = context;
    char *text = bench->file.partial[0] ? um_bench_job_text(&bench->job, true) : NULL;

    um_bench_file_keep(&bench->file, text);
    cJSON_free(text);
}

static int finish(const struct bench *bench, enum um_status status)
{
    const struct um_bench_job *job = &bench->job;
    const struct um_options *options = job->options;
    const struct um_bench_run_outcome *outcome = &job->outcome;
    FILE *out = um_output_is_stdout(options->json) ? stderr : stdout;
    int code = outcome->interrupted ? UM_EXIT_FAILED : (int)um_output_exit_code(status);
    char *text = um_bench_job_text(job, false);

    if (outcome->status != UM_OK)
        fprintf(stderr, "uimon: %s: aborted: %s\n", um_utf8_show_path(options->files[0]).text,
                um_utf8_show(outcome->why, 200).text);
    else if (status != UM_OK || !text)
        fprintf(stderr, "uimon: the results cannot be kept: %s\n", um_status_text(UM_ERR_MEMORY));
    if (text && !um_bench_file_end(&bench->file, text, status == UM_OK))
        code = code == UM_EXIT_DONE ? UM_EXIT_FAILED : code;
    if (text && status == UM_OK) {
        int printed =
            job->sides == 2 ? print_comparison(job, text, out) : print_results(job, text, out);
        code = code == UM_EXIT_DONE ? printed : code;
    }
    cJSON_free(text);
    return text || code != UM_EXIT_DONE ? code : (int)UM_EXIT_FAILED;
}

static int run(struct bench *bench)
{
    struct um_bench_job *job = &bench->job;
    char error[UM_OPTIONS_ERROR_BYTES];
    const struct um_options *options = job->options;

    if (um_bench_job_open(job) != UM_OK)
        return um_output_fail("uimon: out of memory", UM_EXIT_FAILED);
    enum um_status status =
        options->resume ? um_bench_resume_load(job, error, sizeof error) : UM_OK;
    if (status != UM_OK)
        return um_output_fail(error, status == UM_ERR_ARG ? UM_EXIT_USAGE : UM_EXIT_FAILED);
    if (!options->quiet)
        find_all_programs(job, name_on_stderr, error, sizeof error);
    um_bench_file_open(&bench->file, options->json, options->resume != NULL);
    job->kept = keep_results;
    job->kept_context = bench;
    return finish(bench, um_bench_job_run(job));
}

static int run_checked(struct bench *bench, const struct um_options *options)
{
    struct um_bench_job *job = &bench->job;
    char error[UM_OPTIONS_ERROR_BYTES] = "";

    enum um_status status = um_bench_job_read(job, options, error, sizeof error);
    if (status == UM_OK)
        status = check_output(options, error, sizeof error);
    if (status != UM_OK)
        return um_output_fail(error, status == UM_ERR_MEMORY ? UM_EXIT_FAILED : UM_EXIT_USAGE);
    if (find_all_programs(job, keep_program, error, sizeof error) != UM_OK)
        return um_output_fail(error, UM_EXIT_NO_TARGET);
    if (!um_output_can_write(options->json, "--json", error, sizeof error))
        return um_output_fail(error, UM_EXIT_FAILED);
    return options->dry_run ? dry_run(job) : run(bench);
}

int um_bench_command_run(struct um_options *options)
{
    struct bench *bench = calloc(1, sizeof *bench);
    if (!bench)
        return um_output_fail("uimon: out of memory", UM_EXIT_FAILED);
    int code = run_checked(bench, options);
    bool interrupted = bench->job.outcome.interrupted;
    um_bench_job_close(&bench->job);
    free(bench);
    return um_compare_report_exit(options, code, interrupted);
}
