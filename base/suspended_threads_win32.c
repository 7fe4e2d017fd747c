#include "base/suspended_threads.h"

#include <stdlib.h>
#include <windows.h>
#include <tlhelp32.h>

#define THREAD_SUSPEND_COUNT 35 /* ThreadSuspendCount, since Windows 8.1 */

typedef LONG(WINAPI *query_thread)(HANDLE thread, int what, void *out, ULONG len, ULONG *written);

struct source {
    DWORD pid;
    query_thread query; /* no import library has it */
};

/* How often a thread is suspended; 0 also if the system does not say. Before Windows 8.1 this
 * suspends the thread for a moment. */
static uint32_t count_of(const struct source *source, HANDLE thread)
{
    ULONG count = 0;
    if (source->query &&
        source->query(thread, THREAD_SUSPEND_COUNT, &count, sizeof count, NULL) >= 0)
        return count;
    DWORD before = SuspendThread(thread);
    if (before != (DWORD)-1)
        ResumeThread(thread);
    return before != (DWORD)-1 ? before : 0;
}

/* Opens a thread of the process. The id of a thread that has ended may be another process's by
 * now. */
static HANDLE open_thread(const struct source *source, DWORD tid)
{
    HANDLE thread = OpenThread(THREAD_SUSPEND_RESUME | THREAD_QUERY_INFORMATION, FALSE, tid);
    if (thread && GetProcessIdOfThread(thread) != source->pid) {
        CloseHandle(thread);
        thread = NULL;
    }
    return thread;
}

static size_t list(void *context, struct um_suspended_thread *list, size_t cap)
{
    const struct source *source = context;
    THREADENTRY32 entry = {.dwSize = sizeof entry};
    HANDLE all = CreateToolhelp32Snapshot(TH32CS_SNAPTHREAD, 0);
    size_t count = 0;
    if (all == INVALID_HANDLE_VALUE)
        return 0;
    for (BOOL more = Thread32First(all, &entry); more && count < cap;
         more = Thread32Next(all, &entry)) {
        HANDLE thread = entry.th32OwnerProcessID == source->pid
                            ? open_thread(source, entry.th32ThreadID)
                            : NULL;
        if (!thread)
            continue;
        list[count] = (struct um_suspended_thread){entry.th32ThreadID, count_of(source, thread)};
        count += list[count].count > 0;
        CloseHandle(thread);
    }
    CloseHandle(all);
    return count;
}

static void resume(void *context, uint32_t tid)
{
    HANDLE thread = open_thread(context, tid);
    if (thread) {
        ResumeThread(thread);
        CloseHandle(thread);
    }
}

static void wait(void *context, uint32_t ms)
{
    (void)context;
    Sleep(ms);
}

enum um_status um_suspended_threads_system(uint32_t pid, struct um_suspended_source *out)
{
    struct source *source = calloc(1, sizeof *source);
    HMODULE ntdll = GetModuleHandleW(L"ntdll.dll");
    if (!source)
        return UM_ERR_MEMORY;
    source->pid = pid;
    source->query = ntdll ? (query_thread)GetProcAddress(ntdll, "NtQueryInformationThread") : NULL;
    *out = (struct um_suspended_source){
        .context = source, .list = list, .resume = resume, .pause = wait, .close = free};
    return UM_OK;
}
