/* Seeded random numbers, the same on every machine, so that a comparison can be repeated exactly.
 * For drawing samples, never for secrets. Thread: each generator belongs to one.
 * Source: SplitMix64, G. Steele, D. Lea, C. Flood, "Fast Splittable Pseudorandom Number
 * Generators", OOPSLA 2014; constants as in S. Vigna's reference code (public domain).
 */
#ifndef UM_BASE_RANDOM_H
#define UM_BASE_RANDOM_H

#include <stdint.h>

struct um_random {
    uint64_t state; /* any value is a seed */
};

uint64_t um_random_next(struct um_random *random);

/* A whole number from 0 to below - 1. Source: D. Lemire, "Fast Random Integer Generation in an
 * Interval", ACM TOMACS 29(1), 2019, without its rejection: the bias is below 2^-32 * below. */
uint32_t um_random_below(struct um_random *random, uint32_t below);

/* A number from 0 (included) to 1 (excluded). */
double um_random_unit(struct um_random *random);

/* A number from the normal distribution with mean 0 and variance 1.
 * Source: G. Box, M. Muller, "A Note on the Generation of Random Normal Deviates", 1958. */
double um_random_normal(struct um_random *random);

#endif
