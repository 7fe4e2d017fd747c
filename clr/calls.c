#include "clr/calls.h"

#include "base/plain/text.h"

#define YIELDS 4096        /* before the lock's owner is taken for dead */
#define STEPS_WHEN_FULL 64 /* in a list of nodes, once no node can be made */

_Static_assert(UM_CALLS_METHODS <= UM_WIRE_METHOD_NUMBERS, "numbers of methods can be sent");

/* Whether this thread has the lock now. */
static int lock(struct um_calls *calls)
{
    for (int i = 0; i < YIELDS; i++) {
        if (!atomic_exchange_explicit(&calls->lock, 1, memory_order_acquire)) {
            atomic_store_explicit(&calls->is_stuck, 0, memory_order_relaxed);
            return 1;
        }
        if (atomic_load_explicit(&calls->is_stuck, memory_order_relaxed))
            return 0;
        calls->yield();
    }
    atomic_store_explicit(&calls->is_stuck, 1, memory_order_relaxed);
    return 0;
}

static void unlock(struct um_calls *calls)
{
    atomic_store_explicit(&calls->lock, 0, memory_order_release);
}

void um_calls_init(struct um_calls *calls, enum um_methods_depth depth, uint64_t now_ticks,
                   uint64_t now_cycles, void (*yield)(void))
{
    calls->yield = yield;
    calls->begin_cycles = now_cycles;
    calls->head.bytes = sizeof *calls;
    calls->head.depth = depth;
    atomic_store(&calls->method_count, 1);
    atomic_store(&calls->node_count, 1);
    atomic_store(&calls->text_used, 1);
    um_calls_record(calls, 1, now_ticks);
    calls->nodes[0].method = UINT32_MAX;
    calls->nodes[0].hot = &calls->nodes[0];
    calls->head.magic = UM_CALLS_MAGIC;
}

/* Methods -------------------------------------------------------------------------------------- */

/* Appends a text and returns where it lies; 0 if it is empty or there is no room. */
static uint32_t add_text(struct um_calls *calls, const char *text)
{
    uint32_t used = atomic_load_explicit(&calls->text_used, memory_order_relaxed), len = 0;
    while (text[len])
        len++;
    if (len == 0 || len >= UM_CALLS_TEXT_BYTES - used)
        return 0;
    um_text_set(calls->text + used, len + 1, text);
    atomic_store_explicit(&calls->text_used, used + len + 1, memory_order_relaxed);
    return used;
}

static int is_text(const struct um_calls *calls, uint32_t at, const char *text)
{
    const char *have = calls->text + at; /* at 0 there is an empty one */
    while (*text && *have == *text)
        have++, text++;
    return *have == *text;
}

/* Where a module's name lies already: that of the method before, mostly. */
static uint32_t module_text(struct um_calls *calls, uint32_t count, const char *module)
{
    uint32_t text = count > 1 ? calls->methods[count - 1].module : 0;
    return text != 0 && is_text(calls, text, module) ? text : add_text(calls, module);
}

/* The entry of a function, or a free one; NULL if more than half of them are used. */
static struct um_calls_known *find_known(struct um_calls *calls, uint64_t function)
{
    uint32_t at = (uint32_t)(function * UINT64_C(0x9e3779b97f4a7c15) >> 50) % UM_CALLS_KNOWN;
    for (uint32_t steps = 0; steps < UM_CALLS_KNOWN / 2; steps++, at = (at + 1) % UM_CALLS_KNOWN)
        if (calls->known[at].function == function || calls->known[at].function == 0)
            return &calls->known[at];
    return NULL;
}

static uint32_t add_new(struct um_calls *calls, const char *module, const char *name)
{
    uint32_t number = atomic_load_explicit(&calls->method_count, memory_order_relaxed);
    uint32_t name_text = number < UM_CALLS_REST ? add_text(calls, name) : 0;
    uint32_t text = number < UM_CALLS_REST ? module_text(calls, number, module) : 0;
    if (number >= UM_CALLS_REST || (name[0] != '\0' && name_text == 0) ||
        (module[0] != '\0' && text == 0)) {
        atomic_fetch_add_explicit(&calls->left_out, 1, memory_order_relaxed);
        return UM_CALLS_REST;
    }
    calls->methods[number] = (struct um_calls_method){.module = text, .name = name_text};
    if (name[0] == '\0')
        atomic_fetch_add_explicit(&calls->dynamic_count, 1, memory_order_relaxed);
    atomic_store_explicit(&calls->method_count, number + 1, memory_order_release);
    return number;
}

uint32_t um_calls_add(struct um_calls *calls, uint64_t function, const char *module,
                      const char *name)
{
    if (!lock(calls))
        return UM_CALLS_REST;
    struct um_calls_known *known = find_known(calls, function);
    uint32_t number = known && known->function == function ? known->number : UM_CALLS_REST;
    if (number == UM_CALLS_REST || !is_text(calls, calls->methods[number].name, name)) {
        number = add_new(calls, module, name);
        if (known && number != UM_CALLS_REST)
            *known = (struct um_calls_known){function, number};
    }
    unlock(calls);
    return number;
}

void um_calls_add_entry(struct um_calls *calls, const char *entry, size_t len_bytes)
{
    static char text[UM_CALLS_NAME_BYTES];
    uint32_t count = calls->entry_count;
    if (count == UM_WIRE_METHOD_ENTRIES)
        return;
    um_text_copy(text, sizeof text, (const uint8_t *)entry, len_bytes);
    calls->entries[count] = add_text(calls, text);
    calls->entry_count = count + 1;
    if (calls->entries[count] != 0)
        atomic_fetch_or(&calls->unseen, UINT32_C(1) << count);
}

void um_calls_found(struct um_calls *calls, uint32_t entries)
{
    if (atomic_load_explicit(&calls->unseen, memory_order_relaxed) & entries)
        atomic_fetch_and(&calls->unseen, ~entries);
}

/* The slot of a name, or a free one. At least half of them are free. */
static uint16_t *find_other(struct um_calls *calls, const char *name)
{
    size_t len = 0;
    while (name[len])
        len++;
    for (uint32_t at = um_text_hash(UM_TEXT_HASH, name, len);; at++) {
        uint16_t *slot = &calls->other_slots[at % (2 * UM_CALLS_OTHERS)];
        if (*slot == 0 || is_text(calls, calls->others[*slot - 1], name))
            return slot;
    }
}

static int has_room_for_other(const struct um_calls *calls)
{
    return atomic_load_explicit(&calls->other_count, memory_order_relaxed) < UM_CALLS_OTHERS &&
           atomic_load_explicit(&calls->other_bytes, memory_order_relaxed) < UM_CALLS_OTHER_BYTES;
}

void um_calls_add_other(struct um_calls *calls, const char *name)
{
    if (name[0] == '\0' || !has_room_for_other(calls) || !lock(calls))
        return;
    uint16_t *slot = find_other(calls, name);
    uint32_t count = atomic_load_explicit(&calls->other_count, memory_order_relaxed);
    uint32_t before = atomic_load_explicit(&calls->text_used, memory_order_relaxed);
    uint32_t text = *slot == 0 && has_room_for_other(calls) ? add_text(calls, name) : 0;
    if (text != 0) {
        uint32_t used = atomic_load_explicit(&calls->text_used, memory_order_relaxed);
        atomic_fetch_add_explicit(&calls->other_bytes, used - before, memory_order_relaxed);
        calls->others[count] = text;
        *slot = (uint16_t)(count + 1);
        atomic_store_explicit(&calls->other_count, count + 1, memory_order_release);
    }
    unlock(calls);
}

/* Threads -------------------------------------------------------------------------------------- */

static void empty_frames(struct um_calls *calls, struct um_calls_thread *thread)
{
    thread->round = atomic_load(&calls->round);
    thread->last = &thread->frames[UM_CALLS_FRAMES - 1];
    if (calls->head.depth != UM_METHODS_DEPTH_TIMES)
        return;
    thread->top = thread->frames;
    thread->frames[0] = (struct um_calls_frame){.node = &thread->root, .sp = UM_CALLS_OUTERMOST};
}

struct um_calls_thread *um_calls_begin_thread(struct um_calls *calls, uint32_t id)
{
    struct um_calls_thread *found = NULL;
    if ((atomic_load(&calls->thread_count) == UM_CALLS_THREADS &&
         atomic_load(&calls->ended_count) == 0) ||
        !lock(calls))
        return NULL;
    uint32_t count = atomic_load_explicit(&calls->thread_count, memory_order_relaxed);
    if (count < UM_CALLS_THREADS) {
        found = &calls->threads[count];
        found->id = id;
        found->root.thread = count;
        found->root.hot = &calls->nodes[0];
        atomic_store_explicit(&calls->thread_count, count + 1, memory_order_release);
    }
    for (uint32_t i = 0; i < count && !found; i++)
        if (atomic_load(&calls->threads[i].state) == UM_CALLS_ENDED) {
            found = &calls->threads[i];
            found->id = 0;
            atomic_fetch_sub(&calls->ended_count, 1);
        }
    if (found) {
        empty_frames(calls, found);
        found->cpu_due = 0;
        atomic_fetch_add_explicit(&calls->threads_seen, 1, memory_order_relaxed);
        atomic_store_explicit(&found->state, UM_CALLS_RUNS, memory_order_release);
    }
    unlock(calls);
    return found;
}

void um_calls_end_thread(struct um_calls *calls, struct um_calls_thread *thread)
{
    atomic_store_explicit(&thread->state, UM_CALLS_ENDED, memory_order_release);
    atomic_fetch_add(&calls->ended_count, 1);
}

/* Calls ---------------------------------------------------------------------------------------- */

/* The node of a method within another one, if there is one. It becomes the first of its list. After
 * so many steps the search is given up. */
static struct um_calls_node *find_node(struct um_calls *calls, struct um_calls_node *parent,
                                       uint32_t method, uint32_t steps)
{
    uint32_t *link = &parent->first;
    for (; *link != 0 && steps > 0; link = &calls->nodes[*link].next, steps--) {
        uint32_t number = *link;
        struct um_calls_node *node = &calls->nodes[number];
        if (node->method != method)
            continue;
        *link = node->next;
        node->next = parent->first;
        parent->first = number;
        return node;
    }
    return NULL;
}

/* The same, or a new one. Of a method for which there is no room it is number 0, which stands for
 * all of them and for what they call. */
static struct um_calls_node *node_within(struct um_calls *calls, struct um_calls_node *parent,
                                         uint32_t method)
{
    struct um_calls_node *node = NULL;
    int is_full =
        atomic_load_explicit(&calls->node_count, memory_order_relaxed) >= UM_WIRE_METHOD_NODES;
    if (parent == &calls->nodes[0])
        return parent;
    node = find_node(calls, parent, method, is_full ? STEPS_WHEN_FULL : UINT32_MAX);
    if (!node && !is_full && lock(calls)) {
        uint32_t number = atomic_load_explicit(&calls->node_count, memory_order_relaxed);
        if (number < UM_WIRE_METHOD_NODES) {
            node = &calls->nodes[number];
            node->method = method;
            node->thread = parent->thread;
            node->parent = parent >= calls->nodes && parent < calls->nodes + UM_WIRE_METHOD_NODES
                               ? (uint32_t)(parent - calls->nodes)
                               : 0;
            node->hot = &calls->nodes[0];
            node->next = parent->first;
            parent->first = number;
            atomic_store_explicit(&calls->node_count, number + 1, memory_order_release);
        }
        unlock(calls);
    }
    if (!node)
        return &calls->nodes[0];
    parent->hot = node;
    return node;
}

/* How long the innermost open call has lasted. The counters of two processors can differ. */
static uint64_t length_of(const struct um_calls_frame *frame, uint64_t cycles)
{
    uint64_t length = cycles - frame->begin;
    return length > UINT64_MAX / 2 ? 0 : length;
}

/* Drops the innermost open call, which an exception has ended. */
static void drop(struct um_calls_thread *thread, uint64_t cycles)
{
    uint64_t length = length_of(thread->top, cycles);
    thread->top--;
    thread->top->within += length;
}

/* Drops the calls that were made with this stack pointer or further within. */
static void drop_within(struct um_calls_thread *thread, uint64_t sp, uint64_t cycles)
{
    while (thread->top->sp <= sp)
        drop(thread, cycles);
}

void um_calls_catch(struct um_calls_thread *thread, uint64_t sp, uint64_t cycles)
{
    drop_within(thread, sp, cycles);
}

void um_calls_enter(struct um_calls *calls, struct um_calls_thread *thread, uint32_t method,
                    uint64_t sp, uint64_t cycles, um_calls_cpu *cpu)
{
    uint64_t round = atomic_load_explicit(&calls->round, memory_order_relaxed);
    if (round == 0)
        return;
    if (calls->head.depth != UM_METHODS_DEPTH_TIMES) {
        um_calls_add_to(&thread->counts[method], 1);
        return;
    }
    if (thread->round != round)
        empty_frames(calls, thread);
    drop_within(thread, sp, cycles);
    struct um_calls_node *parent = thread->top->node;
    struct um_calls_node *node = parent->hot;
    if (thread->top >= thread->last) {
        um_calls_add_to(&thread->deeper, 1);
        return;
    }
    if (node->method != method)
        node = node_within(calls, parent, method);
    if (node == &calls->nodes[0])
        um_calls_add_to(&thread->deeper, 1);
    if (thread->top->sp == UM_CALLS_OUTERMOST && cycles >= thread->cpu_due) {
        thread->cpu_due = cycles + UM_CALLS_CPU_FRESH;
        thread->cpu_ns = cpu();
    }
    thread->top++;
    *thread->top = (struct um_calls_frame){.node = node, .begin = cycles, .within = 0, .sp = sp};
    um_calls_add_to(&node->count, 1);
}

void um_calls_leave(struct um_calls *calls, struct um_calls_thread *thread, uint64_t sp,
                    uint64_t cycles, um_calls_cpu *cpu)
{
    if (calls->head.depth != UM_METHODS_DEPTH_TIMES ||
        thread->round != atomic_load_explicit(&calls->round, memory_order_relaxed))
        return;
    while (thread->top->sp < sp)
        drop(thread, cycles);
    if (thread->top->sp != sp)
        return; /* it was entered before this round, or without room */
    struct um_calls_frame *frame = thread->top--;
    uint64_t wall = length_of(frame, cycles);
    um_calls_add_to(&frame->node->wall, wall);
    um_calls_add_to(&frame->node->self, wall > frame->within ? wall - frame->within : 0);
    thread->top->within += wall;
    if (thread->top->sp == UM_CALLS_OUTERMOST && wall > UM_CALLS_CPU_LONG) {
        uint64_t now_ns = cpu();
        if (now_ns > thread->cpu_ns)
            um_calls_add_to(&frame->node->cpu_ns, now_ns - thread->cpu_ns);
        thread->cpu_ns = now_ns;
        thread->cpu_due = cycles + UM_CALLS_CPU_FRESH;
    }
    /* Last, since the reader takes the others for those of a call that it counts. */
    atomic_signal_fence(memory_order_release);
    um_calls_add_to(&frame->node->ended, 1);
}
