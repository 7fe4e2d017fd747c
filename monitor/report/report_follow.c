#include "monitor/report/report_follow.h"

#include "base/ns.h"
#include "base/plain/clock.h"

#define PERIOD_NS (2 * UM_CLOCK_NS_PER_S)
#define TIMES_CPU 20 /* 5 % of a core */
/* A recorder writes once a second. Whoever copies a recording bit by bit leaves it open, or not. */
#define GONE_NS (5 * UM_CLOCK_NS_PER_S)

uint64_t um_report_follow_period(uint64_t took_ns)
{
    return um_ns_max(PERIOD_NS,
                     took_ns <= UINT64_MAX / TIMES_CPU ? TIMES_CPU * took_ns : UINT64_MAX);
}

enum um_report_follow_next um_report_follow_turn(struct um_report_follow *follow,
                                                 const struct um_report_follow_look *look)
{
    if (look->bytes != follow->seen_bytes || follow->still_ns == 0) {
        follow->seen_bytes = look->bytes;
        follow->still_ns = look->now_ns;
    }
    bool is_due = follow->made_ns == 0 || um_ns_elapsed(follow->made_ns, look->now_ns) >=
                                              um_report_follow_period(follow->took_ns);
    if (is_due && (follow->made_ns == 0 || look->bytes != follow->bytes))
        return UM_REPORT_FOLLOW_MAKE;
    if (look->is_written || um_ns_elapsed(follow->still_ns, look->now_ns) < GONE_NS)
        return UM_REPORT_FOLLOW_WAIT;
    return UM_REPORT_FOLLOW_GONE;
}

void um_report_follow_made(struct um_report_follow *follow,
                           const struct um_report_follow_look *look, uint64_t took_ns)
{
    follow->made_ns = look->now_ns;
    follow->took_ns = took_ns;
    follow->bytes = look->bytes;
}
