#include "monitor/measure/starvation.h"

#include "base/ns.h"

void um_starvation_init(struct um_starvation *starvation, uint64_t over_ns, uint64_t under_ns)
{
    *starvation = (struct um_starvation){.over_ns = over_ns, .under_ns = under_ns};
}

static void begin(struct um_starvation *starvation)
{
    struct um_wire_pool *pool = &starvation->pool;
    starvation->starved = true;
    pool->starvation++;
    pool->start_ns = um_ns_elapsed(pool->delay_ns, pool->time_ns);
    pool->end_ns = 0;
    pool->peak_ns = 0;
}

static void end(struct um_starvation *starvation)
{
    starvation->starved = false;
    starvation->pool.end_ns = starvation->pool.time_ns;
}

void um_starvation_take(struct um_starvation *starvation, const struct um_wire_frame *delay,
                        struct um_wire_frame *frame)
{
    struct um_wire_pool *pool = &starvation->pool;
    bool waits = (delay->flags & UM_WIRE_POOL_DELAY_WAITS) != 0;

    /* The time comes from the target's process, which may send a wrong one. */
    pool->time_ns = um_ns_max(pool->time_ns, delay->as.pool_delay.time_ns);
    pool->delay_ns = delay->as.pool_delay.delay_ns;
    if (!starvation->starved && pool->delay_ns > starvation->over_ns)
        begin(starvation);
    else if (starvation->starved && !waits && pool->delay_ns < starvation->under_ns)
        end(starvation);
    if (starvation->starved)
        pool->peak_ns = um_ns_max(pool->peak_ns, pool->delay_ns);
    *frame = (struct um_wire_frame){.type = UM_WIRE_POOL, .as.pool = *pool};
    frame->flags = (uint8_t)((waits ? UM_WIRE_POOL_WAITS : 0) |
                             (starvation->starved ? UM_WIRE_POOL_STARVED : 0));
}

void um_starvation_forget(struct um_starvation *starvation)
{
    if (starvation->starved)
        end(starvation);
}
