/* A target with the habits that make measuring hard; one a mode. Writes the demo's log
 * (demo/log.h).
 *
 *   target_odd_win32 --mode MODE [--title TEXT] [--log FILE] [--seconds N] [--pos X,Y,W,H]
 *                    [--play LIST [--delay MS] [--pause MS] [--repeat N]] [--play2 LIST]
 *                    [--stall MS] [--class NAME [--class-module FILE]]
 *
 * Modes: see `modes` below. Without --seconds it stays until it is closed; a list that is over does
 * not end it. --play acts on the main window and --play2 on the second one of two-threads. --class
 * names the class of its windows, and --class-module is a DLL that registers it. A posted sleep of
 * 50,000 ms or more lasts until told (tests/target/told.h).
 */
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "demo/journal.h"
#include "demo/options.h"
#include "demo/panes_win32.h"
#include "demo/player_win32.h"
#include "demo/ui_win32.h"
#include "base/plain/clock.h"
#include "base/plain/tag.h"
#include "tests/target/told.h"
#include "tests/win/churn_win32.h"
#include "tests/win/dialog_buttons_win32.h"
#include "tests/win/heap_win32.h"
#include "tests/win/looks_win32.h"
#include "tests/win/made_win32.h"
#include "tests/win/owner_drawn_win32.h"
#include "tests/win/scrolled_win32.h"
#include "tests/win/witness_win32.h"

#define WM_SYSTIMER 0x0118
#define REGISTERED_FIRST 0xc000
#define SECOND_TIMER 1
#define LATE_TIMER 2
#define EATEN_TIMER 3
#define EATEN_MS 20
#define LOOKS_TIMER 5
#define BOX_TIMER 6
#define LOOKS_MS 10
#define BUSY_PAINT_NS (4 * UM_CLOCK_NS_PER_MS)

/* A range of messages that a loop asks for. */
struct range {
    UINT first;
    UINT last;
};

static const struct range all[] = {{0, 0}};
static const struct range no_raw[] = {{0, 0x00fe}, {0x0100, 0xffff}};
/* Without WM_INPUT, the keys, the mouse and the mouse on the frame. */
static const struct range no_input[] = {
    {0, 0x009f}, {0x00ae, 0x00fe}, {0x010a, 0x01ff}, {0x020f, 0xffff}};

enum loop {
    LOOP_GET,
    LOOP_RANGES,
    LOOP_OWN_WINDOW,
    LOOP_PEEK,
    LOOP_RAW_BUFFER,
    LOOP_IDLE,
    LOOP_NONE
};

static const struct mode {
    const char *name;
    enum loop loop;
    const struct range *ranges;
    int range_count;
} modes[] = {
    {"quiet", LOOP_GET, all, 1},                /* a plain window */
    {"filter-raw", LOOP_RANGES, no_raw, 2},     /* its loop leaves out WM_INPUT alone */
    {"filter-input", LOOP_RANGES, no_input, 4}, /* ... and the keys and the mouse */
    {"filter-window", LOOP_OWN_WINDOW, all, 1}, /* asks for its own window's messages alone */
    {"rawbuffer", LOOP_RAW_BUFFER, all, 1}, /* registers raw mouse input, calls GetRawInputBuffer */
    {"raw-early", LOOP_GET, all, 1},        /* registers raw mouse input at its start */
    {"raw-late", LOOP_GET, all, 1},         /* raw-late:MS registers it after so long */
    /* witness_win32.h; and once a second it says whose the raw mouse registration is */
    {"witness", LOOP_GET, all, 1},
    {"raw-ends", LOOP_GET, all, 1}, /* at its start, until a registered message of lParam 1 */
    {"raw-loop", LOOP_GET, all, 1}, /* raw-loop:MS registers and removes it, each for so long */
    /* Takes the raw input that came in a freeze, and counts it. raw-eats:MS also writes one line
     * about raw input each MS. */
    {"raw-eats", LOOP_GET, all, 1},
    {"raw-rests", LOOP_GET, all, 1},      /* the same, and retrieves nothing after that */
    {"raw-keys", LOOP_GET, all, 1},       /* raw-keys:MS registers the raw keyboard after so long */
    {"late-window", LOOP_GET, all, 1},    /* late-window:MS closed, so long none, then another's */
    {"two-threads", LOOP_GET, all, 1},    /* a second, smaller window on another UI thread */
    {"peek-noremove", LOOP_PEEK, all, 1}, /* looks at each message many times before taking it */
    {"recreate", LOOP_GET, all, 1},       /* destroys and makes its main window each second */
    {"hidden", LOOP_GET, all, 1},         /* a window that is never shown */
    {"hide", LOOP_GET, all, 1},           /* closed, it hides, and another thread shows one */
    {"busy-paint", LOOP_GET, all, 1},     /* paints all the time, 4 ms each */
    {"idle-work", LOOP_IDLE, all, 1},     /* works when its queue is empty; says how often */
    {"registered", LOOP_GET, all, 1}, /* a registered message of lParam 1: asleep for wParam ms */
    {"sends", LOOP_GET, all, 1},      /* a registered message of lParam 1 and wParam enum sends */
    {"churn", LOOP_GET, all,
     1}, /* churn_win32.h; a registered message of lParam 1: so many windows come and go */
    {"makes", LOOP_GET, all, 1}, /* made_win32.h; a registered message of lParam 1: makes all */
    /* demo/panes_win32.h; a key resizes them. panes:MS: what the inner one costs, in place of 20 */
    {"panes", LOOP_GET, all, 1},
    /* owner_drawn_win32.h; a registered message of lParam 1: so many rounds */
    {"owner-drawn", LOOP_GET, all, 1},
    /* scrolled_win32.h; a registered message of lParam 1 resizes the part */
    {"scrolled", LOOP_GET, all, 1},
    {"draws", LOOP_GET, all, 1}, /* says each move of a stroke: it captures the mouse for that */
    /* hittest:MS takes so long for each WM_NCHITTEST, from a registered message of lParam 1 on */
    {"hittest", LOOP_GET, all, 1},
    {"dialog", LOOP_GET, all, 1},     /* dialog_buttons_win32.h */
    {"box", LOOP_GET, all, 1},        /* a message box without an owner comes by itself */
    {"no-window", LOOP_NONE, all, 1}, /* a console program */
};

struct target {
    struct um_demo_options options;
    const struct mode *mode;
    uint32_t late_ms;
    struct um_demo_play second_play;
    struct um_demo_ui ui;
    struct um_demo_ui second_ui;
    HWND hwnd;
    HWND second_hwnd;
    HANDLE second_thread;
    HANDLE loop_thread;
    HANDLE loop_over;
    bool recreating;
    bool slow_hits; /* hittest: it has been told */
    bool raw;       /* it has registered raw input */
    uint64_t raw_count;
    uint64_t raw_tagged;
    wchar_t class_name[64];
    HINSTANCE class_module;
};

/* Static: player threads may look at it until the process has ended. */
static struct target target = {.class_name = L"UimonOdd"};

static bool is_mode(const char *name)
{
    return strcmp(target.mode->name, name) == 0;
}

/* Sent messages -------------------------------------------------------------------------------- */

/* What the mode "sends" does, by number. Each ends with a line "nest" in the log. */
enum sends {
    SENDS_MANY = 1, /* 2,000 messages to itself, one after the other: COUNT */
    SENDS_JUMP = 2, /* 3 times a message whose handler, in one within it, jumps out of both */
    SENDS_OWN_END,  /* a window ends in the handling of a message of its own */
    SENDS_THREAD,   /* another thread sends 5 messages, two of them with a time limit */
    SENDS_LONG,     /* a message within another one, in which it says "inner", lasts until told */
    SENDS_LOOKS     /* from now on it looks for hooks before its own (looks_win32.h) */
};

#define SENDS_COUNT 2000
#define MSG_OUTER (WM_APP + 31)
#define MSG_INNER (WM_APP + 32)
#define MSG_END (WM_APP + 33)

static jmp_buf out_of_both;
static int jumps_wanted;

static void last_long(void)
{
    const DWORD turn_ms = 10;
    told_begin();
    printf("inner\n");
    fflush(stdout);
    while (!told) {
        looks_send();
        Sleep(turn_ms);
    }
}

static LRESULT CALLBACK sends_proc(HWND hwnd, UINT message, WPARAM wparam, LPARAM lparam)
{
    switch (message) {
    case MSG_OUTER:
        return SendMessageW(hwnd, MSG_INNER, wparam, 0);
    case MSG_INNER:
        if (jumps_wanted)
            longjmp(out_of_both, 1);
        if (wparam == SENDS_LONG)
            last_long();
        return 0;
    case MSG_END:
        DestroyWindow(hwnd);
        return 0;
    default:
        return DefWindowProcW(hwnd, message, wparam, lparam);
    }
}

static HWND make_sends_window(HWND parent)
{
    WNDCLASSW sends_class = {.lpfnWndProc = sends_proc,
                             .hInstance = GetModuleHandleW(NULL),
                             .lpszClassName = L"UimonSends"};
    RegisterClassW(&sends_class); /* fails harmlessly the second time */
    return CreateWindowExW(0, L"UimonSends", NULL, WS_CHILD, 0, 0, 1, 1, parent, NULL,
                           sends_class.hInstance, NULL);
}

static DWORD WINAPI send_from_thread(void *window)
{
    const UINT limit_ms = 60000; /* what is not taken by then never is */
    DWORD_PTR result;
    for (int i = 0; i < 3; i++)
        SendMessageW(window, MSG_INNER, 0, 0);
    for (int i = 0; i < 2; i++)
        SendMessageTimeoutW(window, MSG_INNER, 0, 0, SMTO_NORMAL, limit_ms, &result);
    PostMessageW(window, WM_CLOSE, 0, 0);
    return 0;
}

/* The jumps leave the handlers, and the system's way to them, behind. */
static void jump_out(HWND window)
{
    static volatile int times;
    times = 0;
    jumps_wanted = 1;
    if (setjmp(out_of_both))
        times++;
    if (times < 3)
        SendMessageW(window, MSG_OUTER, 0, 0);
    jumps_wanted = 0;
}

static void send(HWND hwnd, WPARAM what)
{
    HWND window = make_sends_window(hwnd);
    struct um_demo_log_event event = {.kind = UM_DEMO_LOG_NEST,
                                      .begin_ns = um_clock_now_ns(),
                                      .count = what == SENDS_MANY ? SENDS_COUNT : 0,
                                      .tid = GetCurrentThreadId()};
    for (int i = 0; i < SENDS_COUNT && what == SENDS_MANY; i++)
        SendMessageW(window, MSG_INNER, 0, 0);
    if (what == SENDS_JUMP)
        jump_out(window);
    if (what == SENDS_OWN_END)
        SendMessageW(window, MSG_END, 0, 0);
    if (what == SENDS_LONG)
        SendMessageW(window, MSG_OUTER, SENDS_LONG, 0);
    if (what == SENDS_LOOKS) {
        looks_begin();
        SetTimer(hwnd, LOOKS_TIMER, LOOKS_MS, NULL);
    }
    if (what == SENDS_THREAD)
        CloseHandle(CreateThread(NULL, 0, send_from_thread, window, 0, NULL));
    event.end_ns = um_clock_now_ns();
    um_demo_journal_write(target.ui.journal, &event);
    if (what != SENDS_THREAD && what != SENDS_OWN_END)
        DestroyWindow(window);
}

/* Raw input ------------------------------------------------------------------------------------ */

static void remove_raw(void)
{
    RAWINPUTDEVICE device = {.usUsagePage = 1, .usUsage = 2, .dwFlags = RIDEV_REMOVE};
    target.raw = !RegisterRawInputDevices(&device, 1, sizeof device);
}

static void register_raw(HWND hwnd)
{
    const USHORT mouse = 2;
    const USHORT keyboard = 6;
    RAWINPUTDEVICE device = {.usUsagePage = 1,
                             .usUsage = is_mode("raw-keys") ? keyboard : mouse,
                             .dwFlags = RIDEV_INPUTSINK,
                             .hwndTarget = hwnd};
    target.raw = RegisterRawInputDevices(&device, 1, sizeof device) != 0;
}

static const char *raw_owner(HWND hwnd)
{
    RAWINPUTDEVICE devices[16];
    UINT count = ARRAYSIZE(devices);
    UINT found = GetRegisteredRawInputDevices(devices, &count, sizeof devices[0]);
    for (UINT i = 0; found != (UINT)-1 && i < found; i++)
        if (devices[i].usUsagePage == 1 && devices[i].usUsage == 2)
            return devices[i].hwndTarget == hwnd ? "own" : "other";
    return "none";
}

static void log_raw(HWND hwnd)
{
    struct um_demo_log_event event = {.kind = UM_DEMO_LOG_RAW,
                                      .begin_ns = um_clock_now_ns(),
                                      .count = target.raw_count,
                                      .tagged = target.raw_tagged};
    snprintf(event.name, sizeof event.name, "%s", raw_owner(hwnd));
    um_demo_journal_write(target.ui.journal, &event);
}

/* Registers and removes, over and over, in a thread of its own. At the end the log has a line "raw"
 * with the name "loop": COUNT is how often somebody else had registered while there was nothing,
 * and TAGGED how often somebody else had replaced the registration. */
static DWORD WINAPI loop_raw(void *arg)
{
    HWND hwnd = arg;
    uint64_t pause_ns = target.late_ms * UM_CLOCK_NS_PER_MS;
    struct um_demo_log_event event = {.kind = UM_DEMO_LOG_RAW, .name = "loop"};

    while (WaitForSingleObject(target.loop_over, 0) == WAIT_TIMEOUT) {
        event.count += strcmp(raw_owner(hwnd), "other") == 0;
        register_raw(hwnd);
        um_clock_sleep_ns(pause_ns);
        event.tagged += strcmp(raw_owner(hwnd), "other") == 0;
        remove_raw();
        um_clock_sleep_ns(pause_ns);
    }
    event.begin_ns = um_clock_now_ns();
    um_demo_journal_write(target.ui.journal, &event);
    return 0;
}

static void count_raw(const RAWINPUT *raw)
{
    target.raw_count++;
    if (raw->header.dwType == RIM_TYPEMOUSE && um_tag_is_beat(raw->data.mouse.ulExtraInformation))
        target.raw_tagged++;
}

static void take_raw(LPARAM lparam)
{
    RAWINPUT raw;
    UINT size = sizeof raw;
    if (GetRawInputData((HRAWINPUT)lparam, RID_INPUT, &raw, &size, sizeof(RAWINPUTHEADER)) !=
        (UINT)-1)
        count_raw(&raw);
}

static void drain_raw(void)
{
    static RAWINPUT buffer[64];
    for (;;) {
        UINT size = sizeof buffer;
        UINT count = GetRawInputBuffer(buffer, &size, sizeof(RAWINPUTHEADER));
        if (count == 0 || count == (UINT)-1)
            return;
        const uint8_t *at = (const uint8_t *)buffer;
        for (UINT i = 0; i < count; i++) {
            RAWINPUT raw;
            memcpy(&raw, at, sizeof raw);
            count_raw(&raw);
            at += (raw.header.dwSize + 7U) & ~7U;
        }
    }
}

/* Takes all raw input that came in while a message was handled for long, beats and all. With
 * raw-eats a timer gives the loop something to retrieve from then on. */
static void eat_raw(HWND hwnd, uint64_t handled_from_ns)
{
    if ((!is_mode("raw-eats") && !is_mode("raw-rests")) ||
        um_clock_now_ns() - handled_from_ns < UM_CLOCK_NS_PER_S)
        return;
    drain_raw();
    log_raw(hwnd);
    if (is_mode("raw-eats"))
        SetTimer(hwnd, EATEN_TIMER, EATEN_MS, NULL);
}

/* Windows -------------------------------------------------------------------------------------- */

static HWND make_window(struct um_demo_ui *ui, const char *title, const int32_t pos[4]);
static DWORD WINAPI run_second(void *arg);

static void hide(HWND hwnd)
{
    ShowWindow(hwnd, SW_HIDE);
    if (!target.second_thread)
        target.second_thread = CreateThread(NULL, 0, run_second, NULL, 0, NULL);
}

/* The new one comes first, so that no instant is without a window to see. */
static void recreate(HWND hwnd)
{
    HWND made = make_window(&target.ui, target.options.title, target.options.pos);
    um_demo_ui_log_window(&target.ui, UM_DEMO_LOG_WINDOW, made, "recreated");
    SetTimer(made, SECOND_TIMER, 1000, NULL);
    target.hwnd = made;
    target.recreating = true;
    DestroyWindow(hwnd);
    target.recreating = false;
}

static void on_timer(HWND hwnd, WPARAM id)
{
    if (id == EATEN_TIMER)
        return;
    if (id == LOOKS_TIMER) {
        looks_send();
        looks_take();
        return;
    }
    if (id == BOX_TIMER) {
        KillTimer(hwnd, BOX_TIMER);
        MessageBoxW(NULL, L"Nobody asked for it.", L"A box", MB_OK);
    } else if (id == LATE_TIMER) {
        KillTimer(hwnd, LATE_TIMER);
        register_raw(hwnd);
        log_raw(hwnd);
        SetTimer(hwnd, SECOND_TIMER, 1000, NULL);
    } else if (is_mode("recreate")) {
        recreate(hwnd);
    } else {
        log_raw(hwnd);
    }
}

/* A line on standard output for the press, each move while the button is down, and the release:
 * where it was, in the window, and since the press the time in ms by which messages are stamped. */
static void draw_stroke(HWND hwnd, UINT message, LPARAM lparam)
{
    static LONG begun_ms;
    const char *what = message == WM_LBUTTONDOWN ? "press"
                       : message == WM_LBUTTONUP ? "release"
                                                 : "move";
    if (message == WM_LBUTTONDOWN) {
        begun_ms = GetMessageTime();
        SetCapture(hwnd);
    }
    printf("%s %d %d after %ld\n", what, (short)LOWORD(lparam), (short)HIWORD(lparam),
           GetMessageTime() - begun_ms);
    fflush(stdout);
    if (message == WM_LBUTTONUP)
        ReleaseCapture();
}

static void paint(HWND hwnd)
{
    PAINTSTRUCT paint_struct;
    RECT client;
    static int turn;
    HDC dc = BeginPaint(hwnd, &paint_struct);
    uint64_t until_ns = um_clock_now_ns() + BUSY_PAINT_NS;
    HBRUSH brush = CreateSolidBrush(turn++ % 2 ? RGB(226, 232, 240) : RGB(203, 213, 225));
    GetClientRect(hwnd, &client);
    FillRect(dc, &client, brush);
    DeleteObject(brush);
    EndPaint(hwnd, &paint_struct);
    if (!is_mode("busy-paint"))
        return;
    while (um_clock_now_ns() < until_ns)
        ;
    InvalidateRect(hwnd, NULL, FALSE);
}

static void destroyed(struct um_demo_ui *ui, HWND hwnd)
{
    um_demo_ui_log_window(ui, UM_DEMO_LOG_GONE, hwnd, ui == &target.ui ? "main" : "second");
    if (target.raw && ui == &target.ui)
        log_raw(hwnd);
    if (!target.recreating)
        PostQuitMessage(0);
}

static void take_time_for_hit(struct um_demo_ui *ui)
{
    struct um_demo_log_event event = {
        .kind = UM_DEMO_LOG_HIT, .tid = GetCurrentThreadId(), .begin_ns = um_clock_now_ns()};
    um_clock_sleep_ns(target.late_ms * UM_CLOCK_NS_PER_MS);
    event.end_ns = um_clock_now_ns();
    um_demo_journal_write(ui->journal, &event);
}

static void block_until_told(struct um_demo_ui *ui, HWND hwnd)
{
    struct um_demo_log_event event = {.kind = UM_DEMO_LOG_FREEZE,
                                      .name = "until told",
                                      .retrieved_ns = ui->retrieved_ns,
                                      .message = UM_DEMO_UI_BLOCK,
                                      .hwnd = (uint64_t)(uintptr_t)hwnd,
                                      .tid = GetCurrentThreadId(),
                                      .begin_ns = um_clock_now_ns()};
    told_begin();
    um_demo_journal_away(ui->journal, event.tid); /* from now on it can be told */
    told_wait();
    event.end_ns = um_clock_now_ns();
    ui->away = true;
    um_demo_journal_write(ui->journal, &event);
}

static LRESULT CALLBACK window_proc(HWND hwnd, UINT message, WPARAM wparam, LPARAM lparam)
{
    struct um_demo_ui *ui = (struct um_demo_ui *)GetWindowLongPtrW(hwnd, GWLP_USERDATA);
    if (message == WM_CREATE)
        SetWindowLongPtrW(hwnd, GWLP_USERDATA,
                          (LONG_PTR)((const CREATESTRUCTW *)lparam)->lpCreateParams);
    uint64_t begin_ns = um_clock_now_ns();
    if (!ui)
        return DefWindowProcW(hwnd, message, wparam, lparam);
    if (message == UM_DEMO_UI_BLOCK && told_lasts((uint32_t)wparam)) {
        block_until_told(ui, hwnd);
        eat_raw(hwnd, begin_ns);
        return 0;
    }
    if (um_demo_ui_handle(ui, hwnd, message, wparam, lparam)) {
        eat_raw(hwnd, begin_ns);
        return 0;
    }
    if (is_mode("registered") && message >= REGISTERED_FIRST && lparam == 1) {
        um_demo_ui_block(ui, hwnd, message, "sleep", (uint32_t)wparam, 0);
        return 0;
    }
    if (is_mode("hittest") && message >= REGISTERED_FIRST && lparam == 1) {
        target.slow_hits = true;
        return 0;
    }
    if (is_mode("raw-ends") && message >= REGISTERED_FIRST && lparam == 1) {
        remove_raw();
        log_raw(hwnd);
        return 0;
    }
    if (is_mode("churn") && message >= REGISTERED_FIRST && lparam == 1) {
        churn(hwnd, message, wparam);
        return 0;
    }
    if (is_mode("owner-drawn") && message >= REGISTERED_FIRST && lparam == 1) {
        draw_owner_drawn((unsigned)wparam);
        return 0;
    }
    if (is_mode("scrolled") && message >= REGISTERED_FIRST && lparam == 1) {
        resize_scrolled();
        return 0;
    }
    answer_owner_drawn(hwnd, message, wparam, lparam);
    if (is_mode("makes") && message >= REGISTERED_FIRST && lparam == 1) {
        make_all(hwnd);
        return 0;
    }
    if (is_mode("sends") && message >= REGISTERED_FIRST && lparam == 1) {
        send(hwnd, wparam);
        return 0;
    }
    switch (message) {
    case HEAP_MESSAGE:
        return (LRESULT)heap_bytes();
    case WM_PAINT:
        paint(hwnd);
        return 0;
    case WM_TIMER:
        on_timer(hwnd, wparam);
        return 0;
    case WM_INPUT:
        take_raw(lparam);
        break;
    case WM_NCHITTEST:
        if (target.slow_hits)
            take_time_for_hit(ui);
        break;
    case WM_SIZE:
        if (is_mode("dialog"))
            lay_out_dialog_buttons(hwnd);
        break;
    case WM_KEYDOWN:
        if (is_mode("panes"))
            um_demo_panes_resize();
        break;
    case WM_LBUTTONDOWN:
    case WM_MOUSEMOVE:
    case WM_LBUTTONUP:
        if (is_mode("draws") && (message != WM_MOUSEMOVE || wparam & MK_LBUTTON))
            draw_stroke(hwnd, message, lparam);
        break;
    case WM_CLOSE:
        if (!is_mode("hide") || ui != &target.ui)
            break;
        hide(hwnd);
        return 0;
    case WM_DESTROY:
        destroyed(ui, hwnd);
        return 0;
    }
    return DefWindowProcW(hwnd, message, wparam, lparam);
}

static HWND make_window(struct um_demo_ui *ui, const char *title, const int32_t pos[4])
{
    const RECT panes = {10, 10, 410, 310};
    wchar_t wide[256] = L"";
    MultiByteToWideChar(CP_UTF8, 0, title, -1, wide, ARRAYSIZE(wide));
    HWND hwnd = CreateWindowExW(0, target.class_name, wide, WS_OVERLAPPEDWINDOW, pos[0], pos[1],
                                pos[2], pos[3], NULL, NULL, target.class_module, ui);
    if (hwnd && is_mode("churn"))
        register_churn();
    if (hwnd && is_mode("panes"))
        um_demo_panes_open(ui, hwnd, &panes, target.late_ms ? target.late_ms : 20);
    if (hwnd && is_mode("makes"))
        make_old(hwnd);
    if (hwnd && is_mode("dialog"))
        make_dialog_buttons(hwnd);
    if (hwnd && is_mode("scrolled"))
        make_scrolled(hwnd, (enum scrolled)target.late_ms);
    if (hwnd && is_mode("owner-drawn"))
        make_owner_drawn(hwnd);
    if (hwnd && !is_mode("hidden")) {
        ShowWindow(hwnd, SW_SHOW);
        UpdateWindow(hwnd);
    }
    return hwnd;
}

/* Loops ---------------------------------------------------------------------------------------- */

/* Takes what is there of some ranges; false when the program is to end. */
static bool take_ranges(struct um_demo_ui *ui, const struct mode *mode)
{
    MSG msg;
    for (int i = 0; i < mode->range_count;) {
        const struct range *range = &mode->ranges[i];
        if (!PeekMessageW(&msg, NULL, range->first, range->last, PM_REMOVE)) {
            i++;
            continue;
        }
        if (msg.message == WM_QUIT)
            return false;
        um_demo_ui_note(ui, &msg);
        um_demo_ui_dispatch(ui, NULL, &msg);
        i = 0;
    }
    return true;
}

static void look_often(void)
{
    const int looks = 20;
    MSG msg;
    for (int i = 0; i < looks; i++)
        PeekMessageW(&msg, NULL, 0, 0, PM_NOREMOVE);
}

/* Loops that peek instead of waiting in GetMessage. */
static void run_peeking(struct um_demo_ui *ui)
{
    const DWORD turn_ms = 10;
    for (;;) {
        if (target.mode->loop == LOOP_PEEK)
            look_often();
        if (target.mode->loop == LOOP_RAW_BUFFER)
            drain_raw();
        if (!take_ranges(ui, target.mode))
            return;
        MsgWaitForMultipleObjects(0, NULL, FALSE, turn_ms, QS_ALLINPUT);
    }
}

static void run_own_window(struct um_demo_ui *ui)
{
    MSG msg;
    while (IsWindow(target.hwnd) && GetMessageW(&msg, target.hwnd, 0, 0) > 0) {
        um_demo_ui_note(ui, &msg);
        um_demo_ui_dispatch(ui, NULL, &msg);
    }
}

static volatile LONG idle_rounds;

/* Says once a second how often there was idle work, on a thread that the UI thread does not see. */
static DWORD WINAPI tell_rounds(void *unused)
{
    (void)unused;
    for (;;) {
        printf("rounds %ld\n", idle_rounds);
        fflush(stdout);
        Sleep(1000);
    }
    return 0;
}

/* The loop of MFC: idle work once the queue is empty, and not again before a message has come that
 * may have changed something (CWinThread::Run and IsIdleMessage). */
static void run_with_idle_work(struct um_demo_ui *ui)
{
    bool idle = true;
    MSG msg;

    CloseHandle(CreateThread(NULL, 0, tell_rounds, NULL, 0, NULL));
    for (;;) {
        if (idle && !PeekMessageW(&msg, NULL, 0, 0, PM_NOREMOVE)) {
            idle_rounds++;
            idle = false;
        }
        if (GetMessageW(&msg, NULL, 0, 0) <= 0)
            return;
        idle |= msg.message != WM_PAINT && msg.message != WM_SYSTIMER;
        um_demo_ui_note(ui, &msg);
        um_demo_ui_dispatch(ui, NULL, &msg);
    }
}

static void run_loop(struct um_demo_ui *ui)
{
    if (target.mode->loop == LOOP_GET)
        um_demo_ui_run(ui, NULL);
    else if (target.mode->loop == LOOP_OWN_WINDOW)
        run_own_window(ui);
    else if (target.mode->loop == LOOP_IDLE)
        run_with_idle_work(ui);
    else
        run_peeking(ui);
}

/* Start ---------------------------------------------------------------------------------------- */

static void start_play(struct um_demo_ui *ui, HWND hwnd, const struct um_demo_play *play)
{
    struct um_demo_player player = {.ui = ui,
                                    .hwnd = hwnd,
                                    .play = *play,
                                    .delay_ms = target.options.delay_ms,
                                    .pause_ms = target.options.pause_ms,
                                    .repeat = target.options.repeat};
    if (play->len)
        um_demo_player_start(&player);
}

static DWORD WINAPI run_second(void *arg)
{
    char title[256];
    const int32_t *pos = target.options.pos;
    const int32_t second_pos[4] = {pos[0] + 40, pos[1] + pos[3] + 20, pos[2] / 2, pos[3] / 2};
    (void)arg;
    snprintf(title, sizeof title, "%s two", target.options.title);
    target.second_ui.journal = target.ui.journal;
    HWND hwnd = make_window(&target.second_ui, title, second_pos);
    um_demo_ui_log_window(&target.second_ui, UM_DEMO_LOG_WINDOW, hwnd, "second");
    target.second_hwnd = hwnd;
    start_play(&target.second_ui, hwnd, &target.second_play);
    um_demo_ui_run(&target.second_ui, NULL);
    return 0;
}

/* The first window of late-window, on a thread that ends with it. */
static DWORD WINAPI run_first(void *arg)
{
    (void)arg;
    target.second_ui.journal = target.ui.journal;
    HWND hwnd = make_window(&target.second_ui, "the first window", target.options.pos);
    um_demo_ui_log_window(&target.second_ui, UM_DEMO_LOG_START, hwnd, "");
    um_demo_ui_log_window(&target.second_ui, UM_DEMO_LOG_READY, hwnd, "");
    um_demo_ui_run(&target.second_ui, NULL);
    return 0;
}

static int run_late_window(void)
{
    HANDLE first = CreateThread(NULL, 0, run_first, NULL, 0, NULL);
    if (!first)
        return EXIT_FAILURE;
    WaitForSingleObject(first, INFINITE);
    CloseHandle(first);
    um_clock_sleep_ns(target.late_ms * UM_CLOCK_NS_PER_MS);
    target.hwnd = make_window(&target.ui, target.options.title, target.options.pos);
    um_demo_ui_log_window(&target.ui, UM_DEMO_LOG_WINDOW, target.hwnd, "late");
    run_loop(&target.ui);
    return EXIT_SUCCESS;
}

static void start_mode(HWND hwnd)
{
    if (is_mode("two-threads"))
        target.second_thread = CreateThread(NULL, 0, run_second, NULL, 0, NULL);
    if (is_mode("raw-early") || is_mode("rawbuffer") || is_mode("raw-ends"))
        register_raw(hwnd);
    if (is_mode("witness"))
        witness_begin();
    if (is_mode("raw-early") || is_mode("rawbuffer") || is_mode("raw-late") || is_mode("witness") ||
        is_mode("recreate"))
        SetTimer(hwnd, SECOND_TIMER, 1000, NULL);
    if (is_mode("raw-eats") && target.late_ms)
        SetTimer(hwnd, SECOND_TIMER, target.late_ms, NULL);
    if (is_mode("raw-loop")) {
        target.loop_over = CreateEventW(NULL, TRUE, FALSE, NULL);
        target.loop_thread = CreateThread(NULL, 0, loop_raw, hwnd, 0, NULL);
    }
    if (is_mode("raw-late") || is_mode("raw-keys"))
        SetTimer(hwnd, LATE_TIMER, target.late_ms, NULL);
    if (is_mode("box"))
        SetTimer(hwnd, BOX_TIMER, 0, NULL);
}

/* The second window goes with the first, before the log is closed. */
static void end_second(void)
{
    if (!target.second_thread)
        return;
    PostMessageW(target.second_hwnd, WM_CLOSE, 0, 0);
    WaitForSingleObject(target.second_thread, INFINITE);
    CloseHandle(target.second_thread);
}

static void end_loop(void)
{
    if (!target.loop_thread)
        return;
    SetEvent(target.loop_over);
    WaitForSingleObject(target.loop_thread, INFINITE);
    CloseHandle(target.loop_thread);
}

static int run_window(void)
{
    WNDCLASSEXW window_class = {.cbSize = sizeof window_class,
                                .lpfnWndProc = window_proc,
                                .hInstance = target.class_module,
                                .hCursor = LoadCursorW(NULL, (LPCWSTR)IDC_ARROW),
                                .lpszClassName = target.class_name};
    RegisterClassExW(&window_class);
    if (is_mode("late-window"))
        return run_late_window();
    target.hwnd = make_window(&target.ui, target.options.title, target.options.pos);
    if (!target.hwnd)
        return EXIT_FAILURE;
    um_demo_ui_log_window(&target.ui, UM_DEMO_LOG_START, target.hwnd, "");
    start_mode(target.hwnd);
    um_demo_ui_log_window(&target.ui, UM_DEMO_LOG_READY, target.hwnd, "");
    start_play(&target.ui, target.hwnd, &target.options.play);
    run_loop(&target.ui);
    end_second();
    end_loop();
    return EXIT_SUCCESS;
}

/* Sleeps where a window would be; --seconds 0 sleeps for a day. */
static int run_console(void)
{
    const uint32_t day_s = 86400;
    uint32_t seconds = target.options.seconds ? target.options.seconds : day_s;
    um_demo_ui_log_window(&target.ui, UM_DEMO_LOG_START, NULL, "");
    um_clock_sleep_ns(seconds * UM_CLOCK_NS_PER_S);
    return EXIT_SUCCESS;
}

/* Windows change while it runs in `recreate`, so the end is the process's and not a window's. */
static DWORD WINAPI end_later(void *arg)
{
    (void)arg;
    um_clock_sleep_ns(target.options.seconds * UM_CLOCK_NS_PER_S);
    PostMessageW(target.hwnd, WM_CLOSE, 0, 0);
    um_clock_sleep_ns(UM_CLOCK_NS_PER_S);
    PostMessageW(target.hwnd, WM_CLOSE, 0, 0);
    return 0;
}

static bool set_mode(const char *text)
{
    size_t len = strcspn(text, ":");
    for (size_t i = 0; i < ARRAYSIZE(modes); i++) {
        if (strlen(modes[i].name) == len && memcmp(modes[i].name, text, len) == 0) {
            target.mode = &modes[i];
            target.late_ms = text[len] ? (uint32_t)strtoul(text + len + 1, NULL, 10) : 0;
            return true;
        }
    }
    return false;
}

static bool set_class(const char *name)
{
    return MultiByteToWideChar(CP_UTF8, 0, name, -1, target.class_name,
                               ARRAYSIZE(target.class_name)) != 0;
}

static bool set_class_module(const char *path)
{
    wchar_t wide[512];
    if (!MultiByteToWideChar(CP_UTF8, 0, path, -1, wide, ARRAYSIZE(wide)))
        return false;
    target.class_module = LoadLibraryW(wide);
    return target.class_module != NULL;
}

/* Takes out the options that the demo does not have; the rest is the demo's. */
static bool parse(int argc, char **argv)
{
    char error[320];
    int kept = 0;
    for (int i = 1; i < argc; i++) {
        bool has_value = i + 1 < argc;
        if (strcmp(argv[i], "--mode") == 0 && has_value) {
            if (!set_mode(argv[++i]))
                return false;
        } else if (strcmp(argv[i], "--play2") == 0 && has_value) {
            if (um_demo_play_parse(argv[++i], &target.second_play) != UM_OK)
                return false;
        } else if (strcmp(argv[i], "--class") == 0 && has_value) {
            if (!set_class(argv[++i]))
                return false;
        } else if (strcmp(argv[i], "--class-module") == 0 && has_value) {
            if (!set_class_module(argv[++i]))
                return false;
        } else {
            argv[kept++] = argv[i];
        }
    }
    if (um_demo_options_parse(kept, argv, &target.options, error, sizeof error) == UM_OK)
        return target.mode;
    fprintf(stderr, "%s\n", error);
    return false;
}

int main(int argc, char **argv)
{
    static const int32_t default_pos[4] = {60, 60, 640, 400};
    target.class_module = GetModuleHandleW(NULL);
    if (!parse(argc, argv)) {
        fprintf(stderr, "usage: target_odd_win32 --mode MODE [options of the demo]; modes:\n");
        for (size_t i = 0; i < ARRAYSIZE(modes); i++)
            fprintf(stderr, "  %s\n", modes[i].name);
        return 2;
    }
    if (!target.options.has_pos)
        memcpy(target.options.pos, default_pos, sizeof default_pos);
    if (target.options.log && um_demo_journal_open(target.options.log, target.options.stall_ms,
                                                   &target.ui.journal) != UM_OK) {
        fprintf(stderr, "cannot write %s\n", target.options.log);
        return EXIT_FAILURE;
    }
    if (target.mode->loop != LOOP_NONE && target.options.seconds) {
        HANDLE thread = CreateThread(NULL, 0, end_later, NULL, 0, NULL);
        if (thread)
            CloseHandle(thread);
    }
    int result = target.mode->loop == LOOP_NONE ? run_console() : run_window();
    um_demo_journal_close(target.ui.journal);
    return result;
}
