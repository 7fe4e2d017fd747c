/* The control: the monitor's own raw-input sink for the mouse.
 *
 * It sees every beat that the system delivered, whatever the target does, so that a beat that the
 * target did not answer can be told from one that never arrived. It also knows when the user last
 * used the mouse. Runs on a thread of its own that does nothing else. One backend a system.
 */
#ifndef UM_MONITOR_CONTROL_H
#define UM_MONITOR_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

#include "ipc/status.h"

struct um_control;

/* Starts to listen. Owner: um_control_close.
 * Errors: UM_ERR_UNSUPPORTED the system gives no raw input; UM_ERR_MEMORY; UM_ERR_IO. */
enum um_status um_control_open(struct um_control **control);

/* Takes the oldest beat that was seen: its sequence number and when; false if there is none.
 * Thread: one; never blocks. */
bool um_control_pop(struct um_control *control, uint32_t *seq, uint64_t *time_ns);

/* When the user last moved or clicked the mouse; 0: not since the start. Thread: any. */
uint64_t um_control_last_input_ns(const struct um_control *control);

/* Ends it. Accepts NULL. Thread: waits for the thread to end. */
void um_control_close(struct um_control *control);

#endif
