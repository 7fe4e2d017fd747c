#include "monitor/feed/csv_writer.h"

#include <stdbool.h>
#include <stdlib.h>

#include "ipc/clock.h"
#include "monitor/base/output.h"
#include "monitor/feed/csv.h"

#define GATHER_NS (200 * UM_CLOCK_NS_PER_MS) /* beats are written together: fewer wake-ups */

struct um_csv_writer {
    struct um_frame_queue *queue;

    /* Only the queue's thread uses these until it has ended: */
    const char *path;
    bool secret;
    FILE *file;            /* opened from the path; NULL: none */
    struct um_csv *csv;    /* NULL: not opened yet */
    enum um_status status; /* the first failure */
};

static void note_status(struct um_csv_writer *writer, enum um_status status)
{
    writer->status = writer->status == UM_OK ? status : writer->status;
}

static void make_file(struct um_csv_writer *writer)
{
    writer->file = um_output_open(writer->path, writer->secret);
    note_status(writer, writer->file ? um_csv_open(writer->file, &writer->csv) : UM_ERR_IO);
}

static void put_row(struct um_csv_writer *writer, const struct um_wire_frame *frame)
{
    if (!writer->csv && writer->status == UM_OK && frame->type == UM_WIRE_SESSION)
        make_file(writer);
    if (writer->csv)
        note_status(writer, um_csv_frame(writer->csv, frame));
}

static void put_rows(void *context, const uint8_t *frames, size_t len_bytes)
{
    struct um_wire_frame frame;
    size_t used;
    for (size_t at = 0; at < len_bytes; at += used) {
        if (um_wire_decode(frames + at, len_bytes - at, &frame, &used) != UM_OK)
            return;
        put_row(context, &frame);
    }
}

static void end_rows(void *context)
{
    struct um_csv_writer *writer = context;
    note_status(writer, um_csv_close(writer->csv));
    if (writer->file && fclose(writer->file) != 0)
        note_status(writer, UM_ERR_IO);
}

/* With a stream the header is written at once; without one the path is opened later. */
static enum um_status open_writer(FILE *file, const char *path, bool secret,
                                  struct um_csv_writer **writer_out)
{
    struct um_csv_writer *writer = calloc(1, sizeof *writer);
    if (!writer)
        return UM_ERR_MEMORY;
    struct um_frame_queue_taker taker = {
        .context = writer, .gather_ns = GATHER_NS, .take = put_rows, .end = end_rows};
    writer->path = path;
    writer->secret = secret;
    enum um_status status = file ? um_csv_open(file, &writer->csv) : UM_OK;
    if (status == UM_OK) {
        status = um_frame_queue_open(&taker, &writer->queue);
        if (status != UM_OK)
            um_csv_close(writer->csv);
    }
    if (status != UM_OK) {
        free(writer);
        return status;
    }
    *writer_out = writer;
    return UM_OK;
}

enum um_status um_csv_writer_open(FILE *file, struct um_csv_writer **writer)
{
    return open_writer(file, NULL, false, writer);
}

enum um_status um_csv_writer_open_late(const char *path, bool secret, struct um_csv_writer **writer)
{
    return open_writer(NULL, path, secret, writer);
}

/* Whether a frame becomes a row, or tells what stands in every row. */
static bool is_wanted(const struct um_wire_frame *frame)
{
    return frame->type == UM_WIRE_SESSION || frame->type == UM_WIRE_BEAT ||
           frame->type == UM_WIRE_INTERACTION ||
           (frame->type == UM_WIRE_EPISODE && frame->flags & UM_WIRE_EPISODE_END);
}

static void take(void *context, struct um_feed_item *item)
{
    struct um_csv_writer *writer = context;
    if (is_wanted(item->frame))
        um_frame_queue_put(writer->queue, item, item->frame->type == UM_WIRE_EPISODE);
}

static uint64_t lost(void *context)
{
    struct um_csv_writer *writer = context;
    return um_frame_queue_lost(writer->queue);
}

struct um_feed_output um_csv_writer_output(struct um_csv_writer *writer)
{
    return (struct um_feed_output){.context = writer, .take = take, .lost = lost};
}

enum um_status um_csv_writer_close(struct um_csv_writer *writer, uint64_t limit_ns)
{
    if (!writer)
        return UM_OK;
    enum um_status status = um_frame_queue_close(writer->queue, limit_ns);
    if (status != UM_OK)
        return status;
    status = writer->status;
    free(writer);
    return status;
}
