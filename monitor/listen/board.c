#include "monitor/listen/board.h"

#include <inttypes.h>
#include <string.h>

#include "monitor/base/output.h"
#include "monitor/base/utf8.h"

#define LINE_BYTES 1024

void um_board_interval(struct um_board *board, const struct um_counters_interval *interval)
{
    board->interval = *interval;
    board->has_interval = true;
}

void um_board_event(struct um_board *board, const struct um_lines_about *about,
                    const struct um_counters_event *event)
{
    um_lines_text_event(board->events[board->event_count % UM_BOARD_EVENTS], about, event);
    board->event_count++;
}

static void put_line(FILE *out, const char *line, size_t columns, size_t *lines)
{
    char shown[LINE_BYTES];
    um_utf8_fit(line, columns, shown, sizeof shown);
    fprintf(out, "%s\x1b[K\n", shown);
    ++*lines;
}

static void format_number(char *text, size_t cap, bool known, double number, int decimals)
{
    if (known)
        snprintf(text, cap, "%.*f", decimals, number);
    else
        snprintf(text, cap, "-");
}

static void format_counter(char *line, size_t cap, const struct um_counters_info *info,
                           const struct um_counters_value *value)
{
    char texts[5][32];
    double numbers[] = {value->value, value->min, value->p50, value->p99, value->max};
    for (size_t i = 0; i < 5; i++)
        format_number(texts[i], sizeof texts[i], value->measured && (i == 0 || info->spread),
                      numbers[i], info->unit[0] ? 2 : 0);
    snprintf(line, cap, "%-22s %9s %9s %9s %9s %9s  %s", info->display, texts[0], texts[1],
             texts[2], texts[3], texts[4], info->unit);
}

void um_board_draw(struct um_board *board, FILE *out, const struct um_lines_about *about,
                   size_t columns)
{
    char line[LINE_BYTES];
    size_t lines = 0;

    if (board->lines > 0)
        fprintf(out, "\x1b[%zuA", board->lines);
    snprintf(line, sizeof line, "%s (pid %" PRIu32 ")  %s", about->session->name,
             about->session->pid,
             board->has_interval ? um_wire_state_name(board->interval.state) : "");
    put_line(out, line, columns, &lines);
    snprintf(line, sizeof line, "%-22s %9s %9s %9s %9s %9s", "", "now/mean", "min", "p50", "p99",
             "max");
    put_line(out, line, columns, &lines);
    for (int i = 0; i < UM_COUNTERS_COUNT; i++) {
        if (!about->wanted[i])
            continue;
        format_counter(line, sizeof line, &um_counters_list[i], &board->interval.values[i]);
        put_line(out, line, columns, &lines);
    }
    put_line(out, "", columns, &lines);
    size_t first = board->event_count > UM_BOARD_EVENTS ? board->event_count - UM_BOARD_EVENTS : 0;
    for (size_t i = first; i < board->event_count; i++)
        put_line(out, board->events[i % UM_BOARD_EVENTS], columns, &lines);
    board->lines = lines;
}
