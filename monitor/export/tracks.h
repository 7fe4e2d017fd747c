/* The tracks on which an export shows the intervals of a thread, for formats in which those of one
 * track lie within one another: an interval that does not fit into the first one lies on the next.
 *
 * No two intervals of a track start together, and of those of a thread that do, each lies on a
 * later track than the one before it. So a time names an interval of a track, and the order is
 * kept. Use: um_tracks_init, then um_tracks_write for each thread. Not on the hot path. Thread: one
 * at a time.
 */
#ifndef UM_MONITOR_TRACKS_H
#define UM_MONITOR_TRACKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "monitor/flows/markers.h"

#define UM_TRACKS_MOST 64 /* of a thread */
#define UM_TRACKS_NONE UINT32_MAX

/* Private to tracks.c. */
struct um_tracks {
    const struct um_markers *markers;
    void (*ended)(void *context, uint32_t track, uint32_t marker);
    void *context;
    uint32_t *outer; /* of each marker: the one around it on its track */
    uint32_t tops[UM_TRACKS_MOST];
    uint32_t count;
    uint32_t last; /* the track of the last marker, and where that starts */
    int64_t last_ns;
};

/* `ended` is told each interval that is over, before the next one of its track is placed; NULL:
 * nobody is. Owner: um_tracks_deinit, also after a failure. Errors: UM_ERR_MEMORY. */
enum um_status um_tracks_init(struct um_tracks *tracks, const struct um_markers *markers,
                              void (*ended)(void *context, uint32_t track, uint32_t marker),
                              void *context);
void um_tracks_deinit(struct um_tracks *tracks);

/* How a format writes the markers of a thread. */
struct um_tracks_format {
    void *context;
    /* Whether a marker lies on a track: those that have a length do, and what the format wants. */
    bool (*has_length)(const void *context, const struct um_marker *marker);
    /* The thread has one more track; its first one is begun before all else. */
    void (*begin)(void *context, uint32_t track);
    /* Writes a marker. UM_TRACKS_NONE: it is an instant of the thread, or there are too many
     * intervals at once. */
    void (*put)(void *context, uint32_t marker, uint32_t track);
};

/* Writes the markers of a thread, in their order; `chosen`: whether each marker is written, NULL:
 * all are. Nothing is begun if none is. */
void um_tracks_write(struct um_tracks *tracks, const struct um_marker_thread *thread,
                     const bool *chosen, const struct um_tracks_format *format);

/* The parts of that: begins a thread, which has no track. */
void um_tracks_thread(struct um_tracks *tracks);

/* The track of a marker, from 0; `is_new`: it is the first one on it. UM_TRACKS_NONE: more than
 * UM_TRACKS_MOST would be needed. */
uint32_t um_tracks_place(struct um_tracks *tracks, uint32_t marker, bool *is_new);

/* Ends the intervals that last. */
void um_tracks_end(struct um_tracks *tracks);

#endif
