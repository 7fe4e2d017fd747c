/* What harness_win32.c has for the other backends of Windows. */
#ifndef UM_TESTS_E2E_HARNESS_WIN32_H
#define UM_TESTS_E2E_HARNESS_WIN32_H

#include <windows.h>

#include "tests/e2e/harness.h"

/* As harness_backend_start, with this to read. Owner: `input` stays the caller's. */
bool harness_win32_start(struct program *started, const char *path, const char *const *args,
                         HANDLE input);

#endif
