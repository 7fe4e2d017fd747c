#include "base/random.h"

#include <math.h>

#define TWO_PI 6.28318530717958647692

uint64_t um_random_next(struct um_random *random)
{
    uint64_t z = random->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint32_t um_random_below(struct um_random *random, uint32_t below)
{
    return (uint32_t)(((um_random_next(random) >> 32) * below) >> 32);
}

double um_random_unit(struct um_random *random)
{
    return (double)(um_random_next(random) >> 11) * 0x1p-53;
}

double um_random_normal(struct um_random *random)
{
    double length = sqrt(-2.0 * log(1.0 - um_random_unit(random)));
    return length * cos(TWO_PI * um_random_unit(random));
}
