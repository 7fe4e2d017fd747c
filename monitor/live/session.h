/* A session: one watched target from the first beat to the summary.
 *
 * Takes the frames of the hook DLL and what the control saw. The watchdog, interactions.c, quiet.c,
 * ladder.c and starvation.c judge them. The result goes to the statistics and the outputs of the
 * feed. Portable, and without threads: watch.c drives it. A reader starts at um_session_frame.
 */
#ifndef UM_MONITOR_SESSION_H
#define UM_MONITOR_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/status.h"
#include "ipc/wire.h"
#include "monitor/feed/feed.h"
#include "monitor/measure/interactions.h"
#include "monitor/measure/ladder.h"
#include "monitor/measure/quiet.h"
#include "monitor/measure/watchdog.h"
#include "monitor/options/options.h"
#include "monitor/stats/summary.h"
#include "monitor/target/target_spec.h"

struct um_session;

struct um_session_config {
    const struct um_options
        *options; /* key_delay_us is told; that the DLL keeps to it is not seen */
    struct um_feed_output outputs[UM_FEED_OUTPUT_MAX];
    size_t output_count;
    bool control; /* um_session_control will be called */
    void *context;
    /* Sends a command to the DLL. */
    void (*command)(void *context, const struct um_wire_frame *command);
    /* The class of a window of the target; false if it is gone. */
    bool (*window_class)(void *context, uint64_t hwnd, char *buf, size_t cap_bytes);
    /* The name of a registered message; false if there is none. Asked once while the suspects are
     * the same message. */
    bool (*message_name)(void *context, uint32_t message, char *buf, size_t cap_bytes);
    /* A freeze has ended, and was published. NULL: nothing is sampled. */
    void (*freeze)(void *context, const struct um_wire_frame *episode);
    /* What sampling has cost the target so far; false: there were no samples. NULL as `freeze`. */
    bool (*sampling)(void *context, struct um_wire_sampling *sampling);
    /* What the monitor and the overlay have cost so far, in ns of CPU time; 0: not known. Called
     * once a second, and when measuring begins, because the cost up to then is not the session's.
     * NULL: neither is known. */
    void (*own_cost)(void *context, uint64_t *monitor_ns, uint64_t *overlay_ns);
};

/* Makes a session that has not begun. `now_ns` is the present.
 * Owner: um_session_close; options and outputs must outlive it. Errors: UM_ERR_MEMORY. */
enum um_status um_session_open(const struct um_session_config *config, uint64_t now_ns,
                               struct um_session **session);
void um_session_close(struct um_session *session);

/* The target from now on. May be called again with another window or thread of it. */
void um_session_target(struct um_session *session, const struct um_target_info *target);

/* The connection to the DLL stands, which tells of each message that was taken since `seen_ns`, as
 * its HELLO says. Asks the DLL for period, beats and probe, and for the user's input if the options
 * say so. */
void um_session_attached(struct um_session *session, uint64_t seen_ns, uint64_t now_ns);

/* Whether the target's thread pool is to be measured from now on, also by later connections. At
 * first it is not. What is measured is published as POOL. */
void um_session_probe_pool(struct um_session *session, bool wanted);

/* The same for counting messages and paint cycles. What is counted is published as ACTIVITY. */
void um_session_count(struct um_session *session, bool wanted);

/* Whether messages are to be traced from now on, also by later connections. At first they are
 * not. What is traced does not pass through here: tracer.h. */
void um_session_trace(struct um_session *session, bool wanted);

/* The connection is gone. Measuring may go on with another one. */
void um_session_detached(struct um_session *session, uint64_t now_ns);

/* A frame from the DLL, received at `now_ns`. */
void um_session_frame(struct um_session *session, const struct um_wire_frame *frame,
                      uint64_t now_ns);

/* The control saw a beat. A pair is seen twice. */
void um_session_control(struct um_session *session, uint32_t seq, uint64_t time_ns);

/* Whether the window in front belongs to a process of a higher integrity level than the target, as
 * of now. If the session is blind meanwhile, that is named as the reason, and no other kind of beat
 * and no other probe is tried. */
void um_session_shielded(struct um_session *session, bool shielded);

/* Whether the session is blind for that reason. */
bool um_session_is_shielded(const struct um_session *session);

/* What the beats of the raw probe are; AUTO: none was sent so far. */
enum um_rung um_session_rung(const struct um_session *session);

/* The user's latest input was at `time_ns` (0: there was none). */
void um_session_input(struct um_session *session, uint64_t time_ns);

/* The user's input as the control saw it arrive, and how much of it the control has lost in all.
 * Hand in all that arrived up to the time of an um_session_tick or um_session_stop before that
 * call. Without `interactions` in the options both do nothing. */
void um_session_arrival(struct um_session *session, const struct um_arrival *arrival);
void um_session_arrivals_lost(struct um_session *session, uint64_t lost);

/* Publishes a NOTE, the mark of a script or of the user. False if there is no feed yet, because
 * measuring has not begun. */
bool um_session_note(struct um_session *session, const char *text, uint64_t time_ns);

/* Publishes a frame of the profile (MODULE, NODES, SAMPLE, NAME or STACK), of what was traced,
 * or of the target's own counters (COUNTER or COUNTER_VALUE). None is published before measuring
 * has begun or after um_session_stop. */
void um_session_add(struct um_session *session, const struct um_wire_frame *frame);

/* Since when the target has been quiet, and seen, by the rules of quiet.h; 0: not known. Units: ns;
 * may lie shortly after the last um_session_tick. */
uint64_t um_session_quiet_since_ns(const struct um_session *session);
uint64_t um_session_seen_ns(const struct um_session *session);

/* Judges silence, publishes STATUS, pauses when idle, and tries another probe when blind. Call it
 * after each batch of frames, and when um_session_deadline says so. */
void um_session_tick(struct um_session *session, uint64_t now_ns);
uint64_t um_session_deadline(const struct um_session *session, uint64_t now_ns);

/* How long the outstanding beat has waited, by what the DLL has told so far; 0: none is. */
uint64_t um_session_waited_ns(const struct um_session *session, uint64_t now_ns);

/* How long the session has been measuring. Units: ns; 0 before the first beat. */
uint64_t um_session_duration_ns(const struct um_session *session, uint64_t now_ns);

/* The latest STATUS; false before the first. */
bool um_session_status(const struct um_session *session, struct um_wire_status *status,
                       uint8_t *flags);

/* Closes episodes and interactions: measuring is over. What is to be said of them can still be
 * published, and then um_session_stop ends the session. */
void um_session_halt(struct um_session *session, uint64_t now_ns);

/* Ends the session, as of um_session_halt if that came first: publishes TOTALS and END. */
void um_session_stop(struct um_session *session, uint64_t now_ns, enum um_end_reason reason);

/* What the session adds up to; call it after um_session_stop. It is made from the last SESSION and
 * TOTALS, so a recording of the feed adds up to the same. False if nothing was measured.
 * Owner: texts and lists stay the session's. */
bool um_session_summary(const struct um_session *session, struct um_summary *summary);

#endif
