/* Measures how long a work item waits in the queue of the process's default thread pool.
 *
 * A thread of the DLL's own, which is not of the pool, submits an item each 250 ms; the item notes
 * when it runs, and the worker sends how long that took. Only one item is outstanding at a time.
 * While one waits, its age is what is sent.
 *
 * It is not the worker that submits. To submit can wait for a lock of the pool's, or of the heap,
 * and a thread of the target that stands still may hold that lock: a monitor that was killed can
 * have left the UI thread suspended in the middle of it, and it is the worker that lets that thread
 * go on (thaw_win32.c). So nobody waits for the submitting thread either. It is asked to end, and
 * ends at its next turn, which may come in a later attachment, or never.
 *
 * An item cannot be taken back. The pool may run it when the attachment that it was for is over, or
 * never. That is safe because of three things. The DLL is pinned and never unloaded
 * (hook_win32.c), so the code that the pool calls stays. What the item touches is static, and
 * belongs to no attachment. And it is one work object that is made once and never closed, so nobody
 * has to wait for it. A later attachment that finds the item outstanding measures on with that one.
 * When the target's process ends, the system ends the threads of the pool first, and an item that
 * is still queued goes with them. */
#include "hooks/hook_win32.h"
#include "ipc/clock.h"

#define PERIOD_MS 250
#define PERIOD_NS (PERIOD_MS * UM_CLOCK_NS_PER_MS)

enum thread_state { THREAD_NONE, THREAD_WANTED, THREAD_ENDING };

/* Each step has one thread that takes it: FREE to WAITS the submitting one, WAITS to RAN the
 * pool's, RAN to FREE the worker. So none of them needs a lock. */
enum item_state { ITEM_FREE, ITEM_WAITS, ITEM_RAN };

static struct {
    _Atomic int thread; /* enum thread_state */
    _Atomic int item;   /* enum item_state */
    _Atomic uint64_t submitted_ticks;
    _Atomic uint64_t ran_ticks;
    _Atomic uint64_t cpu_ns; /* of the submitting threads up to now */
    PTP_WORK work;           /* the submitting thread's; NULL: there is none yet */
    int wanted;              /* the worker's, as is the next one */
    uint64_t next_told_ns;   /* the item that waits is told of then */
} pool;

static uint64_t to_ns(uint64_t ticks)
{
    return um_clock_ticks_to_ns(ticks, um_hook.ticks_per_s);
}

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
        return; /* the system is out of memory; perhaps not in 250 ms */
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
    if (atomic_load(&pool.item) == ITEM_RAN) /* for an attachment that is over */
        atomic_store(&pool.item, ITEM_FREE);
    pool.next_told_ns = to_ns(um_hook_ticks()) + PERIOD_NS;
    if (atomic_compare_exchange_strong(&pool.thread, &ending, THREAD_WANTED))
        return; /* the last one is still there, and goes on */
    if (!atomic_compare_exchange_strong(&pool.thread, &none, THREAD_WANTED))
        return;
    HANDLE thread = CreateThread(NULL, 0, run, NULL, 0, NULL);
    if (!thread) {
        atomic_store(&pool.thread, THREAD_NONE);
        return;
    }
    /* Else what holds up the submitting thread would look like a delay of the pool's. */
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
    uint64_t now_ns = to_ns(um_hook_ticks());
    int item = atomic_load(&pool.item);

    if (!pool.wanted || item == ITEM_FREE)
        return 0;
    uint64_t submitted_ns = to_ns(atomic_load(&pool.submitted_ticks));
    if (item == ITEM_WAITS && (now_ns < pool.next_told_ns || now_ns < submitted_ns + PERIOD_NS))
        return 0;
    if (item == ITEM_RAN)
        now_ns = to_ns(atomic_load(&pool.ran_ticks));
    pool.next_told_ns = now_ns + PERIOD_NS;
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
