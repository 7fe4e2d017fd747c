/* The control: the monitor's own raw-input sink for the mouse, and on request for the keyboard.
 *
 * It sees every beat that the system has delivered, whatever the target does. So a beat that the
 * target did not answer is not mistaken for one that never arrived. It also knows when the user
 * last used the mouse and, when interactions are measured, when each key, click and wheel step
 * arrived. Runs on a thread of its own that does nothing else. One backend a system.
 *
 * Which key it was is kept only where UM_WATCH_INPUT_KEYS asks for it, and only while the target is
 * in front: keys for other programs are not uimon's business. It is wiped when it is taken.
 */
#ifndef UM_MONITOR_CONTROL_H
#define UM_MONITOR_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "ipc/wire.h"
#include "base/arrival.h"

struct um_control;

struct um_control_backend {
    /* Starts to listen to the mouse, for a target. Unless `watch` is UM_WATCH_INPUT_OFF it
     * listens to the keyboard too, and keeps arrivals for pop_arrival. Owner: close. Errors:
     * UM_ERR_UNSUPPORTED the system gives no raw input; UM_ERR_MEMORY; UM_ERR_IO. */
    enum um_status (*open)(enum um_watch_input watch, uint32_t target_pid,
                           struct um_control **control);

    /* Takes the oldest beat that was seen: its sequence number and when; false if there is none.
     * Thread: one; never blocks. */
    bool (*pop)(struct um_control *control, uint32_t *seq, uint64_t *time_ns);

    /* Whether pop_arrival has each input of the user, where open was asked for them. */
    bool tells_arrivals;

    /* Takes the oldest arrival; false if there is none. The repeats of a key that is held, and a
     * modifier alone, do not count as arrivals. A wheel that was turned by several notches at once
     * counts as one, because the target gets one message for it. Thread: that of pop; never
     * blocks. */
    bool (*pop_arrival)(struct um_control *control, struct um_arrival *arrival);

    /* How many arrivals were overwritten before they were taken, by the last pop_arrival.
     * Thread: that of pop. */
    uint64_t (*lost)(const struct um_control *control);

    /* When the user last used the mouse, or the keyboard if it is listened to; 0: not since the
     * start. Thread: any. */
    uint64_t (*last_input_ns)(const struct um_control *control);

    /* Ends it. Accepts NULL. Thread: waits for the thread to end. */
    void (*close)(struct um_control *control);
};

#endif
