/* How target_works_win32 tells mscordaccore.c of the functions that it has generated. */
#ifndef UM_TESTS_MARK_H
#define UM_TESTS_MARK_H

#include <stdint.h>

#define RUNTIME_FUNCTION_BYTES 32
#define RUNTIME_MARK_AT 4096 /* in their region */
#define RUNTIME_MAGIC "METHODS"

/* What happens when the name of the odd one is asked for. */
enum runtime_what {
    RUNTIME_NAMES = 0,
    RUNTIME_READS = 1,
    RUNTIME_ENDS = 2,
    RUNTIME_HANGS = 3,
};

struct runtime_mark {
    char magic[8];
    uint32_t odd_one;
    uint32_t what; /* enum runtime_what */
};

#endif
