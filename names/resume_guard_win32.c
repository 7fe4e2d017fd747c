#include "names/resume_guard_win32.h"

#include <stdlib.h>
#include <windows.h>

#include "base/suspended_threads.h"
#include "ipc/names.h"

#define MONITOR_FIRST_MS 1000
#define EACH_MS 1000

static HANDLE ended;

static DWORD WINAPI guard(void *threads)
{
    DWORD wait_ms = UM_NAMES_SUSPENDED_MOST_S * 1000 + MONITOR_FIRST_MS;
    do {
        if (WaitForSingleObject(ended, wait_ms) == WAIT_OBJECT_0)
            return 0;
        wait_ms = EACH_MS;
    } while (!um_suspended_threads_any(threads));
    um_suspended_threads_resume(threads);
    TerminateProcess(GetCurrentProcess(), EXIT_FAILURE);
    return 0;
}

enum um_status um_resume_guard_start(uint32_t pid)
{
    struct um_suspended_source source;
    struct um_suspended_threads *threads;

    enum um_status status = um_suspended_threads_system(pid, &source);
    if (status == UM_OK)
        status = um_suspended_threads_open(&source, &threads);
    if (status != UM_OK)
        return status;
    ended = CreateEventW(NULL, TRUE, FALSE, NULL);
    HANDLE thread = ended ? CreateThread(NULL, 0, guard, threads, 0, NULL) : NULL;
    if (!thread) {
        um_suspended_threads_close(threads);
        return UM_ERR_IO;
    }
    CloseHandle(thread);
    return UM_OK;
}

void um_resume_guard_end(void)
{
    if (ended)
        SetEvent(ended);
}
