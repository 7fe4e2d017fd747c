/* Traces the messages that the UI thread handles. The tree that they are added up in, and how the
 * end of a call is found, is in ipc/calltrace.h.
 *
 * The hooks of sent_win32.c see sent messages. WH_GETMESSAGE, which is set anyway, sees the
 * retrieved messages. A marker is posted behind each of these, because no hook sees that
 * DispatchMessage has returned. A loop that retrieves only certain messages leaves markers in the
 * queue, so there are at most MARKERS_OUT_MAX. */
#include <intrin.h>

#include "hooks/hook_win32.h"
#include "ipc/calltrace.h"
#include "base/plain/clock.h"
#include "base/plain/message.h"

#define MARKERS_OUT_MAX 8
#define EVENT_SLOTS 1024       /* 40,000 calls a second, at the worker's longest rest: 25 ms */
#define TIMED_MASK 15          /* one call in 16 is timed */
#define RATE_MS 100            /* the rate of the cycles is measured over at least so long, */
#define RATE_MOST_MS 60000     /* and at most: the product below does not overflow */
#define NEVER_SENT UINT32_C(1) /* versions of complete nodes are even */

static struct um_calltrace trace;

/* Written by the worker. */
static _Atomic uint32_t round; /* incremented each time that tracing is switched on */
static int is_new;             /* the tree is of an earlier attachment */
static uint64_t on_ticks;      /* since when it is on; 0: it is off, or paused */
static int is_paused;          /* it goes on when the hooks are set again */
static uint64_t traced_ticks;  /* how long it was on before */
static uint32_t sent_nodes;    /* how many nodes were sent as TRACE_CALL */
static uint32_t sent_version[UM_CALLTRACE_NODES];
static uint64_t rate_ticks; /* when the measuring of the rate began */
static uint64_t rate_cycles;
static uint64_t cycles_per_s; /* 0: not known yet */
static struct um_ring events; /* UI thread to worker: calls that have ended */
static struct um_ring_slot event_slots[EVENT_SLOTS];
static uint64_t said_lost; /* the number of the last TRACE_EVENTS */
static uint32_t may_send;  /* so many TRACE_EVENTS */

/* Written by the UI thread. */
static uint32_t seen_round;
static uint32_t markers_out;
static _Atomic int has_no_cycles;
static uint64_t calls;
static uint64_t timed_calls;
static uint64_t timed_ticks;
static uint64_t timed_sent; /* of these, calls of the hooks that see sent messages */
static uint64_t timed_sent_ticks;

/* The UI thread ------------------------------------------------------------------------------- */

/* Identifies the stack that the thread runs on; each fiber has another one. */
static uint64_t stack_of_thread(void)
{
    ULONG_PTR low, high;
    GetCurrentThreadStackLimits(&low, &high);
    return high;
}

static uint64_t read_cycles(void)
{
    ULONG64 cycles = 0;
    if (atomic_load_explicit(&has_no_cycles, memory_order_relaxed))
        return 0;
    if (QueryThreadCycleTime(GetCurrentThread(), &cycles) && cycles)
        return cycles;
    atomic_store_explicit(&has_no_cycles, 1, memory_order_relaxed);
    return 0;
}

static struct um_calltrace_at now_at(uint64_t ticks, uint64_t place)
{
    return (struct um_calltrace_at){.ticks = ticks,
                                    .cycles = read_cycles(),
                                    .place = place,
                                    .stack = stack_of_thread(),
                                    .age_ms = UM_WIRE_AGE_UNKNOWN};
}

/* How long ago a message was posted that is being retrieved, by its own time. Timers and paints are
 * made when they are retrieved, so they have no such time. */
static uint32_t age_ms_of(const MSG *msg)
{
    int32_t age_ms = (int32_t)(GetTickCount() - msg->time);
    if (msg->message == WM_PAINT || msg->message == WM_TIMER || msg->message == WM_QUIT)
        return UM_WIRE_AGE_UNKNOWN;
    return age_ms > 0 ? (uint32_t)age_ms : 0;
}

/* Forgets the open calls when tracing is switched on again, because their ends may be missed. */
static void begin_round(void)
{
    uint32_t now = atomic_load_explicit(&round, memory_order_acquire);
    if (now == seen_round)
        return;
    seen_round = now;
    um_calltrace_forget(&trace);
}

static void end_call(uint64_t begin_ticks, int is_sent)
{
    if ((calls++ & TIMED_MASK) != 0)
        return;
    uint64_t took = um_hook_ticks() - begin_ticks;
    timed_ticks += took;
    timed_calls++;
    if (!is_sent)
        return;
    timed_sent_ticks += took;
    timed_sent++;
}

static struct um_calltrace_what what_of(HWND window, UINT message, enum um_trace_kind kind)
{
    struct um_calltrace_what what = {.message = message, .kind = (uint8_t)kind};
    uint16_t *name;
    if (!window)
        return what; /* posted to the thread */
    what.handler = um_sent_handler_of(window);
    what.window_class =
        um_calltrace_class(&trace, (uint16_t)GetClassLongPtrW(window, GCW_ATOM), &name);
    if (name) {
        int len = GetClassNameW(window, (wchar_t *)name, UM_CALLTRACE_CLASS_UNITS);
        name[len > 0 ? len : 0] = 0;
    }
    return what;
}

static void post_marker(uint32_t serial)
{
    HWND sink = *(HWND volatile *)&um_hook.sink; /* the worker clears it when it leaves */
    if (!serial || !sink || markers_out >= MARKERS_OUT_MAX)
        return;
    if (PostMessageW(sink, UM_HOOK_MARKER, UM_HOOK_MARKER_OF_TRACE, (LPARAM)serial)) {
        markers_out++;
        um_calltrace_posted(&trace, serial);
    }
}

void um_trace_took_marker(void)
{
    if (markers_out > 0)
        markers_out--;
}

void um_trace_retrieved(const MSG *msg, uint8_t flags, uint64_t ticks, uint64_t place)
{
    struct um_calltrace_at at = now_at(ticks, place);

    begin_round();
    if (msg->message == UM_HOOK_MARKER && msg->hwnd && msg->hwnd == um_hook.sink &&
        msg->wParam == UM_HOOK_MARKER_OF_TRACE) {
        um_calltrace_marker(&trace, (uint32_t)msg->lParam, &at);
    } else if ((flags & UM_WIRE_TAKEN_OURS) && um_message_is_mouse_move(msg->message)) {
        um_calltrace_own_move(&trace, &at);
    } else if (flags & UM_WIRE_TAKEN_OURS) {
        um_calltrace_retrieved(&trace, NULL, &at);
    } else {
        struct um_calltrace_what what = what_of(msg->hwnd, msg->message, UM_TRACE_RETRIEVED);
        at.age_ms = age_ms_of(msg);
        post_marker(um_calltrace_retrieved(&trace, &what, &at));
    }
    end_call(ticks, 0);
}

void um_trace_entered(const CWPSTRUCT *sent, int by_other_thread, uint64_t ticks, uint64_t place)
{
    begin_round();
    struct um_calltrace_what what = what_of(sent->hwnd, sent->message, UM_TRACE_SENT);
    struct um_calltrace_at at = now_at(ticks, place);
    um_calltrace_entered(&trace, &what, (uint64_t)(uintptr_t)sent->hwnd, by_other_thread, &at);
    end_call(ticks, 1);
}

void um_trace_left(const CWPRETSTRUCT *sent, uint64_t ticks, uint64_t place)
{
    begin_round();
    struct um_calltrace_at at = now_at(ticks, place);
    post_marker(um_calltrace_left(&trace, sent->message, (uint64_t)(uintptr_t)sent->hwnd, &at));
    end_call(ticks, 1);
}

/* The worker ----------------------------------------------------------------------------------- */

/* Must be called before the UI thread sees that tracing is on. */
static void empty_tree(void)
{
    um_calltrace_init(&trace);
    for (uint32_t i = 0; i < UM_CALLTRACE_NODES; i++)
        sent_version[i] = NEVER_SENT;
    sent_nodes = UM_CALLTRACE_OTHER;
    traced_ticks = calls = timed_calls = timed_ticks = timed_sent = timed_sent_ticks = 0;
    markers_out = 0;
    is_new = 0;
}

void um_trace_want_events(enum um_trace_events wanted)
{
    uint64_t least = wanted == UM_TRACE_EVENTS_LONG
                         ? um_hook.ticks_per_s / (UM_CLOCK_NS_PER_S / UM_WIRE_TRACE_LONG_NS)
                         : 0;
    uint32_t more = wanted && atomic_load(&trace.events) ? UM_WIRE_TRACE_EVENTS_AHEAD / 2
                                                         : UM_WIRE_TRACE_EVENTS_AHEAD;
    may_send = wanted ? may_send + more : 0;
    if (may_send > UM_WIRE_TRACE_EVENTS_AHEAD)
        may_send = UM_WIRE_TRACE_EVENTS_AHEAD;
    atomic_store(&trace.events_from, least);
    atomic_store(&trace.events, wanted ? &events : NULL);
}

int um_trace_keeps_all(void)
{
    return atomic_load(&trace.events_from) == 0;
}

void um_trace_resume(void)
{
    if (!is_paused)
        return;
    is_paused = 0;
    on_ticks = um_hook_ticks();
    rate_ticks = on_ticks;
    rate_cycles = __rdtsc();
    atomic_fetch_add_explicit(&round, 1, memory_order_release);
    atomic_store_explicit(&um_hook.tracing, 1, memory_order_release);
}

void um_trace_pause(void)
{
    if (!on_ticks)
        return;
    atomic_store(&um_hook.tracing, 0);
    traced_ticks += um_hook_ticks() - on_ticks;
    on_ticks = 0;
    is_paused = 1;
}

void um_trace_start(void)
{
    if (on_ticks || is_paused)
        return;
    if (is_new)
        empty_tree();
    if (!um_sent_want(UM_SENT_TRACE))
        return;
    is_paused = 1;
    if (um_sent_are_set())
        um_trace_resume();
}

void um_trace_begin(void)
{
    is_new = 1;
    on_ticks = 0;
    is_paused = 0;
    um_trace_want_events(UM_TRACE_EVENTS_NONE);
    um_ring_init(&events, event_slots, EVENT_SLOTS);
    said_lost = 0;
}

void um_trace_stop(void)
{
    um_trace_pause();
    is_paused = 0;
    um_sent_leave(UM_SENT_TRACE);
    if (atomic_load(&trace.events))
        may_send = UM_WIRE_TRACE_EVENTS_AHEAD; /* all that is left */
}

uint64_t um_trace_cost(void)
{
    return um_trace_is_on() && timed_sent ? 2 * timed_sent_ticks / timed_sent : 0;
}

int um_trace_has_news(void)
{
    return !is_new;
}

/* Measures how many cycles there are in a second. Takes a thread's cycles for those of the
 * processor's time stamp counter, which is not documented for every processor. */
static void measure_rate(void)
{
    uint64_t ticks = um_hook_ticks() - rate_ticks;
    uint64_t cycles = __rdtsc() - rate_cycles;
    if (cycles_per_s || ticks < um_hook.ticks_per_s / 1000 * RATE_MS)
        return;
    if (ticks > um_hook.ticks_per_s / 1000 * RATE_MOST_MS || cycles > UINT64_MAX >> 24) {
        rate_ticks = um_hook_ticks();
        rate_cycles = __rdtsc();
        return;
    }
    cycles_per_s =
        cycles / ticks * um_hook.ticks_per_s + cycles % ticks * um_hook.ticks_per_s / ticks;
}

static int has_cpu(void)
{
    return cycles_per_s && !atomic_load_explicit(&has_no_cycles, memory_order_relaxed);
}

static int put_calls(int (*put)(const struct um_wire_frame *frame))
{
    static struct um_wire_frame frame;
    struct um_wire_trace_call *call = &frame.as.trace_call;
    frame.type = UM_WIRE_TRACE_CALL;
    for (uint32_t count = um_calltrace_count(&trace); sent_nodes < count; sent_nodes++) {
        const struct um_calltrace_node *node = &trace.nodes[sent_nodes];
        call->node = sent_nodes;
        call->parent = node->parent;
        call->handler = node->what.handler;
        call->message = node->what.message;
        call->kind = node->what.kind;
        int len = 0;
        if (node->what.window_class)
            len = WideCharToMultiByte(
                CP_UTF8, 0, (const wchar_t *)trace.classes[node->what.window_class].name, -1,
                call->window_class, UM_WIRE_TRACE_CLASS_BYTES, NULL, NULL);
        if (len <= 0)
            call->window_class[0] = 0;
        if (!put(&frame))
            return 0;
    }
    return 1;
}

static void fill_sum(struct um_wire_tracing *sum)
{
    uint64_t now = um_hook_ticks();
    sum->time_ns = um_hook_ns(now);
    sum->traced_ns = um_hook_ns(traced_ticks + (on_ticks ? now - on_ticks : 0));
    sum->timed_calls = timed_calls;
    sum->timed_ns = um_hook_ns(timed_ticks);
    sum->deeper = atomic_load_explicit(&trace.deeper, memory_order_relaxed);
    sum->on = on_ticks != 0 || is_paused;
}

/* Adds a node's times to the list, if they have changed and are not being written. */
static void list_node(struct um_wire_trace_list *list, uint32_t node)
{
    struct um_calltrace_values values;
    uint32_t version;
    if (!um_calltrace_read(&trace, node, &values, &version) || version == sent_version[node])
        return;
    sent_version[node] = version;
    if (values.count == 0)
        return;
    list->list[list->count++] = (struct um_wire_trace_times){
        .node = node,
        .count = values.count,
        .ended = values.ended,
        .loose = values.loose,
        .wall_ns = um_hook_ns(values.wall),
        .self_ns = um_hook_ns(values.self),
        .cpu_ns = has_cpu() ? um_clock_ticks_to_ns(values.cpu, cycles_per_s) : 0};
}

int um_trace_put(int (*put)(const struct um_wire_frame *frame))
{
    static struct um_wire_frame frame;
    struct um_wire_trace_list *list = &frame.as.trace_list;

    measure_rate();
    if (!put_calls(put))
        return 0;
    frame.type = UM_WIRE_TRACE_TIMES;
    frame.flags = has_cpu() ? UM_WIRE_TRACE_HAS_CPU : 0;
    list->count = 0;
    fill_sum(&list->sum);
    for (uint32_t node = UM_CALLTRACE_OTHER; node < sent_nodes; node++) {
        list_node(list, node);
        if (list->count < UM_WIRE_TRACE_MOST)
            continue;
        if (!put(&frame))
            return 0;
        list->count = 0;
    }
    return put(&frame);
}

int um_trace_put_events(int (*put)(const struct um_wire_frame *frame))
{
    static struct um_wire_frame frame;
    struct um_wire_trace_events *sent = &frame.as.trace_events;
    struct um_ring_record record;

    for (int whole = 1; whole && may_send > 0; may_send--) {
        frame.type = UM_WIRE_TRACE_EVENTS;
        sent->count = 0;
        while (sent->count < UM_WIRE_TRACE_EVENTS_MOST && um_ring_pop(&events, &record)) {
            struct um_calltrace_event event = um_calltrace_event(&record);
            sent->list[sent->count++] = (struct um_wire_trace_event){
                .node = event.node,
                .begin_ns = um_hook_ns(event.begin),
                .length_ns = um_hook_ns(event.end) - um_hook_ns(event.begin),
                .age_ms = event.age_ms,
                .loose = event.is_loose != 0,
                .by_other_thread = event.by_other_thread != 0};
        }
        sent->lost = events.lost;
        if (sent->count == 0 && sent->lost == said_lost)
            return 1;
        said_lost = sent->lost;
        if (!put_calls(put) || !put(&frame))
            return 0;
        whole = sent->count == UM_WIRE_TRACE_EVENTS_MOST;
    }
    return 1;
}
