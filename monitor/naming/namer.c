#include "monitor/naming/namer.h"

#include <stdlib.h>
#include <string.h>

#include "base/plain/text.h"
#include "base/thread.h"
#include "monitor/naming/names_process.h"

#define ASK_MS 400 /* between two checks whether the thread should end */
#define BATCH 16   /* addresses in modules that are asked for in one go */

struct answer {
    struct um_namer_address address;
    struct um_names_name name;
};

struct um_namer {
    struct um_names_process *process; /* only used by the thread */
    struct um_thread thread;
    struct um_namer_address batch[UM_NAMER_QUEUE]; /* only used by the thread */

    struct um_thread_mutex mutex; /* guards what follows */
    struct um_thread_cond changed;
    bool closing;
    bool is_x86;     /* the process of the modules has 32 bits */
    size_t asked;    /* questions that wait */
    size_t answered; /* answers in the list */
    size_t taken;    /* of these, how many were taken */
    struct um_namer_address questions[UM_NAMER_QUEUE];
    struct answer *answers; /* UM_NAMER_QUEUE */
    size_t module_count;
    struct um_names_module *modules[UM_NAMES_PROCESS_MODULES];
    size_t added; /* of these, how many `process` has: they have the same numbers there */
    char why[96];
};

/* Thread: holds the mutex. */
static void put_answer(struct um_namer *namer, const struct um_namer_address *address,
                       const struct um_names_cached *known, enum um_names_why why)
{
    struct answer *answer = &namer->answers[namer->answered++];
    memset(answer, 0, sizeof *answer);
    answer->address = *address;
    answer->name.why = (uint8_t)why;
    if (!known)
        return;
    answer->name.displacement = known->displacement;
    answer->name.line = known->line;
    answer->name.is_nearest = known->is_nearest;
    answer->name.first_line = known->first_line;
    answer->name.last_line = known->last_line;
    answer->name.kind = known->kind;
    answer->name.why = known->why;
    answer->name.pdb = known->pdb;
    um_text_set(answer->name.name, sizeof answer->name.name, known->name);
    um_text_set(answer->name.file, sizeof answer->name.file, known->file);
    um_text_set(answer->name.assembly, sizeof answer->name.assembly, known->assembly);
    answer->name.assembly_timestamp = known->assembly_timestamp;
    answer->name.assembly_bytes = known->assembly_bytes;
    um_text_set(answer->name.checksum, sizeof answer->name.checksum, known->checksum);
}

void um_namer_x86(struct um_namer *namer)
{
    um_thread_lock(&namer->mutex);
    namer->is_x86 = true;
    um_thread_unlock(&namer->mutex);
}

/* Adds the new modules to the process. Thread: holds the mutex. */
static void add_modules(struct um_namer *namer)
{
    uint32_t number;
    if (namer->is_x86)
        um_names_process_x86(namer->process);
    for (; namer->added < namer->module_count; namer->added++)
        if (um_names_process_module(namer->process, namer->modules[namer->added], &number) != UM_OK)
            break;
}

static bool is_generated(const struct um_names_module *module)
{
    return module->path[0] == '\0' && module->image_bytes == 0;
}

/* Moves the questions about generated code to the front, and returns how many there are. Thread:
 * holds the mutex. */
static size_t prefer_generated(struct um_namer *namer)
{
    struct um_namer_address *questions = namer->questions;
    size_t count = 0;
    for (size_t i = 0; i < namer->asked; i++) {
        struct um_namer_address question = questions[i];
        if (!is_generated(namer->modules[question.module]))
            continue;
        memmove(questions + count + 1, questions + count, (i - count) * sizeof questions[0]);
        questions[count++] = question;
    }
    return count;
}

/* Takes as many questions as there is room for answers. Thread: holds the mutex. */
static size_t take_batch(struct um_namer *namer)
{
    size_t room = UM_NAMER_QUEUE - namer->answered;
    size_t generated = prefer_generated(namer);
    size_t wanted = generated > 0 ? generated : namer->asked < BATCH ? namer->asked : BATCH;
    size_t count = wanted < room ? wanted : room;
    memcpy(namer->batch, namer->questions, count * sizeof namer->batch[0]);
    namer->asked -= count;
    memmove(namer->questions, namer->questions + count, namer->asked * sizeof namer->questions[0]);
    return count;
}

/* Asks for the batch until all is answered, there is no process, or the thread should end. */
static enum um_status ask(struct um_namer *namer, size_t count)
{
    struct um_names_process_address addresses[UM_NAMER_QUEUE];
    enum um_status status;
    bool closing;

    for (size_t i = 0; i < count; i++)
        addresses[i] = (struct um_names_process_address){
            namer->batch[i].module, namer->batch[i].rva, namer->batch[i].round};
    do {
        status = um_names_process_ask(namer->process, addresses, count, ASK_MS);
        um_thread_lock(&namer->mutex);
        closing = namer->closing;
        um_thread_unlock(&namer->mutex);
    } while (status == UM_ERR_TIMEOUT && !closing);
    return status;
}

static void run(void *context)
{
    struct um_namer *namer = context;

    um_thread_lock(&namer->mutex);
    while (!namer->closing) {
        size_t count = take_batch(namer);
        if (count == 0) {
            um_thread_wait(&namer->changed, &namer->mutex, UM_THREAD_FOREVER_NS);
            continue;
        }
        add_modules(namer);
        um_thread_unlock(&namer->mutex);
        (void)ask(namer, count);
        um_thread_lock(&namer->mutex);
        um_text_set(namer->why, sizeof namer->why, um_names_process_why(namer->process));
        for (size_t i = 0; i < count; i++)
            put_answer(
                namer, &namer->batch[i],
                um_names_process_find(namer->process, namer->batch[i].module, namer->batch[i].rva),
                UM_NAMES_ENDED);
    }
    um_thread_unlock(&namer->mutex);
}

enum um_status um_namer_open(uint32_t pid, const char *search_path,
                             const struct um_transport *transport, struct um_namer **namer_out)
{
    struct um_namer *namer = calloc(1, sizeof *namer);
    if (!namer)
        return UM_ERR_MEMORY;
    enum um_status status = UM_ERR_MEMORY;
    namer->answers = calloc(UM_NAMER_QUEUE, sizeof *namer->answers);
    if (namer->answers)
        status = um_names_process_open(search_path, transport, &namer->process);
    if (status == UM_OK) {
        um_names_process_target(namer->process, pid);
        status = um_thread_start(run, namer, &namer->thread);
    }
    if (status != UM_OK) {
        um_namer_close(namer);
        return status;
    }
    *namer_out = namer;
    return UM_OK;
}

void um_namer_close(struct um_namer *namer)
{
    if (!namer)
        return;
    um_thread_lock(&namer->mutex);
    namer->closing = true;
    um_thread_broadcast(&namer->changed);
    um_thread_unlock(&namer->mutex);
    um_thread_join(&namer->thread);
    um_names_process_close(namer->process);
    for (size_t i = 0; i < namer->module_count; i++)
        free(namer->modules[i]);
    free(namer->answers);
    free(namer);
}

enum um_status um_namer_module(struct um_namer *namer, const struct um_names_module *module,
                               uint32_t *number)
{
    enum um_status status = UM_ERR_TOO_LARGE;
    um_thread_lock(&namer->mutex);
    if (namer->module_count < UM_NAMES_PROCESS_MODULES) {
        struct um_names_module *added = malloc(sizeof *added);
        status = added ? UM_OK : UM_ERR_MEMORY;
        if (added) {
            *added = *module;
            *number = (uint32_t)namer->module_count;
            namer->modules[namer->module_count++] = added;
        }
    }
    um_thread_unlock(&namer->mutex);
    return status;
}

bool um_namer_ask(struct um_namer *namer, const struct um_namer_address *address)
{
    um_thread_lock(&namer->mutex);
    bool has_room = namer->asked < UM_NAMER_QUEUE;
    if (has_room) {
        namer->questions[namer->asked++] = *address;
        um_thread_broadcast(&namer->changed);
    }
    um_thread_unlock(&namer->mutex);
    return has_room;
}

bool um_namer_next(struct um_namer *namer, struct um_namer_address *address,
                   struct um_names_name *name)
{
    um_thread_lock(&namer->mutex);
    bool has = namer->taken < namer->answered;
    if (has) {
        const struct answer *answer = &namer->answers[namer->taken++];
        *address = answer->address;
        *name = answer->name;
    }
    if (has && namer->taken == namer->answered) {
        namer->taken = 0;
        namer->answered = 0;
        um_thread_broadcast(&namer->changed);
    }
    um_thread_unlock(&namer->mutex);
    return has;
}

void um_namer_why(struct um_namer *namer, char *why, size_t cap_bytes)
{
    um_thread_lock(&namer->mutex);
    um_text_set(why, cap_bytes, namer->why);
    um_thread_unlock(&namer->mutex);
}
