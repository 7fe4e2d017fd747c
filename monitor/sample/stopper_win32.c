#include "monitor/sample/stopper.h"

#include <stdlib.h>
#include <string.h>
#include <windows.h>
#include <psapi.h>
#include <tlhelp32.h>

#include "ipc/suspend_claim_win32.h"
#include "base/plain/clock.h"
#include "base/local_file_win32.h"
#include "base/wine_win32.h"
#include "monitor/sample/callback.h"

#define TEB_STACK_BASE 8 /* offset of StackBase in a thread's environment block, 64 bits */
#define TEB32_STACK_BASE 4
#define TEB32_STACK_BEGIN 0xe0c /* where its memory begins */
#define TEB32_SELF 0x18         /* its own address */
#define DOS_NEW_HEADER 60       /* where the offset of the PE header is */
#define PE_IMAGE_BYTES 80       /* of the image's size, in that header */
#define TEB32_BEHIND 0x2000     /* where it lies behind that of 64 bits */
#define PATH_UNITS 1024
#define SNAPSHOTS 10   /* tries */
#define THREAD_BASIC 0 /* ThreadBasicInformation */
#define THREAD_START 9 /* ThreadQuerySetWin32StartAddress */

/* THREAD_BASIC_INFORMATION of 64 bits. Source: NtQueryInformationThread, Microsoft Learn. */
struct basic {
    LONG exit_status;
    void *teb;
    HANDLE process_id;
    HANDLE thread_id;
    ULONG_PTR affinity;
    LONG priority;
    LONG base_priority;
};

typedef LONG(WINAPI *query_thread)(HANDLE thread, int what, void *out, ULONG len, ULONG *written);

typedef HRESULT(WINAPI *get_description)(HANDLE thread, PWSTR *description);

struct um_stopper_thread {
    HANDLE handle;
    uint32_t tid;
    uint64_t stack_base_at; /* address of StackBase in its environment block */
};

struct um_stopper {
    uint32_t pid;
    HANDLE process;
    struct um_stopper_thread first; /* of open_stopper */
    const struct um_stopper_thread *chosen;
    bool is_wine;
    bool is_x86;
    struct um_suspend_claim_map claims;
    uint32_t claimed;     /* how many claims were made */
    uint64_t stack_base;  /* where the stack ended last; another fiber has another stack */
    uint32_t stack_begin; /* of a 32-bit thread; 0 else */
    CONTEXT context;
    WOW64_CONTEXT narrow; /* the same of a 32-bit thread */
    size_t caller_count;
    struct um_unwind_registers callers[UM_CALLBACK_MOST];
    uint8_t bytes[UM_STOPPER_STACK_BYTES];
};

static const void *at(uint64_t address)
{
    return (const void *)(uintptr_t)address;
}

static bool read_bytes(struct um_stopper *stopper, uint64_t address, void *bytes, size_t len)
{
    SIZE_T done;
    return ReadProcessMemory(stopper->process, at(address), bytes, len, &done) && done == len;
}

static bool read_stack_base(struct um_stopper *stopper)
{
    uint64_t at = stopper->chosen->stack_base_at;
    if (!stopper->is_x86)
        return read_bytes(stopper, at, &stopper->stack_base, sizeof stopper->stack_base);
    stopper->stack_base = 0;
    return read_bytes(stopper, at, &stopper->stack_base, sizeof(uint32_t)) &&
           read_bytes(stopper, at - TEB32_STACK_BASE + TEB32_STACK_BEGIN, &stopper->stack_begin,
                      sizeof stopper->stack_begin);
}

/* No import library has it, so it is looked up. It is in ntdll since Windows NT. */
static query_thread find_query(void)
{
    HMODULE ntdll = GetModuleHandleW(L"ntdll.dll");
    return ntdll ? (query_thread)GetProcAddress(ntdll, "NtQueryInformationThread") : NULL;
}

static bool is_teb32(struct um_stopper *stopper, uint64_t address)
{
    uint32_t self = 0;
    return address <= UINT32_MAX - TEB32_SELF &&
           read_bytes(stopper, address + TEB32_SELF, &self, sizeof self) && self == address;
}

/* The environment block of 32 bits. The system gives the one of 64 bits, which begins with the
 * address of the other; Wine may give either, and puts them at a fixed distance. 0: there is
 * none. */
static uint64_t find_teb32(struct um_stopper *stopper, uint64_t teb)
{
    uint64_t first = 0;
    if (is_teb32(stopper, teb))
        return teb;
    if (read_bytes(stopper, teb, &first, sizeof first) && is_teb32(stopper, first))
        return first;
    return is_teb32(stopper, teb + TEB32_BEHIND) ? teb + TEB32_BEHIND : 0;
}

/* Finds out where the thread's stack ends, and that the thread is one of this process. */
static enum um_status look_at_thread(struct um_stopper *stopper, struct um_stopper_thread *thread)
{
    struct basic basic;
    query_thread query = find_query();

    if (!query)
        return UM_ERR_UNSUPPORTED;
    if (query(thread->handle, THREAD_BASIC, &basic, sizeof basic, NULL) < 0)
        return UM_ERR_DENIED;
    if ((uint32_t)(uintptr_t)basic.process_id != stopper->pid)
        return UM_ERR_NOT_FOUND;
    uint64_t teb = (uint64_t)(uintptr_t)basic.teb;
    thread->stack_base_at = teb + TEB_STACK_BASE;
    if (!stopper->is_x86)
        return UM_OK;
    teb = find_teb32(stopper, teb);
    thread->stack_base_at = teb + TEB32_STACK_BASE;
    return teb != 0 ? UM_OK : UM_ERR_DENIED;
}

static enum um_status open_status(void)
{
    return GetLastError() == ERROR_INVALID_PARAMETER ? UM_ERR_NOT_FOUND : UM_ERR_DENIED;
}

static enum um_status open_thread(struct um_stopper *stopper, struct um_stopper_thread *thread,
                                  uint32_t tid)
{
    thread->tid = tid;
    thread->handle = OpenThread(
        THREAD_SUSPEND_RESUME | THREAD_GET_CONTEXT | THREAD_QUERY_INFORMATION, FALSE, tid);
    return thread->handle ? look_at_thread(stopper, thread) : open_status();
}

static enum um_status open_both(struct um_stopper *stopper, uint32_t pid, uint32_t tid)
{
    BOOL is_32_bit = FALSE;
    stopper->pid = pid;
    stopper->chosen = &stopper->first;
    stopper->process = OpenProcess(PROCESS_QUERY_INFORMATION | PROCESS_VM_READ, FALSE, pid);
    if (!stopper->process)
        return open_status();
    if (!IsWow64Process(stopper->process, &is_32_bit))
        return UM_ERR_UNSUPPORTED;
    stopper->is_x86 = is_32_bit;
    enum um_status status = open_thread(stopper, &stopper->first, tid);
    if (status != UM_OK)
        return status;
    return read_stack_base(stopper) ? UM_OK : UM_ERR_DENIED;
}

static void close_stopper(struct um_stopper *stopper)
{
    if (!stopper)
        return;
    um_suspend_claim_unmap(&stopper->claims);
    if (stopper->first.handle)
        CloseHandle(stopper->first.handle);
    if (stopper->process)
        CloseHandle(stopper->process);
    free(stopper);
}

static enum um_status open_stopper(uint32_t pid, uint32_t tid, struct um_stopper **stopper_out)
{
    struct um_stopper *stopper = malloc(sizeof *stopper);
    if (!stopper)
        return UM_ERR_MEMORY;
    /* Touches every page of the buffer, so that no page fault prolongs a sample. */
    memset(stopper, 0, sizeof *stopper);
    stopper->is_wine = um_wine_version() != NULL;
    enum um_status status = open_both(stopper, pid, tid);
    if (status != UM_OK) {
        close_stopper(stopper);
        return status;
    }
    *stopper_out = stopper;
    return UM_OK;
}

static bool is_x86(const struct um_stopper *stopper)
{
    return stopper->is_x86;
}

static void claim_threads(struct um_stopper *stopper, const uint8_t nonce[16])
{
    um_suspend_claim_map_open(nonce, &stopper->claims); /* if it fails, the DLL resumes no thread */
}

static void close_other(struct um_stopper_thread *thread)
{
    if (!thread)
        return;
    if (thread->handle)
        CloseHandle(thread->handle);
    free(thread);
}

static enum um_status open_other(struct um_stopper *stopper, uint32_t tid,
                                 struct um_stopper_thread **thread_out)
{
    struct um_stopper_thread *thread = calloc(1, sizeof *thread);
    if (!thread)
        return UM_ERR_MEMORY;
    enum um_status status = open_thread(stopper, thread, tid);
    if (status != UM_OK) {
        close_other(thread);
        return status;
    }
    *thread_out = thread;
    return UM_OK;
}

static uint64_t thread_start(const struct um_stopper_thread *thread)
{
    query_thread query = find_query();
    void *start = NULL;
    bool is_known =
        query && query(thread->handle, THREAD_START, (void *)&start, sizeof start, NULL) >= 0;
    return is_known ? (uint64_t)(uintptr_t)start : 0;
}

/* Windows has it since version 1607 of Windows 10. */
static bool thread_name(const struct um_stopper_thread *thread, char *name, size_t cap)
{
    HMODULE kernel = GetModuleHandleW(L"kernelbase.dll");
    get_description get =
        kernel ? (get_description)GetProcAddress(kernel, "GetThreadDescription") : NULL;
    wchar_t *wide = NULL;
    bool is_named = get && SUCCEEDED(get(thread->handle, &wide)) && wide && wide[0] != L'\0' &&
                    WideCharToMultiByte(CP_UTF8, 0, wide, -1, name, (int)cap, NULL, NULL) > 0;
    if (wide)
        LocalFree(wide);
    return is_named;
}

static void choose(struct um_stopper *stopper, struct um_stopper_thread *thread)
{
    const struct um_stopper_thread *chosen = thread ? thread : &stopper->first;
    if (stopper->chosen != chosen)
        stopper->stack_base = 0;
    stopper->chosen = chosen;
}

static size_t threads(struct um_stopper *stopper, uint32_t *tids, size_t cap)
{
    THREADENTRY32 entry = {.dwSize = sizeof entry};
    HANDLE all = CreateToolhelp32Snapshot(TH32CS_SNAPTHREAD, 0);
    size_t count = 0;
    if (all == INVALID_HANDLE_VALUE)
        return 0;
    for (BOOL more = Thread32First(all, &entry); more && count < cap;
         more = Thread32Next(all, &entry))
        if (entry.th32OwnerProcessID == stopper->pid)
            tids[count++] = entry.th32ThreadID;
    CloseHandle(all);
    return count;
}

/* The stack pointer of the stopped thread. */
static uint64_t stack_pointer(const struct um_stopper *stopper)
{
    return stopper->is_x86 ? stopper->narrow.Esp : stopper->context.Rsp;
}

/* How much of the stack is in use, up to the size of the buffer; 0: rsp is not in it, because the
 * program has switched to a stack of its own. The thread is stopped meanwhile. */
static size_t used_bytes(const struct um_stopper *stopper)
{
    uint64_t rsp = stack_pointer(stopper);
    bool is_in = rsp < stopper->stack_base && rsp >= stopper->stack_begin;
    uint64_t used = is_in ? stopper->stack_base - rsp : 0;
    return used < UM_STOPPER_STACK_BYTES ? (size_t)used : UM_STOPPER_STACK_BYTES;
}

/* False: it cannot be read. */
static bool copy_stack(struct um_stopper *stopper, size_t *len)
{
    SIZE_T done = 0;
    size_t used = used_bytes(stopper);
    bool copied = used > 0 && ReadProcessMemory(stopper->process, at(stack_pointer(stopper)),
                                                stopper->bytes, used, &done);
    *len = copied ? done : 0;
    return copied;
}

static bool read_memory(void *context, uint64_t address, void *bytes, size_t len)
{
    return read_bytes(context, address, bytes, len);
}

/* Wine's own records of callbacks change as soon as the thread runs, so they are read with the
 * stack, and only where there are callbacks on it. */
static void read_callers(struct um_stopper *stopper, size_t len)
{
    const struct um_unwind_stack stack = {stack_pointer(stopper), stopper->bytes, len};
    uint64_t at = stopper->chosen->stack_base_at;
    stopper->caller_count = 0;
    if (!stopper->is_wine)
        return;
    if (stopper->is_x86 && um_callback_is_in_x86(&stack))
        stopper->caller_count =
            um_callback_callers_x86(read_memory, stopper, at - TEB32_STACK_BASE, stopper->callers);
    else if (!stopper->is_x86 && um_callback_is_in(&stack))
        stopper->caller_count =
            um_callback_callers(read_memory, stopper, at - TEB_STACK_BASE, stopper->callers);
}

/* SuspendThread returns before the thread has stopped; this waits until it has. */
static bool read_registers(struct um_stopper *stopper)
{
    return stopper->is_x86 ? Wow64GetThreadContext(stopper->chosen->handle, &stopper->narrow)
                           : GetThreadContext(stopper->chosen->handle, &stopper->context);
}

/* What is done while the thread is stopped: nothing in it may allocate, lock or print. The end of
 * the stack is read again only if it has changed: Wine stops the thread for each read. */
static bool copy_thread(struct um_stopper *stopper, size_t *len)
{
    *len = 0;
    if (!read_registers(stopper))
        return false;
    if (!copy_stack(stopper, len) && read_stack_base(stopper))
        copy_stack(stopper, len);
    read_callers(stopper, *len);
    return true;
}

static uint64_t claim(struct um_stopper *stopper)
{
    struct um_suspend_claim *claims = stopper->claims.claim;
    return claims ? um_suspend_claim_make(claims, ++stopper->claimed, stopper->chosen->tid) : 0;
}

/* Claims the suspended thread once more. False: the DLL had taken the first claim over. */
static bool claim_again(struct um_stopper *stopper, uint64_t *word)
{
    struct um_suspend_claim *claims = stopper->claims.claim;
    return !claims || um_suspend_claim_again(claims, word, ++stopper->claimed);
}

/* Resumes the thread. False: the DLL has taken the claim over, and resumes it itself. */
static bool resume(struct um_stopper *stopper, uint64_t word)
{
    struct um_suspend_claim *claims = stopper->claims.claim;
    if (claims && um_suspend_claim_look(claims) != word)
        return false;
    ResumeThread(stopper->chosen->handle);
    if (claims)
        um_suspend_claim_end(claims, word);
    return true;
}

/* Wine lacks Wow64SuspendThread; its SuspendThread is for all threads. */
static DWORD suspend(const struct um_stopper *stopper)
{
    HANDLE thread = stopper->chosen->handle;
    return stopper->is_x86 && !stopper->is_wine ? Wow64SuspendThread(thread)
                                                : SuspendThread(thread);
}

/* Stops the thread, copies registers and stack, and resumes it. False: it was not stopped. */
static bool stop(struct um_stopper *stopper, struct um_stopper_sample *sample, bool *copied,
                 size_t *len)
{
    uint64_t word = claim(stopper);
    DWORD before = suspend(stopper);
    if (before == (DWORD)-1) {
        if (stopper->claims.claim)
            um_suspend_claim_end(stopper->claims.claim, word);
        return false;
    }
    bool is_ours = claim_again(stopper, &word);
    if (is_ours) {
        *copied = copy_thread(stopper, len);
        is_ours = resume(stopper, word);
    }
    sample->was_suspended = before > 0;
    sample->suspended_ns = is_ours ? um_clock_now_ns() - sample->time_ns : UM_SUSPEND_CLAIM_MOST_NS;
    return true;
}

/* Why the thread cannot be stopped. The system refuses it also for a thread that has ended. */
static enum um_status why_not(const struct um_stopper *stopper, DWORD error)
{
    DWORD code = STILL_ACTIVE;
    if (!GetExitCodeThread(stopper->chosen->handle, &code) || code != STILL_ACTIVE)
        return UM_ERR_CLOSED;
    return error == ERROR_SIGNAL_REFUSED ? UM_ERR_BUSY : UM_ERR_DENIED;
}

/* Fills in the registers and the stack of the copy. */
static void put_thread(const struct um_stopper *stopper, size_t len,
                       struct um_stopper_sample *sample)
{
    const WOW64_CONTEXT *narrow = &stopper->narrow;
    uint64_t from = stack_pointer(stopper);
    sample->stack = (struct um_unwind_stack){from, stopper->bytes, len};
    sample->has_end = len > 0 && from + len == stopper->stack_base;
    sample->callers = stopper->callers;
    sample->caller_count = stopper->caller_count;
    sample->registers = (struct um_unwind_registers){.pc = stopper->context.Rip};
    if (!stopper->is_x86) {
        memcpy(sample->registers.integer, &stopper->context.Rax, sizeof sample->registers.integer);
        return;
    }
    sample->registers =
        (struct um_unwind_registers){narrow->Eip,
                                     {narrow->Eax, narrow->Ecx, narrow->Edx, narrow->Ebx,
                                      narrow->Esp, narrow->Ebp, narrow->Esi, narrow->Edi}};
}

static enum um_status take(struct um_stopper *stopper, struct um_stopper_sample *sample)
{
    size_t len = 0;
    bool copied = false;
    stopper->context.ContextFlags = CONTEXT_CONTROL | CONTEXT_INTEGER;
    stopper->narrow.ContextFlags = WOW64_CONTEXT_CONTROL | WOW64_CONTEXT_INTEGER;
    sample->time_ns = um_clock_now_ns();
    sample->suspended_ns = 0;
    sample->was_suspended = false;
    bool stopped = stop(stopper, sample, &copied, &len);
    DWORD error = GetLastError();
    sample->lost_ns = um_stopper_lost_ns(stopper->is_wine, sample->suspended_ns);
    if (!stopped)
        return why_not(stopper, error);
    if (!copied)
        return UM_ERR_IO;
    put_thread(stopper, len, sample);
    return UM_OK;
}

static uint64_t ns_of(const FILETIME *time)
{
    return ((uint64_t)time->dwHighDateTime << 32 | time->dwLowDateTime) * 100;
}

static bool times(struct um_stopper *stopper, uint64_t *user_ns, uint64_t *kernel_ns)
{
    FILETIME created, ended, kernel, user;
    if (!GetThreadTimes(stopper->chosen->handle, &created, &ended, &kernel, &user))
        return false;
    *user_ns = ns_of(&user);
    *kernel_ns = ns_of(&kernel);
    return true;
}

/* Wine says that ntdll and kernelbase of a 32-bit program were mapped from the folder of those of
 * 64 bits. */
static void correct_folder(wchar_t *path)
{
    wchar_t wide[MAX_PATH], narrow[MAX_PATH];
    UINT len = GetSystemDirectoryW(wide, MAX_PATH);
    UINT narrow_len = GetSystemWow64DirectoryW(narrow, MAX_PATH);
    if (len > 0 && len == narrow_len && len < MAX_PATH && _wcsnicmp(path, wide, len) == 0 &&
        path[len] == L'\\')
        memcpy(path, narrow, len * sizeof path[0]);
}

static bool path(struct um_stopper *stopper, uint64_t base, char *path, size_t cap)
{
    wchar_t wide[PATH_UNITS];
    bool is_mapped = um_local_file_mapped(stopper->process, at(base), wide, PATH_UNITS);
    if (is_mapped && stopper->is_x86 && stopper->is_wine)
        correct_folder(wide);
    return is_mapped && WideCharToMultiByte(CP_UTF8, 0, wide, -1, path, (int)cap, NULL, NULL) > 0;
}

static bool is_module(struct um_stopper *stopper, uint64_t address)
{
    MEMORY_BASIC_INFORMATION info;
    return VirtualQueryEx(stopper->process, at(address), &info, sizeof info) &&
           info.State == MEM_COMMIT && info.Type == MEM_IMAGE;
}

static bool is_code(struct um_stopper *stopper, uint64_t address, uint64_t *begin, uint64_t *end)
{
    const DWORD executable =
        PAGE_EXECUTE | PAGE_EXECUTE_READ | PAGE_EXECUTE_READWRITE | PAGE_EXECUTE_WRITECOPY;
    MEMORY_BASIC_INFORMATION info;
    if (!VirtualQueryEx(stopper->process, at(address), &info, sizeof info))
        return false;
    uint64_t base = (uint64_t)(uintptr_t)info.BaseAddress;
    if (info.RegionSize == 0 || address < base || address - base >= info.RegionSize)
        return false;
    *begin = base;
    *end = base + info.RegionSize;
    return info.State == MEM_COMMIT && info.Type != MEM_IMAGE && (info.Protect & executable) != 0;
}

/* Lists the modules in one pass: asking for each module would read the system's list from its begin
 * each time. While the program loads a module, the list may be refused.
 * Source: CreateToolhelp32Snapshot, Microsoft Learn. */
static HANDLE snapshot_modules(uint32_t pid)
{
    HANDLE all = INVALID_HANDLE_VALUE;
    for (int i = 0; i < SNAPSHOTS && all == INVALID_HANDLE_VALUE; i++) {
        all = CreateToolhelp32Snapshot(TH32CS_SNAPMODULE, pid);
        if (all == INVALID_HANDLE_VALUE && GetLastError() != ERROR_BAD_LENGTH)
            break;
    }
    return all;
}

static void describe(const MODULEENTRY32W *entry, struct um_stopper_module *module)
{
    module->base = (uint64_t)(uintptr_t)entry->modBaseAddr;
    module->image_bytes = entry->modBaseSize;
    int written = WideCharToMultiByte(CP_UTF8, 0, entry->szModule, -1, module->name,
                                      UM_STOPPER_NAME_BYTES, NULL, NULL);
    if (written == 0)
        module->name[0] = '\0';
}

/* Fills in the name and size of a module of a 32-bit process. False: it is gone. */
static bool describe_x86(struct um_stopper *stopper, uint64_t base,
                         struct um_stopper_module *module)
{
    wchar_t wide[PATH_UNITS];
    uint32_t header = 0;
    if (base > UINT32_MAX || !read_bytes(stopper, base + DOS_NEW_HEADER, &header, sizeof header) ||
        !read_bytes(stopper, base + header + PE_IMAGE_BYTES, &module->image_bytes,
                    sizeof module->image_bytes))
        return false;
    module->base = base;
    module->name[0] = '\0';
    if (!um_local_file_mapped(stopper->process, at(base), wide, PATH_UNITS))
        return true;
    const wchar_t *slash = wcsrchr(wide, L'\\');
    if (WideCharToMultiByte(CP_UTF8, 0, slash ? slash + 1 : wide, -1, module->name,
                            UM_STOPPER_NAME_BYTES, NULL, NULL) == 0)
        module->name[0] = '\0';
    return true;
}

/* The modules of 32 bits. Wine gives a process of 64 bits no snapshot of them. */
static size_t modules_x86(struct um_stopper *stopper, struct um_stopper_module *list, size_t cap)
{
    DWORD needed = 0;
    size_t count = 0;
    HMODULE *bases = malloc(cap * sizeof bases[0]);
    DWORD bytes = (DWORD)(cap * sizeof bases[0]);
    bool is_listed = false;
    for (int i = 0; bases && i < SNAPSHOTS && !is_listed; i++)
        is_listed =
            EnumProcessModulesEx(stopper->process, bases, bytes, &needed, LIST_MODULES_32BIT);
    DWORD found = (needed < bytes ? needed : bytes) / (DWORD)sizeof bases[0];
    for (DWORD i = 0; is_listed && i < found; i++)
        count += describe_x86(stopper, (uint64_t)(uintptr_t)bases[i], &list[count]);
    free(bases);
    return count;
}

static size_t modules(struct um_stopper *stopper, struct um_stopper_module *list, size_t cap)
{
    MODULEENTRY32W entry = {.dwSize = sizeof entry};
    if (stopper->is_x86)
        return modules_x86(stopper, list, cap);
    HANDLE all = snapshot_modules(stopper->pid);
    size_t count = 0;
    if (all == INVALID_HANDLE_VALUE)
        return 0;
    for (BOOL more = Module32FirstW(all, &entry); more && count < cap;
         more = Module32NextW(all, &entry))
        describe(&entry, &list[count++]);
    CloseHandle(all);
    return count;
}

static const struct um_stopper_backend win32 = {
    .open = open_stopper,
    .is_x86 = is_x86,
    .claim = claim_threads,
    .close = close_stopper,
    .thread_open = open_other,
    .thread_close = close_other,
    .thread_start = thread_start,
    .thread_name = thread_name,
    .choose = choose,
    .threads = threads,
    .take = take,
    .times = times,
    .path = path,
    .read = read_bytes,
    .is_module = is_module,
    .is_code = is_code,
    .modules = modules,
};

const struct um_stopper_backend *um_stopper = &win32;
