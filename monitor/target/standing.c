#include "monitor/target/standing.h"

#include <stdlib.h>
#include <string.h>

#include "base/plain/looks.h"

struct um_standing {
    struct um_standing_source source;
    size_t before_count;
    struct um_standing_thread before[UM_STANDING_MOST];
    size_t now_count; /* those that stood at every look */
    struct um_standing_thread now[UM_STANDING_MOST];
    struct um_standing_thread look[UM_STANDING_MOST];
};

/* How often a thread was suspended, by a list. */
static uint32_t count_of(const struct um_standing_thread *list, size_t count, uint32_t tid)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].tid == tid)
            return list[i].count;
    return 0;
}

enum um_status um_standing_open(const struct um_standing_source *source,
                                struct um_standing **standing)
{
    struct um_standing *made = calloc(1, sizeof *made);
    if (!made) {
        source->close(source->context);
        return UM_ERR_MEMORY;
    }
    made->source = *source;
    /* `before` is still empty, so this finds all threads that stand at every look. */
    um_standing_any(made);
    memcpy(made->before, made->now, made->now_count * sizeof *made->now);
    made->before_count = made->now_count;
    *standing = made;
    return UM_OK;
}

/* Lists the threads that were suspended more often than before. */
static size_t look(struct um_standing *standing, struct um_standing_thread *list)
{
    const struct um_standing_source *source = &standing->source;
    size_t all = source->list(source->context, list, UM_STANDING_MOST);
    size_t kept = 0;
    for (size_t i = 0; i < all; i++)
        if (list[i].count > count_of(standing->before, standing->before_count, list[i].tid))
            list[kept++] = list[i];
    return kept;
}

/* Looks once more: forgets the threads that do not stand any more, and keeps the least count of the
 * others. */
static void keep_standing(struct um_standing *standing)
{
    size_t found = look(standing, standing->look);
    size_t kept = 0;
    for (size_t i = 0; i < standing->now_count; i++) {
        struct um_standing_thread thread = standing->now[i];
        uint32_t count = count_of(standing->look, found, thread.tid);
        thread.count = count < thread.count ? count : thread.count;
        if (thread.count > 0)
            standing->now[kept++] = thread;
    }
    standing->now_count = kept;
}

bool um_standing_any(struct um_standing *standing)
{
    const struct um_standing_source *source = &standing->source;
    standing->now_count = look(standing, standing->now);
    for (int looks = 1; looks < UM_LOOKS && standing->now_count > 0; looks++) {
        source->pause(source->context, UM_LOOKS_EACH_MS);
        keep_standing(standing);
    }
    return standing->now_count > 0;
}

size_t um_standing_resume(struct um_standing *standing)
{
    const struct um_standing_source *source = &standing->source;
    um_standing_any(standing);
    for (size_t i = 0; i < standing->now_count; i++)
        source->resume(source->context, standing->now[i].tid);
    return standing->now_count;
}

void um_standing_close(struct um_standing *standing)
{
    if (!standing)
        return;
    standing->source.close(standing->source.context);
    free(standing);
}
