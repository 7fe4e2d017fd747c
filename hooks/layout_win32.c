/* Records the steps of the layout: which window of the UI thread measured, arranged or painted
 * itself, from when to when. monitor/layout pairs begins with ends.
 *
 * A sent message begins and ends where the hooks of sent_win32.c say so. A retrieved WM_PAINT ends
 * when the thread retrieves its next message, because no hook sees that DispatchMessage has
 * returned. The ring keeps the newest records when it is full.
 *
 * What one message costs that the hooks see is measured when recording begins, and the monitor
 * takes it out: some empty messages to our own window, without the hooks and then with them.
 * They are sent by the UI thread itself, so nothing waits for them. A part of that cost lies
 * between the begin and the end of the message's own step, the rest in what encloses it. */
#include <windows.h>

#include <commctrl.h>

#include "hooks/hook_win32.h"
#include "hooks/innermost.h"
#include "hooks/layout_steps.h"
#include "base/plain/clock.h"

#define SLOTS 8192 /* a power of two */
#define TRIES 5    /* empty messages, of which the quickest counts; under Wine one takes 0.3 ms */

/* How far the measuring of the hooks' cost is. The worker sets the hooks between the two. */
enum stage { WITHOUT_HOOKS, HOOKS_ARE_DUE, WITH_HOOKS, RECORDS };

static struct um_ring ring;
static struct um_ring_slot *slots; /* allocated when recording first begins, and kept */
static _Atomic int stage;          /* enum stage */

/* Written by the UI thread. */
static uint64_t plain_ticks;   /* what an empty message takes without the hooks */
static uint64_t entered_ticks; /* our empty message is being handled since then */
static uint64_t least_inside;  /* of these messages, the least time between begin and end */
static _Atomic uint64_t hook_ticks;
static _Atomic uint64_t inside_ticks;
static uint32_t hooked;  /* messages seen */
static HWND painting;    /* its WM_PAINT was retrieved last; NULL: none */
static HWND first_paint; /* of this cycle */
static int is_news;      /* records since the last CYCLE */
static struct um_innermost innermost;

/* The UI thread ------------------------------------------------------------------------------- */

/* A window's handle has 32 significant bits, see hooks/record.h. */
static uint32_t bits_of(HWND window)
{
    return (uint32_t)(uintptr_t)window;
}

/* A record: ticks; window and message; hooked, step and kind; handler. */
static void push(enum um_layout_kind kind, enum um_layout_step step, HWND window, UINT message,
                 uint64_t handler, uint64_t ticks)
{
    struct um_ring_record record = {{ticks, bits_of(window) | (uint64_t)message << 32,
                                     hooked | (uint64_t)step << 32 | (uint64_t)kind << 40,
                                     handler}};
    um_ring_push(&ring, &record);
    is_news = kind != UM_LAYOUT_KIND_CYCLE;
}

/* Copies from an address that a message gives, which may be wrong. 0 if it is. */
static int peek(LPARAM address, void *to, SIZE_T bytes)
{
    SIZE_T read;
    return address &&
           ReadProcessMemory(GetCurrentProcess(), (const void *)address, to, bytes, &read) &&
           read == bytes;
}

/* The window that a message is about; NULL if it is no step after all. */
static HWND about(HWND window, enum um_layout_whose whose, WPARAM wparam, LPARAM lparam)
{
    DRAWITEMSTRUCT drawn;
    MEASUREITEMSTRUCT measured;
    NMHDR notified;
    HWND found = NULL;

    switch (whose) {
    case UM_LAYOUT_RECEIVER:
        return window;
    case UM_LAYOUT_IN_LPARAM:
        found = (HWND)lparam;
        break;
    case UM_LAYOUT_DRAWN:
        if (peek(lparam, &drawn, sizeof drawn) && drawn.CtlType != ODT_MENU)
            found = drawn.hwndItem;
        break;
    case UM_LAYOUT_MEASURED:
        if (wparam && peek(lparam, &measured, sizeof measured) && measured.CtlType != ODT_MENU)
            found = GetDlgItem(window, (int)measured.CtlID);
        break;
    case UM_LAYOUT_NOTIFIER:
        if (!peek(lparam, &notified, sizeof notified) || notified.code != NM_CUSTOMDRAW)
            return NULL;
        found = notified.hwndFrom;
        break;
    }
    return found && IsWindow(found) ? found : window;
}

/* A window is created: for which module, and by the procedure of which window. */
static void push_created(const CWPSTRUCT *sent, uint64_t place)
{
    CREATESTRUCTW created;
    uint64_t module = 0;
    if (peek(sent->lParam, &created, sizeof created))
        module = (uint64_t)(uintptr_t)created.hInstance;
    push(UM_LAYOUT_KIND_CREATED, UM_LAYOUT_STEP_MEASURE, sent->hwnd,
         um_innermost_get(&innermost, place), module, um_hook_ticks());
}

void um_layout_entered(const CWPSTRUCT *sent, uint64_t place)
{
    enum um_layout_step step;
    enum um_layout_whose whose;

    if (sent->hwnd == um_hook.sink)
        entered_ticks = um_hook_ticks();
    if (sent->hwnd == um_hook.sink || atomic_load(&stage) != RECORDS)
        return;
    hooked++;
    if (sent->message == WM_NCCREATE)
        push_created(sent, place);
    um_innermost_entered(&innermost, place, bits_of(sent->hwnd));
    if (!um_layout_step_of(sent->message, &step, &whose))
        return;
    HWND window = about(sent->hwnd, whose, sent->wParam, sent->lParam);
    if (!window)
        return;
    uint64_t handler = um_sent_handler_of(sent->hwnd);
    push(UM_LAYOUT_KIND_BEGIN, step, window, sent->message, handler, um_hook_ticks());
}

void um_layout_left(const CWPRETSTRUCT *sent, uint64_t ticks)
{
    enum um_layout_step step;
    enum um_layout_whose whose;

    if (sent->hwnd == um_hook.sink && ticks - entered_ticks < least_inside)
        least_inside = ticks - entered_ticks;
    if (sent->hwnd == um_hook.sink || atomic_load(&stage) != RECORDS)
        return;
    um_innermost_left(&innermost, bits_of(sent->hwnd));
    if (sent->message == WM_NCDESTROY) {
        um_innermost_gone(&innermost, bits_of(sent->hwnd));
        push(UM_LAYOUT_KIND_DESTROYED, UM_LAYOUT_STEP_MEASURE, sent->hwnd, sent->message, 0, ticks);
    }
    if (!um_layout_step_of(sent->message, &step, &whose))
        return;
    HWND window = about(sent->hwnd, whose, sent->wParam, sent->lParam);
    if (window)
        push(UM_LAYOUT_KIND_END, step, window, sent->message, 0, ticks);
}

/* What the quickest of some empty messages to our own window takes. Units: ticks. */
static uint64_t time_message(void)
{
    HWND sink = *(HWND volatile *)&um_hook.sink; /* the worker clears it when it leaves */
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < TRIES && sink; i++) {
        uint64_t begin = um_hook_ticks();
        SendMessageW(sink, WM_NULL, 0, 0);
        uint64_t took = um_hook_ticks() - begin;
        least = took < least ? took : least;
    }
    return least;
}

/* From one stage to the next, unless recording has begun anew meanwhile. */
static void advance(int from)
{
    atomic_compare_exchange_strong(&stage, &from, from + 1);
}

static void measure_hooks(void)
{
    if (atomic_load(&stage) == WITHOUT_HOOKS) {
        painting = first_paint = NULL;
        is_news = 0;
        innermost.depth = 0;
        plain_ticks = time_message();
        least_inside = UINT64_MAX;
        advance(WITHOUT_HOOKS);
    } else if (atomic_load(&stage) == WITH_HOOKS) {
        uint64_t ticks = time_message();
        atomic_store(&hook_ticks, ticks > plain_ticks ? ticks - plain_ticks : 0);
        atomic_store(&inside_ticks, least_inside < ticks ? least_inside : 0);
        advance(WITH_HOOKS);
    }
}

void um_layout_retrieved(const MSG *msg, uint8_t flags, uint64_t ticks, uint64_t place)
{
    measure_hooks();
    if (atomic_load(&stage) != RECORDS)
        return;
    um_innermost_retrieved(&innermost, place, flags & UM_WIRE_TAKEN_OURS ? 0 : bits_of(msg->hwnd));
    if (painting)
        push(UM_LAYOUT_KIND_END, UM_LAYOUT_STEP_PAINT, painting, WM_PAINT, 0, ticks);
    painting = NULL;
    if (flags & UM_WIRE_TAKEN_OURS)
        return;
    /* A program that paints without end and retrieves nothing else has a cycle from window to
     * window. */
    int is_paint = msg->message == WM_PAINT && msg->hwnd;
    if (is_news && (!is_paint || msg->hwnd == first_paint)) {
        push(UM_LAYOUT_KIND_CYCLE, UM_LAYOUT_STEP_PAINT, NULL, msg->message, 0, ticks);
        first_paint = NULL;
    }
    if (!is_paint)
        return;
    painting = msg->hwnd;
    first_paint = first_paint ? first_paint : msg->hwnd;
    push(UM_LAYOUT_KIND_RETRIEVED, UM_LAYOUT_STEP_PAINT, msg->hwnd, WM_PAINT,
         um_sent_handler_of(msg->hwnd), ticks);
}

/* The worker ----------------------------------------------------------------------------------- */

void um_layout_begin(void)
{
    if (slots)
        um_ring_init(&ring, slots, SLOTS);
}

/* The room for records; 0 if there is none. */
static int make_room(void)
{
    if (slots)
        return 1;
    slots = VirtualAlloc(NULL, SLOTS * sizeof slots[0], MEM_COMMIT | MEM_RESERVE, PAGE_READWRITE);
    if (slots)
        um_ring_init(&ring, slots, SLOTS);
    return slots != NULL;
}

void um_layout_start(void)
{
    struct um_ring_record stale;
    if (um_layout_is_on() || !make_room())
        return;
    while (um_ring_pop(&ring, &stale))
        ;
    atomic_store(&stage, WITHOUT_HOOKS);
    atomic_store_explicit(&um_hook.layout, 1, memory_order_release);
}

void um_layout_stop(void)
{
    atomic_store(&um_hook.layout, 0);
    um_sent_leave(UM_SENT_LAYOUT);
}

/* Sets the hooks when the UI thread knows what a message takes without them. */
static void set_hooks(void)
{
    if (!um_layout_is_on() || atomic_load(&stage) != HOOKS_ARE_DUE)
        return;
    if (um_sent_want(UM_SENT_LAYOUT))
        advance(HOOKS_ARE_DUE);
    else
        um_layout_stop();
}

static void unpack(const struct um_ring_record *record, struct um_wire_layout_step *step)
{
    const uint64_t *word = record->word;
    step->time_ns = um_hook_ns(word[0]);
    step->window = (uint32_t)word[1];
    step->message = (uint32_t)(word[1] >> 32);
    step->hooked = (uint32_t)word[2];
    step->step = (uint8_t)(word[2] >> 32);
    step->kind = (uint8_t)(word[2] >> 40);
    step->handler = word[3];
}

int um_layout_put(int (*put)(const struct um_wire_frame *frame))
{
    static struct um_wire_frame frame;
    struct um_wire_layout_steps *steps = &frame.as.layout_steps;
    struct um_ring_record record;

    if (!slots)
        return 1;
    set_hooks();
    frame.type = UM_WIRE_LAYOUT_STEPS;
    steps->count = 0;
    for (int taken = 0; taken < SLOTS && um_ring_pop(&ring, &record); taken++) {
        unpack(&record, &steps->list[steps->count++]);
        steps->hook_ns = um_hook_ns(atomic_load(&hook_ticks));
        steps->inside_ns = um_hook_ns(atomic_load(&inside_ticks));
        steps->lost = ring.lost;
        if (steps->count < UM_WIRE_LAYOUT_MOST)
            continue;
        if (!put(&frame))
            return 0;
        steps->count = 0;
    }
    return steps->count == 0 || put(&frame);
}
