#include "monitor/stats/summary.h"

#include <inttypes.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "ipc/clock.h"
#include "monitor/base/message_names.h"
#include "monitor/base/short_name.h"
#include "monitor/base/utc.h"
#include "monitor/base/utf8.h"
#include "monitor/base/wait_text.h"
#include "monitor/stats/traced_write.h"

#define COLUMNS 80
#define INDENT "             " /* as wide as the text's left column */
#define LONGEST_SHOWN 5
#define WORST_LISTED 10
#define BUNDLES_SHOWN 10
#define TEXT_BYTES 1024

static const struct um_stats_freezes no_freezes;

static const struct um_stats_freezes *freezes_of(const struct um_summary *summary)
{
    return summary->freezes ? summary->freezes : &no_freezes;
}

static bool is_window_only(const struct um_summary *summary)
{
    return summary->toolkit && summary->toolkit[0] != '\0';
}

static uint64_t latency_count(const struct um_summary *summary)
{
    return summary->latency ? um_histogram_count(summary->latency) : 0;
}

/* A percentile. The histogram rounds up within its precision, but not beyond the greatest value
 * here. */
static uint64_t value_at(const struct um_histogram *histogram, double percentile)
{
    uint64_t value = um_histogram_value_at_percentile(histogram, percentile);
    uint64_t max = um_histogram_max(histogram);
    return value < max ? value : max;
}

static uint64_t percentile_ns(const struct um_summary *summary, double percentile)
{
    return value_at(summary->latency, percentile);
}

/* The system charges CPU time in whole ticks, so 0 means that too little was used to be
 * measured. */
static struct um_summary_figure figure(uint64_t ns)
{
    return (struct um_summary_figure){.measured = ns > 0, .ns = ns};
}

/* Nothing of uimon's can keep more processors busy than this. Totals that say so are those of a
 * recording that is damaged or made up. */
#define MOST_PROCESSORS 64

static struct um_summary_figure cpu_figure(uint64_t ns, uint64_t duration_ns)
{
    return figure(ns / MOST_PROCESSORS <= duration_ns ? ns : 0);
}

static void fill_cost(struct um_summary_cost *cost, const struct um_wire_totals *totals)
{
    cost->heartbeat = cpu_figure(totals->heartbeat_cpu_ns, totals->duration_ns);
    cost->sender = cpu_figure(totals->sender_cpu_ns, totals->duration_ns);
    cost->monitor = cpu_figure(totals->monitor_cpu_ns, totals->duration_ns);
    cost->overlay = cpu_figure(totals->overlay_cpu_ns, totals->duration_ns);
    cost->hook_call = figure(totals->timed_calls ? totals->timed_ns / totals->timed_calls : 0);
}

static const char *beat_name(const struct um_wire_session *session, enum um_rung rung)
{
    if (session->probe != UM_PROBE_RAW || rung == UM_RUNG_AUTO)
        return NULL;
    return rung == UM_RUNG_PAIR ? "pair" : "zero";
}

void um_summary_fill(struct um_summary *summary, const struct um_wire_session *session,
                     const struct um_wire_totals *totals, const struct um_stats *stats)
{
    *summary = (struct um_summary){
        .pid = session->pid,
        .bits = session->bits,
        .name = session->name,
        .title = session->title,
        .toolkit = session->toolkit,
        .utc_ms = session->utc_ms,
        .start_ns = session->start_ns,
        .duration_ns = totals->duration_ns,
        .probe = session->probe == UM_PROBE_RAW     ? "raw"
                 : session->probe == UM_PROBE_MOUSE ? "mouse"
                                                    : NULL,
        .beat = beat_name(session, um_stats_beats(stats)->rung),
        .shielded = um_stats_beats(stats)->were_shielded,
        .period_us = session->period_us,
        .rest_us = um_stats_beats(stats)->rest_us,
        .background_us = um_stats_beats(stats)->background_us,
        .beats_sent = totals->beats_sent,
        .beats_seen = totals->beats_seen,
        .beats_lost = totals->beats_lost,
        .beats_rested = totals->beats_rested,
        .latency = um_stats_histogram(stats),
        .freezes = um_stats_freezes(stats),
        .interactions = um_stats_interactions(stats),
        .stacks = um_stats_stacks(stats),
        .traced = um_stats_traced(stats),
        .dropped = totals->dropped,
        .key_delay_us = um_stats_key_delay_us(stats),
    };
    memcpy(summary->held, um_stats_beats(stats)->were_held, sizeof summary->held);
    memcpy(summary->state_ns, totals->state_ns, sizeof summary->state_ns);
    fill_cost(&summary->cost, totals);
}

/* The states in the order in which people and scripts read them. */
static const enum um_state reading_order[UM_STATE_COUNT] = {
    UM_STATE_RESPONSIVE, UM_STATE_SLOW,  UM_STATE_FROZEN, UM_STATE_STARVED,
    UM_STATE_SUSPENDED,  UM_STATE_BLIND, UM_STATE_IDLE,
};

/* From here on: the JSON. */

struct json {
    bool failed; /* out of memory somewhere */
};

static uint64_t ns_to_us(uint64_t ns)
{
    return ns / 1000 + (ns % 1000 + 500) / 1000;
}

static void put_number(struct json *json, cJSON *object, const char *name, double value)
{
    json->failed |= !cJSON_AddNumberToObject(object, name, value);
}

static void put_ms(struct json *json, cJSON *object, const char *name, uint64_t ns)
{
    put_number(json, object, name, (double)ns_to_us(ns) / 1000.0);
}

/* All 64 bits of a number, which a double would round. */
static void put_u64(struct json *json, cJSON *object, const char *name, uint64_t value)
{
    char digits[24];
    (void)snprintf(digits, sizeof digits, "%" PRIu64, value);
    json->failed |= !cJSON_AddRawToObject(object, name, digits);
}

/* Adds a text, unless it is empty. Bytes that are not UTF-8 are replaced, since JSON forbids
 * them. */
static void put_text(struct json *json, cJSON *object, const char *name, const char *text)
{
    char mended[TEXT_BYTES];
    if (!text || text[0] == '\0')
        return;
    if (!um_utf8_valid(text, strlen(text))) {
        (void)um_utf8_fit(text, SIZE_MAX, mended, sizeof mended);
        text = mended;
    }
    json->failed |= !cJSON_AddStringToObject(object, name, text);
}

static cJSON *put_object(struct json *json, cJSON *parent, const char *name)
{
    cJSON *object = cJSON_AddObjectToObject(parent, name);
    json->failed |= !object;
    return object;
}

static void put_target(struct json *json, cJSON *root, const struct um_summary *summary)
{
    cJSON *target = put_object(json, root, "target");
    if (summary->pid != 0)
        put_number(json, target, "pid", summary->pid);
    put_text(json, target, "name", summary->name);
    put_text(json, target, "title", summary->title);
    if (summary->bits != 0)
        put_number(json, target, "bits", summary->bits);
    put_text(json, target, "toolkit", summary->toolkit);
}

static void format_utc(int64_t utc_ms, char *buf, size_t cap_bytes)
{
    struct um_utc at = um_utc_at(utc_ms);
    (void)snprintf(buf, cap_bytes, "%04" PRId64 "-%02d-%02dT%02d:%02d:%02dZ", at.year, at.month,
                   at.day, at.hour, at.minute, at.second);
}

/* As --background has it. */
static const char *background_name(uint32_t background_us)
{
    return background_us == 0 ? "full" : background_us == UM_WIRE_PACE_NEVER ? "pause" : "rest";
}

/* Why the session was blind for a time: of several reasons, the one about which the user can do
 * something. */
static const char *blind_reason(const struct um_summary *summary)
{
    return summary->shielded                      ? "integrity"
           : summary->held[UM_PROBE_HELD_POINTER] ? "pointer"
           : summary->held[UM_PROBE_HELD_BUTTON]  ? "button"
                                                  : NULL;
}

static void put_session(struct json *json, cJSON *root, const struct um_summary *summary)
{
    char started[80];
    format_utc(summary->utc_ms, started, sizeof started);
    put_text(json, root, "started", started);
    put_ms(json, root, "duration_ms", summary->duration_ns);
    put_text(json, root, "probe", summary->probe);
    put_text(json, root, "beat", summary->beat);
    put_text(json, root, "blind_reason", blind_reason(summary));
    put_ms(json, root, "heartbeat_ms", summary->period_us * UM_CLOCK_NS_PER_US);
    if (summary->rest_us) {
        put_ms(json, root, "rest_heartbeat_ms", summary->rest_us * UM_CLOCK_NS_PER_US);
        put_text(json, root, "background", background_name(summary->background_us));
    }
    put_text(json, root, "stage", is_window_only(summary) ? "window" : NULL);
    if (summary->key_delay_us)
        put_number(json, root, "key_delay_us", summary->key_delay_us);

    cJSON *beats = put_object(json, root, "beats");
    put_u64(json, beats, "sent", summary->beats_sent);
    put_u64(json, beats, "seen", summary->beats_seen);
    put_u64(json, beats, "lost", summary->beats_lost);
    if (summary->rest_us)
        put_u64(json, beats, "rested", summary->beats_rested);
}

static void put_latency(struct json *json, cJSON *root, const struct um_summary *summary)
{
    cJSON *latency = put_object(json, root, "latency_ms");
    put_u64(json, latency, "count", latency_count(summary));
    if (latency_count(summary) == 0)
        return;
    put_ms(json, latency, "mean", (uint64_t)um_histogram_mean(summary->latency));
    put_ms(json, latency, "p50", percentile_ns(summary, 50.0));
    put_ms(json, latency, "p90", percentile_ns(summary, 90.0));
    put_ms(json, latency, "p99", percentile_ns(summary, 99.0));
    put_ms(json, latency, "p999", percentile_ns(summary, 99.9));
    put_ms(json, latency, "max", um_histogram_max(summary->latency));
}

/* The running sum is rounded, so that the printed states add up to the printed duration. */
static void put_states(struct json *json, cJSON *root, const struct um_summary *summary)
{
    cJSON *states = put_object(json, root, "state_ms");
    uint64_t sum_ns = 0;
    for (size_t i = 0; i < UM_STATE_COUNT; i++) {
        uint64_t before_us = ns_to_us(sum_ns);
        sum_ns += summary->state_ns[reading_order[i]];
        put_number(json, states, um_wire_state_name(reading_order[i]),
                   (double)(ns_to_us(sum_ns) - before_us) / 1000.0);
    }
}

static void put_freezes(struct json *json, cJSON *root, const struct um_stats_freezes *freezes)
{
    cJSON *object = put_object(json, root, "freezes");
    put_ms(json, object, "threshold_ms", freezes->threshold_ns);
    put_number(json, object, "count", freezes->count);
    put_ms(json, object, "total_ms", freezes->total_ns);
    put_ms(json, object, "longest_ms", freezes->longest_ns);
    put_number(json, object, "over_100", freezes->over_100);
    put_number(json, object, "over_250", freezes->over_250);
    put_number(json, object, "over_1000", freezes->over_1000);
    put_number(json, object, "unlisted", freezes->dropped);
}

/* When something began; negative if that was before measuring began. */
static void put_moment(struct json *json, cJSON *object, const char *name, uint64_t time_ns,
                       uint64_t session_start_ns)
{
    if (time_ns < session_start_ns)
        put_number(json, object, name, -(double)ns_to_us(session_start_ns - time_ns) / 1000.0);
    else
        put_ms(json, object, name, time_ns - session_start_ns);
}

static void put_stack(struct json *json, cJSON *freeze, const struct um_wire_stack *stack)
{
    cJSON *frames = cJSON_AddArrayToObject(freeze, "stack");
    json->failed |= !frames;
    for (size_t i = 0; i < UM_WIRE_STACK_FRAMES && stack->frames[i][0] != '\0'; i++) {
        cJSON *frame = cJSON_CreateString(stack->frames[i]);
        if (!frame || !cJSON_AddItemToArray(frames, frame)) {
            cJSON_Delete(frame);
            json->failed = true;
        }
    }
    put_text(json, freeze, "stack_stopped", stack->stopped);
    put_text(json, freeze, "call", stack->call);
    if (stack->known & UM_WIRE_STACK_CPU) {
        put_ms(json, freeze, "sampled_ms", stack->sampled_us * UM_CLOCK_NS_PER_US);
        put_ms(json, freeze, "cpu_user_ms", stack->user_us * UM_CLOCK_NS_PER_US);
        put_ms(json, freeze, "cpu_kernel_ms", stack->kernel_us * UM_CLOCK_NS_PER_US);
    }
    if (stack->known & UM_WIRE_STACK_MINE) {
        put_number(json, freeze, "samples_yours", stack->yours);
        put_number(json, freeze, "samples_unread", stack->unread);
        put_text(json, freeze, "whose", stack->whose);
    }
    put_number(json, freeze, "samples", stack->samples);
    put_number(json, freeze, "samples_alike", stack->alike);
    if (stack->interval_us)
        put_ms(json, freeze, "sample_interval_ms", stack->interval_us * UM_CLOCK_NS_PER_US);
}

/* For whom the thread waited. */
static void put_wait(struct json *json, cJSON *freeze, const struct um_wire_wait *wait)
{
    cJSON *object = put_object(json, freeze, "waiting_for");
    put_text(json, object, "what", um_wait_text_kind(wait->kind));
    if (wait->thread != 0)
        put_number(json, object, "thread", wait->thread);
    put_number(json, object, "process", wait->process);
    if (wait->process_name[0] != '\0')
        put_text(json, object, "process_name", wait->process_name);
    if (wait->object[0] != '\0')
        put_text(json, object, "window_class", wait->object);
    if (wait->function[0] != '\0')
        put_text(json, object, "function", wait->function);
    put_number(json, object, "samples", wait->samples);
}

static cJSON *make_freeze(struct json *json, const struct um_stats_freeze *freeze,
                          const struct um_stats_stacks *stacks, uint64_t session_start_ns)
{
    const struct um_wire_stack *stack = um_stats_stack_of(stacks, freeze->id);
    const struct um_wire_wait *wait = um_stats_wait_of(stacks, freeze->id);
    cJSON *object = cJSON_CreateObject();
    json->failed |= !object;
    put_moment(json, object, "start_ms", freeze->start_ns, session_start_ns);
    put_ms(json, object, "duration_ms", freeze->duration_ns);
    put_text(json, object, "state", um_wire_state_name(freeze->state));
    put_ms(json, object, "start_uncertainty_ms", freeze->uncertainty_ns);
    if (freeze->has_message) {
        char message[UM_MESSAGE_NAMES_BYTES];
        um_message_names_get(freeze->message, freeze->message_name, message, sizeof message);
        put_text(json, object, "message", message);
        put_text(json, object, "window_class", freeze->window_class);
    }
    json->failed |= !cJSON_AddBoolToObject(object, "open", freeze->open);
    if (stack)
        put_stack(json, object, stack);
    if (wait)
        put_wait(json, object, wait);
    return object;
}

static void put_freeze_list(struct json *json, cJSON *root, const struct um_summary *summary)
{
    const struct um_stats_freezes *freezes = freezes_of(summary);
    cJSON *list = cJSON_AddArrayToObject(root, "freeze_list");
    json->failed |= !list;
    for (size_t i = 0; i < freezes->len && !json->failed; i++) {
        cJSON *freeze = make_freeze(json, &freezes->list[i], summary->stacks, summary->start_ns);
        if (!cJSON_AddItemToArray(list, freeze)) {
            cJSON_Delete(freeze);
            json->failed = true;
        }
    }
}

/* What sampling has cost the target. */
static void put_sampling(struct json *json, cJSON *root, const struct um_summary *summary)
{
    const struct um_wire_sampling *sampling = &summary->stacks->sampling;
    cJSON *object = put_object(json, root, "sampling");
    put_number(json, object, "samples", sampling->samples);
    if (sampling->interval_ns)
        put_ms(json, object, "interval_ms", sampling->interval_ns);
    cJSON *suspended = put_object(json, object, "suspended_ms");
    put_ms(json, suspended, "p50", sampling->p50_ns);
    put_ms(json, suspended, "max", sampling->max_ns);
    put_ms(json, suspended, "total", sampling->total_ns);
    put_number(json, object, "over_2ms", sampling->over_2ms);
}

static const char *const part_names[UM_WIRE_PART_COUNT] = {
    [UM_WIRE_PART_INPUT_DELAY] = "input_delay_ms",   [UM_WIRE_PART_PROCESSING] = "processing_ms",
    [UM_WIRE_PART_PRESENTATION] = "presentation_ms", [UM_WIRE_PART_TOTAL] = "total_ms",
    [UM_WIRE_PART_TO_HANDLED] = "to_handled_ms",
};

static void put_part(struct json *json, cJSON *kind, const char *name,
                     const struct um_histogram *part)
{
    if (um_histogram_count(part) == 0)
        return;
    cJSON *object = put_object(json, kind, name);
    put_u64(json, object, "count", um_histogram_count(part));
    put_ms(json, object, "p50", value_at(part, 50.0));
    put_ms(json, object, "p75", value_at(part, 75.0));
    put_ms(json, object, "p90", value_at(part, 90.0));
    put_ms(json, object, "p98", value_at(part, 98.0));
    put_ms(json, object, "max", um_histogram_max(part));
}

static void put_kind(struct json *json, cJSON *parent, const char *name,
                     const struct um_stats_kind *kind)
{
    cJSON *object = put_object(json, parent, name);
    put_u64(json, object, "count", kind->count);
    put_u64(json, object, "painted", kind->painted);
    put_u64(json, object, "in_freezes", kind->in_freezes);
    for (int i = 0; i < UM_WIRE_PART_COUNT && kind->parts; i++)
        put_part(json, object, part_names[i], &kind->parts[i]);
}

static cJSON *make_interaction(struct json *json, const struct um_summary *summary,
                               const struct um_stats_interaction *interaction)
{
    const struct um_wire_interaction *times = &interaction->times;
    const struct um_stats_freezes *freezes = freezes_of(summary);
    uint64_t at_ns = times->arrival_ns ? times->arrival_ns : times->dequeued_ns;
    cJSON *object = cJSON_CreateObject();
    uint64_t length_ns;
    json->failed |= !object;
    put_text(json, object, "kind", um_wire_interaction_name(times->kind));
    put_moment(json, object, "at_ms", at_ns, summary->start_ns);
    for (int i = 0; i < UM_WIRE_PART_COUNT; i++)
        if (um_wire_interaction_part_ns(times, (enum um_wire_part)i, &length_ns))
            put_ms(json, object, part_names[i], length_ns);
    for (size_t i = 0; i < freezes->len && times->freeze != 0; i++) {
        if (freezes->list[i].id == times->freeze) {
            put_number(json, object, "freeze", (double)i);
            break;
        }
    }
    if (times->key != 0)
        put_number(json, object, "key", times->key);
    json->failed |= interaction->release && !cJSON_AddTrueToObject(object, "release");
    return object;
}

static void put_interactions(struct json *json, cJSON *root, const struct um_summary *summary)
{
    const struct um_stats_interactions *interactions = summary->interactions;
    if (!interactions || interactions->worst_len == 0)
        return;
    cJSON *kinds = put_object(json, root, "interactions");
    for (size_t i = 0; i < UM_INTERACTION_COUNT; i++)
        if (interactions->kinds[i].count > 0)
            put_kind(json, kinds, um_wire_interaction_name((enum um_interaction)i),
                     &interactions->kinds[i]);
    cJSON *list = cJSON_AddArrayToObject(root, "worst_interactions");
    json->failed |= !list;
    for (size_t i = 0; i < interactions->worst_len && i < WORST_LISTED && !json->failed; i++) {
        cJSON *item = make_interaction(json, summary, &interactions->worst[i]);
        if (!cJSON_AddItemToArray(list, item)) {
            cJSON_Delete(item);
            json->failed = true;
        }
    }
}

static void put_cost(struct json *json, cJSON *root, const struct um_summary_cost *cost)
{
    const struct {
        const char *name;
        const struct um_summary_figure *figure;
    } threads[] = {
        {"heartbeat_cpu_ms", &cost->heartbeat},
        {"sender_cpu_ms", &cost->sender},
        {"monitor_cpu_ms", &cost->monitor},
        {"overlay_cpu_ms", &cost->overlay},
    };
    cJSON *object = put_object(json, root, "cost");
    for (size_t i = 0; i < sizeof threads / sizeof threads[0]; i++)
        if (threads[i].figure->measured)
            put_ms(json, object, threads[i].name, threads[i].figure->ns);
    if (cost->hook_call.measured)
        put_u64(json, object, "hook_call_ns", cost->hook_call.ns);
}

static void put_bundles(struct json *json, cJSON *root, const struct um_summary *summary)
{
    cJSON *list = summary->bundles ? cJSON_AddArrayToObject(root, "bundles") : NULL;
    json->failed |= summary->bundles && !list;
    for (size_t i = 0; list && i < summary->bundle_count && !json->failed; i++) {
        const struct um_summary_bundle *bundle = &summary->bundles[i];
        cJSON *item = cJSON_CreateObject();
        json->failed |= !item;
        put_text(json, item, "folder", bundle->folder);
        put_moment(json, item, "start_ms", bundle->start_ns, summary->start_ns);
        json->failed |= !cJSON_AddBoolToObject(item, "whole", bundle->whole);
        if (!cJSON_AddItemToArray(list, item)) {
            cJSON_Delete(item);
            json->failed = true;
        }
    }
}

cJSON *um_summary_object(const struct um_summary *summary)
{
    struct json json = {.failed = false};
    cJSON *root = cJSON_CreateObject();
    put_text(&json, root, "uimon", UM_VERSION);
    put_number(&json, root, "schema", UM_SUMMARY_SCHEMA);
    put_target(&json, root, summary);
    put_session(&json, root, summary);
    put_latency(&json, root, summary);
    put_states(&json, root, summary);
    put_freezes(&json, root, freezes_of(summary));
    put_freeze_list(&json, root, summary);
    if (summary->stacks && summary->stacks->sampling.samples > 0)
        put_sampling(&json, root, summary);
    put_interactions(&json, root, summary);
    put_bundles(&json, root, summary);
    json.failed |= !um_traced_write_json(root, summary->traced);
    put_u64(&json, root, "dropped", summary->dropped);
    put_u64(&json, root, "clock_start_ns", summary->start_ns);
    put_cost(&json, root, &summary->cost);
    if (!json.failed)
        return root;
    cJSON_Delete(root);
    return NULL;
}

enum um_status um_summary_json(const struct um_summary *summary, char **out)
{
    cJSON *root = um_summary_object(summary);
    char *text = root ? cJSON_Print(root) : NULL;
    cJSON_Delete(root);
    if (!text)
        return UM_ERR_MEMORY;
    *out = text;
    return UM_OK;
}

/* From here on: the text. */

struct small_text {
    char chars[32];
};

/* A latency with three digits or so: "0.16", "24.5", "295". */
static struct small_text latency_text(uint64_t ns)
{
    struct small_text text;
    double ms = (double)ns / 1e6;
    int decimals = ms < 9.995 ? 2 : ms < 99.95 ? 1 : 0;
    (void)snprintf(text.chars, sizeof text.chars, "%.*f", decimals, ms);
    return text;
}

/* A length of time in the unit that suits it: "300.2 ms", "4.70 s", "12 min 05 s". */
static struct small_text span_text(uint64_t ns)
{
    struct small_text text;
    uint64_t s = (ns + UM_CLOCK_NS_PER_S / 2) / UM_CLOCK_NS_PER_S;
    if (ns < UM_CLOCK_NS_PER_S - 50000) {
        (void)snprintf(text.chars, sizeof text.chars, "%.1f ms", (double)ns / 1e6);
    } else if (ns < 60 * UM_CLOCK_NS_PER_S - 5000000) {
        (void)snprintf(text.chars, sizeof text.chars, "%.2f s", (double)ns / 1e9);
    } else if (s < 3600) {
        (void)snprintf(text.chars, sizeof text.chars, "%" PRIu64 " min %02" PRIu64 " s", s / 60,
                       s % 60);
    } else {
        (void)snprintf(text.chars, sizeof text.chars, "%" PRIu64 " h %02" PRIu64 " min", s / 3600,
                       s / 60 % 60);
    }
    return text;
}

/* A share of the session: "6.0 %", "< 0.1 %". */
static struct small_text share_text(uint64_t ns, uint64_t of_ns)
{
    struct small_text text;
    double percent = of_ns == 0 ? 0.0 : (double)ns * 100.0 / (double)of_ns;
    if (ns > 0 && percent < 0.05)
        (void)snprintf(text.chars, sizeof text.chars, "< 0.1 %%");
    else if (ns < of_ns && percent >= 99.95)
        (void)snprintf(text.chars, sizeof text.chars, "> 99.9 %%");
    else
        (void)snprintf(text.chars, sizeof text.chars, "%.1f %%", percent);
    return text;
}

/* The share of one core, which is a small one as a rule: "0.25 %". */
static struct small_text core_text(uint64_t ns, uint64_t of_ns)
{
    struct small_text text;
    double percent = of_ns == 0 ? 0.0 : (double)ns * 100.0 / (double)of_ns;
    int decimals = percent < 9.995 ? 2 : percent < 99.95 ? 1 : 0;
    (void)snprintf(text.chars, sizeof text.chars, "%.*f %%", decimals, percent);
    return text;
}

/* A moment of the session: "0:01.200", "1:02:03.400", "-0:00.250". */
static struct small_text moment_text(uint64_t time_ns, uint64_t start_ns)
{
    struct small_text text;
    bool before = time_ns < start_ns;
    uint64_t ms = ((before ? start_ns - time_ns : time_ns - start_ns) + 500000) / 1000000;
    uint64_t s = ms / 1000;
    const char *sign = before ? "-" : "";
    if (s < 3600) {
        (void)snprintf(text.chars, sizeof text.chars, "%s%" PRIu64 ":%02" PRIu64 ".%03" PRIu64,
                       sign, s / 60, s % 60, ms % 1000);
    } else {
        (void)snprintf(text.chars, sizeof text.chars,
                       "%s%" PRIu64 ":%02" PRIu64 ":%02" PRIu64 ".%03" PRIu64, sign, s / 3600,
                       s / 60 % 60, s % 60, ms % 1000);
    }
    return text;
}

static void write_target(FILE *file, const struct um_summary *summary)
{
    char line[TEXT_BYTES];
    char fitted[TEXT_BYTES];
    size_t len = 0;
    const char *name = summary->name && summary->name[0] != '\0' ? summary->name : "target";
    len += (size_t)snprintf(line, sizeof line, "%.256s", name);
    if (summary->pid != 0)
        len += (size_t)snprintf(line + len, sizeof line - len, " (pid %" PRIu32 ")", summary->pid);
    if (summary->title && summary->title[0] != '\0')
        (void)snprintf(line + len, sizeof line - len, "  %.512s", summary->title);
    (void)um_utf8_fit(line, COLUMNS, fitted, sizeof fitted);
    (void)fprintf(file, "%s\n", fitted);
}

/* Whether a part of the session is worth a line. */
static bool is_much(const struct um_summary *summary, uint64_t ns)
{
    return ns > 0 && ns >= summary->duration_ns / 1000;
}

/* For how long uimon itself did not want to measure, and how to change that. */
static void write_pause(FILE *file, const struct um_summary *summary)
{
    uint64_t paused_ns = summary->state_ns[UM_STATE_IDLE];
    bool behind = summary->background_us == UM_WIRE_PACE_NEVER; /* ... too: either is possible */
    if (is_much(summary, paused_ns))
        (void)fprintf(file,
                      behind ? "For %s of that time uimon paused, because another program was in\n"
                               "front (--background pause), or there was no input (--idle-pause).\n"
                             : "For %s of that time uimon paused, because there was no input;\n"
                               "--idle-pause never keeps it from pausing.\n",
                      span_text(paused_ns).chars);
}

static void write_unknown(FILE *file, const struct um_summary *summary)
{
    uint64_t unknown_ns = summary->state_ns[UM_STATE_SUSPENDED] + summary->state_ns[UM_STATE_BLIND];
    if (is_much(summary, unknown_ns))
        (void)fprintf(file, "%s of that time could not be measured.\n",
                      span_text(unknown_ns).chars);
}

/* The first answer: did the target freeze? And how much of the time could not be measured? */
static void write_verdict(FILE *file, const struct um_summary *summary)
{
    const struct um_stats_freezes *freezes = freezes_of(summary);
    struct small_text watched = span_text(summary->duration_ns);

    if (freezes->count > 1) {
        (void)fprintf(file, "%" PRIu32 " freezes in %s: %s in all, the longest %s.", freezes->count,
                      watched.chars, span_text(freezes->total_ns).chars,
                      span_text(freezes->longest_ns).chars);
    } else if (freezes->count == 1) {
        (void)fprintf(file, "1 freeze in %s: %s.", watched.chars,
                      span_text(freezes->longest_ns).chars);
    } else if (latency_count(summary) == 0) {
        (void)fprintf(file, "Nothing was measured in %s.\n", watched.chars);
        write_pause(file, summary);
        return;
    } else {
        (void)fprintf(file, "No freeze of %s ms or more in %s.",
                      latency_text(freezes->threshold_ns).chars, watched.chars);
    }
    (void)fputc('\n', file);
    write_pause(file, summary);
    write_unknown(file, summary);
}

/* How far the numbers reach, where that is less than the whole program. */
static void write_stage(FILE *file, const struct um_summary *summary)
{
    char line[TEXT_BYTES];
    char fitted[TEXT_BYTES];
    if (!is_window_only(summary))
        return;
    (void)snprintf(line, sizeof line,
                   "Beats measure the window's thread; a %.64s program's own code runs elsewhere.",
                   summary->toolkit);
    (void)um_utf8_fit(line, COLUMNS, fitted, sizeof fitted);
    (void)fprintf(file, "%s\n", fitted);
}

/* That the keys of this session are not as the program alone would have handled them. */
static void write_proving(FILE *file, const struct um_summary *summary)
{
    if (summary->key_delay_us)
        (void)fprintf(file, "PROVING: each key was delayed by %" PRIu32 " µs on purpose.\n",
                      summary->key_delay_us);
}

static void write_percentiles(FILE *file, const struct um_summary *summary)
{
    uint64_t max_ns = um_histogram_max(summary->latency);
    bool in_s = max_ns >= 100 * UM_CLOCK_NS_PER_S;
    uint64_t unit = in_s ? 1000 : 1;
    (void)fprintf(file, "  Latency    p50 %s   p90 %s   p99 %s   p99.9 %s   max %s %s\n" INDENT,
                  latency_text(percentile_ns(summary, 50.0) / unit).chars,
                  latency_text(percentile_ns(summary, 90.0) / unit).chars,
                  latency_text(percentile_ns(summary, 99.0) / unit).chars,
                  latency_text(percentile_ns(summary, 99.9) / unit).chars,
                  latency_text(max_ns / unit).chars, in_s ? "s" : "ms");
}

static void write_latency(FILE *file, const struct um_summary *summary)
{
    if (latency_count(summary) > 0)
        write_percentiles(file, summary);
    else
        (void)fputs("  Latency    ", file);
    (void)fprintf(file, "%" PRIu64 " beats, %" PRIu64 " lost", summary->beats_sent,
                  summary->beats_lost);
    if (summary->probe) {
        (void)fprintf(file, "; %.16s probe, %s%severy %.4g ms", summary->probe,
                      summary->beat ? summary->beat : "", summary->beat ? " beats, " : "",
                      (double)summary->period_us / 1e3);
    }
    (void)fputc('\n', file);
    if (summary->rest_us > summary->period_us)
        (void)fprintf(file,
                      INDENT "%" PRIu64 " more left out at rest, where one is sent every %.4g ms\n",
                      summary->beats_rested, (double)summary->rest_us / 1e3);
    if (summary->dropped > 0)
        (void)fprintf(file, INDENT "%" PRIu64 " records were lost on the way\n", summary->dropped);
}

/* Message and window class, cut to the rest of a line on which `used` columns are taken. */
static void write_suspect(FILE *file, const struct um_stats_freeze *freeze, size_t used)
{
    char message[UM_MESSAGE_NAMES_BYTES] = "";
    char suspect[TEXT_BYTES] = "";
    char fitted[TEXT_BYTES];
    if (freeze->has_message) {
        um_message_names_get(freeze->message, freeze->message_name, message, sizeof message);
        (void)snprintf(suspect, sizeof suspect, "%s%s%s%s", message,
                       freeze->window_class[0] != '\0' ? " @ " : "", freeze->window_class,
                       freeze->open ? " (until the end)" : "");
    } else {
        (void)snprintf(suspect, sizeof suspect, "no suspect%s",
                       freeze->open ? " (until the end)" : "");
    }
    (void)um_utf8_fit(suspect, used < COLUMNS ? COLUMNS - used : 1, fitted, sizeof fitted);
    (void)fprintf(file, "%s\n", fitted);
}

/* A frame without the name of its module, if the frame before is of the same one. */
static const char *without_module(const char *frame, const char *before)
{
    const char *plus = strrchr(frame, '+');
    size_t len = plus ? (size_t)(plus - frame) + 1 : 0;
    return plus && strncmp(frame, before, len) == 0 ? plus : frame;
}

/* Whether the thread worked or waited, and whose it was. The system counts in ticks, so it may find
 * a little more than there was. */
static void write_work(FILE *file, const struct um_wire_stack *stack)
{
    char text[TEXT_BYTES] = INDENT "  ";
    char fitted[TEXT_BYTES];
    size_t len = strlen(text);
    double ran_us = (double)stack->user_us + (double)stack->kernel_us;
    double ran = stack->sampled_us > 0 ? ran_us / stack->sampled_us : 0;
    bool has_cpu = stack->known & UM_WIRE_STACK_CPU;

    ran = ran > 1 ? 1 : ran;
    if (has_cpu)
        len += (size_t)snprintf(text + len, sizeof text - len, "%s %.0f %%",
                                ran >= 0.5 ? "running" : "waiting",
                                (ran >= 0.5 ? ran : 1 - ran) * 100);
    if (has_cpu && stack->call[0] != '\0')
        len += (size_t)snprintf(text + len, sizeof text - len, " in %s", stack->call);
    if (stack->known & UM_WIRE_STACK_MINE)
        (void)snprintf(text + len, sizeof text - len, "%s%s", has_cpu ? "; " : "", stack->whose);
    if (!stack->known)
        return;
    (void)um_utf8_fit(text, COLUMNS, fitted, sizeof fitted);
    (void)fprintf(file, "%s\n", fitted);
}

/* For whom the thread waited, below whether it did. */
static void write_wait(FILE *file, const struct um_wire_wait *wait)
{
    char said[UM_WAIT_TEXT_BYTES];
    char text[TEXT_BYTES];
    char fitted[TEXT_BYTES];
    um_wait_text(wait, said, sizeof said);
    (void)snprintf(text, sizeof text, INDENT "  %s", said);
    (void)um_utf8_fit(text, COLUMNS, fitted, sizeof fitted);
    (void)fprintf(file, "%s\n", fitted);
}

/* The stack below its freeze, the innermost frame first, cut at the end of the line. */
static void write_stack(FILE *file, const struct um_wire_stack *stack)
{
    char text[TEXT_BYTES];
    char fitted[TEXT_BYTES];
    size_t len = (size_t)snprintf(text, sizeof text, INDENT "  %" PRIu32 " of %" PRIu32 " in ",
                                  stack->alike, stack->samples);
    const char *before = "";
    if (stack->frames[0][0] == '\0')
        (void)snprintf(text, sizeof text,
                       INDENT "  %" PRIu32 " samples, most of them in no place in common",
                       stack->samples);
    for (size_t i = 0; i < UM_WIRE_STACK_FRAMES && stack->frames[i][0] != '\0'; i++) {
        len += (size_t)snprintf(text + len, sizeof text - len, "%s%s", i == 0 ? "" : " ← ",
                                um_short_name(without_module(stack->frames[i], before)));
        before = stack->frames[i];
    }
    (void)um_utf8_fit(text, COLUMNS, fitted, sizeof fitted);
    (void)fprintf(file, "%s\n", fitted);
    write_work(file, stack);
}

static void write_freeze(FILE *file, const struct um_stats_freeze *freeze, uint64_t start_ns)
{
    char uncertain[40] = "";
    if (freeze->uncertainty_ns >= 2 * UM_CLOCK_NS_PER_MS) {
        (void)snprintf(uncertain, sizeof uncertain, " +-%s ms",
                       latency_text(freeze->uncertainty_ns / 2).chars);
    }
    char line[128];
    int len = snprintf(line, sizeof line, INDENT "%-9s  %10s%s  %-7s  ",
                       moment_text(freeze->start_ns, start_ns).chars,
                       span_text(freeze->duration_ns).chars, uncertain,
                       um_wire_state_name(freeze->state));
    (void)fputs(line, file);
    write_suspect(file, freeze, (size_t)len);
}

/* The place in the list of the freeze that follows the one at `after` in the order of length. Equal
 * ones are in the order of the list. The list's length as `after` asks for the longest. */
static size_t next_longest(const struct um_stats_freezes *freezes, size_t after)
{
    size_t best = freezes->len;
    for (size_t i = 0; i < freezes->len; i++) {
        uint64_t length_ns = freezes->list[i].duration_ns;
        bool follows = after == freezes->len || length_ns < freezes->list[after].duration_ns ||
                       (i > after && length_ns == freezes->list[after].duration_ns);
        if (follows && (best == freezes->len || length_ns > freezes->list[best].duration_ns))
            best = i;
    }
    return best;
}

static void write_freezes(FILE *file, const struct um_summary *summary)
{
    const struct um_stats_freezes *freezes = freezes_of(summary);
    if (freezes->count == 0)
        return;
    (void)fprintf(file,
                  "  Freezes    %" PRIu32 " over 100 ms, %" PRIu32 " over 250 ms, %" PRIu32
                  " over 1 s\n",
                  freezes->over_100, freezes->over_250, freezes->over_1000);
    size_t at = freezes->len;
    uint32_t shown = 0;
    while (shown < LONGEST_SHOWN && shown < freezes->len) {
        at = next_longest(freezes, at);
        write_freeze(file, &freezes->list[at], summary->start_ns);
        const struct um_wire_stack *stack =
            um_stats_stack_of(summary->stacks, freezes->list[at].id);
        const struct um_wire_wait *wait = um_stats_wait_of(summary->stacks, freezes->list[at].id);
        if (stack)
            write_stack(file, stack);
        if (wait)
            write_wait(file, wait);
        shown++;
    }
    if (freezes->count > shown)
        (void)fprintf(file, INDENT "and %" PRIu32 " more\n", freezes->count - shown);
}

/* How the freezes were sampled, and what that has cost the target. */
static void write_sampling(FILE *file, const struct um_summary *summary)
{
    const struct um_wire_sampling *sampling = summary->stacks ? &summary->stacks->sampling : NULL;
    if (!sampling || sampling->samples == 0)
        return;
    (void)fprintf(file, "  Sampling   %" PRIu32 " stacks", sampling->samples);
    if (sampling->interval_ns)
        (void)fprintf(file, ", one each %s ms", latency_text(sampling->interval_ns).chars);
    (void)fprintf(file, "\n" INDENT "suspended p50 %s   max %s ms, %" PRIu32 " over 2 ms\n",
                  latency_text(sampling->p50_ns).chars, latency_text(sampling->max_ns).chars,
                  sampling->over_2ms);
}

/* Median and 98th percentile of each part that was observed, on as many lines as they need. */
static void write_parts(FILE *file, const struct um_stats_kind *kind, bool painted)
{
    static const char *const names[] = {[UM_WIRE_PART_INPUT_DELAY] = "input delay",
                                        [UM_WIRE_PART_PROCESSING] = "processing",
                                        [UM_WIRE_PART_PRESENTATION] = "presentation"};
    size_t count = painted ? UM_WIRE_PART_PRESENTATION + 1 : UM_WIRE_PART_PROCESSING + 1;
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        const struct um_histogram *part = &kind->parts[i];
        char text[TEXT_BYTES];
        if (um_histogram_count(part) == 0)
            continue;
        size_t len = (size_t)snprintf(text, sizeof text, "%s %s/%s", names[i],
                                      latency_text(value_at(part, 50.0)).chars,
                                      latency_text(value_at(part, 98.0)).chars);
        bool fits = strlen(INDENT) + used + strlen(", ") + len <= COLUMNS;
        const char *before = used == 0 ? "  p50/p98    " : fits ? ", " : ",\n" INDENT;
        (void)fprintf(file, "%s%s", before, text);
        used = used == 0 || !fits ? len : used + strlen(", ") + len;
    }
    if (used > 0)
        (void)fputc('\n', file);
}

/* The time from arrival to painted, or to handled if paint was observed for fewer than half. */
static void write_total(FILE *file, const struct um_histogram *total, bool painted)
{
    uint64_t max_ns = um_histogram_max(total);
    bool in_s = max_ns >= 100 * UM_CLOCK_NS_PER_S;
    uint64_t unit = in_s ? 1000 : 1;
    if (um_histogram_count(total) == 0) {
        (void)fputs("; when they arrived is not known\n", file);
        return;
    }
    (void)fprintf(file, "%s\n" INDENT "p50 %s   p75 %s   p90 %s   p98 %s   max %s %s\n",
                  painted ? ", from arrival to painted" : ", from arrival to handled",
                  latency_text(value_at(total, 50.0) / unit).chars,
                  latency_text(value_at(total, 75.0) / unit).chars,
                  latency_text(value_at(total, 90.0) / unit).chars,
                  latency_text(value_at(total, 98.0) / unit).chars,
                  latency_text(max_ns / unit).chars, in_s ? "s" : "ms");
}

static void write_kind(FILE *file, const struct um_stats_kind *kind, const char *left,
                       const char *one, const char *many)
{
    bool painted = kind->painted > 0 && 2 * kind->painted >= kind->count;
    (void)fprintf(file, "%s%" PRIu64 " %s", left, kind->count, kind->count == 1 ? one : many);
    if (kind->in_freezes > 0)
        (void)fprintf(file, ", %" PRIu64 " in freezes", kind->in_freezes);
    if (!kind->parts) {
        (void)fputc('\n', file);
        return;
    }
    write_total(file, &kind->parts[painted ? UM_WIRE_PART_TOTAL : UM_WIRE_PART_TO_HANDLED],
                painted);
    write_parts(file, kind, painted);
}

static void write_interactions(FILE *file, const struct um_summary *summary)
{
    static const struct {
        const char *left;
        const char *one;
        const char *many;
    } words[UM_INTERACTION_COUNT] = {
        [UM_INTERACTION_KEY] = {"  Typing     ", "key", "keys"},
        [UM_INTERACTION_CLICK] = {"  Clicks     ", "click", "clicks"},
        [UM_INTERACTION_WHEEL] = {"  Wheel      ", "step", "steps"},
    };
    for (size_t i = 0; i < UM_INTERACTION_COUNT && summary->interactions; i++) {
        const struct um_stats_kind *kind = &summary->interactions->kinds[i];
        if (kind->count > 0)
            write_kind(file, kind, words[i].left, words[i].one, words[i].many);
    }
}

static void write_states(FILE *file, const struct um_summary *summary)
{
    const char *left = "  Time       ";
    bool window_only = is_window_only(summary);
    for (size_t i = 0; i < UM_STATE_COUNT; i++) {
        uint64_t ns = summary->state_ns[reading_order[i]];
        if (ns > 0) {
            (void)fprintf(file, "%s%-*s  %8s  %12s\n", left, window_only ? 13 : 10,
                          um_wire_state_words(reading_order[i], window_only),
                          share_text(ns, summary->duration_ns).chars, span_text(ns).chars);
            left = INDENT;
        }
    }
    if (summary->shielded)
        (void)fputs(INDENT "blind while a program of a higher integrity level was in front\n",
                    file);
    if (summary->held[UM_PROBE_HELD_POINTER])
        (void)fputs(INDENT "blind while the pointer was hidden, because beats show it again\n",
                    file);
    if (summary->held[UM_PROBE_HELD_BUTTON])
        (void)fputs(INDENT "blind while a mouse button was down, so that no drag is shaken\n",
                    file);
}

static void write_cost(FILE *file, const struct um_summary *summary)
{
    const struct um_summary_cost *cost = &summary->cost;
    const struct {
        const char *name;
        const struct um_summary_figure *figure;
    } threads[] = {
        {"heartbeat", &cost->heartbeat},
        {"sender", &cost->sender},
        {"monitor", &cost->monitor},
        {"overlay", &cost->overlay},
    };
    const char *before = "  Own CPU    ";
    for (size_t i = 0; i < sizeof threads / sizeof threads[0]; i++) {
        if (threads[i].figure->measured) {
            (void)fprintf(file, "%s%s %s", before, threads[i].name,
                          core_text(threads[i].figure->ns, summary->duration_ns).chars);
            before = ", ";
        }
    }
    bool any = before[0] == ',';
    if (cost->hook_call.measured) {
        (void)fprintf(file, "%s%" PRIu64 " ns for each hooked message", any ? "\n" INDENT : before,
                      cost->hook_call.ns);
        any = true;
    }
    if (any)
        (void)fputc('\n', file);
}

/* Where freezes were saved, whole, so that it can be copied. */
static void write_bundles(FILE *file, const struct um_summary *summary)
{
    for (size_t i = 0; i < summary->bundle_count && i < BUNDLES_SHOWN; i++)
        (void)fprintf(file, "%s%s\n", i == 0 ? "  Saved      " : INDENT,
                      um_utf8_show_path(summary->bundles[i].folder).text);
    if (summary->bundle_count > BUNDLES_SHOWN)
        (void)fprintf(file, INDENT "and %zu more beside them\n",
                      summary->bundle_count - BUNDLES_SHOWN);
}

enum um_status um_summary_write_text(FILE *file, const struct um_summary *summary)
{
    write_target(file, summary);
    write_verdict(file, summary);
    write_stage(file, summary);
    write_proving(file, summary);
    (void)fputc('\n', file);
    write_latency(file, summary);
    write_freezes(file, summary);
    write_sampling(file, summary);
    write_bundles(file, summary);
    write_interactions(file, summary);
    um_traced_write_text(file, summary->traced);
    write_states(file, summary);
    write_cost(file, summary);
    return fflush(file) != 0 || ferror(file) ? UM_ERR_IO : UM_OK;
}
