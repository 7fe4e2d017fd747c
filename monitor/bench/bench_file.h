/* The results file of a benchmark, and FILE.partial beside it, which has the results so far while
 * the benchmark runs. Neither is overwritten before a run has finished, because they may hold hours
 * of another benchmark. Start at um_bench_file_open. Not on the hot path.
 */
#ifndef UM_MONITOR_BENCH_FILE_H
#define UM_MONITOR_BENCH_FILE_H

#include <stdbool.h>

#include "base/platform.h"

struct um_bench_file {
    const char *path;                     /* NULL: the results are not kept; "-": standard output */
    bool goes_on;                         /* --resume: with the runs of an earlier benchmark */
    char partial[UM_PLATFORM_PATH_BYTES]; /* path of FILE.partial; "": there will be none */
    bool has_run;                         /* a run was finished now */
    bool in_partial;                      /* FILE.partial has this benchmark's runs */
    bool failed; /* FILE.partial could not be written, and a line said so */
};

/* Prepares the file of that path, which must outlive it. If there can be no FILE.partial, or an old
 * one will be replaced, a line on stderr says so. No file is changed. */
void um_bench_file_open(struct um_bench_file *file, const char *path, bool goes_on);

/* Writes the results so far into FILE.partial, if there is one, after each finished run or pair.
 * The first failure has a line on stderr. `text` is NULL without memory. */
void um_bench_file_keep(struct um_bench_file *file, const char *text);

/* Writes FILE, and removes FILE.partial if its runs are in FILE now. If the benchmark is not `done`
 * and no run was finished, FILE is left as it was: always with --resume, else if it has content.
 * False, with a line on stderr, if that failed. */
bool um_bench_file_end(const struct um_bench_file *file, const char *text, bool done);

#endif
