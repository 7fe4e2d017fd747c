/* The calls of managed methods in two recordings, method by method.
 *
 * A method is the same in both if its name and its module are. Calls are exact where both sides
 * are; the self time of a call is compared if both sides have times. What was not called on a side
 * is not known there, and is never 0. Numbers are those of these two sessions, without a verdict. A
 * reader starts at um_methods_diff_make. Not on the hot path. Thread: one at a time.
 */
#ifndef UM_MONITOR_METHODS_DIFF_H
#define UM_MONITOR_METHODS_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/plain/status.h"
#include "monitor/json/json.h"
#include "monitor/stats/method_sums.h"

struct um_methods_diff_row {
    const char *name; /* "": not known. Owner: the um_methods of a side */
    const char *module;
    bool known[2]; /* before and after */
    struct um_method_sums_costs costs[2];
};

/* Zeroed, it is empty. */
struct um_methods_diff {
    struct um_method_sums sides[2];
    bool any;       /* methods were traced on both sides */
    bool has_times; /* ... with times */
    /* The methods that differ, the greatest change in calls first. */
    struct um_methods_diff_row *rows;
    size_t count, room;
    size_t same; /* methods that do not differ */
};

/* Whether methods were traced. `methods` may be NULL. */
bool um_methods_diff_has(const struct um_methods *methods);

/* Compares two sides, which must outlive the comparison; nothing is compared unless methods were
 * traced on both. Owner: um_methods_diff_deinit, also after an error. Errors: UM_ERR_MEMORY. */
enum um_status um_methods_diff_make(struct um_methods_diff *diff, const struct um_methods *before,
                                    const struct um_methods *after);

/* Accepts a zeroed one. */
void um_methods_diff_deinit(struct um_methods_diff *diff);

/* The self time of a call. Units: ns; 0: no call has ended. */
double um_methods_diff_call_ns(const struct um_method_sums_costs *costs);

/* What the change in the self time of a call adds up to, over the calls of the side that has fewer
 * of them. Units: ns; 0: it is not known on both sides. */
double um_methods_diff_weight(const struct um_methods_diff_row *row);

/* Writes the twenty rows with the greatest change in calls, and ten whose calls take longer or
 * shorter, in 80 columns. Nothing, if methods were not traced on both sides. */
void um_methods_diff_write_text(FILE *out, const struct um_methods_diff *diff);

/* Adds the first thousand rows as "methods". Nothing, as above. */
void um_methods_diff_write_json(struct um_json *json, struct cJSON *root,
                                const struct um_methods_diff *diff);

#endif
