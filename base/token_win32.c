#include "base/token_win32.h"

/* Reads one item of a process's token. False, with the last error, if that fails. */
static bool ask(HANDLE process, TOKEN_INFORMATION_CLASS what, void *answer, DWORD bytes)
{
    HANDLE token = NULL;

    if (!OpenProcessToken(process, TOKEN_QUERY, &token))
        return false;
    bool known = GetTokenInformation(token, what, answer, bytes, &bytes);
    DWORD error = GetLastError();
    CloseHandle(token);
    SetLastError(error);
    return known;
}

bool um_token_user(struct um_token_sid *user)
{
    union {
        TOKEN_USER user;
        BYTE bytes[sizeof(TOKEN_USER) + SECURITY_MAX_SID_SIZE];
    } info;
    return ask(GetCurrentProcess(), TokenUser, &info, sizeof info) &&
           CopySid(sizeof user->bytes, user->bytes, info.user.User.Sid);
}

bool um_token_is_own(PSID owner)
{
    union {
        TOKEN_OWNER owner;
        BYTE bytes[sizeof(TOKEN_OWNER) + SECURITY_MAX_SID_SIZE];
    } info;
    struct um_token_sid user;
    return (um_token_user(&user) && EqualSid(owner, user.bytes)) ||
           (ask(GetCurrentProcess(), TokenOwner, &info, sizeof info) &&
            EqualSid(owner, info.owner.Owner));
}

long um_token_level(HANDLE process)
{
    union {
        TOKEN_MANDATORY_LABEL label;
        BYTE bytes[sizeof(TOKEN_MANDATORY_LABEL) + SECURITY_MAX_SID_SIZE];
    } info;
    if (!ask(process, TokenIntegrityLevel, &info, sizeof info))
        return -1;
    PSID sid = info.label.Label.Sid;
    return (long)*GetSidSubAuthority(sid, *GetSidSubAuthorityCount(sid) - 1U);
}

bool um_token_is_app_container(HANDLE process)
{
    DWORD container = 0;
    return ask(process, TokenIsAppContainer, &container, sizeof container) && container != 0;
}

bool um_token_is_elevated(void)
{
    return um_token_level(GetCurrentProcess()) > SECURITY_MANDATORY_MEDIUM_RID;
}

bool um_token_is_administrator(void)
{
    struct um_token_sid administrators;
    DWORD bytes = sizeof administrators.bytes;
    BOOL member = FALSE;

    return um_token_level(GetCurrentProcess()) >= SECURITY_MANDATORY_HIGH_RID &&
           CreateWellKnownSid(WinBuiltinAdministratorsSid, NULL, administrators.bytes, &bytes) &&
           CheckTokenMembership(NULL, administrators.bytes, &member) && member;
}
