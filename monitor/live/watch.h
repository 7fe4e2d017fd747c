/* Watching: drives one session from attaching to its end, on a thread of its own.
 *
 * The loop in watch.c is where everything meets: frames from the DLL, the control, the clock, the
 * overlay's process, the target's windows. Nothing else reads the hook pipe. The thread never
 * touches the console, which blocks for as long as somebody selects text in it; what it has to say
 * is fetched with um_watch_next_line. A reader starts at measure() in watch.c.
 */
#ifndef UM_MONITOR_WATCH_H
#define UM_MONITOR_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/status.h"
#include "ipc/wire.h"
#include "monitor/feed/feed.h"
#include "monitor/options/options.h"
#include "monitor/stats/summary.h"
#include "monitor/target/target.h"

#define UM_WATCH_LINE_BYTES 512

struct um_watch;

/* Begins to watch `process`, whose main window is or will be found by itself; `attach_to` is that
 * window if it is known already. The feed goes to the hub and to `outputs`, at most
 * UM_FEED_OUTPUT_MAX - 1. With options->key_delay_us it is a session for proving: the target's keys
 * are delayed until its end, and each line, feed and result says so.
 * Owner: um_watch_close; options, process and what the outputs point to must outlive it.
 * Errors: UM_ERR_MEMORY; UM_ERR_IO the feed's pipe cannot be made; UM_ERR_ARG key_delay_us is over
 * UM_WIRE_KEY_DELAY_MAX_US. */
enum um_status um_watch_open(const struct um_options *options,
                             const struct um_target_process *process,
                             const struct um_target_info *attach_to,
                             const struct um_feed_output *outputs, size_t output_count,
                             struct um_watch **watch);

/* Whether it has ended by itself. Thread: any. */
bool um_watch_over(struct um_watch *watch);

/* Asks it to end; does not wait. Thread: any. */
void um_watch_stop(struct um_watch *watch);

/* The latest STATUS, and for how long it has been measuring; false before the first. Thread:
 * any. */
bool um_watch_status(struct um_watch *watch, struct um_wire_status *status, uint8_t *flags,
                     double *elapsed_s);

/* Whether a beat has been answered in the present attachment. Thread: any. */
bool um_watch_measuring(struct um_watch *watch);

/* What is known of the target's rest in the present attachment. Units: ns; 0: not known yet. */
struct um_watch_quiet {
    uint64_t asked_ns; /* when its thread was asked to let uimon see its messages. It complies
                        * before it next waits for input */
    uint64_t seen_ns;  /* um_session_seen_ns */
    uint64_t since_ns; /* um_session_quiet_since_ns; equal to seen_ns if no work was seen since */
};

/* Thread: any. */
struct um_watch_quiet um_watch_quiet(struct um_watch *watch);

/* The window that is watched now; false before the first. Thread: any. */
bool um_watch_target(struct um_watch *watch, struct um_target_info *target);

/* Puts a NOTE into the feed, with the time of the call. False if too many are waiting.
 * Thread: any. */
bool um_watch_add_note(struct um_watch *watch, const char *text);

/* Takes the next line for the person at the console; false if there is none. Thread: any. */
bool um_watch_next_line(struct um_watch *watch, char *line, size_t cap_bytes);

/* Waits for the end and fills the summary. UM_OK the session ended as it should (the target's end
 * included); otherwise `error` has the line to print. `*measured` says whether there is anything to
 * sum up, also after an error. Owner: what the summary points to lives until um_watch_close. */
enum um_status um_watch_finish(struct um_watch *watch, struct um_summary *summary, bool *measured,
                               char *error, size_t error_cap);

/* Accepts NULL. */
void um_watch_close(struct um_watch *watch);

#endif
