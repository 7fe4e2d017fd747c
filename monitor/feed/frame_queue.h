/* Frames of the feed, handed to a thread of their own through a bounded queue, so that measuring
 * never waits for a stream. The CSV and the recording are written behind one each.
 *
 * What does not fit is dropped, newest first, and counted. Portable; a reader starts at
 * um_frame_queue_put, which is on the monitor's hot path.
 */
#ifndef UM_MONITOR_FRAME_QUEUE_H
#define UM_MONITOR_FRAME_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "ipc/status.h"
#include "monitor/feed/feed.h"

/* Room for half an hour of beats, one each 10 ms. The system gives memory to what is used of it. */
#define UM_FRAME_QUEUE_BYTES (4 * 1024 * 1024)

struct um_frame_queue;

/* Who takes the frames. All calls come from the queue's thread. */
struct um_frame_queue_taker {
    void *context;
    uint64_t gather_ns; /* how long frames wait for others, unless one was put in a hurry */
    /* Takes frames as they were encoded, one or more and all of them whole. */
    void (*take)(void *context, const uint8_t *frames, size_t len_bytes);
    void (*rest)(void *context); /* nothing more is queued for now; NULL is allowed */
    void (*end)(void *context);  /* nothing more will come: flush and close */
};

/* Starts the thread. Owner: um_frame_queue_close; the taker's context must outlive the queue.
 * Errors: UM_ERR_MEMORY. */
enum um_status um_frame_queue_open(const struct um_frame_queue_taker *taker,
                                   struct um_frame_queue **queue);

/* Queues a frame; with `hurry` it and all before it are handed on at once.
 * Thread: one; locks for a copy, never waits for the taker. */
void um_frame_queue_put(struct um_frame_queue *queue, struct um_feed_item *item, bool hurry);

/* Frames that found the queue full so far. Thread: any. */
uint64_t um_frame_queue_lost(struct um_frame_queue *queue);

/* Hands on what is queued, ends the thread and releases the queue; NULL is allowed.
 * Thread: blocks for `limit_ns`. Errors: UM_ERR_TIMEOUT the taker did not finish in that time, and
 * nothing is released: call it again. */
enum um_status um_frame_queue_close(struct um_frame_queue *queue, uint64_t limit_ns);

#endif
