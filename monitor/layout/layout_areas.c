#include "monitor/layout/layout_areas.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/random.h"
#include "monitor/layout/layout_components.h"

#define FIRST_BITS 12 /* slots at the begin, as a power of two; three quarters of them are used */
#define MOST_BITS 16
#define MOST 32768u /* elements */
#define UNKNOWN UINT16_MAX

/* 16 bytes. */
struct bound {
    uint64_t element; /* 0: the slot is free */
    uint32_t id;
    uint32_t epoch; /* of the rectangles, when it was bound */
};

struct place {
    uint32_t id;
    float size; /* as an area */
    struct um_layout_area area;
    uint16_t first; /* the first in the list that shares a point with it; UNKNOWN: not looked for */
};

struct um_layout_areas {
    uint32_t epoch;
    bool sorted; /* `list`: the smallest first, of equal ones the later id */
    size_t last; /* in the list, where the last element was found */
    size_t count;
    struct place list[UM_LAYOUT_COMPONENTS_IDS];
    uint16_t at[UM_LAYOUT_COMPONENTS_IDS]; /* by id: 1 more than the place in the list; 0: none */
    /* A hash table: an element is in the slot of its hash, or in one of the next without a free one
     * in between. */
    struct bound *bound;
    uint64_t multiplier; /* of the hash; ids are another process's, which must not foresee slots */
    unsigned bits;
    size_t bound_count;
};

enum um_status um_layout_areas_open(struct um_layout_areas **out)
{
    struct um_layout_areas *areas = calloc(1, sizeof *areas);
    struct bound *bound = calloc((size_t)1 << FIRST_BITS, sizeof *bound);
    if (!areas || !bound) {
        free(bound);
        free(areas);
        return UM_ERR_MEMORY;
    }
    areas->bound = bound;
    areas->bits = FIRST_BITS;
    struct um_random random = {(uint64_t)(uintptr_t)bound}; /* the system places it by chance */
    areas->multiplier = um_random_next(&random) | 1;
    *out = areas;
    return UM_OK;
}

void um_layout_areas_close(struct um_layout_areas *areas)
{
    if (!areas)
        return;
    free(areas->bound);
    free(areas);
}

static bool is_same(const struct um_layout_area *a, const struct um_layout_area *b)
{
    return a->left == b->left && a->top == b->top && a->right == b->right && a->bottom == b->bottom;
}

static void remove_place(struct um_layout_areas *areas, uint32_t id)
{
    if (areas->at[id] == 0)
        return;
    struct place *last = &areas->list[--areas->count];
    areas->list[areas->at[id] - 1] = *last;
    areas->at[last->id] = areas->at[id];
    areas->at[id] = 0;
    areas->sorted = false;
    areas->epoch++;
}

void um_layout_areas_set(struct um_layout_areas *areas, uint32_t id,
                         const struct um_layout_area *area)
{
    if (id >= UM_LAYOUT_COMPONENTS_IDS)
        return;
    if (!area) {
        remove_place(areas, id);
        return;
    }
    if (areas->at[id] == 0)
        areas->at[id] = (uint16_t)++areas->count;
    else if (is_same(&areas->list[areas->at[id] - 1].area, area))
        return;
    areas->sorted = false;
    areas->epoch++;
    areas->list[areas->at[id] - 1] = (struct place){
        .id = id,
        .size = (area->right - area->left) * (area->bottom - area->top),
        .area = *area,
    };
}

static bool has(const struct um_layout_area *area, float x, float y)
{
    return x >= area->left && x < area->right && y >= area->top && y < area->bottom;
}

/* The later id is that of the inner one if both are known from the outside inwards. */
static int compare(const void *a, const void *b)
{
    const struct place *one = a, *other = b;
    if (one->size < other->size || one->size > other->size)
        return one->size < other->size ? -1 : 1;
    return one->id > other->id ? -1 : one->id < other->id;
}

static void sort(struct um_layout_areas *areas)
{
    qsort(areas->list, areas->count, sizeof areas->list[0], compare);
    for (size_t i = 0; i < areas->count; i++) {
        areas->at[areas->list[i].id] = (uint16_t)(i + 1);
        areas->list[i].first = UNKNOWN;
    }
    areas->sorted = true;
}

static bool overlap(const struct um_layout_area *a, const struct um_layout_area *b)
{
    return a->left < b->right && b->left < a->right && a->top < b->bottom && b->top < a->bottom;
}

/* Where in the list to begin: if the point lies in the component of the last element, as most do,
 * at the first one that could have it as well. */
static size_t begin_at(struct um_layout_areas *areas, float x, float y)
{
    if (areas->last >= areas->count || !has(&areas->list[areas->last].area, x, y))
        return 0;
    struct place *place = &areas->list[areas->last];
    if (place->first == UNKNOWN) {
        place->first = 0;
        while (!overlap(&areas->list[place->first].area, &place->area)) /* at last, with itself */
            place->first++;
    }
    return place->first;
}

static uint32_t smallest_at(struct um_layout_areas *areas, float x, float y)
{
    if (!areas->sorted)
        sort(areas);
    for (size_t i = begin_at(areas, x, y); i < areas->count; i++) {
        if (!has(&areas->list[i].area, x, y))
            continue;
        areas->last = i;
        return areas->list[i].id;
    }
    return UM_LAYOUT_COMPONENTS_CHROME;
}

static size_t slots_of(const struct um_layout_areas *areas)
{
    return (size_t)1 << areas->bits;
}

static size_t home_of(const struct um_layout_areas *areas, uint64_t element)
{
    return (size_t)(element * areas->multiplier >> (64 - areas->bits));
}

static size_t slot_after(const struct um_layout_areas *areas, size_t slot)
{
    return (slot + 1) & (slots_of(areas) - 1);
}

/* The slot of an element, or the free one where it would be. */
static size_t find(const struct um_layout_areas *areas, uint64_t element)
{
    size_t slot = home_of(areas, element);
    while (areas->bound[slot].element != element && areas->bound[slot].element != 0)
        slot = slot_after(areas, slot);
    return slot;
}

/* Frees a slot. Elements behind it move up, so that each is still found from its home. */
static void free_slot(struct um_layout_areas *areas, size_t slot)
{
    const size_t last = slots_of(areas) - 1;
    size_t next = slot;
    while (areas->bound[next = slot_after(areas, next)].element != 0) {
        size_t home = home_of(areas, areas->bound[next].element);
        if (((next - home) & last) < ((next - slot) & last))
            continue; /* its home lies behind the slot */
        areas->bound[slot] = areas->bound[next];
        slot = next;
    }
    areas->bound[slot].element = 0;
    areas->bound_count--;
}

/* Doubles the slots; without memory for that they stay. */
static void grow(struct um_layout_areas *areas)
{
    struct bound *was = areas->bound, *bound;
    size_t count = slots_of(areas);
    if (areas->bits == MOST_BITS || !(bound = calloc(2 * count, sizeof *bound)))
        return;
    areas->bound = bound;
    areas->bits++;
    for (size_t slot = 0; slot < count; slot++)
        if (was[slot].element != 0)
            areas->bound[find(areas, was[slot].element)] = was[slot];
    free(was);
}

static bool is_full(const struct um_layout_areas *areas)
{
    return areas->bound_count >= MOST || 4 * areas->bound_count >= 3 * slots_of(areas);
}

/* A slot for a new element. If there is no room, some other element is forgotten. */
static size_t add_slot(struct um_layout_areas *areas, uint64_t element)
{
    if (is_full(areas))
        grow(areas);
    if (is_full(areas)) {
        size_t slot = home_of(areas, element);
        while (areas->bound[slot].element == 0)
            slot = slot_after(areas, slot);
        free_slot(areas, slot);
    }
    areas->bound_count++;
    return find(areas, element);
}

/* Whether an element that was bound still lies where it was. */
static bool is_bound(const struct um_layout_areas *areas, const struct bound *bound, float x,
                     float y)
{
    return bound->epoch == areas->epoch && areas->at[bound->id] != 0 &&
           has(&areas->list[areas->at[bound->id] - 1].area, x, y);
}

uint32_t um_layout_areas_bind(struct um_layout_areas *areas, uint64_t element,
                              const struct um_layout_area *area)
{
    float x = area->left + (area->right - area->left) / 2;
    float y = area->top + (area->bottom - area->top) / 2;
    size_t slot = find(areas, element);
    bool known = areas->bound[slot].element == element;
    if (known && is_bound(areas, &areas->bound[slot], x, y))
        return areas->bound[slot].id;
    if (!known)
        slot = add_slot(areas, element);
    areas->bound[slot] = (struct bound){element, smallest_at(areas, x, y), areas->epoch};
    return areas->bound[slot].id;
}

void um_layout_areas_forget(struct um_layout_areas *areas, uint64_t element)
{
    size_t slot = find(areas, element);
    if (areas->bound[slot].element != 0)
        free_slot(areas, slot);
}

uint32_t um_layout_areas_find(const struct um_layout_areas *areas, uint64_t element)
{
    const struct bound *bound = &areas->bound[find(areas, element)];
    return bound->element != 0 ? bound->id : 0;
}

size_t um_layout_areas_bytes(const struct um_layout_areas *areas)
{
    return sizeof *areas + slots_of(areas) * sizeof *areas->bound;
}
