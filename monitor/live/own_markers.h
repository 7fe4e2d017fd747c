/* Publishes the markers that the program makes itself (markers/uimon.h): MARK frames of the hook
 * DLL become MARKER_KIND and MARKER, by marker_frames.h. An interval becomes a marker when it ends,
 * with the fields of its begin and of its end. Those of the end that are flows count from there.
 *
 * An instant lies on its thread's stack. So does an interval that ends on the thread on which it
 * began, unless a later one of that thread still lasts then. An end whose begin is not known is
 * left out: nobody watched when it began.
 *
 * If the DLL has lost calls while an interval lasted and its end never comes, that may be among
 * them: the interval becomes a marker whose end was not seen, and which lasts until the loss was
 * told of. Of more than UM_OWN_MARKERS_OPEN intervals at a time, the oldest go: those become such
 * markers, and others are lost.
 *
 * The DLL may send only so many bytes as it is allowed to, so that its pipe never fills up with
 * markers: the pipe has beats, too. A reader starts at um_own_markers_take. Portable. Thread: one
 * at a time; blocks only in its callbacks.
 */
#ifndef UM_MONITOR_OWN_MARKERS_H
#define UM_MONITOR_OWN_MARKERS_H

#include <stdint.h>

#include "base/plain/status.h"
#include "ipc/wire.h"
#include "monitor/live/marker_frames.h"

#define UM_OWN_MARKERS_OPEN 4096
#define UM_OWN_MARKERS_BYTES (128u * 1024) /* on their way at a time: half of what the pipe holds */

struct um_own_markers;

/* `command` sends a command to the DLL. Owner: um_own_markers_close; `frames` must outlive it.
 * Errors: UM_ERR_MEMORY. */
enum um_status um_own_markers_open(struct um_marker_frames *frames,
                                   void (*command)(void *context,
                                                   const struct um_wire_frame *command),
                                   void *context, struct um_own_markers **markers);

/* The DLL has attached, and was not asked for markers yet. */
void um_own_markers_attached(struct um_own_markers *markers);

/* Asks the DLL for markers. To be called once measuring has begun: nothing can be published before
 * that. */
void um_own_markers_ask(struct um_own_markers *markers);

/* Takes a frame of the DLL that has arrived by `now_ns`; ignores other types than MARK and
 * MARKS_LOST. */
void um_own_markers_take(struct um_own_markers *markers, const struct um_wire_frame *frame,
                         uint64_t now_ns);

/* The attachment is over. Intervals that last become markers whose end was not seen. */
void um_own_markers_detached(struct um_own_markers *markers, uint64_t now_ns);

/* Accepts NULL. */
void um_own_markers_close(struct um_own_markers *markers);

#endif
