/* What the X11 files of this room share: the parts of um_target_backend that have files of their
 * own, and how the control hears of beats.
 */
#ifndef UM_MONITOR_TARGET_X11_H
#define UM_MONITOR_TARGET_X11_H

#include <stdint.h>

#include "monitor/target/control.h"
#include "monitor/target/frame_source.h"

extern const struct um_frame_source_backend um_frame_source_x11;
extern const struct um_control_backend um_control_x11;

/* The frame source has seen the answer of its own window to a beat: the way through the server is
 * open. The control hands it on. Thread: one. */
void um_control_x11_saw(uint32_t seq, uint64_t time_ns);

#endif
