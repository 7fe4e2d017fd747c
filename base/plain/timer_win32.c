#include "base/plain/timer_win32.h"

/* CREATE_WAITABLE_TIMER_HIGH_RESOLUTION, which not every SDK's headers have. */
#define HIGH_RESOLUTION 0x00000002

HANDLE um_timer_open(void)
{
    HANDLE timer = CreateWaitableTimerExW(NULL, NULL, HIGH_RESOLUTION, TIMER_ALL_ACCESS);
    /* Before Windows 10 1803 there are only ordinary timers. */
    return timer ? timer : CreateWaitableTimerExW(NULL, NULL, 0, TIMER_ALL_ACCESS);
}

bool um_timer_set(HANDLE timer, uint64_t ns)
{
    LARGE_INTEGER due = {.QuadPart = -(LONGLONG)(ns / 100) - 1}; /* relative, in 100 ns */

    return SetWaitableTimer(timer, &due, 0, NULL, NULL, FALSE) != 0;
}

void um_timer_wait(HANDLE timer, uint64_t ns, HANDLE wake)
{
    HANDLE handles[2] = {timer, wake};

    if (um_timer_set(timer, ns))
        WaitForMultipleObjects(wake ? 2 : 1, handles, FALSE, INFINITE);
    else
        Sleep((DWORD)(ns / 1000000));
}
