#include "ipc/transport.h"

#include <windows.h>

#include <bcrypt.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain/clock.h"
#include "ipc/pipe_win32.h"
#include "base/token_win32.h"

#define BUFFER_BYTES (256 * 1024)
#define RETRY_MS 5

static const wchar_t prefix[] = L"\\\\.\\pipe\\";

#define PATH_CHARS (sizeof prefix / sizeof prefix[0] + UM_TRANSPORT_NAME_BYTES)

struct um_conn {
    struct um_pipe pipe;
    int is_server;
};

struct um_listener {
    wchar_t path[PATH_CHARS];
    struct um_token_sid user;
    ACL *acl;
    ACL *label; /* NULL: the integrity level is not known */
    SECURITY_DESCRIPTOR descriptor;
    HANDLE instance; /* waits for the next client; NULL if it could not be made */
    OVERLAPPED connecting;
    int is_pending;         /* `connecting` is under way; else its event is set by hand */
    HANDLE interrupt_event; /* set: accept returns UM_ERR_CLOSED */
};

/* What is left until then, rounded up, as Windows wants it. */
static DWORD left_ms(uint64_t end_ns)
{
    uint64_t now_ns = um_clock_now_ns();
    if (end_ns == UINT64_MAX)
        return INFINITE;
    return end_ns > now_ns ? (DWORD)((end_ns - now_ns - 1) / UM_CLOCK_NS_PER_MS + 1) : 0;
}

static enum um_status make_path(const char *name, wchar_t *path)
{
    if (!um_transport_name_is_valid(name))
        return UM_ERR_ARG;
    memcpy(path, prefix, sizeof prefix);
    wchar_t *at = path + sizeof prefix / sizeof prefix[0] - 1;
    do {
        *at++ = (wchar_t)*name;
    } while (*name++);
    return UM_OK;
}

/* Who runs this process. */
static enum um_status find_user(struct um_token_sid *user)
{
    return um_token_user(user) ? UM_OK : um_pipe_status(GetLastError());
}

/* The lower of this process's integrity level and the client's; negative if it is not known. */
static long lower_level(uint32_t client_pid)
{
    long own = um_token_level(GetCurrentProcess()), theirs = -1;
    HANDLE client =
        client_pid ? OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, client_pid) : NULL;

    if (client) {
        theirs = um_token_level(client);
        CloseHandle(client);
    }
    return theirs >= 0 && theirs < own ? theirs : own;
}

/* Keeps out processes of a lower level. A pipe without a label counts as one of medium level, which
 * every process below may read. */
static enum um_status add_label(struct um_listener *listener, uint32_t client_pid)
{
    SID_IDENTIFIER_AUTHORITY authority = SECURITY_MANDATORY_LABEL_AUTHORITY;
    struct um_token_sid level;
    long rid = lower_level(client_pid);

    if (rid < 0)
        return UM_OK;
    InitializeSid(level.bytes, &authority, 1);
    *GetSidSubAuthority(level.bytes, 0) = (DWORD)rid;
    DWORD bytes =
        (DWORD)(sizeof(ACL) + sizeof(SYSTEM_MANDATORY_LABEL_ACE)) + GetLengthSid(level.bytes);
    listener->label = calloc(1, bytes);
    if (!listener->label)
        return UM_ERR_MEMORY;
    if (!InitializeAcl(listener->label, bytes, ACL_REVISION) ||
        !AddMandatoryAce(listener->label, ACL_REVISION, 0,
                         SYSTEM_MANDATORY_LABEL_NO_WRITE_UP | SYSTEM_MANDATORY_LABEL_NO_READ_UP,
                         level.bytes) ||
        !SetSecurityDescriptorSacl(&listener->descriptor, TRUE, listener->label, FALSE))
        return um_pipe_status(GetLastError());
    return UM_OK;
}

/* Gives the pipe to the current user alone, as the owner (which clients check) and in the DACL.
 *
 * The DACL of the first instance decides who may make further ones, so it has to give the listener
 * FILE_CREATE_PIPE_INSTANCE. Clients run as the same user and get that right too, although they do
 * not ask for it (um_pipe_open). That gives nothing away: as the owner, every program of the user
 * could change the DACL. The mandatory label keeps out programs of lower integrity, and the hook
 * DLL checks the server's process id, so that it does not talk to another program's instance. */
static enum um_status make_descriptor(struct um_listener *listener, uint32_t client_pid)
{
    enum um_status status = find_user(&listener->user);
    if (status != UM_OK)
        return status;
    DWORD rights = FILE_GENERIC_READ | FILE_WRITE_DATA | FILE_WRITE_ATTRIBUTES | FILE_WRITE_EA |
                   FILE_CREATE_PIPE_INSTANCE;
    PSID user = listener->user.bytes;
    DWORD acl_bytes = (DWORD)(sizeof(ACL) + sizeof(ACCESS_ALLOWED_ACE)) + GetLengthSid(user);
    listener->acl = calloc(1, acl_bytes);
    if (!listener->acl)
        return UM_ERR_MEMORY;
    if (!InitializeAcl(listener->acl, acl_bytes, ACL_REVISION) ||
        !AddAccessAllowedAce(listener->acl, ACL_REVISION, rights, user) ||
        !InitializeSecurityDescriptor(&listener->descriptor, SECURITY_DESCRIPTOR_REVISION) ||
        !SetSecurityDescriptorOwner(&listener->descriptor, user, FALSE) ||
        !SetSecurityDescriptorDacl(&listener->descriptor, TRUE, listener->acl, FALSE))
        return um_pipe_status(GetLastError());
    return add_label(listener, client_pid);
}

static HANDLE make_instance(struct um_listener *listener, DWORD first_flag)
{
    SECURITY_ATTRIBUTES security = {sizeof security, &listener->descriptor, FALSE};
    return CreateNamedPipeW(listener->path, PIPE_ACCESS_DUPLEX | FILE_FLAG_OVERLAPPED | first_flag,
                            PIPE_TYPE_BYTE | PIPE_READMODE_BYTE | PIPE_WAIT |
                                PIPE_REJECT_REMOTE_CLIENTS,
                            PIPE_UNLIMITED_INSTANCES, BUFFER_BYTES, BUFFER_BYTES, 0, &security);
}

/* Makes the instance for the next client. A label of one's own level or a lower one should need no
 * privilege; if the system demands one all the same, the pipe gets no label. */
static enum um_status arm(struct um_listener *listener, DWORD first_flag)
{
    HANDLE instance = make_instance(listener, first_flag);
    if (instance == INVALID_HANDLE_VALUE && GetLastError() == ERROR_PRIVILEGE_NOT_HELD &&
        SetSecurityDescriptorSacl(&listener->descriptor, FALSE, NULL, FALSE))
        instance = make_instance(listener, first_flag);
    if (instance == INVALID_HANDLE_VALUE) {
        /* With the first-instance flag, "access denied" means that there is one already. */
        DWORD error = GetLastError();
        return first_flag && error == ERROR_ACCESS_DENIED ? UM_ERR_EXISTS : um_pipe_status(error);
    }
    HANDLE event = listener->connecting.hEvent;
    listener->connecting = (OVERLAPPED){.hEvent = event};
    ResetEvent(event);
    listener->is_pending = 0;
    if (!ConnectNamedPipe(instance, &listener->connecting)) {
        switch (GetLastError()) {
        case ERROR_IO_PENDING:
            listener->is_pending = 1;
            break;
        case ERROR_PIPE_CONNECTED: /* A client was faster. */
        case ERROR_NO_DATA:        /* It even left again, but may have written something. */
            break;
        default:
            CloseHandle(instance);
            return UM_ERR_IO;
        }
    }
    if (!listener->is_pending)
        SetEvent(event);
    listener->instance = instance;
    return UM_OK;
}

static void close_instance(struct um_listener *listener)
{
    if (!listener->instance)
        return;
    DWORD unused = 0;
    if (listener->is_pending) {
        CancelIoEx(listener->instance, &listener->connecting);
        GetOverlappedResult(listener->instance, &listener->connecting, &unused, TRUE);
    }
    CloseHandle(listener->instance);
    listener->instance = NULL;
}

static void pipe_close_listener(struct um_listener *listener)
{
    if (!listener)
        return;
    close_instance(listener);
    if (listener->connecting.hEvent)
        CloseHandle(listener->connecting.hEvent);
    if (listener->interrupt_event)
        CloseHandle(listener->interrupt_event);
    free(listener->acl);
    free(listener->label);
    free(listener);
}

/* Wine ignores FILE_FLAG_FIRST_PIPE_INSTANCE, and so two listeners would share the clients. */
static int name_exists(const wchar_t *path)
{
    return WaitNamedPipeW(path, 1) || GetLastError() == ERROR_SEM_TIMEOUT;
}

static enum um_status pipe_listen(const char *name, uint32_t client_pid,
                                  struct um_listener **listener)
{
    struct um_listener *made = calloc(1, sizeof *made);
    if (!made)
        return UM_ERR_MEMORY;
    made->connecting.hEvent = CreateEventW(NULL, TRUE, FALSE, NULL);
    made->interrupt_event = CreateEventW(NULL, TRUE, FALSE, NULL);
    enum um_status status = make_path(name, made->path);
    if (status == UM_OK && (!made->connecting.hEvent || !made->interrupt_event))
        status = UM_ERR_MEMORY;
    if (status == UM_OK)
        status = make_descriptor(made, client_pid);
    if (status == UM_OK && name_exists(made->path))
        status = UM_ERR_EXISTS;
    if (status == UM_OK)
        status = arm(made, FILE_FLAG_FIRST_PIPE_INSTANCE);
    if (status != UM_OK) {
        pipe_close_listener(made);
        return status;
    }
    *listener = made;
    return UM_OK;
}

/* Takes over the handle, also when it fails. */
static enum um_status adopt(HANDLE handle, struct um_conn **conn)
{
    struct um_conn *made = calloc(1, sizeof *made);
    if (!made) {
        CloseHandle(handle);
        return UM_ERR_MEMORY;
    }
    enum um_status status = um_pipe_adopt(handle, &made->pipe);
    if (status != UM_OK) {
        free(made);
        return status;
    }
    made->is_server = 1;
    *conn = made;
    return UM_OK;
}

static enum um_status pipe_accept(struct um_listener *listener, uint32_t timeout_ms,
                                  struct um_conn **conn)
{
    if (WaitForSingleObject(listener->interrupt_event, 0) == WAIT_OBJECT_0)
        return UM_ERR_CLOSED; /* also where no instance can be made */
    enum um_status status = listener->instance ? UM_OK : arm(listener, 0);
    if (status != UM_OK)
        return status;
    HANDLE events[2] = {listener->interrupt_event, listener->connecting.hEvent};
    switch (WaitForMultipleObjects(2, events, FALSE, timeout_ms)) {
    case WAIT_OBJECT_0:
        return UM_ERR_CLOSED;
    case WAIT_OBJECT_0 + 1:
        break;
    case WAIT_TIMEOUT:
        return UM_ERR_TIMEOUT;
    default:
        return UM_ERR_IO;
    }
    DWORD unused = 0;
    BOOL connected = !listener->is_pending ||
                     GetOverlappedResult(listener->instance, &listener->connecting, &unused, FALSE);
    HANDLE instance = listener->instance;
    listener->instance = NULL;
    /* The next instance is made first, so that the name never ceases to exist. If that fails, this
     * client is served all the same, and the next accept tries again. */
    arm(listener, 0);
    if (!connected) {
        CloseHandle(instance);
        return UM_ERR_IO;
    }
    return adopt(instance, conn);
}

static void pipe_interrupt(struct um_listener *listener)
{
    SetEvent(listener->interrupt_event);
}

/* Checks that the pipe belongs to the user who runs this process. Nobody can make another user the
 * owner of a pipe. Errors: UM_ERR_DENIED. */
static enum um_status check_owner(HANDLE pipe)
{
    union {
        SECURITY_DESCRIPTOR descriptor;
        BYTE bytes[sizeof(SECURITY_DESCRIPTOR) + SECURITY_MAX_SID_SIZE];
    } info;
    struct um_token_sid user;
    PSID owner = NULL;
    BOOL is_default = FALSE;
    DWORD needed_bytes = 0;
    enum um_status status = find_user(&user);
    if (status != UM_OK)
        return status;
    if (!GetKernelObjectSecurity(pipe, OWNER_SECURITY_INFORMATION, &info.descriptor, sizeof info,
                                 &needed_bytes) ||
        !GetSecurityDescriptorOwner(&info.descriptor, &owner, &is_default))
        return um_pipe_status(GetLastError());
    return owner && EqualSid(owner, user.bytes) ? UM_OK : UM_ERR_DENIED;
}

/* Opens the pipe, and waits for it to exist and to have a free instance. */
static enum um_status open_until(const wchar_t *path, uint64_t end_ns, struct um_pipe *pipe)
{
    for (;;) {
        enum um_status status = um_pipe_open(path, pipe);
        if (status != UM_ERR_NOT_FOUND && status != UM_ERR_BUSY)
            return status;
        DWORD wait_ms = left_ms(end_ns);
        if (wait_ms == 0)
            return status == UM_ERR_BUSY ? UM_ERR_TIMEOUT : status;
        /* 0 would be the server's default, and nothing wakes us if the name goes away. */
        wait_ms = wait_ms < RETRY_MS ? wait_ms : RETRY_MS;
        if (status == UM_ERR_BUSY)
            WaitNamedPipeW(path, wait_ms);
        else
            Sleep(wait_ms);
    }
}

static enum um_status pipe_connect(const char *name, uint32_t timeout_ms, struct um_conn **conn)
{
    wchar_t path[PATH_CHARS];
    uint64_t end_ns = um_transport_deadline_ns(timeout_ms);
    enum um_status status = make_path(name, path);
    if (status != UM_OK)
        return status;
    struct um_conn *made = calloc(1, sizeof *made);
    if (!made)
        return UM_ERR_MEMORY;
    status = open_until(path, end_ns, &made->pipe);
    if (status == UM_OK)
        status = check_owner(made->pipe.handle);
    if (status != UM_OK) {
        um_pipe_close(&made->pipe);
        free(made);
        return status;
    }
    *conn = made;
    return UM_OK;
}

static intptr_t pipe_release(struct um_conn *conn)
{
    HANDLE handle = conn->pipe.handle;
    conn->pipe.handle = NULL;
    um_pipe_close(&conn->pipe);
    free(conn);
    return (intptr_t)handle;
}

static enum um_status pipe_adopt(intptr_t handle, struct um_conn **conn)
{
    HANDLE pipe = (HANDLE)handle;
    DWORD flags = 0;
    enum um_status status = UM_ERR_ARG;
    if (GetNamedPipeInfo(pipe, &flags, NULL, NULL, NULL) && !(flags & PIPE_SERVER_END))
        status = check_owner(pipe);
    if (status != UM_OK) {
        CloseHandle(pipe);
        return status;
    }
    status = adopt(pipe, conn);
    if (status == UM_OK)
        (*conn)->is_server = 0;
    return status;
}

static enum um_status pipe_read(struct um_conn *conn, void *buf, size_t cap_bytes,
                                uint32_t timeout_ms, size_t *len_bytes)
{
    return um_pipe_read(&conn->pipe, buf, cap_bytes, timeout_ms, len_bytes);
}

static enum um_status pipe_write(struct um_conn *conn, const void *buf, size_t len_bytes,
                                 uint32_t timeout_ms)
{
    return um_pipe_write(&conn->pipe, buf, len_bytes, timeout_ms);
}

static enum um_status pipe_peer_pid(struct um_conn *conn, uint32_t *pid)
{
    ULONG found = 0;
    BOOL done = conn->is_server ? GetNamedPipeClientProcessId(conn->pipe.handle, &found)
                                : GetNamedPipeServerProcessId(conn->pipe.handle, &found);
    if (!done)
        return um_pipe_status(GetLastError());
    *pid = found;
    return UM_OK;
}

static void pipe_shut(struct um_conn *conn)
{
    um_pipe_shut(&conn->pipe);
}

static void pipe_close(struct um_conn *conn)
{
    if (!conn)
        return;
    um_pipe_close(&conn->pipe);
    free(conn);
}

enum um_status um_transport_random_bits(uint8_t *bits, size_t len_bytes)
{
    NTSTATUS status =
        BCryptGenRandom(NULL, bits, (ULONG)len_bytes, BCRYPT_USE_SYSTEM_PREFERRED_RNG);
    return status == 0 ? UM_OK : UM_ERR_IO;
}

uint32_t um_transport_own_pid(void)
{
    return GetCurrentProcessId();
}

const struct um_transport *um_transport_system(void)
{
    static const struct um_transport transport = {
        .label = "named pipe",
        .listen = pipe_listen,
        .accept = pipe_accept,
        .close_listener = pipe_close_listener,
        .interrupt = pipe_interrupt,
        .connect = pipe_connect,
        .read = pipe_read,
        .write = pipe_write,
        .release = pipe_release,
        .adopt = pipe_adopt,
        .peer_pid = pipe_peer_pid,
        .shut = pipe_shut,
        .close = pipe_close,
    };
    return &transport;
}
