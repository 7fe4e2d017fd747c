/* Writes a comparison in three forms, each in a file of its own: text for a terminal, Markdown for
 * a pull request, and JSON. Text and Markdown begin with the verdict in words. Not on the hot path.
 */
#ifndef UM_MONITOR_COMPARE_TEXT_H
#define UM_MONITOR_COMPARE_TEXT_H

#include <stddef.h>
#include <stdio.h>

#include "base/plain/status.h"
#include "monitor/compare/comparison.h"
#include "monitor/compare/limits.h"

#define UM_COMPARE_TEXT_SCHEMA 1

/* What is written: a comparison, and what became of the limits. */
struct um_compare_text {
    const struct um_comparison *comparison;
    const struct um_limits_finding *findings;
    size_t finding_count;
};

/* Writes text, in at most 100 columns. */
void um_compare_text_write(FILE *out, const struct um_compare_text *text);

/* Writes a Markdown table of verdicts, and below it the details, folded. */
void um_compare_markdown_write(FILE *out, const struct um_compare_text *text);

/* Makes JSON with everything in it. Owner: cJSON_free. Errors: UM_ERR_MEMORY. */
enum um_status um_compare_json(const struct um_compare_text *text, char **out);

#endif
