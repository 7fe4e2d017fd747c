#include "base/plain/clock.h"

#include <errno.h>
#include <time.h>

uint64_t um_clock_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UM_CLOCK_NS_PER_S + (uint64_t)now.tv_nsec;
}

int64_t um_clock_utc_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void um_clock_sleep_ns(uint64_t ns)
{
    struct timespec left = {.tv_sec = (time_t)(ns / UM_CLOCK_NS_PER_S),
                            .tv_nsec = (long)(ns % UM_CLOCK_NS_PER_S)};
    while (nanosleep(&left, &left) != 0 && errno == EINTR) {
    }
}
