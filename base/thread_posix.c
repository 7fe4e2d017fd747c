#include "base/thread.h"

#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/plain/clock.h"

/* Zeroes are PTHREAD_MUTEX_INITIALIZER and PTHREAD_COND_INITIALIZER in glibc and in musl. */
_Static_assert(sizeof(pthread_mutex_t) <= sizeof(struct um_thread_mutex), "a mutex does not fit");
_Static_assert(sizeof(pthread_cond_t) <= sizeof(struct um_thread_cond), "a condition does not fit");
_Static_assert(sizeof(pthread_t) <= sizeof(uintptr_t), "um_thread.handle is too small");

static pthread_mutex_t *native_mutex(struct um_thread_mutex *mutex)
{
    return (pthread_mutex_t *)(void *)mutex->words;
}

static pthread_cond_t *native_cond(struct um_thread_cond *cond)
{
    return (pthread_cond_t *)(void *)cond->words;
}

static void *run_thread(void *arg)
{
    struct um_thread *thread = arg;
    thread->run(thread->context);
    return NULL;
}

enum um_status um_thread_start(void (*run)(void *context), void *context, struct um_thread *thread)
{
    pthread_t native;
    thread->run = run;
    thread->context = context;
    thread->started = pthread_create(&native, NULL, run_thread, thread) == 0;
    if (!thread->started)
        return UM_ERR_MEMORY;
    thread->handle = (uintptr_t)native;
    return UM_OK;
}

void um_thread_join(struct um_thread *thread)
{
    if (thread->started)
        pthread_join((pthread_t)thread->handle, NULL);
    thread->started = 0;
}

void um_thread_set_high_priority(void)
{
    /* On Linux each thread has its own nice value. Few users have the right to lower it. */
    setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), -10);
}

void um_thread_lock(struct um_thread_mutex *mutex)
{
    pthread_mutex_lock(native_mutex(mutex));
}

void um_thread_unlock(struct um_thread_mutex *mutex)
{
    pthread_mutex_unlock(native_mutex(mutex));
}

enum um_status um_thread_wait(struct um_thread_cond *cond, struct um_thread_mutex *mutex,
                              uint64_t timeout_ns)
{
    uint64_t now_ns = um_clock_now_ns();
    if (timeout_ns >= (uint64_t)INT64_MAX - now_ns) {
        pthread_cond_wait(native_cond(cond), native_mutex(mutex));
        return UM_OK;
    }
    uint64_t end_ns = now_ns + timeout_ns;
    struct timespec end = {.tv_sec = (time_t)(end_ns / UM_CLOCK_NS_PER_S),
                           .tv_nsec = (long)(end_ns % UM_CLOCK_NS_PER_S)};
    int error =
        pthread_cond_clockwait(native_cond(cond), native_mutex(mutex), CLOCK_MONOTONIC, &end);
    return error == 0 ? UM_OK : UM_ERR_TIMEOUT;
}

void um_thread_broadcast(struct um_thread_cond *cond)
{
    pthread_cond_broadcast(native_cond(cond));
}
