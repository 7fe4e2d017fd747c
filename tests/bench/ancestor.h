/* The rule of uimon's ancestor, as a baseline: a thread waits 20 ms at a time for "the target has
 * dequeued a mouse message"; when nothing came it starts a stopwatch, and stops it at the next one.
 *
 * It is computed from the beats of the same run that uimon is judged by. That is what the ancestor
 * would have seen: it sends a move each 10 ms, whether the last one was dequeued or not, and moves
 * that wait are merged, so it too gets one message each 10 ms at rest and one at the thaw. It is
 * better off here than in life, where its timer has a step of 15.6 ms.
 */
#ifndef UM_TESTS_BENCH_ANCESTOR_H
#define UM_TESTS_BENCH_ANCESTOR_H

#include <stdbool.h>
#include <stddef.h>

/* What it says of the freeze that was over at `thaw_ms`: its length in whole ms, as its stopwatch
 * gives them; 0 if it says nothing.
 * Units: `seen_ms`, ascending, are the times at which a beat was dequeued. */
double ancestor_length_ms(const double *seen_ms, size_t count, double begin_ms, double thaw_ms);

#endif
