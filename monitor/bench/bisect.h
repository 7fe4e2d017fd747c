/* Finds out which of several settings ("suspects") costs time: plug-ins that are on or off, options
 * of a program.
 *
 * It asks first whether all of them together cost anything, against none. Then it compares one half
 * of the suspects with the other half; the slower half has the one that costs, and so on until one
 * is left. Each question is a sitting of pairs (until.h) at UM_BISECT_ALPHA, so that each answer is
 * right in 99 of 100 cases: of three answers at 95 of 100, all would be right in 86 only. The
 * search ends when a sitting has no answer; what earlier answers have shown still holds.
 *
 * Pure but for what the host does. Start at um_bisect_search.
 */
#ifndef UM_MONITOR_BISECT_H
#define UM_MONITOR_BISECT_H

#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "monitor/compare/paired.h"
#include "monitor/compare/until.h"

#define UM_BISECT_ALPHA 0.01
#define UM_BISECT_MOST 64  /* suspects: one bit each */
#define UM_BISECT_STEPS 16 /* more than UM_BISECT_MOST suspects take */

/* A question, and its answer. Bit i of a mask is suspect i, which is on; the others are off. */
struct um_bisect_step {
    uint64_t before, after;
    enum um_until_answer answer; /* about AFTER */
    uint32_t pairs;
    struct um_paired_interval share; /* of the change; infinite where there is no end */
};

struct um_bisect_host {
    void *context;
    /* Answers a question: fills all but the masks. Errors: its own, which end the search. */
    enum um_status (*ask)(void *context, struct um_bisect_step *step);
};

enum um_bisect_outcome {
    UM_BISECT_FOUND,  /* one suspect is left: it costs */
    UM_BISECT_NONE,   /* all of them together cost less than the sittings were asked to find */
    UM_BISECT_FASTER, /* all of them together make the program faster */
    UM_BISECT_SHARED, /* both halves of those left cost as much: it is not one alone */
    UM_BISECT_CANNOT_TELL
};

struct um_bisect {
    enum um_bisect_outcome outcome;
    uint64_t left; /* the one that costs is among these */
    size_t step_count;
    struct um_bisect_step steps[UM_BISECT_STEPS];
};

/* Searches among `count` suspects. `out` says what is known, also after a failure.
 * Errors: UM_ERR_ARG fewer than two suspects, or too many; the host's. */
enum um_status um_bisect_search(const struct um_bisect_host *host, unsigned count,
                                struct um_bisect *out);

#endif
