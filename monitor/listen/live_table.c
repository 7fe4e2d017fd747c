#include "monitor/listen/live_table.h"

#include <inttypes.h>
#include <stdint.h>
#include <string.h>

#include "base/output.h"
#include "base/utf8.h"

#define NAME_COLUMNS 22
#define NAME_COLUMNS_MAX 36
#define NUMBER_COLUMNS 58 /* columns of a row's numbers and its unit */

void um_live_table_interval(struct um_live_table *board,
                            const struct um_counters_interval *interval)
{
    board->interval = *interval;
    board->interval.targets = NULL;
    if (interval->target_count > 0)
        memcpy(board->targets, interval->targets,
               interval->target_count * sizeof board->targets[0]);
    board->has_interval = true;
}

void um_live_table_event(struct um_live_table *board, const struct um_lines_about *about,
                         const struct um_counters_event *event)
{
    um_lines_text_event(board->events[board->event_count % UM_LIVE_TABLE_EVENTS], about, event);
    board->event_count++;
}

void um_live_table_put_line(FILE *out, const char *line, size_t columns)
{
    char shown[UM_LIVE_TABLE_LINE_BYTES];
    um_utf8_fit(line, columns, shown, sizeof shown);
    fprintf(out, "%s\x1b[K\n", shown);
}

void um_live_table_number(char *text, size_t cap_bytes, bool known, double number, int decimals)
{
    snprintf(text, cap_bytes, known ? "%.*f" : "-", decimals, number);
}

static void format_counter(char *line, size_t cap, int names, const struct um_metrics_row *info,
                           const struct um_counters_value *value)
{
    char texts[5][32];
    double numbers[] = {value->value, value->min, value->p50, value->p99, value->max};
    for (size_t i = 0; i < 5; i++)
        um_live_table_number(texts[i], sizeof texts[i],
                             value->measured && (i == 0 || info->kind == UM_METRICS_SPREAD),
                             numbers[i], info->unit[0] ? 2 : 0);
    snprintf(line, cap, "%-*s %9s %9s %9s %9s %9s  %s", names, info->display, texts[0], texts[1],
             texts[2], texts[3], texts[4], info->unit);
}

struct drawing {
    FILE *out;
    size_t columns;
    size_t lines; /* lines drawn so far */
    size_t most;  /* lines that there is room for */
    int names;    /* columns of a name */
};

static void put_line(struct drawing *drawing, const char *line)
{
    um_live_table_put_line(drawing->out, line, drawing->columns);
    drawing->lines++;
}

static void draw_head(struct drawing *drawing, const struct um_live_table *board,
                      const struct um_lines_about *about)
{
    char line[UM_LIVE_TABLE_LINE_BYTES];
    snprintf(line, sizeof line, "%s (pid %" PRIu32 ")  %s", about->session->name,
             about->session->pid,
             board->has_interval ? um_wire_state_name(board->interval.state) : "");
    put_line(drawing, line);
    snprintf(line, sizeof line, "%-*s %9s %9s %9s %9s %9s", drawing->names, "", "now/mean", "min",
             "p50", "p99", "max");
    put_line(drawing, line);
}

/* Fits a counter's name without its provider. Returns how many columns are left of its own. */
static int fit_name(const struct um_counters_target *target, int names, char *name, size_t cap)
{
    um_utf8_fit(target->name + target->provider_bytes + 1, (size_t)names - 2, name, cap);
    return names - 2 - (int)um_utf8_columns(name);
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
    int padding = fit_name(target, names, name, sizeof name);
    snprintf(line, cap, "  %s%*s %9s %9s %9s %9s %9s  %s", name, padding, "", texts[0], texts[1],
             "-", "-", texts[2], target->unit);
}

/* A component's layout: ms a frame, the steps of its last frame, and the worst frame. 0: it had no
 * such step. */
static void format_layout(char *line, size_t cap, int names,
                          const struct um_counters_target *target)
{
    const struct um_counters_steps *steps = &target->last_frame;
    const double numbers[] = {target->value.value, steps->measure, steps->arrange, steps->paint,
                              target->value.max};
    char texts[5][32], name[256];
    for (size_t i = 0; i < 5; i++)
        um_live_table_number(texts[i], sizeof texts[i], numbers[i] > 0, numbers[i], 2);
    int padding = fit_name(target, names, name, sizeof name);
    snprintf(line, cap, "  %s%*s %9s %9s %9s %9s %9s  %s", name, padding, "", texts[0], texts[1],
             texts[2], texts[3], texts[4], target->unit);
}

static void format_provider(char *line, size_t cap, int names,
                            const struct um_counters_target *target)
{
    if (target->is_layout)
        snprintf(line, cap, "%-*s %9s %9s %9s %9s %9s", names, UM_COUNTERS_LAYOUT, "ms/frame",
                 "measure", "arrange", "paint", "worst");
    else
        snprintf(line, cap, "%.*s", (int)target->provider_bytes, target->name);
}

/* Draws the program's own counters, under a line for each provider. A last line says for how many
 * there is no room. */
static void draw_targets(struct drawing *drawing, const struct um_live_table *board,
                         const struct um_lines_about *about)
{
    const struct um_counters_target *before = NULL;
    char line[UM_LIVE_TABLE_LINE_BYTES];
    size_t left_out = 0;

    for (size_t i = 0; i < board->interval.target_count; i++) {
        const struct um_counters_target *target = &board->targets[i];
        if (!um_lines_wants_value(about, target))
            continue;
        bool of_same = before && before->provider_bytes == target->provider_bytes &&
                       memcmp(before->name, target->name, target->provider_bytes) == 0;
        /* Two more lines must fit: one that there are more counters, and an empty one. */
        if (drawing->lines + 3 + !of_same > drawing->most) {
            left_out++;
            continue;
        }
        format_provider(line, sizeof line, drawing->names, target);
        if (!of_same)
            put_line(drawing, line);
        (target->is_layout ? format_layout : format_target)(line, sizeof line, drawing->names,
                                                            target);
        put_line(drawing, line);
        before = target;
    }
    snprintf(line, sizeof line, "  ... and %zu more: --counters chooses among them", left_out);
    if (left_out > 0)
        put_line(drawing, line);
}

/* Draws as many of the latest events as there is room for. */
static void draw_events(struct drawing *drawing, const struct um_live_table *board)
{
    size_t room = drawing->most - (drawing->lines < drawing->most ? drawing->lines : drawing->most);
    size_t count =
        board->event_count < UM_LIVE_TABLE_EVENTS ? board->event_count : UM_LIVE_TABLE_EVENTS;
    if (count > room)
        count = room;
    for (size_t i = board->event_count - count; i < board->event_count; i++)
        put_line(drawing, board->events[i % UM_LIVE_TABLE_EVENTS]);
}

/* The columns of a name. uimon's own are short. If there are counters of programs or components,
 * whose names can be long, names get the terminal's remaining columns. */
static int name_columns(const struct um_live_table *board, size_t columns)
{
    if (board->interval.target_count == 0 || columns < NAME_COLUMNS + NUMBER_COLUMNS)
        return NAME_COLUMNS;
    size_t names = columns - NUMBER_COLUMNS;
    return names < NAME_COLUMNS_MAX ? (int)names : NAME_COLUMNS_MAX;
}

void um_live_table_draw(struct um_live_table *board, FILE *out, const struct um_lines_about *about,
                        size_t columns, size_t rows)
{
    struct drawing drawing = {.out = out,
                              .columns = columns,
                              .most = rows ? rows - 1 : SIZE_MAX,
                              .names = name_columns(board, columns)};
    char line[UM_LIVE_TABLE_LINE_BYTES];

    if (board->lines > 0)
        fprintf(out, "\x1b[%zuA", board->lines);
    draw_head(&drawing, board, about);
    for (int i = 0; i < UM_METRICS_COUNT; i++) {
        if (!about->wanted[i])
            continue;
        format_counter(line, sizeof line, drawing.names, &um_metrics_list[i],
                       &board->interval.values[i]);
        put_line(&drawing, line);
    }
    draw_targets(&drawing, board, about);
    put_line(&drawing, "");
    draw_events(&drawing, board);
    fputs("\x1b[J", out); /* clears the lines of a higher drawing before */
    board->lines = drawing.lines;
}
