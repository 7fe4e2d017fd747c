/* uimon-demo: a window that freezes on request and logs exactly when. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>
#include <shellapi.h>

#include "demo/journal.h"
#include "demo/options.h"
#include "demo/player_win32.h"
#include "demo/ui_win32.h"
#include "demo/window_win32.h"

#define EXIT_USAGE 2

/* Writes to the console from which the program was started, or into a box if there is none. */
static void say(DWORD handle_id, const char *text, UINT icon)
{
    DWORD written;
    HANDLE handle = GetStdHandle(handle_id);
    if (handle && handle != INVALID_HANDLE_VALUE &&
        WriteFile(handle, text, (DWORD)strlen(text), &written, NULL))
        return;
    MessageBoxA(NULL, text, "uimon-demo", MB_OK | icon);
}

/* The command line as UTF-8, which does not depend on the system's code page. Owner: never
 * freed. */
static char **utf8_arguments(int *count)
{
    LPWSTR *wide = CommandLineToArgvW(GetCommandLineW(), count);
    char **arguments = wide ? calloc((size_t)*count + 1, sizeof *arguments) : NULL;
    for (int i = 0; arguments && i < *count; i++) {
        int len = WideCharToMultiByte(CP_UTF8, 0, wide[i], -1, NULL, 0, NULL, NULL);
        arguments[i] = calloc((size_t)len + 1, 1);
        if (arguments[i])
            WideCharToMultiByte(CP_UTF8, 0, wide[i], -1, arguments[i], len, NULL, NULL);
        else
            *count = i;
    }
    LocalFree(wide);
    return arguments;
}

static void start_play(const struct um_demo_options *options, struct um_demo_ui *ui, HWND hwnd)
{
    struct um_demo_player player = {.ui = ui,
                                    .hwnd = hwnd,
                                    .play = options->play,
                                    .delay_ms = options->delay_ms,
                                    .pause_ms = options->pause_ms,
                                    .repeat = options->repeat,
                                    .close = options->exit};
    if (options->play.len)
        um_demo_player_start(&player);
    if (options->seconds)
        um_demo_player_close_after(hwnd, options->seconds);
}

static int run(const struct um_demo_options *options, struct um_demo_ui *ui)
{
    HWND hwnd;
    if (options->splash_ms)
        um_demo_splash_show(ui, options->title, options->splash_ms);
    if (um_demo_window_open(options, ui, &hwnd) != UM_OK) {
        say(STD_ERROR_HANDLE, "uimon-demo: the window could not be made\n", MB_ICONERROR);
        return EXIT_FAILURE;
    }
    um_demo_ui_log_window(ui, UM_DEMO_LOG_READY, hwnd, "");
    start_play(options, ui, hwnd);
    um_demo_ui_run(ui, hwnd);
    return EXIT_SUCCESS;
}

int WINAPI WinMain(HINSTANCE instance, HINSTANCE previous, LPSTR command_line, int show)
{
    /* Static, because a player may use them until the process has ended. */
    static struct um_demo_ui ui;
    static char **arguments;
    struct um_demo_options options;
    char error[320];
    char message[400];
    int count = 0;

    arguments = utf8_arguments(&count);
    (void)instance, (void)previous, (void)command_line, (void)show;
    if (!arguments || count < 1)
        return EXIT_FAILURE;
    if (um_demo_options_parse(count - 1, arguments + 1, &options, error, sizeof error) != UM_OK) {
        snprintf(message, sizeof message, "uimon-demo: %s\n", error);
        say(STD_ERROR_HANDLE, message, MB_ICONERROR);
        return EXIT_USAGE;
    }
    if (options.help) {
        say(STD_OUTPUT_HANDLE, um_demo_options_help(), MB_ICONINFORMATION);
        return EXIT_SUCCESS;
    }
    if (options.log && um_demo_journal_open(options.log, options.stall_ms, &ui.journal) != UM_OK) {
        snprintf(message, sizeof message, "uimon-demo: cannot write the log %s\n", options.log);
        say(STD_ERROR_HANDLE, message, MB_ICONERROR);
        return EXIT_FAILURE;
    }
    int result = run(&options, &ui);
    um_demo_journal_close(ui.journal);
    return result;
}
