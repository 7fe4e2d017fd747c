/* The file of a benchmark's results, and FILE.partial beside it, which has those so far while it
 * runs. Neither is touched before the benchmark has a run of its own to put there: what they have
 * may be hours of another one. Start at um_bench_file_open. Not on the hot path.
 */
#ifndef UM_MONITOR_BENCH_FILE_H
#define UM_MONITOR_BENCH_FILE_H

#include <stdbool.h>

#include "monitor/base/platform.h"

struct um_bench_file {
    const char *path;                     /* NULL: the results are not kept; "-": standard output */
    bool goes_on;                         /* with the runs of a benchmark that was broken off */
    char partial[UM_PLATFORM_PATH_BYTES]; /* ""; there is none */
    bool has_run;                         /* one that was made now, and finished */
    bool in_partial;                      /* that partial file is of this benchmark */
    bool failed;                          /* to write it, and said so */
};

/* Prepares the file of that path, which must outlive it, and says what becomes of FILE.partial. No
 * file is changed. */
void um_bench_file_open(struct um_bench_file *file, const char *path, bool goes_on);

/* One more run, or pair, is finished: puts the results so far into FILE.partial, if there is one.
 * If that fails it is said once, and tried again the next time. NULL: there is no memory. */
void um_bench_file_keep(struct um_bench_file *file, const char *text);

/* Puts the results where they belong, and removes those so far. Of a benchmark that is not `done`
 * and has finished no run, FILE is left as it was, if there is something in it or the runs are
 * still where they were taken from. False, with a line on stderr, if that failed. */
bool um_bench_file_end(const struct um_bench_file *file, const char *text, bool done);

#endif
