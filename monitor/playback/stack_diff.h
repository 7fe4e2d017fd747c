/* The stacks of two recordings, compared: which functions take more of the time in freezes.
 *
 * Sessions are of different lengths, so a time is told as ms in freezes for each minute of its
 * session. A function is the same in both if its name and its module's name without folder are;
 * so one without a name, which is told by where it begins in its module, is seldom found again.
 * What no sample stands for is kept beside, as time of no function. The numbers are those of
 * these two sessions: what differs by chance from session to session they do not know. Not on
 * the hot path. Thread: one at a time.
 */
#ifndef UM_MONITOR_STACK_DIFF_H
#define UM_MONITOR_STACK_DIFF_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "ipc/status.h"
#include "monitor/options/options.h"
#include "monitor/playback/profiled.h"
#include "monitor/playback/recorded.h"

enum um_stack_diff_side { UM_STACK_DIFF_BEFORE = 0, UM_STACK_DIFF_AFTER = 1 };

/* What a function has in one session. Units: ms a minute. */
struct um_stack_diff_cost {
    double self_ms; /* also in functions that it called and that are left out */
    double all_ms;  /* with everything that it called */
    uint64_t samples;
    uint64_t self_samples;
};

struct um_stack_diff_row {
    struct um_functions_label label;
    const char *file; /* "": not known */
    uint32_t line;
    struct um_stack_diff_cost costs[2]; /* by side */
};

/* A node of both call trees in one: 0 is the root, and 1 stands for stacks that were cut off. */
struct um_stack_diff_node {
    uint32_t parent;
    uint32_t row; /* UINT32_MAX: none, of 0 and 1 */
    bool folded;  /* calls are left out between it and its parent */
    double self_ms[2];
};

struct um_stack_diff_session {
    struct um_recorded recorded;
    struct um_profiled profiled;
    const char *path;
    double frozen_ms;    /* a minute */
    double unsampled_ms; /* of that, what no sample stands for */
    uint64_t samples;
};

struct um_stack_diff {
    struct um_stack_diff_session sides[2];
    struct um_stack_diff_row *rows; /* the most slower by itself first, the most faster last */
    size_t count;
    struct um_stack_diff_node *nodes;
    size_t node_count;
};

/* Compares two recordings that were read into `diff->sides`, whose paths are set; --only and --hide
 * choose functions. Owner: um_stack_diff_deinit, also after an error.
 * Errors: UM_ERR_MEMORY; UM_ERR_TOO_LARGE there are too many different stacks. */
enum um_status um_stack_diff_make(struct um_stack_diff *diff, const struct um_options *options);

/* Accepts a zeroed one. Releases the recordings too. */
void um_stack_diff_deinit(struct um_stack_diff *diff);

/* By how much a function takes more by itself, or with what it called; negative: less. */
double um_stack_diff_self(const struct um_stack_diff_row *row);
double um_stack_diff_all(const struct um_stack_diff_row *row);

/* Writes the table, in 80 columns; the JSON; the page with the differential flame graph.
 * Errors: UM_ERR_MEMORY; UM_ERR_IO. */
enum um_status um_stack_diff_write_text(FILE *out, const struct um_stack_diff *diff);
enum um_status um_stack_diff_write_json(FILE *out, const struct um_stack_diff *diff);
enum um_status um_stack_diff_write_html(FILE *out, const struct um_stack_diff *diff);

#endif
