/* The stacks of two recordings, compared: which functions take more of the time in freezes. With
 * them go what layout costs (layout_diff.h), the calls of managed methods (methods_diff.h) and what
 * else was counted (counted_diff.h).
 *
 * Sessions are of different lengths, so a time is given as ms in freezes for each minute of its
 * session. A function is the same in both if its name and its module's name without folder are.
 * Functions without a name are one for each module, because their addresses differ.
 * Time that no sample stands for is counted by itself. The numbers are those of these two sessions,
 * and differences by chance are in them, too. Not on the hot path. Thread: one at a time.
 */
#ifndef UM_MONITOR_STACK_DIFF_H
#define UM_MONITOR_STACK_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/plain/status.h"
#include "monitor/diff/counted_diff.h"
#include "monitor/diff/layout_diff.h"
#include "monitor/diff/methods_diff.h"
#include "monitor/options/options.h"
#include "monitor/recorded/profiled.h"
#include "monitor/recorded/recorded.h"

/* What a function has in one session. Units: ms a minute. */
struct um_stack_diff_cost {
    double self_ms; /* in itself, and in functions that it called and that are left out */
    double all_ms;  /* with everything that it called */
    uint64_t samples;
    uint64_t self_samples;
    uint64_t guessed; /* of `samples`, in how many it is only a guess */
};

struct um_stack_diff_row {
    struct um_functions_label label;
    const char *file; /* "": not known */
    bool is_nearest;  /* the line is only the nearest one before that is known */
    uint32_t line;
    uint32_t number;                    /* its place before the rows were sorted */
    struct um_stack_diff_cost costs[2]; /* before and after */
};

/* A node of the call tree of both sides: 0 is the root, 1 stands for stacks that were cut off. */
struct um_stack_diff_node {
    uint32_t parent;
    uint32_t row; /* UINT32_MAX: none; so of nodes 0 and 1 */
    bool folded;  /* calls are left out between it and its parent */
    bool guessed; /* in at least half of its samples it is a guess */
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
    bool has_stacks;              /* both sides have samples; else their functions say nothing */
    struct um_layout_diff layout; /* empty unless layout was measured on both sides */
    struct um_methods_diff methods;
    struct um_counted_diff counted;
};

/* Whether a recording has stacks, or had its layout measured. Two recordings with neither, without
 * methods, and with nothing counted in both, cannot be compared. */
bool um_stack_diff_has_stacks(const struct um_recorded *recorded);
bool um_stack_diff_has_layout(const struct um_recorded *recorded);

/* Compares two recordings that were read into `diff->sides`, whose paths are set; --only and --hide
 * choose functions. Owner: um_stack_diff_deinit, also after an error.
 * Errors: UM_ERR_MEMORY; UM_ERR_TOO_LARGE there are too many different stacks. */
enum um_status um_stack_diff_make(struct um_stack_diff *diff, const struct um_options *options);

/* Accepts a zeroed one. Releases the recordings too. */
void um_stack_diff_deinit(struct um_stack_diff *diff);

/* How much more a function takes by itself, or with what it called; negative: less. Units: ms a
 * minute. */
double um_stack_diff_self(const struct um_stack_diff_row *row);
double um_stack_diff_all(const struct um_stack_diff_row *row);

/* Whether a function is a guess in at least half of its samples on both sides together. */
bool um_stack_diff_is_guess(const struct um_stack_diff_row *row);

/* The bytes of diff_page.html, for um_page_write. */
extern const unsigned char um_diff_page[];

/* Writes the table, in 80 columns; the JSON; the page with the differential flame graph.
 * Errors: UM_ERR_MEMORY; UM_ERR_IO. */
enum um_status um_stack_diff_write_text(FILE *out, const struct um_stack_diff *diff);
enum um_status um_stack_diff_write_json(FILE *out, const struct um_stack_diff *diff);
enum um_status um_stack_diff_write_html(FILE *out, const struct um_stack_diff *diff);

#endif
