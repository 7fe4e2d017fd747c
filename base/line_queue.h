/* Lines for the console, from the thread that has something to say to the one that prints. Bounded:
 * when it is full, the oldest line is dropped. A zeroed queue is empty and has nothing to release.
 */
#ifndef UM_BASE_LINE_QUEUE_H
#define UM_BASE_LINE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/thread.h"

#define UM_LINE_QUEUE_LINES 16 /* more than can be said before the first one is read */
#define UM_LINE_QUEUE_BYTES 1280

struct um_line_queue {
    struct um_thread_mutex mutex; /* guards what follows */
    size_t count;
    char lines[UM_LINE_QUEUE_LINES][UM_LINE_QUEUE_BYTES];
};

/* Adds a line. Thread: any. */
void um_line_queue_put(struct um_line_queue *queue, const char *text);

/* Takes the oldest line; false if there is none. Thread: any. */
bool um_line_queue_take(struct um_line_queue *queue, char *line, size_t cap_bytes);

#endif
