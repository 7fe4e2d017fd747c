#include "monitor/naming/names_process.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain/clock.h"
#include "base/plain/text.h"
#include "base/platform.h"
#include "monitor/target/target.h"

#define MINUTE_NS (60 * UM_CLOCK_NS_PER_S)
#define CONNECT_MS 100 /* it is this process that listens */
#define LOOK_MS 100    /* between two checks whether the process still runs */
#define STRIKES 2      /* a module over which the process ended so often is left out */

struct module {
    struct um_names_module seen;
    unsigned strikes;
};

/* An address whose answer is still to come. */
struct waiting {
    uint32_t number;
    struct um_names_process_address address;
};

struct um_names_process {
    char search_path[UM_NAMES_SEARCH_BYTES];
    const struct um_transport *transport;
    struct um_names_cache *cache;
    struct module *modules[UM_NAMES_PROCESS_MODULES];
    uint32_t module_count;
    uint32_t pid;
    bool is_x86; /* that process has 32 bits */

    struct um_target_process *process; /* NULL: none runs */
    struct um_conn *conn;              /* to that process */
    bool has_greeted;                  /* its preamble was read */
    size_t in_bytes;
    uint8_t in[4 * UM_NAMES_MAX_BYTES];
    uint32_t sent_pid;    /* by its last PROCESS; 0: there was none */
    uint32_t sent_module; /* by its last MODULE; module_count or more: none */
    uint32_t next_number;
    struct waiting waiting[UM_NAMES_WINDOW]; /* a queue: the first is answered next */
    size_t waiting_count;
    uint64_t heard_ns; /* when it answered last, or began to wait */

    uint64_t started_ns[UM_NAMES_PROCESS_STARTS]; /* a ring of the last starts */
    uint32_t starts;
    char why[96];
};

/* Opening and modules -------------------------------------------------------------------------- */

enum um_status um_names_process_open(const char *search_path, const struct um_transport *transport,
                                     struct um_names_process **process)
{
    if (strlen(search_path) >= UM_NAMES_SEARCH_BYTES)
        return UM_ERR_TOO_LARGE;
    struct um_names_process *opened = calloc(1, sizeof *opened);
    if (!opened || um_names_cache_open(&opened->cache) != UM_OK) {
        free(opened);
        return UM_ERR_MEMORY;
    }
    um_text_set(opened->search_path, sizeof opened->search_path, search_path);
    opened->transport = transport;
    *process = opened;
    return UM_OK;
}

void um_names_process_target(struct um_names_process *process, uint32_t pid)
{
    process->pid = pid;
}

void um_names_process_x86(struct um_names_process *process)
{
    process->is_x86 = true;
}

enum um_status um_names_process_module(struct um_names_process *process,
                                       const struct um_names_module *module, uint32_t *number)
{
    for (uint32_t i = 0; i < process->module_count; i++) {
        const struct um_names_module *seen = &process->modules[i]->seen;
        if (seen->timestamp == module->timestamp && seen->image_bytes == module->image_bytes &&
            seen->base == module->base && strcmp(seen->path, module->path) == 0) {
            *number = i;
            return UM_OK;
        }
    }
    if (process->module_count == UM_NAMES_PROCESS_MODULES)
        return UM_ERR_TOO_LARGE;
    struct module *added = calloc(1, sizeof *added);
    if (!added)
        return UM_ERR_MEMORY;
    added->seen = *module;
    *number = process->module_count;
    process->modules[process->module_count++] = added;
    return UM_OK;
}

/* Starting and ending -------------------------------------------------------------------------- */

/* Starts the program with a pipe that it inherits, because it may have fewer rights than the
 * monitor and could not open one itself. */
static enum um_status start_with(struct um_names_process *process, intptr_t pipe)
{
    char program[UM_PLATFORM_PATH_BYTES];
    char option[] = "--pipe";
    char handle[24];
    char *argv[] = {program, option, handle, NULL};

    if (um_platform_program(process->is_x86 ? "uimon-names32" : "uimon-names", program,
                            sizeof program) != UM_OK)
        return UM_ERR_IO;
    snprintf(handle, sizeof handle, "%lld", (long long)pipe);
    return um_target->start_helper(argv, 3, pipe, &process->process);
}

static enum um_status start_client(struct um_names_process *process, const char *name,
                                   struct um_listener *listener)
{
    const struct um_transport *transport = process->transport;
    struct um_conn *client;

    enum um_status status = transport->connect(name, CONNECT_MS, &client);
    if (status != UM_OK)
        return status;
    status = transport->accept(listener, CONNECT_MS, &process->conn);
    if (status != UM_OK) {
        transport->close(client);
        return status;
    }
    intptr_t pipe = transport->release(client);
    status = start_with(process, pipe);
    if (transport->adopt(pipe, &client) == UM_OK)
        transport->close(client); /* the process has its own handle of it */
    return status;
}

static enum um_status start(struct um_names_process *process)
{
    const struct um_transport *transport = process->transport;
    char name[UM_TRANSPORT_NAME_BYTES];
    struct um_listener *listener;

    enum um_status status = um_transport_random_name("names", name, NULL);
    if (status == UM_OK)
        status = transport->listen(name, 0, &listener);
    if (status != UM_OK)
        return status;
    status = start_client(process, name, listener);
    transport->close_listener(listener);
    return status;
}

/* Ends the process, if there is one, and forgets its questions. */
static void stop(struct um_names_process *process)
{
    process->transport->close(process->conn);
    process->conn = NULL;
    if (process->process) {
        um_target->kill(process->process); /* it keeps nothing that could be damaged */
        um_target->close(process->process);
    }
    process->process = NULL;
    process->has_greeted = false;
    process->in_bytes = 0;
    process->waiting_count = 0;
}

/* Ends a process that went wrong. The module of its next answer is the likely cause. */
static void blame_and_stop(struct um_names_process *process, unsigned strikes)
{
    if (process->waiting_count > 0)
        process->modules[process->waiting[0].address.module]->strikes += strikes;
    stop(process);
}

static enum um_status write(struct um_names_process *process, const uint8_t *bytes,
                            size_t len_bytes)
{
    return process->transport->write(process->conn, bytes, len_bytes, CONNECT_MS);
}

static enum um_status send(struct um_names_process *process, const struct um_names_frame *frame)
{
    uint8_t bytes[UM_NAMES_MAX_BYTES];
    return write(process, bytes, um_names_encode(frame, bytes));
}

static enum um_status greet(struct um_names_process *process)
{
    struct um_names_frame frame = {.type = UM_NAMES_SEARCH};
    uint8_t preamble[UM_NAMES_PREAMBLE_BYTES];

    um_names_preamble(preamble);
    process->sent_module = UINT32_MAX;
    process->sent_pid = 0;
    enum um_status status = write(process, preamble, sizeof preamble);
    if (status != UM_OK)
        return status;
    um_text_set(frame.as.search.path, sizeof frame.as.search.path, process->search_path);
    return send(process, &frame);
}

/* Makes sure that there is a process. Errors: UM_ERR_UNSUPPORTED there is none, and `why` says why
 * not. */
static enum um_status keep(struct um_names_process *process)
{
    uint64_t now_ns = um_clock_now_ns();
    uint64_t *slot = &process->started_ns[process->starts % UM_NAMES_PROCESS_STARTS];

    /* If it was ended between two questions, the next one is not to blame. */
    if (process->process && process->waiting_count == 0 && !um_target->running(process->process))
        stop(process);
    if (process->process)
        return UM_OK;
    if (process->starts >= UM_NAMES_PROCESS_STARTS && now_ns - *slot < MINUTE_NS) {
        if (!process->why[0])
            um_text_set(process->why, sizeof process->why, "uimon-names.exe ended too often");
        return UM_ERR_UNSUPPORTED;
    }
    *slot = now_ns;
    process->starts++;
    process->why[0] = '\0';
    enum um_status status = start(process);
    if (status == UM_OK && greet(process) == UM_OK)
        return UM_OK;
    stop(process);
    if (status != UM_OK)
        snprintf(process->why, sizeof process->why, "uimon-names.exe cannot be started: %s",
                 um_status_text(status));
    return status == UM_OK ? UM_OK : UM_ERR_UNSUPPORTED;
}

/* Questions ------------------------------------------------------------------------------------ */

static bool is_waiting(const struct um_names_process *process,
                       const struct um_names_process_address *address)
{
    for (size_t i = 0; i < process->waiting_count; i++)
        if (process->waiting[i].address.module == address->module &&
            process->waiting[i].address.rva == address->rva)
            return true;
    return false;
}

/* Sends the target's process if it is new. Modules are then sent again. */
static enum um_status send_process(struct um_names_process *process)
{
    struct um_names_frame frame = {.type = UM_NAMES_PROCESS, .as.process = {process->pid}};
    if (process->pid == process->sent_pid)
        return UM_OK;
    process->sent_pid = process->pid;
    process->sent_module = UINT32_MAX;
    return send(process, &frame);
}

static enum um_status send_address(struct um_names_process *process,
                                   const struct um_names_process_address *address)
{
    struct um_names_frame frame = {.type = UM_NAMES_MODULE};

    enum um_status status = send_process(process);
    if (status != UM_OK)
        return status;
    if (process->sent_module != address->module) {
        frame.as.module = process->modules[address->module]->seen;
        status = send(process, &frame);
        if (status != UM_OK)
            return status;
        process->sent_module = address->module;
    }
    if (process->waiting_count == 0)
        process->heard_ns = um_clock_now_ns();
    uint32_t number = process->next_number++;
    process->waiting[process->waiting_count++] = (struct waiting){number, *address};
    frame.type = UM_NAMES_ADDRESS;
    frame.as.address = (struct um_names_address){number, address->rva, address->round};
    return send(process, &frame);
}

/* Moves `*next` to the next address that must be sent, or to `count`. Addresses in modules over
 * which processes ended are answered with that reason. Errors: UM_ERR_MEMORY. */
static enum um_status skip(struct um_names_process *process,
                           const struct um_names_process_address *addresses, size_t count,
                           size_t *next)
{
    static const struct um_names_name ended = {.why = UM_NAMES_ENDED};
    enum um_status status = UM_OK;

    for (; status == UM_OK && *next < count; ++*next) {
        const struct um_names_process_address *address = &addresses[*next];
        if (um_names_cache_find(process->cache, address->module, address->rva) ||
            is_waiting(process, address))
            continue;
        if (process->modules[address->module]->strikes < STRIKES)
            break;
        status = um_names_cache_put(process->cache, address->module, address->rva, &ended);
    }
    return status;
}

/* Sends addresses up to UM_NAMES_WINDOW without an answer, and moves `*next` past them.
 * Errors: UM_ERR_MEMORY; others: the process cannot be reached. */
static enum um_status send_some(struct um_names_process *process,
                                const struct um_names_process_address *addresses, size_t count,
                                size_t *next)
{
    enum um_status status = skip(process, addresses, count, next);
    while (status == UM_OK && *next < count && process->waiting_count < UM_NAMES_WINDOW) {
        status = send_address(process, &addresses[(*next)++]);
        if (status == UM_OK)
            status = skip(process, addresses, count, next);
    }
    return status;
}

/* Answers -------------------------------------------------------------------------------------- */

/* Takes the answer to the first waiting address. Errors: UM_ERR_FORMAT it is for another one;
 * UM_ERR_MEMORY. */
static enum um_status take(struct um_names_process *process, const struct um_names_frame *frame)
{
    struct waiting *first = &process->waiting[0];

    if (frame->type != UM_NAMES_NAME || process->waiting_count == 0 ||
        frame->as.name.number != first->number)
        return UM_ERR_FORMAT;
    enum um_status status = um_names_cache_put(process->cache, first->address.module,
                                               first->address.rva, &frame->as.name);
    process->waiting_count--;
    memmove(first, first + 1, process->waiting_count * sizeof *first);
    process->heard_ns = um_clock_now_ns();
    return status;
}

/* Takes all complete answers. Errors: as take, and of the format. */
static enum um_status take_all(struct um_names_process *process)
{
    struct um_names_frame frame;
    enum um_status status = UM_OK;
    size_t at = 0, consumed;

    if (!process->has_greeted) {
        status = um_names_check_preamble(process->in, process->in_bytes);
        process->has_greeted = status == UM_OK;
        at = status == UM_OK ? UM_NAMES_PREAMBLE_BYTES : 0;
    }
    while (status == UM_OK) {
        status = um_names_decode(process->in + at, process->in_bytes - at, &frame, &consumed);
        if (status != UM_OK)
            break;
        at += consumed;
        status = take(process, &frame);
    }
    process->in_bytes -= at;
    memmove(process->in, process->in + at, process->in_bytes);
    return status == UM_ERR_PARTIAL ? UM_OK : status;
}

/* Reads what comes within `wait_ms`. It also checks whether the process runs, because a killed one
 * does not always break the pipe: under Wine it does not if the process has not run yet.
 * Errors: UM_ERR_TIMEOUT; UM_ERR_CLOSED; UM_ERR_IO. */
static enum um_status read_some(struct um_names_process *process, uint32_t wait_ms)
{
    size_t len_bytes = 0;
    bool running = um_target->running(process->process);
    enum um_status status = process->transport->read(process->conn, process->in + process->in_bytes,
                                                     sizeof process->in - process->in_bytes,
                                                     running ? wait_ms : 0, &len_bytes);
    process->in_bytes += len_bytes;
    return status == UM_ERR_TIMEOUT && !running ? UM_ERR_CLOSED : status;
}

/* Waits for answers until `until_ns`, but no longer than LOOK_MS, and takes those that came.
 * Errors: UM_ERR_TIMEOUT; UM_ERR_MEMORY; others: the process cannot be used any more. */
static enum um_status receive(struct um_names_process *process, uint64_t until_ns)
{
    uint64_t now_ns = um_clock_now_ns();
    uint64_t wait_ms = 0;

    if (now_ns < until_ns)
        wait_ms = (until_ns - now_ns - 1) / UM_CLOCK_NS_PER_MS + 1;
    enum um_status status = read_some(process, wait_ms < LOOK_MS ? (uint32_t)wait_ms : LOOK_MS);
    return status == UM_OK ? take_all(process) : status;
}

/* Asking --------------------------------------------------------------------------------------- */

/* Takes the answers that an ended process has left in the pipe, so that no answered module is
 * blamed. */
static void take_last_words(struct um_names_process *process)
{
    while (read_some(process, 0) == UM_OK && take_all(process) == UM_OK)
        continue;
}

/* Sends what may be sent, and waits for the next answers. Errors: as receive. */
static enum um_status step(struct um_names_process *process,
                           const struct um_names_process_address *addresses, size_t count,
                           size_t *next, uint64_t until_ns)
{
    enum um_status status = skip(process, addresses, count, next);
    if (status != UM_OK || (*next == count && process->waiting_count == 0))
        return status;
    status = keep(process);
    if (status == UM_OK && process->process)
        status = send_some(process, addresses, count, next);
    if (status != UM_OK || process->waiting_count == 0)
        return status;
    return receive(process, until_ns);
}

/* Whether all addresses were sent or skipped, and none waits for its answer. */
static bool is_done(const struct um_names_process *process,
                    const struct um_names_process_address *addresses, size_t count, size_t next)
{
    if (next < count)
        return false;
    for (size_t i = 0; process->waiting_count > 0 && i < count; i++)
        if (is_waiting(process, &addresses[i]))
            return false;
    return true;
}

static uint64_t patience_ns(const struct um_names_process *process)
{
    const struct um_names_module *module =
        &process->modules[process->waiting[0].address.module]->seen;
    bool is_generated = module->path[0] == '\0' && module->image_bytes == 0;
    return is_generated ? UM_NAMES_PROCESS_RUNAWAY_NS : UM_NAMES_PROCESS_STUCK_NS;
}

enum um_status um_names_process_ask(struct um_names_process *process,
                                    const struct um_names_process_address *addresses, size_t count,
                                    uint32_t limit_ms)
{
    uint64_t until_ns = um_clock_now_ns() + limit_ms * UM_CLOCK_NS_PER_MS;
    size_t next = 0;

    if (count > UM_NAMES_CACHE_COUNT)
        return UM_ERR_TOO_LARGE;
    for (size_t i = 0; i < count; i++)
        if (addresses[i].module >= process->module_count)
            return UM_ERR_MEMORY; /* um_names_process_module had no memory for the module */
    while (!is_done(process, addresses, count, next)) {
        enum um_status status = step(process, addresses, count, &next, until_ns);
        if (status == UM_ERR_UNSUPPORTED || status == UM_ERR_MEMORY)
            return status;
        if (status != UM_OK && status != UM_ERR_TIMEOUT) {
            take_last_words(process);
            blame_and_stop(process, 1);
            next = 0; /* ask again for what it has not answered */
        }
        if (um_clock_now_ns() < until_ns)
            continue;
        if (process->waiting_count > 0 &&
            um_clock_now_ns() - process->heard_ns > patience_ns(process))
            blame_and_stop(process, STRIKES);
        return is_done(process, addresses, count, next) ? UM_OK : UM_ERR_TIMEOUT;
    }
    return UM_OK;
}

const struct um_names_cached *um_names_process_find(const struct um_names_process *process,
                                                    uint32_t module, uint32_t rva)
{
    return um_names_cache_find(process->cache, module, rva);
}

const char *um_names_process_why(const struct um_names_process *process)
{
    return process->why;
}

uint32_t um_names_process_starts(const struct um_names_process *process)
{
    return process->starts;
}

void um_names_process_close(struct um_names_process *process)
{
    if (!process)
        return;
    stop(process);
    um_names_cache_close(process->cache);
    for (uint32_t i = 0; i < process->module_count; i++)
        free(process->modules[i]);
    free(process);
}
