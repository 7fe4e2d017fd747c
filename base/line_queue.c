#include "base/line_queue.h"

#include <string.h>

#include "base/plain/text.h"

/* Thread: holds the mutex. */
static void drop_oldest(struct um_line_queue *queue)
{
    queue->count--;
    memmove(queue->lines[0], queue->lines[1], sizeof queue->lines[0] * queue->count);
}

void um_line_queue_put(struct um_line_queue *queue, const char *text)
{
    um_thread_lock(&queue->mutex);
    if (queue->count == UM_LINE_QUEUE_LINES)
        drop_oldest(queue);
    um_text_set(queue->lines[queue->count++], UM_LINE_QUEUE_BYTES, text);
    um_thread_unlock(&queue->mutex);
}

bool um_line_queue_take(struct um_line_queue *queue, char *line, size_t cap_bytes)
{
    um_thread_lock(&queue->mutex);
    bool has = queue->count > 0;
    if (has) {
        um_text_set(line, cap_bytes, queue->lines[0]);
        drop_oldest(queue);
    }
    um_thread_unlock(&queue->mutex);
    return has;
}
