#include "monitor/stats/methods_write.h"

#include <inttypes.h>

#include <cjson/cJSON.h>

#include "base/utf8.h"
#include "monitor/stats/method_sums.h"
#include "monitor/stats/ms_text.h"

#define COLUMNS 80
#define INDENT "             "
#define TEXT_ROWS 20
#define TEXT_UNSEEN 3
#define TEXT_BYTES (UM_WIRE_METHOD_NAME_BYTES + UM_WIRE_METHOD_MODULE_BYTES + 64)
#define LINE_BYTES 160

static const char no_method[] = "no traced method has ";
static const char rest_name[] = "all others: there was no room for more";

/* Text ----------------------------------------------------------------------------------------- */

/* "Demo.Parser.Parse, demo.dll", and what is open. */
static void name_row(const struct um_method_sums *sums, const struct um_method_sums_row *row,
                     const struct um_method_sums_costs *costs, char *buf, size_t cap_bytes)
{
    char open[48] = "";
    const char *name = row->is_rest ? rest_name : row->name[0] != '\0' ? row->name : "(no name)";
    if (sums->has_times && costs->calls > costs->ended)
        (void)snprintf(open, sizeof open, " (%" PRIu64 " without end)",
                       costs->calls - costs->ended);
    (void)snprintf(buf, cap_bytes, "%s%s%s%s", name, open, row->module[0] != '\0' ? ", " : "",
                   row->module);
}

static void write_line(const struct um_method_sums *sums, FILE *file,
                       const struct um_method_sums_row *row,
                       const struct um_method_sums_costs *costs, unsigned level)
{
    char numbers[LINE_BYTES];
    char name[TEXT_BYTES];
    char fitted[TEXT_BYTES];
    int indent = 2 * (int)level;
    if (sums->has_times)
        (void)snprintf(numbers, sizeof numbers, "  %11" PRIu64 " %9s %8s  %*s", costs->calls,
                       costs->ended ? um_ms_text(costs->self_ns).chars : "-",
                       costs->ended ? um_ms_text(costs->wall_ns).chars : "-", indent, "");
    else
        (void)snprintf(numbers, sizeof numbers, "  %11" PRIu64 "  %*s", costs->calls, indent, "");
    name_row(sums, row, costs, name, sizeof name);
    size_t used = um_utf8_columns(numbers);
    (void)um_utf8_fit(name, COLUMNS > used ? COLUMNS - used : 1, fitted, sizeof fitted);
    (void)fprintf(file, "%s%s\n", numbers, fitted);
}

static void write_node(const void *tree, FILE *file, uint32_t number, unsigned level)
{
    const struct um_method_sums *sums = tree;
    const struct um_method_sums_node *node = &sums->nodes[number];
    write_line(sums, file, &sums->rows[node->row], &node->costs, level);
}

/* What of the calls is missing because they were not counted, or not told. */
static void write_missing(FILE *file, const struct um_method_sums *sums,
                          const struct um_methods_head *head)
{
    uint32_t breaks = head->latest.rounds > 1 ? head->latest.rounds - 1 : 0;
    if (breaks > 0) {
        if (breaks == 1)
            (void)fputs(INDENT "interrupted once", file);
        else
            (void)fprintf(file, INDENT "interrupted %" PRIu32 " times", breaks);
        (void)fprintf(file, ": calls of %s ms are missing\n",
                      um_ms_text(head->latest.missed_ns).chars);
    }
    if (breaks > 0 && sums->has_times)
        (void)fputs(INDENT "later calls by methods that ran on are at the top of their thread\n",
                    file);
    if (!head->told || head->latest.on)
        (void)fputs(INDENT "the last calls are missing: the end of tracing was not told\n", file);
}

/* What was chosen to be traced and no method is in. */
static void write_unseen(FILE *file, const struct um_methods *methods)
{
    char name[TEXT_BYTES];
    unsigned told = 0, more = 0;
    for (unsigned i = 0; i < UM_WIRE_METHOD_ENTRIES; i++) {
        const struct um_wire_method_unseen *unseen = um_methods_entry(methods, i);
        if (!unseen)
            continue;
        if (told == TEXT_UNSEEN) {
            more++;
            continue;
        }
        size_t columns = COLUMNS - sizeof INDENT + 1 - sizeof no_method + 1;
        size_t used = um_utf8_columns(unseen->name) + um_utf8_columns(unseen->meant);
        (void)um_utf8_fit(unseen->name, columns, name, sizeof name);
        (void)fprintf(file, INDENT "%s%s", no_method, name);
        if (unseen->meant[0] != '\0') /* whole, because the user will write the same */
            (void)fprintf(file, "%sdid you mean %s?",
                          used + sizeof "; did you mean ?" - 1 > columns ? "\n" INDENT : "; ",
                          unseen->meant);
        (void)fputc('\n', file);
        told++;
    }
    if (more)
        (void)fprintf(file, INDENT "and %u more name%s\n", more, more == 1 ? "" : "s");
}

static void write_head(FILE *file, const struct um_method_sums *sums)
{
    const struct um_methods_head *head = um_methods_head(sums->methods);
    (void)fprintf(file, "  Methods    %" PRIu64 " call%s", sums->calls,
                  sums->calls == 1 ? "" : "s");
    if (head->told)
        (void)fprintf(file, " in %.1f s: %" PRIu32 " method%s, %" PRIu32 " thread%s",
                      (double)head->latest.traced_ns / 1e9, head->latest.methods,
                      head->latest.methods == 1 ? "" : "s", head->latest.threads,
                      head->latest.threads == 1 ? "" : "s");
    (void)fputc('\n', file);
    if (sums->has_times)
        (void)fprintf(file,
                      INDENT "%stimes are as debugged: traced methods run\n" INDENT
                             "unoptimised, so their own time is more than it would be\n",
                      sums->is_exact ? "counts are exact; " : "");
    else if (sums->is_exact)
        (void)fputs(INDENT "counts are exact\n", file);
    write_missing(file, sums, head);
    write_unseen(file, sums->methods);
    if (head->latest.dynamic)
        (void)fprintf(file, INDENT "%" PRIu32 " method%s made at run time, without a name\n",
                      head->latest.dynamic, head->latest.dynamic == 1 ? " was" : "s were");
    if (head->latest.rest)
        (void)fprintf(file, INDENT "%" PRIu64 " call%s no row: there was no room\n",
                      head->latest.rest, head->latest.rest == 1 ? " has" : "s have");
    if (head->left_out)
        (void)fputs(INDENT "some are missing here: there was no memory\n", file);
}

static const char *heads(const struct um_method_sums *sums)
{
    return sums->has_times ? "        calls   self ms  wall ms  method, module\n"
                           : "        calls  method, module\n";
}

/* The tree of the thread that has done most. Without times there are no trees. */
static void write_busiest(FILE *file, const struct um_method_sums *sums)
{
    struct um_call_rows rows = um_method_sums_rows(sums);
    uint32_t busiest;
    size_t threads = um_call_rows_within(&rows, UM_METHOD_SUMS_ROOT, &busiest, 1);
    const struct um_method_sums_node *thread = &sums->nodes[busiest];
    size_t count = 0;
    (void)fprintf(file, INDENT "what called what on ");
    if (thread->thread)
        (void)fprintf(file, "thread %" PRIu32, thread->thread);
    else
        (void)fputs("several threads together", file);
    if (threads > 1)
        (void)fprintf(file, ", the busiest of %zu", threads);
    (void)fputc('\n', file);
    if (thread->costs.cpu_ns)
        (void)fprintf(file, INDENT "it ran for %s ms\n", um_ms_text(thread->costs.cpu_ns).chars);
    for (size_t i = 1; i < sums->node_count; i++)
        count += sums->nodes[i].thread == thread->thread && sums->nodes[i].row != UM_CALL_ROWS_NONE;
    rows.write = write_node;
    size_t hidden = count - um_call_rows_write_text(&rows, file, busiest);
    if (hidden)
        (void)fprintf(file, INDENT "and %zu more row%s\n", hidden, hidden == 1 ? "" : "s");
}

static void write_sums(FILE *file, const struct um_method_sums *sums)
{
    write_head(file, sums);
    if (sums->row_count == 0)
        return;
    (void)fputs(heads(sums), file);
    for (size_t i = 0; i < sums->row_count && i < TEXT_ROWS; i++)
        write_line(sums, file, &sums->rows[i], &sums->rows[i].costs, 0);
    if (sums->row_count > TEXT_ROWS)
        (void)fprintf(file, INDENT "and %zu more method%s\n", sums->row_count - TEXT_ROWS,
                      sums->row_count == TEXT_ROWS + 1 ? "" : "s");
    if (sums->has_times)
        write_busiest(file, sums);
}

enum um_status um_methods_write_text(FILE *file, const struct um_methods *methods)
{
    struct um_method_sums sums = {.methods = methods};
    if (!methods || !um_methods_head(methods)->any)
        return UM_OK;
    enum um_status status = um_method_sums_make(&sums, methods);
    if (status == UM_OK)
        write_sums(file, &sums);
    um_method_sums_deinit(&sums);
    return status;
}

/* JSON ----------------------------------------------------------------------------------------- */

static const char *depth_name(uint8_t depth)
{
    static const char *const names[UM_METHODS_DEPTH_COUNT] = {
        [UM_METHODS_DEPTH_COUNTS] = "counts", [UM_METHODS_DEPTH_TIMES] = "times"};
    return depth < UM_METHODS_DEPTH_COUNT ? names[depth] : "unknown";
}

static void put_costs(const struct um_method_sums *sums, struct um_json *json, cJSON *object,
                      const struct um_method_sums_costs *costs)
{
    um_json_u64(json, object, "calls", costs->calls);
    if (!sums->has_times)
        return;
    um_json_u64(json, object, "ended", costs->ended);
    if (costs->ended == 0)
        return;
    um_call_rows_put_ms(json, object, "wall_ms", costs->wall_ns);
    um_call_rows_put_ms(json, object, "self_ms", costs->self_ns);
}

/* A name may be long and the nodes many, so a node has the place of its method in the list. */
static void put_node(const void *tree, struct um_json *json, cJSON *object, uint32_t number)
{
    const struct um_method_sums *sums = tree;
    const struct um_method_sums_node *node = &sums->nodes[number];
    um_json_number(json, object, "row", node->row);
    put_costs(sums, json, object, &node->costs);
}

static void put_list(struct um_json *json, cJSON *object, const struct um_method_sums *sums)
{
    cJSON *list = um_json_array(json, object, "list");
    for (size_t i = 0; i < sums->row_count && !json->failed; i++) {
        const struct um_method_sums_row *row = &sums->rows[i];
        cJSON *item = um_json_append_object(json, list);
        if (row->is_rest)
            um_json_bool(json, item, "others", true);
        um_json_text(json, item, "method", row->name);
        um_json_text(json, item, "module", row->module);
        put_costs(sums, json, item, &row->costs);
        if (row->costs.cpu_ns)
            um_call_rows_put_ms(json, item, "cpu_ms", row->costs.cpu_ns);
        um_json_number(json, item, "threads", row->threads);
    }
}

static void put_threads(struct um_json *json, cJSON *object, const struct um_method_sums *sums)
{
    struct um_call_rows rows = um_method_sums_rows(sums);
    uint32_t list[UM_CALL_ROWS_JSON_ROWS];
    rows.put = put_node;
    size_t count = um_call_rows_within(&rows, UM_METHOD_SUMS_ROOT, list, UM_CALL_ROWS_JSON_ROWS);
    if (count > UM_CALL_ROWS_JSON_ROWS)
        um_json_u64(json, object, "threads_left_out", count - UM_CALL_ROWS_JSON_ROWS);
    cJSON *threads = um_json_array(json, object, "threads");
    for (size_t i = 0; i < count && i < UM_CALL_ROWS_JSON_ROWS && !json->failed; i++) {
        const struct um_method_sums_node *node = &sums->nodes[list[i]];
        cJSON *item = um_json_append_object(json, threads);
        if (node->thread)
            um_json_number(json, item, "thread", node->thread);
        if (node->costs.cpu_ns)
            um_call_rows_put_ms(json, item, "cpu_ms", node->costs.cpu_ns);
        um_call_rows_write_json(&rows, json, item, "calls", list[i]);
    }
}

static void put_unseen(struct um_json *json, cJSON *object, const struct um_methods *methods)
{
    cJSON *list = NULL;
    for (unsigned i = 0; i < UM_WIRE_METHOD_ENTRIES; i++) {
        const struct um_wire_method_unseen *unseen = um_methods_entry(methods, i);
        if (!unseen)
            continue;
        list = list ? list : um_json_array(json, object, "unseen");
        cJSON *item = um_json_append_object(json, list);
        um_json_text(json, item, "name", unseen->name);
        if (unseen->meant[0] != '\0')
            um_json_text(json, item, "meant", unseen->meant);
    }
}

static void put_sums(struct um_json *json, cJSON *root, const struct um_method_sums *sums)
{
    const struct um_methods_head *head = um_methods_head(sums->methods);
    cJSON *object = um_json_object(json, root, "methods");
    if (head->told) {
        um_json_text(json, object, "depth", depth_name(head->latest.depth));
        um_call_rows_put_ms(json, object, "traced_ms", head->latest.traced_ns);
        um_json_number(json, object, "method_count", head->latest.methods);
        um_json_number(json, object, "thread_count", head->latest.threads);
        um_json_number(json, object, "dynamic", head->latest.dynamic);
        um_json_u64(json, object, "rest", head->latest.rest);
    }
    um_json_bool(json, object, "exact", sums->is_exact);
    if (head->latest.rounds > 0) {
        um_json_number(json, object, "interruptions", head->latest.rounds - 1);
        um_call_rows_put_ms(json, object, "missed_ms", head->latest.missed_ns);
    }
    if (!head->told || head->latest.on)
        um_json_bool(json, object, "end_missing", true);
    put_unseen(json, object, sums->methods);
    um_json_u64(json, object, "calls", sums->calls);
    if (head->left_out)
        um_json_u64(json, object, "left_out", head->left_out);
    put_list(json, object, sums);
    put_threads(json, object, sums);
}

void um_methods_write_json(struct um_json *json, cJSON *root, const struct um_methods *methods)
{
    struct um_method_sums sums = {.methods = methods};
    if (!methods || !um_methods_head(methods)->any)
        return;
    if (um_method_sums_make(&sums, methods) == UM_OK)
        put_sums(json, root, &sums);
    else
        json->failed = true;
    um_method_sums_deinit(&sums);
}
