/* Starts programs as launchers do, and is what it starts, too.
 *
 *   launcher_win32 exit        starts one with the window "first", and ends with exit code 3
 *   launcher_win32 two         starts two, "first" and "second", and ends
 *   launcher_win32 chain       starts a launcher that does `exit`, waits until that has ended, and
 *                              ends
 *   launcher_win32 late        starts one whose window is hidden until somebody tells it
 *                              (tests/target/told.h), and ends
 *   launcher_win32 never       the same, but when it is told it ends
 *   launcher_win32 stay        starts one and stays without a window until that ends
 *   launcher_win32 splash      shows a window "splash" until it is closed, starts one and ends
 *   launcher_win32 splash-stay the same, but then it stays until what it has started ends
 *   launcher_win32 code        ends with exit code 7
 *   launcher_win32 window TITLE|late|never|managed
 *                              what these start: a window until it is closed; exit code 5. For
 *                              "managed", what stands for .NET's runtime is loaded first
 *   launcher_win32 other[-stay|-splash] PROGRAM ARGUMENT...
 *                              starts that program, and ends; or stays until it ends; or shows the
 *                              window "splash" first
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "tests/target/told.h"

#define LAUNCHED 3
#define SHOWN 5
#define CODE 7

static LRESULT CALLBACK window_proc(HWND hwnd, UINT message, WPARAM wparam, LPARAM lparam)
{
    if (message == WM_DESTROY)
        PostQuitMessage(0);
    return DefWindowProcA(hwnd, message, wparam, lparam);
}

/* A window, which "late" and "never" hide until this program is told. */
static int show_window(const char *title)
{
    bool waits = strcmp(title, "late") == 0 || strcmp(title, "never") == 0;
    WNDCLASSA made = {.lpfnWndProc = window_proc,
                      .hInstance = GetModuleHandleA(NULL),
                      .hbrBackground = (HBRUSH)(COLOR_WINDOW + 1),
                      .lpszClassName = "UimonLauncher"};
    MSG msg;
    if (waits)
        told_begin();
    if (strcmp(title, "managed") == 0)
        LoadLibraryA("coreclr.dll"); /* beside this program */
    RegisterClassA(&made);
    HWND window = CreateWindowA(made.lpszClassName, title, WS_OVERLAPPEDWINDOW, 50, 50, 400, 300,
                                NULL, NULL, made.hInstance, NULL);
    if (waits)
        told_wait();
    if (strcmp(title, "never") == 0)
        return SHOWN;
    ShowWindow(window, SW_SHOW);
    while (GetMessageA(&msg, NULL, 0, 0) > 0)
        DispatchMessageA(&msg);
    return SHOWN;
}

/* Starts a program by its command line. Owner: CloseHandle. */
static HANDLE start_line(char *line)
{
    STARTUPINFOA startup = {.cb = sizeof startup};
    PROCESS_INFORMATION info;
    if (!CreateProcessA(NULL, line, NULL, NULL, FALSE, 0, NULL, NULL, &startup, &info)) {
        fprintf(stderr, "launcher: error %lu\n", GetLastError());
        exit(EXIT_FAILURE);
    }
    CloseHandle(info.hThread);
    return info.hProcess;
}

/* Starts this program with other arguments. Owner: CloseHandle. */
static HANDLE start(const char *arguments)
{
    char path[MAX_PATH], line[MAX_PATH + 64];
    GetModuleFileNameA(NULL, path, sizeof path);
    snprintf(line, sizeof line, "\"%s\" %s", path, arguments);
    return start_line(line);
}

static void start_and_wait(const char *arguments)
{
    HANDLE process = start(arguments);
    WaitForSingleObject(process, INFINITE);
    CloseHandle(process);
}

static int launch(const char *how)
{
    bool stays = strcmp(how, "stay") == 0 || strcmp(how, "splash-stay") == 0;
    if (strcmp(how, "code") == 0)
        return CODE;
    if (strncmp(how, "splash", strlen("splash")) == 0)
        show_window("splash");
    if (strcmp(how, "chain") == 0)
        start_and_wait("exit");
    else if (strcmp(how, "late") == 0 || strcmp(how, "never") == 0)
        CloseHandle(start(how[0] == 'l' ? "window late" : "window never"));
    else if (stays)
        start_and_wait("window first");
    else
        CloseHandle(start("window first"));
    if (strcmp(how, "two") == 0)
        CloseHandle(start("window second"));
    return LAUNCHED;
}

/* Starts argv[2] with what follows it. */
static int launch_other(int argc, char **argv)
{
    char line[MAX_PATH * 4] = "";
    size_t len = 0;
    for (int i = 2; i < argc && len < sizeof line; i++)
        len += (size_t)snprintf(line + len, sizeof line - len, "\"%s\" ", argv[i]);
    if (len >= sizeof line)
        return EXIT_FAILURE;
    if (strcmp(argv[1], "other-splash") == 0)
        show_window("splash");
    HANDLE process = start_line(line);
    if (strcmp(argv[1], "other-stay") == 0)
        WaitForSingleObject(process, INFINITE);
    CloseHandle(process);
    return LAUNCHED;
}

int main(int argc, char **argv)
{
    if (argc > 2 && strncmp(argv[1], "other", strlen("other")) == 0)
        return launch_other(argc, argv);
    if (argc == 3 && strcmp(argv[1], "window") == 0)
        return show_window(argv[2]);
    if (argc == 2)
        return launch(argv[1]);
    fprintf(stderr, "usage: see launcher_win32.c\n");
    return 2;
}
