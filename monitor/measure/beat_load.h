/* Decides how far apart beats must be, so that what they make the target do takes at most
 * UM_BEAT_LOAD_SHARE of its UI thread's time. Only beats that become mouse messages make it do
 * anything (um_watchdog_view, own_beats_ns).
 *
 * It looks at stretches of at least UM_BEAT_LOAD_NS with at least UM_BEAT_LOAD_BEATS beats. If
 * beats took more than the share, they get as far apart as what one of them took demands, but at
 * most UM_BEAT_LOAD_MOST_NS. They come closer again when half as far would do.
 *
 * A pure function of what was counted. Portable, no allocation. Not on the hot path.
 */
#ifndef UM_MONITOR_BEAT_LOAD_H
#define UM_MONITOR_BEAT_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/plain/clock.h"

#define UM_BEAT_LOAD_SHARE 0.03
#define UM_BEAT_LOAD_NS (250 * UM_CLOCK_NS_PER_MS)
#define UM_BEAT_LOAD_BEATS 2
#define UM_BEAT_LOAD_MOST_NS (1000 * UM_CLOCK_NS_PER_MS)

/* All 0: nothing was counted yet, and beats come as often as else. Private, but for `spare_ns`. */
struct um_beat_load {
    uint64_t spare_ns; /* beats should be at least so far apart; 0: as often as else */
    uint64_t from_ns;  /* begin of the stretch; 0: there is none */
    uint64_t beats;    /* as counted at its begin, as the next */
    uint64_t own_ns;
};

/* Takes what was counted by now: the beats that were seen, and what all beats made the target do.
 * Returns whether `spare_ns` has changed. */
bool um_beat_load_take(struct um_beat_load *load, uint64_t now_ns, uint64_t beats, uint64_t own_ns);

#endif
