/* Windows' FILETIME as a number: two halves of a count of 100 ns. Header only and freestanding, for
 * the hook DLL too. */
#ifndef UM_BASE_FILETIME_WIN32_H
#define UM_BASE_FILETIME_WIN32_H

#include <stdint.h>
#include <windows.h>

/* Units: 100 ns. */
static inline uint64_t um_filetime_ticks(FILETIME time)
{
    return (uint64_t)time.dwHighDateTime << 32 | time.dwLowDateTime;
}

/* CPU time from the kernel and user times of GetThreadTimes or GetProcessTimes. Units: ns. */
static inline uint64_t um_filetime_cpu_ns(FILETIME kernel, FILETIME user)
{
    return 100 * (um_filetime_ticks(kernel) + um_filetime_ticks(user));
}

#endif
