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
 * over the runs; all are in milliseconds. Quantities are named as in comparison.h. Texts that are
 * not known are absent. The order of the lines is the order of the commits; `time` is only shown.
 * What was measured on another machine, or with a scenario of another content, is another track.
 * If a track has a label twice, the later line takes the place of the earlier one.
 *
 * The file may come from anywhere and may have been cut off: each line is taken as a whole or not
 * at all, and what was not taken is counted. Start at um_history_read. Not on the hot path; no
 * function blocks but um_history_begins.
 */
#ifndef UM_MONITOR_HISTORY_H
#define UM_MONITOR_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/status.h"
#include "monitor/compare/comparison.h"

#define UM_HISTORY_SCHEMA 1
#define UM_HISTORY_FILE_BYTES ((size_t)64 << 20)
#define UM_HISTORY_LINES 10000 /* the newest ones are read */
#define UM_HISTORY_SERIES 1024 /* in all tracks together */
#define UM_HISTORY_TEXT_BYTES UM_RESULTS_TEXT_BYTES
#define UM_HISTORY_LABEL_COLUMNS 40
#define UM_HISTORY_DAY_BYTES 11

/* What each line begins with, so that a file can be told from others. */
#define UM_HISTORY_HEAD "{\"kind\":\"history\","

/* Texts can be shown as they are, here and below; "" is not known. */
struct um_history_commit {
    char label[UM_HISTORY_TEXT_BYTES];
    char time[UM_RESULTS_NAME_BYTES];
    char uimon[UM_RESULTS_NAME_BYTES];
    char system[UM_HISTORY_TEXT_BYTES];
    char target[UM_HISTORY_TEXT_BYTES];
};

/* Units: ms. */
struct um_history_point {
    size_t commit; /* its place in the track */
    double median;
    double low, high; /* quartiles over the runs */
    uint32_t runs;
    bool misses; /* more inputs are missing than comparison.h lets pass: it may look too fast */
};

struct um_history_change {
    size_t point;         /* the first point that is changed */
    double before, after; /* the medians of the points from the change before, up to the next one */
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
    size_t first; /* of the points that were looked at */
    double level; /* of the newest points, from the last change on */
    struct um_history_change *changes;
    size_t change_count;
};

/* All that was measured on one machine with one scenario. */
struct um_history_track {
    char machine[UM_HISTORY_TEXT_BYTES];
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
    size_t latest;            /* the track of the newest line, */
    size_t latest_commit;     /* and its commit there */
    size_t series_count;      /* in all tracks */
    unsigned long lines;      /* that were taken */
    unsigned long older;      /* not read, because there are more than UM_HISTORY_LINES */
    unsigned long damaged;    /* not taken, because something is wrong with them */
    unsigned long damaged_at; /* the first of those: its number, from 1 on; 0: none */
    unsigned long newer;      /* not taken, because their schema is of a newer uimon */
    unsigned long full;       /* values that were not taken, because of UM_HISTORY_SERIES */
};

/* Reads a history file's text. Empty lines do not count.
 * Owner: um_history_deinit; the text may be freed. Errors: UM_ERR_MEMORY. */
enum um_status um_history_read(const char *text, size_t len_bytes, struct um_history *out);

/* What a series is called: as comparison.h names the quantity, but "handled" in place of "total"
 * where that ends when the input is handled. Owner: static text. */
const char *um_history_series_name(const struct um_history_series *series);

/* Whether there is nothing to see in a series: nothing ever froze. */
bool um_history_is_empty(const struct um_history_series *series);

/* What else is other than at the point before: "uimon 0.1.0 to 0.2.0; system Windows ...". Always
 * NUL-terminated; "" for nothing. */
void um_history_what_else(const struct um_history_track *track,
                          const struct um_history_series *series, size_t point, char *text,
                          size_t cap_bytes);

/* The day of a commit: "2026-11-21"; "" if its time is not known, or of another form. Returns
 * `day`. */
const char *um_history_day(const struct um_history_commit *commit, char day[UM_HISTORY_DAY_BYTES]);

/* Whether a line of a history can be appended to this file: it does not exist, is empty, or begins
 * as a history does, if only with a part of its first line. Thread: blocks on the disk. */
bool um_history_begins(const char *path);

/* Frees what it points to. Accepts a zeroed struct. */
void um_history_deinit(struct um_history *history);

#endif
