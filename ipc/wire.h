/* The wire format: the one encoding of the hook pipe (between the hook DLL and the monitor), of the
 * feed pipe (from the monitor to its consumers) and of recordings. This header specifies the stream
 * and declares its encoder and decoder: um_wire_encode and um_wire_decode. ipc/frames.def specifies
 * each frame and its fields. Freestanding, so that the hook DLL can use it without a C library. On
 * the hot path of the monitor's reader.
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
 * Payload. Each type has a struct, whose fields lie in the payload in their order, in the size of
 * their C type and without padding. All numbers are little-endian. Where no flags are listed, the
 * frame's flags are 0.
 *
 * String. A char array of the struct is a string in the payload: a u16 length in bytes, and that
 * many bytes of UTF-8 without a NUL. Strings come last, so every other offset is fixed. The decoder
 * ends a string at a NUL, puts '?' for each byte that is not UTF-8, and cuts it at the end of a
 * character to the size of the array. So what a struct holds is always valid UTF-8.
 *
 * Later versions. A reader skips a frame of an unknown type by its length and ignores its flags. In
 * a frame of a known type it refuses flags that it does not know, and a payload shorter than the
 * type's. It accepts a longer payload, because a later version may add fields at the end. A field
 * that was added after 0.1.0 is 0, and a string empty, where an earlier version wrote the frame. A
 * value of an enumeration that is of a later version is decoded as UM_WIRE_UNKNOWN. A command with
 * such a value is decoded as a frame of the unknown type UM_WIRE_UNKNOWN, so nobody carries it out.
 */
#ifndef UM_IPC_WIRE_H
#define UM_IPC_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"

#define UM_WIRE_MAGIC UINT32_C(0x4e4d4955)
#define UM_WIRE_VERSION 1
#define UM_WIRE_PREAMBLE_BYTES 8
#define UM_WIRE_HEADER_BYTES 4
#define UM_WIRE_MAX_PAYLOAD 1024
#define UM_WIRE_MAX_BYTES (UM_WIRE_HEADER_BYTES + UM_WIRE_MAX_PAYLOAD)
#define UM_WIRE_NONCE_BYTES 16
#define UM_WIRE_AGE_UNKNOWN UINT32_C(0xffffffff)
#define UM_WIRE_UNKNOWN 255 /* of every enumeration: a value of a later version */
#define UM_WIRE_STACK_FRAMES 3
#define UM_WIRE_STACK_FRAME_BYTES 160
#define UM_WIRE_THREAD_NAME_BYTES 64
#define UM_WIRE_MODULE_PATH_BYTES 768 /* of texts, with their NUL */
#define UM_WIRE_NAME_BYTES 440
#define UM_WIRE_PLACE_BYTES 48
#define UM_WIRE_NEAREST "~"           /* NAME's line_mark */
#define UM_WIRE_GUESS "? "            /* in front of a function that is a guess: see SAMPLE */
#define UM_WIRE_MODULES 65535         /* numbers of modules are below that */
#define UM_WIRE_STOPPED 9             /* the number of enum um_unwind_stop */
#define UM_WIRE_NODES_MOST 80         /* at most so many in a NODES */
#define UM_WIRE_FIRST_NODE 2u         /* 0 is the root, 1 stands for frames that were not read */
#define UM_WIRE_TRACE_NODES 4096      /* numbers of nodes of traced calls are below that */
#define UM_WIRE_TRACE_EVENTS_AHEAD 64 /* see TRACE_EVENTS_ON */
#define UM_WIRE_TRACE_LONG_NS UINT64_C(1000000)
#define UM_WIRE_TRACE_EVENTS_MOST 36   /* at most so many in a TRACE_EVENTS */
#define UM_WIRE_TRACE_MOST 18          /* at most so many in a TRACE_TIMES or TRACED_TIMES */
#define UM_WIRE_LAYOUT_MOST 24         /* at most so many steps in a LAYOUT_STEPS */
#define UM_WIRE_LAYOUT_COSTS 14        /* at most so many components in a LAYOUT_TIMES */
#define UM_WIRE_LAYOUT_METERS_MOST 20  /* at most so many components in a LAYOUT_METERS */
#define UM_WIRE_LAYOUT_COMPONENTS 1024 /* numbers of components are below that */
#define UM_WIRE_LAYOUT_CHROME 1        /* the number of the component that is no window */
#define UM_WIRE_LAYOUT_TEXT_BYTES 96
#define UM_WIRE_EXTENT_BYTES 24       /* two lines, and "-" between them */
#define UM_WIRE_MODULE_NUMBER_BYTES 6 /* of a module, in digits */
#define UM_WIRE_CHECKSUM_BYTES 72     /* as UM_CHECKSUM_BYTES */
#define UM_WIRE_PROFILE_ROWS 6        /* in a frame */
#define UM_WIRE_PROFILE_PARTS 2       /* frames of one list */
#define UM_WIRE_TRACE_CLASS_BYTES 192
#define UM_WIRE_MARKER_KINDS 4096 /* numbers of kinds of markers are from 1 to that */
#define UM_WIRE_MARKER_FIELDS 13  /* at most so many fields has a marker: their names fit */
#define UM_WIRE_MARKER_VALUES 7   /* at most so many values in a MARKER */
#define UM_WIRE_MARKER_NAME_BYTES 64
#define UM_WIRE_MARK_FIELDS 4 /* at most so many fields in a MARK */
#define UM_WIRE_MARKER_TEXT_BYTES 128
#define UM_WIRE_METHOD_NUMBERS 16384 /* numbers of managed methods are below that */
#define UM_WIRE_METHOD_NODES 65536   /* numbers of nodes of their calls are below that */
#define UM_WIRE_METHOD_CALLS_MOST 16
/* Entries of the list of what is traced. Of further ones nothing is told. */
#define UM_WIRE_METHOD_ENTRIES 32
#define UM_WIRE_METHOD_MODULE_BYTES 128
#define UM_WIRE_METHOD_NAME_BYTES 512
#define UM_WIRE_COUNTERS 256 /* numbers of counters are below that */
#define UM_WIRE_COUNTER_TEXT_BYTES 128

/* How beats reach the target. USE_PROBE may ask for AUTO; PROBE says which of the others it is. */
enum um_probe {
    UM_PROBE_AUTO = 0,
    UM_PROBE_RAW = 1,
    UM_PROBE_MOUSE = 2,
    UM_PROBE_PING = 3, /* X11: the window manager's ping (monitor/target/frame_source_x11.c) */
    UM_PROBE_COUNT = 4
};

/* What the raw probe sends as a beat. In a frame, AUTO stands for a beat of the mouse probe or for
 * "not known". As an option, AUTO means that uimon begins with STILL and changes to ZERO, and then
 * to PAIR, if the target does not get those before (monitor/measure/ladder.h). */
enum um_beat_kind {
    UM_BEAT_KIND_AUTO = 0,
    UM_BEAT_KIND_ZERO = 1, /* a movement by zero pixels */
    UM_BEAT_KIND_PAIR =
        2, /* a movement by one pixel and the one back, sent at once, with the same tag */
    UM_BEAT_KIND_STILL =
        3, /* a mouse event without a movement, of which no mouse message is made */
    UM_BEAT_KIND_COUNT = 4
};

enum um_probe_status {
    UM_PROBE_ACTIVE = 0, /* beats are sent */
    UM_PROBE_PAUSED = 1, /* on the monitor's request */
    /* No beats for the moment: for the reason in PROBE's `held`, or because the cursor is not over
     * the target, which the mouse probe needs. */
    UM_PROBE_OFF_TARGET = 2,
    UM_PROBE_REFUSED = 3, /* no beats: this probe cannot be used; `error` may say why */
    UM_PROBE_STATUS_COUNT = 4
};

enum um_probe_reason {
    UM_PROBE_REASON_ASKED = 0,      /* the monitor asked for this probe */
    UM_PROBE_REASON_DEFAULT = 1,    /* AUTO, and nothing speaks against RAW */
    UM_PROBE_REASON_TARGET_RAW = 2, /* the target has a raw mouse registration of its own */
    UM_PROBE_REASON_NO_SINK = 3,    /* the sink window or its registration failed */
    UM_PROBE_REASON_BLIND = 4,      /* chosen anew after the probe had been blind for a second */
    UM_PROBE_REASON_COUNT = 5
};

/* Why nothing is seen for the moment. PROBE says it of some; the others the watchdog finds out. */
enum um_probe_held {
    UM_PROBE_HELD_NOT = 0,
    /* A beat would move the pointer, and a mouse button is down or the target has captured the
     * mouse: beats would disturb what the user drags or draws. */
    UM_PROBE_HELD_BUTTON = 1,
    /* The system has hidden the pointer, after touch or pen or while somebody types. Beats would
     * show it, so none are sent until the mouse moves. */
    UM_PROBE_HELD_POINTER = 2,
    /* X11: the target's window does not declare _NET_WM_PING, and may not be asked. */
    UM_PROBE_HELD_NO_PING = 3,
    UM_PROBE_HELD_ELSEWHERE = 4, /* the mouse probe: the pointer is not over the target */
    /* Beats are sent and do not arrive, neither at the target nor, where it would see them, at the
     * monitor. */
    UM_PROBE_HELD_UNDELIVERED = 5,
    UM_PROBE_HELD_FILTERED = 6, /* the target's loop takes other input before them */
    UM_PROBE_HELD_REFUSED = 7,  /* the system refuses them */
    UM_PROBE_HELD_DETACHED = 8, /* there is no connection to the target's UI thread */
    UM_PROBE_HELD_LATE = 9,     /* uimon itself did not run, or the machine slept */
    UM_PROBE_HELD_LOSSY = 10,   /* records of the hook DLL were lost */
    /* X11: pings have no answer, and nothing shows that the target's thread is away. A beat that is
     * out may be answered all the same, and is a beat then. */
    UM_PROBE_HELD_NO_ANSWER = 11,
    /* X11: a ping has no answer, and it is too early to say that the target answers none. */
    UM_PROBE_HELD_NO_ANSWER_YET = 12,
    UM_PROBE_HELD_COUNT = 13
};

/* A reason of enum um_probe_held in words. */
struct um_wire_held_words {
    const char *word;    /* in JSON */
    const char *summary; /* after "blind" */
    const char *label;   /* in the overlay */
};

/* How many beats the target gets while the window in front belongs to another process. */
enum um_background {
    UM_BACKGROUND_REST = 0,  /* as many as at rest, whatever the target does */
    UM_BACKGROUND_FULL = 1,  /* as many as in front */
    UM_BACKGROUND_PAUSE = 2, /* none */
    UM_BACKGROUND_COUNT = 3
};

/* What WATCH_INPUT asks for. */
enum um_watch_input {
    UM_WATCH_INPUT_OFF = 0,
    UM_WATCH_INPUT_ON = 1,   /* report that a key, button or wheel was used */
    UM_WATCH_INPUT_KEYS = 2, /* and which key */
    UM_WATCH_INPUT_COUNT = 3
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
    UM_TRACE_OTHER = 2,     /* the node of all calls for which the tree had no room */
    UM_TRACE_COUNT = 3
};

/* Which of the traced messages TRACE_EVENTS lists. */
enum um_trace_events {
    UM_TRACE_EVENTS_NONE = 0,
    UM_TRACE_EVENTS_ALL = 1,
    UM_TRACE_EVENTS_LONG = 2, /* those that took UM_WIRE_TRACE_LONG_NS or more */
    UM_TRACE_EVENTS_COUNT = 3
};

/* What METHODS is about. */
enum um_methods_depth {
    UM_METHODS_DEPTH_COUNTS = 0, /* calls alone; METHOD_CALLS has no parents and no times */
    UM_METHODS_DEPTH_TIMES = 1,
    UM_METHODS_DEPTH_COUNT = 2
};

/* What the UI thread does for the layout of a window. */
enum um_layout_step {
    UM_LAYOUT_STEP_MEASURE = 0, /* WM_NCCALCSIZE and its like */
    UM_LAYOUT_STEP_ARRANGE = 1, /* WM_SIZE, WM_WINDOWPOSCHANGED and their like */
    UM_LAYOUT_STEP_PAINT = 2,   /* WM_PAINT, WM_ERASEBKGND and their like */
    UM_LAYOUT_STEP_COUNT = 3
};

/* What a record of LAYOUT_STEPS says. */
enum um_layout_kind {
    UM_LAYOUT_KIND_BEGIN = 0,     /* a step begins; it may lie within others */
    UM_LAYOUT_KIND_END = 1,       /* it is over */
    UM_LAYOUT_KIND_CYCLE = 2,     /* the thread has waited, or retrieved something but a paint */
    UM_LAYOUT_KIND_CREATED = 3,   /* the window was created: its parent has a child more */
    UM_LAYOUT_KIND_DESTROYED = 4, /* it goes; its handle may be used again for another window */
    UM_LAYOUT_KIND_RETRIEVED = 5, /* as BEGIN, of a retrieved message: no hook is within */
    UM_LAYOUT_KIND_COUNT = 6
};

/* The state of the target; each instant of a session has one. If several apply, the strongest
 * counts (um_wire_state_rank). */
enum um_state {
    UM_STATE_SUSPENDED = 0,
    UM_STATE_BLIND = 1,
    UM_STATE_IDLE = 2,
    UM_STATE_FROZEN = 3,
    UM_STATE_STARVED = 4,
    UM_STATE_SLOW = 5,
    UM_STATE_RESPONSIVE = 6,
    /* The target handled what the system makes of a beat that is a mouse message: uimon has caused
     * the wait. */
    UM_STATE_OWN_BEAT = 7,
    /* Nothing is known of the target: no beat has been answered since measuring began, or since it
     * went on after a time that was blind or idle. No EPISODE has this state. */
    UM_STATE_UNKNOWN = 8,
    UM_STATE_COUNT = 9
};

enum um_end_reason {
    UM_END_STOPPED = 0,     /* by the user, or its time was over */
    UM_END_TARGET_GONE = 1, /* the target exited or was killed */
    UM_END_FAILED = 2,
    UM_END_COUNT = 3
};

/* The lengths an interaction has: from one of its times to a later one. */
enum um_wire_part {
    UM_WIRE_PART_INPUT_DELAY = 0,  /* arrival to dequeued */
    UM_WIRE_PART_PROCESSING = 1,   /* dequeued to handled */
    UM_WIRE_PART_PRESENTATION = 2, /* handled to painted */
    UM_WIRE_PART_TOTAL = 3,        /* arrival to painted */
    UM_WIRE_PART_TO_HANDLED = 4,   /* arrival to handled: for use if no paint was observed */
    UM_WIRE_PART_COUNT = 5
};

/* The part that stands for how long the user waited for some inputs: until painted, if at least
 * half of those that were followed from their arrival until handled were seen to paint. Otherwise
 * it is until handled. Whoever shows such a number asks here, so that all of them mean the same
 * one.
 * Units: how many of the inputs have UM_WIRE_PART_TOTAL, and how many UM_WIRE_PART_TO_HANDLED. */
static inline enum um_wire_part um_wire_waited_part(uint64_t painted, uint64_t handled)
{
    return painted > 0 && painted >= handled - handled / 2 ? UM_WIRE_PART_TOTAL
                                                           : UM_WIRE_PART_TO_HANDLED;
}

/* What the overlay shows. */
enum um_wire_panel {
    UM_WIRE_PANEL_GRAPH = 0,
    UM_WIRE_PANEL_PROFILE = 1, /* the graph, and the hottest functions by PROFILE */
    UM_WIRE_PANEL_COUNT = 2
};

/* Which parts of the window the overlay shows the layout costs of. */
enum um_wire_layout_mode {
    UM_WIRE_LAYOUT_MODE_OFF = 0, /* they are not measured either */
    UM_WIRE_LAYOUT_MODE_COMPONENTS =
        1,                           /* each component, unless it is much like the one around it */
    UM_WIRE_LAYOUT_MODE_HEATMAP = 2, /* the ten that cost most */
    UM_WIRE_LAYOUT_MODE_INSPECT = 3, /* the one under the cursor */
    UM_WIRE_LAYOUT_MODE_COUNT = 4
};

enum um_wire_counter_kind {
    UM_WIRE_COUNTER_MEAN = 0,      /* values are means, or present levels */
    UM_WIRE_COUNTER_INCREMENT = 1, /* values are what was added in the interval */
    UM_WIRE_COUNTER_KINDS = 2
};

/* Who makes a marker. */
enum um_wire_marker_source {
    UM_MARKER_SOURCE_PROGRAM = 0, /* the target itself */
    UM_MARKER_SOURCE_MESSAGE = 1, /* a message that was traced */
    UM_MARKER_SOURCE_DOTNET = 2,  /* an event of .NET */
    UM_MARKER_SOURCE_COUNT = 3
};

/* What a marker has in a field. A terminating flow ends with the marker. */
enum um_wire_field_kind {
    UM_MARKER_FIELD_TEXT = 0,
    UM_MARKER_FIELD_NUMBER = 1, /* a finite IEEE 754 double */
    UM_MARKER_FIELD_FLOW = 2,   /* a flow whose id is a number */
    UM_MARKER_FIELD_TERMINATING_FLOW = 3,
    UM_MARKER_FIELD_FLOW_TEXT = 4, /* a flow whose id is a text, such as a GUID */
    UM_MARKER_FIELD_TERMINATING_FLOW_TEXT = 5,
    UM_MARKER_FIELD_COUNT = 6
};

/* What the program has called (markers/uimon.h). */
enum um_wire_mark_what {
    UM_MARK_INSTANT = 0,
    UM_MARK_BEGIN = 1,
    UM_MARK_END = 2,
    UM_MARK_COUNT = 3 /* of the list */
};

/* What a thread waits for. */
enum um_wire_wait_kind {
    UM_WIRE_WAIT_NONE = 0,    /* for nothing that is known */
    UM_WIRE_WAIT_LOCK = 1,    /* a critical section that another thread has entered */
    UM_WIRE_WAIT_WINDOW = 2,  /* a message was sent to a window of another thread */
    UM_WIRE_WAIT_MUTEX = 3,   /* a mutex that another thread owns */
    UM_WIRE_WAIT_CALL = 4,    /* another thread is to answer a call of COM or RPC */
    UM_WIRE_WAIT_THREAD = 5,  /* the end of another thread */
    UM_WIRE_WAIT_PROCESS = 6, /* the end of another process; it has no thread */
    UM_WIRE_WAIT_KINDS = 7
};

/* Which samples a PROFILE is of. */
enum um_wire_scope {
    UM_WIRE_SCOPE_NONE = 0,    /* none: the target's UI thread is not sampled */
    UM_WIRE_SCOPE_SESSION = 1, /* all that uimon still has */
    UM_WIRE_SCOPE_FREEZE = 2,  /* those of the last freeze that ended */
    UM_WIRE_SCOPE_NOW = 3,     /* those since the unanswered beat was sent */
    UM_WIRE_SCOPE_COUNT = 4
};

/* What functions are sorted by in a PROFILE. */
enum um_wire_by {
    UM_WIRE_BY_SELF = 0, /* the time that samples in the function itself stand for */
    UM_WIRE_BY_TIME = 1, /* with what it called, as all that follow */
    UM_WIRE_BY_CPU = 2,  /* CPU time */
    UM_WIRE_BY_USER = 3, /* in user mode */
    UM_WIRE_BY_KERNEL = 4,
    UM_WIRE_BY_SAMPLES = 5,   /* however long each stands for */
    UM_WIRE_BY_FREEZES = 6,   /* in how many freezes the function was seen */
    UM_WIRE_BY_FUNCTIONS = 7, /* how many functions were seen in it: itself and what it called */
    UM_WIRE_BY_COUNT = 8
};

/* The names of these, in their order, as options have them; NULL at the end. */
#define UM_WIRE_BY_NAMES                                                                           \
    {                                                                                              \
        "self", "time", "cpu", "user", "kernel", "samples", "freezes", "functions", NULL           \
    }

/* Flags ---------------------------------------------------------------------------------------- */

#define UM_WIRE_SEEN_RAW 1   /* as WM_INPUT */
#define UM_WIRE_SEEN_MOUSE 2 /* by the WH_MOUSE hook */
/* The system had merged the beat with a move of the user's. That move was dequeued after the beat
 * had been queued. Mouse probe only. */
#define UM_WIRE_SEEN_MERGED 4

#define UM_WIRE_TAKEN_OURS 1  /* a beat, or a marker of the DLL */
#define UM_WIRE_TAKEN_INPUT 2 /* key, button or wheel input of the user's */

/* These three only if WATCH_INPUT has asked for them. STARTS: an interaction starts with this key
 * press (not a repeat, not a modifier alone), button press or step of the wheel. RELEASE: a button
 * was released. PAINT: a WM_PAINT of the window that has the focus or took the last input, or of a
 * window inside it. */
#define UM_WIRE_TAKEN_STARTS 4
#define UM_WIRE_TAKEN_RELEASE 8
#define UM_WIRE_TAKEN_PAINT 16

#define UM_WIRE_POOL_DELAY_WAITS 1 /* the item has not run yet */
#define UM_WIRE_CODE_NONE 1        /* no function has the address; only `address` is set */
#define UM_WIRE_TRACE_HAS_CPU 1    /* the system reports how long the thread has run */

#define UM_WIRE_USE_PROBE_BLIND 1    /* asked for because the present probe is blind */
#define UM_WIRE_USE_BEAT_KIND_ONCE 1 /* for one beat only */

#define UM_WIRE_SESSION_ANEW 1  /* all frames before are void: a replay has jumped */
#define UM_WIRE_BEAT_AT_LEAST 1 /* it was never dequeued; it waited at least `latency_ns` */

#define UM_WIRE_EPISODE_BEGIN 1       /* it still lasts; end_ns and peak_ns are as known so far */
#define UM_WIRE_EPISODE_END 2         /* it is over, and everything is final */
#define UM_WIRE_EPISODE_HAS_MESSAGE 4 /* there is a suspect: message, hwnd and window_class */
#define UM_WIRE_EPISODE_OPEN 8        /* with END: the session ended while the episode lasted */
#define UM_WIRE_EPISODE_VOID 16       /* with END: it turned out to be no episode */

#define UM_WIRE_STATUS_HAS_LATENCY 1 /* p50_ns, p99_ns */
#define UM_WIRE_STATUS_HAS_LAG 2     /* lag_ns, slice_worst_ns: one was measured in this slice */
#define UM_WIRE_STATUS_HAS_LAST_FREEZE 4 /* last_freeze_ns, last_freeze_end_ns */
#define UM_WIRE_STATUS_HAS_TYPING 8      /* typing_p50_ns, typing_p99_ns */
#define UM_WIRE_STATUS_TYPING_PAINTED 16 /* typing: from arrival to painted; else to handled */
#define UM_WIRE_STATUS_HAS_CLICK 32      /* click_ns */
#define UM_WIRE_STATUS_CLICK_PAINTED 64  /* click: from arrival to painted; else to handled */
#define UM_WIRE_STATUS_HAS_FELT 128      /* felt */

#define UM_WIRE_INTERACTION_RELEASE 1 /* a click: its release was measured, not its press */

#define UM_WIRE_STACK_CPU 1u /* these two are flags of STACK's field `known` */
#define UM_WIRE_STACK_MINE 2u
#define UM_WIRE_STACK_OF_READ 4u
#define UM_WIRE_STACK_CUT(n) ((uint32_t)(n) << 16)
#define UM_WIRE_STACK_GUESSED(n) (0x100u << (n)) /* another one for each of its `frames` */

#define UM_WIRE_POOL_WAITS 1   /* the item has not run yet; delay_ns goes on rising */
#define UM_WIRE_POOL_STARVED 2 /* the starvation lasts */

/* The program was seen to paint by a retrieved WM_PAINT since it was attached. Without this flag
 * `paints` is 0, and not known: many programs paint in other ways. */
#define UM_WIRE_ACTIVITY_PAINTS 1

#define UM_WIRE_SAMPLE_HAS_CPU 1
#define UM_WIRE_RETRIEVED_LAST 1 /* nothing was retrieved since; length_ns is as known so far */

#define UM_WIRE_MARKER_INTERVAL 1    /* else it is an instant */
#define UM_WIRE_MARKER_STACK_BASED 2 /* it lies within what else its thread does, as a call does */
#define UM_WIRE_MARKER_OPEN 4        /* an interval's end was not seen; length_ns is as known */
#define UM_WIRE_MARKER_MORE 8        /* further values follow */

#define UM_WIRE_MARK_MORE 1 /* further fields follow */
#define UM_WIRE_MARK_CUT 2  /* a name, a text or some fields were cut */

#define UM_WIRE_RETRIEVED_MOST 200              /* at most so many RETRIEVED for a freeze */
#define UM_WIRE_PACE_NEVER UINT32_C(0xffffffff) /* background_us of PACE: no beats then */

/* Frames --------------------------------------------------------------------------------------- */

enum um_wire_type {
#define FRAME(number, name, form, flags, late, sent, reach, says) UM_WIRE_##name = number,
#define COMMAND(number, name, flags, ...) UM_WIRE_##name = number,
#include "ipc/frames.def"
    UM_WIRE_TYPES = 96 /* every type is below that */
};

#define BEGIN(form) struct um_wire_##form {
#define FIELD(kind, type, name, suffix, times, least, most, form) DECLARE_##kind(type, name, suffix)
#define DECLARE_NUMBER(type, name, suffix) type name suffix;
#define DECLARE_TIME DECLARE_NUMBER
#define DECLARE_LENGTH DECLARE_NUMBER
#define DECLARE_ENUM DECLARE_NUMBER
#define DECLARE_RANGE DECLARE_NUMBER
#define DECLARE_FINITE DECLARE_NUMBER
#define DECLARE_COUNT DECLARE_NUMBER
#define DECLARE_STRING DECLARE_NUMBER
#define DECLARE_PART DECLARE_NUMBER
#define DECLARE_LIST DECLARE_NUMBER
#define DECLARE_REST(type, name, suffix) /* the array was declared with its first numbers */
#define DECLARE_SUM DECLARE_REST
#define DECLARE_SHARE DECLARE_REST
#define END(form)                                                                                  \
    }                                                                                              \
    ;
#include "ipc/frames.def"

/* Of every COMMAND. */
struct um_wire_command {
    uint32_t value;
    uint32_t thread; /* of MAY_SUSPEND */
};

struct um_wire_frame {
    uint8_t type; /* enum um_wire_type, or a type this version does not know */
    uint8_t flags;
    union {
        struct um_wire_command command;
#define FRAME(number, name, form, flags, late, sent, reach, says) struct um_wire_##form form;
#include "ipc/frames.def"
    } as;
};

/* Which earlier frames a consumer gets first when it connects late or has lost frames, in this
 * order. "The last one": of each type. */
enum um_wire_late {
    UM_WIRE_LATE_NOT = 0,
    UM_WIRE_LATE_FIRST = 1,      /* the last one */
    UM_WIRE_LATE_OF_SESSION = 2, /* the last one; void when a SESSION begins anew */
    UM_WIRE_LATE_LAST = 3,       /* the last one */
    /* All that hold: EPISODEs that last, COUNTERs, LAYOUT_COMPONENTs, LAYOUT_PLACEs,
     * MARKER_KINDs; MODULEs, and NODES and NAMEs of the present tree, once. */
    UM_WIRE_LATE_EACH = 4,
    UM_WIRE_LATE_FINALLY = 5 /* the last one */
};

/* Where a frame goes to. */
enum um_wire_reach {
    UM_WIRE_REACH_HOOK = 0, /* no further than the hook pipe; a type that is not known */
    UM_WIRE_REACH_FEED = 1, /* the live feed alone */
    /* The feed, and recordings that begin with the session. The flight recorder has none of them:
     * they are sums since that begin, or say what such sums are of. */
    UM_WIRE_REACH_RECORDING = 2,
    UM_WIRE_REACH_FLIGHT = 3 /* the feed and every recording */
};

/* Whether this version knows a type. Frames of all others are decoded without their content.
 * Thread: any. */
bool um_wire_is_known(uint8_t type);

/* How far a frame of a type goes. Thread: any. */
enum um_wire_reach um_wire_reach(uint8_t type);

/* Whether, and when, a late consumer gets an earlier frame of a type. Thread: any. */
enum um_wire_late um_wire_late(uint8_t type);

/* Whether a feed's frame of a type waits for the next of another type, STATUS at the latest, which
 * comes ten times a second: sending each beat by itself would wake two threads a hundred times a
 * second. Thread: any. */
bool um_wire_waits(uint8_t type);

/* The latest time in a frame, by TIME and LENGTH of frames.def; 0: it has none. Thread: any. */
uint64_t um_wire_time_of(const struct um_wire_frame *frame);

/* How long an episode is or was, without the time in which the target was suspended. */
static inline uint64_t um_wire_episode_length_ns(const struct um_wire_episode *episode)
{
    uint64_t span_ns =
        episode->end_ns > episode->start_ns ? episode->end_ns - episode->start_ns : 0;
    return span_ns > episode->slept_ns ? span_ns - episode->slept_ns : 0;
}

/* Whether two VIEWs ask the overlay for the same. */
static inline bool um_wire_view_is_same(const struct um_wire_view *a, const struct um_wire_view *b)
{
    return a->hidden == b->hidden && a->panel == b->panel && a->layout == b->layout &&
           a->pins == b->pins && a->moved == b->moved;
}

/* How many of a STACK's samples could not be read to their end, and of how many `alike` is. */
static inline uint32_t um_wire_stack_cut(const struct um_wire_stack *stack)
{
    uint32_t cut = stack->known >> 16;
    return cut < stack->samples ? cut : stack->samples;
}

static inline uint32_t um_wire_stack_of(const struct um_wire_stack *stack)
{
    bool is_of_read = (stack->known & UM_WIRE_STACK_OF_READ) != 0;
    return stack->samples - (is_of_read ? um_wire_stack_cut(stack) : 0);
}

/* How long the unanswered beat has waited by `time_ns`; 0 if there is none. */
static inline uint64_t um_wire_status_waited_ns(const struct um_wire_status *status,
                                                uint64_t time_ns)
{
    bool waits = status->outstanding_ns != 0 && time_ns > status->outstanding_ns;
    return waits ? time_ns - status->outstanding_ns : 0;
}

/* How long a part was; false, and `length_ns` untouched, if one of its ends was not observed.
 * Thread: any. */
bool um_wire_interaction_part_ns(const struct um_wire_interaction *interaction,
                                 enum um_wire_part part, uint64_t *length_ns);

/* From an interaction's arrival to the last of its times that was observed; from its dequeue if the
 * arrival was not observed. Thread: any. */
uint64_t um_wire_interaction_length_ns(const struct um_wire_interaction *interaction);

/* Whether a freeze from `start_ns` to `end_ns` has held up an input: it had arrived by the freeze's
 * end, and was taken at that end or later, or it waited in the freeze for UM_WIRE_HELD_UP_NS. (A
 * beat that was sent after it may end the freeze later than it was taken.) False if the arrival was
 * not observed. Thread: any. */
#define UM_WIRE_HELD_UP_NS UINT64_C(100000000)
bool um_wire_interaction_is_held_up(const struct um_wire_interaction *interaction,
                                    uint64_t start_ns, uint64_t end_ns);

/* Whether it is not known if a freeze from `start_ns` to `end_ns` has held up an input.
 * - Its arrival was not observed, and it was taken late enough in the freeze, or up to
 *   UM_WIRE_MAY_WAIT_NS after it. Some systems deliver an input only when the frozen thread looks
 *   for it; its message then says an earlier time than that of its arrival, which does not count.
 * - It arrived up to UM_WIRE_MAY_COME_NS after the end. So soon, it may have been delivered late.
 * Thread: any. */
#define UM_WIRE_MAY_WAIT_NS UINT64_C(1000000000)
#define UM_WIRE_MAY_COME_NS UINT64_C(20000000)
bool um_wire_interaction_may_be_held_up(const struct um_wire_interaction *interaction,
                                        uint64_t start_ns, uint64_t end_ns);

/* "key", "click" or "wheel", as JSON and CSV have it; "unknown" for a number outside the list,
 * never NULL. Owner: static text. Thread: any. */
const char *um_wire_interaction_name(enum um_interaction kind);

/* The same of several: "keys", "clicks", "wheel". */
const char *um_wire_interactions_name(enum um_interaction kind);

/* "frozen" and so on; "unknown" for a number outside the list, never NULL.
 * Owner: static text. Thread: any. */
const char *um_wire_state_name(enum um_state state);

/* The same for people to read. With `window_only` beats measure only the window's thread, so
 * instead of "responsive" the words are "window thread".
 * Owner: static text. Thread: any. */
const char *um_wire_state_words(enum um_state state, bool window_only);

/* The word for a probe in JSON and lines: "raw", "mouse", "ping"; NULL: not known.
 * Owner: static text. Thread: any. */
const char *um_wire_probe_word(uint8_t probe);

/* What is said of a reason; NULL: it is none, or not known. Owner: static. Thread: any. */
const struct um_wire_held_words *um_wire_held_words(uint8_t held);

/* The index of a state in an array of UM_WIRE_STATES; the last one is for unknown states. */
#define UM_WIRE_STATES (UM_STATE_COUNT + 1)
static inline size_t um_wire_state_place(uint8_t state)
{
    return state < UM_STATE_COUNT ? state : UM_STATE_COUNT;
}

/* How strong a state is; of those that apply, the one of the lowest rank counts. */
static inline unsigned um_wire_state_rank(uint8_t state)
{
    if (state == UM_STATE_OWN_BEAT) /* what uimon has caused is no freeze of the target */
        return 2 * UM_STATE_IDLE + 1;
    return state == UM_STATE_UNKNOWN ? 2 * UM_STATE_SLOW + 1 : 2u * state;
}

/* Whether a state is one of the two that count as a freeze. */
static inline bool um_wire_state_is_freeze(uint8_t state)
{
    return state == UM_STATE_FROZEN || state == UM_STATE_STARVED;
}

/* Whether `lag_ns` tells of the last freeze and not of now: no beat waits, and the last one that
 * was answered had been sent before that freeze ended, because it waited for longer than the freeze
 * has been over. */
static inline bool um_wire_status_lag_is_past(const struct um_wire_status *status, unsigned flags)
{
    uint64_t over_ns = status->time_ns > status->last_freeze_end_ns
                           ? status->time_ns - status->last_freeze_end_ns
                           : 0;
    return (flags & UM_WIRE_STATUS_HAS_LAG) && (flags & UM_WIRE_STATUS_HAS_LAST_FREEZE) &&
           !um_wire_state_is_freeze(status->state) && status->outstanding_ns == 0 &&
           status->lag_ns > over_ns;
}

/* Writes the stream's preamble. Units: `buf` has UM_WIRE_PREAMBLE_BYTES. */
void um_wire_put_preamble(uint8_t *buf);

/* Checks a preamble.
 * Errors: UM_ERR_PARTIAL fewer than 8 bytes; UM_ERR_FORMAT another magic, or flags; UM_ERR_VERSION
 * a later version. */
enum um_status um_wire_check_preamble(const uint8_t *buf, size_t len_bytes);

/* Writes one frame and its length in bytes. Refuses what every decoder would refuse, and an
 * enumeration's value that is neither in this header nor UM_WIRE_UNKNOWN. Cuts a text field without
 * a NUL at its last byte. On failure `buf` may have been written to.
 * Thread: any; never blocks. Errors: UM_ERR_TOO_LARGE it does not fit into `cap_bytes`
 * (UM_WIRE_MAX_BYTES always suffices); UM_ERR_ARG a type, flag or value that cannot be. */
enum um_status um_wire_encode(const struct um_wire_frame *frame, uint8_t *buf, size_t cap_bytes,
                              size_t *len_bytes);

/* Reads the frame at the start of `buf`, and says how many bytes it took. Of a frame of an unknown
 * type, only the type is returned, with flags 0. Otherwise values can be trusted: enums are in
 * range or UM_WIRE_UNKNOWN, strings are UTF-8 and end in a NUL. Small frames are cheap, because
 * only the struct of the frame's own type is written; the rest of the union keeps its old content.
 * On failure that struct may have been written to, and nothing else. Thread: any; never blocks.
 * Errors: UM_ERR_PARTIAL more bytes are needed (nothing consumed, nothing written); UM_ERR_FORMAT
 * unknown flags, a number out of its range, a payload shorter than its type's, or a string longer
 * than its payload; UM_ERR_TOO_LARGE the length is over the cap. After the last two, nothing in the
 * stream can be trusted any more. */
enum um_status um_wire_decode(const uint8_t *buf, size_t len_bytes, struct um_wire_frame *frame,
                              size_t *consumed_bytes);

#endif
