/* What a fuzzer checks. Header-only, so that a fuzzer is one file. */
#ifndef UM_TESTS_FUZZ_REQUIRE_H
#define UM_TESTS_FUZZ_REQUIRE_H

#include <stdio.h>
#include <stdlib.h>

/* Ends the process, with a line that says where, unless it holds. */
#define require(holds)                                                                             \
    do {                                                                                           \
        if (!(holds)) {                                                                            \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #holds);             \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

#endif
