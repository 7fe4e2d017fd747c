#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/bench/bench_report.h"
#include "monitor/compare/compare_format.h"
#include "monitor/compare/compare_text.h"
#include "monitor/compare/comparison.h"
#include "monitor/compare/limits.h"
#include "tests/growing_text.h"
#include "tests/json_read.h"
#include "tests/written.h"

#define RUNS 12

/* What a side saw in each of its runs, of keys that took `ms`, and longer the later they came. */
struct seen {
    int injected; /* below 0: an old file, which does not say */
    int keys;
    int painted; /* the first ones of those */
    double ms;
    int given_up;
    int dropped;
};

static struct um_results sides[2];
static struct um_comparison comparison;
static struct um_limits_finding last;
static char error[512];

static struct growing_text file;

/* The file is one of this side. */
static void add_file(struct um_results *side)
{
    cr_assert_eq(um_results_add(side, file.text, file.len, "side", error, sizeof error), UM_OK,
                 "%s", error);
    file.len = 0;
}

static void put_keys(const struct seen *seen, int run)
{
    for (int key = 0; key < seen->keys; key++) {
        double ms = seen->ms * (1 + key / 100.0) + run * 0.1;
        growing_text_put(&file, "%s{\"input_delay_ms\":1,\"processing_ms\":%g", key ? "," : "",
                         ms / 2);
        if (key < seen->painted)
            growing_text_put(&file, ",\"total_ms\":%g", ms);
        growing_text_put(&file, "}");
    }
}

static void make_side(struct um_results *side, const struct seen *seen)
{
    growing_text_put(&file, "{\"schema\":1,\"kind\":\"bench\",\"runs\":[");
    for (int run = 0; run < RUNS; run++) {
        growing_text_put(&file, "%s{", run ? "," : "");
        if (seen->dropped > 0)
            growing_text_put(&file, "\"dropped\":%d,", seen->dropped);
        growing_text_put(&file, "\"measures\":[{\"name\":\"typing\",");
        if (seen->injected >= 0)
            growing_text_put(&file, "\"injected\":%d,", seen->injected);
        if (seen->given_up > 0)
            growing_text_put(&file, "\"given_up\":%d,", seen->given_up);
        growing_text_put(&file, "\"interactions\":[");
        put_keys(seen, run);
        growing_text_put(&file, "]}]}");
    }
    growing_text_put(&file, "]}");
    add_file(side);
}

static void release(void)
{
    um_comparison_deinit(&comparison);
    um_results_deinit(&sides[0]);
    um_results_deinit(&sides[1]);
    free(file.text);
    file = (struct growing_text){.text = NULL};
}

TestSuite(comparison, .fini = release);

static void make(struct seen before, struct seen after)
{
    release();
    make_side(&sides[0], &before);
    make_side(&sides[1], &after);
    cr_assert_eq(um_comparison_make(&sides[0], &sides[1], &comparison), UM_OK);
}

static enum um_compare_verdict verdict_of(enum um_comparison_quantity quantity)
{
    const struct um_comparison_row *row = um_comparison_find(&comparison.measures[0], quantity);
    cr_assert(row && row->compared);
    return row->result.verdict;
}

static const char *summary(void)
{
    static struct um_compare_format text;
    text = um_compare_format_verdict(&comparison, &comparison.measures[0]);
    return text.text;
}

static const char *warning(size_t index)
{
    static struct um_compare_format text;
    return um_compare_format_warning(&comparison, index, &text) ? text.text : "";
}

static enum um_limits_outcome check(const char *text)
{
    struct um_limits_limit limit;
    cr_assert_eq(um_limits_parse(text, &limit, error, sizeof error), UM_OK, "%s", error);
    struct um_limits_findings findings = {0};
    cr_assert_eq(um_limits_check(&limit, 1, &comparison, &findings, error, sizeof error), UM_OK,
                 "%s", error);
    last = findings.list[findings.count - 1];
    um_limits_free(&findings);
    cr_assert_null(strchr(last.line, '\n'));
    return last.outcome;
}

static const struct seen whole = {.injected = 100, .keys = 100, .painted = 100, .ms = 10};

/* The same build, of which only the fastest fifth of the keys was seen. */
static void make_fastest_fifth(void)
{
    struct seen fifth = whole;
    fifth.keys = fifth.painted = 20;
    fifth.given_up = 7;
    make(whole, fifth);
}

Test(comparison, side_without_its_slow_inputs_is_not_faster)
{
    make_fastest_fifth();
    const struct um_comparison_row *total =
        um_comparison_find(&comparison.measures[0], UM_COMPARISON_TOTAL);
    cr_assert_lt(total->result.median.share, -0.15, "shows nothing");
    cr_assert_eq(total->result.verdict, UM_COMPARE_MISSING);
    cr_assert_eq(verdict_of(UM_COMPARISON_PROCESSING), UM_COMPARE_MISSING);
    cr_assert_str_eq(summary(),
                     "no verdict: 960 of 1200 inputs are missing in AFTER (84 given up)");
    cr_assert_str_eq(warning(0), "typing: 960 of 1200 inputs are missing in AFTER (84 given up), "
                                 "and may be the slow ones");
    cr_assert_str_eq(warning(1), "");
}

Test(comparison, side_without_its_slow_inputs_is_not_the_same)
{
    struct seen after = whole;
    after.keys = after.painted = 96;
    make(whole, after);
    cr_assert_eq(verdict_of(UM_COMPARISON_TOTAL), UM_COMPARE_MISSING);
    cr_assert_eq(um_compare_format_needed(&comparison, &comparison.measures[0]).text[0], '\0');
    after.injected = 96;
    make(whole, after);
    cr_assert_eq(verdict_of(UM_COMPARISON_TOTAL), UM_COMPARE_NO_DIFFERENCE, "%s", summary());
    cr_assert_not(comparison.measures[0].rows[0].holds);
}

/* Two of a hundred move the medians by less than the runs differ, whether they were the slowest or
 * the fastest, and on whichever side. */
Test(comparison, two_missing_inputs_of_a_hundred_cannot_turn_no_difference)
{
    static const char holds[] = "The missing inputs could not make it faster or slower, whatever "
                                "they were: 24 of 1200 inputs are missing in ";
    struct seen few = whole;
    few.keys = few.painted = 98;
    make(whole, few);
    cr_assert_eq(verdict_of(UM_COMPARISON_TOTAL), UM_COMPARE_NO_DIFFERENCE, "%s", summary());
    cr_assert(comparison.measures[0].rows[0].holds);
    cr_assert(strstr(um_compare_format_holds(&comparison.measures[0]).text, holds));
    make(few, whole);
    cr_assert_eq(verdict_of(UM_COMPARISON_TOTAL), UM_COMPARE_NO_DIFFERENCE, "%s", summary());
    cr_assert(strstr(um_compare_format_holds(&comparison.measures[0]).text, holds));
}

/* The missing ones of both sides may lie at opposite ends. */
Test(comparison, missing_inputs_of_both_sides_may_be_the_difference)
{
    struct seen few = whole;
    few.keys = few.painted = 98;
    make(few, few);
    cr_assert_eq(verdict_of(UM_COMPARISON_TOTAL), UM_COMPARE_NO_DIFFERENCE, "%s", summary());
    few.keys = few.painted = 94;
    make(few, few);
    cr_assert_eq(verdict_of(UM_COMPARISON_TOTAL), UM_COMPARE_MISSING, "%s", summary());
}

Test(comparison, missing_inputs_excuse_no_slowdown)
{
    struct seen slow = whole;
    slow.keys = slow.painted = 90;
    slow.ms = 20;
    make(whole, slow);
    cr_assert_eq(verdict_of(UM_COMPARISON_TOTAL), UM_COMPARE_SLOWER);
    cr_assert(strstr(summary(), ", of the inputs that were seen"), "%s", summary());
    make(slow, whole); /* and the other way round */
    cr_assert_eq(verdict_of(UM_COMPARISON_TOTAL), UM_COMPARE_FASTER);
    cr_assert(strstr(summary(), ", of the inputs that were seen"), "%s", summary());
}

Test(comparison, slowdown_from_a_side_without_its_slow_inputs_is_none)
{
    struct seen fifth = whole;
    fifth.keys = fifth.painted = 20;
    make(fifth, whole);
    cr_assert_eq(verdict_of(UM_COMPARISON_TOTAL), UM_COMPARE_MISSING);
    cr_assert_str_eq(summary(), "no verdict: 960 of 1200 inputs are missing in BEFORE");
}

/* With the missing ones of BEFORE taken as slower than all, AFTER is twice as slow all the same, or
 * it is not. A file that does not say how many were sent says of how many the total is not
 * known. */
Test(comparison, a_few_missing_inputs_do_not_hide_a_slowdown)
{
    struct seen few = whole;
    struct seen slow = whole;
    few.keys = few.painted = 90;
    slow.ms = 20;
    make(few, slow);
    cr_assert_eq(verdict_of(UM_COMPARISON_TOTAL), UM_COMPARE_SLOWER, "%s", summary());
    cr_assert(strstr(summary(), ", of the inputs that were seen"), "%s", summary());
    make(slow, few);
    cr_assert_eq(verdict_of(UM_COMPARISON_TOTAL), UM_COMPARE_FASTER, "%s", summary());
    few.keys = few.painted = 50; /* the median of each run may be one of those that are missing */
    make(few, slow);
    cr_assert_eq(verdict_of(UM_COMPARISON_TOTAL), UM_COMPARE_MISSING, "%s", summary());
    few.injected = -1;
    few.keys = 100;
    make(few, slow);
    cr_assert_eq(verdict_of(UM_COMPARISON_TOTAL), UM_COMPARE_MISSING, "%s", summary());
    few.painted = 90;
    make(few, slow);
    cr_assert_eq(verdict_of(UM_COMPARISON_TOTAL), UM_COMPARE_SLOWER, "%s", summary());
    cr_assert_eq(verdict_of(UM_COMPARISON_PROCESSING), UM_COMPARE_SLOWER, "%s", summary());
}

/* Ten of a hundred are missing, and the others are slower by a little: the median of BEFORE may be
 * that of AFTER. */
Test(comparison, a_small_slowdown_may_be_missing_inputs)
{
    struct seen few = whole;
    struct seen slow = whole;
    few.keys = few.painted = 90;
    slow.ms = 10.2;
    make(few, slow);
    cr_assert_eq(verdict_of(UM_COMPARISON_TOTAL), UM_COMPARE_MISSING, "%s", summary());
}

Test(comparison, one_percent_may_be_missing_and_is_told)
{
    struct seen fewer = whole;
    fewer.keys = fewer.painted = 99;
    fewer.ms = 5;
    make(whole, fewer);
    cr_assert_eq(verdict_of(UM_COMPARISON_TOTAL), UM_COMPARE_FASTER);
    cr_assert_null(strstr(summary(), "that were seen"), "%s", summary());
    cr_assert(strstr(warning(0), "12 of 1200 inputs are missing in AFTER"), "%s", warning(0));
    cr_assert_eq(check("typing.p90=+5%"), UM_LIMITS_KEPT, "%s", last.line);
    cr_assert_eq(check("typing.max=50ms"), UM_LIMITS_UNCHECKED, "%s", last.line);
}

Test(comparison, old_files_do_not_know_what_is_missing)
{
    struct seen old = whole;
    struct seen fifth = whole;
    old.injected = fifth.injected = -1;
    fifth.keys = fifth.painted = 20;
    make(old, fifth);
    cr_assert_eq(verdict_of(UM_COMPARISON_TOTAL), UM_COMPARE_FASTER);
    cr_assert_str_eq(warning(0), "");
    cr_assert_eq(check("typing.max=50ms"), UM_LIMITS_KEPT, "%s", last.line);
}

/* Painting was observed of the fastest three fifths only. */
Test(comparison, total_of_fewer_inputs_is_not_faster)
{
    struct seen after = whole;
    after.painted = 60;
    make(whole, after);
    cr_assert(comparison.measures[0].painted);
    cr_assert_eq(verdict_of(UM_COMPARISON_TOTAL), UM_COMPARE_MISSING);
    cr_assert_eq(verdict_of(UM_COMPARISON_PROCESSING), UM_COMPARE_NO_DIFFERENCE);
    cr_assert_str_eq(warning(0), "typing: total is known of 100.0 % of the inputs seen in BEFORE "
                                 "and 60.0 % in AFTER");
    cr_assert_str_eq(warning(1), "");
    cr_assert_eq(check("typing=+5%"), UM_LIMITS_UNCHECKED);
    cr_assert(strstr(last.line, "60.0 % in AFTER"), "%s", last.line);
    cr_assert_eq(check("typing=50ms"), UM_LIMITS_UNCHECKED);
    cr_assert_eq(check("typing.processing=+5%"), UM_LIMITS_KEPT, "%s", last.line);
    make(after, whole);
    cr_assert_eq(check("typing=+5%"), UM_LIMITS_UNCHECKED);
    cr_assert_eq(check("typing=50ms"), UM_LIMITS_KEPT, "%s", last.line);
    after.painted = 99; /* as much as may be */
    make(whole, after);
    cr_assert_eq(verdict_of(UM_COMPARISON_TOTAL), UM_COMPARE_NO_DIFFERENCE);
    cr_assert_str_eq(warning(0), "");
}

Test(comparison, limits_on_missing_inputs_cannot_be_checked)
{
    make_fastest_fifth();
    cr_assert_eq(check("typing.p90=+5%"), UM_LIMITS_UNCHECKED);
    cr_assert_str_eq(last.line, "limit cannot be checked: typing.p90: 960 of 1200 inputs are "
                                "missing in AFTER (84 given up)");
    cr_assert_eq(check("typing.p90=1ms"), UM_LIMITS_UNCHECKED);
    struct seen fifth = whole;
    fifth.keys = fifth.painted = 20;
    make(fifth, whole);
    cr_assert_eq(check("typing.p90=+5%"), UM_LIMITS_UNCHECKED);
    cr_assert(strstr(last.line, "missing in BEFORE"), "%s", last.line);
    cr_assert_eq(check("typing.p90=50ms"), UM_LIMITS_KEPT, "%s", last.line);
}

Test(comparison, inputs_of_others_and_lost_records_are_told)
{
    struct seen before = whole;
    struct seen after = whole;
    before.dropped = 3;
    after.injected = 99;
    make(before, after);
    cr_assert_str_eq(warning(0), "36 records were lost while BEFORE was measured: some of its "
                                 "numbers are missing");
    cr_assert_str_eq(warning(1), "typing: 12 inputs came in AFTER that uimon did not send");
    cr_assert_str_eq(warning(2), "");
}

/* What a writer of the comparison writes. Owner: static. */
static char *written(void (*write)(FILE *, const struct um_compare_text *))
{
    const struct um_compare_text text = {.comparison = &comparison};
    FILE *out = written_open();
    write(out, &text);
    return written_read(out, NULL);
}

Test(comparison, text_and_markdown_warn_of_missing_inputs)
{
    make_fastest_fifth();
    char *plain = written(um_compare_text_write);
    char *markdown = written(um_compare_markdown_write);
    cr_assert(strstr(plain, "  Warning: typing: 960 of 1200"), "%s", plain);
    cr_assert_null(strstr(plain, "faster"), "%s", plain);
    cr_assert(strstr(markdown, "- **Warning:** typing: 960 of 1200"), "%s", markdown);
    cr_assert(strstr(markdown, "| inputs missing |"), "%s", markdown);
    cr_assert_null(strstr(markdown, "faster"), "%s", markdown);
}

Test(comparison, json_has_the_conditions_of_both_sides)
{
    static const char *const keys[] = {"heartbeat_ms", "rest_heartbeat_ms", "threshold_ms",
                                       "slow_ms"};
    char *json = NULL;
    make_fastest_fifth();
    for (int i = 0; i < 2; i++) {
        struct um_results_conditions *at = &sides[i].conditions;
        double *values[] = {&at->heartbeat_ms, &at->rest_heartbeat_ms, &at->threshold_ms,
                            &at->slow_ms};
        for (int k = 0; k < 4; k++)
            *values[k] = 10 * i + k + 1;
    }
    const struct um_compare_text text = {.comparison = &comparison};
    cr_assert_eq(um_compare_json(&text, &json), UM_OK);
    cJSON *root = cJSON_Parse(json);
    for (int k = 0; k < 4; k++) {
        char path[64];
        snprintf(path, sizeof path, "before.%s", keys[k]);
        cr_expect_eq(json_number(root, path), k + 1, "%s", path);
        snprintf(path, sizeof path, "after.%s", keys[k]);
        cr_expect_eq(json_number(root, path), 10 + k + 1, "%s", path);
    }
    cJSON_Delete(root);
    cJSON_free(json);
}

Test(comparison, json_has_the_inputs)
{
    char *json = NULL;
    make_fastest_fifth();
    const struct um_compare_text text = {.comparison = &comparison};
    cr_assert_eq(um_compare_json(&text, &json), UM_OK);
    cJSON *root = cJSON_Parse(json);
    cr_assert_eq(json_size(root, "warnings"), 1);
    cr_assert_str_eq(json_text(root, "measures.0.verdict"), "inputs missing");
    cr_assert_eq(json_number(root, "measures.0.inputs_after.injected"), 1200);
    cr_assert_eq(json_number(root, "measures.0.inputs_after.missing"), 960);
    cr_assert_eq(json_number(root, "measures.0.inputs_after.given_up"), 84);
    cJSON_Delete(root);
    cJSON_free(json);
}

static char *report(const struct um_results *results)
{
    FILE *out = written_open();
    cr_assert_eq(um_bench_report_write(out, results), UM_OK);
    return written_read(out, NULL);
}

Test(comparison, table_of_a_benchmark_says_what_was_not_seen)
{
    struct seen after = whole;
    after.keys = after.painted = 99;
    after.given_up = 1;
    after.dropped = 1;
    make(whole, after);
    char *all = report(&sides[0]);
    char *some = report(&sides[1]);
    cr_assert_null(strstr(all, "inputs seen"), "%s", all);
    cr_assert_null(strstr(all, "lost"), "%s", all);
    cr_assert(strstr(some, "1188 of 1200 inputs seen, 12 given up"), "%s", some);
    cr_assert(strstr(some, "12 records were lost"), "%s", some);
}

/* A side of 6 runs with a freeze each, `felt` of which held up keys. */
static void make_frozen(struct um_results *side, int felt, bool known)
{
    growing_text_put(&file, "{\"schema\":1,\"kind\":\"bench\",\"runs\":[");
    for (int run = 0; run < 6; run++) {
        growing_text_put(&file,
                         "%s{\"measures\":[{\"name\":\"typing\",\"duration_ms\":%d,\"freezes\":["
                         "{\"duration_ms\":200",
                         run ? "," : "", 1000 + run);
        if (known)
            growing_text_put(&file, ",\"held_up\":{\"keys\":%d,\"clicks\":0,\"wheel\":0}",
                             run < felt ? 3 : 0);
        growing_text_put(&file, "}]}]}");
    }
    growing_text_put(&file, "]}");
    add_file(side);
}

Test(comparison, says_how_many_freezes_were_felt)
{
    make_frozen(&sides[0], 4, true);
    make_frozen(&sides[1], 0, false);
    cr_assert_eq(um_comparison_make(&sides[0], &sides[1], &comparison), UM_OK);
    char *plain = written(um_compare_text_write);
    cr_expect(strstr(plain, "\n  6 freezes before, 4 felt; 6 freezes after, not known how many "
                            "felt\n"),
              "%s", plain);
    char *markdown = written(um_compare_markdown_write);
    cr_expect(strstr(markdown, " In all runs: 6 freezes before, 4 felt; "), "%s", markdown);
    make(whole, whole);
    cr_expect_str_eq(um_compare_format_felt(&comparison.measures[0]).text, "");
}

/* A program that never gets idle is judged by the last step that it reached. */
Test(comparison, startup_until_ready_is_compared)
{
    static const char text[] = "{\"schema\":1,\"kind\":\"bench\",\"runs\":[{\"startup\":{"
                               "\"first_window_ms\":100,\"first_ready_ms\":250}}]}";
    struct um_limits_limit limit;
    for (int i = 0; i < 2; i++)
        cr_assert_eq(um_results_add(&sides[i], text, strlen(text), "s", error, sizeof error),
                     UM_OK);
    cr_assert_eq(um_comparison_make(&sides[0], &sides[1], &comparison), UM_OK);
    const struct um_comparison_row *row = um_comparison_headline(&comparison.measures[0]);
    cr_assert_eq(row->quantity, UM_COMPARISON_READY);
    cr_assert_eq(um_limits_parse("startup.ready=200ms", &limit, error, sizeof error), UM_OK);
    cr_assert_eq(limit.quantity, UM_COMPARISON_READY);
    cr_assert_eq(check("startup.ready.max=200ms"), UM_LIMITS_EXCEEDED, "%s", last.line);
    char *table = report(&sides[0]);
    cr_assert(strstr(table, "process start to ready"), "%s", table);
}

/* A side of 6 runs with a window each, and `ms` until idle in the first `idle` of them. */
static void make_startups(struct um_results *side, int idle, double ms)
{
    growing_text_put(&file, "{\"schema\":1,\"kind\":\"bench\",\"runs\":[");
    for (int run = 0; run < 6; run++) {
        growing_text_put(&file, "%s{\"startup\":{\"first_window_ms\":%d", run ? "," : "",
                         100 + run);
        if (run < idle)
            growing_text_put(&file, ",\"first_idle_ms\":%g", ms + run);
        growing_text_put(&file, "}}");
    }
    growing_text_put(&file, "]}");
    add_file(side);
}

static void write_json(FILE *out, const struct um_compare_text *text)
{
    char *json = NULL;
    cr_assert_eq(um_compare_json(text, &json), UM_OK);
    fputs(json, out);
    cJSON_free(json);
}

static void assert_written(void (*write)(FILE *, const struct um_compare_text *),
                           const char *wanted)
{
    char *made = written(write);
    cr_expect(strstr(made, wanted), "no '%s' in %s", wanted, made);
}

Test(comparison, table_of_a_benchmark_says_how_seldom_idle_was_seen)
{
    make_startups(&sides[0], 2, 300);
    make_startups(&sides[1], 3, 300);
    char *seldom = report(&sides[0]);
    char *often = report(&sides[1]);
    cr_expect(strstr(seldom, "\n    idle was seen in 2 of 6 runs: "), "%s", seldom);
    cr_expect_null(strstr(often, "idle was seen"), "%s", often);
}

/* What is written of the idle of 6 runs a side, seen in so many of them; and a limit on it. */
static void assert_rare(int before, int after, const char *seen)
{
    char line[200];
    release();
    make_startups(&sides[0], before, 300);
    make_startups(&sides[1], after, 600);
    cr_assert_eq(um_comparison_make(&sides[0], &sides[1], &comparison), UM_OK);
    const struct um_comparison_measure *startup = &comparison.measures[0];
    const struct um_comparison_row *row = um_comparison_find(startup, UM_COMPARISON_IDLE);
    cr_assert(row);
    cr_expect_not(row->compared);
    cr_expect_eq(um_comparison_headline(startup)->quantity, UM_COMPARISON_WINDOW);
    snprintf(line, sizeof line, "  idle: %s; not compared\n", seen);
    assert_written(um_compare_text_write, line);
    snprintf(line, sizeof line, "| startup | idle | | | | | | | %s; not compared |\n", seen);
    assert_written(um_compare_markdown_write, line);
    snprintf(line, sizeof line, "\"not_compared\":\t\"%s\"", seen);
    assert_written(write_json, line);
    snprintf(line, sizeof line, "limit cannot be checked: startup.idle.p50: %s", seen);
    cr_expect_eq(check("startup.idle=+5%"), UM_LIMITS_UNCHECKED, "%s", last.line);
    if (before > 0 && after > 0)
        cr_expect_str_eq(last.line, line);
}

Test(comparison, a_time_of_the_startup_that_most_runs_lack_is_not_compared)
{
    assert_rare(1, 5, "seen in 1 of 6 runs before, 5 of 6 after");
    cr_expect_neq(check("startup.idle=700ms"), UM_LIMITS_UNCHECKED, "AFTER has enough");
    assert_rare(6, 2, "seen in 6 of 6 runs before, 2 of 6 after");
    cr_expect_eq(check("startup.idle=700ms"), UM_LIMITS_UNCHECKED, "%s", last.line);
    assert_rare(0, 6, "seen in 0 of 6 runs before, 6 of 6 after");
}

Test(comparison, a_time_of_the_startup_that_half_of_the_runs_have_is_compared)
{
    make_startups(&sides[0], 3, 300);
    make_startups(&sides[1], 4, 600);
    cr_assert_eq(um_comparison_make(&sides[0], &sides[1], &comparison), UM_OK);
    const struct um_comparison_row *row =
        um_comparison_find(&comparison.measures[0], UM_COMPARISON_IDLE);
    cr_assert(row && row->compared);
    cr_expect_float_eq(row->result.median.after, 601.5, 1e-9);
    cr_expect_str_eq(um_compare_format_rare(row).text, "");
}

Test(comparison, a_startup_of_one_side_is_told_as_such)
{
    make_side(&sides[0], &whole);
    make_startups(&sides[1], 1, 600);
    cr_assert_eq(um_comparison_make(&sides[0], &sides[1], &comparison), UM_OK);
    assert_written(um_compare_text_write, "startup: only in AFTER");
    char *made = written(um_compare_text_write);
    cr_expect_null(strstr(made, "not compared"), "%s", made);
}

/* A side of 6 runs with --layout, `ms` a layout frame in the first `seen` of them. */
static void make_layouts(struct um_results *side, int seen, double ms)
{
    growing_text_put(&file, "{\"schema\":1,\"kind\":\"bench\",\"options\":{\"layout\":true},"
                            "\"runs\":[");
    for (int run = 0; run < 6; run++) {
        growing_text_put(&file, "%s{\"measures\":[{\"name\":\"a\",\"duration_ms\":1}],",
                         run ? "," : "");
        if (run < seen)
            growing_text_put(&file, "\"layout\":{\"frames\":9,\"frame_ms\":%g}}", ms + run / 100.0);
        else
            growing_text_put(&file, "\"layout\":{\"frames\":0}}");
    }
    growing_text_put(&file, "]}");
    add_file(side);
}

static const struct um_comparison_measure *compare_layouts(int before, double ms_before, int after,
                                                           double ms_after)
{
    release();
    make_layouts(&sides[0], before, ms_before);
    make_layouts(&sides[1], after, ms_after);
    cr_assert_eq(um_comparison_make(&sides[0], &sides[1], &comparison), UM_OK);
    cr_assert_eq(comparison.measure_count, 2);
    cr_assert_str_eq(comparison.measures[1].name, "layout", "it comes last");
    return &comparison.measures[1];
}

Test(comparison, layout_of_runs_is_a_measure_with_a_verdict)
{
    const struct um_comparison_row *row = um_comparison_headline(compare_layouts(6, 3, 6, 4));
    cr_assert(row && row->quantity == UM_COMPARISON_LAYOUT_FRAME);
    cr_expect_eq(row->result.verdict, UM_COMPARE_SLOWER);
    cr_expect_float_eq(row->result.median.difference, 1, 1e-9);
    cr_expect_eq(check("layout.frame=+5%"), UM_LIMITS_EXCEEDED, "%s", last.line);
    cr_expect_eq(check("layout.frame=5ms"), UM_LIMITS_KEPT, "%s", last.line);
    assert_written(um_compare_text_write, "\nlayout: slower by ");
    assert_written(um_compare_markdown_write, "| layout, frame | 3.0");
    assert_written(write_json, "\"verdict_of\":\t\"frame\"");
    assert_written(write_json, "\"layout\":\ttrue");
    row = um_comparison_headline(compare_layouts(6, 4, 6, 3));
    cr_expect_eq(row->result.verdict, UM_COMPARE_FASTER);
    row = um_comparison_headline(compare_layouts(6, 3, 6, 3));
    cr_expect_eq(row->result.verdict, UM_COMPARE_NO_DIFFERENCE);
}

/* A run without a layout frame has no value, which is not 0. */
Test(comparison, layout_that_most_runs_have_not_seen_is_not_compared)
{
    const struct um_comparison_measure *layout = compare_layouts(6, 3, 2, 3);
    cr_expect_null(um_comparison_headline(layout));
    assert_written(um_compare_text_write,
                   "  frame: seen in 6 of 6 runs before, 2 of 6 after; not compared\n");
    char *table = report(&sides[1]);
    cr_expect(strstr(table, "    no layout frame was seen in 4 of 6 runs\n"), "%s", table);
    table = report(&sides[0]);
    cr_expect(strstr(table, "    layout of a layout frame "), "%s", table);
    cr_expect_null(strstr(table, "no layout frame"), "%s", table);
    layout = compare_layouts(0, 3, 0, 3);
    cr_expect_eq(layout->row_count, 0);
    assert_written(um_compare_text_write, "\nlayout: nothing was measured on both sides\n\n");
}
