#include "monitor/layout/layout_areas.h"

#include <stdbool.h>
#include <stdlib.h>

#include "monitor/layout/layout_components.h"

#define SETS 8192u /* a power of two */
#define WAYS 4u    /* elements in each: the home of an element is one set */
#define UNKNOWN UINT16_MAX

/* 16 bytes. */
struct bound {
    uint64_t element; /* 0: the place is free */
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
    uint32_t turns; /* for a choice among the places of a set */
    bool sorted;    /* `list`: the smallest first, of equal ones the later id */
    size_t last;    /* in the list, where the last element was found */
    size_t count;
    struct place list[UM_LAYOUT_COMPONENTS_IDS];
    uint16_t at[UM_LAYOUT_COMPONENTS_IDS]; /* by id: 1 more than the place in the list; 0: none */
    struct bound bound[SETS * WAYS];
};

enum um_status um_layout_areas_open(struct um_layout_areas **out)
{
    *out = calloc(1, sizeof **out);
    return *out ? UM_OK : UM_ERR_MEMORY;
}

void um_layout_areas_close(struct um_layout_areas *areas)
{
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

static size_t home_of(uint64_t element)
{
    return WAYS * ((size_t)(element * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (SETS - 1));
}

static size_t find(const struct um_layout_areas *areas, uint64_t element)
{
    size_t home = home_of(element), way = 0;
    while (way < WAYS && areas->bound[home + way].element != element)
        way++;
    return way < WAYS ? home + way : SIZE_MAX;
}

/* A place for a new element: one that is free, or any of its home. */
static struct bound *place_for(struct um_layout_areas *areas, uint64_t element)
{
    size_t home = home_of(element);
    for (size_t way = 0; way < WAYS; way++)
        if (areas->bound[home + way].element == 0)
            return &areas->bound[home + way];
    return &areas->bound[home + areas->turns++ % WAYS];
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
    size_t at = find(areas, element);
    struct bound *bound = at == SIZE_MAX ? place_for(areas, element) : &areas->bound[at];
    if (at != SIZE_MAX && is_bound(areas, bound, x, y))
        return bound->id;
    *bound = (struct bound){element, smallest_at(areas, x, y), areas->epoch};
    return bound->id;
}

void um_layout_areas_forget(struct um_layout_areas *areas, uint64_t element)
{
    size_t at = find(areas, element);
    if (at != SIZE_MAX)
        areas->bound[at].element = 0;
}

uint32_t um_layout_areas_find(const struct um_layout_areas *areas, uint64_t element)
{
    size_t at = find(areas, element);
    return at == SIZE_MAX ? 0 : areas->bound[at].id;
}

size_t um_layout_areas_bytes(void)
{
    return sizeof(struct um_layout_areas);
}
