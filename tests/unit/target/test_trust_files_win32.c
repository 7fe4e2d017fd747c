/* Whose word is taken for where a module's file is, and which files are opened by such a path. */
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include <windows.h>

#include <psapi.h>
#include <winternl.h>

#include "base/local_file_win32.h"
#include "base/platform.h"
#include "base/wide_win32.h"
#include "names/signed_win32.h"

typedef PEB *(WINAPI *get_peb)(void);

static wchar_t program[MAX_PATH];

/* The path of a file beside this program. */
static void beside(const wchar_t *name, wchar_t path[MAX_PATH])
{
    GetModuleFileNameW(NULL, path, MAX_PATH);
    wcscpy(wcsrchr(path, L'\\') + 1, name);
}

/* The loader's list of modules, whose first one is the program, lies in the process's own
 * memory. */
static UNICODE_STRING *noted_path(void)
{
    HMODULE ntdll = GetModuleHandleW(L"ntdll.dll");
    get_peb peb = (get_peb)GetProcAddress(ntdll, "RtlGetCurrentPeb");
    cr_assert(peb);
    LIST_ENTRY *first = peb()->Ldr->InMemoryOrderModuleList.Flink;
    return &CONTAINING_RECORD(first, LDR_DATA_TABLE_ENTRY, InMemoryOrderLinks)->FullDllName;
}

Test(trust, a_program_cannot_say_that_its_modules_are_elsewhere)
{
    static wchar_t lie[] = L"\\\\server\\share\\lie.exe";
    wchar_t asked[MAX_PATH] = L"", path[UM_LOCAL_FILE_CHARS] = L"";
    char found[UM_PLATFORM_PATH_BYTES], own[UM_PLATFORM_PATH_BYTES];
    HMODULE module = GetModuleHandleW(NULL);
    UNICODE_STRING *noted = noted_path(), before = *noted;

    GetModuleFileNameW(NULL, program, MAX_PATH);
    um_wide_to_utf8(program, own, sizeof own);
    *noted = (UNICODE_STRING){sizeof lie - sizeof lie[0], sizeof lie, lie};
    GetModuleFileNameExW(GetCurrentProcess(), module, asked, MAX_PATH);
    bool told =
        um_local_file_mapped(GetCurrentProcess(), (void *)module, path, UM_LOCAL_FILE_CHARS);
    *noted = before;
    cr_expect_eq(wcscmp(asked, lie), 0, "the scene is wrong: %ls", asked);
    cr_assert(told);
    um_wide_to_utf8(path, found, sizeof found);
    cr_expect(um_platform_same_file(found, own), "%s is not %s", found, own);
}

Test(trust, only_files_of_this_machines_disks_are_opened)
{
    static const wchar_t *const others[] = {L"\\\\localhost\\c$\\windows\\win.ini",
                                            L"\\\\.\\pipe\\uimon", L"\\\\?\\C:\\windows\\win.ini",
                                            L"win.ini", L"\\??\\C:\\windows\\win.ini"};
    wchar_t real[UM_LOCAL_FILE_CHARS];
    char path[UM_PLATFORM_PATH_BYTES], own[UM_PLATFORM_PATH_BYTES];

    GetModuleFileNameW(NULL, program, MAX_PATH);
    HANDLE file = um_local_file_open(program, FILE_SHARE_READ, real);
    cr_assert_neq(file, INVALID_HANDLE_VALUE, "%ls: %lu", program, GetLastError());
    CloseHandle(file);
    um_wide_to_utf8(program, own, sizeof own);
    um_wide_to_utf8(real, path, sizeof path);
    cr_expect(um_platform_same_file(path, own), "%s is not %s", path, own);
    for (size_t i = 0; i < ARRAYSIZE(others); i++) {
        cr_expect_eq(um_local_file_open(others[i], FILE_SHARE_READ, NULL), INVALID_HANDLE_VALUE,
                     "%ls", others[i]);
        cr_expect_eq(GetLastError(), ERROR_ACCESS_DENIED, "%ls", others[i]);
    }
    file = um_local_file_open(L"C:\\no such folder\\a.dll", FILE_SHARE_READ, NULL);
    cr_expect_eq(file, INVALID_HANDLE_VALUE);
    cr_expect_eq(GetLastError(), ERROR_PATH_NOT_FOUND);
}

/* Another library of the same maker, renamed, has a valid signature too. */
Test(trust, a_library_is_known_by_what_its_makers_called_it)
{
    wchar_t path[MAX_PATH];

    beside(L"mscordaccore.dll", path);
    cr_expect(um_signed_is_called(path, L"MSCORDACCORE.dll"), "%ls", path);
    cr_expect(!um_signed_is_called(path, L"mscordacwks.dll"));
    cr_expect(!um_signed_is_called(path, L"mscordaccore"));
    beside(L"coreclr.dll", path);
    cr_expect(!um_signed_is_called(path, L"mscordaccore.dll"));
    beside(L"works_late.dll", path);
    cr_expect(!um_signed_is_called(path, L"works_late.dll"), "it says nothing");
}
