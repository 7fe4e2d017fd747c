#include "monitor/layout/layout_components.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/plain/text.h"

#define FEWEST_PLACES 64 /* a power of two */
/* Windows within windows that are asked about; no session of Windows lets them lie deeper. */
#define DEEPEST 100
#define EPOCHS 0xfffffffu

/* A window. 24 bytes, and at least three of eight places are taken: 64 bytes an element. */
struct element {
    uint64_t window;      /* 0: the place is free */
    uint32_t creator;     /* the control that has created it; 0: none. 32 bits of a handle count */
    uint16_t id;          /* of the component that its steps count for */
    uint16_t counted;     /* of that among whose windows it is counted; 0: nowhere */
    uint32_t own : 1;     /* it is component `id` */
    uint32_t system : 1;  /* it is not authored */
    uint32_t control : 1; /* as is_control */
    uint32_t creates : 1; /* it has created a window that does not lie in its component */
    uint32_t epoch : 28;
};

struct um_layout_components {
    struct um_layout_components_config config;
    struct element *elements; /* places, by hash and linear probing */
    size_t places;            /* a power of two */
    size_t count;
    uint32_t epoch; /* elements of another one are asked about again */
    bool recount;   /* since um_layout_components_count */
    struct um_layout_component *list;
    size_t list_room;
    uint32_t end;    /* of the ids in use */
    uint32_t frames; /* so far, that count */
    /* Of the present frame. */
    uint32_t touched[UM_LAYOUT_COMPONENTS_IDS];
    size_t touched_count;
    uint32_t checked; /* the component that um_layout_components_moved looked at last, from 0 */
};

_Static_assert(UM_LAYOUT_COMPONENTS_IDS <= UM_WIRE_LAYOUT_COMPONENTS, "every id has a number");
_Static_assert(UM_LAYOUT_COMPONENTS_IDS <= UINT16_MAX, "an id fits in an element");

enum um_status um_layout_components_open(const struct um_layout_components_config *config,
                                         struct um_layout_components **out)
{
    struct um_layout_components *components = calloc(1, sizeof *components);
    if (!components)
        return UM_ERR_MEMORY;
    components->config = *config;
    components->places = FEWEST_PLACES;
    components->elements = calloc(FEWEST_PLACES, sizeof components->elements[0]);
    if (!components->elements ||
        !um_list_reserve(&components->list, &components->list_room, UM_LAYOUT_COMPONENTS_FIRST,
                         UM_LAYOUT_COMPONENTS_IDS, sizeof components->list[0])) {
        um_layout_components_close(components);
        return UM_ERR_MEMORY;
    }
    components->end = UM_LAYOUT_COMPONENTS_FIRST;
    um_text_set(components->list[UM_LAYOUT_COMPONENTS_CHROME].window_class,
                UM_WIRE_LAYOUT_TEXT_BYTES, "<chrome>");
    um_text_set(components->list[UM_LAYOUT_COMPONENTS_OTHERS].window_class,
                UM_WIRE_LAYOUT_TEXT_BYTES, "others");
    components->list[UM_LAYOUT_COMPONENTS_CHROME].is_news = true;
    components->list[UM_LAYOUT_COMPONENTS_OTHERS].is_news = true;
    *out = components;
    return UM_OK;
}

void um_layout_components_close(struct um_layout_components *components)
{
    if (!components)
        return;
    free(components->list);
    free(components->elements);
    free(components);
}

/* Elements ------------------------------------------------------------------------------------- */

static size_t home_of(const struct um_layout_components *components, uint64_t window)
{
    return (size_t)(window * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (components->places - 1);
}

/* The place of a window, or the free one where it would be. */
static size_t place_of(const struct um_layout_components *components, uint64_t window)
{
    size_t place = home_of(components, window);
    while (components->elements[place].window != 0 && components->elements[place].window != window)
        place = (place + 1) & (components->places - 1);
    return place;
}

static struct element *find(const struct um_layout_components *components, uint64_t window)
{
    struct element *element = &components->elements[place_of(components, window)];
    return element->window ? element : NULL;
}

/* False, and nothing is changed, without memory. */
static bool grow(struct um_layout_components *components)
{
    struct element *old = components->elements;
    size_t places = components->places;
    struct element *elements = calloc(2 * places, sizeof *elements);
    if (!elements)
        return false;
    components->elements = elements;
    components->places = 2 * places;
    for (size_t i = 0; i < places; i++)
        if (old[i].window)
            elements[place_of(components, old[i].window)] = old[i];
    free(old);
    return true;
}

/* Remembers a window. False if there is no room: then it is asked about each time. */
static bool put(struct um_layout_components *components, const struct element *element)
{
    struct element *known = find(components, element->window);
    if (!known) {
        bool full = components->count == UM_LAYOUT_COMPONENTS_WINDOWS ||
                    (4 * (components->count + 1) > 3 * components->places && !grow(components));
        if (full)
            return false;
        known = &components->elements[place_of(components, element->window)];
        components->count++;
    }
    *known = *element;
    known->epoch = components->epoch & EPOCHS;
    return true;
}

/* Frees a place, and moves those behind it that it would cut off from their home. */
static void remove_at(struct um_layout_components *components, size_t place)
{
    size_t mask = components->places - 1;
    for (size_t at = (place + 1) & mask; components->elements[at].window; at = (at + 1) & mask) {
        size_t home = home_of(components, components->elements[at].window);
        if (((at - home) & mask) < ((at - place) & mask))
            continue;
        components->elements[place] = components->elements[at];
        place = at;
    }
    components->elements[place].window = 0;
    components->count--;
}

/* Components ----------------------------------------------------------------------------------- */

/* The number under which a window of the same name in the same place was known that is gone now; 0:
 * there was none. A dialog that is opened again is what it was. */
static uint32_t find_gone(const struct um_layout_components *components, uint32_t parent,
                          const struct um_layout_window *window)
{
    char window_class[UM_WIRE_LAYOUT_TEXT_BYTES], text[UM_WIRE_LAYOUT_TEXT_BYTES];
    um_text_set(window_class, sizeof window_class, window->window_class);
    um_text_set(text, sizeof text, window->text);
    for (uint32_t id = UM_LAYOUT_COMPONENTS_FIRST; id < components->end; id++) {
        const struct um_layout_component *component = &components->list[id];
        if (component->window == 0 && component->parent == parent &&
            strcmp(component->text, text) == 0 &&
            strcmp(component->window_class, window_class) == 0)
            return id;
    }
    return 0;
}

/* Gives a component its window. */
static void take_window(struct um_layout_component *component, uint64_t handle,
                        const struct um_layout_window *window)
{
    component->window = handle;
    component->is_control = window->is_control;
    component->by_toolkit = window->draws_parts;
    component->is_news = true;
}

static uint32_t add_component(struct um_layout_components *components, uint64_t handle,
                              uint32_t around, const struct um_layout_window *window)
{
    uint32_t parent = around < UM_LAYOUT_COMPONENTS_FIRST ? 0 : around;
    uint32_t gone = find_gone(components, parent, window);
    if (gone != 0) {
        take_window(&components->list[gone], handle, window);
        return gone;
    }
    if (!um_list_reserve(&components->list, &components->list_room, components->end + (size_t)1,
                         UM_LAYOUT_COMPONENTS_IDS, sizeof components->list[0]))
        return UM_LAYOUT_COMPONENTS_OTHERS;
    struct um_layout_component *component = &components->list[components->end];
    take_window(component, handle, window);
    component->parent = parent;
    um_text_set(component->window_class, sizeof component->window_class, window->window_class);
    um_text_set(component->text, sizeof component->text, window->text);
    return components->end++;
}

/* Whether a window that is asked about again is still the component that it was. */
static bool is_still(const struct um_layout_components *components, const struct element *element,
                     uint32_t parent, const struct um_layout_window *window)
{
    char window_class[UM_WIRE_LAYOUT_TEXT_BYTES];
    if (!element->own || element->id < UM_LAYOUT_COMPONENTS_FIRST)
        return false;
    um_text_set(window_class, sizeof window_class, window->window_class);
    const struct um_layout_component *component = &components->list[element->id];
    return strcmp(component->window_class, window_class) == 0 &&
           component->parent == (parent < UM_LAYOUT_COMPONENTS_FIRST ? 0 : parent);
}

/* The window of a component is gone, if it has one. */
static void forget_window(struct um_layout_components *components, uint32_t id)
{
    struct um_layout_component *component = &components->list[id];
    component->is_news |= component->window != 0;
    component->window = 0;
}

/* Counting ------------------------------------------------------------------------------------- */

/* Takes a window out of the counts. */
static void discount(struct um_layout_components *components, struct element *element)
{
    struct um_layout_component *component = &components->list[element->counted];
    if (element->counted == 0)
        return;
    component->own_rendered--;
    component->own_authored -= !element->system;
    element->counted = 0;
    components->recount = true;
}

static bool lies_in(const struct um_layout_components *components, uint32_t id, uint32_t around)
{
    while (id != 0 && id != around)
        id = components->list[id].parent;
    return id != 0;
}

/* Counts a window in the component that it lies in, or in that of the control which created it. */
static void count(struct um_layout_components *components, struct element *element)
{
    if (element->id == UM_LAYOUT_COMPONENTS_CHROME)
        return;
    struct element *creator = element->creator ? find(components, element->creator) : NULL;
    element->counted = element->id;
    if (creator && creator->counted != 0 && !lies_in(components, element->id, creator->counted)) {
        element->counted = creator->counted;
        creator->creates = true;
    }
    components->list[element->counted].own_rendered++;
    components->list[element->counted].own_authored += !element->system;
    components->recount = true;
}

/* A control has become a component: what it has created outside of itself counts for that. */
static void move_created(struct um_layout_components *components, uint64_t creator)
{
    for (size_t i = 0; i < components->places; i++) {
        struct element *element = &components->elements[i];
        if (element->window == 0 || element->creator != creator)
            continue;
        discount(components, element);
        count(components, element);
    }
}

/* Windows -------------------------------------------------------------------------------------- */

/* Whether a window need not be asked about. */
static bool is_known(const struct um_layout_components *components, const struct element *element,
                     bool is_parent)
{
    return element && element->epoch == components->epoch &&
           (element->own || !is_parent || components->config.rules ||
            element->id == UM_LAYOUT_COMPONENTS_CHROME);
}

/* Whether a window is taken not to be authored, of which nobody has seen the creation. */
static bool is_of_control(const struct um_layout_components *components,
                          const struct um_layout_window *told)
{
    const struct element *parent = told->parent ? find(components, told->parent) : NULL;
    return told->parent ? parent && parent->control : told->is_control;
}

static uint32_t resolve(struct um_layout_components *components, uint64_t window, bool is_parent,
                        unsigned depth);

/* Whether a window is a component, even if it is no root. Takes over a name of the rules. */
static bool is_chosen(const struct um_layout_components *components, struct um_layout_window *told,
                      bool is_parent)
{
    if (!components->config.rules)
        return is_parent || told->has_children;
    const char *name = um_layout_rules_find(components->config.rules, told);
    if (name && *name)
        um_text_set(told->text, sizeof told->text, name);
    return name;
}

/* The component that a window is, or lies in. */
static uint32_t place_window(struct um_layout_components *components, struct element *element,
                             struct um_layout_window *told, bool is_parent, unsigned depth)
{
    uint32_t id = told->parent ? resolve(components, told->parent, true, depth + 1) : 0;
    bool own = is_chosen(components, told, is_parent) || id < UM_LAYOUT_COMPONENTS_FIRST;
    if (own)
        id = is_still(components, element, id, told)
                 ? element->id
                 : add_component(components, element->window, id, told);
    if (element->own && element->id != id)
        forget_window(components, element->id);
    element->own = own;
    return id;
}

/* The component that a window counts for. `is_parent`: it is known to have children. The depth is
 * bounded, and so is a circle, because windows that move meanwhile could be told to lie in
 * themselves. */
static uint32_t resolve(struct um_layout_components *components, uint64_t window, bool is_parent,
                        unsigned depth)
{
    struct um_layout_window told = {.parent = 0};
    struct element *known = find(components, window);
    if (is_known(components, known, is_parent))
        return known->id;
    struct element now = known ? *known : (struct element){.window = window};
    bool was_counted = now.counted != 0;
    const struct element asked = {.window = window, .id = UM_LAYOUT_COMPONENTS_CHROME};
    discount(components, &now);
    put(components, &asked);
    if (depth == DEEPEST ||
        !components->config.describe(components->config.context, window, &told) ||
        told.counts_nowhere) {
        if (now.own)
            forget_window(components, now.id);
        return UM_LAYOUT_COMPONENTS_CHROME;
    }
    now.id = (uint16_t)place_window(components, &now, &told, is_parent, depth);
    now.control = told.is_control;
    if (!was_counted)
        now.system = is_of_control(components, &told);
    count(components, &now);
    if (!put(components, &now))
        discount(components, &now);
    if (now.creates)
        move_created(components, window);
    return now.id;
}

uint32_t um_layout_components_of(struct um_layout_components *components, uint64_t window)
{
    if (window == 0)
        return UM_LAYOUT_COMPONENTS_CHROME;
    const struct element *known = find(components, window);
    return is_known(components, known, false) ? known->id : resolve(components, window, false, 0);
}

void um_layout_components_found(struct um_layout_components *components, uint64_t window)
{
    (void)um_layout_components_of(components, window);
}

static bool is_control(struct um_layout_components *components, uint64_t window)
{
    (void)um_layout_components_of(components, window);
    const struct element *element = window ? find(components, window) : NULL;
    return element && element->control;
}

/* The window may be known already, by a step before this record. So it is asked about again, and
 * stays what it was if it is the same. */
void um_layout_components_created(struct um_layout_components *components, uint64_t window,
                                  uint64_t module, uint64_t creator)
{
    struct element *known = window ? find(components, window) : NULL;
    if (known)
        known->epoch = (components->epoch - 1) & EPOCHS;
    bool by_control = is_control(components, creator);
    (void)um_layout_components_of(components, window);
    known = window ? find(components, window) : NULL;
    if (!known)
        return;
    discount(components, known);
    known->creator = by_control ? (uint32_t)creator : 0;
    known->system =
        by_control || (module && components->config.is_system &&
                       components->config.is_system(components->config.context, module));
    count(components, known);
}

/* Frees a window's place. */
static void forget(struct um_layout_components *components, size_t place)
{
    struct element *element = &components->elements[place];
    discount(components, element);
    if (element->own)
        forget_window(components, element->id);
    remove_at(components, place);
}

void um_layout_components_destroyed(struct um_layout_components *components, uint64_t window)
{
    size_t place = place_of(components, window);
    if (window && components->elements[place].window)
        forget(components, place);
}

void um_layout_components_unseen(struct um_layout_components *components)
{
    components->epoch = (components->epoch + 1) & EPOCHS;
}

/* Whether a component's window lies in another component than it did. */
static bool has_moved(const struct um_layout_components *components,
                      const struct um_layout_component *component)
{
    struct um_layout_window told;
    if (component->window == 0 ||
        !components->config.describe(components->config.context, component->window, &told))
        return false;
    const struct element *parent = told.parent ? find(components, told.parent) : NULL;
    if (told.parent && !parent)
        return true; /* that one has never been seen */
    uint32_t id = parent ? parent->id : 0;
    return component->parent != (id < UM_LAYOUT_COMPONENTS_FIRST ? 0 : id);
}

bool um_layout_components_moved(struct um_layout_components *components, uint32_t most)
{
    uint32_t all = components->end - UM_LAYOUT_COMPONENTS_FIRST;
    for (uint32_t i = 0; i < most && i < all; i++) {
        components->checked = (components->checked + 1) % all;
        if (has_moved(components,
                      &components->list[UM_LAYOUT_COMPONENTS_FIRST + components->checked]))
            return true;
    }
    return false;
}

/* When one is removed, another one may come to its place: the place is looked at again then. */
void um_layout_components_forget(struct um_layout_components *components)
{
    struct um_layout_window told;
    for (size_t i = 0; i < components->places;) {
        const struct element *element = &components->elements[i];
        bool gone =
            element->window != 0 && element->epoch != components->epoch &&
            !components->config.describe(components->config.context, element->window, &told);
        if (gone)
            forget(components, i);
        else
            i++;
    }
}

/* A window that has gone stays what it was. */
static void judge_parts(struct um_layout_component *component)
{
    component->had_parts |= component->rendered > 1;
    if (component->window != 0 && component->rendered > 0)
        component->draws_parts =
            component->by_toolkit ||
            (component->parent == 0 && !component->is_control && !component->had_parts);
}

void um_layout_components_count(struct um_layout_components *components)
{
    static const uint32_t first = UM_LAYOUT_COMPONENTS_CHROME;
    uint32_t authored[UM_LAYOUT_COMPONENTS_IDS] = {0}, rendered[UM_LAYOUT_COMPONENTS_IDS] = {0};
    if (!components->recount)
        return;
    components->recount = false;
    for (uint32_t id = components->end - 1; id >= first; id--) {
        struct um_layout_component *component = &components->list[id];
        authored[id] += component->own_authored;
        rendered[id] += component->own_rendered;
        authored[component->parent] += authored[id];
        rendered[component->parent] += rendered[id];
        component->is_news |=
            component->authored != authored[id] || component->rendered != rendered[id];
        component->authored = authored[id];
        component->rendered = rendered[id];
        judge_parts(component);
    }
}

/* Frames --------------------------------------------------------------------------------------- */

static struct um_layout_component *touch(struct um_layout_components *components, uint32_t id)
{
    struct um_layout_component *component = &components->list[id];
    if (!component->in_frame) {
        component->in_frame = true;
        components->touched[components->touched_count++] = id;
    }
    return component;
}

/* Where the search for a message begins: it is nearly always there. */
static size_t message_home(const struct um_layout_pair *pair)
{
    return (pair->message ^ (size_t)(pair->handler >> 4)) % UM_LAYOUT_COMPONENTS_MESSAGES;
}

static void add_message(struct um_layout_component *component, const struct um_layout_pair *pair)
{
    size_t home = message_home(pair);
    struct um_layout_components_message *least = &component->messages[home];
    for (size_t i = 0; i < UM_LAYOUT_COMPONENTS_MESSAGES; i++) {
        struct um_layout_components_message *at =
            &component->messages[(home + i) % UM_LAYOUT_COMPONENTS_MESSAGES];
        if (at->message == pair->message && at->handler == pair->handler) {
            at->own_ns += pair->own_ns;
            return;
        }
        if (at->own_ns < least->own_ns)
            least = at;
    }
    least->message = pair->message;
    least->handler = pair->handler;
    least->own_ns += pair->own_ns;
}

void um_layout_components_add(struct um_layout_components *components,
                              const struct um_layout_pair *pair)
{
    if (pair->tag == 0 || pair->tag >= components->end || pair->step >= UM_LAYOUT_STEP_COUNT)
        return;
    struct um_layout_component *component = touch(components, pair->tag);
    component->frame_own_ns[pair->step] += pair->own_ns;
    if (pair->message != 0)
        add_message(component, pair);
}

static uint64_t layout_ns(const uint64_t step_ns[UM_LAYOUT_STEP_COUNT])
{
    return step_ns[UM_LAYOUT_STEP_MEASURE] + step_ns[UM_LAYOUT_STEP_ARRANGE];
}

/* `frame` is its number. */
static void count_frame(struct um_layout_component *component, uint32_t frame)
{
    uint64_t frame_ns = layout_ns(component->frame_ns);
    double frame_ms = (double)frame_ns / 1e6;
    for (size_t i = 0; i < UM_LAYOUT_STEP_COUNT; i++)
        component->step_ns[i] += component->frame_ns[i];
    memcpy(component->last_step_ns, component->frame_ns, sizeof component->frame_ns);
    component->own_layout_ns += layout_ns(component->frame_own_ns);
    if (component->worst_frame_ns < frame_ns)
        component->worst_frame_ns = frame_ns;
    if (component->frames++ == 0)
        component->mean_ms = frame_ms;
    else
        component->mean_ms += UM_LAYOUT_COMPONENTS_ALPHA * (frame_ms - component->mean_ms);
    if (!component->recent || component->recent_worst_ns < frame_ns)
        component->recent_worst_ns = frame_ns;
    component->last_frame = frame;
    component->changed = component->recent = true;
}

/* Adds a component's own steps to itself and to the components around it. */
static void add_outwards(struct um_layout_components *components, uint32_t id)
{
    const uint64_t *own_ns = components->list[id].frame_own_ns;
    for (uint32_t at = id; at != 0; at = components->list[at].parent) {
        struct um_layout_component *component = touch(components, at);
        for (size_t i = 0; i < UM_LAYOUT_STEP_COUNT; i++)
            component->frame_ns[i] += own_ns[i];
    }
}

void um_layout_components_end_frame(struct um_layout_components *components, bool counts)
{
    size_t with_steps = components->touched_count;
    components->frames += counts && with_steps > 0;
    for (size_t i = 0; i < with_steps && counts; i++)
        add_outwards(components, components->touched[i]);
    for (size_t i = 0; i < components->touched_count; i++) {
        struct um_layout_component *component = &components->list[components->touched[i]];
        if (counts)
            count_frame(component, components->frames);
        component->in_frame = false;
        memset(component->frame_ns, 0, sizeof component->frame_ns);
        memset(component->frame_own_ns, 0, sizeof component->frame_own_ns);
    }
    components->touched_count = 0;
}

/* Reading -------------------------------------------------------------------------------------- */

uint32_t um_layout_components_end(const struct um_layout_components *components)
{
    return components->end;
}

struct um_layout_component *um_layout_components_get(struct um_layout_components *components,
                                                     uint32_t id)
{
    return &components->list[id];
}

struct um_layout_components_message
um_layout_components_costliest(const struct um_layout_component *component)
{
    const struct um_layout_components_message *most = &component->messages[0];
    for (size_t i = 1; i < UM_LAYOUT_COMPONENTS_MESSAGES; i++)
        if (component->messages[i].own_ns > most->own_ns)
            most = &component->messages[i];
    return *most;
}

size_t um_layout_components_elements(const struct um_layout_components *components, size_t *bytes)
{
    *bytes = components->places * sizeof components->elements[0];
    return components->count;
}
