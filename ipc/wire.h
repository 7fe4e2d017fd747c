/* The wire format: the one encoding for the hook pipe (hook DLL and monitor), for the feed pipe
 * (from the monitor to its consumers) and for recordings. This header is its specification; a
 * reader starts at um_wire_decode. On the hot path of the reader; freestanding, so that the hook
 * DLL can use it without a C library.
 *
 * A stream is a preamble of 8 bytes and then frames, one after the other. Everything is
 * little-endian; all times are ns on the machine's monotonic counter (ipc/clock.h); no pointers.
 * Numbers before a field are its offset in bytes.
 *
 *   preamble   0 u32 magic "UIMN" (0x4e4d4955)   4 u16 version (1)   6 u16 flags (0, else refused)
 *   frame      0 u16 payload length (<= 1024)    2 u8 type           3 u8 flags     4 payload
 *
 * A reader skips a type it does not know by its length and does not judge its flags; of a type it
 * knows, it refuses flags and enum values it does not know, and accepts a payload longer than it
 * knows (a later version's additions) but never a shorter one. Flags are 0 where none are listed.
 * A string is a u16 length in bytes and then that many bytes of UTF-8 without a NUL. Decoding ends
 * it at a NUL, puts '?' for each byte that is not UTF-8, and cuts it at a character's end to the
 * size of the field in the struct, so that what a struct holds is always valid UTF-8.
 *
 * Hook pipe, hook DLL to monitor
 *   1 HELLO, 40 bytes: the first frame.
 *        0 u8[16] nonce    16 u32 pid    20 u32 tid (the UI thread)    24 u64 hwnd (sink window; 0:
 *        none)    32 u64 time
 *   2 MARK, 16 bytes: everything that happened before `time` has been sent. At least one each
 *        50 ms: the sign of life.
 *        0 u64 time    8 u64 records overwritten in the rings, since the attach
 *   3 SENT, 12 bytes: a beat is about to be sent.
 *        0 u64 time just before SendInput    8 u32 seq
 *   4 SEEN, 12 bytes: a beat was dequeued.
 *        0 u64 time dequeued    8 u32 seq
 *        flags: 1 as WM_INPUT, 2 by WH_MOUSE; 4 known by a user's own move that was dequeued after
 *        the beat was queued and had been merged with it (mouse probe)
 *   5 TAKEN, 28 bytes: a message was removed from the queue.
 *        0 u64 time    8 u64 hwnd    16 u32 message    20 u32 age in ms when taken (0xffffffff: not
 *        known)    24 u32 virtual key (0: not a key, or not asked for)
 *        flags: 1 it was a beat or a marker of ours; 2 it was key, button or wheel input of the
 *        user's; 4 with which an interaction starts: a key pressed (not repeated, not a modifier
 *        alone), a button pressed, a step of the wheel; 8 a button released; 16 a WM_PAINT of the
 *        window that has the focus or took the last input, or of one inside it
 *   6 PROBE, 16 bytes: a change of how the DLL measures.
 *        0 u64 time    8 u8 enum um_probe    9 u8 enum um_probe_status    10 u16 enum
 *        um_probe_reason    12 u32 system error (0 unless refused)
 *   7 BYE, 8 bytes: the DLL leaves.
 *        0 u64 time
 *   8 COST, 48 bytes: what the DLL has cost, all since the attach.
 *        0 u64 time    8 u64 CPU ns of the heartbeat thread    16 u64 CPU ns of the sender thread
 *        24 u64 hook calls    32 u64 hook calls that were timed    40 u64 ns in the timed calls
 * Hook pipe, monitor to hook DLL
 *  16 STOP, empty: leave.
 *  17 PERIOD, 4 bytes: 0 u32 µs between beats
 *  18 USE_PROBE, 1 byte: 0 u8 enum um_probe wanted
 *        flags: 1 because the present one is blind
 *  19 PAUSE, 1 byte: 0 u8 1 pause the beats, 0 go on
 *  20 ABANDON, 4 bytes: 0 u32 seq of a beat to forget
 *  21 WATCH_INPUT, 1 byte: 0 u8 enum um_watch_input: whether the flags 4, 8 and 16 of TAKEN, the
 *        markers they need and virtual keys are wanted
 * Feed pipe and recording
 *  32 SESSION, 48 bytes and three strings: who is watched and how; first frame, and again whenever
 *        one of its fields changes.
 *        0 u64 start    8 i64 the same instant on the calendar, ms since 1970 UTC    16 u64 hwnd
 *        24 u32 pid    28 u32 tid    32 u32 period, µs    36 u32 threshold, µs    40 u32 slow, µs
 *        44 u8 bits (64 or 32)    45 u8 enum um_probe    46 u8 enum um_probe_status    47 u8 enum
 *        um_probe_reason    48 string name, string title, string caption
 *        flags: 1 what was told before is void (a replay that has jumped)
 *  33 BEAT, 20 bytes: a beat that was dequeued, or one that never was and waited in a freeze.
 *        0 u64 sent    8 u64 latency, ns    16 u32 seq
 *        flags: 1 it was never seen to be dequeued; the latency is what it waited at least
 *  34 GAP, 28 bytes: between two retrievals lay at least 5 ms.
 *        0 u64 start    8 u64 length, ns    16 u64 hwnd    24 u32 message (both of the retrieval at
 *        its start)
 *  35 EPISODE, 57 bytes and a string: one begin and one end for each stretch that is not
 *        responsive.
 *        0 u64 start    8 u64 end    16 u64 peak, ns    24 u64 uncertainty, ns    32 u64 slept, ns
 *        40 u64 hwnd    48 u32 id    52 u32 message    56 u8 enum um_state    57 string window
 *        class
 *        flags: UM_WIRE_EPISODE_*
 *  36 STATUS, 137 bytes: what an overlay shows, ten times a second and at every change of state.
 *        0 u64 time    8 u64 slice start    16 u64 lag, ns    24 u64 slice worst, ns    32 u64
 *        outstanding since (0: none)    40 u64 p50, ns    48 u64 p99, ns    56 u64 last freeze, ns
 *        64 u64 last freeze's end    72 u64 freeze total, ns    80 u64 lost    88 u32 over 100 ms
 *        92 u32 over 250 ms    96 u32 over 1000 ms    100 u32 freezes    104 u64 state since
 *        112 u8 enum um_state    113 u64 typing p50, ns    121 u64 typing p99, ns    129 u64 last
 *        click, ns
 *        flags: UM_WIRE_STATUS_*
 *  37 END, 9 bytes: the session is over; nothing follows.
 *        0 u64 time    8 u8 enum um_end_reason
 *  38 INTERACTION, 45 bytes: a key press, click or wheel step that the target has dealt with.
 *        0 u64 arrival (0: not seen)    8 u64 dequeued    16 u64 handled (0: not seen)    24 u64
 *        painted (0: not observed)    32 u32 id, from 1    36 u32 id of the freeze it waited or was
 *        handled in (0: none)    40 u32 virtual key (0: not kept)    44 u8 enum um_interaction
 *        flags: 1 a click of which the release, not the press, was measured
 *  39 TOTALS, 152 bytes: what a summary needs beside the events, once a second and at the end.
 *        0 u64 time    8 u64 duration, ns    16 u64 beats sent    24 u64 beats seen    32 u64 beats
 *        lost    40 u64[7] ns in each enum um_state    96 u64 records and frames dropped    104 u64
 *        CPU ns of the heartbeat thread    112 of the sender thread    120 u64 hook calls that were
 *        timed    128 u64 ns in them    136 u64 CPU ns of the monitor    144 of the overlay (0 for
 *        each of the last six: not known)
 *  40 RECORDING, 16 bytes and two strings: the first frame of a recording, and only of one.
 *        0 i64 when it was begun, ms since 1970 UTC    8 u64 the same instant    16 string version
 *        of the program, string options as key=value lines
 *  41 NOTE, 8 bytes and a string: a mark of a script, or of the user.
 *        0 u64 time    8 string text
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

enum um_wire_type {
    UM_WIRE_HELLO = 1,
    UM_WIRE_MARK = 2,
    UM_WIRE_SENT = 3,
    UM_WIRE_SEEN = 4,
    UM_WIRE_TAKEN = 5,
    UM_WIRE_PROBE = 6,
    UM_WIRE_BYE = 7,
    UM_WIRE_COST = 8,
    UM_WIRE_STOP = 16,
    UM_WIRE_PERIOD = 17,
    UM_WIRE_USE_PROBE = 18,
    UM_WIRE_PAUSE = 19,
    UM_WIRE_ABANDON = 20,
    UM_WIRE_WATCH_INPUT = 21,
    UM_WIRE_SESSION = 32,
    UM_WIRE_BEAT = 33,
    UM_WIRE_GAP = 34,
    UM_WIRE_EPISODE = 35,
    UM_WIRE_STATUS = 36,
    UM_WIRE_END = 37,
    UM_WIRE_INTERACTION = 38,
    UM_WIRE_TOTALS = 39,
    UM_WIRE_RECORDING = 40,
    UM_WIRE_NOTE = 41
};

#define UM_WIRE_SEEN_RAW 1
#define UM_WIRE_SEEN_MOUSE 2
#define UM_WIRE_SEEN_MERGED 4
#define UM_WIRE_TAKEN_OURS 1
#define UM_WIRE_TAKEN_INPUT 2
#define UM_WIRE_TAKEN_STARTS 4
#define UM_WIRE_TAKEN_RELEASE 8
#define UM_WIRE_TAKEN_PAINT 16
#define UM_WIRE_USE_PROBE_BLIND 1
#define UM_WIRE_BEAT_AT_LEAST 1
#define UM_WIRE_SESSION_ANEW 1
#define UM_WIRE_INTERACTION_RELEASE 1

/* How beats reach the target (HELLO's monitor asks with AUTO, PROBE answers with RAW or MOUSE). */
enum um_probe { UM_PROBE_AUTO = 0, UM_PROBE_RAW = 1, UM_PROBE_MOUSE = 2 };

enum um_probe_status {
    UM_PROBE_ACTIVE = 0,     /* beats are sent */
    UM_PROBE_PAUSED = 1,     /* on the monitor's request */
    UM_PROBE_OFF_TARGET = 2, /* mouse probe, and the cursor is not over the target: no beats */
    UM_PROBE_REFUSED = 3     /* SendInput fails; `error` says how */
};

enum um_probe_reason {
    UM_PROBE_REASON_ASKED = 0,      /* the monitor asked for this one */
    UM_PROBE_REASON_DEFAULT = 1,    /* auto, and nothing stands against raw */
    UM_PROBE_REASON_TARGET_RAW = 2, /* the target has a raw mouse registration of its own */
    UM_PROBE_REASON_NO_SINK = 3,    /* the sink window or its registration failed */
    UM_PROBE_REASON_BLIND = 4       /* auto looked again after a blind second */
};

/* What WATCH_INPUT asks for. */
enum um_watch_input {
    UM_WATCH_INPUT_OFF = 0,
    UM_WATCH_INPUT_ON = 1,  /* that something was pressed */
    UM_WATCH_INPUT_KEYS = 2 /* and which key */
};

enum um_interaction {
    UM_INTERACTION_KEY = 0,
    UM_INTERACTION_CLICK = 1,
    UM_INTERACTION_WHEEL = 2,
    UM_INTERACTION_COUNT = 3
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

/* "frozen" and so on; "unknown" for a number outside the list, never NULL.
 * Owner: static text. Thread: any. */
const char *um_wire_state_name(enum um_state state);

/* Whether a state is one of the two that count as a freeze. */
static inline bool um_wire_state_is_freeze(uint8_t state)
{
    return state == UM_STATE_FROZEN || state == UM_STATE_STARVED;
}

struct um_wire_hello {
    uint8_t nonce[UM_WIRE_NONCE_BYTES];
    uint32_t pid;
    uint32_t tid;
    uint64_t hwnd;
    uint64_t time_ns;
};

struct um_wire_mark {
    uint64_t time_ns;
    uint64_t lost;
};

struct um_wire_sent {
    uint64_t time_ns;
    uint32_t seq;
};

struct um_wire_seen {
    uint64_t time_ns;
    uint32_t seq;
};

struct um_wire_taken {
    uint64_t time_ns;
    uint64_t hwnd;
    uint32_t message;
    uint32_t age_ms;
    uint32_t key; /* virtual key; 0: none, or not asked for */
};

struct um_wire_probe {
    uint64_t time_ns;
    uint8_t probe;  /* enum um_probe */
    uint8_t status; /* enum um_probe_status */
    uint16_t reason;
    uint32_t error;
};

struct um_wire_time { /* BYE */
    uint64_t time_ns;
};

struct um_wire_cost {
    uint64_t time_ns;
    uint64_t heartbeat_cpu_ns;
    uint64_t sender_cpu_ns;
    uint64_t hook_calls;
    uint64_t timed_calls;
    uint64_t timed_ns;
};

struct um_wire_command { /* PERIOD to WATCH_INPUT; STOP has no payload */
    uint32_t value;
};

struct um_wire_session {
    uint64_t start_ns; /* when measuring began */
    int64_t utc_ms;    /* the same instant on the calendar, ms since 1970 */
    uint64_t hwnd;     /* the target's main window */
    uint32_t pid;
    uint32_t tid; /* its UI thread */
    uint32_t period_us;
    uint32_t threshold_us;
    uint32_t slow_us;
    uint8_t bits; /* 64 or 32 */
    uint8_t probe;
    uint8_t probe_status;
    uint8_t probe_reason;
    char name[128];    /* "devenv.exe" */
    char title[256];   /* the window's title */
    char caption[256]; /* what the user wants written on the overlay */
};

struct um_wire_beat {
    uint64_t sent_ns;
    uint64_t latency_ns;
    uint32_t seq;
};

struct um_wire_gap {
    uint64_t start_ns;
    uint64_t length_ns;
    uint64_t hwnd;
    uint32_t message;
};

#define UM_WIRE_EPISODE_BEGIN 1       /* it still lasts: end_ns, peak_ns are what is known by now */
#define UM_WIRE_EPISODE_END 2         /* it is over and everything is final */
#define UM_WIRE_EPISODE_HAS_MESSAGE 4 /* message, hwnd and window_class name the suspect */
#define UM_WIRE_EPISODE_OPEN 8        /* with END: the session ended while it lasted */
#define UM_WIRE_EPISODE_VOID 16       /* with END: what was begun turned out to be no episode */

/* An end repeats its begin's id and may change its state and start (what looked frozen can turn out
 * to be blind). */
struct um_wire_episode {
    uint64_t start_ns;
    uint64_t end_ns;
    uint64_t peak_ns;        /* the greatest gap between two retrievals in it */
    uint64_t uncertainty_ns; /* the true start lies within start_ns ± half of this */
    uint64_t slept_ns;       /* suspended meanwhile; not part of its length */
    uint64_t hwnd;
    uint32_t id;
    uint32_t message;
    uint8_t state; /* enum um_state */
    char window_class[128];
};

/* How long it is, or was: without what the target slept. */
static inline uint64_t um_wire_episode_length_ns(const struct um_wire_episode *episode)
{
    uint64_t span_ns =
        episode->end_ns > episode->start_ns ? episode->end_ns - episode->start_ns : 0;
    return span_ns > episode->slept_ns ? span_ns - episode->slept_ns : 0;
}

#define UM_WIRE_STATUS_HAS_LATENCY 1 /* p50, p99 of the last 5 s */
#define UM_WIRE_STATUS_HAS_LAG 2     /* a lag was measured in this slice */
#define UM_WIRE_STATUS_HAS_LAST_FREEZE 4
#define UM_WIRE_STATUS_HAS_TYPING 8      /* typing_p50_ns, typing_p99_ns: of the last 30 keys */
#define UM_WIRE_STATUS_TYPING_PAINTED 16 /* from arrival to painted; else to handled */
#define UM_WIRE_STATUS_HAS_CLICK 32
#define UM_WIRE_STATUS_CLICK_PAINTED 64 /* likewise */

struct um_wire_status {
    uint64_t time_ns;
    uint64_t slice_start_ns; /* start of the 100 ms slice `slice_worst_ns` belongs to */
    uint64_t lag_ns;         /* the outstanding beat's age, or the last beat's latency */
    uint64_t slice_worst_ns; /* the worst lag of the slice so far */
    uint64_t outstanding_ns; /* when the beat that is not answered yet was sent, later by what
                                the process was suspended since; 0: none */
    uint64_t p50_ns;
    uint64_t p99_ns;
    uint64_t last_freeze_ns; /* its length */
    uint64_t last_freeze_end_ns;
    uint64_t freeze_total_ns;
    uint64_t lost; /* records and frames that were dropped */
    uint32_t over_100;
    uint32_t over_250;
    uint32_t over_1000;
    uint32_t freezes;
    uint64_t state_since_ns; /* when the present state began */
    uint8_t state;           /* enum um_state */
    uint64_t typing_p50_ns;
    uint64_t typing_p99_ns;
    uint64_t click_ns; /* of the last click */
};

/* How long the outstanding beat has waited by then; 0: none is outstanding. */
static inline uint64_t um_wire_status_waited_ns(const struct um_wire_status *status,
                                                uint64_t time_ns)
{
    bool waits = status->outstanding_ns != 0 && time_ns > status->outstanding_ns;
    return waits ? time_ns - status->outstanding_ns : 0;
}

enum um_end_reason {
    UM_END_STOPPED = 0,     /* by the user, or its time was over */
    UM_END_TARGET_GONE = 1, /* the target exited or was killed */
    UM_END_FAILED = 2
};

struct um_wire_end {
    uint64_t time_ns;
    uint8_t reason;
};

/* Times are 0 where they were not observed; `dequeued_ns` always is. The three parts of an
 * interaction are input delay (arrival to dequeued), processing (dequeued to handled) and
 * presentation (handled to painted). */
struct um_wire_interaction {
    uint64_t arrival_ns;
    uint64_t dequeued_ns;
    uint64_t handled_ns;
    uint64_t painted_ns;
    uint32_t id;
    uint32_t freeze; /* the id of an EPISODE that was frozen or starved */
    uint32_t key;    /* virtual key; 0: not kept */
    uint8_t kind;    /* enum um_interaction */
};

/* What an interaction is measured by: from one of its times to a later one. */
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

/* From an interaction's arrival, or its dequeue, to the last of it that was observed.
 * Thread: any. */
uint64_t um_wire_interaction_length_ns(const struct um_wire_interaction *interaction);

struct um_wire_totals {
    uint64_t time_ns;
    uint64_t duration_ns;
    uint64_t beats_sent;
    uint64_t beats_seen;
    uint64_t beats_lost;
    uint64_t state_ns[UM_STATE_COUNT];
    uint64_t dropped;
    uint64_t heartbeat_cpu_ns;
    uint64_t sender_cpu_ns;
    uint64_t timed_calls;
    uint64_t timed_ns;
    uint64_t monitor_cpu_ns;
    uint64_t overlay_cpu_ns;
};

struct um_wire_recording {
    int64_t utc_ms;
    uint64_t time_ns;
    char version[32];
    char options[640]; /* cut at a line's end if there were more */
};

struct um_wire_note {
    uint64_t time_ns;
    char text[256];
};

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
        struct um_wire_command command;
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
    } as;
};

/* Writes the stream's preamble. Units: `buf` has UM_WIRE_PREAMBLE_BYTES. */
void um_wire_put_preamble(uint8_t *buf);

/* Checks a preamble.
 * Errors: UM_ERR_PARTIAL fewer than 8 bytes; UM_ERR_FORMAT not ours, or flags that are not known;
 * UM_ERR_VERSION of a later version. */
enum um_status um_wire_check_preamble(const uint8_t *buf, size_t len_bytes);

/* Writes one frame and its length in bytes. What it refuses is what every decoder would refuse.
 * A text field that is not NUL-terminated is cut at its last byte. On failure `buf` may have been
 * written to.
 * Thread: any; never blocks. Errors: UM_ERR_TOO_LARGE it does not fit into `cap_bytes`
 * (UM_WIRE_MAX_BYTES always suffices); UM_ERR_ARG a type, flag or enum value that is not in this
 * header. */
enum um_status um_wire_encode(const struct um_wire_frame *frame, uint8_t *buf, size_t cap_bytes,
                              size_t *len_bytes);

/* Reads the frame at the start of `buf`, and how many bytes it took. A type that is not known is
 * returned with its type alone (flags 0). Values are bounded: enums are in range, strings are UTF-8
 * and end in NUL. Only the struct of the frame's own type is written, so that small frames are
 * cheap: what lies behind it in the union keeps its old content.
 * Thread: any; never blocks. Errors: UM_ERR_PARTIAL more bytes are needed (nothing consumed);
 * UM_ERR_FORMAT flags that are not known, an enum out of range, a payload shorter than its type or
 * a string longer than its payload; UM_ERR_TOO_LARGE the length field is over the cap. After the
 * last two the stream cannot be trusted any more. */
enum um_status um_wire_decode(const uint8_t *buf, size_t len_bytes, struct um_wire_frame *frame,
                              size_t *consumed_bytes);

/* Copies UTF-8 into a field of `cap_bytes` (at least 1), cut at a character's end, always
 * NUL-terminated; '?' stands for each byte that is not UTF-8. `text` may be NULL (an empty
 * string). Thread: any. */
void um_wire_set_text(char *field, size_t cap_bytes, const char *text);

#endif
