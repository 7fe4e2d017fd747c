#include "monitor/listen/counters.h"

#include <stdlib.h>
#include <string.h>

#include "ipc/clock.h"
#include "monitor/base/ns.h"
#include "monitor/listen/target_counters.h"
#include "monitor/stats/histogram.h"

#define HANGS 8 /* that last at the same time; more than one is not to be expected */
/* A latency above this is not corrected, nor one for a shorter period: that bounds the work for a
 * frame. */
#define CORRECTED_MAX_NS (3600 * UM_CLOCK_NS_PER_S)
#define PERIOD_LEAST_NS UM_CLOCK_NS_PER_MS

const struct um_counters_info um_counters_list[UM_COUNTERS_COUNT] = {
    [UM_COUNTERS_LAG] = {"ui-thread-lag-ms", "UI thread lag", "ms", UM_COUNTERS_MEAN, false},
    [UM_COUNTERS_LATENCY] = {"input-latency-ms", "Input latency", "ms", UM_COUNTERS_MEAN, true},
    [UM_COUNTERS_HANGS] = {"ui-hang-count", "UI hangs", "", UM_COUNTERS_INCREMENT, false},
    [UM_COUNTERS_TYPING_PAINTED] = {"typing-painted-ms", "Typing, until painted", "ms",
                                    UM_COUNTERS_MEAN, true},
    [UM_COUNTERS_TYPING_HANDLED] = {"typing-handled-ms", "Typing, until handled", "ms",
                                    UM_COUNTERS_MEAN, true},
    [UM_COUNTERS_CLICK_PAINTED] = {"click-painted-ms", "Clicks, until painted", "ms",
                                   UM_COUNTERS_MEAN, true},
    [UM_COUNTERS_CLICK_HANDLED] = {"click-handled-ms", "Clicks, until handled", "ms",
                                   UM_COUNTERS_MEAN, true},
    [UM_COUNTERS_POOL_DELAY] = {"threadpool-queue-delay-ms", "Thread pool, queue", "ms",
                                UM_COUNTERS_MEAN, true},
    [UM_COUNTERS_FRAME_RATE] = {"frame-rate", "Frames by WM_PAINT", "/s", UM_COUNTERS_MEAN, false},
    [UM_COUNTERS_MESSAGE_RATE] = {"message-rate", "Messages retrieved", "/s", UM_COUNTERS_MEAN,
                                  false},
    [UM_COUNTERS_BEATS_LOST] = {"beats-lost", "Beats lost", "", UM_COUNTERS_INCREMENT, false},
    [UM_COUNTERS_FRAMES_LOST] = {"frames-lost", "Frames lost", "", UM_COUNTERS_INCREMENT, false},
    [UM_COUNTERS_OWN_CPU] = {"own-cpu-ms", "CPU time of uimon", "ms", UM_COUNTERS_INCREMENT, false},
};

/* The values of a counter that has a spread. */
struct series {
    struct um_histogram histogram; /* corrected */
    double sum_ns;                 /* the same values, exactly */
    uint64_t values;
    uint64_t count; /* uncorrected */
    uint64_t min_ns, max_ns;
};

/* What a counter that only grows added. */
struct growth {
    bool known; /* `last` was told */
    bool told;  /* `added` was told in this interval */
    uint64_t last;
    uint64_t added;
};

struct um_counters {
    struct um_counters_taker taker;
    uint64_t interval_ns;
    struct um_wire_session session;
    bool has_session;
    bool has_status;
    bool counts; /* the first interval has begun */
    enum um_state state;
    uint64_t start_ns;
    uint64_t now_ns; /* the latest time that was told */
    bool answered;   /* a beat was, and `latency_ns` is its latency */
    uint64_t latency_ns;
    uint64_t hangs;
    uint32_t hanging[HANGS];                  /* ids of those that last; 0: free */
    bool told_anew[HANGS];                    /* of those, since the last LOST */
    bool resumes;                             /* no STATUS has come since then */
    struct series *series[UM_COUNTERS_COUNT]; /* NULL: the counter has no spread */
    struct growth beats_lost, frames_lost, own_cpu;
    struct um_target_counters targets;
    /* The latest POOL, whose delay is not in its series yet; type 0: there is none. It goes into
     * the interval that its time lies in. It ends none, because it tells nothing of beats. */
    struct um_wire_frame pool;
    /* The same for the latest ACTIVITY, and the two samples that the next rates lie between: the
     * last one of the interval before, and the last one so far. Type 0: there is none. */
    struct um_wire_frame activity, sample_before, sample;
    bool pool_known;     /* a POOL was told */
    bool starved;        /* a starvation was told that has not recovered */
    uint32_t starvation; /* the id of the last one that was told, or lay before the first POOL */
    uint64_t starved_peak_ns;
};

const char *um_counters_event_name(enum um_counters_event_kind kind)
{
    static const char *const names[] = {
        [UM_COUNTERS_HANG_DETECTED] = "UiHangDetected",
        [UM_COUNTERS_HANG_ENDED] = "UiHangEnded",
        [UM_COUNTERS_HANG_LOCATED] = "UiHangLocated",
        [UM_COUNTERS_STATE_CHANGED] = "StateChanged",
        [UM_COUNTERS_STARVATION_DETECTED] = "ThreadPoolStarvationDetected",
        [UM_COUNTERS_STARVATION_RECOVERED] = "ThreadPoolStarvationRecovered",
        [UM_COUNTERS_WINDOW_CHANGED] = "TargetWindowChanged",
        [UM_COUNTERS_SESSION_ENDED] = "SessionEnded",
        [UM_COUNTERS_CONSUMER_LOST] = "ConsumerLost",
    };
    return names[kind];
}

enum um_counters_id um_counters_find(const char *name, size_t len_bytes)
{
    for (int i = 0; i < UM_COUNTERS_COUNT; i++)
        if (strlen(um_counters_list[i].name) == len_bytes &&
            memcmp(um_counters_list[i].name, name, len_bytes) == 0)
            return (enum um_counters_id)i;
    return UM_COUNTERS_COUNT;
}

static double to_ms(double ns)
{
    return ns / (double)UM_CLOCK_NS_PER_MS;
}

/* From here on: series and growths. */

static struct series *open_series(void)
{
    struct series *series = calloc(1, sizeof *series);
    uint64_t *counts = calloc(UM_HISTOGRAM_LATENCY_COUNTS, sizeof *counts);
    if (!series || !counts) {
        free(series);
        free(counts);
        return NULL;
    }
    um_histogram_init_latency(&series->histogram, counts);
    return series;
}

static void close_series(struct series *series)
{
    if (series)
        free(series->histogram.counts);
    free(series);
}

static void clear_series(struct series *series)
{
    if (series->values)
        um_histogram_reset(&series->histogram);
    series->sum_ns = 0;
    series->values = series->count = 0;
    series->min_ns = series->max_ns = 0;
}

/* How many values coordinated omission hid behind one. */
static uint64_t count_hidden(uint64_t value_ns, uint64_t period_ns)
{
    if (period_ns == 0 || period_ns < PERIOD_LEAST_NS)
        return 0;
    if (value_ns > CORRECTED_MAX_NS || value_ns < period_ns)
        return 0;
    return value_ns / period_ns - 1;
}

/* Adds a value and those. */
static void add_value(struct series *series, uint64_t value_ns, uint64_t period_ns)
{
    uint64_t hidden = count_hidden(value_ns, period_ns);
    um_histogram_record_corrected(&series->histogram, value_ns, hidden ? period_ns : 0);
    series->sum_ns += (double)value_ns + (double)hidden * (double)value_ns -
                      (double)period_ns * (double)hidden * (double)(hidden + 1) / 2;
    series->values += 1 + hidden;
    series->min_ns = series->count ? um_ns_min(series->min_ns, value_ns) : value_ns;
    series->max_ns = um_ns_max(series->max_ns, value_ns);
    series->count++;
}

static struct um_counters_value value_of_series(const struct series *series)
{
    struct um_counters_value value = {.measured = series->count > 0, .count = series->count};
    if (!value.measured)
        return value;
    uint64_t p50_ns = um_histogram_value_at_percentile(&series->histogram, 50);
    uint64_t p99_ns = um_histogram_value_at_percentile(&series->histogram, 99);
    value.value = to_ms(series->sum_ns / (double)series->values);
    value.min = to_ms((double)series->min_ns);
    value.max = to_ms((double)series->max_ns);
    /* A percentile is the highest value that the histogram cannot tell from the true one. */
    value.p50 = to_ms((double)um_ns_min(p50_ns, series->max_ns));
    value.p99 = to_ms((double)um_ns_min(p99_ns, series->max_ns));
    return value;
}

static void grow(struct growth *growth, uint64_t now)
{
    if (growth->known) {
        growth->added += um_ns_elapsed(growth->last, now);
        growth->told = true;
    }
    growth->known = true;
    growth->last = now;
}

static struct um_counters_value value_of_growth(struct growth *growth, double unit)
{
    struct um_counters_value value = {.measured = growth->told};
    if (growth->told)
        value.value = (double)growth->added / unit;
    growth->told = false;
    growth->added = 0;
    return value;
}

/* From here on: intervals. */

static bool state_has_lag(enum um_state state)
{
    return state != UM_STATE_BLIND && state != UM_STATE_IDLE && state != UM_STATE_SUSPENDED;
}

/* The lag at a time. `unanswered_ns` is when the oldest beat was sent that had no answer later than
 * that; 0: there is none. */
static struct um_counters_value lag_at(const struct um_counters *counters, uint64_t time_ns,
                                       uint64_t unanswered_ns)
{
    bool waits = unanswered_ns && unanswered_ns < time_ns;
    struct um_counters_value value = {.measured = state_has_lag(counters->state) &&
                                                  (waits || counters->answered)};
    if (value.measured)
        value.value = to_ms((double)(waits ? time_ns - unanswered_ns : counters->latency_ns));
    return value;
}

/* Puts the delay of the latest POOL into the present interval, if its time is not later. */
static void settle_pool(struct um_counters *counters, uint64_t until_ns)
{
    if (counters->pool.type == 0 || counters->pool.as.pool.time_ns > until_ns)
        return;
    if (counters->counts && counters->pool.as.pool.time_ns > counters->start_ns)
        add_value(counters->series[UM_COUNTERS_POOL_DELAY], counters->pool.as.pool.delay_ns, 0);
    counters->pool.type = 0;
}

/* Takes the latest ACTIVITY as a sample of the present interval, if its time is not later. Of what
 * was not counted there are no rates: then they are over the time since counting began anew. */
static void settle_activity(struct um_counters *counters, uint64_t until_ns)
{
    const struct um_wire_frame *latest = &counters->activity;
    if (latest->type == 0 || latest->as.activity.time_ns > until_ns)
        return;
    if (counters->sample_before.type == 0 ||
        counters->sample_before.as.activity.since_ns != latest->as.activity.since_ns)
        counters->sample_before = *latest;
    counters->sample = *latest;
    counters->activity.type = 0;
}

static struct um_counters_value rate(uint64_t before, uint64_t now, uint64_t length_ns)
{
    return (struct um_counters_value){
        .measured = true, .value = (double)um_ns_elapsed(before, now) * 1e9 / (double)length_ns};
}

static void put_rates(struct um_counters *counters, struct um_counters_value *values)
{
    const struct um_wire_activity *before = &counters->sample_before.as.activity;
    const struct um_wire_activity *now = &counters->sample.as.activity;
    uint64_t length_ns = counters->sample.type ? um_ns_elapsed(before->time_ns, now->time_ns) : 0;

    if (length_ns)
        values[UM_COUNTERS_MESSAGE_RATE] = rate(before->messages, now->messages, length_ns);
    if (length_ns && counters->sample.flags & UM_WIRE_ACTIVITY_PAINTS)
        values[UM_COUNTERS_FRAME_RATE] = rate(before->paints, now->paints, length_ns);
    counters->sample_before = counters->sample;
}

/* Ends the present interval, tells of it, and begins the next one. */
static void end_interval(struct um_counters *counters, uint64_t unanswered_ns)
{
    struct um_counters_interval interval = {.start_ns = counters->start_ns,
                                            .end_ns = counters->start_ns + counters->interval_ns,
                                            .state = counters->state};
    struct um_counters_value *values = interval.values;

    settle_pool(counters, interval.end_ns);
    settle_activity(counters, interval.end_ns);
    put_rates(counters, values);
    for (int i = 0; i < UM_COUNTERS_COUNT; i++) {
        if (!counters->series[i])
            continue;
        values[i] = value_of_series(counters->series[i]);
        clear_series(counters->series[i]);
    }
    values[UM_COUNTERS_LAG] = lag_at(counters, interval.end_ns, unanswered_ns);
    values[UM_COUNTERS_HANGS] =
        (struct um_counters_value){.measured = state_has_lag(counters->state) || counters->hangs,
                                   .value = (double)counters->hangs};
    values[UM_COUNTERS_BEATS_LOST] = value_of_growth(&counters->beats_lost, 1);
    values[UM_COUNTERS_FRAMES_LOST] = value_of_growth(&counters->frames_lost, 1);
    values[UM_COUNTERS_OWN_CPU] = value_of_growth(&counters->own_cpu, (double)UM_CLOCK_NS_PER_MS);
    interval.targets = um_target_counters_settle(&counters->targets, &interval.target_count);
    counters->hangs = 0;
    counters->start_ns = interval.end_ns;
    counters->taker.interval(counters->taker.context, &interval);
}

/* Ends the intervals that are over at a time. */
static void advance(struct um_counters *counters, uint64_t now_ns, uint64_t unanswered_ns)
{
    counters->now_ns = um_ns_max(counters->now_ns, now_ns);
    if (!counters->counts)
        return;
    uint64_t passed = um_ns_elapsed(counters->start_ns, now_ns) / counters->interval_ns;
    if (passed > UM_COUNTERS_MAX_BEHIND) {
        end_interval(counters, unanswered_ns);
        counters->start_ns += (passed - 1) * counters->interval_ns;
        return;
    }
    for (; passed > 0; passed--)
        end_interval(counters, unanswered_ns);
}

/* From here on: events. */

static void tell(struct um_counters *counters, const struct um_counters_event *event)
{
    counters->taker.event(counters->taker.context, event);
}

/* The place of a hang that lasts; of id 0 a free place. -1: there is none. */
static int find_hang(const struct um_counters *counters, uint32_t id)
{
    for (int i = 0; i < HANGS; i++)
        if (counters->hanging[i] == id)
            return i;
    return -1;
}

static struct um_counters_event hang_event(const struct um_wire_frame *frame)
{
    const struct um_wire_episode *episode = &frame->as.episode;
    struct um_counters_event event = {
        .hang = episode->id,
        .length_ms = to_ms((double)um_wire_episode_length_ns(episode)),
        .peak_ms = to_ms((double)episode->peak_ns),
        .state = (enum um_state)episode->state,
        .is_void = (frame->flags & UM_WIRE_EPISODE_VOID) != 0,
        .has_message = (frame->flags & UM_WIRE_EPISODE_HAS_MESSAGE) != 0,
        .message = episode->message};
    um_wire_set_text(event.message_name, sizeof event.message_name, episode->message_name);
    um_wire_set_text(event.window_class, sizeof event.window_class, episode->window_class);
    return event;
}

static void detect_hang(struct um_counters *counters, const struct um_wire_frame *frame)
{
    int place = find_hang(counters, 0);
    if (place < 0 || frame->as.episode.id == 0)
        return;
    struct um_counters_event event = hang_event(frame);
    event.kind = UM_COUNTERS_HANG_DETECTED;
    event.time_ns = frame->as.episode.start_ns;
    event.is_void = false;
    counters->hanging[place] = frame->as.episode.id;
    counters->hangs++;
    tell(counters, &event);
}

/* A hang can be told by its END alone, if its BEGIN was of another state or was lost. */
static void take_episode(struct um_counters *counters, const struct um_wire_frame *frame)
{
    const struct um_wire_episode *episode = &frame->as.episode;
    bool is_void = (frame->flags & UM_WIRE_EPISODE_VOID) != 0;
    int place = episode->id ? find_hang(counters, episode->id) : -1;

    if (place < 0 && um_wire_state_is_freeze(episode->state) && !is_void) {
        detect_hang(counters, frame);
        place = episode->id ? find_hang(counters, episode->id) : -1;
    }
    if (place >= 0)
        counters->told_anew[place] = true;
    if (place < 0 || !(frame->flags & UM_WIRE_EPISODE_END))
        return;
    struct um_counters_event event = hang_event(frame);
    event.kind = UM_COUNTERS_HANG_ENDED;
    event.time_ns = episode->end_ns;
    event.is_void = is_void || !um_wire_state_is_freeze(episode->state);
    counters->hanging[place] = 0;
    tell(counters, &event);
}

static void take_stack(struct um_counters *counters, const struct um_wire_stack *stack)
{
    struct um_counters_event event = {.kind = UM_COUNTERS_HANG_LOCATED,
                                      .time_ns = counters->now_ns,
                                      .state = counters->state,
                                      .hang = stack->freeze,
                                      .samples = stack->samples,
                                      .alike = stack->alike};
    um_wire_set_text(event.headline, sizeof event.headline, stack->headline);
    if (event.headline[0] != '\0')
        tell(counters, &event);
}

static void take_lost(struct um_counters *counters, const struct um_wire_lost *lost)
{
    struct um_counters_event event = {.kind = UM_COUNTERS_CONSUMER_LOST,
                                      .time_ns = lost->time_ns,
                                      .state = counters->state,
                                      .frames = lost->frames};
    memset(counters->told_anew, 0, sizeof counters->told_anew);
    counters->resumes = true;
    tell(counters, &event);
}

/* Forgets the hangs whose end was lost: what lasts was told anew before the first STATUS. */
static void resume(struct um_counters *counters)
{
    for (int i = 0; counters->resumes && i < HANGS; i++)
        if (!counters->told_anew[i])
            counters->hanging[i] = 0;
    counters->resumes = false;
}

/* Tells that a starvation began, or that the one that lasts is over. */
static void tell_starvation(struct um_counters *counters, enum um_counters_event_kind kind,
                            uint64_t time_ns)
{
    struct um_counters_event event = {.kind = kind,
                                      .time_ns = time_ns,
                                      .state = counters->state,
                                      .starvation = counters->starvation,
                                      .peak_ms = to_ms((double)counters->starved_peak_ns)};
    counters->starved = kind == UM_COUNTERS_STARVATION_DETECTED;
    tell(counters, &event);
}

/* Each POOL has all of the latest starvation, so one of which frames were lost is told late, but
 * whole. Of those before it nothing is known then. */
static void take_starvation(struct um_counters *counters, const struct um_wire_frame *frame)
{
    const struct um_wire_pool *pool = &frame->as.pool;
    bool lasts = (frame->flags & UM_WIRE_POOL_STARVED) != 0;
    bool news = pool->starvation != counters->starvation && (lasts || counters->pool_known);

    if (news && counters->starved)
        tell_starvation(counters, UM_COUNTERS_STARVATION_RECOVERED, pool->start_ns);
    counters->pool_known = true;
    counters->starvation = pool->starvation;
    counters->starved_peak_ns = pool->peak_ns;
    if (news && pool->starvation)
        tell_starvation(counters, UM_COUNTERS_STARVATION_DETECTED, pool->start_ns);
    if (counters->starved && !lasts)
        tell_starvation(counters, UM_COUNTERS_STARVATION_RECOVERED, pool->end_ns);
}

static void take_state(struct um_counters *counters, const struct um_wire_status *status)
{
    struct um_counters_event event = {.kind = UM_COUNTERS_STATE_CHANGED,
                                      .time_ns = status->state_since_ns,
                                      .state = (enum um_state)status->state,
                                      .before = counters->state};
    bool changed = counters->has_status && event.state != event.before;
    counters->state = event.state;
    if (changed)
        tell(counters, &event);
}

/* From here on: frames. */

static void take_session(struct um_counters *counters, const struct um_wire_frame *frame)
{
    const struct um_wire_session *session = &frame->as.session;
    bool moved = counters->has_session && !(frame->flags & UM_WIRE_SESSION_ANEW) &&
                 (session->hwnd != counters->session.hwnd || session->tid != counters->session.tid);

    if (frame->flags & UM_WIRE_SESSION_ANEW) {
        for (int i = 0; i < UM_COUNTERS_COUNT; i++)
            if (counters->series[i])
                clear_series(counters->series[i]);
        counters->has_status = counters->counts = counters->answered = false;
        counters->pool_known = counters->starved = false;
        counters->starvation = counters->pool.type = 0;
        counters->activity.type = counters->sample.type = counters->sample_before.type = 0;
        counters->hangs = counters->now_ns = 0;
        memset(counters->hanging, 0, sizeof counters->hanging);
        counters->beats_lost = counters->frames_lost = counters->own_cpu = (struct growth){0};
        um_target_counters_forget(&counters->targets);
    }
    counters->session = *session;
    counters->has_session = true;
    if (!moved)
        return;
    struct um_counters_event event = {.kind = UM_COUNTERS_WINDOW_CHANGED,
                                      .time_ns = um_ns_max(counters->now_ns, session->start_ns),
                                      .state = counters->state,
                                      .hwnd = session->hwnd,
                                      .tid = session->tid};
    um_wire_set_text(event.title, sizeof event.title, session->title);
    tell(counters, &event);
}

/* Begins the first interval. What was told before is not of it. */
static void begin(struct um_counters *counters, uint64_t time_ns)
{
    struct growth *growths[] = {&counters->beats_lost, &counters->frames_lost, &counters->own_cpu};
    counters->counts = true;
    counters->start_ns = time_ns;
    for (size_t i = 0; i < sizeof growths / sizeof growths[0]; i++)
        value_of_growth(growths[i], 1);
    settle_activity(counters, UINT64_MAX);
    counters->sample_before = counters->sample;
    um_target_counters_forget(&counters->targets);
}

static void take_status(struct um_counters *counters, const struct um_wire_status *status)
{
    uint64_t before_ns = counters->state == status->state ? 0 : status->state_since_ns;
    resume(counters);
    if (before_ns) /* what ended before the present state began is told with the last one */
        advance(counters, um_ns_min(before_ns, status->time_ns), status->outstanding_ns);
    take_state(counters, status);
    advance(counters, status->time_ns, status->outstanding_ns);
    grow(&counters->frames_lost, status->lost);
    if (!counters->counts && counters->has_status)
        begin(counters, status->time_ns);
    counters->has_status = true;
}

static void take_beat(struct um_counters *counters, const struct um_wire_beat *beat)
{
    uint64_t answered_ns = beat->sent_ns + beat->latency_ns;
    uint64_t period_ns = counters->session.period_us * UM_CLOCK_NS_PER_US;
    if (answered_ns < beat->sent_ns)
        return; /* no time of a running machine */
    advance(counters, answered_ns, beat->sent_ns);
    if (counters->counts)
        add_value(counters->series[UM_COUNTERS_LATENCY], beat->latency_ns, period_ns);
    counters->answered = true;
    counters->latency_ns = beat->latency_ns;
}

static void take_rest(struct um_counters *counters, const struct um_wire_rest *rest)
{
    struct series *series = counters->series[UM_COUNTERS_LATENCY];
    advance(counters, rest->time_ns, 0);
    if (!counters->counts || !counters->answered || !series->count)
        return;
    um_histogram_record_count(&series->histogram, counters->latency_ns, rest->skipped);
    series->sum_ns += (double)counters->latency_ns * (double)rest->skipped;
    series->values += rest->skipped;
}

static void take_pool(struct um_counters *counters, const struct um_wire_frame *frame)
{
    settle_pool(counters, UINT64_MAX);
    counters->pool = *frame;
    take_starvation(counters, frame);
}

static void take_activity(struct um_counters *counters, const struct um_wire_frame *frame)
{
    settle_activity(counters, UINT64_MAX);
    counters->activity = *frame;
}

static void take_part(struct um_counters *counters, enum um_counters_id id, enum um_wire_part part,
                      const struct um_wire_interaction *interaction)
{
    uint64_t length_ns;
    if (counters->counts && um_wire_interaction_part_ns(interaction, part, &length_ns))
        add_value(counters->series[id], length_ns, 0);
}

static void take_interaction(struct um_counters *counters,
                             const struct um_wire_interaction *interaction)
{
    if (interaction->kind == UM_INTERACTION_KEY) {
        take_part(counters, UM_COUNTERS_TYPING_PAINTED, UM_WIRE_PART_TOTAL, interaction);
        take_part(counters, UM_COUNTERS_TYPING_HANDLED, UM_WIRE_PART_TO_HANDLED, interaction);
    } else if (interaction->kind == UM_INTERACTION_CLICK) {
        take_part(counters, UM_COUNTERS_CLICK_PAINTED, UM_WIRE_PART_TOTAL, interaction);
        take_part(counters, UM_COUNTERS_CLICK_HANDLED, UM_WIRE_PART_TO_HANDLED, interaction);
    }
}

static void take_totals(struct um_counters *counters, const struct um_wire_totals *totals)
{
    grow(&counters->beats_lost, totals->beats_lost);
    if (totals->monitor_cpu_ns) /* else it is not known */
        grow(&counters->own_cpu, totals->monitor_cpu_ns + totals->overlay_cpu_ns +
                                     totals->heartbeat_cpu_ns + totals->sender_cpu_ns);
}

static void take_counter(struct um_counters *counters, const struct um_wire_counter *counter)
{
    const struct um_counters_target *news =
        um_target_counters_describe(&counters->targets, counter);
    if (news && counters->taker.target)
        counters->taker.target(counters->taker.context, news);
}

static void take_end(struct um_counters *counters, const struct um_wire_end *end)
{
    struct um_counters_event event = {.kind = UM_COUNTERS_SESSION_ENDED,
                                      .time_ns = end->time_ns,
                                      .state = counters->state,
                                      .reason = (enum um_end_reason)end->reason};
    tell(counters, &event);
}

void um_counters_frame(struct um_counters *counters, const struct um_wire_frame *frame)
{
    switch (frame->type) {
    case UM_WIRE_SESSION:
        take_session(counters, frame);
        break;
    case UM_WIRE_STATUS:
        take_status(counters, &frame->as.status);
        break;
    case UM_WIRE_BEAT:
        take_beat(counters, &frame->as.beat);
        break;
    case UM_WIRE_REST:
        take_rest(counters, &frame->as.rest);
        break;
    case UM_WIRE_EPISODE:
        take_episode(counters, frame);
        break;
    case UM_WIRE_INTERACTION:
        take_interaction(counters, &frame->as.interaction);
        break;
    case UM_WIRE_TOTALS:
        take_totals(counters, &frame->as.totals);
        break;
    case UM_WIRE_STACK:
        take_stack(counters, &frame->as.stack);
        break;
    case UM_WIRE_LOST:
        take_lost(counters, &frame->as.lost);
        break;
    case UM_WIRE_POOL:
        take_pool(counters, frame);
        break;
    case UM_WIRE_ACTIVITY:
        take_activity(counters, frame);
        break;
    case UM_WIRE_COUNTER:
        take_counter(counters, &frame->as.counter);
        break;
    case UM_WIRE_COUNTER_VALUE:
        um_target_counters_value(&counters->targets, &frame->as.counter_value);
        break;
    case UM_WIRE_END:
        take_end(counters, &frame->as.end);
        break;
    default:
        break;
    }
}

const struct um_wire_session *um_counters_session(const struct um_counters *counters)
{
    return counters->has_session ? &counters->session : NULL;
}

enum um_status um_counters_open(uint64_t interval_ns, const struct um_counters_taker *taker,
                                struct um_counters **counters)
{
    struct um_counters *made = calloc(1, sizeof *made);
    if (!made)
        return UM_ERR_MEMORY;
    made->interval_ns = interval_ns;
    made->taker = *taker;
    made->state = UM_STATE_BLIND;
    for (int i = 0; i < UM_COUNTERS_COUNT; i++) {
        if (!um_counters_list[i].spread)
            continue;
        made->series[i] = open_series();
        if (!made->series[i]) {
            um_counters_close(made);
            return UM_ERR_MEMORY;
        }
    }
    *counters = made;
    return UM_OK;
}

void um_counters_close(struct um_counters *counters)
{
    if (!counters)
        return;
    for (int i = 0; i < UM_COUNTERS_COUNT; i++)
        close_series(counters->series[i]);
    um_target_counters_deinit(&counters->targets);
    free(counters);
}
