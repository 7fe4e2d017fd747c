/* Reads the result files of `uimon bench`. One file or several are one side of a comparison; a file
 * of pairs is both sides.
 *
 * A file of schema 1 has the runs of one side. A file of schema 2 has "before" and "after", each as
 * in a file of schema 1, with the same number of runs: run i of both is a pair. "order" says which
 * side came first in each pair, "discarded" how many pairs were not finished, and "until" by what
 * plan the sitting ended: {"within": 0.05, "most": 60, "alpha": 0.05}; null for a fixed number of
 * pairs.
 * Start at um_results_add. Everything in a file is checked before it is used, because the file may
 * come from anywhere. A number that is absent was not measured; the groups do not have it. Not on
 * the hot path.
 */
#ifndef UM_MONITOR_RESULTS_H
#define UM_MONITOR_RESULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/status.h"
#include "monitor/compare/compare.h"
#include "monitor/compare/floor.h"

#define UM_RESULTS_SCHEMA 1
#define UM_RESULTS_SCHEMA_PAIRS 2
#define UM_RESULTS_FILE_BYTES ((size_t)256 << 20)
#define UM_RESULTS_MEASURES 256
#define UM_RESULTS_RUNS 1000
#define UM_RESULTS_VALUES ((size_t)4 << 20) /* in all groups of one side */
#define UM_RESULTS_NAME_BYTES 64
#define UM_RESULTS_TEXT_BYTES 128

/* What is kept of each measure. Startup times belong to a measure named "startup". */
enum um_results_series {
    UM_RESULTS_PAINTED, /* arrival to the end of painting, where painting was observed */
    UM_RESULTS_HANDLED, /* arrival to handled: input delay and processing */
    UM_RESULTS_DELAY,
    UM_RESULTS_PROCESSING,
    UM_RESULTS_PRESENTATION,
    UM_RESULTS_DURATION, /* of the measure itself */
    UM_RESULTS_BEATS,    /* corrected for coordinated omission, as everywhere in uimon */
    UM_RESULTS_FREEZES,  /* the length of all freezes of a run: one value a run, 0 for none */
    UM_RESULTS_WINDOW,   /* startup: process start to the first window */
    UM_RESULTS_PAINT,
    UM_RESULTS_READY, /* to the first time that it waited for input */
    UM_RESULTS_IDLE,  /* to the beginning of the first quiet stretch */
    UM_RESULTS_SERIES
};

#define UM_RESULTS_STARTUP "startup"

/* What became of the inputs that were sent. Files that do not say how many were sent add nothing.
 * Runs are counted separately: an extra input of one run does not make up for a missing one of
 * another. */
struct um_results_inputs {
    uint64_t injected;
    uint64_t missing;  /* sent, but never seen as an interaction */
    uint64_t extra;    /* seen, but not sent by uimon */
    uint64_t given_up; /* not dealt with when uimon stopped waiting; they may have been later */
};

struct um_results_measure {
    char name[UM_RESULTS_NAME_BYTES];
    struct um_compare_group groups[UM_RESULTS_SERIES]; /* in milliseconds, sorted, `runs` set */
    size_t room[UM_RESULTS_SERIES];
    size_t interactions;
    struct um_results_inputs inputs;
};

/* The conditions under which the numbers were measured. Texts can be shown as they are; "" is
 * unknown. */
struct um_results_conditions {
    char uimon[UM_RESULTS_NAME_BYTES];
    char scenario[UM_RESULTS_TEXT_BYTES];
    char scenario_crc[UM_RESULTS_NAME_BYTES];
    char target[UM_RESULTS_TEXT_BYTES];
    char machine[UM_RESULTS_TEXT_BYTES];
    char system[UM_RESULTS_TEXT_BYTES];
    char probe[UM_RESULTS_NAME_BYTES];
    char beat[UM_RESULTS_NAME_BYTES];
    char started[UM_RESULTS_NAME_BYTES];
    char defines[UM_RESULTS_TEXT_BYTES]; /* of this side of a sitting: "NAME=VALUE NAME=VALUE" */
    double heartbeat_ms;                 /* here and below NAN is unknown */
    double rest_heartbeat_ms;
    double threshold_ms;
    double slow_ms;
};

enum um_results_difference {
    UM_RESULTS_OTHER_SCENARIO = 1u << 0,
    UM_RESULTS_OTHER_OPTIONS = 1u << 1, /* heartbeat, thresholds, probe or beat */
    UM_RESULTS_OTHER_MACHINE = 1u << 2, /* or its system */
    UM_RESULTS_OTHER_UIMON = 1u << 3,
    UM_RESULTS_OTHER_TARGET = 1u << 4
};

/* How both sides were measured in one sitting. */
struct um_results_sitting {
    bool paired;        /* false: this is a side of its own, and the rest is 0 */
    uint32_t discarded; /* pairs that were not finished */
    double within;      /* the plan of until.h, a share; 0: a fixed number of pairs */
    uint32_t most;      /* pairs of that plan */
    double level;       /* of the look that the plan has after so many pairs; else 0 */
};

struct um_results {
    uint32_t files;
    uint32_t runs;
    /* How many runs there would be if no benchmark had been broken off; the same if none was. */
    uint32_t planned;
    struct um_results_conditions conditions; /* of the first file */
    uint32_t mixed; /* bits of um_results_difference: how the other files differ from the first */
    bool has_floor; /* `floor` holds the first one found in a file */
    struct um_floor floor;
    size_t measure_count;
    struct um_results_measure *measures;
    size_t values;    /* in all groups */
    uint64_t dropped; /* records that were lost while the runs were measured */
    struct um_results_sitting sitting;
    /* The longest delay that `uimon bench --prove` has put on each key of a run, in µs; 0: none. */
    uint32_t key_delay_us;
};

/* Adds the runs of a file of one side, given as text. A zeroed struct is empty. `name` names the
 * file in errors.
 * Owner: um_results_deinit, also after a failure, which leaves `results` half filled.
 * Errors: UM_ERR_FORMAT it is not a result, or damaged, or of both sides; UM_ERR_VERSION another
 * schema; UM_ERR_CLOSED its benchmark was aborted, or has no run; UM_ERR_TOO_LARGE; UM_ERR_MEMORY.
 * `error` has the line to print. */
enum um_status um_results_add(struct um_results *results, const char *text, size_t len_bytes,
                              const char *name, char *error, size_t error_cap);

/* Reads both sides of a file of pairs, given as text, into two empty structs. Owner and errors: as
 * above; UM_ERR_FORMAT also for a file of one side. */
enum um_status um_results_read_pairs(struct um_results sides[2], const char *text, size_t len_bytes,
                                     const char *name, char *error, size_t error_cap);

/* Reads a file from disk and adds it. Errors: those above, and those of um_text_file_load. */
enum um_status um_results_add_file(struct um_results *results, const char *path, char *error,
                                   size_t error_cap);
enum um_status um_results_read_pairs_file(struct um_results sides[2], const char *path, char *error,
                                          size_t error_cap);

/* How two sets of conditions differ, as bits of um_results_difference. What is unknown on one side
 * is no difference. */
uint32_t um_results_differences(const struct um_results_conditions *a,
                                const struct um_results_conditions *b);

/* The measure of that name, or NULL. */
const struct um_results_measure *um_results_find(const struct um_results *results,
                                                 const char *name);

/* Frees what it points to. Accepts a zeroed struct. */
void um_results_deinit(struct um_results *results);

#endif
