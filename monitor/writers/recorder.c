#include "monitor/writers/recorder.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/plain/clock.h"
#include "base/ns.h"
#include "base/output.h"
#include "monitor/feed/frame_queue.h"
#include "monitor/recording/recording_file.h"

#define GATHER_NS (500 * UM_CLOCK_NS_PER_MS) /* half of the second that a kill may cost */
#define STATUS_NS (10 * UM_CLOCK_NS_PER_S)
#define WAITING_NS (20 * UM_CLOCK_NS_PER_MS)

struct um_recorder {
    struct um_frame_queue *queue;

    /* Only the session's thread uses these: */
    bool begun;      /* a SESSION has come */
    bool has_status; /* `status` is the last one that was recorded */
    struct um_wire_status status;

    /* Only the queue's thread uses these: */
    const char *path;
    bool secret;
    struct um_wire_frame header;
    struct um_recording_file file; /* other threads may call um_recording_file_ok and ..._reason */
};

static void write_block(void *context)
{
    struct um_recorder *recorder = context;
    um_recording_file_flush(&recorder->file);
}

static void put_frames(void *context, const uint8_t *frames, size_t len_bytes)
{
    struct um_recorder *recorder = context;
    if (!um_recording_file_begun(&recorder->file))
        um_recording_file_open(&recorder->file, recorder->path, recorder->secret,
                               &recorder->header);
    um_recording_file_add(&recorder->file, frames, len_bytes);
}

static void end_file(void *context)
{
    struct um_recorder *recorder = context;
    um_recording_file_close(&recorder->file);
}

/* Whether a STATUS is recorded (recorder.h). */
static bool is_news(const struct um_recorder *recorder, const struct um_wire_status *status)
{
    const struct um_wire_status *last = &recorder->status;
    bool waits = um_wire_status_waited_ns(status, status->time_ns) > WAITING_NS;
    return !recorder->has_status || waits || status->state != last->state ||
           status->lost != last->lost ||
           (status->state != UM_STATE_RESPONSIVE && status->state != UM_STATE_IDLE) ||
           um_ns_elapsed(last->time_ns, status->time_ns) >= STATUS_NS;
}

/* Whether a frame is written at once: a freeze, because recordings are read for them; and the first
 * SESSION, which shows whether the file can be made at all. */
static bool is_urgent(const struct um_wire_frame *frame)
{
    return frame->type == UM_WIRE_SESSION ||
           (frame->type == UM_WIRE_EPISODE && um_wire_state_is_freeze(frame->as.episode.state));
}

static enum um_frame_queue_want want(void *context, const struct um_wire_frame *frame)
{
    struct um_recorder *recorder = context;

    recorder->begun |= frame->type == UM_WIRE_SESSION;
    if (um_wire_reach(frame->type) < UM_WIRE_REACH_RECORDING)
        return UM_FRAME_QUEUE_SKIP;
    if (!recorder->begun || !um_recording_file_ok(&recorder->file))
        return UM_FRAME_QUEUE_SKIP;
    if (frame->type == UM_WIRE_STATUS) {
        if (!is_news(recorder, &frame->as.status))
            return UM_FRAME_QUEUE_SKIP;
        recorder->status = frame->as.status;
        recorder->has_status = true;
    }
    return is_urgent(frame) ? UM_FRAME_QUEUE_HURRY : UM_FRAME_QUEUE_TAKE;
}

enum um_status um_recorder_open(const char *path, bool secret,
                                const struct um_wire_recording *header,
                                struct um_recorder **recorder_out, char *error, size_t cap_bytes)
{
    struct um_recorder *recorder;
    struct um_frame_queue_taker taker = {.gather_ns = GATHER_NS,
                                         .want = want,
                                         .take_bytes = put_frames,
                                         .rest = write_block,
                                         .end = end_file};

    if (!um_output_can_write_guarded(path, "--record", error, cap_bytes))
        return UM_ERR_IO;
    taker.context = recorder = calloc(1, sizeof *recorder);
    if (recorder) {
        recorder->path = path;
        recorder->secret = secret;
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

struct um_feed_output um_recorder_output(struct um_recorder *recorder)
{
    return um_frame_queue_output(recorder->queue);
}

enum um_status um_recorder_status(struct um_recorder *recorder)
{
    return um_recording_file_ok(&recorder->file) ? UM_OK : UM_ERR_IO;
}

const char *um_recorder_reason(struct um_recorder *recorder)
{
    return um_recording_file_reason(&recorder->file);
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
