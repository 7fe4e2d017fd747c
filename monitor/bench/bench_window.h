/* The windows of a benchmark's target, for startup, waiting, clicking and menus. No function waits
 * for the target. One backend for each system. Not on the hot path.
 */
#ifndef UM_MONITOR_BENCH_WINDOW_H
#define UM_MONITOR_BENCH_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "monitor/bench/bench_menu.h"
#include "monitor/bench/bench_run.h"
#include "monitor/bench/scenario.h"

/* A visible window of the process, of the class or title that the step names (NULL: any), that is
 * not empty. 0 if there is none. */
uint64_t um_bench_window_find(uint32_t pid, const struct um_scenario_step *step);

/* Whether the window, or one of the first 256 visible windows inside it, has something left to
 * paint. `*pending` is 0 at first and keeps the window that had something; while that one has, no
 * other is asked. Asking costs time that the starting program needs, so it asks as little as it
 * can. */
enum um_bench_run_paint um_bench_window_paint(uint64_t hwnd, uint64_t *pending);

/* The point of the screen that a step means. `main` is the target's main window. A class is looked
 * for in the foreground window first, if that is the target's. False with the reason in `why`. */
bool um_bench_window_place(uint32_t pid, uint64_t main, const struct um_scenario_step *step,
                           int32_t *x, int32_t *y, char *why, size_t why_cap);

/* The keys that a menu step needs. False with the reason in `why`. */
bool um_bench_window_menu(uint64_t main, const struct um_scenario_step *step,
                          struct um_bench_menu_keys *keys, char *why, size_t why_cap);

/* Asks all windows of the process that have no owner window to close. Does not wait. */
void um_bench_window_close(uint32_t pid);

#endif
