/* Calls of managed methods: sends what the profiler in the target has counted (clr/calls.h), in
 * place of its own.
 *
 * The profiler is a module of the process like others, but it was loaded by the runtime, before
 * this DLL came. Its variable is found by the tables in its image, as marks_win32.c finds those of
 * the program's own markers: no call takes the loader's lock, which a frozen UI thread may hold.
 *
 * Twice a second the nodes that have changed are sent, at most SENT_NODES of them, so that the
 * pipe, on which beats come, too, never fills. The others are sent the next time. With
 * UM_METHODS_DEPTH_COUNTS each thread has an array of counts and no tree: here a node is made for
 * each number that is not 0. */
#include "hooks/hook_win32.h"

#include <intrin.h>
#include <psapi.h>

#include "base/plain/text.h"
#include "clr/calls.h"
#include "hooks/export.h"

#define MODULES 4096
#define LOOK_NS UM_CLOCK_NS_PER_S
#define SENT_NODES 4096 /* at once */
#define SENT_METHODS 1024
#define SENT_OTHERS 512
#define UNSEEN_NS (5 * UM_CLOCK_NS_PER_S)  /* most of what the program has is compiled by then */
#define RATE_NS (100 * UM_CLOCK_NS_PER_MS) /* the rate of the cycles is measured over so long */

#ifdef _WIN64
static const wchar_t dll_name[] = L"uimon-clr64.dll";
#else
static const wchar_t dll_name[] = L"uimon-clr32.dll";
#endif

static struct {
    int wanted;
    int was_wanted;         /* in this attachment */
    struct um_calls *calls; /* NULL: it was not found yet */
    uint64_t next_look_ns;
    uint64_t rate_ticks, rate_cycles;
    uint64_t cycles_per_s; /* 0: not known yet */
    uint32_t sent_methods; /* numbers below that were sent */
    uint32_t sent_nodes;   /* numbers below that were sent at least once */
    uint32_t next;         /* the node at which the search for changes goes on */
    uint64_t unseen_ns;    /* when it is to be told what was not found so far; UINT64_MAX: it was */
    uint32_t sent_others;  /* places of `others` below that were sent */
    int has_entries;       /* what no method is in was named at least once */
    uint32_t thread_count;
    uint32_t threads[UM_CALLS_THREADS]; /* the id that was sent with the nodes of each */
} methods;

/* With UM_METHODS_DEPTH_COUNTS: which counts of a thread have a node, a bit for each method. Kept
 * as long as the process runs, like the nodes. */
static uint32_t has_node[UM_CALLS_THREADS][UM_CALLS_METHODS / 32];

/* Finding the profiler ------------------------------------------------------------------------- */

static int is_profiler(HMODULE module)
{
    wchar_t name[32];
    DWORD len = K32GetModuleBaseNameW(GetCurrentProcess(), module, name, 32);
    return len > 0 && len < 32 &&
           CompareStringOrdinal(name, (int)len, dll_name, -1, TRUE) == CSTR_EQUAL;
}

/* The profiler is never unloaded. */
static void look(void)
{
    static HMODULE modules[MODULES];
    struct um_calls_head head;
    DWORD bytes = 0;
    if (!K32EnumProcessModules(GetCurrentProcess(), modules, sizeof modules, &bytes))
        return;
    for (DWORD i = 0; i < bytes / sizeof modules[0] && i < MODULES; i++) {
        if (!is_profiler(modules[i]))
            continue;
        uint64_t at =
            um_export_find(um_hook_read, NULL, (uint64_t)(uintptr_t)modules[i], UM_CALLS_VARIABLE);
        if (at && um_hook_read(NULL, at, &head, sizeof head) && head.magic == UM_CALLS_MAGIC &&
            head.bytes == sizeof(struct um_calls))
            methods.calls = (struct um_calls *)(uintptr_t)at;
        return;
    }
}

/* Starting and stopping ------------------------------------------------------------------------ */

void um_methods_begin(void)
{
    methods.wanted = methods.was_wanted = 0;
    methods.next_look_ns = 0;
    methods.sent_methods = methods.sent_nodes = methods.next = 1;
    methods.thread_count = methods.sent_others = 0;
    methods.unseen_ns = UINT64_MAX;
    methods.has_entries = 0;
}

void um_methods_start(void)
{
    methods.wanted = methods.was_wanted = 1;
    methods.rate_ticks = um_hook_ticks();
    methods.rate_cycles = __rdtsc();
    methods.unseen_ns = um_hook_ns(methods.rate_ticks) + UNSEEN_NS;
}

void um_methods_stop(void)
{
    if (!methods.calls)
        look(); /* the program may be traced although this attachment did not ask for it */
    if (methods.calls)
        um_calls_record(methods.calls, 0, um_hook_ticks());
    if (methods.wanted)
        methods.unseen_ns = 0; /* once more, of all that is known in the end */
    methods.wanted = 0;
}

/* Looks for the profiler, and says whether there is something to send. */
static int is_found(void)
{
    uint64_t now_ns = um_hook_ns(um_hook_ticks());
    if (methods.wanted && !methods.calls && now_ns >= methods.next_look_ns) {
        methods.next_look_ns = now_ns + LOOK_NS;
        look();
    }
    if (methods.wanted && methods.calls) {
        atomic_store(&methods.calls->has_reader, 1);
        um_calls_record(methods.calls, 1, um_hook_ticks());
    }
    return methods.calls && methods.was_wanted;
}

/* Sending -------------------------------------------------------------------------------------- */

/* Measures how many cycles there are in a second, once over long enough. */
static void measure_rate(void)
{
    uint64_t ticks = um_hook_ticks() - methods.rate_ticks;
    uint64_t cycles = __rdtsc() - methods.rate_cycles;
    if (methods.cycles_per_s || um_hook_ns(ticks) < RATE_NS)
        return;
    methods.cycles_per_s =
        cycles / ticks * um_hook.ticks_per_s + cycles % ticks * um_hook.ticks_per_s / ticks;
}

static uint64_t cycles_ns(uint64_t cycles)
{
    return methods.cycles_per_s ? um_clock_ticks_to_ns(cycles, methods.cycles_per_s) : 0;
}

static const char *text_at(uint32_t at)
{
    return at ? methods.calls->text + at : NULL;
}

static int put_methods(int (*put)(const struct um_wire_frame *frame))
{
    static struct um_wire_frame frame;
    uint32_t count = atomic_load_explicit(&methods.calls->method_count, memory_order_acquire);
    uint32_t end =
        count - methods.sent_methods > SENT_METHODS ? methods.sent_methods + SENT_METHODS : count;
    frame.type = UM_WIRE_METHOD;
    for (; methods.sent_methods < end; methods.sent_methods++) {
        const struct um_calls_method *method = &methods.calls->methods[methods.sent_methods];
        frame.as.method.method = methods.sent_methods;
        um_text_set(frame.as.method.module, sizeof frame.as.method.module, text_at(method->module));
        um_text_set(frame.as.method.name, sizeof frame.as.method.name, text_at(method->name));
        if (!put(&frame))
            return 0;
    }
    return 1;
}

/* The nodes of a thread that goes on with the tree of another one are sent again, without its
 * id. */
static void look_at_threads(void)
{
    struct um_calls *calls = methods.calls;
    uint32_t count = atomic_load_explicit(&calls->thread_count, memory_order_acquire);
    for (uint32_t i = 0; i < methods.thread_count; i++) {
        if (methods.threads[i] == calls->threads[i].id)
            continue;
        methods.threads[i] = calls->threads[i].id;
        for (uint32_t node = 1; node < methods.sent_nodes; node++)
            if (calls->nodes[node].thread == i)
                calls->nodes[node].sent = UINT64_MAX;
    }
    for (; methods.thread_count < count; methods.thread_count++)
        methods.threads[methods.thread_count] = calls->threads[methods.thread_count].id;
}

/* Makes nodes for counts that have become greater than 0, and keeps all nodes up to date. */
static void take_counts(void)
{
    struct um_calls *calls = methods.calls;
    uint32_t count = atomic_load_explicit(&calls->method_count, memory_order_acquire);
    uint32_t nodes = atomic_load_explicit(&calls->node_count, memory_order_relaxed);
    uint64_t rest = 0;
    for (uint32_t i = 0; i < methods.thread_count; i++)
        for (uint32_t k = 1; k < UM_CALLS_METHODS; k = k + 1 == count ? UM_CALLS_REST : k + 1) {
            if (um_calls_read(&calls->threads[i].counts[k]) == 0 ||
                (has_node[i][k / 32] >> k % 32 & 1))
                continue;
            if (nodes == UM_WIRE_METHOD_NODES) {
                rest += um_calls_read(&calls->threads[i].counts[k]);
                continue;
            }
            has_node[i][k / 32] |= UINT32_C(1) << k % 32;
            calls->nodes[nodes].method = k;
            calls->nodes[nodes++].thread = i;
        }
    calls->threads[0].deeper = rest;
    atomic_store_explicit(&calls->node_count, nodes, memory_order_relaxed);
    for (uint32_t node = 1; node < nodes; node++)
        calls->nodes[node].count = um_calls_read(
            &calls->threads[calls->nodes[node].thread].counts[calls->nodes[node].method]);
}

static void fill_call(struct um_wire_method_call *call, uint32_t number)
{
    struct um_calls_node *node = &methods.calls->nodes[number];
    call->ended = um_calls_read(&node->ended);
    atomic_signal_fence(memory_order_acquire); /* the times are those of `ended` calls or more */
    call->count = um_calls_read(&node->count);
    node->sent = call->count + call->ended;
    call->node = number;
    call->parent = node->parent;
    call->method = node->method == UM_CALLS_REST ? 0 : node->method;
    call->thread = methods.threads[node->thread];
    call->wall_ns = cycles_ns(um_calls_read(&node->wall));
    call->self_ns = cycles_ns(um_calls_read(&node->self));
    uint64_t cpu_ns = um_calls_read(&node->cpu_ns);
    call->cpu_ns = cpu_ns < call->wall_ns ? cpu_ns : call->wall_ns;
}

/* Whether the node's method and its thread were already looked at. */
static int can_be_sent(uint32_t number)
{
    const struct um_calls_node *node = &methods.calls->nodes[number];
    return (node->method < methods.sent_methods || node->method == UM_CALLS_REST) &&
           node->thread < methods.thread_count;
}

static int is_new(uint32_t number)
{
    const struct um_calls_node *node = &methods.calls->nodes[number];
    return number >= methods.sent_nodes ||
           node->sent != um_calls_read(&node->count) + um_calls_read(&node->ended);
}

/* Puts nodes that have changed: first all that were never sent, parents before what is in them. */
static int put_nodes(uint32_t most, int (*put)(const struct um_wire_frame *frame))
{
    static struct um_wire_frame frame;
    struct um_wire_method_calls *sent = &frame.as.method_calls;
    uint32_t count = atomic_load_explicit(&methods.calls->node_count, memory_order_acquire);
    uint32_t left = count > 1 ? count - 1 : 0; /* that are to be looked at */
    frame.type = UM_WIRE_METHOD_CALLS;
    sent->count = 0;
    while (most > 0 && left > 0) {
        uint32_t number = methods.sent_nodes < count ? methods.sent_nodes : methods.next;
        if (!can_be_sent(number))
            break;
        if (is_new(number)) {
            fill_call(&sent->list[sent->count++], number);
            most--;
        }
        if (number == methods.sent_nodes)
            methods.sent_nodes++;
        else
            methods.next = number + 1 < count ? number + 1 : 1;
        left--;
        if (sent->count < UM_WIRE_METHOD_CALLS_MOST)
            continue;
        if (!put(&frame))
            return 0;
        sent->count = 0;
    }
    return sent->count == 0 || put(&frame);
}

static int put_entries(uint32_t unseen, int (*put)(const struct um_wire_frame *frame))
{
    static struct um_wire_frame frame;
    frame.type = UM_WIRE_METHOD_UNSEEN;
    for (uint32_t i = 0; i < UM_WIRE_METHOD_ENTRIES; i++) {
        if (!(unseen >> i & 1))
            continue;
        frame.as.method_unseen.entry = i;
        um_text_set(frame.as.method_unseen.name, sizeof frame.as.method_unseen.name,
                    text_at(methods.calls->entries[i]));
        if (!put(&frame))
            return 0;
    }
    return 1;
}

/* Tells which names of the list are in nothing so far: at once, since the program may end without a
 * word. Some time later, and at the end, what else the program has is told, and then they are told
 * again. */
static int put_unseen(int (*put)(const struct um_wire_frame *frame))
{
    static struct um_wire_frame frame;
    const struct um_calls *calls = methods.calls;
    uint32_t unseen = atomic_load(&calls->unseen);
    if (unseen == 0)
        return 1;
    if (!methods.has_entries && !put_entries(unseen, put))
        return 0;
    methods.has_entries = 1;
    if (methods.unseen_ns == UINT64_MAX || um_hook_ns(um_hook_ticks()) < methods.unseen_ns)
        return 1;
    uint32_t count = atomic_load_explicit(&calls->other_count, memory_order_acquire);
    uint32_t end = methods.wanted && count - methods.sent_others > SENT_OTHERS
                       ? methods.sent_others + SENT_OTHERS
                       : count;
    frame.type = UM_WIRE_METHOD_OTHER;
    for (; methods.sent_others < end; methods.sent_others++) {
        um_text_set(frame.as.method_other.name, sizeof frame.as.method_other.name,
                    text_at(calls->others[methods.sent_others]));
        if (!put(&frame))
            return 0;
    }
    if (end < count)
        return 1;
    methods.unseen_ns = UINT64_MAX;
    return put_entries(unseen, put);
}

static int put_sum(int (*put)(const struct um_wire_frame *frame))
{
    static struct um_wire_frame frame;
    struct um_wire_methods *sum = &frame.as.methods;
    const struct um_calls *calls = methods.calls;
    uint64_t now = um_hook_ticks(), traced = calls->traced_ticks;
    int on = atomic_load(&calls->round) != 0;
    frame.type = UM_WIRE_METHODS;
    sum->time_ns = um_hook_ns(now);
    sum->traced_ns = um_hook_ns(traced + (on ? now - calls->since_ticks : 0));
    sum->methods = atomic_load(&calls->method_count) - 1 + atomic_load(&calls->left_out);
    sum->threads = atomic_load(&calls->threads_seen);
    sum->dynamic = atomic_load(&calls->dynamic_count);
    sum->rest = atomic_load(&calls->rest);
    for (uint32_t i = 0; i < methods.thread_count; i++)
        sum->rest += um_calls_read(&calls->threads[i].deeper);
    sum->depth = (uint8_t)calls->head.depth;
    sum->on = on != 0;
    sum->has_cpu = calls->head.depth == UM_METHODS_DEPTH_TIMES;
    sum->rounds = (uint32_t)calls->rounds;
    sum->missed_ns = um_hook_ns(calls->missed_ticks);
    sum->unseen = atomic_load(&calls->unseen);
    return put(&frame);
}

int um_methods_put(int (*put)(const struct um_wire_frame *frame))
{
    if (!is_found())
        return 1;
    uint32_t most = methods.wanted ? SENT_NODES : UM_WIRE_METHOD_NODES;
    measure_rate();
    if (!methods.cycles_per_s)
        return 1; /* too soon */
    look_at_threads();
    do {
        if (!put_methods(put))
            return 0;
    } while (!methods.wanted && methods.sent_methods < atomic_load(&methods.calls->method_count));
    if (methods.calls->head.depth == UM_METHODS_DEPTH_COUNTS)
        take_counts();
    return put_nodes(most, put) && put_unseen(put) && put_sum(put);
}
