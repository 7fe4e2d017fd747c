/* The words and numbers that a comparison's text and Markdown have in common. */
#ifndef UM_MONITOR_COMPARE_FORMAT_H
#define UM_MONITOR_COMPARE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

#include "monitor/compare/comparison.h"

struct um_compare_format {
    char text[320];
};

/* "12.30", "1234.5"; "-" for NAN. */
struct um_compare_format um_compare_format_ms(double ms);

/* "+10.2 %", or "+1.30 ms" where the side before is 0. */
struct um_compare_format um_compare_format_change(const struct um_compare_change *change);

/* "+8.1 % to +12.4 %"; "" without an interval. */
struct um_compare_format um_compare_format_interval(const struct um_compare_change *change);

/* "0.0003", "< 0.0001". */
struct um_compare_format um_compare_format_p(double p);

/* The verdict of a measure in words: "slower by 10.2 % (95 % interval +8.1 % to +12.4 %)". */
struct um_compare_format um_compare_format_verdict(const struct um_comparison_measure *measure);

/* How many runs it would take, where there is no difference or no verdict; else "". */
struct um_compare_format um_compare_format_needed(const struct um_compare_result *result);

/* What `total` stands for in this measure; "" if it has none. */
struct um_compare_format um_compare_format_total(const struct um_comparison_measure *measure);

/* The side in a line: "12 runs in 1 file, 2026-11-20T12:00:00Z, uimon 0.1.0 on NAME". */
struct um_compare_format um_compare_format_side(const struct um_results *side);

/* How many inputs a side lacks: "24 of 1200 inputs are missing in AFTER (20 given up)"; "" if none
 * or unknown. */
struct um_compare_format um_compare_format_missing(const struct um_results_measure *measure,
                                                   const char *side);

/* "total is known of 100.0 % of the inputs seen in BEFORE and 60.0 % in AFTER", where that differs;
 * else "". */
struct um_compare_format um_compare_format_known(const struct um_comparison_measure *measure,
                                                 const struct um_comparison_row *row);

/* What a reader must know of: differences in conditions, and what was not seen. False if there is
 * no such `index`. */
bool um_compare_format_warning(const struct um_comparison *comparison, size_t index,
                               struct um_compare_format *out);

/* Whether a row says nothing: a sum of freezes where nothing froze. */
bool um_compare_format_empty(const struct um_comparison_row *row);

/* What the verdicts rest on. */
extern const char um_compare_format_method[];

#endif
