#include "monitor/live/watch.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain/clock.h"
#include "base/plain/message.h"
#include "base/plain/text.h"
#include "ipc/names.h"
#include "base/thread.h"
#include "base/ns.h"
#include "base/platform.h"
#include "base/utf8.h"
#include "monitor/feed/hub.h"
#include "monitor/feed/registry.h"
#include "monitor/live/dotnet.h"
#include "monitor/live/driver.h"
#include "monitor/live/marker_frames.h"
#include "monitor/live/overlay_process.h"
#include "monitor/live/methods_unseen.h"
#include "monitor/live/own_markers.h"
#include "monitor/live/profiler.h"
#include "monitor/live/session.h"
#include "monitor/live/trace_env.h"
#include "monitor/live/tracer.h"
#include "monitor/live/message_markers.h"
#include "monitor/live/costliest.h"
#include "monitor/live/watch_children.h"
#include "monitor/live/watch_keys.h"
#include "monitor/live/watch_layout.h"
#include "monitor/live/watch_said.h"
#include "monitor/measure/beat_load.h"
#include "monitor/sample/module_lookup.h"
#include "monitor/profile/samples.h"
#include "monitor/sample/sampler.h"
#include "monitor/target/frame_source.h"
#include "monitor/target/control.h"

#define LOOK_NS (250 * UM_CLOCK_NS_PER_MS)       /* between two looks at windows and processes */
#define WINDOW_NS (5 * UM_CLOCK_NS_PER_MS)       /* between two looks for the first window */
#define BEGIN_S 10.0                             /* the least that --duration waits for a beat */
#define PATIENCE_NS (10 * UM_CLOCK_NS_PER_S)     /* after this without a window a line says so, */
#define BESIDE_NS (2 * UM_CLOCK_NS_PER_S)        /* after this without one its children are named */
#define LATE_WINDOW_NS (50 * UM_CLOCK_NS_PER_MS) /* and the looks are this far apart */
/* How long the DLL may take to tell the rest and to leave: longer than a busy machine holds up its
 * thread. In a suspended program it does not run at all. */
#define LEAVING_NS (2 * UM_CLOCK_NS_PER_S)
#define LEAVING_SUSPENDED_NS (250 * UM_CLOCK_NS_PER_MS)
#define LEAVING_POLL_MS 50
#define PROFILE_NS UM_CLOCK_NS_PER_S       /* between two PROFILE frames of one scope */
#define NAMES_MS 2000                      /* at the end, if no name has come for so long */
#define SHORT_NS UM_CLOCK_NS_PER_S         /* an attachment that the DLL ends sooner did not work */
#define SHORT_LIMIT 5                      /* so many of those in a row are an error */
#define METHODS_NS (5 * UM_CLOCK_NS_PER_S) /* after this without calls of methods a line says so */
#define NOTES 16

struct um_watch {
    const struct um_options *options;
    const struct um_target_process *process;
    struct um_watch_children *children; /* NULL: nobody would watch one of them */
    struct um_target_info target;       /* hwnd 0: to be found */
    struct um_hub *hub;
    struct um_registry *registry; /* where others find the feed; NULL: nowhere */
    struct um_session *session;
    struct um_driver driver; /* of the session; it has the source and the control */
    uint64_t now_ns;         /* the time of the present turn */
    struct um_overlay_process overlay;
    struct um_watch_said said;
    struct um_watch_keys keys;
    struct um_marker_frames *markers;
    struct um_dotnet *dotnet;     /* NULL: nobody asks for the target's own counters */
    struct um_profiler *profiler; /* NULL: nothing is to be sampled */
    struct um_sampler *sampler;   /* of the present attachment; NULL: nothing is sampled */
    struct um_tracer tracer;
    struct um_methods_unseen unseen;
    struct um_message_markers messages;
    struct um_costliest costliest;
    struct um_own_markers *own_markers;
    struct um_watch_layout layout;
    struct um_module_lookup *places;   /* of the present attachment; NULL: none was needed yet */
    bool has_no_places;                /* ... or the system refuses it */
    struct um_suspensions suspensions; /* the sampler's while there is one */
    struct um_thread thread;
    bool had_window;          /* it has shown one that could be its main window */
    bool hidden;              /* the window was hidden at the last look */
    bool traces;              /* the session was asked to trace messages */
    uint64_t hider;           /* the window that hides the overlay; 0: none does */
    bool has_runtime;         /* a runtime of .NET was seen in it; looked for with `methods` */
    bool has_methods;         /* calls of methods have come */
    uint64_t methods_ns;      /* when they were asked for; 0: they were not */
    bool asked_dotnet;        /* um_dotnet_open was called; `dotnet` is NULL if that failed */
    unsigned short_count;     /* attachments in a row that the DLL ended at once */
    _Atomic int stop;         /* the thread should end */
    struct um_wire_view sent; /* the last VIEW; all 0 before the first */
    uint64_t profile_sent_ns; /* when the overlay was last sent a PROFILE */
    _Atomic int over;         /* the thread has nothing more to do */
    enum um_status result;
    char error[UM_OPTIONS_ERROR_BYTES];
    enum um_end_reason reason;
    uint64_t opened_ns;
    bool said_begun;
    bool never_began;            /* the time for the first beat is over */
    _Atomic uint64_t characters; /* WM_CHAR that the target has taken */

    struct um_thread_mutex mutex; /* guards what follows, which other threads read and write */
    struct um_watch_view view;
    size_t note_count;
    struct um_wire_note notes[NOTES]; /* for the feed */
};

static void say(void *context, const char *text)
{
    struct um_watch *watch = context;
    um_line_queue_put(&watch->said.lines, text);
}

static void say_detail(void *context, const char *text)
{
    struct um_watch *watch = context;
    um_watch_said_detail(&watch->said, text);
}

static void publish(void *context, const struct um_wire_frame *frame)
{
    struct um_watch *watch = context;
    um_session_add(watch->session, frame);
}

static void end_with(struct um_watch *watch, enum um_status result, enum um_end_reason reason)
{
    watch->result = result;
    watch->reason = reason;
    atomic_store(&watch->stop, 1);
}

/* How long --duration waits for the first beat. */
static double begin_limit_s(const struct um_watch *watch)
{
    double duration_s = watch->options->duration_s;
    return duration_s > BEGIN_S ? duration_s : BEGIN_S;
}

/* Ends the watching where --duration is over, which counts from the first beat, or where no beat
 * came. */
static void check_duration(struct um_watch *watch, uint64_t now_ns)
{
    double duration_s = watch->options->duration_s;
    uint64_t measured_ns = um_session_duration_ns(watch->session, now_ns);
    uint64_t passed_ns = measured_ns > 0 ? measured_ns : um_ns_elapsed(watch->opened_ns, now_ns);
    double limit_s = measured_ns > 0 ? duration_s : begin_limit_s(watch);
    if (duration_s <= 0 || (double)passed_ns / 1e9 < limit_s || atomic_load(&watch->stop))
        return;
    if (measured_ns > 0) {
        end_with(watch, UM_OK, UM_END_STOPPED);
    } else {
        watch->never_began = true;
        end_with(watch, UM_ERR_TIMEOUT, UM_END_FAILED);
    }
}

/* Called a few times a second while there is no attachment. The session goes on publishing
 * meanwhile. */
static bool should_stop(void *context)
{
    struct um_watch *watch = context;
    watch->now_ns = um_clock_now_ns();
    um_driver_turn(&watch->driver, watch->now_ns);
    check_duration(watch, watch->now_ns);
    return atomic_load(&watch->stop) != 0;
}

static void send_command(void *context, const struct um_wire_frame *command)
{
    struct um_watch *watch = context;
    if (watch->driver.source) /* the next read reports a broken pipe */
        um_target->frames->command(watch->driver.source, command);
}

static void want_more_messages(void *context)
{
    struct um_watch *watch = context;
    struct um_wire_frame more = {.type = UM_WIRE_TRACE_EVENTS_ON,
                                 .as.command.value = um_session_trace_events(watch->options)};
    if (watch->traces)
        send_command(watch, &more);
}

static bool window_class(void *context, uint64_t hwnd, char *buf, size_t cap_bytes)
{
    (void)context;
    return um_target->window_class(hwnd, buf, cap_bytes);
}

static bool message_name(void *context, uint32_t message, char *buf, size_t cap_bytes)
{
    (void)context;
    return um_target->message_name(message, buf, cap_bytes);
}

static void freeze_ended(void *context, const struct um_wire_frame *episode)
{
    struct um_watch *watch = context;
    um_profiler_freeze(watch->profiler, episode, watch->now_ns);
}

static void freeze_over(void *context, const struct um_wire_frame *episode)
{
    struct um_watch *watch = context;
    um_costliest_freeze(&watch->costliest, episode);
}

/* A step of the layout is over. */
static void layout_stepped(void *context, const struct um_layout_pair *step, uint64_t end_ns)
{
    struct um_watch *watch = context;
    const struct um_costliest_call call = {.begin_ns = step->begin_ns,
                                           .end_ns = end_ns,
                                           .window = step->window,
                                           .message = step->message,
                                           .kind = UM_TRACE_SENT};
    um_costliest_step(&watch->costliest, &call);
}

static void publish_profile(void *context, const struct um_wire_frame *frame)
{
    struct um_watch *watch = context;
    const struct um_wire_stack *stack = &frame->as.stack;
    char text[UM_WATCH_LINE_BYTES];

    um_session_add(watch->session, frame);
    if (frame->type != UM_WIRE_STACK)
        return;
    snprintf(text, sizeof text, "freeze %lu: %lu of %lu samples in %s%s",
             (unsigned long)stack->freeze, (unsigned long)stack->alike,
             (unsigned long)um_wire_stack_of(stack),
             stack->known & UM_WIRE_STACK_GUESSED(0) ? UM_WIRE_GUESS : "",
             stack->frames[0][0] ? stack->frames[0] : "no one place");
    say_detail(watch, text);
}

/* Says once that sampling has ended, with the likely reason. */
static void say_refused_stacks(struct um_watch *watch)
{
    enum um_status why;
    char text[UM_WATCH_LINE_BYTES];
    if (!watch->sampler || !um_sampler_refused(watch->sampler, &why))
        return;
    snprintf(text, sizeof text,
             "freezes come without stacks from now on: the system does not let uimon suspend the "
             "program's thread (%s)",
             why == UM_ERR_BUSY ? "others have suspended it as often as that goes"
                                : "security software may have taken that right from uimon");
    um_watch_said_once(&watch->said, UM_WATCH_SAID_STACKS, text);
}

/* Publishes what the sampler has collected, and says once what is missing in the stacks. */
static void turn_profiler(struct um_watch *watch, uint64_t now_ns)
{
    uint64_t away_ns = (uint64_t)(watch->options->slow_ms * 1e6);
    char text[UM_WATCH_LINE_BYTES];
    if (!watch->profiler)
        return;
    um_profiler_turn(watch->profiler, now_ns,
                     um_session_waited_ns(watch->session, now_ns) >= away_ns);
    say_refused_stacks(watch);
    while (um_profiler_next_line(watch->profiler, text, sizeof text))
        say(watch, text);
}

/* The key of a handler's address. Publishes its module if that is new, and asks for its name. */
static uint64_t handler_key(void *context, uint64_t address)
{
    struct um_watch *watch = context;
    struct um_sampler_module module;
    uint64_t offset;
    if (watch->profiler && !watch->places && !watch->has_no_places)
        watch->has_no_places =
            um_module_lookup_open(watch->target.pid, watch->target.tid, &watch->places) != UM_OK;
    if (!watch->profiler || !watch->places ||
        !um_module_lookup_find(watch->places, address, watch->now_ns, &module, &offset))
        return um_samples_key(-1, address);
    return um_profiler_key(watch->profiler, &module, offset);
}

static bool describe_window(void *context, uint64_t hwnd, struct um_layout_window *out)
{
    struct um_watch *watch = context;
    return um_watch_layout_describe(&watch->layout, hwnd, out);
}

static bool locate_window(void *context, uint64_t hwnd, uint64_t root,
                          struct um_wire_layout_place *out)
{
    (void)context;
    return um_watch_layout_locate(hwnd, root, out);
}

static bool is_system_module(void *context, uint64_t module)
{
    struct um_watch *watch = context;
    return um_watch_layout_is_system(&watch->layout, module);
}

static bool is_target_running(void *context)
{
    struct um_watch *watch = context;
    return um_target->running(watch->process);
}

static void open_dotnet(struct um_watch *watch, uint32_t pid, struct um_reverse *reverse)
{
    const struct um_dotnet_host host = {watch,      publish,           say,
                                        say_detail, is_target_running, watch->markers};
    watch->asked_dotnet = true;
    watch->dotnet = um_dotnet_open(watch->options, pid, reverse, &host);
}

/* Nothing can be published before measuring has begun. */
static bool has_begun(struct um_watch *watch, uint64_t now_ns)
{
    return um_session_duration_ns(watch->session, now_ns) > 0;
}

static void say_begun(struct um_watch *watch)
{
    if (!watch->said_begun)
        say_detail(watch, "measuring has begun");
    watch->said_begun = true;
}

/* Asks the target's runtime for its counters, once measuring has begun. That of a program which was
 * started for this watch has been asked before; it has its window, so it has started up. */
static void begin_dotnet(struct um_watch *watch, uint64_t now_ns)
{
    if (!watch->options->dotnet || !has_begun(watch, now_ns))
        return;
    if (!watch->asked_dotnet)
        open_dotnet(watch, watch->target.pid, NULL);
    else if (watch->dotnet)
        um_dotnet_settle(watch->dotnet);
}

static bool sampling_cost(void *context, struct um_wire_sampling *sampling)
{
    struct um_watch *watch = context;
    return watch->sampler ? um_sampler_cost(watch->sampler, sampling)
                          : um_suspensions_sum(&watch->suspensions, sampling);
}

static bool samples(const struct um_options *options)
{
    return options->sample != UM_OPTIONS_SAMPLE_OFF && um_watch_is_seen(options);
}

/* Whether Prometheus or a listener takes what is measured only on demand. */
static bool is_listened_to(const struct um_watch *watch)
{
    return watch->options->prometheus || um_hub_has_listeners(watch->hub);
}

static bool shows(const struct um_watch *watch, enum um_overlay_row row)
{
    return atomic_load(&watch->keys.hide) == 0 && um_overlay_process_shows(&watch->overlay, row);
}

static bool probes_pool(const struct um_watch *watch)
{
    enum um_options_threadpool when = watch->options->threadpool;
    bool wanted = when == UM_OPTIONS_THREADPOOL_ON ||
                  (when == UM_OPTIONS_THREADPOOL_AUTO &&
                   (shows(watch, UM_OVERLAY_ROWS_THREADPOOL) || is_listened_to(watch)));
    return wanted && um_watch_is_seen(watch->options);
}

static bool counts(const struct um_watch *watch)
{
    bool wanted = watch->options->record || is_listened_to(watch) ||
                  shows(watch, UM_OVERLAY_ROWS_FRAME_RATE) ||
                  shows(watch, UM_OVERLAY_ROWS_MESSAGE_RATE);
    return wanted && um_watch_is_seen(watch->options);
}

/* Starts sampling, or says once why there is none. */
static void open_sampler(struct um_watch *watch, const struct um_wire_hello *hello)
{
    const struct um_options *options = watch->options;
    struct um_sampler_options sampler = {.after_ns = (uint64_t)(options->slow_ms * 1e6),
                                         .every_ns = (uint64_t)(options->sample_every_ms * 1e6),
                                         .cost_percent = options->sample_cost,
                                         .always = options->sample == UM_OPTIONS_SAMPLE_ALWAYS,
                                         .all_threads = options->sample_threads ==
                                                        UM_OPTIONS_SAMPLE_THREADS_ALL,
                                         .nonce = hello->nonce};
    const char *why_not = um_target->why_no_stacks();
    char text[UM_WATCH_LINE_BYTES];

    if (!samples(options))
        return;
    enum um_status status = UM_ERR_UNSUPPORTED;
    if (!why_not[0])
        status = um_sampler_open(watch->target.pid, watch->target.tid, &sampler,
                                 &watch->suspensions, &watch->sampler);
    um_profiler_sampler(watch->profiler, watch->sampler, watch->target.tid);
    if (status == UM_OK)
        return;
    if (!why_not[0])
        why_not = status == UM_ERR_UNSUPPORTED ? "the system lacks what that needs"
                                               : "the system does not let uimon read the program";
    snprintf(text, sizeof text, "freezes come without stacks: %s", why_not);
    um_watch_said_once(&watch->said, UM_WATCH_SAID_STACKS, text);
}

/* Asks the DLL for the unwind data of generated code that the sampler needs. */
static void ask_about_code(struct um_watch *watch)
{
    struct um_wire_frame frame = {.type = UM_WIRE_LOOK_UP};
    if (watch->sampler && um_sampler_question(watch->sampler, &frame.as.look_up.address))
        send_command(watch, &frame);
}

static void close_sampler(struct um_watch *watch)
{
    if (watch->profiler) {
        um_profiler_turn(watch->profiler, um_clock_now_ns(), false);
        um_profiler_sampler(watch->profiler, NULL, 0);
    }
    um_sampler_close(watch->sampler);
    watch->sampler = NULL;
}

static bool is_of_methods(uint8_t type)
{
    return type == UM_WIRE_METHOD || type == UM_WIRE_METHOD_CALLS || type == UM_WIRE_METHODS;
}

/* Takes what is summed up over the session, of a DLL that is asked to leave, too. */
static void take_summed(struct um_watch *watch, const struct um_wire_frame *frame, uint64_t now_ns)
{
    if (is_of_methods(frame->type)) {
        watch->has_methods = true;
        um_session_add(watch->session, frame);
    }
    um_methods_unseen_take(&watch->unseen, frame);
    um_tracer_take(&watch->tracer, frame);
    um_message_markers_take(&watch->messages, frame);
    um_costliest_take(&watch->costliest, frame);
    um_own_markers_take(watch->own_markers, frame, now_ns);
    um_watch_layout_take(&watch->layout, frame);
}

/* A frame of the source, before the session gets it. */
static void take_frame(void *context, const struct um_wire_frame *frame, uint64_t now_ns)
{
    struct um_watch *watch = context;
    if (frame->type == UM_WIRE_PROBE)
        um_watch_said_probe(&watch->said, &frame->as.probe);
    if (frame->type == UM_WIRE_TAKEN && frame->as.taken.message == UM_MESSAGE_CHARACTER)
        atomic_fetch_add(&watch->characters, 1);
    take_summed(watch, frame, now_ns);
    if (frame->type == UM_WIRE_TRACE_TIMES && watch->traces && !um_tracer_is_on(&watch->tracer))
        um_watch_said_once(&watch->said, UM_WATCH_SAID_UNTRACED,
                           "messages are not traced: the system refuses the hooks for that");
    if (frame->type == UM_WIRE_CODE && watch->sampler)
        um_sampler_answer(watch->sampler, frame);
}

static uint64_t leaving_ns(const struct um_watch *watch)
{
    struct um_wire_status status;
    uint8_t flags;
    um_session_status(watch->session, &status, &flags);
    return status.state == UM_STATE_SUSPENDED ? LEAVING_SUSPENDED_NS : LEAVING_NS;
}

/* Asks the DLL to leave and waits for leaving_ns at most, so that the next attachment finds it
 * gone. Of what it still sends, only what take_summed is for is taken. */
static void detach(struct um_watch *watch)
{
    struct um_wire_frame stop = {.type = UM_WIRE_STOP};
    struct um_wire_frame frame;
    if (!watch->driver.source)
        return;
    if (watch->sampler)
        um_sampler_rest(watch->sampler); /* the DLL would not resume a suspended thread any more */
    enum um_status status = um_target->frames->command(watch->driver.source, &stop);
    uint64_t until_ns = um_clock_now_ns() + leaving_ns(watch);
    while ((status == UM_OK || status == UM_ERR_TIMEOUT) && um_clock_now_ns() < until_ns) {
        status = um_target->frames->read(watch->driver.source, LEAVING_POLL_MS);
        while (um_target->frames->next(watch->driver.source, &frame) == UM_OK)
            take_summed(watch, &frame, um_clock_now_ns());
        um_costliest_turn(&watch->costliest);
    }
    um_watch_layout_finish(&watch->layout, um_clock_now_ns());
    um_target->frames->close(watch->driver.source);
    watch->now_ns = um_clock_now_ns();
    um_driver_detached(&watch->driver, watch->now_ns);
    um_module_lookup_close(watch->places);
    watch->places = NULL;
    watch->has_no_places = false;
}

/* Finds the program's main window anew if the watched one is gone, or hidden at two looks in a row.
 * (A login form is hidden when the main window comes. A frozen window is hidden for a moment when
 * the ghost that Windows put in its place goes.) Returns whether the attachment can stay: not if
 * the window is gone and there is no other, nor if the new one belongs to another thread. */
static bool look_at_window(struct um_watch *watch)
{
    struct um_target_info found;
    bool alive = um_target->window_alive(watch->target.hwnd, watch->target.tid);
    bool was_hidden = watch->hidden;
    watch->hidden = alive && !um_target->window_shown(watch->target.hwnd);
    if (alive && !(watch->hidden && was_hidden))
        return true;
    enum um_status status = um_target->look(watch->target.pid, watch->options->thread_id, &found);
    if (status != UM_OK || (alive && found.why_not[0]))
        return alive; /* a window that is gone cannot freeze; another one may come later */
    bool same_thread = found.tid == watch->target.tid;
    watch->target = found;
    watch->hidden = false;
    um_session_target(watch->session, &watch->target);
    um_watch_said_toolkit(&watch->said, watch->target.toolkit);
    return same_thread;
}

/* Finds out whether the system drops the beats because of the window in front. */
static void look_at_front(struct um_watch *watch)
{
    um_session_shielded(watch->session, um_target->is_shielded(watch->target.pid));
    if (um_session_beat_kind(watch->session)->shielded)
        um_watch_said_once(
            &watch->said, UM_WATCH_SAID_SHIELDED,
            "the program in front has a higher integrity level (does it run as administrator?), "
            "so the system drops the beats: blind until another window is in front");
}

static void say_beat_kind(struct um_watch *watch)
{
    if (watch->options->beat_kind != UM_BEAT_KIND_AUTO)
        return;
    if (um_session_beat_kind(watch->session)->kind == UM_BEAT_KIND_ZERO)
        um_watch_said_once(&watch->said, UM_WATCH_SAID_ZEROS,
                           "the system drops mouse events without a movement: the beats are "
                           "movements by zero pixels from now on");
    if (um_session_beat_kind(watch->session)->kind == UM_BEAT_KIND_PAIR)
        um_watch_said_once(
            &watch->said, UM_WATCH_SAID_PAIRS,
            "the system drops movements by zero pixels: the beats are pairs from now on, one "
            "pixel and back");
}

/* Says that beats make the program work too much, and how seldom they come because of that. */
static void say_spared(struct um_watch *watch)
{
    char line[200];
    uint32_t apart_us = um_session_spared_us(watch->session);
    if (apart_us == 0)
        return;
    snprintf(line, sizeof line,
             "beats are mouse messages here, and what the program does with each takes more than "
             "%g %% of its time: they come each %.0f ms now, so freezes are known less exactly",
             100 * UM_BEAT_LOAD_SHARE, (double)apart_us / 1e3);
    um_watch_said_once(&watch->said, UM_WATCH_SAID_SPARED, line);
}

/* Keeps the latest STATUS for other threads. */
static void leave_status(struct um_watch *watch, uint64_t now_ns)
{
    um_thread_lock(&watch->mutex);
    watch->view.has_status =
        um_session_status(watch->session, &watch->view.status, &watch->view.flags);
    watch->view.elapsed_s = (double)um_session_duration_ns(watch->session, now_ns) / 1e9;
    um_thread_unlock(&watch->mutex);
}

/* Publishes the notes of um_watch_add_note, and updates what other threads may read. */
static void meet_other_threads(struct um_watch *watch, uint64_t now_ns)
{
    struct um_wire_note notes[NOTES];
    um_thread_lock(&watch->mutex);
    size_t count = watch->note_count;
    memcpy(notes, watch->notes, count * sizeof notes[0]);
    watch->note_count = 0;
    uint64_t since_ns = um_session_quiet_since_ns(watch->session);
    watch->view.measuring =
        watch->driver.source && since_ns != 0 && !um_watch_layout_awaits(&watch->layout, now_ns);
    watch->view.quiet = (struct um_watch_quiet){0};
    if (watch->view.measuring)
        watch->view.quiet =
            (struct um_watch_quiet){um_target->frames->asked_ns(watch->driver.source),
                                    um_session_seen_ns(watch->session), since_ns};
    watch->view.target = watch->target;
    um_thread_unlock(&watch->mutex);
    for (size_t i = 0; i < count; i++)
        um_session_note(watch->session, notes[i].text, notes[i].time_ns);
}

/* Sends the overlay whether the user wants to see it, and what of it. Only the hub gets the frame,
 * because it is not about the target. */
static void send_view(struct um_watch *watch, uint64_t now_ns)
{
    struct um_wire_frame frame = {.type = UM_WIRE_VIEW,
                                  .as.view = {.hidden = atomic_load(&watch->keys.hide) != 0,
                                              .panel = (uint8_t)atomic_load(&watch->keys.panel),
                                              .layout = (uint8_t)atomic_load(&watch->layout.mode),
                                              .pins = atomic_load(&watch->layout.pins),
                                              .moved = atomic_load(&watch->keys.move) != 0}};
    struct um_feed_output hub = um_hub_output(watch->hub);

    if (um_wire_view_is_same(&frame.as.view, &watch->sent) ||
        um_session_duration_ns(watch->session, now_ns) == 0)
        return;
    watch->sent = frame.as.view;
    watch->profile_sent_ns = 0;
    um_feed_publish(&hub, 1, &frame);
}

/* When the present freeze began: the time at which its beat was sent. 0: there is no freeze. */
static uint64_t away_since_ns(const struct um_watch *watch, uint64_t now_ns)
{
    uint64_t waited_ns = um_session_waited_ns(watch->session, now_ns);
    return waited_ns >= (uint64_t)(watch->options->threshold_ms * 1e6) ? now_ns - waited_ns : 0;
}

/* Sends the overlay the hottest functions while it shows them. Only the hub gets the frame, because
 * other consumers can compute it from the samples. */
static void send_profile(struct um_watch *watch, uint64_t now_ns)
{
    struct um_wire_frame frames[UM_HOTTEST_FRAMES] = {{.type = UM_WIRE_PROFILE}}; /* of none */
    struct um_feed_output hub = um_hub_output(watch->hub);
    size_t count = 0;

    if (watch->sent.panel != UM_WIRE_PANEL_PROFILE || watch->sent.hidden ||
        now_ns - watch->profile_sent_ns < PROFILE_NS)
        return;
    watch->profile_sent_ns = now_ns;
    if (watch->sampler)
        count = um_profiler_hottest(watch->profiler, away_since_ns(watch, now_ns), now_ns, frames);
    for (size_t i = 0; i < (count > 0 ? count : 1); i++)
        um_feed_publish(&hub, 1, &frames[i]);
}

/* Starts the overlay once measuring has begun, and again when it has ended. */
static void keep_overlay(struct um_watch *watch, uint64_t now_ns)
{
    if (watch->options->headless || um_session_duration_ns(watch->session, now_ns) == 0)
        return;
    if (um_overlay_process_keep(&watch->overlay, now_ns))
        return;
    char text[UM_WATCH_LINE_BYTES];
    snprintf(text, sizeof text,
             "the overlay ended four times within a minute and stays away (%s); measuring goes on",
             watch->overlay.why);
    say(watch, text);
}

/* Finds what hides the overlay, for the status line. Describing a window takes longer than finding
 * it, so that is done once. */
static void look_at_hider(struct um_watch *watch)
{
    char text[UM_TARGET_HIDER_BYTES] = "";
    uint64_t hider = um_overlay_process_hider(&watch->overlay);

    if (hider == watch->hider)
        return;
    watch->hider = hider;
    if (hider != 0)
        um_target->describe_window(hider, text, sizeof text);
    um_thread_lock(&watch->mutex);
    um_text_set(watch->view.hidden_by, sizeof watch->view.hidden_by, text);
    um_thread_unlock(&watch->mutex);
}

static void forget_hider(struct um_watch *watch)
{
    watch->hider = 0;
    um_thread_lock(&watch->mutex);
    watch->view.hidden_by[0] = '\0';
    um_thread_unlock(&watch->mutex);
}

static void switch_tracing(struct um_watch *watch)
{
    bool wanted = atomic_load(&watch->keys.trace) != 0;
    if (wanted == watch->traces)
        return;
    watch->traces = wanted;
    if (wanted)
        um_session_want(watch->session, UM_SESSION_TRACE_EVENTS, true);
    um_session_want(watch->session, UM_SESSION_TRACES,
                    wanted); /* the last events come at its end */
    if (!wanted)
        um_session_want(watch->session, UM_SESSION_TRACE_EVENTS, false);
    say(watch, wanted ? "tracing messages: each sent message is slower from now on"
                      : "tracing messages has ended");
}

static bool wants_methods(const struct um_watch *watch)
{
    return um_options_trace_is_managed(watch->options->trace);
}

/* A program that brings its runtime in its own file has none of the first three modules, but
 * uimon's profiler if that traces it. */
static void look_for_runtime(struct um_watch *watch)
{
    watch->has_runtime =
        watch->has_runtime || um_trace_env_has_runtime(um_target->pid(watch->process));
}

/* Whether a line says how a program is traced that the launched one has started. */
static bool is_child_advised(struct um_watch *watch)
{
    return watch->children && um_watch_children_advised(watch->children, &watch->said.lines);
}

/* At the end: why there are no calls of methods although they were asked for. */
static void say_methodless(struct um_watch *watch)
{
    char text[UM_WATCH_LINE_BYTES];
    const char *depth = watch->options->trace == UM_OPTIONS_TRACE_CALLS ? "calls" : "methods";
    struct um_utf8_shown name = um_utf8_show(watch->target.name, 60);

    if (!wants_methods(watch) || watch->has_methods || !watch->said.greeted)
        return;
    if (um_target->running(watch->process))
        look_for_runtime(watch);
    if (!watch->has_runtime && is_child_advised(watch))
        return;
    if (!watch->has_runtime)
        snprintf(text, sizeof text,
                 "--trace %s has traced nothing: %s is not managed, it has loaded no .NET runtime; "
                 "launch the program with the managed code itself, or leave --trace %s out",
                 depth, name.text, depth);
    else
        snprintf(text, sizeof text,
                 "--trace %s has traced nothing: the .NET runtime of %s has not loaded uimon's "
                 "profiler, or not in time; %s",
                 depth, name.text,
                 watch->options->command == UM_OPTIONS_WATCH
                     ? "start the program with --launch, or as 'uimon trace-env' says"
                     : "another tool's profiler or a policy may keep it out");
    say(watch, text);
}

/* Asks for the calls of methods, once measuring has begun. They are sums, so none are missing. */
static void turn_methods(struct um_watch *watch, uint64_t now_ns)
{
    if (!wants_methods(watch) || um_session_duration_ns(watch->session, now_ns) == 0)
        return;
    um_session_want(watch->session, UM_SESSION_METHODS, true);
    if (watch->methods_ns == 0)
        watch->methods_ns = now_ns;
    if (watch->has_methods || um_ns_elapsed(watch->methods_ns, now_ns) < METHODS_NS ||
        watch->said.once[UM_WATCH_SAID_METHODLESS])
        return;
    look_for_runtime(watch); /* it may have come after the window */
    if (!watch->has_runtime && is_child_advised(watch))
        watch->said.once[UM_WATCH_SAID_METHODLESS] = true;
    else
        um_watch_said_once(&watch->said, UM_WATCH_SAID_METHODLESS,
                           "no calls of methods so far: no runtime of .NET in the program has "
                           "loaded uimon's profiler");
}

/* Says what no traced method is in. */
static void say_unseen(struct um_watch *watch, bool is_end)
{
    char line[UM_WATCH_LINE_BYTES];
    while (um_methods_unseen_line(&watch->unseen, is_end, line, sizeof line))
        say(watch, line);
}

static uint32_t wait_ms(const struct um_watch *watch, uint64_t now_ns)
{
    uint64_t deadline_ns = um_session_deadline(watch->session, now_ns);
    uint64_t left_ns = deadline_ns > now_ns ? deadline_ns - now_ns : 0;
    return (uint32_t)((left_ns + UM_CLOCK_NS_PER_MS - 1) / UM_CLOCK_NS_PER_MS);
}

/* Sends the DLL the other threads that may be suspended, so that it can resume them if uimon ends
 * meanwhile. */
static void send_threads(struct um_watch *watch)
{
    struct um_wire_frame command = {.type = UM_WIRE_MAY_SUSPEND};
    bool comes;
    while (um_sampler_thread(watch->sampler, &command.as.command.thread, &comes)) {
        command.as.command.value = comes;
        um_target->frames->command(watch->driver.source, &command);
    }
}

/* What follows each turn of the driver. False if the attachment cannot stay. */
static bool follow_turn(struct um_watch *watch, uint64_t now_ns, uint64_t *next_look_ns)
{
    if (watch->sampler) {
        um_sampler_waits(watch->sampler, um_session_waited_ns(watch->session, now_ns));
        send_threads(watch);
    }
    ask_about_code(watch);
    turn_profiler(watch, now_ns);
    um_watch_layout_turn(&watch->layout, watch->session);
    um_watch_layout_look(&watch->layout, &watch->target, watch->view.status.state == UM_STATE_IDLE,
                         now_ns);
    if (has_begun(watch, now_ns)) {
        say_begun(watch);
        um_watch_layout_tick(&watch->layout, now_ns);
        if (watch->dotnet)
            um_dotnet_turn(watch->dotnet, now_ns);
        um_own_markers_ask(watch->own_markers);
    }
    um_marker_frames_turn(watch->markers, now_ns, false);
    meet_other_threads(watch, now_ns);
    send_view(watch, now_ns);
    send_profile(watch, now_ns);
    switch_tracing(watch);
    turn_methods(watch, now_ns);
    say_unseen(watch, false);
    check_duration(watch, now_ns);
    if (now_ns < *next_look_ns)
        return true;
    *next_look_ns = now_ns + LOOK_NS;
    leave_status(watch, now_ns);
    keep_overlay(watch, now_ns);
    look_at_hider(watch);
    um_session_want(watch->session, UM_SESSION_POOL, probes_pool(watch));
    um_session_want(watch->session, UM_SESSION_COUNTS, counts(watch));
    begin_dotnet(watch, now_ns);
    look_at_front(watch);
    say_beat_kind(watch);
    say_spared(watch);
    if (watch->children)
        um_watch_children_turn(watch->children, &watch->said.lines, now_ns);
    return look_at_window(watch);
}

/* Called after each read, and at the session's deadlines. False if the frames cannot be trusted any
 * more. */
static bool turn(struct um_watch *watch)
{
    watch->now_ns = um_clock_now_ns();
    bool is_right = um_driver_turn(&watch->driver, watch->now_ns);
    um_costliest_turn(&watch->costliest);
    return is_right;
}

/* Measures until the connection ends, the main window is one of another thread, or it is time to
 * stop. Returns whether the DLL has ended the connection although its window is there. */
static bool measure(struct um_watch *watch)
{
    uint64_t next_look_ns = 0;

    if (!turn(watch)) /* frames have come with HELLO */
        return true;
    while (!atomic_load(&watch->stop)) {
        enum um_status status =
            um_target->frames->read(watch->driver.source, wait_ms(watch, um_clock_now_ns()));
        if (status != UM_OK && status != UM_ERR_TIMEOUT)
            return um_target->running(watch->process) &&
                   um_target->window_alive(watch->target.hwnd, watch->target.tid);
        if (!turn(watch))
            return true;
        if (!follow_turn(watch, watch->now_ns, &next_look_ns))
            return false;
    }
    return false;
}

/* Called while the process has no window, or has ended. False if no window will come, also because
 * another program has been chosen to be watched. */
static bool look_at_children(struct um_watch *watch, bool runs, uint64_t begun_ns,
                             uint64_t *next_ns)
{
    uint64_t now_ns = um_clock_now_ns();
    bool may_choose = watch->children && !watch->said.greeted;
    if (!runs && !may_choose)
        return false;
    if (now_ns < *next_ns)
        return true;
    bool hurries = !runs && !watch->children->said_waiting;
    *next_ns = now_ns + (hurries ? LATE_WINDOW_NS : LOOK_NS);
    if (!runs)
        return um_watch_children_choose(watch->children, watch->process, watch->target.name,
                                        &watch->said.lines, now_ns);
    if (watch->children && um_ns_elapsed(begun_ns, now_ns) >= BESIDE_NS)
        um_watch_children_beside(watch->children, &watch->said.lines);
    return true;
}

/* Waits until the process shows a window that can be its main window. False if none will come. */
static bool wait_for_window(struct um_watch *watch)
{
    uint64_t begun_ns = um_clock_now_ns(), next_ns = 0;
    bool said = false, runs = true;

    while (!atomic_load(&watch->stop)) {
        bool ran = runs;
        runs = um_target->running(watch->process);
        uint32_t pid = um_target->pid(watch->process);
        struct um_target_info found;
        if (ran && um_target->look(pid, watch->options->thread_id, &found) == UM_OK && runs) {
            watch->target = found;
            return true;
        }
        if (ran && found.name[0]) { /* Windows does not tell the name of one that has ended */
            watch->target = found;
            watch->target.hwnd = 0;
        }
        next_ns = ran && !runs ? 0 : next_ns;
        if (watch->children)
            um_watch_children_name(watch->children, watch->process, watch->target.name);
        if (!look_at_children(watch, runs, begun_ns, &next_ns))
            return false;
        if (!said && runs && um_clock_now_ns() - begun_ns > PATIENCE_NS) {
            say(watch, "the program has no window yet; watching begins with its first one");
            said = true;
        }
        if (!should_stop(watch))
            um_clock_sleep_ns(said || !runs ? LATE_WINDOW_NS : WINDOW_NS);
    }
    return false;
}

static void say_never_began(struct um_watch *watch)
{
    snprintf(watch->error, sizeof watch->error, "uimon: nothing was measured: %s %s within %g s",
             watch->target.name[0] ? watch->target.name : "the program",
             watch->had_window ? "took no beat" : "showed no window", begin_limit_s(watch));
}

/* Whether a program that the target has started is watched after it. */
static bool is_followed(const struct um_watch *watch)
{
    return watch->children && watch->children->next;
}

static void say_never_shown(struct um_watch *watch)
{
    char how[UM_OPTIONS_ERROR_BYTES / 2];
    const struct um_watch_children *children = watch->children;
    um_watch_children_describe(children ? children->launched : watch->process, watch->process,
                               children && children->had_any, how, sizeof how);
    snprintf(watch->error, sizeof watch->error, "uimon: %s %s",
             watch->target.name[0] ? watch->target.name : "the program", how);
}

static void target_is_gone(struct um_watch *watch)
{
    if (atomic_load(&watch->stop))
        return;
    if (is_followed(watch)) {
        end_with(watch, UM_OK, UM_END_TARGET_GONE);
        return;
    }
    if (!watch->said.greeted && watch->had_window)
        snprintf(watch->error, sizeof watch->error,
                 "uimon: %s (pid %lu) ended before it could be watched", watch->target.name,
                 (unsigned long)watch->target.pid);
    else if (!watch->said.greeted)
        say_never_shown(watch);
    end_with(watch, watch->said.greeted ? UM_OK : UM_ERR_NOT_FOUND, UM_END_TARGET_GONE);
}

/* Called when the DLL has left by itself. False if it has stayed for less than SHORT_NS several
 * times in a row: then it cannot work there. */
static bool may_try_again(struct um_watch *watch, uint64_t begun_ns)
{
    watch->short_count = um_clock_now_ns() - begun_ns < SHORT_NS ? watch->short_count + 1 : 0;
    if (watch->short_count < SHORT_LIMIT)
        return true;
    snprintf(watch->error, sizeof watch->error,
             "uimon: the hook DLL does not stay in %s (pid %lu): the system or an antivirus may "
             "refuse it its hooks",
             watch->target.name, (unsigned long)watch->target.pid);
    return false;
}

/* Attaches, measures until the attachment ends, and detaches. */
static void watch_once(struct um_watch *watch)
{
    struct um_frame_source_host host = {watch, should_stop, say};
    struct um_frame_source *source;
    struct um_wire_frame hello;

    um_session_target(watch->session, &watch->target);
    enum um_status status = um_target->frames->open(&watch->target, watch->process, &host, &source,
                                                    &hello, watch->error, sizeof watch->error);
    if (status == UM_OK) {
        uint64_t begun_ns = um_clock_now_ns();
        um_watch_said_greeting(&watch->said, &watch->target,
                               um_target->ignores_ctrl_c(watch->process));
        um_watch_said_toolkit(&watch->said, watch->target.toolkit);
        if (wants_methods(watch))
            look_for_runtime(watch);
        open_sampler(watch, &hello.as.hello);
        um_tracer_attached(&watch->tracer);
        um_message_markers_attached(&watch->messages, watch->target.tid);
        um_costliest_attached(&watch->costliest);
        um_own_markers_attached(watch->own_markers);
        um_watch_layout_attached(&watch->layout, &watch->target);
        um_driver_attached(&watch->driver, source, &hello.as.hello, begun_ns);
        if (measure(watch) && !may_try_again(watch, begun_ns))
            end_with(watch, UM_ERR_DENIED, UM_END_FAILED);
        um_driver_take_control(&watch->driver);
        /* Before the DLL is asked to leave: the session would count the time after it as blind. */
        if (atomic_load(&watch->stop)) {
            watch->now_ns = um_clock_now_ns();
            um_session_halt(watch->session, watch->now_ns);
            um_dotnet_stop(watch->dotnet);
        }
        detach(watch);
        um_own_markers_detached(watch->own_markers, um_clock_now_ns());
        close_sampler(watch);
        meet_other_threads(watch, um_clock_now_ns()); /* `measuring` is false from now on */
    } else if (status != UM_ERR_CLOSED) {
        end_with(watch, status, UM_END_FAILED);
    }
    watch->error[0] = watch->result == UM_OK ? 0 : watch->error[0];
}

/* Ends the session, once the last freezes have their stacks. */
static void stop_session(struct um_watch *watch)
{
    uint64_t now_ns = um_clock_now_ns();
    watch->now_ns = now_ns;
    um_session_halt(watch->session, now_ns);
    if (watch->profiler) {
        um_profiler_finish(watch->profiler, NAMES_MS);
        turn_profiler(watch, um_clock_now_ns());
    }
    if (um_watch_layout_is_empty(&watch->layout))
        say(watch, "--layout has seen nothing: no window was laid out or painted, or the system "
                   "refuses the hooks for that");
    if (has_begun(watch, now_ns))
        um_dotnet_finish(watch->dotnet);
    say_methodless(watch);
    say_unseen(watch, true);
    um_marker_frames_turn(watch->markers, um_clock_now_ns(), true);
    if (!is_followed(watch)) /* the outputs go on with the next one's session */
        um_session_stop(watch->session, now_ns, watch->reason);
}

/* Whether the program still has a window that could be watched. */
static bool has_window(const struct um_watch *watch)
{
    struct um_target_info info;
    return um_target->look(um_target->pid(watch->process), 0, &info) == UM_OK;
}

/* The watching thread: one attachment after the other, until the end. */
static void run(void *context)
{
    struct um_watch *watch = context;

    while (!atomic_load(&watch->stop)) {
        if (!watch->target.hwnd && !wait_for_window(watch)) {
            target_is_gone(watch);
            break;
        }
        if (watch->target.why_not[0]) {
            snprintf(watch->error, sizeof watch->error, "uimon: %s (pid %lu) cannot be watched: %s",
                     watch->target.name, (unsigned long)watch->target.pid, watch->target.why_not);
            end_with(watch, UM_ERR_DENIED, UM_END_FAILED);
            break;
        }
        watch->had_window = true;
        watch_once(watch);
        forget_hider(watch);
        watch->target.hwnd = 0; /* the window, its thread or the DLL is gone: look again */
    }
    if (watch->never_began)
        say_never_began(watch);
    if (watch->children && watch->said.greeted && !has_window(watch))
        um_watch_children_left(watch->children, watch->process, &watch->said.lines);
    stop_session(watch);
    leave_status(watch, um_clock_now_ns());
    atomic_store(&watch->over, 1);
}

/* own_cost of session.h. */
static void own_cost(void *context, uint64_t *monitor_ns, uint64_t *overlay_ns)
{
    struct um_watch *watch = context;
    *monitor_ns = um_platform_cpu_ns();
    if (!um_overlay_process_cpu_ns(&watch->overlay, overlay_ns))
        *overlay_ns = 0;
}

static enum um_watch_input input_wanted(const struct um_options *options)
{
    if (options->keep_keys)
        return UM_WATCH_INPUT_KEYS;
    return options->interactions ? UM_WATCH_INPUT_ON : UM_WATCH_INPUT_OFF;
}

static enum um_status open_profiler(struct um_watch *watch)
{
    char path[UM_NAMES_SEARCH_BYTES] = "";
    const char *asked = watch->options->symbol_path;
    if (!asked)
        (void)um_platform_variable("_NT_SYMBOL_PATH", path, sizeof path);
    struct um_profiler_config config = {
        .pid = um_target->pid(watch->process),
        .symbol_path = asked ? asked : path,
        .mine = watch->options->mine,
        .shown = {watch->options->by, watch->options->only, watch->options->hide},
        .transport = um_transport_system(),
        .context = watch,
        .publish = publish_profile};
    return um_profiler_open(&config, &watch->profiler);
}

static enum um_status open_session(struct um_watch *watch, const struct um_feed_output *outputs,
                                   size_t output_count)
{
    struct um_session_config config = {.options = watch->options,
                                       .control = watch->driver.control != NULL,
                                       .arrivals = watch->driver.control &&
                                                   um_target->control->tells_arrivals,
                                       .context = watch,
                                       .command = send_command,
                                       .window_class = window_class,
                                       .message_name = message_name,
                                       .freeze_over = freeze_over,
                                       .own_cost = own_cost};
    if (samples(watch->options)) {
        config.freeze = freeze_ended;
        config.sampling = sampling_cost;
    }
    for (size_t i = 0; i < output_count; i++)
        config.outputs[i] = outputs[i];
    config.outputs[output_count] = um_hub_output(watch->hub);
    config.output_count = output_count + 1;
    enum um_status status = um_session_open(&config, um_clock_now_ns(), &watch->session);
    watch->driver.session = watch->session;
    return status;
}

/* Lets `uimon listen` find the feed. If that fails, measuring goes on. */
static void publish_feed(struct um_watch *watch, const char *feed)
{
    char folder[UM_PLATFORM_PATH_BYTES];
    char text[UM_WATCH_LINE_BYTES];
    struct um_target_info info;
    uint32_t pid = um_target->pid(watch->process);

    memset(&info, 0, sizeof info);
    um_target->look(pid, 0, &info);
    enum um_status status = um_registry_folder(folder, sizeof folder);
    if (status == UM_OK)
        status = um_registry_publish(folder, pid, info.name[0] ? info.name : "?", feed,
                                     &watch->registry);
    if (status != UM_OK) {
        snprintf(text, sizeof text, "'uimon listen' will not find this feed: %s",
                 status == UM_ERR_DENIED ? "others can change the folder for it; delete that"
                                         : um_status_text(status));
        say_detail(watch, text);
    }
}

enum um_status um_watch_open(const struct um_options *options,
                             const struct um_target_process *process,
                             const struct um_target_info *attach_to, struct um_reverse *reverse,
                             struct um_watch_children *children,
                             const struct um_feed_output *outputs, size_t output_count,
                             struct um_watch **watch_out)
{
    struct um_watch *watch = calloc(1, sizeof *watch);
    char feed[UM_TRANSPORT_NAME_BYTES];
    char text[UM_WATCH_LINE_BYTES];

    if (!watch)
        return UM_ERR_MEMORY;
    watch->options = options;
    watch->process = process;
    watch->children = children;
    watch->opened_ns = um_clock_now_ns();
    watch->now_ns = watch->opened_ns;
    watch->driver = (struct um_driver){.frames = um_target->frames,
                                       .controls = um_target->control,
                                       .context = watch,
                                       .take = take_frame};
    watch->said.options = options;
    if (!options->headless && um_watch_is_seen(options))
        atomic_store(&watch->keys.panel, (int)options->panel);
    if (attach_to)
        watch->target = *attach_to;
    watch->tracer.config = (struct um_tracer_config){watch, publish, handler_key, message_name};
    watch->unseen = (struct um_methods_unseen){.publish = publish, .context = watch};
    atomic_store(&watch->keys.trace, options->trace != UM_OPTIONS_TRACE_OFF &&
                                         !um_options_trace_is_managed(options->trace));
    watch->layout.config =
        (struct um_layout_config){watch,         publish,          describe_window,
                                  handler_key,   is_system_module, options->layout_rules,
                                  locate_window, layout_stepped};
    watch->layout.xaml.host = (struct um_watch_xaml_host){watch, say, say_detail};
    atomic_store(&watch->layout.mode, (int)options->layout);
    enum um_status status = um_marker_frames_open(publish, watch, &watch->markers);
    watch->messages.frames = watch->markers;
    watch->messages.context = watch;
    watch->messages.message_name = message_name;
    watch->messages.more = want_more_messages;
    watch->messages.wanted = options->trace == UM_OPTIONS_TRACE_EVENTS;
    watch->costliest.context = watch;
    watch->costliest.publish = publish;
    watch->costliest.message_name = message_name;
    watch->costliest.window_class = window_class;
    if (status == UM_OK)
        status = um_hub_open(um_transport_system(), &watch->hub, feed);
    if (status == UM_OK) {
        um_overlay_process_init(&watch->overlay, options, um_transport_system(), feed);
        snprintf(text, sizeof text, "feed: %s", feed);
        say_detail(watch, text);
        publish_feed(watch, feed);
        /* Measuring works without a control, but then a lost beat looks like a freeze. */
        if (um_target->control->open(input_wanted(options), um_target->pid(process),
                                     &watch->driver.control) != UM_OK)
            say(watch, "no raw input for the monitor: beats that the system loses read as frozen");
        if (um_watch_is_seen(options))
            status = open_profiler(watch);
        if (reverse && options->dotnet)
            open_dotnet(watch, um_target->pid(process), reverse);
    }
    if (status == UM_OK)
        status = um_own_markers_open(watch->markers, send_command, watch, &watch->own_markers);
    if (status == UM_OK)
        status = open_session(watch, outputs, output_count);
    if (status == UM_OK)
        um_watch_keys_open(&watch->keys, options, &watch->layout, &watch->said, watch);
    if (status == UM_OK)
        status = um_thread_start(run, watch, &watch->thread);
    if (status != UM_OK) {
        um_watch_close(watch);
        return status;
    }
    *watch_out = watch;
    return UM_OK;
}

bool um_watch_over(struct um_watch *watch)
{
    return atomic_load(&watch->over) != 0;
}

void um_watch_stop(struct um_watch *watch)
{
    atomic_store(&watch->stop, 1);
}

struct um_watch_view um_watch_view(struct um_watch *watch)
{
    um_thread_lock(&watch->mutex);
    struct um_watch_view view = watch->view;
    um_thread_unlock(&watch->mutex);
    return view;
}

uint64_t um_watch_characters(struct um_watch *watch)
{
    return atomic_load(&watch->characters);
}

bool um_watch_add_note(struct um_watch *watch, const char *text)
{
    um_thread_lock(&watch->mutex);
    bool room = watch->note_count < NOTES;
    if (room) {
        struct um_wire_note *note = &watch->notes[watch->note_count++];
        note->time_ns = um_clock_now_ns();
        um_text_set(note->text, sizeof note->text, text);
    }
    um_thread_unlock(&watch->mutex);
    return room;
}

bool um_watch_next_line(struct um_watch *watch, char *line, size_t cap_bytes)
{
    return um_line_queue_take(&watch->said.lines, line, cap_bytes);
}

enum um_status um_watch_finish(struct um_watch *watch, struct um_summary *summary, bool *measured,
                               char *error, size_t error_cap)
{
    um_watch_keys_close(&watch->keys);
    um_thread_join(&watch->thread);
    *measured = um_session_summary(watch->session, summary);
    um_registry_withdraw(watch->registry);
    watch->registry = NULL;
    um_hub_close(watch->hub); /* consumers see the end of the feed and leave */
    watch->hub = NULL;
    um_overlay_process_end(&watch->overlay);
    um_text_set(error, error_cap, watch->error);
    return watch->result;
}

void um_watch_close(struct um_watch *watch)
{
    if (!watch)
        return;
    atomic_store(&watch->stop, 1);
    um_watch_keys_close(&watch->keys);
    um_thread_join(&watch->thread);
    um_target->frames->close(watch->driver.source);
    um_module_lookup_close(watch->places);
    close_sampler(watch);
    um_registry_withdraw(watch->registry);
    um_hub_close(watch->hub);
    um_overlay_process_end(&watch->overlay);
    um_target->control->close(watch->driver.control);
    um_profiler_close(watch->profiler);
    um_watch_layout_close(&watch->layout);
    um_dotnet_close(watch->dotnet);
    um_message_markers_deinit(&watch->messages);
    um_costliest_deinit(&watch->costliest);
    um_own_markers_close(watch->own_markers);
    um_methods_unseen_deinit(&watch->unseen);
    um_marker_frames_close(watch->markers);
    um_session_close(watch->session);
    free(watch);
}
