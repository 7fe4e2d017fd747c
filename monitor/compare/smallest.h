/* The smallest change that runs like these would have shown.
 *
 * It is found by trying: both sides are drawn from the runs of BEFORE, with replacement, each as
 * large as it was. In a sitting of pairs the other run of a pair is one of the two that were made
 * next to the drawn one, so that the pairs drift as little as they did. The runs of one side are
 * multiplied by 1 + x, and the verdict's own test (um_compare_against) is asked whether that side
 * is slower. That is done 500 times for an x; the result is the smallest x, in whole per cent, that
 * is found in at least 80 % of them. The numbers are seeded, so the same runs always give the same
 * answer.
 *
 * What it cannot know: few runs say little about how much runs differ, so the answer itself varies
 * from sitting to sitting. In simulated sittings of 8 to 20 runs a side on a machine without drift,
 * a true change of the said size is found in about 75 of 100. Pure; not on the hot path.
 */
#ifndef UM_MONITOR_SMALLEST_H
#define UM_MONITOR_SMALLEST_H

#include <stdint.h>

#include "base/plain/status.h"
#include "monitor/compare/compare.h"

#define UM_SMALLEST_LEAST_RUNS 8  /* on each side; of fewer runs nothing is said */
#define UM_SMALLEST_MOST_RUNS 100 /* on each side: of more it would take many seconds */
#define UM_SMALLEST_MOST_PERCENT 100

/* The smallest change, in per cent: UM_SMALLEST_MOST_PERCENT + 1 if none up to there is found often
 * enough; 0 if it cannot be known, because there are too few runs, too many,
 * or one that is not above 0.
 * Errors: as um_compare_against; UM_ERR_MEMORY. */
enum um_status um_smallest_percent(const struct um_compare_design *design,
                                   const struct um_compare_runs *runs, uint32_t *percent);

#endif
