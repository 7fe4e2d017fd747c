#include "monitor/listen/overview.h"

#include <inttypes.h>
#include <string.h>

#include "base/plain/text.h"
#include "base/utf8.h"
#include "monitor/listen/live_table.h"

#define NAME_COLUMNS 32
#define PROGRAM_COLUMNS 24

static struct um_overview_row *find_row(struct um_overview *overview,
                                        const struct um_lines_about *about)
{
    for (size_t i = 0; i < overview->row_count; i++)
        if (overview->rows[i].pid == about->session->pid &&
            overview->rows[i].monitor_pid == about->monitor_pid)
            return &overview->rows[i];
    return NULL;
}

void um_overview_interval(struct um_overview *overview, const struct um_lines_about *about,
                          const struct um_counters_interval *interval)
{
    struct um_overview_row *row = find_row(overview, about);
    if (!row && overview->row_count == UM_OVERVIEW_ROWS) {
        overview->more = true;
        return;
    }
    if (!row) {
        row = &overview->rows[overview->row_count++];
        *row =
            (struct um_overview_row){.pid = about->session->pid, .monitor_pid = about->monitor_pid};
        um_text_set(row->name, sizeof row->name, about->session->name);
    }
    row->interval = *interval;
    row->interval.targets = NULL; /* they live for this call only, and are not shown */
    row->hangs += (uint64_t)interval->values[UM_METRICS_HANGS].value;
}

void um_overview_event(struct um_overview *overview, const struct um_lines_about *about,
                       const struct um_counters_event *event)
{
    char line[UM_LINES_EVENT_BYTES];
    um_lines_text_event(line, about, event);
    snprintf(overview->events[overview->event_count % UM_OVERVIEW_EVENTS], sizeof line,
             "%s (%" PRIu32 ")  %s", um_utf8_show(about->session->name, NAME_COLUMNS).text,
             about->session->pid, line);
    overview->event_count++;
}

void um_overview_end(struct um_overview *overview, const struct um_lines_about *about)
{
    struct um_overview_row *row = find_row(overview, about);
    if (!row)
        return;
    size_t behind = (size_t)(overview->rows + overview->row_count - row) - 1;
    memmove(row, row + 1, behind * sizeof *row);
    overview->row_count--;
}

static void put_line(struct um_overview *overview, FILE *out, const char *line, size_t columns)
{
    um_live_table_put_line(out, line, columns);
    overview->lines++;
}

static void format_row(char *line, size_t cap, const struct um_overview_row *row)
{
    const struct um_counters_value *lag = &row->interval.values[UM_METRICS_LAG];
    const struct um_counters_value *latency = &row->interval.values[UM_METRICS_LATENCY];
    const double numbers[] = {lag->value, latency->p50, latency->p99, latency->max};
    char texts[4][32], name[256];

    for (size_t i = 0; i < 4; i++)
        um_live_table_number(texts[i], sizeof texts[i], i == 0 ? lag->measured : latency->measured,
                             numbers[i], 2);
    um_utf8_fit(row->name, PROGRAM_COLUMNS, name, sizeof name);
    int padding = PROGRAM_COLUMNS - (int)um_utf8_columns(name);
    snprintf(line, cap, "%s%*s %7" PRIu32 "  %-11s %9s %9s %9s %9s %6" PRIu64, name, padding, "",
             row->pid, um_wire_state_name(row->interval.state), texts[0], texts[1], texts[2],
             texts[3], row->hangs);
}

void um_overview_draw(struct um_overview *overview, FILE *out, size_t columns)
{
    char line[UM_LIVE_TABLE_LINE_BYTES];

    if (overview->lines > 0)
        fprintf(out, "\x1b[%zuA", overview->lines);
    overview->lines = 0;
    snprintf(line, sizeof line, "%-*s %7s  %-11s %9s %9s %9s %9s %6s", PROGRAM_COLUMNS, "program",
             "pid", "state", "lag ms", "p50 ms", "p99 ms", "max ms", "hangs");
    put_line(overview, out, line, columns);
    for (size_t i = 0; i < overview->row_count; i++) {
        format_row(line, sizeof line, &overview->rows[i]);
        put_line(overview, out, line, columns);
    }
    if (overview->row_count == 0)
        put_line(overview, out, "no program is watched at present", columns);
    if (overview->more)
        put_line(overview, out, "... and more than there is room for", columns);
    put_line(overview, out, "", columns);
    size_t count = overview->event_count;
    for (size_t i = count > UM_OVERVIEW_EVENTS ? count - UM_OVERVIEW_EVENTS : 0; i < count; i++)
        put_line(overview, out, overview->events[i % UM_OVERVIEW_EVENTS], columns);
    fputs("\x1b[J", out); /* clears the lines of a higher drawing before */
    overview->more = false;
}
