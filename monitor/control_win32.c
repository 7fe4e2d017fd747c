#include "monitor/control.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <windows.h>

#include "ipc/clock.h"
#include "ipc/ring.h"
#include "ipc/tag.h"

#define SLOTS 1024
#define SINK_CLASS L"uimon-control"

struct um_control {
    HANDLE thread;
    DWORD tid;
    HANDLE ready;
    _Atomic int listening;
    _Atomic uint64_t last_input_ns;
    struct um_ring ring;
    struct um_ring_slot slots[SLOTS];
};

static void take(struct um_control *control, HRAWINPUT handle)
{
    RAWINPUT raw;
    UINT size = sizeof raw;
    uint64_t now_ns = um_clock_now_ns();

    if (GetRawInputData(handle, RID_INPUT, &raw, &size, sizeof(RAWINPUTHEADER)) == (UINT)-1 ||
        raw.header.dwType != RIM_TYPEMOUSE)
        return;
    const RAWMOUSE *mouse = &raw.data.mouse;
    if (um_tag_is_beat(mouse->ulExtraInformation)) {
        struct um_ring_record record = {
            {now_ns, um_tag_seq((uint32_t)mouse->ulExtraInformation), 0, 0}};
        um_ring_push(&control->ring, &record);
    } else if (mouse->lLastX || mouse->lLastY || mouse->usButtonFlags) {
        /* Wine echoes beats as untagged movements of nothing; those are nobody's. */
        atomic_store(&control->last_input_ns, now_ns);
    }
}

static LRESULT CALLBACK sink_proc(HWND window, UINT message, WPARAM wparam, LPARAM lparam)
{
    if (message == WM_INPUT)
        take((struct um_control *)GetWindowLongPtrW(window, GWLP_USERDATA), (HRAWINPUT)lparam);
    return DefWindowProcW(window, message, wparam, lparam);
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
    RAWINPUTDEVICE device = {
        .usUsagePage = 1, .usUsage = 2, .dwFlags = RIDEV_INPUTSINK, .hwndTarget = sink};
    if (!sink)
        return NULL;
    SetWindowLongPtrW(sink, GWLP_USERDATA, (LONG_PTR)control);
    if (RegisterRawInputDevices(&device, 1, sizeof device))
        return sink;
    DestroyWindow(sink);
    return NULL;
}

static DWORD WINAPI run(void *context)
{
    struct um_control *control = context;
    MSG message;
    HWND sink = make_sink(control);

    PeekMessageW(&message, NULL, WM_USER, WM_USER, PM_NOREMOVE); /* makes the queue for WM_QUIT */
    atomic_store(&control->listening, sink != NULL);
    SetEvent(control->ready);
    SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_HIGHEST);
    while (sink && GetMessageW(&message, NULL, 0, 0) > 0)
        DispatchMessageW(&message);
    if (sink) {
        RAWINPUTDEVICE device = {.usUsagePage = 1, .usUsage = 2, .dwFlags = RIDEV_REMOVE};
        RegisterRawInputDevices(&device, 1, sizeof device);
        DestroyWindow(sink);
    }
    return 0;
}

enum um_status um_control_open(struct um_control **control_out)
{
    struct um_control *control = calloc(1, sizeof *control);
    if (!control)
        return UM_ERR_MEMORY;
    um_ring_init(&control->ring, control->slots, SLOTS);
    control->ready = CreateEventW(NULL, TRUE, FALSE, NULL);
    control->thread = control->ready ? CreateThread(NULL, 0, run, control, 0, &control->tid) : NULL;
    if (!control->thread) {
        um_control_close(control);
        return UM_ERR_IO;
    }
    WaitForSingleObject(control->ready, INFINITE);
    if (!atomic_load(&control->listening)) {
        um_control_close(control);
        return UM_ERR_UNSUPPORTED;
    }
    *control_out = control;
    return UM_OK;
}

bool um_control_pop(struct um_control *control, uint32_t *seq, uint64_t *time_ns)
{
    struct um_ring_record record;
    if (!um_ring_pop(&control->ring, &record))
        return false;
    *time_ns = record.word[0];
    *seq = (uint32_t)record.word[1];
    return true;
}

uint64_t um_control_last_input_ns(const struct um_control *control)
{
    return atomic_load(&control->last_input_ns);
}

void um_control_close(struct um_control *control)
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
    free(control);
}
