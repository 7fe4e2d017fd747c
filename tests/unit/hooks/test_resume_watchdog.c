/* When the DLL lets a thread go on that the monitor claims, and who of the two resumes it. */
#include <criterion/criterion.h>

#include "hooks/resume_watchdog.h"

#define MS UINT64_C(1000000)
#define POLL (5 * MS)
#define LIMIT (500 * MS) /* no thread stands for longer */

TestSuite(resume_watchdog);

/* The polls at a claim that does not change, until its thread is to be resumed: their number and
 * the time of that; 0: it is not to be, within two seconds. */
static unsigned polls;

static uint64_t resumed_after(uint64_t poll_ns, uint64_t runs_from_ns, uint64_t runs_until_ns)
{
    struct um_resume_watchdog watchdog = {0};
    polls = 0;
    for (uint64_t now_ns = MS; now_ns < 2000 * MS; now_ns += poll_ns) {
        if (!um_resume_watchdog_is_due(&watchdog, 7, now_ns))
            continue;
        polls++;
        if (um_resume_watchdog_saw(&watchdog, now_ns < runs_from_ns || now_ns >= runs_until_ns,
                                   now_ns))
            return now_ns;
    }
    return 0;
}

Test(resume_watchdog, a_claim_of_a_moment_is_never_looked_at)
{
    struct um_resume_watchdog watchdog = {0};
    uint64_t word = 0;
    for (uint64_t now_ns = MS; now_ns < 5000 * MS; now_ns += POLL) {
        word = now_ns % (140 * MS) < POLL ? word + 1 : word;
        cr_assert_not(um_resume_watchdog_is_due(&watchdog, word, now_ns));
    }
}

Test(resume_watchdog, no_claim_is_nothing_to_look_at)
{
    struct um_resume_watchdog watchdog = {0};
    for (uint64_t now_ns = MS; now_ns < 2000 * MS; now_ns += POLL)
        cr_assert_not(um_resume_watchdog_is_due(&watchdog, 0, now_ns));
}

Test(resume_watchdog, a_thread_that_stands_at_each_look_goes_on_within_half_a_second)
{
    uint64_t at_ns = resumed_after(POLL, UINT64_MAX, UINT64_MAX);
    cr_expect_geq(at_ns - MS, UM_SUSPEND_CLAIM_MOST_NS);
    cr_expect_leq(at_ns, 370 * MS);
    cr_expect_eq(polls, UM_RESUME_WATCHDOG_POLLS);
    cr_expect_leq(resumed_after(25 * MS, UINT64_MAX, UINT64_MAX), LIMIT - 25 * MS);
}

Test(resume_watchdog, a_thread_that_once_ran_is_left_alone)
{
    for (uint64_t ran_ns = 150 * MS; ran_ns < 350 * MS; ran_ns += 10 * MS)
        cr_expect_eq(resumed_after(POLL, ran_ns, ran_ns + 60 * MS), 0, "ran at %llu ms",
                     (unsigned long long)(ran_ns / MS));
}

/* As after a debugger has had the whole program for a while. */
Test(resume_watchdog, a_worker_that_comes_late_still_looks_several_times)
{
    struct um_resume_watchdog watchdog = {0};
    um_resume_watchdog_is_due(&watchdog, 7, MS);
    uint64_t now_ns = 10000 * MS;
    for (unsigned i = 1; i < UM_RESUME_WATCHDOG_POLLS; i++, now_ns += UM_RESUME_WATCHDOG_EACH_NS) {
        cr_assert(um_resume_watchdog_is_due(&watchdog, 7, now_ns));
        cr_assert_not(um_resume_watchdog_saw(&watchdog, 1, now_ns));
        cr_assert_not(
            um_resume_watchdog_is_due(&watchdog, 7, now_ns + UM_RESUME_WATCHDOG_EACH_NS - 1));
    }
    cr_assert(um_resume_watchdog_is_due(&watchdog, 7, now_ns) &&
              um_resume_watchdog_saw(&watchdog, 1, now_ns));
}

Test(resume_watchdog, another_claim_begins_anew)
{
    struct um_resume_watchdog watchdog = {0};
    um_resume_watchdog_is_due(&watchdog, 7, MS);
    cr_assert(um_resume_watchdog_is_due(&watchdog, 7, 200 * MS));
    um_resume_watchdog_saw(&watchdog, 0, 200 * MS);
    cr_assert_not(um_resume_watchdog_is_due(&watchdog, 7, 400 * MS));
    cr_assert_not(um_resume_watchdog_is_due(&watchdog, 8, 400 * MS));
    cr_assert(um_resume_watchdog_is_due(&watchdog, 8, 550 * MS));
}

/* The monitor is held up between the suspension and its second claim. */
Test(resume_watchdog, one_that_was_taken_over_is_not_claimed_back)
{
    struct um_suspend_claim claim = {0};
    uint64_t word = um_suspend_claim_make(&claim, 1, 42);
    cr_expect(um_suspend_claim_again(&claim, &word, 2), "it still stood");
    cr_expect_eq(um_suspend_claim_look(&claim), word);
    cr_expect(um_suspend_claim_end(&claim, word));
    word = um_suspend_claim_make(&claim, 3, 42);
    cr_expect(um_suspend_claim_end(&claim, word), "the DLL takes it over");
    cr_expect_not(um_suspend_claim_again(&claim, &word, 4), "so the monitor does not resume");
    cr_expect_eq(um_suspend_claim_look(&claim), word, "and the DLL polls once more");
    cr_expect_eq(um_suspend_claim_thread(word), 42);
}

Test(resume_watchdog, only_one_of_the_two_resumes_a_thread)
{
    struct um_suspend_claim claim = {0};
    uint64_t first = um_suspend_claim_make(&claim, 1, 42);
    cr_expect_eq(um_suspend_claim_thread(um_suspend_claim_look(&claim)), 42);
    cr_expect(um_suspend_claim_end(&claim, first), "the DLL takes it over");
    cr_expect_neq(um_suspend_claim_look(&claim), first, "so the monitor does not resume");
    cr_expect_not(um_suspend_claim_end(&claim, first));
    uint64_t second = um_suspend_claim_make(&claim, 2, 42);
    cr_expect_neq(first, second);
    cr_expect_not(um_suspend_claim_end(&claim, first), "an old claim is no claim");
    cr_expect_eq(um_suspend_claim_look(&claim), second);
    cr_expect(um_suspend_claim_end(&claim, second));
    cr_expect_eq(um_suspend_claim_look(&claim), 0);
}
