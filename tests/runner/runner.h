/* Runs the tests of a program that was built with tests/runner/criterion/criterion.h. Each test is
 * a process of its own, without a window, and in a job that ends whatever it started.
 *
 *   PROGRAM [WORD]    runs the tests that have the word in their "suite/name", one after another
 *   PROGRAM --list    prints their names, and why some are left out
 *
 * Closes with Criterion's line, and with "N passed, N failed". Exit code 1 if one failed or none
 * was run.
 */
#ifndef UM_TESTS_RUNNER_H
#define UM_TESTS_RUNNER_H

#include <stdbool.h>

struct runner_left_out {
    const char *test; /* "suite/name", or "suite/" for all of a suite; NULL at the end */
    const char *why;
    bool wine_only; /* it runs on Windows itself */
};

/* What the program leaves out. Each program has its list. */
extern const struct runner_left_out runner_left_out[];

#endif
