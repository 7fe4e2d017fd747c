/* A made-up program of XAML, from its recorded events to the summary: it shows the same table as a
 * program whose windows cost the same. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include <criterion/criterion.h>

#include "base/plain/clock.h"
#include "base/plain/text.h"
#include "monitor/json/json.h"
#include "monitor/live/watch_xaml.h"
#include "monitor/stats/laid_out_write.h"
#include "monitor/target/target.h"
#include "tests/unit/live/fake_etw.h"
#include "tests/written_golden.h"

#define S UM_CLOCK_NS_PER_S
#define FRAMES 5
#define LOST_FRAME 3
#define AT_ONCE 40 /* events, from turn to turn */

enum { ROOT = 1, BRIDGE, NAVIGATION, LIST, GONE /* before it is asked about: <chrome> */ };

static const struct {
    const char *window_class, *text;
    uint64_t parent;
    struct um_target_area area;
} windows[] = {
    [ROOT] = {"WinUIDesktopWin32WindowClass", "Made-up Gallery", 0, {0, 0, 1000, 700}},
    [BRIDGE] = {"DesktopChildSiteBridge", "", ROOT, {0, 32, 1000, 700}},
    [NAVIGATION] = {"Pane", "Navigation", BRIDGE, {0, 32, 320, 700}},
    [LIST] = {"Pane", "List", BRIDGE, {340, 400, 980, 680}},
};

/* What the windows' own layout costs in xaml_gallery.txt: the sums of each element's own times in
 * it. In the first frame seven rows of the list take 60 us each to measure, the list 400. */
static const struct {
    unsigned frame, window;
    enum um_layout_step step;
    uint64_t own_us;
} costs[] = {
    {1, ROOT, UM_LAYOUT_STEP_MEASURE, 50},
    {1, BRIDGE, UM_LAYOUT_STEP_MEASURE, 80 + 90 + 110},
    {1, NAVIGATION, UM_LAYOUT_STEP_MEASURE, 70 + 8 * 30},
    {1, LIST, UM_LAYOUT_STEP_MEASURE, 400 + 7 * 60},
    {1, GONE, UM_LAYOUT_STEP_MEASURE, 60},
    {1, ROOT, UM_LAYOUT_STEP_ARRANGE, 20},
    {1, BRIDGE, UM_LAYOUT_STEP_ARRANGE, 34 + 40 + 26},
    {1, NAVIGATION, UM_LAYOUT_STEP_ARRANGE, 28 + 8 * 12},
    {1, LIST, UM_LAYOUT_STEP_ARRANGE, 150 + 7 * 24},
    {1, GONE, UM_LAYOUT_STEP_ARRANGE, 24},
    {2, NAVIGATION, UM_LAYOUT_STEP_MEASURE, 70 + 2 * 30 + 44},
    {2, GONE, UM_LAYOUT_STEP_MEASURE, 36},
    {2, NAVIGATION, UM_LAYOUT_STEP_ARRANGE, 28 + 2 * 12 + 16},
    {2, BRIDGE, UM_LAYOUT_STEP_ARRANGE, 34},
    {4, BRIDGE, UM_LAYOUT_STEP_MEASURE, 45 + 60},
    {4, LIST, UM_LAYOUT_STEP_MEASURE, 200 + 2 * 60},
    {4, GONE, UM_LAYOUT_STEP_MEASURE, 60},
    {4, BRIDGE, UM_LAYOUT_STEP_ARRANGE, 10 + 20 + 24},
    {4, LIST, UM_LAYOUT_STEP_ARRANGE, 75 + 2 * 24},
    {4, GONE, UM_LAYOUT_STEP_ARRANGE, 24},
    {5, LIST, UM_LAYOUT_STEP_MEASURE, 800},
};

/* The program ---------------------------------------------------------------------------------- */

static bool has_module(uint32_t pid, const char *const names[])
{
    (void)pid, (void)names;
    return true;
}

static bool window_area(uint64_t hwnd, uint64_t root, struct um_target_area *area)
{
    cr_assert_eq(root, ROOT);
    *area = windows[hwnd].area;
    area->units = 1;
    area->shown = true;
    return true;
}

static const struct um_target_backend backend = {.has_module = has_module,
                                                 .window_area = window_area};

static bool describe(void *context, uint64_t window, struct um_layout_window *out)
{
    (void)context;
    if (window >= GONE)
        return false;
    *out = (struct um_layout_window){.parent = windows[window].parent, .has_children = true};
    um_text_set(out->window_class, sizeof out->window_class, windows[window].window_class);
    um_text_set(out->text, sizeof out->text, windows[window].text);
    return true;
}

static uint64_t key(void *context, uint64_t address)
{
    (void)context;
    return address;
}

/* The watch ------------------------------------------------------------------------------------ */

struct shown {
    struct um_handlers *handlers;
    struct um_laid_out *laid_out;
    struct um_layout *layout;
};

static void publish(void *context, const struct um_wire_frame *frame)
{
    struct shown *shown = context;
    um_laid_out_take(shown->laid_out, frame);
}

static void open_shown(struct shown *shown)
{
    const struct um_layout_config config = {
        .context = shown, .publish = publish, .describe = describe, .key = key};
    cr_assert_eq(um_handlers_open(&shown->handlers), UM_OK);
    cr_assert_eq(um_laid_out_open(shown->handlers, &shown->laid_out), UM_OK);
    cr_assert_eq(um_layout_open(&config, &shown->layout), UM_OK);
    um_layout_attached(shown->layout);
    um_layout_listed(shown->layout);
    for (uint64_t window = ROOT; window < GONE; window++)
        um_layout_found(shown->layout, window);
    um_layout_found_all(shown->layout);
}

static void close_shown(struct shown *shown)
{
    um_layout_close(shown->layout);
    um_laid_out_close(shown->laid_out);
    um_handlers_close(shown->handlers);
}

static char *text_of(const struct shown *shown)
{
    FILE *file = written_open();
    um_laid_out_write_text(file, shown->laid_out);
    return written_read(file, NULL);
}

/* Owner: cJSON_free. */
static char *json_of(const struct shown *shown)
{
    struct um_json made = {.failed = false};
    cJSON *root = cJSON_CreateObject();
    um_laid_out_write_json(&made, root, shown->laid_out);
    return um_json_print(&made, root, true);
}

static void say(void *context, const char *line)
{
    (void)context;
    cr_assert_fail("%s", line);
}

static void say_detail(void *context, const char *line)
{
    (void)context, (void)line;
}

static void watch_elements(struct shown *shown)
{
    struct um_watch_xaml xaml = {.host = {NULL, say, say_detail}};
    const struct um_target_info target = {.pid = 7, .tid = 8, .hwnd = ROOT};
    struct um_layout_recorded recorded = {0};
    uint64_t now_ns = S;
    recorded.text = written_golden("xaml_gallery.txt", &recorded.len_bytes);
    um_target = &backend;
    um_layout_etw = &fake_etw_backend;
    um_watch_xaml_turn(&xaml, shown->layout, &target, false, now_ns);
    for (bool more = true; more; now_ns += S / 10) {
        more = fake_etw_send(&recorded, AT_ONCE);
        um_watch_xaml_turn(&xaml, shown->layout, &target, false, now_ns);
        um_layout_tick(shown->layout, now_ns);
    }
    um_watch_xaml_end(&xaml);
    um_layout_finish(shown->layout, now_ns);
}

static void take_records(struct shown *shown, const struct um_wire_layout_step *list, size_t count,
                         uint64_t lost)
{
    struct um_wire_frame frame = {.type = UM_WIRE_LAYOUT_STEPS,
                                  .as.layout_steps = {.lost = lost, .count = (uint32_t)count}};
    memcpy(frame.as.layout_steps.list, list, count * sizeof list[0]);
    um_layout_take(shown->layout, &frame);
}

static void watch_windows(struct shown *shown)
{
    uint64_t now_ns = S;
    for (unsigned frame = 1; frame <= FRAMES; frame++) {
        for (size_t i = 0; i < sizeof costs / sizeof costs[0]; i++) {
            struct um_wire_layout_step step = {.time_ns = now_ns,
                                               .window = costs[i].window,
                                               .step = (uint8_t)costs[i].step,
                                               .kind = UM_LAYOUT_KIND_RETRIEVED};
            if (costs[i].frame != frame)
                continue;
            take_records(shown, &step, 1, frame > LOST_FRAME);
            now_ns += costs[i].own_us * UM_CLOCK_NS_PER_US;
            step.time_ns = now_ns;
            step.kind = UM_LAYOUT_KIND_END;
            take_records(shown, &step, 1, frame > LOST_FRAME);
        }
        const struct um_wire_layout_step cycle = {.time_ns = now_ns, .kind = UM_LAYOUT_KIND_CYCLE};
        take_records(shown, &cycle, 1, frame >= LOST_FRAME);
        now_ns += S / 10;
        um_layout_tick(shown->layout, now_ns);
    }
    um_layout_finish(shown->layout, now_ns);
}

Test(xaml_gallery, shows_the_same_table_as_windows_that_cost_the_same)
{
    struct shown elements, same;
    open_shown(&elements);
    open_shown(&same);
    watch_elements(&elements);
    watch_windows(&same);
    cr_assert_eq(um_laid_out_sum(elements.laid_out)->frames, FRAMES - 1);
    cr_assert_eq(um_laid_out_sum(elements.laid_out)->lost, 1);
    cr_assert_eq(um_laid_out_list(elements.laid_out, NULL, 0), 5);
    const char *text = text_of(&elements);
    cr_assert(strstr(text, "List @ Pane"), "%s", text);
    cr_assert_str_eq(text, text_of(&same));
    char *json = json_of(&elements), *expected = json_of(&same);
    cr_assert_str_eq(json, expected);
    cJSON_free(json);
    cJSON_free(expected);
    close_shown(&elements);
    close_shown(&same);
}
