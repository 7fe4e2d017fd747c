#include "hooks/hook_win32.h"
#include "hooks/record.h"
#include "hooks/step.h"
#include "base/plain/message.h"
#include "base/plain/tag.h"

#define CLOSE_SINK (WM_APP + 0x2f1)
#define SINK_CLASS L"uimon-sink"

/* One call in 16 is timed. Timing each would double the cost of a call. */
#define TIMED_MASK 15

/* At most so many calls of GetRawInputBuffer for one WM_INPUT. Each returns up to some 1300
 * records, which is more than a second of a mouse that reports 1000 times a second. */
#define DRAIN_CALLS_MAX 2
#define RAW_HEADER_BYTES 24

/* The timer that asks about a beat fires once, and not at all when the beat is answered. */
static void stop_asking(HWND sink)
{
    KillTimer(sink, um_hook.asked_tag);
    um_hook.asked_tag = 0;
}

/* Records that the beat in flight was dequeued. Ignores any other tag: 0 (no beat), a beat that was
 * answered or given up, or a beat of another uimon.
 * Units: `flags` are UM_WIRE_SEEN_*. */
static void record_seen(uint64_t ticks, uint32_t tag, uint8_t flags)
{
    uint32_t expected = tag;
    if (!tag || tag != atomic_load(&um_hook.outstanding))
        return;
    uint32_t work = atomic_load_explicit(&um_hook.work, memory_order_relaxed);
    atomic_store_explicit(&um_hook.work_answered, work, memory_order_release);
    if (atomic_compare_exchange_strong(&um_hook.outstanding, &expected, 0)) {
        struct um_ring_record record = um_record_seen(ticks, flags, um_tag_seq(tag));
        um_ring_push(&um_hook.ui_ring, &record);
        if (um_hook.asked_tag)
            stop_asking(um_hook.sink);
    }
}

/* The tag of a raw input message; 0 if it is not a beat of any uimon. */
static uint32_t read_raw_tag(HRAWINPUT handle)
{
    RAWINPUT raw;
    UINT size = sizeof raw;

    if (GetRawInputData(handle, RID_INPUT, &raw, &size, sizeof(RAWINPUTHEADER)) == (UINT)-1)
        return 0;
    if (raw.header.dwType != RIM_TYPEMOUSE || !um_tag_is_beat(raw.data.mouse.ulExtraInformation))
        return 0;
    return raw.data.mouse.ulExtraInformation;
}

static int is_key_or_button(UINT message)
{
    return um_message_is_key(message) || um_message_button(message) || um_message_is_wheel(message);
}

/* Whether the message that is being retrieved came from a device or from SendInput. A posted
 * message can look the same, but it overtakes the input queue and so proves nothing about it. */
static int is_from_device(void)
{
    INPUT_MESSAGE_SOURCE source;
    return GetCurrentInputMessageSource(&source) && source.originId != IMO_UNAVAILABLE;
}

/* Whether the message is the user's touch or pen. Mouse moves, those of beats too, may arrive as
 * pointer messages; so a move counts only if it is from touch or pen. */
static int is_pointer_input(UINT message)
{
    INPUT_MESSAGE_SOURCE source;
    if (!um_message_is_pointer(message) || !GetCurrentInputMessageSource(&source) ||
        source.originId == IMO_UNAVAILABLE)
        return 0;
    return um_message_is_contact(message) || source.deviceType == IMDT_TOUCH ||
           source.deviceType == IMDT_PEN;
}

/* Whether the system has made this button message of a touch or pen.
 * Source: "System Events and Mouse Messages", Windows API reference. */
static int is_promoted(UINT message)
{
    const ULONG_PTR mask = 0xffffff00, touch_or_pen = 0xff515700;
    return um_message_button(message) && ((ULONG_PTR)GetMessageExtraInfo() & mask) == touch_or_pen;
}

/* How long ago the message came in, by its own time; 0 if that time is yet to come, which injected
 * input can claim. */
static uint32_t age_ms_of(const MSG *msg)
{
    int32_t age_ms = (int32_t)(GetTickCount() - msg->time);
    return age_ms > 0 ? (uint32_t)age_ms : 0;
}

/* Whether it is one of the messages by which the monitor injects the DLL. They may have been posted
 * more than once. */
static int is_bootstrap(UINT message)
{
    return message == um_hook.low_message || message == um_hook.high_message ||
           message == um_hook.pid_message;
}

/* Whether the message is that of the timer, so that the beat about which it asks is in no queue. */
static int is_answer(const MSG *msg)
{
    return msg->message == WM_TIMER && msg->hwnd && msg->hwnd == um_hook.sink &&
           um_hook.asked_tag && msg->wParam == um_hook.asked_tag;
}

/* Counts the paint cycle that this retrieval ends, if it ends one. */
static void count_paint(const MSG *msg)
{
    if (um_hook.painting) {
        uint32_t paints = atomic_load_explicit(&um_hook.paints, memory_order_relaxed);
        atomic_store_explicit(&um_hook.paints, paints + 1, memory_order_relaxed);
    }
    um_hook.painting = msg->message == WM_PAINT;
}

/* Looks whether the beat is still in the queue, while the raw registration is taken back for it and
 * other messages are retrieved (hooks/raw_release.h). Returns whether it is. GetQueueStatus marks
 * the raw input as seen, so a wait for new input alone would not end because of it. That is
 * harmless here, because no raw input has come since the registration was taken back. */
static int look_for_beat(uint32_t tag, uint64_t ticks)
{
    int waits = (HIWORD(GetQueueStatus(QS_RAWINPUT)) & QS_RAWINPUT) != 0;
    if (um_raw_release_found(&um_hook.finds, ticks, um_hook.ticks_per_s, waits))
        um_hook.found_gone = tag;
    return waits;
}

/* The beat for which the raw registration is taken back; 0: it is not. */
static uint32_t lifted_beat(void)
{
    uint32_t lifted = atomic_load_explicit(&um_hook.lifted, memory_order_relaxed);
    return lifted > UM_RAW_RELEASE_NO_BEAT ? lifted : 0;
}

/* A UM_HOOK_LOOK was retrieved. If it finds no beat in the queue, TAKEN says which one. It looks in
 * any case: the TAKEN of other messages does not say what they have found, and under Wine raw input
 * that the target has just taken by GetRawInputBuffer seems to wait until the queue is empty, which
 * it may not be before the second of these messages. */
static void take_look(uint64_t ticks, struct um_wire_taken *taken)
{
    uint32_t tag = lifted_beat();
    atomic_store(&um_hook.look_posted, 0);
    if (!tag)
        return;
    (void)um_raw_release_looks(&um_hook.finds, tag, ticks);
    if (!look_for_beat(tag, ticks)) {
        taken->age_ms = 0;
        taken->own_ms = um_tag_seq(tag);
    }
}

/* Records that a message was removed from the queue, and that it is our beat if it is. Returns the
 * flags of TAKEN. */
static uint8_t record_taken(const MSG *msg, uint64_t ticks)
{
    int watch = atomic_load_explicit(&um_hook.watch_input, memory_order_relaxed);
    struct um_wire_taken taken = {.hwnd = (uint64_t)(uintptr_t)msg->hwnd,
                                  .message = msg->message,
                                  .age_ms = UM_WIRE_AGE_UNKNOWN};
    uint32_t tag = 0;
    uint8_t flags = 0;

    if (msg->message == WM_INPUT && msg->hwnd == um_hook.sink) {
        tag = read_raw_tag((HRAWINPUT)msg->lParam);
        um_hook.raw_message = msg->lParam;
        um_hook.raw_tag = tag;
        flags = UM_WIRE_TAKEN_OURS;
    } else if (is_bootstrap(msg->message) || um_input_take_marker(msg, ticks)) {
        flags = UM_WIRE_TAKEN_OURS;
    } else if (msg->message == UM_HOOK_LOOK && msg->hwnd && msg->hwnd == um_hook.sink) {
        flags = UM_WIRE_TAKEN_OURS;
        take_look(ticks, &taken);
    } else if (is_answer(msg)) {
        flags = UM_WIRE_TAKEN_OURS;
        taken.age_ms = 0;
        taken.own_ms = um_tag_seq(um_hook.asked_tag);
        stop_asking(msg->hwnd);
    } else if (um_message_is_mouse_move(msg->message)) {
        flags = um_hook.mouse_beat ? UM_WIRE_TAKEN_OURS : 0;
    } else if (is_key_or_button(msg->message) && is_from_device()) {
        flags = UM_WIRE_TAKEN_INPUT;
        taken.age_ms = age_ms_of(msg);
        taken.own_ms = msg->time;
        taken.promoted = is_promoted(msg->message) != 0;
        if (watch != UM_WATCH_INPUT_OFF)
            flags |= um_input_on_device_message(msg, ticks);
        if (watch == UM_WATCH_INPUT_KEYS)
            taken.key = um_input_key(msg);
    } else if (is_pointer_input(msg->message)) {
        /* The age stays unknown: it is not documented whether touch and mouse, and with it beats,
         * are taken in the order in which they came. */
        flags = UM_WIRE_TAKEN_INPUT;
        if (watch != UM_WATCH_INPUT_OFF)
            flags |= um_input_on_device_message(msg, ticks);
    } else if (watch != UM_WATCH_INPUT_OFF) {
        flags = um_input_on_other_message(msg, ticks);
    }
    um_hook.mouse_beat = 0;
    count_paint(msg);
    if (!(flags & UM_WIRE_TAKEN_OURS)) {
        uint32_t work = atomic_load_explicit(&um_hook.work, memory_order_relaxed);
        atomic_store_explicit(&um_hook.work, work + 1, memory_order_relaxed);
        uint32_t tag_out = lifted_beat();
        if (tag_out && um_raw_release_looks(&um_hook.finds, tag_out, ticks))
            (void)look_for_beat(tag_out, ticks);
    }
    struct um_ring_record record = um_record_taken(ticks, flags, &taken);
    um_ring_push(&um_hook.ui_ring, &record);
    if (um_hook.found_gone) { /* the worker sends another beat, whose SENT comes after this TAKEN */
        atomic_store(&um_hook.lift_gone, um_hook.found_gone);
        um_hook.found_gone = 0;
    }
    record_seen(ticks, tag, UM_WIRE_SEEN_RAW);
    return flags;
}

int um_observe_is_watched(void)
{
    int phase = atomic_load_explicit(&um_hook.phase, memory_order_relaxed);
    return (phase == UM_HOOK_STARTING || phase == UM_HOOK_ACTIVE) &&
           GetCurrentThreadId() == um_hook.ui_tid;
}

static void observe(const MSG *msg, uint64_t place)
{
    uint64_t ticks = um_hook_ticks();
    DWORD error = GetLastError();
    uint8_t flags = record_taken(msg, ticks);
    if ((um_hook.hook_calls++ & TIMED_MASK) == 0) {
        um_hook.timed_ticks += um_hook_ticks() - ticks;
        um_hook.timed_calls++;
    }
    if (um_trace_is_on())
        um_trace_retrieved(msg, flags, ticks, place);
    if (um_layout_is_on())
        um_layout_retrieved(msg, flags, ticks, place);
    SetLastError(error);
}

/* WH_GETMESSAGE. `removed` holds the flags of the retrieving call; without PM_REMOVE the message
 * stays in the queue. The bootstrap hook was set before this one, so if it is still there,
 * CallNextHookEx calls it. */
LRESULT CALLBACK um_observe_message(int code, WPARAM removed, LPARAM message)
{
    if (code != HC_ACTION || !(removed & PM_REMOVE) || !um_observe_is_watched())
        return CallNextHookEx(NULL, code, removed, message);
    observe((const MSG *)message, UM_HOOK_PLACE());
    int before = um_hook.recording;
    um_hook.recording = 1;
    LRESULT result = CallNextHookEx(NULL, code, removed, message);
    um_hook.recording = before;
    return result;
}

void um_observe_early(WPARAM removed, LPARAM message)
{
    if ((removed & PM_REMOVE) && !um_hook.recording && um_observe_is_watched())
        observe((const MSG *)message, UM_HOOK_PLACE());
}

/* Whether an untagged move is the echo of a beat that has moved the cursor and put it back. The
 * user's own moves lead further. */
static int is_echo(POINT at)
{
    uint64_t was = atomic_load(&um_hook.moved_at);
    int left = atomic_load(&um_hook.echoes);
    return left > 0 &&
           um_step_is_echo(at.x, at.y, (int32_t)(uint32_t)was, (int32_t)(uint32_t)(was >> 32)) &&
           atomic_compare_exchange_strong(&um_hook.echoes, &left, left - 1);
}

/* WH_MOUSE: the second witness of a beat, and the only one of the mouse probe. The system may merge
 * a beat with a move of the user's that follows it, or with the beat's own echo, and then the tag
 * is lost. So with the mouse probe an untagged move counts as the beat, if SendInput has returned
 * for that beat. */
LRESULT CALLBACK um_observe_mouse(int code, WPARAM message, LPARAM info)
{
    if (code == HC_ACTION && um_observe_is_watched()) {
        const MOUSEHOOKSTRUCT *mouse = (const MOUSEHOOKSTRUCT *)info;
        ULONG_PTR extra = mouse->dwExtraInfo;
        DWORD error = GetLastError();
        if (um_tag_is_beat(extra)) {
            um_hook.mouse_beat = 1;
            record_seen(um_hook_ticks(), (uint32_t)extra, UM_WIRE_SEEN_MOUSE);
        } else if (um_message_is_mouse_move((UINT)message)) {
            uint32_t tag = atomic_load(&um_hook.outstanding);
            um_hook.mouse_beat = is_echo(mouse->pt) ? 1 : 0;
            if (atomic_load(&um_hook.probe) == UM_PROBE_MOUSE && tag &&
                tag == atomic_load(&um_hook.queued))
                record_seen(um_hook_ticks(), tag,
                            um_hook.mouse_beat ? UM_WIRE_SEEN_MOUSE
                                               : UM_WIRE_SEEN_MOUSE | UM_WIRE_SEEN_MERGED);
        }
        SetLastError(error);
    }
    return CallNextHookEx(NULL, code, message, info);
}

/* The mouse's part of a record of GetRawInputBuffer. It lies behind a header of 64 bits, also in a
 * 32-bit program on 64-bit Windows, and uimon runs on no other.
 * Source: GetRawInputBuffer, Windows API reference. */
static const RAWMOUSE *raw_mouse(const RAWINPUT *raw)
{
    return (const RAWMOUSE *)((uintptr_t)raw + RAW_HEADER_BYTES);
}

/* Takes the waiting raw input, many records a call: after a freeze in which the mouse moved there
 * are thousands, and the target should not spend time on retrieving them one by one. It stops at a
 * call that did not fill the buffer. It does not go on until nothing is left, because a moving
 * mouse may always leave something; the next WM_INPUT takes the rest. */
static void drain_raw_input(void)
{
    for (int call = 0; call < DRAIN_CALLS_MAX; call++) {
        UINT size = sizeof um_hook.raw_buffer;
        UINT count =
            GetRawInputBuffer((RAWINPUT *)um_hook.raw_buffer, &size, sizeof(RAWINPUTHEADER));
        if (count == 0 || count == (UINT)-1)
            return;
        const RAWINPUT *raw = (const RAWINPUT *)um_hook.raw_buffer;
        for (UINT i = 0; i < count; i++) {
            if (raw->header.dwType == RIM_TYPEMOUSE &&
                um_tag_is_beat(raw_mouse(raw)->ulExtraInformation))
                record_seen(um_hook_ticks(), raw_mouse(raw)->ulExtraInformation, UM_WIRE_SEEN_RAW);
            raw = (const RAWINPUT *)(((uintptr_t)raw + raw->header.dwSize + 7) & ~(uintptr_t)7);
        }
        if ((uintptr_t)raw - (uintptr_t)um_hook.raw_buffer + sizeof *raw <=
            sizeof um_hook.raw_buffer)
            return; /* there was room for another */
    }
}

/* Whether a message to the sink is the user's own mouse. The hook has read it a moment ago, unless
 * the target's loop looked without taking, or the hooks are leaving. */
static int is_of_user(LPARAM message)
{
    int read = message == um_hook.raw_message;
    uint32_t tag = read ? um_hook.raw_tag : read_raw_tag((HRAWINPUT)message);
    um_hook.raw_message = 0;
    return tag == 0;
}

/* Records the question, and starts the timer, unless the beat was answered meanwhile. A question
 * that is older than the lower half of `asked` can say is recorded as a younger one. */
static void ask(HWND sink, uint32_t tag, uintptr_t asked)
{
    uint64_t ticks = um_hook_ticks();
    atomic_store(&um_hook.ask_out, 0);
    if (um_hook.asked_tag && um_hook.asked_tag != tag)
        stop_asking(sink);
    if (!tag || tag != atomic_load(&um_hook.outstanding))
        return;
    uintptr_t waited = (uintptr_t)ticks - asked;
    struct um_ring_record record = um_record_asked(ticks, ticks - waited, um_tag_seq(tag));
    um_ring_push(&um_hook.ui_ring, &record);
    if (um_hook.asked_tag != tag && SetTimer(sink, tag, USER_TIMER_MINIMUM, NULL))
        um_hook.asked_tag = tag;
}

static LRESULT CALLBACK sink_proc(HWND window, UINT message, WPARAM wparam, LPARAM lparam)
{
    if (message == CLOSE_SINK) {
        DestroyWindow(window);
        return 0;
    }
    if (message == UM_HOOK_LOOK) {
        atomic_store(&um_hook.look_posted, 0); /* if another program's hook kept it from ours */
        return 0;
    }
    if (message == UM_HOOK_ASK) {
        ask(window, (uint32_t)wparam, (uintptr_t)lparam);
        return 0;
    }
    /* If the target had a raw registration too, its input would be drained with ours and lost. */
    if (message == WM_INPUT && is_of_user(lparam) && um_probe_sink_is_alone())
        drain_raw_input();
    return DefWindowProcW(window, message, wparam, lparam);
}

HWND um_observe_make_sink(HINSTANCE module)
{
    WNDCLASSEXW sink_class = {.cbSize = sizeof sink_class,
                              .lpfnWndProc = sink_proc,
                              .hInstance = module,
                              .lpszClassName = SINK_CLASS};
    RegisterClassExW(&sink_class); /* fails harmlessly if an earlier attachment did it */
    return CreateWindowExW(0, SINK_CLASS, NULL, 0, 0, 0, 0, 0, HWND_MESSAGE, NULL, module, NULL);
}

/* The message is sent, not posted: the window gets it at the UI thread's next call of any
 * retrieving function, whatever that call's filter. A posted message would have to be retrieved and
 * dispatched. */
void um_observe_close_sink(HWND sink)
{
    if (sink)
        SendNotifyMessageW(sink, CLOSE_SINK, 0, 0);
}
