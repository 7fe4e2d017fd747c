/* Waiting for a program that has a file open for a moment: a scanner, a backup, a collector. Not on
 * the hot path. */
#ifndef UM_MONITOR_RETRY_H
#define UM_MONITOR_RETRY_H

#include <stdbool.h>

#include "ipc/clock.h"

#define UM_RETRY_TIMES 20
#define UM_RETRY_PAUSE_NS (50 * UM_CLOCK_NS_PER_MS)

/* Whether to try once more what has failed, after a pause. `times` counts that, from 0. Without a
 * pause, the error code of what has failed is still there. Thread: blocks. */
static inline bool um_retry(int *times)
{
    if (*times == UM_RETRY_TIMES)
        return false;
    (*times)++;
    um_clock_sleep_ns(UM_RETRY_PAUSE_NS);
    return true;
}

#endif
