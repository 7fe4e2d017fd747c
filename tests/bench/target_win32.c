/* A watched program that does what the benchmark tells it to, and says exactly when it happened.
 *
 * Commands are lines on standard input, each answered by one line (times in ns, ipc/clock.h):
 *   clock              NOW, at once and not by the UI thread
 *   flood COUNT        posts itself COUNT messages, each when the one before it is handled:
 *                      NS from the first retrieval to the last
 *   freeze MS RATE     sleeps MS in a retrieved message, while another thread moves the mouse RATE
 *                      times a second and presses a key at the end:
 *                      RETRIEVED AWAKE KEY MOVES: when the message was retrieved, the sleep was
 *                      over, and the key was retrieved; and how many moves were made
 *   pile MS RATE       the same; takes what raw input waits when the sleep is over: REPORTS MOVES
 *   counter COUNT      reads the performance counter COUNT times in a row: NS that took
 *   send COUNT         sends itself COUNT messages, one after the other: NS that took
 *   threads COUNT      starts threads that do nothing: COUNT
 *   quit
 * It begins by saying "ready PID". The key is F15, which means nothing to anybody.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "ipc/clock.h"
#include "ipc/timer_win32.h"

#define MSG_FLOOD (WM_APP + 1) /* wParam: how many are left */
#define MSG_FREEZE (WM_APP + 2)
#define MSG_SEND (WM_APP + 3) /* wParam: how many */
#define MSG_SENT (WM_APP + 4)
#define MSG_PILE (WM_APP + 5)
#define KEY VK_F15
#define KEY_EARLY_NS (30 * UM_CLOCK_NS_PER_MS) /* before the sleep is over */

static HWND window;
static uint64_t retrieved_ns; /* the message that is being handled */

static struct {
    uint64_t begin_ns;
} flood;

static struct {
    uint32_t ms;
    uint32_t rate;
    uint32_t moves;
    uint64_t retrieved_ns;
    uint64_t awake_ns;
    HANDLE storm;
} frozen;

/* Input from a thread of its own, while the UI thread sleeps. Each move has its place on the clock,
 * so that a late one does not delay those after it. */
static DWORD WINAPI storm(void *unused)
{
    uint64_t end_ns = frozen.retrieved_ns + frozen.ms * UM_CLOCK_NS_PER_MS - KEY_EARLY_NS;
    uint64_t period_ns = frozen.rate ? UM_CLOCK_NS_PER_S / frozen.rate : 0;
    HANDLE timer = um_timer_open();
    INPUT move = {.type = INPUT_MOUSE};
    INPUT key = {.type = INPUT_KEYBOARD};
    uint64_t now_ns;
    (void)unused;

    move.mi.dwFlags = MOUSEEVENTF_MOVE;
    for (uint64_t due_ns = um_clock_now_ns(); period_ns && due_ns < end_ns; due_ns += period_ns) {
        if ((now_ns = um_clock_now_ns()) < due_ns)
            um_timer_wait(timer, due_ns - now_ns, NULL);
        move.mi.dx = frozen.moves % 2 ? -1 : 1;
        frozen.moves += SendInput(1, &move, sizeof move);
    }
    if ((now_ns = um_clock_now_ns()) < end_ns)
        um_timer_wait(timer, end_ns - now_ns, NULL);
    key.ki.wVk = KEY;
    SendInput(1, &key, sizeof key);
    key.ki.dwFlags = KEYEVENTF_KEYUP;
    SendInput(1, &key, sizeof key);
    CloseHandle(timer);
    return 0;
}

static void freeze(void)
{
    frozen.retrieved_ns = retrieved_ns;
    frozen.moves = 0;
    frozen.storm = CreateThread(NULL, 0, storm, NULL, 0, NULL);
    um_clock_sleep_ns(frozen.ms * UM_CLOCK_NS_PER_MS);
    frozen.awake_ns = um_clock_now_ns();
}

static uint32_t take_raw(void)
{
    static RAWINPUT buffer[64];
    uint32_t taken = 0;
    for (;;) {
        UINT size = sizeof buffer;
        UINT count = GetRawInputBuffer(buffer, &size, sizeof(RAWINPUTHEADER));
        if (count == 0 || count == (UINT)-1)
            return taken;
        taken += count;
    }
}

static void pile(void)
{
    freeze();
    uint32_t reports = take_raw();
    WaitForSingleObject(frozen.storm, INFINITE);
    CloseHandle(frozen.storm);
    frozen.storm = NULL;
    printf("%u %u\n", reports, frozen.moves);
}

static void on_key(void)
{
    uint64_t key_ns = retrieved_ns;
    if (!frozen.storm)
        return;
    WaitForSingleObject(frozen.storm, INFINITE);
    CloseHandle(frozen.storm);
    frozen.storm = NULL;
    printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %u\n", frozen.retrieved_ns, frozen.awake_ns, key_ns,
           frozen.moves);
}

static void on_flood(WPARAM left)
{
    if (flood.begin_ns == 0)
        flood.begin_ns = retrieved_ns;
    if (left > 0) {
        PostMessageW(window, MSG_FLOOD, left - 1, 0);
        return;
    }
    printf("%" PRIu64 "\n", retrieved_ns - flood.begin_ns);
    flood.begin_ns = 0;
}

static void on_send(WPARAM count)
{
    uint64_t begin_ns = um_clock_now_ns();
    for (WPARAM i = 0; i < count; i++)
        SendMessageW(window, MSG_SENT, 0, 0);
    printf("%" PRIu64 "\n", um_clock_now_ns() - begin_ns);
}

static LRESULT CALLBACK proc(HWND hwnd, UINT message, WPARAM wparam, LPARAM lparam)
{
    switch (message) {
    case MSG_FLOOD:
        on_flood(wparam);
        return 0;
    case MSG_FREEZE:
        freeze();
        return 0;
    case MSG_PILE:
        pile();
        return 0;
    case MSG_SEND:
        on_send(wparam);
        return 0;
    case MSG_SENT:
        return 0;
    case WM_KEYDOWN:
        if (wparam == KEY)
            on_key();
        return 0;
    case WM_DESTROY:
        PostQuitMessage(0);
        return 0;
    default:
        return DefWindowProcW(hwnd, message, wparam, lparam);
    }
}

static DWORD WINAPI idle(void *unused)
{
    (void)unused;
    Sleep(INFINITE);
    return 0;
}

static void read_counter(uint32_t count)
{
    uint64_t begin_ns = um_clock_now_ns();
    LARGE_INTEGER ticks;
    for (uint32_t i = 0; i < count; i++)
        QueryPerformanceCounter(&ticks);
    printf("%" PRIu64 "\n", um_clock_now_ns() - begin_ns);
    fflush(stdout);
}

static void start_threads(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        CloseHandle(CreateThread(NULL, 0, idle, NULL, 0, NULL));
    Sleep(100); /* until they run */
    printf("%u\n", count);
}

static DWORD WINAPI obey(void *unused)
{
    char line[128];
    uint32_t count;
    (void)unused;

    while (fgets(line, sizeof line, stdin))
        if (strncmp(line, "clock", 5) == 0)
            printf("%" PRIu64 "\n", um_clock_now_ns());
        else if (sscanf(line, "flood %u", &count) == 1)
            PostMessageW(window, MSG_FLOOD, count, 0);
        else if (sscanf(line, "send %u", &count) == 1)
            PostMessageW(window, MSG_SEND, count, 0);
        else if (sscanf(line, "freeze %u %u", &frozen.ms, &frozen.rate) == 2)
            PostMessageW(window, MSG_FREEZE, 0, 0);
        else if (sscanf(line, "pile %u %u", &frozen.ms, &frozen.rate) == 2)
            PostMessageW(window, MSG_PILE, 0, 0);
        else if (sscanf(line, "counter %u", &count) == 1)
            read_counter(count);
        else if (sscanf(line, "threads %u", &count) == 1)
            start_threads(count);
        else
            break;
    PostMessageW(window, WM_CLOSE, 0, 0);
    return 0;
}

int main(void)
{
    WNDCLASSW window_class = {.lpfnWndProc = proc,
                              .hInstance = GetModuleHandleW(NULL),
                              .hCursor = LoadCursorW(NULL, (LPCWSTR)IDC_ARROW),
                              .hbrBackground = (HBRUSH)(COLOR_WINDOW + 1),
                              .lpszClassName = L"UimonBench"};
    MSG msg;

    setvbuf(stdout, NULL, _IONBF, 0);
    RegisterClassW(&window_class);
    window = CreateWindowExW(0, L"UimonBench", L"uimon bench", WS_OVERLAPPEDWINDOW, 100, 100, 1000,
                             600, NULL, NULL, window_class.hInstance, NULL);
    if (!window)
        return EXIT_FAILURE;
    ShowWindow(window, SW_SHOW);
    SetForegroundWindow(window);
    SetCursorPos(400, 400);
    printf("ready %lu\n", GetCurrentProcessId());
    CloseHandle(CreateThread(NULL, 0, obey, NULL, 0, NULL));
    while (GetMessageW(&msg, NULL, 0, 0) > 0) {
        retrieved_ns = um_clock_now_ns();
        TranslateMessage(&msg);
        DispatchMessageW(&msg);
    }
    return EXIT_SUCCESS;
}
