/* Waiting for a program that has a file open for a moment: a scanner, a backup, a collector. Not on
 * the hot path. */
#ifndef UM_BASE_RETRY_H
#define UM_BASE_RETRY_H

#include <stdbool.h>

#include "base/plain/clock.h"

#define UM_RETRY_TIMES 20
#define UM_RETRY_PAUSE_NS (50 * UM_CLOCK_NS_PER_MS)

/* Pauses, and returns whether to try once more what has failed. `*times` counts the tries, from 0.
 * When it returns false there was no pause, and errno or the last error is unchanged. Thread:
 * blocks. */
static inline bool um_retry(int *times)
{
    if (*times == UM_RETRY_TIMES)
        return false;
    (*times)++;
    um_clock_sleep_ns(UM_RETRY_PAUSE_NS);
    return true;
}

#endif
