#include "monitor/compare/results.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/list.h"
#include "base/text_file.h"
#include "base/utf8.h"
#include "monitor/compare/until.h"
#include "monitor/json/json.h"

#define MOST_COUNT 1e9
#define WHERE_BYTES 160

/* A file while it is read. After a failure, nothing more is added. */
struct reader {
    struct um_results *results;
    enum um_status status; /* the first failure */
    char *what;            /* the error line after the file's name */
    size_t what_cap;
    char where[WHERE_BYTES]; /* what is read, for the error line: "run 2, measure 1" */
    uint32_t run;            /* number of the run that is read, counted over all files */
    double heartbeat_ms;     /* of the file; NAN is unknown */
};

/* Writes what is wrong with the file, unless something else was before: FAIL(reader, status,
 * ...). */
#define FAIL(reader, why, ...)                                                                     \
    do {                                                                                           \
        if ((reader)->status == UM_OK)                                                             \
            snprintf((reader)->what, (reader)->what_cap, __VA_ARGS__);                             \
        if ((reader)->status == UM_OK)                                                             \
            (reader)->status = (why);                                                              \
    } while (0)

static struct reader open_reader(struct um_results *results, const char *name, char *error,
                                 size_t error_cap)
{
    struct reader reader = {.results = results, .heartbeat_ms = NAN};
    snprintf(error, error_cap, "uimon: %s: ", um_utf8_show_path(name).text);
    reader.what = error + strlen(error);
    reader.what_cap = error_cap - strlen(error);
    return reader;
}

static void fail_memory(struct reader *reader)
{
    FAIL(reader, UM_ERR_MEMORY, "%s", um_status_text(UM_ERR_MEMORY));
}

/* The groups ----------------------------------------------------------------------------------- */

/* The measure of that name, which is made if there is none. NULL if there are too many, or without
 * memory. */
static struct um_results_measure *get_measure(struct um_results *results, const char *name)
{
    for (size_t i = 0; i < results->measure_count; i++)
        if (strcmp(results->measures[i].name, name) == 0)
            return &results->measures[i];
    if (results->measure_count == UM_RESULTS_MEASURES)
        return NULL;
    size_t bytes = (results->measure_count + 1) * sizeof *results->measures;
    struct um_results_measure *grown = realloc(results->measures, bytes);
    if (!grown)
        return NULL;
    results->measures = grown;
    struct um_results_measure *made = &grown[results->measure_count++];
    memset(made, 0, sizeof *made);
    snprintf(made->name, sizeof made->name, "%s", name);
    return made;
}

static void add_value(struct reader *reader, struct um_results_measure *measure,
                      enum um_results_series series, double value)
{
    struct um_compare_group *group = &measure->groups[series];
    if (reader->results->values >= UM_RESULTS_VALUES)
        FAIL(reader, UM_ERR_TOO_LARGE, "more than %lu values on one side",
             (unsigned long)UM_RESULTS_VALUES);
    if (reader->status != UM_OK)
        return;
    if (!um_list_reserve(&group->values, &measure->room[series], group->len + 1, SIZE_MAX,
                         sizeof *group->values)) {
        fail_memory(reader);
        return;
    }
    group->values[group->len++] = (struct um_compare_value){value, reader->run};
    reader->results->values++;
}

/* The JSON. Each function adds what it finds; an absent member is no error. */

/* Reads a member that is a time; false if there is none. A time may be slightly below 0, because
 * the monitor stamps its beginning and the target its end. */
static bool get_ms(struct reader *reader, const cJSON *object, const char *member, double *ms)
{
    const cJSON *item = um_json_member(object, member);
    if (!item)
        return false;
    if (!cJSON_IsNumber(item) || !(fabs(item->valuedouble) <= UM_RESULTS_MOST_MS)) {
        FAIL(reader, UM_ERR_FORMAT, "%s: %s is not a time in milliseconds", reader->where, member);
        return false;
    }
    *ms = item->valuedouble;
    return true;
}

/* Adds a member that is a count to `sum`; false if there is none. */
static bool add_count(struct reader *reader, const cJSON *object, const char *member, uint64_t *sum)
{
    double count = 0;
    if (!um_json_member(object, member))
        return false;
    if (!um_json_member_number(object, member, MOST_COUNT, &count) || floor(count) < count)
        FAIL(reader, UM_ERR_FORMAT, "%s: %s is not a count", reader->where, member);
    *sum += (uint64_t)count;
    return true;
}

static void add_ms(struct reader *reader, const cJSON *object, const char *member,
                   struct um_results_measure *measure, enum um_results_series series)
{
    double ms;
    if (get_ms(reader, object, member, &ms))
        add_value(reader, measure, series, ms);
}

static void add_interaction(struct reader *reader, const cJSON *object,
                            struct um_results_measure *measure)
{
    double delay, processing;
    bool has_delay = get_ms(reader, object, "input_delay_ms", &delay);
    bool has_processing = get_ms(reader, object, "processing_ms", &processing);
    if (has_delay)
        add_value(reader, measure, UM_RESULTS_DELAY, delay);
    if (has_processing)
        add_value(reader, measure, UM_RESULTS_PROCESSING, processing);
    if (has_delay && has_processing)
        add_value(reader, measure, UM_RESULTS_HANDLED, delay + processing);
    add_ms(reader, object, "presentation_ms", measure, UM_RESULTS_PRESENTATION);
    add_ms(reader, object, "total_ms", measure, UM_RESULTS_PAINTED);
    measure->interactions++;
}

/* A file may have several parts of the same measure in a run. */
static void expect(struct reader *reader, struct um_results_measure *measure, uint64_t inputs)
{
    size_t len = measure->expected_len;
    if (len > 0 && measure->expected[len - 1].run == reader->run) {
        measure->expected[len - 1].inputs += inputs;
        return;
    }
    if (!um_list_reserve(&measure->expected, &measure->expected_room, len + 1, SIZE_MAX,
                         sizeof *measure->expected)) {
        fail_memory(reader);
        return;
    }
    measure->expected[measure->expected_len++] = (struct um_results_expected){reader->run, inputs};
}

static void add_interactions(struct reader *reader, const cJSON *object,
                             struct um_results_measure *measure)
{
    struct um_results_inputs *inputs = &measure->inputs;
    const cJSON *item;
    uint64_t injected = 0, given_up = 0, seen = 0, typed = 0, taken = 0;
    bool known = add_count(reader, object, "injected", &injected);
    add_count(reader, object, "given_up", &given_up);
    add_count(reader, object, "typed_units", &typed);
    add_count(reader, object, "taken_units", &taken);
    inputs->typed += typed;
    inputs->off += typed > taken ? typed - taken : taken - typed;
    cJSON_ArrayForEach(item, um_json_member(object, "interactions"))
    {
        add_interaction(reader, item, measure);
        seen++;
    }
    uint64_t missing = injected > seen ? injected - seen : 0;
    /* Where another kind of input came that nobody sent, more were given up than that. */
    if (known && missing < given_up)
        missing = given_up < injected ? given_up : injected;
    expect(reader, measure, seen + missing);
    if (!known)
        return;
    inputs->injected += injected;
    inputs->missing += missing;
    inputs->given_up += given_up < missing ? given_up : missing;
    inputs->extra += seen + missing - injected;
}

/* Adds a beat, and the beats that could not be sent while it waited: latency - period, latency - 2
 * * period, and so on.
 * Source: G. Tene's correction for coordinated omission, as in histogram.h. */
static void add_beat(struct reader *reader, const cJSON *item, struct um_results_measure *measure)
{
    double period = reader->heartbeat_ms;
    double latency = cJSON_IsNumber(item) ? item->valuedouble : -1;
    if (!(latency >= 0) || !(latency <= UM_RESULTS_MOST_MS)) {
        FAIL(reader, UM_ERR_FORMAT, "%s: a beat is not a time in milliseconds", reader->where);
        return;
    }
    add_value(reader, measure, UM_RESULTS_BEATS, latency);
    if (!(period >= 1))
        return;
    for (latency -= period; latency >= period && reader->status == UM_OK; latency -= period)
        add_value(reader, measure, UM_RESULTS_BEATS, latency);
}

static void count_freeze(const cJSON *held_up, struct um_results_freezes *freezes)
{
    const cJSON *inputs;
    bool is_felt = false;
    cJSON_ArrayForEach(inputs, held_up)
    {
        is_felt = is_felt || (cJSON_IsNumber(inputs) && inputs->valuedouble > 0);
    }
    freezes->count++;
    freezes->felt += is_felt;
    freezes->unknown += !cJSON_IsObject(held_up);
}

/* Adds the total length of the freezes of a run. A run without freezes adds 0, which counts too. */
static void add_freezes(struct reader *reader, const cJSON *list,
                        struct um_results_measure *measure)
{
    const cJSON *freeze;
    double sum = 0;
    if (!cJSON_IsArray(list))
        return;
    cJSON_ArrayForEach(freeze, list)
    {
        double ms = 0;
        get_ms(reader, freeze, "duration_ms", &ms);
        sum += ms;
        count_freeze(um_json_member(freeze, "held_up"), &measure->freezes);
    }
    struct um_compare_group *group = &measure->groups[UM_RESULTS_FREEZES];
    if (group->len > 0 && group->values[group->len - 1].run == reader->run)
        group->values[group->len - 1].value += sum;
    else
        add_value(reader, measure, UM_RESULTS_FREEZES, sum);
}

static void add_measure(struct reader *reader, const cJSON *object)
{
    char name[UM_RESULTS_NAME_BYTES];
    const char *text = um_json_member_text(object, "name");
    const cJSON *item;
    if (!text || text[0] == '\0' ||
        um_utf8_fit(text, UM_RESULTS_NAME_BYTES, name, sizeof name) != UM_OK) {
        FAIL(reader, UM_ERR_FORMAT, "%s: a measure has no name, or one that is too long",
             reader->where);
        return;
    }
    struct um_results_measure *measure = get_measure(reader->results, name);
    if (!measure) {
        FAIL(reader, UM_ERR_TOO_LARGE, "%s: more than %d measures, or no memory", reader->where,
             UM_RESULTS_MEASURES);
        return;
    }
    add_ms(reader, object, "duration_ms", measure, UM_RESULTS_DURATION);
    add_interactions(reader, object, measure);
    cJSON_ArrayForEach(item, um_json_member(object, "beats_ms"))
    {
        add_beat(reader, item, measure);
    }
    add_freezes(reader, um_json_member(object, "freezes"), measure);
}

static void add_startup(struct reader *reader, const cJSON *object)
{
    static const struct {
        const char *member;
        enum um_results_series series;
    } times[] = {
        {"first_window_ms", UM_RESULTS_WINDOW},
        {"first_paint_ms", UM_RESULTS_PAINT},
        {"first_ready_ms", UM_RESULTS_READY},
        {"first_idle_ms", UM_RESULTS_IDLE},
    };
    if (!cJSON_IsObject(object) || !object->child)
        return;
    struct um_results_measure *measure = get_measure(reader->results, UM_RESULTS_STARTUP);
    if (!measure) {
        fail_memory(reader);
        return;
    }
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++)
        add_ms(reader, object, times[i].member, measure, times[i].series);
}

/* Adds the layout of a run. Without a layout frame it has no value, but the measure is there. */
static void add_layout(struct reader *reader, const cJSON *object)
{
    if (!cJSON_IsObject(object))
        return;
    struct um_results_measure *measure = get_measure(reader->results, UM_RESULTS_LAYOUT);
    if (measure)
        add_ms(reader, object, "frame_ms", measure, UM_RESULTS_LAYOUT_FRAME);
    else
        fail_memory(reader);
}

static void add_run(struct reader *reader, const cJSON *run, uint32_t number)
{
    const cJSON *object;
    uint32_t count = 0;
    if (!cJSON_IsObject(run))
        FAIL(reader, UM_ERR_FORMAT, "run %lu is not an object", (unsigned long)number);
    if (reader->results->runs == UM_RESULTS_RUNS)
        FAIL(reader, UM_ERR_TOO_LARGE, "more than %d runs on one side", UM_RESULTS_RUNS);
    if (reader->status != UM_OK)
        return;
    reader->run = reader->results->runs++;
    snprintf(reader->where, WHERE_BYTES, "run %lu, startup", (unsigned long)number);
    add_startup(reader, um_json_member(run, "startup"));
    snprintf(reader->where, WHERE_BYTES, "run %lu", (unsigned long)number);
    add_count(reader, run, "dropped", &reader->results->dropped);
    cJSON_ArrayForEach(object, um_json_member(run, "measures"))
    {
        snprintf(reader->where, WHERE_BYTES, "run %lu, measure %lu", (unsigned long)number,
                 (unsigned long)++count);
        if (reader->status == UM_OK)
            add_measure(reader, object);
    }
    snprintf(reader->where, WHERE_BYTES, "run %lu, layout", (unsigned long)number);
    add_layout(reader, um_json_member(run, "layout"));
}

static void get_text(const cJSON *object, const char *member, char *buf, size_t cap)
{
    const char *text = um_json_member_text(object, member);
    um_utf8_fit(text ? text : "", cap / 3, buf, cap);
}

/* Joins the variables that were set for this side. */
static void get_defines(const cJSON *root, char *buf, size_t cap)
{
    char joined[2 * UM_RESULTS_TEXT_BYTES] = "";
    const cJSON *item;
    cJSON_ArrayForEach(item, um_json_member(root, "defines"))
    {
        size_t len = strlen(joined);
        if (cJSON_IsString(item))
            snprintf(joined + len, sizeof joined - len, "%s%s", len > 0 ? " " : "",
                     um_utf8_show(item->valuestring, 40).text);
    }
    um_utf8_fit(joined, cap / 3, buf, cap);
}

static double get_option(const cJSON *options, const char *member)
{
    double value = NAN;
    um_json_member_number(options, member, UM_RESULTS_MOST_MS, &value);
    return value;
}

static void get_conditions(const cJSON *root, struct um_results_conditions *out)
{
    const cJSON *scenario = um_json_member(root, "scenario");
    const cJSON *machine = um_json_member(root, "machine");
    const cJSON *options = um_json_member(root, "options");
    const cJSON *target = um_json_member(root, "target");
    get_text(root, "uimon", out->uimon, sizeof out->uimon);
    get_text(root, "started", out->started, sizeof out->started);
    get_defines(root, out->defines, sizeof out->defines);
    get_text(scenario, "name", out->scenario, sizeof out->scenario);
    get_text(scenario, "crc32", out->scenario_crc, sizeof out->scenario_crc);
    get_text(target, "name", out->target, sizeof out->target);
    get_text(machine, "name", out->machine, sizeof out->machine);
    get_text(machine, "system", out->system, sizeof out->system);
    get_text(options, "probe", out->probe, sizeof out->probe);
    get_text(options, "beat", out->beat, sizeof out->beat);
    out->heartbeat_ms = get_option(options, "heartbeat_ms");
    out->rest_heartbeat_ms = get_option(options, "rest_heartbeat_ms");
    if (!(out->rest_heartbeat_ms > out->heartbeat_ms)) /* 0.1.0 sent no fewer beats at rest */
        out->rest_heartbeat_ms = out->heartbeat_ms;
    out->threshold_ms = get_option(options, "threshold_ms");
    out->slow_ms = get_option(options, "slow_ms");
    out->layout = cJSON_IsTrue(um_json_member(options, "layout"));
}

static bool texts_differ(const char *a, const char *b)
{
    return a[0] != '\0' && b[0] != '\0' && strcmp(a, b) != 0;
}

static bool options_differ(double a, double b)
{
    return a > b || a < b; /* false if one is NAN, which is unknown */
}

uint32_t um_results_differences(const struct um_results_conditions *a,
                                const struct um_results_conditions *b)
{
    uint32_t mask = 0;
    if (texts_differ(a->scenario_crc, b->scenario_crc))
        mask |= UM_RESULTS_OTHER_SCENARIO;
    if (options_differ(a->heartbeat_ms, b->heartbeat_ms) ||
        options_differ(a->rest_heartbeat_ms, b->rest_heartbeat_ms) ||
        options_differ(a->threshold_ms, b->threshold_ms) ||
        options_differ(a->slow_ms, b->slow_ms) || texts_differ(a->probe, b->probe) ||
        texts_differ(a->beat, b->beat) || a->layout != b->layout)
        mask |= UM_RESULTS_OTHER_OPTIONS;
    if (texts_differ(a->machine, b->machine) || texts_differ(a->system, b->system))
        mask |= UM_RESULTS_OTHER_MACHINE;
    if (texts_differ(a->uimon, b->uimon))
        mask |= UM_RESULTS_OTHER_UIMON;
    if (texts_differ(a->target, b->target))
        mask |= UM_RESULTS_OTHER_TARGET;
    return mask;
}

/* Checks that this is a result of schema `wanted`, and that its benchmark was not aborted. */
static void check_root(struct reader *reader, const cJSON *root, int wanted)
{
    const cJSON *schema = um_json_member(root, "schema");
    const cJSON *aborted = um_json_member(root, "aborted");
    const char *kind = um_json_member_text(root, "kind");
    if (!kind || strcmp(kind, "bench") != 0 || !cJSON_IsNumber(schema)) {
        FAIL(reader, UM_ERR_FORMAT,
             "this is not a result of `uimon bench`, which writes one with --json FILE");
        return;
    }
    bool one = fabs(schema->valuedouble - UM_RESULTS_SCHEMA) < 0.5;
    bool pairs = fabs(schema->valuedouble - UM_RESULTS_SCHEMA_PAIRS) < 0.5;
    if (!one && !pairs)
        FAIL(reader, UM_ERR_VERSION,
             "the result has schema %g but this uimon reads schemas %d and %d: measure again with "
             "this uimon",
             schema->valuedouble, UM_RESULTS_SCHEMA, UM_RESULTS_SCHEMA_PAIRS);
    if (pairs && wanted == UM_RESULTS_SCHEMA)
        FAIL(reader, UM_ERR_FORMAT,
             "it has both sides, measured in pairs, so it is compared alone: uimon compare FILE");
    if (one && wanted == UM_RESULTS_SCHEMA_PAIRS)
        FAIL(reader, UM_ERR_FORMAT,
             "it has one side only, so there must be another: uimon compare BEFORE AFTER");
    if (aborted && !cJSON_IsNull(aborted))
        FAIL(reader, UM_ERR_CLOSED,
             "the benchmark was aborted (%s), so it cannot be compared: run it again",
             um_utf8_show(cJSON_IsString(aborted) ? aborted->valuestring : "no reason", 80).text);
}

/* Adds how many runs the file would have if its benchmark had not been broken off: "partial_of" if
 * it is there, else `runs`. */
static void add_planned(struct reader *reader, const cJSON *root, uint32_t runs)
{
    double planned = runs;
    if (um_json_member(root, "partial_of") &&
        (!um_json_member_number(root, "partial_of", UM_RESULTS_RUNS, &planned) || planned < runs))
        FAIL(reader, UM_ERR_FORMAT,
             "partial_of is no number of runs that is at least the number here, %lu",
             (unsigned long)runs);
    reader->results->planned += (uint32_t)planned;
}

static void add_root(struct reader *reader, const cJSON *root)
{
    struct um_results *results = reader->results;
    const cJSON *runs = um_json_member(root, "runs"), *run;
    uint32_t number = 0;
    check_root(reader, root, UM_RESULTS_SCHEMA);
    if (!cJSON_IsArray(runs) || !runs->child)
        FAIL(reader, UM_ERR_CLOSED, "it has no run");
    if (reader->status != UM_OK)
        return;
    struct um_results_conditions conditions;
    get_conditions(root, &conditions);
    reader->heartbeat_ms = conditions.heartbeat_ms;
    if (results->files == 0)
        results->conditions = conditions;
    else
        results->mixed |= um_results_differences(&results->conditions, &conditions);
    results->files++;
    if (!results->has_floor)
        results->has_floor =
            um_floor_from_json(um_json_member(root, "floor"), &results->floor) == UM_OK;
    cJSON_ArrayForEach(run, runs)
    {
        add_run(reader, run, ++number);
    }
    add_planned(reader, root, number);
}

static void settle(struct um_results *results)
{
    for (size_t i = 0; i < results->measure_count; i++) {
        for (size_t series = 0; series < UM_RESULTS_SERIES; series++) {
            results->measures[i].groups[series].runs = results->runs;
            um_compare_sort(&results->measures[i].groups[series]);
        }
    }
}

enum um_status um_results_add(struct um_results *results, const char *text, size_t len_bytes,
                              const char *name, char *error, size_t error_cap)
{
    struct reader reader = open_reader(results, name, error, error_cap);
    cJSON *root = cJSON_ParseWithLength(text, len_bytes);
    if (!root)
        FAIL(&reader, UM_ERR_FORMAT, "this is not JSON, or it is cut off");
    add_root(&reader, root);
    cJSON_Delete(root);
    if (reader.status == UM_OK)
        settle(results);
    return reader.status;
}

/* Reads "until" and "discarded", and finds the level of the last look. */
static void read_sitting(struct reader *reader, const cJSON *root, struct um_results_sitting *out)
{
    const cJSON *until = um_json_member(root, "until");
    const cJSON *within = um_json_member(until, "within");
    const cJSON *alpha = um_json_member(until, "alpha");
    struct um_until plan;
    double most;
    uint64_t discarded = 0;
    *out = (struct um_results_sitting){.paired = true};
    snprintf(reader->where, WHERE_BYTES, "the sitting");
    add_count(reader, root, "discarded", &discarded);
    out->discarded = (uint32_t)discarded;
    /* A sitting that was broken off did not end at a look of its plan, so it needs no level. */
    bool broken_off = reader->results->planned > reader->results->runs;
    if (!until || cJSON_IsNull(until) || broken_off)
        return;
    if (!cJSON_IsNumber(within) || !cJSON_IsNumber(alpha) ||
        !um_json_member_number(until, "most", UM_PAIRED_MOST, &most)) {
        FAIL(reader, UM_ERR_FORMAT, "\"until\" has no numbers \"within\", \"most\" and \"alpha\"");
        return;
    }
    out->within = within->valuedouble;
    out->most = (uint32_t)most;
    enum um_status status = um_until_plan(out->most, out->within, alpha->valuedouble, &plan);
    if (status == UM_OK)
        out->level = um_until_level(&plan, reader->results->runs);
    if (status == UM_ERR_MEMORY)
        fail_memory(reader);
    else if (!(out->level > 0))
        FAIL(reader, UM_ERR_FORMAT, "its plan has no look after %lu pairs",
             (unsigned long)reader->results->runs);
}

enum um_status um_results_read_pairs(struct um_results sides[2], const char *text, size_t len_bytes,
                                     const char *name, char *error, size_t error_cap)
{
    static const char *const members[] = {"before", "after"};
    struct um_results_sitting sitting;
    struct reader reader = open_reader(&sides[0], name, error, error_cap);
    cJSON *root = cJSON_ParseWithLength(text, len_bytes);
    if (!root)
        FAIL(&reader, UM_ERR_FORMAT, "this is not JSON, or it is cut off");
    check_root(&reader, root, UM_RESULTS_SCHEMA_PAIRS);
    for (int i = 0; i < 2 && reader.status == UM_OK; i++) {
        struct reader of_side = open_reader(&sides[i], name, error, error_cap);
        add_root(&of_side, um_json_member(root, members[i]));
        reader.status = of_side.status;
    }
    if (sides[0].runs != sides[1].runs || sides[0].runs > UM_PAIRED_MOST)
        FAIL(&reader, UM_ERR_FORMAT,
             "its sides have %lu and %lu runs, but in pairs both have as many, and %d at most",
             (unsigned long)sides[0].runs, (unsigned long)sides[1].runs, UM_PAIRED_MOST);
    if (reader.status == UM_OK)
        read_sitting(&reader, root, &sitting);
    cJSON_Delete(root);
    for (int i = 0; i < 2 && reader.status == UM_OK; i++) {
        settle(&sides[i]);
        sides[i].sitting = sitting;
    }
    return reader.status;
}

enum um_status um_results_read_file(struct um_results *results, bool pairs, const char *path,
                                    char *error, size_t error_cap)
{
    char *text = NULL;
    size_t len = 0;
    enum um_status status =
        um_text_file_load(path, UM_RESULTS_FILE_BYTES, "a result", &text, &len, error, error_cap);
    if (status == UM_OK && pairs)
        status = um_results_read_pairs(results, text, len, path, error, error_cap);
    else if (status == UM_OK)
        status = um_results_add(results, text, len, path, error, error_cap);
    free(text);
    return status;
}

const struct um_results_measure *um_results_find(const struct um_results *results, const char *name)
{
    for (size_t i = 0; i < results->measure_count; i++)
        if (strcmp(results->measures[i].name, name) == 0)
            return &results->measures[i];
    return NULL;
}

void um_results_deinit(struct um_results *results)
{
    for (size_t i = 0; i < results->measure_count; i++) {
        for (size_t series = 0; series < UM_RESULTS_SERIES; series++)
            free(results->measures[i].groups[series].values);
        free(results->measures[i].expected);
    }
    free(results->measures);
    *results = (struct um_results){0};
}
