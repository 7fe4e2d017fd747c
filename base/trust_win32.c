#include "base/trust_win32.h"

#include <stdio.h>

#include <aclapi.h>
#include <sddl.h>

#include "base/token_win32.h"

/* What lets somebody change a file or a folder, or take the right to. */
#define CHANGING                                                                                   \
    (FILE_WRITE_DATA | FILE_APPEND_DATA | FILE_WRITE_ATTRIBUTES | FILE_DELETE_CHILD | DELETE |     \
     WRITE_DAC | WRITE_OWNER | GENERIC_WRITE | GENERIC_ALL | MAXIMUM_ALLOWED)

/* TrustedInstaller, a service, whose account owns Windows' files and Program Files: S-1-5-80 and
 * the SHA-1 of its name, as `sc showsid TrustedInstaller` says. */
static bool is_installer(PSID sid)
{
    static const DWORD parts[] = {80, 956008885, 3418522649, 1831038044, 1853292631, 2271478464};
    SID_IDENTIFIER_AUTHORITY authority = SECURITY_NT_AUTHORITY;
    struct um_token_sid installer;

    InitializeSid(installer.bytes, &authority, ARRAYSIZE(parts));
    for (DWORD i = 0; i < ARRAYSIZE(parts); i++)
        *GetSidSubAuthority(installer.bytes, i) = parts[i];
    return EqualSid(sid, installer.bytes) != 0;
}

static bool is_trusted(PSID sid)
{
    return IsWellKnownSid(sid, WinBuiltinAdministratorsSid) ||
           IsWellKnownSid(sid, WinLocalSystemSid) || is_installer(sid);
}

/* Whether an entry lets nobody else change anything. An entry that is only inherited by what is
 * made in the folder does not apply to the folder itself. */
static bool is_harmless(ACE_HEADER *entry)
{
    ACCESS_ALLOWED_ACE *allowed = (ACCESS_ALLOWED_ACE *)entry;

    if (entry->AceType == ACCESS_DENIED_ACE_TYPE || (entry->AceFlags & INHERIT_ONLY_ACE))
        return true;
    return entry->AceType == ACCESS_ALLOWED_ACE_TYPE &&
           (!(allowed->Mask & CHANGING) || is_trusted(&allowed->SidStart));
}

bool um_trust_descriptor(PSECURITY_DESCRIPTOR descriptor)
{
    PSID owner = NULL;
    ACL *list = NULL;
    BOOL present = FALSE, is_default;
    void *entry;

    if (!GetSecurityDescriptorOwner(descriptor, &owner, &is_default) || !owner ||
        !is_trusted(owner) ||
        !GetSecurityDescriptorDacl(descriptor, &present, &list, &is_default) || !present || !list)
        return false;
    for (DWORD i = 0; i < list->AceCount; i++)
        if (!GetAce(list, i, &entry) || !is_harmless(entry))
            return false;
    return true;
}

bool um_trust_file(HANDLE file)
{
    PSECURITY_DESCRIPTOR descriptor = NULL;

    if (GetSecurityInfo(file, SE_FILE_OBJECT,
                        OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION, NULL, NULL, NULL,
                        NULL, &descriptor) != ERROR_SUCCESS)
        return false;
    bool trusted = um_trust_descriptor(descriptor);
    LocalFree(descriptor);
    return trusted;
}

HANDLE um_trust_open_folder(const wchar_t *path)
{
    HANDLE folder =
        CreateFileW(path, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE, NULL, OPEN_EXISTING,
                    FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT, NULL);

    if (folder == INVALID_HANDLE_VALUE)
        return NULL;
    return folder;
}

bool um_trust_is_folder(HANDLE folder)
{
    BY_HANDLE_FILE_INFORMATION info;
    return GetFileInformationByHandle(folder, &info) &&
           (info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) &&
           !(info.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT);
}

bool um_trust_folder(HANDLE folder)
{
    return um_trust_is_folder(folder) && um_trust_file(folder);
}

static bool security_of(SECURITY_ATTRIBUTES *security, const wchar_t *text)
{
    *security = (SECURITY_ATTRIBUTES){.nLength = sizeof *security};
    return ConvertStringSecurityDescriptorToSecurityDescriptorW(
               text, SDDL_REVISION_1, &security->lpSecurityDescriptor, NULL) != 0;
}

bool um_trust_security(SECURITY_ATTRIBUTES *security, bool secret)
{
    return security_of(security, secret ? UM_TRUST_SECRET_DESCRIPTOR : UM_TRUST_DESCRIPTOR);
}

bool um_trust_user_security(SECURITY_ATTRIBUTES *security, const wchar_t *list)
{
    struct um_token_sid user;
    wchar_t *sid = NULL;
    wchar_t text[256];

    if (!um_token_user(&user) || !ConvertSidToStringSidW(user.bytes, &sid))
        return false;
    swprintf(text, ARRAYSIZE(text), L"%ls%ls)", list, sid);
    LocalFree(sid);
    return security_of(security, text);
}
