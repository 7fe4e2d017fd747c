#include "monitor/layout/layout_events.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/ns.h"
#include "monitor/layout/layout_components.h"

#define HALF (UM_LAYOUT_PAIRS_DEEPEST / 2)
#define STEPS 2 /* measure and arrange */
#define WAITING_MOST 65536

/* Where an element that is being arranged was put, and where its children are counted from. */
struct place {
    float origin_x, origin_y; /* relative to the root */
    struct um_layout_area area;
};

/* A step of an element that is not bound yet. */
struct waiting {
    uint64_t element;
    uint64_t own_ns;
    uint8_t step;
};

struct um_layout_events {
    struct um_layout_events_config config;
    struct um_layout_areas *areas;
    struct um_layout_pairs pairs;
    struct place places[UM_LAYOUT_PAIRS_DEEPEST]; /* of the steps in pairs.stack */
    uint64_t taken;
    uint64_t ring_lost; /* as drained last */
    uint64_t last_ns;   /* time of the latest event */
    bool in_frame;
    bool lost;   /* an event of the present frame */
    bool astray; /* its begin was not seen, so places are not known */
    bool bound;  /* elements were, since those that waited were last looked through */
    struct waiting *waiting;
    size_t waiting_count, waiting_room;
    /* What the present frame has cost. */
    size_t count;
    struct um_layout_pair list[STEPS * UM_LAYOUT_COMPONENTS_IDS];
    uint16_t at[UM_LAYOUT_COMPONENTS_IDS][STEPS]; /* 1 more than the place in the list; 0: none */
};

_Static_assert(UM_LAYOUT_STEP_MEASURE < STEPS && UM_LAYOUT_STEP_ARRANGE < STEPS, "both have sums");

enum um_status um_layout_events_open(const struct um_layout_events_config *config,
                                     struct um_layout_events **out)
{
    struct um_layout_events *events = calloc(1, sizeof *events);
    if (!events || um_layout_areas_open(&events->areas) != UM_OK) {
        free(events);
        return UM_ERR_MEMORY;
    }
    events->config = *config;
    *out = events;
    return UM_OK;
}

void um_layout_events_close(struct um_layout_events *events)
{
    if (!events)
        return;
    um_layout_areas_close(events->areas);
    free(events->waiting);
    free(events);
}

void um_layout_events_area(struct um_layout_events *events, uint32_t id,
                           const struct um_layout_area *area)
{
    um_layout_areas_set(events->areas, id, area);
}

/* Frames --------------------------------------------------------------------------------------- */

static void add(struct um_layout_events *events, uint32_t id, uint8_t step, uint64_t own_ns)
{
    uint16_t *at = &events->at[id][step];
    if (*at == 0) {
        events->list[events->count++] =
            (struct um_layout_pair){.tag = id, .step = step, .timed = true};
        *at = (uint16_t)events->count;
    }
    events->list[*at - 1].own_ns += own_ns;
}

/* The steps of elements that were arranged after they were measured. `is_over`: also those of
 * elements that were not. */
static void add_waiting(struct um_layout_events *events, bool is_over)
{
    size_t kept = 0;
    for (size_t i = 0; i < events->waiting_count; i++) {
        const struct waiting waiting = events->waiting[i];
        uint32_t id = um_layout_areas_find(events->areas, waiting.element);
        if (id || is_over)
            add(events, id ? id : UM_LAYOUT_COMPONENTS_CHROME, waiting.step, waiting.own_ns);
        else
            events->waiting[kept++] = waiting;
    }
    events->waiting_count = kept;
    events->bound = false;
}

static void wait_for_place(struct um_layout_events *events, const struct um_layout_pair *pair)
{
    if (!um_list_reserve(&events->waiting, &events->waiting_room, events->waiting_count + 1,
                         WAITING_MOST, sizeof events->waiting[0])) {
        add(events, UM_LAYOUT_COMPONENTS_CHROME, pair->step, pair->own_ns);
        return;
    }
    events->waiting[events->waiting_count++] =
        (struct waiting){pair->window, pair->own_ns, pair->step};
}

static void end_frame(struct um_layout_events *events)
{
    if (events->lost)
        events->waiting_count = 0;
    else
        add_waiting(events, true);
    if (events->in_frame || events->lost)
        events->config.frame(events->config.context, events->list, events->lost ? 0 : events->count,
                             events->lost);
    for (size_t i = 0; i < events->count; i++)
        memset(events->at[events->list[i].tag], 0, sizeof events->at[0]);
    events->count = 0;
    events->in_frame = events->lost = events->astray = false;
}

/* Steps ---------------------------------------------------------------------------------------- */

static float or_else(float number, float otherwise)
{
    return isnan(number) ? otherwise : number;
}

/* Where an event puts an element, relative to the step at `depth`; 0: to the root. What the event
 * does not say is as in `otherwise`, which is relative to the root. */
static struct um_layout_area compose(const struct um_layout_events *events, size_t depth,
                                     const struct um_layout_event *event,
                                     const struct um_layout_area *otherwise)
{
    const struct place root = {0};
    const struct place *outer = depth ? &events->places[depth - 1] : &root;
    struct um_layout_area area = {
        .left = or_else(outer->origin_x + event->left, otherwise->left),
        .top = or_else(outer->origin_y + event->top, otherwise->top),
    };
    area.right = area.left + or_else(event->width, otherwise->right - otherwise->left);
    area.bottom = area.top + or_else(event->height, otherwise->bottom - otherwise->top);
    return area;
}

/* The place for the step that begins; a measure has that of the step around it. */
static void push_place(struct um_layout_events *events, const struct um_layout_event *event)
{
    size_t depth = events->pairs.depth;
    if (depth == UM_LAYOUT_PAIRS_DEEPEST) { /* as um_layout_pairs_begin does it */
        memmove(events->places, events->places + HALF, HALF * sizeof events->places[0]);
        depth = HALF;
    }
    struct place *place = &events->places[depth];
    *place = (struct place){0};
    if (depth > 0) {
        place->origin_x = events->places[depth - 1].origin_x;
        place->origin_y = events->places[depth - 1].origin_y;
    }
    if (event->kind != UM_LAYOUT_EVENT_ARRANGE_BEGIN)
        return;
    const struct um_layout_area none = {place->origin_x, place->origin_y, place->origin_x,
                                        place->origin_y};
    place->area = compose(events, depth, event, &none);
    place->origin_x = place->area.left;
    place->origin_y = place->area.top;
}

/* XAML does not measure or arrange an element within the same step of it. If the outermost step
 * begins again, it was left without an end. */
static bool begins_again(const struct um_layout_events *events, const struct um_layout_event *event,
                         uint8_t step)
{
    const struct um_layout_pair *outermost = &events->pairs.stack[0].pair;
    return events->pairs.depth > 0 && outermost->window == event->element &&
           outermost->step == step;
}

/* Ends the frame that lasts if nothing has come for long, though a step has not ended: its end was
 * lost, or never sent. What belongs to the frame is not known then. */
static void end_endless(struct um_layout_events *events, uint64_t now_ns)
{
    if (events->pairs.depth == 0 ||
        um_ns_elapsed(events->last_ns, now_ns) < UM_LAYOUT_EVENTS_ENDLESS_NS)
        return;
    um_layout_pairs_lost(&events->pairs);
    events->lost = true;
    end_frame(events);
}

static void begin_step(struct um_layout_events *events, const struct um_layout_event *event,
                       const struct um_wire_layout_step *step)
{
    end_endless(events, event->time_ns);
    if (begins_again(events, event, step->step))
        um_layout_pairs_lost(&events->pairs);
    if (events->pairs.depth == 0 &&
        um_ns_elapsed(events->last_ns, event->time_ns) >= UM_LAYOUT_EVENTS_GAP_NS)
        end_frame(events);
    events->in_frame = true;
    push_place(events, event);
    um_layout_pairs_begin(&events->pairs, step, 0);
}

/* The component of an element that has ended a step; 0: it is not known yet. */
static uint32_t component_of(struct um_layout_events *events, const struct um_layout_event *event)
{
    const struct place *place = &events->places[events->pairs.depth];
    if (event->kind != UM_LAYOUT_EVENT_ARRANGE_END || events->astray)
        return um_layout_areas_find(events->areas, event->element);
    struct um_layout_area area = compose(events, events->pairs.depth, event, &place->area);
    if (!(area.right > area.left || area.bottom > area.top))
        return um_layout_areas_find(events->areas, event->element);
    events->bound = true;
    return um_layout_areas_bind(events->areas, event->element, &area);
}

static void end_step(struct um_layout_events *events, const struct um_layout_event *event,
                     const struct um_wire_layout_step *step)
{
    const struct um_layout_pair *pair = um_layout_pairs_end(&events->pairs, step, 0, 0);
    if (!pair) {
        events->astray = true;
        return;
    }
    if (events->lost)
        return;
    uint32_t id = component_of(events, event);
    if (id)
        add(events, id, pair->step, pair->own_ns);
    else
        wait_for_place(events, pair);
}

static void note_time(struct um_layout_events *events, uint64_t time_ns)
{
    if (events->last_ns < time_ns)
        events->last_ns = time_ns;
}

/* Events before this time were lost. They may have been of the frame that lasts, or of one that has
 * begun since: both become one frame, which is lost. */
static void take_lost(struct um_layout_events *events, uint64_t time_ns)
{
    um_layout_pairs_lost(&events->pairs);
    events->lost = events->astray = true;
    note_time(events, time_ns);
}

/* What the element has cost in the present frame counts for where it has been. */
static void take_gone(struct um_layout_events *events, uint64_t element)
{
    if (events->bound)
        add_waiting(events, false);
    if (element != 0)
        um_layout_areas_forget(events->areas, element);
}

void um_layout_events_take(struct um_layout_events *events, const struct um_layout_event *event)
{
    bool arranges =
        event->kind == UM_LAYOUT_EVENT_ARRANGE_BEGIN || event->kind == UM_LAYOUT_EVENT_ARRANGE_END;
    bool begins = event->kind == UM_LAYOUT_EVENT_MEASURE_BEGIN ||
                  event->kind == UM_LAYOUT_EVENT_ARRANGE_BEGIN;
    const struct um_wire_layout_step step = {
        .time_ns = event->time_ns,
        .window = event->element,
        .step = arranges ? UM_LAYOUT_STEP_ARRANGE : UM_LAYOUT_STEP_MEASURE,
        .kind = begins ? UM_LAYOUT_KIND_RETRIEVED : UM_LAYOUT_KIND_END, /* no hook is within */
    };
    if (event->kind == UM_LAYOUT_EVENT_LOST)
        take_lost(events, event->time_ns);
    if (event->kind == UM_LAYOUT_EVENT_GONE)
        take_gone(events, event->element);
    if (event->kind == UM_LAYOUT_EVENT_OTHER || event->kind >= UM_LAYOUT_EVENT_LOST ||
        event->element == 0)
        return;
    events->taken++;
    if (begins)
        begin_step(events, event, &step);
    else
        end_step(events, event, &step);
    note_time(events, event->time_ns);
}

size_t um_layout_events_drain(struct um_layout_events *events, struct um_ring *ring)
{
    struct um_layout_event event;
    size_t count = 0;
    for (; count <= ring->mask && um_layout_event_pop(ring, &event); count++) {
        if (ring->lost != events->ring_lost)
            take_lost(events, event.time_ns);
        events->ring_lost = ring->lost;
        um_layout_events_take(events, &event);
    }
    return count;
}

void um_layout_events_tick(struct um_layout_events *events, uint64_t now_ns)
{
    end_endless(events, now_ns);
    if (events->pairs.depth == 0 &&
        um_ns_elapsed(events->last_ns, now_ns) >= UM_LAYOUT_EVENTS_QUIET_NS)
        end_frame(events);
}

void um_layout_events_finish(struct um_layout_events *events)
{
    um_layout_pairs_lost(&events->pairs);
    end_frame(events);
}

struct um_layout_events_sum um_layout_events_sum(const struct um_layout_events *events)
{
    return (struct um_layout_events_sum){events->taken, events->pairs.begins, events->pairs.ends};
}
