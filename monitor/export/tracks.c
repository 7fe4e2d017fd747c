#include "monitor/export/tracks.h"

#include <stdlib.h>

enum um_status um_tracks_init(struct um_tracks *tracks, const struct um_markers *markers,
                              void (*ended)(void *context, uint32_t track, uint32_t marker),
                              void *context)
{
    *tracks = (struct um_tracks){.markers = markers, .ended = ended, .context = context};
    tracks->outer = malloc((markers->count + 1) * sizeof *tracks->outer);
    return tracks->outer ? UM_OK : UM_ERR_MEMORY;
}

void um_tracks_deinit(struct um_tracks *tracks)
{
    free(tracks->outer);
    *tracks = (struct um_tracks){0};
}

void um_tracks_thread(struct um_tracks *tracks)
{
    tracks->count = 0;
    tracks->last = UM_TRACKS_NONE;
}

/* One without an end lasts to the end of the file. */
static int64_t end_of(const struct um_marker *marker)
{
    return marker->open ? INT64_MAX : marker->end_ns;
}

/* Ends what is over at a time. */
static void end_until(struct um_tracks *tracks, uint32_t track, int64_t time_ns)
{
    uint32_t *top = &tracks->tops[track];
    while (*top != UM_MARKERS_NONE && end_of(&tracks->markers->list[*top]) <= time_ns) {
        if (tracks->ended)
            tracks->ended(tracks->context, track, *top);
        *top = tracks->outer[*top];
    }
}

static bool fits(struct um_tracks *tracks, uint32_t track, const struct um_marker *marker)
{
    end_until(tracks, track, marker->start_ns);
    uint32_t top = tracks->tops[track];
    return top == UM_MARKERS_NONE || end_of(&tracks->markers->list[top]) >= end_of(marker);
}

uint32_t um_tracks_place(struct um_tracks *tracks, uint32_t number, bool *is_new)
{
    const struct um_marker *marker = &tracks->markers->list[number];
    bool is_tie = tracks->last != UM_TRACKS_NONE && tracks->last_ns == marker->start_ns;
    uint32_t track = is_tie ? tracks->last + 1 : 0;
    while (track < tracks->count && !fits(tracks, track, marker))
        track++;
    if (track == UM_TRACKS_MOST)
        return UM_TRACKS_NONE;
    *is_new = track == tracks->count;
    if (*is_new)
        tracks->tops[tracks->count++] = UM_MARKERS_NONE;
    tracks->outer[number] = tracks->tops[track];
    tracks->tops[track] = number;
    tracks->last = track;
    tracks->last_ns = marker->start_ns;
    return track;
}

void um_tracks_end(struct um_tracks *tracks)
{
    for (uint32_t track = 0; track < tracks->count; track++)
        end_until(tracks, track, INT64_MAX);
}

void um_tracks_write(struct um_tracks *tracks, const struct um_marker_thread *thread,
                     const bool *chosen, const struct um_tracks_format *format)
{
    bool is_begun = false;
    um_tracks_thread(tracks);
    for (uint32_t i = thread->first; i < thread->first + thread->count; i++) {
        uint32_t track = UM_TRACKS_NONE;
        bool is_new = false;
        if (chosen && !chosen[i])
            continue;
        if (!is_begun)
            format->begin(format->context, 0);
        is_begun = true;
        if (format->has_length(format->context, &tracks->markers->list[i]))
            track = um_tracks_place(tracks, i, &is_new);
        if (is_new && track > 0)
            format->begin(format->context, track);
        format->put(format->context, i, track);
    }
    um_tracks_end(tracks);
}
