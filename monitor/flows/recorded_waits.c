#include "monitor/flows/recorded_waits.h"

#include <stdlib.h>

#include "base/list.h"
#include "base/ns.h"

#define MOST (UINT32_MAX - 1)
#define LOOK_BACK 1000 /* spans; there is one for each time that the UI thread was away */

/* What is looked for in the tables. */
struct wanted {
    const struct um_recorded_waits *waits;
    uint32_t session;
    uint32_t number; /* of a thread, or of a freeze */
};

static uint64_t hash_of(uint32_t session, uint32_t number)
{
    return um_intern_mix(session, number);
}

static bool is_thread(const void *context, uint32_t index)
{
    const struct wanted *wanted = context;
    const struct um_recorded_span *span = &wanted->waits->spans[wanted->waits->latest[index]];
    return span->session == wanted->session && span->thread == wanted->number;
}

static bool is_freeze(const void *context, uint32_t index)
{
    const struct wanted *wanted = context;
    const struct um_recorded_wait *wait = &wanted->waits->waits[index];
    return wait->session == wanted->session && wait->says.freeze == wanted->number;
}

static uint32_t find_thread(const struct um_recorded_waits *waits, uint32_t session,
                            uint32_t thread)
{
    struct wanted wanted = {waits, session, thread};
    return um_intern_find(&waits->by_thread, hash_of(session, thread), is_thread, &wanted);
}

static uint32_t find_wait(const struct um_recorded_waits *waits, uint32_t session, uint32_t freeze)
{
    struct wanted wanted = {waits, session, freeze};
    return um_intern_find(&waits->by_freeze, hash_of(session, freeze), is_freeze, &wanted);
}

/* Makes the last span the latest of its thread, of which `thread` is the index or NONE. */
static void make_latest(struct um_recorded_waits *waits, uint32_t thread)
{
    uint32_t last = (uint32_t)waits->span_count - 1;
    struct um_recorded_span *span = &waits->spans[last];
    if (thread != UM_INTERN_NONE) {
        span->earlier = waits->latest[thread];
        waits->latest[thread] = last;
        return;
    }
    waits->latest[waits->thread_count] = last;
    um_intern_add(&waits->by_thread, hash_of(span->session, span->thread),
                  (uint32_t)waits->thread_count++);
}

bool um_recorded_waits_sample(struct um_recorded_waits *waits, uint32_t session,
                              const struct um_wire_sample *sample)
{
    if (!sample->other)
        return true;
    uint32_t thread = find_thread(waits, session, sample->thread);
    if (thread != UM_INTERN_NONE) {
        struct um_recorded_span *span = &waits->spans[waits->latest[thread]];
        if (span->absence == sample->absence) {
            span->last_ns = um_ns_max(span->last_ns, sample->time_ns);
            return true;
        }
    }
    if (!um_list_reserve(&waits->spans, &waits->span_room, waits->span_count + 1, MOST,
                         sizeof *waits->spans) ||
        !um_list_reserve(&waits->latest, &waits->thread_room, waits->thread_count + 1, MOST,
                         sizeof *waits->latest) ||
        !um_intern_reserve(&waits->by_thread, 1))
        return false;
    waits->spans[waits->span_count++] = (struct um_recorded_span){.first_ns = sample->time_ns,
                                                                  .last_ns = sample->time_ns,
                                                                  .session = session,
                                                                  .thread = sample->thread,
                                                                  .absence = sample->absence,
                                                                  .earlier = UM_INTERN_NONE};
    make_latest(waits, thread);
    return true;
}

bool um_recorded_waits_wait(struct um_recorded_waits *waits, uint32_t session,
                            const struct um_wire_wait *wait)
{
    uint32_t thread = find_thread(waits, session, wait->thread);
    if (find_wait(waits, session, wait->freeze) != UM_INTERN_NONE)
        return true; /* the first one counts */
    if (!um_list_reserve(&waits->waits, &waits->wait_room, waits->wait_count + 1, MOST,
                         sizeof *waits->waits) ||
        !um_intern_reserve(&waits->by_freeze, 1))
        return false;
    waits->waits[waits->wait_count] = (struct um_recorded_wait){
        .says = *wait,
        .session = session,
        .last_span = thread != UM_INTERN_NONE ? waits->latest[thread] : UM_INTERN_NONE};
    um_intern_add(&waits->by_freeze, hash_of(session, wait->freeze), (uint32_t)waits->wait_count++);
    return true;
}

const struct um_recorded_wait *um_recorded_waits_find(const struct um_recorded_waits *waits,
                                                      uint32_t session, uint32_t freeze)
{
    uint32_t found = find_wait(waits, session, freeze);
    return found != UM_INTERN_NONE ? &waits->waits[found] : NULL;
}

bool um_recorded_waits_sampled(const struct um_recorded_waits *waits,
                               const struct um_recorded_wait *wait, uint64_t from_ns,
                               uint64_t to_ns, uint64_t *first_ns, uint64_t *last_ns)
{
    uint32_t at = wait->last_span;
    for (int looked = 0; at != UM_INTERN_NONE && looked < LOOK_BACK; looked++) {
        const struct um_recorded_span *span = &waits->spans[at];
        if (span->last_ns >= from_ns && span->first_ns <= to_ns) {
            *first_ns = span->first_ns;
            *last_ns = span->last_ns;
            return true;
        }
        at = span->earlier;
    }
    return false;
}

void um_recorded_waits_deinit(struct um_recorded_waits *waits)
{
    free(waits->waits);
    free(waits->spans);
    free(waits->latest);
    um_intern_deinit(&waits->by_freeze);
    um_intern_deinit(&waits->by_thread);
    *waits = (struct um_recorded_waits){0};
}
