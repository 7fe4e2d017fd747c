#include "monitor/sample/stopper.h"

#include <stdlib.h>
#include <string.h>
#include <windows.h>
#include <tlhelp32.h>

#include "ipc/claim_win32.h"
#include "ipc/clock.h"
#include "ipc/local_file_win32.h"
#include "monitor/base/wine_win32.h"
#include "monitor/sample/callback.h"

#define TEB_STACK_BASE 8 /* offset of StackBase in a thread's environment block, 64 bits */
#define PATH_UNITS 1024
#define SNAPSHOTS 10   /* tries */
#define THREAD_BASIC 0 /* ThreadBasicInformation */
#define THREAD_START 9 /* ThreadQuerySetWin32StartAddress */

/* Under Wine a thread loses about three times as long as it stands. It is stopped by signals, its
 * memory is read by a debugger's means, and Wine's server works for all of that on the thread's own
 * processor. ./run bench profile measures it. */
#define WINE_LOSS 3

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
    uint64_t stack_base_at; /* where its environment block says where its stack ends */
};

struct um_stopper {
    uint32_t pid;
    HANDLE process;
    struct um_stopper_thread first; /* of um_stopper_open */
    const struct um_stopper_thread *chosen;
    bool is_wine;
    struct um_claim_map claims;
    uint32_t claimed;    /* so many claims were made */
    uint64_t stack_base; /* where the stack ended last; with another fiber it ends elsewhere */
    CONTEXT context;
    size_t caller_count;
    struct um_unwind_registers callers[UM_CALLBACK_MOST];
    uint8_t bytes[UM_STOPPER_STACK_BYTES];
};

static const void *at(uint64_t address)
{
    return (const void *)(uintptr_t)address;
}

bool um_stopper_read(struct um_stopper *stopper, uint64_t address, void *bytes, size_t len)
{
    SIZE_T done;
    return ReadProcessMemory(stopper->process, at(address), bytes, len, &done) && done == len;
}

static bool read_stack_base(struct um_stopper *stopper)
{
    return um_stopper_read(stopper, stopper->chosen->stack_base_at, &stopper->stack_base,
                           sizeof stopper->stack_base);
}

/* No import library has it, so it is looked up. It is in ntdll since Windows NT. */
static query_thread find_query(void)
{
    HMODULE ntdll = GetModuleHandleW(L"ntdll.dll");
    return ntdll ? (query_thread)GetProcAddress(ntdll, "NtQueryInformationThread") : NULL;
}

/* Finds out where the thread's stack ends, and that the thread is one of this process. */
static enum um_status look_at_thread(struct um_stopper_thread *thread, uint32_t pid)
{
    struct basic basic;
    query_thread query = find_query();

    if (!query)
        return UM_ERR_UNSUPPORTED;
    if (query(thread->handle, THREAD_BASIC, &basic, sizeof basic, NULL) < 0)
        return UM_ERR_DENIED;
    if ((uint32_t)(uintptr_t)basic.process_id != pid)
        return UM_ERR_NOT_FOUND;
    thread->stack_base_at = (uint64_t)(uintptr_t)basic.teb + TEB_STACK_BASE;
    return UM_OK;
}

static enum um_status open_status(void)
{
    return GetLastError() == ERROR_INVALID_PARAMETER ? UM_ERR_NOT_FOUND : UM_ERR_DENIED;
}

static enum um_status open_thread(struct um_stopper_thread *thread, uint32_t pid, uint32_t tid)
{
    thread->tid = tid;
    thread->handle = OpenThread(
        THREAD_SUSPEND_RESUME | THREAD_GET_CONTEXT | THREAD_QUERY_INFORMATION, FALSE, tid);
    return thread->handle ? look_at_thread(thread, pid) : open_status();
}

static enum um_status open_both(struct um_stopper *stopper, uint32_t pid, uint32_t tid)
{
    BOOL is_32_bit;
    stopper->pid = pid;
    stopper->chosen = &stopper->first;
    stopper->process = OpenProcess(PROCESS_QUERY_INFORMATION | PROCESS_VM_READ, FALSE, pid);
    if (!stopper->process)
        return open_status();
    if (!IsWow64Process(stopper->process, &is_32_bit) || is_32_bit)
        return UM_ERR_UNSUPPORTED;
    enum um_status status = open_thread(&stopper->first, pid, tid);
    if (status != UM_OK)
        return status;
    return read_stack_base(stopper) ? UM_OK : UM_ERR_DENIED;
}

enum um_status um_stopper_open(uint32_t pid, uint32_t tid, struct um_stopper **stopper_out)
{
    struct um_stopper *stopper = malloc(sizeof *stopper);
    if (!stopper)
        return UM_ERR_MEMORY;
    /* Touches every page of the buffer, so that no page fault prolongs a sample. */
    memset(stopper, 0, sizeof *stopper);
    stopper->is_wine = um_wine_version() != NULL;
    enum um_status status = open_both(stopper, pid, tid);
    if (status != UM_OK) {
        um_stopper_close(stopper);
        return status;
    }
    *stopper_out = stopper;
    return UM_OK;
}

void um_stopper_claim(struct um_stopper *stopper, const uint8_t nonce[16])
{
    um_claim_map_open(nonce, &stopper->claims); /* without it the DLL looks after nothing */
}

void um_stopper_close(struct um_stopper *stopper)
{
    if (!stopper)
        return;
    um_claim_unmap(&stopper->claims);
    if (stopper->first.handle)
        CloseHandle(stopper->first.handle);
    if (stopper->process)
        CloseHandle(stopper->process);
    free(stopper);
}

enum um_status um_stopper_thread_open(struct um_stopper *stopper, uint32_t tid,
                                      struct um_stopper_thread **thread_out)
{
    struct um_stopper_thread *thread = calloc(1, sizeof *thread);
    if (!thread)
        return UM_ERR_MEMORY;
    enum um_status status = open_thread(thread, stopper->pid, tid);
    if (status != UM_OK) {
        um_stopper_thread_close(thread);
        return status;
    }
    *thread_out = thread;
    return UM_OK;
}

void um_stopper_thread_close(struct um_stopper_thread *thread)
{
    if (!thread)
        return;
    if (thread->handle)
        CloseHandle(thread->handle);
    free(thread);
}

uint64_t um_stopper_thread_start(const struct um_stopper_thread *thread)
{
    query_thread query = find_query();
    void *start = NULL;
    bool is_known =
        query && query(thread->handle, THREAD_START, (void *)&start, sizeof start, NULL) >= 0;
    return is_known ? (uint64_t)(uintptr_t)start : 0;
}

/* Windows has it since version 1607 of Windows 10. */
bool um_stopper_thread_name(const struct um_stopper_thread *thread, char *name, size_t cap)
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

void um_stopper_choose(struct um_stopper *stopper, struct um_stopper_thread *thread)
{
    const struct um_stopper_thread *chosen = thread ? thread : &stopper->first;
    if (stopper->chosen != chosen)
        stopper->stack_base = 0;
    stopper->chosen = chosen;
}

size_t um_stopper_threads(struct um_stopper *stopper, uint32_t *tids, size_t cap)
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

/* How much of the stack is in use, up to the size of the buffer; 0: rsp is not in it, as where a
 * program has switched to a stack of its own. The thread is stopped meanwhile. */
static size_t used_bytes(const struct um_stopper *stopper)
{
    uint64_t rsp = stopper->context.Rsp;
    uint64_t used = rsp < stopper->stack_base ? stopper->stack_base - rsp : 0;
    return used < UM_STOPPER_STACK_BYTES ? (size_t)used : UM_STOPPER_STACK_BYTES;
}

/* False: it cannot be read. */
static bool copy_stack(struct um_stopper *stopper, size_t *len)
{
    SIZE_T done = 0;
    size_t used = used_bytes(stopper);
    bool copied = used > 0 && ReadProcessMemory(stopper->process, at(stopper->context.Rsp),
                                                stopper->bytes, used, &done);
    *len = copied ? done : 0;
    return copied;
}

static bool read_memory(void *context, uint64_t address, void *bytes, size_t len)
{
    return um_stopper_read(context, address, bytes, len);
}

/* Wine's own records of callbacks change as soon as the thread runs, so they are read with the
 * stack, and only where there are callbacks on it. */
static void read_callers(struct um_stopper *stopper, size_t len)
{
    const struct um_unwind_stack stack = {stopper->context.Rsp, stopper->bytes, len};
    uint64_t teb = stopper->chosen->stack_base_at - TEB_STACK_BASE;
    stopper->caller_count = 0;
    if (stopper->is_wine && um_callback_is_in(&stack))
        stopper->caller_count = um_callback_callers(read_memory, stopper, teb, stopper->callers);
}

/* The part for which the thread is stopped: nothing in it may allocate, lock or print. Where the
 * stack ends is asked only where it is not where it was: Wine stops the thread for each reading. */
static bool copy_thread(struct um_stopper *stopper, size_t *len)
{
    *len = 0;
    /* SuspendThread returns before the thread has stopped; this waits until it has. */
    if (!GetThreadContext(stopper->chosen->handle, &stopper->context))
        return false;
    if (!copy_stack(stopper, len) && read_stack_base(stopper))
        copy_stack(stopper, len);
    read_callers(stopper, *len);
    return true;
}

static uint64_t claim(struct um_stopper *stopper)
{
    struct um_claim *claims = stopper->claims.claim;
    return claims ? um_claim_make(claims, ++stopper->claimed, stopper->chosen->tid) : 0;
}

/* Claims the suspended thread once more. False: the DLL had taken the first claim over. */
static bool claim_again(struct um_stopper *stopper, uint64_t *word)
{
    struct um_claim *claims = stopper->claims.claim;
    return !claims || um_claim_again(claims, word, ++stopper->claimed);
}

/* Resumes the thread, unless the DLL has taken the claim over. Whether it did not. */
static bool resume(struct um_stopper *stopper, uint64_t word)
{
    struct um_claim *claims = stopper->claims.claim;
    if (claims && um_claim_look(claims) != word)
        return false;
    ResumeThread(stopper->chosen->handle);
    if (claims)
        um_claim_end(claims, word);
    return true;
}

/* Stops the thread, copies what is wanted of it, and lets it go on. False: it was not stopped. */
static bool stop(struct um_stopper *stopper, struct um_stopper_sample *sample, bool *copied,
                 size_t *len)
{
    uint64_t word = claim(stopper);
    DWORD before = SuspendThread(stopper->chosen->handle);
    if (before == (DWORD)-1) {
        if (stopper->claims.claim)
            um_claim_end(stopper->claims.claim, word);
        return false;
    }
    bool is_ours = claim_again(stopper, &word);
    if (is_ours) {
        *copied = copy_thread(stopper, len);
        is_ours = resume(stopper, word);
    }
    sample->stood = before > 0;
    sample->suspended_ns = is_ours ? um_clock_now_ns() - sample->time_ns : UM_CLAIM_MOST_NS;
    return true;
}

/* Why the thread cannot be stopped. That of one which has just ended is refused, too. */
static enum um_status why_not(const struct um_stopper *stopper, DWORD error)
{
    DWORD code = STILL_ACTIVE;
    if (!GetExitCodeThread(stopper->chosen->handle, &code) || code != STILL_ACTIVE)
        return UM_ERR_CLOSED;
    return error == ERROR_SIGNAL_REFUSED ? UM_ERR_BUSY : UM_ERR_DENIED;
}

enum um_status um_stopper_take(struct um_stopper *stopper, struct um_stopper_sample *sample)
{
    size_t len = 0;
    bool copied = false;
    stopper->context.ContextFlags = CONTEXT_CONTROL | CONTEXT_INTEGER;
    sample->time_ns = um_clock_now_ns();
    sample->suspended_ns = 0;
    sample->stood = false;
    bool stopped = stop(stopper, sample, &copied, &len);
    DWORD error = GetLastError();
    sample->lost_ns = sample->suspended_ns * (stopper->is_wine ? WINE_LOSS : 1);
    if (!stopped)
        return why_not(stopper, error);
    if (!copied)
        return UM_ERR_IO;
    sample->registers.pc = stopper->context.Rip;
    memcpy(sample->registers.integer, &stopper->context.Rax, sizeof sample->registers.integer);
    sample->stack = (struct um_unwind_stack){stopper->context.Rsp, stopper->bytes, len};
    sample->callers = stopper->callers;
    sample->caller_count = stopper->caller_count;
    return UM_OK;
}

static uint64_t ns_of(const FILETIME *time)
{
    return ((uint64_t)time->dwHighDateTime << 32 | time->dwLowDateTime) * 100;
}

bool um_stopper_times(struct um_stopper *stopper, uint64_t *user_ns, uint64_t *kernel_ns)
{
    FILETIME created, ended, kernel, user;
    if (!GetThreadTimes(stopper->chosen->handle, &created, &ended, &kernel, &user))
        return false;
    *user_ns = ns_of(&user);
    *kernel_ns = ns_of(&kernel);
    return true;
}

bool um_stopper_path(struct um_stopper *stopper, uint64_t base, char *path, size_t cap)
{
    wchar_t wide[PATH_UNITS];
    return um_local_file_mapped(stopper->process, at(base), wide, PATH_UNITS) &&
           WideCharToMultiByte(CP_UTF8, 0, wide, -1, path, (int)cap, NULL, NULL) > 0;
}

bool um_stopper_is_module(struct um_stopper *stopper, uint64_t address)
{
    MEMORY_BASIC_INFORMATION info;
    return VirtualQueryEx(stopper->process, at(address), &info, sizeof info) &&
           info.State == MEM_COMMIT && info.Type == MEM_IMAGE;
}

bool um_stopper_is_code(struct um_stopper *stopper, uint64_t address, uint64_t *begin,
                        uint64_t *end)
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

/* What the system has about the modules, in one pass over its list: to ask for each of them would
 * read the list from its begin each time. While the program loads one, the list may be refused.
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

size_t um_stopper_modules(struct um_stopper *stopper, struct um_stopper_module *list, size_t cap)
{
    MODULEENTRY32W entry = {.dwSize = sizeof entry};
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
