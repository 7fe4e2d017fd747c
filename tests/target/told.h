/* Work of a test program that lasts until the test tells it to end, by `probe_win32 go PID`. So a
 * test can wait for what it wants to see meanwhile. Windows alone.
 */
#ifndef UM_TESTS_TOLD_H
#define UM_TESTS_TOLD_H

#include <stdbool.h>
#include <stdint.h>

#include <windows.h>

#include "base/plain/compiler_win32.h"

#define TOLD_LASTS_MS 50000 /* a length of so much or more stands for "until told" */

/* Whether the test has told since told_begin. */
extern volatile LONG told;

static inline bool told_lasts(uint32_t ms)
{
    return ms >= TOLD_LASTS_MS;
}

/* Such work begins: forgets what was told before, and hears from now on. Thread: any, but one at a
 * time. */
void told_begin(void);

/* Sleeps until told. Inline: for stacks, the function that calls this sleeps itself. */
static UM_ALWAYS_INLINE void told_wait(void)
{
    while (!told)
        Sleep(10);
}

/* Tells a process. */
bool told_tell(DWORD pid);

#endif
