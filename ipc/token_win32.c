#include "ipc/token_win32.h"

bool um_token_user(struct um_token_sid *user)
{
    union {
        TOKEN_USER user;
        BYTE bytes[sizeof(TOKEN_USER) + SECURITY_MAX_SID_SIZE];
    } info;
    HANDLE token = NULL;
    DWORD info_bytes = 0;

    if (!OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token))
        return false;
    bool done = GetTokenInformation(token, TokenUser, &info, sizeof info, &info_bytes) &&
                CopySid(sizeof user->bytes, user->bytes, info.user.User.Sid);
    DWORD error = GetLastError();
    CloseHandle(token);
    SetLastError(error);
    return done;
}

long um_token_level(HANDLE process)
{
    union {
        TOKEN_MANDATORY_LABEL label;
        BYTE bytes[sizeof(TOKEN_MANDATORY_LABEL) + SECURITY_MAX_SID_SIZE];
    } info;
    HANDLE token = NULL;
    DWORD info_bytes = 0;
    long level = -1;

    if (!OpenProcessToken(process, TOKEN_QUERY, &token))
        return -1;
    if (GetTokenInformation(token, TokenIntegrityLevel, &info, sizeof info, &info_bytes)) {
        PSID sid = info.label.Label.Sid;
        level = (long)*GetSidSubAuthority(sid, *GetSidSubAuthorityCount(sid) - 1U);
    }
    DWORD error = GetLastError();
    CloseHandle(token);
    SetLastError(error);
    return level;
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
