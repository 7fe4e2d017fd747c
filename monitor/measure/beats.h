/* The beat that is outstanding, and the one that was answered last. Only the watchdog writes them;
 * others in this folder read them (um_watchdog_beats). */
#ifndef UM_MONITOR_BEATS_H
#define UM_MONITOR_BEATS_H

#include <stdint.h>

struct um_beat {
    uint64_t sent_ns; /* 0: there is none */
    uint32_t seq;
};

struct um_beats {
    struct um_beat out;      /* sent and not answered; none once the watchdog has given it up */
    struct um_beat answered; /* the last one, in the present connection */
};

/* When the beat with this number was sent, if it is the one that was answered last; else 0. */
static inline uint64_t um_beats_answered_ns(const struct um_beats *beats, uint32_t seq)
{
    return beats->answered.seq == seq ? beats->answered.sent_ns : 0;
}

#endif
