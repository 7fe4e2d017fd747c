/* A session of ETW that gets the layout events of one thread of a XAML program: the provider
 * Microsoft-Windows-XAML, {531A35AB-63CE-4BCF-AA98-F88C7A89E455}, keyword Detailed, level Verbose.
 * layout_event.h says what they are.
 *
 * The session is our own and in real time; its name has our pid (layout_session.h). Before it is
 * begun, sessions of the same kind are ended whose monitor does not run any more, because a session
 * outlives the process that began it; no others. Windows only, and the code for that has not run on
 * Windows yet. A reader starts at `open`.
 */
#ifndef UM_MONITOR_LAYOUT_ETW_H
#define UM_MONITOR_LAYOUT_ETW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/plain/ring.h"
#include "base/plain/status.h"

struct um_layout_etw;

struct um_layout_etw_backend {
    /* Begins a session. A thread of its own puts the events of the thread `tid` of the process
     * `pid` into the ring (um_layout_event_push), and no others. Owner: close; the ring stays the
     * caller's and must outlive the session. Thread: waits for the system. Errors: UM_ERR_DENIED
     * this user may begin no sessions: administrators and members of Performance Log Users may;
     * UM_ERR_UNSUPPORTED this system has none; UM_ERR_MEMORY; UM_ERR_IO. */
    enum um_status (*open)(uint32_t pid, uint32_t tid, struct um_ring *ring,
                           struct um_layout_etw **etw);

    /* Whether the system has ended the session, because somebody has asked it to. Nothing more
     * comes then. Never blocks. */
    bool (*has_ended)(const struct um_layout_etw *etw);

    /* The name of an event of the thread that um_layout_event_name does not know; NULL: none has
     * come. Owner: the session. */
    const char *(*unknown)(const struct um_layout_etw *etw);

    /* Ends the session, and with it the thread. Accepts NULL. */
    void (*close)(struct um_layout_etw *etw);
};

extern const struct um_layout_etw_backend *um_layout_etw; /* the system's, or a test's own */

#endif
