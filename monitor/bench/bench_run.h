/* Carries out one run of a scenario.
 *
 * Portable: everything outside comes through um_bench_run_host. bench_host.c implements it for a
 * real target, the tests for a simulated one. A reader starts at um_bench_run. It waits on the
 * calling thread; the session measures on another one.
 *
 * The times of a startup are counted from just before the process is started:
 * - window: the first poll that sees a visible window; it polls every 2 ms.
 * - paint: the first poll that finds nothing left to paint in that window. It is observed only if
 *   there was something to paint when the window was first seen.
 * - ready: the first poll that finds that the program has waited for input.
 * - idle: the beginning of the first 500 ms of quiet from ready on.
 *
 * Idle is observed only if no input was sent before the 500 ms were over, and if its beginning was
 * seen. That is so if uimon saw work before it, or if the program had not yet waited for input when
 * uimon asked to see its messages. Otherwise the quiet may have begun earlier.
 *
 * A measure begins when the earlier inputs have been dealt with, and the pause after the last key
 * is over. It ends with its last step; if that is a wait-idle, at the beginning of the quiet. It
 * measures the inputs that arrive from its beginning on, until all inputs sent in it have been
 * dealt with, or for 2 s at most after its last step.
 *
 * Inputs go to one window of the target, the one that is in front at the first input. Another one
 * of the target takes its place only if the scenario itself may have brought it to the front:
 * - after a key, a click or a menu;
 * - if a `wait-window` has named it;
 * - after an Enter at the end of a `type`, if the window that it went to has closed.
 * Any other window in front ends the run, and so does a dialog that is open at the first input.
 */
#ifndef UM_MONITOR_BENCH_RUN_H
#define UM_MONITOR_BENCH_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "monitor/bench/bench_results.h"
#include "monitor/bench/scenario.h"
#include "monitor/live/watch.h"

#define UM_BENCH_RUN_WHY_BYTES 512
#define UM_BENCH_RUN_TITLE_BYTES 192
#define UM_BENCH_RUN_MENU_KEYS 256

/* The target's window in front. */
struct um_bench_run_front {
    uint64_t window;
    bool is_dialog;       /* not the main window, but one that has to be closed first */
    bool is_awaited;      /* it is as the wait-window step describes it */
    bool is_earlier_gone; /* the window that was aimed at is no longer shown */
    char title[UM_BENCH_RUN_TITLE_BYTES];
};

enum um_bench_run_paint {
    UM_BENCH_RUN_PAINT_GONE = 0, /* the window no longer exists */
    UM_BENCH_RUN_PAINT_PENDING,  /* it has something to paint */
    UM_BENCH_RUN_PAINT_NONE      /* it has nothing to paint */
};

/* What a run needs from outside. A function that fails writes the reason to `why`, as the end of a
 * line: "the foreground is ...". Inputs are sent only if the foreground window is the one that is
 * aimed at, which is checked just before sending. */
struct um_bench_run_host {
    void *context;
    uint64_t (*now_ns)(void *context);
    /* Waits until a time; false if the user has asked to stop. */
    bool (*wait)(void *context, uint64_t until_ns);
    void (*progress)(void *context, const struct um_scenario_step *step);

    /* Starts the program, or finds it, and begins to watch it.
     * Errors: UM_ERR_NOT_FOUND, UM_ERR_DENIED, UM_ERR_AMBIGUOUS, UM_ERR_IO. */
    enum um_status (*launch)(void *context, const struct um_scenario_step *step, char *why,
                             size_t cap);
    enum um_status (*attach)(void *context, const struct um_scenario_step *step, char *why,
                             size_t cap);
    /* Checks that the target still runs and is still being watched.
     * Errors: UM_ERR_CLOSED the target ended; others: why the watching ended. */
    enum um_status (*alive)(void *context, char *why, size_t cap);
    /* Whether the target has a visible window as `step` describes it (NULL: any). */
    bool (*window)(void *context, const struct um_scenario_step *step);
    enum um_bench_run_paint (*paint)(void *context); /* of the first window seen */
    bool (*ready)(void *context);                    /* it has waited for input at least once */
    bool (*measuring)(void *context);
    struct um_watch_quiet (*quiet)(void *context);
    bool (*to_front)(void *context, char *why, size_t cap);

    /* The window in front; false if it may get no input. `awaited` is the last wait-window step
     * with a class or title (NULL: none). */
    bool (*front)(void *context, const struct um_scenario_step *awaited,
                  struct um_bench_run_front *front, char *why, size_t cap);
    /* From now on inputs go to this window alone. */
    void (*aim)(void *context, uint64_t window);
    bool (*key)(void *context, const struct um_scenario_key *key, char *why, size_t cap);
    /* Whether the window that is aimed at is still in front, asked just after a key. */
    bool (*stayed)(void *context, char *why, size_t cap);
    bool (*click)(void *context, const struct um_scenario_step *step, char *why, size_t cap);
    /* How many WM_CHAR the target has taken, up to the last input that was dealt with at least. */
    uint64_t (*characters)(void *context);
    /* One notch; `away` from the user. */
    bool (*wheel)(void *context, const struct um_scenario_step *step, bool away, char *why,
                  size_t cap);
    /* The keys that choose an item; `keys` has room for UM_BENCH_RUN_MENU_KEYS. */
    bool (*menu)(void *context, const struct um_scenario_step *step, struct um_scenario_key *keys,
                 size_t *count, char *why, size_t cap);
    void (*mark)(void *context, const char *text);
    bool (*exec)(void *context, const struct um_scenario_step *step, char *why, size_t cap);
    /* Ends the watching, and asks a launched program to close. With `discard`, a program that does
     * not close is killed. Does nothing if nothing was started, or it is closed already. */
    bool (*close)(void *context, bool discard, char *why, size_t cap);
};

struct um_bench_run_outcome {
    enum um_status status;
    bool interrupted;
    char why[UM_BENCH_RUN_WHY_BYTES]; /* "line 12: ..."; empty for UM_OK */
};

/* How long a run may take before it is aborted: what its steps may take, and a minute more for a
 * busy machine. */
uint64_t um_bench_run_most_ns(const struct um_scenario *scenario);

/* Carries out one run, from um_bench_results_begin to the target's end; um_bench_results_end is
 * left to the caller. Thread: blocks as long as the run takes. */
void um_bench_run(const struct um_scenario *scenario, const struct um_bench_run_host *host,
                  struct um_bench_results *results, int64_t utc_ms,
                  struct um_bench_run_outcome *outcome);

#endif
