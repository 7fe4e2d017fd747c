#include "monitor/feed/hub.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ipc/clock.h"
#include "ipc/thread.h"
#include "monitor/feed/frame_ring.h"
#include "monitor/feed/known.h"
#include "monitor/feed/known_counters.h"

#define QUEUE_BYTES (128 * 1024) /* half a minute of a feed with 100 beats/s */
#define CHUNK_BYTES (16 * 1024)
#define RETRY_NS (100 * UM_CLOCK_NS_PER_MS)  /* after a connection that failed */
#define LINGER_NS (500 * UM_CLOCK_NS_PER_MS) /* at the end, for what is still queued */

/* The preamble or a LOST, all that is known, and one frame more. */
_Static_assert(CHUNK_BYTES >= UM_KNOWN_BYTES + 2 * UM_WIRE_MAX_BYTES, "a chunk is too small");

/* Places in the stream of all frames that were ever queued are numbers of bytes. */
struct consumer {
    struct um_hub *hub;
    struct um_conn *conn;
    struct um_thread thread;
    uint64_t next;              /* place of the frame that it gets next */
    uint64_t lost;              /* frames before that one, of which it was not told yet */
    bool over;                  /* the thread has ended: the consumer can be removed */
    bool listens;               /* another process has connected */
    size_t greeting;            /* so many bytes were put into the chunk for the begin */
    size_t counter_next;        /* place of the COUNTER that it is told next, */
    size_t counter_end;         /* before any more frames, up to this one */
    uint8_t chunk[CHUNK_BYTES]; /* the thread's: what is being written */
};

struct um_hub {
    const struct um_transport *transport;
    struct um_listener *listener;
    struct um_thread acceptor;
    struct um_thread_mutex mutex; /* guards what follows */
    struct um_thread_cond changed;
    bool closing;
    struct um_known known;  /* at the end of the queue: for a consumer that comes */
    struct um_known before; /* at its begin: for one that has lost frames */
    struct um_known_counters counters;
    uint64_t begin; /* place of the oldest frame in the queue */
    uint64_t due;   /* up to this place nothing must wait any longer */
    struct um_frame_ring queue;
    struct consumer *consumers[UM_HUB_MAX_CONSUMERS];
    uint8_t bytes[QUEUE_BYTES]; /* the queue's */
};

/* Whether somebody is to be served. Thread: holds the mutex. */
static bool is_served(const struct consumer *consumer)
{
    return consumer && !consumer->over;
}

static uint64_t queue_end(const struct um_hub *hub)
{
    return hub->begin + hub->queue.len_bytes;
}

/* What a consumer need not hear of before the next STATUS, which comes ten times a second: each
 * time it is woken costs two threads a turn, and beats come a hundred times a second. */
static bool can_wait(const struct um_wire_frame *frame)
{
    return frame->type == UM_WIRE_BEAT || frame->type == UM_WIRE_REST ||
           frame->type == UM_WIRE_GAP || frame->type == UM_WIRE_ACTIVITY ||
           frame->type == UM_WIRE_COUNTER_VALUE;
}

/* Removes the oldest frame, and keeps what it has told of. Whoever did not get it has lost it.
 * Thread: holds the mutex. */
static void remove_oldest(struct um_hub *hub)
{
    uint8_t bytes[UM_WIRE_MAX_BYTES];
    struct um_wire_frame frame;
    size_t used, len = um_frame_ring_peek(&hub->queue, 0, bytes);

    if (um_known_cares(bytes[2]) && um_wire_decode(bytes, len, &frame, &used) == UM_OK)
        um_known_take(&hub->before, &frame);
    um_frame_ring_drop(&hub->queue);
    for (size_t i = 0; i < UM_HUB_MAX_CONSUMERS; i++) {
        struct consumer *consumer = hub->consumers[i];
        if (!is_served(consumer) || consumer->next != hub->begin)
            continue;
        consumer->next += len;
        consumer->lost++;
    }
    hub->begin += len;
}

/* Removes what every consumer has got. Thread: holds the mutex. */
static void trim(struct um_hub *hub)
{
    uint64_t first = queue_end(hub);
    for (size_t i = 0; i < UM_HUB_MAX_CONSUMERS; i++)
        if (is_served(hub->consumers[i]) && hub->consumers[i]->next < first)
            first = hub->consumers[i]->next;
    while (hub->begin < first)
        remove_oldest(hub);
}

/* Queues a frame, over the oldest ones where there is no room. True if consumers must be woken.
 * Thread: holds the mutex. */
static bool enqueue(struct um_hub *hub, struct um_feed_item *item)
{
    uint64_t due = hub->due;
    if (!um_feed_encode(item))
        return false;
    while (!um_frame_ring_put(&hub->queue, item->bytes, item->len_bytes))
        remove_oldest(hub);
    if (!can_wait(item->frame) || queue_end(hub) - due > QUEUE_BYTES / 2)
        hub->due = queue_end(hub);
    return hub->due != due;
}

/* Tells a consumer how much it has lost, and what held after that. Returns how many bytes. */
static size_t put_lost(struct consumer *consumer)
{
    size_t len = 0;
    struct um_wire_frame frame = {
        .type = UM_WIRE_LOST, .as.lost = {.time_ns = um_clock_now_ns(), .frames = consumer->lost}};
    um_wire_encode(&frame, consumer->chunk, CHUNK_BYTES, &len);
    consumer->lost = 0;
    consumer->counter_next = 0;
    consumer->counter_end = consumer->hub->counters.count;
    return len + um_known_encode(&consumer->hub->before, consumer->chunk + len);
}

/* Copies frames from a consumer's place on, as many as fit. Returns how many bytes. */
static size_t copy_frames(struct consumer *consumer, uint8_t *to, size_t cap)
{
    const struct um_hub *hub = consumer->hub;
    size_t copied = 0, len;
    while (cap - copied >= UM_WIRE_MAX_BYTES &&
           (len = um_frame_ring_peek(&hub->queue, (size_t)(consumer->next - hub->begin),
                                     to + copied)) > 0) {
        consumer->next += len;
        copied += len;
    }
    return copied;
}

/* Whether a consumer is yet to be told of counters, before it gets frames. */
static bool wants_counters(const struct consumer *consumer)
{
    return consumer->counter_next < consumer->counter_end;
}

/* Waits until there is something to write, and takes up to a chunk of it; 0 at the end. */
static size_t next_frames(struct consumer *consumer)
{
    struct um_hub *hub = consumer->hub;
    um_thread_lock(&hub->mutex);
    while (consumer->next >= hub->due && !wants_counters(consumer) && !hub->closing)
        um_thread_wait(&hub->changed, &hub->mutex, UM_THREAD_FOREVER_NS);
    size_t len = consumer->lost ? put_lost(consumer) : 0;
    len += um_known_counters_encode(&hub->counters, &consumer->counter_next, consumer->counter_end,
                                    consumer->chunk + len, CHUNK_BYTES - len);
    if (!wants_counters(consumer))
        len += copy_frames(consumer, consumer->chunk + len, CHUNK_BYTES - len);
    trim(hub);
    um_thread_unlock(&hub->mutex);
    return len;
}

/* One consumer's thread: writes what is queued until the consumer is gone or the hub closes. A
 * consumer that reads nothing holds up this thread alone. */
static void serve(void *context)
{
    struct consumer *consumer = context;
    struct um_hub *hub = consumer->hub;
    size_t len = consumer->greeting;

    while (len > 0 && hub->transport->write(consumer->conn, consumer->chunk, len,
                                            UM_TRANSPORT_FOREVER) == UM_OK)
        len = next_frames(consumer);
    um_thread_lock(&hub->mutex);
    consumer->over = true;
    trim(hub);
    um_thread_broadcast(&hub->changed);
    um_thread_unlock(&hub->mutex);
}

static void release(struct um_hub *hub, struct consumer *consumer)
{
    um_thread_join(&consumer->thread);
    hub->transport->close(consumer->conn);
    free(consumer);
}

/* Removes consumers that are gone. Thread: the acceptor. */
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

/* Puts what a consumer is told at its begin into its chunk. Thread: holds the mutex. */
static void greet(struct um_hub *hub, struct consumer *consumer)
{
    um_wire_put_preamble(consumer->chunk);
    consumer->greeting = UM_WIRE_PREAMBLE_BYTES +
                         um_known_encode(&hub->known, consumer->chunk + UM_WIRE_PREAMBLE_BYTES);
    consumer->counter_end = hub->counters.count;
    consumer->next = queue_end(hub);
    if (hub->queue.len_bytes == 0) /* what came while nobody listened was not queued */
        hub->before = hub->known;
}

/* Gives a new consumer a place and a thread; false if there is none for it. */
static bool admit(struct um_hub *hub, struct consumer *consumer)
{
    size_t place = 0;
    um_thread_lock(&hub->mutex);
    while (place < UM_HUB_MAX_CONSUMERS && hub->consumers[place])
        place++;
    bool admitted = place < UM_HUB_MAX_CONSUMERS && !hub->closing;
    if (admitted) {
        greet(hub, consumer);
        admitted = um_thread_start(serve, consumer, &consumer->thread) == UM_OK;
    }
    if (admitted)
        hub->consumers[place] = consumer;
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
    um_frame_ring_init(&hub->queue, hub->bytes, sizeof hub->bytes);
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

/* Where nobody listens, nothing is encoded and nobody is woken. */
static void take(void *context, struct um_feed_item *item)
{
    struct um_hub *hub = context;
    bool wanted = false;

    um_thread_lock(&hub->mutex);
    um_known_take(&hub->known, item->frame);
    um_known_counters_take(&hub->counters, item->frame);
    for (size_t i = 0; i < UM_HUB_MAX_CONSUMERS && !wanted; i++)
        wanted = is_served(hub->consumers[i]);
    if (wanted && enqueue(hub, item))
        um_thread_broadcast(&hub->changed);
    um_thread_unlock(&hub->mutex);
}

struct um_feed_output um_hub_output(struct um_hub *hub)
{
    return (struct um_feed_output){.context = hub, .take = take};
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
        if (is_served(hub->consumers[i]))
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
    while (um_frame_ring_drop(&hub->queue)) /* keys may be in it */
        continue;
    free(hub);
}
