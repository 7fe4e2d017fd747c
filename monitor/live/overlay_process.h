/* The overlay's process: started by the monitor, started again when it dies (three times a minute
 * at the most), and ended with the session. Not on the hot path; never blocks for long.
 */
#ifndef UM_MONITOR_OVERLAY_PROCESS_H
#define UM_MONITOR_OVERLAY_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "metrics/overlay_rows.h"
#include "ipc/transport.h"
#include "monitor/options/options.h"
#include "monitor/target/target.h"

#define UM_OVERLAY_PROCESS_STARTS 4 /* the first, and three more */

/* A zeroed struct has no overlay and can be ended. */
struct um_overlay_process {
    const struct um_options *options;
    const struct um_transport *transport;
    char feed[UM_TRANSPORT_NAME_BYTES];
    struct um_target_process *process;              /* NULL: it does not run */
    uint64_t started_ns[UM_OVERLAY_PROCESS_STARTS]; /* a ring of the last starts */
    uint32_t starts;
    uint64_t past_cpu_ns; /* of processes that have ended */
    bool given_up;
    char why[96]; /* it ended the last time, in a few words for a parenthesis; "": it never did */
};

/* Whether this system has an overlay that can be started. */
bool um_overlay_process_exists(void);

/* The overlay will read the feed of that name. It inherits a connection, because it may have fewer
 * rights than the monitor and could not open one itself. */
void um_overlay_process_init(struct um_overlay_process *overlay, const struct um_options *options,
                             const struct um_transport *transport, const char *feed);

/* Starts the overlay if it does not run. False, once, when it ended too often and is given up. */
bool um_overlay_process_keep(struct um_overlay_process *overlay, uint64_t now_ns);

/* Whether it has its window, and waits for something to show. */
bool um_overlay_process_ready(const struct um_overlay_process *overlay);

/* The window that hides it now; 0: none does. */
uint64_t um_overlay_process_hider(const struct um_overlay_process *overlay);

/* Whether the overlay runs and shows that row unless the user hides it. */
bool um_overlay_process_shows(const struct um_overlay_process *overlay, enum um_overlay_row row);

/* CPU time of all overlays that were started; false if there was none. */
bool um_overlay_process_cpu_ns(const struct um_overlay_process *overlay, uint64_t *ns);

/* Gives it half a second to leave by itself, then ends it. */
void um_overlay_process_end(struct um_overlay_process *overlay);

#endif
