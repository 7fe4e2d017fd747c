/* In the place of uimon-names.exe: stops all threads of a program as a writer of minidumps does on
 * Windows, and hangs, with the guard that uimon-names has then. Wine's own writer resumes each
 * thread at once.
 *
 *   names_hang_win32 --dump PID FILE           says that there are no snapshots
 *   names_hang_win32 --dump-stopped PID FILE   if FILE is the minidump of after the freeze, writes
 *                                              it as uimon-names does
 */
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <windows.h>

#include <shellapi.h>
#include <tlhelp32.h>

#include "ipc/names.h"
#include "names/minidump_win32.h"
#include "names/resume_guard_win32.h"

#define AFTER L"minidump-after.dmp" /* bundle.h */

static bool is_after(const wchar_t *path)
{
    size_t len = wcslen(path), end = wcslen(AFTER);
    return len >= end && wcscmp(path + len - end, AFTER) == 0;
}

int main(int argc, char **argv)
{
    int count;
    THREADENTRY32 entry = {.dwSize = sizeof entry};
    if (argc == 4 && strcmp(argv[1], UM_NAMES_DUMP) == 0)
        return UM_NAMES_NO_SNAPSHOT;
    if (argc != 4 || strcmp(argv[1], UM_NAMES_DUMP_STOPPED) != 0)
        return EXIT_FAILURE;
    DWORD pid = strtoul(argv[2], NULL, 10);
    wchar_t **wide = CommandLineToArgvW(GetCommandLineW(), &count);
    if (wide && count == argc && is_after(wide[3]))
        return um_minidump_write(pid, wide[3], true) == UM_OK ? EXIT_SUCCESS : EXIT_FAILURE;
    if (um_resume_guard_start(pid) != UM_OK)
        return EXIT_FAILURE;
    HANDLE all = CreateToolhelp32Snapshot(TH32CS_SNAPTHREAD, 0);
    for (BOOL more = Thread32First(all, &entry); more; more = Thread32Next(all, &entry)) {
        HANDLE thread = entry.th32OwnerProcessID == pid
                            ? OpenThread(THREAD_SUSPEND_RESUME, FALSE, entry.th32ThreadID)
                            : NULL;
        if (thread)
            SuspendThread(thread);
    }
    Sleep(INFINITE);
    return EXIT_SUCCESS;
}
