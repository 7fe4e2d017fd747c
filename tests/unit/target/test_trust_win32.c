/* Descriptors as they are written, against what Windows gives to its own folders. */
#include <stdio.h>

#include <criterion/criterion.h>

#include <windows.h>

#include <sddl.h>

#include "base/token_win32.h"
#include "base/wine_win32.h"
#include "monitor/target/dll_copy_win32.h"
#include "base/file.h"
#include "base/guarded_win32.h"
#include "base/platform.h"
#include "base/trust_win32.h"

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

/* What an administrator's uimon saves may hold another administrator's memory. Of the entry for
 * owners it is only asked what it takes away: an owner may otherwise change the list. */
Test(trust, what_is_saved_is_for_administrators_alone)
{
    SECURITY_ATTRIBUTES security;
    ACCESS_ALLOWED_ACE *entry;
    ACL *list;
    BOOL present, is_default;

    cr_assert(um_trust_security(&security, true));
    cr_expect(um_trust_descriptor(security.lpSecurityDescriptor));
    cr_assert(
        GetSecurityDescriptorDacl(security.lpSecurityDescriptor, &present, &list, &is_default));
    cr_assert_eq(list->AceCount, 3);
    for (DWORD i = 0; i < list->AceCount; i++) {
        cr_assert(GetAce(list, i, (void **)&entry));
        cr_expect_eq(entry->Header.AceType, ACCESS_ALLOWED_ACE_TYPE);
        cr_expect(entry->Mask == READ_CONTROL ||
                  IsWellKnownSid(&entry->SidStart, WinLocalSystemSid) ||
                  IsWellKnownSid(&entry->SidStart, WinBuiltinAdministratorsSid));
    }
    LocalFree(security.lpSecurityDescriptor);
}

/* A program that waits for nothing, and can hold handles. */
static HANDLE start_waiting(DWORD *pid)
{
    wchar_t program[MAX_PATH];
    STARTUPINFOW startup = {.cb = sizeof startup};
    PROCESS_INFORMATION info;

    GetModuleFileNameW(NULL, program, MAX_PATH);
    cr_assert(CreateProcessW(program, NULL, NULL, NULL, FALSE, CREATE_SUSPENDED, NULL, NULL,
                             &startup, &info));
    CloseHandle(info.hThread);
    *pid = info.dwProcessId;
    return info.hProcess;
}

/* Nobody puts another folder in the place of one that parts are written to by its path: not while
 * this process holds it, nor while one does that goes on by itself. */
Test(trust, a_held_folder_stays_where_it_is)
{
    char temporary[MAX_PATH], path[MAX_PATH + 32], moved[MAX_PATH + 32], real[MAX_PATH];
    struct um_platform_held *held = NULL;
    DWORD pid;

    GetTempPathA(MAX_PATH, temporary);
    snprintf(path, sizeof path, "%suimon-held-%lu", temporary, GetCurrentProcessId());
    snprintf(moved, sizeof moved, "%s-moved", path);
    cr_assert_eq(um_platform_make_folder(path), UM_OK);
    cr_assert_eq(um_platform_hold_folder(path, &held), UM_OK);
    cr_expect(!MoveFileA(path, moved), "it was moved");
    cr_assert_eq(um_platform_held_path(held, real, sizeof real), UM_OK);
    cr_expect_eq(GetFileAttributesA(real), FILE_ATTRIBUTE_DIRECTORY, "%s", real);
    HANDLE other = start_waiting(&pid);
    cr_assert_eq(um_platform_hand_on(held, pid), UM_OK);
    um_platform_let_go(held);
    cr_expect(!MoveFileA(path, moved), "it was moved while the other one held it");
    TerminateProcess(other, 0);
    WaitForSingleObject(other, INFINITE);
    CloseHandle(other);
    cr_expect(MoveFileA(path, moved), "it is still held");
    cr_expect(RemoveDirectoryA(moved));
    cr_expect_eq(um_platform_hold_folder(path, &held), UM_ERR_NOT_FOUND);
}

/* A file that only administrators may have is made at its real path, while nobody can put another
 * folder there. That ordinary programs may not change the folder is not asked for here, because
 * Wine's files have no access lists. */
Test(trust, the_folder_of_a_file_stays_where_it_is)
{
    wchar_t temporary[MAX_PATH], path[MAX_PATH + 32], moved[MAX_PATH + 32], file[MAX_PATH + 64];
    wchar_t real[MAX_PATH * 2];
    HANDLE folder;

    GetTempPathW(MAX_PATH, temporary);
    swprintf(path, ARRAYSIZE(path), L"%lsuimon-of-%lu", temporary, GetCurrentProcessId());
    swprintf(moved, ARRAYSIZE(moved), L"%ls-moved", path);
    swprintf(file, ARRAYSIZE(file), L"%ls\\..\\%ls\\rec.uirec", path, wcsrchr(path, L'\\') + 1);
    cr_assert(CreateDirectoryW(path, NULL));
    cr_assert_eq(um_guarded_hold_folder(file, false, real, ARRAYSIZE(real), &folder), UM_OK);
    cr_expect(!MoveFileW(path, moved), "it was moved");
    cr_expect(!wcsstr(real, L".."), "%ls", real);
    HANDLE made = CreateFileW(real, GENERIC_WRITE, 0, NULL, CREATE_NEW, 0, NULL);
    cr_assert_neq(made, INVALID_HANDLE_VALUE);
    CloseHandle(made);
    swprintf(file, ARRAYSIZE(file), L"%ls\\rec.uirec", path);
    cr_expect(DeleteFileW(file), "it was made elsewhere: %ls", real);
    CloseHandle(folder);
    cr_expect(MoveFileW(path, moved), "it is still held");
    cr_expect_eq(um_guarded_hold_folder(file, false, real, ARRAYSIZE(real), &folder),
                 UM_ERR_NOT_FOUND);
    swprintf(file, ARRAYSIZE(file), L"%ls\\rec.uirec", moved);
    made = CreateFileW(file, GENERIC_WRITE, 0, NULL, CREATE_NEW, 0, NULL);
    CloseHandle(made);
    wcscat(file, L"\\x");
    cr_expect_neq(um_guarded_hold_folder(file, false, real, ARRAYSIZE(real), &folder), UM_OK,
                  "a file is no folder");
    cr_expect_eq(um_guarded_hold_folder(L"", false, real, ARRAYSIZE(real), &folder),
                 UM_ERR_NOT_FOUND);
    *wcsrchr(file, L'\\') = 0;
    cr_expect(DeleteFileW(file));
    cr_expect(RemoveDirectoryW(moved));
}

/* The end of another program's look at a file, as a virus scanner has it. */
static DWORD WINAPI let_go_soon(void *file)
{
    Sleep(20);
    CloseHandle(file);
    return 0;
}

Test(trust, a_file_with_keys_waits_for_a_scanner)
{
    char temporary[MAX_PATH], path[MAX_PATH + 32];

    GetTempPathA(MAX_PATH, temporary);
    snprintf(path, sizeof path, "%suimon-scanned-%lu", temporary, GetCurrentProcessId());
    HANDLE scanned = CreateFileA(path, GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ, NULL,
                                 CREATE_ALWAYS, 0, NULL);
    cr_assert_neq(scanned, INVALID_HANDLE_VALUE);
    HANDLE thread = CreateThread(NULL, 0, let_go_soon, scanned, 0, NULL);
    cr_expect_eq(um_file_make_secret(path), UM_OK);
    WaitForSingleObject(thread, INFINITE);
    CloseHandle(thread);
    DeleteFileA(path);
}

/* As with a killed one: the system removes the file with its last handle. */
Test(trust, a_held_file_goes_with_its_holder)
{
    char temporary[MAX_PATH], path[MAX_PATH + 32];
    struct um_platform_held *held = NULL, *second = NULL;

    GetTempPathA(MAX_PATH, temporary);
    snprintf(path, sizeof path, "%suimon-file-%lu.lock", temporary, GetCurrentProcessId());
    cr_assert_eq(um_platform_hold(path, &held), UM_OK);
    cr_expect_eq(um_platform_hold(path, &second), UM_ERR_BUSY);
    um_platform_let_go(held);
    cr_expect_eq(GetFileAttributesA(path), INVALID_FILE_ATTRIBUTES);
    cr_assert_eq(um_platform_hold(path, &second), UM_OK);
    um_platform_let_go(second);
}

/* Another program may keep the lock of a history for ever. */
Test(trust, appending_waits_only_as_long_as_it_may)
{
    char temporary[MAX_PATH], path[MAX_PATH + 32];
    OVERLAPPED far_away = {.OffsetHigh = 0x40000000}; /* as platform_win32.c has it */

    GetTempPathA(MAX_PATH, temporary);
    snprintf(path, sizeof path, "%suimon-append-%lu", temporary, GetCurrentProcessId());
    HANDLE other = CreateFileA(path, GENERIC_READ | GENERIC_WRITE,
                               FILE_SHARE_READ | FILE_SHARE_WRITE, NULL, CREATE_ALWAYS, 0, NULL);
    cr_assert_neq(other, INVALID_HANDLE_VALUE);
    cr_assert(LockFileEx(other, LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, &far_away));
    cr_expect_eq(um_platform_append(path, "\none\n", 5, 0), UM_ERR_BUSY);
    cr_expect_eq(um_platform_append(path, "\none\n", 5, 20), UM_ERR_BUSY);
    CloseHandle(other);
    cr_expect_eq(um_platform_append(path, "\none\n", 5, 0), UM_OK);
    DeleteFileA(path);
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
        cr_expect_neq(wcscmp(path, dll), 0, "it is the one beside");
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
    cr_assert_neq(file, INVALID_HANDLE_VALUE, "%s", path);
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
