#include "demo/ui_win32.h"

#include <stdio.h>
#include <string.h>

#include "demo/play.h"
#include "demo/nest_win32.h"
#include "demo/panes_win32.h"
#include "demo/pool_win32.h"
#include "demo/spin_win32.h"
#include "base/plain/clock.h"

/* How long one message of a flood works. Shorter ones would make the flood a stress test of the
 * hook. */
#define FLOOD_WORK_NS (100 * UM_CLOCK_NS_PER_US)

/* The thread retrieved its first message after a freeze. */
static void log_back(struct um_demo_ui *ui, const MSG *msg)
{
    DWORD age_ms = GetTickCount() - msg->time;
    uint64_t age_ns = age_ms ? (age_ms - 1) * UM_CLOCK_NS_PER_MS : 0;
    ui->away = false;
    um_demo_journal_write(ui->journal,
                          &(struct um_demo_log_event){.kind = UM_DEMO_LOG_BACK,
                                                      .begin_ns = ui->retrieved_ns,
                                                      .tid = GetCurrentThreadId(),
                                                      .posted_ns = ui->retrieved_ns - age_ns});
}

bool um_demo_ui_is_modifier(WPARAM key)
{
    return (key >= VK_SHIFT && key <= VK_MENU) || key == VK_CAPITAL || key == VK_LWIN ||
           key == VK_RWIN || key == VK_NUMLOCK || key == VK_SCROLL ||
           (key >= VK_LSHIFT && key <= VK_RMENU);
}

static bool is_key(UINT message)
{
    return message >= WM_KEYFIRST && message <= WM_KEYLAST;
}

static bool is_character(UINT message)
{
    return message == WM_CHAR || message == WM_DEADCHAR || message == WM_SYSCHAR ||
           message == WM_SYSDEADCHAR;
}

/* The interaction that this message begins, by its name in the log; NULL if none. */
static const char *act_name(const MSG *msg)
{
    const LPARAM repeated = 1 << 30;
    switch (msg->message) {
    case WM_KEYDOWN:
    case WM_SYSKEYDOWN:
        return (msg->lParam & repeated) || um_demo_ui_is_modifier(msg->wParam) ? NULL : "key";
    case WM_LBUTTONDOWN:
    case WM_RBUTTONDOWN:
    case WM_MBUTTONDOWN:
    case WM_XBUTTONDOWN:
    case WM_LBUTTONDBLCLK:
    case WM_RBUTTONDBLCLK:
    case WM_MBUTTONDBLCLK:
    case WM_XBUTTONDBLCLK:
        return "click";
    case WM_LBUTTONUP:
    case WM_RBUTTONUP:
    case WM_MBUTTONUP:
    case WM_XBUTTONUP:
        return "release";
    case WM_MOUSEWHEEL:
    case WM_MOUSEHWHEEL:
        return "wheel";
    default:
        return NULL;
    }
}

static void log_acts(struct um_demo_ui *ui)
{
    struct um_demo_log_event act;
    while (um_demo_act_take(ui->acts, &act))
        um_demo_journal_write(ui->journal, &act);
}

static void note_act(struct um_demo_ui *ui, const MSG *msg)
{
    bool derived = msg->hwnd == ui->typing && is_character(msg->message);
    const char *name = msg->hwnd == ui->typing ? act_name(msg) : NULL;
    if (derived)
        return;
    um_demo_act_settle(ui->acts);
    if (is_key(msg->message))
        um_demo_act_end(ui->acts);
    if (name)
        um_demo_act_begin(ui->acts, name, GetCurrentThreadId(), ui->retrieved_ns);
    log_acts(ui);
}

void um_demo_ui_painted(struct um_demo_ui *ui, uint64_t begin_ns, uint64_t end_ns)
{
    um_demo_act_painted(ui->acts, begin_ns, end_ns);
    log_acts(ui);
}

void um_demo_ui_note(struct um_demo_ui *ui, const MSG *msg)
{
    ui->retrieved_ns = um_clock_now_ns();
    ui->retrieved_message = msg->message;
    if (ui->away)
        log_back(ui, msg);
    if (ui->typing)
        note_act(ui, msg);
}

static const char *input_name(UINT message)
{
    static const struct {
        UINT message;
        const char *name;
    } names[] = {
        {WM_KEYDOWN, "WM_KEYDOWN"},
        {WM_KEYUP, "WM_KEYUP"},
        {WM_CHAR, "WM_CHAR"},
        {WM_SYSKEYDOWN, "WM_SYSKEYDOWN"},
        {WM_SYSCHAR, "WM_SYSCHAR"},
        {WM_LBUTTONDOWN, "WM_LBUTTONDOWN"},
        {WM_LBUTTONUP, "WM_LBUTTONUP"},
        {WM_LBUTTONDBLCLK, "WM_LBUTTONDBLCLK"},
        {WM_RBUTTONDOWN, "WM_RBUTTONDOWN"},
        {WM_MBUTTONDOWN, "WM_MBUTTONDOWN"},
        {WM_MOUSEWHEEL, "WM_MOUSEWHEEL"},
    };
    for (size_t i = 0; i < ARRAYSIZE(names); i++)
        if (names[i].message == message)
            return names[i].name;
    return NULL;
}

static void log_paint(struct um_demo_ui *ui)
{
    um_demo_journal_write(ui->journal, &(struct um_demo_log_event){.kind = UM_DEMO_LOG_PAINT,
                                                                   .begin_ns = ui->retrieved_ns,
                                                                   .end_ns = um_clock_now_ns(),
                                                                   .tid = GetCurrentThreadId()});
}

void um_demo_ui_dispatch(struct um_demo_ui *ui, HWND dialog, const MSG *msg)
{
    MSG copy = *msg;
    struct um_demo_log_event event = {.kind = UM_DEMO_LOG_INPUT, .begin_ns = ui->retrieved_ns};
    const char *name = ui->journal ? input_name(msg->message) : NULL;
    if (name)
        GetClassNameA(msg->hwnd, event.class_name, (int)sizeof event.class_name);
    if (!dialog || !IsDialogMessageW(dialog, &copy)) {
        TranslateMessage(&copy);
        DispatchMessageW(&copy);
    }
    if (ui->logs_paints && msg->message == WM_PAINT)
        log_paint(ui);
    if (ui->typing == msg->hwnd && (act_name(msg) || is_character(msg->message)))
        um_demo_act_handled(ui->acts, um_clock_now_ns());
    if (!name)
        return;
    snprintf(event.name, sizeof event.name, "%s", name);
    event.tid = GetCurrentThreadId();
    um_demo_journal_write(ui->journal, &event);
}

void um_demo_ui_run(struct um_demo_ui *ui, HWND dialog)
{
    MSG msg;
    while (GetMessageW(&msg, NULL, 0, 0) > 0) {
        um_demo_ui_note(ui, &msg);
        um_demo_ui_dispatch(ui, dialog, &msg);
    }
}

void um_demo_ui_finish(struct um_demo_ui *ui)
{
    InterlockedIncrement(&ui->done);
    if (ui->after)
        ui->after(ui);
}

void um_demo_ui_block(struct um_demo_ui *ui, HWND hwnd, UINT message, const char *name, uint32_t ms,
                      uint64_t posted_ns)
{
    /* In a loop of the system (the window is moved, a menu is open) the last noted message is
     * another one. */
    bool retrieved = ui->retrieved_message == message && !InSendMessage();
    struct um_demo_log_event event = {.kind = UM_DEMO_LOG_FREEZE,
                                      .requested_ms = ms,
                                      .retrieved_ns = retrieved ? ui->retrieved_ns : 0,
                                      .message = retrieved ? message : 0,
                                      .hwnd = (uint64_t)(uintptr_t)hwnd,
                                      .tid = GetCurrentThreadId(),
                                      .posted_ns = retrieved ? posted_ns : 0};
    snprintf(event.name, sizeof event.name, "%s", name);
    event.begin_ns = um_clock_now_ns();
    um_demo_journal_away(ui->journal, event.tid);
    if (strcmp(name, "spin") == 0)
        um_demo_spin_ns(ms * UM_CLOCK_NS_PER_MS);
    else
        um_clock_sleep_ns(ms * UM_CLOCK_NS_PER_MS);
    event.end_ns = um_clock_now_ns();
    ui->away = true;
    um_demo_journal_write(ui->journal, &event);
    snprintf(ui->last_name, sizeof ui->last_name, "%s", name);
    ui->last_ns = event.end_ns - event.begin_ns;
    ui->freezes++;
    um_demo_ui_finish(ui);
}

/* Each message of a flood works a little and posts the next. */
static void flood(struct um_demo_ui *ui, HWND hwnd, uint32_t ms)
{
    uint64_t now_ns = um_clock_now_ns();
    if (!ui->flood_begin_ns) {
        ui->flood_begin_ns = now_ns;
        ui->flood_count = 0;
        ui->flood_ms = ms;
    }
    ui->flood_count++;
    if (now_ns - ui->flood_begin_ns < ui->flood_ms * UM_CLOCK_NS_PER_MS) {
        um_demo_spin_ns(FLOOD_WORK_NS);
        if (PostMessageW(hwnd, UM_DEMO_UI_FLOOD, 0, 0))
            return;
    }
    um_demo_journal_write(ui->journal, &(struct um_demo_log_event){.kind = UM_DEMO_LOG_FLOOD,
                                                                   .begin_ns = ui->flood_begin_ns,
                                                                   .end_ns = um_clock_now_ns(),
                                                                   .requested_ms = ui->flood_ms,
                                                                   .count = ui->flood_count,
                                                                   .tid = GetCurrentThreadId()});
    ui->flood_begin_ns = 0;
    ui->away = true;
    um_demo_ui_finish(ui);
}

#define STAMP_NS 1000 /* one step of a stamp */

LPARAM um_demo_ui_stamp(void)
{
    return (LPARAM)(uint32_t)(um_clock_now_ns() / STAMP_NS);
}

/* The time of a stamp of the last hour, exact to STAMP_NS; 0 if there is no stamp. */
static uint64_t stamped_ns(LPARAM stamp)
{
    uint64_t now_ns = um_clock_now_ns();
    uint32_t steps = (uint32_t)(now_ns / STAMP_NS) - (uint32_t)stamp;
    return stamp ? now_ns - (uint64_t)steps * STAMP_NS : 0;
}

/* Everything is logged by the UI thread, so that nothing is written once the log is closed. */
static void end_pool(struct um_demo_ui *ui, LPARAM calm)
{
    struct um_demo_log_event event;
    um_demo_pool_over(calm, &event);
    um_demo_journal_write(ui->journal, &event);
    um_demo_ui_finish(ui);
}

static void nest(struct um_demo_ui *ui, HWND hwnd, uint32_t packed)
{
    struct um_demo_log_event event;
    um_demo_nest_run(hwnd, packed, &event);
    um_demo_journal_write(ui->journal, &event);
    um_demo_ui_finish(ui);
}

bool um_demo_ui_handle(struct um_demo_ui *ui, HWND hwnd, UINT message, WPARAM wparam, LPARAM lparam)
{
    uint32_t ms = (uint32_t)wparam;
    switch (message) {
    case UM_DEMO_UI_BLOCK:
        um_demo_ui_block(ui, hwnd, message, "sleep", ms, stamped_ns(lparam));
        return true;
    case UM_DEMO_UI_SPIN:
        um_demo_ui_block(ui, hwnd, message, "spin", ms, stamped_ns(lparam));
        return true;
    case UM_DEMO_UI_SENT:
        um_demo_ui_block(ui, hwnd, message, "sent", ms, 0);
        return true;
    case UM_DEMO_UI_JANK:
        um_demo_ui_block(ui, hwnd, message, "jank", ms, stamped_ns(lparam));
        return true;
    case UM_DEMO_UI_FLOOD:
        flood(ui, hwnd, ms);
        return true;
    case UM_DEMO_UI_POOL:
        if (!um_demo_pool_flood(hwnd, ms))
            um_demo_ui_finish(ui);
        return true;
    case UM_DEMO_UI_NEST:
        nest(ui, hwnd, ms);
        return true;
    case UM_DEMO_UI_PANES:
        um_demo_panes_play(ui, hwnd, ms);
        return true;
    case UM_DEMO_UI_CALM:
        end_pool(ui, lparam);
        return true;
    case UM_DEMO_UI_STILL:
        um_demo_ui_finish(ui);
        return true;
    case UM_DEMO_UI_PLAYED:
        um_demo_ui_log_window(ui, UM_DEMO_LOG_PLAYED, hwnd, "");
        InterlockedExchange(&ui->playing, 0);
        return true;
    default:
        return false;
    }
}

void um_demo_ui_log_window(struct um_demo_ui *ui, enum um_demo_log_kind kind, HWND hwnd,
                           const char *name)
{
    struct um_demo_log_event event = {.kind = kind,
                                      .begin_ns = um_clock_now_ns(),
                                      .pid = GetCurrentProcessId(),
                                      .tid = GetCurrentThreadId(),
                                      .hwnd = (uint64_t)(uintptr_t)hwnd};
    snprintf(event.name, sizeof event.name, "%s", name);
    um_demo_journal_write(ui->journal, &event);
}
