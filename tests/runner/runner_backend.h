/* What the runner needs of the system: runner_posix.c forks, runner_win32.c starts this program
 * again with `--run SUITE/NAME`. */
#ifndef UM_TESTS_RUNNER_BACKEND_H
#define UM_TESTS_RUNNER_BACKEND_H

#include <stdbool.h>
#include <stdio.h>

#include <criterion/criterion.h>

#define RUNNER_PASSED 0
#define RUNNER_FAILED 1

struct runner_outcome {
    const struct criterion_test *test;
    bool passed;
    char why_not[64]; /* "" if one of its checks failed */
    double took_s;
};

/* How many tests run at a time where nobody says. */
unsigned runner_backend_jobs(void);

/* Starts a test, which is ended after so long. */
void runner_backend_start(const struct criterion_test *test, double limit_s);

/* Waits for the end of one that was started. */
void runner_backend_wait(struct runner_outcome *outcome);

/* Runs a function, which runner_backend_abort leaves; it may end the process too. In the process of
 * the test. */
void runner_backend_try(void (*body)(void));
_Noreturn void runner_backend_abort(int code);

/* Where the test's process says what failed, whatever it does with its standard streams. */
FILE *runner_backend_report(void);

/* Why a test is left out here; NULL: it is not. */
const char *runner_backend_left_out(const char *name);

/* Whether this process has started a thread. */
bool runner_backend_has_threads(void);

/* In runner.c: "suite/name" (static); and the test itself, in its own process. Returns its exit
 * code. */
const char *runner_name_of(const struct criterion_test *test);
int runner_run(const struct criterion_test *test);

#endif
