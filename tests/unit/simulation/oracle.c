#include "tests/unit/simulation/oracle.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "monitor/feed/late_join.h"
#include "monitor/stats/stats.h"

#define MS UINT64_C(1000000)
#define PERIOD_NS (10 * MS)
#define READY_NS (2 * MS)     /* rule 1 of monitor/measure/stretch.h */
#define LEAD_NS (5 * MS)      /* rule 4 */
#define STALE_NS (50 * MS)    /* rule 2 */
#define SILENCE_NS (175 * MS) /* of the watchdog: longer, and the process was suspended */
#define LATE_NS (100 * MS)    /* the same where the monitor did not run either */
#define UNSEEN_NS (20 * MS)   /* over the threshold: a beat that the control did not see is lost */
#define PAINT_NS (1000 * MS)  /* from a key that was handled to its WM_PAINT */
#define LIVE_NS (7 * MS)      /* DRAINED each 5 ms, and two threads that wake up */
#define TICK_NS (60 * MS)     /* from tick to tick of the monitor, at most */
#define SPANS 512
#define MONITOR_AWAY (1u << SCRIPT_MONITOR_HELD_UP | 1u << SCRIPT_ASLEEP)

/* A time with a state, expected or told. */
struct span {
    uint64_t from_ns;
    uint64_t to_ns;
    enum um_state state;
    uint32_t id;
    bool is_half; /* of a silence: the monitor did not run for about half of it */
};

struct spans {
    size_t count;
    struct span span[SPANS];
};

/* The stretch of a beat that was taken, by the rules of stretch.h. */
struct stretch {
    const struct model_beat *beat;
    uint64_t start_ns; /* the earliest that uimon may tell */
    uint64_t start_most_ns;
    bool is_exact;      /* the start was retrieved; else ... */
    uint64_t proven_ns; /* ... it certainly took input then, and */
    uint64_t width_ns;  /* ... the uncertainty is at least this, and READY_NS more at most */
    uint64_t doubt_ns;
    uint64_t length_ns;       /* without cuts, from `start_ns` */
    uint64_t length_least_ns; /* ... from `start_most_ns` */
    uint64_t peak_ns;         /* from `start_ns` */
    uint32_t message;         /* 0: there is no suspect */
};

struct oracle {
    const struct script *script;
    const struct model_trace *trace;
    struct oracle_verdict verdict;
    struct spans cuts;        /* silence of the target: no length has it */
    struct spans blind;       /* what the faults make blind */
    struct spans maybe_blind; /* the same, at the end: soon after, it would have been told */
    struct spans unsure;      /* records were lost */
    struct spans told;        /* episodes that ended and are not void ... */
    const struct um_wire_frame *ends[SPANS]; /* ... and their frames */
    size_t said_from;  /* the first frame of the feed that may be the next beat's latency */
    size_t after;      /* the first work after the present beat was sent */
    uint64_t start_ns; /* measuring began */
    uint64_t last_sign_ns;
};

static double ms(uint64_t time_ns)
{
    return ((double)time_ns - (double)MODEL_START_NS) / 1e6;
}

static void RUNNER_FORMAT(3, 4)
    complain(struct oracle *oracle, const char *about, const char *format, ...)
{
    va_list args;
    if (oracle->verdict.about)
        return;
    oracle->verdict.about = about;
    va_start(args, format);
    vsnprintf(oracle->verdict.complaint, sizeof oracle->verdict.complaint, format, args);
    va_end(args);
}

static uint64_t most(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t span_ns(uint64_t from_ns, uint64_t to_ns)
{
    return to_ns > from_ns ? to_ns - from_ns : 0;
}

static void add_span(struct spans *spans, uint64_t from_ns, uint64_t to_ns, enum um_state state,
                     uint32_t id)
{
    cr_assert_lt(spans->count, SPANS);
    spans->span[spans->count++] = (struct span){from_ns, to_ns, state, id, false};
}

static uint64_t overlap_ns(const struct spans *spans, uint64_t from_ns, uint64_t to_ns)
{
    uint64_t sum_ns = 0;
    for (size_t i = 0; i < spans->count; i++)
        sum_ns +=
            span_ns(most(from_ns, spans->span[i].from_ns), least(to_ns, spans->span[i].to_ns));
    return sum_ns;
}

static bool touches(const struct spans *spans, uint64_t from_ns, uint64_t to_ns)
{
    for (size_t i = 0; i < spans->count; i++)
        if (spans->span[i].from_ns <= to_ns && spans->span[i].to_ns >= from_ns)
            return true;
    return false;
}

/* A length without what the target slept. */
static uint64_t awake_ns(const struct oracle *oracle, uint64_t from_ns, uint64_t to_ns)
{
    return span_ns(from_ns, to_ns) - overlap_ns(&oracle->cuts, from_ns, to_ns);
}

/* The time before `time_ns` by so long, without what the target slept. */
static uint64_t awake_before_ns(const struct oracle *oracle, uint64_t time_ns, uint64_t length_ns)
{
    for (size_t i = oracle->cuts.count; i-- > 0;) {
        const struct span *cut = &oracle->cuts.span[i];
        if (cut->from_ns >= time_ns)
            continue;
        uint64_t after_ns = span_ns(cut->to_ns, time_ns);
        if (length_ns < after_ns)
            break;
        length_ns -= after_ns;
        time_ns = cut->from_ns;
    }
    return time_ns - length_ns;
}

/* The same time after it. */
static uint64_t awake_after_ns(const struct oracle *oracle, uint64_t time_ns, uint64_t length_ns)
{
    for (size_t i = 0; i < oracle->cuts.count; i++) {
        const struct span *cut = &oracle->cuts.span[i];
        if (cut->from_ns < time_ns || cut->from_ns > time_ns + length_ns)
            continue;
        length_ns -= cut->from_ns - time_ns;
        time_ns = cut->to_ns;
    }
    return time_ns + length_ns;
}

/* What the faults did -------------------------------------------------------------------------- */

static uint64_t stopped_ns(const struct oracle *oracle, unsigned kinds, uint64_t from_ns,
                           uint64_t to_ns)
{
    struct spans stops = {0};
    uint64_t sum_ns = 0, reached_ns = from_ns;
    for (size_t i = 0; i < oracle->script->fault_count; i++)
        if (kinds & 1u << oracle->script->faults[i].kind) {
            struct model_span span = model_fault(&oracle->script->faults[i]);
            add_span(&stops, span.from_ns, span.to_ns, UM_STATE_BLIND, 0);
        }
    for (size_t k = 0; k < stops.count; k++) { /* in the order of their begins */
        size_t first = k;
        for (size_t i = k; i < stops.count; i++)
            if (stops.span[i].from_ns < stops.span[first].from_ns)
                first = i;
        struct span next = stops.span[first];
        stops.span[first] = stops.span[k];
        uint64_t begin_ns = most(next.from_ns, reached_ns);
        uint64_t end_ns = least(next.to_ns, to_ns);
        sum_ns += span_ns(begin_ns, end_ns);
        reached_ns = most(reached_ns, end_ns);
    }
    return sum_ns;
}

static int by_time(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return left < right ? -1 : left > right;
}

/* How much later than in truth the monitor may find in this time that it did not run: it notes each
 * stop from its last tick on. */
static uint64_t late_slack_ns(const struct oracle *oracle, uint64_t from_ns, uint64_t to_ns)
{
    uint64_t slack_ns = 0;
    for (size_t i = 0; i < oracle->script->fault_count; i++) {
        struct model_span stop = model_fault(&oracle->script->faults[i]);
        if (MONITOR_AWAY & 1u << oracle->script->faults[i].kind && stop.from_ns < to_ns &&
            stop.to_ns > from_ns)
            slack_ns += TICK_NS;
    }
    return slack_ns;
}

/* No frame of the DLL has a time in here: the target was suspended, unless the monitor did not run
 * either. */
static void add_silence(struct oracle *oracle, uint64_t from_ns, uint64_t to_ns)
{
    uint64_t late_ns = stopped_ns(oracle, MONITOR_AWAY, from_ns, to_ns);
    uint64_t half_ns = (to_ns - from_ns) / 2;
    uint64_t slack_ns = late_slack_ns(oracle, from_ns, to_ns);
    add_span(&oracle->cuts, from_ns, to_ns, late_ns > half_ns ? UM_STATE_BLIND : UM_STATE_SUSPENDED,
             0);
    oracle->cuts.span[oracle->cuts.count - 1].is_half =
        late_ns + slack_ns >= half_ns && late_ns <= half_ns + slack_ns;
    if (!oracle->trace->gone_ns &&
        !stopped_ns(oracle,
                    1u << SCRIPT_WORKER_HELD_UP | 1u << SCRIPT_SUSPENDED | 1u << SCRIPT_ASLEEP,
                    from_ns, to_ns))
        complain(oracle, "model", "no sign of life from %f to %f", ms(from_ns), ms(to_ns));
}

/* The longest of these faults that falls into this time, in its whole length. */
static uint64_t longest_stop_ns(const struct oracle *oracle, unsigned kinds, uint64_t from_ns,
                                uint64_t to_ns)
{
    uint64_t longest_ns = 0;
    for (size_t i = 0; i < oracle->script->fault_count; i++) {
        struct model_span stop = model_fault(&oracle->script->faults[i]);
        if (kinds & 1u << oracle->script->faults[i].kind && stop.from_ns < to_ns &&
            stop.to_ns > from_ns)
            longest_ns = most(longest_ns, stop.to_ns - stop.from_ns);
    }
    return longest_ns;
}

/* Whether the monitor did not run in most of a short silence, so that nothing did. Near the half of
 * that time both is right. */
static bool is_late(const struct oracle *oracle, uint64_t from_ns, uint64_t to_ns)
{
    uint64_t late_ns = stopped_ns(oracle, MONITOR_AWAY, from_ns, to_ns);
    uint64_t longest_ns = longest_stop_ns(oracle, MONITOR_AWAY, from_ns, to_ns);
    bool may_be = late_ns + late_slack_ns(oracle, from_ns, to_ns) >= (to_ns - from_ns) / 2 &&
                  longest_ns + TICK_NS >= LATE_NS;
    for (size_t i = 0; i < oracle->told.count; i++)
        if (may_be && oracle->told.span[i].from_ns == from_ns &&
            oracle->told.span[i].to_ns == to_ns && oracle->told.span[i].state == UM_STATE_BLIND)
            return true;
    return longest_ns > LATE_NS && late_ns > LATE_NS;
}

/* Whether records of this time were lost, so that the thread has certainly run. */
static bool lost_between(const struct oracle *oracle, uint64_t from_ns, uint64_t to_ns)
{
    const struct model_trace *trace = oracle->trace;
    for (size_t i = 0; i < trace->loss_count; i++)
        if (trace->losses[i].from_ns < to_ns && trace->losses[i].to_ns > from_ns)
            return true;
    return false;
}

static void find_silence(struct oracle *oracle)
{
    const struct model_trace *trace = oracle->trace;
    uint64_t *signs = malloc((trace->sign_count + 1) * sizeof *signs);
    size_t count = 0;
    cr_assert_not_null(signs);
    for (size_t i = 0; i < trace->sign_count; i++)
        if (trace->signs[i] <= trace->drained_ns)
            signs[count++] = trace->signs[i];
    qsort(signs, count, sizeof *signs, by_time);
    for (size_t i = 1; i < count; i++)
        if (!lost_between(oracle, signs[i - 1], signs[i]) &&
            (signs[i] - signs[i - 1] > SILENCE_NS ||
             (signs[i] - signs[i - 1] > LATE_NS && is_late(oracle, signs[i - 1], signs[i]))))
            add_silence(oracle, signs[i - 1], signs[i]);
    oracle->last_sign_ns = count > 0 ? signs[count - 1] : oracle->start_ns;
    free(signs);
    if (!trace->gone_ns && trace->end_ns - oracle->last_sign_ns > SILENCE_NS)
        add_silence(oracle, oracle->last_sign_ns, trace->end_ns);
    if (!trace->gone_ns)
        return;
    if (trace->end_ns - oracle->last_sign_ns <= SILENCE_NS) {
        add_span(&oracle->blind, oracle->last_sign_ns, trace->end_ns, UM_STATE_BLIND, 0);
        return;
    }
    add_silence(oracle, oracle->last_sign_ns, trace->end_ns);
    oracle->cuts.span[oracle->cuts.count - 1].is_half = true; /* suspended until it was killed */
}

/* From a lost beat to the next one that came, or to a pause. */
static void find_lost_beats(struct oracle *oracle)
{
    const struct model_trace *trace = oracle->trace;
    uint64_t reached_ns = 0;
    for (size_t i = 0; i < trace->beat_count; i++) {
        if (trace->beats[i].delivered_ns || trace->beats[i].sent_ns < reached_ns)
            continue;
        if (trace->beats[i].sent_ns > trace->drained_ns)
            return; /* the monitor did not get to know of it */
        size_t next = i;
        while (next < trace->beat_count && !trace->beats[next].delivered_ns)
            next++;
        bool ends =
            next < trace->beat_count && trace->beats[next].sent_ns <= trace->drained_ns &&
            trace->beats[next].delivered_ns + MODEL_CONTROL_NS <= trace->end_ns + MODEL_AHEAD_NS;
        uint64_t to_ns = ends ? trace->beats[next].sent_ns : trace->end_ns;
        for (size_t k = trace->pause_count; k-- > 0;)
            if (trace->pauses[k].from_ns > trace->beats[i].sent_ns &&
                trace->pauses[k].from_ns <= trace->drained_ns)
                to_ns = least(to_ns, trace->pauses[k].from_ns);
        uint64_t known_ns =
            awake_ns(oracle, trace->beats[i].sent_ns, least(to_ns, trace->drained_ns));
        bool is_told = known_ns >= oracle->script->threshold_ms * MS + UNSEEN_NS + TICK_NS;
        add_span(is_told || to_ns < trace->end_ns ? &oracle->blind : &oracle->maybe_blind,
                 trace->beats[i].sent_ns, to_ns, UM_STATE_BLIND, 0);
        reached_ns = to_ns;
    }
}

static bool is_late_beat(const struct model_beat *beat)
{
    return beat->delivered_ns > beat->sent_ns + MODEL_DELIVERY_NS;
}

/* A beat that is late counts as the input that it stands for. But the user's own input may be taken
 * before it, or it may be given up because of other faults. */
static void find_late_beats(struct oracle *oracle)
{
    const struct model_trace *trace = oracle->trace;
    for (size_t i = 0; i < trace->beat_count; i++) {
        const struct model_beat *beat = &trace->beats[i];
        if (!is_late_beat(beat))
            continue;
        /* Blind time that began with it lasts until the next one is answered. */
        uint64_t to_ns = trace->end_ns;
        for (size_t k = trace->beat_count; k-- > i + 1;)
            if (trace->beats[k].taken_ns && trace->beats[k].sent_ns >= beat->taken_ns)
                to_ns = trace->beats[k].taken_ns;
        if (beat->delivered_ns + MODEL_CONTROL_NS > trace->end_ns + MODEL_AHEAD_NS)
            add_span(&oracle->maybe_blind, beat->sent_ns, trace->end_ns, UM_STATE_BLIND, 0);
        if (trace->key_count > 0 || oracle->script->fault_count > 1)
            add_span(&oracle->unsure, beat->sent_ns, to_ns, UM_STATE_BLIND, 0);
    }
}

/* Records are missing, and with them what the next beat says. */
static void find_losses(struct oracle *oracle)
{
    const struct model_trace *trace = oracle->trace;
    for (size_t i = 0; i < trace->loss_count; i++) {
        uint64_t from_ns = trace->losses[i].from_ns, to_ns = trace->losses[i].to_ns;
        for (size_t k = 0; k < trace->beat_count; k++) {
            const struct model_beat *beat = &trace->beats[k];
            if (beat->sent_ns <= from_ns && (beat->taken_ns >= from_ns || !beat->taken_ns))
                from_ns = beat->sent_ns; /* it was outstanding */
            if (beat->sent_ns > to_ns) {
                to_ns = beat->taken_ns ? beat->taken_ns : trace->end_ns;
                break;
            }
            if (k + 1 == trace->beat_count)
                to_ns = trace->end_ns;
        }
        add_span(&oracle->unsure, from_ns, to_ns, UM_STATE_BLIND, 0);
    }
}

/* What was told -------------------------------------------------------------------------------- */

static bool is_freeze(enum um_state state)
{
    return state == UM_STATE_FROZEN || state == UM_STATE_STARVED;
}

bool oracle_is_over(const struct um_wire_frame *frame)
{
    return frame->type == UM_WIRE_EPISODE && (frame->flags & UM_WIRE_EPISODE_END) &&
           !(frame->flags & UM_WIRE_EPISODE_VOID);
}

static void read_told(struct oracle *oracle)
{
    const struct model_trace *trace = oracle->trace;
    for (size_t i = 0; i < trace->said_count; i++) {
        const struct um_wire_frame *frame = &trace->said[i].frame;
        const struct um_wire_episode *episode = &frame->as.episode;
        if (!oracle_is_over(frame))
            continue;
        for (size_t k = 0; k < oracle->told.count; k++)
            if (oracle->told.span[k].id == episode->id ||
                (oracle->told.span[k].to_ns == episode->end_ns &&
                 oracle->told.span[k].state > UM_STATE_IDLE && episode->state > UM_STATE_IDLE))
                complain(oracle, "twice", "the episode that ends at %f is told twice",
                         ms(episode->end_ns));
        add_span(&oracle->told, episode->start_ns, episode->end_ns, episode->state, episode->id);
        oracle->ends[oracle->told.count - 1] = frame;
    }
}

/* The freeze or slow time that was told with this end. */
static const struct um_wire_frame *told_until(const struct oracle *oracle, uint64_t end_ns)
{
    for (size_t i = 0; i < oracle->told.count; i++) {
        const struct span *span = &oracle->told.span[i];
        if (span->to_ns == end_ns && (is_freeze(span->state) || span->state == UM_STATE_SLOW))
            return oracle->ends[i];
    }
    return NULL;
}

/* What a beat must say: stretch.h -------------------------------------------------------------- */

/* Whether the DLL sees that the thread takes this. */
static bool is_retrieval(const struct oracle *oracle, const struct model_busy *busy)
{
    return busy->ours || (busy->message != 0 && !oracle->script->pings);
}

/* The origin, by watchdog.h: the last retrieval, or a later time at which the thread rested by its
 * cycles. */
static struct model_busy origin_of(const struct oracle *oracle, const struct model_beat *beat,
                                   uint64_t rested_ns, uint64_t from_ns)
{
    const struct model_trace *trace = oracle->trace;
    struct model_busy origin = {0};
    bool has_last = false;
    for (size_t i = oracle->after; i-- > 0 && !has_last;)
        if (is_retrieval(oracle, &trace->busy[i])) {
            if (trace->busy[i].begin_ns < from_ns)
                break;
            origin = trace->busy[i];
            has_last = true;
        }
    if (has_last && (rested_ns <= origin.begin_ns || rested_ns > beat->sent_ns))
        return origin;
    uint64_t known_ns = rested_ns <= beat->sent_ns ? most(from_ns, rested_ns) : from_ns;
    return (struct model_busy){.begin_ns = known_ns};
}

static void start_exactly(struct stretch *stretch, const struct model_busy *busy)
{
    stretch->start_ns = stretch->start_most_ns = busy->begin_ns;
    stretch->is_exact = true;
    stretch->width_ns = stretch->doubt_ns = 0;
    stretch->message = busy->message;
}

/* Rule 3. */
static void start_between(const struct oracle *oracle, struct stretch *stretch,
                          const struct model_busy *origin, const struct model_busy *proven,
                          uint64_t age_ns, bool stale)
{
    const struct model_beat *beat = stretch->beat;
    bool rested = beat->rested && !origin->message;
    uint64_t before_ns = span_ns(READY_NS / 2, age_ns / 2);
    uint64_t after_ns = span_ns(age_ns / 2, READY_NS / 2); /* it may lie after the send */
    stretch->start_ns = awake_before_ns(oracle, beat->sent_ns, age_ns / 2);
    stretch->start_most_ns = after_ns > 0 ? awake_after_ns(oracle, beat->sent_ns, after_ns)
                                          : awake_before_ns(oracle, beat->sent_ns, before_ns);
    stretch->proven_ns = proven->begin_ns;
    stretch->doubt_ns = stale || rested || beat->left_out ? span_ns(PERIOD_NS, age_ns) / 2 : 0;
    stretch->message = stale ? 0 : origin->message;
}

/* Where the start is uncertain, what was told is taken for it, if that is possible. Otherwise it is
 * the latest one, with which rule 4 applies most often. */
static struct stretch stretch_of(struct oracle *oracle, const struct model_beat *beat,
                                 uint64_t from_ns, uint64_t end_ns)
{
    const struct um_wire_frame *told = told_until(oracle, end_ns);
    const struct model_trace *trace = oracle->trace;
    struct stretch stretch = {.beat = beat};
    while (oracle->after < trace->busy_count &&
           trace->busy[oracle->after].begin_ns <= beat->sent_ns)
        oracle->after++;
    struct model_busy origin = origin_of(oracle, beat, beat->rested_ns, from_ns);
    struct model_busy proven =
        origin_of(oracle, beat, oracle->script->pings ? beat->rested_ns : 0, from_ns);
    const struct model_busy *largest = NULL; /* what opened the largest gap, but for the first */
    size_t first = oracle->after;
    while (first < trace->busy_count && !is_retrieval(oracle, &trace->busy[first]))
        first++;
    uint64_t first_ns = first < trace->busy_count ? trace->busy[first].begin_ns : end_ns;
    uint64_t age_ns = awake_ns(oracle, origin.begin_ns, beat->sent_ns);
    uint64_t rest_ns = oracle->script->rest_ms * MS;
    bool sparse = (beat->rested && !origin.message) || beat->left_out;
    bool stale = age_ns > most(2 * (sparse ? rest_ns : PERIOD_NS), STALE_NS);
    if (awake_ns(oracle, beat->sent_ns, first_ns) <= READY_NS && first < trace->busy_count)
        start_exactly(&stretch, &trace->busy[first]);
    else if (origin.message && !stale && (!beat->left_out || age_ns <= PERIOD_NS))
        start_exactly(&stretch, &origin);
    else
        start_between(oracle, &stretch, &origin, &proven, age_ns, stale);
    if (told && told->as.episode.start_ns >= stretch.start_ns &&
        told->as.episode.start_ns <= stretch.start_most_ns)
        stretch.start_ns = stretch.start_most_ns = told->as.episode.start_ns;
    else if (told)
        stretch.start_ns = stretch.start_most_ns;
    stretch.peak_ns = awake_ns(oracle, stretch.start_ns, first_ns);
    for (size_t i = first; i < trace->busy_count && trace->busy[i].begin_ns < end_ns; i++) {
        size_t next = i + 1;
        while (next < trace->busy_count && !is_retrieval(oracle, &trace->busy[next]))
            next++;
        uint64_t to_ns =
            next < trace->busy_count ? least(trace->busy[next].begin_ns, end_ns) : end_ns;
        uint64_t gap_ns = awake_ns(oracle, trace->busy[i].begin_ns, to_ns);
        if (!is_retrieval(oracle, &trace->busy[i]) || gap_ns <= stretch.peak_ns)
            continue;
        stretch.peak_ns = gap_ns;
        stretch.message = trace->busy[i].message;
        largest = &trace->busy[i];
    }
    if (largest && awake_ns(oracle, beat->sent_ns, largest->begin_ns) <= LEAD_NS)
        start_exactly(&stretch, largest);
    if (!stretch.is_exact)
        stretch.width_ns = 2 * awake_ns(oracle, stretch.proven_ns, stretch.start_ns);
    stretch.length_ns = awake_ns(oracle, stretch.start_ns, end_ns);
    stretch.length_least_ns = awake_ns(oracle, stretch.start_most_ns, end_ns);
    return stretch;
}

/* Compares one with what was told. */
static void check_stretch(struct oracle *oracle, const struct stretch *stretch, uint64_t end_ns)
{
    uint64_t threshold_ns = oracle->script->threshold_ms * MS;
    uint64_t slow_ns = oracle->script->slow_ms * MS;
    const struct um_wire_frame *frame = told_until(oracle, end_ns);
    uint64_t sure_ns = span_ns(stretch->doubt_ns, stretch->length_ns);
    uint64_t sure_least_ns = span_ns(stretch->doubt_ns, stretch->length_least_ns);

    if (!frame) {
        if (sure_least_ns >= slow_ns)
            complain(oracle, sure_least_ns >= threshold_ns ? "missing" : "slow",
                     "nothing was told of %f to %f (%f ms for certain)", ms(stretch->start_ns),
                     ms(end_ns), (double)sure_least_ns / 1e6);
        return;
    }
    const struct um_wire_episode *told = &frame->as.episode;
    if (sure_ns < slow_ns)
        complain(oracle, "none", "a freeze was told until %f, where there is none", ms(end_ns));
    if (told->start_ns < stretch->start_ns || told->start_ns > stretch->start_most_ns)
        complain(oracle, "begin", "begins at %f, and not at %f", ms(told->start_ns),
                 ms(stretch->start_ns));
    if (told->uncertainty_ns < stretch->width_ns ||
        told->uncertainty_ns > stretch->width_ns + (stretch->is_exact ? 0 : READY_NS))
        complain(oracle, "uncertain", "at %f it is uncertain by %f ms, and not by %f",
                 ms(told->start_ns), (double)told->uncertainty_ns / 1e6,
                 (double)stretch->width_ns / 1e6);
    uint64_t length_ns = awake_ns(oracle, told->start_ns, end_ns);
    if (told->end_ns - told->start_ns - told->slept_ns != length_ns)
        complain(oracle, "length", "at %f it slept for %f ms, and not for %f", ms(told->start_ns),
                 (double)told->slept_ns / 1e6, (double)(end_ns - told->start_ns - length_ns) / 1e6);
    uint64_t told_sure_ns = span_ns(stretch->doubt_ns, length_ns);
    enum um_state state = told_sure_ns < threshold_ns ? UM_STATE_SLOW
                          : span_ns(stretch->doubt_ns, stretch->peak_ns) >= threshold_ns
                              ? UM_STATE_FROZEN
                              : UM_STATE_STARVED;
    if (told->state != state)
        complain(oracle, "state", "at %f its state is %d, and not %d", ms(told->start_ns),
                 told->state, state);
    bool has_message = frame->flags & UM_WIRE_EPISODE_HAS_MESSAGE;
    if ((has_message ? told->message : 0) != stretch->message)
        complain(oracle, "message", "at %f the message is %x, and not %x", ms(told->start_ns),
                 has_message ? told->message : 0, stretch->message);
    else if (has_message && strcmp(told->window_class, "Edit") != 0)
        complain(oracle, "class", "at %f the window is of class '%s'", ms(told->start_ns),
                 told->window_class);
    oracle->verdict.freezes += state != UM_STATE_SLOW;
}

static const struct model_said *begin_of(const struct oracle *oracle, uint32_t id)
{
    for (size_t i = 0; i < oracle->trace->said_count; i++) {
        const struct um_wire_frame *frame = &oracle->trace->said[i].frame;
        if (frame->type == UM_WIRE_EPISODE && frame->as.episode.id == id &&
            (frame->flags & UM_WIRE_EPISODE_BEGIN))
            return &oracle->trace->said[i];
    }
    return NULL;
}

/* A freeze is told while it lasts, if nobody was held up. */
static void check_live(struct oracle *oracle, const struct stretch *stretch, uint64_t end_ns)
{
    uint64_t threshold_ns = oracle->script->threshold_ms * MS;
    const struct um_wire_frame *frame = told_until(oracle, end_ns);
    uint64_t due_ns = most(stretch->beat->sent_ns, stretch->beat->delivered_ns) + LEAD_NS +
                      stretch->doubt_ns + threshold_ns + LIVE_NS;
    if (!frame || !is_freeze(frame->as.episode.state) || due_ns >= end_ns)
        return;
    const struct model_said *begin = begin_of(oracle, frame->as.episode.id);
    if (begin->now_ns > due_ns)
        complain(oracle, "live", "the freeze of %f is told at %f only", ms(stretch->start_ns),
                 ms(begin->now_ns));
}

/* The latency of a beat that was taken. */
static void check_latency(struct oracle *oracle, const struct model_beat *beat)
{
    uint64_t latency_ns = awake_ns(oracle, beat->sent_ns, beat->taken_ns);
    for (size_t i = oracle->said_from; i < oracle->trace->said_count; i++) {
        const struct um_wire_frame *frame = &oracle->trace->said[i].frame;
        if (frame->type != UM_WIRE_BEAT || frame->as.beat.sent_ns != beat->sent_ns)
            continue;
        oracle->said_from = i;
        if (frame->as.beat.latency_ns != latency_ns)
            complain(oracle, "latency", "the beat of %f took %f ms, and not %f", ms(beat->sent_ns),
                     (double)frame->as.beat.latency_ns / 1e6, (double)latency_ns / 1e6);
        return;
    }
    complain(oracle, "latency", "the beat of %f has no latency", ms(beat->sent_ns));
}

static void check_beats(struct oracle *oracle)
{
    const struct model_trace *trace = oracle->trace;
    uint64_t from_ns = oracle->start_ns;
    bool is_timely = oracle->script->idle_pause_ms == 0; /* in a pause the DLL looks seldom */
    for (size_t i = 0; i < oracle->script->fault_count; i++)
        is_timely &= oracle->script->faults[i].kind == SCRIPT_BEAT_LOST ||
                     oracle->script->faults[i].kind == SCRIPT_BEAT_LATE;
    for (size_t i = 0; i < trace->beat_count; i++) {
        const struct model_beat *beat = &trace->beats[i];
        bool was_paused = false;
        for (size_t k = 0; k < trace->pause_count; k++)
            was_paused |= trace->pauses[k].to_ns == beat->sent_ns;
        if (was_paused)
            from_ns = beat->sent_ns;
        if (!beat->delivered_ns || beat->given_up) {
            from_ns = beat->sent_ns;
            continue;
        }
        if (!beat->taken_ns || beat->taken_ns > trace->drained_ns)
            continue;
        if (!touches(&oracle->unsure, from_ns, beat->taken_ns)) {
            struct stretch stretch = stretch_of(oracle, beat, from_ns, beat->taken_ns);
            check_stretch(oracle, &stretch, beat->taken_ns);
            check_latency(oracle, beat);
            if (is_timely)
                check_live(oracle, &stretch, beat->taken_ns);
        }
        from_ns = beat->taken_ns;
    }
}

/* Each episode begins before it ends, and each begin has its end. */
static void check_pairs(struct oracle *oracle)
{
    const struct model_trace *trace = oracle->trace;
    unsigned begins = 0, ends = 0;
    for (size_t i = 0; i < trace->said_count; i++) {
        const struct um_wire_frame *frame = &trace->said[i].frame;
        if (frame->type != UM_WIRE_EPISODE)
            continue;
        begins += (frame->flags & UM_WIRE_EPISODE_BEGIN) != 0;
        ends += (frame->flags & UM_WIRE_EPISODE_END) != 0;
        const struct model_said *begin = begin_of(oracle, frame->as.episode.id);
        if (!begin || begin > &trace->said[i])
            complain(oracle, "begin", "episode %u has no begin", frame->as.episode.id);
    }
    if (begins != ends)
        complain(oracle, "end", "%u episodes begin, and %u end", begins, ends);
}

/* Beats and keys are counted once each, and nothing else is told of any. */
static void check_counts(struct oracle *oracle)
{
    const struct model_trace *trace = oracle->trace;
    uint64_t sent = 0, seen = 0, keys = 0, beats = 0, told_keys = 0;
    for (size_t i = 0; i < trace->beat_count; i++) {
        sent += trace->beats[i].sent_ns <= trace->drained_ns;
        seen += trace->beats[i].taken_ns && trace->beats[i].taken_ns <= trace->drained_ns;
    }
    for (size_t i = 0; i < trace->key_count; i++)
        keys += trace->keys[i].dequeued_ns && trace->keys[i].dequeued_ns <= trace->drained_ns;
    for (size_t i = 0; i < trace->said_count; i++) {
        const struct um_wire_frame *frame = &trace->said[i].frame;
        beats += frame->type == UM_WIRE_BEAT && !(frame->flags & UM_WIRE_BEAT_AT_LEAST);
        told_keys += frame->type == UM_WIRE_INTERACTION;
    }
    if (oracle->unsure.count > 0)
        return;
    if (trace->totals.beats_sent != sent || trace->totals.beats_seen != seen || beats != seen)
        complain(oracle, "counts", "%u of %u beats were seen, with %u latencies, and not %u of %u",
                 (unsigned)trace->totals.beats_seen, (unsigned)trace->totals.beats_sent,
                 (unsigned)beats, (unsigned)seen, (unsigned)sent);
    if (trace->totals.beats_lost + seen + 1 < sent)
        complain(oracle, "counts", "%u beats were lost, and not %u",
                 (unsigned)trace->totals.beats_lost, (unsigned)(sent - seen));
    if (!oracle->script->pings && told_keys != keys)
        complain(oracle, "counts", "%u keys were told, and not %u", (unsigned)told_keys,
                 (unsigned)keys);
}

/* A beat is only given up where a fault has kept it, or its answer, away. */
static void check_given_up(struct oracle *oracle)
{
    for (size_t i = 0; i < oracle->trace->beat_count; i++) {
        const struct model_beat *beat = &oracle->trace->beats[i];
        if (beat->given_up && !touches(&oracle->unsure, beat->sent_ns, beat->sent_ns))
            complain(oracle, "given up", "the beat of %f was given up", ms(beat->sent_ns));
    }
}

/* What is shown while it lasts is an episode that has begun and not ended. */
static void check_statuses(struct oracle *oracle)
{
    const struct model_trace *trace = oracle->trace;
    const unsigned late = 1u << SCRIPT_BEAT_LATE | MONITOR_AWAY;
    unsigned open[UM_STATE_COUNT + 1] = {0};
    enum um_state begun_as[SPANS * 2] = {0};
    for (size_t i = 0; i < oracle->script->fault_count; i++)
        if (late & 1u << oracle->script->faults[i].kind)
            return; /* the state is told for times before, or some ms before an episode begins */
    for (size_t i = 0; i < trace->said_count; i++) {
        const struct um_wire_frame *frame = &trace->said[i].frame;
        const struct um_wire_episode *episode = &frame->as.episode;
        if (frame->type == UM_WIRE_EPISODE && episode->id < SPANS * 2) {
            if (frame->flags & UM_WIRE_EPISODE_BEGIN) {
                begun_as[episode->id] =
                    is_freeze(episode->state) ? UM_STATE_FROZEN : episode->state;
                open[begun_as[episode->id]]++;
            }
            if (frame->flags & UM_WIRE_EPISODE_END)
                open[begun_as[episode->id]]--;
        }
        if (frame->type != UM_WIRE_STATUS || frame->as.status.time_ns >= trace->end_ns)
            continue;
        enum um_state state = frame->as.status.state;
        bool is_away = open[UM_STATE_FROZEN] > 0 || open[UM_STATE_SUSPENDED] > 0 ||
                       open[UM_STATE_BLIND] > 0 || open[UM_STATE_IDLE] > 0;
        bool shows = state <= UM_STATE_STARVED;
        enum um_state as = is_freeze(state) ? UM_STATE_FROZEN : state;
        if (shows ? open[as] == 0 : is_away)
            complain(oracle, "status", "at %f the state is shown as %d",
                     ms(frame->as.status.time_ns), state);
    }
}

/* Each time that was told as a freeze must be one: it ends where a beat was taken. */
static void check_told(struct oracle *oracle)
{
    const struct model_trace *trace = oracle->trace;
    for (size_t i = 0; i < oracle->told.count; i++) {
        const struct span *told = &oracle->told.span[i];
        bool ends = told->to_ns >= trace->drained_ns; /* the last one lasts */
        if (!is_freeze(told->state) && told->state != UM_STATE_SLOW)
            continue;
        for (size_t k = 0; k < trace->beat_count; k++)
            ends |= trace->beats[k].taken_ns == told->to_ns;
        if (!ends && !touches(&oracle->unsure, told->from_ns, told->to_ns))
            complain(oracle, "end", "a freeze ends at %f, where no beat was taken",
                     ms(told->to_ns));
    }
}

/* Suspended, blind, idle ----------------------------------------------------------------------- */

static int by_begin(const void *a, const void *b)
{
    const struct span *left = a, *right = b;
    return left->from_ns < right->from_ns ? -1 : left->from_ns > right->from_ns;
}

/* The times of one state, in order; those that touch are one. */
static void merge(const struct spans *spans, enum um_state state, struct spans *out)
{
    for (size_t i = 0; i < spans->count; i++)
        if (spans->span[i].state == state && spans->span[i].to_ns > spans->span[i].from_ns)
            add_span(out, spans->span[i].from_ns, spans->span[i].to_ns, state, 0);
    qsort(out->span, out->count, sizeof out->span[0], by_begin);
    size_t kept = 0;
    for (size_t i = 0; i < out->count; i++)
        if (kept > 0 && out->span[i].from_ns <= out->span[kept - 1].to_ns)
            out->span[kept - 1].to_ns = most(out->span[kept - 1].to_ns, out->span[i].to_ns);
        else
            out->span[kept++] = out->span[i];
    out->count = kept;
}

static bool has_span(const struct spans *spans, const struct span *wanted)
{
    for (size_t i = 0; i < spans->count; i++)
        if (spans->span[i].from_ns == wanted->from_ns && spans->span[i].to_ns == wanted->to_ns)
            return true;
    return false;
}

static void compare(struct oracle *oracle, const struct spans *expected, const struct spans *told,
                    enum um_state state)
{
    static struct spans left, right, both;
    left.count = right.count = both.count = 0;
    merge(expected, state, &left);
    merge(told, state, &right);
    both = left;
    merge(&oracle->maybe_blind, state, &both);
    for (size_t i = 0; i < right.count; i++) {
        const struct span *span = &right.span[i];
        if (!has_span(&left, span) && !has_span(&both, span) &&
            !touches(&oracle->unsure, span->from_ns, span->to_ns))
            complain(oracle, "window", "state %d from %f to %f: no fault has caused that", state,
                     ms(span->from_ns), ms(span->to_ns));
    }
    for (size_t i = 0; i < left.count; i++) {
        const struct span *span = &left.span[i];
        bool is_told = has_span(&right, span);
        for (size_t k = 0; k < right.count; k++) /* as one with another that is not certain */
            is_told |= right.span[k].from_ns <= span->from_ns &&
                       right.span[k].to_ns >= span->to_ns && has_span(&both, &right.span[k]);
        if (!is_told && !touches(&oracle->unsure, span->from_ns, span->to_ns))
            complain(oracle, "window", "state %d from %f to %f was not told", state,
                     ms(span->from_ns), ms(span->to_ns));
    }
}

/* Where the monitor was held up for about half of a silence, both is right. A blind time that lasts
 * may have taken it in. */
static void settle_halves(struct oracle *oracle)
{
    for (size_t i = 0; i < oracle->cuts.count; i++) {
        struct span *cut = &oracle->cuts.span[i];
        bool is_told = false;
        for (size_t k = 0; cut->is_half && k < oracle->told.count; k++) {
            const struct span *told = &oracle->told.span[k];
            bool same = told->from_ns == cut->from_ns && told->to_ns == cut->to_ns;
            bool around = told->from_ns <= cut->from_ns && told->to_ns >= cut->to_ns;
            if ((same && told->state <= UM_STATE_BLIND) ||
                (around && !is_told && told->state == UM_STATE_BLIND))
                cut->state = told->state;
            is_told |= same && told->state <= UM_STATE_BLIND;
        }
    }
}

static void check_windows(struct oracle *oracle)
{
    const struct model_trace *trace = oracle->trace;
    static struct spans spans;
    struct spans *expected = &spans;
    expected->count = 0;
    settle_halves(oracle);
    for (size_t i = 0; i < oracle->cuts.count; i++)
        add_span(expected, oracle->cuts.span[i].from_ns, oracle->cuts.span[i].to_ns,
                 oracle->cuts.span[i].state, 0);
    for (size_t i = 0; i < oracle->blind.count; i++)
        add_span(expected, oracle->blind.span[i].from_ns, oracle->blind.span[i].to_ns,
                 UM_STATE_BLIND, 0);
    for (size_t i = 0; i < trace->pause_count; i++) {
        uint64_t to_ns = trace->pauses[i].to_ns;
        if (trace->pauses[i].from_ns > trace->drained_ns)
            continue;
        if (to_ns > trace->drained_ns)
            to_ns = trace->gone_ns ? oracle->last_sign_ns : trace->end_ns;
        struct span until_end = {.from_ns = trace->pauses[i].from_ns, .to_ns = trace->end_ns};
        if (trace->gone_ns && has_span(&oracle->told, &until_end))
            to_ns = trace->end_ns; /* it was suspended before it was killed */
        add_span(expected, trace->pauses[i].from_ns, to_ns, UM_STATE_IDLE, 0);
    }
    compare(oracle, expected, &oracle->told, UM_STATE_SUSPENDED);
    compare(oracle, expected, &oracle->told, UM_STATE_BLIND);
    compare(oracle, expected, &oracle->told, UM_STATE_IDLE);
}

/* Since this time nothing was known of the target, until the send of the next beat that was
 * answered. */
static void add_unanswered(struct oracle *oracle, struct spans *spans, uint64_t from_ns)
{
    const struct model_trace *trace = oracle->trace;
    uint64_t to_ns = trace->end_ns;
    for (size_t i = trace->beat_count; i-- > 0;)
        if (trace->beats[i].taken_ns > from_ns && trace->beats[i].taken_ns <= trace->drained_ns)
            to_ns = trace->beats[i].sent_ns;
    if (to_ns > from_ns)
        add_span(spans, from_ns, to_ns, UM_STATE_UNKNOWN, 0);
}

/* Nothing is known before the first answer, and after each time that was blind or idle. */
static void add_unknown(struct oracle *oracle, struct spans *spans)
{
    const struct model_trace *trace = oracle->trace;
    size_t count = spans->count;
    add_unanswered(oracle, spans, oracle->start_ns);
    for (size_t i = 0; i < count; i++) {
        const struct span told = spans->span[i];
        if (told.state != UM_STATE_BLIND && told.state != UM_STATE_IDLE)
            continue;
        add_unanswered(oracle, spans, told.from_ns);
        for (size_t k = 0; k < trace->beat_count; k++)
            if (trace->beats[k].taken_ns > told.from_ns && trace->beats[k].taken_ns < told.to_ns)
                add_unanswered(oracle, spans, trace->beats[k].taken_ns);
    }
}

/* The times of the states, added up from the episodes. */
static void check_sums(struct oracle *oracle)
{
    static const enum um_state order[] = {UM_STATE_SUSPENDED, UM_STATE_BLIND,   UM_STATE_IDLE,
                                          UM_STATE_FROZEN,    UM_STATE_STARVED, UM_STATE_SLOW,
                                          UM_STATE_UNKNOWN};
    static struct spans spans;
    static uint64_t bounds[2 * SPANS + 2];
    const struct model_trace *trace = oracle->trace;
    uint64_t sums[UM_STATE_COUNT] = {0};
    uint64_t told_ns[UM_STATE_COUNT];
    size_t count = 0;
    uint64_t sum_ns = 0;

    spans = oracle->told;
    add_unknown(oracle, &spans);
    bounds[count++] = oracle->start_ns;
    bounds[count++] = trace->end_ns;
    for (size_t i = 0; i < spans.count; i++) {
        bounds[count++] = most(spans.span[i].from_ns, oracle->start_ns);
        bounds[count++] = spans.span[i].to_ns;
    }
    qsort(bounds, count, sizeof bounds[0], by_time);
    for (size_t i = 1; i < count; i++) {
        enum um_state state = UM_STATE_RESPONSIVE;
        for (size_t k = sizeof order / sizeof order[0]; k-- > 0 && bounds[i] > bounds[i - 1];)
            for (size_t n = 0; n < spans.count; n++)
                if (spans.span[n].state == order[k] && spans.span[n].from_ns <= bounds[i - 1] &&
                    spans.span[n].to_ns >= bounds[i])
                    state = order[k];
        sums[state] += bounds[i] - bounds[i - 1];
    }
    memcpy(told_ns, trace->totals.state_ns, sizeof told_ns);
    bool has_late = false;
    for (size_t i = 0; i < trace->beat_count; i++)
        has_late |= is_late_beat(&trace->beats[i]);
    if (oracle->unsure.count > 0 || has_late) { /* it is not known which beats were answered */
        sums[UM_STATE_RESPONSIVE] += sums[UM_STATE_UNKNOWN];
        told_ns[UM_STATE_RESPONSIVE] += told_ns[UM_STATE_UNKNOWN];
        sums[UM_STATE_UNKNOWN] = told_ns[UM_STATE_UNKNOWN] = 0;
    }
    for (size_t i = 0; i < UM_STATE_COUNT; i++) {
        sum_ns += told_ns[i];
        if (told_ns[i] != sums[i])
            complain(oracle, "sum", "state %zu lasted %f ms, and its episodes %f", i,
                     (double)told_ns[i] / 1e6, (double)sums[i] / 1e6);
    }
    if (sum_ns != trace->totals.duration_ns ||
        trace->totals.duration_ns != trace->end_ns - oracle->start_ns)
        complain(oracle, "sum", "the states add up to %f ms of %f", (double)sum_ns / 1e6,
                 (double)(trace->end_ns - oracle->start_ns) / 1e6);
}

/* Keys ----------------------------------------------------------------------------------------- */

static uint32_t freeze_of(const struct oracle *oracle, uint64_t from_ns, uint64_t to_ns)
{
    uint64_t longest_ns = 0;
    uint32_t id = 0;
    for (size_t i = 0; i < oracle->told.count; i++) {
        const struct span *told = &oracle->told.span[i];
        uint64_t length_ns = span_ns(most(told->from_ns, from_ns), least(told->to_ns, to_ns));
        if (is_freeze(told->state) && length_ns > longest_ns) {
            longest_ns = length_ns;
            id = told->id;
        }
    }
    return id;
}

static void check_key(struct oracle *oracle, const struct model_key *key,
                      const struct um_wire_interaction *told)
{
    uint64_t drained_ns = oracle->trace->drained_ns;
    uint64_t handled_ns = key->handled_ns <= drained_ns ? key->handled_ns : 0;
    uint64_t painted_ns = key->painted_ns <= drained_ns ? key->painted_ns : 0;
    if (told->arrival_ns != key->arrival_ns)
        complain(oracle, "key", "the key of %f came at %f", ms(key->arrival_ns),
                 ms(told->arrival_ns));
    if (told->handled_ns != handled_ns)
        complain(oracle, "key", "the key of %f was handled at %f, and not at %f",
                 ms(key->arrival_ns), ms(told->handled_ns), ms(handled_ns));
    if (told->painted_ns != painted_ns && (told->painted_ns || painted_ns <= handled_ns + PAINT_NS))
        complain(oracle, "key", "the key of %f was painted at %f, and not at %f",
                 ms(key->arrival_ns), ms(told->painted_ns), ms(painted_ns));
    uint32_t freeze =
        freeze_of(oracle, key->arrival_ns, handled_ns ? handled_ns : key->dequeued_ns);
    if (told->freeze != freeze)
        complain(oracle, "key", "the key of %f was held up by freeze %u, and not by %u",
                 ms(key->arrival_ns), told->freeze, freeze);
    oracle->verdict.keys++;
}

static void check_keys(struct oracle *oracle)
{
    const struct model_trace *trace = oracle->trace;
    for (size_t i = 0; i < trace->key_count; i++) {
        const struct model_key *key = &trace->keys[i];
        const struct um_wire_interaction *told = NULL;
        if (!key->dequeued_ns || key->dequeued_ns > trace->drained_ns)
            continue;
        for (size_t k = 0; k < trace->said_count; k++) {
            const struct um_wire_frame *frame = &trace->said[k].frame;
            if (frame->type == UM_WIRE_INTERACTION &&
                frame->as.interaction.dequeued_ns == key->dequeued_ns)
                told = &frame->as.interaction;
        }
        uint64_t until_ns = most(key->painted_ns, key->handled_ns);
        if (touches(&oracle->unsure, key->arrival_ns, most(until_ns, key->dequeued_ns)))
            continue;
        if (!told)
            complain(oracle, "key", "the key that was taken at %f is missing",
                     ms(key->dequeued_ns));
        else
            check_key(oracle, key, told);
    }
}

/* What must hold in any case ------------------------------------------------------------------- */

/* How long the thread rested in this time. */
static uint64_t rested_ns(const struct oracle *oracle, uint64_t from_ns, uint64_t to_ns)
{
    const struct model_trace *trace = oracle->trace;
    uint64_t busy_ns = 0;
    for (size_t i = 0; i < trace->busy_count; i++)
        busy_ns +=
            span_ns(most(trace->busy[i].begin_ns, from_ns), least(trace->busy[i].end_ns, to_ns));
    /* The user's input would have been as late as a beat that is. */
    for (size_t i = 0; i < trace->beat_count; i++)
        if (is_late_beat(&trace->beats[i]))
            busy_ns += span_ns(most(trace->beats[i].sent_ns, from_ns),
                               least(trace->beats[i].delivered_ns, to_ns));
    return span_ns(from_ns, to_ns) - least(busy_ns, span_ns(from_ns, to_ns));
}

/* In a freeze the thread was away, but for the uncertainty, the way of a beat, and the time since a
 * message that was handled at once: it is blamed for a sent one that came before the next beat. */
static void check_truth(struct oracle *oracle)
{
    const unsigned stops = 1u << SCRIPT_SUSPENDED | 1u << SCRIPT_ASLEEP; /* too short to be told */
    for (size_t i = 0; i < oracle->told.count; i++) {
        const struct um_wire_episode *episode = &oracle->ends[i]->as.episode;
        if (!is_freeze(episode->state))
            continue;
        /* If the answer was lost, and no other beat is sent, the thread looks away. */
        bool is_lost = touches(&oracle->unsure, episode->start_ns, episode->end_ns) &&
                       stopped_ns(oracle, 1u << SCRIPT_HEARTBEAT_HELD_UP, episode->start_ns,
                                  episode->end_ns) > 0;
        if (is_lost)
            continue;
        uint64_t rested = rested_ns(oracle, episode->start_ns, episode->end_ns);
        uint64_t away = overlap_ns(&oracle->cuts, episode->start_ns, episode->end_ns) +
                        stopped_ns(oracle, stops, episode->start_ns, episode->end_ns);
        rested -= least(rested, away);
        if (rested > episode->uncertainty_ns / 2 + STALE_NS + READY_NS)
            complain(oracle, "truth", "in the freeze of %f to %f the thread rested for %f ms",
                     ms(episode->start_ns), ms(episode->end_ns), (double)rested / 1e6);
    }
}

/* Whether nothing kept uimon from seeing what the thread did in this time. */
static bool is_observed(const struct oracle *oracle, uint64_t from_ns, uint64_t to_ns)
{
    const unsigned stops =
        1u << SCRIPT_HEARTBEAT_HELD_UP | 1u << SCRIPT_SUSPENDED | 1u << SCRIPT_ASLEEP;
    const struct model_trace *trace = oracle->trace;
    for (size_t i = 0; i < trace->pause_count; i++)
        if (trace->pauses[i].from_ns <= to_ns && trace->pauses[i].to_ns >= from_ns)
            return false;
    return to_ns <= trace->drained_ns && !touches(&oracle->unsure, from_ns, to_ns) &&
           !touches(&oracle->blind, from_ns, to_ns) && !touches(&oracle->cuts, from_ns, to_ns) &&
           !touches(&oracle->maybe_blind, from_ns, to_ns) &&
           !stopped_ns(oracle, stops, from_ns, to_ns);
}

/* Where the thread was away for longer than the threshold, that is told. What may be missing is the
 * time before the first beat that waited: at rest that is a rest period, and then a look. */
static void check_away(struct oracle *oracle)
{
    const struct model_trace *trace = oracle->trace;
    uint64_t missed_ns = (oracle->script->rest_ms + 30) * MS;
    for (size_t i = 0; i < trace->busy_count; i++) {
        uint64_t from_ns = trace->busy[i].begin_ns, to_ns = trace->busy[i].end_ns, told_ns = 0;
        while (i + 1 < trace->busy_count && trace->busy[i + 1].begin_ns == to_ns &&
               !trace->busy[i + 1].ours)
            to_ns = trace->busy[++i].end_ns;
        if (to_ns - from_ns < oracle->script->threshold_ms * MS + missed_ns ||
            !is_observed(oracle, from_ns - missed_ns, to_ns))
            continue;
        for (size_t k = 0; k < oracle->told.count; k++)
            if (is_freeze(oracle->told.span[k].state))
                told_ns += span_ns(most(oracle->told.span[k].from_ns, from_ns),
                                   least(oracle->told.span[k].to_ns, to_ns));
        if (told_ns + missed_ns < to_ns - from_ns)
            complain(oracle, "away", "of %f to %f only %f ms are told as a freeze", ms(from_ns),
                     ms(to_ns), (double)told_ns / 1e6);
    }
}

/* Each reason to be blind has its fault, and each blind time its reason. */
static void check_reasons(struct oracle *oracle)
{
    const struct model_trace *trace = oracle->trace;
    unsigned told = 0, allowed = 1u << UM_PROBE_HELD_NOT, faults = 0;
    for (size_t i = 0; i < trace->said_count; i++)
        if (trace->said[i].frame.type == UM_WIRE_BEAT_KIND)
            told |= 1u << trace->said[i].frame.as.beat_kind.held;
    for (size_t i = 0; i < oracle->script->fault_count; i++)
        faults |= 1u << oracle->script->faults[i].kind;
    if (faults & MONITOR_AWAY)
        allowed |= 1u << UM_PROBE_HELD_LATE;
    if (faults & (1u << SCRIPT_BEAT_LOST | 1u << SCRIPT_BEAT_LATE | 1u << SCRIPT_ASLEEP))
        allowed |= 1u << UM_PROBE_HELD_UNDELIVERED;
    if (faults & 1u << SCRIPT_BEAT_LATE)
        allowed |= 1u << UM_PROBE_HELD_FILTERED;
    if (faults & 1u << SCRIPT_KILLED)
        allowed |= 1u << UM_PROBE_HELD_DETACHED;
    if (trace->loss_count > 0)
        allowed |= 1u << UM_PROBE_HELD_LOSSY;
    if (told & ~allowed)
        complain(oracle, "reason", "blind for reasons %x, of which %x have no fault", told,
                 told & ~allowed);
    if (trace->totals.state_ns[UM_STATE_BLIND] > 0 && !(told & ~(1u << UM_PROBE_HELD_NOT)))
        complain(oracle, "reason", "blind for %f ms without a reason",
                 (double)trace->totals.state_ns[UM_STATE_BLIND] / 1e6);
}

/* A late joiner, and a recording that was cut -------------------------------------------------- */

static void check_late_joiner(struct oracle *oracle)
{
    const struct model_trace *trace = oracle->trace;
    static struct um_late_join known;
    const struct um_wire_frame *frames[UM_LATE_JOIN_FRAMES];
    size_t cut = least(oracle->script->cut, trace->said_count);
    size_t count = 0;

    memset(&known, 0, sizeof known);
    for (size_t i = 0; i < cut; i++)
        um_late_join_take(&known, &trace->said[i].frame);
    count = um_late_join_list(&known, frames);
    for (size_t i = cut; i < trace->said_count; i++) {
        const struct um_wire_frame *frame = &trace->said[i].frame;
        bool is_end = frame->type == UM_WIRE_EPISODE && (frame->flags & UM_WIRE_EPISODE_END) &&
                      !(frame->flags & UM_WIRE_EPISODE_BEGIN);
        const struct model_said *begin = is_end ? begin_of(oracle, frame->as.episode.id) : NULL;
        bool is_told = !begin || begin >= &trace->said[cut];
        for (size_t k = 0; k < count; k++)
            is_told |= begin && frames[k]->type == UM_WIRE_EPISODE &&
                       frames[k]->as.episode.id == frame->as.episode.id;
        if (!is_told)
            complain(oracle, "joiner", "episode %u ends, of which a late joiner was not told",
                     frame->as.episode.id);
    }
}

static void check_cut_recording(struct oracle *oracle)
{
    const struct model_trace *trace = oracle->trace;
    const struct um_stats_config config = {.start_ns = MODEL_START_NS, .period_ns = PERIOD_NS};
    size_t cut = least(oracle->script->cut, trace->said_count);
    unsigned count = 0;
    uint64_t total_ns = 0;
    struct um_stats *stats;

    cr_assert_eq(um_stats_open(&config, &stats), UM_OK);
    for (size_t i = 0; i < cut; i++) {
        const struct um_wire_frame *frame = &trace->said[i].frame;
        bool is_over = oracle_is_over(frame) && is_freeze(frame->as.episode.state);
        um_stats_frame(stats, frame);
        count += is_over;
        if (is_over)
            total_ns +=
                frame->as.episode.end_ns - frame->as.episode.start_ns - frame->as.episode.slept_ns;
    }
    const struct um_stats_freezes *freezes = um_stats_freezes(stats);
    if (freezes->count != count || freezes->total_ns != total_ns)
        complain(oracle, "recording",
                 "cut after %zu frames it has %u freezes of %f ms, and not %u of %f", cut,
                 freezes->count, (double)freezes->total_ns / 1e6, count, (double)total_ns / 1e6);
    um_stats_close(stats);
}

struct oracle_verdict oracle_judge(const struct script *script, const struct model_trace *trace)
{
    struct oracle *oracle = calloc(1, sizeof *oracle);
    cr_assert_not_null(oracle);
    oracle->script = script;
    oracle->trace = trace;
    oracle->start_ns = trace->beat_count ? trace->beats[0].sent_ns : trace->end_ns;
    oracle->verdict.total_ns = trace->end_ns - oracle->start_ns;
    read_told(oracle);
    find_silence(oracle);
    find_lost_beats(oracle);
    find_losses(oracle);
    find_late_beats(oracle);
    oracle->verdict.unsure_ns = overlap_ns(&oracle->unsure, oracle->start_ns, trace->end_ns);
    if (!trace->has_totals && trace->drained_ns > oracle->start_ns)
        complain(oracle, "totals", "nothing was summed up");
    if (trace->has_totals) {
        check_pairs(oracle);
        check_counts(oracle);
        check_given_up(oracle);
        check_statuses(oracle);
        check_beats(oracle);
        check_told(oracle);
        check_windows(oracle);
        if (!script->pings)
            check_keys(oracle);
        check_truth(oracle);
        check_away(oracle);
        check_reasons(oracle);
        check_late_joiner(oracle);
        check_cut_recording(oracle);
        check_sums(oracle);
    }
    struct oracle_verdict verdict = oracle->verdict;
    free(oracle);
    return verdict;
}
