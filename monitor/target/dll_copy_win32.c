#include "monitor/target/dll_copy_win32.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/base/platform.h"
#include "monitor/base/wide_win32.h"

#define TRIES 3
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

/* The DLL beside uimon.exe. Owner: free(out->bytes). */
static enum um_status read_dll(const char *stem, struct bytes *out)
{
    char file[32];
    char name[UM_PLATFORM_PATH_BYTES];

    snprintf(file, sizeof file, "%s.dll", stem);
    if (um_platform_beside(file, name, sizeof name) != UM_OK)
        return UM_ERR_IO;
    wchar_t *path = um_wide_from_utf8(name);
    if (!path)
        return UM_ERR_MEMORY;
    HANDLE dll = CreateFileW(path, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_DELETE, NULL,
                             OPEN_EXISTING, 0, NULL);
    free(path);
    if (dll == INVALID_HANDLE_VALUE)
        return UM_ERR_NOT_FOUND;
    bool whole = read_all(dll, out);
    CloseHandle(dll);
    return whole ? UM_OK : UM_ERR_NOT_FOUND;
}

/* Whether an open file is a plain one with one name, and holds these bytes. */
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

/* Opens the copy, so that nobody else can change it from now on. NULL if it is not there, or is not
 * the DLL. */
static HANDLE open_copy(const wchar_t *path, const struct bytes *dll)
{
    HANDLE file = CreateFileW(path, GENERIC_READ, FILE_SHARE_READ, NULL, OPEN_EXISTING,
                              FILE_FLAG_OPEN_REPARSE_POINT, NULL);
    if (file == INVALID_HANDLE_VALUE)
        return NULL;
    if (is_copy(file, dll))
        return file;
    CloseHandle(file);
    return NULL;
}

/* Writes a file under a name that did not exist, and renames it into place: no program ever loads a
 * half-written file. Whatever stands there already is replaced, unless it is loaded. */
static bool write_copy(const wchar_t *path, int try, const struct bytes *dll)
{
    wchar_t fresh[UM_DLL_COPY_CHARS + 32];
    DWORD put = 0;

    swprintf(fresh, sizeof fresh / sizeof fresh[0], L"%ls.%lu-%d", path, GetCurrentProcessId(),
             try);
    HANDLE file = CreateFileW(fresh, GENERIC_WRITE, 0, NULL, CREATE_NEW, 0, NULL);
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

enum um_status um_dll_copy_open(const char *stem, wchar_t *path, HANDLE *copy)
{
    wchar_t folder[MAX_PATH];
    struct bytes dll;
    enum um_status status = read_dll(stem, &dll);

    *copy = NULL;
    if (status != UM_OK)
        return status;
    if (find_folder(folder)) {
        swprintf(path, UM_DLL_COPY_CHARS, L"%ls\\%hs-%hs-%016llx.dll", folder, stem, UM_VERSION,
                 (unsigned long long)hash(&dll));
        /* Another uimon may be making the same copy. */
        for (int i = 0; i < TRIES && !(*copy = open_copy(path, &dll)); i++)
            write_copy(path, i, &dll);
        if (!*copy)
            *copy = open_copy(path, &dll);
    }
    free(dll.bytes);
    return *copy ? UM_OK : UM_ERR_IO;
}
