/* Words and numbers of a comparison, which text, Markdown and JSON share. Not on the hot path. */
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

/* The same, with more decimals if it takes more to show a step: "12.0020" for one of 0.0002. */
struct um_compare_format um_compare_format_ms_to(double ms, double step_ms);

/* "+10.2 %", or "+1.30 ms" where the side before is 0. */
struct um_compare_format um_compare_format_change(const struct um_compare_change *change);

/* The change of a row's p90. "" with an interval of "" if each run has one value: in pairs that is
 * the change of the median once more. */
struct um_compare_format um_compare_format_p90_change(const struct um_comparison *comparison,
                                                      const struct um_comparison_row *row,
                                                      struct um_compare_format *interval);

/* "+8.1 % to +12.4 %"; "" without an interval. */
struct um_compare_format um_compare_format_interval(const struct um_compare_change *change);

/* "p = 0.0003", "p < 0.0001". */
struct um_compare_format um_compare_format_p(double p);

/* The verdict of a measure in words: "slower by 10.2 % (95 % interval +8.1 % to +12.4 %),
 * p = 0.0003". */
struct um_compare_format um_compare_format_verdict(const struct um_comparison *comparison,
                                                   const struct um_comparison_measure *measure);

/* A sentence that no missing input could turn NO_DIFFERENCE or SAME into FASTER or SLOWER; "" if
 * none are missing, or it is another verdict. */
struct um_compare_format um_compare_format_holds(const struct um_comparison_measure *measure);

/* "5 freezes before, 3 felt; 1 freeze after, 0 felt": a freeze is felt if an input waited in it. ""
 * without freezes. */
struct um_compare_format um_compare_format_felt(const struct um_comparison_measure *measure);

/* The smallest change that a measure's runs would have found (smallest.h), as a sentence; "" if its
 * headline has no verdict, or that is not known. Tries it out, which takes a part of a second, and
 * keeps the answer in the measure. */
struct um_compare_format um_compare_format_smallest(const struct um_comparison *comparison,
                                                    struct um_comparison_measure *measure);

/* A sentence about how many runs would show a difference; "" if one was found, or if these runs
 * would have shown it and um_compare_format_smallest says so. */
struct um_compare_format um_compare_format_needed(const struct um_comparison *comparison,
                                                  struct um_comparison_measure *measure);

/* From when to when the times of this measure are: "total: from arrival to the end of painting", or
 * those of the startup in two lines; "" if the measure has neither. */
struct um_compare_format um_compare_format_times(const struct um_comparison_measure *measure);

/* "Of all 24 x 24 ways to take a run of each side, the one after is slower in 68 %.": all runs of
 * one side with all of the other, and not the pairs. "" without a verdict. */
struct um_compare_format um_compare_format_effect(const struct um_compare_result *result);

/* A side in one line: "12 runs in 1 file, 2026-11-20T12:00:00Z, uimon 0.1.0 on NAME". */
struct um_compare_format um_compare_format_side(const struct um_results *side);

/* "24 of 1200 inputs are missing in AFTER (20 given up)"; "" if none are, or that is unknown. */
struct um_compare_format um_compare_format_missing(const struct um_results_measure *measure,
                                                   const char *side);

/* "total is known of 100.0 % of the inputs seen in BEFORE and 60.0 % in AFTER", if these shares
 * differ; else "". */
struct um_compare_format um_compare_format_known(const struct um_comparison_measure *measure,
                                                 const struct um_comparison_row *row);

/* "seen in 1 of 6 runs before, 5 of 6 after" for a row that is rare on a side; else "". */
struct um_compare_format um_compare_format_rare(const struct um_comparison_row *row);

/* The warning with that index: different conditions, lost records, missing inputs. False if there
 * are fewer. */
bool um_compare_format_warning(const struct um_comparison *comparison, size_t index,
                               struct um_compare_format *out);

/* Whether a row need not be shown: the freezes, if nothing froze on either side. */
bool um_compare_format_empty(const struct um_comparison_row *row);

/* The sentences that say how the verdicts are found, in lines of at most 100 columns. */
const char *um_compare_format_method(const struct um_comparison *comparison);

/* How both sides were measured in turn: "14 pairs in random order, of at most 60"; "" for two
 * sittings. */
struct um_compare_format um_compare_format_sitting(const struct um_comparison *comparison);

#endif
