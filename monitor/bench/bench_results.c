#include "monitor/bench/bench_results.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain/clock.h"
#include "base/thread.h"
#include "ipc/wire.h"
#include "base/list.h"
#include "base/message_names.h"
#include "monitor/compare/results.h"
#include "monitor/json/json.h"

struct beat {
    uint64_t sent_ns;
    uint64_t latency_ns;
};

struct list {
    void *items;
    size_t count;
    size_t cap;
};

/* What the layout of the target's windows has cost, by the latest LAYOUT_TIMES. The own times of
 * all components are the whole time, since each step is the own one of one component. */
struct layout {
    uint64_t frames; /* layout frames */
    uint64_t lost;   /* layout frames more, which have no numbers */
    uint64_t own_ns[UM_WIRE_LAYOUT_COMPONENTS];
};

struct um_bench_results {
    bool has_layout;
    struct um_thread_mutex mutex; /* guards the lists that the output fills */
    struct list interactions;     /* struct um_wire_frame */
    struct list beats;
    struct list freezes; /* struct um_wire_frame */
    struct list notes;   /* struct um_wire_note */
    struct layout layout;
    uint64_t dropped;   /* frames that found no room in these lists */
    uint64_t lost;      /* frames that the session lost on their way here */
    uint64_t period_ns; /* from beat to beat */
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

enum um_status um_bench_results_open(bool layout, struct um_bench_results **results)
{
    *results = calloc(1, sizeof **results);
    if (!*results)
        return UM_ERR_MEMORY;
    (*results)->has_layout = layout;
    return UM_OK;
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

/* While the target rested, fewer beats were sent. Fills in those left out, a period apart, with the
 * latency of the last beat before them. */
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

static void keep_layout(struct layout *layout, const struct um_wire_layout_times *times)
{
    layout->frames = times->frames;
    layout->lost = times->lost;
    for (size_t i = 0; i < times->count; i++)
        layout->own_ns[times->list[i].id % UM_WIRE_LAYOUT_COMPONENTS] =
            times->list[i].own_layout_ns;
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
    case UM_WIRE_LAYOUT_TIMES:
        keep_layout(&results->layout, &frame->as.layout_times);
        return true;
    case UM_WIRE_TOTALS:
        /* The session's total includes what was dropped here (see `lost` below). */
        results->lost = frame->as.totals.dropped > results->dropped
                            ? frame->as.totals.dropped - results->dropped
                            : 0;
        return true;
    default:
        return true;
    }
}

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
    /* The list is not in order: a painted interaction may come after a later, unpainted one. */
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
    memset(&results->layout, 0, sizeof results->layout);
    results->dropped = 0;
    results->lost = 0;
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
    if (results->measures.count == UM_BENCH_RESULTS_MAX_MEASURES)
        return UM_ERR_TOO_LARGE;
    return append(&results->measures, measure, sizeof *measure, UM_BENCH_RESULTS_MAX_MEASURES)
               ? UM_OK
               : UM_ERR_MEMORY;
}

void um_bench_results_late(struct um_bench_results *results, uint64_t late_ns)
{
    if (late_ns > results->late_ns)
        results->late_ns = late_ns;
}

static bool lies_in(const struct um_bench_results_measure *measure, uint64_t time_ns)
{
    return time_ns >= measure->start_ns && time_ns < measure->settled_ns;
}

/* JSON ----------------------------------------------------------------------------------------- */

/* To tenths of a microsecond, which is what the system's counter resolves. */
#define MS_DECIMALS 4

static void put_ms(struct um_json *json, cJSON *object, const char *name, uint64_t ns)
{
    um_json_decimals(json, object, name, (double)ns / 1e6, MS_DECIMALS);
}

/* Puts the time between two stamps, or nothing if one of them was not observed. */
static void put_span(struct um_json *json, cJSON *object, const char *name, uint64_t begin_ns,
                     uint64_t end_ns)
{
    double ms =
        end_ns >= begin_ns ? (double)(end_ns - begin_ns) / 1e6 : -(double)(begin_ns - end_ns) / 1e6;
    if (begin_ns && end_ns)
        um_json_decimals(json, object, name, ms, MS_DECIMALS);
}

static bool overlaps(const struct um_bench_results_measure *measure,
                     const struct um_wire_episode *freeze)
{
    return freeze->start_ns < measure->settled_ns && freeze->end_ns > measure->start_ns;
}

/* The index of a freeze among those of a measure; -1 if it is not one of them. */
static int freeze_index(const struct um_bench_results *results,
                        const struct um_bench_results_measure *measure, uint32_t id)
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

static void put_interaction(struct um_json *json, const struct um_bench_results *results,
                            const struct um_bench_results_measure *measure,
                            const struct um_wire_interaction *one, cJSON *list)
{
    cJSON *item = um_json_append_object(json, list);
    int freeze = freeze_index(results, measure, one->freeze);

    um_json_text(json, item, "kind", um_wire_interaction_name((enum um_interaction)one->kind));
    put_span(json, item, "arrival_ms", results->start_ns, one->arrival_ns);
    put_span(json, item, "input_delay_ms", one->arrival_ns, one->dequeued_ns);
    put_span(json, item, "processing_ms", one->dequeued_ns, one->handled_ns);
    put_span(json, item, "presentation_ms", one->handled_ns, one->painted_ns);
    put_span(json, item, "total_ms", one->arrival_ns, one->painted_ns);
    if (freeze >= 0)
        um_json_number(json, item, "freeze", freeze);
}

static void put_interactions(struct um_json *json, const struct um_bench_results *results,
                             const struct um_bench_results_measure *measure, cJSON *object)
{
    const struct um_wire_frame *frames = results->interactions.items;
    cJSON *list = um_json_array(json, object, "interactions");
    for (size_t i = 0; i < results->interactions.count && !json->failed; i++)
        if (lies_in(measure, came_ns(&frames[i].as.interaction)))
            put_interaction(json, results, measure, &frames[i].as.interaction, list);
}

/* Puts the latencies of all beats. A beat that was never answered has the time that it waited at
 * least, as in all percentiles. */
static void put_beats(struct um_json *json, const struct um_bench_results *results,
                      const struct um_bench_results_measure *measure, cJSON *object)
{
    const struct beat *beats = results->beats.items;
    cJSON *list = um_json_array(json, object, "beats_ms");
    for (size_t i = 0; i < results->beats.count && !json->failed; i++)
        if (lies_in(measure, beats[i].sent_ns))
            um_json_append_number(json, list, round((double)beats[i].latency_ns / 1e2) / 1e4);
}

/* Whether the freeze may have held up an input whose arrival was not observed. One that arrived
 * just after its end is none: uimon's own come when it sends them. */
static bool is_unsure(const struct um_wire_interaction *one, const struct um_wire_episode *freeze)
{
    return one->arrival_ns == 0 &&
           um_wire_interaction_may_be_held_up(one, freeze->start_ns, freeze->end_ns);
}

/* How many inputs of the user, and of uimon, the freeze has held up. That is not known of one that
 * lasted until the end, nor where it is not observed when inputs arrive. */
static void put_held_up(struct um_json *json, const struct um_bench_results *results,
                        const struct um_wire_frame *frame, cJSON *item)
{
    const struct um_wire_episode *freeze = &frame->as.episode;
    const struct um_wire_frame *frames = results->interactions.items;
    uint32_t held_up[UM_INTERACTION_COUNT] = {0};
    bool observes = false, is_felt = false, unsure = false;
    for (size_t i = 0; i < results->interactions.count; i++) {
        const struct um_wire_interaction *one = &frames[i].as.interaction;
        observes = observes || one->arrival_ns != 0;
        unsure = unsure || is_unsure(one, freeze);
        if (one->kind >= UM_INTERACTION_COUNT ||
            !um_wire_interaction_is_held_up(one, freeze->start_ns, freeze->end_ns))
            continue;
        held_up[one->kind]++;
        is_felt = true;
    }
    if (!observes || (unsure && !is_felt) || (frame->flags & UM_WIRE_EPISODE_OPEN))
        return;
    cJSON *object = um_json_object(json, item, "held_up");
    for (int i = 0; i < UM_INTERACTION_COUNT; i++)
        um_json_number(json, object, um_wire_interactions_name((enum um_interaction)i), held_up[i]);
}

static void put_freeze(struct um_json *json, const struct um_bench_results *results,
                       const struct um_wire_frame *frame, cJSON *list)
{
    const struct um_wire_episode *freeze = &frame->as.episode;
    char message[UM_MESSAGE_NAMES_BYTES];
    cJSON *item = um_json_append_object(json, list);

    put_span(json, item, "start_ms", results->start_ns, freeze->start_ns);
    put_ms(json, item, "duration_ms", um_wire_episode_length_ns(freeze));
    um_json_text(json, item, "state", um_wire_state_name((enum um_state)freeze->state));
    put_held_up(json, results, frame, item);
    if (!(frame->flags & UM_WIRE_EPISODE_HAS_MESSAGE))
        return;
    um_message_names_get(freeze->message, freeze->message_name, message, sizeof message);
    um_json_text(json, item, "message", message);
    um_json_text(json, item, "window_class", freeze->window_class);
}

static void put_freezes(struct um_json *json, const struct um_bench_results *results,
                        const struct um_bench_results_measure *measure, cJSON *object)
{
    const struct um_wire_frame *frames = results->freezes.items;
    cJSON *list = um_json_array(json, object, "freezes");
    for (size_t i = 0; i < results->freezes.count && !json->failed; i++)
        if (overlaps(measure, &frames[i].as.episode))
            put_freeze(json, results, &frames[i], list);
}

/* How many inputs of a measure were sent, and how many of those were not seen until the end of the
 * run. Each kind is counted separately, so that a click of the user stands for no key of uimon. */
static void count_inputs(const struct um_bench_results *results,
                         const struct um_bench_results_measure *measure, uint64_t *injected,
                         uint64_t *given_up)
{
    const struct um_wire_frame *frames = results->interactions.items;
    uint64_t seen[UM_INTERACTION_COUNT] = {0};

    for (size_t i = 0; i < results->interactions.count; i++) {
        const struct um_wire_interaction *one = &frames[i].as.interaction;
        if (one->kind < UM_INTERACTION_COUNT && lies_in(measure, came_ns(one)))
            seen[one->kind]++;
    }
    *injected = *given_up = 0;
    for (int kind = 0; kind < UM_INTERACTION_COUNT; kind++) {
        *injected += measure->injected[kind];
        if (measure->injected[kind] > seen[kind])
            *given_up += measure->injected[kind] - seen[kind];
    }
}

static void put_measures(struct um_json *json, const struct um_bench_results *results, cJSON *run)
{
    const struct um_bench_results_measure *measures = results->measures.items;
    cJSON *list = um_json_array(json, run, "measures");
    for (size_t i = 0; i < results->measures.count && !json->failed; i++) {
        const struct um_bench_results_measure *measure = &measures[i];
        uint64_t injected, given_up;
        cJSON *object = um_json_append_object(json, list);
        um_json_text(json, object, "name", measure->name);
        put_span(json, object, "start_ms", results->start_ns, measure->start_ns);
        put_span(json, object, "duration_ms", measure->start_ns, measure->end_ns);
        count_inputs(results, measure, &injected, &given_up);
        um_json_number(json, object, "injected", (double)injected);
        if (given_up != 0)
            um_json_number(json, object, "given_up", (double)given_up);
        if (measure->compares_typed && results->dropped + results->lost == 0) {
            um_json_number(json, object, "typed_units", (double)measure->typed);
            um_json_number(json, object, "taken_units", (double)measure->taken);
        }
        put_interactions(json, results, measure, object);
        put_beats(json, results, measure, object);
        put_freezes(json, results, measure, object);
    }
}

static void put_notes(struct um_json *json, const struct um_bench_results *results, cJSON *run)
{
    const struct um_wire_note *notes = results->notes.items;
    cJSON *list = um_json_array(json, run, "notes");
    for (size_t i = 0; i < results->notes.count && !json->failed; i++) {
        cJSON *item = um_json_append_object(json, list);
        put_span(json, item, "at_ms", results->start_ns, notes[i].time_ns);
        um_json_text(json, item, "text", notes[i].text);
    }
}

static void put_startup(struct um_json *json, const struct um_bench_results *results, cJSON *run)
{
    static const char *const names[UM_BENCH_RESULTS_STARTUPS] = {
        "first_window_ms", "first_paint_ms", "first_ready_ms", "first_idle_ms"};
    cJSON *startup = NULL;
    for (size_t i = 0; i < UM_BENCH_RESULTS_STARTUPS; i++) {
        if (!results->has_startup[i])
            continue;
        if (!startup)
            startup = um_json_object(json, run, "startup");
        put_ms(json, startup, names[i], results->startup_ns[i]);
    }
}

/* Without a layout frame there is no time of one. */
static void put_layout(struct um_json *json, const struct um_bench_results *results, cJSON *run)
{
    const struct layout *layout = &results->layout;
    double sum_ms = 0;
    if (!results->has_layout)
        return;
    for (size_t i = 0; i < UM_WIRE_LAYOUT_COMPONENTS; i++)
        sum_ms += (double)layout->own_ns[i] / 1e6;
    cJSON *object = um_json_object(json, run, "layout");
    um_json_u64(json, object, "frames", layout->frames);
    um_json_u64(json, object, "lost", layout->lost);
    um_json_decimals(json, object, "layout_ms", sum_ms, MS_DECIMALS);
    if (layout->frames > 0)
        um_json_decimals(json, object, "frame_ms", sum_ms / (double)layout->frames, MS_DECIMALS);
}

/* The present run as text, which takes a tenth of the memory of a cJSON tree. */
static char *run_text(const struct um_bench_results *results)
{
    struct um_json json = {.failed = false};
    cJSON *run = cJSON_CreateObject();
    uint64_t dropped = results->dropped + results->lost;
    um_json_number(&json, run, "run", (double)results->runs.count + 1);
    um_json_utc(&json, run, "started", results->utc_ms);
    put_startup(&json, results, run);
    put_ms(&json, run, "injector_late_ms", results->late_ns);
    if (dropped > 0)
        um_json_number(&json, run, "dropped", (double)dropped);
    put_measures(&json, results, run);
    put_layout(&json, results, run);
    put_notes(&json, results, run);
    return um_json_print(&json, run, false);
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

static void put_header(struct um_json *json, cJSON *root,
                       const struct um_bench_results_header *header)
{
    char crc[16];

    snprintf(crc, sizeof crc, "%08" PRIx32, header->scenario_crc32);
    um_json_text(json, root, "uimon", UM_VERSION);
    um_json_number(json, root, "schema", UM_RESULTS_SCHEMA);
    um_json_text(json, root, "kind", "bench");
    cJSON *scenario = um_json_object(json, root, "scenario");
    um_json_text(json, scenario, "file", header->scenario_file);
    um_json_text(json, scenario, "name", header->scenario_name);
    um_json_text(json, scenario, "crc32", crc);
    um_json_utc(json, root, "started", header->utc_ms);
    cJSON *target = um_json_object(json, root, "target");
    um_json_text(json, target, "name", header->target);
    um_json_text(json, target, "toolkit", header->toolkit);
    if (header->toolkit && header->toolkit[0])
        um_json_text(json, root, "stage", "window");
    cJSON *options = um_json_object(json, root, "options");
    um_json_number(json, options, "heartbeat_ms", header->options->heartbeat_ms);
    um_json_number(json, options, "rest_heartbeat_ms", um_options_rest_ms(header->options));
    um_json_number(json, options, "threshold_ms", header->options->threshold_ms);
    um_json_number(json, options, "slow_ms", header->options->slow_ms);
    um_json_text(json, options, "probe", header->probe);
    um_json_text(json, options, "beat", header->beat);
    um_json_bool(json, options, "layout", header->options->layout != UM_WIRE_LAYOUT_MODE_OFF);
    cJSON *machine = um_json_object(json, root, "machine");
    um_json_text(json, machine, "name", header->machine.name);
    if (header->machine.cpus)
        um_json_number(json, machine, "cpus", header->machine.cpus);
    um_json_text(json, machine, "system", header->machine.system);
}

/* Puts the variables that were set; nothing if none were. */
static void put_defines(struct um_json *json, cJSON *root,
                        const struct um_bench_results_header *header)
{
    if (header->define_count == 0)
        return;
    cJSON *list = um_json_array(json, root, "defines");
    for (int i = 0; i < header->define_count; i++)
        um_json_append_text(json, list, header->defines[i]);
}

static void put_resume(struct um_json *json, cJSON *root, const cJSON *resume)
{
    if (resume)
        um_json_put(json, root, "resume", cJSON_Duplicate(resume, 1));
}

enum um_status um_bench_results_json(const struct um_bench_results *results,
                                     const struct um_bench_results_header *header, char **out)
{
    struct um_json json = {.failed = false};
    cJSON *root = cJSON_CreateObject();
    put_header(&json, root, header);
    put_defines(&json, root, header);
    um_json_put(&json, root, "floor",
                header->floor ? cJSON_Duplicate(header->floor, 1) : cJSON_CreateNull());
    cJSON *runs = um_json_array(&json, root, "runs");
    for (size_t i = 0; i < results->runs.count; i++)
        um_json_append(&json, runs, cJSON_CreateRaw(((char **)results->runs.items)[i]));
    um_json_number(&json, root, "rehearsals", header->options->rehearsals);
    if (header->partial_of > 0)
        um_json_number(&json, root, "partial_of", header->partial_of);
    put_resume(&json, root, header->resume);
    um_json_text(&json, root, "aborted", header->aborted);
    *out = um_json_print(&json, root, true);
    return *out ? UM_OK : UM_ERR_MEMORY;
}

static void put_until(struct um_json *json, cJSON *root,
                      const struct um_bench_results_sitting *sitting)
{
    if (!(sitting->within > 0)) {
        um_json_put(json, root, "until", cJSON_CreateNull());
        return;
    }
    cJSON *until = um_json_object(json, root, "until");
    um_json_number(json, until, "within", sitting->within);
    um_json_number(json, until, "most", sitting->most);
    um_json_number(json, until, "alpha", sitting->alpha);
}

enum um_status um_bench_results_pairs_json(const struct um_bench_results_sitting *sitting,
                                           const char *const sides[2], char **out)
{
    struct um_json json = {.failed = false};
    cJSON *root = cJSON_CreateObject();
    um_json_text(&json, root, "uimon", UM_VERSION);
    um_json_number(&json, root, "schema", UM_RESULTS_SCHEMA_PAIRS);
    um_json_text(&json, root, "kind", "bench");
    um_json_utc(&json, root, "started", sitting->utc_ms);
    cJSON *order = um_json_array(&json, root, "order");
    for (uint32_t i = 0; i < sitting->sat->pairs; i++)
        um_json_append_text(&json, order, sitting->sat->after_first[i] ? "after" : "before");
    um_json_number(&json, root, "discarded", sitting->sat->discarded);
    put_until(&json, root, sitting);
    put_resume(&json, root, sitting->resume);
    um_json_text(&json, root, "aborted", sitting->aborted);
    um_json_put(&json, root, "before", cJSON_CreateRaw(sides[0]));
    um_json_put(&json, root, "after", cJSON_CreateRaw(sides[1]));
    *out = um_json_print(&json, root, true);
    return *out ? UM_OK : UM_ERR_MEMORY;
}
