#include "monitor/feed/hub.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain/clock.h"
#include "base/thread.h"
#include "monitor/feed/frame_ring.h"
#include "monitor/feed/late_join.h"
#include "monitor/feed/late_join_counters.h"
#include "monitor/feed/late_join_layout.h"
#include "monitor/feed/late_join_markers.h"
#include "monitor/feed/late_join_stacks.h"

#define QUEUE_BYTES (128 * 1024) /* half a minute of a feed with 100 beats/s */
#define CHUNK_BYTES (18 * 1024)
#define RETRY_NS (100 * UM_CLOCK_NS_PER_MS) /* pause after a connection that failed */
/* How long a consumer that does not read is waited for at the end. */
#define LINGER_NS (500 * UM_CLOCK_NS_PER_MS)

/* A chunk holds the preamble or a LOST, all known frames, and one frame more. */
_Static_assert(CHUNK_BYTES >= UM_LATE_JOIN_BYTES + 2 * UM_WIRE_MAX_BYTES, "a chunk is too small");

/* A place is the number of bytes that were ever queued before it. */
struct consumer {
    struct um_hub *hub;
    struct um_conn *conn;
    struct um_thread thread;
    uint64_t next;       /* place of the frame that it gets next */
    uint64_t lost;       /* frames before that one that it lost since its last LOST */
    bool over;           /* the thread has ended: the consumer can be removed */
    _Atomic bool writes; /* the thread writes, for as long as the consumer lets it */
    bool listens;        /* it is another process, and not the overlay */
    size_t greeting;     /* length of what it gets first, which `chunk` has already */
    size_t counter_next; /* index of the COUNTER that it gets next, before other frames */
    size_t counter_end;  /* index after the last of these COUNTERs */
    size_t layout_next;  /* the same of LAYOUT_COMPONENTs, with their LAYOUT_PLACEs */
    size_t layout_end;
    /* The same of MARKER_KINDs, which may be more than the queue holds. So those that it has got in
     * this way are not told again after the next LOST, only those that came since. */
    size_t marker_next;
    size_t marker_end;
    /* The same of what SAMPLEs point to. Once only: after a LOST, nodes may be missing. */
    struct um_late_join_stacks_place stacks;
    uint8_t chunk[CHUNK_BYTES]; /* what the thread is writing */
};

struct um_hub {
    const struct um_transport *transport;
    struct um_listener *listener;
    struct um_thread acceptor;
    struct um_thread_mutex mutex; /* guards what follows */
    struct um_thread_cond changed;
    bool closing;
    struct um_late_join known;  /* as of the queue's end: for a new consumer */
    struct um_late_join before; /* as of the queue's begin: for a consumer that has lost frames */
    struct um_late_join_counters counters;
    struct um_late_join_layout layout;
    struct um_late_join_markers markers;
    struct um_late_join_stacks stacks;
    uint64_t begin; /* place of the oldest frame in the queue */
    uint64_t due;   /* frames up to this place are sent without waiting for others */
    struct um_frame_ring queue;
    struct consumer *consumers[UM_HUB_MAX_CONSUMERS];
    uint8_t bytes[QUEUE_BYTES]; /* memory of the queue */
};

/* Whether there is a consumer, and its thread runs. Thread: holds the mutex. */
static bool is_served(const struct consumer *consumer)
{
    return consumer && !consumer->over;
}

/* Whether any consumer is served. Thread: holds the mutex. */
static bool any_served(const struct um_hub *hub)
{
    for (size_t i = 0; i < UM_HUB_MAX_CONSUMERS; i++)
        if (is_served(hub->consumers[i]))
            return true;
    return false;
}

/* Whether each consumer that is served holds up its thread, as one does that does not read.
 * Thread: holds the mutex. */
static bool all_write(const struct um_hub *hub)
{
    for (size_t i = 0; i < UM_HUB_MAX_CONSUMERS; i++)
        if (is_served(hub->consumers[i]) && !atomic_load(&hub->consumers[i]->writes))
            return false;
    return true;
}

static uint64_t queue_end(const struct um_hub *hub)
{
    return hub->begin + hub->queue.len_bytes;
}

/* Removes the oldest frame, and takes it into `before`. Each consumer that did not get it has lost
 * it. Thread: holds the mutex. */
static void remove_oldest(struct um_hub *hub)
{
    uint8_t bytes[UM_WIRE_MAX_BYTES];
    struct um_wire_frame frame;
    size_t used, len = um_frame_ring_peek(&hub->queue, 0, bytes);

    if (um_late_join_cares(bytes[2]) && um_wire_decode(bytes, len, &frame, &used) == UM_OK)
        um_late_join_take(&hub->before, &frame);
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

/* Removes the frames that every consumer has got. Thread: holds the mutex. */
static void trim(struct um_hub *hub)
{
    uint64_t first = queue_end(hub);
    for (size_t i = 0; i < UM_HUB_MAX_CONSUMERS; i++)
        if (is_served(hub->consumers[i]) && hub->consumers[i]->next < first)
            first = hub->consumers[i]->next;
    while (hub->begin < first)
        remove_oldest(hub);
}

/* Queues a frame, and removes the oldest ones for it if need be. True: wake the consumers.
 * Thread: holds the mutex. */
static bool enqueue(struct um_hub *hub, struct um_feed_item *item)
{
    uint64_t due = hub->due;
    if (!um_feed_encode(item))
        return false;
    while (!um_frame_ring_put(&hub->queue, item->bytes, item->len_bytes))
        remove_oldest(hub);
    if (!um_wire_waits(item->frame->type) || queue_end(hub) - due > QUEUE_BYTES / 2)
        hub->due = queue_end(hub);
    return hub->due != due;
}

/* Puts a LOST and the frames that held after it into a consumer's chunk. Returns their length. */
static size_t put_lost(struct consumer *consumer)
{
    size_t len = 0;
    struct um_wire_frame frame = {
        .type = UM_WIRE_LOST, .as.lost = {.time_ns = um_clock_now_ns(), .frames = consumer->lost}};
    um_wire_encode(&frame, consumer->chunk, CHUNK_BYTES, &len);
    consumer->lost = 0;
    consumer->counter_next = 0;
    consumer->counter_end = consumer->hub->counters.count;
    consumer->layout_next = 0;
    consumer->layout_end = consumer->hub->layout.count;
    consumer->marker_end = consumer->hub->markers.count;
    return len + um_late_join_encode(&consumer->hub->before, consumer->chunk + len);
}

/* A number that had another kind before must be told again, too, if consumers lose the frame.
 * Thread: holds the mutex. */
static void take_kind(struct um_hub *hub, const struct um_wire_frame *frame)
{
    um_late_join_markers_take(&hub->markers, frame);
    if (frame->type != UM_WIRE_MARKER_KIND || frame->as.marker_kind.number == 0)
        return;
    size_t place = frame->as.marker_kind.number - 1;
    for (size_t i = 0; i < UM_HUB_MAX_CONSUMERS; i++) {
        struct consumer *consumer = hub->consumers[i];
        if (!is_served(consumer) || place >= consumer->marker_next)
            continue;
        if (consumer->marker_next == consumer->marker_end)
            consumer->marker_end = place;
        consumer->marker_next = place;
    }
}

/* Copies frames from a consumer's place on, as many as fit. Returns their length. */
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

/* Whether a consumer must get COUNTERs, LAYOUT_COMPONENTs, MARKER_KINDs, or what SAMPLEs point to
 * before other frames. */
static bool wants_known(const struct consumer *consumer)
{
    return consumer->counter_next < consumer->counter_end ||
           consumer->layout_next < consumer->layout_end ||
           consumer->marker_next < consumer->marker_end ||
           um_late_join_stacks_left(&consumer->stacks);
}

/* Waits until there is something to write, and copies up to a chunk of it. Returns how many bytes;
 * 0 at the end. */
static size_t next_frames(struct consumer *consumer)
{
    struct um_hub *hub = consumer->hub;
    um_thread_lock(&hub->mutex);
    while (consumer->next >= hub->due && !wants_known(consumer) && !hub->closing)
        um_thread_wait(&hub->changed, &hub->mutex, UM_THREAD_FOREVER_NS);
    size_t len = consumer->lost ? put_lost(consumer) : 0;
    len +=
        um_late_join_counters_encode(&hub->counters, &consumer->counter_next, consumer->counter_end,
                                     consumer->chunk + len, CHUNK_BYTES - len);
    len += um_late_join_layout_encode(&hub->layout, &consumer->layout_next, consumer->layout_end,
                                      consumer->chunk + len, CHUNK_BYTES - len);
    len += um_late_join_markers_encode(&hub->markers, &consumer->marker_next, consumer->marker_end,
                                       consumer->chunk + len, CHUNK_BYTES - len);
    len += um_late_join_stacks_encode(&hub->stacks, &consumer->stacks, consumer->chunk + len,
                                      CHUNK_BYTES - len);
    if (!wants_known(consumer))
        len += copy_frames(consumer, consumer->chunk + len, CHUNK_BYTES - len);
    trim(hub);
    um_thread_unlock(&hub->mutex);
    return len;
}

static enum um_status write_chunk(struct consumer *consumer, size_t len)
{
    atomic_store(&consumer->writes, true);
    enum um_status status =
        consumer->hub->transport->write(consumer->conn, consumer->chunk, len, UM_TRANSPORT_FOREVER);
    atomic_store(&consumer->writes, false);
    return status;
}

/* One consumer's thread: writes what is queued until the consumer is gone or the hub closes. A
 * consumer that reads nothing holds up this thread alone. */
static void serve(void *context)
{
    struct consumer *consumer = context;
    struct um_hub *hub = consumer->hub;
    size_t len = consumer->greeting;

    while (len > 0 && write_chunk(consumer, len) == UM_OK)
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

/* Puts what a new consumer gets first into its chunk. Thread: holds the mutex. */
static void greet(struct um_hub *hub, struct consumer *consumer)
{
    um_wire_put_preamble(consumer->chunk);
    consumer->greeting = UM_WIRE_PREAMBLE_BYTES +
                         um_late_join_encode(&hub->known, consumer->chunk + UM_WIRE_PREAMBLE_BYTES);
    consumer->counter_end = hub->counters.count;
    consumer->layout_end = hub->layout.count;
    consumer->marker_end = hub->markers.count;
    consumer->stacks = um_late_join_stacks_all(&hub->stacks);
    consumer->next = queue_end(hub);
    if (hub->queue.len_bytes == 0) /* frames that came while nobody listened were not queued */
        hub->before = hub->known;
}

/* Gives a new consumer a place and a thread; false if there is no room for it. */
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

/* While there is no consumer, only what SAMPLEs point to is encoded, and nobody is woken. */
static void take(void *context, struct um_feed_item *item)
{
    struct um_hub *hub = context;

    um_thread_lock(&hub->mutex);
    um_late_join_take(&hub->known, item->frame);
    um_late_join_counters_take(&hub->counters, item->frame);
    um_late_join_layout_take(&hub->layout, item->frame);
    take_kind(hub, item->frame);
    if (um_late_join_stacks_wants(item->frame->type) && um_feed_encode(item))
        um_late_join_stacks_take(&hub->stacks, item->frame, item->bytes, item->len_bytes);
    if (any_served(hub) && enqueue(hub, item))
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
        found |= is_served(hub->consumers[i]) && hub->consumers[i]->listens;
    um_thread_unlock(&hub->mutex);
    return found;
}

void um_hub_close(struct um_hub *hub)
{
    if (!hub)
        return;
    uint64_t until_ns = um_clock_now_ns() + LINGER_NS;
    um_thread_lock(&hub->mutex);
    hub->closing = true;
    um_thread_broadcast(&hub->changed);
    while (any_served(hub) && (um_clock_now_ns() < until_ns || !all_write(hub)))
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
    while (um_frame_ring_drop(&hub->queue)) /* overwrites the frames: they may hold key codes */
        continue;
    um_late_join_layout_deinit(&hub->layout);
    um_late_join_markers_deinit(&hub->markers);
    um_late_join_stacks_deinit(&hub->stacks);
    free(hub);
}
