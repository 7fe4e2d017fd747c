/* Power throttling of threads, off. On a battery Windows lets threads of programs in the background
 * run slowly, on a slow core; one that stamps times, or has another thread suspended, must not. For
 * the hook DLL too: needs kernel32 alone and no C library. */
#ifndef UM_BASE_THROTTLE_WIN32_H
#define UM_BASE_THROTTLE_WIN32_H

#include <windows.h>

/* The thread is not throttled from now on. Does nothing before Windows 10 1709, and under Wine.
 * Thread: any; the handle needs THREAD_SET_INFORMATION. */
void um_throttle_off(HANDLE thread);

#endif
