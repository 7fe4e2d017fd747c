#include "monitor/sample/waits.h"

#include <stdlib.h>
#include <string.h>
#include <windows.h>
#include <wct.h>

#include "base/plain/clock.h"

#define CALLS 8
#define CHAIN_NODES 16     /* WCT_MAX_NODE_COUNT, which mingw-w64's wct.h lacks, as these: */
#define OUT_OF_PROC 1      /* WCT_OUT_OF_PROC_FLAG */
#define OUT_OF_PROC_COM 2  /* WCT_OUT_OF_PROC_COM_FLAG */
#define OUT_OF_PROC_LOCK 4 /* WCT_OUT_OF_PROC_CS_FLAG */
#define CHAIN_NS (100 * UM_CLOCK_NS_PER_MS)
#define PATH_UNITS 1024

typedef HWCT(WINAPI *open_session)(DWORD flags, PWAITCHAINCALLBACK callback);
typedef VOID(WINAPI *close_session)(HWCT session);
typedef VOID(WINAPI *register_com)(PCOGETCALLSTATE call, PCOGETACTIVATIONSTATE activation);
typedef BOOL(WINAPI *get_chain)(HWCT session, DWORD_PTR context, DWORD flags, DWORD thread,
                                LPDWORD count, PWAITCHAIN_NODE_INFO nodes, LPBOOL is_cycle);

struct call {
    uint64_t rva;
    uint32_t timestamp; /* of its module */
    const char *module;
    enum um_blocker_call call;
};

struct um_waits {
    uint32_t pid;
    uint32_t tid;
    struct call calls[CALLS];
    size_t call_count;
    HMODULE advapi;
    HWCT session; /* NULL: the system has no chains */
    close_session close;
    get_chain get;
    uint64_t asked_ns; /* for a chain */
    struct um_blocker answer;
};

static const struct {
    const char *module, *name;
    enum um_blocker_call call;
} known[CALLS] = {
    {"ntdll.dll", "RtlEnterCriticalSection", UM_BLOCKER_ENTER},
    {"user32.dll", "SendMessageW", UM_BLOCKER_SEND},
    {"user32.dll", "SendMessageA", UM_BLOCKER_SEND},
    {"user32.dll", "SendMessageTimeoutW", UM_BLOCKER_SEND},
    {"user32.dll", "SendMessageTimeoutA", UM_BLOCKER_SEND},
    {"user32.dll", "SendDlgItemMessageW", UM_BLOCKER_SEND},
    {"user32.dll", "SendDlgItemMessageA", UM_BLOCKER_SEND},
};

static uint32_t timestamp_of(HMODULE module)
{
    const uint8_t *base = (const uint8_t *)module;
    const IMAGE_DOS_HEADER *dos = (const IMAGE_DOS_HEADER *)base;
    return ((const IMAGE_NT_HEADERS64 *)(base + dos->e_lfanew))->FileHeader.TimeDateStamp;
}

static void find_calls(struct um_waits *waits)
{
    for (size_t i = 0; i < CALLS && known[i].module; i++) {
        HMODULE module = GetModuleHandleA(known[i].module);
        FARPROC proc = module ? GetProcAddress(module, known[i].name) : NULL;
        if (!proc)
            continue;
        waits->calls[waits->call_count++] = (struct call){
            .rva = (uint64_t)(uintptr_t)proc - (uint64_t)(uintptr_t)module,
            .timestamp = timestamp_of(module),
            .module = known[i].module,
            .call = known[i].call,
        };
    }
}

/* Without these two functions of COM, a chain ends at a COM call. ole32 stays loaded, because
 * advapi32 keeps their addresses.
 * Source: RegisterWaitChainCOMCallback, Microsoft Learn. */
static void open_com(const struct um_waits *waits)
{
    register_com set_callbacks =
        (register_com)GetProcAddress(waits->advapi, "RegisterWaitChainCOMCallback");
    HMODULE ole = LoadLibraryExW(L"ole32.dll", NULL, LOAD_LIBRARY_SEARCH_SYSTEM32);
    PCOGETCALLSTATE call = ole ? (PCOGETCALLSTATE)GetProcAddress(ole, "CoGetCallState") : NULL;
    PCOGETACTIVATIONSTATE activation =
        ole ? (PCOGETACTIVATIONSTATE)GetProcAddress(ole, "CoGetActivationState") : NULL;
    if (set_callbacks && call && activation)
        set_callbacks(call, activation);
}

/* Wine 8 has no chains: advapi32 lacks these functions, or they fail. */
static void open_chains(struct um_waits *waits)
{
    waits->advapi = LoadLibraryExW(L"advapi32.dll", NULL, LOAD_LIBRARY_SEARCH_SYSTEM32);
    if (!waits->advapi)
        return;
    open_session open = (open_session)GetProcAddress(waits->advapi, "OpenThreadWaitChainSession");
    waits->close = (close_session)GetProcAddress(waits->advapi, "CloseThreadWaitChainSession");
    waits->get = (get_chain)GetProcAddress(waits->advapi, "GetThreadWaitChain");
    if (!open || !waits->close || !waits->get)
        return;
    open_com(waits); /* before there is a session */
    waits->session = open(0, NULL);
}

static enum um_status open_waits(uint32_t pid, uint32_t tid, struct um_waits **out)
{
    struct um_waits *waits = calloc(1, sizeof *waits);
    if (!waits)
        return UM_ERR_MEMORY;
    waits->pid = pid;
    waits->tid = tid;
    find_calls(waits);
    open_chains(waits);
    *out = waits;
    return UM_OK;
}

static void close_waits(struct um_waits *waits)
{
    if (!waits)
        return;
    if (waits->session)
        waits->close(waits->session);
    if (waits->advapi)
        FreeLibrary(waits->advapi);
    free(waits);
}

static bool is_system(const char *module)
{
    static const char *const system[] = {"ntdll.dll", "win32u.dll", "user32.dll", "kernelbase.dll",
                                         "kernel32.dll"};
    for (size_t i = 0; i < sizeof system / sizeof system[0]; i++)
        if (_stricmp(module, system[i]) == 0)
            return true;
    return false;
}

static enum um_blocker_call call_of(const struct um_waits *waits, const char *module,
                                    uint32_t timestamp, uint64_t begin_rva)
{
    for (size_t i = 0; i < waits->call_count; i++) {
        const struct call *call = &waits->calls[i];
        if (call->rva == begin_rva && call->timestamp == timestamp &&
            _stricmp(module, call->module) == 0)
            return call->call;
    }
    return UM_BLOCKER_NO_CALL;
}

static bool is_thread(const struct um_waits *waits, uint32_t tid)
{
    HANDLE thread = OpenThread(THREAD_QUERY_LIMITED_INFORMATION, FALSE, tid);
    DWORD code;
    if (!thread)
        return false;
    bool is_there = GetProcessIdOfThread(thread) == waits->pid &&
                    GetExitCodeThread(thread, &code) && code == STILL_ACTIVE;
    CloseHandle(thread);
    return is_there;
}

static void put_utf8(char *text, size_t cap, const wchar_t *wide)
{
    if (WideCharToMultiByte(CP_UTF8, 0, wide, -1, text, (int)cap, NULL, NULL) <= 0)
        text[0] = '\0';
}

/* The file's name of another process; "" if it is not known. */
static void name_process(uint32_t pid, char *name, size_t cap)
{
    wchar_t path[PATH_UNITS];
    DWORD len = PATH_UNITS;
    HANDLE process = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, pid);
    name[0] = '\0';
    if (!process)
        return;
    if (QueryFullProcessImageNameW(process, 0, path, &len)) {
        const wchar_t *last = wcsrchr(path, L'\\');
        put_utf8(name, cap, last ? last + 1 : path);
    }
    CloseHandle(process);
}

/* None of these calls sends a message to the window. */
static bool window(const struct um_waits *waits, uint32_t window, struct um_blocker *blocker)
{
    HWND hwnd = (HWND)(uintptr_t)window;
    wchar_t class_name[256];
    DWORD pid = 0;
    DWORD tid = IsWindow(hwnd) ? GetWindowThreadProcessId(hwnd, &pid) : 0;
    if (tid == 0 || tid == waits->tid || hwnd == GetDesktopWindow())
        return false;
    *blocker = (struct um_blocker){.kind = UM_WIRE_WAIT_WINDOW, .thread = tid, .process = pid};
    if (GetClassNameW(hwnd, class_name, sizeof class_name / sizeof class_name[0]) > 0)
        put_utf8(blocker->object, sizeof blocker->object, class_name);
    if (pid != waits->pid)
        name_process(pid, blocker->process_name, sizeof blocker->process_name);
    return true;
}

static uint8_t kind_of(WCT_OBJECT_TYPE type)
{
    switch (type) {
    case WctCriticalSectionType:
        return UM_WIRE_WAIT_LOCK;
    case WctSendMessageType:
        return UM_WIRE_WAIT_WINDOW;
    case WctMutexType:
        return UM_WIRE_WAIT_MUTEX;
    case WctAlpcType:
    case WctComType:
    case WctComActivationType:
        return UM_WIRE_WAIT_CALL;
    case WctThreadWaitType:
        return UM_WIRE_WAIT_THREAD;
    case WctProcessWaitType:
        return UM_WIRE_WAIT_PROCESS;
    default:
        return UM_WIRE_WAIT_NONE;
    }
}

/* Asks for a chain: the thread, what it waits for, and the thread that has that. This was never run
 * on Windows, and Wine has no chains. */
static void ask_chain(struct um_waits *waits)
{
    WAITCHAIN_NODE_INFO nodes[CHAIN_NODES];
    DWORD count = CHAIN_NODES;
    BOOL is_cycle = FALSE;
    waits->answer = (struct um_blocker){.kind = UM_WIRE_WAIT_NONE};
    if (!waits->get(waits->session, 0, OUT_OF_PROC | OUT_OF_PROC_COM | OUT_OF_PROC_LOCK, waits->tid,
                    &count, nodes, &is_cycle) ||
        count < 3 || nodes[0].ObjectStatus != WctStatusBlocked || count > CHAIN_NODES ||
        nodes[2].ObjectType != WctThreadType)
        return;
    uint8_t kind = kind_of(nodes[1].ObjectType);
    uint32_t thread = nodes[2].ThreadObject.ThreadId;
    uint32_t process = nodes[2].ThreadObject.ProcessId;
    if (kind == UM_WIRE_WAIT_NONE || thread == waits->tid)
        return;
    waits->answer = (struct um_blocker){.kind = kind, .thread = thread, .process = process};
    if (process != waits->pid)
        name_process(process, waits->answer.process_name, sizeof waits->answer.process_name);
}

static void forget(struct um_waits *waits)
{
    waits->asked_ns = 0;
}

static bool chain(struct um_waits *waits, struct um_blocker *blocker)
{
    uint64_t now_ns = um_clock_now_ns();
    if (!waits->session)
        return false;
    if (waits->asked_ns == 0 || now_ns - waits->asked_ns >= CHAIN_NS) {
        ask_chain(waits);
        waits->asked_ns = now_ns;
    }
    if (waits->answer.kind == UM_WIRE_WAIT_NONE)
        return false;
    *blocker = waits->answer;
    return true;
}

static const struct um_waits_backend win32 = {
    .open = open_waits,
    .close = close_waits,
    .is_system = is_system,
    .call = call_of,
    .is_thread = is_thread,
    .window = window,
    .chain = chain,
    .forget = forget,
};

const struct um_waits_backend *um_waits = &win32;
