/* Whole sessions in virtual time, judged to the nanosecond. */
#include <stdio.h>
#include <stdlib.h>

#include <criterion/criterion.h>

#include "tests/unit/simulation/oracle.h"

static struct oracle_verdict judge(const struct script *script)
{
    struct model_trace *trace = model_run(script);
    struct oracle_verdict verdict = oracle_judge(script, trace);
    free(trace);
    return verdict;
}

static const char *sought;

/* Whether the oracle still complains about the same. */
static bool fails(const struct script *script)
{
    const char *about = judge(script).about;
    return about == sought;
}

static void check(const struct script *script, uint64_t number)
{
    struct oracle_verdict verdict = judge(script);
    if (!verdict.about)
        return;
    sought = verdict.about;
    struct script small = script_shrink(*script, fails);
    printf("session %llu, %s: %s\n", (unsigned long long)number, verdict.about, verdict.complaint);
    verdict = judge(&small);
    printf("the shortest script (%s):\n", verdict.complaint);
    script_print(&small);
}

Test(simulation, random_sessions)
{
    const char *first = getenv("UM_SIM_FIRST");
    const char *count = getenv("UM_SIM_COUNT");
    uint64_t from = first ? strtoull(first, NULL, 10) : 1;
    uint64_t to = from + (count ? strtoull(count, NULL, 10) : 2000);
    for (uint64_t i = from; i < to; i++) {
        struct script script = script_random(i);
        check(&script, i);
    }
}
