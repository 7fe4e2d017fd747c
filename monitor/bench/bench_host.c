#include "monitor/bench/bench_host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain/clock.h"
#include "base/output.h"
#include "base/platform.h"
#include "base/terminal_line.h"
#include "base/utf8.h"
#include "monitor/bench/bench_window.h"
#include "monitor/bench/inject.h"
#include "monitor/bench/scenario_describe.h"
#include "monitor/live/watch.h"
#include "monitor/target/target.h"
#include "monitor/target/target_spec.h"

#define TURN_NS (20 * UM_CLOCK_NS_PER_MS) /* how often a wait checks for Ctrl+C */
#define PROGRESS_NS (100 * UM_CLOCK_NS_PER_MS)
#define DISCARD_LIMIT_NS UM_CLOCK_NS_PER_S
#define HURRIED_LIMIT_NS UM_CLOCK_NS_PER_S
#define CLOSE_POLL_NS (10 * UM_CLOCK_NS_PER_MS)
#define RUN_NAME_BYTES 64

struct um_bench_host {
    const struct um_options *options;
    struct um_options watch_options; /* the same, without the overlay */
    struct um_bench_results *results;
    struct um_target_process *process;
    struct um_platform_held *claim;
    struct um_watch *watch;
    bool launched;
    struct um_inject_aim aim; /* of an attached target, from the first run on */
    uint64_t first_hwnd;      /* the first window that was seen */
    uint64_t pending_hwnd;    /* it or a window inside it: the last one with something to paint */
    struct um_bench_host_target target;
    char run[RUN_NAME_BYTES];
    struct um_terminal_line shown; /* progress */
    uint64_t next_progress_ns;
};

/* Console -------------------------------------------------------------------------------------- */

void um_bench_host_hide_progress(struct um_bench_host *host)
{
    um_terminal_line_clear(&host->shown);
}

/* Shows the present step. Writing blocks while somebody selects text in the terminal. That delays
 * the next input, and the results say how much; measuring goes on, on another thread. */
static void progress(void *context, const struct um_scenario_step *step)
{
    struct um_bench_host *host = context;
    size_t columns = host->options->quiet ? 0 : um_platform_stderr_columns();
    char what[UM_SCENARIO_DESCRIBE_BYTES];
    char line[UM_SCENARIO_DESCRIBE_BYTES + RUN_NAME_BYTES + 32];

    if (!columns || um_clock_now_ns() < host->next_progress_ns)
        return;
    host->next_progress_ns = um_clock_now_ns() + PROGRESS_NS;
    um_scenario_describe_step(step, what, sizeof what);
    snprintf(line, sizeof line, "%s, line %lu: %s", host->run, (unsigned long)step->line, what);
    um_terminal_line_show(&host->shown, line, columns);
}

void um_bench_host_say_plan(const struct um_options *options, const char *plan)
{
    char line[512];
    snprintf(line, sizeof line, "%s; do not touch the machine", plan);
    if (!options->quiet)
        um_output_note(line);
}

void um_bench_host_name_run(struct um_bench_host *host, const char *name)
{
    snprintf(host->run, sizeof host->run, "%s", name);
    host->next_progress_ns = 0;
    if (!host->options->quiet && !um_platform_stderr_columns())
        um_output_note(name);
    fflush(stderr);
}

static void print_lines(struct um_bench_host *host)
{
    char line[UM_WATCH_LINE_BYTES];
    while (host->watch && um_watch_next_line(host->watch, line, sizeof line)) {
        if (host->options->quiet)
            continue;
        um_bench_host_hide_progress(host);
        um_output_note(line);
        fflush(stderr);
    }
}

/* Time ----------------------------------------------------------------------------------------- */

static uint64_t now_ns(void *context)
{
    (void)context;
    return um_clock_now_ns();
}

static bool wait(void *context, uint64_t until_ns)
{
    print_lines(context);
    for (uint64_t at_ns; (at_ns = um_clock_now_ns()) < until_ns;) {
        if (um_platform_interrupted())
            return false;
        uint64_t left_ns = until_ns - at_ns;
        um_clock_sleep_ns(left_ns < TURN_NS ? left_ns : TURN_NS);
    }
    return !um_platform_interrupted();
}

/* The target ----------------------------------------------------------------------------------- */

/* Copies a reason without a leading "uimon: ", because it becomes the end of another line. */
static void set_why(char *why, size_t cap, const char *line)
{
    static const char prefix[] = "uimon: ";
    bool prefixed = strncmp(line, prefix, sizeof prefix - 1) == 0;
    snprintf(why, cap, "%s", line + (prefixed ? sizeof prefix - 1 : 0));
}

static enum um_status claim(struct um_bench_host *host, char *why, size_t cap)
{
    uint32_t owner = 0;
    enum um_status status = um_platform_claim(um_target->pid(host->process), &owner, &host->claim);
    if (status == UM_ERR_BUSY)
        um_target->claimed(owner, why, cap);
    else if (status != UM_OK)
        snprintf(why, cap, "the program cannot be reserved for this uimon: %s",
                 um_status_text(status));
    return status;
}

static enum um_status begin(struct um_bench_host *host, const struct um_target_info *target,
                            char *why, size_t cap)
{
    struct um_feed_output output = um_bench_results_output(host->results);
    enum um_status status = claim(host, why, cap);

    host->first_hwnd = 0;
    host->pending_hwnd = 0;
    if (status != UM_OK)
        return status;
    status = um_watch_open(&host->watch_options, host->process, target, NULL, NULL, &output, 1,
                           &host->watch);
    if (status != UM_OK)
        snprintf(why, cap, "watching cannot begin: %s", um_status_text(status));
    return status;
}

static enum um_status launch(void *context, const struct um_scenario_step *step, char *why,
                             size_t cap)
{
    struct um_bench_host *host = context;
    enum um_status status =
        um_target->launch((char *const *)(uintptr_t)step->argv, step->argc, NULL, &host->process);
    if (status != UM_OK) {
        snprintf(why, cap, "%s cannot be started: %s", um_utf8_show(step->argv[0], 60).text,
                 um_target_spec_not_started(status));
        return status;
    }
    host->launched = true;
    return begin(host, NULL, why, cap);
}

static enum um_status find(struct um_bench_host *host, const char *text,
                           struct um_target_info *found, char *why, size_t cap)
{
    struct um_target_spec spec;
    struct um_target_info *list = NULL;
    size_t count = 0;
    size_t index = 0;
    char line[UM_OPTIONS_ERROR_BYTES] = "";

    enum um_status status = um_target_spec_parse(text, &spec, line, sizeof line);
    if (status == UM_OK)
        status = um_target->find(&spec, &list, &count);
    if (status == UM_OK)
        status = um_target_spec_match(&spec, list, count, host->options->newest, &index, line,
                                      sizeof line);
    if (status == UM_OK)
        *found = list[index];
    else
        set_why(why, cap, line[0] ? line : um_status_text(status));
    free(list);
    return status;
}

static enum um_status attach(void *context, const struct um_scenario_step *step, char *why,
                             size_t cap)
{
    struct um_bench_host *host = context;
    struct um_target_info target;

    enum um_status status = find(host, step->text, &target, why, cap);
    if (status != UM_OK)
        return status;
    status = um_target->open(target.pid, &host->process);
    if (status != UM_OK) {
        snprintf(why, cap, "%s (pid %lu) cannot be opened: %s", um_utf8_show(target.name, 60).text,
                 (unsigned long)target.pid, um_status_text(status));
        return status;
    }
    host->launched = false;
    return begin(host, &target, why, cap);
}

/* Ends the watching. `why` says why it ended, if it ended by itself. */
static enum um_status end_watch(struct um_bench_host *host, char *why, size_t cap)
{
    struct um_summary summary;
    bool measured = false;
    char line[UM_OPTIONS_ERROR_BYTES] = "";

    um_watch_stop(host->watch);
    enum um_status status = um_watch_finish(host->watch, &summary, &measured, line, sizeof line);
    if (measured && summary.probe)
        host->target.probe = summary.probe; /* static text */
    if (measured)
        host->target.beat = summary.beat; /* static text */
    print_lines(host);
    um_watch_close(host->watch);
    host->watch = NULL;
    set_why(why, cap, line[0] ? line : "the program ended");
    return status;
}

static enum um_status alive(void *context, char *why, size_t cap)
{
    struct um_bench_host *host = context;
    if (!host->watch || !um_watch_over(host->watch))
        return UM_OK;
    enum um_status status = end_watch(host, why, cap);
    return status == UM_OK ? UM_ERR_CLOSED : status;
}

static bool window(void *context, const struct um_scenario_step *step)
{
    struct um_bench_host *host = context;
    uint64_t found = um_bench_window->find(um_target->pid(host->process), step);
    if (!host->first_hwnd)
        host->first_hwnd = found;
    return found != 0;
}

static enum um_bench_run_paint paint(void *context)
{
    struct um_bench_host *host = context;
    return um_bench_window->paint(host->first_hwnd, &host->pending_hwnd);
}

static bool measuring(void *context)
{
    struct um_bench_host *host = context;

    if (!host->watch)
        return false;
    struct um_watch_view view = um_watch_view(host->watch);
    if (!view.target.hwnd)
        return false;
    snprintf(host->target.name, sizeof host->target.name, "%s", view.target.name);
    snprintf(host->target.toolkit, sizeof host->target.toolkit, "%s", view.target.toolkit);
    return view.measuring;
}

static bool ready(void *context)
{
    struct um_bench_host *host = context;
    return host->process && um_target->ready(host->process);
}

static struct um_watch_quiet quiet(void *context)
{
    struct um_bench_host *host = context;
    return host->watch ? um_watch_view(host->watch).quiet : (struct um_watch_quiet){0};
}

/* The handle of the present main window. */
static bool main_window(struct um_bench_host *host, uint64_t *hwnd, char *why, size_t cap)
{
    *hwnd = host->watch ? um_watch_view(host->watch).target.hwnd : 0;
    if (!*hwnd)
        snprintf(why, cap, "the program has no window at present");
    return *hwnd != 0;
}

static bool to_front(void *context, char *why, size_t cap)
{
    struct um_bench_host *host = context;
    uint64_t hwnd;
    uint32_t pid = um_target->pid(host->process);
    if (!main_window(host, &hwnd, why, cap) || !um_inject->to_front(hwnd, pid, why, cap))
        return false;
    if (host->launched)
        host->aim = (struct um_inject_aim){.pid = pid};
    else if (host->aim.pid != pid)
        um_inject->take_aim(&host->aim, pid);
    host->aim.front = 0;
    return true;
}

/* Input ---------------------------------------------------------------------------------------- */

static bool front(void *context, const struct um_scenario_step *awaited,
                  struct um_bench_run_front *found, char *why, size_t cap)
{
    struct um_bench_host *host = context;
    struct um_bench_window_front window = {
        .window = um_inject->front(&host->aim, why, cap),
        .main = host->watch ? um_watch_view(host->watch).target.hwnd : 0,
        .earlier = host->aim.front,
        .launched = host->launched,
        .awaited = awaited,
    };
    if (!window.window)
        return false;
    um_bench_window->describe(&window, found);
    return true;
}

static void aim(void *context, uint64_t window)
{
    struct um_bench_host *host = context;
    host->aim.front = window;
}

static bool key(void *context, const struct um_scenario_key *pressed, char *why, size_t cap)
{
    struct um_bench_host *host = context;
    return um_inject->key(&host->aim, pressed, why, cap);
}

static uint64_t characters(void *context)
{
    struct um_bench_host *host = context;
    return host->watch ? um_watch_characters(host->watch) : 0;
}

static bool stayed(void *context, char *why, size_t cap)
{
    struct um_bench_host *host = context;
    return um_inject->stayed(&host->aim, why, cap);
}

static bool place(struct um_bench_host *host, const struct um_scenario_step *step, int32_t *x,
                  int32_t *y, char *why, size_t cap)
{
    uint64_t hwnd;
    return main_window(host, &hwnd, why, cap) &&
           um_bench_window->place(um_target->pid(host->process), hwnd, step, x, y, why, cap);
}

static bool click(void *context, const struct um_scenario_step *step, char *why, size_t cap)
{
    struct um_bench_host *host = context;
    int32_t x;
    int32_t y;
    return place(host, step, &x, &y, why, cap) &&
           um_inject->click(&host->aim, x, y, step->button, why, cap);
}

static bool wheel(void *context, const struct um_scenario_step *step, bool away, char *why,
                  size_t cap)
{
    struct um_bench_host *host = context;
    int32_t x;
    int32_t y;
    return place(host, step, &x, &y, why, cap) &&
           um_inject->wheel(&host->aim, x, y, away, why, cap);
}

static bool menu(void *context, const struct um_scenario_step *step, struct um_scenario_key *keys,
                 size_t *count, char *why, size_t cap)
{
    struct um_bench_host *host = context;
    struct um_bench_menu_keys list = {keys, 0, UM_BENCH_RUN_MENU_KEYS};
    uint64_t hwnd;

    if (!main_window(host, &hwnd, why, cap) || !um_bench_window->menu(hwnd, step, &list, why, cap))
        return false;
    *count = list.count;
    return true;
}

/* Others --------------------------------------------------------------------------------------- */

static void mark(void *context, const char *text)
{
    struct um_bench_host *host = context;
    if (host->watch)
        um_watch_add_note(host->watch, text);
}

/* Waits until a program ends. Once the user has asked to stop, it waits HURRIED_LIMIT_NS at most:
 * after the console was closed, the system kills uimon within 5 s, and the results must be written.
 * False if the program still runs. */
static bool await_end(struct um_bench_host *host, const struct um_target_process *process,
                      uint64_t limit_ns, bool interruptible)
{
    uint64_t begun_ns = um_clock_now_ns();
    while (um_target->running(process)) {
        uint64_t at_ns = um_clock_now_ns();
        if (um_platform_interrupted() && limit_ns > HURRIED_LIMIT_NS)
            limit_ns = HURRIED_LIMIT_NS;
        if (at_ns - begun_ns > limit_ns || (interruptible && !wait(host, at_ns)))
            return false;
        um_clock_sleep_ns(CLOSE_POLL_NS);
    }
    return true;
}

static bool exec(void *context, const struct um_scenario_step *step, char *why, size_t cap)
{
    struct um_target_process *process = NULL;
    struct um_utf8_shown name = um_utf8_show(step->argv[0], 60);
    uint32_t code = 0;

    enum um_status status =
        um_target->run((char *const *)(uintptr_t)step->argv, step->argc, &process);
    if (status != UM_OK) {
        snprintf(why, cap, "%s cannot be started: %s", name.text,
                 um_target_spec_not_started(status));
        return false;
    }
    bool ended = await_end(context, process, UM_SCENARIO_EXEC_NS, true);
    if (!ended)
        um_target->kill(process);
    else
        status = um_target->exit_code(process, &code);
    um_target->close(process);
    if (!ended)
        snprintf(why, cap, "%s while %s was running",
                 um_platform_interrupted() ? "interrupted" : "ten minutes were over", name.text);
    else if (status != UM_OK || code != 0)
        snprintf(why, cap, "%s ended with exit code %lu", name.text, (unsigned long)code);
    return ended && status == UM_OK && code == 0;
}

/* Asks a launched program to close; with `discard` it is killed if it does not. */
static bool end_program(struct um_bench_host *host, bool discard, char *why, size_t cap)
{
    um_bench_window->close(um_target->pid(host->process));
    if (await_end(host, host->process, discard ? DISCARD_LIMIT_NS : UM_SCENARIO_CLOSE_NS, false))
        return true;
    if (discard) {
        um_target->kill(host->process);
        return true;
    }
    snprintf(why, cap,
             "%s (pid %lu) did not close in time, perhaps because it asks whether to save; "
             "`close discard` ends it all the same",
             host->target.name[0] ? host->target.name : "the program",
             (unsigned long)um_target->pid(host->process));
    return false;
}

static bool close_target(void *context, bool discard, char *why, size_t cap)
{
    struct um_bench_host *host = context;
    bool good = true;

    if (host->watch)
        end_watch(host, why, cap);
    if (host->process && host->launched && um_target->running(host->process))
        good = end_program(host, discard, why, cap);
    um_platform_let_go(host->claim);
    um_target->close(host->process);
    host->claim = NULL;
    host->process = NULL;
    return good;
}

enum um_status um_bench_host_open(const struct um_options *options,
                                  struct um_bench_results *results, struct um_bench_host **host)
{
    struct um_bench_host *made = calloc(1, sizeof *made);
    if (!made)
        return UM_ERR_MEMORY;
    made->options = options;
    made->watch_options = *options;
    made->watch_options.headless = true;
    made->results = results;
    *host = made;
    return UM_OK;
}

void um_bench_host_close(struct um_bench_host *host)
{
    if (!host)
        return;
    um_bench_host_hide_progress(host);
    um_watch_close(host->watch);
    um_platform_let_go(host->claim);
    um_target->close(host->process);
    free(host);
}

struct um_bench_run_host um_bench_host_contract(struct um_bench_host *host)
{
    return (struct um_bench_run_host){.context = host,
                                      .now_ns = now_ns,
                                      .wait = wait,
                                      .progress = progress,
                                      .launch = launch,
                                      .attach = attach,
                                      .alive = alive,
                                      .window = window,
                                      .paint = paint,
                                      .measuring = measuring,
                                      .ready = ready,
                                      .quiet = quiet,
                                      .to_front = to_front,
                                      .front = front,
                                      .aim = aim,
                                      .key = key,
                                      .stayed = stayed,
                                      .characters = characters,
                                      .click = click,
                                      .wheel = wheel,
                                      .menu = menu,
                                      .mark = mark,
                                      .exec = exec,
                                      .close = close_target};
}

const struct um_bench_host_target *um_bench_host_target(const struct um_bench_host *host)
{
    return &host->target;
}
