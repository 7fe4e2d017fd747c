#include "monitor/feed/frame_queue.h"

#include <stdlib.h>
#include <string.h>

#include "ipc/clock.h"
#include "ipc/thread.h"

#define CHUNK_BYTES (8 * 1024)

struct um_frame_queue {
    struct um_frame_queue_taker taker;
    struct um_thread thread;
    struct um_thread_mutex mutex; /* guards what follows */
    struct um_thread_cond changed;
    bool closing;
    bool hurry; /* somebody waits for what is queued, or the queue fills up */
    bool over;  /* the taker has come to its end */
    uint64_t lost;
    size_t head;
    size_t len;
    uint8_t ring[UM_FRAME_QUEUE_BYTES]; /* whole frames in a ring of bytes */
};

static void put_bytes(struct um_frame_queue *queue, const uint8_t *bytes, size_t len)
{
    size_t tail = (queue->head + queue->len) % UM_FRAME_QUEUE_BYTES;
    size_t first = UM_FRAME_QUEUE_BYTES - tail;
    first = first < len ? first : len;
    memcpy(queue->ring + tail, bytes, first);
    memcpy(queue->ring, bytes + first, len - first);
    queue->len += len;
}

static size_t take_bytes(struct um_frame_queue *queue, uint8_t *bytes, size_t cap)
{
    size_t len = queue->len < cap ? queue->len : cap;
    size_t first = UM_FRAME_QUEUE_BYTES - queue->head;
    first = first < len ? first : len;
    memcpy(bytes, queue->ring + queue->head, first);
    memcpy(bytes + first, queue->ring, len - first);
    queue->len -= len;
    /* From the start when it is empty: memory that is not needed is never touched. */
    queue->head = queue->len ? (queue->head + len) % UM_FRAME_QUEUE_BYTES : 0;
    return len;
}

/* Takes what is queued, when there is enough of it; 0 at the end. `*more` says whether the rest
 * follows in the same turn. */
static size_t next_bytes(struct um_frame_queue *queue, uint8_t *bytes, size_t cap, bool *more)
{
    um_thread_lock(&queue->mutex);
    while (queue->len == 0 && !queue->closing)
        um_thread_wait(&queue->changed, &queue->mutex, UM_THREAD_FOREVER_NS);
    if (!queue->hurry && !queue->closing)
        um_thread_wait(&queue->changed, &queue->mutex, queue->taker.gather_ns);
    size_t len = take_bytes(queue, bytes, cap);
    queue->hurry = *more = queue->len > 0;
    um_thread_unlock(&queue->mutex);
    return len;
}

/* Hands on the whole frames among the bytes, and returns how many bytes that took. */
static size_t hand_on(const struct um_frame_queue_taker *taker, const uint8_t *bytes, size_t len)
{
    struct um_wire_frame frame;
    size_t used = 0;
    size_t one;

    while (um_wire_decode(bytes + used, len - used, &frame, &one) == UM_OK) {
        taker->take(taker->context, &frame);
        used += one;
    }
    return used;
}

static void run(void *context)
{
    struct um_frame_queue *queue = context;
    const struct um_frame_queue_taker *taker = &queue->taker;
    uint8_t bytes[CHUNK_BYTES];
    size_t have = 0;
    size_t got;
    bool more;

    while ((got = next_bytes(queue, bytes + have, sizeof bytes - have, &more)) > 0) {
        have += got;
        size_t used = hand_on(taker, bytes, have);
        memmove(bytes, bytes + used, have - used);
        have -= used;
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
    enum um_status status = um_thread_start(run, queue, &queue->thread);
    if (status != UM_OK) {
        free(queue);
        return status;
    }
    *queue_out = queue;
    return UM_OK;
}

void um_frame_queue_put(struct um_frame_queue *queue, const struct um_wire_frame *frame, bool hurry)
{
    uint8_t bytes[UM_WIRE_MAX_BYTES];
    size_t len;

    if (um_wire_encode(frame, bytes, sizeof bytes, &len) != UM_OK)
        return;
    um_thread_lock(&queue->mutex);
    bool wake = queue->len == 0;
    if (UM_FRAME_QUEUE_BYTES - queue->len < len)
        queue->lost++;
    else
        put_bytes(queue, bytes, len);
    if (hurry || queue->len > UM_FRAME_QUEUE_BYTES / 2)
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
