#include "base/platform.h"

#include <conio.h>
#include <fcntl.h>
#include <io.h>
#include <share.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include <shellapi.h>

#include "base/plain/clock.h"
#include "base/plain/filetime_win32.h"
#include "base/exit_code.h"
#include "base/guarded_win32.h"
#include "base/list.h"
#include "base/retry.h"
#include "base/trust_win32.h"
#include "base/wide_win32.h"
#include "base/wine_win32.h"

/* Windows ends a process 5 s after its console was closed, and after the end of the session. */
#define CLOSE_GRACE_MS 4000
#define SESSION_CLASS L"uimon-session"
#define OUTPUT_BYTES 16384
#define KEYS_BYTES 4096
#define KEYS_FULL_MS 10
#define VARIABLE_CHARS 4096 /* of the environment */
#define LOCK_LOOK_NS (10 * UM_CLOCK_NS_PER_MS)

struct um_platform_held {
    HANDLE file; /* or a folder */
};

static HANDLE interrupt_event;
static _Atomic int interrupted;
static _Atomic int ends_on_interrupt;
static char **arguments;      /* UTF-8; callers keep parts of it until the process ends */
static UINT code_page_before; /* of the console, which outlives uimon; 0: there is none */
static bool stdout_missing, stderr_missing; /* at the start */

static void restore_console(void)
{
    if (code_page_before)
        SetConsoleOutputCP(code_page_before);
}

/* Runs at exit. The runtime would flush its streams later, when the console no longer takes UTF-8,
 * so they are flushed here. */
static void leave_console(void)
{
    fflush(stdout);
    fflush(stderr);
    restore_console();
}

/* Runs on a thread of the system. When the console was closed, the process ends as soon as this
 * returns, so it waits for as long as the summary may take. */
static BOOL WINAPI on_control(DWORD event)
{
    if (atomic_load(&ends_on_interrupt))
        um_platform_leave(UM_EXIT_FAILED);
    atomic_store(&interrupted, 1);
    SetEvent(interrupt_event);
    if (event == CTRL_CLOSE_EVENT || event == CTRL_LOGOFF_EVENT || event == CTRL_SHUTDOWN_EVENT)
        Sleep(CLOSE_GRACE_MS);
    return TRUE;
}

static HANDLE session_thread;
static HANDLE session_done; /* the process has written what it has */

/* The session ends with WM_ENDSESSION if no program has objected to WM_QUERYENDSESSION. The system
 * may end the process as soon as this returns. */
static LRESULT CALLBACK on_session(HWND window, UINT message, WPARAM wparam, LPARAM lparam)
{
    if (message != WM_ENDSESSION)
        return DefWindowProcW(window, message, wparam, lparam);
    if (wparam) {
        atomic_store(&interrupted, 1);
        SetEvent(interrupt_event);
        WaitForSingleObject(session_done, CLOSE_GRACE_MS);
    }
    return 0;
}

/* A console program that has loaded user32 gets no CTRL_LOGOFF_EVENT and no CTRL_SHUTDOWN_EVENT. So
 * it has a window that nobody sees. A message-only window would not get these messages. */
static DWORD WINAPI watch_session(void *unused)
{
    HINSTANCE module = GetModuleHandleW(NULL);
    WNDCLASSEXW session_class = {.cbSize = sizeof session_class,
                                 .lpfnWndProc = on_session,
                                 .hInstance = module,
                                 .lpszClassName = SESSION_CLASS};
    MSG message;

    (void)unused;
    RegisterClassExW(&session_class);
    HWND window = CreateWindowExW(0, SESSION_CLASS, L"uimon session end", WS_OVERLAPPED, 0, 0, 0, 0,
                                  NULL, NULL, module, NULL);
    while (window && MsgWaitForMultipleObjects(1, &session_done, FALSE, INFINITE, QS_ALLINPUT) ==
                         WAIT_OBJECT_0 + 1)
        while (PeekMessageW(&message, NULL, 0, 0, PM_REMOVE))
            DispatchMessageW(&message);
    if (window)
        DestroyWindow(window);
    return 0;
}

void um_platform_watch_session_end(void)
{
    session_done = CreateEventW(NULL, TRUE, FALSE, NULL);
    if (session_done)
        session_thread = CreateThread(NULL, 0, watch_session, NULL, 0, NULL);
}

/* The process would end the thread too. But under Wine a thread that is ended while it makes its
 * window may hold a lock that the end of the process waits for. */
void um_platform_unwatch_session_end(void)
{
    if (session_done)
        SetEvent(session_done);
    if (session_thread) {
        WaitForSingleObject(session_thread, INFINITE);
        CloseHandle(session_thread);
    }
    session_thread = NULL;
}

/* Buffers a stream, which must then be flushed wherever something is to be read at once.
 * Unbuffered, each byte would be written by itself: slow, and a console cannot show a letter whose
 * bytes come one by one. A console gets the bytes unchanged, because Wine's runtime would take them
 * for Latin-1. */
static void prepare_output(FILE *file)
{
    setvbuf(file, NULL, _IOFBF, OUTPUT_BYTES);
    if (_isatty(_fileno(file)))
        _setmode(_fileno(file), _O_BINARY);
}

/* Whether a standard handle leads anywhere. It can be NULL, INVALID_HANDLE_VALUE, or a number that
 * the process has not inherited. Of the last, the system's next handle may get the number, so it is
 * forgotten. The C library's stream writes nowhere then, and its number (fileno) is -2: no file
 * gets that. (freopen would give it the null device, but Wine's refuses streams of that number.) */
static bool check_standard(DWORD which)
{
    HANDLE handle = GetStdHandle(which);
    SetLastError(NO_ERROR);
    if (handle && handle != INVALID_HANDLE_VALUE &&
        (GetFileType(handle) != FILE_TYPE_UNKNOWN || GetLastError() == NO_ERROR))
        return true;
    SetStdHandle(which, NULL);
    return false;
}

static void check_standard_streams(void)
{
    check_standard(STD_INPUT_HANDLE);
    stderr_missing = !check_standard(STD_ERROR_HANDLE) || _fileno(stderr) < 0;
    stdout_missing = !check_standard(STD_OUTPUT_HANDLE) || _fileno(stdout) < 0;
}

void um_platform_write_bytes(FILE *file)
{
    fflush(file);
    _setmode(_fileno(file), _O_BINARY);
}

enum um_status um_platform_start(int *argc, char ***argv)
{
    int count = 0;
    check_standard_streams();
    wchar_t **wide = CommandLineToArgvW(GetCommandLineW(), &count);

    arguments = wide ? calloc((size_t)count + 1, sizeof *arguments) : NULL;
    for (int i = 0; arguments && i < count; i++) {
        arguments[i] = um_wide_copy_utf8(wide[i]);
        if (!arguments[i])
            return UM_ERR_MEMORY; /* the program ends: nothing is worth releasing */
    }
    LocalFree(wide);
    interrupt_event = CreateEventW(NULL, TRUE, FALSE, NULL);
    if (!arguments || !interrupt_event)
        return UM_ERR_MEMORY;
    code_page_before = GetConsoleOutputCP();
    SetConsoleOutputCP(CP_UTF8);
    atexit(leave_console);
    prepare_output(stdout);
    prepare_output(stderr);
    SetConsoleCtrlHandler(on_control, TRUE);
    *argc = count;
    *argv = arguments;
    return UM_OK;
}

bool um_platform_is_missing(FILE *stream)
{
    return (stream == stdout && stdout_missing) || (stream == stderr && stderr_missing);
}

/* Nothing but a write tells that a pipe has no reader. Under Wine one of no bytes would succeed. */
bool um_platform_stdout_left(void)
{
    static bool left;
    HANDLE out = GetStdHandle(STD_OUTPUT_HANDLE);
    DWORD wrote;
    if (left || GetFileType(out) != FILE_TYPE_PIPE || WriteFile(out, "\n", 1, &wrote, NULL))
        return left;
    DWORD error = GetLastError();
    left =
        error == ERROR_BROKEN_PIPE || error == ERROR_NO_DATA || error == ERROR_PIPE_NOT_CONNECTED;
    return left;
}

bool um_platform_interrupted(void)
{
    return atomic_load(&interrupted) != 0;
}

void um_platform_end_on_interrupt(void)
{
    atomic_store(&ends_on_interrupt, 1);
}

void um_platform_wait_interrupt(uint32_t ms)
{
    WaitForSingleObject(interrupt_event, ms);
}

/* The real path of an open file or folder. False if the system knows none, as for a volume without
 * a drive letter. */
static bool real_path(HANDLE file, wchar_t path[MAX_PATH])
{
    /* \\?\C:\folder\file, or \\?\UNC\server\share\file for \\server\share\file */
    static const wchar_t local[] = L"\\\\?\\", remote[] = L"\\\\?\\UNC\\";
    wchar_t real[MAX_PATH + ARRAYSIZE(remote)];
    DWORD len = GetFinalPathNameByHandleW(file, real, ARRAYSIZE(real), VOLUME_NAME_DOS);
    if (len == 0 || len >= ARRAYSIZE(real))
        return false;
    wchar_t *from = real;
    if (wcsncmp(real, remote, wcslen(remote)) == 0) {
        from = real + wcslen(remote) - 2;
        from[0] = L'\\';
    } else if (wcsncmp(real, local, wcslen(local)) == 0) {
        from = real + wcslen(local);
    }
    if (wcslen(from) >= MAX_PATH)
        return false;
    wcscpy(path, from);
    return true;
}

/* Follows links to the real file. On failure the path stays as it is. */
static void resolve(wchar_t path[MAX_PATH])
{
    HANDLE file = CreateFileW(path, 0, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                              OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, NULL);
    if (file == INVALID_HANDLE_VALUE)
        return;
    real_path(file, path);
    CloseHandle(file);
}

enum um_status um_platform_beside(const char *file, char *path, size_t cap_bytes)
{
    wchar_t program[MAX_PATH];
    char folder[UM_PLATFORM_PATH_BYTES];
    DWORD len = GetModuleFileNameW(NULL, program, MAX_PATH);

    if (len == 0 || len >= MAX_PATH)
        return UM_ERR_IO;
    resolve(program);
    wchar_t *slash = wcsrchr(program, L'\\');
    if (!slash)
        return UM_ERR_IO;
    slash[1] = 0;
    um_wide_to_utf8(program, folder, sizeof folder);
    int need = snprintf(path, cap_bytes, "%s%s", folder, file);
    return need > 0 && (size_t)need < cap_bytes ? UM_OK : UM_ERR_TOO_LARGE;
}

enum um_status um_platform_program(const char *name, char *path, size_t cap_bytes)
{
    char file[64];
    snprintf(file, sizeof file, "%s.exe", name);
    return um_platform_beside(file, path, cap_bytes);
}

/* Lets nobody but this user open a file. (SetNamedSecurityInfo is newer, but under Wine it adds the
 * folder's entries to a protected list too.) */
static bool make_private(const char *path)
{
    wchar_t *wide = um_wide_from_utf8(path);
    SECURITY_ATTRIBUTES security;
    bool done = wide && um_trust_user_security(&security, UM_TRUST_USER_DESCRIPTOR);
    if (done) {
        done =
            SetFileSecurityW(wide, DACL_SECURITY_INFORMATION | PROTECTED_DACL_SECURITY_INFORMATION,
                             security.lpSecurityDescriptor) != 0;
        LocalFree(security.lpSecurityDescriptor);
    }
    free(wide);
    return done;
}

bool um_platform_variable(const char *name, char *value, size_t cap_bytes)
{
    wchar_t wide[VARIABLE_CHARS];
    wchar_t *wide_name = um_wide_from_utf8(name);

    SetLastError(NO_ERROR);
    DWORD len = wide_name ? GetEnvironmentVariableW(wide_name, wide, VARIABLE_CHARS) : 0;
    bool known = wide_name && len < VARIABLE_CHARS && (len > 0 || GetLastError() == NO_ERROR) &&
                 WideCharToMultiByte(CP_UTF8, 0, len ? wide : L"", -1, value, (int)cap_bytes, NULL,
                                     NULL) > 0;
    free(wide_name);
    if (!known)
        value[0] = '\0';
    return known;
}

/* (rename replaces nothing on Windows.) */
enum um_status um_platform_replace(const char *from, const char *to)
{
    wchar_t *wide_from = um_wide_from_utf8(from);
    wchar_t *wide_to = um_wide_from_utf8(to);
    bool done = wide_from && wide_to && MoveFileExW(wide_from, wide_to, MOVEFILE_REPLACE_EXISTING);
    free(wide_from);
    free(wide_to);
    return done ? UM_OK : UM_ERR_IO;
}

enum um_status um_platform_config_path(char *path, size_t cap_bytes)
{
    wchar_t folder[MAX_PATH];
    char text[UM_PLATFORM_PATH_BYTES];
    DWORD len = GetEnvironmentVariableW(L"APPDATA", folder, MAX_PATH);

    if (len == 0 || len >= MAX_PATH)
        return UM_ERR_NOT_FOUND;
    um_wide_to_utf8(folder, text, sizeof text);
    int need = snprintf(path, cap_bytes, "%s\\uimon\\uimon.conf", text);
    return need > 0 && (size_t)need < cap_bytes ? UM_OK : UM_ERR_NOT_FOUND;
}

enum um_status um_platform_data_path(const char *file, char *path, size_t cap_bytes)
{
    wchar_t folder[MAX_PATH];
    char text[UM_PLATFORM_PATH_BYTES];
    DWORD len = GetEnvironmentVariableW(L"LOCALAPPDATA", folder, MAX_PATH - 8);

    if (len == 0 || len >= MAX_PATH - 8)
        return UM_ERR_NOT_FOUND;
    wcscat(folder, L"\\uimon");
    CreateDirectoryW(folder, NULL);
    um_wide_to_utf8(folder, text, sizeof text);
    int need = snprintf(path, cap_bytes, "%s\\%s", text, file);
    return need > 0 && (size_t)need < cap_bytes ? UM_OK : UM_ERR_TOO_LARGE;
}

/* An administrator's process makes no folder in a place where ordinary programs can put a link to
 * another one at any time: it only reads there. */
enum um_status um_platform_private_folder(const char *name, char *path, size_t cap_bytes)
{
    bool makes = !um_guarded_is_needed();
    enum um_status status = um_platform_data_path(name, path, cap_bytes);
    wchar_t *wide = status == UM_OK ? um_wide_from_utf8(path) : NULL;
    if (!wide)
        return status == UM_OK ? UM_ERR_MEMORY : status;
    bool made = makes && CreateDirectoryW(wide, NULL) != 0;
    DWORD attributes = GetFileAttributesW(wide);
    free(wide);
    if (attributes == INVALID_FILE_ATTRIBUTES)
        return makes ? UM_ERR_IO : UM_ERR_NOT_FOUND;
    if (!(attributes & FILE_ATTRIBUTE_DIRECTORY) || (attributes & FILE_ATTRIBUTE_REPARSE_POINT))
        return UM_ERR_DENIED;
    return !made || make_private(path) ? UM_OK : UM_ERR_DENIED;
}

FILE *um_platform_open_alone(const char *path)
{
    return _fsopen(path, "wb", _SH_DENYWR);
}

enum um_status um_platform_hold_folder(const char *path, struct um_platform_held **held)
{
    wchar_t *wide = um_wide_from_utf8(path);
    struct um_platform_held *made = calloc(1, sizeof *made);
    enum um_status status = wide && made ? UM_OK : UM_ERR_MEMORY;
    if (status == UM_OK) {
        made->file = um_trust_open_folder(wide);
        status = made->file                              ? UM_OK
                 : GetLastError() == ERROR_ACCESS_DENIED ? UM_ERR_DENIED
                                                         : UM_ERR_NOT_FOUND;
    }
    free(wide);
    if (status == UM_OK &&
        !(um_guarded_is_needed() ? um_trust_folder(made->file) : um_trust_is_folder(made->file))) {
        CloseHandle(made->file);
        status = UM_ERR_DENIED;
    }
    if (status == UM_OK)
        *held = made;
    else
        free(made);
    return status;
}

enum um_status um_platform_held_path(const struct um_platform_held *held, char *path,
                                     size_t cap_bytes)
{
    wchar_t real[MAX_PATH];
    if (!real_path(held->file, real))
        return UM_ERR_IO;
    if (WideCharToMultiByte(CP_UTF8, 0, real, -1, NULL, 0, NULL, NULL) > (int)cap_bytes)
        return UM_ERR_TOO_LARGE;
    um_wide_to_utf8(real, path, cap_bytes);
    return UM_OK;
}

enum um_status um_platform_hand_on(const struct um_platform_held *held, uint32_t pid)
{
    HANDLE theirs, process = OpenProcess(PROCESS_DUP_HANDLE, FALSE, pid);
    if (!process)
        return GetLastError() == ERROR_INVALID_PARAMETER ? UM_ERR_NOT_FOUND : UM_ERR_DENIED;
    bool done = DuplicateHandle(GetCurrentProcess(), held->file, process, &theirs, 0, FALSE,
                                DUPLICATE_SAME_ACCESS) != 0;
    CloseHandle(process);
    return done ? UM_OK : UM_ERR_DENIED;
}

enum um_status um_platform_make_folder(const char *path)
{
    SECURITY_ATTRIBUTES security;
    wchar_t *wide = um_wide_from_utf8(path);
    DWORD code = ERROR_OUTOFMEMORY;

    /* Files and folders in it inherit the list. What an administrator's uimon makes is for
     * administrators. */
    if (wide && (um_guarded_is_needed() ? um_trust_security(&security, true)
                                        : um_trust_user_security(&security, L"D:P(A;OICI;FA;;;"))) {
        code = CreateDirectoryW(wide, &security) ? 0 : GetLastError();
        LocalFree(security.lpSecurityDescriptor);
    }
    free(wide);
    switch (code) {
    case 0:
        return UM_OK;
    case ERROR_ALREADY_EXISTS:
        return UM_ERR_BUSY;
    case ERROR_PATH_NOT_FOUND:
        return UM_ERR_NOT_FOUND;
    case ERROR_ACCESS_DENIED:
    case ERROR_WRITE_PROTECT:
        return UM_ERR_DENIED;
    case ERROR_OUTOFMEMORY:
        return UM_ERR_MEMORY;
    default:
        return UM_ERR_IO;
    }
}

bool um_platform_is_guarded(void)
{
    return um_guarded_is_needed();
}

enum um_status um_platform_guarded_folder(const char *name, bool make, char *path, size_t cap_bytes)
{
    wchar_t found[UM_GUARDED_CHARS];
    wchar_t *wide = um_wide_from_utf8(name);
    HANDLE folder = NULL;
    enum um_status status = wide ? um_guarded_open(wide, make, found, &folder) : UM_ERR_MEMORY;
    free(wide);
    if (status != UM_OK)
        return status;
    CloseHandle(folder);
    um_wide_to_utf8(found, path, cap_bytes);
    return UM_OK;
}

enum um_status um_platform_write_private(const char *path, const char *text)
{
    SECURITY_ATTRIBUTES security;
    wchar_t *wide = um_wide_from_utf8(path);
    HANDLE file = INVALID_HANDLE_VALUE;
    DWORD len = (DWORD)strlen(text), put = 0;
    const wchar_t *list = um_guarded_is_needed() ? L"O:BAD:P(A;;FA;;;SY)(A;;FA;;;BA)(A;;FR;;;"
                                                 : UM_TRUST_USER_DESCRIPTOR;

    if (wide && um_trust_user_security(&security, list)) {
        file =
            CreateFileW(wide, GENERIC_WRITE, 0, &security, CREATE_NEW, FILE_ATTRIBUTE_NORMAL, NULL);
        LocalFree(security.lpSecurityDescriptor);
    }
    free(wide);
    if (file == INVALID_HANDLE_VALUE)
        return UM_ERR_IO;
    bool whole = WriteFile(file, text, len, &put, NULL) && put == len;
    whole = CloseHandle(file) && whole;
    return whole ? UM_OK : UM_ERR_IO;
}

enum um_status um_platform_process_started(uint32_t pid, uint64_t *started)
{
    FILETIME times[4];
    HANDLE process = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION | SYNCHRONIZE, FALSE, pid);
    if (!process)
        return GetLastError() == ERROR_INVALID_PARAMETER ? UM_ERR_NOT_FOUND : UM_ERR_DENIED;
    /* A process that has ended still exists while others have it open. */
    bool over = WaitForSingleObject(process, 0) == WAIT_OBJECT_0;
    bool known = GetProcessTimes(process, &times[0], &times[1], &times[2], &times[3]) != 0;
    CloseHandle(process);
    if (over)
        return UM_ERR_NOT_FOUND;
    if (!known)
        return UM_ERR_DENIED;
    *started = um_filetime_ticks(times[0]);
    return UM_OK;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Lists the names in a folder. Owner: free each name and the list, also after a failure. */
static enum um_status read_names(const char *folder, const char *suffix, char ***names,
                                 size_t *count)
{
    char name[UM_PLATFORM_PATH_BYTES];
    size_t names_room = 0;
    WIN32_FIND_DATAW found;
    snprintf(name, sizeof name, "%s\\*", folder);
    wchar_t *pattern = um_wide_from_utf8(name);
    HANDLE search = pattern ? FindFirstFileW(pattern, &found) : INVALID_HANDLE_VALUE;
    bool room = true;
    free(pattern);
    if (search == INVALID_HANDLE_VALUE)
        return UM_ERR_NOT_FOUND;
    do {
        um_wide_to_utf8(found.cFileName, name, sizeof name);
        size_t len = strlen(name);
        bool fits = len > strlen(suffix) && strcmp(name + len - strlen(suffix), suffix) == 0;
        if (!fits || (found.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY))
            continue;
        room = um_list_reserve(names, &names_room, *count + 1, SIZE_MAX, sizeof **names) &&
               ((*names)[(*count)++] = _strdup(name)) != NULL;
    } while (room && FindNextFileW(search, &found));
    FindClose(search);
    return room ? UM_OK : UM_ERR_MEMORY;
}

enum um_status um_platform_list_files(const char *folder, const char *suffix,
                                      void (*take)(void *context, const char *path), void *context)
{
    char **names = NULL;
    size_t count = 0;
    enum um_status status = read_names(folder, suffix, &names, &count);
    if (status == UM_OK && count > 0)
        qsort(names, count, sizeof *names, by_name);
    for (size_t i = 0; i < count; i++) {
        char path[UM_PLATFORM_PATH_BYTES];
        snprintf(path, sizeof path, "%s\\%s", folder, names[i] ? names[i] : "");
        if (status == UM_OK)
            take(context, path);
        free(names[i]);
    }
    free(names);
    return status;
}

/* Finds out which file a path leads to. It is opened for its attributes only, which works while
 * others write to it. */
static bool identify(const char *path, BY_HANDLE_FILE_INFORMATION *identity)
{
    wchar_t *wide = um_wide_from_utf8(path);
    HANDLE file = wide ? CreateFileW(wide, FILE_READ_ATTRIBUTES,
                                     FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                                     OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, NULL)
                       : INVALID_HANDLE_VALUE;
    free(wide);
    if (file == INVALID_HANDLE_VALUE)
        return false;
    bool known = GetFileInformationByHandle(file, identity) != 0;
    CloseHandle(file);
    return known;
}

bool um_platform_same_file(const char *a, const char *b)
{
    BY_HANDLE_FILE_INFORMATION one;
    BY_HANDLE_FILE_INFORMATION other;
    return identify(a, &one) && identify(b, &other) &&
           one.dwVolumeSerialNumber == other.dwVolumeSerialNumber &&
           one.nFileIndexHigh == other.nFileIndexHigh && one.nFileIndexLow == other.nFileIndexLow;
}

bool um_platform_is_regular(const char *path)
{
    BY_HANDLE_FILE_INFORMATION found; /* which devices and pipes do not have */
    return identify(path, &found) &&
           !(found.dwFileAttributes & (FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_DEVICE));
}

bool um_platform_file_bytes(const char *path, uint64_t *bytes)
{
    BY_HANDLE_FILE_INFORMATION found;
    if (!um_platform_is_regular(path) || !identify(path, &found))
        return false;
    *bytes = (uint64_t)found.nFileSizeHigh << 32 | found.nFileSizeLow;
    return true;
}

bool um_platform_seek(FILE *file, uint64_t at_bytes)
{
    return at_bytes <= INT64_MAX && _fseeki64(file, (__int64)at_bytes, SEEK_SET) == 0;
}

/* Whoever has the file open so lets nobody else open it for writing. It is opened without being
 * changed. */
bool um_platform_is_written(const char *path)
{
    wchar_t *wide = um_wide_from_utf8(path);
    HANDLE file = wide ? CreateFileW(wide, GENERIC_WRITE,
                                     FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                                     OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, NULL)
                       : INVALID_HANDLE_VALUE;
    bool is_written =
        wide && file == INVALID_HANDLE_VALUE && GetLastError() == ERROR_SHARING_VIOLATION;
    if (file != INVALID_HANDLE_VALUE)
        CloseHandle(file);
    free(wide);
    return is_written;
}

static bool write_at(HANDLE file, const char *text, size_t len, LARGE_INTEGER at)
{
    DWORD written;
    return SetFilePointerEx(file, at, NULL, FILE_BEGIN) &&
           WriteFile(file, text, (DWORD)len, &written, NULL) && written == len;
}

static bool ends_with_newline(HANDLE file, LARGE_INTEGER end, bool *ends)
{
    char last = '\n';
    DWORD got = 1;
    end.QuadPart--;
    if (end.QuadPart >= 0 &&
        (!SetFilePointerEx(file, end, NULL, FILE_BEGIN) || !ReadFile(file, &last, 1, &got, NULL)))
        return false;
    *ends = last == '\n';
    return got == 1;
}

/* Appends to a file that is locked. */
static bool append(HANDLE file, const char *text, size_t len)
{
    LARGE_INTEGER end;
    bool ends;
    if (!GetFileSizeEx(file, &end) || !ends_with_newline(file, end, &ends))
        return false;
    if (write_at(file, text + ends, len - ends, end) && FlushFileBuffers(file))
        return true;
    if (SetFilePointerEx(file, end, NULL, FILE_BEGIN))
        SetEndOfFile(file);
    return false;
}

/* Locks a file, and waits for that as long as the caller has time. Windows keeps others from
 * reading what is locked. So a byte is locked that lies far behind the end of any file. */
static enum um_status lock(HANDLE file, uint32_t wait_ms)
{
    OVERLAPPED far_away = {.OffsetHigh = 0x40000000};

    DWORD flags = LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY;
    uint64_t until_ns = um_clock_now_ns() + wait_ms * UM_CLOCK_NS_PER_MS;

    while (!LockFileEx(file, flags, 0, 1, 0, &far_away)) {
        DWORD code = GetLastError();
        if (code != ERROR_LOCK_VIOLATION && code != ERROR_IO_PENDING)
            return UM_ERR_IO;
        if (um_clock_now_ns() >= until_ns)
            return UM_ERR_BUSY;
        um_clock_sleep_ns(LOCK_LOOK_NS);
    }
    return UM_OK;
}

enum um_status um_platform_append(const char *path, const char *text, size_t len_bytes,
                                  uint32_t wait_ms)
{
    wchar_t *wide = um_wide_from_utf8(path);
    HANDLE file =
        wide ? CreateFileW(wide, GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE,
                           NULL, OPEN_ALWAYS, FILE_ATTRIBUTE_NORMAL, NULL)
             : INVALID_HANDLE_VALUE;
    DWORD code = GetLastError();
    free(wide);
    if (file == INVALID_HANDLE_VALUE)
        return code == ERROR_PATH_NOT_FOUND || code == ERROR_FILE_NOT_FOUND ? UM_ERR_NOT_FOUND
               : code == ERROR_ACCESS_DENIED                                ? UM_ERR_DENIED
                                                                            : UM_ERR_IO;
    enum um_status status = lock(file, wait_ms);
    if (status == UM_OK && !append(file, text, len_bytes))
        status = UM_ERR_IO;
    CloseHandle(file); /* and with it the lock */
    return status;
}

/* The file of a process that has just let go can still be there while a virus scanner has it open.
 * Then the system denies access to it. */
static HANDLE open_held(const wchar_t *path)
{
    HANDLE file;
    int times = 0;

    do
        file = CreateFileW(
            path, GENERIC_WRITE | DELETE, 0, NULL, OPEN_ALWAYS,
            FILE_ATTRIBUTE_NORMAL | FILE_FLAG_DELETE_ON_CLOSE | FILE_FLAG_OPEN_REPARSE_POINT, NULL);
    while (file == INVALID_HANDLE_VALUE && GetLastError() == ERROR_ACCESS_DENIED &&
           um_retry(&times));
    return file;
}

enum um_status um_platform_hold(const char *path, struct um_platform_held **held)
{
    wchar_t *wide = um_wide_from_utf8(path);
    struct um_platform_held *made = calloc(1, sizeof *made);
    enum um_status status = wide && made ? UM_OK : UM_ERR_MEMORY;
    if (status == UM_OK) {
        made->file = open_held(wide);
        if (made->file == INVALID_HANDLE_VALUE)
            status = GetLastError() == ERROR_SHARING_VIOLATION ? UM_ERR_BUSY : UM_ERR_IO;
    }
    free(wide);
    if (status == UM_OK)
        *held = made;
    else
        free(made);
    return status;
}

void um_platform_let_go(struct um_platform_held *held)
{
    if (!held)
        return;
    CloseHandle(held->file); /* and with it the file, if it is one */
    free(held);
}

static size_t columns(DWORD which)
{
    CONSOLE_SCREEN_BUFFER_INFO info;
    if (!GetConsoleScreenBufferInfo(GetStdHandle(which), &info))
        return 0;
    int width = info.srWindow.Right - info.srWindow.Left + 1;
    return width > 1 ? (size_t)width - 1 : 0; /* the last column would wrap */
}

size_t um_platform_stderr_columns(void)
{
    return columns(STD_ERROR_HANDLE);
}

size_t um_platform_stdout_columns(void)
{
    return columns(STD_OUTPUT_HANDLE);
}

size_t um_platform_stdout_rows(void)
{
    CONSOLE_SCREEN_BUFFER_INFO info;
    if (!GetConsoleScreenBufferInfo(GetStdHandle(STD_OUTPUT_HANDLE), &info))
        return 0;
    int height = info.srWindow.Bottom - info.srWindow.Top + 1;
    return height > 0 ? (size_t)height : 0;
}

bool um_platform_stdout_takes_sequences(void)
{
    HANDLE console = GetStdHandle(STD_OUTPUT_HANDLE);
    DWORD mode;
    return GetConsoleMode(console, &mode) &&
           SetConsoleMode(console, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
}

bool um_platform_owns_console(void)
{
    DWORD pids[2];
    return GetConsoleProcessList(pids, 2) == 1;
}

void um_platform_wait_key(void)
{
    _getch();
}

/* _Exit would not do: some C libraries flush also when their DLL is detached. */
void um_platform_leave(int code)
{
    restore_console();
    TerminateProcess(GetCurrentProcess(), (UINT)code);
}

/* GetVersionEx answers according to the program's manifest; RtlGetVersion of ntdll gives the real
 * version. */
static void name_system(char *text, size_t cap_bytes)
{
    typedef LONG(WINAPI * version_function)(OSVERSIONINFOW *);
    HMODULE ntdll = GetModuleHandleW(L"ntdll.dll");
    version_function version =
        ntdll ? (version_function)GetProcAddress(ntdll, "RtlGetVersion") : NULL;
    const char *wine = um_wine_version();
    OSVERSIONINFOW info = {.dwOSVersionInfoSize = sizeof info};

    if (wine)
        snprintf(text, cap_bytes, "Wine %s", wine);
    else if (version && version(&info) == 0)
        snprintf(text, cap_bytes, "Windows %lu.%lu.%lu", info.dwMajorVersion, info.dwMinorVersion,
                 info.dwBuildNumber);
}

void um_platform_machine(struct um_platform_machine *machine)
{
    wchar_t name[64];
    DWORD len = ARRAYSIZE(name);
    SYSTEM_INFO info;

    memset(machine, 0, sizeof *machine);
    if (GetComputerNameW(name, &len))
        um_wide_to_utf8(name, machine->name, sizeof machine->name);
    name_system(machine->system, sizeof machine->system);
    GetSystemInfo(&info);
    machine->cpus = info.dwNumberOfProcessors;
}

uint64_t um_platform_cpu_ns(void)
{
    FILETIME times[4];
    if (!GetProcessTimes(GetCurrentProcess(), &times[0], &times[1], &times[2], &times[3]))
        return 0;
    return um_filetime_cpu_ns(times[2], times[3]);
}

/* The claim is a small shared section. Its name has the target's process id, and its content is the
 * owner's. The system removes it with its last handle, also when the monitor is killed. */
enum um_status um_platform_claim(uint32_t target_pid, uint32_t *owner_pid,
                                 struct um_platform_held **claim)
{
    wchar_t name[64];
    struct um_platform_held *made = calloc(1, sizeof *made);
    if (!made)
        return UM_ERR_MEMORY;
    swprintf(name, 64, L"Local\\uimon-target-%lu", (unsigned long)target_pid);
    HANDLE section =
        CreateFileMappingW(INVALID_HANDLE_VALUE, NULL, PAGE_READWRITE, 0, sizeof(uint32_t), name);
    DWORD code = GetLastError();
    volatile uint32_t *view =
        section ? MapViewOfFile(section, FILE_MAP_ALL_ACCESS, 0, 0, sizeof *view) : NULL;
    bool taken = view ? code == ERROR_ALREADY_EXISTS : !section && code == ERROR_ACCESS_DENIED;
    *owner_pid = 0;
    if (view) {
        *owner_pid = taken ? *view : GetCurrentProcessId();
        if (!taken)
            *view = *owner_pid;
        UnmapViewOfFile((const void *)(uintptr_t)view);
    }
    if (view && !taken) {
        made->file = section;
        *claim = made;
        return UM_OK;
    }
    if (section)
        CloseHandle(section);
    free(made);
    return taken ? UM_ERR_BUSY : UM_ERR_IO;
}

/* Keys ----------------------------------------------------------------------------------------- */

static struct {
    CRITICAL_SECTION lock; /* guards what follows */
    char bytes[KEYS_BYTES];
    size_t len;
    bool over;
    HANDLE changed;
} keys;

/* Stores bytes for um_platform_keys, and waits while there is no room for them. */
static void put_keys(const char *bytes, size_t len)
{
    for (size_t put = 0; put < len;) {
        EnterCriticalSection(&keys.lock);
        size_t room = KEYS_BYTES - keys.len;
        size_t part = len - put < room ? len - put : room;
        memcpy(keys.bytes + keys.len, bytes + put, part);
        keys.len += part;
        LeaveCriticalSection(&keys.lock);
        put += part;
        SetEvent(keys.changed);
        if (part == 0)
            Sleep(KEYS_FULL_MS);
    }
}

static void put_key(const KEY_EVENT_RECORD *event)
{
    static const struct {
        WORD key;
        const char *sequence;
    } special[] = {{VK_RIGHT, "\x1b[C"}, {VK_LEFT, "\x1b[D"}, {VK_PRIOR, "\x1b[5~"},
                   {VK_NEXT, "\x1b[6~"}, {VK_HOME, "\x1b[H"}, {VK_END, "\x1b[F"}};
    char character = (char)event->uChar.UnicodeChar;

    if (!event->bKeyDown)
        return;
    for (size_t i = 0; i < ARRAYSIZE(special); i++)
        if (event->wVirtualKeyCode == special[i].key)
            put_keys(special[i].sequence, strlen(special[i].sequence));
    if (event->uChar.UnicodeChar > 0 && event->uChar.UnicodeChar < 0x80)
        put_keys(&character, 1);
}

static bool read_console(HANDLE input)
{
    INPUT_RECORD records[16];
    DWORD count = 0;

    if (!ReadConsoleInputW(input, records, ARRAYSIZE(records), &count))
        return false;
    for (DWORD i = 0; i < count; i++)
        if (records[i].EventType == KEY_EVENT)
            put_key(&records[i].Event.KeyEvent);
    return true;
}

static bool read_bytes(HANDLE input)
{
    char bytes[256];
    DWORD count = 0;

    if (!ReadFile(input, bytes, sizeof bytes, &count, NULL) || count == 0)
        return false;
    put_keys(bytes, count);
    return true;
}

static DWORD WINAPI read_keys(void *context)
{
    HANDLE input = GetStdHandle(STD_INPUT_HANDLE);
    bool terminal = um_platform_stdin_is_terminal();

    (void)context;
    while (terminal ? read_console(input) : read_bytes(input))
        continue;
    EnterCriticalSection(&keys.lock);
    keys.over = true;
    LeaveCriticalSection(&keys.lock);
    SetEvent(keys.changed);
    return 0;
}

enum um_status um_platform_keys_start(void)
{
    InitializeCriticalSection(&keys.lock);
    keys.changed = CreateEventW(NULL, FALSE, FALSE, NULL);
    HANDLE thread = keys.changed ? CreateThread(NULL, 0, read_keys, NULL, 0, NULL) : NULL;
    if (!thread)
        return UM_ERR_MEMORY;
    CloseHandle(thread); /* nobody waits for the thread, which may read for ever */
    return UM_OK;
}

size_t um_platform_keys(char *bytes, size_t cap_bytes, uint32_t ms, bool *over)
{
    HANDLE events[] = {interrupt_event, keys.changed};
    size_t len = 0;

    for (int turn = 0; turn < 2 && len == 0; turn++) {
        if (turn > 0)
            WaitForMultipleObjects(ARRAYSIZE(events), events, FALSE, ms);
        EnterCriticalSection(&keys.lock);
        len = keys.len < cap_bytes ? keys.len : cap_bytes;
        memcpy(bytes, keys.bytes, len);
        memmove(keys.bytes, keys.bytes + len, keys.len - len);
        keys.len -= len;
        *over = keys.over && keys.len == 0;
        LeaveCriticalSection(&keys.lock);
    }
    return len;
}

bool um_platform_stdin_is_terminal(void)
{
    DWORD mode;
    return GetConsoleMode(GetStdHandle(STD_INPUT_HANDLE), &mode) != 0;
}
