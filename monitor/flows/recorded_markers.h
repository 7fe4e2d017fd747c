/* The markers of a recording of uimon. Those of beats, of input and of freezes are derived from its
 * frames, so a recording has no more than it had; the others have frames of their own. For each
 * kind: its flow, where that begins and ends, and why its id is no other's.
 *
 *   beats     `beat`: begins when the DLL's heartbeat thread sends it, is joined when the UI thread
 *             takes it, and ends with the answer. The answer's time is that of the taking, because
 *             when uimon got it is not recorded.
 *   keys, clicks, steps of the wheel
 *             `input`: from the arrival, over the UI thread that takes it and handles it (an
 *             interval on its stack), to the end of the painting after it, which ends the flow.
 *             What was not observed has no marker. Where the recording has which key it was, the
 *             first marker says so.
 *   freezes   `freeze`: begins with the freeze, an interval on the UI thread. The input that it
 *             held up joins when it is taken, and so does the beat that measured it. If the UI
 *             thread waited for another thread of the program, that one joins, too: as an interval
 *             from the first to the last time that it was sampled meanwhile. The freeze's id is not
 *             used again, so nothing ends it. One that lasts where the session breaks off has no
 *             end.
 *   messages  `message`, of `--trace events` (message_markers.h): begins when the message was
 *             posted, if it says so, and ends where the UI thread begins to handle it. Who has
 *             posted it is not known, so that instant has a track of its own. Any other message is
 *             alone in its flow, from which contexts lead on.
 *   markers that have frames (MARKER of ipc/frames.def)
 *             The fields that are flows say which: a flow begins where an id is first mentioned,
 *             and ends with a terminating field. Ids of the program's own markers are numbers of
 *             one process, and a recording is of one process. Ids of .NET's activities are GUIDs. A
 *             field of an interval with `at_end` counts from its end.
 *   MARKERS_LOST
 *             a note, without a flow.
 *
 * An id of the first four is 64 bits: 32 that are made of the session (when it began, and which
 * thread of which process it watches) and of the kind, and the number that the frames have, which
 * counts up. A reader starts at um_recorded_markers_make. Not on the hot path.
 */
#ifndef UM_MONITOR_RECORDED_MARKERS_H
#define UM_MONITOR_RECORDED_MARKERS_H

#include <stddef.h>

#include "base/plain/status.h"
#include "monitor/flows/markers.h"
#include "monitor/recording/recording.h"

/* The category of the markers of input, and of freezes, and the field that leads to their flow. */
#define UM_RECORDED_MARKERS_INPUT "input"
#define UM_RECORDED_MARKERS_FREEZE "freeze"

/* The field of an input's first marker that says which key it was. */
#define UM_RECORDED_MARKERS_KEY "key"

/* What was read of a recording, from which its markers are made. Owner:
 * um_recorded_markers_close. */
struct um_recorded_markers;

/* Errors: UM_ERR_MEMORY. */
enum um_status um_recorded_markers_open(struct um_recorded_markers **out);

/* Accepts NULL. */
void um_recorded_markers_close(struct um_recorded_markers *reading);

/* Takes the next frame. Without memory, no markers can be made any more. */
void um_recorded_markers_take(struct um_recorded_markers *reading,
                              const struct um_wire_frame *frame);

/* Adds the markers of the frames so far, as if the recording ended here; further frames may be
 * taken afterwards. Times are since the session's begin. There are at most `most`, and
 * markers->left_out counts the others: freezes and notes are kept first, then the input that took
 * longest, the beats that measured a freeze, the program's own markers, the longest first, what was
 * traced, and last the beats that took longest. Input and beats are kept or left out as a whole, so
 * that their flows are not cut. Errors: UM_ERR_PARTIAL there is no SESSION; UM_ERR_MEMORY. */
enum um_status um_recorded_markers_make(struct um_recorded_markers *reading, size_t most,
                                        struct um_markers *markers);

/* Adds the markers of a recording, from its first frame to where it ends, wherever that is.
 * `problem` gets the line to print if it is not whole, and "" if it is. Errors: as
 * um_recorded_markers_make. */
enum um_status um_recorded_markers_read(struct um_recording *recording, size_t most,
                                        struct um_markers *markers, char *problem,
                                        size_t cap_bytes);

#endif
