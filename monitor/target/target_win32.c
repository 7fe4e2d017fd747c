#include "monitor/target/target.h"

#include <dwmapi.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include <shellapi.h>
#include <tlhelp32.h>

#include "ipc/filetime_win32.h"
#include "ipc/pipe_win32.h"
#include "ipc/token_win32.h"
#include "ipc/wire.h"
#include "monitor/base/list.h"
#include "monitor/base/platform.h"
#include "monitor/base/wide_win32.h"
#include "monitor/target/machine.h"
#include "monitor/target/refusal.h"
#include "monitor/target/target_win32.h"
#include "monitor/target/toolkit.h"

#define CLOAKED_ATTRIBUTE 14 /* DWMWA_CLOAKED */
#define MACHINE_TYPE 9       /* ProcessMachineTypeInfo, not in every SDK */
#define MAX_WINDOWS 4096
#define NEEDS_ELEVATION 740 /* ERROR_ELEVATION_REQUIRED, not in every SDK */

struct um_target_process {
    HANDLE handle;
    uint32_t pid;
};

struct window {
    HWND hwnd;
    DWORD pid;
    DWORD tid;
    struct um_target_window shape;
};

struct windows {
    struct window *list;
    size_t count;
    DWORD pid; /* of this process only; 0: of all */
    DWORD tid; /* of this thread only; 0: of all */
};

static uint64_t area(HWND hwnd)
{
    WINDOWPLACEMENT placement = {.length = sizeof placement};
    RECT rect;

    /* A minimised window is as large as it will be again. */
    if (IsIconic(hwnd) && GetWindowPlacement(hwnd, &placement))
        rect = placement.rcNormalPosition;
    else if (!GetWindowRect(hwnd, &rect))
        return 0;
    if (rect.right <= rect.left || rect.bottom <= rect.top)
        return 0;
    return (uint64_t)(rect.right - rect.left) * (uint64_t)(rect.bottom - rect.top);
}

static bool is_cloaked(HWND hwnd)
{
    DWORD cloaked = 0;
    /* Wine has no DWM attributes (E_NOTIMPL) and nothing that cloaks. */
    return SUCCEEDED(DwmGetWindowAttribute(hwnd, CLOAKED_ATTRIBUTE, &cloaked, sizeof cloaked)) &&
           cloaked != 0;
}

static BOOL CALLBACK collect(HWND hwnd, LPARAM context)
{
    struct windows *all = (struct windows *)context;
    DWORD pid = 0;
    DWORD tid = GetWindowThreadProcessId(hwnd, &pid);

    if (pid == GetCurrentProcessId() || (all->pid && pid != all->pid) ||
        (all->tid && tid != all->tid))
        return TRUE;
    struct window *window = &all->list[all->count++];
    window->hwnd = hwnd;
    window->pid = pid;
    window->tid = tid;
    window->shape.hwnd = (uint64_t)(uintptr_t)hwnd;
    window->shape.visible = IsWindowVisible(hwnd) != 0;
    window->shape.owned = GetWindow(hwnd, GW_OWNER) != NULL;
    window->shape.tool = (GetWindowLongPtrW(hwnd, GWL_EXSTYLE) & WS_EX_TOOLWINDOW) != 0;
    window->shape.area_px = window->shape.visible ? area(hwnd) : 0;
    window->shape.cloaked = window->shape.visible && is_cloaked(hwnd);
    return all->count < MAX_WINDOWS;
}

/* The windows in stacking order. Owner: free(all->list). */
static enum um_status collect_windows(DWORD pid, DWORD tid, struct windows *all)
{
    all->pid = pid;
    all->tid = tid;
    all->count = 0;
    all->list = calloc(MAX_WINDOWS, sizeof *all->list);
    if (!all->list)
        return UM_ERR_MEMORY;
    EnumWindows(collect, (LPARAM)all);
    return UM_OK;
}

/* The integrity level of a process by its id, or -1. A process that may not be asked is above those
 * that may: the system, another user, or a program that runs as administrator. */
static long integrity_of(DWORD pid)
{
    HANDLE process = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, pid);
    long level = process ? um_token_level(process) : -1;
    DWORD error = GetLastError();

    if (process)
        CloseHandle(process);
    return level < 0 && error == ERROR_ACCESS_DENIED ? LONG_MAX : level;
}

/* Wine has the levels and drops nothing because of them. */
bool um_target_is_shielded(uint32_t pid)
{
    HWND front = GetForegroundWindow();
    DWORD front_pid = 0;

    if (!front || !GetWindowThreadProcessId(front, &front_pid) || front_pid == pid)
        return false;
    long own = integrity_of(pid);
    return own >= 0 && integrity_of(front_pid) > own;
}

/* What MACHINE_TYPE gives: PROCESS_MACHINE_INFORMATION. */
struct machine_type {
    USHORT machine;
    USHORT reserved;
    DWORD attributes;
};

typedef BOOL(WINAPI *is_wow64_process2)(HANDLE process, USHORT *machine, USHORT *native);

/* On systems for x64 it adds nothing to IsWow64Process, and Windows 10 1507 lacks it. */
static is_wow64_process2 find_wow64(void)
{
    return (is_wow64_process2)GetProcAddress(GetModuleHandleW(L"kernel32.dll"), "IsWow64Process2");
}

/* The machine code of a process, as um_machine_of says. */
static uint16_t machine_of(HANDLE process)
{
    is_wow64_process2 ask = find_wow64();
    struct machine_type told = {0};
    USHORT wow = IMAGE_FILE_MACHINE_UNKNOWN, native = IMAGE_FILE_MACHINE_AMD64;
    BOOL narrow = FALSE;

    if (ask && ask(process, &wow, &native)) {
        /* Windows 10 does not know this question, and has no x64 programs on ARM64 either. Wine 8
         * ends a program that calls the function. */
        if (native == IMAGE_FILE_MACHINE_ARM64 &&
            !GetProcessInformation(process, MACHINE_TYPE, &told, sizeof told))
            told.machine = IMAGE_FILE_MACHINE_UNKNOWN;
    } else if (IsWow64Process(process, &narrow) && narrow) {
        wow = IMAGE_FILE_MACHINE_I386;
    }
    return um_machine_of(wow, native, told.machine);
}

const char *um_target_why_no_stacks(void)
{
    USHORT wow, native = IMAGE_FILE_MACHINE_AMD64;
    is_wow64_process2 ask = find_wow64();

    if (ask && !ask(GetCurrentProcess(), &wow, &native))
        native = IMAGE_FILE_MACHINE_AMD64;
    return um_machine_why_no_stacks(native);
}

/* Notes why it cannot be attached to. "" is no reason, and the first one that was found stays. */
static void refuse(struct um_target_info *info, const char *why)
{
    if (!info->why_not[0])
        um_wire_set_text(info->why_not, sizeof info->why_not, why);
}

/* Fills in what depends on the process alone, and why it cannot be attached to. */
static void describe_process(struct um_target_info *info)
{
    HANDLE process = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, info->pid);
    FILETIME times[4];

    if (!process) {
        refuse(info, "it belongs to another user or the system, or is elevated");
        return;
    }
    uint16_t machine = machine_of(process);
    info->bits = um_machine_bits(machine);
    if (GetProcessTimes(process, &times[0], &times[1], &times[2], &times[3]))
        info->started = um_filetime_ticks(times[0]);
    long own = um_token_level(GetCurrentProcess());
    long theirs = um_token_level(process);
    DWORD error = GetLastError();
    refuse(info, um_refusal_of_container(um_token_is_app_container(process)));
    refuse(info, um_machine_why_not(machine));
    if (own >= 0 && (theirs > own || (theirs < 0 && error == ERROR_ACCESS_DENIED)))
        refuse(info, "it is elevated: start uimon as administrator too");
    CloseHandle(process);
}

static void describe_window(const struct window *window, struct um_target_info *info)
{
    wchar_t text[256];
    info->hwnd = window->shape.hwnd;
    info->tid = window->tid;
    /* For another process's window this reads what the system has stored and sends nothing. */
    text[0] = 0;
    GetWindowTextW(window->hwnd, text, 256);
    um_wide_to_utf8(text, info->title, sizeof info->title);
    text[0] = 0;
    GetClassNameW(window->hwnd, text, 256);
    um_wide_to_utf8(text, info->window_class, sizeof info->window_class);
    refuse(info, um_refusal_of_class(info->window_class));
}

static void describe_toolkit(struct um_target_info *info)
{
    char class_module[UM_TOOLKIT_CLASS_MODULE_BYTES];
    if (!info->hwnd || info->why_not[0])
        return;
    um_toolkit_class_module(info->hwnd, info->pid, class_module);
    um_wire_set_text(info->toolkit, sizeof info->toolkit,
                     um_toolkit_of(info->window_class, class_module));
}

/* The main one among the windows of `pid`. */
static void describe_main_window(const struct windows *all, struct um_target_info *info)
{
    struct um_target_window *shapes = calloc(all->count + 1, sizeof *shapes);
    const struct window **windows = calloc(all->count + 1, sizeof *windows);
    size_t count = 0;
    size_t index;

    for (size_t i = 0; shapes && windows && i < all->count; i++) {
        if (all->list[i].pid != info->pid)
            continue;
        shapes[count] = all->list[i].shape;
        windows[count++] = &all->list[i];
    }
    if (count && um_target_spec_pick_main(shapes, count, &index) == UM_OK)
        describe_window(windows[index], info);
    free(windows);
    free(shapes);
}

/* Calls for each running process but this one. */
static enum um_status each_process(void (*visit)(void *, const PROCESSENTRY32W *), void *context)
{
    PROCESSENTRY32W entry = {.dwSize = sizeof entry};
    HANDLE snapshot = CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0);

    if (snapshot == INVALID_HANDLE_VALUE)
        return UM_ERR_IO;
    for (BOOL more = Process32FirstW(snapshot, &entry); more;
         more = Process32NextW(snapshot, &entry))
        if (entry.th32ProcessID != 0 && entry.th32ProcessID != GetCurrentProcessId())
            visit(context, &entry);
    CloseHandle(snapshot);
    return UM_OK;
}

struct listing {
    struct um_target_info *list;
    size_t count;
    size_t cap;
    bool short_of_memory;
};

static void add_process(void *context, const PROCESSENTRY32W *entry)
{
    struct listing *listing = context;
    if (!um_list_reserve(&listing->list, &listing->cap, listing->count + 1, SIZE_MAX,
                         sizeof *listing->list)) {
        listing->short_of_memory = true;
        return;
    }
    struct um_target_info *info = &listing->list[listing->count++];
    info->pid = entry->th32ProcessID;
    um_wide_to_utf8(entry->szExeFile, info->name, sizeof info->name);
}

/* The processes that `spec` fits; NULL fits all. */
static enum um_status list_processes(const struct um_target_spec *spec,
                                     struct um_target_info **list, size_t *count)
{
    struct listing listing = {0};
    struct windows all;
    size_t kept = 0;
    enum um_status status = collect_windows(0, 0, &all);

    if (status == UM_OK)
        status = each_process(add_process, &listing);
    if (status == UM_OK && listing.short_of_memory)
        status = UM_ERR_MEMORY;
    if (status != UM_OK) {
        free(listing.list);
        free(all.list);
        return status;
    }
    for (size_t i = 0; i < listing.count; i++) {
        struct um_target_info *info = &listing.list[i];
        describe_main_window(&all, info);
        if (spec && !um_target_spec_fits(spec, info))
            continue;
        describe_process(info);
        describe_toolkit(info);
        memmove(&listing.list[kept++], info, sizeof *info);
    }
    free(all.list);
    *list = listing.list;
    *count = kept;
    return UM_OK;
}

enum um_status um_target_list(struct um_target_info **list, size_t *count)
{
    return list_processes(NULL, list, count);
}

enum um_status um_target_find(const struct um_target_spec *spec, struct um_target_info **list,
                              size_t *count)
{
    return list_processes(spec, list, count);
}

static void name_entry(void *context, const PROCESSENTRY32W *entry)
{
    struct um_target_info *info = context;
    if (entry->th32ProcessID == info->pid)
        um_wide_to_utf8(entry->szExeFile, info->name, sizeof info->name);
}

/* The system's list of all processes costs milliseconds, so it is for what cannot be opened. */
static void name_process(struct um_target_info *info)
{
    HANDLE process = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, info->pid);
    wchar_t path[1024];
    DWORD len = 1024;
    bool known = process && QueryFullProcessImageNameW(process, 0, path, &len);

    if (process)
        CloseHandle(process);
    if (!known) {
        each_process(name_entry, info);
        return;
    }
    const wchar_t *slash = wcsrchr(path, L'\\');
    um_wide_to_utf8(slash ? slash + 1 : path, info->name, sizeof info->name);
}

enum um_status um_target_look(uint32_t pid, uint32_t thread_id, struct um_target_info *info)
{
    struct windows all;
    memset(info, 0, sizeof *info);
    info->pid = pid;
    enum um_status status = collect_windows(pid, thread_id, &all);
    if (status != UM_OK)
        return status;
    describe_main_window(&all, info);
    free(all.list);
    name_process(info);
    if (!info->hwnd)
        return UM_ERR_NOT_FOUND;
    describe_process(info);
    describe_toolkit(info);
    return UM_OK;
}

void um_target_claimed(uint32_t owner_pid, char *why, size_t why_cap)
{
    struct um_target_info owner = {0};
    if (owner_pid)
        um_target_look(owner_pid, 0, &owner);
    um_target_spec_claimed(&owner, why, why_cap);
}

bool um_target_window_alive(uint64_t hwnd, uint32_t tid)
{
    return GetWindowThreadProcessId((HWND)(uintptr_t)hwnd, NULL) == tid;
}

bool um_target_window_shown(uint64_t hwnd)
{
    HWND window = (HWND)(uintptr_t)hwnd;
    /* The system itself hides a hung window and puts a ghost in its place. */
    return IsWindowVisible(window) || IsHungAppWindow(window);
}

bool um_target_window_class(uint64_t hwnd, char *buf, size_t cap_bytes)
{
    wchar_t name[256];
    if (!GetClassNameW((HWND)(uintptr_t)hwnd, name, 256))
        return false;
    um_wide_to_utf8(name, buf, cap_bytes);
    return true;
}

/* Registered messages and clipboard formats have one table of names, so this finds both. Windows
 * does not document that; where it should not hold, the message is shown by its number. */
bool um_target_message_name(uint32_t message, char *buf, size_t cap_bytes)
{
    wchar_t name[256]; /* longer names cannot be registered */
    if (!GetClipboardFormatNameW(message, name, 256))
        return false;
    um_wide_to_utf8(name, buf, cap_bytes);
    return true;
}

bool um_target_thread_answers(uint64_t hwnd, uint32_t timeout_ms)
{
    DWORD_PTR result;
    return SendMessageTimeoutW((HWND)(uintptr_t)hwnd, WM_NULL, 0, 0, SMTO_BLOCK, timeout_ms,
                               &result) != 0;
}

enum um_status um_target_own(HANDLE handle, uint32_t pid, struct um_target_process **process)
{
    struct um_target_process *made = calloc(1, sizeof *made);
    if (!made) {
        CloseHandle(handle);
        return UM_ERR_MEMORY;
    }
    made->handle = handle;
    made->pid = pid;
    *process = made;
    return UM_OK;
}

enum um_status um_target_open(uint32_t pid, struct um_target_process **process)
{
    HANDLE handle = OpenProcess(SYNCHRONIZE | PROCESS_QUERY_LIMITED_INFORMATION, FALSE, pid);
    if (!handle)
        return GetLastError() == ERROR_INVALID_PARAMETER ? UM_ERR_NOT_FOUND : UM_ERR_DENIED;
    return um_target_own(handle, pid, process);
}

/* Appends one argument, quoted so that CommandLineToArgvW and the C runtime read it back as it was:
 * backslashes are doubled only in front of a quote. False if there is no room. */
static bool append_argument(wchar_t *line, size_t cap, size_t *len, const wchar_t *argument)
{
    bool quote = !*argument || wcspbrk(argument, L" \t\n\v\"");
    size_t slashes = 0;

    if (*len + 2 * wcslen(argument) + 4 > cap)
        return false;
    if (*len)
        line[(*len)++] = L' ';
    if (quote)
        line[(*len)++] = L'"';
    for (; *argument; argument++) {
        for (; *argument == L'"' && slashes; slashes--)
            line[(*len)++] = L'\\';
        if (*argument == L'"')
            line[(*len)++] = L'\\';
        slashes = *argument == L'\\' ? slashes + 1 : 0;
        line[(*len)++] = *argument;
    }
    for (; quote && slashes; slashes--)
        line[(*len)++] = L'\\';
    if (quote)
        line[(*len)++] = L'"';
    line[*len] = 0;
    return true;
}

enum um_status um_target_command_line(char *const *argv, int argc, wchar_t **out)
{
    const size_t cap = 32767; /* CreateProcess's limit */
    wchar_t *line = calloc(cap + 1, sizeof *line);
    size_t len = 0;

    if (!line)
        return UM_ERR_MEMORY;
    for (int i = 0; i < argc; i++) {
        wchar_t *argument = um_wide_from_utf8(argv[i]);
        bool fits = argument && append_argument(line, cap, &len, argument);
        free(argument);
        if (!fits) {
            free(line);
            return UM_ERR_TOO_LARGE;
        }
    }
    *out = line;
    return UM_OK;
}

/* Adds a folder to a list of them, unless it is none that has a place of its own: what is in ".",
 * or in "bin", depends on the present folder. */
static void add_folder(wchar_t *list, size_t cap, const wchar_t *folder, size_t len)
{
    bool whole = len >= 3 && (folder[1] == L':' || (folder[0] == L'\\' && folder[1] == L'\\'));
    size_t used = wcslen(list);
    if (whole && used + len + 2 <= cap)
        swprintf(list + used, cap - used, L"%.*ls;", (int)len, folder);
}

/* The folders in which programs are looked for. Owner: free. NULL: out of memory. */
static wchar_t *program_folders(void)
{
    const size_t cap = 3 * MAX_PATH + 32768; /* no variable is longer */
    wchar_t *list = calloc(cap, sizeof *list);
    wchar_t *path = calloc(32768, sizeof *path);
    wchar_t folder[MAX_PATH];
    char beside[MAX_PATH * 3];

    if (list && path && um_platform_beside("", beside, sizeof beside) == UM_OK) {
        wchar_t *own_folder = um_wide_from_utf8(beside);
        if (own_folder)
            add_folder(list, cap, own_folder, wcslen(own_folder));
        free(own_folder);
    }
    if (list && path) {
        add_folder(list, cap, folder, GetSystemDirectoryW(folder, MAX_PATH));
        add_folder(list, cap, folder, GetWindowsDirectoryW(folder, MAX_PATH));
        GetEnvironmentVariableW(L"PATH", path, 32768);
        for (const wchar_t *at = path; *at; at += wcsspn(at, L";")) {
            size_t len = wcscspn(at, L";");
            add_folder(list, cap, at, len);
            at += len;
        }
    }
    free(path);
    return list;
}

static enum um_status find_program(const wchar_t *name, wchar_t *found, DWORD cap)
{
    wchar_t whole[MAX_PATH * 2];
    DWORD len;

    if (wcspbrk(name, L"\\/:")) {
        /* A whole path is searched for nowhere else. */
        len = GetFullPathNameW(name, MAX_PATH * 2, whole, NULL);
        if (len == 0 || len >= MAX_PATH * 2)
            return UM_ERR_TOO_LARGE;
        len = SearchPathW(NULL, whole, L".exe", cap, found, NULL);
    } else {
        wchar_t *folders = program_folders();
        if (!folders)
            return UM_ERR_MEMORY;
        len = SearchPathW(folders, name, L".exe", cap, found, NULL);
        free(folders);
    }
    if (len >= cap)
        return UM_ERR_TOO_LARGE;
    bool folder = len > 0 && (GetFileAttributesW(found) & FILE_ATTRIBUTE_DIRECTORY);
    return len > 0 && !folder ? UM_OK : UM_ERR_NOT_FOUND;
}

enum um_status um_target_find_program(const char *name, char *path, size_t cap_bytes)
{
    wchar_t found[MAX_PATH * 2];
    wchar_t *wide = um_wide_from_utf8(name);

    if (!wide)
        return UM_ERR_MEMORY;
    enum um_status status = find_program(wide, found, MAX_PATH * 2);
    free(wide);
    if (status == UM_OK)
        um_wide_to_utf8(found, path, cap_bytes);
    return status;
}

/* Whether a program uses the console, by its file. Where that cannot be read, it may. */
static bool uses_console(const wchar_t *program)
{
    SHFILEINFOW unused;
    DWORD_PTR type = SHGetFileInfoW(program, 0, &unused, sizeof unused, SHGFI_EXETYPE);
    return HIWORD(type) == 0; /* else it is the version of Windows that a windowed program wants */
}

/* `console_flags` are for a program that uses the console. */
static enum um_status start(char *const *argv, int argc, DWORD console_flags,
                            struct um_target_process **process)
{
    STARTUPINFOW startup = {.cb = sizeof startup};
    PROCESS_INFORMATION info;
    wchar_t program[MAX_PATH * 2];
    wchar_t *line;
    wchar_t *name = um_wide_from_utf8(argv[0]);
    enum um_status status = name ? find_program(name, program, MAX_PATH * 2) : UM_ERR_MEMORY;

    free(name);
    if (status == UM_OK)
        status = um_target_command_line(argv, argc, &line);
    if (status != UM_OK)
        return status;
    DWORD flags = console_flags && uses_console(program) ? console_flags : 0;
    BOOL started =
        CreateProcessW(program, line, NULL, NULL, FALSE, flags, NULL, NULL, &startup, &info);
    DWORD error = GetLastError();
    free(line);
    if (!started)
        return error == NEEDS_ELEVATION ? UM_ERR_DENIED : um_pipe_status(error);
    CloseHandle(info.hThread);
    return um_target_own(info.hProcess, info.dwProcessId, process);
}

/* A program of the console subsystem shares our console, and the system hands Ctrl+C to all
 * programs of a console. The flag makes the new one ignore Ctrl+C (SetConsoleCtrlHandler). It also
 * puts it into a group of its own: what a program sends to our group (GenerateConsoleCtrlEvent)
 * does not reach it, while Ctrl+Break from the keyboard does. What that program starts ignores
 * Ctrl+C too, so one that needs no flag gets none: an IDE has terminals. */
enum um_status um_target_launch(char *const *argv, int argc, struct um_target_process **process)
{
    return start(argv, argc, CREATE_NEW_PROCESS_GROUP, process);
}

enum um_status um_target_run(char *const *argv, int argc, struct um_target_process **process)
{
    return start(argv, argc, 0, process);
}

uint32_t um_target_pid(const struct um_target_process *process)
{
    return process->pid;
}

bool um_target_running(const struct um_target_process *process)
{
    return WaitForSingleObject(process->handle, 0) == WAIT_TIMEOUT;
}

bool um_target_ready(const struct um_target_process *process)
{
    return WaitForInputIdle(process->handle, 0) == 0;
}

enum um_status um_target_exit_code(const struct um_target_process *process, uint32_t *code)
{
    DWORD exit_code;
    if (um_target_running(process))
        return UM_ERR_BUSY;
    if (!GetExitCodeProcess(process->handle, &exit_code))
        return UM_ERR_IO;
    *code = exit_code;
    return UM_OK;
}

enum um_status um_target_cpu_ns(const struct um_target_process *process, uint64_t *ns)
{
    FILETIME times[4];
    if (!GetProcessTimes(process->handle, &times[0], &times[1], &times[2], &times[3]))
        return UM_ERR_IO;
    *ns = um_filetime_cpu_ns(times[2], times[3]);
    return UM_OK;
}

void um_target_kill(struct um_target_process *process)
{
    TerminateProcess(process->handle, 1);
    WaitForSingleObject(process->handle, 1000);
}

void um_target_close(struct um_target_process *process)
{
    if (!process)
        return;
    CloseHandle(process->handle);
    free(process);
}
