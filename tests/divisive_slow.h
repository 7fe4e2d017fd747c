/* The distance that divisive.h maximizes, computed directly, for its unit test and its fuzzer. */
#ifndef UM_TESTS_DIVISIVE_SLOW_H
#define UM_TESTS_DIVISIVE_SLOW_H

#include <math.h>
#include <stddef.h>

/* How much the first `split` of `len` numbers differ from the others: Q of equation 5 in the paper
 * of divisive.h. Both groups have at least 2 numbers. */
static inline double divisive_slow(const double *values, size_t len, size_t split)
{
    double left = 0, right = 0, across = 0;
    double m = (double)split, n = (double)(len - split);
    for (size_t i = 0; i < len; i++) {
        for (size_t j = i + 1; j < len; j++) {
            double apart = fabs(values[i] - values[j]);
            left += j < split ? apart : 0;
            right += i >= split ? apart : 0;
            across += i < split && j >= split ? apart : 0;
        }
    }
    return 2 * (across - left * n / (m - 1) - right * m / (n - 1)) / (m + n);
}

#endif
