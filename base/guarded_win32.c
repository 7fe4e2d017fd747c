#include "base/guarded_win32.h"

#include <stdio.h>

#include <shlobj.h>

#include "base/token_win32.h"
#include "base/trust_win32.h"
#include "base/wine_win32.h"

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
