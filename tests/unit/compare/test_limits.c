#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "monitor/compare/compare_report.h"
#include "monitor/compare/limits.h"

static struct um_results sides[2];
static struct um_comparison comparison;
static char error[512];
static struct um_limits_finding last;
static int findings;
static double step = 0.01; /* ms by which each run is slower than the one before */
static int lacking;        /* keys of a run whose total was not observed */

/* A side of `runs` runs: typing takes `typing` ms and a little more in each run, its slowest fifth
 * `slowest` ms; and startup. */
static void make_side(struct um_results *side, int runs, double typing, double slowest)
{
    static char text[65536];
    size_t len = (size_t)snprintf(text, sizeof text, "{\"schema\":1,\"kind\":\"bench\",\"runs\":[");
    for (int run = 0; run < runs; run++) {
        double more = step * run;
        len += (size_t)snprintf(text + len, sizeof text - len,
                                "%s{\"startup\":{\"first_idle_ms\":%g},\"measures\":[{\"name\":"
                                "\"typing\",\"duration_ms\":1000,\"interactions\":[",
                                run ? "," : "", 300 + more);
        for (int key = 0; key < lacking; key++)
            len += (size_t)snprintf(text + len, sizeof text - len, "{},");
        for (int key = lacking; key < 10; key++)
            len += (size_t)snprintf(text + len, sizeof text - len, "%s{\"total_ms\":%g}",
                                    key > lacking ? "," : "", (key < 8 ? typing : slowest) + more);
        len += (size_t)snprintf(text + len, sizeof text - len, "]}]}");
    }
    snprintf(text + len, sizeof text - len, "]}");
    memset(side, 0, sizeof *side);
    cr_assert_eq(um_results_add(side, text, strlen(text), "side", error, sizeof error), UM_OK, "%s",
                 error);
}

static void compare_sides(void)
{
    cr_assert_eq(um_comparison_make(&sides[0], &sides[1], &comparison), UM_OK);
}

/* Typing went from 10 to 11 ms, its slowest keys from 20 to 30. */
static void make_slower(void)
{
    make_side(&sides[0], 6, 10, 20);
    make_side(&sides[1], 6, 11, 30);
    compare_sides();
}

static void release(void)
{
    um_comparison_deinit(&comparison);
    um_results_deinit(&sides[0]);
    um_results_deinit(&sides[1]);
}

static enum um_status check(const char *text)
{
    struct um_limits_limit limit;
    findings = 0;
    error[0] = '\0';
    cr_assert_eq(um_limits_parse(text, &limit, error, sizeof error), UM_OK, "%s", error);
    struct um_limits_findings found = {0};
    enum um_status status = um_limits_check(&limit, 1, &comparison, &found, error, sizeof error);
    findings = (int)found.count;
    if (findings > 0)
        last = found.list[found.count - 1];
    um_limits_free(&found);
    return status;
}

static void assert_outcome(const char *text, enum um_limits_outcome outcome)
{
    cr_assert_eq(check(text), UM_OK, "%s: %s", text, error);
    cr_assert_eq(findings, 1);
    cr_assert_eq(last.outcome, outcome, "%s: %s", text, last.line);
    cr_assert_null(strchr(last.line, '\n'));
}

static void assert_parsed(const char *text, const char *measure,
                          enum um_comparison_quantity quantity, enum um_compare_statistic statistic,
                          enum um_limits_bound bound, double value)
{
    struct um_limits_limit limit;
    cr_assert_eq(um_limits_parse(text, &limit, error, sizeof error), UM_OK, "%s", error);
    cr_assert_str_eq(limit.measure, measure);
    cr_assert_eq(limit.quantity, quantity, "%s", text);
    cr_assert_eq(limit.statistic, statistic, "%s", text);
    cr_assert_eq(limit.bound, bound, "%s", text);
    cr_assert(limit.value >= value && limit.value <= value, "%s: %g", text, limit.value);
}

static void assert_refused(const char *text, const char *part)
{
    struct um_limits_limit limit;
    cr_assert_eq(um_limits_parse(text, &limit, error, sizeof error), UM_ERR_ARG, "'%s'", text);
    cr_assert(strstr(error, part), "%s", error);
    cr_assert_null(strpbrk(error, "\n\x1b"));
}

Test(limits, reads_the_grammar)
{
    assert_parsed("typing=50ms", "typing", UM_COMPARISON_TOTAL, UM_COMPARE_P50, UM_LIMITS_ABSOLUTE,
                  50);
    assert_parsed("typing.p90=+5%", "typing", UM_COMPARISON_TOTAL, UM_COMPARE_P90,
                  UM_LIMITS_MORE_PERCENT, 5);
    assert_parsed("typing.delay.p98=+2ms", "typing", UM_COMPARISON_DELAY, UM_COMPARE_P98,
                  UM_LIMITS_MORE_MS, 2);
    assert_parsed(" startup.idle = + 10 % ", "startup", UM_COMPARISON_IDLE, UM_COMPARE_P50,
                  UM_LIMITS_MORE_PERCENT, 10);
    assert_parsed("*.max=1.5s", "*", UM_COMPARISON_TOTAL, UM_COMPARE_MAX, UM_LIMITS_ABSOLUTE, 1500);
    assert_parsed("my.measure.beats=0ms", "my.measure", UM_COMPARISON_BEATS, UM_COMPARE_P50,
                  UM_LIMITS_ABSOLUTE, 0);
    /* Words that are names of measures, because nothing stands before them. */
    assert_parsed("total.p90=1ms", "total", UM_COMPARISON_TOTAL, UM_COMPARE_P90, UM_LIMITS_ABSOLUTE,
                  1);
    assert_parsed("p90=1ms", "p90", UM_COMPARISON_TOTAL, UM_COMPARE_P50, UM_LIMITS_ABSOLUTE, 1);
}

Test(limits, refuses_what_it_does_not_understand)
{
    static const char *const bounds[] = {
        "typing=",     "typing=5",     "typing=5%",    "typing=-5%",     "typing=ms",
        "typing=+ms",  "typing=5 m s", "typing=0x5ms", "typing=1.2.3ms", "typing=nanms",
        "typing=1e3s", "typing=+5%%",  "typing=++5%",  "typing=5MS",
    };
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++)
        assert_refused(bounds[i], "after the '='");
    assert_refused("", "write a limit as");
    assert_refused("typing.p90", "write a limit as");
    assert_refused("=5ms", "write a limit as");
    assert_refused(".p90=5ms\x1b[2J", "after the '='");
}

Test(limits, absolute_limits_look_at_after, .init = make_slower, .fini = release)
{
    assert_outcome("typing.p50=11.2ms", UM_LIMITS_KEPT);
    assert_outcome("typing.p50=10.9ms", UM_LIMITS_EXCEEDED);
    cr_assert_str_eq(last.line, "limit exceeded: typing.p50: 11.03 ms, limit 10.9 ms, p = 0.031");
    assert_outcome("typing.max=25ms", UM_LIMITS_EXCEEDED);
    cr_assert_str_eq(last.line, "limit exceeded: typing.max: 30.05 ms, limit 25 ms");
    /* Half of the runs are above it. */
    assert_outcome("typing.p50=11.025ms", UM_LIMITS_CANNOT_TELL);
    assert_outcome("typing.max=1s", UM_LIMITS_KEPT);
}

Test(limits, relative_limits_need_a_real_difference, .init = make_slower, .fini = release)
{
    assert_outcome("typing=+5%", UM_LIMITS_EXCEEDED);
    assert_outcome("typing=+15%", UM_LIMITS_KEPT);
    assert_outcome("typing=+0.5ms", UM_LIMITS_EXCEEDED);
    assert_outcome("typing=+2ms", UM_LIMITS_KEPT);
    assert_outcome("typing.p90=+40%", UM_LIMITS_EXCEEDED);
    assert_outcome("startup.idle=+5%", UM_LIMITS_KEPT);
    assert_outcome("startup.idle=+0%", UM_LIMITS_CANNOT_TELL); /* it is at the limit */
    cr_assert(strstr(last.line, "more than 1000 runs"), "%s", last.line);
}

/* Three of six runs after are slower by a tenth: over the limit, but chance makes that too. */
static void make_doubtful(void)
{
    make_side(&sides[0], 6, 10, 20);
    make_side(&sides[1], 6, 10, 20);
    struct um_compare_group *group = &sides[1].measures[1].groups[UM_RESULTS_PAINTED];
    for (size_t i = 0; i < group->len; i++)
        group->values[i].value *= group->values[i].run % 2 ? 1.2 : 0.999;
    um_compare_sort(group);
    compare_sides();
}

Test(limits, chance_neither_fails_a_gate_nor_passes_it, .init = make_doubtful, .fini = release)
{
    assert_outcome("typing.mean=+5%", UM_LIMITS_CANNOT_TELL);
    assert_outcome("typing.mean=+50%", UM_LIMITS_KEPT);
}

/* What the Mann-Whitney test says of 6 against 6 runs that all lie on one side: 2 of the 924 ways
 * to divide them. It takes 0.05 / 23 = 0.00217 to be sure of it among 23 limits, but not among 24.
 * */
Test(limits, many_limits_share_the_chance_of_a_mistake, .init = make_slower, .fini = release)
{
    struct um_limits_limit limits[24];
    for (size_t count = 23; count <= 24; count++) {
        struct um_limits_findings found = {0};
        for (size_t i = 0; i < count; i++)
            cr_assert_eq(um_limits_parse("typing=+5%", &limits[i], error, sizeof error), UM_OK);
        cr_assert_eq(um_limits_check(limits, count, &comparison, &found, error, sizeof error),
                     UM_OK);
        cr_assert_eq(found.outcomes[UM_LIMITS_EXCEEDED], count == 23 ? 23 : 0);
        cr_assert_eq(found.outcomes[UM_LIMITS_CANNOT_TELL], count == 23 ? 0 : 24);
        um_limits_free(&found);
    }
}

/* Holm's procedure: the second one is asked less than the first. */
Test(limits, the_surest_is_asked_most, .init = make_slower, .fini = release)
{
    struct um_limits_limit limits[2];
    struct um_limits_findings found = {0};
    /* p is 2/924 and, by the sign test of 6 runs, 2/64 = 0.031: over a half of 0.05, but not over
     * all of it. */
    cr_assert_eq(um_limits_parse("typing=10.9ms", &limits[0], error, sizeof error), UM_OK);
    cr_assert_eq(um_limits_parse("typing=+5%", &limits[1], error, sizeof error), UM_OK);
    cr_assert_eq(um_limits_check(limits, 2, &comparison, &found, error, sizeof error), UM_OK);
    cr_assert_eq(found.outcomes[UM_LIMITS_EXCEEDED], 2);
    um_limits_free(&found);
    limits[1] = limits[0];
    cr_assert_eq(um_limits_check(limits, 2, &comparison, &found, error, sizeof error), UM_OK);
    cr_assert_eq(found.outcomes[UM_LIMITS_CANNOT_TELL], 2);
    um_limits_free(&found);
}

/* Only the slow keys became slower: what a limit on p90 is there for. */
static void make_slower_tail(void)
{
    make_side(&sides[0], 6, 10, 20);
    make_side(&sides[1], 6, 10, 30);
    compare_sides();
}

Test(limits, statistic_of_the_limit_is_tested, .init = make_slower_tail, .fini = release)
{
    assert_outcome("typing.p50=+1%", UM_LIMITS_KEPT);
    assert_outcome("typing.p90=+20%", UM_LIMITS_EXCEEDED);
}

static void make_few(void)
{
    make_side(&sides[0], 3, 10, 20);
    make_side(&sides[1], 6, 100, 200);
    compare_sides();
}

Test(limits, too_few_runs_tell_nothing, .init = make_few, .fini = release)
{
    assert_outcome("typing=+5%", UM_LIMITS_CANNOT_TELL);
    cr_assert_str_eq(
        last.line, "cannot tell: typing.p50: 3 runs are too few; it takes at least 4 of each side");
    assert_outcome("typing=50ms", UM_LIMITS_EXCEEDED); /* of AFTER there are 6 */
}

static void make_zero(void)
{
    step = 0;
    make_side(&sides[0], 15, 0, 20);
    make_side(&sides[1], 15, 1, 20);
    compare_sides();
}

/* No number of runs would tell whether something is 5 % more than nothing. */
Test(limits, a_share_of_zero_cannot_be_checked, .init = make_zero, .fini = release)
{
    assert_outcome("typing=+5%", UM_LIMITS_UNCHECKED);
    cr_expect(strstr(last.line, "it is 0 ms in BEFORE"), "%s", last.line);
    assert_outcome("typing=+2ms", UM_LIMITS_KEPT);
    assert_outcome("typing=0.5ms", UM_LIMITS_EXCEEDED);
    assert_outcome("typing.p90=+5%", UM_LIMITS_KEPT);
}

Test(limits, star_is_every_measure, .init = make_slower, .fini = release)
{
    cr_assert_eq(check("*.duration=+5%"), UM_OK);
    cr_assert_eq(findings, 1);
    cr_assert_eq(check("*.p90=+5%"), UM_OK);
    cr_assert_eq(findings, 1); /* startup has no total */
    cr_assert_eq(last.outcome, UM_LIMITS_EXCEEDED);
    cr_assert_eq(check("*.presentation=5ms"), UM_ERR_NOT_FOUND);
}

static void assert_unknown(const char *text, const char *part)
{
    cr_assert_eq(check(text), UM_ERR_NOT_FOUND, "%s", text);
    cr_assert_eq(findings, 0);
    cr_assert(strstr(error, part), "%s", error);
    cr_assert_null(strchr(error, '\n'));
}

Test(limits, misspelt_names_are_told, .init = make_slower, .fini = release)
{
    assert_unknown("tping.p90=+5%", "there is no measure 'tping'; did you mean 'typing'?");
    assert_unknown("typing.p9=+5%", "typing has no 'p9'; did you mean 'p90'?");
    assert_unknown("typing.dely.p90=+5%", "typing has no 'dely'; did you mean 'delay'?");
    assert_unknown("typing.presentation=+5%", "typing has no 'presentation'; there are total");
    assert_unknown("startup=+5%", "startup has no 'total'; there is idle");
}

static void make_lacking(void)
{
    make_side(&sides[0], 6, 10, 20);
    lacking = 1;
    make_side(&sides[1], 6, 10, 20);
    lacking = 0;
    compare_sides();
}

static bool is_settled(const char *text)
{
    static struct um_compare_report_gate gate;
    bool settled = false;
    gate.count = 1;
    cr_assert_eq(um_limits_parse(text, &gate.limits[0], error, sizeof error), UM_OK, "%s", error);
    cr_assert_eq(um_compare_report_settled(&gate, &comparison, &settled, error, sizeof error),
                 UM_OK, "%s", error);
    return settled;
}

/* One key of ten lacks its total: with more runs it may be one of a thousand. A limit on max waits
 * for nothing, because one missing input is enough. */
Test(limits, a_sitting_waits_for_a_limit_that_more_runs_may_decide, .init = make_lacking,
     .fini = release)
{
    assert_outcome("typing=50ms", UM_LIMITS_UNCHECKED);
    cr_expect_not(is_settled("typing=50ms"));
    cr_expect_not(is_settled("typing=+50%"));
    assert_outcome("typing.max=50ms", UM_LIMITS_UNCHECKED);
    cr_expect(is_settled("typing.max=50ms"));
    assert_outcome("startup.idle=5s", UM_LIMITS_KEPT);
    cr_expect(is_settled("startup.idle=5s"));
    assert_outcome("startup.idle=300.025ms", UM_LIMITS_CANNOT_TELL);
    cr_expect_not(is_settled("startup.idle=300.025ms"));
}

static void make_alike(void)
{
    make_side(&sides[0], 6, 10, 20);
    make_side(&sides[1], 6, 9.9999, 20);
    compare_sides();
}

/* As in the table above it: a change that rounds to 0 is +0. */
Test(limits, a_change_of_nothing_has_no_minus, .init = make_alike, .fini = release)
{
    assert_outcome("typing=+50%", UM_LIMITS_KEPT);
    cr_expect(strstr(last.line, "(+0.0 %, limit +50 %)"), "%s", last.line);
    assert_outcome("typing=+5ms", UM_LIMITS_KEPT);
    cr_expect(strstr(last.line, "(+0.00 ms, limit +5 ms)"), "%s", last.line);
}

/* A measure that vanished must not pass because nothing is left to look at. */
static void make_vanished(void)
{
    make_side(&sides[0], 4, 10, 20);
    make_side(&sides[1], 4, 10, 20);
    strcpy(sides[1].measures[1].name, "other");
    compare_sides();
}

Test(limits, vanished_measure_is_not_kept, .init = make_vanished, .fini = release)
{
    assert_outcome("typing.p90=+5%", UM_LIMITS_UNCHECKED);
    assert_outcome("typing.p90=50ms", UM_LIMITS_UNCHECKED);
    cr_assert(is_settled("typing.p90=50ms"), "more runs would not bring it back");
    assert_outcome("other.p90=+5%", UM_LIMITS_UNCHECKED);
    cr_assert(strstr(last.line, "not measured in BEFORE"), "%s", last.line);
    assert_outcome("*.p90=+5%", UM_LIMITS_UNCHECKED); /* typing; the new one is nobody's */
}
