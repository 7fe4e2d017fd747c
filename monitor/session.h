/* A session: one watched target from the first beat to the summary.
 *
 * Takes the frames of the hook DLL and what the control saw, lets the watchdog judge them, and hands
 * the result to statistics, CSV and hub. Portable, and without threads: watch.c drives it. A reader
 * starts at um_session_frame.
 */
#ifndef UM_MONITOR_SESSION_H
#define UM_MONITOR_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/status.h"
#include "ipc/wire.h"
#include "monitor/csv_writer.h"
#include "monitor/hub.h"
#include "monitor/options.h"
#include "monitor/summary.h"
#include "monitor/target_spec.h"
#include "monitor/watchdog.h"

struct um_session;

struct um_session_config {
    const struct um_options *options;
    struct um_hub *hub;        /* NULL: nobody listens */
    struct um_csv_writer *csv; /* NULL: none */
    bool control;              /* um_session_control will be called */
    void *context;
    /* Sends a command to the DLL. */
    void (*command)(void *context, const struct um_wire_frame *command);
    /* The class of a window of the target; false if it is gone. */
    bool (*window_class)(void *context, uint64_t hwnd, char *buf, size_t cap_bytes);
};

/* Makes a session that has not begun. `now_ns` is the present.
 * Owner: um_session_close; options, hub and csv must outlive it. Errors: UM_ERR_MEMORY. */
enum um_status um_session_open(const struct um_session_config *config, uint64_t now_ns,
                               struct um_session **session);
void um_session_close(struct um_session *session);

/* Who is watched from now on; may come again with another window or thread. */
void um_session_target(struct um_session *session, const struct um_target_info *target);

/* The connection to the DLL stands: asks for period and probe. */
void um_session_attached(struct um_session *session, uint64_t now_ns);

/* The connection is gone; measuring may go on with another one. */
void um_session_detached(struct um_session *session, uint64_t now_ns);

/* A frame from the DLL, received at `now_ns`. */
void um_session_frame(struct um_session *session, const struct um_wire_frame *frame,
                      uint64_t now_ns);

/* The control saw a beat. */
void um_session_control(struct um_session *session, uint32_t seq, uint64_t time_ns);

/* The user did something at `time_ns` (0: never). */
void um_session_input(struct um_session *session, uint64_t time_ns);

/* After each batch of frames, and when um_session_deadline says so: judges silence, publishes
 * STATUS, pauses when idle, tries another probe when blind. */
void um_session_tick(struct um_session *session, uint64_t now_ns);
uint64_t um_session_deadline(const struct um_session *session, uint64_t now_ns);

/* How long it has been measuring. Units: ns; 0 before the first beat. */
uint64_t um_session_duration_ns(const struct um_session *session, uint64_t now_ns);

/* The latest STATUS; false before the first. */
bool um_session_status(const struct um_session *session, struct um_wire_status *status,
                       uint8_t *flags);

/* Ends the session: closes episodes and publishes END. */
void um_session_stop(struct um_session *session, uint64_t now_ns, enum um_end_reason reason);

/* What the session adds up to; after um_session_stop. The cost of monitor and overlay is left to the
 * caller. False if nothing was measured. Owner: texts and lists stay the session's. */
bool um_session_summary(const struct um_session *session, struct um_summary *summary);

#endif
