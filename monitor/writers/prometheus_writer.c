#include "monitor/writers/prometheus_writer.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/plain/clock.h"
#include "base/file.h"
#include "base/output.h"
#include "base/platform.h"
#include "base/retry.h"
#include "monitor/feed/frame_queue.h"
#include "monitor/writers/prometheus.h"

#define GATHER_NS (200 * UM_CLOCK_NS_PER_MS) /* beats are taken together: fewer wake-ups */
#define EVERY_NS (5 * UM_CLOCK_NS_PER_S)
#define FAILURES 3 /* one failure may only mean that a collector was reading the file */

struct um_prometheus_writer {
    struct um_frame_queue *queue;
    atomic_int failures; /* in a row */
    const char *path;
    char fresh[UM_PLATFORM_PATH_BYTES]; /* the name that the file is written under */
    struct um_platform_held *held;      /* FILE.lock */

    /* Only the queue's thread uses these until it has ended: */
    struct um_prometheus *prometheus;
    uint64_t written_ns; /* time of the TOTALS; 0: never */
    bool due;            /* a freeze has begun or ended since `written_ns` */
};

static bool write_fresh(const struct um_prometheus_writer *writer)
{
    FILE *file = fopen(writer->fresh, "wb");
    bool whole = file && um_prometheus_write(writer->prometheus, file) == UM_OK;
    if (file && fclose(file) != 0)
        whole = false;
    return whole;
}

/* Removes the file. Retries while another program, such as a collector or a virus scanner, has it
 * open without sharing deletion. If that lasts, empties the file. */
static void remove_file(const char *path)
{
    int times = 0;

    do {
        if (remove(path) == 0 || errno == ENOENT)
            return;
    } while (um_retry(&times));
    FILE *file = fopen(path, "wb");
    if (file)
        fclose(file);
}

static void write_file(struct um_prometheus_writer *writer)
{
    if (write_fresh(writer) && um_platform_replace(writer->fresh, writer->path) == UM_OK) {
        atomic_store(&writer->failures, 0);
        return;
    }
    remove(writer->fresh);
    if (atomic_fetch_add(&writer->failures, 1) + 1 >= FAILURES)
        remove_file(writer->path);
}

static void take_frame(void *context, const struct um_wire_frame *frame, const uint8_t *bytes,
                       size_t len_bytes)
{
    struct um_prometheus_writer *writer = context;
    (void)bytes;
    (void)len_bytes;
    um_prometheus_frame(writer->prometheus, frame);
    writer->due = writer->due || frame->type == UM_WIRE_EPISODE;
    if (frame->type != UM_WIRE_TOTALS)
        return;
    uint64_t time_ns = frame->as.totals.time_ns;
    if (!writer->due && writer->written_ns && time_ns - writer->written_ns < EVERY_NS)
        return;
    writer->due = false;
    writer->written_ns = time_ns;
    write_file(writer);
}

static void end_frames(void *context)
{
    const struct um_prometheus_writer *writer = context;
    remove_file(writer->path);
}

static void release(struct um_prometheus_writer *writer)
{
    um_prometheus_close(writer->prometheus);
    um_platform_let_go(writer->held);
    free(writer);
}

/* Opens FILE.lock so that no other uimon can. A FILE.lock that is not empty is not uimon's: it is
 * not touched. */
static enum um_status hold(const char *path, struct um_platform_held **held)
{
    char lock[UM_PLATFORM_PATH_BYTES];
    int need = snprintf(lock, sizeof lock, "%s.lock", path);
    if (need < 0 || (size_t)need >= sizeof lock)
        return UM_ERR_IO;
    return um_output_has_content(lock) ? UM_ERR_EXISTS : um_platform_hold(lock, held);
}

/* Removes an old file at the path. */
static enum um_status clear(const char *path)
{
    remove(path);
    return um_output_has_content(path) ? UM_ERR_IO : UM_OK;
}

/* Wants the frames that change something in the file. */
static enum um_frame_queue_want want(void *context, const struct um_wire_frame *frame)
{
    (void)context;
    switch (frame->type) {
    case UM_WIRE_SESSION:
    case UM_WIRE_BEAT:
    case UM_WIRE_REST:
    case UM_WIRE_EPISODE:
    case UM_WIRE_STATUS:
    case UM_WIRE_INTERACTION:
    case UM_WIRE_TOTALS:
    case UM_WIRE_POOL:
    case UM_WIRE_ACTIVITY:
    case UM_WIRE_COUNTER:
    case UM_WIRE_COUNTER_VALUE:
        return UM_FRAME_QUEUE_TAKE;
    default:
        return UM_FRAME_QUEUE_SKIP;
    }
}

enum um_status um_prometheus_writer_open(const char *path, const char *host,
                                         struct um_prometheus_writer **writer)
{
    struct um_prometheus_writer *made = calloc(1, sizeof *made);
    if (!made)
        return UM_ERR_MEMORY;
    struct um_frame_queue_taker taker = {.context = made,
                                         .gather_ns = GATHER_NS,
                                         .want = want,
                                         .take = take_frame,
                                         .end = end_frames};
    made->path = path;
    int need = snprintf(made->fresh, sizeof made->fresh, "%s%s", path, UM_FILE_DRAFT_SUFFIX);
    bool fits = need > 0 && (size_t)need < sizeof made->fresh;
    enum um_status status = fits ? hold(path, &made->held) : UM_ERR_IO;
    if (status == UM_OK)
        status = clear(path);
    if (status == UM_OK)
        status = um_prometheus_open(host, &made->prometheus);
    if (status == UM_OK)
        status = um_frame_queue_open(&taker, &made->queue);
    if (status != UM_OK) {
        release(made);
        return status;
    }
    *writer = made;
    return UM_OK;
}

struct um_feed_output um_prometheus_writer_output(struct um_prometheus_writer *writer)
{
    return um_frame_queue_output(writer->queue);
}

enum um_status um_prometheus_writer_status(struct um_prometheus_writer *writer)
{
    return atomic_load(&writer->failures) < FAILURES ? UM_OK : UM_ERR_IO;
}

enum um_status um_prometheus_writer_close(struct um_prometheus_writer *writer, uint64_t limit_ns)
{
    if (!writer)
        return UM_OK;
    enum um_status status = um_frame_queue_close(writer->queue, limit_ns);
    if (status != UM_OK)
        return status;
    status = um_prometheus_writer_status(writer);
    release(writer);
    return status;
}
