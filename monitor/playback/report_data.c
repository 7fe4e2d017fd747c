#include "monitor/playback/report_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "ipc/clock.h"
#include "monitor/base/message_names.h"
#include "monitor/base/pack.h"
#include "monitor/base/utf8.h"
#include "monitor/playback/report_stacks.h"

#define TEXT_BYTES 1024
#define BINS_PER_DECADE 10

/* Where the functions below say that memory ran out; um_report_data_make looks at the end. */
struct json {
    bool failed;
};

static void put(struct json *json, cJSON *object, const char *name, cJSON *item)
{
    if (!cJSON_AddItemToObject(object, name, item)) {
        cJSON_Delete(item);
        json->failed = true;
    }
}

static void append(struct json *json, cJSON *array, cJSON *item)
{
    if (!cJSON_AddItemToArray(array, item)) {
        cJSON_Delete(item);
        json->failed = true;
    }
}

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

/* A text; bytes that are not UTF-8 are replaced, because JSON may not have them. */
static cJSON *make_text(const char *text)
{
    char mended[TEXT_BYTES];
    if (!um_utf8_valid(text, strlen(text))) {
        (void)um_utf8_fit(text, SIZE_MAX, mended, sizeof mended);
        text = mended;
    }
    return cJSON_CreateString(text);
}

static void put_text(struct json *json, cJSON *object, const char *name, const char *text)
{
    if (text[0] != '\0')
        put(json, object, name, make_text(text));
}

/* Puts the list and frees it. */
static void put_packed(struct json *json, cJSON *object, const char *name, struct um_pack *packed)
{
    char *text = um_pack_base64(packed);
    put(json, object, name, text ? cJSON_CreateString(text) : NULL);
    free(text);
    um_pack_deinit(packed);
}

/* From here on: choosing what to keep of a long list. */

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

static struct pick *make_picks(struct json *json, size_t count)
{
    struct pick *picks = calloc(count + 1, sizeof picks[0]);
    json->failed |= !picks;
    return picks;
}

/* From here on: the parts of the data. */

/* The worst lag from a slice to before another, as µs + 1; 0 means that none was measured. */
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

static void put_slices(struct json *json, cJSON *root, const struct um_recorded *recorded)
{
    uint32_t merged = 1 + recorded->slice_count / (UM_REPORT_DATA_MAX_SLICES + 1);
    uint32_t count = recorded->slice_count;
    struct um_pack packed = {.bytes = NULL};
    for (uint32_t i = 0; i < count; i += merged)
        um_pack_number(&packed,
                       worst_between(recorded, i, count - i < merged ? count : i + merged));
    put(json, root, "slice_ms", make_ms(ns_to_us(UM_SLICE_NS * merged)));
    put_packed(json, root, "slices", &packed);
}

/* Writes for each stretch its state, its start after that of the one before, and its length, both
 * in µs. Slow stretches are left out, because the slices show them. */
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

static void put_stretches(struct json *json, cJSON *root, const struct um_recorded *recorded)
{
    struct um_pack packed = {.bytes = NULL};
    struct pick *picks = make_picks(json, recorded->episode_count);
    size_t count = 0;
    for (uint32_t i = 0; picks && i < recorded->episode_count; i++) {
        const struct um_recorded_episode *episode = &recorded->episodes[i];
        if (episode->state < UM_STATE_SLOW && episode->end_ns > episode->start_ns) {
            picks[count].weight_ns = episode->end_ns - episode->start_ns;
            picks[count++].index = i;
        }
    }
    size_t kept = keep_greatest(picks, count, UM_REPORT_DATA_MAX_STRETCHES);
    pack_stretches(&packed, recorded, picks, kept);
    put_packed(json, root, "stretches", &packed);
    put(json, root, "stretches_unlisted", cJSON_CreateNumber((double)(count - kept)));
    free(picks);
}

/* [start, length, uncertainty, peak, state, still lasting, message, class]; the last two only if
 * the freeze has a suspect. */
static cJSON *make_freeze(struct json *json, const struct um_recorded *recorded,
                          const struct um_stats_freeze *freeze)
{
    cJSON *item = cJSON_CreateArray();
    append(json, item, make_ms(since_start_us(recorded, freeze->start_ns)));
    append(json, item, make_ms(ns_to_us(freeze->duration_ns)));
    append(json, item, make_ms(ns_to_us(freeze->uncertainty_ns)));
    append(json, item, make_ms(ns_to_us(freeze->peak_ns)));
    append(json, item, cJSON_CreateNumber(freeze->state));
    append(json, item, cJSON_CreateBool(freeze->open));
    if (freeze->has_message) {
        char message[UM_MESSAGE_NAMES_BYTES];
        um_message_names_get(freeze->message, freeze->message_name, message, sizeof message);
        append(json, item, make_text(message));
        append(json, item, make_text(freeze->window_class));
    }
    return item;
}

static void put_freezes(struct json *json, cJSON *root, const struct um_recorded *recorded)
{
    const struct um_stats_freezes *freezes = recorded->summary.freezes;
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; freezes && i < freezes->len; i++)
        append(json, list, make_freeze(json, recorded, &freezes->list[i]));
    put(json, root, "freezes", list);
}

/* How long an interaction took, as far as it was observed. */
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

/* Writes a byte of flags (bits 0 and 1: the kind, 2: a release, 3: in a freeze, 4 to 6: which parts
 * follow, 7: a key follows), the time after the interaction before, and what the flags announce.
 * The time is that of arrival, or of dequeuing if no arrival was observed. */
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
    unsigned flags = (unsigned)times->kind & 3U;
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

static void put_interactions(struct json *json, cJSON *root, const struct um_recorded *recorded)
{
    struct um_pack packed = {.bytes = NULL};
    struct pick *picks = make_picks(json, recorded->interaction_count);
    size_t count = picks ? recorded->interaction_count : 0;
    for (uint32_t i = 0; i < count; i++) {
        picks[i].weight_ns = observed_ns(&recorded->interactions[i].times);
        picks[i].index = i;
    }
    size_t kept = keep_greatest(picks, count, UM_REPORT_DATA_MAX_INTERACTIONS);
    int64_t last_us = 0;
    for (size_t i = 0; i < kept; i++)
        pack_interaction(&packed, recorded, &recorded->interactions[picks[i].index], &last_us);
    put_packed(json, root, "interactions", &packed);
    put(json, root, "interactions_unlisted", cJSON_CreateNumber((double)(count - kept)));
    free(picks);
}

static void put_notes(struct json *json, cJSON *root, const struct um_recorded *recorded)
{
    cJSON *list = cJSON_CreateArray();
    uint32_t kept = recorded->note_count < UM_REPORT_DATA_MAX_NOTES ? recorded->note_count
                                                                    : UM_REPORT_DATA_MAX_NOTES;
    for (uint32_t i = 0; i < kept; i++) {
        cJSON *note = cJSON_CreateArray();
        append(json, note, make_ms(since_start_us(recorded, recorded->notes[i].time_ns)));
        append(json, note, make_text(recorded->notes[i].text));
        append(json, list, note);
    }
    put(json, root, "notes", list);
    put(json, root, "notes_unlisted", cJSON_CreateNumber(recorded->note_count - kept));
}

/* [when, how long, name, window class, whether it lasted]; when is in ms since the start. */
static cJSON *make_message(struct json *json, const struct um_recorded *recorded,
                           const struct um_recorded_message *message)
{
    const struct um_wire_retrieved *told = &message->told;
    char name[UM_MESSAGE_NAMES_BYTES];
    cJSON *item = cJSON_CreateArray();

    um_message_names_get(told->message, told->message_name, name, sizeof name);
    append(json, item, make_ms(since_start_us(recorded, told->time_ns)));
    append(json, item, make_ms(ns_to_us(told->length_ns)));
    append(json, item, make_text(name));
    append(json, item, make_text(told->window_class));
    append(json, item, cJSON_CreateNumber(message->last));
    return item;
}

/* The messages of one freeze, from the first one of it on; `*at` is moved past them. */
static cJSON *make_messages(struct json *json, const struct um_recorded *recorded, uint32_t *at)
{
    const struct um_recorded_message *messages = recorded->messages;
    uint32_t freeze = messages[*at].told.freeze;
    cJSON *object = cJSON_CreateObject();
    cJSON *list = cJSON_CreateArray();

    for (uint32_t i = 0; i < recorded->episode_count; i++)
        if (recorded->episodes[i].id == freeze) {
            put(json, object, "freeze",
                make_ms(since_start_us(recorded, recorded->episodes[i].start_ns)));
            break;
        }
    for (; *at < recorded->message_count && messages[*at].told.freeze == freeze; ++*at)
        append(json, list, make_message(json, recorded, &messages[*at]));
    put(json, object, "list", list);
    return object;
}

/* The messages before each of the last long freezes. */
static void put_messages(struct json *json, cJSON *root, const struct um_recorded *recorded)
{
    cJSON *all = cJSON_CreateArray();
    uint32_t count = recorded->message_count;
    uint32_t first = count > UM_REPORT_DATA_MAX_MESSAGES ? count - UM_REPORT_DATA_MAX_MESSAGES : 0;

    for (uint32_t at = first; at < count;)
        append(json, all, make_messages(json, recorded, &at));
    put(json, root, "messages", all);
    put(json, root, "messages_unlisted", cJSON_CreateNumber(first));
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
static cJSON *make_bins(struct json *json, const struct um_histogram *histogram)
{
    cJSON *list = cJSON_CreateArray();
    double bin = -1.0;
    uint64_t count = 0;
    for (size_t i = 0; i <= histogram->used_len; i++) {
        bool over = i == histogram->used_len;
        if (!over && histogram->counts[i] == 0)
            continue;
        double next = over ? -1.0 : bin_of(histogram, i);
        if (next != bin && count > 0) {
            cJSON *pair = cJSON_CreateArray();
            append(json, pair, cJSON_CreateNumber(bin));
            append(json, pair, cJSON_CreateNumber((double)count));
            append(json, list, pair);
            count = 0;
        }
        bin = next;
        count += over ? 0 : histogram->counts[i];
    }
    return list;
}

/* A percentile, at most the greatest value; the histogram rounds up and may exceed it. */
static cJSON *make_percentile(const struct um_histogram *histogram, double percentile)
{
    uint64_t ns = um_histogram_value_at_percentile(histogram, percentile);
    uint64_t max_ns = um_histogram_max(histogram);
    return make_ms(ns_to_us(ns < max_ns ? ns : max_ns));
}

/* Adds a distribution, unless nothing was observed. */
static void add_distribution(struct json *json, cJSON *list, const char *of, const char *part,
                             const struct um_histogram *histogram)
{
    if (!histogram || um_histogram_count(histogram) == 0)
        return;
    cJSON *item = cJSON_CreateObject();
    put(json, item, "of", cJSON_CreateString(of));
    put(json, item, "part", cJSON_CreateString(part));
    put(json, item, "count", cJSON_CreateNumber((double)um_histogram_count(histogram)));
    put(json, item, "p50", make_percentile(histogram, 50.0));
    put(json, item, "p75", make_percentile(histogram, 75.0));
    put(json, item, "p90", make_percentile(histogram, 90.0));
    put(json, item, "p98", make_percentile(histogram, 98.0));
    put(json, item, "p99", make_percentile(histogram, 99.0));
    put(json, item, "p999", make_percentile(histogram, 99.9));
    put(json, item, "max", make_ms(ns_to_us(um_histogram_max(histogram))));
    put(json, item, "bins", make_bins(json, histogram));
    append(json, list, item);
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

/* Adds the distribution of one part over all interactions of a kind. `histogram` is overwritten. */
static void add_part(struct json *json, cJSON *list, const struct um_recorded *recorded,
                     unsigned kind, size_t part, struct um_histogram *histogram)
{
    static const char *const kinds[UM_INTERACTION_COUNT] = {"key", "click", "wheel"};
    um_histogram_reset(histogram);
    for (uint32_t i = 0; i < recorded->interaction_count; i++) {
        const struct um_wire_interaction *times = &recorded->interactions[i].times;
        uint64_t ns = 0;
        if (times->kind == kind && um_wire_interaction_part_ns(times, parts[part].part, &ns))
            um_histogram_record(histogram, ns);
    }
    add_distribution(json, list, kinds[kind], parts[part].name, histogram);
}

static void add_parts(struct json *json, cJSON *list, const struct um_recorded *recorded)
{
    struct um_histogram histogram;
    uint64_t *counts = calloc(UM_HISTOGRAM_LATENCY_COUNTS, sizeof counts[0]);
    if (!counts) {
        json->failed = true;
        return;
    }
    um_histogram_init_latency(&histogram, counts);
    for (unsigned kind = 0; kind < UM_INTERACTION_COUNT; kind++)
        for (size_t part = 0; part < sizeof parts / sizeof parts[0]; part++)
            add_part(json, list, recorded, kind, part, &histogram);
    free(counts);
}

static void put_distributions(struct json *json, cJSON *root, const struct um_recorded *recorded)
{
    cJSON *list = cJSON_CreateArray();
    add_distribution(json, list, "beat", "total", recorded->summary.latency);
    if (recorded->interaction_count > 0)
        add_parts(json, list, recorded);
    put(json, root, "distributions", list);
}

static void put_recording(struct json *json, cJSON *root, const struct um_recorded *recorded)
{
    static const char *const reasons[] = {[UM_END_STOPPED] = "stopped",
                                          [UM_END_TARGET_GONE] = "target gone",
                                          [UM_END_FAILED] = "failed"};
    put(json, root, "whole", cJSON_CreateBool(recorded->whole));
    if (recorded->whole && recorded->end_reason < sizeof reasons / sizeof reasons[0])
        put(json, root, "ended", cJSON_CreateString(reasons[recorded->end_reason]));
    put_text(json, root, "problem", recorded->problem);
    put_text(json, root, "recorded_by", recorded->recording.version);
    put_text(json, root, "options", recorded->recording.options);
    put_text(json, root, "caption", recorded->session.caption);
    put(json, root, "slow_ms", make_ms(recorded->session.slow_us));
    put(json, root, "started_utc_ms", cJSON_CreateNumber((double)recorded->session.utc_ms));
    put(json, root, "unlisted", cJSON_CreateNumber(recorded->unlisted));
}

/* Puts the summary as `report --json` writes it, but without its list of freezes: put_freezes
 * writes them in a shorter form. */
static void put_summary(struct json *json, cJSON *root, const struct um_recorded *recorded)
{
    char *text = NULL;
    if (um_summary_json(&recorded->summary, &text) != UM_OK) {
        json->failed = true;
        return;
    }
    cJSON *summary = cJSON_Parse(text);
    cJSON_free(text);
    cJSON_DeleteItemFromObject(summary, "freeze_list");
    put(json, root, "summary", summary);
}

char *um_report_data_make(const struct um_recorded *recorded, const struct um_options *options)
{
    struct json json = {.failed = false};
    cJSON *root = cJSON_CreateObject();
    put_recording(&json, root, recorded);
    put_summary(&json, root, recorded);
    put_slices(&json, root, recorded);
    put_stretches(&json, root, recorded);
    put_freezes(&json, root, recorded);
    put_interactions(&json, root, recorded);
    put_notes(&json, root, recorded);
    put_messages(&json, root, recorded);
    put_distributions(&json, root, recorded);
    json.failed |= um_report_stacks_put(root, recorded, options) != UM_OK;
    char *text = json.failed ? NULL : cJSON_PrintUnformatted(root);
    cJSON_Delete(root);
    return text;
}
