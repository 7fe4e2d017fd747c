#include "monitor/bench/bench_run.h"

#include <stdio.h>
#include <string.h>

#include "base/plain/clock.h"
#include "monitor/bench/scenario_keys.h"

#define MS UM_CLOCK_NS_PER_MS
#define LAUNCH_POLL_NS (2 * MS)
#define POLL_NS (5 * MS)
#define TURN_NS (50 * MS) /* how often waiting checks that the target still runs */
#define LIMIT_MARGIN_NS (60 * UM_CLOCK_NS_PER_S)
/* For a window that always has something to paint. */
#define PAINT_LIMIT_NS (5 * UM_CLOCK_NS_PER_S)
#define STARTUP_QUIET_NS (500 * MS)
#define MENU_RATE 10.0
#define ENTER 0x0d /* VK_RETURN */
#define FRONT_NS (500 * MS)

/* The buffer for the reason of a failure, as two arguments. */
#define WHY(run) (run)->outcome->why, UM_BENCH_RUN_WHY_BYTES
/* Writes the reason, and is false: return FAIL(run, status, "format", ...). */
#define FAIL(run, status, ...) (snprintf(WHY(run), __VA_ARGS__), fail(run, status))

struct run {
    const struct um_scenario *scenario;
    const struct um_bench_run_host *host;
    struct um_bench_results *results;
    struct um_bench_run_outcome *outcome;
    uint32_t at;                             /* the present step */
    int32_t left[UM_SCENARIO_MAX_DEPTH + 1]; /* by depth: the repetitions that are still to come */
    uint64_t limit_ns;                       /* when the run is aborted */
    uint64_t started_ns;
    bool window_wanted;  /* no window of the launched program has been seen yet */
    bool ready_wanted;   /* the program has not been seen ready for input yet */
    uint64_t unready_ns; /* the last time when it was not; 0: never */
    uint64_t ready_ns;   /* when it was first seen ready; 0: never, or it was not launched */
    bool idle_wanted;    /* the first quiet after the launch has not been found yet */
    uint64_t next_input_ns;
    uint64_t last_input_ns;
    uint64_t since_ns;                       /* when a measure last began or ended */
    uint64_t sent[UM_INTERACTION_COUNT];     /* inputs since then, by kind */
    struct um_bench_results_measure measure; /* the open one; its name is NULL if none is open */
    uint64_t taken_before;                   /* WM_CHAR before the open measure */
    uint64_t step_end_ns;                    /* when the last step ended */
    uint64_t window;                         /* the one that inputs go to; 0: none was sent yet */
    struct um_scenario_key typed;            /* the last key of a `type` */
    uint64_t unsure; /* how many of the last typed keys may have gone to another window */
    /* What may have brought another window to the front since the last look at it: a key, click or
     * menu, an Enter at the end of a `type`, or this wait-window step. */
    bool acted;
    bool entered;
    const struct um_scenario_step *awaited;
};

static uint64_t now_ns(const struct run *run)
{
    return run->host->now_ns(run->host->context);
}

static bool fail(struct run *run, enum um_status status)
{
    run->outcome->status = status;
    return false;
}

/* Looks whether the program is ready for input for the first time. */
static void look_for_ready(struct run *run)
{
    uint64_t at_ns = now_ns(run);
    if (!run->ready_wanted)
        return;
    if (!run->host->ready(run->host->context)) {
        run->unready_ns = at_ns;
        return;
    }
    if (run->window_wanted)
        return; /* both came since the last look: the window is seen at the next one */
    run->ready_wanted = false;
    run->ready_ns = now_ns(run);
    um_bench_results_startup(run->results, UM_BENCH_RESULTS_READY, run->ready_ns - run->started_ns);
}

/* Since when the target has been quiet. While a program has not waited for input it still starts
 * up, so that does not count. */
static uint64_t rest_ns(const struct run *run, const struct um_watch_quiet *quiet)
{
    return quiet->since_ns > run->ready_ns ? quiet->since_ns : run->ready_ns;
}

/* Whether uimon saw the beginning of the quiet that lasts. */
static bool began_in_sight(const struct run *run, const struct um_watch_quiet *quiet)
{
    bool was_starting = run->ready_ns >= quiet->seen_ns && run->unready_ns >= quiet->asked_ns;
    return quiet->since_ns > quiet->seen_ns || was_starting;
}

/* Looks whether the first quiet after the launch has come. */
static void look_for_idle(struct run *run, const struct um_watch_quiet *quiet)
{
    uint64_t idle_ns = rest_ns(run, quiet);
    if (!run->idle_wanted || !run->ready_ns || run->last_input_ns || !quiet->since_ns ||
        now_ns(run) < idle_ns + STARTUP_QUIET_NS)
        return;
    run->idle_wanted = false;
    if (began_in_sight(run, quiet))
        um_bench_results_startup(run->results, UM_BENCH_RESULTS_IDLE, idle_ns - run->started_ns);
}

/* Looks for both, and returns what is known of the quiet. */
static struct um_watch_quiet look(struct run *run)
{
    look_for_ready(run);
    struct um_watch_quiet quiet = run->host->quiet(run->host->context);
    look_for_idle(run, &quiet);
    return quiet;
}

/* Counts the inputs that were sent and have not been dealt with yet. Each kind is counted
 * separately, so that a click of the user does not count as a key of uimon. Inputs from before
 * `since_ns` do not count, so that one that was given up does not count as one sent later. */
static uint64_t count_open(const struct run *run)
{
    uint64_t count = 0;
    for (int kind = 0; kind < UM_INTERACTION_COUNT; kind++) {
        uint64_t dealt_with =
            um_bench_results_dealt_with(run->results, (enum um_interaction)kind, run->since_ns);
        count += run->sent[kind] > dealt_with ? run->sent[kind] - dealt_with : 0;
    }
    return count;
}

/* Looks which typed keys have reached the window that they were meant for: they are dealt with, and
 * it is still in front after that. */
static void look_for_arrival(struct run *run)
{
    char why[UM_BENCH_RUN_WHY_BYTES];
    uint64_t open = run->unsure > 0 ? count_open(run) : 0;

    if (run->unsure > open && run->host->stayed(run->host->context, why, sizeof why))
        run->unsure = open;
}

/* Every wait of a run calls this, so that no run lasts longer than its limit. */
static bool wait(struct run *run, uint64_t until_ns)
{
    if (now_ns(run) > run->limit_ns)
        return FAIL(run, UM_ERR_TIMEOUT, "the run took longer than its steps may take: %.0f s",
                    (double)um_bench_run_most_ns(run->scenario) / 1e9);
    look_for_arrival(run);
    if (run->host->wait(run->host->context, until_ns))
        return true;
    run->outcome->interrupted = true;
    return FAIL(run, UM_ERR_CLOSED, "interrupted");
}

static bool check_alive(struct run *run)
{
    enum um_status status = run->host->alive(run->host->context, WHY(run));
    return status == UM_OK || fail(run, status);
}

/* Waits, and checks meanwhile that the target still runs. */
static bool wait_watchfully(struct run *run, uint64_t until_ns)
{
    for (uint64_t at_ns; (at_ns = now_ns(run)) < until_ns;) {
        uint64_t turn_ns = at_ns + TURN_NS;
        if (!wait(run, turn_ns < until_ns ? turn_ns : until_ns) || !check_alive(run))
            return false;
        look(run);
    }
    return true;
}

/* Starting ------------------------------------------------------------------------------------- */

/* What has been seen of the launch so far. */
struct startup {
    bool painting; /* the window had something to paint when it was first seen */
    uint64_t window_ns;
};

/* Looks at the windows once. The first paint can be observed only if the window had something to
 * paint when it was first seen. Each time is that after the look: late, but never early. */
static void look_at_startup(struct run *run, struct startup *startup)
{
    const struct um_bench_run_host *host = run->host;

    if (run->window_wanted) {
        if (!host->window(host->context, NULL))
            return;
        uint64_t at_ns = now_ns(run);
        run->window_wanted = false;
        startup->window_ns = at_ns;
        startup->painting = host->paint(host->context) == UM_BENCH_RUN_PAINT_PENDING;
        um_bench_results_startup(run->results, UM_BENCH_RESULTS_WINDOW, at_ns - run->started_ns);
    } else if (startup->painting) {
        enum um_bench_run_paint paint = host->paint(host->context);
        uint64_t at_ns = now_ns(run);
        startup->painting =
            paint == UM_BENCH_RUN_PAINT_PENDING && at_ns - startup->window_ns < PAINT_LIMIT_NS;
        if (paint == UM_BENCH_RUN_PAINT_NONE)
            um_bench_results_startup(run->results, UM_BENCH_RESULTS_PAINT, at_ns - run->started_ns);
    }
}

/* Waits until there is a window, it is painted, and beats are answered. */
static bool await_target(struct run *run, bool launched)
{
    const struct um_bench_run_host *host = run->host;
    struct startup startup = {.painting = false};
    uint64_t until_ns = run->started_ns + UM_SCENARIO_START_NS;

    run->window_wanted = run->ready_wanted = run->idle_wanted = launched;
    for (;;) {
        look_at_startup(run, &startup);
        look(run);
        if (host->measuring(host->context) && !run->window_wanted && !startup.painting)
            break;
        if (now_ns(run) > until_ns)
            return FAIL(run, UM_ERR_TIMEOUT, "%s within 60 s",
                        run->window_wanted ? "the program showed no window"
                                           : "the program could not be measured");
        if (!check_alive(run) || !wait(run, now_ns(run) + LAUNCH_POLL_NS))
            return false;
    }
    return host->to_front(host->context, WHY(run)) || fail(run, UM_ERR_IO);
}

static bool do_target(struct run *run, const struct um_scenario_step *step)
{
    bool launched = step->op == UM_SCENARIO_LAUNCH;
    run->started_ns = now_ns(run);
    enum um_status status =
        (launched ? run->host->launch : run->host->attach)(run->host->context, step, WHY(run));
    return status == UM_OK ? await_target(run, launched) : fail(run, status);
}

/* Waiting -------------------------------------------------------------------------------------- */

static bool do_wait_window(struct run *run, const struct um_scenario_step *step)
{
    uint64_t until_ns = now_ns(run) + step->limit_ns;
    while (!run->host->window(run->host->context, step)) {
        if (now_ns(run) > until_ns)
            return FAIL(run, UM_ERR_TIMEOUT, "no such window came within %.4g s",
                        (double)step->limit_ns / 1e9);
        if (!check_alive(run) || !wait(run, now_ns(run) + LAUNCH_POLL_NS))
            return false;
        look(run);
    }
    if (step->window != UM_SCENARIO_WINDOW_MAIN)
        run->awaited = step;
    return true;
}

/* Waits for quiet. Time before the last input does not count, nor time before a program that was
 * launched was seen ready. */
static bool do_wait_idle(struct run *run, const struct um_scenario_step *step)
{
    uint64_t begun_ns = now_ns(run);
    for (;;) {
        uint64_t at_ns = now_ns(run);
        struct um_watch_quiet quiet = look(run);
        uint64_t quiet_ns = rest_ns(run, &quiet);
        if (quiet_ns < run->last_input_ns)
            quiet_ns = run->last_input_ns;
        if (quiet.since_ns && at_ns >= quiet_ns + step->time_ns) {
            run->step_end_ns = quiet_ns > begun_ns ? quiet_ns : begun_ns;
            return true;
        }
        if (at_ns > begun_ns + step->limit_ns)
            return FAIL(run, UM_ERR_TIMEOUT, "it was not idle for %.4g ms within %.4g s",
                        (double)step->time_ns / 1e6, (double)step->limit_ns / 1e9);
        if (!check_alive(run) || !wait(run, at_ns + POLL_NS))
            return false;
    }
}

/* Input ---------------------------------------------------------------------------------------- */

/* Waits until the next input is due. Inputs are due at fixed times, so that a late one does not
 * delay the next. If it is late by more than the time between two inputs, the later ones are moved
 * too, because a person does not type two keys at once. */
static bool await_turn(struct run *run, double rate)
{
    uint64_t period_ns = (uint64_t)(1e9 / rate);
    uint64_t due_ns = run->next_input_ns;
    uint64_t at_ns = now_ns(run);

    if (due_ns == 0 || at_ns > due_ns + period_ns)
        due_ns = at_ns;
    if (!wait_watchfully(run, due_ns))
        return false;
    at_ns = now_ns(run);
    um_bench_results_late(run->results, at_ns > due_ns ? at_ns - due_ns : 0);
    run->next_input_ns = (at_ns > due_ns + period_ns ? at_ns : due_ns) + period_ns;
    run->last_input_ns = at_ns;
    return true;
}

/* Whether the scenario may have brought this window to the front by itself. */
static bool may_be_meant(const struct run *run, const struct um_bench_run_front *front)
{
    return run->acted || front->is_awaited || (run->entered && front->is_earlier_gone);
}

/* Says why nothing more is sent, and which keys may have gone to the wrong window: those that the
 * program had not dealt with when the right one was last seen in front. */
static bool refuse_front(struct run *run, const char *reason, const char *advice)
{
    char name[UM_SCENARIO_KEYS_BYTES];
    char before[48] = "";

    if (run->unsure == 0)
        return FAIL(run, UM_ERR_IO, "%s: nothing was sent%s", reason, advice);
    um_scenario_keys_name(&run->typed, name, sizeof name);
    if (run->unsure > 1)
        snprintf(before, sizeof before, " and the %lu before it", (unsigned long)run->unsure - 1);
    return FAIL(run, UM_ERR_IO, "'%s'%s may have gone astray: %s%s", name, before, reason, advice);
}

/* Aims at the window in front, if it is the one that the next input is meant for. */
static bool take_aim(struct run *run)
{
    struct um_bench_run_front front = {0};
    char reason[UM_BENCH_RUN_WHY_BYTES];

    if (!run->host->front(run->host->context, run->awaited, &front, WHY(run)))
        return fail(run, UM_ERR_IO);
    bool meant = may_be_meant(run, &front);
    if (!run->window && front.is_dialog && !meant)
        return FAIL(run, UM_ERR_IO,
                    "a dialog of the target (\"%s\") is open before the first input: nothing was "
                    "sent; close it, or name it in a wait-window step",
                    front.title);
    if (run->window && run->window != front.window && !meant) {
        snprintf(reason, sizeof reason,
                 "the foreground is another window of the target (\"%s\") than before",
                 front.title);
        return refuse_front(run, reason, "; if it is meant, name it in a wait-window step");
    }
    if (meant)
        run->unsure = 0;
    run->window = front.window;
    run->host->aim(run->host->context, front.window);
    return true;
}

/* A window that a wait-window has named is shown before it comes to the front. Waits for that a
 * while: it may be one that never does. */
static bool await_front(struct run *run)
{
    char why[UM_BENCH_RUN_WHY_BYTES];
    uint64_t until_ns = now_ns(run) + FRONT_NS;

    while (run->awaited && now_ns(run) < until_ns) {
        struct um_bench_run_front front = {0};
        if (!run->host->front(run->host->context, run->awaited, &front, why, sizeof why) ||
            front.is_awaited)
            return true;
        if (!wait(run, now_ns(run) + LAUNCH_POLL_NS))
            return false;
    }
    return true;
}

/* Whether another window, which the scenario may have brought to the front, has come there since
 * the last look. Then that is aimed at. */
static bool aims_anew(struct run *run)
{
    uint64_t before = run->window;
    bool may = run->acted || run->entered || run->awaited;
    return may && take_aim(run) && run->window != before;
}

/* Waits until the next input is due, and aims. */
static bool prepare(struct run *run, double rate)
{
    if (!await_front(run) || !await_turn(run, rate))
        return false;
    look_for_arrival(run);
    return take_aim(run);
}

/* Says why an input was not sent. If that is because a window has come to the front since the look
 * at it, a second look knows more of that. */
static bool refuse_input(struct run *run)
{
    char reason[UM_BENCH_RUN_WHY_BYTES];
    snprintf(reason, sizeof reason, "%s", run->outcome->why);
    return take_aim(run) ? FAIL(run, UM_ERR_IO, "%s", reason) : false;
}

static bool sent(struct run *run, bool good, enum um_interaction kind, uint64_t count)
{
    if (!good)
        return refuse_input(run);
    run->acted = run->entered = false;
    run->awaited = NULL;
    run->sent[kind] += count;
    return true;
}

static bool press(struct run *run, const struct um_scenario_key *key, double rate)
{
    if (!prepare(run, rate))
        return false;
    bool good = run->host->key(run->host->context, key, WHY(run));
    if (!good && aims_anew(run))
        good = run->host->key(run->host->context, key, WHY(run));
    return sent(run, good, UM_INTERACTION_KEY, um_scenario_key_inputs(key));
}

/* Fails if the key that was just typed may have gone to another window. */
static bool stayed(struct run *run)
{
    char reason[UM_BENCH_RUN_WHY_BYTES];
    return run->host->stayed(run->host->context, reason, sizeof reason) ||
           refuse_front(run, reason, "");
}

/* The foreground is not checked after an Enter at the end, which may close the window. */
static bool do_type(struct run *run, const struct um_scenario_step *step)
{
    struct um_scenario_key key;
    for (const char *at = step->text; um_scenario_next_key(&at, &key);) {
        if (!press(run, &key, step->rate))
            return false;
        run->entered = !*at && key.virtual_key == ENTER;
        run->typed = key;
        run->unsure++;
        if (!run->entered && !stayed(run))
            return false;
        run->measure.typed += um_scenario_key_inputs(&key);
    }
    return true;
}

/* Notes an input that may open, close or leave a window on purpose. */
static void act(struct run *run)
{
    run->acted = true;
    run->unsure = 0;
}

/* A pressed key may open, close or leave a window on purpose. So the foreground is checked before
 * each key, and not after it. */
static bool do_key(struct run *run, const struct um_scenario_step *step)
{
    run->measure.compares_typed = false;
    for (int32_t i = 0; i < step->count; i++) {
        if (!press(run, &step->key, step->rate))
            return false;
        act(run);
    }
    return true;
}

static bool do_click(struct run *run, const struct um_scenario_step *step)
{
    if (!prepare(run, MENU_RATE) || !sent(run, run->host->click(run->host->context, step, WHY(run)),
                                          UM_INTERACTION_CLICK, um_scenario_inputs(step)))
        return false;
    act(run);
    return true;
}

static bool do_wheel(struct run *run, const struct um_scenario_step *step)
{
    uint64_t notches = um_scenario_inputs(step);
    for (uint64_t i = 0; i < notches; i++)
        if (!prepare(run, step->rate) ||
            !sent(run, run->host->wheel(run->host->context, step, step->count > 0, WHY(run)),
                  UM_INTERACTION_WHEEL, 1))
            return false;
    return true;
}

static bool do_menu(struct run *run, const struct um_scenario_step *step)
{
    struct um_scenario_key keys[UM_BENCH_RUN_MENU_KEYS];
    size_t count = 0;

    run->measure.compares_typed = false;
    if (!run->host->menu(run->host->context, step, keys, &count, WHY(run)))
        return fail(run, UM_ERR_IO);
    for (size_t i = 0; i < count; i++) {
        if (!press(run, &keys[i], MENU_RATE))
            return false;
        act(run);
    }
    return true;
}

/* Measures ------------------------------------------------------------------------------------- */

/* Waits until all inputs that were sent have been dealt with. After UM_SCENARIO_SETTLE_NS the rest
 * is given up. */
static bool settle(struct run *run, uint64_t *given_up)
{
    uint64_t until_ns = now_ns(run) + UM_SCENARIO_SETTLE_NS;

    while ((*given_up = count_open(run)) > 0 && now_ns(run) < until_ns)
        if (!check_alive(run) || !wait(run, now_ns(run) + POLL_NS))
            return false;
    return true;
}

/* Begins to count inputs from 0. Returns the time. */
static uint64_t restart_count(struct run *run)
{
    memset(run->sent, 0, sizeof run->sent);
    run->since_ns = now_ns(run);
    return run->since_ns;
}

/* Begins a measure, after the inputs before it were dealt with and the pause after the last key is
 * over. */
static bool begin_measure(struct run *run, const struct um_scenario_step *step)
{
    uint64_t given_up = 0;
    if (!settle(run, &given_up) || !wait_watchfully(run, run->next_input_ns))
        return false;
    run->next_input_ns = 0;
    run->taken_before = run->host->characters(run->host->context);
    run->measure = (struct um_bench_results_measure){
        .name = step->text, .start_ns = restart_count(run), .compares_typed = given_up == 0};
    return true;
}

static bool end_measure(struct run *run)
{
    struct um_bench_results_measure *measure = &run->measure;
    uint64_t given_up = 0;

    measure->end_ns = run->step_end_ns > measure->start_ns ? run->step_end_ns : measure->start_ns;
    if (!settle(run, &given_up))
        return false;
    memcpy(measure->injected, run->sent, sizeof measure->injected);
    measure->settled_ns = restart_count(run);
    measure->taken = run->host->characters(run->host->context) - run->taken_before;
    measure->compares_typed = measure->compares_typed && measure->typed > 0 && given_up == 0;
    enum um_status status = um_bench_results_measure(run->results, measure);
    measure->name = NULL;
    return status == UM_OK ||
           FAIL(run, status, "the measure cannot be kept: %s", um_status_text(status));
}

/* Keeps what an open measure has so far, after the run has failed. */
static void break_measure(struct run *run)
{
    if (!run->measure.name)
        return;
    memcpy(run->measure.injected, run->sent, sizeof run->measure.injected);
    run->measure.end_ns = now_ns(run);
    run->measure.settled_ns = run->measure.end_ns;
    run->measure.compares_typed = false;
    um_bench_results_measure(run->results, &run->measure);
}

/* Steps ---------------------------------------------------------------------------------------- */

static bool do_close(struct run *run, bool discard)
{
    return run->host->close(run->host->context, discard, WHY(run)) || fail(run, UM_ERR_BUSY);
}

static bool do_step(struct run *run, const struct um_scenario_step *step)
{
    static bool (*const input[])(struct run *, const struct um_scenario_step *) = {
        [UM_SCENARIO_TYPE] = do_type,   [UM_SCENARIO_KEY] = do_key,
        [UM_SCENARIO_CLICK] = do_click, [UM_SCENARIO_WHEEL] = do_wheel,
        [UM_SCENARIO_MENU] = do_menu,
    };
    switch (step->op) {
    case UM_SCENARIO_LAUNCH:
    case UM_SCENARIO_ATTACH:
        return do_target(run, step);
    case UM_SCENARIO_WAIT_WINDOW:
        return do_wait_window(run, step);
    case UM_SCENARIO_WAIT_IDLE:
        return do_wait_idle(run, step);
    case UM_SCENARIO_SLEEP:
        return wait_watchfully(run, now_ns(run) + step->time_ns);
    case UM_SCENARIO_MARK:
        run->host->mark(run->host->context, step->text);
        return true;
    case UM_SCENARIO_EXEC:
        return run->host->exec(run->host->context, step, WHY(run)) || fail(run, UM_ERR_IO);
    case UM_SCENARIO_MEASURE:
        return begin_measure(run, step);
    case UM_SCENARIO_MEASURE_END:
        return end_measure(run);
    case UM_SCENARIO_REPEAT:
        run->left[step->depth] = step->count;
        return true;
    case UM_SCENARIO_REPEAT_END:
        if (--run->left[step->depth] > 0)
            run->at = step->partner; /* the next step is the first one of the block */
        return true;
    case UM_SCENARIO_CLOSE:
        return do_close(run, step->discard);
    default:
        return input[step->op](run, step);
    }
}

/* Does all steps. wait(run, 0) looks for Ctrl+C before each, because some steps do not wait. */
static bool do_steps(struct run *run)
{
    for (run->at = 0; run->at < run->scenario->step_count; run->at++) {
        const struct um_scenario_step *step = &run->scenario->steps[run->at];
        run->host->progress(run->host->context, step);
        if (!wait(run, 0) || !do_step(run, step))
            return false;
        if (step->op != UM_SCENARIO_WAIT_IDLE && step->op != UM_SCENARIO_REPEAT_END)
            run->step_end_ns = now_ns(run);
    }
    return true;
}

/* Whether the scenario has a `close discard`, so that the program may be ended without saving. */
static bool discards(const struct um_scenario *scenario)
{
    for (uint32_t i = 0; i < scenario->step_count; i++)
        if (scenario->steps[i].op == UM_SCENARIO_CLOSE && scenario->steps[i].discard)
            return true;
    return false;
}

uint64_t um_bench_run_most_ns(const struct um_scenario *scenario)
{
    return scenario->most_ns + UM_SCENARIO_CLOSE_NS + LIMIT_MARGIN_NS;
}

void um_bench_run(const struct um_scenario *scenario, const struct um_bench_run_host *host,
                  struct um_bench_results *results, int64_t utc_ms,
                  struct um_bench_run_outcome *outcome)
{
    struct run run = {.scenario = scenario, .host = host, .results = results, .outcome = outcome};
    char text[UM_BENCH_RUN_WHY_BYTES];

    *outcome = (struct um_bench_run_outcome){.status = UM_OK};
    um_bench_results_begin(results, now_ns(&run), utc_ms);
    run.limit_ns = now_ns(&run) + um_bench_run_most_ns(scenario);
    bool good = do_steps(&run);
    uint32_t last = good ? scenario->step_count - 1 : run.at;
    /* After a failure the reason stays, also if closing fails too. */
    if (good) {
        good = do_close(&run, discards(scenario));
    } else {
        break_measure(&run);
        host->close(host->context, discards(scenario), text, sizeof text);
    }
    if (good) {
        outcome->why[0] = 0;
        return;
    }
    snprintf(text, sizeof text, "%s", outcome->why);
    snprintf(outcome->why, sizeof outcome->why, "line %lu: %.480s",
             (unsigned long)scenario->steps[last].line, text);
}
