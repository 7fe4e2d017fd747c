/* What a test writes to its standard streams, for the test. Not on Windows. */
#ifndef UM_TESTS_RUNNER_REDIRECT_H
#define UM_TESTS_RUNNER_REDIRECT_H

#include <stdio.h>

#include <criterion/criterion.h>

void cr_redirect_stdout(void);
void cr_redirect_stderr(void);

/* What was written to it since. Owner: the runner. */
FILE *cr_get_redirected_stderr(void);

const char *runner_stderr_text(void); /* the same; static */
#define cr_assert_stderr_eq_str(text) cr_assert_str_eq(runner_stderr_text(), text)

#endif
