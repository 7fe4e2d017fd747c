/* Files of pairs, and what a comparison makes of them. The texts are golden files:
 * UIMON_GOLDEN=write writes them anew; read them before committing. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_code.h"
#include "base/random.h"
#include "monitor/compare/compare_format.h"
#include "monitor/compare/compare_report.h"
#include "monitor/compare/compare_text.h"
#include "monitor/compare/until.h"
#include "tests/growing_text.h"
#include "tests/written_golden.h"

#define MOST 60
#define KEYS 11

static struct um_results sides[2];
static struct um_comparison comparison;
static struct growing_text file;
static char error[512];

/* A side: of each run the median is `medians[run]`, and the slowest of its 11 keys take `tail`
 * times as long. The measure has one duration, 20 medians. */
static unsigned planned; /* runs, of which `runs` are there; 0: it does not say */

static void put_side(const char *name, const double *medians, unsigned runs, double tail)
{
    growing_text_put(
        &file,
        "\"%s\":{\"schema\":1,\"kind\":\"bench\",\"uimon\":\"0.1.0\",\"defines\":[\"SIDE=%s\"],"
        "\"scenario\":{\"name\":\"notes\",\"crc32\":\"1\"},\"target\":{\"name\":\"%s.exe\"},"
        "\"runs\":[",
        name, name, name);
    for (unsigned run = 0; run < runs; run++) {
        growing_text_put(&file,
                         "%s{\"measures\":[{\"name\":\"typing\",\"duration_ms\":%.9g,"
                         "\"interactions\":[",
                         run ? "," : "", 20 * medians[run]);
        for (int key = 0; key < KEYS; key++)
            growing_text_put(&file, "%s{\"total_ms\":%.9g}", key ? "," : "",
                             key < 5   ? medians[run] / 1.01
                             : key > 8 ? medians[run] * tail
                                       : medians[run]);
        growing_text_put(&file, "]}]}");
    }
    growing_text_put(&file, "]");
    if (planned)
        growing_text_put(&file, ",\"partial_of\":%u", planned);
    growing_text_put(&file, "}");
}

/* Begins a file; `more` are further members, each with a comma behind it. */
static void begin(const char *more)
{
    file.len = 0;
    growing_text_put(&file, "{\"uimon\":\"0.1.0\",\"schema\":2,\"kind\":\"bench\",%s", more);
}

static void make(const double *before, const double *after, unsigned pairs, double tail,
                 const char *more)
{
    begin(more);
    put_side("before", before, pairs, 1.2);
    growing_text_put(&file, ",");
    put_side("after", after, pairs, tail);
    growing_text_put(&file, "}");
}

static void release(void)
{
    um_comparison_deinit(&comparison);
    um_results_deinit(&sides[0]);
    um_results_deinit(&sides[1]);
}

static void teardown(void)
{
    release();
    free(file.text);
}

TestSuite(pairs, .fini = teardown);

static enum um_status load(void)
{
    release();
    error[0] = '\0';
    return um_results_read_pairs(sides, file.text, file.len, "both.json", error, sizeof error);
}

static void compare(const double *before, const double *after, unsigned pairs, double tail,
                    const char *more)
{
    make(before, after, pairs, tail, more);
    cr_assert_eq(load(), UM_OK, "%s", error);
    cr_assert_eq(um_comparison_make(&sides[0], &sides[1], &comparison), UM_OK);
}

static const struct um_compare_result *typing(void)
{
    const struct um_comparison_row *row =
        um_comparison_find(&comparison.measures[0], UM_COMPARISON_TOTAL);
    cr_assert(row && row->compared);
    return &row->result;
}

/* Runs of 40 ms that vary by 2 %, on a machine that becomes slower by a half over the sitting;
 * AFTER takes `factor` times as long. */
static void drift(unsigned pairs, double factor, uint64_t seed, double *before, double *after)
{
    struct um_random random = {seed};
    for (unsigned i = 0; i < pairs; i++) {
        double level = 40 * (1 + 0.5 * i / pairs);
        before[i] = level * (1 + 0.02 * um_random_normal(&random));
        after[i] = factor * level * (1 + 0.02 * um_random_normal(&random));
    }
}

Test(pairs, a_file_is_both_sides)
{
    double before[14], after[14];
    drift(14, 1.1, 1, before, after);
    compare(before, after, 14, 1.2,
            "\"discarded\":2,\"until\":{\"within\":0.05,\"most\":60,\"alpha\":0.05},");
    struct um_until plan;
    cr_assert_eq(um_until_plan(60, 0.05, UM_UNTIL_ALPHA, &plan), UM_OK);
    cr_expect_eq(sides[0].runs, 14);
    cr_expect_eq(sides[1].runs, 14);
    cr_expect_str_eq(sides[1].conditions.defines, "SIDE=after");
    cr_expect(comparison.design.paired);
    cr_expect_eq(sides[0].sitting.discarded, 2);
    double off = comparison.design.level - um_until_level(&plan, 14);
    cr_expect(off >= 0 && off <= 0, "%g", off);
    char text[160];
    snprintf(text, sizeof text,
             "14 pairs in random order, of at most 60; a verdict after these takes p <= %.2g; 2 "
             "more did not finish",
             um_until_level(&plan, 14));
    cr_expect_str_eq(um_compare_format_sitting(&comparison).text, text);
}

/* What was broken off was stopped by no look, so its plan needs none after so many pairs. */
Test(pairs, a_file_that_was_broken_off_is_named_as_partial)
{
    double before[13], after[13];
    struct um_compare_format warning;
    drift(13, 1.1, 1, before, after);
    planned = 60;
    compare(before, after, 13, 1.2,
            "\"discarded\":2,\"until\":{\"within\":0.05,\"most\":60,\"alpha\":0.05},");
    cr_assert(um_compare_format_warning(&comparison, 0, &warning));
    cr_expect_str_eq(warning.text, "the results are partial: 13 of 60 pairs, and then the "
                                   "benchmark was broken off");
    cr_expect(comparison.design.paired && sides[0].sitting.level <= 0);
    planned = 12;
    make(before, after, 13, 1.2, "");
    cr_expect_eq(load(), UM_ERR_FORMAT);
    cr_expect(strstr(error, "partial_of"), "%s", error);
    planned = 0;
}

/* A tenth is found in pairs, although the machine's own drift is five times as large; as two
 * sittings the same numbers show nothing. */
Test(pairs, drift_hides_nothing)
{
    double before[14], after[14];
    drift(14, 1.1, 1, before, after);
    compare(before, after, 14, 1.2, "");
    const struct um_compare_result *result = typing();
    cr_expect_eq(result->verdict, UM_COMPARE_SLOWER, "p = %g", result->test.p);
    cr_expect(result->median.share_low < 0.1 && result->median.share_high > 0.1, "%g to %g",
              result->median.share_low, result->median.share_high);
    cr_expect_gt(result->median.share_low, 0.02);
    sides[0].sitting.paired = false;
    um_comparison_deinit(&comparison);
    cr_assert_eq(um_comparison_make(&sides[0], &sides[1], &comparison), UM_OK);
    cr_expect_eq(typing()->verdict, UM_COMPARE_NO_DIFFERENCE);
}

Test(pairs, p_is_that_of_the_test)
{
    double before[14], after[14], p;
    int sign;
    drift(14, 1.01, 5, before, after);
    compare(before, after, 14, 1.2, "");
    cr_assert_eq(um_paired_test(before, after, 14, UM_PAIRED_AMOUNT, 0, &p, &sign), UM_OK);
    cr_expect_lt(fabs(typing()->test.p - p), 1e-9, "%g and %g", typing()->test.p, p);
}

/* A sitting that may stop early can show that there is no difference worth speaking of. */
Test(pairs, the_same_is_an_answer_of_its_own)
{
    double before[30], after[30];
    drift(30, 1.0, 3, before, after);
    compare(before, after, 30, 1.2, "\"until\":{\"within\":0.2,\"most\":30,\"alpha\":0.05},");
    cr_expect_eq(typing()->verdict, UM_COMPARE_SAME);
    cr_expect(um_comparison_is_settled(&comparison));
    compare(before, after, 30, 1.2, "");
    cr_expect_eq(typing()->verdict, UM_COMPARE_NO_DIFFERENCE);
    cr_expect_not(um_comparison_is_settled(&comparison));
    cr_expect_gt(typing()->runs_needed, 0);
}

Test(pairs, five_are_too_few)
{
    const double before[] = {1, 2, 3, 4, 5, 6}, after[] = {11, 12, 13, 14, 15, 16};
    compare(before, after, 5, 1.2, "");
    cr_expect_eq(typing()->verdict, UM_COMPARE_TOO_FEW);
    cr_expect_str_eq(um_compare_format_verdict(&comparison, &comparison.measures[0]).text,
                     "no verdict from 5 pairs; it takes at least 6");
    compare(before, after, 6, 1.2, "");
    cr_expect_eq(typing()->verdict, UM_COMPARE_SLOWER);
}

/* Same medians, but the slow keys are slower. */
Test(pairs, a_slower_tail_warns)
{
    double before[12], after[12];
    struct um_compare_format warning;
    drift(12, 1.0, 3, before, after);
    compare(before, after, 12, 2, "");
    cr_expect_neq(typing()->verdict, UM_COMPARE_SLOWER);
    cr_assert(um_compare_format_warning(&comparison, 0, &warning));
    cr_expect(strstr(warning.text, "typing: the slowest tenth of total became slower"), "%s",
              warning.text);
    compare(before, after, 12, 1.2, "");
    cr_expect_not(um_compare_format_warning(&comparison, 0, &warning), "%s", warning.text);
}

/* How often a limit of 5 % is called kept, exceeded or neither, where AFTER is slower by `more`. */
static void count_outcomes(double more, unsigned pairs, unsigned tries,
                           unsigned outcomes[UM_LIMITS_OUTCOMES])
{
    for (unsigned i = 0; i < tries; i++) {
        double before[MOST], after[MOST];
        struct um_limits_limit limit;
        struct um_limits_findings findings;
        drift(pairs, 1 + more, 100 + i, before, after);
        compare(before, after, pairs, 1.2, "");
        cr_assert_eq(um_limits_parse("typing=+5%", &limit, error, sizeof error), UM_OK);
        cr_assert_eq(um_limits_check(&limit, 1, &comparison, &findings, error, sizeof error),
                     UM_OK);
        outcomes[findings.list[0].outcome]++;
        um_limits_free(&findings);
    }
}

Test(pairs, limits_are_right)
{
    unsigned kept[UM_LIMITS_OUTCOMES] = {0}, at[UM_LIMITS_OUTCOMES] = {0};
    unsigned over[UM_LIMITS_OUTCOMES] = {0};
    count_outcomes(0.0, 15, 60, kept);
    count_outcomes(0.05, 15, 200, at);
    count_outcomes(0.15, 15, 60, over);
    cr_expect_eq(kept[UM_LIMITS_EXCEEDED], 0);
    cr_expect_eq(over[UM_LIMITS_KEPT], 0);
    cr_expect_gt(kept[UM_LIMITS_KEPT], 0);
    cr_expect_gt(over[UM_LIMITS_EXCEEDED], 0);
    /* At the limit both answers are wrong: 5 % of 200, and two standard deviations more. */
    cr_expect_leq(at[UM_LIMITS_KEPT] + at[UM_LIMITS_EXCEEDED], 16, "%u and %u", at[UM_LIMITS_KEPT],
                  at[UM_LIMITS_EXCEEDED]);
}

/* 10 runs whose test just rejects: 1.960 deviations. To reject in 95 of 100 tries it takes 1.960 +
 * 1.645 of them, which are (3.605 / 1.960)^2 * 10 = 33.8 runs. */
Test(pairs, runs_needed_follow_from_p)
{
    cr_expect_eq(um_compare_runs_for(10, 0.05, 0.05), 34);
    cr_expect_eq(um_compare_runs_for(10, 1.0, 0.05), UM_COMPARE_MOST_RUNS + 1);
}

static void assert_refused(const char *part)
{
    cr_expect_eq(load(), UM_ERR_FORMAT);
    cr_expect(strstr(error, part), "%s", error);
    cr_expect_null(strchr(error, '\n'));
}

Test(pairs, what_is_no_sitting_is_refused)
{
    const double ms[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    make(ms, ms, 9, 1.2, "\"until\":{\"within\":0.05,\"most\":60,\"alpha\":0.05},");
    assert_refused("no look after 9 pairs");
    make(ms, ms, 8, 1.2, "\"until\":{\"within\":0.05,\"most\":1e9,\"alpha\":0.05},");
    assert_refused("\"until\" has no numbers");
    make(ms, ms, 8, 1.2, "\"until\":{\"within\":7,\"most\":60,\"alpha\":0.05},");
    assert_refused("no look after 8 pairs");
    make(ms, ms, 8, 1.2, "\"until\":[],");
    assert_refused("\"until\" has no numbers");
    make(ms, ms, 8, 1.2, "\"discarded\":-1,");
    assert_refused("discarded");
    begin("");
    put_side("before", ms, 9, 1.2);
    growing_text_put(&file, ",");
    put_side("after", ms, 8, 1.2);
    growing_text_put(&file, "}");
    assert_refused("its sides have 9 and 8 runs");
    begin("");
    put_side("before", ms, 9, 1.2);
    growing_text_put(&file, "}");
    assert_refused("this is not a result of");
    file.len = 0;
    growing_text_put(&file, "{\"schema\":1,\"kind\":\"bench\",\"runs\":[{}]}");
    assert_refused("it has one side only");
    make(ms, ms, 8, 1.2, "\"aborted\":\"line 3: gone\",");
    cr_expect_eq(load(), UM_ERR_CLOSED);
    cr_expect(strstr(error, "line 3: gone"), "%s", error);
}

static void assert_golden(const char *name, void (*write)(FILE *, const struct um_compare_text *),
                          const struct um_compare_text *text)
{
    size_t len;
    FILE *out = written_open();
    write(out, text);
    const char *made = written_read(out, &len);
    written_check(name, made, len);
}

Test(pairs, reads_as_in_the_golden_files)
{
    double before[24], after[24];
    struct um_limits_limit limits[3];
    static const char *const texts[] = {"typing=+2%", "typing=+9%", "typing.p90=+40%"};
    struct um_limits_findings findings;
    drift(24, 1.1, 1, before, after);
    compare(before, after, 24, 1.2,
            "\"discarded\":1,\"until\":{\"within\":0.05,\"most\":40,\"alpha\":0.05},");
    for (size_t i = 0; i < 3; i++)
        cr_assert_eq(um_limits_parse(texts[i], &limits[i], error, sizeof error), UM_OK);
    cr_assert_eq(um_limits_check(limits, 3, &comparison, &findings, error, sizeof error), UM_OK);
    const struct um_compare_text text = {&comparison, findings.list, findings.count};
    assert_golden("compare_pairs.txt", um_compare_text_write, &text);
    assert_golden("compare_pairs.md", um_compare_markdown_write, &text);
    um_limits_free(&findings);
}

Test(pairs, exit_codes_for_bisecting)
{
    struct um_options options = {0};
    cr_expect_eq(um_compare_report_exit(&options, UM_EXIT_CANNOT_TELL, false), 6);
    options.bisect = true;
    cr_expect_eq(um_compare_report_exit(&options, UM_EXIT_DONE, false), 0);
    cr_expect_eq(um_compare_report_exit(&options, UM_EXIT_LIMIT, false), 1);
    cr_expect_eq(um_compare_report_exit(&options, UM_EXIT_CANNOT_TELL, false), 125);
    cr_expect_eq(um_compare_report_exit(&options, UM_EXIT_FAILED, false), 125);
    cr_expect_eq(um_compare_report_exit(&options, UM_EXIT_NO_TARGET, false), 125);
    cr_expect_gt(um_compare_report_exit(&options, UM_EXIT_USAGE, false), 127);
    cr_expect_gt(um_compare_report_exit(&options, UM_EXIT_DENIED, false), 127);
}
