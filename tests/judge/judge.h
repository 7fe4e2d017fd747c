/* Judges a summary (`uimon demo --json FILE`) by the log that the demo itself wrote (`--log FILE`):
 * each freeze must be there once, begin when it began and be as long as it was, to within the
 * accuracy, the uncertainty that the summary gives and what the machine itself held up. Needs
 * nothing but the two texts, so it judges on any system what was measured on Windows. Portable.
 */
#ifndef UM_TESTS_JUDGE_H
#define UM_TESTS_JUDGE_H

#include <stddef.h>
#include <stdio.h>

struct judge_verdict {
    size_t compared; /* freezes of the log, floods, and reports that the log knows nothing of */
    size_t wrong;
};

/* Writes a line for each comparison.
 * Errors: -1, and a line that says why: a text cannot be read, nothing could be compared, or the
 * summary does not list all freezes. Else 0. */
int judge(const char *summary, const char *log, double accuracy_ms, FILE *out,
          struct judge_verdict *verdict);

#endif
