/* The driver: one turn of watching, in the order in which a session needs it. It is handed the time
 * and has no clock, thread or wait of its own. A watch (watch.c) drives it in real time, and the
 * simulation (tests/unit/simulation) in virtual time, so both run the same order of calls.
 *
 * A turn takes the frames that the source has, then what the control has seen, and then lets the
 * session judge. When the next turn is due although no frame has come says um_session_deadline. A
 * reader starts at um_driver_turn. Portable.
 */
#ifndef UM_MONITOR_DRIVER_H
#define UM_MONITOR_DRIVER_H

#include <stdbool.h>
#include <stdint.h>

#include "monitor/live/session.h"
#include "monitor/target/control.h"
#include "monitor/target/frame_source.h"

/* Owner: the caller, as a plain struct; what it points to must outlive it. Thread: one at a time.
 */
struct um_driver {
    struct um_session *session;
    const struct um_frame_source_backend *frames;
    struct um_frame_source *source; /* of the present attachment; NULL: there is none */
    const struct um_control_backend *controls;
    struct um_control *control; /* NULL: the system gives none */
    void *context;
    /* Gets each frame of the source before the session does. NULL: nobody wants them. */
    void (*take)(void *context, const struct um_wire_frame *frame, uint64_t now_ns);
};

/* The source is connected since `now_ns`, with this HELLO. */
void um_driver_attached(struct um_driver *driver, struct um_frame_source *source,
                        const struct um_wire_hello *hello, uint64_t now_ns);

/* One turn. `now_ns` is asked from the clock after the source was read, and before the control is
 * asked; so what the control has seen may be a little later. Works without an attachment, too.
 * False if the frames cannot be trusted any more: then the session judges nothing, and the
 * attachment has to end. */
bool um_driver_turn(struct um_driver *driver, uint64_t now_ns);

/* Hands the session what the control has seen since the last call. */
void um_driver_take_control(struct um_driver *driver);

/* The source was closed. */
void um_driver_detached(struct um_driver *driver, uint64_t now_ns);

#endif
