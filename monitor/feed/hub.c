#include "monitor/feed/hub.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ipc/clock.h"
#include "ipc/thread.h"

#define QUEUE_BYTES (128 * 1024) /* minutes of a quiet feed, seconds of a busy one */
#define CHUNK_BYTES (8 * 1024)
#define WRITE_MS 2000 /* a consumer that reads nothing for so long is dropped */
#define RETRY_NS (100 * UM_CLOCK_NS_PER_MS) /* after a connection that failed */
#define LINGER_NS (500 * UM_CLOCK_NS_PER_MS)

/* A queue of whole frames in a ring of bytes. */
struct consumer {
    struct um_hub *hub;
    struct um_conn *conn; /* NULL: this place is free */
    struct um_thread thread;
    bool over; /* the thread has ended: the place can be cleared */
    size_t head;
    size_t len;
    uint8_t queue[QUEUE_BYTES];
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
    struct um_wire_frame open[UM_STATE_COUNT]; /* EPISODE: the latest begin of each state */
    struct um_wire_frame status;
    struct consumer *consumers[UM_HUB_MAX_CONSUMERS];
};

static uint8_t queue_byte(const struct consumer *consumer, size_t at)
{
    return consumer->queue[(consumer->head + at) % QUEUE_BYTES];
}

static void drop_oldest(struct consumer *consumer)
{
    size_t len = UM_WIRE_HEADER_BYTES + (size_t)queue_byte(consumer, 0) +
                 ((size_t)queue_byte(consumer, 1) << 8);
    consumer->head = (consumer->head + len) % QUEUE_BYTES;
    consumer->len -= len;
    consumer->hub->lost++;
}

/* Thread: holds the mutex. */
static void enqueue(struct consumer *consumer, const uint8_t *bytes, size_t len)
{
    while (QUEUE_BYTES - consumer->len < len)
        drop_oldest(consumer);
    for (size_t i = 0; i < len; i++)
        consumer->queue[(consumer->head + consumer->len + i) % QUEUE_BYTES] = bytes[i];
    consumer->len += len;
}

static void enqueue_frame(struct consumer *consumer, const struct um_wire_frame *frame)
{
    uint8_t bytes[UM_WIRE_MAX_BYTES];
    size_t len;
    if (frame->type && um_wire_encode(frame, bytes, sizeof bytes, &len) == UM_OK)
        enqueue(consumer, bytes, len);
}

/* Takes as many whole frames as fit into a chunk. Thread: holds the mutex. */
static size_t dequeue_chunk(struct consumer *consumer, uint8_t *chunk)
{
    size_t taken = 0;
    while (taken < consumer->len) {
        size_t len = UM_WIRE_HEADER_BYTES + (size_t)queue_byte(consumer, taken) +
                     ((size_t)queue_byte(consumer, taken + 1) << 8);
        if (taken + len > CHUNK_BYTES)
            break;
        for (size_t i = 0; i < len; i++)
            chunk[taken + i] = queue_byte(consumer, taken + i);
        taken += len;
    }
    consumer->head = (consumer->head + taken) % QUEUE_BYTES;
    consumer->len -= taken;
    return taken;
}

/* One consumer's thread: writes what is queued until the consumer is gone or the hub closes. */
static void serve(void *context)
{
    struct consumer *consumer = context;
    struct um_hub *hub = consumer->hub;
    uint8_t chunk[CHUNK_BYTES];
    size_t len = UM_WIRE_PREAMBLE_BYTES;

    um_wire_put_preamble(chunk);
    while (hub->transport->write(consumer->conn, chunk, len, WRITE_MS) == UM_OK) {
        um_thread_lock(&hub->mutex);
        while (consumer->len == 0 && !hub->closing)
            um_thread_wait(&hub->changed, &hub->mutex, UM_THREAD_FOREVER_NS);
        len = dequeue_chunk(consumer, chunk);
        um_thread_unlock(&hub->mutex);
        if (len == 0)
            break;
    }
    um_thread_lock(&hub->mutex);
    consumer->over = true;
    consumer->len = 0;
    um_thread_broadcast(&hub->changed);
    um_thread_unlock(&hub->mutex);
}

static void release(struct um_hub *hub, struct consumer *consumer)
{
    um_thread_join(&consumer->thread);
    hub->transport->close(consumer->conn);
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

/* Gives a new consumer a place, a thread, and what still holds; false if there is no room for
 * it. */
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
        enqueue_frame(consumer, &hub->session);
        for (size_t i = 0; i < UM_STATE_COUNT; i++)
            enqueue_frame(consumer, &hub->open[i]);
        enqueue_frame(consumer, &hub->status);
        um_thread_broadcast(&hub->changed);
    }
    um_thread_unlock(&hub->mutex);
    return admitted;
}

static void welcome(struct um_hub *hub, struct um_conn *conn)
{
    struct consumer *consumer = calloc(1, sizeof *consumer);
    if (consumer) {
        consumer->hub = hub;
        consumer->conn = conn;
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
            um_clock_sleep_ns(RETRY_NS); /* one guest failed; the next one may not */
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
        status = transport->listen(name, &hub->listener);
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

/* Episodes of different states can last at a time. */
static void remember_episode(struct um_hub *hub, const struct um_wire_frame *frame)
{
    for (size_t i = 0; i < UM_STATE_COUNT; i++)
        if (hub->open[i].as.episode.id == frame->as.episode.id)
            hub->open[i].type = 0;
    if (!(frame->flags & UM_WIRE_EPISODE_END))
        hub->open[frame->as.episode.state] = *frame;
}

/* Keeps what a late consumer must be told. */
static void remember(struct um_hub *hub, const struct um_wire_frame *frame)
{
    if (frame->type == UM_WIRE_SESSION && frame->flags & UM_WIRE_SESSION_ANEW)
        memset(hub->open, 0, sizeof hub->open);
    if (frame->type == UM_WIRE_SESSION)
        hub->session = *frame;
    else if (frame->type == UM_WIRE_STATUS)
        hub->status = *frame;
    else if (frame->type == UM_WIRE_EPISODE)
        remember_episode(hub, frame);
}

void um_hub_publish(struct um_hub *hub, const struct um_wire_frame *frame)
{
    uint8_t bytes[UM_WIRE_MAX_BYTES];
    size_t len;

    if (um_wire_encode(frame, bytes, sizeof bytes, &len) != UM_OK)
        return;
    um_thread_lock(&hub->mutex);
    remember(hub, frame);
    for (size_t i = 0; i < UM_HUB_MAX_CONSUMERS; i++)
        if (hub->consumers[i] && !hub->consumers[i]->over)
            enqueue(hub->consumers[i], bytes, len);
    um_thread_broadcast(&hub->changed);
    um_thread_unlock(&hub->mutex);
}

uint64_t um_hub_lost(struct um_hub *hub)
{
    um_thread_lock(&hub->mutex);
    uint64_t lost = hub->lost;
    um_thread_unlock(&hub->mutex);
    return lost;
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
