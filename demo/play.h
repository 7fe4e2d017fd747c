/* The list of --play: what the demo does by itself, and when.
 *
 * A list is items with commas between them:
 *   300          the UI thread sleeps 300 ms in a posted message
 *   spin:300     it computes for 300 ms in a posted message
 *   sent:300     it sleeps 300 ms in a message sent by another thread
 *   jank:20x30   20 posted messages of 30 ms each, without a pause
 *   flood:1000   a message that posts itself again for 1000 ms
 *   modal:500    a modal dialog that closes itself after 500 ms
 *   pool:600x500 600 items fill the default thread pool, and block it for 500 ms more
 *   paint:60x500 the bar is painted 60 times a second for 500 ms
 *   nest:5x20    5 messages sent to a child window, each in the handling of the one before, which
 *                computes for 20 ms
 *   panes:20x30  panes that lie within one another are resized 20 times, each 60 ms; the handling
 *                of that takes 1 ms in the outer one, 5 in the middle one, 30 in the inner one
 *   wait:500     nothing for 500 ms
 * Portable; player_win32.c plays it. Not on the hot path.
 */
#ifndef UM_DEMO_PLAY_H
#define UM_DEMO_PLAY_H

#include <stdint.h>

#include "base/plain/status.h"

#define UM_DEMO_PLAY_MAX_ITEMS 64
#define UM_DEMO_PLAY_MAX_MS 60000
#define UM_DEMO_PLAY_MAX_COUNT 1000

enum um_demo_play_kind {
    UM_DEMO_PLAY_SLEEP,
    UM_DEMO_PLAY_SPIN,
    UM_DEMO_PLAY_SENT,
    UM_DEMO_PLAY_JANK,
    UM_DEMO_PLAY_FLOOD,
    UM_DEMO_PLAY_MODAL,
    UM_DEMO_PLAY_POOL,
    UM_DEMO_PLAY_PAINT,
    UM_DEMO_PLAY_NEST,
    UM_DEMO_PLAY_PANES,
    UM_DEMO_PLAY_WAIT
};

struct um_demo_play_item {
    enum um_demo_play_kind kind;
    uint32_t count; /* of paint: a second; 1 for kinds without one */
    uint32_t ms;
};

struct um_demo_play {
    uint32_t len;
    struct um_demo_play_item items[UM_DEMO_PLAY_MAX_ITEMS];
};

/* Reads a list. Errors: UM_ERR_ARG empty, or an item that is none of the above or out of range;
 * UM_ERR_TOO_LARGE more than UM_DEMO_PLAY_MAX_ITEMS. */
enum um_status um_demo_play_parse(const char *text, struct um_demo_play *play);

/* An item's count and ms in one number, as a message's parameter can carry them, and back. Units:
 * `count` up to UM_DEMO_PLAY_MAX_COUNT, `ms` up to UM_DEMO_PLAY_MAX_MS. */
static inline uint32_t um_demo_play_pack(uint32_t count, uint32_t ms)
{
    return count << 16 | ms;
}

static inline uint32_t um_demo_play_count(uint32_t packed)
{
    return packed >> 16;
}

static inline uint32_t um_demo_play_ms(uint32_t packed)
{
    return packed & 0xffff;
}

/* How long to pause before item number `index`, from 0 and counted on over repeats: `pause_ms`, and
 * a part of 10 ms that differs from item to item, so that freezes begin at every phase of a
 * heartbeat. It is the same in each run. Units: ns. */
uint64_t um_demo_play_pause_ns(uint32_t pause_ms, uint32_t index);

#endif
