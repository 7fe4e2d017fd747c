/* Follows the feed of a target from its begin to its end, and with --wait the feeds after it: what
 * `uimon listen` and `uimon query` have in common. Not on the hot path; a reader starts at
 * um_follow_run.
 */
#ifndef UM_MONITOR_FOLLOW_H
#define UM_MONITOR_FOLLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "monitor/feed/registry.h"
#include "monitor/listen/counters.h"
#include "monitor/options/options.h"

struct um_follow {
    /* The caller's, until um_follow_run returns. `options` name the target and say how to wait. */
    const struct um_options *options;
    double limit_s; /* following ends so long after the first feed was found; 0: no limit */
    /* All are called from um_follow_run, with the taker's context. */
    struct um_counters_taker taker;
    void (*begin)(void *context); /* the session of a feed is known */
    void (*pause)(void *context); /* nothing has come for 50 ms */
    void (*end)(void *context);   /* a feed is over */

    bool over; /* set by whoever is called: nothing more is wanted */

    /* To be read in these calls. */
    const struct um_wire_session *session; /* NULL: not known yet */
    struct um_registry_entry entry;        /* of the feed */

    uint64_t deadline_ns; /* when following ends by limit_s; 0 at first: not known yet */

    /* Private, and zero at first. */
    struct um_counters *counters;
    bool connected; /* a feed was found, at some time */
};

/* Follows, and returns the exit code; what went wrong was said on stderr. Thread: main; blocks. */
int um_follow_run(struct um_follow *follow);

/* Says that there is no counter of that name, and which one may be meant. Returns the exit code. */
int um_follow_unknown_counter(const char *name);

#endif
