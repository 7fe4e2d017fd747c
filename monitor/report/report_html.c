#include "monitor/report/report_html.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/plain/clock.h"
#include "base/message_names.h"
#include "base/output.h"
#include "base/pack.h"
#include "base/page.h"
#include "monitor/json/json.h"
#include "monitor/report/report_curves.h"
#include "monitor/report/report_flows.h"
#include "monitor/report/report_profile.h"
#include "monitor/report/report_stacks.h"
#include "monitor/stats/freeze_text.h"

#define TEXT_BYTES 1024
#define BINS_PER_DECADE 10
#define UNKNOWN_KIND 3U /* of an interaction, on the page */
_Static_assert(UM_INTERACTION_COUNT <= UNKNOWN_KIND, "the kinds have two bits");

static int64_t ns_to_us(uint64_t ns)
{
    return (int64_t)(ns / 1000 + (ns % 1000 + 500) / 1000);
}

/* A time since the session's start. It is negative for what had begun before measuring did. */
static int64_t since_start_us(const struct um_recorded *recorded, uint64_t time_ns)
{
    uint64_t start_ns = recorded->session.start_ns;
    return time_ns >= start_ns ? ns_to_us(time_ns - start_ns) : -ns_to_us(start_ns - time_ns);
}

static cJSON *make_ms(int64_t us)
{
    return cJSON_CreateNumber((double)us / 1000.0);
}

/* An entry of a long list, of which only some are kept. */
struct pick {
    uint64_t weight_ns;
    uint32_t index;
};

static int by_weight(const void *left, const void *right)
{
    const struct pick *a = left;
    const struct pick *b = right;
    if (a->weight_ns != b->weight_ns)
        return a->weight_ns < b->weight_ns ? 1 : -1;
    return a->index < b->index ? -1 : a->index > b->index;
}

static int by_index(const void *left, const void *right)
{
    const struct pick *a = left;
    const struct pick *b = right;
    return a->index < b->index ? -1 : a->index > b->index;
}

/* Moves the `limit` greatest to the front, in their old order. Returns how many are kept. */
static size_t keep_greatest(struct pick *picks, size_t count, size_t limit)
{
    if (count <= limit)
        return count;
    qsort(picks, count, sizeof picks[0], by_weight);
    qsort(picks, limit, sizeof picks[0], by_index);
    return limit;
}

static struct pick *make_picks(struct um_json *json, size_t count)
{
    struct pick *picks = calloc(count + 1, sizeof picks[0]);
    json->failed |= !picks;
    return picks;
}

/* The worst lag in the slices from `from` to before `to`, as µs + 1; 0: none was measured. */
static uint64_t worst_between(const struct um_recorded *recorded, uint32_t from, uint32_t to)
{
    uint64_t worst = 0;
    while (from < to) {
        uint32_t part = from / UM_RECORDED_PART_SLICES;
        uint32_t end = (part + 1) * UM_RECORDED_PART_SLICES;
        end = end < to ? end : to;
        for (; recorded->slice_parts_us[part] && from < end; from++) {
            uint32_t us = um_recorded_slice_us(recorded, from);
            if (us != UM_RECORDED_NOT_MEASURED && us + UINT64_C(1) > worst)
                worst = us + UINT64_C(1);
        }
        from = end;
    }
    return worst;
}

static void put_slices(struct um_json *json, cJSON *root, const struct um_recorded *recorded)
{
    uint32_t merged = 1 + recorded->slice_count / (UM_REPORT_HTML_MAX_SLICES + 1);
    uint32_t count = recorded->slice_count;
    struct um_pack packed = {.bytes = NULL};
    for (uint32_t i = 0; i < count; i += merged)
        um_pack_number(&packed,
                       worst_between(recorded, i, count - i < merged ? count : i + merged));
    um_json_put(json, root, "slice_ms", make_ms(ns_to_us(UM_SLICE_NS * merged)));
    um_json_packed(json, root, "slices", &packed);
}

/* Writes for each stretch its state, its start after that of the one before, and its length, both
 * in µs. Slow stretches are left out, because the slices show them. A state that the page has no
 * name for is unknown. */
static void pack_stretches(struct um_pack *packed, const struct um_recorded *recorded,
                           const struct pick *picks, size_t count)
{
    int64_t last_us = 0;
    for (size_t i = 0; i < count; i++) {
        const struct um_recorded_episode *episode = &recorded->episodes[picks[i].index];
        int64_t start_us = since_start_us(recorded, episode->start_ns);
        um_pack_byte(packed, episode->state);
        um_pack_signed(packed, start_us - last_us);
        um_pack_number(packed, (uint64_t)ns_to_us(picks[i].weight_ns));
        last_us = start_us;
    }
}

static void put_stretches(struct um_json *json, cJSON *root, const struct um_recorded *recorded)
{
    struct um_pack packed = {.bytes = NULL};
    struct pick *picks = make_picks(json, recorded->episode_count);
    size_t count = 0;
    for (uint32_t i = 0; picks && i < recorded->episode_count; i++) {
        const struct um_recorded_episode *episode = &recorded->episodes[i];
        bool is_unknown = episode->state >= UM_STATE_COUNT;
        bool is_own = episode->state == UM_STATE_OWN_BEAT;
        if ((episode->state < UM_STATE_SLOW || is_own || is_unknown) &&
            episode->end_ns > episode->start_ns) {
            picks[count].weight_ns = episode->end_ns - episode->start_ns;
            picks[count++].index = i;
        }
    }
    size_t kept = keep_greatest(picks, count, UM_REPORT_HTML_MAX_STRETCHES);
    pack_stretches(&packed, recorded, picks, kept);
    um_json_packed(json, root, "stretches", &packed);
    um_json_number(json, root, "stretches_unlisted", (double)(count - kept));
    free(picks);
}

/* How long the costliest message lasted, what it was, its class, and how it came. */
static void put_costliest(struct um_json *json, cJSON *freeze,
                          const struct um_stats_costliest *costliest)
{
    const char *how = um_stats_costliest_how(costliest);
    char message[UM_MESSAGE_NAMES_BYTES];
    um_message_names_get(costliest->message, costliest->message_name, message, sizeof message);
    um_json_append(json, freeze, make_ms(ns_to_us(costliest->length_ns)));
    um_json_append_text(json, freeze, message);
    um_json_append_text(json, freeze, costliest->window_class);
    um_json_append_text(json, freeze, how ? how : "");
}

/* Which inputs waited: "4 keys", "no" if none did; "" if that is not known. */
static void put_felt(struct um_json *json, cJSON *item, const struct um_stats_freezes *freezes,
                     const struct um_stats_freeze *freeze)
{
    if (!um_stats_knows_felt(freezes, freeze))
        um_json_append_text(json, item, "");
    else if (um_stats_is_felt(freeze))
        um_json_append_text(json, item, um_freeze_text_inputs(freeze).chars);
    else
        um_json_append_text(json, item, "no");
}

/* [start, length, uncertainty, peak, state, still lasting, felt, stack, message, class,
 * costliest...]. The stack is empty if none is kept; message and class are empty if the freeze has
 * no suspect, and left out if nothing follows. What put_costliest adds follows if it says more than
 * the suspect. */
static void put_freeze(struct um_json *json, cJSON *list, const struct um_recorded *recorded,
                       const struct um_stats_freeze *freeze)
{
    const struct um_wire_stack *stack = um_stats_stack_of(recorded->summary.stacks, freeze->id);
    cJSON *item = um_json_append_array(json, list);
    um_json_append(json, item, make_ms(since_start_us(recorded, freeze->start_ns)));
    um_json_append(json, item, make_ms(ns_to_us(freeze->duration_ns)));
    um_json_append(json, item, make_ms(ns_to_us(freeze->uncertainty_ns)));
    um_json_append(json, item, make_ms(ns_to_us(freeze->peak_ns)));
    um_json_append_number(json, item, freeze->state);
    um_json_append(json, item, cJSON_CreateBool(freeze->open));
    put_felt(json, item, recorded->summary.freezes, freeze);
    um_json_append_text(json, item, stack ? um_freeze_text_stack(stack).chars : "");
    if (freeze->has_message) {
        char message[UM_MESSAGE_NAMES_BYTES];
        um_message_names_get(freeze->message, freeze->message_name, message, sizeof message);
        um_json_append_text(json, item, message);
        um_json_append_text(json, item, freeze->window_class);
    }
    if (!um_stats_costliest_says_more(freeze))
        return;
    for (int i = 0; i < 2 && !freeze->has_message; i++)
        um_json_append_text(json, item, "");
    put_costliest(json, item, &freeze->costliest);
}

static void put_freezes(struct um_json *json, cJSON *root, const struct um_recorded *recorded)
{
    const struct um_stats_freezes *freezes = recorded->summary.freezes;
    cJSON *list = um_json_array(json, root, "freezes");
    for (size_t i = 0; freezes && i < freezes->len; i++)
        put_freeze(json, list, recorded, &freezes->list[i]);
    if (freezes)
        um_json_text(json, root, "felt", um_freeze_text_felt(freezes).chars);
}

/* How long an interaction took, as far as that was observed. */
static uint64_t observed_ns(const struct um_wire_interaction *times)
{
    uint64_t sum_ns = 0;
    for (int part = UM_WIRE_PART_INPUT_DELAY; part <= UM_WIRE_PART_PRESENTATION; part++) {
        uint64_t ns = 0;
        (void)um_wire_interaction_part_ns(times, (enum um_wire_part)part, &ns);
        sum_ns += ns;
    }
    return sum_ns;
}

/* Writes a byte of flags (bits 0 and 1: the kind, 3 if it is unknown, 2: a release, 3: in a freeze,
 * 4 to 6: which parts follow, 7: a key follows), the time after the interaction before, and what
 * the flags announce. The time is that of arrival, or of dequeuing if no arrival was observed. */
static void pack_interaction(struct um_pack *packed, const struct um_recorded *recorded,
                             const struct um_recorded_interaction *interaction, int64_t *last_us)
{
    const struct um_wire_interaction *times = &interaction->times;
    uint64_t delay_ns = 0, processing_ns = 0, presentation_ns = 0;
    bool delay = um_wire_interaction_part_ns(times, UM_WIRE_PART_INPUT_DELAY, &delay_ns);
    bool processing = um_wire_interaction_part_ns(times, UM_WIRE_PART_PROCESSING, &processing_ns);
    bool presentation =
        um_wire_interaction_part_ns(times, UM_WIRE_PART_PRESENTATION, &presentation_ns);
    int64_t at_us = since_start_us(recorded, delay ? times->arrival_ns : times->dequeued_ns);
    unsigned flags = times->kind < UM_INTERACTION_COUNT ? times->kind : UNKNOWN_KIND;
    flags |= interaction->release ? 4U : 0;
    flags |= times->freeze != 0 ? 8U : 0;
    flags |= delay ? 16U : 0;
    flags |= processing ? 32U : 0;
    flags |= presentation ? 64U : 0;
    flags |= times->key != 0 ? 128U : 0;
    um_pack_byte(packed, (uint8_t)flags);
    um_pack_signed(packed, at_us - *last_us);
    *last_us = at_us;
    if (delay)
        um_pack_number(packed, (uint64_t)ns_to_us(delay_ns));
    if (processing)
        um_pack_number(packed, (uint64_t)ns_to_us(processing_ns));
    if (presentation)
        um_pack_number(packed, (uint64_t)ns_to_us(presentation_ns));
    if (times->key != 0)
        um_pack_number(packed, times->key);
}

static void put_interactions(struct um_json *json, cJSON *root, const struct um_recorded *recorded)
{
    struct um_pack packed = {.bytes = NULL};
    struct pick *picks = make_picks(json, recorded->interaction_count);
    size_t count = picks ? recorded->interaction_count : 0;
    for (uint32_t i = 0; i < count; i++) {
        picks[i].weight_ns = observed_ns(&recorded->interactions[i].times);
        picks[i].index = i;
    }
    size_t kept = keep_greatest(picks, count, UM_REPORT_HTML_MAX_INTERACTIONS);
    int64_t last_us = 0;
    for (size_t i = 0; i < kept; i++)
        pack_interaction(&packed, recorded, &recorded->interactions[picks[i].index], &last_us);
    um_json_packed(json, root, "interactions", &packed);
    um_json_number(json, root, "interactions_unlisted", (double)(count - kept));
    free(picks);
}

static void put_notes(struct um_json *json, cJSON *root, const struct um_recorded *recorded)
{
    cJSON *list = um_json_array(json, root, "notes");
    uint32_t kept = recorded->note_count < UM_REPORT_HTML_MAX_NOTES ? recorded->note_count
                                                                    : UM_REPORT_HTML_MAX_NOTES;
    for (uint32_t i = 0; i < kept; i++) {
        cJSON *note = um_json_append_array(json, list);
        um_json_append(json, note, make_ms(since_start_us(recorded, recorded->notes[i].time_ns)));
        um_json_append_text(json, note, recorded->notes[i].text);
    }
    um_json_number(json, root, "notes_unlisted", recorded->note_count - kept);
}

/* [when, how long, name, window class, whether it lasted]; when is in ms since the start. */
static void put_message(struct um_json *json, cJSON *list, const struct um_recorded *recorded,
                        const struct um_recorded_message *message)
{
    const struct um_wire_retrieved *retrieved = &message->retrieved;
    char name[UM_MESSAGE_NAMES_BYTES];
    cJSON *item = um_json_append_array(json, list);

    um_message_names_get(retrieved->message, retrieved->message_name, name, sizeof name);
    um_json_append(json, item, make_ms(since_start_us(recorded, retrieved->time_ns)));
    um_json_append(json, item, make_ms(ns_to_us(retrieved->length_ns)));
    um_json_append_text(json, item, name);
    um_json_append_text(json, item, retrieved->window_class);
    um_json_append_number(json, item, message->last);
}

/* The messages of one freeze, from the first one of it on. Returns where those of the next one
 * begin. */
static uint32_t put_messages_of(struct um_json *json, cJSON *all,
                                const struct um_recorded *recorded, uint32_t at)
{
    const struct um_recorded_message *messages = recorded->messages;
    uint32_t freeze = messages[at].retrieved.freeze;
    cJSON *object = um_json_append_object(json, all);

    for (uint32_t i = 0; i < recorded->episode_count; i++)
        if (recorded->episodes[i].id == freeze) {
            um_json_put(json, object, "freeze",
                        make_ms(since_start_us(recorded, recorded->episodes[i].start_ns)));
            break;
        }
    cJSON *list = um_json_array(json, object, "list");
    for (; at < recorded->message_count && messages[at].retrieved.freeze == freeze; at++)
        put_message(json, list, recorded, &messages[at]);
    return at;
}

/* The messages before each of the last long freezes. */
static void put_messages(struct um_json *json, cJSON *root, const struct um_recorded *recorded)
{
    cJSON *all = um_json_array(json, root, "messages");
    uint32_t count = recorded->message_count;
    uint32_t first = count > UM_REPORT_HTML_MAX_MESSAGES ? count - UM_REPORT_HTML_MAX_MESSAGES : 0;

    for (uint32_t at = first; at < count;)
        at = put_messages_of(json, all, recorded, at);
    um_json_number(json, root, "messages_unlisted", first);
}

/* Packs each component in the order of the summary's `layout`: the place of the component around
 * it, -1 if there is none, and its worst layout frame in each stretch, in µs. */
static void pack_components(struct um_pack *packed, const struct um_recorded *recorded)
{
    const struct um_laid_out_component *list[UM_WIRE_LAYOUT_COMPONENTS];
    int16_t places[UM_WIRE_LAYOUT_COMPONENTS]; /* of each id, 1 more; 0: it is not in the list */
    size_t count = um_laid_out_list(recorded->summary.laid_out, list, UM_WIRE_LAYOUT_COMPONENTS);
    memset(places, 0, sizeof places);
    for (size_t i = 0; i < count; i++)
        places[list[i]->cost.id] = (int16_t)(i + 1);
    for (size_t i = 0; i < count; i++) {
        const uint32_t *us = um_worst_frames_of(&recorded->worst_frames, list[i]->cost.id);
        uint32_t parent = list[i]->parent;
        um_pack_signed(packed, parent < UM_WIRE_LAYOUT_COMPONENTS ? places[parent] - 1 : -1);
        for (uint32_t stretch = 0; stretch < recorded->worst_frames.count; stretch++)
            um_pack_number(packed, us ? us[stretch] : 0);
    }
}

/* Packs where each component was that was on a screen: its place in the summary's `layout` and the
 * place of its root in this list, each -1 if it is not there, and its rectangle. */
static void pack_places(struct um_pack *packed, const struct um_laid_out *laid_out)
{
    const struct um_laid_out_component *list[UM_WIRE_LAYOUT_COMPONENTS];
    int16_t rows[UM_WIRE_LAYOUT_COMPONENTS], places[UM_WIRE_LAYOUT_COMPONENTS];
    size_t count = um_laid_out_list(laid_out, list, UM_WIRE_LAYOUT_COMPONENTS);
    uint32_t end = um_laid_out_end(laid_out);
    int16_t placed = 0;
    memset(rows, 0, sizeof rows); /* one more, as in `places` */
    memset(places, 0, sizeof places);
    for (size_t i = 0; i < count; i++)
        rows[list[i]->cost.id] = (int16_t)(i + 1);
    for (uint32_t id = 1; id < end; id++)
        if (um_laid_out_get(laid_out, id)->place.id != 0)
            places[id] = ++placed;
    for (uint32_t id = 1; id < end; id++) {
        const struct um_wire_layout_place *place = &um_laid_out_get(laid_out, id)->place;
        if (place->id == 0)
            continue;
        um_pack_signed(packed, rows[id] - 1);
        um_pack_signed(packed, places[um_laid_out_root(laid_out, id)] - 1);
        um_pack_signed(packed, place->left);
        um_pack_signed(packed, place->top);
        um_pack_number(packed, place->width);
        um_pack_number(packed, place->height);
    }
}

static void put_components(struct um_json *json, cJSON *root, const struct um_recorded *recorded)
{
    struct um_pack packed = {.bytes = NULL}, places = {.bytes = NULL};
    if (!recorded->summary.laid_out || !um_laid_out_sum(recorded->summary.laid_out)->any)
        return;
    pack_components(&packed, recorded);
    um_json_put(json, root, "stretch_ms", make_ms(ns_to_us(recorded->worst_frames.length_ns)));
    um_json_number(json, root, "stretch_count", recorded->worst_frames.count);
    um_json_packed(json, root, "components", &packed);
    pack_places(&places, recorded->summary.laid_out);
    um_json_packed(json, root, "places", &places);
}

static double bin_of(const struct um_histogram *histogram, size_t index)
{
    /* The highest equivalent, as in percentiles: a value of 100 ms is in the bin that begins
     * there. */
    uint64_t ns =
        um_histogram_highest_equivalent(histogram, um_histogram_value_at_index(histogram, index));
    return ns < 1000 ? 0.0 : floor(log10((double)ns / 1000.0) * BINS_PER_DECADE);
}

/* [bin, count] for each bin that is not empty; bin n begins at 10^(n / 10) µs. */
static void put_bins(struct um_json *json, cJSON *item, const struct um_histogram *histogram)
{
    cJSON *list = um_json_array(json, item, "bins");
    double bin = -1.0;
    uint64_t count = 0;
    for (size_t i = 0; i <= histogram->used_len; i++) {
        bool over = i == histogram->used_len;
        if (!over && histogram->counts[i] == 0)
            continue;
        double next = over ? -1.0 : bin_of(histogram, i);
        if (next != bin && count > 0) {
            cJSON *pair = um_json_append_array(json, list);
            um_json_append_number(json, pair, bin);
            um_json_append_number(json, pair, (double)count);
            count = 0;
        }
        bin = next;
        count += over ? 0 : histogram->counts[i];
    }
}

/* A percentile, at most the greatest value; the histogram rounds up and may exceed it. */
static cJSON *make_percentile(const struct um_histogram *histogram, double percentile)
{
    uint64_t ns = um_histogram_value_at_percentile(histogram, percentile);
    uint64_t max_ns = um_histogram_max(histogram);
    return make_ms(ns_to_us(ns < max_ns ? ns : max_ns));
}

/* Adds a distribution, unless nothing was observed. */
static void add_distribution(struct um_json *json, cJSON *list, const char *of, const char *part,
                             const struct um_histogram *histogram)
{
    if (!histogram || um_histogram_count(histogram) == 0)
        return;
    cJSON *item = um_json_append_object(json, list);
    um_json_text(json, item, "of", of);
    um_json_text(json, item, "part", part);
    um_json_number(json, item, "count", (double)um_histogram_count(histogram));
    um_json_put(json, item, "p50", make_percentile(histogram, 50.0));
    um_json_put(json, item, "p75", make_percentile(histogram, 75.0));
    um_json_put(json, item, "p90", make_percentile(histogram, 90.0));
    um_json_put(json, item, "p98", make_percentile(histogram, 98.0));
    um_json_put(json, item, "p99", make_percentile(histogram, 99.0));
    um_json_put(json, item, "p999", make_percentile(histogram, 99.9));
    um_json_put(json, item, "max", make_ms(ns_to_us(um_histogram_max(histogram))));
    put_bins(json, item, histogram);
}

/* The times of an interaction: its three parts, and how long the user waited in all. */
static const struct {
    const char *name;
    enum um_wire_part part;
} parts[] = {
    {"total", UM_WIRE_PART_TOTAL},
    {"handled", UM_WIRE_PART_TO_HANDLED},
    {"delay", UM_WIRE_PART_INPUT_DELAY},
    {"processing", UM_WIRE_PART_PROCESSING},
    {"presentation", UM_WIRE_PART_PRESENTATION},
};

/* Adds the distribution of one part over all interactions of a kind, and returns of how many it is.
 * `histogram` is overwritten. */
static uint64_t add_part(struct um_json *json, cJSON *list, const struct um_recorded *recorded,
                         unsigned kind, size_t part, struct um_histogram *histogram)
{
    um_histogram_reset(histogram);
    for (uint32_t i = 0; i < recorded->interaction_count; i++) {
        const struct um_wire_interaction *times = &recorded->interactions[i].times;
        uint64_t ns = 0;
        if (times->kind == kind && um_wire_interaction_part_ns(times, parts[part].part, &ns))
            um_histogram_record(histogram, ns);
    }
    add_distribution(json, list, um_wire_interaction_name(kind), parts[part].name, histogram);
    return um_histogram_count(histogram);
}

/* Adds all distributions of a kind, and to `waited` the name of the one that stands for how long
 * the user waited. */
static void add_kind(struct um_json *json, cJSON *list, cJSON *waited,
                     const struct um_recorded *recorded, unsigned kind,
                     struct um_histogram *histogram)
{
    uint64_t counts[UM_WIRE_PART_COUNT];
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        counts[parts[i].part] = add_part(json, list, recorded, kind, i, histogram);
    enum um_wire_part part =
        um_wire_waited_part(counts[UM_WIRE_PART_TOTAL], counts[UM_WIRE_PART_TO_HANDLED]);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (parts[i].part == part && counts[part] > 0)
            um_json_text(json, waited, um_wire_interaction_name(kind), parts[i].name);
}

static void add_kinds(struct um_json *json, cJSON *list, cJSON *waited,
                      const struct um_recorded *recorded)
{
    struct um_histogram histogram;
    uint64_t *counts = calloc(UM_HISTOGRAM_LATENCY_COUNTS, sizeof counts[0]);
    if (!counts) {
        json->failed = true;
        return;
    }
    um_histogram_init_latency(&histogram, counts);
    for (unsigned kind = 0; kind < UM_INTERACTION_COUNT; kind++)
        add_kind(json, list, waited, recorded, kind, &histogram);
    free(counts);
}

static void put_distributions(struct um_json *json, cJSON *root, const struct um_recorded *recorded)
{
    cJSON *list = um_json_array(json, root, "distributions");
    cJSON *waited = um_json_object(json, root, "waited");
    add_distribution(json, list, "beat", "total", recorded->summary.latency);
    if (recorded->interaction_count > 0)
        add_kinds(json, list, waited, recorded);
}

static void put_recording(struct um_json *json, cJSON *root, const struct um_recorded *recorded)
{
    static const char *const reasons[] = {[UM_END_STOPPED] = "stopped",
                                          [UM_END_TARGET_GONE] = "target gone",
                                          [UM_END_FAILED] = "failed"};
    um_json_bool(json, root, "whole", recorded->whole);
    if (recorded->whole && recorded->end_reason < sizeof reasons / sizeof reasons[0])
        um_json_put(json, root, "ended", cJSON_CreateString(reasons[recorded->end_reason]));
    um_json_text(json, root, "problem", recorded->problem);
    um_json_text(json, root, "recorded_by", recorded->recording.version);
    um_json_text(json, root, "options", recorded->recording.options);
    um_json_text(json, root, "caption", recorded->session.caption);
    um_json_put(json, root, "slow_ms", make_ms(recorded->session.slow_us));
    um_json_number(json, root, "started_utc_ms", (double)recorded->session.utc_ms);
    um_json_number(json, root, "unlisted", recorded->unlisted);
}

/* Puts the summary as `report --json` writes it, but without its lists of freezes and of other
 * times: put_freezes and put_stretches write them in a shorter form. */
static void put_summary(struct um_json *json, cJSON *root, const struct um_recorded *recorded)
{
    cJSON *summary = um_summary_object(&recorded->summary);
    cJSON_DeleteItemFromObject(summary, "freeze_list");
    cJSON_DeleteItemFromObject(summary, "unmeasured_list");
    um_json_put(json, root, "summary", summary);
}

/* When the page was made, and how long it takes until the next one. The last one has none. */
static void put_follow(struct um_json *json, cJSON *root, uint64_t next_ms)
{
    if (next_ms == 0)
        return;
    cJSON *object = um_json_object(json, root, "follow");
    um_json_number(json, object, "made_utc_ms", (double)um_clock_utc_ms());
    um_json_number(json, object, "next_ms", (double)next_ms);
}

/* Makes the JSON. Owner: cJSON_free. NULL without memory. */
static char *make_data(const struct um_recorded *recorded, const struct um_markers *markers,
                       const struct um_options *options, uint64_t next_ms)
{
    struct um_json json = {.failed = false};
    cJSON *root = cJSON_CreateObject();
    put_recording(&json, root, recorded);
    put_follow(&json, root, next_ms);
    put_summary(&json, root, recorded);
    put_slices(&json, root, recorded);
    put_stretches(&json, root, recorded);
    put_freezes(&json, root, recorded);
    put_interactions(&json, root, recorded);
    put_notes(&json, root, recorded);
    put_messages(&json, root, recorded);
    put_components(&json, root, recorded);
    put_distributions(&json, root, recorded);
    json.failed |= um_report_curves_put(root, recorded) != UM_OK;
    json.failed |= um_report_flows_put(root, markers) != UM_OK;
    json.failed |= um_report_stacks_put(root, recorded, options) != UM_OK;
    return um_json_print(&json, root, false);
}

/* What the text of a page is about. */
struct shown {
    const struct um_recorded *recorded;
    const struct um_options *options;
    bool goes_on; /* so that the recording is not whole yet */
};

static enum um_status write_text(FILE *out, const void *context)
{
    const struct shown *shown = context;
    enum um_status status = um_summary_text_write(out, &shown->recorded->summary);
    if (status == UM_OK)
        status = um_report_profile_text(out, shown->recorded, shown->options);
    if (shown->recorded->problem[0] != '\0' && !shown->goes_on) {
        (void)fputc('\n', out);
        um_output_text(out, shown->recorded->problem);
        (void)fputc('\n', out);
    }
    return status;
}

enum um_status um_report_html_write(FILE *file, const struct um_recorded *recorded,
                                    const struct um_markers *markers,
                                    const struct um_options *options, uint64_t next_ms)
{
    char *data = make_data(recorded, markers, options, next_ms);
    if (!data)
        return UM_ERR_MEMORY;
    struct shown shown = {.recorded = recorded, .options = options, .goes_on = next_ms != 0};
    enum um_status status = um_page_write(file, um_report_page, data, write_text, &shown);
    cJSON_free(data);
    return status;
}
