/* The delay of keys in a session for proving: the one exception to the rule that a hook procedure
 * never waits.
 *
 * `uimon bench --prove` asks whether a comparison would find a change of a few per cent in this
 * program on this machine. So the DLL itself makes each key slower by a known time, on the target's
 * UI thread, and uimon measures that like a change of the program.
 *
 * The delay is named by the message that opens the session (ipc/bootstrap.h) and holds until the
 * session ends. No command can set or change it, so in a session that was opened without one
 * nothing is ever delayed. The delay is a bounded spin: it reads the counter, and does not
 * allocate, lock, sleep or signal. It ends by time, and by a number of turns should the counter
 * stand still.
 *
 * On the hot path. Portable and freestanding.
 */
#ifndef UM_HOOKS_DELAY_H
#define UM_HOOKS_DELAY_H

#include <stdint.h>

#include "ipc/key.h"
#include "ipc/message.h"
#include "ipc/wire.h"

/* Turns at most for each µs. A turn reads the counter and pauses the processor, which takes more
 * than 10 ns; so within 4 ns each, only a counter that stands still is cut off. */
#define UM_DELAY_TURNS_PER_US 250

/* A delay that goes on. */
struct um_delay {
    uint64_t begin; /* counter ticks, as the next one */
    uint64_t length;
    uint32_t turns_left;
};

/* What a session is opened with: as asked, or 0, no delay, if that is more than
 * UM_WIRE_KEY_DELAY_MAX_US. HELLO says which, and the monitor refuses a session that is not opened
 * as it has asked. */
static inline uint32_t um_delay_accept_us(uint64_t asked_us)
{
    return asked_us <= UM_WIRE_KEY_DELAY_MAX_US ? (uint32_t)asked_us : 0;
}

/* Whether a message that came from a device or SendInput is delayed: a key press that starts an
 * interaction. A modifier would be counted to the key that follows it, and so delay that one
 * twice. Units: both parameters as in MSG. */
static inline int um_delay_is_for(uint32_t message, uint64_t wparam, int64_t lparam)
{
    return um_message_is_key_press(message) && um_key_starts((uint32_t)wparam, lparam);
}

/* Begins a delay at `now`. Units: ticks of a counter that makes `ticks_per_s`; `delay_us` at most
 * UM_WIRE_KEY_DELAY_MAX_US. */
static inline struct um_delay um_delay_begin(uint64_t now, uint32_t delay_us, uint64_t ticks_per_s)
{
    return (struct um_delay){.begin = now,
                             .length = (delay_us * ticks_per_s + 999999) / 1000000,
                             .turns_left = delay_us * UM_DELAY_TURNS_PER_US};
}

/* Counts a turn. Whether the delay goes on at `now`. */
static inline int um_delay_goes_on(struct um_delay *delay, uint64_t now)
{
    if (now - delay->begin >= delay->length || delay->turns_left == 0)
        return 0;
    delay->turns_left--;
    return 1;
}

#endif
