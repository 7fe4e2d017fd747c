#include "monitor/bench/bench_results.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ipc/clock.h"
#include "ipc/thread.h"
#include "ipc/wire.h"
#include "monitor/base/list.h"
#include "monitor/base/message_names.h"

#define TIME_BYTES 32

struct beat {
    uint64_t sent_ns;
    uint64_t latency_ns;
};

struct measure {
    struct um_bench_results_measure what;
    char name[64];
};

/* A list that grows, up to a limit that `append` is given. */
struct list {
    void *items;
    size_t count;
    size_t cap;
};

struct um_bench_results {
    struct um_thread_mutex mutex; /* guards the lists that the output fills */
    struct list interactions;     /* struct um_wire_frame, for their flags */
    struct list beats;
    struct list freezes; /* struct um_wire_frame */
    struct list notes;   /* struct um_wire_note */
    uint64_t dropped;    /* of these lists */
    uint64_t lost;       /* of the session, before anything came here */

    uint64_t period_ns;    /* from beat to beat */
    uint32_t key_delay_us; /* of PROVING; 0: there was none */

    uint64_t start_ns;
    int64_t utc_ms;
    bool has_startup[UM_BENCH_RESULTS_STARTUPS];
    uint64_t startup_ns[UM_BENCH_RESULTS_STARTUPS];
    uint64_t late_ns;
    struct list measures;
    struct list runs; /* char *: each a JSON text */
};

/* Appends a copy of an item. False if the limit is reached or there is no memory. */
static bool append(struct list *list, const void *item, size_t size, size_t limit)
{
    if (!um_list_reserve(&list->items, &list->cap, list->count + 1, limit, size))
        return false;
    memcpy((char *)list->items + list->count++ * size, item, size);
    return true;
}

enum um_status um_bench_results_open(struct um_bench_results **results)
{
    *results = calloc(1, sizeof **results);
    return *results ? UM_OK : UM_ERR_MEMORY;
}

void um_bench_results_close(struct um_bench_results *results)
{
    if (!results)
        return;
    for (size_t i = 0; i < results->runs.count; i++)
        cJSON_free(((char **)results->runs.items)[i]);
    free(results->interactions.items);
    free(results->beats.items);
    free(results->freezes.items);
    free(results->notes.items);
    free(results->measures.items);
    free(results->runs.items);
    free(results);
}

/* The output ----------------------------------------------------------------------------------- */

/* The beats that were left out while the target rested would have taken as long as the one before.
 * They lie a period apart. */
static bool keep_rest(struct um_bench_results *results, const struct um_wire_rest *rest)
{
    if (results->beats.count == 0)
        return true;
    struct beat beat = ((const struct beat *)results->beats.items)[results->beats.count - 1];
    bool kept = true;
    for (uint64_t left = rest->skipped; left > 0 && kept; left--) {
        beat.sent_ns = rest->time_ns - left * results->period_ns;
        kept = append(&results->beats, &beat, sizeof beat, UM_BENCH_RESULTS_MAX_FRAMES);
    }
    return kept;
}

static bool keep(struct um_bench_results *results, const struct um_wire_frame *frame)
{
    const size_t max = UM_BENCH_RESULTS_MAX_FRAMES;
    struct beat beat;

    switch (frame->type) {
    case UM_WIRE_INTERACTION:
        return append(&results->interactions, frame, sizeof *frame, max);
    case UM_WIRE_SESSION:
        results->period_ns = frame->as.session.period_us * UM_CLOCK_NS_PER_US;
        return true;
    case UM_WIRE_PROVING:
        results->key_delay_us = frame->as.proving.key_delay_us;
        return true;
    case UM_WIRE_REST:
        return keep_rest(results, &frame->as.rest);
    case UM_WIRE_BEAT:
        beat = (struct beat){frame->as.beat.sent_ns, frame->as.beat.latency_ns};
        return append(&results->beats, &beat, sizeof beat, max);
    case UM_WIRE_EPISODE:
        if ((frame->flags & (UM_WIRE_EPISODE_END | UM_WIRE_EPISODE_VOID)) != UM_WIRE_EPISODE_END ||
            !um_wire_state_is_freeze(frame->as.episode.state))
            return true;
        return append(&results->freezes, frame, sizeof *frame, max);
    case UM_WIRE_NOTE:
        return append(&results->notes, &frame->as.note, sizeof frame->as.note, max);
    case UM_WIRE_TOTALS:
        /* What was lost here is in it too: the session asked for that just before. */
        results->lost = frame->as.totals.dropped > results->dropped
                            ? frame->as.totals.dropped - results->dropped
                            : 0;
        return true;
    default:
        return true;
    }
}

/* The lock is held for a copy, on both sides. */
static void take(void *context, struct um_feed_item *item)
{
    struct um_bench_results *results = context;
    um_thread_lock(&results->mutex);
    results->dropped += !keep(results, item->frame);
    um_thread_unlock(&results->mutex);
}

static uint64_t lost(void *context)
{
    struct um_bench_results *results = context;
    um_thread_lock(&results->mutex);
    uint64_t count = results->dropped;
    um_thread_unlock(&results->mutex);
    return count;
}

struct um_feed_output um_bench_results_output(struct um_bench_results *results)
{
    return (struct um_feed_output){results, take, lost};
}

/* When an input came: its arrival, or if that was not observed, its dequeuing. */
static uint64_t came_ns(const struct um_wire_interaction *one)
{
    return one->arrival_ns ? one->arrival_ns : one->dequeued_ns;
}

uint64_t um_bench_results_dealt_with(struct um_bench_results *results, enum um_interaction kind,
                                     uint64_t since_ns)
{
    uint64_t count = 0;
    um_thread_lock(&results->mutex);
    const struct um_wire_frame *frames = results->interactions.items;
    /* The list is not quite in order: a painted interaction may come after a later, unpainted
     * one. */
    for (size_t i = 0; i < results->interactions.count; i++)
        count +=
            frames[i].as.interaction.kind == kind && came_ns(&frames[i].as.interaction) >= since_ns;
    um_thread_unlock(&results->mutex);
    return count;
}

/* A run ---------------------------------------------------------------------------------------- */

void um_bench_results_begin(struct um_bench_results *results, uint64_t start_ns, int64_t utc_ms)
{
    um_thread_lock(&results->mutex);
    results->interactions.count = 0;
    results->beats.count = 0;
    results->freezes.count = 0;
    results->notes.count = 0;
    results->dropped = 0;
    results->lost = 0;
    results->key_delay_us = 0;
    um_thread_unlock(&results->mutex);
    results->start_ns = start_ns;
    results->utc_ms = utc_ms;
    results->late_ns = 0;
    results->measures.count = 0;
    memset(results->has_startup, 0, sizeof results->has_startup);
}

void um_bench_results_startup(struct um_bench_results *results, enum um_bench_results_startup which,
                              uint64_t after_ns)
{
    results->has_startup[which] = true;
    results->startup_ns[which] = after_ns;
}

enum um_status um_bench_results_measure(struct um_bench_results *results,
                                        const struct um_bench_results_measure *measure)
{
    struct measure copy = {.what = *measure};
    snprintf(copy.name, sizeof copy.name, "%s", measure->name);
    if (results->measures.count == UM_BENCH_RESULTS_MAX_MEASURES)
        return UM_ERR_TOO_LARGE;
    return append(&results->measures, &copy, sizeof copy, UM_BENCH_RESULTS_MAX_MEASURES)
               ? UM_OK
               : UM_ERR_MEMORY;
}

void um_bench_results_late(struct um_bench_results *results, uint64_t late_ns)
{
    if (late_ns > results->late_ns)
        results->late_ns = late_ns;
}

static bool lies_in(const struct measure *measure, uint64_t time_ns)
{
    return time_ns >= measure->what.start_ns && time_ns < measure->what.settled_ns;
}

static bool is_measured_key(const struct um_bench_results *results,
                            const struct um_wire_interaction *one)
{
    const struct measure *measures = results->measures.items;
    for (size_t i = 0; i < results->measures.count; i++)
        if (one->kind == UM_INTERACTION_KEY && one->arrival_ns != 0 &&
            lies_in(&measures[i], one->arrival_ns))
            return true;
    return false;
}

/* As um_bench_results_keys, to the end of painting or to handled. */
static size_t take_keys(const struct um_bench_results *results, bool painted, double *out,
                        size_t room)
{
    const struct um_wire_frame *frames = results->interactions.items;
    size_t count = 0;
    for (size_t i = 0; i < results->interactions.count && count < room; i++) {
        const struct um_wire_interaction *one = &frames[i].as.interaction;
        uint64_t end_ns = painted ? one->painted_ns : one->handled_ns;
        if (is_measured_key(results, one) && end_ns > one->arrival_ns)
            out[count++] = (double)(end_ns - one->arrival_ns) / 1e6;
    }
    return count;
}

size_t um_bench_results_keys(struct um_bench_results *results, double *out, size_t room)
{
    um_thread_lock(&results->mutex);
    size_t handled = take_keys(results, false, out, room);
    size_t count = take_keys(results, true, out, room);
    if (count == 0 || 2 * count < handled)
        count = take_keys(results, false, out, room);
    um_thread_unlock(&results->mutex);
    return count;
}

/* JSON ----------------------------------------------------------------------------------------- */

/* Rounds to tenths of a microsecond, which is what the system's counter resolves. */
static double round_ms(double ms)
{
    return round(ms * 1e4) / 1e4;
}

static bool put_number(cJSON *object, const char *name, double value)
{
    return cJSON_AddNumberToObject(object, name, value) != NULL;
}

/* Puts the time between two stamps, or nothing if one of them was not observed. */
static bool put_span(cJSON *object, const char *name, uint64_t begin_ns, uint64_t end_ns)
{
    if (!begin_ns || !end_ns)
        return true;
    double ms =
        end_ns >= begin_ns ? (double)(end_ns - begin_ns) / 1e6 : -(double)(begin_ns - end_ns) / 1e6;
    return put_number(object, name, round_ms(ms));
}

static bool put_text(cJSON *object, const char *name, const char *text)
{
    return !text || !*text || cJSON_AddStringToObject(object, name, text);
}

static bool put_time(cJSON *object, const char *name, int64_t utc_ms)
{
    char text[TIME_BYTES];
    time_t seconds = (time_t)(utc_ms / 1000);
    const struct tm *parts = gmtime(&seconds);
    return !parts || strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", parts) == 0 ||
           put_text(object, name, text);
}

static bool overlaps(const struct measure *measure, const struct um_wire_episode *freeze)
{
    return freeze->start_ns < measure->what.settled_ns && freeze->end_ns > measure->what.start_ns;
}

/* The index of a freeze among those of a measure; -1 if it is not one of them. */
static int freeze_index(const struct um_bench_results *results, const struct measure *measure,
                        uint32_t id)
{
    const struct um_wire_frame *frames = results->freezes.items;
    int index = 0;
    for (size_t i = 0; id && i < results->freezes.count; i++) {
        if (!overlaps(measure, &frames[i].as.episode))
            continue;
        if (frames[i].as.episode.id == id)
            return index;
        index++;
    }
    return -1;
}

static bool put_interaction(const struct um_bench_results *results, const struct measure *measure,
                            const struct um_wire_interaction *one, cJSON *list)
{
    static const char *const kinds[UM_INTERACTION_COUNT] = {"key", "click", "wheel"};
    cJSON *item = cJSON_CreateObject();
    int freeze = freeze_index(results, measure, one->freeze);

    if (!cJSON_AddItemToArray(list, item))
        return false;
    return put_text(item, "kind", kinds[one->kind]) &&
           put_span(item, "arrival_ms", results->start_ns, one->arrival_ns) &&
           put_span(item, "input_delay_ms", one->arrival_ns, one->dequeued_ns) &&
           put_span(item, "processing_ms", one->dequeued_ns, one->handled_ns) &&
           put_span(item, "presentation_ms", one->handled_ns, one->painted_ns) &&
           put_span(item, "total_ms", one->arrival_ns, one->painted_ns) &&
           (freeze < 0 || put_number(item, "freeze", freeze));
}

static bool put_interactions(const struct um_bench_results *results, const struct measure *measure,
                             cJSON *object)
{
    const struct um_wire_frame *frames = results->interactions.items;
    cJSON *list = cJSON_AddArrayToObject(object, "interactions");
    bool whole = list != NULL;
    for (size_t i = 0; whole && i < results->interactions.count; i++) {
        const struct um_wire_interaction *one = &frames[i].as.interaction;
        if (lies_in(measure, came_ns(one)))
            whole = put_interaction(results, measure, one, list);
    }
    return whole;
}

/* Puts the latencies of all beats. A beat that was never seen is there with the time that it waited
 * at least, as in all percentiles. */
static bool put_beats(const struct um_bench_results *results, const struct measure *measure,
                      cJSON *object)
{
    const struct beat *beats = results->beats.items;
    cJSON *list = cJSON_AddArrayToObject(object, "beats_ms");
    bool whole = list != NULL;
    for (size_t i = 0; whole && i < results->beats.count; i++)
        if (lies_in(measure, beats[i].sent_ns))
            whole = cJSON_AddItemToArray(
                list, cJSON_CreateNumber(round_ms((double)beats[i].latency_ns / 1e6)));
    return whole;
}

static bool put_freeze(const struct um_bench_results *results, const struct um_wire_frame *frame,
                       cJSON *list)
{
    const struct um_wire_episode *freeze = &frame->as.episode;
    char message[UM_MESSAGE_NAMES_BYTES];
    cJSON *item = cJSON_CreateObject();

    if (!cJSON_AddItemToArray(list, item))
        return false;
    bool whole = put_span(item, "start_ms", results->start_ns, freeze->start_ns) &&
                 put_number(item, "duration_ms",
                            round_ms((double)um_wire_episode_length_ns(freeze) / 1e6)) &&
                 put_text(item, "state", um_wire_state_name((enum um_state)freeze->state));
    if (!whole || !(frame->flags & UM_WIRE_EPISODE_HAS_MESSAGE))
        return whole;
    um_message_names_get(freeze->message, freeze->message_name, message, sizeof message);
    return put_text(item, "message", message) &&
           put_text(item, "window_class", freeze->window_class);
}

static bool put_freezes(const struct um_bench_results *results, const struct measure *measure,
                        cJSON *object)
{
    const struct um_wire_frame *frames = results->freezes.items;
    cJSON *list = cJSON_AddArrayToObject(object, "freezes");
    bool whole = list != NULL;
    for (size_t i = 0; whole && i < results->freezes.count; i++)
        if (overlaps(measure, &frames[i].as.episode))
            whole = put_freeze(results, &frames[i], list);
    return whole;
}

static bool put_measure(const struct um_bench_results *results, const struct measure *measure,
                        cJSON *list)
{
    cJSON *object = cJSON_CreateObject();
    return cJSON_AddItemToArray(list, object) && put_text(object, "name", measure->name) &&
           put_span(object, "start_ms", results->start_ns, measure->what.start_ns) &&
           put_span(object, "duration_ms", measure->what.start_ns, measure->what.end_ns) &&
           put_number(object, "injected", (double)measure->what.injected) &&
           (measure->what.given_up == 0 ||
            put_number(object, "given_up", (double)measure->what.given_up)) &&
           put_interactions(results, measure, object) && put_beats(results, measure, object) &&
           put_freezes(results, measure, object);
}

static bool put_measures(const struct um_bench_results *results, cJSON *run)
{
    const struct measure *measures = results->measures.items;
    cJSON *list = cJSON_AddArrayToObject(run, "measures");
    bool whole = list != NULL;
    for (size_t i = 0; whole && i < results->measures.count; i++)
        whole = put_measure(results, &measures[i], list);
    return whole;
}

static bool put_notes(const struct um_bench_results *results, cJSON *run)
{
    const struct um_wire_note *notes = results->notes.items;
    cJSON *list = cJSON_AddArrayToObject(run, "notes");
    bool whole = list != NULL;
    for (size_t i = 0; whole && i < results->notes.count; i++) {
        cJSON *item = cJSON_CreateObject();
        whole = cJSON_AddItemToArray(list, item) &&
                put_span(item, "at_ms", results->start_ns, notes[i].time_ns) &&
                put_text(item, "text", notes[i].text);
    }
    return whole;
}

static bool put_startup(const struct um_bench_results *results, cJSON *run)
{
    static const char *const names[UM_BENCH_RESULTS_STARTUPS] = {
        "first_window_ms", "first_paint_ms", "first_ready_ms", "first_idle_ms"};
    cJSON *startup = NULL;
    bool whole = true;
    for (size_t i = 0; whole && i < UM_BENCH_RESULTS_STARTUPS; i++) {
        if (!results->has_startup[i])
            continue;
        if (!startup)
            startup = cJSON_AddObjectToObject(run, "startup");
        whole = startup &&
                put_number(startup, names[i], round_ms((double)results->startup_ns[i] / 1e6));
    }
    return whole;
}

/* The present run as text, which takes a tenth of the memory of its cJSON tree. */
static char *run_text(const struct um_bench_results *results)
{
    cJSON *run = cJSON_CreateObject();
    uint64_t dropped = results->dropped + results->lost;
    char *text = NULL;
    bool whole =
        run && put_number(run, "run", (double)results->runs.count + 1) &&
        put_time(run, "started", results->utc_ms) && put_startup(results, run) &&
        put_number(run, "injector_late_ms", round_ms((double)results->late_ns / 1e6)) &&
        (dropped == 0 || put_number(run, "dropped", (double)dropped)) &&
        (results->key_delay_us == 0 || put_number(run, "key_delay_us", results->key_delay_us)) &&
        put_measures(results, run) && put_notes(results, run);
    if (whole)
        text = cJSON_PrintUnformatted(run);
    cJSON_Delete(run);
    return text;
}

enum um_status um_bench_results_end(struct um_bench_results *results, bool counted)
{
    if (!counted)
        return UM_OK;
    um_thread_lock(&results->mutex);
    char *text = run_text(results);
    um_thread_unlock(&results->mutex);
    if (text && append(&results->runs, &text, sizeof text, SIZE_MAX))
        return UM_OK;
    cJSON_free(text);
    return UM_ERR_MEMORY;
}

enum um_status um_bench_results_take(struct um_bench_results *results, const cJSON *runs)
{
    const cJSON *run;
    cJSON_ArrayForEach(run, runs)
    {
        char *text = cJSON_PrintUnformatted(run);
        if (!text || !append(&results->runs, &text, sizeof text, SIZE_MAX)) {
            cJSON_free(text);
            return UM_ERR_MEMORY;
        }
    }
    return UM_OK;
}

void um_bench_results_drop(struct um_bench_results *results)
{
    if (results->runs.count > 0)
        cJSON_free(((char **)results->runs.items)[--results->runs.count]);
}

uint32_t um_bench_results_runs(const struct um_bench_results *results)
{
    return (uint32_t)results->runs.count;
}

static bool put_header(cJSON *root, const struct um_bench_results_header *header)
{
    char crc[16];

    snprintf(crc, sizeof crc, "%08" PRIx32, header->scenario_crc32);
    if (!put_text(root, "uimon", UM_VERSION) ||
        !put_number(root, "schema", UM_BENCH_RESULTS_SCHEMA) || !put_text(root, "kind", "bench"))
        return false;
    cJSON *object = cJSON_AddObjectToObject(root, "scenario");
    if (!object || !put_text(object, "file", header->scenario_file) ||
        !put_text(object, "name", header->scenario_name) || !put_text(object, "crc32", crc) ||
        !put_time(root, "started", header->utc_ms))
        return false;
    object = cJSON_AddObjectToObject(root, "target");
    if (!object || !put_text(object, "name", header->target) ||
        !put_text(object, "toolkit", header->toolkit))
        return false;
    if (header->toolkit && header->toolkit[0] && !put_text(root, "stage", "window"))
        return false;
    object = cJSON_AddObjectToObject(root, "options");
    if (!object || !put_number(object, "heartbeat_ms", header->heartbeat_ms) ||
        !put_number(object, "rest_heartbeat_ms", header->rest_heartbeat_ms) ||
        !put_number(object, "threshold_ms", header->threshold_ms) ||
        !put_number(object, "slow_ms", header->slow_ms) ||
        !put_text(object, "probe", header->probe) || !put_text(object, "beat", header->beat))
        return false;
    object = cJSON_AddObjectToObject(root, "machine");
    return object && put_text(object, "name", header->machine) &&
           (!header->cpus || put_number(object, "cpus", header->cpus)) &&
           put_text(object, "system", header->system);
}

/* Puts the variables that were set; nothing if none were. */
static bool put_defines(cJSON *root, const struct um_bench_results_header *header)
{
    cJSON *list = header->define_count > 0 ? cJSON_AddArrayToObject(root, "defines") : NULL;
    bool whole = list || header->define_count == 0;
    for (int i = 0; whole && i < header->define_count; i++)
        whole = cJSON_AddItemToArray(list, cJSON_CreateString(header->defines[i]));
    return whole;
}

static bool put_floor(cJSON *root, const cJSON *floor)
{
    cJSON *item = floor ? cJSON_Duplicate(floor, 1) : cJSON_CreateNull();
    return item && cJSON_AddItemToObject(root, "floor", item);
}

static bool put_resume(cJSON *root, const cJSON *resume)
{
    return !resume || cJSON_AddItemToObject(root, "resume", cJSON_Duplicate(resume, 1));
}

static bool put_runs(const struct um_bench_results *results, cJSON *root)
{
    cJSON *list = cJSON_AddArrayToObject(root, "runs");
    bool whole = list != NULL;
    for (size_t i = 0; whole && i < results->runs.count; i++)
        whole = cJSON_AddItemToArray(list, cJSON_CreateRaw(((char **)results->runs.items)[i])) != 0;
    return whole;
}

enum um_status um_bench_results_json(const struct um_bench_results *results,
                                     const struct um_bench_results_header *header, char **out)
{
    cJSON *root = cJSON_CreateObject();
    char *text = NULL;
    if (root && put_header(root, header) && put_defines(root, header) &&
        put_floor(root, header->floor) && put_runs(results, root) &&
        put_number(root, "rehearsals", header->rehearsals) &&
        (header->partial_of == 0 || put_number(root, "partial_of", header->partial_of)) &&
        put_resume(root, header->resume) && put_text(root, "aborted", header->aborted))
        text = cJSON_Print(root);
    cJSON_Delete(root);
    if (!text)
        return UM_ERR_MEMORY;
    *out = text;
    return UM_OK;
}

static bool put_until(cJSON *root, const struct um_bench_results_sitting *sitting)
{
    if (!(sitting->within > 0))
        return cJSON_AddNullToObject(root, "until") != NULL;
    cJSON *until = cJSON_AddObjectToObject(root, "until");
    return until && put_number(until, "within", sitting->within) &&
           put_number(until, "most", sitting->most) && put_number(until, "alpha", sitting->alpha);
}

static bool put_order(cJSON *root, const struct um_bench_results_sitting *sitting)
{
    cJSON *list = cJSON_AddArrayToObject(root, "order");
    bool whole = list != NULL;
    for (uint32_t i = 0; whole && i < sitting->pairs; i++)
        whole = cJSON_AddItemToArray(
            list, cJSON_CreateString(sitting->after_first[i] ? "after" : "before"));
    return whole;
}

enum um_status um_bench_results_pairs_json(const struct um_bench_results_sitting *sitting,
                                           const char *const sides[2], char **out)
{
    cJSON *root = cJSON_CreateObject();
    char *text = NULL;
    if (root && put_text(root, "uimon", UM_VERSION) &&
        put_number(root, "schema", UM_BENCH_RESULTS_SCHEMA_PAIRS) &&
        put_text(root, "kind", "bench") && put_time(root, "started", sitting->utc_ms) &&
        put_order(root, sitting) && put_number(root, "discarded", sitting->discarded) &&
        put_until(root, sitting) && put_resume(root, sitting->resume) &&
        put_text(root, "aborted", sitting->aborted) &&
        cJSON_AddRawToObject(root, "before", sides[0]) &&
        cJSON_AddRawToObject(root, "after", sides[1]))
        text = cJSON_Print(root);
    cJSON_Delete(root);
    if (!text)
        return UM_ERR_MEMORY;
    *out = text;
    return UM_OK;
}
