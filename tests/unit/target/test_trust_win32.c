/* Descriptors as they are written, against what Windows gives to its own folders. */
#include <stdio.h>

#include <criterion/criterion.h>

#include <windows.h>

#include <sddl.h>

#include "ipc/token_win32.h"
#include "monitor/base/wine_win32.h"
#include "monitor/target/dll_copy_win32.h"
#include "monitor/base/platform.h"
#include "monitor/base/trust_win32.h"

static bool is_trusted(const wchar_t *text)
{
    PSECURITY_DESCRIPTOR descriptor = NULL;
    cr_assert(ConvertStringSecurityDescriptorToSecurityDescriptorW(text, SDDL_REVISION_1,
                                                                   &descriptor, NULL),
              "%ls is no descriptor", text);
    bool trusted = um_trust_descriptor(descriptor);
    LocalFree(descriptor);
    return trusted;
}

Test(trust, program_files_and_what_uimon_makes)
{
    cr_expect(is_trusted(UM_TRUST_DESCRIPTOR));
    /* icacls "C:\Program Files" on Windows 10, with the installer's account as it is written. */
    cr_expect(
        is_trusted(L"O:S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464"
                   L"D:PAI(A;;FA;;;S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464)"
                   L"(A;CIIO;GA;;;S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464)"
                   L"(A;;0x1301bf;;;SY)(A;OICIIO;GA;;;SY)(A;;0x1301bf;;;BA)(A;OICIIO;GA;;;BA)"
                   L"(A;;0x1200a9;;;BU)(A;OICIIO;GXGR;;;BU)(A;OICIIO;GA;;;CO)(A;;0x1200a9;;;AC)"));
}

Test(trust, nothing_that_others_can_change)
{
    static const wchar_t *const texts[] = {
        L"O:BUG:BAD:P(A;;FA;;;SY)(A;;FA;;;BA)",                  /* an owner can change the list */
        L"O:S-1-5-21-1-2-3-1001G:BAD:P(A;;FA;;;BA)",             /* such as a user */
        L"O:BAG:BAD:P(A;;FA;;;BA)(A;;FA;;;WD)",                  /* everyone, all */
        L"O:BAG:BAD:P(A;;FA;;;BA)(A;;0x2;;;BU)",                 /* users, new files */
        L"O:BAG:BAD:P(A;;FA;;;BA)(A;;0x4;;;AU)",                 /* users, new folders */
        L"O:BAG:BAD:P(A;;FA;;;BA)(A;;0x40;;;IU)",                /* deleting what is in it */
        L"O:BAG:BAD:P(A;;FA;;;BA)(A;;SD;;;S-1-5-21-1-2-3-1001)", /* deleting it */
        L"O:BAG:BAD:P(A;;WD;;;BU)",                              /* changing the list */
        L"O:BAG:BAD:P(A;;WO;;;BU)",                              /* taking it */
        L"O:BAG:BAD:P(A;;GW;;;BU)",
        L"O:BAG:BA",
        L"D:P(A;;FA;;;BA)", /* no owner */
    };

    for (size_t i = 0; i < ARRAYSIZE(texts); i++)
        cr_expect(!is_trusted(texts[i]), "%ls", texts[i]);
}

/* What Wine cannot write as text: no list, which lets everybody, and an entry of another kind. */
Test(trust, no_list_and_no_entry_of_another_kind)
{
    PSECURITY_DESCRIPTOR text;
    SECURITY_DESCRIPTOR made;
    PSID owner;
    ACL *list;
    ACE_HEADER *entry;
    BOOL present, is_default;

    ConvertStringSecurityDescriptorToSecurityDescriptorW(L"O:BAG:BAD:P(A;;FR;;;BA)",
                                                         SDDL_REVISION_1, &text, NULL);
    GetSecurityDescriptorOwner(text, &owner, &is_default);
    GetSecurityDescriptorDacl(text, &present, &list, &is_default);
    InitializeSecurityDescriptor(&made, SECURITY_DESCRIPTOR_REVISION);
    SetSecurityDescriptorOwner(&made, owner, FALSE);
    SetSecurityDescriptorDacl(&made, TRUE, list, FALSE);
    cr_expect(um_trust_descriptor(&made), "the scene is wrong");
    cr_assert(GetAce(list, 0, (void **)&entry));
    entry->AceType = ACCESS_ALLOWED_CALLBACK_ACE_TYPE;
    cr_expect(!um_trust_descriptor(&made), "an entry with a condition");
    SetSecurityDescriptorDacl(&made, TRUE, NULL, FALSE);
    cr_expect(!um_trust_descriptor(&made), "no list");
    LocalFree(text);
}

/* A DLL beside this program, which is in a folder that its user can write. */
static void make_dll(wchar_t path[MAX_PATH])
{
    wchar_t program[MAX_PATH];

    GetModuleFileNameW(NULL, program, MAX_PATH);
    wcscpy(path, program);
    wcscpy(wcsrchr(path, L'\\') + 1, L"trust-of-a-copy.dll");
    cr_assert(CopyFileW(program, path, FALSE));
}

/* Wine's files have no lists: there a folder that was made for administrators alone belongs to the
 * user still, and is refused. On Windows an ordinary user cannot make one. */
Test(trust, an_elevated_uimon_loads_nothing_that_others_can_change)
{
    wchar_t dll[MAX_PATH], path[UM_DLL_COPY_CHARS] = L"";
    HANDLE copy = NULL;

    make_dll(dll);
    enum um_status status = um_dll_copy_open(dll, true, path, &copy);
    if (um_token_is_elevated() && !um_wine_version()) {
        cr_expect_eq(status, UM_OK);
        cr_expect(wcscmp(path, dll) != 0, "it is the one beside");
        cr_expect(um_trust_file(copy));
        CloseHandle(copy);
        DeleteFileW(path);
    } else {
        cr_expect_eq(status, UM_ERR_DENIED, "%s", um_status_text(status));
        cr_expect_null(copy);
    }
    DeleteFileW(dll);
}

static bool is_trusted_file(const char *path)
{
    HANDLE file = CreateFileA(path, READ_CONTROL, FILE_SHARE_READ, NULL, OPEN_EXISTING, 0, NULL);
    cr_assert(file != INVALID_HANDLE_VALUE, "%s", path);
    bool trusted = um_trust_file(file);
    CloseHandle(file);
    return trusted;
}

/* As with the copy of the DLL: under Wine the folder is refused, so listeners believe nothing that
 * lies there. */
Test(trust, an_elevated_uimon_publishes_its_feed_where_others_can_change_nothing)
{
    char folder[1024], path[1100];
    wchar_t wide[MAX_PATH];
    bool elevated = um_token_is_administrator() && !um_wine_version();
    enum um_status status = um_platform_guarded_folder("feeds", true, folder, sizeof folder);

    cr_expect_eq(um_platform_is_guarded(), elevated);
    if (!elevated) {
        cr_expect_eq(status, UM_ERR_DENIED, "%s", um_status_text(status));
        status = um_platform_guarded_folder("feeds", false, folder, sizeof folder);
        cr_expect_eq(status, UM_ERR_DENIED, "%s", um_status_text(status));
        return;
    }
    cr_assert_eq(status, UM_OK, "%s", um_status_text(status));
    MultiByteToWideChar(CP_UTF8, 0, folder, -1, wide, MAX_PATH);
    HANDLE opened = um_trust_open_folder(wide);
    cr_expect(opened && um_trust_folder(opened), "%s", folder);
    CloseHandle(opened);
    snprintf(path, sizeof path, "%s\\test-%lu.tmp", folder, GetCurrentProcessId());
    cr_assert_eq(um_platform_write_private(path, "text"), UM_OK);
    cr_expect(is_trusted_file(path));
    cr_expect_eq(um_platform_write_private(path, "text"), UM_ERR_IO, "it is there already");
    DeleteFileA(path);
}
