/* A timer that waits for less than the system's 15.6 ms tick: what the hook DLL's threads and
 * um_clock_sleep_ns share. Needs kernel32 alone and no C library. */
#ifndef UM_IPC_TIMER_WIN32_H
#define UM_IPC_TIMER_WIN32_H

#include <stdint.h>
#include <windows.h>

/* A high-resolution waitable timer (Windows 10 1803 and later, an ordinary one before; Wine accepts
 * the flag and rounds to about 1 ms); NULL if the system refuses. Owner: CloseHandle. */
HANDLE um_timer_open(void);

/* Waits `ns`, or until `wake` (may be NULL) is signalled. Thread: one a timer; blocks. */
void um_timer_wait(HANDLE timer, uint64_t ns, HANDLE wake);

#endif
