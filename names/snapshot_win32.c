#include "names/snapshot_win32.h"

/* Of processsnapshot.h, which mingw-w64 does not have. */
#define CAPTURE_VA_CLONE 0x1
#define CAPTURE_HANDLES 0x4
#define CAPTURE_HANDLE_BASIC 0x10
#define CAPTURE_HANDLE_SPECIFIC 0x20
#define CAPTURE_THREADS 0x80
#define CAPTURE_THREAD_CONTEXT 0x100
#define CAPTURE_THREAD_CONTEXT_EXTENDED 0x200
#define QUERY_VA_CLONE 1

/* What the documentation of PssCaptureSnapshot asks for. The clone is a process of its own. */
#define ACCESS                                                                                     \
    (PROCESS_CREATE_PROCESS | PROCESS_QUERY_INFORMATION | PROCESS_VM_OPERATION | PROCESS_VM_READ | \
     PROCESS_DUP_HANDLE)

typedef DWORD(WINAPI *capture_fn)(HANDLE process, DWORD flags, DWORD context_flags,
                                  HANDLE *snapshot);
typedef DWORD(WINAPI *query_fn)(HANDLE snapshot, int what, void *out, DWORD len);
typedef DWORD(WINAPI *free_fn)(HANDLE process, HANDLE snapshot);

static FARPROC find(const char *name)
{
    HMODULE kernel = GetModuleHandleW(L"kernel32.dll");
    return kernel ? GetProcAddress(kernel, name) : NULL;
}

enum um_status um_snapshot_take(uint32_t pid, HANDLE *snapshot)
{
    const DWORD flags = CAPTURE_VA_CLONE | CAPTURE_HANDLES | CAPTURE_HANDLE_BASIC |
                        CAPTURE_HANDLE_SPECIFIC | CAPTURE_THREADS | CAPTURE_THREAD_CONTEXT |
                        CAPTURE_THREAD_CONTEXT_EXTENDED;
    capture_fn capture = (capture_fn)find("PssCaptureSnapshot");
    if (!capture || !find("PssFreeSnapshot"))
        return UM_ERR_UNSUPPORTED;
    HANDLE process = OpenProcess(ACCESS, FALSE, pid);
    if (!process)
        return UM_ERR_DENIED;
    DWORD error = capture(process, flags, CONTEXT_ALL, snapshot);
    CloseHandle(process);
    return error == ERROR_SUCCESS ? UM_OK : UM_ERR_IO;
}

void um_snapshot_free(HANDLE snapshot)
{
    query_fn query = (query_fn)find("PssQuerySnapshot");
    free_fn free_it = (free_fn)find("PssFreeSnapshot");
    HANDLE clone = NULL;
    if (query && query(snapshot, QUERY_VA_CLONE, (void *)&clone, sizeof clone) == ERROR_SUCCESS &&
        clone)
        TerminateProcess(clone, 0);
    if (free_it)
        free_it(GetCurrentProcess(), snapshot);
}
