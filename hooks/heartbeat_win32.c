#include "hooks/hook_win32.h"
#include "hooks/pointer.h"
#include "hooks/poll.h"
#include "hooks/record.h"
#include "hooks/step.h"
#include "base/plain/clock.h"
#include "base/plain/pace.h"
#include "base/plain/tag.h"
#include "base/plain/throttle_win32.h"
#include "base/plain/timer_win32.h"

#define FOREGROUND_US 500000

/* What changes slowly is looked at no more often than this. */
#define LOOK_US 100000
#define HUNG_US 300000

/* What the heartbeat thread found around it at the last of these looks. */
static struct {
    uint64_t ticks; /* when; 0: there was no look yet */
    uint64_t hung_ticks;
    int behind;   /* another program was in front */
    int piles_up; /* a hung window of another thread was under the cursor */
} surroundings;

void um_heartbeat_push_probe(enum um_probe probe, enum um_probe_status status,
                             enum um_probe_reason reason, enum um_probe_held held, uint32_t error)
{
    struct um_ring_record record =
        um_record_probe(um_hook_ticks(), probe, status, reason, held, error);
    um_ring_push(&um_hook.beat_ring, &record);
}

/* Whether beats are sent, and if not, why. */
struct stance {
    enum um_probe_status status;
    enum um_probe_held held; /* with OFF_TARGET */
};

/* The next beat's tag. Sequence numbers start at random, so that the beats of two monitors do not
 * look alike. */
static uint32_t next_tag(void)
{
    static uint32_t seq;
    if (seq == 0)
        seq = (uint32_t)(um_hook_ticks() ^ um_hook.nonce[0] ^ (uint32_t)um_hook.nonce[1] << 8 ^
                         (uint32_t)um_hook.nonce[2] << 16);
    return um_tag_make(seq++);
}

static int has_captured(void)
{
    GUITHREADINFO info = {.cbSize = sizeof info};
    return GetGUIThreadInfo(um_hook.ui_tid, &info) && info.hwndCapture;
}

/* Whether the cursor is over a window of the UI thread. If it is, or that thread has captured the
 * mouse, a beat of the mouse probe reaches the target. */
static int cursor_is_over_target(void)
{
    POINT cursor;

    if (!GetCursorPos(&cursor))
        return 0;
    HWND window = WindowFromPoint(cursor);
    return window && GetWindowThreadProcessId(window, NULL) == um_hook.ui_tid;
}

/* Whether any physical mouse button is down. GetAsyncKeyState ignores that buttons are swapped. */
static int is_button_down(void)
{
    static const int buttons[] = {VK_LBUTTON, VK_RBUTTON, VK_MBUTTON, VK_XBUTTON1, VK_XBUTTON2};
    for (size_t i = 0; i < sizeof buttons / sizeof buttons[0]; i++)
        if (GetAsyncKeyState(buttons[i]) < 0)
            return 1;
    return 0;
}

/* Whether the next beat moves the pointer. */
static int beat_moves(enum um_probe probe)
{
    int once = atomic_load(&um_hook.beat_kind_once);
    int beat_kind = once != UM_BEAT_KIND_AUTO ? once : atomic_load(&um_hook.beat_kind);
    return probe == UM_PROBE_MOUSE || beat_kind == UM_BEAT_KIND_PAIR;
}

static uint64_t us_to_ticks(uint64_t us)
{
    return us * um_hook.ticks_per_s / 1000000;
}

/* Whether another program is in front. While the foreground changes there may be no window in
 * front; then the last answer holds. */
static int is_behind(void)
{
    HWND front = GetForegroundWindow();
    DWORD pid;
    return front && GetWindowThreadProcessId(front, &pid) ? pid != um_hook.pid
                                                          : surroundings.behind;
}

/* Whether the window under the cursor is of another thread and hung. Beats are mouse moves for it,
 * and pile up in its queue. */
static int piles_up(void)
{
    POINT cursor;
    HWND window = GetCursorPos(&cursor) ? WindowFromPoint(cursor) : NULL;
    return window && GetWindowThreadProcessId(window, NULL) != um_hook.ui_tid &&
           IsHungAppWindow(window);
}

static void look_around(void)
{
    uint64_t now = um_hook_ticks();
    if (!surroundings.ticks || now - surroundings.ticks >= us_to_ticks(LOOK_US)) {
        surroundings.ticks = now;
        surroundings.behind = is_behind();
    }
    if (!surroundings.hung_ticks || now - surroundings.hung_ticks >= us_to_ticks(HUNG_US)) {
        surroundings.hung_ticks = now;
        surroundings.piles_up = piles_up();
    }
}

static struct um_pointer_look look_at_pointer(void)
{
    CURSORINFO info = {.cbSize = sizeof info};
    uint32_t period_us = atomic_load(&um_hook.period_us); /* the next look comes so much later */
    int known = GetCursorInfo(&info);
    return (struct um_pointer_look){.now = um_hook_ticks(),
                                    .own = us_to_ticks(UM_POINTER_OWN_US),
                                    .most = us_to_ticks(UM_POINTER_HELD_US),
                                    .soon = us_to_ticks(UM_POINTER_SOON_US + period_us),
                                    .known = known,
                                    .shown = (info.flags & CURSOR_SHOWING) &&
                                             !(info.flags & CURSOR_SUPPRESSED),
                                    .x = info.ptScreenPos.x,
                                    .y = info.ptScreenPos.y};
}

/* Its tests are kept from one attachment to the next: what beats do to a hidden pointer depends on
 * the machine. */
static struct um_pointer pointer;

static void watch_pointer(void)
{
    if (um_pointer_matters(&pointer)) {
        struct um_pointer_look look = look_at_pointer();
        um_pointer_see(&pointer, &look);
    }
}

/* ACTIVE if a beat may be sent now, else why not. */
static struct stance stance_now(enum um_probe probe)
{
    int pauses = atomic_load(&um_hook.background) == UM_BACKGROUND_PAUSE && surroundings.behind;
    if (atomic_load(&um_hook.paused) || pauses)
        return (struct stance){UM_PROBE_PAUSED, UM_PROBE_HELD_NOT};
    if (beat_moves(probe) && (has_captured() || is_button_down()))
        return (struct stance){UM_PROBE_OFF_TARGET, UM_PROBE_HELD_BUTTON};
    if (um_pointer_holds(&pointer))
        return (struct stance){UM_PROBE_OFF_TARGET, UM_PROBE_HELD_POINTER};
    if (probe == UM_PROBE_MOUSE && !cursor_is_over_target())
        return (struct stance){UM_PROBE_OFF_TARGET, UM_PROBE_HELD_NOT};
    return (struct stance){UM_PROBE_ACTIVE, UM_PROBE_HELD_NOT};
}

/* The first of two steps, 1 or -1. Notes where the cursor is before them. The cursor can move
 * within its monitor, or within a part of it to which a program has confined it. */
static LONG first_step(void)
{
    const int echoes = 2; /* at most, of one pair */
    MONITORINFO monitor = {.cbSize = sizeof monitor};
    POINT cursor;
    RECT clip;

    if (!GetCursorPos(&cursor) ||
        !GetMonitorInfoW(MonitorFromPoint(cursor, MONITOR_DEFAULTTONEAREST), &monitor))
        return 1;
    atomic_store(&um_hook.moved_at, (uint32_t)cursor.x | (uint64_t)(uint32_t)cursor.y << 32);
    atomic_store(&um_hook.echoes, echoes);
    RECT within = monitor.rcMonitor;
    if (GetClipCursor(&clip)) {
        within.left = clip.left > within.left ? clip.left : within.left;
        within.right = clip.right < within.right ? clip.right : within.right;
    }
    return um_step_of_pair(cursor.x, within.left, within.right);
}

/* The kind of the raw probe's next beat. A kind that was requested for one beat is used up. */
static enum um_beat_kind next_beat_kind(void)
{
    int once = atomic_exchange(&um_hook.beat_kind_once, UM_BEAT_KIND_AUTO);
    return (enum um_beat_kind)(once != UM_BEAT_KIND_AUTO ? once : atomic_load(&um_hook.beat_kind));
}

/* Fills in the events of a beat and returns how many they are. A still beat has no
 * MOUSEEVENTF_MOVE: under Wine it reaches raw input like any other mouse event, and becomes no
 * mouse message, for which the system would send the target WM_NCHITTEST and WM_SETCURSOR. What
 * Windows makes of such an event is not documented (monitor/measure/ladder.h). */
static UINT make_events(INPUT events[2], enum um_probe probe, enum um_beat_kind beat_kind,
                        uint32_t tag)
{
    int still = probe == UM_PROBE_RAW && beat_kind == UM_BEAT_KIND_STILL;
    for (int i = 0; i < 2; i++) {
        events[i].type = INPUT_MOUSE;
        events[i].mi.dwFlags = MOUSEEVENTF_MOVE_NOCOALESCE | (still ? 0 : MOUSEEVENTF_MOVE);
        events[i].mi.dwExtraInfo = tag;
    }
    if (probe != UM_PROBE_MOUSE && beat_kind != UM_BEAT_KIND_PAIR)
        return 1;
    events[0].mi.dx = first_step() * (probe == UM_PROBE_MOUSE ? UM_STEP_PX : 1);
    events[1].mi.dx = -events[0].mi.dx;
    return 2;
}

/* Whether a beat may be sent to a pointer that is perhaps hidden. `look` gets what was seen. */
static int pointer_allows(struct um_pace *pace, struct um_pointer_look *look)
{
    *look = look_at_pointer();
    um_pointer_see(&pointer, look);
    if (um_pointer_allows(&pointer))
        return 1;
    pace->left_out = 1;
    return 0;
}

/* Sends one beat. SENT is recorded first, because the UI thread may dequeue the beat before
 * SendInput returns. `look` is of the pointer, just before. Returns 0, or the system's error. */
static DWORD send_beat(enum um_probe probe, struct um_pace *pace,
                       const struct um_pointer_look *look)
{
    uint32_t tag = next_tag();
    enum um_beat_kind beat_kind = probe == UM_PROBE_RAW ? next_beat_kind() : UM_BEAT_KIND_AUTO;
    INPUT events[2] = {0};
    UINT count = make_events(events, probe, beat_kind, tag);

    atomic_store(&um_hook.outstanding, tag);
    uint64_t now = um_hook_ticks();
    struct um_wire_sent sent = {.seq = um_tag_seq(tag),
                                .skipped = pace->skipped,
                                .beat_kind = (uint8_t)beat_kind,
                                .left_out = (uint8_t)pace->left_out};
    struct um_ring_record record = um_record_sent(now, pace->rested, &sent);
    um_ring_push(&um_hook.beat_ring, &record);
    um_pace_sent(pace, now);
    SetLastError(0);
    if (SendInput(count, events, sizeof events[0]) == count) {
        um_pointer_sent(&pointer, look);
        atomic_store(&um_hook.queued, tag);
        um_worker_wake();
        return 0;
    }
    atomic_compare_exchange_strong(&um_hook.outstanding, &tag, 0);
    DWORD error = GetLastError();
    return error ? error : ERROR_ACCESS_DENIED;
}

/* Whether beats at the full rate would disturb somebody else, or make the UI thread work too
 * much. */
static int is_sparing(void)
{
    int rests = atomic_load(&um_hook.background) != UM_BACKGROUND_FULL && surroundings.behind;
    return rests || surroundings.piles_up || atomic_load(&um_hook.spare_us) != 0;
}

/* From beat to beat where there is no reason for more. Units: us. */
static uint32_t apart_us(void)
{
    uint32_t rest_us = atomic_load(&um_hook.rest_us);
    uint32_t spare_us = atomic_load(&um_hook.spare_us);
    return rest_us > spare_us ? rest_us : spare_us;
}

/* All but the thread's cycles. */
static struct um_pace_look look_at_thread(void)
{
    uint32_t answered = atomic_load_explicit(&um_hook.work_answered, memory_order_acquire);
    uint32_t work = atomic_load_explicit(&um_hook.work, memory_order_relaxed);
    return (struct um_pace_look){.now = um_hook_ticks(),
                                 .period = us_to_ticks(atomic_load(&um_hook.period_us)),
                                 .rest = us_to_ticks(apart_us()),
                                 .full_until = atomic_load(&um_hook.full_until),
                                 .ticks_per_s = um_hook.ticks_per_s,
                                 .waits = atomic_load(&um_hook.outstanding) != 0,
                                 .worked = work != answered,
                                 .sparing = is_sparing()};
}

/* Whether the UI thread is to be sent a beat now. */
static int is_due(struct um_pace *pace)
{
    struct um_pace_look look = look_at_thread();
    ULONG64 cycles;
    if (um_hook.ui_thread && QueryThreadCycleTime(um_hook.ui_thread, &cycles))
        look.cycles = cycles;
    return um_pace_is_due(pace, &look);
}

/* From look to look. Where beats are held, or the cursor may take one to another window, what the
 * user does is looked at each period. Units: counter ticks. */
static uint64_t looks_apart(struct um_pace *pace, const struct stance *stance)
{
    struct um_pace_look look = look_at_thread();
    if (stance->status != UM_PROBE_ACTIVE || atomic_load(&um_hook.probe) == UM_PROBE_MOUSE)
        return look.period;
    return um_pace_next(pace, &look);
}

/* Waits until so long after `due`, which it moves on, or until the wake event.
 * Units: counter ticks. */
static void wait_for_next(HANDLE timer, uint64_t *due, uint64_t apart)
{
    uint64_t now = um_hook_ticks();

    *due += apart;
    if (*due <= now || *due > now + apart)
        *due = now + apart; /* late, or they are no longer as far apart: do not catch up */
    atomic_store(&um_hook.guarded, apart <= us_to_ticks(UM_POLL_REST_MS * 1000));
    um_timer_wait(timer, um_clock_ticks_to_ns(*due - now, um_hook.ticks_per_s), um_hook.wake_event);
}

/* Wakes the worker if messages were retrieved since the last look. */
static void guard_rings(void)
{
    static uint32_t seen;
    uint32_t work = atomic_load_explicit(&um_hook.work, memory_order_relaxed);
    if (work != seen)
        um_worker_wake();
    seen = work;
}

/* Publishes in um_hook.held whether beats are held because of what the user does. If that lasts,
 * the worker takes the raw registration back, and makes it again afterwards (raw_release.h). A
 * pause that the monitor asked for does not count: the user is away then. */
static void say_held(const struct stance *stance)
{
    int held = (stance->status == UM_PROBE_PAUSED && !atomic_load(&um_hook.paused)) ||
               (stance->status == UM_PROBE_OFF_TARGET && stance->held != UM_PROBE_HELD_NOT);
    if (atomic_exchange(&um_hook.held, held) && !held && atomic_load(&um_hook.lifted))
        um_worker_wake();
}

/* Sends a beat if one is due and none is in flight, and records a change of the stance. If the
 * cursor leaves the target, a beat of the mouse probe is given up, because another window may have
 * got it. */
static void beat(struct stance *last, struct um_pace *pace)
{
    enum um_probe probe = (enum um_probe)atomic_load(&um_hook.probe);
    uint32_t out = atomic_load(&um_hook.outstanding);
    struct stance stance = *last;
    DWORD error = 0;

    look_around();
    watch_pointer();
    if (!out) {
        stance = stance_now(probe);
        say_held(&stance);
        if (stance.status == UM_PROBE_ACTIVE && !atomic_load(&um_hook.lifted) &&
            (stance.status != last->status || is_due(pace))) {
            struct um_pointer_look look;
            if (pointer_allows(pace, &look))
                error = send_beat(probe, pace, &look);
            else if (last->status != UM_PROBE_ACTIVE)
                stance = *last; /* that a beat can be sent again is not known before it is */
        }
        if (error)
            stance.status = UM_PROBE_REFUSED;
    } else if (probe == UM_PROBE_MOUSE && !has_captured() && !cursor_is_over_target()) {
        if (atomic_compare_exchange_strong(&um_hook.outstanding, &out, 0))
            stance = (struct stance){UM_PROBE_OFF_TARGET, UM_PROBE_HELD_NOT};
    }
    if (stance.status != last->status || stance.held != last->held)
        um_heartbeat_push_probe(probe, stance.status,
                                (enum um_probe_reason)atomic_load(&um_hook.reason), stance.held,
                                error);
    *last = stance;
}

/* um_hook.heartbeat_state is generation * 4 + state. Each heartbeat thread gets a generation of its
 * own. If a thread is cancelled before it runs, nothing waits for it: once it begins, it finds
 * another generation or state there, and returns. */
enum state { STATE_CREATED, STATE_RUNNING, STATE_CANCELLED };

/* Goes from one state to the next; 0 if the thread of this generation is not in state `from`. */
static int change_state(uint32_t generation, enum state from, enum state to)
{
    uint32_t expected = generation * 4 + from;
    return atomic_compare_exchange_strong(&um_hook.heartbeat_state, &expected, generation * 4 + to);
}

/* Waits until a window is in the foreground, for FOREGROUND_US at most. Without one, as while the
 * first program on a desktop starts up, Wine delivers no raw input. A first beat that is lost in
 * that time would leave uimon blind for a second. */
static void await_foreground(HANDLE timer, uint64_t *due)
{
    uint64_t until = um_hook_ticks() + us_to_ticks(FOREGROUND_US);
    while (!GetForegroundWindow() && um_hook_ticks() < until &&
           !atomic_load(&um_hook.heartbeat_stop))
        wait_for_next(timer, due, us_to_ticks(atomic_load(&um_hook.period_us)));
}

static DWORD WINAPI run(void *generation)
{
    struct stance last = {UM_PROBE_ACTIVE, UM_PROBE_HELD_NOT};
    struct um_pace pace = {0};

    if (!change_state((uint32_t)(uintptr_t)generation, STATE_CREATED, STATE_RUNNING))
        return 0;
    HANDLE timer = um_timer_open();
    uint64_t due = um_hook_ticks();
    surroundings.ticks = 0;
    surroundings.hung_ticks = 0;
    surroundings.behind = 0;
    pointer.phase = UM_POINTER_SHOWN;
    if (timer)
        await_foreground(timer, &due);
    while (timer && !atomic_load(&um_hook.heartbeat_stop)) {
        beat(&last, &pace);
        guard_rings();
        if (last.status != UM_PROBE_PAUSED) {
            wait_for_next(timer, &due, looks_apart(&pace, &last));
            continue;
        }
        atomic_store(&um_hook.guarded, 0);
        if (atomic_load(&um_hook.paused))
            WaitForSingleObject(um_hook.wake_event, INFINITE); /* no wake-ups while paused */
        else
            um_timer_wait(timer, LOOK_US * 1000, um_hook.wake_event);
    }
    if (timer)
        CloseHandle(timer);
    SetEvent(um_hook.done_event);
    return 0;
}

int um_heartbeat_start(void)
{
    uint32_t generation = atomic_load(&um_hook.heartbeat_state) / 4 + 1;
    if (um_hook.heartbeat)
        return 1;
    atomic_store(&um_hook.heartbeat_stop, 0);
    atomic_store(&um_hook.outstanding, 0);
    atomic_store(&um_hook.heartbeat_state, generation * 4 + STATE_CREATED);
    um_hook.wake_event = CreateEventW(NULL, FALSE, FALSE, NULL);
    um_hook.done_event = CreateEventW(NULL, TRUE, FALSE, NULL);
    if (um_hook.wake_event && um_hook.done_event)
        um_hook.heartbeat = CreateThread(NULL, 0, run, (void *)(uintptr_t)generation, 0, NULL);
    if (um_hook.heartbeat) {
        SetThreadPriority(um_hook.heartbeat, THREAD_PRIORITY_TIME_CRITICAL);
        um_throttle_off(um_hook.heartbeat);
        return 1;
    }
    um_hook_close(&um_hook.wake_event);
    um_hook_close(&um_hook.done_event);
    return 0;
}

void um_heartbeat_stop(void)
{
    uint32_t generation = atomic_load(&um_hook.heartbeat_state) / 4;
    if (!um_hook.heartbeat)
        return;
    atomic_store(&um_hook.heartbeat_stop, 1);
    if (!change_state(generation, STATE_CREATED, STATE_CANCELLED)) {
        SetEvent(um_hook.wake_event);
        WaitForSingleObject(um_hook.done_event, INFINITE);
    }
    um_hook.heartbeat_cpu_ns += um_hook_thread_cpu_ns(um_hook.heartbeat);
    um_hook_close(&um_hook.heartbeat);
    um_hook_close(&um_hook.wake_event);
    um_hook_close(&um_hook.done_event);
}

uint64_t um_heartbeat_cpu_ns(void)
{
    return um_hook.heartbeat_cpu_ns + um_hook_thread_cpu_ns(um_hook.heartbeat);
}
