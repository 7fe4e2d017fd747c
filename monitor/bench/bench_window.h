/* The windows of a benchmark's target: what startup, waiting, clicking and menus need to know of
 * them. Nothing here waits for the target. One backend a system. Not on the hot path.
 */
#ifndef UM_MONITOR_BENCH_WINDOW_H
#define UM_MONITOR_BENCH_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "monitor/bench/bench_menu.h"
#include "monitor/bench/bench_run.h"
#include "monitor/bench/scenario.h"

/* A visible window of the process that has an area; which, the step says (NULL: any). 0: none. */
uint64_t um_bench_window_find(uint32_t pid, const struct um_scenario_step *step);

/* Whether the window, or a visible one inside it, has something left to paint; of those inside it,
 * the first 256 are asked. `*pending` keeps the one that had, which is asked alone for as long as
 * it has: 0 at first. Asking takes the system's time from a program that starts, so it asks no more
 * than it must. */
enum um_bench_run_paint um_bench_window_paint(uint64_t hwnd, uint64_t *pending);

/* Where on the screen a step points. `main` is the target's main window; a class is looked for in
 * the window in front first, if that is the target's. False: `why` has the end of a line. */
bool um_bench_window_place(uint32_t pid, uint64_t main, const struct um_scenario_step *step,
                           int32_t *x, int32_t *y, char *why, size_t why_cap);

/* The keys for a step of menu. False as above. */
bool um_bench_window_menu(uint64_t main, const struct um_scenario_step *step,
                          struct um_bench_menu_keys *keys, char *why, size_t why_cap);

/* Asks the windows of the process that have no owner to close. Does not wait. */
void um_bench_window_close(uint32_t pid);

/* Whether the system would find such a program to start. */
bool um_bench_window_program_exists(const char *program);

#endif
