#include "monitor/measure/watchdog.h"

#include <string.h>

#include "monitor/base/ns.h"

#define GAP_NS (5 * UM_NS_MS)         /* shorter gaps between retrievals are not reported */
#define OVERTAKEN_NS (32 * UM_NS_MS)  /* message times move in steps of 10 to 16 ms, at both ends */
#define DELIVERY_DECAY 64             /* a high delivery is half forgotten after 45 beats */
#define DELIVERY_NS (20 * UM_NS_MS)   /* the control has seen a beat after this, if it ever does */
#define ABANDON_NS (1000 * UM_NS_MS)  /* for a beat that nobody saw */
#define FILTERED_NS (250 * UM_NS_MS)  /* for a beat to a loop that is known to filter them out */
#define SIGHTING_NS (1000 * UM_NS_MS) /* how far a sighting may be from a SENT with its number */
#define DOUBT_NS (50 * UM_NS_MS)      /* for so long after a loss, a SEEN may be missing */
#define SILENCE_NS (175 * UM_NS_MS)   /* three signs of life were missed, and some slack */
#define LATE_NS (100 * UM_NS_MS)      /* between two calls: the monitor itself did not run */
#define TICK_NS (50 * UM_NS_MS)
#define SETTLE_NS (2000 * UM_NS_MS) /* what is older than this and not under judgement is final */
#define TIME_MAX_NS (UINT64_MAX / 2)
#define LENGTH_MAX_NS (UINT64_MAX / 16)

enum blind_reason { OFF_PROBE = 1, DETACHED = 2, OVERTAKEN = 4, UNSEEN = 8, ANY_REASON = 15 };

static uint64_t awake(const struct um_watchdog *w, uint64_t time_ns)
{
    return um_awake_time(&w->awake, time_ns);
}

/* How long the outstanding beat has been unanswered for certain: until the last MARK. */
static uint64_t waited(const struct um_watchdog *w)
{
    return um_ns_elapsed(w->beat.stretch.sent_awake_ns, awake(w, w->mark_ns));
}

static struct um_stretch_pace pace(const struct um_watchdog *w)
{
    return (struct um_stretch_pace){w->options.period_ns, w->delivery_ns};
}

static struct um_stretch_verdict conclude(const struct um_watchdog *w, uint64_t end_ns)
{
    return um_stretch_conclude(&w->beat.stretch, pace(w), end_ns, awake(w, end_ns));
}

/* RESPONSIVE if it is too short to be an episode. */
static enum um_state judge(const struct um_watchdog *w, const struct um_stretch_verdict *verdict)
{
    if (verdict->length_ns < w->options.threshold_ns) {
        bool slow = w->options.slow_ns && verdict->length_ns >= w->options.slow_ns;
        return slow ? UM_STATE_SLOW : UM_STATE_RESPONSIVE;
    }
    bool one_gap = verdict->peak_ns >= w->options.threshold_ns;
    return one_gap ? UM_STATE_FROZEN : UM_STATE_STARVED;
}

/* Several reasons at a time are one episode. A freeze that was begun can turn out to be it. */
static void blind_open(struct um_watchdog *w, unsigned reason, uint64_t start_ns)
{
    if (!w->blind_reasons) {
        um_episodes_open(&w->episodes, &w->blind, UM_STATE_BLIND, start_ns, w->now_ns, w->beat.id);
        w->beat.id = 0;
    }
    w->blind_reasons |= reason;
}

static void blind_close(struct um_watchdog *w, unsigned reasons, uint64_t end_ns, uint8_t flags)
{
    w->blind_reasons &= ~reasons;
    if (!w->blind_reasons)
        um_episodes_close(&w->episodes, &w->blind, UM_STATE_BLIND, end_ns, flags);
}

static bool is_out(const struct um_watchdog *w)
{
    return w->beats.out.sent_ns != 0;
}

/* Whether it says something about the thread that the outstanding beat is unanswered. */
static bool telling(const struct um_watchdog *w)
{
    return is_out(w) && !w->beat.trial && !(w->blind_reasons & OVERTAKEN) &&
           (!w->options.control || w->beat.control_seen);
}

/* The beat is not outstanding any more. What came before belongs to no later stretch. */
static void release_beat(struct um_watchdog *w, uint64_t end_ns)
{
    w->beats.out = (struct um_beat){0};
    w->beat.id = 0;
    w->free_ns = um_ns_max(w->free_ns, end_ns);
}

static void feed_beat(struct um_watchdog *w, uint64_t latency_ns, uint8_t flags)
{
    struct um_wire_frame frame;
    frame.type = UM_WIRE_BEAT;
    frame.flags = flags;
    frame.as.beat = (struct um_wire_beat){w->beat.stretch.sent_ns, latency_ns, w->beats.out.seq};
    w->sink.feed(w->sink.context, &frame);
}

/* Ends the stretch with what it is known to have been. */
static void finish_beat(struct um_watchdog *w, uint64_t end_ns, uint8_t flags)
{
    struct um_stretch_verdict verdict = conclude(w, end_ns);
    enum um_state state = judge(w, &verdict);
    if (state != UM_STATE_RESPONSIVE) {
        um_episodes_end(&w->episodes, w->beat.id, state, &verdict, end_ns, flags);
    } else if (w->beat.id) {
        um_episodes_end(&w->episodes, w->beat.id, UM_STATE_STARVED, &verdict, end_ns,
                        UM_WIRE_EPISODE_VOID);
    }
    release_beat(w, end_ns);
}

/* The same without an answer. Who waited in a freeze waited until the last MARK for certain:
 * without that, the latencies would know nothing of a freeze that they are shown beside. */
static void finish_unanswered(struct um_watchdog *w, uint64_t end_ns, uint8_t flags)
{
    struct um_stretch_verdict verdict = conclude(w, end_ns);
    if (verdict.length_ns >= w->options.threshold_ns) {
        uint64_t until_ns = awake(w, um_ns_min(end_ns, w->mark_ns));
        feed_beat(w, um_ns_elapsed(w->beat.stretch.sent_awake_ns, until_ns), UM_WIRE_BEAT_AT_LEAST);
    }
    finish_beat(w, end_ns, flags);
}

/* Ends the stretch as something that was no measurement. */
static void drop_beat(struct um_watchdog *w, uint64_t end_ns)
{
    if (w->beat.id) {
        struct um_stretch_verdict verdict = {.start_ns = w->beat.stretch.sent_ns};
        um_episodes_end(&w->episodes, w->beat.id, UM_STATE_BLIND, &verdict, end_ns,
                        UM_WIRE_EPISODE_VOID);
    }
    release_beat(w, end_ns);
}

/* Records were lost while the beat was out: whether and when it was seen is not known. */
static void lose_sight(struct um_watchdog *w, uint64_t end_ns)
{
    uint64_t length_ns = um_ns_elapsed(w->beat.stretch.sent_awake_ns, awake(w, end_ns));
    bool slow = w->options.slow_ns && length_ns >= w->options.slow_ns;
    if ((w->beat.id || slow) && !w->blind_reasons) {
        blind_open(w, UNSEEN, w->beat.stretch.sent_ns);
        blind_close(w, UNSEEN, end_ns, 0);
    }
    drop_beat(w, end_ns);
}

/* The beat will not be seen any more: what is known of it is known now. */
static void give_up_beat(struct um_watchdog *w, uint64_t end_ns)
{
    struct um_watchdog_beat *beat = &w->beat;
    if (!is_out(w))
        return;
    w->lost += !beat->trial;
    end_ns = um_ns_max(um_ns_min(end_ns, beat->until_ns), beat->stretch.sent_ns);
    if (!telling(w)) {
        drop_beat(w, end_ns);
    } else if (beat->stretch.lossy) {
        lose_sight(w, end_ns);
    } else {
        end_ns = um_ns_max(um_ns_min(end_ns, w->mark_ns), beat->stretch.sent_ns);
        finish_unanswered(w, end_ns, 0);
    }
}

/* The DLL forgot the beat, and where it went is not known: blind from its send. */
static void disown_beat(struct um_watchdog *w, uint64_t end_ns)
{
    w->lost += !w->beat.trial;
    if (!w->beat.trial && !w->idle.id)
        blind_open(w, OFF_PROBE, w->beat.stretch.sent_ns);
    drop_beat(w, end_ns);
}

/* Gives the beat up and tells the DLL, so that measuring goes on with another one. */
static void abandon_beat(struct um_watchdog *w)
{
    struct um_wire_frame frame;
    frame.type = UM_WIRE_ABANDON;
    frame.flags = 0;
    frame.as.command.value = w->beats.out.seq;
    w->lost++;
    drop_beat(w, w->beat.stretch.sent_ns);
    w->sink.command(w->sink.context, &frame);
}

/* At a MARK: everything before it is known, so a beat without a SEEN was unanswered then. */
static void watch_beat(struct um_watchdog *w)
{
    struct um_watchdog_beat *beat = &w->beat;
    if (telling(w) && !beat->id && w->mark_ns >= w->doubt_ns) {
        struct um_stretch_verdict verdict = conclude(w, w->mark_ns);
        if (verdict.length_ns >= w->options.threshold_ns)
            beat->id = um_episodes_begin(&w->episodes, judge(w, &verdict), &verdict, w->mark_ns);
    } else if (is_out(w) && !beat->trial && (w->blind_reasons & OVERTAKEN) &&
               waited(w) >= FILTERED_NS) {
        abandon_beat(w);
    }
}

/* At a tick: the control has had its time to see the beat. */
static void watch_control(struct um_watchdog *w)
{
    const struct um_watchdog_beat *beat = &w->beat;
    bool unseen = is_out(w) && !beat->trial && w->options.control && !beat->control_seen;
    uint64_t patience_ns = w->options.threshold_ns + DELIVERY_NS;
    if (!unseen || waited(w) < w->options.threshold_ns ||
        um_ns_elapsed(beat->stretch.sent_ns, w->now_ns) < patience_ns)
        return;
    blind_open(w, UNSEEN, beat->stretch.sent_ns);
    if (waited(w) >= ABANDON_NS)
        abandon_beat(w);
}

/* Somebody saw the beat: they are delivered again. If this one was only late, nothing was blind. */
static void end_unseen(struct um_watchdog *w)
{
    uint64_t sent_ns = w->beat.stretch.sent_ns;
    if (w->blind_reasons & UNSEEN) {
        bool late = w->blind_reasons == UNSEEN && w->blind.start_ns == sent_ns;
        blind_close(w, UNSEEN, sent_ns, late ? UM_WIRE_EPISODE_VOID : 0);
    }
}

/* Nothing of the process ran. If the monitor did not run either, it is nobody's. */
static void cut_out(struct um_watchdog *w, uint64_t from_ns, uint64_t to_ns)
{
    bool late = um_awake_mostly_late(&w->awake, from_ns, to_ns);
    enum um_state state = late ? UM_STATE_BLIND : UM_STATE_SUSPENDED;
    um_awake_cut(&w->awake, from_ns, to_ns);
    if (!w->suspended.id && !(late && w->blind.id))
        um_episodes_open(&w->episodes, &w->suspended, state, from_ns, to_ns, 0);
    um_episodes_close(&w->episodes, &w->suspended, state, to_ns, 0);
}

/* The target's process ran at this time, by its own stamp. */
static void sign_of_life(struct um_watchdog *w, uint64_t time_ns)
{
    uint64_t from_ns = w->sign_ns;
    bool expected = w->has_sign && w->started && !(w->blind_reasons & DETACHED);
    w->sign_ns = um_ns_max(from_ns, time_ns);
    w->has_sign = true;
    if (!expected || time_ns <= from_ns)
        return;
    if (time_ns - from_ns > SILENCE_NS) {
        cut_out(w, from_ns, time_ns);
    } else {
        um_episodes_close(&w->episodes, &w->suspended, UM_STATE_SUSPENDED, time_ns,
                          UM_WIRE_EPISODE_VOID);
    }
}

static bool is_silent(const struct um_watchdog *w)
{
    return w->has_sign && !(w->blind_reasons & DETACHED) &&
           um_ns_elapsed(w->sign_ns, w->now_ns) > SILENCE_NS;
}

/* At a tick: no sign of life came, although the monitor was there to see it. */
static void watch_silence(struct um_watchdog *w)
{
    if (is_silent(w) && !w->suspended.id && !um_awake_mostly_late(&w->awake, w->sign_ns, w->now_ns))
        um_episodes_open(&w->episodes, &w->suspended, UM_STATE_SUSPENDED, w->sign_ns, w->now_ns, 0);
}

static void start_session(struct um_watchdog *w, uint64_t time_ns)
{
    w->started = true;
    w->free_ns = time_ns;
    um_episodes_start(&w->episodes, time_ns);
}

/* Conditions that last and the stretch under judgement, as of now; the strongest comes first. */
static size_t present(const struct um_watchdog *w, uint64_t now_ns, struct um_timeline_span span[4])
{
    size_t count = 0;
    if (w->suspended.id) {
        span[count++] =
            (struct um_timeline_span){w->suspended.start_ns, now_ns, UM_STATE_SUSPENDED};
    }
    if (w->blind.id)
        span[count++] = (struct um_timeline_span){w->blind.start_ns, now_ns, UM_STATE_BLIND};
    if (w->idle.id)
        span[count++] = (struct um_timeline_span){w->idle.start_ns, now_ns, UM_STATE_IDLE};
    if (telling(w) && (w->beat.id || w->mark_ns >= w->doubt_ns)) {
        struct um_stretch_verdict verdict = conclude(w, w->mark_ns);
        enum um_state state = judge(w, &verdict);
        if (state != UM_STATE_RESPONSIVE)
            span[count++] = (struct um_timeline_span){verdict.start_ns, now_ns, state};
    }
    return count;
}

/* Makes final what is too old to change. Now and then is enough. */
static void settle(struct um_watchdog *w)
{
    struct um_timeline *timeline = &w->episodes.timeline;
    uint64_t until_ns = um_ns_elapsed(SETTLE_NS, w->mark_ns);
    if (is_out(w))
        until_ns = um_ns_min(until_ns, w->beat.stretch.origin.time_ns);
    if (um_ns_elapsed(timeline->settled_ns, until_ns) < SETTLE_NS)
        return;
    struct um_timeline_span span[4];
    size_t count = present(w, until_ns, span);
    for (size_t i = 0; i < count; i++)
        um_timeline_paint(timeline, span[i].state, span[i].start_ns, until_ns);
    um_timeline_settle(timeline, until_ns);
}

static void on_mark(struct um_watchdog *w, uint64_t time_ns, uint64_t lost)
{
    w->mark_ns = um_ns_max(w->mark_ns, time_ns);
    if (lost > w->lost_mark) {
        /* If a SEEN was among them, the next SENT follows within a period or two. */
        w->records_lost += lost - w->lost_mark;
        w->lost_mark = lost;
        w->beat.stretch.lossy = true;
        w->doubt_ns = w->mark_ns + um_ns_max(4 * w->options.period_ns, DOUBT_NS);
    }
    if (w->started) {
        watch_beat(w);
        settle(w);
    }
}

/* A gap closes. It is of interest only while a beat waited in it; else the thread was idle. */
static void note_gap(struct um_watchdog *w, uint64_t time_ns, uint64_t awake_ns)
{
    const struct um_stretch *stretch = &w->beat.stretch;
    uint64_t from_ns = um_ns_max(stretch->last.awake_ns, stretch->sent_awake_ns);
    if (um_ns_elapsed(from_ns, awake_ns) < GAP_NS || !telling(w))
        return;
    struct um_stretch_verdict gap = um_stretch_gap(stretch, pace(w), time_ns, awake_ns);
    if (gap.length_ns < GAP_NS)
        return;
    struct um_wire_frame frame;
    frame.type = UM_WIRE_GAP;
    frame.flags = 0;
    frame.as.gap = (struct um_wire_gap){gap.start_ns, gap.length_ns, gap.hwnd, gap.message};
    w->sink.feed(w->sink.context, &frame);
}

static void note_latency(struct um_watchdog *w, uint64_t awake_ns)
{
    uint64_t latency_ns = um_ns_elapsed(w->beat.stretch.sent_awake_ns, awake_ns);
    if (latency_ns <= UM_STRETCH_READY_NS) {
        uint64_t fallen_ns = w->delivery_ns - w->delivery_ns / DELIVERY_DECAY;
        w->delivery_ns = um_ns_max(latency_ns, fallen_ns);
    }
    feed_beat(w, latency_ns, 0);
}

/* Beats are sent again. One that was tried before is a beat from now on. */
static void resume(struct um_watchdog *w, uint64_t time_ns)
{
    w->probe.status = UM_PROBE_ACTIVE;
    blind_close(w, OFF_PROBE, time_ns, 0);
    um_episodes_close(&w->episodes, &w->idle, UM_STATE_IDLE, time_ns, 0);
    if (is_out(w) && w->beat.trial) {
        w->beat.trial = false;
        w->sent++;
    } else if (!is_out(w)) {
        w->free_ns = um_ns_max(w->free_ns, time_ns);
    }
}

/* The beat was dequeued. */
static void answer_beat(struct um_watchdog *w, uint64_t time_ns)
{
    time_ns = um_ns_max(time_ns, w->beat.stretch.sent_ns);
    uint64_t awake_ns = awake(w, time_ns);
    bool filtered = w->blind_reasons & OVERTAKEN;
    w->beats.answered = w->beats.out;
    if (w->beat.trial)
        resume(w, w->beat.stretch.sent_ns);
    w->seen++;
    end_unseen(w);
    blind_close(w, OVERTAKEN, time_ns, 0);
    if (filtered) {
        drop_beat(w, time_ns); /* the user's input did not wait for it */
    } else {
        w->beat.control_seen = true; /* better: the target itself saw it */
        note_latency(w, awake_ns);
        note_gap(w, time_ns, awake_ns);
        finish_beat(w, time_ns, 0);
    }
    if (time_ns >= w->last.time_ns)
        w->last = (struct um_stretch_point){.time_ns = time_ns, .awake_ns = awake_ns};
}

static bool sighted(const struct um_watchdog_sighting *sighting, uint32_t seq, uint64_t sent_ns)
{
    return sighting->valid && sighting->seq == seq &&
           um_ns_elapsed(sighting->time_ns, sent_ns) <= SIGHTING_NS &&
           um_ns_elapsed(sent_ns, sighting->time_ns) <= SIGHTING_NS;
}

static bool control_sighted(const struct um_watchdog *w, uint32_t seq, uint64_t sent_ns)
{
    for (size_t i = 0; i < UM_WATCHDOG_SIGHTINGS; i++)
        if (sighted(&w->control[i], seq, sent_ns))
            return true;
    return false;
}

static void on_sent(struct um_watchdog *w, uint64_t time_ns, uint32_t seq)
{
    if (!w->started)
        start_session(w, time_ns);
    time_ns = um_ns_max(time_ns, um_ns_max(w->free_ns, 1)); /* 0 would be no beat */
    give_up_beat(w, time_ns);
    bool trial = w->probe.status != UM_PROBE_ACTIVE;
    if (trial || (w->blind_reasons & DETACHED))
        w->free_ns = time_ns; /* what the thread did before is not known */
    blind_close(w, DETACHED, time_ns, 0);
    w->sent += !trial;
    w->beats.out = (struct um_beat){time_ns, seq};
    w->beat = (struct um_watchdog_beat){
        .until_ns = UINT64_MAX, .trial = trial, .control_seen = control_sighted(w, seq, time_ns)};
    struct um_stretch_point start = {.time_ns = w->free_ns, .awake_ns = awake(w, w->free_ns)};
    um_stretch_init(&w->beat.stretch, w->last.time_ns >= w->free_ns ? &w->last : &start, time_ns,
                    awake(w, time_ns));
    if (w->beat.control_seen)
        end_unseen(w);
    if (sighted(&w->early_seen, seq, time_ns) && w->early_seen.time_ns >= time_ns)
        answer_beat(w, w->early_seen.time_ns);
}

static void on_seen(struct um_watchdog *w, uint64_t time_ns, uint32_t seq)
{
    if (!is_out(w) || seq != w->beats.out.seq) {
        w->early_seen = (struct um_watchdog_sighting){time_ns, seq, true};
        return;
    }
    answer_beat(w, time_ns);
}

/* The user's input came after the beat and was taken before it: the loop filters ours out. */
static void watch_overtaking(struct um_watchdog *w, uint32_t age_ms, uint64_t time_ns)
{
    uint64_t arrived_ns = um_ns_elapsed(age_ms * UM_NS_MS, time_ns);
    if (age_ms != UM_WIRE_AGE_UNKNOWN && telling(w) &&
        um_ns_elapsed(w->beat.stretch.sent_ns, arrived_ns) > OVERTAKEN_NS) {
        blind_open(w, OVERTAKEN, conclude(w, time_ns).start_ns);
        abandon_beat(w);
    }
}

static void on_taken(struct um_watchdog *w, const struct um_wire_frame *frame, uint64_t time_ns)
{
    const struct um_wire_taken *taken = &frame->as.taken;
    time_ns = um_ns_max(time_ns, w->last.time_ns);
    const struct um_stretch_point point = {.time_ns = time_ns,
                                           .awake_ns = awake(w, time_ns),
                                           .hwnd = taken->hwnd,
                                           .message = taken->message,
                                           .named = !(frame->flags & UM_WIRE_TAKEN_OURS)};
    if (frame->flags & UM_WIRE_TAKEN_INPUT)
        watch_overtaking(w, taken->age_ms, time_ns);
    if (is_out(w) && time_ns >= w->free_ns) {
        note_gap(w, time_ns, point.awake_ns);
        um_stretch_retrieved(&w->beat.stretch, &point);
    }
    w->last = point;
}

static void on_paused(struct um_watchdog *w, uint64_t time_ns)
{
    if (telling(w))
        w->beat.until_ns = um_ns_min(w->beat.until_ns, time_ns); /* it may still be answered */
    else
        give_up_beat(w, time_ns);
    if (!w->idle.id)
        um_episodes_open(&w->episodes, &w->idle, UM_STATE_IDLE, time_ns, w->now_ns, 0);
    blind_close(w, ANY_REASON, time_ns, 0);
}

/* The cursor left the target and the DLL forgot the beat that was out, still unanswered. A freeze
 * that had begun lasted until now; otherwise the beat may have gone to another window. */
static void leave_target(struct um_watchdog *w, uint64_t time_ns)
{
    struct um_watchdog_beat *beat = &w->beat;
    if (!is_out(w) || beat->trial || w->idle.id)
        return;
    if (!beat->id || beat->stretch.lossy) {
        disown_beat(w, time_ns);
        return;
    }
    w->lost++;
    finish_unanswered(w, um_ns_max(time_ns, beat->stretch.sent_ns), 0);
}

/* New blind time begins before the old one ends, so that they are one episode. */
static void on_unable(struct um_watchdog *w, uint64_t time_ns, enum um_probe_status status)
{
    if (status == UM_PROBE_REFUSED && is_out(w) && !w->beat.id) {
        w->sent -= !w->beat.trial; /* it was never sent */
        w->beats.out = (struct um_beat){0};
    }
    if (status == UM_PROBE_OFF_TARGET)
        leave_target(w, time_ns);
    give_up_beat(w, time_ns);
    blind_open(w, OFF_PROBE, time_ns);
    blind_close(w, DETACHED, time_ns, 0);
    um_episodes_close(&w->episodes, &w->idle, UM_STATE_IDLE, time_ns, 0);
}

/* Whether the DLL has switched: it forgets its beat then, also when it takes the same probe
 * again. */
static bool is_switch(const struct um_wire_probe *was, const struct um_wire_probe *is)
{
    bool again = was->status == UM_PROBE_ACTIVE && is->status == UM_PROBE_ACTIVE;
    return was->probe != UM_PROBE_AUTO &&
           (was->probe != is->probe || was->reason != is->reason || again);
}

static void on_probe(struct um_watchdog *w, const struct um_wire_probe *probe, uint64_t time_ns)
{
    bool was_active = w->probe.status == UM_PROBE_ACTIVE;
    if (is_out(w) && is_switch(&w->probe, probe))
        disown_beat(w, time_ns);
    w->probe = *probe;
    if (!w->started && probe->status != UM_PROBE_ACTIVE)
        start_session(w, time_ns);
    if (probe->status == UM_PROBE_PAUSED) {
        on_paused(w, time_ns);
        return;
    }
    if (probe->status != UM_PROBE_ACTIVE) {
        on_unable(w, time_ns, (enum um_probe_status)probe->status);
        return;
    }
    if (w->blind_reasons && probe->reason == UM_PROBE_REASON_BLIND)
        w->blind_reasons |= OVERTAKEN; /* another try: only an answer says that this one sees */
    if (!was_active || (w->blind_reasons & OFF_PROBE))
        resume(w, time_ns);
}

static void disconnect(struct um_watchdog *w, uint64_t time_ns)
{
    uint64_t known_ns = w->has_sign ? w->sign_ns : time_ns;
    w->has_sign = false;
    w->lost_mark = 0;
    w->last = (struct um_stretch_point){0};
    w->beats.answered = (struct um_beat){0};
    if (!w->started || (w->blind_reasons & DETACHED))
        return;
    if (w->suspended.id && known_ns < time_ns) {
        cut_out(w, known_ns, time_ns);
        w->sign_ns = time_ns;
        known_ns = time_ns;
    }
    give_up_beat(w, known_ns);
    blind_open(w, DETACHED, known_ns);
    resume(w, known_ns); /* what the next probe does is not known */
}

void um_watchdog_init(struct um_watchdog *w, const struct um_watchdog_options *options,
                      const struct um_watchdog_sink *sink)
{
    memset(w, 0, sizeof *w);
    w->options = *options;
    w->options.threshold_ns = um_ns_min(um_ns_max(options->threshold_ns, 1), LENGTH_MAX_NS);
    um_watchdog_set_period(w, options->period_ns);
    w->sink = *sink;
    w->episodes.context = sink->context;
    w->episodes.feed = sink->feed;
    w->state = UM_STATE_RESPONSIVE;
}

/* The callers' clock, which never goes back in here, and leaves room for sums. */
static uint64_t advance(struct um_watchdog *w, uint64_t now_ns)
{
    now_ns = um_ns_min(now_ns, TIME_MAX_NS);
    if (w->has_now && um_ns_elapsed(w->now_ns, now_ns) > LATE_NS)
        um_awake_late(&w->awake, w->now_ns, now_ns);
    w->has_now = true;
    w->now_ns = um_ns_max(w->now_ns, now_ns);
    return w->now_ns;
}

static uint64_t stamp(const struct um_wire_frame *frame)
{
    switch (frame->type) {
    case UM_WIRE_HELLO:
        return frame->as.hello.time_ns;
    case UM_WIRE_MARK:
        return frame->as.mark.time_ns;
    case UM_WIRE_SENT:
        return frame->as.sent.time_ns;
    case UM_WIRE_SEEN:
        return frame->as.seen.time_ns;
    case UM_WIRE_TAKEN:
        return frame->as.taken.time_ns;
    case UM_WIRE_PROBE:
        return frame->as.probe.time_ns;
    default:
        return frame->as.bye.time_ns;
    }
}

void um_watchdog_frame(struct um_watchdog *w, const struct um_wire_frame *frame, uint64_t now_ns)
{
    if (w->stopped || frame->type < UM_WIRE_HELLO || frame->type > UM_WIRE_BYE)
        return;
    now_ns = advance(w, now_ns);
    uint64_t time_ns = um_ns_max(um_ns_min(stamp(frame), now_ns), w->episodes.timeline.start_ns);
    sign_of_life(w, time_ns);
    switch (frame->type) {
    case UM_WIRE_HELLO:
        w->lost_mark = 0;
        break;
    case UM_WIRE_MARK:
        on_mark(w, time_ns, frame->as.mark.lost);
        break;
    case UM_WIRE_SENT:
        on_sent(w, time_ns, frame->as.sent.seq);
        break;
    case UM_WIRE_SEEN:
        on_seen(w, time_ns, frame->as.seen.seq);
        break;
    case UM_WIRE_TAKEN:
        on_taken(w, frame, time_ns);
        break;
    case UM_WIRE_PROBE:
        on_probe(w, &frame->as.probe, time_ns);
        break;
    default:
        disconnect(w, time_ns);
        break;
    }
}

const struct um_beats *um_watchdog_beats(const struct um_watchdog *w)
{
    return &w->beats;
}

void um_watchdog_control(struct um_watchdog *w, uint32_t seq, uint64_t time_ns)
{
    if (w->stopped)
        return;
    struct um_watchdog_sighting *sighting = &w->control[w->controls++ % UM_WATCHDOG_SIGHTINGS];
    *sighting = (struct um_watchdog_sighting){time_ns, seq, true};
    if (is_out(w) && !w->beat.control_seen &&
        sighted(sighting, w->beats.out.seq, w->beat.stretch.sent_ns)) {
        w->beat.control_seen = true;
        end_unseen(w);
    }
}

void um_watchdog_tick(struct um_watchdog *w, uint64_t now_ns)
{
    if (w->stopped)
        return;
    advance(w, now_ns);
    if (w->started) {
        watch_silence(w);
        watch_control(w);
    }
}

uint64_t um_watchdog_deadline(const struct um_watchdog *w, uint64_t now_ns)
{
    now_ns = um_ns_min(now_ns, TIME_MAX_NS);
    uint64_t due_ns = now_ns + TICK_NS;
    uint64_t silent_ns = w->sign_ns + SILENCE_NS + 1;
    if (w->started && w->has_sign && !w->suspended.id && silent_ns > now_ns)
        due_ns = um_ns_min(due_ns, silent_ns);
    uint64_t unseen_ns = w->beat.stretch.sent_ns + w->options.threshold_ns + DELIVERY_NS;
    if (w->options.control && is_out(w) && !w->beat.control_seen && unseen_ns > now_ns)
        due_ns = um_ns_min(due_ns, unseen_ns);
    return due_ns;
}

void um_watchdog_detached(struct um_watchdog *w, uint64_t now_ns)
{
    if (!w->stopped)
        disconnect(w, advance(w, now_ns));
}

void um_watchdog_set_period(struct um_watchdog *w, uint64_t period_ns)
{
    w->options.period_ns = um_ns_min(um_ns_max(period_ns, 1), LENGTH_MAX_NS);
}

/* The outstanding beat was neither seen nor lost; what began goes on until the session ends. */
static void stop_beat(struct um_watchdog *w)
{
    uint64_t known_ns = um_ns_min(w->mark_ns, w->beat.until_ns);
    if (w->beat.id)
        known_ns = is_silent(w) ? w->sign_ns : w->now_ns;
    known_ns = um_ns_max(known_ns, w->beat.stretch.sent_ns);
    if (telling(w) && (w->beat.id || !w->beat.stretch.lossy))
        finish_unanswered(w, known_ns, UM_WIRE_EPISODE_OPEN);
    else
        drop_beat(w, known_ns);
}

/* The session ends in a silence that the monitor slept through: nobody will say what was in it. */
static void stop_unknown(struct um_watchdog *w)
{
    if (is_out(w))
        stop_beat(w);
    blind_open(w, DETACHED, w->sign_ns);
}

static enum um_state present_state(const struct um_watchdog *w, uint64_t *since_ns)
{
    struct um_timeline_span span[4];
    bool responsive = !present(w, w->now_ns, span);
    enum um_state state = responsive ? UM_STATE_RESPONSIVE : span[0].state;
    *since_ns = responsive ? w->episodes.clear_ns : span[0].start_ns;
    if (state > UM_STATE_BLIND) /* something stronger may have ended meanwhile */
        *since_ns = um_ns_max(*since_ns, w->episodes.clear_ns);
    return state;
}

void um_watchdog_stop(struct um_watchdog *w, uint64_t now_ns)
{
    if (w->stopped)
        return;
    um_watchdog_tick(w, now_ns);
    w->stopped = true;
    if (!w->started)
        return;
    if (is_silent(w) && !w->suspended.id)
        stop_unknown(w);
    w->state = present_state(w, &w->state_since_ns);
    if (is_out(w))
        stop_beat(w);
    struct um_episodes *episodes = &w->episodes;
    uint8_t open = UM_WIRE_EPISODE_OPEN;
    um_episodes_close(episodes, &w->suspended, UM_STATE_SUSPENDED, w->now_ns, open);
    blind_close(w, ANY_REASON, w->now_ns, open);
    um_episodes_close(episodes, &w->idle, UM_STATE_IDLE, w->now_ns, open);
    um_timeline_settle(&episodes->timeline, w->now_ns);
}

void um_watchdog_view(const struct um_watchdog *w, uint64_t now_ns, struct um_watchdog_view *view)
{
    memset(view, 0, sizeof *view);
    view->beats_sent = w->sent;
    view->beats_seen = w->seen;
    view->beats_lost = w->lost;
    view->records_lost = w->records_lost;
    view->probe = w->probe.probe;
    view->probe_status = w->probe.status;
    view->probe_reason = (uint8_t)w->probe.reason;
    view->state = (uint8_t)w->state;
    view->state_since_ns = w->state_since_ns;
    if (!w->started)
        return;
    struct um_timeline timeline = w->episodes.timeline;
    if (!w->stopped) {
        struct um_timeline_span span[4];
        now_ns = um_ns_max(um_ns_min(now_ns, TIME_MAX_NS), w->now_ns);
        size_t count = present(w, now_ns, span);
        for (size_t i = 0; i < count; i++)
            um_timeline_paint(&timeline, span[i].state, span[i].start_ns, now_ns);
        um_timeline_settle(&timeline, now_ns);
        view->state = (uint8_t)present_state(w, &view->state_since_ns);
        if (!w->blind_reasons && telling(w) && waited(w) > UM_STRETCH_READY_NS)
            view->waited_ns = waited(w);
    }
    view->started_ns = timeline.start_ns;
    view->duration_ns = timeline.settled_ns - timeline.start_ns;
    memcpy(view->state_ns, timeline.state_ns, sizeof view->state_ns);
}
