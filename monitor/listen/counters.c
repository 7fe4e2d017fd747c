#include "monitor/listen/counters.h"

#include <stdlib.h>
#include <string.h>

#include "base/plain/clock.h"
#include "base/plain/text.h"
#include "base/ns.h"
#include "monitor/listen/layout_counters.h"
#include "monitor/listen/target_counters.h"
#include "monitor/stats/dotnet_pool.h"
#include "monitor/stats/histogram.h"

#define HANGS 8 /* that last at the same time; more than one is not to be expected */

/* The values of a counter that has a spread. */
struct series {
    struct um_histogram histogram; /* corrected for coordinated omission */
    double sum_ns;                 /* the exact sum of the same values */
    uint64_t values;
    uint64_t count; /* of the measured values, without those that correction adds */
    uint64_t min_ns, max_ns;
};

/* A counter that only grows, and what it grew by in the interval. */
struct growth {
    bool known;    /* `last` is valid */
    bool measured; /* `added` is valid, for this interval */
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
    uint64_t start_ns; /* of the present interval */
    uint64_t since_ns; /* of the first one, or of the first one after a silence */
    uint64_t now_ns;   /* the latest time that a frame had */
    bool answered;     /* a beat was answered, and `latency_ns` is its latency */
    uint64_t latency_ns;
    uint64_t hangs;
    uint32_t hanging[HANGS];                 /* ids of the hangs that last; 0: free */
    bool confirmed[HANGS];                   /* an EPISODE of it came since the last LOST */
    bool resumes;                            /* no STATUS has come since the last LOST */
    struct series *series[UM_METRICS_COUNT]; /* NULL: the metric has no spread */
    struct growth growths[UM_METRICS_COUNT]; /* of the sums */
    struct um_target_counters targets;
    struct um_layout_counters layout;
    struct um_counters_target *all; /* both, of the last interval; NULL: there is no component */
    /* The latest POOL, whose delay is not in its series yet; type 0: there is none. It goes into
     * the interval that its time lies in. It does not end an interval, because later frames may
     * still have beats of it. */
    struct um_wire_frame pool;
    /* The same for the latest ACTIVITY. The next rates are those between two samples: the last one
     * of the interval before, and the last one so far. Type 0: there is none. */
    struct um_wire_frame activity, sample_before, sample;
    bool pool_known;     /* a POOL has come */
    bool starved;        /* a starvation was reported, and not its recovery */
    uint32_t starvation; /* id of the latest one in the last POOL */
    uint64_t starved_peak_ns;
    struct um_dotnet_pool dotnet_pool;
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

enum um_counters_kind um_counters_kind_of(const struct um_metrics_row *row)
{
    return row->kind == UM_METRICS_SUM ? UM_COUNTERS_INCREMENT : UM_COUNTERS_MEAN;
}

static double to_ms(double ns)
{
    return ns / (double)UM_CLOCK_NS_PER_MS;
}

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

/* Adds a value and those that coordinated omission hid behind it. */
static void add_value(struct series *series, uint64_t value_ns, uint64_t period_ns)
{
    uint64_t hidden = um_metrics_hidden(value_ns, period_ns);
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
    /* The histogram rounds a percentile up, so it could be above the greatest value. */
    value.p50 = to_ms((double)um_ns_min(p50_ns, series->max_ns));
    value.p99 = to_ms((double)um_ns_min(p99_ns, series->max_ns));
    return value;
}

static void grow(struct growth *growth, uint64_t now)
{
    if (growth->known) {
        growth->added += um_ns_elapsed(growth->last, now);
        growth->measured = true;
    }
    growth->known = true;
    growth->last = now;
}

static struct um_counters_value value_of_growth(struct growth *growth,
                                                const struct um_metrics_row *row)
{
    struct um_counters_value value = {.measured = growth->measured};
    if (growth->measured)
        value.value =
            um_metrics_is_time(row) ? to_ms((double)growth->added) : (double)growth->added;
    growth->measured = false;
    growth->added = 0;
    return value;
}

/* Takes a frame's values of spreads and sums. */
static void take_values(struct um_counters *counters, const struct um_wire_frame *frame)
{
    uint64_t value;
    for (int i = 0; i < UM_METRICS_COUNT; i++) {
        const struct um_metrics_row *row = &um_metrics_list[i];
        if (row->frame != frame->type || !row->take(frame, &value))
            continue;
        if (row->kind == UM_METRICS_SPREAD && counters->counts)
            add_value(counters->series[i], value, 0);
        else if (row->kind == UM_METRICS_SUM)
            grow(&counters->growths[i], value);
    }
}

/* The lag at a time. `unanswered_ns` is when the oldest beat was sent that had no answer at that
 * time; 0: there is none. */
static struct um_counters_value lag_at(const struct um_counters *counters, uint64_t time_ns,
                                       uint64_t unanswered_ns)
{
    bool waits = unanswered_ns && unanswered_ns < time_ns;
    struct um_counters_value value = {.measured = um_metrics_state_has_lag(counters->state) &&
                                                  (waits || counters->answered)};
    if (value.measured)
        value.value = to_ms((double)(waits ? time_ns - unanswered_ns : counters->latency_ns));
    return value;
}

/* Takes the latest POOL into the present interval, if its time is not later. It may be of an
 * interval that is over: it came late. */
static void settle_pool(struct um_counters *counters, uint64_t until_ns)
{
    if (counters->pool.type == 0 || counters->pool.as.pool.time_ns > until_ns)
        return;
    if (counters->pool.as.pool.time_ns > counters->since_ns)
        take_values(counters, &counters->pool);
    counters->pool.type = 0;
}

/* Takes the latest ACTIVITY as a sample of the present interval, if its time is not later. If
 * counting has begun anew since the last sample, rates begin with this one. */
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

static void put_rates(struct um_counters *counters, struct um_counters_value *values)
{
    const struct um_wire_frame *before = &counters->sample_before, *now = &counters->sample;
    uint64_t length_ns =
        now->type ? um_ns_elapsed(before->as.activity.time_ns, now->as.activity.time_ns) : 0;
    uint64_t old, sum;

    for (int i = 0; i < UM_METRICS_COUNT && length_ns; i++) {
        const struct um_metrics_row *row = &um_metrics_list[i];
        if (row->kind != UM_METRICS_RATE || !row->take(now, &sum))
            continue;
        if (!row->take(before, &old))
            old = 0;
        values[i] = (struct um_counters_value){.measured = true,
                                               .value = um_metrics_rate(old, sum, length_ns)};
    }
    counters->sample_before = counters->sample;
}

/* Ends the interval of the target's counters, and puts those of components behind them. */
static void settle_targets(struct um_counters *counters, struct um_counters_interval *interval)
{
    interval->targets = um_target_counters_settle(&counters->targets, &interval->target_count);
    if (!counters->all)
        return;
    if (interval->target_count > 0)
        memcpy(counters->all, interval->targets, interval->target_count * sizeof counters->all[0]);
    interval->targets = counters->all;
    interval->target_count +=
        um_layout_counters_settle(&counters->layout, counters->all + interval->target_count);
}

/* Forgets what these have counted since the last interval. */
static void forget_targets(struct um_counters *counters)
{
    um_target_counters_forget(&counters->targets);
    um_layout_counters_forget(&counters->layout);
}

/* Ends the present interval, hands it to the taker, and begins the next one. `has_lag`: the lag at
 * its end is known. */
static void end_interval(struct um_counters *counters, uint64_t unanswered_ns, bool has_lag)
{
    struct um_counters_interval interval = {.start_ns = counters->start_ns,
                                            .end_ns = counters->start_ns + counters->interval_ns,
                                            .state = counters->state};
    struct um_counters_value *values = interval.values;

    settle_pool(counters, interval.end_ns);
    settle_activity(counters, interval.end_ns);
    put_rates(counters, values);
    for (int i = 0; i < UM_METRICS_COUNT; i++) {
        if (um_metrics_list[i].kind == UM_METRICS_SUM)
            values[i] = value_of_growth(&counters->growths[i], &um_metrics_list[i]);
        if (!counters->series[i])
            continue;
        values[i] = value_of_series(counters->series[i]);
        clear_series(counters->series[i]);
    }
    if (has_lag)
        values[UM_METRICS_LAG] = lag_at(counters, interval.end_ns, unanswered_ns);
    values[UM_METRICS_HANGS] = (struct um_counters_value){
        .measured = um_metrics_state_has_lag(counters->state) || counters->hangs,
        .value = (double)counters->hangs};
    settle_targets(counters, &interval);
    counters->hangs = 0;
    counters->start_ns = interval.end_ns;
    counters->taker.interval(counters->taker.context, &interval);
}

static uint64_t intervals_until(const struct um_counters *counters, uint64_t time_ns)
{
    return um_ns_elapsed(counters->start_ns, time_ns) / counters->interval_ns;
}

/* Nothing was said between the two times. Ends the interval in which the first one lies, if it is
 * over, and leaves out those that lie in the silence. */
static void pass_silence(struct um_counters *counters, uint64_t before_ns, uint64_t now_ns)
{
    bool over = intervals_until(counters, now_ns) > 0;
    if (over && before_ns > counters->start_ns)
        end_interval(counters, 0, false);
    counters->start_ns += intervals_until(counters, now_ns) * counters->interval_ns;
    counters->since_ns = counters->start_ns;
    counters->answered = false;
    for (int i = 0; i < UM_METRICS_COUNT; i++)
        counters->growths[i].known = false; /* what grows from now on is of this interval */
    counters->activity.type = counters->sample.type = counters->sample_before.type = 0;
    if (over)
        forget_targets(counters);
}

/* Ends the intervals that are over at `now_ns`. */
static void advance(struct um_counters *counters, uint64_t now_ns, uint64_t unanswered_ns)
{
    uint64_t before_ns = counters->now_ns;
    counters->now_ns = um_ns_max(before_ns, now_ns);
    if (!counters->counts)
        return;
    /* Times that went back may have left the present interval far behind the latest frame. */
    if (um_ns_elapsed(before_ns, now_ns) > UM_COUNTERS_SILENCE_NS ||
        um_ns_elapsed(counters->start_ns, now_ns) > UM_COUNTERS_SILENCE_NS + counters->interval_ns)
        pass_silence(counters, before_ns, now_ns);
    for (uint64_t passed = intervals_until(counters, now_ns); passed > 0; passed--)
        end_interval(counters, unanswered_ns, true);
}

static void report(struct um_counters *counters, const struct um_counters_event *event)
{
    counters->taker.event(counters->taker.context, event);
}

/* The index of the hang with this id; with id 0 a free index. -1: there is none. */
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
    um_text_set(event.message_name, sizeof event.message_name, episode->message_name);
    um_text_set(event.window_class, sizeof event.window_class, episode->window_class);
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
    report(counters, &event);
}

/* The frame that ends a hang may be the first one of it: the frame of its begin had another state,
 * or was lost. */
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
        counters->confirmed[place] = true;
    if (place < 0 || !(frame->flags & UM_WIRE_EPISODE_END))
        return;
    struct um_counters_event event = hang_event(frame);
    event.kind = UM_COUNTERS_HANG_ENDED;
    event.time_ns = episode->end_ns;
    bool is_other = episode->state < UM_STATE_COUNT && !um_wire_state_is_freeze(episode->state);
    event.is_void = is_void || is_other; /* an unknown state may be a hang, or none */
    counters->hanging[place] = 0;
    report(counters, &event);
}

static void take_stack(struct um_counters *counters, const struct um_wire_stack *stack)
{
    struct um_counters_event event = {.kind = UM_COUNTERS_HANG_LOCATED,
                                      .time_ns = counters->now_ns,
                                      .state = counters->state,
                                      .hang = stack->freeze,
                                      .samples = um_wire_stack_of(stack),
                                      .alike = stack->alike};
    um_text_set(event.headline, sizeof event.headline, stack->headline);
    if (event.headline[0] != '\0')
        report(counters, &event);
}

static void take_lost(struct um_counters *counters, const struct um_wire_lost *lost)
{
    struct um_counters_event event = {.kind = UM_COUNTERS_CONSUMER_LOST,
                                      .time_ns = lost->time_ns,
                                      .state = counters->state,
                                      .frames = lost->frames};
    memset(counters->confirmed, 0, sizeof counters->confirmed);
    counters->resumes = true;
    report(counters, &event);
}

/* Forgets the hangs whose end was lost. After a LOST the hub sends the episodes that last before
 * the first STATUS, so a hang that was not among them is over. */
static void resume(struct um_counters *counters)
{
    for (int i = 0; counters->resumes && i < HANGS; i++)
        if (!counters->confirmed[i])
            counters->hanging[i] = 0;
    counters->resumes = false;
}

/* Reports that a starvation began, or that the one that lasts is over. */
static void report_starvation(struct um_counters *counters, enum um_counters_event_kind kind,
                              uint64_t time_ns)
{
    struct um_counters_event event = {.kind = kind,
                                      .time_ns = time_ns,
                                      .state = counters->state,
                                      .starvation = counters->starvation,
                                      .peak_ms = to_ms((double)counters->starved_peak_ns)};
    counters->starved = kind == UM_COUNTERS_STARVATION_DETECTED;
    report(counters, &event);
}

/* Each POOL has everything about the latest starvation. So after lost frames that one is reported
 * late, but completely; earlier ones whose frames were lost are not. */
static void take_starvation(struct um_counters *counters, const struct um_wire_frame *frame)
{
    const struct um_wire_pool *pool = &frame->as.pool;
    bool lasts = (frame->flags & UM_WIRE_POOL_STARVED) != 0;
    bool news = pool->starvation != counters->starvation && (lasts || counters->pool_known);

    if (news && counters->starved)
        report_starvation(counters, UM_COUNTERS_STARVATION_RECOVERED, pool->start_ns);
    counters->pool_known = true;
    counters->starvation = pool->starvation;
    counters->starved_peak_ns = pool->peak_ns;
    if (news && pool->starvation)
        report_starvation(counters, UM_COUNTERS_STARVATION_DETECTED, pool->start_ns);
    if (counters->starved && !lasts)
        report_starvation(counters, UM_COUNTERS_STARVATION_RECOVERED, pool->end_ns);
}

/* The runtime's times can be wrong, but nothing of it has happened after now. */
static void take_dotnet_pool(struct um_counters *counters, const struct um_wire_frame *frame)
{
    const struct um_dotnet_pool *pool = &counters->dotnet_pool;
    enum um_dotnet_pool_news news = um_dotnet_pool_take(&counters->dotnet_pool, frame);
    if (news == UM_DOTNET_POOL_NOTHING)
        return;
    uint64_t time_ns = news == UM_DOTNET_POOL_STARVED ? pool->start_ns : pool->end_ns;
    const struct um_counters_event event = {.kind = news == UM_DOTNET_POOL_STARVED
                                                        ? UM_COUNTERS_STARVATION_DETECTED
                                                        : UM_COUNTERS_STARVATION_RECOVERED,
                                            .time_ns = um_ns_min(time_ns, counters->now_ns),
                                            .state = counters->state,
                                            .starvation = pool->id,
                                            .is_dotnet = true,
                                            .most_items = pool->most};
    report(counters, &event);
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
        report(counters, &event);
}

static void take_session(struct um_counters *counters, const struct um_wire_frame *frame)
{
    const struct um_wire_session *session = &frame->as.session;
    bool moved = counters->has_session && !(frame->flags & UM_WIRE_SESSION_ANEW) &&
                 (session->hwnd != counters->session.hwnd || session->tid != counters->session.tid);

    if (frame->flags & UM_WIRE_SESSION_ANEW) {
        for (int i = 0; i < UM_METRICS_COUNT; i++)
            if (counters->series[i])
                clear_series(counters->series[i]);
        counters->has_status = counters->counts = counters->answered = false;
        counters->pool_known = counters->starved = false;
        counters->dotnet_pool = (struct um_dotnet_pool){0};
        counters->starvation = counters->pool.type = 0;
        counters->activity.type = counters->sample.type = counters->sample_before.type = 0;
        counters->hangs = counters->now_ns = 0;
        memset(counters->hanging, 0, sizeof counters->hanging);
        memset(counters->growths, 0, sizeof counters->growths);
        forget_targets(counters);
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
    um_text_set(event.title, sizeof event.title, session->title);
    report(counters, &event);
}

/* Begins the first interval, without the values that came before. */
static void begin(struct um_counters *counters, uint64_t time_ns)
{
    counters->counts = true;
    counters->start_ns = counters->since_ns = time_ns;
    for (int i = 0; i < UM_METRICS_COUNT; i++)
        value_of_growth(&counters->growths[i], &um_metrics_list[i]);
    settle_activity(counters, UINT64_MAX);
    counters->sample_before = counters->sample;
    forget_targets(counters);
}

static void take_status(struct um_counters *counters, const struct um_wire_frame *frame)
{
    const struct um_wire_status *status = &frame->as.status;
    uint64_t before_ns = counters->state == status->state ? 0 : status->state_since_ns;
    resume(counters);
    if (before_ns) /* intervals that ended before the present state began have the earlier state */
        advance(counters, um_ns_min(before_ns, status->time_ns), status->outstanding_ns);
    take_state(counters, status);
    advance(counters, status->time_ns, status->outstanding_ns);
    take_values(counters, frame);
    if (!counters->counts && counters->has_status)
        begin(counters, status->time_ns);
    counters->has_status = true;
}

static void take_beat(struct um_counters *counters, const struct um_wire_beat *beat)
{
    uint64_t answered_ns = beat->sent_ns + beat->latency_ns;
    uint64_t period_ns = counters->session.period_us * UM_CLOCK_NS_PER_US;
    if (answered_ns < beat->sent_ns)
        return; /* such a time is impossible */
    advance(counters, answered_ns, beat->sent_ns);
    if (counters->counts && answered_ns >= counters->since_ns)
        add_value(counters->series[UM_METRICS_LATENCY], beat->latency_ns, period_ns);
    counters->answered = true;
    counters->latency_ns = beat->latency_ns;
}

static void take_rest(struct um_counters *counters, const struct um_wire_rest *rest)
{
    struct series *series = counters->series[UM_METRICS_LATENCY];
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

/* Tells of a counter that is new, or is described otherwise now; NULL: there is none. */
static void report_target(struct um_counters *counters, const struct um_counters_target *news)
{
    if (news && counters->taker.target)
        counters->taker.target(counters->taker.context, news);
}

static void take_component(struct um_counters *counters,
                           const struct um_wire_layout_component *component)
{
    if (!counters->all)
        counters->all = calloc(UM_COUNTERS_TARGETS, sizeof counters->all[0]);
    report_target(counters, um_layout_counters_describe(&counters->layout, component));
}

static void take_end(struct um_counters *counters, const struct um_wire_end *end)
{
    struct um_counters_event event = {.kind = UM_COUNTERS_SESSION_ENDED,
                                      .time_ns = end->time_ns,
                                      .state = counters->state,
                                      .reason = (enum um_end_reason)end->reason};
    report(counters, &event);
}

void um_counters_frame(struct um_counters *counters, const struct um_wire_frame *frame)
{
    switch (frame->type) {
    case UM_WIRE_SESSION:
        take_session(counters, frame);
        break;
    case UM_WIRE_STATUS:
        take_status(counters, frame);
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
    case UM_WIRE_TOTALS:
        take_values(counters, frame);
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
        report_target(counters,
                      um_target_counters_describe(&counters->targets, &frame->as.counter));
        take_dotnet_pool(counters, frame);
        break;
    case UM_WIRE_COUNTER_VALUE:
        um_target_counters_value(&counters->targets, &frame->as.counter_value);
        take_dotnet_pool(counters, frame);
        break;
    case UM_WIRE_LAYOUT_COMPONENT:
        take_component(counters, &frame->as.layout_component);
        break;
    case UM_WIRE_LAYOUT_METERS:
        um_layout_counters_take(&counters->layout, &frame->as.layout_meters);
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
    for (int i = 0; i < UM_METRICS_COUNT; i++) {
        if (um_metrics_list[i].kind != UM_METRICS_SPREAD)
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
    for (int i = 0; i < UM_METRICS_COUNT; i++)
        close_series(counters->series[i]);
    um_target_counters_deinit(&counters->targets);
    um_layout_counters_deinit(&counters->layout);
    free(counters->all);
    free(counters);
}
