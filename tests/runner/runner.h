/* Runs the tests of a program that was built with tests/runner/criterion/criterion.h. Each test is
 * a process of its own: a fork on POSIX, one for each processor at a time, so that a data race, a
 * wrong access or a leak fails it by the sanitizer's exit code; on Windows this program again,
 * without a window, and in a job that ends whatever it started.
 *
 *   PROGRAM [OPTION...] [WORD]   runs the tests that have the word in their "suite/name"; a `*` in
 *                                the word stands for anything, and then it is the whole name
 *     --suites A,B               only tests of these suites
 *     --without A,B              no test of these suites
 *     --threads                  only tests of suites that may start threads (`.threads = true`)
 *     --measured                 only tests that judge measured time (`.measured = true`)
 *     --unmeasured               all other tests
 *     --jobs N                   so many at a time
 *   PROGRAM --list               prints their names, and why some are left out
 *
 * Prints a line for each test with the time that it took, and at the end how many there were. Exit
 * code 1 if one failed or none was run.
 */
#ifndef UM_TESTS_RUNNER_H
#define UM_TESTS_RUNNER_H

#include <stdbool.h>

struct runner_left_out {
    const char *test; /* "suite/name", or "suite/" for all of a suite; NULL at the end */
    const char *why;
    bool wine_only; /* it runs on Windows itself */
};

/* What the program leaves out on Windows. Each program has its list. */
extern const struct runner_left_out runner_left_out[];

#endif
