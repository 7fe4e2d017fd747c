/* Reads the result files of `uimon bench`: one side of a comparison, from one file or several.
 *
 * Start at um_results_add. What a file says is checked before it is used: it may come from
 * anywhere. A number that a file does not have was not measured, and is not in the groups. Not on
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
#define UM_RESULTS_FILE_BYTES ((size_t)256 << 20)
#define UM_RESULTS_MEASURES 256
#define UM_RESULTS_RUNS 1000
#define UM_RESULTS_VALUES ((size_t)4 << 20) /* in all groups of one side */
#define UM_RESULTS_NAME_BYTES 64
#define UM_RESULTS_TEXT_BYTES 128

/* What is kept of a measure. Startup times are those of a measure with the name "startup". */
enum um_results_series {
    UM_RESULTS_PAINTED, /* arrival to the end of painting, where painting was observed */
    UM_RESULTS_HANDLED, /* arrival to handled: input delay and processing */
    UM_RESULTS_DELAY,
    UM_RESULTS_PROCESSING,
    UM_RESULTS_PRESENTATION,
    UM_RESULTS_DURATION, /* of the measure itself */
    UM_RESULTS_BEATS,    /* corrected for coordinated omission, as everywhere in uimon */
    UM_RESULTS_FREEZES,  /* their sum in a run: one value for each run, 0 if there was none */
    UM_RESULTS_WINDOW,   /* startup: process start to the first window */
    UM_RESULTS_PAINT,
    UM_RESULTS_READY, /* to the first time that it waited for input */
    UM_RESULTS_IDLE,  /* to the begin of the first quiet stretch */
    UM_RESULTS_SERIES
};

#define UM_RESULTS_STARTUP "startup"

/* What became of the inputs that were sent. Files that do not say how many those were add nothing.
 * Each run's measures are looked at for themselves: what one has too many does not make up for what
 * another one lacks. */
struct um_results_inputs {
    uint64_t injected;
    uint64_t missing;  /* of those: there is no interaction of them */
    uint64_t extra;    /* interactions over those that were sent: somebody else's */
    uint64_t given_up; /* not dealt with when the waiting ended; they may have been later */
};

struct um_results_measure {
    char name[UM_RESULTS_NAME_BYTES];
    struct um_compare_group groups[UM_RESULTS_SERIES]; /* in milliseconds, sorted, `runs` set */
    size_t room[UM_RESULTS_SERIES];
    size_t interactions;
    struct um_results_inputs inputs;
};

/* Under what conditions the numbers came about. Texts are made fit for showing; "" is unknown. */
struct um_results_conditions {
    char uimon[UM_RESULTS_NAME_BYTES];
    char scenario[UM_RESULTS_TEXT_BYTES];
    char scenario_crc[UM_RESULTS_NAME_BYTES];
    char target[UM_RESULTS_TEXT_BYTES];
    char machine[UM_RESULTS_TEXT_BYTES];
    char system[UM_RESULTS_TEXT_BYTES];
    char probe[UM_RESULTS_NAME_BYTES];
    char started[UM_RESULTS_NAME_BYTES];
    double heartbeat_ms; /* and these: NAN is unknown */
    double threshold_ms;
    double slow_ms;
};

enum um_results_difference {
    UM_RESULTS_OTHER_SCENARIO = 1u << 0,
    UM_RESULTS_OTHER_OPTIONS = 1u << 1, /* heartbeat, thresholds or probe */
    UM_RESULTS_OTHER_MACHINE = 1u << 2, /* or its system */
    UM_RESULTS_OTHER_UIMON = 1u << 3,
    UM_RESULTS_OTHER_TARGET = 1u << 4
};

struct um_results {
    uint32_t files;
    uint32_t runs;
    struct um_results_conditions conditions; /* of the first file */
    uint32_t mixed; /* um_results_difference: in what the other files differ from the first */
    bool has_floor; /* the first one that a file carries */
    struct um_floor floor;
    size_t measure_count;
    struct um_results_measure *measures;
    size_t values;    /* in all groups */
    uint64_t dropped; /* records that were lost while the runs were measured */
};

/* Adds a file's runs. A zeroed struct is empty. `name` is what error lines call the file.
 * Owner: um_results_deinit, also after a failure, which leaves `results` half filled.
 * Errors: UM_ERR_FORMAT it is no result, or damaged; UM_ERR_VERSION another schema; UM_ERR_CLOSED
 * its benchmark was aborted, or has no run; UM_ERR_TOO_LARGE; UM_ERR_MEMORY. `error` has the line
 * to print. */
enum um_status um_results_add(struct um_results *results, const char *text, size_t len_bytes,
                              const char *name, char *error, size_t error_cap);

/* Reads a file from disk and adds it. Errors: those above, and those of um_text_file_load. */
enum um_status um_results_add_file(struct um_results *results, const char *path, char *error,
                                   size_t error_cap);

/* In what two sets of conditions differ; what one of them does not know is no difference. */
uint32_t um_results_differences(const struct um_results_conditions *a,
                                const struct um_results_conditions *b);

/* The measure of that name, or NULL. */
const struct um_results_measure *um_results_find(const struct um_results *results,
                                                 const char *name);

/* Releases. Accepts a zeroed struct. */
void um_results_deinit(struct um_results *results);

#endif
