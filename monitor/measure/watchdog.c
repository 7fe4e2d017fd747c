#include "monitor/measure/watchdog.h"

#include <string.h>

#include "base/ns.h"
#include "base/plain/clock.h"
#include "base/plain/message.h"

#define GAP_NS (5 * UM_CLOCK_NS_PER_MS)        /* GAP frames are for gaps of at least this */
#define OVERTAKEN_NS (32 * UM_CLOCK_NS_PER_MS) /* two steps of the clock of message times */
#define DELIVERY_DECAY 64 /* each beat takes 1/64 off: half is gone after 45 beats */
#define DELIVERY_NS (20 * UM_CLOCK_NS_PER_MS)   /* the control sees a beat by then, or never */
#define ABANDON_NS (1000 * UM_CLOCK_NS_PER_MS)  /* until a beat that nobody saw is given up */
#define GONE_NS (1000 * UM_CLOCK_NS_PER_MS)     /* two messages that miss it are within so long */
#define FILTERED_NS (250 * UM_CLOCK_NS_PER_MS)  /* the same if those before were not seen either */
#define SIGHTING_NS (1000 * UM_CLOCK_NS_PER_MS) /* at most, from a beat's SENT to its sighting */
#define DOUBT_NS (50 * UM_CLOCK_NS_PER_MS)      /* at least, after a loss: a SEEN may be missing */
#define TIMER_NS (100 * UM_CLOCK_NS_PER_MS)     /* at most, from the start of a timer of 10 ms */
#define SILENCE_NS (175 * UM_CLOCK_NS_PER_MS)   /* three missed signs of life, and some slack */
#define LATE_NS (100 * UM_CLOCK_NS_PER_MS) /* between two calls: the monitor itself did not run */
#define TICK_NS (50 * UM_CLOCK_NS_PER_MS)
#define SETTLE_NS (2000 * UM_CLOCK_NS_PER_MS) /* older time is final, unless a stretch reaches it */
#define QUESTION_NS (20 * UM_CLOCK_NS_PER_MS) /* until the DLL asks about a beat (um_probe_ask) */
#define UNASKED_NS (40 * UM_CLOCK_NS_PER_MS)  /* a thread that took so long was surely asked */
#define OWN_CUT_NS (1 * UM_CLOCK_NS_PER_MS)   /* shorter times of our own are not cut out */
#define PRESENT_MOST 5                        /* states that may apply at the same time */
#define TIME_MAX_NS (UINT64_MAX / 2)
#define LENGTH_MAX_NS (UINT64_MAX / 16)

enum blind_reason {
    OFF_PROBE = 1,
    DETACHED = 2,
    OVERTAKEN =
        4, /* this and UNPROVEN last until a beat is answered; until then none is evidence */
    UNPROVEN = 8,
    UNSEEN = 16,
    MISSED = 32,
    LATE = 64,
    LOSSY = 128,
    SKIPPED = OVERTAKEN | UNPROVEN,
    ANY_REASON = 255
};

static uint64_t awake_at(const struct um_watchdog *watchdog, uint64_t time_ns)
{
    return um_clock_gaps_awake_time(&watchdog->awake, time_ns);
}

/* How long the outstanding beat has been unanswered for certain: until the last DRAINED. */
static uint64_t waited_ns(const struct um_watchdog *watchdog)
{
    return um_ns_elapsed(watchdog->beat.stretch.sent_awake_ns,
                         awake_at(watchdog, watchdog->drained_ns));
}

static struct um_stretch_pace pace_now(const struct um_watchdog *watchdog)
{
    return (struct um_stretch_pace){.period_ns = watchdog->options.period_ns,
                                    .rest_ns = watchdog->options.rest_ns,
                                    .delivery_ns = watchdog->delivery_ns};
}

/* A start between two retrievals was counted in awake time, so a cut may lie in between. */
static void place_start(const struct um_watchdog *watchdog, struct um_stretch_verdict *verdict)
{
    if (verdict->uncertainty_ns)
        verdict->start_ns = um_clock_gaps_time_of(&watchdog->awake, verdict->start_awake_ns);
}

static struct um_stretch_verdict conclude(const struct um_watchdog *watchdog, uint64_t end_ns)
{
    struct um_stretch_verdict verdict = um_stretch_conclude(
        &watchdog->beat.stretch, pace_now(watchdog), end_ns, awake_at(watchdog, end_ns));
    place_start(watchdog, &verdict);
    return verdict;
}

/* The part of a length that is compared with a threshold. */
static uint64_t sure_ns(const struct um_stretch_verdict *verdict, uint64_t length_ns)
{
    return um_ns_elapsed(verdict->doubt_ns, length_ns);
}

static bool is_freeze(const struct um_watchdog *watchdog, const struct um_stretch_verdict *verdict)
{
    return sure_ns(verdict, verdict->length_ns) >= watchdog->options.threshold_ns;
}

/* RESPONSIVE for a stretch that is too short to be an episode. */
static enum um_state judge(const struct um_watchdog *watchdog,
                           const struct um_stretch_verdict *verdict)
{
    if (!is_freeze(watchdog, verdict)) {
        uint64_t length_ns = sure_ns(verdict, verdict->length_ns);
        bool slow = watchdog->options.slow_ns && length_ns >= watchdog->options.slow_ns;
        return slow ? UM_STATE_SLOW : UM_STATE_RESPONSIVE;
    }
    bool one_gap = sure_ns(verdict, verdict->peak_ns) >= watchdog->options.threshold_ns;
    return one_gap ? UM_STATE_FROZEN : UM_STATE_STARVED;
}

/* The strongest of these reasons, as consumers are told of it. There is one for each. */
static enum um_probe_held held_by(const struct um_watchdog *watchdog, unsigned reasons)
{
    const struct um_wire_probe *probe = &watchdog->probe;
    if (reasons & LATE)
        return UM_PROBE_HELD_LATE;
    if (reasons & DETACHED)
        return UM_PROBE_HELD_DETACHED;
    if ((reasons & OFF_PROBE) && probe->status == UM_PROBE_REFUSED)
        return UM_PROBE_HELD_REFUSED;
    if ((reasons & OFF_PROBE) && probe->status == UM_PROBE_OFF_TARGET)
        return probe->held != UM_PROBE_HELD_NOT && probe->held < UM_PROBE_HELD_COUNT
                   ? (enum um_probe_held)probe->held
                   : UM_PROBE_HELD_ELSEWHERE;
    if (reasons & OVERTAKEN)
        return UM_PROBE_HELD_FILTERED;
    return reasons & LOSSY ? UM_PROBE_HELD_LOSSY : UM_PROBE_HELD_UNDELIVERED;
}

/* Nothing is known of the target from this time on, until a beat is answered. Stronger states may
 * cover some of it. */
static void open_unknown(struct um_watchdog *watchdog, uint64_t time_ns)
{
    if (!watchdog->unknown)
        watchdog->unknown_ns = time_ns;
    watchdog->unknown = true;
}

/* What lies before this time stays unknown. From there on, an answered beat tells of the target. */
static void close_unknown(struct um_watchdog *watchdog, uint64_t time_ns)
{
    if (watchdog->unknown)
        um_episodes_paint(&watchdog->episodes, UM_STATE_UNKNOWN, watchdog->unknown_ns, time_ns);
    watchdog->unknown = false;
}

/* Several reasons at the same time make one episode. If a freeze has begun with the outstanding
 * beat, that episode turns out to be blind. */
static void open_blind(struct um_watchdog *watchdog, unsigned reason, uint64_t start_ns)
{
    if (!watchdog->blind_reasons) {
        um_episodes_open(&watchdog->episodes, &watchdog->blind, UM_STATE_BLIND, start_ns,
                         watchdog->now_ns, watchdog->beat.id);
        watchdog->beat.id = 0;
    }
    watchdog->blind_reasons |= reason;
    watchdog->blind_by |= UINT32_C(1) << held_by(watchdog, reason);
    open_unknown(watchdog, start_ns);
}

/* Blind time is over that has taken in a silence of the machine, but ended before the silence did,
 * or was none: what is left of the silence is an episode of its own. */
static void tell_sleep(struct um_watchdog *watchdog, uint64_t end_ns)
{
    struct um_stretch_verdict sleep = {.start_ns = um_ns_max(watchdog->slept_from_ns, end_ns)};
    if (sleep.start_ns < watchdog->slept_to_ns)
        um_episodes_end(&watchdog->episodes, 0, UM_STATE_BLIND, &sleep, watchdog->slept_to_ns, 0);
    watchdog->slept_from_ns = watchdog->slept_to_ns = 0;
}

static void close_blind(struct um_watchdog *watchdog, unsigned reasons, uint64_t end_ns,
                        uint8_t flags)
{
    watchdog->blind_reasons &= ~reasons;
    if (watchdog->blind_reasons)
        return;
    um_episodes_close(&watchdog->episodes, &watchdog->blind, UM_STATE_BLIND, end_ns, flags);
    if (!(flags & UM_WIRE_EPISODE_VOID))
        watchdog->blind_was_by |= watchdog->blind_by;
    watchdog->blind_by = 0;
    tell_sleep(watchdog, flags & UM_WIRE_EPISODE_VOID ? 0 : end_ns);
}

static bool is_out(const struct um_watchdog *watchdog)
{
    return watchdog->beats.out.sent_ns != 0;
}

/* Whether the UI thread is to blame for the wait of the outstanding beat, as far as is known. */
static bool is_evidence(const struct um_watchdog *watchdog)
{
    return is_out(watchdog) && !watchdog->beat.trial && !watchdog->beat.missed &&
           !(watchdog->blind_reasons & SKIPPED) &&
           (!watchdog->options.control || watchdog->beat.control_seen);
}

/* The beat is not outstanding any more. Later stretches do not reach back beyond its end. */
static void release_beat(struct um_watchdog *watchdog, uint64_t end_ns)
{
    watchdog->beats.out = (struct um_beat){0};
    watchdog->beat.id = 0;
    watchdog->stretch_from_ns = um_ns_max(watchdog->stretch_from_ns, end_ns);
}

static void publish_beat(struct um_watchdog *watchdog, uint64_t latency_ns, uint8_t flags)
{
    struct um_wire_frame frame;
    frame.type = UM_WIRE_BEAT;
    frame.flags = flags;
    frame.as.beat =
        (struct um_wire_beat){watchdog->beat.stretch.sent_ns, latency_ns, watchdog->beats.out.seq};
    watchdog->output.publish(watchdog->output.context, &frame);
}

/* Ends the episode of the stretch if it has or makes one. */
static void finish_stretch(struct um_watchdog *watchdog, const struct um_stretch_verdict *verdict,
                           uint64_t end_ns, uint8_t flags)
{
    enum um_state state = judge(watchdog, verdict);
    if (state != UM_STATE_RESPONSIVE) {
        um_episodes_end(&watchdog->episodes, watchdog->beat.id, state, verdict, end_ns, flags);
    } else if (watchdog->beat.id) {
        um_episodes_end(&watchdog->episodes, watchdog->beat.id, UM_STATE_STARVED, verdict, end_ns,
                        UM_WIRE_EPISODE_VOID);
    }
    release_beat(watchdog, end_ns);
}

/* Judges the stretch as if the beat were dequeued at this time. */
static void finish_beat(struct um_watchdog *watchdog, uint64_t end_ns, uint8_t flags)
{
    struct um_stretch_verdict verdict = conclude(watchdog, end_ns);
    finish_stretch(watchdog, &verdict, end_ns, flags);
}

/* Judges a beat without an answer. In a freeze, the beat certainly waited until the last DRAINED.
 * That is published as its latency, because percentiles must not leave out a freeze that is shown
 * beside them. */
static void finish_unanswered(struct um_watchdog *watchdog, uint64_t end_ns, uint8_t flags)
{
    struct um_stretch_verdict verdict = conclude(watchdog, end_ns);
    if (is_freeze(watchdog, &verdict)) {
        uint64_t until_ns = awake_at(watchdog, um_ns_min(end_ns, watchdog->drained_ns));
        publish_beat(watchdog, um_ns_elapsed(watchdog->beat.stretch.sent_awake_ns, until_ns),
                     UM_WIRE_BEAT_AT_LEAST);
    }
    finish_beat(watchdog, end_ns, flags);
}

/* Ends the stretch, which measured nothing, without a judgement. */
static void drop_beat(struct um_watchdog *watchdog, uint64_t end_ns)
{
    if (watchdog->beat.id) {
        struct um_stretch_verdict verdict = {.start_ns = watchdog->beat.stretch.sent_ns};
        um_episodes_end(&watchdog->episodes, watchdog->beat.id, UM_STATE_BLIND, &verdict, end_ns,
                        UM_WIRE_EPISODE_VOID);
    }
    release_beat(watchdog, end_ns);
}

/* Records were lost while the beat was outstanding. Its SEEN may have been among them. */
static void give_up_lossy_beat(struct um_watchdog *watchdog, uint64_t end_ns)
{
    uint64_t length_ns =
        um_ns_elapsed(watchdog->beat.stretch.sent_awake_ns, awake_at(watchdog, end_ns));
    bool slow = watchdog->options.slow_ns && length_ns >= watchdog->options.slow_ns;
    if ((watchdog->beat.id || slow) && !watchdog->blind_reasons) {
        open_blind(watchdog, LOSSY, watchdog->beat.stretch.sent_ns);
        close_blind(watchdog, LOSSY, end_ns, 0);
    }
    drop_beat(watchdog, end_ns);
}

/* The beat will not be answered any more. It is judged by what is known now. */
static void give_up_beat(struct um_watchdog *watchdog, uint64_t end_ns)
{
    struct um_watchdog_beat *beat = &watchdog->beat;
    if (!is_out(watchdog))
        return;
    watchdog->lost += !beat->trial;
    end_ns = um_ns_min(end_ns, beat->until_ns);
    if (beat->gone_sure)
        end_ns = um_ns_min(end_ns, beat->gone_ns);
    end_ns = um_ns_max(end_ns, beat->stretch.sent_ns);
    if (!is_evidence(watchdog)) {
        drop_beat(watchdog, end_ns);
    } else if (beat->stretch.lossy) {
        give_up_lossy_beat(watchdog, end_ns);
    } else {
        end_ns = um_ns_max(um_ns_min(end_ns, watchdog->drained_ns), beat->stretch.sent_ns);
        finish_unanswered(watchdog, end_ns, 0);
    }
}

/* The DLL forgot the beat, and another program may have got it. The time since its send is
 * blind. */
static void disown_beat(struct um_watchdog *watchdog, uint64_t end_ns)
{
    watchdog->lost += !watchdog->beat.trial;
    if (!watchdog->beat.trial && !watchdog->idle.id)
        open_blind(watchdog, OFF_PROBE, watchdog->beat.stretch.sent_ns);
    drop_beat(watchdog, end_ns);
}

/* Makes the DLL forget the outstanding beat, which is lost, and send another one. */
static void command_abandon(struct um_watchdog *watchdog)
{
    struct um_wire_frame frame;
    frame.type = UM_WIRE_ABANDON;
    frame.flags = 0;
    frame.as.command.value = watchdog->beats.out.seq;
    watchdog->lost++;
    watchdog->output.command(watchdog->output.context, &frame);
}

/* Gives the beat up. */
static void abandon_beat(struct um_watchdog *watchdog)
{
    command_abandon(watchdog);
    drop_beat(watchdog, watchdog->beat.stretch.sent_ns);
}

/* At a DRAINED, every earlier record has arrived, so a beat without a SEEN was unanswered then. */
static void judge_beat_at_drained(struct um_watchdog *watchdog)
{
    struct um_watchdog_beat *beat = &watchdog->beat;
    if (is_evidence(watchdog) && !beat->id && watchdog->drained_ns >= watchdog->doubt_until_ns) {
        struct um_stretch_verdict verdict = conclude(watchdog, watchdog->drained_ns);
        if (is_freeze(watchdog, &verdict)) {
            close_blind(watchdog, MISSED, beat->stretch.sent_ns, 0); /* the thread is away */
            beat->id = um_episodes_begin(&watchdog->episodes, judge(watchdog, &verdict), &verdict,
                                         watchdog->drained_ns);
        }
    } else if (is_out(watchdog) && !beat->trial &&
               ((watchdog->blind_reasons & SKIPPED) || beat->missed) &&
               waited_ns(watchdog) >= FILTERED_NS) {
        abandon_beat(watchdog);
    }
}

/* At a tick: if the control should have seen the beat by now, it was never delivered. */
static void check_control(struct um_watchdog *watchdog)
{
    const struct um_watchdog_beat *beat = &watchdog->beat;
    bool unseen =
        is_out(watchdog) && !beat->trial && watchdog->options.control && !beat->control_seen;
    uint64_t patience_ns = watchdog->options.threshold_ns + DELIVERY_NS;
    if (!unseen || waited_ns(watchdog) < watchdog->options.threshold_ns ||
        um_ns_elapsed(beat->stretch.sent_ns, watchdog->now_ns) < patience_ns)
        return;
    open_blind(watchdog, UNSEEN, beat->stretch.sent_ns);
    bool first = watchdog->blind.start_ns >= beat->stretch.sent_ns;
    if (waited_ns(watchdog) >= (first ? ABANDON_NS : FILTERED_NS))
        abandon_beat(watchdog);
}

/* The control or the target saw the beat, so beats are delivered. If this one was only late,
 * nothing was blind. */
static void end_unseen(struct um_watchdog *watchdog)
{
    uint64_t sent_ns = watchdog->beat.stretch.sent_ns;
    if (watchdog->blind_reasons & UNSEEN) {
        bool late = watchdog->blind_reasons == UNSEEN && watchdog->blind.start_ns == sent_ns;
        close_blind(watchdog, UNSEEN, sent_ns, late ? UM_WIRE_EPISODE_VOID : 0);
    }
}

/* Since when the thread has worked for the beat that is outstanding and which it sees now, by a
 * mouse message; 0: not known. The question about the beat decides: a thread takes it as soon as it
 * calls a retrieving function, before the system looks at input. So if it has taken it, the work
 * for the message came after that. If it was asked and has not taken it, it was within one call all
 * the time since the question. What came before that is at most UNASKED_NS, and counts unless the
 * last retrieval is a message of the target's own, with which the thread may have been busy. */
static uint64_t own_beats_from(const struct um_watchdog *watchdog, uint64_t seen_ns)
{
    const struct um_watchdog_beat *beat = &watchdog->beat;
    uint64_t from_ns = um_ns_max(watchdog->last.time_ns, beat->stretch.sent_ns);
    bool is_short = um_ns_elapsed(from_ns, seen_ns) < UNASKED_NS;
    if (beat->called_ns)
        return um_ns_max(from_ns, beat->called_ns);
    if (beat->questioned || (is_short && !watchdog->last.named))
        return from_ns;
    return 0;
}

/* Publishes what a beat has made the target do. If a freeze was thought to last, and is none
 * without that, the episode turns out to be ours. */
static void publish_own(struct um_watchdog *watchdog, uint64_t from_ns, uint64_t to_ns,
                        uint64_t length_ns)
{
    struct um_stretch_verdict own = {
        .start_ns = from_ns, .length_ns = length_ns, .peak_ns = length_ns};
    struct um_watchdog_beat *beat = &watchdog->beat;
    uint32_t id = 0;
    if (is_out(watchdog) && beat->id) {
        struct um_stretch_verdict rest = conclude(watchdog, to_ns);
        if (!is_freeze(watchdog, &rest)) {
            id = beat->id;
            beat->id = 0;
        }
    }
    um_episodes_end(&watchdog->episodes, id, UM_STATE_OWN_BEAT, &own, to_ns, 0);
}

/* The target has worked for a beat in this time. It is cut out, so that no later length has it. */
static void take_own(struct um_watchdog *watchdog, uint64_t from_ns, uint64_t to_ns)
{
    uint64_t least_ns = watchdog->options.threshold_ns;
    if (watchdog->options.slow_ns)
        least_ns = um_ns_min(least_ns, watchdog->options.slow_ns);
    from_ns = um_ns_max(from_ns, um_clock_gaps_last_end(&watchdog->awake));
    uint64_t length_ns = um_ns_elapsed(from_ns, to_ns);
    watchdog->own_beats_ns += length_ns;
    if (length_ns < OWN_CUT_NS)
        return;
    um_clock_gaps_cut(&watchdog->awake, from_ns, to_ns);
    if (is_out(watchdog))
        watchdog->beat.stretch.sent_awake_ns = awake_at(watchdog, watchdog->beat.stretch.sent_ns);
    if (length_ns >= least_ns)
        publish_own(watchdog, from_ns, to_ns, length_ns);
}

/* What a time is in which the process gave no sign of life: blind if the monitor did not run either
 * (the machine slept), else suspended. */
static enum um_state judge_silence(struct um_watchdog *watchdog, uint64_t from_ns, uint64_t to_ns)
{
    if (!um_clock_gaps_mostly_late(&watchdog->awake, from_ns, to_ns))
        return UM_STATE_SUSPENDED;
    watchdog->blind_was_by |= UINT32_C(1) << UM_PROBE_HELD_LATE;
    return UM_STATE_BLIND;
}

static void cut_silence(struct um_watchdog *watchdog, uint64_t from_ns, uint64_t to_ns)
{
    enum um_state state = judge_silence(watchdog, from_ns, to_ns);
    um_clock_gaps_cut(&watchdog->awake, from_ns, to_ns);
    if (state == UM_STATE_BLIND)
        open_unknown(watchdog, from_ns);
    if (state == UM_STATE_BLIND && watchdog->blind.id && !watchdog->suspended.id) {
        watchdog->slept_from_ns = from_ns;
        watchdog->slept_to_ns = to_ns;
        return;
    }
    if (!watchdog->suspended.id)
        um_episodes_open(&watchdog->episodes, &watchdog->suspended, state, from_ns, to_ns, 0);
    um_episodes_close(&watchdog->episodes, &watchdog->suspended, state, to_ns, 0);
}

/* Whether the process did not run in this time, rather than that a sign of life came late. A
 * shorter time is enough where the monitor did not run either: then the whole machine stood
 * still. */
static bool is_silence(const struct um_watchdog *watchdog, uint64_t from_ns, uint64_t to_ns)
{
    return to_ns - from_ns > SILENCE_NS ||
           (to_ns - from_ns > LATE_NS &&
            um_clock_gaps_mostly_late(&watchdog->awake, from_ns, to_ns));
}

/* The target's process ran at this time, by the DLL's clock. */
static void on_sign_of_life(struct um_watchdog *watchdog, uint64_t time_ns)
{
    uint64_t from_ns = watchdog->alive_ns;
    bool expected =
        watchdog->alive_known && watchdog->started && !(watchdog->blind_reasons & DETACHED);
    watchdog->alive_ns = um_ns_max(from_ns, time_ns);
    watchdog->alive_known = true;
    if (!expected || time_ns <= from_ns)
        return;
    if (!watchdog->after_loss && is_silence(watchdog, from_ns, time_ns)) {
        cut_silence(watchdog, from_ns, time_ns);
    } else {
        um_episodes_close(&watchdog->episodes, &watchdog->suspended, UM_STATE_SUSPENDED, time_ns,
                          UM_WIRE_EPISODE_VOID);
    }
}

static bool is_silent(const struct um_watchdog *watchdog)
{
    return watchdog->alive_known && !(watchdog->blind_reasons & DETACHED) &&
           um_ns_elapsed(watchdog->alive_ns, watchdog->now_ns) > SILENCE_NS;
}

/* At a tick: no sign of life came, although the monitor ran. */
static void check_silence(struct um_watchdog *watchdog)
{
    if (is_silent(watchdog) && !watchdog->suspended.id &&
        !um_clock_gaps_mostly_late(&watchdog->awake, watchdog->alive_ns, watchdog->now_ns))
        um_episodes_open(&watchdog->episodes, &watchdog->suspended, UM_STATE_SUSPENDED,
                         watchdog->alive_ns, watchdog->now_ns, 0);
}

static void start_session(struct um_watchdog *watchdog, uint64_t time_ns)
{
    watchdog->started = true;
    watchdog->stretch_from_ns = time_ns;
    um_episodes_start(&watchdog->episodes, time_ns);
    open_unknown(watchdog, time_ns);
}

/* Lists the conditions that last and the stretch under judgement, up to `now_ns`. The strongest
 * state comes first. */
static size_t list_present(const struct um_watchdog *watchdog, uint64_t now_ns,
                           struct um_timeline_span span[PRESENT_MOST])
{
    size_t count = 0;
    if (watchdog->suspended.id) {
        span[count++] =
            (struct um_timeline_span){watchdog->suspended.start_ns, now_ns, UM_STATE_SUSPENDED};
    }
    if (watchdog->blind.id)
        span[count++] = (struct um_timeline_span){watchdog->blind.start_ns, now_ns, UM_STATE_BLIND};
    if (watchdog->idle.id)
        span[count++] = (struct um_timeline_span){watchdog->idle.start_ns, now_ns, UM_STATE_IDLE};
    if (is_evidence(watchdog) &&
        (watchdog->beat.id || watchdog->drained_ns >= watchdog->doubt_until_ns)) {
        struct um_stretch_verdict verdict = conclude(watchdog, watchdog->drained_ns);
        enum um_state state = judge(watchdog, &verdict);
        if (state != UM_STATE_RESPONSIVE)
            span[count++] = (struct um_timeline_span){verdict.start_ns, now_ns, state};
    }
    if (watchdog->unknown)
        span[count++] = (struct um_timeline_span){watchdog->unknown_ns, now_ns, UM_STATE_UNKNOWN};
    return count;
}

/* Settles the time that is too old to change, once in SETTLE_NS. */
static void settle_old(struct um_watchdog *watchdog)
{
    struct um_timeline *timeline = &watchdog->episodes.timeline;
    uint64_t until_ns = um_ns_elapsed(SETTLE_NS, watchdog->drained_ns);
    if (is_out(watchdog))
        until_ns = um_ns_min(until_ns, watchdog->beat.stretch.origin.time_ns);
    if (um_ns_elapsed(timeline->settled_ns, until_ns) < SETTLE_NS)
        return;
    struct um_timeline_span span[PRESENT_MOST];
    size_t count = list_present(watchdog, until_ns, span);
    for (size_t i = 0; i < count; i++)
        um_timeline_paint(timeline, span[i].state, span[i].start_ns, until_ns);
    um_timeline_settle(timeline, until_ns);
}

/* The DLL's worker sends a DRAINED each time that it has looked, and asks about a beat when it
 * first looks QUESTION_NS after the look that found it. The look of a DRAINED is a little before
 * it; so the question is certain at the DRAINED after the one that comes so late. */
static void note_question(struct um_watchdog_beat *beat, uint64_t drained_ns)
{
    if (!beat->first_drained_ns)
        beat->first_drained_ns = drained_ns;
    else if (beat->question_due_ns)
        beat->questioned = beat->questioned || drained_ns > beat->question_due_ns;
    else if (um_ns_elapsed(beat->first_drained_ns, drained_ns) >= QUESTION_NS)
        beat->question_due_ns = drained_ns;
}

static void on_drained(struct um_watchdog *watchdog, uint64_t time_ns, uint64_t lost)
{
    watchdog->drained_ns = um_ns_max(watchdog->drained_ns, time_ns);
    if (lost > watchdog->lost_before) {
        /* If a SEEN was among them, the next SENT follows within a period or two, or a rest. */
        watchdog->records_lost += lost - watchdog->lost_before;
        watchdog->lost_before = lost;
        watchdog->beat.stretch.lossy = true;
        watchdog->after_loss = true; /* what was lost came before the UI thread's next record */
        uint64_t next_sent_ns = watchdog->options.rest_ns + 2 * watchdog->options.period_ns;
        uint64_t doubt_ns =
            um_ns_max(um_ns_max(next_sent_ns, DOUBT_NS), 4 * watchdog->options.period_ns);
        watchdog->doubt_until_ns = watchdog->drained_ns + doubt_ns;
    }
    if (is_out(watchdog) && watchdog->probe.probe == UM_PROBE_MOUSE)
        note_question(&watchdog->beat, watchdog->drained_ns);
    if (watchdog->started) {
        judge_beat_at_drained(watchdog);
        settle_old(watchdog);
    }
}

/* A retrieval closes a gap. A gap in which no beat waited is not published: the thread was idle. */
static void publish_gap(struct um_watchdog *watchdog, uint64_t time_ns, uint64_t awake_ns)
{
    const struct um_stretch *stretch = &watchdog->beat.stretch;
    uint64_t from_ns = um_ns_max(stretch->last.awake_ns, stretch->sent_awake_ns);
    if (um_ns_elapsed(from_ns, awake_ns) < GAP_NS || !is_evidence(watchdog))
        return;
    struct um_stretch_verdict gap = um_stretch_gap(stretch, pace_now(watchdog), time_ns, awake_ns);
    place_start(watchdog, &gap);
    if (sure_ns(&gap, gap.length_ns) < GAP_NS)
        return;
    struct um_wire_frame frame;
    frame.type = UM_WIRE_GAP;
    frame.flags = 0;
    frame.as.gap = (struct um_wire_gap){gap.start_ns, gap.length_ns, gap.hwnd, gap.message};
    watchdog->output.publish(watchdog->output.context, &frame);
}

static void publish_latency(struct um_watchdog *watchdog, uint64_t awake_ns)
{
    uint64_t latency_ns = um_ns_elapsed(watchdog->beat.stretch.sent_awake_ns, awake_ns);
    if (latency_ns <= UM_STRETCH_READY_NS) {
        uint64_t fallen_ns = watchdog->delivery_ns - watchdog->delivery_ns / DELIVERY_DECAY;
        watchdog->delivery_ns = um_ns_max(latency_ns, fallen_ns);
    }
    publish_beat(watchdog, latency_ns, 0);
}

/* Beats are sent again. An outstanding trial counts as a beat from now on. */
static void resume(struct um_watchdog *watchdog, uint64_t time_ns)
{
    bool was_blind = watchdog->blind.start_ns < time_ns; /* not one moment */
    watchdog->probe.status = UM_PROBE_ACTIVE;
    close_blind(watchdog, OFF_PROBE, time_ns, was_blind ? 0 : UM_WIRE_EPISODE_VOID);
    um_episodes_close(&watchdog->episodes, &watchdog->idle, UM_STATE_IDLE, time_ns, 0);
    if (is_out(watchdog) && watchdog->beat.trial) {
        watchdog->beat.trial = false;
        watchdog->sent++;
    } else if (!is_out(watchdog)) {
        watchdog->stretch_from_ns = um_ns_max(watchdog->stretch_from_ns, time_ns);
    }
}

static void answer_beat(struct um_watchdog *watchdog, uint64_t time_ns)
{
    time_ns = um_ns_max(time_ns, watchdog->beat.stretch.sent_ns);
    uint64_t awake_ns = awake_at(watchdog, time_ns);
    bool missed = watchdog->beat.missed; /* it came, but was held up on its way */
    bool filtered = (watchdog->blind_reasons & SKIPPED) || missed;
    uint64_t known_ns = filtered ? time_ns : watchdog->beat.stretch.sent_ns;
    watchdog->beats.answered = watchdog->beats.out;
    if (watchdog->beat.trial)
        resume(watchdog, watchdog->beat.stretch.sent_ns);
    watchdog->seen++;
    close_unknown(watchdog, known_ns);
    end_unseen(watchdog);
    if (!missed) {
        close_blind(watchdog, MISSED, watchdog->beat.stretch.sent_ns, 0);
        close_blind(watchdog, SKIPPED, time_ns, 0);
    }
    if (filtered) {
        drop_beat(watchdog, time_ns); /* the user's input did not wait for it */
    } else {
        watchdog->beat.control_seen = true; /* the target itself saw it */
        publish_latency(watchdog, awake_ns);
        publish_gap(watchdog, time_ns, awake_ns);
        finish_beat(watchdog, time_ns, 0);
    }
    if (watchdog->blind_reasons || watchdog->idle.id)
        open_unknown(watchdog, time_ns);
    if (time_ns >= watchdog->last.time_ns)
        watchdog->last = (struct um_stretch_point){.time_ns = time_ns, .awake_ns = awake_ns};
}

/* Whether this beat was seen, which may be long after the send: while the machine sleeps, nothing
 * is delivered. */
static bool is_sighting_of(const struct um_watchdog_sighting *sighting, uint32_t seq,
                           uint64_t sent_ns)
{
    return sighting->valid && sighting->seq == seq &&
           um_ns_elapsed(sighting->time_ns, sent_ns) <= SIGHTING_NS;
}

static bool control_saw(const struct um_watchdog *watchdog, uint32_t seq, uint64_t sent_ns)
{
    for (size_t i = 0; i < UM_WATCHDOG_SIGHTINGS; i++)
        if (is_sighting_of(&watchdog->sightings[i], seq, sent_ns))
            return true;
    return false;
}

/* The thread had answered the last beat and rested, so the DLL left beats out before this one. If
 * nothing else lies between the two beats, they count as beats of the last one's latency. */
static void publish_rest(struct um_watchdog *watchdog, uint64_t time_ns, uint32_t skipped)
{
    struct um_wire_frame frame;
    if (!skipped || !watchdog->beats.answered.sent_ns || watchdog->blind_reasons ||
        watchdog->idle.id || watchdog->last.time_ns < watchdog->stretch_from_ns)
        return;
    frame.type = UM_WIRE_REST;
    frame.flags = 0;
    frame.as.rest = (struct um_wire_rest){time_ns, skipped};
    watchdog->rested += skipped;
    watchdog->output.publish(watchdog->output.context, &frame);
}

/* The origin of the stretch of a beat: the last retrieval, or a later time at which the thread has
 * rested by its cycles. */
static struct um_stretch_point origin_of(const struct um_watchdog *watchdog, uint64_t rested_ns,
                                         uint64_t time_ns)
{
    uint64_t known_ns = watchdog->last.time_ns;
    if (known_ns >= watchdog->stretch_from_ns && (rested_ns <= known_ns || rested_ns > time_ns))
        return watchdog->last;
    known_ns = watchdog->stretch_from_ns;
    if (rested_ns <= time_ns)
        known_ns = um_ns_max(known_ns, rested_ns);
    return (struct um_stretch_point){.time_ns = known_ns, .awake_ns = awake_at(watchdog, known_ns)};
}

static void on_sent(struct um_watchdog *watchdog, const struct um_wire_sent *sent, uint64_t time_ns)
{
    uint32_t seq = sent->seq;
    if (!watchdog->started)
        start_session(watchdog, time_ns);
    time_ns = um_ns_max(time_ns, um_ns_max(watchdog->stretch_from_ns, 1)); /* 0 says "none" */
    give_up_beat(watchdog, time_ns);
    publish_rest(watchdog, time_ns, sent->skipped);
    bool trial = watchdog->probe.status != UM_PROBE_ACTIVE;
    if (trial || (watchdog->blind_reasons & DETACHED))
        watchdog->stretch_from_ns = time_ns; /* the thread's past is not known */
    close_blind(watchdog, DETACHED, time_ns, 0);
    watchdog->sent += !trial;
    watchdog->beats.out = (struct um_beat){time_ns, seq};
    watchdog->beat = (struct um_watchdog_beat){.until_ns = UINT64_MAX,
                                               .trial = trial,
                                               .control_seen = control_saw(watchdog, seq, time_ns)};
    struct um_stretch_point origin = origin_of(watchdog, sent->rested_ns, time_ns);
    bool knows_rests = watchdog->probe.probe == UM_PROBE_PING; /* by more than cycles */
    struct um_stretch_point proven = knows_rests ? origin : origin_of(watchdog, 0, time_ns);
    um_stretch_init(&watchdog->beat.stretch, &origin, time_ns, awake_at(watchdog, time_ns));
    watchdog->beat.stretch.proven_awake_ns = proven.awake_ns;
    watchdog->beat.stretch.rested = sent->skipped && !origin.named;
    watchdog->beat.stretch.left_out = sent->left_out;
    watchdog->beat.stretch.lossy = watchdog->after_loss;
    if (watchdog->beat.control_seen)
        end_unseen(watchdog);
    if (is_sighting_of(&watchdog->early_seen, seq, time_ns) &&
        watchdog->early_seen.time_ns >= time_ns)
        answer_beat(watchdog, watchdog->early_seen.time_ns);
}

/* The outstanding beat was dequeued as a mouse message. It is answered when the thread began to
 * work for it. */
static void answer_by_mouse(struct um_watchdog *watchdog, uint64_t time_ns)
{
    uint64_t from_ns = own_beats_from(watchdog, time_ns);
    if (!from_ns || from_ns >= time_ns || !is_evidence(watchdog)) {
        answer_beat(watchdog, time_ns);
        return;
    }
    take_own(watchdog, from_ns, time_ns);
    answer_beat(watchdog, from_ns);
    watchdog->last =
        (struct um_stretch_point){.time_ns = time_ns, .awake_ns = awake_at(watchdog, time_ns)};
}

static void on_seen(struct um_watchdog *watchdog, uint64_t time_ns, uint32_t seq, uint8_t flags)
{
    bool as_move = (flags & UM_WIRE_SEEN_MOUSE) && !(flags & UM_WIRE_SEEN_MERGED);
    if (!is_out(watchdog) || seq != watchdog->beats.out.seq)
        watchdog->early_seen = (struct um_watchdog_sighting){time_ns, seq, true};
    else if (as_move)
        answer_by_mouse(watchdog, time_ns);
    else
        answer_beat(watchdog, time_ns);
}

/* If the user's input came after the beat and was taken before it, the target's message loop skips
 * beats. Where records were lost, the beat may have been taken after all. */
static void check_overtaking(struct um_watchdog *watchdog, uint32_t age_ms, uint64_t time_ns)
{
    uint64_t arrived_ns = um_ns_elapsed(age_ms * UM_CLOCK_NS_PER_MS, time_ns);
    if (age_ms != UM_WIRE_AGE_UNKNOWN && is_evidence(watchdog) && !watchdog->beat.stretch.lossy &&
        um_ns_elapsed(watchdog->beat.stretch.sent_ns, arrived_ns) > OVERTAKEN_NS) {
        open_blind(watchdog, OVERTAKEN, conclude(watchdog, time_ns).start_ns);
        abandon_beat(watchdog);
    }
}

/* A beat of raw input was in the thread's queue when a freeze began, and no longer is. It counts as
 * gone when a second message says so soon; a later one begins anew. */
static void note_gone(struct um_watchdog *watchdog, uint64_t time_ns)
{
    struct um_watchdog_beat *beat = &watchdog->beat;
    beat->gone_sure = beat->gone_ns && um_ns_elapsed(beat->gone_ns, time_ns) <= GONE_NS;
    if (!beat->gone_sure)
        beat->gone_ns = time_ns;
}

/* The UI thread has taken the question about a beat. */
static void on_asked(struct um_watchdog *watchdog, const struct um_wire_asked *asked,
                     uint64_t time_ns)
{
    struct um_watchdog_beat *beat = &watchdog->beat;
    if (!is_out(watchdog) || asked->seq != watchdog->beats.out.seq)
        return;
    uint64_t heard_ns = um_ns_max(time_ns, beat->stretch.sent_ns);
    uint64_t asked_ns = um_ns_min(um_ns_max(asked->asked_ns, beat->stretch.sent_ns), heard_ns);
    beat->called_ns = um_ns_max(beat->called_ns, heard_ns);
    if (heard_ns - asked_ns < um_ns_elapsed(beat->asked_ns, beat->heard_ns))
        return;
    beat->asked_ns = asked_ns;
    beat->heard_ns = heard_ns;
}

/* The freeze that the question has measured which waited longest, with the suspect of the stretch.
 * It may have begun before. */
static struct um_stretch_verdict conclude_by_question(const struct um_watchdog *watchdog)
{
    const struct um_watchdog_beat *beat = &watchdog->beat;
    struct um_stretch_verdict verdict = conclude(watchdog, beat->heard_ns);
    uint64_t asked_awake_ns = awake_at(watchdog, beat->asked_ns);
    verdict.uncertainty_ns += 2 * um_ns_elapsed(verdict.start_awake_ns, asked_awake_ns);
    verdict.start_ns = beat->asked_ns;
    verdict.start_awake_ns = asked_awake_ns;
    verdict.length_ns = um_ns_elapsed(asked_awake_ns, awake_at(watchdog, beat->heard_ns));
    verdict.peak_ns = verdict.length_ns;
    verdict.doubt_ns = 0;
    return verdict;
}

/* Whether the thread left a question for as long as a freeze, so that it was away whatever became
 * of the beat. Then the stretch is finished. */
static bool finish_by_question(struct um_watchdog *watchdog)
{
    if (!watchdog->beat.heard_ns || !is_evidence(watchdog))
        return false;
    struct um_stretch_verdict verdict = conclude_by_question(watchdog);
    if (!is_freeze(watchdog, &verdict))
        return false;
    publish_beat(watchdog, verdict.length_ns, UM_WIRE_BEAT_AT_LEAST);
    command_abandon(watchdog);
    finish_stretch(watchdog, &verdict, watchdog->beat.heard_ns, 0);
    return true;
}

/* The DLL has found that this beat is in no queue of the thread's. */
static void miss_beat(struct um_watchdog *watchdog, uint32_t seq, uint64_t time_ns)
{
    struct um_watchdog_beat *beat = &watchdog->beat;
    if (!is_out(watchdog) || seq != watchdog->beats.out.seq)
        return;
    if (watchdog->probe.probe != UM_PROBE_MOUSE) {
        note_gone(watchdog, time_ns);
        return;
    }
    if (beat->missed || finish_by_question(watchdog))
        return;
    beat->missed = true;
    if (beat->trial || (watchdog->blind_reasons & (MISSED | SKIPPED)))
        return; /* it is given up after a while */
    open_blind(watchdog, MISSED, beat->stretch.sent_ns);
    abandon_beat(watchdog);
}

/* Whether a message is the move that the system has made of a beat, and the retrieval before it is
 * of that beat, too: raw input, or what WH_MOUSE saw. Between the two, the system sends what
 * belongs to the move. */
static bool is_own_move(const struct um_watchdog *watchdog, const struct um_wire_frame *frame)
{
    return um_message_is_mouse_move(frame->as.taken.message) &&
           (frame->flags & UM_WIRE_TAKEN_OURS) && watchdog->started && !watchdog->last.named &&
           watchdog->last.time_ns >= watchdog->beats.answered.sent_ns &&
           watchdog->beats.answered.sent_ns != 0;
}

static void on_taken(struct um_watchdog *watchdog, const struct um_wire_frame *frame,
                     uint64_t time_ns)
{
    const struct um_wire_taken *taken = &frame->as.taken;
    time_ns = um_ns_max(time_ns, watchdog->last.time_ns);
    if (is_own_move(watchdog, frame))
        take_own(watchdog, watchdog->last.time_ns, time_ns);
    const struct um_stretch_point point = {.time_ns = time_ns,
                                           .awake_ns = awake_at(watchdog, time_ns),
                                           .hwnd = taken->hwnd,
                                           .message = taken->message,
                                           .named = !(frame->flags & UM_WIRE_TAKEN_OURS)};
    if (frame->flags & UM_WIRE_TAKEN_INPUT)
        check_overtaking(watchdog, taken->age_ms, time_ns);
    else if ((frame->flags & UM_WIRE_TAKEN_OURS) && taken->age_ms != UM_WIRE_AGE_UNKNOWN)
        miss_beat(watchdog, taken->own_ms, time_ns);
    if (is_out(watchdog) && time_ns >= watchdog->stretch_from_ns) {
        publish_gap(watchdog, time_ns, point.awake_ns);
        um_stretch_retrieved(&watchdog->beat.stretch, &point);
    }
    watchdog->last = point;
}

static void on_paused(struct um_watchdog *watchdog, uint64_t time_ns)
{
    if (is_evidence(watchdog)) /* the beat may still be answered */
        watchdog->beat.until_ns = um_ns_min(watchdog->beat.until_ns, time_ns);
    else
        give_up_beat(watchdog, time_ns);
    if (!watchdog->idle.id)
        um_episodes_open(&watchdog->episodes, &watchdog->idle, UM_STATE_IDLE, time_ns,
                         watchdog->now_ns, 0);
    open_unknown(watchdog, time_ns);
    close_blind(watchdog, ANY_REASON, time_ns, 0);
}

/* The cursor left the target and the DLL forgot the unanswered beat. A freeze that had begun lasted
 * until now. Otherwise another window may have got the beat. */
static void on_off_target(struct um_watchdog *watchdog, uint64_t time_ns)
{
    struct um_watchdog_beat *beat = &watchdog->beat;
    if (!is_out(watchdog) || beat->trial || watchdog->idle.id)
        return;
    if (!beat->id || beat->stretch.lossy) {
        disown_beat(watchdog, time_ns);
        return;
    }
    watchdog->lost++;
    finish_unanswered(watchdog, um_ns_max(time_ns, beat->stretch.sent_ns), 0);
}

static bool is_without_answer(const struct um_wire_probe *probe)
{
    return probe->status == UM_PROBE_OFF_TARGET &&
           (probe->held == UM_PROBE_HELD_NO_ANSWER || probe->held == UM_PROBE_HELD_NO_ANSWER_YET);
}

/* It is not known whether the target is away or does not answer pings. The time since the send of
 * the outstanding beat is blind, even if a freeze had begun, and the beat becomes a trial: its SEEN
 * makes that time its own. */
static void doubt_beat(struct um_watchdog *watchdog)
{
    if (!is_out(watchdog) || watchdog->beat.trial)
        return;
    open_blind(watchdog, OFF_PROBE, watchdog->beat.stretch.sent_ns);
    watchdog->beat.trial = true;
    watchdog->sent--;
}

/* New blind time is opened before the old one is closed, so that they are one episode. */
static void on_unable(struct um_watchdog *watchdog, uint64_t time_ns, enum um_probe_status status)
{
    if (status == UM_PROBE_REFUSED && is_out(watchdog) && !watchdog->beat.id) {
        watchdog->sent -= !watchdog->beat.trial; /* it was never sent */
        watchdog->beats.out = (struct um_beat){0};
    }
    if (is_without_answer(&watchdog->probe)) {
        doubt_beat(watchdog);
    } else {
        if (status == UM_PROBE_OFF_TARGET)
            on_off_target(watchdog, time_ns);
        give_up_beat(watchdog, time_ns);
    }
    open_blind(watchdog, OFF_PROBE, time_ns);
    close_blind(watchdog, DETACHED, time_ns, 0);
    um_episodes_close(&watchdog->episodes, &watchdog->idle, UM_STATE_IDLE, time_ns, 0);
}

/* Whether the DLL has switched its probe, perhaps to the same one, and so forgotten its beat. */
static bool is_switch(const struct um_wire_probe *was, const struct um_wire_probe *is)
{
    bool again = was->status == UM_PROBE_ACTIVE && is->status == UM_PROBE_ACTIVE;
    return was->probe != UM_PROBE_AUTO &&
           (was->probe != is->probe || was->reason != is->reason || again);
}

static void on_probe(struct um_watchdog *watchdog, const struct um_wire_probe *probe,
                     uint64_t time_ns)
{
    bool was_active = watchdog->probe.status == UM_PROBE_ACTIVE;
    if (is_out(watchdog) && is_switch(&watchdog->probe, probe))
        disown_beat(watchdog, time_ns);
    if (is_out(watchdog) && is_without_answer(&watchdog->probe) && probe->status == UM_PROBE_ACTIVE)
        drop_beat(watchdog, time_ns); /* another one was answered instead */
    watchdog->probe = *probe;
    if (!watchdog->started && probe->status != UM_PROBE_ACTIVE)
        start_session(watchdog, time_ns);
    if (probe->status == UM_PROBE_PAUSED) {
        on_paused(watchdog, time_ns);
        return;
    }
    if (probe->status != UM_PROBE_ACTIVE) {
        on_unable(watchdog, time_ns, (enum um_probe_status)probe->status);
        return;
    }
    if (watchdog->blind_reasons && probe->reason == UM_PROBE_REASON_BLIND)
        watchdog->blind_reasons |= UNPROVEN; /* blind until a beat of this probe is answered */
    if (!was_active || (watchdog->blind_reasons & OFF_PROBE))
        resume(watchdog, time_ns);
}

static void disconnect(struct um_watchdog *watchdog, uint64_t time_ns)
{
    uint64_t known_until_ns = watchdog->alive_known ? watchdog->alive_ns : time_ns;
    watchdog->alive_known = false;
    watchdog->lost_before = 0;
    watchdog->after_loss = false;
    watchdog->last = (struct um_stretch_point){0};
    watchdog->beats.answered = (struct um_beat){0};
    if (!watchdog->started || (watchdog->blind_reasons & DETACHED))
        return;
    if (watchdog->suspended.id && known_until_ns < time_ns) {
        cut_silence(watchdog, known_until_ns, time_ns);
        watchdog->alive_ns = time_ns;
        known_until_ns = time_ns;
    }
    give_up_beat(watchdog, known_until_ns);
    open_blind(watchdog, DETACHED, known_until_ns);
    resume(watchdog, known_until_ns); /* until the next PROBE says otherwise */
}

void um_watchdog_init(struct um_watchdog *watchdog, const struct um_watchdog_options *options,
                      const struct um_watchdog_output *output)
{
    memset(watchdog, 0, sizeof *watchdog);
    watchdog->options = *options;
    watchdog->options.threshold_ns = um_ns_min(um_ns_max(options->threshold_ns, 1), LENGTH_MAX_NS);
    um_watchdog_set_period(watchdog, options->period_ns, options->rest_ns);
    watchdog->output = *output;
    watchdog->episodes.context = output->context;
    watchdog->episodes.publish = output->publish;
    watchdog->state = UM_STATE_UNKNOWN;
}

/* Takes a caller's time, so that it never goes back and leaves room for sums. */
static uint64_t advance(struct um_watchdog *watchdog, uint64_t now_ns)
{
    now_ns = um_ns_min(now_ns, TIME_MAX_NS);
    if (watchdog->has_now && um_ns_elapsed(watchdog->now_ns, now_ns) > LATE_NS)
        um_clock_gaps_late(&watchdog->awake, watchdog->now_ns, now_ns);
    watchdog->has_now = true;
    watchdog->now_ns = um_ns_max(watchdog->now_ns, now_ns);
    return watchdog->now_ns;
}

void um_watchdog_frame(struct um_watchdog *watchdog, const struct um_wire_frame *frame,
                       uint64_t now_ns)
{
    bool counts = (frame->type >= UM_WIRE_HELLO && frame->type <= UM_WIRE_BYE) ||
                  frame->type == UM_WIRE_ASKED;
    if (watchdog->stopped || !counts)
        return;
    now_ns = advance(watchdog, now_ns);
    uint64_t time_ns =
        um_ns_max(um_ns_min(um_wire_time_of(frame), now_ns), watchdog->episodes.timeline.start_ns);
    on_sign_of_life(watchdog, time_ns);
    switch (frame->type) {
    case UM_WIRE_HELLO:
        watchdog->lost_before = 0;
        break;
    case UM_WIRE_DRAINED:
        on_drained(watchdog, time_ns, frame->as.drained.lost);
        break;
    case UM_WIRE_SENT:
        on_sent(watchdog, &frame->as.sent, time_ns);
        break;
    case UM_WIRE_SEEN:
        on_seen(watchdog, time_ns, frame->as.seen.seq, frame->flags);
        watchdog->after_loss = false;
        break;
    case UM_WIRE_TAKEN:
        on_taken(watchdog, frame, time_ns);
        watchdog->after_loss = false;
        break;
    case UM_WIRE_ASKED:
        on_asked(watchdog, &frame->as.asked, time_ns);
        watchdog->after_loss = false;
        break;
    case UM_WIRE_PROBE:
        on_probe(watchdog, &frame->as.probe, time_ns);
        break;
    default:
        disconnect(watchdog, time_ns);
        break;
    }
}

const struct um_beats *um_watchdog_beats(const struct um_watchdog *watchdog)
{
    return &watchdog->beats;
}

uint64_t um_watchdog_awake_ns(const struct um_watchdog *watchdog, uint64_t from_ns, uint64_t to_ns)
{
    return um_ns_elapsed(um_clock_gaps_awake_time(&watchdog->awake, from_ns),
                         um_clock_gaps_awake_time(&watchdog->awake, to_ns));
}

void um_watchdog_control(struct um_watchdog *watchdog, uint32_t seq, uint64_t time_ns)
{
    if (watchdog->stopped)
        return;
    struct um_watchdog_sighting *sighting =
        &watchdog->sightings[watchdog->sighting_count++ % UM_WATCHDOG_SIGHTINGS];
    *sighting = (struct um_watchdog_sighting){time_ns, seq, true};
    if (is_out(watchdog) && !watchdog->beat.control_seen &&
        is_sighting_of(sighting, watchdog->beats.out.seq, watchdog->beat.stretch.sent_ns)) {
        watchdog->beat.control_seen = true;
        end_unseen(watchdog);
    }
}

void um_watchdog_tick(struct um_watchdog *watchdog, uint64_t now_ns)
{
    if (watchdog->stopped)
        return;
    advance(watchdog, now_ns);
    if (watchdog->started) {
        check_silence(watchdog);
        check_control(watchdog);
    }
}

uint64_t um_watchdog_deadline(const struct um_watchdog *watchdog, uint64_t now_ns)
{
    now_ns = um_ns_min(now_ns, TIME_MAX_NS);
    uint64_t due_ns = now_ns + TICK_NS;
    uint64_t silent_ns = watchdog->alive_ns + SILENCE_NS + 1;
    if (watchdog->started && watchdog->alive_known && !watchdog->suspended.id && silent_ns > now_ns)
        due_ns = um_ns_min(due_ns, silent_ns);
    uint64_t unseen_ns =
        watchdog->beat.stretch.sent_ns + watchdog->options.threshold_ns + DELIVERY_NS;
    if (watchdog->options.control && is_out(watchdog) && !watchdog->beat.control_seen &&
        unseen_ns > now_ns)
        due_ns = um_ns_min(due_ns, unseen_ns);
    return due_ns;
}

void um_watchdog_detached(struct um_watchdog *watchdog, uint64_t now_ns)
{
    if (!watchdog->stopped)
        disconnect(watchdog, advance(watchdog, now_ns));
}

void um_watchdog_set_period(struct um_watchdog *watchdog, uint64_t period_ns, uint64_t rest_ns)
{
    watchdog->options.period_ns = um_ns_min(um_ns_max(period_ns, 1), LENGTH_MAX_NS);
    watchdog->options.rest_ns =
        um_ns_min(um_ns_max(rest_ns, watchdog->options.period_ns), LENGTH_MAX_NS);
}

/* The session ends with the beat outstanding: neither seen nor lost. An episode that has begun
 * lasts until the end. */
static void stop_beat(struct um_watchdog *watchdog)
{
    uint64_t known_until_ns = um_ns_min(watchdog->drained_ns, watchdog->beat.until_ns);
    if (watchdog->beat.id)
        known_until_ns = is_silent(watchdog) ? watchdog->alive_ns : watchdog->now_ns;
    known_until_ns = um_ns_max(known_until_ns, watchdog->beat.stretch.sent_ns);
    if (is_evidence(watchdog) && (watchdog->beat.id || !watchdog->beat.stretch.lossy))
        finish_unanswered(watchdog, known_until_ns, UM_WIRE_EPISODE_OPEN);
    else
        drop_beat(watchdog, known_until_ns);
}

/* The session ends in a silence in which the monitor did not run, so that time is blind. */
static void stop_in_silence(struct um_watchdog *watchdog)
{
    if (is_out(watchdog))
        stop_beat(watchdog);
    open_blind(watchdog, LATE, watchdog->alive_ns);
}

/* Why the present state is blind; NOT: it is not. */
static enum um_probe_held blind_by_now(const struct um_watchdog *watchdog, enum um_state state)
{
    return state == UM_STATE_BLIND ? held_by(watchdog, watchdog->blind_reasons) : UM_PROBE_HELD_NOT;
}

static enum um_state state_now(const struct um_watchdog *watchdog, uint64_t *since_ns)
{
    struct um_timeline_span span[PRESENT_MOST];
    bool responsive = !list_present(watchdog, watchdog->now_ns, span);
    enum um_state state = responsive ? UM_STATE_RESPONSIVE : span[0].state;
    *since_ns = responsive ? watchdog->episodes.clear_ns : span[0].start_ns;
    if (state > UM_STATE_BLIND) /* a stronger state may have ended meanwhile */
        *since_ns = um_ns_max(*since_ns, watchdog->episodes.clear_ns);
    return state;
}

void um_watchdog_stop(struct um_watchdog *watchdog, uint64_t now_ns)
{
    if (watchdog->stopped)
        return;
    um_watchdog_tick(watchdog, now_ns);
    watchdog->stopped = true;
    if (!watchdog->started)
        return;
    if (is_silent(watchdog) && !watchdog->suspended.id)
        stop_in_silence(watchdog);
    enum um_state silence = watchdog->suspended.id
                                ? judge_silence(watchdog, watchdog->alive_ns, watchdog->now_ns)
                                : UM_STATE_SUSPENDED;
    watchdog->state = state_now(watchdog, &watchdog->state_since_ns);
    watchdog->state_by = blind_by_now(watchdog, watchdog->state);
    if (watchdog->state == UM_STATE_SUSPENDED && silence == UM_STATE_BLIND) {
        watchdog->state = UM_STATE_BLIND;
        watchdog->state_by = UM_PROBE_HELD_LATE;
    }
    if (is_out(watchdog))
        stop_beat(watchdog);
    struct um_episodes *episodes = &watchdog->episodes;
    uint8_t open = UM_WIRE_EPISODE_OPEN;
    um_episodes_close(episodes, &watchdog->suspended, silence, watchdog->now_ns, open);
    close_blind(watchdog, ANY_REASON, watchdog->now_ns, open);
    um_episodes_close(episodes, &watchdog->idle, UM_STATE_IDLE, watchdog->now_ns, open);
    close_unknown(watchdog, watchdog->now_ns);
    um_timeline_settle(&episodes->timeline, watchdog->now_ns);
}

void um_watchdog_view(const struct um_watchdog *watchdog, uint64_t now_ns,
                      struct um_watchdog_view *view)
{
    memset(view, 0, sizeof *view);
    view->beats_sent = watchdog->sent;
    view->beats_seen = watchdog->seen;
    view->beats_lost = watchdog->lost;
    view->beats_rested = watchdog->rested;
    view->records_lost = watchdog->records_lost;
    view->own_beats_ns = watchdog->own_beats_ns;
    view->probe = watchdog->probe.probe;
    view->probe_status = watchdog->probe.status;
    view->probe_reason = (uint8_t)watchdog->probe.reason;
    view->held = watchdog->probe.status == UM_PROBE_OFF_TARGET ? watchdog->probe.held : 0;
    view->blind_was_by = watchdog->blind_was_by;
    view->state = (uint8_t)watchdog->state;
    view->blind_by = (uint8_t)watchdog->state_by;
    view->state_since_ns = watchdog->state_since_ns;
    if (!watchdog->started)
        return;
    struct um_timeline timeline = watchdog->episodes.timeline;
    if (!watchdog->stopped) {
        struct um_timeline_span span[PRESENT_MOST];
        now_ns = um_ns_max(um_ns_min(now_ns, TIME_MAX_NS), watchdog->now_ns);
        size_t count = list_present(watchdog, now_ns, span);
        for (size_t i = 0; i < count; i++)
            um_timeline_paint(&timeline, span[i].state, span[i].start_ns, now_ns);
        um_timeline_settle(&timeline, now_ns);
        view->state = (uint8_t)state_now(watchdog, &view->state_since_ns);
        view->blind_by = (uint8_t)blind_by_now(watchdog, (enum um_state)view->state);
        if (!watchdog->blind_reasons && is_evidence(watchdog) &&
            waited_ns(watchdog) > UM_STRETCH_READY_NS) {
            view->waited_ns = waited_ns(watchdog);
            view->waited_at_ns = watchdog->drained_ns;
        }
    }
    view->started_ns = timeline.start_ns;
    view->duration_ns = timeline.settled_ns - timeline.start_ns;
    memcpy(view->state_ns, timeline.state_ns, sizeof view->state_ns);
}
