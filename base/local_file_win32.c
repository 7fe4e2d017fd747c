#include "base/local_file_win32.h"

#include <string.h>

#include <psapi.h>

#include "base/native_path.h"

static bool device_of(void *context, wchar_t letter, wchar_t *device, size_t cap)
{
    wchar_t drive[] = L"A:";
    (void)context;
    drive[0] = letter;
    return QueryDosDeviceW(drive, device, (DWORD)cap) != 0;
}

bool um_local_file_mapped(HANDLE process, const void *address, wchar_t *path, size_t cap)
{
    wchar_t native[UM_LOCAL_FILE_CHARS];
    DWORD len = GetMappedFileNameW(process, (void *)(ULONG_PTR)address, native, ARRAYSIZE(native));
    return len > 0 && len < ARRAYSIZE(native) &&
           um_native_path_translate(native, device_of, NULL, path, cap);
}

/* Whether a path is on a disk of this machine. A drive letter can stand for a network folder. */
static bool is_local(const wchar_t *path)
{
    wchar_t root[] = L"A:\\";
    if (!um_native_path_has_drive(path))
        return false;
    root[0] = path[0];
    UINT type = GetDriveTypeW(root);
    return type != DRIVE_REMOTE && type != DRIVE_NO_ROOT_DIR;
}

/* The real path of an open file. False: it is on no local drive, or its path is not known. */
static bool find_real(HANDLE file, wchar_t real[UM_LOCAL_FILE_CHARS])
{
    static const wchar_t prefix[] = L"\\\\?\\";
    const size_t skipped = ARRAYSIZE(prefix) - 1;
    DWORD len = GetFinalPathNameByHandleW(file, real, UM_LOCAL_FILE_CHARS, VOLUME_NAME_DOS);
    if (len <= skipped || len >= UM_LOCAL_FILE_CHARS || wcsncmp(real, prefix, skipped) != 0)
        return false;
    memmove(real, real + skipped, (len + 1 - skipped) * sizeof *real);
    return is_local(real);
}

HANDLE um_local_file_open(const wchar_t *path, DWORD share, wchar_t *real)
{
    wchar_t found[UM_LOCAL_FILE_CHARS];
    HANDLE file = INVALID_HANDLE_VALUE;

    if (!real) {
        found[0] = L'\0';
        real = found;
    }
    SetLastError(ERROR_ACCESS_DENIED);
    if (!is_local(path))
        return file;
    file = CreateFileW(path, GENERIC_READ, share, NULL, OPEN_EXISTING,
                       SECURITY_SQOS_PRESENT | SECURITY_IDENTIFICATION, NULL);
    if (file == INVALID_HANDLE_VALUE ||
        (GetFileType(file) == FILE_TYPE_DISK && find_real(file, real)))
        return file;
    CloseHandle(file);
    SetLastError(ERROR_ACCESS_DENIED);
    return INVALID_HANDLE_VALUE;
}
