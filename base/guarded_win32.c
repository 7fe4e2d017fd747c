#include "base/guarded_win32.h"

#include <stdio.h>

#include <shlobj.h>

#include "base/token_win32.h"
#include "base/trust_win32.h"
#include "base/wine_win32.h"

#define PATH_CHARS 1024

bool um_guarded_is_needed(void)
{
    return um_token_is_administrator() && !um_wine_version();
}

/* Makes the folder with `security` (NULL: only opens it), opens and checks it. Everybody may make a
 * folder in %ProgramData%, so an existing one may be another user's. */
static enum um_status open_one(const wchar_t *path, SECURITY_ATTRIBUTES *security, HANDLE *folder)
{
    if (security)
        CreateDirectoryW(path, security);
    *folder = um_trust_open_folder(path);
    if (!*folder)
        return security ? UM_ERR_IO : UM_ERR_NOT_FOUND;
    if (um_trust_folder(*folder))
        return UM_OK;
    CloseHandle(*folder);
    *folder = NULL;
    return UM_ERR_DENIED;
}

static enum um_status open_path(const wchar_t *name, SECURITY_ATTRIBUTES *security, wchar_t *path,
                                HANDLE *folder)
{
    enum um_status status = open_one(path, security, folder);
    if (status != UM_OK || !name)
        return status;
    CloseHandle(*folder); /* only administrators can put another one in its place */
    *folder = NULL;
    size_t len = wcslen(path);
    if (len + 1 + wcslen(name) >= UM_GUARDED_CHARS)
        return UM_ERR_IO;
    swprintf(path + len, UM_GUARDED_CHARS - len, L"\\%ls", name);
    return open_one(path, security, folder);
}

/* The environment variable ProgramData is not used: an ordinary program can set the user's
 * variables. */
enum um_status um_guarded_open(const wchar_t *name, bool make, wchar_t *path, HANDLE *folder)
{
    SECURITY_ATTRIBUTES security;

    *folder = NULL;
    if (SHGetFolderPathW(NULL, CSIDL_COMMON_APPDATA, NULL, SHGFP_TYPE_CURRENT, path) != S_OK)
        return UM_ERR_NOT_FOUND;
    wcscat(path, L"\\uimon");
    if (!make)
        return open_path(name, NULL, path, folder);
    if (!um_trust_security(&security, false))
        return UM_ERR_IO;
    enum um_status status = open_path(name, &security, path, folder);
    LocalFree(security.lpSecurityDescriptor);
    return status;
}

/* The path of an open folder with a name behind it. False: it does not fit. */
static bool real_path(HANDLE folder, const wchar_t *name, wchar_t *real, size_t cap)
{
    DWORD len = GetFinalPathNameByHandleW(folder, real, (DWORD)cap, VOLUME_NAME_DOS);
    if (len == 0 || len + 1 + wcslen(name) >= cap)
        return false;
    swprintf(real + len, cap - len, L"%ls%ls", real[len - 1] == L'\\' ? L"" : L"\\", name);
    return true;
}

enum um_status um_guarded_hold_folder(const wchar_t *file, bool guarded, wchar_t *real, size_t cap,
                                      HANDLE *folder)
{
    wchar_t path[PATH_CHARS], name[MAX_PATH];
    wchar_t *base = NULL;

    *folder = NULL;
    DWORD len = GetFullPathNameW(file, PATH_CHARS, path, &base);
    if (len >= PATH_CHARS)
        return UM_ERR_TOO_LARGE;
    if (len == 0 || !base || wcslen(base) >= MAX_PATH)
        return UM_ERR_NOT_FOUND;
    wcscpy(name, base);
    *base = L'\0';
    *folder = um_trust_open_folder(path);
    if (!*folder)
        return UM_ERR_NOT_FOUND;
    enum um_status status = !(guarded ? um_trust_folder(*folder) : um_trust_is_folder(*folder))
                                ? UM_ERR_DENIED
                            : !real_path(*folder, name, real, cap) ? UM_ERR_TOO_LARGE
                                                                   : UM_OK;
    if (status != UM_OK) {
        CloseHandle(*folder);
        *folder = NULL;
    }
    return status;
}
