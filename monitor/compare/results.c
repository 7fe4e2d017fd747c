#include "monitor/compare/results.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "ipc/wire.h"
#include "monitor/base/list.h"
#include "monitor/base/text_file.h"
#include "monitor/base/utf8.h"
#include "monitor/compare/until.h"

#define MOST_MS 1e9 /* eleven days */
#define MOST_COUNT 1e9
#define WHERE_BYTES 160

/* A file while it is read. */
struct reader {
    struct um_results *results;
    char *what; /* the part of the error line after the file's name */
    size_t what_cap;
    uint32_t run;        /* the present one, counted over all files */
    double heartbeat_ms; /* of the file; NAN is unknown */
};

/* Writes what is wrong with the file, and is the status: return REFUSE(reader, status, ...). */
#define REFUSE(reader, status, ...)                                                                \
    (snprintf((reader)->what, (reader)->what_cap, __VA_ARGS__), (status))

static struct reader open_reader(struct um_results *results, const char *name, char *error,
                                 size_t error_cap)
{
    struct reader reader = {.results = results, .heartbeat_ms = NAN};
    snprintf(error, error_cap, "uimon: %s: ", um_utf8_show_path(name).text);
    reader.what = error + strlen(error);
    reader.what_cap = error_cap - strlen(error);
    return reader;
}

static enum um_status refuse_memory(const struct reader *reader)
{
    return REFUSE(reader, UM_ERR_MEMORY, "%s", um_status_text(UM_ERR_MEMORY));
}

/* From here on: the groups. */

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

static enum um_status add_value(const struct reader *reader, struct um_results_measure *measure,
                                enum um_results_series series, double value)
{
    struct um_compare_group *group = &measure->groups[series];
    size_t *room = &measure->room[series];
    if (reader->results->values >= UM_RESULTS_VALUES)
        return REFUSE(reader, UM_ERR_TOO_LARGE, "more than %lu values on one side",
                      (unsigned long)UM_RESULTS_VALUES);
    if (!um_list_reserve(&group->values, room, group->len + 1, SIZE_MAX, sizeof *group->values))
        return refuse_memory(reader);
    group->values[group->len++] = (struct um_compare_value){value, reader->run};
    reader->results->values++;
    return UM_OK;
}

/* From here on: the JSON. Each function adds what it finds; an absent member is no error. */

/* Reads a member that is a time. `found` says whether there is one. A time may be slightly below 0:
 * its beginning is stamped by the monitor and its end by the target, each as it sees it. */
static enum um_status get_ms(const struct reader *reader, const cJSON *object, const char *member,
                             const char *where, double *ms, bool *found)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, member);
    *found = item != NULL;
    if (!item)
        return UM_OK;
    if (!cJSON_IsNumber(item) || !(fabs(item->valuedouble) <= MOST_MS))
        return REFUSE(reader, UM_ERR_FORMAT, "%s: %s is not a time in milliseconds", where, member);
    *ms = item->valuedouble;
    return UM_OK;
}

/* Adds a member that is a count to `sum`. `found` says whether there is one. */
static enum um_status add_count(const struct reader *reader, const cJSON *object,
                                const char *member, const char *where, uint64_t *sum, bool *found)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, member);
    *found = item != NULL;
    if (!item)
        return UM_OK;
    bool sound = cJSON_IsNumber(item) && item->valuedouble >= 0 && item->valuedouble <= MOST_COUNT;
    if (!sound || floor(item->valuedouble) < item->valuedouble)
        return REFUSE(reader, UM_ERR_FORMAT, "%s: %s is not a count", where, member);
    *sum += (uint64_t)item->valuedouble;
    return UM_OK;
}

static enum um_status add_ms(const struct reader *reader, const cJSON *object, const char *member,
                             const char *where, struct um_results_measure *measure,
                             enum um_results_series series)
{
    double ms = 0;
    bool found;
    enum um_status status = get_ms(reader, object, member, where, &ms, &found);
    return status == UM_OK && found ? add_value(reader, measure, series, ms) : status;
}

static enum um_status add_interaction(const struct reader *reader, const cJSON *object,
                                      const char *where, struct um_results_measure *measure)
{
    double delay = 0;
    double processing = 0;
    bool has_delay;
    bool has_processing;
    enum um_status status = get_ms(reader, object, "input_delay_ms", where, &delay, &has_delay);
    if (status == UM_OK)
        status = get_ms(reader, object, "processing_ms", where, &processing, &has_processing);
    if (status == UM_OK && has_delay)
        status = add_value(reader, measure, UM_RESULTS_DELAY, delay);
    if (status == UM_OK && has_processing)
        status = add_value(reader, measure, UM_RESULTS_PROCESSING, processing);
    if (status == UM_OK && has_delay && has_processing)
        status = add_value(reader, measure, UM_RESULTS_HANDLED, delay + processing);
    if (status == UM_OK)
        status = add_ms(reader, object, "presentation_ms", where, measure, UM_RESULTS_PRESENTATION);
    if (status == UM_OK)
        status = add_ms(reader, object, "total_ms", where, measure, UM_RESULTS_PAINTED);
    measure->interactions++;
    return status;
}

static enum um_status add_interactions(const struct reader *reader, const cJSON *object,
                                       const char *where, struct um_results_measure *measure)
{
    struct um_results_inputs *inputs = &measure->inputs;
    const cJSON *item;
    uint64_t injected = 0;
    uint64_t seen = 0;
    bool known;
    bool gave_up;
    enum um_status status = add_count(reader, object, "injected", where, &injected, &known);
    if (status == UM_OK)
        status = add_count(reader, object, "given_up", where, &inputs->given_up, &gave_up);
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(object, "interactions"))
    {
        if (status == UM_OK)
            status = add_interaction(reader, item, where, measure);
        seen++;
    }
    if (!known)
        return status;
    inputs->injected += injected;
    inputs->missing += injected > seen ? injected - seen : 0;
    inputs->extra += seen > injected ? seen - injected : 0;
    return status;
}

/* Adds a beat, and the beats that could not be sent while it waited: latency - period, latency - 2
 * * period, and so on.
 * Source: G. Tene's correction for coordinated omission, as in histogram.h. */
static enum um_status add_beat(const struct reader *reader, const cJSON *item, const char *where,
                               struct um_results_measure *measure)
{
    double period = reader->heartbeat_ms;
    double latency = cJSON_IsNumber(item) ? item->valuedouble : -1;
    enum um_status status = UM_OK;
    if (!(latency >= 0) || !(latency <= MOST_MS))
        return REFUSE(reader, UM_ERR_FORMAT, "%s: a beat is not a time in milliseconds", where);
    status = add_value(reader, measure, UM_RESULTS_BEATS, latency);
    if (!(period >= 1))
        return status;
    for (latency -= period; latency >= period && status == UM_OK; latency -= period)
        status = add_value(reader, measure, UM_RESULTS_BEATS, latency);
    return status;
}

/* Adds the total length of the freezes of a run. A run without freezes adds 0, which counts too. */
static enum um_status add_freezes(const struct reader *reader, const cJSON *list, const char *where,
                                  struct um_results_measure *measure)
{
    const cJSON *freeze;
    double sum = 0;
    if (!cJSON_IsArray(list))
        return UM_OK;
    cJSON_ArrayForEach(freeze, list)
    {
        double ms = 0;
        bool found;
        enum um_status status = get_ms(reader, freeze, "duration_ms", where, &ms, &found);
        if (status != UM_OK)
            return status;
        sum += ms;
    }
    struct um_compare_group *group = &measure->groups[UM_RESULTS_FREEZES];
    if (group->len > 0 && group->values[group->len - 1].run == reader->run) {
        group->values[group->len - 1].value += sum;
        return UM_OK;
    }
    return add_value(reader, measure, UM_RESULTS_FREEZES, sum);
}

static enum um_status add_measure(const struct reader *reader, const cJSON *object,
                                  const char *where)
{
    char name[UM_RESULTS_NAME_BYTES];
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, "name"));
    const cJSON *item;
    if (!text || text[0] == '\0' ||
        um_utf8_fit(text, UM_RESULTS_NAME_BYTES, name, sizeof name) != UM_OK)
        return REFUSE(reader, UM_ERR_FORMAT, "%s: a measure has no name, or one that is too long",
                      where);
    struct um_results_measure *measure = get_measure(reader->results, name);
    if (!measure)
        return REFUSE(reader, UM_ERR_TOO_LARGE, "%s: more than %d measures, or no memory", where,
                      UM_RESULTS_MEASURES);
    enum um_status status =
        add_ms(reader, object, "duration_ms", where, measure, UM_RESULTS_DURATION);
    if (status == UM_OK)
        status = add_interactions(reader, object, where, measure);
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(object, "beats_ms"))
    {
        if (status == UM_OK)
            status = add_beat(reader, item, where, measure);
    }
    if (status == UM_OK)
        status = add_freezes(reader, cJSON_GetObjectItemCaseSensitive(object, "freezes"), where,
                             measure);
    return status;
}

static enum um_status add_startup(const struct reader *reader, const cJSON *object,
                                  const char *where)
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
    enum um_status status = UM_OK;
    if (!cJSON_IsObject(object) || !object->child)
        return UM_OK;
    struct um_results_measure *measure = get_measure(reader->results, UM_RESULTS_STARTUP);
    if (!measure)
        return refuse_memory(reader);
    for (size_t i = 0; i < sizeof times / sizeof times[0] && status == UM_OK; i++)
        status = add_ms(reader, object, times[i].member, where, measure, times[i].series);
    return status;
}

/* By how much the keys of a run were delayed on purpose. */
static enum um_status add_delay(const struct reader *reader, const cJSON *run, const char *where)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(run, "key_delay_us");
    if (!item)
        return UM_OK;
    if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0) ||
        item->valuedouble > UM_WIRE_KEY_DELAY_MAX_US)
        return REFUSE(reader, UM_ERR_FORMAT, "%s: key_delay_us is no delay from 0 to %d", where,
                      UM_WIRE_KEY_DELAY_MAX_US);
    uint32_t delay_us = (uint32_t)ceil(item->valuedouble);
    if (delay_us > reader->results->key_delay_us)
        reader->results->key_delay_us = delay_us;
    return UM_OK;
}

static enum um_status add_run(struct reader *reader, const cJSON *run, uint32_t number)
{
    char where[WHERE_BYTES];
    const cJSON *object;
    uint32_t count = 0;
    bool lossy;
    snprintf(where, sizeof where, "run %lu, startup", (unsigned long)number);
    if (!cJSON_IsObject(run))
        return REFUSE(reader, UM_ERR_FORMAT, "run %lu is not an object", (unsigned long)number);
    if (reader->results->runs == UM_RESULTS_RUNS)
        return REFUSE(reader, UM_ERR_TOO_LARGE, "more than %d runs on one side", UM_RESULTS_RUNS);
    reader->run = reader->results->runs++;
    enum um_status status =
        add_startup(reader, cJSON_GetObjectItemCaseSensitive(run, "startup"), where);
    snprintf(where, sizeof where, "run %lu", (unsigned long)number);
    if (status == UM_OK)
        status = add_count(reader, run, "dropped", where, &reader->results->dropped, &lossy);
    if (status == UM_OK)
        status = add_delay(reader, run, where);
    cJSON_ArrayForEach(object, cJSON_GetObjectItemCaseSensitive(run, "measures"))
    {
        snprintf(where, sizeof where, "run %lu, measure %lu", (unsigned long)number,
                 (unsigned long)++count);
        if (status == UM_OK)
            status = add_measure(reader, object, where);
    }
    return status;
}

static void get_text(const cJSON *object, const char *member, char *buf, size_t cap)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, member));
    um_utf8_fit(text ? text : "", cap / 3, buf, cap);
}

/* Joins the variables that were set for this side. */
static void get_defines(const cJSON *root, char *buf, size_t cap)
{
    char joined[2 * UM_RESULTS_TEXT_BYTES] = "";
    const cJSON *item;
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(root, "defines"))
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
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(options, member);
    bool sound = cJSON_IsNumber(item) && item->valuedouble >= 0 && item->valuedouble <= MOST_MS;
    return sound ? item->valuedouble : NAN;
}

static void get_conditions(const cJSON *root, struct um_results_conditions *out)
{
    const cJSON *scenario = cJSON_GetObjectItemCaseSensitive(root, "scenario");
    const cJSON *machine = cJSON_GetObjectItemCaseSensitive(root, "machine");
    const cJSON *options = cJSON_GetObjectItemCaseSensitive(root, "options");
    const cJSON *target = cJSON_GetObjectItemCaseSensitive(root, "target");
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
    if (!(out->rest_heartbeat_ms > 0))
        out->rest_heartbeat_ms = out->heartbeat_ms; /* 0.1.0 knew no rest */
    out->threshold_ms = get_option(options, "threshold_ms");
    out->slow_ms = get_option(options, "slow_ms");
}

static bool texts_differ(const char *a, const char *b)
{
    return a[0] != '\0' && b[0] != '\0' && strcmp(a, b) != 0;
}

static bool options_differ(double a, double b)
{
    return a > b || a < b; /* and neither is unknown */
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
        texts_differ(a->beat, b->beat))
        mask |= UM_RESULTS_OTHER_OPTIONS;
    if (texts_differ(a->machine, b->machine) || texts_differ(a->system, b->system))
        mask |= UM_RESULTS_OTHER_MACHINE;
    if (texts_differ(a->uimon, b->uimon))
        mask |= UM_RESULTS_OTHER_UIMON;
    if (texts_differ(a->target, b->target))
        mask |= UM_RESULTS_OTHER_TARGET;
    return mask;
}

/* Checks that this is a result of that schema. */
static enum um_status check_schema(const struct reader *reader, const cJSON *root, int wanted)
{
    const cJSON *schema = cJSON_GetObjectItemCaseSensitive(root, "schema");
    const char *kind = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(root, "kind"));
    if (!kind || strcmp(kind, "bench") != 0 || !cJSON_IsNumber(schema))
        return REFUSE(reader, UM_ERR_FORMAT,
                      "this is not a result of `uimon bench`, which writes one with --json FILE");
    bool one = fabs(schema->valuedouble - UM_RESULTS_SCHEMA) < 0.5;
    bool pairs = fabs(schema->valuedouble - UM_RESULTS_SCHEMA_PAIRS) < 0.5;
    if (!one && !pairs)
        return REFUSE(reader, UM_ERR_VERSION,
                      "the result has schema %g but this uimon reads schemas %d and %d: measure "
                      "again with this uimon",
                      schema->valuedouble, UM_RESULTS_SCHEMA, UM_RESULTS_SCHEMA_PAIRS);
    if (pairs && wanted == UM_RESULTS_SCHEMA)
        return REFUSE(reader, UM_ERR_FORMAT,
                      "it has both sides, measured in pairs, so it is compared alone: uimon "
                      "compare FILE");
    if (one && wanted == UM_RESULTS_SCHEMA_PAIRS)
        return REFUSE(reader, UM_ERR_FORMAT,
                      "it has one side only, so there must be another: uimon compare BEFORE AFTER");
    return UM_OK;
}

static enum um_status check_finished(const struct reader *reader, const cJSON *root)
{
    const cJSON *aborted = cJSON_GetObjectItemCaseSensitive(root, "aborted");
    if (aborted && !cJSON_IsNull(aborted))
        return REFUSE(
            reader, UM_ERR_CLOSED,
            "the benchmark was aborted (%s), so it cannot be compared: run it again",
            um_utf8_show(cJSON_IsString(aborted) ? aborted->valuestring : "no reason", 80).text);
    return UM_OK;
}

/* Checks that this is a result of one side, and that it is complete. */
static enum um_status check_root(const struct reader *reader, const cJSON *root)
{
    const cJSON *runs = cJSON_GetObjectItemCaseSensitive(root, "runs");
    enum um_status status = check_schema(reader, root, UM_RESULTS_SCHEMA);
    if (status == UM_OK)
        status = check_finished(reader, root);
    if (status == UM_OK && (!cJSON_IsArray(runs) || !runs->child))
        return REFUSE(reader, UM_ERR_CLOSED, "it has no run");
    return status;
}

/* How many runs a file of so many would have if its benchmark had not been broken off. */
static enum um_status add_planned(const struct reader *reader, const cJSON *root, uint32_t runs)
{
    const cJSON *planned = cJSON_GetObjectItemCaseSensitive(root, "partial_of");
    if (planned && (!cJSON_IsNumber(planned) || !(planned->valuedouble >= runs) ||
                    !(planned->valuedouble <= UM_RESULTS_RUNS)))
        return REFUSE(reader, UM_ERR_FORMAT,
                      "partial_of is no number of runs that is at least the number here, %lu",
                      (unsigned long)runs);
    reader->results->planned += planned ? (uint32_t)planned->valuedouble : runs;
    return UM_OK;
}

static enum um_status add_root(struct reader *reader, const cJSON *root)
{
    struct um_results *results = reader->results;
    const cJSON *run;
    uint32_t number = 0;
    enum um_status status = check_root(reader, root);
    if (status != UM_OK)
        return status;
    struct um_results_conditions conditions;
    get_conditions(root, &conditions);
    reader->heartbeat_ms = conditions.heartbeat_ms;
    if (results->files == 0)
        results->conditions = conditions;
    else
        results->mixed |= um_results_differences(&results->conditions, &conditions);
    results->files++;
    if (!results->has_floor)
        results->has_floor = um_floor_from_json(cJSON_GetObjectItemCaseSensitive(root, "floor"),
                                                &results->floor) == UM_OK;
    cJSON_ArrayForEach(run, cJSON_GetObjectItemCaseSensitive(root, "runs"))
    {
        if (status == UM_OK)
            status = add_run(reader, run, ++number);
    }
    return status == UM_OK ? add_planned(reader, root, number) : status;
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
        return REFUSE(&reader, UM_ERR_FORMAT, "this is not JSON, or it is cut off");
    enum um_status status = add_root(&reader, root);
    cJSON_Delete(root);
    if (status == UM_OK)
        settle(results);
    return status;
}

/* Reads "until" and "discarded", and finds the level of the look after so many pairs. */
static enum um_status read_sitting(const struct reader *reader, const cJSON *root,
                                   struct um_results_sitting *out)
{
    const cJSON *until = cJSON_GetObjectItemCaseSensitive(root, "until");
    const cJSON *within = cJSON_GetObjectItemCaseSensitive(until, "within");
    const cJSON *most = cJSON_GetObjectItemCaseSensitive(until, "most");
    const cJSON *alpha = cJSON_GetObjectItemCaseSensitive(until, "alpha");
    struct um_until plan;
    uint64_t discarded = 0;
    bool found;
    *out = (struct um_results_sitting){.paired = true};
    enum um_status status = add_count(reader, root, "discarded", "the sitting", &discarded, &found);
    out->discarded = (uint32_t)discarded;
    /* What broke it off knew nothing of the numbers, so no look of the plan has to allow for it. */
    bool broken_off = reader->results->planned > reader->results->runs;
    if (status != UM_OK || !until || cJSON_IsNull(until) || broken_off)
        return status;
    if (!cJSON_IsNumber(within) || !cJSON_IsNumber(most) || !cJSON_IsNumber(alpha) ||
        !(most->valuedouble >= 0) || !(most->valuedouble <= UM_PAIRED_MOST))
        return REFUSE(reader, UM_ERR_FORMAT,
                      "\"until\" has no numbers \"within\", \"most\" and \"alpha\"");
    out->within = within->valuedouble;
    out->most = (uint32_t)most->valuedouble;
    status = um_until_plan(out->most, false, out->within, alpha->valuedouble, &plan);
    if (status == UM_OK)
        out->level = um_until_level(&plan, reader->results->runs);
    if (status == UM_ERR_MEMORY)
        return refuse_memory(reader);
    if (!(out->level > 0))
        return REFUSE(reader, UM_ERR_FORMAT, "its plan has no look after %lu pairs",
                      (unsigned long)reader->results->runs);
    return UM_OK;
}

static enum um_status read_sides(struct um_results sides[2], const cJSON *root, const char *name,
                                 char *error, size_t error_cap)
{
    static const char *const members[] = {"before", "after"};
    struct um_results_sitting sitting;
    struct reader reader = open_reader(&sides[0], name, error, error_cap);
    enum um_status status = check_schema(&reader, root, UM_RESULTS_SCHEMA_PAIRS);
    if (status == UM_OK)
        status = check_finished(&reader, root);
    for (int i = 0; i < 2 && status == UM_OK; i++) {
        struct reader of_side = open_reader(&sides[i], name, error, error_cap);
        status = add_root(&of_side, cJSON_GetObjectItemCaseSensitive(root, members[i]));
    }
    if (status != UM_OK)
        return status;
    if (sides[0].runs != sides[1].runs || sides[0].runs > UM_PAIRED_MOST)
        return REFUSE(&reader, UM_ERR_FORMAT,
                      "its sides have %lu and %lu runs, but in pairs both have as many, and %d at "
                      "most",
                      (unsigned long)sides[0].runs, (unsigned long)sides[1].runs, UM_PAIRED_MOST);
    status = read_sitting(&reader, root, &sitting);
    for (int i = 0; i < 2 && status == UM_OK; i++) {
        settle(&sides[i]);
        sides[i].sitting = sitting;
    }
    return status;
}

enum um_status um_results_read_pairs(struct um_results sides[2], const char *text, size_t len_bytes,
                                     const char *name, char *error, size_t error_cap)
{
    struct reader reader = open_reader(&sides[0], name, error, error_cap);
    cJSON *root = cJSON_ParseWithLength(text, len_bytes);
    if (!root)
        return REFUSE(&reader, UM_ERR_FORMAT, "this is not JSON, or it is cut off");
    enum um_status status = read_sides(sides, root, name, error, error_cap);
    cJSON_Delete(root);
    return status;
}

/* Owner: free `text`. Errors: those of um_text_file_load. */
static enum um_status load_text(const char *path, char **text, size_t *len, char *error,
                                size_t error_cap)
{
    return um_text_file_load(path, UM_RESULTS_FILE_BYTES, "a result", text, len, error, error_cap);
}

enum um_status um_results_add_file(struct um_results *results, const char *path, char *error,
                                   size_t error_cap)
{
    char *text = NULL;
    size_t len = 0;
    enum um_status status = load_text(path, &text, &len, error, error_cap);
    if (status == UM_OK)
        status = um_results_add(results, text, len, path, error, error_cap);
    free(text);
    return status;
}

enum um_status um_results_read_pairs_file(struct um_results sides[2], const char *path, char *error,
                                          size_t error_cap)
{
    char *text = NULL;
    size_t len = 0;
    enum um_status status = load_text(path, &text, &len, error, error_cap);
    if (status == UM_OK)
        status = um_results_read_pairs(sides, text, len, path, error, error_cap);
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
    for (size_t i = 0; i < results->measure_count; i++)
        for (size_t series = 0; series < UM_RESULTS_SERIES; series++)
            free(results->measures[i].groups[series].values);
    free(results->measures);
    *results = (struct um_results){0};
}
