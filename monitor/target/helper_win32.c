#include "monitor/target/helper_win32.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ipc/pipe_win32.h"
#include "ipc/overlay.h"
#include "base/token_win32.h"
#include "base/utf8.h"
#include "base/wide_win32.h"
#include "monitor/target/target_win32.h"

/* Environment ---------------------------------------------------------------------------------- */

/* Whether the name of `variable`, which looks like NAME=VALUE, is in the list. A name that ends
 * with a star stands for all that begin so. */
static bool is_listed(const wchar_t *variable)
{
    /* The second line is for Wine, which hands the environment on to the system below it. */
    static const wchar_t *const names[] = {
        L"LOCALAPPDATA", L"SystemDrive", L"SystemRoot", L"TEMP", L"TMP",
        L"USERPROFILE",  L"windir",      L"DISPLAY",    L"HOME", L"LANG",
        L"LC_ALL",       L"WINE*",       L"XAUTHORITY",
    };

    for (size_t i = 0; i < ARRAYSIZE(names); i++) {
        size_t len = wcslen(names[i]);
        bool any = names[i][len - 1] == L'*';
        if (_wcsnicmp(variable, names[i], any ? len - 1 : len) == 0 &&
            (any || variable[len] == L'='))
            return true;
    }
    return false;
}

/* The listed variables of this process's environment as CreateProcess wants them: strings one
 * behind the other, and an empty one at the end. Owner: free. NULL: out of memory. */
static wchar_t *small_environment(void)
{
    wchar_t *all = GetEnvironmentStringsW();
    const wchar_t *from = all;
    size_t chars = 2;

    if (!all)
        return NULL;
    while (*from)
        from += wcslen(from) + 1;
    chars += (size_t)(from - all);
    wchar_t *made = calloc(chars, sizeof *made);
    wchar_t *to = made;
    for (from = all; made && *from; from += wcslen(from) + 1)
        if (is_listed(from)) {
            wcscpy(to, from);
            to += wcslen(to) + 1;
        }
    FreeEnvironmentStringsW(all);
    return made;
}

/* Rights --------------------------------------------------------------------------------------- */

/* Lets the user and the system access the objects that the helper creates. The default list of an
 * administrator's token names the administrators instead of the user, and the helper is not one of
 * them. A failure is ignored: Wine has no default lists, and on Windows the helper could not
 * start. */
static void set_default_list(HANDLE token)
{
    union {
        ACL acl;
        BYTE bytes[sizeof(ACL) + 2 * (sizeof(ACCESS_ALLOWED_ACE) + SECURITY_MAX_SID_SIZE)];
    } list;
    struct um_token_sid user, system;
    DWORD bytes = sizeof system.bytes;

    if (!um_token_user(&user) ||
        !CreateWellKnownSid(WinLocalSystemSid, NULL, system.bytes, &bytes) ||
        !InitializeAcl(&list.acl, sizeof list, ACL_REVISION) ||
        !AddAccessAllowedAce(&list.acl, ACL_REVISION, GENERIC_ALL, user.bytes) ||
        !AddAccessAllowedAce(&list.acl, ACL_REVISION, GENERIC_ALL, system.bytes))
        return;
    TOKEN_OWNER owner = {.Owner = user.bytes};
    TOKEN_DEFAULT_DACL dacl = {.DefaultDacl = &list.acl};
    SetTokenInformation(token, TokenOwner, &owner, sizeof owner);
    SetTokenInformation(token, TokenDefaultDacl, &dacl, sizeof dacl);
}

/* LUA_TOKEN disables all groups of administrators, as the system does for programs that are not
 * elevated. A system that does not know the flag disables only this machine's administrators. */
static bool restrict_token(HANDLE own, SID_AND_ATTRIBUTES *denied, HANDLE *token)
{
    return CreateRestrictedToken(own, DISABLE_MAX_PRIVILEGE | LUA_TOKEN, 1, denied, 0, NULL, 0,
                                 NULL, token) ||
           CreateRestrictedToken(own, DISABLE_MAX_PRIVILEGE, 1, denied, 0, NULL, 0, NULL, token);
}

/* A token like this process's, for which being an administrator can only deny and never allow,
 * without privileges, and of medium integrity. The system starts a program with such a token for
 * everybody, since it is a restricted version of the caller's own.
 * Source: https://learn.microsoft.com/windows/win32/api/processthreadsapi/ (CreateProcessAsUserW)
 * Owner: CloseHandle. Returns 0, or the system's error code. */
static DWORD make_lesser_token(HANDLE *token)
{
    struct um_token_sid administrators, medium;
    DWORD administrators_bytes = sizeof administrators.bytes, medium_bytes = sizeof medium.bytes;
    HANDLE own = NULL;

    if (!CreateWellKnownSid(WinBuiltinAdministratorsSid, NULL, administrators.bytes,
                            &administrators_bytes) ||
        !CreateWellKnownSid(WinMediumLabelSid, NULL, medium.bytes, &medium_bytes) ||
        !OpenProcessToken(
            GetCurrentProcess(),
            TOKEN_QUERY | TOKEN_DUPLICATE | TOKEN_ASSIGN_PRIMARY | TOKEN_ADJUST_DEFAULT, &own))
        return GetLastError();
    SID_AND_ATTRIBUTES denied = {.Sid = administrators.bytes};
    TOKEN_MANDATORY_LABEL label = {.Label = {medium.bytes, SE_GROUP_INTEGRITY}};
    DWORD code = 0;
    *token = NULL;
    if (!restrict_token(own, &denied, token) ||
        !SetTokenInformation(*token, TokenIntegrityLevel, &label, sizeof label + medium_bytes))
        code = GetLastError();
    else
        set_default_list(*token);
    CloseHandle(own);
    if (code != 0 && *token)
        CloseHandle(*token);
    return code;
}

/* Starting ------------------------------------------------------------------------------------- */

static DWORD create(const wchar_t *program, wchar_t *line, wchar_t *environment,
                    STARTUPINFOEXW *startup, bool lesser, PROCESS_INFORMATION *info)
{
    const DWORD flags =
        CREATE_NO_WINDOW | CREATE_UNICODE_ENVIRONMENT | EXTENDED_STARTUPINFO_PRESENT;
    HANDLE token = NULL;
    DWORD code = lesser ? make_lesser_token(&token) : 0;

    if (code != 0)
        return code;
    /* The helper inherits this mode: if it cannot load a DLL it ends, instead of showing an error
     * box that waits for a click. */
    UINT mode = SetErrorMode(SEM_FAILCRITICALERRORS);
    BOOL started = lesser ? CreateProcessAsUserW(token, program, line, NULL, NULL, TRUE, flags,
                                                 environment, NULL, &startup->StartupInfo, info)
                          : CreateProcessW(program, line, NULL, NULL, TRUE, flags, environment,
                                           NULL, &startup->StartupInfo, info);
    code = started ? 0 : GetLastError();
    SetErrorMode(mode);
    if (token)
        CloseHandle(token);
    return code;
}

DWORD um_helper_create(const wchar_t *program, wchar_t *line, HANDLE *inherited, DWORD count,
                       const HANDLE standard[2], bool lesser, PROCESS_INFORMATION *info)
{
    STARTUPINFOEXW startup = {.StartupInfo = {.cb = sizeof startup}};
    SIZE_T bytes = 0;
    DWORD code = ERROR_OUTOFMEMORY;

    *info = (PROCESS_INFORMATION){0};
    InitializeProcThreadAttributeList(NULL, 1, 0, &bytes);
    startup.lpAttributeList = malloc(bytes);
    wchar_t *environment = small_environment();
    bool listed = startup.lpAttributeList && environment &&
                  InitializeProcThreadAttributeList(startup.lpAttributeList, 1, 0, &bytes);
    if (standard) {
        startup.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
        startup.StartupInfo.hStdInput = standard[0];
        startup.StartupInfo.hStdOutput = standard[1];
    }
    if (listed) {
        if (UpdateProcThreadAttribute(startup.lpAttributeList, 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST,
                                      inherited, count * sizeof *inherited, NULL, NULL))
            code = create(program, line, environment, &startup, lesser, info);
        else
            code = GetLastError();
        DeleteProcThreadAttributeList(startup.lpAttributeList);
    }
    free(startup.lpAttributeList);
    free(environment);
    return code;
}

/* Takes over the process of a helper that was started, or translates the error code. */
static enum um_status take_over(DWORD code, const PROCESS_INFORMATION *info,
                                struct um_target_process **process)
{
    if (code != 0)
        return um_pipe_status(code);
    CloseHandle(info->hThread);
    return um_target_own(info->hProcess, info->dwProcessId, process);
}

enum um_status um_helper_start(char *const *argv, int argc, intptr_t handle,
                               struct um_target_process **process)
{
    PROCESS_INFORMATION info = {0};
    HANDLE inherited = (HANDLE)handle;
    wchar_t *line = NULL;
    wchar_t *program = um_wide_from_utf8(argv[0]);
    enum um_status status = program ? um_target_command_line(argv, argc, &line) : UM_ERR_MEMORY;

    if (status == UM_OK) {
        DWORD code = SetHandleInformation(inherited, HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT)
                         ? um_helper_create(program, line, &inherited, 1, NULL,
                                            um_token_is_elevated(), &info)
                         : GetLastError();
        status = take_over(code, &info, process);
    }
    free(program);
    free(line);
    return status;
}

enum um_status um_helper_start_aside(char *const *argv, int argc, bool hurries,
                                     struct um_target_process **process)
{
    const DWORD flags = CREATE_NO_WINDOW | CREATE_UNICODE_ENVIRONMENT |
                        (hurries ? NORMAL_PRIORITY_CLASS : BELOW_NORMAL_PRIORITY_CLASS);
    STARTUPINFOW startup = {.cb = sizeof startup};
    PROCESS_INFORMATION info = {0};
    wchar_t *line = NULL;
    wchar_t *program = um_wide_from_utf8(argv[0]);
    wchar_t *environment = small_environment();
    enum um_status status =
        program && environment ? um_target_command_line(argv, argc, &line) : UM_ERR_MEMORY;

    if (status == UM_OK) {
        BOOL started = CreateProcessW(program, line, NULL, NULL, FALSE, flags, environment, NULL,
                                      &startup, &info);
        status = take_over(started ? 0 : GetLastError(), &info, process);
    }
    free(program);
    free(environment);
    free(line);
    return status;
}

/* What hides their windows --------------------------------------------------------------------- */

#define TITLE_COLUMNS 30

uint64_t um_helper_hider(const struct um_target_process *helper)
{
    HWND window = NULL;
    DWORD owner = 0;

    while ((window = FindWindowExW(NULL, window, L"" UM_OVERLAY_CLASS, NULL)))
        if (GetWindowThreadProcessId(window, &owner) != 0 && owner == um_target->pid(helper))
            return (uint64_t)(uintptr_t)GetPropW(window, L"" UM_OVERLAY_HIDER);
    return 0;
}

void um_helper_describe_window(uint64_t hwnd, char *text, size_t cap_bytes)
{
    HWND window = (HWND)(uintptr_t)hwnd;
    struct um_target_info info = {0};
    wchar_t wide[128] = L"";
    char title[384];
    DWORD owner = 0;

    text[0] = '\0';
    if (GetWindowThreadProcessId(window, &owner) == 0)
        return;
    InternalGetWindowText(window, wide, ARRAYSIZE(wide));
    um_wide_to_utf8(wide, title, sizeof title);
    um_target->look(owner, 0, &info); /* fills in the name even if there is no main window */
    snprintf(text, cap_bytes, "\"%s\" (%s, pid %lu)", um_utf8_show(title, TITLE_COLUMNS).text,
             info.name[0] ? um_utf8_show(info.name, TITLE_COLUMNS).text : "another program",
             (unsigned long)owner);
}
