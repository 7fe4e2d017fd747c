#include "monitor/live/session.h"

#include <stdlib.h>
#include <string.h>

#include "ipc/clock.h"
#include "ipc/slice.h"
#include "monitor/base/message_names.h"
#include "monitor/base/ns.h"
#include "monitor/base/utf8.h"
#include "monitor/measure/retrieved.h"
#include "monitor/measure/activity.h"
#include "monitor/measure/starvation.h"

/* `auto` tries another probe after this long without sight, and after twice as long each time. */
#define BLIND_RETRY_NS UM_CLOCK_NS_PER_S
#define BLIND_RETRY_MAX_NS (30 * UM_CLOCK_NS_PER_S)
#define BEHIND_NS UM_CLOCK_NS_PER_S /* older slices get no STATUS after the fact */
#define TOTALS_NS UM_CLOCK_NS_PER_S
#define SILENT_NS (2 * UM_CLOCK_NS_PER_S) /* a DLL that runs tells something more often */

/* While the user's input arrives, and for a second after it, a thread at rest gets beats at the
 * full rate. The DLL is told each quarter of a second. */
#define INPUT_MS 1000
#define TELL_INPUT_NS (250 * UM_CLOCK_NS_PER_MS)

struct um_session {
    struct um_session_config config;
    struct um_watchdog watchdog;
    struct um_interactions interactions;
    struct um_quiet quiet;
    struct um_ladder ladder;
    struct um_starvation starvation;
    struct um_retrieved retrieved; /* empty without --dump-dir */
    struct um_activity activity;
    struct um_stats *stats;
    struct um_wire_frame session;  /* SESSION; published from when measuring has begun */
    struct um_wire_frame status;   /* the latest STATUS */
    struct um_wire_frame totals;   /* the latest TOTALS */
    struct um_wire_frame sampling; /* the latest SAMPLING; its samples are 0 before the first */
    struct um_wire_frame rung;     /* the latest RUNG; its type is 0 before the first */
    struct um_wire_cost cost;      /* of the present connection */
    struct um_wire_cost past_cost; /* of earlier ones */
    char suspect_class[128];       /* of the episode that lasts, asked for at its begin */
    uint32_t named_message;        /* the last registered message that was a suspect */
    char message_name[64];         /* its name */
    uint64_t own_before_ns;        /* the monitor's CPU time before measuring began */
    uint64_t last_input_ns;
    uint64_t blind_since_ns; /* 0: not blind, or just tried again */
    uint64_t blind_retry_ns; /* how long to be blind before the next try */
    uint64_t seen_count;     /* of beats, at the last tick */
    uint64_t next_status_ns;
    uint64_t next_totals_ns;
    uint64_t heard_ns;      /* when the last frame of the DLL came */
    uint64_t told_input_ns; /* when the DLL was last told that input arrives */
    uint64_t arrivals_lost;
    uint64_t freeze_since_ns; /* of the freeze that lasts */
    uint32_t freeze;          /* its id; 0: none lasts, or its messages were told */
    bool begun;
    bool attached;
    bool paused;       /* what the DLL was last told */
    bool probes_pool;  /* the thread pool is to be measured, */
    bool counts;       /* and messages and paint cycles are to be counted */
    bool traces;       /* messages are to be traced */
    bool halted;       /* measuring is over, */
    bool stopped;      /* and so is the session */
    bool climbs;       /* the ladder may choose the beats */
    bool beats_go_out; /* by the DLL's last PROBE */
    bool shielded;     /* a window of a higher integrity level is in front */
};

/* From beat to beat while the UI thread rests. */
static uint32_t rest_us(const struct um_session *session)
{
    double period_ms = session->config.options->heartbeat_ms;
    double rest_ms = session->config.options->rest_heartbeat_ms;
    return (uint32_t)((rest_ms > period_ms ? rest_ms : period_ms) * 1e3 + 0.5);
}

static void publish(struct um_session *session, const struct um_wire_frame *frame)
{
    um_feed_publish(session->config.outputs, session->config.output_count, frame);
}

/* Nothing comes before SESSION. A DLL whose times are 0 never gets that far. */
static void take_and_publish(struct um_session *session, const struct um_wire_frame *frame)
{
    if (!session->begun)
        return;
    um_stats_frame(session->stats, frame);
    publish(session, frame);
}

static void publish_pace(struct um_session *session)
{
    struct um_wire_frame frame = {.type = UM_WIRE_PACE};
    frame.as.pace.rest_us = rest_us(session);
    if (session->config.options->background != UM_BACKGROUND_FULL)
        frame.as.pace.background_us = session->config.options->background == UM_BACKGROUND_REST
                                          ? rest_us(session)
                                          : UM_WIRE_PACE_NEVER;
    take_and_publish(session, &frame);
}

static void publish_proving(struct um_session *session)
{
    struct um_wire_frame frame = {.type = UM_WIRE_PROVING};
    frame.as.proving.key_delay_us = session->config.options->key_delay_us;
    if (frame.as.proving.key_delay_us)
        take_and_publish(session, &frame);
}

/* SESSION is the first frame of a feed, and is published again when it changes. */
static void publish_session(struct um_session *session)
{
    struct um_wire_session *now = &session->session.as.session;
    struct um_watchdog_view view;
    bool first = !session->begun;

    um_watchdog_view(&session->watchdog, 0, &view);
    if (view.started_ns == 0)
        return;
    if (first) {
        int64_t ago_ms = (int64_t)((um_clock_now_ns() - view.started_ns) / UM_CLOCK_NS_PER_MS);
        uint64_t overlay_ns;
        if (session->config.own_cost)
            session->config.own_cost(session->config.context, &session->own_before_ns, &overlay_ns);
        now->start_ns = view.started_ns;
        now->utc_ms = um_clock_utc_ms() - ago_ms;
        session->begun = true;
    }
    now->probe = view.probe;
    now->probe_status = view.probe_status;
    now->probe_reason = view.probe_reason;
    take_and_publish(session, &session->session);
    if (!first)
        return;
    publish_pace(session);
    publish_proving(session);
}

/* The name of a registered message, as it may be shown anywhere: without control characters. */
static const char *name_message(struct um_session *session, uint32_t message)
{
    char name[sizeof session->message_name];
    if (!um_message_names_is_registered(message))
        return "";
    if (message != session->named_message) {
        session->named_message = message;
        session->message_name[0] = 0;
        if (session->config.message_name(session->config.context, message, name, sizeof name))
            (void)um_utf8_fit(name, sizeof name, session->message_name,
                              sizeof session->message_name);
    }
    return session->message_name;
}

/* Fills in the suspect's name and the class of its window. The class is asked for at the episode's
 * begin, because the window may be gone at its end. */
static void name_suspect(struct um_session *session, struct um_wire_frame *frame)
{
    struct um_wire_episode *episode = &frame->as.episode;
    if (!(frame->flags & UM_WIRE_EPISODE_HAS_MESSAGE))
        return;
    um_wire_set_text(episode->message_name, sizeof episode->message_name,
                     name_message(session, episode->message));
    if (!session->config.window_class(session->config.context, episode->hwnd, episode->window_class,
                                      sizeof episode->window_class))
        um_wire_set_text(episode->window_class, sizeof episode->window_class,
                         session->suspect_class);
    if (frame->flags & UM_WIRE_EPISODE_END)
        session->suspect_class[0] = 0;
    else
        um_wire_set_text(session->suspect_class, sizeof session->suspect_class,
                         episode->window_class);
}

/* Says that a freeze has ended to who tells where the thread was in it. */
static void tell_freeze(struct um_session *session, const struct um_wire_frame *frame)
{
    bool is_over = frame->flags & UM_WIRE_EPISODE_END && !(frame->flags & UM_WIRE_EPISODE_VOID);
    if (session->config.freeze && is_over && um_wire_state_is_freeze(frame->as.episode.state))
        session->config.freeze(session->config.context, frame);
}

/* Notes which freeze lasts, if the messages before it may have to be told. */
static void note_freeze(struct um_session *session, const struct um_wire_frame *frame)
{
    const struct um_wire_episode *episode = &frame->as.episode;
    if (!session->config.options->dump_dir)
        return;
    if (!(frame->flags & UM_WIRE_EPISODE_END) && um_wire_state_is_freeze(episode->state)) {
        session->freeze = episode->id;
        session->freeze_since_ns = episode->start_ns;
    } else if (episode->id == session->freeze) {
        session->freeze = 0;
    }
}

/* Takes what the watchdog has concluded: a BEAT, GAP or EPISODE. */
static void on_conclusion(void *context, const struct um_wire_frame *frame)
{
    struct um_session *session = context;
    struct um_wire_frame named;

    if (!session->begun)
        publish_session(session);
    um_quiet_frame(&session->quiet, frame);
    if (frame->type == UM_WIRE_EPISODE) {
        um_interactions_episode(&session->interactions, frame);
        named = *frame;
        name_suspect(session, &named);
        frame = &named;
    }
    take_and_publish(session, frame);
    if (frame->type != UM_WIRE_EPISODE)
        return;
    note_freeze(session, frame);
    tell_freeze(session, frame);
}

static void on_interaction(void *context, const struct um_wire_frame *frame)
{
    take_and_publish(context, frame);
}

static void on_command(void *context, const struct um_wire_frame *command)
{
    struct um_session *session = context;
    if (session->attached)
        session->config.command(session->config.context, command);
}

static void command(struct um_session *session, enum um_wire_type type, uint8_t flags,
                    uint32_t value)
{
    struct um_wire_frame frame = {.type = (uint8_t)type, .flags = flags};
    frame.as.command.value = value;
    on_command(session, &frame);
}

static uint64_t ms_to_ns(double ms)
{
    return (uint64_t)(ms * 1e6 + 0.5);
}

enum um_status um_session_open(const struct um_session_config *config, uint64_t now_ns,
                               struct um_session **session_out)
{
    const struct um_options *options = config->options;
    struct um_session *session = calloc(1, sizeof *session);
    struct um_stats_config stats = {.start_ns = now_ns,
                                    .period_ns = ms_to_ns(options->heartbeat_ms),
                                    .threshold_ns = ms_to_ns(options->threshold_ms)};
    if (!session || um_stats_open(&stats, &session->stats) != UM_OK) {
        free(session);
        return UM_ERR_MEMORY;
    }
    session->config = *config;
    session->last_input_ns = now_ns;
    struct um_watchdog_options watchdog = {.threshold_ns = stats.threshold_ns,
                                           .slow_ns = ms_to_ns(options->slow_ms),
                                           .period_ns = stats.period_ns,
                                           .rest_ns = rest_us(session) * UM_CLOCK_NS_PER_US,
                                           .control = config->control};
    struct um_watchdog_output output = {session, on_conclusion, on_command};
    um_watchdog_init(&session->watchdog, &watchdog, &output);
    struct um_interactions_options interactions = {.threshold_ns = stats.threshold_ns};
    struct um_interactions_output interactions_output = {session, on_interaction};
    const struct um_beats *beats = um_watchdog_beats(&session->watchdog);
    um_interactions_init(&session->interactions, &interactions, beats, &interactions_output);
    um_quiet_init(&session->quiet, watchdog.slow_ns, beats);
    um_ladder_init(&session->ladder);
    um_starvation_init(&session->starvation, ms_to_ns(options->threadpool_starved_ms),
                       ms_to_ns(options->threadpool_recovered_ms));
    session->climbs = config->control && options->rung == UM_RUNG_AUTO;

    session->session.type = UM_WIRE_SESSION;
    struct um_wire_session *describe = &session->session.as.session;
    describe->period_us = (uint32_t)(stats.period_ns / UM_CLOCK_NS_PER_US);
    describe->threshold_us = (uint32_t)(stats.threshold_ns / UM_CLOCK_NS_PER_US);
    describe->slow_us = (uint32_t)(watchdog.slow_ns / UM_CLOCK_NS_PER_US);
    um_wire_set_text(describe->caption, sizeof describe->caption, options->caption);
    *session_out = session;
    return UM_OK;
}

void um_session_close(struct um_session *session)
{
    if (!session)
        return;
    um_stats_close(session->stats);
    free(session);
}

void um_session_target(struct um_session *session, const struct um_target_info *target)
{
    struct um_wire_session *describe = &session->session.as.session;
    describe->hwnd = target->hwnd;
    describe->pid = target->pid;
    describe->tid = target->tid;
    describe->bits = target->bits;
    um_wire_set_text(describe->name, sizeof describe->name, target->name);
    um_wire_set_text(describe->title, sizeof describe->title, target->title);
    um_wire_set_text(describe->toolkit, sizeof describe->toolkit, target->toolkit);
    if (session->begun)
        publish_session(session);
}

void um_session_attached(struct um_session *session, uint64_t seen_ns, uint64_t now_ns)
{
    session->attached = true;
    session->paused = false;
    session->blind_since_ns = 0;
    session->blind_retry_ns = BLIND_RETRY_NS;
    session->last_input_ns = now_ns;
    session->told_input_ns = now_ns;
    um_quiet_attached(&session->quiet, seen_ns);
    command(session, UM_WIRE_PERIOD, 0, session->session.as.session.period_us);
    command(session, UM_WIRE_REST_PERIOD, 0, rest_us(session));
    command(session, UM_WIRE_BACKGROUND, 0, session->config.options->background);
    command(session, UM_WIRE_USE_RUNG, 0,
            session->climbs ? session->ladder.rung : session->config.options->rung);
    command(session, UM_WIRE_USE_PROBE, 0, session->config.options->probe);
    if (session->config.freeze)
        command(session, UM_WIRE_MAY_SUSPEND, 0, 1);
    if (session->config.options->interactions)
        command(session, UM_WIRE_WATCH_INPUT, 0,
                session->config.options->keep_keys ? UM_WATCH_INPUT_KEYS : UM_WATCH_INPUT_ON);
    if (session->probes_pool)
        command(session, UM_WIRE_PROBE_POOL, 0, 1);
    if (session->counts)
        command(session, UM_WIRE_COUNT_MESSAGES, 0, 1);
    if (session->traces)
        command(session, UM_WIRE_TRACE, 0, 1);
}

void um_session_trace(struct um_session *session, bool wanted)
{
    if (wanted == session->traces)
        return;
    session->traces = wanted;
    command(session, UM_WIRE_TRACE, 0, wanted);
}

void um_session_probe_pool(struct um_session *session, bool wanted)
{
    if (wanted == session->probes_pool)
        return;
    session->probes_pool = wanted;
    if (!wanted)
        um_starvation_forget(&session->starvation);
    command(session, UM_WIRE_PROBE_POOL, 0, wanted);
}

void um_session_count(struct um_session *session, bool wanted)
{
    if (wanted == session->counts)
        return;
    session->counts = wanted;
    if (!wanted)
        um_activity_forget(&session->activity);
    command(session, UM_WIRE_COUNT_MESSAGES, 0, wanted);
}

void um_session_detached(struct um_session *session, uint64_t now_ns)
{
    session->attached = false;
    um_starvation_forget(&session->starvation);
    um_activity_forget(&session->activity);
    um_quiet_detached(&session->quiet);
    um_retrieved_forget(&session->retrieved);
    session->past_cost.heartbeat_cpu_ns += session->cost.heartbeat_cpu_ns;
    session->past_cost.sender_cpu_ns += session->cost.sender_cpu_ns;
    session->past_cost.timed_calls += session->cost.timed_calls;
    session->past_cost.timed_ns += session->cost.timed_ns;
    memset(&session->cost, 0, sizeof session->cost);
    um_ladder_forget(&session->ladder);
    um_watchdog_detached(&session->watchdog, now_ns);
    um_interactions_detached(&session->interactions);
}

/* Says what the beats of the raw probe are, when one has been sent that is not as those before. A
 * pair that is only tried is not told. */
static void publish_rung(struct um_session *session, const struct um_wire_sent *sent)
{
    struct um_wire_rung *now = &session->rung.as.rung;
    bool tried = session->climbs && sent->rung != session->ladder.rung;
    if (sent->rung == UM_RUNG_AUTO || sent->rung == now->rung || tried)
        return;
    session->rung.type = UM_WIRE_RUNG;
    now->time_ns = sent->time_ns;
    now->rung = sent->rung;
    take_and_publish(session, &session->rung);
}

/* A beat was sent: the ladder judges the one before it. */
static void climb(struct um_session *session, const struct um_wire_sent *sent)
{
    if (!session->climbs || !session->beats_go_out || session->shielded)
        return;
    switch (um_ladder_sent(&session->ladder, sent->seq, (enum um_rung)sent->rung)) {
    case UM_LADDER_TRY:
        command(session, UM_WIRE_USE_RUNG, UM_WIRE_USE_RUNG_ONCE, UM_RUNG_PAIR);
        break;
    case UM_LADDER_CLIMB:
        command(session, UM_WIRE_USE_RUNG, 0, UM_RUNG_PAIR);
        session->blind_since_ns = 0; /* the pairs get their time before another probe is tried */
        break;
    default:
        break;
    }
}

static void on_sent(struct um_session *session, const struct um_wire_sent *sent)
{
    if (!session->begun)
        publish_session(session);
    climb(session, sent);
    publish_rung(session, sent);
}

static void on_probe(struct um_session *session, const struct um_wire_probe *probe)
{
    session->beats_go_out = probe->status == UM_PROBE_ACTIVE;
    um_ladder_forget(&session->ladder);
    publish_session(session);
}

/* What comes after the DLL was told to end is left out, and so is the time that the target was
 * suspended. */
static void on_pool_delay(struct um_session *session, const struct um_wire_frame *frame,
                          uint64_t now_ns)
{
    struct um_wire_frame delay = {.type = UM_WIRE_POOL_DELAY, .flags = frame->flags};
    struct um_wire_frame told;

    if (!session->probes_pool || session->stopped)
        return;
    delay.as.pool_delay = frame->as.pool_delay;
    delay.as.pool_delay.time_ns = um_ns_min(delay.as.pool_delay.time_ns, now_ns);
    uint64_t from_ns = um_ns_elapsed(delay.as.pool_delay.delay_ns, delay.as.pool_delay.time_ns);
    delay.as.pool_delay.delay_ns =
        um_watchdog_awake_ns(&session->watchdog, from_ns, delay.as.pool_delay.time_ns);
    um_starvation_take(&session->starvation, &delay, &told);
    take_and_publish(session, &told);
}

/* What comes after the DLL was told to end is left out. */
static void on_counted(struct um_session *session, const struct um_wire_counted *counted,
                       uint64_t now_ns)
{
    struct um_wire_counted now = *counted;
    struct um_wire_frame told;

    if (!session->counts || session->stopped)
        return;
    now.time_ns = um_ns_min(now.time_ns, now_ns);
    if (um_activity_take(&session->activity, &now, &told))
        take_and_publish(session, &told);
}

void um_session_frame(struct um_session *session, const struct um_wire_frame *frame,
                      uint64_t now_ns)
{
    struct um_wire_frame masked;

    /* What the DLL tells of a key although nobody asked goes nowhere. */
    if (frame->type == UM_WIRE_TAKEN && frame->as.taken.key &&
        !session->config.options->keep_keys) {
        masked = *frame;
        masked.as.taken.key = 0;
        frame = &masked;
    }
    session->heard_ns = now_ns;
    um_watchdog_frame(&session->watchdog, frame, now_ns);
    if (session->config.options->interactions && frame->type < UM_WIRE_STOP)
        um_interactions_frame(&session->interactions, frame, now_ns);
    um_quiet_frame(&session->quiet, frame);
    if (session->config.options->dump_dir)
        um_retrieved_frame(&session->retrieved, frame);
    switch (frame->type) {
    case UM_WIRE_TAKEN:
        if (frame->flags & UM_WIRE_TAKEN_INPUT)
            um_session_input(session, frame->as.taken.time_ns);
        break;
    case UM_WIRE_COST:
        session->cost = frame->as.cost;
        break;
    case UM_WIRE_SENT:
        on_sent(session, &frame->as.sent);
        break;
    case UM_WIRE_SEEN:
        um_ladder_seen(&session->ladder, frame->as.seen.seq);
        break;
    case UM_WIRE_PROBE:
        on_probe(session, &frame->as.probe);
        break;
    case UM_WIRE_POOL_DELAY:
        on_pool_delay(session, frame, now_ns);
        break;
    case UM_WIRE_COUNTED:
        on_counted(session, &frame->as.counted, now_ns);
        break;
    default:
        break;
    }
}

void um_session_control(struct um_session *session, uint32_t seq, uint64_t time_ns)
{
    um_watchdog_control(&session->watchdog, seq, time_ns);
    um_ladder_seen(&session->ladder, seq);
}

void um_session_shielded(struct um_session *session, bool shielded)
{
    if (shielded != session->shielded)
        um_ladder_forget(&session->ladder);
    session->shielded = shielded;
}

bool um_session_is_shielded(const struct um_session *session)
{
    return session->rung.as.rung.shielded != 0;
}

enum um_rung um_session_rung(const struct um_session *session)
{
    return (enum um_rung)session->rung.as.rung.rung;
}

void um_session_input(struct um_session *session, uint64_t time_ns)
{
    if (time_ns > session->last_input_ns)
        session->last_input_ns = time_ns;
}

void um_session_arrival(struct um_session *session, const struct um_arrival *arrival)
{
    if (session->config.options->interactions)
        um_interactions_arrived(&session->interactions, arrival);
}

void um_session_arrivals_lost(struct um_session *session, uint64_t lost)
{
    session->arrivals_lost = session->config.options->interactions ? lost : 0;
}

bool um_session_note(struct um_session *session, const char *text, uint64_t time_ns)
{
    struct um_wire_frame frame = {.type = UM_WIRE_NOTE};
    if (!session->begun || session->stopped)
        return false;
    frame.as.note.time_ns = time_ns;
    um_wire_set_text(frame.as.note.text, sizeof frame.as.note.text, text);
    publish(session, &frame);
    return true;
}

uint64_t um_session_quiet_since_ns(const struct um_session *session)
{
    return um_quiet_since_ns(&session->quiet);
}

uint64_t um_session_seen_ns(const struct um_session *session)
{
    return um_quiet_seen_ns(&session->quiet);
}

/* Pauses the beats when nobody has used the machine for a while, so that it can sleep and lock.
 * They go on at the first input. While a beat is unanswered there is no pause: a freeze is watched
 * to its end. */
static void pause_when_idle(struct um_session *session, const struct um_watchdog_view *view,
                            uint64_t now_ns)
{
    uint64_t pause_ns = ms_to_ns(1000.0 * session->config.options->idle_pause_s);
    uint64_t quiet_ns = now_ns > session->last_input_ns ? now_ns - session->last_input_ns : 0;
    bool pause = pause_ns && quiet_ns >= pause_ns;

    if (!session->attached || pause == session->paused || (pause && view->waited_ns))
        return;
    session->paused = pause;
    command(session, UM_WIRE_PAUSE, 0, pause);
}

/* A freeze that begins at rest is found at the next beat, and while somebody uses the machine that
 * should be soon. */
static void tell_of_input(struct um_session *session, uint64_t now_ns)
{
    bool rests = rest_us(session) > session->session.as.session.period_us;
    if (!session->attached || !rests || session->last_input_ns <= session->told_input_ns ||
        um_ns_elapsed(session->told_input_ns, now_ns) < TELL_INPUT_NS)
        return;
    session->told_input_ns = now_ns;
    command(session, UM_WIRE_FULL_RATE, 0, INPUT_MS);
}

/* Whether another probe may see what this one does not. If the system refuses beats (the lock
 * screen, a prompt on the secure desktop), it refuses those of the other probe too. What holds
 * beats back is over before long. */
static bool may_another_probe_see(const struct um_watchdog_view *view)
{
    return view->state == UM_STATE_BLIND && !view->held &&
           (view->probe_status == UM_PROBE_ACTIVE || view->probe_status == UM_PROBE_OFF_TARGET);
}

/* `auto` does not stay with a probe that sees nothing. From raw it goes to mouse, because the
 * target's loop may leave raw input out, and from mouse back to raw. The ladder of beats comes
 * first: it may find a kind of beat that raw input sees. */
static void retry_when_blind(struct um_session *session, const struct um_watchdog_view *view,
                             uint64_t now_ns)
{
    if (view->beats_seen != session->seen_count)
        session->blind_retry_ns = BLIND_RETRY_NS;
    session->seen_count = view->beats_seen;
    if (!may_another_probe_see(view) || !session->attached || session->shielded ||
        session->config.options->probe != UM_PROBE_AUTO) {
        session->blind_since_ns = 0;
        return;
    }
    if (session->blind_since_ns == 0)
        session->blind_since_ns = now_ns;
    if (now_ns - session->blind_since_ns < session->blind_retry_ns ||
        (session->climbs && um_ladder_is_climbing(&session->ladder)))
        return;
    session->blind_since_ns = 0;
    session->blind_retry_ns *= 2;
    if (session->blind_retry_ns > BLIND_RETRY_MAX_NS)
        session->blind_retry_ns = BLIND_RETRY_MAX_NS;
    bool was_raw = view->probe == UM_PROBE_RAW;
    command(session, UM_WIRE_USE_PROBE, UM_WIRE_USE_PROBE_BLIND,
            was_raw ? UM_PROBE_MOUSE : UM_PROBE_AUTO);
}

/* Names the reason for being blind, or takes it back. */
static void publish_blindness(struct um_session *session, const struct um_watchdog_view *view,
                              uint64_t now_ns)
{
    struct um_wire_rung *now = &session->rung.as.rung;
    bool blinds =
        session->shielded && view->state == UM_STATE_BLIND && view->probe_status == UM_PROBE_ACTIVE;

    uint8_t held = view->state == UM_STATE_BLIND ? view->held : UM_PROBE_HELD_NOT;

    if (blinds == (now->shielded != 0) && held == now->held)
        return;
    session->rung.type = UM_WIRE_RUNG;
    now->time_ns = now_ns;
    now->shielded = blinds;
    now->held = held;
    take_and_publish(session, &session->rung);
}

/* How many frames an output did not get, and how many inputs of the user's were lost. */
static uint64_t frames_lost(const struct um_session *session)
{
    uint64_t lost = session->arrivals_lost + um_interactions_lost(&session->interactions);
    return lost + um_feed_lost(session->config.outputs, session->config.output_count);
}

/* `view` is of `now_ns`. The STATUS is of `time_ns`: now, or the end of a slice before. */
static void publish_status(struct um_session *session, const struct um_watchdog_view *view,
                           uint64_t now_ns, uint64_t time_ns)
{
    struct um_wire_frame *frame = &session->status;
    /* What the beat had waited by the last MARK is taken for what it has waited by now. */
    uint64_t waited_ns = um_ns_elapsed(now_ns - time_ns, view->waited_ns);

    frame->type = UM_WIRE_STATUS;
    frame->as.status.state = view->state;
    frame->as.status.state_since_ns = view->state_since_ns;
    frame->as.status.lost = view->records_lost + frames_lost(session);
    frame->flags = um_stats_fill_status(session->stats, time_ns, waited_ns, &frame->as.status);
    publish(session, frame);
}

/* Precedes TOTALS, so that a recording that breaks off has both of the same moment. */
static void publish_sampling(struct um_session *session)
{
    struct um_wire_frame frame = {.type = UM_WIRE_SAMPLING};
    if (!session->config.sampling ||
        !session->config.sampling(session->config.context, &frame.as.sampling) ||
        frame.as.sampling.samples == session->sampling.as.sampling.samples)
        return;
    session->sampling = frame;
    take_and_publish(session, &frame);
}

/* What the session adds up to, for its summary and that of a recording. `view` is of `now_ns`. */
static void publish_totals(struct um_session *session, const struct um_watchdog_view *view,
                           uint64_t now_ns)
{
    const struct um_wire_cost *past = &session->past_cost;
    const struct um_wire_cost *cost = &session->cost;
    struct um_wire_totals totals = {
        .time_ns = now_ns,
        .duration_ns = view->duration_ns,
        .beats_sent = view->beats_sent,
        .beats_seen = view->beats_seen,
        .beats_lost = view->beats_lost,
        .beats_rested = view->beats_rested,
        .dropped = view->records_lost + frames_lost(session),
        .heartbeat_cpu_ns = past->heartbeat_cpu_ns + cost->heartbeat_cpu_ns,
        .sender_cpu_ns = past->sender_cpu_ns + cost->sender_cpu_ns,
        .timed_calls = past->timed_calls + cost->timed_calls,
        .timed_ns = past->timed_ns + cost->timed_ns,
    };
    publish_sampling(session);
    memcpy(totals.state_ns, view->state_ns, sizeof totals.state_ns);
    if (session->config.own_cost)
        session->config.own_cost(session->config.context, &totals.monitor_cpu_ns,
                                 &totals.overlay_cpu_ns);
    totals.monitor_cpu_ns = um_ns_elapsed(session->own_before_ns, totals.monitor_cpu_ns);
    session->totals.type = UM_WIRE_TOTALS;
    session->totals.as.totals = totals;
    publish(session, &session->totals);
    session->next_totals_ns = now_ns + TOTALS_NS;
}

/* Publishes a STATUS for each slice that has ended. After a sleep of the machine it is only one,
 * because nothing was measured in hours of slices. */
static void publish_slices(struct um_session *session, const struct um_watchdog_view *view,
                           uint64_t now_ns)
{
    uint64_t *next_ns = &session->next_status_ns;
    if (*next_ns == 0)
        *next_ns = um_stats_slice_end(session->stats, now_ns);
    if (*next_ns + BEHIND_NS < now_ns)
        *next_ns = um_stats_slice_end(session->stats, now_ns - UM_SLICE_NS + 1);
    while (*next_ns <= now_ns) {
        publish_status(session, view, now_ns, *next_ns);
        *next_ns = um_stats_slice_end(session->stats, *next_ns + 1);
    }
}

/* When the messages before the freeze that lasts are to be told; UINT64_MAX: there is none. */
static uint64_t tell_messages_ns(const struct um_session *session)
{
    return session->freeze
               ? session->freeze_since_ns + ms_to_ns(session->config.options->dump_over_ms)
               : UINT64_MAX;
}

/* Tells the messages before a freeze that has become a long one, and then that it lasts. */
static void tell_messages(struct um_session *session, const struct um_watchdog_view *view,
                          uint64_t now_ns)
{
    struct um_wire_frame frame;
    struct um_wire_retrieved *message = &frame.as.retrieved;

    if (now_ns < tell_messages_ns(session) || !um_wire_state_is_freeze(view->state))
        return;
    for (size_t i = 0; i < um_retrieved_count(&session->retrieved); i++) {
        um_retrieved_get(&session->retrieved, i, now_ns, &frame);
        message->freeze = session->freeze;
        um_wire_set_text(message->message_name, sizeof message->message_name,
                         name_message(session, message->message));
        if (!session->config.window_class(session->config.context, message->hwnd,
                                          message->window_class, sizeof message->window_class))
            message->window_class[0] = '\0';
        publish(session, &frame);
    }
    session->freeze = 0;
    publish_status(session, view, now_ns, now_ns);
}

void um_session_tick(struct um_session *session, uint64_t now_ns)
{
    struct um_watchdog_view view;

    um_watchdog_tick(&session->watchdog, now_ns);
    um_watchdog_view(&session->watchdog, now_ns, &view);
    pause_when_idle(session, &view, now_ns);
    tell_of_input(session, now_ns);
    retry_when_blind(session, &view, now_ns);
    um_quiet_tick(&session->quiet, &view, now_ns);
    if (!session->begun || session->stopped)
        return;
    um_interactions_settle(&session->interactions, now_ns);
    publish_blindness(session, &view, now_ns);
    publish_slices(session, &view, now_ns);
    if (view.state != session->status.as.status.state)
        publish_status(session, &view, now_ns, now_ns);
    tell_messages(session, &view, now_ns);
    /* While the DLL is silent, as when the machine was asleep, it is not known yet what the time is
     * to be counted as. */
    if (now_ns >= session->next_totals_ns && um_ns_elapsed(session->heard_ns, now_ns) < SILENT_NS)
        publish_totals(session, &view, now_ns);
}

uint64_t um_session_deadline(const struct um_session *session, uint64_t now_ns)
{
    uint64_t deadline_ns = um_watchdog_deadline(&session->watchdog, now_ns);
    if (session->next_status_ns > now_ns && session->next_status_ns < deadline_ns)
        deadline_ns = session->next_status_ns;
    uint64_t tell_ns = tell_messages_ns(session);
    return tell_ns > now_ns ? um_ns_min(deadline_ns, tell_ns) : deadline_ns;
}

uint64_t um_session_waited_ns(const struct um_session *session, uint64_t now_ns)
{
    struct um_watchdog_view view;
    um_watchdog_view(&session->watchdog, now_ns, &view);
    return view.waited_ns;
}

uint64_t um_session_duration_ns(const struct um_session *session, uint64_t now_ns)
{
    struct um_watchdog_view view;
    um_watchdog_view(&session->watchdog, now_ns, &view);
    return view.duration_ns;
}

bool um_session_status(const struct um_session *session, struct um_wire_status *status,
                       uint8_t *flags)
{
    if (session->status.type != UM_WIRE_STATUS)
        return false;
    *status = session->status.as.status;
    *flags = session->status.flags;
    return true;
}

void um_session_add(struct um_session *session, const struct um_wire_frame *frame)
{
    if (session->begun && !session->stopped)
        take_and_publish(session, frame);
}

void um_session_halt(struct um_session *session, uint64_t now_ns)
{
    if (session->halted)
        return;
    um_watchdog_stop(&session->watchdog, now_ns);
    session->halted = true;
    if (session->begun)
        um_interactions_stop(&session->interactions);
}

void um_session_stop(struct um_session *session, uint64_t now_ns, enum um_end_reason reason)
{
    struct um_wire_frame end = {.type = UM_WIRE_END};
    struct um_watchdog_view view;

    if (session->stopped)
        return;
    um_session_halt(session, now_ns);
    session->stopped = true;
    if (session->begun) {
        um_watchdog_view(&session->watchdog, now_ns, &view);
        publish_status(session, &view, now_ns, now_ns);
        publish_totals(session, &view, now_ns);
    }
    end.as.end.time_ns = now_ns;
    end.as.end.reason = (uint8_t)reason;
    publish(session, &end);
}

bool um_session_summary(const struct um_session *session, struct um_summary *summary)
{
    if (session->totals.type != UM_WIRE_TOTALS)
        return false;
    um_summary_fill(summary, &session->session.as.session, &session->totals.as.totals,
                    session->stats);
    return true;
}
