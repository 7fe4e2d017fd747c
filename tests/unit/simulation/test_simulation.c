/* Whole sessions in virtual time, judged to the nanosecond. Random ones, and one by hand for each
 * thing that simulations have found, or that the change log says of what is told.
 *
 * UM_SESSIONS=1000000 makes so many random ones, and UM_SESSION=N runs number N alone. */
#include <stdio.h>
#include <stdlib.h>

#include <criterion/criterion.h>

#include "tests/unit/simulation/oracle.h"

#define SESSIONS 2000       /* in the gate */
#define UNKNOWN_PERCENT 2.0 /* of all time, at most */

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
    return judge(script).about == sought;
}

/* A complaint comes with the shortest script that leads to it, as the body of a test. */
static void expect_right(const struct script *script, const char *name)
{
    struct oracle_verdict verdict = judge(script);
    if (!verdict.about)
        return;
    sought = verdict.about;
    struct script small = script_shrink(*script, fails);
    printf("%s, %s: %s\nThe shortest script: %s\n", name, verdict.about, verdict.complaint,
           judge(&small).complaint);
    script_print(&small);
    cr_expect(false, "%s, %s: %s", name, verdict.about, verdict.complaint);
}

static uint64_t number_from(const char *variable, uint64_t otherwise)
{
    const char *text = getenv(variable);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

Test(simulation, random_sessions_are_told_exactly)
{
    uint64_t first = number_from("UM_SESSION", 1);
    uint64_t count = number_from("UM_SESSIONS", getenv("UM_SESSION") ? 1 : SESSIONS);
    struct oracle_verdict sum = {0};

    for (uint64_t number = first; number < first + count; number++) {
        struct script script = script_random(number);
        struct oracle_verdict verdict = judge(&script);
        char name[40];
        sum.total_ns += verdict.total_ns;
        sum.unknown_ns += verdict.unknown_ns;
        sum.freezes += verdict.freezes;
        sum.keys += verdict.keys;
        snprintf(name, sizeof name, "session %llu", (unsigned long long)number);
        if (verdict.about)
            expect_right(&script, name);
    }
    double unknown = 100.0 * (double)sum.unknown_ns / (double)sum.total_ns;
    printf("%.0f s, %u freezes, %u keys; %.2f %% cannot be known\n", (double)sum.total_ns / 1e9,
           sum.freezes, sum.keys, unknown);
    cr_expect_leq(unknown, UNKNOWN_PERCENT);
}
