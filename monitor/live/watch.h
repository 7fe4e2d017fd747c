/* A watch: what a run of `uimon --attach` or `--launch` owns, and the thread that drives it: the
 * source of frames, the control, the session, the feed's hub, the overlay's process, the sampler.
 *
 * It attaches, reads frames, hands them to the session (session.h, which judges them with the
 * watchdog) and attaches again when the window or the DLL is gone. Nothing else reads the hook
 * pipe. The thread never touches the console, which blocks for as long as somebody selects text in
 * it; what it has to say is fetched with um_watch_next_line. A reader starts at measure() in
 * watch.c.
 */
#ifndef UM_MONITOR_WATCH_H
#define UM_MONITOR_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "ipc/wire.h"
#include "monitor/feed/feed.h"
#include "monitor/options/options.h"
#include "monitor/stats/summary.h"
#include "monitor/target/target.h"

#define UM_WATCH_LINE_BYTES 512

struct um_reverse;
struct um_watch;
struct um_watch_children;

/* Begins to watch `process`. `attach_to` is its main window; NULL: the watch finds it. The feed
 * goes to the hub and to `outputs`, at most UM_FEED_OUTPUT_MAX - 1. `reverse` is the pipe to which
 * the process's .NET runtime connects, if it was started with its name; else NULL. `children`: if
 * the process ends without a window that was watched, the next one to watch is chosen among these,
 * and the watch ends without an error; NULL: nobody would watch that.
 * Owner: um_watch_close; options, process, `reverse`, `children` and what the outputs point to must
 * outlive it.
 * Errors: UM_ERR_MEMORY; UM_ERR_IO the feed's pipe cannot be made. */
enum um_status um_watch_open(const struct um_options *options,
                             const struct um_target_process *process,
                             const struct um_target_info *attach_to, struct um_reverse *reverse,
                             struct um_watch_children *children,
                             const struct um_feed_output *outputs, size_t output_count,
                             struct um_watch **watch);

/* Whether the command shows a program to a person. Benchmarks do not: sampling, tracing and panels
 * would change the program's times. */
static inline bool um_watch_is_seen(const struct um_options *options)
{
    return options->command == UM_OPTIONS_WATCH || options->command == UM_OPTIONS_LAUNCH ||
           options->command == UM_OPTIONS_DEMO;
}

/* Whether it has ended by itself. Thread: any. */
bool um_watch_over(struct um_watch *watch);

/* Asks it to end; does not wait. Thread: any. */
void um_watch_stop(struct um_watch *watch);

/* What is known of the target's rest in the present attachment. Units: ns; 0: not known yet. */
struct um_watch_quiet {
    uint64_t asked_ns; /* when its thread was asked to install the hooks. It does so before it next
                        * waits for input */
    uint64_t seen_ns;  /* um_session_seen_ns */
    uint64_t since_ns; /* um_session_quiet_since_ns; equal to seen_ns if no work was seen since */
};

struct um_watch_view {
    bool has_status;
    struct um_wire_status status; /* the latest, if has_status */
    uint8_t flags;                /* of its frame */
    double elapsed_s;             /* for how long it has been measuring */
    bool measuring; /* a beat has been answered in the present attachment, and steps of the layout
                     * are recorded if they are wanted */
    struct um_watch_quiet quiet;
    struct um_target_info target;          /* the window that is watched; hwnd 0 before the first */
    char hidden_by[UM_TARGET_HIDER_BYTES]; /* which window hides the overlay; empty: none does */
};

/* What is known at present. Thread: any. */
struct um_watch_view um_watch_view(struct um_watch *watch);

/* How many WM_CHAR the target has taken so far; those of an input are in before the outputs are
 * told of it.
 * Thread: any. */
uint64_t um_watch_characters(struct um_watch *watch);

/* Puts a NOTE into the feed, with the time of the call. False if too many are waiting.
 * Thread: any. */
bool um_watch_add_note(struct um_watch *watch, const char *text);

/* Takes the next line for the person at the console; false if there is none. Thread: any. */
bool um_watch_next_line(struct um_watch *watch, char *line, size_t cap_bytes);

/* Waits for the end and fills the summary. `*measured` says whether there is anything to sum up,
 * also after an error. Owner: what the summary points to lives until um_watch_close.
 * Errors: anything but UM_OK, with the line to print in `error`. The target's end is no error. */
enum um_status um_watch_finish(struct um_watch *watch, struct um_summary *summary, bool *measured,
                               char *error, size_t error_cap);

/* Accepts NULL. */
void um_watch_close(struct um_watch *watch);

#endif
