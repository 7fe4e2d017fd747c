/* Compares two sides of results measure by measure. limits.h checks the outcome, compare_text.h
 * writes it.
 *
 * An input that was sent and never seen may have been the slowest one: uimon waited for it and gave
 * up. A side with such inputs looks faster than it is. So there is no verdict in its favour, unless
 * the test says the same with each of these inputs slower than all others. That there is no
 * difference is said if the test says so with all missing inputs of one side slower than all others
 * and those of the other side faster, and the other way round. A few of them change no run's median
 * by much.
 * Start at um_comparison_make. Not on the hot path.
 */
#ifndef UM_MONITOR_COMPARISON_H
#define UM_MONITOR_COMPARISON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"
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
    UM_COMPARISON_LAYOUT_FRAME,
    UM_COMPARISON_QUANTITIES
};

/* The largest share of inputs that may be missing without consequences. */
#define UM_COMPARISON_MOST_MISSING_PERCENT 1

/* "total", "delay"...: the names that limits use. */
const char *um_comparison_quantity_name(enum um_comparison_quantity quantity);

/* A quantity that was measured on at least one side. */
struct um_comparison_row {
    enum um_comparison_quantity quantity;
    const struct um_compare_group *before; /* never NULL; empty if that side has none */
    const struct um_compare_group *after;
    /* A smaller share of the interactions has this quantity on this side than on the other, by more
     * than UM_COMPARISON_MOST_MISSING_PERCENT. */
    bool fewer_before, fewer_after;
    /* Fewer than half of this side's runs have this time, of which a run has one at most. False if
     * only one side has such a measure. */
    bool rare_before, rare_after;
    bool compared; /* both sides have values, and it is rare on neither: `result` is filled in */
    /* The verdict is UM_COMPARE_MISSING if missing inputs could change it. */
    struct um_compare_result result;
    /* Inputs are missing, and the verdict is NO_DIFFERENCE or SAME, and neither FASTER nor SLOWER
     * whatever they were. */
    bool holds;
};

struct um_comparison_measure {
    const char *name;
    bool in_before, in_after;
    const struct um_results_measure *before; /* never NULL; empty if that side has none */
    const struct um_results_measure *after;
    /* More than UM_COMPARISON_MOST_MISSING_PERCENT of the inputs are missing; false if unknown. */
    bool misses_before, misses_after;
    /* `total` ends with painting if um_wire_waited_part says so of both sides. Otherwise it ends
     * when the input is handled, on both sides. */
    bool painted;
    bool painted_on_one_side; /* only one side has painting, so `painted` is false */
    size_t row_count;
    struct um_comparison_row rows[UM_COMPARISON_QUANTITIES];
    /* The slowest tenth of the headline's values moved further above the median, which the verdict
     * on medians does not say. By chance that is so in at most one comparison in twenty. */
    bool tail_slower;
    double tail_p;
    /* Of the headline, as um_smallest_percent; kept by um_compare_format_smallest. */
    uint32_t smallest_percent;
    bool smallest_tried;
};

struct um_comparison {
    const struct um_results *before, *after;
    struct um_compare_design design; /* paired, if both sides are of one sitting */
    size_t measure_count;
    struct um_comparison_measure *measures; /* those of BEFORE, then those that only AFTER has */
    size_t compared;                        /* how many rows both sides have */
};

/* Compares both sides, as pairs if um_results_read_pairs has read them. Owner:
 * um_comparison_deinit; both results must outlive it. Errors: UM_ERR_MEMORY. */
enum um_status um_comparison_make(const struct um_results *before, const struct um_results *after,
                                  struct um_comparison *out);

/* The row of a quantity, or NULL. */
const struct um_comparison_row *um_comparison_find(const struct um_comparison_measure *measure,
                                                   enum um_comparison_quantity quantity);

/* The row whose verdict is the verdict of the measure: the first that can be compared of `total`,
 * the last step of the startup, the layout frame, the duration and the beats. NULL if none can. */
const struct um_comparison_row *um_comparison_headline(const struct um_comparison_measure *measure);

/* Whether a measure needs no more pairs: its headline is slower, faster or the same, or it has no
 * headline. While inputs are missing it needs more, which may make their share small. Accepts
 * NULL. */
bool um_comparison_is_decided(const struct um_comparison_measure *measure);

/* Whether no measure needs more pairs. The startup counts only if nothing else was measured,
 * because it is part of each run whether wanted or not, and varies more. */
bool um_comparison_is_settled(const struct um_comparison *comparison);

/* Frees the measures. Accepts a zeroed struct. */
void um_comparison_deinit(struct um_comparison *comparison);

#endif
