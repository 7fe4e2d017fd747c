#include "names/minidump_win32.h"

#include <stdbool.h>
#include <stdio.h>
#include <wchar.h>
#include <windows.h>

#include <dbghelp.h>

#include "names/snapshot_win32.h"

#define PATH_UNITS 1024
#define COPY_BYTES (64 * 1024)

typedef BOOL(WINAPI *write_dump_fn)(HANDLE, DWORD, HANDLE, MINIDUMP_TYPE,
                                    PMINIDUMP_EXCEPTION_INFORMATION,
                                    PMINIDUMP_USER_STREAM_INFORMATION,
                                    PMINIDUMP_CALLBACK_INFORMATION);

/* dbghelp reads the modules' headers and the stacks, and Windows' own asks the threads for more. */
#define ACCESS                                                                                     \
    (PROCESS_QUERY_INFORMATION | PROCESS_VM_READ | PROCESS_DUP_HANDLE | PROCESS_SUSPEND_RESUME)

/* What a minidump is made of: a process or, with `callback`, a snapshot. */
struct source {
    write_dump_fn write;
    HANDLE handle;
    uint32_t pid;
    MINIDUMP_CALLBACK_INFORMATION *callback;
};

/* Says that it is a snapshot. */
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
    return source->write(source->handle, source->pid, file, type, NULL, NULL, source->callback) ||
           source->write(source->handle, source->pid, file, MiniDumpNormal, NULL, NULL,
                         source->callback); /* an old dbghelp */
}

static HANDLE create(const wchar_t *path, DWORD flags)
{
    return CreateFileW(path, GENERIC_READ | GENERIC_WRITE, 0, NULL, CREATE_NEW, flags, NULL);
}

/* Closes a file, and takes it away unless it is whole. */
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

/* Whether the file lies on a disk of this machine, which does not make a writer wait for long. */
static bool is_local(const wchar_t *path)
{
    wchar_t volume[PATH_UNITS];
    UINT type =
        GetVolumePathNameW(path, volume, PATH_UNITS) ? GetDriveTypeW(volume) : DRIVE_UNKNOWN;
    return type == DRIVE_FIXED || type == DRIVE_RAMDISK;
}

/* The path of a file in the user's folder for temporary ones; false if that is not local. */
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

/* By a local file, which nobody else can open, and which is gone when it is closed. */
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

/* The program stands until dbghelp has written. */
static enum um_status write_stopped(struct source *source, const wchar_t *path)
{
    wchar_t local[PATH_UNITS + 64];
    source->handle = OpenProcess(ACCESS, FALSE, source->pid);
    if (!source->handle)
        return GetLastError() == ERROR_INVALID_PARAMETER ? UM_ERR_NOT_FOUND : UM_ERR_DENIED;
    enum um_status status = UM_ERR_IO; /* a share may let the program stand for long */
    if (is_local(path))
        status = write_to(source, path);
    else if (local_path(local, PATH_UNITS + 64))
        status = write_by(source, local, path);
    CloseHandle(source->handle);
    return status;
}

/* Writes a file of a snapshot. One to which nothing was written is of a snapshot that dbghelp does
 * not take. */
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

/* The program goes on, and is to have the processor first. */
static enum um_status write_snapshot(struct source *source, const wchar_t *path)
{
    MINIDUMP_CALLBACK_INFORMATION callback = {.CallbackRoutine = answer};
    if (um_snapshot_take(source->pid, &source->handle) != UM_OK)
        return UM_ERR_UNSUPPORTED;
    SetPriorityClass(GetCurrentProcess(), BELOW_NORMAL_PRIORITY_CLASS);
    source->callback = &callback;
    enum um_status status = write_from(source, path);
    source->callback = NULL;
    um_snapshot_free(source->handle);
    return status;
}

static enum um_status write_by_dbghelp(uint32_t pid, const wchar_t *path,
                                       enum um_status (*write)(struct source *, const wchar_t *))
{
    HMODULE library = LoadLibraryExW(L"dbghelp.dll", NULL, LOAD_LIBRARY_SEARCH_SYSTEM32);
    struct source source = {.pid = pid};
    if (library)
        source.write = (write_dump_fn)GetProcAddress(library, "MiniDumpWriteDump");
    enum um_status status = source.write ? write(&source, path) : UM_ERR_UNSUPPORTED;
    if (library)
        FreeLibrary(library);
    return status;
}

enum um_status um_minidump_write(uint32_t pid, const wchar_t *path)
{
    return write_by_dbghelp(pid, path, write_snapshot);
}

enum um_status um_minidump_write_stopped(uint32_t pid, const wchar_t *path)
{
    return write_by_dbghelp(pid, path, write_stopped);
}
