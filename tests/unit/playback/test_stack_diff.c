/* Two recordings whose stacks are known (stacked.h) compared. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "monitor/playback/diff_page.h"
#include "monitor/playback/stack_diff.h"
#include "tests/hostile.h"
#include "tests/unit/playback/stacked.h"

#define MOST (1 << 20)

static struct stacked sides[2];
static struct um_options options;
static struct um_stack_diff diff;
static char text[MOST];

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
    FILE *out = tmpfile();
    cr_assert(out);
    cr_assert_eq(write(out, &diff), UM_OK);
    rewind(out);
    text[fread(text, 1, MOST - 1, out)] = '\0';
    fclose(out);
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
    cr_expect_float_eq(um_stack_diff_self(paint), 20.0 * 180, 1e-6);
    cr_expect_float_eq(um_stack_diff_self(draw), -20.0 * 180, 1e-6);
    cr_expect_eq(paint->costs[UM_STACK_DIFF_BEFORE].samples, 0);
    cr_expect_eq(paint->costs[UM_STACK_DIFF_AFTER].samples, 20);
    cr_expect_eq(paint, &diff.rows[0], "the most slower is the first");
    cr_expect_float_eq(um_stack_diff_all(row_of("app!main")), 0, 1e-6);
    cr_expect_float_eq(row_of("app!main")->costs[0].all_ms, 20.0 * 240, 1e-6);
    cr_expect_float_eq(diff.sides[0].frozen_ms, 20.0 * 600, 1e-6);
    cr_expect_float_eq(diff.sides[0].unsampled_ms, 20.0 * 330, 1e-6);
    write_with(um_stack_diff_write_text);
    cr_expect(strstr(text, "      0.0    3600.0   +3600.0    +3600.0  app!paint\n"), "%s", text);
    cr_expect(strstr(text, "   3600.0       0.0   -3600.0    -3600.0  app!draw\n"), "%s", text);
    cr_expect(strstr(text, "of that unattributed"), "%s", text);
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
    cr_expect_float_eq(sums[0], 20.0 * 270, 1e-6);
    cr_expect_float_eq(sums[0], selfs[0], 1e-6);
    cr_expect_float_eq(sums[1], selfs[1], 1e-6);
}

/* plug is left out: what parse_solution took is its caller's, proc's. */
Test(stack_diff, what_is_left_out_is_its_callers)
{
    options.hide = "plug,user32";
    compare();
    cr_expect_float_eq(row_of("app!proc")->costs[0].self_ms, 20.0 * 90, 1e-6);
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
    const cJSON *first = cJSON_GetArrayItem(cJSON_GetObjectItem(root, "functions"), 0);
    cr_expect_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(first, "name")), "app!paint");
    cr_expect_eq(cJSON_GetObjectItem(first, "self_change")->valuedouble, 3600);
    cJSON_Delete(root);
    write_with(um_stack_diff_write_html);
    cr_expect(strstr(text, "app!paint"));
}

Test(stack_diff, hostile_names_are_harmless)
{
    size_t tags = 0;
    for (size_t i = 0; i < um_diff_page_len; i++)
        tags += um_diff_page[i] == '<';
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
    char *page = calloc(1, um_diff_page_len + 1);
    memcpy(page, um_diff_page, um_diff_page_len);
    cr_expect(!strstr(page, "src=") && !strstr(page, "url("));
    const char *address = strstr(page, "://"); /* only a name, which nothing is loaded from */
    cr_expect(address && strncmp(address, "://www.w3.org/2000/svg'", 23) == 0);
    cr_expect(address && !strstr(address + 1, "://"));
    cr_expect(!strstr(page, "fetch(") && !strstr(page, "@import"));
    cr_expect(strstr(page, "default-src 'none'"));
    free(page);
}
