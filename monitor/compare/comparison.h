/* Two sides of results, compared measure by measure: what limits.h checks and compare_text.h tells.
 *
 * Inputs of which nothing was seen may be the slowest ones: they were waited for until the waiting
 * was given up. A side that lacks them looks faster than it is, and gets no verdict that rests on
 * it. Start at um_comparison_make. Not on the hot path.
 */
#ifndef UM_MONITOR_COMPARISON_H
#define UM_MONITOR_COMPARISON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/status.h"
#include "monitor/compare/compare.h"
#include "monitor/compare/results.h"

enum um_comparison_quantity {
    UM_COMPARISON_TOTAL, /* of an interaction: to painted, or to handled; see `painted` below */
    UM_COMPARISON_DELAY,
    UM_COMPARISON_PROCESSING,
    UM_COMPARISON_PRESENTATION,
    UM_COMPARISON_DURATION,
    UM_COMPARISON_BEATS,
    UM_COMPARISON_FREEZES,
    UM_COMPARISON_WINDOW,
    UM_COMPARISON_PAINT,
    UM_COMPARISON_READY,
    UM_COMPARISON_IDLE,
    UM_COMPARISON_QUANTITIES
};

/* A share of the inputs that may be missing without changing what is said of the others. */
#define UM_COMPARISON_MOST_MISSING_PERCENT 1

/* "total", "delay"... as in limits. */
const char *um_comparison_quantity_name(enum um_comparison_quantity quantity);

/* A quantity that was measured on at least one side. */
struct um_comparison_row {
    enum um_comparison_quantity quantity;
    const struct um_compare_group *before; /* never NULL; empty where that side has none */
    const struct um_compare_group *after;
    /* It is known of a smaller share of that side's interactions than of the other's, by more than
     * UM_COMPARISON_MOST_MISSING_PERCENT. */
    bool fewer_before, fewer_after;
    bool compared; /* both sides have values: `result` holds */
    /* The verdict is UM_COMPARE_MISSING where what was not seen of a side might turn it. */
    struct um_compare_result result;
};

struct um_comparison_measure {
    const char *name;
    bool in_before, in_after;
    const struct um_results_measure *before; /* never NULL; empty where that side has none */
    const struct um_results_measure *after;
    /* More than UM_COMPARISON_MOST_MISSING_PERCENT of the inputs are missing; unknown is no. */
    bool misses_before, misses_after;
    /* Whether `total` reaches to the end of painting: where painting was observed of at least half
     * of the interactions on both sides. Else it reaches to handled on both, so that like is
     * compared with like. */
    bool painted;
    bool painted_on_one_side; /* which is why it does not */
    size_t row_count;
    struct um_comparison_row rows[UM_COMPARISON_QUANTITIES];
};

struct um_comparison {
    const struct um_results *before, *after;
    size_t measure_count;
    struct um_comparison_measure *measures; /* in the order of BEFORE, then what only AFTER has */
    size_t compared;                        /* rows that both sides have */
};

/* Compares. Owner: um_comparison_deinit; both results must outlive it. Errors: UM_ERR_MEMORY. */
enum um_status um_comparison_make(const struct um_results *before, const struct um_results *after,
                                  struct um_comparison *out);

/* The row of a quantity, or NULL. */
const struct um_comparison_row *um_comparison_find(const struct um_comparison_measure *measure,
                                                   enum um_comparison_quantity quantity);

/* The row that speaks for the measure: `total`; without interactions startup's last step, or the
 * duration. NULL if nothing of it can be compared. */
const struct um_comparison_row *um_comparison_headline(const struct um_comparison_measure *measure);

/* Releases. Accepts a zeroed struct. */
void um_comparison_deinit(struct um_comparison *comparison);

#endif
