#include "base/suspended_threads.h"

#include <stdlib.h>
#include <string.h>

#include "base/plain/suspended_polls.h"

struct um_suspended_threads {
    struct um_suspended_source source;
    size_t before_count;
    struct um_suspended_thread before[UM_SUSPENDED_MOST];
    size_t now_count; /* those that every poll found suspended */
    struct um_suspended_thread now[UM_SUSPENDED_MOST];
    struct um_suspended_thread poll[UM_SUSPENDED_MOST];
};

/* How often a thread was suspended, by a list. */
static uint32_t count_of(const struct um_suspended_thread *list, size_t count, uint32_t tid)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].tid == tid)
            return list[i].count;
    return 0;
}

enum um_status um_suspended_threads_open(const struct um_suspended_source *source,
                                         struct um_suspended_threads **suspended)
{
    struct um_suspended_threads *made = calloc(1, sizeof *made);
    if (!made) {
        source->close(source->context);
        return UM_ERR_MEMORY;
    }
    made->source = *source;
    /* `before` is still empty, so this finds all threads that every poll finds suspended. */
    um_suspended_threads_any(made);
    memcpy(made->before, made->now, made->now_count * sizeof *made->now);
    made->before_count = made->now_count;
    *suspended = made;
    return UM_OK;
}

/* Lists the threads that were suspended more often than before. */
static size_t poll(struct um_suspended_threads *suspended, struct um_suspended_thread *list)
{
    const struct um_suspended_source *source = &suspended->source;
    size_t all = source->list(source->context, list, UM_SUSPENDED_MOST);
    size_t kept = 0;
    for (size_t i = 0; i < all; i++)
        if (list[i].count > count_of(suspended->before, suspended->before_count, list[i].tid))
            list[kept++] = list[i];
    return kept;
}

/* Looks once more: forgets the threads that run again, and keeps the least count of the
 * others. */
static void keep_suspended(struct um_suspended_threads *suspended)
{
    size_t found = poll(suspended, suspended->poll);
    size_t kept = 0;
    for (size_t i = 0; i < suspended->now_count; i++) {
        struct um_suspended_thread thread = suspended->now[i];
        uint32_t count = count_of(suspended->poll, found, thread.tid);
        thread.count = count < thread.count ? count : thread.count;
        if (thread.count > 0)
            suspended->now[kept++] = thread;
    }
    suspended->now_count = kept;
}

bool um_suspended_threads_any(struct um_suspended_threads *suspended)
{
    const struct um_suspended_source *source = &suspended->source;
    suspended->now_count = poll(suspended, suspended->now);
    for (int polls = 1; polls < UM_SUSPENDED_POLLS && suspended->now_count > 0; polls++) {
        source->pause(source->context, UM_SUSPENDED_POLL_MS);
        keep_suspended(suspended);
    }
    return suspended->now_count > 0;
}

size_t um_suspended_threads_resume(struct um_suspended_threads *suspended)
{
    const struct um_suspended_source *source = &suspended->source;
    um_suspended_threads_any(suspended);
    for (size_t i = 0; i < suspended->now_count; i++)
        source->resume(source->context, suspended->now[i].tid);
    return suspended->now_count;
}

void um_suspended_threads_close(struct um_suspended_threads *suspended)
{
    if (!suspended)
        return;
    suspended->source.close(suspended->source.context);
    free(suspended);
}
