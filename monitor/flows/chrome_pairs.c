#include "monitor/flows/chrome_pairs.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "monitor/flows/markers.h"
#include "monitor/flows/runs.h"

/* What pairing needs. Numbers of events are one more than their places, so that 0 is none. */
struct pairing {
    struct um_chrome_events *events;
    struct um_chrome_pairs *pairs;
    uint32_t *by_thread; /* places of the events of each thread together, by time */
    uint32_t *by_time;   /* of those that begin or end apart from the stack */
    size_t apart_count;
    bool *is_listed; /* of a begin: an end may end it */
    /* Of each name the last begin that was listed, and of each event the one before it. Those that
     * are over stay there until somebody comes across them. Apart from the stack: of each key. */
    uint32_t *last_named, *before_named;
    uint32_t *last, *before;   /* the same of each shorter key */
    uint32_t *earlier;         /* of a slice: the one of its name before it that began earlier */
    uint32_t top;              /* of the thread's stack */
    uint32_t *around, *within; /* of an open slice: what is next to it on the stack */
};

static bool is_earlier(const void *b, const void *a, const void *context)
{
    const struct um_chrome_event *events = context;
    return events[*(const uint32_t *)b].start_ns < events[*(const uint32_t *)a].start_ns;
}

static bool is_earlier_in_thread(const void *b, const void *a, const void *context)
{
    const struct um_chrome_event *events = context;
    uint32_t second = events[*(const uint32_t *)b].thread,
             first = events[*(const uint32_t *)a].thread;
    return second != first ? second < first : is_earlier(b, a, context);
}

/* Begins and ends ------------------------------------------------------------------------------ */

static void begin(struct pairing *pairing, uint32_t number)
{
    struct um_chrome_event *event = &pairing->events->list[number - 1];
    event->is_interval = event->is_open = true;
    event->end_ns = pairing->events->last_ns;
    pairing->is_listed[number - 1] = true;
}

static void add_to(uint32_t *last, uint32_t *before, uint32_t number)
{
    before[number - 1] = *last;
    *last = number;
}

/* The first one that is open of a list from a place on, which is moved there; 0: none is. What is
 * over is taken from the list on the way, so that nobody comes across it again. */
static uint32_t find_open(const struct pairing *pairing, uint32_t *place, uint32_t *before)
{
    while (*place != 0 && !pairing->is_listed[*place - 1]) {
        uint32_t next = before[*place - 1];
        if (next != 0 && !pairing->is_listed[next - 1])
            before[*place - 1] = before[next - 1];
        *place = before[*place - 1];
    }
    return *place;
}

static void end(struct pairing *pairing, uint32_t number, uint32_t by)
{
    struct um_chrome_event *event = &pairing->events->list[number - 1];
    event->is_open = false;
    event->end_ns = pairing->events->list[by - 1].start_ns;
    event->end = by;
    pairing->is_listed[number - 1] = false;
}

/* Takes a slice from the stack, and what was begun within it before that time: that has lost its
 * end. */
static void leave(struct pairing *pairing, uint32_t number, int64_t time_ns)
{
    struct um_chrome_event *list = pairing->events->list;
    uint32_t around = pairing->around[number - 1], within = pairing->within[number - 1];
    for (; within != 0 && list[within - 1].start_ns < time_ns;
         within = pairing->within[within - 1]) {
        list[within - 1].end_ns = time_ns;
        pairing->is_listed[within - 1] = false;
    }
    if (around != 0)
        pairing->within[around - 1] = within;
    if (within != 0)
        pairing->around[within - 1] = around;
    else
        pairing->top = around;
}

static void begin_slice(struct pairing *pairing, uint32_t number)
{
    const struct um_chrome_event *event = &pairing->events->list[number - 1];
    pairing->around[number - 1] = pairing->top;
    if (pairing->top != 0)
        pairing->within[pairing->top - 1] = number;
    pairing->top = number;
    begin(pairing, number);
    uint32_t last = find_open(pairing, &pairing->last_named[event->name], pairing->before_named);
    bool is_tie = last != 0 && pairing->events->list[last - 1].start_ns == event->start_ns;
    pairing->earlier[number - 1] = is_tie ? pairing->earlier[last - 1] : last;
    add_to(&pairing->last_named[event->name], pairing->before_named, number);
}

/* The slice that an end with a name ends: of those with that name the innermost one that was begun
 * before that time, and if none was, the innermost one. */
static uint32_t find_named(struct pairing *pairing, const struct um_chrome_event *event)
{
    const struct um_chrome_event *list = pairing->events->list;
    uint32_t last = find_open(pairing, &pairing->last_named[event->name], pairing->before_named);
    if (last == 0 || list[last - 1].start_ns < event->start_ns)
        return last;
    uint32_t earlier = find_open(pairing, &pairing->earlier[last - 1], pairing->before_named);
    return earlier != 0 ? earlier : last;
}

static void end_slice(struct pairing *pairing, uint32_t by)
{
    const struct um_chrome_event *event = &pairing->events->list[by - 1];
    bool has_name = um_texts_get(&pairing->events->texts, event->name)[0] != '\0';
    uint32_t number = has_name ? find_named(pairing, event) : pairing->top;
    if (number == 0) {
        pairing->pairs->ends++;
        return;
    }
    leave(pairing, number, event->start_ns);
    end(pairing, number, by);
}

/* What is open when its thread has no more events lasts until the file ends. */
static void clear_stack(struct pairing *pairing)
{
    for (; pairing->top != 0; pairing->top = pairing->around[pairing->top - 1])
        pairing->is_listed[pairing->top - 1] = false;
}

static void pair_slices(struct pairing *pairing)
{
    const struct um_chrome_event *list = pairing->events->list;
    for (size_t i = 0; i < pairing->events->count; i++) {
        uint32_t place = pairing->by_thread[i];
        if (i > 0 && list[place].thread != list[pairing->by_thread[i - 1]].thread)
            clear_stack(pairing);
        if (list[place].phase == 'B')
            begin_slice(pairing, place + 1);
        else if (list[place].phase == 'E')
            end_slice(pairing, place + 1);
    }
    clear_stack(pairing);
}

/* The same for those that lie on no stack. */
static void pair_apart(struct pairing *pairing)
{
    for (size_t i = 0; i < pairing->apart_count; i++) {
        uint32_t number = pairing->by_time[i] + 1;
        const struct um_chrome_event *event = &pairing->events->list[number - 1];
        if (event->phase == 'b') {
            begin(pairing, number);
            add_to(&pairing->last_named[event->named_key], pairing->before_named, number);
            add_to(&pairing->last[event->key], pairing->before, number);
        } else {
            uint32_t ended =
                find_open(pairing, &pairing->last_named[event->named_key], pairing->before_named);
            if (ended == 0)
                ended = find_open(pairing, &pairing->last[event->key], pairing->before);
            if (ended != 0)
                end(pairing, ended, number);
            else
                pairing->pairs->ends++;
        }
    }
}

/* Flows ---------------------------------------------------------------------------------------- */

/* Whether a flow event may lie in it. Instants count, too: Chromium begins flows in them. */
static bool is_slice(const struct um_chrome_event *event)
{
    return strchr("BXi", event->phase) != NULL;
}

/* Slices of a thread: those that contain others first. Instants stand before the slices that start
 * together with them, so that a flow event at their time lies in a slice. */
static bool is_outside(const void *b, const void *a, const void *context)
{
    const struct um_chrome_event *events = context;
    const struct um_chrome_event *second = &events[*(const uint32_t *)b];
    const struct um_chrome_event *first = &events[*(const uint32_t *)a];
    if (second->thread != first->thread || second->start_ns != first->start_ns)
        return false;
    if ((second->phase == 'i') != (first->phase == 'i'))
        return second->phase == 'i';
    return second->end_ns > first->end_ns;
}

static bool add_mention(struct um_chrome_pairs *pairs, uint32_t slice, uint32_t event)
{
    if (!um_list_reserve(&pairs->mentions, &pairs->mention_room, pairs->mention_count + 1,
                         UM_MARKERS_MOST, sizeof *pairs->mentions))
        return false;
    pairs->mentions[pairs->mention_count++] = (struct um_chrome_mention){slice, event};
    return true;
}

/* The slices of a thread, while its flow events are gone through. */
struct binding {
    const struct um_chrome_event *events;
    const uint32_t *slices; /* by thread and time */
    size_t count;
    size_t next;     /* the first slice that starts later */
    size_t after;    /* the first one that starts at that time, or later */
    uint32_t *stack; /* those that have started and not ended */
    size_t depth;
    uint32_t thread;
};

static bool is_in_thread(const struct binding *binding, size_t slice)
{
    return slice < binding->count &&
           binding->events[binding->slices[slice]].thread == binding->thread;
}

/* Until when flow events lie in a slice. Of one without a length nobody knows when it ended. */
static int64_t until(const struct um_chrome_event *slice)
{
    return slice->phase == 'X' && slice->is_open ? slice->start_ns : slice->end_ns;
}

/* Goes on to a flow event. */
static void go_to(struct binding *binding, const struct um_chrome_event *event)
{
    const struct um_chrome_event *events = binding->events;
    const uint32_t *slices = binding->slices;
    if (event->thread != binding->thread) {
        binding->depth = 0;
        while (binding->next < binding->count &&
               events[slices[binding->next]].thread < event->thread)
            binding->next++;
        binding->after = binding->next;
        binding->thread = event->thread;
    }
    while (is_in_thread(binding, binding->after) &&
           events[slices[binding->after]].start_ns < event->start_ns)
        binding->after++;
    while (is_in_thread(binding, binding->next) &&
           events[slices[binding->next]].start_ns <= event->start_ns)
        binding->stack[binding->depth++] = slices[binding->next++];
    while (binding->depth > 0 &&
           until(&events[binding->stack[binding->depth - 1]]) < event->start_ns)
        binding->depth--;
}

/* Finds the slice of each flow event. One without a slice is a mention of its own. Where the file
 * has it among the events of its time makes no difference. `slices` and `stack` have room for all
 * events. */
static bool bind_flow_events(struct pairing *pairing, uint32_t *slices, uint32_t *stack)
{
    const struct um_chrome_event *events = pairing->events->list;
    struct binding binding = {
        .events = events, .slices = slices, .stack = stack, .thread = UM_TEXTS_NONE};
    for (size_t i = 0; i < pairing->events->count; i++)
        if (is_slice(&events[pairing->by_thread[i]]))
            slices[binding.count++] = pairing->by_thread[i];
    if (!um_runs_sort(slices, binding.count, sizeof *slices, is_outside, events))
        return false;
    for (size_t i = 0; i < pairing->events->count; i++) {
        uint32_t place = pairing->by_thread[i], slice = place;
        const struct um_chrome_event *event = &events[place];
        if (!um_chrome_events_is_flow(event))
            continue;
        go_to(&binding, event);
        if (event->phase == 'f' && !event->binds_enclosing)
            slice = is_in_thread(&binding, binding.after) ? slices[binding.after] : place;
        else if (binding.depth > 0)
            slice = stack[binding.depth - 1];
        if (!add_mention(pairing->pairs, slice, place))
            return false;
    }
    return true;
}

/* Adds the flows that events are in without a flow event. That of an end is mentioned by what it
 * ends. */
static bool add_bound(struct pairing *pairing)
{
    const struct um_chrome_event *list = pairing->events->list;
    for (uint32_t i = 0; i < pairing->events->count; i++) {
        uint32_t end = list[i].end;
        bool is_end = strchr("Ee", list[i].phase) != NULL;
        if (list[i].is_bound && !is_end && !add_mention(pairing->pairs, i, i))
            return false;
        if (end != 0 && list[end - 1].is_bound && !add_mention(pairing->pairs, i, end - 1))
            return false;
    }
    return true;
}

static bool is_of_earlier_slice(const void *b, const void *a, const void *context)
{
    (void)context;
    return ((const struct um_chrome_mention *)b)->slice <
           ((const struct um_chrome_mention *)a)->slice;
}

/* Everything ----------------------------------------------------------------------------------- */

/* Lists the events of each thread together: what a thread does is sorted by time nearly always, so
 * that little is left to do. `nexts` has room for all threads, and is zeroed. */
static void list_by_thread(struct pairing *pairing, uint32_t *nexts)
{
    const struct um_chrome_events *events = pairing->events;
    for (size_t i = 0; i < events->count; i++)
        nexts[events->list[i].thread + 1]++;
    for (size_t i = 1; i <= events->thread_count; i++)
        nexts[i] += nexts[i - 1];
    for (uint32_t i = 0; i < events->count; i++)
        pairing->by_thread[nexts[events->list[i].thread]++] = i;
}

/* False without memory. */
static bool sort(struct pairing *pairing)
{
    size_t count = pairing->events->count;
    uint32_t *nexts = calloc(pairing->events->thread_count + 2, sizeof *nexts);
    if (!nexts)
        return false;
    list_by_thread(pairing, nexts);
    free(nexts);
    for (uint32_t i = 0; i < count; i++)
        if (strchr("be", pairing->events->list[i].phase))
            pairing->by_time[pairing->apart_count++] = i;
    return um_runs_sort(pairing->by_thread, count, sizeof *pairing->by_thread, is_earlier_in_thread,
                        pairing->events->list) &&
           um_runs_sort(pairing->by_time, pairing->apart_count, sizeof *pairing->by_time,
                        is_earlier, pairing->events->list);
}

/* The lists of names are used again for keys, when they have nothing open in them. */
static bool find(struct pairing *pairing)
{
    struct um_chrome_events *events = pairing->events;
    struct um_chrome_pairs *pairs = pairing->pairs;
    if (!sort(pairing))
        return false;
    for (size_t i = 0; i < events->count; i++)
        if (events->list[i].is_open)
            events->list[i].end_ns = events->last_ns;
    pair_slices(pairing);
    memset(pairing->last_named, 0, (events->texts.count + 1) * sizeof *pairing->last_named);
    pair_apart(pairing);
    return bind_flow_events(pairing, pairing->around, pairing->within) && add_bound(pairing) &&
           um_runs_sort(pairs->mentions, pairs->mention_count, sizeof *pairs->mentions,
                        is_of_earlier_slice, NULL);
}

enum um_status um_chrome_pairs_find(struct um_chrome_events *events, struct um_chrome_pairs *pairs)
{
    size_t count = events->count + 1, keys = events->keys.count + 1;
    size_t names = events->texts.count + 1 > keys ? events->texts.count + 1 : keys;
    uint32_t *of_events = calloc(count, 7 * sizeof *of_events);
    struct pairing pairing = {.events = events, .pairs = pairs};
    uint32_t **const lists[] = {&pairing.by_thread, &pairing.by_time, &pairing.before_named,
                                &pairing.before,    &pairing.around,  &pairing.within,
                                &pairing.earlier};
    for (size_t i = 0; of_events && i < sizeof lists / sizeof lists[0]; i++)
        *lists[i] = of_events + i * count;
    pairing.last_named = calloc(names, sizeof *pairing.last_named);
    pairing.last = calloc(keys, sizeof *pairing.last);
    pairing.is_listed = calloc(count, sizeof *pairing.is_listed);
    bool has_memory =
        of_events && pairing.last_named && pairing.last && pairing.is_listed && find(&pairing);
    free(of_events);
    free(pairing.last_named);
    free(pairing.last);
    free(pairing.is_listed);
    return has_memory ? UM_OK : UM_ERR_MEMORY;
}

void um_chrome_pairs_deinit(struct um_chrome_pairs *pairs)
{
    free(pairs->mentions);
    *pairs = (struct um_chrome_pairs){0};
}
