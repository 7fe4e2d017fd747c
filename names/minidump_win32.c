#include "names/minidump_win32.h"

#include <stdio.h>
#include <wchar.h>
#include <windows.h>

#include <dbghelp.h>

#include "names/resume_guard_win32.h"

#define PATH_UNITS 1024
#define COPY_BYTES (64 * 1024)

typedef BOOL(WINAPI *write_dump_fn)(HANDLE, DWORD, HANDLE, MINIDUMP_TYPE,
                                    PMINIDUMP_EXCEPTION_INFORMATION,
                                    PMINIDUMP_USER_STREAM_INFORMATION,
                                    PMINIDUMP_CALLBACK_INFORMATION);

/* dbghelp reads the modules' headers and the stacks. Windows' own one also duplicates handles and
 * suspends the threads. */
#define ACCESS                                                                                     \
    (PROCESS_QUERY_INFORMATION | PROCESS_VM_READ | PROCESS_DUP_HANDLE | PROCESS_SUSPEND_RESUME)

/* Snapshots ------------------------------------------------------------------------------------ */

/* Windows has snapshots since 8.1. Their functions are looked up at run time, because Wine has
 * none.
 * Source: "Process Snapshotting", Microsoft Learn. */

/* From processsnapshot.h, which mingw-w64 does not have. */
#define CAPTURE_VA_CLONE 0x1
#define CAPTURE_HANDLES 0x4
#define CAPTURE_HANDLE_BASIC 0x10
#define CAPTURE_HANDLE_SPECIFIC 0x20
#define CAPTURE_THREADS 0x80
#define CAPTURE_THREAD_CONTEXT 0x100
#define CAPTURE_THREAD_CONTEXT_EXTENDED 0x200
#define QUERY_VA_CLONE 1

/* The rights that the documentation of PssCaptureSnapshot asks for. */
#define CAPTURE_ACCESS                                                                             \
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

/* Takes a snapshot: a clone of the program's memory, and its threads' registers. The program is
 * hardly stopped. Owner: free_snapshot. Errors: UM_ERR_UNSUPPORTED the system has none;
 * UM_ERR_DENIED; UM_ERR_IO. */
static enum um_status take_snapshot(uint32_t pid, HANDLE *snapshot)
{
    const DWORD flags = CAPTURE_VA_CLONE | CAPTURE_HANDLES | CAPTURE_HANDLE_BASIC |
                        CAPTURE_HANDLE_SPECIFIC | CAPTURE_THREADS | CAPTURE_THREAD_CONTEXT |
                        CAPTURE_THREAD_CONTEXT_EXTENDED;
    capture_fn capture = (capture_fn)find("PssCaptureSnapshot");
    if (!capture || !find("PssFreeSnapshot"))
        return UM_ERR_UNSUPPORTED;
    HANDLE process = OpenProcess(CAPTURE_ACCESS, FALSE, pid);
    if (!process)
        return UM_ERR_DENIED;
    DWORD error = capture(process, flags, CONTEXT_ALL, snapshot);
    CloseHandle(process);
    return error == ERROR_SUCCESS ? UM_OK : UM_ERR_IO;
}

static void free_snapshot(HANDLE snapshot)
{
    query_fn query = (query_fn)find("PssQuerySnapshot");
    free_fn free_it = (free_fn)find("PssFreeSnapshot");
    HANDLE clone = NULL; /* a process, which must be ended */
    if (query && query(snapshot, QUERY_VA_CLONE, (void *)&clone, sizeof clone) == ERROR_SUCCESS &&
        clone)
        TerminateProcess(clone, 0);
    if (free_it)
        free_it(GetCurrentProcess(), snapshot);
}

/* Files ---------------------------------------------------------------------------------------- */

/* What a minidump is made of: a process or, with `callback`, a snapshot. */
struct source {
    write_dump_fn write;
    HANDLE handle;
    uint32_t pid;
    MINIDUMP_CALLBACK_INFORMATION *callback;
};

/* Answers dbghelp's question whether the handle is a snapshot: it is. */
static BOOL CALLBACK answer(void *context, MINIDUMP_CALLBACK_INPUT *asked,
                            MINIDUMP_CALLBACK_OUTPUT *answered)
{
    (void)context;
    if (asked->CallbackType == IsProcessSnapshotCallback)
        answered->Status = S_FALSE;
    return TRUE;
}

static bool write_file(const struct source *source, HANDLE file)
{
    const MINIDUMP_TYPE type = MiniDumpNormal | MiniDumpWithThreadInfo | MiniDumpWithHandleData |
                               MiniDumpWithUnloadedModules | MiniDumpWithIndirectlyReferencedMemory;
    bool whole =
        source->write(source->handle, source->pid, file, type, NULL, NULL, source->callback) ||
        source->write(source->handle, source->pid, file, MiniDumpNormal, NULL, NULL,
                      source->callback); /* an old dbghelp */
    um_resume_guard_end();
    return whole;
}

static HANDLE create(const wchar_t *path, DWORD flags)
{
    return CreateFileW(path, GENERIC_READ | GENERIC_WRITE, 0, NULL, CREATE_NEW, flags, NULL);
}

/* Closes a file, and deletes it unless it is whole. */
static enum um_status end_file(HANDLE file, const wchar_t *path, bool whole)
{
    CloseHandle(file);
    if (!whole)
        DeleteFileW(path);
    return whole ? UM_OK : UM_ERR_IO;
}

static enum um_status write_to(const struct source *source, const wchar_t *path)
{
    HANDLE file = create(path, FILE_ATTRIBUTE_NORMAL);
    if (file == INVALID_HANDLE_VALUE)
        return UM_ERR_IO;
    return end_file(file, path, write_file(source, file));
}

/* Whether the file lies on a disk of this machine, where writing is fast. */
static bool is_local(const wchar_t *path)
{
    wchar_t volume[PATH_UNITS];
    UINT type =
        GetVolumePathNameW(path, volume, PATH_UNITS) ? GetDriveTypeW(volume) : DRIVE_UNKNOWN;
    return type == DRIVE_FIXED || type == DRIVE_RAMDISK;
}

/* The path of a new file in the user's folder for temporary files; false if that is not local. */
static bool local_path(wchar_t *path, size_t cap)
{
    wchar_t folder[PATH_UNITS];
    DWORD len = GetTempPathW(PATH_UNITS, folder);
    if (len == 0 || len >= PATH_UNITS || !is_local(folder))
        return false;
    int wrote = swprintf(path, cap, L"%lsuimon-%lx-%llx.dmp", folder, GetCurrentProcessId(),
                         (unsigned long long)GetTickCount64());
    return wrote > 0 && (size_t)wrote < cap;
}

static bool copy_file(HANDLE from, HANDLE to)
{
    static uint8_t bytes[COPY_BYTES];
    DWORD read, written;
    if (SetFilePointer(from, 0, NULL, FILE_BEGIN) == INVALID_SET_FILE_POINTER)
        return false;
    while (ReadFile(from, bytes, sizeof bytes, &read, NULL)) {
        if (read == 0)
            return true;
        if (!WriteFile(to, bytes, read, &written, NULL) || written != read)
            return false;
    }
    return false;
}

/* Writes a local file first, and then copies it. Nobody else can open the local file, and the
 * system deletes it when it is closed. */
static enum um_status write_by(const struct source *source, const wchar_t *local,
                               const wchar_t *path)
{
    HANDLE from = create(local, FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE);
    if (from == INVALID_HANDLE_VALUE)
        return UM_ERR_IO;
    enum um_status status = UM_ERR_IO;
    HANDLE to =
        write_file(source, from) ? create(path, FILE_ATTRIBUTE_NORMAL) : INVALID_HANDLE_VALUE;
    if (to != INVALID_HANDLE_VALUE)
        status = end_file(to, path, copy_file(from, to));
    CloseHandle(from);
    return status;
}

/* The program is suspended until dbghelp has written. */
static enum um_status write_stopped(struct source *source, const wchar_t *path)
{
    wchar_t local[PATH_UNITS + 64];
    source->handle = OpenProcess(ACCESS, FALSE, source->pid);
    if (!source->handle)
        return GetLastError() == ERROR_INVALID_PARAMETER ? UM_ERR_NOT_FOUND : UM_ERR_DENIED;
    enum um_status status = um_resume_guard_start(source->pid);
    if (status != UM_OK) {
        CloseHandle(source->handle);
        return status;
    }
    status = UM_ERR_IO;
    if (is_local(path)) /* a network share could keep the program suspended for long */
        status = write_to(source, path);
    else if (local_path(local, PATH_UNITS + 64))
        status = write_by(source, local, path);
    CloseHandle(source->handle);
    return status;
}

/* Writes a file from a snapshot, which is taken already: the monitor goes by that (names.h). If the
 * file stays empty, dbghelp does not accept snapshots. */
static enum um_status write_from(const struct source *source, const wchar_t *path)
{
    LARGE_INTEGER size = {0};
    HANDLE file = create(path, FILE_ATTRIBUTE_NORMAL);
    if (file == INVALID_HANDLE_VALUE)
        return UM_ERR_IO;
    bool whole = write_file(source, file);
    bool refused = !whole && GetFileSizeEx(file, &size) && size.QuadPart == 0;
    enum um_status status = end_file(file, path, whole);
    return refused ? UM_ERR_UNSUPPORTED : status;
}

/* The program goes on running, and gets the processor before this process. */
static enum um_status write_snapshot(struct source *source, const wchar_t *path)
{
    MINIDUMP_CALLBACK_INFORMATION callback = {.CallbackRoutine = answer};
    if (take_snapshot(source->pid, &source->handle) != UM_OK)
        return UM_ERR_UNSUPPORTED;
    SetPriorityClass(GetCurrentProcess(), BELOW_NORMAL_PRIORITY_CLASS);
    source->callback = &callback;
    enum um_status status = write_from(source, path);
    source->callback = NULL;
    free_snapshot(source->handle);
    return status;
}

enum um_status um_minidump_write(uint32_t pid, const wchar_t *path, bool stops)
{
    HMODULE library = LoadLibraryExW(L"dbghelp.dll", NULL, LOAD_LIBRARY_SEARCH_SYSTEM32);
    struct source source = {.pid = pid};
    if (library)
        source.write = (write_dump_fn)GetProcAddress(library, "MiniDumpWriteDump");
    enum um_status status = UM_ERR_UNSUPPORTED;
    if (source.write)
        status = stops ? write_stopped(&source, path) : write_snapshot(&source, path);
    if (library)
        FreeLibrary(library);
    return status;
}
