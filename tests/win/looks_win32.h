/* How a program notices that somebody else's hooks are called before its own: by how deep on the
 * stack its own run. The hook that was set last is called first, and calls the next one, which so
 * lies deeper than when it is the only one. (Whose hook it is cannot be seen on the stack: a
 * procedure that ends with CallNextHookEx may jump there, and leaves no frame.)
 *
 * Says on standard output when that changes for a row of messages: "sent alone" or "sent behind" of
 * WH_CALLWNDPROC, "answered ..." of WH_CALLWNDPROCRET, "taken ..." of WH_GETMESSAGE. The first of
 * each is "alone". Header-only. Thread: one that has a loop.
 */
#ifndef UM_TESTS_WIN_LOOKS_WIN32_H
#define UM_TESTS_WIN_LOOKS_WIN32_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <windows.h>

#include "base/plain/compiler_win32.h"

#define LOOKS_MESSAGE (WM_APP + 50)
#define LOOKS_ROW 20    /* so many messages say the same */
#define LOOKS_DEEPER 64 /* bytes: less than a call of the next hook takes */

struct looks_hook {
    const char *name;
    uintptr_t alone, last; /* how deep it was at first, and lately; 0: not known */
    unsigned row;
    enum { LOOKS_NOTHING, LOOKS_ALONE, LOOKS_BEHIND } said;
};

static struct {
    HWND window;
    uintptr_t from; /* where on the stack the message is sent or taken; 0: none is */
    struct looks_hook sent, answered, taken;
} looks_set = {.sent.name = "sent", .answered.name = "answered", .taken.name = "taken"};

static inline void looks_note(struct looks_hook *hook, UINT message, const void *frame)
{
    if (!looks_set.from || message != LOOKS_MESSAGE)
        return;
    uintptr_t depth = looks_set.from - (uintptr_t)frame;
    hook->row = depth == hook->last ? hook->row + 1 : 1;
    hook->last = depth;
    if (hook->row != LOOKS_ROW)
        return;
    hook->alone = hook->alone ? hook->alone : depth;
    bool is_behind = depth >= hook->alone + LOOKS_DEEPER;
    if (hook->said == (is_behind ? LOOKS_BEHIND : LOOKS_ALONE))
        return;
    hook->said = is_behind ? LOOKS_BEHIND : LOOKS_ALONE;
    printf("%s %s\n", hook->name, is_behind ? "behind" : "alone");
    fflush(stdout);
}

static LRESULT CALLBACK looks_on_sent(int code, WPARAM wparam, LPARAM lparam)
{
    looks_note(&looks_set.sent, ((const CWPSTRUCT *)lparam)->message, UM_STACK_PLACE());
    return CallNextHookEx(NULL, code, wparam, lparam);
}

static LRESULT CALLBACK looks_on_answered(int code, WPARAM wparam, LPARAM lparam)
{
    looks_note(&looks_set.answered, ((const CWPRETSTRUCT *)lparam)->message, UM_STACK_PLACE());
    return CallNextHookEx(NULL, code, wparam, lparam);
}

static LRESULT CALLBACK looks_on_taken(int code, WPARAM wparam, LPARAM lparam)
{
    looks_note(&looks_set.taken, ((const MSG *)lparam)->message, UM_STACK_PLACE());
    return CallNextHookEx(NULL, code, wparam, lparam);
}

/* Sets the hooks of the calling thread. */
static inline void looks_begin(void)
{
    DWORD thread = GetCurrentThreadId();
    looks_set.window =
        CreateWindowExW(0, L"Static", NULL, 0, 0, 0, 0, 0, HWND_MESSAGE, NULL, NULL, NULL);
    SetWindowsHookExW(WH_CALLWNDPROC, looks_on_sent, NULL, thread);
    SetWindowsHookExW(WH_CALLWNDPROCRET, looks_on_answered, NULL, thread);
    SetWindowsHookExW(WH_GETMESSAGE, looks_on_taken, NULL, thread);
}

/* Sends a message; nothing before looks_begin. */
static UM_NOINLINE void looks_send(void)
{
    if (!looks_set.window)
        return;
    looks_set.from = (uintptr_t)UM_STACK_PLACE();
    SendMessageW(looks_set.window, LOOKS_MESSAGE, 0, 0);
    looks_set.from = 0;
}

/* Posts a message, and takes it. */
static UM_NOINLINE void looks_take(void)
{
    MSG msg;
    if (!looks_set.window || !PostMessageW(looks_set.window, LOOKS_MESSAGE, 0, 0))
        return;
    looks_set.from = (uintptr_t)UM_STACK_PLACE();
    PeekMessageW(&msg, looks_set.window, LOOKS_MESSAGE, LOOKS_MESSAGE, PM_REMOVE);
    looks_set.from = 0;
}

#endif
