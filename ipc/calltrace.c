#include "ipc/calltrace.h"

#include "base/plain/message.h"

#define SLOTS (2 * UM_CALLTRACE_NODES)

/* Some slots stay free, so that each search ends. */
#define CLASSES_MOST (UM_CALLTRACE_CLASSES - 16)

_Static_assert((SLOTS & (SLOTS - 1)) == 0, "slots are a power of two");
_Static_assert((UM_CALLTRACE_DEPTH & (UM_CALLTRACE_DEPTH - 1)) == 0, "a mask of places");
_Static_assert(UM_CALLTRACE_NODES <= UM_WIRE_TRACE_NODES, "every node has a number of the wire's");

enum value { COUNT, ENDED, LOOSE, WALL, SELF, CPU };

/* Held --------------------------------------------------------------------------------------- */

enum { HOLDS_NOTHING, HOLDS_UNTIL_KNOWN, HOLDS_OWN };

static void hold(struct um_calltrace *trace, uint8_t what)
{
    trace->held.holds = what;
    trace->held.count = trace->held.event_count = 0;
}

/* What was held stays in the tree. */
static void keep_held(struct um_calltrace *trace)
{
    struct um_ring *ring = atomic_load_explicit(&trace->events, memory_order_acquire);
    for (uint32_t i = 0; i < trace->held.event_count && ring; i++)
        um_ring_push(ring, &trace->held.events[i]);
    hold(trace, HOLDS_NOTHING);
}

/* Where what is added to a node is noted; NULL: nothing is held, or there is no room. */
static uint64_t *held_values(struct um_calltrace *trace, uint32_t node)
{
    struct um_calltrace_held *held = &trace->held;
    if (!held->holds)
        return 0;
    for (uint32_t i = 0; i < held->count; i++)
        if (held->nodes[i] == node)
            return held->values[i];
    if (held->count == UM_CALLTRACE_HELD) {
        keep_held(trace);
        return 0;
    }
    held->nodes[held->count] = node;
    for (uint32_t v = 0; v < UM_CALLTRACE_VALUES; v++)
        held->values[held->count][v] = 0;
    return held->values[held->count++];
}

/* Whether the event is held, so that it goes into no ring now. */
static int hold_event(struct um_calltrace *trace, const struct um_ring_record *record)
{
    struct um_calltrace_held *held = &trace->held;
    if (held->holds && held->event_count == UM_CALLTRACE_HELD_EVENTS)
        keep_held(trace);
    if (!held->holds)
        return 0;
    for (uint32_t i = 0; i < sizeof record->word / sizeof record->word[0]; i++)
        held->events[held->event_count].word[i] = record->word[i];
    held->event_count++;
    return 1;
}

void um_calltrace_init(struct um_calltrace *trace)
{
    uint32_t count = atomic_load_explicit(&trace->count, memory_order_relaxed);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t v = 0; v < UM_CALLTRACE_VALUES; v++)
            atomic_store_explicit(&trace->nodes[i].values[v], 0, memory_order_relaxed);
    for (uint32_t i = 0; i < SLOTS; i++)
        trace->slots[i] = 0;
    for (uint32_t i = 0; i < UM_CALLTRACE_CLASSES; i++)
        trace->classes[i].atom = 0;
    trace->class_count = 0;
    trace->nodes[UM_CALLTRACE_ROOT].parent = 0;
    trace->nodes[UM_CALLTRACE_OTHER].parent = UM_CALLTRACE_ROOT;
    trace->nodes[UM_CALLTRACE_OTHER].what = (struct um_calltrace_what){.kind = UM_TRACE_OTHER};
    atomic_store_explicit(&trace->deeper, 0, memory_order_relaxed);
    atomic_store_explicit(&trace->count, 2, memory_order_release);
    um_calltrace_forget(trace);
}

void um_calltrace_forget(struct um_calltrace *trace)
{
    trace->depth = trace->skipped = trace->others = 0;
    keep_held(trace);
}

/* Nodes ---------------------------------------------------------------------------------------- */

/* A sequence lock around changes of a node's values. There is one writer, so a plain load and store
 * suffice. */
static void begin_write(struct um_calltrace_node *node)
{
    uint32_t sequence = atomic_load_explicit(&node->sequence, memory_order_relaxed);
    atomic_store_explicit(&node->sequence, sequence + 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
}

static void end_write(struct um_calltrace_node *node)
{
    uint32_t sequence = atomic_load_explicit(&node->sequence, memory_order_relaxed);
    atomic_store_explicit(&node->sequence, sequence + 1, memory_order_release);
}

static void add(struct um_calltrace_node *node, enum value value, uint64_t more)
{
    uint64_t now = atomic_load_explicit(&node->values[value], memory_order_relaxed);
    atomic_store_explicit(&node->values[value], now + more, memory_order_relaxed);
}

/* Adds to all values of a node. */
static void add_all(struct um_calltrace *trace, uint32_t number,
                    const uint64_t more[UM_CALLTRACE_VALUES])
{
    struct um_calltrace_node *node = &trace->nodes[number];
    uint64_t *noted = held_values(trace, number);
    begin_write(node);
    for (uint32_t v = 0; v < UM_CALLTRACE_VALUES; v++) {
        add(node, (enum value)v, more[v]);
        if (noted)
            noted[v] += more[v];
    }
    end_write(node);
}

/* What was held is taken out of the tree again. */
static void take_back_held(struct um_calltrace *trace)
{
    const struct um_calltrace_held *held = &trace->held;
    for (uint32_t i = 0; i < held->count; i++) {
        struct um_calltrace_node *node = &trace->nodes[held->nodes[i]];
        begin_write(node);
        for (uint32_t v = 0; v < UM_CALLTRACE_VALUES; v++)
            add(node, (enum value)v, 0 - held->values[i][v]);
        end_write(node);
    }
    hold(trace, HOLDS_NOTHING);
}

/* A message is retrieved that is no beat's move. */
static void end_holding(struct um_calltrace *trace)
{
    if (trace->held.holds == HOLDS_OWN)
        take_back_held(trace);
    else if (trace->held.holds)
        keep_held(trace);
}

static int is_same(const struct um_calltrace_node *node, uint32_t parent,
                   const struct um_calltrace_what *what)
{
    return node->parent == parent && node->what.handler == what->handler &&
           node->what.message == what->message && node->what.window_class == what->window_class &&
           node->what.kind == what->kind;
}

static uint32_t slot_of(uint32_t parent, const struct um_calltrace_what *what)
{
    uint64_t mixed = what->handler ^ (uint64_t)what->message << 20 ^ (uint64_t)parent << 40 ^
                     (uint64_t)what->window_class << 8 ^ what->kind;
    mixed *= UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(mixed >> 40) & (SLOTS - 1);
}

static uint32_t add_node(struct um_calltrace *trace, uint32_t slot, uint32_t parent,
                         const struct um_calltrace_what *what)
{
    uint32_t number = atomic_load_explicit(&trace->count, memory_order_relaxed);
    if (number >= UM_CALLTRACE_NODES)
        return UM_CALLTRACE_OTHER;
    trace->nodes[number].parent = parent;
    trace->nodes[number].what = *what;
    trace->slots[slot] = (uint16_t)number;
    atomic_store_explicit(&trace->count, number + 1, memory_order_release);
    return number;
}

/* Half of the slots are always free, so the search ends. */
static uint32_t node_of(struct um_calltrace *trace, uint32_t parent,
                        const struct um_calltrace_what *what)
{
    uint32_t slot = slot_of(parent, what);
    if (parent == UM_CALLTRACE_OTHER)
        return UM_CALLTRACE_OTHER;
    for (; trace->slots[slot] != 0; slot = (slot + 1) & (SLOTS - 1))
        if (is_same(&trace->nodes[trace->slots[slot]], parent, what))
            return trace->slots[slot];
    return add_node(trace, slot, parent, what);
}

uint16_t um_calltrace_class(struct um_calltrace *trace, uint16_t atom, uint16_t **name)
{
    uint32_t at = atom % UM_CALLTRACE_CLASSES;
    *name = 0;
    if (atom == 0)
        return 0;
    /* The slot 0 is never taken, because 0 is no class. */
    for (at = at ? at : 1; trace->classes[at].atom != 0;
         at = at + 1 < UM_CALLTRACE_CLASSES ? at + 1 : 1)
        if (trace->classes[at].atom == atom)
            return (uint16_t)at;
    if (trace->class_count >= CLASSES_MOST)
        return 0;
    trace->class_count++;
    trace->classes[at].atom = atom;
    *name = trace->classes[at].name;
    return (uint16_t)at;
}

/* Open calls ----------------------------------------------------------------------------------- */

/* There is one writer. If a hook procedure is held up until another thread has become the writer,
 * counts may be wrong, but nothing is written outside of the arrays. */
static struct um_calltrace_open *open_at(struct um_calltrace *trace, uint32_t place)
{
    return &trace->open[place & (UM_CALLTRACE_DEPTH - 1)];
}

static uint32_t depth_of(const struct um_calltrace *trace)
{
    return trace->depth <= UM_CALLTRACE_DEPTH ? trace->depth : 0;
}

static struct um_calltrace_open *top(struct um_calltrace *trace)
{
    uint32_t depth = depth_of(trace);
    return depth > 0 ? open_at(trace, depth - 1) : 0;
}

static struct um_calltrace_open *take_top(struct um_calltrace *trace)
{
    struct um_calltrace_open *call = open_at(trace, depth_of(trace) - 1);
    trace->depth = depth_of(trace) - 1;
    trace->skipped = 0; /* the calls within it have been left, too */
    if (call->node == UM_CALLTRACE_OTHER)
        trace->others--;
    return call;
}

static void push_event(struct um_calltrace *trace, const struct um_calltrace_open *call,
                       const struct um_calltrace_at *at, int is_loose)
{
    struct um_ring *ring = atomic_load_explicit(&trace->events, memory_order_acquire);
    struct um_ring_record record = {
        {call->at.ticks, at->ticks, call->node | (uint64_t)call->age_ms << 32,
         (is_loose ? UINT64_C(1) : 0) | (call->by_other_thread ? UINT64_C(2) : 0)}};
    uint64_t least = atomic_load_explicit(&trace->events_from, memory_order_relaxed);
    if (ring && at->ticks - call->at.ticks >= least && !hold_event(trace, &record))
        um_ring_push(ring, &record);
}

/* The innermost call ends now. */
static void end_top(struct um_calltrace *trace, const struct um_calltrace_at *at, int is_loose)
{
    const struct um_calltrace_open *call = take_top(trace);
    struct um_calltrace_open *outer = top(trace);
    uint64_t wall = at->ticks - call->at.ticks;
    uint64_t cpu = at->cycles && call->at.cycles ? at->cycles - call->at.cycles : 0;
    /* Calls of OTHER within one another would count the same time twice. */
    int is_within = call->node == UM_CALLTRACE_OTHER && trace->others > 0;

    const uint64_t more[UM_CALLTRACE_VALUES] = {
        [ENDED] = 1,
        [LOOSE] = is_loose != 0,
        [WALL] = is_within ? 0 : wall,
        [SELF] = wall > call->inner_wall ? wall - call->inner_wall : 0,
        [CPU] = is_within ? 0 : cpu};

    add_all(trace, call->node, more);
    push_event(trace, call, at, is_loose);
    if (outer)
        outer->inner_wall += wall;
}

/* The innermost call has been left at an unknown time, so the call around it gets its time. */
static void drop_top(struct um_calltrace *trace)
{
    const struct um_calltrace_open *call = take_top(trace);
    struct um_calltrace_open *outer = top(trace);
    if (outer)
        outer->inner_wall += call->inner_wall;
}

/* Ends the innermost call if it was retrieved, and else drops it. (As long as its marker is in the
 * queue, the thread cannot have waited for a message, and the time of the end is exact.) */
static void leave_top(struct um_calltrace *trace, const struct um_calltrace_at *at)
{
    const struct um_calltrace_open *call = top(trace);
    if (call && call->kind == UM_TRACE_RETRIEVED)
        end_top(trace, at, !call->marker_is_out);
    else
        drop_top(trace);
}

/* Whether an event at `at` shows that an open call has been left. */
static int is_left(const struct um_calltrace_open *call, const struct um_calltrace_at *at,
                   int in_loop)
{
    if (call->at.stack != at->stack)
        return 0;
    if (call->kind == UM_TRACE_SENT)
        return call->at.place <= at->place;
    return in_loop ? call->at.place <= at->place + UM_CALLTRACE_LEVEL
                   : call->at.place + UM_CALLTRACE_LEVEL <= at->place;
}

/* `in_loop`: the thread was retrieving messages when this happened. */
static void leave_all_left(struct um_calltrace *trace, const struct um_calltrace_at *at,
                           int in_loop)
{
    for (const struct um_calltrace_open *call = top(trace); call && is_left(call, at, in_loop);
         call = top(trace))
        leave_top(trace, at);
}

static struct um_calltrace_open *enter(struct um_calltrace *trace,
                                       const struct um_calltrace_what *what, uint64_t window,
                                       const struct um_calltrace_at *at)
{
    if (depth_of(trace) == UM_CALLTRACE_DEPTH) {
        uint64_t deeper = atomic_load_explicit(&trace->deeper, memory_order_relaxed);
        atomic_store_explicit(&trace->deeper, deeper + 1, memory_order_relaxed);
        trace->skipped += what->kind == UM_TRACE_SENT; /* only sent messages report their end */
        return 0;
    }
    const struct um_calltrace_open *outer = top(trace);
    uint32_t parent = outer ? outer->node : UM_CALLTRACE_ROOT;
    uint32_t number = node_of(trace, parent, what);
    add_all(trace, number, (const uint64_t[UM_CALLTRACE_VALUES]){[COUNT] = 1});
    if (number == UM_CALLTRACE_OTHER)
        trace->others++;
    struct um_calltrace_open *call = open_at(trace, depth_of(trace));
    trace->depth = depth_of(trace) + 1;
    *call = (struct um_calltrace_open){.at = *at,
                                       .window = window,
                                       .message = what->message,
                                       .node = number,
                                       .age_ms = UM_WIRE_AGE_UNKNOWN,
                                       .kind = what->kind};
    return call;
}

void um_calltrace_entered(struct um_calltrace *trace, const struct um_calltrace_what *what,
                          uint64_t window, int by_other_thread, const struct um_calltrace_at *at)
{
    leave_all_left(trace, at, by_other_thread);
    if (depth_of(trace) == 0 && by_other_thread)
        end_holding(trace);
    else if (depth_of(trace) == 0 && what->message == UM_MESSAGE_HIT_TEST && !trace->held.holds)
        hold(trace, HOLDS_UNTIL_KNOWN);
    struct um_calltrace_open *call = enter(trace, what, window, at);
    if (call)
        call->by_other_thread = by_other_thread != 0;
}

/* Finds the open call of a sent message that has ended: its place + 1, or 0 for none. */
static uint32_t find_sent(struct um_calltrace *trace, uint32_t message, uint64_t window,
                          uint64_t stack)
{
    for (uint32_t i = depth_of(trace); i > 0; i--) {
        const struct um_calltrace_open *call = open_at(trace, i - 1);
        if (call->kind == UM_TRACE_SENT && call->message == message && call->window == window &&
            call->at.stack == stack)
            return i;
    }
    return 0;
}

uint32_t um_calltrace_left(struct um_calltrace *trace, uint32_t message, uint64_t window,
                           const struct um_calltrace_at *at)
{
    if (trace->skipped > 0) {
        trace->skipped--;
        return 0;
    }
    uint32_t found = find_sent(trace, message, window, at->stack);
    if (found == 0)
        return 0;
    while (depth_of(trace) > found)
        leave_top(trace, at);
    end_top(trace, at, 0);
    /* A loop within the handler may have taken the marker of the call around, which goes on. */
    struct um_calltrace_open *outer = top(trace);
    int wants = outer && outer->kind == UM_TRACE_RETRIEVED && !outer->marker_is_out;
    return wants ? outer->serial : 0;
}

uint32_t um_calltrace_retrieved(struct um_calltrace *trace, const struct um_calltrace_what *what,
                                const struct um_calltrace_at *at)
{
    end_holding(trace);
    leave_all_left(trace, at, 1);
    if (!what)
        return 0;
    struct um_calltrace_open *call = enter(trace, what, 0, at);
    if (!call)
        return 0;
    if (++trace->serial == 0)
        trace->serial = 1;
    call->serial = trace->serial;
    call->age_ms = at->age_ms;
    return call->serial;
}

void um_calltrace_own_move(struct um_calltrace *trace, const struct um_calltrace_at *at)
{
    leave_all_left(trace, at, 1);
    if (trace->held.holds)
        take_back_held(trace);
    if (depth_of(trace) == 0)
        hold(trace, HOLDS_OWN);
}

static uint32_t find_serial(struct um_calltrace *trace, uint32_t serial)
{
    for (uint32_t i = depth_of(trace); i > 0; i--) {
        const struct um_calltrace_open *call = open_at(trace, i - 1);
        if (call->kind == UM_TRACE_RETRIEVED && call->serial == serial)
            return i;
    }
    return 0;
}

void um_calltrace_posted(struct um_calltrace *trace, uint32_t serial)
{
    uint32_t found = find_serial(trace, serial);
    if (found > 0)
        open_at(trace, found - 1)->marker_is_out = 1;
}

void um_calltrace_marker(struct um_calltrace *trace, uint32_t serial,
                         const struct um_calltrace_at *at)
{
    uint32_t found = find_serial(trace, serial);
    end_holding(trace);
    if (found > 0 && !is_left(open_at(trace, found - 1), at, 1)) {
        open_at(trace, found - 1)->marker_is_out = 0; /* a loop within the handler has taken it */
        found = 0;
    }
    while (found > 0 && depth_of(trace) > found)
        leave_top(trace, at);
    if (found > 0)
        end_top(trace, at, 0);
    leave_all_left(trace, at, 1);
}

/* Reading -------------------------------------------------------------------------------------- */

uint32_t um_calltrace_count(const struct um_calltrace *trace)
{
    return atomic_load_explicit(&trace->count, memory_order_acquire);
}

int um_calltrace_read(const struct um_calltrace *trace, uint32_t number,
                      struct um_calltrace_values *values, uint32_t *version)
{
    const struct um_calltrace_node *node = &trace->nodes[number];
    uint64_t copy[UM_CALLTRACE_VALUES];
    uint32_t before = atomic_load_explicit(&node->sequence, memory_order_acquire);
    for (uint32_t i = 0; i < UM_CALLTRACE_VALUES; i++)
        copy[i] = atomic_load_explicit(&node->values[i], memory_order_relaxed);
    atomic_thread_fence(memory_order_acquire);
    uint32_t after = atomic_load_explicit(&node->sequence, memory_order_relaxed);
    if (before != after || (before & 1))
        return 0;
    *values = (struct um_calltrace_values){copy[COUNT], copy[ENDED], copy[LOOSE],
                                           copy[WALL],  copy[SELF],  copy[CPU]};
    *version = after;
    return 1;
}
