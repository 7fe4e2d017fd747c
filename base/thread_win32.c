#include "base/thread.h"

#include <process.h>
#include <windows.h>

#include "base/plain/clock.h"
#include "base/plain/throttle_win32.h"

_Static_assert(sizeof(SRWLOCK) <= sizeof(struct um_thread_mutex), "a mutex does not fit");
_Static_assert(sizeof(CONDITION_VARIABLE) <= sizeof(struct um_thread_cond),
               "a condition does not fit");

static SRWLOCK *native_mutex(struct um_thread_mutex *mutex)
{
    return (SRWLOCK *)(void *)mutex->words;
}

static CONDITION_VARIABLE *native_cond(struct um_thread_cond *cond)
{
    return (CONDITION_VARIABLE *)(void *)cond->words;
}

static unsigned __stdcall run_thread(void *arg)
{
    struct um_thread *thread = arg;
    thread->run(thread->context);
    return 0;
}

enum um_status um_thread_start(void (*run)(void *context), void *context, struct um_thread *thread)
{
    thread->run = run;
    thread->context = context;
    /* Not CreateThread, because the C library has to set up its data of a thread. */
    thread->handle = _beginthreadex(NULL, 0, run_thread, thread, 0, NULL);
    thread->started = thread->handle != 0;
    return thread->started ? UM_OK : UM_ERR_MEMORY;
}

void um_thread_join(struct um_thread *thread)
{
    if (thread->started) {
        WaitForSingleObject((HANDLE)thread->handle, INFINITE);
        CloseHandle((HANDLE)thread->handle);
    }
    thread->started = 0;
}

void um_thread_set_high_priority(void)
{
    SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_HIGHEST);
    um_throttle_off(GetCurrentThread());
}

void um_thread_lock(struct um_thread_mutex *mutex)
{
    AcquireSRWLockExclusive(native_mutex(mutex));
}

void um_thread_unlock(struct um_thread_mutex *mutex)
{
    ReleaseSRWLockExclusive(native_mutex(mutex));
}

enum um_status um_thread_wait(struct um_thread_cond *cond, struct um_thread_mutex *mutex,
                              uint64_t timeout_ns)
{
    DWORD timeout_ms = INFINITE;
    uint64_t whole_ms = timeout_ns / UM_CLOCK_NS_PER_MS;
    if (whole_ms < INFINITE - 1)
        timeout_ms = (DWORD)(whole_ms + (timeout_ns % UM_CLOCK_NS_PER_MS != 0));
    if (SleepConditionVariableSRW(native_cond(cond), native_mutex(mutex), timeout_ms, 0))
        return UM_OK;
    return UM_ERR_TIMEOUT;
}

void um_thread_broadcast(struct um_thread_cond *cond)
{
    WakeAllConditionVariable(native_cond(cond));
}
