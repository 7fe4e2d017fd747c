/* The order of numbers, for qsort. */
#ifndef UM_BASE_BY_SIZE_H
#define UM_BASE_BY_SIZE_H

/* Of two doubles, neither NAN. */
static inline int um_by_size(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

#endif
