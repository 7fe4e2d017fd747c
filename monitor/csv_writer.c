#include "monitor/csv_writer.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ipc/clock.h"
#include "ipc/thread.h"
#include "monitor/csv.h"

#define CHUNK_BYTES (8 * 1024)
#define GATHER_NS (200 * UM_CLOCK_NS_PER_MS) /* beats are written together: fewer wake-ups */

struct um_csv_writer {
    struct um_csv *csv;
    struct um_thread thread;
    struct um_thread_mutex mutex; /* guards what follows */
    struct um_thread_cond changed;
    bool closing;
    bool hurry; /* a freeze is waiting, or the queue fills up */
    bool over;  /* the thread has written everything */
    enum um_status status;
    uint64_t lost;
    size_t head;
    size_t len;
    uint8_t queue[UM_CSV_WRITER_QUEUE_BYTES]; /* whole frames in a ring of bytes */
};

static void put_bytes(struct um_csv_writer *writer, const uint8_t *bytes, size_t len)
{
    size_t tail = (writer->head + writer->len) % UM_CSV_WRITER_QUEUE_BYTES;
    size_t first = UM_CSV_WRITER_QUEUE_BYTES - tail;
    first = first < len ? first : len;
    memcpy(writer->queue + tail, bytes, first);
    memcpy(writer->queue, bytes + first, len - first);
    writer->len += len;
}

static size_t take_bytes(struct um_csv_writer *writer, uint8_t *bytes, size_t cap)
{
    size_t len = writer->len < cap ? writer->len : cap;
    size_t first = UM_CSV_WRITER_QUEUE_BYTES - writer->head;
    first = first < len ? first : len;
    memcpy(bytes, writer->queue + writer->head, first);
    memcpy(bytes + first, writer->queue, len - first);
    writer->len -= len;
    /* From the start when it is empty: memory that is not needed is never touched. */
    writer->head = writer->len ? (writer->head + len) % UM_CSV_WRITER_QUEUE_BYTES : 0;
    return len;
}

/* Takes what is queued, when there is enough of it; 0 at the end. */
static size_t next_bytes(struct um_csv_writer *writer, uint8_t *bytes, size_t cap)
{
    um_thread_lock(&writer->mutex);
    while (writer->len == 0 && !writer->closing)
        um_thread_wait(&writer->changed, &writer->mutex, UM_THREAD_FOREVER_NS);
    if (!writer->hurry && !writer->closing)
        um_thread_wait(&writer->changed, &writer->mutex, GATHER_NS);
    size_t len = take_bytes(writer, bytes, cap);
    writer->hurry = writer->len > 0; /* the rest of this turn */
    um_thread_unlock(&writer->mutex);
    return len;
}

/* Makes rows of the whole frames among the bytes, and returns how many bytes that took. */
static size_t write_rows(struct um_csv_writer *writer, const uint8_t *bytes, size_t len,
                         enum um_status *result)
{
    struct um_wire_frame frame;
    size_t used = 0;
    size_t one;

    while (um_wire_decode(bytes + used, len - used, &frame, &one) == UM_OK) {
        enum um_status status = um_csv_frame(writer->csv, &frame);
        *result = *result == UM_OK ? status : *result;
        used += one;
    }
    return used;
}

static void run(void *context)
{
    struct um_csv_writer *writer = context;
    uint8_t bytes[CHUNK_BYTES];
    enum um_status status = UM_OK;
    size_t have = 0;
    size_t got;

    while ((got = next_bytes(writer, bytes + have, sizeof bytes - have)) > 0) {
        have += got;
        size_t used = write_rows(writer, bytes, have, &status);
        memmove(bytes, bytes + used, have - used);
        have -= used;
    }
    enum um_status last = um_csv_close(writer->csv);
    um_thread_lock(&writer->mutex);
    writer->status = status == UM_OK ? last : status;
    writer->over = true;
    um_thread_broadcast(&writer->changed);
    um_thread_unlock(&writer->mutex);
}

enum um_status um_csv_writer_open(FILE *file, struct um_csv_writer **writer_out)
{
    struct um_csv_writer *writer = calloc(1, sizeof *writer);
    if (!writer)
        return UM_ERR_MEMORY;
    enum um_status status = um_csv_open(file, &writer->csv);
    if (status == UM_OK) {
        status = um_thread_start(run, writer, &writer->thread);
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

/* Whether a row, or what is in all rows, is made of it. */
static bool is_wanted(const struct um_wire_frame *frame)
{
    return frame->type == UM_WIRE_SESSION || frame->type == UM_WIRE_BEAT ||
           (frame->type == UM_WIRE_EPISODE && frame->flags & UM_WIRE_EPISODE_END);
}

void um_csv_writer_frame(struct um_csv_writer *writer, const struct um_wire_frame *frame)
{
    uint8_t bytes[UM_WIRE_MAX_BYTES];
    size_t len;

    if (!is_wanted(frame) || um_wire_encode(frame, bytes, sizeof bytes, &len) != UM_OK)
        return;
    um_thread_lock(&writer->mutex);
    bool wake = writer->len == 0;
    if (UM_CSV_WRITER_QUEUE_BYTES - writer->len < len)
        writer->lost++;
    else
        put_bytes(writer, bytes, len);
    if (frame->type == UM_WIRE_EPISODE || writer->len > UM_CSV_WRITER_QUEUE_BYTES / 2)
        wake = writer->hurry = true;
    if (wake)
        um_thread_broadcast(&writer->changed);
    um_thread_unlock(&writer->mutex);
}

uint64_t um_csv_writer_lost(struct um_csv_writer *writer)
{
    um_thread_lock(&writer->mutex);
    uint64_t lost = writer->lost;
    um_thread_unlock(&writer->mutex);
    return lost;
}

enum um_status um_csv_writer_close(struct um_csv_writer *writer, uint64_t limit_ns)
{
    if (!writer)
        return UM_OK;
    uint64_t begun_ns = um_clock_now_ns();
    uint64_t spent_ns = 0;
    um_thread_lock(&writer->mutex);
    writer->closing = true;
    um_thread_broadcast(&writer->changed);
    while (!writer->over && spent_ns < limit_ns) {
        um_thread_wait(&writer->changed, &writer->mutex, limit_ns - spent_ns);
        spent_ns = um_clock_now_ns() - begun_ns;
    }
    bool over = writer->over;
    enum um_status status = writer->status;
    um_thread_unlock(&writer->mutex);
    if (!over)
        return UM_ERR_TIMEOUT;
    um_thread_join(&writer->thread);
    free(writer);
    return status;
}
