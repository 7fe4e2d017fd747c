#include "monitor/stats/traced_write.h"

#include <inttypes.h>

#include <cjson/cJSON.h>

#include "base/plain/text.h"
#include "base/message_names.h"
#include "base/utf8.h"
#include "monitor/json/json.h"
#include "monitor/stats/ms_text.h"

#define COLUMNS 80
#define INDENT "             "
#define TEXT_BYTES 512

static void name_message(const struct um_traced_node *node, char *buf, size_t cap_bytes)
{
    char name[UM_MESSAGE_NAMES_BYTES];
    if (node->kind == UM_TRACE_OTHER) {
        um_text_set(buf, cap_bytes, "all others: there was no room for more");
        return;
    }
    um_message_names_get(node->message, node->message_name, name, sizeof name);
    um_text_set(buf, cap_bytes, name);
}

/* All calls, ended or not. */
static uint64_t count_all(const struct um_traced *traced, uint32_t node)
{
    uint64_t count = um_traced_node(traced, node)->times.count;
    for (uint32_t at = um_traced_node(traced, node)->first; at != UM_TRACED_NONE;
         at = um_traced_node(traced, at)->next)
        count += count_all(traced, at);
    return count;
}

static double cost_us(const struct um_wire_tracing *sum)
{
    return (double)sum->timed_ns / (double)sum->timed_calls / 1e3;
}

/* Text ----------------------------------------------------------------------------------------- */

/* A node's time, or the sum within it, which is more if the node has not ended. */
static uint64_t weigh(const void *tree, uint32_t node)
{
    const struct um_traced *traced = tree;
    uint64_t within_ns = 0;
    for (uint32_t at = um_traced_node(traced, node)->first; at != UM_TRACED_NONE;
         at = um_traced_node(traced, at)->next)
        within_ns += weigh(traced, at);
    uint64_t own_ns = um_traced_node(traced, node)->times.wall_ns;
    return own_ns > within_ns ? own_ns : within_ns;
}

/* Message, class and handler, and what is open. */
static void name_row(const struct um_traced *traced, uint32_t number, char *buf, size_t cap_bytes)
{
    const struct um_traced_node *node = um_traced_node(traced, number);
    char message[UM_MESSAGE_NAMES_BYTES];
    char handler[UM_HANDLERS_TEXT_BYTES];
    char open[48] = "";
    name_message(node, message, sizeof message);
    um_traced_handler(traced, number, handler, sizeof handler);
    if (node->times.count > node->times.ended)
        (void)snprintf(open, sizeof open, " (%" PRIu64 " without end)",
                       node->times.count - node->times.ended);
    (void)snprintf(buf, cap_bytes, "%s%s%s%s%s%s", message, open,
                   node->window_class[0] != '\0' ? " @ " : "", node->window_class,
                   handler[0] != '\0' ? ", " : "", handler);
}

static void write_row(const void *tree, FILE *file, uint32_t number, unsigned level)
{
    const struct um_traced *traced = tree;
    const struct um_traced_node *node = um_traced_node(traced, number);
    const struct um_wire_trace_times *times = &node->times;
    bool has_cpu = um_traced_sum(traced)->has_cpu;
    char cpu[40] = "";
    char name[TEXT_BYTES];
    char fitted[TEXT_BYTES];
    size_t used = 2 + 9 + 10 + 9 + (has_cpu ? (size_t)9 : 0) + 2 + 2 * (size_t)level;
    if (has_cpu)
        (void)snprintf(cpu, sizeof cpu, " %8s", um_ms_text(times->cpu_ns).chars);
    name_row(traced, number, name, sizeof name);
    (void)um_utf8_fit(name, COLUMNS > used ? COLUMNS - used : 1, fitted, sizeof fitted);
    (void)fprintf(file, "  %9" PRIu64 " %s%8s %8s%s  %*s%s\n", times->count,
                  node->kind == UM_TRACE_RETRIEVED && times->ended ? "≤" : " ",
                  times->ended ? um_ms_text(times->wall_ns).chars : "-",
                  times->ended ? um_ms_text(times->self_ns).chars : "-", cpu, 2 * (int)level, "",
                  fitted);
}

static void write_head(FILE *file, const struct um_traced *traced)
{
    const struct um_wire_tracing *sum = &um_traced_sum(traced)->tracing;
    (void)fprintf(file, "  Messages   %" PRIu64 " traced in %.1f s",
                  count_all(traced, UM_TRACED_ROOT), (double)sum->traced_ns / 1e9);
    if (sum->timed_calls)
        (void)fprintf(file, "; uimon's own code took %.2f µs for each call", cost_us(sum));
    (void)fputc('\n', file);
    if (sum->deeper)
        (void)fprintf(file, INDENT "%" PRIu64 " more lay too deep to be told apart\n", sum->deeper);
    if (um_traced_sum(traced)->left_out)
        (void)fputs(INDENT "some are missing here: the recording has lost them\n", file);
}

void um_traced_write_text(FILE *file, const struct um_traced *traced)
{
    if (!traced || !um_traced_sum(traced)->any)
        return;
    write_head(file, traced);
    if (um_traced_node(traced, UM_TRACED_ROOT)->first == UM_TRACED_NONE)
        return;
    (void)fprintf(file, "      calls   wall ms  self ms%s  message @ class, handler\n",
                  um_traced_sum(traced)->has_cpu ? "   CPU ms" : "");
    struct um_call_rows rows = um_traced_rows(traced);
    rows.weigh = weigh;
    rows.write = write_row;
    size_t hidden = um_traced_count(traced) - um_call_rows_write_text(&rows, file, UM_TRACED_ROOT);
    if (hidden)
        (void)fprintf(file, INDENT "and %zu more rows\n", hidden);
    (void)fputs(INDENT "≤: retrieved; its time lasts until its loop retrieves again\n", file);
}

/* JSON ----------------------------------------------------------------------------------------- */

static const char *kind_name(uint8_t kind)
{
    static const char *const names[UM_TRACE_COUNT] = {
        [UM_TRACE_SENT] = "sent", [UM_TRACE_RETRIEVED] = "retrieved", [UM_TRACE_OTHER] = "other"};
    return kind < UM_TRACE_COUNT ? names[kind] : "unknown";
}

static void put_node(const void *tree, struct um_json *json, cJSON *object, uint32_t number)
{
    const struct um_traced *traced = tree;
    const struct um_traced_node *node = um_traced_node(traced, number);
    const struct um_wire_trace_times *times = &node->times;
    char message[UM_MESSAGE_NAMES_BYTES];
    char handler[UM_HANDLERS_TEXT_BYTES];
    name_message(node, message, sizeof message);
    um_traced_handler(traced, number, handler, sizeof handler);
    um_json_text(json, object, "kind", kind_name(node->kind));
    if (node->kind != UM_TRACE_OTHER)
        um_json_text(json, object, "message", message);
    um_json_text(json, object, "window_class", node->window_class);
    um_json_text(json, object, "handler", handler);
    um_json_u64(json, object, "count", times->count);
    um_json_u64(json, object, "ended", times->ended);
    if (node->kind == UM_TRACE_RETRIEVED)
        um_json_u64(json, object, "ended_by_next", times->loose);
    if (times->ended == 0)
        return;
    um_call_rows_put_ms(json, object, "wall_ms", times->wall_ns);
    um_call_rows_put_ms(json, object, "self_ms", times->self_ns);
    if (um_traced_sum(traced)->has_cpu)
        um_call_rows_put_ms(json, object, "cpu_ms", times->cpu_ns);
}

void um_traced_write_json(struct um_json *json, cJSON *root, const struct um_traced *traced)
{
    if (!traced || !um_traced_sum(traced)->any)
        return;
    uint64_t left_out = um_traced_sum(traced)->left_out;
    const struct um_wire_tracing *sum = &um_traced_sum(traced)->tracing;
    cJSON *object = um_json_object(json, root, "messages");
    um_json_u64(json, object, "count", count_all(traced, UM_TRACED_ROOT));
    um_call_rows_put_ms(json, object, "traced_ms", sum->traced_ns);
    um_json_u64(json, object, "too_deep", sum->deeper);
    if (sum->timed_calls)
        um_json_decimals(json, object, "own_us", cost_us(sum), 3);
    if (left_out)
        um_json_u64(json, object, "left_out", left_out);
    struct um_call_rows rows = um_traced_rows(traced);
    rows.put = put_node;
    um_call_rows_write_json(&rows, json, object, "rows", UM_TRACED_ROOT);
}
