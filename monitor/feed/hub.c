#include "monitor/feed/hub.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ipc/clock.h"
#include "ipc/thread.h"
#include "monitor/feed/frame_ring.h"

#define QUEUE_BYTES (128 * 1024) /* of a consumer: half a minute of a feed with 100 beats/s */
#define CHUNK_BYTES (8 * 1024)
#define WRITE_MS 2000 /* a consumer that reads nothing for so long is given up */
#define RETRY_NS (100 * UM_CLOCK_NS_PER_MS)  /* after a connection that failed */
#define LINGER_NS (500 * UM_CLOCK_NS_PER_MS) /* at the end, for what is still queued */

struct consumer {
    struct um_hub *hub;
    struct um_conn *conn;
    struct um_thread thread;
    bool due;     /* a frame that must not wait is queued, or the queue is half full */
    bool over;    /* the thread has ended: the place can be cleared */
    bool listens; /* another process has connected */
    struct um_frame_ring queue;
    uint8_t bytes[QUEUE_BYTES]; /* the queue's */
};

struct um_hub {
    const struct um_transport *transport;
    struct um_listener *listener;
    struct um_thread acceptor;
    struct um_thread_mutex mutex;
    struct um_thread_cond changed;
    bool closing;
    uint64_t lost;
    struct um_wire_frame session;              /* type 0: none yet */
    struct um_wire_frame rung;                 /* type 0: none yet */
    struct um_wire_frame proving;              /* likewise */
    struct um_wire_frame view;                 /* VIEW: the latest */
    struct um_wire_frame open[UM_STATE_COUNT]; /* EPISODE: the latest begin of each state */
    struct um_wire_frame status;
    struct consumer *consumers[UM_HUB_MAX_CONSUMERS];
};

/* What a consumer need not hear of before the next STATUS, which comes ten times a second: each
 * time it is woken costs two threads a turn, and beats come a hundred times a second. */
static bool can_wait(const struct um_wire_frame *frame)
{
    return frame->type == UM_WIRE_BEAT || frame->type == UM_WIRE_REST || frame->type == UM_WIRE_GAP;
}

/* Queues a frame, over the oldest ones where there is no room. Thread: holds the mutex. */
static void enqueue(struct consumer *consumer, struct um_feed_item *item)
{
    if (!um_feed_encode(item))
        return;
    while (!um_frame_ring_put(&consumer->queue, item->bytes, item->len_bytes)) {
        um_frame_ring_drop(&consumer->queue);
        consumer->hub->lost++;
    }
    if (!can_wait(item->frame) || consumer->queue.len_bytes > QUEUE_BYTES / 2)
        consumer->due = true;
}

/* Queues what a consumer that comes late must be told, if there is such a frame. */
static void enqueue_known(struct consumer *consumer, const struct um_wire_frame *frame)
{
    struct um_feed_item item;
    item.frame = frame;
    item.len_bytes = 0;
    if (frame->type)
        enqueue(consumer, &item);
}

/* Waits until there is something to write, and takes up to a chunk of it; 0 at the end. */
static size_t next_frames(struct consumer *consumer, uint8_t chunk[CHUNK_BYTES])
{
    struct um_hub *hub = consumer->hub;
    um_thread_lock(&hub->mutex);
    while (!consumer->due && !hub->closing)
        um_thread_wait(&hub->changed, &hub->mutex, UM_THREAD_FOREVER_NS);
    size_t len = um_frame_ring_take(&consumer->queue, chunk, CHUNK_BYTES);
    consumer->due = consumer->queue.len_bytes > 0;
    um_thread_unlock(&hub->mutex);
    return len;
}

/* One consumer's thread: writes what is queued until the consumer is gone or the hub closes. */
static void serve(void *context)
{
    struct consumer *consumer = context;
    struct um_hub *hub = consumer->hub;
    uint8_t chunk[CHUNK_BYTES];
    size_t len = UM_WIRE_PREAMBLE_BYTES;

    um_wire_put_preamble(chunk);
    do {
        if (hub->transport->write(consumer->conn, chunk, len, WRITE_MS) != UM_OK)
            break;
        len = next_frames(consumer, chunk);
    } while (len > 0);
    um_thread_lock(&hub->mutex);
    consumer->over = true;
    um_thread_broadcast(&hub->changed);
    um_thread_unlock(&hub->mutex);
}

static void release(struct um_hub *hub, struct consumer *consumer)
{
    um_thread_join(&consumer->thread);
    hub->transport->close(consumer->conn);
    while (um_frame_ring_drop(&consumer->queue)) /* keys may be in it */
        continue;
    free(consumer);
}

/* Clears the places of consumers that are gone. Thread: the acceptor. */
static void reap(struct um_hub *hub)
{
    for (size_t i = 0; i < UM_HUB_MAX_CONSUMERS; i++) {
        um_thread_lock(&hub->mutex);
        struct consumer *consumer = hub->consumers[i];
        bool over = consumer && consumer->over;
        if (over)
            hub->consumers[i] = NULL;
        um_thread_unlock(&hub->mutex);
        if (over)
            release(hub, consumer);
    }
}

/* Gives a new consumer a place and a thread, and queues what still holds; false if there is no
 * place or no thread for it. */
static bool admit(struct um_hub *hub, struct consumer *consumer)
{
    size_t place = 0;
    um_thread_lock(&hub->mutex);
    while (place < UM_HUB_MAX_CONSUMERS && hub->consumers[place])
        place++;
    bool admitted = place < UM_HUB_MAX_CONSUMERS && !hub->closing &&
                    um_thread_start(serve, consumer, &consumer->thread) == UM_OK;
    if (admitted) {
        hub->consumers[place] = consumer;
        enqueue_known(consumer, &hub->session);
        enqueue_known(consumer, &hub->rung);
        enqueue_known(consumer, &hub->proving);
        enqueue_known(consumer, &hub->view);
        for (size_t i = 0; i < UM_STATE_COUNT; i++)
            enqueue_known(consumer, &hub->open[i]);
        enqueue_known(consumer, &hub->status);
        um_thread_broadcast(&hub->changed);
    }
    um_thread_unlock(&hub->mutex);
    return admitted;
}

static void welcome(struct um_hub *hub, struct um_conn *conn)
{
    struct consumer *consumer = calloc(1, sizeof *consumer);
    uint32_t pid;
    if (consumer) {
        consumer->hub = hub;
        consumer->conn = conn;
        consumer->listens =
            hub->transport->peer_pid(conn, &pid) == UM_OK && pid != um_transport_own_pid();
        um_frame_ring_init(&consumer->queue, consumer->bytes, sizeof consumer->bytes);
        if (admit(hub, consumer))
            return;
        free(consumer);
    }
    hub->transport->close(conn);
}

static void accept_all(void *context)
{
    struct um_hub *hub = context;
    for (;;) {
        struct um_conn *conn;
        enum um_status status = hub->transport->accept(hub->listener, 500, &conn);
        reap(hub);
        if (status == UM_OK)
            welcome(hub, conn);
        else if (status == UM_ERR_CLOSED)
            return;
        else if (status != UM_ERR_TIMEOUT)
            um_clock_sleep_ns(RETRY_NS); /* the next connection may succeed */
    }
}

enum um_status um_hub_open(const struct um_transport *transport, struct um_hub **hub_out,
                           char *name)
{
    struct um_hub *hub = calloc(1, sizeof *hub);
    if (!hub)
        return UM_ERR_MEMORY;
    hub->transport = transport;
    enum um_status status = um_transport_random_name("feed", name, NULL);
    if (status == UM_OK)
        status = transport->listen(name, 0, &hub->listener);
    if (status == UM_OK)
        status = um_thread_start(accept_all, hub, &hub->acceptor);
    if (status != UM_OK) {
        transport->close_listener(hub->listener);
        free(hub);
        return status;
    }
    *hub_out = hub;
    return UM_OK;
}

/* Keeps the begin of each episode that lasts: one of each state at most. */
static void remember_episode(struct um_hub *hub, const struct um_wire_frame *frame)
{
    for (size_t i = 0; i < UM_STATE_COUNT; i++)
        if (hub->open[i].as.episode.id == frame->as.episode.id)
            hub->open[i].type = 0;
    if (!(frame->flags & UM_WIRE_EPISODE_END))
        hub->open[frame->as.episode.state] = *frame;
}

/* Keeps what a consumer that connects later must be told. */
static void remember(struct um_hub *hub, const struct um_wire_frame *frame)
{
    if (frame->type == UM_WIRE_SESSION && frame->flags & UM_WIRE_SESSION_ANEW) {
        memset(hub->open, 0, sizeof hub->open);
        hub->rung.type = 0;
        hub->proving.type = 0;
    }
    if (frame->type == UM_WIRE_SESSION)
        hub->session = *frame;
    else if (frame->type == UM_WIRE_RUNG)
        hub->rung = *frame;
    else if (frame->type == UM_WIRE_PROVING)
        hub->proving = *frame;
    else if (frame->type == UM_WIRE_VIEW)
        hub->view = *frame;
    else if (frame->type == UM_WIRE_STATUS)
        hub->status = *frame;
    else if (frame->type == UM_WIRE_EPISODE)
        remember_episode(hub, frame);
}

/* Where nobody listens, nothing is encoded and nobody is woken. */
static void take(void *context, struct um_feed_item *item)
{
    struct um_hub *hub = context;
    bool wake = false;

    um_thread_lock(&hub->mutex);
    remember(hub, item->frame);
    for (size_t i = 0; i < UM_HUB_MAX_CONSUMERS; i++) {
        struct consumer *consumer = hub->consumers[i];
        if (!consumer || consumer->over)
            continue;
        bool was_due = consumer->due;
        enqueue(consumer, item);
        wake = wake || (consumer->due && !was_due);
    }
    if (wake)
        um_thread_broadcast(&hub->changed);
    um_thread_unlock(&hub->mutex);
}

static uint64_t lost(void *context)
{
    struct um_hub *hub = context;
    um_thread_lock(&hub->mutex);
    uint64_t count = hub->lost;
    um_thread_unlock(&hub->mutex);
    return count;
}

struct um_feed_output um_hub_output(struct um_hub *hub)
{
    return (struct um_feed_output){.context = hub, .take = take, .lost = lost};
}

bool um_hub_has_listeners(struct um_hub *hub)
{
    bool found = false;
    um_thread_lock(&hub->mutex);
    for (size_t i = 0; i < UM_HUB_MAX_CONSUMERS; i++)
        found |= hub->consumers[i] && hub->consumers[i]->listens && !hub->consumers[i]->over;
    um_thread_unlock(&hub->mutex);
    return found;
}

/* Whether a consumer still has to be served. Thread: holds the mutex. */
static bool any_busy(const struct um_hub *hub)
{
    for (size_t i = 0; i < UM_HUB_MAX_CONSUMERS; i++)
        if (hub->consumers[i] && !hub->consumers[i]->over)
            return true;
    return false;
}

void um_hub_close(struct um_hub *hub)
{
    if (!hub)
        return;
    uint64_t until_ns = um_clock_now_ns() + LINGER_NS;
    um_thread_lock(&hub->mutex);
    hub->closing = true;
    um_thread_broadcast(&hub->changed);
    while (any_busy(hub) && um_clock_now_ns() < until_ns)
        um_thread_wait(&hub->changed, &hub->mutex, LINGER_NS / 10);
    um_thread_unlock(&hub->mutex);
    hub->transport->interrupt(hub->listener);
    um_thread_join(&hub->acceptor);
    hub->transport->close_listener(hub->listener);
    for (size_t i = 0; i < UM_HUB_MAX_CONSUMERS; i++) {
        if (!hub->consumers[i])
            continue;
        hub->transport->shut(hub->consumers[i]->conn);
        release(hub, hub->consumers[i]);
    }
    free(hub);
}
