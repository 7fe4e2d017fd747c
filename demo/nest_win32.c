#include "demo/nest_win32.h"

#include "demo/play.h"
#include "demo/spin_win32.h"
#include "base/plain/clock.h"

static uint64_t handled; /* messages; of the one UI thread that nests at a time */

static LRESULT CALLBACK nest_proc(HWND hwnd, UINT message, WPARAM wparam, LPARAM lparam)
{
    if (message != UM_DEMO_NEST_LEVEL)
        return DefWindowProcW(hwnd, message, wparam, lparam);
    handled++;
    um_demo_spin_ns(wparam * UM_CLOCK_NS_PER_MS);
    if (lparam > 1)
        SendMessageW(hwnd, message, wparam, lparam - 1);
    return 0;
}

void um_demo_nest_run(HWND parent, uint32_t packed, struct um_demo_log_event *event)
{
    WNDCLASSW nest_class = {.lpfnWndProc = nest_proc,
                            .hInstance = GetModuleHandleW(NULL),
                            .lpszClassName = UM_DEMO_NEST_CLASS};
    uint32_t levels = um_demo_play_count(packed);
    uint32_t ms = um_demo_play_ms(packed);

    RegisterClassW(&nest_class); /* fails harmlessly the second time */
    HWND hwnd = CreateWindowExW(0, UM_DEMO_NEST_CLASS, NULL, WS_CHILD, 0, 0, 1, 1, parent, NULL,
                                nest_class.hInstance, NULL);
    handled = 0;
    uint64_t begin_ns = um_clock_now_ns();
    SendMessageW(hwnd, UM_DEMO_NEST_LEVEL, ms,
                 levels < UM_DEMO_NEST_MOST ? (LPARAM)levels : UM_DEMO_NEST_MOST);
    *event = (struct um_demo_log_event){.kind = UM_DEMO_LOG_NEST,
                                        .begin_ns = begin_ns,
                                        .end_ns = um_clock_now_ns(),
                                        .requested_ms = ms,
                                        .count = handled,
                                        .tid = GetCurrentThreadId()};
    DestroyWindow(hwnd);
}
