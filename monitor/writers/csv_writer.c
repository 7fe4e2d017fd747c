#include "monitor/writers/csv_writer.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/plain/clock.h"
#include "base/output.h"
#include "monitor/feed/frame_queue.h"
#include "monitor/writers/csv.h"

#define GATHER_NS (200 * UM_CLOCK_NS_PER_MS) /* beats are written together: fewer wake-ups */

struct um_csv_writer {
    struct um_frame_queue *queue;

    /* Only the queue's thread uses these until it has ended: */
    const char *path;
    bool secret;
    FILE *file;         /* opened from the path; NULL: none */
    struct um_csv *csv; /* NULL: not opened yet */

    atomic_int status; /* the first failure */
};

static void note_status(struct um_csv_writer *writer, enum um_status status)
{
    int none = UM_OK;
    (void)atomic_compare_exchange_strong(&writer->status, &none, (int)status);
}

/* Opens and empties the file, and writes the header. */
static void make_file(struct um_csv_writer *writer)
{
    writer->file = um_output_open(writer->path, writer->secret);
    note_status(writer, writer->file ? um_csv_open(writer->file, &writer->csv) : UM_ERR_IO);
}

static void put_row(void *context, const struct um_wire_frame *frame, const uint8_t *bytes,
                    size_t len_bytes)
{
    struct um_csv_writer *writer = context;
    (void)bytes;
    (void)len_bytes;
    if (!writer->csv && um_csv_writer_status(writer) == UM_OK && frame->type == UM_WIRE_SESSION)
        make_file(writer);
    if (writer->csv)
        note_status(writer, um_csv_frame(writer->csv, frame));
}

static void end_rows(void *context)
{
    struct um_csv_writer *writer = context;
    note_status(writer, um_csv_close(writer->csv));
    if (writer->file && !um_output_close(writer->file))
        note_status(writer, UM_ERR_IO);
    writer->file = NULL;
    writer->csv = NULL;
}

/* Wants the frames that become a row, and SESSION, which has what is in every row. */
static enum um_frame_queue_want want(void *context, const struct um_wire_frame *frame)
{
    (void)context;
    if (frame->type == UM_WIRE_EPISODE)
        return frame->flags & UM_WIRE_EPISODE_END ? UM_FRAME_QUEUE_HURRY : UM_FRAME_QUEUE_SKIP;
    return frame->type == UM_WIRE_SESSION || frame->type == UM_WIRE_BEAT ||
                   frame->type == UM_WIRE_INTERACTION
               ? UM_FRAME_QUEUE_TAKE
               : UM_FRAME_QUEUE_SKIP;
}

enum um_status um_csv_writer_open(const char *path, bool secret, struct um_csv_writer **writer_out)
{
    struct um_csv_writer *writer = calloc(1, sizeof *writer);
    if (!writer)
        return UM_ERR_MEMORY;
    struct um_frame_queue_taker taker = {
        .context = writer, .gather_ns = GATHER_NS, .want = want, .take = put_row, .end = end_rows};
    writer->path = path;
    writer->secret = secret;
    if (!um_output_has_content(path))
        make_file(writer);
    enum um_status status = um_csv_writer_status(writer);
    if (status == UM_OK)
        status = um_frame_queue_open(&taker, &writer->queue);
    if (status != UM_OK) {
        end_rows(writer);
        free(writer);
        return status;
    }
    *writer_out = writer;
    return UM_OK;
}

struct um_feed_output um_csv_writer_output(struct um_csv_writer *writer)
{
    return um_frame_queue_output(writer->queue);
}

enum um_status um_csv_writer_status(const struct um_csv_writer *writer)
{
    return (enum um_status)atomic_load(&writer->status);
}

enum um_status um_csv_writer_close(struct um_csv_writer *writer, uint64_t limit_ns)
{
    if (!writer)
        return UM_OK;
    enum um_status status = um_frame_queue_close(writer->queue, limit_ns);
    if (status != UM_OK)
        return status;
    status = um_csv_writer_status(writer);
    free(writer);
    return status;
}
