/* How many steps an input of a fuzzer may take: steps.c counts them, and says what a step is.
 * Header-only for the unit tests, which run the fuzzers' inputs without counting. */
#ifndef UM_TESTS_FUZZ_STEPS_H
#define UM_TESTS_FUZZ_STEPS_H

#include <stdint.h>

/* Over all committed inputs, the most for a byte were 76 (48,730 bytes of fuzz_layout), and the
 * most of a short one 380,000 (439 bytes of fuzz_text); over three million new ones 130 for a
 * byte. About twice as much is allowed. A loop over all pairs of what an input has takes more from
 * some 3000 things on, such as events of a trace in 64 KB. */
#define STEPS_ALWAYS 1000000
#define STEPS_A_BYTE 250

/* Only steps.c has it. */
__attribute__((weak)) void steps_allow_more(uint64_t steps);

/* Allows the present input more steps. For a limit of the program itself that is no number of
 * bytes. */
static inline void steps_allow(uint64_t steps)
{
    if (steps_allow_more)
        steps_allow_more(steps);
}

#endif
