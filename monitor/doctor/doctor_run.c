#include "monitor/doctor/doctor_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demo/log.h"
#include "base/plain/clock.h"
#include "base/hotkeys.h"
#include "base/platform.h"
#include "base/text_file.h"
#include "monitor/bench/inject.h"
#include "monitor/doctor/trial_host.h"
#include "monitor/live/watch.h"
#include "monitor/naming/names_process.h"

#define WAITS 51
#define TRIAL_MS 1500
#define POINTER_MS 500
#define POINTER_HIDES 3 /* two of three tell whether a beat shows it (hooks/pointer.h) */
#define REST_MS 2500
#define REST_US 100000
#define KEYS 8
#define KEY_EVERY_NS (120 * UM_CLOCK_NS_PER_MS)
#define WINDOW_LIMIT_NS (10 * UM_CLOCK_NS_PER_S)
#define SESSION_LIMIT_NS (10 * UM_CLOCK_NS_PER_S)
#define POLL_NS (20 * UM_CLOCK_NS_PER_MS)
#define SETTLED_NS (300 * UM_CLOCK_NS_PER_MS) /* after the overlay has come or gone */
#define LOG_MAX_BYTES (1 << 20)
#define METHODS_MS 10000

/* How long a wait of 1 ms takes: the median. */
static uint64_t measure_wait_ns(void)
{
    uint64_t waits[WAITS];
    for (size_t i = 0; i < WAITS; i++) {
        uint64_t begun_ns = um_clock_now_ns();
        um_clock_sleep_ns(UM_CLOCK_NS_PER_MS);
        waits[i] = um_clock_now_ns() - begun_ns;
    }
    return um_trial_median_ns(waits, WAITS);
}

static void ignore_key(void *context, size_t which)
{
    (void)context;
    (void)which;
}

/* Takes the hotkeys for a moment. */
static void try_hotkeys(struct um_judge_evidence *evidence, const struct um_options *options)
{
    struct um_hotkey keys[UM_OPTIONS_HOTKEYS] = {{0}};
    struct um_hotkeys *hotkeys = NULL;
    bool taken[UM_OPTIONS_HOTKEYS] = {false};

    for (int i = 0; i < UM_OPTIONS_HOTKEYS; i++) {
        evidence->hotkeys[i] = um_options_hotkeys_get(options, (enum um_options_hotkeys)i);
        um_hotkey_parse(evidence->hotkeys[i].keys, &keys[i]);
    }
    if (um_hotkeys->open(keys, UM_OPTIONS_HOTKEYS, ignore_key, NULL, taken, &hotkeys) != UM_OK)
        return;
    um_hotkeys->close(hotkeys);
    memcpy(evidence->taken, taken, sizeof taken);
}

void um_doctor_run_machine(struct um_judge_evidence *evidence, const struct um_options *options)
{
    um_scene->machine(&evidence->machine);
    try_hotkeys(evidence, options);
    evidence->wait_ns = measure_wait_ns();
    if (um_platform_data_path("", evidence->dll_folder, sizeof evidence->dll_folder) != UM_OK)
        snprintf(evidence->dll_folder, sizeof evidence->dll_folder,
                 "the folder for temporary files");
    if (um_target->try32(evidence->error32, sizeof evidence->error32) == UM_OK)
        evidence->error32[0] = '\0';
}

/* Who gets the keys of a trial, and when the next one is due. */
struct scene {
    uint32_t pid;
    uint64_t next_ns;
};

static void move_mouse(void *context, struct um_trial *trial)
{
    (void)context;
    (void)trial;
    um_scene->nudge();
}

static void pump(void *context, struct um_trial *trial)
{
    (void)context;
    (void)trial;
    um_scene->pump();
}

static void type(void *context, struct um_trial *trial)
{
    struct scene *scene = context;
    const struct um_scenario_key key = {.character = 'u'};
    char why[256];

    if (um_clock_now_ns() < scene->next_ns || trial->keys_sent + trial->keys_refused >= KEYS)
        return;
    scene->next_ns = um_clock_now_ns() + KEY_EVERY_NS;
    if (um_inject->key(&(struct um_inject_aim){.pid = scene->pid}, &key, why, sizeof why))
        trial->keys_sent++;
    else
        trial->keys_refused++;
}

static void try_it(struct um_judge_evidence *evidence, struct um_trial_host *host,
                   enum um_judge_trial which, const struct um_trial_plan *plan)
{
    if (um_platform_interrupted())
        return;
    evidence->tried[which] = true;
    um_trial_host_run(host, plan, &evidence->trials[which]);
}

/* The plan of a trial with beats as often as a program at work gets them. */
static struct um_trial_plan plan_of(enum um_probe probe, enum um_beat_kind beat_kind)
{
    return (struct um_trial_plan){
        .probe = probe, .beat_kind = beat_kind, .rest_us = UM_TRIAL_PERIOD_US, .ms = TRIAL_MS};
}

/* The same, as uimon measures by itself. */
static struct um_trial_plan plan_of_auto(const struct um_judge_evidence *evidence)
{
    return plan_of(UM_PROBE_AUTO, um_judge_beat_kind(evidence));
}

static void try_rest(struct um_judge_evidence *evidence, struct um_trial_host *host)
{
    struct um_trial_plan plan = plan_of_auto(evidence);
    plan.rest_us = REST_US;
    plan.ms = REST_MS;
    try_it(evidence, host, UM_JUDGE_REST, &plan);
}

static void try_background(struct um_judge_evidence *evidence, struct um_trial_host *host)
{
    struct um_trial_plan plan = plan_of_auto(evidence);
    uint64_t window = um_scene->open_window(&evidence->in_front);
    plan.act = pump;
    try_it(evidence, host, UM_JUDGE_BACKGROUND, &plan);
    plan.ms = POINTER_MS;
    for (int hides = 0; hides < POINTER_HIDES; hides++) {
        evidence->pointer_hidden = um_scene->hide_pointer(window);
        try_it(evidence, host, UM_JUDGE_POINTER, &plan);
        if (evidence->trials[UM_JUDGE_POINTER].pointer_shown)
            break;
    }
    um_scene->close_window(window);
}

static void try_all(struct um_judge_evidence *evidence, struct um_trial_host *host,
                    const struct um_target_info *target)
{
    struct scene scene = {.pid = target->pid};
    struct um_trial_plan plan = plan_of(UM_PROBE_RAW, UM_BEAT_KIND_STILL);
    int32_t x;
    int32_t y;

    um_scene->pointer(&x, &y);
    um_scene->put_pointer(0, 0); /* so that only raw input can reach the window */
    try_it(evidence, host, UM_JUDGE_STILL, &plan);
    plan.beat_kind = UM_BEAT_KIND_ZERO;
    try_it(evidence, host, UM_JUDGE_ZERO, &plan);
    plan.beat_kind = UM_BEAT_KIND_PAIR;
    try_it(evidence, host, UM_JUDGE_PAIR, &plan);
    um_scene->point_at(target->hwnd);
    plan = plan_of(UM_PROBE_MOUSE, UM_BEAT_KIND_AUTO);
    try_it(evidence, host, UM_JUDGE_MOUSE, &plan);
    plan = plan_of_auto(evidence);
    try_it(evidence, host, UM_JUDGE_AUTO, &plan);
    plan.act = move_mouse;
    try_it(evidence, host, UM_JUDGE_MOVING, &plan);
    um_scene->put_pointer(x, y);
    plan.act = type;
    plan.context = &scene;
    try_it(evidence, host, UM_JUDGE_KEYS, &plan);
    try_rest(evidence, host);
    try_background(evidence, host);
    um_scene->put_pointer(x, y);
}

/* Makes the trials that do not disturb a program. The other ways to send beats are tried only where
 * raw input does not reach it. */
static void try_gently(struct um_judge_evidence *evidence, struct um_trial_host *host)
{
    struct um_trial_plan plan = plan_of_auto(evidence);
    struct um_trial_sum sum;

    try_it(evidence, host, UM_JUDGE_AUTO, &plan);
    um_trial_add_up(&evidence->trials[UM_JUDGE_AUTO], &sum);
    if (evidence->trials[UM_JUDGE_AUTO].probe.probe == UM_PROBE_RAW) {
        evidence->tried[UM_JUDGE_STILL] = true;
        evidence->trials[UM_JUDGE_STILL] = evidence->trials[UM_JUDGE_AUTO];
        if (sum.target == 0) {
            plan = plan_of(UM_PROBE_RAW, UM_BEAT_KIND_ZERO);
            try_it(evidence, host, UM_JUDGE_ZERO, &plan);
            plan.beat_kind = UM_BEAT_KIND_PAIR;
            try_it(evidence, host, UM_JUDGE_PAIR, &plan);
            plan = plan_of(UM_PROBE_MOUSE, UM_BEAT_KIND_AUTO);
            try_it(evidence, host, UM_JUDGE_MOUSE, &plan);
        }
    }
    try_rest(evidence, host);
}

/* Attaches, makes the trials and leaves. */
static void visit(struct um_judge_evidence *evidence, const struct um_target_info *target,
                  const struct um_target_process *process, bool own)
{
    struct um_platform_held *claim = NULL;
    struct um_trial_host *host = NULL;
    uint64_t begun_ns = um_clock_now_ns();
    uint32_t owner = 0;

    enum um_status status = um_platform_claim(target->pid, &owner, &claim);
    if (status != UM_OK) {
        um_target->claimed(owner, evidence->attach_error, sizeof evidence->attach_error);
        return;
    }
    evidence->attached = um_trial_host_open(target, process, &host, evidence->attach_error,
                                            sizeof evidence->attach_error) == UM_OK;
    evidence->attach_ns = um_clock_now_ns() - begun_ns;
    if (evidence->attached) {
        if (own)
            try_all(evidence, host, target);
        else
            try_gently(evidence, host);
        evidence->leave_tried = true;
        evidence->left = um_trial_host_leave(host, &evidence->left_ns);
    }
    um_trial_host_close(host);
    um_platform_let_go(claim);
}

/* Asks for the method at an address that no method can have. The answer shows whether methods at
 * other addresses could be named. */
static void ask_methods(struct um_judge_evidence *evidence, uint32_t pid)
{
    static const struct um_names_module generated;
    struct um_names_process_address address = {.round = 1};
    struct um_names_process *names;

    if (um_names_process_open("", um_transport_system(), &names) != UM_OK)
        return;
    um_names_process_target(names, pid);
    if (um_names_process_module(names, &generated, &address.module) == UM_OK &&
        um_names_process_ask(names, &address, 1, METHODS_MS) == UM_OK) {
        evidence->asked_methods = true;
        evidence->methods = um_names_process_find(names, address.module, 0)->why;
    }
    um_names_process_close(names);
}

void um_doctor_run_target(struct um_judge_evidence *evidence, const struct um_target_info *target)
{
    struct um_target_process *process = NULL;

    evidence->named = true;
    snprintf(evidence->toolkit, sizeof evidence->toolkit, "%s", target->toolkit);
    um_scene->policy(target->pid, target->bits, &evidence->policy);
    const char *refusal = um_judge_refusal(&evidence->policy);
    if (target->why_not[0] || refusal) {
        snprintf(evidence->attach_error, sizeof evidence->attach_error, "%s%s",
                 target->why_not[0] ? "" : "not tried: it loads ",
                 target->why_not[0] ? target->why_not : refusal);
        return;
    }
    ask_methods(evidence, target->pid);
    enum um_status status = um_target->open(target->pid, &process);
    if (status == UM_OK)
        visit(evidence, target, process, false);
    else
        snprintf(evidence->attach_error, sizeof evidence->attach_error, "it cannot be opened: %s",
                 um_status_text(status));
    um_target->close(process);
}

/* Starts uimon's own program with up to four options, and brings its window to the front. */
static enum um_status start_own(char *const options[4], struct um_target_process **process,
                                struct um_target_info *target, char *error, size_t cap)
{
    static char title[] = "--title", name[] = "uimon doctor: this window closes by itself";
    char program[UM_PLATFORM_PATH_BYTES];
    char *argv[] = {program, title, name, options[0], options[1], options[2], options[3], NULL};
    uint64_t until_ns = um_clock_now_ns() + WINDOW_LIMIT_NS;
    char why[256];
    int argc = 0;

    while (argv[argc])
        argc++;
    enum um_status status = um_platform_program("uimon-demo", program, sizeof program);
    if (status == UM_OK)
        status = um_target->launch(argv, argc, NULL, process);
    if (status != UM_OK) {
        snprintf(error, cap,
                 "uimon-demo.exe cannot be started: unpack the whole package into one "
                 "folder");
        return status;
    }
    while ((status = um_target->look(um_target->pid(*process), 0, target)) != UM_OK &&
           um_clock_now_ns() < until_ns && um_target->running(*process) &&
           !um_platform_interrupted())
        um_clock_sleep_ns(POLL_NS);
    if (status != UM_OK)
        snprintf(error, cap, "uimon-demo.exe shows no window");
    else
        um_inject->to_front(target->hwnd, target->pid, why, sizeof why);
    return status;
}

static void end_own(struct um_target_process *process)
{
    if (process && um_target->running(process))
        um_target->kill(process);
    um_target->close(process);
}

/* The longest freeze in the log of uimon's own program. */
static uint64_t read_freeze_ns(const char *path)
{
    char error[UM_OPTIONS_ERROR_BYTES];
    char *text;
    size_t len;
    const char *line;
    size_t line_len;
    uint64_t longest_ns = 0;

    if (um_text_file_load(path, LOG_MAX_BYTES, "a log", &text, &len, error, sizeof error) != UM_OK)
        return 0;
    struct um_text_file_lines lines = um_text_file_lines(text, len);
    while (um_text_file_next_line(&lines, &line, &line_len)) {
        char copy[UM_DEMO_LOG_MAX_BYTES];
        struct um_demo_log_event event;
        snprintf(copy, sizeof copy, "%.*s", (int)line_len, line);
        if (um_demo_log_parse(copy, &event) == UM_OK && event.kind == UM_DEMO_LOG_FREEZE &&
            event.end_ns > event.begin_ns && event.end_ns - event.begin_ns > longest_ns)
            longest_ns = event.end_ns - event.begin_ns;
    }
    free(text);
    return longest_ns;
}

/* Two hashes of what the screen shows where the overlay is: with layered windows expressly, and as
 * the overlay looks at it. */
struct pictures {
    bool taken, plainly_taken;
    uint64_t all, plain;
};

static struct pictures take_pictures(const struct um_scene_overlay *overlay)
{
    struct pictures pictures = {0};
    pictures.taken = um_scene->picture(overlay, true, &pictures.all);
    pictures.plainly_taken = um_scene->picture(overlay, false, &pictures.plain);
    return pictures;
}

/* Watches until the freeze of the log was measured and the overlay was looked at, or the time is
 * over. */
static void follow(struct um_judge_evidence *evidence, struct um_watch *watch, const char *log,
                   uint64_t hwnd, struct pictures *with)
{
    uint64_t until_ns = um_clock_now_ns() + SESSION_LIMIT_NS;
    uint32_t freezes = 0;

    while (!um_watch_over(watch) && !um_platform_interrupted() && um_clock_now_ns() < until_ns &&
           !(evidence->overlay.found && freezes > 0 && read_freeze_ns(log) > 0)) {
        um_clock_sleep_ns(POLL_NS);
        freezes = um_watch_view(watch).status.freezes;
        if (!evidence->overlay.found)
            um_scene->overlay(hwnd, &evidence->overlay);
    }
    um_clock_sleep_ns(SETTLED_NS);
    um_scene->overlay(hwnd, &evidence->overlay);
    *with = take_pictures(&evidence->overlay);
    evidence->covers_read = evidence->overlay.found && um_scene->readable(&evidence->overlay);
}

static void take_freeze(struct um_judge_evidence *evidence, const struct um_summary *summary)
{
    const struct um_stats_freezes *freezes = summary->freezes;
    for (size_t i = 0; freezes && i < freezes->len; i++) {
        if (freezes->list[i].duration_ns <= evidence->measured_ns)
            continue;
        evidence->measured_ns = freezes->list[i].duration_ns;
        evidence->uncertain_ns = freezes->list[i].uncertainty_ns;
    }
}

/* Watches uimon's own program, which writes this log, in a session with the defaults. */
static void watch_own(struct um_judge_evidence *evidence, const struct um_options *given,
                      struct um_target_process *process, const struct um_target_info *target,
                      const char *log)
{
    struct um_options options = *given;
    struct um_watch *watch = NULL;
    struct um_summary summary;
    struct pictures with = {0};
    bool measured = false;

    options.headless = false;
    options.interactions = false;
    options.probe = UM_PROBE_AUTO;
    options.beat_kind = UM_BEAT_KIND_AUTO;
    options.threshold_ms = 100;
    options.slow_ms = 50;
    options.heartbeat_ms = 10;
    options.rest_heartbeat_ms = 100;
    options.background = UM_BACKGROUND_FULL;
    options.idle_pause_s = 0;
    enum um_status status = um_watch_open(&options, process, target, NULL, NULL, NULL, 0, &watch);
    if (status != UM_OK) {
        snprintf(evidence->overlay_error, sizeof evidence->overlay_error,
                 "watching cannot begin: %s", um_status_text(status));
        return;
    }
    follow(evidence, watch, log, target->hwnd, &with);
    um_watch_stop(watch);
    status = um_watch_finish(watch, &summary, &measured, evidence->overlay_error,
                             sizeof evidence->overlay_error);
    if (measured)
        take_freeze(evidence, &summary);
    if (status == UM_OK)
        evidence->overlay_error[0] = '\0';
    um_watch_close(watch);
    um_clock_sleep_ns(SETTLED_NS);
    const struct pictures without = take_pictures(&evidence->overlay);
    evidence->pictured = with.taken && without.taken;
    evidence->picture_differs = with.all != without.all;
    evidence->covers_read = evidence->covers_read && with.plainly_taken && without.plainly_taken &&
                            with.plain != without.plain;
}

static void run_session(struct um_judge_evidence *evidence, const struct um_options *options)
{
    /* Of a short freeze nothing is left where a busy machine holds up the DLL's thread. */
    static char play[] = "--play=1000", delay[] = "--delay=2500";
    char path[UM_PLATFORM_PATH_BYTES];
    char log[UM_PLATFORM_PATH_BYTES + 8];
    char *const arguments[4] = {play, delay, log, NULL};
    struct um_target_process *process = NULL;
    struct um_target_info target;

    if (um_platform_interrupted())
        return;
    evidence->overlay_tried = true;
    if (um_platform_data_path("doctor.log", path, sizeof path) != UM_OK) {
        snprintf(evidence->overlay_error, sizeof evidence->overlay_error,
                 "there is no folder for the log of uimon's own program");
        return;
    }
    snprintf(log, sizeof log, "--log=%s", path);
    if (start_own(arguments, &process, &target, evidence->overlay_error,
                  sizeof evidence->overlay_error) == UM_OK) {
        watch_own(evidence, options, process, &target, path);
        evidence->frozen_ns = read_freeze_ns(path);
    }
    end_own(process);
    remove(path);
}

void um_doctor_run_own(struct um_judge_evidence *evidence, const struct um_options *options)
{
    static char still[] = "--still", typing[] = "--typing=plain"; /* which paints by WM_PAINT */
    char *const arguments[4] = {still, typing, NULL, NULL};
    struct um_target_process *process = NULL;
    struct um_target_info target;

    if (start_own(arguments, &process, &target, evidence->attach_error,
                  sizeof evidence->attach_error) == UM_OK)
        visit(evidence, &target, process, true);
    end_own(process);
    if (evidence->attached)
        run_session(evidence, options);
}
