#include "base/plain/throttle_win32.h"

/* ThreadPowerThrottling and THREAD_POWER_THROTTLING_STATE, which not all SDKs' headers have.
 * Source: SetThreadInformation, Windows API reference. */
#define POWER_THROTTLING 3
#define STATE_VERSION 1
#define EXECUTION_SPEED 1

struct state {
    ULONG version;
    ULONG control_mask;
    ULONG state_mask;
};

typedef BOOL(WINAPI *set_information_fn)(HANDLE, int, void *, DWORD);

void um_throttle_off(HANDLE thread)
{
    struct state off = {.version = STATE_VERSION, .control_mask = EXECUTION_SPEED};
    HMODULE kernel = GetModuleHandleW(L"kernel32.dll");
    set_information_fn set = NULL;
    if (kernel)
        set = (set_information_fn)(uintptr_t)GetProcAddress(kernel, "SetThreadInformation");
    if (set)
        set(thread, POWER_THROTTLING, &off, sizeof off);
}
