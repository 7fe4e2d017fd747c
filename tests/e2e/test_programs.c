/* Suites that run as Windows programs of their own: what they print is their report. */
#include <string.h>

#include <criterion/criterion.h>

#include "tests/e2e/harness.h"

Test(programs, named_pipe_passes_the_transport_suite)
{
    const char *out;
    int code = run(&out, NULL, "transport_win32", NULL);
    cr_expect(code == 0, "%d behaviours fail: %s", code, out);
    cr_expect(strstr(out, "ok ") != NULL, "it reported nothing");
}

Test(programs, message_names_are_those_of_the_system_headers)
{
    const char *out;
    int code = run(&out, NULL, "message_names_win32", NULL);
    cr_expect(code == 0, "%s", out);
}
