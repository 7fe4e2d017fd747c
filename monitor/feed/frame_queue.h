/* An output of the feed: a bounded queue of frames, and a thread that hands them to a taker, so
 * that measuring never waits for a file. Each output that writes a file has such a queue.
 *
 * A frame that finds the queue full is lost. Portable; a reader starts at um_frame_queue_output,
 * which is on the monitor's hot path.
 */
#ifndef UM_MONITOR_FRAME_QUEUE_H
#define UM_MONITOR_FRAME_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "monitor/feed/feed.h"

/* Room for half an hour of beats, one each 10 ms. Pages that were never used take no memory. */
#define UM_FRAME_QUEUE_BYTES (4 * 1024 * 1024)

struct um_frame_queue;

enum um_frame_queue_want {
    UM_FRAME_QUEUE_SKIP,
    UM_FRAME_QUEUE_TAKE,
    UM_FRAME_QUEUE_HURRY /* it and all before it are handed over at once */
};

/* Who takes the frames. All calls but `want` come from the queue's thread. */
struct um_frame_queue_taker {
    void *context;
    uint64_t gather_ns; /* how long frames wait for more, unless one of them hurries */
    /* Whether a frame is queued. Thread: the session's. */
    enum um_frame_queue_want (*want)(void *context, const struct um_wire_frame *frame);
    /* Takes a frame, and the bytes that it was decoded from. NULL: `take_bytes` takes them. */
    void (*take)(void *context, const struct um_wire_frame *frame, const uint8_t *bytes,
                 size_t len_bytes);
    /* Takes encoded frames: one or more, and none in part. */
    void (*take_bytes)(void *context, const uint8_t *frames, size_t len_bytes);
    void (*rest)(void *context); /* the queue is empty for now; NULL is allowed */
    void (*end)(void *context);  /* no more frames will come: flush and close */
};

/* Starts the thread. Owner: um_frame_queue_close; the taker's context must outlive the queue.
 * Errors: UM_ERR_MEMORY. */
enum um_status um_frame_queue_open(const struct um_frame_queue_taker *taker,
                                   struct um_frame_queue **queue);

/* The queue as an output of the feed: it locks for a copy and never waits for the taker. Owner: the
 * queue stays the caller's. */
struct um_feed_output um_frame_queue_output(struct um_frame_queue *queue);

/* Hands the queued frames to the taker, ends the thread and releases the queue; NULL is allowed.
 * Thread: blocks for `limit_ns`. Errors: UM_ERR_TIMEOUT the taker did not finish in that time, and
 * nothing is released: call it again. */
enum um_status um_frame_queue_close(struct um_frame_queue *queue, uint64_t limit_ns);

#endif
