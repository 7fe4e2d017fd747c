/* Unwinding a recorded stack of some 50 frames, from modules in memory. */
#include "tests/bench/measures.h"

#include <math.h>
#include <stdlib.h>

#include "base/plain/clock.h"
#include "tests/bench/driver.h"
#include "tests/stacks/stack_file.h"

#define ROUNDS 500
#define WALKS 20 /* in a round: the clock is read around it */

/* The sample with the most frames. */
static const struct stack_file_sample *deepest(const struct stack_file *file)
{
    const struct stack_file_sample *found = &file->samples[0];
    for (size_t i = 1; i < file->sample_count; i++)
        if (file->samples[i].truth_count > found->truth_count)
            found = &file->samples[i];
    return found;
}

void measure_unwind(void)
{
    static struct series series;
    static struct um_modules modules;
    static struct um_modules_entry entries[STACK_FILE_MODULES];
    static struct um_unwind_frame frames[STACK_FILE_FRAMES];
    struct um_unwind walk;
    struct stack_file *file = calloc(1, sizeof *file);

    if (!file || !stack_file_read(file, UM_SOURCE_DIR "/tests/golden/stacks_wine.bin") ||
        !stack_file_modules(file, &modules, entries))
        driver_fail("the recorded stacks cannot be read");
    const struct stack_file_sample *sample = deepest(file);
    struct um_unwind_code code = um_modules_code(&modules);
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t begin_ns = um_clock_now_ns();
        for (int k = 0; k < WALKS; k++) {
            um_unwind_begin(&walk, &sample->registers, &sample->stack, frames, STACK_FILE_FRAMES);
            if (um_unwind_run(&walk, &code) != UM_UNWIND_START)
                driver_fail("a stack is not unwound");
        }
        series_add(&series, (double)(um_clock_now_ns() - begin_ns) / 1e3 / WALKS);
    }
    struct row row = row_of_series("unwind", "unwinding a stack of 50 frames", "us", &series);
    row_budget(&row, ROW_AT_MOST, 100, NAN, "<= 100 us");
    row_note(&row, "%zu frames", walk.frame_count);
    driver_row(&row);
    stack_file_release(file);
    free(file);
}
