#include "monitor/platform.h"

#include <conio.h>
#include <fcntl.h>
#include <io.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include <shellapi.h>

#include "ipc/filetime_win32.h"
#include "monitor/wide_win32.h"

#define CLOSE_GRACE_MS 4000 /* Windows ends a process 5 s after its console was closed */
#define OUTPUT_BYTES 16384

struct um_platform_claim {
    HANDLE mapping;
};

static HANDLE interrupt_event;
static _Atomic int interrupted;

/* Runs on a thread of the system's. When the console goes, the process ends as soon as this returns,
 * so it stays for as long as the summary may take. */
static BOOL WINAPI on_control(DWORD event)
{
    atomic_store(&interrupted, 1);
    SetEvent(interrupt_event);
    if (event == CTRL_CLOSE_EVENT || event == CTRL_LOGOFF_EVENT || event == CTRL_SHUTDOWN_EVENT)
        Sleep(CLOSE_GRACE_MS);
    return TRUE;
}

static char *utf8_copy(const wchar_t *wide)
{
    int len = WideCharToMultiByte(CP_UTF8, 0, wide, -1, NULL, 0, NULL, NULL);
    char *text = len > 0 ? malloc((size_t)len) : NULL;
    if (text)
        WideCharToMultiByte(CP_UTF8, 0, wide, -1, text, len, NULL, NULL);
    return text;
}

/* Unbuffered, each byte would be a write of its own: slow, and a console shows no letter whose bytes
 * come one by one. Whoever wants to be read before the end flushes. A console gets the bytes as they
 * are: Wine's runtime would take them for Latin-1. */
static void prepare_output(FILE *file)
{
    setvbuf(file, NULL, _IOFBF, OUTPUT_BYTES);
    if (_isatty(_fileno(file)))
        _setmode(_fileno(file), _O_BINARY);
}

enum um_status um_platform_start(int *argc, char ***argv)
{
    int count = 0;
    wchar_t **wide = CommandLineToArgvW(GetCommandLineW(), &count);
    char **args = wide ? calloc((size_t)count + 1, sizeof *args) : NULL;

    for (int i = 0; args && i < count; i++) {
        args[i] = utf8_copy(wide[i]);
        if (!args[i])
            return UM_ERR_MEMORY; /* the program ends: nothing is worth releasing */
    }
    LocalFree(wide);
    interrupt_event = CreateEventW(NULL, TRUE, FALSE, NULL);
    if (!args || !interrupt_event)
        return UM_ERR_MEMORY;
    SetConsoleOutputCP(CP_UTF8);
    prepare_output(stdout);
    prepare_output(stderr);
    SetConsoleCtrlHandler(on_control, TRUE);
    *argc = count;
    *argv = args;
    return UM_OK;
}

bool um_platform_interrupted(void)
{
    return atomic_load(&interrupted) != 0;
}

void um_platform_wait_interrupt(uint32_t ms)
{
    WaitForSingleObject(interrupt_event, ms);
}

enum um_status um_platform_beside(const char *file, char *path, size_t cap_bytes)
{
    wchar_t program[MAX_PATH];
    char folder[UM_PLATFORM_PATH_BYTES];
    DWORD len = GetModuleFileNameW(NULL, program, MAX_PATH);

    if (len == 0 || len >= MAX_PATH)
        return UM_ERR_IO;
    wchar_t *slash = wcsrchr(program, L'\\');
    if (!slash)
        return UM_ERR_IO;
    slash[1] = 0;
    um_wide_to_utf8(program, folder, sizeof folder);
    int need = snprintf(path, cap_bytes, "%s%s", folder, file);
    return need > 0 && (size_t)need < cap_bytes ? UM_OK : UM_ERR_TOO_LARGE;
}

enum um_status um_platform_config_path(char *path, size_t cap_bytes)
{
    wchar_t folder[MAX_PATH];
    char text[UM_PLATFORM_PATH_BYTES];
    DWORD len = GetEnvironmentVariableW(L"APPDATA", folder, MAX_PATH);

    if (len == 0 || len >= MAX_PATH)
        return UM_ERR_NOT_FOUND;
    um_wide_to_utf8(folder, text, sizeof text);
    int need = snprintf(path, cap_bytes, "%s\\uimon\\uimon.conf", text);
    return need > 0 && (size_t)need < cap_bytes ? UM_OK : UM_ERR_NOT_FOUND;
}

static size_t columns(DWORD which)
{
    CONSOLE_SCREEN_BUFFER_INFO info;
    if (!GetConsoleScreenBufferInfo(GetStdHandle(which), &info))
        return 0;
    int width = info.srWindow.Right - info.srWindow.Left + 1;
    return width > 1 ? (size_t)width - 1 : 0; /* the last column would wrap */
}

size_t um_platform_stderr_columns(void)
{
    return columns(STD_ERROR_HANDLE);
}

size_t um_platform_stdout_columns(void)
{
    return columns(STD_OUTPUT_HANDLE);
}

bool um_platform_owns_console(void)
{
    DWORD pids[2];
    return GetConsoleProcessList(pids, 2) == 1;
}

void um_platform_wait_key(void)
{
    _getch();
}

/* _Exit would not do: some C libraries flush also when their DLL is detached. */
void um_platform_leave(int code)
{
    TerminateProcess(GetCurrentProcess(), (UINT)code);
}

uint64_t um_platform_cpu_ns(void)
{
    FILETIME times[4];
    if (!GetProcessTimes(GetCurrentProcess(), &times[0], &times[1], &times[2], &times[3]))
        return 0;
    return um_filetime_cpu_ns(times[2], times[3]);
}

/* The claim is a small shared section named for the target's process id, which holds the owner's.
 * The system removes it with its last handle, also when the monitor is killed. */
enum um_status um_platform_claim(uint32_t target_pid, uint32_t *owner_pid,
                                 struct um_platform_claim **claim)
{
    wchar_t name[64];
    struct um_platform_claim *made = calloc(1, sizeof *made);
    if (!made)
        return UM_ERR_MEMORY;
    swprintf(name, 64, L"Local\\uimon-target-%lu", (unsigned long)target_pid);
    made->mapping =
        CreateFileMappingW(INVALID_HANDLE_VALUE, NULL, PAGE_READWRITE, 0, sizeof(uint32_t), name);
    DWORD code = GetLastError();
    bool taken = code == ERROR_ALREADY_EXISTS;
    volatile uint32_t *view =
        made->mapping ? MapViewOfFile(made->mapping, FILE_MAP_ALL_ACCESS, 0, 0, sizeof *view)
                      : NULL;
    if (!view) {
        bool denied = !made->mapping && code == ERROR_ACCESS_DENIED;
        um_platform_release(made);
        *owner_pid = 0;
        return denied ? UM_ERR_BUSY : UM_ERR_IO;
    }
    *owner_pid = taken ? *view : GetCurrentProcessId();
    if (!taken)
        *view = *owner_pid;
    UnmapViewOfFile((const void *)(uintptr_t)view);
    if (taken) {
        um_platform_release(made);
        return UM_ERR_BUSY;
    }
    *claim = made;
    return UM_OK;
}

void um_platform_release(struct um_platform_claim *claim)
{
    if (!claim)
        return;
    if (claim->mapping)
        CloseHandle(claim->mapping);
    free(claim);
}
