#include "monitor/feed/recorder.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "ipc/clock.h"
#include "monitor/base/ns.h"
#include "monitor/base/output.h"
#include "monitor/feed/frame_queue.h"
#include "monitor/feed/recording.h"

#define GATHER_NS (500 * UM_CLOCK_NS_PER_MS) /* half of the second that a kill may cost */
#define STATUS_NS (10 * UM_CLOCK_NS_PER_S)
#define WAITING_NS (20 * UM_CLOCK_NS_PER_MS)

enum trouble { NONE, DISK_FULL, FILE_LIMIT, OTHER };

struct um_recorder {
    struct um_frame_queue *queue;
    _Atomic int trouble; /* why recording has stopped: enum trouble */

    /* Only the session's thread uses these: */
    bool begun;      /* a SESSION has come */
    bool has_status; /* `status` is the last one that was recorded */
    struct um_wire_status status;

    /* Only the queue's thread uses these: */
    const char *path;
    struct um_wire_frame header;
    FILE *file; /* NULL: not made yet */
    struct um_recording_block block;
};

static void note_trouble(struct um_recorder *recorder)
{
    enum trouble trouble = errno == ENOSPC ? DISK_FULL : errno == EFBIG ? FILE_LIMIT : OTHER;
    if (atomic_load(&recorder->trouble) == NONE)
        atomic_store(&recorder->trouble, trouble);
}

/* Nothing is written after a failure: a block behind a hole would be damage, not data. */
static void write_bytes(struct um_recorder *recorder, const uint8_t *bytes, size_t len)
{
    if (atomic_load(&recorder->trouble) != NONE)
        return;
    errno = 0;
    if (fwrite(bytes, 1, len, recorder->file) != len || fflush(recorder->file) != 0)
        note_trouble(recorder);
}

static void write_block(void *context)
{
    struct um_recorder *recorder = context;
    size_t len = um_recording_finish(&recorder->block);
    if (len == 0)
        return;
    write_bytes(recorder, recorder->block.bytes, len);
    um_recording_begin(&recorder->block);
}

static void make_file(struct um_recorder *recorder)
{
    uint8_t bytes[UM_RECORDING_HEADER_BYTES];

    errno = 0;
    recorder->file = fopen(recorder->path, "wb");
    if (!recorder->file) {
        note_trouble(recorder);
        return;
    }
    um_recording_put_header(bytes);
    write_bytes(recorder, bytes, sizeof bytes);
    (void)um_recording_add(&recorder->block, &recorder->header); /* the block is empty */
    write_block(recorder);
}

static void put_frames(void *context, const uint8_t *frames, size_t len_bytes)
{
    struct um_recorder *recorder = context;
    if (!recorder->file && atomic_load(&recorder->trouble) == NONE)
        make_file(recorder);
    if (um_recording_add_bytes(&recorder->block, frames, len_bytes) == UM_OK)
        return;
    write_block(recorder);
    (void)um_recording_add_bytes(&recorder->block, frames, len_bytes); /* now it is empty */
}

static void end_file(void *context)
{
    struct um_recorder *recorder = context;
    write_block(recorder);
    errno = 0;
    if (recorder->file && fclose(recorder->file) != 0)
        note_trouble(recorder);
}

enum um_status um_recorder_open(const char *path, const struct um_wire_recording *header,
                                struct um_recorder **recorder_out, char *error, size_t cap_bytes)
{
    struct um_recorder *recorder;
    struct um_frame_queue_taker taker = {
        .gather_ns = GATHER_NS, .take = put_frames, .rest = write_block, .end = end_file};

    if (!um_output_can_write(path, "--record", error, cap_bytes))
        return UM_ERR_IO;
    taker.context = recorder = calloc(1, sizeof *recorder);
    if (recorder) {
        recorder->path = path;
        recorder->header.type = UM_WIRE_RECORDING;
        recorder->header.as.recording = *header;
    }
    if (!recorder || um_frame_queue_open(&taker, &recorder->queue) != UM_OK) {
        snprintf(error, cap_bytes, "uimon: --record: out of memory");
        free(recorder);
        return UM_ERR_MEMORY;
    }
    *recorder_out = recorder;
    return UM_OK;
}

/* Whether a STATUS says what other frames do not, and is to be recorded (recorder.h). */
static bool is_news(const struct um_recorder *recorder, const struct um_wire_status *status)
{
    const struct um_wire_status *last = &recorder->status;
    bool waits = um_wire_status_waited_ns(status, status->time_ns) > WAITING_NS;
    return !recorder->has_status || waits || status->state != last->state ||
           status->lost != last->lost ||
           (status->state != UM_STATE_RESPONSIVE && status->state != UM_STATE_IDLE) ||
           um_ns_elapsed(last->time_ns, status->time_ns) >= STATUS_NS;
}

/* Freezes are what a recording is read for, so they are written at once; and the first SESSION
 * shows whether the file can be made at all. */
static bool is_urgent(const struct um_wire_frame *frame)
{
    return frame->type == UM_WIRE_SESSION ||
           (frame->type == UM_WIRE_EPISODE && um_wire_state_is_freeze(frame->as.episode.state));
}

static void take(void *context, struct um_feed_item *item)
{
    struct um_recorder *recorder = context;
    const struct um_wire_frame *frame = item->frame;

    recorder->begun |= frame->type == UM_WIRE_SESSION;
    if (!recorder->begun || atomic_load(&recorder->trouble) != NONE)
        return;
    if (frame->type == UM_WIRE_STATUS) {
        if (!is_news(recorder, &frame->as.status))
            return;
        recorder->status = frame->as.status;
        recorder->has_status = true;
    }
    um_frame_queue_put(recorder->queue, item, is_urgent(frame));
}

static uint64_t lost(void *context)
{
    struct um_recorder *recorder = context;
    return um_frame_queue_lost(recorder->queue);
}

struct um_feed_output um_recorder_output(struct um_recorder *recorder)
{
    return (struct um_feed_output){.context = recorder, .take = take, .lost = lost};
}

enum um_status um_recorder_status(struct um_recorder *recorder)
{
    return atomic_load(&recorder->trouble) == NONE ? UM_OK : UM_ERR_IO;
}

const char *um_recorder_reason(struct um_recorder *recorder)
{
    switch (atomic_load(&recorder->trouble)) {
    case NONE:
        return "";
    case DISK_FULL:
        return "the disk is full";
    case FILE_LIMIT:
        return "the file may not grow any further";
    default:
        return "the system refuses to write to it";
    }
}

enum um_status um_recorder_close(struct um_recorder *recorder, uint64_t limit_ns)
{
    if (!recorder)
        return UM_OK;
    enum um_status status = um_frame_queue_close(recorder->queue, limit_ns);
    if (status != UM_OK)
        return status;
    status = um_recorder_status(recorder);
    free(recorder);
    return status;
}
