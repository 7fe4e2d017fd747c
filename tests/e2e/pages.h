/* Pages looked at in a browser, by the programs of tests/report. Header-only, for end-to-end tests.
 */
#ifndef UM_TESTS_E2E_PAGES_H
#define UM_TESTS_E2E_PAGES_H

#include <stdarg.h>
#include <stdio.h>

#include <criterion/criterion.h>

#include "tests/e2e/harness.h"

/* Runs one of them, with what it is to look at, and fails the test with what it has found wrong. */
static inline void look_at(const char *format, ...)
{
    char what[3 * PATH_BYTES], command[4 * PATH_BYTES], said[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    snprintf(command, sizeof command, "python3 %s/tests/report/%s 2>&1", UM_SOURCE_DIR, what);
    FILE *pipe = popen(command, "r");
    cr_assert(pipe);
    said[fread(said, 1, sizeof said - 1, pipe)] = 0;
    cr_expect_eq(pclose(pipe), 0, "%s: %s", what, said);
}

#endif
