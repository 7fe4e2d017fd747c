#include "monitor/target/attach.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "ipc/bootstrap.h"
#include "ipc/clock.h"
#include "ipc/frame_reader.h"
#include "ipc/pipe_win32.h"
#include "monitor/base/platform.h"
#include "monitor/base/wide_win32.h"

#define DLL_NAME "uimon-hook64.dll"
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
    HHOOK hook;
    HMODULE dll;
    uint8_t nonce[16];
    struct um_frame_reader frames;
    uint8_t bytes[READ_BYTES]; /* the reader's */
};

/* FNV-1a. It is part of the copy's name, so that two builds of one version have two names.
 * Source: http://www.isthe.com/chongo/tech/comp/fnv/ */
static uint64_t hash(const uint8_t *bytes, size_t len)
{
    uint64_t value = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < len; i++)
        value = (value ^ bytes[i]) * UINT64_C(0x100000001b3);
    return value;
}

/* A whole file. Owner: free(*bytes). */
static bool read_file(const wchar_t *path, uint8_t **bytes, size_t *len)
{
    HANDLE file = CreateFileW(path, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_DELETE, NULL,
                              OPEN_EXISTING, 0, NULL);
    LARGE_INTEGER size;
    DWORD got = 0;
    bool whole = false;

    *bytes = NULL;
    if (file == INVALID_HANDLE_VALUE)
        return false;
    if (GetFileSizeEx(file, &size) && size.QuadPart > 0 && size.QuadPart < (64 << 20)) {
        *bytes = malloc((size_t)size.QuadPart);
        whole = *bytes && ReadFile(file, *bytes, (DWORD)size.QuadPart, &got, NULL) &&
                got == (DWORD)size.QuadPart;
        *len = got;
    }
    CloseHandle(file);
    if (!whole)
        free(*bytes);
    return whole;
}

static bool write_file(const wchar_t *path, const uint8_t *bytes, size_t len)
{
    HANDLE file = CreateFileW(path, GENERIC_WRITE, 0, NULL, CREATE_ALWAYS, 0, NULL);
    DWORD put = 0;

    if (file == INVALID_HANDLE_VALUE)
        return false;
    bool whole = WriteFile(file, bytes, (DWORD)len, &put, NULL) && put == len;
    return CloseHandle(file) && whole;
}

static bool same_file(const wchar_t *path, const uint8_t *bytes, size_t len)
{
    uint8_t *there;
    size_t there_len = 0;
    if (!read_file(path, &there, &there_len))
        return false;
    bool same = there_len == len && memcmp(there, bytes, len) == 0;
    free(there);
    return same;
}

/* The DLL is injected from a copy, so that a later version can be installed while a target still
 * has this one. `path` gets the copy's name. */
static enum um_status copy_dll(wchar_t path[MAX_PATH * 2])
{
    char name[UM_PLATFORM_PATH_BYTES];
    wchar_t folder[MAX_PATH];
    wchar_t fresh[MAX_PATH * 2 + 16];
    uint8_t *bytes = NULL;
    size_t len = 0;

    if (um_platform_beside(DLL_NAME, name, sizeof name) != UM_OK)
        return UM_ERR_IO;
    wchar_t *source = um_wide_from_utf8(name);
    bool there = source && read_file(source, &bytes, &len);
    free(source);
    if (!there)
        return UM_ERR_NOT_FOUND;
    DWORD got = GetEnvironmentVariableW(L"LOCALAPPDATA", folder, MAX_PATH - 8);
    if (got == 0 || got >= MAX_PATH - 8)
        GetTempPathW(MAX_PATH - 8, folder);
    wcscat(folder, L"\\uimon");
    CreateDirectoryW(folder, NULL);
    swprintf(path, MAX_PATH * 2, L"%ls\\uimon-hook64-%hs-%016llx.dll", folder, UM_VERSION,
             (unsigned long long)hash(bytes, len));
    enum um_status status = UM_OK;
    if (!same_file(path, bytes, len)) {
        /* Renamed into place, so that no program ever loads a half-written file. */
        swprintf(fresh, MAX_PATH * 2 + 16, L"%ls.%lu", path, GetCurrentProcessId());
        if (!write_file(fresh, bytes, len) ||
            !MoveFileExW(fresh, path, MOVEFILE_REPLACE_EXISTING)) {
            DeleteFileW(fresh);
            /* A loaded DLL cannot be replaced. That is no failure if another uimon has just put the
             * same file there. */
            status = same_file(path, bytes, len) ? UM_OK : UM_ERR_IO;
        }
    }
    free(bytes);
    return status;
}

static enum um_status load_dll(struct um_attach *attach, HOOKPROC *proc, char *error, size_t cap)
{
    wchar_t path[MAX_PATH * 2];
    enum um_status status = copy_dll(path);
    if (status == UM_ERR_NOT_FOUND) {
        snprintf(error, cap,
                 "uimon: uimon-hook64.dll is not beside uimon.exe: unpack the whole "
                 "package into one folder");
        return status;
    }
    if (status != UM_OK) {
        snprintf(error, cap,
                 "uimon: the hook DLL cannot be copied to %%LOCALAPPDATA%%\\uimon: make "
                 "that folder writable");
        return status;
    }
    attach->dll = LoadLibraryW(path);
    *proc = attach->dll ? (HOOKPROC)(uintptr_t)GetProcAddress(attach->dll, UM_BOOTSTRAP_HOOK_PROC)
                        : NULL;
    if (*proc)
        return UM_OK;
    snprintf(error, cap,
             "uimon: the hook DLL cannot be loaded (error %lu): an antivirus may have "
             "removed it; install uimon again",
             GetLastError());
    return UM_ERR_DENIED;
}

/* Posts the nonce and this process's id to the thread: posted messages wait while it is frozen. */
static void post_nonce(const struct um_attach *attach, const struct um_target_info *target)
{
    HWND window = (HWND)(uintptr_t)target->hwnd;
    uint64_t low = 0;
    uint64_t high = 0;

    for (int i = 7; i >= 0; i--) {
        low = low << 8 | attach->nonce[i];
        high = high << 8 | attach->nonce[8 + i];
    }
    PostMessageW(window, RegisterWindowMessageA(UM_BOOTSTRAP_NONCE_MESSAGE), (WPARAM)low,
                 (LPARAM)high);
    PostMessageW(window, RegisterWindowMessageA(UM_BOOTSTRAP_PID_MESSAGE), GetCurrentProcessId(),
                 0);
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

static enum um_status set_hook(struct um_attach *attach, const struct um_target_info *target,
                               HOOKPROC proc, char *error, size_t cap)
{
    attach->hook = SetWindowsHookExW(WH_GETMESSAGE, proc, attach->dll, target->tid);
    if (attach->hook)
        return UM_OK;
    DWORD code = GetLastError();
    if (code == ERROR_ACCESS_DENIED) {
        snprintf(error, cap,
                 "uimon: the system allows no hook in %s (pid %lu): if it runs elevated, start "
                 "uimon as administrator too",
                 target->name, (unsigned long)target->pid);
        return UM_ERR_DENIED;
    }
    snprintf(error, cap, "uimon: no hook can be set in thread %lu of %s (pid %lu), error %lu",
             (unsigned long)target->tid, target->name, (unsigned long)target->pid, code);
    return um_target_window_alive(target->hwnd, target->tid) ? UM_ERR_DENIED : UM_ERR_CLOSED;
}

enum um_status um_attach_open(const struct um_target_info *target,
                              const struct um_target_process *process,
                              const struct um_attach_host *host, struct um_attach **attach_out,
                              struct um_wire_frame *hello, char *error, size_t error_cap)
{
    struct um_attach *attach = calloc(1, sizeof *attach);
    char name[UM_TRANSPORT_NAME_BYTES];
    uint8_t preamble[UM_WIRE_PREAMBLE_BYTES];
    HOOKPROC proc;

    if (!attach) {
        snprintf(error, error_cap, "uimon: out of memory");
        return UM_ERR_MEMORY;
    }
    attach->transport = um_transport_system();
    enum um_status status = load_dll(attach, &proc, error, error_cap);
    if (status != UM_OK)
        goto cleanup;
    status = um_transport_random_name(UM_BOOTSTRAP_PIPE_PURPOSE, name, attach->nonce);
    if (status == UM_OK)
        status = attach->transport->listen(name, &attach->listener);
    if (status != UM_OK) {
        snprintf(error, error_cap, "uimon: no pipe can be made: %s", um_status_text(status));
        goto cleanup;
    }
    status = set_hook(attach, target, proc, error, error_cap);
    if (status != UM_OK)
        goto cleanup;
    post_nonce(attach, target);
    status = wait_for_hello(attach, target, process, host, hello, error, error_cap);
    if (status != UM_OK)
        goto cleanup;
    um_wire_put_preamble(preamble);
    status = attach->transport->write(attach->conn, preamble, sizeof preamble, WRITE_MS);
    if (status != UM_OK)
        snprintf(error, error_cap, "uimon: the target went away");

cleanup:
    /* The bootstrap hook has done its work: by now the DLL has hooks of its own. */
    if (attach->hook)
        UnhookWindowsHookEx(attach->hook);
    attach->hook = NULL;
    attach->transport->close_listener(attach->listener);
    attach->listener = NULL;
    if (status == UM_OK)
        *attach_out = attach;
    else
        um_attach_close(attach);
    return status;
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
    if (attach->dll)
        FreeLibrary(attach->dll);
    free(attach);
}
