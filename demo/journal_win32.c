#include "demo/journal_system.h"

#include <windows.h>

#include <timeapi.h> /* after windows.h, whose types it needs */

#include "base/plain/clock.h"
#include "demo/log.h"

#define TICK_MS (UM_DEMO_LOG_TICK_NS / UM_CLOCK_NS_PER_MS)

bool um_demo_journal_system_make(const char *path, intptr_t *file)
{
    wchar_t wide[1024];
    if (!MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, wide, 1024))
        return false;
    HANDLE made = CreateFileW(wide, FILE_APPEND_DATA | SYNCHRONIZE,
                              FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                              CREATE_ALWAYS, FILE_ATTRIBUTE_NORMAL, NULL);
    *file = (intptr_t)made;
    return made != INVALID_HANDLE_VALUE;
}

void um_demo_journal_system_write(intptr_t file, const char *text, size_t len_bytes)
{
    DWORD written;
    WriteFile((HANDLE)file, text, (DWORD)len_bytes, &written, NULL);
}

void um_demo_journal_system_close(intptr_t file)
{
    CloseHandle((HANDLE)file);
}

void um_demo_journal_system_begin(void)
{
    SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_TIME_CRITICAL);
    timeBeginPeriod(TICK_MS);
}

void um_demo_journal_system_end(void)
{
    timeEndPeriod(TICK_MS);
}

/* A timer would be a request to Wine's server, which would disturb what is measured there. */
void um_demo_journal_system_tick(void)
{
    Sleep(TICK_MS);
}
