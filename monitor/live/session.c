#include "monitor/live/session.h"

#include <stdlib.h>
#include <string.h>

#include "base/plain/clock.h"
#include "base/plain/slice.h"
#include "base/plain/text.h"
#include "base/message_names.h"
#include "base/ns.h"
#include "base/utf8.h"
#include "monitor/live/early.h"
#include "monitor/measure/retrieved.h"
#include "monitor/measure/activity.h"
#include "monitor/measure/beat_load.h"
#include "monitor/measure/starvation.h"

/* `auto` tries another probe after this long without sight, and after twice as long each time. */
#define BLIND_RETRY_NS UM_CLOCK_NS_PER_S
#define BLIND_RETRY_MAX_NS (30 * UM_CLOCK_NS_PER_S)
#define BEHIND_NS UM_CLOCK_NS_PER_S /* slices that ended longer ago get no STATUS */
#define TOTALS_NS UM_CLOCK_NS_PER_S
#define SILENT_NS (2 * UM_CLOCK_NS_PER_S) /* a DLL that runs sends frames more often */
#define RECOVERED_MS 20 /* a thread pool has recovered when an item runs in less than this */

/* While the user's input arrives, and for a second after it, a thread at rest gets beats at the
 * full rate. The command for that is sent four times a second. */
#define INPUT_MS 1000
#define SEND_INPUT_NS (250 * UM_CLOCK_NS_PER_MS)

static const enum um_wire_type wishes[UM_SESSION_WISHES] = {
    [UM_SESSION_POOL] = UM_WIRE_PROBE_POOL,    [UM_SESSION_COUNTS] = UM_WIRE_COUNT_MESSAGES,
    [UM_SESSION_TRACES] = UM_WIRE_TRACE,       [UM_SESSION_TRACE_EVENTS] = UM_WIRE_TRACE_EVENTS_ON,
    [UM_SESSION_METHODS] = UM_WIRE_METHODS_ON, [UM_SESSION_LAYOUT] = UM_WIRE_LAYOUT,
};

struct um_session {
    struct um_session_config config;
    struct um_watchdog watchdog;
    struct um_interactions interactions;
    struct um_idle_detection quiet;
    struct um_ladder ladder;
    struct um_beat_load load; /* how far apart beats must be, because of what they cause */
    struct um_starvation starvation;
    struct um_retrieved retrieved; /* empty without --dump-dir */
    struct um_activity activity;
    struct um_stats *stats;
    struct um_wire_frame session;   /* SESSION; published from when measuring has begun */
    struct um_wire_frame status;    /* the latest STATUS */
    bool known;                     /* something was known of the target */
    struct um_wire_frame totals;    /* the latest TOTALS */
    struct um_wire_frame sampling;  /* the latest SAMPLING; its samples are 0 before the first */
    struct um_wire_frame beat_kind; /* the latest BEAT_KIND; its type is 0 before the first */
    struct um_wire_cost cost;       /* of the present connection */
    struct um_wire_cost past_cost;  /* of earlier ones */
    char suspect_class[128];        /* of the present episode, asked for at its begin */
    uint32_t named_message;         /* the last registered message that was a suspect */
    char message_name[64];          /* its name */
    uint64_t own_before_ns;         /* the monitor's CPU time before measuring began */
    uint64_t last_input_ns;
    uint64_t paused_input_ns; /* the last input when the beats were paused */
    uint64_t resumed_ns;      /* when they last went on */
    uint64_t blind_since_ns;  /* 0: not blind, or just tried again */
    uint64_t blind_retry_ns;  /* how long to be blind before the next try */
    uint64_t seen_count;      /* beats seen up to the last tick */
    uint32_t blind_told;      /* reasons to be blind: a bit for each enum um_probe_held */
    uint64_t next_status_ns;
    uint64_t next_totals_ns;
    uint64_t heard_ns;      /* when the last frame of the DLL came */
    uint64_t input_sent_ns; /* when UM_WIRE_FULL_RATE was last sent */
    uint64_t arrivals_lost;
    uint64_t freeze_since_ns; /* of the present freeze */
    uint32_t freeze;          /* its id; 0: there is none, or its messages were published */
    bool begun;
    struct um_early early; /* before it has begun */
    bool attached;
    bool paused; /* by the last command to the DLL */
    bool wants[UM_SESSION_WISHES];
    bool halted;       /* measuring is over */
    bool stopped;      /* the session is over */
    bool climbs;       /* the ladder may choose the beats */
    bool beats_go_out; /* by the DLL's last PROBE */
    bool shielded;     /* a window of a higher integrity level is in front */
};

/* From beat to beat while the UI thread rests. */
static uint32_t rest_us(const struct um_session *session)
{
    return (uint32_t)(um_options_rest_ms(session->config.options) * 1e3 + 0.5);
}

static void publish(struct um_session *session, const struct um_wire_frame *frame)
{
    um_feed_publish(session->config.outputs, session->config.output_count, frame);
}

/* Drops frames before SESSION, which must be the first. A DLL whose times are 0 never gets so
 * far. */
static void take_and_publish(void *context, const struct um_wire_frame *frame)
{
    struct um_session *session = context;

    if (!session->begun)
        return;
    um_stats_frame(session->stats, frame);
    publish(session, frame);
}

/* From beat to beat, whatever the UI thread does; 0: as often as else. */
static uint32_t spared_us(const struct um_session *session)
{
    return (uint32_t)(session->load.spare_ns / UM_CLOCK_NS_PER_US);
}

/* The longer of the two. */
static uint32_t apart_at_rest_us(const struct um_session *session)
{
    return rest_us(session) > spared_us(session) ? rest_us(session) : spared_us(session);
}

static void publish_pace(struct um_session *session)
{
    struct um_wire_frame frame = {.type = UM_WIRE_PACE};
    frame.as.pace.rest_us = apart_at_rest_us(session);
    frame.as.pace.spared_us = spared_us(session);
    if (session->config.options->background != UM_BACKGROUND_FULL)
        frame.as.pace.background_us = session->config.options->background == UM_BACKGROUND_REST
                                          ? apart_at_rest_us(session)
                                          : UM_WIRE_PACE_NEVER;
    take_and_publish(session, &frame);
}

/* Publishes SESSION once measuring has begun, and again when it changes. */
static void publish_session(struct um_session *session)
{
    struct um_wire_session *now = &session->session.as.session;
    struct um_watchdog_view view;
    bool first = !session->begun;

    um_watchdog_view(&session->watchdog, 0, &view);
    if (view.started_ns == 0)
        return;
    if (first) {
        int64_t ago_ms = (int64_t)((session->heard_ns - view.started_ns) / UM_CLOCK_NS_PER_MS);
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
    um_early_flush(&session->early, take_and_publish, session);
}

/* The name of a registered message, without control characters, or "". */
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
    um_text_set(episode->message_name, sizeof episode->message_name,
                name_message(session, episode->message));
    if (!session->config.window_class(session->config.context, episode->hwnd, episode->window_class,
                                      sizeof episode->window_class))
        um_text_set(episode->window_class, sizeof episode->window_class, session->suspect_class);
    if (frame->flags & UM_WIRE_EPISODE_END)
        session->suspect_class[0] = 0;
    else
        um_text_set(session->suspect_class, sizeof session->suspect_class, episode->window_class);
}

/* Reports a freeze that has ended, so that its stacks and its costliest message are published. */
static void report_freeze(struct um_session *session, const struct um_wire_frame *frame)
{
    bool is_over = frame->flags & UM_WIRE_EPISODE_END && !(frame->flags & UM_WIRE_EPISODE_VOID);
    if (!is_over || !um_wire_state_is_freeze(frame->as.episode.state))
        return;
    if (session->config.freeze)
        session->config.freeze(session->config.context, frame);
    if (session->config.freeze_over)
        session->config.freeze_over(session->config.context, frame);
}

/* Notes which freeze lasts, if the messages before it may have to be published. */
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

/* Takes a BEAT, REST, GAP or EPISODE of the watchdog. */
static void on_conclusion(void *context, const struct um_wire_frame *frame)
{
    struct um_session *session = context;
    struct um_wire_frame named;

    if (!session->begun)
        publish_session(session);
    um_idle_detection_frame(&session->quiet, frame);
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
    report_freeze(session, frame);
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
    struct um_interactions_output interactions_output = {session, on_interaction};
    const struct um_beats *beats = um_watchdog_beats(&session->watchdog);
    um_interactions_init(&session->interactions, beats, &interactions_output);
    um_idle_detection_init(&session->quiet, watchdog.slow_ns, beats);
    um_ladder_init(&session->ladder);
    double recovered_ms = options->threadpool_starved_ms < RECOVERED_MS
                              ? options->threadpool_starved_ms
                              : RECOVERED_MS;
    um_starvation_init(&session->starvation, ms_to_ns(options->threadpool_starved_ms),
                       ms_to_ns(recovered_ms));
    session->climbs = config->control && options->beat_kind == UM_BEAT_KIND_AUTO;

    session->session.type = UM_WIRE_SESSION;
    struct um_wire_session *describe = &session->session.as.session;
    describe->period_us = (uint32_t)(stats.period_ns / UM_CLOCK_NS_PER_US);
    describe->threshold_us = (uint32_t)(stats.threshold_ns / UM_CLOCK_NS_PER_US);
    describe->slow_us = (uint32_t)(watchdog.slow_ns / UM_CLOCK_NS_PER_US);
    um_text_set(describe->caption, sizeof describe->caption, options->caption);
    *session_out = session;
    return UM_OK;
}

void um_session_close(struct um_session *session)
{
    if (!session)
        return;
    um_stats_close(session->stats);
    um_early_close(&session->early);
    free(session);
}

void um_session_target(struct um_session *session, const struct um_target_info *target)
{
    struct um_wire_session *describe = &session->session.as.session;
    describe->hwnd = target->hwnd;
    describe->pid = target->pid;
    describe->tid = target->tid;
    describe->bits = target->bits;
    um_text_set(describe->name, sizeof describe->name, target->name);
    um_text_set(describe->title, sizeof describe->title, target->title);
    um_text_set(describe->toolkit, sizeof describe->toolkit, target->toolkit);
    if (session->begun)
        publish_session(session);
}

/* What the command for a wish says that is switched on. */
static uint32_t wish_value(const struct um_session *session, size_t wish)
{
    return wish == UM_SESSION_TRACE_EVENTS ? um_session_trace_events(session->config.options) : 1;
}

void um_session_attached(struct um_session *session, uint64_t seen_ns, uint64_t now_ns)
{
    session->attached = true;
    session->paused = false;
    session->blind_since_ns = 0;
    session->blind_retry_ns = BLIND_RETRY_NS;
    session->last_input_ns = now_ns;
    session->input_sent_ns = now_ns;
    um_idle_detection_attached(&session->quiet, seen_ns);
    command(session, UM_WIRE_PERIOD, 0, session->session.as.session.period_us);
    command(session, UM_WIRE_REST_PERIOD, 0, rest_us(session));
    command(session, UM_WIRE_SPARE, 0, spared_us(session));
    command(session, UM_WIRE_BACKGROUND, 0, session->config.options->background);
    command(session, UM_WIRE_USE_BEAT_KIND, 0,
            session->climbs ? session->ladder.beat_kind : session->config.options->beat_kind);
    command(session, UM_WIRE_USE_PROBE, 0, session->config.options->probe);
    if (session->config.freeze)
        command(session, UM_WIRE_MAY_SUSPEND, 0, 1);
    if (session->config.options->interactions)
        command(session, UM_WIRE_WATCH_INPUT, 0,
                session->config.options->keep_keys ? UM_WATCH_INPUT_KEYS : UM_WATCH_INPUT_ON);
    for (size_t i = 0; i < UM_SESSION_WISHES; i++)
        if (session->wants[i])
            command(session, wishes[i], 0, wish_value(session, i));
}

void um_session_want(struct um_session *session, enum um_session_wish wish, bool wanted)
{
    if (wanted == session->wants[wish])
        return;
    session->wants[wish] = wanted;
    if (wish == UM_SESSION_POOL && !wanted)
        um_starvation_forget(&session->starvation);
    if (wish == UM_SESSION_COUNTS && !wanted)
        um_activity_forget(&session->activity);
    command(session, wishes[wish], 0, wanted ? wish_value(session, wish) : 0);
}

void um_session_detached(struct um_session *session, uint64_t now_ns)
{
    session->attached = false;
    um_starvation_forget(&session->starvation);
    um_activity_forget(&session->activity);
    um_idle_detection_detached(&session->quiet);
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

/* Publishes the kind of the raw probe's beats when it has changed. A beat that the ladder only
 * tries is left out. */
static void publish_beat_kind(struct um_session *session, const struct um_wire_sent *sent)
{
    struct um_wire_beat_kind *now = &session->beat_kind.as.beat_kind;
    bool tried = session->climbs && sent->beat_kind != session->ladder.beat_kind;
    if (sent->beat_kind == UM_BEAT_KIND_AUTO || sent->beat_kind == now->kind || tried)
        return;
    session->beat_kind.type = UM_WIRE_BEAT_KIND;
    now->time_ns = sent->time_ns;
    now->kind = sent->beat_kind;
    take_and_publish(session, &session->beat_kind);
}

/* Does what the ladder says. */
static void climb(struct um_session *session, enum um_ladder_step step)
{
    switch (step) {
    case UM_LADDER_TRY:
        command(session, UM_WIRE_USE_BEAT_KIND, UM_WIRE_USE_BEAT_KIND_ONCE, session->ladder.tried);
        break;
    case UM_LADDER_CLIMB:
        command(session, UM_WIRE_USE_BEAT_KIND, 0, session->ladder.beat_kind);
        session->blind_since_ns = 0; /* give these beats time before another probe is tried */
        break;
    default:
        break;
    }
}

static void on_sent(struct um_session *session, const struct um_wire_sent *sent)
{
    if (!session->begun)
        publish_session(session);
    if (session->climbs && session->beats_go_out && !session->shielded)
        climb(session,
              um_ladder_sent(&session->ladder, sent->seq, (enum um_beat_kind)sent->beat_kind));
    publish_beat_kind(session, sent);
}

static void on_probe(struct um_session *session, const struct um_wire_probe *probe)
{
    session->beats_go_out = probe->status == UM_PROBE_ACTIVE;
    um_ladder_forget(&session->ladder);
    if (session->climbs && probe->probe == UM_PROBE_RAW && probe->status == UM_PROBE_REFUSED)
        climb(session, um_ladder_refused(&session->ladder));
    publish_session(session);
}

/* Leaves out what comes after the DLL was asked to end, what had ended before measuring began, and
 * the time that the target was suspended. */
static void on_pool_delay(struct um_session *session, const struct um_wire_frame *frame,
                          uint64_t now_ns)
{
    struct um_wire_frame delay = {.type = UM_WIRE_POOL_DELAY, .flags = frame->flags};
    struct um_wire_frame judged;

    if (!session->wants[UM_SESSION_POOL] || session->stopped)
        return;
    delay.as.pool_delay = frame->as.pool_delay;
    delay.as.pool_delay.time_ns = um_ns_min(delay.as.pool_delay.time_ns, now_ns);
    if (!session->begun || delay.as.pool_delay.time_ns < session->session.as.session.start_ns)
        return;
    uint64_t from_ns = um_ns_elapsed(delay.as.pool_delay.delay_ns, delay.as.pool_delay.time_ns);
    delay.as.pool_delay.delay_ns =
        um_watchdog_awake_ns(&session->watchdog, from_ns, delay.as.pool_delay.time_ns);
    um_starvation_take(&session->starvation, &delay, &judged);
    take_and_publish(session, &judged);
}

/* Leaves out what comes after the DLL was asked to end. */
static void on_counted(struct um_session *session, const struct um_wire_counted *counted,
                       uint64_t now_ns)
{
    struct um_wire_counted now = *counted;
    struct um_wire_frame activity;

    if (!session->wants[UM_SESSION_COUNTS] || session->stopped)
        return;
    now.time_ns = um_ns_min(now.time_ns, now_ns);
    if (um_activity_take(&session->activity, &now, &activity))
        take_and_publish(session, &activity);
}

void um_session_frame(struct um_session *session, const struct um_wire_frame *frame,
                      uint64_t now_ns)
{
    struct um_wire_frame masked;

    /* Key codes that nobody asked for are removed before any module or output gets the frame. */
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
    um_idle_detection_frame(&session->quiet, frame);
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

uint32_t um_session_spared_us(const struct um_session *session)
{
    return spared_us(session);
}

const struct um_wire_beat_kind *um_session_beat_kind(const struct um_session *session)
{
    return &session->beat_kind.as.beat_kind;
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
    um_text_set(frame.as.note.text, sizeof frame.as.note.text, text);
    publish(session, &frame);
    return true;
}

uint64_t um_session_quiet_since_ns(const struct um_session *session)
{
    return um_idle_detection_since_ns(&session->quiet);
}

uint64_t um_session_seen_ns(const struct um_session *session)
{
    return um_idle_detection_seen_ns(&session->quiet);
}

/* Pauses the beats when nobody has used the machine for a while, so that it can sleep and lock.
 * They continue at the first input. While a beat is unanswered there is no pause, so that a freeze
 * is measured to its end. */
static void pause_when_idle(struct um_session *session, const struct um_watchdog_view *view,
                            uint64_t now_ns)
{
    uint64_t pause_ns = ms_to_ns(1000.0 * session->config.options->idle_pause_s);
    uint64_t used_ns = um_ns_max(session->last_input_ns, session->resumed_ns);
    bool is_idle = pause_ns && um_ns_elapsed(used_ns, now_ns) >= pause_ns;
    bool is_used = session->paused && session->last_input_ns > session->paused_input_ns;
    bool pause = is_idle && !is_used;

    if (!session->attached || pause == session->paused || (pause && view->waited_ns))
        return;
    session->paused = pause;
    session->paused_input_ns = session->last_input_ns;
    if (!pause)
        session->resumed_ns = now_ns;
    command(session, UM_WIRE_PAUSE, 0, pause);
}

/* Asks for beats at the full rate while somebody uses the machine: a freeze that begins at rest is
 * found only at the next beat. */
static void send_input(struct um_session *session, uint64_t now_ns)
{
    bool rests = rest_us(session) > session->session.as.session.period_us;
    if (!session->attached || !rests || session->last_input_ns <= session->input_sent_ns ||
        um_ns_elapsed(session->input_sent_ns, now_ns) < SEND_INPUT_NS)
        return;
    session->input_sent_ns = now_ns;
    command(session, UM_WIRE_FULL_RATE, 0, INPUT_MS);
}

/* Whether another probe may see what this one does not. If the system refuses beats (the lock
 * screen, a prompt on the secure desktop), it refuses those of the other probe too. Beats that are
 * held back continue before long. */
static bool may_another_probe_see(const struct um_watchdog_view *view)
{
    return view->state == UM_STATE_BLIND && !view->held &&
           (view->probe_status == UM_PROBE_ACTIVE || view->probe_status == UM_PROBE_OFF_TARGET);
}

/* With `auto`, replaces a probe that sees nothing: raw by mouse, because the target's loop may skip
 * raw input, and mouse by raw. The ladder of beats comes first, because it may find a kind of beat
 * that raw input sees. */
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

/* Lets beats go out more seldom where they make the target work too much. */
static void spare_target(struct um_session *session, const struct um_watchdog_view *view,
                         uint64_t now_ns)
{
    if (!um_beat_load_take(&session->load, now_ns, view->beats_seen, view->own_beats_ns))
        return;
    const struct um_wire_session *now = &session->session.as.session;
    command(session, UM_WIRE_SPARE, 0, spared_us(session));
    um_watchdog_set_period(&session->watchdog, now->period_us * UM_CLOCK_NS_PER_US,
                           apart_at_rest_us(session) * UM_CLOCK_NS_PER_US);
    publish_pace(session);
}

static void publish_held(struct um_session *session, bool shielded, uint8_t held, uint64_t now_ns)
{
    struct um_wire_beat_kind *now = &session->beat_kind.as.beat_kind;
    session->beat_kind.type = UM_WIRE_BEAT_KIND;
    now->time_ns = now_ns;
    now->shielded = shielded;
    now->held = held;
    take_and_publish(session, &session->beat_kind);
}

/* Each reason to be blind is told once at least: now, or when the time is known to have been so. */
static void publish_blindness(struct um_session *session, const struct um_watchdog_view *view,
                              uint64_t now_ns)
{
    const struct um_wire_beat_kind *now = &session->beat_kind.as.beat_kind;
    bool blinds =
        session->shielded && view->state == UM_STATE_BLIND && view->probe_status == UM_PROBE_ACTIVE;
    uint8_t held = blinds ? UM_PROBE_HELD_NOT : view->blind_by;

    session->blind_told |= UINT32_C(1) << view->blind_by;
    for (unsigned was = UM_PROBE_HELD_NOT + 1; was < UM_PROBE_HELD_COUNT; was++)
        if (view->blind_was_by & ~session->blind_told & UINT32_C(1) << was)
            publish_held(session, now->shielded != 0, (uint8_t)was, now_ns);
    session->blind_told |= view->blind_was_by;
    if (blinds != (now->shielded != 0) || held != now->held)
        publish_held(session, blinds, held, now_ns);
}

/* Frames that an output did not get, and the user's inputs that were lost. */
static uint64_t frames_lost(const struct um_session *session)
{
    uint64_t lost = session->arrivals_lost + um_interactions_lost(&session->interactions);
    return lost + um_feed_lost(session->config.outputs, session->config.output_count);
}

/* The STATUS is of `time_ns`: when the view was taken, or the end of a slice before. */
static void publish_status(struct um_session *session, const struct um_watchdog_view *view,
                           uint64_t time_ns)
{
    struct um_wire_frame *frame = &session->status;
    /* What the beat had waited by the last DRAINED is taken for what it had waited later, too. */
    uint64_t waited_ns = um_ns_elapsed(um_ns_elapsed(time_ns, view->waited_at_ns), view->waited_ns);

    frame->type = UM_WIRE_STATUS;
    frame->as.status.state = view->state;
    frame->as.status.state_since_ns = view->state_since_ns;
    frame->as.status.lost = view->records_lost + frames_lost(session);
    frame->flags = um_stats_fill_status(session->stats, time_ns, waited_ns, &frame->as.status);
    publish(session, frame);
}

/* SAMPLING precedes TOTALS, so that a recording that breaks off has both of the same moment. */
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
        .own_beats_ns = view->own_beats_ns,
        .observes = session->config.options->interactions && session->config.arrivals,
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
    take_and_publish(session, &session->totals);
    session->next_totals_ns = now_ns + TOTALS_NS;
}

/* Publishes a STATUS for each slice that has ended; after a sleep of the machine only one. */
static void publish_slices(struct um_session *session, const struct um_watchdog_view *view,
                           uint64_t now_ns)
{
    uint64_t *next_ns = &session->next_status_ns;
    if (*next_ns == 0)
        *next_ns = um_stats_slice_end(session->stats, now_ns);
    if (*next_ns + BEHIND_NS < now_ns)
        *next_ns = um_stats_slice_end(session->stats, now_ns - UM_SLICE_NS + 1);
    while (*next_ns <= now_ns) {
        publish_status(session, view, *next_ns);
        *next_ns = um_stats_slice_end(session->stats, *next_ns + 1);
    }
}

/* When the messages before the present freeze are to be published; UINT64_MAX: there is none. */
static uint64_t messages_due_ns(const struct um_session *session)
{
    return session->freeze
               ? session->freeze_since_ns + ms_to_ns(session->config.options->dump_over_ms)
               : UINT64_MAX;
}

/* Publishes the messages before a freeze that has become a long one, and then a STATUS. */
static void publish_messages(struct um_session *session, const struct um_watchdog_view *view,
                             uint64_t now_ns)
{
    struct um_wire_frame frame;
    struct um_wire_retrieved *message = &frame.as.retrieved;

    if (now_ns < messages_due_ns(session) || !um_wire_state_is_freeze(view->state))
        return;
    for (size_t i = 0; i < um_retrieved_count(&session->retrieved); i++) {
        um_retrieved_get(&session->retrieved, i, now_ns, &frame);
        message->freeze = session->freeze;
        um_text_set(message->message_name, sizeof message->message_name,
                    name_message(session, message->message));
        if (!session->config.window_class(session->config.context, message->hwnd,
                                          message->window_class, sizeof message->window_class))
            message->window_class[0] = '\0';
        publish(session, &frame);
    }
    session->freeze = 0;
    publish_status(session, view, now_ns);
}

void um_session_tick(struct um_session *session, uint64_t now_ns)
{
    struct um_watchdog_view view;

    um_watchdog_tick(&session->watchdog, now_ns);
    um_watchdog_view(&session->watchdog, now_ns, &view);
    pause_when_idle(session, &view, now_ns);
    send_input(session, now_ns);
    retry_when_blind(session, &view, now_ns);
    spare_target(session, &view, now_ns);
    um_idle_detection_tick(&session->quiet, &view, now_ns);
    if (!session->begun || session->stopped)
        return;
    um_interactions_settle(&session->interactions, now_ns);
    publish_blindness(session, &view, now_ns);
    session->known |= view.state != UM_STATE_UNKNOWN;
    if (session->known) {
        publish_slices(session, &view, now_ns);
        if (view.state != session->status.as.status.state)
            publish_status(session, &view, now_ns);
    }
    publish_messages(session, &view, now_ns);
    /* While the DLL is silent, as when the machine was asleep, the state of that time is not known
     * yet. */
    if (now_ns >= session->next_totals_ns && um_ns_elapsed(session->heard_ns, now_ns) < SILENT_NS)
        publish_totals(session, &view, now_ns);
}

uint64_t um_session_deadline(const struct um_session *session, uint64_t now_ns)
{
    uint64_t deadline_ns = um_watchdog_deadline(&session->watchdog, now_ns);
    if (session->next_status_ns > now_ns && session->next_status_ns < deadline_ns)
        deadline_ns = session->next_status_ns;
    uint64_t due_ns = messages_due_ns(session);
    return due_ns > now_ns ? um_ns_min(deadline_ns, due_ns) : deadline_ns;
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
    else if (!session->stopped)
        um_early_put(&session->early, frame);
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
        publish_blindness(session, &view, now_ns);
        if (session->known || view.state != UM_STATE_UNKNOWN)
            publish_status(session, &view, now_ns);
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
