#include "monitor/layout/layout.h"

#include <stdlib.h>
#include <string.h>

#include "base/plain/clock.h"
#include "base/plain/text.h"
#include "monitor/layout/layout_components.h"
#include "monitor/layout/layout_pairs.h"

#define TIMES_NS (500 * UM_CLOCK_NS_PER_MS)
#define METERS_NS (100 * UM_CLOCK_NS_PER_MS)
#define CHECKED 20 /* components each time, whether they have moved */
#define LOCATED 50 /* components each time, where they are */

/* What the feed has of a component. */
struct told {
    bool named;        /* a LAYOUT_COMPONENT */
    bool due;          /* where it is now is to be asked */
    bool has_elements; /* the second source has had steps of it */
    struct um_wire_layout_place place;
    uint64_t handler; /* that `key` is of */
    uint64_t key;
};

struct um_layout {
    struct um_layout_config config;
    struct um_layout_components *components;
    struct um_layout_pairs pairs;
    bool in_frame;
    bool frame_lost; /* a record of the present frame was lost */
    bool unseen;     /* records were lost: windows may have come and gone */
    bool wants_windows;
    bool listed;     /* all windows there are are being told */
    uint64_t lost;   /* records, by the DLL's last frame */
    uint64_t frames; /* that count */
    uint64_t frames_lost;
    uint64_t frames_told; /* as published, both */
    uint64_t lost_told;
    uint64_t told_ns;   /* when; 0: never */
    uint64_t meters_ns; /* when the last LAYOUT_METERS was due */
    bool arranged;      /* something was, since it was last asked where all are */
    uint32_t due;       /* how many of `told` are due */
    uint32_t located;   /* the one that was asked about last */
    struct told told[UM_LAYOUT_COMPONENTS_IDS];
    bool counted[UM_LAYOUT_COMPONENTS_IDS]; /* the second source has steps of the component */
};

enum um_status um_layout_open(const struct um_layout_config *config, struct um_layout **out)
{
    struct um_layout *layout = calloc(1, sizeof *layout);
    const struct um_layout_components_config windows = {config->context, config->describe,
                                                        config->is_system, config->rules};
    if (!layout || um_layout_components_open(&windows, &layout->components) != UM_OK) {
        free(layout);
        return UM_ERR_MEMORY;
    }
    layout->config = *config;
    *out = layout;
    return UM_OK;
}

void um_layout_close(struct um_layout *layout)
{
    if (!layout)
        return;
    um_layout_components_close(layout->components);
    free(layout);
}

static void windows_unseen(struct um_layout *layout)
{
    um_layout_components_unseen(layout->components);
    layout->wants_windows = true;
    layout->listed = false;
}

void um_layout_resumed(struct um_layout *layout)
{
    um_layout_pairs_lost(&layout->pairs);
    windows_unseen(layout);
    um_layout_components_end_frame(layout->components, false);
    layout->in_frame = layout->frame_lost = layout->unseen = false;
    layout->arranged = true; /* they may have moved meanwhile */
    um_layout_count_ended(layout);
}

void um_layout_attached(struct um_layout *layout)
{
    um_layout_resumed(layout);
    layout->lost = 0;
}

bool um_layout_wants_windows(const struct um_layout *layout)
{
    return layout->wants_windows;
}

void um_layout_listed(struct um_layout *layout)
{
    layout->wants_windows = false;
    layout->listed = true;
}

void um_layout_found(struct um_layout *layout, uint64_t window)
{
    um_layout_components_found(layout->components, window);
}

/* If windows were not seen meanwhile, another list is wanted. */
void um_layout_found_all(struct um_layout *layout)
{
    if (layout->listed)
        um_layout_components_forget(layout->components);
    layout->listed = false;
}

static void end_frame(struct um_layout *layout)
{
    layout->frames += layout->in_frame && !layout->frame_lost;
    layout->frames_lost += layout->frame_lost;
    um_layout_components_end_frame(layout->components, !layout->frame_lost);
    layout->in_frame = layout->frame_lost = false;
}

/* Whether the second source measures what lies within such a step. */
static bool is_counted(const struct um_layout *layout, const struct um_layout_pair *pair)
{
    return pair->step != UM_LAYOUT_STEP_PAINT && layout->counted[pair->tag];
}

static void take_step(struct um_layout *layout, const struct um_wire_layout_step *step,
                      const struct um_wire_layout_steps *steps)
{
    if (step->step >= UM_LAYOUT_STEP_COUNT)
        return; /* of a later version */
    layout->arranged |= step->step == UM_LAYOUT_STEP_ARRANGE;
    if (step->kind != UM_LAYOUT_KIND_END) {
        layout->in_frame = true;
        um_layout_pairs_begin(&layout->pairs, step,
                              um_layout_components_of(layout->components, step->window));
        return;
    }
    const struct um_layout_pair *pair =
        um_layout_pairs_end(&layout->pairs, step, steps->hook_ns, steps->inside_ns);
    if (pair && pair->timed && !is_counted(layout, pair))
        um_layout_components_add(layout->components, pair);
    if (pair && pair->timed && pair->sent && layout->config.stepped)
        layout->config.stepped(layout->config.context, pair, step->time_ns);
}

static void take_record(struct um_layout *layout, const struct um_wire_layout_step *record,
                        const struct um_wire_layout_steps *steps)
{
    switch (record->kind) {
    case UM_LAYOUT_KIND_BEGIN:
    case UM_LAYOUT_KIND_RETRIEVED:
    case UM_LAYOUT_KIND_END:
        take_step(layout, record, steps);
        break;
    case UM_LAYOUT_KIND_CYCLE:
        um_layout_pairs_waited(&layout->pairs);
        end_frame(layout);
        break;
    case UM_LAYOUT_KIND_CREATED:
        um_layout_components_created(layout->components, record->window, record->handler,
                                     record->message);
        break;
    case UM_LAYOUT_KIND_DESTROYED:
        um_layout_components_destroyed(layout->components, record->window);
        break;
    default:
        break;
    }
}

/* The lost records lie before those of the frame that says so. */
static void take_lost(struct um_layout *layout, uint64_t lost)
{
    if (lost > layout->lost) {
        um_layout_pairs_lost(&layout->pairs);
        layout->frame_lost = layout->unseen = layout->arranged = true;
    }
    layout->lost = lost;
}

void um_layout_take(struct um_layout *layout, const struct um_wire_frame *frame)
{
    const struct um_wire_layout_steps *steps = &frame->as.layout_steps;
    if (frame->type != UM_WIRE_LAYOUT_STEPS)
        return;
    take_lost(layout, steps->lost);
    for (size_t i = 0; i < steps->count; i++)
        take_record(layout, &steps->list[i], steps);
}

/* Publishing ----------------------------------------------------------------------------------- */

static void set_due(struct um_layout *layout, uint32_t id)
{
    layout->due += !layout->told[id].due;
    layout->told[id].due = true;
}

static void publish_name(struct um_layout *layout, uint32_t id,
                         struct um_layout_component *component)
{
    struct um_wire_frame frame = {.type = UM_WIRE_LAYOUT_COMPONENT,
                                  .as.layout_component = {.id = id,
                                                          .parent = component->parent,
                                                          .window = component->window,
                                                          .authored = component->authored,
                                                          .rendered = component->rendered}};
    um_text_set(frame.as.layout_component.window_class, UM_WIRE_LAYOUT_TEXT_BYTES,
                component->window_class);
    um_text_set(frame.as.layout_component.text, UM_WIRE_LAYOUT_TEXT_BYTES, component->text);
    layout->config.publish(layout->config.context, &frame);
    layout->told[id].named = true;
    set_due(layout, id);
    component->is_news = false;
}

/* A component is told of before its first numbers, and again when it has changed. One that had no
 * step has no numbers, but it may be seen. */
static void publish_news(struct um_layout *layout)
{
    um_layout_components_count(layout->components);
    for (uint32_t id = 1; id < um_layout_components_end(layout->components); id++) {
        struct um_layout_component *component = um_layout_components_get(layout->components, id);
        if (component->is_news &&
            (component->window != 0 || component->frames > 0 || layout->told[id].named))
            publish_name(layout, id, component);
    }
}

/* Where a component is now. The second source sees the parts of those that it counts. */
static struct um_wire_layout_place find_place(struct um_layout *layout, uint32_t id)
{
    const struct um_layout_component *component = um_layout_components_get(layout->components, id);
    const struct um_layout_component *root = component;
    struct um_wire_layout_place at, place = {.id = id};
    while (root->parent != 0)
        root = um_layout_components_get(layout->components, root->parent);
    if (layout->config.locate && component->window != 0 && root->window != 0 &&
        layout->config.locate(layout->config.context, component->window, root->window, &at)) {
        place = at;
        place.id = id;
    }
    place.draws_parts = component->draws_parts && !layout->told[id].has_elements;
    return place;
}

static bool is_same_place(const struct um_wire_layout_place *a,
                          const struct um_wire_layout_place *b)
{
    return a->left == b->left && a->top == b->top && a->width == b->width &&
           a->height == b->height && a->draws_parts == b->draws_parts;
}

/* Publishes where components are that are due, at most so many. Nothing is said of those that were
 * on no screen so far, unless their parts are not seen. */
static void publish_places(struct um_layout *layout, uint32_t most)
{
    uint32_t end = um_layout_components_end(layout->components);
    while (layout->due > 0 && most > 0) {
        layout->located = (layout->located + 1) % end;
        uint32_t id = layout->located;
        struct told *told = &layout->told[id];
        if (!told->due)
            continue;
        told->due = false;
        layout->due--;
        most--;
        struct um_wire_frame frame = {.type = UM_WIRE_LAYOUT_PLACE,
                                      .as.layout_place = find_place(layout, id)};
        if (!is_same_place(&frame.as.layout_place, &told->place))
            layout->config.publish(layout->config.context, &frame);
        told->place = frame.as.layout_place;
    }
}

/* All components are due if something was arranged: a window that moves takes along those in it. */
static void set_arranged_due(struct um_layout *layout)
{
    if (!layout->arranged)
        return;
    for (uint32_t id = 1; id < um_layout_components_end(layout->components); id++)
        if (layout->told[id].named)
            set_due(layout, id);
    layout->arranged = false;
}

static void publish_meters(struct um_layout *layout, uint64_t now_ns)
{
    struct um_wire_frame frame = {.type = UM_WIRE_LAYOUT_METERS,
                                  .as.layout_meters = {.time_ns = now_ns}};
    struct um_wire_layout_meters *meters = &frame.as.layout_meters;
    for (uint32_t id = 1; id < um_layout_components_end(layout->components); id++) {
        struct um_layout_component *component = um_layout_components_get(layout->components, id);
        if (!component->recent)
            continue;
        component->recent = false;
        const uint64_t *last_ns = component->last_step_ns;
        meters->list[meters->count++] =
            (struct um_wire_layout_meter){.id = id,
                                          .frame = component->last_frame,
                                          .measure_ns = last_ns[UM_LAYOUT_STEP_MEASURE],
                                          .arrange_ns = last_ns[UM_LAYOUT_STEP_ARRANGE],
                                          .paint_ns = last_ns[UM_LAYOUT_STEP_PAINT],
                                          .mean_ns = (uint64_t)(component->mean_ms * 1e6),
                                          .worst_ns = component->recent_worst_ns};
        if (meters->count == UM_WIRE_LAYOUT_METERS_MOST) {
            layout->config.publish(layout->config.context, &frame);
            meters->count = 0;
        }
    }
    if (meters->count > 0)
        layout->config.publish(layout->config.context, &frame);
    layout->meters_ns = now_ns;
}

static uint64_t key_of(struct um_layout *layout, uint32_t id, uint64_t handler)
{
    struct told *told = &layout->told[id];
    if (told->handler != handler) {
        told->handler = handler;
        told->key = handler ? layout->config.key(layout->config.context, handler) : 0;
    }
    return told->key;
}

static void fill_cost(struct um_layout *layout, uint32_t id,
                      const struct um_layout_component *component, struct um_wire_layout_cost *cost)
{
    struct um_layout_components_message costliest = um_layout_components_costliest(component);
    *cost = (struct um_wire_layout_cost){.id = id,
                                         .frames = component->frames,
                                         .layout_ns = component->step_ns[UM_LAYOUT_STEP_MEASURE] +
                                                      component->step_ns[UM_LAYOUT_STEP_ARRANGE],
                                         .own_layout_ns = component->own_layout_ns,
                                         .measure_ns = component->step_ns[UM_LAYOUT_STEP_MEASURE],
                                         .arrange_ns = component->step_ns[UM_LAYOUT_STEP_ARRANGE],
                                         .paint_ns = component->step_ns[UM_LAYOUT_STEP_PAINT],
                                         .worst_frame_ns = component->worst_frame_ns,
                                         .key = key_of(layout, id, costliest.handler),
                                         .message = costliest.message};
}

static void publish_times(struct um_layout *layout, uint64_t now_ns)
{
    struct um_wire_frame frame = {.type = UM_WIRE_LAYOUT_TIMES,
                                  .as.layout_times = {.time_ns = now_ns,
                                                      .frames = layout->frames,
                                                      .lost = layout->frames_lost,
                                                      .without_end = layout->pairs.begins,
                                                      .without_begin = layout->pairs.ends}};
    struct um_wire_layout_times *times = &frame.as.layout_times;
    for (uint32_t id = 1; id < um_layout_components_end(layout->components); id++) {
        struct um_layout_component *component = um_layout_components_get(layout->components, id);
        if (!component->changed)
            continue;
        component->changed = false;
        fill_cost(layout, id, component, &times->list[times->count++]);
        if (times->count == UM_WIRE_LAYOUT_COSTS) {
            layout->config.publish(layout->config.context, &frame);
            times->count = 0;
        }
    }
    if (times->count > 0 || layout->frames != layout->frames_told ||
        layout->frames_lost != layout->lost_told)
        layout->config.publish(layout->config.context, &frame);
    layout->frames_told = layout->frames;
    layout->lost_told = layout->frames_lost;
    layout->told_ns = now_ns;
}

void um_layout_tick(struct um_layout *layout, uint64_t now_ns)
{
    bool meters = layout->meters_ns == 0 || now_ns >= layout->meters_ns + METERS_NS;
    bool times = layout->told_ns == 0 || now_ns >= layout->told_ns + TIMES_NS;
    if (meters || times)
        publish_news(layout);
    if (times)
        set_arranged_due(layout);
    publish_places(layout, LOCATED);
    if (meters)
        publish_meters(layout, now_ns);
    if (!times)
        return;
    if (layout->frames != layout->frames_told) /* nothing is docked without a layout frame */
        layout->unseen |= um_layout_components_moved(layout->components, CHECKED);
    if (layout->unseen)
        windows_unseen(layout);
    layout->unseen = false;
    publish_times(layout, now_ns);
}

void um_layout_finish(struct um_layout *layout, uint64_t now_ns)
{
    end_frame(layout);
    publish_news(layout);
    set_arranged_due(layout);
    publish_places(layout, UINT32_MAX);
    publish_meters(layout, now_ns);
    publish_times(layout, now_ns);
}

struct um_layout_sum um_layout_sum(const struct um_layout *layout)
{
    return (struct um_layout_sum){.frames = layout->frames,
                                  .lost = layout->frames_lost,
                                  .begins = layout->pairs.begins,
                                  .ends = layout->pairs.ends};
}

struct um_layout_components *um_layout_components(struct um_layout *layout)
{
    return layout->components;
}

bool um_layout_in_frame(const struct um_layout *layout)
{
    return layout->in_frame || layout->frame_lost;
}

/* The second source sees a component's parts. */
static void count_parts(struct um_layout *layout, uint32_t id)
{
    if (id < UM_LAYOUT_COMPONENTS_FIRST || id >= UM_LAYOUT_COMPONENTS_IDS || layout->counted[id])
        return;
    layout->counted[id] = true;
    if (layout->told[id].named && !layout->told[id].has_elements)
        set_due(layout, id);
    layout->told[id].has_elements = true;
}

void um_layout_count(struct um_layout *layout, const struct um_layout_pair *list, size_t count,
                     bool lost)
{
    for (size_t i = 0; i < count; i++) {
        um_layout_components_add(layout->components, &list[i]);
        count_parts(layout, list[i].tag);
    }
    if (um_layout_in_frame(layout)) {
        layout->frame_lost |= lost;
        return;
    }
    layout->in_frame = true;
    layout->frame_lost = lost;
    end_frame(layout);
}

void um_layout_count_ended(struct um_layout *layout)
{
    memset(layout->counted, 0, sizeof layout->counted);
}
