/* The two hooks that see sent messages, for whoever asks for them: the tracer and the layout. They
 * make the system call back into user mode twice for each message, so they are set only while
 * somebody does. */
#include "hooks/hook_win32.h"

/* Written by the worker. */
static HHOOK entered_hook;
static HHOOK left_hook;
static unsigned wanted; /* a bit for each enum um_sent_user */

static int is_ours(HWND window)
{
    return window == um_hook.sink;
}

/* WH_CALLWNDPROC: a sent message is about to be handled. */
static LRESULT CALLBACK on_entered(int code, WPARAM by_own_thread, LPARAM info)
{
    const CWPSTRUCT *sent = (const CWPSTRUCT *)info;
    if (code == HC_ACTION && um_observe_is_watched()) {
        DWORD error = GetLastError();
        if (um_trace_is_on() && !is_ours(sent->hwnd))
            um_trace_entered(sent, !by_own_thread, um_hook_ticks(), UM_HOOK_PLACE());
        if (um_layout_is_on())
            um_layout_entered(sent, UM_HOOK_PLACE());
        SetLastError(error);
    }
    return CallNextHookEx(NULL, code, by_own_thread, info);
}

/* WH_CALLWNDPROCRET: a sent message was handled. */
static LRESULT CALLBACK on_left(int code, WPARAM by_own_thread, LPARAM info)
{
    const CWPRETSTRUCT *sent = (const CWPRETSTRUCT *)info;
    if (code == HC_ACTION && um_observe_is_watched()) {
        DWORD error = GetLastError();
        uint64_t ticks = um_hook_ticks();
        if (um_layout_is_on())
            um_layout_left(sent, ticks);
        if (um_trace_is_on() && !is_ours(sent->hwnd))
            um_trace_left(sent, ticks, UM_HOOK_PLACE());
        SetLastError(error);
    }
    return CallNextHookEx(NULL, code, by_own_thread, info);
}

static void unhook(void)
{
    if (entered_hook)
        UnhookWindowsHookEx(entered_hook);
    if (left_hook)
        UnhookWindowsHookEx(left_hook);
    entered_hook = left_hook = NULL;
}

int um_sent_want(enum um_sent_user user)
{
    if (!wanted) {
        entered_hook =
            SetWindowsHookExW(WH_CALLWNDPROC, on_entered, um_hook.module, um_hook.ui_tid);
        left_hook = SetWindowsHookExW(WH_CALLWNDPROCRET, on_left, um_hook.module, um_hook.ui_tid);
        if (!entered_hook || !left_hook) {
            unhook();
            return 0;
        }
    }
    wanted |= 1u << user;
    return 1;
}

void um_sent_leave(enum um_sent_user user)
{
    wanted &= ~(1u << user);
    if (!wanted)
        unhook();
}
