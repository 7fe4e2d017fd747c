/* The traced messages of a session, and how they are shown. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include <criterion/criterion.h>

#include "base/plain/text.h"
#include "ipc/names.h"
#include "base/utf8.h"
#include "monitor/stats/traced_write.h"
#include "tests/written.h"

#define COMMAND 0x111u
#define PAINT 0xfu
#define MS UINT64_C(1000000)
#define KEY ((UINT64_C(2) << 48) + 0x1234) /* in module 1 */

static struct um_handlers *handlers;
static struct um_traced *traced;

static void setup(void)
{
    cr_assert_eq(um_handlers_open(&handlers), UM_OK);
    cr_assert_eq(um_traced_open(handlers, &traced), UM_OK);
}

static void teardown(void)
{
    um_traced_close(traced);
    um_handlers_close(handlers);
}

TestSuite(traced, .init = setup, .fini = teardown);

static void take_call(uint32_t tree, uint32_t node, uint32_t parent, uint32_t message,
                      const char *window_class)
{
    struct um_wire_frame frame = {
        .type = UM_WIRE_TRACED_CALL,
        .as.traced_call = {.tree = tree,
                           .node = node,
                           .parent = parent,
                           .message = message,
                           .key = KEY,
                           .kind = parent ? UM_TRACE_SENT : UM_TRACE_RETRIEVED}};
    um_text_set(frame.as.traced_call.window_class, UM_WIRE_TRACE_CLASS_BYTES, window_class);
    um_traced_take(traced, &frame);
}

static void take_times(uint32_t tree, uint32_t node, uint64_t count, uint64_t wall_ns)
{
    struct um_wire_frame frame = {.type = UM_WIRE_TRACED_TIMES,
                                  .as.traced_list = {.tree = tree,
                                                     .count = 1,
                                                     .list = {{.node = node,
                                                               .count = count,
                                                               .ended = count,
                                                               .wall_ns = wall_ns,
                                                               .self_ns = wall_ns / 2}}}};
    um_traced_take(traced, &frame);
}

static void take_sum(uint64_t traced_ns)
{
    struct um_wire_frame frame = {
        .type = UM_WIRE_TRACING,
        .as.tracing = {.traced_ns = traced_ns, .timed_calls = 10, .timed_ns = 4000}};
    um_traced_take(traced, &frame);
}

static size_t within(uint32_t node, uint32_t *list, size_t cap)
{
    const struct um_call_rows rows = um_traced_rows(traced);
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
    um_traced_write_text(file, traced);
    return written_read(file, NULL);
}

Test(traced, times_are_the_latest_ones)
{
    cr_expect(!um_traced_sum(traced)->any);
    take_call(1, 2, 0, COMMAND, "Dlg");
    take_call(1, 3, 2, PAINT, "Edit");
    take_times(1, 2, 5, 50 * MS);
    take_times(1, 2, 6, 60 * MS);
    take_times(1, 3, 1, MS);
    uint32_t command = only(UM_TRACED_ROOT);
    cr_expect(um_traced_sum(traced)->any);
    cr_expect_eq(um_traced_node(traced, command)->times.count, 6);
    cr_expect_eq(um_traced_node(traced, command)->times.wall_ns, 60 * MS);
    cr_expect_eq(um_traced_node(traced, only(command))->message, PAINT);
}

/* The DLL tells of the node for all others before there are any. */
Test(traced, where_there_was_room_there_are_no_others)
{
    struct um_wire_frame frame = {.type = UM_WIRE_TRACED_CALL,
                                  .as.traced_call = {.tree = 1, .node = 1, .kind = UM_TRACE_OTHER}};
    um_traced_take(traced, &frame);
    take_call(1, 2, 0, COMMAND, "Dlg");
    take_times(1, 2, 5, 50 * MS);
    char *shown = text();
    cr_expect(!strstr(shown, "no room for more") && !strstr(shown, "more rows"), "%s", shown);
    cr_expect_eq(um_traced_node(traced, only(UM_TRACED_ROOT))->message, COMMAND);
    take_times(1, 1, 3, MS);
    shown = text();
    cr_expect(strstr(shown, "  3      1.00     0.50  all others: there was no room for more\n"),
              "%s", shown);
}

/* The DLL has told of a call, and has found then that a beat of uimon's had caused it. */
Test(traced, what_was_taken_back_is_left_out)
{
    take_call(1, 2, 0, COMMAND, "Dlg");
    take_call(1, 3, 0, PAINT, "Edit");
    take_times(1, 2, 1, MS);
    take_times(1, 3, 1, MS);
    cr_expect_eq(um_traced_count(traced), 2);
    take_times(1, 2, 0, 0);
    cr_expect_eq(um_traced_count(traced), 1);
    cr_expect_eq(um_traced_node(traced, only(UM_TRACED_ROOT))->message, PAINT);
}

/* The DLL has come again, or a class has another atom. */
Test(traced, trees_become_one)
{
    take_call(1, 2, 0, COMMAND, "Dlg");
    take_times(1, 2, 5, 50 * MS);
    take_call(2, 2, 0, COMMAND, "Dlg");
    take_call(2, 3, 0, COMMAND, "Dlg");
    take_times(2, 2, 1, MS);
    take_times(2, 3, 2, MS);
    take_times(2, 3, 3, 2 * MS);
    take_times(1, 2, 99, MS); /* of a tree that is over */
    cr_expect_eq(um_traced_node(traced, only(UM_TRACED_ROOT))->times.count, 9);
    cr_expect_eq(um_traced_node(traced, only(UM_TRACED_ROOT))->times.wall_ns, 53 * MS);
}

Test(traced, those_that_took_longest_come_first)
{
    uint32_t list[3];
    for (uint32_t i = 2; i < 10; i++) {
        take_call(1, i, 0, i, "");
        take_times(1, i, 1, (i * 7 % 11) * MS);
    }
    cr_expect_eq(within(UM_TRACED_ROOT, list, 3), 8);
    cr_expect_eq(um_traced_node(traced, list[0])->message, 3); /* 21 % 11 */
    cr_expect_eq(um_traced_node(traced, list[1])->message, 6);
    cr_expect_eq(um_traced_node(traced, list[2])->message, 9);
}

Test(traced, handlers_are_named_when_the_name_comes)
{
    char handler[96];
    struct um_wire_frame module = {.type = UM_WIRE_MODULE, .as.module = {.number = 1}};
    struct um_wire_frame name = {.type = UM_WIRE_NAME,
                                 .as.name = {.key = KEY, .kind = UM_NAMES_DEBUG}};
    take_call(1, 2, 0, COMMAND, "");
    um_traced_handler(traced, only(UM_TRACED_ROOT), handler, sizeof handler);
    cr_expect_str_eq(handler, "module 1+0x1234");
    snprintf(module.as.module.path, sizeof module.as.module.path, "C:\\x\\app.exe");
    um_handlers_take(handlers, &module);
    um_traced_handler(traced, only(UM_TRACED_ROOT), handler, sizeof handler);
    cr_expect_str_eq(handler, "app.exe+0x1234");
    struct um_wire_frame unknown = name;
    unknown.as.name.kind = UM_WIRE_UNKNOWN;
    um_handlers_take(handlers, &unknown);
    um_traced_handler(traced, only(UM_TRACED_ROOT), handler, sizeof handler);
    cr_expect_str_eq(handler, "app.exe+0x1234", "of an unknown kind there may be no name");
    snprintf(name.as.name.name, sizeof name.as.name.name, "on_command");
    um_handlers_take(handlers, &name);
    um_traced_handler(traced, only(UM_TRACED_ROOT), handler, sizeof handler);
    cr_expect_str_eq(handler, "on_command");
}

Test(traced, text_is_a_tree_of_80_columns)
{
    take_call(1, 2, 0, COMMAND, "A class with a name that is so long that it has to be cut");
    take_call(1, 3, 2, PAINT, "Edit");
    take_times(1, 2, 1234, 500 * MS);
    take_times(1, 3, 7, MS / 2);
    take_sum(10000 * MS);
    char *shown = text();
    cr_expect(strstr(shown, "  Messages   1241 traced in 10.0 s; uimon's own code took 0.40 µs"));
    cr_expect(strstr(shown, "\n       1234 ≤     500      250  WM_COMMAND @ A class"));
    cr_expect(strstr(shown, "\n          7      0.50     0.25    WM_PAINT @ Edit, module 1+0x12"));
    for (char *line = strtok(shown, "\n"); line; line = strtok(NULL, "\n"))
        cr_expect_leq(um_utf8_columns(line), 80, "%s", line);
}

/* The rows that count are shown, whatever they lie in, and the others are counted. */
Test(traced, text_has_the_heaviest_rows)
{
    for (uint32_t i = 2; i < 102; i++) {
        take_call(1, i, i < 52 ? 0 : 2, 0x400 + i, "");
        take_times(1, i, 1, i < 52 ? (1000 - i) * MS : MS);
    }
    char *shown = text();
    cr_expect(strstr(shown, "WM_USER+2,") && strstr(shown, "WM_USER+25,"));
    cr_expect(!strstr(shown, "WM_USER+26,") && !strstr(shown, "WM_USER+60,"));
    cr_expect(strstr(shown, "and 76 more rows"));
}

Test(traced, nothing_traced_is_nothing_shown)
{
    cr_expect_str_eq(text(), "");
    cJSON *root = cJSON_CreateObject();
    struct um_json made = {.failed = false};
    um_traced_write_json(&made, root, traced);
    um_traced_write_json(&made, root, NULL);
    cr_expect(!made.failed && !root->child);
    cJSON_Delete(root);
}

Test(traced, json_has_all_of_it)
{
    take_call(1, 2, 0, COMMAND, "Dlg");
    take_call(1, 3, 2, PAINT, "Edit");
    take_times(1, 2, 3, 5 * MS);
    take_sum(10 * MS);
    cJSON *root = cJSON_CreateObject();
    struct um_json made = {.failed = false};
    um_traced_write_json(&made, root, traced);
    char *json = um_json_print(&made, root, false);
    cr_expect_str_eq(
        json, "{\"messages\":{\"count\":3,\"traced_ms\":10,\"too_deep\":0,\"own_us\":0.4,"
              "\"rows\":[{\"kind\":\"retrieved\",\"message\":\"WM_COMMAND\","
              "\"window_class\":\"Dlg\",\"handler\":\"module 1+0x1234\",\"count\":3,\"ended\":3,"
              "\"ended_by_next\":0,\"wall_ms\":5,\"self_ms\":2.5,\"within\":[{\"kind\":\"sent\","
              "\"message\":\"WM_PAINT\",\"window_class\":\"Edit\","
              "\"handler\":\"module 1+0x1234\",\"count\":0,\"ended\":0}]}]}}");
    cJSON_free(json);
}

/* Of a feed that was cut, and of one that lies. */
Test(traced, what_does_not_fit_is_left_out)
{
    take_call(1, 9, 8, PAINT, ""); /* whose parent was never told */
    take_times(1, 9, 1, MS);
    cr_expect_eq(um_traced_sum(traced)->left_out, 2);
    for (uint32_t tree = 2; tree < 5; tree++)
        for (uint32_t i = 1; i < UM_WIRE_TRACE_NODES; i++)
            take_call(tree, i, 0, tree * UM_WIRE_TRACE_NODES + i, "");
    uint32_t list[1];
    cr_expect_eq(within(UM_TRACED_ROOT, list, 1), UM_TRACED_NODES - 1);
    cr_expect_gt(um_traced_sum(traced)->left_out, 2);
}
