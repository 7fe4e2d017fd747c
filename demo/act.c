#include "demo/act.h"

#include <stdio.h>

static struct um_demo_log_event *act_at(struct um_demo_acts *acts, size_t index)
{
    return &acts->acts[(acts->first + index) % UM_DEMO_ACT_MAX];
}

/* All but the newest have been handled, because messages are handled one after the other. */
static size_t handled_count(const struct um_demo_acts *acts)
{
    return acts->count && !acts->handled ? acts->count - 1 : acts->count;
}

bool um_demo_act_begin(struct um_demo_acts *acts, const char *name, uint32_t tid,
                       uint64_t dequeued_ns)
{
    um_demo_act_end(acts);
    if (acts->count == UM_DEMO_ACT_MAX)
        return false;
    struct um_demo_log_event *act = act_at(acts, acts->count++);
    *act = (struct um_demo_log_event){
        .kind = UM_DEMO_LOG_ACT, .tid = tid, .retrieved_ns = dequeued_ns};
    snprintf(act->name, sizeof act->name, "%s", name);
    acts->open = true;
    acts->handled = false;
    return true;
}

void um_demo_act_handled(struct um_demo_acts *acts, uint64_t now_ns)
{
    if (!acts->open || acts->over == acts->count)
        return;
    act_at(acts, acts->count - 1)->handled_ns = now_ns;
    acts->handled = true;
}

void um_demo_act_end(struct um_demo_acts *acts)
{
    acts->open = false;
}

void um_demo_act_soil(struct um_demo_acts *acts)
{
    acts->soiled = true;
}

void um_demo_act_settle(struct um_demo_acts *acts)
{
    if (!acts->soiled)
        acts->over = handled_count(acts);
}

void um_demo_act_painted(struct um_demo_acts *acts, uint64_t begin_ns, uint64_t end_ns)
{
    size_t count = handled_count(acts);
    for (; acts->over < count; acts->over++) {
        act_at(acts, acts->over)->begin_ns = begin_ns;
        act_at(acts, acts->over)->end_ns = end_ns;
    }
    acts->soiled = false;
}

bool um_demo_act_take(struct um_demo_acts *acts, struct um_demo_log_event *act)
{
    if (!acts->over)
        return false;
    *act = *act_at(acts, 0);
    acts->first = (acts->first + 1) % UM_DEMO_ACT_MAX;
    acts->count--;
    acts->over--;
    return true;
}
