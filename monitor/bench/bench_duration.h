/* How long a benchmark will take, in words. Before the first run that is known only by what the
 * scenario itself waits and types; then by how long the first run of each side took. Pure; not on
 * the hot path.
 */
#ifndef UM_MONITOR_BENCH_DURATION_H
#define UM_MONITOR_BENCH_DURATION_H

#include <stddef.h>
#include <stdint.h>

#define UM_BENCH_DURATION_BYTES 256

/* What is left to be run. */
struct um_bench_duration {
    uint32_t sides;      /* 1 or 2 */
    uint32_t runs;       /* of each side, rehearsals included; with --until at most */
    uint32_t look;       /* --until: the next pair after which it may end; 0: without --until */
    uint32_t until_look; /* runs of each side up to that pair */
};

/* Before the first run: "16 runs: likely 4 min or more, ...; 40 min at most". `own_ns` (0: not
 * said) and `most_ns` are for one run of each side: what the scenario itself waits and types, and
 * how long it may take. */
void um_bench_duration_plan(const struct um_bench_duration *left, uint64_t own_ns, uint64_t most_ns,
                            char line[UM_BENCH_DURATION_BYTES]);

/* After the first run of each side: "the first run took 14 s: likely 3 min more". `took_ns` has the
 * time of each side. */
void um_bench_duration_rest(const struct um_bench_duration *left, const uint64_t *took_ns,
                            char line[UM_BENCH_DURATION_BYTES]);

#endif
