/* The golden file tests/golden/listen.txt: what a small feed looks like in each form. UIMON_GOLDEN=
 * write makes it anew. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include <cjson/cJSON.h>

#include "base/plain/text.h"
#include "base/double_bits.h"
#include "monitor/listen/live_table.h"
#include "monitor/listen/counters.h"
#include "monitor/listen/lines.h"
#include "tests/written_golden.h"

#define MS UINT64_C(1000000)
#define S UINT64_C(1000000000)
#define BEGIN_NS (12345 * S)
#define TEXT_BYTES 65536

static struct um_counters *counters;
static struct um_lines_about about;
static struct um_live_table board;
static FILE *out;
static enum { JSON, CSV, TEXT, BOARD } form;

static void take_interval(void *context, const struct um_counters_interval *interval)
{
    (void)context;
    about.session = um_counters_session(counters);
    enum um_status status = UM_OK;
    if (form == JSON)
        status = um_lines_json_interval(out, &about, interval);
    else if (form == CSV)
        status = um_lines_csv_interval(out, &about, interval);
    else if (form == TEXT)
        status = um_lines_text_interval(out, &about, interval);
    else
        um_live_table_interval(&board, interval);
    cr_assert_eq(status, UM_OK);
}

static void take_event(void *context, const struct um_counters_event *event)
{
    (void)context;
    char line[UM_LINES_EVENT_BYTES];
    about.session = um_counters_session(counters);
    enum um_status status = UM_OK;
    if (form == JSON)
        status = um_lines_json_event(out, &about, event);
    else if (form == CSV)
        status = um_lines_csv_event(out, &about, event);
    else if (form == BOARD)
        um_live_table_event(&board, &about, event);
    else {
        um_lines_text_event(line, &about, event);
        fprintf(out, "%s\n", line);
    }
    cr_assert_eq(status, UM_OK);
}

static void take_target(void *context, const struct um_counters_target *target)
{
    (void)context;
    about.session = um_counters_session(counters);
    if (form == JSON && um_lines_wants(&about, target))
        cr_assert_eq(um_lines_json_target(out, &about, target), UM_OK);
}

static void send(struct um_wire_frame frame)
{
    um_counters_frame(counters, &frame);
}

static void send_session(uint64_t hwnd, const char *title)
{
    struct um_wire_frame frame = {.type = UM_WIRE_SESSION,
                                  .as.session = {.start_ns = BEGIN_NS,
                                                 .utc_ms = 1790000000000,
                                                 .pid = 4711,
                                                 .tid = 4712,
                                                 .hwnd = hwnd,
                                                 .period_us = 10000}};
    um_text_set(frame.as.session.name, sizeof frame.as.session.name, "a \"b\", c.exe");
    um_text_set(frame.as.session.title, sizeof frame.as.session.title, title);
    send(frame);
}

static void send_status(uint64_t ms, uint8_t state, uint64_t since_ms, uint64_t outstanding_ms)
{
    uint64_t outstanding_ns = outstanding_ms ? BEGIN_NS + outstanding_ms * MS : 0;
    send((struct um_wire_frame){.type = UM_WIRE_STATUS,
                                .as.status = {.time_ns = BEGIN_NS + ms * MS,
                                              .state = state,
                                              .state_since_ns = BEGIN_NS + since_ms * MS,
                                              .outstanding_ns = outstanding_ns}});
}

static void send_beat(uint64_t sent_ms, uint64_t latency_ms)
{
    send((struct um_wire_frame){
        .type = UM_WIRE_BEAT,
        .as.beat = {.sent_ns = BEGIN_NS + sent_ms * MS, .latency_ns = latency_ms * MS}});
}

static void send_episode(uint8_t flags, uint64_t end_ms)
{
    struct um_wire_frame frame = {.type = UM_WIRE_EPISODE,
                                  .flags = flags | UM_WIRE_EPISODE_HAS_MESSAGE,
                                  .as.episode = {.start_ns = BEGIN_NS + 1500 * MS,
                                                 .end_ns = BEGIN_NS + end_ms * MS,
                                                 .peak_ns = (end_ms - 1500) * MS,
                                                 .id = 1,
                                                 .message = 0x113,
                                                 .state = UM_STATE_FROZEN}};
    um_text_set(frame.as.episode.window_class, sizeof frame.as.episode.window_class,
                "Evil\x1b[2Jclass");
    send(frame);
}

static void send_stack(void)
{
    struct um_wire_frame frame = {.type = UM_WIRE_STACK,
                                  .as.stack = {.freeze = 1, .samples = 24, .alike = 20}};
    um_text_set(frame.as.stack.headline, sizeof frame.as.stack.headline,
                "parse \"a\", b ← on_command ← WM_COMMAND");
    send(frame);
}

static void send_pool(uint64_t ms, uint64_t delay_ms, uint8_t flags, uint64_t end_ms)
{
    send((struct um_wire_frame){.type = UM_WIRE_POOL,
                                .flags = flags,
                                .as.pool = {.time_ns = BEGIN_NS + ms * MS,
                                            .delay_ns = delay_ms * MS,
                                            .start_ns = flags || end_ms ? BEGIN_NS + 300 * MS : 0,
                                            .end_ns = end_ms ? BEGIN_NS + end_ms * MS : 0,
                                            .peak_ns = flags || end_ms ? 250 * MS : 0,
                                            .starvation = flags || end_ms}});
}

static void send_activity(uint64_t ms, uint64_t messages, uint64_t paints)
{
    send((struct um_wire_frame){.type = UM_WIRE_ACTIVITY,
                                .flags = paints ? UM_WIRE_ACTIVITY_PAINTS : 0,
                                .as.activity = {.time_ns = BEGIN_NS + ms * MS,
                                                .since_ns = BEGIN_NS,
                                                .messages = messages,
                                                .paints = paints}});
}

static void send_counter(uint32_t number, uint8_t kind, const char *provider, const char *name,
                         const char *unit)
{
    struct um_wire_frame frame = {.type = UM_WIRE_COUNTER,
                                  .as.counter = {.number = number, .kind = kind}};
    um_text_set(frame.as.counter.provider, UM_WIRE_COUNTER_TEXT_BYTES, provider);
    um_text_set(frame.as.counter.name, UM_WIRE_COUNTER_TEXT_BYTES, name);
    um_text_set(frame.as.counter.display, UM_WIRE_COUNTER_TEXT_BYTES, "Shown as this");
    um_text_set(frame.as.counter.unit, UM_WIRE_COUNTER_TEXT_BYTES, unit);
    send(frame);
}

static void send_value(uint32_t number, double value, uint32_t count, double min, double max)
{
    send((struct um_wire_frame){.type = UM_WIRE_COUNTER_VALUE,
                                .as.counter_value = {.number = number,
                                                     .count = count,
                                                     .value = um_double_bits_of(value),
                                                     .min = um_double_bits_of(min),
                                                     .max = um_double_bits_of(max)}});
}

static void send_targets(void)
{
    send_counter(0, UM_WIRE_COUNTER_MEAN, "System.Runtime", "cpu-usage", "%");
    send_counter(1, UM_WIRE_COUNTER_INCREMENT, "System.Runtime", "alloc-rate", "B");
    send_counter(2, UM_WIRE_COUNTER_MEAN, "=Evil\x1b[2J", "a,\"b\"\n", "\x1b]0;u\x07");
    send_counter(3, UM_WIRE_COUNTER_MEAN, "Left.Out", "not-wanted", "");
    send_counter(4, UM_WIRE_COUNTER_MEAN, "Whole", "with-a-name-that-is-long", "ms");
    send_value(0, 12.75, 1, 12.75, 12.75);
    send_value(1, 1234567, 0, 0, 0);
    send_value(2, 1e300, 3, -0.001, 2e300);
    send_value(3, 1, 1, 1, 1);
}

/* Two components with one name; the second one only paints. */
static void send_layout(void)
{
    struct um_wire_frame frame = {
        .type = UM_WIRE_LAYOUT_COMPONENT,
        .as.layout_component = {.id = 1, .window_class = "SysListView32"}};
    send(frame);
    frame.as.layout_component.id = 2;
    send(frame);
    send((struct um_wire_frame){.type = UM_WIRE_LAYOUT_METERS,
                                .as.layout_meters = {.count = 2,
                                                     .list = {{.id = 1,
                                                               .measure_ns = 250000,
                                                               .arrange_ns = 6 * MS,
                                                               .paint_ns = 3 * MS,
                                                               .mean_ns = 5500000,
                                                               .worst_ns = 19 * MS},
                                                              {.id = 2, .paint_ns = 1250000}}}});
}

/* Four seconds: quiet, a starved thread pool, a freeze of 2 s, another window, lost frames,
 * the end. */
static void play(void)
{
    static const struct um_counters_taker taker = {
        .interval = take_interval, .event = take_event, .target = take_target};
    cr_assert_eq(um_counters_open(S, &taker, &counters), UM_OK);
    send_session(0x10, "first");
    about.session = um_counters_session(counters);
    if (form == JSON)
        cr_assert_eq(um_lines_json_session(out, &about), UM_OK);
    send_status(0, UM_STATE_RESPONSIVE, 0, 0);
    send_status(0, UM_STATE_RESPONSIVE, 0, 0);
    send_activity(0, 0, 0);
    send_targets();
    send_layout();
    send_beat(100, 2);
    send_beat(200, 4);
    send_activity(900, 180, 54);
    send_pool(250, 4, 0, 0);
    send_pool(550, 250, UM_WIRE_POOL_STARVED | UM_WIRE_POOL_WAITS, 0);
    send_pool(804, 4, 0, 804);
    send((struct um_wire_frame){.type = UM_WIRE_INTERACTION,
                                .as.interaction = {.arrival_ns = BEGIN_NS + 200 * MS,
                                                   .dequeued_ns = BEGIN_NS + 204 * MS,
                                                   .handled_ns = BEGIN_NS + 207 * MS,
                                                   .painted_ns = BEGIN_NS + 216 * MS}});
    send_status(1000, UM_STATE_RESPONSIVE, 0, 0);
    send_episode(UM_WIRE_EPISODE_BEGIN, 1600);
    send_status(1600, UM_STATE_FROZEN, 1500, 1500);
    send_value(0, 99, 1, 99, 99);
    send_status(2000, UM_STATE_FROZEN, 1500, 1500);
    send_status(3000, UM_STATE_FROZEN, 1500, 1500);
    send_activity(3400, 180, 54);
    send_beat(1500, 2000);
    send_episode(UM_WIRE_EPISODE_END, 3500);
    send_stack();
    send_status(3500, UM_STATE_RESPONSIVE, 3500, 0);
    send_session(0x20, "second \"one\"\n");
    send_value(0, 3.5, 1, 3.5, 3.5);
    send_value(1, 96, 0, 0, 0);
    send_value(4, 4.125, 40, 1, 10.5);
    send_layout();
    send_status(4000, UM_STATE_RESPONSIVE, 3500, 0);
    send((struct um_wire_frame){.type = UM_WIRE_LOST,
                                .as.lost = {.time_ns = BEGIN_NS + 4050 * MS, .frames = 12345}});
    send((struct um_wire_frame){.type = UM_WIRE_END,
                                .as.end = {.time_ns = BEGIN_NS + 4100 * MS, .reason = 1}});
}

/* All forms, one after the other. */
static char *write_all(size_t *len)
{
    memset(&about, 0, sizeof about);
    about.monitor_pid = 815;
    for (int i = 0; i < UM_METRICS_COUNT; i++)
        about.wanted[i] = um_metrics_list[i].name && i != UM_METRICS_CLICK_PAINTED;
    about.targets = "Whole/,System.Runtime/cpu-usage,ui-hang-count,System.Runtime/alloc-rate,"
                    "=Evil\xef\xbf\xbd[2J/,layout";
    out = written_open();
    for (form = JSON; form <= BOARD; form++) {
        play();
        if (form == BOARD) {
            um_live_table_draw(&board, out, &about, 79, 0);
            um_live_table_draw(&board, out, &about, 40, 0);
            um_live_table_draw(&board, out, &about, 100, 20); /* a terminal too low for all of it */
        }
        um_counters_close(counters);
        fputc('\n', out);
    }
    return written_read(out, len);
}

Test(listen_lines, are_as_in_the_golden_file)
{
    size_t len;
    const char *made = write_all(&len);
    written_check("listen.txt", made, len);
}

/* Another reader of JSON takes every line, and an interval's values are those of the counters. */
Test(listen_lines, each_json_line_is_an_object)
{
    size_t intervals = 0, events = 0;
    char *made = write_all(NULL);
    char *end = strstr(made, "\n\n");
    cr_assert(end != NULL);
    *end = '\0';
    for (char *line = strtok(made, "\n"); line; line = strtok(NULL, "\n")) {
        cJSON *json = cJSON_Parse(line);
        cr_assert(cJSON_IsObject(json), "%s", line);
        const char *kind = cJSON_GetStringValue(cJSON_GetObjectItem(json, "kind"));
        intervals += strcmp(kind, "counters") == 0;
        events += strcmp(kind, "event") == 0;
        cJSON_Delete(json);
    }
    cr_expect_eq(intervals, 4);
    cr_expect_eq(events, 10);
}

/* What of a counter's name a list of names means. */
Test(listen_lines, counters_of_the_program_are_chosen_by_name_or_provider)
{
    static const struct {
        const char *list;
        bool wanted;
    } rows[] = {{NULL, true},         {"P/name", true},  {"P/", true},
                {"a,P/name,b", true}, {"a,P/", true},    {"", false},
                {"P", false},         {"name", false},   {"P/nam", false},
                {"P/name2", false},   {"p/name", false}, {"P/names,ui-hang-count", false}};
    const struct um_counters_target target = {.name = "P/name", .provider_bytes = 1};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct um_lines_about chosen = {.targets = rows[i].list};
        cr_expect_eq(um_lines_wants(&chosen, &target), rows[i].wanted, "row %zu", i);
    }
}

Test(listen_lines, counters_of_components_are_chosen_by_name_or_all)
{
    static const struct {
        const char *list;
        bool wanted;
    } rows[] = {{NULL, true},     {"layout", true}, {"layout/", true}, {"a,layout/x", true},
                {"layou", false}, {"", false},      {"x", false},      {"layouts", false}};
    const struct um_counters_target target = {
        .name = "layout/x", .provider_bytes = 6, .is_layout = true};
    const struct um_counters_target other = {.name = "layout/x", .provider_bytes = 6};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct um_lines_about chosen = {.targets = rows[i].list};
        cr_expect_eq(um_lines_wants(&chosen, &target), rows[i].wanted, "row %zu", i);
    }
    cr_expect(!um_lines_wants(&(struct um_lines_about){.targets = "layout"}, &other),
              "a program's own provider needs its slash");
}

/* "layout" is those that cost most in the interval, "layout/" is all of them. */
Test(listen_lines, values_of_components_are_those_that_cost_most)
{
    static const struct {
        const char *list;
        bool wanted, wanted_if_costly;
    } rows[] = {
        {NULL, false, true},      {"layout", false, true},        {"layout/", true, true},
        {"layout/x", true, true}, {"layout,layout/", true, true}, {"layout/y", false, false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct um_lines_about chosen = {.targets = rows[i].list};
        struct um_counters_target target = {
            .name = "layout/x", .provider_bytes = 6, .is_layout = true};
        cr_expect_eq(um_lines_wants_value(&chosen, &target), rows[i].wanted, "row %zu", i);
        target.is_costly = true;
        cr_expect_eq(um_lines_wants_value(&chosen, &target), rows[i].wanted_if_costly, "row %zu",
                     i);
    }
}

Test(listen_lines, numbers_of_the_program_may_be_of_any_size)
{
    static const struct {
        double number;
        const char *text;
    } rows[] = {{0, "0"},          {12, "12"},           {12.5, "12.50"},
                {-1.25, "-1.25"},  {0.001234, "0.0012"}, {1234567, "1234567"},
                {1e300, "1e+300"}, {-2.5e15, "-2.5e+15"}};
    char text[32];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        um_lines_number(text, sizeof text, rows[i].number);
        cr_expect_str_eq(text, rows[i].text);
    }
}

/* From a terminal without room for a counter of the program to one with room for all: a drawing
 * ends above the last line, so that the next one can be drawn over it. */
Test(listen_lines, table_is_lower_than_its_terminal)
{
    static const struct um_wire_session session = {.name = "a.exe", .pid = 4711};
    static char made[TEXT_BYTES];
    write_all(NULL);
    about.session = &session; /* the feed's own is gone */
    for (size_t rows = 17; rows < 40; rows++) {
        memset(made, 0, sizeof made);
        out = fmemopen(made, sizeof made - 1, "w");
        board.lines = 0;
        um_live_table_draw(&board, out, &about, 79, rows);
        fclose(out);
        size_t lines = 0;
        for (const char *at = made; *at; at++)
            lines += *at == '\n';
        cr_expect_lt(lines, rows, "%zu lines in %zu rows", lines, rows);
        cr_expect_eq(lines, board.lines);
    }
}

/* It is known by items and not by milliseconds. */
Test(listen_lines, starvation_of_the_pool_of_dotnet)
{
    const struct um_counters_event event = {.kind = UM_COUNTERS_STARVATION_RECOVERED,
                                            .time_ns = BEGIN_NS,
                                            .starvation = 2,
                                            .is_dotnet = true,
                                            .most_items = 32};
    static struct um_wire_session of = {.name = "a.exe"};
    const struct um_lines_about whose = {.session = &of};
    char line[UM_LINES_EVENT_BYTES];
    char *written = NULL;
    size_t len;
    FILE *file = open_memstream(&written, &len);
    um_lines_text_event(line, &whose, &event);
    cr_expect(strstr(line, "ThreadPoolStarvationRecovered of .NET's pool, up to 32 items waited"),
              "%s", line);
    cr_assert_eq(um_lines_csv_event(file, &whose, &event), UM_OK);
    fflush(file);
    cr_expect(strstr(written, "ThreadPoolStarvationRecovered,32,items,NA,NA,NA,NA,NA"), "%s",
              written);
    cr_assert_eq(um_lines_json_event(file, &whose, &event), UM_OK);
    fclose(file);
    cr_expect(strstr(written, "\"starvation\":2,\"source\":\"dotnet\",\"peak_items\":32}"), "%s",
              written);
    free(written);
}
