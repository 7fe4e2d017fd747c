/* Measures how long a work item waits in the queue of the process's default thread pool.
 *
 * A thread of the DLL's own, outside the pool, submits an item each 250 ms. The item notes when it
 * runs, and the worker sends how long that took. Only one item is outstanding at a time. While it
 * waits, its age is sent.
 *
 * The worker does not submit the items itself. Submitting can wait for a lock of the pool or of the
 * heap. A monitor that was killed can have left the UI thread suspended while it holds that lock,
 * and then it is the worker that has to resume the UI thread (resume_watchdog_win32.c). For the
 * same reason no thread waits for the submitting one. It is asked to end, and ends after its
 * current wait, which may be in a later attachment, or never.
 *
 * An item cannot be taken back. The pool may run it after its attachment is over, or never. That is
 * safe for three reasons. The DLL is pinned and never unloaded (hook_win32.c), so the code that the
 * pool calls stays. What the item touches is static, and belongs to no attachment. There is only
 * one work object, which is never closed, so nothing has to wait for it. A later attachment that
 * finds the item outstanding goes on measuring with it.
 * When the target's process ends, the system ends the threads of the pool first, and an item that
 * is still queued goes with them. */
#include "hooks/hook_win32.h"
#include "base/plain/clock.h"

#define PERIOD_MS 250
#define PERIOD_NS (PERIOD_MS * UM_CLOCK_NS_PER_MS)

enum thread_state { THREAD_NONE, THREAD_WANTED, THREAD_ENDING };

/* Only one thread makes each transition, so none of them needs a lock: the submitting thread FREE
 * to WAITS, the pool's thread WAITS to RAN, the worker RAN to FREE. */
enum item_state { ITEM_FREE, ITEM_WAITS, ITEM_RAN };

static struct {
    _Atomic int thread; /* enum thread_state */
    _Atomic int item;   /* enum item_state */
    _Atomic uint64_t submitted_ticks;
    _Atomic uint64_t ran_ticks;
    _Atomic uint64_t cpu_ns; /* of all submitting threads so far */
    PTP_WORK work;           /* used by the submitting thread alone; NULL: not made yet */
    int wanted;              /* used by the worker alone, as is the next one */
    uint64_t next_sent_ns;   /* when the age of a waiting item is sent next */
} pool;

/* The work item. */
static VOID CALLBACK note_run(PTP_CALLBACK_INSTANCE instance, void *context, PTP_WORK work)
{
    (void)instance, (void)context, (void)work;
    atomic_store(&pool.ran_ticks, um_hook_ticks());
    atomic_store(&pool.item, ITEM_RAN);
}

static void submit(void)
{
    if (atomic_load(&pool.item) != ITEM_FREE)
        return;
    if (!pool.work)
        pool.work = CreateThreadpoolWork(note_run, NULL, NULL);
    if (!pool.work)
        return; /* out of memory; tried again in 250 ms */
    atomic_store(&pool.submitted_ticks, um_hook_ticks());
    atomic_store(&pool.item, ITEM_WAITS);
    SubmitThreadpoolWork(pool.work);
}

static DWORD WINAPI run(void *unused)
{
    uint64_t before_ns = atomic_load(&pool.cpu_ns);
    int ending = THREAD_ENDING;
    (void)unused;

    while (!atomic_compare_exchange_strong(&pool.thread, &ending, THREAD_NONE)) {
        submit();
        atomic_store(&pool.cpu_ns, before_ns + um_hook_thread_cpu_ns(GetCurrentThread()));
        Sleep(PERIOD_MS);
        ending = THREAD_ENDING;
    }
    return 0;
}

void um_pool_start(void)
{
    int ending = THREAD_ENDING;
    int none = THREAD_NONE;

    if (pool.wanted)
        return;
    pool.wanted = 1;
    if (atomic_load(&pool.item) == ITEM_RAN) /* of an earlier attachment */
        atomic_store(&pool.item, ITEM_FREE);
    pool.next_sent_ns = um_hook_ns(um_hook_ticks()) + PERIOD_NS;
    if (atomic_compare_exchange_strong(&pool.thread, &ending, THREAD_WANTED))
        return; /* the thread of an earlier attachment is still there, and goes on */
    if (!atomic_compare_exchange_strong(&pool.thread, &none, THREAD_WANTED))
        return;
    HANDLE thread = CreateThread(NULL, 0, run, NULL, 0, NULL);
    if (!thread) {
        atomic_store(&pool.thread, THREAD_NONE);
        return;
    }
    /* At a lower priority, a delay of the submitting thread would look like a delay of the pool. */
    SetThreadPriority(thread, THREAD_PRIORITY_HIGHEST);
    CloseHandle(thread);
}

void um_pool_stop(void)
{
    int wanted = THREAD_WANTED;
    pool.wanted = 0;
    atomic_compare_exchange_strong(&pool.thread, &wanted, THREAD_ENDING);
}

int um_pool_next(struct um_wire_frame *frame)
{
    uint64_t now_ns = um_hook_ns(um_hook_ticks());
    int item = atomic_load(&pool.item);

    if (!pool.wanted || item == ITEM_FREE)
        return 0;
    uint64_t submitted_ns = um_hook_ns(atomic_load(&pool.submitted_ticks));
    if (item == ITEM_WAITS && (now_ns < pool.next_sent_ns || now_ns < submitted_ns + PERIOD_NS))
        return 0;
    if (item == ITEM_RAN)
        now_ns = um_hook_ns(atomic_load(&pool.ran_ticks));
    pool.next_sent_ns = now_ns + PERIOD_NS;
    frame->type = UM_WIRE_POOL_DELAY;
    frame->flags = item == ITEM_WAITS ? UM_WIRE_POOL_DELAY_WAITS : 0;
    frame->as.pool_delay.time_ns = now_ns;
    frame->as.pool_delay.delay_ns = now_ns > submitted_ns ? now_ns - submitted_ns : 0;
    if (item == ITEM_RAN)
        atomic_store(&pool.item, ITEM_FREE);
    return 1;
}

uint64_t um_pool_cpu_ns(void)
{
    return atomic_load(&pool.cpu_ns);
}
