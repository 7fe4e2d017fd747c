/* Writes what layout_diff.h has found, as text and as JSON. */
#include <inttypes.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/utf8.h"
#include "monitor/diff/layout_diff.h"

#define COLUMNS 80
#define SHOWN 20
#define BEFORE_NAME 49
#define WITHIN 32 /* of those around a component, the JSON has so many */
#define NAME_BYTES (2 * UM_WIRE_LAYOUT_TEXT_BYTES + 4)
#define LINE_BYTES 512

/* "Lists @ Pane", "Pane". */
static void name_of(const struct um_layout_diff_row *row, char *buf, size_t cap_bytes)
{
    bool both = row->text[0] != '\0' && row->window_class[0] != '\0';
    (void)snprintf(buf, cap_bytes, "%s%s%s", row->text, both ? " @ " : "", row->window_class);
}

/* The row around a row; NULL: there is none. */
static const struct um_layout_diff_row *around(const struct um_layout_diff *diff,
                                               const struct um_layout_diff_row *row)
{
    return row->parent == UM_LAYOUT_DIFF_NONE ? NULL : &diff->rows[row->parent];
}

/* Text ----------------------------------------------------------------------------------------- */

/* A time of 0 is none. */
static void format_ms(const struct um_layout_diff_cost *cost, char *buf, size_t cap_bytes)
{
    double ms = um_layout_diff_ms(cost);
    (void)snprintf(buf, cap_bytes, ms > 0 ? "%.2f" : "-", ms);
}

static void format_ratio(const struct um_layout_diff_row *row, char *buf, size_t cap_bytes)
{
    double ratio = um_layout_diff_ratio(row);
    if (row->costs[1].components == 0)
        (void)snprintf(buf, cap_bytes, "only before");
    else if (row->costs[0].components == 0)
        (void)snprintf(buf, cap_bytes, "only after");
    else
        (void)snprintf(buf, cap_bytes, ratio > 0 ? "%.2f" : "-", ratio);
}

static void format_frames(const struct um_layout_diff_cost *cost, char *buf, size_t cap_bytes)
{
    if (cost->components > 0)
        (void)snprintf(buf, cap_bytes, "%" PRIu64, cost->frames);
    else
        (void)snprintf(buf, cap_bytes, "-");
}

/* "inner @ Pane < middle < outer"; "Pane × 3 < Main" are three with this name. */
static void format_path(const struct um_layout_diff *diff, const struct um_layout_diff_row *row,
                        char line[LINE_BYTES])
{
    char name[NAME_BYTES];
    uint32_t many = row->costs[0].components > row->costs[1].components ? row->costs[0].components
                                                                        : row->costs[1].components;
    name_of(row, name, sizeof name);
    size_t used = (size_t)snprintf(line, LINE_BYTES, "%s", name);
    if (many > 1)
        used += (size_t)snprintf(line + used, LINE_BYTES - used, " × %" PRIu32, many);
    for (const struct um_layout_diff_row *up = around(diff, row); up && used < COLUMNS;
         up = around(diff, up))
        used += (size_t)snprintf(line + used, LINE_BYTES - used, " < %s",
                                 up->text[0] != '\0' ? up->text : up->window_class);
}

static void write_row(FILE *out, const struct um_layout_diff *diff,
                      const struct um_layout_diff_row *row)
{
    char ms[2][32], frames[2][32], ratio[32], line[LINE_BYTES], fitted[LINE_BYTES];
    for (int side = 0; side < 2; side++) {
        format_ms(&row->costs[side], ms[side], sizeof ms[side]);
        format_frames(&row->costs[side], frames[side], sizeof frames[side]);
    }
    format_ratio(row, ratio, sizeof ratio);
    format_path(diff, row, line);
    (void)um_utf8_fit(line, COLUMNS - BEFORE_NAME, fitted, sizeof fitted);
    fprintf(out, "%9s %9s %11s %7s %7s  %s\n", ms[0], ms[1], ratio, frames[0], frames[1], fitted);
}

void um_layout_diff_write_text(FILE *out, const struct um_layout_diff *diff)
{
    if (diff->count == 0)
        return;
    fprintf(out, "\nLayout, in ms for each layout frame of a component: measure and arrange, with\n"
                 "the components within it; \"<\" says what it lies in\n");
    fprintf(out, "%9s %9s %11s %15s\n", "before", "after", "ratio", "frames");
    for (size_t i = 0; i < diff->count && i < SHOWN; i++)
        write_row(out, diff, &diff->rows[diff->order[i]]);
    if (diff->count > SHOWN)
        fprintf(out, "and %zu more\n", diff->count - SHOWN);
}

/* JSON ----------------------------------------------------------------------------------------- */

static void put_cost(struct um_json *json, cJSON *object, const char *name,
                     const struct um_layout_diff_cost *cost)
{
    if (cost->components == 0)
        return;
    cJSON *item = um_json_object(json, object, name);
    um_json_number(json, item, "components", cost->components);
    um_json_u64(json, item, "frames", cost->frames);
    if (cost->frames > 0)
        um_json_decimals(json, item, "ms_per_frame", um_layout_diff_ms(cost), 3);
    um_json_ms(json, item, "layout_ms", cost->layout_ns);
    um_json_ms(json, item, "own_layout_ms", cost->own_layout_ns);
    um_json_ms(json, item, "paint_ms", cost->paint_ns);
    um_json_ms(json, item, "worst_frame_ms", cost->worst_frame_ns);
}

static void put_row(struct um_json *json, cJSON *list, const struct um_layout_diff *diff,
                    const struct um_layout_diff_row *row)
{
    char name[NAME_BYTES];
    cJSON *item = um_json_append_object(json, list);
    um_json_text(json, item, "text", row->text);
    um_json_text(json, item, "class", row->window_class);
    cJSON *within = um_json_array(json, item, "within");
    const struct um_layout_diff_row *up = around(diff, row);
    for (int i = 0; up && i < WITHIN; i++, up = around(diff, up)) {
        name_of(up, name, sizeof name);
        um_json_append_text(json, within, name);
    }
    put_cost(json, item, "before", &row->costs[0]);
    put_cost(json, item, "after", &row->costs[1]);
    if (um_layout_diff_ratio(row) > 0)
        um_json_decimals(json, item, "ratio", um_layout_diff_ratio(row), 3);
}

void um_layout_diff_write_json(struct um_json *json, cJSON *root, const struct um_layout_diff *diff)
{
    if (diff->count == 0)
        return;
    cJSON *list = um_json_array(json, root, "layout");
    for (size_t i = 0; i < diff->count && !json->failed; i++)
        put_row(json, list, diff, &diff->rows[diff->order[i]]);
}
