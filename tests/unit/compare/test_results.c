#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "monitor/compare/results.h"

static struct um_results results;
static char error[512];

#define HEAD                                                                                       \
    "{\"uimon\":\"0.1.0\",\"schema\":1,\"kind\":\"bench\",\"options\":{\"heartbeat_ms\":10},"

static enum um_status add(const char *text)
{
    error[0] = '\0';
    return um_results_add(&results, text, strlen(text), "after.json", error, sizeof error);
}

static void release(void)
{
    um_results_deinit(&results);
}

TestSuite(results, .fini = release);

static void assert_refused(const char *text, enum um_status status, const char *part)
{
    enum um_status got = add(text);
    um_results_deinit(&results);
    cr_assert_eq(got, status, "%s: %s", um_status_text(got), error);
    cr_assert_eq(strncmp(error, "uimon: after.json: ", 19), 0, "%s", error);
    cr_assert(strstr(error, part), "%s", error);
    cr_assert_null(strpbrk(error, "\r\n\x1b"));
}

static const struct um_compare_group *group(const char *measure, enum um_results_series series)
{
    const struct um_results_measure *found = um_results_find(&results, measure);
    cr_assert(found, "no %s", measure);
    return &found->groups[series];
}

static void assert_values(const char *measure, enum um_results_series series, size_t len,
                          const double *values, const uint32_t *runs)
{
    const struct um_compare_group *found = group(measure, series);
    cr_assert_eq(found->len, len, "%zu values", found->len);
    for (size_t i = 0; i < len; i++) {
        cr_assert_lt(fabs(found->values[i].value - values[i]), 1e-9, "%g is not %g",
                     found->values[i].value, values[i]);
        cr_assert_eq(found->values[i].run, runs[i]);
    }
}

Test(results, reads_every_quantity)
{
    cr_assert_eq(add(HEAD
                     "\"runs\":[{\"startup\":{\"first_window_ms\":100,"
                     "\"first_ready_ms\":200,\"first_idle_ms\":300},"
                     "\"measures\":[{\"name\":\"typing\",\"duration_ms\":900,\"interactions\":["
                     "{\"kind\":\"key\",\"input_delay_ms\":1,\"processing_ms\":2,"
                     "\"presentation_ms\":4,\"total_ms\":7},"
                     "{\"kind\":\"key\",\"input_delay_ms\":-0.5,\"processing_ms\":3}],"
                     "\"beats_ms\":[0.1,0.3,0.2],\"freezes\":[{\"duration_ms\":120},"
                     "{\"duration_ms\":130}]}],"
                     "\"layout\":{\"frames\":5,\"lost\":1,\"layout_ms\":10,\"frame_ms\":2}}]}"),
                 UM_OK, "%s", error);
    const uint32_t first[3] = {0, 0, 0};
    assert_values("typing", UM_RESULTS_DELAY, 2, (double[]){-0.5, 1}, first);
    assert_values("typing", UM_RESULTS_PROCESSING, 2, (double[]){2, 3}, first);
    assert_values("typing", UM_RESULTS_PRESENTATION, 1, (double[]){4}, first);
    assert_values("typing", UM_RESULTS_PAINTED, 1, (double[]){7}, first);
    assert_values("typing", UM_RESULTS_HANDLED, 2, (double[]){2.5, 3}, first);
    assert_values("typing", UM_RESULTS_DURATION, 1, (double[]){900}, first);
    assert_values("typing", UM_RESULTS_BEATS, 3, (double[]){0.1, 0.2, 0.3}, first);
    assert_values("typing", UM_RESULTS_FREEZES, 1, (double[]){250}, first);
    assert_values("startup", UM_RESULTS_WINDOW, 1, (double[]){100}, first);
    assert_values("startup", UM_RESULTS_READY, 1, (double[]){200}, first);
    assert_values("startup", UM_RESULTS_IDLE, 1, (double[]){300}, first);
    assert_values("startup", UM_RESULTS_PAINT, 0, NULL, NULL);
    assert_values("layout", UM_RESULTS_LAYOUT_FRAME, 1, (double[]){2}, first);
}

Test(results, runs_of_several_files_follow_one_another)
{
    static const char file[] =
        HEAD "\"runs\":[{\"measures\":[{\"name\":\"a\",\"duration_ms\":5,\"freezes\":[]},"
             "{\"name\":\"a\",\"duration_ms\":6,\"freezes\":[{\"duration_ms\":1}]}]},"
             "{\"measures\":[{\"name\":\"a\",\"duration_ms\":1,\"freezes\":[]}]}]}";
    cr_assert_eq(add(file), UM_OK, "%s", error);
    cr_assert_eq(add(file), UM_OK, "%s", error);
    cr_assert_eq(results.files, 2);
    cr_assert_eq(results.runs, 4);
    cr_assert_eq(results.mixed, 0);
    assert_values("a", UM_RESULTS_DURATION, 6, (double[]){1, 1, 5, 5, 6, 6},
                  (uint32_t[]){1, 3, 0, 2, 0, 2});
    /* The sum of a run, and a run without a freeze counts as one. */
    assert_values("a", UM_RESULTS_FREEZES, 4, (double[]){0, 0, 1, 1}, (uint32_t[]){1, 3, 0, 2});
    cr_assert_eq(group("a", UM_RESULTS_FREEZES)->runs, 4);
}

/* A run with one too many does not hide what another one lacks. */
Test(results, inputs_are_counted_for_each_measure_of_a_run)
{
    static const char file[] =
        HEAD "\"runs\":[{\"dropped\":2,\"measures\":[{\"name\":\"a\",\"injected\":3,\"given_up\":2,"
             "\"interactions\":[{}]},{\"name\":\"a\",\"injected\":1,\"interactions\":[{},{}]}]},"
             "{\"dropped\":5,\"measures\":[{\"name\":\"a\",\"interactions\":[{},{},{}]},"
             "{\"name\":\"b\",\"interactions\":[{}]}]}]}";
    cr_assert_eq(add(file), UM_OK, "%s", error);
    const struct um_results_inputs *a = &um_results_find(&results, "a")->inputs;
    const struct um_results_inputs *b = &um_results_find(&results, "b")->inputs;
    cr_assert_eq(a->injected, 4);
    cr_assert_eq(a->missing, 2);
    cr_assert_eq(a->extra, 1);
    cr_assert_eq(a->given_up, 2);
    cr_assert_eq(um_results_find(&results, "a")->interactions, 6);
    cr_assert_eq(b->injected + b->missing + b->extra + b->given_up, 0); /* not known */
    cr_assert_eq(results.dropped, 7);
}

/* A click of the user among the keys makes up for none of them. A file of an older uimon may call
 * keys given up that were seen later. */
Test(results, sent_and_extra_inputs_are_those_seen_and_missing)
{
    static const char file[] =
        HEAD "\"runs\":[{\"measures\":[{\"name\":\"a\",\"injected\":3,\"given_up\":2,"
             "\"interactions\":[{},{}]}]},{\"measures\":[{\"name\":\"b\",\"injected\":4,"
             "\"given_up\":9,\"interactions\":[{}]}]}]}";
    cr_assert_eq(add(file), UM_OK, "%s", error);
    const struct um_results_inputs *a = &um_results_find(&results, "a")->inputs;
    const struct um_results_inputs *b = &um_results_find(&results, "b")->inputs;
    cr_assert(a->injected == 3 && a->missing == 2 && a->extra == 1 && a->given_up == 2);
    cr_assert(b->injected == 4 && b->missing == 4 && b->extra == 1 && b->given_up == 4);
}

Test(results, broken_counts_are_refused_with_their_place)
{
    assert_refused(HEAD "\"runs\":[{\"measures\":[{\"name\":\"a\",\"injected\":-1}]}]}",
                   UM_ERR_FORMAT, "run 1, measure 1: injected is not a count");
    assert_refused(HEAD "\"runs\":[{\"measures\":[{\"name\":\"a\",\"given_up\":1.5}]}]}",
                   UM_ERR_FORMAT, "given_up is not a count");
    assert_refused(HEAD "\"runs\":[{\"dropped\":1e999}]}", UM_ERR_FORMAT,
                   "run 1: dropped is not a count");
}

/* A freeze of 35 ms kept three beats from being sent: 25, 15 and 5 ms later ones... of which those
 * of at least a period count, as in HdrHistogram. */
Test(results, beats_are_corrected_for_coordinated_omission)
{
    cr_assert_eq(add(HEAD "\"runs\":[{\"measures\":[{\"name\":\"a\",\"beats_ms\":[35]}]}]}"),
                 UM_OK);
    assert_values("a", UM_RESULTS_BEATS, 3, (double[]){15, 25, 35}, (uint32_t[]){0, 0, 0});
}

Test(results, what_cannot_be_compared_is_refused)
{
    assert_refused("", UM_ERR_FORMAT, "not JSON");
    assert_refused("{\"schema\":1", UM_ERR_FORMAT, "not JSON");
    assert_refused("[]", UM_ERR_FORMAT,
                   "not a result of `uimon bench`, which writes one with --json");
    assert_refused("{\"uimon\":\"0.1.0\",\"schema\":1,\"beats\":{}}", UM_ERR_FORMAT,
                   "not a result");
    assert_refused("{\"schema\":3,\"kind\":\"bench\",\"runs\":[]}", UM_ERR_VERSION, "schema 3");
    assert_refused("{\"schema\":2,\"kind\":\"bench\",\"runs\":[]}", UM_ERR_FORMAT, "both sides");
    assert_refused(HEAD "\"runs\":[]}", UM_ERR_CLOSED, "no run");
    assert_refused(HEAD "\"aborted\":\"the foreground was lost\",\"runs\":[{}]}", UM_ERR_CLOSED,
                   "aborted (the foreground was lost)");
}

Test(results, broken_numbers_are_refused_with_their_place)
{
    assert_refused(HEAD "\"runs\":[{},{\"measures\":[{\"name\":\"a\",\"duration_ms\":\"x\"}]}]}",
                   UM_ERR_FORMAT, "run 2, measure 1: duration_ms");
    assert_refused(HEAD "\"runs\":[{\"measures\":[{\"name\":\"a\",\"beats_ms\":[1e999]}]}]}",
                   UM_ERR_FORMAT, "beat");
    assert_refused(HEAD "\"runs\":[{\"measures\":[{\"name\":\"a\",\"beats_ms\":[null]}]}]}",
                   UM_ERR_FORMAT, "beat");
    assert_refused(HEAD "\"runs\":[{\"startup\":{\"first_idle_ms\":1e30}}]}", UM_ERR_FORMAT,
                   "run 1, startup: first_idle_ms");
    assert_refused(HEAD "\"runs\":[{\"measures\":[{\"duration_ms\":1}]}]}", UM_ERR_FORMAT, "name");
    assert_refused(HEAD "\"runs\":[7]}", UM_ERR_FORMAT, "run 1");
}

/* A beat of a day at a heartbeat of a millisecond would stand for 86 million. */
Test(results, memory_is_bounded)
{
    assert_refused("{\"schema\":1,\"kind\":\"bench\",\"options\":{\"heartbeat_ms\":1},"
                   "\"runs\":[{\"measures\":[{\"name\":\"a\",\"beats_ms\":[86400000]}]}]}",
                   UM_ERR_TOO_LARGE, "values");
}

Test(results, names_cannot_send_commands_to_the_terminal)
{
    cr_assert_eq(
        add(HEAD "\"runs\":[{\"measures\":[{\"name\":\"a\\u001b[2J\",\"duration_ms\":1}]}]}"),
        UM_OK);
    cr_assert_null(strchr(results.measures[0].name, '\x1b'));
}

Test(results, conditions_that_differ_are_told)
{
    struct um_results_conditions a = {.heartbeat_ms = 10, .threshold_ms = NAN, .slow_ms = 50};
    snprintf(a.scenario_crc, sizeof a.scenario_crc, "00000001");
    snprintf(a.machine, sizeof a.machine, "one");
    struct um_results_conditions b = a;
    cr_assert_eq(um_results_differences(&a, &b), 0);
    b.threshold_ms = 100; /* unknown on the other side */
    b.machine[0] = '\0';
    cr_assert_eq(um_results_differences(&a, &b), 0);
    snprintf(a.beat, sizeof a.beat, "zero"); /* unknown too */
    cr_assert_eq(um_results_differences(&a, &b), 0);
    snprintf(b.beat, sizeof b.beat, "pair");
    cr_assert_eq(um_results_differences(&a, &b), UM_RESULTS_OTHER_OPTIONS);
    b.beat[0] = '\0';
    b.layout = true;
    cr_assert_eq(um_results_differences(&a, &b), UM_RESULTS_OTHER_OPTIONS);
    b.heartbeat_ms = 5;
    b.scenario_crc[0] = '7';
    cr_assert_eq(um_results_differences(&a, &b),
                 UM_RESULTS_OTHER_OPTIONS | UM_RESULTS_OTHER_SCENARIO);
}

/* Files of older versions do not say it; these had no --layout. */
Test(results, layout_is_off_unless_the_file_says_it_is_on)
{
    cr_assert_eq(add(HEAD "\"runs\":[{\"measures\":[]}]}"), UM_OK, "%s", error);
    cr_expect_not(results.conditions.layout);
    cr_assert_eq(
        add("{\"schema\":1,\"kind\":\"bench\",\"options\":{\"layout\":true},\"runs\":[{}]}"), UM_OK,
        "%s", error);
    cr_expect_eq(results.mixed, UM_RESULTS_OTHER_OPTIONS);
}

Test(results, layout_frame_that_is_no_time_is_refused)
{
    assert_refused(HEAD "\"runs\":[{\"layout\":{\"frame_ms\":\"x\"}}]}", UM_ERR_FORMAT,
                   "run 1, layout: frame_ms is not a time");
}

Test(results, file_that_is_not_there)
{
    cr_assert_eq(um_results_read_file(&results, false, "/nowhere/x.json", error, sizeof error),
                 UM_ERR_NOT_FOUND);
    cr_assert(strstr(error, "there is no such file"), "%s", error);
}
