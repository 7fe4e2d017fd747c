#include "monitor/target/dll.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "ipc/bootstrap.h"
#include "base/guarded_win32.h"
#include "base/platform.h"
#include "base/wide_win32.h"
#include "monitor/target/dll_copy_win32.h"
#include "monitor/target/helper_win32.h"

#define HELPER "uimon-attach32.exe"
#define ANSWER_MS 10000 /* the helper gets so long to start and to answer */
#define END_MS 1000     /* and to end */
#define POLL_MS 5

struct um_dll {
    HANDLE copy;    /* held open until the target has loaded it, so that nobody changes it */
    HMODULE module; /* a 64-bit target's */
    HHOOK hook;
    HANDLE helper; /* a 32-bit target's */
    HANDLE helper_in;
};

/* The error if there is no file to inject. */
static void not_copied(enum um_status status, const char *file, bool elevated, char *error,
                       size_t cap)
{
    if (status == UM_ERR_NOT_FOUND)
        snprintf(error, cap,
                 "uimon: %s is not beside uimon.exe: unpack the whole package into one folder",
                 file);
    else if (status == UM_ERR_DENIED)
        snprintf(error, cap,
                 "uimon: as administrator it loads no DLL that ordinary programs can change, and "
                 "they can change the folder uimon in %%ProgramData%%: delete that, or unpack "
                 "uimon into Program Files");
    else if (elevated)
        snprintf(error, cap,
                 "uimon: the hook DLL cannot be copied to %%ProgramData%%\\uimon: make that folder "
                 "writable for administrators, or unpack uimon into Program Files");
    else
        snprintf(error, cap,
                 "uimon: the hook DLL cannot be copied to %%LOCALAPPDATA%%\\uimon: make "
                 "that folder writable, and no link to another place");
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
    return um_target->window_alive(target->hwnd, target->tid) ? UM_ERR_DENIED : UM_ERR_CLOSED;
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
static DWORD start_helper(struct um_dll *dll, const wchar_t *program, wchar_t *line, HANDLE *answer)
{
    SECURITY_ATTRIBUTES inherited = {.nLength = sizeof inherited, .bInheritHandle = TRUE};
    PROCESS_INFORMATION info = {0};
    HANDLE theirs[2] = {NULL, NULL}; /* its standard input and output */
    DWORD code = 0;

    if (CreatePipe(&theirs[0], &dll->helper_in, &inherited, 0) &&
        CreatePipe(answer, &theirs[1], &inherited, 0))
        code = um_helper_create(program, line, theirs, 2, theirs, false, &info);
    else
        code = GetLastError();
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

/* The whole path of a file beside uimon.exe. Units: `path` has UM_DLL_COPY_CHARS. */
static enum um_status find_beside(const char *file, wchar_t *path)
{
    char name[UM_PLATFORM_PATH_BYTES];

    if (um_platform_beside(file, name, sizeof name) != UM_OK)
        return UM_ERR_IO;
    wchar_t *wide = um_wide_from_utf8(name);
    if (!wide)
        return UM_ERR_MEMORY;
    bool fits = wcslen(wide) < UM_DLL_COPY_CHARS;
    if (fits)
        wcscpy(path, wide);
    free(wide);
    return fits ? UM_OK : UM_ERR_IO;
}

/* The file to use in place of one beside uimon.exe. Errors: as um_dll_copy_open. */
static enum um_status find_copy(const char *file, bool elevated, wchar_t *path, HANDLE *copy)
{
    wchar_t beside[UM_DLL_COPY_CHARS];
    enum um_status status = find_beside(file, beside);
    return status == UM_OK ? um_dll_copy_open(beside, elevated, path, copy) : status;
}

/* Starts the helper; an elevated one only from where others cannot change it. Returns 0, or the
 * system's error code. */
static DWORD run_helper(struct um_dll *dll, const struct um_target_info *target,
                        const wchar_t *path, bool elevated, HANDLE *answer)
{
    wchar_t program[UM_DLL_COPY_CHARS];
    wchar_t line[2 * UM_DLL_COPY_CHARS + 32];
    HANDLE copy = NULL;

    switch (elevated ? find_copy(HELPER, true, program, &copy) : find_beside(HELPER, program)) {
    case UM_OK:
        break;
    case UM_ERR_NOT_FOUND:
        return ERROR_FILE_NOT_FOUND;
    default:
        return ERROR_ACCESS_DENIED;
    }
    swprintf(line, sizeof line / sizeof line[0], L"\"%ls\" %lu \"%ls\"", program,
             (unsigned long)target->tid, path);
    DWORD code = start_helper(dll, program, line, answer);
    if (copy)
        CloseHandle(copy);
    return code;
}

/* A 32-bit target: the helper sets the hook. Thread 0: it only loads the DLL. */
static enum um_status set_hook_by_helper(struct um_dll *dll, const struct um_target_info *target,
                                         const wchar_t *path, bool elevated, char *error,
                                         size_t cap)
{
    struct um_bootstrap_answer answer = {0};
    HANDLE pipe = NULL;
    DWORD code = run_helper(dll, target, path, elevated, &pipe);
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
    const char *file = target->bits == 32 ? "uimon-hook32.dll" : "uimon-hook64.dll";
    struct um_dll *dll = calloc(1, sizeof *dll);
    wchar_t path[UM_DLL_COPY_CHARS];

    snprintf(error, error_cap, "uimon: out of memory");
    if (!dll)
        return UM_ERR_MEMORY;
    bool elevated = um_guarded_is_needed();
    enum um_status status = find_copy(file, elevated, path, &dll->copy);
    if (status != UM_OK)
        not_copied(status, file, elevated, error, error_cap);
    else if (target->bits == 32)
        status = set_hook_by_helper(dll, target, path, elevated, error, error_cap);
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
    if (dll->copy)
        CloseHandle(dll->copy);
    free(dll);
}
