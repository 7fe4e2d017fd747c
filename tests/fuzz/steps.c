/* Counts the steps that a fuzzer's input takes, and ends the process where they are too many: a
 * reader of files does no more than that for each byte, whatever is in them. A step is a way from
 * one piece of straight code to the next, so each round of a loop has one at least. No clock is
 * looked at, so that an input says the same on each machine.
 *
 * The compiler calls __sanitizer_cov_trace_pc at each step (-fsanitize-coverage=trace-pc; GCC's
 * manual has it, too). libFuzzer has a function of that name, which refuses it: the linker gives
 * ours in its place (--wrap), and puts ours around LLVMFuzzerTestOneInput. What is not counted:
 * other libraries, and what unwatched.txt names, among it this file.
 *
 * UM_FUZZ_STEPS=FILE in the environment: for each input a line "STEPS BYTES" is added to that
 * file.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/fuzz/steps.h"

/* The program and the linker know these names. */
void __wrap___sanitizer_cov_trace_pc(void);
int __wrap_LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int __real_LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t steps, most = UINT64_MAX;

void __wrap___sanitizer_cov_trace_pc(void)
{
    if (++steps <= most)
        return;
    fprintf(stderr, "tests/fuzz/steps.c: the input takes more than %llu steps\n",
            (unsigned long long)most);
    most = UINT64_MAX; /* what prints the stack may have steps, too */
    abort();
}

void steps_allow_more(uint64_t more)
{
    most += more;
}

static void write_down(size_t size)
{
    static FILE *file;
    static bool is_asked;
    const char *path = is_asked ? NULL : getenv("UM_FUZZ_STEPS");
    is_asked = true;
    if (path)
        file = fopen(path, "a");
    if (file)
        fprintf(file, "%llu %zu\n", (unsigned long long)steps, size);
}

int __wrap_LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    steps = 0;
    most = STEPS_ALWAYS + STEPS_A_BYTE * (uint64_t)size;
    int kept = __real_LLVMFuzzerTestOneInput(data, size);
    most = UINT64_MAX;
    write_down(size);
    return kept;
}
