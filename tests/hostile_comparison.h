/* A comparison of results in which all that has a name has the same hostile one. Header-only, so
 * that a fuzzer is one file.
 */
#ifndef UM_TESTS_HOSTILE_COMPARISON_H
#define UM_TESTS_HOSTILE_COMPARISON_H

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "monitor/compare/compare_text.h"

/* Calls `use` with the comparison of two sides, whose names are as reading a file gives them: of
 * the scenario, the machine and a measure. Inputs are missing, so that there is a warning with the
 * name. */
static inline void hostile_compare(const char *name,
                                   void (*use)(void *context, const struct um_compare_text *text),
                                   void *context)
{
    static struct um_results sides[2];
    static struct um_comparison comparison;
    struct um_compare_text text = {.comparison = &comparison};

    memset(sides, 0, sizeof sides);
    for (int i = 0; i < 2; i++) {
        struct um_results *side = &sides[i];
        um_utf8_fit(name, 60, side->conditions.scenario, sizeof side->conditions.scenario);
        um_utf8_fit(name, 30, side->conditions.machine, sizeof side->conditions.machine);
        side->measures = calloc(1, sizeof *side->measures);
        if (!side->measures)
            abort();
        side->measure_count = 1;
        um_utf8_fit(name, 40, side->measures[0].name, sizeof side->measures[0].name);
        side->measures[0].inputs = (struct um_results_inputs){.injected = 100, .extra = 7};
    }
    if (um_comparison_make(&sides[0], &sides[1], &comparison) != UM_OK)
        abort();
    use(context, &text);
    um_comparison_deinit(&comparison);
    for (int i = 0; i < 2; i++)
        um_results_deinit(&sides[i]);
}

#endif
