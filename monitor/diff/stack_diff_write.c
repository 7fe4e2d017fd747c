/* Writes what stack_diff.h has found: as text, JSON and a page. */
#include "monitor/diff/stack_diff.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/output.h"
#include "base/page.h"
#include "base/utf8.h"
#include "monitor/json/json.h"

#define COLUMNS 80
#define SLOWER 20 /* rows that are shown as text */
#define FASTER 10
#define LISTED 200    /* in the JSON, of each kind */
#define LEAST_MS 0.05 /* a minute, that a row of the text changes */
#define BEFORE_NAME 42
#define TEXT_BYTES 2048

static void write_session(FILE *out, const char *name, const struct um_stack_diff_session *session)
{
    char path[TEXT_BYTES];
    const struct um_stats_freezes *freezes = session->recorded.summary.freezes;
    um_utf8_fit(session->path, COLUMNS - 9, path, sizeof path);
    fprintf(out, "%-8s %s\n", name, path);
    fprintf(out, "         %.1f s, %" PRIu32 " freeze%s, %" PRIu64 " sample%s in %s\n",
            (double)session->recorded.summary.totals.duration_ns / 1e9, freezes->count,
            freezes->count == 1 ? "" : "s", session->samples, session->samples == 1 ? "" : "s",
            freezes->count == 1 ? "it" : "them");
}

static void write_row(FILE *out, const struct um_stack_diff_row *row)
{
    char name[TEXT_BYTES];
    const char *mark = um_stack_diff_is_guess(row) ? UM_WIRE_GUESS : "";
    um_utf8_fit(row->label.text, COLUMNS - BEFORE_NAME - strlen(mark), name, sizeof name);
    fprintf(out, "%9.1f %9.1f %+9.1f  %+9.1f  %s%s\n", row->costs[0].self_ms, row->costs[1].self_ms,
            um_stack_diff_self(row), um_stack_diff_all(row), mark, name);
}

/* Whether a row is one of the slower (1) or faster ones (-1), by itself or with what it called. */
static bool is_of(const struct um_stack_diff_row *row, int sign)
{
    double self = um_stack_diff_self(row) * sign, all = um_stack_diff_all(row) * sign;
    return self >= LEAST_MS || (fabs(self) < LEAST_MS && all >= LEAST_MS);
}

static void write_rows(FILE *out, const struct um_stack_diff *diff, const char *title, int sign,
                       size_t most)
{
    size_t shown = 0, found = 0;
    for (size_t i = 0; i < diff->count; i++) {
        const struct um_stack_diff_row *row = &diff->rows[sign > 0 ? i : diff->count - 1 - i];
        if (!is_of(row, sign))
            continue;
        if (found++ == 0)
            fprintf(out, "\n%s\n%9s %9s %9s  %9s\n", title, "before", "after", "change", "in all");
        if (shown < most)
            write_row(out, row);
        shown += shown < most;
    }
    if (found > shown)
        fprintf(out, "and %zu more\n", found - shown);
}

static void write_sum(FILE *out, const char *name, double before, double after)
{
    fprintf(out, "%9.1f %9.1f %+9.1f             %s\n", before, after, after - before, name);
}

static void write_stacks(FILE *out, const struct um_stack_diff *diff)
{
    const struct um_stack_diff_session *a = &diff->sides[0], *b = &diff->sides[1];
    fputs("\nTime in freezes, in ms for each minute of the session: in the function itself;\n"
          "\"in all\" is the change with what it called. What two sessions differ in by\n"
          "chance is in these numbers too.\n",
          out);
    if (a->profiled.view.only || a->profiled.view.hide)
        fputs("Time in functions that are left out is their nearest caller's.\n", out);
    write_rows(out, diff, "Slower", 1, SLOWER);
    write_rows(out, diff, "Faster", -1, FASTER);
    for (size_t i = 0; i < diff->count; i++)
        if (um_stack_diff_is_guess(&diff->rows[i])) {
            fputs("\n" UM_WIRE_GUESS "a guess in half of its samples or more\n", out);
            break;
        }
    fprintf(out, "\nTogether\n");
    write_sum(out, "all freezes", a->frozen_ms, b->frozen_ms);
    write_sum(out, "of that unattributed: no sample stands for it", a->unsampled_ms,
              b->unsampled_ms);
}

enum um_status um_stack_diff_write_text(FILE *out, const struct um_stack_diff *diff)
{
    write_session(out, "Before", &diff->sides[0]);
    write_session(out, "After", &diff->sides[1]);
    if (diff->has_stacks)
        write_stacks(out, diff);
    um_methods_diff_write_text(out, &diff->methods);
    um_layout_diff_write_text(out, &diff->layout);
    um_counted_diff_write_text(out, &diff->counted);
    return fflush(out) != 0 || ferror(out) ? UM_ERR_IO : UM_OK;
}

/* A text as the page shows it. */
static cJSON *make_text(const char *text)
{
    char fitted[2 * TEXT_BYTES];
    (void)um_utf8_fit(text, SIZE_MAX, fitted, sizeof fitted);
    return cJSON_CreateString(fitted);
}

static cJSON *make_ms(double ms)
{
    return cJSON_CreateNumber(round(ms * 1000) / 1000);
}

static void put_session(struct um_json *json, cJSON *root, const char *name,
                        const struct um_stack_diff_session *session)
{
    cJSON *item = um_json_object(json, root, name);
    um_json_put(json, item, "path", make_text(session->path));
    um_json_put(json, item, "duration_ms",
                make_ms((double)session->recorded.summary.totals.duration_ns / 1e6));
    um_json_number(json, item, "freezes", session->recorded.summary.freezes->count);
    um_json_number(json, item, "samples", (double)session->samples);
    um_json_put(json, item, "frozen_ms_per_min", make_ms(session->frozen_ms));
    um_json_put(json, item, "unattributed_ms_per_min", make_ms(session->unsampled_ms));
}

static void put_cost(struct um_json *json, cJSON *object, const char *name,
                     const struct um_stack_diff_cost *cost)
{
    cJSON *item = um_json_object(json, object, name);
    um_json_put(json, item, "self_ms_per_min", make_ms(cost->self_ms));
    um_json_put(json, item, "ms_per_min", make_ms(cost->all_ms));
    um_json_number(json, item, "self", (double)cost->self_samples);
    um_json_number(json, item, "samples", (double)cost->samples);
    if (cost->guessed > 0)
        um_json_number(json, item, "samples_guessed", (double)cost->guessed);
}

static void put_row(struct um_json *json, cJSON *list, const struct um_stack_diff_row *row)
{
    cJSON *item = um_json_append_object(json, list);
    um_json_put(json, item, "name", make_text(row->label.text));
    if (row->file[0] != '\0')
        um_json_put(json, item, "file", make_text(row->file));
    if (row->line > 0)
        um_json_number(json, item, "line", row->line);
    if (row->is_nearest)
        um_json_bool(json, item, "line_is_nearest", true);
    um_json_put(json, item, "self_change", make_ms(um_stack_diff_self(row)));
    um_json_put(json, item, "change", make_ms(um_stack_diff_all(row)));
    put_cost(json, item, "before", &row->costs[0]);
    put_cost(json, item, "after", &row->costs[1]);
}

/* The first and the last rows, that is, the most slower and the most faster. */
static void put_rows(struct um_json *json, cJSON *root, const struct um_stack_diff *diff)
{
    cJSON *list = um_json_array(json, root, "functions");
    for (size_t i = 0; i < diff->count && !json->failed; i++) {
        const struct um_stack_diff_row *row = &diff->rows[i];
        if ((i < LISTED || i + LISTED >= diff->count) &&
            row->costs[0].samples + row->costs[1].samples > 0)
            put_row(json, list, row);
    }
}

/* The beginning of both: whose sides these are. */
static cJSON *make_sides(struct um_json *json, const struct um_stack_diff *diff)
{
    cJSON *root = cJSON_CreateObject();
    um_json_text(json, root, "uimon", UM_VERSION);
    put_session(json, root, "before", &diff->sides[0]);
    put_session(json, root, "after", &diff->sides[1]);
    return root;
}

enum um_status um_stack_diff_write_json(FILE *out, const struct um_stack_diff *diff)
{
    struct um_json json = {.failed = false};
    cJSON *root = make_sides(&json, diff);
    if (diff->has_stacks)
        put_rows(&json, root, diff);
    um_methods_diff_write_json(&json, root, &diff->methods);
    um_layout_diff_write_json(&json, root, &diff->layout);
    um_counted_diff_write_json(&json, root, &diff->counted);
    char *text = um_json_print(&json, root, true);
    bool whole = text && um_output_json(out, text);
    cJSON_free(text);
    if (json.failed || !text)
        return UM_ERR_MEMORY;
    return whole && fflush(out) == 0 ? UM_OK : UM_ERR_IO;
}

/* [parent, row, calls are left out, it is a guess, ms before, ms after]; row -1 is none. */
static void put_nodes(struct um_json *json, cJSON *root, const struct um_stack_diff *diff)
{
    cJSON *list = um_json_array(json, root, "nodes");
    for (size_t i = 0; i < diff->node_count && !json->failed; i++) {
        const struct um_stack_diff_node *node = &diff->nodes[i];
        cJSON *item = um_json_append_array(json, list);
        um_json_append_number(json, item, node->parent);
        um_json_append_number(json, item, node->row == UINT32_MAX ? -1 : (double)node->row);
        um_json_append_number(json, item, node->folded);
        um_json_append_number(json, item, node->guessed);
        um_json_append(json, item, make_ms(node->self_ms[0]));
        um_json_append(json, item, make_ms(node->self_ms[1]));
    }
}

/* [name, file, line, whether that is only the nearest one before, whether it is a guess,
 * self before, self after, all before, all after, samples before and after] */
static void put_functions(struct um_json *json, cJSON *root, const struct um_stack_diff *diff)
{
    cJSON *list = um_json_array(json, root, "functions");
    for (size_t i = 0; i < diff->count && !json->failed; i++) {
        const struct um_stack_diff_row *row = &diff->rows[i];
        cJSON *item = um_json_append_array(json, list);
        um_json_append(json, item, make_text(row->label.text));
        um_json_append(json, item, make_text(row->file));
        um_json_append_number(json, item, row->line);
        um_json_append_number(json, item, row->is_nearest);
        um_json_append_number(json, item, um_stack_diff_is_guess(row));
        um_json_append(json, item, make_ms(row->costs[0].self_ms));
        um_json_append(json, item, make_ms(row->costs[1].self_ms));
        um_json_append(json, item, make_ms(row->costs[0].all_ms));
        um_json_append(json, item, make_ms(row->costs[1].all_ms));
        um_json_append_number(json, item, (double)row->costs[0].samples);
        um_json_append_number(json, item, (double)row->costs[1].samples);
    }
}

static enum um_status write_text(FILE *out, const void *diff)
{
    return um_stack_diff_write_text(out, diff);
}

enum um_status um_stack_diff_write_html(FILE *out, const struct um_stack_diff *diff)
{
    struct um_json json = {.failed = false};
    cJSON *root = make_sides(&json, diff);
    um_json_bool(&json, root, "has_stacks", diff->has_stacks);
    put_functions(&json, root, diff);
    put_nodes(&json, root, diff);
    um_methods_diff_write_json(&json, root, &diff->methods);
    um_layout_diff_write_json(&json, root, &diff->layout);
    um_counted_diff_write_json(&json, root, &diff->counted);
    char *text = um_json_print(&json, root, false);
    if (!text)
        return UM_ERR_MEMORY;
    enum um_status status = um_page_write(out, um_diff_page, text, write_text, diff);
    cJSON_free(text);
    return status;
}
