#include "monitor/target/attach.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "ipc/bootstrap.h"
#include "ipc/clock.h"
#include "ipc/frame_reader.h"
#include "ipc/pipe_win32.h"
#include "monitor/target/dll.h"

#define ACCEPT_MS 50
#define ASK_EVERY_NS (500 * UM_CLOCK_NS_PER_MS) /* whether the thread answers, and post again */
#define ANSWER_MS 100                           /* the thread gets so long to answer */
#define LATE_NS (3 * UM_CLOCK_NS_PER_S) /* after this with answers, but no DLL, a line says so, */
#define REFUSED_NS (15 * UM_CLOCK_NS_PER_S) /* and after this the system is taken to refuse it */
#define HELLO_MS 2000
#define WRITE_MS 1000
#define READ_BYTES (64 * 1024)

struct um_attach {
    const struct um_transport *transport;
    struct um_listener *listener;
    struct um_conn *conn;
    struct um_dll *dll;
    uint8_t nonce[16];
    uint32_t key_delay_us; /* asked for */
    uint64_t asked_ns;     /* when the nonce had been posted for the first time */
    struct um_frame_reader frames;
    uint8_t bytes[READ_BYTES]; /* the reader's */
};

/* Four bytes of the nonce, lowest first: what one parameter of a message can carry. */
static uint32_t nonce_part(const struct um_attach *attach, size_t part)
{
    const uint8_t *bytes = attach->nonce + 4 * part;
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* Posts the nonce, this process's id and the delay of each key to the thread: posted messages wait
 * while it is frozen. */
static void post_nonce(const struct um_attach *attach, const struct um_target_info *target)
{
    HWND window = (HWND)(uintptr_t)target->hwnd;

    PostMessageW(window, RegisterWindowMessageA(UM_BOOTSTRAP_LOW_MESSAGE), nonce_part(attach, 0),
                 (LPARAM)nonce_part(attach, 1));
    PostMessageW(window, RegisterWindowMessageA(UM_BOOTSTRAP_HIGH_MESSAGE), nonce_part(attach, 2),
                 (LPARAM)nonce_part(attach, 3));
    PostMessageW(window, RegisterWindowMessageA(UM_BOOTSTRAP_PID_MESSAGE), GetCurrentProcessId(),
                 (LPARAM)attach->key_delay_us);
}

enum um_status um_attach_read(struct um_attach *attach, uint32_t timeout_ms)
{
    size_t room;
    size_t got;
    uint8_t *bytes = um_frame_reader_room(&attach->frames, &room);
    enum um_status status = attach->transport->read(attach->conn, bytes, room, timeout_ms, &got);
    if (status == UM_OK)
        um_frame_reader_add(&attach->frames, got);
    return status;
}

enum um_status um_attach_next(struct um_attach *attach, struct um_wire_frame *frame)
{
    return um_frame_reader_next(&attach->frames, frame);
}

/* Reads preamble and HELLO, and checks that they come from the thread that was asked. */
static enum um_status read_hello(struct um_attach *attach, const struct um_target_info *target,
                                 struct um_wire_frame *hello)
{
    uint64_t until_ns = um_clock_now_ns() + HELLO_MS * UM_CLOCK_NS_PER_MS;
    enum um_status status;
    uint32_t peer = 0;

    if (attach->transport->peer_pid(attach->conn, &peer) != UM_OK || peer != target->pid)
        return UM_ERR_DENIED;
    um_frame_reader_init(&attach->frames, attach->bytes, sizeof attach->bytes);
    while ((status = um_attach_next(attach, hello)) == UM_ERR_PARTIAL) {
        if (um_clock_now_ns() > until_ns)
            return UM_ERR_FORMAT;
        status = um_attach_read(attach, HELLO_MS);
        if (status != UM_OK)
            return status;
    }
    if (status != UM_OK)
        return status;
    if (hello->type != UM_WIRE_HELLO || hello->as.hello.pid != target->pid ||
        hello->as.hello.tid != target->tid ||
        memcmp(hello->as.hello.nonce, attach->nonce, sizeof attach->nonce) != 0)
        return UM_ERR_FORMAT;
    return UM_OK;
}

/* How long the DLL has been waited for. Only time in which the thread answers without a break
 * counts. The limit is long because a thread may answer sent messages and still retrieve no posted
 * ones, which bring the DLL: in a wait of COM's, or for an object. */
struct patience {
    uint64_t asked_ns;     /* when the thread was asked for an answer, the last time */
    uint64_t answering_ns; /* for how long it has answered each time */
    bool said_frozen;
    bool said_late;
};

/* Asks the thread for an answer, and posts the nonce again if it gives one: an earlier monitor's
 * DLL may have been leaving when it was posted. False if the thread has been answering for too
 * long. */
static bool ask_thread(const struct um_attach *attach, const struct um_target_info *target,
                       const struct um_attach_host *host, struct patience *patience)
{
    uint64_t now_ns = um_clock_now_ns();

    if (um_target_thread_answers(target->hwnd, ANSWER_MS)) {
        patience->answering_ns += now_ns - patience->asked_ns;
        post_nonce(attach, target);
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
static enum um_status wait_for_hello(struct um_attach *attach, const struct um_target_info *target,
                                     const struct um_target_process *process,
                                     const struct um_attach_host *host, struct um_wire_frame *hello,
                                     char *error, size_t cap)
{
    struct patience patience = {.asked_ns = um_clock_now_ns()};

    for (;;) {
        enum um_status status =
            attach->transport->accept(attach->listener, ACCEPT_MS, &attach->conn);
        if (status == UM_OK && read_hello(attach, target, hello) == UM_OK)
            return UM_OK;
        if (status == UM_OK) { /* somebody else's connection */
            attach->transport->close(attach->conn);
            attach->conn = NULL;
        } else if (status != UM_ERR_TIMEOUT) {
            snprintf(error, cap, "uimon: the pipe to the target failed: %s",
                     um_status_text(status));
            return status;
        }
        if (host->give_up(host->context) || !um_target_running(process) ||
            !um_target_window_alive(target->hwnd, target->tid)) {
            snprintf(error, cap, "uimon: %s (pid %lu) closed its window before it could be watched",
                     target->name, (unsigned long)target->pid);
            return UM_ERR_CLOSED;
        }
        if (um_clock_now_ns() - patience.asked_ns >= ASK_EVERY_NS &&
            !ask_thread(attach, target, host, &patience)) {
            snprintf(error, cap,
                     "uimon: the system keeps the hook DLL out of %s (pid %lu): it may be a "
                     "protected process, or an antivirus forbids it",
                     target->name, (unsigned long)target->pid);
            return UM_ERR_DENIED;
        }
    }
}

enum um_status um_attach_open(const struct um_target_info *target,
                              const struct um_target_process *process, uint32_t key_delay_us,
                              const struct um_attach_host *host, struct um_attach **attach_out,
                              struct um_wire_frame *hello, char *error, size_t error_cap)
{
    struct um_attach *attach = calloc(1, sizeof *attach);
    char name[UM_TRANSPORT_NAME_BYTES];
    uint8_t preamble[UM_WIRE_PREAMBLE_BYTES];

    if (!attach) {
        snprintf(error, error_cap, "uimon: out of memory");
        return UM_ERR_MEMORY;
    }
    attach->transport = um_transport_system();
    attach->key_delay_us = key_delay_us;
    enum um_status status =
        um_transport_random_name(UM_BOOTSTRAP_PIPE_PURPOSE, name, attach->nonce);
    if (status == UM_OK)
        status = attach->transport->listen(name, target->pid, &attach->listener);
    if (status != UM_OK) {
        snprintf(error, error_cap, "uimon: no pipe can be made: %s", um_status_text(status));
        goto cleanup;
    }
    status = um_dll_inject(target, &attach->dll, error, error_cap);
    if (status != UM_OK)
        goto cleanup;
    post_nonce(attach, target);
    attach->asked_ns = um_clock_now_ns();
    status = wait_for_hello(attach, target, process, host, hello, error, error_cap);
    if (status != UM_OK)
        goto cleanup;
    um_wire_put_preamble(preamble);
    status = attach->transport->write(attach->conn, preamble, sizeof preamble, WRITE_MS);
    if (status != UM_OK)
        snprintf(error, error_cap, "uimon: the target went away");

cleanup:
    /* The bootstrap hook has done its work: by now the DLL has hooks of its own. */
    um_dll_release(attach->dll);
    attach->dll = NULL;
    attach->transport->close_listener(attach->listener);
    attach->listener = NULL;
    if (status == UM_OK)
        *attach_out = attach;
    else
        um_attach_close(attach);
    return status;
}

uint64_t um_attach_asked_ns(const struct um_attach *attach)
{
    return attach->asked_ns;
}

enum um_status um_attach_command(struct um_attach *attach, const struct um_wire_frame *command)
{
    uint8_t buf[UM_WIRE_MAX_BYTES];
    size_t len;
    enum um_status status = um_wire_encode(command, buf, sizeof buf, &len);
    if (status != UM_OK)
        return status;
    return attach->transport->write(attach->conn, buf, len, WRITE_MS);
}

void um_attach_close(struct um_attach *attach)
{
    if (!attach)
        return;
    attach->transport->close(attach->conn);
    free(attach);
}
