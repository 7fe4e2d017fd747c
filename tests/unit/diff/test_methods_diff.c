/* The calls of managed methods in two recordings that are made here. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain/text.h"
#include "base/utf8.h"
#include "monitor/diff/methods_diff.h"
#include "tests/hostile.h"
#include "tests/json_read.h"
#include "tests/written.h"

#define US UINT64_C(1000)

static struct um_methods *sides[2];
static struct um_methods_diff diff;

static void setup(void)
{
    for (int i = 0; i < 2; i++)
        cr_assert_eq(um_methods_open(&sides[i]), UM_OK);
}

static void teardown(void)
{
    um_methods_diff_deinit(&diff);
    for (int i = 0; i < 2; i++)
        um_methods_close(sides[i]);
}

TestSuite(methods_diff, .init = setup, .fini = teardown);

static void end(int side, uint8_t depth)
{
    const struct um_wire_frame frame = {.type = UM_WIRE_METHODS,
                                        .as.methods = {.depth = depth, .rounds = 1}};
    um_methods_take(sides[side], &frame);
}

/* A method with so many calls, each of them of so many ns. */
static void method(int side, uint32_t number, const char *name, uint64_t calls, uint64_t self_ns)
{
    struct um_wire_frame frame = {.type = UM_WIRE_METHOD, .as.method.method = number};
    um_text_set(frame.as.method.name, sizeof frame.as.method.name, name);
    um_text_set(frame.as.method.module, sizeof frame.as.method.module, "demo.dll");
    if (number > 0)
        um_methods_take(sides[side], &frame);
    frame = (struct um_wire_frame){.type = UM_WIRE_METHOD_CALLS,
                                   .as.method_calls = {.count = 1,
                                                       .list = {{.node = number + 1,
                                                                 .method = number,
                                                                 .thread = 7,
                                                                 .count = calls,
                                                                 .ended = calls,
                                                                 .wall_ns = calls * self_ns,
                                                                 .self_ns = calls * self_ns}}}};
    um_methods_take(sides[side], &frame);
}

static void compare(void)
{
    um_methods_diff_deinit(&diff);
    cr_assert_eq(um_methods_diff_make(&diff, sides[0], sides[1]), UM_OK);
}

static char *text(void)
{
    FILE *file = written_open();
    um_methods_diff_write_text(file, &diff);
    return written_read(file, NULL);
}

static cJSON *json(void)
{
    struct um_json made = {.failed = false};
    cJSON *root = cJSON_CreateObject();
    um_methods_diff_write_json(&made, root, &diff);
    char *printed = um_json_print(&made, root, false);
    cr_assert(root = cJSON_Parse(printed), "%s", printed);
    cJSON_free(printed);
    return root;
}

static void make_both(uint8_t depth)
{
    method(0, 1, "Demo.Fib", 2692537, 6);
    method(0, 2, "Demo.Gone", 12, 5 * US);
    method(0, 3, "Demo.Same", 100, 2 * US);
    method(0, 4, "Demo.Slower", 1000, 3 * US);
    method(1, 7, "Demo.Fib", 1346269, 6); /* another number */
    method(1, 5, "Demo.New", 1, 7 * US);
    method(1, 3, "Demo.Same", 100, 2 * US);
    method(1, 4, "Demo.Slower", 1000, 4500);
    end(0, depth);
    end(1, depth);
}

Test(methods_diff, text_has_exact_calls_and_the_self_time_of_a_call)
{
    make_both(UM_METHODS_DEPTH_TIMES);
    compare();
    cr_expect_str_eq(
        text(), "\nCalls of managed methods, exact\n"
                "     before → after             change\n"
                "  2,692,537 → 1,346,269     -1,346,268  Demo.Fib, demo.dll\n"
                "         12 → -            only before  Demo.Gone, demo.dll\n"
                "          - → 1             only after  Demo.New, demo.dll\n"
                "2 methods were called as often as before\n"
                "\nSelf time of a call, as debugged, in µs; first what adds up to most. What two\n"
                "sessions differ in by chance is in these numbers too.\n"
                "     before → after             change\n"
                "      3.000 → 4.500             +1.500  Demo.Slower, demo.dll\n");
}

Test(methods_diff, without_times_on_both_sides_calls_alone_are_compared)
{
    make_both(UM_METHODS_DEPTH_TIMES);
    end(1, UM_METHODS_DEPTH_COUNTS);
    compare();
    cr_expect(!strstr(text(), "Self time"), "%s", text());
    cr_expect_eq(diff.count, 3);
    cr_expect_eq(diff.same, 2);
    cJSON *root = json();
    cr_expect_eq(json_number(root, "methods.list.0.before.self_us_per_call"), 0.006);
    cr_expect(!json_at(root, "methods.list.0.after.ended"));
    cJSON_Delete(root);
}

Test(methods_diff, json_has_the_greatest_change_first)
{
    make_both(UM_METHODS_DEPTH_TIMES);
    compare();
    cJSON *root = json();
    cr_expect_eq(json_number(root, "methods.different"), 4);
    cr_expect_eq(json_number(root, "methods.same"), 1);
    cr_assert_eq(json_size(root, "methods.list"), 4);
    cr_expect_str_eq(json_text(root, "methods.list.0.method"), "Demo.Fib");
    cr_expect_str_eq(json_text(root, "methods.list.0.module"), "demo.dll");
    cr_expect_eq(json_number(root, "methods.list.0.before.calls"), 2692537);
    cr_expect_eq(json_number(root, "methods.list.0.after.calls"), 1346269);
    cr_expect(!json_at(root, "methods.list.1.after"), "it is only before");
    cr_expect(!json_at(root, "methods.list.2.before"), "it is only after");
    cr_expect_eq(json_number(root, "methods.list.3.after.self_us_per_call"), 4.5);
    cr_expect_eq(json_number(root, "methods.list.3.after.self_ms"), 4.5);
    cJSON_Delete(root);
}

Test(methods_diff, the_same_twice_has_no_change)
{
    for (int side = 0; side < 2; side++) {
        method(side, 1, "Demo.Fib", 2692537, 6);
        end(side, UM_METHODS_DEPTH_TIMES);
    }
    compare();
    cr_expect_eq(diff.count, 0);
    cr_expect_str_eq(text(), "\nCalls of managed methods, exact\n"
                             "1 method was called as often as before\n");
}

/* Whichever of them has calls that were not counted. */
Test(methods_diff, calls_are_exact_where_both_sides_are)
{
    static const char *const lines[] = {"\nCalls of managed methods\n"
                                        "calls may be missing before, as `uimon report` says\n"
                                        "1 method was called as often as before\n",
                                        "\nCalls of managed methods\n"
                                        "calls may be missing after, as `uimon report` says\n"
                                        "1 method was called as often as before\n"};
    struct um_wire_frame broken = {.type = UM_WIRE_METHODS,
                                   .as.methods = {.depth = UM_METHODS_DEPTH_COUNTS, .rounds = 2}};
    for (int side = 0; side < 2; side++) {
        method(side, 1, "Demo.Fib", 2692537, 6);
        end(side, UM_METHODS_DEPTH_COUNTS);
    }
    for (int side = 0; side < 2; side++) {
        um_methods_take(sides[side], &broken);
        compare();
        cr_expect_str_eq(text(), lines[side]);
        cJSON *root = json();
        cr_expect(cJSON_IsFalse(json_at(root, "methods.exact")));
        cJSON_Delete(root);
        end(side, UM_METHODS_DEPTH_COUNTS);
    }
    compare();
    cJSON *root = json();
    cr_expect(cJSON_IsTrue(json_at(root, "methods.exact")));
    cJSON_Delete(root);
}

Test(methods_diff, one_side_alone_is_not_compared)
{
    method(0, 1, "Demo.Fib", 1, 6);
    end(0, UM_METHODS_DEPTH_TIMES);
    compare();
    cr_expect(!diff.any);
    cr_expect_str_eq(text(), "");
    cJSON *root = json();
    cr_expect(!root->child);
    cJSON_Delete(root);
    cr_expect_eq(um_methods_diff_make(&diff, sides[0], NULL), UM_OK);
    cr_expect(!um_methods_diff_has(NULL) && !um_methods_diff_has(sides[1]));
}

/* What stands for several methods is not the same in two sessions. */
Test(methods_diff, all_others_are_no_method)
{
    method(0, 0, "", 5, US);
    method(0, 1, "", 3, US);
    method(1, 0, "", 9, US);
    end(0, UM_METHODS_DEPTH_TIMES);
    end(1, UM_METHODS_DEPTH_TIMES);
    compare();
    cr_assert_eq(diff.count, 1);
    cr_expect_eq(diff.rows[0].costs[0].calls, 3);
    cr_expect(strstr(text(), "only before  (no name), demo.dll\n"), "%s", text());
}

Test(methods_diff, text_has_twenty_rows_and_ten)
{
    char name[16];
    for (uint32_t i = 1; i < 40; i++) {
        snprintf(name, sizeof name, "M%u", (unsigned)i);
        method(0, i, name, 1000, US);
        method(1, i, name, 1000 + i, US + i);
    }
    end(0, UM_METHODS_DEPTH_TIMES);
    end(1, UM_METHODS_DEPTH_TIMES);
    compare();
    char *shown = text();
    cr_expect(strstr(shown, "  M39, demo.dll\n") && strstr(shown, "+20  M20, demo.dll\n"), "%s",
              shown);
    cr_expect(!strstr(shown, "M19,") && strstr(shown, "\nand 19 more\n"), "%s", shown);
    cr_expect(strstr(shown, "+0.030  M30, demo.dll\n") && !strstr(shown, "+0.029"), "%s", shown);
}

Test(methods_diff, hostile_texts_and_numbers_do_no_harm)
{
    for (uint32_t i = 0; i < HOSTILE_TEXTS; i++)
        method(i % 2, i + 1, hostile_texts[i], UINT64_MAX - i, i);
    method(0, 200, "N", UINT64_MAX, UINT64_MAX);
    method(1, 200, "N", 1, 0);
    end(0, UM_METHODS_DEPTH_TIMES);
    end(1, UM_METHODS_DEPTH_TIMES);
    compare();
    char *shown = text();
    cr_expect(hostile_is_harmless(shown), "%s", shown);
    cr_expect(strstr(shown, "18,446,744,073,709,551,615 → 1 "), "%s", shown);
    cJSON_Delete(json());
    method(0, 300, "A method with a name that is so long that it has to be cut somewhere", 7, US);
    compare();
    for (char *line = strtok(text(), "\n"); line; line = strtok(NULL, "\n"))
        if (!strstr(line, "18,446"))
            cr_expect_leq(um_utf8_columns(line), 80, "%s", line);
}
