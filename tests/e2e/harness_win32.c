#include "tests/e2e/harness_win32.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <windows.h>

#include <criterion/criterion.h>

#include "base/plain/clock.h"
#include "tests/e2e/harness_backend.h"

#define KILLED (128 + 9) /* as the other backend says it */
#define MAX_LINE 32768

void sleep_ms(unsigned ms)
{
    Sleep(ms);
}

uint64_t unix_now_ms(void)
{
    return GetTickCount64();
}

uint64_t machine_now_ns(void)
{
    return um_clock_now_ns();
}

const char *windows_path(const char *unix_path)
{
    char *path = harness_backend_text();
    snprintf(path, PATH_BYTES, "%s", unix_path);
    for (char *at = path; *at; at++)
        if (*at == '/')
            *at = '\\';
    return path;
}

void set_variable(const char *name, const char *value)
{
    cr_assert(SetEnvironmentVariableA(name, value));
}

bool harness_backend_is_native(void)
{
    return true;
}

const char *harness_backend_suffix(void)
{
    return ".exe";
}

long harness_backend_pid(void)
{
    return (long)GetCurrentProcessId();
}

static void to_wide(const char *text, wchar_t *wide, size_t cap)
{
    cr_assert_gt(MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, wide, (int)cap), 0,
                 "not UTF-8, or too long: %s", text);
}

FILE *open_file(const char *path, const char *mode)
{
    wchar_t wide[PATH_BYTES];
    wchar_t wide_mode[8];
    to_wide(path, wide, PATH_BYTES);
    to_wide(mode, wide_mode, 8);
    return _wfopen(wide, wide_mode);
}

bool link_file(const char *from, const char *to)
{
    wchar_t target[PATH_BYTES];
    wchar_t link[PATH_BYTES];
    to_wide(from, target, PATH_BYTES);
    to_wide(to, link, PATH_BYTES);
    return CreateSymbolicLinkW(link, target, SYMBOLIC_LINK_FLAG_ALLOW_UNPRIVILEGED_CREATE);
}

bool harness_backend_make_folder(const char *path)
{
    wchar_t wide[PATH_BYTES];
    to_wide(path, wide, PATH_BYTES);
    return CreateDirectoryW(wide, NULL) || GetLastError() != ERROR_ALREADY_EXISTS;
}

/* An argument as CommandLineToArgvW takes it apart: in quotes if it needs them (cmd knows no "/c"),
 * backslashes before a quote doubled.
 * Source: "Parsing C command-line arguments", Microsoft C reference. */
static size_t quote(wchar_t *out, const wchar_t *arg)
{
    size_t len = 0;
    size_t slashes = 0;

    if (*arg && !wcspbrk(arg, L" \t\""))
        return wcslen(wcscpy(out, arg));
    out[len++] = L'"';
    for (; *arg; arg++) {
        slashes = *arg == L'\\' ? slashes + 1 : 0;
        if (*arg == L'"') {
            /* Those before it are there once already. */
            for (size_t i = len; i > 0 && out[i - 1] == L'\\'; i--)
                out[len++] = L'\\';
            out[len++] = L'\\';
        }
        out[len++] = *arg;
    }
    while (slashes--)
        out[len++] = L'\\';
    out[len++] = L'"';
    return len;
}

static void command_line(const char *path, const char *const *args, wchar_t *line)
{
    static wchar_t wide[MAX_LINE / 4];
    size_t len = 0;

    to_wide(path, wide, MAX_LINE / 4);
    len += quote(line, wide);
    for (; *args; args++) {
        to_wide(*args, wide, MAX_LINE / 4);
        cr_assert_lt(len + 2 * wcslen(wide) + 4, MAX_LINE, "the command line is too long");
        line[len++] = L' ';
        len += quote(line + len, wide);
    }
    line[len] = 0;
}

/* A file that the program inherits, and that others may read meanwhile. */
static HANDLE inherited(const char *path, DWORD access, DWORD creation)
{
    SECURITY_ATTRIBUTES attributes = {.nLength = sizeof attributes, .bInheritHandle = TRUE};
    wchar_t wide[PATH_BYTES];

    to_wide(path, wide, PATH_BYTES);
    HANDLE file = CreateFileW(wide, access, FILE_SHARE_READ | FILE_SHARE_WRITE, &attributes,
                              creation, FILE_ATTRIBUTE_NORMAL, NULL);
    cr_assert_neq(file, INVALID_HANDLE_VALUE, "cannot open %s: error %lu", path, GetLastError());
    return file;
}

/* Wine 8 has no GenerateConsoleCtrlEvent: it fails with ERROR_INVALID_HANDLE. */
static bool is_wine(void)
{
    return GetProcAddress(GetModuleHandleW(L"ntdll.dll"), "wine_get_version") != NULL;
}

/* It shares the test's console, but not what interrupts that; under Wine it has a console of its
 * own (without arguments uimon would take that for a double click). It ends with the runner's
 * job. */
bool harness_win32_start(struct program *started, const char *path, const char *const *args,
                         HANDLE input)
{
    static wchar_t line[MAX_LINE];
    STARTUPINFOW how = {.cb = sizeof how,
                        .dwFlags = STARTF_USESTDHANDLES,
                        .hStdInput = input,
                        .hStdOutput = inherited(started->out, GENERIC_WRITE, CREATE_ALWAYS),
                        .hStdError = inherited(started->err, GENERIC_WRITE, CREATE_ALWAYS)};
    PROCESS_INFORMATION process;

    command_line(windows_path(path), args, line);
    DWORD flags = is_wine() ? (*args ? CREATE_NO_WINDOW : 0) : CREATE_NEW_PROCESS_GROUP;
    bool good = CreateProcessW(NULL, line, NULL, NULL, TRUE, flags, NULL, NULL, &how, &process);
    CloseHandle(how.hStdOutput);
    CloseHandle(how.hStdError);
    if (!good)
        return false;
    CloseHandle(process.hThread);
    started->process = (intptr_t)process.hProcess;
    return true;
}

bool harness_backend_start(struct program *started, const char *path, const char *const *args)
{
    HANDLE nothing = inherited("NUL", GENERIC_READ, OPEN_EXISTING);
    bool good = harness_win32_start(started, path, args, nothing);
    CloseHandle(nothing);
    return good;
}

int harness_backend_reap(struct program *started)
{
    HANDLE process = (HANDLE)started->process;
    DWORD code;

    if (!process)
        return 0;
    if (WaitForSingleObject(process, 0) != WAIT_OBJECT_0)
        return -1;
    if (!GetExitCodeProcess(process, &code))
        code = 127;
    CloseHandle(process);
    started->process = 0;
    return (int)(code & INT32_MAX);
}

void harness_backend_print_threads(const struct program *started)
{
    (void)started;
}

bool is_running(struct program *started)
{
    return started->process && WaitForSingleObject((HANDLE)started->process, 0) == WAIT_TIMEOUT;
}

void kill_hard(struct program *started)
{
    if (!started->process)
        return;
    TerminateProcess((HANDLE)started->process, KILLED);
    WaitForSingleObject((HANDLE)started->process, INFINITE);
}

static BOOL WINAPI go_on(DWORD event)
{
    (void)event;
    return TRUE;
}

/* Ctrl+C, typed into the program's console. It is for each program of the console, the test too. */
static bool type_interrupt(DWORD pid)
{
    const KEY_EVENT_RECORD down = {.bKeyDown = TRUE,
                                   .wRepeatCount = 1,
                                   .wVirtualKeyCode = 'C',
                                   .uChar.UnicodeChar = 3,
                                   .dwControlKeyState = LEFT_CTRL_PRESSED};
    const INPUT_RECORD record = {.EventType = KEY_EVENT, .Event.KeyEvent = down};
    DWORD written = 0;

    SetConsoleCtrlHandler(go_on, TRUE); /* not NULL, which the programs would inherit */
    FreeConsole();
    if (!AttachConsole(pid))
        return false;
    HANDLE input = CreateFileW(L"CONIN$", GENERIC_READ | GENERIC_WRITE,
                               FILE_SHARE_READ | FILE_SHARE_WRITE, NULL, OPEN_EXISTING, 0, NULL);
    bool typed = WriteConsoleInputW(input, &record, 1, &written) && written == 1;
    CloseHandle(input);
    FreeConsole();
    return typed;
}

/* Ctrl+Break: Ctrl+C is for all groups of a console, or for none. */
void interrupt(struct program *started)
{
    DWORD pid = GetProcessId((HANDLE)started->process);
    if (started->process)
        cr_expect(is_wine() ? type_interrupt(pid)
                            : GenerateConsoleCtrlEvent(CTRL_BREAK_EVENT, pid) != 0,
                  "cannot interrupt: error %lu", GetLastError());
}

bool harness_backend_is_front(const struct target *target)
{
    DWORD pid = 0;
    GetWindowThreadProcessId(GetForegroundWindow(), &pid);
    return pid == target->pid;
}

static void send_mouse(LONG x, LONG y, DWORD flags)
{
    INPUT input = {.type = INPUT_MOUSE, .mi = {.dx = x, .dy = y, .dwFlags = flags}};
    cr_assert_eq(SendInput(1, &input, sizeof input), 1, "no input: error %lu", GetLastError());
}

/* The middle of a pixel, on the scale of 0 to 65535 that SendInput has for the first screen. */
static LONG on_scale(int at, int size)
{
    return (LONG)(((int64_t)at * 65536 + 32768) / size);
}

void x_move(int x, int y)
{
    send_mouse(on_scale(x, GetSystemMetrics(SM_CXSCREEN)),
               on_scale(y, GetSystemMetrics(SM_CYSCREEN)), MOUSEEVENTF_MOVE | MOUSEEVENTF_ABSOLUTE);
}

void x_pointer(int *x, int *y)
{
    POINT at = {0, 0};
    GetCursorPos(&at);
    *x = at.x;
    *y = at.y;
}

void x_click(int x, int y)
{
    x_move(x, y);
    send_mouse(0, 0, MOUSEEVENTF_LEFTDOWN);
    send_mouse(0, 0, MOUSEEVENTF_LEFTUP);
}

void x_button(bool down)
{
    send_mouse(0, 0, down ? MOUSEEVENTF_LEFTDOWN : MOUSEEVENTF_LEFTUP);
}

static void send_key(WORD key, DWORD flags)
{
    INPUT input = {
        .type = INPUT_KEYBOARD,
        .ki = {.wVk = key, .wScan = (WORD)MapVirtualKeyW(key, MAPVK_VK_TO_VSC), .dwFlags = flags}};
    cr_assert_eq(SendInput(1, &input, sizeof input), 1, "no input: error %lu", GetLastError());
}

void x_type(const char *text)
{
    for (; *text; text++) {
        WORD key = LOBYTE(VkKeyScanW((wchar_t)*text));
        send_key(key, 0);
        send_key(key, KEYEVENTF_KEYUP);
    }
}

void x_pixels(int x, int y, int width, int height, uint32_t *pixels)
{
    BITMAPINFO info = {.bmiHeader = {.biSize = sizeof info.bmiHeader,
                                     .biWidth = width,
                                     .biHeight = -height, /* the first row is the top one */
                                     .biPlanes = 1,
                                     .biBitCount = 32}};
    void *bits = NULL;
    HDC screen = GetDC(NULL);
    HDC copy = CreateCompatibleDC(screen);
    HBITMAP bitmap = CreateDIBSection(screen, &info, DIB_RGB_COLORS, &bits, NULL, 0);

    cr_assert(bitmap && SelectObject(copy, bitmap) &&
                  BitBlt(copy, 0, 0, width, height, screen, x, y, SRCCOPY | CAPTUREBLT),
              "no pixels at %d,%d", x, y);
    GdiFlush();
    for (size_t i = 0; i < (size_t)width * (size_t)height; i++)
        pixels[i] = ((const uint32_t *)bits)[i] & 0xffffff;
    DeleteDC(copy);
    DeleteObject(bitmap);
    ReleaseDC(NULL, screen);
}
