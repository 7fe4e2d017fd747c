/* Compares two sides of results measure by measure. limits.h checks the outcome, compare_text.h
 * writes it.
 *
 * An input that was sent and never seen may have been the slowest one: uimon waited for it and gave
 * up. A side without such inputs looks faster than it is, so no verdict in its favour is given.
 * Start at um_comparison_make. Not on the hot path.
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
    UM_COMPARISON_TOTAL, /* of an interaction: arrival to painted or handled; see `painted` below */
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

/* The largest share of inputs that may be missing without consequences. */
#define UM_COMPARISON_MOST_MISSING_PERCENT 1

/* "total", "delay"..., as limits name them. */
const char *um_comparison_quantity_name(enum um_comparison_quantity quantity);

/* A quantity that was measured on at least one side. */
struct um_comparison_row {
    enum um_comparison_quantity quantity;
    const struct um_compare_group *before; /* never NULL; empty where that side has none */
    const struct um_compare_group *after;
    /* On this side a smaller share of the interactions has this quantity than on the other side, by
     * more than UM_COMPARISON_MOST_MISSING_PERCENT. */
    bool fewer_before, fewer_after;
    /* A time of the startup that fewer than half of this side's runs have. False if only one side
     * has a startup. */
    bool rare_before, rare_after;
    bool compared; /* both sides have values, and it is rare on neither: `result` holds */
    /* Its verdict is UM_COMPARE_MISSING if inputs that were not seen might turn it. */
    struct um_compare_result result;
};

struct um_comparison_measure {
    const char *name;
    bool in_before, in_after;
    const struct um_results_measure *before; /* never NULL; empty where that side has none */
    const struct um_results_measure *after;
    /* More than UM_COMPARISON_MOST_MISSING_PERCENT of the inputs are missing; false if unknown. */
    bool misses_before, misses_after;
    /* `total` ends with painting, because painting was observed for at least half of the
     * interactions on both sides. Otherwise it ends when the input is handled, on both sides
     * alike. */
    bool painted;
    bool painted_on_one_side; /* then `painted` is false for this reason */
    size_t row_count;
    struct um_comparison_row rows[UM_COMPARISON_QUANTITIES];
    /* The slow tenth of the headline lies further above its median than before, which the verdict
     * on the median does not say. At most one comparison in twenty says so by chance. */
    bool tail_slower;
    double tail_p;
};

struct um_comparison {
    const struct um_results *before, *after;
    struct um_compare_design design; /* of pairs, if `before` and `after` are of one sitting */
    size_t measure_count;
    struct um_comparison_measure *measures; /* those of BEFORE, then those that only AFTER has */
    size_t compared;                        /* how many rows both sides have */
};

/* Compares both sides; those that um_results_read_pairs has read, as pairs. Owner:
 * um_comparison_deinit; both results must outlive it. Errors: UM_ERR_MEMORY. */
enum um_status um_comparison_make(const struct um_results *before, const struct um_results *after,
                                  struct um_comparison *out);

/* The row of a quantity, or NULL. */
const struct um_comparison_row *um_comparison_find(const struct um_comparison_measure *measure,
                                                   enum um_comparison_quantity quantity);

/* The row whose verdict is the verdict of the measure: `total`, or without interactions the last
 * step of the startup, or the duration. NULL if no row can be compared. */
const struct um_comparison_row *um_comparison_headline(const struct um_comparison_measure *measure);

/* Whether more pairs would change nothing for a measure: its headline is slower, faster or the
 * same, or there is none. More pairs may also make up for inputs that are missing. Accepts NULL. */
bool um_comparison_is_decided(const struct um_comparison_measure *measure);

/* Whether that is so for each measure. The startup counts only where nothing else was measured: it
 * is measured in each run, whether anybody asked for it or not, and varies more. */
bool um_comparison_is_settled(const struct um_comparison *comparison);

/* Frees the measures. Accepts a zeroed struct. */
void um_comparison_deinit(struct um_comparison *comparison);

#endif
