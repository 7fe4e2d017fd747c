/* The costs of layout of a session, and how they are shown. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include <criterion/criterion.h>

#include "base/plain/text.h"
#include "base/utf8.h"
#include "ipc/names.h"
#include "monitor/stats/laid_out_write.h"
#include "monitor/stats/stats.h"
#include "monitor/stats/summary.h"
#include "tests/written_golden.h"

#define MS UINT64_C(1000000)
#define SIZE 5u
#define PAINT 15u
#define KEY ((UINT64_C(2) << 48) + 0x1234) /* in module 1 */

static struct um_handlers *handlers;
static struct um_laid_out *laid_out;

static void setup(void)
{
    cr_assert_eq(um_handlers_open(&handlers), UM_OK);
    cr_assert_eq(um_laid_out_open(handlers, &laid_out), UM_OK);
}

static void teardown(void)
{
    um_laid_out_close(laid_out);
    um_handlers_close(handlers);
}

TestSuite(laid_out, .init = setup, .fini = teardown);

static struct um_wire_frame named(uint32_t id, uint32_t parent, const char *window_class,
                                  const char *text)
{
    struct um_wire_frame frame = {.type = UM_WIRE_LAYOUT_COMPONENT,
                                  .as.layout_component = {.id = id, .parent = parent}};
    um_text_set(frame.as.layout_component.window_class, UM_WIRE_LAYOUT_TEXT_BYTES, window_class);
    um_text_set(frame.as.layout_component.text, UM_WIRE_LAYOUT_TEXT_BYTES, text);
    return frame;
}

static struct um_wire_frame times_of(struct um_wire_layout_cost cost)
{
    return (struct um_wire_frame){.type = UM_WIRE_LAYOUT_TIMES,
                                  .as.layout_times = {.frames = 300,
                                                      .lost = 6,
                                                      .count = 1,
                                                      .list = {cost},
                                                      .without_end = 4,
                                                      .without_begin = 3}};
}

static void name(uint32_t id, uint32_t parent, const char *window_class, const char *text)
{
    struct um_wire_frame frame = named(id, parent, window_class, text);
    um_laid_out_take(laid_out, &frame);
}

static void count(uint32_t id, uint32_t authored, uint32_t rendered)
{
    struct um_wire_frame frame = named(id, 0, "", "");
    frame.as.layout_component.authored = authored;
    frame.as.layout_component.rendered = rendered;
    um_laid_out_take(laid_out, &frame);
}

static void place(struct um_wire_layout_place at)
{
    const struct um_wire_frame frame = {.type = UM_WIRE_LAYOUT_PLACE, .as.layout_place = at};
    um_laid_out_take(laid_out, &frame);
}

static void cost(struct um_wire_layout_cost of)
{
    struct um_wire_frame frame = times_of(of);
    um_laid_out_take(laid_out, &frame);
}

static void cost_ms(uint32_t id, uint64_t layout_ms)
{
    cost((struct um_wire_layout_cost){.id = id, .frames = 1, .layout_ns = layout_ms * MS});
}

static char *text(void)
{
    FILE *file = written_open();
    um_laid_out_write_text(file, laid_out);
    return written_read(file, NULL);
}

static char *json(void)
{
    struct um_json made = {.failed = false};
    cJSON *root = cJSON_CreateObject();
    um_laid_out_write_json(&made, root, laid_out);
    return um_json_print(&made, root, true);
}

/* A main window with a list in it, which has most of the cost, and a window without a name; and one
 * whose parts are not seen. */
static void fill(void)
{
    struct um_wire_frame module = {.type = UM_WIRE_MODULE, .as.module = {.number = 1}};
    um_text_set(module.as.module.path, sizeof module.as.module.path, "C:\\app.exe");
    um_handlers_take(handlers, &module);
    name(3, 0, "Main", "Editor");
    count(4, 5, 12);
    name(4, 3, "Pane", "Lists");
    name(5, 4, "Toolbar", "");
    name(6, 0, "HwndWrapper[App;;1]", "Preview");
    place((struct um_wire_layout_place){.id = 6, .width = 300, .height = 200, .draws_parts = 1});
    cost_ms(6, 3);
    cost((struct um_wire_layout_cost){.id = 3,
                                      .frames = 250,
                                      .layout_ns = 1234 * MS,
                                      .own_layout_ns = 34 * MS,
                                      .measure_ns = 400 * MS,
                                      .arrange_ns = 834 * MS,
                                      .paint_ns = 90 * MS,
                                      .worst_frame_ns = 55 * MS});
    cost((struct um_wire_layout_cost){.id = 5, .frames = 2, .paint_ns = MS / 2, .message = PAINT});
    cost((struct um_wire_layout_cost){.id = 4,
                                      .frames = 200,
                                      .layout_ns = 1200 * MS + 1234,
                                      .own_layout_ns = 1200 * MS + 1234,
                                      .measure_ns = 400 * MS,
                                      .arrange_ns = 800 * MS + 1234,
                                      .worst_frame_ns = 54 * MS,
                                      .key = KEY,
                                      .message = SIZE});
}

Test(laid_out, is_written_as_in_the_golden_files)
{
    fill();
    char *shown = text();
    written_check("layout.txt", shown, strlen(shown));
    char *made = json();
    written_check("layout.json", made, strlen(made));
    cJSON_free(made);
}

/* A dialog, and at the end each window, goes with all that is in it. */
Test(laid_out, counts_are_those_when_it_had_most_windows)
{
    count(3, 5, 9);
    count(3, 7, 9);
    count(3, 3, 12);
    count(3, 3, 11);
    count(3, 0, 0);
    const struct um_laid_out_component *component = um_laid_out_get(laid_out, 3);
    cr_expect(component->authored == 3 && component->rendered == 12);
    count(4, 5, 9);
    count(4, 7, 9);
    cr_expect_eq(um_laid_out_get(laid_out, 4)->authored, 7);
}

/* At the end, each window is gone. */
Test(laid_out, a_place_is_the_last_one_on_a_screen)
{
    place((struct um_wire_layout_place){.id = 3, .left = -5, .top = 7, .width = 40, .height = 30});
    place((struct um_wire_layout_place){.id = 3, .left = 6, .top = 8, .width = 41, .height = 31});
    place((struct um_wire_layout_place){.id = 3, .draws_parts = 1});
    place((struct um_wire_layout_place){.id = 4});
    const struct um_laid_out_component *component = um_laid_out_get(laid_out, 3);
    cr_expect(component->place.left == 6 && component->place.top == 8);
    cr_expect(component->place.width == 41 && component->place.height == 31);
    cr_expect(component->draws_parts && !um_laid_out_get(laid_out, 4)->draws_parts);
    cr_expect_eq(um_laid_out_get(laid_out, 4)->place.id, 0);
    cr_expect_eq(um_laid_out_end(laid_out), 5);
}

Test(laid_out, a_root_lies_in_no_other_component)
{
    name(3, 0, "Main", "");
    name(4, 3, "Pane", "");
    name(5, 4, "Inner", "");
    name(6, 7, "Ring", "");
    name(7, 6, "Ring", "");
    name(8, 900, "Lost", "");
    cr_expect(um_laid_out_root(laid_out, 5) == 3 && um_laid_out_root(laid_out, 3) == 3);
    cr_expect(um_laid_out_root(laid_out, 6) == 0 && um_laid_out_root(laid_out, 8) == 0);
}

Test(laid_out, numbers_are_the_latest_ones)
{
    name(3, 0, "Main", "");
    cost_ms(3, 5);
    cost_ms(3, 9);
    const struct um_laid_out_component *list[2];
    cr_assert_eq(um_laid_out_list(laid_out, list, 2), 1);
    cr_expect_eq(list[0]->cost.layout_ns, 9 * MS);
    cr_expect(um_laid_out_sum(laid_out)->frames == 300 && um_laid_out_sum(laid_out)->lost == 6);
}

Test(laid_out, those_that_cost_most_come_first)
{
    const struct um_laid_out_component *list[3];
    for (uint32_t id = 3; id < 20; id++)
        cost_ms(id, id * 7 % 11);
    cost((struct um_wire_layout_cost){.id = 20, .layout_ns = 10 * MS, .paint_ns = 1});
    cr_expect_eq(um_laid_out_list(laid_out, list, 3), 18);
    cr_expect_eq(list[0]->cost.id, 20, "it painted, too");
    cr_expect_eq(list[1]->cost.id, 3); /* 21 % 11 */
    cr_expect_eq(list[2]->cost.id, 14);
}

Test(laid_out, handlers_are_named_when_the_name_comes)
{
    struct um_wire_frame named_handler = {.type = UM_WIRE_NAME,
                                          .as.name = {.key = KEY, .kind = UM_NAMES_DEBUG}};
    fill();
    um_text_set(named_handler.as.name.name, sizeof named_handler.as.name.name, "pane_proc");
    um_handlers_take(handlers, &named_handler);
    char *shown = text();
    cr_expect(strstr(shown, "mostly WM_SIZE, pane_proc\n"), "%s", shown);
}

Test(laid_out, text_has_ten_rows_of_80_columns)
{
    char long_text[UM_WIRE_LAYOUT_TEXT_BYTES];
    memset(long_text, 'w', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = '\0';
    for (uint32_t id = 3; id < 20; id++) {
        name(id, 0, "A class\x1b[2J", long_text);
        cost_ms(id, id);
    }
    char *shown = text();
    cr_expect(strstr(shown, "and 7 more\n") && !strchr(shown, '\x1b'), "%s", shown);
    size_t lines = 0;
    for (char *line = strtok(shown, "\n"); line; line = strtok(NULL, "\n"), lines++)
        cr_expect_leq(um_utf8_columns(line), 80, "%s", line);
    cr_expect_eq(lines, 2 + 10 + 1);
}

Test(laid_out, json_has_a_thousand_at_most)
{
    for (uint32_t id = 1; id < UM_WIRE_LAYOUT_COMPONENTS; id++)
        cost_ms(id, id);
    char *made = json();
    cJSON *root = cJSON_Parse(made);
    cr_expect_eq(cJSON_GetArraySize(cJSON_GetObjectItem(root, "layout")), 1000);
    cJSON_Delete(root);
    cJSON_free(made);
}

Test(laid_out, nothing_measured_is_nothing_shown)
{
    name(3, 0, "Main", "");
    cr_expect_str_eq(text(), "");
    char *made = json();
    cr_expect_str_eq(made, "{\n}");
    cJSON_free(made);
    FILE *file = written_open();
    um_laid_out_write_text(file, NULL);
    um_laid_out_write_json(NULL, NULL, NULL);
    cr_expect_str_eq(written_read(file, NULL), "");
}

/* Frames of the feed come to the summary, with a name that the handler had before. */
Test(laid_out, is_in_the_summary)
{
    static struct um_wire_session session;
    static struct um_wire_totals totals;
    const struct um_stats_config config = {.period_ns = 10 * MS, .threshold_ns = 100 * MS};
    struct um_wire_frame frames[] = {
        {.type = UM_WIRE_TRACED_CALL,
         .as.traced_call = {.tree = 1, .node = 2, .key = KEY, .message = SIZE}},
        {.type = UM_WIRE_NAME, .as.name = {.key = KEY, .kind = UM_NAMES_DEBUG, .name = "f"}},
        named(3, 0, "Main", ""),
        times_of((struct um_wire_layout_cost){.id = 3, .key = KEY, .message = SIZE})};
    struct um_stats *stats;
    struct um_summary summary;
    char *made = NULL;
    cr_assert_eq(um_stats_open(&config, &stats), UM_OK);
    for (size_t i = 0; i < sizeof frames / sizeof frames[0]; i++)
        um_stats_frame(stats, &frames[i]);
    um_summary_fill(&summary, &session, &totals, stats);
    cr_assert_eq(um_summary_json(&summary, &made), UM_OK);
    FILE *file = written_open();
    cr_expect_eq(um_summary_text_write(file, &summary), UM_OK);
    char *shown = written_read(file, NULL);
    cr_expect(strstr(shown, "\n  Layout     300 layout frames;") &&
                  strstr(shown, "mostly WM_SIZE, f\n"),
              "%s", shown);
    cJSON *root = cJSON_Parse(made);
    const cJSON *row = cJSON_GetArrayItem(cJSON_GetObjectItem(root, "layout"), 0);
    cr_expect_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(row, "handler")), "f");
    cJSON_Delete(root);
    cJSON_free(made);
    um_stats_close(stats);
}
