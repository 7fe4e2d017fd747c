/* A session turns a target's frames into the feed, from the first beat to the summary. It has no
 * threads and opens nothing: a watch (watch.h) drives it.
 *
 * It hands the frames of the hook DLL, and what the control saw, to modules that judge one thing
 * each: the watchdog (what is a freeze), interactions.c, idle_detection.c, ladder.c, starvation.c.
 * Their results go to the statistics and the outputs of the feed. Portable. A reader starts at
 * um_session_frame.
 */
#ifndef UM_MONITOR_SESSION_H
#define UM_MONITOR_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "ipc/wire.h"
#include "monitor/feed/feed.h"
#include "monitor/measure/interactions.h"
#include "monitor/measure/ladder.h"
#include "monitor/measure/idle_detection.h"
#include "monitor/measure/watchdog.h"
#include "monitor/options/options.h"
#include "monitor/stats/summary.h"
#include "monitor/target/target_spec.h"

struct um_session;

/* What the DLL does only on demand. */
enum um_session_wish {
    UM_SESSION_POOL,         /* measures the target's thread pool, published as POOL */
    UM_SESSION_COUNTS,       /* counts messages and paint cycles, published as ACTIVITY */
    UM_SESSION_TRACES,       /* traces messages, which tracer.h publishes */
    UM_SESSION_TRACE_EVENTS, /* each one, too, as um_session_trace_events says */
    UM_SESSION_METHODS,      /* sends the calls of managed methods, published as they are */
    UM_SESSION_LAYOUT,       /* records the steps of the layout, for monitor/layout */
    UM_SESSION_WISHES
};

struct um_session_config {
    const struct um_options *options;
    struct um_feed_output outputs[UM_FEED_OUTPUT_MAX];
    size_t output_count;
    bool control;  /* um_session_control will be called */
    bool arrivals; /* so will um_session_arrival, with each input of the user */
    void *context;
    /* Sends a command to the DLL. */
    void (*command)(void *context, const struct um_wire_frame *command);
    /* The class of a window of the target; false if it is gone. */
    bool (*window_class)(void *context, uint64_t hwnd, char *buf, size_t cap_bytes);
    /* The name of a registered message; false if there is none. Not called again for the same
     * message in succession. */
    bool (*message_name)(void *context, uint32_t message, char *buf, size_t cap_bytes);
    /* A freeze has ended, and was published. NULL: nothing is sampled. */
    void (*freeze)(void *context, const struct um_wire_frame *episode);
    /* The same, whether or not something is sampled. NULL: nobody wants to know. */
    void (*freeze_over)(void *context, const struct um_wire_frame *episode);
    /* What sampling has cost the target so far; false: there were no samples. NULL as `freeze`. */
    bool (*sampling)(void *context, struct um_wire_sampling *sampling);
    /* The CPU time of monitor and overlay so far, in ns; 0: not known. Called once a second, and
     * when measuring begins: the time before is not counted. NULL: neither is known. */
    void (*own_cost)(void *context, uint64_t *monitor_ns, uint64_t *overlay_ns);
};

/* Makes a session. It begins with the first beat.
 * Owner: um_session_close; options and outputs must outlive it. Errors: UM_ERR_MEMORY. */
enum um_status um_session_open(const struct um_session_config *config, uint64_t now_ns,
                               struct um_session **session);
void um_session_close(struct um_session *session);

/* The target from now on. May be called again with another window or thread of it. */
void um_session_target(struct um_session *session, const struct um_target_info *target);

/* The DLL is connected, and reports each message that was retrieved since `seen_ns`, the time of
 * its HELLO. Sends it period, beats and probe, and asks for the user's input if the options say
 * so. */
void um_session_attached(struct um_session *session, uint64_t seen_ns, uint64_t now_ns);

/* Switches one of these on or off, also for later connections. At first all are off. */
void um_session_want(struct um_session *session, enum um_session_wish wish, bool wanted);

/* Which traced messages are reported one by one: all of them if they are to be markers, else those
 * that may explain a freeze. */
static inline enum um_trace_events um_session_trace_events(const struct um_options *options)
{
    return options->trace == UM_OPTIONS_TRACE_EVENTS ? UM_TRACE_EVENTS_ALL : UM_TRACE_EVENTS_LONG;
}

/* The connection is gone. Measuring may go on with another one. */
void um_session_detached(struct um_session *session, uint64_t now_ns);

/* A frame from the DLL, received at `now_ns`. */
void um_session_frame(struct um_session *session, const struct um_wire_frame *frame,
                      uint64_t now_ns);

/* The control saw a beat. A pair is seen twice. */
void um_session_control(struct um_session *session, uint32_t seq, uint64_t time_ns);

/* Sets whether the window in front belongs to a process of a higher integrity level than the
 * target. If the session is blind meanwhile, that is named as the reason, and no other kind of beat
 * and no other probe is tried. */
void um_session_shielded(struct um_session *session, bool shielded);

/* The latest BEAT_KIND: the kind of the raw probe's beats, AUTO before the first, and why the
 * session is blind. Owner: the session's. */
const struct um_wire_beat_kind *um_session_beat_kind(const struct um_session *session);

/* From beat to beat at least, because of what beats make the target do; 0: as often as else. */
uint32_t um_session_spared_us(const struct um_session *session);

/* The user's latest input was at `time_ns` (0: there was none). */
void um_session_input(struct um_session *session, uint64_t time_ns);

/* The user's input as the control saw it arrive, and how much of it the control has lost in all.
 * Before each um_session_tick and um_session_stop, pass all input that arrived up to its time.
 * Without `interactions` in the options both do nothing. */
void um_session_arrival(struct um_session *session, const struct um_arrival *arrival);
void um_session_arrivals_lost(struct um_session *session, uint64_t lost);

/* Publishes a NOTE, the mark of a script or of the user. False before measuring has begun and after
 * um_session_stop. */
bool um_session_note(struct um_session *session, const char *text, uint64_t time_ns);

/* Publishes a frame of the profile (MODULE, NODES, SAMPLE, NAME or STACK), of traced messages, of
 * the calls of managed methods, of the layout, of markers, or of the target's own counters (COUNTER
 * or COUNTER_VALUE). Before measuring has begun it is dropped, but for those to which others refer
 * (early.h): they are published then. After um_session_stop it is dropped. */
void um_session_add(struct um_session *session, const struct um_wire_frame *frame);

/* Since when the target has been quiet, and seen, by the rules of idle_detection.h; 0: not known.
 * Units: ns; may lie shortly after the last um_session_tick. */
uint64_t um_session_quiet_since_ns(const struct um_session *session);
uint64_t um_session_seen_ns(const struct um_session *session);

/* Judges silence, publishes STATUS, pauses when idle, and tries another probe when blind. Call it
 * after each batch of frames, and when um_session_deadline says so. */
void um_session_tick(struct um_session *session, uint64_t now_ns);
uint64_t um_session_deadline(const struct um_session *session, uint64_t now_ns);

/* How long the outstanding beat has waited, by the DLL's frames so far; 0: none is outstanding. */
uint64_t um_session_waited_ns(const struct um_session *session, uint64_t now_ns);

/* How long the session has been measuring. Units: ns; 0 before the first beat. */
uint64_t um_session_duration_ns(const struct um_session *session, uint64_t now_ns);

/* The latest STATUS; false before the first. */
bool um_session_status(const struct um_session *session, struct um_wire_status *status,
                       uint8_t *flags);

/* Ends measuring: closes episodes and interactions. Their stacks can still be published, until
 * um_session_stop. */
void um_session_halt(struct um_session *session, uint64_t now_ns);

/* Ends the session: publishes TOTALS and END. Measuring ends too, unless um_session_halt has ended
 * it before. */
void um_session_stop(struct um_session *session, uint64_t now_ns, enum um_end_reason reason);

/* The summary; call it after um_session_stop. It is made from the feed's frames, so a recording of
 * the feed has the same summary. False if nothing was measured.
 * Owner: texts and lists stay the session's. */
bool um_session_summary(const struct um_session *session, struct um_summary *summary);

#endif
