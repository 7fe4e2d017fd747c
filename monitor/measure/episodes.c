#include "monitor/measure/episodes.h"

#include <string.h>

#include "base/ns.h"

static void publish(struct um_episodes *episodes, uint8_t flags, uint32_t id, enum um_state state,
                    const struct um_stretch_verdict *verdict, uint64_t end_ns)
{
    struct um_wire_frame frame;
    struct um_wire_episode *episode = &frame.as.episode;
    memset(episode, 0, sizeof *episode);
    frame.type = UM_WIRE_EPISODE;
    frame.flags = verdict->has_message ? flags | UM_WIRE_EPISODE_HAS_MESSAGE : flags;
    episode->id = id;
    episode->state = (uint8_t)state;
    episode->start_ns = verdict->start_ns;
    episode->end_ns = um_ns_max(end_ns, verdict->start_ns);
    episode->peak_ns = verdict->peak_ns;
    episode->uncertainty_ns = verdict->uncertainty_ns;
    if (verdict->length_ns) /* suspended, blind and idle episodes have none */
        episode->slept_ns =
            um_ns_elapsed(verdict->length_ns, um_ns_elapsed(verdict->start_ns, episode->end_ns));
    episode->message = verdict->message;
    episode->hwnd = verdict->hwnd;
    episodes->publish(episodes->context, &frame);
}

static uint32_t next_id(struct um_episodes *episodes)
{
    episodes->last_id += episodes->last_id == UINT32_MAX ? 2 : 1; /* 0 means none */
    return episodes->last_id;
}

void um_episodes_start(struct um_episodes *episodes, uint64_t start_ns)
{
    um_timeline_init(&episodes->timeline, start_ns);
    episodes->clear_ns = start_ns;
}

uint32_t um_episodes_begin(struct um_episodes *episodes, enum um_state state,
                           const struct um_stretch_verdict *verdict, uint64_t end_ns)
{
    uint32_t id = next_id(episodes);
    publish(episodes, UM_WIRE_EPISODE_BEGIN, id, state, verdict, end_ns);
    return id;
}

void um_episodes_end(struct um_episodes *episodes, uint32_t id, enum um_state state,
                     const struct um_stretch_verdict *verdict, uint64_t end_ns, uint8_t flags)
{
    flags |= UM_WIRE_EPISODE_END;
    if (!id && state == UM_STATE_SLOW) {
        id = next_id(episodes);
        flags |= UM_WIRE_EPISODE_BEGIN;
    } else if (!id) {
        id = um_episodes_begin(episodes, state, verdict, end_ns);
    }
    publish(episodes, flags, id, state, verdict, end_ns);
    if (!(flags & UM_WIRE_EPISODE_VOID))
        um_episodes_paint(episodes, state, verdict->start_ns, end_ns);
}

void um_episodes_paint(struct um_episodes *episodes, enum um_state state, uint64_t start_ns,
                       uint64_t end_ns)
{
    if (start_ns >= end_ns)
        return;
    um_timeline_paint(&episodes->timeline, state, start_ns, end_ns);
    episodes->clear_ns = um_ns_max(episodes->clear_ns, end_ns);
}

void um_episodes_open(struct um_episodes *episodes, struct um_episodes_open *open,
                      enum um_state state, uint64_t start_ns, uint64_t now_ns, uint32_t id)
{
    open->start_ns = um_ns_max(start_ns, episodes->timeline.start_ns);
    open->id = id;
    if (!id) {
        struct um_stretch_verdict verdict = {.start_ns = open->start_ns};
        open->id = um_episodes_begin(episodes, state, &verdict, now_ns);
    }
}

void um_episodes_close(struct um_episodes *episodes, struct um_episodes_open *open,
                       enum um_state state, uint64_t end_ns, uint8_t flags)
{
    if (open->id) {
        struct um_stretch_verdict verdict = {.start_ns = open->start_ns};
        um_episodes_end(episodes, open->id, state, &verdict, end_ns, flags);
        open->id = 0;
    }
}
