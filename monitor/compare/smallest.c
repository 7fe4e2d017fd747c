#include "monitor/compare/smallest.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/random.h"

#define TRIES 500
#define FOUND_LEAST 400                   /* 80 % */
#define SEED UINT64_C(0x736d616c6c657374) /* any number, but always the same one */

static bool are_fit(const struct um_compare_runs *runs)
{
    if (runs->before_len < UM_SMALLEST_LEAST_RUNS || runs->after_len < UM_SMALLEST_LEAST_RUNS ||
        runs->before_len > UM_SMALLEST_MOST_RUNS || runs->after_len > UM_SMALLEST_MOST_RUNS)
        return false;
    for (size_t i = 0; i < runs->before_len; i++)
        if (!(runs->before[i] > 0))
            return false;
    return true;
}

/* A run next to this one, of two at random. */
static size_t neighbour(size_t run, size_t len, struct um_random *random)
{
    bool next = um_random_below(random, 2) > 0;
    if (run == 0 || (next && run + 1 < len))
        return run + 1;
    return run - 1;
}

static void draw(const struct um_compare_design *design, const struct um_compare_runs *from,
                 struct um_random *random, double change, double *before, double *after)
{
    uint32_t len = (uint32_t)from->before_len;

    for (size_t i = 0; i < from->before_len || i < from->after_len; i++) {
        size_t drawn = um_random_below(random, len);
        if (i < from->before_len)
            before[i] = from->before[drawn];
        drawn = design->paired ? neighbour(drawn, len, random) : um_random_below(random, len);
        if (i < from->after_len)
            after[i] = (1 + change) * from->before[drawn];
    }
}

/* The verdict's own test: 1 if AFTER is found slower, -1 faster, 0 if nothing is found. */
static enum um_status find(const struct um_compare_design *design,
                           const struct um_compare_runs *runs, int *sign)
{
    double p = 1;
    if (!design->paired)
        return um_mann_whitney_finds(runs->before, runs->before_len, runs->after, runs->after_len,
                                     design->level, sign);
    enum um_status status = um_compare_against(design, runs, UM_PAIRED_AMOUNT, 0, &p, sign);
    *sign = p <= design->level ? *sign : 0;
    return status;
}

/* Whether a change is found often enough. `room` has place for both sides. Every change is tried
 * with the same draws. */
static enum um_status is_found(const struct um_compare_design *design,
                               const struct um_compare_runs *runs, double change, double *room,
                               bool *found)
{
    struct um_random random = {SEED};
    const struct um_compare_runs drawn = {room, room + runs->before_len, runs->before_len,
                                          runs->after_len, NULL};
    uint32_t hits = 0;

    for (uint32_t tried = 0; hits < FOUND_LEAST && tried - hits <= TRIES - FOUND_LEAST; tried++) {
        int sign = 0;
        draw(design, runs, &random, change, room, room + runs->before_len);
        enum um_status status = find(design, &drawn, &sign);
        if (status != UM_OK)
            return status;
        hits += sign > 0;
    }
    *found = hits >= FOUND_LEAST;
    return UM_OK;
}

enum um_status um_smallest_percent(const struct um_compare_design *design,
                                   const struct um_compare_runs *runs, uint32_t *percent)
{
    uint32_t low = 1, high = UM_SMALLEST_MOST_PERCENT + 1;
    enum um_status status = UM_OK;

    if (!are_fit(runs)) {
        *percent = 0;
        return UM_OK;
    }
    double *room = calloc(runs->before_len + runs->after_len, sizeof *room);
    if (!room)
        return UM_ERR_MEMORY;
    while (low < high && status == UM_OK) {
        uint32_t middle = (low + high) / 2;
        bool found = false;
        status = is_found(design, runs, middle / 100.0, room, &found);
        if (found)
            high = middle;
        else
            low = middle + 1;
    }
    free(room);
    if (status == UM_OK)
        *percent = low;
    return status;
}
