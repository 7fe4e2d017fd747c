/* Suites that run as Windows programs of their own: what they print is their report. */
#include <string.h>

#include <criterion/criterion.h>

#include "tests/e2e/harness.h"

Test(programs, named_pipe_passes_the_transport_suite)
{
    const char *out;
    int code = run(&out, NULL, "transport_win32", NULL);
    cr_expect_eq(code, 0, "%d behaviours fail: %s", code, out);
    cr_expect(strstr(out, "ok ") != NULL, "it reported nothing");
}

Test(programs, message_names_are_those_of_the_system_headers)
{
    const char *out;
    int code = run(&out, NULL, "message_names_win32", NULL);
    cr_expect_eq(code, 0, "%s", out);
}

/* stacks_win32 itself compares, and its exit code says that nothing differs; this says that there
 * was enough to compare. */
Test(programs, stacks_are_unwound_as_windows_and_dbghelp_do, .measured = true)
{
    const char *out;
    int code = run(&out, NULL, "stacks_win32", "live", "1000", NULL);
    cr_assert_eq(code, 0, "%s", out);
    cr_expect_geq(line_number(out, "reached"), 950, "%s", out);
    cr_expect_geq(line_number(strstr(out, "RtlVirtualUnwind"), "both"), 950, "%s", out);
    cr_expect_geq(line_number(strstr(out, "StackWalk64"), "both"), 950, "%s", out);
    cr_expect_geq(line_number(out, "epilogues"), 10, "%s", out);
    cr_expect_geq(line_number(out, "prologues"), 1, "%s", out);
}

Test(programs, stacks_are_those_of_the_processors_calls_and_returns)
{
    const char *out;
    int code = run(&out, NULL, "stacks_win32", "steps", "2000", NULL);
    cr_assert_eq(code, 0, "%s", out);
    cr_expect_geq(line_number(strstr(out, "\nsteps"), "steps"), 8000, "%s", out);
    cr_expect_geq(line_number(out, "epilogues"), 500, "%s", out);
    cr_expect_geq(line_number(out, "prologues"), 500, "%s", out);
}
