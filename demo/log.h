/* clang-format off */
/* The demo's log: the truth that measurements are compared with.
 *
 * Written by uimon-demo and by tests/win/target_odd (`--log FILE`), read by the end-to-end tests
 * and the benchmark. Start reading here; um_demo_log_parse is the reader. Not on the hot path.
 *
 * Text, one line an event, words separated by one space, LF at the end, written a whole line at a
 * time by a thread of the journal's, a few ms after the event. So a killed program leaves whole
 * lines and may lose its last ones. The first word is the kind. Times (NS) are ns on the machine's
 * monotonic counter (base/plain/clock.h), so they can be compared with uimon's own. MESSAGE and
 * HWND are hexadecimal with 0x, everything else is decimal; NAME is one word, "-" when there is
 * none. Readers skip kinds they do not know and words after the ones they know.
 *
 *   start NS PID TID HWND      the main window exists; TID is its UI thread
 *   ready NS TID HWND          it is on screen and its message loop begins
 *   window NS TID HWND NAME    another window is on screen (splash, second, recreated)
 *   gone NS TID HWND NAME      that window, or the main one ("main"), was destroyed
 *   away NS TID                a block of the UI thread has begun; the line "freeze" comes when it
 *                              is over
 *   freeze BEGIN_NS END_NS NAME REQUESTED_MS RETRIEVED_NS MESSAGE HWND TID POSTED_NS
 *                              the UI thread was blocked from BEGIN to END. NAME is how: sleep,
 *                              spin, sent (asleep in a message sent by another thread), jank (one
 *                              of a row), key (asleep in the handling of a key). RETRIEVED_NS: when
 *                              GetMessage returned MESSAGE for HWND, in whose handling this
 *                              happened; both 0 if it was not retrieved by the program's own loop,
 *                              as with sent ones. POSTED_NS: when MESSAGE was posted; 0 if that is
 *                              not known. What a monitor should report begins when MESSAGE was
 *                              retrieved, which is between POSTED and RETRIEVED: a busy machine can
 *                              hold the thread up between its retrieval and its noting the time.
 *                              REQUESTED_MS is a wish, BEGIN and END are the truth
 *   back NS TID QUEUED_NS      the first message that the program's own loop retrieved after a
 *                              freeze or flood of that thread. What a monitor should report ends
 *                              between END and this: the two lie 0.1 ms apart, and further only
 *                              where the machine is too busy to let the thread go on. QUEUED_NS:
 *                              when that message was in the queue at the latest, by its time, which
 *                              has steps of 1 ms under Wine and of 16 ms on Windows. If that is
 *                              before RETRIEVED_NS, it was waiting even then, because the machine
 *                              was too busy to let the thread have it
 *   flood BEGIN_NS END_NS REQUESTED_MS COUNT TID
 *                              posted messages followed one another without a pause: input waited
 *   pool BEGIN_NS FULL_NS END_NS REQUESTED_MS COUNT
 *                              COUNT items blocked the process's default thread pool. BEGIN: before
 *                              the first was submitted; FULL: after the last, from when on an item
 *                              of others waits until the end, if COUNT is more than the pool has
 *                              threads; END: when they were let go on, all at once
 *   paint BEGIN_NS END_NS TID  the UI thread retrieved a WM_PAINT at BEGIN and was done with it at
 *                              END: each one of every window, since an animation has begun
 *   nest BEGIN_NS END_NS REQUESTED_MS COUNT TID
 *                              COUNT messages were sent to a child window, each in the handling of
 *                              the one before. BEGIN, END: around the outermost SendMessage
 *   pane BEGIN_NS END_NS NAME REQUESTED_MS CALLED_NS RETURNED_NS TID
 *                              a pane, NAME (outer, middle, inner), got another size, and its
 *                              handling of that kept the processor busy from BEGIN to END. CALLED,
 *                              RETURNED: around the call that resized it, which lasts until also
 *                              the panes within it were resized; their lines come first
 *   panes BEGIN_NS END_NS REQUESTED_MS COUNT TID
 *                              the panes have been resized COUNT times; REQUESTED_MS is that of
 *                              the inner one
 *   modal BEGIN_NS END_NS TID  a modal dialog with a loop of its own was open (nothing hung)
 *   hit BEGIN_NS END_NS TID    the UI thread answered a WM_NCHITTEST, and took its time for it
 *   input NS NAME CLASS TID    a key, button or wheel message was retrieved at NS: NAME is the
 *                              message's (WM_KEYDOWN, WM_CHAR, WM_LBUTTONDOWN ...), CLASS its
 *                              window's; which key it was is not recorded
 *   act KIND DEQUEUED_NS HANDLED_NS PAINT_BEGIN_NS PAINT_END_NS TID
 *                              one interaction with the typing area, of --typing plain: a key,
 *                              click, release or wheel. DEQUEUED: when GetMessage returned the
 *                              message. HANDLED: when the last message derived from it was
 *                              dispatched (WM_CHAR ...). PAINT: the next WM_PAINT of the typing
 *                              area after that; both 0 if it caused none. Neither repeats of a held
 *                              key nor modifiers alone are interactions
 *   raw NS COUNT TAGGED NAME   WM_INPUT received so far, how many of them carried a tag in
 *                              ulExtraInformation, and whose the process's raw mouse registration
 *                              is now: own, other, none
 *   stall BEGIN_NS END_NS      the machine itself held up a thread of the highest priority that
 *                              wakes each ms, by more than 15 ms (--stall changes that)
 *   gap LENGTH_NS AT_NS        the longest such delay up to now, however short, and when it ended;
 *                              each second if it grew, and at the end
 *   played NS                  the list of --play is over
 *   end NS                     the last line of a program that was not killed
 *
 * A freeze, flood, pool or modal is logged after its end, so lines are not in the order of their
 * begins.
 */
/* clang-format on */
#ifndef UM_DEMO_LOG_H
#define UM_DEMO_LOG_H

#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"

#define UM_DEMO_LOG_MAX_BYTES 256
#define UM_DEMO_LOG_TICK_NS UINT64_C(1000000) /* the thread that looks for stalls wakes so often */
#define UM_DEMO_LOG_NAME_BYTES 48

enum um_demo_log_kind {
    UM_DEMO_LOG_START,
    UM_DEMO_LOG_READY,
    UM_DEMO_LOG_WINDOW,
    UM_DEMO_LOG_GONE,
    UM_DEMO_LOG_AWAY,
    UM_DEMO_LOG_FREEZE,
    UM_DEMO_LOG_BACK,
    UM_DEMO_LOG_FLOOD,
    UM_DEMO_LOG_POOL,
    UM_DEMO_LOG_PAINT,
    UM_DEMO_LOG_NEST,
    UM_DEMO_LOG_PANE,
    UM_DEMO_LOG_PANES,
    UM_DEMO_LOG_MODAL,
    UM_DEMO_LOG_HIT,
    UM_DEMO_LOG_INPUT,
    UM_DEMO_LOG_ACT,
    UM_DEMO_LOG_RAW,
    UM_DEMO_LOG_STALL,
    UM_DEMO_LOG_GAP,
    UM_DEMO_LOG_PLAYED,
    UM_DEMO_LOG_END,
    UM_DEMO_LOG_KIND_COUNT
};

/* One line. Only the fields that its kind has are written or read; the others are 0. */
struct um_demo_log_event {
    enum um_demo_log_kind kind;
    uint32_t pid;
    uint32_t tid;
    uint32_t message;
    uint32_t requested_ms;
    uint64_t begin_ns; /* also the NS of lines that have one time, AT_NS of `gap`, PAINT_BEGIN_NS */
    uint64_t end_ns;   /* also PAINT_END_NS */
    uint64_t length_ns;    /* `gap` */
    uint64_t retrieved_ns; /* also DEQUEUED_NS and CALLED_NS */
    uint64_t posted_ns;    /* `freeze`; also QUEUED_NS */
    uint64_t handled_ns;   /* `act`; also FULL_NS and RETURNED_NS */
    uint64_t hwnd;
    uint64_t count;
    uint64_t tagged;
    char name[UM_DEMO_LOG_NAME_BYTES];
    char class_name[UM_DEMO_LOG_NAME_BYTES];
};

/* Writes the event's line with its LF and a NUL, and its length without the NUL.
 * Units: UM_DEMO_LOG_MAX_BYTES always suffice.
 * Errors: UM_ERR_ARG a kind that is not in the list; UM_ERR_TOO_LARGE it does not fit. */
enum um_status um_demo_log_format(const struct um_demo_log_event *event, char *line,
                                  size_t cap_bytes, size_t *len_bytes);

/* Reads a line, with or without its line end.
 * Errors: UM_ERR_UNSUPPORTED a kind that is not known; UM_ERR_FORMAT words missing or malformed. */
enum um_status um_demo_log_parse(const char *line, struct um_demo_log_event *event);

#endif
