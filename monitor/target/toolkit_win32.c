#include "monitor/target/toolkit.h"

#include <wchar.h>
#include <windows.h>

#include <psapi.h>

#include "monitor/base/wide_win32.h"

void um_toolkit_class_module(uint64_t hwnd, uint32_t pid, char *buf)
{
    wchar_t path[1024];
    /* For a class of another process this is an address there. */
    ULONG_PTR module = GetClassLongPtrW((HWND)(uintptr_t)hwnd, GCLP_HMODULE);
    HANDLE process = module ? OpenProcess(PROCESS_QUERY_INFORMATION, FALSE, pid) : NULL;
    DWORD len = process ? K32GetMappedFileNameW(process, (void *)module, path, 1024) : 0;

    buf[0] = '\0';
    if (process)
        CloseHandle(process);
    if (len == 0 || len >= 1024)
        return;
    const wchar_t *slash = wcsrchr(path, L'\\');
    um_wide_to_utf8(slash ? slash + 1 : path, buf, UM_TOOLKIT_CLASS_MODULE_BYTES);
}
