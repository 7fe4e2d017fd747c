/* Other profilers in the environment. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "monitor/live/trace_env.h"

#define OTHER "{846F5F1C-F9AE-4B07-969E-05C26BC060D8}"

/* Nobody has a profiler. */
static void setup(void)
{
    static const char *const ends[] = {"_ENABLE_PROFILING", "_PROFILER", "_PROFILER_PATH",
                                       "_PROFILER_PATH_64", "_PROFILER_PATH_32"};
    char name[64];
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        snprintf(name, sizeof name, "COR%s", ends[i]);
        unsetenv(name);
        snprintf(name, sizeof name, "CORECLR%s", ends[i]);
        unsetenv(name);
    }
}

TestSuite(trace_env_foreign, .init = setup);

Test(trace_env_foreign, names_another_tools_profiler)
{
    char line[UM_OPTIONS_ERROR_BYTES] = "";
    setenv("COR_ENABLE_PROFILING", "1", 1);
    setenv("COR_PROFILER", OTHER, 1);
    setenv("COR_PROFILER_PATH", "C:\\dd\\tracer.dll", 1);
    cr_expect(um_trace_env_foreign(line, sizeof line));
    cr_expect_str_eq(line, "another tool's profiler is set in the environment (COR_PROFILER=" OTHER
                           ", C:\\dd\\tracer.dll); a program can have one profiler, so it "
                           "gets uimon's and not that one");
    setenv("CORECLR_ENABLE_PROFILING", "0x1", 1);
    setenv("CORECLR_PROFILER", OTHER, 1);
    cr_expect(um_trace_env_foreign(line, sizeof line));
    cr_expect(strstr(line, "(CORECLR_PROFILER=" OTHER "; COR_PROFILER=" OTHER ", C:"), "%s", line);
}

Test(trace_env_foreign, a_profiler_that_is_off_or_uimons_own_is_not_named)
{
    char line[UM_OPTIONS_ERROR_BYTES] = "";
    cr_expect_not(um_trace_env_foreign(line, sizeof line));
    setenv("COR_PROFILER", OTHER, 1);
    cr_expect_not(um_trace_env_foreign(line, sizeof line));
    setenv("COR_ENABLE_PROFILING", "0", 1);
    cr_expect_not(um_trace_env_foreign(line, sizeof line));
    setenv("COR_ENABLE_PROFILING", "1", 1);
    setenv("COR_PROFILER", "{1dd45f25-19a6-4e3a-a43c-75b277f1c7f0}", 1);
    cr_expect_not(um_trace_env_foreign(line, sizeof line));
    cr_expect_str_eq(line, "");
}
