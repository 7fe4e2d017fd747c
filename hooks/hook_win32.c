#include "hooks/hook_win32.h"
#include "ipc/bootstrap.h"

/* Numbers of registered window messages begin here. */
#define REGISTERED_FIRST 0xc000

#define WIDE_2(text) L##text
#define WIDE(text) WIDE_2(text)

struct um_hook um_hook;

BOOL WINAPI DllMainCRTStartup(HINSTANCE module, DWORD reason, void *reserved);
__declspec(dllexport) LRESULT CALLBACK um_hook_bootstrap(int code, WPARAM removed, LPARAM message);

/* Only keeps the handle: this runs under the loader's lock, where hardly anything is allowed. */
BOOL WINAPI DllMainCRTStartup(HINSTANCE module, DWORD reason, void *reserved)
{
    (void)reserved;
    if (reason == DLL_PROCESS_ATTACH)
        um_hook.module = module;
    return TRUE;
}

/* Keeps the DLL loaded for the life of the process. Unloading it would not be safe: a hook
 * procedure may still be running, or be called once more, after UnhookWindowsHookEx has
 * returned. */
static int pin_module(void)
{
    HMODULE pinned;
    return GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_PIN |
                                  GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS,
                              (const wchar_t *)(uintptr_t)um_hook_bootstrap, &pinned);
}

/* Starts an attachment to the calling thread; does nothing while another one lasts. */
static void start(DWORD monitor_pid)
{
    LARGE_INTEGER frequency;
    int inert = UM_HOOK_INERT;

    if (!atomic_compare_exchange_strong(&um_hook.phase, &inert, UM_HOOK_STARTING))
        return;
    QueryPerformanceFrequency(&frequency);
    um_hook.ticks_per_s = (uint64_t)frequency.QuadPart;
    um_hook.pid = GetCurrentProcessId();
    um_hook.ui_tid = GetCurrentThreadId();
    um_hook.monitor_pid = monitor_pid;
    um_hook.start_ticks = um_hook_ticks();
    atomic_store(&um_hook.watch_input, UM_WATCH_INPUT_OFF);
    um_ring_init(&um_hook.ui_ring, um_hook.ui_slots, UM_HOOK_UI_SLOTS);
    um_ring_init(&um_hook.beat_ring, um_hook.beat_slots, UM_HOOK_BEAT_SLOTS);
    um_hook.hook_calls = um_hook.timed_calls = um_hook.timed_ticks = 0;
    atomic_store(&um_hook.paints, 0);
    um_hook.painting = 0;
    um_hook.markers_out = um_hook.chars_left = um_hook.paints_left = um_hook.asked_tag = 0;
    um_hook.input_window = NULL;
    um_hook.ui_thread =
        OpenThread(SYNCHRONIZE | THREAD_QUERY_LIMITED_INFORMATION, FALSE, um_hook.ui_tid);
    um_hook.sink = um_observe_make_sink(um_hook.module);
    um_hook.worker = pin_module() ? CreateThread(NULL, 0, um_worker_run, NULL, 0, NULL) : NULL;
    if (um_hook.worker) {
        CloseHandle(um_hook.worker);
        return;
    }
    um_observe_close_sink(um_hook.sink);
    um_hook_close(&um_hook.ui_thread);
    atomic_store(&um_hook.phase, UM_HOOK_INERT);
}

/* Stores half of a nonce, unless an attachment is using the stored nonce. */
static void keep_nonce(uint8_t *half, const MSG *msg)
{
    if (atomic_load(&um_hook.phase) != UM_HOOK_INERT)
        return;
    for (int i = 0; i < 4; i++) {
        half[i] = (uint8_t)(msg->wParam >> 8 * i);
        half[4 + i] = (uint8_t)((uint32_t)msg->lParam >> 8 * i);
    }
}

/* The WH_GETMESSAGE hook by which the monitor injects the DLL. It takes the messages of
 * ipc/bootstrap.h, which the monitor posts, and hides them from the target. Afterwards it does the
 * work of the DLL's own message hook, until the monitor removes it. */
LRESULT CALLBACK um_hook_bootstrap(int code, WPARAM removed, LPARAM message)
{
    MSG *msg = (MSG *)message;

    if (code == HC_ACTION)
        um_observe_early(removed, message);
    if (code == HC_ACTION && (removed & PM_REMOVE) && msg->message >= REGISTERED_FIRST) {
        DWORD error = GetLastError();
        if (!um_hook.pid_message) {
            um_hook.low_message = RegisterWindowMessageW(WIDE(UM_BOOTSTRAP_LOW_MESSAGE));
            um_hook.high_message = RegisterWindowMessageW(WIDE(UM_BOOTSTRAP_HIGH_MESSAGE));
            um_hook.pid_message = RegisterWindowMessageW(WIDE(UM_BOOTSTRAP_PID_MESSAGE));
        }
        if (msg->message == um_hook.low_message) {
            keep_nonce(um_hook.nonce, msg);
            msg->message = WM_NULL;
        } else if (msg->message == um_hook.high_message) {
            keep_nonce(um_hook.nonce + 8, msg);
            msg->message = WM_NULL;
        } else if (msg->message == um_hook.pid_message) {
            start((DWORD)msg->wParam);
            msg->message = WM_NULL;
        }
        SetLastError(error);
    }
    return CallNextHookEx(NULL, code, removed, message);
}

int um_hook_read(void *context, uint64_t address, void *to, uint32_t bytes)
{
    SIZE_T done = 0;
    (void)context;
    return ReadProcessMemory(GetCurrentProcess(), (const void *)(uintptr_t)address, to, bytes,
                             &done) &&
           done == bytes;
}
