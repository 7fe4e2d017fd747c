#include "monitor/sample/remote_lookup.h"

#include <stdlib.h>
#include <string.h>

#include "base/plain/clock.h"
#include "base/thread.h"

#define PAGE_BYTES 4096U

/* Addresses of which something is known. */
struct known {
    uint64_t begin, end;
    enum um_unwind_answer answer;
    struct um_unwind_function function; /* for FOUND */
    size_t unwind_bytes;
    uint8_t unwind[UM_REMOTE_LOOKUP_UNWIND_BYTES];
};

enum state {
    IDLE,
    TO_BE_SENT,
    SENT,
    ANSWERED,
};

struct um_remote_lookup {
    struct um_stopper *stopper;
    uint64_t (*now_ns)(void);

    /* Only used by the sampler thread. */
    size_t count;
    struct known known[UM_REMOTE_LOOKUP_FUNCTIONS];
    uint64_t wanted;   /* the address for which the last walk stopped */
    unsigned failures; /* questions without an answer in time */

    struct um_thread_mutex mutex; /* guards what follows */
    struct um_thread_cond changed;
    bool cancelled;
    enum state state;
    bool is_old; /* the question is of an earlier absence */
    uint64_t asked;
    struct um_wire_frame answer;
};

enum um_status um_remote_lookup_open(struct um_stopper *stopper, uint64_t (*now_ns)(void),
                                     struct um_remote_lookup **out)
{
    struct um_remote_lookup *elsewhere = calloc(1, sizeof *elsewhere);
    if (!elsewhere)
        return UM_ERR_MEMORY;
    elsewhere->stopper = stopper;
    elsewhere->now_ns = now_ns;
    *out = elsewhere;
    return UM_OK;
}

void um_remote_lookup_close(struct um_remote_lookup *elsewhere)
{
    free(elsewhere);
}

void um_remote_lookup_forget(struct um_remote_lookup *elsewhere)
{
    elsewhere->count = 0;
    elsewhere->failures = 0;
    um_thread_lock(&elsewhere->mutex);
    elsewhere->is_old = true;
    um_thread_unlock(&elsewhere->mutex);
}

/* What is known ------------------------------------------------------------------------------- */

static const struct known *find_known(const struct um_remote_lookup *elsewhere, uint64_t address)
{
    for (size_t i = 0; i < elsewhere->count; i++)
        if (elsewhere->known[i].begin <= address && address < elsewhere->known[i].end)
            return &elsewhere->known[i];
    return NULL;
}

static struct known *add_known(struct um_remote_lookup *elsewhere, uint64_t begin, uint64_t end,
                               enum um_unwind_answer answer)
{
    if (elsewhere->count == UM_REMOTE_LOOKUP_FUNCTIONS)
        elsewhere->count = 0;
    struct known *known = &elsewhere->known[elsewhere->count++];
    *known = (struct known){
        .begin = begin, .end = end, .answer = answer, .function = {.module = UM_UNWIND_NO_MODULE}};
    return known;
}

/* Keeps the begin of a function's unwind data, so that the next walk need not read it again. */
static void keep_unwind(const struct um_remote_lookup *elsewhere, struct known *known)
{
    uint64_t at = known->function.base + known->function.rva.unwind_rva;
    size_t left = PAGE_BYTES - (size_t)(at % PAGE_BYTES);
    size_t len = left < sizeof known->unwind ? left : sizeof known->unwind;
    if (um_stopper->read(elsewhere->stopper, at, known->unwind, len))
        known->unwind_bytes = len;
}

/* Takes the answer to a question about `address`. It comes from the target and can be wrong. */
static void take_answer(struct um_remote_lookup *elsewhere, uint64_t address,
                        const struct um_wire_frame *answer)
{
    const struct um_wire_code *code = &answer->as.code;
    if (answer->flags & UM_WIRE_CODE_NONE) {
        add_known(elsewhere, address, address + 1, UM_UNWIND_NONE);
        return;
    }
    uint64_t rva = address - code->base;
    if (code->begin >= code->end || code->base > address || rva > UINT32_MAX) {
        add_known(elsewhere, address, address + 1, UM_UNWIND_UNREADABLE);
        return;
    }
    /* If the entry points to another one, that one may lie elsewhere. */
    bool has = code->begin <= rva && rva < code->end;
    struct known *known = add_known(elsewhere, has ? code->base + code->begin : address,
                                    has ? code->base + code->end : address + 1, UM_UNWIND_FOUND);
    known->function.base = code->base;
    known->function.rva = (struct um_pdata_function){code->begin, code->end, code->unwind};
    keep_unwind(elsewhere, known);
}

/* For the unwinder ----------------------------------------------------------------------------- */

static enum um_unwind_answer find(void *context, uint64_t pc, struct um_unwind_function *function)
{
    struct um_remote_lookup *elsewhere = context;
    const struct known *known = find_known(elsewhere, pc);
    uint64_t begin = pc;
    uint64_t end = pc + 1;

    if (!known && !um_stopper->is_code(elsewhere->stopper, pc, &begin, &end))
        known = add_known(elsewhere, begin, end, UM_UNWIND_NONE);
    if (!known) {
        elsewhere->wanted = pc;
        return UM_UNWIND_NOT_YET;
    }
    function->base = 0;
    function->module = UM_UNWIND_NO_MODULE;
    if (known->answer == UM_UNWIND_FOUND)
        *function = known->function;
    return known->answer;
}

static enum um_unwind_answer read_code(void *context, const struct um_unwind_function *function,
                                       uint32_t rva, void *bytes, size_t len)
{
    struct um_remote_lookup *elsewhere = context;
    const struct known *known = find_known(elsewhere, function->base + function->rva.begin_rva);
    uint32_t from = rva - function->rva.unwind_rva;

    if (known && known->function.rva.unwind_rva == function->rva.unwind_rva &&
        from <= known->unwind_bytes && len <= known->unwind_bytes - from) {
        memcpy(bytes, known->unwind + from, len);
        return UM_UNWIND_FOUND;
    }
    return um_stopper->read(elsewhere->stopper, function->base + rva, bytes, len)
               ? UM_UNWIND_FOUND
               : UM_UNWIND_UNKNOWN;
}

struct um_unwind_code um_remote_lookup_code(struct um_remote_lookup *elsewhere)
{
    return (struct um_unwind_code){elsewhere, find, read_code};
}

/* Questions ------------------------------------------------------------------------------------ */

/* Waits for the answer to the question. After that, an unsent question is dropped. Thread: holds
 * the mutex, and releases it meanwhile. */
static bool wait_answer(struct um_remote_lookup *elsewhere)
{
    uint64_t until_ns = elsewhere->now_ns() + UM_REMOTE_LOOKUP_LIMIT_MS * UM_CLOCK_NS_PER_MS;
    uint64_t now_ns;
    while (elsewhere->state != ANSWERED && !elsewhere->cancelled &&
           (now_ns = elsewhere->now_ns()) < until_ns)
        um_thread_wait(&elsewhere->changed, &elsewhere->mutex, until_ns - now_ns);
    bool answered = elsewhere->state == ANSWERED;
    if (answered || elsewhere->state == TO_BE_SENT)
        elsewhere->state = IDLE;
    return answered;
}

bool um_remote_lookup_wait(struct um_remote_lookup *elsewhere)
{
    struct um_wire_frame answer;
    if (elsewhere->failures >= UM_REMOTE_LOOKUP_FAILURES)
        return false;
    um_thread_lock(&elsewhere->mutex);
    /* The answer may have come when an earlier walk did not wait for it any more. */
    bool answered =
        elsewhere->state == ANSWERED && !elsewhere->is_old && elsewhere->asked == elsewhere->wanted;
    if (elsewhere->state == ANSWERED)
        elsewhere->state = IDLE;
    if (!answered && elsewhere->state == IDLE && !elsewhere->cancelled) {
        elsewhere->state = TO_BE_SENT;
        elsewhere->is_old = false;
        elsewhere->asked = elsewhere->wanted;
        answered = wait_answer(elsewhere);
    }
    answer = elsewhere->answer;
    um_thread_unlock(&elsewhere->mutex);
    elsewhere->failures += !answered;
    if (answered)
        take_answer(elsewhere, elsewhere->wanted, &answer);
    return answered;
}

bool um_remote_lookup_is_asking(struct um_remote_lookup *elsewhere)
{
    um_thread_lock(&elsewhere->mutex);
    bool is_asking = elsewhere->state == SENT;
    um_thread_unlock(&elsewhere->mutex);
    return is_asking;
}

void um_remote_lookup_cancel(struct um_remote_lookup *elsewhere)
{
    um_thread_lock(&elsewhere->mutex);
    elsewhere->cancelled = true;
    um_thread_broadcast(&elsewhere->changed);
    um_thread_unlock(&elsewhere->mutex);
}

bool um_remote_lookup_question(struct um_remote_lookup *elsewhere, uint64_t *address)
{
    um_thread_lock(&elsewhere->mutex);
    bool has = elsewhere->state == TO_BE_SENT;
    if (has) {
        elsewhere->state = SENT;
        *address = elsewhere->asked;
    }
    um_thread_unlock(&elsewhere->mutex);
    return has;
}

void um_remote_lookup_answer(struct um_remote_lookup *elsewhere, const struct um_wire_frame *answer)
{
    um_thread_lock(&elsewhere->mutex);
    if (elsewhere->state == SENT && answer->as.code.address == elsewhere->asked) {
        elsewhere->answer.flags = answer->flags;
        elsewhere->answer.as.code = answer->as.code;
        elsewhere->state = ANSWERED;
        um_thread_broadcast(&elsewhere->changed);
    }
    um_thread_unlock(&elsewhere->mutex);
}
