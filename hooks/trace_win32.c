/* Traces the messages that the UI thread handles. The tree that they are added up in, and how the
 * end of a call is found, is in ipc/calltrace.h.
 *
 * Two hooks tell of sent messages. They make each of them cost the way into user mode and back
 * twice, so they are set only while tracing is on. WH_GETMESSAGE, which is set anyway, tells of
 * those that are retrieved. Behind each of these a marker is posted, because nobody tells when
 * DispatchMessage has returned. A loop that retrieves only certain messages leaves markers in the
 * queue, so there are never more than a few. */
#include <intrin.h>

#include "hooks/hook_win32.h"
#include "ipc/calltrace.h"
#include "ipc/clock.h"

#define MARKERS_OUT_MAX 8
#define TIMED_MASK 15          /* one call in 16 is timed */
#define RATE_MS 100            /* the rate of the cycles is measured over at least so long, */
#define RATE_MOST_MS 60000     /* and at most: the product below does not overflow */
#define NEVER_TOLD UINT32_C(1) /* no version that is read is odd */

static struct um_calltrace trace;

/* Written by the worker. */
static _Atomic uint32_t round; /* each time that tracing goes on, another one */
static HHOOK entered_hook;
static HHOOK left_hook;
static int is_new;            /* the tree is of an earlier attachment */
static uint64_t on_ticks;     /* since when it is on; 0: it is off */
static uint64_t traced_ticks; /* how long it was on before */
static uint32_t told_nodes;
static uint32_t told_version[UM_CALLTRACE_NODES];
static uint64_t rate_ticks; /* when the measuring of the rate began */
static uint64_t rate_cycles;
static uint64_t cycles_per_s; /* 0: not known yet */

/* Written by the UI thread. */
static uint32_t seen_round;
static uint32_t markers_out;
static _Atomic int has_no_cycles;
static uint64_t calls;
static uint64_t timed_calls;
static uint64_t timed_ticks;

/* The UI thread ------------------------------------------------------------------------------- */

/* Which stack the thread runs on: another one in each fiber. */
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
    return (struct um_calltrace_at){
        .ticks = ticks, .cycles = read_cycles(), .place = place, .stack = stack_of_thread()};
}

/* Forgets the open calls when tracing goes on again: their ends may have been missed. */
static void begin_round(void)
{
    uint32_t now = atomic_load_explicit(&round, memory_order_acquire);
    if (now == seen_round)
        return;
    seen_round = now;
    um_calltrace_forget(&trace);
}

static void end_call(uint64_t begin_ticks)
{
    if ((calls++ & TIMED_MASK) != 0)
        return;
    timed_ticks += um_hook_ticks() - begin_ticks;
    timed_calls++;
}

/* The window procedure. The other variant of the function gives a handle in place of the address,
 * where the procedure has to be called with the other kind of texts. */
static uint64_t handler_of(HWND window)
{
    return (uint64_t)(uintptr_t)(IsWindowUnicode(window) ? GetWindowLongPtrW(window, GWLP_WNDPROC)
                                                         : GetWindowLongPtrA(window, GWLP_WNDPROC));
}

static struct um_calltrace_what what_of(HWND window, UINT message, enum um_trace_kind kind)
{
    struct um_calltrace_what what = {.message = message, .kind = (uint8_t)kind};
    uint16_t *name;
    if (!window)
        return what; /* posted to the thread */
    what.handler = handler_of(window);
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
    } else if (flags & UM_WIRE_TAKEN_OURS) {
        um_calltrace_retrieved(&trace, NULL, &at);
    } else {
        struct um_calltrace_what what = what_of(msg->hwnd, msg->message, UM_TRACE_RETRIEVED);
        post_marker(um_calltrace_retrieved(&trace, &what, &at));
    }
    end_call(ticks);
}

/* WH_CALLWNDPROC: a sent message is about to be handled. */
static LRESULT CALLBACK on_entered(int code, WPARAM by_own_thread, LPARAM info)
{
    const CWPSTRUCT *sent = (const CWPSTRUCT *)info;
    if (code == HC_ACTION && um_trace_is_on() && um_observe_is_watched() &&
        sent->hwnd != um_hook.sink) {
        DWORD error = GetLastError();
        uint64_t ticks = um_hook_ticks();
        begin_round();
        struct um_calltrace_what what = what_of(sent->hwnd, sent->message, UM_TRACE_SENT);
        struct um_calltrace_at at = now_at(ticks, UM_HOOK_PLACE());
        um_calltrace_entered(&trace, &what, (uint64_t)(uintptr_t)sent->hwnd, !by_own_thread, &at);
        end_call(ticks);
        SetLastError(error);
    }
    return CallNextHookEx(NULL, code, by_own_thread, info);
}

/* WH_CALLWNDPROCRET: a sent message was handled. */
static LRESULT CALLBACK on_left(int code, WPARAM by_own_thread, LPARAM info)
{
    const CWPRETSTRUCT *sent = (const CWPRETSTRUCT *)info;
    if (code == HC_ACTION && um_trace_is_on() && um_observe_is_watched() &&
        sent->hwnd != um_hook.sink) {
        DWORD error = GetLastError();
        uint64_t ticks = um_hook_ticks();
        begin_round();
        struct um_calltrace_at at = now_at(ticks, UM_HOOK_PLACE());
        post_marker(um_calltrace_left(&trace, sent->message, (uint64_t)(uintptr_t)sent->hwnd, &at));
        end_call(ticks);
        SetLastError(error);
    }
    return CallNextHookEx(NULL, code, by_own_thread, info);
}

/* The worker ----------------------------------------------------------------------------------- */

static void unhook(void)
{
    if (entered_hook)
        UnhookWindowsHookEx(entered_hook);
    if (left_hook)
        UnhookWindowsHookEx(left_hook);
    entered_hook = left_hook = NULL;
}

/* The tree is emptied before the UI thread sees that tracing is on. */
static void empty_tree(void)
{
    um_calltrace_init(&trace);
    for (uint32_t i = 0; i < UM_CALLTRACE_NODES; i++)
        told_version[i] = NEVER_TOLD;
    told_nodes = UM_CALLTRACE_OTHER;
    traced_ticks = calls = timed_calls = timed_ticks = 0;
    markers_out = 0;
    is_new = 0;
}

static void switch_on(void)
{
    if (on_ticks)
        return;
    if (is_new)
        empty_tree();
    entered_hook = SetWindowsHookExW(WH_CALLWNDPROC, on_entered, um_hook.module, um_hook.ui_tid);
    left_hook = SetWindowsHookExW(WH_CALLWNDPROCRET, on_left, um_hook.module, um_hook.ui_tid);
    if (!entered_hook || !left_hook) {
        unhook();
        return;
    }
    on_ticks = um_hook_ticks();
    rate_ticks = on_ticks;
    rate_cycles = __rdtsc();
    atomic_fetch_add_explicit(&round, 1, memory_order_release);
    atomic_store_explicit(&um_hook.tracing, 1, memory_order_release);
}

void um_trace_begin(void)
{
    is_new = 1;
    on_ticks = 0;
}

void um_trace_stop(void)
{
    atomic_store(&um_hook.tracing, 0);
    unhook();
    if (on_ticks)
        traced_ticks += um_hook_ticks() - on_ticks;
    on_ticks = 0;
}

void um_trace_switch(int on)
{
    if (on)
        switch_on();
    else
        um_trace_stop();
}

int um_trace_has_news(void)
{
    return !is_new;
}

/* A thread's cycles are those of the processor's time stamp counter. That this is so everywhere is
 * not documented. */
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

static uint64_t to_ns(uint64_t ticks)
{
    return um_clock_ticks_to_ns(ticks, um_hook.ticks_per_s);
}

static int has_cpu(void)
{
    return cycles_per_s && !atomic_load_explicit(&has_no_cycles, memory_order_relaxed);
}

static int tell_calls(int (*put)(const struct um_wire_frame *frame))
{
    static struct um_wire_frame frame;
    struct um_wire_trace_call *told = &frame.as.trace_call;
    frame.type = UM_WIRE_TRACE_CALL;
    for (uint32_t count = um_calltrace_count(&trace); told_nodes < count; told_nodes++) {
        const struct um_calltrace_node *node = &trace.nodes[told_nodes];
        told->node = told_nodes;
        told->parent = node->parent;
        told->handler = node->what.handler;
        told->message = node->what.message;
        told->kind = node->what.kind;
        int len = 0;
        if (node->what.window_class)
            len = WideCharToMultiByte(
                CP_UTF8, 0, (const wchar_t *)trace.classes[node->what.window_class].name, -1,
                told->window_class, UM_WIRE_TRACE_CLASS_BYTES, NULL, NULL);
        if (len <= 0)
            told->window_class[0] = 0;
        if (!put(&frame))
            return 0;
    }
    return 1;
}

static void tell_sum(struct um_wire_tracing *sum)
{
    uint64_t now = um_hook_ticks();
    sum->time_ns = to_ns(now);
    sum->traced_ns = to_ns(traced_ticks + (on_ticks ? now - on_ticks : 0));
    sum->timed_calls = timed_calls;
    sum->timed_ns = to_ns(timed_ticks);
    sum->deeper = atomic_load_explicit(&trace.deeper, memory_order_relaxed);
    sum->on = on_ticks != 0;
}

/* Adds a node's times to the list, if they have changed and are not being written. */
static void list_node(struct um_wire_trace_list *list, uint32_t node)
{
    struct um_calltrace_values values;
    uint32_t version;
    if (!um_calltrace_read(&trace, node, &values, &version) || version == told_version[node])
        return;
    told_version[node] = version;
    if (values.count == 0)
        return;
    list->list[list->count++] = (struct um_wire_trace_times){
        .node = node,
        .count = values.count,
        .ended = values.ended,
        .loose = values.loose,
        .wall_ns = to_ns(values.wall),
        .self_ns = to_ns(values.self),
        .cpu_ns = has_cpu() ? um_clock_ticks_to_ns(values.cpu, cycles_per_s) : 0};
}

int um_trace_tell(int (*put)(const struct um_wire_frame *frame))
{
    static struct um_wire_frame frame;
    struct um_wire_trace_list *list = &frame.as.trace_list;

    measure_rate();
    if (!tell_calls(put))
        return 0;
    frame.type = UM_WIRE_TRACE_TIMES;
    frame.flags = has_cpu() ? UM_WIRE_TRACE_HAS_CPU : 0;
    list->count = 0;
    tell_sum(&list->sum);
    for (uint32_t node = UM_CALLTRACE_OTHER; node < told_nodes; node++) {
        list_node(list, node);
        if (list->count < UM_WIRE_TRACE_MOST)
            continue;
        if (!put(&frame))
            return 0;
        list->count = 0;
    }
    return put(&frame);
}
