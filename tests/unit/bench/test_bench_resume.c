/* What a benchmark that was broken off leaves, and who may go on with it. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "base/plain/clock.h"
#include "monitor/bench/bench_resume.h"
#include "monitor/compare/results.h"
#include "tests/written.h"

static char path[] = "/tmp/uimon-resume-XXXXXX";
static char program[] = "/tmp/uimon-program-XXXXXX";
static struct um_options options;
static struct um_bench_job old, now;
static char error[UM_OPTIONS_ERROR_BYTES];
static const char *aborted; /* what `old` was aborted by */

static void open_job(struct um_bench_job *job, uint32_t sides)
{
    *job = (struct um_bench_job){.options = &options, .sides = sides, .crc32 = 7, .seed = 99};
    for (uint32_t i = 0; i < sides; i++)
        cr_assert_eq(um_bench_results_open(false, &job->side[i].results), UM_OK);
    cr_assert_eq(um_bench_resume_add_program(job, program), UM_OK);
}

static void close_job(struct um_bench_job *job)
{
    for (uint32_t i = 0; i < job->sides; i++)
        um_bench_results_close(job->side[i].results);
    cJSON_Delete(job->programs);
}

static void begin(void)
{
    close(mkstemp(path));
    close(mkstemp(program));
    written_put(program, "build 1");
    aborted = NULL;
    options = (struct um_options){.runs = 5, .heartbeat_ms = 20, .resume = path, .json = "x.json"};
}

static void end(void)
{
    close_job(&old);
    close_job(&now);
    unlink(path);
    unlink(program);
}

TestSuite(bench_resume, .init = begin, .fini = end);

static void run(struct um_bench_job *job, uint32_t side)
{
    struct um_bench_results *results = job->side[side].results;
    const struct um_bench_results_measure measure = {
        .name = "typing", .start_ns = 2, .end_ns = 3000000, .settled_ns = 3000000};
    um_bench_results_begin(results, 1, 1700000000000);
    cr_assert_eq(um_bench_results_measure(results, &measure), UM_OK);
    cr_assert_eq(um_bench_results_end(results, true), UM_OK);
    job->sitting.pairs = um_bench_results_runs(results);
}

static char *side_text(const struct um_bench_job *job, uint32_t side, const cJSON *resume)
{
    char *text = NULL;
    const struct um_bench_results_header header = {.scenario_name = "s",
                                                   .target = "demo.exe",
                                                   .options = &options,
                                                   .partial_of = options.runs,
                                                   .resume = resume,
                                                   .aborted = aborted};
    cr_assert_eq(um_bench_results_json(job->side[side].results, &header, &text), UM_OK);
    return text;
}

/* Leaves what `old` has, as a benchmark that is killed now would. */
static void leave(void)
{
    cJSON *resume = um_bench_resume_object(&old);
    char *sides[2] = {side_text(&old, 0, old.sides == 1 ? resume : NULL)}, *text = sides[0];
    if (old.sides == 2) {
        const struct um_bench_results_sitting sitting = {.sat = &old.sitting, .resume = resume};
        sides[1] = side_text(&old, 1, NULL);
        cr_assert_eq(um_bench_results_pairs_json(&sitting, (const char *const *)sides, &text),
                     UM_OK);
        cJSON_free(sides[0]);
        cJSON_free(sides[1]);
    }
    written_put(path, text);
    cJSON_free(text);
    cJSON_Delete(resume);
}

static enum um_status load(void)
{
    error[0] = '\0';
    return um_bench_resume_load(&now, error, sizeof error);
}

static void leave_two_runs(void)
{
    open_job(&old, 1);
    run(&old, 0);
    run(&old, 0);
    leave();
}

Test(bench_resume, runs_are_taken_over)
{
    leave_two_runs();
    open_job(&now, 1);
    now.seed = 1;
    cr_assert_eq(load(), UM_OK, "%s", error);
    cr_expect_eq(um_bench_results_runs(now.side[0].results), 2);
    cr_expect_eq(now.sitting.pairs, 2);
    cr_expect_eq(now.seed, 99, "the order goes on as it was drawn");
    cr_expect_str_eq(now.side[0].target, "demo.exe");
    char *before = side_text(&old, 0, NULL), *after = side_text(&now, 0, NULL);
    cr_expect_str_eq(after, before);
    cJSON_free(before);
    cJSON_free(after);
}

Test(bench_resume, what_is_left_can_be_compared_and_says_that_it_is_partial)
{
    struct um_results results = {0};
    leave_two_runs();
    cr_assert_eq(um_results_read_file(&results, false, path, error, sizeof error), UM_OK, "%s",
                 error);
    cr_expect_eq(results.runs, 2);
    cr_expect_eq(results.planned, 5);
    um_results_deinit(&results);
}

/* What was measured of the run that was aborted stands behind them. */
Test(bench_resume, a_run_that_did_not_finish_is_made_again)
{
    open_job(&old, 1);
    for (int i = 0; i < 3; i++)
        run(&old, 0);
    old.sitting.pairs = 2;
    aborted = "line 7: interrupted";
    options.runs = 3;
    leave();
    open_job(&now, 1);
    cr_assert_eq(load(), UM_OK, "%s", error);
    cr_expect_eq(um_bench_results_runs(now.side[0].results), 2);
    cr_expect_eq(now.sitting.pairs, 2);
}

/* It was aborted in the rehearsals of --resume. */
Test(bench_resume, an_aborted_one_of_finished_runs_keeps_them_all)
{
    aborted = "line 7: interrupted";
    leave_two_runs();
    open_job(&now, 1);
    cr_assert_eq(load(), UM_OK, "%s", error);
    cr_expect_eq(now.sitting.pairs, 2);
}

static void forget_finished(void)
{
    char *text = written_file(path, NULL);
    char *at = strstr(text, "\"finished\"");
    cr_assert(at != NULL);
    at[1] = 'F'; /* another member */
    written_put(path, text);
}

Test(bench_resume, of_an_older_file_the_last_run_counts_unless_it_was_aborted)
{
    leave_two_runs();
    forget_finished();
    open_job(&now, 1);
    cr_assert_eq(load(), UM_OK, "%s", error);
    cr_expect_eq(now.sitting.pairs, 2);
    close_job(&now);
    aborted = "line 7: interrupted";
    leave();
    forget_finished();
    open_job(&now, 1);
    cr_assert_eq(load(), UM_OK, "%s", error);
    cr_expect_eq(now.sitting.pairs, 1);
}

Test(bench_resume, pairs_keep_their_order)
{
    open_job(&old, 2);
    for (int pair = 0; pair < 3; pair++) {
        run(&old, 0);
        run(&old, 1);
    }
    old.sitting.pairs = 3;
    old.sitting.discarded = 2;
    old.sitting.after_first[1] = true;
    leave();
    open_job(&now, 2);
    cr_assert_eq(load(), UM_OK, "%s", error);
    cr_expect_eq(now.sitting.pairs, 3);
    cr_expect_eq(now.sitting.discarded, 2);
    cr_expect(!now.sitting.after_first[0] && now.sitting.after_first[1] &&
              !now.sitting.after_first[2]);
    cr_expect_eq(um_bench_results_runs(now.side[1].results), 3);
}

static void expect_refusal(const char *why)
{
    cr_expect_eq(load(), UM_ERR_ARG);
    cr_expect(strstr(error, why) && !strchr(error, '\n'), "%s: %s", why, error);
    cr_expect_eq(um_bench_results_runs(now.side[0].results), 0);
}

Test(bench_resume, what_would_be_another_benchmark_is_refused)
{
    leave_two_runs();
    open_job(&now, 1);
    now.crc32 = 8;
    expect_refusal("with another scenario");
    now.crc32 = 7;
    options.heartbeat_ms = 10;
    expect_refusal("with another --heartbeat");
    options.heartbeat_ms = 20;
    options.runs = 6;
    expect_refusal("with another --runs");
    options.runs = 5;
    options.layout = UM_WIRE_LAYOUT_MODE_COMPONENTS;
    expect_refusal("with another --layout");
    options.layout = UM_WIRE_LAYOUT_MODE_OFF;
    options.defines = (struct um_options_list){{"A=b"}, 1};
    expect_refusal("with another --define");
    options.defines.count = 0;
    cr_assert_eq(load(), UM_OK, "%s", error);
    close_job(&now);
    written_put(program, "build 2");
    open_job(&now, 1);
    expect_refusal("other builds");
}

Test(bench_resume, what_was_finished_has_nothing_to_go_on_with)
{
    leave_two_runs();
    open_job(&now, 1);
    options.runs = 2;
    leave();
    expect_refusal("none is left");
    char *text = side_text(&old, 0, NULL);
    written_put(path, text);
    cJSON_free(text);
    expect_refusal("no results of a benchmark that was broken off");
    written_put(path, "{\"kind\":");
    expect_refusal("no results of a benchmark that was broken off");
    unlink(path);
    cr_expect_eq(load(), UM_ERR_NOT_FOUND);
}
