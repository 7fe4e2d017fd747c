/* Which other threads are sampled: those of fake_stopper.h. */
#include <string.h>

#include <criterion/criterion.h>

#include "monitor/sample/threads.h"
#include "tests/unit/sample/fake_stopper.h"

#define OURS 0x5000 /* code of uimon's own */
#define UI 2

static struct um_threads threads;
static struct um_stopper *stopper;

static bool is_ours(void *context, uint64_t address)
{
    (void)context;
    return address == OURS;
}

static void setup(void)
{
    fake_stopper_start();
    fake_stopper.thread_count = 5;
    for (uint32_t i = 0; i < 5; i++)
        fake_stopper.threads[i] = (struct fake_stopper_thread){.tid = UI + 4 * i, .start = 0x1000};
    fake_stopper.threads[2].start = OURS;
    cr_assert_eq(um_stopper->open(1, UI, &stopper), UM_OK);
    um_threads_init(&threads, stopper, UI, is_ours, NULL);
}

static void teardown(void)
{
    um_threads_deinit(&threads);
    cr_expect_eq(fake_stopper_open_threads(), 0);
}

TestSuite(threads, .init = setup, .fini = teardown);

static void keep_all(void)
{
    uint32_t tids[UM_THREADS_MOST];
    um_threads_keep(&threads, tids, um_stopper->threads(stopper, tids, UM_THREADS_MOST));
}

static size_t tell_all(bool comes)
{
    uint32_t tid;
    bool one;
    size_t count = 0;
    while (um_threads_change(&threads, &tid, &one)) {
        cr_expect_eq(one, comes);
        count++;
    }
    return count;
}

Test(threads, neither_the_ui_thread_nor_uimons_own)
{
    keep_all();
    cr_expect_eq(threads.count, 3);
    cr_expect_eq(fake_stopper_open_threads(), 3);
    cr_expect_eq(tell_all(true), 3);
    for (size_t i = 0; i < 6; i++) {
        struct um_threads_entry *next = um_threads_next(&threads);
        cr_assert(next);
        cr_expect(next->tid != UI && next->tid != UI + 8);
    }
}

Test(threads, a_thread_of_which_it_is_not_known_where_it_began_is_left_out)
{
    fake_stopper.threads[1].start = 0;
    keep_all();
    cr_expect_eq(threads.count, 2);
}

Test(threads, no_turn_comes_before_the_dll_was_told)
{
    uint32_t tid;
    bool comes;
    um_threads_add(&threads, UI + 4);
    um_threads_add(&threads, UI + 4);
    cr_expect_eq(threads.count, 1);
    cr_expect_null(um_threads_next(&threads));
    cr_assert(um_threads_change(&threads, &tid, &comes));
    cr_expect_eq(tid, UI + 4);
    cr_expect(comes);
    cr_expect_null(um_threads_next(&threads), "the change was taken, and not told yet");
    cr_expect_not(um_threads_change(&threads, &tid, &comes));
    cr_expect_not_null(um_threads_next(&threads));
}

Test(threads, one_after_the_other)
{
    unsigned turns[32] = {0};
    keep_all();
    tell_all(true);
    for (size_t i = 0; i < 30; i++)
        turns[um_threads_next(&threads)->tid]++;
    cr_expect_eq(turns[UI + 4], 10);
    cr_expect_eq(turns[UI + 12], 10);
    cr_expect_eq(turns[UI + 16], 10);
}

Test(threads, those_that_are_gone_are_closed_and_told_of)
{
    keep_all();
    tell_all(true);
    fake_stopper.thread_count = 2;
    keep_all();
    cr_expect_eq(threads.count, 1);
    cr_expect_eq(fake_stopper_open_threads(), 1);
    cr_expect_eq(tell_all(false), 2);
    um_threads_drop(&threads, um_threads_next(&threads));
    cr_expect_eq(tell_all(false), 1);
    cr_expect_null(um_threads_next(&threads));
    um_threads_add(&threads, 999);
    cr_expect_eq(threads.count, 0, "there is no such thread");
}

Test(threads, changes_that_nobody_takes_keep_threads_out)
{
    for (size_t i = 0; i < UM_THREADS_CHANGES; i++) {
        um_threads_add(&threads, UI + 4);
        if (threads.count > 0)
            um_threads_drop(&threads, &threads.list[0]);
    }
    cr_expect_eq(threads.count, 0);
    cr_expect_eq(fake_stopper_open_threads(), 0);
    um_threads_add(&threads, UI + 4);
    cr_expect_eq(threads.count, 0, "the DLL would never know of it");
}
