/* A whole recording, read and summed up: what the text report, the JSON and the page are made of.
 *
 * A reader starts at um_recorded_read. Memory is bounded for any file: the lists have a greatest
 * length beyond which entries are only counted, and the slices cover 30 days at most. Not on the
 * hot path.
 */
#ifndef UM_MONITOR_RECORDED_H
#define UM_MONITOR_RECORDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/plain/slice.h"
#include "base/plain/status.h"
#include "ipc/wire.h"
#include "monitor/recording/recording.h"
#include "monitor/profile/profile.h"
#include "monitor/recorded/worst_frames.h"
#include "monitor/stats/curves.h"
#include "monitor/stats/stats.h"
#include "monitor/stats/summary.h"

#define UM_RECORDED_MAX_SLICES (UINT32_C(30) * 24 * 3600 * 10)
#define UM_RECORDED_PART_SLICES 4096 /* in a part of the list of slices: 7 minutes, 16 KB */
#define UM_RECORDED_NOT_MEASURED UINT32_MAX
#define UM_RECORDED_MAX_EPISODES 1000000
#define UM_RECORDED_MAX_INTERACTIONS 1000000
#define UM_RECORDED_MAX_NOTES 10000
#define UM_RECORDED_MAX_MESSAGES 20000
#define UM_RECORDED_MAX_SAMPLES 262144 /* 44 minutes of --sample always, in 16 MB */

/* A stretch of time in which the target was not responsive, in any state. More about a freeze is in
 * the list of freezes of `stats`. */
struct um_recorded_episode {
    uint64_t start_ns;
    uint64_t end_ns; /* of an open one: until when it is known to have lasted */
    uint32_t id;
    uint8_t state; /* enum um_state */
    bool open;     /* the session, or what is left of the recording, ended while it lasted */
};

struct um_recorded_interaction {
    struct um_wire_interaction times;
    bool release; /* of a click, the release was measured */
};

/* A message before a long freeze. */
struct um_recorded_message {
    struct um_wire_retrieved retrieved;
    bool last; /* UM_WIRE_RETRIEVED_LAST */
};

struct um_recorded;
struct um_recorded_reading;

/* Is told each frame that counts, before it is added up. */
typedef void um_recorded_take(void *context, const struct um_recorded *recorded,
                              const struct um_wire_frame *frame);

/* Zeroed before reading, but for `take`. Times are on the clock of the recorded machine; the
 * session's start is `session.start_ns`. */
struct um_recorded {
    um_recorded_take *take; /* the reader's, with its context; NULL: nobody wants the frames */
    void *take_context;
    struct um_recorded_reading *reading; /* private to recorded.c: where it reads on */
    bool whole;                          /* it has its END, and nothing is damaged */
    uint8_t end_reason;                  /* enum um_end_reason; of a whole one */
    enum um_status status; /* how reading ended: UM_OK whole; UM_ERR_CLOSED it has no END;
                              UM_ERR_PARTIAL cut off; UM_ERR_FORMAT damaged; UM_ERR_TOO_LARGE a time
                              lies 30 days after the start; UM_ERR_IO */
    uint64_t offset;       /* of the block where it ended. Units: bytes */
    char problem[UM_RECORDING_ERROR_BYTES]; /* the line to print about it; "" if it is whole */

    struct um_wire_recording recording;
    struct um_wire_session session; /* the last SESSION */
    struct um_wire_totals totals;   /* the last TOTALS */
    uint64_t end_ns;                /* END's time; without one, the latest that was read */
    struct um_stats *stats;         /* of every frame; the freezes are in it */
    struct um_summary summary;      /* points into this struct and into `stats` */
    struct um_profile *profile;     /* of every frame: the stacks that were sampled */
    struct um_curves curves;        /* of every frame: what else was counted, over time */

    /* The worst lag in each slice, by um_slice_until: slice i begins at
     * session.start_ns + i * UM_SLICE_NS. The list is in parts. A part in which nothing was
     * measured is NULL, so a program that is idle for days takes no memory. um_recorded_slice_us
     * reads it. */
    uint32_t **slice_parts_us;
    size_t slice_part_count; /* room of that list; at least what `slice_count` needs */
    uint32_t slice_count;

    struct um_worst_frames worst_frames; /* of the components, from session.start_ns on */

    struct um_recorded_episode *episodes; /* in the order of their first frames */
    uint32_t episode_count;
    struct um_recorded_interaction *interactions; /* in the order of the feed */
    uint32_t interaction_count;
    struct um_wire_note *notes;
    uint32_t note_count;
    struct um_recorded_message *messages;
    uint32_t message_count;
    bool has_keys;     /* the keys that were pressed are in it: it was made with --keep-keys */
    uint32_t unlisted; /* entries of these four lists for which there was no room */
};

/* Reads a recording from its first frame to where it ends, wherever that is, and sums it up.
 * A freeze that lasts where a recording breaks off is counted, as an open one, for as long as it is
 * known to have lasted.
 * Owner: um_recorded_deinit, also after a failure; the struct must not move in between.
 * Errors: UM_ERR_PARTIAL it ends before there is anything to sum up (SESSION and a TOTALS, which
 * comes once a second); UM_ERR_FORMAT it is damaged before; UM_ERR_IO; UM_ERR_MEMORY. `problem` has
 * the line to print. */
enum um_status um_recorded_read(struct um_recording *recording, struct um_recorded *recorded);

/* Reads on what the recording has grown by (um_recording_go_on) since reading has ended with
 * UM_ERR_CLOSED or UM_ERR_PARTIAL, also if there was nothing to sum up yet. `recorded` is then as
 * if all of it had been read at once. Errors: as um_recorded_read, after which it can only be
 * released, unless it is UM_ERR_PARTIAL. */
enum um_status um_recorded_read_on(struct um_recording *recording, struct um_recorded *recorded);

/* As um_recorded_read, for a file, which it opens and closes. Errors: also those of
 * um_recording_open. */
enum um_status um_recorded_read_file(const char *path, struct um_recorded *recorded);

/* The worst lag in a slice, by its number, which is below `slice_count`.
 * Units: µs, rounded down; UM_RECORDED_NOT_MEASURED for none. */
uint32_t um_recorded_slice_us(const struct um_recorded *recorded, uint32_t number);

/* Releases it. Accepts a zeroed struct. */
void um_recorded_deinit(struct um_recorded *recorded);

#endif
