#include "monitor/flows/flows_write.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/double_bits.h"
#include "base/output.h"
#include "base/utf8.h"
#include "monitor/flows/flow_names.h"
#include "monitor/flows/recorded_markers.h"
#include "monitor/json/json.h"

#define COLUMNS 60 /* of a text */
#define INPUT_COLUMNS 32
#define WIDEST 60 /* so wide may a column become */
#define MOST_CELLS 8
#define NO_END "no end seen"          /* instead of a time, in text */
#define OPEN "open"                   /* the same in JSON */
#define MOST_WHOLE 9007199254740992.0 /* 2^53: from there on a double has not every number */
/* Fields of a marker, and flows around a flow, where flows are listed: at most so many of each. A
 * few markers with very many flows would make gigabytes otherwise. */
#define MOST_IN_JSON 1000
#define ALWAYS_IN_JSON 10    /* so many of each in any case, */
#define MORE_IN_JSON 1000000 /* ... and so many more in all */
/* Fields and markers that are looked at for the flows around a flow: so many for each kind of them
 * in any case, and so many more in all, which takes some seconds. */
#define ALWAYS_STEPS 1000
#define MORE_STEPS 200000000

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

/* The time from a begin to an end, or the end itself, in milliseconds. `open`: the end was not
 * seen, so there is no such number. Returns `text`, or a text that lasts forever. */
static const char *end_text(int64_t time_ns, bool open, char *text)
{
    return open ? NO_END : um_flow_names_ms(time_ns, text);
}

/* A name is whole, however long the id is, so that it finds its flow again. */
static void write_name(const struct um_flows_write *to, uint32_t flow)
{
    char ms[UM_FLOW_NAMES_MS_BYTES];
    const char *id = id_of(to, flow);
    for (uint32_t character; (character = um_utf8_next_shown(&id)) != 0;)
        um_utf8_put(to->file, character);
    fprintf(to->file, ";%s", um_flow_names_ms(to->flows->list[flow].start_ns, ms));
}

static size_t name_columns(const struct um_flows_write *to, uint32_t flow)
{
    char ms[UM_FLOW_NAMES_MS_BYTES];
    return um_utf8_columns(id_of(to, flow)) + 1 +
           strlen(um_flow_names_ms(to->flows->list[flow].start_ns, ms));
}

/* A column is as wide as the widest of its cells, and at least `least`. */
struct column {
    const char *head;
    int least;
    bool right; /* its cells are numbers */
};

struct row {
    const char *cells[MOST_CELLS]; /* NULL: the name of `flow` */
    uint32_t flow;
    /* What the cells are made of. */
    struct um_utf8_shown shown[2];
    char no[UM_FLOW_NAMES_NO_BYTES], count[16], threads[24], words[64];
    char times[3][UM_FLOW_NAMES_MS_BYTES];
};

/* All rows are made twice: first to know how wide they are. */
struct table {
    const struct um_flows_write *to;
    const struct column *columns;
    size_t count; /* of columns */
    void (*fill)(struct table *table, size_t place, struct row *row);
    /* Writes what stands behind the columns. */
    void (*write_last)(const struct table *table, size_t place, const struct row *row);
    const void *list; /* what the rows are of */
    uint32_t *seen;   /* as count_threads says */
    uint32_t stamp;
    int widths[MOST_CELLS];
};

static int width_of(const struct table *table, const struct row *row, size_t cell)
{
    size_t columns =
        row->cells[cell] ? um_utf8_columns(row->cells[cell]) : name_columns(table->to, row->flow);
    return (int)(columns < WIDEST ? columns : WIDEST);
}

/* A space stands before each column but the first, and two before a text that follows a number. */
static void write_gap(const struct table *table, size_t column, bool is_right)
{
    bool is_after_number = column > 0 && table->columns[column - 1].right && !is_right;
    fputs(column == 0 ? "" : is_after_number ? "  " : " ", table->to->file);
}

static void write_row(const struct table *table, const struct row *row)
{
    FILE *file = table->to->file;
    for (size_t i = 0; i < table->count; i++) {
        bool is_right = table->columns[i].right;
        int left = table->widths[i] - width_of(table, row, i);
        write_gap(table, i, is_right);
        fprintf(file, "%*s", is_right ? left : 0, "");
        if (row->cells[i])
            fputs(row->cells[i], file);
        else
            write_name(table->to, row->flow);
        fprintf(file, "%*s", is_right ? 0 : left, "");
    }
    write_gap(table, table->count, false);
}

static void fill(struct table *table, size_t place, struct row *row)
{
    table->stamp++;
    table->fill(table, place, row);
}

/* Writes the heads and so many rows. `last`: the head of what stands behind the columns. */
static void write_table(struct table *table, size_t rows, const char *last)
{
    struct row row;
    struct row heads = {0};
    for (size_t k = 0; k < table->count; k++) {
        table->widths[k] = table->columns[k].least;
        heads.cells[k] = table->columns[k].head;
    }
    for (size_t i = 0; i < rows; i++) {
        fill(table, i, &row);
        for (size_t k = 0; k < table->count; k++)
            if (table->widths[k] < width_of(table, &row, k))
                table->widths[k] = width_of(table, &row, k);
    }
    write_row(table, &heads);
    fprintf(table->to->file, "%s\n", last);
    for (size_t i = 0; i < rows; i++) {
        fill(table, i, &row);
        write_row(table, &row);
        table->write_last(table, i, &row);
        fputc('\n', table->to->file);
    }
}

static const char *shown_name(const struct um_flows_write *to, uint32_t marker,
                              struct um_utf8_shown *shown)
{
    char name[UM_MARKERS_NAME_BYTES];
    *shown = um_utf8_show(um_markers_name(to->markers, marker, name), COLUMNS);
    return shown->text;
}

static void write_text(const struct um_flows_write *to, uint32_t text)
{
    fputs(um_utf8_show(um_markers_get_text(to->markers, text), COLUMNS).text, to->file);
}

/* Lists of flows ------------------------------------------------------------------------------- */

/* How many threads a flow touches. `seen` has for each thread the stamp of the last row whose flow
 * did. */
static size_t count_threads(const struct table *table, const struct um_flow *flow)
{
    const struct um_flows_write *to = table->to;
    size_t count = 0;
    for (uint32_t i = 0; i < flow->count; i++) {
        uint32_t thread = to->markers->list[to->flows->members[flow->first + i]].thread;
        count += table->seen[thread] != table->stamp;
        table->seen[thread] = table->stamp;
    }
    return count;
}

/* The first one is that of um_flows_write_flow alone. */
static const struct column flow_columns[] = {
    {"", 9, false},      {"no", 3, false},     {"flow", 32, false},  {"from ms", 14, true},
    {"to ms", 14, true}, {"markers", 8, true}, {"threads", 8, true},
};

#define FLOW_COLUMNS (sizeof flow_columns / sizeof flow_columns[0])

static void fill_flow(struct table *table, uint32_t number, struct row *row, size_t first)
{
    const struct um_flow *flow = &table->to->flows->list[number];
    bool is_open = um_flows_is_open(table->to->flows, number);
    row->flow = number;
    snprintf(row->count, sizeof row->count, "%" PRIu32, flow->count);
    snprintf(row->threads, sizeof row->threads, "%zu", count_threads(table, flow));
    row->cells[first] = um_flow_names_no(number, row->no);
    row->cells[first + 1] = NULL;
    row->cells[first + 2] = um_flow_names_ms(flow->start_ns, row->times[0]);
    row->cells[first + 3] = end_text(flow->end_ns, is_open, row->times[1]);
    row->cells[first + 4] = row->count;
    row->cells[first + 5] = row->threads;
}

static void fill_listed(struct table *table, size_t place, struct row *row)
{
    fill_flow(table, ((const uint32_t *)table->list)[place], row, 0);
}

/* What a flow is to the one that was asked for: "incoming", "connected, outgoing", "itself",
 * "2 steps". */
static void put_kins(const struct um_flows_near *near, char *words, size_t cap)
{
    size_t len = 0;
    if (near->steps == 0)
        snprintf(words, cap, "itself");
    else
        snprintf(words, cap, "%" PRIu32 " steps", near->steps);
    for (size_t i = 0; i < KINS && near->steps == 1; i++)
        if (near->kins & 1U << kins[i].kin)
            len += (size_t)snprintf(words + len, cap - len, "%s%s", len ? ", " : "", kins[i].word);
}

static void fill_near(struct table *table, size_t place, struct row *row)
{
    const struct um_flows_near *near = (const struct um_flows_near *)table->list + place;
    put_kins(near, row->words, sizeof row->words);
    row->cells[0] = row->words;
    fill_flow(table, near->flow, row, 1);
}

static void write_first_marker(const struct table *table, size_t place, const struct row *row)
{
    const struct um_flows_write *to = table->to;
    uint32_t first = to->flows->members[to->flows->list[row->flow].first];
    (void)place;
    write_text(to, to->markers->list[first].name);
}

/* False without memory. */
static bool write_flows(struct table *table, size_t count)
{
    table->seen = calloc(table->to->markers->thread_count + 1, sizeof *table->seen);
    if (!table->seen)
        return false;
    table->write_last = write_first_marker;
    write_table(table, count, "first marker");
    free(table->seen);
    return true;
}

static void write_how_many_more(const struct um_flows_write *to, size_t count, size_t most)
{
    if (count > most)
        fprintf(to->file, "and %zu more\n", count - most);
}

bool um_flows_write_list(const struct um_flows_write *to, const uint32_t *list, size_t count,
                         size_t most)
{
    struct table table = {.to = to,
                          .columns = flow_columns + 1,
                          .count = FLOW_COLUMNS - 1,
                          .fill = fill_listed,
                          .list = list};
    if (!write_flows(&table, count < most ? count : most))
        return false;
    write_how_many_more(to, count, most);
    return true;
}

/* Slow input ----------------------------------------------------------------------------------- */

static const struct column slow_columns[] = {
    {"no", 3, false},      {"flow", 32, false},    {"input", 5, false},   {"at ms", 12, true},
    {"took ms", 12, true}, {"of it ms", 12, true}, {"marker", 16, false},
};

/* Whether something was measured of it: of what has no end it may be nothing. */
static bool has_part(const struct um_flows_write *to, const struct um_flows_slow *slow)
{
    return slow->part_ns > 0 || !um_flows_is_open(to->flows, slow->flow);
}

/* "Click", "Key", or "Key A" where the recording has which key it was. */
static const char *put_input(const struct um_flows_write *to, uint32_t flow,
                             struct um_utf8_shown *shown)
{
    uint32_t first = to->flows->members[to->flows->list[flow].first];
    const struct um_marker *marker = &to->markers->list[first];
    const char *name = um_markers_get_text(to->markers, marker->name), *key = "";
    char text[256];
    for (uint32_t i = 0; i < marker->field_count; i++) {
        const struct um_marker_field *field = &to->markers->fields[marker->first_field + i];
        if (field->kind == UM_MARKER_TEXT &&
            strcmp(um_markers_get_text(to->markers, field->name), UM_RECORDED_MARKERS_KEY) == 0)
            key = um_markers_get_text(to->markers, field->value);
    }
    snprintf(text, sizeof text, "%.*s%s%s", (int)strcspn(name, " "), name, *key ? " " : "", key);
    *shown = um_utf8_show(text, INPUT_COLUMNS);
    return shown->text;
}

static void fill_slow(struct table *table, size_t place, struct row *row)
{
    const struct um_flows_write *to = table->to;
    const struct um_flows_slow *slow = (const struct um_flows_slow *)table->list + place;
    const struct um_flow *flow = &to->flows->list[slow->flow];
    bool is_open = um_flows_is_open(to->flows, slow->flow), is_measured = has_part(to, slow);
    row->flow = slow->flow;
    row->cells[0] = um_flow_names_no(slow->flow, row->no);
    row->cells[1] = NULL;
    row->cells[2] = put_input(to, slow->flow, &row->shown[0]);
    row->cells[3] = um_flow_names_ms(flow->start_ns, row->times[0]);
    row->cells[4] = end_text(flow->end_ns - flow->start_ns, is_open, row->times[1]);
    row->cells[5] = is_measured ? um_flow_names_ms(slow->part_ns, row->times[2]) : "";
    row->cells[6] = is_measured ? shown_name(to, slow->marker, &row->shown[1]) : "";
}

/* What took most of it, and what held it up. */
static void write_cause(const struct table *table, size_t place, const struct row *row)
{
    const struct um_flows_write *to = table->to;
    const struct um_flows_slow *slow = (const struct um_flows_slow *)table->list + place;
    (void)row;
    bool is_measured = has_part(to, slow);
    if (is_measured)
        write_text(to, to->markers->list[slow->marker].name);
    else
        fputs("its end was not seen", to->file);
    if (is_measured && slow->until != UM_MARKERS_NONE) {
        fputs(" to ", to->file);
        write_text(to, to->markers->list[slow->until].name);
    }
    if (slow->freeze != UM_FLOWS_NONE) {
        fputs(", held up by freeze ", to->file);
        write_name(to, slow->freeze);
    }
}

void um_flows_write_slow(const struct um_flows_write *to, const struct um_flows_slow *list,
                         size_t count, size_t most)
{
    struct table table = {.to = to,
                          .columns = slow_columns,
                          .count = sizeof slow_columns / sizeof slow_columns[0],
                          .fill = fill_slow,
                          .write_last = write_cause,
                          .list = list};
    write_table(&table, count < most ? count : most, "what took most of it");
    write_how_many_more(to, count, most);
}

/* Markers -------------------------------------------------------------------------------------- */

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
    fputs("  ", to->file);
    write_text(to, field->name);
    fputc('=', to->file);
    if (field->kind == UM_MARKER_TEXT)
        write_text(to, (uint32_t)field->value);
    else if (field->kind == UM_MARKER_NUMBER)
        write_number(to->file, um_double_bits_value(field->value));
    else if (flow != UM_FLOWS_NONE)
        write_name(to, flow);
    if (field->kind == UM_MARKER_TERMINATING_FLOW)
        fputs(" (ends)", to->file);
}

/* The first one is the indent. */
static const struct column marker_columns[] = {
    {"", 1, false},       {"marker", 16, false}, {"at ms", 14, true},
    {"for ms", 12, true}, {"thread", 16, false},
};

static void fill_marker(struct table *table, size_t place, struct row *row)
{
    const struct um_flows_write *to = table->to;
    uint32_t number = ((const uint32_t *)table->list)[place];
    const struct um_marker *marker = &to->markers->list[number];
    const struct um_marker_thread *thread = &to->markers->threads[marker->thread];
    row->shown[1] = um_utf8_show(um_markers_get_text(to->markers, thread->name), COLUMNS);
    row->cells[0] = "";
    row->cells[1] = shown_name(to, number, &row->shown[0]);
    row->cells[2] = um_flow_names_ms(marker->start_ns, row->times[0]);
    row->cells[3] = marker->interval
                        ? end_text(marker->end_ns - marker->start_ns, marker->open, row->times[1])
                        : "";
    row->cells[4] = row->shown[1].text;
}

static void write_fields(const struct table *table, size_t place, const struct row *row)
{
    const struct um_flows_write *to = table->to;
    const struct um_marker *marker = &to->markers->list[((const uint32_t *)table->list)[place]];
    (void)row;
    write_text(to, marker->name);
    for (uint32_t k = 0; k < marker->field_count; k++)
        write_field(to, marker->first_field + k);
}

void um_flows_write_markers(const struct um_flows_write *to, const uint32_t *list, size_t count)
{
    struct table table = {.to = to,
                          .columns = marker_columns,
                          .count = sizeof marker_columns / sizeof marker_columns[0],
                          .fill = fill_marker,
                          .write_last = write_fields,
                          .list = list};
    write_table(&table, count, "name and fields");
}

bool um_flows_write_flow(const struct um_flows_write *to, uint32_t number,
                         const struct um_flows_near *list, size_t count)
{
    const struct um_flow *flow = &to->flows->list[number];
    struct table table = {
        .to = to, .columns = flow_columns, .count = FLOW_COLUMNS, .fill = fill_near, .list = list};
    char no[UM_FLOW_NAMES_NO_BYTES], until[UM_FLOW_NAMES_MS_BYTES];
    fprintf(to->file, "%s  ", um_flow_names_no(number, no));
    write_name(to, number);
    if (um_flows_is_open(to->flows, number))
        fputs(", its end was not seen\n", to->file);
    else
        fprintf(to->file, ", to %s ms\n", um_flow_names_ms(flow->end_ns, until));
    um_flows_write_markers(to, to->flows->members + flow->first, flow->count);
    fputc('\n', to->file);
    return write_flows(&table, count);
}

/* JSON ----------------------------------------------------------------------------------------- */

/* To the nanosecond: a double has too few digits for those of the calendar. */
static void put_ms(struct um_json *json, cJSON *object, const char *name, int64_t time_ns)
{
    char ms[UM_FLOW_NAMES_MS_BYTES];
    um_json_put(json, object, name, cJSON_CreateRaw(um_flow_names_ms(time_ns, ms)));
}

/* The end, or that it was not seen. */
static void put_end_ms(struct um_json *json, cJSON *object, int64_t end_ns, bool open)
{
    if (open)
        um_json_bool(json, object, OPEN, true);
    else
        put_ms(json, object, "end_ms", end_ns);
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

/* What is left of the room for all flows. */
struct room {
    size_t more;   /* of MORE_IN_JSON */
    size_t steps;  /* of MORE_STEPS */
    bool is_whole; /* of the flow that is being written: all that is around it was looked at */
};

/* How many of a list are written. */
static size_t take_room(size_t count, struct room *left)
{
    size_t wanted = count < MOST_IN_JSON ? count : MOST_IN_JSON;
    if (wanted <= ALWAYS_IN_JSON)
        return wanted;
    size_t more = wanted - ALWAYS_IN_JSON < left->more ? wanted - ALWAYS_IN_JSON : left->more;
    left->more -= more;
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
    put_end_ms(json, object, marker->end_ns, marker->open);
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
    if (has_part(to, slow)) {
        cJSON *part = um_json_object(json, root, "slowest");
        um_json_text(json, part, "marker", um_markers_name(to->markers, slow->marker, name));
        if (slow->until != UM_MARKERS_NONE)
            um_json_text(json, part, "until", um_markers_name(to->markers, slow->until, name));
        put_ms(json, part, "length_ms", slow->part_ns);
    }
    if (slow->freeze != UM_FLOWS_NONE)
        put_name(to, json, um_json_object(json, root, "freeze"), slow->freeze);
}

/* Lists the flows that are this to a flow, as far as there are steps left. */
static bool find_kin(const struct um_flows_write *to, uint32_t number, size_t kin,
                     struct room *left, uint32_t **list, size_t *count)
{
    size_t steps = ALWAYS_STEPS + left->steps;
    bool is_whole = true;
    bool has_memory = um_flows_some_kin(to->flows, number, kins[kin].kin, &steps, list, count,
                                        &is_whole) == UM_OK;
    left->steps = steps < left->steps ? steps : left->steps;
    left->is_whole &= is_whole;
    return has_memory;
}

/* The flows that are this to a flow. A marker in very many flows connects each of them to all. */
static void put_kin(const struct um_flows_write *to, struct um_json *json, cJSON *root,
                    uint32_t number, size_t kin, struct room *left)
{
    char more[32];
    uint32_t *list = NULL;
    size_t count = 0;
    json->failed |= !find_kin(to, number, kin, left, &list, &count);
    cJSON *array = um_json_array(json, root, kins[kin].word);
    size_t most = take_room(count, left);
    for (size_t i = 0; i < most; i++)
        put_name(to, json, um_json_append_object(json, array), list[i]);
    snprintf(more, sizeof more, "%s_more", kins[kin].word);
    put_more(json, root, more, count, most);
    free(list);
}

/* `slow`: what took most of it; NULL: that is not asked for. */
static bool write_flow_json(const struct um_flows_write *to, uint32_t number,
                            const struct um_flows_slow *slow, bool first, struct room *left)
{
    const struct um_flow *flow = &to->flows->list[number];
    struct um_json json = {0};
    cJSON *root = cJSON_CreateObject();
    json.failed = !root;
    char no[UM_FLOW_NAMES_NO_BYTES];
    put_name(to, &json, root, number);
    um_json_text(&json, root, "no", um_flow_names_no(number, no));
    put_end_ms(&json, root, flow->end_ns, um_flows_is_open(to->flows, number));
    if (slow)
        put_slow(to, &json, root, slow);
    cJSON *markers = um_json_array(&json, root, "markers");
    for (uint32_t i = 0; i < flow->count; i++) {
        uint32_t marker = to->flows->members[flow->first + i];
        put_marker(to, &json, markers, marker,
                   take_room(to->markers->list[marker].field_count, left));
    }
    left->is_whole = true;
    for (size_t i = 0; i < KINS; i++)
        put_kin(to, &json, root, number, i, left);
    if (!left->is_whole)
        um_json_bool(&json, root, "tangled", true);
    if (!left->is_whole && to->tangled)
        ++*to->tangled;
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

static struct room room_of(const struct um_flows_write *to)
{
    return (struct room){.more = MORE_IN_JSON,
                         .steps = to->more_steps > 0 ? to->more_steps : MORE_STEPS};
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
    struct room left = room_of(to);
    for (size_t i = 0; i < count && written; i++)
        written = write_flow_json(to, list[i], NULL, i == 0, &left);
    return end_flows(to, written);
}

bool um_flows_write_slow_json(const struct um_flows_write *to, const struct um_flows_slow *list,
                              size_t count)
{
    bool written = fputs("{\"flows\": [", to->file) >= 0;
    struct room left = room_of(to);
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
