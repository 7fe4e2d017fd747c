/* The hook DLL's shared state, and the functions by which its parts call one another. The DLL runs
 * inside the target and serves one attachment at a time: one monitor, one UI thread.
 *
 * Reading order:
 *   hook_win32.c       how the DLL gets into the target and starts
 *   observe_win32.c    the hook procedures: the hot path, on the target's UI thread
 *   input_win32.c      what they also record when interactions are asked for
 *   trace_win32.c      the tracing of messages, and the hooks for those that are sent
 *   record.h           the records by which observations reach the worker
 *   heartbeat_win32.c  the thread that sends the beats, when base/plain/pace.h says that one is due
 *   raw_release.h      when the raw registration is taken back in a long freeze
 *   poll.h             how long the worker rests
 *   pointer.h          which beats would show a hidden pointer
 *   step.h             where a beat of the mouse probe moves the cursor, and what repeats that
 *   code_win32.c       which function has generated code, for the monitor's stacks
 *   pool_win32.c       how long work items wait in the target's thread pool
 *   marks_win32.c      the program's own markers
 *   export.h           which of its modules have some
 *   methods_win32.c    the calls of managed methods, which the profiler counts (clr/calls.h)
 *   mark.h, mark_ring.h  how they are packed, and get from their threads to the worker
 *   probe_win32.c      the choice of how beats reach the UI thread
 *   worker_win32.c     the worker thread: talks to the monitor, and cleans up at the end
 *   resume_watchdog_win32.c  resumes a thread that a dead or hanging monitor has suspended
 *   resume_watchdog.h  when it does that
 *   peer_win32.c       the check that the hook pipe's other end is the monitor
 *   freestanding_win32.c  memcpy and memset, for which the compiler may ask
 * (main_win32.c is another program: uimon-attach32.exe.)
 *
 * The DLL observes and draws no conclusions. Its code never waits on the UI thread. It imports
 * kernel32 and user32 alone. It has no C library, no heap and no static constructors: its memory is
 * struct um_hook and a few static variables.
 *
 * Life: INERT -> STARTING (by the bootstrap hook, on the UI thread) -> ACTIVE -> LEAVING -> INERT
 * (by the worker). The DLL is pinned in the process and never unloaded; while it is inert, none of
 * its code runs, but for a work item of pool_win32.c that the target's thread pool runs late, for a
 * look-up of code_win32.c that the target's runtime holds up, and for what marks_win32.c does where
 * the loader's lock holds its thread up.
 */
#ifndef UM_HOOKS_HOOK_WIN32_H
#define UM_HOOKS_HOOK_WIN32_H

#include <stdatomic.h>
#include <stdint.h>
#include <windows.h>

#include "hooks/raw_release.h"
#include "ipc/suspend_claim_win32.h"
#include "base/plain/clock.h"
#include "base/plain/compiler_win32.h"
#include "base/plain/filetime_win32.h"
#include "base/plain/ring.h"
#include "ipc/wire.h"

#define UM_HOOK_UI_SLOTS 4096 /* 160,000 retrievals a second, at the worker's longest rest: 25 ms */
#define UM_HOOK_BEAT_SLOTS 512
#define UM_HOOK_SUSPENDED 256 /* threads besides the UI thread that are suspended at times */

#define UM_HOOK_RAW_BYTES 65536 /* Wine's server fills all of a buffer before each call */

/* A message that is posted to the sink while another one is retrieved. When the marker is
 * retrieved, the thread is done with that other message. `wparam` is the kind of marker. */
#define UM_HOOK_MARKER (WM_APP + 0x2f2)
enum um_hook_marker {
    UM_HOOK_MARKER_OF_PAINT,
    UM_HOOK_MARKER_OF_INPUT,
    UM_HOOK_MARKER_OF_TRACE /* `lparam` is a serial number of ipc/calltrace.h */
};

/* Sent to the sink while a beat of the mouse probe is out, whose tag is `wparam`: starts a timer
 * with the tag for its id. `lparam` is when it was sent, in counter ticks; a 32-bit program has
 * their lower half. */
#define UM_HOOK_ASK (WM_APP + 0x2f3)

/* Posted to the sink while the raw registration is taken back for a beat, whose tag is `wparam`, so
 * that a thread at rest also looks whether the beat is still in its queue (hooks/raw_release.h). */
#define UM_HOOK_LOOK (WM_APP + 0x2f4)

/* Where on the stack the calling hook procedure runs. */
#define UM_HOOK_PLACE() ((uint64_t)(uintptr_t)UM_STACK_PLACE())

enum um_hook_phase {
    UM_HOOK_INERT = 0,
    UM_HOOK_STARTING = 1,
    UM_HOOK_ACTIVE = 2,
    UM_HOOK_LEAVING = 3
};

/* There is one struct, so padding costs nothing. */
struct um_hook { /* NOLINT(clang-analyzer-optin.performance.Padding) */
    /* Each retrieved message needs what follows, up to `ui_ring`. It lies together in four cache
     * lines, because the target has used the cache for something else meanwhile. */
    _Alignas(64) _Atomic int phase; /* enum um_hook_phase */
    DWORD ui_tid;
    HWND sink; /* message-only window on the UI thread, which gets raw input; NULL if it could not
                * be made */
    UINT low_message; /* the messages of ipc/bootstrap.h */
    UINT high_message;
    UINT pid_message;
    _Atomic int watch_input; /* enum um_watch_input asked for by the monitor */
    _Atomic int tracing;     /* messages are traced */
    _Atomic int layout;      /* steps of the layout are recorded */
    _Atomic uint32_t lifted; /* the beat for which the raw registration was taken back; 0: it was
                              * not. No beat is sent meanwhile (hooks/raw_release.h) */
    /* The tag of the beat in flight, 0 for none. The thread that changes it to 0 by
     * compare-and-exchange has answered that beat, or given it up. */
    _Atomic uint32_t outstanding;

    /* Written by the UI thread alone. The first two are read by the heartbeat thread. */
    _Atomic uint32_t work;          /* how many messages were retrieved that are not ours */
    _Atomic uint32_t work_answered; /* the same when the last beat was answered */
    /* How many WM_PAINTs the thread was done with, because it retrieved another message after
     * them. The worker reads it, and `work`. */
    _Atomic uint32_t paints;
    int painting;       /* the last message that was retrieved is a WM_PAINT */
    int recording;      /* um_observe_message is recording a message */
    uint32_t asked_tag; /* the beat about which a timer of the sink asks; 0: none */
    uint64_t hook_calls;
    uint64_t timed_calls;
    uint64_t timed_ticks;
    uint64_t mouse_beat; /* 1: the message being retrieved is a beat, as the mouse hook saw */
    struct um_raw_release_finds finds;
    uint32_t found_gone;  /* for `lift_gone`, once the message is recorded; 0: nothing */
    LPARAM raw_message;   /* of the last WM_INPUT retrieved, until its window procedure gets it */
    uint32_t raw_tag;     /* of that WM_INPUT; 0: not a beat of any uimon */
    uint32_t markers_out; /* posted and not retrieved yet */
    uint64_t input_ticks; /* when the user's last input, or its marker, was retrieved */
    HWND input_window;    /* the window that the input went to */
    uint32_t chars_left;  /* markers that may still be posted for characters of the last input */
    uint32_t paints_left; /* the same for WM_PAINT; see input_win32.c */

    /* UI thread to worker: TAKEN, SEEN. The records of both rings are those of hooks/record.h. */
    struct um_ring ui_ring;

    HINSTANCE module;
    DWORD pid;
    HANDLE ui_thread; /* signalled when that thread has ended */
    uint8_t nonce[UM_WIRE_NONCE_BYTES];
    DWORD monitor_pid;
    uint64_t ticks_per_s;
    uint64_t start_ticks; /* counter ticks; from then on messages are recorded */
    HHOOK message_hook;
    HHOOK mouse_hook;
    HANDLE worker;

    /* Beats. */
    _Atomic int ask_out; /* the UI thread has not taken the last UM_HOOK_ASK yet */
    /* Where the cursor was when a beat moved it, and back: two i32. Under Wine the X server tells
     * of such a move once more, without the tag; `echoes` moves to near there may still be that. */
    _Atomic uint64_t moved_at;
    _Atomic int echoes;
    _Atomic uint32_t queued;    /* the last tag whose SendInput has returned */
    _Atomic int held;           /* no beat may be sent, because of what the user does */
    _Atomic uint32_t lift_gone; /* the beat of `lifted` that is in no queue; 0: it may be in one */
    _Atomic int look_posted;    /* a UM_HOOK_LOOK is on its way */
    _Atomic uint32_t period_us; /* asked for by the monitor, as are the next four */
    _Atomic uint32_t rest_us;
    _Atomic uint32_t spare_us;   /* from beat to beat at least, whatever the UI thread does; 0: no
                                * such limit */
    _Atomic int background;      /* enum um_background */
    _Atomic uint64_t full_until; /* counter ticks; 0: the full rate is not asked for */
    _Atomic int probe;           /* enum um_probe in use: RAW or MOUSE; AUTO: none yet */
    _Atomic int reason;          /* enum um_probe_reason for it */
    _Atomic int beat_kind;       /* enum um_beat_kind asked for by the monitor; not AUTO */
    _Atomic int beat_kind_once;  /* the same for the next beat only; AUTO: not asked for */
    _Atomic int paused;          /* asked for by the monitor */
    _Atomic int may_suspend;     /* the monitor suspends the UI thread for moments */
    HANDLE heartbeat;            /* the heartbeat thread; NULL: there is none */
    HANDLE wake_event;           /* wakes the heartbeat thread, to end or after a command */
    HANDLE worker_event;         /* wakes the worker from a rest */
    _Atomic int worker_rests;    /* it may rest, and is to be woken */
    _Atomic int guarded;         /* the heartbeat thread wakes it within UM_POLL_REST_MS after a
                                  * message was retrieved */
    HANDLE done_event;           /* set once the heartbeat thread no longer uses this struct */
    _Atomic int heartbeat_stop;
    _Atomic uint32_t heartbeat_state; /* generation * 4 + state; see heartbeat_win32.c */
    uint64_t heartbeat_cpu_ns;        /* of the heartbeat threads that have ended */

    /* Used by the worker alone: other threads that the monitor suspends for moments. */
    uint32_t suspended_count;
    uint32_t suspended_tids[UM_HOOK_SUSPENDED];
    struct um_suspend_claim_map claims; /* which of them it has suspended now */

    struct um_ring beat_ring; /* heartbeat thread to worker: SENT, PROBE */
    struct um_ring_slot ui_slots[UM_HOOK_UI_SLOTS];
    struct um_ring_slot beat_slots[UM_HOOK_BEAT_SLOTS];
    uint64_t raw_buffer[UM_HOOK_RAW_BYTES / sizeof(uint64_t)]; /* UI thread, 8-byte aligned */
};

extern struct um_hook um_hook;

/* The counter's ticks now. Hot path. */
static inline uint64_t um_hook_ticks(void)
{
    LARGE_INTEGER now;
    QueryPerformanceCounter(&now);
    return (uint64_t)now.QuadPart;
}

/* Counter ticks as ns. */
static inline uint64_t um_hook_ns(uint64_t ticks)
{
    return um_clock_ticks_to_ns(ticks, um_hook.ticks_per_s);
}

/* Closes a handle, if there is one, and sets it to NULL. */
static inline void um_hook_close(HANDLE *handle)
{
    if (*handle)
        CloseHandle(*handle);
    *handle = NULL;
}

/* CPU time of a thread, 0 if the system does not say. Units: ns. */
static inline uint64_t um_hook_thread_cpu_ns(HANDLE thread)
{
    FILETIME times[4]; /* created, ended, kernel, user */
    if (!thread || !GetThreadTimes(thread, &times[0], &times[1], &times[2], &times[3]))
        return 0;
    return um_filetime_cpu_ns(times[2], times[3]);
}

/* observe_win32.c: the procedures of WH_GETMESSAGE and WH_MOUSE. Hot path. Thread: the UI
 * thread. */
LRESULT CALLBACK um_observe_message(int code, WPARAM removed, LPARAM message);
LRESULT CALLBACK um_observe_mouse(int code, WPARAM message, LPARAM info);

/* Records what um_observe_message would, for the bootstrap hook, which sees the messages that are
 * retrieved before the worker has set the DLL's own hooks. Does nothing if um_observe_message sees
 * the message too. Preserves the last-error. Thread: the UI thread. */
void um_observe_early(WPARAM removed, LPARAM message);

/* Whether the calling thread is the one attached to. It may be another one: a hook procedure can be
 * called once more after its hook was removed, and by then the attachment may be to another thread.
 * Hot path. */
int um_observe_is_watched(void);

/* Makes the sink window; NULL if the system refuses. Thread: the UI thread. */
HWND um_observe_make_sink(HINSTANCE module);

/* Asks the UI thread to destroy the sink at its next call; does not wait. Thread: any. */
void um_observe_close_sink(HWND sink);

/* input_win32.c: the interactions of the user. The functions below look at a message that is being
 * retrieved. They do not preserve the last-error. Hot path. Thread: the UI thread.
 *
 * The first two return what the message adds to the flags of TAKEN, and post a marker if it is
 * needed when the message ends: `on_device_message` takes key, button and wheel messages from a
 * device, `on_other_message` all others. */
uint8_t um_input_on_device_message(const MSG *msg, uint64_t ticks);
uint8_t um_input_on_other_message(const MSG *msg, uint64_t ticks);

/* Whether the message is a marker. Counts it, so it must be called once for each message. */
int um_input_take_marker(const MSG *msg, uint64_t ticks);

/* The virtual key of a key press; 0 for every other message. */
uint32_t um_input_key(const MSG *msg);

/* trace_win32.c: whether messages are traced. Hot path. Thread: any. */
static inline int um_trace_is_on(void)
{
    return atomic_load_explicit(&um_hook.tracing, memory_order_acquire) != 0;
}

/* A message is being retrieved while messages are traced; `flags` are those of its TAKEN, `place`
 * UM_HOOK_PLACE. Does not preserve the last-error. Hot path. Thread: the UI thread, as the next
 * three. */
void um_trace_retrieved(const MSG *msg, uint8_t flags, uint64_t ticks, uint64_t place);

/* A sent message is about to be handled, and was handled. As um_trace_retrieved. */
void um_trace_entered(const CWPSTRUCT *sent, int by_other_thread, uint64_t ticks, uint64_t place);
void um_trace_left(const CWPRETSTRUCT *sent, uint64_t ticks, uint64_t place);

/* A marker of tracing was retrieved, also after tracing has ended. */
void um_trace_took_marker(void);

/* A new attachment, in which nothing was traced yet. Thread: the worker, as all that follows. */
void um_trace_begin(void);

/* Which calls are kept that end while messages are traced; wanted again: more may be sent. */
void um_trace_want_events(enum um_trace_events wanted);

/* Whether all calls are kept, so that they have to be put often. If only long ones are, they are
 * few enough to be put with what has changed in the tree. */
int um_trace_keeps_all(void);

/* Tracing begins or ends. If the system refuses the hooks, it stays off. */
void um_trace_start(void);
void um_trace_stop(void);

/* Tracing pauses while the hooks that see sent messages are away, and goes on when they are set;
 * nothing if it is off. */
void um_trace_pause(void);
void um_trace_resume(void);

/* What tracing costs a sent message, before it is handled and after it, on average; 0 while nothing
 * is traced. Units: ticks. */
uint64_t um_trace_cost(void);

/* Whether anything was traced since um_trace_begin. */
int um_trace_has_news(void);

/* Puts what has changed since the last call: TRACE_CALL and TRACE_TIMES. 0 if `put` fails. */
int um_trace_put(int (*put)(const struct um_wire_frame *frame));

/* Puts the calls that have ended since the last call: TRACE_EVENTS, after the TRACE_CALLs of what
 * they were. Puts nothing if none has. 0 if `put` fails. */
int um_trace_put_events(int (*put)(const struct um_wire_frame *frame));

/* sent_win32.c: who asks for the hooks that see sent messages. */
enum um_sent_user { UM_SENT_TRACE, UM_SENT_LAYOUT };

/* Whether it is known what the hooks cost. Hot path. Thread: any. */
int um_sent_is_measured(void);

/* A message is retrieved while that is not known: tries once. Thread: the UI thread. */
void um_sent_try(void);

/* A new attachment, in which nobody wants the hooks yet. Thread: the worker, as all that follows.
 */
void um_sent_begin(void);

/* Sets the hooks, if they are not set yet. While they are away to be measured, that is put off. 0
 * if the system refuses them. */
int um_sent_want(enum um_sent_user user);

/* Takes them back when nobody else wants them. */
void um_sent_leave(enum um_sent_user user);

/* Whether they are set. */
int um_sent_are_set(void);

/* Begins to measure what the hooks cost. They are away for some messages then, and what the tracer
 * would have seen pauses. */
void um_sent_measure(void);

/* Sets the hooks again when it is known what a message takes without them; to be called at each
 * poll. 0 if the system refuses them. */
int um_sent_turn(void);

/* What a sent message costs more because of the hooks, with what the tracer does in them, and which
 * part of that lies between the begin and the end of its own handling. Units: ticks. */
void um_sent_cost(uint64_t *ticks, uint64_t *inside);

/* The address of the window procedure. If A or W does not match the window's kind, GetWindowLongPtr
 * may return a handle instead of the address. Hot path. Thread: the UI thread. */
static inline uint64_t um_sent_handler_of(HWND window)
{
    return (uint64_t)(uintptr_t)(IsWindowUnicode(window) ? GetWindowLongPtrW(window, GWLP_WNDPROC)
                                                         : GetWindowLongPtrA(window, GWLP_WNDPROC));
}

/* layout_win32.c: whether steps of the layout are recorded. Hot path. Thread: any. */
static inline int um_layout_is_on(void)
{
    return atomic_load_explicit(&um_hook.layout, memory_order_acquire) != 0;
}

/* A sent message is about to be handled, and was handled; a message is being retrieved, with the
 * flags of its TAKEN; `place` is UM_HOOK_PLACE. They do not preserve the
 * last-error. Hot path. Thread: the UI thread. */
void um_layout_entered(const CWPSTRUCT *sent, uint64_t place);
void um_layout_left(const CWPRETSTRUCT *sent, uint64_t ticks);
void um_layout_retrieved(const MSG *msg, uint8_t flags, uint64_t ticks, uint64_t place);

/* A new attachment, in which nothing is recorded yet. Thread: the worker, as all that follows. */
void um_layout_begin(void);

/* Recording begins or ends. If the system refuses the hooks, or memory, it stays off. */
void um_layout_start(void);
void um_layout_stop(void);

/* Puts what was recorded: LAYOUT_STEPS; when recording begins, one without steps. 0 if `put`
 * fails. */
int um_layout_put(int (*put)(const struct um_wire_frame *frame));

/* heartbeat_win32.c: starts and stops the heartbeat thread. `stop` waits until the thread sends no
 * more beats, but not for its exit: a thread's start and exit need the loader's lock, which a
 * frozen UI thread may hold. Thread: the worker. Errors: start returns 0 if the system gives no
 * thread. */
int um_heartbeat_start(void);
void um_heartbeat_stop(void);

/* CPU time of all heartbeat threads of this attachment. Units: ns. Thread: the worker. */
uint64_t um_heartbeat_cpu_ns(void);

/* Records a change of how the DLL measures. Thread: the heartbeat thread; the worker only while
 * there is none, because a ring has one producer. */
void um_heartbeat_push_probe(enum um_probe probe, enum um_probe_status status,
                             enum um_probe_reason reason, enum um_probe_held held, uint32_t error);

/* worker_win32.c: the worker thread's function. */
DWORD WINAPI um_worker_run(void *unused);

/* Wakes the worker from a rest, if it rests. Thread: the heartbeat thread. */
void um_worker_wake(void);

/* resume_watchdog_win32.c: whether the monitor suspends a thread besides the UI thread for moments.
 * More than UM_HOOK_SUSPENDED are not remembered. Thread: the worker. */
void um_resume_watchdog_remember(uint32_t tid, int may_suspend);

/* resume_watchdog_win32.c: resumes the thread that the monitor claims, if the monitor has had it
 * suspended for too long. To be called at each poll. Returns whether a thread is claimed, so that
 * the next poll should come soon. Thread: the worker. */
int um_resume_watchdog_claimed(uint64_t now_ns);

/* resume_watchdog_win32.c: resumes the threads that the monitor had suspended when it died: the UI
 * thread and the remembered ones, which it forgets. Blocks for up to 0.3 s, and only if one of them
 * is suspended. Thread: the worker. */
void um_resume_watchdog_threads(void);

/* probe_win32.c: measures with `wanted`, or with the mouse probe if AUTO cannot have raw input, and
 * restarts the heartbeat thread. `reason` is what PROBE says if `wanted` works. Thread: the
 * worker. */
void um_probe_choose(enum um_probe wanted, enum um_probe_reason reason);

/* Finds out whether the target has taken or removed the sink's raw registration, or has given up
 * its own, and chooses again if so. Thread: the worker. */
void um_probe_check(void);

/* Asks for each beat of the mouse probe that has been out for a while whether it is in the UI
 * thread's queue, again and again, each time after the thread has taken the last question. The beat
 * may be lost on its way, or be held up: another program's low-level hook may do that, and Wine may
 * give the beat to another window. Thread: the worker, because the heartbeat thread may be held up
 * in SendInput.
 *
 * UM_HOOK_ASK is sent, and not posted: it is handled at the thread's next call of any retrieving
 * function, and takes the place of no other message. So a thread that leaves a question for long
 * was away. The first question about a beat starts a timer. The timer's message comes after all
 * input ("GetMessage function", Windows API reference), so it delays nothing, and a thread that
 * takes it has no beat in its queue. */
void um_probe_ask(void);

/* Takes the sink's raw registration back while a beat has waited for long, and makes it again
 * (hooks/raw_release.h). Thread: the worker, at each poll. */
void um_probe_lift(void);

/* Removes the sink's raw registration, if it is still the process's. Thread: the worker. */
void um_probe_release(void);

/* Whether all waiting raw input is the sink's, because its registration is the only one of the
 * process, or was taken back and there is none. Thread: any. */
int um_probe_sink_is_alone(void);

/* Reads memory of the process, which may go at any time; 0 if not all of it can be read. A function
 * for export.h. Thread: any. */
int um_hook_read(void *context, uint64_t address, void *to, uint32_t bytes);

/* marks_win32.c: the program's own markers. A new attachment, in which the monitor has not asked
 * for them yet. Thread: the worker, as all of these. */
void um_marks_begin(void);

/* The monitor asks for them, and allows so many bytes of MARK more. */
void um_marks_allow(uint32_t bytes);

/* Looks for modules that have markers, and puts what was recorded: MARK and MARKS_LOST. To be
 * called at each poll. `found_some`: there was something. 0 if `put` fails. */
int um_marks_turn(uint64_t now_ns, int *found_some, int (*put)(const struct um_wire_frame *frame));

/* The table is taken out of the program again. Does not wait for that. */
void um_marks_stop(void);

/* Puts what was recorded before um_marks_stop, and how much is missing. 0 if `put` fails. */
int um_marks_put_last(uint64_t now_ns, int (*put)(const struct um_wire_frame *frame));

/* methods_win32.c */

/* A new attachment. Nothing was sent, and nothing is wanted. */
void um_methods_begin(void);

/* Whether the calls of managed methods are wanted. At the end the profiler stops counting. */
void um_methods_start(void);
void um_methods_stop(void);

/* Puts what has changed, if it was wanted and there is a profiler; at the end all of it. 0 if `put`
 * fails. */
int um_methods_put(int (*put)(const struct um_wire_frame *frame));

/* pool_win32.c: starts and ends the measuring of the target's default thread pool. Neither waits
 * for the other thread, nor for the pool. If the system gives no thread, nothing is measured.
 * Thread: the worker. */
void um_pool_start(void);
void um_pool_stop(void);

/* Whether a POOL_DELAY is due: every 250 ms, and when an item has run. Fills it in then. Thread:
 * the worker. */
int um_pool_next(struct um_wire_frame *frame);

/* CPU time that the measuring has taken in this process, without that of the items. Units: ns.
 * Thread: the worker. */
uint64_t um_pool_cpu_ns(void);

/* code_win32.c: takes the address of a LOOK_UP. A later one takes its place. Neither this nor the
 * next two wait for the look-up. Thread: the worker, as all of these. */
void um_code_ask(uint64_t address);

/* Whether the answer is there; fills in a CODE then. To be called at each poll, because it also
 * passes the question to the look-up thread. */
int um_code_next(struct um_wire_frame *frame);

/* Asks the look-up thread to end, if there is one. */
void um_code_stop(void);

/* CPU time that the look-ups have taken in this process. Units: ns. */
uint64_t um_code_cpu_ns(void);

/* peer_win32.c: whether the hook pipe's server is the process that the nonce message named, and
 * belongs to this process's user. Thread: the worker. */
int um_peer_is_monitor(HANDLE pipe, DWORD monitor_pid);

#endif
