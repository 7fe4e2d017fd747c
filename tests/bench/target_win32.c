/* A watched program that does what the benchmark tells it to, and says exactly when it happened.
 *
 * Commands are lines on standard input, each answered by one line. Times are in ns (clock.h):
 *   clock              NOW, at once and not by the UI thread
 *   flood COUNT        posts itself COUNT messages, each when the one before it is handled:
 *                      NS from the first retrieval to the last
 *   freeze MS RATE     sleeps MS in a retrieved message, while another thread moves the mouse RATE
 *                      times a second and presses a key at the end:
 *                      RETRIEVED AWAKE KEY MOVES: when the message was retrieved, the sleep was
 *                      over, and the key was retrieved; and how many moves were made
 *   pile MS RATE       the same; takes what raw input waits when the sleep is over: REPORTS MOVES
 *   counter COUNT      reads the performance counter COUNT times in a row: NS that took
 *   marks COUNT        makes COUNT markers with two fields in a row: NS that took, and 1 if they
 *                      were watched
 *   send COUNT         sends itself COUNT messages, one after the other: NS that took
 *   threads COUNT      starts threads that do nothing: COUNT
 *   cells COUNT        fills the window with COUNT windows that paint themselves: COUNT
 *   repaint COUNT      paints all of them COUNT times: NS that took
 *   parts COUNT        makes the window as large as a screen, and COUNT windows in it that have a
 *                      child each: COUNT
 *   lay RATE STEP      lays out these, one after the other and each in a message of its own, RATE a
 *                      second at most, from now on; each is moved by STEP px to and fro, and is
 *                      busy with that for 1 ms: RATE
 *   laid               how often one of them was laid out
 *   quit
 * It begins by saying "ready PID". The key is F15, which means nothing to anybody.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "base/plain/clock.h"
#include "base/plain/timer_win32.h"
#include "markers/uimon.h"

#define MSG_FLOOD (WM_APP + 1) /* wParam: how many are left */
#define MSG_FREEZE (WM_APP + 2)
#define MSG_SEND (WM_APP + 3) /* wParam: how many */
#define MSG_SENT (WM_APP + 4)
#define MSG_PILE (WM_APP + 5)
#define MSG_CELLS (WM_APP + 6) /* wParam: how many */
#define MSG_REPAINT (WM_APP + 7)
#define MSG_PARTS (WM_APP + 8) /* wParam: how many */
#define MSG_LAY (WM_APP + 9)
#define KEY VK_F15
#define PARTS_A_ROW 20
#define PARTS_MOST 200
#define PART_WIDTH 84
#define PART_HEIGHT 60
#define PART_GAP 8
#define LAY_MS 10 /* the shortest timer of the system */
#define CELLS_A_ROW 98
#define CELL_SIZE 10
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

static struct {
    uint32_t count;
    uint32_t painted;  /* since they were all invalidated */
    uint32_t repaints; /* to come */
    uint64_t begin_ns;
} cells;

static struct {
    HWND list[PARTS_MOST];
    uint32_t count;
    uint32_t rate; /* a second */
    uint32_t step; /* px */
    uint32_t posted, laid;
} parts;

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

static void repaint(void)
{
    cells.painted = 0;
    RedrawWindow(window, NULL, NULL, RDW_INVALIDATE | RDW_ALLCHILDREN);
}

static void on_cell_painted(void)
{
    if (++cells.painted != cells.count || cells.begin_ns == 0)
        return;
    if (--cells.repaints > 0) {
        repaint();
        return;
    }
    printf("%" PRIu64 "\n", um_clock_now_ns() - cells.begin_ns);
    cells.begin_ns = 0;
}

static LRESULT CALLBACK cell_proc(HWND hwnd, UINT message, WPARAM wparam, LPARAM lparam)
{
    PAINTSTRUCT paint;
    if (message != WM_PAINT)
        return DefWindowProcW(hwnd, message, wparam, lparam);
    HDC dc = BeginPaint(hwnd, &paint);
    FillRect(dc, &paint.rcPaint,
             GetSysColorBrush(cells.repaints % 2 ? COLOR_BTNFACE : COLOR_WINDOW));
    EndPaint(hwnd, &paint);
    on_cell_painted();
    return 0;
}

static void make_cells(uint32_t count)
{
    WNDCLASSW cell_class = {.lpfnWndProc = cell_proc,
                            .hInstance = GetModuleHandleW(NULL),
                            .lpszClassName = L"UimonCell"};
    RegisterClassW(&cell_class);
    for (uint32_t i = 0; i < count; i++)
        cells.count +=
            CreateWindowExW(0, L"UimonCell", NULL, WS_CHILD | WS_VISIBLE,
                            (int)(i % CELLS_A_ROW) * CELL_SIZE, (int)(i / CELLS_A_ROW) * CELL_SIZE,
                            CELL_SIZE, CELL_SIZE, window, NULL, cell_class.hInstance, NULL) != NULL;
    printf("%u\n", cells.count);
}

static POINT place_of_part(uint32_t i)
{
    return (POINT){(LONG)(i % PARTS_A_ROW * (PART_WIDTH + PART_GAP) + PART_GAP),
                   (LONG)(i / PARTS_A_ROW * (PART_HEIGHT + PART_GAP) + PART_GAP)};
}

/* All parts cost the same, and as much as the window: so uimon shows each of them. */
static LRESULT CALLBACK part_proc(HWND hwnd, UINT message, WPARAM wparam, LPARAM lparam)
{
    uint64_t until_ns = um_clock_now_ns() + UM_CLOCK_NS_PER_MS;
    while (message == WM_WINDOWPOSCHANGED && um_clock_now_ns() < until_ns)
        continue;
    return DefWindowProcW(hwnd, message, wparam, lparam);
}

static void make_parts(uint32_t count)
{
    WNDCLASSW part_class = {.lpfnWndProc = part_proc,
                            .hInstance = GetModuleHandleW(NULL),
                            .hbrBackground = (HBRUSH)(COLOR_BTNFACE + 1),
                            .lpszClassName = L"UimonPart"};
    RegisterClassW(&part_class);
    SetWindowPos(window, NULL, 0, 0, 1900, 1000, SWP_NOZORDER | SWP_NOACTIVATE);
    for (; parts.count < count && parts.count < PARTS_MOST; parts.count++) {
        POINT at = place_of_part(parts.count);
        HWND part =
            CreateWindowExW(0, L"UimonPart", NULL, WS_CHILD | WS_VISIBLE, at.x, at.y, PART_WIDTH,
                            PART_HEIGHT, window, NULL, part_class.hInstance, NULL);
        CreateWindowExW(0, L"UimonPart", NULL, WS_CHILD | WS_VISIBLE, 4, 30, 20, 20, part, NULL,
                        part_class.hInstance, NULL);
        parts.list[parts.count] = part;
    }
    printf("%u\n", parts.count);
}

/* Each message that lays out a part is a layout frame of its own. There are never more of them than
 * the thread can handle until the next tick. */
static void on_lay_tick(void)
{
    uint32_t due = parts.rate * LAY_MS / 1000;
    for (; parts.posted - parts.laid < due; parts.posted++)
        PostMessageW(window, MSG_LAY, parts.posted, 0);
}

static void lay(uint32_t nth)
{
    uint32_t i = nth % parts.count;
    POINT at = place_of_part(i);
    int off = nth / parts.count % 2 ? (int)parts.step : 0;
    SetWindowPos(parts.list[i], NULL, at.x + off, at.y, PART_WIDTH, PART_HEIGHT,
                 SWP_NOZORDER | SWP_NOACTIVATE | SWP_FRAMECHANGED);
    parts.laid++;
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
    case MSG_CELLS:
        make_cells((uint32_t)wparam);
        return 0;
    case MSG_REPAINT:
        cells.repaints = (uint32_t)wparam;
        cells.begin_ns = um_clock_now_ns();
        repaint();
        return 0;
    case MSG_PARTS:
        make_parts((uint32_t)wparam);
        return 0;
    case MSG_LAY:
        lay((uint32_t)wparam);
        return 0;
    case WM_TIMER:
        on_lay_tick();
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

static void make_marks(uint32_t count)
{
    const struct uimon_field fields[] = {uimon_flow("task", 0x1234), uimon_text("file", "a.txt")};
    int watched = uimon_is_watched();
    uint64_t begin_ns = um_clock_now_ns();
    for (uint32_t i = 0; i < count; i++)
        uimon_marker("Load", "I/O", fields, 2);
    printf("%" PRIu64 " %d\n", um_clock_now_ns() - begin_ns, watched);
    fflush(stdout);
}

static void start_laying(void)
{
    SetTimer(window, 1, LAY_MS, NULL);
    printf("%u\n", parts.rate);
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
        else if (sscanf(line, "marks %u", &count) == 1)
            make_marks(count);
        else if (sscanf(line, "threads %u", &count) == 1)
            start_threads(count);
        else if (sscanf(line, "cells %u", &count) == 1)
            PostMessageW(window, MSG_CELLS, count, 0);
        else if (sscanf(line, "parts %u", &count) == 1)
            PostMessageW(window, MSG_PARTS, count, 0);
        else if (sscanf(line, "lay %u %u", &parts.rate, &parts.step) == 2)
            start_laying();
        else if (strncmp(line, "laid", 4) == 0)
            printf("%u\n", parts.laid);
        else if (sscanf(line, "repaint %u", &count) == 1)
            PostMessageW(window, MSG_REPAINT, count, 0);
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
