#include "monitor/compare/alpha_spending.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "monitor/compare/normal.h"

/* The density is kept at so many points, an even number of steps for Simpson's rule. */
#define POINTS 401
#define FAR 8.0     /* in standard deviations: the density beyond it is taken for 0 */
#define HALVINGS 60 /* so often the range is halved in which a boundary is searched */

/* The sitting's sum is tested at each look. This is the density of that sum, between -edge and
 * edge, for sittings that no look has ended so far. */
struct density {
    double edge;
    double at[POINTS];
};

static double place(const struct density *density, size_t i)
{
    return density->edge * (2.0 * (double)i / (POINTS - 1) - 1);
}

/* Simpson's weight of a point. */
static double weight(const struct density *density, size_t i)
{
    double step = 2 * density->edge / (POINTS - 1);
    if (i == 0 || i == POINTS - 1)
        return step / 3;
    return step / 3 * (i % 2 ? 4 : 2);
}

/* The chance that the sum is beyond a boundary at the next look, until which it grows by a normal
 * part of this deviation. */
static double crosses(const struct density *density, double deviation, double boundary)
{
    double sum = 0;
    for (size_t i = 0; i < POINTS; i++) {
        double from = place(density, i);
        sum += weight(density, i) * density->at[i] *
               (um_normal_above((boundary - from) / deviation) +
                um_normal_above((boundary + from) / deviation));
    }
    return sum;
}

/* The boundary that the sum crosses with this chance at the next look. */
static double find_boundary(const struct density *density, double deviation, double chance)
{
    double low = 0, high = density->edge + FAR * deviation;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = (low + high) / 2;
        if (crosses(density, deviation, middle) > chance)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

/* The density of a normal distribution of this deviation. */
static double bell(double value, double deviation)
{
    double z = value / deviation;
    return exp(-z * z / 2) / (deviation * sqrt(2 * acos(-1.0)));
}

/* Makes the density at the next look, for sums that have not crossed the boundary. */
static void go_on(const struct density *density, double deviation, double boundary,
                  struct density *next)
{
    next->edge = boundary;
    for (size_t j = 0; j < POINTS; j++) {
        next->at[j] = 0;
        for (size_t i = 0; i < POINTS; i++)
            next->at[j] += weight(density, i) * density->at[i] *
                           bell(place(next, j) - place(density, i), deviation);
    }
}

/* Makes the density at the first look. */
static void begin(double deviation, double boundary, struct density *density)
{
    density->edge = boundary;
    for (size_t i = 0; i < POINTS; i++)
        density->at[i] = bell(place(density, i), deviation);
}

static bool is_plan(const uint32_t *pairs, size_t count, double alpha)
{
    if (count == 0 || count > UM_ALPHA_SPENDING_MOST || pairs[0] == 0 || !(alpha > 0 && alpha < 1))
        return false;
    for (size_t i = 1; i < count; i++)
        if (pairs[i] <= pairs[i - 1])
            return false;
    return true;
}

enum um_status um_alpha_spending_levels(const uint32_t *pairs, size_t count, double alpha,
                                        double *levels)
{
    if (!is_plan(pairs, count, alpha))
        return UM_ERR_ARG;
    struct density *densities = calloc(2, sizeof *densities);
    if (!densities)
        return UM_ERR_MEMORY;
    const double z = um_normal_exceeded_with(alpha / 4);
    double spent = 0, before = 0; /* before: the share of the pairs at the last look */
    for (size_t i = 0; i < count; i++) {
        struct density *last = &densities[i % 2], *next = &densities[(i + 1) % 2];
        double share = (double)pairs[i] / pairs[count - 1];
        double deviation = sqrt(share - before);
        double spend = 4 * um_normal_above(z / sqrt(share)) - spent;
        double boundary = i == 0 ? um_normal_exceeded_with(spend / 2) * deviation
                                 : find_boundary(last, deviation, spend);
        boundary = fmin(boundary, FAR * sqrt(share)); /* or most of the grid would be empty */
        if (i == 0)
            begin(deviation, boundary, next);
        else
            go_on(last, deviation, boundary, next);
        levels[i] = 2 * um_normal_above(boundary / sqrt(share));
        spent += spend;
        before = share;
    }
    free(densities);
    return UM_OK;
}
