#include "monitor/stats/summary.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/plain/clock.h"
#include "base/message_names.h"
#include "base/ns.h"
#include "monitor/json/json.h"
#include "monitor/stats/summary_parts.h"
#include "monitor/stats/wait_text.h"
#include "monitor/stats/counted_write.h"
#include "monitor/stats/laid_out_write.h"
#include "monitor/stats/methods_write.h"
#include "monitor/stats/traced_write.h"

#define WORST_LISTED 10
#define TEXT_BYTES 1024

/* No part of uimon can keep more processors busy than this. A recording with more is damaged or
 * made up, and its CPU times are left out. */
#define MOST_PROCESSORS 64

static const char *beat_name(const struct um_wire_session *session, enum um_beat_kind beat_kind)
{
    if (session->probe != UM_PROBE_RAW)
        return NULL;
    static const char *const names[UM_BEAT_KIND_COUNT] = {
        [UM_BEAT_KIND_STILL] = "still", [UM_BEAT_KIND_ZERO] = "zero", [UM_BEAT_KIND_PAIR] = "pair"};
    return (unsigned)beat_kind < UM_BEAT_KIND_COUNT ? names[beat_kind] : NULL;
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
        .probe = um_wire_probe_word(session->probe),
        .beat = beat_name(session, um_stats_beats(stats)->beat_kind),
        .period_us = session->period_us,
        .beats = *um_stats_beats(stats),
        .totals = *totals,
        .latency = um_stats_histogram(stats),
        .freezes = um_stats_freezes(stats),
        .unmeasured = um_stats_unmeasured(stats),
        .interactions = um_stats_interactions(stats),
        .stacks = um_stats_stacks(stats),
        .traced = um_stats_traced(stats),
        .methods = um_stats_methods(stats),
        .laid_out = um_stats_laid_out(stats),
        .counted = um_stats_counted(stats),
        .cpu_ns = {[UM_SUMMARY_HEARTBEAT] = totals->heartbeat_cpu_ns,
                   [UM_SUMMARY_SENDER] = totals->sender_cpu_ns,
                   [UM_SUMMARY_MONITOR] = totals->monitor_cpu_ns,
                   [UM_SUMMARY_OVERLAY] = totals->overlay_cpu_ns},
        .hook_call_ns = totals->timed_calls ? totals->timed_ns / totals->timed_calls : 0,
    };
    for (size_t i = 0; i < UM_SUMMARY_CPUS; i++)
        if (summary->cpu_ns[i] / MOST_PROCESSORS > totals->duration_ns)
            summary->cpu_ns[i] = 0;
}

/* JSON ----------------------------------------------------------------------------------------- */

static uint64_t ns_to_us(uint64_t ns)
{
    return ns / 1000 + (ns % 1000 + 500) / 1000;
}

static void put_target(struct um_json *json, cJSON *root, const struct um_summary *summary)
{
    cJSON *target = um_json_object(json, root, "target");
    if (summary->pid != 0)
        um_json_number(json, target, "pid", summary->pid);
    um_json_text(json, target, "name", summary->name);
    um_json_text(json, target, "title", summary->title);
    if (summary->bits != 0)
        um_json_number(json, target, "bits", summary->bits);
    um_json_text(json, target, "toolkit", summary->toolkit);
}

/* The word of --background. */
static const char *background_name(uint32_t background_us)
{
    return background_us == 0 ? "full" : background_us == UM_WIRE_PACE_NEVER ? "pause" : "rest";
}

/* Why the session was blind for a time; of several reasons, the one that the user can change. */
static const char *blind_reason(const struct um_summary *summary)
{
    static const uint8_t first[] = {
        UM_PROBE_HELD_POINTER,   UM_PROBE_HELD_BUTTON,      UM_PROBE_HELD_NO_PING,
        UM_PROBE_HELD_NO_ANSWER, UM_PROBE_HELD_ELSEWHERE,   UM_PROBE_HELD_FILTERED,
        UM_PROBE_HELD_REFUSED,   UM_PROBE_HELD_UNDELIVERED, UM_PROBE_HELD_LOSSY,
        UM_PROBE_HELD_DETACHED,  UM_PROBE_HELD_LATE,        UM_PROBE_HELD_NO_ANSWER_YET};
    if (summary->totals.state_ns[UM_STATE_BLIND] == 0)
        return NULL;
    if (summary->beats.were_shielded)
        return "integrity";
    for (size_t i = 0; i < sizeof first / sizeof first[0]; i++)
        if (summary->beats.were_held[first[i]])
            return um_wire_held_words(first[i])->word;
    return NULL;
}

static void put_session(struct um_json *json, cJSON *root, const struct um_summary *summary)
{
    um_json_utc(json, root, "started", summary->utc_ms);
    um_json_ms(json, root, "duration_ms", summary->totals.duration_ns);
    um_json_text(json, root, "probe", summary->probe);
    um_json_text(json, root, "beat", summary->beat);
    um_json_text(json, root, "blind_reason", blind_reason(summary));
    um_json_ms(json, root, "heartbeat_ms", summary->period_us * UM_CLOCK_NS_PER_US);
    if (summary->beats.rest_us) {
        um_json_ms(json, root, "rest_heartbeat_ms", summary->beats.rest_us * UM_CLOCK_NS_PER_US);
        um_json_text(json, root, "background", background_name(summary->beats.background_us));
    }
    um_json_text(json, root, "stage", um_summary_is_window_only(summary) ? "window" : NULL);

    cJSON *beats = um_json_object(json, root, "beats");
    um_json_u64(json, beats, "sent", summary->totals.beats_sent);
    um_json_u64(json, beats, "seen", summary->totals.beats_seen);
    um_json_u64(json, beats, "lost", summary->totals.beats_lost);
    if (summary->beats.rest_us)
        um_json_u64(json, beats, "rested", summary->totals.beats_rested);
}

/* What uimon's own beats made the program do. The other numbers leave it out. */
static void put_own_beats(struct um_json *json, cJSON *root, const struct um_summary *summary)
{
    const struct um_stats_beats *beats = &summary->beats;
    if (summary->totals.own_beats_ns == 0)
        return;
    cJSON *own = um_json_object(json, root, "own_beats");
    um_json_ms(json, own, "total_ms", summary->totals.own_beats_ns);
    um_json_number(json, own, "freezes", beats->own_freezes);
    um_json_ms(json, own, "longest_ms", beats->own_longest_ns);
    if (beats->spared_us)
        um_json_ms(json, own, "heartbeat_ms", beats->spared_us * UM_CLOCK_NS_PER_US);
}

/* What may be unseen because beats were left out at rest. */
static void put_rest(struct um_json *json, cJSON *root, const struct um_summary *summary)
{
    if (!summary->beats.rest_gap_ns || !summary->freezes)
        return;
    cJSON *rest = um_json_object(json, root, "at_rest");
    um_json_ms(json, rest, "longest_gap_ms", summary->beats.rest_gap_ns);
    um_json_ms(json, rest, "told_from_ms",
               um_stats_told_at_rest_ns(&summary->beats, summary->freezes->threshold_ns,
                                        summary->period_us * UM_CLOCK_NS_PER_US));
}

static void put_latency(struct um_json *json, cJSON *root, const struct um_summary *summary)
{
    cJSON *latency = um_json_object(json, root, "latency_ms");
    um_json_u64(json, latency, "count", um_summary_latency_count(summary));
    if (um_summary_latency_count(summary) == 0)
        return;
    um_json_ms(json, latency, "mean", (uint64_t)um_histogram_mean(summary->latency));
    um_json_ms(json, latency, "p50", um_summary_value_at(summary->latency, 50.0));
    um_json_ms(json, latency, "p90", um_summary_value_at(summary->latency, 90.0));
    um_json_ms(json, latency, "p99", um_summary_value_at(summary->latency, 99.0));
    um_json_ms(json, latency, "p999", um_summary_value_at(summary->latency, 99.9));
    um_json_ms(json, latency, "max", um_histogram_max(summary->latency));
}

/* The running sum is rounded, so that the printed states add up to the printed duration. */
static void put_states(struct um_json *json, cJSON *root, const struct um_summary *summary)
{
    cJSON *states = um_json_object(json, root, "state_ms");
    uint64_t sum_ns = 0;
    for (size_t i = 0; i < UM_STATE_COUNT; i++) {
        uint64_t before_us = ns_to_us(sum_ns);
        sum_ns += summary->totals.state_ns[um_summary_reading_order[i]];
        um_json_number(json, states, um_wire_state_name(um_summary_reading_order[i]),
                       (double)(ns_to_us(sum_ns) - before_us) / 1000.0);
    }
}

/* How many freezes were felt, of those of which that is known. */
static void put_felt(struct um_json *json, cJSON *object, const struct um_stats_freezes *freezes)
{
    uint32_t unknown = freezes->unsure;
    if (!freezes->observes)
        return;
    for (size_t i = 0; i < freezes->len; i++)
        unknown += freezes->list[i].open;
    if (unknown < freezes->count || freezes->count == 0)
        um_json_number(json, object, "felt", freezes->felt);
    if (unknown > 0)
        um_json_number(json, object, "felt_unknown", unknown);
}

static void put_freezes(struct um_json *json, cJSON *root, const struct um_stats_freezes *freezes)
{
    cJSON *object = um_json_object(json, root, "freezes");
    um_json_ms(json, object, "threshold_ms", freezes->threshold_ns);
    um_json_number(json, object, "count", freezes->count);
    um_json_ms(json, object, "total_ms", freezes->total_ns);
    um_json_ms(json, object, "longest_ms", freezes->longest_ns);
    um_json_number(json, object, "over_100", freezes->over_100);
    um_json_number(json, object, "over_250", freezes->over_250);
    um_json_number(json, object, "over_1000", freezes->over_1000);
    um_json_number(json, object, "unlisted", freezes->dropped);
    put_felt(json, object, freezes);
}

/* A time from the begin of measuring on; negative before it. */
static void put_moment(struct um_json *json, cJSON *object, const char *name, uint64_t time_ns,
                       uint64_t session_start_ns)
{
    if (time_ns < session_start_ns)
        um_json_number(json, object, name, -(double)ns_to_us(session_start_ns - time_ns) / 1000.0);
    else
        um_json_ms(json, object, name, time_ns - session_start_ns);
}

/* For each function of the stack, whether it is a guess; nothing if none is. */
static void put_guesses(struct um_json *json, cJSON *freeze, const struct um_wire_stack *stack)
{
    unsigned count = 0, any = 0;
    for (; count < UM_WIRE_STACK_FRAMES && stack->frames[count][0] != '\0'; count++)
        any |= stack->known & UM_WIRE_STACK_GUESSED(count);
    if (any == 0)
        return;
    cJSON *list = um_json_array(json, freeze, "stack_guessed");
    for (unsigned i = 0; i < count; i++)
        um_json_append(json, list, cJSON_CreateBool((any & UM_WIRE_STACK_GUESSED(i)) != 0));
}

static void put_stack(struct um_json *json, cJSON *freeze, const struct um_wire_stack *stack)
{
    cJSON *frames = um_json_array(json, freeze, "stack");
    for (size_t i = 0; i < UM_WIRE_STACK_FRAMES && stack->frames[i][0] != '\0'; i++)
        um_json_append_text(json, frames, stack->frames[i]);
    put_guesses(json, freeze, stack);
    um_json_text(json, freeze, "place", stack->place);
    um_json_text(json, freeze, "stack_stopped", stack->stopped);
    um_json_text(json, freeze, "call", stack->call);
    if (stack->known & UM_WIRE_STACK_CPU) {
        um_json_ms(json, freeze, "sampled_ms", stack->sampled_us * UM_CLOCK_NS_PER_US);
        um_json_ms(json, freeze, "cpu_user_ms", stack->user_us * UM_CLOCK_NS_PER_US);
        um_json_ms(json, freeze, "cpu_kernel_ms", stack->kernel_us * UM_CLOCK_NS_PER_US);
    }
    if (stack->known & UM_WIRE_STACK_MINE) {
        um_json_number(json, freeze, "samples_yours", stack->yours);
        um_json_number(json, freeze, "samples_unread", stack->unread);
        um_json_text(json, freeze, "whose", stack->whose);
    }
    um_json_number(json, freeze, "samples", stack->samples);
    um_json_number(json, freeze, "samples_alike", stack->alike);
    if (stack->known & UM_WIRE_STACK_OF_READ)
        um_json_number(json, freeze, "samples_alike_of", um_wire_stack_of(stack));
    if (um_wire_stack_cut(stack) > 0)
        um_json_number(json, freeze, "samples_cut", um_wire_stack_cut(stack));
    if (stack->guessed[0] != '\0')
        um_json_number(json, freeze, "samples_guessed", strtod(stack->guessed, NULL));
    if (stack->interval_us)
        um_json_ms(json, freeze, "sample_interval_ms", stack->interval_us * UM_CLOCK_NS_PER_US);
}

static void put_wait(struct um_json *json, cJSON *freeze, const struct um_wire_wait *wait)
{
    cJSON *object = um_json_object(json, freeze, "waiting_for");
    um_json_text(json, object, "what", um_wait_text_kind(wait->kind));
    if (wait->thread != 0)
        um_json_number(json, object, "thread", wait->thread);
    um_json_number(json, object, "process", wait->process);
    um_json_text(json, object, "process_name", wait->process_name);
    um_json_text(json, object, "window_class", wait->object);
    um_json_text(json, object, "function", wait->function);
    um_json_number(json, object, "samples", wait->samples);
}

static void put_held_up(struct um_json *json, cJSON *freeze,
                        const uint32_t held_up[UM_INTERACTION_COUNT])
{
    cJSON *object = um_json_object(json, freeze, "held_up");
    for (int i = 0; i < UM_INTERACTION_COUNT; i++)
        um_json_number(json, object, um_wire_interactions_name((enum um_interaction)i), held_up[i]);
}

static void put_costliest(struct um_json *json, cJSON *freeze,
                          const struct um_stats_costliest *costliest)
{
    char message[UM_MESSAGE_NAMES_BYTES];
    if (costliest->length_ns == 0)
        return;
    cJSON *object = um_json_object(json, freeze, "costliest");
    um_message_names_get(costliest->message, costliest->message_name, message, sizeof message);
    um_json_text(json, object, "message", message);
    um_json_text(json, object, "window_class", costliest->window_class);
    um_json_text(json, object, "how", um_stats_costliest_how(costliest));
    um_json_ms(json, object, "ms", costliest->length_ns);
}

static void put_listed_freeze(struct um_json *json, cJSON *list,
                              const struct um_stats_freeze *freeze,
                              const struct um_summary *summary)
{
    const struct um_wire_stack *stack = um_stats_stack_of(summary->stacks, freeze->id);
    const struct um_wire_wait *wait = um_stats_wait_of(summary->stacks, freeze->id);
    cJSON *object = um_json_append_object(json, list);
    put_moment(json, object, "start_ms", freeze->start_ns, summary->start_ns);
    um_json_ms(json, object, "duration_ms", freeze->duration_ns);
    um_json_text(json, object, "state", um_wire_state_name(freeze->state));
    um_json_ms(json, object, "start_uncertainty_ms", freeze->uncertainty_ns);
    if (freeze->has_message) {
        char message[UM_MESSAGE_NAMES_BYTES];
        um_message_names_get(freeze->message, freeze->message_name, message, sizeof message);
        um_json_text(json, object, "message", message);
        um_json_text(json, object, "window_class", freeze->window_class);
    }
    um_json_bool(json, object, "open", freeze->open);
    if (um_stats_knows_felt(um_summary_freezes(summary), freeze))
        put_held_up(json, object, freeze->held_up);
    if (stack)
        put_stack(json, object, stack);
    if (wait)
        put_wait(json, object, wait);
    put_costliest(json, object, &freeze->costliest);
}

static void put_freeze_list(struct um_json *json, cJSON *root, const struct um_summary *summary)
{
    const struct um_stats_freezes *freezes = um_summary_freezes(summary);
    cJSON *list = um_json_array(json, root, "freeze_list");
    for (size_t i = 0; i < freezes->len && !json->failed; i++)
        put_listed_freeze(json, list, &freezes->list[i], summary);
}

static void put_unmeasured_list(struct um_json *json, cJSON *root, const struct um_summary *summary)
{
    cJSON *list = um_json_array(json, root, "unmeasured_list");
    for (size_t i = 0; summary->unmeasured && i < summary->unmeasured->len && !json->failed; i++) {
        const struct um_stats_unmeasured *time = &summary->unmeasured->list[i];
        cJSON *object = um_json_append_object(json, list);
        put_moment(json, object, "start_ms", time->start_ns, summary->start_ns);
        um_json_ms(json, object, "duration_ms", um_ns_elapsed(time->start_ns, time->end_ns));
        um_json_text(json, object, "state", um_wire_state_name(time->state));
    }
    if (summary->unmeasured && summary->unmeasured->dropped > 0)
        um_json_number(json, root, "unmeasured_unlisted", summary->unmeasured->dropped);
}

static void put_sampling(struct um_json *json, cJSON *root, const struct um_summary *summary)
{
    const struct um_wire_sampling *sampling = &summary->stacks->sampling;
    cJSON *object = um_json_object(json, root, "sampling");
    um_json_number(json, object, "samples", sampling->samples);
    if (sampling->interval_ns)
        um_json_ms(json, object, "interval_ms", sampling->interval_ns);
    cJSON *suspended = um_json_object(json, object, "suspended_ms");
    um_json_ms(json, suspended, "p50", sampling->p50_ns);
    um_json_ms(json, suspended, "max", sampling->max_ns);
    um_json_ms(json, suspended, "total", sampling->total_ns);
    um_json_number(json, object, "over_2ms", sampling->over_2ms);
    if (sampling->withheld_ns > 0)
        um_json_ms(json, object, "withheld_ms", sampling->withheld_ns);
}

static const char *const part_names[UM_WIRE_PART_COUNT] = {
    [UM_WIRE_PART_INPUT_DELAY] = "input_delay_ms",   [UM_WIRE_PART_PROCESSING] = "processing_ms",
    [UM_WIRE_PART_PRESENTATION] = "presentation_ms", [UM_WIRE_PART_TOTAL] = "total_ms",
    [UM_WIRE_PART_TO_HANDLED] = "to_handled_ms",
};

static void put_part(struct um_json *json, cJSON *kind, const char *name,
                     const struct um_histogram *part)
{
    if (um_histogram_count(part) == 0)
        return;
    cJSON *object = um_json_object(json, kind, name);
    um_json_u64(json, object, "count", um_histogram_count(part));
    um_json_ms(json, object, "p50", um_summary_value_at(part, 50.0));
    um_json_ms(json, object, "p75", um_summary_value_at(part, 75.0));
    um_json_ms(json, object, "p90", um_summary_value_at(part, 90.0));
    um_json_ms(json, object, "p98", um_summary_value_at(part, 98.0));
    um_json_ms(json, object, "max", um_histogram_max(part));
}

static void put_kind(struct um_json *json, cJSON *parent, const char *name,
                     const struct um_stats_kind *kind)
{
    cJSON *object = um_json_object(json, parent, name);
    um_json_u64(json, object, "count", kind->count);
    um_json_u64(json, object, "painted", kind->painted);
    um_json_u64(json, object, "in_freezes", kind->in_freezes);
    for (int i = 0; i < UM_WIRE_PART_COUNT && kind->parts; i++)
        put_part(json, object, part_names[i], &kind->parts[i]);
}

static void put_interaction(struct um_json *json, cJSON *list, const struct um_summary *summary,
                            const struct um_stats_interaction *interaction)
{
    const struct um_wire_interaction *times = &interaction->times;
    const struct um_stats_freezes *freezes = um_summary_freezes(summary);
    uint64_t at_ns = times->arrival_ns ? times->arrival_ns : times->dequeued_ns;
    cJSON *object = um_json_append_object(json, list);
    uint64_t length_ns;
    um_json_text(json, object, "kind", um_wire_interaction_name(times->kind));
    put_moment(json, object, "at_ms", at_ns, summary->start_ns);
    for (int i = 0; i < UM_WIRE_PART_COUNT; i++)
        if (um_wire_interaction_part_ns(times, (enum um_wire_part)i, &length_ns))
            um_json_ms(json, object, part_names[i], length_ns);
    for (size_t i = 0; i < freezes->len && times->freeze != 0; i++) {
        if (freezes->list[i].id == times->freeze) {
            um_json_number(json, object, "freeze", (double)i);
            break;
        }
    }
    if (times->key != 0)
        um_json_number(json, object, "key", times->key);
    if (interaction->release)
        um_json_bool(json, object, "release", true);
}

static void put_interactions(struct um_json *json, cJSON *root, const struct um_summary *summary)
{
    const struct um_stats_interactions *interactions = summary->interactions;
    if (!interactions || interactions->worst_len == 0)
        return;
    cJSON *kinds = um_json_object(json, root, "interactions");
    for (size_t i = 0; i < UM_INTERACTION_COUNT; i++)
        if (interactions->kinds[i].count > 0)
            put_kind(json, kinds, um_wire_interaction_name((enum um_interaction)i),
                     &interactions->kinds[i]);
    cJSON *list = um_json_array(json, root, "worst_interactions");
    for (size_t i = 0; i < interactions->worst_len && i < WORST_LISTED && !json->failed; i++)
        put_interaction(json, list, summary, &interactions->worst[i]);
}

static void put_cost(struct um_json *json, cJSON *root, const struct um_summary *summary)
{
    char name[24];
    cJSON *object = um_json_object(json, root, "cost");
    for (size_t i = 0; i < UM_SUMMARY_CPUS; i++) {
        (void)snprintf(name, sizeof name, "%s_cpu_ms", um_summary_cpu_names[i]);
        if (summary->cpu_ns[i])
            um_json_ms(json, object, name, summary->cpu_ns[i]);
    }
    if (summary->hook_call_ns)
        um_json_u64(json, object, "hook_call_ns", summary->hook_call_ns);
}

static void put_bundles(struct um_json *json, cJSON *root, const struct um_summary *summary)
{
    if (!summary->bundles)
        return;
    cJSON *list = um_json_array(json, root, "bundles");
    for (size_t i = 0; i < summary->bundle_count && !json->failed; i++) {
        const struct um_summary_bundle *bundle = &summary->bundles[i];
        cJSON *item = um_json_append_object(json, list);
        um_json_text(json, item, "folder", bundle->folder);
        put_moment(json, item, "start_ms", bundle->start_ns, summary->start_ns);
        um_json_bool(json, item, "whole", bundle->whole);
        um_json_text(json, item, "minidump",
                     bundle->has_minidump         ? "freeze"
                     : bundle->has_minidump_after ? "after"
                                                  : NULL);
    }
}

cJSON *um_summary_object(const struct um_summary *summary)
{
    struct um_json json = {.failed = false};
    cJSON *root = cJSON_CreateObject();
    um_json_text(&json, root, "uimon", UM_VERSION);
    um_json_number(&json, root, "schema", UM_SUMMARY_SCHEMA);
    put_target(&json, root, summary);
    put_session(&json, root, summary);
    put_rest(&json, root, summary);
    put_latency(&json, root, summary);
    put_own_beats(&json, root, summary);
    put_states(&json, root, summary);
    put_freezes(&json, root, um_summary_freezes(summary));
    put_freeze_list(&json, root, summary);
    put_unmeasured_list(&json, root, summary);
    if (summary->stacks && summary->stacks->sampling.samples > 0)
        put_sampling(&json, root, summary);
    put_interactions(&json, root, summary);
    put_bundles(&json, root, summary);
    um_traced_write_json(&json, root, summary->traced);
    um_methods_write_json(&json, root, summary->methods);
    um_laid_out_write_json(&json, root, summary->laid_out);
    um_counted_write_json(&json, root, summary->counted, summary->start_ns);
    um_json_u64(&json, root, "dropped", summary->totals.dropped);
    um_json_u64(&json, root, "clock_start_ns", summary->start_ns);
    put_cost(&json, root, summary);
    if (!json.failed)
        return root;
    cJSON_Delete(root);
    return NULL;
}

enum um_status um_summary_json(const struct um_summary *summary, char **out)
{
    const struct um_json json = {.failed = false};
    char *text = um_json_print(&json, um_summary_object(summary), true);
    if (!text)
        return UM_ERR_MEMORY;
    *out = text;
    return UM_OK;
}
