/* The calls of managed methods of a session, added up, and how they are shown. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include <criterion/criterion.h>

#include "base/plain/text.h"
#include "base/utf8.h"
#include "monitor/stats/method_sums.h"
#include "monitor/stats/methods_write.h"
#include "tests/hostile.h"
#include "tests/json_read.h"
#include "tests/written.h"

#define MS UINT64_C(1000000)
#define FIB_CALLS UINT64_C(2692537) /* of the naive Fibonacci of 30: 2 * F(31) - 1 */

static struct um_methods *methods;
static struct um_method_sums sums;

static void setup(void)
{
    cr_assert_eq(um_methods_open(&methods), UM_OK);
}

static void teardown(void)
{
    um_method_sums_deinit(&sums);
    um_methods_close(methods);
}

TestSuite(methods, .init = setup, .fini = teardown);

static void take_name(uint32_t method, const char *module, const char *name)
{
    struct um_wire_frame frame = {.type = UM_WIRE_METHOD, .as.method.method = method};
    um_text_set(frame.as.method.module, sizeof frame.as.method.module, module);
    um_text_set(frame.as.method.name, sizeof frame.as.method.name, name);
    um_methods_take(methods, &frame);
}

static void take_call(struct um_wire_method_call call)
{
    const struct um_wire_frame frame = {.type = UM_WIRE_METHOD_CALLS,
                                        .as.method_calls = {.count = 1, .list = {call}}};
    um_methods_take(methods, &frame);
}

/* A node of thread 7 whose calls have all ended. */
static void take_node(uint32_t node, uint32_t parent, uint32_t method, uint64_t calls,
                      uint64_t wall_ns, uint64_t self_ns)
{
    take_call((struct um_wire_method_call){.node = node,
                                           .parent = parent,
                                           .method = method,
                                           .thread = 7,
                                           .count = calls,
                                           .ended = calls,
                                           .wall_ns = wall_ns,
                                           .self_ns = self_ns,
                                           .cpu_ns = parent ? 0 : wall_ns});
}

static void take_head(struct um_wire_methods head)
{
    const struct um_wire_frame frame = {.type = UM_WIRE_METHODS, .as.methods = head};
    um_methods_take(methods, &frame);
}

static void take_times(void)
{
    take_head((struct um_wire_methods){.traced_ns = 10000 * MS,
                                       .methods = 5,
                                       .threads = 2,
                                       .depth = UM_METHODS_DEPTH_TIMES,
                                       .has_cpu = 1,
                                       .rounds = 1});
}

static void add_up(void)
{
    um_method_sums_deinit(&sums);
    cr_assert_eq(um_method_sums_make(&sums, methods), UM_OK);
}

static const struct um_method_sums_row *row_of(const char *name)
{
    for (size_t i = 0; i < sums.row_count; i++)
        if (strcmp(sums.rows[i].name, name) == 0)
            return &sums.rows[i];
    cr_assert(false, "there is no %s", name);
    return NULL;
}

static size_t within(uint32_t node, uint32_t *list, size_t cap)
{
    const struct um_call_rows rows = um_method_sums_rows(&sums);
    return um_call_rows_within(&rows, node, list, cap);
}

static uint32_t only(uint32_t node)
{
    uint32_t list[2];
    cr_assert_eq(within(node, list, 2), 1);
    return list[0];
}

static char *text(void)
{
    FILE *file = written_open();
    cr_assert_eq(um_methods_write_text(file, methods), UM_OK);
    return written_read(file, NULL);
}

static cJSON *json(void)
{
    struct um_json made = {.failed = false};
    cJSON *root = cJSON_CreateObject();
    um_methods_write_json(&made, root, methods);
    char *printed = um_json_print(&made, root, false);
    cr_assert(root = cJSON_Parse(printed), "%s", printed);
    cJSON_free(printed);
    return root;
}

/* Main runs for 100 ms, and calls Parse twice, which calls Read, and itself. */
static void take_program(void)
{
    take_name(1, "app.exe", "App.Main");
    take_name(2, "plugin.dll", "Plugin.Parse");
    take_name(3, "plugin.dll", "Plugin.Read");
    take_node(1, 0, 1, 1, 100 * MS, 10 * MS);
    take_node(2, 1, 2, 2, 90 * MS, 20 * MS);
    take_node(3, 2, 2, 6, 60 * MS, 30 * MS); /* Parse within Parse */
    take_node(4, 2, 3, 4, 10 * MS, 10 * MS);
    take_node(5, 3, 3, 12, 30 * MS, 30 * MS);
    take_call((struct um_wire_method_call){.node = 6,
                                           .method = 3,
                                           .thread = 8,
                                           .count = 5,
                                           .ended = 5,
                                           .wall_ns = 50 * MS,
                                           .self_ns = 50 * MS,
                                           .cpu_ns = 40 * MS});
}

/* Sums ----------------------------------------------------------------------------------------- */

Test(methods, a_method_has_the_sum_of_all_threads_and_callers)
{
    take_program();
    take_times();
    add_up();
    const struct um_method_sums_row *read = row_of("Plugin.Read");
    cr_expect_eq(sums.row_count, 3);
    cr_expect(sums.rows == read, "it has the most self time");
    cr_expect_eq(read->costs.calls, 4 + 12 + 5);
    cr_expect_eq(read->costs.ended, 4 + 12 + 5);
    cr_expect_eq(read->costs.self_ns, (10 + 30 + 50) * MS);
    cr_expect_eq(read->costs.wall_ns, (10 + 30 + 50) * MS);
    cr_expect_eq(read->costs.cpu_ns, 40 * MS);
    cr_expect_eq(read->threads, 2);
    cr_expect_str_eq(read->module, "plugin.dll");
    cr_expect_eq(row_of("App.Main")->threads, 1);
    cr_expect_eq(sums.calls, 1 + 2 + 6 + 4 + 12 + 5);
}

Test(methods, a_recursion_has_the_wall_time_of_its_outermost_call)
{
    take_program();
    take_times();
    add_up();
    cr_expect_eq(row_of("Plugin.Parse")->costs.calls, 8);
    cr_expect_eq(row_of("Plugin.Parse")->costs.self_ns, 50 * MS);
    cr_expect_eq(row_of("Plugin.Parse")->costs.wall_ns, 90 * MS);
    /* Parse within Read within Parse is still within Parse. */
    take_node(7, 5, 2, 1, 5 * MS, 5 * MS);
    take_node(8, 1, 3, 1, MS, MS);
    take_node(9, 8, 2, 1, 2 * MS, 2 * MS);
    add_up();
    cr_expect_eq(row_of("Plugin.Parse")->costs.wall_ns, (90 + 2) * MS);
}

Test(methods, cpu_times_are_those_of_outermost_calls)
{
    take_program();
    take_call((struct um_wire_method_call){
        .node = 7, .parent = 1, .method = 3, .thread = 7, .count = 1, .cpu_ns = 99 * MS});
    take_times();
    add_up();
    cr_expect_eq(row_of("App.Main")->costs.cpu_ns, 100 * MS);
    cr_expect_eq(row_of("Plugin.Parse")->costs.cpu_ns, 0);
    cr_expect_eq(row_of("Plugin.Read")->costs.cpu_ns, 40 * MS);
}

/* Frames come in any order, some twice, and some not at all. */
Test(methods, late_and_lost_frames_do_no_harm)
{
    take_name(1, "app.exe", "App.Main");
    take_node(1, 0, 1, 7, 70 * MS, 70 * MS);
    take_node(1, 0, 1, 5, 50 * MS, 50 * MS);
    take_node(3, 2, 1, 4, 40 * MS, 40 * MS); /* its parent comes later */
    take_times();
    add_up();
    uint32_t thread = only(UM_METHOD_SUMS_ROOT);
    cr_expect_eq(sums.nodes[only(thread)].costs.calls, 11, "it lies at the top meanwhile");
    take_node(2, 1, 9, 1, 50 * MS, 10 * MS);
    add_up();
    cr_expect_eq(row_of("App.Main")->costs.calls, 11);
    cr_expect_eq(row_of("App.Main")->costs.wall_ns, 70 * MS);
    cr_expect_eq(row_of("")->costs.calls, 1, "its METHOD never came");
    uint32_t main_node = only(only(UM_METHOD_SUMS_ROOT));
    cr_expect_eq(sums.nodes[main_node].costs.calls, 7);
    cr_expect_eq(sums.nodes[only(only(main_node))].costs.calls, 4);
    take_name(9, "late.dll", "Late");
    add_up();
    cr_expect_eq(row_of("Late")->costs.calls, 1);
}

Test(methods, overloads_are_one_row_and_one_node)
{
    take_name(1, "app.exe", "App.Add");
    take_name(2, "app.exe", "App.Add");
    take_name(3, "other.exe", "App.Add");
    take_node(1, 0, 1, 3, 3 * MS, 3 * MS);
    take_node(2, 0, 2, 4, 4 * MS, 4 * MS);
    take_node(3, 0, 3, 50, MS, MS);
    take_times();
    add_up();
    cr_assert_eq(sums.row_count, 2);
    cr_expect_eq(sums.rows[0].costs.calls, 7);
    cr_expect_eq(sums.rows[0].costs.wall_ns, 7 * MS);
    uint32_t list[3];
    cr_assert_eq(within(only(UM_METHOD_SUMS_ROOT), list, 3), 2);
    cr_expect_eq(sums.nodes[list[0]].costs.calls, 7);
}

Test(methods, threads_come_with_the_busiest_first)
{
    uint32_t list[3];
    take_program();
    take_times();
    take_call((struct um_wire_method_call){.node = 7, .method = 3, .count = 900}); /* several */
    add_up();
    cr_assert_eq(within(UM_METHOD_SUMS_ROOT, list, 3), 3);
    cr_expect_eq(sums.nodes[list[0]].thread, 7);
    cr_expect_eq(sums.nodes[list[0]].costs.cpu_ns, 100 * MS);
    cr_expect_eq(sums.nodes[list[0]].costs.wall_ns, 100 * MS);
    cr_expect_eq(sums.nodes[list[0]].costs.self_ns, 100 * MS);
    cr_expect_eq(sums.nodes[list[1]].thread, 8);
    cr_expect_eq(sums.nodes[list[2]].thread, 0);
    cr_expect_eq(row_of("Plugin.Read")->threads, 3);
}

/* CPU times are known of calls that took a millisecond or more. */
Test(methods, a_thread_that_waits_is_not_busy)
{
    uint32_t list[3];
    take_name(1, "", "Waits");
    take_name(2, "", "Short");
    take_name(3, "", "Main");
    take_call((struct um_wire_method_call){.node = 1,
                                           .method = 1,
                                           .thread = 1,
                                           .count = 9,
                                           .ended = 9,
                                           .wall_ns = 900 * MS,
                                           .self_ns = 900 * MS,
                                           .cpu_ns = 2 * MS});
    take_call((struct um_wire_method_call){.node = 2,
                                           .method = 2,
                                           .thread = 2,
                                           .count = 90,
                                           .ended = 90,
                                           .wall_ns = 80 * MS,
                                           .self_ns = 80 * MS});
    take_call((struct um_wire_method_call){.node = 3, .method = 3, .thread = 3, .count = 1});
    take_call((struct um_wire_method_call){.node = 4,
                                           .parent = 3,
                                           .method = 2,
                                           .thread = 3,
                                           .count = 7,
                                           .ended = 7,
                                           .wall_ns = 99 * MS});
    take_times();
    add_up();
    cr_assert_eq(within(UM_METHOD_SUMS_ROOT, list, 3), 3);
    cr_expect_eq(sums.nodes[list[0]].thread, 3);
    cr_expect_eq(sums.nodes[list[1]].thread, 2);
    cr_expect_eq(sums.nodes[list[2]].thread, 1);
    take_head((struct um_wire_methods){.depth = UM_METHODS_DEPTH_TIMES});
    add_up();
    within(UM_METHOD_SUMS_ROOT, list, 3);
    cr_expect_eq(sums.nodes[list[0]].thread, 1, "nothing else is known");
}

/* What has not ended has no time, but it is not lighter than what it has called. */
Test(methods, what_has_not_ended_comes_before_shorter_calls)
{
    uint32_t list[2];
    take_name(1, "", "Short");
    take_name(2, "", "Lasts");
    take_name(3, "", "Long");
    take_node(1, 0, 1, 1, 5 * MS, 5 * MS);
    take_call((struct um_wire_method_call){.node = 2, .method = 2, .thread = 7, .count = 1});
    take_node(3, 2, 3, 1, 9 * MS, 9 * MS);
    take_times();
    add_up();
    cr_assert_eq(within(only(UM_METHOD_SUMS_ROOT), list, 2), 2);
    cr_expect_str_eq(sums.rows[sums.nodes[list[0]].row].name, "Lasts");
}

/* Of a feed that lies ------------------------------------------------------------------------- */

Test(methods, numbers_beyond_the_limits_are_left_out)
{
    take_name(0, "", "zero");
    take_name(UM_WIRE_METHOD_NUMBERS, "", "too many");
    take_node(0, 0, 1, 1, MS, MS);
    take_node(UM_WIRE_METHOD_NODES, 1, 1, 1, MS, MS);
    take_node(3, 3, 1, 1, MS, MS);
    take_node(3, 4, 1, 1, MS, MS);
    take_node(3, 0, UM_WIRE_METHOD_NUMBERS, 1, MS, MS);
    cr_expect_eq(um_methods_node_end(methods), 0);
    take_node(UM_WIRE_METHOD_NODES - 1, UM_WIRE_METHOD_NODES - 2, UM_WIRE_METHOD_NUMBERS - 1, 1, MS,
              MS);
    take_name(UM_WIRE_METHOD_NUMBERS - 1, "m", "last");
    cr_expect_eq(um_methods_node_end(methods), UM_WIRE_METHOD_NODES);
    take_times();
    add_up();
    cr_expect_eq(sums.row_count, 1);
    cr_expect_eq(row_of("last")->costs.calls, 1);
    struct um_wire_frame many = {.type = UM_WIRE_METHOD_CALLS, .as.method_calls.count = UINT8_MAX};
    um_methods_take(methods, &many);
}

Test(methods, sums_do_not_overflow)
{
    take_name(1, "", "Huge");
    for (uint32_t i = 1; i < 5; i++)
        take_node(i, i == 4 ? 3 : 0, 1, UINT64_MAX - i, UINT64_MAX - i, UINT64_MAX - i);
    take_times();
    add_up();
    cr_expect_eq(sums.calls, UINT64_MAX);
    cr_expect_eq(sums.rows[0].costs.calls, UINT64_MAX);
    cr_expect_eq(sums.rows[0].costs.wall_ns, UINT64_MAX);
    cr_expect_eq(sums.rows[0].costs.self_ns, UINT64_MAX);
    cr_expect_eq(sums.rows[0].costs.cpu_ns, UINT64_MAX);
    cr_expect_eq(sums.nodes[only(UM_METHOD_SUMS_ROOT)].weight, UINT64_MAX);
    cr_expect(text());
    cJSON_Delete(json());
}

/* A thread goes on with the tree of one that has ended, and its nodes are told of one by one. */
Test(methods, a_node_is_on_the_thread_of_the_outermost_one_around_it)
{
    uint32_t list[3];
    take_program();
    take_call((struct um_wire_method_call){
        .node = 2, .parent = 1, .method = 2, .count = 3, .ended = 3, .wall_ns = 95 * MS});
    take_times();
    add_up();
    cr_assert_eq(within(UM_METHOD_SUMS_ROOT, list, 3), 2);
    cr_expect_eq(sums.nodes[list[0]].thread, 7);
    cr_expect_eq(row_of("Plugin.Parse")->costs.wall_ns, 95 * MS);
    take_call((struct um_wire_method_call){.node = 1, .method = 1, .count = 1});
    take_node(1, 0, 1, 1, 100 * MS, 10 * MS); /* late */
    add_up();
    cr_assert_eq(within(UM_METHOD_SUMS_ROOT, list, 3), 2);
    cr_expect_eq(sums.nodes[list[0]].thread, 0);
    cr_expect_eq(row_of("App.Main")->costs.wall_ns, 100 * MS);
    cr_expect(strstr(text(), "on several threads together, the busiest of 2"));
}

/* A chain as deep as there are nodes: nothing goes down it by recursion. */
Test(methods, a_tree_may_be_as_deep_as_it_is_large)
{
    take_name(1, "", "Deep");
    for (uint32_t i = 1; i < UM_WIRE_METHOD_NODES; i++)
        take_node(i, i - 1, 1, 1, UM_WIRE_METHOD_NODES - i, 1);
    take_times();
    add_up();
    cr_expect_eq(sums.rows[0].costs.calls, UM_WIRE_METHOD_NODES - 1);
    cr_expect_eq(sums.rows[0].costs.wall_ns, UM_WIRE_METHOD_NODES - 1);
    cr_expect(strstr(text(), "and 65529 more rows"), "%s", text());
    cJSON *root = json();
    char *printed = cJSON_PrintUnformatted(root);
    cr_expect(strstr(printed, "\"left_out\":1"));
    cJSON *read = cJSON_Parse(printed);
    cr_expect(read, "it is not too deep for a parser");
    cJSON_Delete(read);
    cJSON_free(printed);
    cJSON_Delete(root);
}

Test(methods, as_many_of_all_as_there_can_be)
{
    char name[32];
    for (uint32_t i = 1; i < UM_WIRE_METHOD_NUMBERS; i++) {
        snprintf(name, sizeof name, "M%u", (unsigned)i);
        take_name(i, "m.dll", name);
    }
    for (uint32_t i = 1; i < UM_WIRE_METHOD_NODES; i++)
        take_call((struct um_wire_method_call){
            .node = i, .method = i % UM_WIRE_METHOD_NUMBERS, .thread = i, .count = i});
    take_times();
    add_up();
    cr_expect_eq(sums.row_count, UM_WIRE_METHOD_NUMBERS);
    cr_expect_eq(sums.node_count, 2 * (UM_WIRE_METHOD_NODES - 1) + 1);
    cr_expect_eq(sums.calls, (uint64_t)UM_WIRE_METHOD_NODES * (UM_WIRE_METHOD_NODES - 1) / 2);
    cJSON *root = json();
    cr_expect_eq(json_size(root, "methods.list"), UM_WIRE_METHOD_NUMBERS);
    cr_expect_eq(json_number(root, "methods.threads_left_out"),
                 UM_WIRE_METHOD_NODES - 1 - UM_CALL_ROWS_JSON_ROWS);
    cJSON_Delete(root);
}

/* The first name stays, or else a feed could fill up the memory. */
Test(methods, a_method_is_named_once)
{
    take_name(1, "", "");
    take_name(1, "a.dll", "First");
    take_name(1, "b.dll", "Second");
    take_node(1, 0, 1, 1, MS, MS);
    take_times();
    add_up();
    cr_expect_str_eq(sums.rows[0].name, "First");
    cr_expect_str_eq(sums.rows[0].module, "a.dll");
}

Test(methods, names_do_no_harm)
{
    for (uint32_t i = 0; i < HOSTILE_TEXTS; i++) {
        take_name(i + 1, hostile_texts[i], hostile_texts[i]);
        take_node(i + 1, i, i + 1, 1, (100 - i) * MS, MS);
    }
    take_times();
    char *shown = text();
    cr_expect(hostile_is_harmless(shown), "%s", shown);
    cJSON *root = json();
    char *printed = cJSON_PrintUnformatted(root);
    cr_expect(hostile_is_harmless(printed), "%s", printed);
    cJSON_free(printed);
    cJSON_Delete(root);
}

/* Text ----------------------------------------------------------------------------------------- */

Test(methods, nothing_traced_is_nothing_shown)
{
    take_name(1, "app.exe", "App.Main");
    cr_expect_str_eq(text(), "");
    cJSON *root = json();
    struct um_json made = {.failed = false};
    um_methods_write_json(&made, root, NULL);
    cr_expect_eq(um_methods_write_text(NULL, NULL), UM_OK);
    cr_expect(!made.failed && !root->child);
    cJSON_Delete(root);
}

Test(methods, text_is_a_table_and_the_tree_of_the_busiest_thread)
{
    take_program();
    take_times();
    cr_expect_str_eq(text(),
                     "  Methods    30 calls in 10.0 s: 5 methods, 2 threads\n"
                     "             counts are exact; times are as debugged: traced methods run\n"
                     "             unoptimised, so their own time is more than it would be\n"
                     "        calls   self ms  wall ms  method, module\n"
                     "           21      90.0     90.0  Plugin.Read, plugin.dll\n"
                     "            8      50.0     90.0  Plugin.Parse, plugin.dll\n"
                     "            1      10.0      100  App.Main, app.exe\n"
                     "             what called what on thread 7, the busiest of 2\n"
                     "             it ran for 100 ms\n"
                     "            1      10.0      100  App.Main, app.exe\n"
                     "            2      20.0     90.0    Plugin.Parse, plugin.dll\n"
                     "            6      30.0     60.0      Plugin.Parse, plugin.dll\n"
                     "           12      30.0     30.0        Plugin.Read, plugin.dll\n"
                     "            4      10.0     10.0      Plugin.Read, plugin.dll\n");
}

Test(methods, without_times_text_has_the_most_calls_first)
{
    take_name(1, "app.exe", "App.Main");
    take_name(2, "demo.dll", "Demo.Fib");
    take_node(1, 0, 1, 1, 5 * MS, 5 * MS); /* times that are none */
    take_node(2, 0, 2, FIB_CALLS, 0, 0);
    take_head(
        (struct um_wire_methods){.traced_ns = 2500 * MS, .methods = 2, .threads = 1, .rounds = 1});
    cr_expect_str_eq(text(), "  Methods    2692538 calls in 2.5 s: 2 methods, 1 thread\n"
                             "             counts are exact\n"
                             "        calls  method, module\n"
                             "      2692537  Demo.Fib, demo.dll\n"
                             "            1  App.Main, app.exe\n");
}

/* The program's Run calls Tick, which is not counted for a while: after that Tick is nobody's. */
static void take_broken(uint32_t rounds, uint64_t missed_ns)
{
    take_name(1, "zoo.dll", "Forever.Run");
    take_name(2, "zoo.dll", "Forever.Tick");
    take_call((struct um_wire_method_call){.node = 1, .method = 1, .thread = 7, .count = 1});
    take_node(2, 1, 2, 140, 140 * MS, 140 * MS);
    take_node(3, 0, 2, 111, 111 * MS, 111 * MS);
    take_head((struct um_wire_methods){.traced_ns = 12700 * MS,
                                       .methods = 2,
                                       .threads = 1,
                                       .depth = UM_METHODS_DEPTH_TIMES,
                                       .rounds = rounds,
                                       .missed_ns = missed_ns});
}

Test(methods, a_break_is_told_with_the_time_that_is_missing)
{
    take_broken(2, 3214 * MS);
    cr_expect_str_eq(
        text(), "  Methods    252 calls in 12.7 s: 2 methods, 1 thread\n"
                "             times are as debugged: traced methods run\n"
                "             unoptimised, so their own time is more than it would be\n"
                "             interrupted once: calls of 3214 ms are missing\n"
                "             later calls by methods that ran on are at the top of their thread\n"
                "        calls   self ms  wall ms  method, module\n"
                "          251       251      251  Forever.Tick, zoo.dll\n"
                "            1         -        -  Forever.Run (1 without end), zoo.dll\n"
                "             what called what on thread 7\n"
                "            1         -        -  Forever.Run (1 without end), zoo.dll\n"
                "          140       140      140    Forever.Tick, zoo.dll\n"
                "          111       111      111  Forever.Tick, zoo.dll\n");
    cJSON *root = json();
    cr_expect(cJSON_IsFalse(json_at(root, "methods.exact")));
    cr_expect_eq(json_number(root, "methods.interruptions"), 1);
    cr_expect_eq(json_number(root, "methods.missed_ms"), 3214);
    cr_expect(!json_at(root, "methods.end_missing"));
    cJSON_Delete(root);
    take_broken(4, 9 * MS);
    char *shown = text();
    cr_expect(strstr(shown, "  interrupted 3 times: calls of 9.00 ms are missing\n"), "%s", shown);
}

static void take_unseen(uint32_t entry, const char *name, const char *meant)
{
    struct um_wire_frame frame = {.type = UM_WIRE_METHOD_UNSEEN, .as.method_unseen.entry = entry};
    um_text_set(frame.as.method_unseen.name, sizeof frame.as.method_unseen.name, name);
    um_text_set(frame.as.method_unseen.meant, sizeof frame.as.method_unseen.meant, meant);
    um_methods_take(methods, &frame);
}

Test(methods, a_name_that_is_in_nothing_has_a_line)
{
    struct um_wire_methods head = {.traced_ns = 6000 * MS, .rounds = 1, .unseen = 1 | 4};
    take_unseen(0, "Nothing.There", "");
    take_unseen(1, "Late.Plugin", ""); /* a method was in it after that */
    take_unseen(2, "Plgn", "");
    take_unseen(2, "Plugn", "Plugin\x1b");
    take_head(head);
    cr_expect_str_eq(text(),
                     "  Methods    0 calls in 6.0 s: 0 methods, 0 threads\n"
                     "             no traced method has Nothing.There\n"
                     "             no traced method has Plugn; did you mean Plugin\xef\xbf\xbd?\n");
    cJSON *root = json();
    cr_expect(cJSON_IsFalse(json_at(root, "methods.exact")));
    cr_assert_eq(json_size(root, "methods.unseen"), 2);
    cr_expect_str_eq(json_text(root, "methods.unseen.0.name"), "Nothing.There");
    cr_expect(!json_at(root, "methods.unseen.0.meant"));
    cr_expect_str_eq(json_text(root, "methods.unseen.1.name"), "Plugn");
    cr_expect_str_eq(json_text(root, "methods.unseen.1.meant"), "Plugin\xef\xbf\xbd");
    cJSON_Delete(root);
    for (uint32_t i = 0; i <= UM_WIRE_METHOD_ENTRIES; i++)
        take_unseen(i, "Company.Product.Component.Subsystem.Plugn.With.A.Long.Name.To.Be.Cut", "X");
    head.unseen = UINT32_MAX;
    take_head(head);
    cr_expect(strstr(text(), "             and 29 more names\n"), "%s", text());
    for (char *shown = strtok(text(), "\n"); shown; shown = strtok(NULL, "\n"))
        cr_expect_leq(um_utf8_columns(shown), 80, "%s", shown);
    take_unseen(0, "Company.Product.Component.Plugn", "Company.Product.Component.Plugin");
    take_unseen(1, "Company.Product.Plugn", "PluginsAre");
    take_unseen(2, "Company.Product.Plugn", "PluginsIs");
    take_head(head);
    cr_expect(strstr(text(), "  no traced method has Company.Product.Component.Plugn\n"
                             "             did you mean Company.Product.Component.Plugin?\n"
                             "             no traced method has Company.Product.Plugn\n"
                             "             did you mean PluginsAre?\n"
                             "             no traced method has Company.Product.Plugn; did you "
                             "mean PluginsIs?\n"),
              "%s", text());
    char meant[400];
    memset(meant, 'N', sizeof meant - 1);
    meant[sizeof meant - 1] = '\0';
    take_unseen(0, "Plgn", meant);
    take_head(head);
    cr_expect(strstr(text(), meant), "what was meant is never cut");
    head.unseen = 0;
    take_head(head);
    cr_expect(!strstr(text(), "no traced method"));
}

/* What is missing for any reason. */
Test(methods, exact_is_said_only_where_nothing_is_missing)
{
    const struct um_wire_methods whole = {.depth = UM_METHODS_DEPTH_COUNTS, .rounds = 1};
    struct um_wire_methods head = whole;
    take_head(whole);
    cr_expect(!strstr(text(), "exact"), "nothing is counted");
    take_name(1, "app.exe", "App.Main");
    cr_expect(!strstr(text(), "exact"), "nor is a name a call");
    take_node(1, 0, 1, 5, 0, 0);
    cr_expect(strstr(text(), "counts are exact\n"));
    head.rounds = 0;
    take_head(head);
    cr_expect(!strstr(text(), "exact"), "it is not known");
    head = whole;
    head.on = 1;
    take_head(head);
    cr_expect(!strstr(text(), "exact") && strstr(text(), "the last calls are missing"));
    head = whole;
    head.rest = 1;
    take_head(head);
    cr_expect(!strstr(text(), "exact"), "a call has no row");
    take_head(whole);
    cr_expect(strstr(text(), "counts are exact\n"));
    take_node(2, 0, 0, 1, 0, 0);
    cr_expect(!strstr(text(), "exact"), "a call is in the row of all others");
}

Test(methods, text_counts_what_it_does_not_tell_apart)
{
    char name[16];
    for (uint32_t i = 1; i < 30; i++) {
        snprintf(name, sizeof name, "M%u", (unsigned)i);
        take_name(i, "", name);
        take_node(i, 0, i, 1, MS, (40 - i) * MS);
    }
    take_node(30, 0, 0, 77, 90 * MS, 90 * MS);
    take_call((struct um_wire_method_call){.node = 31, .method = 1, .thread = 7, .count = 3});
    take_head((struct um_wire_methods){
        .methods = 31, .dynamic = 2, .rest = 77, .depth = UM_METHODS_DEPTH_TIMES});
    char *shown = text();
    cr_expect(strstr(shown, "77      90.0     90.0  all others: there was no room for more\n"),
              "%s", shown);
    cr_expect(strstr(shown, "  M1 (3 without end)\n"), "%s", shown);
    cr_expect(strstr(shown, "  M19\n             and 10 more methods\n"), "%s", shown);
    cr_expect(strstr(shown, "2 methods were made at run time, without a name\n"), "%s", shown);
    cr_expect(strstr(shown, "77 calls have no row: there was no room\n"), "%s", shown);
    cr_expect(strstr(shown, "on thread 7\n"), "%s", shown);
    cr_expect(strstr(shown, "and 6 more rows\n"), "%s", shown);
}

Test(methods, text_has_80_columns)
{
    char name[UM_WIRE_METHOD_NAME_BYTES];
    memset(name, 'N', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    for (uint32_t i = 1; i < 9; i++) {
        name[0] = (char)('A' + i);
        take_name(i, name, name);
        take_node(i, i - 1, i, 12345678901, 123456789 * MS, 123456789 * MS);
    }
    take_call((struct um_wire_method_call){
        .node = 20, .method = 1, .count = 1, .ended = 1, .cpu_ns = 1234567890 * MS});
    take_head((struct um_wire_methods){.traced_ns = 10000 * MS,
                                       .methods = UINT32_MAX,
                                       .threads = UINT32_MAX,
                                       .dynamic = UINT32_MAX,
                                       .rest = 12345678901,
                                       .rounds = UINT32_MAX,
                                       .missed_ns = 12345678901 * MS,
                                       .on = 1,
                                       .depth = UM_METHODS_DEPTH_TIMES,
                                       .has_cpu = 1});
    for (char *line = strtok(text(), "\n"); line; line = strtok(NULL, "\n"))
        cr_expect_leq(um_utf8_columns(line), 80, "%s", line);
}

/* JSON ----------------------------------------------------------------------------------------- */

static void expect_json(const char *wanted)
{
    cJSON *root = json();
    char *printed = cJSON_PrintUnformatted(root);
    cr_expect_str_eq(printed, wanted);
    cJSON_free(printed);
    cJSON_Delete(root);
}

Test(methods, json_has_all_of_it)
{
    take_name(1, "app.exe", "App.Main");
    take_name(2, "plugin.dll", "Plugin.Parse");
    take_call((struct um_wire_method_call){
        .node = 1, .method = 1, .thread = 7, .count = 1, .cpu_ns = 4 * MS});
    take_node(2, 1, 2, 3, 5 * MS, 5 * MS);
    take_times();
    expect_json(
        "{\"methods\":{\"depth\":\"times\",\"traced_ms\":10000,\"method_count\":5,"
        "\"thread_count\":2,\"dynamic\":0,\"rest\":0,"
        "\"exact\":true,\"interruptions\":0,\"missed_ms\":0,\"calls\":4,\"list\":["
        "{\"method\":\"Plugin.Parse\",\"module\":\"plugin.dll\",\"calls\":3,\"ended\":3,"
        "\"wall_ms\":5,\"self_ms\":5,\"threads\":1},"
        "{\"method\":\"App.Main\",\"module\":\"app.exe\",\"calls\":1,\"ended\":0,"
        "\"cpu_ms\":4,\"threads\":1}],"
        "\"threads\":[{\"thread\":7,\"cpu_ms\":4,\"calls\":["
        "{\"row\":1,\"calls\":1,\"ended\":0,"
        "\"within\":[{\"row\":0,\"calls\":3,\"ended\":3,\"wall_ms\":5,\"self_ms\":5}]}]}]}}");
}

Test(methods, json_has_no_times_where_there_are_none)
{
    take_name(1, "demo.dll", "Demo.Fib");
    take_node(1, 0, 1, FIB_CALLS, 5 * MS, 5 * MS);
    take_call((struct um_wire_method_call){.node = 2, .count = 9});
    expect_json("{\"methods\":{\"exact\":false,\"end_missing\":true,\"calls\":2692546,\"list\":["
                "{\"method\":\"Demo.Fib\",\"module\":\"demo.dll\",\"calls\":2692537,\"threads\":1},"
                "{\"others\":true,\"calls\":9,\"threads\":1}],"
                "\"threads\":[{\"thread\":7,\"calls\":[{\"row\":0,\"calls\":2692537}]},"
                "{\"calls\":[{\"row\":1,\"calls\":9}]}]}}");
    take_head((struct um_wire_methods){.traced_ns = MS, .methods = 1, .threads = 1, .rest = 9});
    cJSON *root = json();
    cr_expect_str_eq(json_text(root, "methods.depth"), "counts");
    cr_expect_eq(json_number(root, "methods.rest"), 9);
    cr_expect(!json_at(root, "methods.list.0.self_ms") && !json_at(root, "methods.list.0.ended"));
    cr_expect(!json_at(root, "methods.threads.0.cpu_ms"));
    cJSON_Delete(root);
    take_head((struct um_wire_methods){.depth = UM_WIRE_UNKNOWN});
    root = json();
    cr_expect_str_eq(json_text(root, "methods.depth"), "unknown");
    cr_expect(!json_at(root, "methods.list.0.self_ms"));
    cJSON_Delete(root);
}
