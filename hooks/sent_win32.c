/* The two hooks that see sent messages, for whoever asks for them: the tracer and the layout. They
 * make the system call back into user mode twice for each message, so they are set only while
 * somebody does.
 *
 * What one message costs that the hooks see is measured when the layout asks for them: some empty
 * messages to our own window, first without the hooks and then with them. The UI thread sends them
 * itself, so nothing waits for them, and one each time that it retrieves a message, because several
 * in a row are quicker than those of a program. The quickest one counts. A part of the cost lies
 * between the begin and the end of a message's own handling, the rest in what encloses it. */
#include "hooks/hook_win32.h"

#define TRIES 20      /* empty messages without the hooks, and as many with them */
#define TRIES_LEAST 5 /* at least so many, if the thread retrieves too few messages, */
#define TRIES_MS 1000 /* after this time; meanwhile there are beats at the full rate */
#define STAGE_BITS 2
#define STAGE_MASK ((UINT32_C(1) << STAGE_BITS) - 1)

/* How far the measuring is. The worker sets the hooks between the two. */
enum stage { WITHOUT_HOOKS, HOOKS_ARE_DUE, WITH_HOOKS, MEASURED };

/* Written by the worker. */
static HHOOK entered_hook;
static HHOOK left_hook;
static unsigned wanted; /* a bit for each enum um_sent_user */

/* How often measuring has begun, and in the lowest bits the stage. The worker writes it when
 * measuring begins, when it has set the hooks, and when the layout leaves; else the UI thread
 * does. */
static _Atomic uint32_t measuring = MEASURED;

/* Written by the UI thread. */
static uint32_t tries_of; /* `measuring` of the tries so far */
static uint32_t tries;
static uint64_t first_ticks;   /* when the first of these was sent */
static uint64_t least_ticks;   /* what the quickest one took */
static uint64_t least_inside;  /* of these, the least time between begin and end */
static uint64_t plain_ticks;   /* what the quickest one took without the hooks */
static uint64_t entered_ticks; /* our empty message is being handled since then */
static _Atomic uint64_t hook_ticks;
static _Atomic uint64_t inside_ticks;

/* The UI thread ------------------------------------------------------------------------------- */

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
        if (is_ours(sent->hwnd)) {
            entered_ticks = um_hook_ticks();
        } else {
            if (um_trace_is_on())
                um_trace_entered(sent, !by_own_thread, um_hook_ticks(), UM_HOOK_PLACE());
            if (um_layout_is_on())
                um_layout_entered(sent, UM_HOOK_PLACE());
        }
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
        if (is_ours(sent->hwnd)) {
            least_inside =
                ticks - entered_ticks < least_inside ? ticks - entered_ticks : least_inside;
        } else {
            if (um_layout_is_on())
                um_layout_left(sent, ticks);
            if (um_trace_is_on())
                um_trace_left(sent, ticks, UM_HOOK_PLACE());
        }
        SetLastError(error);
    }
    return CallNextHookEx(NULL, code, by_own_thread, info);
}

/* Sends one empty message to our own window. Returns whether that was the last one of the stage
 * that `now` is. */
static int try_one(uint32_t now)
{
    HWND sink = *(HWND volatile *)&um_hook.sink; /* the worker clears it when it leaves */
    uint64_t begin = um_hook_ticks();

    if (tries_of != now) {
        tries_of = now;
        tries = 0;
        first_ticks = begin;
        least_ticks = least_inside = UINT64_MAX;
    }
    if (!sink) { /* it could not be made: nothing is known, and nothing is taken out */
        least_ticks = 0;
        return 1;
    }
    SendMessageW(sink, WM_NULL, 0, 0);
    uint64_t took = um_hook_ticks() - begin;
    least_ticks = took < least_ticks ? took : least_ticks;
    tries++;
    return tries >= TRIES ||
           (tries >= TRIES_LEAST && begin - first_ticks > um_hook.ticks_per_s * TRIES_MS / 1000);
}

void um_sent_try(void)
{
    uint32_t now = atomic_load(&measuring);
    uint32_t stage = now & STAGE_MASK;

    if ((stage != WITHOUT_HOOKS && stage != WITH_HOOKS) || !try_one(now))
        return;
    if (stage == WITHOUT_HOOKS) {
        plain_ticks = least_ticks;
    } else {
        uint64_t inside = least_inside < least_ticks ? least_inside : 0;
        atomic_store(&hook_ticks, least_ticks > plain_ticks ? least_ticks - plain_ticks : 0);
        atomic_store(&inside_ticks, inside);
    }
    /* Unless measuring has begun anew meanwhile. */
    atomic_compare_exchange_strong(&measuring, &now, now + 1);
}

int um_sent_is_measured(void)
{
    return (atomic_load_explicit(&measuring, memory_order_acquire) & STAGE_MASK) == MEASURED;
}

/* The worker ----------------------------------------------------------------------------------- */

static void unhook(void)
{
    if (entered_hook)
        UnhookWindowsHookEx(entered_hook);
    if (left_hook)
        UnhookWindowsHookEx(left_hook);
    entered_hook = left_hook = NULL;
}

/* 0 if the system refuses. */
static int set_hooks(void)
{
    if (entered_hook)
        return 1;
    entered_hook = SetWindowsHookExW(WH_CALLWNDPROC, on_entered, um_hook.module, um_hook.ui_tid);
    left_hook = SetWindowsHookExW(WH_CALLWNDPROCRET, on_left, um_hook.module, um_hook.ui_tid);
    if (entered_hook && left_hook)
        return 1;
    unhook();
    return 0;
}

/* The hooks are taken away, for a moment, to measure what a message takes without them. */
static int are_away(void)
{
    uint32_t stage = atomic_load(&measuring) & STAGE_MASK;
    return stage == WITHOUT_HOOKS || stage == HOOKS_ARE_DUE;
}

static void end_measuring(void)
{
    atomic_store(&measuring, atomic_load(&measuring) | MEASURED);
}

void um_sent_begin(void)
{
    wanted = 0;
    end_measuring();
}

int um_sent_are_set(void)
{
    return entered_hook != NULL;
}

int um_sent_want(enum um_sent_user user)
{
    if (!are_away() && !set_hooks())
        return 0;
    wanted |= 1u << user;
    return 1;
}

void um_sent_leave(enum um_sent_user user)
{
    wanted &= ~(1u << user);
    if (user == UM_SENT_LAYOUT)
        end_measuring(); /* nobody wants to know the cost any more */
    if (!wanted)
        unhook();
    else if (user == UM_SENT_LAYOUT && set_hooks())
        um_trace_resume();
    else if (user == UM_SENT_LAYOUT)
        um_trace_stop();
}

void um_sent_measure(void)
{
    uint64_t until = um_hook_ticks() + um_hook.ticks_per_s * TRIES_MS / 1000;
    um_trace_pause();
    unhook();
    atomic_store(&measuring, (atomic_load(&measuring) | STAGE_MASK) + 1);
    if (atomic_load(&um_hook.full_until) < until)
        atomic_store(&um_hook.full_until, until);
}

int um_sent_turn(void)
{
    if ((atomic_load(&measuring) & STAGE_MASK) != HOOKS_ARE_DUE)
        return 1;
    if (!set_hooks())
        return 0;
    atomic_fetch_add(&measuring, 1);
    um_trace_resume();
    return 1;
}

void um_sent_cost(uint64_t *ticks, uint64_t *inside)
{
    *ticks = atomic_load(&hook_ticks) + um_trace_cost();
    *inside = atomic_load(&inside_ticks);
}
