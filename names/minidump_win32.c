#include "names/minidump_win32.h"

#include <stdbool.h>
#include <windows.h>

#include <dbghelp.h>

typedef BOOL(WINAPI *write_dump_fn)(HANDLE, DWORD, HANDLE, MINIDUMP_TYPE,
                                    PMINIDUMP_EXCEPTION_INFORMATION,
                                    PMINIDUMP_USER_STREAM_INFORMATION,
                                    PMINIDUMP_CALLBACK_INFORMATION);

/* dbghelp reads the modules' headers and the stacks, and Windows' own asks the threads for more. */
#define ACCESS                                                                                     \
    (PROCESS_QUERY_INFORMATION | PROCESS_VM_READ | PROCESS_DUP_HANDLE | PROCESS_SUSPEND_RESUME)

static enum um_status write_to(write_dump_fn write, HANDLE process, uint32_t pid,
                               const wchar_t *path)
{
    const MINIDUMP_TYPE type = MiniDumpNormal | MiniDumpWithThreadInfo | MiniDumpWithHandleData |
                               MiniDumpWithUnloadedModules | MiniDumpWithIndirectlyReferencedMemory;
    HANDLE file = CreateFileW(path, GENERIC_READ | GENERIC_WRITE, 0, NULL, CREATE_NEW,
                              FILE_ATTRIBUTE_NORMAL, NULL);

    if (file == INVALID_HANDLE_VALUE)
        return UM_ERR_IO;
    bool whole = write(process, pid, file, type, NULL, NULL, NULL) ||
                 write(process, pid, file, MiniDumpNormal, NULL, NULL, NULL); /* an old dbghelp */
    CloseHandle(file);
    if (!whole)
        DeleteFileW(path);
    return whole ? UM_OK : UM_ERR_IO;
}

static enum um_status write_of(HMODULE library, uint32_t pid, const wchar_t *path)
{
    write_dump_fn write = (write_dump_fn)GetProcAddress(library, "MiniDumpWriteDump");
    if (!write)
        return UM_ERR_UNSUPPORTED;
    HANDLE process = OpenProcess(ACCESS, FALSE, pid);
    if (!process)
        return GetLastError() == ERROR_INVALID_PARAMETER ? UM_ERR_NOT_FOUND : UM_ERR_DENIED;
    enum um_status status = write_to(write, process, pid, path);
    CloseHandle(process);
    return status;
}

enum um_status um_minidump_write(uint32_t pid, const wchar_t *path)
{
    HMODULE library = LoadLibraryExW(L"dbghelp.dll", NULL, LOAD_LIBRARY_SEARCH_SYSTEM32);
    if (!library)
        return UM_ERR_UNSUPPORTED;
    enum um_status status = write_of(library, pid, path);
    FreeLibrary(library);
    return status;
}
