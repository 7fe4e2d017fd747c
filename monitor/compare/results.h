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

#include "base/plain/status.h"
#include "monitor/compare/compare.h"
#include "monitor/compare/floor.h"

#define UM_RESULTS_SCHEMA 1
#define UM_RESULTS_SCHEMA_PAIRS 2
#define UM_RESULTS_FILE_BYTES ((size_t)256 << 20)
#define UM_RESULTS_MEASURES 256
#define UM_RESULTS_RUNS 1000
#define UM_RESULTS_VALUES ((size_t)4 << 20) /* in all groups of one side */
#define UM_RESULTS_MOST_MS 1e9              /* no time in a file is longer: eleven days */
#define UM_RESULTS_NAME_BYTES 64
#define UM_RESULTS_TEXT_BYTES 128

/* The series of values of each measure. Startup times belong to a measure named "startup", and the
 * layout of whole runs to one named "layout". */
enum um_results_series {
    UM_RESULTS_PAINTED, /* arrival to the end of painting, where painting was observed */
    UM_RESULTS_HANDLED, /* arrival to handled: input delay and processing */
    UM_RESULTS_DELAY,
    UM_RESULTS_PROCESSING,
    UM_RESULTS_PRESENTATION,
    UM_RESULTS_DURATION, /* of the measure itself */
    UM_RESULTS_BEATS,    /* latencies of beats, corrected for coordinated omission */
    UM_RESULTS_FREEZES,  /* the length of all freezes of a run: one value a run, 0 for none */
    UM_RESULTS_WINDOW,   /* startup: process start to the first window */
    UM_RESULTS_PAINT,
    UM_RESULTS_READY,        /* to the first time that it waited for input */
    UM_RESULTS_IDLE,         /* to the beginning of the first half second without messages */
    UM_RESULTS_LAYOUT_FRAME, /* layout time of a layout frame, the mean of a run */
    UM_RESULTS_SERIES
};

#define UM_RESULTS_STARTUP "startup"
#define UM_RESULTS_LAYOUT "layout"

/* Inputs that were sent, and those that were seen. A file that does not say how many were sent adds
 * nothing. An extra input of one run does not make up for a missing input of another. */
struct um_results_inputs {
    uint64_t injected;
    uint64_t missing;  /* sent, but never seen as an interaction */
    uint64_t extra;    /* seen, but not sent by uimon: injected + extra = seen + missing */
    uint64_t given_up; /* of those missing: uimon stopped waiting for them */
    uint64_t typed;    /* UTF-16 units, where uimon knows ... */
    uint64_t off;      /* ... how many WM_CHAR of the program were missing or too many */
};

/* How many inputs of a run there should be: those that were sent, or those that were seen if they
 * are more, or if the file does not say how many were sent. */
struct um_results_expected {
    uint32_t run;
    uint64_t inputs;
};

/* How many freezes there were in all runs, and how many of those held up an input. */
struct um_results_freezes {
    uint64_t count;
    uint64_t felt;
    uint64_t unknown; /* of which the file does not say so: they lasted, or uimon did not know */
};

struct um_results_measure {
    char name[UM_RESULTS_NAME_BYTES];
    struct um_compare_group groups[UM_RESULTS_SERIES]; /* in milliseconds, sorted, `runs` set */
    size_t room[UM_RESULTS_SERIES];
    size_t interactions;
    struct um_results_inputs inputs;
    struct um_results_freezes freezes;
    struct um_results_expected *expected;
    size_t expected_len, expected_room;
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
    char defines[UM_RESULTS_TEXT_BYTES]; /* variables of this side: "NAME=VALUE NAME=VALUE" */
    double heartbeat_ms;                 /* here and below NAN is unknown */
    double rest_heartbeat_ms;
    double threshold_ms;
    double slow_ms;
    bool layout; /* measured with --layout, which makes each sent message slower */
};

enum um_results_difference {
    UM_RESULTS_OTHER_SCENARIO = 1u << 0,
    UM_RESULTS_OTHER_OPTIONS = 1u << 1, /* heartbeat, thresholds, probe, beat or layout */
    UM_RESULTS_OTHER_MACHINE = 1u << 2, /* or its system */
    UM_RESULTS_OTHER_UIMON = 1u << 3,
    UM_RESULTS_OTHER_TARGET = 1u << 4
};

/* How both sides were measured in one sitting. */
struct um_results_sitting {
    bool paired;        /* false: each side had its own sitting, and the other fields are 0 */
    uint32_t discarded; /* pairs that were not finished */
    double within;      /* the plan of until.h, a share; 0: a fixed number of pairs */
    uint32_t most;      /* pairs of that plan */
    double level;       /* of the plan's look after this number of pairs; 0: there is none */
};

struct um_results {
    uint32_t files;
    uint32_t runs;
    uint32_t planned; /* how many runs there would be if no benchmark had been broken off */
    struct um_results_conditions conditions; /* of the first file */
    uint32_t mixed; /* bits of um_results_difference: how the other files differ from the first */
    bool has_floor; /* `floor` holds the first one found in a file */
    struct um_floor floor;
    size_t measure_count;
    struct um_results_measure *measures;
    size_t values;    /* in all groups */
    uint64_t dropped; /* records that were lost while the runs were measured */
    struct um_results_sitting sitting;
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

/* Does the same with a file on disk. `pairs`: `results` are two, for um_results_read_pairs. Errors:
 * those above, and those of um_text_file_load. */
enum um_status um_results_read_file(struct um_results *results, bool pairs, const char *path,
                                    char *error, size_t error_cap);

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
