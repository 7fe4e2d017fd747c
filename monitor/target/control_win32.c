#include "monitor/target/control.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <windows.h>

#include "base/plain/clock.h"
#include "base/plain/key.h"
#include "base/plain/ring.h"
#include "base/plain/tag.h"

#define BEAT_SLOTS 1024
#define ARRIVAL_SLOTS 4096 /* a script types thousands of keys while the reader is busy elsewhere */
#define SINK_CLASS L"uimon-control"
#define HID_GENERIC_PAGE 1
#define HID_MOUSE 2
#define HID_KEYBOARD 6
#define HID_DIGITIZER_PAGE 13
#define HID_PEN 2
#define HID_TOUCH_SCREEN 4
#define ECHO_PX 4    /* how far Wine's echoes of beats may lead */
#define FAKE_KEY 255 /* the virtual key of a part of another key's sequence of scan codes */

struct um_control {
    HANDLE thread;
    DWORD tid;
    HANDLE ready;
    enum um_watch_input watch;
    DWORD target_pid;
    _Atomic int listening;
    _Atomic uint64_t last_input_ns;
    uint32_t down[256 / 32]; /* a bit for each virtual key that is held; the thread's alone */
    int64_t strayed_px;      /* by untagged movements since the last beat that moved the cursor */
    bool beats_move;         /* there was such a beat; this and `strayed_px` are the thread's too */
    struct um_ring beats;
    struct um_ring arrivals;
    struct um_ring_slot beat_slots[BEAT_SLOTS];
    struct um_ring_slot arrival_slots[ARRIVAL_SLOTS];
};

static void push_arrival(struct um_control *control, uint64_t now_ns, enum um_interaction kind,
                         bool release, uint32_t key)
{
    uint32_t own_ms = (uint32_t)GetMessageTime();
    struct um_ring_record record = {{now_ns, (uint64_t)kind | (uint64_t)release << 8, own_ms, key}};
    um_ring_push(&control->arrivals, &record);
}

/* Pushes an arrival for each change in the flags, button by button and a press before a release. A
 * turn of the wheel is one arrival, however many notches it has: the target gets one message for
 * it. */
static void take_buttons(struct um_control *control, USHORT flags, uint64_t now_ns)
{
    static const USHORT downs = RI_MOUSE_BUTTON_1_DOWN | RI_MOUSE_BUTTON_2_DOWN |
                                RI_MOUSE_BUTTON_3_DOWN | RI_MOUSE_BUTTON_4_DOWN |
                                RI_MOUSE_BUTTON_5_DOWN;
    static const USHORT ups = RI_MOUSE_BUTTON_1_UP | RI_MOUSE_BUTTON_2_UP | RI_MOUSE_BUTTON_3_UP |
                              RI_MOUSE_BUTTON_4_UP | RI_MOUSE_BUTTON_5_UP;

    for (unsigned bit = 1; bit <= RI_MOUSE_HWHEEL; bit <<= 1) {
        if (!(flags & bit))
            continue;
        if (bit & (RI_MOUSE_WHEEL | RI_MOUSE_HWHEEL))
            push_arrival(control, now_ns, UM_INTERACTION_WHEEL, false, 0);
        else if (bit & (downs | ups))
            push_arrival(control, now_ns, UM_INTERACTION_CLICK, (bit & ups) != 0, 0);
    }
}

/* Both events of a pair are pushed; the reader ignores the second one. */
static void take_beat(struct um_control *control, const RAWMOUSE *mouse, uint64_t now_ns)
{
    struct um_ring_record record = {
        {now_ns, um_tag_seq((uint32_t)mouse->ulExtraInformation), 0, 0}};
    um_ring_push(&control->beats, &record);
    if (mouse->lLastX) {
        control->beats_move = true;
        control->strayed_px = 0;
    }
}

/* Whether an untagged movement is Wine's echo of a beat, and not made by the user. Wine repeats a
 * beat without its tag: as a movement of 0 pixels, and over a window also as the horizontal
 * movements of a pair or of the mouse probe. Echoes come some ms later, or when a frozen program
 * comes back. So once beats move the cursor, horizontal movements count as the user's only if they
 * add up to more than ECHO_PX before the next beat. */
static bool is_echo(struct um_control *control, const RAWMOUSE *mouse)
{
    control->strayed_px += mouse->lLastX;
    if (mouse->lLastX == 0 && mouse->lLastY == 0)
        return true;
    return control->beats_move && mouse->lLastY == 0 && llabs(control->strayed_px) <= ECHO_PX;
}

static void take_mouse(struct um_control *control, const RAWMOUSE *mouse, uint64_t now_ns)
{
    if (um_tag_is_beat(mouse->ulExtraInformation)) {
        take_beat(control, mouse, now_ns);
    } else if (!is_echo(control, mouse) || mouse->usButtonFlags) {
        atomic_store(&control->last_input_ns, now_ns);
        if (control->watch != UM_WATCH_INPUT_OFF)
            take_buttons(control, mouse->usButtonFlags, now_ns);
    }
}

/* A character that a program sends without a key (KEYEVENTF_UNICODE); it is never held down. Wine
 * gives no virtual key and the character's UTF-16 unit as the scan code. */
static bool is_packet(const RAWKEYBOARD *key)
{
    return key->VKey == VK_PACKET ||
           (key->VKey == 0 && key->MakeCode != 0 && !(key->Flags & RI_KEY_E1));
}

/* The key, or 0 if it must not be kept. */
static uint32_t kept_key(const struct um_control *control, uint32_t key)
{
    DWORD front_pid = 0;
    if (control->watch != UM_WATCH_INPUT_KEYS)
        return 0;
    GetWindowThreadProcessId(GetForegroundWindow(), &front_pid);
    return front_pid == control->target_pid ? key : 0;
}

/* A key that is down already repeats. Both Enter keys have one virtual key and count as the same
 * key here, as they do in bit 30 of WM_KEYDOWN, by which the target
 * recognizes a repeat. */
static void take_key(struct um_control *control, const RAWKEYBOARD *key, uint64_t now_ns)
{
    if (um_tag_is_beat(key->ExtraInformation))
        return;
    atomic_store(&control->last_input_ns, now_ns);
    if (is_packet(key)) {
        if (!(key->Flags & RI_KEY_BREAK))
            push_arrival(control, now_ns, UM_INTERACTION_KEY, false, kept_key(control, VK_PACKET));
        return;
    }
    if (key->VKey == 0 || key->VKey >= FAKE_KEY || (key->Flags & RI_KEY_E1))
        return;
    uint32_t *down = &control->down[key->VKey / 32];
    uint32_t bit = UINT32_C(1) << key->VKey % 32;
    bool was_down = (*down & bit) != 0;

    *down = key->Flags & RI_KEY_BREAK ? *down & ~bit : *down | bit;
    if ((key->Flags & RI_KEY_BREAK) || was_down || um_key_is_modifier(key->VKey))
        return;
    push_arrival(control, now_ns, UM_INTERACTION_KEY, false, kept_key(control, key->VKey));
}

/* A touch screen or pen sends reports of its own form, which need more room than RAWINPUT has. Only
 * that there was one is noted; its content is not read. */
static void take_report(struct um_control *control, HRAWINPUT handle, uint64_t now_ns)
{
    RAWINPUTHEADER header;
    UINT size = sizeof header;

    if (GetRawInputData(handle, RID_HEADER, &header, &size, sizeof header) != (UINT)-1 &&
        header.dwType == RIM_TYPEHID)
        atomic_store(&control->last_input_ns, now_ns);
}

static void take(struct um_control *control, HRAWINPUT handle)
{
    RAWINPUT raw;
    UINT size = sizeof raw;
    uint64_t now_ns = um_clock_now_ns();

    if (GetRawInputData(handle, RID_INPUT, &raw, &size, sizeof(RAWINPUTHEADER)) == (UINT)-1) {
        take_report(control, handle, now_ns);
        return;
    }
    if (raw.header.dwType == RIM_TYPEMOUSE)
        take_mouse(control, &raw.data.mouse, now_ns);
    else if (raw.header.dwType == RIM_TYPEKEYBOARD)
        take_key(control, &raw.data.keyboard, now_ns);
    else
        atomic_store(&control->last_input_ns, now_ns);
}

static LRESULT CALLBACK sink_proc(HWND window, UINT message, WPARAM wparam, LPARAM lparam)
{
    if (message == WM_INPUT)
        take((struct um_control *)GetWindowLongPtrW(window, GWLP_USERDATA), (HRAWINPUT)lparam);
    return DefWindowProcW(window, message, wparam, lparam);
}

/* Adds or removes the registrations; `flags` and `sink` as RAWINPUTDEVICE has them. */
static BOOL register_devices(const struct um_control *control, DWORD flags, HWND sink)
{
    const RAWINPUTDEVICE devices[] = {
        {HID_GENERIC_PAGE, HID_MOUSE, flags, sink},
        {HID_GENERIC_PAGE, HID_KEYBOARD, flags, sink},
    };
    UINT count = control->watch == UM_WATCH_INPUT_OFF ? 1 : 2;
    return RegisterRawInputDevices(devices, count, sizeof devices[0]);
}

/* The same for touch screens and pens. If this fails, only the hook DLL sees their input. */
static void register_digitizers(DWORD flags, HWND sink)
{
    const RAWINPUTDEVICE devices[] = {
        {HID_DIGITIZER_PAGE, HID_TOUCH_SCREEN, flags, sink},
        {HID_DIGITIZER_PAGE, HID_PEN, flags, sink},
    };
    (void)RegisterRawInputDevices(devices, ARRAYSIZE(devices), sizeof devices[0]);
}

static HWND make_sink(struct um_control *control)
{
    HINSTANCE module = GetModuleHandleW(NULL);
    WNDCLASSEXW sink_class = {.cbSize = sizeof sink_class,
                              .lpfnWndProc = sink_proc,
                              .hInstance = module,
                              .lpszClassName = SINK_CLASS};
    RegisterClassExW(&sink_class);
    HWND sink =
        CreateWindowExW(0, SINK_CLASS, NULL, 0, 0, 0, 0, 0, HWND_MESSAGE, NULL, module, NULL);
    if (!sink)
        return NULL;
    SetWindowLongPtrW(sink, GWLP_USERDATA, (LONG_PTR)control);
    if (register_devices(control, RIDEV_INPUTSINK, sink)) {
        register_digitizers(RIDEV_INPUTSINK, sink);
        return sink;
    }
    DestroyWindow(sink);
    return NULL;
}

static DWORD WINAPI run(void *context)
{
    struct um_control *control = context;
    MSG message;
    HWND sink = make_sink(control);

    /* Makes the message queue, into which close_control posts WM_QUIT. */
    PeekMessageW(&message, NULL, WM_USER, WM_USER, PM_NOREMOVE);
    atomic_store(&control->listening, sink != NULL);
    SetEvent(control->ready);
    SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_HIGHEST);
    while (sink && GetMessageW(&message, NULL, 0, 0) > 0)
        DispatchMessageW(&message);
    if (sink) {
        register_devices(control, RIDEV_REMOVE, NULL);
        register_digitizers(RIDEV_REMOVE, NULL);
        DestroyWindow(sink);
    }
    return 0;
}

static void close_control(struct um_control *control)
{
    if (!control)
        return;
    if (control->thread) {
        PostThreadMessageW(control->tid, WM_QUIT, 0, 0);
        WaitForSingleObject(control->thread, INFINITE);
        CloseHandle(control->thread);
    }
    if (control->ready)
        CloseHandle(control->ready);
    SecureZeroMemory(control, sizeof *control);
    free(control);
}

static enum um_status open_control(enum um_watch_input watch, uint32_t target_pid,
                                   struct um_control **control_out)
{
    struct um_control *control = calloc(1, sizeof *control);
    if (!control)
        return UM_ERR_MEMORY;
    control->watch = watch;
    control->target_pid = target_pid;
    um_ring_init(&control->beats, control->beat_slots, BEAT_SLOTS);
    um_ring_init(&control->arrivals, control->arrival_slots, ARRIVAL_SLOTS);
    control->ready = CreateEventW(NULL, TRUE, FALSE, NULL);
    control->thread = control->ready ? CreateThread(NULL, 0, run, control, 0, &control->tid) : NULL;
    if (!control->thread) {
        close_control(control);
        return UM_ERR_IO;
    }
    WaitForSingleObject(control->ready, INFINITE);
    if (!atomic_load(&control->listening)) {
        close_control(control);
        return UM_ERR_UNSUPPORTED;
    }
    *control_out = control;
    return UM_OK;
}

static bool pop(struct um_control *control, uint32_t *seq, uint64_t *time_ns)
{
    struct um_ring_record record;
    if (!um_ring_pop(&control->beats, &record))
        return false;
    *time_ns = record.word[0];
    *seq = (uint32_t)record.word[1];
    return true;
}

static bool pop_arrival(struct um_control *control, struct um_arrival *arrival)
{
    struct um_ring_record record;
    if (!um_ring_pop_secret(&control->arrivals, &record))
        return false;
    *arrival = (struct um_arrival){.time_ns = record.word[0],
                                   .own_ms = (uint32_t)record.word[2],
                                   .key = (uint32_t)record.word[3],
                                   .kind = (uint8_t)record.word[1],
                                   .release = record.word[1] >> 8 != 0};
    return true;
}

static uint64_t lost(const struct um_control *control)
{
    return control->arrivals.lost;
}

static uint64_t last_input_ns(const struct um_control *control)
{
    return atomic_load(&control->last_input_ns);
}

const struct um_control_backend um_control_win32 = {
    .open = open_control,
    .pop = pop,
    .tells_arrivals = true,
    .pop_arrival = pop_arrival,
    .lost = lost,
    .last_input_ns = last_input_ns,
    .close = close_control,
};
