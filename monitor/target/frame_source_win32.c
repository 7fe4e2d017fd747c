#include "monitor/target/frame_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "ipc/bootstrap.h"
#include "base/plain/bytes.h"
#include "base/plain/clock.h"
#include "ipc/frame_reader.h"
#include "ipc/pipe_win32.h"
#include "monitor/target/dll.h"

#define ACCEPT_MS 50
#define ASK_EVERY_NS (500 * UM_CLOCK_NS_PER_MS) /* from one ask_thread to the next */
#define ANSWER_MS 100                           /* the thread gets so long to answer */
/* For so long the thread answers, but the DLL does not come: then a line says that it is late, */
#define LATE_NS (3 * UM_CLOCK_NS_PER_S)
/* and then the system is taken to refuse it. */
#define REFUSED_NS (15 * UM_CLOCK_NS_PER_S)
#define HELLO_MS 2000
#define WRITE_MS 1000
#define READ_BYTES (64 * 1024)

struct um_frame_source {
    const struct um_transport *transport;
    struct um_listener *listener;
    struct um_conn *conn;
    struct um_dll *dll;
    uint8_t nonce[16];
    uint64_t asked_ns; /* when the nonce had been posted for the first time */
    struct um_frame_reader frames;
    uint8_t bytes[READ_BYTES]; /* the reader's */
};

/* Posts the nonce, four bytes in each parameter, and this process's id to the thread. Posted
 * messages wait while it is frozen. */
static void post_nonce(const struct um_frame_source *source, const struct um_target_info *target)
{
    HWND window = (HWND)(uintptr_t)target->hwnd;
    const uint8_t *nonce = source->nonce;

    PostMessageW(window, RegisterWindowMessageA(UM_BOOTSTRAP_LOW_MESSAGE), um_bytes_get32(nonce),
                 (LPARAM)um_bytes_get32(nonce + 4));
    PostMessageW(window, RegisterWindowMessageA(UM_BOOTSTRAP_HIGH_MESSAGE),
                 um_bytes_get32(nonce + 8), (LPARAM)um_bytes_get32(nonce + 12));
    PostMessageW(window, RegisterWindowMessageA(UM_BOOTSTRAP_PID_MESSAGE), GetCurrentProcessId(),
                 0);
}

static enum um_status read_frames(struct um_frame_source *source, uint32_t timeout_ms)
{
    size_t room;
    size_t got;
    uint8_t *bytes = um_frame_reader_room(&source->frames, &room);
    enum um_status status = source->transport->read(source->conn, bytes, room, timeout_ms, &got);
    if (status == UM_OK)
        um_frame_reader_add(&source->frames, got);
    return status;
}

static enum um_status next_frame(struct um_frame_source *source, struct um_wire_frame *frame)
{
    return um_frame_reader_next(&source->frames, frame);
}

/* Reads preamble and HELLO, and checks that they come from the target's thread. */
static enum um_status read_hello(struct um_frame_source *source,
                                 const struct um_target_info *target, struct um_wire_frame *hello)
{
    uint64_t until_ns = um_clock_now_ns() + HELLO_MS * UM_CLOCK_NS_PER_MS;
    enum um_status status;
    uint32_t peer = 0;

    if (source->transport->peer_pid(source->conn, &peer) != UM_OK || peer != target->pid)
        return UM_ERR_DENIED;
    um_frame_reader_init(&source->frames, source->bytes, sizeof source->bytes);
    while ((status = next_frame(source, hello)) == UM_ERR_PARTIAL) {
        if (um_clock_now_ns() > until_ns)
            return UM_ERR_FORMAT;
        status = read_frames(source, HELLO_MS);
        if (status != UM_OK)
            return status;
    }
    if (status != UM_OK)
        return status;
    if (hello->type != UM_WIRE_HELLO || hello->as.hello.pid != target->pid ||
        hello->as.hello.tid != target->tid ||
        memcmp(hello->as.hello.nonce, source->nonce, sizeof source->nonce) != 0)
        return UM_ERR_FORMAT;
    return UM_OK;
}

/* How long the DLL has been waited for. Only the time since the thread last failed to answer
 * counts. The limit is long because a thread can answer sent messages without retrieving the posted
 * ones that bring the DLL: while it waits within COM, or for an object. */
struct patience {
    uint64_t asked_ns;     /* when the thread was last asked for an answer */
    uint64_t answering_ns; /* for how long it has answered every time */
    bool said_frozen;
    bool said_late;
};

/* Asks the thread for an answer, and then posts the nonce again: an earlier monitor's DLL may have
 * been leaving when it was posted before. False if the thread has answered for too long without the
 * DLL. */
static bool ask_thread(const struct um_frame_source *source, const struct um_target_info *target,
                       const struct um_frame_source_host *host, struct patience *patience)
{
    uint64_t now_ns = um_clock_now_ns();

    if (um_target->thread_answers(target->hwnd, ANSWER_MS)) {
        patience->answering_ns += now_ns - patience->asked_ns;
        post_nonce(source, target);
    } else {
        patience->answering_ns = 0;
        if (!patience->said_frozen)
            host->say(host->context, "the program is frozen; watching begins when it comes back");
        patience->said_frozen = true;
    }
    patience->asked_ns = um_clock_now_ns();
    if (patience->answering_ns >= LATE_NS && !patience->said_late) {
        host->say(host->context, "the program has not taken the DLL yet; waiting");
        patience->said_late = true;
    }
    return patience->answering_ns < REFUSED_NS;
}

/* Waits for the DLL to connect and to say HELLO. */
static enum um_status wait_for_hello(struct um_frame_source *source,
                                     const struct um_target_info *target,
                                     const struct um_target_process *process,
                                     const struct um_frame_source_host *host,
                                     struct um_wire_frame *hello, char *error, size_t cap)
{
    struct patience patience = {.asked_ns = um_clock_now_ns()};

    for (;;) {
        enum um_status status =
            source->transport->accept(source->listener, ACCEPT_MS, &source->conn);
        if (status == UM_OK && read_hello(source, target, hello) == UM_OK)
            return UM_OK;
        if (status == UM_OK) { /* somebody else's connection */
            source->transport->close(source->conn);
            source->conn = NULL;
        } else if (status != UM_ERR_TIMEOUT) {
            snprintf(error, cap, "uimon: the pipe to the target failed: %s",
                     um_status_text(status));
            return status;
        }
        if (host->give_up(host->context) || !um_target->running(process) ||
            !um_target->window_alive(target->hwnd, target->tid)) {
            snprintf(error, cap, "uimon: %s (pid %lu) closed its window before it could be watched",
                     target->name, (unsigned long)target->pid);
            return UM_ERR_CLOSED;
        }
        if (um_clock_now_ns() - patience.asked_ns >= ASK_EVERY_NS &&
            !ask_thread(source, target, host, &patience)) {
            snprintf(error, cap,
                     "uimon: the system keeps the hook DLL out of %s (pid %lu): it may be a "
                     "protected process, or an antivirus forbids it",
                     target->name, (unsigned long)target->pid);
            return UM_ERR_DENIED;
        }
    }
}

static void close_source(struct um_frame_source *source)
{
    if (!source)
        return;
    source->transport->close(source->conn);
    free(source);
}

static enum um_status open_source(const struct um_target_info *target,
                                  const struct um_target_process *process,
                                  const struct um_frame_source_host *host,
                                  struct um_frame_source **source_out, struct um_wire_frame *hello,
                                  char *error, size_t error_cap)
{
    struct um_frame_source *source = calloc(1, sizeof *source);
    char name[UM_TRANSPORT_NAME_BYTES];
    uint8_t preamble[UM_WIRE_PREAMBLE_BYTES];

    if (!source) {
        snprintf(error, error_cap, "uimon: out of memory");
        return UM_ERR_MEMORY;
    }
    source->transport = um_transport_system();
    enum um_status status =
        um_transport_random_name(UM_BOOTSTRAP_PIPE_PURPOSE, name, source->nonce);
    if (status == UM_OK)
        status = source->transport->listen(name, target->pid, &source->listener);
    if (status != UM_OK) {
        snprintf(error, error_cap, "uimon: no pipe can be made: %s", um_status_text(status));
        goto cleanup;
    }
    status = um_dll_inject(target, &source->dll, error, error_cap);
    if (status != UM_OK)
        goto cleanup;
    post_nonce(source, target);
    source->asked_ns = um_clock_now_ns();
    status = wait_for_hello(source, target, process, host, hello, error, error_cap);
    if (status != UM_OK)
        goto cleanup;
    um_wire_put_preamble(preamble);
    status = source->transport->write(source->conn, preamble, sizeof preamble, WRITE_MS);
    if (status != UM_OK)
        snprintf(error, error_cap, "uimon: the target went away");

cleanup:
    /* The bootstrap hook has done its work: by now the DLL has hooks of its own. */
    um_dll_release(source->dll);
    source->dll = NULL;
    source->transport->close_listener(source->listener);
    source->listener = NULL;
    if (status == UM_OK)
        *source_out = source;
    else
        close_source(source);
    return status;
}

static uint64_t asked_ns(const struct um_frame_source *source)
{
    return source->asked_ns;
}

static enum um_status send_command(struct um_frame_source *source,
                                   const struct um_wire_frame *command)
{
    uint8_t buf[UM_WIRE_MAX_BYTES];
    size_t len;
    enum um_status status = um_wire_encode(command, buf, sizeof buf, &len);
    if (status != UM_OK)
        return status;
    return source->transport->write(source->conn, buf, len, WRITE_MS);
}

const struct um_frame_source_backend um_frame_source_win32 = {
    .open = open_source,
    .asked_ns = asked_ns,
    .read = read_frames,
    .next = next_frame,
    .command = send_command,
    .close = close_source,
};
