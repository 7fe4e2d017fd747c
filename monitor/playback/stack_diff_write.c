/* Writes what stack_diff.h has found: as text, JSON and a page. */
#include "monitor/playback/stack_diff.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "monitor/base/output.h"
#include "monitor/base/page.h"
#include "monitor/base/utf8.h"
#include "monitor/playback/diff_page.h"

#define COLUMNS 80
#define SLOWER 20 /* rows that are shown as text */
#define FASTER 10
#define LISTED 200    /* in the JSON, of each kind */
#define LEAST_MS 0.05 /* a minute, that a row of the text changes */
#define BEFORE_NAME 42
#define TEXT_BYTES 2048

/* Text ----------------------------------------------------------------------------------------- */

static void write_session(FILE *out, const char *name, const struct um_stack_diff_session *session)
{
    char path[TEXT_BYTES];
    const struct um_stats_freezes *freezes = session->recorded.summary.freezes;
    um_utf8_fit(session->path, COLUMNS - 9, path, sizeof path);
    fprintf(out, "%-8s %s\n", name, path);
    fprintf(out, "         %.1f s, %" PRIu32 " freeze%s, %" PRIu64 " sample%s in %s\n",
            (double)session->recorded.summary.duration_ns / 1e9, freezes->count,
            freezes->count == 1 ? "" : "s", session->samples, session->samples == 1 ? "" : "s",
            freezes->count == 1 ? "it" : "them");
}

static void write_row(FILE *out, const struct um_stack_diff_row *row)
{
    char name[TEXT_BYTES];
    um_utf8_fit(row->label.text, COLUMNS - BEFORE_NAME, name, sizeof name);
    fprintf(out, "%9.1f %9.1f %+9.1f  %+9.1f  %s\n", row->costs[0].self_ms, row->costs[1].self_ms,
            um_stack_diff_self(row), um_stack_diff_all(row), name);
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

static void write_beside(FILE *out, const char *name, double before, double after)
{
    fprintf(out, "%9.1f %9.1f %+9.1f             %s\n", before, after, after - before, name);
}

enum um_status um_stack_diff_write_text(FILE *out, const struct um_stack_diff *diff)
{
    const struct um_stack_diff_session *a = &diff->sides[0], *b = &diff->sides[1];
    write_session(out, "Before", a);
    write_session(out, "After", b);
    fputs("\nTime in freezes, in ms for each minute of the session: in the function itself;\n"
          "\"in all\" is the change with what it called. What two sessions differ in by\n"
          "chance is in these numbers too.\n",
          out);
    if (a->profiled.view.only || a->profiled.view.hide)
        fputs("Time in functions that are left out is their nearest caller's.\n", out);
    write_rows(out, diff, "Slower", 1, SLOWER);
    write_rows(out, diff, "Faster", -1, FASTER);
    fprintf(out, "\nTogether\n");
    write_beside(out, "all freezes", a->frozen_ms, b->frozen_ms);
    write_beside(out, "of that unattributed: no sample stands for it", a->unsampled_ms,
                 b->unsampled_ms);
    return fflush(out) != 0 || ferror(out) ? UM_ERR_IO : UM_OK;
}

/* JSON ----------------------------------------------------------------------------------------- */

struct json {
    bool failed;
};

static void put(struct json *json, cJSON *object, const char *name, cJSON *item)
{
    if (cJSON_AddItemToObject(object, name, item))
        return;
    cJSON_Delete(item);
    json->failed = true;
}

static void append(struct json *json, cJSON *list, cJSON *item)
{
    if (cJSON_AddItemToArray(list, item))
        return;
    cJSON_Delete(item);
    json->failed = true;
}

static cJSON *make_text(const char *text)
{
    char fitted[2 * TEXT_BYTES];
    (void)um_utf8_fit(text, SIZE_MAX, fitted, sizeof fitted);
    return cJSON_CreateString(fitted);
}

/* To the µs. */
static cJSON *make_ms(double ms)
{
    return cJSON_CreateNumber(round(ms * 1000) / 1000);
}

static cJSON *make_session(struct json *json, const struct um_stack_diff_session *session)
{
    cJSON *item = cJSON_CreateObject();
    put(json, item, "path", make_text(session->path));
    put(json, item, "duration_ms", make_ms((double)session->recorded.summary.duration_ns / 1e6));
    put(json, item, "freezes", cJSON_CreateNumber(session->recorded.summary.freezes->count));
    put(json, item, "samples", cJSON_CreateNumber((double)session->samples));
    put(json, item, "frozen_ms_per_min", make_ms(session->frozen_ms));
    put(json, item, "unattributed_ms_per_min", make_ms(session->unsampled_ms));
    return item;
}

static cJSON *make_cost(struct json *json, const struct um_stack_diff_cost *cost)
{
    cJSON *item = cJSON_CreateObject();
    put(json, item, "self_ms_per_min", make_ms(cost->self_ms));
    put(json, item, "ms_per_min", make_ms(cost->all_ms));
    put(json, item, "self", cJSON_CreateNumber((double)cost->self_samples));
    put(json, item, "samples", cJSON_CreateNumber((double)cost->samples));
    return item;
}

static cJSON *make_row(struct json *json, const struct um_stack_diff_row *row)
{
    cJSON *item = cJSON_CreateObject();
    put(json, item, "name", make_text(row->label.text));
    if (row->file[0] != '\0')
        put(json, item, "file", make_text(row->file));
    if (row->line > 0)
        put(json, item, "line", cJSON_CreateNumber(row->line));
    put(json, item, "self_change", make_ms(um_stack_diff_self(row)));
    put(json, item, "change", make_ms(um_stack_diff_all(row)));
    put(json, item, "before", make_cost(json, &row->costs[0]));
    put(json, item, "after", make_cost(json, &row->costs[1]));
    return item;
}

/* The first and the last rows, that is, the most slower and the most faster. */
static cJSON *make_rows(struct json *json, const struct um_stack_diff *diff)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < diff->count && !json->failed; i++) {
        const struct um_stack_diff_row *row = &diff->rows[i];
        if ((i < LISTED || i + LISTED >= diff->count) &&
            row->costs[0].samples + row->costs[1].samples > 0)
            append(json, list, make_row(json, row));
    }
    return list;
}

static cJSON *make_all(struct json *json, const struct um_stack_diff *diff)
{
    cJSON *root = cJSON_CreateObject();
    put(json, root, "uimon", cJSON_CreateString(UM_VERSION));
    put(json, root, "before", make_session(json, &diff->sides[0]));
    put(json, root, "after", make_session(json, &diff->sides[1]));
    put(json, root, "functions", make_rows(json, diff));
    return root;
}

enum um_status um_stack_diff_write_json(FILE *out, const struct um_stack_diff *diff)
{
    struct json json = {.failed = false};
    cJSON *root = make_all(&json, diff);
    char *text = json.failed ? NULL : cJSON_Print(root);
    cJSON_Delete(root);
    bool whole = text && um_output_json(out, text);
    cJSON_free(text);
    if (json.failed || !text)
        return UM_ERR_MEMORY;
    return whole && fflush(out) == 0 ? UM_OK : UM_ERR_IO;
}

/* The page ------------------------------------------------------------------------------------- */

/* [parent, row, calls are left out, ms before, ms after]; row -1 is none. */
static cJSON *make_nodes(struct json *json, const struct um_stack_diff *diff)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < diff->node_count && !json->failed; i++) {
        const struct um_stack_diff_node *node = &diff->nodes[i];
        cJSON *item = cJSON_CreateArray();
        append(json, item, cJSON_CreateNumber(node->parent));
        append(json, item, cJSON_CreateNumber(node->row == UINT32_MAX ? -1 : (double)node->row));
        append(json, item, cJSON_CreateNumber(node->folded));
        append(json, item, make_ms(node->self_ms[0]));
        append(json, item, make_ms(node->self_ms[1]));
        append(json, list, item);
    }
    return list;
}

/* [name, file, line, self before, self after, all before, all after, samples before and after] */
static cJSON *make_functions(struct json *json, const struct um_stack_diff *diff)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < diff->count && !json->failed; i++) {
        const struct um_stack_diff_row *row = &diff->rows[i];
        cJSON *item = cJSON_CreateArray();
        append(json, item, make_text(row->label.text));
        append(json, item, make_text(row->file));
        append(json, item, cJSON_CreateNumber(row->line));
        append(json, item, make_ms(row->costs[0].self_ms));
        append(json, item, make_ms(row->costs[1].self_ms));
        append(json, item, make_ms(row->costs[0].all_ms));
        append(json, item, make_ms(row->costs[1].all_ms));
        append(json, item, cJSON_CreateNumber((double)row->costs[0].samples));
        append(json, item, cJSON_CreateNumber((double)row->costs[1].samples));
        append(json, list, item);
    }
    return list;
}

enum um_status um_stack_diff_write_html(FILE *out, const struct um_stack_diff *diff)
{
    struct json json = {.failed = false};
    cJSON *root = make_all(&json, diff);
    cJSON_DeleteItemFromObject(root, "functions");
    put(&json, root, "functions", make_functions(&json, diff));
    put(&json, root, "nodes", make_nodes(&json, diff));
    char *text = json.failed ? NULL : cJSON_PrintUnformatted(root);
    cJSON_Delete(root);
    if (!text)
        return UM_ERR_MEMORY;
    enum um_status status = um_page_write(out, um_diff_page, um_diff_page_len, text);
    cJSON_free(text);
    return status;
}
