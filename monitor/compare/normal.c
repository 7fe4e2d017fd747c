#include "monitor/compare/normal.h"

#include <math.h>

#define HALVINGS 60
#define FARTHEST 40.0 /* the chance above it is too small for a double */

double um_normal_above(double z)
{
    return erfc(z / sqrt(2.0)) / 2;
}

double um_normal_exceeded_with(double chance)
{
    double low = 0, high = FARTHEST;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = (low + high) / 2;
        if (um_normal_above(middle) > chance)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}
