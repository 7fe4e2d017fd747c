/* Records the steps of the layout: which window of the UI thread measured, arranged or painted
 * itself, from when to when. monitor/layout pairs begins with ends.
 *
 * A sent message begins and ends where the hooks of sent_win32.c say so. A retrieved WM_PAINT ends
 * when the thread retrieves its next message, because no hook sees that DispatchMessage has
 * returned. The ring keeps the newest records when it is full. Recording begins when it is known
 * what one message costs that the hooks see, and the monitor takes that out. */
#include <windows.h>

#include <commctrl.h>

#include "hooks/hook_win32.h"
#include "hooks/innermost.h"
#include "hooks/layout_batch.h"
#include "hooks/layout_cycle.h"
#include "ipc/layout_steps.h"
#include "base/plain/clock.h"
#include "base/plain/message.h"

#define SLOTS 8192 /* a power of two */

static struct um_ring ring;
static struct um_ring_slot *slots; /* allocated when recording first begins, and kept */
static int told;                   /* the monitor knows that recording has begun */

/* Written by the UI thread. */
static uint32_t hooked; /* messages seen */
static HWND painting;   /* its WM_PAINT was retrieved last; NULL: none */
static struct um_innermost innermost;
static struct um_layout_cycle cycle;

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
    if (kind != UM_LAYOUT_KIND_CYCLE)
        um_layout_cycle_recorded(&cycle);
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

/* Whether a message is a step, and which. From WM_USER on, that depends on the window's class. */
static int step_of(HWND window, UINT message, enum um_layout_step *step,
                   enum um_layout_whose *whose)
{
    const char *of_class;
    char name[64];
    return um_layout_step_of(message, step, whose, &of_class) &&
           (!*of_class ||
            (GetClassNameA(window, name, sizeof name) && um_layout_step_is_class(name, of_class)));
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

    if (!um_sent_is_measured())
        return;
    hooked++;
    if (sent->message == WM_NCCREATE)
        push_created(sent, place);
    um_innermost_entered(&innermost, place, bits_of(sent->hwnd));
    if (!step_of(sent->hwnd, sent->message, &step, &whose))
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

    if (!um_sent_is_measured())
        return;
    um_innermost_left(&innermost, bits_of(sent->hwnd));
    if (sent->message == WM_NCDESTROY) {
        um_innermost_gone(&innermost, bits_of(sent->hwnd));
        push(UM_LAYOUT_KIND_DESTROYED, UM_LAYOUT_STEP_MEASURE, sent->hwnd, sent->message, 0, ticks);
    }
    if (!step_of(sent->hwnd, sent->message, &step, &whose))
        return;
    HWND window = about(sent->hwnd, whose, sent->wParam, sent->lParam);
    if (window)
        push(UM_LAYOUT_KIND_END, step, window, sent->message, 0, ticks);
}

/* Nothing is recorded yet. */
static void reset(void)
{
    painting = NULL;
    innermost.depth = 0;
    um_layout_cycle_forget(&cycle);
}

void um_layout_retrieved(const MSG *msg, uint8_t flags, uint64_t ticks, uint64_t place)
{
    if (!um_sent_is_measured()) {
        um_sent_try();
        reset();
        return;
    }
    um_innermost_retrieved(&innermost, place, flags & UM_WIRE_TAKEN_OURS ? 0 : bits_of(msg->hwnd));
    if (painting)
        push(UM_LAYOUT_KIND_END, UM_LAYOUT_STEP_PAINT, painting, WM_PAINT, 0, ticks);
    painting = NULL;
    int is_ours = flags & UM_WIRE_TAKEN_OURS;
    /* The sink gets the user's raw input, too. */
    int is_beat = is_ours && (msg->message == WM_INPUT ? um_hook.raw_tag != 0
                                                       : um_message_is_mouse_move(msg->message));
    int is_paint = !is_ours && msg->message == WM_PAINT && msg->hwnd;
    if (is_beat ? um_layout_cycle_beat_ends(&cycle)
                : !is_ours && um_layout_cycle_ends(&cycle, is_paint ? bits_of(msg->hwnd) : 0))
        push(UM_LAYOUT_KIND_CYCLE, UM_LAYOUT_STEP_PAINT, NULL, msg->message, 0, ticks);
    if (!is_paint)
        return;
    painting = msg->hwnd;
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
    told = 0;
    um_sent_measure();
    (void)um_sent_want(UM_SENT_LAYOUT); /* they are set later */
    atomic_store_explicit(&um_hook.layout, 1, memory_order_release);
}

void um_layout_stop(void)
{
    atomic_store(&um_hook.layout, 0);
    um_sent_leave(UM_SENT_LAYOUT);
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
    uint64_t cost, inside;

    if (!slots)
        return 1;
    if (um_layout_is_on() && !um_sent_turn())
        um_layout_stop();
    um_sent_cost(&cost, &inside);
    frame.type = UM_WIRE_LAYOUT_STEPS;
    steps->hook_ns = um_hook_ns(cost);
    steps->inside_ns = um_hook_ns(inside);
    steps->lost = ring.lost;
    steps->count = 0;
    if (um_layout_is_on() && um_sent_is_measured() && !told) {
        if (!put(&frame))
            return 0;
        told = 1;
    }
    for (int taken = 0; taken < SLOTS && um_ring_pop(&ring, &record); taken++) {
        if (um_layout_batch_is_whole(steps, ring.lost)) {
            if (!put(&frame))
                return 0;
            steps->count = 0;
        }
        steps->lost = ring.lost;
        unpack(&record, &steps->list[steps->count++]);
    }
    return steps->count == 0 || put(&frame);
}
