#include "monitor/flows/flows_write.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/double_bits.h"
#include "base/output.h"
#include "base/utf8.h"
#include "monitor/flows/flow_names.h"
#include "monitor/json/json.h"

#define COLUMNS 60 /* of a text */
#define NAME_COLUMNS 32
#define MOST_WHOLE 9007199254740992.0 /* 2^53: from there on a double has not every number */
/* Fields of a marker, and flows around a flow, where flows are listed: at most so many of each. A
 * few markers with very many flows would make gigabytes otherwise. */
#define MOST_IN_JSON 1000
#define ALWAYS_IN_JSON 10    /* so many of each in any case, */
#define MORE_IN_JSON 1000000 /* ... and so many more in all */

static const struct {
    enum um_flows_kin kin;
    const char *word;
} kins[] = {{UM_FLOWS_INCOMING, "incoming"},
            {UM_FLOWS_CONNECTED, "connected"},
            {UM_FLOWS_OUTGOING, "outgoing"}};

#define KINS (sizeof kins / sizeof kins[0])

static const char *id_of(const struct um_flows_write *to, uint32_t flow)
{
    return um_texts_get(&to->markers->flow_ids, to->flows->list[flow].id);
}

/* Text ----------------------------------------------------------------------------------------- */

/* How many threads a flow touches. `seen` has for each thread the last flow that did, and one. */
static size_t count_threads(const struct um_flows_write *to, uint32_t number, uint32_t *seen)
{
    const struct um_flow *flow = &to->flows->list[number];
    size_t count = 0;
    for (uint32_t i = 0; i < flow->count; i++) {
        uint32_t thread = to->markers->list[to->flows->members[flow->first + i]].thread;
        count += seen[thread] != number + 1;
        seen[thread] = number + 1;
    }
    return count;
}

/* A name is whole, however long the id is, so that it finds its flow again. Returns its columns. */
static int write_name(const struct um_flows_write *to, uint32_t flow)
{
    char ms[UM_FLOW_NAMES_MS_BYTES];
    const char *id = id_of(to, flow);
    size_t columns = um_utf8_columns(id);
    for (uint32_t character; (character = um_utf8_next_shown(&id)) != 0;)
        um_utf8_put(to->file, character);
    int len = fprintf(to->file, ";%s", um_flow_names_ms(to->flows->list[flow].start_ns, ms));
    return columns < NAME_COLUMNS ? (int)columns + len : NAME_COLUMNS;
}

/* The same in a column. */
static void write_name_padded(const struct um_flows_write *to, uint32_t flow)
{
    int columns = write_name(to, flow);
    fprintf(to->file, "%*s", columns < NAME_COLUMNS ? NAME_COLUMNS - columns : 0, "");
}

static void write_row(const struct um_flows_write *to, uint32_t number, uint32_t *seen)
{
    const struct um_flow *flow = &to->flows->list[number];
    const struct um_marker *first = &to->markers->list[to->flows->members[flow->first]];
    char from[UM_FLOW_NAMES_MS_BYTES], until[UM_FLOW_NAMES_MS_BYTES];
    write_name_padded(to, number);
    fprintf(to->file, " %14s %14s %8" PRIu32 " %8zu  %s\n", um_flow_names_ms(flow->start_ns, from),
            um_flow_names_ms(flow->end_ns, until), flow->count, count_threads(to, number, seen),
            um_utf8_show(um_markers_get_text(to->markers, first->name), COLUMNS).text);
}

static void write_how_many_more(const struct um_flows_write *to, size_t count, size_t most)
{
    if (count > most)
        fprintf(to->file, "and %zu more\n", count - most);
}

static void write_row_head(const struct um_flows_write *to)
{
    fprintf(to->file, "%-32s %14s %14s %8s %8s  %s\n", "flow", "from ms", "to ms", "markers",
            "threads", "first marker");
}

bool um_flows_write_list(const struct um_flows_write *to, const uint32_t *list, size_t count,
                         size_t most)
{
    uint32_t *seen = calloc(to->markers->thread_count + 1, sizeof *seen);
    if (!seen)
        return false;
    write_row_head(to);
    for (size_t i = 0; i < count && i < most; i++)
        write_row(to, list[i], seen);
    write_how_many_more(to, count, most);
    free(seen);
    return true;
}

static const char *name_of(const struct um_flows_write *to, uint32_t marker)
{
    return um_markers_get_text(to->markers, to->markers->list[marker].name);
}

static void write_slow_row(const struct um_flows_write *to, const struct um_flows_slow *slow)
{
    const struct um_flow *flow = &to->flows->list[slow->flow];
    char ms[UM_FLOW_NAMES_MS_BYTES], part[UM_FLOW_NAMES_MS_BYTES];
    char marker[UM_MARKERS_NAME_BYTES];
    write_name_padded(to, slow->flow);
    fprintf(to->file, " %12s %12s  %-16s %s", um_flow_names_ms(flow->end_ns - flow->start_ns, ms),
            um_flow_names_ms(slow->part_ns, part),
            um_utf8_show(um_markers_name(to->markers, slow->marker, marker), COLUMNS).text,
            um_utf8_show(name_of(to, slow->marker), COLUMNS).text);
    if (slow->until != UM_MARKERS_NONE)
        fprintf(to->file, " to %s", um_utf8_show(name_of(to, slow->until), COLUMNS).text);
    if (slow->freeze != UM_FLOWS_NONE) {
        fputs(", held up by freeze ", to->file);
        write_name(to, slow->freeze);
    }
    fputc('\n', to->file);
}

void um_flows_write_slow(const struct um_flows_write *to, const struct um_flows_slow *list,
                         size_t count, size_t most)
{
    fprintf(to->file, "%-32s %12s %12s  %-16s %s\n", "flow", "took ms", "of it ms", "marker",
            "what took most of it");
    for (size_t i = 0; i < count && i < most; i++)
        write_slow_row(to, &list[i]);
    write_how_many_more(to, count, most);
}

/* Six digits; of a whole number all, as it may be an id or a size. */
static void write_number(FILE *file, double number)
{
    bool is_whole =
        number > -MOST_WHOLE && number < MOST_WHOLE && (double)(int64_t)number == number;
    fprintf(file, is_whole ? "%.0f" : "%g", number);
}

static void write_field(const struct um_flows_write *to, size_t number)
{
    const struct um_marker_field *field = &to->markers->fields[number];
    uint32_t flow = um_flows_of_field(to->flows, number);
    fprintf(to->file,
            "  %s=", um_utf8_show(um_markers_get_text(to->markers, field->name), COLUMNS).text);
    if (field->kind == UM_MARKER_TEXT)
        fputs(um_utf8_show(um_markers_get_text(to->markers, field->value), COLUMNS).text, to->file);
    else if (field->kind == UM_MARKER_NUMBER)
        write_number(to->file, um_double_bits_value(field->value));
    else if (flow != UM_FLOWS_NONE)
        write_name(to, flow);
    if (field->kind == UM_MARKER_TERMINATING_FLOW)
        fputs(" (ends)", to->file);
}

static void write_marker(const struct um_flows_write *to, uint32_t number)
{
    const struct um_marker *marker = &to->markers->list[number];
    const struct um_marker_thread *thread = &to->markers->threads[marker->thread];
    char name[UM_MARKERS_NAME_BYTES], from[UM_FLOW_NAMES_MS_BYTES], length[UM_FLOW_NAMES_MS_BYTES];
    fprintf(to->file, "  %-16s %14s %12s  %-16s %s",
            um_utf8_show(um_markers_name(to->markers, number, name), COLUMNS).text,
            um_flow_names_ms(marker->start_ns, from),
            marker->interval ? um_flow_names_ms(marker->end_ns - marker->start_ns, length) : "",
            um_utf8_show(um_markers_get_text(to->markers, thread->name), COLUMNS).text,
            um_utf8_show(um_markers_get_text(to->markers, marker->name), COLUMNS).text);
    for (uint32_t i = 0; i < marker->field_count; i++)
        write_field(to, marker->first_field + i);
    fputc('\n', to->file);
}

static void write_head(const struct um_flows_write *to)
{
    fprintf(to->file, "  %-16s %14s %12s  %-16s %s\n", "marker", "at ms", "for ms", "thread",
            "name and fields");
}

void um_flows_write_markers(const struct um_flows_write *to, const uint32_t *list, size_t count)
{
    write_head(to);
    for (size_t i = 0; i < count; i++)
        write_marker(to, list[i]);
}

/* What a flow is to the one that was asked for: "incoming", "connected, outgoing", "itself",
 * "2 steps". */
static void write_kins(const struct um_flows_write *to, const struct um_flows_near *near)
{
    char words[64];
    size_t len = 0;
    if (near->steps == 0)
        snprintf(words, sizeof words, "itself");
    else
        snprintf(words, sizeof words, "%" PRIu32 " steps", near->steps);
    for (size_t i = 0; i < KINS && near->steps == 1; i++)
        if (near->kins & 1U << kins[i].kin)
            len += (size_t)snprintf(words + len, sizeof words - len, "%s%s", len ? ", " : "",
                                    kins[i].word);
    fprintf(to->file, "%-9s ", words);
}

bool um_flows_write_flow(const struct um_flows_write *to, uint32_t number,
                         const struct um_flows_near *list, size_t count)
{
    const struct um_flow *flow = &to->flows->list[number];
    char until[UM_FLOW_NAMES_MS_BYTES];
    uint32_t *seen = calloc(to->markers->thread_count + 1, sizeof *seen);
    if (!seen)
        return false;
    write_name(to, number);
    fprintf(to->file, ", to %s ms\n", um_flow_names_ms(flow->end_ns, until));
    um_flows_write_markers(to, to->flows->members + flow->first, flow->count);
    fprintf(to->file, "\n%-9s ", "");
    write_row_head(to);
    for (size_t i = 0; i < count; i++) {
        write_kins(to, &list[i]);
        write_row(to, list[i].flow, seen);
    }
    free(seen);
    return true;
}

/* JSON ----------------------------------------------------------------------------------------- */

/* To the nanosecond: a double has too few digits for those of the calendar. */
static void put_ms(struct um_json *json, cJSON *object, const char *name, int64_t time_ns)
{
    char ms[UM_FLOW_NAMES_MS_BYTES];
    um_json_put(json, object, name, cJSON_CreateRaw(um_flow_names_ms(time_ns, ms)));
}

static void put_name(const struct um_flows_write *to, struct um_json *json, cJSON *object,
                     uint32_t flow)
{
    um_json_any_text(json, object, "id", id_of(to, flow));
    put_ms(json, object, "start_ms", to->flows->list[flow].start_ns);
}

static void put_field(const struct um_flows_write *to, struct um_json *json, cJSON *array,
                      size_t number)
{
    const struct um_marker_field *field = &to->markers->fields[number];
    cJSON *object = um_json_append_object(json, array);
    um_json_any_text(json, object, "name", um_markers_get_text(to->markers, field->name));
    if (field->kind == UM_MARKER_TEXT)
        um_json_any_text(json, object, "text", um_markers_get_text(to->markers, field->value));
    else if (field->kind == UM_MARKER_NUMBER)
        um_json_number(json, object, "number", um_double_bits_value(field->value));
    else
        put_name(to, json,
                 um_json_object(json, object,
                                field->kind == UM_MARKER_FLOW ? "flow" : "terminating_flow"),
                 um_flows_of_field(to->flows, number));
}

/* How many of a list are written. `*left`: so many may be over ALWAYS_IN_JSON still. */
static size_t take_room(size_t count, size_t *left)
{
    size_t wanted = count < MOST_IN_JSON ? count : MOST_IN_JSON;
    if (wanted <= ALWAYS_IN_JSON)
        return wanted;
    size_t more = wanted - ALWAYS_IN_JSON < *left ? wanted - ALWAYS_IN_JSON : *left;
    *left -= more;
    return ALWAYS_IN_JSON + more;
}

/* Says how many of a list are left out, if some are. */
static void put_more(struct um_json *json, cJSON *object, const char *name, size_t count,
                     size_t most)
{
    if (count > most)
        um_json_number(json, object, name, (double)(count - most));
}

static void put_marker(const struct um_flows_write *to, struct um_json *json, cJSON *array,
                       uint32_t number, size_t most_fields)
{
    const struct um_marker *marker = &to->markers->list[number];
    const struct um_marker_thread *thread = &to->markers->threads[marker->thread];
    char name[UM_MARKERS_NAME_BYTES];
    cJSON *object = um_json_append_object(json, array);
    um_json_text(json, object, "marker", um_markers_name(to->markers, number, name));
    um_json_any_text(json, object, "name", um_markers_get_text(to->markers, marker->name));
    um_json_text(json, object, "category", um_markers_get_text(to->markers, marker->category));
    um_json_text(json, object, "thread", thread->label);
    um_json_text(json, object, "thread_name", um_markers_get_text(to->markers, thread->name));
    um_json_text(json, object, "process", um_markers_get_text(to->markers, thread->process));
    put_ms(json, object, "start_ms", marker->start_ns);
    put_ms(json, object, "end_ms", marker->end_ns);
    if (marker->field_count == 0)
        return;
    cJSON *fields = um_json_array(json, object, "fields");
    for (uint32_t i = 0; i < marker->field_count && i < most_fields; i++)
        put_field(to, json, fields, marker->first_field + i);
    put_more(json, object, "fields_more", marker->field_count, most_fields);
}

/* Writes a part of a list, and releases it. */
static bool write_part(const struct um_flows_write *to, const struct um_json *json, cJSON *root,
                       bool first)
{
    char *text = um_json_print(json, root, false);
    bool written =
        text && fputs(first ? "\n" : ",\n", to->file) >= 0 && um_output_json_part(to->file, text);
    cJSON_free(text);
    return written;
}

/* What took most of a flow of input. */
static void put_slow(const struct um_flows_write *to, struct um_json *json, cJSON *root,
                     const struct um_flows_slow *slow)
{
    char name[UM_MARKERS_NAME_BYTES];
    cJSON *part = um_json_object(json, root, "slowest");
    um_json_text(json, part, "marker", um_markers_name(to->markers, slow->marker, name));
    if (slow->until != UM_MARKERS_NONE)
        um_json_text(json, part, "until", um_markers_name(to->markers, slow->until, name));
    put_ms(json, part, "length_ms", slow->part_ns);
    if (slow->freeze != UM_FLOWS_NONE)
        put_name(to, json, um_json_object(json, root, "freeze"), slow->freeze);
}

/* The flows that are this to a flow. A marker in very many flows connects each of them to all. */
static void put_kin(const struct um_flows_write *to, struct um_json *json, cJSON *root,
                    uint32_t number, size_t kin, size_t *left)
{
    char more[32];
    uint32_t *list = NULL;
    size_t count = 0;
    json->failed |= um_flows_kin(to->flows, number, kins[kin].kin, &list, &count) != UM_OK;
    cJSON *array = um_json_array(json, root, kins[kin].word);
    size_t most = take_room(count, left);
    for (size_t i = 0; i < most; i++)
        put_name(to, json, um_json_append_object(json, array), list[i]);
    snprintf(more, sizeof more, "%s_more", kins[kin].word);
    put_more(json, root, more, count, most);
    free(list);
}

/* `slow`: what took most of it; NULL: that is not asked for. `left`: as for take_room. */
static bool write_flow_json(const struct um_flows_write *to, uint32_t number,
                            const struct um_flows_slow *slow, bool first, size_t *left)
{
    const struct um_flow *flow = &to->flows->list[number];
    struct um_json json = {0};
    cJSON *root = cJSON_CreateObject();
    json.failed = !root;
    put_name(to, &json, root, number);
    put_ms(&json, root, "end_ms", flow->end_ns);
    if (slow)
        put_slow(to, &json, root, slow);
    cJSON *markers = um_json_array(&json, root, "markers");
    for (uint32_t i = 0; i < flow->count; i++) {
        uint32_t marker = to->flows->members[flow->first + i];
        put_marker(to, &json, markers, marker,
                   take_room(to->markers->list[marker].field_count, left));
    }
    for (size_t i = 0; i < KINS; i++)
        put_kin(to, &json, root, number, i, left);
    return write_part(to, &json, root, first);
}

/* The name of the flow that was asked for, as a member. */
static bool write_asked(const struct um_flows_write *to, uint32_t flow)
{
    struct um_json json = {0};
    cJSON *root = cJSON_CreateObject();
    json.failed = !root;
    put_name(to, &json, root, flow);
    char *text = um_json_print(&json, root, false);
    bool written = text && fputs("\"flow\": ", to->file) >= 0 &&
                   um_output_json_part(to->file, text) && fputs(", ", to->file) >= 0;
    cJSON_free(text);
    return written;
}

/* The end of the JSON. */
static bool end_flows(const struct um_flows_write *to, bool written)
{
    return fputs("\n]}\n", to->file) >= 0 && written;
}

bool um_flows_write_json(const struct um_flows_write *to, uint32_t asked, const uint32_t *list,
                         size_t count)
{
    bool written = fputc('{', to->file) != EOF &&
                   (asked == UM_FLOWS_NONE || write_asked(to, asked)) &&
                   fputs("\"flows\": [", to->file) >= 0;
    size_t left = MORE_IN_JSON;
    for (size_t i = 0; i < count && written; i++)
        written = write_flow_json(to, list[i], NULL, i == 0, &left);
    return end_flows(to, written);
}

bool um_flows_write_slow_json(const struct um_flows_write *to, const struct um_flows_slow *list,
                              size_t count)
{
    bool written = fputs("{\"flows\": [", to->file) >= 0;
    size_t left = MORE_IN_JSON;
    for (size_t i = 0; i < count && written; i++)
        written = write_flow_json(to, list[i].flow, &list[i], i == 0, &left);
    return end_flows(to, written);
}

bool um_flows_write_markers_json(const struct um_flows_write *to, const uint32_t *list,
                                 size_t count)
{
    bool written = fputs("{\"markers\": [", to->file) >= 0;
    for (size_t i = 0; i < count && written; i++) {
        struct um_json json = {0};
        cJSON *array = cJSON_CreateArray();
        json.failed = !array;
        put_marker(to, &json, array, list[i], SIZE_MAX);
        cJSON *object = cJSON_DetachItemFromArray(array, 0);
        cJSON_Delete(array);
        json.failed |= !object;
        written = write_part(to, &json, object, i == 0);
    }
    return fputs("\n]}\n", to->file) >= 0 && written;
}
