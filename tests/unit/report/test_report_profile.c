/* Stacks in the report, of a recording whose stacks are known: stacked.h. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/report/report_profile.h"
#include "tests/hostile.h"
#include "tests/json_read.h"
#include "tests/unit/report/stacked.h"
#include "tests/written.h"

static struct stacked stacked;
static struct um_options options;
static char *text;
static cJSON *root;

static void setup(void)
{
    stacked_init(&stacked);
    memset(&options, 0, sizeof options);
}

static void teardown(void)
{
    cJSON_Delete(root);
    stacked_deinit(&stacked);
}

TestSuite(report_profile, .init = setup, .fini = teardown);

static void write_text(void)
{
    FILE *out = written_open();
    cr_assert_eq(um_report_profile_text(out, &stacked.recorded, &options), UM_OK);
    text = written_read(out, NULL);
}

static const cJSON *make_json(void)
{
    root = cJSON_CreateObject();
    cr_assert_eq(um_report_profile_json(root, &stacked.recorded, &options), UM_OK);
    return cJSON_GetObjectItem(root, "profile");
}

static const cJSON *function_of(const cJSON *profile, const char *name)
{
    const cJSON *function;
    cJSON_ArrayForEach(function, cJSON_GetObjectItem(profile, "functions"))
    {
        if (strcmp(json_text(function, "name"), name) == 0)
            return function;
    }
    cr_assert(false, "there is no %s", name);
    return NULL;
}

Test(report_profile, json_has_what_was_sampled)
{
    stacked_read(&stacked);
    const cJSON *profile = make_json();
    cr_expect_eq(json_number(profile, "samples"), 30);
    cr_expect_eq(json_number(profile, "not_read_to_the_end"), 4);
    cr_expect_eq(json_number(profile, "samples_lost"), 0);
    cr_expect_eq(json_number(profile, "wall_ms"), 100 + 160 + 40);
    cr_expect_eq(json_number(profile, "cpu_ms"), 15 * 5);
    cr_expect_eq(json_number(profile, "user_ms"), 15 * 5);
    cr_expect_eq(json_number(profile, "kernel_ms"), 0);
    cr_expect_eq(json_number(profile, "unattributed_ms"), 600 - 300);
    const cJSON *draw = function_of(profile, "draw");
    cr_expect_eq(json_number(draw, "samples"), 20);
    cr_expect_eq(json_number(draw, "self"), 20);
    cr_expect_eq(json_number(draw, "wall_ms"), 200);
    cr_expect_eq(json_number(draw, "self_ms"), 200);
    cr_expect_eq(json_number(draw, "freezes"), 1);
    cr_expect_eq(json_number(draw, "line"), 43);
    const cJSON *main = function_of(profile, "main");
    cr_expect_eq(json_number(main, "samples"), 26);
    cr_expect_eq(json_number(main, "self"), 0);
    cr_expect_eq(json_number(main, "freezes"), 2);
    cr_expect_eq(cJSON_GetObjectItem(profile, "mine"), NULL);
}

Test(report_profile, json_says_of_each_freeze_whose_it_was)
{
    options.mine = "plug";
    stacked_read(&stacked);
    const cJSON *freezes = cJSON_GetObjectItem(make_json(), "freezes");
    cr_assert_eq(cJSON_GetArraySize(freezes), 2);
    const cJSON *first = json_at(freezes, "0");
    cr_expect_eq(json_number(first, "number"), 1);
    cr_expect_eq(json_number(first, "samples"), 10);
    cr_expect_eq(json_number(first, "unattributed_ms"), 200 - 100);
    cr_expect_eq(json_number(first, "mine.yours"), 10);
    cr_expect_eq(json_number(first, "mine.high"), 1);
    cr_expect_eq(json_number(first, "mine.yours_ms"), 100);
    cr_expect_eq(json_number(first, "mine.effective_samples"), 10);
    const cJSON *mine = json_at(freezes, "1.mine");
    cr_expect_eq(json_number(mine, "yours"), 0);
    cr_expect_eq(json_number(mine, "others"), 16);
    cr_expect_eq(json_number(mine, "unattributed"), 4);
    cr_expect_eq(json_number(mine, "low"), 0);
    /* Wilson's interval of 0 of 16: z² / (n + z²), with z² = 3.841. */
    cr_expect_float_eq(json_number(mine, "high"), 3.8415 / 19.8415, 1e-4);
}

/* The system's functions are left out where nobody says what to show. */
Test(report_profile, text_has_the_hottest_rows)
{
    stacked_read(&stacked);
    write_text();
    cr_expect(strstr(text, "  Stacks     30 samples, 4 of them not read"), "%s", text);
    cr_expect(strstr(text, "50 % of the time in freezes is unattributed"), "%s", text);
    cr_expect(strstr(text, "  86.7 %  #########   app!main\n"), "%s", text);
    cr_expect(strstr(text, "  33.3 %  ###          > app!proc\n"), "%s", text);
    cr_expect(strstr(text, "(stack not read)\n"), "%s", text);
    cr_expect(!strstr(text, "USER32"), "%s", text);
    cr_expect(!strstr(text, "Yours"), "%s", text);
    options.hide = "";
    write_text();
    cr_expect(strstr(text, "USER32!SendMessageW\n"), "%s", text);
    options.only = "plug";
    write_text();
    cr_expect(strstr(text, "plug!parse_solution\n") && !strstr(text, "app!"), "%s", text);
}

Test(report_profile, says_what_is_a_guess)
{
    stacked.guessed = 5;
    options.hide = "ntdll";
    stacked_read(&stacked);
    const cJSON *profile = make_json();
    cr_expect_eq(json_number(function_of(profile, "SendMessageW"), "samples_guessed"), 5);
    cr_expect_not(json_at(function_of(profile, "main"), "samples_guessed"));
    write_text();
    cr_expect(strstr(text, "? USER32!SendMessageW\n"), "%s", text);
    cr_expect(strstr(text, "\n? a guess: it may not have called what is below it\n"), "%s", text);
    cr_expect_not(strstr(text, "? app!main"));
}

Test(report_profile, text_says_whose_it_was)
{
    options.mine = "plug.dll";
    stacked_read(&stacked);
    write_text();
    cr_expect(strstr(text, "all samples: yours 22 to 58 %, and 14 % of the samples could not be"),
              "%s", text);
    cr_expect(strstr(text, "freeze 1, 200 ms: yours 72 to 100 %; 50 % of the time unattributed\n"),
              "%s", text);
    cr_expect(strstr(text, "freeze 2, 400 ms: yours 0 to 20 %, and 20 % of the samples could not"),
              "%s", text);
}

Test(report_profile, text_names_the_modules_that_no_stack_has)
{
    options.mine = "plgu,app.exe,\"a, b\"";
    options.only = "pluk";
    stacked_read(&stacked);
    write_text();
    cr_expect(strstr(text, " no stack has plgu; did you mean plug?\n"), "%s", text);
    cr_expect(strstr(text, " no stack has a, b\n"), "%s", text);
    cr_expect(strstr(text, " no stack has pluk; did you mean plug?\n"), "%s", text);
    cr_expect(!strstr(text, "no stack has app") && !strstr(text, "no stack has plug"), "%s", text);
}

/* The summary above says so, too, whatever --mine was while it was recorded. */
Test(report_profile, summary_says_whose_it_was_by_the_same_modules)
{
    struct um_wire_frame frame = {.type = UM_WIRE_STACK,
                                  .as.stack = {.samples = 10,
                                               .alike = 10,
                                               .known = UM_WIRE_STACK_MINE,
                                               .unread = 10,
                                               .whose = "yours unknown"}};
    options.mine = "plug.dll";
    stacked_read(&stacked);
    frame.as.stack.freeze = um_stats_freezes(stacked.recorded.stats)->list[0].id;
    um_stats_frame(stacked.recorded.stats, &frame);
    cr_assert_eq(um_report_profile_whose(&stacked.recorded, &options), UM_OK);
    const struct um_wire_stack *stack =
        um_stats_stack_of(um_stats_stacks(stacked.recorded.stats), frame.as.stack.freeze);
    cr_assert(stack != NULL);
    cr_expect_str_eq(stack->whose, "yours 72 to 100 %");
    cr_expect(stack->yours == 10 && stack->unread == 0 && stack->samples == 10);
}

Test(report_profile, without_samples_there_is_nothing)
{
    struct stacked empty;
    stacked_init(&empty);
    stacked_read(&stacked);
    cr_assert_eq(um_profile_open(0, &empty.recorded.profile), UM_OK);
    FILE *out = tmpfile();
    cr_assert_eq(um_report_profile_text(out, &empty.recorded, &options), UM_OK);
    cr_expect_eq(ftell(out), 0);
    fclose(out);
    root = cJSON_CreateObject();
    cr_assert_eq(um_report_profile_json(root, &empty.recorded, &options), UM_OK);
    cr_expect_null(root->child);
    stacked_deinit(&empty);
}

Test(report_profile, hostile_names_are_harmless)
{
    for (size_t i = 0; i < HOSTILE_TEXTS; i++) {
        for (size_t j = 0; j < STACKED_FUNCTIONS; j++)
            stacked.names[j] = stacked.files[j] = hostile_texts[(i + j) % HOSTILE_TEXTS];
        stacked.modules[0] = hostile_texts[i];
        options.mine = "plug";
        stacked_read(&stacked);
        write_text();
        cr_expect(hostile_is_harmless(text), "%s", text);
        cr_expect_lt(hostile_lines(text), 25, "%s", text);
        make_json();
        char *json = cJSON_Print(root);
        cr_expect(um_utf8_valid(json, strlen(json)));
        cJSON_free(json);
        cJSON_Delete(root);
        root = NULL;
        stacked_deinit(&stacked);
        stacked_init(&stacked);
    }
}

#define MS_NS UINT64_C(1000000)

/* Three inputs: a quick one, one over the first freeze, and one over the second half of the
 * other. */
static void add_inputs(void)
{
    struct um_recorded *recorded = &stacked.recorded;
    uint64_t start_ns = recorded->session.start_ns;
    const uint64_t times_ms[3][2] = {{500, 520}, {990, 1210}, {2200, 2410}};
    free(recorded->interactions);
    recorded->interactions = calloc(3, sizeof *recorded->interactions);
    cr_assert(recorded->interactions);
    recorded->interaction_count = 3;
    recorded->session.slow_us = 50000;
    for (size_t i = 0; i < 3; i++) {
        struct um_wire_interaction *times = &recorded->interactions[i].times;
        times->kind = i == 2 ? UM_INTERACTION_CLICK : UM_INTERACTION_KEY;
        times->arrival_ns = i == 2 ? 0 : start_ns + times_ms[i][0] * MS_NS;
        times->dequeued_ns = start_ns + times_ms[i][0] * MS_NS;
        times->handled_ns = start_ns + times_ms[i][1] * MS_NS;
    }
}

Test(report_profile, json_says_of_slow_inputs_whose_they_were)
{
    options.mine = "plug";
    stacked_read(&stacked);
    add_inputs();
    const cJSON *slow = cJSON_GetObjectItem(make_json(), "slow_inputs");
    cr_assert(slow);
    cr_expect_eq(json_number(slow, "count"), 2);
    cr_expect_eq(json_number(slow, "length_ms"), 220 + 210);
    cr_expect_eq(json_number(slow, "mine.yours"), 10);
    cr_assert_eq(json_size(slow, "slowest"), 2);
    const cJSON *key = json_at(slow, "slowest.0");
    cr_expect_str_eq(json_text(key, "kind"), "key");
    cr_expect_eq(json_number(key, "start_ms"), 990);
    cr_expect_eq(json_number(key, "unattributed_ms"), 220 - 100);
    cr_expect_eq(json_number(key, "mine.others"), 0);
    const cJSON *click = json_at(slow, "slowest.1");
    cr_expect_str_eq(json_text(click, "kind"), "click");
    cr_expect_eq(json_number(click, "mine.yours"), 0);
    double others = json_number(click, "mine.others") + json_number(click, "mine.unattributed");
    cr_expect(others > 0 && others < 20, "%.0f samples", others);
}

Test(report_profile, text_says_of_slow_inputs_whose_they_were)
{
    options.mine = "plug";
    stacked_read(&stacked);
    add_inputs();
    write_text();
    cr_expect(strstr(text, "             slow inputs, 2: yours "), "%s", text);
    cr_expect(strstr(text, "             key at 1.0 s, 220 ms: yours 72 to 100 %"), "%s", text);
    cr_expect(strstr(text, "             click at 2.2 s, 210 ms: yours 0 to "), "%s", text);
    stacked.recorded.session.slow_us = 400000;
    write_text();
    cr_expect(!strstr(text, "slow inputs"), "%s", text);
}

/* Inputs that overlap share their samples, and more than ten are counted and not listed. */
Test(report_profile, inputs_that_overlap_count_a_sample_once)
{
    options.mine = "plug";
    stacked_read(&stacked);
    add_inputs();
    struct um_recorded *recorded = &stacked.recorded;
    free(recorded->interactions);
    recorded->interactions = calloc(40, sizeof *recorded->interactions);
    cr_assert(recorded->interactions);
    recorded->interaction_count = 40;
    for (uint64_t i = 0; i < 40; i++) {
        struct um_wire_interaction *times = &recorded->interactions[39 - i].times;
        times->dequeued_ns = recorded->session.start_ns + (900 + i) * MS_NS;
        times->handled_ns = recorded->session.start_ns + 1300 * MS_NS;
    }
    const cJSON *slow = cJSON_GetObjectItem(make_json(), "slow_inputs");
    cr_expect_eq(json_number(slow, "count"), 40);
    cr_expect_eq(json_number(slow, "length_ms"), 400);
    cr_expect_eq(json_number(slow, "mine.yours"), 10);
    cr_assert_eq(json_size(slow, "slowest"), 10);
    cr_expect_eq(json_number(slow, "slowest.0.length_ms"), 400);
    cr_expect_eq(json_number(slow, "slowest.9.length_ms"), 391);
}

/* The system counts in ticks of 15.625 ms, of which each of these samples happens to have one. */
Test(report_profile, a_thread_runs_at_most_all_of_the_time)
{
    stacked_read(&stacked);
    struct um_wire_frame frame = {.type = UM_WIRE_SAMPLE, .flags = UM_WIRE_SAMPLE_HAS_CPU};
    frame.as.sample = (struct um_wire_sample){
        .thread = 12, .node = 2, .wall_us = 10000, .user_us = 15625, .other = 1};
    for (int i = 0; i < 3; i++)
        um_profile_take(stacked.recorded.profile, &frame);
    write_text();
    cr_expect(strstr(text, ": 3 samples, ran 100 %"), "%s", text);
}
