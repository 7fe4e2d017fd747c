/* What a summary says of the freezes in a target's log: how far it is off, and what is missing. */
#ifndef UM_TESTS_BENCH_FREEZES_H
#define UM_TESTS_BENCH_FREEZES_H

#include <cjson/cJSON.h>

#include "tests/bench/driver.h"
#include "tests/bench/series.h"

struct freezes {
    struct series
        off; /* at the begin or in length, without the doubt that is reported. Units: ms */
    struct series doubt; /* which is half of the uncertainty to either side. Units: ms */
    unsigned missing;    /* and longer than the threshold by `near_ms` or more */
    unsigned early;      /* reported, and shorter than it by more than that */
    unsigned twice;
};

/* Adds the freezes of a log whose name is `sent`, or those with another name. Only a freeze in a
 * sent message, or one before which input waited, may be in doubt. */
void freezes_add(struct freezes *freezes, const cJSON *summary, const struct target *target,
                 bool sent, double near_ms);

/* How many are reported that the log has neither as a freeze nor as a flood. */
unsigned freezes_others(const cJSON *summary, const struct target *target);

#endif
