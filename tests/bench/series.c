#include "tests/bench/series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void series_add(struct series *series, double value)
{
    if (series->len < SERIES_MAX)
        series->values[series->len++] = value;
}

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a;
    double right = *(const double *)b;
    return (left > right) - (left < right);
}

double series_median(const struct series *series)
{
    double sorted[SERIES_MAX];
    size_t half = series->len / 2;

    if (series->len == 0)
        return NAN;
    memcpy(sorted, series->values, series->len * sizeof sorted[0]);
    qsort(sorted, series->len, sizeof sorted[0], compare);
    return series->len % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

double series_max(const struct series *series)
{
    double max = NAN;
    for (size_t i = 0; i < series->len; i++)
        max = fmax(max, series->values[i]);
    return max;
}

double series_min(const struct series *series)
{
    double min = NAN;
    for (size_t i = 0; i < series->len; i++)
        min = fmin(min, series->values[i]);
    return min;
}
