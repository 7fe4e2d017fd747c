/* Checks that the hook pipe is served by the process that the nonce message named, for the same
 * user. The usual functions for tokens and owners belong to advapi32, which the DLL must not
 * import. The documented ones of ntdll beneath them are in every process. */
#include "hooks/hook_win32.h"

#include <winternl.h>

#define SID_BYTES_MAX 68

typedef NTSTATUS(NTAPI *open_token_fn)(HANDLE, ACCESS_MASK, HANDLE *);
typedef NTSTATUS(NTAPI *query_token_fn)(HANDLE, int, void *, ULONG, ULONG *);
typedef NTSTATUS(NTAPI *query_security_fn)(HANDLE, SECURITY_INFORMATION, void *, ULONG, ULONG *);

/* Room for an answer of the system and the SIDs that follow it. */
union answer {
    TOKEN_USER user;
    SECURITY_DESCRIPTOR_RELATIVE descriptor;
    uint8_t bytes[512];
};

static FARPROC ntdll_function(const char *name)
{
    HMODULE ntdll = GetModuleHandleW(L"ntdll.dll");
    return ntdll ? GetProcAddress(ntdll, name) : NULL;
}

static int same_sid(const uint8_t *a, const uint8_t *b, const uint8_t *end_of_b)
{
    size_t len = 8 + 4 * (size_t)a[1];
    if (len > SID_BYTES_MAX || b + len > end_of_b)
        return 0;
    for (size_t i = 0; i < len; i++)
        if (a[i] != b[i])
            return 0;
    return 1;
}

/* The SID of this process's user, inside `answer`; NULL if the system does not say. */
static const uint8_t *own_sid(union answer *answer)
{
    open_token_fn open_token = (open_token_fn)(uintptr_t)ntdll_function("NtOpenProcessToken");
    query_token_fn query = (query_token_fn)(uintptr_t)ntdll_function("NtQueryInformationToken");
    HANDLE token;
    ULONG len;

    if (!open_token || !query || open_token(GetCurrentProcess(), TOKEN_QUERY, &token) < 0)
        return NULL;
    NTSTATUS status = query(token, TokenUser, answer, sizeof *answer, &len);
    CloseHandle(token);
    return status < 0 ? NULL : answer->user.User.Sid;
}

/* Whether the pipe's owner is this process's user. The server's token would say the same, but the
 * token of an elevated monitor cannot be opened from here. The owner is proof enough, because no
 * user can make a pipe in another one's name. */
static int owner_is_own_user(HANDLE pipe)
{
    query_security_fn query = (query_security_fn)(uintptr_t)ntdll_function("NtQuerySecurityObject");
    union answer own;
    union answer descriptor;
    const uint8_t *user = own_sid(&own);
    ULONG len;

    if (!user || !query ||
        query(pipe, OWNER_SECURITY_INFORMATION, &descriptor, sizeof descriptor, &len) < 0)
        return 0;
    DWORD owner = descriptor.descriptor.Owner;
    if (owner == 0 || owner > sizeof descriptor - 8)
        return 0;
    return same_sid(user, descriptor.bytes + owner, descriptor.bytes + sizeof descriptor);
}

int um_peer_is_monitor(HANDLE pipe, DWORD monitor_pid)
{
    ULONG server = 0;
    return GetNamedPipeServerProcessId(pipe, &server) && server == monitor_pid &&
           owner_is_own_user(pipe);
}
