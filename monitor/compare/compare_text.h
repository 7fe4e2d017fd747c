/* A comparison for people, as text for a terminal and as Markdown for a pull request, and as JSON.
 *
 * Each says the verdict first, in words, then the numbers. Not on the hot path.
 */
#ifndef UM_MONITOR_COMPARE_TEXT_H
#define UM_MONITOR_COMPARE_TEXT_H

#include <stddef.h>
#include <stdio.h>

#include "ipc/status.h"
#include "monitor/compare/comparison.h"
#include "monitor/compare/limits.h"

#define UM_COMPARE_TEXT_SCHEMA 1

/* What is told: a comparison and what became of the limits. */
struct um_compare_text {
    const struct um_comparison *comparison;
    const struct um_limits_finding *findings;
    size_t finding_count;
};

/* In at most 100 columns. */
void um_compare_text_write(FILE *out, const struct um_compare_text *text);

#endif
