#include "base/thread.h"

#include <criterion/criterion.h>

#include "base/plain/clock.h"

TestSuite(thread, .threads = true);

struct counter {
    struct um_thread_mutex mutex;
    struct um_thread_cond changed;
    int value;
};

static void count_up(void *context)
{
    struct counter *counter = context;
    for (int i = 0; i < 10000; i++) {
        um_thread_lock(&counter->mutex);
        counter->value++;
        um_thread_unlock(&counter->mutex);
    }
    um_thread_broadcast(&counter->changed);
}

Test(thread, mutex_keeps_threads_apart)
{
    static struct counter counter;
    struct um_thread threads[3] = {{0}};
    for (int i = 0; i < 3; i++)
        cr_assert_eq(um_thread_start(count_up, &counter, &threads[i]), UM_OK);
    for (int i = 0; i < 3; i++)
        um_thread_join(&threads[i]);
    cr_assert_eq(counter.value, 30000);
}

Test(thread, join_of_a_zeroed_struct_does_nothing)
{
    struct um_thread thread = {0};
    um_thread_join(&thread);
    um_thread_join(&thread);
}

Test(thread, cond_wakes_whoever_waits)
{
    static struct counter counter;
    struct um_thread thread = {0};
    cr_assert_eq(um_thread_start(count_up, &counter, &thread), UM_OK);
    um_thread_lock(&counter.mutex);
    while (counter.value < 10000)
        cr_assert_eq(um_thread_wait(&counter.changed, &counter.mutex, UM_THREAD_FOREVER_NS), UM_OK);
    um_thread_unlock(&counter.mutex);
    um_thread_join(&thread);
}

Test(thread, cond_gives_up_after_its_timeout)
{
    struct counter counter = {.value = 0};
    enum um_status status = UM_OK;
    uint64_t start_ns = um_clock_now_ns();
    um_thread_lock(&counter.mutex);
    while (status == UM_OK)
        status = um_thread_wait(&counter.changed, &counter.mutex, 5 * UM_CLOCK_NS_PER_MS);
    um_thread_unlock(&counter.mutex);
    cr_assert_eq(status, UM_ERR_TIMEOUT);
    cr_assert_geq(um_clock_now_ns() - start_ns, 5 * UM_CLOCK_NS_PER_MS);
}
