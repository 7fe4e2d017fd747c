/* A DLL that target_works_win32 loads late: code that uimon has not seen when it began. */
#include <stdint.h>

#include "base/plain/clock.h"
#include "base/plain/compiler_win32.h"

__declspec(dllexport) void late_work(uint32_t ms);

static volatile uint64_t result;

static UM_NOINLINE void work_late(uint64_t until_ns)
{
    while (um_clock_now_ns() < until_ns)
        result++;
}

void late_work(uint32_t ms)
{
    work_late(um_clock_now_ns() + ms * UM_CLOCK_NS_PER_MS);
    result++;
}
