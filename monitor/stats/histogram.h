/* Latency histogram: log-linear, with the layout and the meaning of HdrHistogram.
 *
 * A value is kept to a number of significant decimal digits over the whole range, in a fixed array:
 * buckets of equal relative width, each cut into `sub_bucket_count` equal parts. A percentile is
 * therefore the highest value that cannot be told from the one at that rank: never below it, and
 * above it by at most 10^-digits of it (by the unit, 512 ns for a lowest value of 1 µs, where that
 * is more). A reader starts at um_histogram_record. Recording is cheap enough for the monitor's
 * reader; it never allocates.
 *
 * Source: Gil Tene, HdrHistogram, http://hdrhistogram.org and AbstractHistogram.java 2.1.12, whose
 * comments document the layout; hdr_histogram.c of HdrHistogram_c names the parts as here.
 */
#ifndef UM_MONITOR_HISTOGRAM_H
#define UM_MONITOR_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"

/* For latencies: 1 µs to 30 days (the longest recording), 3 digits. */
#define UM_HISTOGRAM_LATENCY_LOWEST UINT64_C(1000)
#define UM_HISTOGRAM_LATENCY_HIGHEST UINT64_C(2592000000000000)
#define UM_HISTOGRAM_LATENCY_DIGITS 3
#define UM_HISTOGRAM_LATENCY_COUNTS 34816 /* what the range needs */

/* Private to histogram.c; exporters may read `counts`. */
struct um_histogram {
    uint64_t *counts;
    size_t counts_len;
    size_t used_len; /* all counts from here on are 0 */
    uint64_t lowest; /* as in um_histogram_init; so are the next two */
    uint64_t highest;
    uint32_t digits;
    uint64_t total; /* values recorded, corrections included */
    uint64_t max;   /* the greatest value as it was given, over `highest` too */
    uint32_t sub_bucket_count;
    uint32_t sub_bucket_half_magnitude; /* log2 of half of it */
    uint32_t unit_magnitude;            /* log2 of the width of the narrowest part */
};

/* Makes an empty histogram over the caller's counts, which it clears. `counts_len` becomes the
 * number of counts that the range needs.
 * Units: `lowest` and `highest` in the caller's unit.
 * Owner: `counts` stays the caller's and must live as long as the histogram; nothing to release.
 * Errors: UM_ERR_ARG lowest < 1, highest < 2 * lowest, digits outside 1..5, or the range cannot be
 * laid out in 63 bits; UM_ERR_TOO_LARGE `counts_len` is too small. */
enum um_status um_histogram_init(struct um_histogram *histogram, uint64_t lowest, uint64_t highest,
                                 int digits, uint64_t *counts, size_t counts_len);

/* The same for latencies in ns, over counts that are 0 already, as from calloc. It does not touch
 * them, so that a histogram with few values needs only few pages of memory.
 * Units: `counts` has UM_HISTOGRAM_LATENCY_COUNTS. */
void um_histogram_init_latency(struct um_histogram *histogram, uint64_t *counts);

/* Forgets all values. */
void um_histogram_reset(struct um_histogram *histogram);

/* Records one value; one over the range counts as the highest. */
void um_histogram_record(struct um_histogram *histogram, uint64_t value);

/* Records one value `count` times. */
void um_histogram_record_count(struct um_histogram *histogram, uint64_t value, uint64_t count);

/* Records a value and what coordinated omission hid behind it: value − interval,
 * value − 2 * interval, ... down to the interval. An interval of 0 corrects nothing.
 * Source: recordValueWithExpectedInterval of HdrHistogram. */
void um_histogram_record_corrected(struct um_histogram *histogram, uint64_t value,
                                   uint64_t interval);

/* The smallest value such that `percentile` (0 to 100) per cent of all values are at or below it,
 * as the highest equivalent value (the lowest for percentile 0); 0 when empty. It may exceed `max`
 * by the histogram's precision.
 * Source: getValueAtPercentile of HdrHistogram 2.1.12. */
uint64_t um_histogram_value_at_percentile(const struct um_histogram *histogram, double percentile);

/* The mean, with the middle of its equivalents for each value; 0 when empty. */
double um_histogram_mean(const struct um_histogram *histogram);

/* The greatest value as it was given, even over the range; 0 when empty. HdrHistogram returns its
 * highest equivalent. */
uint64_t um_histogram_max(const struct um_histogram *histogram);

/* How many values, corrections included. */
uint64_t um_histogram_count(const struct um_histogram *histogram);

/* The lowest value that is counted at this index of `counts`. */
uint64_t um_histogram_value_at_index(const struct um_histogram *histogram, size_t index);

/* The lowest, the middle and the highest value that the histogram cannot tell from `value`. */
uint64_t um_histogram_lowest_equivalent(const struct um_histogram *histogram, uint64_t value);
uint64_t um_histogram_median_equivalent(const struct um_histogram *histogram, uint64_t value);
uint64_t um_histogram_highest_equivalent(const struct um_histogram *histogram, uint64_t value);

#endif
