/* Decides when the worker polls a thread that the monitor claims (ipc/suspend_claim.h), and when
 * it resumes that thread. A pure function of the claim and of what the polls have found.
 *
 * The monitor suspends a thread only for a moment, so a claim is nearly always gone before its
 * first poll. As after the monitor's death (resume_watchdog_win32.c), a thread is resumed only if
 * every poll found it suspended, because other programs suspend threads for moments, too.
 *
 * Portable and freestanding. Units: ns.
 */
#ifndef UM_HOOKS_RESUME_WATCHDOG_H
#define UM_HOOKS_RESUME_WATCHDOG_H

#include <stdint.h>

#include "ipc/suspend_claim.h"
#include "base/plain/suspended_polls.h"

#define UM_RESUME_WATCHDOG_FIRST_NS UINT64_C(150000000) /* of a claim's age, at the first poll */
#define UM_RESUME_WATCHDOG_EACH_NS                                                                 \
    (UM_SUSPENDED_POLL_MS * UINT64_C(1000000)) /* between two, at least */
#define UM_RESUME_WATCHDOG_POLLS                                                                   \
    (UM_SUSPENDED_POLLS - 1) /* at least; the claim itself is one more */

/* What is known of a claim. Zeroed: there is none. */
struct um_resume_watchdog {
    uint64_t word;      /* of the claim; 0: none */
    uint64_t since_ns;  /* when it was seen first */
    uint64_t polled_ns; /* the last poll */
    uint32_t polls;     /* how many there were */
    int over;           /* one found the thread running: the monitor is done with it */
};

/* Takes the present claim. Returns whether it is time to poll its thread. */
static inline int um_resume_watchdog_is_due(struct um_resume_watchdog *watchdog, uint64_t word,
                                            uint64_t now_ns)
{
    if (word != watchdog->word)
        *watchdog = (struct um_resume_watchdog){.word = word, .since_ns = now_ns};
    if (word == 0 || watchdog->over || now_ns - watchdog->since_ns < UM_RESUME_WATCHDOG_FIRST_NS)
        return 0;
    return watchdog->polls == 0 || now_ns - watchdog->polled_ns >= UM_RESUME_WATCHDOG_EACH_NS;
}

/* Takes the result of a poll: whether the thread is suspended. Returns whether to resume it. */
static inline int um_resume_watchdog_saw(struct um_resume_watchdog *watchdog, int suspended,
                                         uint64_t now_ns)
{
    watchdog->polled_ns = now_ns;
    watchdog->polls++;
    watchdog->over = !suspended;
    return suspended && watchdog->polls >= UM_RESUME_WATCHDOG_POLLS &&
           now_ns - watchdog->since_ns >= UM_SUSPEND_CLAIM_MOST_NS;
}

#endif
