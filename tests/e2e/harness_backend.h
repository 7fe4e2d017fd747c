/* What the harness needs of the system that the tests run on. Each backend has these, and the
 * functions of harness.h for the life of programs, the clocks, input and pixels.
 *
 *   harness_posix.c   Wine and an X server, from outside; or, with UM_NATIVE in the environment,
 *                     programs of this system on that X server
 *   harness_win32.c   Windows itself; also under Wine
 */
#ifndef UM_TESTS_E2E_HARNESS_BACKEND_H
#define UM_TESTS_E2E_HARNESS_BACKEND_H

#include <stdbool.h>

#include "tests/e2e/harness.h"

/* Room for a path, in harness.c. Owner: static, for a few calls. */
char *harness_backend_text(void);

/* Starts a program with arguments up to a NULL. It has nothing to read, writes to the two files
 * that `started` names, and ends with the test at the latest. */
bool harness_backend_start(struct program *started, const char *path, const char *const *args);

/* The exit code (128 + signal if killed) once the process has ended, else -1. */
int harness_backend_reap(struct program *started);

/* Writes to standard error what each thread of the process does, where the system tells. */
void harness_backend_print_threads(const struct program *started);

/* False: there is such a folder. */
bool harness_backend_make_folder(const char *path);

/* Whether the programs are of the system that the test runs on, and not of Windows under Wine; and
 * how their files' names end. */
bool harness_backend_is_native(void);
const char *harness_backend_suffix(void);

/* The process id of the test. */
long harness_backend_pid(void);

/* Whether the keyboard is the target's. */
bool harness_backend_is_front(const struct target *target);

#endif
