/* How a program notices each hook that uimon's DLL sets in it and takes back: the calls of
 * SetWindowsHookEx and UnhookWindowsHookEx go through functions of the program, from the moment the
 * DLL is loaded. (A hook that stays behind cannot be seen otherwise: the system takes it away with
 * the thread that set it, which ends then.) Says "hook set" and "hook taken back" on standard
 * output. Header-only. The loader tells of a DLL when its imports are resolved, and before its
 * DllMain runs.
 */
#ifndef UM_TESTS_WIN_WITNESS_WIN32_H
#define UM_TESTS_WIN_WITNESS_WIN32_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

#include <windows.h>
#include <winternl.h>

#define WITNESS_DLL L"uimon-hook"

/* https://learn.microsoft.com/windows/win32/devnotes/ldrregisterdllnotification */
struct witness_loaded {
    ULONG flags;
    const UNICODE_STRING *path;
    const UNICODE_STRING *name;
    BYTE *base;
};
typedef void(CALLBACK witness_on_dll)(ULONG reason, const struct witness_loaded *dll, void *none);
typedef LONG(NTAPI witness_register)(ULONG flags, witness_on_dll *on_dll, void *none,
                                     void **cookie);

static inline void witness_say(const char *what)
{
    printf("hook %s\n", what);
    fflush(stdout);
}

static HHOOK WINAPI witness_set(int kind, HOOKPROC proc, HINSTANCE dll, DWORD thread)
{
    HHOOK hook = SetWindowsHookExW(kind, proc, dll, thread);
    if (hook)
        witness_say("set");
    return hook;
}

static BOOL WINAPI witness_take_back(HHOOK hook)
{
    BOOL is_back = UnhookWindowsHookEx(hook);
    if (is_back)
        witness_say("taken back");
    return is_back;
}

static inline void witness_replace(BYTE *base, IMAGE_THUNK_DATA *names, IMAGE_THUNK_DATA *calls)
{
    for (; names->u1.AddressOfData; names++, calls++) {
        if (IMAGE_SNAP_BY_ORDINAL(names->u1.Ordinal))
            continue;
        const IMAGE_IMPORT_BY_NAME *one = (const void *)(base + names->u1.AddressOfData);
        const char *name = (const char *)one->Name;
        ULONG_PTR instead = 0;
        DWORD before;
        if (strcmp(name, "SetWindowsHookExW") == 0)
            instead = (ULONG_PTR)witness_set;
        if (strcmp(name, "UnhookWindowsHookEx") == 0)
            instead = (ULONG_PTR)witness_take_back;
        if (!instead || !VirtualProtect(calls, sizeof *calls, PAGE_READWRITE, &before))
            continue;
        calls->u1.Function = instead;
        VirtualProtect(calls, sizeof *calls, before, &before);
    }
}

static void CALLBACK witness_dll(ULONG reason, const struct witness_loaded *dll, void *none)
{
    const ULONG is_loaded = 1;
    const size_t len = wcslen(WITNESS_DLL);
    (void)none;
    if (reason != is_loaded || dll->name->Length < len * sizeof(wchar_t) ||
        wcsncmp(dll->name->Buffer, WITNESS_DLL, len) != 0)
        return;
    const IMAGE_DOS_HEADER *dos = (const void *)dll->base;
    const IMAGE_NT_HEADERS *headers = (const void *)(dll->base + dos->e_lfanew);
    const IMAGE_DATA_DIRECTORY *imports =
        &headers->OptionalHeader.DataDirectory[IMAGE_DIRECTORY_ENTRY_IMPORT];
    const IMAGE_IMPORT_DESCRIPTOR *from = (const void *)(dll->base + imports->VirtualAddress);
    for (; from->Name; from++)
        witness_replace(dll->base, (void *)(dll->base + from->OriginalFirstThunk),
                        (void *)(dll->base + from->FirstThunk));
}

/* Begins it, for as long as the program runs. Says "hook witness" if it can. */
static inline void witness_begin(void)
{
    static void *cookie;
    HMODULE ntdll = GetModuleHandleW(L"ntdll.dll");
    witness_register *add =
        (witness_register *)(uintptr_t)GetProcAddress(ntdll, "LdrRegisterDllNotification");
    if (add && add(0, witness_dll, NULL, &cookie) == 0)
        witness_say("witness");
}

#endif
