/* Looks at windows and processes, makes input, and listens to the feed, for tests that drive
 * Windows programs from outside. Prints plain lines; words are separated by one space, and text
 * that may hold spaces comes last. Exit code 0, 1 with a line on stderr if it failed, 2 for bad
 * usage.
 *
 *   windows PID        each top-level window: hwnd class exstyle visible owner X Y W H title
 *   find TITLE         the windows whose title has this in it: hwnd pid tid X Y W H title
 *   children HWND      each window within this one: hwnd class X Y W H text
 *   client HWND        where the inside of a window is: X Y W H
 *   at X Y             the window there: hwnd root pid class title
 *   foreground         the same of the window in front
 *   display            how large the primary display is: WIDTH HEIGHT
 *   pid PROGRAM.EXE | handles PID | threads PID | memory PID (private bytes)
 *   suspend PID | resume PID | kill PID
 *   kill-at FILE N     ends the program that has started this one, at the N-th call with the file
 *   stands PID TID     how long a thread stands whose context and stack are copied by the system's
 *                      bare calls: the median of 101 times, in ms
 *   go PID             tells the program that its work is to end (tests/target/told.h)
 *   thread stop TID | thread go TID   one suspension of a thread more or less; says how many before
 *   stops TID          how often a thread is suspended
 *   track SECONDS HWND...   a line for each window at first, and whenever one of them changes:
 *                      NS HWND gone|hidden|minimized|shown X Y W H
 *   console PROGRAM ARG...     runs it in a console of its own, to its end: its exit code
 *   handleless KIND PROGRAM ARG...   the same without standard handles: KIND is detached (and no
 *                      console), null, invalid, or output (standard error stays)
 *   variable NAME      what is in the environment under this name, in UTF-8
 *   interrupt PID      types Ctrl+C into the console of the process
 *   end-session HWND 0|1   tells a window that the session is to end, and then that it does (1) or
 *                      does not (0): 1 or 0, whether the window agreed
 *   hung HWND          1 or 0: what the system thinks
 *   sinks PID          how many message-only windows of uimon's hook there are in the process
 *   trigger HWND LIST  makes a demo window do what the list (demo/play.h) says
 *   heap HWND          how many bytes of its heaps a target_odd_win32 uses
 *   post HWND NAME N   posts a message that it registers under this name: wParam N, lParam 1
 *   beats SECONDS      listens to raw mouse input: tagged COUNT untagged COUNT last NS
 *   mouse-storm SECONDS RATE   moves by 1 pixel to and fro, RATE a second: how many it sent
 *   low-hook swallow|MS SECONDS   a low-level mouse hook that swallows what programs send, or holds
 *                      each event up for MS: "hooked", and at the end how many it was called with
 *   type [0xHWND] TEXT keys, to the window in front or to this one, put in front first
 *   keys HWND TEXT RATE        types into this window, RATE a second (a list, 12,50, is cycled):
 *                      for each key "key BEFORE AFTER", the ns before and after SendInput
 *   hold HWND KEY N RATE       presses a key N times without releasing it: the same lines
 *   taps HWND VK,VK,... RATE   presses and releases virtual keys (decimal): the same lines
 *   chord VK,VK,...    presses virtual keys one after the other, and releases them in reverse
 *   clicks X Y N RATE HOLD     left button there, down for HOLD ms: "click BEFORE AFTER", "release
 *                      BEFORE AFTER"
 *   wheels X Y N RATE          steps of the wheel there: "wheel BEFORE AFTER"
 *   text PID CLASS     what is written in the process's first visible control of this class
 *   held               the modifiers that are down: ctrl alt shift win
 *   click X Y          the left button;  cursor X Y  moves the cursor;  cursor  says where it is
 *   move HWND X Y W H | minimize HWND | restore HWND | maximize HWND | close HWND
 *   front HWND         puts a window in front, and waits until it is
 *   order HWND topmost|top|bottom   puts it above all, for good or once, or below all, without
 *                      activating it
 *   above HWND OTHER   1 or 0: whether the first window is above the other one
 *   plant              overwrites the copies of the hook DLL: planted N refused N
 *   feeds              the files in uimon's folder of feeds: "feeds N"
 *   acl PATH           who may do what with a file, as security descriptors write it
 *   hello PIPE PID TID says on a hook pipe what the DLL in that process would say: what the monitor
 *                      answers, as in tests/conformance/stranger.h
 *   silent PIPE SECONDS        connects to a pipe and says nothing: "held"
 *   instance PIPE SECONDS      makes an instance of a pipe that somebody else serves: "made", then
 *                      for each client "client, N bytes"
 *   rights PID         what being an administrator does for the process, allow, deny or none, and
 *                      its integrity level: administrators deny level 0x2000
 *   claim PID OWNER    pretends that OWNER watches PID, until it is killed
 *   now                ns on the monotonic counter
 *   talk               does what each line of the input says; see prober.h
 *   tail-feed PIPE [SECONDS]   the frames of a uimon feed as they arrive, but for beats and gaps
 */
#include <fcntl.h>
#include <inttypes.h>
#include <io.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>
#include <aclapi.h>
#include <psapi.h>
#include <sddl.h>
#include <tlhelp32.h>

#include "demo/play.h"
#include "demo/player_win32.h"
#include "ipc/bootstrap.h"
#include "base/plain/clock.h"
#include "ipc/frame_reader.h"
#include "base/plain/tag.h"
#include "base/plain/timer_win32.h"
#include "base/token_win32.h"
#include "ipc/transport.h"
#include "ipc/wire.h"
#include "monitor/sample/unwind.h"
#include "monitor/target/target_win32.h"
#include "tests/conformance/stranger.h"
#include "tests/target/told.h"
#include "tests/win/heap_win32.h"
#include "tests/win/prober.h"

static int fail(const char *what)
{
    fprintf(stderr, "probe: %s: error %lu\n", what, GetLastError());
    return EXIT_FAILURE;
}

static HWND to_hwnd(const char *text)
{
    return (HWND)(uintptr_t)strtoull(text, NULL, 0);
}

static unsigned long long hwnd_number(HWND hwnd)
{
    return (unsigned long long)(uintptr_t)hwnd;
}

static const char *title_of(HWND hwnd)
{
    static char text[512];
    wchar_t wide[256] = L"";
    /* Not GetWindowText's answer of another thread: the text that the system keeps, so that a
     * frozen window has one too. */
    InternalGetWindowText(hwnd, wide, ARRAYSIZE(wide));
    WideCharToMultiByte(CP_UTF8, 0, wide, -1, text, sizeof text, NULL, NULL);
    return text;
}

/* Windows -------------------------------------------------------------------------------------- */

static BOOL CALLBACK print_window_of(HWND hwnd, LPARAM wanted_pid)
{
    DWORD pid;
    RECT rect = {0};
    char class_name[256] = "-";
    GetWindowThreadProcessId(hwnd, &pid);
    if (pid != (DWORD)wanted_pid)
        return TRUE;
    GetWindowRect(hwnd, &rect);
    GetClassNameA(hwnd, class_name, sizeof class_name);
    printf("0x%llx %s 0x%llx %d 0x%llx %ld %ld %ld %ld %s\n", hwnd_number(hwnd), class_name,
           (unsigned long long)GetWindowLongPtrW(hwnd, GWL_EXSTYLE), IsWindowVisible(hwnd) != 0,
           hwnd_number(GetWindow(hwnd, GW_OWNER)), rect.left, rect.top, rect.right - rect.left,
           rect.bottom - rect.top, title_of(hwnd));
    return TRUE;
}

static int do_windows(char **args)
{
    EnumWindows(print_window_of, (LPARAM)strtoul(args[0], NULL, 0));
    return EXIT_SUCCESS;
}

static BOOL CALLBACK print_if_titled(HWND hwnd, LPARAM text)
{
    DWORD pid;
    RECT rect = {0};
    if (!strstr(title_of(hwnd), (const char *)text))
        return TRUE;
    DWORD tid = GetWindowThreadProcessId(hwnd, &pid);
    GetWindowRect(hwnd, &rect);
    printf("0x%llx %lu %lu %ld %ld %ld %ld %s\n", hwnd_number(hwnd), pid, tid, rect.left, rect.top,
           rect.right - rect.left, rect.bottom - rect.top, title_of(hwnd));
    return TRUE;
}

static int do_find(char **args)
{
    EnumWindows(print_if_titled, (LPARAM)args[0]);
    return EXIT_SUCCESS;
}

static BOOL CALLBACK print_child(HWND hwnd, LPARAM unused)
{
    RECT rect = {0};
    char class_name[256] = "-";
    (void)unused;
    GetWindowRect(hwnd, &rect);
    GetClassNameA(hwnd, class_name, sizeof class_name);
    printf("0x%llx %s %ld %ld %ld %ld %s\n", hwnd_number(hwnd), class_name, rect.left, rect.top,
           rect.right - rect.left, rect.bottom - rect.top, title_of(hwnd));
    return TRUE;
}

static int do_children(char **args)
{
    EnumChildWindows(to_hwnd(args[0]), print_child, 0);
    return EXIT_SUCCESS;
}

static int do_client(char **args)
{
    RECT rect;
    if (!GetClientRect(to_hwnd(args[0]), &rect))
        return fail("client");
    MapWindowPoints(to_hwnd(args[0]), NULL, (POINT *)&rect, 2);
    printf("%ld %ld %ld %ld\n", rect.left, rect.top, rect.right - rect.left,
           rect.bottom - rect.top);
    return EXIT_SUCCESS;
}

static int print_one(HWND hwnd)
{
    DWORD pid = 0;
    char class_name[256] = "-";
    if (!hwnd) {
        printf("none\n");
        return EXIT_SUCCESS;
    }
    HWND root = GetAncestor(hwnd, GA_ROOT);
    GetWindowThreadProcessId(hwnd, &pid);
    GetClassNameA(hwnd, class_name, sizeof class_name);
    printf("0x%llx 0x%llx %lu %s %s\n", hwnd_number(hwnd), hwnd_number(root), pid, class_name,
           title_of(root));
    return EXIT_SUCCESS;
}

static int do_at(char **args)
{
    return print_one(WindowFromPoint((POINT){atoi(args[0]), atoi(args[1])}));
}

static int do_foreground(char **args)
{
    (void)args;
    return print_one(GetForegroundWindow());
}

static int do_display(char **args)
{
    (void)args;
    printf("%d %d\n", GetSystemMetrics(SM_CXSCREEN), GetSystemMetrics(SM_CYSCREEN));
    return EXIT_SUCCESS;
}

struct tracked {
    const char *state;
    RECT rect;
};

static struct tracked look_at(HWND hwnd)
{
    struct tracked now = {"gone", {0}};
    if (!IsWindow(hwnd))
        return now;
    GetWindowRect(hwnd, &now.rect);
    now.state = IsIconic(hwnd) ? "minimized" : IsWindowVisible(hwnd) ? "shown" : "hidden";
    return now;
}

static int do_track(char **args)
{
    enum { MAX_TRACKED = 8 };
    const uint64_t period_ns = 2 * UM_CLOCK_NS_PER_MS;
    struct tracked last[MAX_TRACKED] = {{0}};
    uint64_t end_ns = um_clock_now_ns() + (uint64_t)(atof(args[0]) * (double)UM_CLOCK_NS_PER_S);
    for (uint64_t now_ns; (now_ns = um_clock_now_ns()) < end_ns;) {
        for (int i = 0; i < MAX_TRACKED && args[i + 1]; i++) {
            struct tracked now = look_at(to_hwnd(args[i + 1]));
            if (now.state == last[i].state && EqualRect(&now.rect, &last[i].rect))
                continue;
            last[i] = now;
            printf("%" PRIu64 " %s %s %ld %ld %ld %ld\n", now_ns, args[i + 1], now.state,
                   now.rect.left, now.rect.top, now.rect.right - now.rect.left,
                   now.rect.bottom - now.rect.top);
            fflush(stdout);
        }
        um_clock_sleep_ns(period_ns);
    }
    return EXIT_SUCCESS;
}

static int do_hung(char **args)
{
    printf("%d\n", IsHungAppWindow(to_hwnd(args[0])) != 0);
    return EXIT_SUCCESS;
}

static int do_sinks(char **args)
{
    DWORD wanted = (DWORD)strtoul(args[0], NULL, 0);
    HWND at = NULL;
    int count = 0;
    while ((at = FindWindowExW(HWND_MESSAGE, at, L"uimon-sink", NULL))) {
        DWORD pid = 0;
        GetWindowThreadProcessId(at, &pid);
        count += pid == wanted;
    }
    printf("%d\n", count);
    return EXIT_SUCCESS;
}

static int do_trigger(char **args)
{
    struct um_demo_play play;
    if (um_demo_play_parse(args[1], &play) != UM_OK || !IsWindow(to_hwnd(args[0])))
        return fail("trigger");
    for (uint32_t i = 0; i < play.len; i++)
        um_demo_player_trigger(to_hwnd(args[0]), &play.items[i]);
    return EXIT_SUCCESS;
}

static int do_move(char **args)
{
    if (!SetWindowPos(to_hwnd(args[0]), NULL, atoi(args[1]), atoi(args[2]), atoi(args[3]),
                      atoi(args[4]), SWP_NOZORDER | SWP_NOACTIVATE | SWP_ASYNCWINDOWPOS))
        return fail("move");
    return EXIT_SUCCESS;
}

static int show(const char *hwnd, int how)
{
    ShowWindowAsync(to_hwnd(hwnd), how);
    return EXIT_SUCCESS;
}

static int do_minimize(char **args)
{
    return show(args[0], SW_MINIMIZE);
}

static int do_restore(char **args)
{
    return show(args[0], SW_RESTORE);
}

static int do_maximize(char **args)
{
    return show(args[0], SW_MAXIMIZE);
}

/* Whether keys would go to the window or to one within it. */
static bool has_focus(HWND hwnd)
{
    GUITHREADINFO info = {.cbSize = sizeof info};
    return GetForegroundWindow() == hwnd &&
           GetGUIThreadInfo(GetWindowThreadProcessId(hwnd, NULL), &info) && info.hwndFocus;
}

/* Puts a window in front, and waits until it has the focus: keys before that are nobody's. */
static bool put_in_front(HWND hwnd)
{
    const uint64_t limit_ns = 60 * UM_CLOCK_NS_PER_S;
    uint64_t until_ns = um_clock_now_ns() + limit_ns;
    if (!SetForegroundWindow(hwnd))
        return false;
    while (!has_focus(hwnd)) {
        if (um_clock_now_ns() > until_ns)
            return false;
        um_clock_sleep_ns(UM_CLOCK_NS_PER_MS);
    }
    return true;
}

static int do_front(char **args)
{
    return put_in_front(to_hwnd(args[0])) ? EXIT_SUCCESS : fail("front");
}

static int do_close(char **args)
{
    return PostMessageW(to_hwnd(args[0]), WM_CLOSE, 0, 0) ? EXIT_SUCCESS : fail("close");
}

struct control {
    DWORD pid;
    const char *class_name;
    HWND found;
};

static BOOL CALLBACK find_child(HWND hwnd, LPARAM context)
{
    struct control *control = (struct control *)context;
    char class_name[256] = "";
    GetClassNameA(hwnd, class_name, sizeof class_name);
    if (_stricmp(class_name, control->class_name) == 0 && IsWindowVisible(hwnd))
        control->found = hwnd;
    return !control->found;
}

static BOOL CALLBACK find_in_window(HWND hwnd, LPARAM context)
{
    struct control *control = (struct control *)context;
    DWORD pid = 0;
    GetWindowThreadProcessId(hwnd, &pid);
    if (pid == control->pid)
        EnumChildWindows(hwnd, find_child, context);
    return !control->found;
}

static int do_text(char **args)
{
    enum { MAX_UNITS = 16384 };
    static wchar_t wide[MAX_UNITS];
    static char text[3 * MAX_UNITS];
    struct control control = {(DWORD)strtoul(args[0], NULL, 0), args[1], NULL};
    EnumWindows(find_in_window, (LPARAM)&control);
    if (!control.found)
        return fail("text");
    SendMessageW(control.found, WM_GETTEXT, MAX_UNITS, (LPARAM)wide);
    WideCharToMultiByte(CP_UTF8, 0, wide, -1, text, sizeof text, NULL, NULL);
    fputs(text, stdout);
    return EXIT_SUCCESS;
}

/* Processes ------------------------------------------------------------------------------------ */

static HANDLE open_process(const char *pid, DWORD access)
{
    return OpenProcess(access, FALSE, (DWORD)strtoul(pid, NULL, 0));
}

static FARPROC ntdll(const char *function)
{
    return GetProcAddress(GetModuleHandleW(L"ntdll.dll"), function);
}

/* The system's list of all handles, as ntdll gives it: this, and then the handles. */
struct handle_list {
    ULONG_PTR count;
    ULONG_PTR reserved;
};

struct handle_entry {
    void *object;
    ULONG_PTR pid;
    ULONG_PTR handle;
    ULONG access;
    USHORT trace_index;
    USHORT type;
    ULONG attributes;
    ULONG reserved;
};

/* GetProcessHandleCount always answers 0 under Wine; the list of all handles is there. */
static int do_handles(char **args)
{
    const ULONG extended_handles = 64;
    const ULONG size = 16U << 20;
    LONG(WINAPI * query)
    (ULONG, void *, ULONG, ULONG *) =
        (LONG(WINAPI *)(ULONG, void *, ULONG, ULONG *))ntdll("NtQuerySystemInformation");
    struct handle_list *list = malloc(size);
    ULONG_PTR pid = strtoul(args[0], NULL, 0);
    int count = 0;
    if (!list || !query || query(extended_handles, list, size, NULL) < 0) {
        free(list);
        return fail("handles");
    }
    const struct handle_entry *handles = (const struct handle_entry *)(list + 1);
    for (ULONG_PTR i = 0; i < list->count; i++)
        count += handles[i].pid == pid;
    printf("%d\n", count);
    free(list);
    return EXIT_SUCCESS;
}

/* The first process that `is` says yes to. False if there is none. */
static bool find_process(bool (*is)(const PROCESSENTRY32W *entry, const char *program),
                         const char *program, PROCESSENTRY32W *entry)
{
    HANDLE snapshot = CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0);
    if (snapshot == INVALID_HANDLE_VALUE)
        return false;
    entry->dwSize = sizeof *entry;
    BOOL more = Process32FirstW(snapshot, entry);
    while (more && !is(entry, program))
        more = Process32NextW(snapshot, entry);
    CloseHandle(snapshot);
    return more;
}

static bool is_called(const PROCESSENTRY32W *entry, const char *program)
{
    char name[MAX_PATH];
    return WideCharToMultiByte(CP_UTF8, 0, entry->szExeFile, -1, name, MAX_PATH, NULL, NULL) > 0 &&
           _stricmp(name, program) == 0;
}

static bool is_this(const PROCESSENTRY32W *entry, const char *program)
{
    (void)program;
    return entry->th32ProcessID == GetCurrentProcessId();
}

static int do_pid(char **args)
{
    PROCESSENTRY32W entry = {.th32ProcessID = 0};
    bool found = find_process(is_called, args[0], &entry);
    printf("%lu\n", found ? entry.th32ProcessID : 0);
    return found ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* Runs a program to its end; its exit code. */
static int run_program(char **args, STARTUPINFOW *how, bool inherits, DWORD flags)
{
    PROCESS_INFORMATION process;
    DWORD code = EXIT_FAILURE;
    wchar_t *line;
    int count = 0;

    while (args[count])
        count++;
    SetConsoleCtrlHandler(NULL, FALSE); /* whoever started this may not want Ctrl+C */
    if (um_target_command_line(args, count, &line) != UM_OK ||
        !CreateProcessW(NULL, line, NULL, NULL, inherits, flags, NULL, NULL, how, &process))
        return fail("CreateProcess");
    SetConsoleCtrlHandler(NULL, TRUE); /* it is for the new process: this one only waits */
    WaitForSingleObject(process.hProcess, INFINITE);
    GetExitCodeProcess(process.hProcess, &code);
    return (int)code;
}

static int do_console(char **args)
{
    STARTUPINFOW how = {.cb = sizeof how,
                        .dwFlags = STARTF_USESTDHANDLES,
                        .hStdInput = GetStdHandle(STD_INPUT_HANDLE),
                        .hStdOutput = GetStdHandle(STD_OUTPUT_HANDLE),
                        .hStdError = GetStdHandle(STD_ERROR_HANDLE)};
    return run_program(args, &how, true, CREATE_NO_WINDOW);
}

static int do_handleless(char **args)
{
    bool is_detached = strcmp(args[0], "detached") == 0;
    HANDLE none = strcmp(args[0], "invalid") == 0 ? INVALID_HANDLE_VALUE : NULL;
    STARTUPINFOW how = {.cb = sizeof how,
                        .dwFlags = is_detached ? 0 : STARTF_USESTDHANDLES,
                        .hStdInput = none,
                        .hStdOutput = none,
                        .hStdError = none};
    bool says = strcmp(args[0], "output") == 0;
    if (says)
        how.hStdError = GetStdHandle(STD_ERROR_HANDLE);
    return run_program(args + 1, &how, says, is_detached ? DETACHED_PROCESS : 0);
}

static int do_variable(char **args)
{
    static wchar_t wide[32768], name[256];
    static char text[3 * ARRAYSIZE(wide)];
    if (MultiByteToWideChar(CP_UTF8, 0, args[0], -1, name, ARRAYSIZE(name)) <= 0 ||
        GetEnvironmentVariableW(name, wide, ARRAYSIZE(wide)) == 0 ||
        WideCharToMultiByte(CP_UTF8, 0, wide, -1, text, sizeof text, NULL, NULL) <= 0)
        return fail("GetEnvironmentVariable");
    printf("%s\n", text);
    return EXIT_SUCCESS;
}

static int do_interrupt(char **args)
{
    const INPUT_RECORD ctrl_c = {.EventType = KEY_EVENT,
                                 .Event.KeyEvent = {.bKeyDown = TRUE,
                                                    .wRepeatCount = 1,
                                                    .wVirtualKeyCode = 'C',
                                                    .uChar.UnicodeChar = 3,
                                                    .dwControlKeyState = LEFT_CTRL_PRESSED}};
    DWORD written = 0;

    SetConsoleCtrlHandler(NULL, TRUE); /* it is for this process, too */
    FreeConsole();
    if (!AttachConsole((DWORD)strtoul(args[0], NULL, 0)))
        return fail("AttachConsole");
    HANDLE input = CreateFileW(L"CONIN$", GENERIC_READ | GENERIC_WRITE,
                               FILE_SHARE_READ | FILE_SHARE_WRITE, NULL, OPEN_EXISTING, 0, NULL);
    if (!WriteConsoleInputW(input, &ctrl_c, 1, &written))
        return fail("WriteConsoleInput");
    CloseHandle(input);
    return EXIT_SUCCESS;
}

static int do_threads(char **args)
{
    DWORD pid = (DWORD)strtoul(args[0], NULL, 0);
    THREADENTRY32 entry = {.dwSize = sizeof entry};
    HANDLE snapshot = CreateToolhelp32Snapshot(TH32CS_SNAPTHREAD, 0);
    int count = 0;
    if (snapshot == INVALID_HANDLE_VALUE)
        return fail("threads");
    for (BOOL more = Thread32First(snapshot, &entry); more; more = Thread32Next(snapshot, &entry))
        count += entry.th32OwnerProcessID == pid;
    CloseHandle(snapshot);
    printf("%d\n", count);
    return EXIT_SUCCESS;
}

static int do_memory(char **args)
{
    PROCESS_MEMORY_COUNTERS_EX counters = {.cb = sizeof counters};
    HANDLE process = open_process(args[0], PROCESS_QUERY_INFORMATION | PROCESS_VM_READ);
    if (!process ||
        !K32GetProcessMemoryInfo(process, (PROCESS_MEMORY_COUNTERS *)&counters, sizeof counters))
        return fail("memory");
    /* Wine leaves PrivateUsage at 0; the other is the same figure by its older name. */
    SIZE_T bytes = counters.PrivateUsage ? counters.PrivateUsage : counters.PagefileUsage;
    printf("%llu\n", (unsigned long long)bytes);
    CloseHandle(process);
    return EXIT_SUCCESS;
}

static int call_ntdll(const char *function, const char *pid)
{
    LONG(WINAPI * call)
    (HANDLE) = (LONG(WINAPI *)(HANDLE))ntdll(function);
    HANDLE process = open_process(pid, PROCESS_SUSPEND_RESUME);
    if (!call || !process || call(process) < 0)
        return fail(function);
    CloseHandle(process);
    return EXIT_SUCCESS;
}

/* Suspends a thread once more, or undoes one suspension, and prints how often it was suspended
 * before that. */
static int do_thread(char **args)
{
    HANDLE thread = OpenThread(THREAD_SUSPEND_RESUME, FALSE, (DWORD)strtoul(args[1], NULL, 0));
    DWORD before = (DWORD)-1;
    if (thread)
        before = strcmp(args[0], "stop") == 0 ? SuspendThread(thread) : ResumeThread(thread);
    if (before == (DWORD)-1)
        return fail("thread");
    CloseHandle(thread);
    printf("%lu\n", before);
    return EXIT_SUCCESS;
}

/* The thread is suspended here for a moment only. Between `thread stop` and `thread go`, which are
 * two programs, it is for so long that others take it for a suspension that lasts. */
static int do_stops(char **args)
{
    HANDLE thread = OpenThread(THREAD_SUSPEND_RESUME, FALSE, (DWORD)strtoul(args[0], NULL, 0));
    DWORD count = thread ? SuspendThread(thread) : (DWORD)-1;
    if (count == (DWORD)-1)
        return fail("stops");
    ResumeThread(thread);
    CloseHandle(thread);
    printf("%lu\n", count);
    return EXIT_SUCCESS;
}

/* Stops the thread, copies what a sample of it needs, and lets it go on. Returns how long it took,
 * in ms; negative: it failed. */
static double stand_once(HANDLE process, HANDLE thread)
{
    static uint8_t stack[4096];
    CONTEXT context = {.ContextFlags = CONTEXT_CONTROL | CONTEXT_INTEGER};
    uint64_t begin_ns = um_clock_now_ns();
    if (SuspendThread(thread) == (DWORD)-1)
        return -1;
    bool got = GetThreadContext(thread, &context) &&
               ReadProcessMemory(process, (const void *)(uintptr_t)context.Rsp, stack,
                                 sizeof stack - (context.Rsp & (sizeof stack - 1)), NULL);
    ResumeThread(thread);
    return got ? (double)(um_clock_now_ns() - begin_ns) / 1e6 : -1;
}

static int by_time(const void *a, const void *b)
{
    double one = *(const double *)a, other = *(const double *)b;
    return (one > other) - (one < other);
}

static int do_stands(char **args)
{
    static double times[101];
    const int count = ARRAYSIZE(times);
    HANDLE process = open_process(args[0], PROCESS_VM_READ);
    HANDLE thread = OpenThread(THREAD_SUSPEND_RESUME | THREAD_GET_CONTEXT, FALSE,
                               (DWORD)strtoul(args[1], NULL, 0));
    for (int i = 0; i < count; i++) {
        times[i] = process && thread ? stand_once(process, thread) : -1;
        if (times[i] < 0)
            return fail("stands");
        Sleep(5);
    }
    qsort(times, (size_t)count, sizeof times[0], by_time);
    printf("%.4f\n", times[count / 2]);
    return EXIT_SUCCESS;
}

static int do_go(char **args)
{
    return told_tell((DWORD)strtoul(args[0], NULL, 0)) ? EXIT_SUCCESS : fail("go");
}

static int do_suspend(char **args)
{
    return call_ntdll("NtSuspendProcess", args[0]);
}

static int do_resume(char **args)
{
    return call_ntdll("NtResumeProcess", args[0]);
}

static int do_kill(char **args)
{
    HANDLE process = open_process(args[0], PROCESS_TERMINATE);
    if (!process || !TerminateProcess(process, 9))
        return fail("kill");
    CloseHandle(process);
    return EXIT_SUCCESS;
}

/* Each call makes the file a byte longer. */
static int do_kill_at(char **args)
{
    FILE *file = fopen(args[0], "ab");
    if (!file || fputc('.', file) == EOF || fseek(file, 0, SEEK_END) != 0)
        return fail("kill-at");
    long calls = ftell(file);
    fclose(file);
    if (calls != strtol(args[1], NULL, 10))
        return EXIT_SUCCESS;
    PROCESSENTRY32W entry;
    char pid[16];
    if (!find_process(is_this, NULL, &entry))
        return fail("kill-at");
    snprintf(pid, sizeof pid, "%lu", entry.th32ParentProcessID);
    return do_kill((char *[]){pid});
}

/* Input ---------------------------------------------------------------------------------------- */

static struct {
    uint64_t tagged;
    uint64_t untagged;
    uint64_t moved; /* untagged, and not by zero */
    uint64_t last_ns;
} seen;

static LRESULT CALLBACK sink_proc(HWND hwnd, UINT message, WPARAM wparam, LPARAM lparam)
{
    RAWINPUT raw;
    UINT size = sizeof raw;
    if (message == WM_INPUT && GetRawInputData((HRAWINPUT)lparam, RID_INPUT, &raw, &size,
                                               sizeof(RAWINPUTHEADER)) != (UINT)-1) {
        if (um_tag_is_beat(raw.data.mouse.ulExtraInformation)) {
            seen.tagged++;
            seen.last_ns = um_clock_now_ns();
        } else {
            seen.untagged++;
            seen.moved += raw.data.mouse.lLastX != 0 || raw.data.mouse.lLastY != 0;
        }
    }
    return DefWindowProcW(hwnd, message, wparam, lparam);
}

static int do_end_session(char **args)
{
    const LPARAM logoff = (LPARAM)0x80000000; /* ENDSESSION_LOGOFF */
    const UINT limit_ms = 5000;
    HWND window = to_hwnd(args[0]);
    WPARAM ends = strtoul(args[1], NULL, 10);
    DWORD_PTR agreed, done;
    if (!SendMessageTimeoutW(window, WM_QUERYENDSESSION, 0, logoff, SMTO_NORMAL, limit_ms, &agreed))
        return fail("WM_QUERYENDSESSION");
    printf("%d\n", agreed != 0);
    /* The process may be gone before it has answered. */
    SendMessageTimeoutW(window, WM_ENDSESSION, ends, logoff, SMTO_NORMAL, limit_ms, &done);
    return EXIT_SUCCESS;
}

static int do_heap(char **args)
{
    DWORD_PTR bytes;
    if (!SendMessageTimeoutW(to_hwnd(args[0]), HEAP_MESSAGE, 0, 0, SMTO_NORMAL, 5000, &bytes))
        return fail("SendMessageTimeoutW");
    printf("%llu\n", (unsigned long long)bytes);
    return EXIT_SUCCESS;
}

static int do_post(char **args)
{
    wchar_t name[256];
    if (!MultiByteToWideChar(CP_UTF8, 0, args[1], -1, name, 256))
        return fail("the name");
    UINT message = RegisterWindowMessageW(name);
    if (!message || !PostMessageW(to_hwnd(args[0]), message, strtoul(args[2], NULL, 10), 1))
        return fail("PostMessage");
    return EXIT_SUCCESS;
}

static int do_beats(char **args)
{
    WNDCLASSEXW window_class = {.cbSize = sizeof window_class,
                                .lpfnWndProc = sink_proc,
                                .hInstance = GetModuleHandleW(NULL),
                                .lpszClassName = L"UimonProbe"};
    RegisterClassExW(&window_class);
    HWND hwnd =
        CreateWindowExW(0, L"UimonProbe", L"", 0, 0, 0, 0, 0, HWND_MESSAGE, NULL, NULL, NULL);
    RAWINPUTDEVICE device = {1, 2, RIDEV_INPUTSINK, hwnd};
    if (!hwnd || !RegisterRawInputDevices(&device, 1, sizeof device))
        return fail("beats");
    printf("listening\n");
    fflush(stdout);
    uint64_t end_ns = um_clock_now_ns() + (uint64_t)(atof(args[0]) * (double)UM_CLOCK_NS_PER_S);
    for (uint64_t now_ns; (now_ns = um_clock_now_ns()) < end_ns;) {
        MSG msg;
        MsgWaitForMultipleObjects(0, NULL, FALSE, (DWORD)((end_ns - now_ns) / UM_CLOCK_NS_PER_MS),
                                  QS_ALLINPUT);
        while (PeekMessageW(&msg, NULL, 0, 0, PM_REMOVE))
            DispatchMessageW(&msg);
    }
    printf("tagged %" PRIu64 " untagged %" PRIu64 " moved %" PRIu64 " last %" PRIu64 "\n",
           seen.tagged, seen.untagged, seen.moved, seen.last_ns);
    return EXIT_SUCCESS;
}

static bool send_mouse(LONG x, LONG y, DWORD flags)
{
    INPUT input = {.type = INPUT_MOUSE};
    input.mi.dx = x;
    input.mi.dy = y;
    input.mi.dwFlags = flags;
    return SendInput(1, &input, sizeof input) == 1;
}

/* Each move has its place on the clock, so a late one does not delay those after it. */
static int do_mouse_storm(char **args)
{
    uint64_t period_ns = UM_CLOCK_NS_PER_S / strtoul(args[1], NULL, 10);
    uint64_t start_ns = um_clock_now_ns();
    uint64_t end_ns = start_ns + (uint64_t)(atof(args[0]) * (double)UM_CLOCK_NS_PER_S);
    HANDLE timer = um_timer_open();
    int sent = 0;
    for (uint64_t due_ns = start_ns; due_ns < end_ns; due_ns += period_ns) {
        uint64_t now_ns = um_clock_now_ns();
        if (now_ns < due_ns)
            um_timer_wait(timer, due_ns - now_ns, NULL);
        sent += send_mouse(sent % 2 ? -1 : 1, 0, MOUSEEVENTF_MOVE);
    }
    printf("%d\n", sent);
    return EXIT_SUCCESS;
}

/* What the low-level hook does with an event that a program has sent; 0: it swallows it. */
static DWORD hold_up_ms;
static unsigned long hook_calls;

static LRESULT CALLBACK low_hook(int code, WPARAM message, LPARAM info)
{
    const MSLLHOOKSTRUCT *event = (const MSLLHOOKSTRUCT *)info;
    if (code != HC_ACTION || !(event->flags & LLMHF_INJECTED))
        return CallNextHookEx(NULL, code, message, info);
    hook_calls++;
    if (!hold_up_ms)
        return 1;
    Sleep(hold_up_ms);
    return CallNextHookEx(NULL, code, message, info);
}

static int do_low_hook(char **args)
{
    MSG message;
    hold_up_ms = strtoul(args[0], NULL, 10);
    HHOOK hook = SetWindowsHookExW(WH_MOUSE_LL, low_hook, GetModuleHandleW(NULL), 0);
    if (!hook)
        return fail("low-hook");
    printf("hooked\n");
    fflush(stdout);
    SetTimer(NULL, 0, (UINT)(atof(args[1]) * 1000), NULL);
    while (GetMessageW(&message, NULL, 0, 0) > 0 && message.message != WM_TIMER)
        DispatchMessageW(&message);
    UnhookWindowsHookEx(hook);
    printf("calls %lu\n", hook_calls);
    return EXIT_SUCCESS;
}

static bool send_key(WORD key, bool up)
{
    INPUT input = {.type = INPUT_KEYBOARD};
    input.ki.wVk = key;
    input.ki.wScan = (WORD)MapVirtualKeyW(key, MAPVK_VK_TO_VSC);
    input.ki.dwFlags = up ? KEYEVENTF_KEYUP : 0;
    return SendInput(1, &input, sizeof input) == 1;
}

static int do_type(char **args)
{
    const uint64_t pause_ns = 20 * UM_CLOCK_NS_PER_MS;
    if (args[1] && !put_in_front(to_hwnd(args[0])))
        return fail("type");
    for (const char *at = args[1] ? args[1] : args[0]; *at; at++) {
        SHORT key = VkKeyScanW((WCHAR)(unsigned char)*at);
        bool shift = (key >> 8 & 1) != 0;
        if (shift)
            send_key(VK_SHIFT, false);
        if (!send_key((WORD)(key & 0xff), false) || !send_key((WORD)(key & 0xff), true))
            return fail("type");
        if (shift)
            send_key(VK_SHIFT, true);
        um_clock_sleep_ns(pause_ns);
    }
    return EXIT_SUCCESS;
}

static int do_held(char **args)
{
    (void)args;
    printf("%s%s%s%s\n", GetAsyncKeyState(VK_CONTROL) < 0 ? "ctrl " : "",
           GetAsyncKeyState(VK_MENU) < 0 ? "alt " : "",
           GetAsyncKeyState(VK_SHIFT) < 0 ? "shift " : "",
           GetAsyncKeyState(VK_LWIN) < 0 ? "win " : "");
    return EXIT_SUCCESS;
}

/* Puts the cursor there, and sees to it that it stays. On Windows a movement that is sent is one
 * step; Wine tells the X server of it a moment later, so that a beat of the mouse probe which was
 * sent just before this can take the cursor back. */
static bool put_cursor(int x, int y)
{
    const uint64_t several_beats_ns = 60 * UM_CLOCK_NS_PER_MS;
    const int beat_px = 2;
    for (int tries = 0; tries < 100; tries++) {
        POINT point;
        if (!SetCursorPos(x, y))
            return false;
        um_clock_sleep_ns(several_beats_ns);
        if (GetCursorPos(&point) && abs(point.x - x) <= beat_px && abs(point.y - y) <= beat_px)
            return true;
    }
    return false;
}

static int do_cursor(char **args)
{
    POINT point;
    if (args[0] && args[1])
        return put_cursor(atoi(args[0]), atoi(args[1])) ? EXIT_SUCCESS : fail("cursor");
    GetCursorPos(&point);
    printf("%ld %ld\n", point.x, point.y);
    return EXIT_SUCCESS;
}

static int do_click(char **args)
{
    const uint64_t hold_ns = 30 * UM_CLOCK_NS_PER_MS;
    SetCursorPos(atoi(args[0]), atoi(args[1]));
    um_clock_sleep_ns(hold_ns);
    if (!send_mouse(0, 0, MOUSEEVENTF_LEFTDOWN))
        return fail("click");
    um_clock_sleep_ns(hold_ns);
    return send_mouse(0, 0, MOUSEEVENTF_LEFTUP) ? EXIT_SUCCESS : fail("click");
}

/* Input whose time of arrival is known: between the two stamps around each SendInput, and what the
 * system needs to hand it on. The lines are printed at the end, outside of what is timed. */
enum { MAX_SENT = 4096 };

static struct {
    const char *name;
    uint64_t before_ns;
    uint64_t after_ns;
} sent_inputs[MAX_SENT];

static size_t sent_count;

static bool send_noted(const char *name, INPUT *input)
{
    uint64_t before_ns = um_clock_now_ns();
    bool sent = SendInput(1, input, sizeof *input) == 1;
    uint64_t after_ns = um_clock_now_ns();
    if (sent && sent_count < MAX_SENT) {
        sent_inputs[sent_count].name = name;
        sent_inputs[sent_count].before_ns = before_ns;
        sent_inputs[sent_count++].after_ns = after_ns;
    }
    return sent;
}

static bool send_noted_key(WORD key)
{
    INPUT input = {.type = INPUT_KEYBOARD};
    input.ki.wVk = key;
    input.ki.wScan = (WORD)MapVirtualKeyW(key, MAPVK_VK_TO_VSC);
    return send_noted("key", &input);
}

static bool send_noted_mouse(const char *name, DWORD flags, int data)
{
    INPUT input = {.type = INPUT_MOUSE};
    input.mi.dwFlags = flags;
    input.mi.mouseData = (DWORD)data;
    return send_noted(name, &input);
}

static int print_sent(void)
{
    for (size_t i = 0; i < sent_count; i++)
        printf("%s %" PRIu64 " %" PRIu64 "\n", sent_inputs[i].name, sent_inputs[i].before_ns,
               sent_inputs[i].after_ns);
    return EXIT_SUCCESS;
}

/* Waits until the next one is due, by a list of rates that is cycled. */
struct pace {
    const char *rates;
    const char *next;
    uint64_t due_ns;
};

static void keep_pace(struct pace *pace)
{
    char *end;
    uint64_t now_ns = um_clock_now_ns();
    if (!pace->next || !*pace->next)
        pace->next = pace->rates;
    unsigned long rate = strtoul(pace->next, &end, 10);
    pace->next = *end == ',' ? end + 1 : end;
    if (!pace->due_ns)
        pace->due_ns = now_ns;
    if (now_ns < pace->due_ns)
        um_clock_sleep_ns(pace->due_ns - now_ns);
    pace->due_ns += UM_CLOCK_NS_PER_S / (rate ? rate : 1);
}

static int do_keys(char **args)
{
    struct pace pace = {.rates = args[2]};
    if (!put_in_front(to_hwnd(args[0])))
        return fail("keys");
    for (const char *at = args[1]; *at; at++) {
        WORD key = (WORD)(VkKeyScanW((WCHAR)(unsigned char)*at) & 0xff);
        keep_pace(&pace);
        if (!send_noted_key(key) || !send_key(key, true))
            return fail("keys");
    }
    return print_sent();
}

static int do_hold(char **args)
{
    struct pace pace = {.rates = args[3]};
    WORD key = (WORD)(VkKeyScanW((WCHAR)(unsigned char)args[1][0]) & 0xff);
    if (!put_in_front(to_hwnd(args[0])))
        return fail("silent");
    for (unsigned long i = strtoul(args[2], NULL, 10); i > 0; i--) {
        keep_pace(&pace);
        if (!send_noted_key(key))
            return fail("silent");
    }
    send_key(key, true);
    return print_sent();
}

static int do_taps(char **args)
{
    struct pace pace = {.rates = args[2]};
    char *at = args[1];
    if (!put_in_front(to_hwnd(args[0])))
        return fail("taps");
    while (*at) {
        WORD key = (WORD)strtoul(at, &at, 10);
        keep_pace(&pace);
        if (!send_noted_key(key) || !send_key(key, true))
            return fail("taps");
        at += *at == ',';
    }
    return print_sent();
}

static int do_chord(char **args)
{
    WORD keys[8];
    int count = 0;
    for (char *at = args[0]; *at && count < 8; at += *at == ',') {
        keys[count] = (WORD)strtoul(at, &at, 10);
        if (!send_key(keys[count++], false))
            return fail("chord");
    }
    while (count > 0)
        if (!send_key(keys[--count], true))
            return fail("chord");
    return EXIT_SUCCESS;
}

static int do_clicks(char **args)
{
    const uint64_t hold_ns = strtoul(args[4], NULL, 10) * UM_CLOCK_NS_PER_MS;
    struct pace pace = {.rates = args[3]};
    SetCursorPos(atoi(args[0]), atoi(args[1]));
    for (unsigned long i = strtoul(args[2], NULL, 10); i > 0; i--) {
        keep_pace(&pace);
        if (!send_noted_mouse("click", MOUSEEVENTF_LEFTDOWN, 0))
            return fail("clicks");
        um_clock_sleep_ns(hold_ns);
        if (!send_noted_mouse("release", MOUSEEVENTF_LEFTUP, 0))
            return fail("clicks");
    }
    return print_sent();
}

static int do_wheels(char **args)
{
    struct pace pace = {.rates = args[3]};
    SetCursorPos(atoi(args[0]), atoi(args[1]));
    for (unsigned long i = strtoul(args[2], NULL, 10); i > 0; i--) {
        keep_pace(&pace);
        if (!send_noted_mouse("wheel", MOUSEEVENTF_WHEEL, i % 2 ? WHEEL_DELTA : -WHEEL_DELTA))
            return fail("wheels");
    }
    return print_sent();
}

/* Pretends to watch a process, in the name of another, until it is killed. */
static int do_claim(char **args)
{
    wchar_t name[64];
    swprintf(name, 64, L"Local\\uimon-target-%lu", strtoul(args[0], NULL, 10));
    HANDLE mapping = CreateFileMappingW(INVALID_HANDLE_VALUE, NULL, PAGE_READWRITE, 0, 4, name);
    uint32_t *view = mapping ? MapViewOfFile(mapping, FILE_MAP_ALL_ACCESS, 0, 0, 4) : NULL;
    if (!view)
        return fail("claim");
    *view = (uint32_t)strtoul(args[1], NULL, 10);
    puts("claimed");
    fflush(stdout);
    Sleep(INFINITE);
    return EXIT_SUCCESS;
}

/* Puts something else in the place of each copy of a hook DLL, as far as the system lets it. */
static int do_plant(char **args)
{
    wchar_t pattern[MAX_PATH], path[MAX_PATH * 2];
    WIN32_FIND_DATAW found;
    unsigned planted = 0, refused = 0;
    DWORD put;

    (void)args;
    ExpandEnvironmentStringsW(L"%LOCALAPPDATA%\\uimon\\uimon-hook*.dll", pattern, MAX_PATH);
    HANDLE search = FindFirstFileW(pattern, &found);
    if (search == INVALID_HANDLE_VALUE)
        return fail("plant");
    do {
        ExpandEnvironmentStringsW(L"%LOCALAPPDATA%\\uimon\\", path, MAX_PATH);
        wcscat(path, found.cFileName);
        HANDLE file = CreateFileW(path, GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE, NULL,
                                  TRUNCATE_EXISTING, 0, NULL);
        bool wrote = file != INVALID_HANDLE_VALUE && WriteFile(file, "planted", 7, &put, NULL);
        planted += wrote;
        refused += !wrote;
        if (file != INVALID_HANDLE_VALUE)
            CloseHandle(file);
    } while (FindNextFileW(search, &found));
    FindClose(search);
    printf("planted %u refused %u\n", planted, refused);
    return EXIT_SUCCESS;
}

static int do_feeds(char **args)
{
    wchar_t pattern[MAX_PATH];
    WIN32_FIND_DATAW found;
    unsigned count = 0;

    (void)args;
    ExpandEnvironmentStringsW(L"%LOCALAPPDATA%\\uimon\\feeds\\*.*", pattern, MAX_PATH);
    HANDLE search = FindFirstFileW(pattern, &found);
    if (search == INVALID_HANDLE_VALUE)
        return fail("feeds");
    do
        count += !(found.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY);
    while (FindNextFileW(search, &found));
    FindClose(search);
    printf("feeds %u\n", count);
    return EXIT_SUCCESS;
}

/* Who may do what with a file, as security descriptors write it. */
static int do_acl(char **args)
{
    wchar_t path[MAX_PATH];
    wchar_t *text = NULL;
    PSECURITY_DESCRIPTOR descriptor = NULL;

    MultiByteToWideChar(CP_UTF8, 0, args[0], -1, path, MAX_PATH);
    if (GetNamedSecurityInfoW(path, SE_FILE_OBJECT, DACL_SECURITY_INFORMATION, NULL, NULL, NULL,
                              NULL, &descriptor) != ERROR_SUCCESS ||
        !ConvertSecurityDescriptorToStringSecurityDescriptorW(
            descriptor, SDDL_REVISION_1, DACL_SECURITY_INFORMATION, &text, NULL))
        return fail("acl");
    printf("%ls\n", text);
    return EXIT_SUCCESS;
}

static int do_hello(char **args)
{
    struct um_wire_frame hello = {.type = UM_WIRE_HELLO};

    if (!stranger_nonce(args[0], hello.as.hello.nonce))
        return 2;
    hello.as.hello.pid = (uint32_t)strtoul(args[1], NULL, 0);
    hello.as.hello.tid = (uint32_t)strtoul(args[2], NULL, 0);
    puts(stranger_sends(args[0], &hello));
    return EXIT_SUCCESS;
}

static int do_silent(char **args)
{
    struct um_conn *conn;

    if (um_transport_system()->connect(args[0], 5000, &conn) != UM_OK)
        return fail("silent");
    puts("held");
    fflush(stdout);
    um_clock_sleep_ns((uint64_t)(atof(args[1]) * (double)UM_CLOCK_NS_PER_S));
    um_transport_system()->close(conn);
    return EXIT_SUCCESS;
}

/* Serves one client of a pipe: how many bytes it gives away. */
static unsigned long serve_client(HANDLE pipe)
{
    char bytes[4096];
    DWORD got;
    unsigned long total = 0;

    while (ReadFile(pipe, bytes, sizeof bytes, &got, NULL))
        total += got;
    DisconnectNamedPipe(pipe);
    return total;
}

static int do_instance(char **args)
{
    char path[MAX_PATH];
    ULONGLONG end_ms = GetTickCount64() + (ULONGLONG)(atof(args[1]) * 1000);

    snprintf(path, sizeof path, "\\\\.\\pipe\\%s", args[0]);
    HANDLE pipe = CreateNamedPipeA(path, PIPE_ACCESS_DUPLEX, PIPE_TYPE_BYTE | PIPE_NOWAIT,
                                   PIPE_UNLIMITED_INSTANCES, 4096, 4096, 0, NULL);
    if (pipe == INVALID_HANDLE_VALUE)
        return fail("instance");
    puts("made");
    fflush(stdout);
    while (GetTickCount64() < end_ms) {
        if (ConnectNamedPipe(pipe, NULL) || GetLastError() == ERROR_PIPE_CONNECTED ||
            GetLastError() == ERROR_NO_DATA) {
            DWORD wait = PIPE_READMODE_BYTE | PIPE_WAIT;
            DWORD poll = PIPE_READMODE_BYTE | PIPE_NOWAIT;
            SetNamedPipeHandleState(pipe, &wait, NULL, NULL);
            printf("client, %lu bytes\n", serve_client(pipe));
            fflush(stdout);
            SetNamedPipeHandleState(pipe, &poll, NULL, NULL);
        }
        Sleep(5);
    }
    return EXIT_SUCCESS;
}

static const char *administrators_do(HANDLE token)
{
    struct um_token_sid administrators;
    DWORD bytes = sizeof administrators.bytes;
    static union {
        TOKEN_GROUPS groups;
        BYTE bytes[16384];
    } info;

    CreateWellKnownSid(WinBuiltinAdministratorsSid, NULL, administrators.bytes, &bytes);
    if (!GetTokenInformation(token, TokenGroups, &info, sizeof info, &bytes))
        return "unknown";
    for (DWORD i = 0; i < info.groups.GroupCount; i++)
        if (EqualSid(info.groups.Groups[i].Sid, administrators.bytes))
            return info.groups.Groups[i].Attributes & SE_GROUP_USE_FOR_DENY_ONLY ? "deny" : "allow";
    return "none";
}

static int do_rights(char **args)
{
    HANDLE token;
    HANDLE process =
        OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, strtoul(args[0], NULL, 0));
    if (!process || !OpenProcessToken(process, TOKEN_QUERY, &token))
        return fail("rights");
    printf("administrators %s level 0x%lx\n", administrators_do(token),
           (unsigned long)um_token_level(process));
    return EXIT_SUCCESS;
}

static int do_now(char **args)
{
    (void)args;
    printf("%" PRIu64 "\n", um_clock_now_ns());
    return EXIT_SUCCESS;
}

/* Feed ----------------------------------------------------------------------------------------- */

static const char *state_name(uint8_t state)
{
    return um_wire_state_name((enum um_state)state);
}

static void print_session(const struct um_wire_session *session, uint64_t now_ns)
{
    printf("session start %" PRIu64 " hwnd 0x%" PRIx64 " pid %u tid %u period_us %u threshold_us %u"
           " slow_us %u probe %u status %u reason %u now %" PRIu64 " name %s\n",
           session->start_ns, session->hwnd, session->pid, session->tid, session->period_us,
           session->threshold_us, session->slow_us, session->probe, session->probe_status,
           session->probe_reason, now_ns, session->name);
}

static void print_episode(const struct um_wire_episode *episode, uint8_t flags, uint64_t now_ns)
{
    printf("episode %s %s id %u start %" PRIu64 " end %" PRIu64 " peak %" PRIu64
           " uncertainty %" PRIu64 " message 0x%x flags %u now %" PRIu64 " class %s\n",
           flags & UM_WIRE_EPISODE_END ? "end" : "begin", state_name(episode->state), episode->id,
           episode->start_ns, episode->end_ns, episode->peak_ns, episode->uncertainty_ns,
           flags & UM_WIRE_EPISODE_HAS_MESSAGE ? episode->message : 0, flags, now_ns,
           flags & UM_WIRE_EPISODE_HAS_MESSAGE ? episode->window_class : "-");
}

/* A status comes ten times a second; only changes of state are worth a line. */
static void print_status(const struct um_wire_status *status, uint64_t now_ns)
{
    static int last_state = -1;
    if (status->state == last_state)
        return;
    last_state = status->state;
    printf("state %s since %" PRIu64 " lag %" PRIu64 " freezes %u lost %" PRIu64 " now %" PRIu64
           "\n",
           state_name(status->state), status->state_since_ns, status->lag_ns, status->freezes,
           status->lost, now_ns);
}

static void print_traced(const struct um_wire_traced_list *times)
{
    for (unsigned i = 0; i < times->count; i++)
        printf("traced node %u count %" PRIu64 " ended %" PRIu64 "\n", times->list[i].node,
               times->list[i].count, times->list[i].ended);
}

static void print_interaction(const struct um_wire_interaction *interaction, uint8_t flags)
{
    static const char *const kinds[UM_INTERACTION_COUNT] = {"key", "click", "wheel"};
    printf("interaction %s id %u arrival %" PRIu64 " dequeued %" PRIu64 " handled %" PRIu64
           " painted %" PRIu64 " freeze %u key %u flags %u\n",
           kinds[interaction->kind], interaction->id, interaction->arrival_ns,
           interaction->dequeued_ns, interaction->handled_ns, interaction->painted_ns,
           interaction->freeze, interaction->key, flags);
}

/* False when nothing follows. */
static bool print_frame(const struct um_wire_frame *frame)
{
    uint64_t now_ns = um_clock_now_ns();
    switch (frame->type) {
    case UM_WIRE_SESSION:
        print_session(&frame->as.session, now_ns);
        break;
    case UM_WIRE_BEAT_KIND:
        printf("beat_kind %u shielded %u held %u now %" PRIu64 "\n", frame->as.beat_kind.kind,
               frame->as.beat_kind.shielded, frame->as.beat_kind.held, now_ns);
        break;
    case UM_WIRE_STACK:
        printf("stack %u samples %u alike %u in %s %s %s\n", frame->as.stack.freeze,
               frame->as.stack.samples, frame->as.stack.alike, frame->as.stack.frames[0],
               frame->as.stack.frames[1], frame->as.stack.frames[2]);
        break;
    case UM_WIRE_SAMPLE:
        printf("sample thread %u at %" PRIu64 " whole %d wall %u\n", frame->as.sample.thread,
               frame->as.sample.time_ns, frame->as.sample.stopped == UM_UNWIND_START,
               frame->as.sample.wall_us);
        break;
    case UM_WIRE_TRACED_CALL:
        printf("traced_call 0x%x %s node %u\n", frame->as.traced_call.message,
               frame->as.traced_call.window_class, frame->as.traced_call.node);
        break;
    case UM_WIRE_TRACED_TIMES:
        print_traced(&frame->as.traced_list);
        break;
    case UM_WIRE_LAYOUT_COMPONENT:
    case UM_WIRE_LAYOUT_PLACE:
    case UM_WIRE_LAYOUT_TIMES:
    case UM_WIRE_LAYOUT_METERS:
        printf("layout frame %u\n", frame->type);
        break;
    case UM_WIRE_EPISODE:
        print_episode(&frame->as.episode, frame->flags, now_ns);
        break;
    case UM_WIRE_STATUS:
        print_status(&frame->as.status, now_ns);
        break;
    case UM_WIRE_INTERACTION:
        print_interaction(&frame->as.interaction, frame->flags);
        break;
    case UM_WIRE_END:
        printf("end %" PRIu64 " reason %u now %" PRIu64 "\n", frame->as.end.time_ns,
               frame->as.end.reason, now_ns);
        return false;
    default:
        break;
    }
    fflush(stdout);
    return true;
}

/* Prints every whole frame that has come; anything but UM_OK ends the listening. */
static enum um_status take_frames(struct um_frame_reader *reader)
{
    struct um_wire_frame frame;
    enum um_status status;
    while ((status = um_frame_reader_next(reader, &frame)) == UM_OK)
        if (!print_frame(&frame))
            return UM_ERR_CLOSED;
    return status == UM_ERR_PARTIAL ? UM_OK : status;
}

static enum um_status listen_until(struct um_conn *conn, uint64_t end_ns)
{
    static uint8_t bytes[8 * UM_WIRE_MAX_BYTES];
    struct um_frame_reader reader;
    const struct um_transport *transport = um_transport_system();
    const uint32_t turn_ms = 100;
    enum um_status status = UM_OK;
    um_frame_reader_init(&reader, bytes, sizeof bytes);
    while (status == UM_OK && um_clock_now_ns() < end_ns) {
        size_t room, got = 0;
        uint8_t *to = um_frame_reader_room(&reader, &room);
        status = transport->read(conn, to, room, turn_ms, &got);
        if (status == UM_ERR_TIMEOUT) {
            status = UM_OK;
            continue;
        }
        um_frame_reader_add(&reader, got);
        if (status == UM_OK)
            status = take_frames(&reader);
    }
    return status;
}

static int do_tail_feed(char **args)
{
    static const char prefix[] = "\\\\.\\pipe\\";
    const uint32_t connect_ms = 5000;
    const struct um_transport *transport = um_transport_system();
    struct um_conn *conn;
    const char *name = args[0];
    if (strncmp(name, prefix, sizeof prefix - 1) == 0)
        name += sizeof prefix - 1;
    double seconds = args[1] ? atof(args[1]) : 3600.0;
    uint64_t end_ns = um_clock_now_ns() + (uint64_t)(seconds * (double)UM_CLOCK_NS_PER_S);
    enum um_status status = transport->connect(name, connect_ms, &conn);
    if (status == UM_OK) {
        status = listen_until(conn, end_ns);
        transport->close(conn);
    }
    if (status == UM_OK || status == UM_ERR_CLOSED)
        return EXIT_SUCCESS;
    fprintf(stderr, "probe: tail-feed %s: %s\n", name, um_status_text(status));
    return EXIT_FAILURE;
}

/* alpha HWND 0..255: how opaque the window is. */
static int do_alpha(char **args)
{
    HWND hwnd = to_hwnd(args[0]);
    SetWindowLongPtrW(hwnd, GWL_EXSTYLE, GetWindowLongPtrW(hwnd, GWL_EXSTYLE) | WS_EX_LAYERED);
    BOOL is_set = SetLayeredWindowAttributes(hwnd, 0, (BYTE)atoi(args[1]), LWA_ALPHA);
    return is_set ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* region HWND empty|all: which part of the window there is. */
static int do_region(char **args)
{
    HRGN region = strcmp(args[1], "empty") == 0 ? CreateRectRgn(0, 0, 0, 0) : NULL;
    return SetWindowRgn(to_hwnd(args[0]), region, TRUE) ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int do_order(char **args)
{
    HWND place = strcmp(args[1], "topmost") == 0  ? HWND_TOPMOST
                 : strcmp(args[1], "bottom") == 0 ? HWND_BOTTOM
                                                  : HWND_TOP;
    return SetWindowPos(to_hwnd(args[0]), place, 0, 0, 0, 0,
                        SWP_NOMOVE | SWP_NOSIZE | SWP_NOACTIVATE)
               ? EXIT_SUCCESS
               : fail("order");
}

static int do_above(char **args)
{
    HWND wanted = to_hwnd(args[0]), at = to_hwnd(args[1]);
    while (at && at != wanted)
        at = GetWindow(at, GW_HWNDPREV);
    printf("%d\n", at != NULL);
    return EXIT_SUCCESS;
}

static const struct {
    const char *name;
    int (*run)(char **args); /* NULL after the last argument */
    int min_args;
} commands[] = {
    {"windows", do_windows, 1},
    {"find", do_find, 1},
    {"children", do_children, 1},
    {"client", do_client, 1},
    {"at", do_at, 2},
    {"foreground", do_foreground, 0},
    {"display", do_display, 0},
    {"track", do_track, 2},
    {"handles", do_handles, 1},
    {"pid", do_pid, 1},
    {"console", do_console, 1},
    {"handleless", do_handleless, 2},
    {"variable", do_variable, 1},
    {"interrupt", do_interrupt, 1},
    {"threads", do_threads, 1},
    {"memory", do_memory, 1},
    {"stands", do_stands, 2},
    {"thread", do_thread, 2},
    {"stops", do_stops, 1},
    {"go", do_go, 1},
    {"suspend", do_suspend, 1},
    {"resume", do_resume, 1},
    {"kill", do_kill, 1},
    {"kill-at", do_kill_at, 2},
    {"hung", do_hung, 1},
    {"end-session", do_end_session, 2},
    {"sinks", do_sinks, 1},
    {"trigger", do_trigger, 2},
    {"heap", do_heap, 1},
    {"post", do_post, 3},
    {"beats", do_beats, 1},
    {"mouse-storm", do_mouse_storm, 2},
    {"low-hook", do_low_hook, 2},
    {"type", do_type, 1},
    {"keys", do_keys, 3},
    {"hold", do_hold, 4},
    {"taps", do_taps, 3},
    {"chord", do_chord, 1},
    {"clicks", do_clicks, 5},
    {"wheels", do_wheels, 4},
    {"text", do_text, 2},
    {"claim", do_claim, 2},
    {"feeds", do_feeds, 0},
    {"acl", do_acl, 1},
    {"hello", do_hello, 3},
    {"silent", do_silent, 2},
    {"instance", do_instance, 2},
    {"rights", do_rights, 1},
    {"plant", do_plant, 0},
    {"held", do_held, 0},
    {"click", do_click, 2},
    {"cursor", do_cursor, 0},
    {"move", do_move, 5},
    {"minimize", do_minimize, 1},
    {"restore", do_restore, 1},
    {"maximize", do_maximize, 1},
    {"front", do_front, 1},
    {"alpha", do_alpha, 2},
    {"region", do_region, 2},
    {"order", do_order, 2},
    {"above", do_above, 2},
    {"close", do_close, 1},
    {"now", do_now, 0},
    {"tail-feed", do_tail_feed, 1},
};

/* Negative: there is no such command, or it wants more arguments. */
static int run_command(int count, char **words)
{
    for (size_t i = 0; count > 0 && i < ARRAYSIZE(commands); i++)
        if (strcmp(commands[i].name, words[0]) == 0 && count - 1 >= commands[i].min_args)
            return commands[i].run(words + 1);
    return -1;
}

static int talk(void)
{
    enum { MAX_WORDS = 32 };
    static char line[8192];

    while (fgets(line, sizeof line, stdin)) {
        char *words[MAX_WORDS + 1] = {line};
        int count = 1;
        line[strcspn(line, "\r\n")] = 0;
        for (char *tab = line; count < MAX_WORDS && (tab = strchr(tab, '\t'));) {
            *tab++ = 0;
            words[count++] = tab;
        }
        int code = run_command(count, words);
        printf("%c%d\n", PROBE_END, code);
        fflush(stdout);
    }
    return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    _setmode(_fileno(stdout), _O_BINARY); /* no CR in front of LF */
    SetProcessDpiAwarenessContext(DPI_AWARENESS_CONTEXT_PER_MONITOR_AWARE_V2);
    if (argc == 2 && strcmp(argv[1], "talk") == 0)
        return talk();
    int code = run_command(argc - 1, argv + 1);
    if (code >= 0)
        return code;
    fprintf(stderr, "usage: probe_win32 COMMAND ARG...; commands:\n");
    for (size_t i = 0; i < ARRAYSIZE(commands); i++)
        fprintf(stderr, "  %s\n", commands[i].name);
    return 2;
}
