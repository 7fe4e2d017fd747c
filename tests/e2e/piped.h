/* A Windows program whose standard input the test writes. The rest is the harness's. */
#ifndef UM_TESTS_E2E_PIPED_H
#define UM_TESTS_E2E_PIPED_H

#include "tests/e2e/harness.h"

struct piped {
    struct program program; /* for wait_end, wait_line and so on */
    intptr_t input;         /* a descriptor; on Windows a handle */
};

/* Starts the program at this path with arguments up to a NULL; `first` is in its input from the
 * beginning. */
void start_piped(struct piped *piped, const char *first, const char *path, const char *const *args);

/* Writes to its input, which takes it at once. */
void write_piped(const struct piped *piped, const char *text);

/* Ends its input. */
void close_piped(struct piped *piped);

#endif
