#include "ipc/clock.h"

#include <windows.h>

#include "ipc/filetime_win32.h"
#include "ipc/timer_win32.h"

uint64_t um_clock_now_ns(void)
{
    /* The frequency is fixed at boot; reading it costs no system call on Windows or Wine. */
    LARGE_INTEGER frequency;
    LARGE_INTEGER now;
    QueryPerformanceFrequency(&frequency);
    QueryPerformanceCounter(&now);
    return um_clock_ticks_to_ns((uint64_t)now.QuadPart, (uint64_t)frequency.QuadPart);
}

int64_t um_clock_utc_ms(void)
{
    const int64_t epoch_1601_to_1970_ms = INT64_C(11644473600000);
    FILETIME file_time;
    GetSystemTimeAsFileTime(&file_time);
    uint64_t ticks_100ns = um_filetime_ticks(file_time);
    return (int64_t)(ticks_100ns / 10000) - epoch_1601_to_1970_ms;
}

void um_clock_sleep_ns(uint64_t ns)
{
    HANDLE timer = um_timer_open();
    if (timer) {
        um_timer_wait(timer, ns, NULL);
        CloseHandle(timer);
    } else {
        Sleep((DWORD)(ns / UM_CLOCK_NS_PER_MS));
    }
}
