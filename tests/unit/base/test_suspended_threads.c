/* Which threads are resumed in the place of a program that has suspended them and is gone. */
#include <criterion/criterion.h>

#include "base/plain/suspended_polls.h"
#include "base/suspended_threads.h"

#define THREADS 8
#define ALWAYS 1000

/* How often each thread is suspended, from the open on and after so many pauses less often. */
static struct {
    uint32_t count[THREADS];
    uint32_t runs_after[THREADS];
    uint32_t resumed[THREADS];
    uint32_t pauses, paused_ms, closed;
} scene;

static size_t list(void *context, struct um_suspended_thread *out, size_t cap)
{
    size_t count = 0;
    (void)context;
    for (uint32_t i = 0; i < THREADS && count < cap; i++) {
        uint32_t now = scene.count[i] - (scene.runs_after[i] <= scene.pauses);
        if (scene.count[i] > 0 && now > 0)
            out[count++] = (struct um_suspended_thread){100 + i, now};
    }
    return count;
}

static void resume(void *context, uint32_t tid)
{
    (void)context;
    scene.resumed[tid - 100]++;
}

static void wait(void *context, uint32_t ms)
{
    (void)context;
    scene.pauses++;
    scene.paused_ms += ms;
}

static void end(void *context)
{
    (void)context;
    scene.closed++;
}

static struct um_suspended_threads *suspended;

static void open_suspended(void)
{
    static const struct um_suspended_source source = {NULL, list, resume, wait, end};
    for (size_t i = 0; i < THREADS; i++)
        if (!scene.runs_after[i])
            scene.runs_after[i] = ALWAYS;
    cr_assert_eq(um_suspended_threads_open(&source, &suspended), UM_OK);
}

static void close_suspended(void)
{
    um_suspended_threads_close(suspended);
    suspended = NULL;
}

TestSuite(suspended_threads, .fini = close_suspended);

Test(suspended_threads, all_that_were_stopped_go_on)
{
    open_suspended();
    cr_expect_not(um_suspended_threads_any(suspended));
    for (size_t i = 0; i < THREADS; i++)
        scene.count[i] = 1;
    cr_expect(um_suspended_threads_any(suspended));
    scene.paused_ms = 0;
    cr_expect_eq(um_suspended_threads_resume(suspended), THREADS);
    for (size_t i = 0; i < THREADS; i++)
        cr_expect_eq(scene.resumed[i], 1);
    cr_expect_eq(scene.paused_ms, (UM_SUSPENDED_POLLS - 1) * UM_SUSPENDED_POLL_MS);
    close_suspended();
    cr_expect_eq(scene.closed, 1);
}

Test(suspended_threads, what_was_suspended_before_is_left_alone)
{
    scene.count[2] = 1;
    scene.count[3] = 2;
    open_suspended();
    scene.pauses = 0;
    cr_expect_not(um_suspended_threads_any(suspended));
    cr_expect_eq(um_suspended_threads_resume(suspended), 0);
    cr_expect_eq(scene.pauses, 0);
    scene.count[3] = 3;
    cr_expect(um_suspended_threads_any(suspended));
    cr_expect_eq(um_suspended_threads_resume(suspended), 1);
    cr_expect_eq(scene.resumed[2], 0);
    cr_expect_eq(scene.resumed[3], 1, "once: the rest is others'");
}

Test(suspended_threads, what_is_suspended_for_a_moment_is_left_alone)
{
    open_suspended();
    for (uint32_t i = 0; i < THREADS; i++) {
        scene.count[i] = 1;
        scene.runs_after[i] = i < UM_SUSPENDED_POLLS - 1 ? i + 1 : ALWAYS;
    }
    cr_expect_eq(um_suspended_threads_resume(suspended), THREADS - (UM_SUSPENDED_POLLS - 1));
    for (uint32_t i = 0; i < THREADS; i++)
        cr_expect_eq(scene.resumed[i], i >= UM_SUSPENDED_POLLS - 1, "thread %u", i);
}

/* A sample that is taken just then must not hide that the thread is stopped for good later. */
Test(suspended_threads, what_was_suspended_for_a_moment_at_the_begin_goes_on_later)
{
    scene.count[1] = scene.count[2] = 1;
    scene.runs_after[1] = 3;
    open_suspended();
    cr_expect_not(um_suspended_threads_any(suspended));
    scene.count[1] = 2; /* stopped again */
    cr_expect_eq(um_suspended_threads_resume(suspended), 1);
    cr_expect_eq(scene.resumed[1], 1);
    cr_expect_eq(scene.resumed[2], 0);
}
