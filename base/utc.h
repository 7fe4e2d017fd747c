/* The calendar: ms since 1970 UTC as a date and time of day. Pure; not on the hot path. */
#ifndef UM_BASE_UTC_H
#define UM_BASE_UTC_H

#include <stdint.h>

struct um_utc {
    int64_t year;
    int month; /* from 1 */
    int day;   /* from 1 */
    int hour;
    int minute;
    int second;
};

/* Source: days to a civil date, Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms". The
 * C library's gmtime is not safe between threads. */
struct um_utc um_utc_at(int64_t utc_ms);

#endif
