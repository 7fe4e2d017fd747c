#include "monitor/bench/bench_duration.h"

#include <stdio.h>

#include "base/plain/clock.h"

#define MOST_SECONDS 120 /* longer times are in minutes */
#define LINE UM_BENCH_DURATION_BYTES

struct text {
    char text[48];
};

static struct text minutes_text(uint64_t minutes)
{
    struct text out;
    if (minutes >= 60)
        snprintf(out.text, sizeof out.text, "%llu h %llu min", (unsigned long long)(minutes / 60),
                 (unsigned long long)(minutes % 60));
    else
        snprintf(out.text, sizeof out.text, "%llu min", (unsigned long long)minutes);
    return out;
}

/* The nearest second, or minute; never 0. */
static struct text time_text(uint64_t ns)
{
    struct text out;
    uint64_t seconds = (ns + UM_CLOCK_NS_PER_S / 2) / UM_CLOCK_NS_PER_S;
    if (seconds >= MOST_SECONDS)
        return minutes_text((seconds + 30) / 60);
    snprintf(out.text, sizeof out.text, "%llu s", (unsigned long long)(seconds ? seconds : 1));
    return out;
}

void um_bench_duration_plan(const struct um_bench_duration *left, uint64_t own_ns, uint64_t most_ns,
                            char line[UM_BENCH_DURATION_BYTES])
{
    char likely[160] = ",";
    char look[48] = "";
    if (left->look > 0)
        snprintf(look, sizeof look, " until it may end, after pair %lu", (unsigned long)left->look);
    if (own_ns > 0)
        snprintf(likely, sizeof likely,
                 ": likely %s or more%s, by what the scenario itself waits and types;",
                 time_text((left->look > 0 ? left->until_look : left->runs) * own_ns).text, look);
    snprintf(line, LINE, "%lu run%s%s%s %s at most", (unsigned long)left->runs,
             left->runs == 1 ? "" : "s", left->sides == 2 ? " of each side" : "", likely,
             minutes_text(left->runs * most_ns / UM_CLOCK_NS_PER_S / 60 + 1).text);
}

void um_bench_duration_rest(const struct um_bench_duration *left, const uint64_t *took_ns,
                            char line[UM_BENCH_DURATION_BYTES])
{
    char took[128];
    uint64_t run_ns = took_ns[0] + (left->sides == 2 ? took_ns[1] : 0);
    if (left->sides == 2)
        snprintf(took, sizeof took, "the first run of each side took %s and %s",
                 time_text(took_ns[0]).text, time_text(took_ns[1]).text);
    else
        snprintf(took, sizeof took, "the first run took %s", time_text(took_ns[0]).text);
    if (left->look > 0)
        snprintf(line, LINE, "%s: likely %s until it may end, after pair %lu, and %s for all", took,
                 time_text(left->until_look * run_ns).text, (unsigned long)left->look,
                 time_text(left->runs * run_ns).text);
    else
        snprintf(line, LINE, "%s: likely %s more", took, time_text(left->runs * run_ns).text);
}
