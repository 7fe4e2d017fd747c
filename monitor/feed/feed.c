#include "monitor/feed/feed.h"

void um_feed_publish(const struct um_feed_output *outputs, size_t count,
                     const struct um_wire_frame *frame)
{
    struct um_feed_item item;

    item.frame = frame;
    item.len_bytes = 0;
    for (size_t i = 0; i < count; i++)
        outputs[i].take(outputs[i].context, &item);
}

uint64_t um_feed_lost(const struct um_feed_output *outputs, size_t count)
{
    uint64_t lost = 0;
    for (size_t i = 0; i < count; i++)
        lost += outputs[i].lost ? outputs[i].lost(outputs[i].context) : 0;
    return lost;
}

bool um_feed_encode(struct um_feed_item *item)
{
    return item->len_bytes > 0 ||
           um_wire_encode(item->frame, item->bytes, sizeof item->bytes, &item->len_bytes) == UM_OK;
}
