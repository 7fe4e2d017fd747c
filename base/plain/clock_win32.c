#include "base/plain/clock.h"

#include <windows.h>

#include "base/plain/filetime_win32.h"
#include "base/plain/timer_win32.h"

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

static INIT_ONCE timers_once = INIT_ONCE_STATIC_INIT;
static DWORD timers = FLS_OUT_OF_INDEXES; /* each thread's own */

static void WINAPI close_timer(void *timer)
{
    CloseHandle(timer);
}

static BOOL CALLBACK make_timers(INIT_ONCE *once, void *parameter, void **context)
{
    (void)once;
    (void)parameter;
    (void)context;
    timers = FlsAlloc(close_timer);
    return timers != FLS_OUT_OF_INDEXES;
}

/* The thread's own timer, which is made once: under Wine, to make and to close one for each sleep
 * would be two requests more to its server. Owner: the system closes it with the thread.
 * NULL: there is none. */
static HANDLE own_timer(void)
{
    if (!InitOnceExecuteOnce(&timers_once, make_timers, NULL, NULL))
        return NULL;
    HANDLE timer = FlsGetValue(timers);
    if (timer)
        return timer;
    timer = um_timer_open();
    if (timer && !FlsSetValue(timers, timer)) {
        CloseHandle(timer);
        return NULL;
    }
    return timer;
}

void um_clock_sleep_ns(uint64_t ns)
{
    HANDLE timer = own_timer();
    if (timer)
        um_timer_wait(timer, ns, NULL);
    else
        Sleep((DWORD)(ns / UM_CLOCK_NS_PER_MS));
}
