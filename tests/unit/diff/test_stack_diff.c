/* Two recordings whose stacks are known (stacked.h) compared. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/diff/stack_diff.h"
#include "tests/hostile.h"
#include "tests/json_read.h"
#include "tests/unit/report/stacked.h"
#include "tests/written.h"

static struct stacked sides[2];
static struct um_options options;
static struct um_stack_diff diff;
static char *text;

static void setup(void)
{
    stacked_init(&sides[0]);
    stacked_init(&sides[1]);
    memset(&options, 0, sizeof options);
}

static void teardown(void)
{
    um_stack_diff_deinit(&diff);
    for (int i = 0; i < 2; i++)
        stacked_deinit(&sides[i]);
}

TestSuite(stack_diff, .init = setup, .fini = teardown);

/* The summary points into the recording, so that is read where it stays. */
static void compare(void)
{
    static const char *const paths[] = {"before.uirec", "after.uirec"};
    for (int i = 0; i < 2; i++) {
        stacked_read(&sides[i]);
        stacked_read_into(&sides[i], &diff.sides[i].recorded);
        diff.sides[i].path = paths[i];
    }
    cr_assert_eq(um_stack_diff_make(&diff, &options), UM_OK);
}

static const struct um_stack_diff_row *row_of(const char *label)
{
    for (size_t i = 0; i < diff.count; i++)
        if (strcmp(diff.rows[i].label.text, label) == 0)
            return &diff.rows[i];
    cr_assert(false, "there is no %s", label);
    return NULL;
}

static void write_with(enum um_status (*write)(FILE *, const struct um_stack_diff *))
{
    FILE *out = written_open();
    cr_assert_eq(write(out, &diff), UM_OK);
    text = written_read(out, NULL);
}

Test(stack_diff, the_same_recording_twice_has_no_change)
{
    compare();
    for (size_t i = 0; i < diff.count; i++) {
        cr_expect_eq(um_stack_diff_self(&diff.rows[i]), 0.0);
        cr_expect_eq(um_stack_diff_all(&diff.rows[i]), 0.0);
    }
    write_with(um_stack_diff_write_text);
    cr_expect(!strstr(text, "Slower") && !strstr(text, "Faster"), "%s", text);
}

/* The session is 3 s, so a minute has 20 times as much. After, draw is called paint. */
Test(stack_diff, a_function_that_is_new_takes_what_it_takes)
{
    sides[1].names[STACKED_DRAW] = "paint";
    compare();
    const struct um_stack_diff_row *draw = row_of("app!draw"), *paint = row_of("app!paint");
    cr_expect_float_eq(um_stack_diff_self(paint), 20.0 * 200, 1e-6);
    cr_expect_float_eq(um_stack_diff_self(draw), -20.0 * 200, 1e-6);
    cr_expect_eq(paint->costs[0].samples, 0);
    cr_expect_eq(paint->costs[1].samples, 20);
    cr_expect_eq(paint, &diff.rows[0], "the most slower is the first");
    cr_expect_float_eq(um_stack_diff_all(row_of("app!main")), 0, 1e-6);
    cr_expect_float_eq(row_of("app!main")->costs[0].all_ms, 20.0 * 260, 1e-6);
    cr_expect_float_eq(diff.sides[0].frozen_ms, 20.0 * 600, 1e-6);
    cr_expect_float_eq(diff.sides[0].unsampled_ms, 20.0 * 300, 1e-6);
    write_with(um_stack_diff_write_text);
    cr_expect(strstr(text, "      0.0    4000.0   +4000.0    +4000.0  app!paint\n"), "%s", text);
    cr_expect(strstr(text, "   4000.0       0.0   -4000.0    -4000.0  app!draw\n"), "%s", text);
    cr_expect(strstr(text, "of that unattributed"), "%s", text);
}

/* Its offset is another one in each build, and an address another one in each process. */
Test(stack_diff, code_without_a_name_is_one_row_of_its_module)
{
    sides[0].names[STACKED_DRAW] = sides[0].names[STACKED_PROC] = "";
    sides[1].names[STACKED_DRAW] = "";
    compare();
    const struct um_stack_diff_row *row = row_of("app!code without a name");
    cr_expect_float_eq(row->costs[0].all_ms, 20.0 * 300, 1e-6);
    cr_expect_float_eq(row->costs[1].all_ms, 20.0 * 200, 1e-6);
    for (size_t i = 0; i < diff.count; i++)
        cr_expect(!strstr(diff.rows[i].label.text, "0x"), "%s", diff.rows[i].label.text);
}

Test(stack_diff, nodes_add_up_to_the_functions)
{
    double sums[2] = {0, 0}, selfs[2] = {0, 0};
    sides[1].names[STACKED_DRAW] = "paint";
    compare();
    for (size_t i = 0; i < diff.node_count; i++) {
        cr_expect(i == 0 || diff.nodes[i].parent < i);
        for (int side = 0; side < 2; side++)
            sums[side] += diff.nodes[i].self_ms[side];
    }
    for (size_t i = 0; i < diff.count; i++)
        for (int side = 0; side < 2; side++)
            selfs[side] += diff.rows[i].costs[side].self_ms;
    cr_expect_float_eq(sums[0], 20.0 * 300, 1e-6);
    cr_expect_float_eq(sums[0], selfs[0], 1e-6);
    cr_expect_float_eq(sums[1], selfs[1], 1e-6);
}

/* plug is left out: what parse_solution took is its caller's, proc's. */
Test(stack_diff, what_is_left_out_is_its_callers)
{
    options.hide = "plug,user32";
    compare();
    cr_expect_float_eq(row_of("app!proc")->costs[0].self_ms, 20.0 * 100, 1e-6);
    write_with(um_stack_diff_write_text);
    cr_expect(strstr(text, "functions that are left out is their nearest caller's"), "%s", text);
}

Test(stack_diff, json_and_page_have_the_rows)
{
    sides[1].names[STACKED_DRAW] = "paint";
    compare();
    write_with(um_stack_diff_write_json);
    cJSON *root = cJSON_Parse(text);
    cr_assert(root);
    cr_expect_str_eq(json_text(root, "functions.0.name"), "app!paint");
    cr_expect_eq(json_number(root, "functions.0.self_change"), 4000);
    cJSON_Delete(root);
    write_with(um_stack_diff_write_html);
    cr_expect(strstr(text, "app!paint"));
}

Test(stack_diff, json_has_200_rows_of_each_end)
{
    compare();
    cr_assert_gt(diff.count, 0);
    size_t count = 402;
    diff.rows = realloc(diff.rows, count * sizeof diff.rows[0]);
    cr_assert_not_null(diff.rows);
    for (diff.count = 1; diff.count < count; diff.count++)
        diff.rows[diff.count] = diff.rows[0];
    for (size_t i = 0; i < count; i++) {
        diff.rows[i].line = (uint32_t)i + 1;
        diff.rows[i].costs[0].samples = 1;
    }
    write_with(um_stack_diff_write_json);
    cJSON *root = cJSON_Parse(text);
    cr_expect_eq(json_size(root, "functions"), 400);
    cr_expect_eq(json_number(root, "functions.199.line"), 200);
    cr_expect_eq(json_number(root, "functions.200.line"), 203);
    cJSON_Delete(root);
}

static void expect_place(const char *label, const char *file, uint32_t line, bool is_nearest)
{
    const struct um_stack_diff_row *row = row_of(label);
    cr_expect_str_eq(row->file, file);
    cr_expect_eq(row->line, line, "%s", label);
    cr_expect_eq(row->is_nearest, is_nearest, "%s", label);
}

/* Before, the PDB of plug was not found, and draw was optimised. */
Test(stack_diff, a_place_is_that_of_the_side_that_knows_it_better)
{
    sides[0].files[STACKED_PARSE] = "";
    sides[0].is_nearest[STACKED_DRAW] = true;
    sides[1].is_nearest[STACKED_MAIN] = true;
    sides[0].is_nearest[STACKED_PROC] = sides[1].is_nearest[STACKED_PROC] = true;
    compare();
    expect_place("plug!parse_solution", "C:\\src\\plug.c", 33, false);
    expect_place("app!draw", "C:\\src\\app.c", 43, false);
    expect_place("app!main", "C:\\src\\app.c", 3, false);
    expect_place("app!proc", "C:\\src\\app.c", 23, true);
    expect_place("USER32!SendMessageW", "", 0, false);
}

Test(stack_diff, json_and_page_mark_a_line_that_is_only_the_nearest)
{
    sides[0].is_nearest[STACKED_PROC] = sides[1].is_nearest[STACKED_PROC] = true;
    compare();
    write_with(um_stack_diff_write_json);
    cJSON *root = cJSON_Parse(text);
    const cJSON *row;
    cr_assert(root);
    cJSON_ArrayForEach(row, json_at(root, "functions"))
    {
        bool is_proc = strcmp(json_text(row, "name"), "app!proc") == 0;
        cr_expect_eq(cJSON_IsTrue(json_at(row, "line_is_nearest")), is_proc);
    }
    cJSON_Delete(root);
    write_with(um_stack_diff_write_html);
    cr_expect(strstr(text, "[\"app!proc\",\"C:\\\\src\\\\app.c\",23,1,"), "%s", text);
    cr_expect(strstr(text, "[\"app!main\",\"C:\\\\src\\\\app.c\",3,0,"));
}

/* Before, send is a guess in 4 of its 10 samples, and after in 7: together in at least half. */
Test(stack_diff, says_what_is_a_guess)
{
    sides[0].guessed = 4;
    sides[1].guessed = 7;
    sides[1].names[STACKED_PARSE] = "parse_all";
    compare();
    const struct um_stack_diff_row *send = row_of("USER32!SendMessageW");
    cr_expect_eq(send->costs[0].guessed, 4);
    cr_expect_eq(send->costs[1].guessed, 7);
    cr_expect(um_stack_diff_is_guess(send));
    cr_expect_not(um_stack_diff_is_guess(row_of("app!main")));
    for (size_t i = 0; i < diff.node_count; i++)
        cr_expect_eq(diff.nodes[i].guessed, diff.nodes[i].row == (uint32_t)(send - diff.rows));
    write_with(um_stack_diff_write_json);
    cr_expect(strstr(text, "\"samples_guessed\":\t7"), "%s", text);
    write_with(um_stack_diff_write_html);
    cr_expect(strstr(text, "[\"USER32!SendMessageW\",\"\",0,0,1,"), "%s", text);
    cr_expect(strstr(text, "[\"app!main\",\"C:\\\\src\\\\app.c\",3,0,0,"), "%s", text);
}

/* send, a guess, is called main, as its caller, which is none. */
Test(stack_diff, a_function_is_no_guess_where_one_of_its_frames_is_none)
{
    for (int i = 0; i < 2; i++) {
        sides[i].modules[1] = sides[i].modules[0];
        sides[i].names[STACKED_SEND] = "main";
        sides[i].guessed = 10;
    }
    compare();
    cr_expect_eq(row_of("app!main")->costs[0].samples, 26);
    cr_expect_eq(row_of("app!main")->costs[0].guessed, 0);
}

Test(stack_diff, text_marks_what_is_a_guess)
{
    sides[0].guessed = 10;
    sides[1].guessed = 10;
    sides[1].names[STACKED_SEND] = "SendMessageA";
    compare();
    write_with(um_stack_diff_write_text);
    cr_expect(strstr(text, "  ? USER32!SendMessageA\n"), "%s", text);
    cr_expect(strstr(text, "  ? USER32!SendMessageW\n"), "%s", text);
    cr_expect(strstr(text, "\n? a guess in half of its samples or more\n"), "%s", text);
}

Test(stack_diff, hostile_names_are_harmless)
{
    size_t tags = 0;
    for (const unsigned char *at = um_diff_page; *at; at++)
        tags += *at == '<';
    for (size_t i = 0; i < HOSTILE_TEXTS; i++) {
        for (size_t j = 0; j < STACKED_FUNCTIONS; j++)
            sides[1].names[j] = sides[1].files[j] = hostile_texts[(i + j) % HOSTILE_TEXTS];
        compare();
        diff.sides[0].path = hostile_texts[i];
        write_with(um_stack_diff_write_text);
        cr_expect(hostile_is_harmless(text), "%s", text);
        write_with(um_stack_diff_write_json);
        cr_expect(um_utf8_valid(text, strlen(text)));
        write_with(um_stack_diff_write_html);
        size_t found = 0;
        for (const char *at = text; *at; at++)
            found += *at == '<';
        cr_expect_eq(found, tags);
        teardown();
        setup();
    }
}

/* The page asks nobody for anything. */
Test(stack_diff, page_refers_to_nothing_outside)
{
    const char *page = (const char *)um_diff_page;
    cr_expect(!strstr(page, "src=") && !strstr(page, "url("));
    const char *address = strstr(page, "://"); /* only a name, which nothing is loaded from */
    cr_expect(address && strncmp(address, "://www.w3.org/2000/svg'", 23) == 0);
    cr_expect(address && !strstr(address + 1, "://"));
    cr_expect(!strstr(page, "fetch(") && !strstr(page, "@import"));
    cr_expect(strstr(page, "default-src 'none'"));
}
