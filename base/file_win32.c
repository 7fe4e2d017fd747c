#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include <aclapi.h>

#include "base/token_win32.h"
#include "base/guarded_win32.h"
#include "base/platform.h"
#include "base/retry.h"
#include "base/trust_win32.h"
#include "base/wide_win32.h"
#include "base/wine_win32.h"

#define SHARE_ALL (FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE)
/* A hidden file cannot be made anew as one, and an encrypted one would no longer be. */
#define KEPT_AS_THEY_ARE                                                                           \
    (FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_READONLY | FILE_ATTRIBUTE_HIDDEN |                  \
     FILE_ATTRIBUTE_SYSTEM | FILE_ATTRIBUTE_ENCRYPTED)

/* (SetSecurityInfo is newer, but under Wine it adds the folder's entries to a protected list.) */
static bool set_list(HANDLE file, PSECURITY_DESCRIPTOR descriptor)
{
    SECURITY_DESCRIPTOR_CONTROL control;
    DWORD revision;

    return GetSecurityDescriptorControl(descriptor, &control, &revision) &&
           SetKernelObjectSecurity(
               file,
               DACL_SECURITY_INFORMATION |
                   (control & SE_DACL_PROTECTED ? PROTECTED_DACL_SECURITY_INFORMATION : 0),
               descriptor);
}

static bool is_own(HANDLE file)
{
    PSECURITY_DESCRIPTOR descriptor = NULL;
    PSID owner = NULL;

    if (GetSecurityInfo(file, SE_FILE_OBJECT, OWNER_SECURITY_INFORMATION, &owner, NULL, NULL, NULL,
                        &descriptor) != ERROR_SUCCESS)
        return false;
    bool own = owner && um_token_is_own(owner);
    LocalFree(descriptor);
    return own;
}

static bool has_lists(HANDLE file)
{
    DWORD flags = 0;
    return GetVolumeInformationByHandleW(file, NULL, 0, NULL, NULL, &flags, NULL, 0) &&
           (flags & FILE_PERSISTENT_ACLS);
}

/* From here on: files that nobody else may read. */

static enum um_status status_of(DWORD code)
{
    return code == ERROR_SHARING_VIOLATION ? UM_ERR_BUSY
           : code == ERROR_ACCESS_DENIED   ? UM_ERR_DENIED
                                           : UM_ERR_IO;
}

/* Whether a file has to be made anew, for administrators alone. In an existing file, ordinary
 * programs of the user could read what was typed into an elevated one, and a link could lead uimon
 * to another file. */
static bool is_made_anew(bool secret)
{
    return secret && um_guarded_is_needed();
}

/* Makes a file in place of one that is there, if there is any. */
static HANDLE make_anew(const wchar_t *path, SECURITY_ATTRIBUTES *security)
{
    HANDLE file;
    DWORD code = 0;
    bool gone;
    int times = 0;

    do {
        gone = DeleteFileW(path) || GetLastError() == ERROR_FILE_NOT_FOUND;
        code = gone ? 0 : GetLastError();
        file = gone ? CreateFileW(path, GENERIC_WRITE | FILE_READ_ATTRIBUTES, FILE_SHARE_READ,
                                  security, CREATE_NEW,
                                  FILE_ATTRIBUTE_NORMAL | FILE_FLAG_OPEN_REPARSE_POINT, NULL)
                    : INVALID_HANDLE_VALUE;
        code = gone ? GetLastError() : code;
        /* A virus scanner or a backup can have the old file open for a moment. Then it cannot be
         * deleted, or it goes when that closes it, and until then access is denied. */
    } while (file == INVALID_HANDLE_VALUE &&
             (code == ERROR_SHARING_VIOLATION || (gone && code == ERROR_ACCESS_DENIED)) &&
             um_retry(&times));
    SetLastError(code);
    return file;
}

/* Makes a file that only administrators can open, in place of one that is there. Nothing is deleted
 * or made in a folder that ordinary programs can change, or behind a link to a folder: they could
 * choose which file that is. While the file is open, its folder cannot be renamed. */
static enum um_status make_guarded(const wchar_t *path, HANDLE *out)
{
    SECURITY_ATTRIBUTES security;
    wchar_t real[UM_FILE_PATH_BYTES];
    HANDLE folder;

    enum um_status status = um_guarded_hold_folder(path, true, real, UM_FILE_PATH_BYTES, &folder);
    if (status != UM_OK)
        return status;
    DWORD code = ERROR_OUTOFMEMORY;
    *out = INVALID_HANDLE_VALUE;
    if (um_trust_security(&security, true)) {
        *out = make_anew(real, &security);
        code = GetLastError();
        LocalFree(security.lpSecurityDescriptor);
    }
    CloseHandle(folder);
    SetLastError(code);
    /* UM_ERR_DENIED is for the folder. */
    return *out != INVALID_HANDLE_VALUE      ? UM_OK
           : code == ERROR_SHARING_VIOLATION ? UM_ERR_BUSY
                                             : UM_ERR_IO;
}

/* The same, but only on a disk that has access lists. On another one an empty file stays behind: by
 * its name it could not be deleted without another look at its folder. */
static enum um_status make_secret_anew(const wchar_t *path, HANDLE *out)
{
    HANDLE file;
    enum um_status status = make_guarded(path, &file);
    if (status != UM_OK)
        return status;
    if (GetFileType(file) == FILE_TYPE_DISK && has_lists(file)) {
        *out = file;
        return UM_OK;
    }
    CloseHandle(file);
    return UM_ERR_IO;
}

/* Opens a file that nobody else has open: whoever opened it before its list was changed could go on
 * reading. Fails on a disk without access lists. */
static enum um_status open_secret(const wchar_t *path, DWORD disposition, HANDLE *out)
{
    SECURITY_ATTRIBUTES security;

    if (is_made_anew(true))
        return make_secret_anew(path, out);
    if (!um_trust_user_security(&security, UM_TRUST_USER_DESCRIPTOR))
        return UM_ERR_IO;
    HANDLE file;
    DWORD code;
    int times = 0;
    do {
        file = CreateFileW(path, GENERIC_WRITE | READ_CONTROL | WRITE_DAC, 0, &security,
                           disposition, FILE_ATTRIBUTE_NORMAL, NULL);
        code = GetLastError();
    } while (file == INVALID_HANDLE_VALUE && code == ERROR_SHARING_VIOLATION && um_retry(&times));
    enum um_status status = file == INVALID_HANDLE_VALUE ? status_of(code) : UM_OK;
    bool on_disk = status == UM_OK && GetFileType(file) == FILE_TYPE_DISK;
    if (on_disk && !is_own(file))
        status = UM_ERR_DENIED;
    else if (status == UM_OK && (!on_disk || !set_list(file, security.lpSecurityDescriptor)))
        status = UM_ERR_IO;
    LocalFree(security.lpSecurityDescriptor);
    if (status == UM_OK)
        *out = file;
    else if (file != INVALID_HANDLE_VALUE)
        CloseHandle(file);
    if (status != UM_OK && file != INVALID_HANDLE_VALUE && code != ERROR_ALREADY_EXISTS)
        DeleteFileW(path); /* it was made just now */
    return status;
}

/* Makes a stream of a handle, and takes the handle over even if it fails. */
static FILE *open_stream(HANDLE handle, int access, const char *mode)
{
    int number = _open_osfhandle((intptr_t)handle, access | _O_BINARY);
    FILE *file = number >= 0 ? _fdopen(number, mode) : NULL;

    if (!file && number >= 0)
        _close(number);
    else if (number < 0)
        CloseHandle(handle);
    return file;
}

static enum um_status open_secret_path(const char *path, HANDLE *file)
{
    wchar_t *wide = um_wide_from_utf8(path);
    enum um_status status = wide ? open_secret(wide, OPEN_ALWAYS, file) : UM_ERR_IO;
    free(wide);
    return status;
}

enum um_status um_file_make_secret(const char *path)
{
    HANDLE file;
    enum um_status status = open_secret_path(path, &file);
    if (status == UM_OK)
        CloseHandle(file);
    return status;
}

FILE *um_file_open_secret(const char *path)
{
    HANDLE file;
    if (open_secret_path(path, &file) != UM_OK)
        return NULL;
    if (SetEndOfFile(file))
        return open_stream(file, _O_WRONLY, "wb");
    CloseHandle(file);
    return NULL;
}

FILE *um_file_open_guarded(const char *path)
{
    if (!um_guarded_is_needed())
        return um_platform_open_alone(path);
    wchar_t *wide = um_wide_from_utf8(path);
    HANDLE file;
    enum um_status status = wide ? make_guarded(wide, &file) : UM_ERR_MEMORY;
    bool full = status == UM_ERR_IO && GetLastError() == ERROR_DISK_FULL;
    free(wide);
    if (status == UM_OK)
        return open_stream(file, _O_WRONLY, "wb");
    errno = full ? ENOSPC : status == UM_ERR_DENIED ? EPERM : EACCES;
    return NULL;
}

/* A file that the system deletes when it is closed. (With older runtimes, tmpfile makes its file in
 * the root of the disk, where users may not.) */
static FILE *open_temporary(void)
{
    wchar_t folder[MAX_PATH + 1], path[MAX_PATH + 64];
    DWORD len = GetTempPathW(ARRAYSIZE(folder), folder);
    if (len == 0 || len >= ARRAYSIZE(folder))
        return NULL;
    swprintf(path, ARRAYSIZE(path), L"%lsuimon-%lx-%llx.tmp", folder, GetCurrentProcessId(),
             (unsigned long long)GetTickCount64());
    HANDLE file = CreateFileW(path, GENERIC_READ | GENERIC_WRITE, 0, NULL, CREATE_NEW,
                              FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, NULL);
    return file != INVALID_HANDLE_VALUE ? open_stream(file, _O_RDWR, "w+b") : NULL;
}

/* The text of a file that was written until here. Owner: free. */
static char *read_back(FILE *file)
{
    long len = ftell(file);
    char *text = len >= 0 && fseek(file, 0, SEEK_SET) == 0 ? malloc((size_t)len + 1) : NULL;
    if (text && fread(text, 1, (size_t)len, file) == (size_t)len) {
        text[len] = '\0';
        return text;
    }
    free(text);
    return NULL;
}

char *um_file_collect(enum um_status (*write)(FILE *out, const void *context), const void *context)
{
    FILE *file = open_temporary();
    char *text = file && write(file, context) == UM_OK ? read_back(file) : NULL;
    if (file)
        fclose(file);
    return text;
}

/* From here on: drafts. */

/* What is at a path. */
struct place {
    wchar_t path[UM_FILE_PATH_BYTES]; /* a link is followed */
    PSECURITY_DESCRIPTOR rights;      /* NULL: the folder's */
    HANDLE folder;                    /* held; NULL: it need not be */
};

static void release_place(struct place *place)
{
    LocalFree(place->rights);
    if (place->folder)
        CloseHandle(place->folder);
}

static bool is_device_path(const wchar_t *path)
{
    const wchar_t *name = path;
    for (const wchar_t *at = path; *at; at++)
        if (*at == L'\\' || *at == L'/')
            name = at + 1;
    /* A colon in the name is of a second stream of a file, or of a path without a folder. */
    return wcsncmp(path, L"\\\\.\\", 4) == 0 || wcschr(name, L':');
}

static bool may_write(const wchar_t *path)
{
    HANDLE file = CreateFileW(path, GENERIC_WRITE, SHARE_ALL, NULL, OPEN_EXISTING, 0, NULL);
    if (file == INVALID_HANDLE_VALUE)
        return GetLastError() == ERROR_SHARING_VIOLATION; /* it may be closed before the end */
    CloseHandle(file);
    return true;
}

/* Looks at a file that exists. */
static enum um_status look_at(HANDLE file, bool secret, struct place *place)
{
    BY_HANDLE_FILE_INFORMATION info;
    DWORD link = GetFileAttributesW(place->path);

    if (GetFileType(file) != FILE_TYPE_DISK || !GetFileInformationByHandle(file, &info))
        return UM_ERR_UNSUPPORTED;
    if (is_made_anew(secret)) /* nothing of what is there is kept */
        return info.dwFileAttributes & (FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_READONLY)
                   ? UM_ERR_UNSUPPORTED
                   : UM_OK;
    if ((info.dwFileAttributes & KEPT_AS_THEY_ARE) || info.nNumberOfLinks > 1)
        return UM_ERR_UNSUPPORTED;
    if (link == INVALID_FILE_ATTRIBUTES || (link & FILE_ATTRIBUTE_REPARSE_POINT)) {
        DWORD len =
            GetFinalPathNameByHandleW(file, place->path, ARRAYSIZE(place->path), VOLUME_NAME_DOS);
        if (len == 0 || len >= ARRAYSIZE(place->path))
            return UM_ERR_UNSUPPORTED;
    }
    if (!may_write(place->path))
        return UM_ERR_UNSUPPORTED;
    if (secret)
        return is_own(file) ? UM_OK : UM_ERR_DENIED;
    if (!has_lists(file)) /* so it has no owner either */
        return UM_OK;
    if (!is_own(file) || GetSecurityInfo(file, SE_FILE_OBJECT, DACL_SECURITY_INFORMATION, NULL,
                                         NULL, NULL, NULL, &place->rights) != ERROR_SUCCESS)
        return UM_ERR_UNSUPPORTED;
    return UM_OK;
}

/* Finds the file that a path leads to. It is opened for no data, which works while others write to
 * it. Owner: release_place, also after a failure. */
static enum um_status find_place(const char *path, bool secret, struct place *place)
{
    wchar_t *wide = um_wide_from_utf8(path);
    bool fits = wide && wcslen(wide) < ARRAYSIZE(place->path) && !is_device_path(wide);

    *place = (struct place){.rights = NULL};
    if (fits)
        wcscpy(place->path, wide);
    free(wide);
    if (!fits)
        return UM_ERR_UNSUPPORTED;
    DWORD flags = FILE_FLAG_BACKUP_SEMANTICS;
    if (is_made_anew(secret)) {
        wchar_t real[UM_FILE_PATH_BYTES];
        enum um_status status =
            um_guarded_hold_folder(place->path, true, real, UM_FILE_PATH_BYTES, &place->folder);
        if (status != UM_OK)
            return status == UM_ERR_DENIED ? status : UM_ERR_UNSUPPORTED;
        wcscpy(place->path, real);
        flags |= FILE_FLAG_OPEN_REPARSE_POINT;
    }
    HANDLE file = CreateFileW(place->path, READ_CONTROL | FILE_READ_ATTRIBUTES, SHARE_ALL, NULL,
                              OPEN_EXISTING, flags, NULL);
    if (file == INVALID_HANDLE_VALUE) /* a link that leads nowhere has attributes */
        return GetLastError() == ERROR_FILE_NOT_FOUND &&
                       GetFileAttributesW(place->path) == INVALID_FILE_ATTRIBUTES
                   ? UM_OK
                   : UM_ERR_UNSUPPORTED;
    enum um_status status = look_at(file, secret, place);
    CloseHandle(file);
    return status;
}

/* Whether a file has these rights already. Rights that it inherits from the folder are then left
 * alone: set again, they would be its own. */
static bool has_rights(HANDLE file, PSECURITY_DESCRIPTOR rights)
{
    PSECURITY_DESCRIPTOR descriptor = NULL;
    SECURITY_DESCRIPTOR_CONTROL control[2];
    ACL *list[2] = {NULL, NULL};
    BOOL present[2] = {FALSE, FALSE}, is_default;
    DWORD revision;

    if (GetSecurityInfo(file, SE_FILE_OBJECT, DACL_SECURITY_INFORMATION, NULL, NULL, NULL, NULL,
                        &descriptor) != ERROR_SUCCESS)
        return false;
    bool same = GetSecurityDescriptorControl(descriptor, &control[0], &revision) &&
                GetSecurityDescriptorControl(rights, &control[1], &revision) &&
                !((control[0] ^ control[1]) & SE_DACL_PROTECTED) &&
                GetSecurityDescriptorDacl(descriptor, &present[0], &list[0], &is_default) &&
                GetSecurityDescriptorDacl(rights, &present[1], &list[1], &is_default) && list[0] &&
                list[1] && list[0]->AclSize == list[1]->AclSize &&
                memcmp(list[0], list[1], list[0]->AclSize) == 0;
    LocalFree(descriptor);
    return same;
}

/* Gives a draft the rights of the old file. Wine maps access lists to Unix modes that allow more,
 * so there it fails, and the file is written directly. */
static bool keep_rights(HANDLE file, PSECURITY_DESCRIPTOR rights)
{
    return has_rights(file, rights) || (!um_wine_version() && set_list(file, rights));
}

/* Makes the draft's file with its final rights, before anything is written. */
static enum um_status make_draft(const wchar_t *path, bool secret, PSECURITY_DESCRIPTOR rights,
                                 HANDLE *out)
{
    if (!DeleteFileW(path) && GetLastError() != ERROR_FILE_NOT_FOUND)
        return GetLastError() == ERROR_SHARING_VIOLATION ? UM_ERR_BUSY : UM_ERR_UNSUPPORTED;
    if (secret)
        return open_secret(path, CREATE_NEW, out);
    HANDLE file = CreateFileW(path, GENERIC_WRITE | READ_CONTROL | WRITE_DAC, 0, NULL, CREATE_NEW,
                              FILE_ATTRIBUTE_NORMAL, NULL);
    if (file == INVALID_HANDLE_VALUE)
        return UM_ERR_UNSUPPORTED;
    if (rights && !keep_rights(file, rights)) {
        CloseHandle(file);
        DeleteFileW(path);
        return UM_ERR_UNSUPPORTED;
    }
    *out = file;
    return UM_OK;
}

/* False: the path is too long. (um_wide_to_utf8 cuts it between characters of 4 bytes at most.) */
static bool fit_path(const wchar_t *wide, char path[UM_FILE_PATH_BYTES])
{
    um_wide_to_utf8(wide, path, UM_FILE_PATH_BYTES);
    return strlen(path) < UM_FILE_PATH_BYTES - 4;
}

enum um_status um_file_draft_open(const char *path, bool secret, struct um_file_draft *draft)
{
    struct place place;
    wchar_t *wide = NULL;
    HANDLE file;

    enum um_status status = find_place(path, secret, &place);
    if (status == UM_OK && !fit_path(place.path, draft->place))
        status = UM_ERR_UNSUPPORTED;
    if (status == UM_OK) {
        snprintf(draft->path, sizeof draft->path, "%s%s", draft->place, UM_FILE_DRAFT_SUFFIX);
        wide = um_wide_from_utf8(draft->path);
        status = wide ? make_draft(wide, secret, place.rights, &file) : UM_ERR_UNSUPPORTED;
    }
    draft->secret = secret;
    draft->left = false;
    draft->file = status == UM_OK ? open_stream(file, _O_WRONLY, "wb") : NULL;
    draft->folder = draft->file ? place.folder : NULL;
    if (draft->folder)
        place.folder = NULL;
    release_place(&place);
    if (status == UM_OK && !draft->file) {
        DeleteFileW(wide);
        status = UM_ERR_IO;
    }
    free(wide);
    return status;
}

/* Moves the draft. A virus scanner or a backup can have one of the files open for a moment. */
static bool move(const wchar_t *path, const wchar_t *place)
{
    bool moved;
    DWORD code;
    int times = 0;

    do {
        moved = MoveFileExW(path, place, MOVEFILE_REPLACE_EXISTING) != 0;
        code = GetLastError();
    } while (!moved && (code == ERROR_SHARING_VIOLATION || code == ERROR_ACCESS_DENIED) &&
             um_retry(&times));
    return moved;
}

/* Puts the draft in its place. If another program has the old file open, it may still be written:
 * then it gets the draft's bytes. Not those of a secret draft, because that program could read
 * them. (Wine hides links to files of Unix, so it replaces such a link and not the file that it
 * leads to.) */
static bool take_place(const wchar_t *path, const wchar_t *place, bool secret)
{
    if (move(path, place))
        return true;
    return !secret && CopyFileW(path, place, FALSE) && DeleteFileW(path);
}

/* Gives a draft the name under which no later one replaces it. */
static void leave(struct um_file_draft *draft, const wchar_t *path)
{
    char left[sizeof draft->path];

    snprintf(left, sizeof left, "%s%s", draft->place, UM_FILE_LEFT_SUFFIX);
    wchar_t *wide = um_wide_from_utf8(left);
    draft->left = wide && MoveFileExW(path, wide, 0);
    if (draft->left)
        memcpy(draft->path, left, sizeof left);
    free(wide);
}

enum um_status um_file_draft_settle(struct um_file_draft *draft)
{
    bool whole = fflush(draft->file) == 0 && !ferror(draft->file);

    whole = _commit(_fileno(draft->file)) == 0 && whole;
    whole = fclose(draft->file) == 0 && whole;
    wchar_t *path = um_wide_from_utf8(draft->path);
    wchar_t *place = um_wide_from_utf8(draft->place);
    bool settled = whole && path && place && take_place(path, place, draft->secret);
    if (!whole && path)
        DeleteFileW(path);
    else if (!settled && path)
        leave(draft, path);
    free(path);
    free(place);
    if (draft->folder)
        CloseHandle(draft->folder);
    return settled ? UM_OK : whole ? UM_ERR_BUSY : UM_ERR_IO;
}

void um_file_draft_drop(struct um_file_draft *draft)
{
    wchar_t *path = um_wide_from_utf8(draft->path);

    fclose(draft->file);
    if (path)
        DeleteFileW(path);
    free(path);
    if (draft->folder)
        CloseHandle(draft->folder);
}

bool um_file_can_be_replaced(const char *path)
{
    struct place place;
    bool can = find_place(path, false, &place) == UM_OK;
    release_place(&place);
    return can;
}
