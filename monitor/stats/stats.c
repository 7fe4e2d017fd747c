#include "monitor/stats/stats.h"

#include <stdlib.h>
#include <string.h>

#include "base/plain/clock.h"
#include "base/plain/text.h"
#include "base/list.h"
#include "base/ns.h"
#include "monitor/stats/slices.h"
#include "monitor/stats/window.h"

/* The histograms of one kind of interaction, with their counts behind them. */
struct parts {
    struct um_histogram histograms[UM_WIRE_PART_COUNT];
    uint64_t counts[UM_WIRE_PART_COUNT][UM_HISTOGRAM_LATENCY_COUNTS];
};

struct um_stats {
    uint64_t period_ns;
    bool measured; /* the last beat is known */
    uint64_t last_sent_ns;
    uint64_t unmeasured_ns; /* the end of the last time that was no rest: suspended, or blind */
    uint64_t last_latency_ns;
    uint64_t last_freeze_ns;
    uint64_t last_freeze_end_ns;
    struct um_stats_freezes freezes;
    size_t freezes_cap;
    struct um_stats_unmeasured_list unmeasured;
    size_t unmeasured_cap;
    struct um_stats_beats beats;
    struct um_stats_stacks stacks;
    struct um_handlers *handlers;
    struct um_traced *traced;
    struct um_laid_out *laid_out;
    struct um_methods *methods;
    struct um_counted *counted;
    struct um_stats_interactions interactions;
    struct parts *parts[UM_INTERACTION_COUNT];
    size_t keys; /* in all; the last ones are in `typing`, a ring */
    struct um_wire_interaction typing[UM_STATS_TYPING];
    struct um_wire_interaction click; /* the last one; dequeued_ns is 0 before the first */
    struct um_slices slices;
    struct um_histogram histogram;
    struct um_window window;
    uint64_t counts[UM_HISTOGRAM_LATENCY_COUNTS];
};

enum um_status um_stats_open(const struct um_stats_config *config, struct um_stats **out)
{
    struct um_stats *stats = calloc(1, sizeof *stats);
    if (!stats || um_handlers_open(&stats->handlers) != UM_OK ||
        um_traced_open(stats->handlers, &stats->traced) != UM_OK ||
        um_laid_out_open(stats->handlers, &stats->laid_out) != UM_OK ||
        um_methods_open(&stats->methods) != UM_OK || um_counted_open(&stats->counted) != UM_OK) {
        um_stats_close(stats);
        return UM_ERR_MEMORY;
    }
    stats->period_ns = config->period_ns;
    stats->freezes.threshold_ns = config->threshold_ns;
    um_slices_init(&stats->slices, config->start_ns);
    um_window_init(&stats->window, config->period_ns);
    um_histogram_init_latency(&stats->histogram, stats->counts);
    *out = stats;
    return UM_OK;
}

void um_stats_close(struct um_stats *stats)
{
    if (!stats)
        return;
    for (size_t i = 0; i < UM_INTERACTION_COUNT; i++)
        free(stats->parts[i]);
    free(stats->freezes.list);
    free(stats->unmeasured.list);
    um_counted_close(stats->counted);
    um_methods_close(stats->methods);
    um_laid_out_close(stats->laid_out);
    um_traced_close(stats->traced);
    um_handlers_close(stats->handlers);
    free(stats);
}

static void take_session(struct um_stats *stats, const struct um_wire_session *session)
{
    if (um_histogram_count(&stats->histogram) == 0 && session->start_ns != stats->slices.start_ns)
        um_slices_init(&stats->slices, session->start_ns);
    um_slices_set_rest(&stats->slices, stats->beats.rest_us * UM_CLOCK_NS_PER_US);
    stats->period_ns = session->period_us * UM_CLOCK_NS_PER_US;
    stats->freezes.threshold_ns = session->threshold_us * UM_CLOCK_NS_PER_US;
    um_window_set_period(&stats->window, stats->period_ns);
}

static void take_beat(struct um_stats *stats, const struct um_wire_beat *beat)
{
    um_histogram_record_corrected(&stats->histogram, beat->latency_ns, stats->period_ns);
    um_window_add(&stats->window, beat->sent_ns + beat->latency_ns, beat->latency_ns);
    um_slices_beat(&stats->slices, beat->sent_ns, beat->latency_ns);
    stats->last_sent_ns = beat->sent_ns;
    stats->last_latency_ns = beat->latency_ns;
    stats->measured = true;
}

static void take_pace(struct um_stats *stats, const struct um_wire_pace *pace)
{
    stats->beats.rest_us = pace->rest_us;
    stats->beats.background_us = pace->background_us;
    if (pace->spared_us > stats->beats.spared_us)
        stats->beats.spared_us = pace->spared_us;
    um_slices_set_rest(&stats->slices, pace->rest_us * UM_CLOCK_NS_PER_US);
}

/* Counts the beats that were left out with the latency of the one before, a period apart. Only so
 * many of them as a window holds are added to it. */
static void take_rest(struct um_stats *stats, const struct um_wire_rest *rest)
{
    uint64_t kept = rest->skipped < UM_WINDOW_SAMPLES ? rest->skipped : UM_WINDOW_SAMPLES;
    if (!stats->measured)
        return;
    if (stats->last_sent_ns >= stats->unmeasured_ns)
        stats->beats.rest_gap_ns =
            um_ns_max(stats->beats.rest_gap_ns, um_ns_elapsed(stats->last_sent_ns, rest->time_ns));
    um_histogram_record_count(&stats->histogram, stats->last_latency_ns, rest->skipped);
    for (; kept > 0; kept--) {
        uint64_t ago_ns = kept * stats->period_ns;
        um_window_add(&stats->window, rest->time_ns > ago_ns ? rest->time_ns - ago_ns : 0,
                      stats->last_latency_ns);
    }
}

static void list_freeze(struct um_stats *stats, const struct um_wire_episode *episode,
                        unsigned flags, uint64_t length_ns)
{
    if (!um_list_reserve(&stats->freezes.list, &stats->freezes_cap, stats->freezes.len + 1,
                         UM_STATS_MAX_FREEZES, sizeof *stats->freezes.list)) {
        stats->freezes.dropped++;
        return;
    }
    struct um_stats_freeze *freeze = &stats->freezes.list[stats->freezes.len++];
    *freeze = (struct um_stats_freeze){
        .id = episode->id,
        .start_ns = episode->start_ns,
        .end_ns = episode->end_ns,
        .duration_ns = length_ns,
        .uncertainty_ns = episode->uncertainty_ns,
        .peak_ns = episode->peak_ns,
        .state = (enum um_state)episode->state,
        .open = (flags & UM_WIRE_EPISODE_OPEN) != 0,
        .has_message = (flags & UM_WIRE_EPISODE_HAS_MESSAGE) != 0,
    };
    if (freeze->has_message) {
        freeze->message = episode->message;
        um_text_set(freeze->window_class, sizeof freeze->window_class, episode->window_class);
        um_text_set(freeze->message_name, sizeof freeze->message_name, episode->message_name);
    }
}

static void list_unmeasured(struct um_stats *stats, const struct um_wire_episode *episode)
{
    struct um_stats_unmeasured_list *to = &stats->unmeasured;
    if (um_list_reserve(&to->list, &stats->unmeasured_cap, to->len + 1, UM_STATS_MAX_UNMEASURED,
                        sizeof *to->list))
        to->list[to->len++] = (struct um_stats_unmeasured){episode->start_ns, episode->end_ns,
                                                           (enum um_state)episode->state};
    else
        to->dropped++;
}

static void take_own(struct um_stats_beats *beats, uint64_t length_ns, uint64_t threshold_ns)
{
    beats->own_freezes += length_ns >= threshold_ns;
    if (length_ns > beats->own_longest_ns)
        beats->own_longest_ns = length_ns;
}

static void take_episode(struct um_stats *stats, const struct um_wire_episode *episode,
                         unsigned flags)
{
    bool is_over = (flags & UM_WIRE_EPISODE_END) != 0 && (flags & UM_WIRE_EPISODE_VOID) == 0;
    if (is_over && episode->state == UM_STATE_OWN_BEAT)
        take_own(&stats->beats, um_wire_episode_length_ns(episode), stats->freezes.threshold_ns);
    bool is_unseen = episode->state == UM_STATE_SUSPENDED || episode->state == UM_STATE_BLIND;
    if (is_over && is_unseen)
        stats->unmeasured_ns = um_ns_max(stats->unmeasured_ns, episode->end_ns);
    if (is_over && (is_unseen || episode->state == UM_STATE_IDLE))
        list_unmeasured(stats, episode);
    if (!um_wire_state_is_freeze(episode->state) || !is_over)
        return;
    uint64_t length_ns = um_wire_episode_length_ns(episode);
    struct um_stats_freezes *freezes = &stats->freezes;
    freezes->count++;
    freezes->total_ns += length_ns;
    freezes->longest_ns = length_ns > freezes->longest_ns ? length_ns : freezes->longest_ns;
    freezes->over_100 += length_ns >= 100 * UM_CLOCK_NS_PER_MS;
    freezes->over_250 += length_ns >= 250 * UM_CLOCK_NS_PER_MS;
    freezes->over_1000 += length_ns >= 1000 * UM_CLOCK_NS_PER_MS;
    stats->last_freeze_ns = length_ns;
    stats->last_freeze_end_ns = episode->end_ns;
    list_freeze(stats, episode, flags, length_ns);
}

/* The histograms of a kind, made at its first interaction; NULL without memory. */
static struct parts *parts_of(struct um_stats *stats, uint8_t kind)
{
    if (!stats->parts[kind]) {
        struct parts *parts = calloc(1, sizeof *parts);
        if (!parts)
            return NULL;
        for (size_t i = 0; i < UM_WIRE_PART_COUNT; i++)
            um_histogram_init_latency(&parts->histograms[i], parts->counts[i]);
        stats->parts[kind] = parts;
        stats->interactions.kinds[kind].parts = parts->histograms;
    }
    return stats->parts[kind];
}

/* Puts an interaction into its place among the worst; of equals, the earlier one comes first. */
static void rank_among_worst(struct um_stats_interactions *all,
                             const struct um_wire_interaction *times, bool release)
{
    uint64_t length_ns = um_wire_interaction_length_ns(times);
    size_t at = all->worst_len;
    while (at > 0 && um_wire_interaction_length_ns(&all->worst[at - 1].times) < length_ns)
        at--;
    if (at == UM_STATS_WORST)
        return;
    all->worst_len += all->worst_len < UM_STATS_WORST;
    size_t after = all->worst_len - at - 1;
    memmove(&all->worst[at + 1], &all->worst[at], after * sizeof all->worst[0]);
    all->worst[at] = (struct um_stats_interaction){*times, release};
}

/* Counts an input in a freeze that held it up, or may have. What else waits in a freeze that lasts
 * is not known, so nothing is counted there. */
static void count_in_freeze(struct um_stats_freezes *freezes, struct um_stats_freeze *freeze,
                            const struct um_wire_interaction *times)
{
    if (freeze->open)
        return;
    freezes->felt -= um_stats_is_felt(freeze);
    freezes->unsure -= freeze->unsure && !um_stats_is_felt(freeze);
    if (um_wire_interaction_is_held_up(times, freeze->start_ns, freeze->end_ns))
        freeze->held_up[times->kind]++;
    else if (um_wire_interaction_may_be_held_up(times, freeze->start_ns, freeze->end_ns))
        freeze->unsure = true;
    freezes->felt += um_stats_is_felt(freeze);
    freezes->unsure += freeze->unsure && !um_stats_is_felt(freeze);
}

/* Freezes are in the order of their ends, and those that ended too long before the input are not
 * looked at. */
static void count_held_up(struct um_stats *stats, const struct um_wire_interaction *times)
{
    struct um_stats_freezes *freezes = &stats->freezes;
    uint64_t from_ns = times->arrival_ns ? um_ns_elapsed(UM_WIRE_MAY_COME_NS, times->arrival_ns)
                                         : um_ns_elapsed(UM_WIRE_MAY_WAIT_NS, times->dequeued_ns);
    for (size_t i = freezes->len; i > 0 && freezes->list[i - 1].end_ns >= from_ns; i--)
        count_in_freeze(freezes, &freezes->list[i - 1], times);
}

static void take_interaction(struct um_stats *stats, const struct um_wire_interaction *times,
                             unsigned flags)
{
    if (times->kind >= UM_INTERACTION_COUNT)
        return;
    struct um_stats_kind *kind = &stats->interactions.kinds[times->kind];
    struct parts *parts = parts_of(stats, times->kind);
    uint64_t length_ns;
    stats->freezes.observes = stats->freezes.observes || times->arrival_ns != 0;
    kind->count++;
    kind->in_freezes += times->freeze != 0;
    kind->painted += um_wire_interaction_part_ns(times, UM_WIRE_PART_TOTAL, &length_ns);
    stats->interactions.dropped += !parts;
    count_held_up(stats, times);
    for (int i = 0; i < UM_WIRE_PART_COUNT && parts; i++)
        if (um_wire_interaction_part_ns(times, (enum um_wire_part)i, &length_ns))
            um_histogram_record(&parts->histograms[i], length_ns);
    rank_among_worst(&stats->interactions, times, (flags & UM_WIRE_INTERACTION_RELEASE) != 0);
    if (times->kind == UM_INTERACTION_KEY)
        stats->typing[stats->keys++ % UM_STATS_TYPING] = *times;
    else if (times->kind == UM_INTERACTION_CLICK)
        stats->click = *times;
}

static void take_beat_kind(struct um_stats_beats *beats, const struct um_wire_beat_kind *kind)
{
    beats->beat_kind = (enum um_beat_kind)kind->kind;
    beats->were_shielded = beats->were_shielded || kind->shielded;
    if (kind->held < UM_PROBE_HELD_COUNT)
        beats->were_held[kind->held] = true;
}

/* A freeze of the list; NULL: it is not there. The search begins at the end, because a STACK
 * follows soon after its freeze. */
static struct um_stats_freeze *freeze_of(const struct um_stats_freezes *freezes, uint32_t id)
{
    for (size_t i = freezes->len; i > 0; i--)
        if (freezes->list[i - 1].id == id)
            return &freezes->list[i - 1];
    return NULL;
}

bool um_stats_replace_stack(struct um_stats *stats, const struct um_wire_stack *stack)
{
    struct um_stats_stacks *stacks = &stats->stacks;
    for (size_t i = 0; i < stacks->len; i++)
        if (stacks->list[i].stack.freeze == stack->freeze) {
            stacks->list[i].stack = *stack;
            return true;
        }
    return false;
}

/* A second STACK of a freeze replaces the first. When there is no room, the stack of the shortest
 * freeze is dropped. */
static void take_stack(struct um_stats *stats, const struct um_wire_stack *stack)
{
    struct um_stats_stacks *stacks = &stats->stacks;
    struct um_stats_freeze *freeze = freeze_of(&stats->freezes, stack->freeze);
    size_t at = 0;

    if (freeze)
        freeze->has_stack = true;
    if (!freeze || um_stats_replace_stack(stats, stack))
        return;
    for (size_t i = 1; i < stacks->len; i++)
        if (stacks->list[i].duration_ns < stacks->list[at].duration_ns)
            at = i;
    if (stacks->len < UM_STATS_STACKS)
        at = stacks->len++;
    else if (stacks->list[at].duration_ns >= freeze->duration_ns)
        return;
    stacks->list[at] = (struct um_stats_stack){.duration_ns = freeze->duration_ns, .stack = *stack};
}

static void take_costliest(struct um_stats *stats, const struct um_wire_costliest *told)
{
    for (size_t i = stats->freezes.len; i > 0; i--) {
        struct um_stats_freeze *freeze = &stats->freezes.list[i - 1];
        struct um_stats_costliest *costliest = &freeze->costliest;
        if (freeze->id != told->freeze)
            continue;
        costliest->length_ns = um_ns_min(told->length_ns, freeze->duration_ns);
        costliest->message = told->message;
        costliest->kind = told->kind;
        um_text_set(costliest->window_class, sizeof costliest->window_class, told->window_class);
        um_text_set(costliest->message_name, sizeof costliest->message_name, told->message_name);
        return;
    }
}

static void take_wait(struct um_stats_stacks *stacks, const struct um_wire_wait *wait)
{
    for (size_t i = 0; i < stacks->len; i++)
        if (stacks->list[i].stack.freeze == wait->freeze)
            stacks->list[i].wait = *wait;
}

void um_stats_frame(struct um_stats *stats, const struct um_wire_frame *frame)
{
    switch (frame->type) {
    case UM_WIRE_SESSION:
        take_session(stats, &frame->as.session);
        break;
    case UM_WIRE_BEAT:
        take_beat(stats, &frame->as.beat);
        break;
    case UM_WIRE_PACE:
        take_pace(stats, &frame->as.pace);
        break;
    case UM_WIRE_REST:
        take_rest(stats, &frame->as.rest);
        break;
    case UM_WIRE_EPISODE:
        take_episode(stats, &frame->as.episode, frame->flags);
        break;
    case UM_WIRE_INTERACTION:
        take_interaction(stats, &frame->as.interaction, frame->flags);
        break;
    case UM_WIRE_STACK:
        take_stack(stats, &frame->as.stack);
        break;
    case UM_WIRE_WAIT:
        take_wait(&stats->stacks, &frame->as.wait);
        break;
    case UM_WIRE_COSTLIEST:
        take_costliest(stats, &frame->as.costliest);
        break;
    case UM_WIRE_SAMPLING:
        stats->stacks.sampling = frame->as.sampling;
        break;
    case UM_WIRE_TOTALS:
        stats->freezes.observes = stats->freezes.observes || frame->as.totals.observes;
        break;
    case UM_WIRE_BEAT_KIND:
        take_beat_kind(&stats->beats, &frame->as.beat_kind);
        break;
    default:
        um_handlers_take(stats->handlers, frame);
        um_traced_take(stats->traced, frame);
        um_laid_out_take(stats->laid_out, frame);
        um_methods_take(stats->methods, frame);
        um_counted_take(stats->counted, frame);
        break;
    }
}

static uint8_t fill_lags(struct um_stats *stats, uint64_t now_ns, uint64_t waited_ns,
                         struct um_wire_status *status)
{
    uint8_t flags = 0;
    /* This is later than the send by the time that the process has slept meanwhile. */
    status->outstanding_ns = waited_ns ? now_ns - waited_ns : 0;
    status->lag_ns = waited_ns ? waited_ns : stats->last_latency_ns;
    if (um_slices_query(&stats->slices, now_ns, waited_ns, &status->slice_start_ns,
                        &status->slice_worst_ns))
        flags |= UM_WIRE_STATUS_HAS_LAG;
    uint64_t count;
    status->p50_ns = 0;
    status->p99_ns = 0;
    um_window_query(&stats->window, now_ns, waited_ns, &status->p50_ns, &status->p99_ns, &count);
    if (count > 0)
        flags |= UM_WIRE_STATUS_HAS_LATENCY;
    return flags;
}

/* Lists the lengths of one part of the interactions, the shortest first. Returns how many. */
static size_t sort_part(const struct um_wire_interaction *some, size_t count,
                        enum um_wire_part part, uint64_t *lengths_ns)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t length_ns;
        if (!um_wire_interaction_part_ns(&some[i], part, &length_ns))
            continue;
        size_t at = found++;
        for (; at > 0 && lengths_ns[at - 1] > length_ns; at--)
            lengths_ns[at] = lengths_ns[at - 1];
        lengths_ns[at] = length_ns;
    }
    return found;
}

/* The percentile by nearest rank. */
static uint64_t rank_of(const uint64_t *sorted_ns, size_t count, size_t percent)
{
    return sorted_ns[(count * percent + 99) / 100 - 1];
}

static uint8_t fill_typing(const struct um_stats *stats, struct um_wire_status *status)
{
    uint64_t lengths_ns[UM_STATS_TYPING], handled_ns[UM_STATS_TYPING];
    size_t keys = stats->keys < UM_STATS_TYPING ? stats->keys : UM_STATS_TYPING;
    size_t count = sort_part(stats->typing, keys, UM_WIRE_PART_TOTAL, lengths_ns);
    size_t handled = sort_part(stats->typing, keys, UM_WIRE_PART_TO_HANDLED, handled_ns);
    bool painted = um_wire_waited_part(count, handled) == UM_WIRE_PART_TOTAL;
    if (!painted) {
        count = handled;
        memcpy(lengths_ns, handled_ns, handled * sizeof handled_ns[0]);
    }
    status->typing_p50_ns = count > 0 ? rank_of(lengths_ns, count, 50) : 0;
    status->typing_p99_ns = count > 0 ? rank_of(lengths_ns, count, 99) : 0;
    return (uint8_t)((count > 0 ? UM_WIRE_STATUS_HAS_TYPING : 0) |
                     (painted ? UM_WIRE_STATUS_TYPING_PAINTED : 0));
}

static uint8_t fill_click(const struct um_stats *stats, struct um_wire_status *status)
{
    bool painted =
        um_wire_interaction_part_ns(&stats->click, UM_WIRE_PART_TOTAL, &status->click_ns);
    if (painted)
        return UM_WIRE_STATUS_HAS_CLICK | UM_WIRE_STATUS_CLICK_PAINTED;
    if (um_wire_interaction_part_ns(&stats->click, UM_WIRE_PART_TO_HANDLED, &status->click_ns))
        return UM_WIRE_STATUS_HAS_CLICK;
    status->click_ns = 0;
    return 0;
}

uint8_t um_stats_fill_status(struct um_stats *stats, uint64_t now_ns, uint64_t waited_ns,
                             struct um_wire_status *status)
{
    uint8_t flags = fill_lags(stats, now_ns, waited_ns, status);
    status->time_ns = now_ns;
    status->last_freeze_ns = stats->last_freeze_ns;
    status->last_freeze_end_ns = stats->last_freeze_end_ns;
    status->freeze_total_ns = stats->freezes.total_ns;
    status->over_100 = stats->freezes.over_100;
    status->over_250 = stats->freezes.over_250;
    status->over_1000 = stats->freezes.over_1000;
    status->freezes = stats->freezes.count;
    status->felt = stats->freezes.felt;
    if (stats->freezes.count > 0)
        flags |= UM_WIRE_STATUS_HAS_LAST_FREEZE;
    if (stats->freezes.observes && stats->freezes.unsure == 0)
        flags |= UM_WIRE_STATUS_HAS_FELT;
    flags |= fill_typing(stats, status);
    flags |= fill_click(stats, status);
    return flags;
}

uint64_t um_stats_slice_end(const struct um_stats *stats, uint64_t now_ns)
{
    return um_slices_end(&stats->slices, now_ns);
}

const struct um_histogram *um_stats_histogram(const struct um_stats *stats)
{
    return &stats->histogram;
}

struct um_stats_mark um_stats_mark(const struct um_stats *stats)
{
    return (struct um_stats_mark){.freezes = stats->freezes,
                                  .last_freeze_ns = stats->last_freeze_ns,
                                  .last_freeze_end_ns = stats->last_freeze_end_ns};
}

void um_stats_go_back(struct um_stats *stats, const struct um_stats_mark *mark)
{
    struct um_stats_freeze *list = stats->freezes.list; /* it may have moved */
    stats->freezes = mark->freezes;
    stats->freezes.list = list;
    stats->last_freeze_ns = mark->last_freeze_ns;
    stats->last_freeze_end_ns = mark->last_freeze_end_ns;
}

const struct um_stats_freezes *um_stats_freezes(const struct um_stats *stats)
{
    return &stats->freezes;
}

const struct um_stats_unmeasured_list *um_stats_unmeasured(const struct um_stats *stats)
{
    return &stats->unmeasured;
}

uint64_t um_stats_told_at_rest_ns(const struct um_stats_beats *beats, uint64_t threshold_ns,
                                  uint64_t period_ns)
{
    uint64_t waited_ns = um_ns_elapsed(period_ns / 2, threshold_ns + UM_STATS_READY_NS / 2);
    waited_ns = um_ns_max(waited_ns, UM_STATS_READY_NS);
    return beats->rest_gap_ns ? um_ns_sum(beats->rest_gap_ns, waited_ns) : 0;
}

const char *um_stats_costliest_how(const struct um_stats_costliest *costliest)
{
    static const char *const how[] = {[UM_TRACE_SENT] = "sent", [UM_TRACE_RETRIEVED] = "retrieved"};
    return costliest->kind < sizeof how / sizeof how[0] ? how[costliest->kind] : NULL;
}

bool um_stats_costliest_says_more(const struct um_stats_freeze *freeze)
{
    const struct um_stats_costliest *costliest = &freeze->costliest;
    bool is_suspect = costliest->kind == UM_TRACE_RETRIEVED && freeze->has_message &&
                      costliest->message == freeze->message;
    return costliest->length_ns > 0 && !is_suspect;
}

bool um_stats_is_felt(const struct um_stats_freeze *freeze)
{
    bool is = false;
    for (size_t i = 0; i < UM_INTERACTION_COUNT; i++)
        is = is || freeze->held_up[i] > 0;
    return is;
}

bool um_stats_knows_felt(const struct um_stats_freezes *freezes,
                         const struct um_stats_freeze *freeze)
{
    bool is_unsure = freeze->unsure && !um_stats_is_felt(freeze);
    return freezes->observes && !freeze->open && !is_unsure;
}

size_t um_stats_next_longest(const struct um_stats_freezes *freezes, size_t after)
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

const struct um_stats_interactions *um_stats_interactions(const struct um_stats *stats)
{
    return &stats->interactions;
}

const struct um_stats_stacks *um_stats_stacks(const struct um_stats *stats)
{
    return &stats->stacks;
}

const struct um_traced *um_stats_traced(const struct um_stats *stats)
{
    return stats->traced;
}

const struct um_methods *um_stats_methods(const struct um_stats *stats)
{
    return stats->methods;
}

const struct um_laid_out *um_stats_laid_out(const struct um_stats *stats)
{
    return stats->laid_out;
}

const struct um_counted *um_stats_counted(const struct um_stats *stats)
{
    return stats->counted;
}

const struct um_wire_stack *um_stats_stack_of(const struct um_stats_stacks *stacks, uint32_t freeze)
{
    for (size_t i = 0; stacks && i < stacks->len; i++)
        if (stacks->list[i].stack.freeze == freeze)
            return &stacks->list[i].stack;
    return NULL;
}

const struct um_wire_wait *um_stats_wait_of(const struct um_stats_stacks *stacks, uint32_t freeze)
{
    for (size_t i = 0; stacks && i < stacks->len; i++)
        if (stacks->list[i].wait.kind != UM_WIRE_WAIT_NONE && stacks->list[i].wait.freeze == freeze)
            return &stacks->list[i].wait;
    return NULL;
}

const struct um_stats_beats *um_stats_beats(const struct um_stats *stats)
{
    return &stats->beats;
}
