/* Freezes of which there are samples with names. Header-only, for end-to-end tests.
 *
 * Samples may cost 2.5 % of the time, and on a busy machine a single one can cost so much that the
 * next one is allowed only seconds later. Names are asked for when a freeze is over, so a freeze
 * cannot last until it has its names: there is another one. */
#ifndef UM_TESTS_E2E_SAMPLED_H
#define UM_TESTS_E2E_SAMPLED_H

#include <stdlib.h>

#include <criterion/criterion.h>

#include "tests/e2e/harness.h"

#define SAMPLED_NAMES_MS 10000 /* after a freeze; in most cases it is far less */

/* Freezes the target as the list says until the recording has the name of a function that is
 * sampled then. Returns how many freezes the target's log has so far. */
static inline size_t sampled_freezes(const struct target *target, const char *list,
                                     const char *recording, const char *function)
{
    struct um_demo_log_event *freezes;
    char path[PATH_BYTES];
    uint64_t until = unix_now_ms() + LIMIT_MS;
    size_t count = log_events(target->log, UM_DEMO_LOG_FREEZE, &freezes);

    free(freezes);
    snprintf(path, sizeof path, "%s", recording);
    do {
        cr_assert_lt(unix_now_ms(), until, "no %s in %s", function, path);
        trigger(target, list);
        free(wait_freezes(target, ++count));
        uint64_t named_until = unix_now_ms() + SAMPLED_NAMES_MS;
        while (!file_has(path, function) && unix_now_ms() < named_until)
            sleep_ms(50);
    } while (!file_has(path, function));
    return count;
}

#endif
