/* A timer that can wait for less than the system's tick of 15.6 ms. The hook DLL's threads,
 * um_clock_sleep_ns and the overlay use it. Needs kernel32 alone and no C library. */
#ifndef UM_BASE_TIMER_WIN32_H
#define UM_BASE_TIMER_WIN32_H

#include <stdbool.h>
#include <stdint.h>
#include <windows.h>

/* Makes a high-resolution waitable timer; before Windows 10 1803, an ordinary one. Wine accepts the
 * flag and rounds to about 1 ms. NULL if the system refuses. Owner: CloseHandle. */
HANDLE um_timer_open(void);

/* Sets the timer to be signalled once, in `ns`, instead of at an earlier setting's time. A wait for
 * it resets it. False if the system refuses. */
bool um_timer_set(HANDLE timer, uint64_t ns);

/* Waits `ns`, or until `wake` (may be NULL) is signalled. Thread: one at a time for each timer;
 * blocks. */
void um_timer_wait(HANDLE timer, uint64_t ns, HANDLE wake);

#endif
