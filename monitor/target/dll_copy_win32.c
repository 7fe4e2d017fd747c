#include "monitor/target/dll_copy_win32.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/guarded_win32.h"
#include "base/trust_win32.h"

#define TRIES 6
#define PAUSE_MS 10 /* after the first try; doubled after each further one */
#define MOST_BYTES (64 << 20)

struct bytes {
    uint8_t *bytes;
    size_t len;
};

/* FNV-1a. Source: http://www.isthe.com/chongo/tech/comp/fnv/ */
static uint64_t hash(const struct bytes *dll)
{
    uint64_t value = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < dll->len; i++)
        value = (value ^ dll->bytes[i]) * UINT64_C(0x100000001b3);
    return value;
}

/* All of an open file. Owner: free(out->bytes). */
static bool read_all(HANDLE file, struct bytes *out)
{
    LARGE_INTEGER size;
    DWORD got = 0;

    *out = (struct bytes){0};
    if (!GetFileSizeEx(file, &size) || size.QuadPart <= 0 || size.QuadPart > MOST_BYTES)
        return false;
    out->bytes = malloc((size_t)size.QuadPart);
    out->len = (size_t)size.QuadPart;
    if (out->bytes && ReadFile(file, out->bytes, (DWORD)out->len, &got, NULL) && got == out->len)
        return true;
    free(out->bytes);
    return false;
}

/* Opens the DLL, so that nobody can write to it. With FILE_SHARE_DELETE for `share` it may be
 * deleted or renamed meanwhile. NULL if it is not there. */
static HANDLE open_dll(const wchar_t *path, DWORD share)
{
    HANDLE dll =
        CreateFileW(path, GENERIC_READ, FILE_SHARE_READ | share, NULL, OPEN_EXISTING, 0, NULL);
    if (dll == INVALID_HANDLE_VALUE)
        return NULL;
    return dll;
}

/* Reads the DLL. Owner: free(out->bytes). */
static bool read_dll(const wchar_t *path, struct bytes *out)
{
    HANDLE dll = open_dll(path, FILE_SHARE_DELETE);

    if (!dll)
        return false;
    bool whole = read_all(dll, out);
    CloseHandle(dll);
    return whole;
}

/* Whether an open file is a regular file with one name, and holds these bytes. */
static bool is_copy(HANDLE file, const struct bytes *dll)
{
    BY_HANDLE_FILE_INFORMATION info;
    struct bytes there;

    if (!GetFileInformationByHandle(file, &info) || info.nNumberOfLinks != 1 ||
        (info.dwFileAttributes & (FILE_ATTRIBUTE_REPARSE_POINT | FILE_ATTRIBUTE_DIRECTORY)) ||
        !read_all(file, &there))
        return false;
    bool same = there.len == dll->len && memcmp(there.bytes, dll->bytes, dll->len) == 0;
    free(there.bytes);
    return same;
}

/* Opens the copy, so that nobody else can change it from now on. NULL if it is not there, is not
 * equal to the DLL, or (elevated) if others than administrators can change it. */
static HANDLE open_copy(const wchar_t *path, const struct bytes *dll, bool elevated)
{
    HANDLE file = CreateFileW(path, GENERIC_READ, FILE_SHARE_READ, NULL, OPEN_EXISTING,
                              FILE_FLAG_OPEN_REPARSE_POINT, NULL);
    if (file == INVALID_HANDLE_VALUE)
        return NULL;
    if (is_copy(file, dll) && (!elevated || um_trust_file(file)))
        return file;
    CloseHandle(file);
    return NULL;
}

/* Writes a file under a new name, and renames it into place, so that no program ever loads a
 * half-written file. A file that is there is replaced, unless it is loaded. */
static bool write_copy(const wchar_t *path, int try, const struct bytes *dll,
                       SECURITY_ATTRIBUTES *security)
{
    wchar_t fresh[UM_DLL_COPY_CHARS + 32];
    DWORD put = 0;

    swprintf(fresh, sizeof fresh / sizeof fresh[0], L"%ls.%lu-%d", path, GetCurrentProcessId(),
             try);
    HANDLE file = CreateFileW(fresh, GENERIC_WRITE, 0, security, CREATE_NEW, 0, NULL);
    if (file == INVALID_HANDLE_VALUE)
        return false;
    bool whole = WriteFile(file, dll->bytes, (DWORD)dll->len, &put, NULL) && put == dll->len;
    whole = CloseHandle(file) && whole;
    if (whole && MoveFileExW(fresh, path, MOVEFILE_REPLACE_EXISTING))
        return true;
    DeleteFileW(fresh);
    return false;
}

/* The folder of the copies, which is made if it is missing. False for a link to another place. */
static bool find_folder(wchar_t folder[MAX_PATH])
{
    DWORD got = GetEnvironmentVariableW(L"LOCALAPPDATA", folder, MAX_PATH - 8);
    if (got == 0 || got >= MAX_PATH - 8)
        GetTempPathW(MAX_PATH - 8, folder);
    wcscat(folder, L"\\uimon");
    CreateDirectoryW(folder, NULL);
    DWORD attributes = GetFileAttributesW(folder);
    return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) &&
           !(attributes & FILE_ATTRIBUTE_REPARSE_POINT);
}

/* Finds or makes the copy in a folder. `security` is NULL for an ordinary one. */
static enum um_status copy_to(const wchar_t *folder, const wchar_t *dll,
                              SECURITY_ATTRIBUTES *security, wchar_t *path, HANDLE *copy)
{
    const wchar_t *name = wcsrchr(dll, L'\\') + 1;
    const wchar_t *ending = wcsrchr(name, L'.');
    struct bytes bytes;

    if (!read_dll(dll, &bytes))
        return UM_ERR_NOT_FOUND;
    swprintf(path, UM_DLL_COPY_CHARS, L"%ls\\%.*ls-%hs-%016llx%ls", folder,
             (int)wcscspn(name, L"."), name, UM_VERSION, (unsigned long long)hash(&bytes),
             ending ? ending : L"");
    /* Another uimon may be making the same copy, and a virus scanner may keep a new file from being
     * renamed for a moment. */
    for (int i = 0; i < TRIES && !(*copy = open_copy(path, &bytes, security)); i++)
        if (!write_copy(path, i, &bytes, security))
            Sleep(PAUSE_MS << i);
    if (!*copy)
        *copy = open_copy(path, &bytes, security);
    free(bytes.bytes);
    return *copy ? UM_OK : UM_ERR_IO;
}

/* Opens the DLL itself, if only administrators can change it and its folder; else NULL. */
static HANDLE open_if_safe(const wchar_t *path)
{
    wchar_t folder_path[UM_DLL_COPY_CHARS];
    size_t len = (size_t)(wcsrchr(path, L'\\') - path);
    HANDLE dll = open_dll(path, 0);

    len += len > 0 && path[len - 1] == L':'; /* C: is the present folder of a disk, C:\ its root */
    swprintf(folder_path, UM_DLL_COPY_CHARS, L"%.*ls", (int)len, path);
    HANDLE folder = dll ? um_trust_open_folder(folder_path) : NULL;
    bool safe = folder && um_trust_folder(folder) && um_trust_file(dll);
    if (folder)
        CloseHandle(folder);
    if (dll && !safe)
        CloseHandle(dll);
    return safe ? dll : NULL;
}

/* The copy in %ProgramData%\uimon. */
static enum um_status copy_for_administrators(const wchar_t *dll, wchar_t *path, HANDLE *copy)
{
    wchar_t name[UM_GUARDED_CHARS];
    SECURITY_ATTRIBUTES security;
    HANDLE folder;
    enum um_status status = um_guarded_open(NULL, true, name, &folder);

    if (status != UM_OK)
        return status == UM_ERR_DENIED ? status : UM_ERR_IO;
    status = UM_ERR_IO;
    if (um_trust_security(&security, false)) {
        status = copy_to(name, dll, &security, path, copy);
        LocalFree(security.lpSecurityDescriptor);
    }
    CloseHandle(folder);
    return status;
}

enum um_status um_dll_copy_open(const wchar_t *dll, bool elevated, wchar_t *path, HANDLE *copy)
{
    wchar_t folder[MAX_PATH];

    *copy = NULL;
    if (wcslen(dll) >= UM_DLL_COPY_CHARS)
        return UM_ERR_IO;
    if (!elevated)
        return find_folder(folder) ? copy_to(folder, dll, NULL, path, copy) : UM_ERR_IO;
    *copy = open_if_safe(dll);
    if (!*copy)
        return copy_for_administrators(dll, path, copy);
    wcscpy(path, dll);
    return UM_OK;
}
