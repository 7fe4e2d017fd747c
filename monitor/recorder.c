#include "monitor/recorder.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "ipc/clock.h"
#include "monitor/frame_queue.h"
#include "monitor/ns.h"
#include "monitor/recording.h"
#include "monitor/utf8.h"

#define GATHER_NS (500 * UM_CLOCK_NS_PER_MS) /* half of the second that a kill may cost */
#define STATUS_NS (10 * UM_CLOCK_NS_PER_S)
#define WAITING_NS (20 * UM_CLOCK_NS_PER_MS)
#define NAME_COLUMNS 60

enum trouble { NONE, DISK_FULL, FILE_LIMIT, OTHER };

struct um_recorder {
    struct um_frame_queue *queue;
    bool has_status; /* this and `status` are the session's thread's: the last one recorded */
    struct um_wire_status status;
    _Atomic int trouble; /* why recording has stopped */
    FILE *file;          /* from here on: the queue's thread's */
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

static void put_frame(void *context, const struct um_wire_frame *frame)
{
    struct um_recorder *recorder = context;
    if (um_recording_add(&recorder->block, frame) != UM_ERR_TOO_LARGE)
        return;
    write_block(recorder);
    (void)um_recording_add(&recorder->block, frame); /* an empty block has room for any frame */
}

static void end_file(void *context)
{
    struct um_recorder *recorder = context;
    write_block(recorder);
    errno = 0;
    if (fclose(recorder->file) != 0)
        note_trouble(recorder);
}

static void write_start(struct um_recorder *recorder, const struct um_wire_recording *header)
{
    struct um_wire_frame frame = {.type = UM_WIRE_RECORDING};
    uint8_t bytes[UM_RECORDING_HEADER_BYTES];

    um_recording_put_header(bytes);
    write_bytes(recorder, bytes, sizeof bytes);
    frame.as.recording = *header;
    put_frame(recorder, &frame);
    write_block(recorder);
}

/* Opens the file and starts the thread; what was opened is closed again if that fails. */
static enum um_status begin(struct um_recorder *recorder, const char *path,
                            const struct um_wire_recording *header)
{
    struct um_frame_queue_taker taker = {.context = recorder,
                                         .gather_ns = GATHER_NS,
                                         .take = put_frame,
                                         .rest = write_block,
                                         .end = end_file};
    recorder->file = fopen(path, "wb");
    if (!recorder->file)
        return UM_ERR_IO;
    write_start(recorder, header);
    enum um_status status = um_recorder_status(recorder);
    if (status == UM_OK)
        status = um_frame_queue_open(&taker, &recorder->queue);
    if (status != UM_OK)
        (void)fclose(recorder->file);
    return status;
}

enum um_status um_recorder_open(const char *path, const struct um_wire_recording *header,
                                struct um_recorder **recorder_out, char *error, size_t cap_bytes)
{
    struct um_recorder *recorder = calloc(1, sizeof *recorder);
    enum um_status status = recorder ? begin(recorder, path, header) : UM_ERR_MEMORY;
    if (status != UM_OK) {
        const char *why = recorder ? um_recorder_reason(recorder) : "";
        if (*why == '\0')
            why = status == UM_ERR_MEMORY ? "out of memory"
                                          : "does its folder exist, and may you write there?";
        snprintf(error, cap_bytes, "uimon: --record %s: the file cannot be written: %s",
                 um_utf8_show(path, NAME_COLUMNS).text, why);
        free(recorder);
        return status;
    }
    *recorder_out = recorder;
    return UM_OK;
}

/* Whether a STATUS says what other frames do not. */
static bool is_news(const struct um_recorder *recorder, const struct um_wire_status *status)
{
    const struct um_wire_status *last = &recorder->status;
    bool waits = status->outstanding_ns != 0 &&
                 um_ns_elapsed(status->outstanding_ns, status->time_ns) > WAITING_NS;
    return !recorder->has_status || waits || status->state != last->state ||
           status->lost != last->lost ||
           (status->state != UM_STATE_RESPONSIVE && status->state != UM_STATE_IDLE) ||
           um_ns_elapsed(last->time_ns, status->time_ns) >= STATUS_NS;
}

/* Freezes are what a recording is read for, so they are written at once. */
static bool is_freeze(const struct um_wire_frame *frame)
{
    return frame->type == UM_WIRE_EPISODE && (frame->as.episode.state == UM_STATE_FROZEN ||
                                              frame->as.episode.state == UM_STATE_STARVED);
}

static void take(void *context, const struct um_wire_frame *frame)
{
    struct um_recorder *recorder = context;

    if (atomic_load(&recorder->trouble) != NONE)
        return;
    if (frame->type == UM_WIRE_STATUS) {
        if (!is_news(recorder, &frame->as.status))
            return;
        recorder->status = frame->as.status;
        recorder->has_status = true;
    }
    um_frame_queue_put(recorder->queue, frame, is_freeze(frame));
}

static uint64_t lost(void *context)
{
    return um_recorder_lost(context);
}

struct um_feed_sink um_recorder_sink(struct um_recorder *recorder)
{
    return (struct um_feed_sink){.context = recorder, .take = take, .lost = lost};
}

uint64_t um_recorder_lost(struct um_recorder *recorder)
{
    return um_frame_queue_lost(recorder->queue);
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
