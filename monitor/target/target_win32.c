#include "monitor/target/target.h"

#include <dwmapi.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include <psapi.h>
#include <shellapi.h>
#include <tlhelp32.h>

#include "base/plain/filetime_win32.h"
#include "base/plain/text.h"
#include "ipc/pipe_win32.h"
#include "base/local_file_win32.h"
#include "base/token_win32.h"
#include "ipc/wire.h"
#include "base/list.h"
#include "base/platform.h"
#include "base/utf8.h"
#include "base/wide_win32.h"
#include "monitor/target/dll.h"
#include "monitor/target/environment.h"
#include "monitor/target/machine.h"
#include "monitor/target/helper_win32.h"
#include "monitor/target/job_win32.h"
#include "monitor/target/refusal.h"
#include "base/suspended_threads.h"
#include "monitor/target/target_win32.h"
#include "monitor/target/toolkit.h"

#define CLOAKED_ATTRIBUTE 14 /* DWMWA_CLOAKED */
#define MACHINE_TYPE 9       /* ProcessMachineTypeInfo, not in every SDK */
#define MAX_WINDOWS 4096
#define MAX_MODULES 2048 /* of one process that are looked at */

struct um_target_process {
    HANDLE handle;
    HANDLE job; /* of a launched one; NULL: the system has refused it, or it was not launched */
    uint32_t pid;
    bool ignores_ctrl_c;
};

struct windows {
    struct um_target_window *list;
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
    struct um_target_window *window = &all->list[all->count++];
    window->hwnd = (uint64_t)(uintptr_t)hwnd;
    window->pid = pid;
    window->tid = tid;
    window->visible = IsWindowVisible(hwnd) != 0;
    window->owned = GetWindow(hwnd, GW_OWNER) != NULL;
    window->tool = (GetWindowLongPtrW(hwnd, GWL_EXSTYLE) & WS_EX_TOOLWINDOW) != 0;
    window->area_px = window->visible ? area(hwnd) : 0;
    window->cloaked = window->visible && is_cloaked(hwnd);
    return all->count < MAX_WINDOWS;
}

/* Lists windows in stacking order. Owner: free(all->list). */
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

/* The integrity level of a process by its id, or -1. A process that refuses to be opened counts as
 * the highest: it is the system's, another user's, or runs as administrator. */
static long integrity_of(DWORD pid)
{
    HANDLE process = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, pid);
    long level = process ? um_token_level(process) : -1;
    DWORD error = GetLastError();

    if (process)
        CloseHandle(process);
    return level < 0 && error == ERROR_ACCESS_DENIED ? LONG_MAX : level;
}

/* Wine has integrity levels, but does not drop input because of them. */
static bool is_shielded(uint32_t pid)
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

/* Windows 10 1507 lacks it. On x64 IsWow64Process says as much. */
static is_wow64_process2 find_wow64(void)
{
    return (is_wow64_process2)GetProcAddress(GetModuleHandleW(L"kernel32.dll"), "IsWow64Process2");
}

static uint16_t machine_of(HANDLE process)
{
    is_wow64_process2 ask = find_wow64();
    struct machine_type reported = {0};
    USHORT wow = IMAGE_FILE_MACHINE_UNKNOWN, native = IMAGE_FILE_MACHINE_AMD64;
    BOOL narrow = FALSE;

    if (ask && ask(process, &wow, &native)) {
        /* Windows 10 does not know MACHINE_TYPE, and has no x64 programs on ARM64. Wine 8 ends a
         * program that calls GetProcessInformation. */
        if (native == IMAGE_FILE_MACHINE_ARM64 &&
            !GetProcessInformation(process, MACHINE_TYPE, &reported, sizeof reported))
            reported.machine = IMAGE_FILE_MACHINE_UNKNOWN;
    } else if (IsWow64Process(process, &narrow) && narrow) {
        wow = IMAGE_FILE_MACHINE_I386;
    }
    return um_machine_of(wow, native, reported.machine);
}

static const char *why_no_stacks(void)
{
    USHORT wow, native = IMAGE_FILE_MACHINE_AMD64;
    is_wow64_process2 ask = find_wow64();

    if (ask && !ask(GetCurrentProcess(), &wow, &native))
        native = IMAGE_FILE_MACHINE_AMD64;
    return um_machine_why_no_stacks(native);
}

/* Notes why it cannot be attached to. The first reason stays; "" is none. */
static void refuse(struct um_target_info *info, const char *why)
{
    if (!info->why_not[0])
        um_text_set(info->why_not, sizeof info->why_not, why);
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
    if (um_token_is_app_container(process))
        refuse(info, "it runs in an app container, which loads no DLL of another program");
    refuse(info, um_machine_why_not(machine));
    if (own >= 0 && (theirs > own || (theirs < 0 && error == ERROR_ACCESS_DENIED)))
        refuse(info, "it is elevated: start uimon as administrator too");
    CloseHandle(process);
}

/* The name of a file without its folder. */
static void set_file_name(const wchar_t *path, char *buf, size_t cap_bytes)
{
    const wchar_t *slash = wcsrchr(path, L'\\');
    um_wide_to_utf8(slash ? slash + 1 : path, buf, cap_bytes);
}

static void describe_window(const struct um_target_window *window, struct um_target_info *info)
{
    HWND hwnd = (HWND)(uintptr_t)window->hwnd;
    wchar_t text[256];
    info->hwnd = window->hwnd;
    info->tid = window->tid;
    /* For another process's window this reads what the system has stored and sends nothing. */
    text[0] = 0;
    GetWindowTextW(hwnd, text, 256);
    um_wide_to_utf8(text, info->title, sizeof info->title);
    text[0] = 0;
    GetClassNameW(hwnd, text, 256);
    um_wide_to_utf8(text, info->window_class, sizeof info->window_class);
    refuse(info, um_refusal_of_class(info->window_class));
}

/* The file name of the module that registered the class of a window; "" if it is not known. Reads
 * what the system has stored about the process, and sends nothing to it. */
static void find_class_module(uint64_t hwnd, uint32_t pid, char *buf, size_t cap_bytes)
{
    wchar_t path[1024];
    /* For a class of another process this is an address there. */
    ULONG_PTR module = GetClassLongPtrW((HWND)(uintptr_t)hwnd, GCLP_HMODULE);
    HANDLE process = module ? OpenProcess(PROCESS_QUERY_INFORMATION, FALSE, pid) : NULL;
    DWORD len = process ? K32GetMappedFileNameW(process, (void *)module, path, 1024) : 0;

    buf[0] = '\0';
    if (process)
        CloseHandle(process);
    if (len > 0 && len < 1024)
        set_file_name(path, buf, cap_bytes);
}

static void describe_toolkit(struct um_target_info *info)
{
    char class_module[128];
    if (!info->hwnd || info->why_not[0])
        return;
    find_class_module(info->hwnd, info->pid, class_module, sizeof class_module);
    um_text_set(info->toolkit, sizeof info->toolkit,
                um_toolkit_of(info->window_class, class_module));
}

/* Finds the main window of the process `info->pid`. */
static void describe_main_window(const struct windows *all, struct um_target_info *info)
{
    const struct um_target_window *window =
        um_target_spec_main_window(all->list, all->count, info->pid);
    if (window)
        describe_window(window, info);
}

/* Calls `visit` for each running process but this one. */
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

static enum um_status find(const struct um_target_spec *spec, struct um_target_info **list,
                           size_t *count)
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

static void name_entry(void *context, const PROCESSENTRY32W *entry)
{
    struct um_target_info *info = context;
    if (entry->th32ProcessID == info->pid)
        um_wide_to_utf8(entry->szExeFile, info->name, sizeof info->name);
}

/* The list of all processes takes milliseconds, so it is used only if the process cannot be
 * opened. */
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
    set_file_name(path, info->name, sizeof info->name);
}

static enum um_status look(uint32_t pid, uint32_t thread_id, struct um_target_info *info)
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

static void claimed(uint32_t owner_pid, char *why, size_t why_cap)
{
    struct um_target_info owner = {0};
    if (owner_pid)
        look(owner_pid, 0, &owner);
    um_target_spec_claimed(&owner, why, why_cap);
}

static bool window_alive(uint64_t hwnd, uint32_t tid)
{
    return GetWindowThreadProcessId((HWND)(uintptr_t)hwnd, NULL) == tid;
}

static bool window_shown(uint64_t hwnd)
{
    HWND window = (HWND)(uintptr_t)hwnd;
    /* The system hides a hung window and shows a ghost window in its place. */
    return IsWindowVisible(window) || IsHungAppWindow(window);
}

static bool window_class(uint64_t hwnd, char *buf, size_t cap_bytes)
{
    wchar_t name[256];
    if (!GetClassNameW((HWND)(uintptr_t)hwnd, name, 256))
        return false;
    um_wide_to_utf8(name, buf, cap_bytes);
    return true;
}

/* Wine's RealGetWindowClass returns the class itself. */
static void base_class(HWND window, struct um_target_about *about)
{
    wchar_t name[256];
    if (RealGetWindowClassW(window, name, 256))
        um_wide_to_utf8(name, about->base_class, sizeof about->base_class);
    else
        um_text_set(about->base_class, sizeof about->base_class, about->window_class);
}

/* Message-only windows lie in a window of the system of this class. Other windows can lie in one of
 * another process, too: SetParent allows that. */
static bool is_message_only(HWND window, HWND parent)
{
    DWORD own = 0, outer = 0;
    wchar_t name[16];
    GetWindowThreadProcessId(window, &own);
    GetWindowThreadProcessId(parent, &outer);
    return own != outer && GetClassNameW(parent, name, 16) && wcscmp(name, L"Message") == 0;
}

/* InternalGetWindowText copies what the system keeps of the text; GetWindowText would do so only
 * for windows of other processes, by its documentation. */
static bool window_about(uint64_t hwnd, struct um_target_about *about)
{
    HWND window = (HWND)(uintptr_t)hwnd;
    HWND parent = GetAncestor(window, GA_PARENT);
    wchar_t text[UM_WIRE_TRACE_CLASS_BYTES] = L"";
    if (!window_class(hwnd, about->window_class, sizeof about->window_class))
        return false;
    about->parent = parent == GetDesktopWindow() ? 0 : (uint64_t)(uintptr_t)parent;
    about->has_children = GetWindow(window, GW_CHILD) != NULL;
    about->is_message_only = about->parent && is_message_only(window, parent);
    about->id = about->parent ? (uint32_t)GetDlgCtrlID(window) : 0;
    about->class_module = (uint64_t)GetClassLongPtrW(window, GCLP_HMODULE);
    base_class(window, about);
    InternalGetWindowText(window, text, UM_WIRE_TRACE_CLASS_BYTES);
    um_wide_to_utf8(text, about->text, sizeof about->text);
    return true;
}

/* uimon.exe is told true pixels, because its manifest says that it tells displays apart. The units
 * are those of a program that does so, too. With two points, MapWindowPoints exchanges left and
 * right of a window that is laid out from the right. */
static bool window_area(uint64_t hwnd, uint64_t root, struct um_target_area *area)
{
    HWND window = (HWND)(uintptr_t)hwnd, outer = (HWND)(uintptr_t)root;
    RECT client, rect;
    if (!GetClientRect(outer, &client) || (hwnd != root && !IsChild(outer, window)))
        return false;
    MapWindowPoints(outer, NULL, (POINT *)&client, 2);
    rect = client;
    if (hwnd != root && !GetWindowRect(window, &rect))
        return false;
    OffsetRect(&rect, -client.left, -client.top);
    UINT dpi = GetDpiForWindow(outer);
    *area = (struct um_target_area){.left = rect.left,
                                    .top = rect.top,
                                    .right = rect.right,
                                    .bottom = rect.bottom,
                                    .units = USER_DEFAULT_SCREEN_DPI /
                                             (float)(dpi ? dpi : USER_DEFAULT_SCREEN_DPI),
                                    .shown = IsWindowVisible(window) && !IsIconic(outer)};
    return true;
}

static bool program_path(uint32_t pid, char *path, size_t cap_bytes)
{
    HANDLE process = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, pid);
    wchar_t wide[UM_LOCAL_FILE_CHARS];
    DWORD len = UM_LOCAL_FILE_CHARS;
    bool known = process && QueryFullProcessImageNameW(process, 0, wide, &len);
    if (process)
        CloseHandle(process);
    if (known)
        um_wide_to_utf8(wide, path, cap_bytes);
    return known;
}

/* The list is read out of the process's memory, and the names come from the kernel, so this works
 * for a frozen process, too. */
static bool has_module(uint32_t pid, const char *const names[])
{
    HMODULE modules[MAX_MODULES];
    HANDLE process = OpenProcess(PROCESS_QUERY_INFORMATION | PROCESS_VM_READ, FALSE, pid);
    wchar_t path[1024];
    char own[128];
    DWORD bytes = 0;
    bool found = false;
    if (!process)
        return false;
    if (!K32EnumProcessModulesEx(process, modules, sizeof modules, &bytes, LIST_MODULES_ALL))
        bytes = 0;
    for (size_t i = 0; i < MAX_MODULES && i < bytes / sizeof modules[0] && !found; i++) {
        if (K32GetMappedFileNameW(process, modules[i], path, 1024) == 0)
            continue;
        set_file_name(path, own, sizeof own);
        for (size_t name = 0; names[name] && !found; name++)
            found = um_utf8_equal(own, names[name]);
    }
    CloseHandle(process);
    return found;
}

struct listed {
    DWORD tid;
    uint64_t *list;
    size_t count;
    size_t room;
    size_t most;
    bool short_of_memory;
};

static BOOL CALLBACK list_window(HWND window, LPARAM context)
{
    struct listed *all = (struct listed *)context;
    if (all->count == all->most)
        return FALSE;
    if (GetWindowThreadProcessId(window, NULL) != all->tid)
        return TRUE;
    all->short_of_memory =
        !um_list_reserve(&all->list, &all->room, all->count + 1, all->most, sizeof all->list[0]);
    if (all->short_of_memory)
        return FALSE;
    all->list[all->count++] = (uint64_t)(uintptr_t)window;
    return TRUE;
}

/* EnumChildWindows also lists the children of children. */
static BOOL CALLBACK list_tree(HWND window, LPARAM context)
{
    if (GetAncestor(window, GA_PARENT) != GetDesktopWindow())
        return TRUE;
    if (!list_window(window, context))
        return FALSE;
    EnumChildWindows(window, list_window, context);
    return TRUE;
}

static enum um_status thread_windows(uint32_t tid, size_t most, uint64_t **list, size_t *count)
{
    struct listed all = {.tid = tid, .most = most};
    EnumThreadWindows(tid, list_tree, (LPARAM)&all);
    if (all.short_of_memory) {
        free(all.list);
        return UM_ERR_MEMORY;
    }
    *list = all.list;
    *count = all.count;
    return UM_OK;
}

/* Where the system's modules lie, with a backslash at the end: around the folder of kernel32.dll.
 * That is Windows' own folder, with System32, SysWOW64 and WinSxS. Under Wine it is where Wine is
 * installed, because its modules are mapped from there. False if it is not known. */
static bool find_system_folder(wchar_t *folder)
{
    if (!um_local_file_mapped(GetCurrentProcess(), (const void *)GetModuleHandleW(L"kernel32.dll"),
                              folder, UM_LOCAL_FILE_CHARS))
        return false;
    for (int i = 0; i < 2; i++) {
        wchar_t *slash = wcsrchr(folder, L'\\');
        if (!slash)
            return false;
        *slash = L'\0';
    }
    wcscat(folder, L"\\");
    return true;
}

static bool is_system_module(uint32_t pid, uint64_t address)
{
    wchar_t folder[UM_LOCAL_FILE_CHARS], path[UM_LOCAL_FILE_CHARS], program[UM_LOCAL_FILE_CHARS];
    DWORD len = UM_LOCAL_FILE_CHARS;
    HANDLE process = OpenProcess(PROCESS_QUERY_INFORMATION, FALSE, pid);
    bool system = process && find_system_folder(folder) &&
                  um_local_file_mapped(process, (const void *)(uintptr_t)address, path,
                                       UM_LOCAL_FILE_CHARS) &&
                  _wcsnicmp(path, folder, wcslen(folder)) == 0 &&
                  QueryFullProcessImageNameW(process, 0, program, &len) &&
                  _wcsicmp(path, program) != 0;
    if (process)
        CloseHandle(process);
    return system;
}

/* Registered messages and clipboard formats share one table of names, although Windows does not
 * document that. If the lookup fails, the message is shown by its number. */
static bool message_name(uint32_t message, char *buf, size_t cap_bytes)
{
    wchar_t name[256]; /* longer names cannot be registered */
    if (!GetClipboardFormatNameW(message, name, 256))
        return false;
    um_wide_to_utf8(name, buf, cap_bytes);
    return true;
}

static bool thread_answers(uint64_t hwnd, uint32_t timeout_ms)
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

static enum um_status open_process(uint32_t pid, struct um_target_process **process)
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

/* Adds a folder to a list, unless its path is relative, as "." and "bin" are. */
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
    if (len == 0)
        return UM_ERR_NOT_FOUND;
    DWORD attributes = GetFileAttributesW(found);
    if (attributes == INVALID_FILE_ATTRIBUTES)
        return UM_ERR_NOT_FOUND;
    return attributes & FILE_ATTRIBUTE_DIRECTORY ? UM_ERR_FORMAT : UM_OK;
}

static enum um_status find_path(const char *name, char *path, size_t cap_bytes)
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

/* Whether a program uses the console, by its file. True if the file cannot be read. */
static bool uses_console(const wchar_t *program)
{
    SHFILEINFOW unused;
    DWORD_PTR type = SHGetFileInfoW(program, 0, &unused, sizeof unused, SHGFI_EXETYPE);
    return HIWORD(type) == 0; /* in a windowed program: the version of Windows that it needs */
}

/* This process's environment with these variables; NULL without any. Owner: free. Errors:
 * UM_ERR_MEMORY. */
static enum um_status make_environment(const struct um_target_variable *variables,
                                       wchar_t **environment)
{
    *environment = NULL;
    for (; variables && variables->name; variables++) {
        wchar_t *before = *environment;
        wchar_t *own = before ? NULL : GetEnvironmentStringsW();
        wchar_t *name = um_wide_from_utf8(variables->name);
        wchar_t *value = um_wide_from_utf8(variables->value);
        *environment = (before || own) && name && value
                           ? um_environment_with(own ? own : before, name, value, variables->joins)
                           : NULL;
        if (own)
            FreeEnvironmentStringsW(own);
        free(before);
        free(name);
        free(value);
        if (!*environment)
            return UM_ERR_MEMORY;
    }
    return UM_OK;
}

static enum um_status start_status(DWORD error)
{
    switch (error) {
    case ERROR_BAD_EXE_FORMAT:
    case ERROR_EXE_MACHINE_TYPE_MISMATCH: /* a program of another kind of processor */
    case ERROR_INVALID_EXE_SIGNATURE:
    case ERROR_EXE_MARKED_INVALID:
        return UM_ERR_FORMAT;
    default:
        return um_pipe_status(error);
    }
}

/* Follows a program that was started suspended, and lets it run. Wine starts its explorer, which
 * shows the desktop, from the first program that asks for that. If it were the launched one, the
 * explorer would seem to be started by it. */
static enum um_status own_launched(const PROCESS_INFORMATION *info,
                                   struct um_target_process **process)
{
    GetDesktopWindow();
    HANDLE job = um_job_open(info->hProcess);
    enum um_status status = um_target_own(info->hProcess, info->dwProcessId, process);
    ResumeThread(info->hThread);
    if (status == UM_OK)
        (*process)->job = job;
    else if (job)
        CloseHandle(job);
    return status;
}

/* Starts a program; with `launches` one whose children are followed, too.
 *
 * A console program shares uimon's console, and the system sends Ctrl+C to all programs of a
 * console. CREATE_NEW_PROCESS_GROUP makes the new program ignore Ctrl+C (SetConsoleCtrlHandler). It
 * also puts the program into a group of its own: events that are sent to uimon's group
 * (GenerateConsoleCtrlEvent) do not reach it, while Ctrl+Break from the keyboard does. Programs
 * that it starts ignore Ctrl+C too, so a windowed program does not get the flag: an IDE has
 * terminals. */
static enum um_status start(char *const *argv, int argc, bool launches,
                            const struct um_target_variable *variables,
                            struct um_target_process **process)
{
    wchar_t *environment = NULL;
    STARTUPINFOW startup = {.cb = sizeof startup};
    PROCESS_INFORMATION info;
    wchar_t program[MAX_PATH * 2];
    wchar_t *line;
    wchar_t *name = um_wide_from_utf8(argv[0]);
    enum um_status status = name ? find_program(name, program, MAX_PATH * 2) : UM_ERR_MEMORY;

    free(name);
    if (status == UM_OK)
        status = make_environment(variables, &environment);
    if (status == UM_OK)
        status = um_target_command_line(argv, argc, &line);
    if (status != UM_OK) {
        free(environment);
        return status;
    }
    bool ignores = launches && uses_console(program);
    DWORD flags = (ignores ? CREATE_NEW_PROCESS_GROUP : 0) | (launches ? CREATE_SUSPENDED : 0) |
                  (environment ? CREATE_UNICODE_ENVIRONMENT : 0);
    BOOL started =
        CreateProcessW(program, line, NULL, NULL, FALSE, flags, environment, NULL, &startup, &info);
    DWORD error = GetLastError();
    free(environment);
    free(line);
    if (!started)
        return start_status(error);
    status = launches ? own_launched(&info, process)
                      : um_target_own(info.hProcess, info.dwProcessId, process);
    CloseHandle(info.hThread);
    if (status == UM_OK)
        (*process)->ignores_ctrl_c = ignores;
    return status;
}

static enum um_status launch(char *const *argv, int argc,
                             const struct um_target_variable *variables,
                             struct um_target_process **process)
{
    return start(argv, argc, true, variables, process);
}

static enum um_status list_started(const struct um_target_process *launched, uint32_t **pids,
                                   size_t *count)
{
    return launched->job ? um_job_list(launched->job, launched->pid, pids, count)
                         : UM_ERR_UNSUPPORTED;
}

static enum um_status run(char *const *argv, int argc, struct um_target_process **process)
{
    return start(argv, argc, false, NULL, process);
}

static uint32_t pid_of(const struct um_target_process *process)
{
    return process->pid;
}

static bool ignores_ctrl_c(const struct um_target_process *process)
{
    return process->ignores_ctrl_c;
}

static bool is_running(const struct um_target_process *process)
{
    return WaitForSingleObject(process->handle, 0) == WAIT_TIMEOUT;
}

static bool is_ready(const struct um_target_process *process)
{
    return WaitForInputIdle(process->handle, 0) == 0;
}

static enum um_status exit_code(const struct um_target_process *process, uint32_t *code)
{
    DWORD exit_code;
    if (is_running(process))
        return UM_ERR_BUSY;
    if (!GetExitCodeProcess(process->handle, &exit_code))
        return UM_ERR_IO;
    *code = exit_code;
    return UM_OK;
}

static enum um_status cpu_ns(const struct um_target_process *process, uint64_t *ns)
{
    FILETIME times[4];
    if (!GetProcessTimes(process->handle, &times[0], &times[1], &times[2], &times[3]))
        return UM_ERR_IO;
    *ns = um_filetime_cpu_ns(times[2], times[3]);
    return UM_OK;
}

static void kill_process(struct um_target_process *process)
{
    TerminateProcess(process->handle, 1);
    WaitForSingleObject(process->handle, 1000);
}

static void close_process(struct um_target_process *process)
{
    if (!process)
        return;
    if (process->job)
        CloseHandle(process->job);
    CloseHandle(process->handle);
    free(process);
}

static const char *why_none(void)
{
    return NULL;
}

static const struct um_target_backend win32 = {
    .why_none = why_none,
    .frames = &um_frame_source_win32,
    .control = &um_control_win32,
    .find = find,
    .look = look,
    .why_no_stacks = why_no_stacks,
    .claimed = claimed,
    .window_alive = window_alive,
    .window_shown = window_shown,
    .window_class = window_class,
    .window_about = window_about,
    .thread_windows = thread_windows,
    .is_system_module = is_system_module,
    .window_area = window_area,
    .has_module = has_module,
    .program_path = program_path,
    .message_name = message_name,
    .thread_answers = thread_answers,
    .is_shielded = is_shielded,
    .open = open_process,
    .find_program = find_path,
    .launch = launch,
    .started = list_started,
    .run = run,
    .start_helper = um_helper_start,
    .hider = um_helper_hider,
    .describe_window = um_helper_describe_window,
    .start_aside = um_helper_start_aside,
    .try32 = um_dll_try32,
    .suspended_threads = um_suspended_threads_system,
    .pid = pid_of,
    .ignores_ctrl_c = ignores_ctrl_c,
    .running = is_running,
    .ready = is_ready,
    .exit_code = exit_code,
    .cpu_ns = cpu_ns,
    .kill = kill_process,
    .close = close_process,
};

const struct um_target_backend *um_target = &win32;
