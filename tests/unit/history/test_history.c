/* A history from results to lines and back, and files that are not as they should be. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "monitor/compare/results.h"
#include "monitor/history/divisive.h"
#include "monitor/history/history.h"
#include "monitor/history/history_changes.h"
#include "monitor/history/history_line.h"
#include "tests/history_lines.h"

static struct growing_text lines;
static struct um_history history;

static void teardown(void)
{
    um_history_deinit(&history);
    free(lines.text);
}

TestSuite(history, .fini = teardown);

static void read_lines(void)
{
    um_history_deinit(&history);
    cr_assert_eq(um_history_read(lines.text ? lines.text : "", lines.len, NULL, &history), UM_OK);
}

static const struct um_history_series *find(size_t track, const char *measure, const char *name)
{
    cr_assert_lt(track, history.track_count);
    for (size_t i = 0; i < history.tracks[track].series_count; i++) {
        const struct um_history_series *series = &history.tracks[track].series[i];
        if (strcmp(series->measure, measure) == 0 &&
            strcmp(um_history_series_name(series), name) == 0)
            return series;
    }
    cr_assert_fail("no %s %s", measure, name);
    return NULL;
}

static const char *label_of(size_t track, size_t commit)
{
    cr_assert_lt(commit, history.tracks[track].commit_count);
    return history.tracks[track].commits[commit].label;
}

static void assert_ms(double got, double expected)
{
    cr_assert_lt(fabs(got - expected), 1e-9, "%.9g is not %.9g", got, expected);
}

/* Makes the line of these results and appends it. */
static void add_results(const char *text, const char *label)
{
    struct um_results results = {0};
    char error[512];
    char *line;
    cr_assert_eq(um_results_add(&results, text, strlen(text), "r.json", error, sizeof error), UM_OK,
                 "%s", error);
    cr_assert_eq(um_history_line_make(&results, label, NULL, &line), UM_OK);
    cr_assert_null(strchr(line, '\n'));
    cr_assert_eq(strncmp(line, UM_HISTORY_HEAD, strlen(UM_HISTORY_HEAD)), 0, "%s", line);
    growing_text_put(&lines, "%s\n", line);
    cJSON_free(line);
    um_results_deinit(&results);
}

#define RESULTS(runs)                                                                              \
    "{\"uimon\":\"0.1.0\",\"schema\":1,\"kind\":\"bench\",\"started\":\"2026-11-21T12:45:34Z\","   \
    "\"scenario\":{\"name\":\"edit\",\"crc32\":\"e68102d7\"},\"target\":{\"name\":\"a.exe\"},"     \
    "\"machine\":{\"name\":\"VM\",\"system\":\"Wine 8.0\"},\"runs\":[" runs "]}"
#define RUN(times)                                                                                 \
    "{\"measures\":[{\"name\":\"typing\",\"injected\":3,\"interactions\":[" times "]}]}"
#define KEY(delay, processing)                                                                     \
    "{\"kind\":\"key\",\"input_delay_ms\":" #delay ",\"processing_ms\":" #processing "}"

/* The medians of the runs are 3, 5, 7 and 21: their median is 6, and their quartiles are 4 and
 * 14. */
Test(history, keeps_the_median_and_the_quartiles_of_the_medians_of_runs)
{
    add_results(RESULTS(RUN(KEY(1, 2) "," KEY(1, 1) "," KEY(1, 90)) "," RUN(
                    KEY(1, 4) "," KEY(1, 4) "," KEY(1, 5)) "," RUN(KEY(1, 6)) "," RUN(KEY(1, 20))),
                "4f2a91c");
    read_lines();
    cr_assert_eq(history.lines, 1);
    const struct um_history_track *track = &history.tracks[0];
    cr_expect_str_eq(track->machine, "VM");
    cr_expect_str_eq(track->scenario, "edit");
    cr_expect_str_eq(track->scenario_crc, "e68102d7");
    cr_expect_str_eq(track->commits[0].label, "4f2a91c");
    cr_expect_str_eq(track->commits[0].time, "2026-11-21T12:45:34Z");
    cr_expect_str_eq(track->commits[0].uimon, "0.1.0");
    cr_expect_str_eq(track->commits[0].system, "Wine 8.0");
    cr_expect_str_eq(track->commits[0].target, "a.exe");
    const struct um_history_series *handled = find(0, "typing", "handled");
    cr_assert_eq(handled->len, 1);
    assert_ms(handled->points[0].median, 6);
    assert_ms(handled->points[0].low, 4);
    assert_ms(handled->points[0].high, 14);
    cr_expect_eq(handled->points[0].runs, 4);
    cr_expect(handled->points[0].misses, "4 of 12 inputs are missing");
    assert_ms(find(0, "typing", "delay")->points[0].median, 1);
    assert_ms(find(0, "typing", "processing")->points[0].median, 5);
}

Test(history, results_of_one_run_have_no_spread)
{
    add_results(RESULTS(RUN(KEY(1, 2) "," KEY(1, 2) "," KEY(1, 2))), "a");
    read_lines();
    const struct um_history_point *point = &find(0, "typing", "handled")->points[0];
    assert_ms(point->low, 3);
    assert_ms(point->median, 3);
    assert_ms(point->high, 3);
    cr_expect_not(point->misses);
}

Test(history, results_without_a_measure_make_no_line)
{
    struct um_results results = {0};
    char *line = NULL;
    cr_expect_eq(um_history_line_make(&results, "a", NULL, &line), UM_ERR_NOT_FOUND);
    cr_expect_null(line);
}

Test(history, a_label_that_comes_again_takes_the_place_of_the_first)
{
    history_lines_add(&lines, "a", 10);
    history_lines_add(&lines, "b", 20);
    history_lines_add(&lines, "c", 30);
    history_lines_add(&lines, "a", 11);
    history_lines_add(&lines, "b", 22);
    read_lines();
    cr_assert_eq(history.tracks[0].commit_count, 3);
    const struct um_history_series *total = find(0, "typing", "total");
    cr_assert_eq(total->len, 3);
    for (size_t i = 0; i < 3; i++) {
        cr_expect_eq(total->points[i].commit, i);
        assert_ms(total->points[i].median, i < 2 ? 11.0 * (double)(i + 1) : 30);
    }
    cr_expect_str_eq(label_of(0, 0), "a");
    cr_expect_eq(history.latest_commit, 1, "the newest line is of b");
}

Test(history, a_line_that_comes_again_leaves_nothing_of_the_first)
{
    history_lines_add(&lines, "a", 10);
    growing_text_put(&lines, UM_HISTORY_HEAD "\"schema\":1,\"label\":\"a\",\"machine\":\"VM\","
                                             "\"scenario\":\"edit\",\"crc32\":\"e68102d7\","
                                             "\"measures\":[]}\n");
    read_lines();
    cr_assert_eq(history.tracks[0].commit_count, 1);
    cr_expect_eq(find(0, "typing", "total")->len, 0);
}

static void add_track(const char *machine, const char *crc, const char *total_to, double total)
{
    growing_text_put(&lines,
                     UM_HISTORY_HEAD
                     "\"schema\":1,\"label\":\"a\",\"machine\":\"%s\",\"scenario\":\"edit\","
                     "\"crc32\":\"%s\",\"measures\":[{\"name\":\"typing\",\"total_to\":\"%s\","
                     "\"quantities\":[{\"name\":\"total\",\"median\":%g,\"low\":%g,\"high\":%g,"
                     "\"runs\":3}]}]}\n",
                     machine, crc, total_to, total, total, total);
}

Test(history, machines_and_scenarios_are_kept_apart)
{
    add_track("one", "00000001", "painted", 1);
    add_track("two", "00000001", "painted", 2);
    add_track("one", "00000002", "painted", 3);
    add_track("one", "00000001", "painted", 4);
    read_lines();
    cr_assert_eq(history.track_count, 3);
    assert_ms(find(0, "typing", "total")->points[0].median, 4);
    assert_ms(find(1, "typing", "total")->points[0].median, 2);
    assert_ms(find(2, "typing", "total")->points[0].median, 3);
    cr_expect_eq(history.latest, 0);
}

Test(history, names_of_machines_that_differ_in_case_only_are_one)
{
    add_track("VM-\xc3\x84", "00000001", "painted", 1);
    add_track("other", "00000001", "painted", 2);
    add_track("vm-\xc3\xa4", "00000001", "painted", 3);
    add_track("Other", "00000001", "painted", 4);
    read_lines();
    cr_assert_eq(history.track_count, 2);
    cr_expect_str_eq(history.tracks[0].machine, "VM-\xc3\x84");
    assert_ms(find(0, "typing", "total")->points[0].median, 3);
    assert_ms(find(1, "typing", "total")->points[0].median, 4);
    cr_expect_eq(history.replaced, 0);
}

/* A machine's ordinal is among those of the same scenario. */
Test(history, machines_of_a_scenario_are_counted)
{
    add_track("one", "00000001", "painted", 1);
    add_track("one", "00000002", "painted", 1);
    add_track("two", "00000001", "painted", 1);
    add_track("three", "00000001", "painted", 1);
    add_track("TWO", "00000001", "painted", 1);
    static const size_t ordinals[] = {1, 1, 2, 3};
    read_lines();
    cr_assert_eq(history.track_count, 4);
    for (size_t i = 0; i < 4; i++)
        cr_expect_eq(history.tracks[i].machine_ordinal, ordinals[i]);
}

Test(history, machines_are_one_if_they_are_to_be)
{
    char text[256];
    history_lines_runners(&lines, 30, 18);
    read_lines();
    cr_assert_eq(history.track_count, 30);
    um_history_deinit(&history);
    cr_assert_eq(um_history_read(lines.text, lines.len, "ci", &history), UM_OK);
    cr_assert_eq(um_history_changes_find(&history), UM_OK);
    cr_assert_eq(history.track_count, 1);
    cr_expect_str_eq(history.tracks[0].machine, "ci");
    cr_expect_eq(history.tracks[0].machine_ordinal, 1);
    cr_expect_eq(history.replaced, 0);
    const struct um_history_series *total = find(0, "typing", "total");
    cr_assert_eq(total->len, 30);
    cr_assert_eq(total->change_count, 1);
    cr_expect_eq(total->changes[0].point, 18);
    um_history_what_else(&history.tracks[0], total, 18, text, sizeof text);
    cr_expect_str_eq(text, "machine runner-17 to runner-18");
}

Test(history, a_result_that_another_machine_replaces_is_counted)
{
    add_track("one", "00000001", "painted", 1);
    add_track("ONE", "00000001", "painted", 2);
    add_track("two", "00000001", "painted", 3);
    add_track("two", "00000002", "painted", 4);
    cr_assert_eq(um_history_read(lines.text, lines.len, "ci", &history), UM_OK);
    cr_assert_eq(history.track_count, 2);
    assert_ms(find(0, "typing", "total")->points[0].median, 3);
    cr_expect_eq(history.replaced, 1, "%lu", history.replaced);
}

/* They measure different things: one would look like a change of the other. */
Test(history, total_to_painted_and_to_handled_are_kept_apart)
{
    add_track("one", "00000001", "painted", 1);
    history_lines_add(&lines, "b", 5);
    add_track("one", "00000001", "handled", 2);
    read_lines();
    cr_expect_eq(find(0, "typing", "total")->len, 0, "the later line has the label");
    assert_ms(find(0, "typing", "handled")->points[0].median, 2);
}

Test(history, a_half_line_is_left_out_and_named)
{
    history_lines_add(&lines, "a", 10);
    growing_text_put(&lines, "\n" UM_HISTORY_HEAD "\"schema\":1,\"lab\n");
    history_lines_add(&lines, "b", 20);
    growing_text_put(&lines, UM_HISTORY_HEAD "\"sch");
    read_lines();
    cr_expect_eq(history.lines, 2);
    cr_expect_eq(history.damaged, 2);
    cr_expect_eq(history.damaged_at, 3, "%lu", history.damaged_at);
    cr_expect_eq(find(0, "typing", "total")->len, 2);
}

static const char good_quantity[] =
    "{\"name\":\"total\",\"median\":2,\"low\":1,\"high\":3,\"runs\":4}";

/* Nothing of a line is taken if anything in it is wrong. */
Test(history, a_line_is_taken_as_a_whole_or_not_at_all)
{
    static const char *const quantities[] = {
        "{\"name\":\"total\",\"median\":2,\"low\":2.1,\"high\":3,\"runs\":4}",
        "{\"name\":\"total\",\"median\":2,\"low\":1,\"high\":1.9,\"runs\":4}",
        "{\"name\":\"total\",\"median\":2,\"low\":1,\"high\":3,\"runs\":0}",
        "{\"name\":\"total\",\"median\":2,\"low\":1,\"high\":3,\"runs\":1.5}",
        "{\"name\":\"total\",\"median\":2,\"low\":1,\"high\":3}",
        "{\"name\":\"total\",\"median\":\"2\",\"low\":1,\"high\":3,\"runs\":4}",
        "{\"name\":\"total\",\"median\":1e999,\"low\":1,\"high\":1e999,\"runs\":4}",
        "{\"name\":\"total\",\"median\":2e9,\"low\":1,\"high\":3e9,\"runs\":4}",
        "{\"name\":7,\"median\":2,\"low\":1,\"high\":3,\"runs\":4}",
        "7",
    };
    for (size_t i = 0; i < sizeof quantities / sizeof quantities[0]; i++)
        growing_text_put(&lines,
                         UM_HISTORY_HEAD "\"schema\":1,\"label\":\"a\",\"measures\":[{\"name\":"
                                         "\"typing\",\"quantities\":[%s,%s]}]}\n",
                         good_quantity, quantities[i]);
    read_lines();
    cr_expect_eq(history.damaged, sizeof quantities / sizeof quantities[0], "%lu", history.damaged);
    cr_expect_eq(history.lines, 0);
    cr_expect_eq(history.track_count, 0);
}

Test(history, lines_that_are_none_of_ours_are_damaged)
{
    static const char *const others[] = {
        "[]",
        "7",
        "{}",
        "{\"kind\":\"bench\",\"schema\":1,\"label\":\"a\",\"measures\":[]}",
        "{\"kind\":\"history\",\"label\":\"a\",\"measures\":[]}",
        "{\"kind\":\"history\",\"schema\":0,\"label\":\"a\",\"measures\":[]}",
        "{\"kind\":\"history\",\"schema\":1,\"measures\":[]}",
        "{\"kind\":\"history\",\"schema\":1,\"label\":\"\",\"measures\":[]}",
        "{\"kind\":\"history\",\"schema\":1,\"label\":\"a\",\"measures\":7}",
        "{\"kind\":\"history\",\"schema\":1,\"label\":\"a\",\"measures\":[{\"quantities\":[]}]}",
        "{\"kind\":\"history\",\"schema\":1,\"label\":\"a\",\"measures\":[{\"name\":\"m\"}]}",
        "{\"kind\":\"history\",\"schema\":1,\"label\":"
        "\"12345678901234567890123456789012345678901\",\"measures\":[]}",
    };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        growing_text_put(&lines, "%s\n", others[i]);
    read_lines();
    cr_expect_eq(history.damaged, sizeof others / sizeof others[0], "%lu", history.damaged);
    cr_expect_eq(history.track_count, 0);
}

Test(history, what_a_newer_uimon_wrote_is_counted_as_that)
{
    history_lines_add(&lines, "a", 10);
    growing_text_put(&lines, UM_HISTORY_HEAD "\"schema\":2,\"label\":\"b\",\"runes\":[]}\n");
    read_lines();
    cr_expect_eq(history.newer, 1);
    cr_expect_eq(history.damaged, 0);
    cr_expect_eq(history.lines, 1);
}

Test(history, a_quantity_that_is_not_known_is_passed_over)
{
    growing_text_put(&lines,
                     UM_HISTORY_HEAD
                     "\"schema\":1,\"label\":\"a\",\"measures\":[{\"name\":\"m\",\"quantities\":["
                     "{\"name\":\"odd\",\"median\":2,\"low\":1,\"high\":3,\"runs\":4},%s]}]}\n",
                     good_quantity);
    read_lines();
    cr_expect_eq(history.lines, 1);
    cr_assert_eq(history.tracks[0].series_count, 1);
    cr_expect_eq(find(0, "m", "total")->len, 1);
}

Test(history, of_too_many_lines_the_newest_are_read)
{
    for (int i = 0; i < UM_HISTORY_LINES + 3; i++)
        growing_text_put(&lines,
                         UM_HISTORY_HEAD "\"schema\":1,\"label\":\"%d\",\"measures\":[]}\n\n", i);
    read_lines();
    cr_expect_eq(history.older, 3);
    cr_expect_eq(history.lines, UM_HISTORY_LINES);
    cr_expect_str_eq(label_of(0, 0), "3");
}

Test(history, of_too_many_series_the_first_are_kept)
{
    for (int i = 0; i < UM_HISTORY_SERIES + 2; i++)
        growing_text_put(&lines,
                         UM_HISTORY_HEAD "\"schema\":1,\"label\":\"a%d\",\"measures\":[{\"name\":"
                                         "\"m%d\",\"quantities\":[%s]}]}\n",
                         i, i, good_quantity);
    read_lines();
    cr_expect_eq(history.full, 2);
    cr_expect_eq(history.tracks[0].series_count, UM_HISTORY_SERIES);
    cr_expect_eq(history.tracks[0].commit_count, UM_HISTORY_SERIES + 2);
}

Test(history, a_step_is_a_change_from_level_to_level)
{
    history_lines_step(&lines, 30, 18);
    read_lines();
    cr_assert_eq(um_history_changes_find(&history), UM_OK);
    const struct um_history_series *total = find(0, "typing", "total");
    cr_assert_eq(total->change_count, 1);
    cr_expect_str_eq(label_of(0, total->points[total->changes[0].point].commit), "c18");
    assert_ms(total->changes[0].before, 20.2);
    assert_ms(total->changes[0].after, 25.2);
    assert_ms(total->level, 25.2);
    cr_expect_leq(total->changes[0].p, 0.01);
}

Test(history, a_series_without_a_change_has_one_level)
{
    history_lines_step(&lines, 30, 30);
    read_lines();
    cr_assert_eq(um_history_changes_find(&history), UM_OK);
    cr_expect_eq(find(0, "typing", "total")->change_count, 0);
    assert_ms(find(0, "typing", "total")->level, 20.2);
}

/* The smallest change that is told is a tenth of a per cent, and a microsecond. */
Test(history, a_change_too_small_to_be_told_is_none)
{
    static const struct {
        double before, after;
        bool told;
    } cases[] = {
        {12, 12.002, false},
        {12, 12.000000000000002, false},
        {0.0004, 0.0006, false},
        {12.002, 12, false},
        {12, 12.0119, false},
        {12, 12.012, true},
        {12, 11.988, true},
        {12, 11.9881, false},
        {1000, 1000.9, false},
        {1000, 1001, true},
        {0, 0.0009, false},
        {0, 0.001, true},
        {0.0004, 0.0014, true},
        {0.0004, 0.00139, false},
        {0, 5, true},
        {5, 0, true},
        {0, 0, false},
        {0.5, 0.501, true},
        {0.5, 0.5009, false},
        {-12, -12.002, false},
        {-12, -12.012, true},
        {1e8, 1.0009e8, false},
        {1e8, 1.001e8, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        lines.len = 0;
        history_lines_levels(&lines, cases[i].before, cases[i].after);
        read_lines();
        cr_assert_eq(um_history_changes_find(&history), UM_OK);
        const struct um_history_series *total = find(0, "typing", "total");
        cr_expect_eq(total->change_count, cases[i].told, "%.17g to %.17g: %zu changes",
                     cases[i].before, cases[i].after, total->change_count);
    }
}

/* Steps of 0.05 % are not told, but a tenth of a per cent that they add up to is. */
Test(history, small_steps_add_up)
{
    for (int i = 0; i < 120; i++) {
        char label[16];
        snprintf(label, sizeof label, "c%d", i);
        history_lines_add(&lines, label, 1000 + 0.5 * (i / 20));
    }
    read_lines();
    cr_assert_eq(um_history_changes_find(&history), UM_OK);
    const struct um_history_series *total = find(0, "typing", "total");
    cr_expect_geq(total->change_count, 1);
    cr_expect_leq(total->change_count, 2);
    for (size_t i = 0; i < total->change_count; i++)
        cr_expect_geq(total->changes[i].after - total->changes[i].before, 1 - 1e-9);
}

/* The same numbers are nearer to one another at first, and far apart later. */
Test(history, a_change_of_the_spread_alone_is_none)
{
    for (int i = 0; i < 120; i++) {
        char label[16];
        snprintf(label, sizeof label, "c%d", i);
        history_lines_add(&lines, label, 20 + (i < 60 ? 0.01 : 10) * (i % 3 - 1));
    }
    read_lines();
    cr_assert_eq(um_history_changes_find(&history), UM_OK);
    cr_expect_eq(find(0, "typing", "total")->change_count, 0);
    assert_ms(find(0, "typing", "total")->level, 20);
}

Test(history, only_the_newest_points_are_looked_at)
{
    history_lines_step(&lines, UM_DIVISIVE_MOST + 15, 15);
    read_lines();
    cr_assert_eq(um_history_changes_find(&history), UM_OK);
    const struct um_history_series *total = find(0, "typing", "total");
    cr_expect_eq(total->first, 15);
    cr_expect_eq(total->change_count, 0, "the step lies before");
    assert_ms(total->level, 25.2);
}

Test(history, says_what_else_is_new_with_a_commit)
{
    char text[256];
    history_lines_add(&lines, "a", 10);
    history_lines_add(&lines, "b", 10);
    growing_text_put(&lines,
                     UM_HISTORY_HEAD
                     "\"schema\":1,\"label\":\"c\",\"uimon\":\"0.2.0\","
                     "\"machine\":\"VM\",\"system\":\"Wine 9.0\",\"layout\":true,\"scenario\":"
                     "\"edit\",\"crc32\":\"e68102d7\",\"measures\":[{\"name\":"
                     "\"typing\",\"quantities\":[%s]}]}\n",
                     good_quantity);
    read_lines();
    const struct um_history_series *total = find(0, "typing", "total");
    um_history_what_else(&history.tracks[0], total, 0, text, sizeof text);
    cr_expect_str_eq(text, "");
    um_history_what_else(&history.tracks[0], total, 1, text, sizeof text);
    cr_expect_str_eq(text, "");
    um_history_what_else(&history.tracks[0], total, 2, text, sizeof text);
    cr_expect_str_eq(text, "uimon 0.1.0 to 0.2.0; system Wine 8.0 to Wine 9.0; --layout off to on");
    um_history_what_else(&history.tracks[0], total, 2, text, 9);
    cr_expect_str_eq(text, "uimon 0.");
}

Test(history, a_day_is_one_or_nothing)
{
    static const struct {
        const char *time, *day;
    } cases[] = {{"2026-11-21T12:45:34Z", "2026-11-21"},
                 {"2026-11-21", "2026-11-21"},
                 {"2026-11-2", ""},
                 {"yesterday, or so", ""},
                 {"", ""},
                 {"2026x11-21", ""}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct um_history_commit commit = {0};
        char day[UM_HISTORY_DAY_BYTES];
        snprintf(commit.time, sizeof commit.time, "%s", cases[i].time);
        cr_expect_str_eq(um_history_day(&commit, day), cases[i].day);
    }
}
