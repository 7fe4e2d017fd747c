/* Starvations of .NET's own thread pool, by the counters that the runtime has of it: how many work
 * items wait (threadpool-queue-length), and how many were completed in an interval (threadpool-
 * completed-items-count), both of System.Runtime.
 *
 * The pool is starved when items wait at the end of two intervals in a row, and in each fewer were
 * completed than wait. It has recovered at the end of the first interval at which none waits. So
 * begin and end are known to within an interval. A reader starts at um_dotnet_pool_take. Pure;
 * never blocks.
 */
#ifndef UM_MONITOR_DOTNET_POOL_H
#define UM_MONITOR_DOTNET_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "ipc/wire.h"

enum um_dotnet_pool_news {
    UM_DOTNET_POOL_NOTHING,
    UM_DOTNET_POOL_STARVED,
    UM_DOTNET_POOL_RECOVERED
};

/* Zeroed, it knows nothing. */
struct um_dotnet_pool {
    /* The latest starvation. */
    uint32_t id; /* 1 for the first; 0: there was none */
    bool starved;
    uint64_t start_ns; /* the end of the first interval at which items waited */
    uint64_t end_ns;   /* of one that is over */
    double most;       /* the most items that waited, at the ends of intervals */

    /* Private to dotnet_pool.c. */
    uint32_t queue_number, done_number; /* of the two counters, and one; 0: not known */
    bool has_queue, has_done;           /* a value since the last interval that was judged */
    double queue, done;
    uint64_t first_ns; /* of intervals in a row at which items waited, the end of the first; 0: the
                          last one was none */
};

/* Takes a COUNTER or a COUNTER_VALUE; others are ignored. */
enum um_dotnet_pool_news um_dotnet_pool_take(struct um_dotnet_pool *pool,
                                             const struct um_wire_frame *frame);

#endif
