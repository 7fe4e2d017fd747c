/* What the parts of the hook DLL share: one attachment of one monitor to one UI thread.
 *
 * Start reading at entry_win32.c (how it gets in), then observe_win32.c (the hook procedures, the
 * hot path on the target's UI thread; input_win32.c for interactions), heartbeat_win32.c (sends the
 * beats) and sender_win32.c (the worker that talks to the monitor and cleans up). The DLL observes
 * and draws no conclusions. It imports kernel32 and user32 alone and has no C library, no heap and
 * no static constructors: all its memory is in this one struct.
 *
 * Life: INERT -> STARTING (bootstrap hook, UI thread) -> ACTIVE -> LEAVING (worker) -> INERT. The
 * DLL is pinned in the process and never unloaded; when it is inert its code does not run.
 */
#ifndef UM_HOOKS_HOOK_WIN32_H
#define UM_HOOKS_HOOK_WIN32_H

#include <stdatomic.h>
#include <stdint.h>
#include <windows.h>

#include "ipc/filetime_win32.h"
#include "ipc/ring.h"
#include "ipc/wire.h"

#define UM_HOOK_UI_SLOTS 4096
#define UM_HOOK_BEAT_SLOTS 512
#define UM_HOOK_RAW_BYTES 16384

enum um_hook_phase {
    UM_HOOK_INERT = 0,
    UM_HOOK_STARTING = 1,
    UM_HOOK_ACTIVE = 2,
    UM_HOOK_LEAVING = 3
};

struct um_hook {
    _Atomic int phase;
    HINSTANCE module;
    DWORD pid;
    DWORD ui_tid;
    HANDLE ui_thread; /* signalled when that thread has ended */
    uint8_t nonce[UM_WIRE_NONCE_BYTES];
    DWORD monitor_pid;
    uint64_t ticks_per_s;

    HWND sink; /* message-only window on the UI thread; NULL if it could not be made */
    HHOOK message_hook;
    HHOOK mouse_hook;
    HANDLE worker;

    /* Beats. `outstanding` is the tag in flight, 0 for none; whoever changes it to 0 by
     * compare-and-exchange has answered or given up that beat. */
    _Atomic uint32_t outstanding;
    _Atomic uint32_t queued;    /* the last tag whose SendInput has returned */
    _Atomic uint32_t period_us; /* asked for by the monitor */
    _Atomic int probe;          /* enum um_probe in use: RAW or MOUSE */
    _Atomic int reason;         /* enum um_probe_reason for it */
    _Atomic int paused;
    _Atomic int watch_input; /* enum um_watch_input asked for by the monitor */
    HANDLE heartbeat;
    HANDLE stop_event; /* ends the heartbeat thread and wakes it after a command */
    HANDLE done_event; /* the heartbeat thread touches nothing of this any more */
    _Atomic int heartbeat_stop;
    _Atomic uint32_t heartbeat_turn; /* see heartbeat_win32.c */
    uint64_t heartbeat_cpu_ns;       /* of heartbeat threads that have ended */

    /* Written by the UI thread alone. */
    uint64_t hook_calls;
    uint64_t timed_calls;
    uint64_t timed_ticks;
    uint64_t mouse_beat;  /* the mouse hook just saw a beat of ours being removed */
    uint64_t input_ticks; /* when the last input of the user's, or its marker, was retrieved */
    HWND input_window;    /* whose that input was */
    uint32_t markers_out; /* posted and not retrieved yet */
    uint32_t chars_left;  /* markers that the last input may still cause; see input_win32.c */
    uint32_t paints_left;

    /* The rings' records are those of hooks/record.h. */
    struct um_ring ui_ring;   /* UI thread to worker: TAKEN, SEEN */
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

/* CPU time of a thread, 0 if it is not told. */
static inline uint64_t um_hook_thread_cpu_ns(HANDLE thread)
{
    FILETIME times[4]; /* created, ended, kernel, user */
    if (!thread || !GetThreadTimes(thread, &times[0], &times[1], &times[2], &times[3]))
        return 0;
    return um_filetime_cpu_ns(times[2], times[3]);
}

/* observe_win32.c: hook procedures for the UI thread, and the sink's window. */
LRESULT CALLBACK um_observe_message(int code, WPARAM removed, LPARAM message);
LRESULT CALLBACK um_observe_mouse(int code, WPARAM message, LPARAM info);

/* Makes the sink window; NULL if the system refuses. Thread: the UI thread. */
HWND um_observe_make_sink(HINSTANCE module);

/* Asks the UI thread to destroy the sink at its next call; does not wait. Thread: any. */
void um_observe_close_sink(HWND sink);

/* input_win32.c: what a message that is being retrieved says about the user's own input. Hot path,
 * UI thread; the last-error is not preserved.
 *
 * `look` gives the flags that TAKEN gets besides, and sees to it that the message's end will be
 * seen: `look_device` for input from a device, `look_other` for everything else. */
uint8_t um_input_look_device(const MSG *msg, uint64_t ticks);
uint8_t um_input_look_other(const MSG *msg, uint64_t ticks);

/* Whether it is a marker of ours; must be asked once for each message. */
int um_input_take_marker(const MSG *msg, uint64_t ticks);

/* The virtual key of a key press, 0 of anything else. */
uint32_t um_input_key(const MSG *msg);

/* heartbeat_win32.c: starts and ends the heartbeat thread. `stop` waits until it sends nothing
 * more, but not for its exit: a thread's start and exit need the loader's lock, which a frozen UI
 * thread may hold. Thread: the worker. Errors: start gives 0 if no thread could be made. */
int um_heartbeat_start(void);
void um_heartbeat_stop(void);

/* CPU time of all heartbeat threads of this attachment. Thread: the worker. */
uint64_t um_heartbeat_cpu_ns(void);

/* Records a change of how the DLL measures. Thread: heartbeat thread, or worker while there is no
 * heartbeat thread (one producer a ring). */
void um_heartbeat_push_probe(enum um_probe probe, enum um_probe_status status,
                             enum um_probe_reason reason, uint32_t error);

/* sender_win32.c: the worker thread's function. */
DWORD WINAPI um_sender_run(void *unused);

/* probe_win32.c: chooses and registers the probe. Thread: the worker. */
void um_probe_use(enum um_probe wanted, enum um_probe_reason why);
void um_probe_check(void);
void um_probe_release(void);

/* Whether the sink's is the only raw registration of the process. Thread: any. */
int um_probe_sink_is_alone(void);

/* peer_win32.c: whether the pipe's server is the process the nonce message named and belongs to
 * this process's user. Thread: the worker. */
int um_peer_is_monitor(HANDLE pipe, DWORD monitor_pid);

#endif
