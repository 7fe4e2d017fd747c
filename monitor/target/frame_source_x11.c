/* The source of frames on X11: beats are pings of the window manager's protocol (_NET_WM_PING,
 * Extended Window Manager Hints 1.5), which the thread of the target's window answers when it
 * handles its events. Nothing is loaded into the target, and nothing else of it is seen: no
 * messages, no boundaries, no paints.
 *
 * A thread of this file sends one beat at a time and stamps its answer. When a ping waits, a window
 * of this file's own is pinged, too: if the answer of that one comes, the server and its manager
 * let answers through, and the target itself is late. Whether a late target is frozen, or does not
 * answer pings, is told by what pings.h says.
 *
 * Whether the target's thread rests is told by how often it has gone to wait (process_posix.h).
 * What it does when it runs is not known, and in a freeze it may wait, too. So it is looked at
 * SETTLED_NS after its answer: if it waits again, and has gone to wait no more often than an answer
 * itself makes it, it is taken to rest until it has run. Then the next beat is due, and a freeze
 * has begun since the last look. If it has not run when a beat is due at last, a freeze may be as
 * old as the answer: what began in the same moment has not made the thread wait once more. A thread
 * that is found otherwise gets its next beat after one period.
 */
#include "monitor/target/frame_source.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/ns.h"
#include "base/plain/clock.h"
#include "base/plain/pace.h"
#include "base/plain/text.h"
#include "base/thread.h"
#include "monitor/target/display_x11.h"
#include "monitor/target/pings.h"
#include "monitor/target/process_posix.h"
#include "monitor/target/target_x11.h"

#define EVENTS 256                           /* between two reads */
#define PERIOD_NS (10 * UM_CLOCK_NS_PER_MS)  /* until the monitor says otherwise */
#define WAITING_NS (5 * UM_CLOCK_NS_PER_MS)  /* from DRAINED to DRAINED while a beat is out */
#define LATE_NS (100 * UM_CLOCK_NS_PER_MS)   /* a look after this long is late */
#define RESTING_NS (50 * UM_CLOCK_NS_PER_MS) /* the same otherwise */
#define SETTLED_NS UM_CLOCK_NS_PER_MS        /* after an answer its thread is looked at */
#define CONTROL_NS (20 * UM_CLOCK_NS_PER_MS) /* a beat waits for so long: is the way open? */
#define ENDING_NS (2 * UM_CLOCK_NS_PER_S)    /* a process that ends takes no longer */
#define SHUT_NS (30 * UM_CLOCK_NS_PER_MS)    /* our own answer is this late: the way is shut */
#define SERVER_NS UM_CLOCK_NS_PER_S          /* the server answers within this, or it hangs */
#define SIGNS 100  /* of life at most that are made up for: they and the PROBE fit among EVENTS */
#define ANSWERS 20 /* after so many it is known what one of them costs */
#define RUNNING (UINT64_C(1) << 63) /* no number of switches */

struct event {
    uint8_t type;
    union {
        struct um_wire_sent sent;
        struct um_wire_seen seen;
        struct um_wire_probe probe;
        struct um_wire_drained drained;
    } as;
};

/* What the monitor has asked for. */
struct asked {
    uint64_t period_ns;
    uint64_t rest_ns;
    uint64_t full_until_ns;
    enum um_background background;
    uint32_t abandoned; /* a beat's number; 0: none */
    bool paused;
    bool stop;
};

struct um_frame_source {
    struct um_display display;
    xcb_window_t window; /* the target's */
    xcb_window_t own;    /* for the control */
    const struct um_target_process *process;
    uint32_t pid;
    int wake;                        /* an eventfd */
    struct um_process_threads looks; /* at the target's thread */
    uint64_t asked_ns;
    struct um_thread thread;

    /* Of the thread alone. */
    struct um_pace pace;
    struct asked now;          /* a copy */
    struct um_wire_probe said; /* the last PROBE */
    uint64_t epoch_ns;         /* when the server's clock showed `epoch_ms` */
    uint32_t epoch_ms;
    uint32_t tag;              /* of the last ping */
    struct um_pings pings;     /* to the target */
    struct um_wire_sent trial; /* a beat that was not told yet; time 0: it was, or none is out */
    uint64_t due_ns;           /* the next look whether a beat is due */
    uint64_t drained_ns;       /* the last DRAINED */
    uint64_t waits;            /* of the target's thread when the last beat was sent */
    uint64_t least_waits;      /* that an answer has cost it */
    unsigned answers_seen;     /* of those, up to ANSWERS */
    uint32_t control_tag;      /* of the last ping to our own window */
    uint64_t control_ns;       /* when it was sent; 0: no such ping is out */
    uint64_t passed_ns;        /* when it answered last */
    uint64_t looked_ns;        /* the last turn */
    bool waited;               /* the target's thread did when the last beat was sent */
    bool settling;             /* that look is to come */
    bool settled;              /* ... and has found the thread at rest */
    bool has_run;              /* since it was known to rest */
    bool answers;              /* the window has declared the protocol */
    bool active;               /* beats or trials are sent, at the last look */
    bool behind;               /* another program is in front */
    bool front_changed;        /* ... or may be now */
    bool protocols_changed;    /* the window may declare others now */
    bool stopped;              /* the target's process was, at the last look */
    bool is_gone;              /* the window, or the server */

    struct um_thread_mutex mutex; /* guards the rest */
    struct um_thread_cond changed;
    struct asked asked;
    struct event events[EVENTS];
    size_t first, count;
    uint64_t lost;
    bool urgent; /* there is more than signs of life of a program at rest */
    bool over;   /* the thread has ended */
};

/* Events --------------------------------------------------------------------------------------- */

static void push(struct um_frame_source *source, const struct event *event)
{
    um_thread_lock(&source->mutex);
    if (source->count == EVENTS) { /* the oldest one is lost, as in the DLL's rings */
        source->first = (source->first + 1) % EVENTS;
        source->count--;
        source->lost++;
    }
    source->events[(source->first + source->count++) % EVENTS] = *event;
    source->urgent |= event->type != UM_WIRE_DRAINED || source->pings.sent_ns != 0;
    if (source->urgent)
        um_thread_broadcast(&source->changed);
    um_thread_unlock(&source->mutex);
}

static void push_drained(struct um_frame_source *source, uint64_t now_ns)
{
    struct event event = {.type = UM_WIRE_DRAINED};
    um_thread_lock(&source->mutex);
    event.as.drained = (struct um_wire_drained){.time_ns = now_ns, .lost = source->lost};
    um_thread_unlock(&source->mutex);
    source->drained_ns = now_ns;
    push(source, &event);
}

static void push_probe(struct um_frame_source *source, enum um_probe_status status,
                       enum um_probe_held held, uint64_t now_ns)
{
    struct event event = {.type = UM_WIRE_PROBE,
                          .as.probe = {.time_ns = now_ns,
                                       .probe = UM_PROBE_PING,
                                       .status = (uint8_t)status,
                                       .reason = UM_PROBE_REASON_DEFAULT,
                                       .held = (uint8_t)held}};
    source->said = event.as.probe;
    push(source, &event);
}

/* The target's thread -------------------------------------------------------------------------- */

/* A number that stays while the thread waits; it changes whenever it has run. 0: it is over. */
static uint64_t run_of(const struct um_process_thread *thread, uint64_t now_ns)
{
    return thread->state == 'R' ? RUNNING | now_ns : thread->switches + 1;
}

static bool is_stopped(const struct um_process_thread *thread)
{
    return thread->state == 'T' || thread->state == 't';
}

/* Beats ---------------------------------------------------------------------------------------- */

static void ping(struct um_frame_source *source, xcb_window_t window, uint32_t tag)
{
    xcb_client_message_event_t event = {
        .response_type = XCB_CLIENT_MESSAGE,
        .format = 32,
        .window = window,
        .type = source->display.atoms[UM_DISPLAY_WM_PROTOCOLS],
        .data.data32 = {source->display.atoms[UM_DISPLAY_NET_WM_PING], tag, window}};
    xcb_send_event(source->display.xcb, 0, window, XCB_EVENT_MASK_NO_EVENT, (const char *)&event);
    xcb_flush(source->display.xcb);
}

/* Sends the target a ping. Its tag is close to the server's time, because toolkits may take it for
 * that. */
static uint64_t ping_target(struct um_frame_source *source, uint64_t now_ns)
{
    uint32_t tag =
        source->epoch_ms + (uint32_t)(um_ns_elapsed(source->epoch_ns, now_ns) / UM_CLOCK_NS_PER_MS);
    if ((int32_t)(tag - source->tag) <= 0)
        tag = source->tag + 1;
    source->tag = tag ? tag : 1;
    uint64_t sent_ns = um_clock_now_ns();
    um_pings_sent(&source->pings, source->tag, sent_ns);
    ping(source, source->window, source->tag);
    return sent_ns;
}

/* A trial is told once its answer is late (tell_silence). */
static void send_beat(struct um_frame_source *source, const struct um_process_thread *thread,
                      uint64_t now_ns)
{
    struct event event = {.type = UM_WIRE_SENT};
    source->waited = thread->state == 'S';
    source->waits = thread->waits;
    event.as.sent = (struct um_wire_sent){.time_ns = ping_target(source, now_ns),
                                          .seq = source->tag,
                                          .rested_ns = source->has_run ? source->pace.rested : 0,
                                          .skipped = source->pace.skipped,
                                          .left_out = (uint8_t)source->pace.left_out};
    um_pace_sent(&source->pace, event.as.sent.time_ns);
    um_pings_look(&source->pings, thread->waits, source->waited);
    source->trial = (struct um_wire_sent){0};
    if (source->pings.proven)
        push(source, &event);
    else
        source->trial = event.as.sent;
}

/* No beat is out any more. */
static void forget(struct um_frame_source *source)
{
    um_pings_forget(&source->pings, um_clock_now_ns());
    source->trial = (struct um_wire_sent){0};
    source->settling = source->settled = false;
}

/* The beat that is out measures something else than the target: that time is blind. */
static void disown(struct um_frame_source *source, enum um_probe_held why, uint64_t now_ns)
{
    forget(source);
    push_probe(source, UM_PROBE_OFF_TARGET, why, now_ns);
}

/* Whether the answer of our own window is so late that the server was busy with something else. A
 * target's answer that has waited behind it says nothing of the target. */
static bool is_way_shut(const struct um_frame_source *source, uint64_t now_ns)
{
    uint64_t late_ns = um_ns_elapsed(source->looked_ns + WAITING_NS, now_ns); /* this thread */
    return source->control_ns != 0 && now_ns - source->control_ns > SHUT_NS + late_ns;
}

/* Whether this thread was late itself, and so for most of the time that the answer seems to have
 * taken. */
static bool is_own_lateness(const struct um_frame_source *source, uint64_t now_ns)
{
    uint64_t late_ns = um_ns_elapsed(source->looked_ns + WAITING_NS, now_ns);
    return late_ns > CONTROL_NS && 2 * late_ns > now_ns - source->pings.sent_ns;
}

/* Our own window has answered, so the way through the server is open. */
static void take_control(struct um_frame_source *source, uint32_t tag, uint64_t now_ns)
{
    if (source->control_ns == 0 || tag != source->control_tag)
        return;
    bool shut = is_way_shut(source, now_ns);
    source->control_ns = 0;
    source->passed_ns = now_ns;
    if (source->pings.sent_ns == 0)
        return;
    if (shut)
        disown(source, UM_PROBE_HELD_UNDELIVERED, now_ns);
    else
        um_control_x11_saw(source->pings.beat, now_ns);
}

static void tell_answer(struct um_frame_source *source, uint64_t now_ns)
{
    struct event event = {
        .type = UM_WIRE_SEEN,
        .as.seen = {.time_ns = source->pings.answered_ns, .seq = source->pings.beat}};
    source->settled = false;
    source->settling = true;
    if (source->trial.time_ns == 0)
        push(source, &event);
    push_drained(source, now_ns);
}

static void tell_trial(struct um_frame_source *source)
{
    struct event event = {.type = UM_WIRE_SENT, .as.sent = source->trial};
    if (source->trial.time_ns != 0)
        push(source, &event);
    source->trial = (struct um_wire_sent){0};
}

/* What is not known of the target begins with the beat. The watchdog gives the beat its time back
 * if it is answered at last. */
static void tell_silence(struct um_frame_source *source, enum um_probe_held why, uint64_t now_ns)
{
    uint64_t trial_ns = source->trial.time_ns;
    bool is_told = source->said.status == UM_PROBE_OFF_TARGET &&
                   (source->said.held == why || source->said.held == UM_PROBE_HELD_NO_ANSWER);
    if (!is_told)
        push_probe(source, UM_PROBE_OFF_TARGET, why, trial_ns ? trial_ns : now_ns);
    tell_trial(source);
}

/* Does what the answers that came, and those that did not, ask for. */
static void poll_pings(struct um_frame_source *source, uint64_t now_ns)
{
    bool open = source->passed_ns > source->pings.sent_ns;
    switch (um_pings_poll(&source->pings, open, now_ns)) {
    case UM_PINGS_ANSWERED:
        tell_answer(source, now_ns);
        break;
    case UM_PINGS_LOST:
        source->settling = source->settled = false;
        tell_silence(source, UM_PROBE_HELD_NO_ANSWER, now_ns);
        break;
    case UM_PINGS_LATE:
        tell_silence(source, UM_PROBE_HELD_NO_ANSWER_YET, now_ns);
        break;
    case UM_PINGS_SILENT:
        tell_silence(source, UM_PROBE_HELD_NO_ANSWER, now_ns);
        break;
    case UM_PINGS_AGAIN:
        (void)ping_target(source, now_ns);
        break;
    case UM_PINGS_WAIT:
        break;
    }
}

static void take_answer(struct um_frame_source *source, uint32_t tag, uint64_t now_ns)
{
    bool is_late = is_own_lateness(source, now_ns);
    if (!um_pings_answer(&source->pings, tag, now_ns))
        return;
    bool shut = is_way_shut(source, now_ns);
    if (shut || is_late)
        disown(source, shut ? UM_PROBE_HELD_UNDELIVERED : UM_PROBE_HELD_LATE, now_ns);
    else
        poll_pings(source, now_ns);
}

/* Whether a thread that waited when the ping was sent, and waits again, has answered and no more.
 * An answer makes it wait so often as was ever the least, once enough were seen. */
static bool has_only_answered(struct um_frame_source *source, uint64_t waits)
{
    if (source->answers_seen == 0 || waits < source->least_waits)
        source->least_waits = waits;
    if (source->answers_seen < ANSWERS)
        source->answers_seen++;
    return waits > 0 && source->answers_seen == ANSWERS && waits == source->least_waits;
}

/* A look that comes late says nothing. */
static void settle(struct um_frame_source *source, const struct um_process_thread *thread,
                   uint64_t now_ns)
{
    source->settling = false;
    source->settled = source->waited && thread->state == 'S' &&
                      now_ns - source->pings.answered_ns <= 2 * SETTLED_NS &&
                      has_only_answered(source, thread->waits - source->waits);
    if (!source->settled)
        return;
    source->pace.cycles = run_of(thread, now_ns);
    source->pace.still = source->pace.rested = now_ns;
}

static bool is_due(struct um_frame_source *source, const struct um_process_thread *thread,
                   uint64_t now_ns)
{
    struct um_pace_look look = {.now = now_ns,
                                .period = source->now.period_ns,
                                .rest = source->now.rest_ns,
                                .full_until = source->now.full_until_ns,
                                .cycles = source->settled ? run_of(thread, now_ns) : 0,
                                .worked = !source->settled,
                                .sparing =
                                    source->now.background != UM_BACKGROUND_FULL && source->behind};
    source->has_run = source->settled && look.cycles != source->pace.cycles;
    return um_pace_is_due(&source->pace, &look);
}

/* What the X server says ----------------------------------------------------------------------- */

static void take_message(struct um_frame_source *source, const xcb_client_message_event_t *event,
                         uint64_t now_ns)
{
    const uint32_t *words = event->data.data32;
    if (event->format != 32 || event->type != source->display.atoms[UM_DISPLAY_WM_PROTOCOLS] ||
        words[0] != source->display.atoms[UM_DISPLAY_NET_WM_PING])
        return;
    if (event->window == source->own) { /* answered as the protocol says */
        xcb_client_message_event_t answer = *event;
        answer.response_type = XCB_CLIENT_MESSAGE;
        answer.window = source->display.root;
        xcb_send_event(source->display.xcb, 0, source->display.root,
                       XCB_EVENT_MASK_SUBSTRUCTURE_NOTIFY | XCB_EVENT_MASK_SUBSTRUCTURE_REDIRECT,
                       (const char *)&answer);
        xcb_flush(source->display.xcb);
    } else if (event->window == source->display.root && words[2] == source->own) {
        take_control(source, words[1], now_ns);
    } else if (event->window == source->window ||
               (event->window == source->display.root && words[2] == source->window)) {
        take_answer(source, words[1], now_ns);
    }
}

static void look_at_front(struct um_frame_source *source)
{
    xcb_window_t front = um_display_active(&source->display);
    if (front != XCB_WINDOW_NONE)
        source->behind = um_display_pid(&source->display, front) != source->pid;
}

static void take_property(struct um_frame_source *source, const xcb_property_notify_event_t *event)
{
    source->protocols_changed |= event->window == source->window &&
                                 event->atom == source->display.atoms[UM_DISPLAY_WM_PROTOCOLS];
    source->front_changed |= event->window == source->display.root &&
                             event->atom == source->display.atoms[UM_DISPLAY_NET_ACTIVE_WINDOW];
}

/* Asks the server what has changed; but not while an answer is awaited, whose time would be that
 * after these answers. A window that no longer declares the protocol gets no other ping. */
static void look_around(struct um_frame_source *source)
{
    bool is_awaited = source->pings.sent_ns != 0 && !source->pings.unknown;
    if (is_awaited && !source->protocols_changed)
        return;
    if (source->protocols_changed)
        source->answers = um_display_answers_ping(&source->display, source->window);
    if (source->front_changed && source->now.background != UM_BACKGROUND_FULL)
        look_at_front(source);
    source->protocols_changed = false;
    source->front_changed &= source->now.background == UM_BACKGROUND_FULL;
}

static void take_events(struct um_frame_source *source)
{
    xcb_generic_event_t *event;
    while ((event = xcb_poll_for_event(source->display.xcb))) {
        const xcb_generic_error_t *error = (const xcb_generic_error_t *)event;
        switch (event->response_type & 0x7f) {
        case 0: /* of a request that has no answer */
            source->is_gone |=
                error->error_code == XCB_WINDOW && error->resource_id == source->window;
            break;
        case XCB_CLIENT_MESSAGE:
            take_message(source, (const xcb_client_message_event_t *)event, um_clock_now_ns());
            break;
        case XCB_PROPERTY_NOTIFY:
            take_property(source, (const xcb_property_notify_event_t *)event);
            break;
        case XCB_DESTROY_NOTIFY:
            source->is_gone |=
                ((const xcb_destroy_notify_event_t *)event)->window == source->window;
            break;
        default:
            break;
        }
        free(event);
    }
    source->is_gone |= !um_display_lives(&source->display);
}

/* The thread ----------------------------------------------------------------------------------- */

static void take_commands(struct um_frame_source *source)
{
    um_thread_lock(&source->mutex);
    source->now = source->asked;
    source->asked.abandoned = 0;
    um_thread_unlock(&source->mutex);
    if (source->now.abandoned != 0 && source->now.abandoned == source->pings.beat)
        forget(source);
}

/* Says it if beats come, pause or cannot be sent, and that has changed. Of a trial nothing is said
 * until its answer is late. While answers of forgotten pings may still come, no beat can be sent.
 * Whatever has made it blind stays the reason until it is not. Returns whether beats come, or
 * trials. */
static bool is_active(struct um_frame_source *source, uint64_t now_ns)
{
    const struct um_wire_probe *said = &source->said;
    bool pauses =
        source->now.paused || (source->now.background == UM_BACKGROUND_PAUSE && source->behind);
    bool may_ask = !pauses && source->answers;
    bool is_blind = said->status == UM_PROBE_OFF_TARGET && said->held != UM_PROBE_HELD_NO_PING;
    bool measures =
        source->answers && source->pings.proven && !um_pings_is_quiet(&source->pings, now_ns);
    if (may_ask && !measures && (said->time_ns == 0 || is_blind))
        return true;
    enum um_probe_status status = pauses     ? UM_PROBE_PAUSED
                                  : measures ? UM_PROBE_ACTIVE
                                             : UM_PROBE_OFF_TARGET;
    enum um_probe_held held = status != UM_PROBE_OFF_TARGET ? UM_PROBE_HELD_NOT
                              : source->answers             ? UM_PROBE_HELD_NO_ANSWER_YET
                                                            : UM_PROBE_HELD_NO_PING;
    if (said->time_ns == 0 || status != said->status || held != said->held) {
        if (held == UM_PROBE_HELD_NO_PING)
            forget(source);
        push_probe(source, status, held, now_ns);
    }
    return may_ask;
}

/* If this thread did not run for a while, nothing is known of the target in that time, which is
 * blind: neither when an answer came, nor that the process was stopped. */
static void own_up(struct um_frame_source *source, uint64_t now_ns)
{
    if (source->drained_ns == 0 || source->stopped || now_ns <= source->drained_ns + LATE_NS)
        return;
    if (source->said.status == UM_PROBE_ACTIVE || source->pings.sent_ns != 0)
        push_probe(source, UM_PROBE_OFF_TARGET, UM_PROBE_HELD_LATE, source->drained_ns);
    forget(source);
    uint64_t step_ns = um_ns_max(LATE_NS, (now_ns - source->drained_ns) / SIGNS);
    while (now_ns > source->drained_ns + step_ns)
        push_drained(source, source->drained_ns + step_ns);
}

/* A process that is being ended has no thread any more, and still its window. */
static void await_end(const struct um_frame_source *source)
{
    uint64_t until_ns = um_clock_now_ns() + ENDING_NS;
    while (um_process_running(source->process) && um_clock_now_ns() < until_ns)
        um_clock_sleep_ns(WAITING_NS);
}

/* Sends the next beat if one is due. A thread that has been stopped since it rested has run for a
 * moment, so its beat is due at the next look, and waits until the thread goes on. */
static void send_due(struct um_frame_source *source, const struct um_process_thread *thread,
                     uint64_t now_ns)
{
    if (um_pings_may_send(&source->pings, now_ns) && now_ns >= source->due_ns &&
        is_due(source, thread, now_ns))
        send_beat(source, thread, now_ns);
}

/* While a beat is out, pings our own window, again and again: the server may be busy at any time,
 * as when another client grabs it. */
static void ask_control(struct um_frame_source *source, uint64_t now_ns)
{
    uint64_t since_ns = um_ns_max(source->pings.sent_ns, source->passed_ns);
    if (source->pings.sent_ns == 0 || source->control_ns != 0 || now_ns < since_ns + CONTROL_NS)
        return;
    source->control_ns = now_ns;
    ping(source, source->own, ++source->control_tag);
}

/* While the target's process is stopped, it gives no sign of life. */
static void turn(struct um_frame_source *source, uint64_t now_ns)
{
    struct um_process_thread thread;
    if (!um_process_thread_read(&source->looks, &thread)) {
        await_end(source);
        source->is_gone = true;
        return;
    }
    source->stopped = is_stopped(&thread);
    if (source->stopped) {
        um_pings_stopped(&source->pings, now_ns);
        if (source->said.time_ns == 0) { /* it was stopped before this began */
            look_around(source);
            source->active = is_active(source, now_ns);
        }
        if (source->active)
            send_due(source, &thread, now_ns);
        tell_trial(source);
        return;
    }
    um_pings_look(&source->pings, thread.waits, thread.state == 'S');
    bool shut = is_way_shut(source, now_ns);
    if (shut && source->pings.sent_ns != 0)
        disown(source, UM_PROBE_HELD_UNDELIVERED, now_ns);
    if (!shut)
        look_around(source);
    source->active = !shut && is_active(source, now_ns);
    if (source->settling && now_ns >= source->pings.answered_ns + SETTLED_NS)
        settle(source, &thread, now_ns);
    if (source->active) {
        poll_pings(source, now_ns);
        send_due(source, &thread, now_ns);
    }
    ask_control(source, now_ns);
    bool calm = !source->active || source->pings.unknown;
    if (now_ns >= source->drained_ns + (calm ? RESTING_NS : WAITING_NS))
        push_drained(source, now_ns);
}

/* Moves the time of the next look on by a period, without catching up. */
static void move_on(struct um_frame_source *source, uint64_t now_ns)
{
    uint64_t period_ns = source->now.period_ns;
    if (now_ns < source->due_ns)
        return;
    source->due_ns += period_ns;
    if (source->due_ns <= now_ns || source->due_ns > now_ns + period_ns)
        source->due_ns = now_ns + period_ns;
}

static void rest(struct um_frame_source *source, uint64_t now_ns)
{
    struct pollfd files[] = {{.fd = xcb_get_file_descriptor(source->display.xcb), .events = POLLIN},
                             {.fd = source->wake, .events = POLLIN}};
    bool waits = source->pings.sent_ns != 0 && !source->pings.unknown;
    uint64_t next_ns = source->drained_ns + (waits ? WAITING_NS : RESTING_NS);
    uint64_t woken;
    if (source->active && source->pings.sent_ns == 0)
        next_ns = um_ns_min(next_ns, source->due_ns);
    if (source->active && source->pings.sent_ns != 0)
        next_ns = um_ns_min(next_ns, um_pings_due_ns(&source->pings));
    if (source->settling)
        next_ns = um_ns_min(next_ns, source->pings.answered_ns + SETTLED_NS);
    if (next_ns <= now_ns)
        next_ns = now_ns + WAITING_NS; /* the target is stopped */
    uint64_t wait_ns = next_ns - now_ns;
    struct timespec wait = {.tv_sec = (time_t)(wait_ns / UM_CLOCK_NS_PER_S),
                            .tv_nsec = (long)(wait_ns % UM_CLOCK_NS_PER_S)};
    if (ppoll(files, 2, &wait, NULL) > 0 && files[1].revents)
        (void)!read(source->wake, &woken, sizeof woken);
}

static void run(void *context)
{
    struct um_frame_source *source = context;
    um_thread_set_high_priority();
    source->due_ns = um_clock_now_ns();
    while (!source->now.stop && !source->is_gone) {
        take_commands(source);
        own_up(source, um_clock_now_ns());
        take_events(source);
        uint64_t now_ns = um_clock_now_ns();
        turn(source, now_ns);
        source->looked_ns = now_ns;
        move_on(source, now_ns);
        if (!source->is_gone)
            rest(source, um_clock_now_ns());
    }
    if (um_pings_goes_on(&source->pings))
        tell_silence(source, UM_PROBE_HELD_NO_ANSWER_YET, um_clock_now_ns());
    um_thread_lock(&source->mutex);
    source->over = true;
    um_thread_broadcast(&source->changed);
    um_thread_unlock(&source->mutex);
}

/* Opening -------------------------------------------------------------------------------------- */

/* Finds out what the server's clock shows: the time of a change that this client makes. */
static bool read_clock(struct um_frame_source *source)
{
    uint64_t until_ns = um_clock_now_ns() + SERVER_NS;
    struct pollfd file = {.fd = xcb_get_file_descriptor(source->display.xcb), .events = POLLIN};
    xcb_change_property(source->display.xcb, XCB_PROP_MODE_APPEND, source->own, XCB_ATOM_WM_NAME,
                        XCB_ATOM_STRING, 8, 0, NULL);
    xcb_flush(source->display.xcb);
    while (um_clock_now_ns() < until_ns && um_display_lives(&source->display)) {
        xcb_generic_event_t *event = xcb_poll_for_event(source->display.xcb);
        if (!event) {
            poll(&file, 1, 10);
            continue;
        }
        const xcb_property_notify_event_t *change = (const xcb_property_notify_event_t *)event;
        bool is_ours =
            (event->response_type & 0x7f) == XCB_PROPERTY_NOTIFY && change->window == source->own;
        source->epoch_ns = um_clock_now_ns();
        source->epoch_ms = is_ours ? change->time : 0;
        free(event);
        source->tag = source->epoch_ms - 1;
        if (is_ours)
            return true;
    }
    return false;
}

/* A window of our own that is never shown, and the events that are needed of the others. An answer
 * belongs to the root window with either mask of `answers`: GTK and the standard use the first,
 * Qt 5 the second. Some programs send it to their own window instead. */
static void begin(struct um_frame_source *source)
{
    xcb_connection_t *xcb = source->display.xcb;
    const uint32_t own[] = {1, XCB_EVENT_MASK_PROPERTY_CHANGE}; /* override-redirect */
    const uint32_t answers = XCB_EVENT_MASK_SUBSTRUCTURE_NOTIFY | XCB_EVENT_MASK_STRUCTURE_NOTIFY;
    const uint32_t of_root[] = {answers | XCB_EVENT_MASK_PROPERTY_CHANGE};
    const uint32_t of_target[] = {answers | XCB_EVENT_MASK_PROPERTY_CHANGE};
    source->own = xcb_generate_id(xcb);
    xcb_create_window(xcb, XCB_COPY_FROM_PARENT, source->own, source->display.root, 0, 0, 1, 1, 0,
                      XCB_WINDOW_CLASS_INPUT_ONLY, XCB_COPY_FROM_PARENT,
                      XCB_CW_OVERRIDE_REDIRECT | XCB_CW_EVENT_MASK, own);
    xcb_change_window_attributes(xcb, source->display.root, XCB_CW_EVENT_MASK, of_root);
    xcb_change_window_attributes(xcb, source->window, XCB_CW_EVENT_MASK, of_target);
    xcb_flush(xcb);
}

static void release(struct um_frame_source *source)
{
    um_display_close(&source->display);
    um_process_thread_close(&source->looks);
    if (source->wake >= 0)
        close(source->wake);
    free(source);
}

static enum um_status start(struct um_frame_source *source)
{
    if (um_display_open(&source->display) != UM_OK)
        return UM_ERR_CLOSED;
    source->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (source->wake < 0)
        return UM_ERR_MEMORY;
    begin(source);
    if (um_process_thread_open(source->pid, source->pid, &source->looks) != UM_OK ||
        !um_display_exists(&source->display, source->window) || !read_clock(source))
        return UM_ERR_CLOSED;
    source->protocols_changed = source->front_changed = true;
    return um_thread_start(run, source, &source->thread);
}

static enum um_status open_source(const struct um_target_info *target,
                                  const struct um_target_process *process,
                                  const struct um_frame_source_host *host,
                                  struct um_frame_source **source, struct um_wire_frame *hello,
                                  char *error, size_t error_cap)
{
    struct um_frame_source *made = calloc(1, sizeof *made);
    (void)host;
    if (!made) {
        um_text_set(error, error_cap, "uimon: out of memory");
        return UM_ERR_MEMORY;
    }
    made->window = (xcb_window_t)target->hwnd;
    made->process = process;
    made->pid = target->pid;
    made->looks.status = made->looks.schedstat = made->wake = -1;
    made->asked_ns = um_clock_now_ns();
    made->asked.period_ns = made->asked.rest_ns = PERIOD_NS;
    made->asked.background = UM_BACKGROUND_FULL;
    enum um_status status = start(made);
    if (status != UM_OK) {
        um_text_set(error, error_cap, "uimon: the X server or the program's window is gone");
        release(made);
        return status;
    }
    *hello = (struct um_wire_frame){
        .type = UM_WIRE_HELLO,
        .as.hello = {.pid = target->pid, .tid = target->tid, .time_ns = um_clock_now_ns()}};
    *source = made;
    return UM_OK;
}

static uint64_t asked_ns(const struct um_frame_source *source)
{
    return source->asked_ns;
}

static enum um_status read_events(struct um_frame_source *source, uint32_t timeout_ms)
{
    uint64_t until_ns = um_clock_now_ns() + timeout_ms * UM_CLOCK_NS_PER_MS;
    enum um_status status = UM_OK;
    um_thread_lock(&source->mutex);
    while (!source->urgent && !source->over && status == UM_OK) {
        uint64_t now_ns = um_clock_now_ns();
        status = now_ns < until_ns
                     ? um_thread_wait(&source->changed, &source->mutex, until_ns - now_ns)
                     : UM_ERR_TIMEOUT;
    }
    status = source->count > 0 ? UM_OK : source->over ? UM_ERR_CLOSED : UM_ERR_TIMEOUT;
    um_thread_unlock(&source->mutex);
    return status;
}

static enum um_status next(struct um_frame_source *source, struct um_wire_frame *frame)
{
    struct event event;
    um_thread_lock(&source->mutex);
    bool is_there = source->count > 0;
    if (is_there) {
        event = source->events[source->first];
        source->first = (source->first + 1) % EVENTS;
        source->count--;
    }
    source->urgent &= source->count > 0;
    um_thread_unlock(&source->mutex);
    if (!is_there)
        return UM_ERR_PARTIAL;
    *frame = (struct um_wire_frame){.type = event.type};
    if (event.type == UM_WIRE_SENT)
        frame->as.sent = event.as.sent;
    else if (event.type == UM_WIRE_SEEN)
        frame->as.seen = event.as.seen;
    else if (event.type == UM_WIRE_PROBE)
        frame->as.probe = event.as.probe;
    else
        frame->as.drained = event.as.drained;
    return UM_OK;
}

/* What cannot be done here is left out: a probe of another kind, stacks, messages. */
static enum um_status command(struct um_frame_source *source, const struct um_wire_frame *command)
{
    uint32_t value = command->as.command.value;
    uint64_t one = 1;
    um_thread_lock(&source->mutex);
    switch (command->type) {
    case UM_WIRE_STOP:
        source->asked.stop = true;
        break;
    case UM_WIRE_PERIOD:
        source->asked.period_ns = value * UM_CLOCK_NS_PER_US;
        break;
    case UM_WIRE_REST_PERIOD:
        source->asked.rest_ns = value * UM_CLOCK_NS_PER_US;
        break;
    case UM_WIRE_BACKGROUND:
        source->asked.background = (enum um_background)value;
        break;
    case UM_WIRE_PAUSE:
        source->asked.paused = value != 0;
        break;
    case UM_WIRE_ABANDON:
        source->asked.abandoned = value;
        break;
    case UM_WIRE_FULL_RATE:
        source->asked.full_until_ns = um_clock_now_ns() + value * UM_CLOCK_NS_PER_MS;
        break;
    default:
        break;
    }
    bool over = source->over;
    um_thread_unlock(&source->mutex);
    (void)!write(source->wake, &one, sizeof one);
    return over ? UM_ERR_CLOSED : UM_OK;
}

static void close_source(struct um_frame_source *source)
{
    const struct um_wire_frame stop = {.type = UM_WIRE_STOP};
    if (!source)
        return;
    (void)command(source, &stop);
    um_display_give_up(&source->display); /* the server may hang */
    um_thread_join(&source->thread);
    release(source);
}

const struct um_frame_source_backend um_frame_source_x11 = {
    .open = open_source,
    .asked_ns = asked_ns,
    .read = read_events,
    .next = next,
    .command = command,
    .close = close_source,
};
