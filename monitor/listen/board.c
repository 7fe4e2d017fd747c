#include "monitor/listen/board.h"

#include <inttypes.h>
#include <stdint.h>
#include <string.h>

#include "monitor/base/output.h"
#include "monitor/base/utf8.h"

#define LINE_BYTES 1024
#define NAME_COLUMNS 22
#define NAME_COLUMNS_MAX 36
#define NUMBER_COLUMNS 58 /* of a row, and its unit */

void um_board_interval(struct um_board *board, const struct um_counters_interval *interval)
{
    board->interval = *interval;
    board->interval.targets = NULL;
    if (interval->target_count > 0)
        memcpy(board->targets, interval->targets,
               interval->target_count * sizeof board->targets[0]);
    board->has_interval = true;
}

void um_board_event(struct um_board *board, const struct um_lines_about *about,
                    const struct um_counters_event *event)
{
    um_lines_text_event(board->events[board->event_count % UM_BOARD_EVENTS], about, event);
    board->event_count++;
}

static void format_number(char *text, size_t cap, bool known, double number, int decimals)
{
    if (known)
        snprintf(text, cap, "%.*f", decimals, number);
    else
        snprintf(text, cap, "-");
}

static void format_counter(char *line, size_t cap, int names, const struct um_counters_info *info,
                           const struct um_counters_value *value)
{
    char texts[5][32];
    double numbers[] = {value->value, value->min, value->p50, value->p99, value->max};
    for (size_t i = 0; i < 5; i++)
        format_number(texts[i], sizeof texts[i], value->measured && (i == 0 || info->spread),
                      numbers[i], info->unit[0] ? 2 : 0);
    snprintf(line, cap, "%-*s %9s %9s %9s %9s %9s  %s", names, info->display, texts[0], texts[1],
             texts[2], texts[3], texts[4], info->unit);
}

/* What is being drawn. */
struct drawing {
    FILE *out;
    size_t columns;
    size_t lines; /* so far */
    size_t most;  /* lines that there is room for */
    int names;    /* columns of names */
};

static void put_line(struct drawing *drawing, const char *line)
{
    char shown[LINE_BYTES];
    um_utf8_fit(line, drawing->columns, shown, sizeof shown);
    fprintf(drawing->out, "%s\x1b[K\n", shown);
    drawing->lines++;
}

static void draw_head(struct drawing *drawing, const struct um_board *board,
                      const struct um_lines_about *about)
{
    char line[LINE_BYTES];
    snprintf(line, sizeof line, "%s (pid %" PRIu32 ")  %s", about->session->name,
             about->session->pid,
             board->has_interval ? um_wire_state_name(board->interval.state) : "");
    put_line(drawing, line);
    snprintf(line, sizeof line, "%-*s %9s %9s %9s %9s %9s", drawing->names, "", "now/mean", "min",
             "p50", "p99", "max");
    put_line(drawing, line);
}

static void format_target(char *line, size_t cap, int names,
                          const struct um_counters_target *target)
{
    const struct um_counters_value *value = &target->value;
    char texts[3][32] = {"-", "-", "-"}, name[256];
    if (value->measured)
        um_lines_number(texts[0], sizeof texts[0], value->value);
    if (value->measured && value->count > 1) {
        um_lines_number(texts[1], sizeof texts[1], value->min);
        um_lines_number(texts[2], sizeof texts[2], value->max);
    }
    um_utf8_fit(target->name + target->provider_bytes + 1, (size_t)names - 2, name, sizeof name);
    int padding = names - 2 - (int)um_utf8_columns(name);
    snprintf(line, cap, "  %s%*s %9s %9s %9s %9s %9s  %s", name, padding, "", texts[0], texts[1],
             "-", "-", texts[2], target->unit);
}

/* The counters that the program has of itself, each provider below a line of its own. Those for
 * which there is no room are counted. */
static void draw_targets(struct drawing *drawing, const struct um_board *board,
                         const struct um_lines_about *about)
{
    const struct um_counters_target *before = NULL;
    char line[LINE_BYTES];
    size_t left_out = 0;

    for (size_t i = 0; i < board->interval.target_count; i++) {
        const struct um_counters_target *target = &board->targets[i];
        if (!um_lines_wants(about, target))
            continue;
        bool of_same = before && before->provider_bytes == target->provider_bytes &&
                       memcmp(before->name, target->name, target->provider_bytes) == 0;
        /* Behind it may come a line that there are more, and comes an empty one. */
        if (drawing->lines + 3 + !of_same > drawing->most) {
            left_out++;
            continue;
        }
        snprintf(line, sizeof line, "%.*s", (int)target->provider_bytes, target->name);
        if (!of_same)
            put_line(drawing, line);
        format_target(line, sizeof line, drawing->names, target);
        put_line(drawing, line);
        before = target;
    }
    snprintf(line, sizeof line, "  ... and %zu more: --counters chooses among them", left_out);
    if (left_out > 0)
        put_line(drawing, line);
}

/* As many of the latest events as there is room for. */
static void draw_events(struct drawing *drawing, const struct um_board *board)
{
    size_t room = drawing->most - (drawing->lines < drawing->most ? drawing->lines : drawing->most);
    size_t count = board->event_count < UM_BOARD_EVENTS ? board->event_count : UM_BOARD_EVENTS;
    if (count > room)
        count = room;
    for (size_t i = board->event_count - count; i < board->event_count; i++)
        put_line(drawing, board->events[i % UM_BOARD_EVENTS]);
}

/* The names of uimon's own counters are short; those of programs get what a terminal has more. */
static int name_columns(const struct um_board *board, size_t columns)
{
    if (board->interval.target_count == 0 || columns < NAME_COLUMNS + NUMBER_COLUMNS)
        return NAME_COLUMNS;
    size_t names = columns - NUMBER_COLUMNS;
    return names < NAME_COLUMNS_MAX ? (int)names : NAME_COLUMNS_MAX;
}

void um_board_draw(struct um_board *board, FILE *out, const struct um_lines_about *about,
                   size_t columns, size_t rows)
{
    struct drawing drawing = {.out = out,
                              .columns = columns,
                              .most = rows ? rows - 1 : SIZE_MAX,
                              .names = name_columns(board, columns)};
    char line[LINE_BYTES];

    if (board->lines > 0)
        fprintf(out, "\x1b[%zuA", board->lines);
    draw_head(&drawing, board, about);
    for (int i = 0; i < UM_COUNTERS_COUNT; i++) {
        if (!about->wanted[i])
            continue;
        format_counter(line, sizeof line, drawing.names, &um_counters_list[i],
                       &board->interval.values[i]);
        put_line(&drawing, line);
    }
    draw_targets(&drawing, board, about);
    put_line(&drawing, "");
    draw_events(&drawing, board);
    fputs("\x1b[J", out); /* what the last drawing had below: the terminal may have become lower */
    board->lines = drawing.lines;
}
