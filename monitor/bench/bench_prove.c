#include "monitor/bench/bench_prove.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "ipc/wire.h"
#include "monitor/base/by_size.h"
#include "monitor/base/output.h"

enum um_status um_bench_prove_fix(struct um_bench_job *job)
{
    const struct um_options *options = job->options;
    char *why = job->outcome.why;
    char line[160];

    if (job->delay_us > 0) /* of --resume */
        return um_bench_host_delay_keys(job->side[UM_BENCH_SITTING_AFTER].host, job->delay_us);
    qsort(job->key_ms, job->keys, sizeof job->key_ms[0], um_by_size);
    double median_ms = job->keys > 0 ? job->key_ms[job->keys / 2] : 0;
    double delay_us = floor(median_ms * options->prove_percent * 10 + 0.5);
    if (job->keys == 0)
        snprintf(why, UM_BENCH_RUN_WHY_BYTES,
                 "--prove delays keys, but no key was seen in a measure of the rehearsals");
    else if (delay_us < 1 || delay_us > UM_WIRE_KEY_DELAY_MAX_US)
        snprintf(why, UM_BENCH_RUN_WHY_BYTES,
                 "--prove %g%%: a key takes %.2f ms, so each would be delayed by %.0f µs; it must "
                 "be from 1 to %d µs",
                 options->prove_percent, median_ms, delay_us, UM_WIRE_KEY_DELAY_MAX_US);
    else
        job->delay_us = (uint32_t)delay_us;
    if (job->delay_us == 0)
        return job->outcome.status = UM_ERR_ARG;
    snprintf(line, sizeof line,
             "a key takes %.2f ms, so uimon delays each key of AFTER by %lu µs on purpose",
             median_ms, (unsigned long)job->delay_us);
    if (!options->quiet)
        um_output_note(line);
    return um_bench_host_delay_keys(job->side[UM_BENCH_SITTING_AFTER].host, job->delay_us);
}

bool um_bench_prove_judge(const struct um_bench_job *job, const struct um_comparison *comparison)
{
    size_t measures = 0, found = 0;
    char line[160];

    for (size_t i = 0; i < comparison->measure_count; i++) {
        const struct um_comparison_row *row =
            um_comparison_find(&comparison->measures[i], UM_COMPARISON_TOTAL);
        measures += row && row->compared;
        found += row && row->compared && row->result.verdict == UM_COMPARE_SLOWER;
    }
    bool all = found == measures && measures > 0;
    snprintf(line, sizeof line,
             "%s: the delay of %g %% (%lu µs a key) was found in %lu of %lu measures%s",
             all ? "proved" : "not proved", job->options->prove_percent,
             (unsigned long)job->delay_us, (unsigned long)found, (unsigned long)measures,
             all ? "" : "; take more runs, or expect to see larger changes only");
    um_output_note(line);
    return all;
}
