#include "monitor/feed/frame_queue.h"

#include <stdlib.h>

#include "base/plain/clock.h"
#include "base/thread.h"
#include "monitor/feed/frame_ring.h"

#define CHUNK_BYTES (8 * 1024)

struct um_frame_queue {
    struct um_frame_queue_taker taker;
    struct um_thread thread;
    struct um_thread_mutex mutex; /* guards what follows */
    struct um_thread_cond changed;
    bool closing;
    bool hurry; /* the queue has a frame that must not wait, or is half full */
    bool over;  /* the taker's `end` was called */
    uint64_t lost;
    struct um_frame_ring ring;
    uint8_t bytes[UM_FRAME_QUEUE_BYTES]; /* the ring's */
};

/* Waits until there is enough for the taker, and copies up to a chunk of it. Returns how many
 * bytes; 0 at the end. `*more`: frames are left, so the next call does not wait. */
static size_t next_frames(struct um_frame_queue *queue, uint8_t chunk[CHUNK_BYTES], bool *more)
{
    um_thread_lock(&queue->mutex);
    while (queue->ring.len_bytes == 0 && !queue->closing)
        um_thread_wait(&queue->changed, &queue->mutex, UM_THREAD_FOREVER_NS);
    if (!queue->hurry && !queue->closing)
        um_thread_wait(&queue->changed, &queue->mutex, queue->taker.gather_ns);
    size_t len = um_frame_ring_take(&queue->ring, chunk, CHUNK_BYTES);
    queue->hurry = *more = queue->ring.len_bytes > 0;
    um_thread_unlock(&queue->mutex);
    return len;
}

static void hand_over(const struct um_frame_queue_taker *taker, const uint8_t *frames, size_t len)
{
    struct um_wire_frame frame;
    size_t used;

    if (!taker->take) {
        taker->take_bytes(taker->context, frames, len);
        return;
    }
    for (; len > 0; frames += used, len -= used) {
        if (um_wire_decode(frames, len, &frame, &used) != UM_OK)
            return; /* cannot be: this process has encoded the frames */
        taker->take(taker->context, &frame, frames, used);
    }
}

static void run(void *context)
{
    struct um_frame_queue *queue = context;
    const struct um_frame_queue_taker *taker = &queue->taker;
    uint8_t chunk[CHUNK_BYTES];
    size_t len;
    bool more;

    while ((len = next_frames(queue, chunk, &more)) > 0) {
        hand_over(taker, chunk, len);
        if (!more && taker->rest)
            taker->rest(taker->context);
    }
    taker->end(taker->context);
    um_thread_lock(&queue->mutex);
    queue->over = true;
    um_thread_broadcast(&queue->changed);
    um_thread_unlock(&queue->mutex);
}

enum um_status um_frame_queue_open(const struct um_frame_queue_taker *taker,
                                   struct um_frame_queue **queue_out)
{
    struct um_frame_queue *queue = calloc(1, sizeof *queue);
    if (!queue)
        return UM_ERR_MEMORY;
    queue->taker = *taker;
    um_frame_ring_init(&queue->ring, queue->bytes, sizeof queue->bytes);
    enum um_status status = um_thread_start(run, queue, &queue->thread);
    if (status != UM_OK) {
        free(queue);
        return status;
    }
    *queue_out = queue;
    return UM_OK;
}

static void put(void *context, struct um_feed_item *item)
{
    struct um_frame_queue *queue = context;
    enum um_frame_queue_want want = queue->taker.want(queue->taker.context, item->frame);
    if (want == UM_FRAME_QUEUE_SKIP || !um_feed_encode(item))
        return;
    um_thread_lock(&queue->mutex);
    bool wake = queue->ring.len_bytes == 0;
    queue->lost += !um_frame_ring_put(&queue->ring, item->bytes, item->len_bytes);
    if (want == UM_FRAME_QUEUE_HURRY || queue->ring.len_bytes > UM_FRAME_QUEUE_BYTES / 2)
        wake = queue->hurry = true;
    if (wake)
        um_thread_broadcast(&queue->changed);
    um_thread_unlock(&queue->mutex);
}

static uint64_t count_lost(void *context)
{
    struct um_frame_queue *queue = context;
    um_thread_lock(&queue->mutex);
    uint64_t lost = queue->lost;
    um_thread_unlock(&queue->mutex);
    return lost;
}

struct um_feed_output um_frame_queue_output(struct um_frame_queue *queue)
{
    return (struct um_feed_output){.context = queue, .take = put, .lost = count_lost};
}

enum um_status um_frame_queue_close(struct um_frame_queue *queue, uint64_t limit_ns)
{
    if (!queue)
        return UM_OK;
    uint64_t begun_ns = um_clock_now_ns();
    uint64_t spent_ns = 0;
    um_thread_lock(&queue->mutex);
    queue->closing = true;
    um_thread_broadcast(&queue->changed);
    while (!queue->over && spent_ns < limit_ns) {
        um_thread_wait(&queue->changed, &queue->mutex, limit_ns - spent_ns);
        spent_ns = um_clock_now_ns() - begun_ns;
    }
    bool over = queue->over;
    um_thread_unlock(&queue->mutex);
    if (!over)
        return UM_ERR_TIMEOUT;
    um_thread_join(&queue->thread);
    free(queue);
    return UM_OK;
}
