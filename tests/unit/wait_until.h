/* Waiting for what another thread or process does. Header-only, for tests. */
#ifndef UM_TESTS_WAIT_UNTIL_H
#define UM_TESTS_WAIT_UNTIL_H

#include <criterion/criterion.h>

#include "base/plain/clock.h"

#define WAIT_UNTIL_HANG_NS (60 * UM_CLOCK_NS_PER_S) /* nothing takes so long: the test hangs */

/* Looks each millisecond whether a condition holds, which may do something itself; the rest says
 * what does not come. */
#define WAIT_UNTIL(condition, ...)                                                                 \
    for (uint64_t until_ns = um_clock_now_ns() + WAIT_UNTIL_HANG_NS; !(condition);                 \
         um_clock_sleep_ns(UM_CLOCK_NS_PER_MS))                                                    \
    cr_assert_lt(um_clock_now_ns(), until_ns, __VA_ARGS__)

#endif
