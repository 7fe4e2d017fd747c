/* Keeps the processor busy. Header-only, so that stacks name the function that does so. */
#ifndef UM_DEMO_SPIN_WIN32_H
#define UM_DEMO_SPIN_WIN32_H

#include <stdint.h>
#include <windows.h>

#include "base/plain/clock.h"

/* Looks at the clock only every few µs. Under Wine that is a call of its Unix side, where no stack
 * can be read; a thread that does nothing else would mostly be there. */
static inline void um_demo_spin_ns(uint64_t ns)
{
    uint64_t begin_ns = um_clock_now_ns();
    while (um_clock_now_ns() - begin_ns < ns)
        for (int i = 0; i < 100; i++)
            YieldProcessor();
}

#endif
