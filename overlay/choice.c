#include "overlay/choice.h"

#include "overlay/meter.h"

#define HALF 0.5
#define TWICE 2.0

const struct um_choice_item *um_choice_find(const struct um_choice_item *items, size_t count,
                                            uint32_t id)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (items[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && items[low].id == id ? &items[low] : NULL;
}

bool um_choice_is_covered(const struct um_choice_windows *windows, unsigned depth,
                          const struct um_canvas_rect *rect)
{
    for (size_t i = 0; i < depth && i < windows->count; i++)
        if (um_canvas_overlap(&windows->list[i], rect))
            return true;
    return false;
}

static bool surfaces(const struct um_choice_item *item, const struct um_choice_item *around)
{
    return item->mean_ms > HALF * around->mean_ms || item->rendered > HALF * around->rendered ||
           um_meter_ratio(item->authored, item->rendered) >
               TWICE * um_meter_ratio(around->authored, around->rendered);
}

/* The nearest component around one that has a meter; NULL: there is none. */
static const struct um_choice_item *shown_around(const struct um_choice_item *items, size_t count,
                                                 const struct um_choice_item *item)
{
    const struct um_choice_item *around = um_choice_find(items, count, item->parent);
    while (around && !around->shown)
        around = um_choice_find(items, count, around->parent);
    return around;
}

static void choose_components(struct um_choice_item *items, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!items[i].seen || !items[i].measured || items[i].window == 0)
            continue;
        const struct um_choice_item *around = shown_around(items, count, &items[i]);
        items[i].shown = !around || surfaces(&items[i], around);
    }
}

/* How far a component exceeds a threshold: 1 is the threshold. */
static double heat_of(const struct um_choice_item *item)
{
    double of_ms = item->mean_ms / UM_CHOICE_HEATMAP_MS;
    double of_ratio = um_meter_ratio(item->authored, item->rendered) / UM_CHOICE_HEATMAP_RATIO;
    return of_ms > of_ratio ? of_ms : of_ratio;
}

static void choose_hottest(struct um_choice_item *items, size_t count)
{
    for (int chosen = 0; chosen < UM_CHOICE_HEATMAP_MOST; chosen++) {
        struct um_choice_item *hottest = NULL;
        for (size_t i = 0; i < count; i++)
            if (items[i].seen && items[i].measured && !items[i].shown && heat_of(&items[i]) > 1 &&
                (!hottest || heat_of(&items[i]) > heat_of(hottest)))
                hottest = &items[i];
        if (!hottest)
            return;
        hottest->shown = true;
    }
}

void um_choice_make(enum um_wire_layout_mode mode, uint32_t hover, uint32_t pin,
                    struct um_choice_item *items, size_t count)
{
    for (size_t i = 0; i < count; i++)
        items[i].shown = false;
    if (mode == UM_WIRE_LAYOUT_MODE_COMPONENTS)
        choose_components(items, count);
    else if (mode == UM_WIRE_LAYOUT_MODE_HEATMAP)
        choose_hottest(items, count);
    for (size_t i = 0; i < count; i++) {
        bool wanted = (items[i].id == hover && mode == UM_WIRE_LAYOUT_MODE_INSPECT) ||
                      (items[i].id == pin && mode != UM_WIRE_LAYOUT_MODE_OFF);
        items[i].shown |= wanted && items[i].seen;
    }
}

/* Whether an item lies within another one. Parents come first. */
static bool is_in(const struct um_choice_item *items, size_t count,
                  const struct um_choice_item *item, const struct um_choice_item *outer)
{
    while (item && item->id > outer->id)
        item = um_choice_find(items, count, item->parent);
    return item == outer;
}

/* The one with the most layout time of those that are shown, within another one if that is given;
 * NULL: there is none. */
static const struct um_choice_item *most_within(const struct um_choice_item *items, size_t count,
                                                const struct um_choice_item *outer)
{
    const struct um_choice_item *most = NULL;
    for (size_t i = 0; i < count; i++)
        if (items[i].shown && &items[i] != outer && (!most || items[i].mean_ms > most->mean_ms) &&
            (!outer || is_in(items, count, &items[i], outer)))
            most = &items[i];
    return most;
}

uint32_t um_choice_costliest(const struct um_choice_item *items, size_t count)
{
    const struct um_choice_item *costliest = most_within(items, count, NULL), *inner = costliest;
    size_t shown = 0;
    for (size_t i = 0; i < count; i++)
        shown += items[i].shown;
    if (shown < 2 || costliest->mean_ms <= 0)
        return 0;
    while (inner && inner->mean_ms > HALF * costliest->mean_ms) {
        costliest = inner;
        inner = most_within(items, count, costliest);
    }
    return costliest->id;
}

uint32_t um_choice_pin(uint32_t pin, uint32_t hover)
{
    return hover == pin ? 0 : hover;
}
