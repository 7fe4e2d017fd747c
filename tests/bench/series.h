/* Numbers of one measurement, and what to say of them: the median and the worst. */
#ifndef UM_TESTS_BENCH_SERIES_H
#define UM_TESTS_BENCH_SERIES_H

#include <stddef.h>

#define SERIES_MAX 1024

/* A zeroed struct is empty; there is nothing to release. What does not fit is left out. */
struct series {
    size_t len;
    double values[SERIES_MAX];
};

void series_add(struct series *series, double value);

/* NAN for an empty series. */
double series_median(const struct series *series);
double series_max(const struct series *series);
double series_min(const struct series *series);

#endif
