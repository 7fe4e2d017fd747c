#include "monitor/feed/frame_queue.h"

#include <stdlib.h>

#include "ipc/clock.h"
#include "ipc/thread.h"
#include "monitor/feed/frame_ring.h"

#define CHUNK_BYTES (8 * 1024)

struct um_frame_queue {
    struct um_frame_queue_taker taker;
    struct um_thread thread;
    struct um_thread_mutex mutex; /* guards what follows */
    struct um_thread_cond changed;
    bool closing;
    bool hurry; /* a frame that must not wait is queued, or the queue is half full */
    bool over;  /* the taker has come to its end */
    uint64_t lost;
    struct um_frame_ring ring;
    uint8_t bytes[UM_FRAME_QUEUE_BYTES]; /* the ring's */
};

/* Waits until there is enough to hand on, and takes up to a chunk of it; 0 at the end. `*more` says
 * whether frames are left, which then follow at once. */
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

static void run(void *context)
{
    struct um_frame_queue *queue = context;
    const struct um_frame_queue_taker *taker = &queue->taker;
    uint8_t chunk[CHUNK_BYTES];
    size_t len;
    bool more;

    while ((len = next_frames(queue, chunk, &more)) > 0) {
        taker->take(taker->context, chunk, len);
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

void um_frame_queue_put(struct um_frame_queue *queue, struct um_feed_item *item, bool hurry)
{
    if (!um_feed_encode(item))
        return;
    um_thread_lock(&queue->mutex);
    bool wake = queue->ring.len_bytes == 0;
    queue->lost += !um_frame_ring_put(&queue->ring, item->bytes, item->len_bytes);
    if (hurry || queue->ring.len_bytes > UM_FRAME_QUEUE_BYTES / 2)
        wake = queue->hurry = true;
    if (wake)
        um_thread_broadcast(&queue->changed);
    um_thread_unlock(&queue->mutex);
}

uint64_t um_frame_queue_lost(struct um_frame_queue *queue)
{
    um_thread_lock(&queue->mutex);
    uint64_t lost = queue->lost;
    um_thread_unlock(&queue->mutex);
    return lost;
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
