/* What limits may name, by the scenario alone. The quantities that each measure gets are those of
 * docs/benchmarks.md: a measure without input has no time of inputs. */
#include <criterion/criterion.h>
#include <string.h>

#include "monitor/bench/scenario_measures.h"

static struct um_scenario scenario;
static struct um_limits_measure list[UM_LIMITS_NAMES_MOST];
static char error[UM_LIMITS_ERROR_BYTES];

static size_t read_measures(const char *text, bool layout)
{
    um_scenario_deinit(&scenario);
    cr_assert_eq(
        um_scenario_parse(text, strlen(text), "f.uimon", NULL, 0, &scenario, error, sizeof error),
        UM_OK, "%s", error);
    return um_scenario_measures_list(&scenario, layout, list);
}

static void release(void)
{
    um_scenario_deinit(&scenario);
}

static void assert_has(const struct um_limits_measure *measure, const char *name,
                       const char *quantities)
{
    cr_assert_str_eq(measure->name, name);
    for (int i = 0; i < UM_COMPARISON_QUANTITIES; i++) {
        bool has = measure->quantities >> i & 1;
        const char *quantity = um_comparison_quantity_name((enum um_comparison_quantity)i);
        cr_expect_eq(has, strstr(quantities, quantity) != NULL, "%s.%s", name, quantity);
    }
}

TestSuite(scenario_measures, .fini = release);

Test(scenario_measures, has_each_block_and_what_uimon_makes_itself)
{
    cr_assert_eq(read_measures("launch a.exe\n"
                               "measure opening {\n  wait-idle 500\n}\n"
                               "repeat 3 {\n  measure typing {\n    repeat 2 {\n"
                               "      key ENTER\n    }\n  }\n}\n",
                               true),
                 4);
    assert_has(&list[0], "startup", "window paint ready idle");
    assert_has(&list[1], "opening", "duration beats freezes");
    assert_has(&list[2], "typing", "total delay processing presentation duration beats freezes");
    assert_has(&list[3], "layout", "frame");
}

Test(scenario_measures, has_no_startup_where_nothing_is_started)
{
    cr_assert_eq(read_measures("attach notepad\nmeasure a {\n  wheel -3\n}\n", false), 1);
    assert_has(&list[0], "a", "total delay processing presentation duration beats freezes");
}

/* Inputs count whoever sends them. */
Test(scenario_measures, a_program_that_is_started_may_send_input)
{
    cr_assert_eq(read_measures("attach notepad\nmeasure a {\n  exec typist.exe\n}\n", false), 1);
    assert_has(&list[0], "a", "total delay processing presentation duration beats freezes");
}

Test(scenario_measures, one_measure_may_stand_in_two_places)
{
    cr_assert_eq(read_measures("attach notepad\nmeasure a {\n  sleep 5\n}\nkey A\n"
                               "measure a {\n  menu \"File\"\n}\n",
                               false),
                 1);
    assert_has(&list[0], "a", "total delay processing presentation duration beats freezes");
}

static enum um_status check(const char *text)
{
    struct um_limits_limit limit;
    const struct um_limits_names names = {list, um_scenario_measures_list(&scenario, false, list),
                                          " in the scenario"};
    error[0] = '\0';
    cr_assert_eq(um_limits_parse(text, &limit, error, sizeof error), UM_OK, "%s", error);
    return um_limits_check_names(&limit, &names, error, sizeof error);
}

static void assert_refused(const char *text, const char *line)
{
    cr_expect_eq(check(text), UM_ERR_NOT_FOUND, "%s", text);
    cr_expect_str_eq(error, line);
}

Test(scenario_measures, limits_are_checked_by_their_names)
{
    read_measures("launch a.exe\nmeasure opening {\n  sleep 5\n}\nmeasure typing {\n"
                  "  type \"abc\"\n}\n",
                  false);
    cr_expect_eq(check("typing.p90=50ms"), UM_OK, "%s", error);
    cr_expect_eq(check("startup.idle=+5%"), UM_OK, "%s", error);
    cr_expect_eq(check("*.p90=+5%"), UM_OK, "%s", error);
    assert_refused("typng.p90=50ms",
                   "uimon: --fail-over typng.p90=50ms: there is no measure 'typng' in the "
                   "scenario; did you mean 'typing'? (there are startup, opening, typing)");
    assert_refused("typing.p9=50ms",
                   "uimon: --fail-over typing.p9=50ms: typing has no 'p9'; did you mean 'p90'? "
                   "(there are total, delay, processing, presentation, duration, beats, freezes, "
                   "window, paint, ready, idle, frame, p50, p75, p90, p95, p98, p99, max, mean)");
    assert_refused("opening.p90=50ms",
                   "uimon: --fail-over opening.p90=50ms: opening has no 'total' in the scenario; "
                   "there are duration, beats, freezes");
    assert_refused("startup=1s", "uimon: --fail-over startup=1s: startup has no 'total' in the "
                                 "scenario; there are window, paint, ready, idle");
    assert_refused("*.frame=+5%",
                   "uimon: --fail-over *.frame=+5%: no measure in the scenario has a 'frame'");
    assert_refused("layout.frame=+5%",
                   "uimon: --fail-over layout.frame=+5%: there is no measure 'layout' in the "
                   "scenario (there are startup, opening, typing); --layout makes it");
}
