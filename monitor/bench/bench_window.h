/* Finds the windows, controls and menus of a benchmark's target. No function waits for the target.
 * One backend for each system. Not on the hot path.
 */
#ifndef UM_MONITOR_BENCH_WINDOW_H
#define UM_MONITOR_BENCH_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "monitor/bench/bench_menu.h"
#include "monitor/bench/bench_run.h"
#include "monitor/bench/scenario.h"

struct um_bench_window_front {
    uint64_t window;
    uint64_t main;                          /* the target's main window; 0: none at present */
    uint64_t earlier;                       /* the window that was aimed at before; 0: none */
    bool launched;                          /* the target was started by this run */
    const struct um_scenario_step *awaited; /* as in um_bench_run_host */
};

struct um_bench_window_backend {
    /* A visible, non-empty window of the process with the class or title that the step names
     * (NULL: any). 0 if there is none. */
    uint64_t (*find)(uint32_t pid, const struct um_scenario_step *step);

    /* Whether the window, or one of the first 256 visible windows inside it, has something left
     * to paint. `*pending` (0 at first) remembers the window that had something: only that one is
     * asked until it has painted, because asking takes time from the starting program. */
    enum um_bench_run_paint (*paint)(uint64_t hwnd, uint64_t *pending);

    /* Says of a window in front what a run wants to know of it. A dialog is one for which the main
     * window is disabled. In a program that was launched it is also one of the system's class of
     * dialogs, such as a message box without an owner. */
    void (*describe)(const struct um_bench_window_front *front, struct um_bench_run_front *out);

    /* The screen position of a step's place. `main` is the target's main window. A control of a
     * given class is searched first in the foreground window, if that is the target's. False with
     * the reason in `why`. */
    bool (*place)(uint32_t pid, uint64_t main, const struct um_scenario_step *step, int32_t *x,
                  int32_t *y, char *why, size_t why_cap);

    /* The keys that a menu step needs. False with the reason in `why`. */
    bool (*menu)(uint64_t main, const struct um_scenario_step *step,
                 struct um_bench_menu_keys *keys, char *why, size_t why_cap);

    /* Asks all windows of the process that have no owner window to close. Does not wait. */
    void (*close)(uint32_t pid);
};

extern const struct um_bench_window_backend *um_bench_window; /* the system's */

#endif
