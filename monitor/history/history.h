/* The history of a benchmark: one file, to which `uimon history add` appends a line for each
 * commit, and which this module reads.
 *
 * A line is a JSON object:
 *
 *   {"kind":"history","schema":1,"label":"4f2a91c","time":"2026-11-21T12:45:34Z","uimon":"0.1.0",
 *    "machine":"VM","system":"Windows 10.0.19045","target":"uimon-demo.exe",
 *    "scenario":"demo-typing","crc32":"e68102d7","runs":15,"measures":[{"name":"typing",
 *    "total_to":"painted","inputs":600,"missing":0,"quantities":[
 *     {"name":"total","median":12.31,"low":12.04,"high":12.6,"runs":15}]}]}
 *
 * `median` is the median over the runs of each run's median, `low` and `high` are the quartiles
 * over the runs; all are in milliseconds. Quantities are named as in comparison.h. Unknown texts
 * are absent. `"layout":true` is there if it was measured with --layout. The order of the lines is
 * the order of the commits; `time` is only shown. A track has the lines of one machine and one
 * content of a scenario; names of machines that differ in case only are one. If it has a label
 * twice, the later line replaces the earlier one.
 *
 * The file is not trusted, and may have been cut off: each line is taken as a whole or not at all,
 * and lines that were not taken are counted. Start at um_history_read. Not on the hot path; only
 * um_history_begins blocks.
 */
#ifndef UM_MONITOR_HISTORY_H
#define UM_MONITOR_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "monitor/compare/comparison.h"

#define UM_HISTORY_SCHEMA 1
#define UM_HISTORY_FILE_BYTES ((size_t)64 << 20)
#define UM_HISTORY_LINES 10000 /* the newest ones are read */
#define UM_HISTORY_SERIES 1024 /* in all tracks together */
#define UM_HISTORY_TEXT_BYTES UM_RESULTS_TEXT_BYTES
#define UM_HISTORY_LABEL_COLUMNS 40
#define UM_HISTORY_DAY_BYTES 11

/* A change is told if it is at least this share of the level before, and at least this long:
 * results are written to the microsecond. */
#define UM_HISTORY_LEAST_SHARE 0.001
#define UM_HISTORY_LEAST_MS 0.001

/* Each line begins with this. */
#define UM_HISTORY_HEAD "{\"kind\":\"history\","

/* Texts can be shown as they are, here and below; "" is unknown. */
struct um_history_commit {
    char label[UM_HISTORY_TEXT_BYTES];
    char time[UM_RESULTS_NAME_BYTES];
    char uimon[UM_RESULTS_NAME_BYTES];
    char machine[UM_HISTORY_TEXT_BYTES];
    char system[UM_HISTORY_TEXT_BYTES];
    char target[UM_HISTORY_TEXT_BYTES];
    bool layout; /* measured with --layout */
};

/* Units: ms. */
struct um_history_point {
    size_t commit; /* its index in the track */
    double median;
    double low, high; /* quartiles over the runs */
    uint32_t runs;
    bool misses; /* too many inputs are missing (comparison.h), so it may look too fast */
};

struct um_history_change {
    size_t point;         /* the first point that is changed */
    double before, after; /* medians of the points between the neighbouring changes and this one */
    double p;
};

/* A quantity of a measure over the commits. */
struct um_history_series {
    char measure[UM_RESULTS_NAME_BYTES];
    enum um_comparison_quantity quantity;
    bool painted; /* `total` ends with painting; otherwise when the input is handled */
    struct um_history_point *points; /* in the order of the commits */
    size_t len;
    size_t room;
    /* What um_history_changes_find has found (history_changes.h). */
    size_t first; /* index of the first point that was searched */
    double level; /* median of the newest points, since the last change */
    struct um_history_change *changes;
    size_t change_count;
};

/* All that was measured on one machine with one scenario. */
struct um_history_track {
    char machine[UM_HISTORY_TEXT_BYTES];
    uint32_t machine_hash;  /* of its name without regard to case */
    size_t machine_ordinal; /* of the machines that measured this scenario: 1 for the first */
    char scenario[UM_HISTORY_TEXT_BYTES];
    char scenario_crc[UM_RESULTS_NAME_BYTES];
    struct um_history_commit *commits;
    size_t commit_count;
    size_t commit_room;
    struct um_history_series *series;
    size_t series_count;
    size_t series_room;
};

struct um_history {
    struct um_history_track *tracks; /* in the order of their first lines */
    size_t track_count;
    size_t track_room;
    size_t latest;        /* index of the newest line's track */
    size_t latest_commit; /* and of its commit there */
    size_t series_count;  /* in all tracks */
    /* How many lines were taken, and how many were not: */
    unsigned long lines;
    unsigned long older;      /* because there are more than UM_HISTORY_LINES */
    unsigned long damaged;    /* because something is wrong with them */
    unsigned long damaged_at; /* number of the first of those, from 1 on; 0: none */
    unsigned long newer;      /* because a newer uimon wrote them */
    unsigned long replaced;   /* because a later line of another machine has the same label */
    unsigned long full;       /* how many values were not taken, because of UM_HISTORY_SERIES */
};

/* Reads a history file's text. Empty lines do not count. If `machine` is not NULL, all lines count
 * as that machine's, whichever they were measured on.
 * Owner: um_history_deinit; the text may be freed. Errors: UM_ERR_MEMORY. */
enum um_status um_history_read(const char *text, size_t len_bytes, const char *machine,
                               struct um_history *out);

/* The name of a series: that of its quantity in comparison.h, but "handled" for a `total` that ends
 * when the input is handled. Owner: static text. */
const char *um_history_series_name(const struct um_history_series *series);

/* A change in per cent of the level before; NAN if that is below UM_HISTORY_LEAST_MS, as 0 is. */
double um_history_change_percent(const struct um_history_change *change);

/* Whether a series has nothing to show: it has no point, or is of freezes, and nothing froze. */
bool um_history_is_empty(const struct um_history_series *series);

/* What else has changed since the point before: "uimon 0.1.0 to 0.2.0; system Windows ..."; "" if
 * nothing but the case of letters has. Always NUL-terminated. */
void um_history_what_else(const struct um_history_track *track,
                          const struct um_history_series *series, size_t point, char *text,
                          size_t cap_bytes);

/* The day of a commit: "2026-11-21"; "" if its time is unknown or malformed. Returns `day`. */
const char *um_history_day(const struct um_history_commit *commit, char day[UM_HISTORY_DAY_BYTES]);

/* Whether a line can be appended to this file: it does not exist, is empty, or begins as a history
 * does, even if its first line is cut off. Thread: blocks on the disk. */
bool um_history_begins(const char *path);

/* Frees what it points to. Accepts a zeroed struct. */
void um_history_deinit(struct um_history *history);

#endif
