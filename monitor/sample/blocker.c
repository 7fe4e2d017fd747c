#include "monitor/sample/blocker.h"

#include <string.h>

#include "base/plain/bytes.h"

#define LEAST_ADDRESS UINT64_C(0x10000) /* below that, and above the next, nothing is mapped */
#define MOST_ADDRESS UINT64_C(0x7fffffff0000)
#define HOME_BYTES 32 /* a function's home for its arguments, just above its return address */
#define LEAST_WINDOW 0x10000 /* a whole handle has a count in its upper half */
#define LOCK_COUNT_AT 8
#define RECURSION_AT 12
#define OWNER_AT 16
#define RECURSION_MOST 100000
#define WAITERS_MOST 100000

uint32_t um_blocker_owner(const uint8_t bytes[UM_BLOCKER_LOCK_BYTES])
{
    int64_t count = (int32_t)um_bytes_get32(bytes + LOCK_COUNT_AT);
    uint32_t recursion = um_bytes_get32(bytes + RECURSION_AT);
    uint64_t owner = um_bytes_get64(bytes + OWNER_AT);
    /* Windows: bit 0 is 0 while it is locked, bit 1 says whether a waiter is being woken, and the
     * complement of the rest is how many wait. Wine counts all that have asked for it. */
    int64_t waiters = count < 0 ? ((count & 1) == 0 ? ~count >> 2 : 0) : count + 1 - recursion;
    bool is_locked =
        recursion >= 1 && recursion <= RECURSION_MOST && waiters >= 1 && waiters <= WAITERS_MOST;
    return is_locked && owner <= UINT32_MAX && owner % 4 == 0 ? (uint32_t)owner : 0;
}

/* The index of the frame whose call waits, or the count of frames. Only the system's functions may
 * be further in: a window procedure of the program is no wait. */
static size_t find_call(const struct um_blocker_source *source, const struct um_blocker_wait *wait,
                        enum um_blocker_call *call)
{
    bool is_system = true;
    *call = UM_BLOCKER_NO_CALL;
    for (size_t i = 0; i + 1 < wait->frame_count && i < UM_BLOCKER_CALLS && is_system; i++) {
        *call = source->call(source->context, i, &is_system);
        if (*call != UM_BLOCKER_NO_CALL)
            return i;
    }
    return wait->frame_count;
}

struct search {
    const struct um_blocker_source *source;
    const struct um_blocker_wait *wait;
    struct um_blocker_known *known;
    enum um_blocker_call call;
    size_t found; /* different blockers */
    uint64_t address;
    struct um_blocker blocker;
};

/* Reads a critical section; from the copy, if it lies on the thread's own stack. */
static bool read_lock(const struct search *search, uint64_t address, uint8_t *bytes)
{
    const struct um_unwind_stack *stack = search->wait->stack;
    uint64_t at = address - stack->address;
    if (at >= stack->len)
        return search->source->read(search->source->context, address, bytes, UM_BLOCKER_LOCK_BYTES);
    if (stack->len - at < UM_BLOCKER_LOCK_BYTES)
        return false;
    memcpy(bytes, stack->bytes + at, UM_BLOCKER_LOCK_BYTES);
    return true;
}

static bool is_lock(const struct search *search, uint64_t word, struct um_blocker *blocker)
{
    uint8_t bytes[UM_BLOCKER_LOCK_BYTES];
    if (!read_lock(search, word, bytes))
        return false;
    uint32_t owner = um_blocker_owner(bytes);
    if (owner == 0 || owner == search->wait->thread ||
        !search->source->is_thread(search->source->context, owner))
        return false;
    *blocker = (struct um_blocker){
        .kind = UM_WIRE_WAIT_LOCK, .thread = owner, .process = search->wait->process};
    return true;
}

static bool may_be(const struct search *search, uint64_t word)
{
    if (search->call == UM_BLOCKER_SEND)
        return word >= LEAST_WINDOW && word <= UINT32_MAX;
    return word >= LEAST_ADDRESS && word < MOST_ADDRESS && word % 8 == 0;
}

static bool is_rejected(const struct um_blocker_known *known, uint64_t word)
{
    for (size_t i = 0; i < known->count; i++)
        if (known->rejected[i] == word)
            return true;
    return false;
}

static void look(struct search *search, uint64_t word)
{
    struct um_blocker blocker = {.kind = UM_WIRE_WAIT_NONE};
    if (!may_be(search, word) || (search->found > 0 && word == search->address) ||
        search->known->count == UM_BLOCKER_LOOKS || is_rejected(search->known, word))
        return;
    bool is_it = search->call == UM_BLOCKER_SEND
                     ? search->source->window(search->source->context, (uint32_t)word, &blocker)
                     : is_lock(search, word, &blocker);
    if (!is_it) {
        search->known->rejected[search->known->count++] = word;
        return;
    }
    search->found++;
    search->address = word;
    search->blocker = blocker;
}

static void look_from(struct search *search, uint64_t from, uint64_t to)
{
    const struct um_unwind_stack *stack = search->wait->stack;
    uint64_t begin = from > stack->address ? from - stack->address : 0;
    uint64_t end = to > stack->address ? to - stack->address : 0;
    end = end < stack->len ? end : stack->len;
    end = end < UM_BLOCKER_BYTES ? end : UM_BLOCKER_BYTES;
    for (uint64_t at = begin; at + 8 <= end; at += 8)
        look(search, um_bytes_get64(stack->bytes + at));
}

/* Looks at all words that may be the argument of a frame's call: the registers and the stack
 * between the wait and the caller; and if it is not there, the caller's own frame. */
static void look_at_all(struct search *search, size_t frame)
{
    const struct um_blocker_wait *wait = search->wait;
    uint64_t caller = wait->frames[frame + 1].sp;
    for (size_t i = 0; i < UM_UNWIND_REGISTERS; i++)
        look(search, wait->registers->integer[i]);
    look_from(search, wait->stack->address, caller + HOME_BYTES);
    if (search->found == 0 && frame + 2 < wait->frame_count)
        look_from(search, caller, wait->frames[frame + 2].sp);
}

static void know_call(struct um_blocker_known *known, const struct um_unwind_frame *caller)
{
    if (known->pc != caller->pc || known->sp != caller->sp)
        known->count = 0;
    known->pc = caller->pc;
    known->sp = caller->sp;
}

bool um_blocker_find(const struct um_blocker_source *source, const struct um_blocker_wait *wait,
                     struct um_blocker_known *known, struct um_blocker *blocker)
{
    struct search search = {.source = source, .wait = wait, .known = known};
    bool is_system = false;
    if (wait->frame_count == 0)
        return false;
    enum um_blocker_call innermost = source->call(source->context, 0, &is_system);
    if (!is_system && innermost == UM_BLOCKER_NO_CALL)
        return false; /* it runs */
    if (source->chain(source->context, blocker))
        return true;
    size_t frame = find_call(source, wait, &search.call);
    if (search.call == UM_BLOCKER_NO_CALL)
        return false;
    know_call(known, &wait->frames[frame + 1]);
    look_at_all(&search, frame);
    /* If not all candidates could be checked, there may be a second blocker. */
    if (search.found != 1 || known->count == UM_BLOCKER_LOOKS)
        return false;
    *blocker = search.blocker;
    return true;
}
