#include "monitor/stats/dotnet_pool.h"

#include <string.h>

#include "base/double_bits.h"

static void take_counter(struct um_dotnet_pool *pool, const struct um_wire_counter *counter)
{
    if (strcmp(counter->provider, "System.Runtime") != 0)
        return;
    if (strcmp(counter->name, "threadpool-queue-length") == 0)
        pool->queue_number = counter->number + 1;
    else if (strcmp(counter->name, "threadpool-completed-items-count") == 0)
        pool->done_number = counter->number + 1;
}

/* Judges an interval of which both values are there. */
static enum um_dotnet_pool_news judge(struct um_dotnet_pool *pool, uint64_t end_ns)
{
    bool stands = pool->queue > 0 && pool->done < pool->queue;
    bool begins = stands && pool->first_ns != 0 && !pool->starved;
    bool is_over = pool->starved && !(pool->queue > 0);
    if (pool->starved && pool->queue > pool->most)
        pool->most = pool->queue;
    if (begins) {
        pool->id++;
        pool->starved = true;
        pool->start_ns = pool->first_ns;
        pool->end_ns = 0;
        pool->most = pool->queue;
    } else if (is_over) {
        pool->starved = false;
        pool->end_ns = end_ns;
    }
    pool->first_ns = !stands ? 0 : pool->first_ns != 0 ? pool->first_ns : end_ns;
    return begins    ? UM_DOTNET_POOL_STARVED
           : is_over ? UM_DOTNET_POOL_RECOVERED
                     : UM_DOTNET_POOL_NOTHING;
}

static enum um_dotnet_pool_news take_value(struct um_dotnet_pool *pool,
                                           const struct um_wire_counter_value *value)
{
    if (value->number + 1 == pool->queue_number) {
        pool->queue = um_double_bits_value(value->value);
        pool->has_queue = true;
    } else if (value->number + 1 == pool->done_number) {
        pool->done = um_double_bits_value(value->value);
        pool->has_done = true;
    }
    if (!pool->has_queue || !pool->has_done)
        return UM_DOTNET_POOL_NOTHING;
    pool->has_queue = pool->has_done = false;
    return judge(pool, value->time_ns);
}

enum um_dotnet_pool_news um_dotnet_pool_take(struct um_dotnet_pool *pool,
                                             const struct um_wire_frame *frame)
{
    if (frame->type == UM_WIRE_COUNTER)
        take_counter(pool, &frame->as.counter);
    return frame->type == UM_WIRE_COUNTER_VALUE ? take_value(pool, &frame->as.counter_value)
                                                : UM_DOTNET_POOL_NOTHING;
}
