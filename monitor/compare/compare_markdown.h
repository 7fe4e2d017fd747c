/* A comparison as markdown, for a pull request. Not on the hot path. */
#ifndef UM_MONITOR_COMPARE_MARKDOWN_H
#define UM_MONITOR_COMPARE_MARKDOWN_H

#include <stdio.h>

#include "monitor/compare/compare_text.h"

/* A table of verdicts, and the details folded. */
void um_compare_markdown_write(FILE *out, const struct um_compare_text *text);

#endif
