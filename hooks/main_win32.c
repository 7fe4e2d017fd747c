/* uimon-attach32.exe: brings the hook DLL into a 32-bit program. uimon.exe starts it; their
 * protocol is in ipc/bootstrap.h. */
#include <stdio.h>
#include <wchar.h>
#include <windows.h>

#include <shellapi.h>

#include "ipc/bootstrap.h"

static struct um_bootstrap_answer failed(enum um_bootstrap_step step)
{
    return (struct um_bootstrap_answer){.step = (uint32_t)step, .error = GetLastError()};
}

/* Sets the hook, which stays until this process ends. Thread 0 means no thread: the DLL is only
 * loaded. (The system would take it for all threads.) */
static struct um_bootstrap_answer set_hook(DWORD thread, const wchar_t *path)
{
    static HMODULE dll; /* until this process ends */

    dll = LoadLibraryW(path);
    if (!dll)
        return failed(UM_BOOTSTRAP_LOADING);
    HOOKPROC proc = (HOOKPROC)(uintptr_t)GetProcAddress(dll, UM_BOOTSTRAP_HOOK_PROC);
    if (!proc)
        return failed(UM_BOOTSTRAP_LOADING);
    if (thread && !SetWindowsHookExW(WH_GETMESSAGE, proc, dll, thread))
        return failed(UM_BOOTSTRAP_HOOKING);
    return (struct um_bootstrap_answer){.step = UM_BOOTSTRAP_HOOKED};
}

int main(void)
{
    int argc = 0;
    wchar_t **argv = CommandLineToArgvW(GetCommandLineW(), &argc);
    HANDLE out = GetStdHandle(STD_OUTPUT_HANDLE);
    HANDLE in = GetStdHandle(STD_INPUT_HANDLE);
    uint8_t byte;
    DWORD done = 0;

    if (!argv || argc != 3) {
        fprintf(stderr, "uimon-attach32: uimon starts this for 32-bit programs: uimon --attach\n");
        return 2;
    }
    struct um_bootstrap_answer answer = set_hook(wcstoul(argv[1], NULL, 10), argv[2]);
    LocalFree(argv);
    if (!WriteFile(out, &answer, sizeof answer, &done, NULL) || answer.step != UM_BOOTSTRAP_HOOKED)
        return 1;
    while (ReadFile(in, &byte, 1, &done, NULL) && done > 0)
        continue;
    return 0;
}
