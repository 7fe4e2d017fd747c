/* The one clock: nanoseconds on the system's monotonic counter.
 *
 * On Windows that is QueryPerformanceCounter, which all processes of a machine share, so a time
 * taken in the target, in the monitor and in the overlay can be subtracted from one another.
 * GetTickCount and message times are never used as times: they move in steps of 10 to 16 ms.
 * On the hot path (um_clock_now_ns only).
 */
#ifndef UM_BASE_CLOCK_H
#define UM_BASE_CLOCK_H

#include <stdint.h>

#define UM_CLOCK_NS_PER_US UINT64_C(1000)
#define UM_CLOCK_NS_PER_MS UINT64_C(1000000)
#define UM_CLOCK_NS_PER_S UINT64_C(1000000000)

/* Now. Units: ns since an unspecified start. Thread: any; never blocks. */
uint64_t um_clock_now_ns(void);

/* The calendar time, for labels only. Units: ms since 1970-01-01 UTC. Thread: any. */
int64_t um_clock_utc_ms(void);

/* Sleeps at least `ns`; on Windows on a high-resolution timer. Thread: any; blocks. */
void um_clock_sleep_ns(uint64_t ns);

/* Converts counter ticks to ns. No tick count of a running machine overflows.
 * Units: `ticks` of a counter that makes `ticks_per_s` (not 0) a second. */
static inline uint64_t um_clock_ticks_to_ns(uint64_t ticks, uint64_t ticks_per_s)
{
    uint64_t whole = ticks / ticks_per_s;
    uint64_t part = ticks % ticks_per_s;
    return whole * UM_CLOCK_NS_PER_S + part * UM_CLOCK_NS_PER_S / ticks_per_s;
}

#endif
