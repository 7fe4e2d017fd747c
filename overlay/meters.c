#include "overlay/meters.h"

#include <stdlib.h>
#include <string.h>

#include "base/plain/clock.h"
#include "overlay/choice.h"
#include "overlay/drawing_sdl.h"
#include "overlay/glyphs_sdl.h"
#include "overlay/meter.h"
#include "overlay/meters_sdl.h"
#include "overlay/parts.h"
#include "overlay/parts_recorded.h"
#include "overlay/sheet.h"

#define PICTURE_NS (33 * UM_CLOCK_NS_PER_MS)
#define DECAY_NS (200 * UM_CLOCK_NS_PER_MS)
#define REST_LOOK_NS (200 * UM_CLOCK_NS_PER_MS)
#define BUSY_LOOK_NS (66 * UM_CLOCK_NS_PER_MS)
#define BUSY_FOR_NS (2 * UM_CLOCK_NS_PER_S) /* after the last change of a place */
#define LEGEND_NS (5 * UM_CLOCK_NS_PER_S)   /* from the picture on that has it */
#define LEAST_NS (UM_CLOCK_NS_PER_MS / 10)  /* a difference that is drawn */
#define RETRY_NS (500 * UM_CLOCK_NS_PER_MS) /* after a picture that could not be shown */
#define RAISE_NS UM_CLOCK_NS_PER_S /* at most so often: some targets are above all others */
#define MOST_TAKEN (1 + 2 * UM_WIRE_LAYOUT_COMPONENTS)
#define PANELS 3
#define LIST_CLASS "SysListView32" /* also a part of the names of classes made of it */
#define CHROME_NAME 64             /* px at 100 %: room for "<chrome>" */
#define PIECES 4 /* that are sent: Wine takes as long for each as for the whole picture */
/* One look finds the siblings over so many components, and takes so long for that at most: under
 * Wine each of them takes as long as it has siblings. */
#define SIBLING_LOOKS 16
#define SIBLINGS_NS UM_CLOCK_NS_PER_MS

/* A component with a meter, as it was drawn. */
struct meter {
    uint32_t id;
    struct um_canvas_rect box, name; /* beside each other; the name may have no width */
    uint64_t history[UM_COSTS_BUCKETS];
    uint64_t mean_ns;
    uint32_t authored, rendered;
};

struct um_meters {
    struct um_meters_options options;
    struct um_meters_scene scene; /* as it was drawn */
    struct um_glyphs *glyphs;
    struct um_sheet *sheet;
    struct um_costs costs;
    struct um_choice_windows windows; /* over the sheet */
    struct um_choice_item items[UM_WIRE_LAYOUT_COMPONENTS];
    size_t item_count;
    struct meter meters[UM_WIRE_LAYOUT_COMPONENTS];
    size_t meter_count;
    struct um_canvas_rect taken[MOST_TAKEN]; /* by the graph, column heads, and each of those */
    size_t taken_count;
    struct um_canvas_rect near[MOST_TAKEN + UM_SIBLINGS];   /* of these and siblings, for settle */
    struct um_canvas_rect inner[UM_WIRE_LAYOUT_COMPONENTS]; /* for settle */
    struct um_siblings siblings[UM_WIRE_LAYOUT_COMPONENTS]; /* by id, over each */
    size_t siblings_next;                                   /* the item whose are found next */
    struct um_canvas_rect panels[PANELS];                   /* of the read-outs and the legend */
    size_t panel_count;
    uint32_t hover, pin, costliest;
    uint64_t legend_until_ns; /* 0: there is none any more; UINT64_MAX: it was not drawn yet */
    bool has_legend;          /* it was drawn */
    bool pins_due;            /* the keys that pin were pressed since the last look */
    bool begun;               /* a turn has been made */
    bool anew;                /* all is to be drawn */
    bool decays;              /* a meter has something that becomes older */
    uint64_t place;           /* a hash of what was found, at the last look */
    uint64_t look_ns;         /* when to look again */
    uint64_t moved_ns;        /* when the last look found a change */
    uint64_t drawn_ns;
    uint64_t drawn_feed_ns; /* the feed's time then */
    uint64_t next_ns;       /* no picture before that */
    uint64_t raised_ns;     /* when the sheet was last raised; 0: never */
    uint64_t readouts;      /* a hash of what those say that were drawn */
    uint32_t changes;       /* of the costs, that were drawn */
    uint32_t news;          /* of the costs, that were looked at */
};

enum um_status um_meters_open(const struct um_meters_options *options, uint64_t above, bool legend,
                              struct um_meters **out)
{
    struct um_meters *meters = calloc(1, sizeof *meters);
    if (!meters)
        return UM_ERR_MEMORY;
    meters->options = *options;
    meters->scene.scale = 1;
    meters->anew = true;
    meters->legend_until_ns = legend ? UINT64_MAX : 0;
    enum um_status status = um_glyphs_open(options->font_dir, 1, &meters->glyphs);
    if (status == UM_OK)
        status = um_sheet_open(above, &meters->sheet);
    if (status != UM_OK) {
        um_meters_close(meters);
        return status;
    }
    *out = meters;
    return UM_OK;
}

void um_meters_close(struct um_meters *meters)
{
    if (!meters)
        return;
    um_sheet_close(meters->sheet);
    um_glyphs_close(meters->glyphs);
    um_costs_close(&meters->costs);
    free(meters);
}

enum um_status um_meters_take(struct um_meters *meters, const struct um_costs *costs)
{
    return costs->changes == meters->costs.changes ? UM_OK : um_costs_copy(costs, &meters->costs);
}

/* Where they lie ------------------------------------------------------------------------------- */

/* Takes the numbers of all components. Places stay as they were if the components are the same. */
static void list_items(struct um_meters *meters)
{
    size_t count = 0;
    for (uint32_t id = 1; id < meters->costs.end; id++) {
        const struct um_cost *cost = um_costs_get(&meters->costs, id);
        if (!cost)
            continue;
        struct um_choice_item *item = &meters->items[count++];
        if (item->id != id || item->window != cost->window) {
            *item = (struct um_choice_item){.id = id, .window = cost->window};
            meters->siblings[id] = (struct um_siblings){0};
        }
        item->parent = cost->parent;
        item->measured = cost->measured;
        item->mean_ms = (double)cost->last.mean_ns / 1e6;
        item->authored = cost->authored;
        item->rendered = cost->rendered;
        item->draws_parts = cost->draws_parts;
    }
    meters->item_count = count;
}

static bool is_replay(const struct um_meters *meters)
{
    return meters->scene.target == 0;
}

/* Whether there is a replay in which the main window is minimised, or not there yet. */
static bool is_unplaced(const struct um_meters *meters)
{
    return is_replay(meters) && meters->scene.bounds.width <= 0;
}

/* The main window's component; NULL: it is not seen. In a replay no other root is. */
static const struct um_choice_item *main_item(const struct um_meters *meters)
{
    for (size_t i = 0; i < meters->item_count; i++) {
        const struct um_choice_item *item = &meters->items[i];
        bool is_main = is_replay(meters) ? item->parent == 0 && item->window != 0
                                         : item->window == meters->scene.target;
        if (item->seen && is_main)
            return item;
    }
    return NULL;
}

/* What is of no window lies in the upper left corner of the main window. */
static void place_chrome(struct um_meters *meters)
{
    double scale = meters->scene.scale;
    int width = um_meter_width(meters->options.bars) + 2 * UM_METER_INSET + CHROME_NAME;
    const struct um_choice_item *main = main_item(meters);
    struct um_choice_item *chrome = &meters->items[0];
    if (meters->item_count == 0 || chrome->id != UM_WIRE_LAYOUT_CHROME)
        return;
    chrome->seen = main != NULL;
    if (main) {
        chrome->depth = main->depth;
        chrome->rect = (struct um_canvas_rect){main->rect.x, main->rect.y, (int)(width * scale) + 1,
                                               (int)(UM_METER_FIT * scale) + 1};
    }
}

static void mix(uint64_t *hash, int64_t number)
{
    *hash = (*hash ^ (uint64_t)number) * UINT64_C(0x9e3779b97f4a7c15);
    *hash ^= *hash >> 32;
}

static void mix_rect(uint64_t *hash, const struct um_canvas_rect *rect)
{
    mix(hash, rect->x);
    mix(hash, rect->y);
    mix(hash, rect->width);
    mix(hash, rect->height);
}

/* A hash of all places, and of which components are shown, and whether by a meter. */
static uint64_t hash_of(const struct um_meters *meters)
{
    uint64_t hash = 1;
    for (size_t i = 0; i < meters->item_count; i++) {
        const struct um_choice_item *item = &meters->items[i];
        if (!item->seen)
            continue;
        mix(&hash, item->id);
        mix(&hash, item->shown);
        mix(&hash, item->depth);
        mix(&hash, item->draws_parts);
        mix_rect(&hash, &item->rect);
    }
    for (size_t i = 0; i < meters->windows.count; i++)
        mix_rect(&hash, &meters->windows.list[i]);
    return hash;
}

/* Finds where all components lie. Returns whether the target has come to lie over the sheet. */
static bool find_parts(struct um_meters *meters)
{
    if (!is_replay(meters))
        return um_parts_look(meters->scene.target, &meters->scene.bounds, meters->items,
                             meters->item_count, &meters->windows);
    um_parts_recorded_look(&meters->costs, &meters->scene.bounds, meters->items, meters->item_count,
                           &meters->windows);
    return false;
}

/* The id of the component under the cursor; 0: there is none. */
static uint32_t find_hover(const struct um_meters *meters)
{
    const struct um_canvas_rect *bounds = &meters->scene.bounds;
    int x, y;
    if (!is_replay(meters))
        return um_parts_hover(bounds, meters->items, meters->item_count, &meters->windows);
    return um_parts_cursor(&x, &y) ? um_parts_recorded_hover(meters->items, meters->item_count,
                                                             x - bounds->x, y - bounds->y)
                                   : 0;
}

/* Finds what is under the cursor, and what is pinned. */
static void point(struct um_meters *meters)
{
    const struct um_cost *pinned = um_costs_get(&meters->costs, meters->pin);
    bool inspects = meters->scene.mode == UM_WIRE_LAYOUT_MODE_INSPECT;
    uint32_t hover = 0, pin = pinned && pinned->window != 0 ? meters->pin : 0;
    if (meters->pins_due || inspects)
        hover = find_hover(meters);
    if (meters->pins_due)
        pin = um_choice_pin(meters->pin, hover);
    hover = inspects ? hover : 0;
    meters->anew |= hover != meters->hover || pin != meters->pin;
    meters->hover = hover;
    meters->pin = pin;
    meters->pins_due = false;
}

/* Finds what siblings hide of some of the components that are shown, which no place of a component
 * tells. Each look goes on with the next ones. */
static void look_at_siblings(struct um_meters *meters)
{
    uint64_t begun_ns = um_clock_now_ns();
    size_t left = SIBLING_LOOKS;
    for (size_t i = 0; i < meters->item_count && left > 0 && !is_replay(meters); i++) {
        const struct um_choice_item *item =
            &meters->items[meters->siblings_next++ % meters->item_count];
        struct um_siblings found, *known = &meters->siblings[item->id];
        if (!item->shown || !item->seen || item->window == 0)
            continue;
        um_parts_siblings(&meters->scene.bounds, item, &found);
        meters->anew |= memcmp(&found, known, sizeof found) != 0;
        *known = found;
        left = um_clock_now_ns() - begun_ns < SIBLINGS_NS ? left - 1 : 0;
    }
}

/* Looks where everything is, if that is due, and returns whether it was. */
static bool look(struct um_meters *meters, uint64_t now_ns)
{
    bool due = now_ns >= meters->look_ns || meters->news != meters->costs.news;
    list_items(meters);
    if (!due)
        return false;
    meters->news = meters->costs.news;
    bool is_behind = find_parts(meters);
    if (is_behind && (meters->raised_ns == 0 || now_ns - meters->raised_ns >= RAISE_NS)) {
        um_sheet_raise(meters->sheet);
        meters->raised_ns = now_ns;
    }
    place_chrome(meters);
    point(meters);
    bool busy = now_ns - meters->moved_ns < BUSY_FOR_NS ||
                meters->scene.mode == UM_WIRE_LAYOUT_MODE_INSPECT;
    meters->look_ns = now_ns + (busy ? BUSY_LOOK_NS : REST_LOOK_NS);
    return true;
}

/* Chooses which components are shown. */
static void choose(struct um_meters *meters, uint64_t now_ns)
{
    um_choice_make(meters->scene.mode, meters->hover, meters->pin, meters->items,
                   meters->item_count);
    bool compares = meters->scene.mode != UM_WIRE_LAYOUT_MODE_INSPECT;
    uint32_t costliest = compares ? um_choice_costliest(meters->items, meters->item_count) : 0;
    uint64_t place = hash_of(meters);
    meters->anew |= costliest != meters->costliest;
    meters->costliest = costliest;
    if (place != meters->place) {
        meters->anew = true;
        meters->moved_ns = now_ns;
    }
    meters->place = place;
}

/* Drawing -------------------------------------------------------------------------------------- */

static bool lies_within(const struct um_canvas *canvas, const struct um_canvas_rect *box)
{
    return box->x >= 0 && box->y >= 0 && box->x + box->width <= canvas->width &&
           box->y + box->height <= canvas->height;
}

/* Takes what is to be drawn of a component, if that differs from what is drawn. */
static bool update(struct um_meters *meters, struct meter *meter, uint64_t feed_ns)
{
    const struct um_cost *cost = um_costs_get(&meters->costs, meter->id);
    struct meter now = *meter;
    if (!cost)
        return false;
    if (!meters->options.bars)
        meters->decays |= um_costs_history(cost, feed_ns, now.history);
    now.mean_ns = cost->last.mean_ns;
    now.authored = cost->authored;
    now.rendered = cost->rendered;
    uint64_t differs_ns =
        meter->mean_ns > now.mean_ns ? meter->mean_ns - now.mean_ns : now.mean_ns - meter->mean_ns;
    bool differs = differs_ns > LEAST_NS || meter->authored != now.authored ||
                   meter->rendered != now.rendered ||
                   memcmp(meter->history, now.history, sizeof now.history) != 0;
    if (differs)
        *meter = now;
    return differs;
}

static void draw_box(struct um_meters *meters, const struct um_drawing *d,
                     const struct meter *meter, uint64_t feed_ns)
{
    const struct um_cost *cost = um_costs_get(&meters->costs, meter->id);
    if (cost->draws_parts)
        um_meters_unseen(d, &meter->box);
    else
        um_meters_box(d, &meter->box, cost, feed_ns, meters->options.bars,
                      meter->id == meters->costliest);
}

/* What siblings leave of a component; its size is 0 if that is nothing. */
static struct um_canvas_rect left_of(const struct um_meters *meters,
                                     const struct um_choice_item *item)
{
    return um_siblings_cut(&meters->siblings[item->id], item->rect);
}

/* Lists the parts of a component that are shown and smaller than that: what its meter should not
 * lie over. */
static size_t list_inner(struct um_meters *meters, const struct um_choice_item *item,
                         const struct um_canvas_rect *left)
{
    size_t count = 0;
    const struct um_choice_item *end = meters->items + meters->item_count;
    for (const struct um_choice_item *part = item + 1; part < end; part++) {
        if (!part->shown || part->depth != item->depth)
            continue;
        struct um_canvas_rect inner = left_of(meters, part);
        struct um_canvas_rect common = um_canvas_cut(&inner, left);
        bool is_inside = memcmp(&common, &inner, sizeof common) == 0;
        if (is_inside && memcmp(left, &inner, sizeof common) != 0)
            meters->inner[count++] = inner;
    }
    return count;
}

/* Lists the taken places in a component, and the siblings over it. */
static size_t list_near(struct um_meters *meters, const struct um_choice_item *item,
                        const struct um_canvas_rect *left)
{
    const struct um_siblings *siblings = &meters->siblings[item->id];
    size_t count = 0;
    for (size_t i = 0; i < meters->taken_count; i++)
        if (um_canvas_overlap(&meters->taken[i], left))
            meters->near[count++] = meters->taken[i];
    for (size_t i = 0; i < siblings->count; i++)
        meters->near[count++] = siblings->list[i];
    return count;
}

/* Finds a place for a box in what is left of a component, with its name if there is room for
 * both. */
static bool settle(struct um_meters *meters, const struct um_choice_item *item,
                   const struct um_canvas_rect *left, int wanted, struct meter *meter)
{
    const struct um_meter_others others = {.taken = meters->near,
                                           .taken_count = list_near(meters, item, left),
                                           .inner = meters->inner,
                                           .inner_count = list_inner(meters, item, left)};
    double scale = meters->scene.scale;
    int name = um_meter_name_width(left, scale, &meter->box, wanted);
    struct um_canvas_rect whole = meter->box;
    whole.x -= name;
    whole.width += name;
    if (!um_meter_avoid(left, scale, &others, &whole)) {
        whole = meter->box;
        name = 0;
        if (!um_meter_avoid(left, scale, &others, &whole))
            return false;
    }
    meter->name = (struct um_canvas_rect){whole.x, whole.y, name, whole.height};
    meter->box = (struct um_canvas_rect){whole.x + name, whole.y, whole.width - name, whole.height};
    return true;
}

/* A meter with its name. */
static struct um_canvas_rect whole_of(const struct meter *meter)
{
    return (struct um_canvas_rect){meter->name.x, meter->box.y,
                                   meter->name.width + meter->box.width, meter->box.height};
}

/* Finds a place for the meter of a component, if there is room. */
static void add_meter(struct um_meters *meters, const struct um_drawing *d,
                      const struct um_choice_item *item)
{
    const struct um_cost *cost = um_costs_get(&meters->costs, item->id);
    struct um_canvas_rect left = left_of(meters, item);
    struct meter meter = {.id = item->id};
    if (!cost || !um_meter_place(&left, d->scale, meters->options.bars, &meter.box))
        return;
    if (item->draws_parts)
        um_meters_unseen_box(d, &meter.box);
    if (!settle(meters, item, &left, um_meters_name_width(d, cost), &meter))
        return;
    struct um_canvas_rect whole = whole_of(&meter);
    if (!lies_within(&d->canvas, &whole) ||
        um_choice_is_covered(&meters->windows, item->depth, &whole))
        return;
    meters->taken[meters->taken_count++] = whole;
    meters->meters[meters->meter_count++] = meter;
}

/* Draws the components over one window of the desktop that are shown: their frames, those of parts
 * over those around them, and their meters. Parts have the first choice of where their meter is.
 * Nothing is drawn where siblings lie over a component. */
static void draw_components(struct um_meters *meters, const struct um_drawing *d, size_t depth,
                            uint64_t feed_ns)
{
    size_t first = meters->meter_count;
    for (size_t i = 0; i < meters->item_count; i++) {
        const struct um_choice_item *item = &meters->items[i];
        struct um_canvas_rect left = left_of(meters, item);
        if (item->shown && item->depth == depth && left.width > 0)
            um_meters_outline(d, &left, &meters->siblings[item->id], item->id == meters->pin,
                              item->id == meters->costliest);
    }
    for (size_t i = meters->item_count; i-- > 0;) {
        const struct um_choice_item *item = &meters->items[i];
        if (item->shown && item->depth == depth)
            add_meter(meters, d, item);
    }
    for (size_t i = first; i < meters->meter_count; i++) {
        struct meter *meter = &meters->meters[i];
        const struct um_cost *cost = um_costs_get(&meters->costs, meter->id);
        (void)update(meters, meter, feed_ns);
        if (meter->name.width > 0)
            um_meters_name(d, &meter->name, cost, meter->id == meters->costliest);
        draw_box(meters, d, meter, feed_ns);
    }
}

static bool overlaps_any(const struct um_canvas_rect *list, size_t count,
                         const struct um_canvas_rect *rect)
{
    for (size_t i = 0; i < count; i++)
        if (um_canvas_overlap(&list[i], rect))
            return true;
    return false;
}

/* Draws all components of a sketch that are not shown. */
static void draw_faint(const struct um_meters *meters, const struct um_drawing *d)
{
    for (size_t i = 0; i < meters->item_count; i++) {
        const struct um_choice_item *item = &meters->items[i];
        if (item->seen && item->window != 0 && !item->shown)
            um_meters_faint(d, &item->rect);
    }
}

static void add_panel(struct um_meters *meters, struct um_canvas_rect panel)
{
    meters->panels[meters->panel_count++] = panel;
}

static void draw_readout(struct um_meters *meters, const struct um_drawing *d,
                         const struct um_choice_item *item)
{
    const struct um_cost *cost = um_costs_get(&meters->costs, item->id);
    struct um_canvas_rect left = left_of(meters, item), box = {left.x + left.width, left.y, 0, 0};
    for (size_t i = 0; i < meters->meter_count; i++)
        if (meters->meters[i].id == item->id)
            box = whole_of(&meters->meters[i]);
    add_panel(meters, um_meters_readout(d, &box, cost, cost->draws_parts));
}

static void mix_text(uint64_t *hash, const char *text)
{
    for (; *text; text++)
        mix(hash, *text);
    mix(hash, 0);
}

/* A hash of all that the read-outs say. */
static uint64_t hash_readouts(const struct um_meters *meters)
{
    const uint32_t ids[] = {meters->hover, meters->pin};
    uint64_t hash = 1;
    for (size_t i = 0; i < 2; i++) {
        const struct um_cost *cost = um_costs_get(&meters->costs, ids[i]);
        mix(&hash, ids[i]);
        if (!cost)
            continue;
        mix_text(&hash, cost->text);
        mix_text(&hash, cost->window_class);
        mix_text(&hash, cost->handler);
        mix(&hash, cost->message);
        mix(&hash, cost->authored);
        mix(&hash, cost->rendered);
        mix(&hash, cost->last.frame);
        mix(&hash, (int64_t)cost->last.measure_ns);
        mix(&hash, (int64_t)cost->last.arrange_ns);
        mix(&hash, (int64_t)cost->last.paint_ns);
        mix(&hash, (int64_t)cost->last.mean_ns);
        mix(&hash, (int64_t)cost->last.worst_ns);
    }
    return hash;
}

/* The panels over one window of the desktop. */
static void draw_panels(struct um_meters *meters, const struct um_drawing *d, size_t depth)
{
    const struct um_choice_item *main = main_item(meters);
    for (size_t i = 0; i < meters->item_count; i++) {
        const struct um_choice_item *item = &meters->items[i];
        bool has = item->id == meters->hover || item->id == meters->pin;
        if (has && item->seen && item->depth == depth)
            draw_readout(meters, d, item);
    }
    struct um_canvas_rect panel;
    if (meters->legend_until_ns != 0 && main && main->depth == depth &&
        um_meters_legend(d, meters->options.layout_keys, meters->options.pin_keys,
                         meters->options.bars, &main->rect, &meters->taken[0], &panel)) {
        add_panel(meters, panel);
        meters->has_legend = true;
    }
}

static struct um_canvas_rect graph_on_sheet(const struct um_meters_scene *scene)
{
    struct um_canvas_rect graph = scene->graph;
    graph.x -= scene->bounds.x;
    graph.y -= scene->bounds.y;
    return graph.width > 0 ? graph : (struct um_canvas_rect){0};
}

/* Lists what no meter may lie over: the graph, and the column heads of lists. */
static void list_taken(struct um_meters *meters)
{
    meters->taken[0] = graph_on_sheet(&meters->scene);
    meters->taken_count = 1;
    for (size_t i = 0; i < meters->item_count && !is_replay(meters); i++) {
        const struct um_choice_item *item = &meters->items[i];
        const struct um_cost *cost = um_costs_get(&meters->costs, item->id);
        struct um_canvas_rect heads = item->rect;
        if (!item->seen || !cost || !strstr(cost->window_class, LIST_CLASS))
            continue;
        heads.height = um_parts_heads(item);
        if (heads.height > 0)
            meters->taken[meters->taken_count++] = heads;
    }
}

/* Draws everything: from the lowest window of the desktop to the topmost, each of which hides what
 * was drawn in its place. Each pixel is replaced, so this can be done over what is drawn. */
static void draw_scene(struct um_meters *meters, const struct um_drawing *d, uint64_t feed_ns)
{
    size_t windows = meters->windows.count;
    meters->readouts = hash_readouts(meters);
    list_taken(meters);
    meters->meter_count = meters->panel_count = 0;
    meters->decays = false;
    for (size_t depth = windows; depth-- > 0;) {
        if (depth + 1 < windows)
            um_paint_fill(&d->canvas, meters->windows.list[depth], 0);
        if (is_replay(meters))
            draw_faint(meters, d);
        draw_components(meters, d, depth, feed_ns);
        /* Frames would go through the words of the graph. */
        um_paint_fill(&d->canvas, meters->taken[0], 0);
        draw_panels(meters, d, depth);
    }
}

static struct um_canvas_rect both(const struct um_canvas_rect *a, const struct um_canvas_rect *b)
{
    int right = a->x + a->width > b->x + b->width ? a->x + a->width : b->x + b->width;
    int bottom = a->y + a->height > b->y + b->height ? a->y + a->height : b->y + b->height;
    int x = a->x < b->x ? a->x : b->x, y = a->y < b->y ? a->y : b->y;
    return (struct um_canvas_rect){x, y, right - x, bottom - y};
}

/* Areas of the picture that have changed. */
struct pieces {
    struct um_canvas_rect list[PIECES];
    size_t count;
};

static int64_t area_of(const struct um_canvas_rect *rect)
{
    return (int64_t)rect->width * rect->height;
}

/* A piece for which there is no room becomes one with that which grows least by it. */
static void add_piece(struct pieces *pieces, const struct um_canvas_rect *piece)
{
    struct um_canvas_rect best = {0};
    int64_t least = INT64_MAX;
    size_t at = 0;
    if (pieces->count < PIECES) {
        pieces->list[pieces->count++] = *piece;
        return;
    }
    for (size_t i = 0; i < PIECES; i++) {
        struct um_canvas_rect grown = both(&pieces->list[i], piece);
        int64_t more = area_of(&grown) - area_of(&pieces->list[i]);
        if (more >= least)
            continue;
        best = grown;
        least = more;
        at = i;
    }
    pieces->list[at] = best;
}

/* Draws the meters that differ, with the panels over them and those that have their numbers. False:
 * a panel has another size now, so everything is to be drawn. */
static bool draw_changed(struct um_meters *meters, const struct um_drawing *d, uint64_t feed_ns,
                         struct pieces *pieces)
{
    struct um_canvas_rect was[PANELS];
    size_t panels = meters->panel_count;
    bool touches = meters->readouts != hash_readouts(meters);
    memcpy(was, meters->panels, sizeof was);
    meters->decays = false;
    for (size_t i = 0; i < meters->meter_count; i++) {
        struct meter *meter = &meters->meters[i];
        if (!update(meters, meter, feed_ns))
            continue;
        touches |= meter->id == meters->pin || meter->id == meters->hover ||
                   overlaps_any(meters->panels, meters->panel_count, &meter->box);
        draw_box(meters, d, meter, feed_ns);
        add_piece(pieces, &meter->box);
    }
    if (!touches)
        return true;
    draw_scene(meters, d, feed_ns);
    for (size_t i = 0; i < panels; i++)
        add_piece(pieces, &was[i]);
    return panels == meters->panel_count && memcmp(was, meters->panels, sizeof was) == 0;
}

static bool is_empty(const struct um_meters *meters)
{
    bool any = meters->panel_count > 0 || is_replay(meters); /* a sketch can be pointed at */
    for (size_t i = 0; i < meters->item_count; i++)
        any = any || meters->items[i].shown;
    return !any;
}

static void draw_on(struct um_meters *meters, const struct um_drawing *d, uint64_t feed_ns,
                    struct pieces *pieces)
{
    if (!meters->anew && draw_changed(meters, d, feed_ns, pieces))
        return;
    struct um_canvas_rect whole = {0, 0, d->canvas.width, d->canvas.height};
    um_paint_fill(&d->canvas, whole, 0);
    if (is_replay(meters))
        um_meters_sketch(d);
    draw_scene(meters, d, feed_ns);
    pieces->list[0] = whole;
    pieces->count = 1;
}

/* Where the target's window is at this moment, or the scene's bounds if it is not seen. */
static struct um_canvas_rect find_bounds(const struct um_meters_scene *scene)
{
    struct um_canvas_rect bounds = scene->bounds;
    if (scene->target != 0)
        (void)um_parts_bounds(scene->target, &bounds);
    return bounds;
}

static enum um_status draw(struct um_meters *meters, uint64_t now_ns)
{
    struct um_drawing d = {.glyphs = meters->glyphs, .scale = meters->scene.scale};
    struct pieces pieces = {.count = 0};
    enum um_status shown = UM_OK;
    enum um_status status = um_sheet_place(meters->sheet, meters->scene.bounds, &d.canvas);
    if (status != UM_OK)
        return status;
    d.surface =
        SDL_CreateRGBSurfaceWithFormatFrom(d.canvas.pixels, d.canvas.width, d.canvas.height, 32,
                                           d.canvas.stride * 4, SDL_PIXELFORMAT_ARGB8888);
    if (!d.surface)
        return UM_ERR_MEMORY;
    draw_on(meters, &d, meters->scene.feed_ns, &pieces);
    SDL_FreeSurface(d.surface);
    meters->anew = false;
    um_meters_follow(meters); /* drawing has taken a while */
    if (is_empty(meters))
        um_sheet_hide(meters->sheet);
    else
        for (size_t i = 0; i < pieces.count && shown == UM_OK; i++)
            shown = um_sheet_present(meters->sheet, &pieces.list[i]);
    /* What cannot be shown, because the screen is locked, is drawn again later. */
    meters->anew |= shown != UM_OK;
    if (meters->has_legend && meters->legend_until_ns == UINT64_MAX)
        meters->legend_until_ns = now_ns + LEGEND_NS;
    meters->next_ns = now_ns + (shown == UM_OK ? PICTURE_NS : RETRY_NS);
    meters->drawn_ns = now_ns;
    meters->drawn_feed_ns = meters->scene.feed_ns;
    meters->changes = meters->costs.changes;
    return UM_OK;
}

/* Turns ---------------------------------------------------------------------------------------- */

/* Whether the graph lies elsewhere on the target. */
static bool has_moved(const struct um_meters_scene *scene, const struct um_meters_scene *was)
{
    const struct um_canvas_rect now = graph_on_sheet(scene), then = graph_on_sheet(was);
    return memcmp(&now, &then, sizeof now) != 0;
}

static void take_scene(struct um_meters *meters, const struct um_meters_scene *scene,
                       uint64_t now_ns)
{
    const struct um_meters_scene was = meters->scene;
    bool pins = meters->begun && scene->pins != was.pins;
    bool keys = pins || (meters->begun && scene->mode != was.mode);
    meters->pins_due |= pins;
    bool legend = meters->legend_until_ns != 0;
    if (keys || (legend && now_ns >= meters->legend_until_ns))
        meters->legend_until_ns = 0;
    meters->anew |= !meters->begun || keys || legend != (meters->legend_until_ns != 0) ||
                    scene->scale != was.scale || scene->target != was.target ||
                    has_moved(scene, &was) || scene->bounds.width != was.bounds.width ||
                    scene->bounds.height != was.bounds.height;
    if (memcmp(&scene->bounds, &was.bounds, sizeof was.bounds) != 0 || scene->scale != was.scale ||
        scene->target != was.target || keys)
        meters->look_ns = 0;
    meters->begun = true;
    meters->scene = *scene;
}

/* Hides the sketch of a window that is minimised or gone. */
static void hide_sketch(struct um_meters *meters)
{
    um_meters_hide(meters);
    meters->pins_due = false;
    meters->changes = meters->costs.changes;
}

enum um_status um_meters_turn(struct um_meters *meters, const struct um_meters_scene *asked,
                              uint64_t now_ns)
{
    struct um_meters_scene scene = *asked;
    double scale = meters->scene.scale;
    scene.bounds = scene.target != 0
                       ? find_bounds(asked)
                       : um_parts_recorded_fit(&meters->costs, &asked->bounds, scene.scale);
    take_scene(meters, &scene, now_ns);
    enum um_status status = UM_OK;
    if (scene.scale != scale)
        status = um_glyphs_set_scale(meters->glyphs, scene.scale);
    if (is_unplaced(meters))
        hide_sketch(meters);
    if (is_unplaced(meters))
        return status;
    um_sheet_follow(meters->sheet, scene.bounds);
    bool changed = meters->changes != meters->costs.changes;
    bool rests = now_ns < meters->next_ns;
    if (status != UM_OK || (rests && meters->anew))
        return status;
    if (!rests && (meters->anew || changed || now_ns >= meters->look_ns)) {
        bool looked = look(meters, now_ns);
        choose(meters, now_ns);
        if (looked)
            look_at_siblings(meters);
    }
    bool decays = meters->decays && now_ns >= meters->drawn_ns + DECAY_NS &&
                  meters->drawn_feed_ns != scene.feed_ns;
    if (!rests && (meters->anew || changed || decays))
        return draw(meters, now_ns);
    return status;
}

void um_meters_follow(struct um_meters *meters)
{
    if (!meters->begun || is_unplaced(meters))
        return;
    struct um_canvas_rect bounds = find_bounds(&meters->scene);
    meters->anew |= bounds.width != meters->scene.bounds.width ||
                    bounds.height != meters->scene.bounds.height; /* it may be cut */
    um_sheet_follow(meters->sheet, bounds);
}

void um_meters_rest(struct um_meters *meters, uint64_t until_ns)
{
    if (meters->next_ns < until_ns)
        meters->next_ns = until_ns;
}

void um_meters_hide(struct um_meters *meters)
{
    um_sheet_hide(meters->sheet);
    meters->anew = true;
}

uint64_t um_meters_deadline(const struct um_meters *meters)
{
    uint64_t next_ns = UM_METERS_NEVER;
    if (is_unplaced(meters))
        return next_ns;
    if (meters->anew || meters->changes != meters->costs.changes)
        next_ns = meters->next_ns;
    else if (meters->decays && !is_replay(meters)) /* there a STATUS moves time on, and wakes us */
        next_ns = meters->drawn_ns + DECAY_NS;
    return next_ns;
}
