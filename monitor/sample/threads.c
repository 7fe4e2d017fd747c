#include "monitor/sample/threads.h"

#include <string.h>

void um_threads_init(struct um_threads *threads, struct um_stopper *stopper, uint32_t ui_tid,
                     um_threads_is_ours *is_ours, void *context)
{
    memset(threads, 0, sizeof *threads);
    threads->stopper = stopper;
    threads->ui_tid = ui_tid;
    threads->is_ours = is_ours;
    threads->context = context;
}

void um_threads_deinit(struct um_threads *threads)
{
    for (size_t i = 0; i < threads->count; i++)
        um_stopper->thread_close(threads->list[i].thread);
    threads->count = 0;
}

/* Adds a change. Returns how many there are in all, or 0 if there is no room. */
static uint64_t leave_change(struct um_threads *threads, uint32_t tid, bool comes)
{
    uint64_t made = 0;
    um_thread_lock(&threads->mutex);
    if (threads->made - threads->taken < UM_THREADS_CHANGES) {
        size_t at = threads->made % UM_THREADS_CHANGES;
        threads->changes[at].tid = tid;
        threads->changes[at].comes = comes;
        made = ++threads->made;
    }
    um_thread_unlock(&threads->mutex);
    return made;
}

static bool has(const struct um_threads *threads, uint32_t tid)
{
    for (size_t i = 0; i < threads->count; i++)
        if (threads->list[i].tid == tid)
            return true;
    return false;
}

void um_threads_add(struct um_threads *threads, uint32_t tid)
{
    struct um_threads_entry entry = {.tid = tid};
    if (tid == threads->ui_tid || threads->count == UM_THREADS_MOST || has(threads, tid) ||
        um_stopper->thread_open(threads->stopper, tid, &entry.thread) != UM_OK)
        return;
    uint64_t start = um_stopper->thread_start(entry.thread);
    /* A thread with an unknown start could be one of uimon's own. */
    if (start != 0 && !threads->is_ours(threads->context, start))
        entry.changes = leave_change(threads, tid, true);
    if (entry.changes == 0)
        um_stopper->thread_close(entry.thread);
    else
        threads->list[threads->count++] = entry;
}

/* If there is no room for the change, the DLL keeps the thread's id, which does no harm. */
void um_threads_drop(struct um_threads *threads, struct um_threads_entry *entry)
{
    (void)leave_change(threads, entry->tid, false);
    um_stopper->thread_close(entry->thread);
    *entry = threads->list[--threads->count];
}

static bool is_among(const uint32_t *tids, size_t count, uint32_t tid)
{
    for (size_t i = 0; i < count; i++)
        if (tids[i] == tid)
            return true;
    return false;
}

void um_threads_keep(struct um_threads *threads, const uint32_t *tids, size_t count)
{
    for (size_t i = threads->count; i > 0; i--)
        if (!is_among(tids, count, threads->list[i - 1].tid))
            um_threads_drop(threads, &threads->list[i - 1]);
    for (size_t i = 0; i < count; i++)
        um_threads_add(threads, tids[i]);
}

struct um_threads_entry *um_threads_next(struct um_threads *threads)
{
    um_thread_lock(&threads->mutex);
    uint64_t sent = threads->sent;
    um_thread_unlock(&threads->mutex);
    for (size_t i = 0; i < threads->count; i++) {
        threads->turn = threads->turn + 1 < threads->count ? threads->turn + 1 : 0;
        if (threads->list[threads->turn].changes <= sent)
            return &threads->list[threads->turn];
    }
    return NULL;
}

bool um_threads_change(struct um_threads *threads, uint32_t *tid, bool *comes)
{
    um_thread_lock(&threads->mutex);
    threads->sent = threads->taken;
    bool has_one = threads->taken < threads->made;
    if (has_one) {
        size_t at = threads->taken++ % UM_THREADS_CHANGES;
        *tid = threads->changes[at].tid;
        *comes = threads->changes[at].comes;
    }
    um_thread_unlock(&threads->mutex);
    return has_one;
}
