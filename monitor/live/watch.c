#include "monitor/live/watch.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ipc/clock.h"
#include "ipc/names.h"
#include "ipc/thread.h"
#include "monitor/base/hotkeys.h"
#include "monitor/base/ns.h"
#include "monitor/base/platform.h"
#include "monitor/feed/hub.h"
#include "monitor/feed/registry.h"
#include "monitor/live/dotnet.h"
#include "monitor/live/overlay_process.h"
#include "monitor/live/profiler.h"
#include "monitor/live/session.h"
#include "monitor/live/tracer.h"
#include "monitor/sample/places.h"
#include "monitor/profile/samples.h"
#include "monitor/sample/sampler.h"
#include "monitor/target/attach.h"
#include "monitor/target/control.h"

#define LOOK_NS (250 * UM_CLOCK_NS_PER_MS)       /* between two looks at windows and processes */
#define WINDOW_NS (5 * UM_CLOCK_NS_PER_MS)       /* between two looks for the first window */
#define PATIENCE_NS (10 * UM_CLOCK_NS_PER_S)     /* after this without a window a line says so, */
#define LATE_WINDOW_NS (50 * UM_CLOCK_NS_PER_MS) /* and the looks are this far apart */
#define LEAVING_NS (250 * UM_CLOCK_NS_PER_MS)    /* the DLL gets so long to leave */
#define LEAVING_POLL_MS 50
#define PROFILE_NS UM_CLOCK_NS_PER_S /* between two PROFILE of one kind */
#define NAMES_MS 2000 /* at the end so much is waited for the names of the last freezes */
#define SHORT_NS UM_CLOCK_NS_PER_S /* an attachment that the DLL ends sooner did not work */
#define SHORT_LIMIT 5              /* so many of those in a row are an error */
#define LINES 8
#define NOTES 16

struct um_watch {
    const struct um_options *options;
    const struct um_target_process *process;
    struct um_target_info target; /* hwnd 0: to be found */
    struct um_hub *hub;
    struct um_registry *registry; /* where others find the feed; NULL: nowhere */
    struct um_control *control;
    struct um_session *session;
    struct um_attach *attach;
    struct um_overlay_process overlay;
    struct um_hotkeys *hotkeys;
    struct um_dotnet *dotnet;     /* NULL: nobody asks for the target's own counters */
    struct um_profiler *profiler; /* NULL: nothing is to be sampled */
    struct um_sampler *sampler;   /* of the present attachment; NULL: nothing is sampled */
    struct um_tracer tracer;
    struct um_places *places;          /* of the present attachment; NULL: none was needed yet */
    bool has_no_places;                /* ... or the system refuses it */
    struct um_suspensions suspensions; /* the sampler's while there is one */
    struct um_thread thread;
    bool greeted;
    bool had_window;       /* it has shown one that could be its main window */
    bool hidden;           /* the window was hidden at the last look */
    bool said_shielded;    /* the console was told why beats do not arrive */
    bool said_pointer;     /* ... and why none are sent to a hidden pointer */
    bool said_pairs;       /* ... and that they have become pairs */
    bool said_tracing;     /* ... and that the system does not let it trace */
    bool told_trace;       /* what the session was told */
    bool said_stacks;      /* ... and why there are no stacks */
    bool asked_dotnet;     /* its runtime for its counters, or that could not be begun */
    unsigned short_count;  /* attachments in a row that the DLL ended at once */
    char said_toolkit[32]; /* of the last line about it; empty: there was none */
    uint8_t said_probe;    /* of the last line about the probe; UM_PROBE_AUTO: there was none */
    uint16_t said_reason;  /* of the same line */
    _Atomic int stop;      /* the thread should end */
    _Atomic int trace;     /* the user wants messages to be traced */
    _Atomic int hide;      /* the user does not want to see the overlay */
    _Atomic int panel;     /* what the user wants to see of it, enum um_wire_panel */
    bool told_hide;        /* what the overlay was told */
    uint8_t told_panel;    /* the same */
    uint64_t profile_ns;   /* when it was told of the profile */
    unsigned marks;        /* that the user has set; the hotkeys' thread's */
    _Atomic int over;      /* the thread has nothing more to do */
    enum um_status result;
    char error[UM_OPTIONS_ERROR_BYTES];
    enum um_end_reason reason;

    struct um_thread_mutex mutex; /* guards what follows, which other threads read and write */
    struct um_wire_status status;
    uint8_t status_flags;
    bool has_status;
    double elapsed_s;
    bool measuring;
    struct um_watch_quiet quiet;
    struct um_target_info shown_target;
    size_t line_count;
    char lines[LINES][UM_WATCH_LINE_BYTES]; /* for the console */
    size_t note_count;
    struct um_wire_note notes[NOTES]; /* for the feed */
};

/* Thread: holds the mutex. */
static void remove_oldest_line(struct um_watch *watch)
{
    watch->line_count--;
    memmove(watch->lines[0], watch->lines[1], sizeof watch->lines[0] * watch->line_count);
}

/* Queues a line for the console; the oldest one gives way. */
static void say(void *context, const char *text)
{
    struct um_watch *watch = context;
    um_thread_lock(&watch->mutex);
    if (watch->line_count == LINES)
        remove_oldest_line(watch);
    um_wire_set_text(watch->lines[watch->line_count++], UM_WATCH_LINE_BYTES, text);
    um_thread_unlock(&watch->mutex);
}

/* The same for what only --verbose shows. */
static void say_detail(struct um_watch *watch, const char *text)
{
    if (watch->options->verbose)
        say(watch, text);
}

/* Hands the session what the control has seen since the last call. */
static void take_control(struct um_watch *watch)
{
    struct um_arrival arrival;
    uint32_t seq;
    uint64_t time_ns;
    if (!watch->control)
        return;
    while (um_control_pop(watch->control, &seq, &time_ns))
        um_session_control(watch->session, seq, time_ns);
    while (um_control_pop_arrival(watch->control, &arrival))
        um_session_arrival(watch->session, &arrival);
    um_session_arrivals_lost(watch->session, um_control_lost(watch->control));
    um_session_input(watch->session, um_control_last_input_ns(watch->control));
}

/* Asked a few times a second while attaching takes its time; the session publishes meanwhile. */
static bool should_stop(void *context)
{
    struct um_watch *watch = context;
    take_control(watch);
    um_session_tick(watch->session, um_clock_now_ns());
    return atomic_load(&watch->stop) != 0;
}

static void send_command(void *context, const struct um_wire_frame *command)
{
    struct um_watch *watch = context;
    if (watch->attach)
        um_attach_command(watch->attach, command); /* the next read tells of a broken pipe */
}

static bool window_class(void *context, uint64_t hwnd, char *buf, size_t cap_bytes)
{
    (void)context;
    return um_target_window_class(hwnd, buf, cap_bytes);
}

static bool message_name(void *context, uint32_t message, char *buf, size_t cap_bytes)
{
    (void)context;
    return um_target_message_name(message, buf, cap_bytes);
}

static void freeze_ended(void *context, const struct um_wire_frame *episode)
{
    struct um_watch *watch = context;
    um_profiler_freeze(watch->profiler, episode, um_clock_now_ns());
}

static void publish_profile(void *context, const struct um_wire_frame *frame)
{
    struct um_watch *watch = context;
    const struct um_wire_stack *stack = &frame->as.stack;
    char text[UM_WATCH_LINE_BYTES];

    um_session_add(watch->session, frame);
    if (frame->type != UM_WIRE_STACK)
        return;
    snprintf(text, sizeof text, "freeze %lu: %lu of %lu samples in %s",
             (unsigned long)stack->freeze, (unsigned long)stack->alike,
             (unsigned long)stack->samples,
             stack->frames[0][0] ? stack->frames[0] : "no one place");
    say_detail(watch, text);
}

/* Says once that sampling has ended, and what the reason is likely to be. */
static void say_refused_stacks(struct um_watch *watch)
{
    enum um_status why;
    char text[UM_WATCH_LINE_BYTES];
    if (!watch->sampler || !um_sampler_refused(watch->sampler, &why) || watch->said_stacks)
        return;
    snprintf(text, sizeof text,
             "freezes come without stacks from now on: the system does not let uimon suspend the "
             "program's thread (%s)",
             why == UM_ERR_BUSY ? "others have suspended it as often as that goes"
                                : "security software may have taken that right from uimon");
    say(watch, text);
    watch->said_stacks = true;
}

/* Hands on what the sampler has, and says once why there are no names. */
static void turn_profiler(struct um_watch *watch)
{
    uint64_t now_ns = um_clock_now_ns();
    uint64_t away_ns = (uint64_t)(watch->options->slow_ms * 1e6);
    char why[96];
    char text[UM_WATCH_LINE_BYTES];
    if (!watch->profiler)
        return;
    um_profiler_turn(watch->profiler, now_ns,
                     um_session_waited_ns(watch->session, now_ns) >= away_ns);
    say_refused_stacks(watch);
    if (um_profiler_trouble(watch->profiler, why, sizeof why)) {
        snprintf(text, sizeof text, "functions are told by their addresses (%s)", why);
        say(watch, text);
    }
    if (um_profiler_full(watch->profiler, text, sizeof text))
        say(watch, text);
    if (um_profiler_managed_trouble(watch->profiler, why, sizeof why)) {
        snprintf(text, sizeof text, "managed methods are told by their addresses (%s)", why);
        say(watch, text);
    }
}

static void publish_traced(void *context, const struct um_wire_frame *frame)
{
    struct um_watch *watch = context;
    um_session_add(watch->session, frame);
}

/* The key of a handler's address: its module is told of, and it gets a name. */
static uint64_t handler_key(void *context, uint64_t address)
{
    struct um_watch *watch = context;
    struct um_sampler_module module;
    uint64_t offset;
    if (watch->profiler && !watch->places && !watch->has_no_places)
        watch->has_no_places =
            um_places_open(watch->target.pid, watch->target.tid, &watch->places) != UM_OK;
    if (!watch->profiler || !watch->places ||
        !um_places_find(watch->places, address, um_clock_now_ns(), &module, &offset))
        return um_samples_key(-1, address);
    return um_profiler_key(watch->profiler, &module, offset);
}

static void publish_counter(void *context, const struct um_wire_frame *frame)
{
    struct um_watch *watch = context;
    um_session_add(watch->session, frame);
}

static void say_dotnet_detail(void *context, const char *line)
{
    say_detail(context, line);
}

static bool is_target_running(void *context)
{
    struct um_watch *watch = context;
    return um_target_running(watch->process);
}

/* Asks the target's runtime for its counters, once measuring has begun: nothing is published
 * before. */
static void begin_dotnet(struct um_watch *watch)
{
    const struct um_dotnet_host host = {watch, publish_counter, say, say_dotnet_detail,
                                        is_target_running};
    if (!watch->options->dotnet || watch->asked_dotnet ||
        um_session_duration_ns(watch->session, um_clock_now_ns()) == 0)
        return;
    watch->asked_dotnet = true;
    watch->dotnet = um_dotnet_open(watch->options, watch->target.pid, &host);
}

static bool sampling_cost(void *context, struct um_wire_sampling *sampling)
{
    struct um_watch *watch = context;
    return watch->sampler ? um_sampler_cost(watch->sampler, sampling)
                          : um_suspensions_sum(&watch->suspensions, sampling);
}

/* Whether somebody watches a program. The numbers of a benchmark stay those of the program. */
static bool is_watched(const struct um_options *options)
{
    return options->command == UM_OPTIONS_WATCH || options->command == UM_OPTIONS_LAUNCH ||
           options->command == UM_OPTIONS_DEMO;
}

static bool samples(const struct um_options *options)
{
    return options->sample != UM_OPTIONS_SAMPLE_OFF && is_watched(options);
}

/* Whether somebody takes what is measured only on demand. */
static bool is_listened_to(const struct um_watch *watch)
{
    return watch->options->prometheus || um_hub_has_listeners(watch->hub);
}

/* Whether the user sees that row in the overlay. */
static bool shows(const struct um_watch *watch, enum um_overlay_row row)
{
    return atomic_load(&watch->hide) == 0 && um_overlay_process_shows(&watch->overlay, row);
}

/* Whether the target's thread pool is to be measured now. */
static bool probes_pool(const struct um_watch *watch)
{
    enum um_options_threadpool when = watch->options->threadpool;
    bool wanted = when == UM_OPTIONS_THREADPOOL_ON ||
                  (when == UM_OPTIONS_THREADPOOL_AUTO &&
                   (shows(watch, UM_OVERLAY_ROWS_THREADPOOL) || is_listened_to(watch)));
    return wanted && is_watched(watch->options);
}

/* Whether messages and paint cycles are to be counted now. */
static bool counts(const struct um_watch *watch)
{
    bool wanted = watch->options->record || is_listened_to(watch) ||
                  shows(watch, UM_OVERLAY_ROWS_FRAME_RATE) ||
                  shows(watch, UM_OVERLAY_ROWS_MESSAGE_RATE);
    return wanted && is_watched(watch->options);
}

/* Starts sampling, or says once why there is none. */
static void open_sampler(struct um_watch *watch, const struct um_wire_hello *hello)
{
    const struct um_options *options = watch->options;
    double after_ms = options->sample_after_ms > 0 ? options->sample_after_ms : options->slow_ms;
    struct um_sampler_options sampler = {.after_ns = (uint64_t)(after_ms * 1e6),
                                         .every_ns = (uint64_t)(options->sample_every_ms * 1e6),
                                         .always = options->sample == UM_OPTIONS_SAMPLE_ALWAYS,
                                         .all_threads = options->sample_threads ==
                                                        UM_OPTIONS_SAMPLE_THREADS_ALL,
                                         .nonce = hello->nonce};
    const char *why_not = um_target_why_no_stacks();
    char text[UM_WATCH_LINE_BYTES];

    if (!samples(options))
        return;
    enum um_status status = UM_ERR_UNSUPPORTED;
    if (!why_not[0])
        status = um_sampler_open(watch->target.pid, watch->target.tid, &sampler,
                                 &watch->suspensions, &watch->sampler);
    um_profiler_sampler(watch->profiler, watch->sampler, watch->target.tid);
    if (status == UM_OK || watch->said_stacks)
        return;
    if (!why_not[0])
        why_not = status == UM_ERR_UNSUPPORTED ? "the program is not a 64-bit one"
                                               : "the system does not let uimon read the program";
    snprintf(text, sizeof text, "freezes come without stacks: %s", why_not);
    say(watch, text);
    watch->said_stacks = true;
}

/* Asks the DLL what the sampler wants to know of generated code. */
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

static void say_greeting(struct um_watch *watch)
{
    char text[UM_WATCH_LINE_BYTES];
    snprintf(text, sizeof text, "watching %s (pid %lu, thread %lu, window 0x%llx, class %s): %s",
             watch->target.name, (unsigned long)watch->target.pid, (unsigned long)watch->target.tid,
             (unsigned long long)watch->target.hwnd, watch->target.window_class,
             watch->target.title);
    if (watch->greeted || watch->options->command == UM_OPTIONS_BENCH ||
        watch->options->command == UM_OPTIONS_CALIBRATE) /* these two say it in their own way */
        say_detail(watch, text);
    else
        say(watch, text);
    watch->greeted = true;
}

/* Says in a session for proving that this is one. A benchmark says so in its own way. */
static void say_proving(struct um_watch *watch)
{
    char text[UM_WATCH_LINE_BYTES];
    if (!watch->options->key_delay_us)
        return;
    snprintf(text, sizeof text, "proving: each key is delayed by %lu µs until uimon lets go",
             (unsigned long)watch->options->key_delay_us);
    if (watch->options->command == UM_OPTIONS_BENCH)
        say_detail(watch, text);
    else
        say(watch, text);
}

/* Says what beats do not tell of, each time that the main window is of another toolkit. */
static void say_toolkit(struct um_watch *watch)
{
    char text[UM_WATCH_LINE_BYTES];
    const char *toolkit = watch->target.toolkit;
    bool news = strcmp(watch->said_toolkit, toolkit) != 0;

    um_wire_set_text(watch->said_toolkit, sizeof watch->said_toolkit, toolkit);
    if (!news || !toolkit[0])
        return;
    snprintf(text, sizeof text,
             "a %s program: beats show whether its window's thread takes input, but its own code "
             "runs elsewhere%s",
             toolkit,
             watch->options->interactions
                 ? ""
                 : "; --interactions measures further, up to painting where that is seen");
    say(watch, text);
}

/* Ends the watching. Thread: the watching thread. */
static void end_with(struct um_watch *watch, enum um_status result, enum um_end_reason reason)
{
    watch->result = result;
    watch->reason = reason;
    atomic_store(&watch->stop, 1);
}

/* Says once that beats are held so that a hidden pointer stays hidden. */
static void say_pointer(struct um_watch *watch)
{
    if (!watch->said_pointer)
        say(watch,
            "a beat has shown the pointer that Windows had hidden, so none is sent while it is "
            "hidden: blind until the mouse moves");
    watch->said_pointer = true;
}

/* Says by which probe the DLL measures, and why, each time that this changes. */
static void say_probe(struct um_watch *watch, const struct um_wire_probe *probe)
{
    static const char *const reasons[] = {
        [UM_PROBE_REASON_ASKED] = "as asked",
        [UM_PROBE_REASON_DEFAULT] = "nothing stands against it",
        [UM_PROBE_REASON_TARGET_RAW] = "the program has a raw mouse registration of its own",
        [UM_PROBE_REASON_NO_SINK] = "raw input cannot be registered",
        [UM_PROBE_REASON_BLIND] = "the other one saw nothing for a second",
    };
    char text[UM_WATCH_LINE_BYTES];
    const char *name = probe->probe == UM_PROBE_RAW ? "raw" : "mouse";
    bool refused = probe->status == UM_PROBE_REFUSED;
    bool news = probe->probe != watch->said_probe || probe->reason != watch->said_reason;
    bool own_raw = probe->reason == UM_PROBE_REASON_TARGET_RAW ||
                   watch->said_reason == UM_PROBE_REASON_TARGET_RAW;

    if (probe->held == UM_PROBE_HELD_POINTER)
        say_pointer(watch);
    if (refused)
        snprintf(text, sizeof text, "beats by %s are refused (%s, error %lu)", name,
                 reasons[probe->reason], (unsigned long)probe->error);
    else if (probe->status == UM_PROBE_ACTIVE && news)
        snprintf(text, sizeof text, "probe: %s, %s", name, reasons[probe->reason]);
    else
        return; /* beats pause, or go on after a pause */
    watch->said_probe = probe->probe;
    watch->said_reason = probe->reason;
    if (refused || own_raw)
        say(watch, text);
    else
        say_detail(watch, text);
}

/* Says once that tracing is not on although the DLL was asked to switch it on. */
static void say_refused(struct um_watch *watch)
{
    if (um_tracer_is_on(&watch->tracer) || !watch->told_trace || watch->said_tracing)
        return;
    say(watch, "messages are not traced: the system refuses the hooks for that");
    watch->said_tracing = true;
}

/* Takes the frames that have arrived. False if the stream cannot be trusted any more. */
static bool take_frames(struct um_watch *watch)
{
    struct um_wire_frame frame;
    uint64_t now_ns = um_clock_now_ns();
    enum um_status status;

    while ((status = um_attach_next(watch->attach, &frame)) == UM_OK) {
        if (frame.type == UM_WIRE_PROBE)
            say_probe(watch, &frame.as.probe);
        um_tracer_take(&watch->tracer, &frame);
        if (frame.type == UM_WIRE_TRACE_TIMES)
            say_refused(watch);
        if (frame.type == UM_WIRE_CODE && watch->sampler)
            um_sampler_answer(watch->sampler, &frame);
        um_session_frame(watch->session, &frame, now_ns);
    }
    return status == UM_ERR_PARTIAL;
}

/* Asks the DLL to leave and gives it LEAVING_NS, so that the next attachment finds it gone. Of what
 * it still sends, only what was traced is taken. */
static void detach(struct um_watch *watch)
{
    struct um_wire_frame stop = {.type = UM_WIRE_STOP};
    struct um_wire_frame frame;
    if (!watch->attach)
        return;
    if (watch->sampler)
        um_sampler_rest(watch->sampler); /* the DLL looks after the thread no longer */
    enum um_status status = um_attach_command(watch->attach, &stop);
    uint64_t until_ns = um_clock_now_ns() + LEAVING_NS;
    while ((status == UM_OK || status == UM_ERR_TIMEOUT) && um_clock_now_ns() < until_ns) {
        status = um_attach_read(watch->attach, LEAVING_POLL_MS);
        while (um_attach_next(watch->attach, &frame) == UM_OK)
            um_tracer_take(&watch->tracer, &frame);
    }
    um_attach_close(watch->attach);
    watch->attach = NULL;
    um_places_close(watch->places);
    watch->places = NULL;
    watch->has_no_places = false;
    um_session_detached(watch->session, um_clock_now_ns());
}

/* Looks whether the window that is watched is still the program's main window, and finds the main
 * window anew if that one is gone, or is hidden at two looks in a row. (A login form is hidden when
 * the main window comes. A frozen window is hidden for a moment when the ghost that Windows put in
 * its place goes.) Returns whether the present attachment can stay: not if the window is gone and
 * there is no other, nor if the new one belongs to another thread. */
static bool look_at_window(struct um_watch *watch)
{
    struct um_target_info found;
    bool alive = um_target_window_alive(watch->target.hwnd, watch->target.tid);
    bool was_hidden = watch->hidden;
    watch->hidden = alive && !um_target_window_shown(watch->target.hwnd);
    if (alive && !(watch->hidden && was_hidden))
        return true;
    enum um_status status = um_target_look(watch->target.pid, watch->options->thread_id, &found);
    if (status != UM_OK || (alive && found.why_not[0]))
        return alive; /* a window that is gone cannot freeze; another one may come later */
    bool same_thread = found.tid == watch->target.tid;
    watch->target = found;
    watch->hidden = false;
    um_session_target(watch->session, &watch->target);
    say_toolkit(watch);
    return same_thread;
}

/* Looks whether the window in front keeps the beats away, and says so the first time. */
static void look_at_front(struct um_watch *watch)
{
    um_session_shielded(watch->session, um_target_is_shielded(watch->target.pid));
    if (!um_session_is_shielded(watch->session) || watch->said_shielded)
        return;
    say(watch, "the program in front has a higher integrity level (does it run as administrator?), "
               "so the system drops the beats: blind until another window is in front");
    watch->said_shielded = true;
}

/* Says once that the ladder has climbed. */
static void say_rung(struct um_watch *watch)
{
    bool climbed =
        watch->options->rung == UM_RUNG_AUTO && um_session_rung(watch->session) == UM_RUNG_PAIR;
    if (!climbed || watch->said_pairs)
        return;
    say(watch, "the system drops movements by zero pixels: the beats are pairs from now on, one "
               "pixel and back");
    watch->said_pairs = true;
}

/* Leaves the latest STATUS for um_watch_status. */
static void leave_status(struct um_watch *watch, uint64_t now_ns)
{
    um_thread_lock(&watch->mutex);
    watch->has_status = um_session_status(watch->session, &watch->status, &watch->status_flags);
    watch->elapsed_s = (double)um_session_duration_ns(watch->session, now_ns) / 1e9;
    um_thread_unlock(&watch->mutex);
}

/* Publishes the notes of um_watch_add_note, and leaves what other threads ask for. */
static void meet_other_threads(struct um_watch *watch)
{
    struct um_wire_note notes[NOTES];
    um_thread_lock(&watch->mutex);
    size_t count = watch->note_count;
    memcpy(notes, watch->notes, count * sizeof notes[0]);
    watch->note_count = 0;
    uint64_t since_ns = um_session_quiet_since_ns(watch->session);
    watch->measuring = watch->attach && since_ns != 0;
    watch->quiet = (struct um_watch_quiet){0};
    if (watch->measuring)
        watch->quiet = (struct um_watch_quiet){um_attach_asked_ns(watch->attach),
                                               um_session_seen_ns(watch->session), since_ns};
    watch->shown_target = watch->target;
    um_thread_unlock(&watch->mutex);
    for (size_t i = 0; i < count; i++)
        um_session_note(watch->session, notes[i].text, notes[i].time_ns);
}

/* Tells the overlay whether the user wants to see it. Only the hub hears that, because it says
 * nothing of the target. */
static void tell_view(struct um_watch *watch)
{
    struct um_wire_frame frame = {.type = UM_WIRE_VIEW};
    struct um_feed_output hub = um_hub_output(watch->hub);
    bool hide = atomic_load(&watch->hide) != 0;
    uint8_t panel = (uint8_t)atomic_load(&watch->panel);

    if ((hide == watch->told_hide && panel == watch->told_panel) ||
        um_session_duration_ns(watch->session, um_clock_now_ns()) == 0)
        return;
    watch->told_hide = hide;
    watch->told_panel = panel;
    watch->profile_ns = 0;
    frame.as.view.hidden = hide;
    frame.as.view.panel = panel;
    um_feed_publish(&hub, 1, &frame);
}

/* When the beat was sent that waits for so long that it is a freeze; 0: there is none. */
static uint64_t away_since_ns(const struct um_watch *watch, uint64_t now_ns)
{
    uint64_t waited_ns = um_session_waited_ns(watch->session, now_ns);
    return waited_ns >= (uint64_t)(watch->options->threshold_ms * 1e6) ? now_ns - waited_ns : 0;
}

/* Tells the overlay of the hottest functions while it shows them. Only the hub hears that, because
 * all of it can be made of the samples. */
static void tell_profile(struct um_watch *watch, uint64_t now_ns)
{
    struct um_wire_frame frames[2] = {{.type = UM_WIRE_PROFILE}}; /* of no samples */
    struct um_feed_output hub = um_hub_output(watch->hub);
    size_t count = 0;

    if (watch->told_panel != UM_WIRE_PANEL_PROFILE || watch->told_hide ||
        now_ns - watch->profile_ns < PROFILE_NS)
        return;
    watch->profile_ns = now_ns;
    if (watch->sampler)
        count = um_profiler_hottest(watch->profiler, away_since_ns(watch, now_ns), now_ns, frames);
    for (size_t i = 0; i < (count > 0 ? count : 1); i++)
        um_feed_publish(&hub, 1, &frames[i]);
}

/* Starts the overlay once measuring has begun, and again when it has ended. */
static void keep_overlay(struct um_watch *watch)
{
    if (watch->options->headless || um_session_duration_ns(watch->session, um_clock_now_ns()) == 0)
        return;
    if (um_overlay_process_keep(&watch->overlay, um_clock_now_ns()))
        return;
    char text[UM_WATCH_LINE_BYTES];
    snprintf(text, sizeof text,
             "the overlay ended four times within a minute and stays away (%s); measuring goes on",
             um_overlay_process_why(&watch->overlay));
    say(watch, text);
}

/* Switches tracing as the user wants it, and says so. */
static void switch_tracing(struct um_watch *watch)
{
    bool wanted = atomic_load(&watch->trace) != 0;
    if (wanted == watch->told_trace)
        return;
    watch->told_trace = wanted;
    um_session_trace(watch->session, wanted);
    say(watch, wanted ? "tracing messages: each sent message is slower from now on"
                      : "tracing messages has ended");
}

/* --duration */
static void check_duration(struct um_watch *watch, uint64_t now_ns)
{
    double limit_s = watch->options->duration_s;
    if (limit_s > 0 && (double)um_session_duration_ns(watch->session, now_ns) / 1e9 >= limit_s)
        end_with(watch, UM_OK, UM_END_STOPPED);
}

/* How long the session can wait for the DLL. */
static uint32_t wait_ms(const struct um_watch *watch, uint64_t now_ns)
{
    uint64_t deadline_ns = um_session_deadline(watch->session, now_ns);
    uint64_t left_ns = deadline_ns > now_ns ? deadline_ns - now_ns : 0;
    return (uint32_t)((left_ns + UM_CLOCK_NS_PER_MS - 1) / UM_CLOCK_NS_PER_MS);
}

/* Tells the DLL which other threads may be suspended, so that it lets them go on if need be. */
static void tell_threads(struct um_watch *watch)
{
    struct um_wire_frame command = {.type = UM_WIRE_MAY_SUSPEND};
    bool comes;
    while (um_sampler_thread(watch->sampler, &command.as.command.thread, &comes)) {
        command.as.command.value = comes;
        um_attach_command(watch->attach, &command);
    }
}

/* What is done after each read, and at the session's deadlines. False if the attachment cannot
 * stay. */
static bool take_turn(struct um_watch *watch, uint64_t *next_look_ns)
{
    take_control(watch);
    uint64_t now_ns = um_clock_now_ns();
    um_session_tick(watch->session, now_ns);
    if (watch->sampler) {
        um_sampler_waits(watch->sampler, um_session_waited_ns(watch->session, now_ns));
        tell_threads(watch);
    }
    ask_about_code(watch);
    turn_profiler(watch);
    if (watch->dotnet)
        um_dotnet_turn(watch->dotnet, now_ns);
    meet_other_threads(watch);
    tell_view(watch);
    tell_profile(watch, now_ns);
    switch_tracing(watch);
    check_duration(watch, now_ns);
    if (now_ns < *next_look_ns)
        return true;
    *next_look_ns = now_ns + LOOK_NS;
    leave_status(watch, now_ns);
    keep_overlay(watch);
    um_session_probe_pool(watch->session, probes_pool(watch));
    um_session_count(watch->session, counts(watch));
    begin_dotnet(watch);
    look_at_front(watch);
    say_rung(watch);
    return look_at_window(watch);
}

/* Measures until the connection ends, the main window is one of another thread, or it is time to
 * stop. Returns whether the DLL has ended the connection although its window is there. */
static bool measure(struct um_watch *watch)
{
    uint64_t next_look_ns = 0;

    if (!take_frames(watch)) /* that came with HELLO */
        return true;
    while (!atomic_load(&watch->stop)) {
        enum um_status status = um_attach_read(watch->attach, wait_ms(watch, um_clock_now_ns()));
        if (status == UM_OK) {
            if (!take_frames(watch))
                return true;
        } else if (status != UM_ERR_TIMEOUT) {
            return um_target_running(watch->process) &&
                   um_target_window_alive(watch->target.hwnd, watch->target.tid);
        }
        if (!take_turn(watch, &next_look_ns))
            return false;
    }
    return false;
}

/* Waits until the process shows a window that can be its main window. False if none will come. */
static bool wait_for_window(struct um_watch *watch)
{
    uint64_t begun_ns = um_clock_now_ns();
    bool said = false;

    while (!atomic_load(&watch->stop)) {
        if (!um_target_running(watch->process))
            return false;
        uint32_t pid = um_target_pid(watch->process);
        if (um_target_look(pid, watch->options->thread_id, &watch->target) == UM_OK)
            return true;
        if (!said && um_clock_now_ns() - begun_ns > PATIENCE_NS) {
            say(watch, "the program has no window yet; watching begins with its first one");
            said = true;
        }
        take_control(watch);
        um_session_tick(watch->session, um_clock_now_ns());
        um_clock_sleep_ns(said ? LATE_WINDOW_NS : WINDOW_NS);
    }
    return false;
}

static void target_is_gone(struct um_watch *watch)
{
    if (atomic_load(&watch->stop))
        return;
    if (!watch->greeted && watch->had_window)
        snprintf(watch->error, sizeof watch->error,
                 "uimon: %s (pid %lu) ended before it could be watched", watch->target.name,
                 (unsigned long)watch->target.pid);
    else if (!watch->greeted)
        snprintf(watch->error, sizeof watch->error,
                 "uimon: %s ended before it showed a window; if it starts another program, use "
                 "--attach with --wait on that one",
                 watch->target.name[0] ? watch->target.name : "the program");
    end_with(watch, watch->greeted ? UM_OK : UM_ERR_NOT_FOUND, UM_END_TARGET_GONE);
}

/* Asked when the DLL has left by itself. False if it has done so soon after it came, several times
 * in a row: then it cannot do its work there. */
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

/* Whether the DLL delays keys as it was asked to, which in an ordinary session is not at all. What
 * tells it so is a posted message, and any program of the user's can post one. If it does not, the
 * connection is closed, upon which the DLL leaves. */
static enum um_status check_delay(struct um_watch *watch, uint32_t key_delay_us)
{
    if (key_delay_us == watch->options->key_delay_us)
        return UM_OK;
    um_attach_close(watch->attach);
    watch->attach = NULL;
    snprintf(watch->error, sizeof watch->error,
             "uimon: the hook DLL in %s (pid %lu) delays each key by %lu µs and not by %lu µs as "
             "asked: another program has interfered; try again",
             watch->target.name, (unsigned long)watch->target.pid, (unsigned long)key_delay_us,
             (unsigned long)watch->options->key_delay_us);
    return UM_ERR_DENIED;
}

/* Attaches, measures until the attachment ends, and detaches. */
static void watch_once(struct um_watch *watch)
{
    struct um_attach_host host = {watch, should_stop, say};
    struct um_wire_frame hello;

    um_session_target(watch->session, &watch->target);
    enum um_status status =
        um_attach_open(&watch->target, watch->process, watch->options->key_delay_us, &host,
                       &watch->attach, &hello, watch->error, sizeof watch->error);
    if (status == UM_OK)
        status = check_delay(watch, hello.as.hello.key_delay_us);
    if (status == UM_OK) {
        uint64_t begun_ns = um_clock_now_ns();
        say_greeting(watch);
        say_proving(watch);
        say_toolkit(watch);
        open_sampler(watch, &hello.as.hello);
        um_tracer_attached(&watch->tracer);
        um_session_attached(watch->session, um_ns_min(hello.as.hello.time_ns, begun_ns), begun_ns);
        if (measure(watch) && !may_try_again(watch, begun_ns))
            end_with(watch, UM_ERR_DENIED, UM_END_FAILED);
        take_control(watch);
        /* Before the DLL is asked to leave, which the session would take for a loss of sight. */
        if (atomic_load(&watch->stop)) {
            um_session_halt(watch->session, um_clock_now_ns());
            um_dotnet_stop(watch->dotnet);
        }
        detach(watch);
        close_sampler(watch);
        meet_other_threads(watch); /* which see that nothing is measured from now on */
    } else if (status != UM_ERR_CLOSED) {
        end_with(watch, status, UM_END_FAILED);
    }
    watch->error[0] = watch->result == UM_OK ? 0 : watch->error[0];
}

/* Ends the session, once the freezes of the end have their stacks. */
static void stop_session(struct um_watch *watch)
{
    uint64_t now_ns = um_clock_now_ns();
    um_session_halt(watch->session, now_ns);
    if (watch->profiler) {
        um_profiler_finish(watch->profiler, NAMES_MS);
        turn_profiler(watch);
    }
    um_dotnet_stop(watch->dotnet);
    if (watch->dotnet)
        um_dotnet_turn(watch->dotnet, now_ns);
    um_session_stop(watch->session, now_ns, watch->reason);
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
        watch->target.hwnd = 0; /* the window, its thread or the DLL is gone: look again */
    }
    stop_session(watch);
    leave_status(watch, um_clock_now_ns());
    atomic_store(&watch->over, 1);
}

/* Asked when measuring begins and then once a second, on the session's thread. */
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

/* Thread: the hotkeys'. */
static void on_key(void *context, size_t which)
{
    struct um_watch *watch = context;
    char text[32];

    if (which == UM_OPTIONS_HOTKEY_HIDE) {
        atomic_fetch_xor(&watch->hide, 1);
        return;
    }
    if (which == UM_OPTIONS_HOTKEY_PANEL) {
        atomic_store(&watch->panel, (atomic_load(&watch->panel) + 1) % UM_WIRE_PANEL_COUNT);
        return;
    }
    if (which == UM_OPTIONS_HOTKEY_TRACE) {
        atomic_fetch_xor(&watch->trace, 1);
        return;
    }
    snprintf(text, sizeof text, "mark %u", watch->marks + 1);
    if (!um_watch_add_note(watch, text))
        return;
    watch->marks++;
    say(watch, text);
}

/* Whether somebody may want to switch tracing on or off. */
static bool may_trace(const struct um_options *options)
{
    return is_watched(options) &&
           (!options->headless || options->trace_hotkey || options->trace != UM_OPTIONS_TRACE_OFF);
}

/* Whether there is what these keys are for: an overlay to hide, a recording to mark. */
static bool needs_hotkey(const struct um_options *options, enum um_options_hotkeys which)
{
    if (which == UM_OPTIONS_HOTKEY_MARK)
        return options->record != NULL;
    return which == UM_OPTIONS_HOTKEY_TRACE ? may_trace(options) : !options->headless;
}

static void open_hotkeys(struct um_watch *watch)
{
    struct um_hotkey keys[UM_OPTIONS_HOTKEYS] = {{0}};
    bool taken[UM_OPTIONS_HOTKEYS] = {false};
    bool any = false;

    for (int i = 0; i < UM_OPTIONS_HOTKEYS; i++) {
        if (needs_hotkey(watch->options, (enum um_options_hotkeys)i))
            um_hotkey_parse(um_options_hotkey(watch->options, (enum um_options_hotkeys)i).keys,
                            &keys[i]);
        any |= keys[i].virtual_key != 0;
    }
    if (!any ||
        um_hotkeys_open(keys, UM_OPTIONS_HOTKEYS, on_key, watch, taken, &watch->hotkeys) != UM_OK)
        return;
    for (int i = 0; i < UM_OPTIONS_HOTKEYS; i++) {
        char text[UM_WATCH_LINE_BYTES];
        um_options_hotkey_refused(watch->options, keys, taken, (enum um_options_hotkeys)i, text,
                                  sizeof text);
        if (taken[i])
            say(watch, text);
    }
}

static enum um_status open_profiler(struct um_watch *watch)
{
    char path[UM_NAMES_SEARCH_BYTES] = "";
    const char *asked = watch->options->symbol_path;
    if (!asked)
        um_platform_symbol_path(path, sizeof path);
    struct um_profiler_config config = {.pid = um_target_pid(watch->process),
                                        .symbol_path = asked ? asked : path,
                                        .mine = watch->options->mine,
                                        .transport = um_transport_system(),
                                        .context = watch,
                                        .publish = publish_profile};
    return um_profiler_open(&config, &watch->profiler);
}

static enum um_status open_session(struct um_watch *watch, const struct um_feed_output *outputs,
                                   size_t output_count)
{
    struct um_session_config config = {.options = watch->options,
                                       .control = watch->control != NULL,
                                       .context = watch,
                                       .command = send_command,
                                       .window_class = window_class,
                                       .message_name = message_name,
                                       .own_cost = own_cost};
    if (samples(watch->options)) {
        config.freeze = freeze_ended;
        config.sampling = sampling_cost;
    }
    for (size_t i = 0; i < output_count; i++)
        config.outputs[i] = outputs[i];
    config.outputs[output_count] = um_hub_output(watch->hub);
    config.output_count = output_count + 1;
    return um_session_open(&config, um_clock_now_ns(), &watch->session);
}

/* Lets others find the feed. Where that fails, measuring goes on without. */
static void publish_feed(struct um_watch *watch, const char *feed)
{
    char folder[UM_PLATFORM_PATH_BYTES];
    char text[UM_WATCH_LINE_BYTES];
    struct um_target_info info;
    uint32_t pid = um_target_pid(watch->process);

    memset(&info, 0, sizeof info);
    um_target_look(pid, 0, &info);
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
                             const struct um_target_info *attach_to,
                             const struct um_feed_output *outputs, size_t output_count,
                             struct um_watch **watch_out)
{
    if (options->key_delay_us > UM_WIRE_KEY_DELAY_MAX_US)
        return UM_ERR_ARG;
    struct um_watch *watch = calloc(1, sizeof *watch);
    char feed[UM_TRANSPORT_NAME_BYTES];
    char text[UM_WATCH_LINE_BYTES];

    if (!watch)
        return UM_ERR_MEMORY;
    watch->options = options;
    watch->process = process;
    if (!options->headless && is_watched(options))
        atomic_store(&watch->panel, (int)options->panel);
    if (attach_to)
        watch->target = *attach_to;
    watch->tracer.config =
        (struct um_tracer_config){watch, publish_traced, handler_key, message_name};
    atomic_store(&watch->trace, options->trace == UM_OPTIONS_TRACE_MESSAGES);
    enum um_status status = um_hub_open(um_transport_system(), &watch->hub, feed);
    if (status == UM_OK) {
        um_overlay_process_init(&watch->overlay, options, um_transport_system(), feed);
        snprintf(text, sizeof text, "feed: %s", feed);
        say_detail(watch, text);
        publish_feed(watch, feed);
        /* Measuring works without a control, but then a lost beat looks like a freeze. */
        if (um_control_open(input_wanted(options), um_target_pid(process), &watch->control) !=
            UM_OK)
            say(watch, "no raw input for the monitor: beats that the system loses read as frozen");
        if (is_watched(options))
            status = open_profiler(watch);
    }
    if (status == UM_OK)
        status = open_session(watch, outputs, output_count);
    if (status == UM_OK)
        open_hotkeys(watch);
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

bool um_watch_status(struct um_watch *watch, struct um_wire_status *status, uint8_t *flags,
                     double *elapsed_s)
{
    um_thread_lock(&watch->mutex);
    bool has = watch->has_status;
    *status = watch->status;
    *flags = watch->status_flags;
    *elapsed_s = watch->elapsed_s;
    um_thread_unlock(&watch->mutex);
    return has;
}

bool um_watch_measuring(struct um_watch *watch)
{
    um_thread_lock(&watch->mutex);
    bool measuring = watch->measuring;
    um_thread_unlock(&watch->mutex);
    return measuring;
}

struct um_watch_quiet um_watch_quiet(struct um_watch *watch)
{
    um_thread_lock(&watch->mutex);
    struct um_watch_quiet quiet = watch->quiet;
    um_thread_unlock(&watch->mutex);
    return quiet;
}

bool um_watch_target(struct um_watch *watch, struct um_target_info *target)
{
    um_thread_lock(&watch->mutex);
    bool has = watch->shown_target.hwnd != 0;
    *target = watch->shown_target;
    um_thread_unlock(&watch->mutex);
    return has;
}

bool um_watch_add_note(struct um_watch *watch, const char *text)
{
    um_thread_lock(&watch->mutex);
    bool room = watch->note_count < NOTES;
    if (room) {
        struct um_wire_note *note = &watch->notes[watch->note_count++];
        note->time_ns = um_clock_now_ns();
        um_wire_set_text(note->text, sizeof note->text, text);
    }
    um_thread_unlock(&watch->mutex);
    return room;
}

bool um_watch_next_line(struct um_watch *watch, char *line, size_t cap_bytes)
{
    um_thread_lock(&watch->mutex);
    bool has = watch->line_count > 0;
    if (has) {
        um_wire_set_text(line, cap_bytes, watch->lines[0]);
        remove_oldest_line(watch);
    }
    um_thread_unlock(&watch->mutex);
    return has;
}

enum um_status um_watch_finish(struct um_watch *watch, struct um_summary *summary, bool *measured,
                               char *error, size_t error_cap)
{
    um_hotkeys_close(watch->hotkeys);
    watch->hotkeys = NULL;
    um_thread_join(&watch->thread);
    *measured = um_session_summary(watch->session, summary);
    um_registry_withdraw(watch->registry);
    watch->registry = NULL;
    um_hub_close(watch->hub); /* consumers hear of the end and leave */
    watch->hub = NULL;
    um_overlay_process_end(&watch->overlay);
    um_wire_set_text(error, error_cap, watch->error);
    return watch->result;
}

void um_watch_close(struct um_watch *watch)
{
    if (!watch)
        return;
    atomic_store(&watch->stop, 1);
    um_hotkeys_close(watch->hotkeys);
    um_thread_join(&watch->thread);
    um_attach_close(watch->attach);
    um_places_close(watch->places);
    close_sampler(watch);
    um_registry_withdraw(watch->registry);
    um_hub_close(watch->hub);
    um_overlay_process_end(&watch->overlay);
    um_control_close(watch->control);
    um_profiler_close(watch->profiler);
    um_dotnet_close(watch->dotnet);
    um_session_close(watch->session);
    free(watch);
}
