/* How target_works_win32 tells mscordaccore.c of the functions that it has generated. */
#ifndef UM_TESTS_METHODS_H
#define UM_TESTS_METHODS_H

#include <stdint.h>

#define RUNTIME_FUNCTION_BYTES 32
#define RUNTIME_METHODS_AT 4096 /* in their region */
#define RUNTIME_MAGIC "METHODS"
#define RUNTIME_ASSEMBLY "UM_TEST_ASSEMBLY" /* the variable with the assembly's path */

/* Function N was compiled from the instruction at N times so much of this method. */
#define RUNTIME_TOKEN 0x0600000au
#define RUNTIME_IL_BYTES 3u

/* Where that method's sequence points begin. The map of a function that was optimised has its own
 * instruction alone, that of any other all of these, too. */
#define RUNTIME_POINTS                                                                             \
    {                                                                                              \
        0, 1, 6, 11, 16, 21, 26, 30                                                                \
    }
#define RUNTIME_IS_OPTIMIZED(number) ((number) % 2 == 0)

/* What happens when the name of the odd one is asked for. */
enum runtime_what {
    RUNTIME_NAMES = 0,
    RUNTIME_READS = 1,
    RUNTIME_ENDS = 2,
    RUNTIME_HANGS = 3,
};

struct runtime_methods {
    char magic[8];
    uint32_t odd_one;
    uint32_t what;      /* enum runtime_what */
    char assembly[512]; /* the path of their assembly; "": they have none */
};

#endif
