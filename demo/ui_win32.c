#include "demo/ui_win32.h"

#include <stdio.h>
#include <string.h>

#include "demo/play.h"
#include "ipc/clock.h"

/* What one message of a flood does: enough that the flood is no stress test of the hook. */
#define FLOOD_WORK_NS (100 * UM_CLOCK_NS_PER_US)

void um_demo_ui_note(struct um_demo_ui *ui, const MSG *msg)
{
    ui->retrieved_ns = um_clock_now_ns();
    ui->retrieved_message = msg->message;
    ui->retrieved_hwnd = msg->hwnd;
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
    for (size_t i = 0; i < ARRAYSIZE(names); i++) {
        if (names[i].message == message)
            return names[i].name;
    }
    return NULL;
}

void um_demo_ui_dispatch(struct um_demo_ui *ui, HWND dialog, const MSG *msg)
{
    MSG copy = *msg;
    struct um_demo_log_event event = {.kind = UM_DEMO_LOG_INPUT, .begin_ns = ui->retrieved_ns};
    const char *name = ui->journal ? input_name(msg->message) : NULL;
    if (name)
        GetClassNameA(msg->hwnd, event.class_name, (int)sizeof(event.class_name));
    if (!dialog || !IsDialogMessageW(dialog, &copy)) {
        TranslateMessage(&copy);
        DispatchMessageW(&copy);
    }
    if (!name)
        return;
    /* Logged afterwards, so that the writing is no part of what the message costs. */
    snprintf(event.name, sizeof(event.name), "%s", name);
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

static void spin_ns(uint64_t ns)
{
    uint64_t begin_ns = um_clock_now_ns();
    while (um_clock_now_ns() - begin_ns < ns)
        ;
}

void um_demo_ui_block(struct um_demo_ui *ui, HWND hwnd, UINT message, const char *name, uint32_t ms)
{
    /* Within a system loop (moving the window, a menu) the last message noted is another one. */
    bool retrieved = ui->retrieved_message == message && !InSendMessage();
    struct um_demo_log_event event = {.kind = UM_DEMO_LOG_FREEZE,
                                      .requested_ms = ms,
                                      .retrieved_ns = retrieved ? ui->retrieved_ns : 0,
                                      .message = retrieved ? message : 0,
                                      .hwnd = (uint64_t)(uintptr_t)hwnd,
                                      .tid = GetCurrentThreadId()};
    snprintf(event.name, sizeof(event.name), "%s", name);
    event.begin_ns = um_clock_now_ns();
    if (strcmp(name, "spin") == 0)
        spin_ns(ms * UM_CLOCK_NS_PER_MS);
    else
        um_clock_sleep_ns(ms * UM_CLOCK_NS_PER_MS);
    event.end_ns = um_clock_now_ns();
    um_demo_journal_write(ui->journal, &event);
    snprintf(ui->last_name, sizeof(ui->last_name), "%s", name);
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
        spin_ns(FLOOD_WORK_NS);
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
    um_demo_ui_finish(ui);
}

bool um_demo_ui_handle(struct um_demo_ui *ui, HWND hwnd, UINT message, WPARAM wparam, LPARAM lparam)
{
    uint32_t ms = (uint32_t)wparam;
    switch (message) {
    case UM_DEMO_UI_BLOCK:
        um_demo_ui_block(ui, hwnd, message, lparam == UM_DEMO_PLAY_SPIN ? "spin" : "sleep", ms);
        return true;
    case UM_DEMO_UI_SENT:
        um_demo_ui_block(ui, hwnd, message, "sent", ms);
        return true;
    case UM_DEMO_UI_JANK:
        um_demo_ui_block(ui, hwnd, message, "jank", ms);
        return true;
    case UM_DEMO_UI_FLOOD:
        flood(ui, hwnd, ms);
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
    snprintf(event.name, sizeof(event.name), "%s", name);
    um_demo_journal_write(ui->journal, &event);
}
