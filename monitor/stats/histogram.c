#include "monitor/stats/histogram.h"

#include <math.h>
#include <string.h>

/* The layout. Values below sub_bucket_count units fall into bucket 0, one count a unit. Each
 * further bucket covers twice the range with parts twice as wide; its lower half is covered by the
 * bucket before it, so that it stores only its upper half:
 *
 *   bucket 0   [0, count) units                 count parts of 1 unit
 *   bucket b   [count << (b-1), count << b)     count / 2 parts of 1 << b units
 */

/* Halves the bits, because most of the time of recording is spent here. */
static uint32_t log2_floor(uint64_t value)
{
    uint32_t magnitude = 0;
    for (uint32_t bits = 32; bits > 0; bits /= 2) {
        if (value >> bits != 0) {
            value >>= bits;
            magnitude += bits;
        }
    }
    return magnitude;
}

/* The layout of a range; 0 counts when it cannot be laid out. */
static struct um_histogram lay_out(uint64_t lowest, uint64_t highest, int digits)
{
    struct um_histogram layout = {.lowest = lowest, .highest = highest};
    if (lowest < 1 || highest / 2 < lowest || highest > INT64_MAX || digits < 1 || digits > 5)
        return layout;
    layout.digits = (uint32_t)digits;
    uint64_t parts = 2; /* how many single units must be distinguished for the digits to hold */
    for (int i = 0; i < digits; i++)
        parts *= 10;
    uint32_t magnitude = log2_floor(parts - 1) + 1;
    layout.unit_magnitude = log2_floor(lowest);
    if (layout.unit_magnitude + magnitude > 61)
        return layout;
    layout.sub_bucket_count = UINT32_C(1) << magnitude;
    layout.sub_bucket_half_magnitude = magnitude - 1;

    size_t buckets = 1;
    for (uint64_t end = (uint64_t)layout.sub_bucket_count << layout.unit_magnitude;
         end <= highest && end <= INT64_MAX; end <<= 1)
        buckets++;
    layout.counts_len = (buckets + 1) * (layout.sub_bucket_count / 2);
    return layout;
}

enum um_status um_histogram_init(struct um_histogram *histogram, uint64_t lowest, uint64_t highest,
                                 int digits, uint64_t *counts, size_t counts_len)
{
    struct um_histogram layout = lay_out(lowest, highest, digits);
    if (layout.counts_len == 0)
        return UM_ERR_ARG;
    if (counts_len < layout.counts_len)
        return UM_ERR_TOO_LARGE;
    layout.counts = counts;
    *histogram = layout;
    memset(counts, 0, layout.counts_len * sizeof *counts);
    return UM_OK;
}

void um_histogram_init_latency(struct um_histogram *histogram, uint64_t *counts)
{
    *histogram = lay_out(UM_HISTOGRAM_LATENCY_LOWEST, UM_HISTOGRAM_LATENCY_HIGHEST,
                         UM_HISTOGRAM_LATENCY_DIGITS);
    histogram->counts = counts;
}

void um_histogram_reset(struct um_histogram *histogram)
{
    memset(histogram->counts, 0, histogram->used_len * sizeof *histogram->counts);
    histogram->used_len = 0;
    histogram->total = 0;
    histogram->max = 0;
}

/* The bucket a value lies in: how often its part has to be doubled. */
static uint32_t bucket_of(const struct um_histogram *histogram, uint64_t value)
{
    uint64_t mask = ((uint64_t)histogram->sub_bucket_count << histogram->unit_magnitude) - 1;
    return log2_floor(value | mask) - log2_floor(mask);
}

static size_t index_of(const struct um_histogram *histogram, uint64_t value)
{
    uint32_t bucket = bucket_of(histogram, value);
    size_t part = (size_t)(value >> (bucket + histogram->unit_magnitude));
    return ((size_t)bucket << histogram->sub_bucket_half_magnitude) + part;
}

uint64_t um_histogram_value_at_index(const struct um_histogram *histogram, size_t index)
{
    uint64_t half = histogram->sub_bucket_count / 2;
    uint64_t bucket = index >> histogram->sub_bucket_half_magnitude;
    uint64_t part = index & (half - 1);
    if (bucket == 0)
        return part << histogram->unit_magnitude;
    return (part + half) << (bucket - 1 + histogram->unit_magnitude);
}

uint64_t um_histogram_lowest_equivalent(const struct um_histogram *histogram, uint64_t value)
{
    uint32_t shift = bucket_of(histogram, value) + histogram->unit_magnitude;
    return value >> shift << shift;
}

uint64_t um_histogram_highest_equivalent(const struct um_histogram *histogram, uint64_t value)
{
    uint32_t shift = bucket_of(histogram, value) + histogram->unit_magnitude;
    return value | ((UINT64_C(1) << shift) - 1);
}

uint64_t um_histogram_median_equivalent(const struct um_histogram *histogram, uint64_t value)
{
    uint32_t shift = bucket_of(histogram, value) + histogram->unit_magnitude;
    return (value >> shift << shift) + ((UINT64_C(1) << shift) >> 1);
}

static void add(struct um_histogram *histogram, uint64_t value, uint64_t count)
{
    size_t index = index_of(histogram, value);
    histogram->counts[index] += count;
    if (index >= histogram->used_len)
        histogram->used_len = index + 1;
    histogram->total += count;
}

/* Records a value, and returns it as it was recorded. */
static uint64_t record(struct um_histogram *histogram, uint64_t value, uint64_t count)
{
    if (value > histogram->max)
        histogram->max = value;
    if (value > histogram->highest)
        value = histogram->highest;
    add(histogram, value, count);
    return value;
}

void um_histogram_record(struct um_histogram *histogram, uint64_t value)
{
    (void)record(histogram, value, 1);
}

void um_histogram_record_count(struct um_histogram *histogram, uint64_t value, uint64_t count)
{
    if (count)
        (void)record(histogram, value, count);
}

void um_histogram_record_corrected(struct um_histogram *histogram, uint64_t value,
                                   uint64_t interval)
{
    uint64_t recorded = record(histogram, value, 1);
    if (interval == 0 || recorded <= interval)
        return;
    /* All missing values that share a count are added at once. A feed may claim a tiny interval,
     * which must not take millions of steps. */
    uint64_t missing = recorded - interval;
    while (missing >= interval) {
        uint64_t least = um_histogram_lowest_equivalent(histogram, missing);
        least = least < interval ? interval : least;
        uint64_t count = (missing - least) / interval + 1;
        add(histogram, missing, count);
        missing -= count * interval;
    }
}

uint64_t um_histogram_value_at_percentile(const struct um_histogram *histogram, double percentile)
{
    /* One ulp less, so that 99.9 % of 1000 is the 999th value and not, rounded up, the 1000th. */
    double asked = nextafter(percentile, -1.0);
    asked = asked < 0.0 ? 0.0 : asked > 100.0 ? 100.0 : asked;
    double rank = ceil(asked * (double)histogram->total / 100.0);
    uint64_t wanted = rank < 1.0 ? 1 : (uint64_t)rank;

    uint64_t passed = 0;
    for (size_t i = 0; i < histogram->used_len; i++) {
        passed += histogram->counts[i];
        if (passed >= wanted) {
            uint64_t value = um_histogram_value_at_index(histogram, i);
            return percentile <= 0.0 ? value : um_histogram_highest_equivalent(histogram, value);
        }
    }
    return 0;
}

double um_histogram_mean(const struct um_histogram *histogram)
{
    if (histogram->total == 0)
        return 0.0;
    double sum = 0.0;
    for (size_t i = 0; i < histogram->used_len; i++) {
        if (histogram->counts[i] != 0) {
            uint64_t value = um_histogram_value_at_index(histogram, i);
            sum += (double)um_histogram_median_equivalent(histogram, value) *
                   (double)histogram->counts[i];
        }
    }
    return sum / (double)histogram->total;
}

uint64_t um_histogram_max(const struct um_histogram *histogram)
{
    return histogram->max;
}

uint64_t um_histogram_count(const struct um_histogram *histogram)
{
    return histogram->total;
}
