#include "monitor/history/divisive.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"

#define SEED UINT64_C(0x68697374) /* any number, but always the same one */

/* How much rounding may change a sum of the same distances in another order, as a share. */
#define ROUNDING 1e-9

const struct um_divisive_config um_divisive_config = {3, 499, 0.01};

/* A piece of the series between two changes. */
struct piece {
    size_t begin, len;
    size_t cut; /* the best cut, counted from the piece's begin; 0: the piece is too short */
    double distance;
};

struct search {
    const struct um_divisive_config *config;
    double *shuffled; /* a copy of all numbers */
    double *left;     /* by the left group's length: the sum of distances within it */
    double *right;    /* by the right group's end: the sum of distances within it */
    double *inverse;  /* 1 / i */
    struct piece *pieces;
    size_t piece_count;
    struct um_random random;
};

static void close_search(struct search *search)
{
    free(search->shuffled);
    free(search->left);
    free(search->right);
    free(search->inverse);
    free(search->pieces);
}

static enum um_status open_search(struct search *search, size_t len,
                                  const struct um_divisive_config *config)
{
    *search = (struct search){.config = config, .random = {SEED}};
    search->shuffled = calloc(len + 1, sizeof *search->shuffled);
    search->left = calloc(len + 1, sizeof *search->left);
    search->right = calloc(len + 1, sizeof *search->right);
    search->inverse = calloc(len + 1, sizeof *search->inverse);
    search->pieces = calloc(len / config->least + 1, sizeof *search->pieces);
    if (!search->shuffled || !search->left || !search->right || !search->inverse ||
        !search->pieces) {
        close_search(search);
        return UM_ERR_MEMORY;
    }
    for (size_t i = 1; i <= len; i++)
        search->inverse[i] = 1.0 / (double)i;
    return UM_OK;
}

/* Fills in `left` for all lengths. */
static void sum_left(const struct search *search, const double *values, size_t len)
{
    search->left[0] = 0;
    for (size_t i = 0; i < len; i++) {
        double added = 0;
        for (size_t j = 0; j < i; j++)
            added += fabs(values[i] - values[j]);
        search->left[i + 1] = search->left[i] + added;
    }
}

/* Adds the number at `first` to the right group, for each end that this can have. */
static void widen_right(const struct search *search, const double *values, size_t first, size_t len)
{
    double taken = values[first];
    double added = 0;
    for (size_t i = first + 1; i < len; i++) {
        added += fabs(taken - values[i]);
        search->right[i + 1] += added;
    }
}

/* Finds the largest Q if the right group begins at `m`, over all ends that it can have. */
static double best_of_ends(const struct search *search, size_t m, size_t len)
{
    const double *left = search->left;
    double left_share = left[m] * search->inverse[m - 1];
    double best = -INFINITY;
    for (size_t end = m + search->config->least; end <= len; end++) {
        /* Q is 2 * (across - left * n / (m - 1) - right * m / (n - 1)) / (m + n). */
        size_t n = end - m;
        double right = search->right[end];
        double right_share = right * search->inverse[n - 1];
        double across = left[end] - left[m] - right;
        double q =
            (across - left_share * (double)n - right_share * (double)m) * search->inverse[end];
        best = q > best ? q : best;
    }
    return 2 * best;
}

/* Finds the best cut. The right group grows towards the front, and its sums are kept up to date, so
 * that the whole search takes len * len steps. Returns the length of the left group; 0 if there are
 * too few numbers.
 * Source: N. James, D. Matteson, "ecp: An R Package for Nonparametric Multiple Change Point
 * Analysis of Multivariate Data", J. Stat. Software 62(7), 2014, section 3.1. */
static size_t find_cut(const struct search *search, const double *values, size_t len,
                       double *distance)
{
    size_t least = search->config->least;
    size_t cut = 0;
    *distance = -INFINITY;
    if (len < 2 * least)
        return 0;
    sum_left(search, values, len);
    memset(search->right, 0, (len + 1) * sizeof *search->right);
    for (size_t m = len - 1; m >= least; m--) {
        widen_right(search, values, m, len);
        double best = m + least <= len ? best_of_ends(search, m, len) : -INFINITY;
        if (best >= *distance) { /* of equally good cuts the first one counts, as in the paper */
            *distance = best;
            cut = m;
        }
    }
    return cut;
}

static void shuffle(double *values, size_t len, struct um_random *random)
{
    for (size_t i = len; i > 1; i--) {
        size_t j = um_random_below(random, (uint32_t)i);
        double moved = values[i - 1];
        values[i - 1] = values[j];
        values[j] = moved;
    }
}

/* Tests the best cut of all pieces and returns p; 1 as soon as p is certainly above the level. */
static double test(struct search *search, double distance)
{
    const struct um_divisive_config *config = search->config;
    double all = (double)config->permutations + 1;
    double enough = distance - ROUNDING * fabs(distance);
    double as_far = 1;
    for (uint32_t i = 0; i < config->permutations; i++) {
        bool reached = false;
        for (size_t j = 0; j < search->piece_count; j++) {
            const struct piece *piece = &search->pieces[j];
            double *values = search->shuffled + piece->begin;
            double best;
            shuffle(values, piece->len, &search->random);
            if (!reached && find_cut(search, values, piece->len, &best) > 0)
                reached = best >= enough;
        }
        as_far += reached;
        if (as_far / all > config->level)
            return 1;
    }
    return as_far / all;
}

static struct piece make_piece(const struct search *search, const double *values, size_t begin,
                               size_t len)
{
    struct piece piece = {.begin = begin, .len = len};
    piece.cut = find_cut(search, values + begin, len, &piece.distance);
    return piece;
}

/* The piece with the best cut, or NULL if all pieces are too short. */
static struct piece *best_piece(struct search *search)
{
    struct piece *best = NULL;
    for (size_t i = 0; i < search->piece_count; i++) {
        struct piece *piece = &search->pieces[i];
        if (piece->cut > 0 && (!best || piece->distance > best->distance))
            best = piece;
    }
    return best;
}

static int by_place(const void *a, const void *b)
{
    size_t x = ((const struct um_divisive_change *)a)->at;
    size_t y = ((const struct um_divisive_change *)b)->at;
    return (x > y) - (x < y);
}

enum um_status um_divisive_find(const double *values, size_t len,
                                const struct um_divisive_config *config,
                                struct um_divisive_change *changes, size_t *count)
{
    struct search search;
    struct piece *best;
    size_t found = 0;
    if (len > UM_DIVISIVE_MOST || config->least < 2 || config->permutations < 1)
        return UM_ERR_ARG;
    enum um_status status = open_search(&search, len, config);
    if (status != UM_OK)
        return status;
    memcpy(search.shuffled, values, len * sizeof *values);
    search.pieces[search.piece_count++] = make_piece(&search, values, 0, len);
    while ((best = best_piece(&search))) {
        double p = test(&search, best->distance);
        if (p > config->level)
            break;
        size_t at = best->begin + best->cut;
        size_t end = best->begin + best->len;
        changes[found++] = (struct um_divisive_change){at, p};
        *best = make_piece(&search, values, best->begin, best->cut);
        search.pieces[search.piece_count++] = make_piece(&search, values, at, end - at);
        memcpy(search.shuffled, values, len * sizeof *values); /* each piece has its own numbers */
    }
    close_search(&search);
    if (found > 0)
        qsort(changes, found, sizeof *changes, by_place);
    *count = found;
    return UM_OK;
}

enum um_status um_divisive_best(const double *values, size_t len, size_t least, size_t *cut,
                                double *distance)
{
    const struct um_divisive_config config = {.least = least};
    struct search search;
    if (least < 2)
        return UM_ERR_ARG;
    enum um_status status = open_search(&search, len, &config);
    if (status != UM_OK)
        return status;
    *cut = find_cut(&search, values, len, distance);
    close_search(&search);
    return UM_OK;
}
