/* The interactions with the typing area that are not over yet: turns the messages that a UI thread
 * retrieves and dispatches into the `act` lines of its log (demo/log.h). Portable, no allocation,
 * and no clock of its own.
 *
 * The UI thread calls
 *   um_demo_act_begin    when it has retrieved a message of the user's
 *   um_demo_act_handled  when it has dispatched that message, or one that derives from it
 *   um_demo_act_settle   before it dispatches any other message
 *   um_demo_act_soil     when the handling has left something to paint
 * An interaction that has left something to paint is over with the next painting. Any other one is
 * over with the next um_demo_act_settle.
 */
#ifndef UM_DEMO_ACT_H
#define UM_DEMO_ACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "demo/log.h"

#define UM_DEMO_ACT_MAX 1024

/* A zeroed struct has none. */
struct um_demo_acts {
    struct um_demo_log_event acts[UM_DEMO_ACT_MAX]; /* a ring, the oldest first */
    size_t first;
    size_t count;
    size_t over;  /* how many of the oldest are over */
    bool open;    /* further messages can still derive from the newest */
    bool handled; /* the newest was dispatched */
    bool soiled;  /* something is to be painted */
};

/* A message of the user's was retrieved that begins an interaction; `name` is as in the log. From
 * now on nothing derives from the one before it. False: there are too many, and it was left out. */
bool um_demo_act_begin(struct um_demo_acts *acts, const char *name, uint32_t tid,
                       uint64_t dequeued_ns);

/* A message was dispatched that began the newest interaction or derives from it; of no effect after
 * um_demo_act_end. */
void um_demo_act_handled(struct um_demo_acts *acts, uint64_t now_ns);

/* Nothing derives from the newest interaction any more: another key was retrieved. */
void um_demo_act_end(struct um_demo_acts *acts);

/* The typing area is to be painted. */
void um_demo_act_soil(struct um_demo_acts *acts);

/* Another message was retrieved: what has been handled and left nothing to paint is over. */
void um_demo_act_settle(struct um_demo_acts *acts);

/* The typing area was painted, and with it everything that had been handled. */
void um_demo_act_painted(struct um_demo_acts *acts, uint64_t begin_ns, uint64_t end_ns);

/* Takes out the oldest interaction that is over; false if there is none. */
bool um_demo_act_take(struct um_demo_acts *acts, struct um_demo_log_event *act);

#endif
