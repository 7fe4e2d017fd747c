/* Sorts an array that is made of a few sorted runs, as what many threads did is: merges the runs in
 * pairs. Keeps the order of equal elements. Takes as many passes as the number of runs has binary
 * digits, so a sorted array costs one look.
 */
#ifndef UM_MONITOR_RUNS_H
#define UM_MONITOR_RUNS_H

#include <stdbool.h>
#include <stddef.h>

/* Whether `b` must stand before `a`, which stands before it. */
typedef bool um_runs_is_before(const void *b, const void *a, const void *context);

/* Sorts `count` elements of `size` bytes. False, and nothing is changed, without memory: it takes
 * as much again, unless the array is sorted. */
bool um_runs_sort(void *array, size_t count, size_t size, um_runs_is_before *is_before,
                  const void *context);

#endif
