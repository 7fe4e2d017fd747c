#include "monitor/target/dll.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "ipc/bootstrap.h"
#include "monitor/base/platform.h"
#include "monitor/base/wide_win32.h"

#define HELPER "uimon-attach32.exe"
#define PATH_CHARS (MAX_PATH * 2)
#define ANSWER_MS 10000 /* the helper gets so long to start and to answer */
#define END_MS 1000     /* and so long to end */
#define POLL_MS 5

struct um_dll {
    HMODULE module; /* a 64-bit target's */
    HHOOK hook;
    HANDLE helper; /* a 32-bit target's */
    HANDLE helper_in;
};

/* FNV-1a. It is part of the copy's name, so that two builds of one version have two names.
 * Source: http://www.isthe.com/chongo/tech/comp/fnv/ */
static uint64_t hash(const uint8_t *bytes, size_t len)
{
    uint64_t value = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < len; i++)
        value = (value ^ bytes[i]) * UINT64_C(0x100000001b3);
    return value;
}

/* A whole file. Owner: free(*bytes). */
static bool read_file(const wchar_t *path, uint8_t **bytes, size_t *len)
{
    HANDLE file = CreateFileW(path, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_DELETE, NULL,
                              OPEN_EXISTING, 0, NULL);
    LARGE_INTEGER size;
    DWORD got = 0;
    bool whole = false;

    *bytes = NULL;
    if (file == INVALID_HANDLE_VALUE)
        return false;
    if (GetFileSizeEx(file, &size) && size.QuadPart > 0 && size.QuadPart < (64 << 20)) {
        *bytes = malloc((size_t)size.QuadPart);
        whole = *bytes && ReadFile(file, *bytes, (DWORD)size.QuadPart, &got, NULL) &&
                got == (DWORD)size.QuadPart;
        *len = got;
    }
    CloseHandle(file);
    if (!whole)
        free(*bytes);
    return whole;
}

static bool write_file(const wchar_t *path, const uint8_t *bytes, size_t len)
{
    HANDLE file = CreateFileW(path, GENERIC_WRITE, 0, NULL, CREATE_ALWAYS, 0, NULL);
    DWORD put = 0;

    if (file == INVALID_HANDLE_VALUE)
        return false;
    bool whole = WriteFile(file, bytes, (DWORD)len, &put, NULL) && put == len;
    return CloseHandle(file) && whole;
}

static bool same_file(const wchar_t *path, const uint8_t *bytes, size_t len)
{
    uint8_t *there;
    size_t there_len = 0;
    if (!read_file(path, &there, &there_len))
        return false;
    bool same = there_len == len && memcmp(there, bytes, len) == 0;
    free(there);
    return same;
}

/* The DLL is injected from a copy, so that a later version can be installed while a target still
 * has this one. `path` gets the copy's name. */
static enum um_status copy_dll(const char *stem, wchar_t path[PATH_CHARS])
{
    char file[32];
    char name[UM_PLATFORM_PATH_BYTES];
    wchar_t folder[MAX_PATH];
    wchar_t fresh[PATH_CHARS + 16];
    uint8_t *bytes = NULL;
    size_t len = 0;

    snprintf(file, sizeof file, "%s.dll", stem);
    if (um_platform_beside(file, name, sizeof name) != UM_OK)
        return UM_ERR_IO;
    wchar_t *source = um_wide_from_utf8(name);
    bool there = source && read_file(source, &bytes, &len);
    free(source);
    if (!there)
        return UM_ERR_NOT_FOUND;
    DWORD got = GetEnvironmentVariableW(L"LOCALAPPDATA", folder, MAX_PATH - 8);
    if (got == 0 || got >= MAX_PATH - 8)
        GetTempPathW(MAX_PATH - 8, folder);
    wcscat(folder, L"\\uimon");
    CreateDirectoryW(folder, NULL);
    swprintf(path, PATH_CHARS, L"%ls\\%hs-%hs-%016llx.dll", folder, stem, UM_VERSION,
             (unsigned long long)hash(bytes, len));
    enum um_status status = UM_OK;
    if (!same_file(path, bytes, len)) {
        /* Renamed into place, so that no program ever loads a half-written file. */
        swprintf(fresh, PATH_CHARS + 16, L"%ls.%lu", path, GetCurrentProcessId());
        if (!write_file(fresh, bytes, len) ||
            !MoveFileExW(fresh, path, MOVEFILE_REPLACE_EXISTING)) {
            DeleteFileW(fresh);
            /* A loaded DLL cannot be replaced. That is no failure if another uimon has just put the
             * same file there. */
            status = same_file(path, bytes, len) ? UM_OK : UM_ERR_IO;
        }
    }
    free(bytes);
    return status;
}

/* The error for a DLL that the system does not load. */
static enum um_status not_loaded(DWORD code, char *error, size_t cap)
{
    snprintf(error, cap,
             "uimon: the hook DLL cannot be loaded (error %lu): an antivirus may have "
             "removed it; install uimon again",
             code);
    return UM_ERR_DENIED;
}

/* The error for a hook that the system does not set. */
static enum um_status not_hooked(const struct um_target_info *target, DWORD code, char *error,
                                 size_t cap)
{
    if (code == ERROR_ACCESS_DENIED) {
        snprintf(error, cap,
                 "uimon: the system allows no hook in %s (pid %lu): if it runs elevated, start "
                 "uimon as administrator too",
                 target->name, (unsigned long)target->pid);
        return UM_ERR_DENIED;
    }
    snprintf(error, cap, "uimon: no hook can be set in thread %lu of %s (pid %lu), error %lu",
             (unsigned long)target->tid, target->name, (unsigned long)target->pid, code);
    return um_target_window_alive(target->hwnd, target->tid) ? UM_ERR_DENIED : UM_ERR_CLOSED;
}

/* A 64-bit target: this process sets the hook. */
static enum um_status set_hook(struct um_dll *dll, const struct um_target_info *target,
                               const wchar_t *path, char *error, size_t cap)
{
    dll->module = LoadLibraryW(path);
    if (!dll->module)
        return not_loaded(GetLastError(), error, cap);
    HOOKPROC proc = (HOOKPROC)(uintptr_t)GetProcAddress(dll->module, UM_BOOTSTRAP_HOOK_PROC);
    if (!proc)
        return not_loaded(GetLastError(), error, cap);
    dll->hook = SetWindowsHookExW(WH_GETMESSAGE, proc, dll->module, target->tid);
    return dll->hook ? UM_OK : not_hooked(target, GetLastError(), error, cap);
}

/* Starts a program with two pipes for its standard input and output. It inherits nothing else.
 * Returns 0, or the system's error code. */
static DWORD start_helper(struct um_dll *dll, wchar_t *program, wchar_t *line, HANDLE *answer)
{
    SECURITY_ATTRIBUTES inherited = {.nLength = sizeof inherited, .bInheritHandle = TRUE};
    STARTUPINFOEXW startup = {
        .StartupInfo = {.cb = sizeof startup, .dwFlags = STARTF_USESTDHANDLES}};
    PROCESS_INFORMATION info = {0};
    HANDLE theirs[2] = {NULL, NULL}; /* its standard input and output */
    SIZE_T bytes = 0;
    DWORD code = 0;

    InitializeProcThreadAttributeList(NULL, 1, 0, &bytes);
    startup.lpAttributeList = malloc(bytes);
    if (!startup.lpAttributeList)
        return ERROR_OUTOFMEMORY;
    bool listed = InitializeProcThreadAttributeList(startup.lpAttributeList, 1, 0, &bytes);
    if (!listed || !CreatePipe(&theirs[0], &dll->helper_in, &inherited, 0) ||
        !CreatePipe(answer, &theirs[1], &inherited, 0) ||
        !UpdateProcThreadAttribute(startup.lpAttributeList, 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST,
                                   theirs, sizeof theirs, NULL, NULL)) {
        code = GetLastError();
    } else {
        startup.StartupInfo.hStdInput = theirs[0];
        startup.StartupInfo.hStdOutput = theirs[1];
        if (!CreateProcessW(program, line, NULL, NULL, TRUE,
                            CREATE_NO_WINDOW | EXTENDED_STARTUPINFO_PRESENT, NULL, NULL,
                            &startup.StartupInfo, &info))
            code = GetLastError();
    }
    if (listed)
        DeleteProcThreadAttributeList(startup.lpAttributeList);
    free(startup.lpAttributeList);
    for (int i = 0; i < 2; i++)
        if (theirs[i])
            CloseHandle(theirs[i]);
    if (info.hThread)
        CloseHandle(info.hThread);
    dll->helper = info.hProcess;
    return code;
}

/* Waits for the helper's answer; false if none comes. */
static bool read_answer(HANDLE pipe, struct um_bootstrap_answer *answer)
{
    ULONGLONG until = GetTickCount64() + ANSWER_MS;
    DWORD there = 0;

    while (PeekNamedPipe(pipe, NULL, 0, NULL, &there, NULL) && GetTickCount64() < until) {
        if (there >= sizeof *answer)
            return ReadFile(pipe, answer, sizeof *answer, &there, NULL) && there == sizeof *answer;
        Sleep(POLL_MS);
    }
    return false;
}

/* A 32-bit target: the helper sets the hook. Thread 0: it only loads the DLL. */
static enum um_status set_hook_by_helper(struct um_dll *dll, const struct um_target_info *target,
                                         const wchar_t *path, char *error, size_t cap)
{
    struct um_bootstrap_answer answer = {0};
    char name[UM_PLATFORM_PATH_BYTES];
    wchar_t line[PATH_CHARS + UM_PLATFORM_PATH_BYTES + 32];
    HANDLE pipe = NULL;

    if (um_platform_beside(HELPER, name, sizeof name) != UM_OK)
        return UM_ERR_IO;
    wchar_t *program = um_wide_from_utf8(name);
    if (!program)
        return UM_ERR_MEMORY;
    swprintf(line, sizeof line / sizeof line[0], L"\"%ls\" %lu \"%ls\"", program,
             (unsigned long)target->tid, path);
    DWORD code = start_helper(dll, program, line, &pipe);
    free(program);
    bool answered = code == 0 && read_answer(pipe, &answer);
    if (pipe)
        CloseHandle(pipe);
    if (code == ERROR_FILE_NOT_FOUND) {
        snprintf(error, cap,
                 "uimon: %s, which 32-bit programs need, is not beside uimon.exe: unpack the "
                 "whole package into one folder",
                 HELPER);
        return UM_ERR_NOT_FOUND;
    }
    if (!answered) {
        snprintf(error, cap,
                 "uimon: %s, which 32-bit programs need, does not work here (error %lu): an "
                 "antivirus may keep it from running, or the system runs no 32-bit programs",
                 HELPER, code);
        return UM_ERR_DENIED;
    }
    switch (answer.step) {
    case UM_BOOTSTRAP_HOOKED:
        return UM_OK;
    case UM_BOOTSTRAP_LOADING:
        return not_loaded(answer.error, error, cap);
    default:
        return not_hooked(target, answer.error, error, cap);
    }
}

enum um_status um_dll_inject(const struct um_target_info *target, struct um_dll **out, char *error,
                             size_t error_cap)
{
    const char *stem = target->bits == 32 ? "uimon-hook32" : "uimon-hook64";
    struct um_dll *dll = calloc(1, sizeof *dll);
    wchar_t path[PATH_CHARS];

    snprintf(error, error_cap, "uimon: out of memory");
    if (!dll)
        return UM_ERR_MEMORY;
    enum um_status status = copy_dll(stem, path);
    if (status == UM_ERR_NOT_FOUND)
        snprintf(error, error_cap,
                 "uimon: %s.dll is not beside uimon.exe: unpack the whole package into one folder",
                 stem);
    else if (status != UM_OK)
        snprintf(error, error_cap,
                 "uimon: the hook DLL cannot be copied to %%LOCALAPPDATA%%\\uimon: make "
                 "that folder writable");
    else if (target->bits == 32)
        status = set_hook_by_helper(dll, target, path, error, error_cap);
    else
        status = set_hook(dll, target, path, error, error_cap);
    if (status == UM_OK)
        *out = dll;
    else
        um_dll_release(dll);
    return status;
}

enum um_status um_dll_try32(char *error, size_t error_cap)
{
    const struct um_target_info nobody = {.bits = 32};
    struct um_dll *dll;
    enum um_status status = um_dll_inject(&nobody, &dll, error, error_cap);
    if (status == UM_OK)
        um_dll_release(dll);
    return status;
}

void um_dll_release(struct um_dll *dll)
{
    if (!dll)
        return;
    if (dll->hook)
        UnhookWindowsHookEx(dll->hook);
    if (dll->module)
        FreeLibrary(dll->module);
    if (dll->helper_in)
        CloseHandle(dll->helper_in); /* asks it to end */
    if (dll->helper) {
        if (WaitForSingleObject(dll->helper, END_MS) != WAIT_OBJECT_0)
            TerminateProcess(dll->helper, 1);
        CloseHandle(dll->helper);
    }
    free(dll);
}
