#include "monitor/flows/runs.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct sorting {
    size_t count, size;
    um_runs_is_before *is_before;
    const void *context;
};

/* Where the run ends that begins at `from`. */
static size_t end_of_run(const struct sorting *sorting, const char *array, size_t from)
{
    size_t end = from + 1;
    while (end < sorting->count &&
           !sorting->is_before(array + end * sorting->size, array + (end - 1) * sorting->size,
                               sorting->context))
        end++;
    return end;
}

/* Merges two runs that follow each other. */
static void merge(const struct sorting *sorting, const char *from, size_t begin, size_t middle,
                  size_t end, char *to)
{
    size_t size = sorting->size, a = begin, b = middle;
    for (size_t at = begin; at < end; at++) {
        bool second =
            a == middle ||
            (b < end && sorting->is_before(from + b * size, from + a * size, sorting->context));
        memcpy(to + at * size, from + (second ? b++ : a++) * size, size);
    }
}

/* One pass over all runs. Returns how many there were. */
static size_t pass(const struct sorting *sorting, const char *from, char *to)
{
    size_t runs = 0;
    for (size_t begin = 0; begin < sorting->count; runs++) {
        size_t middle = end_of_run(sorting, from, begin);
        size_t end = middle < sorting->count ? end_of_run(sorting, from, middle) : middle;
        runs += end > middle;
        merge(sorting, from, begin, middle, end, to);
        begin = end;
    }
    return runs;
}

bool um_runs_sort(void *array, size_t count, size_t size, um_runs_is_before *is_before,
                  const void *context)
{
    const struct sorting sorting = {count, size, is_before, context};
    if (count < 2 || end_of_run(&sorting, array, 0) == count)
        return true;
    char *other = count <= SIZE_MAX / size ? malloc(count * size) : NULL;
    char *from = array, *to = other;
    if (!other)
        return false;
    while (pass(&sorting, from, to) > 2) {
        char *sorted = to;
        to = from;
        from = sorted;
    }
    if (to != array)
        memcpy(array, to, count * size);
    free(other);
    return true;
}
