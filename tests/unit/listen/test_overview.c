#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/plain/text.h"
#include "monitor/listen/overview.h"
#include "tests/written.h"

#define S UINT64_C(1000000000)

static struct um_overview overview;
static struct um_wire_session session;

static struct um_lines_about about(uint32_t pid, const char *name)
{
    session = (struct um_wire_session){.pid = pid};
    um_text_set(session.name, sizeof session.name, name);
    return (struct um_lines_about){.session = &session, .monitor_pid = pid + 1};
}

static void add_interval(uint32_t pid, const char *name, double hangs)
{
    struct um_lines_about whose = about(pid, name);
    struct um_counters_interval interval = {.end_ns = S, .state = UM_STATE_RESPONSIVE};
    interval.values[UM_METRICS_LAG] = (struct um_counters_value){.measured = true, .value = 0.25};
    interval.values[UM_METRICS_LATENCY] =
        (struct um_counters_value){.measured = pid != 8, .p50 = 1, .p99 = 22.5, .max = 333};
    interval.values[UM_METRICS_HANGS] =
        (struct um_counters_value){.measured = true, .value = hangs};
    um_overview_interval(&overview, &whose, &interval);
}

static const char *draw(size_t columns)
{
    FILE *file = written_open();
    um_overview_draw(&overview, file, columns);
    return written_read(file, NULL);
}

Test(overview, has_a_row_for_each_program_and_events_of_all)
{
    struct um_counters_event event = {
        .kind = UM_COUNTERS_STATE_CHANGED, .time_ns = 2 * S, .state = UM_STATE_FROZEN};
    event.before = UM_STATE_RESPONSIVE;
    add_interval(7, "a.exe", 1);
    add_interval(8, "b\x1b[2J.exe", 0);
    add_interval(7, "a.exe", 2);
    struct um_lines_about whose = about(8, "b.exe");
    um_overview_event(&overview, &whose, &event);
    cr_expect_str_eq(
        draw(120),
        "program                      pid  state          lag ms    p50 ms    p99 ms    max ms  "
        "hangs\x1b[K\n"
        "a.exe                          7  responsive       0.25      1.00     22.50    333.00     "
        " "
        "3\x1b[K\n"
        "b\xef\xbf\xbd[2J.exe                      8  responsive       0.25         -         -    "
        " "
        "    -      0\x1b[K\n"
        "\x1b[K\n"
        "b.exe (8)     2.000 s  StateChanged responsive -> frozen\x1b[K\n"
        "\x1b[J");
}

Test(overview, program_that_is_over_loses_its_row)
{
    add_interval(7, "a.exe", 0);
    add_interval(8, "b.exe", 0);
    draw(80);
    struct um_lines_about whose = about(7, "a.exe");
    um_overview_end(&overview, &whose);
    um_overview_end(&overview, &whose);
    const char *text = draw(80);
    cr_expect_eq(strncmp(text, "\x1b[4A", 4), 0, "it is not drawn in place");
    cr_expect(!strstr(text, "a.exe") && strstr(text, "b.exe"), "%s", text);
}

Test(overview, says_when_there_is_nothing_and_when_there_is_too_much)
{
    cr_expect(strstr(draw(80), "no program is watched") != NULL);
    for (uint32_t pid = 100; pid <= 100 + UM_OVERVIEW_ROWS; pid++)
        add_interval(pid, "x.exe", 0);
    cr_expect(strstr(draw(80), "more than there is room for") != NULL);
    cr_expect(strstr(draw(80), "more than there is room for") == NULL, "it is said until then");
    cr_expect_eq(overview.row_count, UM_OVERVIEW_ROWS);
}
