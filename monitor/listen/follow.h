/* Follows the feed of a target to its end, and with --wait the feeds after it. For `uimon listen`
 * and `uimon query`. Not on the hot path; a reader starts at um_follow_run.
 */
#ifndef UM_MONITOR_FOLLOW_H
#define UM_MONITOR_FOLLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "monitor/feed/registry.h"
#include "monitor/listen/counters.h"
#include "monitor/options/options.h"

struct um_follow {
    /* Set by the caller. `options` name the target and how to wait. */
    const struct um_options *options;
    double limit_s; /* following ends so long after the first feed was found; 0: no limit */
    /* um_follow_run calls these, with the taker's context. */
    struct um_counters_taker taker;
    void (*begin)(void *context); /* the session of a feed is known now */
    void (*pause)(void *context); /* nothing has come for 50 ms */
    void (*end)(void *context);   /* a feed is over */

    bool over; /* set in one of these calls: following ends */

    /* Valid in these calls. */
    const struct um_wire_session *session; /* NULL: not known yet */
    struct um_registry_entry entry;        /* of the feed */

    uint64_t deadline_ns; /* when `limit_s` ends following; 0: not known yet */

    /* Private, and zero at first. */
    struct um_counters *counters;
    bool connected; /* a feed was found before */
    unsigned feeds; /* that were read, the present one included */
};

/* Follows, and returns the exit code. Failures have a line on stderr. Thread: main; blocks. */
int um_follow_run(struct um_follow *follow);

/* Prints that there is no counter of that name, and the nearest name. Returns the exit code. */
int um_follow_unknown_counter(const char *name);

/* Whether following is to end: `over`, the deadline, or the user's wish. */
bool um_follow_is_over(const struct um_follow *follow);

/* Opens the counters of a feed that was found; the first one sets the deadline.
 * Owner: um_counters_close. Errors: UM_ERR_MEMORY. */
enum um_status um_follow_open_counters(struct um_follow *follow, struct um_counters **counters);

/* Prints what is wrong with a feed on stderr. `what`: "broke off". */
void um_follow_note(const struct um_registry_entry *entry, const char *what, enum um_status status);

#endif
