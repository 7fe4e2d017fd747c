/* The wire format: the one encoding of the hook pipe (between the hook DLL and the monitor), of the
 * feed pipe (from the monitor to its consumers) and of recordings. This header specifies the format
 * and declares its encoder and decoder: um_wire_encode and um_wire_decode. Freestanding, so that
 * the hook DLL can use it without a C library. On the hot path of the monitor's reader.
 *
 * Stream. A stream is a preamble of 8 bytes, followed by frames:
 *
 *   preamble   offset 0  u32  magic, "UIMN" (0x4e4d4955)
 *                     4  u16  version, 1
 *                     6  u16  flags, 0; a reader refuses others
 *   frame             0  u16  length of the payload in bytes, at most 1024
 *                     2  u8   type (enum um_wire_type)
 *                     3  u8   flags
 *                     4       payload
 *
 * Payload. Each type has a struct below, and the comment above the struct says when the frame is
 * sent. The fields lie in the payload in the order of the struct, in the size of their C type and
 * without padding. The number that begins a field's comment is its offset in bytes. All numbers are
 * little-endian. Units are in the names: _ns, _us, _ms. Points in time are ns on the machine's
 * monotonic counter (ipc/clock.h), except utc_ms. Flags are listed behind the struct; where none
 * are listed, the frame's flags are 0.
 *
 * String. A char array of the struct is a string in the payload: a u16 length in bytes, and that
 * many bytes of UTF-8 without a NUL. Strings come last, so every other offset is fixed. The decoder
 * ends a string at a NUL, puts '?' for each byte that is not UTF-8, and cuts it at the end of a
 * character to the size of the array. So what a struct holds is always valid UTF-8.
 *
 * Later versions. A reader skips a frame of an unknown type by its length and ignores its flags. In
 * a frame of a known type it refuses flags and enum values it does not know, and a payload shorter
 * than the type's. It accepts a longer payload, because a later version may add fields at the end.
 * A field that was added after 0.1.0 says so; it is 0, and a string empty, where an earlier version
 * wrote the frame.
 */
#ifndef UM_IPC_WIRE_H
#define UM_IPC_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/status.h"

#define UM_WIRE_MAGIC UINT32_C(0x4e4d4955)
#define UM_WIRE_VERSION 1
#define UM_WIRE_PREAMBLE_BYTES 8
#define UM_WIRE_HEADER_BYTES 4
#define UM_WIRE_MAX_PAYLOAD 1024
#define UM_WIRE_MAX_BYTES (UM_WIRE_HEADER_BYTES + UM_WIRE_MAX_PAYLOAD)
#define UM_WIRE_NONCE_BYTES 16
#define UM_WIRE_AGE_UNKNOWN UINT32_C(0xffffffff)
#define UM_WIRE_KEY_DELAY_MAX_US 20000 /* of a session for proving: see PROVING */
#define UM_WIRE_STACK_FRAMES 3
#define UM_WIRE_STACK_FRAME_BYTES 160
#define UM_WIRE_THREAD_NAME_BYTES 64
#define UM_WIRE_MODULE_PATH_BYTES 768 /* of texts, with their NUL */
#define UM_WIRE_NAME_BYTES 480
#define UM_WIRE_MODULES 65535    /* numbers of modules are below that */
#define UM_WIRE_STOPPED_MOST 8   /* the greatest enum um_unwind_stop */
#define UM_WIRE_NODES_MOST 80    /* at most so many in a NODES */
#define UM_WIRE_FIRST_NODE 2u    /* before it there are the root and the unread end */
#define UM_WIRE_TRACE_NODES 4096 /* numbers of nodes of traced calls are below that */
#define UM_WIRE_TRACE_MOST 18    /* at most so many in a TRACE_TIMES or TRACED_TIMES */
#define UM_WIRE_PROFILE_ROWS 6
#define UM_WIRE_TRACE_CLASS_BYTES 192
#define UM_WIRE_COUNTERS 256 /* numbers of counters are below that */
#define UM_WIRE_COUNTER_TEXT_BYTES 128

enum um_wire_type {
    /* hook pipe, from the hook DLL to the monitor */
    UM_WIRE_HELLO = 1,
    UM_WIRE_MARK = 2,
    UM_WIRE_SENT = 3,
    UM_WIRE_SEEN = 4,
    UM_WIRE_TAKEN = 5,
    UM_WIRE_PROBE = 6,
    UM_WIRE_BYE = 7,
    UM_WIRE_COST = 8,
    UM_WIRE_POOL_DELAY = 9,
    UM_WIRE_COUNTED = 10,
    UM_WIRE_CODE = 11,
    UM_WIRE_TRACE_CALL = 12,
    UM_WIRE_TRACE_TIMES = 13,
    /* hook pipe, from the monitor to the hook DLL: the commands */
    UM_WIRE_STOP = 16,
    UM_WIRE_PERIOD = 17,
    UM_WIRE_USE_PROBE = 18,
    UM_WIRE_PAUSE = 19,
    UM_WIRE_ABANDON = 20,
    UM_WIRE_WATCH_INPUT = 21,
    UM_WIRE_USE_RUNG = 22,
    UM_WIRE_REST_PERIOD = 23,
    UM_WIRE_FULL_RATE = 24,
    UM_WIRE_MAY_SUSPEND = 25,
    UM_WIRE_PROBE_POOL = 26,
    UM_WIRE_COUNT_MESSAGES = 27,
    UM_WIRE_LOOK_UP = 28,
    UM_WIRE_TRACE = 29,
    UM_WIRE_BACKGROUND = 30,
    /* feed pipe and recording */
    UM_WIRE_SESSION = 32,
    UM_WIRE_BEAT = 33,
    UM_WIRE_GAP = 34,
    UM_WIRE_EPISODE = 35,
    UM_WIRE_STATUS = 36,
    UM_WIRE_END = 37,
    UM_WIRE_INTERACTION = 38,
    UM_WIRE_TOTALS = 39,
    UM_WIRE_RECORDING = 40, /* recording only */
    UM_WIRE_NOTE = 41,
    UM_WIRE_VIEW = 42, /* feed pipe only */
    UM_WIRE_RUNG = 43,
    UM_WIRE_PACE = 44,
    UM_WIRE_REST = 45,
    UM_WIRE_PROVING = 46,
    UM_WIRE_STACK = 47,
    UM_WIRE_SAMPLING = 48,
    UM_WIRE_POOL = 49,
    UM_WIRE_LOST = 50, /* feed pipe only */
    UM_WIRE_ACTIVITY = 51,
    UM_WIRE_MODULE = 52,
    UM_WIRE_NODES = 53,
    UM_WIRE_SAMPLE = 54,
    UM_WIRE_NAME = 55,
    UM_WIRE_COUNTER = 56,
    UM_WIRE_COUNTER_VALUE = 57,
    UM_WIRE_TRACED_CALL = 58,
    UM_WIRE_TRACED_TIMES = 59,
    UM_WIRE_TRACING = 60,
    UM_WIRE_WAIT = 61,
    UM_WIRE_PROFILE = 62, /* feed pipe only */
    UM_WIRE_RETRIEVED = 63
};

/* How beats reach the target. USE_PROBE may ask for AUTO; PROBE says which of the others it is. */
enum um_probe { UM_PROBE_AUTO = 0, UM_PROBE_RAW = 1, UM_PROBE_MOUSE = 2 };

/* What a beat of the raw probe is: the rungs of a ladder. The mouse probe is the rung above them,
 * and its beats are of neither kind. AUTO means that it is not known; as an option, that uimon
 * begins with ZERO and climbs by evidence. */
enum um_rung {
    UM_RUNG_AUTO = 0,
    UM_RUNG_ZERO = 1, /* a movement by zero pixels */
    UM_RUNG_PAIR = 2 /* a movement by one pixel and the one back, sent at once, with the same tag */
};

enum um_probe_status {
    UM_PROBE_ACTIVE = 0, /* beats are sent */
    UM_PROBE_PAUSED = 1, /* on the monitor's request */
    /* No beats for the moment: what PROBE says holds them back, or else the cursor is not over the
     * target, which the mouse probe needs. */
    UM_PROBE_OFF_TARGET = 2,
    UM_PROBE_REFUSED = 3 /* no beats: this probe cannot be used; `error` may say why */
};

enum um_probe_reason {
    UM_PROBE_REASON_ASKED = 0,      /* the monitor asked for this probe */
    UM_PROBE_REASON_DEFAULT = 1,    /* AUTO, and nothing speaks against RAW */
    UM_PROBE_REASON_TARGET_RAW = 2, /* the target has a raw mouse registration of its own */
    UM_PROBE_REASON_NO_SINK = 3,    /* the sink window or its registration failed */
    UM_PROBE_REASON_BLIND = 4       /* chosen anew after the probe had been blind for a second */
};

/* What holds beats back for the moment. */
enum um_probe_held {
    UM_PROBE_HELD_NOT = 0,
    /* A beat would move the pointer, and a mouse button is down or the target has captured the
     * mouse: what the user drags or draws would be shaken. */
    UM_PROBE_HELD_BUTTON = 1,
    /* Beats show the pointer that the system has hidden, after touch or pen or while somebody
     * types: none until the mouse moves. */
    UM_PROBE_HELD_POINTER = 2,
    UM_PROBE_HELD_COUNT = 3
};

/* The beats that the target gets while another program is in front: the window in front then
 * belongs to another process. */
enum um_background {
    UM_BACKGROUND_REST = 0, /* as many as at rest, whatever the target does */
    UM_BACKGROUND_FULL = 1, /* as in front */
    UM_BACKGROUND_PAUSE = 2 /* none */
};

/* What WATCH_INPUT asks for. */
enum um_watch_input {
    UM_WATCH_INPUT_OFF = 0,
    UM_WATCH_INPUT_ON = 1,  /* that a key, button or wheel was used */
    UM_WATCH_INPUT_KEYS = 2 /* and which key */
};

enum um_interaction {
    UM_INTERACTION_KEY = 0,
    UM_INTERACTION_CLICK = 1,
    UM_INTERACTION_WHEEL = 2,
    UM_INTERACTION_COUNT = 3
};

/* How a traced message came to be handled. */
enum um_trace_kind {
    UM_TRACE_SENT = 0,
    UM_TRACE_RETRIEVED = 1, /* posted, input, a timer, a paint */
    UM_TRACE_OTHER = 2      /* all calls for which the tree had no room, in one node */
};

/* Every instant of a session has exactly one; listed from the strongest to the weakest. */
enum um_state {
    UM_STATE_SUSPENDED = 0,
    UM_STATE_BLIND = 1,
    UM_STATE_IDLE = 2,
    UM_STATE_FROZEN = 3,
    UM_STATE_STARVED = 4,
    UM_STATE_SLOW = 5,
    UM_STATE_RESPONSIVE = 6,
    UM_STATE_COUNT = 7
};

enum um_end_reason {
    UM_END_STOPPED = 0,     /* by the user, or its time was over */
    UM_END_TARGET_GONE = 1, /* the target exited or was killed */
    UM_END_FAILED = 2
};

/* "key", "click" or "wheel", as JSON and CSV have it; "unknown" for a number outside the list,
 * never NULL. Owner: static text. Thread: any. */
const char *um_wire_interaction_name(enum um_interaction kind);

/* "frozen" and so on; "unknown" for a number outside the list, never NULL.
 * Owner: static text. Thread: any. */
const char *um_wire_state_name(enum um_state state);

/* The same for people to read. With `window_only` beats tell only of the window's thread, so
 * "responsive" would claim too much: the words are then "window thread".
 * Owner: static text. Thread: any. */
const char *um_wire_state_words(enum um_state state, bool window_only);

/* Whether a state is one of the two that count as a freeze. */
static inline bool um_wire_state_is_freeze(uint8_t state)
{
    return state == UM_STATE_FROZEN || state == UM_STATE_STARVED;
}

/* Hook pipe, from the hook DLL to the monitor -------------------------------------------------- */

/* HELLO (1), 44 bytes: the first frame. */
struct um_wire_hello {
    uint8_t nonce[UM_WIRE_NONCE_BYTES]; /* 0: what the monitor posted (ipc/bootstrap.h) */
    uint32_t pid;                       /* 16 */
    uint32_t tid;                       /* 20: the UI thread */
    uint64_t hwnd;                      /* 24: the DLL's sink window; 0: there is none */
    uint64_t time_ns;                   /* 32: from then on each message that is taken is told */
    uint32_t key_delay_us; /* 40: added; what the DLL adds to each key, as in PROVING; 0: nothing,
                            * this is no session for proving */
};

/* MARK (2), 16 bytes: everything that happened before its time has been sent. It is the DLL's sign
 * of life: one comes at least every 50 ms. */
struct um_wire_mark {
    uint64_t time_ns; /* 0 */
    uint64_t lost;    /* 8: records overwritten in the DLL's rings since it was attached */
};

/* SENT (3), 26 bytes: a beat is about to be sent. */
struct um_wire_sent {
    uint64_t time_ns;   /* 0: just before SendInput */
    uint32_t seq;       /* 8: the beat's sequence number */
    uint64_t rested_ns; /* 12: added; the UI thread is known to have rested then; 0: not known */
    uint32_t skipped;   /* 20: added; so many beats were left out before it, because the UI thread
                         * had retrieved nothing since it answered the last one */
    uint8_t rung;       /* 24: added; enum um_rung; AUTO: a beat of the mouse probe, or not known */
    /* 25: added; 1: after those, more were left out although the UI thread had retrieved something
     * or run, so as to spare others. What it did since then is not known. */
    uint8_t left_out;
};

/* SEEN (4), 12 bytes: a beat was dequeued. */
struct um_wire_seen {
    uint64_t time_ns; /* 0: when it was dequeued */
    uint32_t seq;     /* 8 */
};

#define UM_WIRE_SEEN_RAW 1   /* as WM_INPUT */
#define UM_WIRE_SEEN_MOUSE 2 /* by the WH_MOUSE hook */
/* The system had merged the beat with a move of the user's. That move was dequeued after the beat
 * had been queued. Mouse probe only. */
#define UM_WIRE_SEEN_MERGED 4

/* TAKEN (5), 33 bytes: a message was removed from the queue. */
struct um_wire_taken {
    uint64_t time_ns; /* 0 */
    uint64_t hwnd;    /* 8 */
    uint32_t message; /* 16 */
    uint32_t age_ms;  /* 20: of input when it was taken; UM_WIRE_AGE_UNKNOWN: not known */
    uint32_t key;     /* 24: virtual key; 0: not a key press, or not asked for */
    uint32_t own_ms;  /* 28: added; the message's own time, on the system's clock of messages; not
                       * known where the age is not */
    uint8_t promoted; /* 32: added; 1: a button message that the system has made of a touch or pen,
                        * because the program did not handle that itself */
};

#define UM_WIRE_TAKEN_OURS 1  /* a beat, or a marker of the DLL */
#define UM_WIRE_TAKEN_INPUT 2 /* key, button or wheel input of the user's */

/* These three only if WATCH_INPUT has asked for them. STARTS: an interaction starts with this key
 * press (not a repeat, not a modifier alone), button press or step of the wheel. RELEASE: a button
 * was released. PAINT: a WM_PAINT of the window that has the focus or took the last input, or of a
 * window inside it. */
#define UM_WIRE_TAKEN_STARTS 4
#define UM_WIRE_TAKEN_RELEASE 8
#define UM_WIRE_TAKEN_PAINT 16

/* PROBE (6), 17 bytes: the way in which the DLL measures has changed. */
struct um_wire_probe {
    uint64_t time_ns; /* 0 */
    uint8_t probe;    /* 8: enum um_probe */
    uint8_t status;   /* 9: enum um_probe_status */
    uint16_t reason;  /* 10: enum um_probe_reason */
    uint32_t error;   /* 12: the system's, if it has refused something; else 0 */
    uint8_t held;     /* 16: added; enum um_probe_held, with OFF_TARGET */
};

/* BYE (7), 8 bytes: the DLL leaves the target. */
struct um_wire_time {
    uint64_t time_ns; /* 0 */
};

/* COST (8), 48 bytes: what the DLL has cost since it was attached. */
struct um_wire_cost {
    uint64_t time_ns;          /* 0 */
    uint64_t heartbeat_cpu_ns; /* 8: CPU time of the heartbeat thread */
    uint64_t sender_cpu_ns;    /* 16: CPU time of the sender thread */
    uint64_t hook_calls;       /* 24: calls of the WH_GETMESSAGE hook */
    uint64_t timed_calls;      /* 32: how many of them were timed */
    uint64_t timed_ns;         /* 40: what the timed ones took */
};

/* POOL_DELAY (9), 16 bytes: how long a work item waited in the queue of the target's default thread
 * pool. Sent while PROBE_POOL asks for it: for each item when it has run, and each 250 ms while one
 * waits. */
struct um_wire_pool_delay {
    uint64_t time_ns;  /* 0: when the item ran; of one that waits: now */
    uint64_t delay_ns; /* 8: from just before it was submitted until then */
};

#define UM_WIRE_POOL_DELAY_WAITS 1 /* the item has not run yet */

/* COUNTED (10), 16 bytes: what the UI thread has done. Sent each 100 ms while COUNT_MESSAGES asks
 * for it. The numbers go on with 0 after 2^32 - 1. */
struct um_wire_counted {
    uint64_t time_ns;  /* 0: when the numbers were these */
    uint32_t messages; /* 8: retrieved from the queue, without those that are uimon's own. It begins
                        * with any number: the difference of two tells */
    uint32_t paints;   /* 12: WM_PAINTs since the DLL was attached that were retrieved and after
                        * which another message was: paint cycles that are over. A WM_PAINT that is
                        * sent (UpdateWindow) is not seen */
};

/* CODE (11), 28 bytes: answers LOOK_UP. The function that has the address, as the system knows it
 * from the program that generated it: an entry as that of a module's table of functions. */
struct um_wire_code {
    uint64_t address; /* 0: that was asked for */
    uint64_t base;    /* 8: what the other three are relative to */
    uint32_t begin;   /* 16 */
    uint32_t end;     /* 20: the first byte behind the function */
    uint32_t unwind;  /* 24: its unwind data, in the target's memory */
};

#define UM_WIRE_CODE_NONE 1 /* no function has it; there is neither base nor entry */

/* Traced messages: TRACE asks for them. The DLL keeps a tree of the calls that the UI thread
 * handles one within another (ipc/calltrace.h), and tells what has changed in it. Its node 0 is the
 * root, and node 1 takes the calls for which there is no room. */

/* TRACE_CALL (12), 21 bytes and a string: a node of that tree, told once, before its times and
 * after its parent. */
struct um_wire_trace_call {
    uint32_t node;    /* 0: from 1 */
    uint32_t parent;  /* 4: less than that */
    uint64_t handler; /* 8: address of the window procedure; 0: not known, or there is none */
    uint32_t message; /* 16 */
    uint8_t kind;     /* 20: enum um_trace_kind */
    char window_class[UM_WIRE_TRACE_CLASS_BYTES]; /* 21: empty: not known */
};

/* What has been traced so far, 41 bytes: the begin of two frames. */
struct um_wire_tracing {
    uint64_t time_ns;     /* 0: now */
    uint64_t traced_ns;   /* 8: how long tracing has been on */
    uint64_t timed_calls; /* 16: of the hook procedures for it, so many were timed */
    uint64_t timed_ns;    /* 24: what these took */
    uint64_t deeper;      /* 32: calls that lay too deep, and are in no node */
    uint8_t on;           /* 40: 1: tracing is on */
};

/* The times of a node, 52 bytes, from the begin of the tree on. */
struct um_wire_trace_times {
    uint32_t node;    /* 0 */
    uint64_t count;   /* 4: calls */
    uint64_t ended;   /* 12: of those, so many have ended; the times are theirs */
    uint64_t loose;   /* 20: of these, so many may have ended long before: that was found at the
                       * next retrieval, which may have waited */
    uint64_t wall_ns; /* 28 */
    uint64_t self_ns; /* 36: of that, without the calls within */
    uint64_t cpu_ns;  /* 44: that the thread has run; with HAS_CPU */
};

/* TRACE_TIMES (13), 42 bytes and 52 for each node: the nodes that have changed. Comes twice a
 * second while tracing is on, and when it ends. */
struct um_wire_trace_list {
    struct um_wire_tracing sum; /* 0 */
    uint8_t count;              /* 41: up to UM_WIRE_TRACE_MOST; 0: none */
    struct um_wire_trace_times list[UM_WIRE_TRACE_MOST];
};

#define UM_WIRE_TRACE_HAS_CPU 1 /* the system tells how long the thread has run */

/* Hook pipe, from the monitor to the hook DLL -------------------------------------------------- */

/* The commands. A command's value is 4 bytes or 1 byte at offset 0:
 *
 *   STOP         0 bytes   leave the target
 *   PERIOD       4 bytes   µs from beat to beat
 *   USE_PROBE    1 byte    enum um_probe
 *   PAUSE        1 byte    1: pause the beats; 0: go on
 *   ABANDON      4 bytes   the sequence number of a beat to forget
 *   WATCH_INPUT  1 byte    enum um_watch_input: whether TAKEN has its last three flags and its
 *                          key
 *   USE_RUNG     1 byte    enum um_rung: what a beat of the raw probe is from now on; AUTO is ZERO
 *   REST_PERIOD  4 bytes   µs from beat to beat while the UI thread rests
 *   FULL_RATE    4 bytes   for so many ms, beats come at the full rate even if it rests
 *   MAY_SUSPEND  5 bytes   1: the monitor suspends a thread for moments. If the monitor dies in
 *                          such a moment, the DLL lets the thread run again. At offset 1 is u32
 *                          the thread's id; 0: the UI thread
 *   PROBE_POOL   1 byte    1: measure the queue of the default thread pool, until 0 is sent
 *   COUNT_MESSAGES  1 byte 1: tell how many messages and paint cycles there were, until 0 is
 *                          sent
 *   TRACE        1 byte    1: trace messages, until 0 is sent
 *   BACKGROUND   1 byte    enum um_background; FULL until this is sent */
struct um_wire_command {
    uint32_t value;
    uint32_t thread; /* of MAY_SUSPEND */
};

/* LOOK_UP (28), 8 bytes: asks for the function of code that is in no module. Never sent while a
 * thread of the target is suspended, because that one may hold a lock that the answer takes. */
struct um_wire_look_up {
    uint64_t address; /* 0 */
};

#define UM_WIRE_USE_PROBE_BLIND 1 /* with USE_PROBE: asked for because the present probe is blind */
#define UM_WIRE_USE_RUNG_ONCE 1   /* with USE_RUNG: for one beat only */

/* Feed pipe and recording ---------------------------------------------------------------------- */

/* SESSION (32), 48 bytes and four strings: which target is watched, and how. The first frame of a
 * feed, and again whenever one of its fields has changed. */
struct um_wire_session {
    uint64_t start_ns;     /* 0: when measuring began */
    int64_t utc_ms;        /* 8: the same instant on the calendar, ms since 1970 UTC */
    uint64_t hwnd;         /* 16: the target's main window; 0: none, this is a replay */
    uint32_t pid;          /* 24 */
    uint32_t tid;          /* 28: the target's UI thread */
    uint32_t period_us;    /* 32: from beat to beat */
    uint32_t threshold_us; /* 36: the freeze threshold */
    uint32_t slow_us;      /* 40: the threshold of `slow` */
    uint8_t bits;          /* 44: 64 or 32 */
    uint8_t probe;         /* 45: enum um_probe */
    uint8_t probe_status;  /* 46: enum um_probe_status */
    uint8_t probe_reason;  /* 47: enum um_probe_reason */
    char name[128];        /* 48: "devenv.exe" */
    char title[256];       /* then: the window's title */
    char caption[256];     /* then: what the user wants written on the overlay */
    /* Then, added after 0.1.0: the toolkit of the window, such as "Java", if it is one that does
     * the program's own work on other threads or in other processes. Beats then tell only of the
     * window's thread. Empty: no such toolkit was recognised. */
    char toolkit[32];
};

#define UM_WIRE_SESSION_ANEW 1 /* everything told before is void: a replay has jumped */

/* BEAT (33), 20 bytes: a beat that was dequeued, or one that waited in a freeze and was never
 * dequeued. */
struct um_wire_beat {
    uint64_t sent_ns;    /* 0 */
    uint64_t latency_ns; /* 8: from sent to dequeued */
    uint32_t seq;        /* 16 */
};

#define UM_WIRE_BEAT_AT_LEAST 1 /* it was never dequeued; it waited at least `latency_ns` */

/* GAP (34), 28 bytes: at least 5 ms lay between two retrievals of messages. */
struct um_wire_gap {
    uint64_t start_ns;  /* 0: when the first of the two was retrieved */
    uint64_t length_ns; /* 8 */
    uint64_t hwnd;      /* 16: of the message that was retrieved first */
    uint32_t message;   /* 24: that message */
};

/* EPISODE (35), 57 bytes and two strings: a stretch of time in which the target was not responsive.
 * It is told twice, by a frame with BEGIN and by one with END, which have the same id. END may
 * carry another state and start than BEGIN: what looked frozen can turn out to be blind. */
struct um_wire_episode {
    uint64_t start_ns;       /* 0 */
    uint64_t end_ns;         /* 8 */
    uint64_t peak_ns;        /* 16: the greatest gap between two retrievals in it */
    uint64_t uncertainty_ns; /* 24: the true start is within start_ns ± half of this */
    uint64_t slept_ns;       /* 32: the part in which the target was suspended */
    uint64_t hwnd;           /* 40: of the suspect */
    uint32_t id;             /* 48 */
    uint32_t message;        /* 52: the suspect, the last message retrieved before it */
    uint8_t state;           /* 56: enum um_state */
    char window_class[128];  /* 57: of the suspect's window */
    /* Then, added after 0.1.0: under which name the suspect was registered, if it is one of
     * RegisterWindowMessage's. Empty: it is none, or the system told no name. Other programs choose
     * these names, and each machine gives them other numbers. */
    char message_name[64];
};

#define UM_WIRE_EPISODE_BEGIN 1       /* it still lasts; end_ns and peak_ns are as known so far */
#define UM_WIRE_EPISODE_END 2         /* it is over, and everything is final */
#define UM_WIRE_EPISODE_HAS_MESSAGE 4 /* there is a suspect: message, hwnd and window_class */
#define UM_WIRE_EPISODE_OPEN 8        /* with END: the session ended while the episode lasted */
#define UM_WIRE_EPISODE_VOID 16       /* with END: it turned out to be no episode */

/* How long an episode is or was, without the time in which the target was suspended. */
static inline uint64_t um_wire_episode_length_ns(const struct um_wire_episode *episode)
{
    uint64_t span_ns =
        episode->end_ns > episode->start_ns ? episode->end_ns - episode->start_ns : 0;
    return span_ns > episode->slept_ns ? span_ns - episode->slept_ns : 0;
}

/* STATUS (36), 137 bytes: what an overlay shows. Sent ten times a second, and when the state
 * changes. If the target was suspended since the unanswered beat was sent, then `outstanding_ns` is
 * later by that time, so that the beat's age leaves it out. */
struct um_wire_status {
    uint64_t time_ns;            /* 0 */
    uint64_t slice_start_ns;     /* 8: of the 100 ms slice that `slice_worst_ns` belongs to */
    uint64_t lag_ns;             /* 16: the age of the unanswered beat; none: the last latency */
    uint64_t slice_worst_ns;     /* 24: the worst lag of the slice so far */
    uint64_t outstanding_ns;     /* 32: when the unanswered beat was sent; 0: there is none */
    uint64_t p50_ns;             /* 40: of the latency in the last 5 s */
    uint64_t p99_ns;             /* 48: likewise */
    uint64_t last_freeze_ns;     /* 56: the length of the last freeze that is over */
    uint64_t last_freeze_end_ns; /* 64: when it ended */
    uint64_t freeze_total_ns;    /* 72: the length of all freezes */
    uint64_t lost;               /* 80: records and frames that were dropped */
    uint32_t over_100;           /* 88: freezes of at least 100 ms */
    uint32_t over_250;           /* 92: of at least 250 ms */
    uint32_t over_1000;          /* 96: of at least 1000 ms */
    uint32_t freezes;            /* 100: all freezes */
    uint64_t state_since_ns;     /* 104: when the present state began */
    uint8_t state;               /* 112: enum um_state, the present one */
    uint64_t typing_p50_ns;      /* 113: of the last 30 keys */
    uint64_t typing_p99_ns;      /* 121: likewise */
    uint64_t click_ns;           /* 129: of the last click */
};

#define UM_WIRE_STATUS_HAS_LATENCY 1 /* p50_ns, p99_ns */
#define UM_WIRE_STATUS_HAS_LAG 2     /* lag_ns, slice_worst_ns: one was measured in this slice */
#define UM_WIRE_STATUS_HAS_LAST_FREEZE 4 /* last_freeze_ns, last_freeze_end_ns */
#define UM_WIRE_STATUS_HAS_TYPING 8      /* typing_p50_ns, typing_p99_ns */
#define UM_WIRE_STATUS_TYPING_PAINTED 16 /* typing: from arrival to painted; else to handled */
#define UM_WIRE_STATUS_HAS_CLICK 32      /* click_ns */
#define UM_WIRE_STATUS_CLICK_PAINTED 64  /* click: from arrival to painted; else to handled */

/* How long the unanswered beat has waited by `time_ns`; 0 if there is none. */
static inline uint64_t um_wire_status_waited_ns(const struct um_wire_status *status,
                                                uint64_t time_ns)
{
    bool waits = status->outstanding_ns != 0 && time_ns > status->outstanding_ns;
    return waits ? time_ns - status->outstanding_ns : 0;
}

/* END (37), 9 bytes: the session is over. The last frame. */
struct um_wire_end {
    uint64_t time_ns; /* 0 */
    uint8_t reason;   /* 8: enum um_end_reason */
};

/* INTERACTION (38), 45 bytes: a key press, click or wheel step that the target has dealt with. A
 * time that was not observed is 0. */
struct um_wire_interaction {
    uint64_t arrival_ns;  /* 0: when the input reached the system */
    uint64_t dequeued_ns; /* 8: always observed */
    uint64_t handled_ns;  /* 16: when the thread was done with it and what it caused */
    uint64_t painted_ns;  /* 24: when the first painting after that ended */
    uint32_t id;          /* 32: 1 for the first */
    uint32_t freeze;      /* 36: id of the freeze in which it waited or was handled; 0: none */
    uint32_t key;         /* 40: virtual key; 0: not kept */
    uint8_t kind;         /* 44: enum um_interaction */
};

#define UM_WIRE_INTERACTION_RELEASE 1 /* a click: its release was measured, not its press */

/* The lengths an interaction has: from one of its times to a later one. */
enum um_wire_part {
    UM_WIRE_PART_INPUT_DELAY = 0,  /* arrival to dequeued */
    UM_WIRE_PART_PROCESSING = 1,   /* dequeued to handled */
    UM_WIRE_PART_PRESENTATION = 2, /* handled to painted */
    UM_WIRE_PART_TOTAL = 3,        /* arrival to painted */
    UM_WIRE_PART_TO_HANDLED = 4,   /* arrival to handled: what is left where no paint is observed */
    UM_WIRE_PART_COUNT = 5
};

/* How long a part was; false, and `length_ns` untouched, if one of its ends was not observed.
 * Thread: any. */
bool um_wire_interaction_part_ns(const struct um_wire_interaction *interaction,
                                 enum um_wire_part part, uint64_t *length_ns);

/* From an interaction's arrival to the last of its times that was observed; from its dequeue if the
 * arrival was not observed. Thread: any. */
uint64_t um_wire_interaction_length_ns(const struct um_wire_interaction *interaction);

/* TOTALS (39), 160 bytes: what a summary needs beside the events. Sent once a second, and at the
 * end. The six before the last are 0 if they are not known. */
struct um_wire_totals {
    uint64_t time_ns;                  /* 0 */
    uint64_t duration_ns;              /* 8 */
    uint64_t beats_sent;               /* 16 */
    uint64_t beats_seen;               /* 24 */
    uint64_t beats_lost;               /* 32 */
    uint64_t state_ns[UM_STATE_COUNT]; /* 40: time spent in each enum um_state */
    uint64_t dropped;                  /* 96: records and frames */
    uint64_t heartbeat_cpu_ns;         /* 104: as in COST */
    uint64_t sender_cpu_ns;            /* 112 */
    uint64_t timed_calls;              /* 120 */
    uint64_t timed_ns;                 /* 128 */
    uint64_t monitor_cpu_ns;           /* 136: CPU time of uimon.exe */
    uint64_t overlay_cpu_ns;           /* 144: CPU time of uimon-overlay.exe */
    uint64_t beats_rested;             /* 152: added; left out because the UI thread rested */
};

/* RECORDING (40), 16 bytes and two strings: the first frame of a recording; not in a feed. */
struct um_wire_recording {
    int64_t utc_ms;    /* 0: when it was begun, ms since 1970 UTC */
    uint64_t time_ns;  /* 8: the same instant */
    char version[32];  /* 16: of the program */
    char options[640]; /* then: key=value lines; cut at a line's end if they are too long */
};

/* NOTE (41), 8 bytes and a string: a mark that a script or the user has set. */
struct um_wire_note {
    uint64_t time_ns; /* 0 */
    char text[256];   /* 8 */
};

/* What the overlay shows. */
enum um_wire_panel {
    UM_WIRE_PANEL_GRAPH = 0,
    UM_WIRE_PANEL_PROFILE = 1, /* and beside the graph the hottest functions, by PROFILE */
    UM_WIRE_PANEL_COUNT = 2
};

/* VIEW (42), 2 bytes: whether the user wants to see the overlay, and what of it. Sent when that
 * changes; at first it is wanted, with the graph. */
struct um_wire_view {
    uint8_t hidden; /* 0: 1: not now */
    uint8_t panel;  /* 1: added; enum um_wire_panel */
};

/* RUNG (43), 11 bytes: what the beats of the raw probe are, and what is known to keep them away.
 * Sent after the first SESSION, and whenever a field has changed. */
struct um_wire_rung {
    uint64_t time_ns; /* 0 */
    uint8_t rung;     /* 8: enum um_rung; AUTO: none was sent so far */
    uint8_t shielded; /* 9: 1: the window in front belongs to a program of a higher integrity level,
                       * and the system keeps beats from it */
    uint8_t held;     /* 10: added; enum um_probe_held: why none is sent now */
};

/* PACE (44), 8 bytes: follows the first SESSION. Where it is missing, a UI thread at rest got as
 * many beats as any other. */
struct um_wire_pace {
    uint32_t rest_us; /* 0: from beat to beat while the UI thread rests */
    uint32_t
        background_us; /* 4: added; the same while another program is in front; 0: as in front */
};

#define UM_WIRE_PACE_NEVER UINT32_C(0xffffffff) /* background_us: no beats then */

/* REST (45), 12 bytes: the UI thread rested, so beats were left out. Each of them counts as a beat
 * of the latency of the BEAT before. */
struct um_wire_rest {
    uint64_t time_ns; /* 0: when the next beat was sent */
    uint32_t skipped; /* 8: how many beats were left out before it */
};

/* PROVING (46), 4 bytes: follows the first SESSION of a session for proving, in which the DLL
 * delays the handling of each key on purpose, to show that a comparison finds so small a delay.
 * Where it is missing, nothing is delayed. */
struct um_wire_proving {
    uint32_t key_delay_us; /* 0: for each key; 1 to UM_WIRE_KEY_DELAY_MAX_US */
};

/* STACK (47), 40 bytes and seven strings: a freeze whose UI thread was sampled was here. It comes
 * after the END of the freeze, as soon as the names are known, and before the TOTALS of the end.
 * Where names take longer than 3 s it comes without them, and once more when they are there: then
 * the second one takes the place of the first.
 * The stack is what at least half of the samples have in common from the outermost frame on. It is
 * told by its innermost functions that are not those of the system's own modules. */
#define UM_WIRE_STACK_CPU 1u
#define UM_WIRE_STACK_MINE 2u
struct um_wire_stack {
    uint32_t freeze;      /* 0: id of the EPISODE */
    uint32_t samples;     /* 4: taken during the freeze */
    uint32_t alike;       /* 8: of those, how many have it */
    uint32_t interval_us; /* 12: from sample to sample, on average; 0: there was only one */
    uint32_t sampled_us;  /* 16: from the first sample to the last */
    uint32_t user_us;     /* 20: of that, how long the thread ran, as the system counts it, */
    uint32_t kernel_us;   /* 24: and how long in kernel mode */
    uint32_t yours;       /* 28: of the samples, how many are of the user's own modules, */
    uint32_t unread;      /* 32: and of how many nobody can tell */
    uint32_t known; /* 36: UM_WIRE_STACK_CPU: user_us and kernel_us; _MINE: yours and unread */
    /* 40: "function", the innermost first; empty: there are no more. A function without a name is
     * "module.dll+0x1234", by where it begins. Code of no module is told by its address, as
     * "0x7ff612345678". */
    char frames[UM_WIRE_STACK_FRAMES][UM_WIRE_STACK_FRAME_BYTES];
    char stopped[64]; /* then: why the stack was not walked to its end; empty: it was */
    /* Then: the call of the system's that at least half of the samples are in, if one is. */
    char call[UM_WIRE_STACK_FRAME_BYTES];
    char whose[96];     /* then, in words: "yours 81 to 95 %" */
    char headline[160]; /* then, for people: "parse ← on_command ← WM_COMMAND" */
};

/* SAMPLING (48), 40 bytes: what sampling has cost the target so far. Precedes a TOTALS if it has
 * changed. A suspension's length is an upper limit: the time between two calls of the monitor. */
struct um_wire_sampling {
    uint32_t samples;     /* 0: times that a thread was suspended */
    uint32_t over_2ms;    /* 4: how many of those took longer */
    uint64_t total_ns;    /* 8: all of them */
    uint64_t p50_ns;      /* 16: the median of the latest 1,024 */
    uint64_t max_ns;      /* 24: the longest */
    uint64_t interval_ns; /* 32: from sample to sample of the UI thread, on average; 0: not
                           * known */
};

/* POOL (49), 44 bytes: the delay of a work item in the target's default thread pool, four times a
 * second while it is measured, and whether the pool is starved. Every field of the starvation is
 * that of the latest one, so that none is missed for want of a single frame. */
struct um_wire_pool {
    uint64_t time_ns;  /* 0: as in POOL_DELAY, and delay_ns */
    uint64_t delay_ns; /* 8 */
    uint64_t start_ns; /* 16: when the item was submitted by which it was found */
    uint64_t end_ns;   /* 24: when the item ran by which it was over; 0: it lasts */
    uint64_t peak_ns;  /* 32: the greatest delay in it so far */
    uint32_t
        starvation; /* 40: its id, 1 for the first; 0: there was none, nor start, end or peak */
};

#define UM_WIRE_POOL_WAITS 1   /* the item has not run yet; delay_ns goes on rising */
#define UM_WIRE_POOL_STARVED 2 /* the starvation lasts */

/* LOST (50), 16 bytes: the consumer that gets this frame read so slowly that the frames between the
 * one before and the one after were thrown away. What holds follows at once, told anew and as of
 * that place: the last SESSION, RUNG, PROVING and VIEW, the BEGIN of each EPISODE that lasts, the
 * last STATUS, and each COUNTER. An episode that lasted before and is not among them has ended
 * meanwhile. */
struct um_wire_lost {
    uint64_t time_ns; /* 0: when this was told */
    uint64_t frames;  /* 8: how many were thrown away */
};

/* ACTIVITY (51), 32 bytes: how many messages the UI thread has retrieved and how many paint cycles
 * it has completed, as in COUNTED. Sent ten times a second while that is counted. The numbers only
 * grow, over the whole session. Counting can stop and begin again: a rate is the difference of two
 * of these with the same `since_ns`, by the difference of their times. The first of a stretch has
 * the numbers of before and `time_ns` = `since_ns`. */
struct um_wire_activity {
    uint64_t time_ns;  /* 0: when the numbers were these */
    uint64_t since_ns; /* 8: since then everything was counted */
    uint64_t messages; /* 16 */
    uint64_t paints;   /* 24 */
};

/* The program was seen to paint by a retrieved WM_PAINT since it was attached. Without this flag
 * `paints` is 0 and tells nothing: many programs paint in other ways. */
#define UM_WIRE_ACTIVITY_PAINTS 1

/* The samples of stacks are four types: a SAMPLE points to a node of a tree of
 * addresses, which NODES adds to. A node's key says where its address lies: in bits 48 to 63
 * the number of a MODULE and 1, or 0 for code of no module; below that the address's offset in the
 * module, or the address itself. A NAME comes when it is known, before or after the samples. */

/* MODULE (52), 12 bytes and a string: precedes the nodes with its number. */
struct um_wire_module {
    uint32_t number;
    uint32_t timestamp;   /* 4: of the image's header; 0: not known */
    uint32_t image_bytes; /* 8: its size in memory */
    char path[UM_WIRE_MODULE_PATH_BYTES];
};

struct um_wire_node {
    uint32_t parent; /* 0: the root; 1: the frames further out were not read */
    uint64_t key;    /* 4 */
};

/* NODES (53), 12 bytes and 12 for each node. The nodes of all of them follow each other, from
 * UM_WIRE_FIRST_NODE on. When a tree is full, another one begins. A node comes after its
 * parent, which lies further out. */
struct um_wire_nodes {
    uint32_t first; /* 0: number of the first of these nodes */
    uint32_t count; /* 4: 1 to UM_WIRE_NODES_MOST */
    uint32_t tree;  /* 8: of which tree */
    struct um_wire_node list[UM_WIRE_NODES_MOST];
};

/* SAMPLE (54), 38 bytes and a string. The times are since the sample of the same thread before it
 * in the same absence, and 0 in the first one. Without HAS_CPU the system does not say how long it
 * ran. */
#define UM_WIRE_SAMPLE_HAS_CPU 1
struct um_wire_sample {
    uint64_t time_ns;   /* 0 */
    uint32_t thread;    /* 8 */
    uint32_t node;      /* 12: of the innermost frame; below UM_WIRE_FIRST_NODE: none was read */
    uint32_t wall_us;   /* 16 */
    uint32_t user_us;   /* 20: that the thread ran, as the system counts it */
    uint32_t kernel_us; /* 24 */
    uint32_t absence;   /* 28: a number for each time that the UI thread was away, and for each
                         * time between, if there are samples of it */
    uint32_t tree;      /* 32: to which tree the node belongs */
    uint8_t stopped;    /* 36: why the walk ended, enum um_unwind_stop; 0: it is whole */
    uint8_t other;      /* 37: 1: the thread is not the UI thread */
    char thread_name[UM_WIRE_THREAD_NAME_BYTES]; /* 38: in the first sample of a thread, as its
                                                  * program calls it; empty: not known */
};

/* NAME (55), 18 bytes and two strings: the function that a node's address lies in. */
struct um_wire_name {
    uint64_t key;          /* 0: of the node */
    uint32_t displacement; /* 8: from the begin of the function to the address */
    uint32_t line;         /* 12: of the address, from 1; 0: not known */
    uint8_t kind;          /* 16: enum um_names_kind; NOWHERE: it has no name */
    uint8_t why;           /* 17: enum um_names_why */
    char name[UM_WIRE_NAME_BYTES];
    char file[UM_WIRE_NAME_BYTES]; /* of the source; empty: not known */
};

enum um_wire_counter_kind {
    UM_WIRE_COUNTER_MEAN = 0,     /* values are means, or present levels */
    UM_WIRE_COUNTER_INCREMENT = 1 /* values are what was added in the interval */
};

/* COUNTER (56), 5 bytes and four strings: a counter that the target has of itself, as a program of
 * .NET has. Precedes the values with its number, and comes again first for who connects late. */
struct um_wire_counter {
    uint32_t number;                           /* 0: below UM_WIRE_COUNTERS */
    uint8_t kind;                              /* 4: enum um_wire_counter_kind */
    char provider[UM_WIRE_COUNTER_TEXT_BYTES]; /* 5: "System.Runtime" */
    char name[UM_WIRE_COUNTER_TEXT_BYTES];     /* then: "cpu-usage" */
    char display[UM_WIRE_COUNTER_TEXT_BYTES];  /* then, for people: "CPU Usage" */
    char unit[UM_WIRE_COUNTER_TEXT_BYTES];     /* then: "%"; empty: the target names none */
};

/* COUNTER_VALUE (57), 48 bytes: what such a counter was in an interval; nothing comes of one in
 * which it was not measured. Values are the bits of a finite IEEE 754 double. */
struct um_wire_counter_value {
    uint64_t time_ns;     /* 0: the end of the interval, as the target tells it */
    uint64_t interval_ns; /* 8: how long it was; 0: not told */
    uint64_t value;       /* 16 */
    uint64_t min;         /* 24: here and below: of a mean. The least of the values it is of, */
    uint64_t max;         /* 32: the greatest, */
    uint32_t number;      /* 40: of the COUNTER */
    uint32_t count;       /* 44: and how many they are; 0: not told, nor are min and max */
};

/* TRACED_CALL (58), 25 bytes and two strings: a node of a tree of traced calls, as TRACE_CALL. The
 * handler is told as the key of a node of NODES, so a NAME can follow. */
struct um_wire_traced_call {
    uint32_t tree;    /* 0: each time that the DLL comes, another tree begins */
    uint32_t node;    /* 4 */
    uint32_t parent;  /* 8 */
    uint64_t key;     /* 12: 0: not known, or there is none */
    uint32_t message; /* 20 */
    uint8_t kind;     /* 24 */
    char window_class[UM_WIRE_TRACE_CLASS_BYTES]; /* 25: empty: not known */
    char message_name[64]; /* then: of a registered message, as it is called; else empty */
};

/* TRACED_TIMES (59), 5 bytes and 52 for each node, with the flags of TRACE_TIMES: their times, from
 * the begin of the tree on. Those that have changed, twice a second while there are any. */
struct um_wire_traced_list {
    uint32_t tree; /* 0 */
    uint8_t count; /* 4: 1 to UM_WIRE_TRACE_MOST */
    struct um_wire_trace_times list[UM_WIRE_TRACE_MOST];
};

/* TRACING (60), 41 bytes: struct um_wire_tracing, of all trees together. Follows their times. */

/* What a thread waits for. */
enum um_wire_wait_kind {
    UM_WIRE_WAIT_NONE = 0,    /* for nobody that is known */
    UM_WIRE_WAIT_LOCK = 1,    /* a critical section that another thread has entered */
    UM_WIRE_WAIT_WINDOW = 2,  /* a message was sent to a window of another thread */
    UM_WIRE_WAIT_MUTEX = 3,   /* a mutex that another thread owns */
    UM_WIRE_WAIT_CALL = 4,    /* another thread is to answer a call of COM or RPC */
    UM_WIRE_WAIT_THREAD = 5,  /* the end of another thread */
    UM_WIRE_WAIT_PROCESS = 6, /* the end of another process; it has no thread */
    UM_WIRE_WAIT_KINDS = 7
};

/* WAIT (61), 17 bytes and three strings: for whom the UI thread waited in a freeze, as at least
 * half of its samples have it. It follows the STACK of that freeze. */
struct um_wire_wait {
    uint32_t freeze;        /* 0: id of the EPISODE */
    uint32_t thread;        /* 4: who is waited for */
    uint32_t process;       /* 8: that one's process */
    uint32_t samples;       /* 12: of those of the freeze, how many say so */
    uint8_t kind;           /* 16: enum um_wire_wait_kind */
    char object[128];       /* 17: WINDOW: the class of the window; empty: not known */
    char process_name[128]; /* then: "other.exe"; empty: it is the target, or not known */
    /* Then: where that thread was, as the innermost function that at least half of its samples
     * are in; empty: not known. */
    char function[UM_WIRE_STACK_FRAME_BYTES];
};

/* Which samples a PROFILE is of. */
enum um_wire_scope {
    UM_WIRE_SCOPE_NONE = 0,    /* none: the target's UI thread is not sampled */
    UM_WIRE_SCOPE_SESSION = 1, /* all that uimon still has */
    UM_WIRE_SCOPE_FREEZE = 2,  /* those of the last freeze that ended */
    UM_WIRE_SCOPE_NOW = 3,     /* those since the beat was sent that is not answered yet */
    UM_WIRE_SCOPE_COUNT = 4
};

struct um_wire_profile_row {
    uint32_t self;   /* samples in the function, or in functions of the system's that it called */
    uint32_t all;    /* samples in it and in whatever it called; a recursion counts once */
    char name[96];   /* "": there are no more rows */
    char module[40]; /* its file without a folder; "": not known */
};

/* PROFILE (62), 77 bytes and twelve strings: the functions in which most samples of the UI thread
 * were. Sent for the overlay while it shows them, once a second for each of two scopes: the
 * session, and the freeze that lasts or else the last one. */
struct um_wire_profile {
    uint64_t time_ns; /* 0: of the last sample in it; 0: there is none */
    /* 8: FREEZE: its length. NOW: since that beat was sent. SESSION: from the oldest sample that is
     * counted to the newest. */
    uint64_t span_ns;
    uint32_t samples;   /* 16 */
    uint32_t unread;    /* 20: of those, how many are in no function that is known */
    uint8_t scope;      /* 24: enum um_wire_scope */
    uint32_t forgotten; /* 25: SESSION: samples that were taken before and are not counted */
    /* 29: self and all of each row, the row with most of self first. Then: name and module of each
     * row. */
    struct um_wire_profile_row rows[UM_WIRE_PROFILE_ROWS];
};

/* RETRIEVED (63), 32 bytes and two strings: a message that the UI thread has retrieved. When a
 * freeze has lasted for --dump-over, the last UM_WIRE_RETRIEVED_MOST of them are told, the oldest
 * first, without uimon's own. */
#define UM_WIRE_RETRIEVED_MOST 200
struct um_wire_retrieved {
    uint64_t time_ns;   /* 0: when it was retrieved */
    uint64_t length_ns; /* 8: until the thread retrieved something else, or was seen to rest, so at
                         * most that long it was busy with the message */
    uint64_t hwnd;      /* 16 */
    uint32_t message;   /* 24 */
    uint32_t freeze;    /* 28: id of the EPISODE */
    char window_class[128]; /* 32 */
    char message_name[64];  /* then: as in EPISODE */
};

#define UM_WIRE_RETRIEVED_LAST 1 /* nothing was retrieved since; length_ns is as known so far */

/* Frames --------------------------------------------------------------------------------------- */

struct um_wire_frame {
    uint8_t type; /* enum um_wire_type, or a type this version does not know */
    uint8_t flags;
    union {
        struct um_wire_hello hello;
        struct um_wire_mark mark;
        struct um_wire_sent sent;
        struct um_wire_seen seen;
        struct um_wire_taken taken;
        struct um_wire_probe probe;
        struct um_wire_time bye;
        struct um_wire_cost cost;
        struct um_wire_pool_delay pool_delay;
        struct um_wire_counted counted;
        struct um_wire_code code;
        struct um_wire_command command;
        struct um_wire_look_up look_up;
        struct um_wire_session session;
        struct um_wire_beat beat;
        struct um_wire_gap gap;
        struct um_wire_episode episode;
        struct um_wire_status status;
        struct um_wire_end end;
        struct um_wire_interaction interaction;
        struct um_wire_totals totals;
        struct um_wire_recording recording;
        struct um_wire_note note;
        struct um_wire_view view;
        struct um_wire_rung rung;
        struct um_wire_pace pace;
        struct um_wire_rest rest;
        struct um_wire_proving proving;
        struct um_wire_stack stack;
        struct um_wire_sampling sampling;
        struct um_wire_pool pool;
        struct um_wire_lost lost;
        struct um_wire_activity activity;
        struct um_wire_module module;
        struct um_wire_nodes nodes;
        struct um_wire_sample sample;
        struct um_wire_name name;
        struct um_wire_counter counter;
        struct um_wire_counter_value counter_value;
        struct um_wire_profile profile;
        struct um_wire_retrieved retrieved;
        struct um_wire_trace_call trace_call;
        struct um_wire_trace_list trace_list;
        struct um_wire_traced_call traced_call;
        struct um_wire_traced_list traced_list;
        struct um_wire_tracing tracing;
        struct um_wire_wait wait;
    } as;
};

/* Writes the stream's preamble. Units: `buf` has UM_WIRE_PREAMBLE_BYTES. */
void um_wire_put_preamble(uint8_t *buf);

/* Checks a preamble.
 * Errors: UM_ERR_PARTIAL fewer than 8 bytes; UM_ERR_FORMAT another magic, or flags; UM_ERR_VERSION
 * a later version. */
enum um_status um_wire_check_preamble(const uint8_t *buf, size_t len_bytes);

/* Writes one frame and its length in bytes. Refuses what every decoder would refuse. Cuts a text
 * field without a NUL at its last byte. On failure `buf` may have been written to.
 * Thread: any; never blocks. Errors: UM_ERR_TOO_LARGE it does not fit into `cap_bytes`
 * (UM_WIRE_MAX_BYTES always suffices); UM_ERR_ARG a type, flag or enum value that is not in this
 * header. */
enum um_status um_wire_encode(const struct um_wire_frame *frame, uint8_t *buf, size_t cap_bytes,
                              size_t *len_bytes);

/* Reads the frame at the start of `buf`, and says how many bytes it took. Of a frame of an unknown
 * type, only the type is returned, with flags 0. Otherwise values can be trusted: enums are in
 * range, strings are UTF-8 and end in a NUL. Small frames are cheap, because only the struct of the
 * frame's own type is written; the rest of the union keeps its old content.
 * Thread: any; never blocks. Errors: UM_ERR_PARTIAL more bytes are needed (nothing consumed);
 * UM_ERR_FORMAT unknown flags, an enum out of range, a payload shorter than its type's, or a string
 * longer than its payload; UM_ERR_TOO_LARGE the length is over the cap. After the last two, nothing
 * in the stream can be trusted any more. */
enum um_status um_wire_decode(const uint8_t *buf, size_t len_bytes, struct um_wire_frame *frame,
                              size_t *consumed_bytes);

/* Copies UTF-8 into a field of `cap_bytes` (at least 1), cut at a character's end, always
 * NUL-terminated; '?' stands for each byte that is not UTF-8. `text` may be NULL (an empty
 * string). Thread: any. */
void um_wire_set_text(char *field, size_t cap_bytes, const char *text);

#endif
