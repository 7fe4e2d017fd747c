#include "monitor/export/export.h"

#include <inttypes.h>
#include <math.h>

#define TICKS 5 /* steps for each halving of what is left to 100 % */
#define MS_NS 1e6

/* The next percentile after this one. Source: PercentileIterator of HdrHistogram 2.1.12. */
static double next_percentile(double percentile)
{
    return percentile + 100 / (TICKS * exp2(ilogb(100 / (100 - percentile)) + 1));
}

static double deviation(const struct um_histogram *histogram, double mean)
{
    double sum = 0;
    for (size_t i = 0; i < histogram->used_len; i++) {
        uint64_t value = um_histogram_value_at_index(histogram, i);
        double off = (double)um_histogram_median_equivalent(histogram, value) - mean;
        sum += off * off * (double)histogram->counts[i];
    }
    return sqrt(sum / (double)histogram->total);
}

static void put_row(const struct um_histogram *histogram, uint64_t value, uint64_t passed,
                    double percentile, FILE *out)
{
    uint64_t highest = um_histogram_highest_equivalent(histogram, value);
    fprintf(out, "%12.3f %2.12f %10" PRIu64, (double)highest / MS_NS, percentile / 100, passed);
    if (percentile < 100)
        fprintf(out, " %14.2f", 1 / (1 - percentile / 100));
    fputc('\n', out);
}

/* Each value has a row for each step that it reaches, but the greatest one has one, and that of
 * 100 %. */
static void put_rows(const struct um_histogram *histogram, FILE *out)
{
    double percentile = 0;
    uint64_t passed = 0, value = 0;
    for (size_t i = 0; i < histogram->used_len; i++) {
        if (histogram->counts[i] == 0)
            continue;
        passed += histogram->counts[i];
        value = um_histogram_value_at_index(histogram, i);
        bool is_last = passed == histogram->total;
        while (is_last || 100 * (double)passed / (double)histogram->total >= percentile) {
            put_row(histogram, value, passed, percentile, out);
            if (is_last)
                break;
            percentile = next_percentile(percentile);
        }
    }
    put_row(histogram, value, passed, 100, out);
}

static void put_histogram(const struct um_histogram *histogram, FILE *out)
{
    uint64_t half = histogram->sub_bucket_count / 2;
    double mean = um_histogram_mean(histogram);
    uint64_t greatest = um_histogram_value_at_index(histogram, histogram->used_len - 1);
    fputs("       Value     Percentile TotalCount 1/(1-Percentile)\n\n", out);
    put_rows(histogram, out);
    fprintf(out,
            "#[Mean    = %12.3f, StdDeviation   = %12.3f]\n"
            "#[Max     = %12.3f, Total count    = %12" PRIu64 "]\n"
            "#[Buckets = %12" PRIu64 ", SubBuckets     = %12" PRIu32 "]\n",
            mean / MS_NS, deviation(histogram, mean) / MS_NS,
            (double)um_histogram_highest_equivalent(histogram, greatest) / MS_NS, histogram->total,
            histogram->counts_len / half - 1, histogram->sub_bucket_count);
}

enum um_status um_export_hgrm(const struct um_view *view, const struct um_export_about *about,
                              FILE *out)
{
    const struct um_histogram *histogram =
        about->stats ? um_latencies_get(about->stats, about->latency) : NULL;
    (void)view;
    if (histogram)
        put_histogram(histogram, out);
    return fflush(out) != 0 || ferror(out) ? UM_ERR_IO : UM_OK;
}
