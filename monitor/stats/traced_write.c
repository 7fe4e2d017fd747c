#include "monitor/stats/traced_write.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "ipc/clock.h"
#include "monitor/base/message_names.h"
#include "monitor/base/utf8.h"

#define COLUMNS 80
#define INDENT "             "
#define ROWS 24  /* of the text */
#define LEVELS 6 /* of the text */
#define ALL_ROOM 256
#define JSON_LEVELS 200 /* deeper than the DLL tells calls apart, less deep than parsers refuse */
#define TEXT_BYTES 512

static void name_message(const struct um_traced_node *node, char *buf, size_t cap_bytes)
{
    char name[UM_MESSAGE_NAMES_BYTES];
    if (node->kind == UM_TRACE_OTHER) {
        um_wire_set_text(buf, cap_bytes, "all others: there was no room for more");
        return;
    }
    um_message_names_get(node->message, node->message_name, name, sizeof name);
    um_wire_set_text(buf, cap_bytes, name);
}

/* All calls, ended or not. */
static uint64_t count_all(const struct um_traced *traced, uint32_t node)
{
    uint64_t count = traced ? um_traced_node(traced, node)->times.count : 0;
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

struct rows {
    FILE *file;
    const struct um_traced *traced;
    unsigned written;
    uint64_t hidden;         /* nodes that are not shown */
    uint64_t greatest[ROWS]; /* weights, in descending order; see weigh */
};

struct time_text {
    char chars[32];
};

/* "0.0042", "4.20", "523", in ms. */
static struct time_text time_text(uint64_t ns)
{
    struct time_text text;
    double ms = (double)ns / 1e6;
    int decimals = ms < 0.0995 ? 4 : ms < 9.995 ? 2 : ms < 99.95 ? 1 : 0;
    (void)snprintf(text.chars, sizeof text.chars, "%.*f", decimals, ms);
    return text;
}

/* How much of the text's attention a node deserves: its time, or that of what lies within it, if
 * that is more because the node itself has not ended. No node is behind one within it. */
static uint64_t weigh(const struct um_traced *traced, uint32_t node)
{
    uint64_t within_ns = 0;
    for (uint32_t at = um_traced_node(traced, node)->first; at != UM_TRACED_NONE;
         at = um_traced_node(traced, at)->next)
        within_ns += weigh(traced, at);
    uint64_t own_ns = um_traced_node(traced, node)->times.wall_ns;
    return own_ns > within_ns ? own_ns : within_ns;
}

/* Keeps the greatest weights of all nodes, and counts the nodes. */
static void rank(struct rows *rows, uint32_t node, unsigned level)
{
    for (uint32_t at = um_traced_node(rows->traced, node)->first; at != UM_TRACED_NONE;
         at = um_traced_node(rows->traced, at)->next) {
        if (um_traced_is_unused(rows->traced, at))
            continue;
        uint64_t weight = level < LEVELS ? weigh(rows->traced, at) : 0;
        size_t place = ROWS;
        for (; place > 0 && weight > rows->greatest[place - 1]; place--)
            if (place < ROWS)
                rows->greatest[place] = rows->greatest[place - 1];
        if (place < ROWS)
            rows->greatest[place] = weight;
        rows->hidden++;
        rank(rows, at, level + 1);
    }
}

/* Message, class and handler, and what is open. */
static void name_row(const struct um_traced *traced, uint32_t number, char *buf, size_t cap_bytes)
{
    const struct um_traced_node *node = um_traced_node(traced, number);
    char message[UM_MESSAGE_NAMES_BYTES];
    char handler[UM_TRACED_TEXT_BYTES + 32];
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

static void write_row(struct rows *rows, uint32_t number, unsigned level)
{
    const struct um_traced_node *node = um_traced_node(rows->traced, number);
    const struct um_wire_trace_times *times = &node->times;
    bool has_cpu = um_traced_has_cpu(rows->traced);
    char cpu[40] = "";
    char name[TEXT_BYTES];
    char fitted[TEXT_BYTES];
    size_t used = 2 + 9 + 10 + 9 + (has_cpu ? (size_t)9 : 0) + 2 + 2 * (size_t)level;
    if (has_cpu)
        (void)snprintf(cpu, sizeof cpu, " %8s", time_text(times->cpu_ns).chars);
    name_row(rows->traced, number, name, sizeof name);
    (void)um_utf8_fit(name, COLUMNS > used ? COLUMNS - used : 1, fitted, sizeof fitted);
    (void)fprintf(rows->file, "  %9" PRIu64 " %s%8s %8s%s  %*s%s\n", times->count,
                  node->kind == UM_TRACE_RETRIEVED && times->ended ? "≤" : " ",
                  times->ended ? time_text(times->wall_ns).chars : "-",
                  times->ended ? time_text(times->self_ns).chars : "-", cpu, 2 * (int)level, "",
                  fitted);
    rows->written++;
}

/* Those of the heaviest nodes that lie within a node, each with what lies within it. */
static void write_within(struct rows *rows, uint32_t node, unsigned level)
{
    uint32_t list[ROWS];
    size_t count = um_traced_within(rows->traced, node, list, ROWS);
    for (size_t i = 0; i < count && i < ROWS && rows->written < ROWS && level < LEVELS; i++) {
        if (weigh(rows->traced, list[i]) < rows->greatest[ROWS - 1])
            continue;
        write_row(rows, list[i], level);
        rows->hidden--;
        write_within(rows, list[i], level + 1);
    }
}

static void write_head(FILE *file, const struct um_traced *traced)
{
    const struct um_wire_tracing *sum = um_traced_sum(traced);
    (void)fprintf(file, "  Messages   %" PRIu64 " traced in %.1f s",
                  count_all(traced, UM_TRACED_ROOT), (double)sum->traced_ns / 1e9);
    if (sum->timed_calls)
        (void)fprintf(file, "; uimon's own code took %.2f µs for each call", cost_us(sum));
    (void)fputc('\n', file);
    if (sum->deeper)
        (void)fprintf(file, INDENT "%" PRIu64 " more lay too deep to be told apart\n", sum->deeper);
    if (um_traced_left_out(traced))
        (void)fputs(INDENT "some are missing here: the recording has lost them\n", file);
}

void um_traced_write_text(FILE *file, const struct um_traced *traced)
{
    struct rows rows = {.file = file, .traced = traced};
    if (!um_traced_any(traced))
        return;
    write_head(file, traced);
    if (um_traced_node(traced, UM_TRACED_ROOT)->first == UM_TRACED_NONE)
        return;
    (void)fprintf(file, "      calls   wall ms  self ms%s  message @ class, handler\n",
                  um_traced_has_cpu(traced) ? "   CPU ms" : "");
    rank(&rows, UM_TRACED_ROOT, 0);
    write_within(&rows, UM_TRACED_ROOT, 0);
    if (rows.hidden)
        (void)fprintf(file, INDENT "and %" PRIu64 " more rows\n", rows.hidden);
    (void)fputs(INDENT "≤: retrieved; its time lasts until its loop retrieves again\n", file);
}

/* JSON ----------------------------------------------------------------------------------------- */

static bool put_number(cJSON *object, const char *name, double value)
{
    return cJSON_AddNumberToObject(object, name, value) != NULL;
}

static bool put_u64(cJSON *object, const char *name, uint64_t value)
{
    char digits[24];
    (void)snprintf(digits, sizeof digits, "%" PRIu64, value);
    return cJSON_AddRawToObject(object, name, digits) != NULL;
}

static bool put_ms(cJSON *object, const char *name, uint64_t ns)
{
    return put_number(object, name, round((double)ns / 1e2) / 1e4);
}

static bool put_text(cJSON *object, const char *name, const char *text)
{
    return text[0] == '\0' || cJSON_AddStringToObject(object, name, text);
}

static const char *const kinds[] = {
    [UM_TRACE_SENT] = "sent", [UM_TRACE_RETRIEVED] = "retrieved", [UM_TRACE_OTHER] = "other"};

static bool put_node(const struct um_traced *traced, uint32_t number, cJSON *object)
{
    const struct um_traced_node *node = um_traced_node(traced, number);
    const struct um_wire_trace_times *times = &node->times;
    char message[UM_MESSAGE_NAMES_BYTES];
    char handler[UM_TRACED_TEXT_BYTES + 32];
    name_message(node, message, sizeof message);
    um_traced_handler(traced, number, handler, sizeof handler);
    bool fits = put_text(object, "kind", kinds[node->kind]) &&
                (node->kind == UM_TRACE_OTHER || put_text(object, "message", message)) &&
                put_text(object, "window_class", node->window_class) &&
                put_text(object, "handler", handler) && put_u64(object, "count", times->count) &&
                put_u64(object, "ended", times->ended);
    if (node->kind == UM_TRACE_RETRIEVED)
        fits = fits && put_u64(object, "ended_by_next", times->loose);
    if (times->ended == 0)
        return fits;
    fits = fits && put_ms(object, "wall_ms", times->wall_ns) &&
           put_ms(object, "self_ms", times->self_ns);
    return fits && (!um_traced_has_cpu(traced) || put_ms(object, "cpu_ms", times->cpu_ns));
}

/* Adds the nodes within a node. Those for which there is no room are not the ones that took long;
 * how many they are is written beside. */
static bool put_within(const struct um_traced *traced, uint32_t node, unsigned level, cJSON *parent,
                       const char *name)
{
    uint32_t list[ALL_ROOM];
    size_t count = um_traced_within(traced, node, list, ALL_ROOM);
    if (count == 0)
        return true;
    if (level == JSON_LEVELS)
        return put_u64(parent, "left_out", count);
    if (count > ALL_ROOM && !put_u64(parent, "left_out", count - ALL_ROOM))
        return false;
    cJSON *array = cJSON_AddArrayToObject(parent, name);
    for (size_t i = 0; array && i < count && i < ALL_ROOM; i++) {
        cJSON *object = cJSON_CreateObject();
        if (!cJSON_AddItemToArray(array, object)) {
            cJSON_Delete(object);
            return false;
        }
        if (!put_node(traced, list[i], object) ||
            !put_within(traced, list[i], level + 1, object, "within"))
            return false;
    }
    return array != NULL;
}

bool um_traced_write_json(cJSON *root, const struct um_traced *traced)
{
    if (!um_traced_any(traced))
        return true;
    const struct um_wire_tracing *sum = um_traced_sum(traced);
    cJSON *object = cJSON_AddObjectToObject(root, "messages");
    bool fits = object && put_u64(object, "count", count_all(traced, UM_TRACED_ROOT)) &&
                put_ms(object, "traced_ms", sum->traced_ns) &&
                put_u64(object, "too_deep", sum->deeper);
    if (sum->timed_calls)
        fits = fits && put_number(object, "own_us", round(cost_us(sum) * 1e3) / 1e3);
    if (um_traced_left_out(traced))
        fits = fits && put_u64(object, "left_out", um_traced_left_out(traced));
    return fits && put_within(traced, UM_TRACED_ROOT, 0, object, "rows");
}
